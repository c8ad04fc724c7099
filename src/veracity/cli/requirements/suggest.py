"""`veracity requirements suggest`: one thing to do after the other, requirement by requirement."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from veracity.cli.options import Json
from veracity.cli.requirements.options import (
    As,
    Column,
    Config,
    Files,
    RequirementLang,
    chosen_settings,
    opened_documents,
)
from veracity.locale import printable

if TYPE_CHECKING:
    from veracity.requirements.contracts import Requirement, Suggestion


def suggest(
    files: Files,
    as_json: Json = False,
    config: Config = None,
    column: Column = None,
    as_: As = None,
    lang: RequirementLang = None,
) -> None:
    """Suggest what to do, by type and priority. The most important comes first."""
    from veracity.requirements.improve import suggest_improvements

    settings = chosen_settings(config, lang)
    documents = opened_documents(files, column, as_, settings=settings, stdin=True)
    requirements = [one for document in documents for one in document.requirements]
    made = {one.id: suggest_improvements(one.text, settings=settings, lang=one.lang) for one in requirements}
    if as_json:
        items = {name: {"suggestions": [one.model_dump() for one in found]} for name, found in made.items()}
        sys.stdout.buffer.write(f"{json.dumps({'items': items}, ensure_ascii=False)}\n".encode())
    else:
        _show(requirements, made)


def _show(requirements: Sequence[Requirement], made: Mapping[str, Sequence[Suggestion]]) -> None:
    from veracity.requirements.reports.text import counted, where

    for one in requirements:
        if not made[one.id]:
            continue
        typer.echo(f"{printable(one.id)}  {where(one.place)}")
        for suggestion in made[one.id]:
            typer.echo(f"  {suggestion.priority:<6}  {suggestion.type}: {printable(suggestion.suggestion)}")
    fine = sum(not found for found in made.values())
    number = sum(map(len, made.values()))
    typer.echo(f"{counted(number, 'suggestion')} for {counted(len(made) - fine, 'requirement')}; nothing for {fine:,}")
