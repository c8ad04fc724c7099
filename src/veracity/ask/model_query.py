"""A language model says what a question is about: it fills in one query, which is checked and held against the words.

What the words say goes out. What a model explains with a word that nobody here knows is an assumption, which the user is asked about.
"""

from __future__ import annotations

import asyncio
import copy
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from veracity.agent.draft import arguments_of, object_in
from veracity.agent.loop import Agent, Limits, Model, Run, Tools, Watch
from veracity.agent.progress import Doing
from veracity.ask import other_words
from veracity.ask.model_prompt import names_told, question_told, rules, values_told
from veracity.ask.reconcile import reconciled
from veracity.ask.relevant_part import relevant_part
from veracity.ask.understood import UnderstoodQuestion
from veracity.ask.unknown_words import KnownName, is_askable, may_mean
from veracity.contracts import QueryValidationError, ToolCallLog, ValidationErrorCode, clip
from veracity.errors import ModelRefused
from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.semantic.checking.check import check
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.held import HeldQuery, held_against
from veracity.semantic.reading.pieces import QueryPiece, pieces_of
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.readings import unknown_words
from veracity.semantic.reading.word_senses import Tagged
from veracity.semantic.short_form import (
    NOT_HERE,
    SAYS_NOTHING,
    TOOL,
    NamedPart,
    ShortQuery,
    as_query,
    read_short,
    short_schema,
)
from veracity.telemetry import Telemetry

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse
    from pydantic_ai.models import ModelRequestParameters

    from veracity.language.embed import Embedder

_REPAIRS = 2
_MOST_UNKNOWN = 4
"""A question with more unknown words is about something else."""
_LIKE_ENOUGH = 0.3
"""A name that is less like an unknown word is not even suggested."""
_CLEARLY_LIKE, _CLEARLY_MORE = 0.5, 0.1
"""What is assumed without a question must be so much like its word, and by so much more than anything else: cash is as like a salary as a revenue."""
_NOTHING = NamedPart((), (), (), ())
_MOST_STRETCHES = 4
_MOST_NEAR = 4
_DESCRIPTION = "What the question asks, in the names that there are."


@dataclass(frozen=True, slots=True)
class WordAssumption:
    """What an unknown word was taken to mean."""

    word: str
    means: str
    """In words."""
    name: str = ""
    """The name in the ontology; empty where it is a stored value or several things."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked about one question."""

    run: Run
    watches: Sequence[Watch] = ()
    assume: bool = False
    """Whether what a model assumes of unknown words is taken, where it is likely, without asking the user."""
    prose: bool = False
    """Whether a model words the answer."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model says that a question asks, after it was held against the words."""

    queries: tuple[SemanticQuery, ...]
    assumptions: tuple[WordAssumption, ...] = ()
    said: bool = False
    """Whether the words say all of it, so that nobody has to be asked."""
    left_out: str = ""
    """A word that it does not take up."""
    likely: bool = False
    """Whether its assumptions may be taken where the user wants no questions back."""


@dataclass(frozen=True)
class QueryWriter:
    """Asks a model to fill in queries."""

    model: Model
    model_name: str
    tools: Tools
    limits: Limits
    telemetry: Telemetry
    strict: bool = True
    fills_forms: bool = False
    """Whether the model is asked for an object of a schema; else the schema is that of a tool, which stands in the prompt."""
    embedder: Embedder | None = None

    async def propose(
        self,
        question: UnderstoodQuestion,
        reader: QuestionReader,
        run: Run,
        watches: Sequence[Watch] = (),
        before: str = "",
    ) -> Proposal | None:
        """What the question asks, as far as a model can tell and the words bear out; nothing where it cannot."""
        tagged = reader.words.tag(question.full, today=question.today, locale=question.locale)
        unknown = unknown_in(tagged)
        if len(unknown) > _MOST_UNKNOWN:
            return None
        lang, model = question.lang, reader.words.model
        part = await asyncio.to_thread(relevant_part, model, tagged, lang, unknown, self.embedder)
        asked = _Asked(question, tagged, reader)
        values = values_told(part, question.stored)
        near = await asyncio.to_thread(asked.nearest, (*part.names, *values), unknown, self.embedder)
        run.messages = asked.prompt(part, {word: [name for _, name in names] for word, names in near.items()}, before)
        asked, part = replace(asked, clear=dict(asked.clearly(near))), replace(part, values=values)
        ways = self._ways(TOOL, _DESCRIPTION, short_schema(part, unknown))
        agent = Agent(self.model, self.tools, ways[0], self.limits, self.telemetry, self.model_name)
        earlier: Any = None
        for _ in range(1 + _REPAIRS):
            response = await self._turn(agent, run, ways)
            if response is None or (earlier is not None and _filled(response) == earlier):
                return None  # who says the same again will not be told a third time
            earlier = _filled(response)
            run.tell(Doing.CHECKING)
            judged = await asyncio.to_thread(asked.judge, _filled(response))
            log = _log(run, _filled(response), judged)
            run.calls.append(log)
            for watch in watches:
                watch.called(log)
                watch.round_done(run)
            if not isinstance(judged, QueryValidationError):
                return judged
            _send_back(run, response, judged)
        return None

    async def words_like(
        self, text: str, unknown: Sequence[str], lang: str, run: Run, watches: Sequence[Watch] = ()
    ) -> dict[str, tuple[str, ...]]:
        """Other words that a model says for the unknown ones of a question; none where there are too many."""
        if not 0 < len(unknown) <= _MOST_UNKNOWN:
            return {}
        run.messages = other_words.words_asked(text, unknown, lang)
        ways = self._ways(other_words.TOOL, other_words.DESCRIPTION, other_words.words_schema(unknown, lang))
        agent = Agent(self.model, self.tools, ways[0], self.limits, self.telemetry, self.model_name)
        response = await self._turn(agent, run, ways)
        for watch in watches:
            watch.round_done(run)
        return other_words.read_words(_filled(response), unknown) if response is not None else {}

    async def _turn(self, agent: Agent, run: Run, ways: list[ModelRequestParameters]) -> ModelResponse | None:
        """One turn; a server that does not take the first way of asking is asked in the next one."""
        while True:
            try:
                return await agent.turn(run, ways[0])
            except ModelRefused:
                if len(ways) == 1:
                    raise
                del ways[0]

    def _ways(self, name: str, description: str, schema: Mapping[str, Any]) -> list[ModelRequestParameters]:
        """How a schema may be handed over, the best way first."""
        from pydantic_ai.models import ModelRequestParameters

        from veracity.llm.provider import form_to_fill_in, tool_definitions

        form = [form_to_fill_in(name, description, schema)] if self.fills_forms else []
        tool = {"name": name, "description": description, "parameters": copy.deepcopy(schema)}
        tools = tool_definitions([tool], strict=self.strict)
        return [*form, ModelRequestParameters(function_tools=tools, allow_text_output=False)]


def unknown_in(tagged: Tagged) -> tuple[str, ...]:
    """The words that nothing stands for, each once; signs that stand together are one word."""
    found = unknown_words(tagged)
    return tuple(dict.fromkeys(found[1])) if found else ()


def _filled(response: ModelResponse) -> Any:
    """What a model filled in: the arguments of its call, or the object that it wrote as text."""
    calls = response.tool_calls
    return arguments_of(calls[0]) if calls else object_in(response.text or "")


def _log(run: Run, filled: Any, judged: Proposal | QueryValidationError | None) -> ToolCallLog:
    problem = judged if isinstance(judged, QueryValidationError) else None
    return ToolCallLog(
        round=run.rounds,
        tool=TOOL,
        arguments=json.loads(json.dumps(filled, default=str))
        if isinstance(filled, dict)
        else {"?": clip(str(filled), 200)},
        success=problem is None,
        validation_failure_code=problem.code if problem else None,
        error=problem.hint if problem else None,
        suggestion=problem.suggestion if problem else None,
    )


def _send_back(run: Run, response: ModelResponse, problem: QueryValidationError) -> None:
    """Tell the model what is wrong with what it filled in."""
    from pydantic_ai.messages import ModelRequest, ToolReturnPart, UserPromptPart

    told = json.dumps({"success": False, "errorDetails": problem.model_dump(mode="json")}, ensure_ascii=False)
    calls = response.tool_calls
    parts: list[ModelRequestPart] = [
        ToolReturnPart(tool_name=one.tool_name, content=told, tool_call_id=one.tool_call_id) for one in calls
    ]
    run.refusals.append(problem)
    run.messages.append(ModelRequest(parts=parts or [UserPromptPart(told)]))


@dataclass(frozen=True)
class _Asked:
    """A question, to hold what a model fills in against it."""

    question: UnderstoodQuestion
    tagged: Tagged
    reader: QuestionReader
    clear: Mapping[str, str] = field(default_factory=dict)
    """What an unknown word is clearly more like than anything else, in words."""

    @property
    def model(self) -> SemanticModel:
        return self.reader.words.model

    def nearest(
        self, names: Sequence[str], unknown: Sequence[str], embedder: Embedder | None
    ) -> dict[str, list[tuple[float, str]]]:
        """For each unknown word the names that mean almost the same, as far as vectors can tell; they only suggest."""
        if not unknown or embedder is None:
            return {word: [] for word in unknown}
        called = {name: self._called_name(name).lower() for name in names}
        vectors = embedder.embed([*(word.lower() for word in unknown), *called.values()])
        likeness = vectors[: len(unknown)] @ vectors[len(unknown) :].T
        found = dict[str, list[tuple[float, str]]]()
        for word, row in zip(unknown, likeness.tolist(), strict=True):
            ranked = sorted(zip(row, called, strict=True), reverse=True)
            found[word] = [one for one in ranked[:_MOST_NEAR] if one[0] >= _LIKE_ENOUGH]
        return found

    def clearly(self, near: Mapping[str, Sequence[tuple[float, str]]]) -> Iterator[tuple[str, str]]:
        """The words that are more like one thing than like any other, each with what that is called."""
        for word, names in near.items():
            told = {self._called_name(name): like for like, name in reversed(names)}
            best, *others = sorted(told, key=lambda one: -told[one]) or [""]
            value = any(
                " = " in name for _, name in names if self._called_name(name) == best
            )  # a code is like anything
            clear = told.get(best, 0.0) - max((told[one] for one in others), default=0.0) >= _CLEARLY_MORE
            if clear and not value and told[best] >= _CLEARLY_LIKE:
                yield word, best

    def prompt(self, part: NamedPart, unknown: Mapping[str, Sequence[str]], before: str) -> list[ModelMessage]:
        """What a model is sent: what stays the same first, so that servers can keep it."""
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        question, model = self.question, self.model
        is_whole = part == NamedPart.whole(model)
        told = rules(model, part if is_whole else _NOTHING, question.stored, question.lang)
        named = "" if is_whole else names_told(model, part, question.stored, question.lang)
        text = question_told(question.full, self.tagged, unknown, question.today, named=named, before=before)
        return [ModelRequest(parts=[UserPromptPart(text)], instructions=told)]

    def judge(self, filled: Any) -> Proposal | QueryValidationError | None:
        """What goes out, what is sent back, or nothing where the model says that the data does not hold it."""
        short = read_short(filled)
        if isinstance(short, QueryValidationError):
            return short
        if any(one.means == NOT_HERE for one in short.words if one.word in unknown_in(self.tagged)):
            return None
        query = as_query(reconciled(short, self.tagged, self.model), self.model)
        checked = check(query, self.model) if isinstance(query, SemanticQuery) else query
        by_reader = self._by_reader(short)
        if by_reader is not None:
            return by_reader
        if isinstance(checked, QueryValidationError):
            return checked
        held = held_against(checked, self.tagged, self.reader)
        if held.is_said:
            sure = held.stretches <= _MOST_STRETCHES and _is_plain(checked) and not self._guesses_time(checked)
            return Proposal((checked,), said=sure)
        # Words that stand apart have no meaning together, and one word means one thing.
        if held.assumed and not held.unmet and len(held.unknown) == 1:
            means = self._called(held.assumed[0])
            one = WordAssumption(held.unknown[0], means)
            if len(held.assumed) > 1 or not _may_be_meant(one):
                return None
            likely = self._is_like(one.word, means) and not self._guesses_time(checked)
            return Proposal((checked,), (one,), likely=likely)
        if len(held.unmet) == 1 and held.unmet == held.left_out and not held.unsaid and not held.unknown:
            return Proposal((checked,), left_out=held.unmet[0])
        return _not_said(held)

    def _by_reader(self, short: ShortQuery) -> Proposal | None:
        """The question read again with what the model says that its unknown words mean: its words decide the rest.

        A word that it says nothing of is left out, and the user is asked whether that is meant.
        """
        unknown = unknown_in(self.tagged)
        means = {one.word: one.means for one in short.words if one.word in unknown and one.means != SAYS_NOTHING}
        book, assumed = self.reader.words, list[WordAssumption]()
        there = NamedPart.whole(self.model).names
        for word, name in means.items():
            path, _, value = name.partition(" = ")
            called = value or self._called_name(name)
            known = book.stored_as(value) if value else book.phrases_of(called)
            if path not in there or not known:
                return None
            book = book.also(word, called)
            assumed.append(WordAssumption(word, called, "" if value else name))
        if not all(map(_may_be_meant, assumed)):
            return None
        left_out = [word for word in unknown if word not in means]
        text = self.question.full
        for word in left_out:
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", text, count=1)
        read = QuestionReader(book).read(text, today=self.question.today, locale=self.question.locale)
        queries = tuple(query for query in read.queries if is_askable(query, self.model))
        if not queries or read.guessed or read.open or not unknown:
            return None
        likely = len(queries) == 1 and not left_out and all(self._is_like(one.word, one.means) for one in assumed)
        return Proposal(queries, tuple(assumed), left_out=", ".join(left_out), likely=likely)

    def _guesses_time(self, query: SemanticQuery) -> bool:
        """Whether a year that nobody said is part of it."""
        return query.period is not None and self.reader.words.guesses_time(self.question.full, self.question.today)

    def _is_like(self, word: str, means: str) -> bool:
        return self.clear.get(word) == means

    def _called_name(self, name: str) -> str:
        """What a name of the ontology is called in the language of the question; a stored value as it is."""
        model, lang = self.model, self.question.lang
        if " = " in name:
            return name.partition(" = ")[2]
        if name in model.measures:
            return pick(model.measures[name][1].label, lang) or words_of(name)
        if name in model.segments:
            return pick(model.segments[name][1].label, lang) or words_of(name)
        thing = model.things.get(name.partition(".")[0])
        field = name.partition(".")[2]
        facts = thing.fields.get(field) if thing is not None else None
        declared = (
            facts.declared if facts is not None else (thing.declared if thing is not None and not field else None)
        )
        return (pick(declared.label, lang) if declared is not None else "") or words_of(field or name)

    def _called(self, piece: QueryPiece) -> str:
        if piece.kind == "value":
            return piece.name.partition("=")[2]
        return self._called_name(piece.name)


def _may_be_meant(one: WordAssumption) -> bool:
    """Whether no rule says that the word is something else than what a model takes it for."""
    return may_mean(one.word, KnownName(one.means, (one.means,), 0))


def _is_plain(query: SemanticQuery) -> bool:
    """Whether its pieces go together in one way only: one figure, one comparison at most, nothing that could be exchanged."""
    kinds = Counter(piece.kind for piece in pieces_of(query))
    figures = sum(not shown.is_field for shown in query.show)
    conditions = kinds["value"] + kinds["segment"] + kinds["related"] + kinds["op"] + kinds["number"] + kinds["missing"]
    return figures <= 1 and kinds["op"] <= 1 and not (kinds["not"] and conditions > 1) and not kinds["compare"]


def _not_said(held: HeldQuery) -> QueryValidationError:
    """What the query leaves out, or what nobody said."""
    if held.unmet:
        words = ", ".join(held.unmet[:3])
        return QueryValidationError(
            code=ValidationErrorCode.QUESTION_NOT_COVERED,
            field=clip(words, 60),
            hint=clip(f"The query does not take up these words of the question: {words}", 80),
        )
    added = ", ".join(f"{piece.kind} {piece.name}".strip() for piece in held.unsaid[:3])
    return QueryValidationError(
        code=ValidationErrorCode.QUESTION_NOT_COVERED,
        field=clip(added, 60),
        hint=clip(f"No word of the question says: {added}", 80),
    )
