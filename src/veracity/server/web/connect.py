"""Connect: files and databases of a tenant, what was found in them, what only a person knows, and questions they surely answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Form
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.errors import SourceError, UsageError, VeracityError
from veracity.language.locale import pick
from veracity.ontology.draft.drafting import MOST_TABLES
from veracity.server.problems import LOG, NotThere, RequestRefused, status_of
from veracity.server.request_body import clean_text
from veracity.server.sources import OWN, ConnectedSource
from veracity.server.sources_secret import SourceRefused, told_in
from veracity.server.sources_upload import ACCEPTED
from veracity.server.web.ontology import Graph, graph_of_ontology
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to, grouped, is_fragment, with_valid_token

if TYPE_CHECKING:
    from veracity.ontology.draft import OntologyDraft

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_ASKED_AT_ONCE = 5
"""Questions of the draft that are shown before the rest."""
_TOO_LARGE = 413
_TABLES_SHOWN = 200
"""Tables to choose from that a page lists at once."""


@dataclass(frozen=True, slots=True)
class ShownDraft:
    """The draft of a source as its page shows it."""

    draft: OntologyDraft
    graph: Graph
    """Of the tables that are related with others."""
    alone: tuple[str, ...]
    """Tables that are related with none."""

    @classmethod
    def of(cls, draft: OntologyDraft, lang: str) -> ShownDraft:
        """The draft of a source, its tables drawn."""
        ontology = draft.descriptor()
        ends = {name for one in ontology.relations for name in (one.from_entity, one.to_entity)}
        related = ontology.model_copy(update={"entities": tuple(e for e in ontology.entities if e.name in ends)})
        alone = tuple(pick(one.label, lang) or one.name for one in ontology.entities if one.name not in ends)
        counts = {table.profile.name: len(table.profile.columns) for table in draft.found.tables}
        return cls(draft, graph_of_ontology(related, lang, counts), alone)


def is_first_visit(visit: Visit) -> bool:
    """Whether somebody who may connect a source has not been asked yet what to ask."""
    if not visit.known.may("reviewer"):
        return False
    try:
        return visit.parts.sources.is_untouched(visit.known.tenant)
    except SourceError:
        return False


# --- all sources


@router.get("/connect")
async def page(visit: Visitor) -> Response:
    """The sources of a tenant, and how to connect another one."""
    return await _all(visit)


async def _all(visit: Visit, *, told: str = "", status: int = 200, name: str = "") -> Response:
    """The page, with what went wrong; what was written stays, but never an address."""
    if told and is_fragment(visit.request):
        return visit.problem(told, status)
    known = await run_in_threadpool(visit.parts.sources.all_of, visit.known.tenant)
    limit = visit.settings.source_limit
    return visit.page(
        "connect.html", status=status, sources=known, told=told, name=name, limit=limit, accepted=ACCEPTED
    )


async def _refused(visit: Visit, error: VeracityError, name: str = "") -> Response:
    status = error.status if isinstance(error, RequestRefused) else status_of(error)
    told = told_in(error, visit.lang)
    if status == _TOO_LARGE:
        told = visit.say("connect.too_big", most=grouped(visit.settings.source_limit / 1e6, visit.lang))
    return await _all(visit, told=told, status=status, name=name)


@router.post("/connect/file")
async def take_file(visit: Visitor) -> Response:
    """A file, written to disk while it comes. The token of the form stands before it."""
    visit.needs("reviewer")
    try:
        made = await visit.parts.connections.file(
            visit.request,
            visit.known,
            use=True,
            allow=lambda fields: _check_form(visit, fields.get("csrf", "")),
        )
    except (UsageError, RequestRefused) as error:
        return await _refused(visit, error)
    return go_to(f"/connect/{made.source_id}")


def _check_form(visit: Visit, token: str) -> None:
    with_valid_token(visit, token)


@router.post("/connect/postgres")
async def take_postgres(
    visit: FilledIn, address: Annotated[str, Form()] = "", name: Annotated[str, Form()] = ""
) -> Response:
    """A PostgreSQL server; one that cannot be reached is told here."""
    visit.needs("reviewer")
    called = clean_text(name)
    try:
        made = await visit.parts.connections.postgres(visit.known, clean_text(address), called, use=True)
    except UsageError as error:
        return await _refused(visit, error, called)
    return go_to(f"/connect/{made.source_id}")


@router.post("/connect/ledger")
async def take_ledger(visit: FilledIn) -> Response:
    """The shipped ledger."""
    visit.needs("reviewer")
    made = await visit.parts.connections.ledger(visit.known, use=True)
    return go_to("/" if made.source_id == OWN else f"/connect/{made.source_id}")


@router.post("/connect/{source_id}/use")
async def use(visit: FilledIn, source_id: str) -> Response:
    """Answer from this source from now on."""
    visit.needs("reviewer")
    try:
        await run_in_threadpool(visit.parts.sources.use, visit.known.tenant, source_id)
    except SourceRefused as error:
        return await _refused(visit, error)
    return go_to("/connect" if source_id == OWN else f"/connect/{source_id}")


@router.post("/connect/{source_id}/forget")
async def forget(visit: FilledIn, source_id: str) -> Response:
    """Delete a source, with its rows and its draft."""
    visit.needs("admin")
    try:
        await run_in_threadpool(visit.parts.sources.forget, visit.known.tenant, source_id)
    except SourceRefused as error:
        return await _refused(visit, error)
    return go_to("/connect")


# --- one source


@router.get("/connect/{source_id}")
async def source_page(visit: Visitor, source_id: str) -> Response:
    """How far a source is; then what was found in it, what is open, and what it surely answers."""
    found = await _source(visit, source_id)
    shown = await run_in_threadpool(_shown_draft, visit, found) if found.state == "ready" else None
    return visit.page("source.html", one=found, shown=shown, at_once=_ASKED_AT_ONCE, pick=pick, most=MOST_TABLES)


@router.get("/connect/{source_id}/state")
async def state(visit: Visitor, source_id: str) -> Response:
    """How far a source is, for the script of its page; what is ready is shown by loading the page again."""
    found = await _source(visit, source_id)
    response = visit.page("_source_state.html", one=found)
    if found.state != "preparing":
        response.headers["HX-Refresh"] = "true"
    return response


@router.get("/connect/{source_id}/questions")
async def questions(visit: Visitor, source_id: str) -> Response:
    """The questions that were proven so far."""
    return visit.page("_sure_questions.html", one=await _source(visit, source_id))


@router.post("/connect/{source_id}/answer")
async def answer(
    visit: FilledIn, source_id: str, question: Annotated[str, Form()] = "", option: Annotated[str, Form()] = ""
) -> Response:
    """Answer a question of the draft; what the source surely answers is then made anew."""
    visit.needs("reviewer")
    tenant = visit.known.tenant
    await _source(visit, source_id)
    draft = await run_in_threadpool(visit.agents.draft_of, tenant, source_id)
    await run_in_threadpool(draft.answered, question, option)
    visit.parts.connections.prove_again(tenant, source_id)
    return go_to(f"/connect/{source_id}#open")


# --- which tables of a large source


@router.get("/connect/{source_id}/tables")
async def tables(visit: Visitor, source_id: str) -> Response:
    """Which tables of a source with too many of them are looked at."""
    visit.needs("reviewer")
    found = await _source(visit, source_id)
    chosen = await run_in_threadpool(visit.parts.sources.chosen_tables, visit.known.tenant, source_id)
    return await _choosing(visit, found, list(chosen), "")


@router.post("/connect/{source_id}/tables")
async def choose_tables(
    *,
    visit: FilledIn,
    source_id: str,
    table: Annotated[list[str] | None, Form()] = None,
    search: Annotated[str, Form()] = "",
    do: Annotated[str, Form()] = "search",
) -> Response:
    """Search on with what is ticked, tick all that was found, or look at what is ticked."""
    visit.needs("reviewer")
    found, ticked, said = await _source(visit, source_id), table or [], clean_text(search).strip()[:200]
    if do != "draft":
        return await _choosing(visit, found, ticked, said, all_found=do == "all")
    try:
        await run_in_threadpool(visit.parts.connections.choose_tables, visit.known.tenant, source_id, ticked)
    except SourceRefused as error:
        return await _choosing(visit, found, ticked, said, told=told_in(error, visit.lang))
    return go_to(f"/connect/{source_id}")


async def _choosing(
    visit: Visit,
    found: ConnectedSource,
    ticked: list[str],
    search: str,
    *,
    all_found: bool = False,
    told: str = "",
) -> Response:
    """The page with what is ticked, and what was found; a search never unticks anything."""
    names = await run_in_threadpool(visit.parts.connections.tables_of, visit.known.tenant, found.source_id)
    hits = [name for name in names if search.casefold() in name.casefold()]
    wanted = {*ticked, *(hits if all_found else ())}
    if len(wanted) > MOST_TABLES:
        wanted = set(ticked)
        told = told or visit.say("connect.refused.tables_count", most=MOST_TABLES, count=len({*ticked, *hits}))
    return visit.page(
        "tables.html",
        status=400 if told else 200,
        one=found,
        told=told,
        search=search,
        chosen=[name for name in names if name in wanted],
        hits=[name for name in hits if name not in wanted],
        shown=_TABLES_SHOWN,
        most=MOST_TABLES,
        total=len(names),
    )


async def _source(visit: Visit, source_id: str) -> ConnectedSource:
    """A source of the visitor's tenant; one that was left half prepared is gone on with."""
    tenant = visit.known.tenant
    try:
        found = await run_in_threadpool(visit.parts.sources.get, tenant, source_id)
    except NotThere:
        raise NotThere(visit.say("connect.gone")) from None
    await run_in_threadpool(visit.parts.connections.look_after, tenant, source_id)
    return found


def _shown_draft(visit: Visit, found: ConnectedSource) -> ShownDraft | None:
    """The draft of a source; none where it is described, cannot be drafted, or cannot be reached right now."""
    try:
        draft = visit.agents.draft_of(visit.known.tenant, found.source_id).current()
    except (NotThere, UsageError):
        return None
    except SourceError as error:
        LOG.warning(
            "a source cannot be read", extra={"fields": {"source": found.source_id, "error": type(error).__name__}}
        )
        return None
    return ShownDraft.of(draft, visit.lang)
