"""One result as figures are looked up in it: which columns name rows, which hold figures, and where a value stands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from veracity.answer.results import ColumnFacts, Result, comparable
from veracity.answer.values import decoded, number_of
from veracity.grounding.binding.name_forms import (
    name_roots,
)
from veracity.grounding.binding.period_names import is_period, order_in_time, part_of_cycle
from veracity.language.currencies import CURRENCIES
from veracity.language.folding import listed, words_in
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.language.units import Unit, quantities, unit_called
from veracity.ontology.draft.names import says, split
from veracity.ontology.fields import FieldRole

NAMING = frozenset(
    {FieldRole.CODE, FieldRole.NAME, FieldRole.IDENTIFIER, FieldRole.PERIOD, FieldRole.CATEGORY, FieldRole.CURRENCY}
)
_NEVER_MEASURED = frozenset({FieldRole.CODE, FieldRole.IDENTIFIER, FieldRole.CURRENCY, FieldRole.PERIOD})
_LONGEST_TEXT = 120
_LONGEST_READ = 4_000
_MOST_SCALED = 500
_NUMBER = re.compile(r"[0-9](?:[0-9.,'’]*[0-9])?")
_SCALED = re.compile(
    r"[0-9] ?(?:[万亿千百萬億]|mio|mrd|tsd|million|billion|thousand|k(?![a-z])|m(?![a-z])|bn)", re.IGNORECASE
)
_TIME = re.compile(
    r"[0-9][:.h][0-9]|[0-9]{4}|[0-9] ?(?:am|pm|uhr|[年月点时])|[0-9][^0-9]{1,3}[^\W\d_]{3}", re.IGNORECASE
)
"""What a day or a time looks like in a text."""
_TELLING = 4
_HUNDRED = Decimal(100)
_CLOCKED = re.compile(r"[0-9]{1,3}:[0-5][0-9]:[0-5][0-9]")
"""2:41:08 is how long something took; 09:15:00 may be when."""
LIMIT = re.compile(r"\s*(?P<sign>[<>≤≥])=?\s*[0-9][0-9.,']*\s*$")
"""<0.2: less than could be measured."""
_DURATIONS = listed("duration dauer elapsed laufzeit fahrzeit reisezeit spielzeit runtime 时长 用时")
_SAMPLED = 200
"""So many rows tell which of two columns is a part of the other."""
_FEW_VALUES = 4
_YES, _NO = listed("yes ja y true wahr x 是 有 ✓"), listed("no nein n false falsch 否 无 ✗")
_MOST_FLAGGED = 20_000
_FIRST_YEAR, _LAST_YEAR = 1500, 2200
_NAME_WORDS = listed("name title titel bezeichnung 名称 姓名")


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
        self._timed: dict[str, bool] = {}
        self._text_units: dict[str, Unit | None] = {}
        self._dimensions: dict[str, frozenset[str]] = {}
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
        names = column in self.result.key or facts.role in NAMING
        if names or (texts and facts.role is not FieldRole.FREE_TEXT):
            # Numbers among which limits stand (`<0.2`) are figures all the same.
            self.values[column] = self._grouped(column, numbers=names or column not in self.limited)
        if column not in self.values or (texts and facts.numeric):
            self.figures.append(column)

    @cached_property
    def limited(self) -> frozenset[str]:
        """The columns of numbers in which some are only limits: <0.2."""
        found = []
        for column, facts in self.columns.items() if self.rows else ():
            texts = [cell for row in self.rows if isinstance(cell := row[column], str)] if facts.numeric else []
            if texts and all(map(LIMIT.match, texts)):
                found.append(column)
        return frozenset(found)

    def _grouped(self, column: str, *, numbers: bool) -> dict[str, list[int]]:
        groups: dict[str, list[int]] = {}
        encoding = self.columns[column].encoding
        for number, row in enumerate(self.rows):
            cell = row[column]
            if isinstance(cell, str):
                if not numbers:
                    continue
                if cell in groups:
                    groups[cell].append(number)
                else:
                    groups[cell] = [number]
            elif numbers and cell is not None and not isinstance(cell, bool):
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
        if column in self.days and len(rows) > 1:
            done = frozenset(at for at, row in enumerate(rows) if row[column] is not None)
            return done if 0 < len(done) < len(rows) else None  # What has a day was done: closed, paid.
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
        if column not in self._dimensions:
            self._dimensions[column] = self._dimensions_of(column) if column in self.columns else frozenset()
        return self._dimensions[column]

    def _dimensions_of(self, column: str) -> frozenset[str]:
        unit = unit_called(self.columns[column].unit or "")
        texts = (str(row[column]) for row in self.rows[:_FEW_VALUES] if isinstance(row[column], str))
        said = {
            found.unit.dimension for text in texts for found in quantities(text[:_LONGEST_TEXT], "en") if found.unit
        }
        return frozenset({*said, *({unit.dimension} if unit is not None else ())})

    def unit_of_texts(self, column: str) -> Unit | None:
        """The unit that the texts of a column say, where it is the same in all: 145 cm."""
        if column not in self._text_units:
            texts = [text for row in self.rows[:_FEW_VALUES] if isinstance(text := row[column], str)]
            said = {found.unit for text in texts for found in quantities(text[:_LONGEST_TEXT], "en")}
            self._text_units[column] = next(iter(said)) if len(said) == 1 else None
            if len(said) > 1 and all(unit is not None and unit.dimension == "time" for unit in said):
                self._text_units[column] = unit_called("min")  # 1 h 30 min, 45 min, 3 h
            if self._holds_durations(column, texts):
                self._text_units[column] = unit_called("s")
        return self._text_units[column]

    def _holds_durations(self, column: str, texts: Sequence[str]) -> bool:
        """Whether the texts of a column say hours, minutes and seconds that something took."""
        if not texts or not all(_CLOCKED.fullmatch(text.strip()) for text in texts):
            return False
        named = not _DURATIONS.isdisjoint(words_in(words_of(column)))
        return named or any(not text.strip().startswith(("0", "1", "2")) or text.strip()[1] == ":" for text in texts)

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

    def holds_figures(self, column: str) -> bool:
        """Whether a column holds figures, or texts that begin with one: 145 cm, 22/24; or yes and no."""
        if column in self.figures or self.rows_flagged(column) is not None:
            return True
        texts = (row[column] for row in self.rows[:_FEW_VALUES])
        return column in self.texts and any(isinstance(text, str) and text[:1].isdecimal() for text in texts)

    def holds_time(self, column: str) -> bool:
        """Whether days or times may stand in a column: of texts, where a figure or a month stands in one of them."""
        if column not in self._timed:
            texts = (row[column] for row in self.rows[:_SAMPLED]) if column in self.texts else ()
            self._timed[column] = column in self.days or any(
                isinstance(text, str) and _TIME.search(text) for text in texts
            )
        return self._timed[column]

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
                orders = [order_in_time(str(row[column])) for row in self.rows]
                if len(set(orders)) == len(orders):
                    # November, December, January: the rows are in the order of time as they stand.
                    turns = sum(two < one for one, two in pairwise(orders))
                    cyclic = (
                        turns == 1 and orders[-1] < orders[0] and part_of_cycle(str(self.rows[0][column])) is not None
                    )
                    rows = range(len(orders))
                    return list(rows) if cyclic else sorted(rows, key=orders.__getitem__)
        return None

    def is_later(self, row: int, other: int) -> bool:
        """Whether a row is of a later period than another, in a column of periods or days."""
        if self.in_time is not None:
            return self.in_time.index(row) > self.in_time.index(other)
        for column, facts in self.columns.items():
            if facts.role is FieldRole.PERIOD or column in self.days or self._holds_periods(column):
                one, two = (order_in_time(str(self.rows[at][column])) for at in (row, other))
                if one != two:
                    return one > two
        return False

    @property
    def is_series(self) -> bool:
        """Whether each row is a period of its own."""
        return self.in_time is not None

    def adds_up(self, column: str, rows: Iterable[int]) -> bool:
        """Whether the cells of some rows can be added: not amounts in several currencies, nor a stock at several times."""
        own = [self.rows[row] for row in rows]
        if any(len({str(row[one]) for row in own}) > 1 for one in self._currencies):
            return False
        timed = [one for one in self.columns if one in self.days or self._holds_periods(one)]
        return not (says(split(column), "levels") and any(len({str(row[one]) for row in own}) > 1 for one in timed))

    @cached_property
    def _currencies(self) -> list[str]:
        """The columns that say in which currency each row is."""
        return [
            column
            for column in self.texts
            if (found := {str(row[column]) for row in self.rows}) and all(one.casefold() in CURRENCIES for one in found)
        ]

    @cached_property
    def is_of_periods(self) -> bool:
        """Whether the rows are named by the time that they are of."""
        return self.is_series and any(
            self.columns[column].role is FieldRole.PERIOD or column in self.days or self._holds_periods(column)
            for column in (*self.result.key, *list(self.columns)[:1])
        )

    def _holds_periods(self, column: str) -> bool:
        return column in self._periodic

    @cached_property
    def _periodic(self) -> frozenset[str]:
        """The columns of texts that are months, quarters or days."""
        first = self.rows[:20]
        columns = self.texts if first else ()
        return frozenset(
            column
            for column in columns
            if all(isinstance(cell := row[column], str) and is_period(cell) for row in first)
        )

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

    def is_part(self, part: str, whole: str) -> bool:
        """Whether a column exceeds another one in no row, and stays below it in one."""
        both = [(number_of(row[part]), number_of(row[whole])) for row in self.rows[:_SAMPLED]]
        known = [(one, two) for one, two in both if one is not None and two is not None]
        return (
            len(known) == len(both) and all(one <= two for one, two in known) and any(one < two for one, two in known)
        )

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
    def parts_of_all(self) -> frozenset[str]:
        """The columns of shares that add up to a hundred, so that some of them may be added."""
        numbers = {column: [number_of(row[column]) for row in self.rows] for column in self.rates if self.whole}
        sums = {column: sum((n for n in cells if n is not None), Decimal(0)) for column, cells in numbers.items()}
        return frozenset(column for column, whole in sums.items() if abs(whole - _HUNDRED) <= 1 and len(self.rows) > 2)

    @cached_property
    def of_dimension(self) -> dict[str, list[str]]:
        """What is measured, by the unit of a column or of its texts -> the columns."""
        found: dict[str, list[str]] = {}
        for column, facts in self.columns.items():
            own = unit_called(facts.unit) if facts.unit else None
            # Of a single record, a unit alone says too little: in 30 days, of an uptime of 212 days.
            texts = column in self.texts and column not in self.naming and len(self.rows) > 1
            unit = own or (self.unit_of_texts(column) if texts else None)
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
