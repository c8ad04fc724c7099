"""Boards in the browser: a list, one with its answers proven again, and the form that pins an answer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse, Response

from veracity.errors import UsageError
from veracity.server.boards import LONGEST_NAME, ChangedMeanwhile
from veracity.server.conversations import plain_title
from veracity.server.pinning import NotPinnable, Pinning, ProvenPin
from veracity.server.problems import NotThere
from veracity.server.request_body import clean_text
from veracity.server.web.answer_table import AnswerTable
from veracity.server.web.figures import ShownAnswer
from veracity.server.web.traces import read_trace, shown_again
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to, is_fragment

if TYPE_CHECKING:
    from veracity.ask.data_agent import DataAgent
    from veracity.server.boards import Boards

router = APIRouter(route_class=PageRoute, include_in_schema=False)


def _kept(visit: Visit) -> Boards:
    return visit.database.boards(visit.known)


@router.get("/boards")
def list_(visit: Visitor) -> Response:
    """All boards of the tenant."""
    return visit.page("boards.html", boards=_kept(visit).all(), told="", typed="")


@router.post("/boards")
def make(visit: FilledIn, name: Annotated[str, Form()] = "") -> Response:
    """A new board."""
    if (said := _named(name)) is None:
        told = visit.say("board.name_length", most=LONGEST_NAME)
        return visit.page(
            "boards.html", status=400, boards=_kept(visit).all(), told=told, typed=clean_text(name)[:1000]
        )
    return go_to(f"/boards/{_kept(visit).make(said).board_id}")


def _named(name: str) -> str | None:
    said = plain_title(clean_text(name))
    return said if 0 < len(said) <= LONGEST_NAME else None


# --- pin an answer


@router.get("/boards/pin")
async def choose(visit: Visitor, trace: str) -> Response:
    """Which board an answer goes to."""
    return await _choosing(visit, trace)


async def _choosing(visit: Visit, trace: str, *, status: int = 200, told: str = "", typed: str = "") -> Response:
    kept = await run_in_threadpool(read_trace, visit, trace)
    if kept.answer is None or kept.answer.semantic_query is None:
        raise UsageError(visit.say("board.not_pinnable"))
    boards = await run_in_threadpool(_kept(visit).all)
    return visit.page("pin.html", status=status, record=kept.record, boards=boards, told=told, typed=typed)


@router.post("/boards/pin")
async def pin(
    *,
    visit: FilledIn,
    trace: Annotated[str, Form()] = "",
    board: Annotated[str, Form()] = "",
    name: Annotated[str, Form()] = "",
    title: Annotated[str, Form()] = "",
) -> Response:
    """Pin an answer to a board, or to a new one."""
    said = _named(name)
    if not board and said is None:
        told = visit.say("board.name_length", most=LONGEST_NAME)
        return await _choosing(visit, trace, status=400, told=told, typed=clean_text(name)[:1000])
    await run_in_threadpool(read_trace, visit, trace)
    where = board or (await run_in_threadpool(_kept(visit).make, said or "")).board_id
    try:
        kept = await Pinning(visit.parts, visit.known).pin_trace(where, trace, clean_text(title))
    except NotPinnable:
        raise UsageError(visit.say("board.not_pinnable")) from None
    return go_to(f"/boards/{kept.board_id}")


# --- one board


@router.get("/boards/{board_id}")
async def show(visit: Visitor, board_id: str) -> Response:
    """A board: every answer is asked again, and told to be the same or changed."""
    return await _board(visit, board_id)


async def _board(
    visit: Visit, board_id: str, *, status: int = 200, told: str = "", typed: str | None = None
) -> Response:
    try:
        board, pins = await Pinning(visit.parts, visit.known).proven(board_id)
    except NotThere:
        raise NotThere(visit.say("board.gone")) from None
    agent = await run_in_threadpool(visit.agent)
    shown = [await _shown(agent, one) for one in pins]
    return visit.page("board.html", status=status, board=board, pins=shown, told=told, typed=typed)


async def _shown(agent: DataAgent, one: ProvenPin) -> dict[str, Any]:
    """A pinned answer as the page shows it, with its chart."""
    table: AnswerTable | None = None
    answer = ShownAnswer.of(one.answer, agent.tools.source.dialect) if one.answer is not None else None
    if one.answer is not None and one.answer.sources:
        table = await shown_again(agent, one.answer.sources[0], one.pin.lang)
    return {"pin": one.pin, "proof": one.proof, "shown": answer, "table": table}


@router.post("/boards/{board_id}/name")
async def rename(
    visit: FilledIn, board_id: str, name: Annotated[str, Form()] = "", version: Annotated[int, Form()] = 0
) -> Response:
    """Another name; what cannot be taken stays in the form, with the reason."""
    typed = clean_text(name)[:1000]
    if (said := _named(name)) is None:
        told = visit.say("board.name_length", most=LONGEST_NAME)
        return await _board(visit, board_id, status=400, told=told, typed=typed)
    return await _changed(visit, board_id, lambda: _kept(visit).rename(board_id, said, version=version), typed)


@router.post("/boards/{board_id}/unpin")
async def unpin(
    visit: FilledIn, board_id: str, pin: Annotated[str, Form()] = "", version: Annotated[int, Form()] = 0
) -> Response:
    """Take an answer off the board."""
    return await _changed(visit, board_id, lambda: _kept(visit).unpin(board_id, pin, version=version))


@router.post("/boards/{board_id}/move")
async def move(
    *,
    visit: FilledIn,
    board_id: str,
    pin: Annotated[str, Form()] = "",
    place: Annotated[int, Form()] = 0,
    version: Annotated[int, Form()] = 0,
) -> Response:
    """Put an answer at another place; a script of the page has moved it already, and is told the new version."""
    moved = partial(_kept(visit).move, board_id, pin, place, version=version)
    if is_fragment(visit.request):
        return PlainTextResponse(str((await run_in_threadpool(moved)).version))
    return await _changed(visit, board_id, moved, then=f"/boards/{board_id}#p-{pin}")


@router.post("/boards/{board_id}/delete")
async def delete(visit: FilledIn, board_id: str, version: Annotated[int, Form()] = 0) -> Response:
    """Delete the board."""
    return await _changed(visit, board_id, lambda: _kept(visit).delete(board_id, version=version), then="/boards")


async def _changed(
    visit: Visit, board_id: str, change: Any, typed: str | None = None, *, then: str | None = None
) -> Response:
    """A change of a board; where another one came first, the board as it is now, and what was typed."""
    try:
        await run_in_threadpool(change)
    except ChangedMeanwhile as error:
        return await _board(
            visit, board_id, status=error.status, told=visit.say("board.changed_meanwhile"), typed=typed
        )
    return go_to(then or f"/boards/{board_id}")
