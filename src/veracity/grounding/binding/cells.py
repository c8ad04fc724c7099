"""A figure in one cell: the row that is named nearest to it, the column that its noun says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from veracity.answer.values import arg_of, number_of
from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cue_words import EACH, FUNCTION, QUANTIFIED
from veracity.grounding.binding.figure_meaning import (
    BindingOutcome,
    FigureMeaning,
    ambiguous,
    bound_to,
    clock_times,
    significant_digits,
    table_says,
    text_says,
    unbound,
    units_in,
)
from veracity.grounding.binding.named_columns import NamedColumns, columns_of
from veracity.grounding.binding.named_rows import Rows, row_of, rows_of, takes_up
from veracity.grounding.binding.results_index import CellPlace, ColumnRef
from veracity.grounding.binding.tables import Table
from veracity.language.folding import listed
from veracity.language.units import unit_called
from veracity.ontology.fields import FieldRole

_DISTINCT = 3
"""A figure of so many digits hardly stands in a row by chance."""
_LARGE = 1_000
_MOST_ROWS = 5_000
_FEW_ROWS = 8
_MOST_ALIKE = 40
_ALL = listed("all alle saemtliche")


def in_cell(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """The cell whose row and column the words around a figure say."""
    if said.figure.kind == "word" and page.noun_of(said.figure) is None and said.meaning.unit is None:
        return None
    columns = columns_of(said, page)
    found = _looked_up(said, columns, page)
    # A word for the rows themselves says no column: the most expensive product is the jacket at 249.00.
    texts = bool(columns.refs) and all(ref.column in page.tables[ref.table].naming for ref in columns.refs)
    if (columns.weak or texts) and (found is None or found.status == "unbound"):
        columns = NamedColumns(stranger=columns.stranger)
        found = _looked_up(said, columns, page)
    if columns.refs and found is not None and found.status == "unbound":
        again = _in_other_columns(said, columns, page) or _in_named_table(said, columns, page)
        found = again if again is not None else found
    if not columns.refs and found is not None and found.status == "ambiguous":
        last = page.measured_as(said) if columns.stranger else page.measured_last(said)
        again = _looked_up(said, NamedColumns((last,)), page) if last is not None else None
        found = again if again is not None and again.status == "bound" else found
    if found is not None and found.place is not None and not columns.refs:
        page.keep_measured(said, found.place)
    if found is None or found.place is None:
        return found
    if found.status == "bound" and said.meaning.compares and not _keep_bound(said, columns.refs, found.place, page):
        return found._replace(status="ambiguous")
    return _of_all(said, _of_each(said, found, page), page)


def _keep_bound(said: SaidFigure, refs: Sequence[ColumnRef], place: CellPlace, page: AnswerPage) -> bool:
    """Whether all columns that may be meant keep a bound: over 0.2 µg/L, of lead or of nitrate."""
    table = page.tables[place.table]
    own = {ref.column for ref in refs if ref.table == place.table}
    return all(table_says(table, place.row, column, said.meaning) for column in own - {place.column})


def _of_all(said: SaidFigure, found: BindingOutcome, page: AnswerPage) -> BindingOutcome:
    """What is said of all that a figure counts is as many: all 42 beds are taken."""
    place = found.place
    if place is None or not said.first or page.words[said.first - 1] not in _ALL:
        return found
    table, noun = page.tables[place.table], page.noun_of(said.figure)
    end = noun.last if noun is not None else said.last
    following = page.following(said)
    for mention in page.near(said, page.measures):
        told = [ref.column for ref in mention.columns if ref.table == place.table and ref.column in table.figures]
        beyond = page.segment(mention) != page.segment(said) or (
            following is not None and mention.first > following.first
        )
        wrong = not any(table_says(table, place.row, column, said.meaning) for column in told)
        if mention.first > end and told and not beyond and place.column not in told and wrong:
            return unbound(CellPlace(place.table, place.row, told[0]))
    return found


def _of_each(said: SaidFigure, found: BindingOutcome, page: AnswerPage) -> BindingOutcome:
    """What is said of each of two rows is what both of them have: Anna and Ben have 12 points each."""
    place, noun = found.place, page.noun_of(said.figure)
    end = (noun.last if noun is not None else said.last) + 1
    around = (*page.words[max(0, said.first - 1) : said.first], *page.words[end : end + 1])
    apart = page.words[end : end + 2] == ["a", "piece"]
    if place is None or (EACH.isdisjoint(around) and not apart):
        return found
    table = page.tables[place.table]
    named = (row_of(mention, table) for mention in page.names_near(said) if mention.last < said.first)
    for row in dict.fromkeys(row for row in named if row is not None):
        if not table_says(table, row, place.column, said.meaning):
            return unbound(place._replace(row=row))
    return found


def _in_other_columns(said: SaidFigure, columns: NamedColumns, page: AnswerPage) -> BindingOutcome | None:
    """A cell of the columns that are in the currency beside a figure, or of the one that was measured last.

    A bottle costs 29 francs: of `bottles` and `price_chf` the second one is meant.
    """
    unit, last = said.meaning.unit, page.measured_last(said) if not columns.own else None
    refs: tuple[ColumnRef, ...] = (last,) if last is not None else ()
    if unit is not None and unit.is_currency and not any(_is_money(ref, page) for ref in columns.refs):
        refs = tuple(
            ColumnRef(table.number, column)
            for table in page.tables
            for column in table.of_dimension.get(unit.dimension, ())
            if column in table.measures
        )
    found = _looked_up(said, NamedColumns(refs), page) if refs else None
    if found is None or found.place is None or found.status != "bound":
        return None
    page.keep_measured(said, found.place)
    return found


def _in_named_table(said: SaidFigure, columns: NamedColumns, page: AnswerPage) -> BindingOutcome | None:
    """A cell of the row that is named, where the words for columns are all of another result, such as what rows are a part of."""
    named = {ref.table for mention in page.names_near(said) for ref in mention.names}
    if not named or not named.isdisjoint(ref.table for ref in columns.refs):
        return None
    found = _looked_up(said, NamedColumns(), page)
    return found if found is not None and found.status == "bound" else None


def _is_money(ref: ColumnRef, page: AnswerPage) -> bool:
    facts = page.tables[ref.table].columns.get(ref.column)
    unit = unit_called(facts.unit) if facts is not None and facts.unit else None
    return unit is not None and unit.is_currency


def _looked_up(said: SaidFigure, columns: NamedColumns, page: AnswerPage) -> BindingOutcome | None:
    meaning = said.meaning
    tables = [table for table in page.tables if not columns.refs or columns.of(table)]
    options = [rows for table in tables for rows in rows_of(said, table, page)]
    named = sorted((rows for rows in options if rows.how == "named"), key=lambda rows: rows.rank)
    found = _in_named_rows(named, columns, meaning, page)
    if found is not None and found.status == "ambiguous" and not columns.refs:
        return _quoted(named, said, page) or found
    if found is not None and (found.status == "bound" or columns.refs):
        return found
    only = [rows for rows in options if rows.how == "only" and not (named and rows.table.values)]
    carried = [rows for rows in options if rows.how == "carried"]
    nameless = [rows for rows in options if rows.how == "none"]
    alone = _in_only_row(only, columns, meaning, page)
    if alone is not None and alone.status == "bound":
        return alone
    return (
        _quoted([*only, *nameless], said, page, columns)
        or alone
        or _in_carried_row(carried, columns, meaning, page, sure=takes_up(said, page))
        # A value of a result whose row nobody names.
        or next((ambiguous(hits[0]) for rows in nameless if (hits := _hits(rows, columns, meaning))), None)
        or found
        or _otherwise([*only, *carried], columns, meaning)
    )


# --- how sure it is


def _in_named_rows(
    options: Sequence[Rows], columns: NamedColumns, meaning: FigureMeaning, page: AnswerPage
) -> BindingOutcome | None:
    """A row that the sentence names."""
    open_: BindingOutcome | None = None
    for rows in options:
        hits = _hits(rows, columns, meaning)
        if not hits:
            continue
        one = len(rows.rows) == 1 or (len(hits) == 1 and _is_period(rows)) or _is_shared(rows, hits, page)
        # Where the text has no word for any column, as in another language, one cell of the row is all there is to tell.
        wordless = not columns.refs and len(hits) == 1 and page.is_wordless
        if one and (wordless or _says_column(rows.table, hits, columns, meaning, page)):
            return bound_to(hits[-1])
        open_ = open_ or ambiguous(hits[0])
    return open_ if open_ is not None or not options else _otherwise(options, columns, meaning)


def _is_shared(rows: Rows, hits: Sequence[CellPlace], page: AnswerPage) -> bool:
    """Whether all of these rows have the value, and the sentence speaks of all of them: all turbines at Coldmoor."""
    if rows.mention is None or len({place.row for place in hits}) < len(rows.rows):
        return False
    line = page.line_of(rows.mention)
    return not QUANTIFIED.isdisjoint(page.words[line.first : line.last])


def _is_period(rows: Rows) -> bool:
    """Whether the rows are those of a month or a year, of which one value is said: it rose to 45.2 in April 2020."""
    names = rows.mention.names if rows.mention is not None else ()
    return any(ref.table == rows.table.number and ref.value in rows.table.periods.get(ref.column, ()) for ref in names)


def _in_only_row(
    options: Sequence[Rows], columns: NamedColumns, meaning: FigureMeaning, page: AnswerPage
) -> BindingOutcome | None:
    """The only row of a result needs no name."""
    hits: dict[str, CellPlace] = {}
    sure: list[CellPlace] = []
    for rows in options:
        found = _hits(rows, columns, meaning)
        hits |= {_identity(rows.table, place): place for place in found}
        sure += found if found and _says_column(rows.table, found, columns, meaning, page) else []
    if not hits:
        return None
    if meaning.figure.kind == "date" and all(_is_every_day(rows, meaning) for rows in options):
        return bound_to(next(iter(hits.values())))
    # Equal cells of one row are one place as long as a noun says the column; a time may hold on all days.
    one = len(hits) == 1 or (columns.own and len({place.table for place in sure}) == 1)
    if meaning.minute is not None and all(_is_everywhere(rows, meaning) for rows in options):
        return bound_to(next(iter(hits.values())))
    return bound_to(sure[-1]) if sure and one else ambiguous(next(iter(hits.values())))


def _is_every_day(rows: Rows, meaning: FigureMeaning) -> bool:
    """Whether all days of a row are this one."""
    days = [column for column in rows.table.days if rows.table.rows[rows.rows[0]][column] is not None]
    return bool(days) and all(table_says(rows.table, rows.rows[0], column, meaning) for column in days)


def _is_everywhere(rows: Rows, meaning: FigureMeaning) -> bool:
    """Whether all texts of a row that hold times hold this one."""
    texts = (rows.table.rows[rows.rows[0]][column] for column in rows.table.texts)
    timed = [text for text in texts if isinstance(text, str) and clock_times(text)]
    return bool(timed) and all(text_says(text, meaning) for text in timed)


def _in_carried_row(
    options: Sequence[Rows], columns: NamedColumns, meaning: FigureMeaning, page: AnswerPage, *, sure: bool
) -> BindingOutcome | None:
    """The row that the sentence before was about."""
    for rows in options:
        hits = _hits(rows, columns, meaning)
        if hits and len(rows.rows) == 1 and _says_column(rows.table, hits, columns, meaning, page):
            return bound_to(hits[-1])
    return _otherwise(options, columns, meaning) if sure and columns.refs and options else None


def _quoted(
    options: Sequence[Rows], said: SaidFigure, page: AnswerPage, columns: NamedColumns | None = None
) -> BindingOutcome | None:
    """A text that has the figure beside the same word, as no other text does: 5000 mAh, Android 13; in the column that is told."""
    told = {ref.column for ref in columns.refs} if columns is not None and columns.own else set()
    around = {at: page.words[at] for at in (said.first - 1, said.last + 1) if 0 <= at < len(page.words)}
    same = {word for at, word in around.items() if page.segments[at] == page.segment(said)}
    beside = frozenset(word for word in same if word not in FUNCTION and word[0].isalpha())
    found = [
        CellPlace(rows.table.number, row, column)
        for rows in (options if beside else ())
        for column in rows.table.measures
        if column in rows.table.texts and (not told or column in told)
        for row in _rows_to_try(rows.table, column, rows.rows, said.meaning)
        if isinstance(text := rows.table.rows[row][column], str) and text_says(text, said.meaning, beside)
    ]
    return bound_to(found[0]) if len(found) == 1 else None


def _otherwise(options: Sequence[Rows], columns: NamedColumns, meaning: FigureMeaning) -> BindingOutcome | None:
    """That the data says otherwise: with the cell that is meant, where that is one."""
    for rows in options:
        if len(rows.rows) == 1 and columns.refs:
            fitting = _fitting(rows.table, columns, meaning)
            place = CellPlace(rows.table.number, rows.rows[0], fitting[0]) if fitting else None
            known = columns.own and rows.how in ("named", "only")
            return unbound(place, sure=columns.own and rows.how == "named", own=known)
    return unbound() if options else None


def _is_latest(hits: Sequence[CellPlace], refs: Sequence[ColumnRef], page: AnswerPage) -> bool:
    """Of one measure in several years, the last one is meant where no year is said."""
    years = page.index.of_period
    if len(hits) != 1 or not all(ref in years for ref in refs):
        return False
    return hits[0].column == max(refs, key=lambda ref: years[ref]).column


def _says_column(
    table: Table, hits: Sequence[CellPlace], columns: NamedColumns, meaning: FigureMeaning, page: AnswerPage
) -> bool:
    """Whether the column is told: by a noun, by being the only one of its kind, or by a figure that is like no other."""
    if columns.refs:
        refs = columns.of(table)
        one = len(refs) == 1 or (len(hits) == 1 and columns.own and _is_distinct(meaning))
        return one or any(ref.sure for ref in refs) or _is_latest(hits, refs, page)
    return len(_alike(table, hits[0], meaning)) == 1 or (len(hits) == 1 and _is_distinct(meaning))


def _is_distinct(meaning: FigureMeaning) -> bool:
    """Whether a figure hardly stands in a row by chance: of three digits or more, or a thousand and more."""
    figure = meaning.figure
    large = bool(figure.readings) and abs(figure.readings[0]) >= _LARGE and figure.text[-1:] == "0"
    return significant_digits(figure) >= _DISTINCT or large


# --- which cells


def _hits(rows: Rows, columns: NamedColumns, meaning: FigureMeaning) -> list[CellPlace]:
    """The cells of these rows and columns that are what the figure says, each once."""
    table, fitting = rows.table, _fitting(rows.table, columns, meaning)
    found = [
        CellPlace(table.number, row, column)
        for column in fitting
        for row in _rows_to_try(table, column, rows.rows, meaning)
        if table_says(table, row, column, meaning)
    ]
    if columns.each and {place.column for place in found} != set(fitting):
        return []
    return list({_identity(table, place): place for place in found}.values()) if len(found) > 1 else found


def _rows_to_try(table: Table, column: str, rows: Sequence[int], meaning: FigureMeaning) -> Sequence[int]:
    """All of a few rows; of many only those that the sorted column finds."""
    if len(rows) <= _FEW_ROWS or not meaning.figure.readings or meaning.compares or meaning.minute is not None:
        return rows[:_MOST_ROWS]
    found: set[int] = set()
    if column in table.texts:
        for low, high in meaning.spans:
            found.update(table.text_rows_between(column, low, high))
    if not table.columns[column].numeric:
        return _among(rows, found)
    for by in {*meaning.scales(table.columns[column].multiple), Decimal(100 if meaning.figure.percent else 1)}:
        for low, high in meaning.spans:
            found.update(table.rows_between(column, low / by, high / by))
    return _among(rows, found)


def _among(rows: Sequence[int], found: set[int]) -> list[int]:
    among = rows if isinstance(rows, range) else set(rows)
    return sorted(row for row in found if row in among)


def _fitting(table: Table, columns: NamedColumns, meaning: FigureMeaning) -> list[str]:
    """The columns to look at: those that are told, or all that may hold such a figure; shares for percentages."""
    refs = columns.of(table)
    told = dict.fromkeys(ref.column for ref in refs if ref.column in table.columns) if refs else table.measures
    rates = [column for column in told if table.columns[column].role is FieldRole.RATE]
    if meaning.figure.percent:
        return rates or (list(told) if not table.rates else [] if columns.own else list(table.rates))
    others = [column for column in told if column not in rates]
    # Francs are no percentage where there is a column of francs.
    money = meaning.unit is not None and meaning.unit.is_currency and meaning.unit.dimension in table.of_dimension
    return others if (refs or money) and others else list(told)


def _alike(table: Table, place: CellPlace, meaning: FigureMeaning) -> list[str]:
    """The columns whose cell in this row is of the same sort, so that the two can be mistaken for each other."""
    one = table.cell(place.row, place.column)
    row = table.rows[place.row]
    if isinstance(one, date):
        return [column for column in table.measures if isinstance(table.cell(place.row, column), date)]
    if isinstance(one, Decimal) and meaning.figure.percent and place.column in table.rates:
        return list(table.rates)
    if isinstance(one, Decimal):
        rates = table.rates if place.column not in table.rates else frozenset()
        plain = [one for one in table.figures if table.columns[one].encoding is None and one not in rates]
        if meaning.unit is not None:
            measured = table.of_dimension.get(meaning.unit.dimension, ())
            plain = [column for column in plain if column in measured] if place.column in measured else plain
        return [column for column in plain if number_of(row[column]) is not None]
    holding = [column for column in table.measures if any(ch.isdigit() for ch in str(row[column] or ""))]
    shares = [column for column in holding if "%" in str(row[column])]
    if meaning.figure.percent and place.column in shares:
        return shares
    if meaning.unit is not None and len(holding) <= _MOST_ALIKE:
        measured = [column for column in holding if _has_unit(row[column], meaning)]
        return measured if place.column in measured else holding
    return holding


def _has_unit(cell: object, meaning: FigureMeaning) -> bool:
    """Whether a text says something in the unit of the figure."""
    dimensions = {unit.dimension for unit in units_in(cell)} if isinstance(cell, str) else set()
    return meaning.unit is not None and meaning.unit.dimension in dimensions


def _identity(table: Table, place: CellPlace) -> str:
    """The same for the same cell, in whichever of two equal results it stands."""
    arg = arg_of(table.result, place.row, place.column)
    return repr((table.result.call, sorted(arg.row_key.items()), arg.column, arg.raw))
