"""The cells of a semantic result as people read them: figures with units in the locale's form, periods by name, keys as they are."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal

from veracity.contracts import Cell
from veracity.language.locale import printable
from veracity.language.numbers import format_date, format_number
from veracity.ontology.fields import Encoding, FieldRole
from veracity.query.catalog import FieldFacts
from veracity.semantic.checking.plan import DAYS
from veracity.semantic.query import YEARS, Aggregate, Transform, is_age
from veracity.semantic.query_values import Grain
from veracity.semantic.result import ColumnPart, SemanticColumn
from veracity.semantic.wording.labels import Context as Naming
from veracity.semantic.wording.labels import Labels
from veracity.semantic.wording.phrases import Phrases, is_grouped

_COMPUTED = frozenset({ColumnPart.FIGURE, ColumnPart.COMPARED, ColumnPart.DIFFERENCE, ColumnPart.CHANGE})
_SIGNED = frozenset({ColumnPart.DIFFERENCE, ColumnPart.CHANGE})
_PERCENT = frozenset({Transform.SHARE, Transform.CHANGE_PERCENT})
_STORED_DECIMALS, _COMPUTED_DECIMALS, _PERCENT_DECIMALS, _MOST_DECIMALS = 6, 2, 1, 12
_MOST_DIGITS, _EXACT_DECIMALS = 40, 4
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class CellWriter:
    """How cells are written in one language and locale."""

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.labels: Labels = phrases.labels

    def shown(self, cell: Cell, column: SemanticColumn) -> str:
        """A cell without its unit; a percentage with its sign."""
        if cell is None:
            named = column.part in (ColumnPart.KEY, ColumnPart.NAME, ColumnPart.PERIOD) or column.dimension is not None
            computed = column.part in _SIGNED or (column.shown is not None and column.shown.transform is not None)
            return self.labels.say("no_name" if named else "no_figure" if computed else "no_value")
        if _grain_of(column) is Grain.WEEKDAY and isinstance(cell, int):
            return self.phrases.weekday(cell)
        if column.part is ColumnPart.PERIOD:
            return self._period(cell, column)
        if isinstance(cell, bool):
            return self._of_what(self.labels.say("true" if cell else "false"), column)
        if isinstance(cell, datetime | date):
            return self._moment(cell)
        if isinstance(cell, str):
            said = one_line(cell) or self.labels.say("empty_text")
            facts = self._facts_of(column)
            return self._of_what(said, column) if facts is not None and facts.role is FieldRole.FLAG else said
        return self._number(cell, column)

    def unit(self, cell: Cell, column: SemanticColumn) -> str | None:
        """The unit that stands behind a figure, where all values of the column have the same."""
        if cell is None or is_percent(column):
            return None
        counts_days = column.shown is not None and column.shown.since is not None and column.unit == DAYS
        if column.unit == YEARS and column.shown is not None and is_age(column.shown):
            return self.labels.say("years_unit")
        return self.labels.say("days_unit") if counts_days else column.unit

    def _number(self, cell: int | float | Decimal, column: SemanticColumn) -> str:
        number = Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell)
        if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
            return one_line(str(cell))
        facts = self._facts_of(column)
        if facts is not None and facts.role is FieldRole.FLAG and number in (0, 1) and column.part is ColumnPart.FIELD:
            return self._of_what(self.labels.say("true" if number else "false"), column)
        if facts is not None and facts.guard is not None and not self._counts(column):
            return self._encoded(number, facts.guard)
        grouping = column.part is not ColumnPart.KEY and (is_grouped(facts) or self._counts(column))
        decimals = None if isinstance(cell, int) else _decimals(number, column)
        text = format_number(number, self.labels.locale, decimals=decimals, grouping=grouping)
        signed = column.part in _SIGNED or (
            column.shown and column.shown.transform in (Transform.CHANGE, Transform.CHANGE_PERCENT)
        )
        sign = "+" if signed and number > 0 else ""
        percent = (" %" if self.labels.lang == "de" else "%") if is_percent(column) else ""
        return f"{sign}{text}{percent}"

    def _of_what(self, said: str, column: SemanticColumn) -> str:
        """A yes or no, with of what where nobody asked for such groups: returned No."""
        apart = column.dimension.field if column.dimension is not None and column.dimension.apart else None
        return f"{self.labels.field(apart, Naming(column.entity))} {said}" if apart else said

    def _facts_of(self, column: SemanticColumn) -> FieldFacts | None:
        if column.shown is not None and column.shown.since is not None:
            return None  # a number of days, not the date
        reference = f"{column.entity}.{column.field}" if column.entity and column.field else None
        if reference is None and column.shown is not None:
            reference = column.shown.field
        return self.labels.facts(reference)

    def _counts(self, column: SemanticColumn) -> bool:
        """Whether a figure is a number of things, whatever the field it counts."""
        shown = column.shown
        if shown is None or column.part not in _COMPUTED:
            return False
        return shown.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT) or shown.transform is not None

    def _encoded(self, number: Decimal, encoding: Encoding) -> str:
        seconds = number / 1000 if encoding is Encoding.UNIX_MILLISECONDS else number
        try:
            return self._moment(_EPOCH + timedelta(seconds=float(seconds)))
        except (OverflowError, ValueError):
            return format(number, "f")

    def _moment(self, moment: date) -> str:
        if not isinstance(moment, datetime):
            return format_date(moment, self.labels.locale)
        day = format_date(moment.date(), self.labels.locale)
        if not (moment.hour or moment.minute or moment.second):
            return day
        return f"{day} {moment.strftime('%H:%M:%S' if moment.second else '%H:%M')}"

    def _period(self, cell: Cell, column: SemanticColumn) -> str:
        day = as_day(cell)
        grain = _grain_of(column)
        if day is not None:
            return self.phrases.period_named(day, grain or Grain.DAY)
        return one_line(str(cell)) or self.labels.say("empty_text")


def _grain_of(column: SemanticColumn) -> Grain | None:
    """What is taken of the date that a column shows."""
    return column.dimension.grain if column.dimension else column.shown.grain if column.shown else None


def is_percent(column: SemanticColumn) -> bool:
    """Whether its figures are percentages."""
    if column.part is ColumnPart.CHANGE:
        return True
    transformed = column.shown is not None and column.shown.transform in _PERCENT
    return column.part in (ColumnPart.FIGURE, ColumnPart.COMPARED) and (transformed or column.unit == "%")


def as_day(cell: Cell) -> date | None:
    """The day that a cell holds."""
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    try:
        return date.fromisoformat(cell[:10]) if isinstance(cell, str) else None
    except ValueError:
        return None


def _decimals(number: Decimal, column: SemanticColumn) -> int:
    """How many decimals to show; always enough that a small number is not shown as 0."""
    exponent = number.as_tuple().exponent
    own = max(0, -exponent) if isinstance(exponent, int) else 0
    if is_percent(column):
        digits = min(own, _PERCENT_DECIMALS)
    elif column.column.scale is not None and not (column.part in _COMPUTED and column.column.scale > _EXACT_DECIMALS):
        return max(0, column.column.scale)
    elif column.column.scale is not None:
        # A quotient, with more digits than anybody reads.
        digits = _COMPUTED_DECIMALS
        if not number or abs(number) >= _small(digits, column):
            return digits
    else:
        digits = min(own, _COMPUTED_DECIMALS if column.part in _COMPUTED else _STORED_DECIMALS)
    if own > digits and number and abs(number) < _small(digits, column):
        digits = min(own, max(digits, _MOST_DECIMALS), 1 - number.adjusted())
    context = Context(prec=max(50, number.adjusted() + digits + 5), rounding=ROUND_HALF_UP)
    rounded = number.quantize(Decimal(1).scaleb(-digits), context=context)
    if is_percent(column) and rounded != number:
        return digits  # 4.0 % says more than 4 %
    return len(format(rounded, "f").partition(".")[2].rstrip("0"))


def _small(digits: int, column: SemanticColumn) -> Decimal:
    """Below what a number needs more digits: what would be shown as 0, and a quotient of which one digit would be left."""
    quotient = column.shown is not None and column.shown.ratio is not None and not is_percent(column)
    return Decimal(1).scaleb(1 - digits) if quotient else Decimal(5).scaleb(-digits - 1)


def one_line(text: str) -> str:
    """A text of the data as it stands in a sentence."""
    return printable(re.sub(r"\s+", " ", text).strip())
