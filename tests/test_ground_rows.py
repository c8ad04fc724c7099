"""Statements about a list of objects, as most tools return it: what holds passes, what does not is held back or marked."""

from __future__ import annotations

from each_case import each
from veracity import ground

PLAYERS = [
    {"player": "Ana Costa", "team": "Reds", "goals": 12, "minutes": 1430, "since": "2021-03-01"},
    {"player": "Bo Lind", "team": "Blues", "goals": 7, "minutes": 1610, "since": "2019-07-15"},
    {"player": "Cy Moreau", "team": "Reds", "goals": 7, "minutes": 900, "since": "2023-01-10"},
    {"player": "Di Park", "team": "Greens", "goals": 3, "minutes": 1200, "since": "2020-11-02"},
]
TRUE = (
    "Ana Costa scored 12 goals.", "Ana Costa leads with 12 goals.", "Bo Lind and Cy Moreau both have 7 goals.",
    "Together the four players scored 29 goals.", "Di Park has the fewest goals.", "Ana Costa scored 5 more goals than Bo Lind.",
    "Two players are with the Reds.", "Bo Lind has played since July 2019.", "Nobody scored more than 12 goals.",
    "Cy Moreau joined the Reds on 10 January 2023.", "Ana Costa spielt für die Reds und hat 12 Tore.", "All players have at least 3 goals.",
    "Bo Lind played 1,610 minutes, the most of all.", "On average a player scored 7.25 goals.", "Ana Costa has four times as many goals as Di Park.",
)  # fmt: skip
FALSE = (
    "Ana Costa scored 7 goals.", "Di Park leads with 3 goals.", "Bo Lind plays for the Reds.", "Together the four players scored 30 goals.",
    "Cy Moreau has the fewest goals.", "Ana Costa scored 6 more goals than Bo Lind.", "Three players are with the Reds.",
    "Bo Lind has played since July 2020.", "Nobody scored more than 10 goals.", "Cy Moreau joined the Blues on 10 January 2023.",
    "Ana Costa spielt für die Greens und hat 12 Tore.", "All players have at least 5 goals.", "Ana Costa played 1,610 minutes, the most of all.",
    "On average a player scored 8 goals.", "Ana Costa has three times as many goals as Di Park.", "Eva Stein scored 12 goals.",
    "Bo Lind scored 1,610 goals.", "Only Ana Costa plays for the Reds.", "Bo Lind scored more goals than Ana Costa.",
    "Ana Costa is second with 12 goals.", "Di Park scored 3 goals in 900 minutes.", "Goals per player rose to 12.",
)  # fmt: skip


@each("said", TRUE)
def test_what_holds_passes(said: str) -> None:
    assert ground(said, PLAYERS).verdict == "pass"


@each("said", FALSE)
def test_what_does_not_hold_is_held_back_or_marked(said: str) -> None:
    verdict = ground(said, PLAYERS)
    assert verdict.verdict == "block" or verdict.support == "not_checkable"
    assert ground(said, PLAYERS, strict=True).verdict == "block"


def test_strictly_a_sentence_that_nothing_bears_out_is_held_back() -> None:
    assert ground("Ana Costa scored 12 goals. The weather was fine.", PLAYERS).verdict == "pass"
    assert ground("Ana Costa scored 12 goals. The weather was fine.", PLAYERS, strict=True).verdict == "block"
    assert ground("Here they are:\n- Ana Costa: 12 goals", PLAYERS, strict=True).verdict == "pass"
