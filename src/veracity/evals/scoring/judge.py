"""The judgement of an attempt: one function per criterion, and the verdict that they come to.

Figures are compared by value and unit, within the precision that they are written with, and never as digits in a text. An
answer is right when it says all that is expected, each figure with its row, and no figure that nothing supports.
How the model got there (the calls it made) is judged apart and never changes the verdict.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cached_property

from veracity.answer.answer import Outcome
from veracity.contracts import ToolCallLog, clip
from veracity.evals.cases import EvalCase, ExpectedFigure, ToolPattern
from veracity.evals.records import Attempt, Ended, Score, TrialVerdict
from veracity.evals.scoring.filters import conditions, met
from veracity.evals.scoring.page import JudgedFigure, JudgedPage, Span
from veracity.evals.scoring.rows import rows_said, says_none
from veracity.evals.scoring.spoken import ending, readable
from veracity.evals.scoring.support import KnownFigures, is_ordinary, owners, unlabelled, unsupported
from veracity.language.currencies import CURRENCIES
from veracity.language.numbers import format_number

_MOST_REASONS = 8
_REASON_LENGTH = 200
_ARITHMETIC = Context(prec=80, traps=[])
"""Large enough for any figure; an odd number is NaN and not an exception."""


@dataclass(frozen=True)
class JudgedTrial:
    """A question and an attempt at it, with what is read off the text once."""

    case: EvalCase
    attempt: Attempt

    @cached_property
    def page(self) -> JudgedPage:
        """The text."""
        return JudgedPage(self.attempt.text, self.attempt.locale)

    @cached_property
    def question(self) -> JudgedPage:
        """The question."""
        return JudgedPage(self.case.question, self.attempt.locale)

    @cached_property
    def known(self) -> KnownFigures:
        """The numbers that may be said."""
        return KnownFigures(self.case, self.attempt)

    @cached_property
    def ended(self) -> Ended:
        """How it ended in truth: a model may type that it does not know."""
        if self.attempt.ended is not Ended.ANSWERED or not readable(self.attempt.text):
            return self.attempt.ended
        figures = self.page.figures
        own = any(not is_ordinary(self.page, figure) and not self.known.is_asked(figure) for figure in figures)
        return ending(self.page, own)

    @property
    def answered(self) -> bool:
        """Whether there is an answer to be judged."""
        return self.ended is Ended.ANSWERED and readable(self.attempt.text)

    @cached_property
    def unit(self) -> str | None:
        """The currency of the figures that have none of their own: the one that the answer has to name."""
        named = {CURRENCIES.get(text.casefold()) for text in self.case.expected_answer_contains} - {None}
        return named.pop() if len(named) == 1 else None


@dataclass(frozen=True, slots=True)
class JudgeFinding:
    """What a criterion came to; `met` is None where the question expects nothing of the kind."""

    met: bool | None
    reasons: tuple[str, ...] = ()


Criterion = Callable[[JudgedTrial], JudgeFinding]
NOTHING = JudgeFinding(None)


# --- how it got there


def pattern(judged: JudgedTrial) -> JudgeFinding:
    """A successful call has the tool, the table and the filters that were expected."""
    wanted = judged.case.expected_tool_pattern
    if wanted is None:
        return NOTHING
    tools = _named(wanted.tool)
    passed = [call for call in judged.attempt.calls if call.success]
    calls = [call for call in passed if call.tool.casefold() in tools]
    if not calls and any("sql" in call.arguments for call in passed):
        return NOTHING
    if not calls:
        return JudgeFinding(False, (f"made no successful call of {wanted.tool}",))
    on_table = [call for call in calls if _is_on(call, wanted)]
    if not on_table:
        return JudgeFinding(False, (f"did not call {wanted.tool} on {wanted.table_name}",))
    lacking = _lacking(wanted, on_table)
    return JudgeFinding(not lacking, tuple(f"no call has the filter {text}" for text in lacking))


def _named(alternatives: str) -> set[str]:
    return {name.strip().casefold() for name in alternatives.split("|")}


def _is_on(call: ToolCallLog, wanted: ToolPattern) -> bool:
    if wanted.table_name is None:
        return True
    tables = _named(wanted.table_name)
    sql = call.arguments.get("sql")
    if isinstance(sql, str):
        words = set(re.findall(r"\w+", sql[:20_000].casefold()))
        return bool(tables & words)
    return str(call.arguments.get("tableName")).casefold() in tables


def _lacking(wanted: ToolPattern, calls: list[ToolCallLog]) -> list[str]:
    written = [sql[:20_000].casefold() for call in calls if isinstance(sql := call.arguments.get("sql"), str)]
    if written:
        # Raw SQL is not taken apart here: a filter counts when its field and its value both stand in it.
        return [
            str(one)
            for one in wanted.required_filters
            if not any(one.field.casefold() in sql and one.value.strip("'\"").casefold() in sql for sql in written)
        ]
    return [str(one) for one in met(wanted.required_filters, [conditions(call.arguments) for call in calls])]


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
    if not wanted:
        return NOTHING
    if not judged.answered:
        return JudgeFinding(False)
    folded = JudgedPage(_folded(judged.attempt.text), judged.attempt.locale)
    lacking = [text for text in wanted if not _is_in(judged.page, folded, text)]
    return JudgeFinding(not lacking, tuple(f"does not say {clip(text, 60)}" for text in lacking))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text[:40_000]).casefold().split())


def _is_in(page: JudgedPage, folded: JudgedPage, text: str) -> bool:
    wanted = _folded(text)
    if CURRENCIES.get(wanted) in page.currencies:
        return True
    if any(char.isdigit() for char in (wanted[:1], wanted[-1:])):
        return bool(folded.tokens(wanted)) or bool(page.places(text))
    return wanted in folded.text


def numeric(judged: JudgedTrial) -> JudgeFinding:
    """Every expected figure is said, with its unit and with its row."""
    expected = judged.case.expected_answer_numeric
    if not expected:
        return NOTHING
    if not judged.answered:
        return JudgeFinding(False)
    bound = _bound(judged.page, expected)
    reasons = [reason for key in expected if (reason := _unsaid(judged, key, bound[key]))]
    return JudgeFinding(not reasons, tuple(reasons))


def _saying(page: JudgedPage, value: Decimal) -> list[JudgedFigure]:
    return [figure for figure in page.figures if page.says(figure, value)]


@dataclass(frozen=True, slots=True)
class _JudgedBound:
    """The figures that say an expected value, and with which row each stands."""

    own: tuple[JudgedFigure, ...]
    """Those that stand with the row, or with none."""
    elsewhere: tuple[JudgedFigure, ...]
    """Those that stand with another row."""
    instead: str | None
    """What stands with the row though it is another one's."""


def _bound(page: JudgedPage, expected: Mapping[str, ExpectedFigure]) -> dict[str, _JudgedBound]:
    """By key, what the text says for it. Every part of a key that tells it from the others is a name to stand with."""
    parts = {key: key.split(".") for key in expected}
    saying = {key: _saying(page, figure.value) for key, figure in expected.items()}
    rows_of = [_owners(page, parts, position, saying) for position in range(max(map(len, parts.values())))]
    marks = _in_order(saying.values())

    def stands(one: JudgedFigure, key: str, *, surely: bool = False) -> bool:
        # A name that the text does not say cannot be told from the others by it.
        named = [(rows_of[at].get(part, {}).get(one.start), part) for at, part in enumerate(parts[key])]
        return all(owner in (None, part) for owner, part in named) and (not surely or any(owner for owner, _ in named))

    def instead(key: str) -> str | None:
        said = {one.start for one in saying[key]}
        return next((one.text for one in marks if one.start not in said and stands(one, key, surely=True)), None)

    return {
        key: _JudgedBound(
            tuple(one for one in figures if stands(one, key)),
            tuple(one for one in figures if not stands(one, key)),
            instead(key),
        )
        for key, figures in saying.items()
    }


def _in_order(figures: Iterable[list[JudgedFigure]]) -> list[JudgedFigure]:
    return sorted({one for same in figures for one in same}, key=lambda one: one.start)


def _owners(
    page: JudgedPage, parts: Mapping[str, list[str]], position: int, saying: Mapping[str, list[JudgedFigure]]
) -> dict[str, dict[int, str | None]]:
    """For each name at one position of the keys that the text says, with which name each figure stands.

    Empty where there are not two names to mix up.
    """
    names = {key: one[position] for key, one in parts.items() if position < len(one)}
    told = {name: spans for name in set(names.values()) if (spans := _name_places(page, name))}
    marks = _in_order(saying[key] for key, name in names.items() if name in told)
    # A side of an account is said with its figure or at the head of its column, never a line above.
    stand = owners(page, told, marks, lasting=not all(map(_side, told))) if len(told) > 1 else {}
    return dict.fromkeys(told, stand)


_SIDES = {
    "debit": re.compile(r"\bSoll(?!te)\w*|\b[Dd]ebit(?:s|ed|Total|Amount)?\b|借方"),
    "credit": re.compile(r"\bHaben\w*|\b[Cc]redit(?:s|ed|Total|Amount)?\b|贷方"),
    "opening": re.compile(r"\b(?:Anfangs|Eröffnung)\w*|\b[Oo]pening\w*|期初"),
    "closing": re.compile(r"\b(?:Schluss|Endsaldo|Endbestand)\w*|\b[Cc]losing\w*|期末"),
}
"""What ledgers call the sides of an account; written large in German, where "haben" is also a verb."""


def _side(name: str) -> re.Pattern[str] | None:
    return next((spoken for start, spoken in _SIDES.items() if name.lower().startswith(start)), None)


def _name_places(page: JudgedPage, name: str) -> list[Span]:
    """Where a part of a key stands: as it is, as a month, or as one of the sides of an account."""
    if side := _side(name):
        return [match.span() for match in side.finditer(page.text)]
    is_month = name.isascii() and name.isdigit() and len(name) < 3
    return page.places(int(name)) if is_month else page.places(name) if len(name) > 1 else []


def _unsaid(judged: JudgedTrial, key: str, found: _JudgedBound) -> str | None:
    """Why an expected figure was not said, or None."""
    figure = judged.case.expected_answer_numeric[key]
    unit = figure.unit or judged.unit
    if any(_unit_fits(judged, one, unit) for one in found.own):
        return None
    if found.own:
        return f"says {found.own[0].text} for {key} in another unit than {unit}"
    if figure.value == 0 and unit is None and says_none(judged.page.low):
        return None
    shown = _shown(figure.value)
    instead = found.instead or (None if found.elsewhere else _only_amount(judged))
    if instead:
        return f"says {clip(instead, 40)} for {key}, expected {shown}"
    return f"says {shown}, but not for {key}" if found.elsewhere else f"does not say {key}, expected {shown}"


def _only_amount(judged: JudgedTrial) -> str | None:
    """The one figure that a text says, where one is expected."""
    said = [one for one in judged.page.figures if not is_ordinary(judged.page, one) and not judged.known.is_asked(one)]
    return said[0].text if len(said) == 1 and len(judged.case.expected_answer_numeric) == 1 else None


def _shown(value: Decimal) -> str:
    exponent = value.as_tuple().exponent
    decimals = max(2, -exponent) if isinstance(exponent, int) and exponent < 0 else 0
    return format_number(value, "en", decimals=decimals) if abs(value.adjusted()) < 40 else str(value)


_PERCENT = frozenset({"%", "percent", "prozent", "pct"})


def _unit_fits(judged: JudgedTrial, figure: JudgedFigure, unit: str | None) -> bool:
    """Whether a figure is in its unit; one without a unit is taken to be, unless all of the text is in another."""
    if unit is None:
        return True
    code = CURRENCIES.get(unit.casefold())
    if code is None:
        return unit.casefold() not in _PERCENT or not figure.currency
    if figure.currency:
        return code == figure.currency
    if figure.percent:
        return False
    named = judged.page.currencies - judged.question.currencies
    return not named or code in judged.page.currencies


def rows(judged: JudgedTrial) -> JudgeFinding:
    """Every expected row is said and no other; of many rows, the text may show a part."""
    expected = judged.case.expected_rows
    if expected is None:
        return NOTHING
    if not judged.answered:
        return JudgeFinding(False)
    found = rows_said(judged.page, expected, judged.attempt.results, judged.question)
    return JudgeFinding(found.met, (found.problem,) if found.problem else ())


def supported(judged: JudgedTrial) -> JudgeFinding:
    """No figure is made up, and none that comes with the answer is left without saying what it is."""
    if not judged.answered or judged.case.expected_outcome is not Outcome.ANSWERED:
        return NOTHING
    invented = unsupported(judged.page, judged.known)
    if invented:
        return JudgeFinding(False, tuple(f"says {clip(one.text, 40)}, which nothing supports" for one in invented[:3]))
    answers = [one for value in judged.known.expected for one in _saying(judged.page, value)]
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
    elif ended is Ended.ANSWERED and not readable(attempt.text):
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
