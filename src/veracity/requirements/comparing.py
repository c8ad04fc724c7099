"""What a comparison reads in one requirement: its words, figures with units and bounds, negations, names, and who does what."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from veracity.language.folding import listed
from veracity.language.function_words import function_words
from veracity.language.stem import stem_of
from veracity.requirements.contracts import Lang
from veracity.requirements.quantities import NEGATED_BOUND, BoundedQuantity, quantities_of
from veracity.requirements.rules.quotes import quotations, shadow_of
from veracity.requirements.rules.requirement_text import language_of

MOST_CHARACTERS = 4_000
"""Of a requirement; what follows is not compared."""
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]{1,2}(?![^\W_]))?")
_ID = re.compile(
    r"\s*[\[(]?(?:[^\W\d_]{1,12}[-_.]?\d{1,6}(?:[-_.]\d{1,6})*[\])]?\s?[:)\]–-]|\d{1,4}(?:\.\d{1,4})*[.):])\s+"
)

_SAID_OF_ANYTHING = listed("möglich possible ability option support allow allows let lets provide able such")
"""Words that any requirement may hold, beside the function words: two that share nothing else have nothing in common."""
_PAUSE = re.compile(r"[,;:.!?()\x00\n–—]")
_MODALS: Mapping[Lang, frozenset[str]] = {
    "de": listed("muss müssen soll sollen sollte sollten kann können könnte darf dürfen möchte will wird werden"),
    "en": listed("shall must should will can may might could would"),
}


@cache
def common_words() -> frozenset[str]:
    """Words that tell nothing of what a requirement is about."""
    return function_words("de", "en") | _SAID_OF_ANYTHING


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
        return self.word not in common_words()


class Content:
    """One requirement as it is compared; each part is read when it is first asked for."""

    def __init__(self, text: str) -> None:
        # Half a character, as broken files hold it, can be neither hashed nor stored.
        self.text = text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()
        given = _ID.match(self.text)
        own_id = given.end() if given is not None and given.end() < len(self.text) else 0
        self.shadow = shadow_of(self.text, ((0, own_id),))
        self._said = " " * own_id + self.text[own_id:]
        self.lang: Lang = language_of(self.shadow)

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
    def quantities(self) -> tuple[BoundedQuantity, ...]:
        """Its figures."""
        return quantities_of(self.shadow, self.lang)

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
        return frozenset(found) - _NO_NAMES - common_words()

    @cached_property
    def quoted(self) -> frozenset[str]:
        """The words of what it quotes."""
        return frozenset(
            _folded(word) for start, end in quotations(self.text) for word in _TOKEN.findall(self.text[start:end])
        )

    @cached_property
    def roles(self) -> Mapping[str, frozenset[str]]:
        """Part played -> the stems of what plays it: `actor`, `from`, `to`, `for`, `before`, `after`."""
        return _roles(self.shadow, self.tokens, self.lang)


def _tokens(text: str, lang: Lang) -> tuple[ComparedToken, ...]:
    return tuple(
        ComparedToken(word := _folded(found[0]), stem_of(word, lang), *found.span(), found[0][0].isupper())
        for found in _TOKEN.finditer(text)
    )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


# --- negation

_NO_NEGATION = re.compile(
    rf"{NEGATED_BOUND.pattern}|\b(?:nicht nur|not only|not just|nicht blo(?:ß|ss)|whether or not|ob oder nicht)\b|\bno\.(?=\s?[a-z\d])",
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
    if modal is None or _names_no_actor(shadow, tokens[modal:], lang):
        return set()
    start = modal
    while start and not _PAUSE.search(shadow, tokens[start - 1].end, tokens[start].start):
        start -= 1
    before = tokens[start:modal]
    if lang == "de" and (not before or before[0].word in _OBLIQUE):
        return _phrase(shadow, tokens, modal + 1, nouns=True)
    return {token.stem for token in before if token.tells and (lang == "en" or token.capital)}


def _names_no_actor(shadow: str, tokens: Sequence[ComparedToken], lang: Lang) -> bool:
    """Whether a sentence is passive or only describes: shall be deleted, muss gelöscht werden, muss sichtbar sein."""
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
