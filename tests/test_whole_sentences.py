"""A contradiction needs as much understanding as support: what else a sentence says must have been read, too."""

from __future__ import annotations

import pytest

from veracity import ground

SHELVES = "shelf,item,units,price_chf\nA-01,keyboards,120,49.00\nA-02,mice,150,19.50\nB-01,headsets,67,89.00"
TRAMS = "line,depot,stops,passengers\nRed,North,19,1318000\nBlue,West,26,2398200\nGreen,North,14,702900"
FRONTS = '[{"glacier": "Upper", "front_m": 2310, "change_2023": -35}, {"glacier": "Lower", "front_m": 2050, "change_2023": -22}]'
GAME = "player,points,rebounds,fg_pct\nKelly Olynyk,7,9,48\nAl Horford,12,5,51"
DESCRIBED = {
    "id": "r1",
    "columns": ["item", {"name": "units", "label": "Units", "synonyms": ["stock"]}, "price"],
    "key": "item",
    "rows": [["keyboards", 120, 49], ["mice", 150, 19]],
}


@pytest.mark.parametrize(
    ("results", "answer"),
    [
        (SHELVES, "Shelf A holds 270 units altogether: keyboards and mice."),  # a part of a code names the rows
        (FRONTS, "Upper had the worst retreat of the series: 35 metres."),  # a loss, said without its sign
        (FRONTS, "Lower was the exception, going from 19 to 22 metres."),  # of a column that no word says
        (TRAMS, "Around 40 % of those rides were made on the blue trams."),
    ],
)
def test_what_may_be_read_in_another_way_is_no_proof(results: str, answer: str) -> None:
    assert ground(answer, [results]).verdict == "pass"


@pytest.mark.parametrize(
    ("results", "answer"),
    [
        (SHELVES, "There are 87 headsets at a price of CHF 89."),  # 67 in its place would be supported
        (SHELVES, "On average, the items cost CHF 62.50."),  # so would the average
        (TRAMS, "Green has the most passengers, 2,398,200."),  # and so would another line
        (TRAMS, "Blue has 19 stops."),
        (TRAMS, "There are five lines."),
        (
            GAME,
            "Kelly Olynyk led the second unit with 10 points and nine rebounds.",
        ),  # these are no points of a percentage
    ],
)
def test_what_would_be_supported_with_what_the_data_says_is_contradicted(results: str, answer: str) -> None:
    assert ground(answer, [results]).verdict == "block"


def test_what_was_described_needs_no_other_proof() -> None:
    answer = "We hold 99 units of mice, as the warehouse crew reckoned after a long night."
    assert ground(answer, [DESCRIBED]).verdict == "block"


@pytest.mark.parametrize(
    "answer",
    [
        "Red serves 19 stops, and its drivers adore it.",  # nothing says so
        "The first line to be modernised is Red with 19 stops.",  # first by what?
        "Both of its depots are heated.",
        "Blue carried 2,398,200 passengers, yet fewer than Red.",
        "Lines with more than 20 stops are Blue and Green.",  # one of them has less
        "Blue is 26 stops longer than Red.",  # a cell in the place of a distance
    ],
)
def test_a_sentence_of_which_a_part_was_not_read_is_not_supported(answer: str) -> None:
    assert ground(answer, [TRAMS]).support != "supported"
