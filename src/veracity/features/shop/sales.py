"""Three years of a shop, 2023 to 2025, made by chance that is the same every time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from veracity.features.shop.models import (
    Category,
    Customer,
    Employee,
    OrderLine,
    Product,
    ProductReturn,
    SalesOrder,
    Store,
    Supplier,
)
from veracity.wire import Wire

_SUPPLIERS = (
    ("Nordfels", "Norway"), ("Valdora", "Italy"), ("Kaminfeger Textil", "Switzerland"), ("Edelgrat", "Austria"),
    ("Bluebird Gear", "United Kingdom"), ("Tatra Works", "Slovakia"), ("Hoshi Outdoor", "Japan"), ("Lagrange", "France"),
)  # fmt: skip
_CATEGORIES = (
    ("Tents", "480", ("Biwak One", "Ridge Duo", "Basecamp Four", "Storm Dome", "Feather Tarp", "Family Lodge")),
    ("Backpacks", "150", ("Daypack 18", "Daypack 24", "Trekker 45", "Trekker 60", "Alpine 32", "Kids Pack 12", "Courier 20")),
    ("Footwear", "190", ("Trail Low", "Trail Mid", "Summit GTX", "Hut Slipper", "Approach Lite", "Winter Boot", "Kids Hiker")),
    ("Jackets", "260", ("Rain Shell", "Down Light", "Down Heavy", "Softshell", "Wind Vest", "Fleece Hood", "Hardshell Pro")),
    ("Climbing", "75", ("Harness Basic", "Harness Pro", "Helmet", "Rope 50", "Rope 70", "Chalk Bag", "Quickdraw Set")),
    ("Cooking", "60", ("Gas Stove", "Wood Stove", "Pot Set", "Titanium Mug", "Coffee Press", "Lunch Box")),
    ("Navigation", "220", ("Compass", "GPS Mini", "GPS Max", "Altimeter Watch", "Map Case")),
    ("Snow", "320", ("Snowshoes", "Avalanche Beacon", "Avalanche Shovel", "Probe 240", "Ski Skins", "Crampons")),
    ("Vouchers", "0", ()),
)  # fmt: skip
_STORES = (
    ("Hauptbahnhof", "Zürich", date(2009, 4, 1), 640), ("Marktgasse", "Bern", date(2013, 9, 1), 410),
    ("Freie Strasse", "Basel", date(2016, 3, 15), 380), ("Seetor", "Luzern", date(2019, 5, 1), 290),
    ("Engadin", "St. Moritz", date(2022, 12, 1), 150),
)  # fmt: skip
_FIRST = (
    "Anna", "Luca", "Mia", "Noah", "Lena", "Elias", "Sara", "Jonas", "Nina", "David", "Laura", "Simon", "Julia", "Marco",
    "Eva", "Tim", "Clara", "Paul", "Ida", "Felix", "Ines", "Beat", "Ruth", "Urs", "Vera", "Jan", "Petra", "Rolf",
)  # fmt: skip
_LAST = (
    "Keller", "Brunner", "Huber", "Meier", "Frei", "Graf", "Wyss", "Roth", "Suter", "Baumann", "Kunz", "Lang", "Egli",
    "Moser", "Hofer", "Blum", "Senn", "Vogt", "Amrein", "Zbinden", "Stalder", "Furrer", "Ammann",
)  # fmt: skip
_COMPANIES = (
    "Bergschule Uri", "Hotel Alpina", "Rettung Glarus", "Skiclub Davos", "Forstamt Chur", "Campus Thun", "Hüttenverein Säntis",
    "Zeltverleih Aare", "Kletterhalle Nord", "Tourismus Wallis", "Seilbahn Titlis", "Pfadi Limmat",
)  # fmt: skip
_CITIES = (
    ("Zürich", "Switzerland"), ("Bern", "Switzerland"), ("Basel", "Switzerland"), ("Luzern", "Switzerland"), ("Chur", "Switzerland"),
    ("Winterthur", "Switzerland"), ("Konstanz", "Germany"), ("München", "Germany"), ("Freiburg", "Germany"), ("Innsbruck", "Austria"),
    ("Bregenz", "Austria"), ("Milano", "Italy"), ("Annecy", "France"), ("Vaduz", "Liechtenstein"),
)  # fmt: skip
_REASONS = ("too small", "too large", "damaged", "not as described", "changed mind")
_DAYS = (date(2026, 1, 1) - date(2023, 1, 1)).days
_NEVER_SOLD = ("Probe 240", "Map Case", "Wood Stove")


def make_records(seed: int = 11) -> list[Wire]:
    """All rows of the shop, the same for the same seed."""
    rng = Random(seed)  # noqa: S311 - not for secrets
    products = list(_products(rng))
    employees = list(_employees(rng))
    customers = list(_customers(rng))
    records: list[Wire] = [
        Supplier(supplier_id=n, name=name, country=country) for n, (name, country) in enumerate(_SUPPLIERS, 1)
    ]
    records += [Category(category_id=n, name=name) for n, (name, _, _) in enumerate(_CATEGORIES, 1)]
    records += [
        Store(store_id=n, name=name, city=city, opened_on=opened, floor_area=area)
        for n, (name, city, opened, area) in enumerate(_STORES, 1)
    ]
    return [*records, *products, *employees, *customers, *_sales(rng, products, employees, customers)]


def _products(rng: Random) -> Iterator[Product]:
    number = 0
    for category, (_, price, names) in enumerate(_CATEGORIES, 1):
        for name in names:
            number += 1
            yield Product(
                product_id=number,
                name=name,
                category_id=category,
                supplier_id=rng.randrange(1, len(_SUPPLIERS)),  # nothing comes from the last one any more
                list_price=(Decimal(price) * rng.randrange(35, 190) / 100).quantize(Decimal("0.1")),
                stock=0 if rng.random() < 0.12 else rng.randrange(2, 90),
                launched_on=date(2018, 1, 1) + timedelta(days=rng.randrange(0, 2500)),
            )


def _employees(rng: Random) -> Iterator[Employee]:
    names = rng.sample([f"{first} {last}" for first in _FIRST for last in _LAST], 24)
    number = 0
    for store in range(1, len(_STORES) + 1):
        manager = 1 if store > 1 else None
        for place in range({1: 7, 2: 5, 3: 5, 4: 4, 5: 3}[store]):
            number += 1
            leads = place == 0
            role = "head" if number == 1 else "store manager" if leads else "workshop" if place == 3 else "sales"
            yield Employee(
                employee_id=number,
                name=names[number - 1],
                role=role,
                store_id=store,
                manager_id=manager,
                hired_on=date(2012, 1, 1) + timedelta(days=rng.randrange(0, 4700)),
                salary=Decimal(rng.randrange(540, 780) * 100 + (34_000 if number == 1 else 14_000 if leads else 0)),
            )
            manager = number if leads else manager


def _customers(rng: Random) -> Iterator[Customer]:
    people = rng.sample([f"{first} {last}" for first in _FIRST for last in _LAST], 138)
    for number, name in enumerate((*people, *_COMPANIES), 1):
        city, country = _CITIES[min(int(rng.expovariate(0.28)), len(_CITIES) - 1)]
        yield Customer(
            customer_id=number,
            name=name,
            kind="company" if name in _COMPANIES else "private",
            city=city,
            country=country,
            registered_on=date(2022, 1, 1) + timedelta(days=rng.randrange(0, 1300)),
            newsletter=rng.random() < 0.45,
            email=None if rng.random() < 0.1 else f"kunde{number}@example.org",
        )


def _sales(
    rng: Random, products: list[Product], employees: list[Employee], customers: list[Customer]
) -> Iterator[Wire]:
    sellers = [one for one in employees if one.role in ("sales", "store manager")]
    buyers = [one for one in customers if one.customer_id % 11]  # every eleventh only has an account
    sold = [one for one in products if one.name not in _NEVER_SOLD]
    days = sorted(rng.randrange(0, _DAYS) for _ in range(1200))
    returns = 0
    for number, day in enumerate(days, 1):
        ordered = date(2023, 1, 1) + timedelta(days=day)
        online = rng.random() < 0.35
        seller = None if online else rng.choice(sellers)
        shipped = ordered if seller else ordered + timedelta(days=rng.randrange(1, 8))
        yield SalesOrder(
            order_id=number,
            customer_id=buyers[min(int(rng.expovariate(0.022)), len(buyers) - 1)].customer_id,
            ordered_on=ordered,
            shipped_on=shipped if shipped < date(2026, 1, 1) else None,
            channel="online" if online else "store",
            store_id=seller.store_id if seller else None,
            employee_id=seller.employee_id if seller else None,
        )
        for place, product in enumerate(rng.sample(sold, rng.choice((1, 1, 2, 2, 3, 4))), 1):
            line = _line(rng, number, place, product, ordered)
            yield line
            if rng.random() < (0.09 if online else 0.04):
                returns += 1
                yield _return(rng, returns, line, ordered)


def _line(rng: Random, order: int, place: int, product: Product, day: date) -> OrderLine:
    # Prices rose a little from year to year.
    price = product.list_price * (100 - 4 * (2025 - day.year)) / 100
    return OrderLine(
        order_id=order,
        line_number=place,
        product_id=product.product_id,
        quantity=rng.choice((1, 1, 1, 1, 2, 2, 3, 5)),
        unit_price=price.quantize(Decimal("0.05")),
    )


def _return(rng: Random, number: int, line: OrderLine, ordered: date) -> ProductReturn:
    pieces = rng.randrange(1, line.quantity + 1)
    return ProductReturn(
        return_id=number,
        order_id=line.order_id,
        line_number=line.line_number,
        returned_on=ordered + timedelta(days=rng.randrange(2, 40)),
        quantity=pieces,
        reason=rng.choice(_REASONS),
        refund=line.unit_price * pieces,
    )
