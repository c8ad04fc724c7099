"""The toolbox as a server of the official SDK: tools, resources and prompts, the same over stdio and HTTP."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from threading import Thread
from typing import TYPE_CHECKING, Any, cast

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from veracity.contracts import clip
from veracity.language.locale import LANGUAGES
from veracity.language.nearest import did_you_mean
from veracity.mcp.offers import INSTRUCTIONS, Offer, guide, list_tables
from veracity.mcp.prompts import QuestionPrompt, question_prompts
from veracity.mcp.toolbox import Toolbox

if TYPE_CHECKING:
    import anyio

SCHEMA, ONTOLOGY, GUIDE = "veracity://schema", "veracity://ontology", "veracity://guide"
_JSON, _TEXT = "application/json", "text/markdown"
_LONGEST_LINE = 64_000_000

Context = ServerRequestContext[Any, Any]
ToolboxOf = Callable[[Context], Awaitable[Toolbox]]
"""The toolbox of whoever makes a request."""


def build_server(toolbox_of: ToolboxOf) -> Server[Any]:
    """A server whose every answer comes from the toolbox of its caller."""
    handlers = _Handlers(toolbox_of)
    return Server(
        "veracity",
        version=version("veracity"),
        title="Veracity",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


async def serve_stdio(toolbox: Toolbox) -> None:
    """Serve one client over standard input and output, until it goes."""
    server = build_server(always(toolbox))
    lines = cast("anyio.AsyncFile[str]", _Input())
    async with stdio_server(stdin=lines) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


class _Input:
    """The lines of standard input, read by a thread that nobody waits for: Ctrl-C ends a server that waits for its client."""

    def __init__(self) -> None:
        self._reader = asyncio.StreamReader(limit=_LONGEST_LINE)
        Thread(target=self._read_chunks, args=(asyncio.get_running_loop(),), daemon=True).start()

    def _read_chunks(self, loop: asyncio.AbstractEventLoop) -> None:
        # Not through sys.stdin: its lock, held by a thread that waits, would keep the interpreter from ending.
        while chunk := os.read(0, 65_536):
            loop.call_soon_threadsafe(self._reader.feed_data, chunk)
        loop.call_soon_threadsafe(self._reader.feed_eof)

    def __aiter__(self) -> _Input:
        return self

    async def __anext__(self) -> str:
        try:
            line = await self._reader.readline()
        except ValueError:
            return "a line that is too long"  # and no JSON, which the client is told
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


def always(toolbox: Toolbox) -> ToolboxOf:
    """The same toolbox for everybody."""

    async def toolbox_of(_context: Context) -> Toolbox:
        return toolbox

    return toolbox_of


class _Handlers:
    """What the protocol asks for, one method each."""

    def __init__(self, toolbox_of: ToolboxOf) -> None:
        self._toolbox_of = toolbox_of

    async def list_tools(self, context: Context, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(offer) for offer in (await self._toolbox_of(context)).offers])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        toolbox = await self._toolbox_of(context)
        names = [offer.name for offer in toolbox.offers]
        if params.name not in names:
            raise _invalid(f"There is no tool {clip(params.name, 40)!r}{did_you_mean(params.name, names)}")
        outcome = await toolbox.call(params.name, params.arguments or {})
        written = outcome.written()
        # Clients that do not know structured content read the same as text.
        text = types.TextContent(type="text", text=written)
        return types.CallToolResult(content=[text], structured_content=json.loads(written), is_error=not outcome.ok)

    async def list_resources(self, context: Context, _params: object) -> types.ListResourcesResult:
        catalog = (await self._toolbox_of(context)).catalog
        listed = [
            _resource(SCHEMA, "schema", "Tables, fields, groups and rules", _JSON),
            *([_resource(ONTOLOGY, "ontology", "The whole ontology", _JSON)] if catalog.ontology else []),
            *(
                _resource(f"{GUIDE}/{lang}", f"guide-{lang}", f"Tables and rules in words ({lang})", _TEXT)
                for lang in LANGUAGES
            ),
        ]
        return types.ListResourcesResult(resources=listed)

    async def list_templates(self, _context: Context, _params: object) -> types.ListResourceTemplatesResult:
        one = types.ResourceTemplate(
            uri_template=f"{SCHEMA}/{{table}}",
            name="schema-of-table",
            title="One table with its fields",
            mime_type=_JSON,
        )
        return types.ListResourceTemplatesResult(resource_templates=[one])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        kind, text = _read_resource(str(params.uri), await self._toolbox_of(context))
        contents = types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, context: Context, _params: object) -> types.ListPromptsResult:
        found = question_prompts((await self._toolbox_of(context)).catalog)
        return types.ListPromptsResult(prompts=[_prompt(one) for one in found.values()])

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        found = question_prompts((await self._toolbox_of(context)).catalog)
        if params.name not in found:
            raise _invalid(f"There is no prompt {clip(params.name, 40)!r}{did_you_mean(params.name, found)}")
        prompt = found[params.name]
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=prompt.text))
        return types.GetPromptResult(description=prompt.question, messages=[message])


def _read_resource(uri: str, toolbox: Toolbox) -> tuple[str, str]:
    """The type and text of a resource."""
    catalog = toolbox.catalog
    if uri == SCHEMA:
        return _JSON, list_tables(catalog, "en", tuple(catalog.entities)).model_dump_json(exclude_defaults=True)
    if uri == ONTOLOGY and catalog.ontology is not None:
        return _JSON, catalog.ontology.model_dump_json(exclude_defaults=True)
    place, _, name = uri.rpartition("/")
    if place == GUIDE and name in LANGUAGES:
        return _TEXT, guide(catalog, name)
    if place == SCHEMA and name in catalog.entities:
        return _JSON, list_tables(catalog, "en", (name,)).model_dump_json(exclude_defaults=True)
    raise _invalid(f"There is no resource {clip(uri, 80)!r}; list them first.")


def _tool(offer: Offer) -> types.Tool:
    return types.Tool(
        name=offer.name,
        title=offer.title,
        description=offer.description,
        input_schema=offer.takes,
        output_schema=offer.gives,
        annotations=types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )


def _resource(uri: str, name: str, title: str, kind: str) -> types.Resource:
    return types.Resource(uri=uri, name=name, title=title, mime_type=kind)


def _prompt(one: QuestionPrompt) -> types.Prompt:
    return types.Prompt(name=one.name, title=one.question, description=one.question)


def _invalid(message: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, message)
