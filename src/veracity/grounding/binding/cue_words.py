"""Small words that say how a figure belongs to what is named around it, in German, English and Chinese.

All of them are folded: small letters, ä as ae. Chinese is one sign per word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from veracity.language.folding import listed, words_in
from veracity.language.function_words import function_words

SEPARATING = listed(
    "and und sowie while whereas but aber sondern or oder waehrend plus then dann 和 与 及 而 但 并 或 且"
)
"""These start a new part of a sentence, as a comma does."""
LEADING = function_words(kinds=("articles", "prepositions")) | listed(
    "his her its their sein seine seiner ihr ihre ihrer as als total only just nur more mehr new neue gesamte all alle each 的 是 共 约 达 了 有"
)
"""What may stand between a figure and the name it belongs to: 5 in 2018, 24 points for Thomas."""
PLACING = listed("in im on am at for fuer um during within 在 于")
"""What leads to the place, time or part that a figure is of: 5 in 2019."""
JOINING = listed("and und or oder bzw respectively to bis auf versus vs against gegen gegenueber 和 与 至 到 或 及")
"""What may stand between figures that are said in one go: 5, 7 and 9."""
THROUGH = listed("to through thru until till bis 至 到")
"""From one to another, with all between them: Monday to Friday."""
OBLIQUE = function_words(kinds=("prepositions",)) | listed("behind 比")
"""A name behind one of these is rarely the subject."""
COMPARED = re.compile(
    r"(?:compared (?:with|to)|(?:above|below) (?:that|those) of|(?:ueber|unter) (?:dem|der|den) von|relative to|versus|vs\.?|than|against|gegenueber|verglichen mit|im vergleich (?:zu|zum|zur|mit)|gegen|als|"
    r"as (?:much|many|high|large|big|long|old|often|expensive) as|similar to|unlike|instead of|statt|anstatt|anstelle von|相比|较|比|对比|相对于|而不是|高于|低于|多于|少于|大于|小于|不及|不如)\s*(?:(?:those|that|the ones?|jene[nrs]?|die|das|der|dem|den) (?:of|from|in|at|on|for|to|with|by|von|vom|aus|in|im|bei|beim|am|nach|mit)(?: |$))?(?:in |im |on |at |am |to |for |bei |beim |fuer )?(?:the |der |die |das |den |dem )?(?:(?:two|three|four|five|six|zwei|drei|vier|fuenf|sechs|beiden)(?: |$))?$"
)
EXCEPT = re.compile(
    r"(?:(?<![a-z])(?:all|every|alle)(?: [a-z]+){0,3} but|except(?: for| of)?|excepting|excluding|without|apart from|aside from|other than|but not|not including|leaving out|"
    r"bis auf|ausser|ohne|ausgenommen|abgesehen von|exklusive|mit ausnahme (?:von|der|des)|(?<![a-z])not|(?<![a-z])nicht|除了?|除去|不包括|不含|不计|排除|扣除)\s*"
    r"(?:the (?:one|ones|case|cases) |that |those |jene[mnrs]? |de[mnr]jenigen |de[mnr] )?(?:the |der |die |das |den |dem |des |in |im |at |am |for |from |of |von |vom |bei |beim |fuer )?$"
)
EXCEPT_AFTER = re.compile(r"\s?(?:以外|之外|除外|ausgenommen|excluded|excepted)")
_AGAIN = r"(?<![a-z])"
NEGATED = re.compile(
    rf"(?:{_AGAIN}(?:not|never|no(?= +[a-z])|nor|nicht|kein\w{{0,3}}|nie|niemals|weder|rather than|statt|instead of)(?![a-z])|n't(?![a-z])|(?<![a-z])n t(?![a-z])|"
    r"并非|不是|没有|并没有|并未|未(?!满)|非|不(?![良同锈及满]|动产))(?P<between>[^,;:，；：、。!?.]{0,40})$"
)
NOT_NEGATED = re.compile(
    r"^\s*(?:only|just|nur|bloss|more|less|fewer|mehr|weniger|at least|over|under|until|to mention|enough|\w* than|仅|只|到|足|少于|超过|低于|高于|多于|小于|大于)"
    r"|(?<![a-z])(?:but|sondern|rather|until|since|seit|because|als|than|enough)(?![a-z])|而是|但|自"
)
Relation = Literal["is", "at least", "at most", "about", "just above", "just below"]
"""How a figure is meant: exactly, as a bound of the value, or near it, on either side or on one."""
_BEFORE: Mapping[Relation, str] = {
    "at least": "at least|more than|over|above|exceed|exceeds|exceeded|exceeding|upwards of|surpass|surpassed|surpassing|no less than|no fewer than|"
    "not less than|not fewer than|minimum of|longer than|larger than|bigger than|higher than|greater than|older than|heavier than|warmer than|hotter than|"
    "later than|faster than|taller than|laenger als|groesser als|hoeher als|aelter als|schwerer als|waermer als|spaeter als|mindestens|mehr als|seltener als alle|less often than every|ueber|oberhalb von|nicht weniger als|uebersteigt|超过|达到或超过|等于或超过|大于或等于|至少|多于|高于|大于|不少于|不低于|逾",
    "at most": "at most|less than|fewer than|under|below|up to|no more than|not more than|maximum of|sub|shorter than|smaller than|lower than|younger than|lighter than|colder than|earlier than|"
    "slower than|cheaper than|kuerzer als|kleiner als|tiefer als|niedriger als|juenger als|leichter als|kaelter als|frueher als|guenstiger als|hoechstens|weniger als|haeufiger als alle|oefter als alle|more often than every|unter|unterhalb von|"
    "bis zu|maximal|nicht mehr als|不到|不足|不及|未满|不满|少于|低于|小于|不超过|至多|最多",
    "is": "added up to|adds up to|add up to|adding up to",
    "about": "about|some|around|approximately|approx|roughly|close to|circa|ca|etwa|rund|ungefaehr|annaehernd|大约|约|接近|大概",
    "just above": "just over|just above|a little over|a little above|a bit over|slightly over|slightly above|slightly more than|a little more than|just more than|etwas mehr als|knapp ueber|etwas ueber|"
    "leicht ueber|gut|略超|略高于|略多于",
    "just below": "nearly|almost|just under|just below|a little under|a little below|a bit under|slightly under|slightly below|slightly less than|a little less than|just less than|etwas weniger als|knapp unter|"
    "etwas unter|leicht unter|fast|knapp|beinahe|nahezu|近|将近|略低于|略少于|略不到",
}
_AFTER: Mapping[Relation, str] = {
    "at least": "or more|or higher|oder mehr|und mehr|plus|以上",
    "at most": "or less|or fewer|oder weniger|以下|以内",
    "about": "左右|上下|or so",
}
_LED_BY = listed("of von the a an die der chf eur usd gbp cny")
"""What may stand between such words and the figure: more than CHF 500."""
_LONGEST = 4


def _phrases(spelt: Mapping[Relation, str]) -> dict[tuple[str, ...], Relation]:
    return {tuple(words_in(phrase)): relation for relation, all_ in spelt.items() for phrase in all_.split("|")}


_PHRASES_BEFORE, _PHRASES_AFTER = _phrases(_BEFORE), _phrases(_AFTER)
HEDGES = frozenset(word for phrase in (*_PHRASES_BEFORE, *_PHRASES_AFTER) for word in phrase)
"""The words of all of them."""
ROUGHLY = frozenset(
    phrase[0]
    for phrase, relation in _PHRASES_BEFORE.items()
    if len(phrase) == 1 and relation in ("about", "just above", "just below")
)
"""The single words before a figure that is rounded: about, rund, nearly."""
_LAST_WORDS = frozenset(phrase[-1] for phrase in _PHRASES_BEFORE) | _LED_BY
_FIRST_WORDS = frozenset(phrase[0] for phrase in _PHRASES_AFTER)


_COUNTED = frozenset("分元个人名位家条件次天年月日岁点米吨")


def relation_of(before: Sequence[str], after: Sequence[str]) -> Relation:
    """How the words right before and right behind a figure say that it is meant."""
    if before and before[-1] in _LAST_WORDS:
        end = len(before)
        while end and before[end - 1] in _LED_BY and end > len(before) - 2:
            end -= 1
        for stop in dict.fromkeys((len(before), end)):
            for size in range(min(_LONGEST, stop), 0, -1):
                if relation := _PHRASES_BEFORE.get(tuple(before[stop - size : stop])):
                    return relation
    if len(after) > 1 and after[0] in _COUNTED and after[1] in _FIRST_WORDS:
        after = after[1:]  # 4分以上
    if after and after[0] in _FIRST_WORDS:
        for size in (2, 1):
            if relation := _PHRASES_AFTER.get(tuple(after[:size])):
                return relation
    return "is"


FALLING = re.compile(
    rf"{_AGAIN}(?:decreas\w*|declin\w*|fell|fall\w*|drop\w*|down|lower\w*|loss\w*|lost|reduc\w*|shrank|shrunk|negativ\w*|decremen\w*|minus|deficit\w*|"
    rf"sank\w*|sink\w*|gesunken|fiel\w*|faell\w*|gefallen|rueckgang\w*|rueckgaeng\w*|abnahm\w*|abgenommen|nahm\w* ab|verlust\w*|weniger|reduzier\w*|"
    rf"verring\w*|minder\w*|defizit\w*)|下降|下滑|减少|降低|下跌|亏损|跌|降|负"
)
MINUS = listed("minus negative negativ negativer negativen negatives 负")
ELSEWHERE = re.compile(
    r"(?<![a-zäöü])(?:averag\w*|season\w*|career|per game|on the year|combined for|(?:last|past|previous|next) \w+ (?:games?|matches|years|months|weeks|days)|"
    r"durchschnitt\w*|saison\w*|karriere|bisher\w*|(?:letzten|vergangenen|nächsten) \w+ (?:spiele\w*|jahre\w*|monate\w*|wochen|tage\w*))(?![a-zäöü])|"
    r"赛季|平均|生涯|过去|近[一二三四五六七八九十0-9]+",
    re.IGNORECASE,
)
"""What speaks of other periods than those of the rows: a season, the last five games, an average."""
HIGHEST = re.compile(
    rf"{_AGAIN}(?:highest|largest|biggest|most|greatest|maximum|max|peak\w*|top|hoechst\w*|groesst\w*|maximal\w*|meist\w*|spitze\w*|best\w*)(?![a-z])|最高|最大|最多|峰值"
)
LOWEST = re.compile(
    rf"{_AGAIN}(?:lowest|smallest|least|fewest|minimum|(?<![0-9] )(?<![0-9])min|tiefst\w*|niedrigst\w*|kleinst\w*|geringst\w*|minimal\w*|wenigst\w*)(?![a-z])|最低|最小|最少"
)
TOTAL = re.compile(
    rf"{_AGAIN}(?:totals?|totall?ed|totall?ing|sum|overall|altogether|combined|in all|insgesamt|gesamt\w*|summe\w*|zusammen|total)(?![a-z])|总|合计|共计|一共|总共|总计|共有"
)
AVERAGE = re.compile(rf"{_AGAIN}(?:averag\w*|mean|on average|durchschnitt\w*|mittel\w*|im schnitt)(?![a-z])|平均")
BETWEEN = re.compile(
    rf"(?:{_AGAIN}(?:between|zwischen|from|von|rang\w*|reich\w*)|介于|从|在)\s*(?:the |der |den )?(?:chf |eur |usd |gbp |[$€£] ?)?$"
)
SUBJECTS = listed(
    "he she it they his her its their er sie es sein seine ihr ihre dieser diese dieses 他 她 它 其 该 这 此 this these"
)
"""Pronouns that take up what the sentence before was about."""
PRONOUNS = SUBJECTS | listed("him them that those which who whose dessen deren welche welcher der")
RELATIVES = listed("who which whose that dessen deren welche welcher welches der die das")
"""Right behind a name they speak of that one."""
OWNED = (
    ("of", "their", "own"),
    ("of", "its", "own"),
    ("of", "his", "own"),
    ("of", "her", "own"),
    ("eigene",),
    ("eigenen",),
)
"""Behind a figure: it is the subject's, not that of whom the sentence spoke last."""
QUANTIFIED = listed("all every each both alle allen jede jeder jedes beide saemtliche 所 都 均 每 各")
"""Said of all the rows that are named: what they have in common is no figure of several places."""
EACH = listed("each apiece je jeweils 各")
"""Said of every one of the rows that are named together."""
MARGINS = listed(
    "victory win triumph lead margin advantage edge majority deficit gap loss defeat vorsprung rueckstand mehrheit sieg niederlage abstand 优势 差距"
)
"""What is won, led or lost by a figure: a 30-point victory."""
FUNCTION = function_words() | listed(
    "because down there dort hier year years jahr jahre betrug betragen betraegt lag liegt liegen 等 比 较 至 均 则"
)
"""Words behind a figure that are not what is counted."""
FILLERS = listed(
    "units unit pieces piece copies stueck exemplare per cent total overall new additional more different other further of his her its their the average weitere neue verschiedene andere "
    "元 美 欧 万 亿 个 名 位 家 条 件 项 笔 次 种 分 人 份 块 法 瑞 郎"
)
"""Words between a figure and its noun: 24 total points, 5 个用户."""
ARTICLES = {"a": 1, "an": 1, "one": 1, "ein": 1, "eine": 1, "einen": 1, "einer": 1, "pair": 2, "paar": 2}
COUNTABLES = listed(
    "row rows record records entry entries result results item items line lines zeile zeilen eintrag eintraege datensatz datensaetze treffer ergebnisse "
    "ergebnis positionen 条 行 个 项 笔 名 位 家 条 记 录 数 据 结 果"
)
"""Nouns for the rows of any table."""

_COMMON = listed(
    "und oder at ab chf eur usd the der die das den dem des of von an in for fuer mit to als im is zu zum zur with and or a z w s n t er es ed ing all more \u4e2a \u5bb6 \u6761 \u540d \u5143 \u4e07"
)
_PREFIX = 4


def _starts(*patterns: re.Pattern[str]) -> frozenset[str]:
    """How the words of these patterns start."""
    words = (word for pattern in patterns for word in re.findall(r"[a-z]+|[\u4e00-\u9fff]", pattern.pattern))
    return frozenset(word[:_PREFIX] for word in words if word not in _COMMON)


_NEGATING = _starts(NEGATED) | {"cann", "didn", "does", "wasn", "isn", "don", "hasn", "have", "were", "t"}
_FALLS = _starts(FALLING)
_SETTING_APART = _starts(EXCEPT, EXCEPT_AFTER, COMPARED)
_WHOLE = _starts(HIGHEST, LOWEST, TOTAL, AVERAGE)


def may_negate(words: Iterable[str]) -> bool:
    """Whether one of these words could negate something; where none can, nothing needs a closer look."""
    return not _NEGATING.isdisjoint([word[:_PREFIX] for word in words])


def may_fall(words: Iterable[str]) -> bool:
    """Whether one of these words could say that something fell."""
    return not _FALLS.isdisjoint([word[:_PREFIX] for word in words])


def may_set_apart(words: Iterable[str]) -> bool:
    """Whether words before a name could leave it out or compare with it."""
    return not _SETTING_APART.isdisjoint([word[:_PREFIX] for word in words])


def may_say_whole(words: Iterable[str]) -> bool:
    """Whether words could speak of a whole column."""
    return not _WHOLE.isdisjoint([word[:_PREFIX] for word in words])
