"""The loop: model <-> tools. Every error goes back to the model as a result; every limit stands in `Limits`."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from veracity.agent.draft import ENDS, Draft, DraftKind, RefusedDraft, arguments_of, malformed, read_end, read_text
from veracity.agent.model_turns import ModelTurn, turn_told
from veracity.agent.progress import Doing, ProgressWatch, Tell, silent
from veracity.answer.results import Result
from veracity.contracts import (
    Cell,
    FileReport,
    QueryValidationError,
    TableData,
    ToolCallLog,
    ToolResult,
    ValidationErrorCode,
    clip,
)
from veracity.language.numbers import written
from veracity.telemetry import Telemetry

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ToolCallPart
    from pydantic_ai.models import ModelRequestParameters

_LONGEST_CELL = 200
_NEXT = "Correct this and call answer again; call a table tool first if rows are missing."


class Limits(BaseModel):
    """How long a run may go on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rounds: int = Field(default=8, ge=1, le=100)
    """Model turns."""
    seconds: float = Field(default=300.0, gt=0)
    """Wall time of the whole run."""
    tokens: int = Field(default=200_000, ge=1)
    """Tokens of all turns together, in and out."""
    repairs: int = Field(default=2, ge=0)
    """How often a refused answer may be written anew."""
    same_call: int = Field(default=3, ge=1)
    """How often the same invalid call may be made."""
    shown_rows: int = Field(default=20, ge=1)
    """Rows of a result that the model sees; expressions work on all of them."""


class Stop(StrEnum):
    """Why a run ended."""

    DONE = "done"
    ROUNDS = "rounds"
    TOKENS = "tokens"
    SECONDS = "seconds"
    REPEATED = "repeated"
    REFUSED = "refused"


@dataclass(slots=True)
class Run:
    """The state of one run; what a trace is made of."""

    messages: list[ModelMessage]
    results: dict[str, Result] = field(default_factory=dict)
    """Every result of the conversation by its id."""
    calls: list[ToolCallLog] = field(default_factory=list)
    refusals: list[QueryValidationError] = field(default_factory=list)
    """Why drafts were sent back."""
    refused: list[RefusedDraft] = field(default_factory=list)
    """The drafts themselves, for the trace alone: nobody is told what did not pass."""
    turns: list[ModelTurn] = field(default_factory=list)
    """What the model was sent and replied, for the trace alone."""
    told: list[ModelMessage] = field(default_factory=list)
    """The messages that stand in the turns already."""
    rounds: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    prompt_tokens: int = 0
    draft: Draft | None = None
    stop: Stop | None = None
    invalid: Counter[str] = field(default_factory=Counter)
    only_tools: frozenset[str] = frozenset()
    """The tools of the next turn, where the next step is known; none means all."""
    way_out: str | None = None
    """Where a question names what nothing is called: how to end when a draft is refused."""
    tell: Tell = silent
    """Tells what is being done."""
    began: float = field(default_factory=perf_counter)
    """When it began, by a clock that only goes forward."""


class Tools(Protocol):
    """What the loop needs of tools."""

    @property
    def names(self) -> tuple[str, ...]:
        """The tools."""

    async def call(self, tool: str, arguments: Any) -> ToolResult:
        """Run one call; what a model wrote never raises."""

    def result(self, data: TableData, tool: str, arguments: Any) -> Result:
        """The rows of a successful call, with what each column may be used for."""


class Model(Protocol):
    """One model turn."""

    async def __call__(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> ModelResponse:
        """The model's response; raises `ModelError` when there is none."""


class Watch(ProgressWatch, Protocol):
    """Someone who is told of each step of a run: a live line, a trace, a page."""

    def calling(self, tool: str, arguments: Any) -> None:
        """A call is about to run."""

    def called(self, log: ToolCallLog) -> None:
        """A call came back."""

    def round_done(self, run: Run) -> None:
        """A round ended."""


Review = Callable[[Draft, Run], Awaitable[QueryValidationError | None]]
"""Looks at a draft: None releases it, a problem goes back to the model."""


Strategy = Callable[["Agent", Run, Review, Sequence[Watch]], Awaitable[None]]
"""How a run is worked off, on the one loop: `Agent.go_on`, or one of `skills/runner.py`."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A model, its tools and its limits."""

    model: Model
    tools: Tools
    parameters: ModelRequestParameters
    """The tables' tools and the ways to end; `answer` is the last of them."""
    limits: Limits
    telemetry: Telemetry
    model_name: str = ""
    structured: bool = False
    """`answer` takes the fields of a schema instead of a text."""

    async def run(
        self, run: Run, review: Review, watches: Sequence[Watch] = (), strategy: Strategy | None = None
    ) -> None:
        """Until a draft is released or a limit is met; cancelling stops the running query, too."""
        try:
            async with asyncio.timeout(self.limits.seconds):
                await (strategy or Agent.go_on)(self, run, review, watches)
        except TimeoutError:
            run.stop = Stop.SECONDS

    async def go_on(self, run: Run, review: Review, watches: Sequence[Watch]) -> None:
        """Turn by turn until a draft is released or a limit is met."""
        while run.stop is None:
            await self._step(run, review, watches)
            for watch in watches:
                watch.round_done(run)

    async def _step(self, run: Run, review: Review, watches: Sequence[Watch]) -> None:
        from pydantic_ai.messages import ModelRequest

        response = await self.turn(run)
        if response is None:
            return
        calls = [part for part in response.tool_calls if part.tool_name not in ENDS]
        ends = [part for part in response.tool_calls if part.tool_name in ENDS]
        replies = await self.call_all(calls, run, watches)
        if calls:
            replies += [
                _reply(part, malformed("answer", "Call the tools first, answer in a later turn.")) for part in ends
            ]
        elif await self._end(response, ends, run, review, replies):
            return
        run.messages.append(ModelRequest(parts=replies))
        if any(count >= self.limits.same_call for count in run.invalid.values()):
            run.stop = Stop.REPEATED

    async def turn(self, run: Run, offered: ModelRequestParameters | None = None) -> ModelResponse | None:
        """One turn of the model; None when its limits are used up, or while it is waited for."""
        if run.rounds >= self.limits.rounds or run.input_tokens + run.output_tokens >= self.limits.tokens:
            run.stop = Stop.ROUNDS if run.rounds >= self.limits.rounds else Stop.TOKENS
            return None
        run.rounds += 1
        run.tell(Doing.ASKING)
        began = perf_counter()
        with self.telemetry.model_call(self.model_name, self.model_name.partition(":")[0]) as span:
            try:
                async with asyncio.timeout(self.limits.seconds - (began - run.began)) as bound:
                    response = await self.model(run.messages, offered or self._offered(run))
            except TimeoutError:
                if not bound.expired():
                    raise
                run.stop = Stop.SECONDS
                return None
            used = response.usage
            span.set(input_tokens=used.input_tokens, output_tokens=used.output_tokens)
        run.prompt_tokens = run.prompt_tokens or used.input_tokens
        run.input_tokens += used.input_tokens
        run.output_tokens += used.output_tokens
        run.tell(Doing.REPLIED, tokens=used.input_tokens + used.output_tokens)
        seconds = perf_counter() - began
        run.turns.append(turn_told(run.messages, run.told, response, round_=run.rounds, seconds=seconds))
        run.messages.append(response)
        run.told = list(run.messages)
        return response

    def _offered(self, run: Run) -> ModelRequestParameters:
        """The tools of the next turn: all of them, but `answer` only once there is a result to answer with."""
        if (run.results or not self.tools.names) and not run.only_tools:
            return self.parameters
        tools = [
            tool
            for tool in self.parameters.function_tools
            if (tool.name in run.only_tools if run.only_tools else tool.name != DraftKind.ANSWER)
        ]
        return replace(self.parameters, function_tools=tools)

    def _tools_of(self, step: str) -> frozenset[str]:
        """The tools that a step names; only they are offered, because a small model would call others."""
        first = step.split(" ", 1)[0]
        if first in self.tools.names:
            return frozenset(self.tools.names)
        return frozenset({first}) if first in ENDS else frozenset()

    async def _end(
        self,
        response: ModelResponse,
        ends: Sequence[ToolCallPart],
        run: Run,
        review: Review,
        replies: list[ModelRequestPart],
    ) -> bool:
        """Review what the model wants to end with; what is refused goes back, with the reason."""
        from pydantic_ai.messages import UserPromptPart

        read = partial(read_end, ends[0]) if ends else partial(read_text, response)
        draft = read(structured=self.structured)
        run.tell(Doing.CHECKING)
        problem = draft if isinstance(draft, QueryValidationError) else await review(draft, run)
        if problem is None and isinstance(draft, Draft):
            run.draft, run.stop = draft, Stop.DONE
            return True
        assert problem is not None
        run.refusals.append(problem)
        run.refused.append(RefusedDraft.of(draft, problem, ends[0] if ends else response, run.rounds))
        if len(run.refusals) > self.limits.repairs:
            run.draft, run.stop = draft if isinstance(draft, Draft) else None, Stop.REFUSED
            return True
        step = _next_step(run)
        # Where only a wording was asked for, a refused one is worded anew; rows that are missing are another matter.
        asked = run.only_tools if problem.code is not ValidationErrorCode.QUESTION_NOT_COVERED else frozenset()
        run.only_tools = self._tools_of(step) or (asked if asked == ENDS else frozenset())
        if ends:
            replies += [_reply(part, problem, step) for part in ends]
        else:
            replies.append(UserPromptPart(_refusal(problem, step)))
        return False

    async def call_all(
        self, calls: Sequence[ToolCallPart], run: Run, watches: Sequence[Watch]
    ) -> list[ModelRequestPart]:
        """Calls of one round are siblings: they run side by side, and their results are numbered as they were written."""
        read = [(part, arguments_of(part)) for part in calls]
        for part, arguments in read:
            run.tell(Doing.RUNNING, call_name(part.tool_name, arguments))
            for watch in watches:
                watch.calling(part.tool_name, arguments)
        done = await asyncio.gather(*(self._call(part, arguments) for part, arguments in read))
        if calls:
            run.only_tools = frozenset()
        replies: list[ModelRequestPart] = []
        for (part, arguments), (returned, milliseconds) in zip(read, done, strict=True):
            known = len(run.results)
            result = self._with_id(part.tool_name, arguments, returned, run)
            log = _call_log(run.rounds, part.tool_name, arguments, result, milliseconds)
            run.calls.append(log)
            if not result.success:
                run.invalid[json.dumps([part.tool_name, arguments], sort_keys=True, default=str)] += 1
            for watch in watches:
                watch.called(log)
            again = result.table is not None and len(run.results) == known
            reply = _same_result_for_model(result) if again else result_for_model(result, self.limits.shown_rows)
            replies.append(_return(part, json.dumps(reply, ensure_ascii=False, default=str)))
        return replies

    async def _call(self, part: ToolCallPart, arguments: Any) -> tuple[ToolResult, float]:
        """What a call returned, and how many milliseconds it took."""
        started = perf_counter()
        with self.telemetry.tool_call(part.tool_name, part.tool_call_id) as span:
            result = await self.tools.call(part.tool_name, arguments)
            rows = result.table.row_count if result.table else None
            span.set(code=result.error_details.code.value if result.error_details else None, rows=rows)
        return result, (perf_counter() - started) * 1000

    def _with_id(self, tool: str, arguments: Any, result: ToolResult, run: Run) -> ToolResult:
        """A result gets the next id of the conversation, whichever of its siblings came back first; one that is there
        already keeps its own."""
        if result.table is None:
            return result
        kept = self.tools.result(result.table, tool, arguments)
        same = (
            name
            for name, one in run.results.items()
            if (one.call, one.given, one.data.rows) == (kept.call, kept.given, kept.data.rows)
        )
        name = next(same, None) or f"r{len(run.results) + 1}"
        data = result.table.model_copy(update={"result_id": name})
        run.results.setdefault(name, replace(kept, data=data))
        return result.model_copy(update={"data": data})


def call_name(tool: str, arguments: Any) -> str:
    """A call in short: the tool, and the table that it reads."""
    table = arguments.get("tableName") if isinstance(arguments, dict) else None
    return clip(f"{tool} {table}" if table else tool, 120)


def _call_log(round_: int, tool: str, arguments: Any, result: ToolResult, milliseconds: float) -> ToolCallLog:
    details = result.error_details
    return ToolCallLog(
        round=round_,
        tool=clip(tool, 80),
        arguments=_as_json(arguments) if isinstance(arguments, dict) else {"?": clip(str(arguments), 200)},
        success=result.success,
        validation_failure_code=details.code if details else None,
        error=result.error,
        suggestion=details.suggestion if details else None,
        result_id=result.table.result_id if result.table else None,
        row_count=result.table.row_count if result.table else None,
        milliseconds=round(milliseconds, 3),
    )


def _as_json(value: Any) -> Any:
    """Arguments without the decimals and half characters that JSON cannot hold."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return json.loads(text.encode("utf-8", "replace"))


def _next_step(run: Run) -> str:
    """What to do after a refusal: the way out, the text that was suggested, or just to correct it."""
    if run.way_out:
        return run.way_out
    texts = [problem.suggestion for problem in run.refusals if "{{" in (problem.suggestion or "")]
    if texts:
        return f"answer {json.dumps({'text': texts[-1]}, ensure_ascii=False)}"
    return _NEXT


def _reply(part: ToolCallPart, problem: QueryValidationError, step: str = _NEXT) -> ModelRequestPart:
    return _return(part, _refusal(problem, step))


def _refusal(problem: QueryValidationError, step: str) -> str:
    return json.dumps(
        {"success": False, "errorDetails": problem.model_dump(mode="json"), "next": step}, ensure_ascii=False
    )


def _return(part: ToolCallPart, content: str) -> ModelRequestPart:
    from pydantic_ai.messages import ToolReturnPart

    return ToolReturnPart(tool_name=part.tool_name, content=content, tool_call_id=part.tool_call_id)


def result_for_model(result: ToolResult, shown_rows: int) -> dict[str, Any]:
    """A result as the model sees it: columns once, rows as lists, no more of them than it can use."""
    if result.data is None:
        details = result.error_details
        told: dict[str, Any] = {"success": False, "error": result.error}
        if details is not None:
            told["errorDetails"] = details.model_dump(mode="json")
        return told
    if isinstance(result.data, FileReport):
        return result.data.model_dump(mode="json", exclude_defaults=True)
    data = result.data
    names = [column.name for column in data.columns]
    rows = [[_cell_for_model(row[name]) for name in names] for row in data.rows[:shown_rows]]
    told = {"resultId": data.result_id, "rowCount": data.row_count, "columns": names, "rows": rows}
    if data.truncated:
        told["truncated"] = True
    if len(rows) < data.row_count:
        told["shown"] = len(rows)
    if not rows:
        told["note"] = "No row matches. Check the filters, or abstain."
    return told


def _same_result_for_model(result: ToolResult) -> dict[str, Any]:
    """What a model is told that makes the same call again: small ones do so until their memory is full."""
    assert result.table is not None
    name, columns = result.table.result_id, [column.name for column in result.table.columns]
    told = {"resultId": name, "rowCount": result.table.row_count, "columns": columns, "same": True}
    return {**told, "next": f"answer with expressions over {name}"}


def _cell_for_model(cell: Cell) -> Any:
    if isinstance(cell, Decimal):
        return written(cell)
    return clip(cell, _LONGEST_CELL) if isinstance(cell, str) else cell
