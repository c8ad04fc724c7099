"""The verdicts of an evaluation apart: how each answer came about, which source it is about, and what kind of question it was.

What a reader or a pattern did is no merit of a model; this is where they are told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from veracity.evals.cases import EvalCase
from veracity.evals.records import Ended, EvalResults, Mode, Trial, TrialGroup, TrialVerdict
from veracity.evals.writing import escaped, heading, short, table, terminal_table

if TYPE_CHECKING:
    from rich.table import Table

UNDERSTOOD_BY, SOURCE, KIND, WORDS = "understood by", "source", "kind", "words"
_NO_DATA = "nothing"
"""The way of answers that needed no data, and of questions that broke off."""
_MEANING = {
    "reader": "the words of the question alone; no model was asked",
    "model": "a model said what is meant, as a semantic query; the program checked, ran and worded it",
    "pattern": "a model was shown the call of a pattern near the question",
    "tools": "a model chose the calls itself",
    _NO_DATA: "no data was used, or the question broke off",
}
_HEADINGS = ("right", "wrong", "not answered", "asked back", "of")


def groups_of(cases: Sequence[EvalCase], trials: Sequence[Trial]) -> tuple[TrialGroup, ...]:
    """Every group of trials, by mode; a grouping in which all are alike says nothing, but for the way."""
    asked = {case.id: case for case in cases}
    names: dict[str, Callable[[Trial], str]] = {
        UNDERSTOOD_BY: lambda trial: trial.attempt.understood_by or _NO_DATA,
        SOURCE: lambda trial: asked[trial.case_id].source or "",
        KIND: lambda trial: asked[trial.case_id].kind,
        WORDS: lambda trial: "some unknown" if asked[trial.case_id].unknown_words else "known",
    }
    found: list[TrialGroup] = []
    for mode in dict.fromkeys(trial.mode for trial in trials):
        own = [trial for trial in trials if trial.mode is mode]
        for by, name in names.items():
            if by == UNDERSTOOD_BY or len(set(map(name, trials))) > 1:
                found += _grouped(mode, by, own, name)
    return tuple(found)


def _grouped(mode: Mode, by: str, trials: Sequence[Trial], name: Callable[[Trial], str]) -> Iterator[TrialGroup]:
    for each in dict.fromkeys(map(name, trials)):
        own = [trial for trial in trials if name(trial) == each]
        verdicts = [trial.score.verdict for trial in own]
        right, wrong = verdicts.count(TrialVerdict.RIGHT), verdicts.count(TrialVerdict.WRONG)
        back = [
            one for one in own if one.attempt.ended is Ended.CLARIFY and one.score.verdict is TrialVerdict.ABSTAINED
        ]
        yield TrialGroup(
            mode=mode,
            by=by,
            name=each,
            trials=len(own),
            right=right,
            wrong=wrong,
            not_answered=len(own) - right - wrong,
            asked_back=len(back),
        )


def breakdown_page(results: EvalResults) -> Iterator[str]:
    """The part of a report that tells them apart."""
    titles = {
        UNDERSTOOD_BY: "How the answers came about",
        SOURCE: "By source",
        KIND: "By kind of question",
        WORDS: "By words",
    }
    for by, title in titles.items():
        own = [group for group in results.groups if group.by == by]
        if not own:
            continue
        yield from heading(title)
        rows = ([group.mode, escaped(group.name, 80), *_cells(group, bold=True)] for group in own)
        yield from table(("mode", by, *_HEADINGS), rows, right=range(2, 7))
        if by == UNDERSTOOD_BY:
            ways = dict.fromkeys(group.name for group in own)
            yield from (*(f"- **{way}**: {_MEANING.get(way, '')}." for way in ways), "")


def breakdown_table(results: EvalResults) -> Table | None:
    """The same for a terminal; None where there is nothing to tell apart."""
    if not results.groups:
        return None
    rows = ([f"{one.mode}  {one.by}: {short(one.name, 40)}", *_cells(one)] for one in results.groups)
    return terminal_table(("mode", *_HEADINGS), rows, red=("wrong",))


def _cells(group: TrialGroup, *, bold: bool = False) -> list[str]:
    wrong = f"**{group.wrong}**" if bold and group.wrong else str(group.wrong)
    return [str(group.right), wrong, str(group.not_answered), str(group.asked_back), str(group.trials)]
