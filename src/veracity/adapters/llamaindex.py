"""The guard in LlamaIndex: an evaluator of responses that needs no model.

A response of a query engine is held against its source nodes, one of an agent against what its tools returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from llama_index.core.evaluation import BaseEvaluator, EvaluationResult

from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Verdict
from veracity.grounding.guard import ground
from veracity.grounding.tool_returns import ToolReturn, results_of


def verdict_of(
    response: Any,
    *,
    question: str = "",
    source_kind: str | None = None,
    kinds: Mapping[str, str] | None = None,
    locale: str | None = None,
    config: GuardConfig | None = None,
    strict: bool = False,
) -> Verdict:
    """Whether a response is borne out by its source nodes, or by what the tools of its agent returned."""
    results, trace = results_of(_returns(response), source_kind=source_kind, kinds=kinds)
    return ground(str(response), results, question=question, locale=locale, trace=trace, config=config, strict=strict)


class GroundedEvaluator(BaseEvaluator):
    """Passes a response only if its contexts bear it out; `feedback` says what is wrong, `score` is 1 or 0."""

    def __init__(self, *, locale: str | None = None, config: GuardConfig | None = None, strict: bool = False) -> None:
        self._locale, self._config, self._strict = locale, config, strict

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        """No model is asked, so there are no prompts."""

    async def aevaluate(
        self, query: str | None = None, response: str | None = None, contexts: Sequence[str] | None = None, **_: Any
    ) -> EvaluationResult:
        """The verdict of the guard as LlamaIndex tells results."""
        results, _trace = results_of(ToolReturn("context", text) for text in contexts or ())
        verdict = ground(
            response or "",
            results,
            question=query or "",
            locale=self._locale,
            config=self._config,
            strict=self._strict,
        )
        passing = verdict.verdict == "pass"
        feedback = verdict.support if passing else " ".join(one.message for one in verdict.findings)
        return EvaluationResult(
            query=query,
            response=response,
            contexts=contexts,
            passing=passing,
            score=float(passing),
            feedback=feedback,
        )


def _returns(response: Any) -> Iterator[ToolReturn]:
    """What a response rests on: the outputs of tools, or else the texts of its source nodes."""
    calls = [
        *(getattr(response, "sources", None) or ()),
        *(one.tool_output for one in getattr(response, "tool_calls", None) or ()),
    ]
    for one in calls:
        raw = one.raw_output
        yield ToolReturn(one.tool_name, raw if raw is not None else one.content, ok=not one.is_error)
    if not calls:
        for node in getattr(response, "source_nodes", None) or ():
            yield ToolReturn("retrieve", node.node.get_content())
