"""Requirements: pasted or uploaded, checked and improved by the team; its questions are answered here."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Form, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.errors import UsageError, VeracityError
from veracity.requirements.ask_user import AskedQuestion, ValidationDesk, ValidationRecord
from veracity.requirements.contracts import Place, Requirement
from veracity.requirements.evaluate import retold
from veracity.requirements.reading import format_of, read_requirements
from veracity.server.request_body import clean_text
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to, is_fragment, not_there

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_COUNT = 20
_MOST = 500
"""Requirements of one validation from a page."""
_MOST_QUESTIONS = 5
"""Questions that the first page shows in full; each validation shows all of its own."""
_PASTED = "pasted.md"
_SIGNS = re.compile(r"[^A-Za-z0-9_-]")


@router.get("/requirements")
def page(visit: Visitor) -> Response:
    """The form, the latest validations, and what the team wants to know."""
    return _form_page(visit)


def _form_page(visit: Visit, *, problem: str = "", text: str = "") -> Response:
    desk = visit.validations()
    return visit.page(
        "requirements.html",
        status=400 if problem else 200,
        runs=desk.list(_COUNT),
        questions=desk.questions(),
        most=_MOST_QUESTIONS,
        problem=problem,
        text=text,
    )


@router.post("/requirements")
async def submit(visit: FilledIn, text: Annotated[str, Form()] = "", file: UploadFile | None = None) -> Response:
    """Put requirements up for validation."""
    try:
        if file is not None and file.filename:
            found = await run_in_threadpool(read_upload, file.filename, await file.read(), visit)
        else:
            found = await run_in_threadpool(read_upload, _PASTED, clean_text(text).encode("utf-8", "replace"), visit)
        run_id = await run_in_threadpool(visit.validations().submit, found, lang=visit.lang)
    except UsageError as error:
        return await run_in_threadpool(_form_page, visit, problem=str(error), text=text)
    return go_to(f"/requirements/{run_id}")


def read_upload(name: str, content: bytes, visit: Visit) -> tuple[Requirement, ...]:
    """The requirements of a file that somebody sent; its name decides the format, and nothing of it is kept."""
    if not content.strip():
        raise UsageError(visit.say("requirements.nothing"))
    plain = Path(name.replace("\\", "/")).name[:100] or _PASTED
    if format_of(Path(plain)) is None:
        raise UsageError(visit.say("requirements.format", name=plain))
    with TemporaryDirectory() as folder:
        # The name may be any text, and some formats take their ids from it: letters and digits of it reach the disk.
        path = Path(folder) / f"{_SIGNS.sub('_', Path(plain).stem)}{Path(plain).suffix}"
        path.write_bytes(content)
        try:
            found = read_requirements(path)
        except VeracityError as error:
            raise UsageError(_why_unread(str(error).replace(str(path), plain), plain, visit)) from None
    if len(found) > _MOST:
        raise UsageError(visit.say("requirements.many", most=_MOST, count=len(found)))
    return tuple(
        one.model_copy(update={"text": clean_text(one.text), "place": _place_in(one.place, plain)}) for one in found
    )


def _why_unread(told: str, name: str, visit: Visit) -> str:
    """Why nothing could be read; a page has no options of the command line, and pasted text has no name."""
    if name == _PASTED:
        return visit.say("requirements.nothing")
    return visit.say("requirements.column", name=name) if "--column" in told else told


def _place_in(place: Place, name: str) -> Place:
    return place.model_copy(update={"path": name})


@router.get("/requirements/{run_id}")
def show(visit: Visitor, run_id: str) -> Response:
    """One validation as far as it is; the page asks again as long as the team works."""
    desk = visit.validations()
    run = _validation_or_404(desk, run_id)
    template = "_validation.html" if is_fragment(visit.request) else "validation.html"
    return visit.page(template, run=_in_language_of(visit, run), questions=_questions(desk, run), problem="")


def _in_language_of(visit: Visit, run: ValidationRecord) -> ValidationRecord:
    """A validation whose findings are told in the language of the page, whatever that of the requirement is."""
    cases = tuple(
        one.model_copy(update={"before": retold(one.before, one.requirement.text, one.lang, visit.lang)})
        if one.before is not None
        else one
        for one in run.cases
    )
    return run.model_copy(update={"cases": cases})


@router.post("/questions/{question_id}/answer")
def answer(visit: FilledIn, question_id: str, text: Annotated[str, Form()] = "") -> Response:
    """Answer a question of the team."""
    visit.needs("reviewer")
    desk = visit.validations()
    asked = next((one for one in desk.questions(state=None) if one.question_id == question_id), None)
    if asked is None:
        raise not_there(UsageError(visit.say("requirements.no_question")))
    try:
        if not text.strip():
            raise UsageError(visit.say("requirements.empty_answer"))
        desk.answer(asked.question_id, clean_text(text), visit.who)
    except UsageError as error:
        run = _validation_or_404(desk, asked.run_id)
        told = {"run": _in_language_of(visit, run), "questions": _questions(desk, run), "problem": str(error)}
        return visit.page("validation.html", status=409, **told)
    return go_to(f"/requirements/{asked.run_id}")


def _validation_or_404(desk: ValidationDesk, run_id: str) -> ValidationRecord:
    try:
        return desk.show(run_id)
    except UsageError as error:
        raise not_there(error) from None


def _questions(desk: ValidationDesk, run: ValidationRecord) -> dict[str, AskedQuestion]:
    """What a validation waits for, by the id of the requirement."""
    return {one.requirement_id: one for one in desk.questions(run.run_id)}
