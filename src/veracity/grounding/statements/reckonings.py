"""What the cells of some rows come to: differences, shares, changes, sums, averages, rates, products and spans of time.

Nothing here looks at words. Whoever asks says which rows and columns are spoken of, and holds a figure against each value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations, permutations
from typing import Literal, NamedTuple

from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import column_roots, is_dated, is_timed, value_at, values_of
from veracity.language.folding import listed
from veracity.language.stem import noun_root

Kind = Literal[
    "cell", "count", "difference", "change", "share", "rest", "sum", "average", "rate", "product", "span", "spread"
]

PERCENT: tuple[Kind, ...] = ("share", "rest", "change")
"""Kinds that come to percents."""
_HUNDRED = Decimal(100)
_DAY, _BOTH = Decimal(1440), 2


class CellReckoning(NamedTuple):
    """One value, how it comes about, and the cells that it comes from."""

    kind: Kind
    value: Decimal
    """In percent for a change, a share and the rest of a share; in minutes for a span of time. Below zero where the first is less than the second."""
    rows: tuple[int, ...]
    columns: tuple[str, ...]
    directed: bool = False
    """Whether the sign tells a direction: the later time less the earlier, the row that is spoken of less the other."""
    guessed: bool = False
    """Whether nothing says the rows: such a value is not supported, but it is not made up."""
    unnamed: bool = False
    """Whether no name says the group: it may be another one."""
    inclusive: bool = False
    """Whether both the first and the last day are counted: from Monday to Wednesday it lasts three days."""


def number_columns(table: Table, columns: Iterable[str]) -> list[str]:
    """Those of these columns that can be reckoned with: numbers, and texts of a number with its unit; no days and years."""
    return [column for column in columns if not is_dated(table, column)]


def alike(table: Table, one: str, other: str) -> bool:
    """Whether two columns measure the same, so that they can be added, and one can be a part of the other."""
    first, second = table.columns[one], table.columns[other]
    if first.multiple != second.multiple:
        return False
    if first.unit or second.unit:
        return first.unit == second.unit
    return (one in table.rates) == (other in table.rates) and table.unit_of_texts(one) == table.unit_of_texts(other)


# --- of one row


def of_row(
    table: Table, row: int, columns: Sequence[str], families: Mapping[str, Sequence[str]]
) -> Iterator[CellReckoning]:
    """What two columns of one row come to, and what the times of one measure add up to."""
    values = {column: value for column in columns if (value := value_at(table, row, column)) is not None}
    yield from (CellReckoning("cell", value, (row,), (column,)) for column, value in values.items())
    order = {column: (name, at) for name, family in families.items() for at, column in enumerate(family)}
    for one, other in permutations(values, 2):
        yield from _of_pair((one, values[one]), (other, values[other]), table, row, order)
    for family in families.values():
        yield from _of_whole_family(table, row, family, values)
    for inside in _objects(list(values)):
        whole = sum((values[column] for column in inside), Decimal(0))
        for column in inside if whole else ():
            others = tuple(other for other in inside if other != column)
            yield CellReckoning("share", values[column] / whole * _HUNDRED, (row,), (column, *others))
    for together in (*families.values(), *_classes(table, list(values))):
        known = [values[column] for column in together if column in values]
        if len(known) > 2:
            yield CellReckoning("sum", sum(known, Decimal(0)), (row,), tuple(together))
            yield CellReckoning("average", sum(known, Decimal(0)) / len(known), (row,), tuple(together))


def _of_whole_family(
    table: Table, row: int, family: Sequence[str], values: Mapping[str, Decimal]
) -> Iterator[CellReckoning]:
    """What all times of a measure add up to, against another column: the four quarters and the budget."""
    known = [values[column] for column in family if column in values]
    whole = sum(known, Decimal(0))
    for other in values if len(known) > 2 else ():
        if other not in family and values[other] and alike(table, family[0], other):
            columns = (*family, other)
            yield CellReckoning("difference", whole - values[other], (row,), columns)
            yield CellReckoning("change", (whole - values[other]) / abs(values[other]) * _HUNDRED, (row,), columns)
            yield CellReckoning("share", whole / values[other] * _HUNDRED, (row,), columns)


def _objects(columns: Sequence[str]) -> list[list[str]]:
    """The columns of one object each, of which every one may be a part of all: bookings.direct, bookings.portal, bookings.agency."""
    found: dict[str, list[str]] = {}
    for column in columns:
        found.setdefault(column.rpartition(".")[0], []).append(column)
    return [inside for parent, inside in found.items() if parent and len(inside) > 2]


def _classes(table: Table, columns: Sequence[str]) -> list[list[str]]:
    """The columns in groups that measure the same."""
    found: list[list[str]] = []
    for column in columns:
        same = next((group for group in found if alike(table, group[0], column)), None)
        if same is None:
            found.append([column])
        else:
            same.append(column)
    return found


Named = tuple[str, Decimal]
"""A column, and its value in a row."""


def _of_pair(
    first: Named, second: Named, table: Table, row: int, order: Mapping[str, tuple[str, int]]
) -> Iterator[CellReckoning]:
    (one, a), (other, b) = first, second
    both, rates = (one, other), one in table.rates or other in table.rates
    if alike(table, one, other):
        timed = one in order and other in order and order[one][0] == order[other][0]
        later = timed and order[one][1] > order[other][1]
        if later or not timed:
            yield CellReckoning("difference", a - b, (row,), both, directed=later)
            if b and not rates:
                yield CellReckoning("change", (a - b) / abs(b) * _HUNDRED, (row,), both, directed=later)
        if b and not rates:
            yield CellReckoning("share", a / b * _HUNDRED, (row,), both)
            if 0 <= a < b:
                yield CellReckoning("rest", (1 - a / b) * _HUNDRED, (row,), both)
            yield CellReckoning("rate", a / b, (row,), both)
        if a + b and not rates:
            yield CellReckoning("share", a / (a + b) * _HUNDRED, (row,), both, guessed=True)  # 9 won and 3 lost: 75 %
        if one < other and not rates:
            yield CellReckoning("sum", a + b, (row,), both)
    elif b and abs(b) != 1:
        yield CellReckoning("rate", a / b, (row,), both)
        scale = table.columns[one].multiple / table.columns[other].multiple
        if scale != 1:
            yield CellReckoning("rate", a / b * scale, (row,), both)
    if other in table.rates and one not in table.rates:
        yield CellReckoning("product", a * b / _HUNDRED, (row,), both)
    if one < other and not rates and 1 not in (abs(a), abs(b)):
        yield CellReckoning("product", a * b, (row,), both)


_COMING_IN = frozenset(
    map(
        noun_root,
        listed(
            "for scored revenue sales income earned arrivals births gained joined won einnahmen umsatz ertrag geburten zuzüge 收入 进球"
        ),
    )
)
_GOING_OUT = frozenset(
    map(
        noun_root,
        listed(
            "against conceded cost costs expenses spending departures deaths lost left ausgaben kosten aufwand todesfälle wegzüge 支出 成本 失球"
        ),
    )
)


_PRICES = frozenset(map(noun_root, listed("price preis stückpreis einzelpreis tarif 单价 价格")))


def goes_in_less_out(one: str, other: str) -> bool | None:
    """Whether the first column is what comes in and the second what goes out; None where their names do not tell."""
    first, second = column_roots(one), column_roots(other)
    told = [not roots.isdisjoint(words) for roots in (first, second) for words in (_COMING_IN, _GOING_OUT)]
    if told in ([True, False, False, True], [False, True, True, False]):
        return told[0]
    return None


def spans_of_time(table: Table, row: int, columns: Sequence[str]) -> Iterator[CellReckoning]:
    """How long it is from one day or time of a row to another, in minutes."""
    timed = [column for column in columns if is_timed(table, column)]
    known = [(column, value) for column in timed if (value := value_at(table, row, column)) is not None]
    for (one, a), (other, b) in combinations(known, 2):
        if (one in table.days) == (other in table.days):
            yield CellReckoning("span", abs(a - b), (row,), (one, other))
            if one in table.days and not a % _DAY and not b % _DAY:
                yield CellReckoning("span", abs(a - b) + _DAY, (row,), (one, other), inclusive=True)


def spans_of_rows(table: Table, rows: Sequence[int], *, average: bool) -> Iterator[CellReckoning]:
    """How long it is from one day or time to the other over some rows, taken together or on average, in minutes."""
    timed = [column for column in table.columns if is_timed(table, column)]
    if len(timed) != _BOTH:
        return
    first, last = (values_of(table, column, rows) for column in timed)
    taken = [abs(last[row] - value) for row, value in first.items() if row in last]
    if len(taken) > 1:
        whole = sum(taken, Decimal(0))
        yield CellReckoning("span", whole / len(taken) if average else whole, tuple(rows), tuple(timed))


# --- of several rows


def of_rows(
    table: Table, rows: Sequence[int], columns: Sequence[str], families: Mapping[str, Sequence[str]]
) -> Iterator[CellReckoning]:
    """What columns come to over some rows: sums, averages, ends, the distance of the ends, and one sum against another."""
    sums: dict[str, Decimal] = {}
    for column in columns:
        values = list(values_of(table, column, rows).values())
        if len(values) < 2:
            continue
        sums[column] = sum(values, Decimal(0))
        told = (column,)
        if column not in table.rates or column in table.parts_of_all:
            added = table.adds_up(column, rows)
            yield CellReckoning("sum", sums[column], tuple(rows), told, guessed=not added)
        yield CellReckoning("average", sums[column] / len(values), tuple(rows), told)
        if len(values) > 2:
            yield CellReckoning("spread", max(values) - min(values), tuple(rows), told)
    for one, other in combinations(sums, 2):
        first, second = values_of(table, one, rows), values_of(table, other, rows)
        both = [first[row] * second[row] for row in first if row in second]
        priced = _PRICES.isdisjoint(column_roots(one)) != _PRICES.isdisjoint(column_roots(other))
        if not {one, other} & table.rates and (priced or not alike(table, one, other)):
            yield CellReckoning("product", sum(both, Decimal(0)), tuple(rows), (one, other))
    later = {(two, one) for family in families.values() for one, two in combinations(family, 2)}
    for one, other in permutations(sums, 2):
        if sums[other] and not {one, other} & table.rates and (other, one) not in later:
            found = _of_sums((one, sums[one]), (other, sums[other]), table, rows)
            yield from (each._replace(directed=(one, other) in later) for each in found)
    timed = {column for family in families.values() for column in family}
    for together in (*families.values(), *_classes(table, [column for column in sums if column not in timed])):
        whole = [sums[column] for column in together if column in sums]
        if len(whole) > 2 and len(whole) == len(together) and not table.rates & set(together):
            yield CellReckoning("sum", sum(whole, Decimal(0)), tuple(rows), tuple(together))


def _of_sums(first: Named, second: Named, table: Table, rows: Sequence[int]) -> Iterator[CellReckoning]:
    (one, a), (other, b) = first, second
    both = (one, other)
    yield CellReckoning("rate", a / b, tuple(rows), both)
    if alike(table, one, other):
        yield CellReckoning("share", a / b * _HUNDRED, tuple(rows), both)
        yield CellReckoning("difference", a - b, tuple(rows), both)
        yield CellReckoning("change", (a - b) / abs(b) * _HUNDRED, tuple(rows), both)


def of_two_rows(table: Table, row: int, other: int, columns: Sequence[str]) -> Iterator[CellReckoning]:
    """One row against another, in each column."""
    for column in columns:
        a, b = value_at(table, row, column), value_at(table, other, column)
        if a is None or b is None:
            continue
        both, told = (row, other), (column,)
        yield CellReckoning("difference", a - b, both, told, directed=True)
        if column not in table.rates:
            yield CellReckoning("sum", a + b, both, told)
        if b:
            yield CellReckoning("change", (a - b) / abs(b) * _HUNDRED, both, told, directed=True)
            yield CellReckoning("share", a / b * _HUNDRED, both, told)
            yield CellReckoning("rate", a / b, both, told)


def shares_of_all(
    table: Table, rows: Sequence[int], columns: Sequence[str], families: Mapping[str, Sequence[str]], *, others: bool
) -> Iterator[CellReckoning]:
    """Some rows in percent of all: by what a column adds up to, or all times of a measure, and by their number.

    What all others come to is only guessed where nobody speaks of `others`.
    """
    for family in families.values():
        known = [values_of(table, column) for column in family]
        whole = sum((value for values in known for value in values.values()), Decimal(0))
        part = sum((values[row] for values in known for row in rows if row in values), Decimal(0))
        if whole and len(family) > 2 and not table.rates & set(family):
            yield CellReckoning("share", part / whole * _HUNDRED, tuple(rows), tuple(family))
    for column in columns:
        values = values_of(table, column)
        whole = sum(values.values(), Decimal(0))
        if whole and column not in table.rates and len(values) > 1:  # one row alone is all, and its own average
            part = sum((values[row] for row in rows if row in values), Decimal(0))
            yield CellReckoning("share", part / whole * _HUNDRED, tuple(rows), (column,))
            if len(values) > len(rows) + 1:
                yield CellReckoning("difference", whole - part, tuple(rows), (column,), guessed=not others)
            average = whole / len(values)
            if len(rows) == 1:
                yield CellReckoning("difference", part - average, tuple(rows), (column,), directed=True)
    if len(rows) < len(table.rows):
        yield CellReckoning("share", Decimal(len(rows)) / len(table.rows) * _HUNDRED, tuple(rows), ())


def of_two_groups(
    table: Table, rows: Sequence[int], others: Sequence[int], columns: Sequence[str]
) -> Iterator[CellReckoning]:
    """The averages and the sums of two groups of rows against each other."""
    for column in columns:
        first, second = (list(values_of(table, column, group).values()) for group in (rows, others))
        if not first or not second:
            continue
        a, b = sum(first, Decimal(0)), sum(second, Decimal(0))
        both = (*rows, *others)
        yield CellReckoning("difference", a / len(first) - b / len(second), both, (column,), directed=True)
        if column not in table.rates:
            yield CellReckoning("difference", a - b, both, (column,), directed=True)


def groups_of(table: Table) -> Iterator[tuple[int, ...]]:
    """The rows that have a value in common, for each value that some rows have."""
    for column, values in table.values.items():
        if column not in table.naming and 1 < len(values) < len(table.rows):
            yield from (tuple(rows) for rows in values.values() if 1 < len(rows) < len(table.rows))


def over_all_rows(table: Table, found: CellReckoning) -> dict[int, Decimal]:
    """The same reckoning for every row, where it is one of two columns of one row, or the time between them."""
    reckoned: dict[int, Decimal] = {}
    if len(found.rows) != 1 or len(found.columns) != 2:
        return reckoned
    if found.kind == "span":
        spans = ((row, one) for row in range(len(table.rows)) for one in spans_of_time(table, row, found.columns))
        return {row: one.value for row, one in spans if one.inclusive == found.inclusive}
    one, other = found.columns
    first, second = values_of(table, one), values_of(table, other)
    for row in first:
        if row in second and (value := _formula(found.kind, first[row], second[row])) is not None:
            reckoned[row] = value
    return reckoned


def _formula(kind: Kind, a: Decimal, b: Decimal) -> Decimal | None:
    if kind == "difference":
        return a - b
    if kind in ("sum", "product"):
        return a + b if kind == "sum" else a * b
    if not b:
        return None
    return {"change": (a - b) / abs(b), "share": a / b, "rate": a / b}.get(kind)


# --- of figures that the text says itself


def of_figures(values: Sequence[Decimal]) -> Iterator[CellReckoning]:
    """What two figures of a text come to."""
    for a, b in permutations(values, 2):
        yield CellReckoning("difference", a - b, (), ())
        if b:
            yield CellReckoning("share", a / b * _HUNDRED, (), ())
            yield CellReckoning("change", (a - b) / abs(b) * _HUNDRED, (), ())
            yield CellReckoning("rate", a / b, (), ())
    for a, b in combinations(values, 2):
        yield CellReckoning("sum", a + b, (), ())
        yield CellReckoning("product", a * b, (), ())
