"""Coverage: what texts are about, what is wanted and not known yet, and what the best candidates add to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from veracity.contracts import clip
from veracity.language.locale import pick
from veracity.retrieval.contracts import (
    CoverageDimension,
    KeyPoint,
    LLMScoredItem,
    RankedItem,
    RecommendedIngest,
    RerankSettings,
    ScoringContext,
)
from veracity.retrieval.custom_facets import custom_shares

_FULL_HITS = 3
_SHORT = 4
_KNOWN = 0.5
"""From here on a dimension counts as known."""
_FILLED = 0.3
"""From here on a candidate fills a gap: one keyword is enough."""

SEED_KEYWORDS: dict[CoverageDimension, tuple[str, ...]] = {
    CoverageDimension.LEGAL: ("legal", "gesetz", "policy", "compliance", "regulation", "gdpr"),
    CoverageDimension.TECHNICAL: ("technical", "system", "architecture", "api", "protocol"),
    CoverageDimension.PROCEDURAL: ("process", "procedure", "workflow", "steps"),
    CoverageDimension.DATA_CATEGORIES: ("data category", "pii", "personal data", "classification"),
    CoverageDimension.MONITORING_SURVEILLANCE: ("monitor", "surveillance", "observe", "watch"),
    CoverageDimension.LOGGING_AUDIT: ("audit", "logging", "log"),
    CoverageDimension.ANALYTICS_REPORTING: ("analytics", "report", "metric", "dashboard"),
    CoverageDimension.ACCESS_PRIVACY_SECURITY: ("privacy", "security", "access", "permission", "control"),
    CoverageDimension.API_INTEGRATION: ("api", "integration", "endpoint", "sdk"),
}
_MORE_ENGLISH: dict[CoverageDimension, tuple[str, ...]] = {
    CoverageDimension.LEGAL: ("policies", "law", "laws", "statut"),
    CoverageDimension.DATA_CATEGORIES: ("data categories",),
    CoverageDimension.LOGGING_AUDIT: ("logs",),
    CoverageDimension.API_INTEGRATION: ("apis",),
}
"""Forms of the same words that no beginning of them covers."""
_STEMS: dict[CoverageDimension, tuple[str, ...]] = {
    CoverageDimension.LEGAL: ("gesetz", "verordnung", "rechtlich", "richtlinie", "dsgvo", "法律", "法规", "合规", "条例"),
    CoverageDimension.TECHNICAL: ("technisch", "architektur", "技术", "系统", "架构"),
    CoverageDimension.PROCEDURAL: ("verfahren", "prozess", "ablauf", "arbeitsschritt", "流程", "步骤", "程序"),
    CoverageDimension.DATA_CATEGORIES: ("datenkategorie", "personendaten", "personenbezogen", "klassifi", "个人信息", "个人数据", "数据分类"),
    CoverageDimension.MONITORING_SURVEILLANCE: ("überwach", "beobacht", "监控", "监视", "监测"),
    CoverageDimension.LOGGING_AUDIT: ("protokollier", "revision", "审计", "日志"),
    CoverageDimension.ANALYTICS_REPORTING: ("auswertung", "bericht", "kennzahl", "报告", "报表", "指标", "分析"),
    CoverageDimension.ACCESS_PRIVACY_SECURITY: ("datenschutz", "sicherheit", "zugriff", "berechtigung", "隐私", "安全", "访问", "权限"),
    CoverageDimension.API_INTEGRATION: ("schnittstelle", "anbindung", "接口", "集成"),
}  # fmt: skip
"""German stems and Chinese words count wherever they stand: German writes words together, Chinese all of them."""
_WORDS: dict[str, dict[str, str]] = {
    "adds": {
        "de": "ergänzt {facets}, was im Bestand fehlt",
        "en": "adds {facets} coverage that the corpus lacks",
        "zh": "补充现有资料缺少的 {facets}",
    },
    "first": {"de": "deckt {facets} ab", "en": "covers {facets}", "zh": "涵盖 {facets}"},
    "open": {"de": "offen bleibt {facets}", "en": "{facets} stays open", "zh": "{facets} 仍未覆盖"},
    "open_several": {"de": "offen bleiben {facets}", "en": "{facets} stay open", "zh": "{facets} 仍未覆盖"},
    "neither": {
        "de": "deckt keine der gefragten Dimensionen ab",
        "en": "covers none of the wanted dimensions",
        "zh": "没有涵盖所需的维度",
    },
    "no_corpus": {
        "de": "verglichen wurde mit keinem Bestand",
        "en": "there was no corpus to compare with",
        "zh": "没有可比较的现有资料",
    },
    "unavailable": {
        "de": "der Bestand war nicht zu lesen, verglichen wurde nicht",
        "en": "the corpus could not be read, so nothing was compared",
        "zh": "现有资料无法读取，未作比较",
    },
    "too_little": {
        "de": "der Bestand{scope} sagt dazu zu wenig für einen Vergleich",
        "en": "the corpus{scope} says too little about it to compare with",
        "zh": "现有资料{scope}对此说得太少，无法比较",
    },
    "scope": {"de": " (Sammlung {name})", "en": " (collection {name})", "zh": "（{name}）"},
    "nothing": {
        "de": "ergänzt nichts, was im Bestand fehlt",
        "en": "adds nothing that the corpus lacks",
        "zh": "没有补充现有资料缺少的内容",
    },
    "none": {
        "de": "es blieb kein Kandidat übrig",
        "en": "no candidate was left",
        "zh": "没有剩下任何候选资料",
    },
    "fills": {"de": "füllt die Lücke {facets}", "en": "fills the gap {facets}", "zh": "填补空缺 {facets}"},
}
Facets = Mapping[str, float]
CorpusState = Literal["compared", "too_little", "unavailable", "no_corpus"]


def _keyword_pattern(dimension: CoverageDimension) -> re.Pattern[str]:
    """Short keywords as whole words ("log" is in "biology"), longer ones at the start of a word, stems anywhere."""
    words = (*SEED_KEYWORDS[dimension], *_MORE_ENGLISH.get(dimension, ()))
    stems = _STEMS[dimension]
    short = [word for word in words if len(word) <= _SHORT]
    long = [word for word in words if len(word) > _SHORT and word not in stems]
    whole = [rf"(?<!\w)(?:{'|'.join(short)})(?!\w)"] if short else []
    return re.compile("|".join([*whole, rf"(?<!\w)(?:{'|'.join(long)})", *stems]))


_PATTERNS = {dimension: _keyword_pattern(dimension) for dimension in CoverageDimension}


def facets_of(text: str) -> dict[CoverageDimension, float]:
    """What a text is about, by its keywords: three of a dimension are full coverage."""
    lowered = text.casefold()
    found = {one: len(pattern.findall(lowered)) for one, pattern in _PATTERNS.items()}
    return {one: round(min(1.0, hits / _FULL_HITS), 3) for one, hits in found.items() if hits}


# --- what is wanted


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the question is about, what is known of it, and what is not; dimensions and facets of one's own alike."""

    wanted: tuple[str, ...]
    named: bool
    """The question names what it is about; otherwise everything is wanted a little."""
    known: Facets
    corpus: CorpusState
    """Whether there is something to compare with; only where it was compared can anything count as known."""
    scope: str | None
    gaps: tuple[str, ...]

    @property
    def compared(self) -> bool:
        """Enough is known to tell what is missing."""
        return self.corpus == "compared"


def coverage_of(
    context: ScoringContext,
    key_points: Sequence[KeyPoint],
    settings: RerankSettings,
    *,
    corpus: Literal["there", "unavailable", "no_corpus"] = "there",
    declared: Mapping[str, Sequence[str]] | None = None,
) -> Coverage:
    """What the question wants, held against what the corpus says; with too few key points nothing counts as known.

    `declared` are all facets of one's own; those of the request itself are wanted whatever the question says.
    """
    said = f"{context.question}\n{context.purpose}"
    custom = declared if declared is not None else context.custom_facets
    asked = (*facets_of(said), *dict.fromkeys((*context.custom_facets, *custom_shares(said, custom))))
    state: CorpusState = "compared" if len(key_points) >= max(1, settings.min_key_points) else "too_little"
    state = state if corpus == "there" else corpus
    text = "\n".join(point.text for point in key_points)
    known = joined(facets_of(text), custom_shares(text, custom)) if state == "compared" else {}
    wanted = asked or (*CoverageDimension, *custom)
    gaps = tuple(one for one in wanted if known.get(one, 0.0) < _KNOWN)
    return Coverage(wanted, bool(asked), known, state, context.collection_scope, gaps)


# --- what is added


def joined(dimensions: Mapping[CoverageDimension, float], custom: Mapping[str, float]) -> dict[str, float]:
    """Shares of dimensions and of facets of one's own, by their names."""
    found: dict[str, float] = {str(one): share for one, share in dimensions.items()}
    return found | dict(custom)


def shares_of(item: LLMScoredItem) -> dict[str, float]:
    """What an item covers, of dimensions and of facets of one's own."""
    return joined(item.facet_coverage, item.custom_facets)


def best_coverage(items: Sequence[RankedItem]) -> dict[str, float]:
    """The most that any of the items has of each dimension and facet."""
    held: dict[str, float] = {}
    for item in items:
        for name, share in shares_of(item).items():
            held[name] = max(share, held.get(name, 0.0))
    order = {str(name): at for at, name in enumerate(CoverageDimension)}
    return {one: held[one] for one in sorted(held, key=lambda one: (order.get(one, len(order)), one)) if held[one]}


def coverage_delta(coverage: Coverage, items: Sequence[RankedItem], lang: str) -> str:
    """One sentence, in the question's language: what these items add, and what stays open."""
    if not items:
        return sentence([pick(_WORDS["none"], lang)], lang)
    held = best_coverage(items)
    filled = [gap for gap in coverage.gaps if held.get(gap, 0.0) >= _FILLED]
    # A question that names nothing leaves nothing open.
    left = [gap for gap in coverage.gaps if gap not in filled] if coverage.named else []
    keys = ("adds", "nothing") if coverage.compared else ("first", "neither")
    key = keys[0] if filled else keys[1]
    said = [pick(_WORDS[key], lang).format(facets=_facets_in_words(filled, lang))]
    if not coverage.compared:
        scope = pick(_WORDS["scope"], lang).format(name=coverage.scope) if coverage.scope else ""
        said.append(pick(_WORDS[coverage.corpus], lang).format(scope=scope))
    if left:
        said.append(
            pick(_WORDS["open" if len(left) == 1 else "open_several"], lang).format(facets=_facets_in_words(left, lang))
        )
    return sentence(said, lang)


def recommended(
    coverage: Coverage, ranked: Sequence[RankedItem], lang: str, *, longest: int
) -> tuple[RecommendedIngest, ...]:
    """The fewest sources that fill the gaps, each the one that fills most of what is still open; ties by rank."""
    held = best_coverage(ranked)
    left = [gap for gap in coverage.gaps if held.get(gap, 0.0) >= _FILLED]
    found: list[RecommendedIngest] = []
    while left:
        best = max(ranked, key=lambda item: sum(shares_of(item).get(gap, 0.0) for gap in left))
        filled = [gap for gap in left if shares_of(best).get(gap, 0.0) >= _FILLED]
        if not filled:
            # Many small shares outweighed one that fills a gap: take that one.
            best = max(ranked, key=lambda item: shares_of(item).get(left[0], 0.0))
            filled = [left[0]]
        reason = sentence([pick(_WORDS["fills"], lang).format(facets=_facets_in_words(filled, lang))], lang)
        found.append(RecommendedIngest(candidate_id=best.candidate_id, reason=clip(reason, longest)))
        left = [gap for gap in left if gap not in filled]
    return tuple(found)


# --- sentences


def sentence(parts: Sequence[str], lang: str) -> str:
    """The parts as one sentence."""
    text = ("；" if lang == "zh" else "; ").join(parts)
    return f"{text[:1].upper()}{text[1:]}{'。' if lang == 'zh' else '.'}"


def _facets_in_words(facets: Sequence[str], lang: str) -> str:
    if lang == "zh" or len(facets) < 2:
        return "、".join(facets)
    return f"{', '.join(facets[:-1])} {'und' if lang == 'de' else 'and'} {facets[-1]}"
