"""`trustee_ontology()`: everything Veracity knows about a Swiss fiduciary ledger."""

from __future__ import annotations

from functools import cache

from veracity.features.trustee.ontology.balance_patterns import BALANCE_PATTERNS
from veracity.features.trustee.ontology.groups import ACCOUNT_CLASSES, ACCOUNT_GROUPS, ACCOUNTING_PERIOD
from veracity.features.trustee.ontology.journal_patterns import JOURNAL_PATTERNS
from veracity.features.trustee.ontology.result_patterns import RESULT_PATTERNS
from veracity.features.trustee.ontology.tables import (
    ACCOUNT,
    BALANCE,
    BALANCE_BY_ACCOUNT,
    CONTACT,
    ENTRY,
    ENTRY_WITH_CONTACT,
    LEDGER_LINE,
    LINE,
    PERIOD,
    PERIOD_AND_CLASS,
    TABLES,
    VIEWS,
)
from veracity.features.trustee.ontology.three_languages import text
from veracity.ontology.descriptor import (
    Cardinality,
    Constraint,
    ConstraintRule,
    Encoding,
    OntologyDescriptor,
    Relation,
)

_LINE_AMOUNTS = ("debitAmount", "creditAmount")
# Opening and closing balance, debit and credit total: patterns keep the prompt short.
_BALANCES = ("*Balance", "*Total")


def _fields(entity: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{entity}.{name}" for name in names)


def _many_to_one(from_entity: str, to_entity: str, via: str | None = None) -> Relation:
    return Relation(from_entity=from_entity, to_entity=to_entity, cardinality=Cardinality.MANY_TO_ONE, via=via)


def _one_to_one(from_entity: str, to_entity: str, via: str | None = None) -> Relation:
    return Relation(from_entity=from_entity, to_entity=to_entity, cardinality=Cardinality.ONE_TO_ONE, via=via)


_RELATIONS = (
    _many_to_one(LINE, ENTRY, "journalEntryId"),
    _many_to_one(LINE, ACCOUNT, "accountNumber"),
    _many_to_one(BALANCE, ACCOUNT, "accountNumber"),
    _many_to_one(BALANCE, ACCOUNTING_PERIOD.name),
    _many_to_one(ENTRY, CONTACT, "contactId"),
    _one_to_one(BALANCE_BY_ACCOUNT, BALANCE),
    _many_to_one(BALANCE_BY_ACCOUNT, ACCOUNT, "accountNumber"),
    _one_to_one(LEDGER_LINE, LINE, "lineId"),
    _many_to_one(LEDGER_LINE, ENTRY, "journalEntryId"),
    _many_to_one(LEDGER_LINE, ACCOUNT, "accountNumber"),
    _one_to_one(ENTRY_WITH_CONTACT, ENTRY, "entryId"),
    _many_to_one(ENTRY_WITH_CONTACT, CONTACT),
    *(_many_to_one(group.name, group.parent_entity) for group in ACCOUNT_GROUPS if group.parent_entity),
)

_ADDITION_RULES = (
    Constraint(
        applies_to=_BALANCES,
        rule=ConstraintRule.NEVER_AGGREGATE,
        message=text(
            "Kein SUM/AVG über Salden: queryTable mit Filter periodYear, periodMonth.",
            "No SUM or AVG of balances: queryTable with periodYear and periodMonth filters.",
            "余额不可 SUM/AVG：请用 queryTable 并过滤 periodYear 和 periodMonth。",
        ),
    ),
    Constraint(
        applies_to=_fields(BALANCE, *_BALANCES),
        rule=ConstraintRule.SEMI_ADDITIVE,
        fields=PERIOD,
        message=text(
            "Salden nur innerhalb einer Periode addieren: periodYear, periodMonth gleich.",
            "Add balances of one period only: same periodYear and periodMonth.",
            "只能相加同一期间的余额：periodYear 和 periodMonth 相同。",
        ),
    ),
    Constraint(
        applies_to=_fields(BALANCE_BY_ACCOUNT, *_BALANCES),
        rule=ConstraintRule.SEMI_ADDITIVE,
        fields=PERIOD_AND_CLASS,
        message=text(
            "Salden nur innerhalb einer Periode und einer accountClass addieren.",
            "Add balances of one period and one accountClass only.",
            "只能相加同一期间、同一 accountClass 的余额。",
        ),
    ),
)

_FILTER_RULES = (
    Constraint(
        applies_to=(BALANCE, BALANCE_BY_ACCOUNT),
        rule=ConstraintRule.REQUIRES_FILTER_ON,
        fields=PERIOD,
        apart={"periodMonth": 0},
        message=text(
            "Nach periodYear und periodMonth filtern (0 = ganzes Jahr, 1-12 = Monat).",
            "Filter periodYear and periodMonth (0 = whole year, 1-12 = month).",
            "请过滤 periodYear 和 periodMonth（0 = 全年，1-12 = 月）。",
        ),
    ),
    Constraint(
        applies_to=("*.bookingDate",),
        rule=ConstraintRule.TYPE_MISMATCH_GUARD,
        expects=Encoding.UNIX_SECONDS,
        message=text(
            "Unix-Sekunden (UTC) angeben, z. B. 1735689600 für 2025-01-01.",
            "Give Unix seconds (UTC), e.g. 1735689600 for 2025-01-01.",
            "请用 Unix 秒（UTC），如 2025-01-01 为 1735689600。",
        ),
    ),
)


def _twice_per_contact(entity: str, *fields: str) -> Constraint:
    return Constraint(
        applies_to=_fields(entity, "totalAmount"),
        rule=ConstraintRule.WRONG_TABLE_FOR,
        use=LEDGER_LINE,
        when=fields,
        message=text(
            "Rechnung und Zahlung sind zwei Buchungen: TrusteeLedgerLine nach accountClass.",
            "Invoice and payment are two entries: sum TrusteeLedgerLine by accountClass.",
            "发票和付款是两笔凭证：请按 accountClass 汇总 TrusteeLedgerLine。",
        ),
    )


_TABLE_RULES = (
    Constraint(
        applies_to=_fields(ENTRY, "totalAmount") + _fields(ENTRY_WITH_CONTACT, "totalAmount"),
        rule=ConstraintRule.WRONG_TABLE_FOR,
        use=BALANCE,
        when=("description",),
        message=text(
            "Ertrag und Aufwand sind Salden: TrusteeDataAccountBalance nach Konto filtern.",
            "Revenue and cost are balances: filter TrusteeDataAccountBalance by account.",
            "收入和费用是余额：请按科目过滤 TrusteeDataAccountBalance。",
        ),
    ),
    _twice_per_contact(ENTRY, "contactId"),
    _twice_per_contact(
        ENTRY_WITH_CONTACT, "contactNumber", "contactName", "contactType", "contactCity", "contactCountry"
    ),
    Constraint(
        applies_to=_fields(LINE, *_LINE_AMOUNTS),
        rule=ConstraintRule.WRONG_TABLE_FOR,
        use=BALANCE,
        unless=("journalEntryId", "costCenter", "taxCode"),
        message=text(
            "Zeilen haben kein Datum: TrusteeDataAccountBalance oder TrusteeLedgerLine.",
            "Lines have no date: use TrusteeDataAccountBalance, or TrusteeLedgerLine.",
            "明细没有日期：请用 TrusteeDataAccountBalance 或 TrusteeLedgerLine。",
        ),
    ),
    Constraint(
        applies_to=_fields(LEDGER_LINE, *_LINE_AMOUNTS, "netAmount"),
        rule=ConstraintRule.WRONG_TABLE_FOR,
        use=BALANCE,
        when=("lineDescription", "entryDescription"),
        message=text(
            "Beträge nicht nach Text suchen: TrusteeDataAccountBalance nach Konto filtern.",
            "Don't find amounts by text: filter TrusteeDataAccountBalance by account.",
            "不要按摘要查金额：请按科目过滤 TrusteeDataAccountBalance。",
        ),
    ),
)


def _same_unit(applies_to: tuple[str, ...], *fields: str) -> Constraint:
    return Constraint(
        applies_to=applies_to,
        rule=ConstraintRule.SAME_UNIT,
        fields=fields,
        message=text(
            "Beträge in mehreren Währungen: nach currency filtern oder gruppieren.",
            "Amounts may be in several currencies: filter or group by currency.",
            "金额可能有多种币种：请按 currency 过滤或分组。",
        ),
    )


_UNIT_RULES = (
    Constraint(
        applies_to=_fields(LINE, *_LINE_AMOUNTS),
        rule=ConstraintRule.SAME_UNIT,
        fields=("journalEntryId", "accountNumber"),
        message=text(
            "Zeilen ohne Währung: nach accountNumber filtern oder TrusteeLedgerLine.",
            "Lines have no currency: filter accountNumber or use TrusteeLedgerLine.",
            "明细没有币种：请过滤 accountNumber 或用 TrusteeLedgerLine。",
        ),
    ),
    _same_unit(_BALANCES, "currency", "accountNumber"),
    _same_unit(_fields(LEDGER_LINE, "*Amount"), "currency", "accountNumber", "journalEntryId", "entryNumber"),
    _same_unit(_fields(ENTRY, "totalAmount"), "currency", "id", "entryNumber"),
    _same_unit(_fields(ENTRY_WITH_CONTACT, "totalAmount"), "currency", "entryId", "entryNumber"),
)


@cache
def trustee_ontology() -> OntologyDescriptor:
    """The trustee ontology; built once."""
    return OntologyDescriptor(
        feature_code="trustee",
        locale="de-CH",
        description=text("Schweizer Buchhaltung (KMU)", "Swiss bookkeeping (SME)", "瑞士中小企业账务"),
        entities=(*TABLES, *VIEWS, *ACCOUNT_CLASSES, *ACCOUNT_GROUPS, ACCOUNTING_PERIOD),
        relations=_RELATIONS,
        constraints=(*_ADDITION_RULES, *_FILTER_RULES, *_TABLE_RULES, *_UNIT_RULES),
        canonical_patterns=(*BALANCE_PATTERNS, *RESULT_PATTERNS, *JOURNAL_PATTERNS),
    )
