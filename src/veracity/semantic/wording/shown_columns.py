"""Which columns of a result a reader sees: what a row is called, its figures, what stands beside them, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from veracity.contracts import Cell
from veracity.language.nearest import words_of
from veracity.ontology.fields import FieldRole
from veracity.semantic.query import Comparison, Shown, Transform, parts_of
from veracity.semantic.query_values import Grain
from veracity.semantic.result import ColumnPart, SemanticColumn, SemanticResult
from veracity.semantic.wording.cells import CellWriter, as_day
from veracity.semantic.wording.labels import Context, Labels
from veracity.semantic.wording.phrases import context_of
from veracity.semantic.wording.read_back import Sentences
from veracity.sources.source import NUMERIC

_TECHNICAL = (["id"], ["uuid"], ["guid"], ["key"])
_KNOWN_BY = (["number"], ["no"], ["nr"], ["code"])
_COMPARED = (ColumnPart.COMPARED, ColumnPart.DIFFERENCE, ColumnPart.CHANGE)


class AnswerColumns:
    """The columns of one result as its answer tells them."""

    def __init__(self, result: SemanticResult, labels: Labels) -> None:
        self.result, self.labels = result, labels
        self._shared: dict[str, set[tuple[str, ...]]] = {}
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
        told = [column for column in columns if _names_rows(column) and self._tells(column)]
        self.names = sorted(told, key=lambda column: self._after(column, told))
        named = {(column.entity, column.field) for column in self.names if column.part is ColumnPart.NAME}
        self.values = [
            column
            for column in columns
            if not _names_rows(column) and column.part not in _COMPARED and not self._repeats(column, named)
        ]

    @property
    def decided(self) -> bool:
        """Whether the figures are those that decided which rows these are, and were not asked for themselves."""
        query = self.result.query
        return bool(self.values) and query.lists and query.limit is not None and not query.show

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
        beside = [c for c in self.result.columns if c.part is ColumnPart.NAME and same_rows(c, column)]
        if not beside or any(c.field == column.field for c in beside):
            return not beside
        if not self._is_technical(column):
            return True
        return bool(self._shared_names(column))

    def _name_beside(self, row: int, key: SemanticColumn) -> tuple[str, ...]:
        """What the row is called whose key is in this column."""
        beside = [c for c in self.result.columns if c.part is ColumnPart.NAME and same_rows(c, key)]
        return tuple(str(self.result.rows[row].get(c.column.name)) for c in beside)

    def _shared_names(self, key: SemanticColumn) -> set[tuple[str, ...]]:
        """Names that rows with different keys have, here or anywhere else in the data."""
        if key.column.name not in self._shared:
            self._shared[key.column.name] = self._counted_names(key)
        return self._shared[key.column.name]

    def _counted_names(self, key: SemanticColumn) -> set[tuple[str, ...]]:
        keys = dict[tuple[str, ...], set[str]]()
        for number, row in enumerate(self.result.rows):
            keys.setdefault(self._name_beside(number, key), set()).add(str(row.get(key.column.name)))
        return {name for name, known in keys.items() if len(known) > 1 or name in self.result.namesakes}

    def is_clear(self, row: int, key: SemanticColumn) -> bool:
        """Whether the name of a row tells which one it is."""
        return self._name_beside(row, key) not in self._shared_names(key)

    def _after(self, column: SemanticColumn, told: Sequence[SemanticColumn]) -> tuple[int, bool]:
        """Where a column stands: what only tells namesakes apart, behind the name; a code that people use, before it."""
        if self.tells_apart(column, told):
            return max(n for n, other in enumerate(told) if same_rows(other, column)), True
        return told.index(column), False

    def tells_apart(self, column: SemanticColumn, told: Sequence[SemanticColumn]) -> bool:
        """Whether it is a key of the database that stands there only because several rows have this name."""
        beside = any(other.part is ColumnPart.NAME and same_rows(other, column) for other in told)
        return column.part is ColumnPart.KEY and beside and self._is_technical(column)

    def namesake_key(self, row: int, name: SemanticColumn) -> str:
        """What tells a row from others of its name: `id 2`; nothing where the name is enough."""
        keys = [
            column
            for column in self.names
            if same_rows(column, name) and self.tells_apart(column, self.names) and not self.is_clear(row, column)
        ]
        return self.say("comma").join(
            f"{self.labels.field(f'{column.entity}.{column.field}', Context(column.entity))} "
            + self.shown.shown(self.result.rows[row].get(column.column.name), column)
            for column in keys
        )

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

    def is_series(self) -> bool:
        return bool(self.parts()) or (len(self.names) == 1 and self.names[0].part is ColumnPart.PERIOD)

    def parts(self) -> list[SemanticColumn]:
        """The year, or the year and the month, where all groups are periods in columns of their own."""
        parts = [self.labels.facts(f"{column.entity}.{column.field}") for column in self.names]
        kinds = [facts.part if facts else None for facts in parts]
        return self.names if kinds in (["year"], ["year", "month"]) and self.values else []

    def order(self) -> Sequence[int]:
        """The rows as they came; a series over time from its first period on, unless another order was asked for."""
        rows = range(len(self.result.rows))
        if not self.is_series() or self.result.query.order:
            return rows
        if parts := self.parts():
            names = [column.column.name for column in parts]
            return sorted(rows, key=lambda row: [_whole_number(self.result.rows[row].get(name)) for name in names])
        name = self.names[0].column.name
        days = [as_day(self.result.rows[row].get(name)) for row in rows]
        return sorted(rows, key=lambda row: (days[row] is None, days[row] or row))

    def label(self, column: SemanticColumn) -> str:
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

    def others(self, column: SemanticColumn) -> dict[ColumnPart, SemanticColumn]:
        """What stands beside a figure that is compared."""
        same: Shown | None = column.shown
        return {
            other.part: other
            for other in self.result.columns
            if column.part is ColumnPart.FIGURE and other.part in _COMPARED and other.shown == same
        }

    def sides(self) -> tuple[str, str]:
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

    # --- as a table has them

    def heading(self, group: Sequence[SemanticColumn]) -> str:
        """What the column is called that says what rows are: a thing by its name, a field by its own."""
        first = group[0]
        if first.dimension is not None:
            return self.words.dimensions((group[-1].dimension or first.dimension,), self.context)
        return self.labels.entity(first.entity) if first.entity and len(group) > 1 else self.label(first)

    def figure_heading(self, column: SemanticColumn) -> str:
        """What a column of figures is called: as the answer's own sentence calls it."""
        group = self.words.default_group(self.result.query)
        alone = group is not None and column.shown is not None and column.shown.transform is None
        return self.labels.segment(group.segment) if group is not None and alone else self.label(column)

    def month_named(self, row: int) -> tuple[str, str] | None:
        """The month of a row whose year and month stand in columns of their own, and the column of the month."""
        parts = self.parts()
        month = month_of([self.result.rows[row].get(c.column.name) for c in parts]) if len(parts) == 2 else None
        return (self.words.period_named(month, Grain.MONTH), parts[1].column.name) if month else None

    def is_code_of(self, before: SemanticColumn, column: SemanticColumn) -> bool:
        """Whether one column is the code that stands before the name in the other: 1020 Kantonalbank."""
        return same_rows(before, column) and column.part is ColumnPart.NAME


def _whole_number(cell: Cell) -> int:
    return int(cell) if isinstance(cell, int | Decimal) or (isinstance(cell, str) and cell.isdigit()) else 0


def month_of(cells: Sequence[Cell]) -> date | None:
    """The month of a year and a number of a month."""
    year, month = map(_whole_number, cells)
    return date(year, month, 1) if 1 <= year <= 9999 and 1 <= month <= 12 else None


def _names_rows(column: SemanticColumn) -> bool:
    """Whether a column says which row or group it is."""
    if column.part in (ColumnPart.KEY, ColumnPart.NAME):
        return True
    return column.part in (ColumnPart.FIELD, ColumnPart.PERIOD) and column.dimension is not None


def same_rows(one: SemanticColumn, other: SemanticColumn) -> bool:
    """Whether two columns are of the same entity in the same role."""
    return one.entity == other.entity and one.dimension == other.dimension
