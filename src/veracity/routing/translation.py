"""Translations of a text that the request holds: after a colon, in quotes, or between "translate" and the language.

The words of the text are not read as a request. A text that is only named (the last report, this, 合同) has to be fetched
first, so that is no translation.
"""

from __future__ import annotations

import re

from veracity.language.folding import IDEOGRAPHS, listed
from veracity.routing.translation_signs import LANG_EN, MOST, MOST_BARE, is_named, is_said
from veracity.routing.words import RuleMatch

_TAIL = 80
_MOST_SAID = 6
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")

_LANG_DE = (
    "(?:englisch|deutsch|französisch|franzoesisch|spanisch|italienisch|chinesisch|japanisch|koreanisch|russisch|portugiesisch|niederländisch|"
    "holländisch|polnisch|türkisch|tuerkisch|arabisch|lateinisch|griechisch|schwedisch|dänisch|norwegisch|finnisch|tschechisch|ungarisch|ukrainisch|"
    "rumänisch|hebräisch|rätoromanisch|schweizerdeutsch)(?:en|e|es|s)?|latein"
)
_LANG_ZH = "(?:英|中|德|法|日|韩|俄|汉|泰)[文语]|(?:西班牙|意大利|葡萄牙|阿拉伯|拉丁|荷兰|越南|希腊|瑞典|波兰|土耳其|乌克兰|印尼)[文语]|粤语|普通话|简体中文|繁体中文|白话文|文言文"
_TO_EN = rf"(?:(?:from|out of)\s++(?:{LANG_EN})\s++)?(?:in|into|to)\s++(?:{LANG_EN})(?:\s++language)?"
_TO_DE = rf"(?:(?:vom|aus dem)\s++(?:{_LANG_DE})\s++)?(?:ins|in das|in|auf|nach|zu)\s++(?:{_LANG_DE})"
_TO_ZH = rf"(?:成|为|到|译成|作|做)(?:{_LANG_ZH})"
_END = r"[\s.!?。！？,，]*+$"

_HEAD = re.compile(
    r"(?:(?:can|could|would|will)\s++you\s++)?(?:please\s++|kindly\s++)?(?P<en>translate)(?:\s++(?:for\s++me|please))?\b"
    r"|(?P<de>(?:ü|ue)bersetz(?:e|en\s++sie|t)?)(?:\s++(?:mir|uns|bitte|mal|kurz|doch))*\b"
    r"|(?:请|帮我|帮忙|麻烦|麻烦你|给我|你能|能不能|可以|能|请你|请帮我)*(?P<zh>翻译(?:一下|下)?)"
)
_MODAL_DE = re.compile(
    r"(?:kannst\s++du|könntest\s++du|koenntest\s++du|können\s++sie|könnten\s++sie)(?:\s++(?:mir|uns|bitte|mal|kurz))*\s++(?=\S)|bitte\s++|ich\s++m(?:ö|oe)chte\s++(?=\S)"
)
_VERB_LAST = re.compile(r"\s++(?P<form>(?:ü|ue)bersetzen|(?:ü|ue)bersetzt)[\s.!?]*$")
_BA_ZH = re.compile(r"(?:请|帮我|帮忙|麻烦|麻烦你|给我|你能|能不能|可以|能|请你|请帮我)*(?:把|将)")
_WHAT_GIVEN = (
    r"(?:\s*+(?:this|the|these|the\s++following|following|my|den|die|das|folgende[nrs]?|diese[nrs]?|diesen)?\s*+"
    r"(?:following\s++|folgenden?\s++|folgende\s++)?(?:text|sentences?|words?|phrases?|paragraph|lines?|satz|sätze|wort|wörter|ausdruck|absatz|zeilen?)?)?"
)
_COLON = re.compile(
    rf"{_WHAT_GIVEN}\s*+(?:{_TO_EN}|{_TO_DE})?{_WHAT_GIVEN}\s*+(?:please|bitte)?\s*+[:：]\s*+(?P<text>\S.*)", re.DOTALL
)
_COLON_ZH = re.compile(
    rf"(?:(?:下面|以下|下列|如下|这|这一)?(?:这)?(?:的)?(?:一)?(?:句话|段话|句子|文字|文本|内容|单词|词|段文字|句|段|个词|个单词)?)(?:翻译)?(?:{_TO_ZH})?(?:\s*+[:：]\s*+|\s++|，|,)(?P<text>\S.*)",
    re.DOTALL,
)
_OPEN, _CLOSE = '"“„«»‹「『《”', '"”“»«›」』》'
_QUOTED = re.compile(
    rf"\s*+(?:(?:the|this|das|den|die)?\s*+(?:following\s++)?(?:word|words|phrase|sentence|text|wort|satz|ausdruck|text|单词|句子|这句话|词|这个词)\s*+:?\s*+)?"
    rf"(?:[{_OPEN}](?P<text>[^{_OPEN}{_CLOSE}]+)[{_CLOSE}]|'(?P<single>[^']+)')\s*+(?:(?:翻译|译)?(?:{_TO_EN}|{_TO_DE}|{_TO_ZH}))?(?:\s++(?:ü|ue)bersetzen)?{_END}"
)
_LAST_LATIN = re.compile(rf"\s++(?P<to>{_TO_EN}|{_TO_DE}){_END}")
_LAST_ZH = re.compile(rf"(?:翻译|译)?{_TO_ZH}{_END}")
_SAY = (
    re.compile(
        rf"(?P<form>how\s++(?:do|would|can)\s++(?:you|i|we|one)\s++say|what(?:'?s|\s++is)\s++the\s++(?:{LANG_EN})\s++(?:word|translation|expression)\s++(?:for|of))\s++(?P<text>.+?)(?:\s++(?:in\s++)(?:{LANG_EN}))?"
    ),
    re.compile(rf"(?P<form>what(?:'?s|\s++is))\s++(?P<text>.+?)\s++in\s++(?:{LANG_EN})"),
    re.compile(
        rf"(?P<form>wie\s++(?:sagt\s++man|sage\s++ich|heißt|heisst|schreibt\s++man)|was\s++(?:heißt|heisst|bedeutet|ist))\s++(?P<text>.+?)\s++(?:auf|in)\s++(?:{_LANG_DE})"
    ),
    re.compile(rf"(?P<text>.+?)(?:用|的)?(?:{_LANG_ZH})(?P<form>怎么说|怎么讲|怎样说|如何说|怎么写)"),
    re.compile(rf"用(?:{_LANG_ZH})(?P<form>怎么说|怎么讲|如何说)(?P<text>.+)"),
)


def read_translation(text: str) -> RuleMatch | None:
    """The translation that a folded request asks for, when it holds the text to translate."""
    if not is_named(text):
        return _said_in(text)
    head = _HEAD.match(text)
    if head is not None:
        rule = RuleMatch("translation", (head.span(head.lastgroup or 0),))
        return rule if _holds_text(text, head.end(), chinese=head.lastgroup == "zh") else None
    return _verb_last(text) or _ba(text) or _said_in(text)


def _holds_text(text: str, start: int, *, chinese: bool) -> bool:
    colon = (_COLON_ZH if chinese else _COLON).match(text, start)
    if colon is None and chinese:
        colon = _COLON.match(text, start)
    if colon is not None:
        return _is_whole(colon["text"]) and (_is_after_colon(text, colon) or _is_given(colon["text"], named=chinese))
    if _QUOTED.match(text, start):
        return True
    return _is_bare(text[start:] if len(text) - start <= MOST_BARE + _TAIL else "")


def _is_after_colon(text: str, colon: re.Match[str]) -> bool:
    return text[: colon.start("text")].rstrip().endswith((":", "："))


def _is_bare(rest: str) -> bool:
    """A text without quotes: all that stands before the language."""
    last = _LAST_LATIN.search(rest) or _LAST_ZH.search(rest)
    body = rest[: last.start()] if last else rest
    return _is_given(body, named=last is not None) and not _are_things(body.split())


def _are_things(words: list[str]) -> bool:
    """Whether a short text names several texts or one by its number: product descriptions, row 5."""
    if len(words) > _MOST_SAID or any(word in _VERBS for word in words):
        return False
    if len(words) > 1 and any(char.isdigit() for char in words[-1]):
        return True
    return bool(words) and (words[-1] in _MANY or any(words[-1][-size:] in _MANY for size in range(5, 16)))


def _verb_last(text: str) -> RuleMatch | None:
    """Kannst du X ins Englische übersetzen?"""
    verb = _VERB_LAST.search(text, max(0, len(text) - _TAIL))
    if verb is None:
        return None
    modal = _MODAL_DE.match(text)
    start = modal.end() if modal else 0
    body = text[start : verb.start()]
    given = _QUOTED.match(body) is not None or (len(body) <= MOST_BARE and _is_bare(" " + body))
    return RuleMatch("translation", (verb.span("form"),)) if given else None


def _ba(text: str) -> RuleMatch | None:
    """把X翻译成英文, X翻译成英文"""
    last = _LAST_ZH.search(text, max(0, len(text) - _TAIL)) if "译" in text else None
    if last is None:
        return _ba_colon(text) if "译" in text else None
    taken = _BA_ZH.match(text)
    body = text[taken.end() if taken else 0 : last.start()].strip()
    quoted = _QUOTED.match(body) is not None
    if not body or not (quoted or (len(body) <= MOST_BARE and _is_given(body, named=True))):
        return None
    return RuleMatch("translation", ((last.start(), len(text.rstrip("。！？.!? "))),))


_BA_COLON = re.compile(
    rf"(?:请|帮我|麻烦|给我|请你|请帮我)*(?:把|将)?(?:下面|以下|下列|这)(?:这)?(?:的)?(?:一)?(?:句话|段话|句子|文字|文本|内容|单词|词|段文字|句|段)?(?P<form>翻译{_TO_ZH})\s*+[:：]\s*+(?P<text>\S.*)",
    re.DOTALL,
)


def _ba_colon(text: str) -> RuleMatch | None:
    match = _BA_COLON.match(text)
    return RuleMatch("translation", (match.span("form"),)) if match and _is_whole(match["text"]) else None


def _said_in(text: str) -> RuleMatch | None:
    """How do you say X in French, Was heisst X auf Englisch, X用英语怎么说"""
    if not is_said(text):
        return None
    for form in _SAY:
        match = form.fullmatch(text)
        if match is not None:
            said = match["text"].strip()
            if _is_said(said):
                return RuleMatch("translation", (match.span("form"),))
    return None


def _is_said(text: str) -> bool:
    """Whether what is to be said in another language stands for itself; a Chinese one does unless it points."""
    if _IDEOGRAPH.search(text):
        return not _POINTS_ZH.match(text)
    short = text[:1] in _OPEN + "'" or len(text.split()) <= _MOST_SAID
    return short and _is_given(text, named=True)


# --- is the text there, or only named?

_POINTS = listed(
    "it this that these those them everything all each every both above here my our your his her their the last latest first previous following next "
    "der die das den dem des dies diese dieser diesen diesem dieses es alles alle jede jeden jedes unser unsere unseren unserem unserer mein meine meinen meinem dein "
    "deine deinen ihre ihren seine seinen obige obigen letzte letzten letztes neueste neuesten aktuelle aktuellen folgende folgenden erste ersten sämtliche beide was"
)
_THINGS = listed(
    "report reports table tables file files document documents doc docs email emails mail mails message messages letter letters answer answers response reply text texts page pages "
    "website site article articles contract contracts invoice invoices result results column columns list lists summary description descriptions data database readme manual manuals "
    "comment comments note notes ticket tickets order orders name names label labels title titles entry entries record records row rows field fields feedback review reviews log logs "
    "string strings menu homepage spreadsheet sheet presentation slides slide minutes transcript conversation chat attachment brochure terms policy policies section sections chapter header headers paragraph "
    "bericht berichte tabelle tabellen datei dateien dokument dokumente mail mails nachricht nachrichten brief briefe antwort antworten text texte seite seiten webseite website artikel "
    "vertrag verträge rechnung rechnungen ergebnis ergebnisse spalte spalten spaltennamen liste listen zusammenfassung beschreibung beschreibungen daten datenbank handbuch anleitung "
    "kommentar kommentare notiz notizen ticket tickets bestellung bestellungen namen bezeichnung bezeichnungen titel eintrag einträge buchungstext buchungstexte buchungstexten protokoll protokolle "
    "faq faqs ad ads advert posting postings listing listings caption captions subtitle subtitles script leaflet flyer newsletter survey surveys questionnaire exhibit appendix annex clause clauses "
    "template templates tooltip tooltips release captions instructions guide guides handbook recipe recipes quote quotes offer offers line lines sentence slide cell cells "
    "zeile zeilen absatz absätze klausel klauseln stellenanzeige stellenanzeigen inserat inserate speisekarte untertitel skript flyer broschüre newsletter umfrage fragebogen "
    "vorlage vorlagen anlage beilage formular formulare zelle zellen gebrauchsanweisung bedienungsanleitung leitfaden rezept rezepte angebote offerten fussnote fußnote "
    "präsentation folie folien anhang gespräch agb abschnitt kapitel überschriften feld felder inhalt rückmeldungen kundenfeedback angebot offerte"
)
_MANY = frozenset(word for word in _THINGS if word.endswith(("en", "s", "e")) and _THINGS & {word[:-1], word[:-2]})
"""The plurals among them; one such word may be a word to translate, several things are not."""
_VERBS = listed(
    "is are was were am be has have had will would can could do does did should must may goes went likes need needs want wants "
    "ist sind war waren bin bist hat haben hatte wird werden wurde kann können muss soll will geht macht steht kommt"
)
_SPOKEN = listed("said wrote sent says writes sagte schrieb gesagt geschrieben schreibt sagt hat")
_THING_ZH = re.compile(
    ".*(?:报告|文件|文档|表格|表|邮件|合同|网页|网站|文章|内容|结果|数据|备注|描述|评论|说明|字段|列名|记录|清单|列表|手册|附件|页面|答案|回答|反馈|订单|发票|日志|名称|标题|摘要|简历|论文|说明书|公告|消息|聊天|对话|幻灯片|ppt|pdf|合约|协议|条款|章节|段落|首页|主页|菜单|界面|简介|新闻|字幕|视频|歌词|小说|政策|启事|通知|声明|指南|文案|资料|信件|来信|函|海报|标签|问卷|脚本|注释|课件|讲义|病历|处方|报价单|账单|菜谱|食谱|教程|帖子|留言|短信|工单|传单|手稿|稿件|稿子|代码|封面|模板|合集|文本|原文|全文|第.{1,3}[段章页句行节条])(?:里|中|上)?(?:的)?(?:内容|文字)?(?:都|全都|全部|统统|一起|也)?"
)
_POINTS_ZH = re.compile(
    "这|那|它|他们|上面|上述|刚才|之前|前面|所有|全部|该|此|最近|最新|上一|上次|昨天的|今天的|我们的|我的|咱们|公司的|每|整个|一份|一篇|一下$"
)
_PLACE = re.compile(r"[/\\@]\S|\.[a-z]{2,5}(?:\W|$)|#\d")
_MORE = re.compile(
    r"(?:[.!?。！？\n;；]|\s[-–])\s{0,9}(?:and|also|then|next|afterwards?|after that|plus|und|dann|danach|ausserdem|außerdem|anschliessend|zusätzlich|zeig|show|list|tell|give|how many|wie viele|"
    r"然后|并且?|另外|接着|再|还有|同时|顺便|最后)"
    r"|\b(?:and|und|then|dann)\s++(?:then\s++|dann\s++|also\s++)?(?:show|list|tell|send|save|mail|email|give|zeig\w*|sende|schick\w*|speicher\w*|sag\w*|gib|liste)\b|(?:然后|并|再)(?:告诉|发送|发给|显示|查|列出|统计|保存)"
)


def _is_whole(text: str) -> bool:
    """Whether a text is all there is: it is no place where a text could be found, and no second request follows."""
    body = text.strip(_OPEN + _CLOSE + "' \n.")
    return bool(body) and not (len(body.split()) == 1 and _PLACE.search(body)) and not _MORE.search(text[:MOST])


def _is_given(text: str, *, named: bool) -> bool:
    """Whether a text without quotes stands for itself; `named` when the language follows, which leaves less doubt."""
    body = text.strip(" :：,，“”\"'\n")
    words = body.split() if len(body) <= MOST_BARE else []
    if (
        not words
        or "\n" in body
        or _PLACE.search(body)
        or _MORE.search(body)
        or re.search(r"[.!?;。！？；]\s*+\S", body)
    ):
        return False
    if _IDEOGRAPH.search(body):
        return not _POINTS_ZH.match(body) and not _THING_ZH.fullmatch(body) and not _POINTS_ZH.fullmatch(body)
    if words[0] in ("what", "was") and words[-1] in _SPOKEN:
        return False
    if words[0] in _POINTS:
        return any(word in _VERBS for word in words[1:]) and not any(word in _THINGS for word in words[:4])
    if len(words) == 1:
        return named or words[0] not in _THINGS
    return not any(word.rstrip(",") in _THINGS for word in words) or (
        any(word in _VERBS for word in words) and words[0] not in _THINGS
    )
