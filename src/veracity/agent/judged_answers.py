"""Answers that people called right or wrong: the right ones are questions to ask again, the wrong ones are cases to look at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import ValidationError

from veracity.agent.trace_store import TraceRecord
from veracity.answer.answer import Answer, Outcome
from veracity.contracts import clip
from veracity.durable.database import LOCAL
from veracity.durable.kept_rows import KeptTable, Place, damage_told, rows_in, store_of, upsert
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import UsageError
from veracity.language.locale import printable
from veracity.settings import Settings
from veracity.wire import Wire

TABLE = KeptTable(
    "veracity_judged",
    "judged answers",
    key=("tenant", "trace_id"),
    others=("judged_at", "verdict", "source", "body"),
)
_KEEP = upsert(TABLE, TABLE.others)
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


class JudgedAnswers:
    """The judged answers of one tenant; an answer has one verdict, the last one."""

    def __init__(self, place: Place, tenant: str = LOCAL) -> None:
        self._rows, self._tenant = rows_in(place, TABLE), tenant

    @classmethod
    def default(cls, settings: Settings | None = None) -> JudgedAnswers:
        """The verdicts in the store of this user."""
        return cls(store_of(settings))

    def keep(self, judged: JudgedAnswer) -> None:
        """Keep a verdict, in the place of an earlier one on the same answer."""
        when = moment_written(judged.judged_at)
        row = (self._tenant, judged.trace_id, when, judged.verdict, judged.source, judged.model_dump_json())
        self._rows.write(_KEEP, row)

    def take_back(self, trace_id: str) -> bool:
        """Forget the verdict on an answer; whether there was one."""
        return self._rows.write("DELETE FROM {table} WHERE tenant = ? AND trace_id = ?", (self._tenant, trace_id)) > 0

    def of(self, trace_ids: Sequence[str]) -> dict[str, JudgedAnswer]:
        """The verdicts on these answers, by their traces."""
        if not trace_ids:
            return {}
        marks = ", ".join("?" for _ in trace_ids)
        wanted = f"SELECT body FROM {{table}} WHERE tenant = ? AND trace_id IN ({marks})"
        rows = self._rows.read(wanted, self._tenant, *trace_ids)
        with damage_told(TABLE):
            found = [JudgedAnswer.model_validate_json(body) for (body,) in rows]
        return {one.trace_id: one for one in found}

    def latest(self, verdict: Verdict | None = None, *, source: str | None = None) -> list[JudgedAnswer]:
        """The judged answers, the newest first."""
        narrowed = {"verdict": verdict, "source": source}
        given = {name: value for name, value in narrowed.items() if value is not None}
        where = "".join(f" AND {name} = ?" for name in given)
        wanted = f"SELECT body FROM {{table}} WHERE tenant = ?{where} ORDER BY judged_at DESC, trace_id DESC"
        rows = self._rows.read(wanted, self._tenant, *given.values())
        with damage_told(TABLE):
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
