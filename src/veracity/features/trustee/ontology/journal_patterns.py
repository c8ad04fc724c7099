"""Questions that the journal, the contacts and the chart of accounts answer.

The amount of an entry is never added up per contact: the invoice and its payment are two entries. What was sold to a
customer or bought from a vendor is read from the revenue and expense lines.
"""

from __future__ import annotations

from veracity.features.trustee.ontology.skeleton import (
    ACCOUNT_CLASS,
    COST_CENTER,
    ENTRY_CODE,
    EXPENSE,
    FROM_DATE,
    TO_DATE,
    TOP,
    YEAR,
    Filter,
    aggregate,
    amount,
    contact_slot,
    numbered,
    pattern,
    query,
    where,
)
from veracity.features.trustee.ontology.tables import ACCOUNT, CONTACT, ENTRY, ENTRY_WITH_CONTACT, LEDGER_LINE
from veracity.features.trustee.ontology.three_languages import text
from veracity.ontology.descriptor import ToolCall

_ENTRY_FIELDS = "entryId, entryNumber, bookingDate, description, totalAmount, currency, contactName"
_CONTACT_FIELDS = "id, contactNumber, name, city, country"

_BOOKED_IN_YEAR = where("bookingYear", "=", "{year}")
_IN_RANGE = where("bookingDate", "BETWEEN", ["{from}", "{to}"])
_WITH_CONTACT = where("contactName", "=", "{contact}")
_CUSTOMER = where("contactType", "=", "customer")
_VENDOR = where("contactType", "=", "vendor")
_IN_CLASS = where("accountClass", "=", "{accountClass}")

_DEBITS_LESS_CREDITS = "sum(r1.sum_debitAmount) - sum(r2.sum_creditAmount)"
_CREDITS_LESS_DEBITS = "sum(r2.sum_creditAmount) - sum(r1.sum_debitAmount)"


def _debits_and_credits(*filters: Filter) -> tuple[ToolCall, ToolCall]:
    """Both sides, since corrections and refunds stand on the other one."""
    return (
        aggregate(LEDGER_LINE, "SUM", *filters, field="debitAmount", group_by=("currency",)),
        aggregate(LEDGER_LINE, "SUM", *filters, field="creditAmount", group_by=("currency",)),
    )


def _count_and_list(de: str, en: str, zh: str, columns: str) -> dict[str, str]:
    """An answer that says how many there are, and lists them."""
    rows = f"{{{{ rows({columns}) }}}}"
    return text(f"{de}\n{rows}", f"{en}\n{rows}", f"{zh}\n{rows}")


_NEWEST = text(
    "{{ r2[0].count }} Buchungen mit {contact}; die neueste am {{ date(r1[0].bookingDate) }} über "
    "{{ r1[0].totalAmount }} {{ r1[0].currency }}.",
    "{{ r2[0].count }} entries with {contact}; the newest on {{ date(r1[0].bookingDate) }} for "
    "{{ r1[0].totalAmount }} {{ r1[0].currency }}.",
    "与{contact}的凭证共 {{ r2[0].count }} 笔；最近一笔 {{ date(r1[0].bookingDate) }}，"
    "金额 {{ r1[0].totalAmount }} {{ r1[0].currency }}。",
)

_ENTRIES = (
    pattern(
        "ENTRIES_IN_DATE_RANGE",
        ("Buchungen in einem Zeitraum", "Journal entries in a date range", "某时间段内的凭证"),
        query(
            ENTRY,
            "id, entryNumber, bookingDate, description, totalAmount, currency",
            _IN_RANGE,
            ascending="bookingDate",
        ),
        aggregate(ENTRY, "COUNT", _IN_RANGE),
        slots=(FROM_DATE, TO_DATE),
        answer=_count_and_list(
            "{{ r2[0].count }} Buchungen im Zeitraum {period}:",
            "{{ r2[0].count }} journal entries in the period {period}:",
            "{period}共有 {{ r2[0].count }} 笔凭证：",
            "r1.entryNumber, r1.bookingDate, r1.description, r1.totalAmount, r1.currency",
        ),
        de=(
            "Welche Buchungen gab es zwischen dem 1. Januar 2025 und dem 31. Januar 2025?",
            "Zeige alle Buchungen vom 01.03.2024 bis 15.03.2024.",
            "Liste die Journalbuchungen im Juni 2025 auf.",
            "Was wurde vom 1. bis 15. Mai 2024 gebucht?",
        ),
        en=(
            "Which journal entries were booked between 1 January 2025 and 31 January 2025?",
            "Show all entries from 2024-03-01 to 2024-03-15.",
            "List the journal entries in June 2025.",
            "What was posted between 1 May 2024 and 15 May 2024?",
        ),
        zh=(
            "2025年1月1日到2025年1月31日之间有哪些凭证？",
            "显示2024年3月1日至2024年3月15日的所有凭证。",
            "列出2025年6月的凭证。",
            "2024年5月1日到5月15日记了哪些账？",
        ),
    ),
    pattern(
        "LARGEST_ENTRIES_OF_YEAR",
        ("Grösste Buchungen eines Jahres", "Largest entries of a year", "全年金额最大的凭证"),
        query(ENTRY_WITH_CONTACT, _ENTRY_FIELDS, _BOOKED_IN_YEAR, descending="totalAmount", limit="{top}"),
        slots=(YEAR, TOP),
        answer=text(
            "Grösste Buchung {year}: {{ r1[0].totalAmount }} {{ r1[0].currency }} am {{ date(r1[0].bookingDate) }} "
            "({{ r1[0].entryNumber }}, {{ r1[0].description }}).\n{{ rows(r1.entryNumber, r1.bookingDate, r1.description, r1.totalAmount, r1.currency) }}",
            "Largest entry of {year}: {{ r1[0].totalAmount }} {{ r1[0].currency }} on {{ date(r1[0].bookingDate) }} "
            "({{ r1[0].entryNumber }}, {{ r1[0].description }}).\n{{ rows(r1.entryNumber, r1.bookingDate, r1.description, r1.totalAmount, r1.currency) }}",
            "{year}年金额最大的凭证：{{ r1[0].totalAmount }} {{ r1[0].currency }}，{{ date(r1[0].bookingDate) }}"
            "（{{ r1[0].entryNumber }}，{{ r1[0].description }}）。\n{{ rows(r1.entryNumber, r1.bookingDate, r1.description, r1.totalAmount, r1.currency) }}",
        ),
        de=(
            "Welche sind die grössten Buchungen im Jahr 2025?",
            "Zeige die 5 grössten Buchungen 2024.",
            "Was war die höchste Buchung 2023?",
        ),
        en=(
            "What are the largest journal entries of 2025?",
            "Show the top 5 entries of 2024.",
            "What was the biggest booking in 2023?",
        ),
        zh=(
            "2025年金额最大的凭证有哪些？",
            "显示2024年金额最大的5笔凭证。",
            "2023年最大的一笔凭证是哪笔？",
        ),
    ),
    pattern(
        "NUMBER_OF_ENTRIES_IN_YEAR",
        ("Anzahl Buchungen eines Jahres", "Number of entries in a year", "全年凭证数量"),
        aggregate(ENTRY_WITH_CONTACT, "COUNT", _BOOKED_IN_YEAR),
        slots=(YEAR,),
        answer=text(
            "Im Jahr {year} gibt es {{ r1[0].count }} Buchungen.",
            "There are {{ r1[0].count }} journal entries in {year}.",
            "{year}年共有 {{ r1[0].count }} 笔凭证。",
        ),
        de=(
            "Wie viele Buchungen gab es 2025?",
            "Anzahl Journalbuchungen im Jahr 2024?",
            "Wie oft wurde 2023 gebucht?",
        ),
        en=(
            "How many journal entries were there in 2025?",
            "Number of bookings in 2024?",
            "How many entries were posted in 2023?",
        ),
        zh=(
            "2025年有多少笔凭证？",
            "2024年凭证数量是多少？",
            "2023年一共记了多少笔账？",
        ),
    ),
    pattern(
        "ENTRIES_OF_CONTACT",
        ("Buchungen mit einem Kontakt", "Entries of a contact", "某联系人的凭证"),
        query(ENTRY_WITH_CONTACT, _ENTRY_FIELDS, _WITH_CONTACT, descending="bookingDate", limit=20),
        aggregate(ENTRY_WITH_CONTACT, "COUNT", _WITH_CONTACT),
        slots=(contact_slot("Alpenblick Systeme AG"),),
        answer=_NEWEST,
        de=(
            "Welche Buchungen gibt es mit Alpenblick Systeme AG?",
            "Zeige alle Buchungen der Bergkristall Pharma AG.",
            "Wie viele Buchungen haben wir mit Seefeld Immobilien AG?",
            "Was wurde mit Bergkristall Pharma AG gebucht?",
        ),
        en=(
            "Which journal entries are there with Alpenblick Systeme AG?",
            "Show all entries of Bergkristall Pharma AG.",
            "How many bookings do we have with Seefeld Immobilien AG?",
            "What has been posted for Bergkristall Pharma AG?",
        ),
        zh=(
            "与Alpenblick Systeme AG有哪些凭证？",
            "显示Bergkristall Pharma AG的所有凭证。",
            "我们与Seefeld Immobilien AG有多少笔凭证？",
            "Bergkristall Pharma AG的记账记录有哪些？",
        ),
    ),
    pattern(
        "ENTRIES_OF_CONTACT_IN_YEAR",
        ("Buchungen mit einem Kontakt in einem Jahr", "Entries of a contact in a year", "某联系人的全年凭证"),
        query(ENTRY_WITH_CONTACT, _ENTRY_FIELDS, _WITH_CONTACT, _BOOKED_IN_YEAR, descending="bookingDate", limit=20),
        aggregate(ENTRY_WITH_CONTACT, "COUNT", _WITH_CONTACT, _BOOKED_IN_YEAR),
        slots=(contact_slot("Alpenblick Systeme AG"), YEAR),
        answer={lang: f"{{year}}: {answer}" for lang, answer in _NEWEST.items()},
        de=(
            "Welche Buchungen gab es 2025 mit Alpenblick Systeme AG?",
            "Zeige die Buchungen der Bergkristall Pharma AG im Jahr 2024.",
            "Wie viele Buchungen hatten wir 2023 mit Seefeld Immobilien AG?",
            "Was wurde 2024 mit Bergkristall Pharma AG gebucht?",
        ),
        en=(
            "Which journal entries were there with Alpenblick Systeme AG in 2025?",
            "Show the entries of Bergkristall Pharma AG in 2024.",
            "How many bookings did we have with Seefeld Immobilien AG in 2023?",
            "What was posted for Bergkristall Pharma AG in 2024?",
        ),
        zh=(
            "2025年与Alpenblick Systeme AG有哪些凭证？",
            "显示Bergkristall Pharma AG在2024年的凭证。",
            "2023年我们与Seefeld Immobilien AG有多少笔凭证？",
            "Bergkristall Pharma AG在2024年的记账记录有哪些？",
        ),
    ),
    pattern(
        "LINES_OF_ENTRY",
        ("Zeilen einer Buchung", "Lines of an entry", "某凭证的明细"),
        query(
            LEDGER_LINE,
            "lineId, journalEntryId, accountNumber, accountLabel, debitAmount, creditAmount, currency, lineDescription",
            where("entryNumber", "=", "{entry}"),
            ascending="lineId",
        ),
        slots=(ENTRY_CODE,),
        answer=text(
            "Buchung {entry}: {{ count(r1) }} Zeilen, Soll {{ sum(r1.debitAmount) }}, Haben {{ sum(r1.creditAmount) }} "
            "{{ r1[0].currency }}.\n{{ rows(r1.accountNumber, r1.accountLabel, r1.debitAmount, r1.creditAmount) }}",
            "Entry {entry}: {{ count(r1) }} lines, debits {{ sum(r1.debitAmount) }}, credits "
            "{{ sum(r1.creditAmount) }} {{ r1[0].currency }}.\n{{ rows(r1.accountNumber, r1.accountLabel, r1.debitAmount, r1.creditAmount) }}",
            "凭证{entry}：{{ count(r1) }} 行，借方 {{ sum(r1.debitAmount) }}，贷方 {{ sum(r1.creditAmount) }} "
            "{{ r1[0].currency }}。\n{{ rows(r1.accountNumber, r1.accountLabel, r1.debitAmount, r1.creditAmount) }}",
        ),
        de=(
            "Welche Zeilen hat die Buchung 2025-00001?",
            "Zeige die Buchungszeilen der Buchung 2024-00120.",
            "Auf welche Konten wurde die Buchung 2023-00015 gebucht?",
        ),
        en=(
            "Which lines does entry 2025-00001 have?",
            "Show the journal lines of entry 2024-00120.",
            "To which accounts was entry 2023-00015 booked?",
        ),
        zh=(
            "凭证2025-00001有哪些明细？",
            "显示凭证2024-00120的分录明细。",
            "凭证2023-00015记入了哪些科目？",
        ),
    ),
)

_LINES = (
    pattern(
        "COSTS_BY_COST_CENTER",
        ("Aufwand nach Kostenstellen", "Costs by cost centre", "按成本中心的费用"),
        aggregate(LEDGER_LINE, "SUM", _BOOKED_IN_YEAR, EXPENSE, field="netAmount", group_by=("costCenter", "currency")),
        slots=(YEAR,),
        answer=amount(
            "Aufwand {year} aller Kostenstellen zusammen, auch ohne Kostenstelle",
            "Costs in {year} of all cost centres together, also without one",
            "{year}年全部成本中心费用合计（含未分配）",
            value="sum(r1.sum_netAmount)",
            rows="costCenter, sum_netAmount, currency",
        ),
        de=(
            "Wie verteilen sich die Kosten 2025 auf die Kostenstellen?",
            "Aufwand nach Kostenstelle im Jahr 2024?",
            "Zeige die Kosten pro Kostenstelle 2023.",
        ),
        en=(
            "How are the costs of 2025 spread over the cost centres?",
            "Expenses by cost centre in 2024?",
            "Show the costs per cost centre for 2023.",
        ),
        zh=(
            "2025年费用在各成本中心如何分布？",
            "2024年按成本中心的费用是多少？",
            "显示2023年每个成本中心的费用。",
        ),
    ),
    pattern(
        "COSTS_OF_ONE_COST_CENTER",
        ("Aufwand einer Kostenstelle", "Costs of one cost centre", "某成本中心的费用"),
        *_debits_and_credits(_BOOKED_IN_YEAR, EXPENSE, where("costCenter", "=", "{costCenter}")),
        slots=(COST_CENTER, YEAR),
        answer=amount(
            "Aufwand der Kostenstelle {costCenter} im Jahr {year}",
            "Costs of cost centre {costCenter} in {year}",
            "{year}年成本中心{costCenter}的费用",
            value=_DEBITS_LESS_CREDITS,
        ),
        de=(
            "Wie hoch waren die Kosten der Kostenstelle Beratung 2025?",
            "Was hat die Kostenstelle Verwaltung im Jahr 2024 gekostet?",
            "Aufwand Kostenstelle Handel 2023?",
        ),
        en=(
            "What were the costs of cost centre Beratung in 2025?",
            "How much did cost centre Verwaltung cost in 2024?",
            "Expenses of cost centre Handel in 2023?",
        ),
        zh=(
            "2025年成本中心Beratung的费用是多少？",
            "2024年成本中心Verwaltung花了多少？",
            "2023年成本中心Handel的费用？",
        ),
    ),
    pattern(
        "REVENUE_FROM_CUSTOMER",
        ("Umsatz mit einem Kunden", "Revenue from a customer", "来自某客户的收入"),
        *_debits_and_credits(_BOOKED_IN_YEAR, _WITH_CONTACT, numbered("3%")),
        slots=(contact_slot("Alpenblick Systeme AG"), YEAR),
        answer=amount(
            "Umsatz mit {contact} im Jahr {year}",
            "Revenue from {contact} in {year}",
            "{year}年来自{contact}的收入",
            value=_CREDITS_LESS_DEBITS,
        ),
        de=(
            "Wie hoch war der Umsatz mit Alpenblick Systeme AG 2025?",
            "Wie viel haben wir 2024 mit dem Kunden Bergkristall Pharma AG verdient?",
            "Welchen Ertrag brachte Aaretal Logistik AG im Jahr 2023?",
        ),
        en=(
            "What was the revenue from Alpenblick Systeme AG in 2025?",
            "How much did we sell to Bergkristall Pharma AG in 2024?",
            "Sales to customer Aaretal Logistik AG in 2023?",
        ),
        zh=(
            "2025年来自Alpenblick Systeme AG的收入是多少？",
            "2024年我们卖给Bergkristall Pharma AG多少？",
            "2023年客户Aaretal Logistik AG的销售额是多少？",
        ),
    ),
    pattern(
        "COSTS_WITH_VENDOR",
        ("Aufwand bei einem Lieferanten", "Costs with a vendor", "向某供应商的支出"),
        *_debits_and_credits(_BOOKED_IN_YEAR, _WITH_CONTACT, EXPENSE),
        slots=(contact_slot("Seefeld Immobilien AG"), YEAR),
        answer=amount(
            "Aufwand bei {contact} im Jahr {year}",
            "Costs with {contact} in {year}",
            "{year}年向{contact}的费用",
            value=_DEBITS_LESS_CREDITS,
        ),
        de=(
            "Wie hoch war der Aufwand bei Seefeld Immobilien AG 2025?",
            "Was haben wir 2024 beim Lieferanten Wolkenhaus Hosting AG ausgegeben?",
            "Kosten mit Zahlenwerk Treuhand AG im Jahr 2023?",
        ),
        en=(
            "What did we spend with Seefeld Immobilien AG in 2025?",
            "How much did the vendor Wolkenhaus Hosting AG cost us in 2024?",
            "Expenses with Zahlenwerk Treuhand AG in 2023?",
        ),
        zh=(
            "2025年在Seefeld Immobilien AG花了多少费用？",
            "2024年供应商Wolkenhaus Hosting AG的费用是多少？",
            "2023年向Zahlenwerk Treuhand AG的支出是多少？",
        ),
    ),
)

_LISTS = (
    pattern(
        "LIST_CUSTOMERS",
        ("Liste der Kunden", "List of customers", "客户列表"),
        query(CONTACT, _CONTACT_FIELDS, _CUSTOMER, ascending="name"),
        aggregate(CONTACT, "COUNT", _CUSTOMER),
        answer=_count_and_list(
            "Die Liste hat {{ r2[0].count }} Kunden:",
            "The list has {{ r2[0].count }} customers:",
            "客户列表共 {{ r2[0].count }} 个客户：",
            "r1.name, r1.city",
        ),
        de=("Welche Kunden haben wir?", "Liste alle Kunden auf.", "Zeige die Kundenliste."),
        en=("Which customers do we have?", "List all customers.", "Show the customer list."),
        zh=("我们有哪些客户？", "列出所有客户。", "显示客户列表。"),
    ),
    pattern(
        "LIST_VENDORS",
        ("Liste der Lieferanten", "List of vendors", "供应商列表"),
        query(CONTACT, _CONTACT_FIELDS, _VENDOR, ascending="name"),
        aggregate(CONTACT, "COUNT", _VENDOR),
        answer=_count_and_list(
            "Die Liste hat {{ r2[0].count }} Lieferanten:",
            "The list has {{ r2[0].count }} vendors:",
            "供应商列表共 {{ r2[0].count }} 个供应商：",
            "r1.name, r1.city",
        ),
        de=("Welche Lieferanten haben wir?", "Liste alle Lieferanten auf.", "Zeige die Lieferantenliste."),
        en=("Which vendors do we have?", "List all suppliers.", "Show the vendor list."),
        zh=("我们有哪些供应商？", "列出所有供应商。", "显示供应商列表。"),
    ),
    pattern(
        "NUMBER_OF_CUSTOMERS",
        ("Anzahl Kunden", "Number of customers", "客户数量"),
        aggregate(CONTACT, "COUNT", _CUSTOMER),
        answer=text(
            "Wir haben {{ r1[0].count }} Kunden.",
            "We have {{ r1[0].count }} customers.",
            "我们有 {{ r1[0].count }} 个客户。",
        ),
        de=("Wie viele Kunden haben wir?", "Anzahl der Kunden?", "Wie gross ist unser Kundenstamm?"),
        en=("How many customers do we have?", "Number of customers?", "What is the customer count?"),
        zh=("我们有多少客户？", "客户数量是多少？", "一共有几个客户？"),
    ),
    pattern(
        "NUMBER_OF_VENDORS",
        ("Anzahl Lieferanten", "Number of vendors", "供应商数量"),
        aggregate(CONTACT, "COUNT", _VENDOR),
        answer=text(
            "Wir haben {{ r1[0].count }} Lieferanten.",
            "We have {{ r1[0].count }} vendors.",
            "我们有 {{ r1[0].count }} 个供应商。",
        ),
        de=("Wie viele Lieferanten haben wir?", "Anzahl der Lieferanten?", "Von wie vielen Lieferanten kaufen wir?"),
        en=("How many vendors do we have?", "Number of suppliers?", "What is the vendor count?"),
        zh=("我们有多少供应商？", "供应商数量是多少？", "一共有几个供应商？"),
    ),
    pattern(
        "ACCOUNTS_OF_CLASS",
        ("Konten einer Kontoart", "Accounts of a class", "某类别的科目"),
        query(ACCOUNT, "accountNumber, label, accountClass, currency, isActive", _IN_CLASS, ascending="accountNumber"),
        aggregate(ACCOUNT, "COUNT", _IN_CLASS),
        slots=(ACCOUNT_CLASS,),
        answer=_count_and_list(
            "Von dieser Kontoart ({accountClass}) gibt es {{ r2[0].count }} Konten:",
            "There are {{ r2[0].count }} accounts of this class ({accountClass}):",
            "该类别（{accountClass}）共有 {{ r2[0].count }} 个科目：",
            "r1.accountNumber, r1.label",
        ),
        de=("Welche Aufwandskonten gibt es?", "Liste alle Ertragskonten auf.", "Wie viele Aktivkonten führen wir?"),
        en=("Which expense accounts are there?", "List all revenue accounts.", "How many asset accounts do we keep?"),
        zh=("有哪些费用科目？", "列出所有收入科目。", "我们有多少个资产科目？"),
    ),
)

JOURNAL_PATTERNS = (*_ENTRIES, *_LINES, *_LISTS)
