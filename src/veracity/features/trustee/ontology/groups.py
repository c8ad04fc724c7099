"""The chart of accounts as concepts: the nine classes and the groups by number range, with the words people use.

A word stands for one concept only; where one is part of another ("Bank", "Bankdarlehen"), the longer one is meant.
Words that also name a cost centre or any revenue or cost ("Beratung", "Verwaltung", "Aufwand") are left out.
"""

from __future__ import annotations

from veracity.features.trustee.ontology.three_languages import Three, text, word_lists
from veracity.ontology.descriptor import Entity, Invariant, NumberRange, SemanticType

_CLASS_NAMES = (
    "ClassAssets",
    "ClassLiabilities",
    "ClassOperatingRevenue",
    "ClassMaterialExpense",
    "ClassPersonnelExpense",
    "ClassOtherOperatingExpense",
    "ClassAncillaryResult",
    "ClassNonOperatingResult",
    "ClassClosing",
)


def _class(number: int, label: Three, synonyms: Three) -> Entity:
    numbered = (
        f"Klasse {number}, Kontenklasse {number}",
        f"class {number}, account class {number}",
        f"第{number}类科目",
    )
    said = (f"{listed}, {more}" for listed, more in zip(synonyms, numbered, strict=True))
    return Entity(
        name=_CLASS_NAMES[number - 1],
        label=text(*label),
        synonyms=word_lists(*said),
        semantic_type=SemanticType.ACCOUNT_CLASS,
        number_range=NumberRange(field="accountNumber", start=f"{number}000", end=f"{number}999"),
        accumulates=number >= 3,
    )


def _group(name: str, start: int, end: int, label: Three, synonyms: Three) -> Entity:
    return Entity(
        name=name,
        label=text(*label),
        synonyms=word_lists(*synonyms),
        semantic_type=SemanticType.ACCOUNT_GROUP,
        number_range=NumberRange(field="accountNumber", start=str(start), end=str(end)),
        parent_entity=_CLASS_NAMES[start // 1000 - 1],
    )


ACCOUNT_CLASSES = (
    _class(
        1,
        ("Aktiven", "Assets", "资产"),
        ("Aktiva, Aktivkonten, Vermögenswerte", "total assets, asset accounts", "总资产, 资产类, 资产总额"),
    ),
    _class(
        2,
        ("Passiven", "Liabilities and equity", "负债和所有者权益"),
        (
            "Passiva, Passivkonten, Fremd- und Eigenkapital",
            "equity and liabilities, total liabilities and equity",
            "负债及所有者权益, 负债和权益",
        ),
    ),
    _class(
        3,
        ("Betriebsertrag", "Operating revenue", "营业收入"),
        (
            "Umsatz, Jahresumsatz, Gesamtumsatz, Umsatzerlöse, Erlös, Erlöse, Ertrag, Erträge, Betriebserträge",
            "revenue, revenues, total revenue, sales, net sales, sales revenue, operating income",
            "销售额, 销售收入, 营业额, 总收入, 营收",
        ),
    ),
    _class(
        4,
        ("Materialaufwand", "Cost of materials", "材料费用"),
        (
            "Warenaufwand, Materialkosten, Wareneinkauf, Material- und Warenaufwand",
            "material expense, material expenses, material costs, cost of goods sold, cost of sales, COGS",
            "材料成本, 采购成本, 商品成本, 销售成本",
        ),
    ),
    _class(
        5,
        ("Personalaufwand", "Personnel expense", "人工费用"),
        (
            "Personalkosten, Personalausgaben",
            "personnel expenses, personnel costs, staff costs, staff expenses, employee costs",
            "人事费用, 人员费用, 员工费用, 人工成本, 人力成本",
        ),
    ),
    _class(
        6,
        ("Übriger Betriebsaufwand", "Other operating expense", "其他营业费用"),
        (
            "übriger Aufwand, übrige Betriebskosten, sonstiger Betriebsaufwand, Sachaufwand",
            "other operating expenses, other operating costs, overheads, overhead costs",
            "其他经营费用, 其他运营费用",
        ),
    ),
    _class(
        7,
        ("Betrieblicher Nebenerfolg", "Ancillary operating result", "附属经营损益"),
        (
            "Nebenerfolg, Nebenbetrieb, Erfolg aus Nebenbetrieben",
            "ancillary result, ancillary income, secondary operations, side business",
            "副业损益, 附属业务损益",
        ),
    ),
    _class(
        8,
        ("Betriebsfremder und a.o. Erfolg", "Non-operating and extraordinary result", "营业外及非常损益"),
        (
            "betriebsfremder Erfolg, ausserordentlicher Erfolg, a.o. Erfolg, betriebsfremder und ausserordentlicher Erfolg",
            "non-operating result, extraordinary result, exceptional items",
            "营业外损益, 非常损益",
        ),
    ),
    _class(
        9,
        ("Abschlusskonten", "Closing accounts", "结账科目"),
        ("Abschlusskonto, Kontenklasse Abschluss", "closing account", "结转科目, 年终结账科目"),
    ),
)

_ASSET_GROUPS = (
    _group(
        "GroupCash",
        1000,
        1009,
        ("Kasse", "Cash", "现金"),
        (
            "Kassenbestand, Kassensaldo, Barbestand, Bargeld",
            "cash on hand, petty cash, till",
            "库存现金, 现金余额, 备用金",
        ),
    ),
    _group(
        "GroupPost",
        1010,
        1019,
        ("Post", "Postal account", "邮政账户"),
        (
            "Postkonto, Postguthaben, Postsaldo, PostFinance, Postcheckkonto",
            "post account, postal balance, post office account",
            "邮局账户, 邮政账户余额",
        ),
    ),
    _group(
        "GroupBank",
        1020,
        1029,
        ("Bank", "Bank", "银行存款"),
        (
            "Bankguthaben, Banksaldo, Banksalden, Bankkonto, Bankkonten, Bankbestand, Guthaben bei Banken",
            "bank balance, bank balances, bank account, bank accounts, cash at bank, money in the bank",
            "银行, 银行余额, 银行账户, 银行账户余额, 银行资金",
        ),
    ),
    _group(
        "GroupReceivables",
        1100,
        1109,
        ("Debitoren", "Accounts receivable", "应收账款"),
        (
            "Kundenguthaben, Forderungen, offene Forderungen, Kundenforderungen, offene Debitoren, Debitorensaldo, "
            "Debitorenbestand, Forderungen aus Lieferungen und Leistungen",
            "receivables, trade receivables, open receivables, debtors, trade debtors, customer receivables",
            "应收款, 应收款项, 应收帐款, 客户欠款, 未收账款",
        ),
    ),
    _group(
        "GroupInventory",
        1200,
        1299,
        ("Vorräte", "Inventory", "存货"),
        (
            "Vorrat, Lager, Warenlager, Lagerbestand, Warenvorräte",
            "inventories, stock, goods in stock, stocks of goods",
            "库存, 库存商品, 库存货物",
        ),
    ),
    _group(
        "GroupPrepaidExpenses",
        1300,
        1399,
        ("Aktive Rechnungsabgrenzung", "Prepaid expenses and accrued income", "预付费用及应计收入"),
        (
            "aktive Rechnungsabgrenzungen, aktive Abgrenzungen, transitorische Aktiven",
            "prepaid expenses, prepayments, accrued income",
            "预付费用, 待摊费用, 应计收入",
        ),
    ),
    _group(
        "GroupFixedAssets",
        1500,
        1599,
        ("Sachanlagen", "Tangible fixed assets", "固定资产"),
        (
            "Sachanlagevermögen, mobile Sachanlagen, Mobilien",
            "fixed assets, tangible assets, property plant and equipment, PP&E",
            "有形资产, 有形固定资产",
        ),
    ),
)

_LIABILITY_GROUPS = (
    _group(
        "GroupPayables",
        2000,
        2009,
        ("Kreditoren", "Accounts payable", "应付账款"),
        (
            "Lieferantenschulden, Lieferantenverbindlichkeiten, offene Kreditoren, Kreditorensaldo, Kreditorenbestand, "
            "Verbindlichkeiten aus Lieferungen und Leistungen",
            "payables, trade payables, open payables, creditors, trade creditors, supplier liabilities",
            "应付款, 应付款项, 应付帐款, 欠供应商款, 未付账款",
        ),
    ),
    _group(
        "GroupVat",
        2200,
        2209,
        ("MWST", "VAT", "增值税"),
        (
            "Mehrwertsteuer, MWST-Schuld, geschuldete MWST, Mehrwertsteuerschuld, Umsatzsteuer",
            "value added tax, VAT payable, VAT liability, VAT owed, VAT due",
            "应交增值税, 应付增值税, 增值税负债",
        ),
    ),
    _group(
        "GroupAccruedLiabilities",
        2300,
        2399,
        ("Passive Rechnungsabgrenzung", "Accrued expenses and deferred income", "应计费用及递延收入"),
        (
            "passive Rechnungsabgrenzungen, passive Abgrenzungen, transitorische Passiven",
            "accrued expenses, accruals, accrued liabilities, deferred income",
            "应计费用, 预提费用, 递延收入",
        ),
    ),
    _group(
        "GroupBankLoans",
        2400,
        2499,
        ("Bankdarlehen", "Bank loans", "银行贷款"),
        (
            "Darlehen, Bankkredit, Bankkredite, Bankschulden, langfristige Bankschulden",
            "bank loan, loans, bank debt, bank borrowings, long-term bank debt",
            "贷款, 银行借款, 借款, 长期借款",
        ),
    ),
    _group(
        "GroupEquity",
        2800,
        2999,
        ("Eigenkapital", "Equity", "所有者权益"),
        (
            "Eigenmittel, eigenes Kapital, Kapital und Reserven",
            "shareholders' equity, owners' equity, net assets, own capital, capital and reserves",
            "股东权益, 净资产, 自有资本, 自有资金",
        ),
    ),
)

_REVENUE_GROUPS = (
    _group(
        "GroupTradingRevenue",
        3200,
        3299,
        ("Handelsertrag", "Trading revenue", "贸易收入"),
        (
            "Handelserträge, Handelserlöse, Handelsumsatz, Warenertrag, Warenverkauf, Warenverkäufe, Erlöse aus Handel",
            "trade revenue, merchandise revenue, merchandise sales, sales of goods, product revenue",
            "商品销售收入, 贸易销售收入, 商品收入, 商品销售额",
        ),
    ),
    _group(
        "GroupServiceRevenue",
        3400,
        3499,
        ("Dienstleistungsertrag", "Service revenue", "服务收入"),
        (
            "Beratungsertrag, Beratungserträge, Beratungserlöse, Beratungsumsatz, Beratungshonorare, Ertrag aus Beratung, "
            "Dienstleistungserträge, Dienstleistungserlöse, Dienstleistungsumsatz",
            "consulting revenue, consulting income, consulting sales, consulting fees, advisory revenue, service income, "
            "services revenue",
            "咨询收入, 咨询服务收入, 咨询费收入, 顾问收入, 劳务收入",
        ),
    ),
)

_EXPENSE_GROUPS = (
    _group(
        "GroupWages",
        5000,
        5099,
        ("Löhne", "Wages and salaries", "工资"),
        (
            "Löhne und Gehälter, Gehälter, Saläre, Lohnaufwand, Lohnkosten, Lohnsumme",
            "wages, salaries, payroll, wage costs, salary costs, salary expense",
            "薪资, 薪酬, 薪水, 工资费用, 工资支出",
        ),
    ),
    _group(
        "GroupSocialInsurance",
        5700,
        5799,
        ("Sozialversicherungen", "Social insurance", "社会保险"),
        (
            "Sozialversicherungsaufwand, Sozialversicherungskosten, Sozialleistungen, Sozialabgaben",
            "social security, social security contributions, social security costs, social charges",
            "社保, 社保费用, 社会保险费",
        ),
    ),
    _group(
        "GroupRent",
        6000,
        6099,
        ("Miete", "Rent", "租金"),
        (
            "Mieten, Mietaufwand, Mietkosten, Raumaufwand, Raumkosten",
            "rents, rent expense, rental expense, rental costs, premises costs",
            "房租, 租金费用, 租金支出, 租赁费用",
        ),
    ),
    _group(
        "GroupAdministration",
        6500,
        6599,
        ("Verwaltung und IT", "Administration and IT", "行政及信息技术费用"),
        (
            "Verwaltungsaufwand, Verwaltungskosten, Verwaltungs- und Informatikaufwand, IT-Kosten, IT-Aufwand, Informatikkosten",
            "administrative expenses, administration costs, admin costs, IT costs, IT expenses",
            "管理费用, 行政费用, 行政管理费用, 办公费用, IT费用, 信息技术费用",
        ),
    ),
    _group(
        "GroupDepreciation",
        6800,
        6899,
        ("Abschreibungen", "Depreciation", "折旧"),
        (
            "Abschreibung, Abschreibungsaufwand, Wertberichtigungen",
            "depreciation expense, amortisation, amortization, write-downs",
            "折旧费, 折旧费用, 折旧与摊销, 摊销",
        ),
    ),
    _group(
        "GroupFinancialExpense",
        6900,
        6999,
        ("Finanzaufwand", "Financial expense", "财务费用"),
        (
            "Finanzkosten, Finanzierungskosten, Zinsen und Bankspesen",
            "financial expenses, finance costs, financial costs, interest and bank charges",
            "金融费用, 融资费用",
        ),
    ),
)

ACCOUNT_GROUPS = _ASSET_GROUPS + _LIABILITY_GROUPS + _REVENUE_GROUPS + _EXPENSE_GROUPS

ACCOUNTING_PERIOD = Entity(
    name="AccountingPeriod",
    label=text("Buchungsperiode", "Accounting period", "会计期间"),
    synonyms=word_lists("Periode, Rechnungsperiode", "period, fiscal period", "期间, 核算期间"),
    semantic_type=SemanticType.PERIOD,
    invariants=(
        Invariant(
            name="MONTH_0_IS_THE_YEAR",
            description=text(
                "periodMonth = 0 ist das ganze Jahr, 1-12 ein Monat",
                "periodMonth = 0 is the whole year, 1-12 a month",
                "periodMonth = 0 表示全年，1-12 表示月份",
            ),
        ),
    ),
)
