"""The reader of follow-ups: the last query and the words of the next question -> the queries that these may mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

from veracity.language.folding import Token, words_in
from veracity.semantic.query import SemanticQuery, parts_of
from veracity.semantic.reading.chart import PREFERENCES, ChartCell, MadePhrase, parse
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.edited_figures import period_of, year_before
from veracity.semantic.reading.edits import ADDED, UNNAMED, contradicts, home_of, is_named, rows_of
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import AboutEach, Edited, TheseRows, Wanted
from veracity.semantic.reading.phrases import JoiningWord, Lookup, RowsPhrase
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.readings import FollowUp, Readings, unknown_words
from veracity.semantic.reading.rule_books import rules_with_follow_ups
from veracity.semantic.reading.said_phrases import Phrase, SaidPeriod
from veracity.semantic.reading.unsaid_figures import of_the_last_figure
from veracity.semantic.reading.ways import each_way
from veracity.semantic.reading.whole_phrases import agree
from veracity.semantic.reading.word_senses import Tagged, WordSense
from veracity.yaml_file import packaged

Words = Mapping[str, tuple[tuple[str, ...], ...]]
"""The words that tie a follow-up to the question before, by what they do."""
_WITHIN = ("only", "instead", "these", "their", "as_share", "alphabetically", "year_before", "skipped")
_ALONE = ("whole", "every")
"""What these words say, they say by themselves: all of them, in total."""
_PRONOUNS = ("these", "these_last", "their")
_PARTS = frozenset({"of", "in", "with", "without", "not"})
_COMMA = ","


@cache
def follow_up_words(lang: str) -> Words:
    """The words of one language."""
    table: Mapping[str, Mapping[str, list[str]]] = packaged(Path(__file__).with_name("follow_ups.yaml"))
    return {kind: tuple(tuple(words_in(word)) for word in said) for kind, said in (table.get(lang) or {}).items()}


@dataclass(frozen=True, slots=True)
class _Marked:
    """A follow-up with the words that tie it to the question before."""

    tagged: Tagged
    bare: Tagged
    """The same without the words that only tie it: as a question of its own."""
    lead: bool
    pronoun: int | None
    """The place of a word for what was found."""


class _FollowUpComposer(Composer):
    """Joins phrases of follow-ups, too."""

    def expand(self, phrase: Phrase) -> Iterator[MadePhrase]:
        """What a phrase may also be; `them` may be rows."""
        if isinstance(phrase, TheseRows):
            if (rows := rows_of(self, phrase.query)) is not None:
                yield MadePhrase(rows)
            return
        yield from super().expand(phrase)


class FollowUpReader:
    """Reads follow-ups with the words of one language."""

    def __init__(self, reader: QuestionReader) -> None:
        self._reader = reader
        self._words = follow_up_words(reader.words.lang)
        preferences = (ADDED, UNNAMED, *PREFERENCES)
        self._composer = _FollowUpComposer(
            reader.composer.model,
            reader.composer.order,
            rules_with_follow_ups(),
            preferences,
            reader.composer.truths,
            born=reader.composer.born,
        )

    def read(self, before: SemanticQuery, question: str, *, today: date, locale: str = "en") -> FollowUp:
        """The meanings of a question that follows another one."""
        before = _without_apart(before)
        tagged = self._reader.words.tag(question, today=today, locale=locale)
        marked = self._mark(before, tagged)
        read = self._reader.read(question, today=today, locale=locale)
        alone = () if read.open else read.queries
        if not alone and marked.lead:
            composer = self._reader.composer
            alone = tuple(agree(composer, parse(marked.bare, composer).whole))
        if unknown := unknown_words(marked.tagged):
            goes_on = marked.lead or marked.pronoun is not None or not _nouns(marked.bare)
            return FollowUp(alone) if alone else FollowUp((), *unknown, edits=goes_on)
        edited = self._edits(before, marked)
        chosen = self._choose(before, alone, edited, marked)
        if chosen is None and read.open:
            return self._unsaid(before, read, marked, (question, today, locale))
        chosen = chosen or self._misfit(before, marked, question)
        timed = any(query.period or query.compare for query in chosen.queries)
        guessed = timed and self._reader.words.guesses_time(question, today)
        return replace(chosen, guessed=guessed and not (chosen.edits and self._tells_year(before, marked)))

    def _unsaid(self, before: SemanticQuery, read: Readings, marked: _Marked, asked: tuple[str, date, str]) -> FollowUp:
        """A question whose figure is not said is about that of the question before; otherwise it is asked back."""
        question, today, locale = asked
        period = period_of(self._composer, before)
        if read.guessed and self._tells_year(before, marked) and period is not None:
            read = replace(self._reader.read(question, today=period.last or today, locale=locale), guessed=False)
        told = of_the_last_figure(before, read.queries) if read.unsaid and not read.guessed else ()
        if told:
            return FollowUp(told, edits=True)
        return FollowUp(read.queries, open=True, guessed=read.guessed)

    def _choose(
        self,
        before: SemanticQuery,
        alone: tuple[SemanticQuery, ...],
        edited: tuple[SemanticQuery, ...],
        marked: _Marked,
    ) -> FollowUp | None:
        """A whole question is read on its own, one with `and` or `them` as a follow-up; what may be both is both."""
        nouns = _nouns(marked.bare)
        points_back = marked.pronoun is not None and not any(place < marked.pronoun for place in nouns)
        if not edited:
            goes_on = points_back or (marked.lead and (not nouns or self._is_related(before, marked.bare)))
            return FollowUp(alone) if alone and not goes_on else None
        if not alone or marked.lead or points_back:
            return FollowUp(edited, edits=True)
        if marked.pronoun is None and nouns and not _begins_as_part(marked.bare):
            return FollowUp(alone)
        # A field or a value asks nothing by itself. The name of a row may: it is looked up, unless it replaces another.
        said = len(parts_of(before.where))
        replaces = any(len(parts_of(query.where)) <= said for query in edited)
        if marked.pronoun is None and (replaces or not any(is_named(self._composer, query) for query in alone)):
            return FollowUp(edited, edits=True)
        return FollowUp(_different((*edited, *alone)), edits=True)

    def _tells_year(self, before: SemanticQuery, marked: _Marked) -> bool:
        """Whether the last query says of which year the month is that is named."""
        period = period_of(self._composer, before)
        ends = (period.first, period.last) if period is not None else (None, None)
        same = ends[0] is not None and ends[1] is not None and ends[0].year == ends[1].year
        said = [m.phrase for m in marked.tagged.mentions if isinstance(m.phrase, SaidPeriod)]
        return same and all(when.year_guessed for when in said)

    def _is_related(self, before: SemanticQuery, tagged: Tagged) -> bool:
        """Whether a question names something that the last query could be about, too."""
        named = {m.phrase.entity for m in tagged.mentions if isinstance(m.phrase, RowsPhrase)}
        named |= {m.phrase.home for m in tagged.mentions if isinstance(m.phrase, FigurePhrase)}
        return any(self._composer.ways(home_of(before), entity) for entity in named) or home_of(before) in named

    # --- reading it as a change of the last query

    def _edits(self, before: SemanticQuery, marked: _Marked) -> tuple[SemanticQuery, ...]:
        found = self._parse(
            marked.tagged if marked.pronoun is not None else self._behind(before, marked, marked.tagged)
        )
        if not found and marked.lead and marked.pronoun is not None:  # and those in France?
            found = self._parse(self._behind(before, marked, _without_pronouns(marked.tagged)))
        agreed = agree(self._reader.composer, found)
        queries = [way for query in agreed for way in each_way(query, self._composer.model)]
        same = before.canonical_json()
        return _different(query for query in queries if query.canonical_json() != same)

    def _behind(self, before: SemanticQuery, marked: _Marked, tagged: Tagged) -> Tagged:
        """The words of a follow-up behind the query that they go on from."""
        shown = before.show[0] if len(before.show) == 1 else None
        own = self._reader.words.own_conditions(shown, parts_of(before.where)) if shown is not None else ()
        first = WordSense(0, 1, Edited(before, marked.lead, own=own))
        senses = (replace(m, start=m.start + 1, end=m.end + 1) for m in tagged.mentions)
        skipped = frozenset(place + 1 for place in tagged.skipped)
        return replace(tagged, tokens=(Token("", 0, 0), *tagged.tokens), mentions=(first, *senses), skipped=skipped)

    def _parse(self, tagged: Tagged) -> ChartCell:
        """What the words come to; not what no row can be."""
        found = parse(tagged, self._composer).whole
        return {phrase: marks for phrase, marks in found.items() if not _is_impossible(phrase)}

    def _misfit(self, before: SemanticQuery, marked: _Marked, question: str) -> FollowUp:
        """Which words do not go with the last query, as far as they can be read."""
        tagged = marked.tagged
        kept = [place for place in range(len(tagged.tokens)) if place not in tagged.skipped]
        said = tagged.said(kept[0], kept[-1] + 1) if kept else question
        phrases = [phrase.phrase if isinstance(phrase, Wanted) else phrase for phrase in self._parse(tagged)]
        why = ""
        if any(isinstance(phrase, AboutEach) for phrase in phrases):
            why = "divide"
        elif any(isinstance(phrase, Superlative) for phrase in phrases):
            why = "rank"
        elif marked.pronoun is not None and rows_of(self._composer, before) is None:
            why = "rows"
        return FollowUp(edits=True, misfit=said, why=why)

    # --- the words that tie it to the question before

    def _mark(self, before: SemanticQuery, tagged: Tagged) -> _Marked:
        texts = [token.text for token in tagged.tokens]
        start, end = self._trimmed(texts)
        ties = {*range(start), *range(end, len(texts))}
        lead = any(texts[place] != _COMMA for place in range(start))
        bare = _with(tagged, ties, ())
        found = list(self._alone(tagged, texts, start, end)) or list(self._within(texts, start, end))
        own = {
            place for m in tagged.mentions if not isinstance(m.phrase, JoiningWord) for place in range(m.start, m.end)
        }
        found = [one for one in found if one[2] not in _PRONOUNS or not own & set(range(*one[:2]))]
        senses, skipped, pronoun = list[WordSense](), set(ties), None
        for first, last, kind in found:
            phrase: Phrase = JoiningWord(kind, " ".join(texts[first:last]))
            if kind in _PRONOUNS:
                at = -1 if kind == "these_last" else first  # what stands at the end is nothing that was named before it
                phrase, pronoun = TheseRows(before), at if pronoun is None else pronoun
            if kind == "year_before":
                earlier = year_before(period_of(self._composer, before))
                if earlier is None:
                    continue
                phrase = earlier
                tagged = replace(tagged, mentions=_without_periods(tagged, range(first, last)))
            if kind == "skipped":
                skipped.update(range(first, last))
            else:
                senses.append(WordSense(first, last, phrase))
        shared = bool(before.show) and not before.lists and not before.by  # total may be the sum, too
        return _Marked(_with(tagged, skipped, senses, shared=shared), bare, lead, pronoun)

    def _trimmed(self, texts: list[str]) -> tuple[int, int]:
        """Where a follow-up begins and ends without `and` and the like."""
        start, end = 0, len(texts)
        while start < end:
            size = self._longest("lead", texts[start:end])
            if not size and not (start and texts[start] == _COMMA):
                break
            start += size or 1
        for _ in range(2):
            for key in self._words.get("tail", ()):
                if end - len(key) > start and tuple(texts[end - len(key) : end]) == key:
                    end -= len(key)
        return (start, end) if start < end else (0, end)

    def _longest(self, kind: str, texts: list[str]) -> int:
        sizes = (len(key) for key in self._words.get(kind, ()) if tuple(texts[: len(key)]) == key)
        return max(sizes, default=0)

    def _alone(self, tagged: Tagged, texts: list[str], start: int, end: int) -> Iterator[tuple[int, int, str]]:
        """All of them, in total: where nothing else is said."""
        shows = {m.start for m in tagged.mentions if isinstance(m.phrase, JoiningWord) and m.phrase.kind == "show"}
        pronouns = {place for place, _, kind in self._within(texts, start, end) if kind in _PRONOUNS}
        for kind in _ALONE:
            for key in self._words.get(kind, ()):
                first = end - len(key)
                others = range(start, first)
                empty = set(others) <= (shows | tagged.skipped) - pronouns
                if first >= start and tuple(texts[first:end]) == key and empty:
                    yield start, first, "skipped"
                    yield first, end, kind
                    return

    def _within(self, texts: list[str], start: int, end: int) -> Iterator[tuple[int, int, str]]:
        place = start
        while place < end:
            sizes = {kind: self._longest(kind, texts[place:end]) for kind in _WITHIN}
            if (last := self._longest("these_last", texts[place:end])) and place + last == end:
                yield place, end, "these_last"
                return
            kind = max(_WITHIN, key=lambda one: sizes[one])
            if sizes[kind]:
                yield place, place + sizes[kind], kind
            place += sizes[kind] or 1


def _without_periods(tagged: Tagged, places: range) -> tuple[WordSense, ...]:
    return tuple(
        m
        for m in tagged.mentions
        if not isinstance(m.phrase, SaidPeriod) or not set(places) & set(range(m.start, m.end))
    )


def _begins_as_part(tagged: Tagged) -> bool:
    """Whether it begins as a part of a sentence does: of customers in Germany."""
    first = next((place for place in range(len(tagged.tokens)) if place not in tagged.skipped), -1)
    kinds = {m.phrase.kind for m in tagged.mentions if m.start == first and isinstance(m.phrase, JoiningWord)}
    return bool(kinds & _PARTS)


def _nouns(tagged: Tagged) -> list[int]:
    """Where things and figures are named."""
    return [m.start for m in tagged.mentions if isinstance(m.phrase, RowsPhrase | FigurePhrase)]


def _with(tagged: Tagged, skipped: set[int], senses: Iterable[WordSense], *, shared: bool = False) -> Tagged:
    """A question with other words skipped, and some words with one sense only; shared: all together keeps its other."""
    senses = tuple(senses)
    taken = {place for sense in senses for place in range(sense.start, sense.end)}
    gone = (set() if shared and _says_whole(senses) else taken) | skipped
    kept = [
        m
        for m in tagged.mentions
        if not (isinstance(m.phrase, JoiningWord) and gone & set(range(m.start, m.end)))
        and not set(range(m.start, m.end)) <= gone
    ]
    return replace(tagged, mentions=(*kept, *senses), skipped=frozenset((tagged.skipped - taken) | skipped))


def _says_whole(senses: tuple[WordSense, ...]) -> bool:
    return any(isinstance(sense.phrase, JoiningWord) and sense.phrase.kind == "whole" for sense in senses)


def _is_impossible(phrase: Phrase) -> bool:
    match phrase:
        case Edited():
            return contradicts(phrase.query)
        case RowsPhrase() | FigurePhrase():
            return contradicts(phrase.query())
        case Lookup():
            return contradicts(phrase.rows.query())
        case _:
            return False


def _without_pronouns(tagged: Tagged) -> Tagged:
    gone = {place for m in tagged.mentions if isinstance(m.phrase, TheseRows) for place in range(m.start, m.end)}
    return _with(tagged, gone, ())


def _without_apart(query: SemanticQuery) -> SemanticQuery:
    """A query as it was asked, without what it is told apart by because of its units."""
    by, per = (tuple(one for one in dimensions if not one.apart) for dimensions in (query.by, query.per))
    return query.model_copy(update={"by": by, "per": per})


def _different(queries: Iterable[SemanticQuery]) -> tuple[SemanticQuery, ...]:
    return tuple({query.canonical_json(): query for query in queries}.values())
