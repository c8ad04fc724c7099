"""Rules for the words that join others: of, in, with, not, per, show, how many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import (
    Aggregate,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
)
from veracity.semantic.reading.chart import FAR, MadePhrase
from veracity.semantic.reading.comparison_phrases import HowAdjective, OpenBound, Superlative, TopFilter
from veracity.semantic.reading.compose import AGGREGATES, Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import RatioOf, Sorting, TopFigure
from veracity.semantic.reading.joined_phrases import (
    About,
    AboutEach,
    Clause,
    CountedRows,
    JoinedPhrase,
    MostRows,
    StrandedRows,
    Verb,
)
from veracity.semantic.reading.phrases import (
    Attribute,
    InField,
    JoiningWord,
    Lookup,
    Role,
    RowFilter,
    RowsPhrase,
    Stored,
    WithField,
)
from veracity.semantic.reading.ratio_rules import divides
from veracity.semantic.reading.related_rows import aims_at, negated, not_even_stored
from veracity.semantic.reading.row_pairs import compares_dates
from veracity.semantic.reading.said_phrases import SaidNumber, UnitWish
from veracity.semantic.reading.word_lists import in_all_languages, key_of

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
                yield MadePhrase(About(word.text, "in", replace(rows, aim=True), first=word.first))
        case "none":
            yield MadePhrase(CountedRows(rows, "=", 0))
        case "each" | "per" | "by" if not (rows.order or rows.named or rows.period or rows.awaits or rows.other):
            yield MadePhrase(AboutEach(Dimension(entity=rows.entity), rows.entity, word.kind, rows.where))
        case "distinct" if not rows.named:
            yield MadePhrase(replace(rows, different=True))
        case "other" if rows.bare:
            yield MadePhrase(replace(rows, other=True))
        case "not" if rows.where and rows.limit is None and rows.period is None:
            yield MadePhrase(RowFilter(rows.entity, (negated(rows.where),), free=rows.named))


@rule(JoiningWord, RowsPhrase)
def _asked_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How many, where, the ratio of."""
    if word.kind in ("how_many", "ratio"):
        if figure := c.count(rows):
            yield MadePhrase(figure if word.kind == "how_many" else RatioOf(figure))
    elif word.kind == "where" and not word.first and not rows.bare:  # the clinic where the vet Ann Lee works
        yield MadePhrase(About(word.text, "with", rows))
    if word.kind == "where" and (rows.single or not rows.bare):
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
        case "to" if filtered.is_value and any(
            aims_at(step) for steps in c.model.steps.values() for step in steps if step.end == filtered.entity
        ):
            yield MadePhrase(replace(filtered, before=False))  # flights to Zurich
        case "not" if not compares_dates(c.model, filtered.where):
            # What has no such date, did not happen then.
            denied = not_even_stored(filtered.where) if c.is_time(filtered.where) else negated(filtered.where)
            yield MadePhrase(RowFilter(filtered.entity, (denied,), filtered.edge, said_of=filtered.said_of))
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
def _with_attribute(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """With the largest area, with their amount, with or without an address; what says yes or no has rules of its own."""
    plain = attribute.plain
    if plain and (attribute.entity, attribute.field) in c.truths:
        return
    match word.kind:
        case "with" if attribute.direction is not None and attribute.aggregate is None:
            order = OrderBy(by=Shown(field=attribute.path), descending=attribute.direction > 0)
            added = attribute.totals and c.adds_up(attribute)
            told = TopFilter(
                attribute.entity, (order,), may_be=attribute.may_be, added=added, amassed=attribute.amassed
            )
            yield MadePhrase(told)
        case "with" if plain and c.numeric(attribute.entity, attribute.field):
            if c.is_extra(attribute):  # orders that had a discount
                yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, op=">", value=0),)))
            if not word.owns:  # who has a number of something may have none of it: that is not said so
                yield MadePhrase(WithField(attribute))
        case "with" if plain and not attribute.ranks:
            known = Comparison(field=attribute.path, op="notMissing")
            yield MadePhrase(RowFilter(attribute.entity, (known,)), (FAR,))
        case "with" if attribute.asked and not word.owns and attribute.aggregate is None:
            yield MadePhrase(WithField(replace(attribute, asked=False)))  # with their number of beds
        case "without" | "not" if plain and (word.kind == "without" or c.is_date(attribute)):
            lacking: Condition = Comparison(field=attribute.path, op="missing")
            if c.is_extra(attribute) or c.adds_up(attribute) or c.is_stock(attribute):  # no discount, no stock
                lacking = AnyOf(conditions=(lacking, Comparison(field=attribute.path, value=0)))
            elif c.is_waiting(attribute):  # no delay: 0 minutes, or none stored, as of what was called off
                yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, value=0),)))
            yield MadePhrase(RowFilter(attribute.entity, (lacking,), lacks="ever" if word.never else "it"))


@rule(JoiningWord, Attribute)
def _word_attribute(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    plain = attribute.plain
    match word.kind:
        case "show" if word.first:
            yield MadePhrase(attribute)
        case "each" | "per" if plain and not divides(c, word, attribute):
            yield MadePhrase(AboutEach(Dimension(field=attribute.path), attribute.entity, word.kind))
        case "by" if attribute.aggregate is not None:
            yield MadePhrase(Sorting(attribute))
        case "by" if plain:
            yield MadePhrase(AboutEach(Dimension(field=attribute.path), attribute.entity, word.kind))
            yield MadePhrase(Sorting(attribute))
        case "ordered":
            yield MadePhrase(Sorting(attribute, ordered=True))
        case "in" if (plain or attribute.aggregate) and c.numeric(attribute.entity, attribute.field):
            yield MadePhrase(Sorting(attribute))  # the top 3 cities in total amount
        case "in" if plain:
            yield MadePhrase(InField(attribute))
        case "distinct" if plain:
            yield MadePhrase(attribute)


@rule(JoiningWord, Attribute)
def _asked_attribute(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """How many inhabitants, the average price, how high the average or the highest price is, and a name."""
    if word.kind == "how_much" and (attribute.aggregate is not None or attribute.direction is not None):
        yield MadePhrase(attribute)
    if attribute.direction is not None:
        return
    if word.kind in ("and", "comma") and not attribute.asked:
        yield MadePhrase(JoinedPhrase("and", attribute))
    elif word.kind in AGGREGATES and attribute.aggregate is None:
        if word.kind in ("min", "max") or c.numeric(attribute.entity, attribute.field):
            yield MadePhrase(replace(attribute, aggregate=AGGREGATES[word.kind], asked=False))
    elif word.kind in ("how_many", "how_much") and attribute.aggregate is None:
        many_of_money = word.kind == "how_many" and c.is_money(attribute.entity, attribute.field)
        if many_of_money:
            return
        if c.numeric(attribute.entity, attribute.field):
            yield MadePhrase(replace(attribute, asked=True))
        elif (
            word.kind == "how_many" and not c.is_date(attribute) and (attribute.entity, attribute.field) not in c.truths
        ):
            yield MadePhrase(replace(attribute, aggregate=Aggregate.COUNT_DISTINCT))


@rule(JoiningWord, Lookup)
def _per_lookup(c: Composer, word: JoiningWord, lookup: Lookup) -> Iterator[MadePhrase]:
    """Per type of bike."""
    if word.kind in ("each", "per", "by") and lookup.rows.bare and len(lookup.fields) == 1 and not lookup.asked:
        field = lookup.fields[0]
        if field.plain and field.entity == lookup.rows.entity and not c.numeric(field.entity, field.field):
            yield MadePhrase(AboutEach(Dimension(field=field.path), field.entity, word.kind))


@rule(JoiningWord, Stored)
def _word_stored(c: Composer, word: JoiningWord, stored: Stored) -> Iterator[MadePhrase]:
    if word.kind == "named":
        homes = [home for home in stored.homes if home[1] in c.model.things[home[0]].display]
        may_be = tuple(dict.fromkeys(entity for entity, _, _ in homes))
        for entity, field, value in homes:
            yield MadePhrase(RowFilter(entity, (Comparison(field=f"{entity}.{field}", value=value),), may_be=may_be))
    elif word.kind in ("and", "or", "comma"):
        yield MadePhrase(JoinedPhrase("and" if word.kind == "comma" else word.kind, stored))
    elif word.kind == "of":  # of the rating Good; what belongs to a named row is said by another rule
        values = tuple(home for home in stored.homes if home[1] not in c.model.things[home[0]].display)
        if values:
            yield MadePhrase(replace(stored, homes=values))


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
        if key_of(one.text) not in in_all_languages("sum_of_amounts"):
            yield MadePhrase(two)
    elif one.kind in ("of", "in", "with") and one.first and two.kind == "how_many":
        yield MadePhrase(two)  # from how many suppliers
    elif one.kind == "with" and two.kind == "none":
        yield MadePhrase(JoiningWord("without", one.text))
    elif one.kind == "ordered" and two.kind in ("ascending", "descending"):
        yield MadePhrase(Sorting(None, two.kind == "descending"))
    elif one.kind == "ordered" and two.kind == "alphabetical":
        yield MadePhrase(Sorting(None, False, named=True))
    elif one.kind == "how_many" and two.kind == "distinct":
        yield MadePhrase(one)
    elif one.kind == "how_many" and two.kind == "share":
        yield MadePhrase(two)  # what share


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
    elif word.kind == "how_many" and c.order.get("modifiers_before") and not rows.named and (figure := c.count(rows)):
        yield MadePhrase(figure)  # customers, how many
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
    elif word.kind == "in" and c.order.get("modifiers_before"):  # the Aare, on
        yield MadePhrase(filtered)


@rule(Attribute, JoiningWord)
def _attribute_value(c: Composer, attribute: Attribute, word: JoiningWord) -> Iterator[MadePhrase]:
    """The nitrate value is the nitrate; a diagnosis called asthma."""
    if c.counts_pieces(attribute):
        return  # the value of a stock is money
    wanted = "value" if c.numeric(attribute.entity, attribute.field) else "named"
    if word.kind == wanted and (wanted == "value" or attribute.plain):
        yield MadePhrase(attribute)


@rule(SaidNumber, JoiningWord)
def _number_word(c: Composer, number: SaidNumber, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "or_more":
        yield MadePhrase(OpenBound(">=", number))
    elif word.kind == "or_less":
        yield MadePhrase(OpenBound("<=", number))


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
