"""The meaning of a question: read from its words, run, and answered in words that the program writes. A model only says what words mean that nothing here knows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from time import perf_counter
from typing import TYPE_CHECKING

from veracity.agent.loop import Run, Stop
from veracity.agent.progress import Doing, Tell, silent
from veracity.answer.answer import Clarification, Outcome, ReadingOption, WordOffer
from veracity.answer.coverage import Stored
from veracity.answer.render import FigureProvenance
from veracity.answer.results import Result
from veracity.answer.unknown_things import things
from veracity.ask.beyond_data import beyond_data
from veracity.ask.declining import asks_for_revenue, not_composed, quoted, unconfirmed_measure, with_unknown_words
from veracity.ask.near_questions import near_questions, says_sum
from veracity.ask.open_periods import are_of, asked_latest, asked_when, end_of, latest_figures, of_year, stored_years
from veracity.ask.overlapping import amounts_counted_twice, come_to_more
from veracity.ask.overview import asks_for_overview, most_to_say_of, overview
from veracity.ask.ran_reading import (
    RanReading,
    as_result,
    differ,
    different,
    each_of,
    in_turn,
    provenance_of,
    with_rows,
)
from veracity.ask.settled import SettledMeaning
from veracity.ask.understood import UnderstoodQuestion
from veracity.ask.unknown_words import UnknownInQuestion, UnknownWords
from veracity.ask.word_tables import WordTables
from veracity.contracts import (
    QueryValidationError,
    ToolCallLog,
    ValidationErrorCode,
    clip,
)
from veracity.language.folding import fold, words_in
from veracity.language.locale import pick
from veracity.language.texts import say
from veracity.question.mentions import MentionKind
from veracity.semantic.checking.check import check
from veracity.semantic.checking.plan import PlainFigure, figure_of
from veracity.semantic.editing import averaged, inner_bests, with_inner
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Dimension, SemanticQuery, to_json
from veracity.semantic.reading.follow_up import FollowUpReader
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.readings import FollowUp, Readings, unknown_words
from veracity.semantic.wording.answer_text import answer_text
from veracity.semantic.wording.labels import labels_of
from veracity.semantic.wording.read_back import Sentences, read_back, sentence
from veracity.semantic.wording.refusal import is_unconfirmed, refusal, says_nothing
from veracity.tools.semantic import SEMANTIC_TOOL, SemanticTools

if TYPE_CHECKING:
    from veracity.ask.model_query import Asking, Proposal, QueryWriter
    from veracity.ask.prose import ProseWriter

MOST_OPTIONS = 4
"""So many readings are offered where they differ."""
_MOST_RUN = 8
"""So many ways to fill in an open piece are run, to offer those that differ."""
_MOST_PARTS = 10
"""Of so many the parts of a level are listed."""
_LONGEST_WORD = 40


class MeaningReader:
    """Reads questions about one source, and answers those whose meaning is clear."""

    def __init__(
        self,
        tools: SemanticTools,
        *,
        alone: bool,
        answers_first: bool = True,
        unknown: UnknownWords | None = None,
        writer: QueryWriter | None = None,
        prose: ProseWriter | None = None,
    ) -> None:
        self.tools = tools
        self._writer = writer
        self._prose = prose
        self._unknown = unknown or UnknownWords()
        self.alone = alone
        """Whether nobody else is there to answer what it does not understand."""
        self.answers_first = answers_first
        """Whether it answers what it understands; otherwise it only knows the words."""
        self._tables = WordTables()
        self.leaves_all_to_the_model = False
        """Whether a model is asked about every question, also where the words are clear; for evaluations."""

    async def settle(
        self,
        question: UnderstoodQuestion,
        result_id: str,
        *,
        offers: Mapping[str, SemanticQuery],
        before: SemanticQuery | None = None,
        asking: Asking | None = None,
    ) -> SettledMeaning | None:
        """What a question comes to; nothing where it is not understood and somebody else may understand it.

        `before` is the last query of the conversation, which a follow-up changes; `offers` are the options of a question back;
        `asking` is how a model is asked about what its words do not tell.
        """
        if asks_for_overview(question.question, question.lang):
            return await self._overview(question)
        found = self._read(question, offers, before)
        if self.leaves_all_to_the_model:
            found = replace(found, queries=())
        settled = None
        if not found.queries and asking is not None and self._writer is not None:
            settled = await self._by_model(question, found, result_id, asking, before)
        tell = asking.run.tell if asking is not None else silent
        settled = settled or await self._settled(found, question, result_id, before, tell)
        if settled is not None and asking is not None and settled.outcome is Outcome.ABSTAINED:
            settled = self._told_if_late(settled, question.lang, asking.run)
        if settled is not None and asking is not None and asking.prose:
            settled = await self._in_prose(settled, question, asking)
        edits = isinstance(found, FollowUp) and found.edits
        return replace(settled, edits=edits) if settled is not None else None

    async def _overview(self, question: UnderstoodQuestion) -> SettledMeaning:
        """What the data holds, and some questions that it surely answers."""
        model, lang = self.tools.model, question.lang
        told = overview(model, lang)
        if possible := await self._possible(question, most_to_say_of(model, lang)):
            told = f"{told}\n{say('overview_ask', lang, questions=quoted(possible, lang))}"
        return SettledMeaning(Outcome.ANSWERED, told)

    async def _possible(self, question: UnderstoodQuestion, about: str) -> tuple[str, ...]:
        """Questions about what the data has most to say of, whatever was asked."""
        reader = self._reader(question.lang, question.stored)
        tagged = reader.words.tag(about, today=question.today, locale=question.locale)
        return await near_questions(self.tools, reader, tagged, question.today)

    def _read(
        self, question: UnderstoodQuestion, offers: Mapping[str, SemanticQuery], before: SemanticQuery | None
    ) -> Readings:
        if question.question.strip() in offers:
            return Readings((offers[question.question.strip()],), chosen=True)
        reader = self._reader(question.lang, question.stored)
        if before is None or not isinstance(check(before, self.tools.model), SemanticQuery):
            return reader.read(question.full, today=question.today, locale=question.locale)
        follow_ups = FollowUpReader(reader)
        return follow_ups.read(before, question.question, today=question.today, locale=question.locale)

    async def _settled(
        self, found: Readings, question: UnderstoodQuestion, result_id: str, before: SemanticQuery | None, tell: Tell
    ) -> SettledMeaning | None:
        alone = self.alone or self._writer is not None
        if not found.queries:
            return await self._asked_meaning(question, found, before) if alone else None
        if found.guessed:
            years = await stored_years(self.tools, found.queries[0])
            # By which figure is the larger question: it is asked for the latest year.
            latest = years[:1] if found.open else years
            told = self._read(replace(question, today=end_of(latest[0])), {}, before) if len(latest) == 1 else found
            if not told.queries or not all(are_of(query, latest) for query in told.queries):
                return asked_when(found.queries[0], question, years, guessed=True)
            found = told
        tell(Doing.RUNNING, SEMANTIC_TOOL)
        ran, problems = await self._run(
            found.queries[:_MOST_RUN] if found.open else in_turn(found.queries)[:MOST_OPTIONS]
        )
        if any(_lacks_period(problem) for problem in problems):
            stored = [await stored_years(self.tools, query) for query in found.queries]
            newest = max((years[0] for years in stored if years), default=None)
            if found.open and newest:  # by which figure is the larger question: it is asked for the latest year
                return await self._settled(of_year(found, newest), question, result_id, before, tell)
            return asked_when(found.queries[0], question, stored[0])
        if not ran:
            return await self._refused(problems[0], found.queries, question) if alone else None
        tell(Doing.WORDING)
        if unsaid := self._unconfirmed(problems, question.lang):
            return self._ask_back(ran, question.lang, unsaid)
        if found.open:
            offered = different(with_rows(ran))[:MOST_OPTIONS]
            return self._ask_back(
                offered, question.lang, say("is_this_meant", question.lang) if len(offered) == 1 else ""
            )
        more = len(found.queries) > MOST_OPTIONS
        if len(ran) > 1 and (more or found.apart or any(differ(ran[0].result, other.result) for other in ran[1:])):
            return self._ask_back(ran if found.apart else different(ran), question.lang)
        if not found.chosen and (later := await asked_latest(self.tools, ran[0].result, question)) is not None:
            return later
        asked = await self._ask_about_ties(ran[0], question) or await self._ask_about_groups(ran[0], question, found)
        return asked or await self._answered(ran[0], question, result_id)

    def _unconfirmed(self, problems: Sequence[QueryValidationError], lang: str) -> str:
        """Why one of several readings cannot be answered before a person says so: then the others are not simply meant."""
        model = self.tools.model
        open_ones = (one for one in problems if is_unconfirmed(one, model))
        return next((say("breaks_a_rule", lang, reason=refusal(one, model, lang)) for one in open_ones), "")

    async def _ask_about_groups(
        self, ran: RanReading, question: UnderstoodQuestion, found: Readings
    ) -> SettledMeaning | None:
        """Where an amount counts in several groups: whether that is meant, or the total of all."""
        whole = None if found.chosen else amounts_counted_twice(ran.result, self.tools.model)
        together, _ = await self._run([whole]) if whole is not None else ([], [])
        if not together or not come_to_more(ran.result, together[0].result):
            return None
        return self._ask_back([ran, together[0]], question.lang, say("counted_in_several", question.lang))

    async def _in_prose(self, settled: SettledMeaning, question: UnderstoodQuestion, asking: Asking) -> SettledMeaning:
        """The answer in a model's words, where they say the same; otherwise as it is."""
        if self._prose is None or settled.query is None or settled.outcome is not Outcome.ANSWERED:
            return settled
        from veracity.ask.prose import FinishedAnswer

        reader = self._reader(question.lang, question.stored)
        answer = FinishedAnswer(settled.text, settled.provenance, settled.query, question, reader)
        prose = await self._prose.word(answer, asking.run, asking.watches)
        if prose is None:
            return settled
        return replace(settled, text=prose.text, provenance=prose.figures, worded_by_model=True)

    def _told_if_late(self, settled: SettledMeaning, lang: str, run: Run) -> SettledMeaning:
        """The same, with a sentence that the model was not waited for any longer, where that is why."""
        if run.stop is not Stop.SECONDS or self._writer is None:
            return settled
        late = say("model_took_too_long", lang, seconds=f"{self._writer.limits.seconds:g}")
        return replace(settled, text=f"{settled.text} {late}")

    async def _by_model(
        self,
        question: UnderstoodQuestion,
        found: Readings,
        result_id: str,
        asking: Asking,
        before: SemanticQuery | None,
    ) -> SettledMeaning | None:
        """What a language model says that is meant: answered where the words say it, else asked back."""
        assert self._writer is not None
        reader, lang = self._reader(question.lang, question.stored), question.lang
        proposed = None
        if found.unknown and not self.leaves_all_to_the_model:
            proposed = await self._by_other_words(self._with_unknown(question, found, before), question, asking)
        if proposed is None:
            said_before = sentence(read_back(before, self.tools.model, lang)) if before is not None else ""
            proposed = await self._writer.propose(question, reader, asking.run, asking.watches, said_before)
        if proposed is None:
            return None
        if proposed.said or (asking.assume and proposed.likely):
            settled = await self._settled(Readings(proposed.queries), question, result_id, before, asking.run.tell)
            told = proposed.assumptions
            return replace(settled, by_model=True, assumptions=told) if settled is not None else None
        return replace(self._ask_whether(proposed, lang), by_model=True)

    async def _by_other_words(
        self, asked: UnknownInQuestion, question: UnderstoodQuestion, asking: Asking
    ) -> Proposal | None:
        """What the question asks with other words that a model says for the unknown ones; nothing where they are not known here."""
        from veracity.ask.model_query import Proposal, WordAssumption
        from veracity.ask.other_words import meant_by

        assert self._writer is not None
        reader, stored = self._reader(question.lang, question.stored), self._tables.stored_names(question.stored)
        unknown = asked.found.unknown_said
        said = await self._writer.words_like(asked.text, unknown, question.lang, asking.run, asking.watches)
        meant = await asyncio.to_thread(meant_by, said, asked, reader, stored, self._unknown) if said else None
        if meant is None:
            return None
        assumed = tuple(WordAssumption(word, like, like) for word, like in meant.words)
        return Proposal(meant.queries, assumed, likely=meant.sure)

    def _ask_whether(self, proposed: Proposal, lang: str) -> SettledMeaning:
        """Whether what a model assumes is meant, asked back; a word with one meaning can be remembered."""
        readings, assumed = dict[str, ReadingOption](), proposed.assumptions
        for query in proposed.queries[:MOST_OPTIONS]:
            said = sentence(read_back(query, self.tools.model, lang))
            teaches = None
            if proposed.left_out:
                said = say("left_out", lang, word=proposed.left_out, query=said)
            if assumed:
                word, means = ", ".join(one.word for one in assumed), ", ".join(one.means for one in assumed)
                said = say("unknown_option", lang, word=word, means=means, query=said)
                teaches = WordOffer(word=word, means=means) if len(assumed) == 1 and assumed[0].name else None
            readings.setdefault(said, ReadingOption(text=said, query=to_json(query), teaches=teaches))
        key = "unknown_means" if assumed else "is_this_meant"
        text = say(key, lang, word=clip(", ".join(one.word for one in assumed), _LONGEST_WORD))
        offers = {one.text: SemanticQuery.model_validate(one.query) for one in readings.values()}
        asked = Clarification(question=text, options=tuple(offers))
        return SettledMeaning(Outcome.CLARIFY, text, asked, readings=tuple(readings.values()), offers=offers)

    def prompt(self, lang: str) -> str | None:
        """What a model is told for every question, where it is asked to fill in queries; without stored values."""
        if self._writer is None:
            return None
        from veracity.ask.model_prompt import rules
        from veracity.semantic.short_form import NamedPart

        return rules(self.tools.model, NamedPart.whole(self.tools.model), {}, lang)

    def unknown_things(self, question: UnderstoodQuestion) -> tuple[str, ...]:
        """Things in a question that nothing in the data is called."""
        words = self._reader(question.lang, question.stored).words
        tagged = words.tag(question.full, today=question.today, locale=question.locale)
        unknown = unknown_words(tagged)
        return things(question.full, unknown[0], question.lang) if unknown else ()

    def best_known(self, text: str, likely: str, stored: Stored, today: date) -> str:
        """The language in which the fewest words of a text are unknown; of several the likely one."""

        def unknown(lang: str) -> int:
            found = unknown_words(self._reader(lang, stored).words.tag(text, today=today, locale=lang))
            return len(found[0]) if found else 0

        missing = {lang: unknown(lang) for lang in dict.fromkeys((likely, "de", "en")) if lang != "zh"}
        return min(missing, key=lambda lang: missing[lang], default=likely)

    def _reader(self, lang: str, stored: Stored) -> QuestionReader:
        return self._tables.reader(self.tools.model, stored, lang)

    async def _run(self, queries: Sequence[SemanticQuery]) -> tuple[list[RanReading], list[QueryValidationError]]:
        ran, problems = list[RanReading](), list[QueryValidationError]()
        for query in queries:
            started = perf_counter()
            found = await self.tools.run(query)
            if isinstance(found, QueryValidationError):
                problems.append(found)
            else:
                ran.append(RanReading(found.query, found, (perf_counter() - started) * 1000))
        return ran, problems

    # --- answers, questions back, refusals

    async def _answered(self, ran: RanReading, question: UnderstoodQuestion, result_id: str) -> SettledMeaning:
        model, lang = self.tools.model, question.lang
        text, provenance, results = "", list[FigureProvenance](), list[tuple[Result, ToolCallLog]]()
        for one in (ran, await self._made_of(ran)):
            if one is None:
                continue
            worded = answer_text(one.result, model, lang, question.locale)
            result = as_result(one.result, f"r{int(result_id[1:]) + len(results)}")
            start = len(text) + 1 if text else 0
            text += ("\n" if text else "") + worded.text
            provenance += provenance_of(worded, result, start)
            results.append((result, one.log(result.data.result_id)))
        found = bool(ran.result.rows) or ran.query.lists
        return SettledMeaning(
            Outcome.ANSWERED if found else Outcome.ABSTAINED,
            text,
            read_back=sentence(read_back(ran.query, model, lang)),
            query=ran.query,
            provenance=tuple(provenance),
            results=tuple(results),
        )

    async def _made_of(self, ran: RanReading) -> RanReading | None:
        """What the balance of a group is made of, where it is a few: the two bank accounts with their balances."""
        spoken = [one for one in ran.query.by if not one.apart]
        group = Sentences(labels_of(self.tools.model, "en")).default_group(ran.query)
        if group is None or spoken or ran.query.compare or not _is_level(ran.query, self.tools.model):
            return None
        each = Dimension(entity=self.tools.model.segments[group.segment][0], via=group.via)
        parts, _ = await self._run([ran.query.model_copy(update={"by": (each, *ran.query.by)})])
        few = bool(parts) and len(ran.result.rows) < len(parts[0].result.rows) <= _MOST_PARTS
        return parts[0] if few else None

    def _ask_back(self, ran: Sequence[RanReading], lang: str, why: str = "") -> SettledMeaning:
        offers: dict[str, SemanticQuery] = {}
        for one in with_rows(ran):
            offers.setdefault(sentence(read_back(one.query, self.tools.model, lang)), one.query)
        text = why or say("which_reading", lang)
        options = tuple(offers)
        readings = tuple(ReadingOption(text=said, query=to_json(query)) for said, query in offers.items())
        asked = Clarification(question=text, options=options)
        return SettledMeaning(Outcome.CLARIFY, text, asked, readings=readings, offers=offers)

    async def _ask_about_ties(self, ran: RanReading, question: UnderstoodQuestion) -> SettledMeaning | None:
        """Where the one that a question takes for granted (the largest state) is not the only one: which is meant."""
        for best in inner_bests(ran.query):
            ran_best, _ = await self._run([best])
            if not ran_best or not ran_best[0].result.tied:
                continue
            tied = ran_best[0]
            offers = {name: with_inner(ran.query, best, only) for name, only in each_of(tied.result)}
            if 1 < len(offers) <= MOST_OPTIONS:
                text = say("which_of_tied", question.lang)
                asked = Clarification(question=text, options=tuple(offers))
                readings = tuple(ReadingOption(text=name, query=to_json(query)) for name, query in offers.items())
                return SettledMeaning(Outcome.CLARIFY, text, asked, readings=readings, offers=offers)
            return SettledMeaning(Outcome.ABSTAINED, say("many_tie", question.lang, count=len(tied.result.rows)))
        return None

    async def _asked_meaning(
        self, question: UnderstoodQuestion, found: Readings, before: SemanticQuery | None
    ) -> SettledMeaning:
        """What an unknown word may mean, asked back; without anything near it, why there is no answer."""
        if not found.unknown or self._settled_by_words(question, found, before) is not None:
            return await self._declined(question, found, before)
        asked = self._with_unknown(question, found, before)
        reader, lang = self._reader(question.lang, question.stored), question.lang
        # Vectors are computed, which takes a while.
        meant = await asyncio.to_thread(
            self._unknown.meanings, asked, reader, self._tables.stored_names(question.stored)
        )
        readings = dict[str, ReadingOption]()
        for one in meant:
            query = sentence(read_back(one.query, self.tools.model, lang))
            said = say("unknown_option", lang, word=one.word, means=one.means, query=query)
            offer = WordOffer(word=one.word, means=one.means)
            readings.setdefault(said, ReadingOption(text=said, query=to_json(one.query), teaches=offer))
        if not readings:
            return await self._declined(question, found, before)
        back = say("unknown_means", lang, word=clip(meant[0].word, _LONGEST_WORD))
        offers = {one.text: SemanticQuery.model_validate(one.query) for one in readings.values()}
        clarify = Clarification(question=back, options=tuple(offers))
        return SettledMeaning(Outcome.CLARIFY, back, clarify, readings=tuple(readings.values()), offers=offers)

    def _with_unknown(
        self, question: UnderstoodQuestion, found: Readings, before: SemanticQuery | None
    ) -> UnknownInQuestion:
        """The question as it is read with other words; a follow-up changes the query before it."""
        follows = isinstance(found, FollowUp)
        text = question.question if follows else question.full
        return UnknownInQuestion(text, found, question.today, question.locale, before if follows else None)

    def _settled_by_words(
        self, question: UnderstoodQuestion, found: Readings, before: SemanticQuery | None
    ) -> SettledMeaning | None:
        """What does not fit to the question before, a code that is not stored, a part of a name: these are told as they are."""
        lang = question.lang
        if isinstance(found, FollowUp) and found.misfit and before is not None:
            said = sentence(read_back(before, self.tools.model, lang))
            key = f"misfit_{found.why}" if found.why else "misfit"
            return SettledMeaning(Outcome.ABSTAINED, say(key, lang, words=found.misfit, before=said))
        guessed = self.tools.model.catalog.unconfirmed_measures
        sold = ("revenue",) if not found.unknown and asks_for_revenue(question.full) else ()
        if unsaid := unconfirmed_measure((*found.unknown, *sold), guessed, lang):
            return SettledMeaning(Outcome.ABSTAINED, unsaid)
        if not found.unknown and (missing := _unknown_codes(question)):
            return SettledMeaning(Outcome.ABSTAINED, say("not_in_data", lang, words=", ".join(missing)))
        return self._asked_whole_name(question, found.unknown) if found.unknown else None

    async def _declined(
        self, question: UnderstoodQuestion, found: Readings, before: SemanticQuery | None
    ) -> SettledMeaning:
        """Why it is not answered, how far it is understood, and what could be asked that shares what it names."""
        lang = question.lang
        if (settled := self._settled_by_words(question, found, before)) is not None:
            return settled
        beyond = beyond_data(question.full, lang)
        parts = [beyond or not_composed(found, lang)]
        if found.unknown and not beyond:
            parts = with_unknown_words(question.full, found, lang, self._names(lang), self._called(lang))
        if near := await self._near(question):
            parts += near
        elif found.instead and not (found.unknown or found.unmet or beyond):
            parts.append(say("ask_instead", lang, query=quoted([found.instead], lang)))
        elif possible := await self._possible(question, await latest_figures(self.tools, lang)):
            parts.append(say("overview_ask", lang, questions=quoted(possible, lang)))
        return SettledMeaning(Outcome.ABSTAINED, " ".join([*parts, *self._advice(lang)]))

    def _asked_whole_name(self, question: UnderstoodQuestion, unknown: Sequence[str]) -> SettledMeaning | None:
        """Which of the stored names a part of a name is meant to be; nothing where it is part of none, or of many."""
        folded = fold(question.full)
        place = re.search(r"\W+".join(map(re.escape, unknown)), folded.text)
        known = self._tables.stored_names(question.stored)
        names = sorted(name for plain, name in known if unknown[0] in plain and _holds(name, unknown))
        if place is None or not 1 <= len(names) <= MOST_OPTIONS:
            return None
        start, end = folded.origin(*place.span())
        reader, offers = self._reader(question.lang, question.stored), dict[str, SemanticQuery]()
        for name in names:
            whole = f"{question.full[:start]}{name}{question.full[end:]}"
            read = reader.read(whole, today=question.today, locale=question.locale)
            if len(read.queries) == 1 and not read.guessed:
                offers[name] = read.queries[0]
        if not offers:
            return None
        asked = Clarification(question=say("which_one", question.lang), options=tuple(offers))
        readings = tuple(ReadingOption(text=name, query=to_json(query)) for name, query in offers.items())
        return SettledMeaning(Outcome.CLARIFY, asked.question, asked, readings=readings, offers=offers)

    async def _refused(
        self, problem: QueryValidationError, queries: Sequence[SemanticQuery], question: UnderstoodQuestion
    ) -> SettledMeaning:
        """Every reading breaks a rule of the ontology: how the first one was understood, its reason, and what could be asked.

        Where nobody has said yet that a figure adds up, and no word asks for a sum, its average is offered.
        """
        lang, model, query = question.lang, self.tools.model, queries[0]
        reason = refusal(problem, model, lang)
        parts = [say("breaks_a_rule", lang, reason=reason)]
        words = self._reader(lang, question.stored).words
        tagged = words.tag(question.full, today=question.today, locale=question.locale)
        if is_unconfirmed(problem, model) and not says_sum(tagged):
            means = [one for one in map(averaged, queries) if one is not None]
            ran, _ = await self._run(means[:MOST_OPTIONS])
            if found := different([one for one in ran if one.result.rows]):
                return self._ask_back(found, lang, " ".join([*parts, say("is_this_meant", lang)]))
        if says_nothing(reason, model, lang):
            parts.insert(0, say("understood_as", lang, query=sentence(read_back(query, model, lang))))
            parts += await self._near(question)
        return SettledMeaning(Outcome.ABSTAINED, " ".join(parts))

    async def _near(self, question: UnderstoodQuestion) -> list[str]:
        """Questions that share what this one names and are surely answered."""
        reader = self._reader(question.lang, question.stored)
        tagged = reader.words.tag(question.full, today=question.today, locale=question.locale)
        near = await near_questions(self.tools, reader, tagged, question.today)
        return [say("ask_near", question.lang, questions=quoted(near, question.lang))] if near else []

    def _advice(self, lang: str) -> tuple[str, ...]:
        """That a model may understand more, where there is none."""
        return (say("set_model", lang),) if self.alone else ()

    def _called(self, lang: str) -> list[str]:
        """What things are called; those that only tie others together have no name, where the others have one."""
        things = self.tools.model.things
        known = {name: pick(thing.declared.label, lang) if thing.declared else "" for name, thing in things.items()}
        return [label for label in known.values() if label] or list(known)

    def _names(self, lang: str) -> list[str]:
        """What things, fields, measures and segments are called."""
        names = list[str]()
        for thing in self.tools.model.things.values():
            fields = [facts.declared for facts in thing.fields.values() if facts.declared]
            for one in (thing.declared, *fields, *thing.measures.values(), *thing.segments.values()):
                if one is not None:
                    names += [pick(one.label, lang), *one.synonyms.get(lang, ())]
            names += [thing.name, *thing.fields]
        return [name for name in dict.fromkeys(names) if name]


def _holds(name: str, words: Sequence[str]) -> bool:
    """Whether a name has these words in it, side by side."""
    own = words_in(name)
    return any(own[place : place + len(words)] == list(words) for place in range(len(own) - len(words) + 1))


def _is_level(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether a figure is what stood at some time, and not what came together over a time."""
    figure = figure_of(query.show[0], query.of or "", model) if len(query.show) == 1 else None
    return isinstance(figure, PlainFigure) and bool(figure.snapshot)


def _unknown_codes(question: UnderstoodQuestion) -> list[str]:
    """Codes that a question names and that are not stored: account 9999."""
    codes = (mention for mention in question.reading.sure if mention.meanings[0].kind is MentionKind.CODE)
    return [mention.text for mention in codes if not any(meaning.stored for meaning in mention.meanings)]


def _lacks_period(problem: QueryValidationError) -> bool:
    return problem.code is ValidationErrorCode.MISSING_REQUIRED_FILTER and problem.field == "period"
