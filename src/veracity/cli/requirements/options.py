"""The options that the commands on requirements share, each declared once, and what they open."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, cast

import typer

from veracity.cli.options import ModelSpec
from veracity.errors import SourceError, UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.requirements.contracts import Lang, RuleSettings
    from veracity.requirements.reading import Format, RequirementDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOptions:
    """The requirements that a command reads, and how it reads and judges them."""

    files: Annotated[list[str], typer.Argument(metavar="FILES", help="Files, or folders of them: text, Markdown, CSV, XLSX, StrictDoc, Doorstop, Gherkin, ReqIF.")]  # fmt: skip
    config: Annotated[str | None, typer.Option("--config", help="Your rules, words, glossary and suppressions, as one YAML file.")] = None  # fmt: skip
    column: Annotated[str | None, typer.Option("--column", help="The column or field that holds the requirements.")] = None  # fmt: skip
    as_: Annotated[str | None, typer.Option("--as", help="Read the files as this, whatever they are called: text, markdown, csv, xlsx, ...")] = None  # fmt: skip
    lang: Annotated[str | None, typer.Option("--lang", help="The language of the requirements, de or en. Default: each for itself.")] = None  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueOptions(DocumentOptions):
    """The same for `improve` and `validate`, which rewrite with a model and ask a person what they cannot know."""

    model: ModelSpec = "offline"
    answers: Annotated[str | None, typer.Option("--answers", help="A YAML file with answers, by id and question.")] = None  # fmt: skip
    no_input: Annotated[bool, typer.Option("--no-input", help="Ask nothing, even at a terminal.")] = False
    ask_in: Annotated[str | None, typer.Option("--ask-in", help="The language of the questions, de or en. Default: the requirement's own.")] = None  # fmt: skip


_LANGS = ("de", "en")
_STDIN = "stdin"


def opened_documents(
    options: DocumentOptions, *, settings: RuleSettings | None = None, stdin: bool = False
) -> tuple[RequirementDocument, ...]:
    """The documents of files and folders, each once; what is to be said about how they were read goes to standard error.

    With `stdin`, the file `-` is the standard input. Where the settings name no language, a text that shows none is read in
    that of its document.
    """
    from veracity.requirements.reading import FORMATS, open_documents
    from veracity.requirements.reading.document import with_ids_of_their_own, with_languages

    format_ = options.as_
    if format_ is not None and format_ not in FORMATS:
        raise UsageError(f"--as is {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, not {format_[:40]!r}.")
    found: dict[Path, RequirementDocument] = {}
    for file in options.files:
        if stdin and file == "-":
            opened: Sequence[RequirementDocument] = (_from_standard_input(options.column, format_),)
        else:
            opened = open_documents(file, column=options.column, format=format_)
        for document in opened:
            found.setdefault(document.path.absolute(), document)
    for document in found.values():
        for said in document.notes:
            typer.echo(f"note: {printable(f'{document.path}: {said}')}", err=True)
    documents = tuple(found.values())
    if settings is not None and settings.lang is None:
        documents = tuple(replace(one, requirements=with_languages(one.requirements)) for one in documents)
    # The ids of one folder are told apart already; those of several files are only now.
    return documents if len(options.files) == 1 else with_ids_of_their_own(documents)


def _from_standard_input(column: str | None, format_: Format | None) -> RequirementDocument:
    """What comes from standard input, as a document that is called so."""
    from veracity.requirements.reading import open_document

    with TemporaryDirectory() as folder:
        path = Path(folder, "input")
        path.write_bytes(sys.stdin.buffer.read())
        try:
            document = open_document(path, column=column, format=format_ or "markdown")
        except (SourceError, UsageError) as problem:
            raise type(problem)(str(problem).replace(str(path), _STDIN)) from None
    return replace(
        document,
        path=Path(_STDIN),
        source=replace(document.source, path=Path(_STDIN)) if document.source is not None else None,
        requirements=tuple(
            one.model_copy(update={"place": one.place.model_copy(update={"path": _STDIN})})
            for one in document.requirements
        ),
    )


def check_writable(target: str | None, *, spared: Iterable[str | Path | None] = ()) -> None:
    """Raise before any work is done when a file cannot be written, or is one that must not be written over."""
    if target is None:
        return
    path = Path(target)
    try:
        for one in spared:
            if one is not None and path.exists() and Path(one).exists() and path.samefile(one):
                raise UsageError(f"{target} is what is read here; name another file to write.")
        if path.is_dir():
            raise UsageError(f"{target} cannot be written: it is a folder; name a file.")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{target} cannot be written: no such file or directory.")
    except (OSError, ValueError):
        raise UsageError(f"{target} cannot be written: there can be no such file.") from None


def chosen_settings(options: DocumentOptions, *, fail_under: float | None = None) -> RuleSettings:
    """The rules of a project, with what the command line says instead."""
    from veracity.requirements.config import load_rule_settings
    from veracity.requirements.contracts import RuleSettings

    settings = load_rule_settings(options.config) if options.config is not None else RuleSettings()
    changes = {"lang": chosen_lang(options.lang), "fail_under": fail_under}
    said = {name: value for name, value in changes.items() if value is not None}
    return settings.model_copy(update=said) if said else settings


def chosen_lang(said: str | None) -> Lang | None:
    """The language of an option; raises when there is none such."""
    if said is None or said in _LANGS:
        return cast("Lang | None", said)
    raise UsageError(f"--lang is {' or '.join(_LANGS)}, not {said[:40]!r}.")
