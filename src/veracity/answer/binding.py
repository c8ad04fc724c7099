"""Figures in free text, bound after the fact: a value counts only together with its row and its column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from veracity.answer.figures import Figure, find_figures
from veracity.answer.render import Echo, FigureProvenance, Rendered, echoed, list_items
from veracity.answer.results import Result
from veracity.answer.values import Arg, arg_of
from veracity.ontology.descriptor import FieldRole
from veracity.query.catalog import Catalog
from veracity.query.nearest import words_of
from veracity.trace import Cell, QueryValidationError, ValidationErrorCode

_SENTENCE_ENDS = re.compile(r"(?<=[!?。！？；;\n])|(?<=[^0-9][.])(?=\s)|(?<=[0-9][.])(?=\s+[A-ZÄÖÜ])")
_NAMING = frozenset({FieldRole.CODE, FieldRole.NAME, FieldRole.IDENTIFIER, FieldRole.PERIOD, FieldRole.CATEGORY})


@dataclass(frozen=True, slots=True)
class _Place:
    """A cell that holds a figure's value."""

    result: Result
    index: int
    column: str

    @property
    def cell(self) -> Cell:
        return self.result.data.rows[self.index][self.column]


def bind_text(
    text: str,
    results: Mapping[str, Result],
    catalog: Catalog,
    *,
    locale: str,
    echo: Echo,
    constants: Mapping[str, Decimal],
) -> Rendered | QueryValidationError:
    """The text as it is, with provenance for every figure; a figure that cannot be tied to one cell refuses it."""
    figures: list[FigureProvenance] = []
    used: set[str] = set()
    items = list_items(text)
    for start, sentence in _sentences(text):
        for figure in find_figures(sentence, locale):
            if start + figure.start in items:
                continue
            bound = _bind(figure, sentence, results, catalog, echo=echo, constants=constants)
            if isinstance(bound, QueryValidationError):
                return bound
            if bound is not None:
                span = (start + figure.start, start + figure.end)
                figures.append(bound.model_copy(update={"span": span}))
                used.update(arg.result for arg in bound.args)
    if not text.strip():
        return _unbound("answer", "The answer is empty.")
    return Rendered(text, tuple(figures), frozenset(used), (), has_figures=bool(used))


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for end in [*(found.start() for found in _SENTENCE_ENDS.finditer(text)), len(text)]:
        if end > start:
            yield start, text[start:end]
            start = end


def _bind(
    figure: Figure,
    sentence: str,
    results: Mapping[str, Result],
    catalog: Catalog,
    *,
    echo: Echo,
    constants: Mapping[str, Decimal],
) -> FigureProvenance | QueryValidationError | None:
    places = [place for result in results.values() for place in _places(figure, result)]
    named = [place for place in places if _names_row(place, sentence) and _names_column(place, sentence, catalog)]
    cells = list(dict.fromkeys((p.result.data.result_id, p.index, p.column) for p in named))
    if len(cells) == 1 or (named and all(isinstance(place.cell, str) for place in named)):
        return _provenance(figure, named[0], "cell")
    if echoed(figure, sentence, echo) is not None:
        return _provenance(figure, None, "question")
    if any(value in figure.readings for value in constants.values()):
        return _provenance(figure, None, "constant")
    why = "stands in several places" if cells else "cannot be tied to one row and column"
    return _unbound(figure.text, f"{figure.text} {why}: name both, as the result has them.")


def _provenance(figure: Figure, place: _Place | None, kind: str) -> FigureProvenance:
    args: tuple[Arg, ...] = ()
    if place is not None:
        args = (arg_of(place.result, place.index, place.column),)
    value = str(figure.readings[0]) if figure.readings else (figure.dates[0].isoformat() if figure.dates else None)
    return FigureProvenance.model_validate(
        {
            "span": (0, 0),
            "text": figure.text,
            "value": value,
            "kind": kind,
            "expression": None,
            "args": args,
            "status": "bound",
        }
    )


def _places(figure: Figure, result: Result) -> Iterator[_Place]:
    for index, row in enumerate(result.data.rows):
        for column, cell in row.items():
            if _holds(cell, figure):
                yield _Place(result, index, column)


def _holds(cell: Cell, figure: Figure) -> bool:
    if isinstance(cell, bool) or cell is None:
        return False
    if isinstance(cell, str):
        return cell.casefold() == figure.text.casefold()
    if isinstance(cell, int | float | Decimal):
        value = cell if isinstance(cell, Decimal) else Decimal(repr(cell))
        near = zip(figure.readings, figure.tolerances, strict=True)
        return any(abs(value - reading) <= tolerance for reading, tolerance in near)
    return any(day == cell for day in figure.dates)


def _names_row(place: _Place, sentence: str) -> bool:
    """A figure belongs to a row that its sentence names, or to the only row there is."""
    result = place.result
    if result.data.row_count == 1 and not result.data.truncated:
        return True
    row = result.data.rows[place.index]
    naming = [
        name
        for name, facts in result.columns.items()
        if name != place.column and (name in result.key or facts.role in _NAMING)
    ]
    telling = [name for name in naming if len({str(other[name]) for other in result.data.rows}) > 1]
    return any(_says(sentence, str(row[name])) for name in telling if row[name] is not None)


def _names_column(place: _Place, sentence: str, catalog: Catalog) -> bool:
    """A figure belongs to a column that its sentence names, or to the only column of figures."""
    result = place.result
    figures = [
        name
        for name, facts in result.columns.items()
        if facts.role not in _NAMING and isinstance(result.data.rows[place.index][name], int | float | Decimal)
    ]
    if isinstance(place.cell, str) or figures in ([place.column], []):
        return True
    return any(_says(sentence, word) for word in _column_words(place.column, result, catalog))


def _column_words(column: str, result: Result, catalog: Catalog) -> Sequence[str]:
    entity = catalog.entities[result.call.table]
    name = result.call.target if column not in entity.fields and result.call.target else column
    facts = entity.fields.get(name)
    declared = facts.declared if facts else None
    labels = [*declared.label.values(), *(s for group in declared.synonyms.values() for s in group)] if declared else []
    return [column, words_of(column), *labels]


def _says(sentence: str, word: str) -> bool:
    if not word:
        return False
    # Latin names count as whole words, so that 102 is not found in 1020.
    edges = (r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])") if word.isascii() else ("", "")
    return re.search(f"{edges[0]}{re.escape(word)}{edges[1]}", sentence, re.IGNORECASE) is not None


def _unbound(name: str, hint: str) -> QueryValidationError:
    return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field=name, hint=hint)
