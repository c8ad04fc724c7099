"""The five tables of a Swiss fiduciary ledger. Class name = table name, JSON key = column name."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from veracity.wire import Wire

AccountClass = Literal["asset", "liability", "revenue", "expense", "closing"]
ContactType = Literal["customer", "vendor"]
Money = Annotated[Decimal, Field(max_digits=18, decimal_places=2)]
# int64 is what tells it from the small whole numbers, also in the JSON schema.
UnixSeconds = Annotated[int, Field(json_schema_extra={"format": "int64"})]


class TrusteeRecord(Wire):
    """One row of any table, with the scope that every row carries."""

    id: str
    mandate_id: str
    feature_instance_id: str


class TrusteeDataAccount(TrusteeRecord):
    """One account of the chart."""

    account_number: str
    label: str
    account_class: AccountClass
    currency: str
    is_active: bool


class TrusteeDataAccountBalance(TrusteeRecord):
    """One account in one period; positive on the account's normal side, in the account's currency."""

    account_number: str
    period_year: int
    period_month: Annotated[int, Field(ge=0, le=12)]
    """0 is the whole year."""
    opening_balance: Money
    debit_total: Money
    credit_total: Money
    closing_balance: Money
    currency: str


class TrusteeDataJournalEntry(TrusteeRecord):
    """One booking: its lines balance and are in its currency."""

    entry_number: str
    booking_date: UnixSeconds
    """Midnight UTC."""
    reference: str
    description: str
    contact_id: str | None = None
    currency: str
    total_amount: Money
    """The sum of its debits."""


class TrusteeDataJournalLine(TrusteeRecord):
    """One side of a booking: either the debit or the credit amount is 0."""

    journal_entry_id: str
    account_number: str
    debit_amount: Money
    credit_amount: Money
    tax_code: str | None = None
    cost_center: str | None = None
    description: str


class TrusteeDataContact(TrusteeRecord):
    """A customer or a vendor."""

    contact_number: str
    name: str
    contact_type: ContactType
    city: str
    country: str
    email: str


TABLES: tuple[type[TrusteeRecord], ...] = (
    TrusteeDataAccount,
    TrusteeDataAccountBalance,
    TrusteeDataJournalEntry,
    TrusteeDataJournalLine,
    TrusteeDataContact,
)
