"""The everyday bookings of the demo company: it sells consulting and hardware, and pays for what that takes.

Each function books one kind of business for one month, given by its first day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from veracity.features.trustee.ledger.chart import (
    COST_CENTERS,
    DEMO_CUSTOMERS,
    DEMO_VENDORS,
    MONTHS,
    OCCASIONAL,
    PETTY_CASH,
    RECURRING,
    RESALE,
    SALES,
    START_UP,
    Contact,
    Cost,
)
from veracity.features.trustee.ledger.journal import Journal, Posting, month_end, next_workday

SEASON = (0.85, 0.9, 1.1, 1.0, 1.0, 1.05, 0.75, 0.8, 1.1, 1.1, 1.15, 1.2)
BASE_YEAR = 2019
# The demand left in a year that was out of the ordinary.
DEMAND = {2020: 0.94}
# CHF for 10,000 EUR; a year not listed counts as the last.
EUR_RATES = {2019: 11120, 2020: 10700, 2021: 10810, 2022: 10050, 2023: 9720, 2024: 9530, 2025: 9390}

VENDORS = {vendor.name: vendor for vendor in DEMO_VENDORS}
HOME_CUSTOMERS = [customer for customer in DEMO_CUSTOMERS if customer.country == "CH"]
EUR_CUSTOMERS = [customer for customer in DEMO_CUSTOMERS if customer.country != "CH"]


@dataclass(frozen=True)
class Books:
    """What every booking function works on."""

    journal: Journal
    rng: Random
    volume: int
    """How many times the usual number of documents, and of francs."""

    def growth(self, year: int) -> float:
        """The company's size compared with the base year."""
        return float(self.volume * 1.06 ** (year - BASE_YEAR))

    def price(self, low: int, high: int, year: int) -> int:
        """An amount in cents between two sums in francs of the base year, in steps of five cents."""
        steps = self.rng.randint(low * 20, high * 20)
        return 5 * round(steps * inflation(year))

    def workday(self, month: date) -> date:
        """Some working day of the month."""
        days = [month.replace(day=number) for number in range(1, month_end(month).day + 1)]
        return self.rng.choice([day for day in days if day.weekday() < 5])


def inflation(year: int) -> float:
    """Prices compared with the base year."""
    return float(1.02 ** (year - BASE_YEAR))


def vat_rate(day: date) -> int:
    """The Swiss normal rate, per mille."""
    return 77 if day.year < 2024 else 81


def vat_text(day: date) -> str:
    """How a tax line is described."""
    return f"MWST {vat_rate(day) / 10} %"


def eur_rate(day: date) -> int:
    """CHF for 10,000 EUR, a little different every month."""
    return EUR_RATES.get(day.year, EUR_RATES[2025]) + (37 * day.month % 13 - 6) * 12


def start_up(books: Books, month: date) -> None:
    """Capital and a loan are paid in, and the rooms are equipped."""
    capital, loan = 25_000_000 * books.volume, 18_000_000 * books.volume
    books.journal.book(
        next_workday(month),
        "Gründung: Einzahlung Aktienkapital und Auszahlung Bankdarlehen",
        Posting("1020", capital + loan),
        Posting("2800", -capital, "Aktienkapital"),
        Posting("2400", -loan, "Bankdarlehen"),
        reference=books.journal.reference("GR", month),
    )
    for cost in START_UP:
        _buy(books, month, cost, scale=books.volume)


def sell(books: Books, month: date) -> None:
    """Invoices in CHF, some with two items, and what has to be bought to deliver them."""
    demand = SEASON[month.month - 1] * DEMAND.get(month.year, 1.0)
    # The first customers are the big ones.
    weights = [1 / (rank + 4) for rank in range(len(HOME_CUSTOMERS))]
    count = round(9.8 * books.growth(month.year) * demand)
    # Sorted, because invoices are numbered as they are written.
    for day in sorted(books.workday(month) for _ in range(count)):
        customer = books.rng.choices(HOME_CUSTOMERS, weights)[0]
        items = books.rng.choices(SALES, [sale.weight for sale in SALES], k=1 + (books.rng.random() < 0.15))
        revenue = []
        for sale in items:
            net = books.price(sale.low, sale.high, day.year)
            # The code stands on the net line only, so that turnover by code is one sum.
            revenue.append(Posting(sale.account, -net, books.rng.choice(sale.texts), f"UN{vat_rate(day)}"))
            _buy_for_resale(books, day, sale.account, net)
        _invoice(books, day, customer, revenue)


def _invoice(books: Books, day: date, customer: Contact, revenue: list[Posting]) -> None:
    net = -sum(posting.cents for posting in revenue)
    tax = round(net * vat_rate(day) / 1000)
    reference = books.journal.reference("RE", day)
    books.journal.book(
        day,
        f"Rechnung {reference} {customer.name}: {revenue[0].text}",
        Posting("1100", net + tax),
        *revenue,
        Posting("2200", -tax, vat_text(day)),
        reference=reference,
        contact=customer.number,
    )
    _collect(books, day, customer, reference, gross=net + tax)


def _collect(books: Books, invoiced: date, customer: Contact, invoice: str, *, gross: int) -> None:
    discounted = books.rng.random() < 0.08
    day = next_workday(invoiced + timedelta(days=books.rng.randint(6, 10) if discounted else books.rng.randint(14, 58)))
    discount = gross * 2 // 100 if discounted else 0
    rate = vat_rate(invoiced)
    discount_tax = round(discount * rate / (1000 + rate))
    books.journal.book(
        day,
        f"Zahlungseingang {customer.name}, {invoice}",
        Posting("1010" if books.rng.random() < 0.12 else "1020", gross - discount),
        Posting("3800", discount - discount_tax, f"Skonto {invoice}", f"UN{rate}"),
        Posting("2200", discount_tax, vat_text(invoiced)),
        Posting("1100", -gross),
        reference=books.journal.reference("ZE", day),
        contact=customer.number,
    )


def sell_abroad(books: Books, month: date) -> None:
    """Invoices in EUR by the currency-position method: one entry in EUR, one with its value in CHF."""
    demand = SEASON[month.month - 1] * DEMAND.get(month.year, 1.0)
    count = round(1.4 * books.growth(month.year) * demand)
    for day in sorted(books.workday(month) for _ in range(count)):
        customer = books.rng.choice(EUR_CUSTOMERS)
        euro = books.price(4200, 11800, day.year)
        value = round(euro * eur_rate(day) / 10000)
        reference = books.journal.reference("RX", day)
        text = f"Rechnung {reference} {customer.name}: {books.rng.choice(SALES[0].texts)}"
        books.journal.book(
            day,
            text,
            Posting("1105", euro),
            Posting("1190", -euro),
            reference=reference,
            contact=customer.number,
            currency="EUR",
        )
        books.journal.book(
            day,
            f"{text} (Gegenwert CHF)",
            Posting("1191", value),
            Posting("3400", -value, tax_code="UN00"),
            reference=reference,
            contact=customer.number,
        )
        _collect_abroad(books, day, customer, reference, euro=euro, value=value)


def _collect_abroad(books: Books, invoiced: date, customer: Contact, invoice: str, *, euro: int, value: int) -> None:
    day = next_workday(invoiced + timedelta(days=books.rng.randint(20, 65)))
    received = round(euro * eur_rate(day) / 10000)
    reference = books.journal.reference("ZE", day)
    text = f"Zahlungseingang {customer.name}, {invoice}"
    books.journal.book(
        day,
        text,
        Posting("1190", euro),
        Posting("1105", -euro),
        reference=reference,
        contact=customer.number,
        currency="EUR",
    )
    books.journal.book(
        day,
        f"{text} (Gegenwert CHF)",
        Posting("1020", received),
        Posting("6949", value - received, f"Währungsdifferenz {invoice}"),
        Posting("1191", -value),
        reference=reference,
        contact=customer.number,
    )


def buy(books: Books, month: date) -> None:
    """What is due every month or quarter, and what comes up."""
    for cost in RECURRING:
        if month.month in cost.months:
            _buy(books, month, cost, scale=books.volume)
    for cost in books.rng.choices(OCCASIONAL, k=round(2.6 * books.growth(month.year))):
        _buy(books, month, cost)


def _buy_for_resale(books: Books, day: date, sold: str, net: int) -> None:
    if sold not in RESALE or (sold == "3400" and books.rng.random() > 0.14):
        return
    account, vendors = RESALE[sold]
    vendor = VENDORS[books.rng.choice(vendors)]
    cost_center = "Beratung" if sold == "3400" else "Handel"
    amount = net * books.rng.randint(58, 70) // 500 * 5
    cost = Cost(account, vendor.name, "Einkauf zu Kundenauftrag", 0, 0, "VM", cost_center)
    _purchase(books, day, cost, amount)


def _buy(books: Books, month: date, cost: Cost, *, scale: int = 1) -> None:
    day = books.workday(month)
    text = f"{cost.text} {MONTHS[month.month - 1]} {month.year}"
    _purchase(books, day, cost._replace(text=text), books.price(cost.low, cost.high, day.year) * scale)


def _purchase(books: Books, day: date, cost: Cost, net: int) -> None:
    """A vendor's invoice and its payment; vendors abroad charge no Swiss tax."""
    vendor = VENDORS[cost.vendor]
    kind = cost.tax if vendor.country == "CH" else None
    tax = round(net * vat_rate(day) / 1000) if kind else 0
    reference = books.journal.reference("KR", day)
    books.journal.book(
        day,
        f"{cost.text}, {vendor.name}",
        Posting(cost.account, net, cost.text, f"{kind}{vat_rate(day)}" if kind else None, cost.cost_center),
        Posting("1170" if kind == "VM" else "1171", tax, vat_text(day)),
        Posting("2000", -net - tax),
        reference=reference,
        contact=vendor.number,
    )
    paid = next_workday(day + timedelta(days=books.rng.randint(10, 30)))
    books.journal.book(
        paid,
        f"Zahlung {vendor.name}, {reference}",
        Posting("2000", net + tax),
        Posting("1020", -net - tax),
        reference=books.journal.reference("ZA", paid),
        contact=vendor.number,
    )


def petty_cash(books: Books, month: date) -> None:
    """The till is filled up from the bank, then spent in small sums."""
    first = next_workday(month)
    refill = (120_000 - books.journal.balance("1000")) // 10_000 * 10_000
    books.journal.book(
        first,
        "Barbezug für Kasse",
        Posting("1000", refill),
        Posting("1020", -refill),
        reference=books.journal.reference("KA", first),
    )
    for cost in books.rng.choices(PETTY_CASH, k=books.rng.randint(3, 5)):
        day = max(first, books.workday(month))
        gross = books.price(cost.low, cost.high, day.year)
        tax = round(gross * vat_rate(day) / (1000 + vat_rate(day))) if cost.tax else 0
        tax_code = f"{cost.tax}{vat_rate(day)}" if cost.tax else None
        books.journal.book(
            day,
            cost.text,
            Posting(cost.account, gross - tax, None, tax_code, cost.cost_center),
            Posting("1171", tax, vat_text(day)),
            Posting("1000", -gross),
            reference=books.journal.reference("KA", day),
        )


def payroll(books: Books, month: date) -> None:
    """Wages by cost centre, with a 13th in December, and the social insurances on them."""
    day = month.replace(day=25) - timedelta(days=max(0, month.replace(day=25).weekday() - 4))
    monthly = round(29_500 * books.growth(month.year) * inflation(month.year)) * 100
    wages = monthly * (2 if month.month == 12 else 1)
    shares = [(center, wages * percent // 100) for center, percent in COST_CENTERS]
    gross = sum(amount for _, amount in shares)
    deducted = gross * 129 // 1000
    text = f"Löhne {MONTHS[month.month - 1]} {month.year}"
    books.journal.book(
        day,
        text,
        *(Posting("5000", amount, f"{text} {center}", None, center) for center, amount in shares),
        Posting("2270", -deducted, "Abzüge Arbeitnehmende"),
        Posting("1020", -gross + deducted, "Auszahlung Löhne netto"),
        reference=books.journal.reference("LO", day),
    )
    pension = gross * 55 // 1000
    employer = {"5700": gross * 64 // 1000, "5720": pension, "5730": gross * 9 // 1000, "5740": gross * 7 // 1000}
    books.journal.book(
        month_end(month),
        f"Sozialversicherungen Arbeitgeber {MONTHS[month.month - 1]} {month.year}",
        *(Posting(account, amount) for account, amount in employer.items()),
        Posting("2270", -sum(employer.values())),
        reference=books.journal.reference("LO", day),
    )
    paid = next_workday(month_end(month) + timedelta(days=12))
    owed = deducted + sum(employer.values())
    books.journal.book(
        paid,
        f"Zahlung Sozialversicherungen {MONTHS[month.month - 1]} {month.year}",
        Posting("2270", owed),
        Posting("1020", 2 * pension - owed, "AHV, Unfall und Krankentaggeld"),
        Posting("1021", -2 * pension, "Berufliche Vorsorge"),
        reference=books.journal.reference("ZA", paid),
    )


def side_business(books: Books, month: date) -> None:
    """The training room is let, and cleaned every quarter."""
    day = books.workday(month)
    net = books.price(450, 1300, day.year) * books.volume
    tax = round(net * vat_rate(day) / 1000)
    books.journal.book(
        day,
        f"Vermietung Schulungsraum {MONTHS[month.month - 1]} {month.year}",
        Posting("1010", net + tax),
        Posting("7000", -net, None, f"UN{vat_rate(day)}"),
        Posting("2200", -tax, vat_text(day)),
        reference=books.journal.reference("NB", day),
    )
    if month.month % 3 == 0:
        cleaning = books.price(240, 420, day.year) * books.volume
        books.journal.book(
            day,
            "Reinigung und Betrieb Schulungsraum",
            Posting("7010", cleaning, None, None, "Verwaltung"),
            Posting("1010", -cleaning),
            reference=books.journal.reference("NB", day),
        )
