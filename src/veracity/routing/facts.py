"""Questions about a plain notion: a form of asking, and a subject that is nothing but its name.

A subject with a figure, a verb, an owner or a definite article may mean something of the user's own, and is none.
"""

from __future__ import annotations

import re

from veracity.language.folding import IDEOGRAPHS, listed
from veracity.language.function_words import function_words
from veracity.routing.notions import PHRASES, has_acronym_zh, is_acronym, is_known, is_known_zh, is_local, is_local_zh
from veracity.routing.words import RuleMatch

_CHINESE = re.compile(f"[{IDEOGRAPHS}]")

_SUBJECT = r"(?P<x>.+?)"
_FILLER = r"(?:\s++(?:exactly|actually|basically|eigentlich|genau|denn|überhaupt|ueberhaupt|nochmal|nochmals|bitte))*"
_SIMPLY = (
    r"(?:,?\s++(?:in simple (?:terms|words)|in plain english|simply|briefly|in brief|in short|in one sentence|in a sentence|in a few words|in detail|"
    r"like i'?m (?:five|5)|to a (?:child|beginner)|for beginners|to me|"
    r"in einfachen worten|in einfacher sprache|einfach erklärt|ganz einfach|einfach|kurz|ganz kurz|in einem satz|in wenigen worten|in zwei sätzen|für anfänger|für laien))*"
)
_ERKLAEREN = r"erkl(?:ä|ae)r"
_FORMS_LATIN = (
    ("wha", rf"(?P<form>what(?:\s++is|\s++are|'?s){_FILLER})\s++{_SUBJECT}{_SIMPLY}"),
    ("wha", rf"(?P<form>what(?:\s++exactly)?\s++(?:is|are))\s++{_SUBJECT}{_SIMPLY}"),
    (
        "wha",
        rf"(?P<form>what\s++(?:does|do))\s++(?:the\s++(?:term|word|acronym|abbreviation)\s++)?{_SUBJECT}\s++(?:mean|stand\s++for)",
    ),
    ("wha", rf"(?P<form>what(?:\s++is|'?s)\s++meant\s++by)\s++{_SUBJECT}"),
    (
        "wha",
        rf"(?P<form>what(?:\s++is|'?s|\s++are)\s++the\s++differences?\s++between)\s++{_SUBJECT}\s++and\s++(?P<y>.+)",
    ),
    (
        "wha exp",
        rf"(?P<form>(?:explain|what'?s|what\s++is)\s++(?:me\s++)?the\s++difference\s++between)\s++{_SUBJECT}\s++and\s++(?P<y>.+)",
    ),
    (
        "wha",
        rf"(?P<form>what(?:\s++is|'?s)\s++the\s++(?:capital(?:\s++city)?|meaning|definition|concept|idea)\s++(?:of|behind))\s++{_SUBJECT}",
    ),
    (
        "exp",
        rf"(?P<form>explain(?:\s++(?:to\s++me|me))?(?:\s++(?:briefly|simply))?(?:\s++the\s++(?:concept|idea|notion|term)(?:\s++of)?)?)\s++(?:what\s++)?{_SUBJECT}(?:\s++(?:is|are|means))?{_SIMPLY}",
    ),
    ("wha tel", rf"(?P<form>(?:tell\s++me\s++)?what)\s++{_SUBJECT}\s++(?:is|are|means|mean){_SIMPLY}"),
    ("tel", rf"(?P<form>tell\s++me\s++what\s++(?:is|are))\s++{_SUBJECT}"),
    ("def", rf"(?P<form>define)\s++(?:the\s++(?:term|word)\s++)?{_SUBJECT}"),
    (
        "the giv def mea",
        rf"(?P<form>(?:the\s++|give\s++me\s++(?:the|a)\s++)?(?:definition|meaning)\s++of)\s++(?:the\s++(?:term|word)\s++)?{_SUBJECT}",
    ),
    ("how", rf"(?P<form>how\s++(?:does|do))\s++{_SUBJECT}\s++work"),
    ("who", rf"(?P<form>who\s++(?:invented|discovered))\s++(?:the\s++)?{_SUBJECT}"),
    ("was", rf"(?P<form>was(?:\s++genau)?\s++(?:ist|sind){_FILLER})\s++{_SUBJECT}{_SIMPLY}"),
    (
        "was",
        rf"(?P<form>was\s++(?:bedeutet|bedeuten|heißt|heisst){_FILLER})\s++(?:(?:der\s++begriff|das\s++wort|der\s++ausdruck|die\s++abkürzung)\s++)?{_SUBJECT}",
    ),
    ("was", rf"(?P<form>was\s++versteht\s++man{_FILLER}\s++unter)\s++{_SUBJECT}"),
    ("was", rf"(?P<form>was\s++meint\s++man\s++mit)\s++{_SUBJECT}"),
    (
        "was erk",
        rf"(?P<form>(?:was\s++ist|erkl(?:ä|ae)re?(?:\s++mir)?)\s++der\s++unterschied\s++zwischen)\s++{_SUBJECT}\s++und\s++(?P<y>.+)",
    ),
    (
        "erk",
        rf"(?P<form>{_ERKLAEREN}e?(?:\s++mir)?(?:\s++bitte)?\s++den\s++unterschied\s++zwischen)\s++{_SUBJECT}\s++und\s++(?P<y>.+)",
    ),
    ("was", rf"(?P<form>was\s++ist\s++die\s++(?:hauptstadt|bedeutung|definition)\s++von)\s++{_SUBJECT}"),
    ("wie", rf"(?P<form>wie\s++heißt\s++die\s++hauptstadt\s++von)\s++{_SUBJECT}"),
    (
        "erk",
        rf"(?P<form>{_ERKLAEREN}(?:e|en\s++sie)?(?:\s++(?:mir|uns))?(?:\s++(?:bitte|mal|kurz|einfach|doch))*(?:\s++(?:den\s++begriff|das\s++konzept|das\s++prinzip)(?:\s++der)?)?),?\s++(?:was\s++)?{_SUBJECT}(?:\s++(?:ist|sind|bedeutet))?{_SIMPLY}",
    ),
    (
        "kan kön koe",
        rf"(?P<form>(?:kannst\s++du|könntest\s++du|koenntest\s++du|können\s++sie|könnten\s++sie)(?:\s++(?:mir|uns))?(?:\s++(?:bitte|mal|kurz|einfach))*)\s++{_SUBJECT}\s++{_ERKLAEREN}en",
    ),
    (
        "kan kön koe",
        rf"(?P<form>(?:kannst\s++du|könntest\s++du|koenntest\s++du|können\s++sie|könnten\s++sie)(?:\s++(?:mir|uns))?(?:\s++(?:bitte|mal|kurz|einfach))*\s++(?:{_ERKLAEREN}en|sagen),?\s++was)\s++{_SUBJECT}\s++(?:ist|sind|bedeutet)",
    ),
    (
        "wei sag",
        rf"(?P<form>(?:wei(?:ß|ss)t\s++du|sag\s++mir(?:\s++bitte)?),?\s++was)\s++{_SUBJECT}\s++(?:ist|sind|bedeutet)",
    ),
    ("def", rf"(?P<form>definiere(?:\s++(?:mir|bitte))*)\s++{_SUBJECT}"),
    ("die def bed", rf"(?P<form>(?:die\s++)?(?:definition|bedeutung)\s++von)\s++{_SUBJECT}"),
    ("wof", rf"(?P<form>(?:wofür|wofuer)\s++steht)\s++(?:die\s++abk(?:ü|ue)rzung\s++)?{_SUBJECT}"),
    ("wie", rf"(?P<form>wie\s++funktionier(?:t|en){_FILLER})\s++{_SUBJECT}"),
    ("wer", rf"(?P<form>wer\s++hat)\s++(?:(?:den|die|das)\s++)?{_SUBJECT}\s++(?:erfunden|entdeckt)"),
)
_FORMS_BY_START: dict[str, list[re.Pattern[str]]] = {}
"""The first three letters of a question -> the forms that it may have."""
for _starts, _form in _FORMS_LATIN:
    for _start in _starts.split():
        _FORMS_BY_START.setdefault(_start, []).append(re.compile(_form))
_POLITE = re.compile(
    r"(?:(?:can|could|would|will)\s++you\s++(?:please\s++|kindly\s++)?(?=explain|define|tell\s++me\s++what)|please\s++|(?:do\s++you\s++know|i\s++want\s++to\s++know|i(?:'d|\s++would)\s++like\s++to\s++know)\s++(?=what))?"
)
_FORMS_ZH = tuple(
    re.compile(form)
    for form in (
        r"(?P<form>什么是|啥是|什么叫做?|何为|何谓|如何理解|怎么理解|怎样理解|怎么解释)(?P<x>.+)",
        r"(?P<x>.+?)(?:和|与|跟|同)(?P<y>.+?)(?P<form>(?:之间)?(?:有什么|有啥|的)(?:区别|不同|差别)(?:是什么|在哪里?|在哪儿)?)",
        r"(?P<x>.+?)(?P<form>是个?(?:什么|啥)(?:意思|东西|概念)?|(?:的|是)?(?:什么|啥)意思|的?(?:定义|含义|概念|基本概念|基本原理|工作原理|原理)(?:是(?:什么|啥))?|指的?是?什么|怎么理解)",
        r"(?:(?:请|给我|帮我|跟我|能否|可以|你能|能)*)(?:用(?:简单|通俗|大白|一句)(?:易懂)?的?(?:话|语言))?(?P<form>(?:简单|详细|简要)?(?:地)?(?:解释|讲解|说明|科普|讲讲|简述)(?:一下|下)?(?:什么是|什么叫)?)(?P<x>.+)",
        r"(?:(?:请|给我|帮我|跟我)*)(?P<form>介绍(?:一下|下)?)(?P<x>.+(?:主义|学|论|原理|定律|定理|效应|革命|复兴|运动|战争|算法|理论|历史))",
        r"(?P<x>.+?)(?P<form>的首都(?:是|在)(?:哪里|哪儿|哪|什么|哪个城市|哪座城市))",
        r"(?P<form>谁发明了)(?P<x>.+)",
        r"(?P<x>.+?)(?P<form>是谁(?:发明|发现)的|是(?:怎么|如何|怎样)(?:形成|工作|产生|运作|来)的)",
    )
)


def read_fact(text: str, written: str) -> tuple[RuleMatch | None, tuple[int, int] | None]:
    """The form of a folded question about a plain notion; or, where it only points back, the word that does.

    `written` is the question as it stands, for its capitals.
    """
    chinese = _CHINESE.search(text) is not None
    start = polite.end() if not chinese and (polite := _POLITE.match(text)) else 0
    back = None
    for form in _FORMS_ZH if chinese else _FORMS_BY_START.get(text[start : start + 3], ()):
        match = form.fullmatch(text, start)
        if match is None:
            continue
        parts = ["x", "y"] if "y" in form.groupindex else ["x"]
        read = _is_notion_zh if chinese else _is_notion
        kinds = [read(match[part], match["form"], written[slice(*match.span(part))]) for part in parts]
        general = all(kinds) and _GENERAL_NOTION in kinds
        if general and not _is_other_by_case(match["form"], written[match.start("x") : match.end("x")], written):
            return RuleMatch("factual", (match.span("form"),)), None
        if back is None and match["x"].strip() in _BACK:
            back = match.span("x")
    return None, back


_BACK = listed("das es dies it this that these those they them 这 这个 那 那个 它 他 她 这些 那些 此")
_LATIN_NAME = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
_ARTICLE = re.compile(r"(?:an?|ein|eine|einen|einem|einer|eines|some)\s++")
_DEFINITE = re.compile(r"(?:the|der|die|das|den|dem|des)\s++")
_GENERAL = re.compile(
    r".*(?:theorem|effect|principle|theory|theory of \w+|paradox|hypothesis|big bang|golden ratio|renaissance|enlightenment|solar system|water cycle|speed of light|"
    r"synthese|theorie|prinzip|mechanik|effekt|paradoxon|logie|ismus|lyse|genese|evolution|gravitation|schwerkraft|urknall|klimawandel|reformation|"
    r"aufklärung|demokratie|satz des \w+|sonnensystem|wasserkreislauf|lichtgeschwindigkeit|treibhauseffekt|goldene schnitt|industrielle revolution|industrial revolution|"
    r"french revolution|französische revolution|universum|universe|internet|blockchain|periodensystem|bruttoinlandsprodukt|relativität\w*|gesetz der \w+|law of \w+)"
)
_OF = re.compile(
    r"(?:theory|theories|law|laws|rule|rules|principle|concept|idea|art|philosophy|division|balance|state|freedom|rate|point|internet|system|order) of "
)
_MOST_WORDS = 4
_NO_NOTION = function_words("de", "en") | listed(
    "nor doing get got mine yours here other another same such more less few several next previous first second third left right down wrong new old open "
    "closed ready missing available running going good bad better worse cheaper important possible broken planned scheduled due late early free busy inside "
    "worth like used needed required allowed different differences difference changes change reasons reason cause causes below following latter former yes "
    "okay please march popular recommended selling cooking playing hot relevant unusual suspicious interesting special critical urgent blocked blocking "
    "failing slow full empty active inactive enabled further again everything anything nothing yourself himself inc ltd llc corp corporation co ag gmbh sa "
    "se kg plc andere anderen nächste naechste nächster erste zweite schon mehr weniger los passiert geschehen neu neues alt offen fertig kaputt falsch "
    "richtig wichtig besser schlechter billiger teurer günstiger schneller möglich geplant gebucht bezahlt verkauft bestellt geliefert verfügbar frei drin "
    "dran drauf dabei beliebt dringend kritisch auffällig interessant speziell langsam voll leer aktiv gesperrt blockiert weiter nochmal nichts jemand "
    "niemand da hier dort weg übrig uebrig anders gleich unterschied unterschiede änderung änderungen grund gründe ursache ursachen frau herr mr mrs ms dr"
)
_VAGUE = listed(
    "readme changelog config configuration setup architecture detail details clause clauses step steps section query queries code output line lines formula script chart graph plot figure figures image picture screenshot slide "
    "page paragraph sentence chapter policy policies decision numbers values findings conclusion conclusions summary plan plans goal goals options choices requirements tasks "
    "risks blockers problem problems topic subject point points thing things stuff name names title word words data "
    "klausel schritt schritte abschnitt abfrage code formel diagramm grafik bild seite absatz kapitel entscheidung zahl zahlen werte zusammenfassung vorgehen problem probleme "
    "sache thema plan pläne ziel ziele stand punkt punkte name namen titel daten"
)
_NO, _ANY_NOTION, _GENERAL_NOTION = range(3)
"""A subject is no notion; it may be one of this house alone; it is one that means the same everywhere."""
_DEFINES_ZH = re.compile("^什么|^啥|^何[为谓]|意思|定义|含义|概念|原理|首都|谁发明")
_ASKS_DE = re.compile(r"was(?: genau)? (?:ist|sind)(?! die hauptstadt)")
_DEFINES = re.compile(
    r"what do|what(?: is|'?s) meant|(?:(?:the|die|give me (?:the|a)) )?(?:defin|meaning|bedeutung)|was (?:bedeute|hei|versteht|meint)|wof"
    r"|what(?: is|'?s) the (?:capital|meaning|definition|concept)|was ist die (?:haupt|bedeut|defin)|wie hei"
)
"""Forms that ask for a meaning and hardly for anything else."""
_STATUS_EN = re.compile(r"\w+(?:ed|ier)")
_STATE_EN = re.compile(r"\w+(?:ed|ier|able|ible|ful|ous|less|ional|ential|datory)")
_STATE_DE = re.compile(
    r"(?:\w*ge|be|ver|er|ent|zer|ab|an|auf|aus|ein|um)\w+(?:t|en)(?<!heit)(?<!keit)(?<!schaft)(?<!tät)(?<!wert)"
    r"|\w+(?:iert|lich|ig|isch|bar|sam|los|haft)"
)
_STATUS_DE = re.compile(r"\w+iert|(?:ab|an|auf|aus|ein|zurück|vor|frei|weiter)ge\w+(?:t|en)")


def _is_notion(subject: str, form: str, written: str) -> int:
    """Whether a subject names a notion: few plain words, no figure, no verb, nothing that somebody owns; and a general one."""
    name = " ".join(subject.replace('"', "").strip().split())
    if name in PHRASES:
        return _GENERAL_NOTION
    if _DEFINITE.match(name):
        return _GENERAL_NOTION if _GENERAL.fullmatch(name) and len(name.split()) <= _MOST_WORDS + 1 else _NO
    article = _ARTICLE.match(name)
    name = _OF.sub("", name[article.end() :] if article else name, count=1)
    words = re.split(r"[ -]", name)
    if not _LATIN_NAME.fullmatch(name) or len(words) > _MOST_WORDS or any(word in _NO_NOTION for word in words):
        return _NO
    if words[-1] in _VAGUE and (len(words) == 1 or form.startswith(("explain", "erkl"))):
        return _NO
    meaning = article is not None or _DEFINES.match(form) is not None
    if is_local(words, meaning=meaning) or is_acronym(words[-1], written.rsplit(maxsplit=1)[-1]):
        return _NO
    if article is None and len(words) == 1 and _is_state(name, form):
        return _NO
    return _GENERAL_NOTION if meaning or is_known(words) else _ANY_NOTION


def _is_state(word: str, form: str) -> bool:
    """Whether a single word tells a state, so that *what is overdue* asks which things are."""
    if form.startswith("was"):
        return (_STATE_DE if _ASKS_DE.match(form) else _STATUS_DE).fullmatch(word) is not None
    return form.startswith("what") and (_STATUS_EN if _DEFINES.match(form) else _STATE_EN).fullmatch(word) is not None


def _is_other_by_case(form: str, subject: str, written: str) -> bool:
    """What only capitals show: a German word that is no noun (was ist vorgefallen), somebody who works."""
    if form.startswith("how"):
        return subject[:1].isupper() and subject[1:].islower()
    single = _ASKS_DE.match(form) and not any(char.isspace() for char in subject)
    return bool(single) and subject.islower() and not written.islower()


_NAME_ZH = re.compile(rf"[{IDEOGRAPHS}a-z· -]{{1,20}}")
_NO_NOTION_ZH = re.compile(
    "[我你您她它这那哪谁了吗呢吧们最每各某该此的把被第]|(?<![利吉其])他|(?<!存)在|多少|几[个条点号种位]|什么|怎|如何|为何|为什么|有没有|是不是|能不能|还有|然后|顺便|以及|并且|"
    "上[个周月年次]|下[个周月年次]|一下|时候|何时|哪|请|帮|张总|李总|王总|先生|女士|老师$|经理|总$"
)
_VAGUE_ZH = re.compile(
    ".*(?:结论|主题|标题|内容|目标|计划|名字|名称|答案|下一步|区别|不同|优势|劣势|缺点|优点|特点|(?<![合互副])作用|用途|功能|目的|条件|要求|步骤|方法|流程|方案|建议|意见|意义|影响|因素|"
    "理由|依据|规则|政策|口号|主键|外键|编号|型号|类型|格式|单位|颜色|大小|长度|任务|重点|需求|业务|策略|关系|范围|来源|问题|数字|数据|表|图|号|率为|水平|值|逻辑|安排|配置|设置|参数|口味|条款|条|行|列|段|页|章|句|决定|公式|曲线|波动|亏损|下跌|上涨|失败|延迟|偏差|减少|增加|选择|做法|操作|过程|判断|输出|日期|[早午晚]饭|[早午晚]餐|状况|现状|形势|表现|率)"
)


def _is_notion_zh(subject: str, form: str, written: str) -> int:
    name = subject.strip(" “”\"'「」《》,，")
    # "What is X" asks what a word means; "X is what" may ask which one it is.
    vague = not form.startswith(("什么", "啥")) and _VAGUE_ZH.fullmatch(name)
    if not _NAME_ZH.fullmatch(name) or _NO_NOTION_ZH.search(name) or vague:
        return _NO
    if is_local_zh(name, meaning=form.startswith(("什么", "啥"))) or has_acronym_zh(written):
        return _NO
    return _GENERAL_NOTION if _DEFINES_ZH.search(form) or is_known_zh(name) else _ANY_NOTION
