"""Questions about balances: what is there at a date, how it developed, what moved."""

from __future__ import annotations

from veracity.features.trustee.ontology.skeleton import (
    ACCOUNT_CODE,
    AT_DATE,
    CLOSING,
    CLOSING_BY_CLASS,
    CURRENCY,
    FIRST_YEAR,
    MONTH_OR_YEAR,
    OPENING,
    SECOND_YEAR,
    TURNOVER,
    YEAR,
    Filter,
    amount,
    group_slot,
    numbered,
    pattern,
    period,
    query,
    where,
)
from veracity.features.trustee.ontology.tables import BALANCE, BALANCE_BY_ACCOUNT
from veracity.features.trustee.ontology.three_languages import text
from veracity.ontology.descriptor import ToolCall

_ACCOUNT = where("accountNumber", "=", "{account}")


def _closing(*filters: Filter) -> ToolCall:
    return query(BALANCE, CLOSING, *period(), *filters)


def _in_one_currency(like: str) -> tuple[ToolCall, ToolCall]:
    """The accounts in the asked currency, and those in any other, which must not be added to them."""
    wanted, other = (where("currency", op, "{currency}") for op in ("=", "!="))
    return _closing(numbered(like), wanted), _closing(numbered(like), other)


def _and_others(de: str, en: str, zh: str) -> dict[str, str]:
    figure = "{{ sum(r1.closingBalance) }} {currency}"
    return text(
        f"{de}: {figure}. Weitere Konten in anderer Währung: {{{{ count(r2) }}}}.",
        f"{en}: {figure}. Further accounts in another currency: {{{{ count(r2) }}}}.",
        f"{zh}：{figure}。其他币种的科目数：{{{{ count(r2) }}}}。",
    )


def _each_account(de: str, en: str, zh: str) -> dict[str, str]:
    listed = "\n{{ rows(r1.accountNumber, r1.closingBalance, r1.currency) }}"
    return text(f"{de}:{listed}", f"{en}:{listed}", f"{zh}：{listed}")


_AT_A_DATE = (
    pattern(
        "BANK_BALANCE_AT_DATE",
        ("Bankguthaben an einem Stichtag", "Bank balance at a date", "某日的银行余额"),
        _closing(numbered("102%")),
        slots=AT_DATE,
        answer=amount(
            "Bankguthaben per {date}",
            "Bank balance as of {date}",
            "截至{date}的银行余额",
            rows="accountNumber, closingBalance, currency",
        ),
        de=(
            "Was ist der Banksaldo per 31.12.2025?",
            "Wie hoch ist das Bankguthaben Ende 2024?",
            "Wie viel Geld lag am 30. Juni 2025 auf den Bankkonten?",
            "Wie viel haben wir Ende 2023 auf der Bank?",
        ),
        en=(
            "What is the bank balance as of 31 December 2025?",
            "How much money was in the bank at the end of 2024?",
            "What was our cash at bank on 30 June 2025?",
            "Total of the bank accounts at year end 2023?",
        ),
        zh=(
            "截至2025年12月31日银行余额是多少？",
            "2024年底银行存款有多少？",
            "2025年6月底银行账户里有多少钱？",
            "2023年末银行账户余额合计多少？",
        ),
    ),
    pattern(
        "ACCOUNT_BALANCE_AT_DATE",
        ("Saldo eines Kontos an einem Stichtag", "Balance of one account at a date", "某科目在某日的余额"),
        _closing(_ACCOUNT),
        slots=(ACCOUNT_CODE, *AT_DATE),
        answer=amount(
            "Saldo von Konto {account} per {date}",
            "Balance of account {account} as of {date}",
            "科目{account}截至{date}的余额",
            value="r1[0].closingBalance",
        ),
        de=(
            "Welchen Saldo hat das Konto 1020 per 31.12.2025?",
            "Wie hoch ist der Kontostand von 1100 Ende 2024?",
            "Saldo Konto 2000 Ende März 2025?",
        ),
        en=(
            "What is the balance of account 1020 as of 31 December 2025?",
            "Closing balance of account 1100 at the end of 2024?",
            "How much is on account 2000 at the end of March 2025?",
        ),
        zh=(
            "科目1020在2025年12月31日的余额是多少？",
            "2024年底科目1100的期末余额是多少？",
            "2025年3月底科目2000的余额是多少？",
        ),
    ),
    pattern(
        "ACCOUNT_OPENING_BALANCE",
        ("Eröffnungssaldo eines Kontos", "Opening balance of one account", "某科目的期初余额"),
        query(BALANCE, OPENING, *period(), _ACCOUNT),
        slots=(ACCOUNT_CODE, YEAR, MONTH_OR_YEAR),
        answer=amount(
            "Eröffnungssaldo von Konto {account} ({period})",
            "Opening balance of account {account} ({period})",
            "科目{account}的期初余额（{period}）",
            value="r1[0].openingBalance",
        ),
        de=(
            "Mit welchem Saldo hat das Konto 1020 das Jahr 2025 eröffnet?",
            "Wie hoch ist der Eröffnungssaldo von Konto 1100 im Jahr 2024?",
            "Was war der Anfangsbestand von Konto 1000 im März 2025?",
        ),
        en=(
            "What is the opening balance of account 1020 in 2025?",
            "With what balance did account 1100 start the year 2024?",
            "Balance brought forward on account 1000 in March 2025?",
        ),
        zh=(
            "科目1020在2025年的期初余额是多少？",
            "2024年初科目1100的余额是多少？",
            "2025年3月科目1000的期初余额是多少？",
        ),
    ),
    pattern(
        "GROUP_BALANCE_AT_DATE",
        (
            "Bestand einer Kontengruppe an einem Stichtag",
            "Balance of an account group at a date",
            "某科目组在某日的余额",
        ),
        query(
            BALANCE_BY_ACCOUNT, CLOSING_BY_CLASS, *period(), numbered("{group}"), where("currency", "=", "{currency}")
        ),
        query(
            BALANCE_BY_ACCOUNT, CLOSING_BY_CLASS, *period(), numbered("{group}"), where("currency", "!=", "{currency}")
        ),
        slots=(group_slot("15%"), *AT_DATE, CURRENCY),
        answer=_and_others(
            "{group} per {date}",
            "{group} as of {date}",
            "截至{date}的{group}",
        ),
        de=(
            "Wie hoch sind die Sachanlagen per 31.12.2025?",
            "Welchen Bestand hatten die Vorräte Ende 2024?",
            "Wie hoch waren die Bankdarlehen Ende Juni 2025?",
            "Wie viel Geld war Ende 2025 in der Kasse?",
            "Wie viel schuldeten wir Ende 2023 an Bankdarlehen?",
        ),
        en=(
            "What is the balance of tangible fixed assets as of 31 December 2025?",
            "How much inventory did we have at the end of 2024?",
            "How high were the bank loans at the end of June 2025?",
            "How much cash was in the till at the end of 2025?",
            "How much did we owe on bank loans at the end of 2023?",
        ),
        zh=(
            "截至2025年12月31日固定资产是多少？",
            "2024年底存货余额是多少？",
            "2025年6月底银行贷款有多少？",
            "2025年底库存现金有多少？",
            "2023年底我们欠银行贷款多少？",
        ),
    ),
    # Kept in several currencies, so no one sum says what is open: each account is listed in its own.
    pattern(
        "DEBTORS_OPEN_BALANCE",
        ("Offene Debitoren an einem Stichtag", "Open receivables at a date", "某日的应收账款余额"),
        _closing(numbered("110%")),
        slots=AT_DATE,
        answer=_each_account("Offene Debitoren per {date}", "Open receivables as of {date}", "截至{date}的应收账款"),
        de=(
            "Wie hoch sind die offenen Debitoren per 31.12.2025?",
            "Wie viel schulden uns die Kunden Ende 2024?",
            "Wie hoch waren die Forderungen Ende März 2025?",
        ),
        en=(
            "What are the open receivables as of 31 December 2025?",
            "How much did customers owe us at the end of 2024?",
            "What were the receivables at the end of March 2025?",
        ),
        zh=(
            "截至2025年12月31日应收账款余额是多少？",
            "2024年底客户欠我们多少钱？",
            "2025年3月底应收账款是多少？",
        ),
    ),
    pattern(
        "DEBTORS_IN_CURRENCY",
        ("Offene Debitoren in einer Währung", "Open receivables in one currency", "某种货币的应收账款余额"),
        *_in_one_currency("110%"),
        slots=(*AT_DATE, CURRENCY.model_copy(update={"default": None})),
        answer=_and_others("Offene Debitoren per {date}", "Open receivables as of {date}", "截至{date}的应收账款"),
        de=(
            "Wie hoch waren die Forderungen in EUR Ende 2025?",
            "Wie hoch sind die offenen Debitoren in CHF per 30.06.2025?",
            "Wie viel schulden uns die Kunden Ende 2024 in Euro?",
        ),
        en=(
            "What were the receivables in EUR at the end of 2025?",
            "What are the open receivables in CHF as of 30 June 2025?",
            "How much did customers owe us in euros at the end of 2024?",
        ),
        zh=(
            "2025年底欧元应收账款是多少？",
            "截至2025年6月30日瑞士法郎应收账款余额是多少？",
            "2024年底欧元应收账款余额是多少？",
        ),
    ),
    pattern(
        "CREDITORS_OPEN_BALANCE",
        ("Offene Kreditoren an einem Stichtag", "Open payables at a date", "某日的应付账款余额"),
        *_in_one_currency("200%"),
        slots=(*AT_DATE, CURRENCY),
        answer=_and_others("Offene Kreditoren per {date}", "Open payables as of {date}", "截至{date}的应付账款"),
        de=(
            "Wie hoch sind die offenen Kreditoren per 31.12.2025?",
            "Wie viel schuldeten wir den Lieferanten Ende 2024?",
            "Wie hoch waren die Verbindlichkeiten aus Lieferungen und Leistungen Ende Juni 2025?",
        ),
        en=(
            "What are the open payables as of 31 December 2025?",
            "How much did we owe our suppliers at the end of 2024?",
            "What was the balance of trade creditors at the end of June 2025?",
        ),
        zh=(
            "截至2025年12月31日应付账款余额是多少？",
            "2024年底我们欠供应商多少钱？",
            "2025年6月底应付账款是多少？",
        ),
    ),
    pattern(
        "VAT_BALANCE",
        ("MWST-Schuld an einem Stichtag", "VAT owed at a date", "某日的应交增值税"),
        _closing(numbered("220%")),
        slots=AT_DATE,
        answer=amount("MWST-Schuld per {date}", "VAT owed as of {date}", "截至{date}的应交增值税"),
        de=(
            "Wie hoch ist die MWST-Schuld per 31.12.2025?",
            "Wie viel Mehrwertsteuer schuldeten wir Ende 2024?",
            "Was steht Ende September 2025 auf den MWST-Konten?",
            "Wie viel MWST schuldeten wir der Steuerverwaltung Ende 2023?",
        ),
        en=(
            "What is the VAT balance as of 31 December 2025?",
            "How much VAT did we owe at the end of 2024?",
            "What was the VAT liability at the end of September 2025?",
            "How much VAT did we owe the tax office at the end of 2023?",
        ),
        zh=(
            "截至2025年12月31日应交增值税是多少？",
            "2024年底我们欠多少增值税？",
            "2025年9月底增值税余额是多少？",
            "2023年底我们欠税务局多少增值税？",
        ),
    ),
    pattern(
        "EQUITY_AT_DATE",
        ("Eigenkapital an einem Stichtag", "Equity at a date", "某日的所有者权益"),
        # Two prefixes, so no single LIKE.
        _closing(where("accountNumber", "BETWEEN", ["2800", "2999"])),
        slots=AT_DATE,
        answer=amount("Eigenkapital per {date}", "Equity as of {date}", "截至{date}的所有者权益"),
        de=(
            "Wie hoch ist das Eigenkapital per 31.12.2025?",
            "Wie viel Eigenkapital hatten wir Ende 2024?",
            "Eigenkapital Ende 2023?",
        ),
        en=(
            "What is the equity as of 31 December 2025?",
            "How much equity did we have at the end of 2024?",
            "Shareholders' equity at year end 2023?",
        ),
        zh=(
            "截至2025年12月31日所有者权益是多少？",
            "2024年底股东权益有多少？",
            "2023年末所有者权益是多少？",
        ),
    ),
)

_MONTHS = where("periodMonth", "BETWEEN", [1, 12])
_THIS_YEAR, _ANNUAL = period(month=0)

_OVER_TIME = (
    pattern(
        "BALANCE_TREND_BY_MONTH",
        ("Saldo eines Kontos Monat für Monat", "Balance of an account month by month", "某科目逐月余额"),
        query(BALANCE, f"{OPENING}, closingBalance", _THIS_YEAR, _MONTHS, _ACCOUNT, ascending="periodMonth"),
        query(BALANCE, CLOSING, _THIS_YEAR, _MONTHS, _ACCOUNT, descending="periodMonth", limit=1),
        slots=(ACCOUNT_CODE, YEAR),
        answer=text(
            "Konto {account} im Jahr {year}: Anfang {{ r1[0].openingBalance }}, Ende {{ r2[0].closingBalance }}, "
            "tiefster Monatssaldo {{ min(r1.closingBalance) }}, höchster {{ max(r1.closingBalance) }} {{ r1[0].currency }}.\n"
            "{{ rows(r1.periodMonth, r1.closingBalance) }}",
            "Account {account} in {year}: start {{ r1[0].openingBalance }}, end {{ r2[0].closingBalance }}, "
            "lowest month {{ min(r1.closingBalance) }}, highest {{ max(r1.closingBalance) }} {{ r1[0].currency }}.\n"
            "{{ rows(r1.periodMonth, r1.closingBalance) }}",
            "科目{account}在{year}年：期初 {{ r1[0].openingBalance }}，期末 {{ r2[0].closingBalance }}，"
            "最低月末余额 {{ min(r1.closingBalance) }}，最高 {{ max(r1.closingBalance) }} {{ r1[0].currency }}。\n"
            "{{ rows(r1.periodMonth, r1.closingBalance) }}",
        ),
        de=(
            "Wie entwickelte sich der Saldo von Konto 1020 über die Monate 2025?",
            "Zeige den Monatsverlauf von Konto 1100 im Jahr 2024.",
            "Monatssalden von Konto 2000 im Jahr 2023?",
        ),
        en=(
            "How did the balance of account 1020 develop over the months of 2025?",
            "Show the monthly trend of account 1100 in 2024.",
            "Monthly balances of account 2000 in 2023?",
        ),
        zh=(
            "2025年科目1020的余额逐月变化如何？",
            "显示2024年科目1100的每月余额走势。",
            "2023年科目2000各月余额是多少？",
        ),
    ),
    pattern(
        "BALANCE_TREND_BY_YEAR",
        ("Saldo eines Kontos über die Jahre", "Balance of an account over the years", "某科目历年余额"),
        query(BALANCE, CLOSING, _ANNUAL, _ACCOUNT, ascending="periodYear"),
        query(BALANCE, CLOSING, _ANNUAL, _ACCOUNT, descending="periodYear", limit=1),
        slots=(ACCOUNT_CODE,),
        answer=text(
            "Konto {account}: {{ r1[0].closingBalance }} Ende {{ r1[0].periodYear }}, {{ r2[0].closingBalance }} Ende "
            "{{ r2[0].periodYear }}; tiefster Jahressaldo {{ min(r1.closingBalance) }}, höchster "
            "{{ max(r1.closingBalance) }} {{ r1[0].currency }}.",
            "Account {account}: {{ r1[0].closingBalance }} at the end of {{ r1[0].periodYear }}, "
            "{{ r2[0].closingBalance }} at the end of {{ r2[0].periodYear }}; lowest year {{ min(r1.closingBalance) }}, "
            "highest {{ max(r1.closingBalance) }} {{ r1[0].currency }}.",
            "科目{account}：{{ r1[0].periodYear }}年末 {{ r1[0].closingBalance }}，{{ r2[0].periodYear }}年末 "
            "{{ r2[0].closingBalance }}；最低年末余额 {{ min(r1.closingBalance) }}，最高 "
            "{{ max(r1.closingBalance) }} {{ r1[0].currency }}。",
        ),
        de=(
            "Wie hat sich der Saldo von Konto 1020 über die Jahre entwickelt?",
            "Zeige die Jahresendsalden von Konto 3400 über alle Jahre.",
            "Entwicklung von Konto 6000 Jahr für Jahr?",
        ),
        en=(
            "How has the balance of account 1020 developed over the years?",
            "Show the year-end balances of account 3400 for all years.",
            "Year by year trend of account 6000?",
        ),
        zh=(
            "科目1020的余额历年变化如何？",
            "显示科目3400所有年度的年末余额。",
            "科目6000逐年走势如何？",
        ),
    ),
    pattern(
        "ACCOUNT_TURNOVER",
        ("Soll- und Habenumsatz eines Kontos", "Debit and credit turnover of an account", "某科目的借贷发生额"),
        query(BALANCE, TURNOVER, *period(), _ACCOUNT),
        slots=(ACCOUNT_CODE, YEAR, MONTH_OR_YEAR),
        answer=text(
            "Konto {account} ({period}): Soll {{ r1[0].debitTotal }}, Haben "
            "{{ r1[0].creditTotal }} {{ r1[0].currency }}.",
            "Account {account} ({period}): debits {{ r1[0].debitTotal }}, credits "
            "{{ r1[0].creditTotal }} {{ r1[0].currency }}.",
            "科目{account}（{period}）：借方 {{ r1[0].debitTotal }}，贷方 {{ r1[0].creditTotal }} "
            "{{ r1[0].currency }}。",
        ),
        de=(
            "Wie hoch waren Soll- und Habenumsatz von Konto 1020 im Jahr 2025?",
            "Welche Umsätze hatte das Konto 1100 im März 2025?",
            "Wie viel wurde 2024 auf Konto 2000 im Haben gebucht?",
        ),
        en=(
            "What were the debit and credit turnover of account 1020 in 2025?",
            "What movements did account 1100 have in March 2025?",
            "How much was credited to account 2000 in 2024?",
        ),
        zh=(
            "2025年科目1020的借方和贷方发生额是多少？",
            "2025年3月科目1100的发生额是多少？",
            "2024年科目2000贷方合计是多少？",
        ),
    ),
    pattern(
        "COMPARE_ACCOUNT_YEARS",
        ("Ein Konto in zwei Jahren", "One account in two years", "某科目两个年度的比较"),
        query(
            BALANCE,
            CLOSING,
            where("periodYear", "IN", ["{firstYear}", "{secondYear}"]),
            _ANNUAL,
            _ACCOUNT,
            ascending="periodYear",
        ),
        slots=(ACCOUNT_CODE, FIRST_YEAR, SECOND_YEAR),
        answer=text(
            "Konto {account}: {{ r1[0].closingBalance }} Ende {{ r1[0].periodYear }}, {{ r1[1].closingBalance }} Ende "
            "{{ r1[1].periodYear }}; Veränderung {{ r1[1].closingBalance - r1[0].closingBalance }} {{ r1[0].currency }}.",
            "Account {account}: {{ r1[0].closingBalance }} at the end of {{ r1[0].periodYear }}, "
            "{{ r1[1].closingBalance }} at the end of {{ r1[1].periodYear }}; change "
            "{{ r1[1].closingBalance - r1[0].closingBalance }} {{ r1[0].currency }}.",
            "科目{account}：{{ r1[0].periodYear }}年末 {{ r1[0].closingBalance }}，{{ r1[1].periodYear }}年末 "
            "{{ r1[1].closingBalance }}；变动 {{ r1[1].closingBalance - r1[0].closingBalance }} {{ r1[0].currency }}。",
        ),
        de=(
            "Vergleiche den Saldo von Konto 1020 in den Jahren 2024 und 2025.",
            "Wie hat sich Konto 6000 von 2023 auf 2024 verändert?",
            "Konto 3400: 2022 gegen 2023?",
        ),
        en=(
            "Compare the balance of account 1020 in 2024 and 2025.",
            "How did account 6000 change from 2023 to 2024?",
            "Account 3400: 2022 versus 2023?",
        ),
        zh=(
            "比较科目1020在2024年和2025年的余额。",
            "科目6000从2023年到2024年变化了多少？",
            "科目3400：2022年与2023年对比？",
        ),
    ),
)

BALANCE_PATTERNS = (*_AT_A_DATE, *_OVER_TIME)
