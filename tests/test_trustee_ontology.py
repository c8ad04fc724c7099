"""The trustee ontology: complete, consistent in itself, true to the tables and to the shipped ledger."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import duckdb
import pytest
import sqlglot

from veracity.features.records import create_tables, record_create
from veracity.features.trustee import trustee_ontology
from veracity.features.trustee.ledger import make_ledger
from veracity.features.trustee.models import TABLES
from veracity.language.locale import LANGUAGES
from veracity.ontology.descriptor import Constraint, ConstraintRule, OntologyDescriptor
from veracity.ontology.entities import Entity, Invariant, MeasureAggregate, SemanticType
from veracity.ontology.fields import Additivity
from veracity.settings import Settings
from veracity.sources.sqlite import open_sqlite

ONTOLOGY = trustee_ontology()
CONCEPTS = tuple(e for e in ONTOLOGY.entities if e.number_range)
VIEWS = tuple(e for e in ONTOLOGY.entities if e.view)
CHECKS = tuple((e, i) for e in ONTOLOGY.entities for i in e.invariants if i.holds or i.violations)
SCOPE = {"mandateId", "featureInstanceId"}

# One change per invariant that a bookkeeper could make by mistake.
BREAKS = {
    "PERIOD_MONTH_0_TO_12": "UPDATE TrusteeDataAccountBalance SET periodMonth = 13 WHERE periodMonth = 12",
    "ANNUAL_TOTALS_ARE_THE_SUM_OF_THE_MONTHS": (
        "UPDATE TrusteeDataAccountBalance SET debitTotal = debitTotal + 0.01 WHERE accountNumber = '6000' AND periodMonth = 0"
    ),
    "ANNUAL_CLOSING_IS_DECEMBERS": (
        "UPDATE TrusteeDataAccountBalance SET closingBalance = closingBalance + 1 WHERE periodMonth = 0"
    ),
    "ANNUAL_OPENING_IS_JANUARYS": (
        "UPDATE TrusteeDataAccountBalance SET openingBalance = openingBalance + 1 WHERE periodMonth = 1"
    ),
    "OPENING_IS_THE_PREVIOUS_CLOSING": (
        "UPDATE TrusteeDataAccountBalance SET openingBalance = openingBalance + 1 "
        "WHERE accountNumber = '1020' AND periodYear = 2025 AND periodMonth = 1"
    ),
    "BALANCES_ARE_THE_SUM_OF_THEIR_LINES": (
        "DELETE FROM TrusteeDataJournalLine WHERE accountNumber = '6000' AND debitAmount > 0"
    ),
    "BALANCES_ARE_POSITIVE_ON_THE_NORMAL_SIDE": (
        "UPDATE TrusteeDataAccountBalance SET closingBalance = -closingBalance WHERE accountNumber = '3400'"
    ),
    "REVENUE_AND_EXPENSE_OPEN_THE_YEAR_AT_0": (
        "UPDATE TrusteeDataAccountBalance SET openingBalance = 5 WHERE accountNumber = '6000' AND periodMonth = 0"
    ),
    "ENTRIES_BALANCE": "UPDATE TrusteeDataJournalEntry SET totalAmount = totalAmount + 0.01",
    "AMOUNTS_ARE_THERE": "ALTER TABLE TrusteeDataAccountBalance ALTER closingBalance DROP NOT NULL; "
    "UPDATE TrusteeDataAccountBalance SET closingBalance = NULL WHERE accountNumber = '1020'",
    "EVERY_YEAR_HAS_13_ROWS": "DELETE FROM TrusteeDataAccountBalance WHERE accountNumber = '3400' AND periodMonth = 0",
    "BALANCES_ARE_IN_THE_ACCOUNTS_CURRENCY": "UPDATE TrusteeDataAccountBalance SET currency = 'USD' WHERE periodMonth = 3",
    "ENTRY_NUMBERS_ARE_UNIQUE": "UPDATE TrusteeDataJournalEntry SET entryNumber = '1'",
    "CONTACTS_OF_ENTRIES_EXIST": "DELETE FROM TrusteeDataContact",
    "LINES_ARE_IN_THE_ACCOUNTS_CURRENCY": "UPDATE TrusteeDataJournalEntry SET currency = 'USD'",
    "LINES_ARE_IN_A_BALANCE": "DELETE FROM TrusteeDataAccountBalance WHERE accountNumber = '1020'",
    "BOOKING_DATE_IS_MIDNIGHT_UTC": "UPDATE TrusteeDataJournalEntry SET bookingDate = bookingDate + 1",
    "LINES_BELONG_TO_AN_ENTRY_AND_AN_ACCOUNT": "DELETE FROM TrusteeDataAccount WHERE accountNumber = '1021'",
}


@pytest.fixture(scope="module")
def ledger() -> Iterator[duckdb.DuckDBPyConnection]:
    """One company's books: what a scoped query sees."""
    with duckdb.connect() as connection:
        connection.execute("SET timezone = 'UTC'")
        create_tables(connection, TABLES)
        record_create(connection, make_ledger(2025).records())
        yield connection


def entity(name: str) -> Entity:
    found = ONTOLOGY.entity(name)
    assert found is not None, name
    return found


def violating(check: Invariant, of: Entity) -> str:
    home = of.view or f"SELECT * FROM {of.table}"
    return check.violations or f"SELECT * FROM ({home}) AS v WHERE NOT ({check.holds})"


every_view = pytest.mark.parametrize("view", VIEWS, ids=lambda v: v.name)
every_constraint = pytest.mark.parametrize("constraint", ONTOLOGY.constraints, ids=lambda c: str(c.rule))
every_check = pytest.mark.parametrize(("of", "check"), CHECKS, ids=[i.name for _, i in CHECKS])


def test_it_survives_the_way_through_json() -> None:
    assert OntologyDescriptor.model_validate_json(ONTOLOGY.model_dump_json()) == ONTOLOGY


def test_it_is_built_once() -> None:
    assert trustee_ontology() is ONTOLOGY


def test_it_has_fifty_to_a_hundred_entities_and_relations() -> None:
    assert 50 <= len(ONTOLOGY.entities) + len(ONTOLOGY.relations) <= 100


def test_the_tables_declare_every_column_of_the_contract_but_the_scope() -> None:
    declared = {e.name: {f.name for f in e.fields} for e in ONTOLOGY.entities if e.table}
    assert declared == {t.__name__: {str(f.alias) for f in t.model_fields.values()} - SCOPE for t in TABLES}


def test_tables_are_named_like_their_entity() -> None:
    assert all(e.name == e.table for e in ONTOLOGY.entities if e.table)


def test_everything_people_name_is_labelled_in_three_languages() -> None:
    for named in ONTOLOGY.entities:
        assert set(named.label) == set(LANGUAGES), named.name
        for field in named.fields:
            assert set(field.label) == set(LANGUAGES), f"{named.name}.{field.name}"


def test_there_are_nine_classes_and_21_groups_with_words_in_three_languages() -> None:
    kinds = Counter(c.semantic_type for c in CONCEPTS)
    assert kinds == {SemanticType.ACCOUNT_CLASS: 9, SemanticType.ACCOUNT_GROUP: 21}
    for concept in CONCEPTS:
        assert set(concept.synonyms) == set(LANGUAGES)
        assert all(word.strip() == word != "" for words in concept.synonyms.values() for word in words), concept.name


def test_groups_lie_inside_what_they_belong_to_and_do_not_overlap_otherwise() -> None:
    groups = sorted(
        (c for c in CONCEPTS if c.parent_entity), key=lambda c: c.number_range.start if c.number_range else ""
    )
    ranges = [(g.number_range.start, g.number_range.end) for g in groups if g.number_range]
    for group, (start, end) in zip(groups, ranges, strict=True):
        parent = entity(group.parent_entity or "").number_range
        assert parent is not None
        assert parent.start <= start <= end <= parent.end, group.name
    beside = [(g.parent_entity, span) for g, span in zip(groups, ranges, strict=True)]
    assert all(one[1] < two[0] for (p, one), (q, two) in combinations(beside, 2) if p == q)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_word_names_one_class_or_group_only(lang: str) -> None:
    said = Counter(word.casefold() for c in CONCEPTS for word in {c.label[lang], *c.synonyms[lang]})
    assert [word for word, times in said.items() if times > 1] == []


def test_every_group_is_related_to_its_class() -> None:
    related = {(r.from_entity, r.to_entity) for r in ONTOLOGY.relations}
    assert all((c.name, c.parent_entity) in related for c in CONCEPTS if c.parent_entity)


def test_a_relation_goes_over_a_field_of_its_entity() -> None:
    for relation in ONTOLOGY.relations:
        assert relation.via is None or entity(relation.from_entity).field(relation.via), relation


def test_units_grains_and_pins_are_fields_of_the_entity() -> None:
    for named in ONTOLOGY.entities:
        for field in named.fields:
            for other in (*field.over, *field.grain, *([field.unit_field] if field.unit_field else [])):
                assert named.field(other), f"{named.name}.{field.name}: {other}"
        assert all(named.field(name) for name in named.grain)


@pytest.mark.parametrize("name", ["openingBalance", "debitTotal", "creditTotal", "closingBalance"])
@pytest.mark.parametrize("table", ["TrusteeDataAccountBalance", "TrusteeBalanceByAccount"])
def test_balances_add_up_within_one_period_only_and_never_in_a_query(table: str, name: str) -> None:
    field = entity(table).field(name)
    assert field is not None
    assert (field.additivity, field.unit_field) == (Additivity.SEMI_ADDITIVE, "currency")
    (rule,) = ONTOLOGY.constraints_on(table, name, ConstraintRule.SEMI_ADDITIVE)
    assert rule.fields == field.over
    assert set(field.over) >= {"periodYear", "periodMonth"}
    assert ONTOLOGY.constraints_on(table, name, ConstraintRule.NEVER_AGGREGATE)
    assert ONTOLOGY.constraints_on(table, name, ConstraintRule.REQUIRES_FILTER_ON)


def test_an_entrys_amount_belongs_to_the_entry_also_on_its_lines() -> None:
    field = entity("TrusteeLedgerLine").field("entryTotalAmount")
    assert field is not None
    assert (field.additivity, field.grain) == (Additivity.ADDITIVE, ("journalEntryId",))


def test_whatever_adds_up_has_a_rule_for_its_unit() -> None:
    for named in ONTOLOGY.entities:
        for field in named.fields:
            if field.additivity is not None:
                assert ONTOLOGY.constraints_on(named.name, field.name, ConstraintRule.SAME_UNIT), field.name


@every_constraint
def test_a_constraint_is_about_declared_fields(constraint: Constraint) -> None:
    names = {e.name for e in ONTOLOGY.entities}
    for target in constraint.applies_to:
        alone = constraint.model_copy(update={"applies_to": (target,)})
        assert target in names or any(alone.covers(e.name, f.name) for e in ONTOLOGY.entities for f in e.fields), target
    covered = [e for e in ONTOLOGY.entities if any(constraint.covers(e.name, f.name) for f in e.fields)]
    for name in (*constraint.fields, *constraint.when, *constraint.unless):
        # What is joined to the rows may be named by a rule on sides.
        reached = ONTOLOGY.entities if constraint.rule is ConstraintRule.ONE_SIDE else covered
        assert name in names or any(e.field(name) for e in reached), name


@every_constraint
def test_a_message_is_short_enough_to_be_a_hint(constraint: Constraint) -> None:
    assert set(constraint.message) == set(LANGUAGES)
    assert max(map(len, constraint.message.values())) <= 80


def test_summing_a_balance_is_answered_with_the_period_filter() -> None:
    (rule,) = ONTOLOGY.constraints_on("TrusteeDataAccountBalance", "closingBalance", ConstraintRule.NEVER_AGGREGATE)
    assert "periodYear" in rule.message["en"]
    assert "periodMonth" in rule.message["en"]


@every_view
def test_a_view_declares_exactly_what_it_selects(view: Entity) -> None:
    select = sqlglot.parse_one(view.view or "", read="duckdb")
    assert isinstance(select, sqlglot.exp.Select)
    assert not select.find(sqlglot.exp.Star)
    assert select.named_selects == [field.name for field in view.fields]


@every_view
def test_a_view_never_mentions_the_scope(view: Entity) -> None:
    assert not any(column in (view.view or "") for column in SCOPE)


@every_view
def test_a_views_grain_is_unique(view: Entity, ledger: duckdb.DuckDBPyConnection) -> None:
    keys = ", ".join(view.grain)
    assert ledger.execute(f"SELECT {keys} FROM ({view.view}) GROUP BY {keys} HAVING COUNT(*) > 1").fetchall() == []


def test_a_view_loses_no_row_of_its_base_table(ledger: duckdb.DuckDBPyConnection) -> None:
    for view, base in (
        ("TrusteeBalanceByAccount", "TrusteeDataAccountBalance"),
        ("TrusteeLedgerLine", "TrusteeDataJournalLine"),
        ("TrusteeEntryWithContact", "TrusteeDataJournalEntry"),
    ):
        counted = f"SELECT (SELECT COUNT(*) FROM ({entity(view).view})) - (SELECT COUNT(*) FROM {base})"
        assert ledger.execute(counted).fetchall() == [(0,)], view


def test_views_and_invariants_run_on_sqlite_and_parse_for_postgres(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with sqlite3.connect(path) as connection:
        for table in TABLES:
            names = ", ".join(f'"{field.alias}"' for field in table.model_fields.values())
            connection.execute(f'CREATE TABLE "{table.__name__}" ({names})')
    connection.close()
    source = open_sqlite(path, Settings())
    for select in (*(v.view or "" for v in VIEWS), *(violating(check, of) for of, check in CHECKS)):
        assert source.describe(sqlglot.transpile(select, read="duckdb", write="sqlite", identify=True)[0])
        sqlglot.parse_one(sqlglot.transpile(select, read="duckdb", write="postgres")[0], read="postgres")
    source.close()


@every_check
def test_the_shipped_ledger_keeps_the_invariant(
    of: Entity, check: Invariant, ledger: duckdb.DuckDBPyConnection
) -> None:
    assert ledger.execute(violating(check, of)).fetchall() == []


@every_check
def test_a_broken_ledger_breaks_the_invariant(of: Entity, check: Invariant, ledger: duckdb.DuckDBPyConnection) -> None:
    ledger.begin()
    try:
        ledger.execute(BREAKS[check.name])
        assert ledger.execute(violating(check, of)).fetchall()
    finally:
        ledger.rollback()


# --- questions that people see first


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_shows_questions_in_every_language_none_twice(lang: str) -> None:
    shown = ONTOLOGY.questions[lang]
    assert len(set(shown)) == len(shown) >= 8


def test_it_has_no_patterns_because_its_questions_are_read_from_their_words() -> None:
    assert ONTOLOGY.canonical_patterns == ()


def test_measures_and_segments_are_named_in_three_languages() -> None:
    labels = {one.name: set(one.label) for entity in ONTOLOGY.entities for one in entity.measures}
    labels |= {one.name: set(one.label) for entity in ONTOLOGY.entities for one in entity.segments}
    assert {"balance", "cost", "customers", "vendors"} <= set(labels)
    assert [name for name, langs in labels.items() if langs != set(LANGUAGES)] == []


def test_a_figure_that_grows_over_time_is_asked_for_its_period() -> None:
    summed = [m for e in ONTOLOGY.entities for m in e.measures if m.aggregate is MeasureAggregate.SUM]
    assert {m.name for m in summed if not m.needs_period} == set()
