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
    "Second Winter is the only film that did not earn its budget back.",  # two columns, said by a verb
    "5B is the only class that does better in math than in reading.",  # two columns of each row, and only
    "Der Vertrag ist gekündigt.",  # a state without a word for its column
    "四家酒店中有三家是五星级。",  # five as a part of a word
    "Three of the five trains are on time.",  # no delay, said otherwise
    "Bekannt ist eine Allergie gegen Aspirin.",  # one noun in the place of another
}
STOPPED_THOUGH_TRUE = {
    "Über ein Jahr gerechnet sind das 1548 Franken an monatlichen Kosten.",  # twelve times a cell, which nobody declares
    "us-east served 61.5 TB in October 2025.",  # the unit is a value beside the rows
}
ROWS = [{"region": "North", "revenue": 152000}, {"region": "South", "revenue": 98000}]


@pytest.mark.parametrize("name", ["fourth", "fifth", "sixth", "seventh", "eighth"])
def test_true_statements_pass_and_made_up_ones_do_not(name: str) -> None:
    given = yaml.safe_load((SETS / f"{name}.yaml").read_text(encoding="utf-8"))
    results = given["evidence"]
    stopped = {true for _, _, on, true, _ in given["pairs"] if ground(true, [results[on]]).verdict == "block"}
    missed = {made_up for _, _, on, _, made_up in given["pairs"] if ground(made_up, [results[on]]).verdict == "pass"}
    assert stopped <= STOPPED_THOUGH_TRUE
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


COSTS = [
    {"service": "compute", "cost": {"july": 120, "august": 150, "september": 140}, "budget": 130},
    {"service": "storage", "cost": {"july": 60, "august": 55, "september": 50}, "budget": 80},
]
STAFF = [
    {"name": "Anna", "goals": 12, "assists": 1, "sex": "F", "joined": "2019-07-18"},
    {"name": "Ben", "goals": 9, "assists": 0, "sex": "M", "joined": "2021-03-02"},
    {"name": "Cleo", "goals": 12, "assists": 4, "sex": "F", "joined": "2020-11-30"},
]


@pytest.mark.parametrize(
    ("results", "true", "made_up"),
    [
        (COSTS, "Compute fell by 10 from August to September.", "Compute fell by 10 from July to September."),
        (COSTS, "Storage has fallen every month since July.", "Compute has fallen every month since July."),
        (COSTS, "In September, compute exceeded its budget.", "In September, storage exceeded its budget."),
        (COSTS, "In July, compute was 10 below its budget.", "In August, compute was 10 below its budget."),
        (COSTS, "The two services cost 190 in September.", "The two services cost 180 in September."),
        (STAFF, "Anna and Cleo scored 12 goals each.", "Anna and Ben scored 12 goals each."),
        (STAFF, "Anna is a woman.", "Ben is a woman."),
        (STAFF, "Anna joined on July 18.", "Ben joined on July 18."),
        (STAFF, "Two of the three players scored 12 goals.", "Two of the four players scored 12 goals."),
    ],
)
def test_two_columns_or_two_times_of_one_row(results: list[dict[str, object]], true: str, made_up: str) -> None:
    assert ground(true, [results]).verdict == "pass"
    assert ground(made_up, [results]).verdict == "block"


@pytest.mark.parametrize(
    "answer",
    [
        "Compute may cost less.",  # a month that is a word
        "Over the last weeks nothing else was reported.",  # no bound, and no column behind over
        "Compute is over.",
    ],
)
def test_words_that_only_look_like_a_comparison_say_nothing(answer: str) -> None:
    assert ground(answer, [COSTS]).support != "contradicted"


def test_figures_that_are_all_of_another_row_are_not_corrected_one_by_one() -> None:
    rows = [
        {"store": "Zurich", "sqm": 820, "staff": 14, "desks": 31},
        {"store": "Basel", "sqm": 570, "staff": 9, "desks": 22},
        {"store": "Bern", "sqm": 430, "staff": 6, "desks": 17},
    ]
    swapped = ground("Basel has 820 sqm, 14 staff and 31 desks.", [rows])
    assert swapped.verdict == "block"
    assert not any("570" in one.message for one in swapped.findings)
    single = ground("Basel has 820 sqm.", [rows])
    assert "570" in single.findings[0].message
