"""Questions cut into words, with everything that these may stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Self

from veracity.language.folding import Folded, Token, fold, folded_text, is_unspaced, tokens_of, words_in
from veracity.language.number_words import find_ordinals
from veracity.language.periods import Period, periods_of
from veracity.language.stem import noun_root, stem_of
from veracity.language.units import quantities, unit_called, units
from veracity.semantic.query import Condition, SemanticQuery, Shown
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.german_words import inflected_values, rows_told_of, value_before, without_meaning
from veracity.semantic.reading.initials import beginning_with, initials_said, is_name_word, matches_said, named_so
from veracity.semantic.reading.known_phrases import KnownPhrases
from veracity.semantic.reading.paired_forms import paired_forms
from veracity.semantic.reading.phrase_book import without_article
from veracity.semantic.reading.phrases import (
    AgeBound,
    Attribute,
    CameAbout,
    Comparative,
    FigurePhrase,
    JoiningWord,
    Role,
    RowsPhrase,
    RowState,
    Stored,
    Superlative,
    Verb,
    WhoPhrase,
    WhoseRows,
)
from veracity.semantic.reading.row_pairs import done_dates
from veracity.semantic.reading.said_phrases import DaysOfWeek, Phrase, Quoted, SaidNumber, SaidPeriod, UnitWish
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
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for, spans_of

_SHORTEST_PART = 3
_MOST_PARTS = 3
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
_QUOTED = re.compile(r"""["“”„«»‟]([^"“”„«»‟]{1,200})["“”„«»‟]|(?<!\w)'([^']{1,200})'(?!\w)|「([^」]{1,200})」""")


@dataclass(frozen=True, slots=True)
class WordSense:
    """Words of a question and what they may stand for."""

    start: int
    end: int
    phrase: Phrase
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A question cut into words, with everything that they may stand for."""

    question: str
    folded: Folded
    tokens: tuple[Token, ...]
    mentions: tuple[WordSense, ...]
    skipped: frozenset[int]
    """The words that hold the sentence together and change nothing."""

    def said(self, start: int, end: int) -> str:
        """Some words as they were written."""
        first, last = self.folded.origin(self.tokens[start].start, self.tokens[end - 1].end)
        return self.question[first:last]


class WordBook(KnownPhrases):
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
        found = [one for one in found if not self._is_somebodys_own(one, tokens) and not _bounds_only(one, tokens)]
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
        found = [self._of_whom(mention, tokens) for mention in _longest_names(_with_spans(found))]
        found = _said_twice(_without_times_in_changes(found), tokens)
        found, defined = self._with_definitions(tokens, found)
        skipped = self._skippable(tokens, found) - defined
        if self._compounds:
            read = {place for one in found for place in range(one.start, one.end)}
            skipped |= without_meaning([token.text for token in tokens]) - read
        first = next((place for place in range(len(tokens)) if place not in skipped), 0)
        last = next((place for place in reversed(range(len(tokens))) if place not in skipped), 0) + 1
        commas = {place for place, token in enumerate(tokens) if token.text == ","}
        placed = tuple(_placed(mention, first, last, commas, today) for mention in map(_behind_verbs(found), found))
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

    def _parts(self, token: Token) -> tuple[Token, ...]:
        """A compound that is not known itself, as the two words that it is made of: Kunden|anzahl, Rechnung(s)|betrag."""
        if not self._compounds or len(token.text) < 2 * _SHORTEST_PART or self._knows(token.text):
            return (token,)
        for ordinal in self.operators.get("ordinals") or ():  # zweit|grösste
            prefix = folded_text(ordinal)
            rest = token.text.removeprefix(prefix)
            if rest != token.text and any(isinstance(p, Superlative) for p in self._operator_words.get((rest,), ())):
                place = token.start + len(prefix)
                return (Token(prefix, token.start, place), Token(rest, place, token.end))
        for place in range(_SHORTEST_PART, len(token.text) - _SHORTEST_PART + 1):
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
                if len(first) >= _SHORTEST_PART and fits:
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

    def _quoted(self, question: str, folded: Folded, tokens: Sequence[Token]) -> Iterator[WordSense]:
        for match in _QUOTED.finditer(folded.text):
            place = next(number for number, group in enumerate(match.groups(), 1) if group)
            start, end = folded.origin(*match.span(place))
            inner = question[start:end]
            span = _span(tokens, match.start(), match.end())
            if span is None:
                continue
            homes = self._stored.get(without_article(tuple(words_in(inner))))
            yield WordSense(*span, Stored(tuple(homes)) if homes else Quoted(inner))

    def _numbers(self, text: str, tokens: Sequence[Token], locale: str) -> Iterator[WordSense]:
        for found in quantities(text, locale):
            span = _span(tokens, found.start, found.end)
            if span is None or not found.figure.readings or found.figure.kind in ("date", "time", "label"):
                continue
            bare = _span(tokens, found.figure.start, found.figure.end)
            value = found.figure.readings[0]
            if found.unit is not None and span != bare:
                unit = text[found.figure.end : found.end].strip(" -")
                yield WordSense(*span, SaidNumber(value, unit, found.unit.dimension, found.unit.factor))
            if bare is not None and not self._is_stored_label(tokens[bare[1] - 1]):
                yield WordSense(*bare, SaidNumber(value))
        for place, token in enumerate(tokens):
            if (number := (self.operators.get("ordinals") or {}).get(token.text)) is not None:
                yield WordSense(place, place + 1, JoiningWord("ordinal", str(number)))
            if token.text in self._own.one and self._counts(tokens, place):
                yield WordSense(place, place + 1, SaidNumber(Decimal(1)))
            behind = tokens[place + 1].text if place + 1 < len(tokens) else ""
            if (
                token.text in self._own.one | self._own.a
                and self._counts(tokens, place)
                and (measure := unit_called(behind)) is not None
            ):
                one = SaidNumber(Decimal(1), behind, measure.dimension, measure.factor)
                start = (
                    place if token.text in self._own.one else place + 1
                )  # longer than an hour, länger als eine Stunde
                yield WordSense(start, place + 2, one)
        for start, end, value in find_ordinals(text, self.lang):
            span = _span(tokens, start, end)
            if span is not None and 1 <= value <= 1000:
                yield WordSense(*span, JoiningWord("ordinal", str(int(value))))

    def _is_stored_label(self, token: Token) -> bool:
        """Whether a number with a letter is stored so: the class 2a is no two amperes."""
        return (token.text,) in self._stored and any(map(str.isalpha, token.text))

    def _counts(self, tokens: Sequence[Token], place: int) -> bool:
        """Whether `one` stands behind a comparison, so that it is a number: more than one."""
        last = place - 1 if place and tokens[place - 1].text in self._skipped else place  # longer than
        before = [[token.text for token in tokens[max(0, end - 3) : end]] for end in {place, last}]
        spans = (tuple(some[start:]) for some in before for start in range(len(some)))
        senses = (sense for span in spans for sense in self._operator_words.get(span, ()))
        return any(isinstance(s, Comparative) or (isinstance(s, JoiningWord) and s.kind == "only") for s in senses)

    def _periods(self, text: str, tokens: Sequence[Token], today: date) -> Iterator[WordSense]:
        for found in periods_of(text, today):
            span = _span(tokens, found.start, found.end)
            several = len(found.meanings) > 1
            if span is None or (several and found.meanings[0].part == "day"):
                continue
            for period in found.meanings:
                year = period.first.year if found.bare or (period.part == "year" and span[1] - span[0] == 1) else None
                ends = (_whole(found.ends[0]), _whole(found.ends[1])) if found.ends else None
                sure = found.sure or found.bare or found.open_at or ends or several
                said = SaidPeriod(
                    _whole(period, found.open_at),
                    found.bare,
                    year,
                    ends,
                    year_guessed=not sure and str(period.first.year) not in text,
                    moment=period.moment,
                )
                yield WordSense(*span, said)

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

    def _whose_rows(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> list[WordSense]:
        """Nouns with `whose` before them."""
        return [
            replace(mention, phrase=WhoseRows(mention.phrase.entity))
            for mention in found
            if isinstance(mention.phrase, RowsPhrase) and mention.phrase.bare
            if mention.start > 0 and tokens[mention.start - 1].text in self._own.whose
        ]

    def _grains_of_figures(
        self, tokens: Sequence[Token], found: Sequence[WordSense], dated: Collection[int]
    ) -> list[WordSense]:
        """月 before 收入 says per month, where it is no part of a date or of a number of months."""
        grains = self.operators.get("before_figure") or {}
        begins = {m.start for m in found if isinstance(m.phrase, FigurePhrase)} if grains else set()
        known = {place for m in found if m.end - m.start > 1 for place in range(m.start, m.end)}
        return [
            WordSense(place, place + 1, JoiningWord(str(grains[token.text]), token.text))
            for place, token in enumerate(tokens)
            if token.text in grains and place + 1 in begins and place not in dated and place not in known
        ]

    def _words(self, tokens: Sequence[Token]) -> Iterator[WordSense]:
        texts = [token.text for token in tokens]
        roots = [noun_root(text) for text in texts]
        stems = [stem_of(text, self.lang) for text in texts]
        for start in range(len(tokens)):
            longest = max(1, *(self._longest.get(form[start], 0) for form in (texts, roots, stems)))
            for end in range(start + 1, min(len(tokens), start + longest) + 1):
                plain, rooted, stemmed = tuple(texts[start:end]), tuple(roots[start:end]), tuple(stems[start:end])
                for phrase in self._operator_words.get(plain, ()):
                    yield WordSense(start, end, phrase)
                if days := self._own.weekdays.get(plain):
                    yield WordSense(start, end, DaysOfWeek(days))
                plural = texts[end - 1] not in self._singular
                for phrase in self._phrases.get(rooted, ()):
                    yield WordSense(start, end, _in_plural(phrase) if plural else phrase)
                counts = len(plain[0]) > 1 and end - start <= 2 and plain not in self._skipped.get(plain[0], ())
                unit = units().get(" ".join(plain)) if counts else None
                if unit is not None and not unit.is_currency:
                    yield WordSense(start, end, UnitWish(" ".join(plain), unit.dimension))
                verbs = () if plain in self._unsettled else self._verbs.get(stemmed, ())  # open tickets
                if steps := (*verbs, *self._done.get(plain, ())):
                    yield WordSense(start, end, Verb(steps, transitive=self._transitive.get(stemmed, ())))
                if came := self._came.get(plain):
                    yield WordSense(start, end, CameAbout(came))
                told_by_verb = bool(steps or came or plain in self._unsettled)
                homes, noun = self._homes(plain, rooted, told_by_verb=told_by_verb)
                if homes:
                    before = texts[start - 1] if start else ""
                    article = before in self._own.articles
                    beside = {*roots[start - 1 : start], *roots[end : end + 1]}
                    named = JoiningWord("named", before) in self._operator_words.get((before,), ())
                    told = homes if named else self._as_named(homes, article=article, beside=beside)
                    aims = tuple(home for home in told if self._is_aim(*home[:2]))
                    if aims and before in self._said("aimed"):  # to Ulm: what is called the destination
                        yield WordSense(start - 1, end, Stored(aims, noun))
                    yield from self._sent_to(told, texts, roots, (start, end))
                    if before in self._said("come_from") and len(aims) < len(told):
                        told = tuple(home for home in told if home not in aims)
                    yield WordSense(start, end, Stored(tuple(told), noun))

    def _sent_to(
        self,
        homes: Sequence[tuple[str, str, str | int]],
        texts: Sequence[str],
        roots: Sequence[str],
        span: tuple[int, int],
    ) -> Iterator[WordSense]:
        """Shipped to Germany: the place that something was sent to; the verb says no more where no date is called so."""
        start, end = span
        sent = tuple(home for home in homes if self._is_called(*home[:2], "sent_fields"))
        if not sent or not start or texts[start - 1] not in self._said("aimed"):
            return
        yield WordSense(start - 1, end, Stored(sent))
        # Where a date tells when it was sent, what was sent is what has that date.
        sent = tuple(home for home in sent if self.lang == "zh" or not done_dates(self.model, home[0]))
        for verb, first, last in ((start - 2, start - 2, end), (end, start - 1, end + 1)):
            said = 0 <= verb < len(texts) and texts[verb] in self._said("sent_words")
            if sent and said and not any(isinstance(one, Attribute) for one in self._phrases.get((roots[verb],), ())):
                yield WordSense(first, last, Stored(sent))

    def _homes(
        self, plain: tuple[str, ...], rooted: tuple[str, ...], *, told_by_verb: bool
    ) -> tuple[Sequence[tuple[str, str, str | int]] | None, bool]:
        """Where words are stored, and whether they stand in the plural for such rows."""
        homes = self._stored.get(plain)
        if homes is not None or self._phrases.get(rooted) or self._operator_words.get(plain):
            return homes, False
        # Emergencies are those of the kind emergency; francs are no people of France.
        kinds = None if units().get(plain[-1]) else self._stored_roots.get(rooted)
        if kinds is not None or told_by_verb:
            return kinds, kinds is not None
        return self._forms_of_kinds.get(plain), False  # shares bought, where buy is stored

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

    def _not_settled(self, tokens: Sequence[Token], today: date) -> Iterator[WordSense]:
        """Open, unpaid, overdue: of rows that tell whether they are settled."""
        texts = [token.text for token in tokens]
        for start in range(len(tokens)):
            for end in range(start + 1, min(len(tokens), start + 3) + 1):
                kind = self._unsettled.get(tuple(texts[start:end]))
                for one in self._settlings if kind else ():
                    yield from (WordSense(start, end, said) for said in one.filters(kind or "", today))

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

    def _paired(self, text: str, tokens: Sequence[Token]) -> Iterator[WordSense]:
        """Schülerinnen und Schüler: the noun for all of them."""
        for start, end, root in paired_forms(text, tokens) if self._compounds else ():
            yield from (WordSense(start, end, _in_plural(phrase)) for phrase in self._phrases.get((root,), ()))

    def _is_aim(self, entity: str, field: str) -> bool:
        """Whether a field says where something goes to."""
        return self._is_called(entity, field, "aim_fields")

    def _is_called(self, entity: str, field: str, which: str) -> bool:
        """Whether one of the names of a field has a word of a list."""
        known = in_all_languages(which)
        names = names_for(field, self.model.things[entity].fields[field].declared)
        return any((word,) in known for name in names for word in key_of(name))

    def _as_named(
        self, homes: Sequence[tuple[str, str, str | int]], *, article: bool, beside: set[str]
    ) -> tuple[tuple[str, str, str | int], ...]:
        """The Mississippi is a river, Mississippi a state: where an article tells names apart, it is heeded."""
        with_article = [home for home in homes if self._takes_article(*home[:2])]
        if not with_article or len(with_article) == len(homes):
            return tuple(homes)
        if article:
            return tuple(with_article)
        noun = {
            phrase.entity
            for word in beside
            for phrase in self._phrases.get((word,), ())
            if isinstance(phrase, RowsPhrase)
        }
        return tuple(home for home in homes if home not in with_article or home[0] in noun)

    def _takes_article(self, entity: str, field: str) -> bool:
        thing = self.model.things[entity]
        return thing.declared is not None and thing.declared.article and field in thing.display

    def _words_apart(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> list[WordSense]:
        """Phrases of the ontology with auxiliaries between their words: units that were sold."""
        skipped = self._skippable(tokens, found)
        kept = [place for place in range(len(tokens)) if place not in skipped]
        roots = [noun_root(tokens[place].text) for place in kept]
        mentions: list[WordSense] = []
        for number, place in enumerate(kept):
            longest = min(self._longest.get(roots[number], 0), len(kept) - number)
            for size in range(2, longest + 1):
                end = kept[number + size - 1] + 1
                whose = any(token.text in self._own.whose for token in tokens[place:end])
                if end - place > size and not whose:
                    for phrase in self._phrases.get(tuple(roots[number : number + size]), ()):
                        mentions.append(WordSense(place, end, phrase))
        return mentions

    def _spelt_otherwise(self, text: str, tokens: Sequence[Token], found: Sequence[WordSense]) -> Iterator[WordSense]:
        """check-ins, check ins of a table checkin; policyholders of policy holders: names cut otherwise than they are stored."""
        known = {place for m in found for place in range(m.start, m.end)} | self._skippable(tokens, found)
        for start in range(len(tokens)):
            for end in range(start + 1, min(len(tokens), start + _MOST_PARTS) + 1):
                parts = tokens[start:end]
                hyphen = any(text[one.end : two.start] == "-" for one, two in pairwise(parts))
                near = all(text[one.end : two.start] in ("-", " ") for one, two in pairwise(parts))
                if not near or not (hyphen or any(place not in known for place in range(start, end))):
                    continue
                own = tuple(noun_root(part.text) for part in parts)
                for key in self._spelt_together.get(noun_root("".join(part.text for part in parts)), ()):
                    plural = parts[-1].text.endswith("s")
                    for phrase in self._phrases[key] if key != own else ():
                        yield WordSense(start, end, _in_plural(phrase) if plural else phrase)

    def _shared_heads(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> list[WordSense]:
        """First and last names, Vor- und Nachname: the first of two fields whose noun is said once, behind the second."""
        joins = {m.start for m in found if isinstance(m.phrase, JoiningWord) and m.phrase.kind in ("and", "or")}
        mentions: list[WordSense] = []
        for second in found:
            field = second.phrase
            if not isinstance(field, Attribute) or second.start - 1 not in joins or second.start < 2:
                continue
            place, last = second.start - 2, tokens[second.end - 1].text
            word = tokens[place].text
            heads: list[tuple[str, ...]] = [(noun_root(word), noun_root(last))] if second.end - second.start > 1 else []
            heads += [(noun_root(word + last[cut:]),) for cut in range(_SHORTEST_PART - 1, len(last) - 2)]
            for key in heads:
                mentions += [
                    WordSense(place, place + 1, one)
                    for one in self._phrases.get(key, ())
                    if isinstance(one, Attribute) and field.entity == one.entity
                ]
        return mentions

    def _skippable(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> frozenset[int]:
        texts = tuple(token.text for token in tokens)
        begins = {mention.start for mention in found}
        wider: dict[int, int] = {}
        for mention in found:
            wider[mention.start] = max(mention.end, wider.get(mention.start, 0))
        values = {mention.start for mention in found if isinstance(mention.phrase, Stored)}
        skipped = {place for place in self._behind_numbers(texts, found) if place not in begins}
        every = set(self._means_every(texts, found))
        for place, text in enumerate(texts):
            for key in self._skipped.get(text, ()) if place not in every else ():
                span = range(place, place + len(key))
                read = begins & set(span) if len(key) == 1 else wider.get(place, 0) >= place + len(key)
                if is_unspaced(text) or len(key) > 1:  # the second may begin a longer one: in | total expenses
                    read = read or any(wider.get(inner, 0) > span.stop for inner in span[1:])
                if text in self._own.articles and values & set(
                    span[1:]
                ):  # the business says nothing; a plan called Business
                    read = True
                if texts[place : place + len(key)] == key and not read:
                    skipped.update(span)
        return frozenset(skipped)

    def _means_every(self, texts: Sequence[str], found: Sequence[WordSense]) -> Iterator[int]:
        """Where all is more than a word: who has paid all fees has not just paid one. In all of them, of all of them says nothing more."""
        said = set(self._said("all_of_them"))
        places = [place for place, text in enumerate(texts) if text in said]
        if not places or not any(_is_doing(one.phrase) for one in found):
            return
        first = min((one.end for one in found if isinstance(one.phrase, RowsPhrase)), default=len(texts))
        for place in places:
            before = texts[place - 1] if place else ""
            if place >= first and before not in self._own.prepositions and before not in self._said("and"):
                yield place

    def _behind_numbers(self, texts: Sequence[str], found: Sequence[WordSense]) -> Iterator[int]:
        """The words that some languages put between a number and what is counted."""
        measures = set(self._said("measure_words"))
        for mention in found if measures else ():
            if isinstance(mention.phrase, SaidNumber) and mention.end < len(texts) and texts[mention.end] in measures:
                yield mention.end


def _bounds_only(one: WordSense, tokens: Sequence[Token]) -> bool:
    """Whether least or most is part of at least, at most: no superlative."""
    superlative = isinstance(one.phrase, Superlative) and tokens[one.start].text in ("least", "most")
    return superlative and one.start > 0 and tokens[one.start - 1].text == "at"


def _is_doing(phrase: Phrase) -> bool:
    """Whether a phrase says what somebody does or has."""
    return isinstance(phrase, Verb | CameAbout) or (isinstance(phrase, JoiningWord) and phrase.owns)


def _behind_verbs(found: Sequence[WordSense]) -> Callable[[WordSense], WordSense]:
    """Tells a state of rows whether it is said of a verb right before it."""
    nouns = {m.end for m in found if isinstance(m.phrase, RowsPhrase)}
    verbs = {
        m.end
        for m in found
        if isinstance(m.phrase, CameAbout | Verb | Attribute | Stored)
        or (isinstance(m.phrase, JoiningWord) and m.phrase.kind in ("light", "light_amounts"))
    }

    def told(mention: WordSense) -> WordSense:
        if isinstance(mention.phrase, RowState) and mention.start in verbs - nouns:
            return replace(mention, phrase=replace(mention.phrase, behind_verb=True))
        return mention

    return told


def _placed(mention: WordSense, first: int, last: int, commas: Collection[int], today: date) -> WordSense:
    """A joining word that knows whether it begins or ends the question; what knows what day it is."""
    if isinstance(mention.phrase, AgeBound | RowState):
        return replace(mention, phrase=replace(mention.phrase, today=today))
    if not isinstance(mention.phrase, JoiningWord):
        return mention
    ends = mention.end == last or (mention.phrase.kind == "tail" and mention.end in commas)  # liste ... auf, die ...
    placed = replace(mention.phrase, first=mention.start == first, last=ends)
    return replace(mention, phrase=placed)


def _whole(period: Period, open_at: str = "") -> QueryPeriod:
    """The period; an end that nobody said is none."""
    ends = {"from": None if open_at == "start" else period.first, "to": None if open_at == "end" else period.last}
    return QueryPeriod.model_validate(ends)


def _in_plural(phrase: Phrase) -> Phrase:
    return replace(phrase, plural=True) if isinstance(phrase, RowsPhrase) else phrase


_MARKS = re.compile(r"[,;]")


def _tokens(text: str) -> list[Token]:
    """Words, commas, and signs that stand alone."""
    marks = [Token(",", match.start(), match.end()) for match in _MARKS.finditer(text)]
    marks += [Token(text[start:end], start, end) for start, end in sign_runs(text)]
    return sorted([*tokens_of(text), *marks], key=lambda token: token.start)


def _span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int] | None:
    """The words that a place in the text covers, if it covers whole words."""
    inside = [number for number, token in enumerate(tokens) if token.start >= start and token.end <= end]
    return (inside[0], inside[-1] + 1) if inside else None


def _longest_names(found: list[WordSense]) -> list[WordSense]:
    """Names of things are read whole: what lies within a longer name or word of the data is not read by itself."""
    wide = [
        m
        for m in found
        if m.end - m.start > 1 and isinstance(m.phrase, Stored | RowsPhrase | Attribute | FigurePhrase | Role)
    ]
    composed = set(_names_with_nouns(found))
    states = {m.start for m in found if isinstance(m.phrase, RowState)}  # returned | on time, of a field `returned on`
    return [
        mention
        for mention in found
        if not any(
            one.start <= mention.start
            and mention.end <= one.end
            and one.end - one.start > mention.end - mention.start
            and not (mention.end in states and mention.end < one.end)
            and not (isinstance(one.phrase, Stored) and (one.start, one.end, mention.start, mention.end) in composed)
            for one in wide
        )
    ]


def _said_twice(found: list[WordSense], tokens: Sequence[Token]) -> list[WordSense]:
    """The manager of the manager: a word that is said twice means the same twice, a role before a stored value."""
    roles = [m for m in found if isinstance(m.phrase, Role)]
    texts = [tuple(token.text for token in tokens[m.start : m.end]) for m in roles]
    twice = {(m.start, m.end) for m, text in zip(roles, texts, strict=True) if _spoken_at(text, texts, roles) > 1}
    return [m for m in found if not (isinstance(m.phrase, Stored) and (m.start, m.end) in twice)]


def _spoken_at(text: tuple[str, ...], texts: Sequence[tuple[str, ...]], senses: Sequence[WordSense]) -> int:
    """At how many places a word is said."""
    return len({sense.start for sense, other in zip(senses, texts, strict=True) if other == text})


def _names_with_nouns(found: Sequence[WordSense]) -> Iterator[tuple[int, int, int, int]]:
    """Where a name and the noun of its entity stand side by side: the river Colorado may be a place `Colorado River`, too."""
    nouns = [m for m in found if isinstance(m.phrase, RowsPhrase | Attribute)]
    for name in (m for m in found if isinstance(m.phrase, Stored)):
        fields = {home[:2] for home in name.phrase.homes} if isinstance(name.phrase, Stored) else set()
        homes = {entity for entity, _ in fields}
        for noun in nouns:
            own = isinstance(noun.phrase, RowsPhrase) and noun.phrase.entity in homes
            own = own or (isinstance(noun.phrase, Attribute) and (noun.phrase.entity, noun.phrase.field) in fields)
            if own and (name.end == noun.start or noun.end == name.start):
                start, end = min(name.start, noun.start), max(name.end, noun.end)
                yield start, end, name.start, name.end
                yield start, end, noun.start, noun.end


def _with_spans(found: Sequence[WordSense]) -> list[WordSense]:
    """What may be meant, with the words about time between two dates only where two dates can follow."""
    kinds = {m.phrase.kind for m in found if isinstance(m.phrase, JoiningWord)}
    between = kinds & {"span_from", "between"} and kinds & {"span_to", "and"}
    lasting = any(isinstance(m.phrase, SaidNumber) and m.phrase.dimension == "time" for m in found)
    kept = {"span_same"}
    if lasting:  # paid within 14 days
        kept |= {"span_within"}
    if between and "span_noun" in kinds:
        kept |= {"span_from", "span_to", "span_noun", "span_shortest", "span_longest", "span_date"}
    if lasting and (between or "span_after" in kinds):
        kept |= {"span_from", "span_to", "span_after", "span_within", "span_date"}
    if "takes_time" in kinds:  # how long do repairs take
        kept |= {"span_noun"}
    fields = {m.start for m in found if isinstance(m.phrase, Attribute | Role)}
    told = [m for m in found if not _is_loose(m, fields)]
    return [
        m
        for m in told
        if not (isinstance(m.phrase, JoiningWord) and m.phrase.kind.startswith("span_")) or m.phrase.kind in kept
    ]


def _without_times_in_changes(found: list[WordSense]) -> list[WordSense]:
    """H1 2025 compared to the previous year: these words say from when to when, and are no time of their own."""
    changes = [one for one in found if isinstance(one.phrase, JoiningWord) and one.phrase.kind.startswith("change_")]
    times = [one for one in found if isinstance(one.phrase, SaidPeriod)]
    inside = [one for one in times if any(word.start <= one.start and one.end <= word.end for word in changes)]
    return [one for one in found if one not in inside] if len(inside) < len(times) else found


def _is_loose(mention: WordSense, fields: set[int]) -> bool:
    """Whether `before` or `after` has no field behind it, with an article at most between them."""
    word = mention.phrase
    near = range(mention.end, mention.end + 2)
    return isinstance(word, JoiningWord) and word.kind in ("later", "earlier") and fields.isdisjoint(near)
