"""The modes of an evaluation: the same model, loop, tools and data, with more and more of the runtime switched on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Protocol

from veracity.agent.draft import Draft, DraftKind
from veracity.agent.loop import Agent, Limits, Run, Stop
from veracity.agent.recorder import run_trace
from veracity.answer.answer import RunTrace, UnderstoodBy
from veracity.answer.render import render
from veracity.answer.results import Result
from veracity.ask.conversation import Conversation
from veracity.ask.data_agent import DataAgent
from veracity.ask.prompt import ANSWER_TOOLS, question_context
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import (
    AskWith,
    Cell,
    QueryValidationError,
    ResultColumn,
    TableData,
    ToolCallLog,
    ToolResult,
    clip,
)
from veracity.errors import QueryFailed, UsageError
from veracity.evals.records import Attempt, Ended, Mode
from veracity.language.locale import pick
from veracity.llm.provider import ProviderConfig, tool_definitions
from veracity.ontology.compiler import compile_prompt, schema_prompt
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.open import OFFLINE, open_agent
from veracity.query.as_sql import result_name, select_of
from veracity.query.catalog import CatalogEntity, field_types
from veracity.query.compile import Parameters, scoped_rows
from veracity.query.model import Call, read_call
from veracity.settings import Settings
from veracity.sources.source import Column, ColumnType, Statement, fetch
from veracity.tools.open import chosen_feature
from veracity.tools.tables import TableTools

if TYPE_CHECKING:
    from pydantic_ai.models import Model, ModelRequestParameters
    from sqlglot import exp


_KEPT_ROWS = 100
"""Rows of a result that an evaluation keeps."""
_LONGEST_ERROR = 400

_ROLE = """\
You answer questions about data. Never make anything up: every figure comes from a tool result.
1. Get rows with queryTable or aggregateTable. Take up everything the question names: period, account, group, customer.
   A result has an id: r1, r2, ...{repair}
2. Then call answer with one short sentence that says the figures with their unit, as they stand in the result.
3. If the question leaves something open, call clarify. If the data does not hold it, call abstain."""
"""What a competent developer would write first; the same in every mode but `bound`."""
_REPAIR = " If a call fails, read errorDetails and send a corrected call."


@dataclass(frozen=True, slots=True)
class Setup:
    """What is evaluated: which data, seen how, and which model. Nothing in it depends on the mode."""

    source: str | os.PathLike[str] | None = None
    feature: str | None = None
    ontology: str | os.PathLike[str] | OntologyDescriptor | None = None
    scope: Mapping[str, str] | None = None
    model: str | Model = OFFLINE
    provider: ProviderConfig | None = None
    limits: Limits = field(default_factory=Limits)
    schema: Literal["strict", "plain"] = "strict"
    tools: AskWith = "query"
    """How the model takes part in the product."""
    assume: bool = False
    """Whether likely meanings of unknown words are used instead of asked back."""
    hints: str | None = None
    """The hint text of the mode `hints`; without it, that of the feature."""
    clock: Callable[[], datetime] | None = None
    settings: Settings | None = None


class Answerer(Protocol):
    """Answers the questions of an evaluation in one mode."""

    @property
    def agent(self) -> DataAgent:
        """The data, the model and its limits."""

    def prompt(self, lang: str) -> str:
        """The part of the prompt that is the same for every question in a language."""

    async def ask(self, question: str, lang: str | None, watch: LastRun) -> Attempt:
        """One attempt; raises what the model or the source raises."""


class LastRun:
    """Looks on while a question is asked, so that a question that is cut short still shows what it did."""

    def __init__(self) -> None:
        self.run: Run | None = None

    def calling(self, tool: str, arguments: Any) -> None:
        """What counts is what came back."""

    def called(self, log: ToolCallLog) -> None:
        """The run keeps it."""

    def progress(self, event: object) -> None:
        """What is being done now is nobody's concern here."""

    def round_done(self, run: Run) -> None:
        """A round ended."""
        self.run = run


def open_mode(mode: Mode, setup: Setup) -> Answerer:
    """The data and the model of the setup, in one mode."""
    agent = open_agent(
        setup.source,
        feature=setup.feature,
        ontology=setup.ontology,
        scope=setup.scope,
        model=setup.model,
        provider=setup.provider,
        limits=setup.limits,
        schema=setup.schema,
        tools="table" if mode not in (Mode.BOUND, Mode.MODEL_ONLY) else setup.tools,
        assume=setup.assume,
        use_ontology=mode in (Mode.ONTOLOGY, Mode.TOOLS, Mode.MODEL_ONLY, Mode.BOUND),
        keep_traces=False,
        clock=setup.clock,
        settings=setup.settings,
    )
    if mode is Mode.BOUND:
        return BoundMode(agent)
    if agent.model is None:
        agent.close()
        raise UsageError(f"The mode {mode} measures a model; name one with --model, or take --modes bound.")
    if mode is Mode.TOOLS:
        return BoundMode(_without_reader_and_patterns(agent))
    if mode is Mode.MODEL_ONLY:
        assert agent.meaning is not None
        agent.meaning.leaves_all_to_the_model = True
        return BoundMode(agent)
    hints = hints_of(setup) if mode in (Mode.HINTS, Mode.VALIDATOR) else ""
    return _UnreviewedMode(agent, mode, hints, setup.schema == "strict")


def _without_reader_and_patterns(agent: DataAgent) -> DataAgent:
    """The same agent, in which nothing is read from the words and no pattern is shown: the model has its tools."""
    tables, catalog = agent.tools, agent.tools.catalog
    assert isinstance(tables, TableTools)
    if catalog.ontology is not None:
        bare = catalog.ontology.model_copy(update={"canonical_patterns": ()})
        tables.catalog = replace(catalog, ontology=bare)
    agent.meaning = agent.teacher = None
    return agent


def hints_of(setup: Setup) -> str:
    """The hint text: the user's own, the one that is kept for the feature, or the feature's; empty when there is none."""
    if setup.hints is not None:
        return setup.hints
    feature = chosen_feature(setup.source, setup.feature, setup.ontology)
    if feature is None:
        return ""
    return shipped_hints(feature.code) or pick(feature.hints, "en")


def shipped_hints(feature: str) -> str:
    """The hints that an expert wrote for a feature before it had an ontology; kept to measure against."""
    path = Path(__file__).parent / "hints" / f"{feature}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


@dataclass(frozen=True, slots=True)
class BoundMode:
    """The product as it is."""

    agent: DataAgent

    def prompt(self, lang: str) -> str:
        """The whole prompt but the question."""
        asked = self.agent.meaning.prompt(lang) if self.agent.meaning is not None else None
        return asked or self.agent.instructions(lang)

    async def ask(self, question: str, lang: str | None, watch: LastRun) -> Attempt:
        """As a user would ask."""
        asked = await self.agent.understand(question, lang, Conversation())
        answer = await self.agent.ask(question, lang=lang, watch=watch)
        ended = Ended(answer.outcome.value)
        return _attempt(ended, answer.text, asked.locale, watch.run, answer.trace, understood_by=answer.understood_by)


@dataclass(frozen=True, slots=True)
class _UnreviewedMode:
    """The same loop; the model types its figures, and nothing is looked at before it is released."""

    agent: DataAgent
    mode: Mode
    hints: str
    strict: bool

    def prompt(self, lang: str) -> str:
        validated = self.mode in (Mode.VALIDATOR, Mode.ONTOLOGY)
        role = _ROLE.replace("{repair}", _REPAIR if validated else "")
        catalog = self.agent.tools.catalog
        types = field_types(catalog)
        if catalog.ontology is not None:
            return f"{role}\n\n{compile_prompt(catalog.ontology, lang, types=types, semantic=False)}"
        return f"{role}\n\n{schema_prompt(types, self.hints, lang)}"

    async def ask(self, question: str, lang: str | None, watch: LastRun) -> Attempt:
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        agent, started = self.agent, perf_counter()
        asked = await agent.understand(question, lang, Conversation())
        near = agent.nearest_patterns(asked)
        context = question_context(asked.lang, asked.today, near, agent.tools.spoken)
        parts = [UserPromptPart(context), UserPromptPart(asked.full)]
        run = Run([ModelRequest(parts=parts, instructions=self.prompt(asked.lang))])
        watch.run = run
        assert agent.model is not None
        loop = Agent(
            agent.model, self._tools(), self._parameters(), agent.limits, agent.telemetry, model_name=agent.model_name
        )
        await loop.run(run, _released, [watch])
        trace = run_trace(run, agent.model_name, perf_counter() - started)
        way = UnderstoodBy.PATTERN if near else UnderstoodBy.TOOLS
        return _attempt(*_ending(asked, run), asked.locale, run, trace, understood_by=way)

    def _tools(self) -> TableTools | UncheckedTables:
        tables = self.agent.tools
        assert isinstance(tables, TableTools)
        return UncheckedTables(tables) if self.mode in (Mode.BASELINE, Mode.HINTS) else tables

    def _parameters(self) -> ModelRequestParameters:
        tools = [*self.agent.tools.schemas(), *(_typed_answer(tool) for tool in ANSWER_TOOLS)]
        return replace(self.agent.parameters(), function_tools=tool_definitions(tools, strict=self.strict))


def _typed_answer(tool: dict[str, Any]) -> dict[str, Any]:
    """The tools that end a run, for models that type their figures."""
    return {**tool, "description": "The answer, once the results are there."} if tool["name"] == "answer" else tool


async def _released(draft: Draft, run: Run) -> QueryValidationError | None:
    """Whatever the model says goes out."""
    _ = draft, run
    return None


def _ending(asked: UnderstoodQuestion, run: Run) -> tuple[Ended, str]:
    draft = run.draft
    if run.stop is not Stop.DONE or draft is None:
        return Ended.ABSTAINED, f"No answer: stopped after {run.rounds} rounds ({run.stop})."
    if draft.kind is not DraftKind.ANSWER:
        return Ended.CLARIFY if draft.kind is DraftKind.CLARIFY else Ended.ABSTAINED, draft.text
    if "{{" in draft.text:
        # Expressions are computed, and nothing else is looked at.
        rendered = render(draft.text, run.results, locale=asked.locale, echo=asked.echo, constants={})
        return Ended.ANSWERED, draft.text if isinstance(rendered, QueryValidationError) else rendered.text
    return Ended.ANSWERED, draft.text


def _attempt(
    ended: Ended, text: str, locale: str, run: Run | None, trace: RunTrace, *, understood_by: UnderstoodBy | None
) -> Attempt:
    return Attempt(
        ended=ended,
        text=text,
        understood_by=understood_by,
        locale=locale,
        results=kept_rows(run),
        calls=trace.calls,
        refusals=trace.refusals,
        counters=trace.counters,
        rounds=trace.rounds,
        tokens=trace.tokens,
        seconds=trace.seconds,
    )


def kept_rows(run: Run | None) -> tuple[TableData, ...]:
    """The results of a run, cut to what an evaluation keeps; and what was counted of rows that lack a value."""
    results = list(run.results.values()) if run else []
    kept = [result.data.model_copy(update={"rows": result.data.rows[:_KEPT_ROWS]}) for result in results]
    return (*kept, *(_counted(result) for result in results if result.lacking))


def _counted(result: Result) -> TableData:
    """How many of how many rows lack a value, as rows."""
    rows = tuple({"lacking": some, "rows": of} for some, of in result.lacking)
    columns = tuple(ResultColumn(name=name, type=ColumnType.INTEGER) for name in ("lacking", "rows"))
    return result.data.model_copy(update={"columns": columns, "rows": rows, "row_count": len(rows), "truncated": False})


# --- the table tools without a validator


class UncheckedTables(TableTools):
    """The table tools without a validator, for evaluation only: what a developer would write first.

    The call becomes a query as it stands, and what the engine says of it goes to the model as it is. Read-only, the scope and
    the row limit stay: an evaluation may be wrong, but it must not leak.
    """

    def __init__(self, tables: TableTools) -> None:
        vars(self).update(vars(tables))

    async def call(self, tool: str, arguments: Any) -> ToolResult:
        """Run one call as it stands."""
        call = read_call(tool, arguments)
        if call.problem is not None:
            return ToolResult.failed(call.problem.hint)
        entity = self.catalog.entities.get(call.table)
        if entity is None:
            return ToolResult.failed(f"Catalog Error: Table with name {clip(call.table, 80)} does not exist!")
        limit = min(call.limit or self.row_limit, self.row_limit)
        statement = self._statement(call, entity, limit)
        try:
            rows = await fetch(self.source, statement)
        except QueryFailed as failure:
            return ToolResult.failed(clip(" ".join(str(failure.__cause__ or failure).split()), _LONGEST_ERROR))
        data = self.numbered(call.table, statement.columns, rows[:limit], truncated=len(rows) > limit)
        return ToolResult(success=True, data=data)

    def _statement(self, call: Call, entity: CatalogEntity, limit: int) -> Statement:
        from sqlglot import exp

        parameters = Parameters(self.source.dialect)
        inner = scoped_rows(entity, list(entity.fields), self.catalog, self.source, parameters)
        table = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("t")))

        def literal(value: Any) -> exp.Expr:
            return parameters.add(value if isinstance(value, Cell) else str(value))

        query = select_of(call, table, call.fields or tuple(entity.fields), literal)
        sql = query.limit(limit + 1, copy=False).sql(dialect=self.source.dialect, copy=False)
        return Statement(sql, parameters.values, tuple(_columns(call, entity)), limit + 1)


def _columns(call: Call, entity: CatalogEntity) -> Iterator[Column]:
    """The columns of the result; a name that there is not is left for the engine to complain about."""
    names: Sequence[str] = call.group_by if call.aggregate is not None else call.fields or tuple(entity.fields)
    for name in names:
        known = entity.fields.get(name)
        yield known.column if known else Column(name, ColumnType.OTHER)
    if call.aggregate is not None:
        target = entity.fields.get(call.target or "")
        kind = target.column.type if target else ColumnType.OTHER
        counts = call.aggregate in ("COUNT", "COUNT_DISTINCT")
        kind = ColumnType.INTEGER if counts else ColumnType.FLOAT if call.aggregate == "AVG" else kind
        yield Column(result_name(call), kind)
