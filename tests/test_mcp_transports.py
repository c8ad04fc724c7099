"""`veracity mcp` as clients start it and reach it: over stdio and over HTTP, with the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from typer.testing import CliRunner

from command_line import program
from test_mcp import BANK, TOOLS, T, with_client
from veracity.cli import app
from veracity.errors import UsageError
from veracity.server.database import ServerDatabase
from veracity.settings import Settings

# --- over stdio


def command(*options: str) -> list[str]:
    return [str(program()), "mcp", *options]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": "1"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_stdio_a_client_of_either_generation_gets_an_answer(ledger: Path, mode: str) -> None:
    name, *options = command("--source", str(ledger), "--feature", "trustee")
    server = StdioServerParameters(command=name, args=options, env=environment())

    async def use(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("queryTable", BANK)
        return [tool.name for tool in tools], result.structured_content

    names, result = with_client(server, use, mode)
    assert names == TOOLS
    assert result["data"]["rowCount"] == 2


def test_a_bad_source_is_one_sentence_on_stderr_and_nothing_on_stdout(tmp_path: Path) -> None:
    done = subprocess.run(
        command("--source", str(tmp_path / "nope.duckdb")), capture_output=True, text=True, input="", check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"veracity: There is no file or folder '.*nope\.duckdb'; check the path\.\n", done.stderr)


def test_standard_output_holds_protocol_messages_only(ledger: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "browseTable", "arguments": {"tableName": "TrusteeDataContact", "limit": 1}}},
    ]  # fmt: skip
    with subprocess.Popen(
        command("--source", str(ledger), "--feature", "trustee"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for line in lines:
            process.stdin.write(json.dumps(line) + "\n")
            process.stdin.flush()
            if "id" in line:
                answers.append(json.loads(process.stdout.readline()))
        rest, told = process.communicate("\n \nnot json\n", timeout=30)
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["success"] is True
    (unread,) = map(json.loads, rest.splitlines())
    assert (unread["id"], unread["error"]["code"]) == (None, -32700)
    assert "note: no --scope given" in told
    assert process.returncode == 0


def test_ctrl_c_ends_it_while_it_waits_for_a_client(ledger: Path) -> None:
    with subprocess.Popen(
        command("--source", str(ledger), "--feature", "trustee"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


# --- over HTTP


@contextmanager
def served(*options: str, home: Path | None = None) -> Iterator[str]:
    """The address of `veracity mcp --http` with these options."""
    surroundings = {**environment(), **({"VERACITY_HOME": str(home)} if home else {})}
    arguments = command("--http", "--port", "0", *options)
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, env=surroundings) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if found := re.search(r"http://\S+", line):
                    yield found[0]
                    return
            pytest.fail("the server did not say where it listens")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)


def post(url: str, **headers: str) -> int:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, given), timeout=20) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_over_http_on_loopback_only_its_own_names_are_served(ledger: Path) -> None:
    async def use(client: Client) -> Any:
        return (await client.call_tool("queryTable", BANK)).structured_content

    with served("--source", str(ledger), "--feature", "trustee") as url:
        assert with_client(url, use)["data"]["rowCount"] == 2
        assert with_client(url, use, "legacy")["data"]["rowCount"] == 2
        assert post(url, Host="evil.example") == 421
        assert post(url, Origin="http://evil.example") == 403
        assert post(url, **{"X-Forwarded-For": "203.0.113.7"}) == 401


def refused(*options: str) -> str:
    """What `veracity mcp` says where it does not even begin."""
    done = CliRunner().invoke(app, ["mcp", *options])
    assert isinstance(done.exception, UsageError), done.output
    return str(done.exception)


def test_keys_are_refused_where_nobody_would_ask_for_them() -> None:
    assert refused("--database", "serve.sqlite").startswith("Keys are for HTTP: add --http")


def test_on_another_address_keys_are_needed() -> None:
    said = refused("--http", "--host", "0.0.0.0")
    assert said.startswith("On 0.0.0.0 others can reach it, so it needs keys: ")


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused("--http", "--port", str(port))
    assert said.startswith(f"127.0.0.1:{port} cannot be listened at: address already in use; ")


def test_with_keys_each_tenant_reads_its_own_rows_and_results(tmp_path: Path, shop_specs: Callable[[str], str]) -> None:
    database = tmp_path / "serve.sqlite"
    with ServerDatabase.open(str(database), Settings(home=tmp_path)) as kept:
        first, _ = kept.keys.create("t-1", "analyst")
        second, _ = kept.keys.create("t-2", "analyst")

        def with_key(url: str, key: str, use: Callable[[Client], Awaitable[T]]) -> T:
            async def run() -> T:
                async with (
                    asyncio.timeout(60),
                    create_mcp_http_client(headers={"Authorization": f"Bearer {key}"}) as http,
                    Client(streamable_http_client(url, http_client=http)) as client,
                ):
                    return await use(client)

            return asyncio.run(run())

        async def regions(client: Client) -> tuple[str, set[str]]:
            result = (await client.call_tool("queryTable", {"tableName": "Sale"})).structured_content
            return result["data"]["resultId"], {row["region"] for row in result["data"]["rows"]}

        options = ("--source", shop_specs("sqlite"), "--scope", "tenant=t-1", "--database", str(database))
        with served(*options, home=tmp_path) as url:
            name, seen = with_key(url, first, regions)
            assert "Geheim" not in seen
            assert with_key(url, second, regions)[1] == {"Geheim"}

            async def grounded(client: Client) -> Any:
                await client.call_tool("queryTable", {"tableName": "Sale"})
                asked = {"answer": "Sale 1 has the amount 10.10.", "results": [name]}
                return (await client.call_tool("ground_answer", asked)).structured_content

            # The other tenant's result of the same id is another result.
            assert with_key(url, second, grounded)["verdict"] == "block"
            assert post(url) == 401
            assert post(url, Authorization="Bearer vk_000000000000_" + "0" * 64) == 401
            revoked, info = kept.keys.create("t-1", "admin")
            kept.keys.revoke(info.key_id)
            assert post(url, Authorization=f"Bearer {revoked}") == 401
