"""Words that change what a question asks, in three languages.

A question that says "average" is not answered by a pattern that none of whose examples says so.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

_CUES: dict[str, str] = {
    "average": r"durchschnitt\w*|im schnitt|mittelwert|im mittel|average|mean (?:value|of)|avg|on average|typical|平均|中位|median\w*",
    "share": r"prozent\w*|%|anteil\w*|quote|marge|bruttomarge|verhältnis|percent\w*|share of|ratio|margin|proportion|per cent|how much of|占|比例|百分|利润率|毛利率|比率",
    "plan": r"budget\w*|geplant\w*|planung|prognos\w*|forecast\w*|erwarte\w*|voraussichtlich\w*|hochrechnung|soll-ist|expect\w*|project(?:ed|ion)\w*|predict\w*|planned|will (?:be|have|our|we)|going to|werden wir|wird .{0,40}sein|rechne[nt]?|gerechnet|预算|预测|预计|计划|将会|估计|estimate\w*|schätz\w*",
    "except": r"ohne|ausser|außer|exklusive|exkl|abzüglich|abgesehen|bereinigt\w*|nicht|keine?[nmrs]?|nie|without|except|exclud\w*|not|no|never|none|net of|other than|apart from|besides|n't|除|不含|不包括|没有|扣除|未|不算|不计",
    "per": r"pro|je (?:kunde|monat|jahr|konto|mitarbeiter|lieferant|land|quartal|stück|kopf|person|quadratmeter|kostenstelle|tag|woche)\w*|jeweils|aufgeschlüsselt|gegliedert|verteil\w*|aufteil\w*|monatlich\w*|jährlich\w*|täglich\w*|quartalsweise|monatsweise|monat für monat|nach (?:kunden?|lieferanten?|monat\w*|konto|konten|land|ländern|stadt|ort\w*|region\w*|kostenstellen?|jahr\w*|gruppen?|währung\w*)|per (?!\d|ende|end|anfang|stichtag|jahresende|jahr|ultimo|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|heute|gestern|saldo|\d)\w+|by (?:month|customer|vendor|supplier|account|country|city|region|cost|year|group|currency|quarter|day|week)\w*|each|every (?=month|year|quarter|week|day)\w+|breakdown|broken down|break \w+ down|monthly|yearly|annual breakdown|quarterly|spread over|split|month by month|每|各(?:个|月|年|季|科目|客户|供应商|成本中心|城市|部门|国)|按|分别|逐|分布|汇总",
    "most": r"grösst\w*|größt\w*|höchst\w*|teuerst\w*|meisten?|wichtigst\w*|beste[nmrs]?|stärkst\w*|umsatzstärkst\w*|spitzenreiter|rangliste|top|largest|biggest|highest|most|greatest|main|best|ranking|heftiest|最大|最高|最多|最好|最贵|最重要|第一大|前\w?名|前[0-9一二三四五六七八九十]+",
    "least": r"kleinst\w*|tiefst\w*|niedrigst\w*|geringst\w*|schwächst\w*|billigst\w*|wenigsten|smallest|lowest|least|worst|fewest|cheapest|最小|最低|最少|最差|最便宜",
    "newest": r"neu(?:e)?ste[nrs]?|aktuellste[nrs]?|jüngste[nrs]?|älteste[nrs]?|erste[nrs]? (?:buchung|beleg)\w*|newest|latest entr\w+|oldest|first entr\w+|most recent|最新|最近|最早",
    "compare": r"vergleich\w*|gegenüber|versus|vs\.?|verglichen|im vergleich|differenz|unterschied\w*|höher|tiefer|niedriger|besser|schlechter|mehr als|weniger als|compar\w*|difference|higher|lower|better|worse|gap|measure up|stack up|side by side|比较|对比|比一比|相比|差额|差异|相差|同比|环比|多了|少了",
    "trend": r"veränder\w*|entwickel\w*|entwicklung|gestiegen|gesunken|steig\w*|sank|sinken|zugenommen|abgenommen|gewachsen|wachstum|zuwachs|verlauf|\w+verlauf|trend|chang\w*|grow\w*|grew|growth|increas\w*|decreas\w*|r[io]se\w*|fell|drop\w*|declin\w*|develop\w*|evol\w*|move[ds]?|history|over the (?:years|months)|year (?:by|over|on|to) year|变化|增长|增加|增幅|减少|下降|上升|走势|趋势|历年|逐年|逐月",
    "threshold": r"mehr als|weniger als|mindestens|höchstens|oberhalb|unterhalb|grösser als|größer als|kleiner als|über \d\S*|unter \d\S*|ab \d+ (?:franken|chf)|more than|less than|at least|at most|above|below|exceed\w*|over \d\S*|under \d\S*|greater than|smaller than|up to \d\S*|超过|高于|低于|大于|小于|以上|以下|至少|不足|多于|少于",
    "why": r"warum|wieso|weshalb|woran|begründ\w*|grund|gründe|why|how come|reason\w*|explain|erklär\w*|cause\w*|为什么|为何|原因|怎么会|解释",
    "count": r"wie ?viele|anzahl|zahl der|\w*anzahl|zähl\w*|wie oft|how many|number of|counts?|headcount|how often|多少个|多少家|多少笔|多少张|多少条|多少位|多少名|几个|几家|(?<!的)几笔|几条|几位|数量|个数|笔数|家数|总数",
    "list": r"liste\w*|\w+liste|anzeigen|aufstellung|\w*verzeichnis|zeig\w*|welche[rsnm]?|auflist\w*|aufgelistet|aufzähl\w*|nenn\w*|übersicht|list\w*|show\w*|which|display|names? of|name (?:all|every|each|the)|wen\b|wer sind|namen (?:aller|der|von)|who (?:are|do)|are there|are in the|give me (?:a list|all)|enumerate|who are|哪些|列出|显示|列一下|清单|列表|名单|名册|看看|展示",
    "cumulative": r"kumuliert\w*|bisher|bis (?:jetzt|heute|dato|ende|und mit|einschliesslich|märz|april|mai|juni|juli|august|september|oktober|november|januar|februar|dezember)|aufgelaufen\w*|year to date|ytd|so far|since|until|to date|cumulat\w*|seit|累计|至今|以来",
    "write": r"buche|verbuche|überweis\w*|lösch\w*|änder[en]|erfass\w*|storniere\w*|korrigiere|setze|trag\w* .{0,30}ein|delete|remove|update|insert|create|transfer|pay|book an?|post an?|add an?|change the|set the|drop|删除|修改|更新|插入|转账|支付给|新建|添加|录入|改成",
    "opening": r"eröffnung\w*|eröffnet\w*|anfangs\w*|vortrag|saldovortrag|vorgetragen|startsaldo|gestartet|startete|begonnen|begann|beginn|opening|open(?:ed)? (?:the )?(?:year|month)?|brought forward|start\w*|began|beg[iu]n\w*|carried (?:in|over|forward)|new year|neue jahr|期初|年初|月初|开始时|起始|初始|上年结转",
    "turnover": r"soll|haben(?=um|seite|\b.{0,20}(?:gebucht|umsatz))|sollumsatz|habenumsatz|soll- und haben\w*|habenseite|sollseite|umsätze|bewegung\w*|bewegt|debit\w*|credit(?:ed|s|\b(?!or))|turnover|movements?|借方|贷方|发生额|变动额|借贷(?!明细)",
    "conversion": r"umgerechnet|umrechn\w*|wechselkurs|in (?:us[- ]?)?(?:dollars?|usd|pounds?|pfund|yen|euros?)|convert\w*|exchange rate|fx|折合|换算|汇率|折算",
    "spend": r"gesamtkosten|gesamtaufwand|aus(?:zu)?geg[ea]ben?\w*|gaben .{0,40} aus|ausgaben?\w*|gekostet|kostete?n?|kosten\b|aufwand|aufwände|aufwendungen|bezahlt\w*|zahlten|gezahlt|berappt\w*|verbraucht\w*|verschl[au]ng\w*|draufg\w+|ging .{0,40}drauf|teuer|zu stehen|aufgewendet|spend\w*|spent|costs?|costing|paid|pay(?:ing)?|expens\w*|expenditure\w*|outlay|支出|花了|花费|花掉|花|费用|付了|支付|开支|开销|成本(?!中心)|用了",
    "earn": r"verdien\w*|eingenommen|einnahmen|einnehmen|umsatz\w*|umgesetzt|umsetzen|ertr[aä]g\w*|erlös\w*|verkauf\w*|abgesetzt|fakturiert|erwirtschaftet|eingebracht|earn\w*|revenues?|sales|sold|sell\w*|income|turn(?:ed)? over|took in|take in|taken in|invoiced|billed|bring in|brought in|bring us|made from|make from|make with|made with|收入|赚|卖|销售|营收|营业额|进账|创收",
    "owe": r"schuld\w*|schuldig|ausstehend\w*|offen(?:e[nrs]?)?\b|owe[ds]?|owing|outstanding|unpaid|due\b|noch nicht bezahlt\w*|not yet paid|欠|未付|未收|没有收回|没收回|没付|应付|应收|应交|noch zu (?:be)?zahlen|(?:still )?ha(?:ve|d) to pay|still to pay",
    "flow": r"reingekommen|hereingekommen|rausgegangen|rausging\w*|reinkam\w*|eingegangen|eingingen|zugeflossen|abgeflossen|floss\w*|geflossen|eingekauft|einkaufen|gekauft|kauften|angeschafft|bezogen|überwiesen|einbezahlt|zurückbezahlt|zurückgezahlt|getilgt|aufgenommen|received?|receiving|bought|purchased?|acquired|came in|came into|come in|went out|go out|gone out|flowed|paid (?:in|out|back|off)|repaid|withdr[ae]w\w*|deposited|charged|收到|买入|买了|购买|购入|流入|流出|进了|转入|转出|还了|偿还|取出",
    "gross": r"gross (?:revenue|profit|sales|margin|income|wages?|salar\w+)|brutto\w*|netto\w*|nettoumsatz|net (?:sales|revenue|of)|before tax\w*|after tax\w*|vor steuern|nach steuern|ebit\w*|cash ?flow|税前|税后|毛利|毛收入|净收入|现金流",
    "profit": r"gewinn\w*|verlust\w*|erfolg|unter dem strich|schwarze\w* zahlen|rote\w* zahlen|in the (?:black|red)|jahreserfolg|ergebnis|jahresergebnis|reingewinn|überschuss|profit\w*|loss\w*|net (?:result|income)|bottom line|earnings|result|利润|亏损|亏了|亏|盈利|净利|损益|盈亏",
}


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Compiled when the first text is looked at: a question that is answered from its words needs none of them."""
    return {name: re.compile(rf"(?<![a-zäöüß])(?:{words})(?![a-zäöüß])") for name, words in _CUES.items()}


@lru_cache(maxsize=4096)
def cues_of(text: str) -> frozenset[str]:
    """The kinds of meaning-changing words in a text."""
    folded, cues = text.casefold(), _patterns()
    found = {name for name, words in cues.items() if words.search(folded)}
    for name in found & {"except", "spend"}:
        if not cues[name].search(cues["owe"].sub(" ", folded)):
            found.remove(name)  # "not yet paid" is owed: nothing is left out, and nothing was paid
    return frozenset(found)
