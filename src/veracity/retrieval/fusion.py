"""Fusion: two rankings and three bonuses become one figure for each candidate (u = 1/(k+1), ranks from 1). And variety.

    fused  = redundancy * (rrf + rag + domain + policy)
    rrf    = mean of 1/(k + rank) over the rankings; equal scores share a rank
    rag    = 1.6 u * best coverage of a gap
    domain = u * trust                  high 1, medium 0.8, low 0
    policy = u * scale * priority / 10  with the default scale of 0.1: u * priority / 100
    redundancy = 0.85 ^ (better candidates of the same host)

`bounded` shrinks the bonuses, so that all together they move at most a tenth of what lies between the first and the last
rank: as they are (`seed`), one of them outweighs twenty ranks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from veracity.retrieval.contracts import Fusion, LLMScoredItem, RankedItem, RerankSettings, Trust
from veracity.retrieval.coverage import shares_of
from veracity.retrieval.prefilter import PrefilterEntry

_RAG = 1.6
_TRUST: dict[Trust, float] = {"high": 1.0, "medium": 0.8, "low": 0.0}
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Components:
    """What a fused score is made of."""

    rrf_term: float
    rag_bonus: float
    domain_bonus: float
    policy_bonus: float
    redundancy: float = 1.0

    @property
    def fused(self) -> float:
        """The figure that a ranking is sorted by."""
        return round(
            self.redundancy * (self.rrf_term + self.rag_bonus + self.domain_bonus + self.policy_bonus), _DIGITS
        )

    def rounded(self) -> dict[str, float]:
        """As `debug` shows it."""
        return {name: round(value, _DIGITS) for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Fused:
    """The ranking, best first, and how it came about."""

    ranked: tuple[RankedItem, ...]
    components: dict[str, Components]


def rrf(ranks: Sequence[int], k: int) -> float:
    """Reciprocal rank fusion: the mean over the rankings."""
    return sum(1 / (k + rank) for rank in ranks) / len(ranks)


def ranks_of(scores: Mapping[str, float]) -> dict[str, int]:
    """The rank of each; equal scores share the better one, so that chance decides nothing."""
    ranks: dict[str, int] = {}
    last: float | None = None
    for place, one in enumerate(sorted(scores, key=lambda one: -scores[one]), start=1):
        if scores[one] != last:
            rank, last = place, scores[one]
        ranks[one] = rank
    return ranks


def bonus_scale(mode: Fusion, settings: RerankSettings) -> float:
    """What every bonus is multiplied with: 1 as in the seed, or so much that all together stay within their share."""
    if mode == "seed":
        return 1.0
    k = settings.rrf_k
    span = 1 / (k + 1) - 1 / (k + settings.mmr_limit)
    largest = (_RAG + _TRUST["high"] + settings.policy_priority_scale * 10) / (k + 1)
    return settings.bounded_bonus_share * span / largest


def components_of(
    entry: PrefilterEntry,
    item: LLMScoredItem,
    ranks: Sequence[int],
    *,
    gaps: Sequence[str],
    mode: Fusion,
    settings: RerankSettings,
) -> Components:
    """A candidate's figures, before anyone else of its host is looked at."""
    unit = bonus_scale(mode, settings) / (settings.rrf_k + 1)
    candidate, shares = entry.candidate, shares_of(item)
    return Components(
        rrf_term=rrf(ranks, settings.rrf_k),
        rag_bonus=unit * _RAG * max((shares.get(gap, 0.0) for gap in gaps), default=0.0),
        domain_bonus=unit * _TRUST[candidate.trust],
        policy_bonus=unit * settings.policy_priority_scale * candidate.policy_priority / 10,
    )


def fuse(
    entries: Sequence[PrefilterEntry],
    items: Mapping[str, LLMScoredItem],
    rankings: Sequence[Mapping[str, int]],
    *,
    gaps: Sequence[str],
    mode: Fusion,
    settings: RerankSettings,
) -> Fused:
    """One ranking of the entries, which are given best first: equal figures keep that order."""
    parts = {
        entry.id: components_of(
            entry, items[entry.id], [ranks[entry.id] for ranks in rankings], gaps=gaps, mode=mode, settings=settings
        )
        for entry in entries
    }
    parts = _without_redundancy(entries, parts, settings.domain_redundancy_penalty)
    order = sorted(entries, key=lambda entry: -parts[entry.id].fused)
    ranked = tuple(
        RankedItem.model_construct(**dict(items[entry.id]), fused_score=parts[entry.id].fused) for entry in order
    )
    return Fused(ranked, {entry.id: parts[entry.id] for entry in order})


def _without_redundancy(
    entries: Sequence[PrefilterEntry], parts: Mapping[str, Components], penalty: float
) -> dict[str, Components]:
    """Lower the figure of every further candidate of a host; those without a host are not compared."""
    earlier: Counter[str] = Counter()
    found: dict[str, Components] = {}
    for entry in sorted(entries, key=lambda entry: -parts[entry.id].fused):
        found[entry.id] = replace(parts[entry.id], redundancy=penalty ** earlier[entry.host] if entry.host else 1.0)
        earlier[entry.host] += 1
    return found


# --- variety: which candidates are worth a score (maximal marginal relevance), and how many kinds of sources the best have


@dataclass(frozen=True, slots=True)
class Picked:
    """An entry that was picked, and how much of it was there already: the overlap with the likest one before."""

    entry: PrefilterEntry
    max_overlap: float


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that two texts have in common (Jaccard); texts without words have nothing in common."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def scaled(values: Sequence[float]) -> list[float]:
    """The values from 0 to 1: unscaled scores would drown in the overlap, or the overlap in them."""
    if not values:
        return []
    low, high = min(values), max(values)
    return [1.0 if high == low else (value - low) / (high - low) for value in values]


def mmr(entries: Sequence[PrefilterEntry], scores: Sequence[float], *, weight: float, limit: int) -> list[Picked]:
    """So many entries, each the best of `weight * score - (1 - weight) * overlap` when it was picked.

    Linear in the entries: for each only its overlap with the last one picked is new.
    """
    open_ = [
        [weight * score, 0.0, at] for at, score in enumerate(scaled(scores))
    ]  # what relevance is worth, the greatest overlap so far, the entry
    picked: list[Picked] = []
    variety = 1.0 - weight
    while open_ and len(picked) < limit:
        best = max(range(len(open_)), key=lambda i: (open_[i][0] - variety * open_[i][1], open_[i][0], -open_[i][2]))
        _worth, most, at = open_.pop(best)
        entry = entries[int(at)]
        picked.append(Picked(entry, most))
        for one in open_:
            one[1] = max(one[1], overlap(entry.words, entries[int(one[2])].words))
    return picked


@dataclass(frozen=True, slots=True)
class Best:
    """The beginning of a ranking, in its order, with the kinds of sources in it."""

    items: tuple[RankedItem, ...]
    buckets: tuple[str, ...]
    swapped: tuple[tuple[str, str], ...]
    """Who had to go, and who came instead."""


def best_of(ranked: Sequence[RankedItem], buckets: Mapping[str, str], *, count: int, kinds: int) -> Best:
    """The first `count`, with at least so many kinds of sources if that can be had; the first never goes.

    Of a kind that is there more than once, the last makes room for the best one of a new kind.
    """
    chosen, rest = list(ranked[:count]), list(ranked[count:])
    swapped: list[tuple[str, str]] = []
    while len(present := Counter(buckets[item.candidate_id] for item in chosen)) < kinds:
        comes = next((item for item in rest if buckets[item.candidate_id] not in present), None)
        goes = next((item for item in reversed(chosen[1:]) if present[buckets[item.candidate_id]] > 1), None)
        if comes is None or goes is None:
            break
        chosen.remove(goes)
        rest.remove(comes)
        chosen.append(comes)
        swapped.append((goes.candidate_id, comes.candidate_id))
    places = {item.candidate_id: at for at, item in enumerate(ranked)}
    chosen.sort(key=lambda item: places[item.candidate_id])
    kinds_present = tuple(dict.fromkeys(buckets[item.candidate_id] for item in chosen))
    return Best(tuple(chosen), kinds_present, tuple(swapped))
