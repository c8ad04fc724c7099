"""Evaluations as they come out of a run, made by hand: several modes, runs and languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from veracity.answer.answer import Tokens
from veracity.contracts import (
    QueryValidationError,
    ResultColumn,
    TableData,
    ToolCallLog,
    ValidationErrorCode,
    repair_counters,
)
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt, Ended, EvalResults, Mode, Score, Summary, Trial, TrialVerdict
from veracity.evals.summary import summarize

NASTY = (
    "a | b || c",
    "a \\| b \\\\| c \\",
    "`code` ``more`` ```fence",
    "first\nsecond\r\n\r\n# heading\n\n---\n- item\n| x | y |\n|---|---|",
    "<script>alert(1)</script><img src=x onerror=alert(1)> <!-- hidden --> &lt;b&gt; ]]>",
    "![x](http://evil.example/pixel.png) [click](javascript:alert(1)) <http://evil.example> http://evil.example www.evil.example",
    "mail me@evil.example @somebody #12 :smile: $x$ ~~gone~~ **bold** _it_ [^1] {{ r1[0].x }}",
    "שלום \u202egnp.exe\u202c עולם",
    "bell \x07 escape \x1b[31mred\x1b[0m null \x00 \ufffe \x85 \u2028",
    "x" * 50_000,
    "[bold red]rich[/bold red] [/]",
    "",
    "   ",
)

CASES = (
    EvalCase.model_validate(
        {
            "id": "q01",
            "question": "Was ist der Banksaldo per 31.12.2025?",
            "expectedToolPattern": {
                "tool": "queryTable",
                "tableName": "TrusteeDataAccountBalance",
                "requiredFilters": ["periodYear=2025", "periodMonth=0", "accountNumber LIKE 102%"],
            },
            "forbiddenTools": ["aggregateTable"],
            "expectedAnswerContains": ["1020", "CHF"],
            "expectedAnswerNumeric": {"1020.closingBalance": 152400.00, "1021.closingBalance": 28100.00},
        }
    ),
    EvalCase.model_validate(
        {"id": "q02", "question": "Wie hoch ist der Aufwand für Löhne?", "expectedRows": [["5000", 1200.5]]}
    ),
    EvalCase.model_validate(
        {"id": "q03", "question": "How many customers are there?", "goldSql": "SELECT count(*) FROM c"}
    ),
    EvalCase.model_validate(
        {"id": "q04", "question": "2025年的咨询收入是多少？", "expectedAnswerNumeric": {"revenue": 98000}}
    ),
    EvalCase.model_validate(
        {"id": "q05", "question": "Wie wird das Wetter in Zürich?", "expectedOutcome": "abstained"}
    ),
    EvalCase.model_validate({"id": "q06", "question": "Und der Umsatz?", "expectedOutcome": "clarify"}),
)

CODES = dict(zip("raxteu", TrialVerdict, strict=True))
"""r right, a abstained, x wrong, t timeout, e error, u unjudged."""


def trial(case_id: str, mode: Mode, run: int, letter: str, *, text: str | None = None, **score: Any) -> Trial:
    """One run of a question that ended like this."""
    verdict = CODES[letter]
    ended = {"a": Ended.ABSTAINED, "t": Ended.TIMEOUT, "e": Ended.ERROR}.get(letter, Ended.ANSWERED)
    refused = mode not in (Mode.BASELINE, Mode.HINTS)
    calls = [
        ToolCallLog(round=1, tool="aggregateTable", success=False, validation_failure_code=code, error="no")
        for code in [ValidationErrorCode.INVALID_AGGREGATE_TARGET][: 1 if refused else 0]
    ]
    calls.append(ToolCallLog(round=2, tool="queryTable", arguments={"tableName": "T"}, result_id="r1", row_count=1))
    rows = TableData(
        result_id="r1",
        table_name="T",
        columns=(ResultColumn(name="n", type="integer"),),
        rows=({"n": 1},),
        row_count=1,
        truncated=False,
    )
    attempt = Attempt(
        ended=ended,
        text=(f"Der Saldo beträgt 152'400.00 CHF ({letter})." if ended is Ended.ANSWERED else "")
        if text is None
        else text,
        calls=tuple(calls),
        results=(rows,),
        refusals=(QueryValidationError(code=ValidationErrorCode.QUESTION_NOT_COVERED, hint="Kunden"),)
        if mode is Mode.BOUND
        else (),
        counters=repair_counters(calls),
        rounds=2,
        tokens=Tokens(prompt=1_000, input=2_000, output=50),
        seconds=10.0 + run,
        error={"t": "It was stopped after 60 s.", "e": "The model cannot be reached."}.get(letter),
    )
    reasons = () if verdict is TrialVerdict.RIGHT else ("The answer says 12, expected is 152400",)
    judged = {
        "outcome": verdict is TrialVerdict.RIGHT,
        "reasons": reasons,
        "false_refusal": letter == "a",
        "pattern": letter == "r",
        **score,
    }
    return Trial(
        case_id=case_id,
        mode=mode,
        run=run,
        fingerprint="f",
        attempt=attempt,
        score=Score(verdict=verdict, **judged),
    )


def summary(mode: Mode, trials: Sequence[Trial], **changes: Any) -> Summary:
    """What these trials come to, but for the changes."""
    return summarize(mode, trials).model_copy(update=changes)


def results(
    verdicts: Mapping[Mode, Sequence[str]],
    *,
    cases: Sequence[EvalCase] = CASES,
    trials: Iterable[Trial] = (),
    **changes: Any,
) -> EvalResults:
    """An evaluation; per mode and question a letter for every run, such as `{Mode.BOUND: ["rrx", ...]}`."""
    made = [
        trial(case.id, mode, run, letter)
        for mode, ends in verdicts.items()
        for case, letters in zip(cases, ends, strict=False)
        for run, letter in enumerate(letters, 1)
    ]
    made = [*made, *trials]
    modes = tuple(dict.fromkeys([*verdicts, *(each.mode for each in made)]))
    runs = max((each.run for each in made), default=1)
    grouped = {mode: [each for each in made if each.mode is mode] for mode in modes}
    fields: dict[str, Any] = {
        "veracity": "0.1.0",
        "model": "qwen2.5-coder-1.5b",
        "source": "trustee-v1.duckdb",
        "questions": "trustee.yaml",
        "command": "veracity eval --model http://127.0.0.1:8181/v1 --runs 3",
        "started_at": datetime(2026, 11, 15, 11, 50, tzinfo=UTC),
        "machine": "Linux x86_64, 2 cores, Python 3.11.9",
        "runs": runs,
        "cases": tuple(cases),
        "modes": modes,
        "trials": tuple(made),
        "summaries": tuple(summary(mode, found) for mode, found in grouped.items() if found),
        "complete": len(made) == len(cases) * len(modes) * runs,
    }
    return EvalResults(**{**fields, **changes})


FIVE_MODES = {
    Mode.BASELINE: ["xxr", "xxx", "ttx", "xax", "xxx", "xxx"],
    Mode.HINTS: ["xrr", "xxx", "etx", "rrr", "xxx", "xxa"],
    Mode.VALIDATOR: ["rrr", "xra", "aar", "rrr", "xxx", "aaa"],
    Mode.ONTOLOGY: ["rrr", "rrr", "rrr", "rxr", "rrr", "aar"],
    Mode.BOUND: ["rrr", "rrr", "rrr", "aaa", "rrr", "rrr"],
}
