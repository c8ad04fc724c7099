"""The options that the commands on requirements share, and what they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from veracity.errors import UsageError
from veracity.locale import printable

if TYPE_CHECKING:
    from veracity.requirements.contracts import Lang, RuleSettings
    from veracity.requirements.reading import Document

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files, or folders of them: text, Markdown, CSV, XLSX, StrictDoc, Doorstop, Gherkin, ReqIF.",
    ),
]
Column = Annotated[str | None, typer.Option("--column", help="The column or field that holds the requirements.")]
As = Annotated[
    str | None,
    typer.Option("--as", help="Read the files as this, whatever they are called: text, markdown, csv, xlsx, ..."),
]
Config = Annotated[
    str | None, typer.Option("--config", help="Your rules, words, glossary and suppressions, as one YAML file.")
]
RequirementLang = Annotated[
    str | None, typer.Option("--lang", help="The language of the requirements, de or en. Default: each for itself.")
]
_LANGS = ("de", "en")


def opened_documents(files: Sequence[str], column: str | None, format_: str | None) -> tuple[Document, ...]:
    """The documents of files and folders, each once; what is to be said about how they were read goes to standard error."""
    from veracity.requirements.reading import FORMATS, open_documents
    from veracity.requirements.reading.document import with_ids_of_their_own

    if format_ is not None and format_ not in FORMATS:
        raise UsageError(f"--as is {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, not {format_[:40]!r}.")
    found: dict[Path, Document] = {}
    for file in files:
        for document in open_documents(file, column=column, format=format_):
            found.setdefault(document.path.absolute(), document)
    for document in found.values():
        for said in document.notes:
            typer.echo(f"note: {printable(f'{document.path}: {said}')}", err=True)
    # The ids of one folder are told apart already; those of several files are only now.
    return tuple(found.values()) if len(files) == 1 else with_ids_of_their_own(found.values())


def chosen_settings(config: str | None, lang: str | None, *, fail_under: float | None = None) -> RuleSettings:
    """The rules of a project, with what the command line says instead."""
    from veracity.requirements.config import load_rule_settings
    from veracity.requirements.contracts import RuleSettings

    settings = load_rule_settings(config) if config is not None else RuleSettings()
    changes = {"lang": chosen_lang(lang), "fail_under": fail_under}
    said = {name: value for name, value in changes.items() if value is not None}
    return settings.model_copy(update=said) if said else settings


def chosen_lang(said: str | None) -> Lang | None:
    """The language of an option; raises when there is none such."""
    if said is None or said in _LANGS:
        return cast("Lang | None", said)
    raise UsageError(f"--lang is {' or '.join(_LANGS)}, not {said[:40]!r}.")
