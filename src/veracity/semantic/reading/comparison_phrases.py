"""The pieces of a question that compare: largest, more than, above average, older than, more than another one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from veracity.semantic.query import Condition, OrderBy
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import Attribute, Direction, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidNumber, SaidPeriod


@dataclass(frozen=True, slots=True)
class Superlative(Phrase):
    """largest, longest, second largest, top 5, most."""

    direction: Direction
    adjective: str = ""
    """Empty for top, most and the like."""
    count: int | None = None
    skip: int = 0
    fields: tuple[tuple[str, str], ...] = ()
    """The fields that the adjective belongs to: (entity, field)."""
    general: bool = False
    """Goes with every field: highest, largest, lowest."""
    counts: bool = False
    """most, fewest: with rows, their number is meant."""
    dated: bool = False
    """newest, oldest: where no field has the adjective, the date of the rows is meant."""
    never_of: tuple[str, ...] = ()
    """The entities of people: the oldest of them are not those who came first."""


@dataclass(frozen=True, slots=True)
class Comparative(Phrase):
    """longer than, more than, at least."""

    op: str
    fields: tuple[tuple[str, str], ...] = ()
    """The fields that the adjective belongs to; empty where any may be meant."""
    general: bool = False
    """Goes with every figure, too: higher, lower."""


@dataclass(frozen=True, slots=True)
class HowAdjective(Phrase):
    """An adjective in its plain form, for `how long is`."""

    fields: tuple[tuple[str, str], ...]
    asked: bool = False
    direction: Direction = 1


@dataclass(frozen=True, slots=True)
class AgeBound(Phrase):
    """older than: how many years is not said yet."""

    op: str
    born: tuple[tuple[str, str], ...]
    """The dates of birth: (entity, field)."""
    today: date = date.min


@dataclass(frozen=True, slots=True)
class AgeFilter(Phrase):
    """older than 40: a condition on people themselves, never on what belongs to them."""

    entity: str
    where: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class OpenBound(Phrase):
    """more than 5 million: a comparison whose field is not said yet."""

    op: str
    number: SaidNumber
    upper: SaidNumber | None = None
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TwoNumbers(Phrase):
    """10 and 20, of which `between` makes a comparison."""

    low: SaidNumber
    high: SaidNumber


@dataclass(frozen=True, slots=True)
class AverageBound(Phrase):
    """above average: a comparison with the average of a field that is not said yet."""

    op: str
    fields: tuple[tuple[str, str], ...] = ()
    over: str = ""
    """The entity of whose rows it is the average, where it is said: than the average customer."""


@dataclass(frozen=True, slots=True)
class FieldBound(Phrase):
    """below the reorder level, after the due date: what another field of the same row is compared with."""

    op: str
    limit: Attribute


@dataclass(frozen=True, slots=True)
class FigureBound(Phrase):
    """revenue over 100: a comparison of a figure of each row; without a number with the average over the rows."""

    figures: FigurePhrase
    op: str
    value: Decimal | None = None
    over: str = ""
    """The entity that it is compared within, where it is said."""
    only_those: bool = False
    """Whether the average is of those that have any: of what is vague, each way of counting would be one more."""


@dataclass(frozen=True, slots=True)
class WithoutFigure(Phrase):
    """without revenue in 2024: of whom is not said yet."""

    figures: FigurePhrase


@dataclass(frozen=True, slots=True)
class VagueRows(Phrase):
    """large customers: from what on they are large is not said."""

    rows: RowsPhrase
    direction: Direction
    fields: tuple[str, ...]
    """The fields that it may be about."""
    counted: bool = False
    """Whether their number is asked for."""


@dataclass(frozen=True, slots=True)
class TopFilter(Phrase):
    """`with the largest population`: of rows of an entity those first in an order."""

    entity: str
    order: tuple[OrderBy, ...]
    limit: int = 1
    skip: int = 0
    edge: tuple[str, ...] = ()
    may_be: tuple[str, ...] = ()
    added: bool = False
    """Whether what belongs to a row is added up: the most hours, not the longest shift."""
    amassed: bool = False
    """Whether the most of a field is said: of who has several of them it is none of them by itself."""


@dataclass(frozen=True, slots=True)
class Commonest(Phrase):
    """the most common kind: the value or the row that most rows have."""

    what: Attribute | RowsPhrase
    direction: Direction
    count: int = 1


@dataclass(frozen=True, slots=True)
class MoreOf(Phrase):
    """more invoices, more people: than whom is not said yet."""

    op: str
    what: Attribute | RowsPhrase | FigurePhrase
    times: Decimal = Decimal(1)
    """Twice as many: so many times what it is compared with."""


@dataclass(frozen=True, slots=True)
class ThanRows(Phrase):
    """than Frank Harris: what is compared is not said yet, or stands before it."""

    rows: RowsPhrase
    op: str = ""


@dataclass(frozen=True, slots=True)
class ThanPeriod(Phrase):
    """higher than in 2023, more loans in 2024 than in 2023: of what, or of when, may stand before it."""

    op: str
    than: SaidPeriod
    first: SaidPeriod | None = None
    what: FigurePhrase | None = None


@dataclass(frozen=True, slots=True)
class ThanNamed(Phrase):
    """more books than Glauser: who has them stands before it."""

    op: str
    what: FigurePhrase
    than: RowsPhrase
