"""Totals and averages whose column only a unit or a noun says: of all rows, of some, of one order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from statistics import median

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import fits, value_at, values_of
from veracity.grounding.statements.changes import named_rows
from veracity.grounding.statements.conditions import condition_of
from veracity.grounding.statements.scene import CheckedStatement, Scene, Truth, judged
from veracity.grounding.statements.selections import counts_rows
from veracity.language.folding import listed, words_in
from veracity.language.nearest import words_of
from veracity.language.units import units


def totals_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Together they made CHF 4,788,750`: a total or an average whose column only its unit says."""
    if all(map(scene.is_bound, scene.figures)):
        return
    table = _table_of_parts(scene)
    if table is None or not table.whole or len(table.rows) < 2:
        return
    total, average = scene.has("total"), scene.has("average")
    earned = _EARNED.search(scene.folded) is not None
    total = (
        total
        or earned
        or _says_group(scene, table)
        or (not average and (_says_all_rows(scene, table) or _is_of_parent(scene, table)))
    )
    if not (total or average):
        return
    if total and (product := _product(scene, table)) is not None:
        yield CheckedStatement("supported", scene.span, "total", settles=frozenset({product.figure.start}))
        return
    told = scene.surely_measured(table) or scene.measured(table) or scene.ordered(table)
    columns = [column for column in told if table.columns[column].numeric]
    last: dict[str, str] = {}
    for one in scene.figures:
        bound = scene.bound.get(one.figure.start)
        if bound is None or bound.provenance.status == "bound" or not one.figure.readings or one.figure.percent:
            continue
        # What is counted alike is of one column: 9770 pieces in the early shift, 7020 pieces in the late one.
        noun, clause = scene.page.word_behind(one), _clause_of(scene, one)
        own = columns
        if clause is not scene and not clause.measured(table) and scene.measured(table):
            own = [column for column in scene.ordered(table) if table.columns[column].numeric]
        if said := [column for column in clause.periods(table) if column in table.figures]:
            own = said  # What is said of the second quarter is no total of the first.
        taken_up = rows_taken_up(scene, table)
        for column in (last[noun],) if noun in last and clause.names else own:
            values = values_of(table, column, taken_up or _chosen(_part_of(scene, one), table))
            if len(values) < 2 or not _unit_fits(one, table, column):
                continue
            added = sum(values.values(), Decimal(0)) / (1 if total else len(values))
            if _says(one, table, column, added):
                every = not scene.has("all") or len(values) == len(_chosen(_part_of(scene, one), table))
                sure = every and not _has_rival(scene, table, column, columns) and table.adds_up(column, values)
                truth: Truth = "supported" if sure else "not_checkable"
                yield CheckedStatement(truth, scene.span, "total", settles=frozenset({one.figure.start}))
                last[noun] = column
                break


def _has_rival(scene: Scene, table: Table, column: str, columns: Sequence[str]) -> bool:
    """Whether another column that may be meant is called alike: produced yesterday and sold yesterday, planned and actual heads."""
    if column in scene.surely_measured(table):
        return False
    families = scene.page.index.families.get(table.number, {}).values()
    times = {one for family in families if column in family for one in family}
    own = set(words_in(words_of(column)))
    for one in columns:
        other = set(words_in(words_of(one)))
        whole = own <= other or other <= own  # The stock is not the safety stock.
        if one not in {column, *times} and not whole and sum(1 + word.isascii() for word in own & other) > 1:
            return True
    return False


def rows_taken_up(scene: Scene, table: Table) -> frozenset[int]:
    """The rows that the sentence before counted, where this one speaks of them: five do not renew. Together they bring in ..."""
    page, line = scene.page, scene.line
    at = next((number for number, one in enumerate(page.lines) if one.first == line.first), 0)
    words = page.words[line.first : line.first + _FIRST_WORDS]
    if not at or _THEY.isdisjoint(words) or scene.names:
        return frozenset()
    before = Scene(page, page.lines[at - 1], scene.bound, lang=scene.lang)
    met = condition_of(before, table)
    rows = met.rows[0] if met is not None and len(met.rows) == 1 else frozenset[int]()
    counted = any(one.figure.readings and one.figure.readings[0] == len(rows) for one in before.every_figure)
    return rows if counted and len(rows) > 1 else frozenset()


_FIRST_WORDS = 3
_THEY = listed("they these them sie diese them 它 这")


MEDIAN = re.compile(r"(?<![a-z])(?:median\w{0,8}|zentralwert)(?![a-z])|中位数|中值")


def medians_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`The median response time was 31 minutes`: half of the rows have more, half have less."""
    table = scene.table
    for part in scene.clauses if table is not None and table.whole and MEDIAN.search(scene.folded) else ():
        assert table is not None
        said = MEDIAN.search(part.folded)
        start = part.original(*said.span())[0] if said is not None else 0
        if any(one.start <= start < one.end for one in part.columns):
            continue  # A column of medians.
        figures = [one for one in part.figures if one.figure.readings and not counts_rows(part, one, table)]
        behind = [one for one in figures if one.figure.start > start] or figures[-1:]
        columns = [column for column in part.measured(table) or scene.measured(table) if table.columns[column].numeric]
        rows = _chosen(part, table)
        values = values_of(table, columns[0], rows) if len(columns) == 1 else {}
        if said is None or not behind or len(values) < 2:
            continue
        held = _says(behind[0], table, columns[0], median(values.values()))
        counted = [one for one in part.every_figure if one.figure.readings and one.figure.readings[0] == len(values)]
        settles = frozenset(one.figure.start for one in (behind[0], *counted))
        span = (behind[0].figure.start, behind[0].figure.end)
        yield from judged(span, [held], sure=True, key="median", settles=settles)


def _says(one: SaidFigure, table: Table, column: str, value: Decimal) -> bool:
    """Whether a figure is this value, in the unit of the column or in another of its kind: 3.5 hours are 210 minutes."""
    unit, own = one.meaning.unit, table.columns[column].unit
    known = units().get(own.lower()) if own else None
    if unit is None or known is None or unit == known or unit.is_currency:
        return any(fits(one.figure, value * by) for by in one.meaning.scales(table.columns[column].multiple))
    return one.meaning.has(value, known)


def _part_of(scene: Scene, one: SaidFigure) -> Scene:
    """The part of the sentence that a figure stands in, where it says which rows are added up: ..., in Bern 41.5 kg."""
    part = _clause_of(scene, one)
    return part if part.names else scene.part(scene.line.start, part.line.end)


def _clause_of(scene: Scene, one: SaidFigure) -> Scene:
    return next((part for part in scene.clauses if part.line.start <= one.figure.start < part.line.end), scene)


def _table_of_parts(scene: Scene) -> Table | None:
    """The result that a sentence is about; of the one thing that others are a part of, those whose columns it names."""
    table = scene.table
    if table is None or len(table.rows) != 1:
        return table
    within = f"{table.result.data.result_id}."
    parts = {ref.table for one in scene.columns for ref in one.columns if ref.table != table.number}
    below = [one for one in scene.page.tables if one.result.data.result_id.startswith(within)]
    inner = [one for one in below if one.number in parts] or below
    return inner[0] if len(inner) == 1 else table


def _is_of_parent(scene: Scene, table: Table) -> bool:
    """Whether the sentence is about the one thing that all rows are a part of: the team, of its agents."""
    name = table.result.data.result_id
    above = [
        one for one in scene.page.tables if len(one.rows) == 1 and name.startswith(f"{one.result.data.result_id}.")
    ]
    if not above or (scene.names and any(scene.rows(one, table) for one in scene.names)):
        return False
    tables = {ref.table for one in scene.names for ref in one.names} | {
        ref.table for one in scene.columns for ref in one.columns
    }
    return above[0].number in tables


_QUANTITY, _PRICE = listed("quantity qty menge anzahl stueck sold sale verkauft 数 量"), listed("price preis 价")
_EARNED = re.compile(
    r"(?<![a-z])(?:brought in|earned|revenues?|turnover|takings|umsatz|einnahmen|erloes|eingebracht)(?![a-z])|收入|销售额"
)


def _product(scene: Scene, table: Table) -> SaidFigure | None:
    """The figure that is the quantity of a row times its price: the total of an order."""
    rows = named_rows(scene, table)
    of = {column: scene.page.index.qualifiers(table.number, column) for column in scene.ordered(table)}
    prices = [column for column, words in of.items() if not words.isdisjoint(_PRICE)]
    counts = [column for column, words in of.items() if not words.isdisjoint(_QUANTITY) and column not in prices]
    counts = [column for column in counts if column in scene.periods(table)] or counts
    if len(rows) != 1 or len(prices) != 1 or len(counts) != 1:
        return None
    row = next(iter(rows))
    price, count = value_at(table, row, prices[0]), value_at(table, row, counts[0])
    for one in scene.figures if price is not None and count is not None else ():
        if price is not None and count is not None and not scene.is_bound(one) and fits(one.figure, price * count):
            return one
    return None


def _says_all_rows(scene: Scene, table: Table) -> bool:
    """Whether the sentence is about all rows together, by their number: the four services cost, over the six months."""
    if scene.subjects(table):
        return False
    counting = (one for one in scene.every_figure if counts_rows(scene, one, table))
    return any(one.figure.readings[0] == len(table.rows) for one in counting)


def _says_group(scene: Scene, table: Table) -> bool:
    """Whether a sentence counts the rows of a name, and so speaks of all of them: Ann's two posts."""
    groups = [
        len(rows) for one in scene.names if len(rows := scene.rows(one, table)) > 1 and not scene.is_key(one, table)
    ]
    if len(groups) != 1:
        return False
    numbers = (one for one in scene.every_figure if one.figure.readings and one.figure.readings[0] == groups[0])
    return any(one.figure.kind == "word" or counts_rows(scene, one, table) for one in numbers)


_THROUGH = re.compile(r"\s*(?:to|through|until|bis|–|-|至|到)\s*(?:the end of |ende )?", re.IGNORECASE)


def _through(scene: Scene, table: Table) -> set[int]:
    """The rows from one time to another: January to October, 1月至10月."""
    order = table.in_time if table.is_of_periods else None
    for one, other in pairwise(scene.names) if order is not None else ():
        ends = [scene.rows(each, table) for each in (one, other)]
        if all(len(rows) == 1 for rows in ends) and _THROUGH.fullmatch(scene.page.text, one.end, other.start):
            first, last = sorted((order or []).index(next(iter(rows))) for rows in ends)
            return set((order or [])[first : last + 1])
    return set()


def _chosen(scene: Scene, table: Table) -> Sequence[int]:
    """The rows of the names that stand for several, or all."""
    rows: set[int] = set(range(len(table.rows)))
    groups: dict[str, set[int]] = {}
    through = _through(scene, table)
    for mention in scene.names:
        if not mention.excluded and not mention.compared:
            for ref in scene.refs(mention, table) if not through else ():
                groups.setdefault(ref.column, set()).update(table.rows_named(ref.column, ref.value))
    for named in (through, *groups.values()):
        if rows & named:
            rows &= named
    left_out = (row for one in scene.names if one.excluded for row in scene.rows(one, table))
    return sorted(rows.difference(left_out))


def _unit_fits(one: SaidFigure, table: Table, column: str) -> bool:
    """Whether the unit beside a figure is not another one than the column's."""
    unit, own = one.meaning.unit, table.columns[column].unit
    known = units().get(own.lower()) if own else None
    return unit is None or known is None or known.dimension == unit.dimension
