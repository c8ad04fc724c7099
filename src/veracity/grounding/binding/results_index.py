"""What results are called: the names of their rows, the words for their columns, and where a value stands. Built once.

Names are equal after folding (width, case, accents); a word for a column may be bent (Kunden, customers).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from veracity.answer.expression import Cells, Selection
from veracity.answer.results import ColumnFacts, Result, comparable
from veracity.answer.values import decoded, number_of
from veracity.contracts import Cell
from veracity.grounding.binding.header_words import header_words
from veracity.grounding.binding.name_forms import (
    column_forms,
    last_word,
    name_forms,
    name_roots,
    opposites,
    plurals,
    sex_forms,
)
from veracity.grounding.binding.period_names import is_period, order_in_time, period_in_name
from veracity.language.folding import is_unspaced, listed, words_in
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.language.units import quantities, unit_called
from veracity.ontology.descriptor import FieldRole

NAMING = frozenset(
    {FieldRole.CODE, FieldRole.NAME, FieldRole.IDENTIFIER, FieldRole.PERIOD, FieldRole.CATEGORY, FieldRole.CURRENCY}
)
_NEVER_MEASURED = frozenset({FieldRole.CODE, FieldRole.IDENTIFIER, FieldRole.CURRENCY, FieldRole.PERIOD})
_LONGEST_TEXT = 120
_MONTH_WORDS = listed("month monat 月 月份")
_LONGEST_READ = 4_000
_MOST_SCALED = 500
_NUMBER = re.compile(r"[0-9](?:[0-9.,'’]*[0-9])?")
_SCALED = re.compile(
    r"[0-9] ?(?:[万亿千百萬億]|mio|mrd|tsd|million|billion|thousand|k(?![a-z])|m(?![a-z])|bn)", re.IGNORECASE
)
_TELLING = 4
_SAMPLED = 200
"""So many rows tell which of two columns is a part of the other."""
_FEW_VALUES = 4
_YES, _NO = listed("yes ja y true wahr x 是 有 ✓"), listed("no nein n false falsch 否 无 ✗")
_MOST_FLAGGED = 20_000
_FIRST_YEAR, _LAST_YEAR = 1500, 2200
_CURRENCY_WORDS = listed("currency waehrung")
_NAME_WORDS = listed("name title titel bezeichnung 名称 姓名")


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


class Table:
    """One result: which of its columns name rows, and which hold figures."""

    def __init__(self, number: int, result: Result) -> None:
        self.number, self.result, self.rows = number, result, result.data.rows
        self.columns: Mapping[str, ColumnFacts] = result.columns
        self.values: dict[str, dict[str, list[int]]] = {}
        """Naming column -> what stands in it -> its rows."""
        self.texts: list[str] = []
        """Columns of texts, in which figures may stand, too."""
        self.figures: list[str] = []
        """Columns of figures and dates."""
        self._sorted: dict[str, tuple[list[float], list[int]]] = {}
        self.compared: dict[str, dict[int, Decimal]] = {}
        """Column -> row -> what its cell is worth in a comparison; filled by whoever compares."""
        self._flagged: dict[str, frozenset[int] | None] = {}
        self.in_order: dict[str, list[Decimal]] = {}
        """Column -> those values in their order."""
        self._numbers_in_texts: dict[str, tuple[list[float], list[int], list[int]]] = {}
        self._parts: dict[tuple[str, str], tuple[str, str]] = {}
        self.are_ordered: dict[str, bool] = {}
        """Column -> whether its cells can be compared at all."""
        for column, facts in result.columns.items():
            self._classify(column, facts)
        self.whole = not result.data.truncated
        self.keys = self._keys()
        self.measures = self._measures()
        """Columns of figures, and of texts in which some may stand, in their order."""

    def _classify(self, column: str, facts: ColumnFacts) -> None:
        texts = any(issubclass(kind, str) for kind in {type(row[column]) for row in self.rows})
        if texts:
            self.texts.append(column)
        if column in self.result.key or facts.role in NAMING or (texts and facts.role is not FieldRole.FREE_TEXT):
            self.values[column] = self._grouped(column)
        if column not in self.values or (texts and facts.numeric):
            self.figures.append(column)

    def _grouped(self, column: str) -> dict[str, list[int]]:
        groups: dict[str, list[int]] = {}
        encoding = self.columns[column].encoding
        for number, row in enumerate(self.rows):
            cell = row[column]
            if isinstance(cell, str):
                if cell in groups:
                    groups[cell].append(number)
                else:
                    groups[cell] = [number]
            elif cell is not None and not isinstance(cell, bool):
                value = decoded(cell, encoding) if encoding else cell
                groups.setdefault(comparable(value), []).append(number)
        return groups

    def _keys(self) -> tuple[str, ...]:
        """The columns that tell rows apart only together; one that does so alone needs no other."""
        own = [column for column in self.result.key if len(self.values.get(column, ())) > 1]
        return tuple(own) if len(own) > 1 else ()

    def _measures(self) -> dict[str, None]:
        texts = (
            column
            for column in self.texts
            if column not in self.result.key and self.columns[column].role not in _NEVER_MEASURED
        )
        return dict.fromkeys((*self.figures, *texts))

    def rows_named(self, column: str, value: str) -> Sequence[int]:
        """The rows with this value; all of them where the call says that they have it."""
        if column not in self.values:
            return range(len(self.rows))
        rows = self.values[column].get(value)
        return rows if rows is not None else self.periods.get(column, {}).get(value, ())

    def cell(self, row: int, column: str) -> Decimal | str | date | bool | None:
        """The cell as a value."""
        return decoded(self.rows[row][column], self.columns[column].encoding)

    def rows_between(self, column: str, low: Decimal, high: Decimal) -> list[int]:
        """The rows whose number in this column lies between two others, by a search in the sorted column."""
        if column not in self._sorted:
            self._sorted[column] = self._sorted_numbers(column)
        numbers, rows = self._sorted[column]
        # Floats find the neighbourhood; the caller compares exactly.
        slack = max(abs(float(low)), abs(float(high))) * 1e-9 + 1e-9
        first = bisect_left(numbers, float(low) - slack)
        return rows[first : bisect_right(numbers, float(high) + slack)]

    def _sorted_numbers(self, column: str) -> tuple[list[float], list[int]]:
        if self.columns[column].encoding is not None:
            return [], []
        numbers = ((number_of(row[column]), at) for at, row in enumerate(self.rows))
        found = sorted((float(number), at) for number, at in numbers if number is not None)
        return [number for number, _ in found], [row for _, row in found]

    def text_rows_between(self, column: str, low: Decimal, high: Decimal) -> list[int]:
        """The rows whose text in this column may hold a number between two others; the caller reads the texts themselves."""
        if column not in self._numbers_in_texts:
            self._numbers_in_texts[column] = self._read_texts(column)
        numbers, rows, scaled = self._numbers_in_texts[column]
        slack = max(abs(float(low)), abs(float(high))) * 1e-9 + 1e-9
        first = bisect_left(numbers, float(low) - slack)
        return [*rows[first : bisect_right(numbers, float(high) + slack)], *scaled]

    def _read_texts(self, column: str) -> tuple[list[float], list[int], list[int]]:
        """The numbers in the texts of a column, sorted, with their rows; and the rows whose numbers have a scale (3200万)."""
        found: list[tuple[float, int]] = []
        scaled: list[int] = []
        for at, row in enumerate(self.rows):
            text = row[column]
            if not isinstance(text, str) or len(text) > _LONGEST_READ:
                continue
            if _SCALED.search(text):
                scaled.append(at)
            for token in _NUMBER.findall(text):
                plain = token.replace("'", "").replace("’", "")
                forms = {plain.replace(",", ""), plain.replace(".", "").replace(",", ".")}
                found += [(float(form), at) for form in forms if form.count(".") <= 1]
        found.sort()
        return [number for number, _ in found], [row for _, row in found], scaled[:_MOST_SCALED]

    def rows_flagged(self, column: str) -> frozenset[int] | None:
        """The rows for which a column says yes; None where it holds anything else."""
        if column not in self._flagged:
            self._flagged[column] = self._read_flags(column) if column in self.columns else None
        return self._flagged[column]

    def _read_flags(self, column: str) -> frozenset[int] | None:
        rows = self.rows[:_MOST_FLAGGED]
        if self.columns[column].role is FieldRole.FLAG:
            return frozenset(at for at, row in enumerate(rows) if row[column] is True)
        known: set[str] = set()
        yes: list[int] = []
        for at, row in enumerate(rows):
            cell = row[column]
            word = cell.strip().casefold() if isinstance(cell, str) else ""
            if (cell is not None and not isinstance(cell, str)) or (word and word not in _YES and word not in _NO):
                return None
            known.add(word)
            yes += [at] if word in _YES else []
        return frozenset(yes) if 1 <= len(known - {""}) <= 2 else None

    def counts_things(self, column: str) -> bool:
        """Whether a column counts what rows have, one or none at times: whole numbers without a unit."""
        if self.columns[column].unit or not self.columns[column].numeric:
            return False
        if column not in self._sorted:
            self._sorted[column] = self._sorted_numbers(column)
        numbers = self._sorted[column][0]
        return bool(numbers) and 0 <= numbers[0] <= 1 and all(number.is_integer() for number in numbers)

    def dimensions(self, column: str) -> frozenset[str]:
        """What a column is measured in: by its unit, or by those that its texts say."""
        if column not in self.columns:
            return frozenset()
        unit = unit_called(self.columns[column].unit or "")
        texts = (str(row[column]) for row in self.rows[:_FEW_VALUES] if isinstance(row[column], str))
        said = {
            found.unit.dimension for text in texts for found in quantities(text[:_LONGEST_TEXT], "en") if found.unit
        }
        return frozenset({*said, *({unit.dimension} if unit is not None else ())})

    def holds_years(self, column: str) -> bool:
        """Whether all figures of a column are years."""
        if column not in self._sorted:
            self._sorted[column] = self._sorted_numbers(column)
        numbers = self._sorted[column][0]
        return (
            bool(numbers) and numbers[0] >= _FIRST_YEAR and numbers[-1] <= _LAST_YEAR and not self.columns[column].unit
        )

    @cached_property
    def days(self) -> dict[str, dict[date, list[int]]]:
        """Column of dates -> day -> its rows."""
        found: dict[str, dict[date, list[int]]] = {}
        for column, facts in self.columns.items():
            if facts.encoding is None and not any(isinstance(row[column], date) for row in self.rows[:50]):
                continue
            days: dict[date, list[int]] = {}
            for number, row in enumerate(self.rows):
                moment = decoded(row[column], facts.encoding)
                if isinstance(moment, date):
                    days.setdefault(moment.date() if isinstance(moment, datetime) else moment, []).append(number)
            if days:
                found[column] = days
        return found

    def holds_time(self, column: str) -> bool:
        """Whether days or times may stand in a column."""
        return column in self.days or column in self.texts

    @cached_property
    def periods(self) -> dict[str, dict[str, list[int]]]:
        """Naming column of dates -> year (2020), month (2020-04) or day -> its rows."""
        found: dict[str, dict[str, list[int]]] = {}
        for column in self.values:
            for day, rows in self.days.get(column, {}).items():
                for period in (f"{day.year:04}", f"{day.year:04}-{day.month:02}", day.isoformat()):
                    found.setdefault(column, {}).setdefault(period, []).extend(rows)
        return found

    @cached_property
    def in_time(self) -> list[int] | None:
        """The rows in the order of time, where each of them is another period."""
        for column in (*self.result.key, *self.columns):
            if self.columns[column].role is FieldRole.PERIOD or column in self.days or self._holds_periods(column):
                texts = [str(row[column]) for row in self.rows]
                if len(set(texts)) == len(texts):
                    return sorted(range(len(texts)), key=lambda row: order_in_time(texts[row]))
        return None

    @property
    def is_series(self) -> bool:
        """Whether each row is a period of its own."""
        return self.in_time is not None

    def _holds_periods(self, column: str) -> bool:
        cells = [row[column] for row in self.rows[:20]]
        return bool(cells) and all(isinstance(cell, str) and is_period(cell) for cell in cells)

    @cached_property
    def naming(self) -> frozenset[str]:
        """The columns that tell which row it is: the key, the first one whose texts all differ, and those called name or title."""
        unique = [
            column
            for column, values in self.values.items()
            if column in self.texts and column not in self.result.key and len(values) == len(self.rows)
        ]
        called = [column for column in unique if _NAME_WORDS & set(words_in(words_of(column))) or column.endswith("名")]
        coded = all(self.columns[column].role in _NEVER_MEASURED for column in self.result.key)
        plain = (column for column in unique if self.columns[column].role not in _NEVER_MEASURED)
        return frozenset((*self.result.key, *called, *(list(plain)[:1] if coded and not called else ())))

    def parts_first(self, one: str, other: str) -> tuple[str, str]:
        """Two columns in the order in which a pair says them: the part before the whole that it never exceeds (4 of 9)."""
        if (one, other) not in self._parts:
            both = [(number_of(row[one]), number_of(row[other])) for row in self.rows[:_SAMPLED]]
            known = [(first, second) for first, second in both if first is not None and second is not None]
            turned = (
                len(known) >= _TELLING
                and all(first >= second for first, second in known)
                and any(a > b for a, b in known)
            )
            self._parts[one, other] = (other, one) if turned else (one, other)
        return self._parts[one, other]

    @cached_property
    def record(self) -> tuple[str, str] | None:
        """The columns of games won and lost, which a record says in this order: 17 - 36."""
        roots = {column: name_roots(column, facts.words) for column, facts in self.columns.items() if facts.numeric}
        won = next((column for column, words in roots.items() if {"win", "won"} & words), None)
        lost = next((column for column, words in roots.items() if {"loss", "losse", "lost"} & words), None)
        return (won, lost) if won is not None and lost is not None else None

    def is_naming(self, column: str) -> bool:
        """Whether a column holds names of rows, or parts of such names."""
        return column in self.naming or bool(_NAME_WORDS & set(words_in(words_of(column))))

    @cached_property
    def coded(self) -> frozenset[str]:
        """The columns of codes and identifiers."""
        return frozenset(column for column, facts in self.columns.items() if facts.role in _NEVER_MEASURED)

    @cached_property
    def rates(self) -> frozenset[str]:
        """The columns of shares and rates."""
        return frozenset(column for column, facts in self.columns.items() if facts.role is FieldRole.RATE)

    @cached_property
    def of_dimension(self) -> dict[str, list[str]]:
        """What is measured, by the unit of a column -> the columns."""
        found: dict[str, list[str]] = {}
        for column, facts in self.columns.items():
            unit = unit_called(facts.unit) if facts.unit else None
            if unit is not None:
                found.setdefault(unit.dimension, []).append(column)
        return found

    @cached_property
    def qualities(self) -> list[tuple[str, str]]:
        """The adjectives in the names of columns of figures, and the words they are a part of: pünktlich, Pünktlichkeit."""
        words = {word for column in self.figures for word in words_in(words_of(column))}
        ends = (("igkeit", "ig"), ("keit", ""), ("heit", ""), ("uality", "ual"), ("ness", ""))
        return [
            (word.removesuffix(end) + put, noun_root(word))
            for word in words
            for end, put in ends
            if word.endswith(end) and len(word) - len(end) >= _TELLING
        ]

    @cached_property
    def owners(self) -> dict[str, dict[str, str | None]]:
        """Naming column -> a word -> the one value that has it; None where several do."""
        found: dict[str, dict[str, str | None]] = {}
        for column, values in self.values.items():
            owned: dict[str, str | None] = {}
            for value in values:
                for word in set(words_in(value)) if len(value) <= _LONGEST_TEXT else ():
                    owned[word] = None if word in owned else value
            found[column] = owned
        return found


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
        add = self._add_name
        for column, values in table.values.items():
            month = bool(_MONTH_WORDS & set(words_of(column).split())) or column.endswith("月份")
            plural = table.columns[column].role is FieldRole.CATEGORY if column in table.columns else False
            for value in values:
                ref = NameRef(table.number, column, value)
                for form in name_forms(value, month=month, aliases=aliases):
                    add(form, ref)
                for form in sex_forms(column, value) if len(values) <= _FEW_VALUES else ():
                    add(form, ref)
                for form in plurals(value) if plural else ():
                    if form not in self.names:
                        self._add_name(form, ref)
        for column, value in table.result.pinned.items():
            if column not in table.values and isinstance(value, str | int | Decimal | date):
                self._add_name(tuple(words_in(comparable(value))), NameRef(table.number, column, comparable(value)))

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
        for column, facts in table.columns.items():
            for form in column_forms(column, facts.words):
                if form not in whole or ColumnRef(table.number, column) not in self.columns[form]:
                    self._add_column(form, ColumnRef(table.number, column))
                    whole.add(form)
            for form in opposites(column) if table.rows_flagged(column) is not None else ():
                self._add_column(form, ColumnRef(table.number, column))
                self.opposite_forms.add(form)
            if head := last_word(column):
                heads.setdefault(head, []).append(column)
        self._add_years(table, whole)
        self._add_parents(table, whole)
        words = words_in(words_of(table.result.data.table_name))
        rows = tuple(words) if words and is_unspaced(words[0]) else (noun_root(words[-1]),) if words else ()
        self._add_column(rows, ColumnRef(table.number, "*", sure=False))
        for head, columns in heads.items():
            if (head,) not in whole:
                for column in columns:
                    self._add_column((head,), ColumnRef(table.number, column, sure=False))

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
        for rest, members in families.items():
            if len(members) > 1:
                self.families.setdefault(table.number, {})[rest] = [column for _order, column in sorted(members)]
            for order, column in members if len(members) > 1 else ():
                ref = ColumnRef(table.number, column, sure=False)
                self.of_period[ColumnRef(table.number, column)] = self.of_period[ref] = order
                told = period_in_name(column)
                times = [tuple(map(noun_root, form)) for form in told.forms] if told is not None else []
                self.period_forms.update(dict.fromkeys(times))
                for form in {*times, *column_forms(rest, header_words(rest))}:
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
    def headings(self) -> frozenset[str]:
        """The words above the columns, such as years."""
        facts = ((column, facts) for table in self.tables for column, facts in table.columns.items())
        names = (name for column, known in facts for name in (column, *known.words))
        return frozenset(word for name in names for word in words_in(name))

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
