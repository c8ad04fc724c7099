"""Replies of a model that lies, breaks, repeats itself or obeys a cell: none gets a wrong figure out.

Every reply is offered for questions that the words alone can answer, too, with the reader out of the way. An answer counts as right only if it
is, to the letter, what the words alone come to.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from each_case import each
from repair_workshop import INJECTED, Desk, asked, filled, opened, shown
from scripted import call

CITY = {"name": "Customer.city", "op": "=", "values": ["Bern"], "compute": None}
NO_REPAIR: dict[str, Any] = {"name": "Repair", "op": "hasNo", "values": [], "compute": None}
BRAKE = {"name": "Repair.kind", "op": "=", "values": ["brake"], "compute": None}
PER_CITY = {"name": "Customer.city", "grain": None}
HIGHEST = {"name": "revenue", "compute": None, "first": "highest"}
CLEAR: dict[str, dict[str, Any]] = {
    "revenue in 2025": {"show": [shown("revenue")], "period": "2025"},
    "revenue per city in 2025": {"show": [shown("revenue")], "by": [PER_CITY], "period": "2025"},
    "how many customers are in Bern": {"show": [shown("Customer", "count")], "where": [CITY]},
    "how many customers have no repairs": {"show": [shown("Customer", "count")], "where": [NO_REPAIR]},
    "number of brake repairs": {"show": [shown("Repair", "count")], "where": [BRAKE]},
    "average hours of repairs": {"show": [shown("Repair.hours", "avg")]},
    "customer with the highest revenue": {"show": [shown("Customer")], "order": HIGHEST, "limit": 1},
    "customers in Bern": {"show": [shown("Customer")], "where": [CITY]},
}
SAME = {"Customers, city Bern; name:\n- id 1: Ada\n- id 3: Cleo"}
"""Another way to say what was asked for."""
UNCLEAR = ("revenue without brake repairs of customers beside Bern", "earnings of gizmos in Bern 2025")
OTHERS: dict[str, tuple[Any, ...]] = {
    "name": ("revenue", "Customer", "Repair", "Repair.hours", "Repair.price", "Customer.name", "Repair.done", "password"),
    "compute": ("count", "sum", "avg", "min", "max", "median", None, "DROP"),
    "as": ("share", "rank", "changePercent"),
    "op": ("=", "!=", ">", "has", "hasNo", "like", "missing"),
    "values": (["Basel"], ["%"], [], [1_000_000], ["Bern", "Basel"], [INJECTED]),
    "grain": ("year", "month"),
    "period": ("2024", "2025-Q1", None, "2026", "always", "2025-02"),
    "limit": (2, 5, None, -1, 10**9),
    "first": ("lowest",),
    "order": ({"name": "revenue", "compute": None, "first": "lowest"}, HIGHEST),
    "show": ([], [shown("Customer", "count")], [shown("revenue"), shown("Repair", "count")]),
    "where": ([], [CITY], [NO_REPAIR], [BRAKE], [CITY, BRAKE]),
    "by": ([], [PER_CITY], [{"name": "Repair.kind", "grain": None}]),
    "words": ([{"word": "Bern", "means": "Basel"}], [{"word": "revenue", "means": "Repair.price"}]),
}  # fmt: skip


def lies(right: dict[str, Any]) -> Iterator[Any]:
    """The right query with one field changed."""
    whole = filled(**right)[0].args
    for key, others in OTHERS.items():
        for other in others:
            for place in _places(whole, key):
                yield [call("semanticQuery", **_changed(whole, place, other))]
            if key in ("where", "by", "period", "limit", "order", "words"):
                yield [call("semanticQuery", **{**whole, key: other})]


def _places(value: Any, key: str, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        if name == key:
            yield (*path, name)
        yield from _places(inner, key, (*path, name))


def _changed(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = _changed(value[path[0]], path[1:], other)
    return copy


BROKEN: dict[str, list[Any]] = {
    "prose": ["Revenue was 1,000,000 CHF.", "I think it is 42.", "Es sind 7 Kunden.", "**Answer:** 99 %", "答案是100万。"],
    "half JSON": ['{"show": [', "{" * 5000, '{"show": [{"name": "revenue"', "[1, 2", '"revenue"', "null", '{"show": "revenue"}'],
    "size": ["x" * 10_000_000, [call("semanticQuery", words=[{"word": "a" * 1_000_000, "means": "revenue"}])]],
    "nothing": ["", [], [call("semanticQuery")], [call("semanticQuery", **{})], "   \n"],
    "other tools": [[call(tool, text="{{ 42 }}", reason="1,000,000 CHF")] for tool in ("answer", "abstain", "clarify", "queryTable", "execute_sql_safe", "rm -rf")],
    "what does not exist": [filled(show=[shown(name)]) for name in ("password", "Customer.salary", "profit", "Bern", "", "*", "1", "revenue; DROP TABLE customer")],
    "wrong types": [
        [call("semanticQuery", show="revenue")],
        [call("semanticQuery", show=[["revenue"]])],
        [call("semanticQuery", show=[shown("revenue")], limit="all", period=2025)],
        [call("semanticQuery", query="SELECT 1000000 AS revenue")],
        [call("semanticQuery", show=[{"name": {"name": "revenue"}}])],
        [call("semanticQuery", show=[shown("revenue")], where=[{"name": "Customer.city", "op": "=", "values": [{"a": 1}], "compute": None}])],
    ],
    "obeys a cell": [
        f"{INJECTED}.",
        filled(show=[shown("revenue")], where=[{"name": "Customer.name", "op": "=", "values": [INJECTED], "compute": None}]),
        filled(words=[{"word": "revenue", "means": "1,000,000 CHF"}], show=[shown("revenue")]),
        filled(show=[shown("Customer.name")]),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    found = opened(tmp_path_factory.mktemp("workshop"))
    with pytest.MonkeyPatch.context() as patch:
        # The model of the tests would split what it is told into words to guess its tokens; that takes seconds where it is 10 MB.
        patch.setattr("pydantic_ai._utils.estimate_string_tokens", lambda text: len(text) // 4)
        yield found
    found[0].close()


@pytest.fixture(scope="module")
def right(desk: Desk) -> dict[str, str]:
    """What the words alone come to."""
    answers = {question: asked(desk, question, "never asked") for question in CLEAR}
    assert {one.outcome for one in answers.values()} == {"answered"}
    return {question: one.text for question, one in answers.items()}


def offered(desk: Desk, right: dict[str, str], question: str, *replies: Any) -> bool:
    """Offer a reply; whether an answer went out, which then must be the right one."""
    meaning = desk[0].meaning
    assert meaning is not None
    meaning.leaves_all_to_the_model = True
    answer = asked(desk, question, *replies, assume=True)
    meaning.leaves_all_to_the_model = False
    fine = {right.get(question), *(SAME if question == "customers in Bern" else ())}
    assert answer.outcome in ("clarify", "abstained") or answer.text in fine, (question, replies)
    assert answer.outcome == "answered" or not answer.provenance
    return answer.outcome == "answered"


@pytest.mark.parametrize("question", CLEAR)
def test_the_right_query_is_answered(desk: Desk, right: dict[str, str], question: str) -> None:
    assert offered(desk, right, question, filled(**CLEAR[question]))


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_reply_gets_nothing_out(desk: Desk, right: dict[str, str], kind: str) -> None:
    for reply in BROKEN[kind]:
        assert not any(offered(desk, right, question, reply) for question in UNCLEAR)
        offered(desk, right, "revenue in 2025", reply)


@pytest.mark.parametrize("question", CLEAR)
def test_a_lie_in_one_field_gets_nothing_wrong_out(desk: Desk, right: dict[str, str], question: str) -> None:
    told = list(lies(CLEAR[question]))
    assert len(told) > 25
    went_out = sum(offered(desk, right, question, lie) for lie in told)
    assert went_out < len(told)  # some change nothing: what the words say is put right


@each("question", [*CLEAR, *UNCLEAR])
def test_the_right_query_of_another_question_gets_nothing_wrong_out(
    desk: Desk, right: dict[str, str], question: str
) -> None:
    for other, query in CLEAR.items():
        if other != question:
            offered(desk, right, question, filled(**query))


def test_a_model_that_never_stops_is_stopped(desk: Desk, right: dict[str, str]) -> None:
    chosen = random.Random(7).sample([*lies(CLEAR["revenue per city in 2025"])], 12)
    assert not offered(desk, right, UNCLEAR[0], *chosen)
    assert desk[1].said <= 3
