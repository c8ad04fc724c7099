"""An answer changed: what can be done next, its query as a form, and raw SQL over the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.contracts import QueryValidationError
from veracity.errors import UsageError
from veracity.semantic.query import SemanticQuery
from veracity.semantic.wording.refusal import refusal
from veracity.server.problems import NotThere
from veracity.server.request_body import clean_text
from veracity.server.web.ask import answered, asked_query
from veracity.server.web.edits import EditOffers, read_key
from veracity.server.web.instead import InsteadOffers
from veracity.server.web.query_form import FilledForm, FormFiller
from veracity.server.web.traces import Reader, read_trace, written_cell
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, is_fragment
from veracity.sources.source import NUMERIC

if TYPE_CHECKING:
    from veracity.agent.recorder import KeptTrace
    from veracity.tools.semantic import SemanticTools

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_LONGEST_KEY, _LONGEST_SQL, _SQL_ROWS = 4_000, 20_000, 100
_SQL_TOOL = "execute_sql_safe"


async def _query_of(visit: Visit, trace_id: str) -> tuple[KeptTrace, SemanticQuery, SemanticTools]:
    """The query of an answer, which can be changed; raises `NotThere` where it has none."""
    kept = await run_in_threadpool(read_trace, visit, trace_id)
    agent = await run_in_threadpool(visit.agent)
    if kept.answer is None or kept.answer.semantic_query is None or agent.semantic is None:
        raise NotThere(visit.say("edit.no_query"))
    return kept, SemanticQuery.model_validate(kept.answer.semantic_query), agent.semantic


@router.get("/traces/{trace_id}/edit")
async def edit(visit: Visitor, trace_id: str, conversation: str = "", key: str = "") -> Response:
    """What can be done with an answer, or with one row of it: a part of the page, or a page of its own with the form."""
    kept, query, tools = await _query_of(visit, trace_id)
    offers = EditOffers(tools, visit.lang, written=kept.record.lang)
    told: dict[str, Any] = {"record": kept.record, "conversation": conversation[:100], "derivation": None, "edits": ()}
    told["groups"] = await offers.offered_for(query, read_key(key[:_LONGEST_KEY])) if key else None
    if not key:
        told["edits"] = await offers.offered(query)
        parts_told = kept.answer is not None and len(kept.answer.sources) > 1
        told["derivation"] = None if parts_told else await offers.derivation(query)
    if is_fragment(visit.request):
        return visit.page("_edits.html", **told)
    return await _page(visit, query, tools, **told)


@router.get("/traces/{trace_id}/instead")
async def instead(visit: Visitor, trace_id: str, conversation: str = "") -> Response:
    """What can be asked instead of a question that has no answer."""
    kept = await run_in_threadpool(read_trace, visit, trace_id)
    agent = await run_in_threadpool(visit.agent)
    lang = kept.record.lang or visit.lang
    asked = kept.answer.semantic_query if kept.answer is not None else None
    before = SemanticQuery.model_validate(asked) if asked else None
    offers = await InsteadOffers(agent.semantic, lang).near(kept.record.question, before) if agent.semantic else ()
    template = "_instead.html" if is_fragment(visit.request) else "instead.html"
    return visit.page(template, record=kept.record, offers=offers, conversation=conversation[:100])


async def _page(visit: Visit, query: SemanticQuery, tools: SemanticTools, **told: Any) -> Response:
    filler = FormFiller(tools.model, visit.lang)
    form = await run_in_threadpool(filler.form, query)
    empty: dict[str, Any] = {"wrong": "", "sql": "", "table": None, "groups": None, "edits": (), "derivation": None}
    return visit.page("edit.html", **(empty | {"form": form} | told))


@router.post("/traces/{trace_id}/edit")
async def run_form(
    *,
    visit: FilledIn,
    trace_id: str,
    conversation: Annotated[str, Form()] = "",
    figure: Annotated[str, Form()] = "keep",
    by: Annotated[list[str] | None, Form()] = None,
    kept: Annotated[list[str] | None, Form()] = None,
    field: Annotated[str, Form()] = "",
    op: Annotated[str, Form()] = "=",
    value: Annotated[str, Form()] = "",
    since: Annotated[str, Form()] = "",
    until: Annotated[str, Form()] = "",
    order: Annotated[str, Form()] = "",
    limit: Annotated[str, Form()] = "",
    compared: Annotated[bool, Form()] = False,
) -> Response:
    """Answer the query of the form; what cannot be answered is told above the form."""
    trace, query, tools = await _query_of(visit, trace_id)
    filled = FilledForm(
        figure=figure, by=tuple(by or ()), kept=tuple(kept or ()), field=field, op=op, value=clean_text(value),
        since=since, until=until, order=order, limit=limit, compared=compared,
    )  # fmt: skip
    changed = FormFiller(tools.model, visit.lang).query(query, filled)
    checked = changed if isinstance(changed, QueryValidationError) else await tools.checked(changed)
    if isinstance(checked, QueryValidationError):
        reason = refusal(checked, tools.model, visit.lang)
        shown = query if isinstance(changed, QueryValidationError) else changed
        wrong = visit.say("edit.refused", reason=reason, hint=checked.hint)
        return await _page(visit, shown, tools, record=trace.record, conversation=conversation[:100], wrong=wrong)
    return await answered(visit, await run_in_threadpool(asked_query, visit, checked, conversation, trace.record.lang))


@router.post("/traces/{trace_id}/sql")
async def run_sql(
    visit: FilledIn, trace_id: str, sql: Annotated[str, Form()] = "", conversation: Annotated[str, Form()] = ""
) -> Response:
    """Rows for a SELECT of one's own, through the checks that raw SQL has everywhere."""
    trace, query, tools = await _query_of(visit, trace_id)
    said = clean_text(sql).strip()
    if not said or len(said) > _LONGEST_SQL:
        raise UsageError(visit.say("edit.sql_length", most=_LONGEST_SQL))
    agent = await run_in_threadpool(visit.agent)
    asked = agent.sibling("sql").tools if agent.sibling is not None else agent.tools
    came = await asked.call(_SQL_TOOL, {"sql": said})
    told: dict[str, Any] = {"record": trace.record, "conversation": conversation[:100], "sql": said}
    if came.table is None:
        return await _page(visit, query, tools, wrong=came.error or visit.say("error.title"), **told)
    locale = Reader.locale_of(agent, visit.lang)
    data = came.table
    rows = [[written_cell(row.get(one.name), locale) for one in data.columns] for row in data.rows[:_SQL_ROWS]]
    headings = [(one.name, one.type in NUMERIC) for one in data.columns]
    table = {"headings": headings, "rows": rows, "count": data.row_count, "truncated": data.truncated}
    return await _page(visit, query, tools, table=table, **told)
