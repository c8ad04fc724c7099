"""An options class becomes the options of a command."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from veracity.cli.options import AgentOptions, with_options
from veracity.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    files: Annotated[list[str], typer.Argument()]
    source: Annotated[str | None, typer.Option("--source", help="Where it is.")] = None
    rounds: Annotated[int, typer.Option("--rounds", min=1)] = 8
    quiet: Annotated[bool, typer.Option("--quiet")] = False


def run(app: typer.Typer, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output


def listed(app: typer.Typer) -> list[str]:
    """The options in the order of the help."""
    _, told = run(app, "--help")
    return [line.split()[0] for line in told.splitlines() if line.lstrip().startswith("--")]


def test_the_options_stand_where_the_parameter_stands_and_come_as_one_object() -> None:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command()
    @with_options()
    def command(
        first: Annotated[str, typer.Option("--first")] = "",
        *,
        shared: Shared,
        last: Annotated[str, typer.Option("--last")] = "",
    ) -> None:
        """What it does."""
        typer.echo(f"{first} {asdict(shared)} {last}")

    assert listed(app) == ["--first", "--source", "--rounds", "--quiet", "--last", "--help"]
    given = run(app, "a", "b", "--last", "z", "--rounds", "3", "--first", "x")
    assert given == (0, "x {'files': ['a', 'b'], 'source': None, 'rounds': 3, 'quiet': False} z\n")
    assert run(app, "a", "--rounds", "0")[0] == 2
    assert run(app)[0] == 2


def test_what_a_command_does_not_offer_keeps_its_default() -> None:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command()
    @with_options(without="rounds quiet")
    def command(shared: Shared) -> None:
        """What it does."""
        typer.echo(str(asdict(shared)))

    assert listed(app) == ["--source", "--help"]
    assert run(app, "a", "--rounds", "3")[0] == 2
    assert run(app, "a") == (0, "{'files': ['a'], 'source': None, 'rounds': 8, 'quiet': False}\n")


def test_an_order_mixes_own_and_shared_options_and_an_own_one_wins() -> None:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command()
    @with_options(order="quiet own files source")
    def command(
        context: typer.Context,
        shared: Shared,
        own: Annotated[int, typer.Option("--own")] = 1,
        source: Annotated[str, typer.Option("--source", help="Another text.")] = "here",
    ) -> None:
        """What it does."""
        typer.echo(f"{context.info_name} {own} {source} {shared.source} {shared.quiet}")

    assert listed(app) == ["--quiet", "--own", "--source", "--help"]
    assert "Another text." in run(app, "--help")[1]
    assert run(app, "a", "--quiet") == (0, "command 1 here None True\n")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"scope": ["x"]}, "--scope 'x' is not key=value."),
        ({"tools": "web"}, "--tools is query or table or sql or file, not 'web'."),
        ({"schema": "loose"}, "--schema is strict or plain, not 'loose'."),
        ({"answers": "free"}, "--answers is bound or text, not 'free'."),
    ],
)
def test_what_cannot_be_meant_is_told_before_anything_is_opened(given: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError) as refusal:
        AgentOptions(**given).check()  # type: ignore[arg-type]
    assert str(refusal.value) == told
