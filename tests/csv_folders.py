"""Folders of CSV files that nobody described: parking, water, schools, energy, books, bicycles, ward, kiosk, campus, market, flat, household, people, fleet, branches, stockroom, hours, giro; made with a seed."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

Table = tuple[str, Sequence[str], Sequence[Sequence[Any]]]
"""Name, columns, rows."""


def write_folder(place: Path, name: str) -> Path:
    """The folder of that name, written below a place."""
    folder = place / name
    folder.mkdir()
    for table, columns, rows in FOLDERS[name](Random(7)):
        with (folder / f"{table}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([columns, *rows])
    return folder


def _months(first: int, count: int) -> Iterator[str]:
    return (f"{first + number // 12}-{number % 12 + 1:02d}" for number in range(count))


def _day(random: Random, *years: int) -> str:
    return f"{random.choice(years)}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"


def _parking(random: Random) -> Iterator[Table]:
    houses = [
        (1, "Bahnhof", "Zentrum", 420, 2.5), (2, "Messe", "Nord", 800, 2.0), (3, "Altstadt", "Zentrum", 150, 3.5),
        (4, "Seepark", "Süd", 310, 1.5), (5, "Spital", "Nord", 260, 2.0), (6, "Stadion", "Süd", 900, 1.0),
    ]  # fmt: skip
    places = [(month, house[0]) for month in _months(2023, 24) for house in houses]
    yield "parkhaeuser", ("ParkhausId", "Name", "Quartier", "Plaetze", "Preis_CHF"), houses
    counted = [(month, house, day) for month, house in places for day in (3, 11, 19, 27)]
    yield (
        "zaehlungen",
        ("Id", "ParkhausId", "Datum", "Stunde", "Anzahl"),
        [
            (number, house, f"{month}-{day:02d}", random.choice([8, 10, 12, 15, 17, 20]), random.randint(10, 180))
            for number, (month, house, day) in enumerate(counted, 1)
        ],
    )
    yield (
        "einnahmen",
        ("Nr", "ParkhausId", "Datum", "Betrag_CHF"),
        [
            (number, house, f"{month}-{random.randint(1, 28):02d}", round(random.uniform(500, 9000), 2))
            for number, (month, house) in enumerate(places, 1)
        ],
    )
    causes = ["Schranke", "Licht", "Automat", "Lift"]
    yield (
        "stoerungen",
        ("StoerungId", "ParkhausId", "Datum", "Ursache", "Dauer_min"),
        [
            (n, random.randint(1, 6), _day(random, 2023, 2024), random.choice(causes), random.randint(5, 240))
            for n in range(1, 181)
        ],
    )


def _water(random: Random) -> Iterator[Table]:
    stations = [
        (1, "Aare Bridge", "Aare", 512.5, "Bern"), (2, "Lake Inlet", "Aare", 558.0, "Thun"), (3, "Old Mill", "Sihl", 430.2, "Zurich"),
        (4, "Weir", "Sihl", 470.9, "Einsiedeln"), (5, "Harbour", "Rhine", 250.4, "Basel"), (6, "Upper Dam", "Rhine", 610.1, "Chur"),
        (7, "Spring", "Inn", 1605.3, "Scuol"),
    ]  # fmt: skip
    yield "stations", ("station_id", "name", "river", "altitude_m", "city"), stations
    yield (
        "samples",
        ("sample_id", "station_id", "sampled_on", "source", "temperature_c", "ph", "nitrate_mg_l"),
        [
            (
                number,
                random.randint(1, 7),
                _day(random, 2023, 2024),
                random.choice(["river", "well", "tap"]),
                round(random.uniform(2, 24), 1),
                round(random.uniform(6.4, 8.6), 2),
                round(random.uniform(0.5, 32), 1),
            )
            for number in range(1, 505)
        ],
    )
    yield (
        "labs",
        ("lab_id", "name", "city"),
        [(1, "Hydra Lab", "Bern"), (2, "BlueCheck", "Zurich"), (3, "AquaTest", "Basel")],
    )
    yield (
        "analyses",
        ("analysis_id", "sample_id", "lab_id", "cost_eur", "duration_days"),
        [
            (n, random.randint(1, 500), random.randint(1, 3), round(random.uniform(40, 400), 2), random.randint(1, 14))
            for n in range(1, 301)
        ],
    )


def _schools(random: Random) -> Iterator[Table]:
    schools = [
        (1, "Feldschule", "Winterthur", 310), (2, "Rosengarten", "Zürich", 540), (3, "Am Bach", "Uster", 220),
        (4, "Sonnenberg", "Zürich", 410), (5, "Linde", "Winterthur", 180),
    ]  # fmt: skip
    yield "schulen", ("schule_id", "name", "stadt", "schueler"), schools
    classes = [(4 * (school - 1) + grade, school, grade) for school in range(1, 6) for grade in range(1, 5)]
    yield (
        "klassen",
        ("klasse_id", "schule_id", "bezeichnung", "stufe", "anzahl_schueler"),
        [(n, school, f"{grade}{'abcde'[school - 1]}", grade, random.randint(14, 26)) for n, school, grade in classes],
    )
    reasons = ["illness", "holiday", "doctor", "unknown"]
    yield (
        "absences",
        ("absence_id", "klasse_id", "date", "reason", "hours", "excused"),
        [
            (
                number,
                random.randint(1, 20),
                _day(random, 2022, 2023, 2024),
                random.choice(reasons),
                random.randint(1, 12),
                random.choice(["yes", "no"]),
            )
            for number in range(1, 421)
        ],
    )
    names = [
        "Keller",
        "Meili",
        "Baumann",
        "Frei",
        "Huber",
        "Graf",
        "Lutz",
        "Moser",
        "Suter",
        "Wyss",
        "Zaugg",
        "Brunner",
    ]
    yield (
        "teachers",
        ("teacher_id", "last_name", "schule_id", "workload_percent"),
        [(n, name, random.randint(1, 5), random.randint(40, 100)) for n, name in enumerate(names, 1)],
    )


def _energy(random: Random) -> Iterator[Table]:
    buildings = [
        (1, "Rathaus", "Büro", "Altstadt", 1200), (2, "Schulhaus Ost", "Schule", "Osten", 3400), (3, "Hallenbad", "Sport", "Westen", 2800),
        (4, "Werkhof", "Gewerbe", "Osten", 900), (5, "Bibliothek", "Kultur", "Altstadt", 1500),
    ]  # fmt: skip
    yield "gebaeude", ("gebaeude_nr", "name", "nutzung", "stadtteil", "flaeche_m2"), buildings
    places = [(month, building[0]) for month in _months(2022, 36) for building in buildings]
    yield (
        "verbrauch",
        ("id", "gebaeude_nr", "datum", "energie_kwh"),
        [
            (number, building, f"{month}-{random.randint(1, 28):02d}", round(random.uniform(900, 30000), 1))
            for number, (month, building) in enumerate(places, 1)
        ],
    )
    parts = ["Heizung", "Dach", "Fenster", "Lift"]
    yield (
        "reparaturen",
        ("reparatur_id", "gebaeude_nr", "datum", "bauteil", "kosten_chf", "prioritaet"),
        [
            (
                number,
                random.randint(1, 5),
                _day(random, 2022, 2023, 2024),
                random.choice(parts),
                round(random.uniform(200, 20000), 2),
                random.randint(1, 5),
            )
            for number in range(1, 151)
        ],
    )


def _books(random: Random) -> Iterator[Table]:
    genres, authors = ["novel", "science", "children", "history"], ["Keller", "Frisch", "Walser", "Spyri", "Bichsel"]
    yield (
        "books",
        ("book_id", "title", "genre", "author", "pages", "publication_year"),
        [
            (
                n,
                f"Title {n}",
                random.choice(genres),
                random.choice(authors),
                random.randint(80, 900),
                random.randint(1950, 2023),
            )
            for n in range(1, 61)
        ],
    )
    towns = ["Bern", "Thun", "Biel"]
    yield (
        "members",
        ("member_id", "name", "city", "joined_on"),
        [(n, f"Member {n}", random.choice(towns), _day(random, *range(2015, 2024))) for n in range(1, 41)],
    )
    yield (
        "loans",
        ("loan_id", "book_id", "member_id", "loan_date", "return_date", "fee_eur"),
        [
            (
                number,
                random.randint(1, 60),
                random.randint(1, 38),
                day,
                random.choice([day, ""]),
                random.choice([0, 0, 0, 1.5, 3]),
            )
            for number, day in ((n, _day(random, 2023, 2024)) for n in range(1, 501))
        ],
    )


def _bicycles(random: Random) -> Iterator[Table]:
    places = [(1, "Seebrücke", "Fluss"), (2, "Bahnhofplatz", "Zentrum"), (3, "Uni", "Nord"), (4, "Stadtpark", "Süd")]
    yield "zaehlstellen", ("zaehlstelle_id", "name", "gebiet"), places
    counted = [(month, place[0], day) for month in _months(2023, 24) for place in places for day in (2, 9, 16, 23)]
    yield (
        "velozaehlungen",
        ("id", "zaehlstelle_id", "datum", "direction", "anzahl"),
        [
            (number, place, f"{month}-{day:02d}", random.choice(["in", "out"]), random.randint(50, 900))
            for number, (month, place, day) in enumerate(counted, 1)
        ],
    )
    days = [f"{month}-{day:02d}" for month in _months(2023, 24) for day in range(1, 29, 2)]
    yield (
        "wetter",
        ("date", "temperature", "niederschlag_mm", "wind_speed_km_h"),
        [
            (day, round(random.uniform(-5, 33), 2), round(random.uniform(0, 40), 1), round(random.uniform(0, 70), 2))
            for day in days
        ],
    )


def _ward(random: Random) -> Iterator[Table]:
    wards = [
        (1, "Cardiology", 1, 24), (2, "Surgery", 2, 30), (3, "Neurology", 3, 20), (4, "Geriatrics", 4, 16),
    ]  # fmt: skip
    yield "wards", ("ward_id", "name", "floor", "beds"), wards
    yield (
        "doctors",
        ("doctor_id", "name", "ward_id", "hired_on", "email"),
        [
            (
                i,
                f"Doctor {i:02d}",
                1 + i % 3,
                f"{2000 + i % 23}-{1 + i % 12:02d}-{1 + i % 28:02d}",
                f"d{i}@x.example" * (i % 9 > 0),
            )
            for i in range(1, 41)
        ],
    )
    cities = ["Bern", "Bern", "Bern", "Thun", "Thun", "Biel"]
    yield (
        "patients",
        ("patient_id", "name", "gender", "birth_date", "city"),
        [
            (i, f"Patient {i:03d}", random.choice(["female", "male"]), _day(random, 1950, 1980, 1999), cities[i % 6])
            for i in range(1, 121)
        ],
    )
    diagnoses = ["stroke", "asthma", "asthma", "migraine"]
    admissions = [
        (i, random.randint(1, 100), random.choice([1, 2, 2, 3]), _day(random, 2023, 2024), random.choice(diagnoses))
        for i in range(1, 321)
    ]
    yield (
        "admissions",
        ("admission_id", "patient_id", "ward_id", "admitted_on", "discharged_on", "diagnosis"),
        [
            (i, patient, ward, day, "" if i % 20 == 0 else f"2025-01-{1 + i % 28:02d}", why)
            for i, patient, ward, day, why in admissions
        ],
    )
    kinds = ["operation", "operation", "infusion", "ultrasound"]
    yield (
        "treatments",
        ("treatment_id", "admission_id", "kind", "performed_on", "minutes"),
        [
            (i, random.randint(1, 320), random.choice(kinds), _day(random, 2023, 2024), random.randint(10, 180))
            for i in range(1, 501)
        ],
    )
    clubs = [(1, "Choir", 3), (2, "Chess", 7), (3, "Garden", 9)]
    yield "clubs", ("club_id", "name", "doctor_id"), clubs
    pairs = sorted({(random.randint(1, 120), random.randint(1, 2)) for _ in range(90)})
    yield "memberships", ("patient_id", "club_id", "joined_on"), [(*pair, _day(random, 2024)) for pair in pairs]


def _kiosk(random: Random) -> Iterator[Table]:
    names = (
        "Anna Graf",
        "Beat Frei",
        "Carla Moser",
        "Dino Suter",
        "Eva Keller",
        "Fritz Huber",
        "Gina Weber",
        "Hans Roth",
    )
    places = ("Bern", "Genf", "Chur", "Zug")
    goods = [
        ("Brot", "Esswaren", 4.2),
        ("Zopf", "Esswaren", 7.5),
        ("Seife", "Haushalt", 3.9),
        ("Lampe", "Haushalt", 49),
    ]
    sold = [(number, random.choice(goods), random.randint(1, 9)) for number in range(1, 161)]
    yield "kunden", ("Kunden_Nr", "Name", "Ort"), [(100 + i, name, places[i % 4]) for i, name in enumerate(names)]
    yield (
        "artikel",
        ("Artikel_Nr", "Bezeichnung", "Warengruppe", "Preis_CHF"),
        [(i, *row) for i, row in enumerate(goods)],
    )
    yield (
        "verkaeufe",
        ("Beleg_Nr", "Datum", "Kunden_Nr", "Artikel_Nr", "Menge", "Umsatz_CHF", "Filiale"),
        [
            (
                5000 + i,
                _day(random, 2022, 2023, 2024),
                100 + i * i % 8,
                goods.index(good),
                count,
                round(count * good[2], 2),
                "Nord",
            )
            for i, good, count in sold
        ],
    )


def _campus(random: Random) -> Iterator[Table]:
    cities, titles = ("Rome", "Oslo", "Paris"), ("Rome", "Optics", "Jazz", "Cells")
    yield "students", ("student_id", "name", "city"), [(i, f"Student {i:02d}", cities[i % 3]) for i in range(1, 41)]
    yield "courses", ("course_id", "title", "credits"), [(i, title, 3 + i % 2) for i, title in enumerate(titles, 1)]
    yield (
        "enrolments",
        ("enrolment_id", "student_id", "course_id", "enrolled_on", "grade"),
        [
            (i, random.randint(1, 35), random.randint(1, 4), _day(random, 2023, 2024), random.randint(4, 12) / 2)
            for i in range(1, 121)
        ],
    )
    yield (
        "projects",
        ("project", "client"),
        [(name, f"Client {i % 3}") for i, name in enumerate(("Apollo", "Bison", "Comet"))],
    )
    yield (
        "hours",
        ("project", "person", "date", "hours", "cost_eur"),
        [
            (
                random.choice(("Apollo", "Bison")),
                random.choice(("Lea", "Tom")),
                _day(random, 2023, 2024),
                random.choice((2, 4, 7.5)),
                100 * random.randint(1, 9),
            )
            for _ in range(90)
        ],
    )


def _market(random: Random) -> Iterator[Table]:
    cities = ("Bern", "Basel", "Chur", "Zug", "Thun")
    rows = [
        (number, f"2024-{1 + number % 12:02}-15", random.choice(cities), random.randint(1000, 4000) / 100)
        for number in range(1, 121)
    ]
    yield "sales", ("sale_id", "sold_on", "city", "amount"), rows


def _flat(random: Random) -> Iterator[Table]:
    """One wide table, as people keep it in a workbook."""
    customers = ("Acme Ltd", "Birch & Co", "Cobalt Inc", "Delta GmbH", "Everest AG", "Fjord AS")
    goods = (
        ("Desk", "Furniture", 320),
        ("Chair", "Furniture", 145),
        ("Lamp", "Lighting", 49),
        ("Monitor", "Electronics", 289),
        ("Keyboard", "Electronics", 79),
    )
    columns = (
        "Order ID,Order Date,Customer Name,Product,Category,Region,Quantity,Unit Price,Discount,Status,Shipped Date"
    )
    rows = []
    for number in range(1, 301):
        product, category, price = random.choice(goods)
        ordered = date(2024, 1, 3) + timedelta(random.randint(0, 700))
        status = random.choice(("Delivered", "Delivered", "Delivered", "Cancelled", "Pending", "Returned"))
        status = "Delivered" if (product, status) == ("Keyboard", "Returned") else status
        went = status in ("Delivered", "Returned")
        shipped = (ordered + timedelta(random.randint(1, 9))).isoformat() if went else ""
        who, region = random.choice(customers), random.choice(("North", "South", "East", "West"))
        who = "Acme Ltd" if (product, who) == ("Lamp", "Fjord AS") else who
        discount = random.choice((0, 0, 0.05, 0.1))
        row = (product, category, region, random.randint(1, 9), price, discount, status, shipped)
        rows.append((f"ORD-{1000 + number}", ordered.isoformat(), who, *row))
    yield "orders", columns.split(","), rows


def _household(random: Random) -> Iterator[Table]:
    """Expenses in German, in a table that is called so."""
    shops = {
        "Lebensmittel": ("Migros", "Coop"),
        "Miete": ("Wohnbau AG",),
        "Transport": ("SBB", "Tankstelle"),
        "Freizeit": ("Kino Rex", "Hallenbad"),
    }
    rows = []
    for _ in range(200):
        kind = random.choice(tuple(shops))
        day = date(2024, 1, 1) + timedelta(random.randint(0, 690))
        amount = random.randint(500, 190000) / 100
        paid = random.choice(("Karte", "Twint", "Bar"))
        rows.append((day.isoformat(), random.choice(shops[kind]), kind, amount, paid, random.choice(("Lea", "Marc"))))
    yield "ausgaben", ("Datum", "Beschreibung", "Kategorie", "Betrag CHF", "Bezahlt mit", "Person"), rows


def _people(random: Random) -> Iterator[Table]:
    """The staff of a firm, in one table."""
    titles = {"Sales": ("Account Manager", "Sales Rep"), "Engineering": ("Developer", "Tester"), "HR": ("Recruiter",)}
    columns = "employee_id,first_name,last_name,department,job_title,salary,hire_date,city,remote"
    rows = []
    for number in range(1, 91):
        department = random.choice(tuple(titles))
        names = (
            random.choice(("Ana", "Ben", "Cleo", "Dan", "Eve")),
            f"{random.choice(('Abt', 'Baur', 'Egli'))}{number}",
        )
        hired = (date(2015, 1, 1) + timedelta(random.randint(0, 3600))).isoformat()
        job, city, remote = (random.choice(one) for one in (titles[department], ("Bern", "Zug"), ("yes", "no")))
        rows.append((number, *names, department, job, 60_000 + 137 * random.randint(1, 700), hired, city, remote))
    yield "staff", columns.split(","), rows


def _fleet(random: Random) -> Iterator[Table]:
    makes = ("Volvo", "Renault", "Fiat")
    cars = [(n, f"ZH {1000 + 7 * n}", random.choice(makes), 2015 + n % 9, 5000 + 611 * n) for n in range(1, 41)]
    yield "vehicles", ("id", "plate", "make", "year", "odometer_km"), cars
    days = [(date(2024, 1, 1) + timedelta(random.randint(0, 600))).isoformat() for _ in range(120)]
    repairs = [
        (n, random.randint(1, 38), day, random.randint(8000, 90000) / 100, random.choice(("yes", "no")))
        for n, day in enumerate(days, 1)
    ]
    yield "repairs", ("id", "vehicle_id", "repaired_on", "cost_chf", "warranty"), repairs


def _branches(random: Random) -> Iterator[Table]:
    """What the branches of a grocer sold in one year, as their head office keeps it."""
    goods = (("Apfelsaft", "Getränke", 3.5), ("Käse", "Milchprodukte", 12.9), ("Brot", "Backwaren", 4.2))
    rows = []
    for _ in range(160):
        day = date(2024, 1, 1) + timedelta(random.randint(0, 365))
        article, kind, price = random.choice(goods)
        pieces, discount = random.randint(1, 20), random.choice((0, 0, 5, 10))
        revenue = round(pieces * price * (1 - discount / 100), 2)
        rows.append((day, random.choice(("Bern", "Thun", "Biel")), article, kind, pieces, price, revenue, discount))
    columns = "Datum,Filiale,Artikel,Warengruppe,Menge,Preis CHF,Umsatz CHF,Rabatt %"
    yield "Verkäufe 2024", columns.split(","), rows
    thun, biel = ("Thun", "Beat Frei", 180, "2015-09-01", 5), ("Biel", "Carla Roth", 120, "2021-03-01", 4)
    homes = (("Bern", "Anna Moser", 240, "2010-05-01", 8), thun, biel)
    yield "Filialen", ("Filiale", "Leiterin", "Fläche m2", "Eröffnet", "Mitarbeitende"), homes


def _stockroom(random: Random) -> Iterator[Table]:
    """What is on the shelves, as a list of products."""
    columns = "SKU,Product,Category,Warehouse,Stock,Reorder Level,Unit Cost (USD),Supplier"
    rows = [
        (
            f"SK-{1000 + number}",
            f"{random.choice(('Bolt', 'Pipe', 'Cable'))} {number}",
            *(random.choice(one) for one in (("Hardware", "Plumbing"), ("Denver", "Austin"))),
            random.choice((0, 0, 5, 40, 120)),
            random.choice((20, 50)),
            round(random.uniform(1, 40), 2) + number / 1000,
            random.choice(("Globex", "Initech")),
        )
        for number in range(60)
    ]
    yield "inventory", columns.split(","), rows


def _hours(random: Random) -> Iterator[Table]:
    """Who worked how long on what."""
    columns = "Date,Employee,Project,Client,Hours,Billable"
    projects = (("Website", "Acme"), ("Migration", "Globex"), ("Internal", "none"))
    rows = []
    for number in range(200):
        day = date(2025, 1, 1) + timedelta(random.randint(0, 300))
        people = ("Ana Ruiz", "Ben Ode", "Cy Tan")[: 2 + (number > 20)]
        hours, billed = random.choice((1, 2, 3.5, 8)), random.choice(("Yes", "No"))
        rows.append((day, random.choice(people), *random.choice(projects), hours, billed))
    yield "timesheet", columns.split(","), rows


def _giro(random: Random) -> Iterator[Table]:
    """The movements of an account, as a bank exports them."""
    kinds = (("Migros", "Einkauf", -150, -10), ("SBB", "Billett", -80, -5), ("Muster AG", "Lohn", 5200, 5400))
    kinds += (("Wohnbau", "Miete", -1650, -1650),)  # type: ignore[assignment]
    rows = []
    for _ in range(150):
        day = date(2024, 1, 1) + timedelta(random.randint(0, 700))
        name, purpose, least, most = random.choice(kinds)
        amount = random.randint(least * 100, most * 100) / 100
        rows.append((day, day + timedelta(1), name, purpose, amount, "CHF"))
    yield "konto", ("Buchungstag", "Valuta", "Empfänger", "Verwendungszweck", "Betrag", "Währung"), rows


def _pets(random: Random) -> Iterator[Table]:
    """A vet's practice."""
    owners = [(f"O{n:02}", f"Owner {chr(64 + n)}", random.choice(("Bern", "Thun"))) for n in range(1, 21)]
    yield "owners", ("owner_id", "name", "city"), owners
    kinds = ("dog", "dog", "cat", "cat", "rabbit")
    pets = [
        (f"A{n:03}", random.choice(owners[:16])[0], f"Pet {n}", random.choice(kinds), random.randint(10, 400) / 10)
        for n in range(1, 41)
    ]
    yield "animals", ("animal_id", "owner_id", "name", "species", "weight_kg"), pets
    vets = [(1, "Dr. Ann Meier", "surgery"), (2, "Dr. Bo Lang", "dentistry"), (3, "Dr. Cy Ott", "general")]
    yield "vets", ("vet_id", "name", "speciality"), vets
    visits = [
        (
            5000 + n,
            random.choice(pets[:36])[0],
            random.choice((1, 1, 2)),
            (date(2023, 1, 1) + timedelta(random.randint(0, 720))).isoformat(),
            random.choice(("checkup", "surgery", "dental", "emergency")),
            random.randint(50, 1400),
            random.choice(("yes", "yes", "no")),
        )
        for n in range(200)
    ]
    yield "visits", ("visit_no", "animal_id", "vet_id", "visit_date", "reason", "fee_chf", "paid"), visits
    given = []
    for visit in visits[:150]:
        pieces, (medicine, price) = random.randint(1, 4), random.choice((("Metacam", 18.2), ("Milbemax", 15.5)))
        given.append((visit[0], medicine, pieces, f"{price * pieces:.2f}"))
    yield "prescriptions", ("visit_no", "medicine", "quantity", "price_chf"), given


def _festival(random: Random) -> Iterator[Table]:
    """Who played where, with the names of a Swiss organiser."""
    stages = [("B1", "Seebühne", 8000, "outdoor"), ("B2", "Zelt Nord", 2500, "tent"), ("B3", "Klub", 600, "indoor")]
    yield "buehnen", ("buehne_id", "name", "kapazitaet", "art"), stages
    genres, lands = ("Rock", "Jazz", "Folk"), ("Schweiz", "USA", "Mali")
    names = [f"{one} {two}" for one in ("Silver", "Wild", "Lost") for two in ("Foxes", "Kings", "Echo", "Wolves")]
    bands = [
        (100 + n, name, genres[n % 3], random.choice(lands), random.randint(1985, 2021), 2 + n % 9)
        for n, name in enumerate(names)
    ]
    yield "bands", ("band_nr", "bandname", "genre", "land", "gegruendet", "mitglieder"), bands
    gigs = [
        (
            n,
            100 + random.randint(0, 9),
            random.choice(stages)[0],
            date(random.choice((2023, 2024)), 7, random.randint(14, 17)),
            random.choice((45, 60, 90)),
            random.randint(100, 6000),
            1000 + 37 * n,
        )
        for n in range(1, 81)
    ]
    columns = "auftritt_id,band_nr,buehne_id,datum,dauer_min,zuschauer,gage_chf"
    yield "auftritte", columns.split(","), gigs
    areas = ("Bar", "Einlass", "Aufbau")
    helpers = [(n, f"Helfer {n}", random.choice(areas), random.choice((6, 8, 12, 24, 32))) for n in range(1, 41)]
    yield "helfer", ("helfer_id", "name", "bereich", "stunden"), helpers


def _farm(random: Random) -> Iterator[Table]:
    """What is called by its unit, and by who supplied it."""
    fields = [(f"F{n}", name, n + 0.4, ("Lyss", "Kerzers")[n % 2]) for n, name in enumerate(("Hill", "Bend", "Acre"))]
    yield "fields", ("field_id", "field_name", "hectares", "village"), fields
    people = [
        (
            n,
            f"Worker {n}",
            random.choice(("picker", "driver")),
            24 + n % 9,
            f"2019-0{1 + n % 9}-01",
            "2022-05-01" * (n < 5),
        )
        for n in range(1, 23)
    ]
    yield "workers", ("worker_id", "full_name", "job", "hourly_wage_chf", "started_on", "left_on"), people
    crops = ("wheat", "barley", "carrots")

    def day() -> date:
        return date(random.choice((2023, 2024)), random.randint(6, 12), random.randint(1, 28))

    harvests = [(n, f"F{n % 2}", random.choice(crops), day(), random.randint(200, 4000) / 100) for n in range(1, 91)]
    yield "harvests", ("harvest_no", "field_id", "crop", "harvested_on", "tonnes"), harvests
    sales = []
    for n in range(1, 101):
        tonnes, price = random.randint(10, 250) / 10, random.choice((180, 220, 310))
        buyer = random.choice(("Coop West", "Zucker AG"))
        sales.append((f"S{n}", day(), random.choice(crops), buyer, tonnes, price, round(tonnes * price, 2)))
    columns = "sale_no,sold_on,crop,buyer,tonnes,price_per_tonne,amount_chf"
    yield "sales", columns.split(","), sales
    suppliers = ("Landi", "Agrar AG")
    machines = [
        (f"Model {n}", ("tractor", "sprayer")[n % 2], f"20{10 + n}-03-04", 15000 + 7000 * n, suppliers[n % 3 == 0])
        for n in range(8)
    ]
    yield "machines", ("machine", "type", "bought_on", "purchase_price_chf", "supplier"), machines


def _calls(random: Random) -> Iterator[Table]:
    """A call centre: two times of each call, and absences from one day to another."""
    yield "teams", ("team_id", "team_name", "site"), [("T1", "Billing", "Bern"), ("T2", "Sales", "Chur")]
    agents = [(f"AG{n}", f"Agent {n}", f"T{1 + n % 2}", f"20{14 + n}-03-0{n}") for n in range(1, 8)]
    yield "agents", ("agent_id", "agent", "team_id", "hired_on"), agents
    plans = ("Basic", "Plus", "Plus")
    customers = [(1000 + n, f"Kim {chr(65 + n)}", plans[n % 3]) for n in range(20)]
    yield "customers", ("customer_no", "name", "plan"), customers
    rows = []
    for n in range(1, 241):
        day = date(2023, 7, 1) + timedelta(random.randint(0, 540))
        topic, outcome = random.choice(("invoice", "outage", "complaint")), random.choice(("solved", "escalated"))
        who, whom = f"AG{random.randint(1, 7)}", 1000 + random.randint(0, 17)
        rows.append((n, day, who, whom, topic, random.randint(1, 48), random.randint(0, 600), outcome))
    columns = "call_id,started_on,agent_id,customer_no,topic,talk_minutes,wait_seconds,outcome"
    yield "calls", columns.split(","), rows
    off = [(f"AG{1 + n % 7}", date(2024, 1 + n % 3, 1 + n), date(2024, 4, 1 + n), "Ferien") for n in range(21)]
    yield "abwesenheiten", ("agent_id", "von", "bis", "grund"), off


def _baths(random: Random) -> Iterator[Table]:
    """Public baths: who came on each day, courses, and a plural that no ending tells."""
    baths = [("HB1", "Hallenbad Wyler", 1971), ("HB2", "Seebad Thun", 1934), ("HB3", "Aquapark", 2012)]
    yield "baeder", ("Bad-ID", "Name", "Baujahr"), baths
    leaders = [(n, f"Leiterin {n}", 35 + n) for n in range(1, 13)]
    yield "kursleiter", ("Nr", "Name", "Stundenansatz CHF"), leaders
    kinds = ("Aquafit", "Crawl")
    courses = [
        (
            f"K{n:02}",
            kinds[n % 2],
            f"HB{1 + n % 2}",
            random.randint(1, 11),
            date(2023 + n % 2, 4, 1 + n % 28),
            100 + 7 * n,
        )
        for n in range(1, 41)
    ]
    yield "kurse", ("Kurs-Nr.", "Kursart", "Bad-ID", "Leiter-Nr", "Startdatum", "Preis CHF"), courses
    people = [(1000 + n, f"Person {n}", "wm"[n % 2]) for n in range(60)]
    yield "teilnehmer", ("Teilnehmer-Nr", "Name", "Geschlecht"), people
    pairs = sorted({(f"K{random.randint(1, 40):02}", 1000 + random.randint(0, 54)) for _ in range(150)})
    joined = [(*pair, date(2023 + n % 2, 3, 1 + n % 28)) for n, pair in enumerate(pairs)]
    yield "anmeldungen", ("Kurs-Nr.", "Teilnehmer-Nr", "Anmeldedatum"), joined
    came = [
        (date(2023, 7, 1) + timedelta(day), bath[0], random.randint(20, 300), random.randint(10, 180))
        for day in range(400)
        for bath in baths
    ]
    yield "eintritte", ("Datum", "Bad-ID", "Erwachsene", "Kinder"), came


FOLDERS = {
    "parking": _parking,
    "water": _water,
    "schools": _schools,
    "energy": _energy,
    "books": _books,
    "bicycles": _bicycles,
    "ward": _ward,
    "kiosk": _kiosk,
    "campus": _campus,
    "market": _market,
    "flat": _flat,
    "household": _household,
    "people": _people,
    "fleet": _fleet,
    "branches": _branches,
    "stockroom": _stockroom,
    "hours": _hours,
    "giro": _giro,
    "pets": _pets,
    "festival": _festival,
    "farm": _farm,
    "calls": _calls,
    "baths": _baths,
}
