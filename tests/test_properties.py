"""What holds for every call: the validator never raises, engines agree on what it accepts, and tenants stay apart."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from conftest import ENGINES, SALES, SHOP, load
from veracity.contracts import HINT_LENGTH, QueryValidationError, ToolResult
from veracity.query.catalog import Catalog
from veracity.query.model import AGGREGATES, ARGUMENTS, OPERATORS, TOOLS, Call
from veracity.query.validator import validate
from veracity.query.values import Values
from veracity.sources.open import open_source
from veracity.sources.source import Scope
from veracity.tools.tables import TableTools

FIELDS = ("id", "region", "note", "amount", "weight", "soldOn", "soldAt", "paid", "pieces")
MINE = tuple(row for row in SALES if row[1] == "t-1")
quick = settings(
    deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
slow = settings(quick, max_examples=200)


@pytest.fixture(scope="module")
def shops(shop_specs: Callable[[str], str]) -> Iterator[dict[str, TableTools]]:
    """The shop on every engine, in the scope of its first tenant."""
    tools = {engine: TableTools(open_source(shop_specs(engine)), scope=Scope({"tenant": "t-1"})) for engine in ENGINES}
    yield tools
    for one in tools.values():
        one.close()


# --- strategies

STRINGS = [
    *FIELDS,
    *("Sale", "tenant", "TENANT", "t-2", "Nord", "nord", "Süd", "first", "100%", "it's; DROP TABLE", "N%", "60%", "*"),
    *("2025-01-31", "31.01.2025", "2025", "2025-02-30", "2025-01-31T10:00:00", "2025-01-31T10:00:00Z", "1738317600"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "true", "ja", "1'000.50", "1e5", "NaN", "NULL"),
    *("SUM", "sum", "AVERAGE", "==", "<>", "IS NULL", "id desc", "amount ASC", "tableName", "filters", "value"),
    *("", " ", "\0", "\ud800", "\udcff", "\u202e", "\u200b", "'", '"', ";", "--", "../", "x" * 200, "%" * 90, "²", "١"),
]
numbers: st.SearchStrategy[Any] = st.one_of(
    st.integers(),
    st.sampled_from([2**63, -(2**63) - 1, 10**30, 10**400, -(10**4000), 1735689600, 1735689600000, 20250131, 2025]),
    st.floats(),
    st.decimals(),
    st.sampled_from(
        [Decimal(text) for text in ("1e30000", "-1e30000", "1e-30000", "sNaN", "-0", "1e17", "1e18", "0.1")]
    ),
)
texts = st.one_of(
    st.sampled_from(STRINGS), st.text(max_size=12), st.text(st.characters(categories=["Cs", "Cc", "Cf"]), max_size=3)
)
scalars: st.SearchStrategy[Any] = st.one_of(st.none(), st.booleans(), numbers, texts)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
operators = st.sampled_from(OPERATORS)


def mostly(likely: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What is likely, and sometimes anything."""
    return st.integers(0, 5).flatmap(lambda die: anything if die == 0 else likely)


def any_arguments(tables: st.SearchStrategy[str], fields: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Arguments that come close to a call, with anything in every place."""
    names = mostly(fields)
    filters = st.fixed_dictionaries(
        {"field": names, "op": mostly(operators)},
        optional={"value": st.one_of(anything, st.lists(scalars, max_size=3))},
    )
    orders = st.one_of(
        names, st.fixed_dictionaries({"field": names}, optional={"direction": mostly(st.sampled_from(["ASC", "desc"]))})
    )
    likely = st.fixed_dictionaries(
        {"tableName": mostly(tables)},
        optional={
            "fields": mostly(st.lists(names, max_size=3)),
            "filters": mostly(st.lists(mostly(filters), max_size=3)),
            "orderBy": mostly(st.lists(orders, max_size=2)),
            "limit": mostly(st.integers(1, 300)),
            "aggregate": mostly(st.sampled_from(AGGREGATES)),
            "field": names,
            "groupBy": mostly(st.lists(names, max_size=2)),
        },
    )
    return mostly(likely)


class Stored:
    """What is known of the values of some fields."""

    def __init__(self, **values: tuple[str, ...]) -> None:
        self.values = {name: frozenset(some) for name, some in values.items()}

    def of(self, entity: str, name: str) -> frozenset[str] | None:
        return self.values.get(name) if entity else None

    def finds(self, _condition: str) -> bool | None:
        return None

    def is_one_value(self, entity: str, name: str) -> bool:
        return len(self.of(entity, name) or ()) == 1


def fitting(tool: str, arguments: Any) -> Any:
    """Only the arguments that the tool takes."""
    if not isinstance(arguments, dict) or tool not in ARGUMENTS:
        return arguments
    return {key: value for key, value in arguments.items() if key in ARGUMENTS[tool]}


def assert_a_verdict(tool: str, arguments: Any, catalog: Catalog, profile: Values) -> None:
    verdict = validate(tool, arguments, catalog, profile)
    if isinstance(verdict, Call):
        event("accepted")
        assert verdict.table in catalog.entities
        assert set(verdict.named_fields) <= set(catalog.entities[verdict.table].fields)
        return
    event(f"refused: {verdict.code}")
    assert 0 < len(verdict.hint) <= HINT_LENGTH
    assert verdict.field is None or len(verdict.field) <= 80
    sent = verdict.model_dump_json()
    sent.encode("utf-8")
    assert json.loads(sent)["code"] == verdict.code
    assert QueryValidationError.model_validate_json(sent) == verdict
    assert ToolResult.model_validate_json(ToolResult.refused(verdict).model_dump_json()).error_details == verdict


# --- the validator never raises


@quick
@given(
    tool=st.sampled_from(TOOLS) | texts,
    arguments=any_arguments(st.just("Sale"), st.sampled_from(FIELDS)),
    trim=st.booleans(),
    profiled=st.booleans(),
)
@example(
    tool="aggregateTable", arguments={"tableName": "Sale", "aggregate": "SUM", "field": ""}, trim=False, profiled=False
)
@example(tool="queryTable", arguments={"tableName": "Sale", "limit": Decimal("1e30000")}, trim=False, profiled=False)
@example(tool="", arguments=None, trim=False, profiled=False)
def test_the_validator_gives_a_verdict_on_any_arguments(
    shops: dict[str, TableTools], tool: str, arguments: Any, trim: bool, profiled: bool
) -> None:
    profile = Stored(region=("Nord", "Süd"), note=("first", "", "100%")) if profiled else Stored()
    assert_a_verdict(tool, fitting(tool, arguments) if trim else arguments, shops["duckdb"].catalog, profile)


@settings(quick, max_examples=250)
@given(data=st.data(), tool=st.sampled_from(TOOLS))
def test_the_validator_gives_a_verdict_with_an_ontology_too(
    trustee: TableTools, data: st.DataObject, tool: str
) -> None:
    catalog = trustee.catalog
    table = data.draw(st.sampled_from(sorted(catalog.entities)))
    fields = st.sampled_from(sorted(catalog.entities[table].fields))
    arguments = data.draw(any_arguments(st.just(table), fields))
    assert_a_verdict(tool, fitting(tool, arguments), catalog, Stored())


@settings(quick, max_examples=150)
@given(tool=st.sampled_from(TOOLS) | texts, arguments=anything, engine=st.sampled_from(ENGINES))
def test_no_call_of_the_tools_raises(shops: dict[str, TableTools], tool: str, arguments: Any, engine: str) -> None:
    result = shops[engine].call_sync(tool, arguments)
    assert (result.table is not None) is result.success
    assert (result.error_details is None) is result.success
    result.model_dump_json().encode("utf-8")


# --- what is accepted runs, and means the same everywhere


def of_column(number: int) -> st.SearchStrategy[Any]:
    return st.sampled_from([row[number] for row in MINE if row[number] is not None])


days = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(str)
moments = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(lambda at: at.isoformat())
cents = st.decimals(min_value=-1000, max_value=1000, places=3)
RIGHT: dict[str, st.SearchStrategy[Any]] = {
    "id": st.integers(-(2**63), 2**63 - 1) | of_column(0),
    "region": of_column(2)
    | st.sampled_from(["N%", "%", "_ord", "S_d", "nord", "\\", "%\\%", "Nord "])
    | st.text(max_size=4),
    "note": of_column(3) | st.sampled_from(["%'%", "%", "f%t", "100_", "%;%", "É"]) | st.text(max_size=4),
    "amount": of_column(4) | cents | st.integers(-(10**15), 10**15) | cents.map(float),
    "weight": of_column(5) | st.floats(-1e15, 1e15) | st.integers(-(10**15), 10**15),
    "soldOn": of_column(6) | days,
    "soldAt": of_column(7) | moments | days,
    "paid": st.booleans(),
    "pieces": of_column(9) | st.integers(-(2**40), 2**40) | st.integers(-10, 10).map(Decimal),
}


@st.composite
def conditions(draw: st.DrawFn) -> dict[str, Any]:
    field = draw(st.sampled_from(FIELDS))
    right = RIGHT[field] if draw(st.integers(0, 9)) else RIGHT[draw(st.sampled_from(FIELDS))]
    op = draw(operators)
    if op in ("IS_NULL", "IS_NOT_NULL"):
        return {"field": field, "op": op}
    if op == "IN":
        return {"field": field, "op": op, "value": draw(st.lists(right, min_size=1, max_size=4))}
    if op == "BETWEEN":
        pair = draw(st.tuples(right, right))
        in_order = type(pair[0]) is type(pair[1]) and not isinstance(pair[0], dict)
        return {"field": field, "op": op, "value": sorted(pair) if in_order else list(pair)}
    return {"field": field, "op": op, "value": draw(right)}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    tool = draw(st.sampled_from(["queryTable", "aggregateTable"]))
    call: dict[str, Any] = {"tableName": "Sale", "filters": draw(st.lists(conditions(), max_size=2))}
    names = st.sampled_from(FIELDS)
    if tool == "queryTable":
        call["fields"] = draw(st.lists(names, max_size=4))
        call["orderBy"] = draw(st.lists(names.map(lambda name: {"field": name, "direction": "DESC"}), max_size=2))
    else:
        call["aggregate"] = draw(st.sampled_from(AGGREGATES))
        call["field"] = draw(names | st.none())
        call["groupBy"] = draw(st.lists(names, max_size=2))
    if draw(st.integers(0, 3)) == 0:
        call["limit"] = draw(st.integers(1, 6))
    return tool, call


def cell(value: Any) -> Any:
    """A value as it must be the same everywhere: its kind counts, and of floats what rounding leaves."""
    if isinstance(value, float):
        return ("float", 0.0 if value == 0 else float(f"{value:.9g}"))
    return (type(value).__name__, str(value))


def bag(result: ToolResult) -> Counter[tuple[Any, ...]]:
    assert result.table is not None, result.error
    return Counter(tuple((name, cell(value)) for name, value in row.items()) for row in result.table.rows)


@slow
@given(call=calls())
@example(call=("queryTable", {"tableName": "Sale", "filters": [{"field": "note", "op": "LIKE", "value": "%\\%"}]}))
@example(call=("aggregateTable", {"tableName": "Sale", "aggregate": "AVG", "field": "weight", "groupBy": ["paid"]}))
@example(call=("queryTable", {"tableName": "Sale", "filters": [{"field": "id", "op": "<", "value": 2**63 - 1}]}))
def test_an_accepted_call_runs_on_every_engine_and_returns_the_same_rows(
    shops: dict[str, TableTools], call: tuple[str, dict[str, Any]]
) -> None:
    tool, arguments = call
    results = {engine: tools.call_sync(tool, arguments) for engine, tools in shops.items()}
    first = results["duckdb"]
    event(
        "accepted" if first.success else f"refused: {first.error_details.code if first.error_details else first.error}"
    )
    for engine, result in results.items():
        assert result.error_details == first.error_details, engine
        assert result.success or result.error_details is not None or "stopped after" in (result.error or ""), (
            result.error
        )
    if not first.success:
        return
    assert first.table is not None
    for engine, result in results.items():
        assert result.table is not None, (engine, result.error)
        assert result.table.columns == first.table.columns, engine
        assert (result.table.row_count, result.table.truncated) == (first.table.row_count, first.table.truncated), (
            engine
        )
        if not first.table.truncated:
            assert bag(result) == bag(first), engine


@pytest.mark.parametrize("op", [op for op in OPERATORS if not op.startswith("IS_")])
def test_a_verdict_does_not_depend_on_the_calls_before_it(shops: dict[str, TableTools], op: str) -> None:
    """What is known of a column's values is looked up when a check needs it, never just used when it is there."""
    for field, text in (("note", "100%"), ("note", "10%"), ("region", "Nord"), ("region", "Nor*"), ("note", "")):
        value = [text, text] if op in ("IN", "BETWEEN") else text
        call = {"tableName": "Sale", "filters": [{"field": field, "op": op, "value": value}]}
        tools = TableTools(shops["duckdb"].source, scope=Scope({"tenant": "t-1"}))
        first = tools.call_sync("queryTable", call)
        for name in ("note", "region"):
            tools.call_sync("queryTable", {"tableName": "Sale", "filters": [{"field": name, "op": "=", "value": "x"}]})
        second = tools.call_sync("queryTable", call)
        assert (first.success, first.error_details) == (second.success, second.error_details), (field, text)


# --- tenants stay apart


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, TableTools]]:
    """The shop as if its first tenant were the only one."""
    folder = tmp_path_factory.mktemp("alone")
    tools = {}
    for engine in ("duckdb", "sqlite"):
        spec = str(folder / f"alone.{engine}")
        load(engine, spec, SHOP, "Sale", MINE)
        tools[engine] = TableTools(open_source(spec), scope=Scope({"tenant": "t-1"}))
    yield tools
    for one in tools.values():
        one.close()


@slow
@given(call=calls(), engine=st.sampled_from(["duckdb", "sqlite"]))
@example(call=("aggregateTable", {"tableName": "Sale", "aggregate": "MAX", "field": "amount"}), engine="duckdb")
@example(
    call=("queryTable", {"tableName": "Sale", "filters": [{"field": "region", "op": "=", "value": "Gehei"}]}),
    engine="sqlite",
)
def test_another_tenant_changes_nothing_in_any_answer(
    shops: dict[str, TableTools], alone: dict[str, TableTools], call: tuple[str, dict[str, Any]], engine: str
) -> None:
    tool, arguments = call
    shared, own = shops[engine].call_sync(tool, arguments), alone[engine].call_sync(tool, arguments)
    assert (shared.success, shared.error, shared.error_details) == (own.success, own.error, own.error_details)
    if not own.success:
        return
    assert shared.table is not None
    assert own.table is not None
    assert (shared.table.columns, shared.table.row_count, shared.table.truncated) == (
        own.table.columns,
        own.table.row_count,
        own.table.truncated,
    )
    if not own.table.truncated:
        assert bag(shared) == bag(own)


SECRETS = {"Geheim", "other tenant", "t-2", Decimal("999.99"), 9.9}


@slow
@given(
    tool=st.sampled_from(TOOLS),
    arguments=any_arguments(st.just("Sale"), st.sampled_from(FIELDS)),
    engine=st.sampled_from(ENGINES),
)
def test_no_arguments_bring_up_what_another_tenant_stores(
    shops: dict[str, TableTools], tool: str, arguments: Any, engine: str
) -> None:
    result = shops[engine].call_sync(tool, fitting(tool, arguments))
    event("accepted" if result.success else "refused")
    if result.table is not None:
        assert all("tenant" not in row for row in result.table.rows)
        assert not any(
            isinstance(value, str | Decimal | float) and value in SECRETS
            for row in result.table.rows
            for value in row.values()
        )
        assert not any(isinstance(v, float) and not math.isfinite(v) for row in result.table.rows for v in row.values())
    elif result.error_details is not None:
        assert result.error_details.suggestion not in SECRETS


plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@settings(slow, max_examples=60)
@given(
    scope=st.sampled_from(["t-1", "t-2", "T-1", "t-1 ", "", "' OR '1'='1", "t-%", "\u200bt-1"]) | plain,
    engine=st.sampled_from(ENGINES),
)
def test_a_scope_shows_its_own_rows_and_no_others(shops: dict[str, TableTools], scope: str, engine: str) -> None:
    tools = TableTools(shops[engine].source, scope=Scope({"tenant": scope}))
    result = tools.call_sync("aggregateTable", {"tableName": "Sale", "aggregate": "COUNT"})
    assert result.table is not None, result.error
    assert result.table.rows[0]["count"] == sum(row[1] == scope for row in SALES)
