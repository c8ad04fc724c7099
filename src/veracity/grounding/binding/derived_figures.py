"""Figures that are said of several rows: numbers of rows, and the highest, lowest, total or average value of a column."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from veracity.answer.expression import Cells, Function, Selection, evaluate, quoted
from veracity.answer.render import shown
from veracity.answer.results import ColumnFacts, comparable
from veracity.answer.values import Arg, Value
from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cue_words import (
    AVERAGE,
    BETWEEN,
    COUNTABLES,
    HIGHEST,
    LOWEST,
    TOTAL,
    may_say_whole,
)
from veracity.grounding.binding.figure_meaning import (
    BindingOutcome,
    FigureMeaning,
    cell_says,
    unbound,
)
from veracity.grounding.binding.name_forms import is_average
from veracity.grounding.binding.named_columns import columns_of
from veracity.grounding.binding.named_rows import SAME_PART, rows_of
from veracity.grounding.binding.results_index import ColumnRef, NameRef
from veracity.grounding.binding.tables import Table
from veracity.language.numbers import written

_DOZEN = 12


# --- numbers of rows in prose: 5 users, three regions, 3 customers in Bern, 共3个


def counted(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """The number of rows, or of different names, that a figure before their noun says."""
    figure = said.figure
    if not figure.readings or figure.percent or figure.scale not in (1, _DOZEN) or figure.decimals[0]:
        return None
    noun, behind = page.noun_of(figure), page.tokens.at(figure.end)
    if noun is not None:
        return _count_of_noun([ref for ref in noun.columns if not page.measured((ref,))], said, page)
    # A noun that is none of ours and no unit, or a word for rows of any table: 12 rows, 共3个.
    if (page.has_strange_noun(said) and said.meaning.unit is None) or (
        behind < len(page.words) and page.words[behind] in COUNTABLES
    ):
        return _count_of_rows(said, page)
    return None


def _count_of_noun(refs: Sequence[ColumnRef], said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """Rows, or the different values of the column that the noun names."""
    nearest: int | None = None
    for ref in refs:
        table = page.tables[ref.table]
        if not table.whole:
            continue
        rows, named = _selected(table, said, page, ref.column)
        numbers = [("*", len(rows))]
        if ref.column in table.values:
            cells = (table.rows[row][ref.column] for row in rows)
            numbers.append((ref.column, len({comparable(cell) for cell in cells if cell is not None})))
            names = (name for mention in page.names_near(said) for name in mention.names)
            listed = {name for name in names if (name.table, name.column) == (table.number, ref.column)}
            numbers.append((ref.column, len(listed)))
        for column, number in numbers:
            if number and _is_number(said, number):
                return _counted(table, named, column, number)
        nearest = dict(numbers[:2]).get(ref.column, len(rows)) if nearest is None else nearest
    return unbound(str(nearest)) if nearest is not None else None


def _is_number(said: SaidFigure, number: int) -> bool:
    return cell_says(Decimal(number), said.meaning, ColumnFacts())


def _count_of_rows(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """The number of rows of the one result that has so many, where no row of it is the subject."""
    found: list[BindingOutcome] = []
    for table in page.tables:
        rows, named = _selected(table, said, page)
        if table.whole and not said.meaning.compares and _is_number(said, len(rows)) and (len(rows) > 1 or not named):
            found.append(_counted(table, named, "*", len(rows)))
    return found[0] if len(found) == 1 else None


def _selected(table: Table, said: SaidFigure, page: AnswerPage, noun: str = "") -> tuple[Sequence[int], list[NameRef]]:
    """The rows that the names of the sentence leave, and those names; names of what is counted leave all."""
    groups: dict[str, list[NameRef]] = {}
    for mention in page.names_near(said):
        if mention.first > said.last and page.segment(mention) != page.segment(said):
            break
        for ref in mention.names:
            if ref.table == table.number and not mention.excluded and ref.column != noun:
                groups.setdefault(ref.column, []).append(ref)
    rows: Sequence[int] = range(len(table.rows))
    used: list[NameRef] = []
    for refs in groups.values():
        among = {row for ref in refs for row in table.rows_named(ref.column, ref.value)}
        left = [row for row in rows if row in among]
        if left:
            rows, used = left, [*used, *refs]
    return rows, used


def _counted(table: Table, named: Sequence[NameRef], column: str, number: int) -> BindingOutcome:
    chosen = _selection(table, [ref for ref in named if "'" not in ref.value])
    row_key = {ref.column: ref.value for ref in named}
    arg = Arg(result=table.result.data.result_id, row_key=row_key, column=column, raw=number)
    expression = f"count({chosen})" if column == "*" else None
    return BindingOutcome("bound", kind="derived", value=str(number), expression=expression, args=(arg,))


# --- what words say of a whole column: its highest, lowest, total or average value, or the range from one to another


_FUNCTIONS = (("max", HIGHEST), ("min", LOWEST), ("sum", TOTAL), ("avg", AVERAGE))
_MOST_STATED_ROWS = 200_000


def stated(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """The highest, lowest, total or average value of the column that a sentence names."""
    words = page.words
    if not may_say_whole(words[max(0, said.first - 10) : said.first] + words[said.last + 1 : said.last + 6]):
        return None
    before, after = page.tokens.before(said.first, 60), page.tokens.after(said.figure.end, 30)
    found = [(match.start(), function) for function, cue in _FUNCTIONS for match in cue.finditer(before)]
    behind = [function for function, cue in _FUNCTIONS if function != "sum" and cue.search(after)]
    function = max(found)[1] if found else behind[0] if behind else None
    if function in ("max", "min") and _is_of_one_row(said, page):
        return None  # The best rating of all is not that of the row that is said to have it.
    return _of_column(function, said, said.meaning, page) if function is not None else None


def _is_of_one_row(said: SaidFigure, page: AnswerPage) -> bool:
    """Whether a figure is said of a single row that is named in its own part of the sentence."""
    options = [rows for table in page.tables for rows in rows_of(said, table, page)[:1] if len(table.rows) > 1]
    return any(one.how == "named" and len(one.rows) == 1 and one.rank[0] <= SAME_PART for one in options)


def in_range(one: SaidFigure, other: SaidFigure, page: AnswerPage) -> tuple[BindingOutcome, BindingOutcome] | None:
    """From the lowest to the highest value of a column: between 3 and 5, von 10 bis 15."""
    if not BETWEEN.search(page.tokens.before(one.first, 24)):
        return None
    low, high = _of_column("min", other, one.meaning, page), _of_column("max", other, other.meaning, page)
    return (low, high) if low is not None and high is not None and low.status == high.status == "bound" else None


def _of_column(function: str, said: SaidFigure, meaning: FigureMeaning, page: AnswerPage) -> BindingOutcome | None:
    """What a function comes to over the column that is told, in the rows that the names of the sentence choose."""
    nearest: str | None = None
    for ref in columns_of(said, page).refs:
        table, column = page.tables[ref.table], ref.column
        if column not in table.figures or len(table.rows) > _MOST_STATED_ROWS:
            continue
        if function == "avg" and is_average(column):
            continue
        named = [name for name in _names_of_several(table, said, page) if name.column in table.columns]
        chosen = set(range(len(table.rows))).intersection(*(table.rows_named(one.column, one.value) for one in named))
        if function == "sum" and not table.adds_up(column, chosen):
            continue
        value = _computed(function, table, column, named, page)
        if value is None or not isinstance(value.value, Decimal):
            continue
        if cell_says(value.value, meaning, table.columns[column]):
            expression = f"{function}({_selection(table, named)}.{quoted(column)})"
            return BindingOutcome(
                "bound", kind="derived", value=written(value.value), expression=expression, args=value.args
            )
        nearest = nearest or shown(value, page.locale)
    return unbound(nearest) if nearest is not None else None


def _names_of_several(table: Table, said: SaidFigure, page: AnswerPage) -> list[NameRef]:
    """Names of the sentence that stand for several rows of a table."""
    found: dict[str, NameRef] = {}
    for mention in page.names_near(said):
        for ref in mention.names:
            if ref.table == table.number and not mention.excluded and len(table.rows_named(ref.column, ref.value)) > 1:
                found.setdefault(ref.column, ref)
    return list(found.values())


def _computed(function: str, table: Table, column: str, named: Sequence[NameRef], page: AnswerPage) -> Value | None:
    key = (function, table.number, column, *named)
    if key not in page.computed:
        conditions = tuple((ref.column, ref.value) for ref in named)
        cells = Cells(Selection(table.result.data.result_id, conditions), column)
        value = evaluate(Function(function, (cells,)), page.index.results)
        page.computed[key] = value if isinstance(value, Value) else None
    return page.computed[key]


def _selection(table: Table, named: Sequence[NameRef]) -> str:
    """The rows of these names as an expression selects them."""
    conditions = ", ".join(f"{quoted(ref.column)}='{ref.value}'" for ref in named)
    return f"{quoted(table.result.data.result_id)}{f'[{conditions}]' if conditions else ''}"
