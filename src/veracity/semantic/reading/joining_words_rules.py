"""Rules for the words that join others: of, in, with, not, per, show, how many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    Negation,
    OrderBy,
    QueryPeriod,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
)
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import (
    AGGREGATES,
    FAR,
    Composer,
    Rules,
    changed,
    negated,
    rule_book,
    steps_of,
)
from veracity.semantic.reading.phrases import (
    About,
    AboutEach,
    Attribute,
    Clause,
    CountedRows,
    FigurePhrase,
    HowAdjective,
    InField,
    JoinedPhrase,
    JoiningWord,
    Lookup,
    MostRows,
    OpenBound,
    RatioOf,
    Role,
    RowFilter,
    RowsPhrase,
    SaidNumber,
    SaidPeriod,
    ShareOf,
    Sorting,
    Stored,
    StrandedRows,
    Superlative,
    TopFigure,
    TopFilter,
    UnitWish,
    Verb,
    WithField,
)

RULES: Rules = {}
rule = rule_book(RULES)


@rule(JoiningWord, RowsPhrase)
def _word_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    match word.kind:
        case "show" if word.first:
            yield MadePhrase(rows)
        case "comma":
            yield MadePhrase(JoinedPhrase("and", rows))
        case "of" | "in" | "with" | "without" | "prep":
            yield MadePhrase(About(word.text, word.kind, rows, first=word.first))
        case "genitive":
            yield MadePhrase(About(word.text, "of", rows))
        case "and" | "or":
            yield MadePhrase(JoinedPhrase(word.kind, rows))
        case "to":
            yield MadePhrase(JoinedPhrase(word.kind, rows))
            if rows.named or word.first:  # sales to Aaretal AG; to which accounts
                yield MadePhrase(About(word.text, "in", rows, first=word.first))
        case "none":
            yield MadePhrase(CountedRows(rows, "=", 0))
        case "each" | "per" | "by" if not (rows.order or rows.named or rows.period or rows.awaits or rows.other):
            yield MadePhrase(AboutEach(Dimension(entity=rows.entity), rows.entity, word.kind, rows.where))
        case "distinct" if not rows.named:
            yield MadePhrase(rows)
        case "other" if rows.bare:
            yield MadePhrase(replace(rows, other=True))
        case "not" if rows.where and rows.limit is None and rows.period is None:
            yield MadePhrase(RowFilter(rows.entity, (negated(rows.where),), free=rows.named))


@rule(JoiningWord, RowsPhrase)
def _asked_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How many, where, the ratio of."""
    if word.kind == "share" and rows.bare and (counted := c.count(rows)):
        yield MadePhrase(ShareOf(counted))
    elif word.kind in ("how_many", "ratio"):
        if figure := c.count(rows):
            yield MadePhrase(figure if word.kind == "how_many" else RatioOf(figure))
    elif word.kind == "where" and (rows.single or not rows.bare):
        for step in c.placed(rows.entity):
            names = c.model.things[step.end].display
            yield MadePhrase(Lookup(rows, tuple(Attribute(step.end, name) for name in names)))


@rule(JoiningWord, CountedRows)
@rule(JoiningWord, MostRows)
def _word_counted(c: Composer, word: JoiningWord, rows: CountedRows | MostRows) -> Iterator[MadePhrase]:
    if word.kind in ("with", "prep", "in", "of"):
        yield MadePhrase(About(word.text, word.kind, rows, first=word.first))


@rule(JoiningWord, RowFilter)
def _word_filter(c: Composer, word: JoiningWord, filtered: RowFilter) -> Iterator[MadePhrase]:
    match word.kind:
        case "with" | "in" | "of" | "and":
            yield MadePhrase(replace(filtered, before=False))
            if word.kind == "and":
                yield MadePhrase(JoinedPhrase("and", filtered))
        case "or":
            yield MadePhrase(JoinedPhrase("or", filtered))
        case "comma":
            yield MadePhrase(JoinedPhrase("and", filtered))
        case "not":
            yield MadePhrase(RowFilter(filtered.entity, (negated(filtered.where),), filtered.edge))
        case "aux":
            yield MadePhrase(filtered)


@rule(JoiningWord, Clause)
@rule(JoiningWord, StrandedRows)
def _aux(c: Composer, word: JoiningWord, phrase: Clause | StrandedRows) -> Iterator[MadePhrase]:
    """Does the Mississippi run."""
    if word.kind == "aux":
        yield MadePhrase(phrase)


@rule(JoiningWord, TopFilter)
def _word_top(c: Composer, word: JoiningWord, top: TopFilter) -> Iterator[MadePhrase]:
    if word.kind == "with":
        yield MadePhrase(top)


@rule(JoiningWord, About)
def _word_about(c: Composer, word: JoiningWord, about: About) -> Iterator[MadePhrase]:
    if word.kind == "not" and not about.negated:
        yield MadePhrase(replace(about, negated=True))
    elif word.kind == "in":
        yield MadePhrase(about)


@rule(JoiningWord, AboutEach)
def _word_each(c: Composer, word: JoiningWord, each: AboutEach) -> Iterator[MadePhrase]:
    if word.kind in ("each", "per", "aux") or (word.kind in ("in", "of") and each.kind == "each"):
        yield MadePhrase(each)


@rule(JoiningWord, SaidPeriod)
def _word_when(c: Composer, word: JoiningWord, when: SaidPeriod) -> Iterator[MadePhrase]:
    if word.kind in ("in", "of", "calendar"):
        yield MadePhrase(when)
    if word.kind == "compare" and when.ends is not None:
        yield MadePhrase(replace(when, compared=True))
    if word.kind in ("to", "and", "with", "compared"):
        yield MadePhrase(JoinedPhrase(word.kind, when))
    elif word.kind == "between" and when.ends is not None:
        yield MadePhrase(replace(when, between=False))


@rule(SaidPeriod, JoinedPhrase)
def _when_joined(c: Composer, when: SaidPeriod, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """From 2022 to 2024; 2023 and 2024. Of 2022 and 2024 only the two ends are meant."""
    last = joined.phrase
    if not isinstance(last, SaidPeriod) or when.ends or last.ends:
        return
    first, end, until = when.period.first, last.period.last, when.period.last
    if first is None or end is None or until is None or last.period.first is None or first > end:
        return
    apart = joined.kind != "to" and last.period.first != until + timedelta(days=1)
    whole = QueryPeriod.model_validate({"from": first, "to": end})
    compared = joined.kind == "compared"
    if joined.kind != "with":
        yield MadePhrase(SaidPeriod(whole, ends=(when.period, last.period), between=apart, compared=compared))


@rule(SaidPeriod, JoinedPhrase)
def _later_first(c: Composer, when: SaidPeriod, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """2024 compared with 2023."""
    other = joined.phrase
    if joined.kind != "compared" or not isinstance(other, SaidPeriod) or when.ends or other.ends:
        return
    if when.period.first and other.period.first and when.period.first > other.period.first:
        yield MadePhrase(SaidPeriod(when.period, ends=(other.period, when.period), between=True, compared=True))


@rule(FigurePhrase, JoinedPhrase)
def _figures_versus(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Revenue in 2024 compared with 2025; compare revenue in 2024 with 2025."""
    other = joined.phrase
    if not isinstance(other, SaidPeriod) or figures.period is None or other.ends or figures.ends or figures.compare:
        return
    if joined.kind not in ("with", "compared", "to") or (said := c.at_moment(figures, other)) is None:
        return
    if figures.period.first is None or said.period.first is None:
        return
    ends = sorted((figures.period, said.period), key=lambda one: one.first or date.min)
    versus = replace(figures, ends=(ends[0], ends[1]), changes=True)
    if joined.kind == "compared":
        yield from changed(replace(versus, changes=False))
    else:
        yield MadePhrase(versus)


@rule(FigurePhrase, FigurePhrase)
def _figures_again(c: Composer, one: FigurePhrase, two: FigurePhrase) -> Iterator[MadePhrase]:
    """The VAT that we owe, what wages cost: the same measure said twice, once with what it is of."""
    if one.shown != two.shown or one.home != two.home or one.direction or two.direction:
        return
    if any(figures.by or figures.order or figures.compare or figures.changes for figures in (one, two)):
        return
    if one.period is not None and two.period is not None:
        return
    where = c.together(one.where, two.where)
    if where is not None:
        yield MadePhrase(replace(one, where=where, period=one.period or two.period, ends=one.ends or two.ends))


@rule(FigurePhrase, JoinedPhrase)
def _figures_of_again(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The money in the bank."""
    if joined.kind == "again" and isinstance(joined.phrase, FigurePhrase):
        yield from _figures_again(c, figures, joined.phrase)


@rule(JoiningWord, JoinedPhrase)
def _word_again(c: Composer, word: JoiningWord, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The development of account 1020; to bring it in; how much in the bank."""
    if joined.kind == "again" and isinstance(joined.phrase, FigurePhrase) and word.kind in ("change", "how_much"):
        yield from c.join(word, joined.phrase)


@rule(JoinedPhrase, InField)
@rule(JoinedPhrase, About)
def _spread_over(c: Composer, spread: JoinedPhrase, over: InField | About) -> Iterator[MadePhrase]:
    """How are the costs spread over the cost centres."""
    figures = spread.phrase
    if spread.kind != "spread" or not isinstance(figures, FigurePhrase):
        return
    if isinstance(over, InField):
        field = over.field
        yield from c.divided(figures, AboutEach(Dimension(field=field.path), field.entity))
    elif isinstance(over.rows, RowsPhrase) and over.rows.bare:
        yield from c.divided(figures, AboutEach(Dimension(entity=over.rows.entity), over.rows.entity))


@rule(SaidPeriod, JoinedPhrase)
def _when_again(c: Composer, when: SaidPeriod, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """What did we have at the end of 2023 in the bank."""
    if joined.kind == "again" and isinstance(joined.phrase, FigurePhrase):
        yield from c.join(when, joined.phrase)


@rule(JoiningWord, SaidNumber)
def _word_number(c: Composer, word: JoiningWord, number: SaidNumber) -> Iterator[MadePhrase]:
    if word.kind == "of":
        yield MadePhrase(number)
    elif word.kind == "to":
        yield MadePhrase(JoinedPhrase("to", number))


@rule(JoiningWord, OpenBound)
def _word_bound(c: Composer, word: JoiningWord, bound: OpenBound) -> Iterator[MadePhrase]:
    if word.kind in ("of", "with"):
        yield MadePhrase(bound)


@rule(JoiningWord, Attribute)
def _word_attribute(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    plain = attribute.plain
    match word.kind:
        case "show" if word.first:
            yield MadePhrase(attribute)
        case "with" if attribute.direction is not None and attribute.aggregate is None:
            order = OrderBy(by=Shown(field=attribute.path), descending=attribute.direction > 0)
            yield MadePhrase(TopFilter(attribute.entity, (order,), may_be=attribute.may_be))
        case "with" if plain and c.numeric(attribute.entity, attribute.field):
            yield MadePhrase(WithField(attribute))
        case "with" if plain:
            known = Comparison(field=attribute.path, op="notMissing")
            yield MadePhrase(RowFilter(attribute.entity, (known,)), (FAR,))
        case "without" if plain:
            yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, op="missing"),)))
        case "each" | "per" if plain:
            yield MadePhrase(AboutEach(Dimension(field=attribute.path), attribute.entity, word.kind))
        case "by" if attribute.aggregate is not None:
            yield MadePhrase(Sorting(attribute))
        case "by" if plain:
            yield MadePhrase(AboutEach(Dimension(field=attribute.path), attribute.entity, word.kind))
            yield MadePhrase(Sorting(attribute))
        case "ordered":
            yield MadePhrase(Sorting(attribute))
        case "in" if plain and c.numeric(attribute.entity, attribute.field):
            yield MadePhrase(Sorting(attribute))
        case "in" if plain:
            yield MadePhrase(InField(attribute))
        case "distinct" if plain:
            yield MadePhrase(attribute)


@rule(JoiningWord, Attribute)
def _asked_attribute(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """How many inhabitants, the average price, and a name."""
    if attribute.direction is not None:
        return
    if word.kind in ("and", "comma") and not attribute.asked:
        yield MadePhrase(JoinedPhrase("and", attribute))
    elif word.kind in AGGREGATES and attribute.aggregate is None:
        if word.kind in ("min", "max") or c.numeric(attribute.entity, attribute.field):
            yield MadePhrase(replace(attribute, aggregate=AGGREGATES[word.kind], asked=False))
    elif word.kind in ("how_many", "how_much") and attribute.aggregate is None:
        if c.numeric(attribute.entity, attribute.field):
            yield MadePhrase(replace(attribute, asked=True))
        elif word.kind == "how_many":
            yield MadePhrase(replace(attribute, aggregate=Aggregate.COUNT_DISTINCT))


@rule(JoiningWord, FigurePhrase)
def _word_figures(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    shown = figures.shown[0]
    match word.kind:
        case "show" if word.first:
            yield MadePhrase(figures)
        case "how_many" | "how_much" if shown.measure:
            yield MadePhrase(figures)
        case "aux" | "how_did":
            yield MadePhrase(figures)
        case "share" if not figures.where and len(figures.shown) == 1:
            yield MadePhrase(ShareOf(figures))
        case "change" if figures.period is not None:
            yield from changed(figures)
        case "ratio":
            yield MadePhrase(RatioOf(figures))
        case "to" | "and" | "comma":
            yield MadePhrase(JoinedPhrase("to" if word.kind == "to" else "and", figures))
        case "sum" if shown.aggregate is Aggregate.COUNT or _sums(c, shown):
            yield MadePhrase(figures)
        case "avg" if shown.measure and c.model.measures[shown.measure][1].aggregate == "AVG":
            yield MadePhrase(figures)
        case "with" if figures.direction is not None:
            yield MadePhrase(TopFigure(figures))
        case "spread":
            yield MadePhrase(JoinedPhrase("spread", figures))
        case "compare" if figures.changes and figures.ends:
            yield from changed(replace(figures, changes=False))
        case "compare" if figures.ends and figures.compare is None:
            yield from changed(figures)
        case "compare" if figures.compare is not None:
            yield MadePhrase(figures)
        case "change" if c.over_time(figures):
            yield MadePhrase(figures)
        case "change" if figures.period is None:
            yield MadePhrase(replace(figures, changes=True))
        case "of" | "in" | "with" | "genitive" | "prep" | "per" if shown.measure:
            yield MadePhrase(JoinedPhrase("again", figures))
            if word.first and word.kind == "with":  # with what balance did it start
                yield MadePhrase(figures)
        case "by" | "ordered" if figures.direction is None and not figures.by:
            yield MadePhrase(Sorting(figures))


@rule(JoiningWord, Lookup)
def _word_lookup(c: Composer, word: JoiningWord, lookup: Lookup) -> Iterator[MadePhrase]:
    if word.kind == "show" and word.first:
        yield MadePhrase(lookup)
    elif word.kind in AGGREGATES and len(lookup.fields) == 1 and not lookup.asked:
        attribute = replace(lookup.fields[0], aggregate=AGGREGATES[word.kind], unit=lookup.unit)
        if attribute.entity == lookup.rows.entity and (figure := c.aggregated(attribute, lookup.rows)):
            yield MadePhrase(figure)
    elif word.kind == "how_many" and len(lookup.fields) == 1:
        yield MadePhrase(replace(lookup, asked=True))


@rule(FigurePhrase, JoiningWord)
def _figures_word(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "change" and (c.over_time(figures) or figures.compare is not None):
        yield MadePhrase(figures)
    elif word.kind == "change":
        yield MadePhrase(replace(figures, changes=True))
        yield from changed(figures)
    elif word.kind == "compare" and figures.changes and figures.ends:
        yield from changed(replace(figures, changes=False))
    elif _says_no_more(c, figures, word):
        yield MadePhrase(figures)


def _says_no_more(c: Composer, figures: FigurePhrase, word: JoiningWord) -> bool:
    """Whether a word behind a figure only asks for it: revenue is how much, altogether."""
    match word.kind:
        case "how_much" | "how_many" | "aux" | "how_did":
            return _is_figure(figures)
        case "sum":
            return _sums(c, figures.shown[0])
        case "spread":
            return bool(figures.by)
        case "comma":
            return word.last
    return word.kind == "tail" and word.last


@rule(SaidPeriod, JoiningWord)
def _when_word(c: Composer, when: SaidPeriod, word: JoiningWord) -> Iterator[MadePhrase]:
    """2022 and 2023 compared."""
    if word.kind in ("compare", "change") and when.ends is not None:
        yield MadePhrase(replace(when, compared=True))


@rule(ShareOf, JoiningWord)
def _share_word(c: Composer, share: ShareOf, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind in ("comes_from", "in", "with"):
        yield MadePhrase(share)


@rule(ShareOf, RowFilter)
def _share_filter(c: Composer, share: ShareOf, filtered: RowFilter) -> Iterator[MadePhrase]:
    for narrowed, marks in c.narrowed(share.figures, filtered.entity, filtered.where):
        assert isinstance(narrowed, FigurePhrase)
        yield MadePhrase(_as_share(share.figures, narrowed.where), marks)


@rule(ShareOf, About)
@rule(ShareOf, RowsPhrase)
def _share_about(c: Composer, share: ShareOf, about: About | RowsPhrase) -> Iterator[MadePhrase]:
    rows = about.rows if isinstance(about, About) else about
    if isinstance(rows, MostRows):
        return
    without = isinstance(about, About) and about.negated != (about.kind == "without")
    for condition in c.relate(share.figures.home, rows):
        met = Negation(condition=condition) if without else condition
        yield MadePhrase(_as_share(share.figures, (met,)), steps_of(met))


@rule(ShareOf, AboutEach)
def _share_each(c: Composer, share: ShareOf, each: AboutEach) -> Iterator[MadePhrase]:
    shown = share.figures.shown[0].model_copy(update={"transform": Transform.SHARE})
    yield from c.divided(replace(share.figures, shown=(shown,)), each)


@rule(JoiningWord, Stored)
def _word_stored(c: Composer, word: JoiningWord, stored: Stored) -> Iterator[MadePhrase]:
    if word.kind == "named":
        homes = [home for home in stored.homes if home[1] in c.model.things[home[0]].display]
        may_be = tuple(dict.fromkeys(entity for entity, _, _ in homes))
        for entity, field, value in homes:
            yield MadePhrase(RowFilter(entity, (Comparison(field=f"{entity}.{field}", value=value),), may_be=may_be))
    elif word.kind in ("and", "or", "comma"):
        yield MadePhrase(JoinedPhrase("and" if word.kind == "comma" else word.kind, stored))
    elif word.kind == "of":
        yield MadePhrase(stored)


@rule(JoiningWord, HowAdjective)
def _how(c: Composer, word: JoiningWord, adjective: HowAdjective) -> Iterator[MadePhrase]:
    if word.kind == "how":
        yield MadePhrase(replace(adjective, asked=True))


@rule(JoiningWord, Superlative)
def _ordinal(c: Composer, word: JoiningWord, superlative: Superlative) -> Iterator[MadePhrase]:
    if word.kind == "ordinal" and not superlative.skip:
        yield MadePhrase(replace(superlative, skip=int(word.text) - 1))


@rule(JoiningWord, JoiningWord)
def _two_words(c: Composer, one: JoiningWord, two: JoiningWord) -> Iterator[MadePhrase]:
    if one.kind in ("sum", "how_many") and two.kind == "how_many":
        yield MadePhrase(two)
    elif one.kind in ("of", "in", "with") and one.first and two.kind == "how_many":
        yield MadePhrase(two)  # from how many suppliers
    elif one.kind == "with" and two.kind == "none":
        yield MadePhrase(JoiningWord("without", one.text))
    elif one.kind == "ordered" and two.kind in ("ascending", "descending"):
        yield MadePhrase(Sorting(None, two.kind == "descending"))
    elif one.kind == "how_many" and two.kind == "distinct":
        yield MadePhrase(one)


@rule(JoiningWord, MostRows)
@rule(JoiningWord, Verb)
@rule(JoiningWord, TopFigure)
def _word_verb(c: Composer, word: JoiningWord, phrase: Verb) -> Iterator[MadePhrase]:
    if word.kind == "in" and isinstance(phrase, Verb):
        yield MadePhrase(phrase)


@rule(RowsPhrase, JoiningWord)
def _rows_word(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    if (word.kind in ("in", "with") and rows.single) or (word.kind == "comes_from" and rows.bare):
        yield MadePhrase(StrandedRows(rows, word.text))
    elif word.kind == "comma":
        yield MadePhrase(rows)
    elif word.kind == "counted" and not rows.named and not rows.order and (figure := c.count(rows)):
        yield MadePhrase(figure)  # Kundenanzahl, customer count
    elif word.kind == "listed" and not rows.named:
        yield MadePhrase(rows)  # customer list
    elif word.kind == "tail" and word.last:
        yield MadePhrase(rows)  # liste ... auf


@rule(RowFilter, JoiningWord)
def _filter_word(c: Composer, filtered: RowFilter, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "of":  # Austin is the capital of ...
        yield MadePhrase(replace(filtered, before=True))
    elif word.kind == "with" and filtered.before:  # ... does the country have
        yield MadePhrase(replace(filtered, before=False))


@rule(SaidNumber, JoiningWord)
def _number_word(c: Composer, number: SaidNumber, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "or_more":
        yield MadePhrase(OpenBound(">=", number))
    elif word.kind == "or_less":
        yield MadePhrase(OpenBound("<=", number))


@rule(Lookup, JoiningWord)
def _lookup_word(c: Composer, lookup: Lookup, word: JoiningWord) -> Iterator[MadePhrase]:
    """The area of all states combined."""
    if word.kind in ("sum", "avg"):
        yield from _word_lookup(c, word, lookup)


@rule(JoiningWord, StrandedRows)
def _word_gap(c: Composer, word: JoiningWord, gap: StrandedRows) -> Iterator[MadePhrase]:
    """Where is Boston located."""
    if word.kind == "where":
        yield from _asked_rows(c, word, gap.rows)


@rule(Attribute, StrandedRows)
def _attribute_gap(c: Composer, attribute: Attribute, gap: StrandedRows) -> Iterator[MadePhrase]:
    """How many inhabitants does Texas have; how many countries do customers come from."""
    if attribute.asked or attribute.aggregate is Aggregate.COUNT_DISTINCT:
        yield from c.look_up(attribute, gap.rows)


@rule(JoiningWord, Role)
def _word_role(c: Composer, word: JoiningWord, role: Role) -> Iterator[MadePhrase]:
    """Without neighbours."""
    if word.kind in ("with", "without"):
        some = Related(related=SemanticQuery(of=role.end), via=(role.step,))
        condition = some if word.kind == "with" else Negation(condition=some)
        yield MadePhrase(RowFilter(role.start, (condition,)))


@rule(JoiningWord, UnitWish)
def _word_unit(c: Composer, word: JoiningWord, wish: UnitWish) -> Iterator[MadePhrase]:
    if word.kind == "in":
        yield MadePhrase(replace(wish, said=True))


@rule(Sorting, JoiningWord)
def _sorting_word(c: Composer, sorting: Sorting, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind in ("ascending", "descending") and sorting.descending is None:
        yield MadePhrase(replace(sorting, descending=word.kind == "descending"))


def _is_figure(figures: FigurePhrase) -> bool:
    """Whether how much may stand behind it: of a measure, a number of rows, or a comparison."""
    shown = figures.shown[0]
    return bool(shown.measure or figures.compare or figures.changes) or shown.aggregate is Aggregate.COUNT


def _sums(c: Composer, shown: Shown) -> bool:
    if shown.measure:
        return c.model.measures[shown.measure][1].aggregate in ("SUM", "COUNT")
    return shown.aggregate is Aggregate.SUM


def _as_share(figures: FigurePhrase, where: tuple[Condition, ...]) -> FigurePhrase:
    shown = figures.shown[0].model_copy(update={"where": all_of(where), "transform": Transform.SHARE})
    return replace(figures, shown=(shown,))
