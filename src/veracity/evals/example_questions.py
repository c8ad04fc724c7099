"""The questions of an ontology and its gold questions, asked: each answer is held against what the question says of it.

Messages say what was expected, which the files hold, and never what was answered, which the data hold: the answer is in the
finding's example.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from veracity.ask.data_agent import DataAgent
from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.evals.cases import EvalCase, ExpectedFigure
from veracity.evals.modes import BoundMode
from veracity.evals.records import Attempt, Ended, TrialVerdict
from veracity.evals.run import attempted, with_gold_rows
from veracity.evals.scoring.judge import score_or_reason
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.questions import ExampleQuestion, Questions
from veracity.query.findings import OntologyFinding, Place

SECONDS = 60.0
"""A question may take so long."""
_LONGEST_ANSWER = 400
_ENDED: Mapping[Ended, str] = {
    Ended.CLARIFY: "It is asked back instead of answered.",
    Ended.ABSTAINED: "It is not answered.",
    Ended.BLOCKED: "Its answer was blocked.",
    Ended.TIMEOUT: f"It took longer than {SECONDS:g} s.",
    Ended.ERROR: "It failed.",
}


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question of an ontology, and where it stands."""

    check: Literal["questions-are-answered", "measures-answer", "patterns-answer"]
    where: str
    place: Place
    lang: str
    asked: ExampleQuestion


@dataclass(frozen=True, eq=False)
class QuestionChecks:
    """Asks questions of one agent; the same question is asked once."""

    agent: DataAgent
    asked: dict[tuple[str, str | None], Attempt] = field(default_factory=dict)

    async def ontology(self) -> list[OntologyFinding]:
        """What is wrong with the answers to the questions that the ontology shows."""
        ontology = self.agent.tools.catalog.ontology
        placed = questions_of(ontology) if ontology else ()
        return [found for one in placed if (found := await self._example(one)) is not None]

    async def gold(self, cases: Sequence[EvalCase], file: str) -> list[OntologyFinding]:
        """What is wrong with the answers to gold questions."""
        return [found for n, case in enumerate(cases) if (found := await self._gold(n, case, file)) is not None]

    async def _attempt(self, case: EvalCase) -> Attempt:
        key = (case.question, case.lang)
        if key not in self.asked:
            self.asked[key] = await attempted(BoundMode(self.agent), case, case.timeout or SECONDS)
        return self.asked[key]

    async def _example(self, one: PlacedQuestion) -> OntologyFinding | None:
        case = _case(one)
        attempt = await self._attempt(case)
        finding = OntologyFinding(
            where=one.where, message=_ENDED.get(attempt.ended, ""), check=one.check, place=one.place
        )
        if attempt.ended is not Ended.ANSWERED:
            if one.check == "patterns-answer" and not one.asked.answer and attempt.ended is not Ended.ERROR:
                # A pattern may be there for what only a language model can do.
                told = {"level": "note", "message": "It is not answered without a language model."}
                return _with_answer(finding, attempt).model_copy(update=told)
            return _with_answer(finding, attempt)
        if not one.asked.answer or score_or_reason(case, attempt).verdict is TrialVerdict.RIGHT:
            return None
        expected = ", ".join(str(part) for part in one.asked.answer)
        message = f"Its answer is another one than {clip(expected, 80)}."
        return _with_answer(finding.model_copy(update={"message": message}), attempt)

    async def _gold(self, number: int, case: EvalCase, file: str) -> OntologyFinding | None:
        finding = OntologyFinding(
            where=f"gold question {case.id}", message="", check="gold-questions-are-right", place=(number,), file=file
        )
        try:
            attempt = await self._attempt(case)
            scored = score_or_reason(await with_gold_rows(case, self.agent.tools), attempt)
        except UsageError:
            return finding.model_copy(update={"message": "Its gold_sql does not run."})
        if scored.verdict is TrialVerdict.RIGHT:
            return None
        message = _ENDED.get(attempt.ended, "") if not scored.outcome else ""
        if attempt.ended is Ended.ANSWERED and not scored.outcome:
            message = f"It is answered, and should end {case.expected_outcome.value}."
        message = message or "Its answer is another one than the file says."
        return _with_answer(finding.model_copy(update={"message": message}), attempt)


def questions_of(ontology: OntologyDescriptor) -> Iterator[PlacedQuestion]:
    """Every example question: of the ontology itself, of measures and of patterns."""
    for lang, asked, place in _placed(ontology.questions, ()):
        yield PlacedQuestion("questions-are-answered", f"question {_short(asked)}", place, lang, asked)
    for number, entity in enumerate(ontology.entities):
        for at, measure in enumerate(entity.measures):
            for lang, asked, place in _placed(measure.questions, ("entities", number, "measures", at)):
                where = f"{entity.name}, measure {measure.name}, question {_short(asked)}"
                yield PlacedQuestion("measures-answer", where, place, lang, asked)
    for number, pattern in enumerate(ontology.canonical_patterns):
        for lang, asked, place in _placed(pattern.questions, ("canonicalPatterns", number)):
            where = f"pattern {pattern.intent}, question {_short(asked)}"
            yield PlacedQuestion("patterns-answer", where, place, lang, asked)


def _placed(questions: Questions, place: Place) -> Iterator[tuple[str, ExampleQuestion, Place]]:
    for lang, several in questions.items():
        for at, asked in enumerate(several):
            yield lang, asked, (*place, "questions", lang, at)


def _short(asked: ExampleQuestion) -> str:
    return f'"{clip(asked.question, 60)}"'


def _case(one: PlacedQuestion) -> EvalCase:
    """The question with what is expected of its answer, as the judge takes it."""
    answer = one.asked.answer
    figures = {
        f"figure {at}": ExpectedFigure(value=Decimal(part))
        for at, part in enumerate(answer)
        if isinstance(part, int | Decimal)
    }
    return EvalCase.model_construct(
        id="example",
        question=one.asked.question,
        lang=one.lang,
        expected_answer_numeric=figures,
        expected_answer_contains=tuple(part for part in answer if isinstance(part, str)),
    )


def _with_answer(finding: OntologyFinding, attempt: Attempt) -> OntologyFinding:
    said = clip(" ".join((attempt.text or attempt.error or "").split()), _LONGEST_ANSWER)
    return finding.model_copy(update={"example": {"answer": said}})
