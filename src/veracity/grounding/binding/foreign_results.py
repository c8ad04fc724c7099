"""Results of any agent as results of ours: cells read as what they are, and what each column is for, guessed from its name and values.

Nothing is declared of such a table but what its sender says, so every column of numbers may be computed with, except ids,
codes and years. What cannot be read is an error for the person who sent it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import chain, islice, pairwise
from typing import Any, Literal

from veracity.answer.results import ColumnFacts, Result, comparable
from veracity.contracts import Cell, ResultColumn, TableData, clip
from veracity.errors import UsageError
from veracity.grounding.binding.header_words import header_words, unit_of_header
from veracity.grounding.contracts import GroundedColumn, GroundedResult
from veracity.grounding.evidence import MAX_CELLS, too_many_cells
from veracity.language.currencies import CURRENCIES
from veracity.language.folding import listed, words_in
from veracity.language.nearest import did_you_mean, words_of
from veracity.language.number_format import FORMATS, NumberFormat
from veracity.language.numbers import SCALE_WORD, scale_of
from veracity.language.stem import noun_root
from veracity.language.units import unit_called
from veracity.ontology.draft.names import ends_in, in_list, split
from veracity.ontology.fields import Additivity, FieldRole
from veracity.query.model import Call

_TEXT = frozenset({str})
_AS_IT_IS = frozenset({str, int, bool, Decimal, date, datetime, type(None)})
_PLAIN = _AS_IT_IS | {float}
_NO_TEXTS = _PLAIN - _TEXT
_DEEPEST = 4
_MOST_COLUMNS = 2_000
_LONG_TEXT = 60
_SEVERAL = 20
_FEW = 3
_RANKING = listed("rank place position pos standing rang platz 排名 名次")
"""So many values are enough to tell what a column holds."""
_YEARS = range(1800, 2201)

_NULLS = frozenset(
    {
        "",
        "-",
        "--",
        "–",
        "—",
        "n/a",
        "na",
        "n.a.",
        "nan",
        "null",
        "none",
        "nil",
        "k.a.",
        "k. a.",
        "无",
        "不适用",
        "暂无",
    }
)
_SIGN = r"[-−–+]?"
_CURRENCY = "|".join(re.escape(word) for word in sorted(CURRENCIES, key=len, reverse=True) if len(word) <= 4)
_AMOUNT = re.compile(
    rf"(?P<sign>{_SIGN})\s*(?:(?:{_CURRENCY})\.?\s*)?(?P<open>\(\s*)?(?:(?:{_CURRENCY})\.?\s*)?(?P<sign2>{_SIGN})"
    rf"(?P<digits>[0-9](?:[0-9.,'’\u00a0\u202f ]*[0-9])?)(?:{SCALE_WORD.pattern})?(?P<percent>\s*[%％])?(?:\s*(?:{_CURRENCY})\.?)?(?P<close>\s*\)\s*[%％]?)?"
)
"""A number as people write it: $ 1,452.4, (12.6), 12.5 %, 1'234.50, 1.5 Mio."""
_MONEY = re.compile(rf"(?<![a-z])(?:{_CURRENCY})(?![a-z])")
_NOTHING = re.compile(rf"(?:(?:{_CURRENCY})\.?)?\s*(?:-|--|–|—)\s*[%％]?")
_NOTHING_ENDS = frozenset("-–—%％")
_WITH_POINT = tuple(style for style in FORMATS if style.decimal == ".")
_WITH_COMMA = tuple(style for style in FORMATS if style.decimal == ",")
_LONGEST_NUMBER = 60
_LETTERED = _NAMED = 5
_DIGIT = re.compile("[0-9]")
_NAMED_ZONE = re.compile(r" (?:UTC|GMT|CES?T|MES?Z|[ECMP][SD]T|BST|JST|CST)$")
_ISO_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2}| (?:UTC|GMT|CES?T|MES?Z|[ECMP][SD]T|BST|JST|CST))?)?"
)

_DOTTED = re.compile(r"(?P<day>[0-3]?[0-9])\.(?P<month>[01]?[0-9])\.(?P<year>[12][0-9]{3})")
"""A day as Swiss and Germans write it."""

_ID_WORDS = listed("id uuid guid uid no nr number nummer num key ref")
_CODE_WORDS = listed("code codes zip plz phone tel telefon postcode isbn ean iban sku 编号 代码 号码 邮编 电话")
_PERIOD_WORDS = listed("year years jahr jahre month monat quarter quartal week woche")
_PLURAL_PERIODS = frozenset({"years", "jahre", "months", "monate", "weeks", "wochen"})
_PERIOD_SIGNS = ("年", "年份", "年度", "月", "月份", "季度")
_RATE_WORDS = listed("pct percent percentage rate ratio share prozent quote anteil proportion")
_RATE_SIGNS = ("率", "占比", "比例", "百分比", "%")
_PERCENT_UNITS = frozenset({"%", "percent", "pct", "prozent", "百分比"})
_COUNTING = listed("number count num anzahl zahl")
_NUMBERED = frozenset(
    noun_root(word)
    for word in listed(
        "line route account room gate track platform order invoice ticket case machine device employee lot batch table seat bus tram "
        "train flight store shop branch product item article customer client user member job task game match round question "
        "chapter building apartment unit vehicle car box shelf station patient project vendor supplier department "
        "linie strecke konto zimmer raum gleis auftrag bestellung rechnung fall maschine gerät mitarbeiter los charge tisch platz zug flug "
        "filiale produkt artikel kunde benutzer mitglied aufgabe spiel runde frage kapitel gebäude haus wohnung wagen fahrzeug regal "
        "lieferant abteilung projekt"
    )
)
"""What is numbered rather than named: line 12, room 304, Konto 1020."""
_NUMBERED_SIGNS = ("线路", "房间", "账户", "科目", "订单", "机器", "设备", "车次", "航班", "路线")

_MULTIPLES = {"thousand": Decimal(10**3), "million": Decimal(10**6), "billion": Decimal(10**9), "percent": Decimal(1)}
_IN_SO_MANY = re.compile(
    r"(?:[(（\[,/]\s*(?:in\s+)?|(?<![a-z])in\s+)(?:us\$|chf|eur|usd|gbp|\$|€|£)?\s?"
    rf"(?:(?P<letter>[tkm](?=chf|eur|usd)|m(?=[\s)）\]]|$)|'?000s?(?![a-z]))|{SCALE_WORD.pattern})"
    r"|(?P<chinese>千|百万|万|亿)(?=元|美元|人|吨|[)）]|$)"
)
"""In how many the cells of a column are, by its name: revenue (in TCHF), 金额（万元）."""
_LARGE = 1_000
_PRICED = frozenset(
    map(noun_root, listed("price rate rent fee salary wage pay tariff miete lohn gehalt preis gebühr tarif zins"))
)
_LETTERS = {"t": Decimal(10**3), "k": Decimal(10**3), "m": Decimal(10**6), "b": Decimal(10**9)}
_SCALE_BEHIND = re.compile(
    r"(?<=[A-Za-z])_(?:(?P<letter>m|mn|mio|millions?|k|tsd|thousands?|bn|billions?|mrd)(?P<of>_(?:usd|eur|chf|gbp|cny))?|(?P<money>[mkt])(?:usd|eur|chf|gbp|cny)|"
    r"(?:usd|eur|chf|gbp|cny)_(?P<behind>m|mn|mio|k|tsd|bn|mrd))$|"
    r"(?-i:(?<=[a-z])(?P<camel>Mio|Mn|Tsd)(?:Chf|Eur|Usd|Gbp|Cny|CHF|EUR|USD|GBP|CNY)?$)",
    re.IGNORECASE,
)
"""requests_m are millions, debt_mio_chf too, unless what is measured is a length: then the m is its unit."""
_UNIT_BEHIND = re.compile(r"(?<=\w)_(?:[千百万亿]{0,2}(?:元|美元|欧元|人|吨|个|件)|%)$")
_IN_BRACKETS = re.compile(r"\s*[(（\[][^()（）\[\]]{0,40}[)）\]]\s*$")


def foreign_results(results: Sequence[GroundedResult]) -> dict[str, Result]:
    """The results by their ids; UsageError in one sentence for what cannot be read."""
    made: dict[str, Result] = {}
    if sum(len(given.rows) * max(1, len(given.columns)) for given in results) > MAX_CELLS:
        raise too_many_cells()
    for given in results:
        if given.id in made:
            raise UsageError(f"Two results have the id {clip(given.id, 40)}; give every result its own id.")
        made[given.id] = _result(given)
    return made


def _result(given: GroundedResult) -> Result:
    declared = {column.name: column for column in given.columns}
    if len(declared) < len(given.columns):
        twice = next(
            c.name for number, c in enumerate(given.columns) if c.name in [o.name for o in given.columns[:number]]
        )
        raise UsageError(
            f"Result {clip(given.id, 40)} has two columns {clip(twice, 40)}; give every column its own name."
        )
    head = [column.name for column in given.columns]
    rows = _plain_rows(head, given) or [_row(row, number, head, given) for number, row in enumerate(given.rows)]
    names = _names(declared, rows, given)
    unknown = next((name for name in given.key if name not in names), None)
    if unknown is not None:
        mend = did_you_mean(unknown, names)
        raise UsageError(f"The key {clip(unknown, 40)} of result {clip(given.id, 40)} is none of its columns{mend}")
    comma, told = _has_decimal_comma(rows), _told_of_all(given.caption)
    columns = [
        _RawColumn(
            declared.get(name) or GroundedColumn(name=name), [row.get(name) for row in rows], comma=comma, told=told
        )
        for name in names
    ]
    as_given = all(column.is_as_given for column in columns) and all(list(row) == names for row in rows)
    cells = tuple(
        rows if as_given else ({column.name: column.cells[at] for column in columns} for at in range(len(rows)))
    )
    data = TableData(
        result_id=given.id,
        table_name=given.id,
        columns=tuple(ResultColumn(name=column.name, type=column.type) for column in columns),
        rows=cells,
        row_count=len(cells),
        truncated=given.truncated,
    )
    numbered = () if given.key else _numbered_key(columns, len(cells))
    key = given.key or numbered or _guessed_key(columns, len(cells))
    _name_columns(columns)
    facts = {column.name: column.facts(in_key=column.name in (given.key or numbered)) for column in columns}
    facts = _with_units_by_row(facts, columns)
    described = any(one.label or one.synonyms or one.unit or one.scale for one in given.columns)
    grain = key if _tells_apart(columns, key) else ()
    return Result(data, Call(tool="", table=given.id), key, facts, {}, grain=grain, described=described)


def _with_units_by_row(facts: dict[str, ColumnFacts], columns: Sequence[_RawColumn]) -> dict[str, ColumnFacts]:
    """The same, where another column says row by row what is measured in: 96.5, of `unit: kg`; never for amounts of money."""
    texts = (one for one in columns if one.type == "text")
    holding = (
        one for one in texts if any(unit_called(str(cell)) for cell in islice(dict.fromkeys(one.cells), _SEVERAL))
    )
    unit = next((one for one in holding if ends_in(split(one.name), "units_columns")), None)
    if unit is None:
        return facts
    return {
        name: replace(one, unit_field=unit.name)
        if one.numeric
        and one.role is None
        and one.unit is None
        and not any(in_list(word, "money") for word in split(name))
        else one
        for name, one in facts.items()
    }


# --- rows


def _plain_rows(head: Sequence[str], given: GroundedResult) -> list[dict[str, Any]]:
    """Rows that are lists of plain values, all as long as they should be; none where any is not."""
    if not all(type(row) is list and len(row) == len(head) for row in given.rows):
        return []
    if not set(map(type, chain.from_iterable(given.rows))) <= _PLAIN:
        return []
    return [dict(zip(head, row, strict=True)) for row in given.rows]


def _row(row: Any, number: int, head: Sequence[str], given: GroundedResult) -> dict[str, Any]:
    if isinstance(row, list | tuple):
        if len(row) != len(head):
            raise UsageError(
                f"Row {number} of result {clip(given.id, 40)} has {len(row)} cells for {len(head)} columns; give one per column."
            )
        row = dict(zip(head, row, strict=True))
    elif not isinstance(row, dict):
        raise UsageError(f"Row {number} of result {clip(given.id, 40)} is neither a list nor an object.")
    elif not set(map(type, row)) <= _TEXT:
        row = {str(key): value for key, value in row.items()}
    kinds = set(map(type, row.values()))
    return _flat(row) if not kinds <= _PLAIN and any(issubclass(kind, dict) for kind in kinds) else row


def _flat(row: Mapping[Any, Any], before: str = "", depth: int = 0) -> dict[str, Any]:
    """A row with the objects inside it laid out: hours.Monday."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        path = f"{before}{name}"
        if isinstance(value, dict) and value and depth < _DEEPEST:
            flat |= _flat(value, f"{path}.", depth + 1)
        else:
            flat[path] = value
    return flat


def _names(
    declared: Mapping[str, GroundedColumn], rows: Sequence[Mapping[str, Any]], given: GroundedResult
) -> list[str]:
    """The columns in order: those that are declared, and what objects hold inside them."""
    found = dict.fromkeys(name for row in rows for name in row)
    for name in found:
        if declared and name not in declared and not any(name.startswith(f"{own}.") for own in declared):
            mend = did_you_mean(name, declared)
            raise UsageError(
                f"A row of result {clip(given.id, 40)} has a cell for {clip(name, 40)}, which is none of its columns{mend}"
            )
    # A column whose cells are all objects is those objects' columns.
    inner = {name.rpartition(".")[0] for name in found}
    # Where some of them are missing, nothing but the missing ones stands in it.
    hollow = {name for name in found if name in inner and all(row.get(name) is None for row in rows)}
    names = [
        name
        for name in dict.fromkeys((*declared, *found))
        if name not in hollow and (name in found or name not in inner)
    ]
    if len(names) > _MOST_COLUMNS:
        raise UsageError(f"Result {clip(given.id, 40)} has {len(names)} columns; at most {_MOST_COLUMNS} are read.")
    return names


# --- columns


class _RawColumn:
    """One column: its cells, and what it seems to be for."""

    def __init__(
        self, declared: GroundedColumn, values: Sequence[Any], *, comma: bool, told: tuple[str | None, Decimal]
    ) -> None:
        self.name, self._declared, self._told = declared.name, declared, told
        self._header = None if declared.unit or declared.scale else unit_of_header(declared.name)
        self.other_words: tuple[str, ...] = () if declared.label or declared.synonyms else header_words(declared.name)
        self._words = words_of(declared.name.rpartition(".")[2] or declared.name).split()
        kinds = set(map(type, values))
        texts = [value for value in values if isinstance(value, str)] if not kinds <= _NO_TEXTS else []
        self.percent = False
        self._money: str | None = None
        if not texts:
            self.cells: Sequence[Cell] = _cells_of(values, kinds)
        elif self._holds_dates(texts):
            self.cells = [_moment(value) if isinstance(value, str) else _cell_of(value) for value in values]
        elif self._is_named_period() and all(text.strip().isdecimal() for text in texts):
            self.cells = [int(value) if isinstance(value, str) else _cell_of(value) for value in values]
        elif self._is_code() or not self._holds_numbers(values):
            self.cells = _cells_of(values, kinds)
        else:
            read = [
                _number(value, comma=comma) if isinstance(value, str) else (_cell_of(value), False) for value in values
            ]
            shares = [percent for cell, percent in read if isinstance(cell, Decimal)]
            self.percent = bool(shares) and all(shares)
            self.cells = [cell for cell, _ in read]
            self._money = _currency_of(texts)
        self.is_as_given = self.cells is values
        whole = self.is_as_given and type(None) not in kinds
        self._known = self.cells if whole else [cell for cell in self.cells if cell is not None]
        self._kinds = {_KINDS.get(kind, "text") for kind in set(map(type, self._known))}

    @property
    def type(self) -> str:
        """A word for what the cells are."""
        return next(iter(self._kinds)) if len(self._kinds) == 1 else "number" if "number" in self._kinds else "text"

    @cached_property
    def unique(self) -> bool:
        """Whether no two rows share a value."""
        if len(self._known) < len(self.cells):
            return False
        values = self._known if self._kinds == {"text"} else map(comparable, self._known)
        return len(set(values)) == len(self.cells)

    def facts(self, *, in_key: bool) -> ColumnFacts:
        """What the column may be used for."""
        role = self.role(in_key=in_key)
        numbers = "number" in self._kinds
        adds = numbers and role in (None, FieldRole.AMOUNT, FieldRole.RATE)
        words = (self._declared.label or "", *self._declared.synonyms, *self._short_names(), *self.other_words)
        return ColumnFacts(
            role=role,
            # Of a foreign table nobody says what adds up: the person who declares a sum answers for it.
            additivity=Additivity.ADDITIVE if adds else Additivity.NON_ADDITIVE,
            unit=self._unit() if role is not FieldRole.PERIOD else None,
            can_be_added=adds,
            numeric=numbers,
            words=tuple(dict.fromkeys(word for word in words if word)),
            multiple=self._multiple(),
        )

    def role(self, *, in_key: bool) -> FieldRole | None:
        """What the cells are: names, codes, years, shares; None for plain figures."""
        kinds = self._kinds
        if kinds == {"flag"}:
            return FieldRole.FLAG
        if self._is_code():
            return FieldRole.IDENTIFIER if self._words[-1:] in (["id"], ["uuid"]) else FieldRole.CODE
        if kinds == {"date"}:
            return FieldRole.DATE
        if self._is_period() or (in_key and self._holds_years()):
            return FieldRole.PERIOD
        if "number" in kinds:
            return FieldRole.CODE if in_key else FieldRole.RATE if self._is_rate() else None
        if not in_key and self._has_long_texts:
            return FieldRole.FREE_TEXT
        return FieldRole.NAME if in_key or self.unique else FieldRole.CATEGORY

    @cached_property
    def _has_long_texts(self) -> bool:
        texts = self._known if self._kinds == {"text"} else [cell for cell in self._known if isinstance(cell, str)]
        return max(map(len, texts), default=0) > _LONG_TEXT  # type: ignore[arg-type]

    def _holds_dates(self, texts: Sequence[str]) -> bool:
        """Whether these are days; a few may be words, such as `at once` where days say from when."""
        written = [text.strip() for text in texts[:_SEVERAL] if not _is_null(text)]
        days = sum(bool(_ISO_DATE.fullmatch(text) or _DOTTED.fullmatch(text)) for text in written)
        return bool(written) and (days == len(written) or (days > 1 and 3 * days >= 2 * len(written)))

    def _holds_numbers(self, values: Sequence[Any]) -> bool:
        """Whether half of the cells are numbers, or texts that are numbers as people write them."""
        others = nulls = numbers = 0
        for value in values:
            if value is None:
                nulls += 1
            elif isinstance(value, bool) or (type(value) is str and value[:_NAMED].isalpha() and len(value) > _NAMED):
                others += 1  # No currency and no word for nothing has so many letters.
            elif not isinstance(value, str) or _amount(value) is not None:
                numbers += 1
            # No amount is written as nothing is, so that only the rest needs a look.
            elif _is_null(value):
                nulls += 1
            else:
                others += 1
            if 2 * others > len(values) or 2 * numbers >= len(values):
                return 2 * others <= len(values)
        return nulls < len(values) and 2 * others <= len(values) - nulls

    def _is_code(self) -> bool:
        last, first = self._words[-1:], self._words[:1]
        counted = first and first[0] in _COUNTING and len(self._words) > 1
        named = (
            bool(last)
            and not counted
            and (
                last[0] in _CODE_WORDS or (last[0] in _ID_WORDS and (len(self._words) > 1 or last[0] in ("id", "uuid")))
            )
        )
        return named or self.name.endswith(("编号", "代码", "号码", "ID"))

    def numbers_rows(self) -> bool:
        """Whether the cells are numbers of things rather than measures of them."""
        whole = all(
            isinstance(cell, int | Decimal) and not isinstance(cell, bool) and cell == int(cell) for cell in self._known
        )
        named = noun_root(self._words[-1]) in _NUMBERED if self._words else False
        return (
            whole
            and self.unique
            and (named or self.name.endswith(_NUMBERED_SIGNS) or self._counts_up())
            and self._header is None
            and self._declared.unit is None
        )

    def _counts_up(self) -> bool:
        """Whether each row has the number behind that of the row before it: episodes 41, 42, 43."""
        numbers = [int(cell) for cell in self._known if isinstance(cell, int | Decimal)]
        steps = {two - one for one, two in pairwise(numbers)}
        ranks = not _RANKING.isdisjoint(self._words)
        return len(self._known) >= _FEW and steps == {1} and not ranks and not self._is_named_period()

    def _is_named_period(self) -> bool:
        if len(self._words) > 1 and self._words[-1] in _PLURAL_PERIODS:
            return False  # age_years are measured in years.
        return bool(_PERIOD_WORDS & set(self._words[-1:])) or self.name.endswith(_PERIOD_SIGNS)

    def _is_period(self) -> bool:
        if not self._is_named_period():
            return False
        whole = [cell for cell in self._known if isinstance(cell, int) and not isinstance(cell, bool)]
        return len(whole) == len(self._known) and all(cell in _YEARS or 0 <= cell <= 53 for cell in whole)

    def _holds_years(self) -> bool:
        """Whether each row is another year, whatever the column is called: {"consumption": {"2021": ..., "2022": ...}}."""
        whole = (isinstance(cell, int | Decimal) and cell == int(cell) and int(cell) in _YEARS for cell in self._known)
        return len(self._known) > 1 and self.unique and all(whole)

    def _is_rate(self) -> bool:
        unit = (self._declared.unit or (self._header[0] if self._header is not None else "")).casefold()
        named = bool(_RATE_WORDS & set(words_in(words_of(self.name)))) or self.name.endswith(_RATE_SIGNS)
        named = named and unit not in CURRENCIES  # A rate in euros is a price.
        return self.percent or named or self._declared.scale == "percent" or unit in _PERCENT_UNITS

    def _unit(self) -> str | None:
        """The declared unit; a percentage is a plain number that may be multiplied with an amount."""
        unit = self._declared.unit or (self._header[0] if self._header is not None else None) or self._money
        unit = unit or (self._told[0] if "number" in self._kinds and not self._is_rate() else None)
        return None if unit is None or unit.casefold() in _PERCENT_UNITS else CURRENCIES.get(unit.casefold(), unit)

    def _short_names(self) -> list[str]:
        """The name without what stands in brackets, and without the objects around it."""
        bare = _SCALE_BEHIND.sub("", _UNIT_BEHIND.sub("", _IN_BRACKETS.sub("", self.name)))
        plain = self._header[2] if self._header is not None else bare
        names = (bare, bare.rpartition(".")[2], plain, plain.rpartition(".")[2])
        return list(dict.fromkeys(name for name in names if name and name != self.name))

    def _multiple(self) -> Decimal:
        """In how many the cells are: as declared, or as the name of the column says."""
        if self._declared.scale is not None:
            return _MULTIPLES[self._declared.scale]
        behind = _SCALE_BEHIND.search(self.name)
        if behind is not None and behind["behind"] and not self._may_be_in_millions(behind["behind"]):
            return Decimal(1)
        if behind is not None and (self._header is None or behind["of"] or behind["money"] or behind["behind"]):
            return _counted_in(behind["letter"] or behind["money"] or behind["behind"] or behind["camel"])
        inner = _SCALE_BEHIND.search(self._header[2]) if self._header is not None else None
        if inner is not None and len(inner["letter"] or "") > 1:
            return _counted_in(inner["letter"])  # capacity_million_m3
        if _IN_CENTS.search(self.name):
            return Decimal("0.01")
        named = (_in_so_many(name) for name in (self.name, self._declared.label or ""))
        plain = self._header is None and self._declared.unit is None and "number" in self._kinds and not self._is_rate()
        return next((many for many in named if many is not None), self._told[1] if plain else Decimal(1))

    def _may_be_in_millions(self, word: str) -> bool:
        """Whether a single letter behind a currency counts millions: not where the cells are large or prices, by the month or of men."""
        if word.lower() != "m":
            return True
        large = any(abs(Decimal(cell)) >= _LARGE for cell in self._known if isinstance(cell, int | Decimal))
        return not large and _PRICED.isdisjoint(map(noun_root, self._words))


def _counted_in(word: str) -> Decimal:
    """What a word or letter in a name counts: k, mio, bn."""
    return _LETTERS["b" if word.lower() == "mrd" else word[0].lower()]


_IN_CENTS = re.compile(
    r"(?:_|\s|\(|(?<=[a-z])(?=[CR]))(?:in[_ ])?(?:cents?|rappen|rp|pence|centimes)\)?$", re.IGNORECASE
)


def _in_so_many(text: str) -> Decimal | None:
    """In how many figures are, by the words above them: in TCHF."""
    found = _IN_SO_MANY.search(text.lower())
    if found is None:
        return None
    signs = found["chinese"] and SCALE_WORD.fullmatch(found["chinese"])
    letter = (found["letter"] or "").lstrip("'")[:1]
    return scale_of(signs or found, "en") if signs or not letter else _LETTERS.get(letter, Decimal(10**3))


_CAPTION_UNIT = re.compile(
    r"(?:(?<![a-z])(?:in|unit|units|einheit|currency|währung|单位)\s*[:：=]?|[(（\[：])\s*(?P<many>[^\s()（）\[\],;.]{1,12}\.?)(?:\s+(?P<unit>[^\s()（）\[\],;.]{1,12}))?",
    re.IGNORECASE,
)


def _told_of_all(caption: str) -> tuple[str | None, Decimal]:
    """The unit that a caption says of a whole table, and in how many its figures are: revenue in EUR million."""
    if not caption:
        return None, Decimal(1)
    many = _in_so_many(f"({caption})" if len(caption) <= _LONG_TEXT else caption) or Decimal(1)
    for found in _CAPTION_UNIT.finditer(caption):
        for word in (found["unit"], found["many"]):
            name = CURRENCIES.get((word or "").casefold())
            unit = name or (word if word and len(word) > 1 and unit_called(word) is not None else None)
            if unit is not None:
                return unit, many
    return None, many


_KINDS: Mapping[type, Literal["flag", "date", "number", "text"]] = {
    bool: "flag", int: "number", float: "number", Decimal: "number", date: "date", datetime: "date", str: "text",
}  # fmt: skip


def _name_columns(columns: Sequence[_RawColumn]) -> None:
    """A word that is the name of one column is no other word for another one."""
    own = {_roots(words_of(column.name)) for column in columns}
    for column in columns:
        column.other_words = tuple(word for word in column.other_words if _roots(word) not in own)


@lru_cache(maxsize=8192)
def _roots(words: str) -> tuple[str, ...]:
    return tuple(map(noun_root, words_in(words)))


def _guessed_key(columns: Sequence[_RawColumn], rows: int) -> tuple[str, ...]:
    """The first column of names that tells every row apart."""
    naming = (FieldRole.NAME, FieldRole.IDENTIFIER, FieldRole.CODE, FieldRole.PERIOD, FieldRole.DATE)
    named = [column.name for column in columns if rows > 1 and column.role(in_key=False) in naming and column.unique]
    return tuple(named[:1])


def _numbered_key(columns: Sequence[_RawColumn], rows: int) -> tuple[str, ...]:
    """The first column, where it holds the numbers by which such rows are called: line 12, room 304."""
    first = columns[0] if rows > 1 and len(columns) > 1 else None
    return (first.name,) if first is not None and first.numbers_rows() else ()


def _tells_apart(columns: Sequence[_RawColumn], key: Sequence[str]) -> bool:
    cells = [column.cells for column in columns if column.name in key]
    if len(cells) == 1:
        return len(set(map(str, cells[0]))) == len(cells[0])
    rows = list(zip(*cells, strict=True))
    return bool(key) and len({tuple(map(str, row)) for row in rows}) == len(rows)


# --- cells


def _cells_of(values: Sequence[Any], kinds: Set[type]) -> Sequence[Cell]:
    """The values themselves, where all of them are plain."""
    if kinds <= _AS_IT_IS:
        return values
    return [value if type(value) in _AS_IT_IS else _cell_of(value) for value in values]


def _cell_of(value: Any) -> Cell:
    """A value of JSON as a cell; what is no plain value becomes text."""
    if value is None or isinstance(value, str | bool | int | Decimal | date):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        plain = all(isinstance(item, str | int | float) for item in value)
        return ", ".join(map(str, value)) if plain else json.dumps(value, ensure_ascii=False, default=str)
    return json.dumps(value, ensure_ascii=False, default=str)


def _currency_of(texts: Sequence[str]) -> str | None:
    """The currency that all amounts of a column are written with."""
    found: set[str | None] = set()
    for text in texts[:_SEVERAL]:
        if not _is_null(text):
            match = _MONEY.search(text.lower())
            # A sign such as $ stands at the top of a column as often as in every cell.
            found.add(CURRENCIES.get(match.group()) if match is not None and match.group().isalpha() else None)
    return found.pop() if len(found) == 1 else None


def _is_null(value: Any) -> bool:
    """Whether it is NULL as people write it into a column of numbers: n/a, a dash, $ —."""
    if not isinstance(value, str):
        return value is None
    text = value.strip().casefold()
    if text in _NULLS:
        return True
    return text[-1] in _NOTHING_ENDS and len(text) <= _SEVERAL and _NOTHING.fullmatch(text) is not None


def _moment(text: str) -> date | str | None:
    if (dotted := _DOTTED.fullmatch(text.strip())) is not None:
        try:
            return date(int(dotted["year"]), int(dotted["month"]), int(dotted["day"]))
        except ValueError:
            return text
    if _is_null(text):
        return None
    try:
        found = datetime.fromisoformat(_NAMED_ZONE.sub("", text.strip()))
    except ValueError:
        return text
    return found.replace(tzinfo=None) if len(text.strip()) > len("2025-01-01") else found.date()


def _has_decimal_comma(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether more cells can only be read with a decimal comma than with a decimal point."""
    texts = {value for row in rows for value in row.values() if isinstance(value, str)}
    found = [match["digits"] for text in texts if ("," in text or "." in text) and (match := _amount(text))]
    readable = [(_fits(digits, _WITH_COMMA), _fits(digits, _WITH_POINT)) for digits in found]
    return readable.count((True, False)) > readable.count((False, True))


def _fits(digits: str, styles: Iterable[NumberFormat]) -> bool:
    return any(style.fits(digits) for style in styles)


def _amount(text: str) -> re.Match[str] | None:
    """A text that is a number as people write it."""
    # No currency has so many letters: such a text is a name.
    if len(text) > _LONGEST_NUMBER or (len(text) > _LETTERED and text[:_LETTERED].isalpha()):
        return None
    if _DIGIT.search(text) is None:
        return None
    return _AMOUNT.fullmatch(text.strip().lower())


def _number(text: str, *, comma: bool) -> tuple[Cell, bool]:
    """The number that a text says, and whether it is a percentage; the text where it says none."""
    if _is_null(text):
        return None, False
    found = _amount(text)
    digits = found["digits"] if found is not None else ""
    value = _decimal(digits, comma=comma) if found is not None else None
    if found is None or value is None or (len(digits) > 1 and digits[0] == "0" and digits.isdigit()):
        return text, False
    if found["signs"] or found["word"]:
        value *= scale_of(found, "de" if comma else "en")
    brackets = found["open"] is not None and found["close"] is not None
    minus = (found["sign"] or found["sign2"] or "+") in "-−–"
    percent = found["percent"] is not None or "%" in (found["close"] or "")
    return -value if brackets or minus else value, percent


def _decimal(digits: str, *, comma: bool) -> Decimal | None:
    for style in (*_WITH_COMMA, *_WITH_POINT) if comma else (*_WITH_POINT, *_WITH_COMMA):
        if style.fits(digits):
            return Decimal(style.plain(digits))
    # More digits than a source's decimals can hold.
    return Decimal(digits.replace(",", ".")) if re.fullmatch(r"[0-9]+[.,]?[0-9]+", digits) else None
