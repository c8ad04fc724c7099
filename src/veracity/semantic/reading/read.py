"""The reader: a question -> its meanings. One: it can be answered. Several: it is asked back. None: which word is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from itertools import product
from operator import itemgetter

from pydantic import ValidationError

from veracity.language.folding import is_unspaced, words_in
from veracity.language.stem import stem_of
from veracity.semantic.graph import is_to_one
from veracity.semantic.query import Aggregate, Comparison, Dimension, SemanticQuery, Shown, Transform, all_of, to_json
from veracity.semantic.reading import (
    asked_figures_rules,
    asked_first_rules,
    best_by_figure_rules,
    best_change_rules,
    best_groups_rules,
    best_of_each_rules,
    bounds_rules,
    coming_about_rules,
    comparing_rules,
    denied_rules,
    faring_rules,
    figures_rules,
    flag_rules,
    happening_rules,
    joining_words_rules,
    kept_groups_rules,
    kind_noun_rules,
    layout_rules,
    light_verb_rules,
    means_rules,
    missing_rules,
    money_rules,
    noun_last_rules,
    numbered_rules,
    only_named_rules,
    over_time_rules,
    own_field_rules,
    persons_rules,
    quantity_rules,
    ranking_rules,
    ratio_rules,
    row_pairs_rules,
    rows_rules,
    series_rules,
    share_rules,
    side_by_side_rules,
    span_rules,
    than_average_rules,
    than_their_own_rules,
    told_apart_rules,
    used_rules,
    verb_rules,
    weekday_rules,
    whether_rules,
)
from veracity.semantic.reading.active_voice import as_stored, by_name_of_people, by_whom, sold_in, time_of
from veracity.semantic.reading.ages import ages_said, or_by_age, with_ages
from veracity.semantic.reading.answer_layout import AnswerLayout
from veracity.semantic.reading.asked_forms import Read, without_owner
from veracity.semantic.reading.best_beside import (
    by_each_measure,
    by_its_grain,
    by_stored_year,
    of_one_row,
    or_by_number,
    tells_its_figure,
    told_once,
    with_its_figure,
    with_its_text,
)
from veracity.semantic.reading.by_all_rows import by_all_their_rows
from veracity.semantic.reading.changed_figures import along_both, in_own_unit
from veracity.semantic.reading.chart import Chart, ChartCell, Marks, parse
from veracity.semantic.reading.clauses import AnswerClause, clause_cutter
from veracity.semantic.reading.compose import Composer, Rules
from veracity.semantic.reading.condition_scope import (
    average_of_their_own,
    by_their_role,
    by_what_is_named,
    counted_from_above,
    of_its_own,
)
from veracity.semantic.reading.deed_forms import deeds_said, says_both
from veracity.semantic.reading.definitions import DefinitionReader, Meaning, definitions_in, divides_alike, restated
from veracity.semantic.reading.each_with_none import with_those_without
from veracity.semantic.reading.edits import contradicts
from veracity.semantic.reading.everyday import EverydayReader
from veracity.semantic.reading.field_verbs import passed_by, said_by_verb
from veracity.semantic.reading.figure_tail import by_said_figure
from veracity.semantic.reading.figures_of_groups import added_together, each_in_its_time, either_mean
from veracity.semantic.reading.flow_verbs import of_this_flow
from veracity.semantic.reading.happened_counts import happened_counts
from veracity.semantic.reading.head_nouns import with_whole_names
from veracity.semantic.reading.impossible_readings import (
    goes_by_lines,
    is_impossible,
    names_currencies,
    takes_who_joined,
)
from veracity.semantic.reading.key_names import by_their_names, with_their_names
from veracity.semantic.reading.mass_nouns import amounts_of
from veracity.semantic.reading.one_deed import each_deed, in_each_time
from veracity.semantic.reading.open_pieces import open_readings
from veracity.semantic.reading.outstanding import outstanding
from veracity.semantic.reading.part_and_whole import group_or_value
from veracity.semantic.reading.part_names import for_each_called_so
from veracity.semantic.reading.passed_over import lists_what_is_compared, tells_all_for_the_best
from veracity.semantic.reading.phrases import (
    Attribute,
    Attributes,
    DaysPhrase,
    Edited,
    FieldsOfEach,
    FigurePhrase,
    JoiningWord,
    Lookup,
    MeanFigure,
    RowFilter,
    RowsPhrase,
    ShareOf,
)
from veracity.semantic.reading.place_verbs import either_place, said_place
from veracity.semantic.reading.rates import rates_said
from veracity.semantic.reading.row_ends import either_end, told_apart_by_end
from veracity.semantic.reading.said_again import names_its_figure, said_again
from veracity.semantic.reading.said_ends import EndReader, ReadAgain
from veracity.semantic.reading.said_otherwise import of_each_one, plainly, share_of_one, without_figure_of_it
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.share_scope import either_share
from veracity.semantic.reading.signs import with_words_for_signs
from veracity.semantic.reading.spellings import in_every_spelling
from veracity.semantic.reading.state_dates import either_date, in_one_time, on_its_weekday
from veracity.semantic.reading.time_last import time_last
from veracity.semantic.reading.time_taken import times_taken
from veracity.semantic.reading.took_place import each_that_was_held, states_of_holding
from veracity.semantic.reading.tying_verbs import tied_by_verb
from veracity.semantic.reading.unsaid_figures import unsaid_figures
from veracity.semantic.reading.values_with import each_once, rows_together, values_of_rows
from veracity.semantic.reading.ways import (
    added_up,
    each_link,
    each_way,
    either_average,
    either_count,
    happenings,
    through_deeds,
)
from veracity.semantic.reading.word_lists import is_person, spans_of
from veracity.semantic.reading.words import Tagged, WordBook
from veracity.semantic.reading.year_fields import either_year
from veracity.sources.source import NUMERIC

_MOST_KNOWN = 64
_LONGEST_TIED = 300
"""Characters of the longest question that is read again in parts or without its verb."""
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Readings:
    """What a question may mean."""

    queries: tuple[SemanticQuery, ...] = ()
    """The different meanings; one where the question is clear."""
    unknown: tuple[str, ...] = ()
    """Words that stand for nothing here."""
    unknown_said: tuple[str, ...] = ()
    """The same as they were written."""
    understood: tuple[str, ...] = ()
    """Where no meaning was found: the stretches that are understood each by itself, also those beside unknown words."""
    instead: str = ""
    """One of these stretches that is a question by itself."""
    beside: tuple[str, ...] = ()
    """What is said before and after that one."""
    open: bool = False
    """Whether one piece is left open and the queries are what it may be: it is asked back, also where they come to the same."""
    apart: bool = False
    """Whether they differ in the end of a row that is meant: they are asked back, also where their figures agree by chance."""
    unsaid: bool = False
    """Whether that piece is the figure, and nothing else of the data is named."""
    guessed: bool = False
    """Whether the time that they are about was guessed: the end of March, of which year."""
    chosen: bool = False
    """Whether it was picked from what was asked back."""
    unmet: str = ""
    """What is said of the answer that cannot be had: an order, a column."""


@dataclass(frozen=True, slots=True)
class _LaidOutQuestion:
    """A question with what it says of its answer cut off."""

    core: str
    clauses: tuple[AnswerClause, ...]
    question: str
    today: date
    locale: str


class QuestionReader:
    """Reads questions with the words of one language."""

    def __init__(self, words: WordBook) -> None:
        self.words = words
        order = words.operators.get("order") or {}
        self.composer = Composer(words.model, order, all_rules(), truths=words.truths, born=words.born)
        self._layout = AnswerLayout(words, self.composer)
        self._cutter = clause_cutter(words.lang)
        self._held = states_of_holding(words.model, words.values)
        self._known: dict[tuple[str, date, str], Readings] = {}

    def read(self, question: str, *, today: date, locale: str = "en") -> Readings:
        """The meanings of a question; the latest are remembered, since people ask the same ones again."""
        asked = (question, today, locale)
        if (known := self._known.get(asked)) is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._meanings(question, today, locale)
            meant = of_this_flow(found.queries, question, self.words.model)
            meant = by_their_names(meant, question, self.words.model)
            meant = tuple(with_their_names(one, question, self.words.model) for one in meant)
            tagged = self.words.tag(question, today=today, locale=locale)
            told = tuple(
                each_once(one, question, self.words.lang)
                for one in meant
                if not lists_what_is_compared(one, question) and not tells_all_for_the_best(one, tagged)
            )
            apart = found.apart or told_apart_by_end(told, self.words.model)
            known = self._known[asked] = self._with_namesakes(replace(found, queries=told, apart=apart), asked)
        return known

    def _with_namesakes(self, found: Readings, asked: tuple[str, date, str]) -> Readings:
        """The meanings, also of the stored value that is called like a group of them."""
        if not found.queries:
            return found
        question, today, locale = asked
        tagged = self.words.tag(question, today=today, locale=locale)
        told = (one for query in found.queries for one in group_or_value(query, tagged, self.words.model))
        return replace(found, queries=tuple(dict.fromkeys(told)))

    def _of_who_then(self, found: Readings, asked: tuple[str, date, str]) -> Readings:
        """The meanings; people of a time may be those who were there then or those who joined then, so these are asked back."""
        question, today, locale = asked
        tagged = self.words.tag(question, today=today, locale=locale)
        joined = [one for one in found.queries if takes_who_joined(one, tagged, self.words.model)]
        if not joined:
            return found
        left = tuple(one for one in found.queries if one not in joined)
        return replace(found, queries=left or self.words.those_then(joined), open=found.open or not left)

    def _meanings(self, question: str, today: date, locale: str) -> Readings:
        """The meanings of a question, with the words that it defines for itself."""
        sentences = [text for text in _SENTENCE.split(question) if text.strip()] or [question]
        defined = definitions_in(sentences, self.words.lang)
        if defined is None:
            return self._meanings_as_said(question, today, locale)
        core, definitions = defined
        reader = DefinitionReader(
            self.composer, self.words.lang, lambda text: self._meanings_as_said(text, today, locale).queries
        )
        texts = [token.text for token in self.words.tag(core, today=today, locale=locale).tokens]
        known: list[tuple[Meaning, ...]] = []
        for options in definitions:
            found = next(filter(None, map(reader.meanings, options)), ())
            if not found or not any(spans_of(found[0][0], texts)):
                told = self._meanings_as_said(question, today, locale)
                return told if told.queries else Readings((), instead=core, unmet=options[0].said)
            known.append(found)
        readers = (QuestionReader(self.words.defining(meant)) for meant in product(*known))
        read = [one._meanings_as_said(core, today, locale) for one in readers]
        said = tuple(dict.fromkeys(query for one in read for query in one.queries))
        queries = tuple(query for query in said if divides_alike(query, self.words.model))
        if said and not queries:
            return Readings((), instead=core, unmet=definitions[0][0].said)
        return replace(read[0], queries=queries, open=read[0].open or len(read) > 1)

    def _meanings_as_said(self, question: str, today: date, locale: str) -> Readings:
        """The meanings of a question; where it is not understood as it stands, of the same in plainer words."""
        lang = self.words.lang
        question = of_each_one(with_words_for_signs(question, lang), lang)
        asked = (question, today, locale)
        if says_both(question, lang) and (both := self._derived(plainly(question, lang) or question, today, locale)):
            return Readings(both, guessed=self._guesses(both, question, today))
        found = self._by_ends(asked) or self._in_these_words(asked)
        if found.queries and not found.open:
            return found
        if found.open:
            new = self._derived(question, today, locale)
            return Readings(new, guessed=self._guesses(new, question, today)) if new else found
        if (best := without_figure_of_it(question, lang)) is not None:
            told = self.read(best, today=today, locale=locale)
            return told if all(map(tells_its_figure, told.queries)) else replace(found, queries=())
        if len(question) <= _LONGEST_TIED and (same := self._said_again(asked)) is not None:
            return same
        if by_figure := by_said_figure(question, self.words.model, lang, self._reading(today, locale)):
            return Readings(by_figure, guessed=self._guesses(by_figure, question, today))
        plain = self._plainly(question)
        again = self._cut_and_read(plain, today=today, locale=locale) if plain else found
        again = self._by_whole_names(self._of_who_then(again, asked), (plain or question, today, locale))
        if again.queries:
            return again
        if (plainer := restated(question, lang)) is not None and self._says_no_more(*plainer, today, locale):
            return self._meanings_as_said(plainer[0], today, locale)
        for text in dict.fromkeys((question, plain or question)):
            if derived := self._derived(text, today, locale):
                return Readings(derived, guessed=self._guesses(derived, question, today))
            if unsaid := self._unsaid(text, today, locale):
                return Readings(unsaid, open=True, unsaid=True, guessed=self._guesses(unsaid, question, today))
            if (everyday := self._everyday(text, today, locale)) is not None:
                return everyday
        return self._without_everyday_words(found, asked) if found.unknown else found

    def _without_everyday_words(self, found: Readings, asked: tuple[str, date, str]) -> Readings:
        """What was found, of its unknown words those alone that stay unknown when the question is said in plainer words."""
        question, today, locale = asked
        words, left = self.words, found.unknown
        for text in EverydayReader(words.model, words.lang, words.in_data, lambda _: ()).wordings(question):
            unknown = unknown_words(words.tag(text, today=today, locale=locale))
            if unknown is not None and set(unknown[0]) < set(left):
                left = unknown[0]
        said = dict(zip(found.unknown, found.unknown_said, strict=True))
        return replace(found, unknown=left, unknown_said=tuple(said[word] for word in left))

    def _in_these_words(self, asked: tuple[str, date, str]) -> Readings:
        """The meanings of a question as it stands."""
        question, today, locale = asked
        found = self._of_who_then(self._cut_and_read(question, today=today, locale=locale), asked)
        found = self._by_whole_names(found, asked)
        return replace(found, queries=self._end_reader(today, locale).without_bare(found.queries))

    def _by_ends(self, asked: tuple[str, date, str]) -> Readings | None:
        """What a question means that says which of two ends of rows is meant: arriving flights, from one place to another."""
        question, today, locale = asked
        by_ends = self._end_reader(today, locale).meanings(question)
        found = tuple(dict.fromkeys(query for queries in by_ends for query in queries))
        told = Readings(found, apart=len(by_ends) > 1, guessed=self._guesses(found, question, today))
        return told if found else None

    def _end_reader(self, today: date, locale: str) -> EndReader:
        """Reads of questions what they say of the ends of rows."""
        read = self._reading(today, locale)

        def as_it_stands(text: str) -> Sequence[SemanticQuery]:
            return self._cut_and_read(text, today=today, locale=locale).queries

        again = ReadAgain(read, as_it_stands, lambda text: self.words.tag(text, today=today, locale=locale))
        return EndReader(self.words.model, self.words.lang, again)

    def _reading(self, today: date, locale: str) -> Callable[[str], Sequence[SemanticQuery]]:
        """What other questions mean at the same time and place."""
        return lambda text: self.read(text, today=today, locale=locale).queries

    def _said_again(self, asked: tuple[str, date, str]) -> Readings | None:
        """The first half of a question whose second half only asks for its figure, which is told anyway."""
        question, today, locale = asked
        halves = said_again(question, self.words.lang)
        told = self.read(halves[0], today=today, locale=locale) if halves is not None else None
        if halves is None or told is None or not told.queries or told.open:
            return None
        model, lang = self.words.model, self.words.lang
        tagged = self.words.tag(halves[1], today=today, locale=locale)
        nouns = {
            stem_of(token.text, lang)
            for mention in tagged.mentions
            if not isinstance(mention.phrase, JoiningWord)
            for token in tagged.tokens[mention.start : mention.end]
        }
        verbs = {stem_of(word, lang) for word in words_in(halves[0])} - nouns
        return told if all(names_its_figure(one, halves[1], model, lang, verbs) for one in told.queries) else None

    def _says_no_more(self, kept: str, first: str, today: date, locale: str) -> bool:
        """Whether words say nothing that others do not: nouns and unknown words, but no time, value or number of their own."""
        known, said = (
            [one.phrase for one in self.words.tag(text, today=today, locale=locale).mentions] for text in (kept, first)
        )
        return all(
            isinstance(one, JoiningWord) or (isinstance(one, RowsPhrase) and one.bare) or one in known for one in said
        )

    def _plainly(self, question: str) -> str | None:
        """The question with its first sentence in plainer words: further ones say what the answer is to be like."""
        first, *rest = [text for text in _SENTENCE.split(question) if text.strip()] or [question]
        before, core = self._cutter.leading(first)
        plain = plainly(core, self.words.lang)
        return " ".join((f"{before}{plain}", *rest)) if plain else None

    def _by_whole_names(self, found: Readings, asked: tuple[str, date, str]) -> Readings:
        """The meanings, and those with each of the whole names that a noun of the question may be short for, where these are several."""
        question, today, locale = asked
        tagged = self.words.tag(question, today=today, locale=locale)
        texts = () if found.open else with_whole_names(tagged, self.words.model, self.words.lang)
        read = [self._cut_and_read(text, today=today, locale=locale) for text in texts]
        named = dict.fromkeys(query for one in read for query in one.queries if not one.open)
        if len(named) < _SEVERAL:
            return found
        # An average of averages is no price of anything.
        plain = (query for query in found.queries if not any(one.rows for one in query.show))
        queries = tuple(dict.fromkeys((*plain, *named)))
        return Readings(queries, guessed=self._guesses(queries, question, today))

    def _derived(self, question: str, today: date, locale: str) -> tuple[SemanticQuery, ...]:
        """What a question asks that no word of the data says: how long something takes, at which rate something happens, what is new."""

        def read(text: str) -> Sequence[SemanticQuery]:
            found = self._cut_and_read(text, today=today, locale=locale).queries
            aged = text if found or len(text) > _LONGEST_TIED else with_ages(text, lang)
            return found if aged == text else self._cut_and_read(aged, today=today, locale=locale).queries

        model, lang = self.words.model, self.words.lang
        if ages := ages_said(question, model, lang, read, born=self.words.born, today=today):
            return ages
        ways = (times_taken, rates_said, happened_counts, outstanding, deeds_said, said_by_verb, passed_by)
        if found := next(filter(None, (way(question, model, lang, read) for way in ways)), ()):
            return found
        if len(question) <= _LONGEST_TIED and (tied := self._tied(question, read)):
            return tied
        share = share_of_one(question, lang)
        return tuple(read(share)) if share else ()

    def _tied(self, question: str, read: Read) -> tuple[SemanticQuery, ...]:
        """What a question asks of rows that belong together, in words that the data does not have; ages may go without their word."""
        model, lang, known = self.words.model, self.words.lang, self.words.in_data
        return (
            tied_by_verb(question, model, lang, read, known)
            or values_of_rows(question, model, lang, read)
            or rows_together(question, model, lang, read, known)
            or (tuple(read(question)) if with_ages(question, lang) != question else ())
        )

    def _unsaid(self, question: str, today: date, locale: str) -> tuple[SemanticQuery, ...]:
        """What a question may ask that names neither a figure nor a thing."""

        def read(text: str) -> Sequence[SemanticQuery]:
            return self._cut_and_read(text, today=today, locale=locale).queries

        return unsaid_figures(question, self.words.model, self.words.lang, read)

    def _everyday(self, question: str, today: date, locale: str) -> Readings | None:
        """What a question in everyday words may mean, by what the data has of it."""
        left_open = set[SemanticQuery]()

        def read(text: str) -> Sequence[SemanticQuery]:
            found = self._cut_and_read(text, today=today, locale=locale)
            if not found.queries and (plain := self._plainly(text)):
                found = self._cut_and_read(plain, today=today, locale=locale)
            left_open.update(found.queries if found.open else ())
            return found.queries or self._derived(text, today, locale)

        words = self.words
        queries = EverydayReader(words.model, words.lang, words.in_data, read).meanings(question)
        guessed = self._guesses(queries, question, today)
        return Readings(queries, open=not left_open.isdisjoint(queries), guessed=guessed) if queries else None

    def _cut_and_read(self, question: str, *, today: date, locale: str) -> Readings:
        """The meanings of a question; where it is not understood as a whole, of what it asks and what it says of the answer."""
        said_so = [text for text in _SENTENCE.split(question) if text.strip()] or [question]
        first, *rest = map(self._cutter.turned, said_so)
        while rest and self.words.goes_on(rest[0], today=today, locale=locale):
            first = f"{first.rstrip(' .?!。？！')} {rest.pop(0)}"
        further = [self._cutter.of_sentence(sentence) for sentence in rest]
        said = _LaidOutQuestion(
            first, tuple(clause for clauses in further for clause in clauses), question, today, locale
        )
        found = self._read(said)
        if found.queries and not self._joins_two_questions(said, found):
            return found
        lang = self.words.lang
        named = (*time_of(first, lang), *by_name_of_people(first, lang, self.words.people_named))
        named += tuple(without_owner(first, self.words.model, lang))
        for active in (*as_stored(first, lang, self.words.knows), *named):
            again = self._read(replace(said, core=active))
            if again.queries:
                return again
        moved = time_last(self.words.tag(first, today=today, locale=locale)) if lang == "de" else None
        if moved is not None and (again := self._read(replace(said, core=moved))).queries:
            return again
        if (placed := sold_in(first, lang)) and (again := self._read(replace(said, core=placed))).queries:
            return again
        for passive in by_whom(first, lang, self.words.knows):
            again = self._read(replace(said, core=passive))
            # What is tied to rows of people is not all done by them: a ticket is also assigned.
            if again.queries and not any('"related"' in query.canonical_json() for query in again.queries):
                return again
        refused = found if found.unmet else None
        for cut in self._cutter.cuts(first):
            again = self._read(replace(said, core=cut.core, clauses=(*cut.clauses, *said.clauses)))
            if again.queries:
                return again
            refused = refused or (again if again.unmet else None)
        return refused or (replace(found, queries=()) if found.queries else found)

    def _joins_two_questions(self, said: _LaidOutQuestion, found: Readings) -> bool:
        """How many are there, and what is the average per driver: the first is not asked per driver, so it is not told so."""
        asked = self._cutter.first_of_two(said.core)
        if asked is None or not any(query.by and len(query.show) > 1 for query in found.queries):
            return False
        first = self._read(replace(said, core=asked, clauses=()))
        return any(not query.by for query in first.queries)

    def _read(self, said: _LaidOutQuestion) -> Readings:
        """What a question means that is laid out as its clauses say."""
        today, locale = said.today, said.locale
        tagged = self.words.tag(said.core, today=today, locale=locale)
        if unknown := unknown_words(tagged):
            return Readings((), *unknown, understood=self._beside_unknown(tagged))
        of_place = said_place(tagged)

        def fits(query: SemanticQuery) -> bool:
            return of_place(query) and not goes_by_lines(query, tagged, self.words.model)

        chart = parse(tagged, self.composer, partial(self.asks, fits=fits))
        queries = list(self.agree(chart.whole, fits))
        if self.words.asks_who(tagged):  # nobody is a date or a number
            queries = [query for query in queries if self._may_be_people(query)]
        if not queries and (asking := self.words.with_who(tagged)) is not None:
            again = parse(asking, self.composer, partial(self.asks, fits=fits))
            queries = list(self.agree(again.whole, fits))
        if not queries and not said.clauses and (left_open := open_readings(self.composer, chart.whole)):
            return Readings(left_open, open=True, guessed=self._guesses(left_open, said.question, today))
        if not queries:
            return self._not_composed(tagged, chart)
        laid_out = self._laid_out(queries, said)
        if isinstance(laid_out, Readings):
            return laid_out
        meant = told_once(of_one_row(tuple(dict.fromkeys(self._told(laid_out, tagged))), self.words.model))
        meant = either_end(meant, self.words.model)
        meant = in_one_time(by_its_grain(by_stored_year(meant, self.words.model)))
        meant = or_by_age(self.words.still_there(meant, tagged, today), tagged, born=self.words.born, today=today)
        if not meant:
            return self._not_composed(tagged, chart)
        return Readings(meant, guessed=self._guesses(meant, said.question, today))

    def _laid_out(self, queries: Sequence[SemanticQuery], said: _LaidOutQuestion) -> list[SemanticQuery] | Readings:
        """The queries with what the clauses say of the answer; or the clause that cannot be had."""
        told = list(queries)
        for clause in said.clauses:
            told = self._layout.laid_out(told, clause, today=said.today, locale=said.locale)
            if not told:
                return Readings((), instead=said.core, unmet=clause.said)
        return told

    def _told(self, queries: Sequence[SemanticQuery], tagged: Tagged) -> Iterator[SemanticQuery]:
        """The queries with what their words leave open filled in: one for each way, date or scope that may be meant."""
        model, theirs = self.words.model, self.words.says_whose_own(tagged)
        said = {token.text for token in tagged.tokens}
        deeds = (
            timed for query in queries for one in each_deed(query, tagged, model) for timed in in_each_time(one, tagged)
        )
        queries = [one for query in deeds for one in by_all_their_rows(query, tagged, model)]
        amounts = (one for query in queries for one in amounts_of(query, tagged, model))
        whole = (one for query in amounts if (one := ratio_rules.of_the_whole(query, self.composer)) is not None)
        meant = (one for query in whole for one in means_rules.either_means(query, tagged))
        scoped = (own for query in meant for own in average_of_their_own(query, model, said=theirs))
        shared = (one for query in scoped for one in either_share(query, tagged, self.words.turning))
        counted = (counted_from_above(by_their_role(query, model), model) for query in shared)
        years = (year for query in counted for year in either_year(query, model, said))
        spelt = (in_every_spelling(query, self.words.spellings) for query in years if not contradicts(query))
        own = (one for query in spelt for named in by_what_is_named(query, model) for one in of_its_own(named, model))
        placed = (place for query in own for place in either_place(query, tagged, model))
        linked = (one for query in placed for one in each_link(query, model))
        dated = (
            held
            for query in linked
            for day in either_date(on_its_weekday(query, model), model)
            for held in self.words.held_then(day, tagged)
        )
        ordered = (
            one for query in dated for each in by_each_measure(query, tagged) for one in or_by_number(each, tagged)
        )
        timed = (one for query in ordered for one in each_in_its_time(self.composer, query))
        told: Iterator[SemanticQuery] = (
            way for query in timed for one in either_average(query, tagged, model) for way in each_way(one, model)
        )
        if self.words.asks_how_often(tagged):
            told = (done for way in told for done in happenings(way, model))
        elif self.words.counts_what_was_done(tagged):
            by_deeds = through_deeds(tuple(told), self.words.deeds_in(tagged), model)
            told = (one for way in by_deeds for one in either_count(way, model))
        if self.words.says_in_total(tagged):
            told = added_up(tuple(told))
        if self.words.says_each_apart(tagged):
            several = tuple(told)
            told = iter([one for one in several if one.by] or several)
        together = self.words.says_together(tagged)
        told = (one for way in told for one in either_mean(added_together(way) if together else way, tuple(said)))
        apart = (for_each_called_so(way, model) for way in told)
        along = (in_own_unit(one, model) for way in apart if (one := along_both(way)) is not None)
        for one in (
            with_those_without(with_its_text(with_its_figure(way, model), model), tagged, model) for way in along
        ):
            if not is_impossible(one, tagged, model) and not (together and names_currencies(one, model)):
                yield from each_that_was_held(one, tagged, self._held)

    def _may_be_people(self, query: SemanticQuery) -> bool:
        """Whether a query can answer who: not by a bare number of something else, such as the head of a department."""
        if not query.lists:
            return self._tells_people(query) or query.compare is not None
        fields = [one.field for one in query.show if one.field and not one.via]
        numbers = bool(fields) and len(fields) == len(query.show) and all(map(self._counts_or_dates, fields))
        thing = self.words.model.things[query.of or ""]
        named = not all(self._counts_or_dates(f"{thing.name}.{name}") for name in thing.display if name in thing.fields)
        return not numbers or (bool(query.order) and named) or is_person(thing)

    def _tells_people(self, query: SemanticQuery) -> bool:
        """Whether it is divided by more than dates and numbers: nobody is a date."""
        return any(one.field is None or not self._counts_or_dates(one.field) for one in query.by)

    def _counts_or_dates(self, path: str) -> bool:
        entity, _, field = path.rpartition(".")
        facts = self.words.model.things[entity].fields[field]
        return facts.is_date or facts.column.type in NUMERIC

    def _guesses(self, queries: tuple[SemanticQuery, ...], question: str, today: date) -> bool:
        """Whether the time that they are about was guessed."""
        timed = any(query.period or query.compare or _DAY.search(query.canonical_json()) for query in queries)
        return timed and self.words.guesses_time(question, today)

    def _beside_unknown(self, tagged: Tagged) -> tuple[str, ...]:
        """The stretches beside unknown words that are understood each by itself, where these are more than a word."""
        known = {place for one in tagged.mentions for place in range(one.start, one.end)} | tagged.skipped
        unknown = set(range(len(tagged.tokens))) - known
        spans = parse(tagged, self.composer).stretches(apart=unknown)
        told = [(start, end) for start, end in spans if end - start > 1]
        return tuple(text for span in told if " " in (text := _trimmed(tagged, *span)))

    def _not_composed(self, tagged: Tagged, chart: Chart) -> Readings:
        """Every word is known, but not how they belong together: what is understood, and what of it could be asked alone."""
        stretches = chart.stretches()
        longest = sorted(stretches, key=lambda span: span[0] - span[1])
        whole = (chart.places[0], chart.places[-1]) if chart.places else None
        alone = next((span for span in longest if span != whole and any(self.agree(chart.cells[span]))), None)
        said = tuple(_trimmed(tagged, *span) for span in stretches)
        instead = _trimmed(tagged, *alone) if alone else ""
        beside = _around(tagged, *alone) if instead and alone else ()
        return Readings((), understood=tuple(text for text in said if text), instead=instead, beside=beside)

    def agree(
        self, found: ChartCell, fits: Callable[[SemanticQuery], bool] = lambda _: True
    ) -> tuple[SemanticQuery, ...]:
        """The different queries of the phrases that pass over the fewest preferences."""
        best: Marks | None = None
        agreed: dict[str, SemanticQuery] = {}
        for phrase, marks in sorted(found.items(), key=itemgetter(1)):
            if best is not None and marks > best:
                break
            for query in filter(fits, self._finished(phrase)):
                best = marks
                agreed.setdefault(query.canonical_json(), query)
        return tuple(agreed.values())

    def _finished(self, phrase: Phrase) -> Iterator[SemanticQuery]:
        """The queries that a phrase over the whole question may ask."""
        yield from (query for scope in _scopes(phrase) if (query := self._finish(scope)) is not None)

    def asks(self, phrase: Phrase, fits: Callable[[SemanticQuery], bool] = lambda _: True) -> bool:
        """Whether a phrase over the whole question is one."""
        return any(map(fits, self._finished(phrase)))

    def _finish(self, phrase: Phrase) -> SemanticQuery | None:
        """The query that a phrase over the whole question asks."""
        match phrase:
            case RowsPhrase(awaits=None, link=None, other=False, figure_word=False):
                # Beside the largest stands how large it is; beside the largest of each, of which.
                by = tuple(order.by for order in phrase.order if order.by.is_field and phrase.limit)
                beside = (*by, *self._owners(phrase), *(Shown(field=field.path) for field in phrase.also))
                return phrase.query().model_copy(update={"show": tuple(dict.fromkeys(beside))}).normalized()
            case Lookup() | FieldsOfEach(Lookup()):
                return self._finish_lookup(phrase.lookup if isinstance(phrase, FieldsOfEach) else phrase)
            case FigurePhrase() if _runs_nowhere(phrase) or series_rules.changes_nowhere(phrase):
                return None
            case FigurePhrase(direction=None, changes=False):
                return self._without_whole_years(phrase.query()).normalized()
            case DaysPhrase(said=True, bound=None, rows=RowsPhrase() as rows):
                return rows.query().model_copy(update={"show": (phrase.shown,)}).normalized()
            case ShareOf():
                part = share_rules.share_of_time(self.composer, phrase)
                return part.query().normalized() if part is not None else None
            case MeanFigure():
                return phrase.query().normalized()
            case RowFilter(before=True):
                return RowsPhrase(phrase.entity, where=phrase.where).query().normalized()
            case Attribute():
                return self._finish_attribute(phrase)
            case Edited():
                return _whole(phrase.query)
            case Attributes() if all(field.plain for field in phrase.fields):
                return SemanticQuery(by=tuple(Dimension(field=field.path) for field in phrase.fields)).normalized()
            case _:
                return None

    def _owners(self, rows: RowsPhrase) -> Iterator[Shown]:
        """What the rows are the first of, where their own key does not tell it."""
        model = self.words.model
        for one in rows.per:
            end = one.entity or (one.field or "").rpartition(".")[0]
            if one.field and end == rows.entity:
                yield Shown(field=one.field, grain=one.grain)
                continue
            names = model.things[end].display if one.entity else ((one.field or "").rpartition(".")[2],)
            ways = model.ways(rows.entity, end)
            pointing = {own for way in ways if len(way) == 1 for hop in way[0].hops for own, _ in hop.keys}
            if (
                ways
                and all(way and is_to_one(way) for way in ways)
                and not pointing <= set(model.things[rows.entity].key)
            ):
                yield from (Shown(field=f"{end}.{name}", via=one.via) for name in names)

    def _without_whole_years(self, query: SemanticQuery) -> SemanticQuery:
        """Per month of no period: without the rows that are about whole years."""
        parts = self.words.model.things[query.of or ""].date_parts
        month = f"{query.of}.{parts.month}" if parts and parts.month and parts.whole is not None else ""
        if not month or query.period is not None or all(one.field != month for one in query.by):
            return query
        real = Comparison(field=month, op="!=", value=parts.whole if parts else None)
        return query.model_copy(update={"where": all_of((query.where, real))})

    def _finish_lookup(self, lookup: Lookup) -> SemanticQuery | None:
        attribute = lookup.fields[0]
        added = self.composer.adds_up(attribute) or self.composer.may_add_up(attribute)
        if len(lookup.fields) == 1 and attribute.totals and attribute.plain and added and not lookup.rows.single:
            return self._finish_total(attribute, lookup.rows)  # the total cost of the admissions
        if lookup.asked and not lookup.rows.single:
            if attribute.entity != lookup.rows.entity or not self.composer.adds_up(attribute):
                return None
            return self._finish_total(attribute, lookup.rows)
        names, rows = tuple(field.field for field in lookup.fields), lookup.rows
        if lookup.distinct and not (rows.order or rows.limit or rows.named):
            by = tuple(Dimension(field=field.path) for field in lookup.fields)
            return SemanticQuery(by=by, where=all_of(rows.where), period=rows.period).normalized()
        if names == self.words.model.things[lookup.rows.entity].display:
            return lookup.rows.query().normalized()
        shown_fields = tuple(Shown(field=field.path, unit=lookup.unit) for field in lookup.fields)
        return lookup.rows.query().model_copy(update={"show": shown_fields}).normalized()

    def _finish_total(self, attribute: Attribute, rows: RowsPhrase) -> SemanticQuery | None:
        """The sum of a field over rows; nothing where it is not their own, or where rows are asked for with a field beside."""
        if attribute.entity != rows.entity or rows.also:
            return None
        shown = Shown(aggregate=Aggregate.SUM, field=attribute.path)
        return self.composer.figure_of(shown, rows).query().normalized()

    def _finish_attribute(self, attribute: Attribute) -> SemanticQuery | None:
        if attribute.ranks and attribute.plain:
            return None  # the highest point of all, or that of each row: the words do not say
        if attribute.plain and (attribute.entity, attribute.field) in self.composer.truths:
            return None  # yes and no
        if attribute.plain and attribute.totals and self.composer.adds_up(attribute):
            return self._finish_total(attribute, RowsPhrase(attribute.entity))  # total sales, and no more
        if attribute.plain:
            return SemanticQuery(by=(Dimension(field=attribute.path),)).normalized()
        figure = self.composer.totalled(attribute, RowsPhrase(attribute.entity))
        return figure.query().normalized() if figure else None


def _scopes(phrase: Phrase) -> Iterator[Phrase]:
    """The largest cities in the states: of all of them, or of each; an average of all or of these; with those that have none."""
    yield phrase
    if isinstance(phrase, MeanFigure) and quantity_rules.counts_everyone(phrase):
        yield replace(phrase, everyone=True)
    if isinstance(phrase, RowsPhrase | FigurePhrase) and (among := comparing_rules.average_among(phrase.where)):
        yield replace(phrase, where=among)
    rows = phrase.rows if isinstance(phrase, Lookup) else phrase
    if isinstance(rows, RowsPhrase) and rows.within and rows.plural and rows.limit == 1 and not rows.per:
        each = replace(rows, per=(Dimension(entity=rows.within),))
        yield replace(phrase, rows=each) if isinstance(phrase, Lookup) else each


def _runs_nowhere(figures: FigurePhrase) -> bool:
    """Whether a running total is asked for, but not along what time."""
    running = any(one.transform is Transform.RUNNING_TOTAL for one in figures.shown)
    return running and sum(one.is_dated for one in figures.by) != 1


_DAY = re.compile(r'"\d{4}-\d\d-\d\d"')
"""A day that rows are compared with."""
_TITLES = "".join(
    rf"(?<!\b{title}\.)" for title in ("Dr", "Prof", "Mr", "Mrs", "Ms", "St", "Hr", "Fr", "Nr", "No", "Jr", "Sr")
)
_SENTENCE = re.compile(rf"(?<=[.?!。？！])(?<!\s\d\.)(?<!\s\d\d\.){_TITLES}\s+(?=[A-ZÄÖÜ])|(?<=[。？！])")


_BOOKS = (
    joining_words_rules,
    kind_noun_rules,
    asked_figures_rules,
    asked_first_rules,
    rows_rules,
    verb_rules,
    coming_about_rules,
    ranking_rules,
    best_by_figure_rules,
    bounds_rules,
    best_of_each_rules,
    best_change_rules,
    kept_groups_rules,
    figures_rules,
    over_time_rules,
    comparing_rules,
    than_average_rules,
    than_their_own_rules,
    quantity_rules,
    ratio_rules,
    share_rules,
    whether_rules,
    flag_rules,
    light_verb_rules,
    means_rules,
    missing_rules,
    money_rules,
    persons_rules,
    happening_rules,
    only_named_rules,
    noun_last_rules,
    numbered_rules,
    own_field_rules,
    layout_rules,
    span_rules,
    told_apart_rules,
    row_pairs_rules,
    side_by_side_rules,
    weekday_rules,
    best_groups_rules,
    series_rules,
    denied_rules,
    faring_rules,
    used_rules,
)


@cache
def all_rules() -> Rules:
    """The rules that join the phrases of a question."""
    rules: Rules = {}
    for book in _BOOKS:
        for kinds, functions in book.RULES.items():
            rules.setdefault(kinds, []).extend(functions)
    return rules


def _whole(query: SemanticQuery) -> SemanticQuery | None:
    """A changed query, where its parts still go together."""
    try:
        return SemanticQuery.model_validate(to_json(query)).normalized()
    except ValidationError:
        return None


def _trimmed(tagged: Tagged, start: int, end: int) -> str:
    """The words of a stretch as they were written, without those at its ends that change nothing."""
    kept = [place for place in range(start, end) if place not in tagged.skipped]
    return tagged.said(kept[0], kept[-1] + 1) if kept else ""


def _around(tagged: Tagged, start: int, end: int) -> tuple[str, ...]:
    """What is said before and after a stretch, with the words that hold it together."""
    kept = [place for place in range(start, end) if place not in tagged.skipped]
    before, last = _trimmed(tagged, 0, start), len(tagged.tokens)
    after = tagged.said(kept[-1] + 1, last) if kept[-1] + 1 < last and _trimmed(tagged, end, last) else ""
    return tuple(text for text in (before, after) if text)


def unknown_words(tagged: Tagged) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words that nothing stands for, folded and as they were written; nothing where there are none."""
    known = {place for mention in tagged.mentions for place in range(mention.start, mention.end)} | tagged.skipped
    spans: list[tuple[int, int]] = []
    for place, token in enumerate(tagged.tokens):
        if place in known:
            continue
        if spans and spans[-1][1] == place and is_unspaced(token.text):
            spans[-1] = (spans[-1][0], place + 1)  # signs that stand together are one word
        else:
            spans.append((place, place + 1))
    folded = tuple("".join(token.text for token in tagged.tokens[start:end]) for start, end in spans)
    return (folded, tuple(tagged.said(*span) for span in spans)) if spans else None
