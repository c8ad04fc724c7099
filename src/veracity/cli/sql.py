"""`veracity sql`."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from veracity.cli.options import FeatureName, Json, NoOntology, OntologyFile, ScopeValues, Source, opened
from veracity.errors import UsageError


def sql(
    statement: Annotated[str, typer.Argument(help="One SELECT; - reads it from standard input.")],
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    no_ontology: NoOntology = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check only.")] = False,
    as_json: Json = False,
) -> None:
    """Check one SELECT and run it. Exit code 0: done, 1: refused, 2: wrong usage or unreachable source."""
    from veracity.tools.sql import SqlTools

    text = _from_input() if statement == "-" else statement
    with opened(source, feature, ontology, scope, use_ontology=not no_ontology) as tables:
        tools = SqlTools(tables)
        result = asyncio.run((tools.dry_run if dry_run else tools.call)("execute_sql_safe", {"sql": text}))
    if as_json:
        sys.stdout.buffer.write(result.model_dump_json().encode() + b"\n")
    else:
        from veracity.cli.show import show_result

        show_result(result)
    if not result.success:
        raise typer.Exit(1 if result.error_details else 2)


def _from_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("The SQL is not encoded in UTF-8.") from None
