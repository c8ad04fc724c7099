"""The strategies of skills without a model: a request is taken apart, each part is read from its words and answered with its proof.

rewoo        plans a query per part, then runs the plan
goal_driven  takes each part as a goal, and holds bounds ("above 1'000'000", "higher than the costs") against results
reflexion    holds a draft against its rows, and mends one that found nothing with the nearest period that has some
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any, Literal

from veracity.answer.answer import Outcome
from veracity.answer.render import FigureProvenance
from veracity.ask.meaning import MeaningReader
from veracity.ask.settled import SettledMeaning
from veracity.ask.understood import UnderstoodQuestion
from veracity.language.folding import fold
from veracity.language.numbers import find_figures
from veracity.language.periods import periods_of
from veracity.language.texts import say
from veracity.semantic.query_values import QueryPeriod
from veracity.skills.request_parts import GoalBound, bound_of, is_qualifying, pieces_of, ways_to_read

StrategyWithoutModel = Literal["rewoo", "goal_driven", "reflexion"]
_YEARS_BACK = 10
_LONGEST_UNIT = 3
"""Characters behind a limit; more is another thing to ask for."""
_COMPARED: dict[str, Callable[[Decimal, Decimal], bool]] = {">": gt, "<": lt, ">=": ge, "<=": le}


@dataclass(frozen=True, slots=True)
class _AskedPart:
    """A part of a request and what it came to."""

    asked: str
    settled: SettledMeaning | None
    """None where it is not understood."""
    period: str = ""
    """The period that another part of the request names, where this one names none."""
    reason: str = ""
    """Why there is no answer."""

    @property
    def is_answered(self) -> bool:
        return self.settled is not None


@dataclass(slots=True)
class _ProvenText:
    """An answer of several pieces, each with its proof."""

    text: str = ""
    provenance: list[FigureProvenance] = field(default_factory=list)

    def add(self, line: str, proof: Sequence[FigureProvenance] = ()) -> None:
        """A line more; the places of its figures move with it."""
        start = len(self.text) + 1 if self.text else 0
        self.text += ("\n" if self.text else "") + line
        for one in proof:
            span = (one.span[0] + start, one.span[1] + start)
            self.provenance.append(one.model_copy(update={"span": span}))


@dataclass(slots=True)
class StrategyReader:
    """Answers one request of a skill by the skill's strategy, from its words."""

    meaning: MeaningReader
    question: UnderstoodQuestion
    first: int
    """The number of the next result."""
    is_complete: bool = False
    """Whether every part of the request was answered, and nothing is left that a model could add: a goal without a bound may want a report."""

    async def answer(self, strategy: StrategyWithoutModel) -> SettledMeaning | None:
        """What the request comes to; None where the strategy has nothing to add to a plain reading."""
        if strategy == "reflexion":
            return await self._reflected()
        request = self.question.question
        bound = bound_of(request) if strategy == "goal_driven" else None
        spans = pieces_of(request)
        if bound is None and len(spans) == 1 and len(list(ways_to_read(request))) == 1:
            return None
        whole = await self._settle(request)
        if whole is not None and (_is_answer(whole) or whole.outcome is Outcome.CLARIFY):
            return None  # it is one question, and it is answered or asked back as such
        parts = await self._parts(request, spans, goals=strategy == "goal_driven")
        if len(parts) == 1 and not isinstance(parts[0], _Goal):
            return parts[0].settled  # one question behind words that only ask, or None
        if not any(part.is_answered for part in parts):
            return None
        checked = strategy == "rewoo" or all(isinstance(part, _Goal) for part in parts)
        self.is_complete = checked and all(part.is_answered for part in parts)
        return self._planned(parts) if strategy == "rewoo" else self._goals(parts)

    # --- parts

    async def _parts(self, request: str, spans: Sequence[tuple[int, int]], *, goals: bool) -> list[_AskedPart | _Goal]:
        """The request in as few parts as are understood; a piece that no part holds is a part that is not."""
        found: list[_AskedPart | _Goal] = []
        at = 0
        while at < len(spans):
            for end in range(len(spans), at, -1):
                text = request[spans[at][0] : spans[end - 1][1]]
                part: _AskedPart | _Goal = await self._part(text)
                if goals and not part.is_answered:
                    part = await self._goal(text) or part
                if not part.is_answered and end > at + 1:
                    continue
                if found and not part.is_answered and is_qualifying(part.asked):
                    # What it says of the part before it is not understood: that part is not, either.
                    before = found.pop()
                    part = _AskedPart(f"{before.asked}, {part.asked}", None, reason=part.reason)
                found.append(part)
                at = end
                break
        return found

    async def _part(self, text: str) -> _AskedPart:
        reason = ""
        for way in ways_to_read(text):
            settled = await self._settle(way)
            named = self._periods_in(way)
            other = "" if named else self._period_beside(way)
            if other and (settled is None or settled.outcome is not Outcome.ABSTAINED or settled.query is not None):
                carried = await self._settle(f"{way} {other}")
                if carried is not None and _is_answer(carried):
                    return self._numbered(_AskedPart(way, carried, other))
            if settled is not None and _is_answer(settled):
                return self._numbered(_AskedPart(way, settled))
            reason = reason or (settled.text if settled is not None else "")
        return _AskedPart(text.strip(), None, reason=reason)

    async def _settle(self, text: str) -> SettledMeaning | None:
        asked = replace(self.question, question=text, before=None)
        return await self.meaning.settle(asked, f"r{self.first}", offers={})

    def _numbered(self, part: _AskedPart) -> _AskedPart:
        """The part; the results of the next one have other numbers."""
        assert part.settled is not None
        self.first += len(part.settled.results)
        return part

    def _periods_in(self, text: str) -> list[str]:
        folded = fold(text)
        places = (folded.origin(one.start, one.end) for one in periods_of(folded.text, self.question.today))
        return [text[start:end] for start, end in places]

    def _period_beside(self, part: str) -> str:
        """The period of the rest of the request, where it names one only."""
        rest = self.question.question.replace(part, " ", 1)
        named = list(dict.fromkeys(self._periods_in(rest)))
        return named[0] if len(named) == 1 else ""

    # --- rewoo

    def _planned(self, parts: Sequence[_AskedPart | _Goal]) -> SettledMeaning:
        lang, written = self.question.lang, _ProvenText()
        plan = "; ".join(f"«{part.asked}»" for part in parts)
        written.add(say("strategy_plan", lang, count=len(parts), parts=plan))
        for part in parts:
            self._add(written, part)
        done = sum(part.is_answered for part in parts)
        written.add(say("strategy_collected", lang, done=done, count=len(parts)))
        return self._settled(parts, written)

    def _add(self, written: _ProvenText, part: _AskedPart | _Goal) -> None:
        lang = self.question.lang
        if isinstance(part, _AskedPart) and part.settled is not None:
            written.add(part.settled.text, part.settled.provenance)
            if part.period:
                written.add(say("strategy_period", lang, part=part.asked, period=part.period))
        else:
            written.add(say("strategy_open", lang, part=part.asked, reason=part.reason).strip())

    def _settled(self, parts: Sequence[_AskedPart | _Goal], written: _ProvenText) -> SettledMeaning:
        settled = [part.settled for part in parts if isinstance(part, _AskedPart) and part.settled is not None]
        read = [one.read_back for one in settled]
        return SettledMeaning(
            Outcome.ANSWERED,
            written.text,
            read_back="; ".join(one for one in read if one) or None,
            provenance=tuple(written.provenance),
            results=tuple(result for one in settled for result in one.results),
        )

    # --- goals

    async def _goal(self, text: str) -> _Goal | None:
        """A part that sets a bound, with what it is held against; None where it sets none or one side has no figure."""
        bound = bound_of(text)
        if bound is None:
            return None
        what = await self._part(bound.what)
        figures = find_figures(bound.than, self.question.locale)
        unit = bound.than.replace(figures[0].text, "").strip() if figures else ""
        if not figures or len(unit) > _LONGEST_UNIT:
            return _goal_of(text.strip(), bound, what, await self._part(bound.than))
        # A year is no limit, a share is none of an amount, and a figure that can be read in two ways is none at all.
        if self._periods_in(bound.than) or figures[0].percent or len(figures[0].readings) != 1:
            return None
        return _goal_of(text.strip(), bound, what, (unit, figures[0].readings[0]))

    def _goals(self, parts: Sequence[_AskedPart | _Goal]) -> SettledMeaning:
        lang, written = self.question.lang, _ProvenText()
        reached = sum(isinstance(part, _Goal) and part.reached is True for part in parts)
        answered = sum(part.is_answered for part in parts if isinstance(part, _AskedPart))
        for number, part in enumerate(parts, 1):
            written.add(say("goal_step", lang, number=number, part=part.asked))
            if isinstance(part, _Goal) and part.is_answered:
                for side in part.sides:
                    self._add(written, side)
                written.add(say("goal_reached" if part.reached else "goal_missed", lang))
            else:
                self._add(written, part)
        checked = [part for part in parts if isinstance(part, _Goal) and part.is_answered]
        opened = sum(not part.is_answered for part in parts)
        written.add(say("goal_conclusion", lang, reached=reached, checked=len(checked), answered=answered, open=opened))
        sides = [side for part in parts for side in (part.sides if isinstance(part, _Goal) else (part,))]
        return self._settled(sides, written)

    # --- reflexion

    async def _reflected(self) -> SettledMeaning | None:
        """A draft that found nothing in its year, mended with the nearest year before it that has rows."""
        draft = await self._settle(self.question.question)
        if draft is None or draft.query is None or draft.outcome is not Outcome.ABSTAINED:
            return None
        named = [one for one in self._periods_in(self.question.question) if one.isdigit()]
        if len(named) != 1:
            return None
        lang, year = self.question.lang, int(named[0])
        for earlier in range(min(year - 1, self.question.today.year), year - 1 - _YEARS_BACK, -1):
            query = draft.query.model_copy(update={"period": QueryPeriod.model_validate(str(earlier))})
            asked = replace(self.question, before=None)
            mended = await self.meaning.settle(asked, f"r{self.first}", offers={asked.question.strip(): query})
            if mended is not None and mended.outcome is Outcome.ANSWERED:
                written = _ProvenText()
                written.add(say("reflexion_draft", lang, draft=draft.text))
                written.add(say("reflexion_critique", lang, year=named[0], earlier=earlier))
                written.add(mended.text, mended.provenance)
                self.is_complete = True
                return replace(mended, text=written.text, provenance=tuple(written.provenance))
        return None


@dataclass(frozen=True, slots=True)
class _Goal:
    """A bound held against results."""

    asked: str
    sides: tuple[_AskedPart, ...]
    reached: bool | None
    """None where a side has no figure of its own."""
    reason: str = ""

    @property
    def is_answered(self) -> bool:
        return self.reached is not None


def _goal_of(asked: str, bound: GoalBound, what: _AskedPart, than: _AskedPart | tuple[str, Decimal]) -> _Goal | None:
    """A bound, held against another part or against a figure with its unit, where both are of one kind."""
    one = _figure_of(what)
    if one is None:
        return None
    if isinstance(than, _AskedPart):
        other = _figure_of(than)
        if other is None or one[0] != other[0]:
            return None
        return _Goal(asked, (what, than), _COMPARED[bound.operator](one[1], other[1]))
    unit, limit = than
    if unit and unit not in one[0].values():
        return None
    return _Goal(asked, (what,), _COMPARED[bound.operator](one[1], limit))


def _figure_of(part: _AskedPart) -> tuple[dict[str, Any], Decimal] | None:
    """The one figure of a part, and what stands beside it, such as its currency."""
    if part.settled is None or not part.settled.results:
        return None
    rows = part.settled.results[0][0].data.rows
    if len(rows) != 1:
        return None
    figures = {name: cell for name, cell in rows[0].items() if isinstance(cell, Decimal | int) and cell is not True}
    if len(figures) != 1:
        return None
    return {name: cell for name, cell in rows[0].items() if name not in figures}, Decimal(next(iter(figures.values())))


def _is_answer(settled: SettledMeaning) -> bool:
    """Whether a part is answered, if only with the statement that there is nothing."""
    return settled.outcome is Outcome.ANSWERED or (settled.outcome is Outcome.ABSTAINED and settled.query is not None)
