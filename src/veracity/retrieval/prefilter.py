"""Before anything is scored: what a request rules out, what is too old, and what is there twice.

    policies, preferences -> disallowed -> stale -> duplicate

Each check is one function over one entry and says why it drops it; whatever is dropped is in `debug.pre_filter`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from veracity.retrieval.addresses import SourceList, canonical, domain_type_of, host_of
from veracity.retrieval.contracts import (
    FreshnessMode,
    Policy,
    RerankRequest,
    RerankSettings,
    ScoringContext,
    SearchCandidate,
)
from veracity.retrieval.jurisdictions import is_law_host

_LONGEST = 5_000
"""Characters of a snippet that are compared and scored."""
_DAY = 86_400.0
_MONTHS = 12
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class PrefilterEntry:
    """A candidate on its way through the pipeline, with its policy applied."""

    candidate: SearchCandidate
    position: int
    """Where it stood in the request: the last word when everything else is equal."""
    host: str
    bucket: str
    """The kind of its source: the domain type, else the host."""
    text: str
    spelled: str
    """Its words in order, title and snippet apart: another dash or space does not make another text."""
    words: frozenset[str]
    age_days: float | None
    limit_days: float | None
    """How old it may be; None: as old as it likes."""

    @property
    def id(self) -> str:
        """The candidate's id."""
        return self.candidate.id


@dataclass(frozen=True, slots=True)
class Filtered:
    """What is left, in the order of the request, and what was dropped and why."""

    kept: tuple[PrefilterEntry, ...]
    dropped: list[dict[str, Any]] = field(default_factory=list)


def prefilter(request: RerankRequest, settings: RerankSettings, now: datetime) -> Filtered:
    """The candidates that deserve a score."""
    context = request.scoring_context
    preferred = SourceList(context.preferred_sources)
    checks: tuple[_Check, ...] = (_disallowed(context), _stale, _Duplicates())
    kept: list[PrefilterEntry] = []
    dropped: list[dict[str, Any]] = []
    for position, given in enumerate(request.candidates):
        judged = _preferred(_under_policy(_law_by_host(given), request.policies), preferred)
        entry = _entry(judged, position, context.freshness_mode, settings, now)
        why = next((found for check in checks if (found := check(entry))), None)
        if why is None:
            kept.append(entry)
        else:
            dropped.append({"id": entry.id, **why})
    return Filtered(tuple(kept), dropped)


# --- the checks


_Check = Callable[[PrefilterEntry], dict[str, Any] | None]


def _disallowed(context: ScoringContext) -> _Check:
    """Whatever comes from a source that the request rules out."""
    listed = SourceList(context.disallowed_sources)

    def check(entry: PrefilterEntry) -> dict[str, Any] | None:
        source = listed.source_of(entry.candidate.url)
        return None if source is None else {"reason": "disallowed", "source": source}

    return check


def _stale(entry: PrefilterEntry) -> dict[str, Any] | None:
    """Older than its mode allows; without a date nobody can tell, and it stays."""
    if entry.age_days is None or entry.limit_days is None or entry.age_days <= entry.limit_days:
        return None
    return {"reason": "stale", "age_days": round(entry.age_days, 1), "limit_days": entry.limit_days}


class _Duplicates:
    """The same id, the same page, or the same title and snippet as one before."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], str] = {}

    def __call__(self, entry: PrefilterEntry) -> dict[str, Any] | None:
        candidate = entry.candidate
        keys = [("id", candidate.id)]
        if candidate.url:
            keys.append(("url", canonical(candidate.url)))
        if entry.words:
            keys.append(("text", entry.spelled))
        first = next((self._seen[key] for key in keys if key in self._seen), None)
        if first is not None:
            return {"reason": "duplicate", "of": first}
        self._seen.update(dict.fromkeys(keys, candidate.id))
        return None


# --- an entry


def _law_by_host(candidate: SearchCandidate) -> SearchCandidate:
    """What a host that publishes the law has is a law, where the candidate does not say whether it is."""
    if "normative" in candidate.model_fields_set or not is_law_host(candidate.url):
        return candidate
    return candidate.model_copy(update={"normative": True})


def _under_policy(candidate: SearchCandidate, policies: Mapping[str, Policy]) -> SearchCandidate:
    """The candidate as the policy of its host has it, or of the nearest domain above."""
    host = host_of(candidate.url)
    while policies and host:
        if host in policies:
            known = policies[host].model_dump(exclude_none=True)
            return candidate.model_copy(update=known) if known else candidate
        host = host.partition(".")[2]
    return candidate


def _preferred(candidate: SearchCandidate, preferred: SourceList) -> SearchCandidate:
    """What comes from a preferred source is highly trusted."""
    if candidate.trust == "high" or preferred.source_of(candidate.url) is None:
        return candidate
    return candidate.model_copy(update={"trust": "high"})


def _entry(
    candidate: SearchCandidate, position: int, mode: FreshnessMode, settings: RerankSettings, now: datetime
) -> PrefilterEntry:
    host = host_of(candidate.url)
    kind = candidate.domain_type or domain_type_of(candidate.url)
    title, snippet = candidate.title.casefold(), candidate.snippet[:_LONGEST].casefold()
    called, said = words_of(title), words_of(snippet)
    seen = candidate.detected_date
    return PrefilterEntry(
        candidate=candidate,
        position=position,
        host=host,
        bucket=kind or host or "unknown",
        text=f"{title}\n{snippet}",
        spelled=f"{' '.join(called)}\n{' '.join(said)}",
        words=frozenset(called).union(said),
        age_days=None if seen is None else (now - seen).total_seconds() / _DAY,
        limit_days=freshness_limit(mode, settings, normative=candidate.normative),
    )


def freshness_limit(mode: FreshnessMode, settings: RerankSettings, *, normative: bool) -> float | None:
    """How many days old a source may be; the strict mode for software is the laxer one, in spite of its name."""
    if mode == "software_docs_strict":
        return settings.software_freshness_days
    return None if mode == "law_evergreen" and normative else settings.default_freshness_days


def freshness_penalty(age_days: float | None, limit_days: float | None, settings: RerankSettings) -> float:
    """Points off for age: a year's worth of them at the limit, so that 36 months do not cost 72 points."""
    if age_days is None or limit_days is None:
        return 0.0
    return settings.freshness_penalty_per_month * _MONTHS * max(0.0, age_days) / limit_days


def words_of(text: str) -> list[str]:
    """The words of a text in small letters; of Chinese and Japanese, every two characters that stand together."""
    tokens: list[str] = _TOKEN.findall(text.casefold())
    if text.isascii():
        return tokens
    found: list[str] = []
    for token in tokens:
        if token[0] < "\u3040" or token[0] > "\u9fff" or len(token) == 1:
            found.append(token)
        else:
            found.extend(token[at : at + 2] for at in range(len(token) - 1))
    return found
