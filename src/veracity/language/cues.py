"""Words that change what a question asks, in three languages, and words that change nothing.

A question that says "average" is not answered by a pattern that none of whose examples says so.
"""

from __future__ import annotations

import re
from functools import lru_cache

from veracity.language.function_words import function_words

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
CUES = {name: re.compile(rf"(?<![a-zäöüß])(?:{words})(?![a-zäöüß])") for name, words in _CUES.items()}


# Words that put no condition on anything. Whatever else a question says must be known to the pattern that answers it.
_HARMLESS = """
der die das den dem des ein eine einen einem einer eines und oder auch noch mal denn doch ja nun also so da dann wenn ob dass
ich du wir ihr sie es man mir mich dir dich uns euch ihm ihn ihnen sich unser unsere unserem unseren unserer unseres mein meine
dein deine deren dessen dieser diese dieses diesem diesen jener jene alles etwas irgend jemand
firma unternehmen betrieb buchhaltung bücher büchern gesellschaft chef team kollege kollegin
wie was wann wo wer wen wem wessen wieviel viel viele hoch gross groß wohl eben halt eh gerade
ist sind war waren wird werden wurde wurden worden sein hat haben habe hast hatte hatten hätte hätten gehabt gibt gab gebe geben gegeben
liegt lag lagen liegen steht stand standen stehen gestanden beträgt betrug betrugen betragen beläuft belief beliefen belaufen macht machte machten machen gemacht ausmacht ausmachte ausmachen
kommt kam kamen kommen gekommen bleibt blieb blieben geblieben geht ging gingen gehen gegangen lief liefen läuft weist wies auf aus ein an ab vor zu
kann kannst können könnte könntest könnten darf dürfte dürften soll sollte sollten möchte möchten will wollen wollte würde würdest würden magst mag müssen muss musste mussten brauche brauchen bräuchte bräuchten benötige benötigen interessiert interessieren
sag sage sagen sagst gesagt zeig zeige zeigen gezeigt nenn nenne nennen verrate verraten weiss weisst wissen wüsste gib geben schick schicke ermittle suche such finde stell stelle stellen schau schauen guck lass lassen erklär
gern gerne bitte kurz schnell rasch mal genau genauer eigentlich etwa insgesamt gesamt gesamthaft total totale totaler summe zusammen zusammengerechnet alle allen aller all gesamte gesamten gesamter ganze ganzen ganzes sämtliche sämtlicher sämtlichen überhaupt unterm strich beide beiden
in im ins am an ans auf aufs aus bei beim mit von vom zu zum zur für fuer per nach über ueber unter zwischen bis während waehrend ab um gegen durch hin her
jahr jahre jahren jahres geschäftsjahr geschäftsjahres buchungsjahr monat monate monats monaten tag tage tages datum stichtag zeitraum periode ende schluss abschluss anfang beginn jahresende monatsende jahresabschluss kalenderjahr
damals jetzt bereits schon nur ungefähr rund hallo hi hey danke moin guten morgen abend grüezi vergangenen vergangene vergangenes letzten letzte letztes letzter
betrag betrages beträge höhe wert werte stand zahl zahlen angabe angaben auskunft info information frage antwort ergab ergeben ergibt gesamtbetrag
angefallen anfielen anfiel fielen fiel entstanden entstand entstehen verbucht verbuchten gebucht gebuchte gebuchten verzeichnet verzeichnen ausgewiesen vorhanden geführt führen führten hinterlegt erfasst eingetragen arbeiten arbeiteten
kaufen zahlen zahlten gezahlt aufgewendet
übrig einzelne einzelnen einzelnes genannte konkrete konkret betrifft bezüglich betreffend tatsächlich schliesslich als jenem jenen jenes fürs ums übers
schloss schliesst schliessen abschloss abgeschlossen abschliessen dafür davon daran darauf dabei dazu hierfür wofür worauf womit woraus drauf setzt setzen setzten zusammensetzt zusammengesetzt zusammengezählt zusammenzählen
addiert aufaddiert summiert brachte brachten bringt bringen gebracht warf abgeworfen verfügten verfügen verfügt besassen besitzen besitzt besass befanden befindet befinden lagerten existieren existiert bestehen besteht bestand bestanden umfasst umfassen
gehören gehört enthält enthalten beinhaltet stammt stammen resultiert resultierte erreicht erreichten erreichen erzielt erzielten erzielen geschafft geleistet leisteten verursacht verursachten entfielen entfällt entfallen
realisiert erzeugt aufgeführt aufführen darstellen herausfinden raussuchen nachschauen prüfen aufrufen bilanz bilanziert jahresrechnung lauf laufe betragsmässig wertmässig verzeichnete verzeichneten wies wiesen stünde stünden gäbe wäre wären ergäbe lautet lautete lauten hiess heisst
the a an and or also then now please just so well if whether
i you we they he she it me us our ours my your their its them one ones this these those that
company firm business books ledger bookkeeping boss
what whats how when where who whom whose which much many big large high
is are was were be been being do does did done doing has have had having will would could can may might should shall must am s re ve ll d t
tell told show shows showing give gave given get gets got getting know need needs want wants like see look looking find say said let lets check remind quick quickly exactly actually overall altogether total totals totalled sum all whole entire full everything anything something together combined pull put
in of at on for from to with by as per into onto out up about during within over between under via than there here through throughout across toward towards against side off down back along around
year years month months day days date period periods end ended ends close closes closing closed fiscal financial calendar
current currently then already still only roughly last past previous latest
amount amounts amounted figure figures number value values level stand stands stood standing come came comes coming run ran sit sat sitting lie lay hold holds held went go goes going add adds fell fall worked work works turned out reached reach
use used using booked book booking record recorded recording incur incurred post posted posting register registered hit enter entered keep kept maintain list listed carry carries
us money worth make made making left remain remained remaining wonder wondering curious every thanks thank hello
move moved moving stack related relating break breakdown chart detail details regarding concerning adding set sets contain contains contained involve involves involving involved connection file files name names sheet count counts counted produce produced generate generated result resulted consist consists land landed belong belongs exist exists existing
appear appears appeared report reports reported statement statements course mean meant window fall falls fetch fetched eat ate cover covers covered spread summarise summarize summary compile retrieve carried bring brought brings bringing
deal deals dealing dealt
"""
HARMLESS = frozenset(_HARMLESS.split())
# Words that hold a sentence together and say nothing of what it is about.
FUNCTION_WORDS = (
    function_words("de", "en") - function_words("de", "en", kinds=("negations",)) - {"ohne", "without"}
) | {
    "viel",
    "viele",
    "hoch",
    "gross",
    "much",
    "many",
}
_CHINESE = (
    "请问|请|麻烦|帮我|帮忙|告诉我|告诉|想知道|想了解|想看|查一下|查询|查看|查|看一下|看看|统计|汇总|展开|调出|说明|一下|一共|总共|共计|合计|总计|总额|总数|总|全部|所有|整个|我们|我|咱们|公司|企业|本公司|你|您|谁|"
    "是多少|有多少|多少钱|多少|是什么|什么|怎么样|怎么|如何|几|哪里|哪|是|有|的|了|吗|呢|啊|吧|在|到|为|和|与|及|以及|跟|同|之间|上|里|中|内|时|当时|那时|这|那|该|个|笔|条|家|份|位|名|张|项|手|行|类|款|"
    "截至|截止|为止|于|年度|全年|年份|年末|年底|年|月份|月末|月底|月|日|号|期间|期末|当年|当月|整年|一年|金额|数额|数字|数目|数据|数|账上|账面|还|就|都|也|要|能|能否|可以|给|把|从|对|由|让|被|向|"
    "计提|入账|发生|产生|记入|记录|记|做到|做|达到|达|剩|剩下|加起来|加起|用|使用|买|采购|进货|合作|往来|有关|相关|包含|包括|带来|带|靠|得到|获得|"
    "存|结转|里面|面|块|身上|身|各|账务|账目|账|方面|业务上|钱|元|一|下|谢谢|你好|大概|具体|情况|说|列|出|来|去|过|得|地|会|曾|共|底|末|高|大|掉|发|点|些|样|次|今|而|又|再|并|且|者|其|它|他"
)
HARMLESS_CHINESE = re.compile(f"(?:{'|'.join(sorted(_CHINESE.split('|'), key=len, reverse=True))})")


@lru_cache(maxsize=4096)
def cues_of(text: str) -> frozenset[str]:
    """The kinds of meaning-changing words in a text."""
    folded = text.casefold()
    found = {name for name, words in CUES.items() if words.search(folded)}
    for name in found & {"except", "spend"}:
        if not CUES[name].search(CUES["owe"].sub(" ", folded)):
            found.remove(name)  # "not yet paid" is owed: nothing is left out, and nothing was paid
    return frozenset(found)
