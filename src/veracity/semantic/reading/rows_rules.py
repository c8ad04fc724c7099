"""Rules for names, nouns and what narrows them: conditions, verbs, roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from veracity.semantic.graph import Way, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    FigureComparison,
    InSegment,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    all_of,
)
from veracity.semantic.reading.chart import DEFAULT_FIGURE, FAR, OTHER_ENTITY, STEP, UNNAMED_DATE, MadePhrase
from veracity.semantic.reading.comparison_phrases import Superlative, TopFilter
from veracity.semantic.reading.compose import Composer, Rules, is_far, narrowed_rows, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import About, AboutEach, CountedRows, JoinedPhrase, MostRows, StrandedRows
from veracity.semantic.reading.phrases import (
    Attribute,
    JoiningWord,
    RowFilter,
    RowsPhrase,
    SegmentWord,
    Stored,
    WithField,
    merged,
)
from veracity.semantic.reading.related_rows import aims_at, right_edge, rows_in, starts_at, steps_of
from veracity.semantic.reading.said_phrases import SaidNumber, SaidPeriod
from veracity.semantic.reading.word_lists import is_person

RULES: Rules = {}
rule = rule_book(RULES)


@rule(RowsPhrase, RowsPhrase)
def _rows_rows(c: Composer, left: RowsPhrase, right: RowsPhrase) -> Iterator[MadePhrase]:
    if left.entity == right.entity:
        if (left.bare and right.named) or (left.named and right.bare):
            if _is_called(left, right):
                yield MadePhrase(replace(left if left.named else right, called=True))
        elif right.named and left.is_segment:  # the customer Alpenblick AG
            yield MadePhrase(replace(right, where=merged(right.where, left.where)))
        elif right.bare and not (left.named or left.awaits or left.bounded):  # entries that were posted
            yield MadePhrase(left)
        elif left.named and right.named and _field_of(left) != _field_of(right):  # first and last name
            yield MadePhrase(replace(left, where=merged(left.where, right.where)))
        return
    other = right.entity not in left.may_be or not _is_called(left, right)
    if left.named and not right.named and not right.awaits and other:  # Texas city
        for condition in c.relate(right.entity, left):
            narrowed = replace(right, where=merged(right.where, (condition,)), edge=(right.entity,))
            yield MadePhrase(narrowed, c.steps(right.entity, condition, left))
    elif left.named and right.named:  # Austin, Texas
        for way in c.ways(left.entity, right.entity):
            if all(step.to_one for step in way):
                for condition in c.related(right, way):
                    yield MadePhrase(replace(left, where=merged(left.where, (condition,))))


@rule(JoiningWord, WithField)
def _and_with(c: Composer, word: JoiningWord, beside: WithField) -> Iterator[MadePhrase]:
    """..., and with what amounts."""
    if word.kind in ("and", "comma"):
        yield MadePhrase(beside)


@rule(RowsPhrase, WithField)
def _rows_beside(c: Composer, rows: RowsPhrase, beside: WithField) -> Iterator[MadePhrase]:
    """Entries with their amount; which accounts an entry was posted to, and with what amounts."""
    field = beside.field
    shown = () if field.field in c.model.things[field.entity].display else (field,)
    if rows.entity == field.entity and not rows.named:
        yield MadePhrase(replace(rows, also=(*rows.also, *shown)))
        return
    for condition in rows.where:
        step = c.step(rows.entity, condition.via[0]) if isinstance(condition, Related) and condition.via else None
        link = step.relation.through if step and step.relation else None
        if link is None or link.entity != field.entity or len(rows.where) > 1 or rows.order or rows.period:
            continue
        assert isinstance(condition, Related)
        for way in c.model.ways(link.entity, condition.related.of or ""):
            related = Related(related=condition.related, via=names_of(way))
            yield MadePhrase(RowsPhrase(link.entity, where=(related,), also=shown))


@rule(RowsPhrase, JoinedPhrase)
def _from_code_to_code(c: Composer, rows: RowsPhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Accounts 3400 to 3499."""
    last, only = joined.phrase, rows.where[0] if len(rows.where) == 1 and rows.named else None
    if joined.kind != "to" or not isinstance(last, SaidNumber) or not isinstance(only, Comparison):
        return
    first, end = only.value, str(last.value)
    key = f"{rows.entity}.{c.model.things[rows.entity].key[0]}" if c.model.things[rows.entity].key else ""
    if only.field == key and isinstance(first, str) and first.isdigit() and len(first) == len(end) and first < end:
        within = Comparison(field=key, op="between", value=(first, end))
        yield MadePhrase(RowsPhrase(rows.entity, where=(within,), named=True))


@rule(RowsPhrase, RowFilter)
def _rows_filter(c: Composer, rows: RowsPhrase, filtered: RowFilter) -> Iterator[MadePhrase]:
    if rows.entity == filtered.entity and not rows.named:
        far = not filtered.free and is_far(rows.edge, filtered.may_be or (filtered.entity,))
        rows = replace(rows, happened=rows.happened or bool(filtered.lacks) or filtered.beyond)
        yield from narrowed_rows(rows, filtered.where, filtered.edge, far=far)


@rule(RowsPhrase, RowFilter)
def _rows_related_filter(c: Composer, rows: RowsPhrase, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Businesses in the category Cafe, where categories are rows of their own."""
    if rows.entity == filtered.entity or rows.named or rows.awaits is not None:
        return
    if filtered.is_value and (filtered.before or not (rows.bare or _has_another_end(c, rows, filtered.entity))):
        return
    if (filtered.verb or filtered.beyond) and all(
        is_person(c.model.things[one]) for one in (rows.entity, filtered.entity)
    ):
        return  # students who teach are not those whose advisor does
    if rows.entity in filtered.said_of or (filtered.said_of and filtered.beyond) or c.is_of_its_own(filtered.where):
        return  # messages sent in 2022 are not those to people who sent one then
    unsaid = (
        (DEFAULT_FIGURE,) if filtered.is_value else ()
    )  # orders in Lucerne: those of its customers, or of its branches
    happened = bool(filtered.lacks) or any(isinstance(one, Negation | AnyOf) for one in filtered.where)
    ways = c.ways(rows.entity, filtered.entity)
    said = [(way, one) for way in ways for one in _of_one_or_all(c, filtered, way)]
    for way, condition in said:
        for made in narrowed_rows(rows, (condition,), filtered.edge, far=False):
            assert isinstance(made.phrase, RowsPhrase)
            marks = (*made.marks, *unsaid, OTHER_ENTITY, *[STEP] * len(way))
            yield MadePhrase(replace(made.phrase, happened=happened), marks)


def _has_another_end(c: Composer, rows: RowsPhrase, entity: str) -> bool:
    """Whether only one of two ends was said that rows tell: flights from Zurich, where to comes next."""
    ends = [step for step in c.model.steps[rows.entity] if step.end == entity and (starts_at(step) or aims_at(step))]
    plain = not (rows.order or rows.limit or rows.period or rows.awaits or rows.also or rows.other or rows.link)
    said = len(rows.where) == 1 and isinstance(one := rows.where[0], Related) and one.related.of == entity
    return plain and said and len(ends) > 1


@rule(RowFilter, RowsPhrase)
def _filter_rows(c: Composer, filtered: RowFilter, rows: RowsPhrase) -> Iterator[MadePhrase]:
    stands_before = filtered.before or c.order.get("modifiers_before")
    if rows.entity == filtered.entity and stands_before and not rows.named:
        yield MadePhrase(replace(rows, where=merged(rows.where, filtered.where)))


def _of_one_or_all(c: Composer, filtered: RowFilter, way: Way) -> Iterator[Condition]:
    """Projects with more than 20 hours: in one of their entries, or in all of them together.

    Where nobody has said whether hours add up, only the sum is read: it is refused with that question.
    """
    only = filtered.where[0] if len(filtered.where) == 1 else None
    total = None
    if isinstance(only, Comparison) and not all(step.to_one for step in way):
        total = _in_total(only, way)
    field = Attribute(filtered.entity, only.field.rpartition(".")[2]) if isinstance(only, Comparison) else None
    open_question = field is not None and total is not None and c.may_add_up(field)
    if not open_question:
        yield from c.said_of_related(filtered, way)
    if total is not None and field is not None and (open_question or c.adds_up(field)):
        yield total


def _in_total(only: Comparison, way: Way) -> Condition | None:
    """The same bound on the sum of all related rows; nothing where it is no bound on a number."""
    number = isinstance(only.value, int | Decimal) and not isinstance(only.value, bool)
    if not number or only.op not in ("<", "<=", ">", ">=", "=") or only.via or only.grain:
        return None
    shown = Shown(aggregate=Aggregate.SUM, field=only.field, via=names_of(way))
    return FigureComparison.model_validate({"show": shown, "op": only.op, "value": only.value})


@rule(RowFilter, RowFilter)
def _filters(c: Composer, left: RowFilter, right: RowFilter) -> Iterator[MadePhrase]:
    # Who is from Germany or Austria and gets something: it is no value that gets it.
    if left.entity == right.entity and not right.before and not (right.verb and left.is_value):
        if left.is_value and right.is_value and _are_two_values(left.where, right.where):
            return  # from Zurich to London: no airport is in both
        nearer = any(entity in left.edge for entity in right.may_be or (right.entity,))
        far = (FAR,) if nearer and not right.free else ()
        yield MadePhrase(RowFilter(left.entity, merged(left.where, right.where), right.edge), far)


def _are_two_values(left: tuple[Condition, ...], right: tuple[Condition, ...]) -> bool:
    """Whether one field is said to have two values at once."""
    one, two = ({p.field: p.value for p in w if isinstance(p, Comparison) and p.op == "="} for w in (left, right))
    return any(field in two and two[field] != value for field, value in one.items())


@rule(RowFilter, JoinedPhrase)
def _filter_joined(c: Composer, left: RowFilter, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    right = joined.phrase
    if not isinstance(right, RowFilter) or left.entity != right.entity:
        return
    if joined.kind == "and":
        yield MadePhrase(RowFilter(left.entity, merged(left.where, right.where), right.edge))
    else:
        either = AnyOf(conditions=tuple(x for x in (all_of(left.where), all_of(right.where)) if x is not None))
        yield MadePhrase(RowFilter(left.entity, (either,), right.edge, before=left.before and right.before))


@rule(RowsPhrase, JoinedPhrase)
def _rows_joined(c: Composer, left: RowsPhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    right = joined.phrase
    if isinstance(right, RowsPhrase) and left == right and left.bare:  # cities or towns
        yield MadePhrase(left)
    elif joined.kind == "to":
        return  # from Arbon to Lindau is none of the two
    elif isinstance(right, RowsPhrase) and left.entity == right.entity and left.named and right.named:
        if left.several and bool(left.each) != (joined.kind == "and"):
            return  # A and B or C
        each = (*(left.each or (left.where,)), right.where) if joined.kind == "and" else ()
        yield MadePhrase(RowsPhrase(left.entity, where=(_either(left, right),), named=True, each=each))


def _either(left: RowsPhrase, right: RowsPhrase) -> Condition:
    """Being one of the rows that are called so."""
    values = [value for rows in (left, right) for value in _names(rows)]
    field = _field_of(left)
    if field is not None and field == _field_of(right):
        return Comparison(field=field, op="in", value=tuple(values))
    return AnyOf(conditions=tuple(x for x in (all_of(left.where), all_of(right.where)) if x is not None))


def _names(rows: RowsPhrase) -> tuple[bool | int | Decimal | str, ...]:
    only = rows.where[0] if len(rows.where) == 1 else None
    value = only.value if isinstance(only, Comparison) else None
    if isinstance(value, tuple):
        return value
    return () if value is None or isinstance(value, SemanticQuery) else (value,)


@rule(Stored, JoinedPhrase)
def _stored_joined(c: Composer, left: Stored, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    right = joined.phrase
    if not isinstance(right, Stored):
        return
    for entity, field, value in left.homes:
        for other, name, second in right.homes:
            apart = value != second and field not in c.model.things[entity].display
            if (entity, field) == (other, name) and apart:
                either = Comparison(field=f"{entity}.{field}", op="in", value=(value, second))
                yield MadePhrase(RowFilter(entity, (either,), before=True, is_value=True))


@rule(About, RowsPhrase)
def _about_before_rows(c: Composer, about: About, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Customers without invoices, in languages that put it before the noun."""
    before = c.order.get("modifiers_before") or (c.order.get("verb_last") and rows.bare)
    if before and about.kind in ("with", "without") and not rows.named:
        yield from c.join(rows, about)


@rule(SaidPeriod, About)
def _when_about(c: Composer, when: SaidPeriod, about: About) -> Iterator[MadePhrase]:
    """In 2023 without loans, in languages that put it before the noun: the time is that of the loans."""
    if c.order.get("modifiers_before") and about.kind in ("with", "without") and isinstance(about.rows, RowsPhrase):
        for made in _rows_when(c, about.rows, when):
            assert isinstance(made.phrase, RowsPhrase)
            yield MadePhrase(replace(about, rows=made.phrase), made.marks)


@rule(RowsPhrase, About)
def _rows_about(c: Composer, rows: RowsPhrase, about: About) -> Iterator[MadePhrase]:
    if (rows.awaits is not None or rows.named) and about.kind in ("with", "without"):
        return  # clients in Prague have an account: not that Prague has one
    target = about.rows
    beyond = rows.happened and about.kind == "in" and _is_beyond(c, rows, rows_in(target).entity)
    if about.kind == "prep" or (rows.named and c.order.get("modifiers_before")) or beyond:
        return
    if isinstance(target, MostRows):
        if about.kind == "with" and rows.limit is None and not about.negated:
            marks = (FAR,) if c.is_nearer(rows.edge[1:], target.rows) else ()
            for order in c.counted(rows.entity, target):
                yield MadePhrase(
                    replace(
                        rows,
                        order=(order,),
                        limit=target.count or 1,
                        skip=target.skip,
                        after_top=True,
                        edge=(rows.entity, *right_edge(target)),
                    ),
                    marks,
                )
        return
    if isinstance(target, RowsPhrase) and rows.entity in (target.entity, *target.may_be) and about.kind == "of":
        called = rows.bare and _is_called(rows, target) and bool(c.order.get("of_names") or len(target.may_be) < 2)
        if called and target.named and rows.entity == target.entity and not about.negated:
            yield MadePhrase(target)  # the city of New York
        if called or rows.link is not None or not c.belongs(rows.entity, target.entity):
            return
    for condition in c.relate(rows.entity, target):
        negated = about.negated != (about.kind == "without")
        met = Negation(condition=condition) if negated else condition
        far = c.is_nearer(rows.edge[1:], rows_in(target))
        inside = replace(rows, within=_several(c, rows, about)) if not negated else rows
        lacking = negated or isinstance(target, CountedRows)
        # Doctors without patients, members with no payment in 2024: when they met or paid, not when they came.
        if c.over_bridge(rows.entity, met) or (lacking and c.dated(rows_in(target).entity) and _is_many(c, rows, met)):
            inside = replace(inside, happened=True)
        for made in narrowed_rows(inside, (met,), right_edge(target), far=far):
            yield MadePhrase(made.phrase, (*made.marks, *c.steps(rows.entity, met, rows_in(target))))
    if isinstance(target, RowsPhrase) and target.limit is not None and rows.where and not about.negated:
        yield from _best_among(c, rows, target)


def _is_many(c: Composer, rows: RowsPhrase, condition: Condition) -> bool:
    """Whether a condition is about several rows of each."""
    inner = condition.condition if isinstance(condition, Negation) else condition
    way = c.model.way(rows.entity, inner.via) if isinstance(inner, Related) else None
    return way is not None and not is_to_one(way)


@rule(About, SaidPeriod)
def _about_when(c: Composer, about: About, when: SaidPeriod) -> Iterator[MadePhrase]:
    """With operations in 2024."""
    rows = about.rows
    if isinstance(rows, RowsPhrase) and rows.where and c.dated(rows.entity) and about.kind in ("with", "without"):
        for made in _rows_when(c, rows, when):
            assert isinstance(made.phrase, RowsPhrase)
            yield MadePhrase(replace(about, rows=made.phrase), made.marks)


def _is_beyond(c: Composer, rows: RowsPhrase, entity: str) -> bool:
    """Whether rows are tied to an entity by what did not happen: not enrolled in any course says nothing of having courses."""
    said = [one.condition if isinstance(one, Negation) else one for one in rows.where]
    happened = {one.related.of for one in said if isinstance(one, Related)}
    ways = c.ways(rows.entity, entity) or c.bridges(rows.entity, entity)
    return any(step.start in happened for way in ways for step in way)


@rule(RowsPhrase, About)
def _in_itself(c: Composer, rows: RowsPhrase, about: About) -> Iterator[MadePhrase]:
    """The store in Basel, where stores are called by their cities."""
    target = about.rows
    own = isinstance(target, RowsPhrase) and target.named and rows.entity == target.entity
    if own and about.kind == "in" and rows.bare and not rows.plural and not about.negated:
        assert isinstance(target, RowsPhrase)
        yield MadePhrase(target, (OTHER_ENTITY,))


def _is_called(one: RowsPhrase, other: RowsPhrase) -> bool:
    """Whether a noun says what kind of thing a name is: the city New York; not where several are said: tracks of Iron Maiden."""
    noun, name = (other, one) if one.named else (one, other)
    return not noun.plural or name.several or len(name.may_be) < 2


def _several(c: Composer, rows: RowsPhrase, about: About) -> str:
    """The entity of the rows that these belong to, where there are several of them."""
    target = about.rows
    if isinstance(target, RowsPhrase) and target.plural and not target.single and about.kind in ("of", "in"):
        ways = c.ways(rows.entity, target.entity)
        if ways and all(step.to_one for step in ways[0]):
            return target.entity
    return rows.within


def _best_among(c: Composer, rows: RowsPhrase, target: RowsPhrase) -> Iterator[MadePhrase]:
    """Of the states that border Texas the one with the largest city: the largest among theirs."""
    for home in c.relate(target.entity, rows):
        for condition in c.relate(rows.entity, replace(target, where=merged(target.where, (home,)))):
            best = RowsPhrase(rows.entity, where=merged(rows.where, (condition,)), period=rows.period)
            yield MadePhrase(best, steps_of(condition))


@rule(RowsPhrase, TopFilter)
def _rows_top(c: Composer, rows: RowsPhrase, top: TopFilter) -> Iterator[MadePhrase]:
    if rows.entity == top.entity and rows.limit is None and rows.awaits is None and not rows.named:
        far = is_far(rows.edge, top.may_be or (top.entity,))
        edge = (rows.entity, *top.edge)
        yield MadePhrase(
            replace(rows, order=top.order, limit=top.limit, skip=top.skip, after_top=True, edge=edge),
            (FAR,) if far else (),
        )


@rule(RowsPhrase, TopFilter)
def _rows_other_top(c: Composer, rows: RowsPhrase, top: TopFilter) -> Iterator[MadePhrase]:
    """The state with the highest elevation, where points have elevations."""
    if rows.entity != top.entity and top.added and c.belongs(top.entity, rows.entity):
        yield from _with_largest_sum(c, rows, top)
    elif rows.entity != top.entity and rows.limit is None and not rows.named:
        if top.amassed and any(not is_to_one(way) for way in c.model.ways(rows.entity, top.entity)):
            return  # the driver with the most points: not in one race
        best = RowsPhrase(top.entity, order=top.order, limit=top.limit, skip=top.skip)
        if rows.where:
            yield from _best_among(c, rows, best)
        for condition in c.relate(rows.entity, best):
            yield MadePhrase(replace(rows, where=merged(rows.where, (condition,))), (OTHER_ENTITY,))
            yield from _with_largest_sum(c, rows, top)


def _with_largest_sum(c: Composer, rows: RowsPhrase, top: TopFilter) -> Iterator[MadePhrase]:
    """The branch with the highest amount: the largest one, or the largest when they are added up."""
    shown = top.order[0].by
    entity, _, field = (shown.field or "").rpartition(".")
    plain = not rows.where or (top.added and not (rows.order or rows.period or rows.named or rows.limit))
    if not field or not c.adds_up(Attribute(entity, field)) or not c.belongs(entity, rows.entity) or not plain:
        return
    total = Shown(aggregate=Aggregate.SUM, field=shown.field)
    figures = FigurePhrase((total,), entity)
    order = OrderBy(by=total, descending=top.order[0].descending)
    narrowed = c.narrowed(figures, rows.entity, rows.where) if rows.where else (MadePhrase(figures),)
    for one in narrowed:
        assert isinstance(one.phrase, FigurePhrase)
        for made in c.divided(one.phrase, AboutEach(Dimension(entity=rows.entity), rows.entity)):
            assert isinstance(made.phrase, FigurePhrase)
            yield MadePhrase(replace(made.phrase, order=(order,), limit=top.limit, skip=top.skip), (OTHER_ENTITY,))


@rule(RowsPhrase, SaidPeriod, either_way=True)
def _rows_when(c: Composer, rows: RowsPhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    if rows.period is not None or rows.named or rows.happened or when.between or when.moment or when.compared:
        return
    if c.dated(rows.entity) or rows.awaits is not None:  # the best customers in 2024: by what happened then
        yield MadePhrase(replace(rows, period=when.period))
        return
    for condition in c.within(rows.entity, when.period):
        yield MadePhrase(replace(rows, where=merged(rows.where, (condition,))), (UNNAMED_DATE,))


@rule(RowsPhrase, RowsPhrase)
def _are_members(c: Composer, rows: RowsPhrase, role: RowsPhrase) -> Iterator[MadePhrase]:
    """Students who are members of the Chess Club: each row of a membership is one of a student."""
    people = is_person(c.model.things[rows.entity]) and is_person(c.model.things[role.entity])
    if not people or rows.named or role.named or not role.where or role.order or role.entity == rows.entity:
        return
    if c.belongs(role.entity, rows.entity) and len(c.model.things[role.entity].key) > 1:
        denied = isinstance(role.where[-1], Negation)
        if any(isinstance(one, Negation) for one in role.where[:-1]) or (denied and len(role.where) > 1):
            return
        last = role.where[-1]
        some = replace(role, where=(last.condition,)) if isinstance(last, Negation) else role
        for condition in c.relate(rows.entity, some):  # members of no club
            met = Negation(condition=condition) if denied else condition
            yield from narrowed_rows(rows, (met,), right_edge(role), far=False)


@rule(RowsPhrase, SaidPeriod)
def _when_tied(c: Composer, rows: RowsPhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Students in Jazz in 2024: those who took it then."""
    if rows.period is not None or rows.named or when.between or when.moment or when.compared or not rows.where:
        return
    last, denied = rows.where[-1], isinstance(rows.where[-1], Negation)
    tied = last.condition if isinstance(last, Negation) else last
    if not isinstance(tied, Related) or tied.count is not None:
        return
    if denied and any(isinstance(one, Related) and one.via == tied.via for one in rows.where[:-1]):
        return  # booked Yoga but not Boxing in 2024: both of it, or only what they did not
    if (between := _between(c, rows.entity, tied)) is None or (
        during := c.in_time(between.of or "", when.period)
    ) is None:
        return
    timed = between.model_copy(update={"where": all_of((between.where, during))})
    met: Condition = Related(related=timed, via=(tied.via or ())[:1] or None)
    told = replace(rows, where=(*rows.where[:-1], Negation(condition=met) if denied else met))
    yield MadePhrase(told)


def _between(c: Composer, start: str, tied: Related) -> SemanticQuery | None:
    """What ties rows to others beyond: the rows between; nothing where they are no such rows."""
    way = c.model.way(start, tied.via)
    inner = tied.related
    if (
        way is not None
        and len(way) == 1
        and not way[0].to_one
        and isinstance(inner.where, Related)
        and not inner.period
    ):
        beyond = c.model.way(way[0].end, inner.where.via)
        return inner if beyond is not None and len(beyond) == 1 and beyond[0].to_one else None
    if way is None or not c.is_bridge(way):
        return None
    return SemanticQuery(of=way[0].end, where=Related(related=tied.related, via=(way[1].name,)))


@rule(SegmentWord, RowsPhrase)
def _segment_rows(c: Composer, segment: SegmentWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    if segment.entity == rows.entity and not rows.named:
        yield MadePhrase(replace(rows, where=merged(rows.where, (InSegment(segment=segment.name),))))


@rule(RowsPhrase, AboutEach, either_way=True)
def _rows_each(c: Composer, rows: RowsPhrase, each: AboutEach) -> Iterator[MadePhrase]:
    """The newest invoice of each customer in Bern: of each of those, and of nobody else. The heaviest pet of each species."""
    if rows.limit is None or rows.per or each.kind == "by" or each.more:
        return
    own = each.entity == rows.entity and each.dimension.field is not None
    ways = c.ways(rows.entity, each.entity)
    if not own and not ways:
        return
    dimension = each.dimension
    if each.role is not None:
        if each.role[0] != rows.entity:
            return
        dimension = dimension.model_copy(update={"via": (each.role[1],)})
    if not each.where:
        yield MadePhrase(replace(rows, per=(dimension,)))
    elif not own:
        those = SemanticQuery(of=each.entity, where=all_of(each.where))
        for via in [dimension.via] if dimension.via else [names_of(way) for way in ways]:
            narrowed = merged(rows.where, (Related(related=those, via=via),))
            yield MadePhrase(replace(rows, where=narrowed, per=(dimension,)))


@rule(RowsPhrase, StrandedRows)
def _rows_gap(c: Composer, rows: RowsPhrase, gap: StrandedRows) -> Iterator[MadePhrase]:
    if rows.bare:
        for condition in c.relate(rows.entity, gap.rows):
            yield MadePhrase(replace(rows, where=(condition,), edge=(rows.entity, *right_edge(gap.rows))))


@rule(About, RowsPhrase)
def _about_rows(c: Composer, about: About, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """In which state is Boston."""
    if about.first and about.kind == "in" and isinstance(about.rows, RowsPhrase) and about.rows.bare and rows.single:
        for condition in c.relate(about.rows.entity, rows):
            yield MadePhrase(replace(about.rows, where=(condition,), edge=(about.rows.entity, *right_edge(rows))))


@rule(About, TopFilter)
@rule(About, RowFilter)
@rule(About, Superlative)
def _about_top(c: Composer, about: About, right: TopFilter | RowFilter | Superlative) -> Iterator[MadePhrase]:
    """Of the states ..., which has the largest population."""
    if about.first and about.kind == "of" and isinstance(about.rows, RowsPhrase):
        yield from c.join(about.rows, right)


@rule(About, About)
def _abouts(c: Composer, left: About, right: About) -> Iterator[MadePhrase]:
    if left.first and left.kind == "of" and isinstance(left.rows, RowsPhrase):
        yield from c.join(left.rows, right)


def _field_of(rows: RowsPhrase) -> str | None:
    only = rows.where[0] if len(rows.where) == 1 else None
    return only.field if isinstance(only, Comparison) else None
