"""Statements over tables that nobody described: what is true passes, what is made up does not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from veracity import ground

SETS = Path(__file__).parents[1] / "benchmarks" / "guard_sets"
NOT_CAUGHT = {
    "Den dichtesten Takt bietet die Linie 12: alle 10 Minuten fährt ein Bus.",  # an adjective that it does not know
    "Aurora sails from Hamburg.",  # a place without a word for its column: marked
    "Roughly a half of the voters go by car.",  # the value is Car, and car is any word
}
ROWS = [{"region": "North", "revenue": 152000}, {"region": "South", "revenue": 98000}]


@pytest.mark.parametrize("name", ["fourth", "fifth"])
def test_true_statements_pass_and_made_up_ones_do_not(name: str) -> None:
    given = yaml.safe_load((SETS / f"{name}.yaml").read_text(encoding="utf-8"))
    results = given["evidence"]
    stopped = [true for _, _, on, true, _ in given["pairs"] if ground(true, [results[on]]).verdict == "block"]
    missed = {made_up for _, _, on, _, made_up in given["pairs"] if ground(made_up, [results[on]]).verdict == "pass"}
    assert stopped == []
    assert missed <= NOT_CAUGHT


@pytest.mark.parametrize(
    "answer",
    [
        "North had revenue of 152,000 thanks to the hot summer.",
        "North hatte dank des heissen Sommers einen Umsatz von 152'000.",
        "由于天气炎热，North的收入为152,000。",
        "North had revenue of 152,000 and will grow.",
    ],
)
def test_a_cause_or_a_forecast_is_marked_and_blocked_where_strict(answer: str) -> None:
    marked, strict = ground(answer, [ROWS]), ground(answer, [ROWS], strict=True)
    assert (marked.verdict, marked.support) == ("pass", "not_checkable")
    assert (strict.verdict, strict.findings[0].rule) == ("block", "not_checkable")
