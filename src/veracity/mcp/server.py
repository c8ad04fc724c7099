"""The toolbox as a server of the official SDK: tools, resources and prompts, the same over stdio and HTTP."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from threading import Thread
from typing import TYPE_CHECKING, Any, Self, cast

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from veracity.contracts import clip
from veracity.language.locale import LANGUAGES
from veracity.language.nearest import did_you_mean
from veracity.mcp.offers import INSTRUCTIONS, Offer, guide, list_tables
from veracity.mcp.prompts import QuestionPrompt, question_prompts
from veracity.mcp.toolbox import Toolbox

if TYPE_CHECKING:
    from types import TracebackType

    from anyio import AsyncFile
    from mcp.server.session import ServerSession
    from mcp.shared._stream_protocols import ReadStream, WriteStream

    from veracity.agent.progress import ProgressEvent

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


async def serve_stdio(
    toolbox: Toolbox, stdin: AsyncFile[str] | None = None, stdout: AsyncFile[str] | None = None
) -> None:
    """Serve one client over standard input and output, or over others, until it goes."""
    server = build_server(always(toolbox))
    lines = stdin or cast("AsyncFile[str]", _Input())
    async with stdio_server(stdin=lines, stdout=stdout) as (reading, writing):
        refusing = _RefusesUnreadable(reading, writing)
        await server.run(refusing, writing, server.create_initialization_options())


class _RefusesUnreadable:
    """The messages of a client; a frame that is none is answered with an error of the protocol, and not passed on."""

    def __init__(self, reading: ReadStream[SessionMessage | Exception], writing: WriteStream[SessionMessage]) -> None:
        self._reading, self._writing = reading, writing

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        return await self._next(self._reading.receive)

    async def _next(self, take: Callable[[], Awaitable[SessionMessage | Exception]]) -> SessionMessage | Exception:
        while isinstance(came := await take(), Exception):
            await self._writing.send(SessionMessage(_unreadable(came)))
        return came

    async def aclose(self) -> None:
        await self._reading.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return await self._next(self._reading.__anext__)

    async def __aenter__(self) -> Self:
        await self._reading.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._reading.__aexit__(kind, error, trace)


def _unreadable(error: Exception) -> types.JSONRPCError:
    """What is wrong with a frame: it is no JSON, or it is no message of this protocol."""
    no_json = not isinstance(error, ValidationError) or any(one["type"] == "json_invalid" for one in error.errors())
    code, message = (types.PARSE_ERROR, "no JSON") if no_json else (types.INVALID_REQUEST, "no JSON-RPC 2.0 message")
    told = types.ErrorData(code=code, message=f"The frame is {message}; one message per line, encoded in UTF-8.")
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=told)


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
        line = b"\n"
        while line.isspace():  # an empty line is no message, and no error either
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
        async with _progress_told(context) as watch:
            outcome = await toolbox.call(params.name, params.arguments or {}, watch)
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


@dataclass(slots=True)
class _ProgressSender:
    """Looks on while a question is answered, and hands over what is to be told."""

    queue: asyncio.Queue[ProgressEvent | None] = field(default_factory=asyncio.Queue)

    def calling(self, tool: str, arguments: Any) -> None:
        """That a call runs is told as progress."""

    def called(self, log: object) -> None:
        """What calls brought is part of the answer."""

    def round_done(self, run: object) -> None:
        """What is done next is told as progress."""

    def progress(self, event: ProgressEvent) -> None:
        """Something begins, or goes on."""
        self.queue.put_nowait(event)

    async def send(self, session: ServerSession) -> None:
        """Tell the client until there is nothing more; a client that did not ask for it is told nothing."""
        last = 0.0
        while (event := await self.queue.get()) is not None:
            # The protocol wants each figure to be larger than the one before.
            last = max(event.seconds, last + 0.001)
            await session.report_progress(last, None, event.words)


@asynccontextmanager
async def _progress_told(context: Context) -> AsyncIterator[_ProgressSender]:
    """While a tool runs, its client is told what is being done; all of it before the result."""
    sender = _ProgressSender()
    sending = asyncio.create_task(sender.send(context.session))
    try:
        yield sender
        sender.queue.put_nowait(None)
        await sending
    finally:
        sending.cancel()


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
