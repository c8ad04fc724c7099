"""`veracity ontology draft`: an ontology drafted from a source, and its questions answered one key each."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json, building
from veracity.errors import OntologyError, UsageError

if TYPE_CHECKING:
    from veracity.ontology.descriptor import OntologyDescriptor
    from veracity.ontology.draft import OntologyDraft
    from veracity.ontology.draft.questions import DraftQuestion

_KEYS = "123456789"
_SKIP, _QUIT = ("s", " "), ("q", "\x03", "\x04", "\x1b", "")


def draft(
    source: Annotated[str, typer.Argument(help="A DuckDB or SQLite file, CSV/JSON/Parquet/XLSX files or a folder of them, or postgresql://...")],
    out: Annotated[Path | None, typer.Option("--out", help="The YAML to write; one that is there keeps what people changed in it. Without it, the YAML is printed.")] = None,
    lang: Annotated[str, typer.Option("--lang", help="Languages of labels and questions, by commas; questions are asked in the first.")] = "en,de,zh",
    sample: Annotated[int | None, typer.Option("--sample", help="Look at so many rows of larger tables; keys of these are not proven. Default: 2,000,000.")] = None,
    table: Annotated[list[str] | None, typer.Option("--table", help="Only this table; may be repeated.")] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="Ask what only a person can know, one key each; what was answered is kept.")] = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Draft an ontology from a source: keys, relations and columns with their evidence, and questions for the rest."""
    from veracity.ontology.draft import draft as drafted
    from veracity.ontology.draft.keeping import keep_draft, kept_draft, place_of, with_kept_answers
    from veracity.ontology.draft.merging import schema_changes
    from veracity.settings import Settings
    from veracity.sources.open import open_source

    if confirm and as_json:
        raise UsageError("--confirm asks questions and --json prints for machines; take one of them.")
    theirs = _written_before(out)
    settings = Settings.from_env()
    opened = open_source(source, settings=settings)
    try:
        with building("looking at the tables", "tables") as progress:
            found = drafted(opened, languages=_languages(lang), sample=sample, tables=table, progress=progress)
    finally:
        opened.close()
    place = place_of(settings.home, source)
    kept = kept_draft(place)
    found = with_kept_answers(found, kept)
    changes = schema_changes(kept.found, found.found) if kept and table is None else ()
    for note in (*found.found.notes, *changes):
        typer.echo(f"note: {note}", err=True)
    page = _Page(out, theirs, kept.descriptor() if kept else None)
    if confirm:
        found = _confirm(found, page, place)
    keep_draft(found, place)
    if as_json:
        typer.echo(found.model_dump_json())
    elif out is None:
        typer.echo(found.yaml(), nl=False)
    else:
        page.write(found)
        typer.echo(_summary(found, out), err=True)


def _languages(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))


def _summary(found: OntologyDraft, out: Path) -> str:
    tables, relations, questions = len(found.found.tables), len(found.settled.relations), len(found.questions)
    open_ = f"{_many(questions, 'question')} open, answer with --confirm" if questions else "no question is open"
    return f"{out}: {_many(tables, 'table')}, {_many(relations, 'relation')}; {open_}."


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _written_before(out: Path | None) -> OntologyDescriptor | None:
    from veracity.ontology.load import load_ontology

    if out is not None and out.is_dir():
        raise UsageError(f"{out} is a folder; name a file to write.")
    if out is not None and not out.absolute().parent.is_dir():
        raise UsageError(f"There is no folder {out.parent} to write {out.name} into; make it, or name another.")
    if out is None or not out.exists() or not out.stat().st_size:
        return None
    try:
        return load_ontology(out)
    except OntologyError as error:
        raise OntologyError(f"{str(error).rstrip('.')}; mend it, or write the draft to another file.") from None


@dataclass(frozen=True)
class _Page:
    """The file that is written: what people had in it, and what the program had written last."""

    out: Path | None
    theirs: OntologyDescriptor | None
    base: OntologyDescriptor | None

    def write(self, found: OntologyDraft) -> None:
        """Write the draft under what people changed; a file in which nothing changes stays as it is."""
        from veracity.ontology.draft.keeping import write_whole
        from veracity.ontology.draft.merging import merged
        from veracity.ontology.draft.writing import written

        if self.out is None:
            return
        ontology = found.descriptor()
        if self.theirs is not None:
            ontology = merged(ontology, self.theirs, self.base)
            if ontology == self.theirs:
                return
        try:
            write_whole(self.out.absolute(), written(ontology, found.settled, found.languages))
        except OSError as error:
            raise UsageError(f"{self.out} cannot be written: {(error.strerror or 'unknown reason').lower()}.") from None


def _confirm(found: OntologyDraft, page: _Page, place: Path) -> OntologyDraft:
    """Ask until nothing is open or the person stops; every answer is kept at once."""
    from veracity.ontology.draft.keeping import keep_draft

    skipped: set[str] = set()
    while True:
        open_ = [question for question in found.questions if question.id not in skipped]
        if not open_:
            break
        answer = _asked(open_[0], len(open_), found.languages[0])
        if answer is None:
            left = _many(len(found.questions), "question")
            typer.echo(f"stopped; {left} open, the answers so far are kept.", err=True)
            break
        if answer == "":
            skipped.add(open_[0].id)
            continue
        found = found.answered(open_[0].id, answer)
        keep_draft(found, place)
        page.write(found)
    return found


def _asked(question: DraftQuestion, left: int, lang: str) -> str | None:
    """The option that was chosen by one key; nothing to skip it, None to stop."""
    from veracity.language.locale import pick

    typer.echo(f"\n({left}) {pick(question.text, lang)}", err=True)
    for key, option in zip(_KEYS, question.options, strict=False):
        guess = "  <- likely" if option.id == question.guess else ""
        typer.echo(f"  {key}  {pick(option.text, lang)}{guess}", err=True)
    typer.echo("  s  skip    q  stop", err=True)
    keys = dict(zip(_KEYS, (option.id for option in question.options), strict=False))
    while True:
        key = _key()
        if key in _QUIT:
            return None
        if key in _SKIP:
            return ""
        if key in keys:
            return keys[key]


def _key() -> str:
    """One key of the keyboard, or one sign of what is piped in."""
    import click

    if sys.stdin.isatty():
        try:
            return click.getchar().lower()
        except (KeyboardInterrupt, EOFError):
            return "q"
    sign = sys.stdin.read(1)
    while sign in ("\n", "\r"):
        sign = sys.stdin.read(1)
    return sign.lower()
