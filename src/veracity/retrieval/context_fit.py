"""How well a candidate fits what the sources are wanted for, beside the question: jurisdiction, output and purpose.

The heuristic adds these points to its score; a language model reads the same fields itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veracity.retrieval.contracts import RerankSettings, ScoringContext
from veracity.retrieval.coverage import facets_of
from veracity.retrieval.custom_facets import starts_of_words
from veracity.retrieval.jurisdictions import jurisdictions_of, law_fit, share_of_words
from veracity.retrieval.prefilter import PrefilterEntry
from veracity.yaml_file import packaged

_FULL_HITS = 2
_SPACELESS = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class ContextFit:
    """Points for a candidate, by field of the context, and what they are given for."""

    jurisdiction: float = 0.0
    output: float = 0.0
    purpose: float = 0.0
    about: tuple[str, ...] = ()
    """The jurisdictions that the candidate is about, where it shows."""
    elsewhere: bool = False
    """All of them are others than the wanted one."""

    @property
    def points(self) -> float:
        """All together."""
        return self.jurisdiction + self.output + self.purpose

    def rounded(self) -> dict[str, float]:
        """As `debug` shows it."""
        return {name: round(getattr(self, name), 4) for name in ("jurisdiction", "output", "purpose")}


def context_fit(entry: PrefilterEntry, context: ScoringContext, settings: RerankSettings) -> ContextFit:
    """What a candidate's text and host say about the context of a request."""
    about = jurisdictions_of(entry.text, entry.candidate.url) if context.jurisdiction else ()
    law = law_fit(context.jurisdiction, about, entry.text) if context.jurisdiction else 0.0
    return ContextFit(
        jurisdiction=settings.jurisdiction_points * law,
        output=settings.output_points * _output_fit(context.output_target or "", entry),
        purpose=settings.purpose_points * share_of_words(context.purpose, entry.text),
        about=about,
        elsewhere=law < 0,
    )


def _output_fit(target: str, entry: PrefilterEntry) -> float:
    """How much a source serves an output of this name; one that is in no list is looked for by its own words."""
    if not target.strip():
        return 0.0
    facets = facets_of(entry.text)
    known = _target_of(target)
    if known is None:
        meant = facets_of(target)
        return max([share_of_words(target, entry.text), *(facets.get(one, 0.0) for one in meant)])
    hits = len(starts_of_words(tuple(known["words"])).findall(entry.text))
    wanted: list[float] = [facets.get(one, 0.0) for one in known.get("facets", ())]
    kind = 0.5 if entry.bucket in known.get("kinds", ()) else 0.0
    return min(1.0, max([hits / _FULL_HITS, *wanted]) + kind)


def _target_of(target: str) -> Mapping[str, Any] | None:
    """Which output is meant; of several names that are in it, the longest: a legal memo is no memo."""
    words = re.split(r"[\s_/]+", target.casefold())
    said = f" {' '.join(words)} "
    targets: Sequence[Mapping[str, Any]] = packaged(Path(__file__).with_name("output_targets.yaml"))
    names = [(name, at) for at, one in enumerate(targets) for name in one["called"]]
    meant = [(len(name), at) for name, at in names if f" {name} " in said or (_SPACELESS.search(name) and name in said)]
    return targets[max(meant)[1]] if meant else None
