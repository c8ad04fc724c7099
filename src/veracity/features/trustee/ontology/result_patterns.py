"""Questions about what a year or a month brought and cost.

Revenue and expense accounts open the year at 0. The annual row's closing balance is therefore the year's revenue or cost,
but a month's closing balance counts from January: a single month is its turnover, debit and credit set off.
"""

from __future__ import annotations

from veracity.features.trustee.ontology.skeleton import (
    CLOSING,
    CLOSING_BY_CLASS,
    EXPENSE,
    FIRST_YEAR,
    MONTH,
    REVENUE,
    SECOND_YEAR,
    TURNOVER,
    TURNOVER_BY_CLASS,
    YEAR,
    Filter,
    amount,
    group_slot,
    numbered,
    pattern,
    period,
    query,
)
from veracity.features.trustee.ontology.tables import BALANCE, BALANCE_BY_ACCOUNT
from veracity.features.trustee.ontology.three_languages import text
from veracity.ontology.descriptor import ToolCall


def _of_year(*filters: Filter) -> ToolCall:
    return query(BALANCE_BY_ACCOUNT, CLOSING_BY_CLASS, *period(month=0), *filters)


RESULT_PATTERNS = (
    pattern(
        "EXPENSE_GROUP_OF_YEAR",
        ("Aufwand einer Kontengruppe in einem Jahr", "Cost of an account group in a year", "某费用组的全年费用"),
        _of_year(numbered("{group}"), EXPENSE),
        slots=(group_slot("60%"), YEAR),
        answer=amount(
            "{group} im Jahr {year}",
            "{group} in {year}",
            "{year}年{group}",
        ),
        de=(
            "Wie hoch war der Mietaufwand 2025?",
            "Was haben wir 2024 für Löhne ausgegeben?",
            "Wie hoch waren die Abschreibungen im Jahr 2023?",
        ),
        en=(
            "How much rent did we pay in 2025?",
            "What did wages cost in 2024?",
            "How high was depreciation in 2023?",
        ),
        zh=(
            "2025年租金费用是多少？",
            "2024年工资支出是多少？",
            "2023年折旧费用是多少？",
        ),
    ),
    pattern(
        "EXPENSE_CLASS_OF_YEAR",
        ("Aufwand einer Kontenklasse in einem Jahr", "Cost of an account class in a year", "某费用类别的全年费用"),
        _of_year(numbered("{group}"), EXPENSE),
        slots=(group_slot("5%"), YEAR),
        answer=amount(
            "{group} im Jahr {year}",
            "{group} in {year}",
            "{year}年{group}",
        ),
        de=(
            "Wie hoch war der Personalaufwand 2025?",
            "Wie hoch war der Materialaufwand im Jahr 2024?",
            "Was machte der übrige Betriebsaufwand 2023 aus?",
        ),
        en=(
            "What was the personnel expense in 2025?",
            "How high was the cost of materials in 2024?",
            "Other operating expense for 2023?",
        ),
        zh=(
            "2025年人工费用总额是多少？",
            "2024年材料费用是多少？",
            "2023年其他营业费用是多少？",
        ),
    ),
    pattern(
        "EXPENSE_GROUP_OF_MONTH",
        ("Aufwand einer Kontengruppe in einem Monat", "Cost of an account group in a month", "某费用组的单月费用"),
        query(BALANCE_BY_ACCOUNT, TURNOVER_BY_CLASS, *period(), numbered("{group}"), EXPENSE),
        slots=(group_slot("60%"), YEAR, MONTH),
        answer=amount(
            "{group} im {period}",
            "{group} in {period}",
            "{period}{group}",
            value="sum(r1.debitTotal) - sum(r1.creditTotal)",
        ),
        de=(
            "Wie hoch war der Mietaufwand im März 2025?",
            "Was haben wir im Juni 2024 für Löhne ausgegeben?",
            "Wie hoch war der Personalaufwand im Oktober 2025?",
            "Wie hoch war der Materialaufwand im Mai 2024?",
        ),
        en=(
            "How much rent did we pay in March 2025?",
            "What did wages cost in June 2024?",
            "What was the personnel expense in October 2025?",
            "Cost of materials in May 2024?",
        ),
        zh=(
            "2025年3月租金费用是多少？",
            "2024年6月工资支出是多少？",
            "2025年10月人工费用是多少？",
            "2024年5月材料费用是多少？",
        ),
    ),
    pattern(
        "TOTAL_EXPENSES_OF_YEAR",
        ("Summe aller Aufwandskonten", "Total of all expense accounts", "全部费用科目合计"),
        _of_year(EXPENSE),
        slots=(YEAR,),
        answer=amount("Gesamtaufwand {year}", "Total expenses in {year}", "{year}年总费用"),
        de=(
            "Wie hoch ist die Summe aller Aufwandskonten 2025?",
            "Wie hoch war der Gesamtaufwand im Jahr 2024?",
            "Was haben wir 2023 insgesamt ausgegeben?",
        ),
        en=(
            "What is the total of all expense accounts in 2025?",
            "How high were total expenses in 2024?",
            "What were our total costs in 2023?",
        ),
        zh=(
            "2025年所有费用科目合计是多少？",
            "2024年总费用是多少？",
            "2023年一共花了多少费用？",
        ),
    ),
    pattern(
        "REVENUE_OF_YEAR",
        ("Umsatz eines Jahres", "Revenue of a year", "全年营业收入"),
        query(BALANCE, CLOSING, *period(month=0), numbered("3%")),
        slots=(YEAR,),
        answer=amount("Betriebsertrag {year}", "Operating revenue in {year}", "{year}年营业收入"),
        de=(
            "Wie hoch war der Umsatz 2025?",
            "Welchen Betriebsertrag haben wir im Jahr 2024 erzielt?",
            "Wie viel haben wir 2023 eingenommen?",
        ),
        en=(
            "What was the revenue in 2025?",
            "How high were our sales in 2024?",
            "Total operating revenue for 2023?",
        ),
        zh=(
            "2025年营业收入是多少？",
            "2024年的销售额是多少？",
            "2023年总收入是多少？",
        ),
    ),
    pattern(
        "REVENUE_OF_MONTH",
        ("Umsatz eines Monats", "Revenue of a month", "单月营业收入"),
        query(BALANCE, TURNOVER, *period(), numbered("3%")),
        slots=(YEAR, MONTH),
        answer=amount(
            "Betriebsertrag im {period}",
            "Operating revenue in {period}",
            "{period}营业收入",
            value="sum(r1.creditTotal) - sum(r1.debitTotal)",
        ),
        de=(
            "Wie hoch war der Umsatz im März 2025?",
            "Welchen Ertrag hatten wir im Dezember 2024?",
            "Umsatz Juni 2023?",
        ),
        en=(
            "What was the revenue in March 2025?",
            "How high were sales in December 2024?",
            "Operating revenue for June 2023?",
        ),
        zh=(
            "2025年3月的营业收入是多少？",
            "2024年12月的销售额是多少？",
            "2023年6月营业额是多少？",
        ),
    ),
    pattern(
        "CONSULTING_REVENUE_OF_YEAR",
        (
            "Dienstleistungsertrag (Beratung) eines Jahres",
            "Consulting and service revenue of a year",
            "全年咨询服务收入",
        ),
        query(BALANCE, CLOSING, *period(month=0), numbered("34%")),
        slots=(YEAR,),
        answer=amount(
            "Dienstleistungsertrag (Beratung) {year}",
            "Service revenue (consulting) in {year}",
            "{year}年服务收入（咨询）",
        ),
        de=(
            "Wie hoch war der Beratungsertrag 2025?",
            "Was haben wir 2024 mit Beratung verdient?",
            "Welchen Dienstleistungsertrag hatten wir im Jahr 2023?",
        ),
        en=(
            "What was the consulting revenue in 2025?",
            "How much did we earn from consulting in 2024?",
            "Service revenue for 2023?",
        ),
        zh=(
            "2025年咨询收入是多少？",
            "2024年我们从咨询业务赚了多少？",
            "2023年服务收入是多少？",
        ),
    ),
    pattern(
        "REVENUE_GROUP_OF_YEAR",
        ("Ertrag einer Kontengruppe in einem Jahr", "Revenue of an account group in a year", "某收入组的全年收入"),
        _of_year(numbered("{group}"), REVENUE),
        slots=(group_slot("32%"), YEAR),
        answer=amount(
            "{group} im Jahr {year}",
            "{group} in {year}",
            "{year}年{group}",
        ),
        de=(
            "Wie hoch war der Handelsertrag 2025?",
            "Welchen Ertrag brachte der Warenverkauf 2024?",
            "Handelserlöse im Jahr 2023?",
        ),
        en=(
            "What was the trading revenue in 2025?",
            "How much did merchandise sales bring in 2024?",
            "Revenue from sales of goods in 2023?",
        ),
        zh=(
            "2025年贸易收入是多少？",
            "2024年商品销售收入是多少？",
            "2023年商品收入是多少？",
        ),
    ),
    pattern(
        "RESULT_OF_YEAR",
        ("Gewinn oder Verlust eines Jahres", "Profit or loss of a year", "全年利润或亏损"),
        _of_year(REVENUE),
        _of_year(EXPENSE),
        slots=(YEAR,),
        answer=amount(
            "Jahreserfolg {year} (Ertrag minus Aufwand)",
            "Result for {year} (revenue minus expenses)",
            "{year}年损益（收入减费用）",
            value="sum(r1.closingBalance) - sum(r2.closingBalance)",
        ),
        de=(
            "Wie hoch war der Gewinn 2025?",
            "Welches Jahresergebnis haben wir 2024 erzielt?",
            "Haben wir 2023 Gewinn oder Verlust gemacht?",
        ),
        en=(
            "What was the profit in 2025?",
            "What was the net result for 2024?",
            "Did we make a profit or a loss in 2023?",
        ),
        zh=(
            "2025年利润是多少？",
            "2024年的净利润是多少？",
            "2023年是盈利还是亏损？",
        ),
    ),
    pattern(
        "COMPARE_REVENUE_YEARS",
        ("Umsatz zweier Jahre", "Revenue of two years", "两个年度的营业收入比较"),
        query(BALANCE, CLOSING, *period("{firstYear}", 0), numbered("3%")),
        query(BALANCE, CLOSING, *period("{secondYear}", 0), numbered("3%")),
        slots=(FIRST_YEAR, SECOND_YEAR),
        answer=text(
            "Betriebsertrag {firstYear}: {{ sum(r1.closingBalance) }}, {secondYear}: {{ sum(r2.closingBalance) }}; "
            "Veränderung {{ sum(r2.closingBalance) - sum(r1.closingBalance) }} {{ r1[0].currency }}.",
            "Operating revenue in {firstYear}: {{ sum(r1.closingBalance) }}, in {secondYear}: "
            "{{ sum(r2.closingBalance) }}; change {{ sum(r2.closingBalance) - sum(r1.closingBalance) }} "
            "{{ r1[0].currency }}.",
            "{firstYear}年营业收入：{{ sum(r1.closingBalance) }}，{secondYear}年：{{ sum(r2.closingBalance) }}；"
            "变动 {{ sum(r2.closingBalance) - sum(r1.closingBalance) }} {{ r1[0].currency }}。",
        ),
        de=(
            "Vergleiche den Umsatz 2024 mit 2025.",
            "Wie hat sich der Umsatz von 2023 auf 2024 verändert?",
            "Um wie viel ist der Betriebsertrag zwischen 2022 und 2023 gestiegen?",
        ),
        en=(
            "Compare revenue in 2024 and 2025.",
            "How did revenue change from 2023 to 2024?",
            "By how much did sales grow between 2022 and 2023?",
        ),
        zh=(
            "比较2024年和2025年的营业收入。",
            "营业收入从2023年到2024年变化了多少？",
            "2022年到2023年销售额增长了多少？",
        ),
    ),
)
