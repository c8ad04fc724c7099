"""The synthetic ledger that ships: deterministic from a seed number, written to a DuckDB file."""

from __future__ import annotations

from calendar import timegm
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random

from veracity.features.records import Progress, write_records
from veracity.features.trustee.ledger.chart import Account
from veracity.features.trustee.ledger.companies import DEMO, OTHER, Company, keep_books
from veracity.features.trustee.ledger.journal import BookingEntry, Journal
from veracity.features.trustee.models import (
    TABLES,
    TrusteeDataAccount,
    TrusteeDataAccountBalance,
    TrusteeDataContact,
    TrusteeDataJournalEntry,
    TrusteeDataJournalLine,
    TrusteeRecord,
)

# Closing: a year's profit is a debit on 9200, and should read as a positive result.
_NORMAL_SIDE_DEBIT = {"asset": True, "expense": True, "liability": False, "revenue": False, "closing": True}
_CARRIED_FORWARD = {"asset", "liability"}


@dataclass(frozen=True)
class Ledger:
    """The books of one company as records."""

    accounts: tuple[TrusteeDataAccount, ...]
    contacts: tuple[TrusteeDataContact, ...]
    entries: tuple[TrusteeDataJournalEntry, ...]
    lines: tuple[TrusteeDataJournalLine, ...]
    balances: tuple[TrusteeDataAccountBalance, ...]

    def records(self) -> list[TrusteeRecord]:
        """All of them, table after table."""
        return [*self.accounts, *self.contacts, *self.entries, *self.lines, *self.balances]


def make_ledger(seed: int, company: Company = DEMO, *, volume: int = 1) -> Ledger:
    """The books of a company; `volume` multiplies the documents, `dataclasses.replace` gives it other years."""
    rng = Random(f"{seed} {company.mandate_id}")  # noqa: S311  not for secrets: the same seed has to give the same books
    journal = keep_books(company, rng, volume=volume)
    return _Records(company).ledger(journal)


class _Records:
    """Turns a company's journal into records; the balances come from the postings alone."""

    def __init__(self, company: Company) -> None:
        self.company = company
        self.scope = {"mandate_id": company.mandate_id, "feature_instance_id": company.feature_instance_id}

    def ledger(self, journal: Journal) -> Ledger:
        entries = sorted(journal.entries, key=lambda entry: entry.day)
        return Ledger(
            accounts=tuple(map(self.account, self.company.accounts)),
            contacts=tuple(self.contacts()),
            entries=tuple(self.entries(entries)),
            lines=tuple(self.lines(entries)),
            balances=tuple(self.balances(entries)),
        )

    def account(self, account: Account) -> TrusteeDataAccount:
        return TrusteeDataAccount(
            id=self._id("a", account.number),
            **self.scope,
            account_number=account.number,
            label=account.label,
            account_class=account.account_class,
            currency=account.currency,
            is_active=account.is_active,
        )

    def contacts(self) -> Iterator[TrusteeDataContact]:
        for contact in self.company.contacts:
            yield TrusteeDataContact(
                id=self._id("c", contact.number),
                **self.scope,
                contact_number=contact.number,
                name=contact.name,
                contact_type=contact.contact_type,
                city=contact.city,
                country=contact.country,
                email=f"{_mailbox(contact.name)}@example.com",
            )

    def entries(self, entries: Sequence[BookingEntry]) -> Iterator[TrusteeDataJournalEntry]:
        numbers: defaultdict[int, int] = defaultdict(int)
        for index, entry in enumerate(entries, start=1):
            numbers[entry.day.year] += 1
            yield TrusteeDataJournalEntry(
                id=self._id("e", f"{index:05}"),
                **self.scope,
                entry_number=f"{entry.day.year}-{numbers[entry.day.year]:05}",
                booking_date=timegm(entry.day.timetuple()),
                reference=entry.reference,
                description=entry.text,
                contact_id=self._id("c", entry.contact) if entry.contact else None,
                currency=entry.currency,
                total_amount=_money(sum(max(0, posting.cents) for posting in entry.postings)),
            )

    def lines(self, entries: Sequence[BookingEntry]) -> Iterator[TrusteeDataJournalLine]:
        for index, entry in enumerate(entries, start=1):
            for number, posting in enumerate(entry.postings, start=1):
                yield TrusteeDataJournalLine(
                    id=self._id("l", f"{index:05}-{number}"),
                    **self.scope,
                    journal_entry_id=self._id("e", f"{index:05}"),
                    account_number=posting.account,
                    debit_amount=_money(max(0, posting.cents)),
                    credit_amount=_money(max(0, -posting.cents)),
                    tax_code=posting.tax_code,
                    cost_center=posting.cost_center,
                    description=posting.text or entry.text,
                )

    def balances(self, entries: Sequence[BookingEntry]) -> Iterator[TrusteeDataAccountBalance]:
        """Every account has a row for every month and year, also when nothing was booked."""
        turnover: defaultdict[tuple[str, int, int], list[int]] = defaultdict(lambda: [0, 0])
        for entry in entries:
            for posting in entry.postings:
                turnover[posting.account, entry.day.year, entry.day.month][posting.cents < 0] += abs(posting.cents)
        for account in self.company.accounts:
            sign = 1 if _NORMAL_SIDE_DEBIT[account.account_class] else -1
            closing = 0
            for year in self.company.years:
                # A closing account starts at 0 as revenue and expense do: it shows this year's result, not all of them.
                opening = closing if account.account_class in _CARRIED_FORWARD else 0
                months = [turnover[account.number, year, month] for month in range(1, 13)]
                debit, credit = (sum(side) for side in zip(*months, strict=True))
                closing = opening + sign * (debit - credit)
                yield self._balance(account, (year, 0), (opening, debit, credit, closing))
                for month, (debit, credit) in enumerate(months, start=1):
                    after = opening + sign * (debit - credit)
                    yield self._balance(account, (year, month), (opening, debit, credit, after))
                    opening = after

    def _balance(
        self, account: Account, period: tuple[int, int], cents: tuple[int, int, int, int]
    ) -> TrusteeDataAccountBalance:
        year, month = period
        opening, debit, credit, closing = map(_money, cents)
        return TrusteeDataAccountBalance(
            id=self._id("b", f"{account.number}-{year}-{month:02}"),
            **self.scope,
            account_number=account.number,
            period_year=year,
            period_month=month,
            opening_balance=opening,
            debit_total=debit,
            credit_total=credit,
            closing_balance=closing,
            currency=account.currency,
        )

    def _id(self, kind: str, rest: str) -> str:
        return f"{self.company.prefix}-{kind}-{rest}"


def _money(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2)


def _mailbox(name: str) -> str:
    plain = name.lower().replace(" ", "-")
    return plain.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


def build_ledger(path: Path, *, seed: int = 2025, progress: Progress | None = None) -> None:
    """Write both companies to a DuckDB file that is there whole or not at all."""
    records = [record for company in (DEMO, OTHER) for record in make_ledger(seed, company).records()]
    write_records(path, TABLES, records, progress)
