"""Words that claim something about several figures: an extreme, a rank, a comparison, all or none; courses and totals are in `course_words.py`.

Each has its verification; where the rows cannot decide it, it is not proven.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from veracity.answer.course_words import (
    SIGNS,
    courses_are_true,
    differences_are_told_as_such,
    percentages_are_of_what_they_say,
    rows_of_cells,
    sign_of,
    totals_are_sums,
    unproven_claim,
)
from veracity.answer.pieces import ClaimWord, NamedThing, TextPiece, ToldFigure, numbered
from veracity.answer.render import FigureProvenance, list_items
from veracity.answer.results import Result
from veracity.answer.statement import AnswerStatement
from veracity.answer.syntax import Binary, Cells
from veracity.contracts import QueryValidationError
from veracity.language.number_words import find_ordinals, find_words
from veracity.language.numbers import find_figures
from veracity.ontology.fields import FieldRole
from veracity.question import MentionKind

Check = Callable[[AnswerStatement], QueryValidationError | None]
_MONTHS = re.compile(r"\s*(?:monat|month|个?月)", re.IGNORECASE)
_YEARS = re.compile(r"\s*(?:jahr|year|年)", re.IGNORECASE)
_THAN = re.compile(r"(?<!\w)(?:than|als)(?!\w)|[比于]", re.IGNORECASE)
_OPERATORS = {
    "more": {">", ">="},
    "higher": {">", ">="},
    "less": {"<", "<="},
    "lower": {"<", "<="},
    "exactly": {"="},
    "at least": {">="},
    "at most": {"<="},
}


# --- extremes and ranks


def extremes_are_true(statement: AnswerStatement) -> QueryValidationError | None:
    """The highest is the highest of all rows."""
    for piece in statement.pieces:
        for word in piece.said("most", "least"):
            most = word.role == "most"
            if not piece.own:
                if not piece.below or not all(_is_ranked(name, piece.below, most=most, statement=statement) for name in _results(piece.below)):  # fmt: skip
                    return unproven_claim(word, "the rows below are not in that order.")
                continue
            told = _about(word, piece)
            if told is None or not _is_extreme(told, piece, most=most, statement=statement):
                return unproven_claim(word, "it is not, as far as the rows tell.")
        for word in piece.said("higher", "lower"):
            if _THAN.search(piece.text[word.end - piece.start :]):
                continue
            told = _about(word, piece)
            alike = [one for one in piece.own if told is not None and one.single and one.fields == told.fields]
            others = [one.value for one in alike if one.value is not None]
            best = max(others, default=None) if word.role == "higher" else min(others, default=None)
            if told is None or len(others) < 2 or told.value != best:
                return unproven_claim(word, "it is not, as far as the rows tell.")
    return None


def _about(word: ClaimWord, piece: TextPiece) -> ToldFigure | None:
    """The figure that a superlative is said of: in its clause the next one, else the last; else the next of the sentence."""
    near = piece.nearest(word)
    after = [one for one in near if one.start >= word.end]
    return after[0] if after else near[-1] if near else None


def _results(figures: Sequence[ToldFigure]) -> set[str]:
    return {name for told in figures for name in told.results}


def _is_extreme(told: ToldFigure, piece: TextPiece, *, most: bool, statement: AnswerStatement) -> bool:
    if told.function in ("max", "min") or told.aggregates & {"MAX", "MIN"}:
        return (told.function == "max" or "MAX" in told.aggregates) is most
    if not told.single or told.value is None:
        return False
    name, row, column = next(iter(told.cells))
    result = statement.claim.results[name]
    if result.call.limit is not None or result.data.truncated:
        alike = [one for one in piece.own if one.single and one.fields == told.fields]
        return _is_ranked(name, alike, most=most, statement=statement) and alike[0].rows == {(name, 0)}
    values = [number for one in result.data.rows if (number := _number(one[column])) is not None]
    return len(values) > 1 and row >= 0 and _number(result.data.rows[row][column]) == (max if most else min)(values)


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return Decimal(str(value))


def _is_ranked(name: str, figures: Sequence[ToldFigure], *, most: bool, statement: AnswerStatement) -> bool:
    """Whether rows were asked for in that order, and are told in it."""
    result = statement.claim.results[name]
    rows = [row for told in figures for one, row in sorted(told.rows) if one == name]
    order = result.call.order_by
    if rows != sorted(rows):
        return False
    if not order:
        return result.call.aggregate is not None and result.call.limit is not None and most
    numeric = any(order[0].field in told.fields for told in figures) or not any(told.value is not None for told in figures)  # fmt: skip
    return order[0].descending is most and numeric


def ranks_are_true(statement: AnswerStatement) -> QueryValidationError | None:
    """First, second and third are so by the figures, and what follows something is not above it."""
    for piece in statement.pieces:
        for at, end, place in _ordinals(piece, statement):
            word = ClaimWord(at, end, piece.text[at - piece.start : end - piece.start], "rank")
            before = [one for one in piece.in_clause(word) if one.end <= at]
            told = before[-1] if before else _about(word, piece)
            if told is None or _rank(told, statement) != place:
                return unproven_claim(word, "that is not its rank among the rows.")
        if words := piece.said("order"):
            alike = [one for one in piece.own if one.function in ("", "sum") and not one.counts]
            values = [one.value for one in alike if one.value is not None]
            times = [statement.time_of(one) for one in alike]
            same = len(values) > 1 and len({one.fields for one in alike}) == 1
            timely = None not in times and len(set(times)) == len(times) and times == sorted(times, key=str)
            if not same or (values != sorted(values, reverse=True) and not timely):
                return unproven_claim(words[0], "the figures are not in that order.")
        for word in piece.said("place"):
            if not any(_ordinals(piece, statement)):
                return unproven_claim(word, "no rank is said.")
    return _numbered_lists(statement)


def _ordinals(piece: TextPiece, statement: AnswerStatement) -> Iterator[tuple[int, int, int]]:
    taken = [(name.start, name.end) for name in piece.names]
    found = list(find_ordinals(piece.text.casefold(), statement.lang))
    for word in piece.said("place"):
        behind = piece.text[word.end - piece.start :]
        counted = next((one for one in find_words(behind.casefold(), statement.lang) if one[0] <= 1), None)
        if counted is not None:
            shift = word.end - piece.start
            found.append((counted[0] + shift, counted[1] + shift, counted[2]))
    for first, last, value in found:
        place = (piece.start + first, piece.start + last)
        if not any(start < place[1] and place[0] < end for start, end in taken):
            yield *place, int(value)


def _rank(told: ToldFigure, statement: AnswerStatement) -> int | None:
    if not told.single or told.value is None:
        return None
    name, row, column = next(iter(told.cells))
    result = statement.claim.results[name]
    if result.call.limit is not None or result.data.truncated:
        ordered = result.call.order_by and result.call.order_by[0].descending and result.call.order_by[0].field in told.fields  # fmt: skip
        return row + 1 if ordered else None
    values = [number for one in result.data.rows if (number := _number(one[column])) is not None]
    return sum(1 for value in values if value > told.value) + 1 if len(values) > 1 else None


def _numbered_lists(statement: AnswerStatement) -> QueryValidationError | None:
    """The items of a numbered list stand in the order in which the rows were asked for."""
    items = [piece for piece in statement.pieces if numbered(piece) and piece.own]
    rows = [row for piece in items for name, row in sorted(piece.own[0].rows) if statement.claim.results[name].call.order_by]  # fmt: skip
    return unproven_claim(items[0].own[0], "number the rows in their order.") if rows != sorted(rows) else None


# --- comparisons


def comparisons_are_true(statement: AnswerStatement) -> QueryValidationError | None:
    """More and less hold of two figures, of a difference, or say how a filter compares."""
    for piece in statement.pieces:
        for word in piece.said("more", "less", "higher", "lower", "behind", "exactly", "at least", "at most"):
            if word.role in ("higher", "lower") and not _THAN.search(piece.text[word.end - piece.start :]):
                continue
            if not _compares(word, piece, statement):
                return unproven_claim(word, "neither two figures nor a filter say so.")
        for typed in _typed(piece, statement):
            if not any(True for _ in _conditions_with(typed, piece, statement)):
                continue
            if not piece.said(*_OPERATORS):
                return unproven_claim(typed.text, "say how the figures compare with it.")
    return None


def _compares(word: ClaimWord, piece: TextPiece, statement: AnswerStatement) -> bool:
    typed = [one for one in _typed(piece, statement) if any(True for _ in _conditions_with(one, piece, statement))]
    if typed:
        near = min(typed, key=lambda one: abs(one.span[0] - word.end))
        operators = _OPERATORS.get(word.role, set())
        return all(op in operators for op in _conditions_with(near, piece, statement))
    sign = SIGNS.get(word.role)
    if sign is None:
        return False
    own = [one for one in piece.own if one.single and one.value is not None]
    differences = [one for one in piece.in_clause(word) if one.function == "-"] or [
        one for one in piece.own if one.function == "-"
    ]
    if differences:
        return bool(own) and _difference_of(differences[0], own[0], sign, statement)
    before = [one for one in own if one.end <= word.start]
    one = before[-1] if before else own[0] if own else None
    two = next((other for other in own if one is not None and other.start > one.start), None)
    if one is None or two is None or (one.fields != two.fields) or one.value is None or two.value is None:
        return False
    return sign_of(one.value - two.value) == sign


def _difference_of(told: ToldFigure, subject: ToldFigure, sign: int, statement: AnswerStatement) -> bool:
    """Whether the subject is the larger (or smaller) side of a difference that is told as a positive number."""
    if not isinstance(told.node, Binary) or (told.value or 0) <= 0:
        return False
    side = told.node.left if sign > 0 else told.node.right
    if not isinstance(side, Cells) or side.column is None:
        return False
    rows = {(side.selection.result, row) for row in rows_of_cells(side, statement.claim.results[side.selection.result])}
    return rows == set(subject.rows)


def _typed(piece: TextPiece, statement: AnswerStatement) -> Iterator[FigureProvenance]:
    """The numbers that the model typed itself, but periods, codes and the numbers of list items."""
    items = {place + piece.start for place in list_items(piece.text)}
    for figure in statement.claim.rendered.figures:
        inside = piece.start <= figure.span[0] < piece.end and not figure.args
        named = any(name.start < figure.span[1] and figure.span[0] < name.end for name in piece.names)
        if inside and not named and figure.span[0] not in items:
            yield figure


def _conditions_with(typed: FigureProvenance, piece: TextPiece, statement: AnswerStatement) -> Iterator[str]:
    for name in _results(piece.figures or piece.below):
        for _table, condition in statement.claim.conditions(name):
            values = condition.value if isinstance(condition.value, list | tuple) else [condition.value]
            if any(str(value) == typed.value or _same_number(value, typed.value) for value in values):
                yield condition.op


def _same_number(value: object, text: str | None) -> bool:
    number = _number(value)
    return number is not None and text is not None and re.fullmatch(r"-?\d+(?:\.\d+)?", text) is not None and number == Decimal(text)  # fmt: skip


def typed_numbers_are_of_the_call(statement: AnswerStatement) -> QueryValidationError | None:
    """A number of the question is repeated for what it is: a bound of a filter, how many rows were asked for."""
    for piece in statement.pieces:
        for typed in _typed(piece, statement):
            known = any(True for _ in _conditions_with(typed, piece, statement))
            results = _results(piece.figures or piece.below) or statement.claim.rendered.results
            sizes = {str(size) for name in results for size in _sizes(statement.claim.results[name])}
            if not known and typed.value not in sizes and typed.kind != "constant":
                return unproven_claim(typed.text, "no filter of the call has this number.")
    return None


def numbers_in_words_count_the_rows(statement: AnswerStatement) -> QueryValidationError | None:
    """The four branches: so many rows there are, and they are branches."""
    for piece in statement.pieces:
        typed = {figure.span[0] for figure in statement.claim.rendered.figures if not figure.args}
        ranks = {first for first, _last, _place in _ordinals(piece, statement)}
        for figure in find_figures(piece.text, statement.lang):
            place = (piece.start + figure.start, piece.start + figure.end)
            inside = any(name.start <= place[0] < name.end for name in piece.names) or place[0] in typed | ranks
            if figure.kind != "word" or inside or not piece.text[figure.start].isalpha():
                continue
            after = next((name for name in piece.names if place[1] <= name.start <= place[1] + 3), None)
            results = _results(piece.figures or piece.below)
            rows = {Decimal(statement.claim.results[name].data.row_count) for name in results}
            if after is None or after.kind not in ("thing", "which") or not rows & set(figure.readings):
                return unproven_claim(figure.text, "so many rows there are not.")
    return None


def _sizes(result: Result) -> tuple[int | None, int]:
    return result.call.limit, result.data.row_count


# --- all, every, none


def quantities_of_things_are_true(statement: AnswerStatement) -> QueryValidationError | None:
    """All is said where nothing was left out, every of what the rows are divided by; none and only are never proven."""
    for piece in statement.pieces:
        figures = piece.figures or piece.below
        for word in piece.said("none"):
            if "except" not in statement.claim.cues:
                return unproven_claim(word, "rows that are there prove no 'not'.")
        for word in piece.said("only"):
            if word.text.casefold() not in statement.claim.reading.question.casefold():
                return unproven_claim(word, "what else there is was not asked for.")
        for word in piece.said("all"):
            if not figures or any(_is_narrowed(name, statement) for name in _results(figures)):
                return unproven_claim(word, "the call leaves some out.")
        for word in piece.said("both"):
            if not any(statement.claim.results[name].data.row_count == 2 for name in _results(figures)):
                return unproven_claim(word, "there are not two rows.")
        for word in piece.said("every"):
            if not _is_divided(word, piece, figures, statement):
                return unproven_claim(word, "the rows are not divided so.")
    return None


def _is_narrowed(name: str, statement: AnswerStatement) -> bool:
    result = statement.claim.results[name]
    if result.call.limit is not None or result.data.truncated:
        return True
    for table, condition in statement.claim.conditions(name):
        facts = statement.claim.catalog.entities[table].fields[condition.field]
        if not facts.tells_time and facts.role not in (FieldRole.CURRENCY, FieldRole.PERIOD) and not _is_year(facts.column.name):  # fmt: skip
            return True
    return False


def _is_year(column: str) -> bool:
    return column.casefold() in ("year", "jahr", "年份", "年", "month", "monat", "月份")


def _is_divided(word: ClaimWord, piece: TextPiece, figures: Sequence[ToldFigure], statement: AnswerStatement) -> bool:
    after = piece.text[word.end - piece.start :]
    wanted = "month" if _MONTHS.match(after) or "月" in word.text else "year" if _YEARS.match(after) or "年" in word.text else ""  # fmt: skip
    for name in _results(figures):
        result = statement.claim.results[name]
        shown = [result.origins.get(column, (result.call.table, column)) for column in result.columns]
        if wanted:
            fields = [statement.claim.catalog.entities[table].fields.get(one) for table, one in shown]
            parts = {facts.part for facts in fields if facts is not None}
            years = any(_is_year(one) for _table, one in shown) or "year" in parts or "yyyy" in parts
            if ("month" in parts) if wanted == "month" else years:
                return True
            continue
        names = [one for one in piece.names if one.start >= word.end][:1]
        if names and len(result.data.rows) > 1 and _is_shown(names[0], {one for _table, one in shown}):
            return True
    return False


def _is_shown(name: NamedThing, fields: set[str]) -> bool:
    homes = [home[1] for meaning in name.meanings if meaning.kind is MentionKind.FIELD for home in meaning.fields]
    return any(home in fields for home in homes)


def nothing_is_explained_or_foretold(statement: AnswerStatement) -> QueryValidationError | None:
    """Rows hold no reasons and no future, whatever the question says."""
    words = (word for piece in statement.pieces for word in piece.said("never"))
    return next((unproven_claim(word, "rows prove no reason and no forecast.") for word in words), None)


CHECKS: tuple[Check, ...] = (
    nothing_is_explained_or_foretold,
    courses_are_true,
    differences_are_told_as_such,
    percentages_are_of_what_they_say,
    totals_are_sums,
    extremes_are_true,
    ranks_are_true,
    comparisons_are_true,
    typed_numbers_are_of_the_call,
    numbers_in_words_count_the_rows,
    quantities_of_things_are_true,
)
