"""From what a user names (a source, an ontology, a model) to an agent that can be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Literal, get_args

from veracity.agent.loop import Limits
from veracity.agent.taught_store import TaughtStore
from veracity.agent.trace_store import TraceStore
from veracity.ask.data_agent import DataAgent
from veracity.ask.meaning import MeaningReader
from veracity.ask.routed import Dispatch
from veracity.ask.teaching import AwaitedTeacher, Teacher
from veracity.ask.unknown_words import UnknownWords
from veracity.contracts import AskWith, ToolKind
from veracity.errors import UsageError
from veracity.features.records import Progress
from veracity.grounding.config import GuardConfig, guard_for
from veracity.grounding.events import EventStore
from veracity.language.embed import UniversalEmbedder
from veracity.language.locale import pick
from veracity.llm.model_specs import chosen_model
from veracity.llm.provider import ProviderConfig, RemoteModel, tool_definitions
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.routing import Router, data_words
from veracity.settings import Settings
from veracity.skills.text_agent import TextAgent
from veracity.telemetry import Telemetry
from veracity.tools.open import chosen_feature, open_tables
from veracity.tools.semantic import SemanticTools
from veracity.tools.tables import TableTools
from veracity.tools.toolset import KnownWords, Toolset

if TYPE_CHECKING:
    from pydantic_ai.models import Model, ModelRequestParameters

    from veracity.agent.trace_store import Traces
    from veracity.ask.model_query import QueryWriter
    from veracity.ask.prose import ProseWriter
    from veracity.grounding.events import Events
    from veracity.skills.load import SkillLibrary

OFFLINE = "offline"


def open_agent(
    source: str | os.PathLike[str] | None = None,
    *,
    feature: str | None = None,
    ontology: str | os.PathLike[str] | OntologyDescriptor | None = None,
    scope: Mapping[str, str] | None = None,
    model: str | Model = OFFLINE,
    provider: ProviderConfig | None = None,
    limits: Limits | None = None,
    tools: AskWith = "query",
    schema: Literal["strict", "plain"] = "strict",
    answers: Literal["bound", "text"] = "bound",
    use_ontology: bool = True,
    assume: bool = False,
    prose: bool = False,
    guard: GuardConfig | None = None,
    keep_traces: bool = True,
    traces: Traces | None = None,
    events: Events | None = None,
    taught: TaughtStore | None = None,
    telemetry: Telemetry | None = None,
    clock: Callable[[], datetime] | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> DataAgent:
    """An agent over a source (without one: the shipped ledger); what is kept goes to `traces`, `events` and `taught`, or else to the store of this user."""
    settings = settings or Settings.from_env()
    _check_choices(tools, answers, schema)
    chosen = chosen_feature(source, feature, ontology)
    # A model that cannot be used is told before a source is opened, which may take a while.
    remote = _remote(model, provider)
    with ExitStack() as undo:
        tables = open_tables(
            source,
            feature=feature,
            ontology=ontology,
            scope=scope,
            use_ontology=use_ontology,
            settings=settings,
            progress=progress,
        )
        undo.callback(tables.close)
        texts = open_text_agent(
            remote or OFFLINE,
            limits=limits,
            schema=schema,
            guard=guard,
            keep_traces=keep_traces,
            traces=traces,
            telemetry=telemetry,
            clock=clock,
            settings=settings,
        )
        kept = (events or EventStore.default(settings)) if texts.traces else None
        parts = _AgentParts(
            tables, chosen.hints if chosen else {}, texts, kept, remote, settings, schema, answers, assume, prose
        )
        agent = parts.taught(taught or TaughtStore.default(settings), tables.catalog.ontology).over(tools)
        undo.pop_all()
    return agent


def _check_choices(tools: str, answers: str, schema: str) -> None:
    if answers not in ("bound", "text") or schema not in ("strict", "plain") or tools not in get_args(AskWith):
        raise UsageError("tools is query, table, sql or file, answers is bound or text, schema is strict or plain.")


def agent_over(tables: TableTools, *, settings: Settings | None = None) -> DataAgent:
    """An agent without a model over tables that are open already; it keeps nothing of what it is asked."""
    settings = settings or Settings.from_env()
    texts = open_text_agent(keep_traces=False, settings=settings)
    return _AgentParts(tables, {}, texts, None, None, settings, "strict", "bound").over("table")


@dataclass(frozen=True, eq=False)
class _AgentParts:
    """What the agents over one source share, whatever kind their tools are of."""

    tables: TableTools
    hints: Mapping[str, str]
    texts: TextAgent
    events: Events | None
    remote: RemoteModel | None
    settings: Settings
    schema: str
    answers: str
    assume: bool = False
    prose: bool = False
    teacher: Teacher | None = None
    awaited: AwaitedTeacher | None = None

    def taught(self, store: TaughtStore, base: OntologyDescriptor | None) -> _AgentParts:
        """The same with what was taught to the ontology so far, or to the draft where nobody has written one."""
        tables = self.tables
        if base is None and tables.may_be_drafted:
            from veracity.ontology.draft.building import code_of

            awaited = AwaitedTeacher.of(store, code_of(tables.source.name))
            if not store.words(awaited.code):
                return replace(self, awaited=awaited)
            tables = tables.for_questions
            base = tables.catalog.ontology
        if base is None:
            return self
        teacher, merged = Teacher.opened(store, base)
        tables = tables if merged is tables.catalog.ontology else tables.seen_through(merged)
        return replace(self, tables=tables, teacher=teacher, awaited=None)

    def renewed(self, way: AskWith) -> DataAgent:
        """The agent with what was taught since; one whose source has no ontology becomes that of its draft."""
        if self.teacher is not None:
            return self.taught(self.teacher.store, self.teacher.base).over(way)
        assert self.awaited is not None
        tables = self.tables.for_questions
        return replace(self, tables=tables).taught(self.awaited.store, tables.catalog.ontology).over(way)

    @cache  # noqa: B019 - it lives as long as its agents
    def over(self, way: AskWith) -> DataAgent:
        """The agent whose model takes part in this way, over the same tables."""
        used, texts = _toolset(self.tables, "table" if way == "query" else way), self.texts
        known_words = KnownWords(used)
        return DataAgent(
            tools=used,
            known_words=known_words,
            model=self.remote,
            model_name=texts.model_name,
            parameters=_parameters(used, self.schema),
            instructions=_prefix(used, self.hints, self.answers),
            limits=texts.limits,
            traces=texts.traces,
            events=self.events,
            telemetry=texts.telemetry,
            clock=texts.clock,
            answers=self.answers,
            guard=texts.guard,
            dispatch=self.dispatch,
            sibling=self.over,
            semantic=self.semantic,
            meaning=self.meaning(way),
            assume=self.assume,
            prose=self.prose,
            teacher=self.teacher,
            awaited=self.awaited,
            renewed=partial(self.renewed, way),
        )

    @cache  # noqa: B019 - it lives as long as its agents
    def meaning(self, way: AskWith) -> MeaningReader:
        """Reads questions from their words; what it does not understand a model may."""
        embedder = UniversalEmbedder(self.settings.home / "embeddings.sqlite")
        return MeaningReader(
            self.semantic,
            alone=self.remote is None,
            # Who asks a model for SQL wants the model's.
            answers_first=way in ("query", "table") or self.remote is None,
            unknown=UnknownWords(embedder),
            writer=self._writer(embedder) if way == "query" else None,
            prose=self._prose_writer(),
        )

    def _writer(self, embedder: UniversalEmbedder) -> QueryWriter | None:
        """Who asks the model to fill in queries; None where there is no model."""
        if self.remote is None:
            return None
        from veracity.ask.model_query import QueryWriter

        texts = self.texts
        return QueryWriter(
            self.remote,
            texts.model_name,
            self.tables,
            texts.limits,
            texts.telemetry,
            strict=self.schema == "strict",
            fills_forms=self.remote.takes_forms and self.schema == "strict",
            embedder=embedder,
        )

    def _prose_writer(self) -> ProseWriter | None:
        """Who asks the model to word answers; None where there is no model."""
        if self.remote is None:
            return None
        from veracity.ask.prose import ProseWriter

        texts = self.texts
        return ProseWriter(self.remote, texts.model_name, self.tables, texts.limits, texts.telemetry)

    @cached_property
    def semantic(self) -> SemanticTools:
        """Answers semantic queries over the same tables, whatever kind the tools of an agent are of."""
        # Tables that nobody has described are looked at here, where opening may take a while.
        return SemanticTools(self.tables.for_questions)

    @cached_property
    def dispatch(self) -> Dispatch:
        """Decides which way a request goes; the skills are read when one is named."""

        @cache
        def skills() -> SkillLibrary:
            from veracity.skills.load import load_library

            return load_library(self.settings)

        @cache
        def router(prefixed: bool) -> Router:
            prefixes = skills().prefixes() if prefixed else {}
            return Router(data_words=data_words(self.tables.catalog), prefixes=prefixes)

        return Dispatch(router, skills, self.texts)


def open_text_agent(
    model: str | Model | RemoteModel = OFFLINE,
    *,
    provider: ProviderConfig | None = None,
    limits: Limits | None = None,
    schema: Literal["strict", "plain"] = "strict",
    guard: GuardConfig | None = None,
    keep_traces: bool = True,
    traces: Traces | None = None,
    telemetry: Telemetry | None = None,
    clock: Callable[[], datetime] | None = None,
    settings: Settings | None = None,
) -> TextAgent:
    """An agent for skills that need no data, and for what needs no skill either."""
    settings = settings or Settings.from_env()
    remote = model if isinstance(model, RemoteModel) else _remote(model, provider)
    if traces is None and keep_traces:
        traces = TraceStore.default(settings)
    return TextAgent(
        model=remote,
        model_name=remote.name if remote else OFFLINE,
        limits=limits or Limits(),
        traces=traces,
        telemetry=telemetry or Telemetry.from_env(),
        clock=clock or (lambda: datetime.now(UTC)),
        guard=guard if guard is not None else guard_for(None, settings),
        strict=schema == "strict",
    )


def _prefix(tools: Toolset, hints: Mapping[str, str], answers: str) -> Callable[[str], str]:
    """The part of the prompt that is the same for every question in a language."""

    @cache
    def written(lang: str) -> str:
        from veracity.ask.prompt import instructions

        told = {"hints": pick(hints, lang), "answers": answers, "kind": tools.kind, "dialect": tools.source.dialect}
        return instructions(tools.catalog, lang, **told)

    return written


def _toolset(tables: TableTools, kind: ToolKind) -> Toolset:
    if kind == "sql":
        from veracity.tools.sql import SqlTools

        return SqlTools(tables)
    if kind == "file":
        from veracity.tools.files import FileTools

        return FileTools(tables)
    return tables


def _parameters(tools: Toolset, schema: str) -> Callable[[], ModelRequestParameters]:
    """What a model is offered; made when one is asked, because most questions need none."""

    @cache
    def made() -> ModelRequestParameters:
        from pydantic_ai.models import ModelRequestParameters

        from veracity.ask.prompt import ANSWER_TOOLS

        strict = schema == "strict"
        return ModelRequestParameters(
            function_tools=tool_definitions([*tools.schemas(), *ANSWER_TOOLS], strict=strict), allow_text_output=False
        )

    return made


def _remote(model: str | Model, provider: ProviderConfig | None) -> RemoteModel | None:
    """The model of a spec, or one of the caller's own; None for the offline one, which needs the source."""
    if isinstance(model, str):
        return None if model == OFFLINE else chosen_model(model, provider)
    return RemoteModel.of(model, provider)
