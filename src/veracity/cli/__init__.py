"""The command line.

Exit codes: 0 done or answered, 1 refused or found wanting, 2 wrong usage or unreachable source or model, 3 asked back,
4 abstained, 5 blocked, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import io
import os
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from veracity.cli import (
    ask,
    benchmark,
    evaluate,
    guard,
    judge,
    ontology,
    query,
    requirements,
    rerank,
    review,
    serve,
    skill,
    tables,
    trace,
)
from veracity.errors import VeracityError
from veracity.language.locale import printable

_STOPPED = 130

app = typer.Typer(
    name="veracity",
    help="Ask about your data: every figure is computed from it and carries its proof.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"veracity {version('veracity')}")
        raise typer.Exit


@app.callback()
def _options(
    _show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Ask about your data: every figure is computed from it and carries its proof."""


app.command("ask")(ask.ask)
app.command("chat")(ask.chat)
app.add_typer(trace.app, name="trace")
app.add_typer(judge.app, name="answer")
app.command("tables")(tables.tables)
app.command("query")(query.query)
app.command("call")(tables.call)
app.command("sql")(tables.sql)
app.command("inspect")(tables.inspect)
app.add_typer(ontology.app, name="ontology")
app.command("ground")(guard.ground)
app.add_typer(guard.app, name="guard")
app.add_typer(skill.app, name="skill")
app.command("route")(skill.route)
app.command("rerank")(rerank.rerank)
app.add_typer(review.app, name="review")
app.add_typer(requirements.app, name="requirements")
app.add_typer(evaluate.app, name="eval")
app.command("search")(rerank.search)
app.command("benchmark")(benchmark.benchmark)
app.command("serve")(serve.serve)
app.command("mcp")(serve.mcp)
app.add_typer(serve.app, name="key")


def main() -> None:
    """Run a command; what goes wrong is one sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows its code instead; it never breaks a command.
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except VeracityError as error:
        # One line, whatever a path or a value holds.
        sys.stderr.write(f"veracity: {printable(str(error))}\n")
        sys.exit(2)
    except SystemExit as end:
        # How the command-line library ends after Ctrl-C: without a word.
        if end.code == _STOPPED:
            sys.stderr.write("veracity: stopped.\n")
        raise
    except BrokenPipeError:
        # The reader (head, less) has gone; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
