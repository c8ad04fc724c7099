"""What words say of a whole column: its highest, lowest, total or average value, or the range from one to another.

The words declare the computation, so it is done and compared; nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from veracity.answer.expression import Cells, Function, Selection, evaluate, quoted
from veracity.answer.render import shown
from veracity.answer.values import Value
from veracity.grounding.binding.agree import Meant, agrees
from veracity.grounding.binding.around import Around
from veracity.grounding.binding.columns import columns_of
from veracity.grounding.binding.cues import AVERAGE, BETWEEN, HIGHEST, LOWEST, TOTAL, may_say_whole
from veracity.grounding.binding.index import ColumnRef, NameRef, Table
from veracity.grounding.binding.outcome import Outcome, missed
from veracity.grounding.binding.page import Said
from veracity.trace import written

_FUNCTIONS = (("max", HIGHEST), ("min", LOWEST), ("sum", TOTAL), ("avg", AVERAGE))
_MOST_ROWS = 200_000


def stated(said: Said, meant: Meant, around: Around) -> Outcome | None:
    """The highest, lowest, total or average value of the column that a sentence names."""
    words = around.page.words
    if not may_say_whole(words[max(0, said.first - 10) : said.first] + words[said.last + 1 : said.last + 6]):
        return None
    before = around.page.tokens.before(said.first, 60)
    after = around.page.tokens.after(said.figure.end, 30)
    found = [(match.start(), function) for function, cue in _FUNCTIONS for match in cue.finditer(before)]
    if found:
        return _compared(max(found)[1], said, meant, around)
    behind = [function for function, cue in _FUNCTIONS if function != "sum" and cue.search(after)]
    return _compared(behind[0], said, meant, around) if behind else None


def in_range(one: Said, other: Said, first: Meant, second: Meant, around: Around) -> tuple[Outcome, Outcome] | None:
    """From the lowest to the highest value of a column: between 3 and 5, von 10 bis 15."""
    if not BETWEEN.search(around.page.tokens.before(one.first, 24)):
        return None
    low, high = _compared("min", other, first, around), _compared("max", other, second, around)
    return (low, high) if low is not None and high is not None and low.status == high.status == "bound" else None


def _compared(function: str, said: Said, meant: Meant, around: Around) -> Outcome | None:
    nearest: str | None = None
    for table, column, named in _columns(said, around):
        value = _value(function, table, column, named, around)
        if value is None or not isinstance(value.value, Decimal):
            continue
        if agrees(meant, value.value, table.columns[column]):
            expression = f"{function}({_selection(table, named)}.{quoted(column)})"
            return Outcome("bound", kind="derived", value=written(value.value), expression=expression, args=value.args)
        nearest = nearest or shown(value, around.page.locale)
    return missed(nearest) if nearest is not None else None


def _columns(said: Said, around: Around) -> Iterator[tuple[Table, str, list[NameRef]]]:
    """The columns that are told, with the names that choose among the rows."""
    for ref in columns_of(said, around).refs:
        table = around.page.index.tables[ref.table]
        if ref.column in table.figures and len(table.rows) <= _MOST_ROWS:
            named = [name for name in _groups(table, said, around) if name.column in table.columns]
            yield table, ref.column, named


def _groups(table: Table, said: Said, around: Around) -> list[NameRef]:
    """Names of the sentence that stand for several rows of a table."""
    found: dict[str, NameRef] = {}
    for mention in around.page.names_near(said):
        for ref in mention.names:
            if ref.table == table.number and not mention.excluded and len(table.named(ref.column, ref.value)) > 1:
                found.setdefault(ref.column, ref)
    return list(found.values())


def _value(function: str, table: Table, column: str, named: Sequence[NameRef], around: Around) -> Value | None:
    key = (function, table.number, column, *named)
    if key not in around.computed:
        conditions = tuple((ref.column, ref.value) for ref in named)
        cells = Cells(Selection(table.result.data.result_id, conditions), column)
        value = evaluate(Function(function, (cells,)), around.page.index.results)
        around.computed[key] = value if isinstance(value, Value) else None
    return around.computed[key]


def _selection(table: Table, named: Sequence[NameRef | ColumnRef]) -> str:
    conditions = ", ".join(f"{quoted(ref.column)}='{ref.value}'" for ref in named if isinstance(ref, NameRef))
    return f"{quoted(table.result.data.result_id)}{f'[{conditions}]' if conditions else ''}"
