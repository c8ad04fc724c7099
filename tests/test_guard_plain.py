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


ORDERS = [
    {"customer": "Ada", "order": 1, "amount": 100, "currency": "CHF"},
    {"customer": "Ada", "order": 2, "amount": 50, "currency": "EUR"},
    {"customer": "Bo", "order": 3, "amount": 120, "currency": "CHF"},
    {"customer": "Bo", "order": 4, "amount": 10, "currency": "CHF"},
]
STOCKS = [
    {"shop": "Bern", "month": "2024-01", "stock": 100},
    {"shop": "Bern", "month": "2024-02", "stock": 90},
    {"shop": "Thun", "month": "2024-01", "stock": 120},
    {"shop": "Thun", "month": "2024-02", "stock": 60},
]


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("Ada has the highest amount, 150.", ORDERS),
        ("Ada spent 150 in total.", ORDERS),
        ("The total amount is 280.", ORDERS),
        ("Bern has the highest stock, 190.", STOCKS),
        ("Bern has more stock than Thun.", STOCKS),
        ("The total stock is 370.", STOCKS),
    ],
)
def test_amounts_in_several_currencies_and_stocks_of_several_months_are_not_added(
    text: str, results: list[dict[str, object]]
) -> None:
    assert ground(text, [results]).support != "supported"


CALLED_OTHERWISE = [
    {"invoice": "A-1", "issue_date": "2024-03-19", "due_date": "2024-04-18", "occ_pct": 71.2},
    {"invoice": "A-2", "issue_date": "2024-03-26", "due_date": "2024-04-25", "occ_pct": 64.0},
]
MONTHS = "Monat;Kosten_CHF\nOkt;3993\nNov;4690\nDez;5293"


@pytest.mark.parametrize(
    ("results", "true", "made_up"),
    [
        (CALLED_OTHERWISE, "A-1 was issued on 19 March 2024.", "A-1 was issued on 18 April 2024."),
        (CALLED_OTHERWISE, "The occupancy of A-1 was 71.2 %.", "The occupancy of A-1 was 74.2 %."),
        (MONTHS, "Costs were CHF 3,993 in October.", "Costs were CHF 3,993 in November."),
        (MONTHS, "12月的费用为5293瑞郎。", "12月的费用为4690瑞郎。"),
    ],
)
def test_columns_and_months_are_known_by_other_words(results: Any, true: str, made_up: str) -> None:
    assert ground(true, [results]).support == "supported"
    assert ground(made_up, [results]).verdict == "block"


def test_two_names_that_are_said_together_are_no_unknown_name() -> None:
    results = [{"customer": "Nordlicht Media", "days": 14}, {"customer": "Helio Kayak Sàrl", "days": 14}]
    assert ground("Für Nordlicht Media und Helio Kayak Sàrl gelten 14 Tage.", [results]).verdict == "pass"
    assert ground("Für Nordlicht Media und Alpen Kayak Sàrl gelten 14 Tage.", [results]).verdict == "block"


TICKETS = [
    {"ticket": "T-1", "team": "Billing", "status": "closed", "minutes": 40, "late": False, "mrr_usd": 100},
    {"ticket": "T-2", "team": "Billing", "status": "closed", "minutes": 16, "late": True, "mrr_usd": 200},
    {"ticket": "T-3", "team": "Billing", "status": "closed", "minutes": 25, "late": False, "mrr_usd": 300},
    {"ticket": "T-4", "team": "Platform", "status": "open", "minutes": 33, "late": True, "mrr_usd": 400},
    {"ticket": "T-5", "team": "Platform", "status": "closed", "minutes": 20, "late": True, "mrr_usd": 500},
]


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("All three Billing tickets are closed, and only one of them was late.", "supported"),
        ("All three Billing tickets are closed, and none of them was late.", "contradicted"),
        ("None of the Billing tickets is open.", "supported"),
        ("None of the Platform tickets is closed.", "contradicted"),
        ("All of the Platform tickets are closed.", "contradicted"),
        ("T-4 and T-5 are both late; the first is open, the second is closed.", "supported"),
        ("T-4 and T-5 are both late; the first is closed, the second is open.", "contradicted"),
        ("The longest ticket took 2.5 times as long as the shortest.", "supported"),
        ("T-1 took the longest, 40 minutes, followed by T-4 with 33 minutes.", "supported"),
        ("T-1 took the longest, 40 minutes, followed by T-3 with 25 minutes.", "contradicted"),
        ("T-2 pays $200 a month.", "supported"),
        ("T-2 pays $200 a year.", "contradicted"),
        ("None of the tickets met its target.", "not_checkable"),  # of which nothing is known
    ],
)
def test_what_is_said_of_some_rows_together_is_held_against_each(text: str, support: str) -> None:
    assert ground(text, [TICKETS]).support == support


@pytest.mark.parametrize("added", [" at a cost of CHF 9,999", " by 77 minutes"])
def test_a_figure_behind_so_many_of_them_is_not_taken_for_the_number(added: str) -> None:
    said = f"All three Billing tickets are closed, and only one of them was late{added}."
    assert ground(said, [TICKETS]).support != "supported"


def test_a_month_that_neither_a_result_nor_the_question_holds_is_marked() -> None:
    said = "In March there were 5 tickets."
    assert ground(said, [TICKETS]).support == "not_checkable"
    assert ground(said, [TICKETS], question="How many tickets were there in March?").support == "supported"


def test_a_total_in_another_unit_is_not_supported() -> None:
    loads = [{"carrier": "Lynx", "trip": 1, "weight_kg": 412}, {"carrier": "Lynx", "trip": 2, "weight_kg": 980}]
    assert ground("Together they weigh 1,392 kg.", [loads]).support == "supported"
    assert ground("Together they weigh 1,392 tonnes.", [loads]).support != "supported"


def test_a_share_is_of_the_total_that_is_said_with_it() -> None:
    stops = [
        {"machine": "Press", "minutes": 525, "cost": 9450},
        {"machine": "Laser", "minutes": 790, "cost": 11610},
    ]
    assert ground("The Press accounts for 40 % of the total of 1,315 minutes.", [stops]).support != "contradicted"
    assert ground("The Press accounts for 45 % of the total of 1,315 minutes.", [stops]).support != "supported"


def test_a_day_without_its_year_that_no_cell_holds_is_not_supported() -> None:
    leases = [{"car": "M-1", "lease_ends": "2025-10-31"}, {"car": "M-2", "lease_ends": "2025-12-31"}]
    assert ground("The lease of M-1 ends on 31 October.", [leases]).support == "supported"
    assert ground("The lease of M-1 ends on 31 August.", [leases]).support != "supported"


RUNS = [
    {"run": "r-1", "gpu": "H100", "status": "finished", "val_acc": 0.853, "free_from": "2025-01-02"},
    {"run": "r-2", "gpu": "H100", "status": "finished", "val_acc": 0.846, "free_from": None},
    {"run": "r-3", "gpu": "A100", "status": "free", "val_acc": 0.781, "free_from": None},
]


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("r-1 has the highest accuracy, 85.3 %.", "supported"),
        ("r-1 has the highest accuracy, 84.6 %.", "contradicted"),
        ("Only one run is free.", "supported"),
        ("Two runs are free.", "contradicted"),
    ],
)
def test_fractions_are_percentages_and_a_state_is_no_column_of_its_name(text: str, support: str) -> None:
    assert ground(text, [RUNS]).support == support


def test_from_one_month_to_another_are_the_months_between() -> None:
    visits = [{"month": f"2024-0{at}", "visitors": 100 * at, "tickets": 70 * at} for at in range(1, 8)]
    assert ground("From January to March 2024 there were 600 visitors in total.", [visits]).support != "contradicted"
    assert ground("2024年1月至3月累计参观600人次。", [visits]).support != "contradicted"


def test_what_is_worth_less_than_another_is_the_lesser_of_the_two_figures() -> None:
    loads = [{"load": "D-4", "kg": 1600, "price_eur": 8.4}, {"load": "D-5", "kg": 5100, "price_eur": 2.48}]
    assert ground("D-4 is worth €13,440, more than D-5 with €12,648.", [loads]).support != "contradicted"
    assert ground("D-4 is worth €13,440, less than D-5 with €12,648.", [loads]).support != "supported"


SHOPS = [
    {"shop": "Lake", "opened_on": "2018-06-01", "sales_eur_mtl": 306, "acid_mg_l": 9.5, "rent": 10, "ready": True},
    {"shop": "Hill", "opened_on": "2020-03-15", "sales_eur_mtl": 256, "acid_mg_l": 8.5, "rent": None, "ready": False},
    {"shop": "Gate", "opened_on": "2021-09-08", "sales_eur_mtl": 205, "acid_mg_l": 7.5, "rent": 30, "ready": True},
]


@pytest.mark.parametrize(
    ("true", "made_up"),
    [
        ("Lake is first by sales, followed by Hill.", "Lake is first by sales, followed by Gate."),
        ("Sales come to €767 a month.", "Sales come to €767 a year."),
        ("The average acid is 8.5 mg/l.", "The average acid is 8.5 g/l."),
        ("Two shops pay rent, 40 in total.", "All three shops pay rent, 40 in total."),
        ("Gate is third by sales, behind Lake and Hill.", "Hill is second by sales, behind Gate and Lake."),
    ],
)
def test_what_comes_next_or_every_month_or_in_another_unit_is_not_passed_unread(true: str, made_up: str) -> None:
    assert ground(true, [SHOPS]).verdict == "pass"
    assert ground(made_up, [SHOPS]).support != "supported"
