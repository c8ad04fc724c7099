"""Statements over tables that nobody described: what is true passes, what is made up does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from case_files import held
from each_case import each
from veracity import ground

SETS = Path(__file__).parents[1] / "benchmarks" / "guard_sets"
NOT_CAUGHT = {
    "Den dichtesten Takt bietet die Linie 12: alle 10 Minuten fährt ein Bus.",  # an adjective that it does not know
    "When it was picked up, the odometer showed 18,905 km.",  # the column is told by a clause of time
    "It renews automatically.",  # another form of the words of its column
}
ONLY_MARKED = {
    "Aurora sails from Hamburg.",  # a place without a word for its column
    # true in another reading of their words, over other rows or columns:
    "Auf der Linie 31 waren 95 % der Fahrten pünktlich, auf der Linie 21 waren es 84.7 %.",
    "Die Pünktlichkeit reicht von 88.1 % (Linie 31) bis 95 % (Linie 21).",
    "All four vessels are insured.",
    "Boreas accounts for about 40 % of the fuel.",
    "Nobody in the study is younger than 50.",
    "Als letztes wurden die Kartoffeln am 12.09.2025 geerntet.",
    "All five reservoirs held less water in June than in May.",
    "4月金属回收18.4吨，比5月多0.7吨。",
    "Am Waldrand wurden 2024 zusammen 41,5 kg geerntet, am Rebberg 44 kg.",
    "Each panel on the school hall has a peak of 0.6 kW.",
    "Bo Larkin's post drew roughly 98,000 views and 389 comments.",
    "Roughly a half of the voters go by car.",  # the value is Car, and car is any word
    "Three wards are on the second floor.",  # fewer than there are, and the floor is not read
    "The lift carries up to 9 persons or 1,000 kg and serves 13 stops.",  # its own cells, in each other's place
    "The best rated film is Second Winter with 8.0.",  # its own cell, without a word for the column
    "Second Winter is the only film that did not earn its budget back.",  # two columns, said by a verb
    "Der Vertrag ist gekündigt.",  # a state without a word for its column
    "四家酒店中有三家是五星级。",  # five as a part of a word
    "Three of the five trains are on time.",  # no delay, said otherwise
    "The team solved 232 tickets in week 42.",  # a sum of the column beside the one that is meant
    "Bekannt ist eine Allergie gegen Aspirin.",  # one noun in the place of another
    "L1 Bottling stood still for 95 hours.",  # minutes, in a column that does not say so
    "Skyline is the only studio that lost more members than it gained.",  # two columns, said by verbs
    "顺达平均26小时送达，比快马慢12小时。",  # the distance of two rows, in the other direction
    "葡萄的批发价几乎是香蕉的五倍。",  # the last signs of a name for the whole
    "Spring Songs sold 40 % fewer tickets than Carols by Candle.",  # the share in the place of the change
    "Academic English is the only course that is fully booked.",  # two columns, said by a verb
    "Die Wohnung am Bahnhofplatz 7 kostet fast viermal so viel wie die an der Gartenstrasse 22.",  # rent, said as what it costs
    "Die beiden polnischen Häfen verfügen über 34 Kräne.",  # an adjective of the country that the rows name
    # Words that nothing understands stand beside the figure, or it is another cell of the same row: no proof.
    "All organic estates sell below CHF 25.",
    "Die Linie 21 verlor 22'300 Fahrgäste, und die Linie 33 kam neu dazu.",
    "Chateau Bellerive makes 33,100 bottles.",
    "For lunch, most people (56 %) chose their own.",
    "Cardiology is full: all 42 beds are taken.",
    "May was the busiest month with 17,425 visitors.",
    "Beim Werkhof Süd sind 45 % der Arbeiten erledigt.",
    "Draussen sind es 2.4 °C.",
    "Das Gerät steht im Keller am Lindenweg 21.",
    "Gekündigt werden kann mit einer Frist von 6 Monaten.",
    "Er erhält dreimal täglich 500 mg Amoxicillin.",
    "Cortina alone holds about 70 % of the total capacity.",
    "She sits in 41C and may check in one bag of 23 kg.",
    "The four companies filed 5,251 patents in 2023.",
    "飞鸿每单15元，比捷运贵5.4元。",
    "The school hall delivered almost 69 % of the June output.",
    "Seventy percent of those who opened The quiet garden read it to the end (16,764 of 27,940).",
}
ONLY_MARKED |= set(
    yaml.safe_load((Path(__file__).parent / "cases" / "guard" / "marked_statements.yaml").read_text(encoding="utf-8"))
)
STOPPED_THOUGH_TRUE = {
    "Über ein Jahr gerechnet sind das 1548 Franken an monatlichen Kosten.",  # twelve times a cell, which nobody declares
    "us-east served 61.5 TB in October 2025.",  # the unit is a value beside the rows
    "Sixty percent of those who opened The quiet garden read it to the end (16,764 of 27,940).",  # verbs for two columns
    "Two posts came out in February, two in March 2025.",  # a year of one of two months
    "Die Wasserschäden nahmen um 24 Fälle auf 342 zu, die Diebstähle um 25 auf 180 ab.",  # half of a verb for both
    "Ab dem 1. Februar 2026 sind zwei Wohnungen frei.",  # a day as a condition
    "On average, a sold ticket for Autumn Requiem cost £18.",  # an amount of one, without per
    "The car was picked up on 3 February 2026 at 09:00 and returned on 7 February at 18:00.",  # a day and a time of one cell
    "Five days at EUR 52 come to EUR 260.",  # a cell times a number that is only said
    "With 412 trips a day, it makes roughly 12,400 trips in a 30-day month.",  # a cell times a number that is only said
}
KNOWN = yaml.safe_load((Path(__file__).parent / "cases" / "guard" / "known_mistakes.yaml").read_text(encoding="utf-8"))
ROWS = [{"region": "North", "revenue": 152000}, {"region": "South", "revenue": 98000}]


def is_held(made_up: str, results: Any) -> bool:
    """Whether a made-up statement is blocked, or marked as far as that is known of it."""
    verdict = ground(made_up, [results])
    return verdict.verdict == "block" or (made_up in ONLY_MARKED and verdict.support == "not_checkable")


EARLY = ("fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")
"""Sets of which is known for every made-up statement whether it is blocked."""
OTHERS = sorted({path.stem for path in SETS.glob("*.yaml")} - {*EARLY, "everyday"})


def statements(name: str, config: pytest.Config) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """The true and the made-up statements of a set with their results: one pair in six, or every one with --whole-sets."""
    given = yaml.safe_load((SETS / f"{name}.yaml").read_text(encoding="utf-8"))
    pairs = held(given["pairs"], config, one_in=6, first=len(name))
    results = given["evidence"]
    return [(true, results[on]) for _, _, on, true, _ in pairs], [
        (made_up, results[on]) for _, _, on, _, made_up in pairs
    ]


@pytest.mark.parametrize("name", EARLY)
def test_true_statements_pass_and_made_up_ones_do_not(name: str, pytestconfig: pytest.Config) -> None:
    true, made_up = statements(name, pytestconfig)
    stopped = {said for said, results in true if ground(said, [results]).verdict == "block"}
    verdicts = {said: ground(said, [results]) for said, results in made_up}
    passed = {said: one.support for said, one in verdicts.items() if one.verdict == "pass"}
    assert stopped <= STOPPED_THOUGH_TRUE
    assert {said for said, support in passed.items() if support == "supported"} <= NOT_CAUGHT
    assert passed.keys() <= NOT_CAUGHT | ONLY_MARKED


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_else_of_a_set_is_stopped_or_missed_than_is_known(name: str, pytestconfig: pytest.Config) -> None:
    true, made_up = statements(name, pytestconfig)
    stopped = {said for said, results in true if ground(said, [results]).verdict == "block"}
    released = {said for said, results in made_up if ground(said, [results]).support == "supported"}
    assert stopped <= set(KNOWN["stopped"])
    assert released <= set(KNOWN["supported"])


def test_everyday_statements_are_decided() -> None:
    given = yaml.safe_load((SETS / "everyday.yaml").read_text(encoding="utf-8"))
    results, pairs = given["evidence"], given["pairs"]
    true = [ground(said, [results[on]]) for _, _, on, said, _ in pairs]
    made_up = [ground(said, [results[on]]) for _, _, on, _, said in pairs]
    assert all(one.verdict == "pass" for one in true)
    assert not any(one.support == "supported" for one in made_up)
    assert sum(one.support == "supported" for one in true) >= 196
    assert sum(one.verdict == "block" for one in made_up) >= 181


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


def test_an_amount_for_one_of_something_that_the_data_does_not_say_is_marked() -> None:
    prices = [{"abo": "Mitte", "preis_kat1": 468}, {"abo": "Nord", "preis_kat1": 492}]
    said = "Das Abo Mitte kostet in Kategorie 1 468 Franken pro Vorstellung."
    assert ground(said, [prices]).support == "not_checkable"
    assert ground("Das Abo Mitte kostet 468 Franken.", [prices]).support == "supported"


YEARS = {
    "site": "Olten",
    "use": {"2021": {"gas": 286, "sun": 31}, "2022": {"gas": 244, "sun": 46}, "2023": {"gas": 198, "sun": 92}},
}
WEEKS = "week,sent,left\nW36,120,8\nW37,130,25\nW38,126,62"
TEAMS = "team,goals for,goals against\nRed,29,24\nBlue,12,48"
LOADS = "load,to,weight_kg,pallets,status\nN1,Basel,1240,4,delivered\nN2,Chur,860,3,in transit\nN3,Basel,2310,8,pending\nN4,Bern,430,1,delivered"
CUPS = "item,stock,price\nMug,12,9\nCup,0,7"
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
        (YEARS, "Compared with 2021, gas went down by 42 in 2022.", "Compared with 2021, gas went up by 42 in 2022."),
        (YEARS, "Sun has nearly tripled since 2021.", "Sun has nearly quadrupled since 2021."),
        (WEEKS, "Sent rose to 130 in W37 and fell in W38.", "Sent fell to 130 in W37 and rose in W38."),
        (WEEKS, "Left more than doubled between W37 and W38.", "Left more than tripled between W37 and W38."),
        (TEAMS, "Red have a goal difference of +5.", "Red have a goal difference of -5."),
        (
            LOADS,
            "The heaviest load weighs 2.31 tonnes and has 8 pallets.",
            "The heaviest load weighs 23.1 tonnes and has 8 pallets.",
        ),
        (LOADS, "Von den vier Ladungen sind zwei zugestellt.", "Von den vier Ladungen sind drei zugestellt."),
        (LOADS, "Die Hälfte der Ladungen geht nach Basel.", "Ein Viertel der Ladungen geht nach Basel."),
        (LOADS, "N1 accounts for 26 % of the weight.", "N1 accounts for 36 % of the weight."),
        (CUPS, "The Cup is sold out.", "The Mug is sold out."),
        (
            LOADS,
            "N3 has more pallets than N1 and carried more weight.",
            "N3 has more pallets than N1 but carried less weight.",
        ),
        (LOADS, "Two loads weigh less than 1,000 kg: N2 and N4.", "Two loads weigh less than 1,000 kg: N2 and N1."),
        (STAFF, "Anna has 12 goals. She joined in July.", "Anna has 12 goals. She joined in March."),
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
def test_two_columns_or_two_times_of_one_row(results: object, true: str, made_up: str) -> None:
    assert ground(true, [results]).verdict == "pass"
    assert is_held(made_up, results)


CLUBS = [
    {"club": "Rote Falken", "city": "Ulm", "members 2023": 410, "members 2024": 432, "courts": "6/8", "fee": "CHF 120"},
    {"club": "Ace Valley", "city": "Chur", "members 2023": 388, "members 2024": 371, "courts": "4/4", "fee": "CHF 95"},
    {"club": "Netzwerk", "city": "Ulm", "members 2023": 150, "members 2024": 171, "courts": "2/3", "fee": "CHF 60"},
    {"club": "Baseline", "city": "Bern", "members 2023": 240, "members 2024": 240, "courts": "5/5", "fee": "CHF 140"},
]
ISSUES = "issue,editor,printed,sold,printed_on\n7,Ann Lee,5000,4100,2025-03-03\n8,Bo Ek,5200,3900,2025-04-07\n9,Ann Lee,4800,4700,2025-05-05"
WELL = "月份,进水（吨）,出水（吨）\n2025年1月,820,790\n2025年2月,760,775\n2025年3月,905,880"
TRIP = "From: Bergen\nTo: Malmö\nDeparture: 2026-05-02 07:10\nArrival: 2026-05-02 08:55\nFare: EUR 90.00\nBag fee: EUR 10.00"
DEPTHS = "See;Tiefe (m);Fläche (km²);Kanton\nAltsee;40;2.0;Zug\nNeusee;12;5.5;Bern\nRundsee;25;1.0;Zug"
PETS = "id,name,age_years,seen_on,weight_kg\n1,Rex,9,2025-02-01,20\n2,Mia,3,2025-03-10,4\n3,Tom,5,,6"
SHOP = '[{"shop": "A1", "sales": {"may": 10, "june": 14, "july": 12}}, {"shop": "B2", "sales": {"may": 9, "june": 7, "july": 8}}]'
FUEL = "Sorte,Vorwochenpreis,Preis\nDiesel,1.82,1.79\nBleifrei,1.75,1.80"
HARM = "Schadenart;Fälle 2023;Fälle 2024;Bezahlt (CHF);Wartetage\nSturm;20;30;90'000;12\nHagel;40;35;60'000;30\nDiebstahl;10;15;50'000;8"
HOST = "Host: web.north.example\nValid from: 2024-01-01\nValid until: 2026-01-01"
ROOMS = "room,booked,seats,rent_eur,extras_eur\nBlue,4,10,100,20\nRed,9,9,120,15\nGreen,2,12,80,30"
TANKS = "罐,本月用量（吨）,上月用量（吨）,泄漏次数\n甲罐,30,25,0\n乙罐,40,44,2\n丙罐,18,18,1"
SPARES = "Teil;Lagerbestand;Preis CHF;Lieferant;Lieferzeit Tage\nScheibe;24;89.00;Frey;2\nRiemen;6;47.20;Huber;5\nKerze;64;9.80;Frey;2\nDämpfer;8;164.00;Huber;9"
SALES = "lot,title,hammer,bids\n1,Tea that never cools,2600,14\n2,Old clock,900,9\n3,Oak desk,,2"
MOVES = [
    {"talk": "Fonts", "room": "Aula", "start": "09:00", "minutes": 45, "seats_left": 3},
    {"talk": "Types", "room": "Aula", "start": "09:00", "minutes": 60, "seats_left": 2},
    {"talk": "Queues", "room": "Studio", "start": "11:00", "minutes": 45, "seats_left": 0},
]
WORDS = "job,client,words,rate_eur,done_on\nJ1,Nolde,18400,0.16,2025-09-12\nJ2,Kite,7250,0.14,\nJ3,Nolde,9200,0.18,2025-09-25"
CAMPS = "Camp;Strom kWh;Gas kWh;Budget;Ist;Schmutz %\nOst;480;300;900;950;3.1\nWest;510;620;800;760;1.2\nSüd;400;410;700;640;1.8"
CASE = "Antrag: PA-9\nStatus: in Arbeit\nExpress: nein\nGebühr: CHF 145.00"
LEASE = "Beginn: 01.04.2022\nAblauf: 31.03.2026\nStellplatz: ja\nHaustiere: nein\nReparaturen: 4\nKosten: CHF 1'820.00\nModell: Corsa Van"


REPAIRS = "job,received,done,work_time_h,by\nJ-1,2025-09-01 08:00,2025-09-02 08:00,3.5,Frei\nJ-2,2025-09-05 09:30,2025-09-05 14:00,1,Lutz\nJ-3,2025-09-05 16:00,2025-09-08 10:00,6,Frei"
LEGS = "rank,rider,team,time\n1,Ada Okoro,Red,2:41:08\n2,Maud Perrin,Blue,2:42:53\n3,Kim Sand,Red,2:51:08\n4,Ruth Egli,Blue,3:02:44"
PARTS = "Quelle;Anteil 2023 (%);Anteil 2024 (%)\nWasser;52;50\nKohle;30;26\nSonne;8;14\nImport;10;10"
GOODS = "商品,本周价格(元),上周价格(元)\n苹果,8.4,8.4\n鸡蛋,12.6,14\n大米,4.2,4.2"
SHOPS = "门店,一季度(万元),二季度(万元),三季度(万元)\n城东店,120,135,150\n城南店,90,90,110"
HALLS = "| hall | seats | kitchen | lift |\n|---|---|---|---|\n| Aare | 24 | no | yes |\n| Birs | 12 | yes | no |\n| Emme | 8 | yes | yes |\n| Thur | 9 | no | yes |"
VISITS = "place,May,June\nZoo,80,70\nBad,50,60\nPark,90,90"
CLINICS = "ward,beds,occupied,cost_chf\nNorth,20,20,2400\nSouth,30,22,3300\nEast,12,9,1500"
TAXES = "gemeinde,rate,punkte\nArven,102,20\nEgg,80,25\nCham,91,30"
GYM = "plan,members,members_last_year\nPlus,310,341\nFamily,141,100"
STOPS = "machine,downtime\nPress 1,1 h 30 min\nPress 2,45 min\nOven,3 h"
HIVES = "Stock;Menge kg\nAhorn;30\nBirke;45\nLinde;25"
COSTS_MET = "item,budget,actual\nRent,400,400\nPay,900,950"
DESKS = "team,backlog,escalated\nBilling,18,7\nNetwork,64,21\nAccounts,47,0"


@each(
    ("results", "true", "made_up"),
    [
        (REPAIRS, "J-1 was done after a day.", "J-3 was done after a day."),
        (REPAIRS, "J-1 war nach einem Tag erledigt.", "J-1 war nach zwei Tagen erledigt."),
        (REPAIRS, "Lutz spent an hour on J-2.", "Frei spent an hour on J-3."),
        (REPAIRS, "J-3 was received on a Friday.", "J-3 was received on a Thursday."),
        (REPAIRS, "J-2 was done on the same day.", "J-1 was done on the same day."),
        (REPAIRS, "J-1 was done on Tuesday, 2 September 2025.", "J-1 was done on Monday, 2 September 2025."),
        (REPAIRS, "Am schnellsten erledigt war J-2.", "Am schnellsten erledigt war J-3."),
        (
            LEGS,
            "All but one of the four riders took less than three hours.",
            "All but two of the four riders took less than three hours.",
        ),
        (LEGS, "Kim Sand came in ten minutes behind the winner.", "Maud Perrin came in ten minutes behind the winner."),
        (LEGS, "Red has two riders in the top three.", "Blue has two riders in the top three."),
        (
            PARTS,
            "Die Hälfte kam 2024 aus Wasser, ein Viertel aus Kohle.",
            "Die Hälfte kam 2024 aus Wasser, ein Drittel aus Kohle.",
        ),
        (PARTS, "Sonne und Import zusammen kamen 2024 auf 24 %.", "Sonne und Import zusammen kamen 2024 auf 27 %."),
        (
            PARTS,
            "Nur die Sonne legte zu, Wasser und Kohle verloren Anteile.",
            "Nur die Sonne legte zu, Wasser und Import verloren Anteile.",
        ),
        (GOODS, "三种商品中有两种价格没有变化。", "三种商品中有三种价格没有变化。"),
        (GOODS, "只有鸡蛋降价了。", "只有大米降价了。"),
        (GOODS, "鸡蛋比上周便宜了1.4元，现在卖12.6元。", "鸡蛋比上周便宜了2.4元，现在卖12.6元。"),
        (SHOPS, "城南店前两个季度持平。", "城东店前两个季度持平。"),
        (
            HALLS,
            "Every second hall has a kitchen, and three quarters of them have a lift.",
            "Every second hall has a kitchen, and half of them have a lift.",
        ),
        (
            DESKS,
            "Network accounts for half of the total backlog.",
            "Network accounts for a third of the total backlog.",
        ),
        (DESKS, "Accounts escalated none.", "Billing escalated none."),
        (LEGS, "Three riders finished in under 2:55.", "Two riders finished in under 2:55."),
        (VISITS, "Bad kept growing month after month.", "Zoo kept growing month after month."),
        (
            VISITS,
            "Bad grew by 20 % to 60 in June, while Zoo slipped to 70.",
            "Zoo grew by 20 % to 60 in June, while Bad slipped to 70.",
        ),
        (VISITS, "Growth was fastest in Bad, at 20 %.", "Growth was fastest in Park, at 20 %."),
        (VISITS, "Park neither gained nor lost.", "Zoo neither gained nor lost."),
        (CLINICS, "North is full; South still has 8 free beds.", "South is full; North still has 8 free beds."),
        (CLINICS, "Only North is fully occupied.", "Only East is fully occupied."),
        (CLINICS, "In South, a bed costs CHF 110.", "In South, a bed costs CHF 130."),
        (
            TAXES,
            "The rate of Arven lies 22 points above that of Egg.",
            "The rate of Arven lies 12 points above that of Egg.",
        ),
        (TAXES, "Cham hat 30 Punkte, zehn Punkte vor Arven.", "Cham hat 30 Punkte, acht Punkte vor Arven."),
        (WEEKS, "Left more than doubled in W38: 62, up from 25.", "Left more than tripled in W38: 62, up from 25."),
        (COSTS_MET, "Rent equals its budget.", "Pay equals its budget."),
        (COSTS_MET, "Rent met its budget.", "Rent missed its budget."),
        (GYM, "Plus lost 31 members.", "Plus lost 13 members."),
        (
            GYM,
            "Together the two plans have 451 members, 10 more than last year.",
            "Together the two plans have 451 members, 19 more than last year.",
        ),
        (STOPS, "The Oven was down twice as long as Press 1.", "The Oven was down three times as long as Press 1."),
        (
            STOPS,
            "In total the machines stood still for 5.25 hours.",
            "In total the machines stood still for 6.25 hours.",
        ),
        (
            HIVES,
            "Ahorn und Birke machen zusammen drei Viertel der Menge aus.",
            "Ahorn und Birke machen zusammen zwei Drittel der Menge aus.",
        ),
    ],
)
def test_spans_of_time_weekdays_and_parts_of_wholes(results: str, true: str, made_up: str) -> None:
    assert ground(true, [results]).support == "supported"
    assert is_held(made_up, results)


@each(
    ("results", "true", "made_up"),
    [
        (CLUBS, "Die Roten Falken hatten 2024 432 Mitglieder.", "Die Roten Falken hatten 2024 171 Mitglieder."),
        (CLUBS, "Two of the four clubs gained members.", "Three of the four clubs gained members."),
        (CLUBS, "Only Ace Valley lost members.", "Only Netzwerk lost members."),
        (CLUBS, "Rote Falken gained 22 members, Netzwerk 21.", "Rote Falken gained 21 members, Netzwerk 22."),
        (CLUBS, "Two clubs are in Ulm, one is in Chur and one in Bern.", "Two clubs are in Ulm and two in Bern."),
        (CLUBS, "At Netzwerk, 2 of 3 courts are open.", "At Netzwerk, 6 of 8 courts are open."),
        (
            CLUBS,
            "Rote Falken had the most members in 2024, followed by Ace Valley and Baseline.",
            "Rote Falken had the most members in 2024, followed by Baseline and Ace Valley.",
        ),
        (
            CLUBS,
            "Baseline charges a fee of CHF 140, more than any other club.",
            "Rote Falken charges a fee of CHF 120, more than any other club.",
        ),
        (
            CLUBS,
            "Fees range from CHF 60 (Netzwerk) to CHF 140 (Baseline).",
            "Fees range from CHF 95 (Ace Valley) to CHF 140 (Baseline).",
        ),
        (
            CLUBS,
            "Every club except Netzwerk charges more than CHF 90.",
            "Every club except Ace Valley charges more than CHF 90.",
        ),
        (ISSUES, "Ann Lee edited issues 7 and 9, Bo Ek 8.", "Ann Lee edited issues 7 and 8, Bo Ek 9."),
        (ISSUES, "Ann Lee edited two issues, Bo Ek one.", "Ann Lee edited three issues, Bo Ek one."),
        (
            ISSUES,
            "Of issue 8, 75 % of the printed copies were sold.",
            "Of issue 7, 75 % of the printed copies were sold.",
        ),
        (
            ISSUES,
            "In issue 7, sold copies were 82 % of printed ones.",
            "In issue 9, sold copies were 82 % of printed ones.",
        ),
        (ISSUES, "Issue 9 was printed four weeks after issue 8.", "Issue 9 was printed five weeks after issue 8."),
        (ISSUES, "Every issue had more copies printed than sold.", "Every issue had more copies sold than printed."),
        (WELL, "2月出水775吨，比1月少15吨。", "2月出水775吨，比1月多15吨。"),
        (WELL, "与1月相比，3月进水增加了85吨，增幅约10%。", "与1月相比，3月进水增加了85吨，增幅约20%。"),
        (WELL, "进水超过800吨的月份有两个。", "进水超过800吨的月份有三个。"),
        (
            LEASE,
            "Der Vertrag läuft vom 1. April 2022 bis zum 31. März 2026.",
            "Der Vertrag läuft vom 1. April 2022 bis zum 31. März 2025.",
        ),
        (LEASE, "Die Laufzeit beträgt vier Jahre.", "Die Laufzeit beträgt fünf Jahre."),
        (LEASE, "Haustiere sind nicht erlaubt.", "Haustiere sind erlaubt."),
        (LEASE, "Pro Reparatur entstanden Kosten von CHF 455.", "Pro Reparatur entstanden Kosten von CHF 555."),
        (LEASE, "Gemietet ist das Modell Corsa Van.", "Gemietet ist das Modell Corsa Bus."),
        (SPARES, "Von der Scheibe sind 24 Stück an Lager.", "Von der Scheibe sind 42 Stück an Lager."),
        (SPARES, "Frey und Huber liefern je zwei der vier Teile.", "Frey und Huber liefern je drei der vier Teile."),
        (
            SPARES,
            "Am längsten wartet man auf Dämpfer, nämlich 9 Tage.",
            "Am längsten wartet man auf Riemen, nämlich 5 Tage.",
        ),
        (
            SPARES,
            "Einzig der Dämpfer verfehlt die Frist von sechs Tagen.",
            "Einzig der Riemen verfehlt die Frist von sechs Tagen.",
        ),
        (SALES, "One lot is still unsold: the oak desk.", "One lot is still unsold: the old clock."),
        (SALES, "Tea that never cools drew the most bids (14).", "Old clock drew the most bids (14)."),
        (WORDS, "Kite's job is still open.", "Nolde's job J3 is still open."),
        (WORDS, "Job J1 is worth EUR 2,944 in total.", "Job J1 is worth EUR 2,449 in total."),
        (CAMPS, "Ost hat 180 kWh mehr Strom als Gas verbraucht.", "West hat 110 kWh mehr Strom als Gas verbraucht."),
        (CAMPS, "Ost lag über dem Budget.", "Süd lag über dem Budget."),
        (
            CAMPS,
            "Ost hat das höchste Budget (900), Süd das tiefste.",
            "Ost hat das höchste Budget (900), West das tiefste.",
        ),
        (
            CAMPS,
            "Mit 3.1 % Schmutz schneidet Ost am schlechtesten ab.",
            "Mit 1.8 % Schmutz schneidet Süd am schlechtesten ab.",
        ),
        (CASE, "Es ist kein Expressantrag.", "Es ist ein Expressantrag."),
        (MOVES, "Fonts has 3 seats left; Queues never had.", "Fonts has 3 seats left; Types never had."),
        (MOVES, "Two talks begin at nine o'clock.", "Three talks begin at nine o'clock."),
        (
            MOVES,
            "The three talks take two and a half hours in total.",
            "The three talks take three and a half hours in total.",
        ),
        (
            MOVES,
            "Five seats left: three for Fonts and two for Types.",
            "Five seats left: three for Fonts and two for Queues.",
        ),
        (CLUBS, "The Falken charge a fee of CHF 120.", "The Falken charge a fee of CHF 140."),
        (CLUBS, "Overall, membership rose from 1,188 to 1,214.", "Overall, membership fell from 1,214 to 1,188."),
        (
            CLUBS,
            "Overall, there were 26 more members in 2024 than in 2023.",
            "Overall, there were 26 fewer members in 2024 than in 2023.",
        ),
        (
            CLUBS,
            "Clubs in Ulm had 603 members together in 2024, those in Bern 240.",
            "Clubs in Ulm had 613 members together in 2024, those in Bern 240.",
        ),
        (CLUBS, "Rote Falken and Netzwerk grew.", "Rote Falken and Ace Valley grew."),
        (CLUBS, "Ace Valley fell, Baseline did not change and all others rose.", "Netzwerk fell and all others rose."),
        (ROOMS, "Blue has 4 of 10 places taken.", "Blue has 9 of 9 places taken."),
        (ROOMS, "Including extras, Red costs EUR 135.", "Including extras, Red costs EUR 145."),
        (ROOMS, "All rooms but Green rent for EUR 100 or more.", "All rooms but Blue rent for EUR 100 or more."),
        (TANKS, "只有乙罐的用量比上月下降。", "只有甲罐的用量比上月下降。"),
        (TANKS, "甲罐没有发生泄漏。", "乙罐没有发生泄漏。"),
        (HARM, "Sturmschäden verursachten 2024 30 Fälle.", "Sturmschäden verursachten 2024 35 Fälle."),
        (HARM, "Die Zahl der Fälle stieg von 70 auf 80.", "Die Zahl der Fälle sank von 80 auf 70."),
        (
            HARM,
            "Am schnellsten erledigt sind Diebstähle mit 8 Tagen.",
            "Am schnellsten erledigt ist Hagel mit 30 Tagen.",
        ),
        (
            HARM,
            "Auf Sturm entfallen 45 % der Zahlungen, aber 37.5 % der Fälle 2024.",
            "Auf Hagel entfallen 45 % der Zahlungen, aber 43.75 % der Fälle 2024.",
        ),
        (HOST, "It was issued for web.north.example.", "It was issued for mail.north.example."),
        (HOST, "It is valid for two years.", "It is valid for three years."),
        (HOST, "It expires on 1 January 2026.", "It expires on 1 January 2024."),
        (
            SHOP,
            "A1 sold 14 in June, up from 10 in the month before.",
            "A1 sold 14 in June, up from 12 in the month before.",
        ),
        (PETS, "Rex is the oldest (9 years).", "Mia is the oldest (3 years)."),
        (
            PETS,
            "| name | age |\n|---|---|\n| Rex | 9 |\n| Mia | 3 |",
            "| name | age |\n|---|---|\n| Rex | 3 |\n| Mia | 9 |",
        ),
        (PETS, "Tom has not been seen.", "Mia has not been seen."),
        (SHOP, "A1 rose in June but fell to 12 in July.", "B2 rose in June but fell to 8 in July."),
        (
            SHOP,
            "June:\n- A1: 14 (+4 vs. May)\n- B2: 7 (-2 vs. May)",
            "June:\n- A1: 14 (+5 vs. May)\n- B2: 7 (-2 vs. May)",
        ),
        (SHOP, "By sales in July, A1 comes first and B2 second.", "By sales in July, B2 comes first and A1 second."),
        (FUEL, "Diesel sank von 1.82 auf 1.79.", "Diesel stieg von 1.79 auf 1.82."),
        (
            CLUBS,
            "Baseline charges CHF 20 more than Rote Falken and CHF 45 more than Ace Valley.",
            "Baseline charges CHF 20 more than Rote Falken and CHF 55 more than Ace Valley.",
        ),
        (TRIP, "The train goes from Bergen to Malmö.", "The train goes from Malmö to Bergen."),
        (TRIP, "The trip takes 1 hour and 45 minutes.", "The trip takes 2 hours and 45 minutes."),
        (TRIP, "It leaves on 2 May 2026 at 07:10.", "It leaves on 2 May 2026 at 08:55."),
        (DEPTHS, "Der tiefste See ist der Altsee.", "Der tiefste See ist der Neusee."),
        (DEPTHS, "Die Zuger Seen sind zusammen 3 km² gross.", "Die Zuger Seen sind zusammen 4 km² gross."),
        (
            CLUBS,
            "Netzwerk had 171 members in 2024, 21 more than the year before.",
            "Netzwerk had 171 members in 2024, 21 fewer than the year before.",
        ),
        (
            ISSUES,
            "Issue 7 lost 900 copies net (5,000 printed, 4,100 sold).",
            "Issue 7 lost 800 copies net (5,000 printed, 4,100 sold).",
        ),
        (ISSUES, "Issues printed in 2025:\n- issue 7\n- issue 9", "Issues printed in 2024:\n- issue 7\n- issue 9"),
    ],
)
def test_several_clauses_several_rows_and_figures_of_two_cells(results: Any, true: str, made_up: str) -> None:
    assert ground(true, [results]).verdict == "pass"
    assert is_held(made_up, results)


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


WARDS = [
    {"ward": "North", "beds": 32, "occupied": 29, "nurses": 24, "doctors": 9, "spent_2023": 2400, "spent_2024": 2135},
    {"ward": "South", "beds": 24, "occupied": 12, "nurses": 18, "doctors": 6, "spent_2023": 1350, "spent_2024": 1290},
    {"ward": "West", "beds": 20, "occupied": 13, "nurses": 22, "doctors": 5, "spent_2023": 1600, "spent_2024": 1840},
]


@each(
    ("answer", "support"),
    [
        ("West has 4.4 nurses per doctor, the highest ratio of all.", "supported"),
        ("South has 3 nurses per doctor, the highest ratio of all.", "contradicted"),
        ("West spent 240 more in 2024 than in 2023, an increase of 15 %.", "supported"),
        ("West spent 240 more in 2024 than in 2023, an increase of 25 %.", "contradicted"),
        ("In all, 54 of 76 beds are occupied, a rate of 71 %.", "supported"),
        ("In all, 54 of 76 beds are occupied, a rate of 81 %.", "contradicted"),
        ("South is half full.", "not_checkable"),
        ("Two of the wards were painted last year.", "not_checkable"),
        ("North is the only ward with a view of the lake.", "not_checkable"),
        ("North has 12 occupied beds.", "contradicted"),
        ("All three wards were painted.", "not_checkable"),
        ("Wards spent 5,265 in 2024, down from 5,350 the year before.", "supported"),
    ],
)
def test_what_the_words_reckon_is_supported_what_they_leave_open_is_marked(answer: str, support: str) -> None:
    verdict = ground(answer, [WARDS])
    blocked = verdict.verdict == "block"
    assert blocked if support == "contradicted" else (verdict.support, blocked) == (support, False)


GARAGE = "garage,spaces,taken,fee_chf\nNord,120,96,3.5\nBahnhof,300,300,4.2\nSee,80,31,2.8"


@pytest.mark.parametrize(
    ("answer", "support"),
    [
        ("Nord has 130 spaces.", "contradicted"),  # the cell says otherwise
        ("Nord has 300 spaces.", "contradicted"),  # the figure of another row
        ("Nord swallows 130 wurbles on a good morning.", "not_checkable"),  # nobody knows what is counted
        ("Nord charges CHF 0.70 extra at night.", "not_checkable"),  # a word right behind the amount
        ("A stay at See is the cheapest, thanks to its fee.", "not_checkable"),  # why, no row tells
        ("Fees dwindled to CHF 2.80 at See.", "not_checkable"),  # the right figure beside a verb that is not known
        ("See has the lowest fee, CHF 2.80.", "supported"),
        ("Bahnhof has the lowest fee, CHF 4.20.", "contradicted"),
    ],
)
def test_a_contradiction_needs_proof_and_support_needs_that_the_claim_was_read(answer: str, support: str) -> None:
    verdict = ground(answer, [GARAGE])
    assert verdict.support == support
    assert (verdict.verdict == "block") == (support == "contradicted")


@pytest.mark.parametrize(
    ("answer", "support"),
    [
        ("North delivered revenue of 152,000.", "supported"),  # a verb that claims nothing beside the figure
        ("North slipped to revenue of 152,000.", "not_checkable"),
        ("Only North rendered revenue of 152,000.", "not_checkable"),
        ("In all regions the margin is better than the revenue.", "not_checkable"),  # a comparison that nothing reads
    ],
)
def test_an_unknown_verb_is_marked_where_it_changes_what_is_said(answer: str, support: str) -> None:
    assert ground(answer, [ROWS]).support == support


def test_a_sentence_ends_behind_a_unit() -> None:
    told = ground("Bern had 30.4 °C. Lugano had 28 °C.", ["town,temperature °C\nBern,30.4\nLugano,28"])
    assert [one.support for one in told.sentences] == ["supported", "supported"]


BRIDGES = "Brücke;Land;Länge (m);Baujahr;Spuren\nSternbrücke;CH;420;1971;2\nAarbrücke;CH;310;1988;4\nInnbrücke;AT;505;1988;2\nEgerbrücke;CZ;260;1954;2"
STOPPAGES = [
    {
        "id": "S-1",
        "line": "Press",
        "from": "2025-03-03T08:00",
        "to": "2025-03-03T08:40",
        "lost": "1,200",
        "cause": "jam",
    },
    {
        "id": "S-2",
        "line": "Oven",
        "from": "2025-03-04T22:00",
        "to": "2025-03-05T00:30",
        "lost": "7,900",
        "cause": "fire",
    },
    {
        "id": "S-3",
        "line": "Press",
        "from": "2025-03-09T10:00",
        "to": "2025-03-09T10:35",
        "lost": "600",
        "cause": "fire",
    },
    {"id": "S-4", "line": "Saw", "from": "2025-04-01T06:00", "to": None, "lost": "300", "cause": "jam"},
]
PROBE = "Name: Probe-2\nLaunched: 2023-05-04 06:42 UTC\nAntennas: North, West Ridge, Pier\nFee: EUR 12.50 per month\nBilling: quarterly\nDelay: 3 weeks"
TEAS = '[{"品名": "毛尖", "类别": "绿茶", "上月销量": 100, "本月销量": 80}, {"品名": "龙井", "类别": "绿茶", "上月销量": 90, "本月销量": 60}, {"品名": "普洱", "类别": "黑茶", "上月销量": 70, "本月销量": 70}, {"品名": "滇红", "类别": "红茶", "上月销量": 50, "本月销量": 75}]'
VISITS = '{"visits": [{"house": "Elm", "day": "2025-06-03", "notes": [{"kind": "mould"}]}, {"house": "Oak", "day": "2025-06-05", "notes": []}, {"house": "Ash", "day": "2025-06-05", "notes": [{"kind": "noise"}, {"kind": "damp"}]}]}'
SITES_ZH = "仓点,开设年份,容量,已用,已盘点\n东仓,2012,500,450,是\n西仓,2019,400,200,否\n北仓,2021,300,240,否"


@each(
    ("results", "true", "made_up"),
    [
        (
            BRIDGES,
            "Vier Spuren hat nur die Aarbrücke, alle anderen haben zwei.",
            "Vier Spuren hat nur die Innbrücke, alle anderen haben zwei.",
        ),
        (
            BRIDGES,
            "Die Innbrücke ist länger als die Sternbrücke und die Aarbrücke.",
            "Die Sternbrücke ist länger als die Aarbrücke und die Innbrücke.",
        ),
        (
            BRIDGES,
            "Die älteste ist die Egerbrücke von 1954, die neusten sind von 1988.",
            "Die älteste ist die Egerbrücke von 1954, die neusten sind von 1971.",
        ),
        (
            BRIDGES,
            "Die österreichische Brücke ist mit 505 m die längste.",
            "Die tschechische Brücke ist mit 260 m die längste.",
        ),
        (STOPPAGES, "Everything has ended except the Saw stoppage.", "Everything has ended except the Oven stoppage."),
        (
            STOPPAGES,
            "Press stood still twice, for 75 minutes altogether.",
            "Press stood still twice, for 95 minutes altogether.",
        ),
        (
            STOPPAGES,
            "The Oven stoppage lost more than the other three combined.",
            "The Saw stoppage lost more than the other three combined.",
        ),
        (PROBE, "It has three antennas: North, West Ridge and Pier.", "It has two antennas: North and Pier."),
        (PROBE, "The fee comes to EUR 150 a year.", "The fee comes to EUR 12.50 a week."),
        (PROBE, "Billing is quarterly.", "Billing is monthly."),
        (TEAS, "两款绿茶的销量本月都下降了，普洱则与上月持平。", "两款绿茶的销量本月都下降了，滇红则与上月持平。"),
        (TEAS, "滇红本月销量增长了一半，涨幅居首。", "普洱本月销量增长了一半，涨幅居首。"),
        (VISITS, "Oak had no notes.", "Elm had no notes."),
        (VISITS, "Two houses were visited on 5 June: Oak and Ash.", "Two houses were visited on 5 June: Oak and Elm."),
        (SITES_ZH, "2015年以后开设的仓点有两个，分别是西仓和北仓。", "2015年以后开设的仓点有两个，分别是东仓和北仓。"),
        (SITES_ZH, "三个仓点中只有一个已盘点。", "三个仓点中只有一个尚未盘点。"),
        (SITES_ZH, "东仓的容量超过西仓和北仓。", "西仓的容量超过东仓和北仓。"),
    ],
)
def test_named_rows_and_the_rest_lists_in_cells_and_parts_of_a_sentence(results: Any, true: str, made_up: str) -> None:
    assert ground(true, [results]).support != "contradicted"
    assert ground(true, [results]).verdict == "pass"
    assert ground(made_up, [results]).support != "supported"


@pytest.mark.parametrize(
    ("results", "answer"),
    [
        (PROBE, "It was launched in May 2023 and is meant to last until 2031."),  # a year that no cell holds
        (PROBE, "The launch is three weeks behind the plan."),
        (SITES_ZH, "东仓的使用率最高，达到90%。"),  # a rate that no column is called
        (TEAS, "两款绿茶的销量本月都没有上升。"),
        (VISITS, "No damp was raised in Oak and Elm."),
    ],
)
def test_what_may_be_right_is_not_stopped(results: Any, answer: str) -> None:
    assert ground(answer, [results]).verdict == "pass"


LEAGUE = """team,played,won,drawn,lost,points
Northgate,10,7,2,1,23
Harbour,10,6,1,3,19
Redhill,10,4,4,2,16
Old Mill,10,1,2,7,5
Park,10,1,2,7,5"""
HEATING = """Monat;Haus;Gasverbrauch_kWh;Strom_kWh
2024-01;Schule;48200;9100
2024-02;Schule;41300;8700
2024-01;Halle;15400;3200
2024-02;Halle;14100;3150"""
MIX = """source,2021,2022,2023
Hydro,82.4,79.0,85.1
Wind,11.8,14.6,19.2
Gas,6.3,5.5,3.1"""
ROOMS = """[{"room": "101", "price": 140, "guest": {"name": "Lars Holm"}, "nights": 3},
 {"room": "204", "price": 210, "guest": {"name": "Emi Sato"}, "nights": 5}, {"room": "305", "price": 420, "guest": null, "nights": 0}]"""


@each(
    ("results", "true", "made_up"),
    [
        (LEAGUE, "Old Mill won as many games as Park.", "Old Mill won as many games as Redhill."),
        (
            LEAGUE,
            "Old Mill and Park have the same number of points.",
            "Harbour and Park have the same number of points.",
        ),
        (LEAGUE, "No team has drawn more games than Redhill.", "No team has drawn more games than Harbour."),
        (LEAGUE, "Nobody has lost fewer games than Northgate.", "Nobody has lost fewer games than Harbour."),
        (
            LEAGUE,
            "Neither Park nor Old Mill has more than 9 points.",
            "Neither Park nor Redhill has more than 9 points.",
        ),
        (LEAGUE, "Redhill drew 4 games.", "Redhill drew 2 games."),
        (
            HEATING,
            "Die Halle brauchte im Februar 3150 kWh Strom, 50 kWh weniger als im Januar.",
            "Die Halle brauchte im Februar 3150 kWh Strom, 150 kWh weniger als im Januar.",
        ),
        (
            HEATING,
            "In jedem Monat verbrauchte die Schule mehr Gas als die Halle.",
            "In jedem Monat verbrauchte die Halle mehr Gas als die Schule.",
        ),
        (
            MIX,
            "By 2023 wind produced over six times as much as gas.",
            "By 2023 wind produced over nine times as much as gas.",
        ),
        (MIX, "Gas more than halved between 2021 and 2023.", "Gas more than halved between 2021 and 2022."),
        (MIX, "Gas fell by more than a third from 2021 to 2023.", "Gas fell by more than a third from 2021 to 2022."),
    ],
)
def test_rows_named_together_and_changes_that_are_more_than_a_part(results: str, true: str, made_up: str) -> None:
    assert ground(true, [results]).support == "supported"
    assert is_held(made_up, results)


@each(
    ("results", "made_up"),
    [
        (MIX, "Wind produced as much as hydro in 2023."),
        (HEATING, "Der Stromverbrauch der Schule war im Januar am tiefsten."),
        (ROOMS, "Room 204 has no guest."),
    ],
)
def test_made_up_statements_about_rows_that_two_names_tell_are_not_supported(results: str, made_up: str) -> None:
    assert ground(made_up, [results]).support != "supported"


def test_a_price_a_night_is_no_number_of_nights() -> None:
    assert ground("Room 305 costs 420 a night.", [ROOMS]).verdict == "pass"


def test_a_part_of_the_requests_failed_and_not_all_of_them() -> None:
    record = "Total requests: 262,000\nFailed requests: 18,340"
    assert ground("About 7% of the 262,000 requests failed.", [record]).verdict == "pass"
    assert ground("262,000 requests failed.", [record]).support != "supported"


def test_a_number_that_announces_a_list_is_not_corrected() -> None:
    fees = "account,fee\nA,0\nB,24\nC,12\nD,0\nE,0"
    found = ground("Fees are due for 3 accounts only:\n- B: 24\n- C: 12", [fees]).findings
    assert all("Write" not in (one.suggestion or "") for one in found)


def test_a_check_that_broke_off_supports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_answer: object) -> list[Any]:
        raise ZeroDivisionError

    monkeypatch.setattr("veracity.grounding.guard.CHECKS", (broken,))
    verdict = ground("North had revenue of 152,000.", [ROWS])
    assert (verdict.verdict, verdict.support) == ("block", "not_checkable")


VANS = [
    {"van": "KX-1", "depot": "Harbour", "electric": True, "km": 142.5, "parcels": 96},
    {"van": "KX-2", "depot": "Harbour", "electric": False, "km": 188.0, "parcels": 121},
    {"van": "NB-1", "depot": "Millfield", "electric": False, "km": 231.4, "parcels": 108},
    {"van": "NB-2", "depot": "Millfield", "electric": True, "km": 119.8, "parcels": 57},
]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        # True over groups that no check reads: marked at worst.
        ("Harbour's two vans went out with 217 parcels in total, 52 more than Millfield's two.", "pass"),
        (
            "The two electric vans covered roughly 131 km each on average, while the others averaged just under 210 km.",
            "pass",
        ),
        ("KX-2 drove 188 km, and 45.5 km less than that were driven by KX-1.", "pass"),
        # Not all of it is read, so that its other figures are no proof.
        ("Harbour's two vans went out with 243 parcels in total, 52 more than Millfield's two.", "pass"),
        # Nothing that may be meant comes to these.
        ("KX-2 drove 231.4 km.", "block"),
        ("KX-2 carried 96 parcels.", "block"),
        ("NB-2 has the most parcels.", "block"),
    ],
)
def test_a_claim_is_contradicted_only_where_no_other_rows_or_groups_make_it_true(answer: str, verdict: str) -> None:
    assert ground(answer, [VANS]).verdict == verdict


def test_a_text_with_many_wrong_figures_is_still_read_in_time_and_blocked() -> None:
    answer = " ".join(f"KX-2 drove {number}.7 km." for number in range(300, 700))
    verdict = ground(answer, [VANS])
    assert (verdict.verdict, verdict.support) == ("block", "contradicted")


def test_what_stands_above_blocks_of_key_values_is_said_of_all_of_them() -> None:
    text = "from: Northport\nto: Skarra\n\ndeparts: 06:50\nvessel: Tern\n\ndeparts: 09:20\nvessel: Auk"
    assert ground("The Auk leaves for Skarra at 09:20.", [text]).verdict == "pass"
    assert ground("The Auk leaves at 06:50.", [text]).verdict == "block"


WAITS = [
    {"patient": "Novak", "doctor": "Lindqvist", "wait_minutes": 41, "date": "2025-03-05", "status": "completed"},
    {"patient": "Ferrante", "doctor": "Pereira", "wait_minutes": 14, "date": "2025-03-06", "status": "completed"},
    {"patient": "Osei", "doctor": "Amari", "wait_minutes": 34, "date": "2025-03-06", "status": "completed"},
    {"patient": "Whitfield", "doctor": "Amari", "wait_minutes": 12, "date": "2025-03-07", "status": "cancelled"},
]
PLANTS = "plant;canton;yield_2024_mwh;outage_days_2024\nAlp;VS;987;6\nRiet;TG;1236;1\nHafen;BS;603;0\nMatt;BE;266;9"


@pytest.mark.parametrize(
    ("answer", "results"),
    [
        ("Osei had the longest wait: 34 minutes before seeing Amari on 6 March.", WAITS),  # of Amari's patients only
        ("Just one patient had seen Amari: Osei.", WAITS),
        ("Nur die Anlage Riet im Kanton Thurgau lief 2024 ohne einen einzigen Ausfalltag.", PLANTS),
    ],
)
def test_a_claim_of_which_a_part_was_not_read_is_not_called_supported(answer: str, results: object) -> None:
    assert ground(answer, [results]).support != "supported"


BRANCHES = [{"shop": "Bern", "revenue_eur": 3412, "staff": 12}, {"shop": "Thun", "revenue_eur": 2100, "staff": 7}]


@pytest.mark.parametrize("unit", ["kWh", "MWh", "litres", "hours", "watts", "kg"])
def test_money_said_in_a_unit_of_something_else_is_not_supported(unit: str) -> None:
    assert ground(f"Bern had a revenue of 3,412 {unit}.", [BRANCHES]).support != "supported"


@pytest.mark.parametrize(
    "text", ["Bern had a revenue of 3,412 euros.", "Bern had a revenue of EUR 3.4 k.", "Bern had a revenue of 3412."]
)
def test_money_said_as_money_is_supported(text: str) -> None:
    assert ground(text, [BRANCHES]).support == "supported"


PLANT = {
    "plant": "Kaltberg",
    "revenue_eur_2023": 3412650,
    "units": [
        {"id": "K1", "power_kw": 0.3, "output_mwh": {"Q1": 2310, "Q2": 1640}},
        {"id": "K2", "power_kw": 3450, "output_mwh": {"Q1": 2980, "Q2": 2130}},
    ],
}


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("K1 has a power of 300 watts.", "supported"),
        ("K1 has a power of 30 watts.", "contradicted"),
        ("K2 had an output of 2.98 GWh in Q1.", "supported"),
        ("K2 had an output of 2.31 GWh in Q1.", "contradicted"),
    ],
)
def test_what_stands_in_an_object_is_in_the_unit_of_the_object(text: str, support: str) -> None:
    assert ground(text, [PLANT]).support == support


def test_no_correction_says_money_where_energy_is_said() -> None:
    verdict = ground("K2 had an output of 9.9 GWh in 2023.", [PLANT])
    assert "3,412,650" not in " ".join(one.message for one in verdict.findings)


@pytest.mark.parametrize(
    "text",
    [
        "Bern made a profit of 3,412 euros.",
        "Bern lost 3,412 euros.",
        "Bern owes 3,412 euros.",
        "Bern's target was 3,412 euros.",
        "Bern's daily revenue is 3,412 euros.",
        "Bern's revenue per employee is 3,412 euros.",
        "Bern fired 12 people.",
        "Der Verlust von Bern beträgt 3412 Euro.",
        "Bern hat 12 Mitarbeitende entlassen.",
        "Bern的利润是3412欧元。",
        "Bern每天的营业额是3412欧元。",
    ],
)
def test_a_right_figure_under_the_name_of_another_measure_is_not_supported(text: str) -> None:
    assert ground(text, [BRANCHES]).support != "supported"


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("Bern made a profit of 3,412 euros.", {"shop": "Bern", "profit": 3412}),
        ("Bern owes 3,412 euros.", {"shop": "Bern", "amount_owed": 3412}),
        ("Bern's daily revenue is 3,412 euros.", {"shop": "Bern", "daily_revenue": 3412}),
        ("Bern hat ein Budget von 3412 Euro.", {"shop": "Bern", "budget_eur": 3412}),
        ("Revenue per shop: Bern 3,412 euros.", BRANCHES[0]),
    ],
)
def test_a_figure_that_its_column_is_called_is_supported(text: str, row: dict[str, object]) -> None:
    assert (
        ground(text, [[row, {**row, "shop": "Thun", **{k: 2100 for k, v in row.items() if v == 3412}}]]).support
        == "supported"
    )
