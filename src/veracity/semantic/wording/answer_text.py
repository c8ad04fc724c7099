"""The answer of a semantic query in words, written by the program from the query and its rows; each cell in it with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from veracity.semantic.graph import SemanticModel
from veracity.semantic.result import ColumnPart, SemanticColumn, SemanticResult
from veracity.semantic.wording.cells import one_line
from veracity.semantic.wording.gaps import empty_periods
from veracity.semantic.wording.labels import Context, Labels, capital, labels_of
from veracity.semantic.wording.read_back import sentence
from veracity.semantic.wording.shown_columns import AnswerColumns, same_rows
from veracity.sources.source import NUMERIC

SHOWN_ROWS = 10
"""So many rows stand in the text of an answer."""
SHOWN_PERIODS = 36
"""So many where each is the next period of a series."""

_NAMED_GAPS = 6


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
    writer = _AnswerWriter(result, labels_of(model, lang, locale))
    writer.write()
    return WordedAnswer(writer.text, tuple(writer.cells))


class _AnswerWriter(AnswerColumns):
    """The text as it grows."""

    def __init__(self, result: SemanticResult, labels: Labels) -> None:
        super().__init__(result, labels)
        self.text = ""
        self.cells: list[CellInText] = []

    # --- shapes

    def write(self) -> None:
        """The text: one sentence or a list, then what a reader must be told."""
        rows = self.result.rows
        if not rows:
            self.text = self.say("nothing", x=self._sentence(capitalised=False))
        elif len(rows) == 1 and (self.result.query.lists or not self.names):
            self._one_row()
        else:
            self._lines(self.order())
        listed = "\n" in self.text
        for note in self._notes():
            self.text += ("\n" if listed else self.say("space")) + note

    def _sentence(self, *, capitalised: bool = True) -> str:
        text = sentence(self.words.pieces(self.result.query.normalized()))
        return capital(text) if capitalised else text

    def _one_row(self) -> None:
        if self.names and self.decided:
            self._first_of_all()
        elif self.names and len(self.values) == 1 and self.home is not None:
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

    def _first_of_all(self) -> None:
        """The store with the highest number of orders: Basel (37)."""
        self.text += self._sentence() + self.say("colon")
        self._identity(0)
        before, after = self.say("enclosed", x="\x00").split("\x00", 1)
        self.text += before
        self._figures(0, labelled=len(self.values) > 1)
        self.text += after

    def _field_of(self) -> None:
        """Population of the city Austin: 345,496."""
        entity = self.labels.entity(self.home or "")
        key = next((one for one in self.names if self._is_bare_number(one)), None)
        if key is not None and key is self.names[0] and self.label(key).casefold().startswith(f"{entity} ".casefold()):
            entity = ""  # the order id 10263, not the order order id 10263
        several = self.labels.lang == "en" and entity.endswith("s")
        label = capital(self.label(self.values[0]))
        template = self.say("field_of" if several else "field_of_one", x=label, entity=entity, name="\x00")
        before, after = template.split("\x00", 1)
        self.text += before if entity else before.replace("  ", " ")
        self._identity(0)
        self.text += (after if entity else after.replace(" ()", "")) + self.say("colon")
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
        return SHOWN_PERIODS if self.is_series() else SHOWN_ROWS

    # --- the parts of a row

    def _identity(self, row: int) -> None:
        """What a row or a group is known by: 1020 Kantonalbank; Germany, March 2025."""
        before: SemanticColumn | None = None
        if (month := self.month_named(row)) is not None:
            self._put(month[0], row, month[1])
            return
        for column in self.names:
            apart = self.tells_apart(column, self.names)
            if apart and self.is_clear(row, column):
                continue
            if before is not None and same_rows(before, column) and self._lacks(row, before, column):
                continue  # nobody's first name and last name are not stated once
            if before is not None:
                # A code stands before its name; what tells namesakes apart stands behind it.
                self.text += " " if self.is_code_of(before, column) else self.say("comma")
            if apart:
                self.text += self.labels.field(f"{column.entity}.{column.field}", Context(column.entity)) + " "
            elif self._is_bare_number(column):
                self.text += self.label(column) + " "  # a key alone would read like a figure
            self._cell(row, column)
            before = column

    def _lacks(self, row: int, *columns: SemanticColumn) -> bool:
        return all(self.result.rows[row].get(one.column.name) is None for one in columns)

    def _is_bare_number(self, column: SemanticColumn) -> bool:
        named = any(other.part is ColumnPart.NAME and same_rows(other, column) for other in self.names)
        return column.part is ColumnPart.KEY and column.column.type in NUMERIC and not named

    def _figures(self, row: int, *, labelled: bool) -> None:
        for number, column in enumerate(self.values):
            if number:
                self.text += self.say("semicolon")
            if labelled:
                self.text += self.label(column) + " "
            if self.others(column):
                self._compared(row, column)
            else:
                self._figure(row, column)

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

    def _compared(self, row: int, column: SemanticColumn) -> None:
        """1,200.00 USD (2023), 1,000.00 USD (2022); rose: +200.00 USD, +20.0%."""
        others = self.others(column)
        new, old = self.sides()
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
        others = self.others(self.values[0]) if claim and len(self.values) == 1 else {}
        difference = others.get(ColumnPart.DIFFERENCE)
        value = self.result.rows[0].get(difference.column.name) if difference else None
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            return ""
        return self.say("answered_yes" if (value > 0 if claim == ">" else value < 0) else "answered_no")

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
        if (gaps := empty_periods(result)) is not None and gaps[1]:
            named = [self.words.period_named(day, gaps[0]) for day in gaps[1][:_NAMED_GAPS]]
            more = len(gaps[1]) - len(named)
            notes.append(self.say("gaps_more" if more else "gaps", x=self.say("comma").join(named), n=more))
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
        for shared in result.shared:
            what = self.labels.entity(shared.entity, several=True)
            notes.append(self.say("shared_name", n=shared.rows, x=what, name=shared.name))
        if result.overlapping and count > 1:
            notes.append(self.say("overlapping"))
        notes += [self.say("apart_unconfirmed", x=name) for name in self._kept_apart() if count > 1]
        return notes

    def _kept_apart(self) -> list[str]:
        """What rows are told apart by because nobody has said yet which of them count."""
        asked = set[str]()
        for reference in (one.field for one in self.result.query.show if one.field):
            facts, found = self.labels.facts(reference, self.home), self.labels.resolve(reference, self.home)
            if facts and found and facts.declared and facts.declared.question:
                asked |= {name if "." in name else f"{found[0]}.{name}" for name in facts.over}
        by = [one.field for one in self.result.query.by if one.apart and one.field in asked]
        return [self.labels.field(field, Context(self.home)) for field in dict.fromkeys(by) if field]

    def _tie(self) -> str:
        query, count = self.result.query, len(self.result.rows)
        entity = query.by[0].entity if len(query.by) == 1 else self.home if query.lists else None
        if query.limit == 1 and not query.per and not query.skip:
            what = self.labels.entity(entity, several=True) if entity else self.say("rows")
            return self.say("tied", n=count, x=what)
        return self.say("tied_last", n=query.limit or count)
