"""The answer of a semantic query in words, written by the program from the query and its rows; each cell in it with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from math import isfinite

from veracity.contracts import Cell
from veracity.language.nearest import words_of
from veracity.ontology.descriptor import FieldRole
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, Grain, Shown, Transform, parts_of
from veracity.semantic.result import ColumnPart, SemanticColumn, SemanticResult
from veracity.semantic.wording.cells import CellWriter, as_day, one_line
from veracity.semantic.wording.labels import Context, Labels, capital
from veracity.semantic.wording.phrases import context_of
from veracity.semantic.wording.read_back import Sentences, sentence
from veracity.sources.source import NUMERIC

SHOWN_ROWS = 10
"""So many rows stand in the text of an answer."""
SHOWN_PERIODS = 36
"""So many where each is the next period of a series."""
_TECHNICAL = (["id"], ["uuid"], ["guid"], ["key"])
_KNOWN_BY = (["number"], ["no"], ["nr"], ["code"])
_COMPARED = (ColumnPart.COMPARED, ColumnPart.DIFFERENCE, ColumnPart.CHANGE)


@dataclass(frozen=True, slots=True)
class CellInText:
    """A stretch of an answer's text that shows a cell of the result."""

    start: int
    end: int
    row: int
    column: str


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """The text of an answer, and which cell each figure and each name in it comes from."""

    text: str
    cells: tuple[CellInText, ...] = ()


def answer_text(result: SemanticResult, model: SemanticModel, lang: str, locale: str | None = None) -> WordedAnswer:
    """The result in words; never raises, whatever the rows hold."""
    writer = _AnswerWriter(result, Labels(model, lang, locale))
    writer.write()
    return WordedAnswer(writer.text, tuple(writer.cells))


@dataclass
class _AnswerWriter:
    """The text as it grows."""

    result: SemanticResult
    labels: Labels
    text: str = ""
    cells: list[CellInText] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.words = Sentences(self.labels)
        self.shown = CellWriter(self.words)
        self.say = self.labels.say
        self.context = context_of(self.result.query, self.labels.model)
        self.home = self.context.home
        self.pinned = {
            self.labels.resolve(part.field, self.home)
            for part in parts_of(self.result.query.where)
            if isinstance(part, Comparison) and part.op == "=" and not part.via and not part.grain
        }
        units = {column.unit_column for column in self.result.columns}
        columns = [
            column
            for column in self.result.columns
            if column.column.name not in units and not self._goes_without_saying(column)
        ]
        self.names = [column for column in columns if _names_rows(column) and self._tells(column)]
        named = {(column.entity, column.field) for column in self.names if column.part is ColumnPart.NAME}
        self.values = [
            column
            for column in columns
            if not _names_rows(column) and column.part not in _COMPARED and not self._repeats(column, named)
        ]

    # --- which columns are shown

    def _goes_without_saying(self, column: SemanticColumn) -> bool:
        """Whether it only keeps figures apart, and there is nothing to keep apart."""
        apart = column.dimension is not None and column.dimension.apart
        return apart and len({str(row.get(column.column.name)) for row in self.result.rows}) < 2

    def _tells(self, column: SemanticColumn) -> bool:
        """Whether a key says something to a reader: a code, the only thing to know a row by, or what tells namesakes apart."""
        if column.part is not ColumnPart.KEY:
            return True
        if column.dimension is None and (column.entity, column.field) in self.pinned:
            return len(self.result.rows) == 1 and self._is_name(column)
        beside = [c for c in self.result.columns if c.part is ColumnPart.NAME and _same_rows(c, column)]
        if not beside or any(c.field == column.field for c in beside):
            return not beside
        if not self._is_technical(column):
            return True
        names = {tuple(str(row.get(c.column.name)) for c in beside) for row in self.result.rows}
        keys = {
            (*(str(row.get(c.column.name)) for c in beside), str(row.get(column.column.name)))
            for row in self.result.rows
        }
        return len(keys) > len(names)

    def _is_name(self, column: SemanticColumn) -> bool:
        """Whether rows are called by this key: the city Austin, whose key is its name and its state."""
        thing = self.labels.model.things.get(column.entity or "")
        return thing is not None and column.field in thing.display

    def _is_technical(self, column: SemanticColumn) -> bool:
        """Whether a key is a number of the database that nobody knows a thing by."""
        facts = self.labels.facts(f"{column.entity}.{column.field}")
        if facts is not None and facts.role is not None:
            return facts.role is FieldRole.IDENTIFIER
        last = words_of(column.field or "").split()[-1:]
        return last in _TECHNICAL or (column.column.type in NUMERIC and last not in _KNOWN_BY)

    def _repeats(self, column: SemanticColumn, named: set[tuple[str | None, str | None]]) -> bool:
        """Whether a field is the name that stands before it anyway."""
        via = column.shown.via if column.shown else ()
        return column.part is ColumnPart.FIELD and not via and (column.entity, column.field) in named

    # --- shapes

    def write(self) -> None:
        """The text: one sentence or a list, then what a reader must be told."""
        rows = self.result.rows
        if not rows:
            self.text = self.say("nothing", x=self._sentence(capitalised=False))
        elif len(rows) == 1 and (self.result.query.lists or not self.names):
            self._one_row()
        else:
            self._lines(self._order())
        listed = "\n" in self.text
        for note in self._notes():
            self.text += ("\n" if listed else self.say("space")) + note

    def _sentence(self, *, capitalised: bool = True) -> str:
        text = sentence(self.words.pieces(self.result.query.normalized()))
        return capital(text) if capitalised else text

    def _one_row(self) -> None:
        if self.names and len(self.values) == 1 and self.home is not None:
            self._field_of()
        elif self.names and self.values:
            self._identity(0)
            self.text += self.say("enclosed", x=self.labels.entity(self.home or "")) + self.say("colon")
            self._figures(0, labelled=True)
        else:
            self.text += self._yes_or_no() + self._sentence() + self.say("colon")
            if self.names:
                self._identity(0)
            else:
                self._figures(0, labelled=len(self.values) > 1)
        self.text += self.say("stop")

    def _field_of(self) -> None:
        """Population of the city Austin: 345,496."""
        entity = self.labels.entity(self.home or "")
        several = self.labels.lang == "en" and entity.endswith("s")
        label = capital(self._label(self.values[0]))
        template = self.say("field_of" if several else "field_of_one", x=label, entity=entity, name="\x00")
        before, after = template.split("\x00", 1)
        self.text += before
        self._identity(0)
        self.text += after + self.say("colon")
        self._figures(0, labelled=False)

    def _lines(self, order: Sequence[int]) -> None:
        """One line per row: its names, then its figures."""
        self.text += self._sentence() + self.say("heading")
        for row in order[: self._most()]:
            self.text += "\n- "
            if self.names:
                self._identity(row)
            if self.names and self.values:
                self.text += self.say("colon")
            self._figures(row, labelled=len(self.values) > 1)

    def _most(self) -> int:
        return SHOWN_PERIODS if self._is_series() else SHOWN_ROWS

    def _is_series(self) -> bool:
        return bool(self._parts()) or (len(self.names) == 1 and self.names[0].part is ColumnPart.PERIOD)

    def _parts(self) -> list[SemanticColumn]:
        """The year, or the year and the month, where all groups are periods in columns of their own."""
        parts = [self.labels.facts(f"{column.entity}.{column.field}") for column in self.names]
        kinds = [facts.part if facts else None for facts in parts]
        return self.names if kinds in (["year"], ["year", "month"]) and self.values else []

    def _order(self) -> Sequence[int]:
        """The rows as they came; a series over time from its first period on, unless another order was asked for."""
        rows = range(len(self.result.rows))
        if not self._is_series() or self.result.query.order:
            return rows
        if parts := self._parts():
            names = [column.column.name for column in parts]
            return sorted(rows, key=lambda row: [_whole_number(self.result.rows[row].get(name)) for name in names])
        name = self.names[0].column.name
        days = [as_day(self.result.rows[row].get(name)) for row in rows]
        return sorted(rows, key=lambda row: (days[row] is None, days[row] or row))

    # --- the parts of a row

    def _identity(self, row: int) -> None:
        """What a row or a group is known by: 1020 Kantonalbank; Germany, March 2025."""
        before: SemanticColumn | None = None
        parts = self._parts()
        if len(parts) == 2 and (month := _month_of([self.result.rows[row].get(c.column.name) for c in parts])):
            self._put(self.words.period_named(month, Grain.MONTH), row, parts[1].column.name)
            return
        for column in self.names:
            if before is not None:
                # A code stands before its name; what tells namesakes apart stands behind it.
                together = _same_rows(before, column) and column.part is ColumnPart.NAME
                self.text += " " if together else self.say("comma")
            if self._is_bare_number(column):
                self.text += self._label(column) + " "  # a key alone would read like a figure
            self._cell(row, column)
            before = column

    def _is_bare_number(self, column: SemanticColumn) -> bool:
        named = any(other.part is ColumnPart.NAME and _same_rows(other, column) for other in self.names)
        return column.part is ColumnPart.KEY and column.column.type in NUMERIC and not named

    def _figures(self, row: int, *, labelled: bool) -> None:
        for number, column in enumerate(self.values):
            if number:
                self.text += self.say("semicolon")
            if labelled:
                self.text += self._label(column) + " "
            if self._others(column):
                self._compared(row, column)
            else:
                self._figure(row, column)

    def _label(self, column: SemanticColumn) -> str:
        if self._stands_beside(column):
            return self.say("change_beside")
        if column.shown is not None:
            return self.words.shown(column.shown, self.context)
        if column.entity and column.field:
            return self.labels.field(f"{column.entity}.{column.field}", self.context)
        return column.column.name

    def _stands_beside(self, column: SemanticColumn) -> bool:
        """Whether it is the change in percent of the one other figure that is shown."""
        shown = column.shown
        if shown is None or shown.transform is not Transform.CHANGE_PERCENT or len(self.values) != 2:
            return False
        return self.values[0].shown == shown.model_copy(update={"transform": None})

    def _figure(self, row: int, column: SemanticColumn) -> None:
        """A figure with its unit."""
        cell = self.result.rows[row].get(column.column.name)
        self._cell(row, column)
        if column.unit_column is not None and cell is not None:
            unit = self.result.rows[row].get(column.unit_column)
            if unit is not None and (text := one_line(str(unit))):
                self.text += " "
                self._put(text, row, column.unit_column)
        elif unit_name := self.shown.unit(cell, column):
            self.text += f" {unit_name}"

    def _cell(self, row: int, column: SemanticColumn) -> None:
        name = column.column.name
        self._put(self.shown.shown(self.result.rows[row].get(name), column), row, name)

    def _put(self, text: str, row: int, column: str) -> None:
        start = len(self.text)
        self.text += text
        self.cells.append(CellInText(start, len(self.text), row, column))

    # --- comparisons

    def _others(self, column: SemanticColumn) -> dict[ColumnPart, SemanticColumn]:
        """What stands beside a figure that is compared."""
        same: Shown | None = column.shown
        return {
            other.part: other
            for other in self.result.columns
            if column.part is ColumnPart.FIGURE and other.part in _COMPARED and other.shown == same
        }

    def _compared(self, row: int, column: SemanticColumn) -> None:
        """1,200.00 USD (2023), 1,000.00 USD (2022); rose: +200.00 USD, +20.0%."""
        others = self._others(column)
        new, old = self._sides()
        self._figure(row, column)
        self.text += self.say("enclosed", x=new)
        if other := others.get(ColumnPart.COMPARED):
            self.text += self.say("comma")
            self._figure(row, other)
            self.text += self.say("enclosed", x=old)
        difference = others.get(ColumnPart.DIFFERENCE)
        value = self.result.rows[row].get(difference.column.name) if difference else None
        if difference is None or isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            return
        if not (value.is_finite() if isinstance(value, Decimal) else isfinite(value)):
            return
        over_time = self.result.query.compare is None or not self.result.query.compare.members
        more, less, same = ("rose", "fell", "same") if over_time else ("more", "less", "equal")
        self.text += self.say("comma") + self.say(more if value > 0 else less if value < 0 else same)
        if not value:
            return
        self.text += self.say("colon")
        self._figure(row, difference)
        change = others.get(ColumnPart.CHANGE)
        if change is not None and self.result.rows[row].get(change.column.name) is not None:
            self.text += self.say("comma")
            self._figure(row, change)

    def _yes_or_no(self) -> str:
        """Yes or no, where that was asked and both figures are known."""
        claim = self.result.query.compare.claim if self.result.query.compare else None
        others = self._others(self.values[0]) if claim and len(self.values) == 1 else {}
        difference = others.get(ColumnPart.DIFFERENCE)
        value = self.result.rows[0].get(difference.column.name) if difference else None
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            return ""
        return self.say("answered_yes" if (value > 0 if claim == ">" else value < 0) else "answered_no")

    def _sides(self) -> tuple[str, str]:
        """What is compared, and with what."""
        query = self.result.query
        compare = query.compare
        if compare is None:
            return "", ""
        if compare.period is not None:
            return self.words.days(query.period) if query.period else "", self.words.days(compare.period)
        facts = self.labels.facts(compare.field, self.home)
        old, new = (self.words.literal(member, facts) for member in compare.members)
        return new, old

    # --- what a reader must be told

    def _notes(self) -> list[str]:
        result, notes = self.result, list[str]()
        count = len(result.rows)
        shown = min(count, self._most())
        if shown < count:
            key = "first_shown_of_more" if result.truncated else "first_shown"
            notes.append(self.say(key, n=shown, all=count))
        elif result.truncated:
            notes.append(self.say("truncated", n=count))
        if result.tied and count:
            notes.append(self._tie())
        for missing in result.missing:
            entity, _, _ = missing.field.rpartition(".")
            what = self.labels.entity(entity, several=True) if entity else self.say("rows")
            key = "missing_value" if missing.rows == 1 else "missing_values"
            name = self.labels.field(missing.field, Context(entity or self.home))
            notes.append(self.say(key, n=missing.rows, all=missing.of, x=what, field=name))
        for partner in result.partners:
            start, end = partner.step.start, partner.step.end
            said = {"of": self.labels.entity(start, several=partner.rows > 1), "x": self.labels.entity(end)}
            notes.append(self.say("not_stored", n=partner.rows, role=self.labels.role(partner.step), **said))
        if result.overlapping and count > 1:
            notes.append(self.say("overlapping"))
        return notes

    def _tie(self) -> str:
        query, count = self.result.query, len(self.result.rows)
        entity = query.by[0].entity if len(query.by) == 1 else self.home if query.lists else None
        if query.limit == 1 and not query.per and not query.skip:
            what = self.labels.entity(entity, several=True) if entity else self.say("rows")
            return self.say("tied", n=count, x=what)
        return self.say("tied_last", n=query.limit or count)


def _whole_number(cell: Cell) -> int:
    return int(cell) if isinstance(cell, int | Decimal) or (isinstance(cell, str) and cell.isdigit()) else 0


def _month_of(cells: Sequence[Cell]) -> date | None:
    """The month of a year and a number of a month."""
    year, month = map(_whole_number, cells)
    return date(year, month, 1) if 1 <= year <= 9999 and 1 <= month <= 12 else None


def _names_rows(column: SemanticColumn) -> bool:
    """Whether a column says which row or group it is."""
    if column.part in (ColumnPart.KEY, ColumnPart.NAME):
        return True
    return column.part in (ColumnPart.FIELD, ColumnPart.PERIOD) and column.dimension is not None


def _same_rows(one: SemanticColumn, other: SemanticColumn) -> bool:
    """Whether two columns are of the same entity in the same role."""
    return one.entity == other.entity and one.dimension == other.dimension
