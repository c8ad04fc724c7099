"""Plain sentences over results that nobody described: single rows, groups of rows, whole years."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from veracity import ground

CASES = Path(__file__).parent / "cases" / "guard" / "plain_statements.yaml"
EVIDENCE = Path(__file__).parents[1] / "benchmarks" / "guard_sets" / "fiftysecond.yaml"
NUMBERS = [{"region": "Nord", "amount": 30.30}, {"region": "Süd", "amount": 50}]
PARCELS = [
    {"van": "V-1", "depot": "Leeds", "parcels": 862, "km": 1240, "avg_speed": 41},
    {"van": "V-2", "depot": "Leeds", "parcels": 1015, "km": 980, "avg_speed": 38},
    {"van": "V-3", "depot": "Hull", "parcels": 734, "km": 1575, "avg_speed": 55},
    {"van": "V-4", "depot": "York", "parcels": 901, "km": 1130, "avg_speed": 61},
    {"van": "V-5", "depot": "York", "parcels": 947, "km": 865, "avg_speed": 44},
]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(read(CASES)))
def test_plain_sentences_are_supported_if_true_and_blocked_if_made_up(name: str) -> None:
    results, cases = read(EVIDENCE)["evidence"][name], read(CASES)[name]
    assert [text for text in cases.get("supported", ()) if ground(text, [results]).support != "supported"] == []
    assert [text for text in cases.get("blocked", ()) if ground(text, [results]).verdict != "block"] == []
    for text in (*cases.get("marked_though_true", ()), *cases.get("marked_though_made_up", ())):
        assert ground(text, [results]).support == "not_checkable", text


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("Nord has 30.30.", "supported"),
        ("Nord has 31.70.", "contradicted"),
        ("Leeds delivered the most parcels, 1,877.", "supported"),
        ("York delivered the most parcels, 1,848.", "contradicted"),
        ("York delivered 1,114 more parcels than Hull.", "supported"),
        ("Leeds has the highest average speed.", "not_checkable"),  # averages are not added up
        ("V-1 is the van of Leeds with the most parcels.", "contradicted"),
    ],
)
def test_a_sentence_about_a_group_is_read_over_its_rows_together(text: str, support: str) -> None:
    results = NUMBERS if "Nord" in text else PARCELS
    assert ground(text, [results]).support == support


def test_a_year_is_the_sum_of_its_quarters() -> None:
    shops = "shop,q1_sales,q2_sales,q3_sales,q4_sales\nBern,10,12,15,20\nThun,11,11,12,13\nChur,30,2,3,4"
    assert ground("Over the whole year Bern had the highest sales, 57.", [shops]).support == "supported"
    assert ground("Over the whole year Chur had the highest sales, 39.", [shops]).support == "contradicted"


def test_what_is_blocked_is_called_contradicted() -> None:
    verdict = ground("Nord has 31.70.", [NUMBERS])
    assert (verdict.verdict, verdict.sentences[0].support) == ("block", "contradicted")
