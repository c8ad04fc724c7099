"""`veracity tables` and `veracity call`."""

from __future__ import annotations

import asyncio
import json
import sys
from decimal import Decimal
from typing import Annotated, Any

import typer

from veracity.cli.options import FeatureName, Json, Language, NoOntology, OntologyFile, ScopeValues, Source, opened
from veracity.errors import UsageError


def tables(
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    no_ontology: NoOntology = False,
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Show the tables, fields, types and labels of a source."""
    from veracity.cli.show import show_entity
    from veracity.locale import language, pick

    lang = language(lang)
    with opened(source, feature, ontology, scope, use_ontology=not no_ontology) as tools:
        entities = tools.catalog.entities.values()
        if not as_json:
            for entity in entities:
                show_entity(entity, lang)
            return
        listed = [
            {
                "tableName": entity.name,
                "label": pick(entity.declared.label, lang) if entity.declared else "",
                "fields": [
                    {
                        "name": f.column.name,
                        "type": f.column.type,
                        "nullable": f.column.nullable,
                        "label": pick(f.declared.label, lang) if f.declared else "",
                    }
                    for f in entity.fields.values()
                ],
            }
            for entity in entities
        ]
        typer.echo(json.dumps(listed, ensure_ascii=False))


def call(
    tool: Annotated[str, typer.Argument(help="browseTable, queryTable or aggregateTable.")],
    arguments: Annotated[
        str, typer.Argument(help="The arguments as one JSON object; - reads them from standard input.")
    ],
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    no_ontology: NoOntology = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Validate only.")] = False,
    as_json: Json = False,
) -> None:
    """Run one tool call. Exit code 0: done, 1: refused by the validator, 2: wrong usage or unreachable source."""
    _check_tool(tool)
    parsed = read_arguments(sys.stdin.buffer.read() if arguments == "-" else arguments)
    with opened(source, feature, ontology, scope, use_ontology=not no_ontology) as tools:
        result = asyncio.run((tools.dry_run if dry_run else tools.call)(tool, parsed))
    if as_json:
        sys.stdout.buffer.write(result.model_dump_json().encode() + b"\n")
    else:
        from veracity.cli.show import show_result

        show_result(result)
    if not result.success:
        raise typer.Exit(1 if result.error_details else 2)


def _check_tool(tool: str) -> None:
    from veracity.query.model import TOOLS
    from veracity.query.nearest import nearest

    if tool not in TOOLS:
        near = nearest(tool, TOOLS)
        raise UsageError(
            f"There is no tool {tool[:50]!r}; " + (f"did you mean {near}?" if near else f"use {', '.join(TOOLS)}.")
        )


def read_arguments(
    given: str | bytes, *, what: str = "The arguments are", such_as: str = '{"tableName": "..."}'
) -> dict[str, Any]:
    """One JSON object, such as the arguments of a call; numbers with decimals stay exact."""
    try:
        text = given.decode("utf-8") if isinstance(given, bytes) else given
        parsed = json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UsageError(f"{what} not valid JSON: {error.msg} (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise UsageError(f"{what} nested too deeply.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{what} not encoded in UTF-8.") from None
    except ArithmeticError:
        raise UsageError(f"{what} not valid JSON: a number in them is too large.") from None
    except ValueError as error:
        raise UsageError(f"{what} not valid JSON: {str(error).split(';', maxsplit=1)[0]}.") from None
    if not isinstance(parsed, dict):
        raise UsageError(f"{what} not one JSON object, such as {such_as}.")
    return parsed


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")
