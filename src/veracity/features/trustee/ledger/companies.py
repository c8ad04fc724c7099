"""The two companies of the synthetic ledger: the one that is shown, and one whose figures must never appear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from veracity.features.trustee.ledger import bookings, closing
from veracity.features.trustee.ledger.chart import (
    DEMO_ACCOUNTS,
    DEMO_CUSTOMERS,
    DEMO_VENDORS,
    OTHER_ACCOUNTS,
    OTHER_CUSTOMERS,
    OTHER_VENDORS,
    Account,
    Contact,
)
from veracity.features.trustee.ledger.journal import Journal, Posting, month_end, next_workday


@dataclass(frozen=True)
class Company:
    """Whose books: their scope, their master data, and how a month of them is booked."""

    mandate_id: str
    feature_instance_id: str
    prefix: str
    """Begins every id, so that ids differ between companies."""
    years: range
    accounts: tuple[Account, ...]
    contacts: tuple[Contact, ...]
    start: Callable[[bookings.Books, date], None]
    month: tuple[Callable[[bookings.Books, date], None], ...]
    """In this order: a booking at a month's end depends on what came before it."""


def keep_books(company: Company, rng: Random, *, volume: int = 1) -> Journal:
    """All bookings of a company, month after month."""
    journal = Journal(company.accounts)
    books = bookings.Books(journal, rng, volume)
    company.start(books, date(company.years[0], 1, 1))
    for year in company.years:
        for number in range(1, 13):
            month = date(year, number, 1)
            journal.open_until(month_end(month))
            for activity in company.month:
                activity(books, month)
    return journal


# No amount and no sum of the other company is anything but a multiple of 77.77, so that a leak can be seen.
OTHER_UNIT = 7_777


def _other_start(books: bookings.Books, month: date) -> None:
    bank, cash = 400 * OTHER_UNIT * books.volume, 10 * OTHER_UNIT * books.volume
    books.journal.book(
        month,
        "Gründung Fremdmandat",
        Posting("1020", bank),
        Posting("1000", cash),
        Posting("2800", -bank - cash),
        reference=books.journal.reference("GR", month),
    )


def _other_sales(books: bookings.Books, month: date) -> None:
    for _ in range(books.rng.randint(3, 5) * books.volume):
        day, customer = books.workday(month), books.rng.choice(OTHER_CUSTOMERS)
        amount = books.rng.randint(20, 60) * OTHER_UNIT
        _other_document(
            books, day, "Rechnung", ("1100", books.rng.choice(("3200", "3400"))), cents=amount, contact=customer
        )
        paid = next_workday(day + timedelta(days=books.rng.randint(10, 40)))
        _other_document(books, paid, "Zahlungseingang", ("1020", "1100"), cents=amount, contact=customer)


def _other_costs(books: bookings.Books, month: date) -> None:
    landlord, supplier = OTHER_VENDORS
    day, unit = books.workday(month), OTHER_UNIT * books.volume
    office = books.rng.randint(2, 6) * unit
    _other_document(books, day, "Miete", ("6000", "1020"), cents=22 * unit, contact=landlord)
    _other_document(books, day, "Büromaterial", ("6500", "2000"), cents=office, contact=supplier)
    _other_document(
        books, next_workday(day + timedelta(days=20)), "Zahlung", ("2000", "1020"), cents=office, contact=supplier
    )
    _other_document(books, month_end(month), "Löhne", ("5000", "1020"), cents=75 * unit)
    _other_document(books, month_end(month), "Übertrag Sparkonto", ("1021", "1020"), cents=6 * unit)


def _other_year_end(books: bookings.Books, month: date) -> None:
    if month.month == 12:
        last, profit = month_end(month), books.journal.profit()
        _other_document(books, last, "Jahresergebnis", ("9200", "2979"), cents=profit)
        _other_document(books, last + timedelta(days=1), "Gewinnvortrag", ("2979", "2970"), cents=profit)


def _other_document(
    books: bookings.Books, day: date, text: str, sides: tuple[str, str], *, cents: int, contact: Contact | None = None
) -> None:
    debit, credit = sides
    books.journal.book(
        day,
        f"{text} {contact.name}" if contact else text,
        Posting(debit, cents),
        Posting(credit, -cents),
        reference=books.journal.reference("FM", day),
        contact=contact.number if contact else None,
    )


DEMO = Company(
    mandate_id="m-demo",
    feature_instance_id="fi-demo",
    prefix="d",
    years=range(2019, 2026),
    accounts=DEMO_ACCOUNTS,
    contacts=DEMO_CUSTOMERS + DEMO_VENDORS,
    start=bookings.start_up,
    month=(
        bookings.petty_cash,
        bookings.sell,
        bookings.sell_abroad,
        bookings.buy,
        bookings.payroll,
        bookings.side_business,
        closing.bank_fees,
        closing.out_of_the_ordinary,
        closing.bank_loan,
        closing.covid_loan,
        closing.vat_return,
        closing.year_end,
        closing.treasury,
    ),
)

OTHER = Company(
    mandate_id="m-other",
    feature_instance_id="fi-other",
    prefix="o",
    years=range(2024, 2026),
    accounts=OTHER_ACCOUNTS,
    contacts=OTHER_CUSTOMERS + OTHER_VENDORS,
    start=_other_start,
    month=(_other_sales, _other_costs, _other_year_end),
)
