"""Answers that people called right or wrong: the right ones are questions to ask again, the wrong ones are cases to look at."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from veracity.agent.trace_store import TraceRecord
from veracity.answer.answer import Answer, Outcome
from veracity.contracts import clip
from veracity.durable.sqlite_file import SqliteFile, Timestamp
from veracity.errors import UsageError
from veracity.language.locale import printable
from veracity.settings import Settings
from veracity.wire import Wire

FILE = "judged.sqlite"
_VERSION = 1
_CREATE = """
    CREATE TABLE judged (
        number INTEGER PRIMARY KEY AUTOINCREMENT, trace_id TEXT NOT NULL UNIQUE, verdict TEXT NOT NULL,
        source TEXT NOT NULL, body TEXT NOT NULL
    )
"""
_LONGEST_WHY = 2_000
_LONGEST_NAME = 100

Verdict = Literal["right", "wrong"]


class JudgedCell(Wire):
    """A cell that an answer shows: as it was worded, and its value."""

    text: str
    value: str | None = None


class JudgedAnswer(Wire):
    """A question with its answer, and what somebody said of it."""

    trace_id: str
    verdict: Verdict
    why: str = ""
    who: str
    judged_at: Timestamp
    question: str
    lang: str
    source: str
    outcome: Outcome
    text: str
    semantic_query: dict[str, Any] | None = None
    figures: tuple[JudgedCell, ...] = ()


class JudgedAnswers(SqliteFile):
    """The judged answers of one tenant; an answer has one verdict, the last one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, schema=(_CREATE,), version=_VERSION, holds="judged answers")

    @classmethod
    def default(cls, settings: Settings | None = None) -> JudgedAnswers:
        """The store in the data folder of this user."""
        return cls((settings or Settings.from_env()).home / FILE)

    def keep(self, judged: JudgedAnswer) -> None:
        """Keep a verdict, in the place of an earlier one on the same answer."""
        row = (judged.trace_id, judged.verdict, judged.source, judged.model_dump_json())
        with self._session() as connection:
            connection.execute(
                "INSERT INTO judged (trace_id, verdict, source, body) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (trace_id) DO UPDATE SET verdict = excluded.verdict, body = excluded.body",
                row,
            )

    def latest(self, verdict: Verdict | None = None, *, source: str | None = None) -> list[JudgedAnswer]:
        """The judged answers, the newest first."""
        if not self.path.exists():
            return []
        with self._session() as connection:
            rows = connection.execute(
                "SELECT body FROM judged WHERE coalesce(?, verdict) = verdict AND coalesce(?, source) = source "
                "ORDER BY number DESC",
                (verdict, source),
            ).fetchall()
            return [JudgedAnswer.model_validate_json(body) for (body,) in rows]


def judged(record: TraceRecord, verdict: Verdict, *, who: str, why: str = "") -> JudgedAnswer:
    """The verdict on the answer of a trace; raises `UsageError` where that cannot be judged."""
    answer = _answer_of(record)
    if verdict == "right" and answer.outcome is Outcome.BLOCKED:
        raise UsageError(
            "This answer was held back, so that there is nothing right to keep; call it wrong, with --why."
        )
    if verdict == "right" and answer.follow_up:
        raise UsageError("This answers a follow-up or a choice; ask it as one whole question, and judge that answer.")
    return JudgedAnswer(
        trace_id=record.trace_id,
        verdict=verdict,
        why=clip(printable(why), _LONGEST_WHY),
        who=clip(printable(who), _LONGEST_NAME) or "somebody",
        judged_at=datetime.now(UTC),
        question=record.question,
        lang=record.lang,
        source=record.source,
        outcome=answer.outcome,
        text=answer.text,
        semantic_query=answer.semantic_query,
        figures=tuple(JudgedCell(text=one.text, value=one.value) for one in answer.provenance),
    )


def _answer_of(record: TraceRecord) -> Answer:
    if not record.finished:
        raise UsageError(f"Trace {record.trace_id} has no answer: its run was cut off.")
    known = {field.alias or name for name, field in Answer.model_fields.items()}
    body = {key: value for key, value in record.body.items() if key in known}
    try:
        return Answer.model_validate(body)
    except ValidationError:
        raise UsageError(f"Trace {record.trace_id} was written by another version of Veracity; ask again.") from None
