"""README and docs are executed: what they show is what happens.

In a page, ```console blocks are commands behind `$ ` and their output (`...` stands for anything), ```python blocks
are run, and a block whose first line is `# name.yaml` is written to that file. All blocks of a page share a folder.
A `veracity serve` that says where it is goes on until the page ends; it gets a free port, and so do the commands that name it.
The ```json configuration of an MCP client is used: what it starts has the tools.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from command_line import program

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SERVED = "127.0.0.1:8600"
NOT_RUN = re.compile(r"^(make|git|pip|sudo|cd) ")


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(kind, body) for kind, body in BLOCK.findall(page.read_text(encoding="utf-8"))]


def commands(body: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output shown for it."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        taken = 1
        while lines[taken - 1].endswith("\\"):
            taken += 1
        yield "\n".join(lines[:taken]), "\n".join(lines[taken:]).strip("\n")


def matches(shown: str, real: str) -> bool:
    pattern = ".*?".join(re.escape(part) for part in shown.strip().split("..."))
    return re.fullmatch(pattern, real.strip(), re.DOTALL) is not None


def environment(folder: Path) -> dict[str, str]:
    path = f"{program().parent}{os.pathsep}{os.environ['PATH']}"
    database = str(folder / "serve.sqlite")  # keys of one page are none of another's
    return {
        **os.environ,
        "PATH": path,
        "COLUMNS": "200",
        "LC_ALL": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "VERACITY_SERVE_DATABASE": database,
    }


@contextmanager
def served(command: str, folder: Path) -> Iterator[tuple[str, str]]:
    """The address of a server and the line that told it."""
    with (folder / "serve.log").open("w") as log:
        process = subprocess.Popen(
            shlex.split(f"{command} --port 0"),
            cwd=folder,
            env=environment(folder),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            told = re.search(r"127\.0\.0\.1:\d+", line)
            assert told is not None, (folder / "serve.log").read_text()
            yield told[0], line
        finally:
            process.terminate()
            assert process.wait(timeout=60) == 0
            process.stdout.close()


def run(command: str, folder: Path, code: int) -> subprocess.CompletedProcess[str]:
    script = f"(exit {code}); {command}"
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def tools_of(config: str, folder: Path) -> set[str]:
    """The tools that a client finds with this configuration."""
    (servers,) = json.loads(config).values()
    (server,) = servers.values()

    async def found() -> set[str]:
        started = StdioServerParameters(
            command=server["command"], args=server["args"], env=environment(folder), cwd=folder
        )
        async with Client(started) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    return asyncio.run(found())


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    with ExitStack() as servers:
        _do(page, tmp_path, servers)


def _do(page: Path, tmp_path: Path, servers: ExitStack) -> None:
    code, address = 0, SERVED
    for kind, body in blocks(page):
        if named := re.match(r"# (\S+\.yaml)\n", body):
            (tmp_path / named[1]).write_text(body, encoding="utf-8")
        elif kind == "python":
            (tmp_path / "example.py").write_text(body, encoding="utf-8")
            done = run("python example.py", tmp_path, 0)
            assert done.returncode == 0, done.stdout
            shown = [line.split("# -> ", 1)[1] for line in body.splitlines() if "# -> " in line]
            assert [line for line in shown if line not in done.stdout.splitlines()] == []
        elif kind == "json" and '"command"' in body:
            assert "ground_answer" in tools_of(body, tmp_path)
        elif kind == "console":
            for command, output in commands(body):
                if NOT_RUN.match(command):
                    continue
                if "http://" + SERVED in output:
                    address, line = servers.enter_context(served(command, tmp_path))
                    assert line.strip().replace(address, SERVED) == output
                    continue
                done = run(command.replace(SERVED, address), tmp_path, code)
                code = done.returncode
                assert matches(output, done.stdout), f"$ {command}\n{done.stdout}"
                assert "Traceback" not in done.stdout


def test_every_page_is_reached_from_the_readme() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")
    assert [page.name for page in PAGES[1:] if f"docs/{page.name}" not in readme] == []


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in [*PAGES, ROOT / "CONTRIBUTING.md"]
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
