"""The nine tools over one source: arguments of any shape in, a contract out; nothing raises for what an agent wrote."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from veracity.answer.results import Result
from veracity.ask.conversation import Conversation, conversation_after
from veracity.contracts import QueryValidationError, ToolResult, ValidationErrorCode, clip
from veracity.errors import UsageError, VeracityError, told_to_others
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import GroundRequest, Verdict
from veracity.grounding.events import GuardEvent, events_of
from veracity.grounding.guard import ground_request, wrong_input
from veracity.language.locale import LANGUAGES
from veracity.language.nearest import nearest
from veracity.mcp.offers import (
    ANSWER_LANGUAGES,
    ASK,
    MOST_REQUIREMENTS,
    SEMANTIC,
    SQL,
    TABLE_TOOLS,
    AskedAnswer,
    CheckedRequirements,
    Offer,
    list_tables,
    offers,
)
from veracity.query.catalog import Catalog
from veracity.requirements.contracts import Lang, Place, Requirement
from veracity.requirements.duplicates import detect_duplicates
from veracity.requirements.evaluate import judge
from veracity.requirements.reading.document import LONGEST, SourceText, document_of, starts_of
from veracity.requirements.reading.statements import found_in_markdown
from veracity.semantic.query import SemanticQuery
from veracity.tools.semantic import SemanticTools
from veracity.tools.sql import SqlTools
from veracity.tools.tables import TableTools

if TYPE_CHECKING:
    from veracity.agent.loop import Watch
    from veracity.ask.data_agent import DataAgent
    from veracity.language.embed import Embedder

_MOST_RESULTS = 200
_MOST_ROWS = 100_000
"""Results, and rows of them, that are kept for answers to be held against; the oldest go first."""
_LONGEST_QUESTION = 100_000
_ARGUMENTS = {
    ASK: ("question", "lang", "follows"),
    "list_tables": ("tables", "lang"),
    SEMANTIC: ("query", "lang", "sql", "dryRun"),
    "ground_answer": ("answer", "results", "question", "locale", "trace", "claims", "strict"),
    "check_requirements": ("text", "requirements", "lang"),
}
_log = logging.getLogger("veracity.mcp")

KeepEvents = Callable[[list[GuardEvent]], object]
"""Where what was blocked is kept."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call gave back."""

    body: BaseModel
    ok: bool = True
    brief: bool = False
    """Whether what says nothing is left out."""

    def written(self) -> str:
        """The body as JSON."""
        return self.body.model_dump_json(exclude_defaults=self.brief)


class Toolbox:
    """The tools over one source, in one scope; the results of its calls are known by their ids."""

    def __init__(
        self,
        tables: TableTools,
        *,
        guard: GuardConfig | None = None,
        keep_events: KeepEvents | None = None,
        embedder: Embedder | None = None,
        agent: DataAgent | None = None,
    ) -> None:
        self.tables, self.sql, self._agent = tables, SqlTools(tables), agent
        # The agent may know more: what it found out about tables that nobody has described.
        self.semantic = (agent.semantic if agent is not None else None) or SemanticTools(tables)
        self._guard, self._keep_events, self._embedder = guard, keep_events, embedder
        self._results: OrderedDict[str, Result] = OrderedDict()

    @property
    def catalog(self) -> Catalog:
        """What can be seen of the source."""
        return self.tables.catalog

    @cached_property
    def offers(self) -> list[Offer]:
        """The tools as a client is told of them."""
        return offers(self.tables, self.sql, self.semantic, asks=self._agent is not None)

    async def call(self, name: str, arguments: Mapping[str, Any], watch: Watch | None = None) -> ToolOutcome:
        """Run one of the tools; what cannot be done is an outcome, too. `watch` is told how far a question is."""
        try:
            if name in TABLE_TOOLS:
                return await self._read_rows(self.tables, name, arguments)
            if name == SQL:
                return await self._read_rows(self.sql, name, arguments)
            unknown = _unknown_argument(name, arguments)
            if unknown is not None:
                return ToolOutcome(unknown, ok=False)
            if name == ASK:
                return await self._ask(arguments, watch)
            if name == "list_tables":
                return self._list_tables(arguments)
            if name == SEMANTIC:
                return await self._semantic_query(arguments)
            if name == "ground_answer":
                return await self._ground_answer(arguments)
            return await asyncio.to_thread(self._check_requirements, arguments)
        except VeracityError as error:
            return ToolOutcome(ToolResult.failed(told_to_others(error)), ok=False)

    # --- asking

    async def _ask(self, arguments: Mapping[str, Any], watch: Watch | None) -> ToolOutcome:
        assert self._agent is not None, "without an agent it is not offered"
        question, lang, follows = (arguments.get(name) for name in _ARGUMENTS[ASK])
        if not isinstance(question, str) or not 0 < len(question.strip()) <= _LONGEST_QUESTION:
            return _wrong_argument("question", "question is a text: what a person would ask.")
        if lang is not None and lang not in ANSWER_LANGUAGES:
            return _wrong_argument("lang", f"lang is one of {', '.join(ANSWER_LANGUAGES)}.")
        if follows is not None and not isinstance(follows, str):
            return _wrong_argument("follows", "follows is the traceId of an earlier answer.")
        talk = await self._earlier(self._agent, follows) if follows else Conversation()
        answer = await self._agent.ask(question, lang=lang, conversation=talk, watch=watch)
        return ToolOutcome(AskedAnswer.of(answer, talk.results))

    async def _earlier(self, agent: DataAgent, trace_id: str) -> Conversation:
        """The conversation that an earlier question began."""
        if agent.traces is None:
            raise UsageError("Nothing is kept of earlier questions here; ask the whole question, without follows.")
        record = await asyncio.to_thread(agent.traces.get, trace_id)
        return await conversation_after(record, agent.understand)

    # --- reading

    async def _read_rows(self, tools: TableTools | SqlTools, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        given = dict(arguments)
        result = await tools.call(name, given)
        if result.table is not None:
            self._keep_result(result.table.result_id, tools.result(result.table, name, given))
        return ToolOutcome(result, ok=result.success)

    def _keep_result(self, result_id: str, result: Result) -> None:
        self._results[result_id] = result
        while len(self._results) > 1 and (
            len(self._results) > _MOST_RESULTS or sum(one.data.row_count for one in self._results.values()) > _MOST_ROWS
        ):
            self._results.popitem(last=False)

    def _list_tables(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        names, lang = arguments.get("tables") or (), arguments.get("lang") or "en"
        if not _is_list_of_texts(names):
            return _wrong_argument("tables", "tables is a list of names.")
        if lang not in LANGUAGES:
            return _wrong_argument("lang", f"lang is one of {', '.join(LANGUAGES)}.")
        for name in names:
            if name not in self.catalog.entities:
                near = nearest(name, self.catalog.entities)
                return _wrong_argument(name, "No such table.", ValidationErrorCode.TABLE_NOT_FOUND, near)
        return ToolOutcome(list_tables(self.catalog, lang, names), brief=True)

    async def _semantic_query(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        lang, flags = arguments.get("lang") or "en", [arguments.get(name) or False for name in ("sql", "dryRun")]
        if lang not in LANGUAGES:
            return _wrong_argument("lang", f"lang is one of {', '.join(LANGUAGES)}.")
        if not all(isinstance(flag, bool) for flag in flags):
            return _wrong_argument("sql", "sql and dryRun are true or false.")
        given = arguments.get("query")
        outcome = await self.semantic.query(given, lang=lang, with_sql=flags[0], dry_run=flags[1])
        return ToolOutcome(outcome, ok=outcome.success)

    # --- judging

    async def _ground_answer(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        given = arguments.get("results") or ()
        if not isinstance(given, Sequence) or isinstance(given, str):
            return _wrong_argument("results", "results is a list of ids (r1) or of rows with their columns.")
        own = {name: self._results.get(name) for name in given if isinstance(name, str)}
        missing = next((name for name, found in own.items() if found is None), None)
        if missing is not None:
            return _wrong_argument(missing, "No such result here, or too old: make the call again.")
        try:
            foreign = [one for one in given if not isinstance(one, str)]
            said = {name: value for name, value in arguments.items() if value is not None}
            request = GroundRequest.model_validate({**said, "results": foreign})
        except ValidationError as error:
            raise UsageError(f"{wrong_input(error)}.") from None
        if twice := next((one.id for one in request.results if one.id in own), None):
            return _wrong_argument(twice, "Two results have this id; give every result its own.")
        known = {name: found for name, found in own.items() if found is not None}
        verdict = await asyncio.to_thread(ground_request, request, self._guard, own=known)
        await asyncio.to_thread(self._record_events, verdict, request.question)
        return ToolOutcome(verdict)

    def _record_events(self, verdict: Verdict, question: str) -> None:
        events = list(events_of(verdict, question=question))
        if self._keep_events is None or not events:
            return
        try:
            self._keep_events(events)
        except VeracityError as error:
            # An event that cannot be kept does not change a verdict.
            _log.warning("guard events are not recorded: %s", error)

    def _check_requirements(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        texts, text, lang = arguments.get("requirements"), arguments.get("text"), arguments.get("lang")
        if (texts is None) == (text is None):
            return _wrong_argument("text", "Give text or requirements, one of them.")
        if lang not in (None, "de", "en"):
            return _wrong_argument("lang", "lang is de or en.")
        if text is not None and not isinstance(text, str):
            return _wrong_argument("text", "text is a text.")
        if texts is not None and not _is_list_of_texts(texts):
            return _wrong_argument("requirements", "requirements is a list of texts.")
        found = _requirements_of_list(texts, lang) if texts is not None else _requirements_in_text(str(text), lang)
        if len(found) > MOST_REQUIREMENTS:
            return _wrong_argument("requirements", f"At most {MOST_REQUIREMENTS} requirements at a time.")
        judged = tuple(judge(one) for one in found)
        passed = sum(one.evaluation.verdict == "pass" for one in judged)
        pairs = detect_duplicates([one.text for one in found], embedder=self._embedder)
        return ToolOutcome(
            CheckedRequirements(
                passed=passed, failed=len(judged) - passed, requirements=judged, duplicates=tuple(pairs)
            )
        )


def _requirements_of_list(texts: Sequence[str], lang: Lang | None) -> tuple[Requirement, ...]:
    if too_long := next((number for number, text in enumerate(texts, 1) if len(text) > LONGEST), None):
        raise UsageError(f"Requirement {too_long} has more than {LONGEST:,} characters; divide it.")
    place = Place(path="requirements")
    return tuple(
        Requirement(id=f"REQ_{number}", text=text, place=place, lang=lang) for number, text in enumerate(texts, 1)
    )


def _requirements_in_text(text: str, lang: Lang | None) -> tuple[Requirement, ...]:
    path = Path("text")
    found = found_in_markdown(SourceText(path, text, starts=starts_of(text)))
    if not found.entries:
        raise UsageError(found.nothing)
    document = document_of(path, "markdown", found, digest="", column=None)
    return tuple(one.model_copy(update={"lang": lang or one.lang}) for one in document.requirements)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(one, str) for one in value)


def _unknown_argument(name: str, arguments: Mapping[str, Any]) -> ToolResult | None:
    known = _ARGUMENTS[name]
    unknown = next((key for key in arguments if key not in known), None)
    if unknown is None:
        return None
    hint, suggestion = f"{name} takes {', '.join(known)}.", nearest(unknown, known)
    if name == SEMANTIC and unknown in SemanticQuery.model_fields:
        hint, suggestion = f"{unknown} belongs into query.", "query"
    return _refusal(unknown, hint, ValidationErrorCode.FIELD_NOT_FOUND, suggestion)


def _wrong_argument(
    field: str,
    hint: str,
    code: ValidationErrorCode = ValidationErrorCode.TYPE_MISMATCH,
    suggestion: str | None = None,
) -> ToolOutcome:
    return ToolOutcome(_refusal(field, hint, code, suggestion), ok=False)


def _refusal(field: str, hint: str, code: ValidationErrorCode, suggestion: str | None) -> ToolResult:
    return ToolResult.refused(QueryValidationError(code=code, field=clip(field, 40), hint=hint, suggestion=suggestion))
