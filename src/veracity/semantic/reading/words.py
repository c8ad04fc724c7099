"""Questions cut into words, with everything that these may stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import Self

from veracity.language.folding import Folded, Token, fold, folded_text, is_unspaced, tokens_of, words_in
from veracity.language.periods import periods_of
from veracity.language.stem import noun_root
from veracity.semantic.query import Condition, SemanticQuery, Shown
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.finding_words import SHORTEST_PART, WordFinder
from veracity.semantic.reading.german_words import inflected_values, rows_told_of, value_before, without_meaning
from veracity.semantic.reading.initials import beginning_with, initials_said, is_name_word, matches_said, named_so
from veracity.semantic.reading.joined_phrases import Verb
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Role, RowsPhrase, Stored, WhoPhrase
from veracity.semantic.reading.said_phrases import Phrase, Quoted, SaidPeriod, UnitWish
from veracity.semantic.reading.signs import sign_runs
from veracity.semantic.reading.unsettled import (
    as_things_stand,
    going_on,
    held_then,
    holding_now,
    still_there,
    those_then,
)
from veracity.semantic.reading.values_like_words import as_written, said_in_brackets, values_like_words
from veracity.semantic.reading.word_lists import spans_of
from veracity.semantic.reading.word_senses import (
    Tagged,
    WordSense,
    as_placed,
    behind_verbs,
    bounds_only,
    longest_names,
    said_twice,
    with_spans,
    without_times_in_changes,
)

_MOST_TAGGED = 64
_COMPUTING = frozenset(
    {
        "sum",
        "avg",
        "median",
        "counted",
        "listed",
        "change",
        "growth",
        "month",
        "year",
        "quarter",
        "strongest",
        "weakest",
        "value",
        "share",
    }
)
_GRAINS = frozenset({"day", "week", "month", "quarter", "year"})
_LINKS = ("", "s", "n", "en", "es")
"""What stands between the parts of a compound."""


class WordBook(WordFinder):
    """Cuts questions into words, and finds everything that they may stand for."""

    def tag(self, question: str, *, today: date, locale: str) -> Tagged:
        """The words of a question with everything that they may stand for; the latest are remembered."""
        asked = (question, today, locale)
        if (known := self._tagged.get(asked)) is None:
            if len(self._tagged) >= _MOST_TAGGED:
                self._tagged.clear()
            known = self._tagged[asked] = self._tag(question, today, locale)
        return known

    @cached_property
    def _tagged(self) -> dict[tuple[str, date, str], Tagged]:
        """One question is looked at several times: as a whole, in its parts, in other languages."""
        return {}

    def also(self, word: str, like: str) -> Self:
        book = super().also(word, like)
        book._tagged = {}
        return book

    def defining(self, meanings: Sequence[tuple[str, Phrase]]) -> Self:
        """The same words, and some that a question defines: there they mean nothing else."""
        book = copy(self)
        book._tagged = {}
        book._defined = tuple(meanings)
        return book

    _defined: tuple[tuple[str, Phrase], ...] = ()

    def _with_definitions(
        self, tokens: Sequence[Token], found: list[WordSense]
    ) -> tuple[list[WordSense], frozenset[int]]:
        """What the words may stand for, with those that were defined; and where these are."""
        places: set[int] = set()
        for term, phrase in self._defined:
            for start, end in spans_of(term, [token.text for token in tokens]):
                kept = [one for one in found if one.end <= start or one.start >= end]
                found = [*kept, WordSense(start, end, phrase)]
                places.update(range(start, end))
        return found, frozenset(places)

    def _tag(self, question: str, today: date, locale: str) -> Tagged:
        folded = fold(question)
        text = folded.text
        tokens = tuple(part for token in _tokens(text) for part in self._parts(token))
        found = [
            *self._quoted(question, folded, tokens),
            *self._numbers(text, tokens, locale),
            *self._periods(text, tokens, today),
        ]
        taken = {place for m in found if isinstance(m.phrase, Quoted | Stored) for place in range(m.start, m.end)}
        dated = {place for m in found if isinstance(m.phrase, SaidPeriod) for place in range(m.start, m.end)}
        found += [mention for mention in self._words(tokens) if not taken & set(range(mention.start, mention.end))]
        found = self._with_values_like_words(question, folded, tokens, found)
        if self._compounds:
            found = self._in_german(as_written(question, folded, tokens), found)
        found = [one for one in found if not self._is_somebodys_own(one, tokens) and not bounds_only(one, tokens)]
        found = [one for one in found if not self._is_noun_instead(one, found, tokens, folded, question)]
        for start, end, letters in initials_said([token.text for token in tokens], self.lang):
            if begun := [WordSense(start, end, one) for one in beginning_with(letters, self.model)]:
                found = [*(one for one in found if not start <= one.start < end), *begun]
        found = self._with_text_matches(question, folded, tokens, found)
        stored = [(one.start, one.end, one.phrase) for one in found if isinstance(one.phrase, Stored)]
        for first, end, value in said_in_brackets(text, tokens, stored):
            kept = (one for one in found if one.end <= first or one.start >= end)
            found = [*kept, WordSense(first, end, value)]
        found += self._paired(text, tokens)
        found += self._not_settled(tokens, today)
        found += self._words_apart(tokens, found)
        found += self._spelt_otherwise(text, tokens, found)
        found += self._shared_heads(tokens, found)
        found += self._whose_rows(tokens, found)
        found += self._grains_of_figures(tokens, found, dated)
        found = [self._of_whom(mention, tokens) for mention in longest_names(with_spans(found))]
        found = said_twice(without_times_in_changes(found), tokens)
        found, defined = self._with_definitions(tokens, found)
        skipped = self._skippable(tokens, found) - defined
        if self._compounds:
            read = {place for one in found for place in range(one.start, one.end)}
            skipped |= without_meaning([token.text for token in tokens]) - read
        first = next((place for place in range(len(tokens)) if place not in skipped), 0)
        last = next((place for place in reversed(range(len(tokens))) if place not in skipped), 0) + 1
        commas = {place for place, token in enumerate(tokens) if token.text == ","}
        placed = tuple(as_placed(mention, first, last, commas, today) for mention in map(behind_verbs(found), found))
        return Tagged(question, folded, tokens, placed, skipped)

    def with_who(self, tagged: Tagged) -> Tagged | None:
        """The same question with its first word read as asking for people; nothing where it does not."""
        first = tagged.tokens[0].text if tagged.tokens else ""
        if 0 not in tagged.skipped or first not in self._own.who or not self.persons:
            return None
        who = WordSense(0, 1, WhoPhrase(self.persons))
        return replace(tagged, mentions=(*tagged.mentions, who), skipped=tagged.skipped - {0})

    def asks_who(self, tagged: Tagged) -> bool:
        """Whether people are asked for: a word for it begins the question, or stands anywhere where none joins sentences."""
        texts = [token.text for token in tagged.tokens]
        return not self._own.who.isdisjoint(texts if is_unspaced("".join(self._own.who)) else texts[:1])

    def asks_how_often(self, tagged: Tagged) -> bool:
        """Whether it is asked how many times something happened."""
        return self._says(tagged, "how_often")

    def says_in_total(self, tagged: Tagged) -> bool:
        """Whether what belongs to something is to be added up."""
        return self._says(tagged, "in_total")

    def says_each_apart(self, tagged: Tagged) -> bool:
        """Whether of several times each is asked for: 2023 and 2024 respectively."""
        return self._says(tagged, "each_apart")

    def _says(self, tagged: Tagged, kind: str) -> bool:
        """Whether one of the words of a list is said."""
        said = f" {' '.join(token.text for token in tagged.tokens)} "
        return any(f" {' '.join(words_in(words))} " in said for words in self._said(kind))

    def says_together(self, tagged: Tagged) -> bool:
        """Whether several things are to be added up."""
        return not {token.text for token in tagged.tokens}.isdisjoint(map(folded_text, self._said("together")))

    def counts_what_was_done(self, tagged: Tagged) -> bool:
        """Whether it is asked how many something was done to, not how many different ones."""
        said = [one.phrase for one in tagged.mentions]
        kinds = {one.kind for one in said if isinstance(one, JoiningWord)}
        return "how_many" in kinds and "distinct" not in kinds and any(isinstance(one, Verb) for one in said)

    @property
    def turning(self) -> frozenset[str]:
        """The words between what is asked about and what is said of it: was, were."""
        return frozenset(map(folded_text, self._said("turning")))

    def says_whose_own(self, tagged: Tagged) -> bool:
        """Whether a word says that something belongs to what was named before: their genre."""
        own = set(map(folded_text, self._said("whose_own")))
        return any(token.text in own for token in tagged.tokens)

    def deeds_in(self, tagged: Tagged) -> set[str]:
        """The entities that the verbs of a question tie to each other: who does it, and the rows that say so."""
        steps = (step[:2] for one in tagged.mentions if isinstance(one.phrase, Verb) for step in one.phrase.steps)
        found = (one for start, name in steps for one in self.model.steps[start] if one.name == name)
        return {entity for one in found for entity in (one.start, one.end)}

    def goes_on(self, sentence: str, *, today: date, locale: str) -> bool:
        """Whether a sentence only adds the change from period to period to what was asked before it."""
        tagged = self.tag(sentence, today=today, locale=locale)
        said = [m.phrase for m in tagged.mentions if isinstance(m.phrase, JoiningWord)]
        changes = any(phrase.kind.startswith("change_") for phrase in said)
        return changes and len(said) == len([m for m in tagged.mentions if not isinstance(m.phrase, UnitWish)])

    def own_conditions(self, shown: Shown, where: Collection[Condition]) -> tuple[Condition, ...]:
        """Of conditions those that some word for the figure brings with it."""
        figures = (one for phrases in self._phrases.values() for one in phrases if isinstance(one, FigurePhrase))
        found = [one.where for one in figures if one.shown == (shown,) and all(part in where for part in one.where)]
        return max(found, key=len, default=())

    def guesses_time(self, question: str, today: date) -> bool:
        """Whether a year that nobody said was guessed, or a period is not read as closely as it was said."""
        return any(
            len(one.meanings) == 1 and not (one.sure or one.open_at) for one in periods_of(fold(question).text, today)
        )

    def still_there(self, queries: Sequence[SemanticQuery], tagged: Tagged, today: date) -> tuple[SemanticQuery, ...]:
        """Who works here: all that are stored, or those who have not left; it is asked back where that makes a difference.

        The same of the average of what held from one day to another.
        """
        said = {token.text for token in tagged.tokens}
        if self._says(tagged, "now"):
            return as_things_stand(queries, self._settlings, self.model, today)
        if not said.isdisjoint(self._said("goes_on")):
            queries = going_on(queries, self._settlings, self.model, today)
        if not said.isdisjoint(self._said("works_now")):
            return still_there(queries, self._settlings, today)
        return holding_now(queries, self._settlings, self.model, today)

    def those_then(self, joined: Sequence[SemanticQuery]) -> tuple[SemanticQuery, ...]:
        """People of a time: who was there then, and who joined then."""
        return those_then(joined, self._settlings, self.model)

    def held_then(self, query: SemanticQuery, tagged: Tagged) -> tuple[SemanticQuery, ...]:
        """A salary in 2018: the one that began then, and the one that held then; where the words do not name the date."""
        named = (one.phrase for one in tagged.mentions if isinstance(one.phrase, Attribute))
        dated = any(self.model.things[one.entity].fields[one.field].is_date for one in named)
        return (query,) if dated else held_then(query, self._settlings, self.model)

    def _parts(self, token: Token) -> tuple[Token, ...]:
        """A compound that is not known itself, as the two words that it is made of: Kunden|anzahl, Rechnung(s)|betrag."""
        if not self._compounds or len(token.text) < 2 * SHORTEST_PART or self._knows(token.text):
            return (token,)
        for ordinal in self.operators.get("ordinals") or ():  # zweit|grösste
            prefix = folded_text(ordinal)
            rest = token.text.removeprefix(prefix)
            if rest != token.text and any(isinstance(p, Superlative) for p in self._operator_words.get((rest,), ())):
                place = token.start + len(prefix)
                return (Token(prefix, token.start, place), Token(rest, place, token.end))
        for place in range(SHORTEST_PART, len(token.text) - SHORTEST_PART + 1):
            left, right = token.text[:place], token.text[place:]
            same = noun_root(right) in self._same_words  # Durchschnitts|gehalt, but no Betriebs|aufwand of a company
            if not self._makes_compounds(right) and not same:
                continue
            rows = rows_told_of(self._phrases.get((noun_root(right),), ()), self.model)
            if value := value_before(left, rows, self._stored):  # Einzel|zimmer, Strom|verbrauch
                return (Token(value, token.start, token.start + place), Token(right, token.start + place, token.end))
            firsts = [left.removesuffix(link) for link in _LINKS if left.endswith(link)]
            for first in (*firsts, f"{left}ung"):  # Bestell|betrag: of the Bestellung
                fits = self._computes(first) if same else self._makes_compounds(first)
                if len(first) >= SHORTEST_PART and fits:
                    return (
                        Token(first, token.start, token.start + place),
                        Token(right, token.start + place, token.end),
                    )
        return (token,)

    def _knows(self, word: str) -> bool:
        """Whether a word stands for something by itself."""
        known = (word,) in self._operator_words or (word,) in self._skipped.get(word, ())
        return known or (noun_root(word),) in self._phrases or (word,) in self._stored

    def _makes_compounds(self, word: str) -> bool:
        """Whether a word is one of the data, or one that computes: not `aus` of Ausland."""
        root = noun_root(word)
        return self._computes(word) or ((root,) in self._phrases and root not in self._same_words)

    def _computes(self, word: str) -> bool:
        return any(
            isinstance(phrase, JoiningWord) and phrase.kind in _COMPUTING
            for phrase in self._operator_words.get((word,), ())
        )

    def _with_values_like_words(
        self, question: str, folded: Folded, tokens: Sequence[Token], found: list[WordSense]
    ) -> list[WordSense]:
        """What the words may stand for, where some are written like words of a question and are stored values: status A."""
        fields = {(m.end, m.phrase.entity, m.phrase.field) for m in found if isinstance(m.phrase, Attribute)}
        texts = [token.text for token in tokens]
        nouns = {m.start for m in found if isinstance(m.phrase, RowsPhrase | Attribute)}
        written, after = as_written(question, folded, tokens), {*self._said("in"), *self._said("of")}
        graded = {place for place, text in enumerate(texts) if text in {*self._said("high"), *self._said("low")}}
        begun = {
            (m.start, m.phrase.entity, m.phrase.field)
            for m in found
            if isinstance(m.phrase, Attribute) and m.start - 1 in graded
        }
        told = values_like_words(self._like_words, written, texts, fields=fields, begun=begun, after=after, nouns=nouns)
        values = dict(told)
        kept = [one for one in found if one.end - one.start > 1 or one.start not in values]
        return [
            *kept,
            *(WordSense(place, place + 1, Stored(homes)) for place, homes in values.items()),
            *self._kinds_like_grains(texts, found),
        ]

    def _with_text_matches(
        self, question: str, folded: Folded, tokens: Sequence[Token], found: list[WordSense]
    ) -> list[WordSense]:
        """What the words may stand for, with the texts that fields contain, begin or end with; their name is any one text that rows are called by."""
        for start, end, text in matches_said(question, folded, tokens, self.lang):
            before = [n for n in range(start) if tokens[n].text not in self._skipped]
            ends = {start, before[-1] + 1 if before else 0}  # an email that ends with
            fields = any(isinstance(one.phrase, Attribute) and one.end in ends for one in found)
            named = start > 0 and is_name_word(tokens[start - 1].text, self.lang) and not fields
            if not fields and not named:
                continue  # orders that contain fish
            first = start - 1 if named else start
            kept = [one for one in found if one.end <= first or one.start >= end]
            told = named_so(text, self.model) if named else (text,)
            found = [*kept, *(WordSense(first, end, one) for one in told)]
        return found

    def _in_german(self, written: Sequence[str], found: list[WordSense]) -> list[WordSense]:
        """What the words may stand for, by the small letters and endings of German."""
        small = dict(inflected_values(self._stored, list(map(folded_text, written)), written))
        silent = without_meaning(list(map(folded_text, written)))
        nouns = {(m.start, m.phrase.entity) for m in found if isinstance(m.phrase, RowsPhrase)}
        values = {place for place, homes in small.items() if any((place + 1, home[0]) in nouns for home in homes)}
        fields = [m for m in found if isinstance(m.phrase, Attribute) and m.start in values and m.end == m.start + 1]
        known = {(m.start, home) for m in found if isinstance(m.phrase, Stored) for home in m.phrase.homes}
        more = {place: [home for home in homes if (place, home) not in known] for place, homes in small.items()}
        told = [WordSense(place, place + 1, Stored(tuple(homes))) for place, homes in more.items() if homes]
        return [*(m for m in found if m not in fields and (m.start not in silent or m.end > m.start + 1)), *told]

    def _is_somebodys_own(self, one: WordSense, tokens: Sequence[Token]) -> bool:
        """Whether `own` is no verb: our own products are not just any."""
        word = one.phrase
        verb = isinstance(word, Verb) or (isinstance(word, JoiningWord) and word.owns)
        owns = verb and tokens[one.start].text in self._said("possessed")
        return owns and one.start > 0 and tokens[one.start - 1].text in self._said("possessives")

    def _kinds_like_grains(self, texts: Sequence[str], found: Sequence[WordSense]) -> Iterator[WordSense]:
        """Weekly accounts, a weekly frequency: those that are called weekly, or how many there were in each week."""
        nouns = {(m.start, m.phrase.entity) for m in found if isinstance(m.phrase, RowsPhrase)}
        fields = {(m.start, m.phrase.entity, m.phrase.field) for m in found if isinstance(m.phrase, Attribute)}
        grains = {m.start for m in found if isinstance(m.phrase, JoiningWord) and m.phrase.kind in _GRAINS}
        for place in grains:
            homes = self._like_words.get((texts[place],), ())
            beside = (one for one in homes if (place + 1, one[0]) in nouns or (place + 1, *one[:2]) in fields)
            if meant := tuple(beside):
                yield WordSense(place, place + 1, Stored(meant))

    def _of_whom(self, mention: WordSense, tokens: Sequence[Token]) -> WordSense:
        """A role with `whose` before it."""
        whose = mention.start > 0 and tokens[mention.start - 1].text in self._own.whose
        role = mention.phrase
        return replace(mention, phrase=replace(role, whose=True)) if whose and isinstance(role, Role) else mention

    def _is_noun_instead(
        self, one: WordSense, found: Sequence[WordSense], tokens: Sequence[Token], folded: Folded, question: str
    ) -> bool:
        """Whether a verb is no verb here: Spenden, with a capital or at the start, are donations."""
        if not self._compounds or not isinstance(one.phrase, Verb) or one.end - one.start > 1:
            return False
        place = folded.origin(tokens[one.start].start, tokens[one.start].end)[0]
        capital = question[place : place + 1].isupper()
        return capital and any(
            isinstance(other.phrase, RowsPhrase) and (other.start, other.end) == (one.start, one.end) for other in found
        )


_MARKS = re.compile(r"[,;]")


def _tokens(text: str) -> list[Token]:
    """Words, commas, and signs that stand alone."""
    marks = [Token(",", match.start(), match.end()) for match in _MARKS.finditer(text)]
    marks += [Token(text[start:end], start, end) for start, end in sign_runs(text)]
    return sorted([*tokens_of(text), *marks], key=lambda token: token.start)
