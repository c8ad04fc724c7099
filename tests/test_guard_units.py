"""Amounts are held in the scale and the unit that their column says, row by row where another column says it; limits are bounds."""

from __future__ import annotations

import pytest

from each_case import each
from veracity import ground
from veracity.grounding.binding.header_words import unit_of_header

LOANS = "borrower,outst_kchf\nImmo AG,6975\nFam. Gerber,581"
LIMITS = "ccy,limit_usd_m\nCNH,30\nMXN,12"
FUNDS = "fund,volume_eur_mrd\nAlpha,1.2\nBeta,0.4"
WATER = "site,Pb_ug_L,pH\nSchulhaus,6.8,7.1\nBerg,<0.2,7.9\nTal,0.5,8.0"
STORE = "item,qty,uom,price_chf\nOil,380,L,4.5\nGrease,96.5,KG,12.9\nBelt,35,M,80"
BLOOD = "analyte,value,unit\nGlucose,5.4,mmol/L\nHemoglobin,131,g/L"
REGIONS = "region,q1,q4\nEast,1280.5,1520.3\nSouth,985,1202.8"
BUILDS = "version,build_min\n4.3.1,26.2\n5.0.0,19.4\n5.1.0,20.5"
SITES = "city,target,enrolled\nGraz,16,11\nBern,12,8\nLyon,28,14"


@each(
    ("name", "word", "dimension"),
    [
        ("outst_kchf", "CHF", "CHF"),
        ("limit_usd_m", "usd", "USD"),
        ("Pb_ug_L", "ug/L", "concentration"),
        ("speed_km_h", "km/h", "speed"),
        ("flow_l_per_min", "l/min", "flow"),
        ("gross_kg", "kg", "mass"),
    ],
)
def test_a_header_says_its_unit_without_how_many_are_counted(name: str, word: str, dimension: str) -> None:
    found = unit_of_header(name)
    assert found is not None
    assert (found[0].casefold(), found[1].dimension) == (word.casefold(), dimension)


@pytest.mark.parametrize(
    ("results", "answer"),
    [
        (LOANS, "The outstanding balance of Immo AG is CHF 6,975,000."),
        (LOANS, "The outstanding balance of Immo AG is CHF 6.975 million."),
        (LOANS, "Immo AG: 6,975 thousand francs outstanding."),
        (LIMITS, "The limit for CNH is USD 30 million."),
        (FUNDS, "Alpha has a volume of EUR 1.2 billion."),
        (WATER, "Pb at Tal is 0.5 µg/L."),
        (WATER, "Pb at Berg is below 0.2 µg/L."),
        (WATER, "Pb at Berg is <0.2 µg/L."),
        (STORE, "We have 96.5 kg of grease."),
        (STORE, "Oil costs CHF 4.50 per litre."),
        (BLOOD, "Glucose is 5.4 mmol/L."),
        (REGIONS, "East went from 1,280.5 in Q1 to 1,520.3 in Q4, a rise of 18.7 %."),
        (BUILDS, "The build time fell from 26.2 minutes in 4.3.1 to 19.4 minutes in 5.0.0, or about 26 %."),
    ],
)
def test_what_is_said_in_the_unit_of_the_data_is_supported(results: str, answer: str) -> None:
    assert ground(answer, [results]).support == "supported"


@pytest.mark.parametrize(
    ("results", "answer"),
    [
        (LOANS, "The outstanding balance of Immo AG is 6,975 francs."),  # a thousandth
        (LIMITS, "The limit for CNH is 30 dollars."),
        (LIMITS, "The limit for CNH is $30 b."),
        (FUNDS, "Alpha has a volume of 1.2 million euros."),
        (WATER, "Pb at Schulhaus is 6.8 mg/L."),
        (WATER, "Pb at Berg is above 0.2 µg/L."),
        (WATER, "Pb at Berg is 0.5 µg/L."),
        (STORE, "We have 96.5 litres of grease."),
        (BLOOD, "Glucose is 5.4 mg/dL."),
        (REGIONS, "East went from 1,280.5 in Q1 to 1,520.3 in Q4, a rise of 15.8 %."),  # in percent of the later one
        (BUILDS, "The build time fell from 26.2 minutes in 4.3.1 to 19.4 minutes in 5.0.0, or about 35 %."),
        (SITES, "Lyon is still 14 short of its target, Graz and Bern each 5."),  # Bern lacks 4
    ],
)
def test_what_is_said_in_another_unit_or_of_another_base_is_not_supported(results: str, answer: str) -> None:
    assert ground(answer, [results]).support != "supported"


@pytest.mark.parametrize(
    "answer",
    [
        "Lowest Pb: 0.5 µg/L at Tal.",
        "Pb is lowest at Berg.",
        "Only Berg is below 0.4 µg/L.",
        "The Pb of all three sites is below 10 µg/L.",
    ],
)
def test_which_limit_is_lowest_is_only_marked(answer: str) -> None:
    assert ground(answer, [WATER]).support == "not_checkable"


@pytest.mark.parametrize(
    "answer",
    [
        "pH of Berg -> 3",
        "pH of Berg => 3",
        "> 3 is the pH of Berg.",
        "The pH of Berg is <b>3</b>.",
        "The pH of Berg <9>.",
    ],
)
def test_an_arrow_a_tag_and_a_quoted_line_are_no_bounds(answer: str) -> None:
    assert ground(answer, [WATER]).support != "supported"


@pytest.mark.parametrize(
    ("results", "answer"),
    [
        ("car,speed_km_h\nAlfa,120\nBeta,90", "Alfa's speed is 120 kilometres per hour."),
        ("car,speed_km_h\nAlfa,120\nBeta,90", "Alfa's speed is 120 km pro Stunde."),
        ("site,no3_mg_l\nAlfa,12\nBeta,9", "Alfa has no3 of 12 mg per litre."),
        ("item,width_m,price_usd\nBoard,5,30\nPlank,4,20", "Board, width 5 m $30."),
        ("flat,rent_chf_m\nRose,1200\nLily,900", "The rent of Rose is CHF 1,200."),
        ("room,beds\n101,3\n102,2\nA5,4", "Room 101 has 3 beds."),
        (LOANS, "Immo AG has CHF 6,394,000 more outstanding than Fam. Gerber."),
    ],
)
def test_units_in_words_months_and_mixed_columns_are_read_as_they_are_meant(results: str, answer: str) -> None:
    assert ground(answer, [results]).support == "supported"


def test_a_difference_in_the_scale_of_the_cells_is_no_amount_of_money() -> None:
    assert ground("Immo AG has CHF 6,394 more outstanding than Fam. Gerber.", [LOANS]).support == "not_checkable"
