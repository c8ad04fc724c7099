"""Required tools: an answer that states data rests on calls that succeeded.

This is judged by the typed trace alone, never by the text of a result: data can imitate a marker such as SYSTEM ERROR, but
not the status of a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veracity.answer.expression import parse, results_used
from veracity.answer.render import FigureProvenance
from veracity.contracts import QueryValidationError, clip
from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Finding, TraceStep
from veracity.grounding.names import lists_things, names_in
from veracity.grounding.placeholders import placeholders_in
from veracity.language.sentences import sentence_ends

_CLOSING = " \n”’」』）)]\"'*_»"
_CALENDAR = re.compile(r"19[0-9]{2}|20[0-9]{2}|2100|[0-9]{1,4}[-./年][0-9]{1,2}[-./月][0-9]{0,4}日?")
_MADE_UP = frozenset({"numbered", "identifier", "stock", "contact"})
_SAYS_FAILED = re.compile(
    r"(?<![a-zäöü])(?:fehlgeschlagen|fehlschlug|fehler(?:haft|meldung)?|zeitüberschreitung|abgebrochen|nicht erreichbar|"
    r"(?:konnten?|kann|können|liess|ließ|lässt) (?:ich |wir |sich )?(?:\w+ ){0,6}?(?:nicht|keine?n?)|kein(?:en)? zugriff|"
    r"failed|failure|error|timed out|time-?out|unavailable|unreachable|not (?:be )?(?:reachable|accessible|available)|"
    r"(?:could|can) ?not|couldn['’]t|can['’]t|unable to|was not able|were not able|no access)(?![a-zäöü])|"
    r"失败|出错|错误|超时|无法|不可用|未能|不能(?:查询|访问|读取|连接)|没能",
    re.IGNORECASE,
)


def required_tools_called(answer: CheckedAnswer) -> Iterator[Finding]:
    """An answer that states data rests on the tools that its source needs; without a trace this is not known."""
    if answer.trace is None:
        return
    sources = answer.once(sources_of)
    lacking = [source for source in sources if source.lacks(answer.config)]
    # The sources that the figures come from must be right; where nobody knows them, one that is right will do.
    cited = [source for source in sources if source.results & answer.rests_on] if lacking else []
    wrong = [source for source in cited if source in lacking] if cited else lacking
    if (sources and (not wrong or (not cited and len(lacking) < len(sources)))) or not answer.once(states_data):
        return
    if not sources:
        yield answer.finding("required_tools", None, key="nothing_called")
    for source in wrong:
        if not source.failed:
            tools = ", ".join(" | ".join(sorted(names)) for names in source.lacks(answer.config))
            yield answer.finding("required_tools", None, key="tool_missing", source=source.name, tools=tools)


def failed_tools_unused(answer: CheckedAnswer) -> Iterator[Finding]:
    """An answer does not use what a failed call should have returned, unless it says plainly that the call failed."""
    if not answer.trace:
        return
    broken = {step.result for step in answer.trace if step.status == "error" and step.result}
    for claim in answer.claims:
        node = parse(claim.expression)
        cited = broken & set(() if isinstance(node, QueryValidationError) else results_used(node))
        for result in sorted(cited):
            at = answer.text.find(claim.text)
            span = (at, at + len(claim.text)) if at >= 0 and claim.text else None
            yield answer.finding("failed_tool", span, key="failed_result", text=claim.text, result=result)
    failed = [source for source in answer.once(sources_of) if source.failed]
    if failed and not says_failed(answer.text) and _leans_on(failed, answer):
        for source in failed:
            tool = clip(source.steps[-1].tool, 40)
            yield answer.finding("failed_tool", None, key="call_failed", source=source.name, tool=tool)


def says_failed(text: str) -> bool:
    """Whether an answer says that something went wrong."""
    return _SAYS_FAILED.search(text) is not None


def _leans_on(failed: Sequence[NeededSource], answer: CheckedAnswer) -> bool:
    """Whether the answer states data that no successful call has returned."""
    if not answer.once(states_data):
        return False
    if not any(step.status == "ok" for step in answer.trace or ()):
        return True
    if answer.rests_on & {result for source in failed for result in source.broken}:
        return True
    proven = all(one.status == "bound" or _is_asked(one, answer) for one in answer.provenance)
    return not proven or not all(answer.known.holds(name.text) for name in answer.once(names_in))


# --- sources


class NeededSource(NamedTuple):
    """One source, and the calls it got."""

    name: str
    kind: str | None
    steps: tuple[TraceStep, ...]

    @property
    def failed(self) -> bool:
        """Whether its last call failed."""
        return self.steps[-1].status == "error"

    @property
    def results(self) -> frozenset[str]:
        """What its calls returned."""
        return frozenset(step.result for step in self.steps if step.result)

    @property
    def broken(self) -> frozenset[str]:
        """What its failed calls claim to have returned."""
        return frozenset(step.result for step in self.steps if step.result and step.status == "error")

    def lacks(self, config: GuardConfig) -> tuple[frozenset[str], ...]:
        """The tools that it needs and that did not succeed; any success will do where none is needed by name."""
        done = {step.tool for step in self.steps if step.status == "ok"}
        needed = config.tools_for(self.kind)
        if needed:
            return tuple(tools for tools in needed if not tools & done)
        return () if done else (frozenset({self.steps[-1].tool}),)


def sources_of(answer: CheckedAnswer) -> list[NeededSource]:
    """The sources of an answer's trace, in the order of their first call."""
    trace = answer.trace or ()
    kinds: dict[str, str] = {}
    for step in trace:
        if step.source_id and step.source_kind:
            kinds.setdefault(step.source_id, step.source_kind)
    grouped: dict[tuple[str | None, str | None], list[TraceStep]] = {}
    for step in trace:
        kind = step.source_kind or kinds.get(step.source_id or "") or _kind_of(step.tool, answer.config)
        grouped.setdefault((step.source_id, kind), []).append(step)
    return [
        NeededSource(clip(source or kind or steps[0].tool, 60), kind, tuple(steps))
        for (source, kind), steps in grouped.items()
    ]


def _kind_of(tool: str, config: GuardConfig) -> str | None:
    """The kind of source that a tool belongs to, where the trace does not say."""
    for kind in ("file", "sql", *config.required_tools):
        if any(tool in tools for tools in config.tools_for(kind)):
            return kind
    return None


# --- does it state data?


def states_data(answer: CheckedAnswer) -> bool:
    """Whether an answer states figures that are not the question's, names of things, or rows of a table."""
    is_given = answer.known.is_given
    return (
        any(not _is_asked(one, answer) for one in answer.provenance)
        or any(listing.kind == "table" and not listing.offered for listing in answer.listings)
        or any(
            lists_things(answer, listing) and not all(is_given(item.head) for item in listing.items)
            for listing in answer.listings
        )
        or any(not is_given(name.text) for name in answer.once(names_in))
        or any(hit.kind in _MADE_UP and not is_given(hit.text) for hit in answer.once(placeholders_in))
    )


def _is_asked(one: FigureProvenance, answer: CheckedAnswer) -> bool:
    """Whether a figure is the question's own, a constant, or a year or date that the answer asks back for."""
    return (one.status == "bound" and one.kind in ("question", "constant")) or asks_back(one, answer)


def asks_back(one: FigureProvenance, answer: CheckedAnswer) -> bool:
    """Whether it is a year or date in a question back: `2024 or 2025?`"""
    if _CALENDAR.fullmatch(one.text) is None:
        return False
    end = next(sentence_ends(answer.text, one.span[1]), len(answer.text))
    return answer.text[one.span[1] : end].rstrip(_CLOSING).endswith(("?", "？"))
