"""What each column is: one function per class over the column, its name, its counts and its table; the first that knows decides."""

from __future__ import annotations

from collections.abc import Callable

from veracity.language.currencies import CURRENCIES
from veracity.language.units import unit_called
from veracity.language.verb_forms import is_past_form
from veracity.ontology.draft.figure_classes import FIGURE_CHECKS
from veracity.ontology.draft.findings import SURE_FROM, ColumnClass, ColumnProfile, ColumnVerdict
from veracity.ontology.draft.listed_things import listed_column
from veracity.ontology.draft.names import (
    ends_in,
    in_list,
    is_whole_name,
    lists,
    same_noun,
    says,
    singular,
    split,
    unit_in,
    words_for,
)
from veracity.ontology.draft.sight import Sight
from veracity.sources.source import ColumnType

_FEW = 30
_SHORTEST_DONE = 4
_FEWEST_BITS = 5
_AGAIN, _SHORT_TEXT = 5, 40
_LONG = 60.0
_FEWEST_FIGURES = 8
"""Texts of figures with fewer different values are codes."""
_FEWEST_NAMES = 3
"""Of fewer rows nobody can tell that each has a name of its own."""
_YEARS = range(1500, 2201)
_UNIX = (315_532_800, 4_102_444_800)


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
    *FIGURE_CHECKS,
    _text,
)
"""In this order; the first that knows decides."""


def class_of(sight: Sight) -> ColumnVerdict:
    """What a column is."""
    for check in CHECKS:
        if (verdict := check(sight)) is not None:
            return verdict
    return sight.verdict(ColumnClass.OTHER, "nothing is known of it")
