"""The checks that a draft has to stand before it goes out: one function each, and the first problem goes back to the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache

from veracity.agent.draft import Draft, DraftKind
from veracity.agent.loop import Run
from veracity.answer.coverage import ReceiptLine, Stored, Used, cover, first_missing, uses_of
from veracity.answer.figure_context import beside_currency
from veracity.answer.fitting import Claim, first_misfit, masked
from veracity.answer.render import MULTIPLES, NO_VALUE, Echo, Rendered, echoed, list_items, render
from veracity.answer.results import Result
from veracity.answer.statement import AnswerStatement
from veracity.answer.values import MAX_ARGS
from veracity.answer.wording import first_unproven
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.grounding.binding.bind import bind_text
from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Finding, Severity, TraceStep, Verdict
from veracity.grounding.guard import judge
from veracity.grounding.placeholders import placeholders_absent
from veracity.language.numbers import Figure, find_figures, locale_of, written
from veracity.query.catalog import Catalog
from veracity.question import read

_MOST_FIGURES = 6
_EXPRESSIONS = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_RESULT_ID = re.compile(r"\br[1-9][0-9]?\b")
_PERIOD_WORDS = re.compile(r"\s?(?:jahre|perioden|monate|years|periods|months|个?年度|个?期间|个?月)", re.IGNORECASE)
"""A number word before one of these is ordinary speech: "one of the two years"."""
_RESULT_NAME = re.compile(r"r\d{1,3}")
_CODE_WORD = re.compile(
    r"(?:konto|konten|kontos|nummer|nr\.?|buchung|beleg|kunde\w*|lieferant\w*|account|accounts|entry|number|no\.?|voucher|"
    r"科目|账户|凭证|编号|号)[\s:：#]*$|(?:konten|accounts|科目)[^.!?。]*$",
    re.IGNORECASE,
)
_FIRST_TOOL = {"table": "queryTable or aggregateTable", "sql": "execute_sql_safe", "file": "inspect_file"}


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """What every draft about one source is held against, whatever the question."""

    catalog: Catalog
    answers: str = "bound"
    """`bound`: figures are expressions. `text`: figures are bound after the fact."""
    constants: Mapping[str, Decimal] = field(default_factory=dict)
    """Figures that may be said without a source, by name."""
    guard: GuardConfig = field(default_factory=GuardConfig)
    source: tuple[str, str] = ("", "table")
    """The source's name and kind, as the guard's trace has them."""


@dataclass(slots=True)
class DraftCase:
    """A draft with all that it is held against; a check keeps here what later ones, and the answer, rest on."""

    draft: Draft
    run: Run
    question: UnderstoodQuestion
    rules: ReviewRules
    unknown: tuple[str, ...] = ()
    """Things in the question that nothing in the data is called."""
    rendered: Rendered | None = None
    """The text with its figures computed."""
    not_computed: QueryValidationError | None = None
    """Why there is none."""
    claim: Claim | None = None
    """The figures with what they are held against."""
    words_refused: bool = False
    """Whether its words alone keep it back: the figures are right."""
    receipt: tuple[ReceiptLine, ...] = ()
    verdict: Verdict | None = None
    """What the guard said, where it came so far."""

    def render(self, text: str) -> Rendered | QueryValidationError:
        """The text with its figures computed from the results, or, where they are typed, bound to them."""
        results, constants, question = self.run.results, self.rules.constants, self.question
        if self.rules.answers != "text":
            return render(text, results, locale=question.locale, echo=question.echo, constants=constants)
        # What a filter compares with may be said beside a currency; how it compares is checked with the words.
        bounds = {written(value): value for value in _bounds(results.values())}
        echo = replace(question.echo, numbers=question.echo.numbers - set(bounds.values()))
        return bind_text(text, results, locale=question.locale, echo=echo, constants={**constants, **bounds})

    def for_guard(self, text: str) -> CheckedAnswer:
        """What the guard sees of it."""
        question, (source, kind), rendered = self.question, self.rules.source, self.rendered
        return CheckedAnswer(
            question="\n".join([question.full, *_stored_names(self), *NO_VALUE.values()]),
            text=text,
            lang=question.lang,
            locale=question.locale,
            results=self.run.results,
            trace=tuple(
                TraceStep(
                    tool=log.tool,
                    source_id=source,
                    source_kind=kind,
                    status="ok" if log.success else "error",
                    result=log.result_id,
                )
                for log in self.run.calls
            ),
            config=self.rules.guard,
            echo=question.echo,
            proven=rendered.figures if rendered else (),
            used=rendered.results if rendered else None,
        )


Check = Callable[[DraftCase], QueryValidationError | None]
"""None lets the draft pass."""


# --- answers


def a_tool_was_called(case: DraftCase) -> QueryValidationError | None:
    """An answer needs results; the model is told what to call first."""
    if case.run.results:
        return None
    # Expressions over results that are not there are no made-up data; they just have nothing to stand on.
    if bare := _EXPRESSIONS.sub("", case.draft.text).strip():
        case.verdict = judge(case.for_guard(bare))
    return QueryValidationError(
        code=ValidationErrorCode.QUESTION_NOT_COVERED,
        field="answer",
        hint=f"There is no result yet: call {_FIRST_TOOL[case.rules.source[1]]} now, answer later.",
    )


def figures_are_computed(case: DraftCase) -> QueryValidationError | None:
    """Render: every figure is computed from cells of a result, or it is the question's own."""
    rendered = case.render(case.draft.text)
    if isinstance(rendered, QueryValidationError):
        case.not_computed = rendered
        return _with_whole_text(rendered, case)
    if not rendered.results:
        hint = "An answer rests on results: call a tool, then cite its rows in expressions."
        return QueryValidationError(code=ValidationErrorCode.QUESTION_NOT_COVERED, field="answer", hint=hint)
    case.rendered = rendered
    return None


def the_question_is_covered(case: DraftCase) -> QueryValidationError | None:
    """Cover: what the question names is in the calls whose figures the answer uses."""
    used = _calls_used(_rendered(case), case.run.results)
    case.receipt = cover(case.question.reading, used, case.rules.catalog, case.question.stored)
    return first_missing(case.receipt)


def figures_fit_the_question(case: DraftCase) -> QueryValidationError | None:
    """Fit: every figure is of the period, the things and the kind that was asked for."""
    question, rendered = case.question, _rendered(case)
    own_text = masked(rendered)
    said = read(own_text, question.lexicon, today=question.today, lang=question.lang)
    claim = case.claim = Claim(
        question.reading,
        question.cues,
        rendered,
        case.run.results,
        case.rules.catalog,
        question.stored,
        own_text,
        said,
        unknown=case.unknown,
    )
    return first_misfit(claim)


def the_guard_lets_it_pass(case: DraftCase) -> QueryValidationError | None:
    """Guard: required tools were called; no placeholder, name, list or count that no result has."""
    case.verdict = judge(case.for_guard(_rendered(case).text))
    blocking = (finding for finding in case.verdict.findings if finding.severity is Severity.BLOCK)
    return next(map(_finding_as_problem, blocking), None)


def every_word_is_proven(case: DraftCase) -> QueryValidationError | None:
    """Words: each figure is called what it is, and whatever else is said can be verified from the rows."""
    assert case.claim is not None
    question = case.question
    problem = first_unproven(AnswerStatement.of(case.claim, question.lexicon, question.today, question.lang))
    case.words_refused = problem is not None
    return problem


CHECKS: tuple[Check, ...] = (
    a_tool_was_called,
    figures_are_computed,
    the_question_is_covered,
    figures_fit_the_question,
    the_guard_lets_it_pass,
    every_word_is_proven,
)
"""For answers. The order counts: each may rest on what the ones before it made."""


# --- questions back and refusals, which hold no figures


def the_question_is_not_sent_back(case: DraftCase) -> QueryValidationError | None:
    """A question back asks for something, and does not repeat the question."""
    question, said = case.question, _letters(case.draft.text)
    if case.draft.kind is not DraftKind.CLARIFY or said not in (_letters(question.question), _letters(question.full)):
        return None
    hint = "That is the question itself: ask for what it leaves open, or answer it."
    return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field="question", hint=hint)


def no_result_is_named(case: DraftCase) -> QueryValidationError | None:
    """A refusal speaks of the data, not of r1, which only the model knows."""
    if case.draft.kind is not DraftKind.ABSTAIN or not _RESULT_ID.search(case.draft.text):
        return None
    hint = "The person does not know your results: say what the data lacks, or call answer."
    return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field="reason", hint=hint)


def no_figure_is_told(case: DraftCase) -> QueryValidationError | None:
    """No figure of the data stands in a text that proves none."""
    question, texts = case.question, (case.draft.text, *case.draft.options)
    return unproven_figure(texts, question.echo, question.stored, question.locale)


def nothing_is_made_up(case: DraftCase) -> QueryValidationError | None:
    """No placeholder stands for a person, a company or a thing."""
    text = "\n".join((case.draft.text, *case.draft.options))
    found = next(iter(placeholders_absent(case.for_guard(text))), None)
    return _finding_as_problem(found) if found else None


TEXT_CHECKS: tuple[Check, ...] = (
    the_question_is_not_sent_back,
    no_result_is_named,
    no_figure_is_told,
    nothing_is_made_up,
)
"""For questions back and refusals."""


def first_problem(case: DraftCase) -> QueryValidationError | None:
    """The first thing that keeps a draft from going out."""
    checks = CHECKS if case.draft.kind is DraftKind.ANSWER else TEXT_CHECKS
    return next((problem for check in checks if (problem := check(case)) is not None), None)


# --- what the checks need


def _rendered(case: DraftCase) -> Rendered:
    assert case.rendered is not None
    return case.rendered


def _bounds(results: Iterable[Result]) -> Iterator[Decimal]:
    """The numbers that the filters of calls compare with."""
    for condition in (c for result in results for call in result.calls for c in call.filters):
        if condition.op in ("<", "<=", ">", ">=") and isinstance(condition.value, int | Decimal):
            yield Decimal(condition.value)


def _letters(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def _with_whole_text(problem: QueryValidationError, case: DraftCase) -> QueryValidationError:
    """Where typed figures can be expressions, the whole text with them: small models copy, they do not edit."""
    text = case.draft.text
    found: Rendered | QueryValidationError = problem
    for _figure in range(_MOST_FIGURES):
        if isinstance(found, Rendered):
            return problem.model_copy(update={"suggestion": text})
        if not (found.suggestion or "").startswith("{{") or found.field is None or found.field not in text:
            break
        text = text.replace(found.field, found.suggestion or "", 1)
        found = case.render(text)
    return problem


def _calls_used(rendered: Rendered, results: Mapping[str, Result]) -> list[Used]:
    """The calls behind an answer's figures, with the rows each figure was taken from."""
    used: list[Used] = []
    for name in sorted(rendered.results):
        result = results[name]
        figures = [[arg for arg in figure.args if arg.result == name] for figure in rendered.figures]
        counted = any(arg.column == "*" for args in figures for arg in args)
        cited = max((len(args) for args in figures), default=0)
        keys = tuple(arg.row_key for args in figures for arg in args if arg.column != "*")
        every = counted or cited >= min(len(result.data.rows), MAX_ARGS) or not keys
        used += uses_of(name, result, None if every else keys, cited, counted=counted)
        picked = tuple(args[0].row_key for args in figures if len(args) == 1 and args[0].column != "*")
        if every and picked and len(result.data.rows) > 1:
            # Beside a total of all rows, single ones are told.
            used += uses_of(name, result, picked, 1)
    return used


def _stored_names(case: DraftCase) -> Iterator[str]:
    """What the question names, as it is stored: `Arlberg` is Arlberg Seilbahnen GmbH."""
    meanings = (meaning for mention in case.question.reading.mentions for meaning in mention.meanings)
    yield from (meaning.value for meaning in meanings if meaning.value is not None)
    conditions = (c for result in case.run.results.values() for call in result.calls for c in call.filters)
    values = {item for c in conditions for item in (c.value if isinstance(c.value, list | tuple) else [c.value])}
    # What a model filters by counts only if it is stored.
    texts = {value for value in values if isinstance(value, str)}
    yield from (value for value in texts if any(value in known for known in case.question.stored.values()))


def _finding_as_problem(finding: Finding) -> QueryValidationError:
    """A finding of the guard as the model is told of it."""
    missing = finding.rule == "required_tools"
    return QueryValidationError(
        code=ValidationErrorCode.QUESTION_NOT_COVERED if missing else ValidationErrorCode.VALUE_NOT_FOUND,
        field=finding.text or "answer",
        suggestion=finding.suggestion,
        hint=finding.message,
    )


# --- figures in texts that prove none


def unproven_figure(texts: Sequence[str], echo: Echo, stored: Stored, locale: str) -> QueryValidationError | None:
    """The first figure that is neither the question's, nor a year or date, nor the name of something stored."""

    @cache  # a source may hold tens of thousands of names, and most texts have no figure that could be one
    def names() -> set[str]:
        return {value.casefold() for values in stored.values() for value in values if any(ch.isdigit() for ch in value)}

    for text in texts:
        items = list_items(text)
        if (multiple := MULTIPLES.search(text.casefold())) and multiple.group() not in echo.said:
            return _figure_refused(multiple.group())
        for figure in find_figures(text, locale_of(locale)):
            if figure.start in items or _RESULT_NAME.fullmatch(figure.text):
                continue
            if figure.kind == "word" and _PERIOD_WORDS.match(text, figure.end):
                continue
            known = (
                echoed(figure, text, echo) is not None
                or _is_calendar(figure)
                or _names_something_stored(figure, text, names())
            )
            if not known or beside_currency(text, figure.start, figure.end):
                return _figure_refused(figure.text)
    return None


def _figure_refused(said: str) -> QueryValidationError:
    hint = "Say this without figures; figures belong into answer, as expressions."
    return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field=said, hint=hint)


def _names_something_stored(figure: Figure, text: str, names: Collection[str]) -> bool:
    """Whether the figure is a stored name or a part of one: 1020, Halle 7 AG."""
    if figure.text.casefold() in names:
        # A bare code reads like an amount: it is named as one, or it is the whole of a suggested answer.
        return text.strip() == figure.text or _CODE_WORD.search(text[: figure.start]) is not None
    folded, part = text.casefold(), figure.text.casefold()
    return any(part in name and name in folded for name in names)


def _is_calendar(figure: Figure) -> bool:
    if figure.dates:
        return True
    plain = figure.text.isascii() and figure.text.isdigit() and len(figure.text) == 4
    return plain and 1900 <= int(figure.text) <= 2100
