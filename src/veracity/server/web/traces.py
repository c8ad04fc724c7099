"""Traces: what was asked, round by round; and the rows behind an answer, whose query is run again, since none were kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import get_args
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.agent.recorder import KeptTrace
from veracity.agent.trace_store import TraceFilter
from veracity.answer.answer import Answer, RunTrace, SourceQuery
from veracity.answer.render import NO_VALUE
from veracity.answer.results import Result, digest
from veracity.ask.data_agent import DataAgent
from veracity.ask.ran_reading import as_result
from veracity.contracts import Cell, QueryValidationError, TableData, ToolCallLog, ToolKind
from veracity.errors import SourceError, UsageError
from veracity.language.locale import language, pick
from veracity.language.numbers import format_number, locale_of
from veracity.ontology.fields import Encoding
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.result import SemanticResult
from veracity.server.counting import cost_of
from veracity.server.problems import NotThere
from veracity.server.request_body import clean_text
from veracity.server.web.answer_table import AnswerTable, answer_table
from veracity.server.web.charts import Bars, bars_of
from veracity.server.web.figures import ShownAnswer, query_text
from veracity.server.web.visit import PageRoute, Visit, Visitor, is_fragment
from veracity.sources.source import Dialect
from veracity.tools.semantic import SEMANTIC_TOOL, SemanticTools
from veracity.tools.toolset import Toolset

# --- the rows behind an answer: its validated call is run again, in the visitor's own scope


MOST_ROWS = 100
"""Rows that a page shows; the file has all of them."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Reader:
    """The languages of a page with an answer on it."""

    lang: str
    """That of the page, for labels."""
    written: str
    """That of the answer: a figure looks the same in its text and in its rows."""

    @staticmethod
    def locale_of(agent: DataAgent, lang: str) -> str:
        """How figures are written in a language, over the data of an agent."""
        ontology = agent.tools.catalog.ontology
        return locale_of(lang, (ontology.locale if ontology else None) or "de-DE")


@dataclass(frozen=True, slots=True)
class Heading:
    """A column as a page shows it."""

    name: str
    label: str
    numeric: bool


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The rows of a result, for people."""

    result: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int
    truncated: bool
    changed: bool
    """The data is not what it was when the question was answered."""
    bars: Bars | None

    @property
    def caption(self) -> str:
        """What the bars show."""
        shown = next(one for one in self.headings if self.bars and one.name == self.bars.column)
        return shown.label or shown.name


def source_of(answer: Answer, result: str) -> SourceQuery:
    """The query of a result; raises `NotThere`."""
    found = next((one for one in answer.sources if one.result == result), None)
    if found is None:
        raise NotThere(f"The answer has no result {result[:20]!r}.")
    return found


async def run_again(agent: DataAgent, source: SourceQuery) -> Result:
    """The rows of a query as they are now; what is no longer allowed is not run."""
    if source.tool == SEMANTIC_TOOL and agent.semantic is not None:
        return await _asked_again(agent.semantic, source)
    tools = _tools_that_know(agent, source.tool)
    came = await tools.call(source.tool, source.arguments)
    if came.table is None:
        raise SourceError(f"The query cannot be run again: {came.error}")
    return tools.result(came.table, source.tool, source.arguments)


async def _asked_again(semantic: SemanticTools, source: SourceQuery) -> Result:
    return as_result(await found_again(semantic, source.arguments), source.result)


async def found_again(semantic: SemanticTools, arguments: Mapping[str, object]) -> SemanticResult:
    """The rows of a semantic query as they are now."""
    query = read_query(dict(arguments))
    found = query if isinstance(query, QueryValidationError) else await semantic.run(query)
    if isinstance(found, QueryValidationError):
        raise SourceError(f"The query cannot be run again: {found.hint}")
    return found


def _tools_that_know(agent: DataAgent, tool: str) -> Toolset:
    """The tools that know this one: the agent's own, or those of a skill."""
    if tool in agent.tools.names or agent.sibling is None:
        return agent.tools
    kinds: tuple[ToolKind, ...] = get_args(ToolKind)
    siblings = (agent.sibling(kind).tools for kind in kinds)
    return next((tools for tools in siblings if tool in tools.names), agent.tools)


def table_of(result: Result, answer: Answer, source: SourceQuery, agent: DataAgent, reader: Reader) -> ResultTable:
    """A result as a page shows it: labels, figures as the answer writes them, a chart where that helps."""
    locale = Reader.locale_of(agent, reader.written)
    data = result.data
    headings = tuple(
        Heading(column.name, column_label(agent, result, column.name, reader.lang), _is_numeric(data, column.name))
        for column in data.columns
    )
    shown = tuple(
        tuple(written_cell(dated(row.get(one.name), agent, result, one.name), locale) for one in headings)
        for row in data.rows[:MOST_ROWS]
    )
    cited = [arg.column for figure in answer.provenance for arg in figure.args if arg.result == source.result]
    return ResultTable(
        result=source.result,
        headings=headings,
        rows=shown,
        count=data.row_count,
        truncated=data.truncated,
        changed=digest(data) != source.digest,
        bars=bars_of(result, locale, cited),
    )


def written_cell(cell: Cell, locale: str) -> str:
    """A cell for people: amounts grouped, nothing rounded."""
    if cell is None:
        return pick(NO_VALUE, language(locale))
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d %H:%M}"
    if isinstance(cell, Decimal) and cell.is_finite():
        return format_number(cell, locale, decimals=None)
    return str(cell)


def dated(cell: Cell, agent: DataAgent, result: Result, name: str) -> Cell:
    """A cell with a stored moment as the date that it is, with its time unless that is midnight; any other as it is."""
    encoding = _encoding_of(agent, result, name) if isinstance(cell, int) and not isinstance(cell, bool) else None
    if encoding is None or not isinstance(cell, int):
        return cell
    try:
        moment = _EPOCH + timedelta(seconds=cell / (1000 if encoding is Encoding.UNIX_MILLISECONDS else 1))
    except OverflowError:
        return cell
    return moment.date() if moment.time() == time() else moment


def _encoding_of(agent: DataAgent, result: Result, name: str) -> Encoding | None:
    """How a column stores moments; of a semantic query, as the fields do that have its name, if all do it alike."""
    facts = result.columns.get(name)
    if result.call.tool != SEMANTIC_TOOL or agent.semantic is None:
        return facts.encoding if facts else None
    model = agent.semantic.model
    if name in model.measures:
        return None
    asked = model.things.get(result.call.table)
    homes = [asked] if asked and name in asked.fields else [one for one in model.things.values() if name in one.fields]
    stored = {one.fields[name].guard for one in homes}
    return stored.pop() if len(stored) == 1 else None


def column_label(agent: DataAgent, result: Result, name: str, lang: str) -> str:
    """What people call a column; of an aggregate, what was aggregated, and how."""
    if result.call.tool == SEMANTIC_TOOL and agent.semantic is not None:
        return _label_of_query_column(agent.semantic.model, result.call.table, name, lang)
    entity = agent.tools.catalog.entities.get(result.call.table)
    if entity is None:
        return ""
    aggregate = result.call.aggregate if name not in entity.fields else None
    facts = entity.fields.get(result.call.target or "" if aggregate else name)
    said = pick(facts.declared.label, lang) if facts and facts.declared else ""
    return f"{said} ({aggregate})" if said and aggregate else said


def _label_of_query_column(model: SemanticModel, asked: str, name: str, lang: str) -> str:
    """What people call a column of a semantic query: a measure, or a field, first one of the entity that was asked for."""
    things = sorted(model.things.values(), key=lambda thing: thing.name != asked)
    measures = (thing.measures[name] for thing in things if name in thing.measures)
    fields = (thing.fields[name].declared for thing in things if name in thing.fields)
    return next((label for one in (*measures, *fields) if one and (label := pick(one.label, lang))), "")


def _is_numeric(data: TableData, name: str) -> bool:
    cells = [row.get(name) for row in data.rows]
    return any(isinstance(cell, int | float | Decimal) for cell in cells) and not any(
        isinstance(cell, str) for cell in cells
    )


# --- the pages


router = APIRouter(route_class=PageRoute, include_in_schema=False)
_PAGE = 30


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """A call of a round, and its query as a person would write it."""

    call: ToolCallLog
    query: str
    repaired: bool
    """A call was refused in the round before, and this one is valid."""


def read_trace(visit: Visit, trace_id: str) -> KeptTrace:
    """A trace of the visitor's tenant; raises `NotThere`."""
    record = visit.agents.trace(visit.known, trace_id)
    kept = KeptTrace.of(record)
    if kept is None:
        raise UsageError(visit.say("trace.other_version", trace=record.trace_id))
    return kept


@router.get("/traces")
def list_(visit: Visitor, before: str | None = None, outcome: str = "", model: str = "", search: str = "") -> Response:
    """The latest questions, or those that somebody looks for."""
    kept = visit.database.traces(visit.known.tenant)
    wanted = {"outcome": outcome[:40], "model": model[:200], "search": clean_text(search).strip()[:200]}
    only = TraceFilter(outcome=wanted["outcome"], model=wanted["model"], words=wanted["search"])
    found = kept.latest(_PAGE + 1, before=before, only=only)
    older = found[_PAGE - 1].trace_id if len(found) > _PAGE else None
    given = urlencode({name: value for name, value in wanted.items() if value})
    return visit.page(
        "traces.html",
        traces=found[:_PAGE],
        older=older,
        before=before,
        wanted=wanted,
        given=given,
        models=kept.models(),
    )


@router.get("/traces/{trace_id}")
def show(visit: Visitor, trace_id: str) -> Response:
    """One question: its rounds, calls, errors and repairs, and the answer with its proof."""
    read, agent = read_trace(visit, trace_id), visit.agent()
    dialect = agent.tools.source.dialect
    shown = ShownAnswer.of(read.answer, dialect) if read.answer is not None else None
    rounds = [(number, tuple(steps)) for number, steps in _rounds(read.run, dialect)]
    home, tokens = visit.parts.home, read.run.tokens
    return visit.page(
        "trace.html",
        record=read.record,
        run=read.run,
        rounds=rounds,
        shown=shown,
        kept=read,
        turns={one.round: one for one in read.turns},
        prompts=visit.known.may("reviewer"),
        verdicts=visit.database.judged(visit.known.tenant).of([read.record.trace_id]),
        cost=cost_of(home, read.record.model, tokens.input, tokens.output),
        currency=home.currency,
    )


def _rounds(run: RunTrace, dialect: Dialect) -> Iterator[tuple[int, list[TimelineStep]]]:
    """Every round with its calls; one without any is an answer that was written, 0 what was read from the words."""
    numbers = [call.round for call in run.calls]
    for number in range(min([1, *numbers]), max([run.rounds, *numbers]) + 1):
        refused = [call for call in run.calls if call.round == number - 1 and call.validation_failure_code is not None]
        yield (
            number,
            [
                TimelineStep(call, query_text(call.tool, call.arguments, dialect), _repairs(call, refused))
                for call in run.calls
                if call.round == number
            ],
        )


def _repairs(call: ToolCallLog, refused: Sequence[ToolCallLog]) -> bool:
    """Whether a call is what the counters call a conversion: valid, and other than one that was refused a round before."""
    valid = call.validation_failure_code is None
    return valid and any((call.tool, call.arguments) != (one.tool, one.arguments) for one in refused)


@router.get("/traces/{trace_id}/results/{result}")
async def rows(visit: Visitor, trace_id: str, result: str, chart: str = "", sort: str = "") -> Response:
    """The rows of a result: its query is run again. `chart` and `sort` say how they are shown."""
    read = await run_in_threadpool(read_trace, visit, trace_id)
    if read.answer is None:
        raise NotThere(visit.say("trace.unfinished"))
    source = source_of(read.answer, result)
    agent = await run_in_threadpool(visit.agent)
    whole = "result.html"
    if source.tool == SEMANTIC_TOOL and agent.semantic is not None:
        shown = await shown_again(agent, source, read.record.lang or visit.lang, chart=chart, sort=sort)
        template = "_answer_table.html" if is_fragment(visit.request) else whole
        return visit.page(template, table=shown, record=read.record, semantic=True)
    came = await run_again(agent, source)
    table = table_of(came, read.answer, source, agent, Reader(visit.lang, written=read.record.lang))
    template = "_result.html" if is_fragment(visit.request) else whole
    return visit.page(template, table=table, record=read.record, semantic=False)


async def shown_again(
    agent: DataAgent, source: SourceQuery, lang: str, *, chart: str = "", sort: str = ""
) -> AnswerTable:
    """The rows of a semantic query as they are now, in the language of the answer, with a chart where that says more."""
    assert agent.semantic is not None
    found = await found_again(agent.semantic, source.arguments)
    locale = Reader.locale_of(agent, lang)
    return answer_table(found, source, agent.semantic.model, lang=lang, locale=locale, kind=chart, sort=sort)
