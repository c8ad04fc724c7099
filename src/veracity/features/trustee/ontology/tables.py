"""The five tables and three declared views of the trustee ontology.

The runtime scopes every base table itself, so a view joins on business keys alone. Its SQL is DuckDB's, kept to what
sqlglot translates for PostgreSQL and SQLite.
"""

from __future__ import annotations

from veracity.features.trustee.ontology.invariants import (
    ENTRY_INVARIANTS,
    LINE_INVARIANTS,
    MONTH_OF_ENTRY,
    NORMAL_SIDE_INVARIANTS,
    PERIOD_INVARIANTS,
    YEAR_OF_ENTRY,
)
from veracity.features.trustee.ontology.three_languages import Three, text, word_lists
from veracity.ontology.descriptor import Additivity, Entity, EntityField, FieldRole, SemanticType

ACCOUNT = "TrusteeDataAccount"
BALANCE = "TrusteeDataAccountBalance"
ENTRY = "TrusteeDataJournalEntry"
LINE = "TrusteeDataJournalLine"
CONTACT = "TrusteeDataContact"
BALANCE_BY_ACCOUNT = "TrusteeBalanceByAccount"
LEDGER_LINE = "TrusteeLedgerLine"
ENTRY_WITH_CONTACT = "TrusteeEntryWithContact"

PERIOD = ("periodYear", "periodMonth")
# Positive means debit for an asset and credit for a liability: cells of two classes do not add up to anything.
PERIOD_AND_CLASS = (*PERIOD, "accountClass")


def _field(
    name: str,
    label: Three,
    role: FieldRole,
    *,
    synonyms: Three | None = None,
    note: Three | None = None,
    values: dict[str, Three] | None = None,
    categorical: bool | None = None,
) -> EntityField:
    return EntityField(
        name=name,
        label=text(*label),
        role=role,
        synonyms=word_lists(*synonyms) if synonyms else {},
        description=text(*note) if note else {},
        values={stored: word_lists(*called) for stored, called in (values or {}).items()},
        categorical=categorical,
    )


def _id(name: str, label: Three) -> EntityField:
    return _field(name, label, FieldRole.IDENTIFIER)


def _free(name: str, label: Three) -> EntityField:
    return _field(name, label, FieldRole.FREE_TEXT, categorical=False)


def _amount(
    name: str,
    label: Three,
    *,
    synonyms: Three | None = None,
    note: Three | None = None,
    unit_field: str | None = "currency",
) -> EntityField:
    field = _field(name, label, FieldRole.AMOUNT, synonyms=synonyms, note=note)
    return field.model_copy(update={"additivity": Additivity.ADDITIVE, "unit_field": unit_field})


def _balances(over: tuple[str, ...]) -> tuple[EntityField, ...]:
    turnover = ("Bewegung der Periode, kein Saldo", "period TURNOVER, not a balance", "本期发生额，不是余额")
    amounts = (
        _amount(
            "openingBalance",
            ("Eröffnungssaldo", "Opening balance", "期初余额"),
            synonyms=(
                "Anfangssaldo, Anfangsbestand, Saldovortrag",
                "balance brought forward, starting balance",
                "年初余额",
            ),
        ),
        _amount(
            "debitTotal",
            ("Sollumsatz", "Debit turnover", "借方发生额"),
            synonyms=("Soll-Umsatz, Total Soll", "total debits, debit total", "借方合计"),
            note=turnover,
        ),
        _amount(
            "creditTotal",
            ("Habenumsatz", "Credit turnover", "贷方发生额"),
            synonyms=("Haben-Umsatz, Total Haben", "total credits, credit total", "贷方合计"),
            note=turnover,
        ),
        _amount(
            "closingBalance",
            ("Schlusssaldo", "Closing balance", "期末余额"),
            synonyms=(
                "Saldo, Endsaldo, Schlussbestand, Saldo per Ende",
                "balance, ending balance, balance carried forward",
                "余额, 年末余额",
            ),
            note=("Saldo am Ende der Periode", "balance at the end of the period", "期间结束时的余额"),
        ),
    )
    moments = {"openingBalance": "start", "closingBalance": "end"}
    semi = {"additivity": Additivity.SEMI_ADDITIVE, "over": over}
    return tuple(amount.model_copy(update={**semi, "moment": moments.get(amount.name)}) for amount in amounts)


def _renamed(field: EntityField, name: str) -> EntityField:
    return field.model_copy(update={"name": name})


_ID = _id("id", ("ID", "ID", "标识"))
_ACCOUNT_NUMBER = _field(
    "accountNumber",
    ("Kontonummer", "Account number", "科目编号"),
    FieldRole.CODE,
    synonyms=("Konto-Nr., Kontonr.", "account no., account code", "科目代码, 科目号"),
    note=("Text; Gruppe mit LIKE, z. B. 60%", "text; a group is a LIKE, e.g. 60%", "文本；科目组用 LIKE，如 60%"),
    categorical=True,
)
_LABEL = _field(
    "label",
    ("Kontobezeichnung", "Account name", "科目名称"),
    FieldRole.NAME,
    synonyms=("Kontoname, Bezeichnung", "account label, account title", "账户名称"),
    categorical=True,
)
_ACCOUNT_CLASS = _field(
    "accountClass",
    ("Kontoart", "Account class", "科目类别"),
    FieldRole.CATEGORY,
    synonyms=("Kontotyp", "account type, kind of account", "科目类型"),
    note=("asset, liability, revenue, expense, closing",) * 3,
    values={
        "asset": ("Aktiv, Aktiven, Aktivkonto, Aktivkonten", "assets, asset account, asset accounts", "资产, 资产科目"),
        "liability": (
            "Passiv, Passiven, Passivkonto, Passivkonten",
            "liabilities, liability account, liability accounts",
            "负债, 负债科目",
        ),
        "revenue": (
            "Ertrag, Ertragskonto, Ertragskonten",
            "income, revenue account, revenue accounts",
            "收入, 收入科目",
        ),
        "expense": ("Aufwand, Aufwandskonto, Aufwandskonten, Kosten", "cost, costs, expenses", "费用, 费用科目"),
        "closing": ("Abschlusskonto, Abschlusskonten", "closing account, closing accounts", "结账科目"),
    },
    categorical=True,
)
_CURRENCY = _field(
    "currency",
    ("Währung", "Currency", "币种"),
    FieldRole.CURRENCY,
    synonyms=("Währungen", "currencies", "货币"),
    categorical=True,
)
_PERIOD_YEAR = _field(
    "periodYear",
    ("Jahr", "Year", "年度"),
    FieldRole.PERIOD,
    synonyms=("Geschäftsjahr, Rechnungsjahr", "fiscal year, financial year", "会计年度, 财年"),
)
_PERIOD_MONTH = _field(
    "periodMonth",
    ("Monat", "Month", "月份"),
    FieldRole.PERIOD,
    note=("0 = ganzes Jahr, 1-12 = Monat", "0 = whole year, 1-12 = month", "0 = 全年，1-12 = 月"),
)
_ENTRY_NUMBER = _field(
    "entryNumber",
    ("Buchungsnummer", "Entry number", "凭证号"),
    FieldRole.CODE,
    synonyms=("Belegnummer, Buchungs-Nr.", "entry no., voucher number", "凭证编号"),
)
_BOOKING_DATE = _field(
    "bookingDate",
    ("Buchungsdatum", "Booking date", "记账日期"),
    FieldRole.DATE,
    synonyms=("Datum, Valuta, gebucht am", "date, posting date, entry date", "日期, 入账日期"),
    note=("Unix-Sekunden, UTC", "Unix seconds, UTC", "Unix 秒，UTC"),
)
_BOOKING_YEAR = _field("bookingYear", ("Buchungsjahr", "Booking year", "记账年份"), FieldRole.PERIOD)
_BOOKING_MONTH = _field("bookingMonth", ("Buchungsmonat", "Booking month", "记账月份"), FieldRole.PERIOD)
_REFERENCE = _free("reference", ("Referenz", "Reference", "参考号"))
_DESCRIPTION = _free("description", ("Buchungstext", "Description", "摘要"))
_TOTAL_AMOUNT = _amount(
    "totalAmount",
    ("Buchungsbetrag", "Entry amount", "凭证金额"),
    synonyms=("Betrag, Betrag der Buchung, Belegbetrag", "amount, entry total, amount of the entry", "金额, 凭证总额"),
    note=("Summe der Sollzeilen", "sum of the entry's debits", "借方合计"),
)
_DEBIT_AMOUNT = _amount("debitAmount", ("Sollbetrag", "Debit amount", "借方金额"))
_CREDIT_AMOUNT = _amount("creditAmount", ("Habenbetrag", "Credit amount", "贷方金额"))
_TAX_CODE = _field(
    "taxCode",
    ("MWST-Code", "Tax code", "税码"),
    FieldRole.CATEGORY,
    synonyms=("Steuercode, Steuerschlüssel", "VAT code", "税务代码"),
    categorical=True,
)
_COST_CENTER = _field(
    "costCenter",
    ("Kostenstelle", "Cost centre", "成本中心"),
    FieldRole.CATEGORY,
    synonyms=("Kostenstellen, KST", "cost center, cost centers, cost centres", "成本中心名称"),
    categorical=True,
)
_CONTACT_NUMBER = _field(
    "contactNumber",
    ("Kontaktnummer", "Contact number", "联系人编号"),
    FieldRole.CODE,
    synonyms=("Kundennummer, Lieferantennummer", "customer number, vendor number", "客户编号, 供应商编号"),
)
_CONTACT_NAME = _field(
    "name",
    ("Name", "Name", "名称"),
    FieldRole.NAME,
    synonyms=("Firma, Firmenname", "company, company name", "公司名称"),
    categorical=True,
)
_CONTACT_TYPE = _field(
    "contactType",
    ("Kontaktart", "Contact type", "联系人类型"),
    FieldRole.CATEGORY,
    note=("customer, vendor",) * 3,
    values={
        "customer": ("Kunde, Kunden, Kundschaft", "customers, client, clients", "客户"),
        "vendor": ("Lieferant, Lieferanten", "vendors, supplier, suppliers", "供应商, 供货商"),
    },
    categorical=True,
)
_CITY = _field(
    "city", ("Ort", "City", "城市"), FieldRole.CATEGORY, synonyms=("Stadt", "town", "所在城市"), categorical=True
)
_COUNTRY = _field(
    "country",
    ("Land", "Country", "国家"),
    FieldRole.CATEGORY,
    synonyms=("Länder", "countries", "所在国家"),
    note=("zweistelliger Code, z. B. CH", "two-letter code, e.g. CH", "两位代码，如 CH"),
    values={
        "CH": ("Schweiz", "Switzerland", "瑞士"),
        "DE": ("Deutschland", "Germany", "德国"),
        "AT": ("Österreich", "Austria", "奥地利"),
    },
    categorical=True,
)

TABLES = (
    Entity(
        name=ACCOUNT,
        table=ACCOUNT,
        label=text("Konto", "Account", "科目"),
        synonyms=word_lists(
            "Konten, Sachkonto, Kontenplan", "accounts, ledger account, chart of accounts", "会计科目, 账户, 科目表"
        ),
        semantic_type=SemanticType.ACCOUNT,
        description=text("Kontenplan", "chart of accounts", "科目表"),
        grain=("accountNumber",),
        fields=(
            _ID,
            _ACCOUNT_NUMBER,
            _LABEL,
            _ACCOUNT_CLASS,
            _CURRENCY,
            _field("isActive", ("Aktiv geführt", "Active", "启用"), FieldRole.FLAG),
        ),
    ),
    Entity(
        name=BALANCE,
        table=BALANCE,
        label=text("Kontosaldo", "Account balance", "科目余额"),
        synonyms=word_lists(
            "Saldo, Salden, Kontostand, Saldoliste", "balance, balances, trial balance", "余额, 账户余额, 余额表"
        ),
        semantic_type=SemanticType.BALANCE_SNAPSHOT,
        description=text(
            "je Konto und Periode; positiv auf der Normalseite",
            "per account and period; positive on the normal side",
            "每科目每期一行；正常方向为正",
        ),
        grain=("accountNumber", *PERIOD),
        fields=(_ID, _ACCOUNT_NUMBER, _PERIOD_YEAR, _PERIOD_MONTH, *_balances(PERIOD), _CURRENCY),
        invariants=PERIOD_INVARIANTS,
    ),
    Entity(
        name=ENTRY,
        table=ENTRY,
        label=text("Buchung", "Journal entry", "记账凭证"),
        synonyms=word_lists(
            "Buchungen, Journalbuchung, Journalbuchungen, Beleg, Belege, Buchungssatz",
            "journal entries, entry, entries, booking, bookings, posting, postings, voucher",
            "凭证, 分录, 会计分录",
        ),
        semantic_type=SemanticType.TRANSACTION,
        description=text(
            "eine Buchung mit Datum und Text", "one booking with its date and text", "一笔带日期和摘要的凭证"
        ),
        grain=("id",),
        fields=(
            _ID,
            _ENTRY_NUMBER,
            _BOOKING_DATE,
            _REFERENCE,
            _DESCRIPTION,
            _id("contactId", ("Kontakt-ID", "Contact ID", "联系人标识")),
            _CURRENCY,
            _TOTAL_AMOUNT,
        ),
        invariants=ENTRY_INVARIANTS,
    ),
    Entity(
        name=LINE,
        table=LINE,
        label=text("Buchungszeile", "Journal line", "分录明细"),
        synonyms=word_lists(
            "Buchungszeilen, Journalzeile, Journalzeilen",
            "journal lines, entry line, entry lines, posting line",
            "凭证明细, 分录行, 凭证行",
        ),
        semantic_type=SemanticType.TRANSACTION_LINE,
        description=text(
            "Soll oder Haben einer Buchung, ohne Datum", "debit or credit of an entry, no date", "凭证的借或贷，无日期"
        ),
        grain=("id",),
        fields=(
            _ID,
            _id("journalEntryId", ("Buchungs-ID", "Entry ID", "凭证标识")),
            _ACCOUNT_NUMBER,
            # The currency stands in the entry.
            _DEBIT_AMOUNT.model_copy(update={"unit_field": None}),
            _CREDIT_AMOUNT.model_copy(update={"unit_field": None}),
            _TAX_CODE,
            _COST_CENTER,
            _DESCRIPTION,
        ),
        invariants=LINE_INVARIANTS,
    ),
    Entity(
        name=CONTACT,
        table=CONTACT,
        label=text("Kontakt", "Contact", "联系人"),
        synonyms=word_lists(
            "Kontakte, Geschäftspartner", "contacts, business partner, business partners", "业务伙伴, 往来单位"
        ),
        semantic_type=SemanticType.PARTY,
        description=text("Kunden und Lieferanten", "customers and vendors", "客户和供应商"),
        grain=("id",),
        fields=(
            _ID,
            _CONTACT_NUMBER,
            _CONTACT_NAME,
            _CONTACT_TYPE,
            _CITY,
            _COUNTRY,
            _free("email", ("E-Mail", "Email", "电子邮箱")),
        ),
    ),
)

# Accounts and contacts are joined from the left: an amount is never lost because its account is missing from the chart.
VIEWS = (
    Entity(
        name=BALANCE_BY_ACCOUNT,
        label=text("Saldo mit Konto", "Balance with account", "含科目信息的余额"),
        semantic_type=SemanticType.BALANCE_SNAPSHOT,
        description=text(
            "Saldo mit Bezeichnung und Kontoart", "balance with label and accountClass", "带名称和类别的余额"
        ),
        grain=("accountNumber", *PERIOD),
        view="""
            SELECT b.accountNumber, a.label, a.accountClass, b.periodYear, b.periodMonth,
                   b.openingBalance, b.debitTotal, b.creditTotal, b.closingBalance, b.currency
            FROM TrusteeDataAccountBalance AS b
            LEFT JOIN TrusteeDataAccount AS a ON a.accountNumber = b.accountNumber
        """,
        fields=(
            _ACCOUNT_NUMBER,
            _LABEL,
            _ACCOUNT_CLASS,
            _PERIOD_YEAR,
            _PERIOD_MONTH,
            *_balances(PERIOD_AND_CLASS),
            _CURRENCY,
        ),
        invariants=NORMAL_SIDE_INVARIANTS,
    ),
    Entity(
        name=LEDGER_LINE,
        label=text("Buchungszeile mit Konto", "Ledger line", "明细账"),
        synonyms=word_lists("Kontoblatt, Hauptbuch", "general ledger, account sheet", "明细分类账, 总账"),
        semantic_type=SemanticType.TRANSACTION_LINE,
        description=text(
            "Zeile mit Datum, Konto und Kontakt", "line with date, account and contact", "含日期、科目和联系人的明细"
        ),
        grain=("lineId",),
        view=f"""
            SELECT l.id AS lineId, l.journalEntryId, e.entryNumber, e.bookingDate,
                   {YEAR_OF_ENTRY} AS bookingYear, {MONTH_OF_ENTRY} AS bookingMonth,
                   l.accountNumber, a.label AS accountLabel, a.accountClass, l.debitAmount, l.creditAmount,
                   l.debitAmount - l.creditAmount AS netAmount,
                   e.totalAmount AS entryTotalAmount, e.currency, l.taxCode, l.costCenter,
                   l.description AS lineDescription, e.description AS entryDescription,
                   c.name AS contactName, c.contactType
            FROM TrusteeDataJournalLine AS l
            JOIN TrusteeDataJournalEntry AS e ON e.id = l.journalEntryId
            LEFT JOIN TrusteeDataAccount AS a ON a.accountNumber = l.accountNumber
            LEFT JOIN TrusteeDataContact AS c ON c.id = e.contactId
        """,
        fields=(
            _id("lineId", ("Zeilen-ID", "Line ID", "明细标识")),
            _id("journalEntryId", ("Buchungs-ID", "Entry ID", "凭证标识")),
            _ENTRY_NUMBER,
            _BOOKING_DATE,
            _BOOKING_YEAR,
            _BOOKING_MONTH,
            _ACCOUNT_NUMBER,
            _renamed(_LABEL, "accountLabel"),
            _ACCOUNT_CLASS,
            _DEBIT_AMOUNT,
            _CREDIT_AMOUNT,
            _amount(
                "netAmount",
                ("Soll minus Haben", "Debit less credit", "借方减贷方"),
                note=("Soll minus Haben", "debit less credit", "借减贷"),
            ),
            _amount(
                "entryTotalAmount",
                ("Betrag der ganzen Buchung", "Amount of the whole entry", "整笔凭证金额"),
                note=("je Buchung, nicht je Zeile", "per entry, not per line", "每凭证一值，非每行"),
            ).model_copy(update={"grain": ("journalEntryId",)}),
            _CURRENCY,
            _TAX_CODE,
            _COST_CENTER,
            _free("lineDescription", ("Zeilentext", "Line description", "明细摘要")),
            _free("entryDescription", ("Buchungstext", "Entry description", "凭证摘要")),
            _renamed(_CONTACT_NAME, "contactName"),
            _CONTACT_TYPE,
        ),
    ),
    Entity(
        name=ENTRY_WITH_CONTACT,
        label=text("Buchung mit Kontakt", "Entry with contact", "含联系人的凭证"),
        semantic_type=SemanticType.TRANSACTION,
        description=text(
            "Buchung mit Jahr, Monat und Kontakt", "entry with year, month and contact", "含年月和联系人的凭证"
        ),
        grain=("entryId",),
        view=f"""
            SELECT e.id AS entryId, e.entryNumber, e.bookingDate, {YEAR_OF_ENTRY} AS bookingYear, {MONTH_OF_ENTRY} AS bookingMonth,
                   e.reference, e.description, e.totalAmount, e.currency, c.contactNumber,
                   c.name AS contactName, c.contactType, c.city AS contactCity, c.country AS contactCountry
            FROM TrusteeDataJournalEntry AS e
            LEFT JOIN TrusteeDataContact AS c ON c.id = e.contactId
        """,
        fields=(
            _id("entryId", ("Buchungs-ID", "Entry ID", "凭证标识")),
            _ENTRY_NUMBER,
            _BOOKING_DATE,
            _BOOKING_YEAR,
            _BOOKING_MONTH,
            _REFERENCE,
            _DESCRIPTION,
            _TOTAL_AMOUNT,
            _CURRENCY,
            _CONTACT_NUMBER,
            _renamed(_CONTACT_NAME, "contactName"),
            _CONTACT_TYPE,
            _renamed(_CITY, "contactCity"),
            _renamed(_COUNTRY, "contactCountry"),
        ),
    ),
)
