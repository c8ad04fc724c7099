"""A model that reads along: several requirements at a time, and what it did not read is said."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from veracity.cli.options import building
from veracity.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable

    from veracity.llm.provider import RemoteModel
    from veracity.requirements.contracts import Judged, ModelReading, RuleSettings

_AT_ONCE = 4
"""Requirements that a model reads at the same time."""
_MOST_FAILED = 8
"""Requests that fail one after the other; then the model is taken to be away, and the rest is not sent."""
_MOST_NAMED = 5


def read_along(judged: Sequence[Judged], spec: str, settings: RuleSettings) -> tuple[list[Judged], list[str]]:
    """The findings with what a model says to them, and what is to be said about those that it did not read.

    Raises `ModelError` when it read none.
    """
    from veracity.llm.provider import chosen_model

    model = chosen_model(spec)
    with building("the model reads", "requirements") as step:
        reader = _Reader(model, settings, lambda done: step(done, len(judged)))
        read = asyncio.run(reader.all_of(judged))
    if reader.problem is not None and not any(one.model in ("read", "unreadable") for one in read):
        raise reader.problem
    return read, _notes(read, reader.problem)


@dataclass(slots=True)
class _Reader:
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
        from veracity.requirements.second_reading import second_reading

        if self._failed < _MOST_FAILED:
            try:
                read = await second_reading(given, self.model, settings=self.settings)
            except ModelError as problem:
                self.problem, self._failed = self.problem or problem, self._failed + 1
            else:
                self._failed = 0
                return read
        return given.model_copy(update={"model": "not_read"})


def _notes(read: Sequence[Judged], problem: ModelError | None) -> list[str]:
    why = f": {str(problem).rstrip('.')}" if problem is not None else ""
    told: tuple[tuple[ModelReading, str], ...] = (
        ("not_read", f"The model did not read {{which}}{why}. There, only the rules have spoken."),
        ("unreadable", "What the model said to {which} could not be understood. There, only the rules have spoken."),
    )
    return [
        sentence.replace("{which}", which) for state, sentence in told if (which := _which(read, state)) is not None
    ]


def _which(read: Sequence[Judged], state: ModelReading) -> str | None:
    """The requirements of a state: how many of how many, and the first of them by name."""
    names = [one.requirement.id for one in read if one.model == state]
    if not names:
        return None
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return f"{len(names):,} of {len(read):,} requirements ({', '.join(names[:_MOST_NAMED])}{more})"
