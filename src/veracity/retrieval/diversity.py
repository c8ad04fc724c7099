"""Variety: which candidates are worth a score (maximal marginal relevance), and how many kinds of sources the best have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from veracity.retrieval.contracts import RankedItem
from veracity.retrieval.prefilter import Entry


@dataclass(frozen=True, slots=True)
class Picked:
    """An entry that was picked, and how much of it was there already: the overlap with the likest one before."""

    entry: Entry
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


def mmr(entries: Sequence[Entry], scores: Sequence[float], *, weight: float, limit: int) -> list[Picked]:
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
