"""`veracity requirements check`: located findings, scores, and a report in the form that is wanted."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.requirements.options import (
    As,
    Column,
    Config,
    Files,
    RequirementLang,
    check_writable,
    chosen_settings,
    opened_documents,
)
from veracity.cli.requirements.reading_along import read_along
from veracity.errors import UsageError
from veracity.locale import printable

if TYPE_CHECKING:
    from veracity.requirements.contracts import DuplicatePair, Judged, Rewrite, RuleSettings
    from veracity.requirements.reading import Document
    from veracity.requirements.reports.report import CheckReport
    from veracity.requirements.reports.text import Paint, Tone

_FORMATS = ("text", "json", "sarif", "html")
_MOST_COMPARED = 2_000
"""Requirements among which a report looks for duplicates unasked: embedding more takes minutes the first time."""
_FOUND_WANTING = 1


def check(
    files: Files,
    format_: Annotated[str, typer.Option("--format", help="text, json, sarif (code scanning) or html.")] = "text",
    out: Annotated[str | None, typer.Option("--out", help="Write the report to this file.")] = None,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", min=0, max=1, help="The score from which one passes. Default: 0.7.")
    ] = None,
    baseline: Annotated[str | None, typer.Option("--baseline", help="Tell only what this file does not hold.")] = None,
    write_baseline: Annotated[
        str | None, typer.Option("--write-baseline", help="Write all findings to this file, and stop.")
    ] = None,
    config: Config = None,
    column: Column = None,
    as_: As = None,
    lang: RequirementLang = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="A language model that reads along; scores stay those of the rules."),
    ] = None,
    rewrites: Annotated[
        bool | None,
        typer.Option("--rewrites/--no-rewrites", help="Add a rewrite with open slots to json or html. Default: html."),
    ] = None,
    duplicates: Annotated[
        bool | None,
        typer.Option("--duplicates/--no-duplicates", help="Add duplicates to json or html. Default: html."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="As text: also what passes, and every hint in it.")] = False,
) -> None:
    """Check requirements by rules. Exit code 1 when one of them is below the mark and the baseline does not know it."""
    from veracity.requirements.baseline import load_baseline
    from veracity.requirements.evaluate import judge
    from veracity.requirements.reports.report import build_report

    _fit(format_, rewrites=rewrites, duplicates=duplicates)
    settings = chosen_settings(config, lang, fail_under=fail_under)
    known = load_baseline(baseline) if baseline is not None else None
    documents = opened_documents(files, column, as_, settings=settings, stdin=True)
    for target in (out, write_baseline):
        check_writable(target, spared=[*(document.path for document in documents), config])
    judged = [judge(one, settings) for document in documents for one in document.requirements]
    unread: list[str] = []
    if model is not None and model.strip() not in ("", "offline"):
        judged, unread = read_along(judged, model, settings)
    if write_baseline is not None:
        _keep(write_baseline, judged)
        for said in unread:
            typer.echo(f"note: {printable(said)}", err=True)
        return
    pairs, notes = _compared(judged, asked=duplicates, wanted=format_ == "html")
    written = _rewritten(judged, settings, format_) if _or(rewrites, format_ == "html") else {}
    report = build_report(
        documents, judged, settings, baseline=known, rewrites=written, duplicates=pairs, notes=(*unread, *notes)
    )
    _tell(report, documents, format_, out, baseline=baseline, everything=everything)
    raise typer.Exit(_FOUND_WANTING if report.scorecard.failed else 0)


def _fit(format_: str, *, rewrites: bool | None, duplicates: bool | None) -> None:
    """Raises when there is no such format, or when it does not show what is wanted."""
    if format_ not in _FORMATS:
        raise UsageError(f"--format is {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}, not {format_[:40]!r}.")
    for wanted, name in ((rewrites, "--rewrites"), (duplicates, "--duplicates")):
        if wanted and format_ not in ("json", "html"):
            raise UsageError(f"{name} needs --format json or html; the format {format_} does not show it.")


def _or(said: bool | None, otherwise: bool) -> bool:
    return otherwise if said is None else said


# --- work


def _keep(path: str, judged: Sequence[Judged]) -> None:
    from veracity.requirements.baseline import write_baseline
    from veracity.requirements.reports.text import counted

    count = write_baseline(path, judged)
    typer.echo(f"{counted(count, 'finding')} written to {printable(path)}; check with --baseline {printable(path)}")


def _compared(
    judged: Sequence[Judged], *, asked: bool | None, wanted: bool
) -> tuple[list[DuplicatePair] | None, list[str]]:
    """The pairs that may say the same, and what is to be said when they were not looked for."""
    if not _or(asked, wanted):
        return None, []
    if asked is None and len(judged) > _MOST_COMPARED:
        return None, [f"Duplicates were not looked for among more than {_MOST_COMPARED:,}; --duplicates does."]
    from veracity.requirements.duplicates import detect_duplicates

    return detect_duplicates([one.requirement.text for one in judged]), []


def _rewritten(judged: Sequence[Judged], settings: RuleSettings, format_: str) -> Mapping[str, Rewrite]:
    """What fails as a skeleton with open slots, by id; for a page no more than it shows."""
    from veracity.requirements.improve import rewrite_requirement
    from veracity.requirements.reports.html import MOST_CARDS

    failed = [one.requirement for one in judged if one.evaluation.verdict == "fail" and one.requirement.text.strip()]
    if format_ == "html":
        del failed[MOST_CARDS:]

    async def all_of_them() -> dict[str, Rewrite]:
        return {
            one.id: await rewrite_requirement(one.text, settings=settings, lang=one.lang, name=one.id) for one in failed
        }

    return asyncio.run(all_of_them())


# --- out


def _tell(
    report: CheckReport,
    documents: Sequence[Document],
    format_: str,
    out: str | None,
    *,
    baseline: str | None,
    everything: bool,
) -> None:
    if out is None:
        for text in _parts(report, documents, format_, baseline=baseline, everything=everything, paint=_paint):
            if format_ == "text":
                typer.echo(text)
            else:
                # Machines get UTF-8, whatever the terminal is set to.
                sys.stdout.buffer.write(f"{text}\n".encode())
        return
    from veracity.requirements.reports.text import plain, summary

    parts = _parts(report, documents, format_, baseline=baseline, everything=everything, paint=plain)
    try:
        with Path(out).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(f"{text}\n" for text in parts)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "there can be no such file"
        raise UsageError(f"{out} cannot be written: {reason.lower()}.") from None
    for line in summary(report):
        typer.echo(line)
    typer.echo(f"written to {printable(out)}")


def _parts(
    report: CheckReport,
    documents: Sequence[Document],
    format_: str,
    *,
    baseline: str | None,
    everything: bool,
    paint: Paint,
) -> Iterator[str]:
    """The report in its form, in one piece or line by line."""
    match format_:
        case "json":
            yield report.model_dump_json()
        case "sarif":
            from veracity.requirements.reports.sarif import sarif_log

            yield json.dumps(sarif_log(report, documents, baseline=baseline), ensure_ascii=False)
        case "html":
            from veracity.requirements.reports.html import html_page

            yield html_page(report, made_on=date.today())
        case _:
            from veracity.requirements.reports.text import check_lines

            yield from check_lines(report, everything=everything, paint=paint)


_COLOURS: dict[Tone, dict[str, object]] = {
    "id": {"bold": True},
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow"},
    "info": {"fg": "cyan"},
    "pass": {"fg": "green"},
    "fail": {"fg": "red"},
    "dim": {"dim": True},
}


def _paint(text: str, tone: Tone) -> str:
    """In colour at a terminal; everywhere else the text as it is."""
    return typer.style(text, **_COLOURS[tone]) if sys.stdout.isatty() else text  # type: ignore[arg-type]
