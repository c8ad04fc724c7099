"""The requirements of documents that do not pass, rewritten: by a model side by side, with the user's answers one after the other.

judge     every requirement; those that pass stay as they are
word      a first wording of each of the others, several at a time
ask       what is missing, one question after the other; what nobody answers stays open
text      what may be written into the document: nothing that nobody stated or confirmed
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from veracity.agent.loop import Limits, Model
from veracity.errors import ModelError
from veracity.requirements.contracts import Assumption, Evaluation, Judged, Lang, Place, Record, Rewrite, RuleSettings
from veracity.requirements.evaluate import DEFAULT_SETTINGS, judge
from veracity.requirements.improve import first_wording, improve_requirement, rewrite_with_open_slots
from veracity.requirements.reading import RequirementDocument
from veracity.requirements.skeleton import Wording
from veracity.requirements.writing import statement_of

AskAbout = Callable[[Judged, Assumption], Awaitable[str | None]]
"""Puts a question about a requirement to the user; None when nobody answers."""
Step = Callable[[int, int], None]
"""Told how many of how many are worded."""


class Improved(Record):
    """A requirement that did not pass, and what became of it."""

    id: str
    place: Place
    before: Evaluation
    rewrite: Rewrite
    text: str | None = None
    """What may be written in its place; None: it stays as it is."""
    without_model: str | None = None
    """Why the model did not word it, and it has open slots instead; None when it did, or when there is none."""


@dataclass(frozen=True, slots=True)
class _Worded:
    """A first wording, and why it is not the model's when it should be."""

    wording: Wording
    problem: ModelError | None = None


@dataclass(frozen=True, slots=True)
class Rewriter:
    """How requirements are rewritten, and who is asked."""

    model: Model | None = None
    """None: skeletons with open slots."""
    settings: RuleSettings = DEFAULT_SETTINGS
    ask: AskAbout | None = None
    answers: Callable[[str], Mapping[str, str]] = lambda _id: {}
    """What the user has said already about the requirement of an id, by question."""
    asked_in: Lang | None = None
    with_slots: bool = False
    """Whether a text with open slots may be written."""
    concurrency: int = 8
    limits: Limits | None = None
    step: Step = field(default=lambda _done, _total: None)

    async def improve(self, documents: Sequence[RequirementDocument]) -> tuple[Improved, ...]:
        """All requirements below the pass mark, in their order."""
        failing = [
            (judged, statement)
            for document in documents
            for judged in (judge(one, self.settings) for one in document.requirements)
            if judged.evaluation.verdict == "fail" and (statement := statement_of(document, judged.requirement)).strip()
        ]
        wordings = await self._wordings(failing)
        return tuple([await self._improved(*one, wording) for one, wording in zip(failing, wordings, strict=True)])

    async def _wordings(self, failing: Sequence[tuple[Judged, str]]) -> list[_Worded]:
        gate, done = asyncio.Semaphore(max(1, self.concurrency)), 0

        async def one(judged: Judged, text: str) -> _Worded:
            nonlocal done
            async with gate:
                worded = await self._worded(judged, text)
            done += 1
            self.step(done, len(failing))
            return worded

        found = await asyncio.gather(*(one(*pair) for pair in failing))
        if found and all(one.problem is not None for one in found):
            # Nothing is lost by saying so at once: the model worded none of them.
            raise found[0].problem or ModelError("The model cannot be used.")
        return found

    async def _worded(self, judged: Judged, text: str) -> _Worded:
        """A wording; where the model fails, one with open slots, so that what it has done for others is not lost."""
        word = partial(
            first_wording,
            text,
            answers=self.answers(judged.requirement.id),
            settings=self.settings,
            lang=judged.requirement.lang,
            limits=self.limits,
        )
        try:
            return _Worded(await word(model=self.model))
        except ModelError as problem:
            return _Worded(await word(model=None), problem)

    async def _improved(self, judged: Judged, text: str, worded: _Worded) -> Improved:
        wording = worded.wording
        requirement, known = judged.requirement, dict(self.answers(judged.requirement.id))

        async def ask(assumption: Assumption) -> str | None:
            answer = await self.ask(judged, assumption) if self.ask is not None else None
            if answer is not None and answer.strip():
                known[assumption.question] = answer
            return answer

        made = await improve_requirement(
            text,
            ask,
            answers=self.answers(requirement.id),
            settings=self.settings,
            lang=requirement.lang,
            wording=wording,
            name=requirement.id,
            asked_in=self.asked_in,
        )
        return Improved(
            id=requirement.id,
            place=requirement.place,
            before=judged.evaluation,
            rewrite=made,
            text=self._text_to_write(made, text, wording, known, requirement.lang),
            without_model=str(worded.problem) if worded.problem is not None else None,
        )

    def _text_to_write(
        self, made: Rewrite, text: str, wording: Wording, known: Mapping[str, str], lang: Lang | None
    ) -> str | None:
        """What may stand in a document: an accepted rewrite; if wanted, one with a slot for all that is not known."""
        if made.status == "accepted":
            return made.corrected_text
        if made.status == "rejected" or not self.with_slots:
            return None
        found = rewrite_with_open_slots(text, wording, known, settings=self.settings, lang=lang, asked_in=self.asked_in)
        return found.corrected_text if found is not None else None
