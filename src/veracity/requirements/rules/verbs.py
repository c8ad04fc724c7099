"""The forms of verbs, told by their endings: good enough for hints, without a parser."""

from __future__ import annotations

import re

from veracity.question.folding import listed

_PREFIX = (
    "an|ab|auf|aus|bei|bereit|dar|durch|ein|fest|fort|frei|gleich|heran|heraus|her|hin|hinzu|hoch|mit|nach|nieder|offen|sicher|"
    "statt|um|unter|voraus|vor|weg|weiter|wieder|zu|zurueck|zusammen|zwischen|ueber"
)
_PARTICIPLE = re.compile(rf"(?:{_PREFIX})?(?:ge\w{{2,}}(?:t|en)|(?:be|er|ver|zer|ent|emp)\w{{3,}}t)|\w{{3,}}iert")
_ADJECTIVE = ("ten", "nden", "igen", "lichen", "enen", "baren", "samen", "ischen")
"""How an adjective or a participle before a noun ends: "der angezeigten Daten"."""
_STRONG = ("halten", "boten", "beten", "treten", "schnitten", "raten")
_NO_PARTICIPLE = listed(
    "gegen geeignet genuegt genuegend gesamt gestern geht gilt berechtigt bereit bestimmt besteht erhaelt beginnt bekannt "
    "entspricht verlaesst geraet gelten genehmigen gewaehrleisten gestalten generieren gelangen gewaehren gewinnen gehoeren "
    "genuegen gefallen gefaehrden gegenueber gebrauchen geschehen erlaubt"
)
_INFINITIVE = re.compile(r"\w{2,}(?:en|ern|eln|tun|sein)")
_NO_INFINITIVE = listed(
    "oben unten innen aussen neben gegen wegen zwischen allen jeden einen keinen ihren seinen diesen deren denen jenen anderen "
    "einzelnen beiden meisten ersten letzten dessen eigenen morgen wenigen vielen mehreren einigen solchen den modern "
    "intern extern sondern gern fern selten offen eigen trocken verschieden angemessen zusammen hingegen dagegen"
)
_IRREGULAR = listed(
    "sent shown written read made given taken kept held built chosen found set put done seen sold met known drawn driven broken "
    "begun brought bought caught hidden left lost paid run said spent told thrown understood withdrawn overridden reset cut"
)
_NO_PASSIVE = listed("need based used-to red bed shed speed feed seed required located supposed")


def is_participle(word: str) -> bool:
    """Whether a German word, folded, looks like a past participle: gespeichert, angezeigt, validiert, verschickt."""
    if word in _NO_PARTICIPLE or _PARTICIPLE.fullmatch(word) is None:
        return False
    return not word.endswith(_ADJECTIVE) or word.endswith(_STRONG)


def is_infinitive(word: str) -> bool:
    """Whether a German word, folded, looks like an infinitive; adjectives may look so, too."""
    return word not in _NO_INFINITIVE and _INFINITIVE.fullmatch(word) is not None


def is_english_participle(word: str) -> bool:
    """Whether an English word looks like a past participle: stored, sent."""
    return word in _IRREGULAR or (word.endswith("ed") and len(word) > 4 and word not in _NO_PASSIVE)


_ENGLISH_VERBS = listed(
    "abort accept add adjust alert allow analyse analyze apply archive assign attach authenticate authorise authorize block calculate cancel capture "
    "categorise categorize check choose collect compare compute configure confirm connect continue convert create decrypt define delete "
    "deliver detect determine disable display download edit enable encrypt ensure enter erase evaluate execute export extract fetch "
    "generate identify import indicate inform initiate insert install invite keep list load lock log maintain manage measure merge modify "
    "navigate notify obtain open perform permit prevent print prioritise prioritize produce prompt provide publish read receive "
    "recommend record redirect reject remind remove rename replace repeat reserve reset resolve restore retrieve retry return run save scan schedule search "
    "select send share show shut sign sort specify start stop store submit subscribe suggest summarise summarize switch sync "
    "synchronise synchronize terminate track translate transmit trigger unlock unsubscribe update upload validate verify view "
    "visualise visualize warn write"
)
_ALSO_NOUNS = listed(
    "alert archive block check display download edit export import list load lock log measure open print prompt read record reset return run save scan schedule search "
    "share show sort start stop store switch track trigger update upload view"
)
_OBJECT = listed(
    "the a an all any each every its their his her my our your this that these those it them to him us me new which"
)


def is_english_verb(word: str, after: str) -> bool:
    """Whether an English word is a verb of requirements; one that may be a noun, too, is one when an object follows."""
    return word in _ENGLISH_VERBS and (word not in _ALSO_NOUNS or after in _OBJECT)
