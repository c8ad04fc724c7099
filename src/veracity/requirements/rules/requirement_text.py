"""A requirement as the rules read it: its language, words, sentences, conditions, benefits, modal verbs and quantities.

What stands in a condition is no demand of the system, and a benefit is a reason, so most rules leave both alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

from veracity.language.detect import has_umlaut, language_by_endings, language_by_letters, language_by_words
from veracity.language.folding import listed
from veracity.language.sentences import sentences
from veracity.requirements.contracts import Kind, Lang, RuleSettings, WordListName
from veracity.requirements.quantities import Span, measures_in, quantities_of, within
from veracity.requirements.rules.phrases import PhraseMatch, RuleWords, TextWord, words_in
from veracity.requirements.rules.quotes import HIDDEN, ignored_in, shadow_of
from veracity.requirements.rules.verbs import binding_modals, weak_modals

_GOES_ON = re.compile(
    r"\n(?![ \t]*(?:\n|$|[-*•+][ \t]|\d{1,3}[.)][ \t]|(?:Given|When|Then|And|But|Gegeben|Angenommen|Wenn|Dann|Und|Aber)\b))|\?(?=\])"
)
"""What ends no sentence: a line that is only wrapped, unless an item of a list or a step of a scenario follows, and an open slot."""
_CONDITION: dict[Lang, frozenset[str]] = {
    "de": listed("wenn falls sobald sofern solange waehrend nachdem bevor"),
    "en": listed("if when whenever while where unless"),
}
_AT_START: dict[Lang, frozenset[str]] = {
    "de": frozenset(),
    "en": listed("once after before upon until"),
}
"""These begin a condition only at the start of a sentence: "at least once" does not."""
_THEN = frozenset(("dann", "then"))
_PAUSE = re.compile(r"[,;:)–—](?!\d)")
_STORY = re.compile(r"(?:[^\n:]{1,40}:)?[^\w\n]{0,10}(?:als|as)\b", re.IGNORECASE)
_WANTS = listed("moechte will wuensche brauche kann muss")
_WANTS_EN = listed("want need would can could wish must should will expect am")
_CRITERIA = re.compile(
    r"\b(?:akzeptanzkriteri|abnahmekriteri|acceptance criteri)|^[ \t]*(?:AC\d*:|[-*•+][ \t]|\d{1,3}[.)][ \t])|"
    r"(?:^|[.;,:\n])[ \t]*(?:given|gegeben|angenommen)\b(?! name)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class MainVerbs:
    """Where the modal verbs of a text begin, those that bind and the others."""

    binding: tuple[int, ...] = ()
    weak: tuple[int, ...] = ()


def language_of(text: str, words: Sequence[TextWord] | None = None) -> Lang:
    """The language of a requirement; English if nothing shows. `words` are its words, where they are known already."""
    return told_language(text, words) or "en"


def told_language(text: str, words: Sequence[TextWord] | None = None) -> Lang | None:
    """The language that a text shows: by its words, then its umlauts, then how the words end, then, for German only, their letters."""
    parts = None if words is None else [part for word in words for part in word.text.split("-")]
    found = language_by_words(text, parts) or ("de" if has_umlaut(text) else language_by_endings(text))
    if found is None and language_by_letters(text) == "de":
        return "de"
    return "de" if found == "de" else "en" if found == "en" else None


def sentences_of(shadow: str) -> tuple[Span, ...]:
    """The sentences of a text; the dot of "z. B." ends none."""
    return tuple((start, end) for start, end in sentences(_GOES_ON.sub(" ", shadow)) if shadow[start:end].strip())


def conditions_in(
    shadow: str,
    words: Sequence[TextWord],
    lang: Lang,
    *,
    sentences: Sequence[Span],
    verbs: MainVerbs,
    escapes: Sequence[int],
) -> tuple[Span, ...]:
    """The conditions of a text; `escapes` is where phrases such as "if possible" begin, which are none."""
    starts = {_first_letter(shadow, span) for span in sentences}
    found: list[Span] = []
    for word in words:
        opens = word.start in starts
        if word.text not in _CONDITION[lang] and not (opens and word.text in _AT_START[lang]):
            continue
        if word.start in escapes or (found and word.start < found[-1][1]):
            continue
        _, end = next((span for span in sentences if span[0] <= word.start < span[1]), (0, len(shadow)))
        found.append((word.start, _end_of(shadow, word, end, words, verbs if opens else MainVerbs())))
    return tuple(found)


def _first_letter(shadow: str, span: Span) -> int:
    start, end = span
    return start + len(shadow[start:end]) - len(shadow[start:end].lstrip(" \t\r\n-*•>"))


def _end_of(shadow: str, opening: TextWord, end: int, words: Sequence[TextWord], verbs: MainVerbs) -> int:
    """Where a condition ends: before "then", at the pause before the main verb, or at the first pause there is."""
    for word in words:
        if opening.end < word.start < end and word.text in _THEN:
            return word.start
    pauses = [pause.start() for pause in _PAUSE.finditer(shadow, opening.end, end)]
    binding, weak = (tuple(at for at in places if opening.end < at < end) for places in (verbs.binding, verbs.weak))
    # "Wenn A, B oder C eintritt, muss ...": in German the main verb follows at once.
    for pause in pauses:
        if any(pause < at and not shadow[pause + 1 : at].strip() for at in (*binding, *weak)):
            return pause
    for at in (*binding, *weak):
        before = [pause for pause in pauses if pause < at]
        if before:
            return before[-1]
    if pauses:
        return pauses[0]
    return min((*binding, *weak), default=end)


_PURPOSE = re.compile(r"um\b[^,.;\n]{1,120}\b\w{0,12}zu\w{0,12}\b[^,.;\n]{0,40},", re.IGNORECASE)
_OPENS_BENEFIT: dict[Lang, frozenset[str]] = {"de": listed("damit um"), "en": listed("so in")}


def benefits_in(
    shadow: str, words: Sequence[TextWord], lang: Lang, sentences: Sequence[Span], *, story: bool
) -> tuple[Span, ...]:
    """The clauses that say what a requirement is good for, each to the end of its sentence."""
    found: list[Span] = []
    for at, word in enumerate(words):
        if word.text not in _OPENS_BENEFIT[lang] or (found and word.start < found[-1][1]):
            continue
        after = words[at + 1].text if at + 1 < len(words) else ""
        # "schnell genug, um in 2 s zu antworten" says how fast, not what for.
        enough = any(other.text == "genug" for other in words[max(0, at - 3) : at])
        opens = _opens_benefit_de(shadow, word, story) if lang == "de" else _opens_benefit_en(word.text, after, story)
        opens = opens and not enough
        if opens:
            start, end = next((span for span in sentences if span[0] <= word.start < span[1]), (0, len(shadow)))
            # "In order to pay, the customer shall ...": what follows the pause is the demand.
            pause = _PAUSE.search(shadow, word.end, end) if word.start == _first_letter(shadow, (start, end)) else None
            found.append((word.start, pause.start() if pause else end))
    return tuple(found)


def _opens_benefit_de(shadow: str, word: TextWord, story: bool) -> bool:
    """Whether "damit" or "um" begins a clause: after a pause or with "zu" at the start; a story may leave the comma out."""
    if word.text == "um" and _PURPOSE.match(shadow, word.start) and not shadow[: word.start].strip():
        return True
    pause = shadow[max(0, word.start - 4) : word.start].rstrip()[-1:] in (",", "-", "–", "—", ";")
    return pause or (story and word.text == "damit")


def _opens_benefit_en(word: str, after: str, story: bool) -> bool:
    if word == "so":
        return after == "that" or (story and after in ("i", "we", "they"))
    return word == "in" and after == "order"


def is_story(shadow: str, words: Sequence[TextWord], lang: Lang) -> bool:
    """Whether a text is a user story: "Als ... möchte ich", "As a ..., I want"."""
    if not _STORY.match(shadow):
        return False
    head = [word.text for word in words[:40]]
    pairs = pairwise(head)
    if lang == "de":
        return any((one in _WANTS and other == "ich") or (one == "ich" and other in _WANTS) for one, other in pairs)
    return "i'd" in head or any(one == "i" and other in _WANTS_EN for one, other in pairs)


def criteria_at(shadow: str) -> int:
    """Where the acceptance criteria of a text begin; its end when it has none."""
    first = shadow.find("\n")
    for found in _CRITERIA.finditer(shadow):
        listed = shadow[found.start() : found.end()].strip(" \t\n")[:1] in "-*•+0123456789"
        if not listed or 0 <= first < found.end():
            return found.start()
    return len(shadow)


# --- a requirement as the rules read it: its words, sentences, clauses, modal verbs and quantities, each worked out once


OPEN_SLOT = re.compile(r"\[[^\[\]\n]{1,80}\?\]")
"""What is to be filled in, as rewrites write it: `[role?]`."""
MOST_CHARACTERS = 5_000
"""What is longer is read so far; a requirement is a few lines."""
_NEAR = 25
"""So many characters from a quantity, a vague word is the name of what is measured: "schnell (höchstens 2 s)"."""
_GHERKIN = re.compile(
    r"^\W{0,4}(?:feature|scenario|scenario outline|background|funktionalität|szenario|szenariogrundriss|grundlage):|"
    r"^\W{0,4}(?:given|gegeben|angenommen)\b(?s:.{0,4000}?)\b(?:then|dann)\b",
    re.IGNORECASE,
)
_EARS: dict[Lang, frozenset[str]] = {
    "de": listed("wenn sobald waehrend solange falls sofern"),
    "en": listed("when while if where"),
}
_FEWEST_WORDS = 5
_AUXILIARIES: dict[Lang, frozenset[str]] = {
    "de": listed("wird werden wurde wurden ist sind war waren hat haben"),
    "en": listed("is are was were has have"),
}
_HARMLESS_LISTS = frozenset(("vague", "vague_context", "comparative", "superlative"))


Found = TypeVar("Found")


@dataclass(frozen=True)
class RequirementText:
    """What one requirement says, as far as rules need it; places are those of its text."""

    text: str
    shadow: str
    """The text with quotations hidden."""
    words: tuple[TextWord, ...]
    lang: Lang
    lexicon: RuleWords
    ignored: frozenset[str]
    settings: RuleSettings
    scenario: bool = False
    """Whether its document says that it is a scenario."""
    slots: tuple[Span, ...] = ()
    """The open slots of a rewrite, `[role?]`; nothing in them is read."""
    _found: dict[WordListName, list[PhraseMatch]] = field(default_factory=dict, repr=False)
    _worked_out: dict[Callable[..., Any], Any] = field(default_factory=dict, repr=False)

    def once(self, work: Callable[[RequirementText], Found]) -> Found:
        """What some work finds in this text; several rules may ask for it."""
        if work not in self._worked_out:
            self._worked_out[work] = work(self)
        found: Found = self._worked_out[work]
        return found

    @cached_property
    def kind(self) -> Kind:
        """How it is written."""
        if self.scenario or _GHERKIN.match(self.shadow):
            return "gherkin"
        if self.is_story:
            return "user_story"
        if (
            not self.has_modal
            and self.size < _FEWEST_WORDS
            and not any(word.text in _AUXILIARIES[self.lang] for word in self.words)
        ):
            return "title"
        if self.words and self.words[0].text in _EARS[self.lang] and self.binding:
            return "ears"
        return "text"

    @cached_property
    def is_story(self) -> bool:
        """Whether it is a user story."""
        return is_story(self.shadow, self.words, self.lang)

    @cached_property
    def is_empty(self) -> bool:
        """Whether there is no word in it, quoted or not."""
        return HIDDEN not in self.shadow and not any(letter.isalpha() for letter in self.shadow)

    @cached_property
    def size(self) -> int:
        """How many words it has, without its acceptance criteria; a quotation is one."""
        return sum(word.start < self.criteria for word in self.words) + len(
            re.findall(f"{HIDDEN}+", self.shadow[: self.criteria])
        )

    @cached_property
    def criteria(self) -> int:
        """Where its acceptance criteria begin; the end of the text when it has none."""
        return criteria_at(self.shadow)

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Its sentences."""
        return sentences_of(self.shadow)

    @cached_property
    def conditions(self) -> tuple[Span, ...]:
        """Its conditions."""
        binding, weak = (tuple(modal.start for modal in modals) for modals in (self.binding, self.weak_anywhere))
        escapes = [match.start for match in self.find("escape")]
        verbs = MainVerbs(binding, weak)
        return conditions_in(self.shadow, self.words, self.lang, sentences=self.sentences, verbs=verbs, escapes=escapes)

    @cached_property
    def benefits(self) -> tuple[Span, ...]:
        """The clauses that say what it is good for."""
        return benefits_in(self.shadow, self.words, self.lang, self.sentences, story=self.is_story)

    @cached_property
    def quantities(self) -> tuple[Span, ...]:
        """Everything that can be measured against."""
        return measures_in(self.shadow, self.lang)

    @cached_property
    def binding(self) -> tuple[PhraseMatch, ...]:
        """The modal verbs that bind, wherever they stand."""
        return binding_modals(
            self._matches("binding_modal"), self.shadow, self.words, self.lang, soll=self.settings.soll_is_binding
        )

    @cached_property
    def weak_anywhere(self) -> tuple[PhraseMatch, ...]:
        """The modal verbs that do not bind, wherever they stand."""
        taken = {modal.start for modal in self.binding}
        soll = not self.settings.soll_is_binding
        found = weak_modals(self._matches("weak_modal"), self.shadow, self.words, self.lang, soll=soll)
        return tuple(modal for modal in found if modal.start not in taken)

    @cached_property
    def modal_starts(self) -> frozenset[int]:
        """Where a modal verb of either sort begins."""
        return frozenset(modal.start for modal in (*self.binding, *self.weak_anywhere))

    @cached_property
    def has_modal(self) -> bool:
        """Whether the main clause has a modal verb, one that binds or one that does not."""
        return any(self.is_demand(place) for place in self.modal_starts)

    @cached_property
    def glossary(self) -> tuple[Span, ...]:
        """The places of terms that the project has defined."""
        return self.lexicon.defined_terms(self.shadow, self.words) if self.lexicon.glossary else ()

    def find(self, name: WordListName) -> list[PhraseMatch]:
        """The words of a list in the text; what the glossary defines is not among them."""
        known = self._found.get(name)
        if known is None:
            known = self._found[name] = self._look_up(name)
        return known

    def _look_up(self, name: WordListName) -> list[PhraseMatch]:
        found = self._matches(name)
        excused = self.glossary if name not in _HARMLESS_LISTS else (*self.glossary, *self._harmless)
        return [match for match in found if not within(match.start, excused)] if excused else found

    def _matches(self, name: str) -> list[PhraseMatch]:
        starts = self._starts.get(name)
        return self.lexicon[name].find(self.shadow, self.words, starts) if starts else []

    @cached_property
    def _harmless(self) -> tuple[Span, ...]:
        return tuple(match.span for match in self._matches("harmless"))

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        return self.lexicon.starts_in(self.words)

    def is_demand(self, place: int) -> bool:
        """Whether a place is outside of conditions and benefits."""
        return not (within(place, self.conditions) or within(place, self.benefits))

    def sentence_at(self, place: int) -> Span:
        """The sentence that a place belongs to."""
        return next((span for span in self.sentences if span[0] <= place < span[1]), (0, len(self.text)))

    def trimmed(self, span: Span) -> Span:
        """A span without the space around it."""
        start, end = span
        part = self.text[start:end]
        return start + len(part) - len(part.lstrip()), start + len(part.rstrip())

    def is_measured(self, span: Span, *, by_time: bool = True) -> bool:
        """Whether a quantity stands near enough to say what these words mean; one of the benefit measures only that.

        A time beside a word that is not about time measures something else, unless it stands in brackets behind it.
        """
        start, end = self.sentence_at(span[0])
        benefit = within(span[0], self.benefits)
        return any(
            start <= place[0] < end
            and place[0] - span[1] <= _NEAR
            and span[0] - place[1] <= _NEAR
            and within(place[0], self.benefits) == benefit
            and (by_time or "(" in self.text[span[1] : place[0]] or not self._is_time(place))
            for place in self.quantities
        )

    def _is_time(self, place: Span) -> bool:
        return any(one.unit == "time" for one in quantities_of(self.shadow[place[0] : place[1]], self.lang))

    def has_time_after(self, place: int) -> bool:
        """Whether a time with its unit follows in the same sentence."""
        _, end = self.sentence_at(place)
        return any(place <= span[0] < end and self._is_time(span) for span in self.quantities)

    def has_quantity(self, sentence: Span) -> bool:
        """Whether a sentence demands anything that can be measured; what holds only in a condition does not count."""
        return any(sentence[0] <= start < sentence[1] and self.is_demand(start) for start, _ in self.quantities)


def read(
    text: str,
    lexicons: dict[Lang, RuleWords],
    settings: RuleSettings,
    *,
    lang: Lang | None = None,
    scenario: bool = False,
) -> RequirementText:
    """The reading of a text; its language is found out unless it is given."""
    text = text[:MOST_CHARACTERS]
    ignored, hidden = ignored_in(text)
    slots = tuple(found.span() for found in OPEN_SLOT.finditer(text)) if "?]" in text else ()
    shadow = shadow_of(text, (*hidden, *slots))
    words = words_in(shadow)
    lang = lang or settings.lang or language_of(text, words)
    return RequirementText(text, shadow, words, lang, lexicons[lang], ignored, settings, scenario, slots)
