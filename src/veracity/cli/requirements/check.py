"""`veracity requirements check` and `suggest`: located findings, scores, reports, and what to do next."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import Json, building, with_options
from veracity.cli.requirements.options import DocumentOptions, check_writable, chosen_settings, opened_documents
from veracity.errors import ModelError, UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from veracity.llm.provider import RemoteModel
    from veracity.requirements.contracts import (
        DuplicatePair,
        Judged,
        ModelReading,
        Requirement,
        Rewrite,
        RuleSettings,
        Suggestion,
    )
    from veracity.requirements.reading import RequirementDocument
    from veracity.requirements.reports.report import CheckReport
    from veracity.requirements.reports.text import Paint, Tone


_FORMATS = ("text", "json", "sarif", "html")
_MOST_COMPARED = 2_000
"""Requirements among which a report looks for duplicates unasked: embedding more takes minutes the first time."""
_FOUND_WANTING = 1


@with_options(
    order="files format_ out fail_under baseline write_baseline config column as_ lang model rewrites duplicates everything"
)
def check(
    options: DocumentOptions,
    format_: Annotated[str, typer.Option("--format", help="text, json, sarif (code scanning) or html.")] = "text",
    out: Annotated[str | None, typer.Option("--out", help="Write the report to this file.")] = None,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", min=0, max=1, help="The score from which one passes. Default: 0.7.")
    ] = None,
    baseline: Annotated[str | None, typer.Option("--baseline", help="Tell only what this file does not hold.")] = None,
    write_baseline: Annotated[
        str | None, typer.Option("--write-baseline", help="Write all findings to this file, and stop.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="A language model that reads along; what it quotes may lower a score."),
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

    _check_format(format_, rewrites=rewrites, duplicates=duplicates)
    settings = chosen_settings(options, fail_under=fail_under)
    known = load_baseline(baseline) if baseline is not None else None
    documents = opened_documents(options, settings=settings, stdin=True)
    for target in (out, write_baseline):
        check_writable(target, spared=[*(document.path for document in documents), options.config])
    judged = [judge(one, settings) for document in documents for one in document.requirements]
    unread: list[str] = []
    if model is not None and model.strip() not in ("", "offline"):
        judged, unread = read_along(judged, model, settings)
    if write_baseline is not None:
        _save_baseline(write_baseline, judged)
        for said in unread:
            typer.echo(f"note: {printable(said)}", err=True)
        return
    pairs, notes = _find_duplicates(judged, asked=duplicates, wanted=format_ == "html")
    written = _rewrite_failures(judged, settings, format_) if _or_default(rewrites, format_ == "html") else {}
    report = build_report(
        documents, judged, settings, baseline=known, rewrites=written, duplicates=pairs, notes=(*unread, *notes)
    )
    _output_report(report, documents, format_, out, baseline=baseline, everything=everything)
    raise typer.Exit(_FOUND_WANTING if report.scorecard.failed else 0)


def _check_format(format_: str, *, rewrites: bool | None, duplicates: bool | None) -> None:
    """Raises when there is no such format, or when it does not show what is wanted."""
    if format_ not in _FORMATS:
        raise UsageError(f"--format is {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}, not {format_[:40]!r}.")
    for wanted, name in ((rewrites, "--rewrites"), (duplicates, "--duplicates")):
        if wanted and format_ not in ("json", "html"):
            raise UsageError(f"{name} needs --format json or html; the format {format_} does not show it.")


def _or_default(said: bool | None, otherwise: bool) -> bool:
    return otherwise if said is None else said


# --- work


def _save_baseline(path: str, judged: Sequence[Judged]) -> None:
    from veracity.requirements.baseline import write_baseline
    from veracity.requirements.reports.text import counted

    count = write_baseline(path, judged)
    typer.echo(f"{counted(count, 'finding')} written to {printable(path)}; check with --baseline {printable(path)}")


def _find_duplicates(
    judged: Sequence[Judged], *, asked: bool | None, wanted: bool
) -> tuple[list[DuplicatePair] | None, list[str]]:
    """The pairs that may say the same, and what is to be said when they were not looked for."""
    if not _or_default(asked, wanted):
        return None, []
    if asked is None and len(judged) > _MOST_COMPARED:
        return None, [f"Duplicates were not looked for among more than {_MOST_COMPARED:,}; --duplicates does."]
    from veracity.requirements.duplicates import detect_duplicates

    return detect_duplicates([one.requirement.text for one in judged]), []


def _rewrite_failures(judged: Sequence[Judged], settings: RuleSettings, format_: str) -> Mapping[str, Rewrite]:
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


def _output_report(
    report: CheckReport,
    documents: Sequence[RequirementDocument],
    format_: str,
    out: str | None,
    *,
    baseline: str | None,
    everything: bool,
) -> None:
    if out is None:
        for text in _report_texts(report, documents, format_, baseline=baseline, everything=everything, paint=_paint):
            if format_ == "text":
                typer.echo(text)
            else:
                # Machines get UTF-8, whatever the terminal is set to.
                sys.stdout.buffer.write(f"{text}\n".encode())
        return
    from veracity.requirements.reports.text import plain, summary

    parts = _report_texts(report, documents, format_, baseline=baseline, everything=everything, paint=plain)
    try:
        with Path(out).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(f"{text}\n" for text in parts)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "there can be no such file"
        raise UsageError(f"{out} cannot be written: {reason.lower()}.") from None
    for line in summary(report):
        typer.echo(line)
    typer.echo(f"written to {printable(out)}")


def _report_texts(
    report: CheckReport,
    documents: Sequence[RequirementDocument],
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


_COLOURS: dict[Tone, dict[str, Any]] = {
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
    return typer.style(text, **_COLOURS[tone]) if sys.stdout.isatty() else text


# --- a model that reads along: several requirements at a time, and what it did not read is said


_AT_ONCE = 4
"""Requirements that a model reads at the same time."""
_MOST_FAILED = 8
"""Requests that fail one after the other; then the model is taken to be away, and the rest is not sent."""
_MOST_NAMED = 5


def read_along(judged: Sequence[Judged], spec: str, settings: RuleSettings) -> tuple[list[Judged], list[str]]:
    """The findings with what a model says to them, and what is to be said about those that it did not read.

    Raises `ModelError` when it read none.
    """
    from veracity.llm.model_specs import chosen_model

    model = chosen_model(spec)
    with building("the model reads", "requirements") as step:
        reader = _ModelReader(model, settings, lambda done: step(done, len(judged)))
        read = asyncio.run(reader.all_of(judged))
    if reader.problem is not None and not any(one.model in ("read", "unreadable") for one in read):
        raise reader.problem
    return read, _reading_notes(read, reader.problem)


@dataclass(slots=True)
class _ModelReader:
    model: RemoteModel
    settings: RuleSettings
    step: Callable[[int], None]
    problem: ModelError | None = None
    """Why the first request failed that did."""
    _done: int = 0
    _failed: int = 0
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    async def all_of(self, judged: Sequence[Judged]) -> list[Judged]:
        return list(await asyncio.gather(*(self._one(given) for given in judged)))

    async def _one(self, given: Judged) -> Judged:
        async with self._places:
            read = await self._read(given)
        self._done += 1
        self.step(self._done)
        return read

    async def _read(self, given: Judged) -> Judged:
        from veracity.requirements.model_tasks import second_reading

        if self._failed < _MOST_FAILED:
            try:
                read = await second_reading(given, self.model, settings=self.settings)
            except ModelError as problem:
                self.problem, self._failed = self.problem or problem, self._failed + 1
            else:
                self._failed = 0
                return read
        return given.model_copy(update={"model": "not_read"})


def _reading_notes(read: Sequence[Judged], problem: ModelError | None) -> list[str]:
    why = f": {str(problem).rstrip('.')}" if problem is not None else ""
    told: tuple[tuple[ModelReading, str], ...] = (
        ("not_read", f"The model did not read {{which}}{why}. There, only the rules have spoken."),
        ("unreadable", "What the model said to {which} could not be understood. There, only the rules have spoken."),
    )
    return [
        sentence.replace("{which}", which)
        for state, sentence in told
        if (which := _named_in_state(read, state)) is not None
    ]


def _named_in_state(read: Sequence[Judged], state: ModelReading) -> str | None:
    """The requirements of a state: how many of how many, and the first of them by name."""
    names = [one.requirement.id for one in read if one.model == state]
    if not names:
        return None
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return f"{len(names):,} of {len(read):,} requirements ({', '.join(names[:_MOST_NAMED])}{more})"


# --- `veracity requirements suggest`: one thing to do after the other, requirement by requirement


@with_options(order="files as_json config column as_ lang")
def suggest(options: DocumentOptions, as_json: Json = False) -> None:
    """Suggest what to do, by type and priority. The most important comes first."""
    from veracity.requirements.suggestions import suggest_improvements

    settings = chosen_settings(options)
    documents = opened_documents(options, settings=settings, stdin=True)
    requirements = [one for document in documents for one in document.requirements]
    made = {one.id: suggest_improvements(one.text, settings=settings, lang=one.lang) for one in requirements}
    if as_json:
        items = {name: {"suggestions": [one.model_dump() for one in found]} for name, found in made.items()}
        sys.stdout.buffer.write(f"{json.dumps({'items': items}, ensure_ascii=False)}\n".encode())
    else:
        _show_suggestions(requirements, made)


def _show_suggestions(requirements: Sequence[Requirement], made: Mapping[str, Sequence[Suggestion]]) -> None:
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
