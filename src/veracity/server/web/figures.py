"""An answer as a page shows it: its text in pieces, and for every figure the proof that its button opens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from veracity.answer.answer import Answer, SourceQuery
from veracity.answer.render import FigureProvenance
from veracity.language.texts import say
from veracity.query.as_sql import as_sql
from veracity.query.model import TOOLS, read_call
from veracity.sources.source import Dialect
from veracity.tools.semantic import SEMANTIC_TOOL

_BULLET = "- "
_LONGEST_WORD = 24
_SIGNS_BEFORE, _SIGNS_AFTER = re.compile(r"[^\w\s]+$"), re.compile(r"[^\w\s]+")


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A stretch of an answer's text; with a number, a figure that has a proof."""

    text: str
    figure: int | None = None
    loud: bool = False
    """A number or a date; words such as a currency are marked less."""
    before: str = ""
    after: str = ""
    """Signs that no line break may part from a figure: a bracket before it, a colon behind it."""


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """A paragraph, or a list of items: lines of pieces."""

    kind: Literal["text", "list"]
    lines: tuple[tuple[AnswerPiece, ...], ...]


@dataclass(frozen=True, slots=True)
class Query:
    """The query behind a result, as a person would write it."""

    result: str
    text: str
    table: str
    rows: int
    truncated: bool
    digest: str


@dataclass(frozen=True, slots=True)
class CellShown:
    """A cell that a figure was made from."""

    result: str
    key: tuple[tuple[str, str], ...]
    column: str
    raw: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What a figure's button opens."""

    number: int
    text: str
    value: str | None
    kind: str
    expression: str | None
    cells: tuple[CellShown, ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer with all that its template needs."""

    answer: Answer
    blocks: tuple[AnswerBlock, ...]
    proofs: tuple[Proof, ...]
    queries: dict[str, Query]
    understood: str = ""
    """The question as it was completed, where it followed another and no longer stands below it."""

    @classmethod
    def of(cls, answer: Answer, dialect: Dialect, *, understood: str = "") -> ShownAnswer:
        """An answer over a source that speaks this dialect."""
        said = understood if understood != answer.question else ""
        answer = _without_advice(answer)
        return cls(answer, blocks_of(answer), proofs_of(answer, dialect), queries_of(answer, dialect), said)


def _without_advice(answer: Answer) -> Answer:
    """An answer without the advice that only who starts Veracity can take."""
    for lang in ("de", "en", "zh"):
        if answer.text.endswith(advice := say("set_model", lang)):
            return answer.model_copy(update={"text": answer.text.removesuffix(advice).rstrip()})
    return answer


def blocks_of(answer: Answer) -> tuple[AnswerBlock, ...]:
    """The text as paragraphs and lists, its figures marked."""
    lines = [line for line in _line_spans(answer.text) if answer.text[line[0] : line[1]].strip()]
    shown: list[AnswerBlock] = []
    for is_item, group in groupby(lines, key=lambda line: answer.text.startswith(_BULLET, line[0])):
        cut = len(_BULLET) if is_item else 0
        pieces = tuple(tuple(_pieces(answer, start + cut, end)) for start, end in group)
        shown += [AnswerBlock("list", pieces)] if is_item else [AnswerBlock("text", (one,)) for one in pieces]
    return tuple(shown)


def _line_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _pieces(answer: Answer, start: int, end: int) -> Iterator[AnswerPiece]:
    found = sorted(enumerate(answer.provenance), key=lambda one: one[1].span)
    shown = [(number, figure) for number, figure in found if start <= figure.span[0] and _is_marked(figure)]
    at = start
    for place, (number, figure) in enumerate(shown):
        first, last = figure.span
        if not at <= first < last <= end:
            continue
        until = shown[place + 1][1].span[0] if place + 1 < len(shown) else end
        before, after = (
            _SIGNS_BEFORE.search(answer.text[at:first]),
            _SIGNS_AFTER.match(answer.text[last : min(until, end)]),
        )
        head, tail = before[0] if before else "", after[0] if after else ""
        if at < first - len(head):
            yield AnswerPiece(answer.text[at : first - len(head)])
        named = any(arg.column in arg.row_key for arg in figure.args)  # a code that says which row it is
        loud = not named and any(sign.isdigit() for sign in figure.text)
        yield AnswerPiece(answer.text[first:last], number, loud, head, tail)
        at = last + len(tail)
    if at < end:
        yield AnswerPiece(answer.text[at:end])


def _is_marked(figure: FigureProvenance) -> bool:
    """Figures, and short words; a long text without a digit is read, not clicked."""
    return len(figure.text) <= _LONGEST_WORD or any(sign.isdigit() for sign in figure.text)


def queries_of(answer: Answer, dialect: Dialect) -> dict[str, Query]:
    """The query of every result that an answer rests on."""
    return {source.result: _query_of(source, dialect) for source in answer.sources}


def _query_of(source: SourceQuery, dialect: Dialect) -> Query:
    text = query_text(source.tool, source.arguments, dialect)
    return Query(source.result, text, source.table_name, source.row_count, source.truncated, source.digest)


def query_text(tool: str, arguments: Mapping[str, Any], dialect: Dialect) -> str:
    """A call as SQL where it is one of a table or of SQL itself, else as its arguments."""
    if tool in TOOLS:
        call = read_call(tool, dict(arguments))
        if not call.problem:
            return _one_clause_a_line(as_sql(call, dialect), dialect)
    if isinstance(said := arguments.get("sql"), str):
        return said
    return json.dumps(arguments, ensure_ascii=False, default=str, indent=1 if tool == SEMANTIC_TOOL else None)


def _one_clause_a_line(sql: str, dialect: Dialect) -> str:
    """SQL with each clause on a line of its own."""
    from sqlglot import transpile

    return str(transpile(sql, read=dialect, write=dialect, pretty=True)[0])


def proofs_of(answer: Answer, dialect: Dialect) -> tuple[Proof, ...]:
    """The proof of every figure, in the order of the text."""
    queries = queries_of(answer, dialect)
    return tuple(_proof(number, figure, queries) for number, figure in enumerate(answer.provenance))


def _proof(number: int, figure: FigureProvenance, queries: Mapping[str, Query]) -> Proof:
    cells = tuple(
        CellShown(
            arg.result,
            tuple((name, _cell_text(value)) for name, value in arg.row_key.items()),
            arg.column,
            _cell_text(arg.raw),
        )
        for arg in figure.args
    )
    used: Sequence[str] = tuple(dict.fromkeys(cell.result for cell in cells))
    return Proof(
        number,
        figure.text,
        figure.value,
        figure.kind,
        figure.expression,
        cells,
        tuple(queries[name] for name in used if name in queries),
    )


def _cell_text(value: object) -> str:
    return "NULL" if value is None else str(value)
