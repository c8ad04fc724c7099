"""The options that several commands share, and the tools they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.errors import UsageError

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from veracity.features.records import Progress
    from veracity.tools.tables import TableTools

Source = Annotated[str | None, typer.Option("--source", help="A DuckDB or SQLite file, CSV/Parquet/XLSX files or a folder of them, or postgresql://... Default: the shipped ledger.")]  # fmt: skip
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
    if feature and source and not given:
        values = ", ".join(f"{key}={value}" for key, value in tools.catalog.scope.values.items())
        typer.echo(f"note: no --scope given, so only rows of the demo mandate are read ({values}).", err=True)
    try:
        yield tools
    finally:
        tools.close()


@contextmanager
def building() -> Iterator[Progress]:
    """A progress bar on standard error that appears with the first step and vanishes at the end."""
    started: list[Bar] = []

    def step(done: int, total: int) -> None:
        if not started:
            started.append(_started_bar())
        started[0].update(started[0].task_ids[0], completed=done, total=total)

    try:
        yield step
    finally:
        for bar in started:
            bar.stop()


def _started_bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn("building the demo data"), BarColumn(), TextColumn("{task.completed}/{task.total} rows"))
    bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("build", total=None)
    bar.start()
    return bar
