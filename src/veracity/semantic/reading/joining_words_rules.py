"""Rules for the words that join others: of, in, with, not, per, show, how many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

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
        case "passive" if rows.named:  # albums by U2
            yield MadePhrase(About(word.text, "of", rows))
        case "and" | "or" | "to":
            yield MadePhrase(JoinedPhrase(word.kind, rows))
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
    elif word.kind in ("to", "and"):
        yield MadePhrase(JoinedPhrase(word.kind, when))


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
    yield MadePhrase(SaidPeriod(whole, ends=(when.period, last.period), between=apart))


@rule(JoiningWord, SaidNumber)
def _word_number(c: Composer, word: JoiningWord, number: SaidNumber) -> Iterator[MadePhrase]:
    if word.kind == "of":
        yield MadePhrase(number)


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
    if word.kind == "change":
        yield MadePhrase(replace(figures, changes=True))
        yield from changed(figures)


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
    elif one.kind == "without" and two.kind == "with":  # have never had
        yield MadePhrase(one)
    elif one.kind == "with" and two.kind == "none":
        yield MadePhrase(JoiningWord("without", one.text))
    elif one.kind == "ordered" and two.kind in ("ascending", "descending"):
        yield MadePhrase(Sorting(None, two.kind == "descending"))
    elif one.kind == "how_many" and two.kind == "distinct":
        yield MadePhrase(one)
    elif one.kind == "genitive" and two.kind == "avg":
        yield MadePhrase(two)  # der Durchschnitt


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
    elif word.kind == "counted" and rows.bare and (figure := c.count(rows)):
        yield MadePhrase(figure)  # Kundenanzahl, customer count


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


def _sums(c: Composer, shown: Shown) -> bool:
    if shown.measure:
        return c.model.measures[shown.measure][1].aggregate in ("SUM", "COUNT")
    return shown.aggregate is Aggregate.SUM


def _as_share(figures: FigurePhrase, where: tuple[Condition, ...]) -> FigurePhrase:
    shown = figures.shown[0].model_copy(update={"where": all_of(where), "transform": Transform.SHARE})
    return replace(figures, shown=(shown,))
