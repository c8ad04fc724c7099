"""The heuristic: a score for each candidate without a language model, from its words, its meaning, its facets and its age."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from veracity.contracts import clip
from veracity.language.locale import pick
from veracity.language.number_words import words_in
from veracity.retrieval.context_fit import ContextFit, context_fit
from veracity.retrieval.contracts import (
    CoverageDimension,
    LLMScoredItem,
    RerankSettings,
    ScoringContext,
    SearchCandidate,
)
from veracity.retrieval.coverage import facets_of, joined, sentence
from veracity.retrieval.custom_facets import custom_shares
from veracity.retrieval.prefilter import PrefilterEntry, freshness_penalty, words_of

if TYPE_CHECKING:
    from veracity.language.embed import Embedder

_EMBEDDED = 300
"""Characters of a candidate that are embedded: a snippet is seldom longer, and time grows with them."""
_STEM = 5
_MEANING = 0.5
"""How much of the relevance is meaning, where there is an embedder; the rest is words."""
_ALIKE = 0.8
"""The cosine of a question and a text that answers it well; rarely more."""

_STOP = frozenset(
    words_in(
        "a an and are as at be by can do does for from has have how in is it its of on or our that the their there these this to was we "
        "were what when where which who why will with you your "
        "als am an auf aus bei das dem den der des die ein eine einem einen einer eines er es für gibt hat im in ist man mit nach "
        "oder sich sie sind über um und uns unser von vor war was welche welchem welchen welcher welches wer werden wie wir wird wo "
        "zu zum zur "
        "什么 哪些 哪个 如何 怎么 怎样 多少 是否 我们 请问"
    )
)
_WORDS: dict[str, dict[str, str]] = {
    "words": {
        "de": "enthält {hits} von {all} Wörtern der Frage",
        "en": "has {hits} of {all} words of the question",
        "zh": "包含问题中 {all} 个词里的 {hits} 个",
    },
    "fills": {"de": "füllt die Lücke {facets}", "en": "fills the gap {facets}", "zh": "填补空缺 {facets}"},
    "covers": {"de": "behandelt {facets}", "en": "covers {facets}", "zh": "涉及 {facets}"},
    "law": {"de": "betrifft {wanted}", "en": "is about {wanted}", "zh": "涉及 {wanted}"},
    "other_law": {
        "de": "betrifft {about}, nicht {wanted}",
        "en": "is about {about}, not {wanted}",
        "zh": "涉及 {about}，而非 {wanted}",
    },
    "output": {"de": "dient der Ausgabe {target}", "en": "serves the output {target}", "zh": "适用于 {target}"},
    "old": {
        "de": "{days} Tage alt, {points} Punkte Abzug",
        "en": "{days} days old, {points} points off",
        "zh": "已有 {days} 天，扣 {points} 分",
    },
}

# --- relevance


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well a candidate fits the question, from 0 to 100, and what that is made of."""

    value: float
    words: float
    meaning: float | None
    hits: int
    asked: int


class WordMatch:
    """The question's words in the candidates' texts; words that few candidates have count for more."""

    def __init__(self, question: str, entries: Sequence[PrefilterEntry]) -> None:
        asked = [word for word in dict.fromkeys(words_of(question)) if word not in _STOP]
        self._stems = list(dict.fromkeys(word[:_STEM] for word in asked))
        self._found = [self._stems_in(entry.words) for entry in entries]
        every = len(entries)
        held = {stem: sum(stem in found for found in self._found) for stem in self._stems}
        self._weights = {stem: log(1 + (every + 1) / (count + 1)) for stem, count in held.items()}

    def _stems_in(self, words: frozenset[str]) -> frozenset[str]:
        stems = {word[:_STEM] for word in words}
        return frozenset(stem for stem in self._stems if stem in stems)

    def share(self, at: int) -> float:
        """How much of the question the text of this entry has, from 0 to 1."""
        whole = sum(self._weights.values())
        return sum(self._weights[stem] for stem in self._found[at]) / whole if whole else 0.0

    def relevance(self, at: int, cosine: float | None = None) -> Relevance:
        """Words alone, or words and meaning half each."""
        words = self.share(at)
        meaning = None if cosine is None else min(1.0, max(0.0, cosine) / _ALIKE)
        mixed = words if meaning is None else (1 - _MEANING) * words + _MEANING * meaning
        return Relevance(100 * mixed, words, meaning, len(self._found[at]), len(self._stems))


def cosines(question: str, candidates: Sequence[SearchCandidate], embedder: Embedder) -> list[float]:
    """How near each candidate's meaning is to the question's."""
    texts = [f"{one.title}. {one.snippet}"[:_EMBEDDED] for one in candidates]
    vectors = embedder.embed([question, *texts])
    return [float(value) for value in vectors[1:] @ vectors[0]]


# --- risks


def risks_of(entry: PrefilterEntry, context: ScoringContext, fit: ContextFit) -> tuple[str, ...]:
    """What a person should know before they trust it; a law holds until it is changed, whatever its date."""
    candidate = entry.candidate
    found = {
        "no_date": candidate.detected_date is None and not candidate.normative,
        "future_date": entry.age_days is not None and entry.age_days < -1,
        "version_mismatch": _versions_differ(context.version_target, candidate.version_hint),
        "other_jurisdiction": fit.elsewhere,
        "low_trust": candidate.trust == "low",
        "no_text": not entry.words,
    }
    return tuple(flag for flag, holds in found.items() if holds)


def _versions_differ(wanted: str | None, found: str | None) -> bool:
    """Whether two versions differ as far as both say; 3.11 and 3.11.4 do not."""
    if not wanted or not found:
        return False
    pairs = zip(re.findall(r"[^\W_]+", wanted.casefold()), re.findall(r"[^\W_]+", found.casefold()), strict=False)
    return any(one.removeprefix("v") != other.removeprefix("v") for one, other in pairs)


# --- the item


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What is known of a candidate before anyone scores it."""

    facets: dict[CoverageDimension, float]
    custom: dict[str, float]
    fit: ContextFit
    risks: tuple[str, ...]


def facts_of(
    entry: PrefilterEntry, context: ScoringContext, declared: Mapping[str, Sequence[str]], settings: RerankSettings
) -> EntryFacts:
    """Facets by keyword, unless the candidate says them itself; how it fits the context; and its risks."""
    fit = context_fit(entry, context, settings)
    return EntryFacts(
        facets={**facets_of(entry.text), **entry.candidate.facet_coverage},
        custom={**custom_shares(entry.text, declared), **entry.candidate.custom_facets},
        fit=fit,
        risks=risks_of(entry, context, fit),
    )


def heuristic_item(
    entry: PrefilterEntry,
    relevance: Relevance,
    *,
    context: ScoringContext,
    facts: EntryFacts,
    gaps: Sequence[str],
    lang: str,
    settings: RerankSettings,
) -> LLMScoredItem:
    """What the heuristic says of a candidate: relevance and what fits the context, less the points for its age."""
    penalty = freshness_penalty(entry.age_days, entry.limit_days, settings)
    held = joined(facts.facets, facts.custom)
    filled = tuple(gap for gap in gaps if gap in held)
    said = [pick(_WORDS["words"], lang).format(hits=relevance.hits, all=relevance.asked)]
    said += _facets_in_words("fills", filled, lang) + _facets_in_words(
        "covers", [one for one in held if one not in filled], lang
    )
    said += _fit_in_words(facts.fit, context, lang)
    if round(penalty):
        said.append(pick(_WORDS["old"], lang).format(days=round(entry.age_days or 0), points=round(penalty)))
    return LLMScoredItem(
        candidate_id=entry.id,
        score=round(min(100.0, max(0.0, relevance.value + facts.fit.points - penalty)), 2),
        reason=clip(sentence(said, lang), settings.max_reason_length),
        gap_tags=filled,
        risk_flags=facts.risks,
        facet_coverage=facts.facets,
        custom_facets=facts.custom,
    )


def _fit_in_words(fit: ContextFit, context: ScoringContext, lang: str) -> list[str]:
    words = {"wanted": context.jurisdiction, "about": ", ".join(fit.about), "target": context.output_target}
    keys = ["law"] if fit.jurisdiction > 0 else ["other_law"] if fit.elsewhere else []
    keys += ["output"] if fit.output > 0 else []
    return [pick(_WORDS[key], lang).format(**words) for key in keys]


def _facets_in_words(key: str, facets: Sequence[str], lang: str) -> list[str]:
    return [pick(_WORDS[key], lang).format(facets=", ".join(facets))] if facets else []
