"""The command line.

Exit codes: 0 done or answered, 1 refused or found wanting, 2 wrong usage or unreachable source or model, 3 asked back,
4 abstained, 5 blocked, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
import threading
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, TextIO

import typer
from typer.core import TyperGroup

from veracity.errors import VeracityError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from typer._click import Command, Context

_STOPPED = 130

_COMMANDS = {
    "ask": "ask:ask",
    "chat": "ask:chat",
    "tables": "tables:tables",
    "query": "query:query",
    "call": "tables:call",
    "sql": "tables:sql",
    "inspect": "tables:inspect",
    "ground": "guard:ground",
    "route": "skill:route",
    "rerank": "rerank:rerank",
    "search": "rerank:search",
    "benchmark": "benchmark:benchmark",
    "serve": "serve:serve",
    "mcp": "serve:mcp",
    "trace": "trace:app",
    "answer": "judge:app",
    "ontology": "ontology:app",
    "guard": "guard:app",
    "skill": "skill:app",
    "review": "review:app",
    "requirements": "requirements:app",
    "eval": "evaluate:app",
    "key": "serve:app",
}
"""Each command, the module it is in and its name there: a function, or commands of its own."""


class CommandsOnDemand(TyperGroup):
    """Reads the module of a command when that command is called, and of all when they are listed."""

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002 - the library's signature
        """All names, in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002 - the library's signature
        """The command of a name; for a name that there is not all are read, so that the nearest can be told."""
        for name in [cmd_name] if cmd_name in _COMMANDS else _COMMANDS:
            if name not in self.commands:
                self.commands[name] = _command(name)
        return self.commands.get(cmd_name)


def _command(name: str) -> Command:
    module, _, attribute = _COMMANDS[name].partition(":")
    found = getattr(import_module(f"veracity.cli.{module}"), attribute)
    holder = typer.Typer(rich_markup_mode=None, add_completion=False)
    if not isinstance(found, typer.Typer):
        holder.command(name)(found)
        return typer.main.get_command(holder)
    holder.add_typer(found, name=name)
    return typer.main.get_group(holder).commands[name]


app = typer.Typer(
    name="veracity",
    cls=CommandsOnDemand,
    help="Ask about your data: every figure is computed from it and carries its proof.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"veracity {version('veracity')}")
        raise typer.Exit


@app.callback()
def _options(
    ctx: typer.Context,
    _show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Ask about your data: every figure is computed from it and carries its proof."""
    from veracity.cli.options import said_elsewhere
    from veracity.settings import asked_with, unknown_variables

    for sentence in unknown_variables():
        typer.echo(f"note: {sentence}", err=True)
    # The server has settings of its own, which may say something else.
    if (name := ctx.invoked_subcommand) in _COMMANDS and name != "serve":
        command = app_group(ctx).get_command(ctx, name)
        if command is not None:
            ctx.default_map = {name: said_elsewhere(command, asked_with())}


def app_group(ctx: typer.Context) -> TyperGroup:
    """The commands that a context is about."""
    assert isinstance(ctx.command, TyperGroup)
    return ctx.command


def main() -> None:
    """What the shell starts: run a command, then end the process. A program of your own calls `run_command`.

    Its memory is left to the system: giving it back piece by piece would be a sixth of the time of a short command.
    """
    code: int | str | None = 0
    try:
        run_command()
    except SystemExit as end:
        code = end.code
    if isinstance(code, str) or not _is_written(sys.stdout):
        sys.exit(code)
    # As Python ends: the threads first, then what asked to be called, then what is still to be written.
    threading._shutdown()  # type: ignore[attr-defined]  # there is no public way to wait for all threads
    atexit._run_exitfuncs()
    if not (_is_written(sys.stdout) and _is_written(sys.stderr)):
        sys.exit(code)
    os._exit(code or 0)


def _is_written(stream: TextIO | None) -> bool:
    """Whether all that was said has reached its reader; where it cannot, Python has words and a code for that."""
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):
        return False
    return True


def run_command() -> None:
    """Run a command; what goes wrong is one sentence on standard error."""
    # A command makes many objects that stay to its end: looking through them all again and again is a tenth of its time.
    gc.set_threshold(200_000, 20, 20)
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
