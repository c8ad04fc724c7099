"""`Journal`: double-entry bookings in whole cents, posted month by month."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from veracity.features.trustee.ledger.chart import Account


class Posting(NamedTuple):
    """One side of an entry: a debit is positive, a credit negative."""

    account: str
    cents: int
    text: str | None = None
    tax_code: str | None = None
    cost_center: str | None = None


class BookingEntry(NamedTuple):
    """One balanced booking."""

    day: date
    reference: str
    text: str
    postings: tuple[Posting, ...]
    contact: str | None
    currency: str


class Journal:
    """Takes entries in any order and posts each as soon as its month is open.

    Payments are known when the invoice is written, but must not count before they are due: month-end bookings
    depend on the balances of that day.
    """

    def __init__(self, accounts: Iterable[Account]) -> None:
        self.accounts = {account.number: account for account in accounts}
        self.entries: list[BookingEntry] = []
        self._waiting: list[BookingEntry] = []
        self._horizon = date.min
        self._balances: Counter[str] = Counter()
        self._references: Counter[tuple[str, int]] = Counter()

    def book(
        self,
        day: date,
        text: str,
        *postings: Posting,
        reference: str,
        contact: str | None = None,
        currency: str = "CHF",
    ) -> None:
        """Enter one booking; postings of 0 are left out, and nothing is booked when none is left."""
        kept = tuple(posting for posting in postings if posting.cents)
        if sum(posting.cents for posting in kept) != 0:
            raise ValueError(f"{reference} does not balance: {kept}")
        if any(self.accounts[posting.account].currency != currency for posting in kept):
            raise ValueError(f"{reference} is in {currency}, but not all of its accounts are: {kept}")
        if kept:
            entry = BookingEntry(day, reference, text, kept, contact, currency)
            self._take(entry)

    def open_until(self, day: date) -> None:
        """Post what was waiting for a day up to this one."""
        self._horizon = day
        waiting, self._waiting = self._waiting, []
        for entry in waiting:
            self._take(entry)

    def balance(self, account: str) -> int:
        """Debits minus credits of everything posted so far."""
        return self._balances[account]

    def reference(self, kind: str, day: date) -> str:
        """The next document number of its kind and year, such as RE-2025-0042."""
        self._references[kind, day.year] += 1
        return f"{kind}-{day.year}-{self._references[kind, day.year]:04}"

    def profit(self) -> int:
        """What revenue and expense have earned since the last transfer to equity."""
        earned = sum(
            self._balances[number]
            for number, account in self.accounts.items()
            if account.account_class in {"revenue", "expense"}
        )
        return -earned - self._balances["9200"]

    def _take(self, entry: BookingEntry) -> None:
        if entry.day > self._horizon:
            self._waiting.append(entry)
            return
        self.entries.append(entry)
        for posting in entry.postings:
            self._balances[posting.account] += posting.cents


def month_end(day: date) -> date:
    """The last day of its month."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def next_workday(day: date) -> date:
    """The day itself, or the Monday after it."""
    return day + timedelta(days=7 - day.weekday()) if day.weekday() > 4 else day
