"""Words that claim something about several figures: a course, an extreme, a comparison, a total, a share, a rank, all or none.

Each has its verification; where the rows cannot decide it, it is not proven.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from veracity.answer.pieces import ClaimWord, NamedThing, TextPiece, ToldFigure, numbered
from veracity.answer.render import FigureProvenance, list_items
from veracity.answer.results import Result
from veracity.answer.statement import AnswerStatement
from veracity.answer.syntax import Binary, Cells, Function, Node, walk
from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.number_words import find_ordinals, find_words
from veracity.language.numbers import find_figures
from veracity.ontology.descriptor import FieldRole
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
_SIGNS = {"up": 1, "down": -1, "more": 1, "higher": 1, "less": -1, "lower": -1, "behind": -1}


def _unproven(word: ClaimWord | ToldFigure | str, hint: str) -> QueryValidationError:
    said = word if isinstance(word, str) else word.figure.text if isinstance(word, ToldFigure) else word.text
    return QueryValidationError(
        code=ValidationErrorCode.QUESTION_NOT_COVERED, field=said, hint=clip(f"{clip(said, 20)!r}: {hint}", 80)
    )


# --- courses and differences


def courses_are_true(statement: AnswerStatement) -> QueryValidationError | None:
    """Rose and fell are said of two figures of different times, in their order, or of the difference of two."""
    for piece in statement.pieces:
        words = [*piece.said("up", "down", "same"), *_separable(piece)]
        directions = {word.role for word in words}
        if not words:
            continue
        if len(directions) > 1:
            return _unproven(words[0], "say one course in a sentence.")
        problem = _course(words[0], piece, statement)
        if problem is not None:
            return problem
    return None


def _separable(piece: TextPiece) -> Iterator[ClaimWord]:
    """Nahm ... zu and nahm ... ab."""
    for word in piece.said("takes"):
        ends = re.findall(r"(?<!\w)(zu|ab)(?=\s*[.,:;!)]|\s*$)", piece.text[word.end - piece.start :])
        role = {"zu": "up", "ab": "down"}.get(ends[0], "same") if ends else "same"
        yield ClaimWord(word.start, word.end, word.text, role)


def _course(word: ClaimWord, piece: TextPiece, statement: AnswerStatement) -> QueryValidationError | None:
    timed = [(statement.time_of(one), one) for one in piece.segment(word) if one.single and not one.counts]
    course = [(time, one) for time, one in timed if time is not None]
    changes = [one for one in piece.segment(word) if _is_change(one)]
    if len({time for time, _ in course}) < 2 and not changes:
        return _unproven(word, "one figure is no course; cite both times.")
    for (time, one), (after, two) in pairwise(course):
        if one.fields != two.fields or one.value is None or two.value is None or not time < after:
            return _unproven(word, "tell the figures in the order of time.")
        if _sign(two.value - one.value) != _SIGNS.get(word.role, 0):
            return _unproven(word, "the figures go the other way.")
    for one in changes:
        later = _later_less_earlier(one, statement)
        turned = _SIGNS.get(word.role, 0) * (later or 0)
        if later is None or turned <= 0 or (one.value or 0) < 0:
            return _unproven(word, "the difference goes the other way.")
    return None


def _sign(value: Decimal) -> int:
    return (value > 0) - (value < 0)


def _is_change(told: ToldFigure) -> bool:
    return told.function == "-" or _growth(told.node) is not None


def _growth(node: Node | None) -> Binary | None:
    """The difference in percent(b - a, a)."""
    if isinstance(node, Function) and node.name == "percent" and len(node.args) == 2:
        first, base = node.args
        if isinstance(first, Binary) and first.op == "-" and first.right == base:
            return first
    return None


def _later_less_earlier(told: ToldFigure, statement: AnswerStatement) -> int | None:
    """The sign of later less earlier; None where the two are not of two times."""
    node = _growth(told.node) or told.node
    if not isinstance(node, Binary) or told.value is None:
        return None
    left, right = (_time_of(side, statement) for side in (node.left, node.right))
    if left is None or right is None or left == right:
        return None
    return _sign(told.value) if left > right else -_sign(told.value)


def _time_of(node: Node, statement: AnswerStatement) -> tuple[str, ...] | None:
    if not isinstance(node, Cells) or node.column is None:
        return None
    rows = list(_rows_of(node, statement.claim.results[node.selection.result]))
    if len(rows) != 1:
        return None
    cell = frozenset({(node.selection.result, rows[0], node.column)})
    figure = FigureProvenance(span=(0, 0), text="", value=None, kind="cell")
    return statement.time_of(ToldFigure(0, 0, figure, None, None, cell, frozenset(), False, frozenset(), False))


def _rows_of(node: Cells, result: Result) -> Iterator[int]:
    chosen = node.selection
    for at, row in enumerate(result.data.rows):
        if chosen.index is not None and at != chosen.index:
            continue
        if all(str(row.get(name)) == str(value) for name, value in chosen.conditions):
            yield at


def differences_are_told_as_such(statement: AnswerStatement) -> QueryValidationError | None:
    """A difference is called one, and what is called one is a difference."""
    telling = ("change", "up", "down", "takes", "more", "less", "higher", "lower")
    for piece in statement.pieces:
        for told in piece.own:
            if told.function == "-" and not piece.said(*telling) and _is_named(piece) and not _is_net(told):
                return _unproven(told, "it is a difference: say so.")
            if (
                told.function == "-"
                and _later_less_earlier(told, statement) == -1
                and not piece.said("down", "less", "takes")
            ):
                return _unproven(told, "subtract the earlier figure from the later one.")
        for word in piece.said("change"):
            near = piece.nearest(word)
            if len(near) == 1 and not _is_change(near[0]):
                return _unproven(word, "the figure beside it is no difference.")
    return None


def _is_named(piece: TextPiece) -> bool:
    """Whether a piece says anything of its figures; a bare figure is what was asked for, which is checked elsewhere."""
    return any(name.text.upper() != name.text for name in piece.names) or bool(piece.words)


def _is_net(told: ToldFigure) -> bool:
    """Whether one column is taken from another of the same rows: credits less debits."""
    return len(told.fields) > 1


def percentages_are_of_what_they_say(statement: AnswerStatement) -> QueryValidationError | None:
    """A percentage is a growth against the earlier figure, or a row's share of the sum."""
    for piece in statement.pieces:
        for told in (one for one in piece.own if one.function == "percent" and _is_named(piece)):
            if _growth(told.node) is not None:
                if (
                    not (piece.said("up", "down", "change") or piece.said("takes"))
                    or _later_less_earlier(told, statement) is None
                ):
                    return _unproven(told, "a growth is of two times, and said so.")
                if piece.said("share"):
                    return _unproven(told, "a growth is no share.")
            elif not piece.said("share") or piece.said("up", "down", "change") or not _is_share(told, piece, statement):
                return _unproven(told, "a share is percent(one row, sum of all), beside its name.")
    return None


def _is_share(told: ToldFigure, piece: TextPiece, statement: AnswerStatement) -> bool:
    if not isinstance(told.node, Function) or len(told.node.args) != 2:
        return False
    part, whole = told.node.args
    names = [name for name in piece.names if name.kind in ("which", "row")]
    if len(names) > 1 and all(_is_of(name, side, told, statement) for name, side in zip((names[0], names[-1]), (part, whole), strict=True)):  # fmt: skip
        return True
    summed = isinstance(whole, Function) and whole.name == "sum" and isinstance(whole.args[0], Cells)
    if not summed or not isinstance(part, Cells) or part.column is None or part.column != whole.args[0].column:  # type: ignore[union-attr]
        return False
    rows = list(_rows_of(part, statement.claim.results[part.selection.result]))
    before = [name for name in names if name.start < told.start]
    name = before[-1] if before else names[0] if names else None
    if len(rows) != 1 or name is None:
        return False
    cell = frozenset({(part.selection.result, rows[0], part.column)})
    one = ToldFigure(0, 0, told.figure, told.value, None, cell, told.fields, False, frozenset({None}), False)
    return statement.fits(name, one)


def _is_of(name: NamedThing, side: Node, told: ToldFigure, statement: AnswerStatement) -> bool:
    """Whether one side of a percentage is of what a name says, in all its rows, and the rows are not the other side's."""
    cells = [part for part in walk(side) if isinstance(part, Cells) and part.column is not None]
    if not cells or len({part.selection.result for part in cells}) != 1:
        return False
    rows = {
        (part.selection.result, row, part.column or "")
        for part in cells
        for row in _rows_of(part, statement.claim.results[part.selection.result])
    }
    return bool(rows) and statement.fits(name, replace(told, cells=frozenset(rows)))


# --- totals and averages


def totals_are_sums(statement: AnswerStatement) -> QueryValidationError | None:
    """What is called a total is added up, and what is called an average is one."""
    for piece in statement.pieces:
        for word in piece.said("total", "average"):
            near = piece.nearest(word) or piece.below
            fits = _is_sum if word.role == "total" else _is_mean
            if not any(fits(told) for told in near) or (len(near) == 1 and not fits(near[0])):
                return _unproven(word, "the figure beside it is none.")
        for told in piece.own:
            if _is_mean(told) and not piece.said("average") and _is_named(piece):
                return _unproven(told, "it is an average: say so.")
    return None


def _is_sum(told: ToldFigure) -> bool:
    return (
        told.function in ("sum", "count", "+")
        or bool(told.aggregates & {"SUM", "COUNT", "COUNT_DISTINCT"})
        or told.counts
    )


def _is_mean(told: ToldFigure) -> bool:
    return told.function == "avg" or "AVG" in told.aggregates


# --- extremes and ranks


def extremes_are_true(statement: AnswerStatement) -> QueryValidationError | None:
    """The highest is the highest of all rows."""
    for piece in statement.pieces:
        for word in piece.said("most", "least"):
            most = word.role == "most"
            if not piece.own:
                if not piece.below or not all(_is_ranked(name, piece.below, most=most, statement=statement) for name in _results(piece.below)):  # fmt: skip
                    return _unproven(word, "the rows below are not in that order.")
                continue
            told = _about(word, piece)
            if told is None or not _is_extreme(told, piece, most=most, statement=statement):
                return _unproven(word, "it is not, as far as the rows tell.")
        for word in piece.said("higher", "lower"):
            if _THAN.search(piece.text[word.end - piece.start :]):
                continue
            told = _about(word, piece)
            others = [one.value for one in piece.own if told is not None and one.single and one.fields == told.fields]
            best = (max if word.role == "higher" else min)(others, default=None)  # type: ignore[type-var]
            if told is None or len(others) < 2 or told.value != best:
                return _unproven(word, "it is not, as far as the rows tell.")
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
                return _unproven(word, "that is not its rank among the rows.")
        if words := piece.said("order"):
            alike = [one for one in piece.own if one.function in ("", "sum") and not one.counts]
            values = [one.value for one in alike if one.value is not None]
            times = [statement.time_of(one) for one in alike]
            same = len(values) > 1 and len({one.fields for one in alike}) == 1
            timely = None not in times and len(set(times)) == len(times) and times == sorted(times, key=str)
            if not same or (values != sorted(values, reverse=True) and not timely):
                return _unproven(words[0], "the figures are not in that order.")
        for word in piece.said("place"):
            if not any(_ordinals(piece, statement)):
                return _unproven(word, "no rank is said.")
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
    return _unproven(items[0].own[0], "number the rows in their order.") if rows != sorted(rows) else None


# --- comparisons


def comparisons_are_true(statement: AnswerStatement) -> QueryValidationError | None:
    """More and less hold of two figures, of a difference, or say how a filter compares."""
    for piece in statement.pieces:
        for word in piece.said("more", "less", "higher", "lower", "behind", "exactly", "at least", "at most"):
            if word.role in ("higher", "lower") and not _THAN.search(piece.text[word.end - piece.start :]):
                continue
            if not _compares(word, piece, statement):
                return _unproven(word, "neither two figures nor a filter say so.")
        for typed in _typed(piece, statement):
            if not any(True for _ in _conditions_with(typed, piece, statement)):
                continue
            if not piece.said(*_OPERATORS):
                return _unproven(typed.text, "say how the figures compare with it.")
    return None


def _compares(word: ClaimWord, piece: TextPiece, statement: AnswerStatement) -> bool:
    typed = [one for one in _typed(piece, statement) if any(True for _ in _conditions_with(one, piece, statement))]
    if typed:
        near = min(typed, key=lambda one: abs(one.span[0] - word.end))
        operators = _OPERATORS.get(word.role, set())
        return all(op in operators for op in _conditions_with(near, piece, statement))
    sign = _SIGNS.get(word.role)
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
    return _sign(one.value - two.value) == sign


def _difference_of(told: ToldFigure, subject: ToldFigure, sign: int, statement: AnswerStatement) -> bool:
    """Whether the subject is the larger (or smaller) side of a difference that is told as a positive number."""
    if not isinstance(told.node, Binary) or (told.value or 0) <= 0:
        return False
    side = told.node.left if sign > 0 else told.node.right
    if not isinstance(side, Cells) or side.column is None:
        return False
    rows = {(side.selection.result, row) for row in _rows_of(side, statement.claim.results[side.selection.result])}
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
                return _unproven(typed.text, "no filter of the call has this number.")
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
                return _unproven(figure.text, "so many rows there are not.")
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
                return _unproven(word, "rows that are there prove no 'not'.")
        for word in piece.said("only"):
            if word.text.casefold() not in statement.claim.reading.question.casefold():
                return _unproven(word, "what else there is was not asked for.")
        for word in piece.said("all"):
            if not figures or any(_is_narrowed(name, statement) for name in _results(figures)):
                return _unproven(word, "the call leaves some out.")
        for word in piece.said("both"):
            if not any(statement.claim.results[name].data.row_count == 2 for name in _results(figures)):
                return _unproven(word, "there are not two rows.")
        for word in piece.said("every"):
            if not _is_divided(word, piece, figures, statement):
                return _unproven(word, "the rows are not divided so.")
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
    return next((_unproven(word, "rows prove no reason and no forecast.") for word in words), None)


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
