"""Problems: every error leaves the server as `application/problem+json` (RFC 9457), one sentence and no traceback.

UsageError        400     the request cannot work as it is
NotThere          404     there is no such thing, or it belongs to another tenant
ReviewClosed      409     it was decided, answered (QuestionClosed) or used (JobConflict) before
ModelError        502     the language model cannot be reached
SourceError       503     the data or the database cannot be reached
ModelTimedOut     504     the language model took too long
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from veracity.contracts import clip
from veracity.errors import (
    JobConflict,
    ModelError,
    ModelTimedOut,
    OntologyError,
    QuestionClosed,
    ReviewClosed,
    SourceError,
    UsageError,
    VeracityError,
    told_to_others,
)
from veracity.server.request_body import clean_text

if TYPE_CHECKING:
    from fastapi import FastAPI

LOG = logging.getLogger("veracity.server")
PROBLEM = "application/problem+json"
_STATUS: tuple[tuple[type[VeracityError], int], ...] = (
    (ReviewClosed, 409),
    (QuestionClosed, 409),
    (JobConflict, 409),
    (ModelTimedOut, 504),
    (ModelError, 502),
    (SourceError, 503),
    (OntologyError, 503),
    (VeracityError, 400),
)
_MOST_ERRORS = 20


class FieldProblem(BaseModel):
    """One thing that is wrong with a request, and where."""

    where: str
    message: str


class Problem(BaseModel):
    """What went wrong, for people (`detail`) and for programs (`status`, `errors`)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str
    errors: list[FieldProblem] | None = None


class NotThere(UsageError):
    """There is no such thing for this caller."""


class RequestRefused(VeracityError):
    """A request that is refused with a status of its own."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.headers = status, dict(headers or {})


def problem_response(
    request_id: str,
    status: int,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    errors: Sequence[FieldProblem] | None = None,
) -> JSONResponse:
    """A problem as a response."""
    body = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=clean_text(detail),
        request_id=request_id,
        errors=list(errors) if errors else None,
    )
    return JSONResponse(body.model_dump(exclude_none=True), status, dict(headers or {}), media_type=PROBLEM)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """These statuses for the OpenAPI document, besides those that any request may get."""
    told = {
        400: "The request cannot work as it is; `detail` says why.",
        401: "A key is needed, or this one is not known, has expired or was revoked.",
        403: "The role of the key does not allow this.",
        404: "There is no such thing, or it belongs to another tenant.",
        408: "Nothing more of the body came for a while.",
        409: "It was decided or used before; nothing was changed.",
        413: "The body is larger than the server takes.",
        421: "The Host header names another machine.",
        422: "The body or a parameter does not fit; `errors` says where.",
        429: "Too many requests of this key; `Retry-After` says when to go on.",
        502: "The language model cannot be reached.",
        503: "The data or the database cannot be reached.",
        504: "It took longer than a request may.",
    }
    every = (400, 401, 403, 413, 421, 422, 429, 502, 503, 504)
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        status: {"description": told[status], "content": {PROBLEM: schema}} for status in sorted({*every, *statuses})
    }


def handle_problems(app: FastAPI) -> None:
    """Every error of this application becomes a problem."""
    app.add_exception_handler(VeracityError, _problem_of_error)
    app.add_exception_handler(RequestValidationError, _problem_of_request)
    app.add_exception_handler(HTTPException, _problem_of_status)


async def _problem_of_error(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, RequestRefused):
        return problem_response(request_id(request), error.status, str(error), headers=error.headers)
    assert isinstance(error, VeracityError)
    return problem_response(request_id(request), status_of(error), _without_places(error, request_id(request)))


def _without_places(error: VeracityError, identifier: str) -> str:
    """What a caller is told: of data that cannot be read not where they are; that stands in the log."""
    told = told_to_others(error)
    if not isinstance(error, SourceError | OntologyError) or "/" not in told:
        return told
    LOG.error("the data cannot be read", extra={"fields": {"request_id": identifier, "reason": str(error)}})
    return "The data cannot be read right now; tell the server's operator."


def status_of(error: VeracityError) -> int:
    """The status that an error of ours has."""
    if isinstance(error, NotThere):
        return 404
    return next(status for kind, status in _STATUS if isinstance(error, kind))


async def _problem_of_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    found = [
        FieldProblem(
            where=_clean_and_short(".".join(str(part) for part in one["loc"])),
            message=_clean_and_short(str(one["msg"])),
        )
        for one in error.errors()[:_MOST_ERRORS]
    ]
    first = f"{found[0].where}: {found[0].message}" if found else "it cannot be read"
    detail = _not_json(error) or f"The request does not fit: {first}."
    return problem_response(request_id(request), 422, detail, errors=found)


def _not_json(error: RequestValidationError) -> str | None:
    """What is wrong with a body that is no JSON at all, or is not said to be; None for any other."""
    for one in error.errors():
        if one["type"] == "json_invalid":
            return _clean_and_short(f"The body is not JSON: {one['ctx']['error']} at character {one['loc'][-1]}.")
        if isinstance(one["input"], bytes):
            # The framework reads a body as JSON only where it is said to be.
            return "The body is read as JSON only with the header Content-Type: application/json."
    return None


def _clean_and_short(text: str) -> str:
    return clip(clean_text(text), 300)


async def _problem_of_status(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    told = {
        400: "The body cannot be read; send JSON, encoded in UTF-8.",
        404: "There is nothing at this address; see /openapi.json.",
        405: "This address takes other methods; see the header Allow.",
    }
    detail = told.get(error.status_code, str(error.detail))
    return problem_response(request_id(request), error.status_code, detail, headers=error.headers)


def failure_response(identifier: str, error: BaseException) -> JSONResponse:
    """What the caller reads when the server itself is at fault; the operator finds the rest in the log."""
    log_failure(identifier, error)
    detail = (
        "The server failed at this; nothing is known to be wrong with the request. Tell its operator the request id."
    )
    return problem_response(identifier, 500, detail)


def log_failure(identifier: str, error: BaseException) -> None:
    """The kind and the place of a failure; its text may hold rows or secrets and is left out."""
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    fields = {"request_id": identifier, "error": type(error).__name__, "where": where[-12:]}
    LOG.error("failed", extra={"fields": fields})


def request_id(request: Request) -> str:
    """The id of a request, as the middleware gave it."""
    return str(request.scope.get("state", {}).get("request_id", ""))
