"""What was understood is read back in one sentence: every part of the query, and no two queries alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from each_case import each
from semantic_world import world_model
from veracity.language.locale import LANGUAGES
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.wording.phrases import home_of
from veracity.semantic.wording.read_back import read_back, sentence


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SemanticModel:
    """A model to word queries of."""
    return world_model(Path(tmp_path_factory.mktemp("world")))


def said(query: dict[str, Any], world: SemanticModel, lang: str = "en") -> str:
    return sentence(read_back(SemanticQuery.model_validate(query), world, lang))


REVENUE_FIRST = [{"by": "revenue", "descending": True}]
LARGEST_STATE = {"of": "State", "order": [{"by": "State.area", "descending": True}], "limit": 1}
AUSTIN = {"of": "City", "where": {"field": "City.name", "value": "Austin"}, "show": ["City.population"]}
SENTENCES: list[tuple[dict[str, Any], str, str]] = [
    (AUSTIN, "en", "Cities named Austin; population"),
    (AUSTIN, "de", "Stadt namens Austin; Bevölkerung"),
    (AUSTIN, "zh", "城市，名为Austin；人口"),
    ({"show": ["revenue"], "by": ["Customer.country"], "period": 2023}, "en", "Revenue by country, 2023"),
    ({"show": ["revenue"], "by": ["Customer.country"], "period": 2023}, "de", "Umsatz nach Land, 2023"),
    (
        {"show": [{"aggregate": "count", "of": "Customer"}], "where": {"field": "Customer.country", "value": "Germany"}},
        "en",
        "Number of customers, country Germany",
    ),
    ({"of": "Customer", "order": REVENUE_FIRST, "limit": 5}, "en", "The 5 customers with the highest revenue"),
    ({"of": "Customer", "order": REVENUE_FIRST, "limit": 5}, "de", "Die 5 Kunden mit den höchsten Werten für Umsatz"),
    ({"of": "Customer", "order": REVENUE_FIRST, "limit": 5}, "zh", "收入最高的5个客户"),
    (
        {"of": "State", "where": {"via": ["borders"], "related": LARGEST_STATE}},
        "en",
        "States that border the state with the highest area",
    ),
    ({"of": "Customer", "where": {"not": {"related": {"of": "Invoice"}}}}, "en", "Customers without invoices"),
    (
        {"of": "Customer", "where": {"related": {"of": "Invoice"}, "count": {"op": ">=", "value": 3}}},
        "de",
        "Kunden, mit mindestens 3 Rechnungen",
    ),
    (
        {"show": ["revenue"], "by": [{"field": "Invoice.day", "grain": "month"}], "period": "2024-Q1"},
        "de",
        "Umsatz nach Monat, 1. Quartal 2024",
    ),
    (
        {"of": "Customer", "show": [{"field": "Employee.name", "via": ["rep"]}]},
        "en",
        "Customers; name (support rep)",
    ),
    (
        {"of": "City", "order": [{"by": "City.population", "descending": True}], "limit": 1, "per": ["State"]},
        "en",
        "The city with the highest population, for each state",
    ),
    (
        {"show": ["revenue"], "period": 2023, "compare": {"period": 2022}},
        "en",
        "Revenue, 2023; compared with 2022",
    ),
    (
        {"of": "State", "where": {"field": "State.founded", "op": "<", "value": 1850}},
        "en",
        "States, founding year below 1850",
    ),
    (
        {"of": "City", "where": {"field": "City.population", "op": ">", "value": 1000000}},
        "de",
        "Stadt, Bevölkerung über 1'000'000",
    ),
]  # fmt: skip


@each(("query", "lang", "expected"), SENTENCES)
def test_a_query_is_read_back_in_words(world: SemanticModel, query: dict[str, Any], lang: str, expected: str) -> None:
    assert said(query, world, lang) == expected


def test_texts_that_could_be_mistaken_for_words_are_quoted(world: SemanticModel) -> None:
    query = {"of": "City", "where": {"field": "City.name", "value": "Austin; population"}}
    assert said(query, world) == "Cities named “Austin; population”"
    assert said(query, world, "de") == "Stadt namens «Austin; population»"


def test_a_number_and_a_text_of_digits_are_told_apart(world: SemanticModel) -> None:
    one, two = ({"of": "City", "where": {"field": "City.name", "op": "!=", "value": value}} for value in (5, "5"))
    assert said(one, world) != said(two, world)


def test_a_measure_called_like_an_aggregate_is_told_apart_from_it(world: SemanticModel) -> None:
    assert said({"show": ["averageAmount"]}, world) == "Average amount (averageAmount)"
    assert said({"show": [{"aggregate": "avg", "field": "Invoice.amount"}]}, world) == "Average amount"


def test_names_that_the_model_does_not_have_are_shown_as_written(world: SemanticModel) -> None:
    assert said({"show": ["profit"], "by": ["Planet.mass"]}, world) == "`profit` by `Planet.mass`"


def test_a_language_that_is_none_of_ours_is_english(world: SemanticModel) -> None:
    assert said(AUSTIN, world, "fr") == said(AUSTIN, world, "en")


# --- for all queries

FIELDS = ["City.name", "City.population", "State.name", "State.population", "State.founded", "Customer.name", "Customer.country", "Employee.name", "Invoice.amount"]  # fmt: skip
DATE_FIELDS = ["Invoice.day", "Invoice.due"]
VIA = [(), (), (), ("rep",), ("deputy",), ("nonsense",), ("rep", "boss")]
LITERALS = ["Austin", "austin", "Los Angeles", "A and B", "A”", "A””", "5", "yes", "Yes", "a\nb", "a\\nb", "2024-01-01", "", True, False, 0, 1, 5, 12345, 2024, 0.5, -3]  # fmt: skip
OPS = ["=", "!=", "<", "<=", ">", ">="]
DATES = ["2024-01-01", "2024-03-01", "2024-03-05", "2023-01-01"]
GRAINS = ["day", "week", "month", "quarter", "year"]
PERIODS: list[Any] = [
    "2023", "2024", "2024-Q1", "2024-01", "2024-01-01", {"from": "2024-01-01"}, {"to": "2024-01-01", "field": "Invoice.due"},
    {"from": "2023-01-01", "to": "2023-03-05"}, {"from": "2023-01-01", "to": "2023-03-05", "field": "Invoice.due"},
]  # fmt: skip


class Author:
    """Writes random queries."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.draw = draw

    def one(self, things: list[Any]) -> Any:
        return self.draw(st.sampled_from(things))

    def maybe(self) -> bool:
        return bool(self.draw(st.booleans()))

    def place(self) -> dict[str, Any]:
        return {"field": self.one(FIELDS), "via": self.one(VIA)}

    def comparison(self, depth: int) -> dict[str, Any]:
        kind = self.one(["plain", "in", "between", "missing", "dated", *(["query"] if depth else [])])
        if kind == "plain":
            return self.place() | {"op": self.one([*OPS, "like"]), "value": self.one(LITERALS)}
        if kind == "in":
            return self.place() | {"op": "in", "value": [self.one(LITERALS) for _ in range(self.one([1, 2, 3]))]}
        if kind == "between":
            return self.place() | {"op": "between", "value": [self.one(LITERALS), self.one(LITERALS)]}
        if kind == "missing":
            return self.place() | {"op": self.one(["missing", "notMissing"])}
        if kind == "dated":
            grain = {"grain": self.one(GRAINS)} if self.maybe() else {}
            return {"field": self.one(DATE_FIELDS), "op": self.one(OPS), "value": self.one(DATES)} | grain
        return self.place() | {"op": self.one(OPS), "value": self.query(depth - 1)}

    def condition(self, depth: int) -> dict[str, Any]:
        kind = self.one(
            ["comparison", "comparison", "segment", *(["related", "figure", "and", "or", "not"] if depth else [])]
        )
        if kind == "comparison":
            return self.comparison(depth)
        if kind == "segment":
            return {"segment": self.one(["active", "passive"]), "via": self.one(VIA)}
        if kind == "related":
            count = {"count": {"op": self.one(OPS), "value": self.one([0, 1, 2])}} if self.maybe() else {}
            return {"related": self.query(depth - 1), "via": self.one([*VIA, ("borders",)])} | count
        if kind == "figure":
            return {"show": self.figure(depth - 1), "op": self.one(OPS), "value": self.one([0, 1, 2])}
        if kind == "not":
            return {"not": self.condition(depth - 1)}
        return {kind: [self.condition(depth - 1) for _ in range(self.one([1, 2, 3]))]}

    def figure(self, depth: int) -> dict[str, Any]:
        kind = self.one(["measure", "count", "aggregate", *(["rows", "ratio"] if depth else [])])
        shown: dict[str, Any]
        if kind == "measure":
            shown = {"measure": self.one(["revenue", "averageAmount", "invoiceCount", "profit"])}
        elif kind == "count":
            shown = {"aggregate": "count", "of": self.one(["Customer", "City", "Invoice"])}
        elif kind == "aggregate":
            functions = ["sum", "avg", "min", "max", "median", "count", "countDistinct"]
            shown = {
                "aggregate": self.one(functions),
                "field": self.one([*FIELDS, "Invoice.day"]),
                "via": self.one(VIA),
            }
        elif kind == "rows":
            shown = {"aggregate": self.one(["sum", "avg", "min", "max", "median"]), "rows": self.query(depth - 1)}
        else:
            shown = {"ratio": [self.figure(depth - 1), self.figure(depth - 1)]}
        if self.maybe():
            shown["transform"] = self.one(["share", "runningTotal", "change", "changePercent", "rank"])
        if self.maybe():
            shown["unit"] = self.one(["km", "m"])
        if self.maybe():
            shown["where"] = self.comparison(0)
        return shown

    def dimension(self) -> dict[str, Any]:
        kind = self.one(["field", "entity", "date"])
        if kind == "field":
            return self.place()
        if kind == "entity":
            return {"entity": self.one(["Customer", "State"]), "via": self.one(VIA), "complete": self.maybe()}
        return {"field": self.one(DATE_FIELDS), "grain": self.one(GRAINS)}

    def dimensions(self) -> list[dict[str, Any]]:
        return [self.dimension() for _ in range(self.one([1, 2]))]

    def query(self, depth: int) -> dict[str, Any]:
        query: dict[str, Any] = {}
        kind = self.one(["list", "figures", "values"])
        if kind == "list":
            query = {
                "of": self.one(["City", "State", "Customer"]),
                "show": [self.place() for _ in range(self.one([0, 1, 2]))],
            }
        elif kind == "figures":
            query = {"show": [self.figure(depth) for _ in range(self.one([1, 2]))]}
            if self.maybe():
                query["of"] = "Employee"
            if self.maybe():
                query["period"] = "2025"
                query["compare"] = {"period": self.one(PERIODS)}
            elif self.maybe():
                query["compare"] = {"field": "Customer.country", "members": [self.one(LITERALS), self.one(LITERALS)]}
        if kind == "values" or (kind == "figures" and self.maybe()):
            query["by"] = self.dimensions()
            if self.maybe():
                query["having"] = self.condition(0)
        return query | self.rest(depth)

    def rest(self, depth: int) -> dict[str, Any]:
        rest: dict[str, Any] = {}
        if self.maybe():
            rest["where"] = self.condition(depth)
        if self.maybe():
            rest["period"] = self.one(PERIODS)
        if self.maybe():
            keys = [{"by": self.one([{"field": f} for f in FIELDS] + ["revenue"])} for _ in range(self.one([1, 1, 2]))]
            rest["order"] = [key | ({"descending": True} if self.maybe() else {}) for key in keys]
            if self.maybe():
                rest["limit"] = self.one([1, 2, 3])
                rest["skip"] = self.one([0, 0, 1, 2])
                rest["per"] = self.dimensions() if self.maybe() else []
        return rest


@st.composite
def queries(draw: Callable[[st.SearchStrategy[Any]], Any]) -> SemanticQuery:
    """Any query that the object allows."""
    return SemanticQuery.model_validate(Author(draw).query(draw(st.sampled_from([0, 1, 1, 2]))))


QUERIES = queries()


def _valid(query: Any) -> SemanticQuery | None:
    try:
        return SemanticQuery.model_validate(query)
    except ValidationError:
        return None


def meaning(query: SemanticQuery, world: SemanticModel) -> str:
    """The canonical text, with the entity that goes without saying."""

    def filled(node: Any) -> Any:
        if isinstance(node, list):
            return [filled(one) for one in node]
        if not isinstance(node, dict):
            return node
        node = {key: filled(value) for key, value in node.items()}
        if isinstance(node.get("show"), list) or isinstance(node.get("by"), list):
            node["of"] = home_of(SemanticQuery.model_validate(node), world)
        return node

    return json.dumps(filled(json.loads(query.canonical_json())), sort_keys=True)


SEEN: dict[tuple[str, str], str] = {}


@settings(max_examples=2000)
@given(query=QUERIES, lang=st.sampled_from(LANGUAGES))
def test_different_queries_never_sound_the_same(world: SemanticModel, query: SemanticQuery, lang: str) -> None:
    text = sentence(read_back(query, world, lang))
    assert SEEN.setdefault((lang, text), meaning(query, world)) == meaning(query, world)


@settings(max_examples=2000)
@given(query=QUERIES, lang=st.sampled_from(LANGUAGES), data=st.data())
def test_a_query_changed_in_one_place_sounds_different(
    world: SemanticModel, query: SemanticQuery, lang: str, data: st.DataObject
) -> None:
    changed = data.draw(st.sampled_from(_changes(json.loads(query.canonical_json())) or [None]))
    other = _valid(changed) if changed is not None else None
    if other is not None and meaning(other, world) != meaning(query, world):
        one, two = (sentence(read_back(one, world, lang)) for one in (query, other))
        assert one != two


@given(query=QUERIES, lang=st.sampled_from(LANGUAGES))
def test_every_part_of_a_query_is_worded(world: SemanticModel, query: SemanticQuery, lang: str) -> None:
    pieces = read_back(query, world, lang)
    parts = {part.split("/")[1] for piece in pieces for part in piece.parts}
    assert set(json.loads(query.canonical_json())) <= parts
    assert all(piece.text.strip() for piece in pieces)


def _changes(node: Any) -> list[Any]:
    """The same with one thing left out or replaced."""
    if isinstance(node, dict):
        found = [
            {key: value for key, value in node.items() if key != gone} for gone in node if gone not in ("of", "field")
        ]
        return found + [node | {key: changed} for key in node for changed in _changes(node[key])]
    if isinstance(node, list):
        shorter = [node[:place] + node[place + 1 :] for place in range(len(node))]
        return shorter + [
            [*node[:place], changed, *node[place + 1 :]]
            for place in range(len(node))
            for changed in _changes(node[place])
        ]
    if isinstance(node, bool):
        return [not node]
    if isinstance(node, int):
        return [node + 1]
    if node in ("avg", "sum", "min", "max", "median"):
        return [name for name in ("avg", "sum", "min", "max", "median") if name != node]
    if node in ("<", "<=", ">", ">=", "=", "!="):
        return [op for op in ("<", "<=", ">", ">=", "=", "!=") if op != node]
    if node in ("month", "year", "quarter", "week", "day"):
        return [grain for grain in ("month", "year", "quarter", "week", "day") if grain != node]
    return [name for name in FIELDS if name != node] if node in FIELDS else []
