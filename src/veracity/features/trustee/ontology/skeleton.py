"""Parts of the canonical query patterns: slots, filters, tool calls and answers.

What fills a slot: a YEAR or MONTH the number, a DATE with a `field` that column's own encoding, a CODE or VALUE the
stored text, a GROUP the LIKE pattern of an account class or group. The DATE slot `date` has no field: it is only said in
answers and is the last day of the period that `year` and `month` name, also when the question gives just the year.
In an answer `{group}` is the name of the class or group, and `{period}` the period of the question in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from veracity.features.trustee.ontology.tables import ACCOUNT, BALANCE, CONTACT, ENTRY, LINE
from veracity.features.trustee.ontology.three_languages import Three, text
from veracity.ontology.descriptor import CanonicalQueryPattern, Slot, SlotKind, ToolCall

Filter = dict[str, Any]

YEAR = Slot(name="year", kind=SlotKind.YEAR, field=f"{BALANCE}.periodYear", example=2025)
FIRST_YEAR = Slot(name="firstYear", kind=SlotKind.YEAR, field=f"{BALANCE}.periodYear", example=2024)
SECOND_YEAR = Slot(name="secondYear", kind=SlotKind.YEAR, field=f"{BALANCE}.periodYear", example=2025)
MONTH = Slot(name="month", kind=SlotKind.MONTH, field=f"{BALANCE}.periodMonth", example=3)
MONTH_OR_YEAR = MONTH.model_copy(update={"default": 0})
DATE = Slot(name="date", kind=SlotKind.DATE, example="2025-12-31")
# The first and the last day of January 2025, as the column stores them.
FROM_DATE = Slot(name="from", kind=SlotKind.DATE, field=f"{ENTRY}.bookingDate", example=1735689600)
TO_DATE = Slot(name="to", kind=SlotKind.DATE, field=f"{ENTRY}.bookingDate", example=1738281600)
ACCOUNT_CODE = Slot(name="account", kind=SlotKind.CODE, field=f"{ACCOUNT}.accountNumber", example="1020")
ACCOUNT_CLASS = Slot(name="accountClass", kind=SlotKind.VALUE, field=f"{ACCOUNT}.accountClass", example="expense")
CURRENCY = Slot(name="currency", kind=SlotKind.VALUE, field=f"{BALANCE}.currency", example="CHF", default="CHF")
ENTRY_CODE = Slot(name="entry", kind=SlotKind.CODE, field=f"{ENTRY}.entryNumber", example="2025-00001")
COST_CENTER = Slot(name="costCenter", kind=SlotKind.VALUE, field=f"{LINE}.costCenter", example="Beratung")
TOP = Slot(name="top", kind=SlotKind.NUMBER, example=5, default=10)

AT_DATE = (YEAR, MONTH_OR_YEAR, DATE)

CLOSING = "accountNumber, periodYear, periodMonth, closingBalance, currency"
OPENING = "accountNumber, periodYear, periodMonth, openingBalance, currency"
TURNOVER = "accountNumber, periodYear, periodMonth, debitTotal, creditTotal, currency"
# With the account's class, so that rows of two classes are never added up.
CLOSING_BY_CLASS = "accountNumber, label, accountClass, periodYear, periodMonth, closingBalance, currency"
TURNOVER_BY_CLASS = "accountNumber, label, accountClass, periodYear, periodMonth, debitTotal, creditTotal, currency"


def group_slot(example: str) -> Slot:
    """An account class or group, as the LIKE pattern of its numbers."""
    return Slot(name="group", kind=SlotKind.GROUP, field=f"{BALANCE}.accountNumber", example=example)


def contact_slot(example: str) -> Slot:
    """A customer or vendor by name."""
    return Slot(name="contact", kind=SlotKind.VALUE, field=f"{CONTACT}.name", example=example)


def where(field: str, op: str, value: Any) -> Filter:
    """One filter; filters are joined by AND."""
    return {"field": field, "op": op, "value": value}


EXPENSE = where("accountClass", "=", "expense")
REVENUE = where("accountClass", "=", "revenue")


def numbered(like: str) -> Filter:
    """The accounts of a class or group."""
    return where("accountNumber", "LIKE", like)


def period(year: str = "{year}", month: str | int = "{month}") -> tuple[Filter, Filter]:
    """The two filters that every balance needs."""
    return where("periodYear", "=", year), where("periodMonth", "=", month)


def query(
    table: str,
    fields: str,
    *filters: Filter,
    ascending: str | None = None,
    descending: str | None = None,
    limit: int | str | None = None,
) -> ToolCall:
    """A `queryTable` call; the fields are one string with commas."""
    args: dict[str, Any] = {"tableName": table, "fields": fields.split(", "), "filters": list(filters)}
    if order := ascending or descending:
        args["orderBy"] = [{"field": order, "direction": "ASC" if ascending else "DESC"}]
    if limit is not None:
        args["limit"] = limit
    return ToolCall(tool="queryTable", args=args)


def aggregate(
    table: str, function: str, *filters: Filter, field: str | None = None, group_by: Sequence[str] = ()
) -> ToolCall:
    """An `aggregateTable` call; its column is `sum_debitAmount`, or `count` for a COUNT of rows."""
    args: dict[str, Any] = {"tableName": table, "aggregate": function, "filters": list(filters)}
    if field:
        args["field"] = field
    if group_by:
        args["groupBy"] = list(group_by)
    return ToolCall(tool="aggregateTable", args=args)


def amount(
    de: str, en: str, zh: str, *, value: str = "sum(r1.closingBalance)", rows: str | None = None
) -> dict[str, str]:
    """An answer that is one amount, in the currency of the first result; with `rows`, what it is made of is listed."""
    figure = f"{{{{ {value} }}}} {{{{ r1[0].currency }}}}"
    listed = f"\n{{{{ rows({', '.join(f'r1.{name}' for name in rows.split(', '))}) }}}}" if rows else ""
    return text(f"{de}: {figure}.{listed}", f"{en}: {figure}.{listed}", f"{zh}：{figure}。{listed}")


def pattern(
    intent: str,
    description: Three,
    *calls: ToolCall,
    slots: Sequence[Slot] = (),
    answer: dict[str, str],
    de: tuple[str, ...],
    en: tuple[str, ...],
    zh: tuple[str, ...],
) -> CanonicalQueryPattern:
    """A kind of question with its calls, its answer and example questions per language."""
    return CanonicalQueryPattern(
        intent=intent,
        description=text(*description),
        questions={"de": de, "en": en, "zh": zh},
        slots=tuple(slots),
        pattern=calls,
        answer=answer,
    )
