"""`POST /v1/query`: a semantic query over the rows of the key's tenant."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from veracity.server.access import Analyst
from veracity.server.parts import ServerParts
from veracity.server.problems import documented
from veracity.server.request_body import ExactRoute
from veracity.server.streaming import unless_gone
from veracity.tools.semantic import QueryOutcome
from veracity.wire import Wire

router = APIRouter(tags=["query"], route_class=ExactRoute)
_EXAMPLE = {"show": [{"aggregate": "count", "of": "TrusteeDataContact"}], "by": ["TrusteeDataContact.contactType"]}


class QueryRequest(Wire):
    """A semantic query, and how its answer is wanted."""

    query: Annotated[dict[str, Any], Field(description="The query.", examples=[_EXAMPLE])]
    lang: Annotated[str, Field(pattern=r"^(de|en|zh)([-_].{0,20})?$", description="Language of the answer.")] = "en"
    sql: Annotated[bool, Field(description="Return the SQL, too.")] = False
    rows: Annotated[bool, Field(description="Return the rows behind each figure, too.")] = False
    dry_run: Annotated[bool, Field(description="Check only.")] = False


@router.post("/v1/query", summary="Answer a semantic query", response_model=QueryOutcome, responses=documented())
async def answer_query(body: QueryRequest, request: Request, caller: Analyst, parts: ServerParts) -> Response:
    """What was understood, the answer in words, its rows, and where each figure of the text comes from.

    A query that is not valid never reaches the data: the status is 200, `success` is false, and `errorDetails` says what to do.
    """
    agent = await asyncio.to_thread(parts.agents.of, caller)
    asked = agent.query(body.query, lang=body.lang, with_sql=body.sql, with_rows=body.rows, dry_run=body.dry_run)
    outcome = await unless_gone(request, asked)
    details = outcome.error_details
    parts.metrics.call("semanticQuery", "ok" if outcome.success else str(details.code) if details else "failed")
    return Response(outcome.model_dump_json(), media_type="application/json")
