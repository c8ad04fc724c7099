"""What each column is: one function per class over the column, its name, its counts and its table; the first that knows decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isclose

from veracity.language.currencies import CURRENCIES
from veracity.language.people import means_people
from veracity.language.units import unit_called
from veracity.language.verb_forms import is_past_form
from veracity.ontology.draft.discounts import is_part_of_one
from veracity.ontology.draft.findings import (
    SURE_FROM,
    ColumnClass,
    ColumnProfile,
    ColumnVerdict,
    FoundKey,
    FoundRelation,
    TableProfile,
)
from veracity.ontology.draft.flows import counts_up, is_amount_of_table, is_passing, is_time_off
from veracity.ontology.draft.listed_things import listed_column
from veracity.ontology.draft.names import (
    ends_in,
    in_list,
    is_amount_in,
    is_whole_name,
    lasts,
    lists,
    same_noun,
    says,
    singular,
    sizes_things,
    split,
    unit_in,
    without_unit,
    words_for,
)
from veracity.ontology.draft.plain_names import is_done_by_measure
from veracity.sources.source import NUMERIC, ColumnType

_FEW = 30
_CENTS = "ct"
_SHORTEST_DONE = 4
_FEWEST_BITS = 5
_AGAIN, _SHORT_TEXT = 5, 40
_LONG = 60.0
_FEWEST_FIGURES = 8
"""Texts of figures with fewer different values are codes."""
_FEWEST_NAMES = 3
"""Of fewer rows nobody can tell that each has a name of its own."""
_YEARS = range(1500, 2201)
_FEWEST_ADDED = 4
"""Of fewer rows one is easily the sum of the others by chance."""
_UNIX = (315_532_800, 4_102_444_800)


@dataclass(frozen=True)
class Proofs:
    """What the data proved of columns, by `(table, column)`, each with its sentence."""

    sums: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Held to be the sum of details, or the details of a sum."""
    copies: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The same in all rows of a repeated name."""
    products: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The product of two other columns."""


@dataclass(frozen=True)
class Sight:
    """A column and all that is known around it."""

    table: TableProfile
    column: ColumnProfile
    key: FoundKey | None
    relation: FoundRelation | None
    proofs: Proofs
    vocabulary: frozenset[str]
    dated: bool
    """Whether the table has a date of events, of its own or one key away."""
    is_snapshot: bool
    """Whether its rows are things at times: the key is what and when."""
    times: tuple[str, ...] = ()
    """The columns of the key that say when."""
    yearly: frozenset[str] = frozenset()
    """The columns that say how large things were in each year."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the column's name."""
        return split(self.column.name, self.vocabulary)

    @cached_property
    def is_event(self) -> bool:
        """Whether the table is called what happens once: sales, payments."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        return says(named[-1:], "events") and not says(named, "snapshot_tables")

    @cached_property
    def is_load(self) -> bool:
        """Whether each row of the table is something that was moved: shipments, parcels."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        return in_list(singular(named[-1]), "loads")

    @cached_property
    def is_of_own_row(self) -> bool:
        """Whether the name says what of each row it is: the cost of a treatment, in a table of treatments."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        rest = self.words[2:] if self.words[1:2] == ("of",) else self.words[:-1]
        return bool(rest) and same_noun(rest, named)

    @cached_property
    def is_counting(self) -> bool:
        """Whether its rows say how many were counted at a time; not of what is in stock."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        return self.dated and says(named[-1:], "counting_tables") and not says(named, "levels")

    @cached_property
    def is_counted_there(self) -> bool:
        """Whether the table is called the counts of just this: bicycles of bicycle counts."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        counts = len(named) > 1 and in_list(named[-1], "counted_by") and not says(named, "levels")
        return self.dated and counts and same_noun(self.words, named[:-1])

    @cached_property
    def is_of_things(self) -> bool:
        """Whether it is a number in a table of things: each row is one, and no time makes it that thing at a time."""
        alone = self.key is not None and len(self.key.columns) == 1 and self.column.type in NUMERIC
        timed = self.dated or self.is_snapshot or self.is_event or self.is_counting
        return alone and not timed and not self.has_time

    @cached_property
    def has_time(self) -> bool:
        """Whether the table has a column for when, other than when a thing began: a year, a month, a date."""
        return any(
            column.type in (ColumnType.DATE, ColumnType.TIMESTAMP)
            or any(says(words, which) for which in ("dates", "years", "months"))
            for column in self.table.columns
            if not says(words := split(column.name, self.vocabulary), "thing_dates") and not says(words, "thing_years")
        )

    @cached_property
    def holds_total(self) -> bool:
        """Whether the largest value is the sum of all others, as in a row of totals that is not called so."""
        column = self.column
        if column.average is None or column.mixed or column.filled < _FEWEST_ADDED or (column.low or "-")[0] == "-":
            return False
        return isclose(2 * float(column.high or 0), column.average * column.filled, rel_tol=1e-12)

    @cached_property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.column.is_number

    @cached_property
    def place(self) -> tuple[str, str]:
        """Table and column."""
        return self.table.name, self.column.name

    def verdict(self, kind: ColumnClass, reason: str, **more: object) -> ColumnVerdict:
        """The class with its reason."""
        found = ColumnVerdict.model_validate({"kind": kind, "reason": reason, **more})
        if found.unit != _CENTS or self.column.type not in NUMERIC:
            return found
        return found.model_copy(update={"unit": None, "hundredths": True, "reason": f"{reason}; stored in cents"})


def _key(sight: Sight) -> ColumnVerdict | None:
    key = sight.key
    if key is not None and key.columns == (sight.column.name,):
        return sight.verdict(ColumnClass.KEY, key.evidence)
    return None


def _reference(sight: Sight) -> ColumnVerdict | None:
    one = sight.relation
    if one is None:
        return None
    return sight.verdict(ColumnClass.REFERENCE, f"points to {one.other}: {one.evidence}", sure=one.sure)


def _flag(sight: Sight) -> ColumnVerdict | None:
    column = sight.column
    if column.type is ColumnType.BOOLEAN:
        return sight.verdict(ColumnClass.FLAG, "true or false by its type")
    two = column.type in (ColumnType.INTEGER, ColumnType.TEXT) and {v.casefold() for v in column.values}
    pairs = [set(pair) for pair in lists()["truths"]]
    if two and any(two <= pair for pair in pairs):
        named = sight.words[0] in words_for("flags") or says(sight.words, "flags") or says(sight.words, "rows_flags")
        coded = any(says(sight.words, which) for which in ("kinds", "status", "codes", "counts", "adds", "may_add"))
        coded = coded or sight.words[-1] in ("sex", "gender", "geschlecht")
        # A whole number that is 0 or 1 in all rows is yes or no, where its name says nothing else: newsletter.
        several = singular(sight.words[-1]) != sight.words[-1] or any(
            says(sight.words, which) for which in ("levels", "averages", "durations", "yearly_sizes", "never_adds")
        )
        enough = column.filled >= SURE_FROM or (column.filled >= _FEWEST_BITS and not several)
        bits = two == {"0", "1"} and enough and not coded and not unit_in(sight.words)
        done = (
            two == {"0", "1"} and not coded and len(sight.words[-1]) > _SHORTEST_DONE and is_past_form(sight.words[-1])
        )  # discontinued, attended
        # Money that is 0 or 1 is none: paid.
        done = done or (two == {"0", "1"} and len(sight.words) == 1 and sight.words[0] in words_for("settled_flags"))
        if named or bits or done or (column.type is ColumnType.TEXT and two in pairs):
            return sight.verdict(ColumnClass.FLAG, f"holds only {' and '.join(sorted(column.values))}")
    return None


def _date(sight: Sight) -> ColumnVerdict | None:
    column, named = sight.column, says(sight.words[-1:], "dates")
    if column.type in (ColumnType.DATE, ColumnType.TIMESTAMP):
        return sight.verdict(ColumnClass.DATE, "a date by its type")
    if column.type is ColumnType.TEXT and column.looks == "date":
        return sight.verdict(ColumnClass.DATE, "texts that can all be read as dates, in the first rows")
    called = named or any(says(sight.words, which) for which in ("events", "not_events", "thing_dates"))
    if column.writing not in (None, "number") and (called or column.writing != "yearmonthday"):
        return sight.verdict(ColumnClass.DATE, f"written {column.writing} in all rows")
    if column.type is ColumnType.TEXT and column.looks == "written" and called:
        return sight.verdict(
            ColumnClass.DATE, "dates in a writing that is not compared as dates; store them as dates", sure=False
        )
    if column.type is not ColumnType.INTEGER or not named or column.low is None or column.high is None:
        return None
    low, high = int(column.low), int(column.high)
    if low >= 19000101 and high <= 21001231:
        return sight.verdict(ColumnClass.DATE, "numbers that are dates, such as 20240131", sure=False)
    for factor, unit in ((1, "seconds"), (1000, "milliseconds")):
        if _UNIX[0] * factor <= low and high <= _UNIX[1] * factor:
            return sight.verdict(ColumnClass.DATE, f"numbers that are {unit} since 1970", unit=unit)
    return None


def _period(sight: Sight) -> ColumnVerdict | None:
    column, last = sight.column, sight.words[-1:]
    if _is_whole(column) and column.low and column.high:
        years = all(float(end).is_integer() and int(float(end)) in _YEARS for end in (column.low, column.high))
        # yr_built, founded, an open date that is a year
        called = says(sight.words[:1], "years") or any(
            says(last, which) for which in ("thing_dates", "year_words", "whole_dates")
        )
        if years and (called or ends_in(sight.words, "years")):
            low, high = (int(float(end)) for end in (column.low, column.high))
            return sight.verdict(ColumnClass.YEAR, f"years from {low} to {high}")
        if ends_in(sight.words, "years"):
            return None
    values = {value.casefold() for value in column.values}
    if (
        values
        and says(last, "months")
        and (values <= words_for("month_names") or values <= {str(n) for n in range(14)} | {f"0{n}" for n in range(10)})
    ):
        return sight.verdict(ColumnClass.MONTH, f"{len(values)} different months")
    if values and says(last, "quarters") and len(values) <= 4:
        return sight.verdict(ColumnClass.MONTH, "quarters")
    return None


def _is_whole(column: ColumnProfile) -> bool:
    """Whether a column holds whole numbers, also as texts; of others the ends tell it."""
    text = column.type is ColumnType.TEXT and column.writing == "number" and not column.scale
    return text or column.type in (ColumnType.INTEGER, ColumnType.FLOAT, ColumnType.DECIMAL)


def _currency(sight: Sight) -> ColumnVerdict | None:
    if sight.column.type is not ColumnType.TEXT or not sight.column.values:
        return None
    codes = all(
        value.casefold() in CURRENCIES or (len(value) == 3 and value.isupper()) for value in sight.column.values
    )
    if ends_in(sight.words, "currency_columns") and codes:
        return sight.verdict(
            ColumnClass.CURRENCY, f"{len(sight.column.values)} currencies: {', '.join(sight.column.values[:5])}"
        )
    known = all(value.upper() == value and value.casefold() in CURRENCIES for value in sight.column.values)
    return sight.verdict(ColumnClass.CURRENCY, "holds only codes of currencies") if known else None


def _unit(sight: Sight) -> ColumnVerdict | None:
    column = sight.column
    if column.type is not ColumnType.TEXT or not 0 < len(column.values) <= _FEW:
        return None
    units = [unit_called(value) is not None for value in column.values]
    counted = any(char.isdigit() for value in column.values for char in value[:1])  # 10 boxes: how it is packed
    if ends_in(sight.words, "units_columns") and (column.length or 0) < 12 and not counted:
        return sight.verdict(ColumnClass.UNIT, f"{len(units)} units: {', '.join(column.values[:5])}")
    unmistakable = all(units) and len(units) > 1 and all(len(value) > 1 for value in column.values)
    return sight.verdict(ColumnClass.UNIT, "holds only units") if unmistakable else None


def _code(sight: Sight) -> ColumnVerdict | None:
    column, words = sight.column, sight.words
    if column.type in (ColumnType.DATE, ColumnType.TIMESTAMP, ColumnType.BOOLEAN, ColumnType.OTHER):
        return None
    if words[-1:] == ("num",) or not words:
        return None
    if (
        len(words) == 1
        and words[0].endswith("id")
        and column.type is ColumnType.INTEGER
        and column.distinct == column.filled
    ):
        return sight.verdict(
            ColumnClass.CODE, f"another number of each row: {column.distinct:,} different in {column.filled:,} rows"
        )
    if in_list(words[-1], "identifiers") or (words[0] == "id" and len(words) > 1):
        return sight.verdict(ColumnClass.CODE, "called an identifier; no table was found that it points to")
    fraction = column.type in (ColumnType.DECIMAL, ColumnType.FLOAT) and words[-1] != "code"
    counting = words[0] in ("number", "no", "num") and len(words) > 1
    if not fraction and not counting and any(in_list(word, "codes") for word in words[-2:]):
        return sight.verdict(ColumnClass.CODE, f"called {' '.join(words)}: a code, not a figure")
    return None


def _name(sight: Sight) -> ColumnVerdict | None:
    column, words = sight.column, sight.words
    if column.type is not ColumnType.TEXT or column.looks == "number":
        return None
    person = [tuple(one) for which in ("first_names", "last_names") for one in lists()[which]]
    if words in person:
        return sight.verdict(ColumnClass.NAME, "part of a person's name")
    table = split(sight.table.name.rpartition(".")[2], sight.vocabulary)
    if column.name == listed_column(sight.table, sight.vocabulary):
        return sight.verdict(ColumnClass.NAME, "what a list is a list of, and no two rows share it")
    if same_noun(words, table) and column.distinct * 2 > column.filled:
        return sight.verdict(ColumnClass.NAME, f"called like its table; {column.distinct:,} different")
    if not is_named_so(words):
        return None
    bare = words[:-1]
    # The title of a person is a position; the name of something else is a category.
    people = any(split(name, sight.vocabulary) in person for name in sight.table.names)
    mine = (
        (not bare and ends_in(words, "names"))
        or same_noun(bare, table)
        or (len(table) > 1 and same_noun(bare, table[-len(bare) :]))
        or is_whole_name(bare, table)
    )
    repeated = column.distinct < sight.table.rows or sight.table.rows < _FEWEST_NAMES
    if people or (not mine and repeated and column.distinct <= max(_FEW, sight.table.rows // 3)):
        return None
    return sight.verdict(ColumnClass.NAME, f"called {' '.join(words)}; {column.distinct:,} different")


def is_named_so(words: tuple[str, ...]) -> bool:
    """Whether a column is called a name: company name, Firmenname, Firma."""
    last = words[-1] if words else ""
    joined = len(words) == 1 and last.endswith("name") and last not in words_for("no_names")
    return ends_in(words, "names") or joined or (len(words) == 1 and last in words_for("companies"))


def _average(sight: Sight) -> ColumnVerdict | None:
    words = sight.words
    if sight.is_number and words[:1] == ("hourly",):
        return sight.verdict(
            ColumnClass.AVERAGE, f"called {' '.join(words)}: averaged, never added up", unit=unit_in(words)
        )
    if not sight.is_number and sight.column.looks != "number":
        return None
    stored = "" if sight.is_number else "; stored as text, so that it cannot be computed with"
    unit = unit_in(words) if sight.is_number else None
    if (copied := sight.proofs.copies.get(sight.place)) is not None and not _adds_by_word(sight):
        return sight.verdict(ColumnClass.AVERAGE, f"{copied}{stored}", unit=unit)
    if is_part_of_one(sight.column, words):
        return sight.verdict(ColumnClass.AVERAGE, f"a discount as a part of one, at most {sight.column.high}{stored}")
    if unit is not None and (unit == "%" or "/" in unit):
        return sight.verdict(ColumnClass.AVERAGE, f"in {unit}: averaged, never added up{stored}", unit=unit)
    if ends_in(words, "averages") and not _is_amount_of_rate(words):
        if ends_in(words, "prices") and sight.dated and not _has_count(sight) and "unit" not in words:
            reason = "a price without a quantity beside it, in a table of events: perhaps the amount of the whole"
            return sight.verdict(ColumnClass.ADDITIVE, reason, sure=False, ask="price", unit=unit)
        return sight.verdict(
            ColumnClass.AVERAGE, f"called {' '.join(words)}: averaged, never added up{stored}", unit=unit
        )
    if (
        says(words[:-1], "averages")
        and any(in_list(word, "never_adds") for word in words)
        and not ends_in(words, "adds")
    ):
        return sight.verdict(
            ColumnClass.AVERAGE, f"called {' '.join(words)}: averaged, never added up{stored}", unit=unit
        )
    return None


def _adds_by_word(sight: Sight) -> bool:
    return says(sight.words, "adds") and sight.dated


def _is_amount_of_rate(words: tuple[str, ...]) -> bool:
    """`discount amount`, `interest paid`: the last word decides."""
    return len(words) > 1 and in_list(words[-1], "adds")


def _has_count(sight: Sight) -> bool:
    others = (split(name, sight.vocabulary) for name in sight.table.names if name != sight.column.name)
    return any(says(words, "counts") for words in others)


def _level(sight: Sight) -> ColumnVerdict | None:
    if not sight.is_number:
        return None
    stock = says(sight.words, "levels") or says(sight.words, "running")
    table = says(split(sight.table.name, sight.vocabulary), "snapshot_tables")
    if stock and sight.times:
        reason = "called a level, and every row is how it stood at a time"
        return sight.verdict(ColumnClass.LEVEL, reason, over=sight.times)
    if stock and says(sight.words, "meters") and not (sight.dated or sight.is_event or sight.is_snapshot):
        reason = "called a meter; each row is one thing: averaged, perhaps added up"
        return sight.verdict(ColumnClass.AVERAGE, reason, ask="amount", unit=unit_in(sight.words))
    alone = sight.key is not None and len(sight.key.columns) == 1
    if stock and sight.key is not None and any(own == sight.key.columns for own, _, _ in sight.table.references):
        reason = "called a level; its key is declared to be that of another table, so that each thing has one: averaged"
        return sight.verdict(ColumnClass.AVERAGE, reason, ask="amount", unit=unit_in(sight.words))
    if stock and alone and not (sight.dated or sight.is_event or sight.is_snapshot):
        if says(sight.words, "thresholds"):
            return sight.verdict(ColumnClass.AVERAGE, f"called {' '.join(sight.words)}: a limit, never added up")
        if says(sight.words[-1:], "stocks"):
            reason = f"called {' '.join(sight.words)}: how many there are of each thing"
            return sight.verdict(ColumnClass.ADDITIVE, reason)
    if stock:
        return sight.verdict(
            ColumnClass.LEVEL, "called a level; how it stands when is not known", sure=False, ask="amount"
        )
    if table and sight.times and sight.is_snapshot:
        return sight.verdict(ColumnClass.LEVEL, "in a table of snapshots", over=sight.times)
    return None


def _total(sight: Sight) -> ColumnVerdict | None:
    if not sight.is_number or not sight.holds_total or sight.place in sight.proofs.sums:
        return None
    reason = "its largest value is the sum of all others: that row seems to be a total"
    return sight.verdict(ColumnClass.NUMBER, reason, unit=unit_in(sight.words))


def _yearly(sight: Sight) -> ColumnVerdict | None:
    if sight.column.name not in sight.yearly or sight.column.mixed:
        return None
    reason = f"called {' '.join(sight.words)}: of each thing its own, in each year"
    return sight.verdict(ColumnClass.ADDITIVE, reason, over=sight.times, unit=unit_in(sight.words))


def _of_each_row(sight: Sight) -> ColumnVerdict | None:
    """How many came to each event, how long each thing takes: what every row has for itself."""
    words, unit = sight.words, unit_in(sight.words)
    if not sight.is_number or sight.column.mixed:
        return None
    named = split(sight.table.name.rpartition(".")[2], sight.vocabulary)
    if sight.is_snapshot and len(words) == 1 and says(named[-1:], "flow_tables") and counts_up(sight.column):
        reason = f"called {words[0]}, in a table of who came when"
        if in_list(words[0], "counted_anew") or means_people(words[0]):
            return sight.verdict(ColumnClass.ADDITIVE, reason, unit=unit)
    if sight.dated and is_passing(sight.table, sight.column, sight.vocabulary):
        return sight.verdict(
            ColumnClass.ADDITIVE, f"called {' '.join(words)}, in a table of who passed when", unit=unit
        )
    if (sight.dated or sight.is_snapshot) and is_amount_of_table(sight.table, sight.column, sight.vocabulary):
        reason = f"called {' '.join(words)}, in a table that is called what it adds up to"
        return sight.verdict(ColumnClass.ADDITIVE, reason, unit=unit)
    if sight.dated and is_time_off(sight.table, sight.column, sight.vocabulary):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}: how long each was away", unit=unit)
    if sight.is_snapshot:
        return None
    if len(words) == 1 and in_list(words[0], "counted_anew") and sight.dated and counts_up(sight.column):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {words[0]}: how many came to each event", unit=unit)
    if len(words) == 1 and in_list(words[0], "booked") and says(named[-1:], "booked_tables") and sight.dated:
        return sight.verdict(ColumnClass.ADDITIVE, f"called {words[0]}: how many each booking is for", unit=unit)
    amounts = ("units_of_events", *(("units_of_goods",) if sight.is_event else ()))
    if len(words) == 1 and (sight.dated or sight.is_event) and any(unit in words_for(which) for which in amounts):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {words[0]}: how much each event was about", unit=unit)
    if sight.is_of_things and lasts(words) and len(without_unit(words)) <= 1:
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}: of each thing its own", unit=unit)
    return None


def _additive(sight: Sight) -> ColumnVerdict | None:
    if not sight.is_number:
        return None
    words, unit = sight.words, unit_in(sight.words)
    # A unit price is not added up; units are.
    vetoed = says([word for word in without_unit(words) if word not in words_for("counts")], "never_adds")
    done = len(words) == 2 and words[0] in words_for("counts") and is_past_form(words[1])  # units sold
    strong = done or says(words, "adds")
    per_period = says(words, "per_period")
    if sight.column.mixed:
        reason = f"{sight.column.mixed:,} of its values are texts, so that it cannot be added up"
        return sight.verdict(ColumnClass.NUMBER, reason, unit=unit)
    if (proof := sight.proofs.sums.get(sight.place)) is not None and not vetoed:
        return sight.verdict(ColumnClass.ADDITIVE, proof, unit=unit)
    sizes = sizes_things(words) or is_amount_in(words, "units_of_things")
    if sight.is_of_things and sizes and not (sight.column.low or "-").startswith("-"):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}: of each thing its own", unit=unit)
    product = sight.proofs.products.get(sight.place)
    if vetoed:
        kind = ColumnClass.AVERAGE if not strong else ColumnClass.NUMBER
        return sight.verdict(kind, f"called {' '.join(words)}: not added up", unit=unit)
    if sight.is_counted_there or (sight.is_counting and says(words, "counts")):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}, in a table of counts", unit=unit)
    if strong and sight.is_event and not per_period:
        return sight.verdict(
            ColumnClass.ADDITIVE, f"called {' '.join(words)}, in a table of events by its name", unit=unit
        )
    if sight.is_snapshot and says(without_unit(words)[-1:], "flows"):
        reason = f"called {' '.join(words)}: what came together in the period of its row"
        return sight.verdict(ColumnClass.ADDITIVE, reason, unit=unit)
    if sight.is_snapshot and (strong or product or says(words, "may_add")):
        reason = "rows are what and when: an amount of each period, or how it stood"
        return sight.verdict(ColumnClass.ADDITIVE, reason, sure=False, ask="flow", over=sight.times, unit=unit)
    sums = says(words, "sums_of_money") and (unit or "").casefold() in CURRENCIES  # bausumme_chf
    own = sight.is_of_own_row and says(words, "flows")  # cost of treatment, of treatments
    if (strong or product or sums or own) and sight.dated and not per_period:
        return sight.verdict(
            ColumnClass.ADDITIVE, product or f"called {' '.join(words)}, in a table of dated events", unit=unit
        )
    moved = sight.is_load and says(without_unit(words)[-1:], "weights")
    happened = (lasts(words) or is_done_by_measure(words)) and (sight.dated or sight.is_event) and not per_period
    if moved or happened:
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}: what each event came to", unit=unit)
    if strong or product or says(words, "may_add"):
        why = product or f"called {' '.join(words)}"
        return sight.verdict(ColumnClass.ADDITIVE, f"{why}: perhaps added up", sure=False, ask="amount", unit=unit)
    return None


def _number(sight: Sight) -> ColumnVerdict | None:
    if sight.column.type not in NUMERIC:
        return None  # a text of figures without a word that says so may be a code
    unit, column = unit_in(sight.words), sight.column
    whole = column.type is ColumnType.INTEGER
    if whole and column.distinct <= 12 and column.filled >= 3 * max(1, column.distinct) and unit is None:
        return sight.verdict(
            ColumnClass.CATEGORY,
            f"{column.distinct} different numbers in {column.filled:,} rows: codes of kinds, not figures",
        )
    if not whole or unit is not None:
        reason = f"called {' '.join(sight.words)}: a measure, averaged; perhaps added up"
        return sight.verdict(ColumnClass.AVERAGE, reason, ask="amount", unit=unit)
    return sight.verdict(
        ColumnClass.NUMBER, "nothing says what it counts or measures", sure=False, ask="amount", unit=unit
    )


def _text(sight: Sight) -> ColumnVerdict | None:
    column, rows = sight.column, max(1, sight.column.filled)
    if column.type is ColumnType.OTHER:
        return sight.verdict(ColumnClass.OTHER, "of a type that is not compared")
    if column.type is not ColumnType.TEXT:
        return None
    counted = f"{column.distinct:,} different texts in {column.filled:,} rows"
    # A description that is a shop or a product again and again sorts the rows, and so does a street; an address does not.
    named = says(sight.words, "descriptions") or says(sight.words, "streets")
    again = named and column.distinct <= _FEW and column.distinct * _AGAIN <= rows
    short = (column.length or 0) <= _SHORT_TEXT
    if (says(sight.words, "free_texts") and not (again and short)) or (column.length or 0) > _LONG:
        return sight.verdict(ColumnClass.TEXT, counted)
    few = column.distinct <= _FEW and (column.distinct < rows or rows < SURE_FROM)
    repeats = few or says(sight.words, "places") or says(sight.words, "status") or column.distinct * 2 <= rows
    kind = ColumnClass.CATEGORY if repeats else ColumnClass.TEXT
    if column.writing == "number" and column.distinct >= _FEWEST_FIGURES:
        return sight.verdict(kind, f"{counted}, all of them numbers: codes or figures", ask="amount")
    return sight.verdict(kind, counted)


CHECKS: tuple[Callable[[Sight], ColumnVerdict | None], ...] = (
    _reference,
    _key,
    _flag,
    _date,
    _period,
    _currency,
    _unit,
    _code,
    _name,
    _level,
    _average,
    _total,
    _yearly,
    _of_each_row,
    _additive,
    _number,
    _text,
)
"""In this order; the first that knows decides."""


def class_of(sight: Sight) -> ColumnVerdict:
    """What a column is."""
    for check in CHECKS:
        if (verdict := check(sight)) is not None:
            return verdict
    return sight.verdict(ColumnClass.OTHER, "nothing is known of it")
