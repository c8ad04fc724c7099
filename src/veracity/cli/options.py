"""The options that several commands share, and the tools they lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.errors import UsageError
from veracity.language.locale import LANGUAGES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

    from veracity.features.records import Progress
    from veracity.tools.tables import TableTools
    from veracity.tools.toolset import Toolset

Source = Annotated[str | None, typer.Option("--source", help="A DuckDB or SQLite file, CSV/JSON/Parquet/XLSX files or a folder of them, or postgresql://... Default: the shipped ledger.")]  # fmt: skip
FeatureName = Annotated[str | None, typer.Option("--feature", help="A feature: trustee (default) or realestate.")]
OntologyFile = Annotated[str | None, typer.Option("--ontology", help="An ontology of your own, as YAML.")]
ScopeValues = Annotated[list[str] | None, typer.Option("--scope", help="key=value: only rows with this value. Default with a feature: its demo mandate.")]  # fmt: skip
NoOntology = Annotated[
    bool, typer.Option("--no-ontology", help="Use the conventions of a feature without an ontology.")
]
Language = Annotated[str, typer.Option("--lang", help="Language of labels and texts: de, en or zh.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def read_scope(entries: list[str] | None) -> dict[str, str]:
    """`key=value` entries as a mapping."""
    scope: dict[str, str] = {}
    for entry in entries or ():
        key, found, value = entry.partition("=")
        if not found or not key.strip():
            raise UsageError(f"--scope {entry!r} is not key=value.")
        if key.strip() in scope:
            raise UsageError(f"--scope names {key.strip()} twice.")
        scope[key.strip()] = value
    return scope


def read_language(code: str | None) -> str | None:
    """The code of a language that answers can be given in."""
    if code is not None and re.split(r"[-_.]", code.lower())[0] not in LANGUAGES:
        raise UsageError(f"--lang is de, de-CH, de-DE, en or zh, not {code[:40]!r}.")
    return code


@contextmanager
def opened(
    source: str | None,
    feature: str | None,
    ontology: str | None,
    scope: list[str] | None,
    *,
    use_ontology: bool = True,
) -> Iterator[TableTools]:
    """The table tools these options mean; the shipped data is made on first use, with a progress bar."""
    from veracity.tools.open import open_tables

    given = read_scope(scope)
    with building() as progress:
        tools = open_tables(
            source, feature=feature, ontology=ontology, scope=given, use_ontology=use_ontology, progress=progress
        )
    note_scope(tools, source=source, feature=feature, scope=given)
    try:
        yield tools
    finally:
        tools.close()


def note_scope(tools: Toolset, *, source: str | None, feature: str | None, scope: Mapping[str, str]) -> None:
    """Somebody's own ledger is read in the scope of the demo unless another is named: they are told."""
    if feature and source and not scope:
        values = ", ".join(f"{key}={value}" for key, value in tools.catalog.scope.values.items())
        typer.echo(f"note: no --scope given, so only rows of the demo mandate are read ({values}).", err=True)


@contextmanager
def building(what: str = "building the demo data", unit: str = "rows") -> Iterator[Progress]:
    """A progress bar on standard error that appears with the first step and vanishes at the end."""
    from rich.console import Console

    console = Console(stderr=True)
    started: list[Bar] = []

    def step(done: int, total: int) -> None:
        if not started:
            started.append(_started_bar(console, what, unit))
        started[0].update(started[0].task_ids[0], completed=done, total=total)

    def say_nothing(_done: int, _total: int) -> None:
        """A bar in a file would only be an empty line."""

    try:
        yield step if console.is_terminal else say_nothing
    finally:
        for bar in started:
            bar.stop()


def _started_bar(console: Console, what: str, unit: str) -> Bar:
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn(what), BarColumn(), TextColumn(f"{{task.completed}}/{{task.total}} {unit}".rstrip()))
    bar = RichProgress(*columns, console=console, transient=True)
    bar.add_task("build", total=None)
    bar.start()
    return bar
