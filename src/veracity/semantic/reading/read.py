"""The reader: a question -> its meanings. One: it can be answered. Several: it is asked back. None: which word is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import product

from veracity.language.folding import words_in
from veracity.language.stem import stem_of
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.active_voice import as_stored, by_name_of_people, by_whom, sold_in, time_of
from veracity.semantic.reading.ages import ages_said, with_ages
from veracity.semantic.reading.answer_layout import AnswerLayout
from veracity.semantic.reading.asked_forms import Read, without_owner
from veracity.semantic.reading.best_beside import tells_its_figure
from veracity.semantic.reading.chart import parse
from veracity.semantic.reading.clauses import AnswerClause, clause_cutter
from veracity.semantic.reading.completed_queries import QueryCompleter
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.deed_forms import deeds_said, says_both
from veracity.semantic.reading.definitions import DefinitionReader, Meaning, definitions_in, divides_alike, restated
from veracity.semantic.reading.everyday import EverydayReader
from veracity.semantic.reading.field_verbs import passed_by, said_by_verb
from veracity.semantic.reading.figure_tail import by_said_figure
from veracity.semantic.reading.flow_verbs import of_this_flow
from veracity.semantic.reading.happened_counts import happened_counts
from veracity.semantic.reading.head_nouns import with_whole_names
from veracity.semantic.reading.impossible_readings import goes_by_lines, takes_who_joined
from veracity.semantic.reading.key_names import by_their_names, with_their_names
from veracity.semantic.reading.open_pieces import open_readings
from veracity.semantic.reading.outstanding import outstanding
from veracity.semantic.reading.part_and_whole import group_or_value
from veracity.semantic.reading.passed_over import lists_what_is_compared, tells_all_for_the_best
from veracity.semantic.reading.phrases import JoiningWord, RowsPhrase
from veracity.semantic.reading.place_verbs import said_place
from veracity.semantic.reading.rates import rates_said
from veracity.semantic.reading.readings import Readings, beside_unknown, not_composed, unknown_words
from veracity.semantic.reading.row_ends import told_apart_by_end
from veracity.semantic.reading.rule_books import all_rules
from veracity.semantic.reading.said_again import names_its_figure, said_again
from veracity.semantic.reading.said_ends import EndReader, ReadAgain
from veracity.semantic.reading.said_otherwise import of_each_one, plainly, share_of_one, without_figure_of_it
from veracity.semantic.reading.signs import with_words_for_signs
from veracity.semantic.reading.time_last import time_last
from veracity.semantic.reading.time_taken import times_taken
from veracity.semantic.reading.tying_verbs import tied_by_verb
from veracity.semantic.reading.unsaid_figures import unsaid_figures
from veracity.semantic.reading.values_with import each_once, rows_together, values_of_rows
from veracity.semantic.reading.whole_phrases import agree, asks, may_answer_who
from veracity.semantic.reading.word_lists import spans_of
from veracity.semantic.reading.words import WordBook

_MOST_KNOWN = 64
_LONGEST_TIED = 300
"""Characters of the longest question that is read again in parts or without its verb."""
_SEVERAL = 2


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
        self._completer = QueryCompleter(words, self.composer)
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
            return Readings((), *unknown, understood=beside_unknown(tagged, self.composer))
        of_place = said_place(tagged)

        def fits(query: SemanticQuery) -> bool:
            return of_place(query) and not goes_by_lines(query, tagged, self.words.model)

        chart = parse(tagged, self.composer, partial(asks, self.composer, fits=fits))
        queries = list(agree(self.composer, chart.whole, fits))
        if self.words.asks_who(tagged):  # nobody is a date or a number
            queries = [query for query in queries if may_answer_who(query, self.words.model)]
        if not queries and (asking := self.words.with_who(tagged)) is not None:
            again = parse(asking, self.composer, partial(asks, self.composer, fits=fits))
            queries = list(agree(self.composer, again.whole, fits))
        if not queries and not said.clauses and (left_open := open_readings(self.composer, chart.whole)):
            return Readings(left_open, open=True, guessed=self._guesses(left_open, said.question, today))
        if not queries:
            return not_composed(tagged, chart, self.composer)
        laid_out = self._laid_out(queries, said)
        if isinstance(laid_out, Readings):
            return laid_out
        meant = self._completer.completed(laid_out, tagged, today)
        if not meant:
            return not_composed(tagged, chart, self.composer)
        return Readings(meant, guessed=self._guesses(meant, said.question, today))

    def _laid_out(self, queries: Sequence[SemanticQuery], said: _LaidOutQuestion) -> list[SemanticQuery] | Readings:
        """The queries with what the clauses say of the answer; or the clause that cannot be had."""
        told = list(queries)
        for clause in said.clauses:
            told = self._layout.laid_out(told, clause, today=said.today, locale=said.locale)
            if not told:
                return Readings((), instead=said.core, unmet=clause.said)
        return told

    def _guesses(self, queries: tuple[SemanticQuery, ...], question: str, today: date) -> bool:
        """Whether the time that they are about was guessed."""
        timed = any(query.period or query.compare or _DAY.search(query.canonical_json()) for query in queries)
        return timed and self.words.guesses_time(question, today)


_DAY = re.compile(r'"\d{4}-\d\d-\d\d"')
"""A day that rows are compared with."""
_TITLES = "".join(
    rf"(?<!\b{title}\.)" for title in ("Dr", "Prof", "Mr", "Mrs", "Ms", "St", "Hr", "Fr", "Nr", "No", "Jr", "Sr")
)
_SENTENCE = re.compile(rf"(?<=[.?!。？！])(?<!\s\d\.)(?<!\s\d\d\.){_TITLES}\s+(?=[A-ZÄÖÜ])|(?<=[。？！])")
