"""The verdicts apart: by the way to the answer, by source, by kind of question."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from eval_samples import results, trial
from veracity.answer.answer import UnderstoodBy
from veracity.evals.breakdown import breakdown_table, groups_of
from veracity.evals.cases import EvalCase
from veracity.evals.records import Ended, Mode, Trial
from veracity.evals.report import report_markdown


def case(name: str, source: str | None = None, **more: Any) -> EvalCase:
    given = {"expectedAnswerContains": ["x"]} if "expectedOutcome" not in more else {}
    return EvalCase.model_validate({"id": name, "question": "x", "source": source, **given, **more})


def by(way: UnderstoodBy | None, made: Trial, **changes: Any) -> Trial:
    attempt = made.attempt.model_copy(update={"understood_by": way, **changes})
    return made.model_copy(update={"attempt": attempt})


CASES = (
    case("a", "shop"),
    case("b", "shop", unknownWords=True),
    case("c", "town", expectedOutcome="abstained"),
    case("d", "town", expectedOutcome="clarify"),
)
TRIALS = (
    by(UnderstoodBy.READER, trial("a", Mode.BOUND, 1, "r")),
    by(UnderstoodBy.MODEL, trial("b", Mode.BOUND, 1, "x")),
    by(UnderstoodBy.TOOLS, trial("c", Mode.BOUND, 1, "a"), ended=Ended.CLARIFY),
    by(None, trial("d", Mode.BOUND, 1, "t")),
)


def shown(grouping: str) -> dict[str, tuple[int, int, int, int]]:
    return {
        group.name: (group.right, group.wrong, group.not_answered, group.asked_back)
        for group in groups_of(CASES, TRIALS)
        if group.by == grouping
    }


def test_each_way_to_an_answer_is_counted_apart() -> None:
    assert shown("understood by") == {
        "reader": (1, 0, 0, 0),
        "model": (0, 1, 0, 0),
        "tools": (0, 0, 1, 1),
        "nothing": (0, 0, 1, 0),
    }


def test_sources_kinds_and_words_are_counted_apart() -> None:
    assert shown("source") == {"shop": (1, 1, 0, 0), "town": (0, 0, 2, 1)}
    assert shown("kind") == {"answerable": (1, 1, 0, 0), "unanswerable": (0, 0, 1, 1), "ambiguous": (0, 0, 1, 0)}
    assert shown("words") == {"known": (1, 0, 2, 1), "some unknown": (0, 1, 0, 0)}


def test_a_grouping_in_which_all_are_alike_is_left_out_but_for_the_way() -> None:
    assert {group.by for group in groups_of(CASES[:1], TRIALS[:1])} == {"understood by"}


def test_report_and_terminal_show_them() -> None:
    made = results({}, cases=CASES, trials=TRIALS, groups=groups_of(CASES, TRIALS))
    page = report_markdown(made)
    assert "| bound | model | 0 | **1** | 0 | 0 | 1 |" in page
    assert "- **reader**: the words of the question alone; no model was asked." in page
    assert "| bound | town | 0 | 0 | 2 | 1 | 2 |" in page
    table = breakdown_table(made)
    assert table is not None
    console = Console(width=100)
    with console.capture() as captured:
        console.print(table)
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["bound", "understood", "by:", "model", "0", "1", "0", "0", "1"] in lines


def test_results_of_before_have_no_groups_and_are_still_shown() -> None:
    old = results({Mode.BOUND: "r"})
    assert breakdown_table(old) is None
    assert "How the answers came about" not in report_markdown(old)
