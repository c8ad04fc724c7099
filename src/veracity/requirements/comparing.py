"""What a comparison reads in one requirement: its words, figures with units and bounds, negations, names, and who does what."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from veracity.language.folding import listed
from veracity.language.numbers import Figure, find_figures
from veracity.requirements.contracts import Lang
from veracity.requirements.rules.language import language_of
from veracity.requirements.rules.phrases import words_in
from veracity.requirements.rules.quotes import HIDDEN, quotations, shadow_of

if TYPE_CHECKING:
    from Stemmer import Stemmer

MOST_CHARACTERS = 4_000
"""Of a requirement; what follows is not compared."""
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]{1,2}(?![^\W_]))?")
_ID = re.compile(
    r"\s*[\[(]?(?:[^\W\d_]{1,12}[-_.]?\d{1,6}(?:[-_.]\d{1,6})*[\])]?\s?[:)\]–-]|\d{1,4}(?:\.\d{1,4})*[.):])\s+"
)

FUNCTION_WORDS = listed(
    "der die das den dem des ein eine einen einem einer eines und oder sowie aber wenn falls sobald sofern solange während dann dass "
    "damit um als wie im in am an auf aus bei beim bis durch für gegen mit nach ohne über unter vom von vor zu zum zur zwischen ab "
    "es er sie ihm ihn ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner sich ich mir mich mein meine meinen wir uns man "
    "ist sind war wird werden wurde worden hat haben habe sei muss müssen soll sollen sollte sollten kann können könnte darf dürfen "
    "möchte möchten will wollen lassen lässt möglich alle allen aller jede jeder jedes jeden auch nur noch so diese dieser dieses "
    "diesen deren dessen welche welcher welches kein keine keinen nicht "
    "the a an of and or as well but if when while where whenever once then that this these those which who to for in into on onto at "
    "by from with within without via per is are was were be been being it its he his her they their them i me my we our us you your "
    "shall must should will would can could may might need needs able has have had do does not no all any each every also only so "
    "than there such possible ability option support allow allows let lets provide"
)
"""Words that any requirement may hold: two that share nothing else have nothing in common."""
_PAUSE = re.compile(r"[,;:.!?()\x00\n–—]")
_MODALS: Mapping[Lang, frozenset[str]] = {
    "de": listed("muss müssen soll sollen sollte sollten kann können könnte darf dürfen möchte will wird werden"),
    "en": listed("shall must should will can may might could would"),
}


@dataclass(frozen=True, slots=True)
class ComparedToken:
    """A word of a requirement."""

    word: str
    stem: str
    start: int
    end: int
    capital: bool

    @property
    def tells(self) -> bool:
        """Whether it is no function word."""
        return self.word not in FUNCTION_WORDS


class Content:
    """One requirement as it is compared; each part is read when it is first asked for."""

    def __init__(self, text: str) -> None:
        # Half a character, as broken files hold it, can be neither hashed nor stored.
        self.text = text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()
        given = _ID.match(self.text)
        own_id = given.end() if given is not None and given.end() < len(self.text) else 0
        self.shadow = shadow_of(self.text, ((0, own_id),))
        self._said = " " * own_id + self.text[own_id:]
        self.lang: Lang = language_of(self.shadow, words_in(self.shadow))

    @cached_property
    def words(self) -> tuple[ComparedToken, ...]:
        """All of its words but for its id; compounds with hyphens are taken apart."""
        return _tokens(self._said, self.lang)

    @cached_property
    def tokens(self) -> tuple[ComparedToken, ...]:
        """Its words outside of quotations."""
        return _tokens(self.shadow, self.lang)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words."""
        return frozenset(token.stem for token in self.words)

    def written(self, stem: str) -> str:
        """The first word of a stem, as it stands in the text."""
        return next((self.text[token.start : token.end] for token in self.words if token.stem == stem), stem)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its figures."""
        return tuple(_quantities(self.shadow, self.lang))

    @cached_property
    def negations(self) -> tuple[frozenset[str], ...]:
        """For each word that turns something round, the stems of what it turns round."""
        return tuple(_negations(self.shadow, self.tokens))

    def negates(self, other: Content) -> bool:
        """Whether an odd number of negations are about what the other says, too; two make it what it was."""
        about = self.negations
        if self.lang == other.lang:
            about = tuple(stems for stems in about if not stems.isdisjoint(other.stems))
        return len(about) % 2 == 1

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of formats, products and standards, by their capitals: PDF, macOS."""
        words = [found[0] for found in _TOKEN.finditer(self.shadow)]
        if sum(word.isupper() for word in words) * 2 > len(words):
            # Where everything is in capitals, they mark no names.
            return frozenset()
        found = {_name(word) for word in words if _NAME.fullmatch(word)}
        return frozenset(found) - _NO_NAMES - FUNCTION_WORDS

    @cached_property
    def quoted(self) -> frozenset[str]:
        """The words of what it quotes."""
        return frozenset(
            _plain(word) for start, end in quotations(self.text) for word in _TOKEN.findall(self.text[start:end])
        )

    @cached_property
    def roles(self) -> Mapping[str, frozenset[str]]:
        """Part played -> the stems of what plays it: `actor`, `from`, `to`, `for`, `before`, `after`."""
        return _roles(self.shadow, self.tokens, self.lang)


def _tokens(text: str, lang: Lang) -> tuple[ComparedToken, ...]:
    return tuple(
        ComparedToken(word := _plain(found[0]), stem_of(word, lang), *found.span(), found[0][0].isupper())
        for found in _TOKEN.finditer(text)
    )


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


@lru_cache(maxsize=50_000)
def stem_of(word: str, lang: str) -> str:
    """The stem of a word in small letters."""
    found = str(_stemmer(lang).stemWord(word[:64].removesuffix("'s")))
    # The stemmer leaves the plural of Video as it is.
    return found[:-1] if lang == "de" and len(found) > 4 and found.endswith(("os", "as", "is")) else found


@lru_cache(maxsize=2)
def _stemmer(lang: str) -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer("german" if lang == "de" else "english")


# --- figures


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure with the unit it counts in, turned into the base unit of its kind."""

    text: str
    """As it is written, with its unit."""
    values: frozenset[tuple[str, Decimal | str]]
    """Kind of unit and value; several when the writing has several readings."""
    bound: int = 0
    """1 for at least, -1 for at most, 0 when nothing is said."""

    def agrees(self, other: Quantity) -> bool:
        """Whether both may be the same, with bounds that do not contradict each other."""
        return not self.values.isdisjoint(other.values) and self.bound * other.bound >= 0


_UNIT_NAMES = (
    ("time", "0.000001", "µs us"),
    ("time", "0.001", "ms msec millisekunde millisekunden millisecond milliseconds"),
    ("time", "1", "s sek sec secs sekunde sekunden second seconds"),
    ("time", "60", "min mins minute minuten minutes"),
    ("time", "3600", "h std hr hrs stunde stunden hour hours"),
    ("time", "86400", "d tag tage tagen day days"),
    ("time", "604800", "woche wochen week weeks"),
    ("months", "1", "monat monate monaten month months"),
    ("months", "12", "jahr jahre jahren year years"),
    ("bytes", "1", "byte bytes"),
    ("bytes", "1000", "kb"),
    ("bytes", "1024", "kib"),
    ("bytes", "1000000", "mb megabyte megabytes"),
    ("bytes", "1048576", "mib"),
    ("bytes", "1000000000", "gb gigabyte gigabytes"),
    ("bytes", "1073741824", "gib"),
    ("bytes", "1000000000000", "tb terabyte terabytes"),
    ("bits/s", "1000", "kbit/s kbps"),
    ("bits/s", "1000000", "mbit/s mbps"),
    ("bits/s", "1000000000", "gbit/s gbps"),
    ("hertz", "1", "hz"),
    ("hertz", "1000", "khz"),
    ("hertz", "1000000", "mhz"),
    ("hertz", "1000000000", "ghz"),
    ("metres", "0.001", "mm"),
    ("metres", "0.01", "cm"),
    ("metres", "1", "m meter metern metre metres meters"),
    ("metres", "1000", "km kilometer kilometern"),
    ("grams", "1", "g gramm gram grams"),
    ("grams", "1000", "kg kilogramm"),
    ("money eur", "1", "€ eur euro euros"),
    ("money usd", "1", "$ usd dollar dollars"),
    ("money chf", "1", "chf franken"),
)
_UNITS = {name: (kind, Decimal(size)) for kind, size, names in _UNIT_NAMES for name in names.split()}
"""Unit -> what kind of thing it measures, and how many of the kind's base unit it is."""
_UNIT = re.compile(r"[ \u00a0\u202f]?-?((?:[kmg]bit/s)|[^\W\d_]+|[€$%])")
_CURRENCY = re.compile(r"(?<!\w)(€|\$|eur|usd|chf)[ \u00a0]?$")
_GLUED = re.compile(r"(\d{1,12}(?:[.,]\d{1,6})?)([^\W\d_]{1,12})")
_BOUND = re.compile(
    r"(?:(?P<most>(?<!\w)(?:(?:no|not|nicht|kein[a-z]{0,2})(?: \w{1,12})? (?:more|longer|later|greater|larger|higher|mehr|länger|später|grösser|höher) "
    r"(?:than|als)|not (?:to )?exceed|at most|up to|maximum(?: of)?|max\.?|maximal|höchstens|bis zu|bis|until|within|innerhalb(?: von)?|"
    r"binnen|under|unter|below|unterhalb(?: von)?|(?:less|fewer|shorter|smaller|lower|weniger|kürzer|kleiner|niedriger) (?:than|als))|<=?|≤)"
    r"|(?P<least>(?<!\w)(?:(?:no|not|nicht) (?:less|fewer|shorter|earlier|weniger|kürzer|früher|kleiner) (?:than|als)|at least|minimum(?: of)?|"
    r"min\.?|minimal|mindestens|wenigstens|over|above|über|oberhalb(?: von)?|exceeds?|from|ab|"
    r"(?:more|longer|greater|larger|higher|mehr|länger|grösser|höher) (?:than|als))|>=?|≥))[ \u00a0]?$"
)
_BOUND_REACH = 32


def _quantities(shadow: str, lang: Lang) -> Iterator[Quantity]:
    # Only a digit or a word for a number makes a figure; the marks of hidden text are no part of any word.
    plain = shadow.replace(HIDDEN, " ")
    for figure in find_figures(plain, "de-DE" if lang == "de" else "en"):
        values, end = _values(figure, plain)
        before = plain[max(0, figure.start - _BOUND_REACH) : figure.start].casefold()
        found = _BOUND.search(before)
        bound = 0 if found is None else -1 if found["most"] else 1
        yield Quantity(plain[figure.start : end].strip(), frozenset(values), bound)


def _values(figure: Figure, text: str) -> tuple[set[tuple[str, Decimal | str]], int]:
    """What a figure may stand for, and where it ends with its unit."""
    if figure.dates:
        return {("date", day.isoformat()) for day in figure.dates}, figure.end
    if figure.readings:
        kind, factor, end = _unit(figure, text)
        return {(kind, (value * factor).normalize()) for value in figure.readings}, end
    glued = _GLUED.fullmatch(figure.text)
    if glued is not None and glued[2].casefold() in _UNITS:
        kind, factor = _UNITS[glued[2].casefold()]
        return {(kind, (Decimal(glued[1].replace(",", ".")) * factor).normalize())}, figure.end
    return {("", figure.text.casefold())}, figure.end


def _unit(figure: Figure, text: str) -> tuple[str, Decimal, int]:
    """What a number counts, how many of the base unit that is, and where the unit ends."""
    after = _UNIT.match(text, figure.end)
    if after is not None and after[1].casefold() in _UNITS:
        return *_UNITS[after[1].casefold()], after.end()
    before = _CURRENCY.search(text[max(0, figure.start - 5) : figure.start].casefold())
    if before is not None:
        return *_UNITS[before[1]], figure.end
    end = after.end() if after is not None and after[1] == "%" else figure.end
    return "%" if figure.percent else "", Decimal(1), end


# --- negation

_NO_NEGATION = re.compile(
    r"\b(?:nicht nur|not only|not just|nicht blo(?:ß|ss)|whether or not|ob oder nicht|"
    r"(?:no|not|nicht|keine?) (?:\w{1,12} )?(?:more|less|fewer|longer|shorter|later|earlier|greater|larger|smaller|higher|lower|mehr|weniger|"
    r"länger|kürzer|später|früher|grö(?:ß|ss)er|kleiner|höher|niedriger) (?:than|als)|not (?:to )?exceed|"
    r"nicht (?:zu )?(?:über|unter)(?:schreiten|schritten|steigen|stiegen))\b|\bno\.(?=\s?[a-z\d])",
    re.IGNORECASE,
)
"""A bound, or a way of speaking, in which no negation is meant."""
_NEGATOR = re.compile(
    r"\b(?:(?P<around>nicht|nie|niemals|(?:verhinder|verbiet|unterbind|untersag|vermeid|verweiger)\w{1,5}|verboten|unterbunden|vermieden)|"
    r"not|never|no|none|nobody|neither|cannot|without|unless|\w{1,8}n['’]t|(?:prevent|prohibit|disallow|forbid|avoid)\w{0,6}|forbade|"
    r"den(?:y|ies|ied|ying)|non(?=-)|niemand|nichts|kein(?:e[nmrs]?)?|keinesfalls|keineswegs|ohne|weder|es sei denn|au(?:ß|ss)er wenn)\b",
    re.IGNORECASE,
)
"""`around`: German words that stand behind what they negate as often as before it."""
_SCOPE = 2
"""Telling words to a side that a negation is taken to be about."""


def _negations(shadow: str, tokens: Sequence[ComparedToken]) -> Iterator[frozenset[str]]:
    plain = _NO_NEGATION.sub(lambda found: " " * len(found[0]), shadow)
    pauses = [pause.start() for pause in _PAUSE.finditer(shadow)]
    for found in _NEGATOR.finditer(plain):
        start = max((at for at in pauses if at < found.start()), default=-1)
        end = min((at for at in pauses if at >= found.end()), default=len(shadow))
        clause = [token for token in tokens if start < token.start < end and token.tells]
        after = [token.stem for token in clause if token.start >= found.end()][:_SCOPE]
        before = [token.stem for token in clause if token.end <= found.start()][-_SCOPE:]
        yield frozenset(after + before if found["around"] else after)


# --- names

_NAME = re.compile(r"(?!\w*Innen$)[^\W_][^\W_]{0,20}?[A-ZÄÖÜ][^\W_]{0,20}")
"""A capital inside the word: PDF, macOS, OAuth; not the German NutzerInnen."""
_NO_NAMES = listed("api ui gui ux id url uri it ok db os pc app sdk todo faq req soll")
"""Written like names, and common to all kinds of things."""


def _name(word: str) -> str:
    return word.removesuffix("s").casefold() if word[:-1].isupper() else word.casefold()


# --- roles

_OBLIQUE = listed(
    "dem den einem einen ihrem ihren jedem jeden allen für mit bei beim von vom in im nach zu zum zur an am auf aus"
)
_JOINING = listed("and or und oder sowie")
_PREPOSITIONS: Mapping[Lang, Mapping[str, str]] = {
    "en": {
        "from": "from", "to": "to", "into": "to", "onto": "to", "for": "for", "before": "before", "after": "after",
    },
    "de": {
        "von": "from", "vom": "from", "aus": "from", "zu": "to", "zum": "to", "zur": "to", "nach": "to", "an": "to", "in": "to",
        "ins": "to", "für": "for", "vor": "before", "bevor": "before", "nachdem": "after", "durch": "actor",
    },
}  # fmt: skip
_ADVERBS = listed("also always never not then only immediately automatically auch immer nie nicht dann nur stets")
_PARTICIPLE = re.compile(r"\w+(?:ed|en|wn|nt|pt|lt|ld|ut)")
_LONGEST_PHRASE = 4


def _roles(shadow: str, tokens: Sequence[ComparedToken], lang: Lang) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    found["actor"] |= _actor(shadow, tokens, lang)
    for at, token in enumerate(tokens):
        part = _PREPOSITIONS[lang].get(token.word)
        if lang == "en" and token.word == "by" and at and _PARTICIPLE.fullmatch(tokens[at - 1].word):
            part = "actor"
        if part is not None:
            nouns = lang == "de" and part not in ("before", "after")
            found[part] |= _phrase(shadow, tokens, at + 1, nouns=nouns)
    return {part: frozenset(stems) for part, stems in found.items() if stems}


def _actor(shadow: str, tokens: Sequence[ComparedToken], lang: Lang) -> set[str]:
    """Who does it: of a user story its role, else what stands at the modal verb, unless the sentence is passive."""
    words = [token.word for token in tokens]
    if words[:1] == ["als" if lang == "de" else "as"]:
        wants = next((at for at, word in enumerate(words) if word in ("ich", "i", "möchte", "will")), None)
        if wants is not None:
            return {token.stem for token in tokens[1:wants] if token.tells}
    modal = next((at for at, word in enumerate(words) if word in _MODALS[lang]), None)
    if modal is None or _is_done_to(shadow, tokens[modal:], lang):
        return set()
    start = modal
    while start and not _PAUSE.search(shadow, tokens[start - 1].end, tokens[start].start):
        start -= 1
    before = tokens[start:modal]
    if lang == "de" and (not before or before[0].word in _OBLIQUE):
        return _phrase(shadow, tokens, modal + 1, nouns=True)
    return {token.stem for token in before if token.tells and (lang == "en" or token.capital)}


def _is_done_to(shadow: str, tokens: Sequence[ComparedToken], lang: Lang) -> bool:
    """Whether the subject only suffers, or is only described: shall be deleted, muss gelöscht werden, muss sichtbar sein."""
    words = [token.word for token in tokens]
    if lang == "de":
        # "sein" before a noun is the possessive: muss sein Passwort ändern.
        states = [token for token in tokens if token.word == "sein" and _ends_clause(shadow, token)]
        return bool(states) or not {"werden", "worden"}.isdisjoint(words) or words[0] == "wird"
    rest = [word for word in words[1:5] if word not in _ADVERBS]
    return rest[:1] == ["be"] and rest[1:2] not in (["able"], ["allowed"], ["permitted"], ["capable"])


def _ends_clause(shadow: str, token: ComparedToken) -> bool:
    rest = shadow[token.end : token.end + 3].strip()
    return not rest or _PAUSE.match(rest) is not None


def _phrase(shadow: str, tokens: Sequence[ComparedToken], at: int, *, nouns: bool) -> set[str]:
    """The stems of the phrase that starts here; `nouns` takes words with a capital only, as German nouns have."""
    found: set[str] = set()
    for number, token in enumerate(tokens[at : at + _LONGEST_PHRASE]):
        if number and _PAUSE.search(shadow, tokens[at + number - 1].end, token.start):
            break
        if token.tells and (token.capital or not nouns):
            found.add(token.stem)
        elif found and token.word not in _JOINING and tokens[at + number - 1].word not in _JOINING:
            break
    return found
