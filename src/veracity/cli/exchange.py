"""`veracity ontology import | export`: models of others, and ours for others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import Json, Language
from veracity.errors import OntologyError, UsageError

if TYPE_CHECKING:
    from veracity.ontology.descriptor import OntologyDescriptor

_FORMATS = ("ossie", "veracity")
Out = Annotated[str | None, typer.Option("--out", help="Write to this file instead of standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file of --out where it is there already.")]


def import_(
    file: Annotated[str, typer.Argument(help="An Ossie model (YAML or JSON), or dbt's target/semantic_manifest.json.")],
    out: Out = None,
    model: Annotated[str | None, typer.Option("--model", help="Which one, where the file has several models.")] = None,
    allow_cycles: Annotated[
        bool, typer.Option("--allow-cycles", help="Take relationships that lead in a circle.")
    ] = False,
    force: Force = False,
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Make an ontology of a model that others wrote, and tell what came over and what did not."""
    from veracity.language.locale import language
    from veracity.ontology.exchange.importing import import_model
    from veracity.ontology.exchange.report import report_lines

    _check_out(out, force=force, other_than=file)
    imported = import_model(file, lang=language(lang), model=model, allow_cycles=allow_cycles)
    text = _yaml(_data(imported.ontology), f"Imported from {Path(file).name}.")
    if out is not None:
        _write(Path(out), text)
    if as_json:
        told = {"ontology": _data(imported.ontology), **imported.report.model_dump(mode="json")}
        typer.echo(json.dumps(told, ensure_ascii=False))
        return
    if out is None:
        typer.echo(text, nl=False)
    for line in report_lines(imported):
        typer.echo(line, err=out is None)


def export(
    ontology: Annotated[str | None, typer.Option("--ontology", help="An ontology of your own, as YAML.")] = None,
    feature: Annotated[
        str | None, typer.Option("--feature", help="A feature: trustee (default), realestate or shop.")
    ] = None,
    file_format: Annotated[
        str, typer.Option("--format", help="ossie: Apache Ossie YAML. veracity: our own.")
    ] = "ossie",
    out: Out = None,
    force: Force = False,
    lang: Language = "en",
) -> None:
    """Write an ontology for others: as an Ossie model that gives back all of it, or in our own YAML."""
    from veracity.language.locale import language
    from veracity.ontology.exchange.ossie_write import export_ossie
    from veracity.tools.open import chosen_feature, chosen_ontology

    if file_format not in _FORMATS:
        raise UsageError(f"--format is {' or '.join(_FORMATS)}, not {file_format[:40]!r}.")
    _check_out(out, force=force, other_than=ontology)
    chosen = chosen_feature(None, feature, ontology)
    found = chosen_ontology(chosen, ontology)
    if found is None:
        raise UsageError(f"The feature {chosen.code if chosen else ''} has no ontology to export; name one with --ontology.")  # fmt: skip
    exported = export_ossie(found, lang=language(lang)) if file_format == "ossie" else None
    text = _yaml(exported.document if exported else _data(found))
    if out is None:
        typer.echo(text, nl=False)
    else:
        _write(Path(out), text)
        typer.echo(f"{found.feature_code} is in {out}.")
    if exported and exported.only_ours:
        typer.echo("Only in the extensions, which others do not read:", err=out is None)
        for line in exported.only_ours:
            typer.echo(f"  {line}", err=out is None)


def _data(ontology: OntologyDescriptor) -> dict[str, Any]:
    return ontology.model_dump(mode="json", exclude_defaults=True)


def _yaml(data: dict[str, Any], comment: str = "") -> str:
    import yaml

    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)
    return f"# {comment}\n{text}" if comment else text


def _check_out(out: str | None, *, force: bool, other_than: str | None) -> None:
    """Before anything is read: what could not be written, or would be lost."""
    if out is None:
        return
    path = Path(out)
    if other_than is not None and path.absolute() == Path(other_than).absolute():
        raise UsageError(f"{out} is the file that is read; name another one with --out.")
    if path.exists() and not (force and path.is_file()):
        raise UsageError(f"{out} is there already; name another file, or replace it with --force.")


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    from veracity.evals.writing import write_whole

    try:
        write_whole(path, text)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "there can be no such file"
        raise OntologyError(f"{path} cannot be written: {reason.lower()}.") from None
