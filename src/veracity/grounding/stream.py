"""Streaming: an answer is released sentence by sentence, each one only when the guard lets it pass.

No figure gets out before its sentence is whole: `15` may become `15.2`, and that 15.2万.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from veracity.grounding.binding.foreign_results import foreign_results
from veracity.grounding.binding.results_index import Index
from veracity.grounding.checked_answer import CheckedAnswer, KnownTexts
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Finding, GroundedResult, GroundRequest, Severity, TraceStep, Verdict
from veracity.grounding.guard import asked_echo, judge
from veracity.grounding.messages import held_back, written_finding
from veracity.language.detect import language_of
from veracity.language.numbers import locale_of
from veracity.language.sentences import sentence_ends, undecided

MAX_HELD = 20_000
"""A sentence that is longer than this is not waited for: it is held back for good."""
_CONTEXT = 2_000
"""So many characters before a sentence tell what it is about."""
_WHOLE = frozenset({"wrong_count", "incomplete_list", "no_answer"})
"""Rules that can only be judged when the answer is whole."""


class HeldBack(str):
    """The last piece of a stream that was stopped: what the person who asked reads instead of the rest."""

    __slots__ = ("verdict",)
    verdict: Verdict

    def __new__(cls, verdict: Verdict) -> HeldBack:
        """The verdict's message."""
        made = super().__new__(cls, verdict.message)
        made.verdict = verdict
        return made


JudgeSentence = Callable[[str, int, bool], Verdict]
"""The text so far, where its last sentence starts, and whether it is the last of all -> whether it may be shown."""


async def released(chunks: AsyncIterator[str], judge_sentence: JudgeSentence) -> AsyncIterator[str]:
    """The sentences that pass, as they become whole. The first that does not ends the stream with a `HeldBack`.

    What is released is the beginning of the text, the same however it was cut into chunks.
    """
    text, start, scanned = "", 0, 0
    async for chunk in chunks:
        text += chunk
        while (end := _next_end(text, start, scanned)) is not None:
            verdict = judge_sentence(text[:end], start, False) if end <= start + MAX_HELD else _too_long(text)
            if verdict.verdict == "block":
                yield HeldBack(verdict)
                return
            yield text[start:end]
            start = scanned = end
        scanned = max(start, undecided(text))
    if start < len(text) or not text:
        verdict = judge_sentence(text, start, True)
        yield HeldBack(verdict) if verdict.verdict == "block" else text[start:]


def _next_end(text: str, start: int, scanned: int) -> int | None:
    """Where the next sentence ends, if that is certain; one that is too long ends where it becomes so."""
    window = text[: start + MAX_HELD + 1]
    end = next(sentence_ends(window, scanned, final=False), None)
    return len(window) if end is None and len(window) > start + MAX_HELD else end


def sentence_judge(
    results: Sequence[GroundedResult | Mapping[str, Any]] = (),
    *,
    question: str = "",
    locale: str | None = None,
    trace: Sequence[TraceStep | Mapping[str, Any]] | None = None,
    config: GuardConfig | None = None,
) -> JudgeSentence:
    """A judge for `released` over the results of an agent, which must be there before it speaks."""
    request = GroundRequest.model_validate(
        {"question": question, "answer": "", "locale": locale, "results": list(results), "trace": trace}
    )
    used, read = config if config is not None else GuardConfig(), foreign_results(request.results)
    # Worked out once for all sentences.
    known, indexed = KnownTexts(read, question, used), Index(read, used.aliases)

    def judged(text: str, start: int, last: bool) -> Verdict:
        first = max(0, text.rfind("\n", 0, max(0, start - _CONTEXT)) + 1 if start > _CONTEXT else 0)
        lang = language_of(question or text[: start + _CONTEXT])
        where = locale_of(request.locale or lang)
        echo = asked_echo(question, where)
        answer = CheckedAnswer(
            question, text[first:], lang, where, read, request.trace, used, echo, index=indexed, names=known
        )
        return _on_last_sentence(judge(answer), start - first, whole=last and first == 0, lang=lang)

    return judged


def _on_last_sentence(verdict: Verdict, start: int, *, whole: bool, lang: str) -> Verdict:
    """A verdict on the last sentence only: what was found before it was judged when it was shown."""
    kept = [one for one in verdict.findings if _concerns(one, start, whole=whole)]
    blocking = [one for one in kept if one.severity is Severity.BLOCK]
    if not blocking:
        return Verdict(verdict="pass", findings=tuple(kept))
    return Verdict(verdict="block", message=held_back(blocking[0].rule, lang), findings=tuple(kept))


def _concerns(one: Finding, start: int, *, whole: bool) -> bool:
    if one.rule in _WHOLE:
        return whole
    return one.span is None or one.span[1] > start


def _too_long(text: str) -> Verdict:
    lang = language_of(text[:_CONTEXT])
    one = written_finding("no_answer", lang, None, key="too_long", most=MAX_HELD)
    return Verdict(verdict="block", message=held_back("no_answer", lang), findings=(one,))
