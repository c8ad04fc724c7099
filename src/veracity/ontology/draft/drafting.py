"""The flow of a draft: profiles, keys, relations, proofs, classes, which rows count, names and dates, measures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from veracity.errors import QueryFailed, SourceError, UsageError
from veracity.language.locale import LANGUAGES
from veracity.ontology.draft.account_movements import movements, with_booking_date
from veracity.ontology.draft.classes import class_of
from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.display import with_display
from veracity.ontology.draft.draft import OntologyDraft
from veracity.ontology.draft.extremes import extremes_of
from veracity.ontology.draft.findings import (
    SURE_FROM,
    ColumnClass,
    ColumnDraft,
    ColumnVerdict,
    Found,
    FoundKey,
    FoundLink,
    FoundRelation,
    FoundSplit,
    TableDraft,
    TableProfile,
)
from veracity.ontology.draft.keys import alternatives, key_of
from veracity.ontology.draft.names import ends_in, is_amount_in, says, split, without_unit, words_for
from veracity.ontology.draft.pointers import pointers_of
from veracity.ontology.draft.profiling import Progress, profiles
from veracity.ontology.draft.proofs import Prover
from veracity.ontology.draft.proposals import lying_beside, proposed_measures, with_dates, with_sizes
from veracity.ontology.draft.relations import RelationFinder
from veracity.ontology.draft.reshaping import notes_of, reshaped
from veracity.ontology.draft.row_kinds import is_detail, with_row_kinds
from veracity.ontology.draft.scales import with_bounds
from veracity.ontology.draft.sight import Proofs, Sight
from veracity.ontology.draft.spans import with_span
from veracity.ontology.draft.vocabulary import vocabulary
from veracity.sources.source import NUMERIC, ColumnType, Source

SAMPLE = 2_000_000
"""Tables with more rows are looked at in part."""
MOST_TABLES = 500
_FEWEST_SAMPLED = 1000
_DENSE = 0.9
_POINTS = ColumnVerdict(kind=ColumnClass.CODE, reason="perhaps the key of another table: it is asked")
_DAYS = (ColumnType.DATE, ColumnType.TIMESTAMP)


def draft(
    source: Source,
    *,
    languages: Sequence[str] = LANGUAGES,
    sample: int | None = None,
    tables: Sequence[str] | None = None,
    progress: Progress = lambda _done, _total: None,
) -> OntologyDraft:
    """What a source holds, with evidence, and the questions that only a person can answer. Blocks while it counts."""
    unknown = [lang for lang in languages if lang not in LANGUAGES]
    if unknown or not languages:
        raise UsageError(f"A draft is written in de, en or zh, not {', '.join(unknown) or 'no language'}.")
    if sample is not None and sample < _FEWEST_SAMPLED:
        raise UsageError(f"A sample of {sample} rows tells nothing; take {_FEWEST_SAMPLED} or more.")
    source = reshaped(source) if tables is None else source
    counter = SourceCounter(source, sample or SAMPLE)
    chosen = _chosen(source, tables)
    profiled = list(profiles(counter, chosen, progress))
    words = vocabulary({table.name: table.names for table in profiled})
    if all(table.problem == "it has no column that you may read" for table in profiled):
        raise SourceError(f"{source.name} has no column that you may read; ask its owner for the right to.")
    found = _found(counter, profiled, words)
    found = found.model_copy(update={"named": tables is not None, "notes": (*notes_of(source), *found.notes)})
    return OntologyDraft(found=found, languages=tuple(languages))


def _chosen(source: Source, tables: Sequence[str] | None) -> list[str]:
    if tables is not None:
        missing = [name for name in tables if name not in source.tables]
        if missing:
            raise UsageError(f"{source.name} has no table {missing[0]}.")
        return list(tables)
    if len(source.tables) > MOST_TABLES:
        raise UsageError(
            f"{source.name} has {len(source.tables):,} tables, too many to draft at once; name those that questions are about with --table."
        )
    return list(source.tables)


def _found(counter: SourceCounter, profiled: Sequence[TableProfile], words: frozenset[str]) -> Found:
    keys = {table.name: key for table in profiled if (key := key_of(counter, table, words)) is not None}
    others = {table.name: alternatives(counter, table, keys.get(table.name)) for table in profiled}
    finder = RelationFinder(counter, profiled, keys, others, words)
    relations = tuple(finder.find())
    relations = tuple(map(lying_beside, (*relations, *finder.parts(relations))))
    pointers = tuple(pointers_of(counter, profiled, keys, relations, words))
    proofs, expressions = Prover(counter, profiled, keys, relations, words).proofs()
    known = _Known(counter, profiled, keys, relations, proofs, words, {(one.table, one.column) for one in pointers})
    pointed = {one.other for one in relations}
    tables = tuple(with_sizes(with_display(_table(known, table), words), pointed, words) for table in profiled)
    tables = with_row_kinds(with_dates(tables, relations, words), relations, words)
    tables = tuple(with_booking_date(table, words) for table in tables)
    splits = tuple(split for table in tables for split in _splits(counter, table, relations, proofs))
    relations = (*relations, *(one for split_ in splits for one in finder.to_split(split_, relations)))
    by_table = {one.table: one for one in splits}
    tables = tuple(with_bounds(counter, table, by_table, words) for table in tables)
    tables = tuple(table if table.name in by_table else with_span(counter, table, words) for table in tables)
    return Found(
        source=counter.source.name,
        tables=tables,
        relations=relations,
        measures=(
            *proposed_measures(tables, expressions, words),
            *(one for table in tables for one in movements(table, words)),
        ),
        splits=splits,
        links=tuple(_links(counter, tables, relations)),
        extremes=tuple(extremes_of(counter, tables, words)),
        pointers=pointers,
        notes=tuple(_notes(profiled)),
    )


@dataclass(frozen=True)
class _Known:
    """What is known of all tables before their columns are classified."""

    counter: SourceCounter
    tables: Sequence[TableProfile]
    keys: Mapping[str, FoundKey]
    relations: Sequence[FoundRelation]
    proofs: Proofs
    words: frozenset[str]
    asked: Collection[tuple[str, str]] = ()
    """Numbers that may point somewhere: a person is asked."""


def _table(known: _Known, table: TableProfile) -> TableDraft:
    keys, relations, words = known.keys, known.relations, known.words
    key = keys.get(table.name)
    by_name = {one.name: one for one in known.tables}
    pointing = {one.columns[0]: one for one in relations if one.table == table.name and len(one.columns) == 1}
    parts = {name: one for one in relations if one.table == table.name and not one.part for name in one.columns}
    headers = [
        one.other for one in relations if one.table == table.name and one.sure and is_detail(table.name, one, words)
    ]
    dated = any(_has_event(by_name[name], words) for name in (table.name, *headers))
    times, snapshot = _times(known.counter, table, key, list(pointing), words)
    yearly = frozenset(_yearly_sizes(known.counter, table, times, words)) if snapshot else frozenset()
    columns = tuple(
        ColumnDraft(
            profile=column,
            verdict=class_of(
                Sight(table, column, key, parts.get(column.name), known.proofs, words, dated, snapshot, times, yearly)
            )
            if (table.name, column.name) not in known.asked
            else _POINTS,
        )
        for column in table.columns
    )
    return TableDraft(profile=table, key=key, columns=columns)


def _is_time(table: TableProfile, name: str, words: frozenset[str]) -> bool:
    column, named = table.column(name), split(name, words)
    by_name = any(ends_in(named, which) for which in ("years", "months", "quarters"))
    return column.type in _DAYS or column.looks == "date" or column.writing not in (None, "number") or by_name


def _has_event(table: TableProfile, words: frozenset[str]) -> bool:
    """Whether a table has a date that something happened at."""
    return any(
        (column.type in _DAYS or column.looks in ("date", "written") or column.writing == "yearmonthday")
        and not any(says(split(column.name, words), which) for which in ("not_events", "thing_dates"))
        for column in table.columns
    )


def _times(
    counter: SourceCounter, table: TableProfile, key: FoundKey | None, pointing: Sequence[str], words: frozenset[str]
) -> tuple[tuple[str, ...], bool]:
    """The columns that say when, of a table whose rows are things at times; and whether the rows are surely that."""
    if key is not None and len(key.columns) > 1:
        times = tuple(name for name in key.columns if _is_time(table, name, words))
        if times and len(times) < len(key.columns):
            return times, True
    dates = [c.name for c in table.columns if c.type in _DAYS and not says(split(c.name, words), "not_events")]
    if len(dates) != 1:
        return (), False
    if says(split(table.name.rpartition(".")[2], words), "snapshot_tables"):
        return (dates[0],), True
    return ((dates[0],), True) if _is_dense(counter, table, pointing, dates[0]) else ((), False)


def _yearly_sizes(
    counter: SourceCounter, table: TableProfile, times: Sequence[str], words: frozenset[str]
) -> Iterator[str]:
    """How large things were in each year, such as inhabitants per district; not where one row of a year is the total of the others."""
    if len(times) != 1 or not ends_in(split(times[0], words), "years") or table.sampled is not None:
        return
    for column in table.columns:
        own = without_unit(named := split(column.name, words))
        sized = len(own) == 1 and (own[0] in words_for("yearly_sizes") or is_amount_in(named, "units_that_add"))
        if column.type not in NUMERIC or not sized or (column.low or "-")[0] == "-":
            continue
        try:
            if not counter.years_with_totals(counter.source.tables[table.name], times[0], column.name):
                yield column.name
        except QueryFailed:
            continue


def _is_dense(counter: SourceCounter, table: TableProfile, pointing: Sequence[str], day: str) -> bool:
    """Whether nearly every thing has one row for nearly every day."""
    days = table.column(day).distinct
    if days < 3 or table.rows < SURE_FROM or table.sampled is not None:
        return False
    for name in pointing:
        things = table.column(name).distinct
        if things > 1 and table.rows >= _DENSE * things * days and table.rows <= 1.1 * things * days:
            try:
                return counter.distinct(counter.source.tables[table.name], (name, day)) == table.rows
            except QueryFailed:
                return False
    return False


def _splits(
    counter: SourceCounter, table: TableDraft, relations: Sequence[FoundRelation], proofs: Proofs
) -> Iterator[FoundSplit]:
    """Tables that hold two kinds of things in one: each row names a thing and points to another, and all other columns depend on the name alone."""
    if (table.key is not None and len(table.key.columns) < 2) or table.profile.rows < SURE_FROM:
        return
    pointers = {one.columns[0] for one in relations if one.table == table.name and len(one.columns) == 1 and one.sure}
    names = [name for name in table.display if table.column(name).verdict.kind is ColumnClass.NAME]
    refs = [name for name in table.profile.names if name in pointers]
    if len(names) != 1 or len(refs) != 1 or names[0] == refs[0] or table.profile.sampled is not None:
        return
    if any(table.profile.column(name).filled < table.profile.rows for name in (names[0], refs[0])):
        return
    rest = [name for name in table.profile.names if name not in (names[0], refs[0])]
    copied = [name for name in rest if (table.name, name) in proofs.copies]
    try:
        same = bool(copied) and counter.combinations(counter.source.tables[table.name], (names[0], *rest))
    except QueryFailed:
        return
    if same and same == table.profile.column(names[0]).distinct:
        told = f"{copied[0]} is {proofs.copies[table.name, copied[0]]}"
        yield FoundSplit(table=table.name, name=names[0], attributes=tuple(rest), reference=refs[0], evidence=told)


def _links(
    counter: SourceCounter, tables: Sequence[TableDraft], relations: Sequence[FoundRelation]
) -> Iterator[FoundLink]:
    """Tables that are two pointers and nothing else."""
    for table in tables:
        own = [one for one in relations if one.table == table.name and one.sure and len(one.columns) == 1]
        if len(own) != 2 or table.key is None or {own[0].columns[0], own[1].columns[0]} != set(table.profile.names):
            continue
        if set(table.key.columns) != set(table.profile.names):
            continue
        symmetric = False
        if own[0].other == own[1].other and table.profile.rows:
            schema = counter.source.tables[table.name]
            pair = (own[0].columns[0], own[1].columns[0])
            try:
                symmetric = counter.strays(schema, table.profile.rows, pair, schema, pair[::-1])[1] == 0
            except QueryFailed:
                symmetric = False
        yield FoundLink(table=table.name, symmetric=symmetric)


def _notes(tables: Sequence[TableProfile]) -> Iterator[str]:
    for table in tables:
        if table.problem:
            yield f"{table.name} could not be looked at: {table.problem}."
        elif table.sampled is not None:
            yield f"{table.name} has {table.rows:,} rows; {table.sampled:,} of them were looked at, which proves no key."
        elif not table.rows:
            yield f"{table.name} has no rows; what is said of it rests on names alone."
        for column in table.columns:
            if column.mixed:
                yield f"{table.name}.{column.name} holds numbers and {column.mixed:,} texts; it is not computed with."
