"""Re-ranking, as its list of steps.

request
  -> prefilter   prefilter.py   policies; disallowed, stale and duplicate candidates go
  -> select      fusion.py      the most relevant ones that differ (MMR), each with its points off for age
  -> recall      corpus         what is known already: three to five key points, kept for five minutes
  -> score       Scorer         a language model, where one is set; scoring.py for whatever it did not score
  -> fuse        fusion.py      both rankings, bonuses, redundancy
  -> best        fusion.py      the first of them, of several kinds of sources
  -> result      coverage.py    what they add, what stays open, what to take up
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter, ValidationError

from veracity.contracts import clip
from veracity.errors import SourceError
from veracity.retrieval.contracts import (
    Cache,
    Corpus,
    Flags,
    HybridResult,
    KeyPoint,
    LLMScoredItem,
    RerankRequest,
    RerankSettings,
    ScoredBatch,
    Scorer,
)
from veracity.retrieval.coverage import Coverage, best_coverage, coverage_delta, coverage_of, recommended
from veracity.retrieval.fusion import Best, Fused, Picked, best_of, fuse, mmr, ranks_of
from veracity.retrieval.prefilter import Filtered, PrefilterEntry, freshness_penalty, prefilter
from veracity.retrieval.scoring import EntryFacts, Relevance, WordMatch, cosines, facts_of, heuristic_item
from veracity.telemetry import Span, Telemetry

if TYPE_CHECKING:
    from veracity.language.embed import Embedder

_POINTS = TypeAdapter(tuple[KeyPoint, ...])


def _now() -> datetime:
    return datetime.now(UTC)


async def rerank(
    request: RerankRequest,
    *,
    settings: RerankSettings | None = None,
    corpus: Corpus | None = None,
    scorer: Scorer | None = None,
    cache: Cache | None = None,
    embedder: Embedder | None = None,
    facets: Mapping[str, Sequence[str]] | None = None,
    clock: Callable[[], datetime] = _now,
    telemetry: Telemetry | None = None,
) -> HybridResult:
    """The candidates of a request, ranked and explained; what fails on the way is a flag, and the ranking stands.

    Without a scorer the heuristic scores, by words and, with an embedder, by meaning. A request that names a corpus and is
    given none was meant to have one: it is unavailable. `facets` are those of the tenant, beside what the request declares.
    """
    settings, telemetry = settings or RerankSettings(), telemetry or Telemetry.off()
    with telemetry.reranking(question=request.scoring_context.question, candidates=len(request.candidates)) as span:
        filtered = prefilter(request, settings, clock())
        selected = _select(request, filtered, settings)
        recalled = await _recall(request, corpus, cache, settings)
        declared = {**(facets or {}), **request.scoring_context.custom_facets}
        coverage = coverage_of(
            request.scoring_context, recalled.points, settings, corpus=recalled.corpus, declared=declared
        )
        facts = {one.id: facts_of(one, request.scoring_context, declared, settings) for one in selected.entries}
        batch = await _ask_scorer(request, selected, recalled.points, scorer, declared)
        scored = await _score(request, selected, coverage, batch, embedder, facts=facts, settings=settings)
        fused = _fuse(request, selected, coverage, scored, settings)
        best = _best(request, selected, fused, settings)
        parts = _RerankParts(filtered, selected, recalled, coverage, facts, batch, scored, fused, best)
        _observe(parts, settings, telemetry, span)
        return _make_result(request, parts, settings)


# --- select


@dataclass(frozen=True, slots=True)
class _Selected:
    """The entries worth a score, best first."""

    entries: tuple[PrefilterEntry, ...]
    bases: dict[str, dict[str, float]]
    picked: tuple[Picked, ...]
    dropped: list[dict[str, Any]]


def _select(request: RerankRequest, filtered: Filtered, settings: RerankSettings) -> _Selected:
    """The search's score, or the question's words where it gave none, less the points for age; then MMR."""
    match = WordMatch(request.scoring_context.question, filtered.kept)
    bases: list[dict[str, float]] = []
    for at, entry in enumerate(filtered.kept):
        given = entry.candidate.base_score
        found = 100 * match.share(at) if given is None else given
        penalty = freshness_penalty(entry.age_days, entry.limit_days, settings)
        bases.append({"base": found, "freshness_penalty": penalty, "adjusted": max(0.0, found - penalty)})
    adjusted = [one["adjusted"] for one in bases]
    picked = mmr(filtered.kept, adjusted, weight=settings.mmr_lambda, limit=settings.mmr_limit)
    by_id = {entry.id: base for entry, base in zip(filtered.kept, bases, strict=True)}
    entries = sorted((one.entry for one in picked), key=lambda entry: (-by_id[entry.id]["adjusted"], entry.position))
    chosen = {entry.id for entry in entries}
    dropped = [{"id": entry.id, "reason": "mmr"} for entry in filtered.kept if entry.id not in chosen]
    return _Selected(tuple(entries), {one: by_id[one] for one in chosen}, tuple(picked), dropped)


# --- recall


@dataclass(frozen=True, slots=True)
class _Recalled:
    """What is known already."""

    points: tuple[KeyPoint, ...] = ()
    cache_hit: bool = False
    corpus: Literal["there", "unavailable", "no_corpus"] = "there"
    problem: str | None = None
    """Why it is unavailable, where that is known."""


async def _recall(
    request: RerankRequest, corpus: Corpus | None, cache: Cache | None, settings: RerankSettings
) -> _Recalled:
    if corpus is None:
        return _Recalled(corpus="no_corpus" if request.corpus is None else "unavailable")
    # A corpus without a name cannot be told from another one: its key points are not kept.
    key = _recall_key(request, settings) if cache is not None and request.corpus is not None else None
    if cache is not None and key is not None and (kept := _read_points(cache.get(key))) is not None:
        return _Recalled(kept, cache_hit=True)
    try:
        context = request.scoring_context
        points = await corpus.key_points(
            context.question, most=settings.max_key_points, scope=context.collection_scope or None
        )
    except SourceError as error:
        return _Recalled(corpus="unavailable", problem=str(error))
    points = tuple(points[: settings.max_key_points])
    if cache is not None and key is not None and settings.rag_cache_ttl_s > 0:
        cache.put(key, _POINTS.dump_python(points, mode="json"), seconds=settings.rag_cache_ttl_s)
    return _Recalled(points)


def _recall_key(request: RerankRequest, settings: RerankSettings) -> str:
    context = request.scoring_context
    asked = [request.corpus, context.collection_scope, context.question, settings.max_key_points]
    return f"rag:{sha256(json.dumps(asked).encode()).hexdigest()}"


def _read_points(value: Any) -> tuple[KeyPoint, ...] | None:
    """Key points from a cache; what another version wrote is not there."""
    try:
        return None if value is None else _POINTS.validate_python(value)
    except ValidationError:
        return None


# --- score


async def _ask_scorer(
    request: RerankRequest,
    selected: _Selected,
    points: Sequence[KeyPoint],
    scorer: Scorer | None,
    declared: Mapping[str, Sequence[str]],
) -> ScoredBatch:
    """What the language model says, where there is one and something to ask it."""
    if scorer is None or request.control.llm == "off" or not selected.entries:
        return ScoredBatch(fallback="no_model" if scorer is None else "off" if selected.entries else None)
    candidates = tuple(entry.candidate for entry in selected.entries)
    context = request.scoring_context.model_copy(update={"custom_facets": declared})
    return await scorer.score(context, points, candidates, max_tokens=request.control.max_tokens)


@dataclass(frozen=True, slots=True)
class _Scored:
    """An item for every entry, and the ranks that the scores make."""

    items: dict[str, LLMScoredItem]
    ranks: dict[str, int]
    by_model: int
    relevances: dict[str, Relevance]


async def _score(
    request: RerankRequest,
    selected: _Selected,
    coverage: Coverage,
    batch: ScoredBatch,
    embedder: Embedder | None,
    *,
    facts: Mapping[str, EntryFacts],
    settings: RerankSettings,
) -> _Scored:
    """The model's items, completed; whatever it left out gets the heuristic's, and stands behind what it scored."""
    context, lang = request.scoring_context, _language_of(request)
    said = {item.candidate_id: item for item in reversed(batch.items)}
    judged = {
        entry.id: _completed(said[entry.id], facts[entry.id], coverage, settings)
        for entry in selected.entries
        if entry.id in said
    }
    left = [entry for entry in selected.entries if entry.id not in judged]
    match = WordMatch(context.question, left)
    meanings: Sequence[float | None] = [None] * len(left)
    if embedder is not None and left:
        # In a thread: a paragraph takes a tenth of a second.
        meanings = await asyncio.to_thread(cosines, context.question, [one.candidate for one in left], embedder)
    relevances = {entry.id: match.relevance(at, meanings[at]) for at, entry in enumerate(left)}
    guessed = {
        entry.id: heuristic_item(
            entry,
            relevances[entry.id],
            context=context,
            facts=facts[entry.id],
            gaps=coverage.gaps,
            lang=lang,
            settings=settings,
        )
        for entry in left
    }
    return _Scored({**judged, **guessed}, _ranks_by_score(judged, guessed), len(judged), relevances)


def _ranks_by_score(judged: Mapping[str, LLMScoredItem], guessed: Mapping[str, LLMScoredItem]) -> dict[str, int]:
    """By the model's scores, the rest behind as the search had it: the two kinds of scores cannot be compared."""
    if not judged:
        return ranks_of({one: item.score for one, item in guessed.items()})
    behind = {one: place for place, one in enumerate(guessed, start=len(judged) + 1)}
    return {**ranks_of({one: item.score for one, item in judged.items()}), **behind}


def _completed(item: LLMScoredItem, facts: EntryFacts, coverage: Coverage, settings: RerankSettings) -> LLMScoredItem:
    """A model's item with what it did not say: facets by keyword, gaps by facet, risks by fact."""
    facets = item.facet_coverage or facts.facets
    custom = {**facts.custom, **item.custom_facets}
    filled = item.gap_tags or tuple(gap for gap in coverage.gaps if gap in facets or gap in custom)
    risks = dict.fromkeys((*item.risk_flags, *facts.risks))
    said = {"facet_coverage": facets, "custom_facets": custom, "gap_tags": filled, "risk_flags": tuple(risks)}
    return item.model_copy(update={**said, "reason": clip(item.reason, settings.max_reason_length)})


# --- fuse, best


def _fuse(
    request: RerankRequest, selected: _Selected, coverage: Coverage, scored: _Scored, settings: RerankSettings
) -> Fused:
    found = ranks_of({entry.id: selected.bases[entry.id]["adjusted"] for entry in selected.entries})
    return fuse(
        selected.entries,
        scored.items,
        (found, scored.ranks),
        gaps=coverage.gaps,
        mode=request.control.fusion,
        settings=settings,
    )


def _best(request: RerankRequest, selected: _Selected, fused: Fused, settings: RerankSettings) -> Best:
    buckets = {entry.id: entry.bucket for entry in selected.entries}
    kinds = request.scoring_context.min_diversity_buckets or settings.min_diversity_buckets
    return best_of(fused.ranked, buckets, count=request.control.top_k, kinds=kinds)


# --- result


@dataclass(frozen=True, slots=True)
class _RerankParts:
    """What every step made."""

    filtered: Filtered
    selected: _Selected
    recalled: _Recalled
    coverage: Coverage
    facts: dict[str, EntryFacts]
    batch: ScoredBatch
    scored: _Scored
    fused: Fused
    best: Best


def _make_result(request: RerankRequest, parts: _RerankParts, settings: RerankSettings) -> HybridResult:
    lang, coverage = _language_of(request), parts.coverage
    kinds = request.scoring_context.min_diversity_buckets or settings.min_diversity_buckets
    flags = Flags(
        rag_unavailable=parts.recalled.corpus == "unavailable",
        llm_timeout=parts.batch.timed_out,
        rag_cache_hit=parts.recalled.cache_hit,
        llm_cache_hit=parts.batch.cache_hit,
        diversity_unmet=len(parts.best.buckets) < kinds,
        debug=_debug_details(parts, settings),
    )
    return HybridResult(
        ranked=parts.fused.ranked,
        top_k=parts.best.items,
        coverage_delta=coverage_delta(coverage, parts.best.items, lang),
        recommended_ingest=recommended(coverage, parts.fused.ranked, lang, longest=settings.max_reason_length),
        flags=flags,
    )


def _debug_details(parts: _RerankParts, settings: RerankSettings) -> dict[str, Any]:
    """Every drop and every part of every figure."""
    selected, scored, fused, best = parts.selected, parts.scored, parts.fused, parts.best
    return {
        "pre_filter": {
            "dropped": [*parts.filtered.dropped, *selected.dropped],
            "mmr": {
                "selected": [{"id": one.entry.id, "max_overlap": round(one.max_overlap, 4)} for one in selected.picked]
            },
        },
        "rag": {
            "key_points": [point.model_dump(mode="json") for point in parts.recalled.points],
            "cache_hit": parts.recalled.cache_hit,
            "problem": parts.recalled.problem,
            "scope": parts.coverage.scope,
        },
        "llm": {
            "fallback": parts.batch.fallback,
            "cache_hit": parts.batch.cache_hit,
            "llm_items": scored.by_model,
        },
        "scores": {entry.id: _score_parts(entry.id, parts) for entry in selected.entries},
        "coverage": {
            "wanted": list(parts.coverage.wanted),
            "known": dict(parts.coverage.known),
            "compared": parts.coverage.compared,
            "corpus": parts.coverage.corpus,
            "gaps": list(parts.coverage.gaps),
            "top_k": best_coverage(best.items),
        },
        "fusion": {
            "fused_scores": {item.candidate_id: item.fused_score for item in fused.ranked},
            "rrf_components": {one: found.rounded() for one, found in fused.components.items()},
            "rrf_k": settings.rrf_k,
            "diversity_buckets": list(best.buckets),
            "swapped": [{"out": out, "in": came} for out, came in best.swapped],
        },
    }


def _score_parts(candidate: str, parts: _RerankParts) -> dict[str, Any]:
    """How one score came about: what the search gave, what age cost, and what the heuristic saw."""
    found: dict[str, Any] = {name: round(value, 4) for name, value in parts.selected.bases[candidate].items()}
    found["by"] = "heuristic" if candidate in parts.scored.relevances else "model"
    if relevance := parts.scored.relevances.get(candidate):
        found["words"] = round(relevance.words, 4)
        found["meaning"] = None if relevance.meaning is None else round(relevance.meaning, 4)
        found["fit"] = parts.facts[candidate].fit.rounded()
    return found


def _observe(parts: _RerankParts, settings: RerankSettings, telemetry: Telemetry, span: Span) -> None:
    """What an operator watches: hits of the caches, the k, and how diverse the best are."""
    rag, llm, kinds = parts.recalled.cache_hit, parts.batch.cache_hit, len(parts.best.buckets)
    span.set(rag_cache_hit=rag, llm_cache_hit=llm, rrf_k_used=settings.rrf_k, diversity_count=kinds)
    span.set(kept=len(parts.filtered.kept), llm_items=parts.scored.by_model, fallback=parts.batch.fallback)
    telemetry.reranked(rag_cache_hit=rag, llm_cache_hit=llm, rrf_k_used=settings.rrf_k, diversity_count=kinds)


def _language_of(request: RerankRequest) -> str:
    from veracity.language.detect import language_of

    return language_of(request.scoring_context.question)
