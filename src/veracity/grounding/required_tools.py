"""Required tools: who states data has looked at it. Judged by the typed trace alone, never by the text of a result.

A marker such as SYSTEM ERROR can be imitated by data; the status of a call cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from veracity.answer.expression import parse, results_used
from veracity.answer.render import FigureProvenance
from veracity.contracts import QueryValidationError, clip
from veracity.grounding.case import GuardCase
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Finding, TraceStep
from veracity.grounding.messages import finding
from veracity.grounding.names import lists_things, named_in
from veracity.grounding.placeholders import find_placeholders

_SENTENCE_END = re.compile(r"[?？!！。\n]|\.(?=\s|$)")
_MADE_UP = frozenset({"numbered", "identifier", "stock", "contact"})
_SAYS_FAILED = re.compile(
    r"(?<![a-zäöü])(?:fehlgeschlagen|fehlschlug|fehler(?:haft|meldung)?|zeitüberschreitung|abgebrochen|nicht erreichbar|"
    r"(?:konnten?|kann|können|liess|ließ|lässt) (?:ich |wir |sich )?(?:\w+ ){0,6}?(?:nicht|keine?n?)|kein(?:en)? zugriff|"
    r"failed|failure|error|timed out|time-?out|unavailable|unreachable|not (?:be )?(?:reachable|accessible|available)|"
    r"(?:could|can) ?not|couldn['’]t|can['’]t|unable to|was not able|were not able|no access)(?![a-zäöü])|"
    r"失败|出错|错误|超时|无法|不可用|未能|不能(?:查询|访问|读取|连接)|没能",
    re.IGNORECASE,
)


def required_tools_called(case: GuardCase) -> Iterator[Finding]:
    """An answer that states data rests on the tools that its source needs; without a trace this is not known."""
    if case.trace is None or not states_data(case):
        return
    if not case.trace:
        yield finding(case, "required_tools", None, key="nothing_called")
        return
    sources = sources_of(case.trace, case.config)
    lacking = [source for source in sources if source.lacks(case.config)]
    # The sources that the figures come from must be right; where nobody knows them, one that is right will do.
    cited = [source for source in sources if source.results & case.rests_on]
    if cited:
        wrong = [source for source in cited if source in lacking]
    else:
        wrong = lacking if len(lacking) == len(sources) else []
    for source in wrong:
        if not source.failed:
            tools = _said(source.lacks(case.config))
            yield finding(case, "required_tools", None, key="tool_missing", source=source.name, tools=tools)


def failed_tools_unused(case: GuardCase) -> Iterator[Finding]:
    """An answer does not use what a failed call should have returned, unless it says plainly that the call failed."""
    if not case.trace:
        return
    broken = {step.result for step in case.trace if step.status == "error" and step.result}
    for claim in case.claims:
        node = parse(claim.expression)
        cited = broken & set(() if isinstance(node, QueryValidationError) else results_used(node))
        for result in sorted(cited):
            at = case.text.find(claim.text)
            span = (at, at + len(claim.text)) if at >= 0 and claim.text else None
            yield finding(case, "failed_tool", span, key="failed_result", text=claim.text, result=result)
    failed = [source for source in sources_of(case.trace, case.config) if source.failed]
    if failed and not says_failed(case.text) and _leans_on(failed, case):
        for source in failed:
            tool = clip(source.steps[-1].tool, 40)
            yield finding(case, "failed_tool", None, key="call_failed", source=source.name, tool=tool)


def says_failed(text: str) -> bool:
    """Whether an answer says that something went wrong."""
    return _SAYS_FAILED.search(text) is not None


def _leans_on(failed: Sequence[NeededSource], case: GuardCase) -> bool:
    """Whether the answer states data that no successful call has returned."""
    if not states_data(case):
        return False
    if not any(step.status == "ok" for step in case.trace or ()):
        return True
    if case.rests_on & {result for source in failed for result in source.broken}:
        return True
    return not all(_is_proven(one, case) for one in case.provenance) or not _names_are_held(case)


def _is_proven(one: FigureProvenance, case: GuardCase) -> bool:
    return one.status == "bound" or _is_asked(one, case)


def _names_are_held(case: GuardCase) -> bool:
    return all(case.known.holds(name.text) for name in named_in(case))


# --- sources


@dataclass(frozen=True, slots=True)
class NeededSource:
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


def sources_of(trace: Sequence[TraceStep], config: GuardConfig) -> list[NeededSource]:
    """The sources of a trace, in the order of their first call."""
    kinds: dict[str, str] = {}
    for step in trace:
        if step.source_id and step.source_kind:
            kinds.setdefault(step.source_id, step.source_kind)
    grouped: dict[tuple[str | None, str | None], list[TraceStep]] = {}
    for step in trace:
        kind = step.source_kind or kinds.get(step.source_id or "") or _kind_of(step.tool, config)
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


def _said(tools: Sequence[frozenset[str]]) -> str:
    return ", ".join(" | ".join(sorted(names)) for names in tools)


# --- does it state data?


def states_data(case: GuardCase) -> bool:
    """Whether an answer states figures that are not the question's, names of things, or rows of a table."""
    return (
        any(not _is_asked(one, case) for one in case.provenance)
        or any(listing.kind == "table" and not listing.offered for listing in case.listings)
        or any(lists_things(case, listing) and _says_more(listing.items, case) for listing in case.listings)
        or any(not case.known.asked(name.text) for name in named_in(case))
        or any(
            hit.kind in _MADE_UP and not case.known.asked(hit.text) for hit in find_placeholders(case.text, case.config)
        )
    )


def _says_more(items: Sequence[object], case: GuardCase) -> bool:
    """Whether a list says something that the question does not."""
    return any(not case.known.asked(getattr(item, "head", "")) for item in items)


def _is_asked(one: FigureProvenance, case: GuardCase) -> bool:
    """Whether a figure is the question's own, a constant, or a year or date that the answer asks back for."""
    return (one.status == "bound" and one.kind in ("question", "constant")) or asks_back(one, case)


def asks_back(one: FigureProvenance, case: GuardCase) -> bool:
    """Whether it is a year or date in a question back: `2024 or 2025?`"""
    end = _SENTENCE_END.search(case.text, one.span[1])
    return end is not None and end.group() in "?？" and _is_calendar(one.text)


def _is_calendar(text: str) -> bool:
    year = text.isascii() and text.isdigit() and len(text) == 4 and 1900 <= int(text) <= 2100
    return year or re.fullmatch(r"[0-9]{1,4}[-./年][0-9]{1,2}[-./月][0-9]{0,4}日?", text) is not None
