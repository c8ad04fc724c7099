"""`veracity requirements improve`: what does not pass is rewritten, what is missing is asked, nothing is made up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json, building, with_options
from veracity.cli.requirements.dialogue import ASKED_BACK, FOUND_WANTING, Asker, one_line
from veracity.cli.requirements.options import (
    DialogueOptions,
    check_writable,
    chosen_lang,
    chosen_settings,
    opened_documents,
)
from veracity.errors import UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.llm.provider import RemoteModel
    from veracity.requirements.contracts import RuleSettings
    from veracity.requirements.improve_documents import Improved
    from veracity.requirements.reading import RequirementDocument


@with_options(order="files out model answers write_questions with_slots no_input column as_ config lang ask_in as_json")
def improve(
    options: DialogueOptions,
    out: Annotated[
        str | None,
        typer.Option("--out", help="Write a copy with the new texts; for several files, a folder. Default: only show."),
    ] = None,
    write_questions: Annotated[
        str | None, typer.Option("--write-questions", help="Write what is open to this file, to be filled in.")
    ] = None,
    with_slots: Annotated[
        bool, typer.Option("--with-slots", help="Also write texts with open slots such as [role?].")
    ] = False,
    as_json: Json = False,
) -> None:
    """Rewrite what is below the mark. Exit codes: 0 nothing is open, 1 a rewrite still fails, 3 questions are open."""
    from veracity.requirements.improve_documents import Rewriter

    settings = chosen_settings(options)
    documents = opened_documents(options, settings=settings)
    targets = _copy_targets(documents, out) if out is not None else {}
    renews = _is_answers_file(write_questions, options.answers)
    asker = Asker.of(options, documents)
    with building("rewriting", "requirements") as step:
        rewriter = Rewriter(
            opened_model(options.model),
            settings,
            asker.ask_about,
            asker.known.of,
            chosen_lang(options.ask_in),
            with_slots,
            step=step if not asker.interactive else lambda _done, _total: None,
        )
        found = asyncio.run(rewriter.improve(documents))
    if write_questions is not None:
        _write_questions(write_questions, found, asker, replace=renews)
    if as_json:
        typer.echo(_report_json(found, settings, documents, targets))
    else:
        for line in _report_lines(found, settings, documents):
            typer.echo(line)
    # After all is told: a text that cannot be written must not cost what somebody has just answered.
    _write_copies(documents, targets, found)
    if targets and not as_json:
        changed = sum(one.text is not None for one in found)
        typer.echo(f"Written to {printable(str(out))}: {changed} new text{'' if changed == 1 else 's'}.")
    raise typer.Exit(exit_code_of_rewrites(found))


def opened_model(spec: str) -> RemoteModel | None:
    """The model of a spec; None for offline."""
    if spec.strip() in ("", "offline"):
        return None
    from veracity.llm.model_specs import chosen_model

    return chosen_model(spec)


def exit_code_of_rewrites(found: Sequence[Improved]) -> int:
    """3 while a question is open, 1 while a rewrite fails."""
    if any(one.rewrite.assumptions for one in found):
        return ASKED_BACK
    return FOUND_WANTING if any(one.rewrite.status == "rejected" for one in found) else 0


# --- in and out of files


def _copy_targets(documents: Sequence[RequirementDocument], out: str) -> dict[Path, Path]:
    """Document -> where its copy goes; what cannot be written is told before anybody is asked anything."""
    from veracity.requirements.writing import check_target

    folder = Path(out)
    if len(documents) == 1 and not folder.is_dir():
        targets = {documents[0].path: folder}
    else:
        targets = {document.path: folder / document.path.name for document in documents}
        if len(set(targets.values())) < len(targets):
            raise UsageError("Two of the files have the same name; improve them one after the other.")
        if folder.suffix and not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; several files are written into one, so name one as --out.")
    for document in documents:
        check_target(document, targets[document.path])
    if len(targets) == 1:
        check_writable(str(next(iter(targets.values()))))
    return targets


def _write_copies(
    documents: Sequence[RequirementDocument], targets: Mapping[Path, Path], found: Sequence[Improved]
) -> None:
    from veracity.requirements.writing import write_back

    texts = {one.id: one.text for one in found if one.text is not None}
    for document in documents:
        if document.path in targets:
            own = {one.id: texts[one.id] for one in document.requirements if one.id in texts}
            target = targets[document.path]
            if len(targets) > 1:
                target.parent.mkdir(parents=True, exist_ok=True)
            write_back(document, own, target)


def _is_answers_file(path: str | None, answers: str | None) -> bool:
    """Whether the file of questions is that of the answers; any other that is there already is told at once."""
    if path is None:
        return False
    same = answers is not None and Path(answers).absolute() == Path(path).absolute()
    if not same and Path(path).exists():
        raise UsageError(f"{path} is there already; name another file, or give it as --answers, too.")
    return same


def _write_questions(path: str, found: Sequence[Improved], asker: Asker, *, replace: bool) -> None:
    from veracity.requirements.answer_file import Unanswered, write_questions

    unanswered = [
        Unanswered(one.id, one.rewrite.original_text, one.rewrite.assumptions)
        for one in found
        if one.rewrite.assumptions
    ]
    write_questions(path, unanswered, asker.known, replace=replace)


# --- out


def _report_json(
    found: Sequence[Improved],
    settings: RuleSettings,
    documents: Sequence[RequirementDocument],
    targets: Mapping[Path, Path],
) -> str:
    report = {
        "requirements": sum(len(document.requirements) for document in documents),
        "below": len(found),
        "fail_under": settings.fail_under,
        "written_to": [str(target) for target in targets.values()],
        "improved": [one.model_dump(mode="json") for one in found],
    }
    return json.dumps(report, ensure_ascii=False)


def _report_lines(
    found: Sequence[Improved], settings: RuleSettings, documents: Sequence[RequirementDocument]
) -> Iterator[str]:
    for one in found:
        yield from _rewrite_lines(one)
    total = sum(len(document.requirements) for document in documents)
    counts = [
        (sum(one.rewrite.status == "accepted" for one in found), "rewritten"),
        (sum(bool(one.rewrite.assumptions) for one in found), "open"),
        (sum(one.rewrite.status == "rejected" for one in found), "still failing"),
    ]
    told = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing to do"
    yield f"{total} requirement{'' if total == 1 else 's'}, {len(found)} below {settings.fail_under:.2f}: {told}."


def _rewrite_lines(one: Improved) -> Iterator[str]:
    """A rewrite as people read it: where, the scores, before and after, what it needs."""
    made, place = one.rewrite, one.place
    line = f":{place.line}" if place.line is not None else f" {place.cell}" if place.cell is not None else ""
    # The score of a text with open slots says nothing about the text that it will be.
    after = "" if made.assumptions else f" -> {made.score:.2f}"
    status = {"accepted": "rewritten", "needs_confirmation": "open", "rejected": "still failing"}[made.status]
    yield f"{one_line(one.id)}  {printable(place.path)}{line}  {one.before.score:.2f}{after}  {status}"
    yield f"  - {one_line(made.original_text)}"
    yield f"  + {one_line(made.corrected_text)}"
    for criterion in made.acceptance_criteria:
        yield f"    {one_line(criterion)}"
    if one.without_model is not None:
        yield f"  ! not the model's wording: {one_line(one.without_model)}"
    for asked in made.assumptions:
        offered = f"  ({' | '.join(one_line(said) for said in asked.suggested_answers)})"
        yield f"  ? {one_line(asked.question)}{offered if asked.suggested_answers else ''}"
