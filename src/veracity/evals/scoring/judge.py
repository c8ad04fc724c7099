"""The judgement of an attempt: one function per criterion, and the verdict that they come to.

Figures are compared by value and unit, within the precision that they are written with, and never as digits in a text. An
answer is right when it says all that is expected, each figure with its row, and no figure that nothing supports.
How the model got there (the calls it made) is judged apart and never changes the verdict.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Context, localcontext

from veracity.answer.answer import Outcome
from veracity.contracts import clip
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt, Ended, Score, TrialVerdict
from veracity.evals.scoring.calls import unmet_pattern
from veracity.evals.scoring.expected_figures import figures_saying, unsaid_figures
from veracity.evals.scoring.page import MOST_TEXT, JudgedPage
from veracity.evals.scoring.rows import problem_with_rows
from veracity.evals.scoring.support import unlabelled, unsupported
from veracity.evals.scoring.trial import JudgedTrial
from veracity.language.currencies import CURRENCIES

_MOST_REASONS = 8
_REASON_LENGTH = 200
_ARITHMETIC = Context(prec=80, traps=[])
"""Large enough for any figure; an odd number is NaN and not an exception."""


@dataclass(frozen=True, slots=True)
class JudgeFinding:
    """What a criterion came to; `met` is None where the question expects nothing of the kind."""

    met: bool | None
    reasons: tuple[str, ...] = ()


Criterion = Callable[[JudgedTrial], JudgeFinding]
NOTHING = JudgeFinding(None)
_NO_ANSWER = JudgeFinding(False)


# --- how it got there


def pattern(judged: JudgedTrial) -> JudgeFinding:
    """A successful call has the tool, the table and the filters that were expected."""
    wanted = judged.case.expected_tool_pattern
    lacking = None if wanted is None else unmet_pattern(wanted, judged.attempt.calls)
    return NOTHING if lacking is None else JudgeFinding(not lacking, lacking)


def forbidden(judged: JudgedTrial) -> JudgeFinding:
    """No forbidden tool was called successfully."""
    names = {name.casefold() for name in judged.case.forbidden_tools}
    if not names:
        return NOTHING
    called = dict.fromkeys(call.tool for call in judged.attempt.calls if call.success and call.tool.casefold() in names)
    return JudgeFinding(not called, tuple(f"called {name}, which is forbidden here" for name in called))


def repair(judged: JudgedTrial) -> JudgeFinding:
    """Every refused call was followed in the next round by a different, valid one."""
    counters = judged.attempt.counters
    if not counters.validation_failures:
        return NOTHING
    return JudgeFinding(counters.conversions >= counters.validation_failures)


# --- what it says


def contains(judged: JudgedTrial) -> JudgeFinding:
    """The text has every expected piece: folded, digits as whole numbers, a currency in any of its names."""
    wanted = judged.case.expected_answer_contains
    if not wanted or not judged.answered:
        return _NO_ANSWER if wanted else NOTHING
    folded = JudgedPage(_folded(judged.attempt.text), judged.attempt.locale)
    lacking = [text for text in wanted if not _is_in(judged.page, folded, text)]
    return JudgeFinding(not lacking, tuple(f"does not say {clip(text, 60)}" for text in lacking))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text[:MOST_TEXT]).casefold().split())


def _is_in(page: JudgedPage, folded: JudgedPage, text: str) -> bool:
    wanted = _folded(text)
    if CURRENCIES.get(wanted) in page.currencies:
        return True
    if any(char.isdecimal() for char in (wanted[:1], wanted[-1:])):
        return bool(folded.tokens(wanted)) or bool(page.places(text))
    return wanted in folded.text


def numeric(judged: JudgedTrial) -> JudgeFinding:
    """Every expected figure is said, with its unit and with its row."""
    expected = judged.case.expected_answer_numeric
    if not expected or not judged.answered:
        return _NO_ANSWER if expected else NOTHING
    reasons = unsaid_figures(judged)
    return JudgeFinding(not reasons, tuple(reasons))


def rows(judged: JudgedTrial) -> JudgeFinding:
    """Every expected row is said and no other; of many rows, the text may show a part."""
    expected = judged.case.expected_rows
    if expected is None or not judged.answered:
        return NOTHING if expected is None else _NO_ANSWER
    problem = problem_with_rows(judged.page, expected, judged.attempt.results, judged.question)
    return JudgeFinding(problem is None, (problem,) if problem else ())


def supported(judged: JudgedTrial) -> JudgeFinding:
    """No figure is made up, and none that comes with the answer is left without saying what it is."""
    if not judged.answered or judged.case.expected_outcome is not Outcome.ANSWERED:
        return NOTHING
    invented = unsupported(judged.page, judged.known)
    if invented:
        return JudgeFinding(False, tuple(f"says {clip(one.text, 40)}, which nothing supports" for one in invented[:3]))
    answers = figures_saying(judged.page, *judged.known.expected)
    bare = unlabelled(judged.page, judged.known, answers) if answers else []
    return JudgeFinding(not bare, tuple(f"says {clip(one.text, 40)} without saying what it is" for one in bare[:1]))


def outcome(judged: JudgedTrial) -> JudgeFinding:
    """It ended as expected."""
    return JudgeFinding(judged.ended.value == judged.case.expected_outcome.value, tuple(_ending(judged)))


def _ending(judged: JudgedTrial) -> Iterator[str]:
    attempt, ended = judged.attempt, judged.ended
    expected = judged.case.expected_outcome
    why = clip(attempt.error or attempt.text or "no reason given", 120)
    if ended is Ended.TIMEOUT:
        yield f"ran out of time after {attempt.seconds:.0f} s"
    elif ended is Ended.ERROR:
        yield f"failed: {why}"
    elif ended is Ended.ANSWERED and not judged.readable:
        yield "says nothing" if not attempt.text.strip() else "left an expression in the text"
    elif ended.value == expected.value:
        return
    elif ended is Ended.ANSWERED:
        wanted = "asked back" if expected is Outcome.CLARIFY else "abstained"
        yield f"answered, where it should have {wanted}"
    else:
        yield f"{_SPOKEN[ended]}: {why}"


_SPOKEN = {Ended.ABSTAINED: "abstained", Ended.CLARIFY: "asked back", Ended.BLOCKED: "was blocked"}

CRITERIA: tuple[Criterion, ...] = (outcome, numeric, contains, rows, supported, pattern, forbidden, repair)
_ANSWER = (numeric, contains, rows, supported)


# --- the verdict


def score(case: EvalCase, attempt: Attempt) -> Score:
    """The whole judgement of an attempt. `gold_sql` was run before; its rows are the expected rows."""
    judged = JudgedTrial(case, attempt)
    with localcontext(_ARITHMETIC):
        found = {criterion: criterion(judged) for criterion in CRITERIA}
        verdict = _verdict(judged, all(found[criterion].met is not False for criterion in _ANSWER))
    reasons = dict.fromkeys(clip(text, _REASON_LENGTH) for one in found.values() for text in one.reasons)
    return Score(
        verdict=verdict,
        false_refusal=verdict is TrialVerdict.ABSTAINED and case.expected_outcome is Outcome.ANSWERED,
        outcome=found[outcome].met is True,
        pattern=found[pattern].met,
        forbidden=found[forbidden].met,
        numeric=found[numeric].met,
        contains=found[contains].met,
        rows=found[rows].met,
        repair=found[repair].met,
        reasons=tuple(reasons)[:_MOST_REASONS],
    )


def score_or_reason(case: EvalCase, attempt: Attempt) -> Score:
    """The judgement of an attempt; where the judge itself fails, a score that says so: it costs this one trial."""
    try:
        return score(case, attempt)
    except Exception as error:  # noqa: BLE001  a crash of the judge must not end the evaluation
        reason = f"It could not be judged: the judge failed with {type(error).__name__}: {error}"
        sentence = f"{clip(reason.rstrip('.'), _REASON_LENGTH)}."
        return Score(verdict=TrialVerdict.UNJUDGED, outcome=False, reasons=(sentence,))


def _verdict(judged: JudgedTrial, says_all: bool) -> TrialVerdict:
    ended, expected = judged.ended, judged.case.expected_outcome
    match ended:
        case Ended.TIMEOUT:
            return TrialVerdict.TIMEOUT
        case Ended.ERROR:
            return TrialVerdict.ERROR
        case Ended.ANSWERED:
            right = expected is Outcome.ANSWERED and judged.answered and says_all
            return TrialVerdict.RIGHT if right else TrialVerdict.WRONG
    return TrialVerdict.RIGHT if ended.value == expected.value else TrialVerdict.ABSTAINED
