"""The guard: an answer is checked against what was called, what came back and what was asked, before a person reads it.

answer -> render       a template's expressions are computed; free text stays as it is
       -> CHECKS       tools called? failed? placeholders? counts, figures, dates and names as the results have them?
       -> Verdict      pass or block, with located findings, the origin of every figure, and a plain word for the asker

It fails closed: a check that breaks off blocks the answer.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from unicodedata import decimal

from pydantic import ValidationError

from veracity.answer.render import Echo, echo_of, render
from veracity.answer.results import Result
from veracity.contracts import QueryValidationError, clip
from veracity.errors import UsageError
from veracity.grounding.binding.foreign_results import foreign_results
from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.config import RULES, GuardConfig
from veracity.grounding.contracts import (
    DeclaredClaim,
    Finding,
    GroundRequest,
    Severity,
    TraceStep,
    Verdict,
)
from veracity.grounding.figure_checks import figures_bound, nothing_is_not_zero, statements_hold
from veracity.grounding.list_checks import counts_fit, lists_complete
from veracity.grounding.messages import held_back, written_finding
from veracity.grounding.names import names_known
from veracity.grounding.placeholders import placeholders_absent
from veracity.grounding.required_tools import failed_tools_unused, required_tools_called
from veracity.grounding.sentence_verdicts import sentence_verdicts
from veracity.language.detect import language_by_letters, language_by_words, language_of
from veracity.language.folding import fold
from veracity.language.numbers import locale_of
from veracity.language.periods import periods_of

Check = Callable[[CheckedAnswer], Iterable[Finding]]

CHECKS: tuple[Check, ...] = (
    required_tools_called,
    failed_tools_unused,
    placeholders_absent,
    nothing_is_not_zero,
    counts_fit,
    lists_complete,
    figures_bound,
    names_known,
    statements_hold,
)
"""In the order of what matters most: of two findings about the same words, the first is kept."""

MAX_ANSWER = 200_000
MAX_FINDINGS = 100
_MOST_ASKED = 2_000

_log = logging.getLogger("veracity.guard")


def ground(
    answer: str,
    results: Sequence[Any] | Mapping[str, Any] | str = (),
    *,
    question: str = "",
    locale: str | None = None,
    trace: Sequence[TraceStep | Mapping[str, Any]] | None = None,
    claims: Sequence[DeclaredClaim | Mapping[str, Any]] = (),
    config: GuardConfig | None = None,
    strict: bool = False,
) -> Verdict:
    """Whether an agent's answer may reach a person; what is given in a wrong form is a `UsageError`.

    `results` are tables as `GroundedResult` describes them, or whatever the tools returned. `strict` also holds back what cannot be checked against the results, which is otherwise only marked.
    """
    given = {
        "question": question,
        "answer": answer,
        "locale": locale,
        "results": results,
        "trace": None if trace is None else list(trace),
        "claims": list(claims),
        "strict": strict,
    }
    try:
        request = GroundRequest.model_validate(given)
    except ValidationError as error:
        raise UsageError(f"{wrong_input(error)}.") from None
    return ground_request(request, config)


def ground_request(
    request: GroundRequest, config: GuardConfig | None = None, *, own: Mapping[str, Result] | None = None
) -> Verdict:
    """`ground`, for a request that was already read; `own` are results of our tools, of which more is known than of others'."""
    answer = read_request(request, config, own=own)
    if isinstance(answer, Verdict):
        return answer
    verdict = judge(answer)
    return verdict.model_copy(update={"answer": answer.text}) if answer.proven is not None else verdict


def read_request(
    request: GroundRequest, config: GuardConfig | None = None, *, own: Mapping[str, Result] | None = None
) -> CheckedAnswer | Verdict:
    """The answer of a request as the checks see it; a template that cannot be computed is judged already."""
    used = config if config is not None else GuardConfig()
    lang = _language(request)
    locale = locale_of(request.locale or _style(request, lang))
    results = {**(own or {}), **foreign_results(request.results)}
    echo = asked_echo(request.question, locale)
    answer = CheckedAnswer(
        question=request.question,
        text=_plain_digits(request.answer),
        lang=lang,
        locale=locale,
        results=results,
        trace=request.trace,
        config=used,
        echo=echo,
        claims=request.claims,
        strict=request.strict,
    )
    if "{{" not in request.answer:
        return answer
    rendered = render(request.answer, results, locale=locale, echo=echo, constants=used.constants)
    if isinstance(rendered, QueryValidationError):
        return _not_rendered(rendered, answer)
    return replace(answer, text=rendered.text, proven=rendered.figures, used=rendered.results)


def judge(answer: CheckedAnswer) -> Verdict:
    """Run every check over an answer."""
    if not answer.text.strip():
        return _verdict([answer.finding("no_answer", None, key="empty")], answer.lang)
    if len(answer.text) > MAX_ANSWER:
        return _verdict([answer.finding("no_answer", None, key="too_long", most=MAX_ANSWER)], answer.lang)
    found: list[Finding] = []
    allowed = answer.config.let_pass_in(answer.text)
    for check in CHECKS:
        # Figures that the runtime computed itself need no binding.
        if check is not figures_bound or not answer.is_proven:
            found += [one for one in _run(check, answer) if not (_is_repeated(one, found) or _is_allowed(one, allowed))]
    broken = any(one.rule == "internal_error" for one in found)
    verdict = _verdict(found[:MAX_FINDINGS], answer.lang)
    if broken:
        return verdict.model_copy(update={"support": "not_checkable"})
    sentences = sentence_verdicts(answer, found)
    told = {one.support for one in sentences}
    support = next((one for one in ("contradicted", "not_checkable") if one in told), "supported")
    return verdict.model_copy(update={"provenance": answer.provenance, "sentences": sentences, "support": support})


def _run(check: Check, answer: CheckedAnswer) -> list[Finding]:
    try:
        return list(islice(check(answer), MAX_FINDINGS))
    except Exception as error:  # noqa: BLE001  recorded: the answer is blocked
        # The one place where every exception is caught: an answer that could not be checked must not get out, and the
        # person who asked must get a word all the same. It is not carried on from: it blocks, and it is recorded.
        rule, name = "internal_error", getattr(check, "__name__", "check")
        _log.exception("the guard's check %s broke off", name)
        return [written_finding(rule, answer.lang, None, key=rule, check=name, error=type(error).__name__)]


def _is_repeated(one: Finding, found: Sequence[Finding]) -> bool:
    """Whether an earlier finding is about the same words, and as grave."""
    if one.span is None:
        return False
    as_grave = (o for o in found if o.severity is Severity.BLOCK or one.severity is Severity.WARN)
    spans = (other.span for other in as_grave if other.span is not None)
    return any(start < one.span[1] and one.span[0] < end for start, end in spans)


def _is_allowed(one: Finding, allowed: Sequence[tuple[int, int]]) -> bool:
    """Whether the whitelist holds the words."""
    return one.span is not None and any(start <= one.span[0] and one.span[1] <= end for start, end in allowed)


def _verdict(found: Sequence[Finding], lang: str) -> Verdict:
    blocking = [one for one in found if one.severity is Severity.BLOCK]
    if not blocking:
        return Verdict(verdict="pass", findings=tuple(found))
    worst = min(blocking, key=lambda one: _WEIGHT.index(one.rule))
    return Verdict(verdict="block", message=held_back(worst.rule, lang), findings=tuple(found))


_WEIGHT = ("internal_error", "no_answer", *(rule for rule in RULES if rule not in ("internal_error", "no_answer")))
"""Of several reasons, the asker hears the first of these."""


def _not_rendered(problem: QueryValidationError, answer: CheckedAnswer) -> Verdict:
    """A template whose expressions cannot be computed from the results."""
    text = problem.field or ""
    at = answer.text.find(text) if text else -1
    span = (at, at + len(text)) if at >= 0 else None
    hint, suggestion = problem.hint, problem.suggestion or ""
    one = answer.finding("expression", span, text=text, hint=hint, suggestion=suggestion)
    return _verdict([one.model_copy(update={"severity": Severity.BLOCK})], answer.lang)


# --- what was asked


def asked_echo(question: str, locale: str) -> Echo:
    """The figures that a question says itself, and the first and last days of its periods."""
    asked = question[:_MOST_ASKED]
    periods = periods_of(fold(asked).text, datetime.now(UTC).date())
    days = [day for found in periods for meant in found.meanings for day in (meant.first, meant.last)]
    return echo_of(asked, locale, days)


def _language(request: GroundRequest) -> str:
    """The language of the question, else that of the answer."""
    question = request.question
    if question.strip() and (found := language_by_words(question) or language_by_letters(question)):
        return found
    return language_of(request.answer)


_WIDE = "０１２３４５６７８９"


def _plain_digits(text: str) -> str:
    """A text with the digits of other scripts as 0 to 9, of the same length; wide ones are read with their commas later."""
    if text.isascii():
        return text
    return "".join(
        str(decimal(sign)) if sign > "\x7f" and sign.isdecimal() and sign not in _WIDE else sign for sign in text
    )


def _style(request: GroundRequest, lang: str) -> str:
    """How an answer writes numbers whose words tell no language: 1,140 as in English."""
    told = language_by_words(request.question) or language_by_words(_without_names(request))
    return "en" if told is None and lang == "de" and _GROUPED.search(request.answer) else lang


def _without_names(request: GroundRequest) -> str:
    """An answer without names of several words, which may be of any language: Domaine du Lac."""
    return _NAMED.sub(" ", request.answer)


_NAMED = re.compile(r"[A-ZÄÖÜ][\w'’-]+(?: (?:du|des?|di|la|le|les|der|den|am|an|im|zum|zur|von) [A-ZÄÖÜ][\w'’-]+)+")
_GROUPED = re.compile(r"(?<![0-9.,'’])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?!,[0-9])")


def wrong_input(error: ValidationError) -> str:
    """What is wrong with a request, in one sentence without its full stop."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ").rstrip(".")
    message = _KINDS_OF_ERROR.get(first["type"], f"{message[0].lower()}{message[1:]}")
    return f"{clip(where, 80)}: {message}" if where else message


_KINDS_OF_ERROR = {"extra_forbidden": "there is no such key", "missing": "this key is needed"}
