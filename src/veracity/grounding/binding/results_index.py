"""What results are called: the names of their rows, the words for their columns, and where a value stands. Built once.

Names are equal after folding (width, case, accents); a word for a column may be bent (Kunden, customers).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import NamedTuple

from veracity.answer.expression import Cells, Selection
from veracity.answer.results import Result, comparable
from veracity.answer.values import number_of
from veracity.contracts import Cell
from veracity.grounding.binding.header_words import header_words
from veracity.grounding.binding.name_forms import (
    chinese_start,
    column_forms,
    compound_ends,
    compound_heads,
    compound_starts,
    done_words,
    german_compounds,
    last_word,
    listed_entries,
    mixed_words,
    month_number,
    name_forms,
    opposites,
    other_words,
    plurals,
    sex_forms,
)
from veracity.grounding.binding.period_names import period_in_name, previous_of, time_before
from veracity.grounding.binding.tables import Table
from veracity.language.folding import is_unspaced, listed, words_in
from veracity.language.function_words import function_words
from veracity.language.locale import LANGUAGES
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.language.territories import names_of_places
from veracity.language.units import unit_called, units
from veracity.ontology.fields import FieldRole
from veracity.semantic.reading.same_words import happened_on, same_nouns

_MONTH_WORDS = listed("month monat 月 月份")
_SAMPLED = 200
"""So many rows tell which of two columns is a part of the other."""
_FEW_VALUES = 4
_FEW_LETTERS = 3
PREFIX = 6
"""So many letters in common make two long words forms of one."""
_SHORTEST, _MOST_LETTERS = 3, 8
"""Of a word of a column's name that may be short for another."""
_MOST_SHORTENED = 60
_MOST_HEADS = 8
"""Of more rows nobody tells one by a part of its name."""
_CURRENCY_WORDS = listed("currency waehrung")


class NameRef(NamedTuple):
    """A value of a naming column."""

    table: int
    column: str
    value: str


class ColumnRef(NamedTuple):
    """A column, or the rows themselves."""

    table: int
    column: str
    """`*` for the rows."""
    sure: bool = True
    """False where only the last word of its name was said, as `balance` for closingBalance."""


class CellPlace(NamedTuple):
    """A cell."""

    table: int
    row: int
    column: str


def _holds_addresses(table: Table, column: str) -> bool:
    """Whether a column holds streets with their numbers, another one in every row."""
    values = table.values.get(column, {})
    numbered = sum(_ADDRESS.fullmatch(value) is not None for value in values)
    return len(values) == len(table.rows) and 2 * numbered > len(values)


_ADDRESS = re.compile(r"[^\W\d][^\d]{3,40} [0-9]{1,4}[a-z]?")


class Index:
    """Results with everything they are called, made once for any number of texts; `aliases` are other names of values."""

    def __init__(self, results: Mapping[str, Result], aliases: Mapping[str, Sequence[str]] | None = None) -> None:
        self.results = results
        self.tables = tuple(Table(number, result) for number, result in enumerate(results.values()))
        self.names: dict[tuple[str, ...], list[NameRef]] = {}
        self.columns: dict[tuple[str, ...], list[ColumnRef]] = {}
        self.name_lengths: dict[str, int] = {}
        """First word -> the words of the longest name that starts with it."""
        self.column_lengths: dict[str, int] = {}
        self.of_period: dict[ColumnRef, str] = {}
        """Columns of one measure at several times -> what they are sorted by: the year, the month."""
        self.period_forms: dict[tuple[str, ...], None] = {}
        """The words for those times."""
        self.families: dict[int, dict[str, list[str]]] = {}
        """Table -> such a measure -> its columns in the order of time."""
        self.opposite_forms: set[tuple[str, ...]] = set()
        """Words that say the opposite of a column of yes and no: closed, of `open on Sundays`."""
        self._qualifiers: dict[tuple[int, str], frozenset[str]] = {}
        called = {tuple(words_in(value)): names for value, names in (aliases or {}).items()}
        for table in self.tables:
            self._add_names(table, called)
            self._add_columns(table)

    def _add_names(self, table: Table, aliases: Mapping[tuple[str, ...], Sequence[str]]) -> None:
        names, lengths = self.names, self.name_lengths
        for column, values in table.values.items():
            month = bool(_MONTH_WORDS & set(words_of(column).split())) or column.endswith("月份")
            month = month or (len(values) > 1 and all(month_number(one) and not one.isdigit() for one in values))
            few = len(values) <= _FEW_VALUES
            for value in values:
                ref = NameRef(table.number, column, value)
                forms = name_forms(value, month=month, aliases=aliases)
                # As `_add_name` does; thousands of values make the call count.
                for form in (*forms, *sex_forms(column, value)) if few else forms:
                    if form in names:
                        names[form].append(ref)
                    elif form:
                        names[form] = [ref]
                    if form and lengths.get(form[0], 0) < len(form):
                        lengths[form[0]] = len(form)
            if column not in table.naming and column in table.texts:
                self._add_entries(table, column)
            if column in table.texts and len(values) <= _MOST_SHORTENED:
                self._add_places(table, column)
            if column in table.columns and table.columns[column].role is FieldRole.CATEGORY:
                self._add_plurals(table, column)
            elif column in table.naming and len(values) <= _MOST_SHORTENED:
                self._add_plurals(table, column)
                self._add_compounds(table, column)
        for column, value in table.result.pinned.items():
            if column not in table.values and isinstance(value, str | int | Decimal | date):
                self._add_name(tuple(words_in(comparable(value))), NameRef(table.number, column, comparable(value)))

    def _add_entries(self, table: Table, column: str) -> None:
        """What cells list that name no rows: Svalbard, of `Kiruna, Svalbard`."""
        for value in table.values[column]:
            for entry in listed_entries(value):
                if (form := tuple(words_in(entry))) and len("".join(form)) > 1:
                    self._add_name(form, NameRef(table.number, column, value))

    def _add_places(self, table: Table, column: str) -> None:
        """What countries, cantons and cities are called in other languages, and their adjectives: Genf, brasilianische."""
        for name, value in names_of_places(tuple(table.values[column]), column):
            if (form := tuple(words_in(name))) and form not in self.names:
                self._add_name(form, NameRef(table.number, column, value))

    def _add_plurals(self, table: Table, column: str) -> None:
        for value in table.values[column]:
            for form in plurals(value):
                if form not in self.names:
                    self._add_name(form, NameRef(table.number, column, value))

    def _add_compounds(self, table: Table, column: str) -> None:
        """German compounds with what the column is about, or with what is measured: Wasserschäden, of Wasser in a column Schadenart; Solaranteil."""
        measured = (head for other in list(table.figures)[:_MOST_HEADS] for head in compound_ends(other))
        heads = tuple(dict.fromkeys((*compound_heads(column), *measured)))
        for value in table.values[column] if heads else ():
            words = words_in(value)
            for head in heads if len(words) == 1 and words[0].isalpha() else ():
                self._add_name((f"{words[0]}{head}",), NameRef(table.number, column, value))

    def _add_name(self, form: tuple[str, ...], ref: NameRef) -> None:
        if not form:
            return
        known = self.names.get(form)
        if known is None:
            self.names[form] = [ref]
        else:
            known.append(ref)
        if self.name_lengths.get(form[0], 0) < len(form):
            self.name_lengths[form[0]] = len(form)

    def _add_columns(self, table: Table) -> None:
        whole: set[tuple[str, ...]] = set()
        heads: dict[str, list[str]] = {}
        own = {tuple(map(noun_root, words_in(words_of(column)))) for column in table.columns}
        for column, facts in table.columns.items():
            for form in column_forms(column, facts.words):
                if form not in whole or ColumnRef(table.number, column) not in self.columns[form]:
                    self._add_column(form, ColumnRef(table.number, column))
                    whole.add(form)
            if column[:1] == "已" and len(column) > len("已付") and table.rows_flagged(column) is not None:
                self._add_column(tuple(words_in(column[1:])), ColumnRef(table.number, column))  # 未验收, of 已验收
            for form in opposites(column) if table.rows_flagged(column) is not None else ():
                self._add_column(form, ColumnRef(table.number, column))
                self.opposite_forms.add(form)
            done = _done_on(column)
            for form in done if done and (column in table.days or table.holds_years(column)) else ():
                if form not in own:
                    self._add_column(form, ColumnRef(table.number, column))
            for word in (last_word(column), *mixed_words(column)):
                if word:
                    heads.setdefault(word, []).append(column)
        self._add_years(table, whole)
        self._add_parents(table, whole)
        words = words_in(words_of(table.result.data.table_name))
        rows = tuple(words) if words and is_unspaced(words[0]) else (noun_root(words[-1]),) if words else ()
        self._add_column(rows, ColumnRef(table.number, "*", sure=False))
        for head, columns in heads.items():
            if (head,) not in whole:
                for column in columns:
                    self._add_column((head,), ColumnRef(table.number, column, sure=False))
        self._add_parts(table)

    def _add_parts(self, table: Table) -> None:
        """A word that only one column has in its name calls it, too: snow, of `Snow depth`; downloaded, of downloads."""
        found: dict[str, list[str]] = {}
        for column in table.columns:
            for part in (*other_words(column), *done_words(column)):
                found.setdefault(part, []).append(column)
        for part, columns in found.items():
            measured = table.holds_figures(columns[0]) or part.endswith(("ed", "ing"))
            if len(columns) == 1 and measured and (part,) not in self.columns:
                self._add_column((part,), ColumnRef(table.number, columns[0], sure=False))
        starts: dict[tuple[str, ...], list[str]] = {}
        for column, facts in table.columns.items():
            words = (*german_compounds(column), *compound_starts(column, facts.words))
            forms = [*((word,) for word in words), chinese_start(column)]
            for form in forms if table.holds_figures(column) else ():
                starts.setdefault(form, []).append(column)
        for form, columns in starts.items():
            if form and len(columns) == 1 and form not in self.columns and form not in self.names:
                self._add_column(form, ColumnRef(table.number, columns[0], sure=False))

    def _add_parents(self, table: Table, whole: set[tuple[str, ...]]) -> None:
        """What stands inside an object is called by the object's name, too: tickets, of tickets.opened."""
        parents: dict[tuple[str, ...], list[str]] = {}
        for column in table.columns:
            words = words_in(words_of(column.rpartition(".")[0]))
            if words:
                parents.setdefault((noun_root(words[-1]),), []).append(column)
        for form, columns in parents.items():
            for column in columns if form not in whole and len(columns) > 1 else ():
                self._add_column(form, ColumnRef(table.number, column, sure=False))

    def _add_years(self, table: Table, whole: set[tuple[str, ...]]) -> None:
        """Columns of one measure in several years, months or stages are called by the measure, and by the time."""
        families: dict[str, list[tuple[str, str]]] = {}
        for column in table.columns:
            if (found := period_in_name(column)) is not None:
                families.setdefault(found.rest, []).append((found.order, column))
        for column in table.columns:
            if (now := previous_of(column, list(table.columns))) is not None and table.holds_figures(now):
                self.families.setdefault(table.number, {})[now] = [column, now]
                for of_time in (column, now):
                    if form := time_before(of_time):
                        self.period_forms[form] = None
                        self._add_column(form, ColumnRef(table.number, of_time, sure=False))
        for rest, members in families.items():
            if len(members) > 1:
                self.families.setdefault(table.number, {})[rest] = [column for _order, column in sorted(members)]
            for order, column in members if len(members) > 1 else ():
                ref = ColumnRef(table.number, column, sure=False)
                self.of_period[ColumnRef(table.number, column)] = self.of_period[ref] = order
                told = period_in_name(column)
                times = [tuple(map(noun_root, form)) for form in told.forms] if told is not None else []
                self.period_forms.update(dict.fromkeys(times))
                others = ((word,) for word in done_words(rest))
                for form in {*times, *column_forms(rest, header_words(rest)), *others}:
                    if form not in whole:
                        self._add_column(form, ref)

    def _add_column(self, form: tuple[str, ...], ref: ColumnRef) -> None:
        if not form:
            return
        self.columns.setdefault(form, []).append(ref)
        if self.column_lengths.get(form[0], 0) < len(form):
            self.column_lengths[form[0]] = len(form)

    def qualifiers(self, table: int, column: str) -> frozenset[str]:
        """The words of a column's name, and other words for each of them, without endings."""
        if (table, column) not in self._qualifiers:
            own = words_in(words_of(column))
            said = (word for part in own for name in header_words(part) for word in words_in(name))
            self._qualifiers[table, column] = frozenset(map(noun_root, (*own, *said)))
        return self._qualifiers[table, column]

    def rows(self, ref: NameRef) -> Sequence[int]:
        """The rows that a name stands for."""
        return self.tables[ref.table].rows_named(ref.column, ref.value)

    def number(self, value: Decimal) -> Cells | None:
        """A cell that holds this very number, as an expression reads it."""
        place = self._numbers.get(value)
        if place is None:
            return None
        name = self.tables[place.table].result.data.result_id
        return Cells(Selection(name, index=place.row), place.column)

    @cached_property
    def longest_word(self) -> int:
        """The letters of the longest name that is one word."""
        return max((len(form[0]) for form in self.names if len(form) == 1), default=0)

    @cached_property
    def _numbers(self) -> dict[Decimal, CellPlace]:
        found: dict[Decimal, CellPlace] = {}
        for table in self.tables:
            for column in table.figures:
                if table.columns[column].encoding is None:
                    for at, row in enumerate(table.rows):
                        value = number_of(row[column])
                        if value is not None:
                            found.setdefault(value, CellPlace(table.number, at, column))
        return found

    @cached_property
    def by_prefix(self) -> dict[str, list[ColumnRef]]:
        """How a long word begins that only one column of figures has in its name: cancel, of Cancelled and cancellations."""
        found: dict[str, set[ColumnRef]] = {}
        for table in self.tables:
            for column in table.figures:
                for word in words_in(words_of(column)):
                    if len(word) > PREFIX and word.isascii() and word.isalpha() and word not in units():
                        found.setdefault(word[:PREFIX], set()).add(ColumnRef(table.number, column, sure=False))
        return {prefix: list(refs) for prefix, refs in found.items() if len(refs) == 1}

    @cached_property
    def shortened(self) -> dict[str, list[tuple[str, ColumnRef]]]:
        """Words of columns that are short for others, by their first letters: occ, of `occ_pct_may`, and adr, of `adr_eur`."""
        found: dict[str, dict[tuple[str, ColumnRef], None]] = {}
        for table in self.tables:
            for column in table.columns:
                for word in words_in(words_of(column)):
                    plain = not word.isalpha() or not word.isascii() or word in units() or word in function_words()
                    if not plain and _SHORTEST <= len(word) <= _MOST_LETTERS and not same_nouns(word):
                        own = found.setdefault(word[0], {})
                        own[word, ColumnRef(table.number, column, sure=False)] = None
        return {first: list(refs) for first, refs in found.items()}

    @cached_property
    def last_words(self) -> dict[str, NameRef]:
        """The last word of a name of several that tells the row, where no other name has it: trout, of `Seared trout`."""
        found: dict[str, NameRef] = {}
        for table in self.tables:
            for column in table.naming if len(table.rows) <= _MOST_SHORTENED else ():
                owned = table.owners.get(column, {})
                for value in table.values.get(column, ()):
                    words = words_in(value) if " " in value else []
                    if (
                        len(words) > 1
                        and len(words[-1]) > _FEW_VALUES - 1
                        and words[-1].isalpha()
                        and owned.get(words[-1])
                    ):
                        found.setdefault(words[-1], NameRef(table.number, column, value))
        return found

    @cached_property
    def first_words(self) -> dict[str, NameRef]:
        """The first word of a name of several that tells the row, where no other name has it: Aster, of `Aster Global Equity`; a street."""
        found: dict[str, NameRef] = {}
        for table in self.tables:
            naming = dict.fromkeys((*table.naming, *(one for one in table.values if _holds_addresses(table, one))))
            for column in naming if len(table.rows) <= _MOST_SHORTENED else ():
                owned = table.owners.get(column, {})
                for value in table.values.get(column, ()):
                    first = words_in(value)[0] if " " in value and words_in(value) else ""
                    plain = (
                        len(first) >= _FEW_LETTERS
                        and first.isalpha()
                        and first not in function_words()
                        and (noun_root(first),) not in self.columns
                        and first not in self.headings  # Bookings are no Booking.com, of rows with a booking_id.
                    )
                    if plain and owned.get(first) == value:
                        found.setdefault(first, NameRef(table.number, column, value))
        return found

    @cached_property
    def headings(self) -> frozenset[str]:
        """The words above the columns, such as years."""
        facts = ((column, facts) for table in self.tables for column, facts in table.columns.items())
        names = (name for column, known in facts for name in (column, *known.words))
        return frozenset(word for name in names for word in words_in(name))

    @cached_property
    def words_of_columns(self) -> frozenset[str]:
        """Every word that stands above a column or is a part of what it is called, with and without its ending."""
        return self.headings | frozenset(word for form in self.columns for word in form)

    @cached_property
    def has_days(self) -> bool:
        """Whether a column holds days."""
        return any(table.days for table in self.tables)

    def days_of(self, month: int, day: int) -> tuple[date, ...]:
        """The days of any year in the results that are this day of this month."""
        days = {one for table in self.tables for column in table.days.values() for one in column}
        return tuple(sorted(one for one in days if (one.month, one.day) == (month, day)))

    @cached_property
    def currency(self) -> str | None:
        """The one currency that the results name in a column of currencies."""
        found = {
            str(row[column]).strip().upper()
            for table in self.tables
            for column, facts in table.columns.items()
            if facts.role is FieldRole.CURRENCY or set(words_in(words_of(column))) & _CURRENCY_WORDS or column == "币种"
            for row in table.rows[:_SAMPLED]
            if row[column] is not None
        }
        name = found.pop() if len(found) == 1 else ""
        unit = unit_called(name) if name else None
        return name if unit is not None and unit.is_currency else None

    def raw(self, place: CellPlace) -> Cell:
        """A cell as it is stored."""
        return self.tables[place.table].rows[place.row][place.column]


@lru_cache(maxsize=4096)
def _done_on(column: str) -> tuple[tuple[str, ...], ...]:
    """What happened on the day that a column of this name holds: issued, of `issue_date`; gebaut, of Baujahr."""
    said = (said for lang in LANGUAGES for said in happened_on((words_of(column),), lang))
    return tuple(dict.fromkeys(tuple(map(noun_root, words_in(one))) for one in said))
