"""The contracts of re-ranking: what is read, what is refused and with which words, what comes out."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from each_case import each
from veracity.errors import UsageError
from veracity.retrieval.contracts import (
    CoverageDimension,
    HybridResult,
    LLMScoredItem,
    RerankRequest,
    RerankSettings,
    SearchCandidate,
    read_request,
    wrong_field,
)

CONTEXT = {"question": "Which policies govern employee data residency?"}


def candidate(**fields: Any) -> dict[str, Any]:
    return {"id": "a", "title": "A", "url": "https://a.com", **fields}


def request(**fields: Any) -> dict[str, Any]:
    return {"scoring_context": CONTEXT, "candidates": [candidate()], **fields}


def refusal(data: Any) -> str:
    with pytest.raises(UsageError) as refused:
        read_request(data)
    return str(refused.value)


def item(**fields: Any) -> LLMScoredItem:
    return LLMScoredItem.model_validate({"candidate_id": "a", "score": 1, **fields})


def item_refusal(**fields: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        item(**fields)
    return wrong_field(refused.value)


# --- the four messages that callers know


def test_naive_date_is_refused_with_the_known_message_and_its_path() -> None:
    said = refusal(request(candidates=[candidate(), candidate(id="b", detected_date="2024-06-01T09:00:00")]))
    assert said.startswith("candidates.1.detected_date: detected_date ohne Zeitzone; ")
    assert "2024-06-01T09:00:00+02:00" in said


def test_fewer_buckets_than_one_are_refused_with_the_known_message() -> None:
    said = refusal(request(scoring_context={**CONTEXT, "min_diversity_buckets": 0}))
    assert said.startswith("scoring_context.min_diversity_buckets: min_diversity_buckets must be at least 1; ")


def test_unknown_dimension_is_refused_with_the_known_message() -> None:
    assert item_refusal(facet_coverage={"LEGAL": 0.5, "HUMOUR": 0.5}).startswith(
        "facet_coverage.HUMOUR: invalid coverage dimension; "
    )


@pytest.mark.parametrize("value", ["0.4", -0.1, 1.1, True, None, float("nan"), [0.4]])
def test_custom_facet_that_is_no_share_is_refused_with_the_known_message(value: Any) -> None:
    assert item_refusal(custom_facets={"CUSTOM_X": value}).startswith(
        "custom_facets.CUSTOM_X: custom facet scores must be numeric; "
    )


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("detected_date ohne Zeitzone", lambda: SearchCandidate.model_validate(candidate(detected_date="2024-06-01"))),
        ("invalid coverage dimension", lambda: item(facet_coverage={"legal": 1})),
        ("custom facet scores must be numeric", lambda: item(custom_facets={"x": "1"})),
    ],
)
def test_known_messages_are_to_the_letter_for_pydantic_users(message: str, wrong: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        wrong()
    assert refused.value.errors()[0]["msg"] == message


# --- dates


@pytest.mark.parametrize("written", ["2024-06-01T09:00:00+02:00", "2024-06-01T07:00:00Z", "2024-06-01T07:00:00+00:00"])
def test_dates_are_kept_in_utc_and_written_with_z(written: str) -> None:
    read = SearchCandidate.model_validate(candidate(detected_date=written))
    assert read.detected_date == datetime(2024, 6, 1, 7, tzinfo=UTC)
    assert json.loads(read.model_dump_json())["detected_date"] == "2024-06-01T07:00:00Z"


@pytest.mark.parametrize(
    "written", [1717200000, 1717200000.5, "1717200000", "1.7e9", True, "", "soon", "٢٠٢٤-٠٦-٠١", []]
)
def test_what_is_no_date_as_people_write_it_is_refused(written: Any) -> None:
    assert refusal(request(candidates=[candidate(detected_date=written)])).startswith("candidates.0.detected_date: ")


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_date_that_utc_does_not_have_is_refused(written: str) -> None:
    assert "between the years 1 and 9999" in refusal(request(candidates=[candidate(detected_date=written)]))


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-840, 840))
def test_any_aware_date_survives_writing_and_reading(moment: datetime, minutes: int) -> None:
    aware = moment.replace(tzinfo=UTC) + timedelta(minutes=minutes)
    read = SearchCandidate.model_validate(candidate(detected_date=aware))
    assert SearchCandidate.model_validate_json(read.model_dump_json()) == read


# --- forms of a request


def test_context_of_a_tool_is_accepted() -> None:
    read = read_request({"meta": {"scoring_context": CONTEXT, "tenant": "x"}, "candidates": []})
    assert read.scoring_context.question == CONTEXT["question"]


def test_path_of_a_problem_is_the_one_that_was_written() -> None:
    assert refusal({"meta": {"scoring_context": {"question": ""}}, "candidates": []}).startswith(
        "meta.scoring_context.question: "
    )
    assert refusal({"query": "", "results": []}).startswith("query: ")
    assert refusal({"query": "q", "results": [], "k": 0}).startswith("k: ")
    assert refusal({"query": "q", "results": [{"id": ""}]}).startswith("results.0.id: ")


def test_older_results_may_lack_title_and_address() -> None:
    read = read_request({"query": "q", "results": [{"id": "a"}, candidate(id="b", base_score=3)], "k": 2})
    assert [(one.title, one.url, one.base_score) for one in read.candidates] == [
        ("", "", None),
        ("A", "https://a.com", 3),
    ]
    assert read.control.top_k == 2
    assert read.scoring_context.question == "q"


def test_candidates_of_the_plain_form_need_title_and_address() -> None:
    assert refusal(request(candidates=[{"id": "a", "url": ""}])) == "candidates.0.title: this field is missing; add it."


@each(
    ("fields", "path"),
    [
        ({"candidates": [candidate(base_score=-1)]}, "candidates.0.base_score"),
        ({"candidates": [candidate(base_score=101)]}, "candidates.0.base_score"),
        ({"candidates": [candidate(base_score="90")]}, "candidates.0.base_score"),
        ({"candidates": [candidate(base_score=float("nan"))]}, "candidates.0.base_score"),
        ({"candidates": [candidate(trust="very")]}, "candidates.0.trust"),
        ({"candidates": [candidate(colour="red")]}, "candidates.0.colour"),
        ({"candidates": {}}, "candidates"),
        ({"control": {"top_k": 0}}, "control.top_k"),
        ({"policies": {"a.com": {"trust": "none"}}}, "policies.a.com.trust"),
        ({"scoring_context": {"question": "x" * 2001}}, "scoring_context.question"),
    ],
)
def test_problem_is_named_with_its_path(fields: dict[str, Any], path: str) -> None:
    assert refusal(request(**fields)).startswith(f"{path}: ")


@pytest.mark.parametrize("data", [None, [], "x", 3])
def test_what_is_no_object_is_refused(data: Any) -> None:
    assert "not an object" in refusal(data)


def test_half_characters_do_not_break_the_output() -> None:
    read = read_request(request(candidates=[candidate(id="\ud800", title="x\udfff")]))
    assert RerankRequest.model_validate_json(read.model_dump_json()) == read


def test_policies_are_keyed_by_host() -> None:
    read = read_request(request(policies={"https://WWW.Admin.ch/x": {}, "intranet://": {}, "B.com": {}}))
    assert set(read.policies) == {"admin.ch", "intranet", "b.com"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["scoring_context", "candidates", "meta", "results", "query", "k", "control", "policies", "corpus"]
)


@given(st.dictionaries(KEYS, JSON | st.just(CONTEXT) | st.just([candidate()]), max_size=5))
def test_any_data_is_a_request_or_one_sentence(data: dict[str, Any]) -> None:
    said = ""
    try:
        read_request(data)
    except UsageError as error:
        said = str(error)
    assert not said or said.endswith(".")


# --- what comes out


def test_long_reason_is_cut() -> None:
    assert len(item(reason="because " * 100).reason) == 280
    assert item(reason="a\nb\x1b[31m").reason.isprintable()


def test_custom_facets_are_written_as_custom() -> None:
    assert item(custom_facets={"reporting": 0.4, "CUSTOM_Two words": 1}).custom_facets == {
        "CUSTOM_REPORTING": 0.4,
        "CUSTOM_TWO_WORDS": 1,
    }


def test_example_of_the_specification_is_a_result() -> None:
    scored = {
        "candidate_id": "doc-417",
        "score": 92.5,
        "reason": "Addresses German residency controls",
        "gap_tags": ["LEGAL"],
        "risk_flags": [],
        "facet_coverage": {"LEGAL": 0.9, "PROCEDURAL": 0.6},
        "custom_facets": {"CUSTOM_REPORTING": 0.4},
        "fused_score": 0.031,
    }
    given = {
        "ranked": [scored],
        "top_k": [scored],
        "coverage_delta": "Adds LEGAL coverage for residency obligations",
        "recommended_ingest": [{"candidate_id": "doc-812", "reason": "Fills monitoring obligations for the DE market"}],
        "flags": {"rag_unavailable": False, "llm_timeout": False, "debug": {"fusion": {"rrf_k": 90}}},
    }
    read = HybridResult.model_validate(given)
    written = json.loads(read.model_dump_json())
    assert written["ranked"] == given["ranked"]
    assert read.ranked[0].facet_coverage[CoverageDimension.LEGAL] == 0.9


def test_there_are_nine_dimensions() -> None:
    assert len(CoverageDimension) == 9


# --- settings


def test_settings_default_to_the_seed() -> None:
    known = {
        "rag_cache_ttl_s": 300, "llm_cache_ttl_s": 3600, "mmr_lambda": 0.7, "mmr_limit": 20, "rrf_k": 90,
        "min_diversity_buckets": 3, "max_key_points": 5, "min_key_points": 3, "default_freshness_days": 365,
        "software_freshness_days": 1095, "max_reason_length": 280, "freshness_penalty_per_month": 2.0,
        "domain_redundancy_penalty": 0.85, "policy_priority_scale": 0.1, "temperature": 0.3, "review_hours": 24.0,
    }  # fmt: skip
    assert RerankSettings().model_dump().items() >= known.items()


def test_environment_sets_constants() -> None:
    assert RerankSettings.from_env({"VERACITY_RERANK_RRF_K": "60"}).rrf_k == 60


def test_wrong_variable_is_named() -> None:
    with pytest.raises(UsageError, match="VERACITY_RERANK_MMR_LAMBDA cannot be '2'"):
        RerankSettings.from_env({"VERACITY_RERANK_MMR_LAMBDA": "2"})
