"""Which language a text is in, and which words are so ordinary that they need not mean a stored value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from veracity.language.folding import IDEOGRAPHS, listed, words_in
from veracity.language.function_words import function_words
from veracity.language.locale import DEFAULT_LANGUAGE

_CHINESE = re.compile(f"[{IDEOGRAPHS}]")
# What holds a Chinese sentence together; names seldom have it.
_CHINESE_GRAMMAR = re.compile("[的吗呢哪几是了吧把被请]|多少|什么|怎么")
_UMLAUT = re.compile(r"[äöüßÄÖÜ]|[aou]\u0308")
_MOST = 2_000

# What is said in questions and greetings, beside the function words.
_OFTEN_SAID = {
    "de": listed(
        "viel viele vielen ende jahr jahre jahres total top monat monate bitte zeige zeig liste nenne anzahl summe hoch gross konto "
        "konten saldo kunde kunden letztes letzten vorjahr heute gestern mehr weniger gesamt hallo moin servus gruezi danke merci "
        "tschuess bist guten bereits neue neuen offene offener offenen debitoren kreditoren zwei drei vier fuenf sechs sieben acht neun zehn"
    ),
    "en": listed(
        "many much end year years month months show list give tell number total please account accounts balance customer customers "
        "last next more less highest largest top hello hey thanks thank bye good user users able "
        "two three four five six seven eight nine ten"
    ),
}
_SAID = {lang: function_words(lang) | words for lang, words in _OFTEN_SAID.items()}
# Words of both languages tell nothing.
_TELLING = {lang: words - (_SAID["de"] & _SAID["en"]) for lang, words in _SAID.items()}
_ENDINGS = {
    "de": re.compile(
        r"\w{3,}(?:ung|ungen|heit|keit|keiten|schaft|lich|liche[rsnm]?|ieren|iert|bar|enz|taet|isch|ische[rsnm]?)"
    ),
    "en": re.compile(r"\w{3,}(?:ing|ings|ness|ity|ities|ly|ed|ies|able|ous|ful|ance|ence)"),
}

_LETTER_GROUPS = {
    "de": re.compile(
        r"\w{15}|sch|tz|pf|aeu|kt\b|nk(?!s?\b)|kon|ung(?:en)?\b|keit|heit|schaft|lich|ieb|ief|ach|(?<!zur)ich|uch|ahr|ohn|ehn|"
        r"wand|trag|trae|ein|eit|auf|aus|\bz(?!urich\b)[aeiouw]|[lnr]z|zeu|[ei]zi|[ou]zen|[ou]ss\b|nis(?:se)?\b|lf|(?:er|ig|ch|ng|ss)ste[snr]\b|en\b|ete\b|(?:\b|an|aus|ab|vor|fach|t)ge[bdfkmnstw]"
    ),
    "en": re.compile(
        r"th|wh|tion|ing\b|ment|ty\b|ly\b|ry\b|ey\b|ow|oo|ee|ea|ou|sh|qu|ck|able|ance|ence|ore|ed\b|es\b|y\b|[aei]ss\b|tchen\b|[ao][lr]den\b|(?<![mpy])pen\b|ven\b|omen\b|dren\b|tizen|ets?\b|izes?\b|oach"
    ),
}

# Words that also stand for values, names and groups but are said in any sentence. Nouns in the form of a dictionary.
_ORDINARY = {
    "de": listed(
        "handel verkauf einkauf vertrieb lager personal produktion marketing service support projekt projekte technik "
        "entwicklung zentrale filiale betrieb buero haus hof werk markt stadt land ort nord sued ost west norden "
        "sueden osten westen mitte gross klein neu alt offen bezahlt aktiv passiv ja nein bar karte rechnung konto "
        "bank post kasse gruppe firma partner garage druckerei kaeserei papeterie baeckerei metzgerei schreinerei "
        "restaurant hotel gasthof zug essen halle baden singen celle bad rot blau gruen schwarz weiss gold silber "
        "montag dienstag mittwoch donnerstag freitag samstag sonntag heute diverse andere sonstige keine total summe "
        "hoch tief ware waren material software hardware immobilien logistik energie transport transporte reise reisen "
        "auto steuer steuern lohn loehne miete zins zinsen kosten aufwand ertrag gewinn verlust umsatz"
    ),
    "en": listed(
        "trade sales sale sell purchase support service services project projects production office house yard works "
        "market city town country north south east west open closed closing close paid unpaid active inactive yes no "
        "cash card bank post group company partner garage print hotel inn train red blue green black "
        "white gold silver monday tuesday wednesday thursday friday saturday sunday today other others misc none total "
        "high low medium new old goods material software hardware energy transport travel car tax rent interest cost "
        "costs profit loss till stock may march first second general main standard default"
    ),
    "zh": frozenset[str](),
}
_ORDINARY_ENDINGS = {
    "de": re.compile(r"\w{3,}(?:ung|ungen|heit|keit|schaft|ion|taet|ment|ismus)"),
    "en": re.compile(r"\w{3,}(?:ing|tion|ment|ity|ness|ship|ance|ence)"),
}
_ALSO_VERBS = {
    "de": frozenset({"kosten", "mieten", "posten", "handeln", "buchen", "aktiv", "passiv", "post", "lager"}),
    "en": frozenset({"cost", "costs", "till", "stock", "stocks"}),
    "zh": frozenset[str](),
}


def language_of(text: str) -> str:
    """The language of a text: de, en or zh; English when it does not show."""
    return language_by_words(text) or language_by_letters(text) or DEFAULT_LANGUAGE


def language_by_words(text: str, words: Sequence[str] | None = None, *, lead: int = 1) -> str | None:
    """The language of a text by its script, umlauts and function words, or None when they do not tell.

    `words` are its words, folded, where they are known already. `lead` is how many more must tell it than another one.
    """
    text = text[:_MOST]
    chinese = _CHINESE.search(text) is not None
    if chinese and _CHINESE_GRAMMAR.search(text):
        return "zh"
    words = _words(text) if words is None else words
    if chinese and not _is_about_chinese_names(words):
        return "zh"
    scores = {lang: sum(word in known for word in words) for lang, known in _TELLING.items()}
    scores["de"] += has_umlaut(text)
    return _best(scores, lead)


def _is_about_chinese_names(words: Sequence[str]) -> bool:
    """Whether a text begins as an English or German one and goes on so, so that its Chinese words are names: how many 订单."""
    telling = _TELLING["de"] | _TELLING["en"]
    begins = bool(words) and (words[0] in _SAID["de"] or words[0] in _SAID["en"])
    return begins and sum(word in telling for word in words) > 1


def has_umlaut(text: str) -> bool:
    """Whether a text has an umlaut or ß, which English has only in names."""
    return _UMLAUT.search(text) is not None


def language_by_endings(text: str) -> str | None:
    """The language of a text by the endings of its words, or None when they do not tell."""
    words = _words(text[:_MOST])
    return _best({lang: sum(ending.fullmatch(word) is not None for word in words) for lang, ending in _ENDINGS.items()})


def language_by_letters(text: str) -> str | None:
    """The language of a text by the letters that are typical of its words, or None when they do not tell."""
    words = _words(text[:_MOST])
    return _best({lang: sum(len(group.findall(word)) for word in words) for lang, group in _LETTER_GROUPS.items()})


def _words(text: str) -> list[str]:
    return [word for word in words_in(text) if not word.isdigit()]


def _best(scores: dict[str, int], lead: int = 1) -> str | None:
    if abs(scores["de"] - scores["en"]) < lead:
        return None
    return "de" if scores["de"] > scores["en"] else "en"


def is_ordinary(word: str, lang: str) -> bool:
    """Whether a folded word is said in any sentence of a language, so that it need not name anything."""
    if word in _ORDINARY.get(lang, ()):
        return True
    endings = _ORDINARY_ENDINGS.get(lang)
    return endings is not None and endings.fullmatch(word) is not None


def is_also_verb(written: str, lang: str) -> bool:
    """Whether a word, with its case, is also something that is done ("was kosten", "how much did it cost")."""
    return written in _ALSO_VERBS.get(lang, ())
