"""A requirement as the rules read it: its words, sentences, clauses, modal verbs and quantities, each worked out once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from veracity.question.folding import listed
from veracity.requirements.contracts import Kind, Lang, RuleSettings, WordListName
from veracity.requirements.rules import clauses
from veracity.requirements.rules.clauses import Span
from veracity.requirements.rules.language import language_of
from veracity.requirements.rules.lexicon import Lexicon
from veracity.requirements.rules.modals import binding_modals, weak_modals
from veracity.requirements.rules.phrases import Match, Word, words_in
from veracity.requirements.rules.quantities import quantities_in, within
from veracity.requirements.rules.quotes import HIDDEN, ignored_in, shadow_of

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


@dataclass(frozen=True)
class Reading:
    """What one requirement says, as far as rules need it; places are those of its text."""

    text: str
    shadow: str
    """The text with quotations hidden."""
    words: tuple[Word, ...]
    lang: Lang
    lexicon: Lexicon
    ignored: frozenset[str]
    settings: RuleSettings
    scenario: bool = False
    """Whether its document says that it is a scenario."""
    _found: dict[WordListName, list[Match]] = field(default_factory=dict, repr=False)

    @cached_property
    def kind(self) -> Kind:
        """How it is written."""
        if self.scenario or _GHERKIN.match(self.shadow):
            return "gherkin"
        if self.is_story:
            return "user_story"
        if not self.has_modal and self.size < _FEWEST_WORDS and not self._vocabulary & _AUXILIARIES[self.lang]:
            return "title"
        if self.words and self.words[0].text in _EARS[self.lang] and self.binding:
            return "ears"
        return "text"

    @cached_property
    def is_story(self) -> bool:
        """Whether it is a user story."""
        return clauses.is_story(self.shadow, self.words, self.lang)

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
        return clauses.criteria_at(self.shadow)

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Its sentences."""
        return clauses.sentences_of(self.shadow)

    @cached_property
    def conditions(self) -> tuple[Span, ...]:
        """Its conditions."""
        binding, weak = (tuple(modal.start for modal in modals) for modals in (self.binding, self.weak_anywhere))
        escapes = [match.start for match in self.find("escape")]
        verbs = clauses.MainVerbs(binding, weak)
        return clauses.conditions_in(
            self.shadow, self.words, self.lang, sentences=self.sentences, verbs=verbs, escapes=escapes
        )

    @cached_property
    def benefits(self) -> tuple[Span, ...]:
        """The clauses that say what it is good for."""
        return clauses.benefits_in(self.shadow, self.words, self.lang, self.sentences, story=self.is_story)

    @cached_property
    def quantities(self) -> tuple[Span, ...]:
        """Everything that can be measured against."""
        return quantities_in(self.shadow)

    @cached_property
    def binding(self) -> tuple[Match, ...]:
        """The modal verbs that bind, wherever they stand."""
        return binding_modals(self.shadow, self.words, self.lang, self.lexicon, soll=self.settings.soll_is_binding)

    @cached_property
    def weak_anywhere(self) -> tuple[Match, ...]:
        """The modal verbs that do not bind, wherever they stand."""
        taken = {modal.start for modal in self.binding}
        soll = not self.settings.soll_is_binding
        found = weak_modals(self.shadow, self.words, self.lang, self.lexicon, soll=soll)
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

    def find(self, name: WordListName) -> list[Match]:
        """The words of a list in the text; what the glossary defines is not among them."""
        known = self._found.get(name)
        if known is None:
            known = self._found[name] = self._look_up(name)
        return known

    def _look_up(self, name: WordListName) -> list[Match]:
        phrases = self.lexicon[name]
        if not phrases.may_be_in(self._vocabulary):
            return []
        found = phrases.find(self.shadow, self.words)
        excused = self.glossary if name not in _HARMLESS_LISTS else (*self.glossary, *self._harmless)
        return [match for match in found if not within(match.start, excused)] if excused else found

    @cached_property
    def _harmless(self) -> tuple[Span, ...]:
        return tuple((match.start, match.end) for match in self.lexicon.harmless.find(self.shadow, self.words))

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset(word.text for word in self.words)

    def is_demand(self, place: int) -> bool:
        """Whether a place is outside of conditions and benefits."""
        return not within(place, self.conditions) and not within(place, self.benefits)

    def sentence_at(self, place: int) -> Span:
        """The sentence that a place belongs to."""
        return next((span for span in self.sentences if span[0] <= place < span[1]), (0, len(self.text)))

    def trimmed(self, span: Span) -> Span:
        """A span without the space around it."""
        start, end = span
        part = self.text[start:end]
        return start + len(part) - len(part.lstrip()), start + len(part.rstrip())

    def is_measured(self, span: Span) -> bool:
        """Whether a quantity stands near enough to say what these words mean; one of the benefit measures only that."""
        start, end = self.sentence_at(span[0])
        benefit = within(span[0], self.benefits)
        return any(
            start <= place[0] < end
            and place[0] - span[1] <= _NEAR
            and span[0] - place[1] <= _NEAR
            and within(place[0], self.benefits) == benefit
            for place in self.quantities
        )

    def has_quantity(self, sentence: Span) -> bool:
        """Whether a sentence demands anything that can be measured; what holds only in a condition does not count."""
        return any(sentence[0] <= start < sentence[1] and self.is_demand(start) for start, _ in self.quantities)


def read(
    text: str,
    lexicons: dict[Lang, Lexicon],
    settings: RuleSettings,
    *,
    lang: Lang | None = None,
    scenario: bool = False,
) -> Reading:
    """The reading of a text; its language is found out unless it is given."""
    text = text[:MOST_CHARACTERS]
    ignored, hidden = ignored_in(text)
    shadow = shadow_of(text, hidden)
    words = words_in(shadow)
    lang = lang or settings.lang or language_of(text, words)
    return Reading(text, shadow, words, lang, lexicons[lang], ignored, settings, scenario)
