"""`/v1/boards`: answers that were pinned, shared within the tenant and proven again when they are read."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Self

from fastapi import APIRouter, Path, Query
from pydantic import Field, model_validator

from veracity.server.access import Analyst
from veracity.server.boards import LONGEST_NAME, BoardSummary, PinnedAnswer, PinProof
from veracity.server.parts import ServerParts
from veracity.server.pinning import Pinning
from veracity.server.problems import documented
from veracity.server.request_body import ApiRoute
from veracity.wire import Wire

router = APIRouter(tags=["boards"], route_class=ApiRoute)

BoardName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r"\S")]
BoardId = Annotated[str, Path(description="The id of a board.", max_length=100)]
PinId = Annotated[str, Path(description="The id of a pinned answer.", max_length=100)]
SeenVersion = Annotated[
    int, Query(ge=1, description="The version that you saw. If the board was changed since, the status is 409.")
]


class NewBoard(Wire):
    """A board without an answer yet."""

    name: BoardName


class BoardRename(Wire):
    """Another name for a board."""

    name: BoardName
    version: int
    """The version that you saw. If the board was changed since, nothing happens and the status is 409."""


class NewPin(Wire):
    """An answer to pin: that of a trace, or of a semantic query."""

    trace_id: Annotated[str, Field(min_length=4, max_length=100)] | None = None
    query: dict[str, Any] | None = None
    lang: Annotated[str, Field(pattern=r"^(de|en|zh)$")] = "en"
    """The language of the answer, where a query is pinned."""
    title: Annotated[str, Field(max_length=LONGEST_NAME)] = ""
    """Without one, the question is the title."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.trace_id is None) == (self.query is None):
            raise ValueError("pin either a `traceId` or a `query`")
        return self


class PinMove(Wire):
    """Another place for a pinned answer."""

    place: Annotated[int, Field(ge=1)]
    """1 is the first; the others move up."""
    version: int
    """The version that you saw. If the board was changed since, nothing happens and the status is 409."""


class BoardPin(PinnedAnswer):
    """A pinned answer, and whether it still holds."""

    proof: PinProof


class BoardRecord(BoardSummary):
    """A board with its answers."""

    answers: tuple[BoardPin, ...] = ()


@router.get("/v1/boards", summary="List boards", responses=documented())
async def list_boards(caller: Analyst, parts: ServerParts) -> list[BoardSummary]:
    """The boards of the tenant, the one that was changed last first."""
    return await asyncio.to_thread(parts.database.boards(caller).all)


@router.post("/v1/boards", summary="Make a board", status_code=201, responses=documented())
async def make_board(body: NewBoard, caller: Analyst, parts: ServerParts) -> BoardSummary:
    """Everyone of the tenant can open and change it."""
    return await asyncio.to_thread(parts.database.boards(caller).make, body.name)


@router.get("/v1/boards/{board_id}", summary="Open a board", responses=documented(404))
async def show_board(board_id: BoardId, caller: Analyst, parts: ServerParts) -> BoardRecord:
    """Its answers, each asked again: `proof.state` is `same`, `changed` with the lines that differ, or `unproven`."""
    board, pins = await Pinning(parts, caller).proven(board_id)
    told = tuple(BoardPin(**one.pin.model_dump(by_alias=False), proof=one.proof) for one in pins)
    return BoardRecord(**board.model_dump(by_alias=False), answers=told)


@router.patch("/v1/boards/{board_id}", summary="Rename a board", responses=documented(404, 409))
async def rename_board(board_id: BoardId, body: BoardRename, caller: Analyst, parts: ServerParts) -> BoardSummary:
    """Of two who change it at the same time, one is told that the other was first."""
    kept = parts.database.boards(caller)
    return await asyncio.to_thread(kept.rename, board_id, body.name, version=body.version)


@router.delete("/v1/boards/{board_id}", summary="Delete a board", responses=documented(403, 404, 409))
async def delete_board(board_id: BoardId, caller: Analyst, parts: ServerParts, version: SeenVersion) -> BoardSummary:
    """Who made it and an admin may delete it."""
    return await asyncio.to_thread(parts.database.boards(caller).delete, board_id, version=version)


@router.post("/v1/boards/{board_id}/pins", summary="Pin an answer", status_code=201, responses=documented(404))
async def pin_answer(board_id: BoardId, body: NewPin, caller: Analyst, parts: ServerParts) -> BoardSummary:
    """Only an answer that can be asked again is pinned: one with a semantic query."""
    pinning = Pinning(parts, caller)
    if body.trace_id is not None:
        return await pinning.pin_trace(board_id, body.trace_id, body.title)
    return await pinning.pin(board_id, body.query or {}, lang=body.lang, title=body.title)


@router.patch("/v1/boards/{board_id}/pins/{pin_id}", summary="Move an answer", responses=documented(404, 409))
async def move_answer(
    board_id: BoardId, pin_id: PinId, body: PinMove, caller: Analyst, parts: ServerParts
) -> BoardSummary:
    """The board keeps the order for everyone."""
    kept = parts.database.boards(caller)
    return await asyncio.to_thread(kept.move, board_id, pin_id, body.place, version=body.version)


@router.delete("/v1/boards/{board_id}/pins/{pin_id}", summary="Unpin an answer", responses=documented(404, 409))
async def unpin_answer(
    board_id: BoardId, pin_id: PinId, caller: Analyst, parts: ServerParts, version: SeenVersion
) -> BoardSummary:
    """The answer is no longer on the board; its trace stays."""
    return await asyncio.to_thread(parts.database.boards(caller).unpin, board_id, pin_id, version=version)
