"""What is true of every ledger, as conditions and queries that can be run against one.

SQLite stores decimals as floats: amounts are equal within half a cent.
"""

from __future__ import annotations

from veracity.features.trustee.ontology.three_languages import text
from veracity.ontology.descriptor import Invariant

# Of an entry `e`, in the form that sqlglot translates for every engine.
YEAR_OF_ENTRY = "CAST(STRFTIME(TO_TIMESTAMP(e.bookingDate), '%Y') AS INTEGER)"
MONTH_OF_ENTRY = "CAST(STRFTIME(TO_TIMESTAMP(e.bookingDate), '%m') AS INTEGER)"

PERIOD_INVARIANTS = (
    Invariant(
        name="PERIOD_MONTH_0_TO_12",
        description=text("Monat 0 (Jahr) bis 12", "month 0 (the year) to 12", "月份为 0（全年）至 12"),
        holds="periodMonth BETWEEN 0 AND 12",
    ),
    Invariant(
        name="AMOUNTS_ARE_THERE",
        description=text("kein Betrag fehlt", "no amount is missing", "金额不缺失"),
        holds="openingBalance + debitTotal + creditTotal + closingBalance IS NOT NULL",
    ),
    Invariant(
        name="EVERY_YEAR_HAS_13_ROWS",
        description=text(
            "je Konto und Jahr: Jahreszeile und zwölf Monate",
            "an account's year has its annual row and twelve months",
            "每科目每年有全年行和十二个月",
        ),
        violations="""
            SELECT accountNumber, periodYear, COUNT(*) AS periodRows
            FROM TrusteeDataAccountBalance GROUP BY accountNumber, periodYear HAVING COUNT(DISTINCT periodMonth) <> 13
        """,
    ),
    Invariant(
        name="BALANCES_ARE_IN_THE_ACCOUNTS_CURRENCY",
        description=text(
            "Saldo in der Währung des Kontos", "a balance is in its account's currency", "余额币种与科目一致"
        ),
        violations="""
            SELECT b.accountNumber, b.periodYear, b.periodMonth, b.currency, a.currency AS accountCurrency
            FROM TrusteeDataAccountBalance AS b
            LEFT JOIN TrusteeDataAccount AS a ON a.accountNumber = b.accountNumber
            WHERE a.currency IS NULL OR a.currency <> b.currency
        """,
    ),
    Invariant(
        name="ANNUAL_TOTALS_ARE_THE_SUM_OF_THE_MONTHS",
        description=text(
            "Jahresumsätze sind die Summe der Monate",
            "annual turnover is the sum of the months",
            "全年发生额等于各月之和",
        ),
        violations="""
            SELECT y.accountNumber, y.periodYear, y.debitTotal, y.creditTotal
            FROM TrusteeDataAccountBalance AS y
            LEFT JOIN (
                SELECT accountNumber, periodYear, SUM(debitTotal) AS debitSum, SUM(creditTotal) AS creditSum
                FROM TrusteeDataAccountBalance WHERE periodMonth > 0 GROUP BY accountNumber, periodYear
            ) AS m ON m.accountNumber = y.accountNumber AND m.periodYear = y.periodYear
            WHERE y.periodMonth = 0 AND (
                ABS(y.debitTotal - COALESCE(m.debitSum, 0)) >= 0.005
                OR ABS(y.creditTotal - COALESCE(m.creditSum, 0)) >= 0.005)
        """,
    ),
    Invariant(
        name="ANNUAL_CLOSING_IS_DECEMBERS",
        description=text(
            "Schlusssaldo des Jahres = Dezember", "the year closes as December does", "全年期末余额等于 12 月期末余额"
        ),
        violations="""
            SELECT y.accountNumber, y.periodYear, y.closingBalance
            FROM TrusteeDataAccountBalance AS y
            JOIN TrusteeDataAccountBalance AS m
              ON m.accountNumber = y.accountNumber AND m.periodYear = y.periodYear AND m.periodMonth = 12
            WHERE y.periodMonth = 0 AND ABS(y.closingBalance - m.closingBalance) >= 0.005
        """,
    ),
    Invariant(
        name="ANNUAL_OPENING_IS_JANUARYS",
        description=text(
            "Eröffnungssaldo des Jahres = Januar", "the year opens as January does", "全年期初余额等于 1 月期初余额"
        ),
        violations="""
            SELECT y.accountNumber, y.periodYear, y.openingBalance
            FROM TrusteeDataAccountBalance AS y
            JOIN TrusteeDataAccountBalance AS m
              ON m.accountNumber = y.accountNumber AND m.periodYear = y.periodYear AND m.periodMonth = 1
            WHERE y.periodMonth = 0 AND ABS(y.openingBalance - m.openingBalance) >= 0.005
        """,
    ),
    Invariant(
        name="OPENING_IS_THE_PREVIOUS_CLOSING",
        description=text(
            "Bestandeskonten: Eröffnung = Schluss der Vorperiode",
            "a balance-sheet account opens as the period before closed",
            "资产负债科目的期初余额等于上期期末余额",
        ),
        violations="""
            SELECT b.accountNumber, b.periodYear, b.periodMonth, b.openingBalance
            FROM TrusteeDataAccountBalance AS b
            JOIN TrusteeDataAccount AS a ON a.accountNumber = b.accountNumber
            JOIN TrusteeDataAccountBalance AS p
              ON p.accountNumber = b.accountNumber
             AND p.periodYear = CASE WHEN b.periodMonth <= 1 THEN b.periodYear - 1 ELSE b.periodYear END
             AND p.periodMonth =
                 CASE WHEN b.periodMonth = 0 THEN 0 WHEN b.periodMonth = 1 THEN 12 ELSE b.periodMonth - 1 END
            WHERE a.accountClass IN ('asset', 'liability') AND ABS(b.openingBalance - p.closingBalance) >= 0.005
        """,
    ),
    Invariant(
        name="BALANCES_ARE_THE_SUM_OF_THEIR_LINES",
        description=text(
            "Umsätze sind die Summe der Buchungszeilen",
            "turnover is the sum of the journal lines",
            "发生额等于分录明细之和",
        ),
        violations=f"""
            SELECT b.accountNumber, b.periodYear, b.periodMonth, b.debitTotal, b.creditTotal
            FROM TrusteeDataAccountBalance AS b
            LEFT JOIN (
                SELECT j.accountNumber, j.bookingYear, j.bookingMonth,
                       SUM(j.debitAmount) AS debitSum, SUM(j.creditAmount) AS creditSum
                FROM (
                    SELECT l.accountNumber, {YEAR_OF_ENTRY} AS bookingYear, {MONTH_OF_ENTRY} AS bookingMonth,
                           l.debitAmount, l.creditAmount
                    FROM TrusteeDataJournalLine AS l
                    JOIN TrusteeDataJournalEntry AS e ON e.id = l.journalEntryId
                ) AS j
                GROUP BY j.accountNumber, j.bookingYear, j.bookingMonth
            ) AS s ON s.accountNumber = b.accountNumber AND s.bookingYear = b.periodYear AND s.bookingMonth = b.periodMonth
            WHERE b.periodMonth > 0 AND (
                ABS(b.debitTotal - COALESCE(s.debitSum, 0)) >= 0.005
                OR ABS(b.creditTotal - COALESCE(s.creditSum, 0)) >= 0.005)
        """,
    ),
)

NORMAL_SIDE_INVARIANTS = (
    Invariant(
        name="BALANCES_ARE_POSITIVE_ON_THE_NORMAL_SIDE",
        description=text(
            "Aktiv/Aufwand: + Soll - Haben; Passiv/Ertrag: + Haben - Soll",
            "asset, expense: + debit - credit; liability, revenue: + credit - debit",
            "资产、费用：+借-贷；负债、收入：+贷-借",
        ),
        tell=True,
        holds="""
            accountClass = 'closing' OR ABS(openingBalance - closingBalance + CASE
                WHEN accountClass IN ('asset', 'expense') THEN debitTotal - creditTotal ELSE creditTotal - debitTotal END) < 0.005
        """,
    ),
    Invariant(
        name="REVENUE_AND_EXPENSE_OPEN_THE_YEAR_AT_0",
        description=text(
            "Ertrag und Aufwand beginnen das Jahr bei 0: ihr Monatssaldo ist kumuliert",
            "revenue and expense open each year at 0: their monthly balance is year-to-date",
            "收入和费用每年从 0 开始：月余额是年初至今累计",
        ),
        tell=True,
        holds="accountClass NOT IN ('revenue', 'expense') OR periodMonth > 1 OR ABS(openingBalance) < 0.005",
    ),
)

ENTRY_INVARIANTS = (
    Invariant(
        name="ENTRIES_BALANCE",
        description=text(
            "Soll = Haben = Buchungsbetrag", "debits = credits = the entry's amount", "借方合计 = 贷方合计 = 凭证金额"
        ),
        violations="""
            SELECT e.id, e.entryNumber, e.totalAmount, s.debitSum, s.creditSum
            FROM TrusteeDataJournalEntry AS e
            LEFT JOIN (
                SELECT journalEntryId, SUM(debitAmount) AS debitSum, SUM(creditAmount) AS creditSum
                FROM TrusteeDataJournalLine GROUP BY journalEntryId
            ) AS s ON s.journalEntryId = e.id
            WHERE s.journalEntryId IS NULL
               OR ABS(s.debitSum - s.creditSum) >= 0.005
               OR ABS(e.totalAmount - s.debitSum) >= 0.005
        """,
    ),
    Invariant(
        name="ENTRY_NUMBERS_ARE_UNIQUE",
        description=text("jede Belegnummer nur einmal", "every entry number is used once", "凭证编号唯一"),
        violations="SELECT entryNumber, COUNT(*) AS entries FROM TrusteeDataJournalEntry GROUP BY entryNumber HAVING COUNT(*) > 1",
    ),
    Invariant(
        name="CONTACTS_OF_ENTRIES_EXIST",
        description=text("jeder Kontakt einer Buchung ist da", "an entry's contact exists", "凭证的联系人存在"),
        violations="""
            SELECT e.id, e.contactId FROM TrusteeDataJournalEntry AS e
            LEFT JOIN TrusteeDataContact AS c ON c.id = e.contactId
            WHERE e.contactId IS NOT NULL AND c.id IS NULL
        """,
    ),
    Invariant(
        name="BOOKING_DATE_IS_MIDNIGHT_UTC",
        description=text("Datum ist Mitternacht UTC", "the date is midnight UTC", "日期为 UTC 零点"),
        holds="bookingDate % 86400 = 0",
    ),
)

# What the views join on: a line without its entry would be missing from every total.
LINE_INVARIANTS = (
    Invariant(
        name="LINES_BELONG_TO_AN_ENTRY_AND_AN_ACCOUNT",
        description=text(
            "jede Zeile hat Buchung und Konto", "every line has an entry and an account", "每条明细都有凭证和科目"
        ),
        violations="""
            SELECT l.id, l.journalEntryId, l.accountNumber
            FROM TrusteeDataJournalLine AS l
            LEFT JOIN TrusteeDataJournalEntry AS e ON e.id = l.journalEntryId
            LEFT JOIN TrusteeDataAccount AS a ON a.accountNumber = l.accountNumber
            WHERE e.id IS NULL OR a.accountNumber IS NULL
        """,
    ),
    Invariant(
        name="LINES_ARE_IN_THE_ACCOUNTS_CURRENCY",
        description=text(
            "Zeile in der Währung des Kontos", "a line is in its account's currency", "明细币种与科目一致"
        ),
        violations="""
            SELECT l.id, l.accountNumber, e.currency, a.currency AS accountCurrency
            FROM TrusteeDataJournalLine AS l
            JOIN TrusteeDataJournalEntry AS e ON e.id = l.journalEntryId
            JOIN TrusteeDataAccount AS a ON a.accountNumber = l.accountNumber
            WHERE a.currency <> e.currency
        """,
    ),
    Invariant(
        name="LINES_ARE_IN_A_BALANCE",
        description=text(
            "zu jeder Zeile gibt es den Saldo ihres Monats",
            "every line's month has a balance",
            "每条明细的月份都有余额",
        ),
        violations=f"""
            SELECT l.id, l.accountNumber, e.bookingDate
            FROM TrusteeDataJournalLine AS l
            JOIN TrusteeDataJournalEntry AS e ON e.id = l.journalEntryId
            LEFT JOIN TrusteeDataAccountBalance AS b
              ON b.accountNumber = l.accountNumber AND b.periodYear = {YEAR_OF_ENTRY} AND b.periodMonth = {MONTH_OF_ENTRY}
            WHERE b.id IS NULL
        """,
    ),
)
