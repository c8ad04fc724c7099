"""Numbers of rows in prose: 5 users, three regions, 3 customers in Bern, 共3个."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from veracity.answer.expression import quoted
from veracity.answer.results import ColumnFacts, comparable
from veracity.answer.values import Arg
from veracity.grounding.binding.agree import Meant, agrees
from veracity.grounding.binding.around import Around
from veracity.grounding.binding.cues import COUNTABLES
from veracity.grounding.binding.index import ColumnRef, NameRef, Table
from veracity.grounding.binding.outcome import Outcome, missed
from veracity.grounding.binding.page import Said


def counted(said: Said, meant: Meant, around: Around) -> Outcome | None:
    """The number of rows, or of different names, that a figure before their noun says."""
    figure = meant.figure
    if not figure.readings or figure.percent or figure.scale != 1 or figure.decimals[0]:
        return None
    noun = around.page.noun_of(figure)
    if noun is not None:
        return _of_noun([ref for ref in noun.columns if not around.measured((ref,))], said, meant, around)
    if around.is_strange(said) or _is_countable(said, around):
        return _of_rows(said, meant, around)
    return None


def _is_countable(said: Said, around: Around) -> bool:
    """Whether a word for rows of any table follows: 12 rows, 共3个."""
    page, at = around.page, around.page.tokens.at(said.figure.end)
    return at < len(page.words) and page.words[at] in COUNTABLES


def _of_noun(refs: Sequence[ColumnRef], said: Said, meant: Meant, around: Around) -> Outcome | None:
    """Rows, or the different values of the column that the noun names."""
    nearest: int | None = None
    for ref in refs:
        table = around.page.index.tables[ref.table]
        if not table.whole:
            continue
        rows, named = _selected(table, said, around, ref.column)
        numbers = [("*", len(rows))]
        if ref.column in table.values:
            cells = (table.rows[row][ref.column] for row in rows)
            numbers.append((ref.column, len({comparable(cell) for cell in cells if cell is not None})))
            numbers.append((ref.column, _listed(table, ref.column, said, around)))
        for column, number in numbers:
            if number and _is(meant, number):
                return _counted(table, named, column, number)
        nearest = dict(numbers[:2]).get(ref.column, len(rows)) if nearest is None else nearest
    return missed(str(nearest)) if nearest is not None else None


def _is(meant: Meant, number: int) -> bool:
    return agrees(meant, Decimal(number), ColumnFacts())


def _of_rows(said: Said, meant: Meant, around: Around) -> Outcome | None:
    """The number of rows of the one result that has so many, where no row of it is the subject."""
    found: list[Outcome] = []
    for table in around.tables:
        rows, named = _selected(table, said, around)
        if table.whole and not meant.compares and _is(meant, len(rows)) and (len(rows) > 1 or not named):
            found.append(_counted(table, named, "*", len(rows)))
    return found[0] if len(found) == 1 else None


def _selected(table: Table, said: Said, around: Around, noun: str = "") -> tuple[Sequence[int], list[NameRef]]:
    """The rows that the names of the sentence leave, and those names; names of what is counted leave all."""
    groups: dict[str, list[NameRef]] = {}
    for mention in around.page.names_near(said):
        if mention.first > said.last and around.page.segment(mention) != around.page.segment(said):
            break
        for ref in mention.names:
            if ref.table == table.number and not mention.excluded and ref.column != noun:
                groups.setdefault(ref.column, []).append(ref)
    rows: Sequence[int] = range(len(table.rows))
    used: list[NameRef] = []
    for refs in groups.values():
        among = {row for ref in refs for row in table.named(ref.column, ref.value)}
        left = [row for row in rows if row in among]
        if left:
            rows, used = left, [*used, *refs]
    return rows, used


def _listed(table: Table, column: str, said: Said, around: Around) -> int:
    """How many different names of a column the sentence says."""
    return len(
        {
            ref
            for m in around.page.names_near(said)
            for ref in m.names
            if (ref.table, ref.column) == (table.number, column)
        }
    )


def _counted(table: Table, named: Sequence[NameRef], column: str, number: int) -> Outcome:
    name = table.result.data.result_id
    conditions = ", ".join(f"{quoted(ref.column)}='{ref.value}'" for ref in named if "'" not in ref.value)
    expression = f"count({quoted(name)}{f'[{conditions}]' if conditions else ''})" if column == "*" else None
    arg = Arg(result=name, row_key={ref.column: ref.value for ref in named}, column=column, raw=number)
    return Outcome("bound", kind="derived", value=str(number), expression=expression, args=(arg,))
