"""Statements about a list of objects, as most tools return it: what holds passes, what does not is held back or marked."""

from __future__ import annotations

from each_case import each
from veracity import ground
from veracity.grounding.binding.foreign_results import foreign_results
from veracity.grounding.contracts import GroundRequest

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


FLATS = "no,town,lift,rent_chf\nW1,Burgdorf,no,1480\nW2,Burgdorf,no,1790\nW3,Burgdorf,no,1120\nW4,Thun,yes,1640\nW5,Thun,no,1290"
TASKS = "key,prio,state,est_h\nT1,high,done,40\nT2,high,open,24\nT3,low,open,12\nT4,low,open,28"
SHIPMENTS = "ref,consignee,origin,value_eur\nS1,Nordlicht AG,Taipei,128900\nS2,Nordlicht AG,Shenzhen,96400\nS3,Hofer AG,Osaka,210500"
PLANS = "customer,country,plan,mrr_usd\nRondo Freight,CA,Enterprise,2185\nAcme,US,Pro,490"
RATES = "borrower,rate_pct\nFam. Gerber,1.45\nFam. Zbinden,1.80"
CONCERTS = [
    {"nr": 1, "venue": "Hall A", "soloist": {"name": "Iris Maron"}, "sold": 842},
    {"nr": 2, "venue": "Hall B", "soloist": None, "sold": 611},
    {"nr": 3, "venue": "Hall C", "soloist": {"name": "Paul Ferency"}, "sold": 438},
]


def test_of_so_many_of_a_group_none_is_something() -> None:
    assert ground("None of the three flats in Burgdorf has a lift.", [FLATS]).support == "supported"
    assert ground("None of the two flats in Thun has a lift.", [FLATS]).verdict == "block"
    assert ground("None of the four flats in Burgdorf has a lift.", [FLATS]).support != "supported"


def test_of_which_rows_something_is_denied_is_not_what_is_denied() -> None:
    assert ground("None of the low-priority tasks is done.", [TASKS]).verdict == "pass"


def test_the_largest_of_what_belongs_to_someone_may_be_the_largest_of_all() -> None:
    assert ground("Nordlicht AG's shipment from Taipei has the highest value, 128,900 euros.", [SHIPMENTS]).support == (
        "not_checkable"
    )
    assert ground("Among those of Nordlicht AG, Taipei has the highest value.", [SHIPMENTS]).support == "supported"


def test_a_word_of_a_unit_names_no_row() -> None:
    assert ground("Rondo Freight pays 2,185 US dollars.", [PLANS]).verdict == "pass"


def test_a_shortened_word_in_a_name_ends_no_sentence() -> None:
    said = "Der Zinssatz von Fam. Gerber beträgt 1,45 Prozent, jener von Fam. Zbinden 1,80 Prozent."
    assert ground(said, [RATES]).support == "supported"


def test_objects_of_which_some_are_missing_make_no_column_of_nothing() -> None:
    given = GroundRequest.model_validate({"answer": "", "results": [CONCERTS]})
    (result,) = foreign_results(given.results).values()
    assert list(result.columns) == ["nr", "venue", "soloist.name", "sold"]
