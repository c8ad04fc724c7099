"""A figure in one cell: the row that is named nearest to it, the column that its noun says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal

from veracity.answer.values import arg_of, number_of
from veracity.grounding.binding.agreement import BindingOutcome, Meant, agrees, at, missed, says, several, significant
from veracity.grounding.binding.cues import FUNCTION
from veracity.grounding.binding.index import CellPlace, ColumnRef, Table
from veracity.grounding.binding.neighbours import Around
from veracity.grounding.binding.page import SaidFigure
from veracity.grounding.binding.row_and_column import NamedColumns, Rows, columns_of, rows_of, takes_up
from veracity.grounding.binding.text_figures import clock_times
from veracity.ontology.descriptor import FieldRole

_DISTINCT = 3
"""A figure of so many digits hardly stands in a row by chance."""
_MOST_ROWS = 5_000


def in_cell(said: SaidFigure, meant: Meant, around: Around) -> BindingOutcome | None:
    """The cell whose row and column the words around a figure say."""
    if said.figure.kind == "word" and around.page.noun_of(said.figure) is None:
        return None
    told = columns_of(said, around)
    found = _looked_up(said, told, meant, around)
    if told.weak and (found is None or found.status == "unbound"):
        told = NamedColumns(stranger=told.stranger)
        found = _looked_up(said, told, meant, around)
    if not told.refs and not told.stranger and found is not None and found.status == "ambiguous":
        kept = around.kept(said)
        again = _looked_up(said, NamedColumns((kept,)), meant, around) if kept is not None else None
        found = again if again is not None and again.status == "bound" else found
    if found is not None and found.place is not None and not told.refs:
        around.keep(said, found.place)
    return found


def _looked_up(said: SaidFigure, told: NamedColumns, meant: Meant, around: Around) -> BindingOutcome | None:
    options = [rows for table in around.tables if _candidates(table, told) for rows in rows_of(said, table, around)]
    named = sorted((rows for rows in options if rows.how == "named"), key=lambda rows: rows.rank)
    found = _named(named, told, meant, around)
    if found is not None and found.status == "ambiguous" and not told.refs:
        return _quoted(named, said, meant, around) or found
    if found is not None and (found.status == "bound" or told.refs):
        return found
    only = [rows for rows in options if rows.how == "only" and not (named and rows.table.values)]
    carried = [rows for rows in options if rows.how == "carried"]
    nameless = [rows for rows in options if rows.how == "none"]
    alone = _only(only, told, meant)
    if alone is not None and alone.status == "bound":
        return alone
    return (
        _quoted([*only, *nameless], said, meant, around)
        or alone
        or _carried(carried, told, meant, sure=takes_up(said, around))
        or _anywhere(nameless, told, meant)
        or found
        or _missed([*only, *carried], told, meant)
    )


# --- how sure it is


def _named(options: Sequence[Rows], told: NamedColumns, meant: Meant, around: Around) -> BindingOutcome | None:
    """A row that the sentence names."""
    open_: BindingOutcome | None = None
    for rows in options:
        hits = _hits(rows, told, meant)
        if not hits:
            continue
        one = len(rows.rows) == 1 or (len(hits) == 1 and _is_period(rows))
        # Where the text has no word for any column, as in another language, one cell of the row is all there is to tell.
        wordless = not told.refs and len(hits) == 1 and around.page.is_wordless
        if one and (wordless or _says_column(rows.table, hits, told, meant)):
            return at(hits[-1])
        open_ = open_ or several(hits[0])
    if open_ is not None or not options:
        return open_
    return _missed(options, told, meant)


def _is_period(rows: Rows) -> bool:
    """Whether the rows are those of a month or a year, of which one value is said: it rose to 45.2 in April 2020."""
    names = rows.mention.names if rows.mention is not None else ()
    return any(ref.table == rows.table.number and ref.value in rows.table.periods.get(ref.column, ()) for ref in names)


def _only(options: Sequence[Rows], told: NamedColumns, meant: Meant) -> BindingOutcome | None:
    """The only row of a result needs no name."""
    hits: dict[str, CellPlace] = {}
    sure: list[CellPlace] = []
    for rows in options:
        found = _hits(rows, told, meant)
        hits |= {_identity(rows.table, place): place for place in found}
        sure += found if found and _says_column(rows.table, found, told, meant) else []
    if not hits:
        return None
    # Equal cells of one row are one place as long as a noun says the column; a time may hold on all days.
    one = len(hits) == 1 or (told.own and len({place.table for place in sure}) == 1)
    if meant.minute is not None and all(_is_everywhere(rows, meant) for rows in options):
        return at(next(iter(hits.values())))
    return at(sure[-1]) if sure and one else several(next(iter(hits.values())))


def _is_everywhere(rows: Rows, meant: Meant) -> bool:
    """Whether all texts of a row that hold times hold this one."""
    texts = (rows.table.rows[rows.rows[0]][column] for column in rows.table.texts)
    timed = [text for text in texts if isinstance(text, str) and clock_times(text)]
    return bool(timed) and all(says(text, meant) for text in timed)


def _carried(options: Sequence[Rows], told: NamedColumns, meant: Meant, *, sure: bool) -> BindingOutcome | None:
    """The row that the sentence before was about."""
    for rows in options:
        hits = _hits(rows, told, meant)
        if hits and len(rows.rows) == 1 and _says_column(rows.table, hits, told, meant):
            return at(hits[-1])
    return _missed(options, told, meant) if sure and told.refs and options else None


def _anywhere(options: Iterable[Rows], told: NamedColumns, meant: Meant) -> BindingOutcome | None:
    """A value of a result whose row nobody names."""
    for rows in options:
        if hits := _hits(rows, told, meant):
            return several(hits[0])
    return None


def _quoted(options: Sequence[Rows], said: SaidFigure, meant: Meant, around: Around) -> BindingOutcome | None:
    """A text that has the figure beside the same word, as no other text does: 5000 mAh, Android 13."""
    beside = _words_beside(said, around)
    found = [
        CellPlace(rows.table.number, row, column)
        for rows in (options if beside else ())
        for column in rows.table.measures
        if column in rows.table.texts
        for row in rows.rows[:_MOST_ROWS]
        if isinstance(text := rows.table.rows[row][column], str) and says(text, meant, beside)
    ]
    return at(found[0]) if len(found) == 1 else None


def _words_beside(said: SaidFigure, around: Around) -> frozenset[str]:
    """The words right before and right behind a figure, as far as they say something."""
    page = around.page
    words = {at_: page.words[at_] for at_ in (said.first - 1, said.last + 1) if 0 <= at_ < len(page.words)}
    same = {word for at_, word in words.items() if page.segments[at_] == page.segment(said)}
    return frozenset(word for word in same if word not in FUNCTION and word[0].isalpha())


def _missed(options: Sequence[Rows], told: NamedColumns, meant: Meant) -> BindingOutcome | None:
    """What stands in the cell that is meant, where that is one."""
    for rows in options:
        if len(rows.rows) == 1 and told.refs:
            columns = _fitting(rows.table, told, meant)
            place = CellPlace(rows.table.number, rows.rows[0], columns[0]) if columns else None
            return missed(place, sure=told.own and rows.how == "named")
    return missed() if options else None


def _says_column(table: Table, hits: Sequence[CellPlace], told: NamedColumns, meant: Meant) -> bool:
    """Whether the column is told: by a noun, by being the only one of its kind, or by a figure that is like no other."""
    if told.refs:
        refs = [ref for ref in told.refs if ref.table == table.number]
        return any(ref.sure for ref in refs) or len(refs) == 1
    if len(_alike(table, hits[0])) == 1:
        return True
    return len(hits) == 1 and significant(meant.figure) >= _DISTINCT


# --- which cells


def _candidates(table: Table, told: NamedColumns) -> bool:
    return not told.refs or any(ref.table == table.number for ref in told.refs)


def _hits(rows: Rows, told: NamedColumns, meant: Meant) -> list[CellPlace]:
    """The cells of these rows and columns that are what the figure says, each once."""
    table, found = rows.table, list[CellPlace]()
    for column in _fitting(table, told, meant):
        facts = table.columns[column]
        for row in _rows_to_try(table, column, rows.rows, meant):
            if agrees(meant, table.cell(row, column), facts):
                found.append(CellPlace(table.number, row, column))
    if told.each and {place.column for place in found} != set(_fitting(table, told, meant)):
        return []
    unique = {_identity(table, place): place for place in found} if len(found) > 1 else {}
    return list(unique.values()) or found


def _rows_to_try(table: Table, column: str, rows: Sequence[int], meant: Meant) -> Sequence[int]:
    """All of a few rows; of many only those that the sorted column finds."""
    if len(rows) <= 8 or not meant.figure.readings or meant.compares:
        return rows[:_MOST_ROWS]
    if column in table.texts or not table.columns[column].numeric:
        return rows[:_MOST_ROWS]
    found: set[int] = set()
    for by in {Decimal(1), table.columns[column].multiple, Decimal(100) if meant.figure.percent else Decimal(1)}:
        for low, high in meant.spans:
            found.update(table.holding(column, low / by, high / by))
    among = rows if isinstance(rows, range) else set(rows)
    return sorted(row for row in found if row in among)


def _fitting(table: Table, told: NamedColumns, meant: Meant) -> list[str]:
    """The columns to look at: those that are told, or all that may hold such a figure; shares for percentages."""
    refs: Sequence[ColumnRef] = [ref for ref in told.refs if ref.table == table.number]
    columns = (
        list(dict.fromkeys(ref.column for ref in refs if ref.column in table.columns)) if refs else list(table.measures)
    )
    rates = [column for column in columns if table.columns[column].role is FieldRole.RATE]
    if meant.figure.percent:
        return rates or columns
    others = [column for column in columns if column not in rates]
    return others if refs and others else columns


def _alike(table: Table, place: CellPlace) -> list[str]:
    """The columns whose cell in this row is of the same sort, so that the two can be mistaken for each other."""
    one = table.cell(place.row, place.column)
    row = table.rows[place.row]
    if isinstance(one, date):
        return [column for column in table.measures if isinstance(table.cell(place.row, column), date)]
    if isinstance(one, Decimal):
        plain = [column for column in table.figures if table.columns[column].encoding is None]
        return [column for column in plain if number_of(row[column]) is not None]
    return [column for column in table.measures if any(ch.isdigit() for ch in str(row[column] or ""))]


def _identity(table: Table, place: CellPlace) -> str:
    """The same for the same cell, in whichever of two equal results it stands."""
    arg = arg_of(table.result, place.row, place.column)
    return repr((table.result.call, sorted(arg.row_key.items()), arg.column, arg.raw))
