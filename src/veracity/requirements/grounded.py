"""What a rewrite says and its requirement did not: CHECKS, pure functions over the two texts.

    figures_are_backed    a number, with its unit, that nobody stated
    bounds_are_kept       "at most 5" that became "at least 5"
    rates_are_backed      daily, hourly, twice
    role_is_backed        As a <role>; the administrator shall
    names_are_backed      products, standards, abbreviations, quoted words
    benefit_is_backed     so that <benefit>
    figures_are_kept      a number of the requirement that is gone
    negation_is_kept      a "not" that came or went

What may be said is what the requirement says, the project's glossary, and the user's answers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

from veracity.answer.render import MULTIPLES
from veracity.language.folding import folded_text
from veracity.language.function_words import function_words
from veracity.language.stem import noun_stem
from veracity.language.units import unit_called
from veracity.requirements.contracts import Lang
from veracity.requirements.quantities import NEGATED_BOUND, Bound, BoundedQuantity, compact, quantities_of
from veracity.requirements.rules.requirement_text import OPEN_SLOT
from veracity.yaml_file import packaged

DoubtKind = Literal["figure", "bound", "rate", "role", "name", "benefit", "dropped", "negation"]
LONGEST = 8_000
"""Characters of a requirement or a rewrite that are compared; longer ones are not rewritten."""

SLOT = OPEN_SLOT
"""A place that somebody still has to fill in: `[Rolle?]`."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something in a rewrite that nothing backs, or that a rewrite has lost."""

    kind: DoubtKind
    what: str
    """The words in question, as they are written."""


@cache
def _known(name: str) -> Any:
    """A list of `grounded.yaml`; one that is written as a text as the set of its words."""
    found = packaged(Path(__file__).with_name("grounded.yaml"))[name]
    return frozenset(found.split()) if isinstance(found, str) else found


class _Figures:
    """The figures of a text, found by what they say."""

    def __init__(self, text: str, quantities: Iterable[BoundedQuantity]) -> None:
        self._compact = compact(text)
        self._known: defaultdict[Decimal | str, set[tuple[str | None, Bound]]] = defaultdict(set)
        self._counted: defaultdict[Decimal | str, set[str]] = defaultdict(set)
        for one in quantities:
            for value in one.values:
                self._known[value].add((one.dimension, one.bound))
                self._counted[value].add(one.noun)

    def bounds(self, wanted: BoundedQuantity) -> set[Bound]:
        """The sides that the same figure bounds here, None where it bounds neither; nothing where it is not said."""
        return {
            bound
            for value in wanted.values
            for dimension, bound in self._known.get(value, ())
            if dimension == wanted.dimension or dimension is None or wanted.dimension is None
        }

    def has(self, wanted: BoundedQuantity) -> bool:
        """Whether it is said, perhaps written apart: ISO-27001 and ISO 27001."""
        return bool(self.bounds(wanted)) or any(isinstance(one, str) and self._spells(one) for one in wanted.values)

    def is_of_another(self, wanted: BoundedQuantity) -> bool:
        """Whether what it counts is counted here, but with other figures, and the figure counts other things only."""
        counted = {noun for value in wanted.values for noun in self._counted.get(value, ())}
        others = {noun for nouns in self._counted.values() for noun in nouns}
        return bool(wanted.noun and counted) and "" not in counted and wanted.noun in others - counted

    def _spells(self, spelling: str) -> bool:
        at = self._compact.find(spelling)
        if at < 0:
            return False
        end = at + len(spelling)
        before, after = self._compact[max(0, at - 1) : at], self._compact[end : end + 1]
        return not (before.isdigit() and spelling[0].isdigit()) and not (after.isdigit() and spelling[-1].isdigit())


@dataclass(frozen=True)
class TextComparison:
    """A requirement and its rewrite, with all that the rewrite may draw on."""

    original: str
    rewrite: str
    lang: Lang
    glossary: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    @cached_property
    def said(self) -> str:
        """The rewrite without its open slots, which say nothing yet."""
        return _blanked(SLOT, self.rewrite)

    @cached_property
    def material(self) -> str:
        """Everything that was stated."""
        return "\n".join((self.original, *self.glossary, *self.answers))

    @cached_property
    def figures(self) -> tuple[BoundedQuantity, ...]:
        """The figures of the rewrite."""
        return quantities_of(self.without_own_id(self.said), self.lang)

    def without_own_id(self, text: str) -> str:
        """A text of the rewrite with blanks for the id of the requirement, where it begins with it: it is no figure."""
        own = _OWN_ID.match(self.original)
        size = own.end() if own is not None and text.startswith(own.group()) else 0
        return " " * size + text[size:]

    @cached_property
    def stated(self) -> _Figures:
        """The figures that were stated; answers may come in either language."""
        own = quantities_of("\n".join((_blanked(_OWN_ID, self.original), *self.glossary, *self.answers)), self.lang)
        other: Lang = "en" if self.lang == "de" else "de"
        return _Figures(self.material, (*own, *quantities_of("\n".join(self.answers), other)))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words that were stated, without their endings."""
        return frozenset(map(_stem_of_statement, _WORD.findall(self.material)))

    def knows(self, phrase: str) -> bool:
        """Whether every telling word of a phrase was stated."""
        telling = _telling_stems(phrase)
        return bool(telling) and self.stems.issuperset(telling)


def doubts(
    original: str,
    rewrite: str,
    *,
    lang: Lang,
    glossary: Iterable[str] = (),
    answers: Iterable[str] = (),
) -> tuple[Doubt, ...]:
    """Everything about a rewrite that somebody has to confirm, each once, in the order of CHECKS."""
    case = TextComparison(original[:LONGEST], rewrite[:LONGEST], lang, tuple(glossary), tuple(answers))
    found = (doubt for check in CHECKS for doubt in check(case))
    # A letter case is no difference: `p95` and `P95` are asked about once.
    return tuple({(doubt.kind, doubt.what.casefold()): doubt for doubt in found}.values())


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """A text of the same length, with blanks where the pattern matches."""
    return pattern.sub(lambda found: " " * len(found.group()), text)


# --- figures


def figures_are_backed(case: TextComparison) -> Iterator[Doubt]:
    """Figures that nobody stated in a unit that converts into theirs, or only of something else."""
    for quantity in case.figures:
        if not case.stated.has(quantity) or case.stated.is_of_another(quantity):
            yield Doubt("figure", quantity.text)
    yield from _figures_behind_articles(case)
    known = "".join((case.material, *(quantity.text for quantity in case.figures)))
    for match in _OTHER_NUMERALS.finditer(case.said):
        if match.group() not in known:
            yield Doubt("figure", match.group())


def _figures_behind_articles(case: TextComparison) -> Iterator[Doubt]:
    """A span of time that only has an article, and that was stated neither as a figure nor as a rate."""
    material = case.material.casefold()
    spans = {_span_of(match[1]) for match in _ONE.finditer(material)} | _rates_of(material)
    for match in _ONE.finditer(case.said.casefold()):
        unit = unit_called(match[1])
        one = BoundedQuantity("", frozenset({unit.factor}), unit.dimension) if unit else None
        if _span_of(match[1]) not in spans and (one is None or not case.stated.has(one)):
            yield Doubt("figure", case.said[match.start() : match.end()])


def bounds_are_kept(case: TextComparison) -> Iterator[Doubt]:
    """Figures whose limit the rewrite turns round: "at most 5" that became "at least 5"."""
    for quantity in case.figures:
        stated = case.stated.bounds(quantity) - {None}
        if quantity.bound and stated and quantity.bound not in stated:
            yield Doubt("bound", quantity.text)


def figures_are_kept(case: TextComparison) -> Iterator[Doubt]:
    """Figures of the requirement that the rewrite has lost; the number of the requirement is none of them."""
    text = _blanked(SLOT, _blanked(_OWN_ID, case.original))
    rewrite = case.without_own_id(case.rewrite)
    left = _Figures(rewrite, quantities_of(rewrite, case.lang))  # one in the name of a slot is not lost
    for quantity in quantities_of(text, case.lang):
        if not left.has(quantity):
            yield Doubt("dropped", quantity.text)


_OWN_ID = re.compile(
    r"^\s{0,8}[\[(][0-9]{1,8}[\])]|^\s{0,8}[\[(]?[A-Za-z]{1,12}[-_ ]?[0-9]{1,8}(?:[.-][0-9]{1,8}){0,4}[\])]?\s{0,3}[:.)-]"
)
_OTHER_NUMERALS = re.compile(r"[〇零一二两三四五六七八九十百千万亿]{1,12}")
_ONE = re.compile(
    r"(?<![^\W_])(?:eine[rmns]?|ein|an?)[ \u00a0](?:einzige[rsnm]? |single )?(millisekunde|sekunde|minute|stunde|tage?s?|woche|monats?|"
    r"jahr(?:es)?|millisecond|second|minute|hour|day|week|month|year)(?![^\W_])"
    # "A second factor" is no time.
    r"(?!(?<=second) (?!(?:after|or|and|at|on|in|per|when|from|to|under|with|for|of|if|while|by|until)\b)[^\W\d_])"
)
"""A figure that an article hides: "within a second"."""


def _span_of(word: str) -> str:
    """How long a unit of time is, whatever the language that names it; a moment is its own word."""
    unit = unit_called(word)
    return f"{unit.dimension} {unit.factor}" if unit else word


# --- rates


@cache
def _rate_words() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """A pattern of the words for how often something happens, and what each of them means."""
    meanings = {word: rate for rate, words in _known("rates").items() for word in words}
    return re.compile(rf"(?<![^\W_])({'|'.join(meanings)})(?:e[rsnm]?)?(?![^\W_])"), meanings


_EACH = re.compile(
    r"(?<![^\W_])(?:every|each|per|pro|je|jede[rsnm]?) (sekunde|minute|stunde|tag|woche|monat|jahr|second|minute|hour|day|week|month|year)"
    r"(?![^\W_])"
    r"|(?<=[^\W_])[ ]?/[ ]?(ms|s|sek|sec|min|h|tag|day)(?![^\W_])"
)


def _rates_of(text: str) -> set[str]:
    """How often anything happens in a text in small letters: as a span of time, or as a word for a moment."""
    pattern, meanings = _rate_words()
    named = (meanings[match[1]] for match in pattern.finditer(text))
    return {_span_of(word) for word in (*named, *(match[1] or match[2] for match in _EACH.finditer(text)))}


def rates_are_backed(case: TextComparison) -> Iterator[Doubt]:
    """Words for how often something happens, such as "daily", that nobody stated."""
    material, said = case.material.casefold(), case.said.casefold()
    stated = _rates_of(material) | {_span_of(match[1]) for match in _ONE.finditer(material)}
    for pattern in (_rate_words()[0], _EACH):
        for match in pattern.finditer(said):
            if not _rates_of(match.group()) <= stated:
                yield Doubt("rate", case.said[match.start() : match.end()])
    for match in MULTIPLES.finditer(said):
        if match.group() not in material:
            yield Doubt("rate", case.said[match.start() : match.end()])


# --- roles, names, benefits

ROLE = re.compile(
    r"(?:^|\n)\W{0,8}(?:Als (?:ein(?:e[rsnm]?)? )?(?P<de>[^,.;:\n]{1,80}?),? (?:möchte|will|kann|muss|brauche|benötige|würde) ich\b"
    r"|As (?:an? |the )?(?P<en>[^,.;:\n]{1,80}?),? I (?:want|need|would|can|must|should|shall)\b)",
    re.IGNORECASE,
)
BENEFIT = re.compile(
    r",?\s{1,3}(?P<clause>(?:damit|sodass|so dass|so that|in order that)\s(?P<why>[^.;\n]{2,300}))", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+){0,6}")


@lru_cache(maxsize=20_000)
def _stem_of_statement(word: str) -> str:
    """A word without its ending; words for the same people count as one.

    No more than cases, plurals and genders may differ: an operator is not stated where an operation is.
    """
    plain = folded_text(word)
    person = next((plain.removesuffix(end) for end in ("innen", "in") if plain.endswith(end) and len(plain) > 7), plain)
    stem = noun_stem(noun_stem(person, last=True), last=False)
    return _same_roles().get(person) or _same_roles().get(stem, stem)


@cache
def _same_roles() -> Mapping[str, str]:
    return {other: role for role, others in _known("same_role").items() for other in others}


def _telling_stems(text: str) -> list[str]:
    """The stems of the words of a text that say something."""
    fillers = function_words("de", "en") | _FILLERS
    return [_stem_of_statement(word) for word in _WORD.findall(text) if word.casefold() not in fillers]


_FILLERS = frozenset(("immer", "jederzeit", "mehr", "always", "more", "able", "want"))
"""Said of anything in a requirement, beside the function words."""


@cache
def _people() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(_known('people'))})(?![\w-])", re.IGNORECASE)


def role_is_backed(case: TextComparison) -> Iterator[Doubt]:
    """Roles and other people that nobody named."""
    for match in ROLE.finditer(case.said):
        role = (match["de"] or match["en"]).strip()
        if role and not case.knows(role):
            yield Doubt("role", role)
    rest = _blanked(BENEFIT, _blanked(ROLE, case.said))
    for match in _people().finditer(rest):
        if not case.knows(match.group()):
            yield Doubt("role", match.group())


def benefit_is_backed(case: TextComparison) -> Iterator[Doubt]:
    """Benefits of which most words were not stated."""
    for match in BENEFIT.finditer(case.said):
        words = _telling_stems(match["why"])
        if words and 2 * sum(word in case.stems for word in words) < len(words):
            yield Doubt("benefit", match["clause"].strip())


_NAME = re.compile(
    r"(?P<quoted>[„“\"«‚‘][^„“”\"«»‚‘’\n]{1,80}[“”\"»‘’])"
    r"|(?P<address>[\w.+-]{1,60}@[\w.-]{1,60}|(?:https?://|www\.)[^\s,;)]{1,120})"
    r"|(?P<mixed>(?<![\w-])(?:[^\W\d_]{0,24}[a-zäöüß][A-ZÄÖÜ]|[A-ZÄÖÜ]{2})[^\W_]{0,24}(?![^\W_]|-[0-9]))"
    r"|(?P<capital>(?<![\w.-])[A-Z][a-zäöüß]{2,30}(?![\w-]))"
    r"|(?P<small>(?<![\w.-])(?:postgres(?:ql)?|nginx|mysql|sqlite|mongodb|redis|kafka|docker|kubernetes|keycloak|github|gitlab|linux|"
    r"android|iphone|gdpr|dsgvo|oauth2?|saml|ldap|smtp|https?|tls|ssl|json|xml|pdf|csv)(?![\w-]))"
)


def names_are_backed(case: TextComparison) -> Iterator[Doubt]:
    """Products, standards, abbreviations, addresses and quoted words that nobody named.

    German writes every noun with a capital, so that there only known names, abbreviations and the like can be told.
    """
    for match in _NAME.finditer(case.said):
        name = match.group().strip('„“”"«»‚‘’ ')
        if _is_name(match, case) and not _was_said(name, case):
            yield Doubt("name", name)


def _is_name(match: re.Match[str], case: TextComparison) -> bool:
    if match["mixed"]:
        return match["mixed"] not in _known("keywords") and not any(ch.isdigit() for ch in match["mixed"])
    if not match["capital"]:
        return True
    if match["capital"].casefold() in _known("names"):
        return True
    starts = not case.said[: match.start()].rstrip(" \t\"'„“(*-") or bool(
        re.search(r"[.!?:|\n][\s\"'„“(*-]{0,6}$", case.said[max(0, match.start() - 8) : match.start()])
    )
    return case.lang == "en" and not starts and match["capital"] not in _known("ordinary")


def _was_said(name: str, case: TextComparison) -> bool:
    if name.casefold() in case.material.casefold():
        return True
    return case.knows(name)


# --- negation

_NOT = re.compile(
    r"(?<![^\W_])(?:nicht|kein\w{0,2}|nie|niemals|niemand\w{0,2}|nichts|weder|keinesfalls|ohne|not|never|cannot|no|without|none|neither|nobody|nothing)(?![^\W_])|n['’]t\b"
)
_REFUSES = re.compile(
    r"verweiger|ablehn|abweis|lehnt|verhinder|unterbind|blockier|sperr|untersag|verbiet|verbot|ausgeschlossen|"
    r"prevent|den(?:y|ie)|reject|refus|block|prohibit|forbid|disallow"
)


def negation_is_kept(case: TextComparison) -> Iterator[Doubt]:
    """A "not" that came or went; a limit such as "not more than" is none, and reasons do not count."""
    before, after = _negations(case.original), _negations(case.said)
    if before == after:
        yield from _no_longer_denied(case)
        return
    lost, added = before - after, _refusals(case.said) - _refusals(case.original)
    # "Must not open" may become "must refuse to open", once for each; an answer may bring its own.
    if lost == added or (lost < 0 and -lost <= sum(map(_negations, case.answers)) - min(added, 0)):
        return
    text = _without_limits_and_reasons(case.original if lost > 0 else case.said)
    match = _NOT.search(text)
    if match is not None:
        yield Doubt("negation", text[match.start() : match.end()])


def _no_longer_denied(case: TextComparison) -> Iterator[Doubt]:
    """Words that the requirement denies, and that the rewrite has only in sentences that deny nothing."""
    original = _without_limits_and_reasons(case.original)
    denying, free = set[str](), set[str]()
    for sentence in re.split(r"[.;!?\n]\s", _without_limits_and_reasons(case.said)):
        denies = _NOT.search(sentence) or _REFUSES.search(sentence)
        (denying if denies else free).update(map(_stem_of_statement, _WORD.findall(sentence)))
    for match in _NOT.finditer(original):
        denied = _telling_stems(original[match.end() : match.end() + 80])[:1]
        if denied and denied[0] in free - denying:
            yield Doubt("negation", match.group())


def _without_limits_and_reasons(text: str) -> str:
    """A text in small letters, with blanks for limits and for reasons."""
    return _blanked(NEGATED_BOUND, _blanked(BENEFIT, text).casefold())


def _negations(text: str) -> int:
    return len(_NOT.findall(_without_limits_and_reasons(text)))


def _refusals(text: str) -> int:
    return len(_REFUSES.findall(text.casefold()))


CHECKS: tuple[Callable[[TextComparison], Iterator[Doubt]], ...] = (
    figures_are_backed,
    bounds_are_kept,
    rates_are_backed,
    role_is_backed,
    names_are_backed,
    benefit_is_backed,
    figures_are_kept,
    negation_is_kept,
)


# --- what a user says to a doubt


def is_yes(answer: str) -> bool:
    """Whether an answer says yes and nothing else."""
    return answer.strip(" .!\n").casefold() in _known("yes")


def is_no(answer: str) -> bool:
    """Whether an answer says no and nothing else."""
    return answer.strip(" .!\n").casefold() in _known("no")


def stated_in(answers: Mapping[str, str]) -> tuple[str, ...]:
    """What answers state by themselves: not those that only say yes or no."""
    return tuple(answer for answer in answers.values() if not is_yes(answer) and not is_no(answer))
