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
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Literal

from veracity.answer.render import MULTIPLES, list_items
from veracity.language.number_words import words_in
from veracity.language.numbers import Figure, find_figures, locale_of
from veracity.requirements.contracts import Lang

DoubtKind = Literal["figure", "bound", "rate", "role", "name", "benefit", "dropped", "negation"]
_Bound = Literal["upper", "lower"] | None
LONGEST = 8_000
"""Characters of a requirement or a rewrite that are compared; longer ones are not rewritten."""

SLOT = re.compile(r"\[[^\[\]\n]{1,80}\?\]")
"""A place that somebody still has to fill in: `[Rolle?]`."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something in a rewrite that nothing backs, or that a rewrite has lost."""

    kind: DoubtKind
    what: str
    """The words in question, as they are written."""


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A number with its unit, made comparable: 2000 ms is 2 s."""

    values: frozenset[Decimal]
    dimension: str | None
    """None: no unit follows; `noun`: a word that is no unit, such as "attempts"; `label`: it only names, as in "version 2"."""
    bound: _Bound
    text: str
    key: str = ""
    """For dates, times and labels: what is compared instead of a value."""
    noun: str = ""
    """What is counted, without its ending."""

    @property
    def names(self) -> Iterable[Decimal | str]:
        """What it is found by."""
        return (self.key,) if self.key else self.values


class _Figures:
    """The figures of a text, found by what they say."""

    def __init__(self, text: str, quantities: Iterable[_Quantity]) -> None:
        self._compact = _compact(text)
        self._known: defaultdict[Decimal | str, set[tuple[str | None, _Bound]]] = defaultdict(set)
        self._counted: defaultdict[Decimal | str, set[str]] = defaultdict(set)
        for one in quantities:
            for name in one.names:
                self._known[name].add((one.dimension, one.bound))
                self._counted[name].add(one.noun)

    def bounds(self, wanted: _Quantity) -> set[_Bound]:
        """The sides that the same figure bounds here, None where it bounds neither; nothing where it is not said."""
        return {
            bound
            for name in wanted.names
            for dimension, bound in self._known.get(name, ())
            if dimension == wanted.dimension or dimension is None or wanted.dimension is None
        }

    def has(self, wanted: _Quantity) -> bool:
        """Whether it is said, perhaps written apart: ISO-27001 and ISO 27001."""
        return bool(self.bounds(wanted)) or (bool(wanted.key) and self._spells(wanted.key))

    def is_of_another(self, wanted: _Quantity) -> bool:
        """Whether what it counts is counted here, but with other figures, and the figure counts other things only."""
        counted = {noun for name in wanted.names for noun in self._counted.get(name, ())}
        others = {noun for nouns in self._counted.values() for noun in nouns}
        return bool(wanted.noun and counted) and "" not in counted and wanted.noun in others - counted

    def _spells(self, key: str) -> bool:
        at = self._compact.find(key)
        if at < 0:
            return False
        before, after = self._compact[max(0, at - 1) : at], self._compact[at + len(key) : at + len(key) + 1]
        return not (before.isdigit() and key[0].isdigit()) and not (after.isdigit() and key[-1].isdigit())


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
    def figures(self) -> tuple[_Quantity, ...]:
        """The figures of the rewrite."""
        return _quantities(self.said, self.lang)

    @cached_property
    def stated(self) -> _Figures:
        """The figures that were stated; answers may come in either language."""
        own = _quantities("\n".join((_blanked(_OWN_ID, self.original), *self.glossary, *self.answers)), self.lang)
        other: Lang = "en" if self.lang == "de" else "de"
        return _Figures(self.material, (*own, *_quantities("\n".join(self.answers), other)))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words that were stated, without their endings."""
        return frozenset(_stem(word) for word in _WORD.findall(self.material))

    def knows(self, phrase: str) -> bool:
        """Whether every telling word of a phrase was stated."""
        words = [_stem(word) for word in _WORD.findall(phrase)]
        telling = [word for word in words if word not in _FILLERS]
        return bool(telling) and all(word in self.stems for word in telling)


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
    """A figure must be stated, in its unit or in one that it converts to, and for what it counts now."""
    for quantity in case.figures:
        if not case.stated.has(quantity) or case.stated.is_of_another(quantity):
            yield Doubt("figure", quantity.text)
    yield from _hidden_ones(case)
    known = "".join((case.material, *(quantity.text for quantity in case.figures)))
    for match in _OTHER_NUMERALS.finditer(case.said):
        if match.group() not in known:
            yield Doubt("figure", match.group())


def _hidden_ones(case: TextComparison) -> Iterator[Doubt]:
    """A span of time that only has an article, and that was stated neither as a figure nor as a rate."""
    material = case.material.casefold()
    spans = {_span_of(match[1]) for match in _ONE.finditer(material)} | _rates_of(material)
    for match in _ONE.finditer(case.said.casefold()):
        unit = _UNITS[match[1]]
        one = _Quantity(frozenset({unit[1]}), unit[0], None, "")
        if _span_of(match[1]) not in spans and not case.stated.has(one):
            yield Doubt("figure", case.said[match.start() : match.end()])


def bounds_are_kept(case: TextComparison) -> Iterator[Doubt]:
    """A limit may not be turned round."""
    for quantity in case.figures:
        stated = case.stated.bounds(quantity) - {None}
        if quantity.bound and stated and quantity.bound not in stated:
            yield Doubt("bound", quantity.text)


def figures_are_kept(case: TextComparison) -> Iterator[Doubt]:
    """What the requirement says in figures, its rewrite says, too; its own number is none of them."""
    text = _blanked(SLOT, _blanked(_OWN_ID, case.original))
    left = _Figures(case.rewrite, _quantities(case.rewrite, case.lang))  # one in the name of a slot is not lost
    for quantity in _quantities(text, case.lang):
        if not left.has(quantity):
            yield Doubt("dropped", quantity.text)


_OWN_ID = re.compile(
    r"^\s{0,8}[\[(][0-9]{1,8}[\])]|^\s{0,8}[\[(]?[A-Za-z]{1,12}[-_ ]?[0-9]{1,8}(?:[.-][0-9]{1,8}){0,4}[\])]?\s{0,3}[:.)-]"
)
_UNIT = re.compile(r"[ \u00a0\u202f-]{0,2}([^\W\d_]{1,24}|[%‰€$°µ][A-Za-z]?)")
_GLUED = re.compile(r"([0-9]{1,12}(?:[.,][0-9]{1,6})?)-?([^\W\d_]{1,24}|[%‰€$°])(?:-\S{0,60})?")
_CONNECTS = re.compile(r"[ \u00a0]{0,2}(?:bis|und|oder|to|and|or|[-–/,])[ \u00a0]{0,2}")
_LABEL = re.compile(
    r"(?<![^\W_])(?:version|release|kapitel|abschnitt|section|chapter|level|stufe|phase|tabelle|table|abbildung|figure|anlage|anhang|"
    r"appendix|annex|schritt|step|nr\.?|no\.|nummer|number|artikel|article|§)[ \u00a0]{0,2}$",
    re.IGNORECASE,
)
_OTHER_NUMERALS = re.compile(r"[〇零一二两三四五六七八九十百千万亿]{1,12}")
_TIME, _LENGTH, _SIZE, _MONTHS = "time", "length", "size", "months"
_UNITS: dict[str, tuple[str, Decimal]] = {
    **dict.fromkeys(("µs", "us", "mikrosekunde", "mikrosekunden", "microsecond", "microseconds"), (_TIME, Decimal("1e-6"))),
    **dict.fromkeys(("ms", "msec", "millisekunde", "millisekunden", "millisecond", "milliseconds"), (_TIME, Decimal("1e-3"))),
    **dict.fromkeys(("s", "sek", "sec", "secs", "sekunde", "sekunden", "second", "seconds"), (_TIME, Decimal(1))),
    **dict.fromkeys(("min", "mins", "minute", "minuten", "minutes"), (_TIME, Decimal(60))),
    **dict.fromkeys(("h", "std", "stunde", "stunden", "hour", "hours"), (_TIME, Decimal(3_600))),
    **dict.fromkeys(("tag", "tage", "tagen", "tages", "day", "days"), (_TIME, Decimal(86_400))),
    **dict.fromkeys(("woche", "wochen", "week", "weeks"), (_TIME, Decimal(604_800))),
    **dict.fromkeys(("monat", "monats", "monate", "monaten", "month", "months"), (_MONTHS, Decimal(1))),
    **dict.fromkeys(("jahr", "jahre", "jahren", "jahres", "year", "years"), (_MONTHS, Decimal(12))),
    **dict.fromkeys(("%", "prozent", "percent"), ("%", Decimal(1))),
    **dict.fromkeys(("b", "byte", "bytes"), (_SIZE, Decimal(1))),
    "kb": (_SIZE, Decimal(10**3)), "mb": (_SIZE, Decimal(10**6)), "gb": (_SIZE, Decimal(10**9)), "tb": (_SIZE, Decimal(10**12)),
    "kib": (_SIZE, Decimal(2**10)), "mib": (_SIZE, Decimal(2**20)), "gib": (_SIZE, Decimal(2**30)),
    "mm": (_LENGTH, Decimal("1e-3")), "cm": (_LENGTH, Decimal("1e-2")), "m": (_LENGTH, Decimal(1)), "km": (_LENGTH, Decimal(1_000)),
    **dict.fromkeys(("meter", "metern", "metre", "metres", "meters"), (_LENGTH, Decimal(1))),
    **dict.fromkeys(("€", "eur", "euro", "euros"), ("€", Decimal(1))),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), ("$", Decimal(1))),
    "hz": ("hz", Decimal(1)), "khz": ("hz", Decimal(10**3)), "mhz": ("hz", Decimal(10**6)), "ghz": ("hz", Decimal(10**9)),
    "g": ("g", Decimal(1)), "kg": ("g", Decimal(1_000)), "w": ("w", Decimal(1)), "kw": ("w", Decimal(1_000)),
    "v": ("v", Decimal(1)), "a": ("a", Decimal(1)), "fps": ("fps", Decimal(1)), "dpi": ("dpi", Decimal(1)),
    **dict.fromkeys(("px", "pixel", "pixels", "pixeln"), ("px", Decimal(1))),
}  # fmt: skip


_ONE = re.compile(
    r"(?<![^\W_])(?:eine[rmns]?|ein|an?)[ \u00a0](?:einzige[rsnm]? |single )?(millisekunde|sekunde|minute|stunde|tage?s?|woche|monats?|"
    r"jahr(?:es)?|millisecond|second|minute|hour|day|week|month|year)(?![^\W_])"
    # "A second factor" is no time.
    r"(?!(?<=second) (?!(?:after|or|and|at|on|in|per|when|from|to|under|with|for|of|if|while|by|until)\b)[^\W\d_])"
)
"""A figure that an article hides: "within a second"."""


def _span_of(unit: str) -> str:
    """How long a unit of time is, whatever the language that names it."""
    return "{}{}".format(*_UNITS[unit])


def _quantities(text: str, lang: Lang) -> tuple[_Quantity, ...]:
    """The figures of a text, each with its unit and the side that it bounds; numbers of list items are none."""
    items = list_items(text)
    found = [figure for figure in find_figures(text, locale_of(lang)) if figure.start not in items]
    made: list[_Quantity] = []
    unit_after: tuple[str, Decimal] | None = None
    for number in range(len(found) - 1, -1, -1):
        figure, unit_before = found[number], unit_after
        following = found[number + 1].start if number + 1 < len(found) else len(text)
        # In "2 bis 5 Sekunden", the unit is that of both.
        shared = _CONNECTS.fullmatch(text[figure.end : following]) is not None
        quantity, unit_after = _quantity(figure, text, unit_before if shared else None)
        made.append(quantity)
    return tuple(reversed(made))


def _quantity(
    figure: Figure, text: str, shared: tuple[str, Decimal] | None
) -> tuple[_Quantity, tuple[str, Decimal] | None]:
    before = text[max(0, figure.start - _WINDOW) : figure.start]
    bound = _bound(before)
    if figure.kind in ("date", "time"):
        key = "|".join(day.isoformat() for day in figure.dates) or figure.text
        return _Quantity(frozenset(), None, bound, figure.text, key), None
    if figure.kind == "label":
        return _labelled(figure.text, bound)
    match = _UNIT.match(text, figure.end)
    word = match.group(1).casefold() if match else ""
    unit = ("%", Decimal(1)) if figure.percent else shared or _UNITS.get(word)
    end = match.end() if match and unit is not None and _UNITS.get(word) == unit else figure.end
    bound = _bound_after(text[end : end + _WINDOW]) or bound
    if unit is None and _LABEL.search(before):
        return _Quantity(frozenset(figure.readings), "label", bound, figure.text), None
    if unit is None:
        noun = _stem(word) if word and word not in _FILLERS else ""
        kind = "noun" if noun else None
        return _Quantity(frozenset(figure.readings), kind, bound, figure.text, noun=noun), None
    values = frozenset(reading * unit[1] for reading in figure.readings)
    return _Quantity(values, unit[0], bound, text[figure.start : end].strip()), unit


def _labelled(text: str, bound: _Bound) -> tuple[_Quantity, tuple[str, Decimal] | None]:
    """A number with letters glued to it: 2s is a quantity, P95 is a name."""
    glued = _GLUED.fullmatch(text.casefold())
    unit = _UNITS.get(glued[2]) if glued else None
    if glued is None or unit is None:
        return _Quantity(frozenset(), None, bound, text, _compact(text)), None
    try:
        value = Decimal(glued[1].replace(",", "."))
    except InvalidOperation:  # digits of another script
        return _Quantity(frozenset(), None, bound, text, _compact(text)), None
    return _Quantity(frozenset({value * unit[1]}), unit[0], bound, text), unit


def _compact(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


_WINDOW = 32
_BOUND = re.compile(
    r"(?P<upper>nicht (?:mehr|länger|grö(?:ß|ss)er|höher) als|no(?:t)? (?:more|longer|later|greater|higher) than|(?:not|never) exceed\w{0,3})"
    r"|(?P<lower>nicht (?:weniger|kürzer|kleiner) als|no(?:t)? (?:less|fewer|lower|earlier) than)"
    r"|(?P<upper2><=?|≤|höchstens|maximal|max\b|unter\b|weniger als|kleiner|kürzer|innerhalb|binnen|bis\b|spätestens|"
    r"at most|less than|fewer than|under\b|below|within|up to|maximum)"
    r"|(?P<lower2>>=?|≥|mindestens|wenigstens|minimal|min\.|mehr als|ab\b|über\b|länger als|grö(?:ß|ss)er|"
    r"at least|more than|over\b|above|greater than|minimum|exceed\w{0,3}|no(?:t)? (?:faster|sooner|shorter) than)"
)
_BOUND_AFTER = re.compile(
    r"[^.;,\n0-9]{0,20}?\b(?:(?P<upper>nicht (?:über\w{4,12})|not be exceeded|oder (?:weniger|kürzer|kleiner|schneller)|"
    r"or (?:less|fewer|shorter|faster))"
    r"|(?P<lower>nicht unter\w{4,12}|oder (?:mehr|länger|grö(?:ß|ss)er|höher|langsamer)|or (?:more|longer|greater|higher|slower)|"
    r"über(?:schreit|steig|schritt|stieg)\w{0,3}))"
    r"|(?P<below>[^.;,\n0-9]{0,20}?\bunterschr(?:eit|itt)\w{0,3})"
)


def _bound(before: str) -> _Bound:
    """The side that the words before a figure bound; another figure in between ends its reach."""
    near = re.split(r"[0-9;\n]|[.,] ", before.casefold())[-1]
    found = list(_BOUND.finditer(near))
    if not found:
        return None
    return "upper" if found[-1]["upper"] or found[-1]["upper2"] else "lower"


def _bound_after(after: str) -> _Bound:
    """The side that the words behind a figure bound: "5 s or more", "5 s nicht überschreiten"."""
    found = _BOUND_AFTER.match(after.casefold())
    if found is None:
        return None
    return "lower" if found["lower"] else "upper"


# --- rates

_RATES: dict[str, tuple[str, ...]] = {
    "second": ("sekündlich",),
    "minute": ("minütlich",),
    "hour": ("stündlich", "hourly"),
    "day": ("täglich", "daily"),
    "week": ("wöchentlich", "weekly"),
    "month": ("monatlich", "monthly"),
    "quarter": ("vierteljährlich", "quartalsweise", "quarterly"),
    "year": ("jährlich", "yearly", "annually", "annual"),
    "night": ("nächtlich", "nightly", "nachts"),
    "always": ("rund um die uhr", "around the clock"),
    "midnight": ("um mitternacht", "bis mitternacht", "midnight"),
    "noon": ("um mittag", "bis mittag", "noon"),
}
_RATE = re.compile(
    r"(?<![^\W_])(" + "|".join(word for words in _RATES.values() for word in words) + r")(?:e[rsnm]?)?(?![^\W_])"
)
_RATE_OF = {word: rate for rate, words in _RATES.items() for word in words}
_EACH = re.compile(
    r"(?<![^\W_])(?:every|each|per|pro|je|jede[rsnm]?) (sekunde|minute|stunde|tag|woche|monat|jahr|second|minute|hour|day|week|month|year)"
    r"(?![^\W_])"
    r"|(?<=[^\W_])[ ]?/[ ]?(ms|s|sek|sec|min|h|tag|day)(?![^\W_])"
)


def _rates_of(text: str) -> set[str]:
    """How often anything happens in a text in small letters: as a span of time, or as a word for a moment."""
    named = (_RATE_OF[match[1]] for match in _RATE.finditer(text))
    spans = (_span_of(match[1] or match[2]) for match in _EACH.finditer(text))
    return {*(_span_of(rate) if rate in _UNITS else rate for rate in named), *spans}


def rates_are_backed(case: TextComparison) -> Iterator[Doubt]:
    """How often something happens is a figure in words."""
    material, said = case.material.casefold(), case.said.casefold()
    stated = _rates_of(material) | {_span_of(match[1]) for match in _ONE.finditer(material)}
    for pattern in (_RATE, _EACH):
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
_ENDINGS = ("innen", "ern", "en", "er", "es", "em", "in", "n", "s", "e")
_SAME_ROLE = {
    "benutz": "nutz", "anwend": "nutz", "user": "nutz", "use": "nutz", "administrator": "admin", "customer": "kund", "buyer": "käufer",
    "developer": "entwickl", "operator": "bedien", "guest": "gast", "patient": "patient", "employee": "mitarbeit",
}  # fmt: skip


def _stem(word: str) -> str:
    """A word without its ending; words for the same people count as one."""
    plain = word.casefold()
    ending = next((one for one in _ENDINGS if plain.endswith(one) and len(plain) - len(one) >= 4), "")
    stem = plain.removesuffix(ending) if ending else plain
    return _SAME_ROLE.get(plain) or _SAME_ROLE.get(stem, stem)


# Words that tell nothing of what was stated, as `_stem` leaves them.
_FILLERS = frozenset(
    words_in(
        "der die das den dem des ein eine einen einem einer eines und oder mit von zu zum zur im in am an auf bei "
        "für als ich wir sie er es mein meine meinen kann könn möchte muss soll wird werd ist sind sein hab hat "
        "nicht mehr auch nur so dass damit um ohne immer jederzeit bis pro the a an and or with of to for on at by "
        "as i we they it my our can could want must shall will be is are have has not more also only that so able "
        "always per jed alle all each every dies this these nach dieser"
    )
)


_PEOPLE = re.compile(
    r"(?<![\w-])(?:(?:system|netzwerk|datenbank)?administrator(?:in|en|innen|s)?|admins?|manager(?:in|s|n)?|kunde[ns]?|kundin(?:nen)?|"
    r"customers?|mitarbeiter(?:in|n|innen)?|employees?|operators?|sachbearbeiter(?:in|n|innen)?|clerks?|prüfer(?:in|n|innen)?|auditors?|"
    r"entwickler(?:in|n|innen)?|developers?|moderator(?:en|s)?|redakteure?n?|editors?|patient(?:en|s)?|ärzte?n?|arzt|doctors?|nurses?|"
    r"lehrer(?:in|n|innen)?|teachers?|students?|schüler(?:in|n|innen)?|gäste?n?|gast|guests?|besucher(?:in|n|innen)?|visitors?|"
    r"käufer(?:in|n|innen)?|buyers?|verkäufer(?:in|n|innen)?|sellers?|supervisors?|vorgesetzte[rnm]?)(?![\w-])",
    re.IGNORECASE,
)
"""Those whom a text may name without "As a ..."; anybody who uses a system is its user."""


def role_is_backed(case: TextComparison) -> Iterator[Doubt]:
    """Who wants it, or does it, must have been said."""
    for match in ROLE.finditer(case.said):
        role = (match["de"] or match["en"]).strip()
        if role and not case.knows(role):
            yield Doubt("role", role)
    rest = _blanked(BENEFIT, _blanked(ROLE, case.said))
    for match in _PEOPLE.finditer(rest):
        if not case.knows(match.group()):
            yield Doubt("role", match.group())


def benefit_is_backed(case: TextComparison) -> Iterator[Doubt]:
    """What it is good for must have been said, at least for the most part."""
    for match in BENEFIT.finditer(case.said):
        words = [stem for word in _WORD.findall(match["why"]) if (stem := _stem(word)) not in _FILLERS]
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
_KEYWORDS = frozenset(
    words_in(
        "GIVEN WHEN THEN AND BUT OR NOT MUST SHALL SHOULD MAY ANGENOMMEN WENN DANN UND ODER NICHT MUSS SOLL DARF OK ID"
    )
)
_ORDINARY = frozenset(words_in("Given When Then And But If While Where Once Upon After Before System The"))
_KNOWN = frozenset(
    words_in(
        "chrome firefox safari edge opera android windows linux ubuntu debian macintosh iphone ipad google "
        "microsoft apple amazon azure oracle mysql sqlite redis kafka docker kubernetes excel outlook slack jira "
        "github gitlab jenkins java python angular react kerberos shibboleth keycloak stripe paypal visa "
        "mastercard klarna twilio salesforce sharepoint whatsapp telegram facebook instagram twitter linkedin "
        "youtube bluetooth berlin hamburg münchen köln frankfurt zürich wien bern europa germany deutschland "
        "schweiz österreich switzerland austria usa "
        "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag "
        "januar februar märz april mai juni juli august september oktober november dezember"
    )
)


def names_are_backed(case: TextComparison) -> Iterator[Doubt]:
    """Products, standards, abbreviations, addresses and quoted words must have been said.

    German writes every noun with a capital, so that there only known names, abbreviations and the like can be told.
    """
    for match in _NAME.finditer(case.said):
        name = match.group().strip('„“”"«»‚‘’ ')
        if _is_name(match, case) and not _was_said(name, case):
            yield Doubt("name", name)


def _is_name(match: re.Match[str], case: TextComparison) -> bool:
    if match["mixed"]:
        return match["mixed"] not in _KEYWORDS and not any(ch.isdigit() for ch in match["mixed"])
    if not match["capital"]:
        return True
    if match["capital"].casefold() in _KNOWN:
        return True
    starts = not case.said[: match.start()].rstrip(" \t\"'„“(*-") or bool(
        re.search(r"[.!?:|\n][\s\"'„“(*-]{0,6}$", case.said[max(0, match.start() - 8) : match.start()])
    )
    return case.lang == "en" and not starts and match["capital"] not in _ORDINARY


def _was_said(name: str, case: TextComparison) -> bool:
    if name.casefold() in case.material.casefold():
        return True
    return case.knows(name)


# --- negation

_NOT = re.compile(
    r"(?<![^\W_])(?:nicht|kein\w{0,2}|nie|niemals|niemand\w{0,2}|nichts|weder|keinesfalls|ohne|not|never|cannot|no|without|none|neither|nobody|nothing)(?![^\W_])|n['’]t\b"
)
_LIMITS = re.compile(r"nicht (?:überschreite|übersteige|unterschreite|überschritten|unterschritten)\w?|not be exceeded")
_REFUSES = re.compile(
    r"verweiger|ablehn|abweis|lehnt|verhinder|unterbind|blockier|sperr|untersag|verbiet|verbot|ausgeschlossen|"
    r"prevent|den(?:y|ie)|reject|refus|block|prohibit|forbid|disallow"
)


def negation_is_kept(case: TextComparison) -> Iterator[Doubt]:
    """What must not be is not what must be. "Not more than" is a limit, and reasons may say "not" as they like."""
    before, after = _negations(case.original), _negations(case.said)
    if before == after:
        yield from _freed(case)
        return
    lost, added = before - after, _refusals(case.said) - _refusals(case.original)
    # "Must not open" may become "must refuse to open", once for each; an answer may bring its own.
    if lost == added or (lost < 0 and -lost <= sum(map(_negations, case.answers)) - min(added, 0)):
        return
    text = _plain(case.original if lost > 0 else case.said)
    match = _NOT.search(text)
    if match is not None:
        yield Doubt("negation", text[match.start() : match.end()])


def _freed(case: TextComparison) -> Iterator[Doubt]:
    """What must not be, and now stands in sentences that deny nothing: the "not" went elsewhere."""
    original = _plain(case.original)
    denying, free = set[str](), set[str]()
    for sentence in re.split(r"[.;!?\n]\s", _plain(case.said)):
        denies = _NOT.search(sentence) or _REFUSES.search(sentence)
        (denying if denies else free).update(map(_stem, _WORD.findall(sentence)))
    for match in _NOT.finditer(original):
        words = map(_stem, _WORD.findall(original[match.end() : match.end() + 80]))
        denied = next((word for word in words if word not in _FILLERS), None)
        if denied in free - denying:
            yield Doubt("negation", match.group())


def _plain(text: str) -> str:
    """A text in small letters, with blanks for limits and for reasons."""
    return _blanked(_LIMITS, _blanked(_BOUND, _blanked(BENEFIT, text).casefold()))


def _negations(text: str) -> int:
    return len(_NOT.findall(_plain(text)))


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

_YES = frozenset(
    words_in("ja j yes y ok okay korrekt richtig stimmt genau passt einverstanden correct right sure agreed true")
)
_NO = frozenset(words_in("nein n no falsch wrong incorrect nicht false"))


def is_yes(answer: str) -> bool:
    """Whether an answer says yes and nothing else."""
    return answer.strip(" .!\n").casefold() in _YES


def is_no(answer: str) -> bool:
    """Whether an answer says no and nothing else."""
    return answer.strip(" .!\n").casefold() in _NO


def stated_in(answers: Mapping[str, str]) -> tuple[str, ...]:
    """What answers state by themselves: not those that only say yes or no."""
    return tuple(answer for answer in answers.values() if not is_yes(answer) and not is_no(answer))
