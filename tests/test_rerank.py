"""Re-ranking: its formulas to the digit, its steps, and what holds for any candidates."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from veracity.errors import SourceError
from veracity.language.embed import UniversalEmbedder
from veracity.retrieval.addresses import canonical, domain_type_of, host_of
from veracity.retrieval.contracts import (
    CoverageDimension,
    Fusion,
    HybridResult,
    KeyPoint,
    LLMScoredItem,
    RerankRequest,
    RerankSettings,
    ScoredBatch,
    ScoringContext,
    SearchCandidate,
    read_request,
)
from veracity.retrieval.coverage import facets_of
from veracity.retrieval.fusion import bonus_scale, components_of, overlap, scaled
from veracity.retrieval.prefilter import freshness_limit, freshness_penalty, prefilter
from veracity.retrieval.rerank import rerank

CASES = Path(__file__).parent / "cases" / "rerank"
NOW = datetime(2026, 11, 15, tzinfo=UTC)
QUESTION = "Which policies govern employee data residency?"
DEFAULTS = RerankSettings()


def cases(name: str) -> list[Any]:
    found = read_yaml(CASES / f"{name}.yaml")
    return [pytest.param(one, id=one["why"]) for one in found]


def candidate(name: str, **fields: Any) -> dict[str, Any]:
    made = {"title": f"Title {name}", "url": f"https://{name}.example/x", "detected_date": NOW.isoformat()}
    return {"id": name, **made, **fields}


def request(*candidates: dict[str, Any], question: str = QUESTION, **fields: Any) -> RerankRequest:
    context = {"question": question, **fields.pop("context", {})}
    return read_request({"scoring_context": context, "candidates": list(candidates), **fields})


def ranked(asked: RerankRequest, **parts: Any) -> HybridResult:
    result = asyncio.run(rerank(asked, clock=lambda: NOW, **parts))
    assert HybridResult.model_validate_json(result.model_dump_json()) == result
    return result


def ids(items: Sequence[Any]) -> list[str]:
    return [item.candidate_id for item in items]


# --- the parts that a run is tested with


class Known:
    """A corpus of these points."""

    def __init__(self, *texts: str) -> None:
        self.points = tuple(KeyPoint(text=text, source="s") for text in texts)
        self.asked = 0

    async def key_points(
        self,
        question: str,
        *,
        most: int,
        scope: str | None = None,
    ) -> tuple[KeyPoint, ...]:
        self.asked += 1
        return self.points[:most]


class Gone:
    """A corpus that was there."""

    async def key_points(
        self,
        question: str,
        *,
        most: int,
        scope: str | None = None,
    ) -> tuple[KeyPoint, ...]:
        raise SourceError("The folder is gone.")


class Says:
    """A scorer with these answers."""

    def __init__(self, *items: dict[str, Any], **batch: Any) -> None:
        self.batch = ScoredBatch(items=tuple(LLMScoredItem.model_validate(one) for one in items), **batch)
        self.seen: list[tuple[tuple[SearchCandidate, ...], int]] = []

    async def score(
        self,
        context: ScoringContext,
        key_points: Sequence[KeyPoint],
        candidates: Sequence[SearchCandidate],
        *,
        max_tokens: int,
    ) -> ScoredBatch:
        self.seen.append((tuple(candidates), max_tokens))
        return self.batch


class Memory:
    """A cache that forgets nothing."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}
        self.seconds: list[float] = []

    def get(self, key: str) -> Any | None:
        return self.kept.get(key)

    def put(self, key: str, value: Any, *, seconds: float) -> None:
        self.kept[key] = json.loads(json.dumps(value))
        self.seconds.append(seconds)


# --- formulas


def test_example_of_the_specification_comes_out_to_the_digit() -> None:
    given_ = request(candidate("doc-417", policy_priority=25, trust="medium"))
    entry = prefilter(given_, DEFAULTS, NOW).kept[0]
    item = LLMScoredItem(candidate_id="doc-417", score=92.5, facet_coverage={CoverageDimension.LEGAL: 0.9})
    parts = components_of(entry, item, [14], gaps=[CoverageDimension.LEGAL], mode="seed", settings=DEFAULTS)
    assert [round(value, 3) for value in (parts.rrf_term, parts.rag_bonus, parts.domain_bonus, parts.policy_bonus)] == [
        0.010,
        0.016,
        0.009,
        0.003,
    ]
    second = type(parts)(parts.rrf_term, parts.rag_bonus, parts.domain_bonus, parts.policy_bonus, 0.85)
    assert round(parts.fused, 3) == 0.037
    assert round(second.fused, 3) == 0.031


def test_six_months_cost_twelve_points() -> None:
    assert freshness_penalty(365 / 2, 365, DEFAULTS) == pytest.approx(12)
    assert freshness_penalty(1095, 1095, DEFAULTS) == pytest.approx(24)
    assert freshness_penalty(None, 365, DEFAULTS) == 0
    assert freshness_penalty(4000, None, DEFAULTS) == 0
    assert freshness_penalty(-30, 365, DEFAULTS) == 0


def test_limits_by_mode() -> None:
    limits = [freshness_limit(mode, DEFAULTS, normative=law) for mode in ("standard", "software_docs_strict", "law_evergreen") for law in (False, True)]  # fmt: skip
    assert limits == [365, 365, 1095, 1095, 365, None]


def test_bounded_bonuses_move_at_most_a_tenth_of_the_span() -> None:
    entry = prefilter(request(candidate("a", policy_priority=100, trust="high")), DEFAULTS, NOW).kept[0]
    item = LLMScoredItem(candidate_id="a", score=1, facet_coverage={CoverageDimension.LEGAL: 1.0})
    parts = components_of(entry, item, [1], gaps=[CoverageDimension.LEGAL], mode="bounded", settings=DEFAULTS)
    bonuses = parts.rag_bonus + parts.domain_bonus + parts.policy_bonus
    assert bonuses == pytest.approx((1 / 91 - 1 / 110) / 10)
    assert bonus_scale("seed", DEFAULTS) == 1


def test_overlap_is_jaccard() -> None:
    assert overlap(frozenset("abc"), frozenset("bcd")) == 0.5
    assert overlap(frozenset(), frozenset()) == 0


def test_scores_are_scaled_before_they_meet_the_overlap() -> None:
    assert scaled([0.01, 0.02, 0.03]) == pytest.approx([0, 0.5, 1])
    assert scaled([7, 7]) == [1, 1]
    assert scaled([]) == []


@each("case", cases("facets"))
def test_facets_by_keyword(case: dict[str, Any]) -> None:
    assert facets_of(case["text"]) == case["facets"]


# --- addresses


@each(
    ("address", "host", "kind"),
    [
        ("https://www.Admin.ch/x", "admin.ch", "government"),
        ("https://user:pw@data.gov.uk:8080/x", "data.gov.uk:8080", None),
        ("https://data.gov.uk/x", "data.gov.uk", "government"),
        ("https://cs.uni-bonn.de", "cs.uni-bonn.de", "academic"),
        ("https://law.stackexchange.com/q", "law.stackexchange.com", "community"),
        ("https://shop.com", "shop.com", "commercial"),
        ("https://heise.de", "heise.de", None),
        ("http://wiki/page", "wiki", "internal"),
        ("intranet://legal/x", "intranet", "internal"),
        ("file:///home/x", "file", "internal"),
        ("mailto:x@y.com", "mailto", "internal"),
        ("https://bücher.de/", "xn--bcher-kva.de", None),
        ("", "", None),
        ("no address", "", None),
        ("https://[::1", "[::1", None),
    ],
)
def test_host_and_its_kind(address: str, host: str, kind: str | None) -> None:
    assert (host_of(address), domain_type_of(address)) == (host, kind)


@given(st.text(max_size=60))
def test_any_text_can_be_taken_for_an_address(address: str) -> None:
    assert domain_type_of(address) in {None, "government", "academic", "commercial", "community", "internal", "other"}
    assert "/" not in host_of(address)


@given(st.text(max_size=20) | st.text("w. \u3000a:@0。", max_size=14), st.text("/?&=#ab%.", max_size=20))
@example(host="/\r", rest="")
@example(host="?a\r#", rest="")
def test_canonical_address_is_its_own(host: str, rest: str) -> None:
    once = canonical(f"https://{host}/{rest}")
    assert canonical(once) == once


# --- what is dropped


@each("case", cases("prefilter"))
def test_what_is_dropped_and_why(case: dict[str, Any]) -> None:
    given_ = [{"title": "", **one} for one in case["candidates"]]
    asked = request(*given_, context=case.get("context", {}), policies=case.get("policies", {}))
    result = ranked(asked)
    dropped = result.flags.debug["pre_filter"]["dropped"]
    assert {one["id"]: one["reason"] for one in dropped} == case["dropped"]
    assert len(result.ranked) == len(given_) - len(dropped)


def test_drop_says_what_it_rests_on() -> None:
    asked = request(
        candidate("a", title="x"),
        candidate("copy", title="x"),
        candidate("old", detected_date="2020-01-01T00:00:00Z"),
        candidate("bad"),
        context={"disallowed_sources": ["bad.example"]},
    )
    assert ranked(asked).flags.debug["pre_filter"]["dropped"] == [
        {"id": "copy", "reason": "duplicate", "of": "a"},
        {"id": "old", "reason": "stale", "age_days": 2510.0, "limit_days": 365},
        {"id": "bad", "reason": "disallowed", "source": "bad.example"},
    ]


def test_no_candidates_and_all_dropped_are_empty_rankings() -> None:
    for asked in (request(), request(candidate("a"), context={"disallowed_sources": ["a.example"]})):
        result = ranked(asked)
        assert (result.ranked, result.top_k, result.recommended_ingest) == ((), (), ())
        assert result.coverage_delta == "No candidate was left."


# --- which are scored


def test_near_copies_make_room_for_something_else() -> None:
    same = "employee data residency policy for all staff in Germany and Austria"
    copies = [candidate(f"copy{at}", title=f"{same} {at}", base_score=90 - at) for at in range(5)]
    other = candidate("other", title="quite another text about storage regions", base_score=80)
    asked = request(*copies, other, candidate("worst", title="something else", base_score=0))
    result = ranked(asked, settings=RerankSettings(mmr_limit=2))
    assert set(ids(result.ranked)) == {"copy0", "other"}
    drops = result.flags.debug["pre_filter"]["dropped"]
    assert drops == [{"id": name, "reason": "mmr"} for name in ("copy1", "copy2", "copy3", "copy4", "worst")]
    assert [one["id"] for one in result.flags.debug["pre_filter"]["mmr"]["selected"]] == ["copy0", "other"]


def test_only_relevance_counts_with_a_weight_of_one() -> None:
    same = [candidate(f"c{at}", title=f"the same words {at}", base_score=90 - at) for at in range(5)]
    result = ranked(request(*same), settings=RerankSettings(mmr_limit=3, mmr_lambda=1))
    assert set(ids(result.ranked)) == {"c0", "c1", "c2"}


def test_candidates_without_a_score_are_selected_by_the_words_of_the_question() -> None:
    asked = request(
        candidate("off", title="Cooking pasta"),
        candidate("on", title="Policy on employee data residency"),
    )
    assert ids(ranked(asked, settings=RerankSettings(mmr_limit=1)).ranked) == ["on"]


# --- what is known


def test_gaps_are_what_is_wanted_and_not_known() -> None:
    known = Known("legal policy of the law", "compliance with regulation", "gdpr")
    asked = request(candidate("a"), question="Which legal policy and which audit apply?")
    debug = ranked(asked, corpus=known).flags.debug
    assert debug["coverage"]["wanted"] == ["LEGAL", "LOGGING_AUDIT"]
    assert debug["coverage"]["gaps"] == ["LOGGING_AUDIT"]
    assert [one["text"] for one in debug["rag"]["key_points"]] == [point.text for point in known.points]


def test_too_few_key_points_tell_nothing() -> None:
    debug = ranked(request(candidate("a")), corpus=Known("legal policy law gdpr")).flags.debug
    assert debug["coverage"]["gaps"] == ["LEGAL"]


def test_key_points_are_kept_for_five_minutes() -> None:
    known, cache = Known("a", "b", "c"), Memory()
    asked = request(candidate("a"), corpus="docs")
    first, second = (ranked(asked, corpus=known, cache=cache) for _ in range(2))
    assert (first.flags.rag_cache_hit, second.flags.rag_cache_hit) == (False, True)
    assert known.asked == 1
    assert cache.seconds == [300]
    assert first.flags.debug["rag"]["key_points"] == second.flags.debug["rag"]["key_points"]


def test_another_question_or_corpus_is_not_in_the_cache() -> None:
    known, cache = Known("a", "b", "c"), Memory()
    for asked in (
        request(candidate("a"), corpus="docs"),
        request(candidate("a"), corpus="other"),
        request(candidate("a"), corpus="docs", question="What else?"),
        request(candidate("a"), corpus="docs", context={"collection_scope": "x"}),
    ):
        assert not ranked(asked, corpus=known, cache=cache).flags.rag_cache_hit
    assert known.asked == 4


def test_unreadable_cache_entry_is_not_there() -> None:
    known, cache = Known("a", "b", "c"), Memory()
    asked = request(candidate("a"), corpus="docs")
    ranked(asked, corpus=known, cache=cache)
    cache.kept = {key: {"not": "points"} for key in cache.kept}
    assert not ranked(asked, corpus=known, cache=cache).flags.rag_cache_hit


def test_corpus_that_is_gone_is_a_flag() -> None:
    result = ranked(request(candidate("a"), corpus="docs"), corpus=Gone())
    assert result.flags.rag_unavailable
    assert result.flags.debug["rag"]["problem"] == "The folder is gone."
    assert ids(result.ranked) == ["a"]
    assert ranked(request(candidate("a"), corpus="docs")).flags.rag_unavailable
    assert not ranked(request(candidate("a"))).flags.rag_unavailable


# --- scores


def test_scores_of_a_model_are_taken_over() -> None:
    says = Says(
        {"candidate_id": "b", "score": 90, "reason": "Right.", "facet_coverage": {"LEGAL": 0.9}},
        {"candidate_id": "a", "score": 20, "custom_facets": {"CUSTOM_X": 0.5}},
        cache_hit=True,
    )
    asked = request(candidate("a", base_score=50), candidate("b", base_score=50), control={"max_tokens": 77})
    result = ranked(asked, scorer=says)
    assert ids(result.ranked) == ["b", "a"]
    assert result.ranked[0].score == 90
    assert result.ranked[0].gap_tags == ("LEGAL",)
    assert result.ranked[1].custom_facets == {"CUSTOM_X": 0.5}
    assert result.flags.debug["llm"] == {"fallback": None, "cache_hit": True, "llm_items": 2}
    assert result.flags.llm_cache_hit
    assert says.seen[0][1] == 77


def test_what_a_model_leaves_out_stands_behind_in_the_order_of_the_search() -> None:
    given_ = [candidate(name, base_score=score) for name, score in (("a", 90), ("b", 80), ("c", 70), ("d", 60))]
    asked = request(*given_, candidate("e", title=QUESTION, base_score=50))
    scored = ranked(asked, scorer=Says({"candidate_id": "d", "score": 5}))
    components = scored.flags.debug["fusion"]["rrf_components"]
    # d is fourth in the search and first by score, a first and second, e fifth in both.
    assert components["d"]["rrf_term"] == pytest.approx((1 / 94 + 1 / 91) / 2, abs=1e-8)
    assert components["a"]["rrf_term"] == pytest.approx((1 / 91 + 1 / 92) / 2, abs=1e-8)
    assert components["e"]["rrf_term"] == pytest.approx(1 / 95, abs=1e-8)
    assert scored.flags.debug["llm"]["llm_items"] == 1


def test_timeout_and_invented_candidates_leave_the_heuristic() -> None:
    says = Says({"candidate_id": "made-up", "score": 99}, fallback="timeout", timed_out=True)
    result = ranked(request(candidate("a")), scorer=says)
    assert result.flags.llm_timeout
    assert ids(result.ranked) == ["a"]
    assert result.flags.debug["llm"] == {"fallback": "timeout", "cache_hit": False, "llm_items": 0}
    assert result.flags.debug["scores"]["a"]["by"] == "heuristic"


def test_model_is_not_asked_where_it_is_switched_off() -> None:
    says = Says()
    result = ranked(request(candidate("a"), control={"llm": "off"}), scorer=says)
    assert says.seen == []
    assert result.flags.debug["llm"]["fallback"] == "off"
    ranked(request(), scorer=says)
    assert says.seen == []


def test_meaning_counts_beside_words(tmp_path: Path) -> None:
    asked = request(
        candidate("far", title="Ein Rezept für Apfelkuchen mit Zimt"),
        candidate("near", title="Wo Personaldaten gespeichert werden dürfen"),
        question="Where may employee data be stored?",
    )
    by_words = ranked(asked)
    assert {item.score for item in by_words.ranked} == {0}
    result = ranked(asked, embedder=UniversalEmbedder(tmp_path / "vectors.sqlite"))
    assert ids(result.ranked) == ["near", "far"]
    assert result.flags.debug["scores"]["near"]["meaning"] > result.flags.debug["scores"]["far"]["meaning"]


def test_older_source_has_a_lower_score() -> None:
    old = (NOW - timedelta(days=182.5)).isoformat()
    asked = request(
        candidate("old", title="Employee data residency", detected_date=old),
        candidate("new", title="Employee data residency policies", base_score=50),
    )
    result = ranked(asked)
    found = result.flags.debug["scores"]["old"]
    assert found["freshness_penalty"] == pytest.approx(12)
    assert found["adjusted"] == pytest.approx(found["base"] - 12, abs=1e-3)
    assert "12 points off" in next(item.reason for item in result.ranked if item.candidate_id == "old")


@pytest.mark.parametrize(
    ("fields", "context", "risks"),
    [
        ({}, {}, ()),
        ({"detected_date": None}, {}, ("no_date",)),
        ({"detected_date": "2031-01-01T00:00:00Z"}, {}, ("future_date",)),
        ({"trust": "low"}, {}, ("low_trust",)),
        ({"trust": "low"}, {"preferred_sources": ["a.example"]}, ()),
        ({"version_hint": "v3.12"}, {"version_target": "3.11"}, ("version_mismatch",)),
        ({"version_hint": "v3.11.4"}, {"version_target": "3.11"}, ()),
        ({"version_hint": None}, {"version_target": "3.11"}, ()),
        ({"title": ""}, {}, ("no_text",)),
    ],
)
def test_risks(fields: dict[str, Any], context: dict[str, Any], risks: tuple[str, ...]) -> None:
    asked = request(candidate("a", **fields), context=context)
    assert ranked(asked).ranked[0].risk_flags == risks
    flagged = ranked(asked, scorer=Says({"candidate_id": "a", "score": 1, "risk_flags": ["promotional"]}))
    assert flagged.ranked[0].risk_flags == ("promotional", *risks)


def test_reason_is_cut_to_its_setting() -> None:
    asked = request(candidate("a", title="legal audit api process monitor report privacy pii " * 3))
    assert len(ranked(asked, settings=RerankSettings(max_reason_length=40)).ranked[0].reason) == 40


# --- fusion


def test_second_of_a_host_counts_for_less() -> None:
    asked = request(
        candidate("a", url="https://one.com/1", base_score=90),
        candidate("b", url="https://www.one.com/2", base_score=80),
        candidate("c", url="https://two.com/1", base_score=70),
        candidate("d", url="https://one.com/3", base_score=60),
    )
    result = ranked(asked)
    factors = {one: parts["redundancy"] for one, parts in result.flags.debug["fusion"]["rrf_components"].items()}
    assert factors == {"a": 1, "b": 0.85, "c": 1, "d": pytest.approx(0.7225)}
    assert ids(result.ranked) == ["a", "c", "b", "d"]


def test_candidates_without_a_host_are_nobodys_doubles() -> None:
    result = ranked(request(candidate("a", url=""), candidate("b", url="")))
    assert {one["redundancy"] for one in result.flags.debug["fusion"]["rrf_components"].values()} == {1.0}


@pytest.mark.parametrize(("mode", "first"), [("seed", "poor"), ("bounded", "good")])
def test_bonuses_overrule_the_ranking_only_as_in_the_seed(mode: Fusion, first: str) -> None:
    best = [candidate("good", title=QUESTION, base_score=100, trust="low")]
    between = [candidate(f"m{at}", title=f"employee data {at}", base_score=90 - at) for at in range(15)]
    poor = candidate("poor", title="nothing", base_score=1, trust="high", policy_priority=100)
    assert ids(ranked(request(*best, *between, poor, control={"fusion": mode})).ranked)[0] == first


def test_policies_and_preferences_are_bonuses() -> None:
    asked = request(
        candidate("a", url="https://sub.one.com/1", trust="low"),
        candidate("b", url="https://two.com/1", trust="low"),
        policies={"one.com": {"trust": "medium", "policy_priority": 50}},
        context={"preferred_sources": ["https://two.com"]},
        control={"fusion": "seed"},
    )
    parts = ranked(asked).flags.debug["fusion"]["rrf_components"]
    assert parts["a"]["domain_bonus"] == pytest.approx(0.8 / 91, abs=1e-8)
    assert parts["a"]["policy_bonus"] == pytest.approx(0.5 / 91, abs=1e-8)
    assert parts["b"]["domain_bonus"] == pytest.approx(1 / 91, abs=1e-8)


# --- variety of the best


def kinds(*types: str | None) -> RerankRequest:
    made = [candidate(f"c{at}", domain_type=kind, base_score=90 - at) for at, kind in enumerate(types)]
    return request(*made, control={"top_k": 3})


def test_best_are_of_several_kinds() -> None:
    asked = kinds("government", "government", "government", "government", "academic", "community")
    result = ranked(asked)
    assert ids(result.ranked) == [f"c{at}" for at in range(6)]
    assert ids(result.top_k) == ["c0", "c4", "c5"]
    assert result.flags.debug["fusion"]["diversity_buckets"] == ["government", "academic", "community"]
    assert result.flags.debug["fusion"]["swapped"] == [{"out": "c2", "in": "c4"}, {"out": "c1", "in": "c5"}]
    assert not result.flags.diversity_unmet


def test_kinds_that_are_not_there_are_a_flag() -> None:
    result = ranked(kinds("government", "government", "government", "academic"))
    assert result.flags.diversity_unmet
    assert ids(result.top_k) == ["c0", "c1", "c3"]


def test_host_is_the_kind_where_nothing_else_is_known() -> None:
    debug = ranked(kinds(None, None, None)).flags.debug
    assert debug["fusion"]["diversity_buckets"] == ["c0.example", "c1.example", "c2.example"]


def test_request_may_want_fewer_kinds() -> None:
    asked = request(
        *(candidate(f"c{at}", domain_type="academic") for at in range(4)), context={"min_diversity_buckets": 1}
    )
    assert not ranked(asked).flags.diversity_unmet


# --- what the best add


@pytest.mark.parametrize(
    ("question", "known", "said"),
    [
        ("Which legal rules and audits apply?", ("audit logging log",) * 3, "Adds LEGAL coverage that the corpus lacks."),
        ("Which legal rules apply?", (), "Covers LEGAL; there was no corpus to compare with."),
        ("Which dashboards exist?", (), "Covers none of the wanted dimensions; there was no corpus to compare with; ANALYTICS_REPORTING stays open."),
        ("Which dashboards and audits exist?", (), "Covers none of the wanted dimensions; there was no corpus to compare with; LOGGING_AUDIT and ANALYTICS_REPORTING stay open."),
        ("Which legal rules apply?", ("legal policy gdpr",) * 3, "Adds nothing that the corpus lacks."),
        ("Which legal rules and dashboards apply?", ("x",) * 3, "Adds LEGAL coverage that the corpus lacks; ANALYTICS_REPORTING stays open."),
        ("Welche Gesetze gelten für unsere Auswertungen?", ("x",) * 3, "Ergänzt LEGAL, was im Bestand fehlt; offen bleibt ANALYTICS_REPORTING."),
        ("哪些法律适用？", ("x",) * 3, "补充现有资料缺少的 LEGAL。"),
    ],
)  # fmt: skip
def test_delta_is_a_sentence_in_the_language_of_the_question(question: str, known: tuple[str, ...], said: str) -> None:
    asked = request(candidate("a", title="A legal text"), question=question)
    assert ranked(asked, corpus=Known(*known) if known else None).coverage_delta == said


def test_fewest_sources_that_fill_the_gaps_are_recommended() -> None:
    asked = request(
        candidate("one", title="legal notes"),
        candidate("both", title="legal gdpr policy for the audit log and logging"),
        candidate("reports", title="a dashboard"),
        question="Which legal rules, audits and dashboards?",
    )
    found = ranked(asked).recommended_ingest
    assert [(one.candidate_id, one.reason) for one in found] == [
        ("both", "Fills the gap LEGAL and LOGGING_AUDIT."),
        ("reports", "Fills the gap ANALYTICS_REPORTING."),
    ]


# --- debug


def test_debug_has_the_shape_of_the_specification() -> None:
    debug = ranked(request(candidate("a"), candidate("b", url="https://a.example/x"))).flags.debug
    assert debug["pre_filter"].keys() == {"dropped", "mmr"}
    assert debug["pre_filter"]["mmr"]["selected"] == [{"id": "a", "max_overlap": 0.0}]
    assert debug["llm"].keys() == {"fallback", "cache_hit", "llm_items"}
    assert debug["fusion"].keys() >= {"fused_scores", "rrf_components", "rrf_k", "diversity_buckets"}
    assert debug["fusion"]["rrf_components"]["a"].keys() >= {"rrf_term", "rag_bonus", "domain_bonus", "policy_bonus"}


# --- whatever the candidates are


CANDIDATES = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text("abcd", min_size=1, max_size=2),
            "title": st.text(max_size=12) | st.sampled_from(["legal policy", "employee data", "数据 合规", "api log"]),
            "url": st.text(max_size=12) | st.sampled_from(["https://a.com/1", "https://a.com/2", "intranet://x", "https://b.gov/"]),
        },
        optional={
            "snippet": st.text(max_size=20),
            "detected_date": st.none() | st.datetimes(datetime(2, 1, 1), datetime(9990, 1, 1), timezones=st.just(UTC)),
            "base_score": st.none() | st.floats(0, 100),
            "trust": st.sampled_from(["high", "medium", "low"]),
            "policy_priority": st.floats(0, 100),
            "normative": st.booleans(),
        },
    ),
    max_size=30,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    CANDIDATES,
    st.integers(1, 8),
    st.sampled_from(["seed", "bounded"]),
    st.sampled_from(["standard", "software_docs_strict", "law_evergreen"]),
    st.integers(1, 25),
)
def test_any_candidates_give_a_valid_ranking(
    candidates: list[dict[str, Any]], top_k: int, mode: str, freshness: str, limit: int
) -> None:
    asked = request(*candidates, control={"top_k": top_k, "fusion": mode}, context={"freshness_mode": freshness})
    result = ranked(asked, settings=RerankSettings(mmr_limit=limit))
    debug = result.flags.debug
    dropped = [one["id"] for one in debug["pre_filter"]["dropped"]]
    assert len(result.ranked) + len(dropped) == len(candidates)
    assert len(set(ids(result.ranked))) == len(result.ranked) <= limit
    fused = [item.fused_score for item in result.ranked]
    assert fused == sorted(fused, reverse=True)
    assert len(result.top_k) == min(top_k, len(result.ranked))
    assert result.top_k[:1] == result.ranked[:1]
    assert [item for item in result.ranked if item in result.top_k] == list(result.top_k)
    for parts in debug["fusion"]["rrf_components"].values():
        assert 0 < parts["redundancy"] <= 1
        assert min(parts.values()) >= 0
    for parts in debug["scores"].values():
        assert parts["adjusted"] <= parts["base"]
    assert ranked(asked, settings=RerankSettings(mmr_limit=limit)) == result


@given(st.floats(0, 4000), st.floats(0, 4000), st.floats(0.1, 4000))
def test_age_never_raises_a_score_and_more_of_it_never_less(one: float, other: float, limit: float) -> None:
    younger, older = sorted((one, other))
    assert 0 <= freshness_penalty(younger, limit, DEFAULTS) <= freshness_penalty(older, limit, DEFAULTS)


def test_ten_thousand_candidates_are_ranked() -> None:
    many = [
        candidate(f"c{at}", url=f"https://h{at % 97}.com/{at}", title=f"data residency {at}") for at in range(10_000)
    ]
    result = ranked(request(*many))
    assert len(result.ranked) == 20
    assert len(result.flags.debug["pre_filter"]["dropped"]) == 9_980
