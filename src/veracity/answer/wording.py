"""Whether the words around figures are true: what each figure is called, of which row, period and column it is said to be.

One check is one function in `CHECKS`; what claims something about several figures (rose, highest, more than) is in `claim_words.py`.
What cannot be decided is not released.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from veracity.answer import claim_words
from veracity.answer.figure_context import beside_currency
from veracity.answer.markup import markup_in
from veracity.answer.pieces import NamedThing, TextPiece, ToldFigure, column_of
from veracity.answer.statement import AnswerStatement
from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.question import MentionKind, Period
from veracity.question.mentions import Meaning

Check = Callable[[AnswerStatement], QueryValidationError | None]
_BESIDE = re.compile(r"\s?[A-Z]{0,3}\s?[(（]\s?")


def unproven(name: str | None, hint: str) -> QueryValidationError:
    """Why a statement is kept back."""
    return QueryValidationError(code=ValidationErrorCode.QUESTION_NOT_COVERED, field=name, hint=clip(hint, 80))


# --- words


def nothing_is_linked(statement: AnswerStatement) -> QueryValidationError | None:
    """No link, image, HTML or host name stands in an answer."""
    text = statement.claim.own_text
    found = markup_in(text, allowed=statement.claim.reading.question)
    return unproven(found, "No links, images, HTML or host names: plain text only.") if found else None


def every_word_is_known(statement: AnswerStatement) -> QueryValidationError | None:
    """Each word is a name in the data, the question's own, or one whose claim can be verified."""
    for piece in statement.pieces:
        if piece.unknown:
            word = piece.unknown[0]
            return unproven(word, f"{clip(word, 24)!r} is not in the data: say only what rows and columns are called.")
    return None


def every_sentence_rests_on_figures(statement: AnswerStatement) -> QueryValidationError | None:
    """A sentence without a figure is a heading of lines that have some, or it proves nothing."""
    for piece in statement.pieces:
        said = piece.names or piece.words
        if said and not piece.figures and not piece.below and not piece.header:
            return unproven("answer", "This sentence rests on no figure: leave it out.")
    return None


# --- names


def figures_are_called_what_they_are(statement: AnswerStatement) -> QueryValidationError | None:
    """Every figure is of the row, the period and the column that its sentence names, each with its own."""
    for piece in statement.pieces:
        figures = [one for one in piece.figures if one.value is not None]
        problem = _heading(piece, statement) if not piece.figures else _paired(piece, figures, statement)
        if problem is not None:
            return problem
    return None


def _misnamed(name: NamedThing, told: ToldFigure | None = None) -> QueryValidationError:
    shown = clip(told.figure.text, 16) if told else "No figure"
    return unproven(name.text, f"{shown} is not {clip(name.text, 30)!r}: name each figure by its own row and column.")


def _heading(piece: TextPiece, statement: AnswerStatement) -> QueryValidationError | None:
    """What a heading names is what the figures below it are."""
    below = [one for one in piece.below if one.value is not None] or piece.below
    if not below:
        return None
    for name in (one for found in piece.names for one in _ends(found)):
        if not any(statement.fits(name, told) for told in below):
            return _misnamed(name)
    for kind, names in _by_kind(piece).items():
        if kind != "thing":
            wrong = [told for told in below if not any(statement.fits(one, told) for name in names for one in (name, *_years_in(name)))]  # fmt: skip
            if wrong and len(names) < 2:
                return _misnamed(names[0], wrong[0])
    return None


def _paired(piece: TextPiece, figures: Sequence[ToldFigure], statement: AnswerStatement) -> QueryValidationError | None:
    own = [one for one in figures if not one.listed]
    if not own:
        return None
    for kind, names in _by_kind(piece).items():
        for name in names:
            whole = any(statement.fits(name, told) for told in own) or _is_all(name, piece, own, statement)
            if not whole and not all(any(_touches(statement, one, told) for told in own) for one in _ends(name)):
                return _misnamed(name, own[0])
        if kind == "thing":
            continue
        single = [one for one in own if kind == "column" or _is_of_one(one, names, statement)]
        if kind == "column":
            single = [one for one in single if not _counts_things(piece, one)]
        problem = _each_with_its_own(piece, names, single, statement)
        # Of whom a share is, is checked with the percentages.
        several = [one for one in own if one not in single and (one.function != "percent" or kind == "period")]
        problem = problem or next(
            (found for one in several if (found := _several_rows(piece, names, one, statement))), None
        )
        if problem is not None:
            return problem
    for told in own:
        for name in column_of(piece, told):
            if not statement.fits(name, told):
                return _misnamed(name, told)
    return None


def _is_of_one(told: ToldFigure, names: Sequence[NamedThing], statement: AnswerStatement) -> bool:
    """Whether a figure is of one row, or of several that one name is true of, such as the sum of a year."""
    if len(told.rows) == 1:
        return True
    return told.function not in ("-", "percent") and any(statement.fits(name, told) for name in names)


def _counts_things(piece: TextPiece, told: ToldFigure) -> bool:
    """Whether a number of things is followed by what they are: 3 vehicles, 3辆."""
    after = piece.text[told.end - piece.start :]
    named = any(name.kind in ("thing", "which") and name.start - told.end <= 2 and name.start >= told.end for name in piece.names)  # fmt: skip
    return told.counts and (
        (named and after[:1] not in (",", ";")) or re.match(r"\s?[辆台件次人份个家笔名位张条]", after) is not None
    )


def _is_all(name: NamedThing, piece: TextPiece, own: Sequence[ToldFigure], statement: AnswerStatement) -> bool:
    """All branches: a field of the table that was added up as a whole."""
    before = [word for word in piece.said("all") if word.end <= name.start <= word.end + 8]
    homes = {home for meaning in name.meanings if meaning.kind is MentionKind.FIELD for home in meaning.fields}
    tables = {call.table for told in own for one in told.results for call in statement.claim.results[one].calls}
    return name.kind == "thing" and bool(before) and any(table in tables for table, _field in homes)


def _by_kind(piece: TextPiece) -> dict[str, list[NamedThing]]:
    """The names that stand for each other: periods, columns, values of one field."""
    found: dict[str, list[NamedThing]] = {}
    for name in piece.names:
        kind = name.kind
        if kind == "which":
            homes = [home[1] for meaning in name.meanings for home in meaning.fields[:1]]
            kind = f"which {name.found[0] if name.found else homes[0] if homes else ''}"
        found.setdefault(kind, []).append(name)
    return found


def _each_with_its_own(
    piece: TextPiece, names: Sequence[NamedThing], figures: Sequence[ToldFigure], statement: AnswerStatement
) -> QueryValidationError | None:
    """Where several are named, each figure goes with the nearest; or the first with the first, the second with the second."""
    wrong = None
    for told in figures:
        name = _governing(piece, names, figures, told)
        under = [one for one in figures if _governing(piece, names, figures, one) is name]
        years = list(_years_in(name)) if len({statement.time_of(one) for one in under}) > 1 else []
        if not any(statement.fits(one, told) for one in (name, *years)):
            wrong = _misnamed(name, told)
            break
    if wrong is None:
        return _in_order(piece, names, figures, statement)
    ends = [one for name in names for one in _ends(name)]
    in_turn = len(ends) == len(figures) > 1 and ends[-1].start < figures[0].start
    if in_turn and all(statement.fits(name, told) for name, told in zip(ends, figures, strict=True)):
        return None
    return wrong


def _governing(
    piece: TextPiece, names: Sequence[NamedThing], figures: Sequence[ToldFigure], told: ToldFigure
) -> NamedThing:
    """The name that a figure goes with: right behind it in brackets, the only one of its clause, before it, or after it."""
    for name in names:
        between = piece.text[told.end - piece.start : name.start - piece.start] if name.start >= told.end else None
        if between is not None and _BESIDE.fullmatch(between):
            return name
    first, last = piece.clause(told.start, told.end)
    inside = [name for name in names if first <= name.start and name.end <= last]
    if len(inside) == 1:
        return inside[0]
    before = [name for name in names if name.start < told.start]
    if names[0].start < figures[0].start and before:
        return before[-1]
    return next((name for name in names if name.start >= told.end), names[-1])


def _in_order(
    piece: TextPiece, names: Sequence[NamedThing], figures: Sequence[ToldFigure], statement: AnswerStatement
) -> QueryValidationError | None:
    """Figures that one stretch of time is said of come in its order."""
    for name in names:
        under = [one for one in figures if len(_ends(name)) > 1 and _governing(piece, names, figures, one) is name]
        times = [time for one in under if (time := statement.time_of(one)) is not None]
        if times != sorted(times):
            return _misnamed(name, under[0])
    return None


def _several_rows(
    piece: TextPiece, names: Sequence[NamedThing], told: ToldFigure, statement: AnswerStatement
) -> QueryValidationError | None:
    """A figure of several rows is said of all of them, or of none; a difference names the two that it is of."""
    first, last = piece.clause(told.start, told.end)
    near = [one for name in names if first <= name.start < last for one in _ends(name)]
    reckoned = told.function in ("-", "percent")
    if reckoned and len(near) == 1:
        return None if _touches(statement, near[0], told) else _misnamed(near[0], told)
    if reckoned and not near:
        near = [one for name in names for one in _ends(name)]
    rows = [replace(told, cells=frozenset({cell})) for cell in told.cells]
    if near and not all(any(statement.fits(name, row) for name in near) for row in rows):
        return _misnamed(near[0], told)
    return None


def _touches(statement: AnswerStatement, name: NamedThing, told: ToldFigure) -> bool:
    """Whether a name is true of one of the rows behind a figure."""
    return any(statement.fits(name, replace(told, cells=frozenset({cell}))) for cell in told.cells)


def _ends(name: NamedThing) -> list[NamedThing]:
    """A stretch of whole years as its first and last; any other name as it is."""
    found = [meaning.period for meaning in name.meanings if meaning.period is not None]
    if name.kind != "period" or not found or found[0].part != "range" or not _is_years(found[0]):
        return [name]
    years = (found[0].first.year, found[0].last.year)
    return [_year_of(name, year) for year in years]


def _years_in(name: NamedThing) -> Iterator[NamedThing]:
    found = [meaning.period for meaning in name.meanings if meaning.period is not None]
    if len(_ends(name)) > 1:
        yield from (_year_of(name, year) for year in range(found[0].first.year, found[0].last.year + 1))


def _is_years(period: Period) -> bool:
    whole = (period.first.month, period.first.day, period.last.month, period.last.day) == (1, 1, 12, 31)
    return whole and period.first.year < period.last.year < period.first.year + 50


def _year_of(name: NamedThing, year: int) -> NamedThing:
    period = Period(date(year, 1, 1), date(year, 12, 31), "year")
    return replace(name, meanings=(Meaning(MentionKind.PERIOD, period=period),))


def the_moment_is_right(statement: AnswerStatement) -> QueryValidationError | None:
    """What stands at the end of a period is not told for its beginning."""
    for piece in statement.pieces:
        for name in (name for name in piece.names if name.kind == "period"):
            moments = {meaning.period.moment for meaning in name.meanings if meaning.period is not None}
            for told in (piece.own or piece.below) if "start" in moments else ():
                if told.value is not None and "start" not in _moments(statement, told):
                    return _misnamed(name, told)
    return None


def _moments(statement: AnswerStatement, told: ToldFigure) -> set[str | None]:
    found: set[str | None] = set()
    for name in told.results:
        entity = statement.claim.entity(name)
        facts = [entity.fields[field] for field in told.fields if field in entity.fields]
        found |= {one.declared.moment if one.declared else None for one in facts}
    return found


def numbers_of_things_are_no_money(statement: AnswerStatement) -> QueryValidationError | None:
    """How many there are is not told in a currency."""
    for piece in statement.pieces:
        for told in (one for one in piece.own if one.counts):
            if beside_currency(piece.text, told.start - piece.start, told.end - piece.start):
                return unproven(told.figure.text, "It is a number of things, no amount: leave out the currency.")
    return None


CHECKS: tuple[Check, ...] = (
    nothing_is_linked,
    every_word_is_known,
    every_sentence_rests_on_figures,
    figures_are_called_what_they_are,
    the_moment_is_right,
    numbers_of_things_are_no_money,
    *claim_words.CHECKS,
)


def first_unproven(statement: AnswerStatement) -> QueryValidationError | None:
    """The first thing in an answer's words that is not proven."""
    return next((problem for check in CHECKS if (problem := check(statement)) is not None), None)
