"""Words that claim a course, a difference, a percentage, a total or an average, each with its verification."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from veracity.answer.pieces import ClaimWord, NamedThing, TextPiece, ToldFigure
from veracity.answer.render import FigureProvenance
from veracity.answer.results import Result
from veracity.answer.statement import AnswerStatement
from veracity.answer.syntax import Binary, Cells, Function, Node, walk
from veracity.contracts import QueryValidationError, ValidationErrorCode, clip

SIGNS = {"up": 1, "down": -1, "more": 1, "higher": 1, "less": -1, "lower": -1, "behind": -1}
"""Which way a word points."""


def unproven_claim(word: ClaimWord | ToldFigure | str, hint: str) -> QueryValidationError:
    """Why a word or a figure is kept back."""
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
            return unproven_claim(words[0], "say one course in a sentence.")
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
        return unproven_claim(word, "one figure is no course; cite both times.")
    for (time, one), (after, two) in pairwise(course):
        if one.fields != two.fields or one.value is None or two.value is None or not time < after:
            return unproven_claim(word, "tell the figures in the order of time.")
        if sign_of(two.value - one.value) != SIGNS.get(word.role, 0):
            return unproven_claim(word, "the figures go the other way.")
    for one in changes:
        later = _later_less_earlier(one, statement)
        turned = SIGNS.get(word.role, 0) * (later or 0)
        if later is None or turned <= 0 or (one.value or 0) < 0:
            return unproven_claim(word, "the difference goes the other way.")
    return None


def sign_of(value: Decimal) -> int:
    """1, 0 or -1."""
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
    return sign_of(told.value) if left > right else -sign_of(told.value)


def _time_of(node: Node, statement: AnswerStatement) -> tuple[str, ...] | None:
    if not isinstance(node, Cells) or node.column is None:
        return None
    rows = list(rows_of_cells(node, statement.claim.results[node.selection.result]))
    if len(rows) != 1:
        return None
    cell = frozenset({(node.selection.result, rows[0], node.column)})
    figure = FigureProvenance(span=(0, 0), text="", value=None, kind="cell")
    return statement.time_of(ToldFigure(0, 0, figure, None, None, cell, frozenset(), False, frozenset(), False))


def rows_of_cells(node: Cells, result: Result) -> Iterator[int]:
    """The rows that an expression reads cells of."""
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
                return unproven_claim(told, "it is a difference: say so.")
            if (
                told.function == "-"
                and _later_less_earlier(told, statement) == -1
                and not piece.said("down", "less", "takes")
            ):
                return unproven_claim(told, "subtract the earlier figure from the later one.")
        for word in piece.said("change"):
            near = piece.nearest(word)
            if len(near) == 1 and not _is_change(near[0]):
                return unproven_claim(word, "the figure beside it is no difference.")
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
                    return unproven_claim(told, "a growth is of two times, and said so.")
                if piece.said("share"):
                    return unproven_claim(told, "a growth is no share.")
            elif not piece.said("share") or piece.said("up", "down", "change") or not _is_share(told, piece, statement):
                return unproven_claim(told, "a share is percent(one row, sum of all), beside its name.")
    return None


def _is_share(told: ToldFigure, piece: TextPiece, statement: AnswerStatement) -> bool:
    if not isinstance(told.node, Function) or len(told.node.args) != 2:
        return False
    part, whole = told.node.args
    names = [name for name in piece.names if name.kind in ("which", "row")]
    if len(names) > 1 and all(_is_of(name, side, told, statement) for name, side in zip((names[0], names[-1]), (part, whole), strict=True)):  # fmt: skip
        return True
    added = whole.args[0] if isinstance(whole, Function) and whole.name == "sum" else None
    if (
        not isinstance(added, Cells)
        or not isinstance(part, Cells)
        or part.column is None
        or part.column != added.column
    ):
        return False
    rows = list(rows_of_cells(part, statement.claim.results[part.selection.result]))
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
        for row in rows_of_cells(part, statement.claim.results[part.selection.result])
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
                return unproven_claim(word, "the figure beside it is none.")
        for told in piece.own:
            if _is_mean(told) and not piece.said("average") and _is_named(piece):
                return unproven_claim(told, "it is an average: say so.")
    return None


def _is_sum(told: ToldFigure) -> bool:
    return (
        told.function in ("sum", "count", "+")
        or bool(told.aggregates & {"SUM", "COUNT", "COUNT_DISTINCT"})
        or told.counts
    )


def _is_mean(told: ToldFigure) -> bool:
    return told.function == "avg" or "AVG" in told.aggregates
