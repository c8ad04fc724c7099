"""Every field of the re-ranking contract changes something, without a language model: one case per field."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from each_case import each
from veracity.errors import SourceError, UsageError
from veracity.retrieval.contracts import (
    Control,
    HybridResult,
    KeyPoint,
    LLMScoredItem,
    Policy,
    RerankRequest,
    ScoredBatch,
    ScoringContext,
    SearchCandidate,
    read_request,
)
from veracity.retrieval.custom_facets import read_facets
from veracity.retrieval.rerank import rerank
from veracity.retrieval.search import open_corpus
from veracity.settings import Settings

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def days_ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat()


def found(name: str, **fields: Any) -> dict[str, Any]:
    """A candidate about residency, from a host of its own."""
    made = {"title": f"Residency of records, part {name}", "url": f"https://{name}.example/x"}
    return {"id": name, **made, "detected_date": days_ago(10), **fields}


def request(*candidates: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A request; what is for the context, the control or a candidate is said by the field's path."""
    context = {"question": "Where are records kept?", **fields.pop("context", {})}
    return {"scoring_context": context, "candidates": list(candidates), **fields}


def ranked(data: Mapping[str, Any], **parts: Any) -> HybridResult:
    return asyncio.run(rerank(read_request(dict(data)), clock=lambda: NOW, **parts))


def shown(result: HybridResult) -> Any:
    """What a reader sees of a result: the ranking, what it adds, what was dropped, the risks; nothing of caches."""
    kept = json.loads(result.model_dump_json())
    kept["dropped"] = kept["flags"].pop("debug")["pre_filter"]["dropped"]
    return kept


TWO = (found("a"), found("b", title="Residency of files, part b"))
SAME_HOST = [
    found(name, title=f"Residency number {name}", url=f"https://{name}.com/x", base_score=90) for name in "pqr"
]
EFFECTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ScoringContext.question": (request(*TWO), request(*TWO, context={"question": "Which files are where?"})),
    "ScoringContext.purpose": (
        request(found("a", snippet="The audit trail is a log.")),
        request(found("a", snippet="The audit trail is a log."), context={"purpose": "prepare the audit"}),
    ),
    "ScoringContext.jurisdiction": (request(*TWO), request(*TWO, context={"jurisdiction": "records"})),
    "ScoringContext.preferred_sources": (request(*TWO), request(*TWO, context={"preferred_sources": ["b.example"]})),
    "ScoringContext.disallowed_sources": (request(*TWO), request(*TWO, context={"disallowed_sources": ["b.example"]})),
    "ScoringContext.version_target": (
        request(found("a", version_hint="3.10")),
        request(found("a", version_hint="3.10"), context={"version_target": "3.11"}),
    ),
    "ScoringContext.freshness_mode": (
        request(found("a", detected_date=days_ago(800))),
        request(found("a", detected_date=days_ago(800)), context={"freshness_mode": "software_docs_strict"}),
    ),
    "ScoringContext.min_diversity_buckets": (
        request(*SAME_HOST, found("z", base_score=1), control={"top_k": 2}, context={"min_diversity_buckets": 1}),
        request(*SAME_HOST, found("z", base_score=1), control={"top_k": 2}, context={"min_diversity_buckets": 2}),
    ),
    "ScoringContext.output_target": (
        request(found("a", title="Residency records: checklist of steps, a procedure"), found("b")),
        request(
            found("a", title="Residency records: checklist of steps, a procedure"),
            found("b"),
            context={"output_target": "runbook"},
        ),
    ),
    "ScoringContext.custom_facets": (
        request(found("a", snippet="The works council agrees.")),
        request(
            found("a", snippet="The works council agrees."),
            context={"custom_facets": {"codetermination": ["works council"]}},
        ),
    ),
    "SearchCandidate.id": (
        request(found("a")),
        request(found("b", title="Residency of records, part a", url="https://a.example/x")),
    ),
    "SearchCandidate.title": (request(found("a")), request(found("a", title="Where records are kept"))),
    "SearchCandidate.snippet": (request(found("a")), request(found("a", snippet="They are kept in Berlin."))),
    "SearchCandidate.url": (request(*TWO), request(TWO[0], {**TWO[1], "url": TWO[0]["url"]})),
    "SearchCandidate.detected_date": (request(found("a")), request(found("a", detected_date=days_ago(200)))),
    "SearchCandidate.domain_type": (
        request(*TWO, context={"min_diversity_buckets": 2}),
        request(*({**one, "domain_type": "government"} for one in TWO), context={"min_diversity_buckets": 2}),
    ),
    "SearchCandidate.trust": (request(found("a")), request(found("a", trust="low"))),
    "SearchCandidate.policy_priority": (request(found("a")), request(found("a", policy_priority=50))),
    "SearchCandidate.base_score": (request(*TWO), request(TWO[0], {**TWO[1], "base_score": 99})),
    "SearchCandidate.normative": (
        request(found("a", detected_date=None)),
        request(found("a", detected_date=None, normative=True)),
    ),
    "SearchCandidate.version_hint": (
        request(found("a"), context={"version_target": "2"}),
        request(found("a", version_hint="1"), context={"version_target": "2"}),
    ),
    "SearchCandidate.facet_coverage": (request(found("a")), request(found("a", facet_coverage={"LEGAL": 0.9}))),
    "SearchCandidate.custom_facets": (request(found("a")), request(found("a", custom_facets={"reporting": 0.4}))),
    "Policy.trust": (request(*TWO), request(*TWO, policies={"b.example": {"trust": "low"}})),
    "Policy.policy_priority": (request(*TWO), request(*TWO, policies={"b.example": {"policy_priority": 70}})),
    "Policy.domain_type": (
        request(*TWO, context={"min_diversity_buckets": 2}),
        request(*TWO, context={"min_diversity_buckets": 2}, policies={"example": {"domain_type": "academic"}}),
    ),
    "Policy.normative": (
        request(found("a", detected_date=None)),
        request(found("a", detected_date=None), policies={"a.example": {"normative": True}}),
    ),
    "Control.top_k": (request(*TWO), request(*TWO, control={"top_k": 1})),
    "Control.fusion": (request(*TWO), request(*TWO, control={"fusion": "seed"})),
    "RerankRequest.corpus": (request(found("a")), request(found("a"), corpus="a folder that nobody opened")),
}
"""By field: two requests that differ in it, and whose results differ."""
ELSEWHERE = {
    "ScoringContext.collection_scope",  # below: it needs a corpus
    "Control.max_tokens",  # below: it needs a model
    "Control.llm",
    "RerankRequest.scoring_context",  # made of the fields above
    "RerankRequest.candidates",
    "RerankRequest.control",
    "RerankRequest.policies",
}


@each("field", EFFECTS)
def test_field_changes_what_a_reader_sees(field: str) -> None:
    without, with_it = EFFECTS[field]
    assert shown(ranked(without)) != shown(ranked(with_it))


def test_every_field_of_the_contract_is_in_the_list() -> None:
    contracts: tuple[type[BaseModel], ...] = (ScoringContext, SearchCandidate, Policy, Control, RerankRequest)
    fields = {f"{contract.__name__}.{name}" for contract in contracts for name in contract.model_fields}
    assert fields == EFFECTS.keys() | ELSEWHERE


# --- what each field does


def order(result: HybridResult) -> list[str]:
    return [item.candidate_id for item in result.ranked]


def item_of(result: HybridResult, name: str) -> LLMScoredItem:
    return next(item for item in result.ranked if item.candidate_id == name)


LAWS = (
    found("us", title="Residency of records under Californian rules", snippet="Records are kept where the CCPA says."),
    found("de", title="Residency of records in Germany", snippet="Records are kept where the BDSG says."),
    found("nowhere", title="Residency of records in general", snippet="Records are kept where it suits."),
)


@pytest.mark.parametrize("wanted", ["DE", "germany", "Deutschland", "DE-BY", "德国"])
def test_source_about_the_wanted_jurisdiction_comes_before_one_about_another(wanted: str) -> None:
    result = ranked(request(*LAWS, context={"jurisdiction": wanted}))
    assert order(result) == ["de", "nowhere", "us"]
    assert item_of(result, "us").risk_flags == ("other_jurisdiction",)
    assert item_of(result, "de").risk_flags == item_of(result, "nowhere").risk_flags == ()
    assert f"is about US, not {wanted}" in item_of(result, "us").reason


def test_law_of_the_union_holds_in_its_members_and_law_of_a_member_is_not_foreign_to_it() -> None:
    union = found("eu", title="Residency of records under the GDPR")
    assert ranked(request(union, context={"jurisdiction": "DE"})).ranked[0].risk_flags == ()
    assert ranked(request(LAWS[1], context={"jurisdiction": "EU"})).ranked[0].risk_flags == ()
    assert ranked(request(union, context={"jurisdiction": "CH"})).ranked[0].risk_flags == ("other_jurisdiction",)


def test_jurisdiction_in_no_list_is_looked_for_by_its_words() -> None:
    canton = found("zh", title="Records in the canton of Zürich")
    result = ranked(request(found("a"), canton, context={"jurisdiction": "Kanton Zürich"}))
    assert item_of(result, "zh").risk_flags == ()
    assert (
        ranked(request(found("a"), canton, context={"jurisdiction": "canton of Zürich"})).ranked[0].candidate_id == "zh"
    )


@pytest.mark.parametrize(
    ("target", "first"),
    [("runbook", "steps"), ("legal_memo", "ruling"), ("executive summary", "short"), ("brochure", "paper")],
)
def test_source_that_serves_the_output_comes_first(target: str, first: str) -> None:
    candidates = (
        found("plain", title="Records: notes"),
        found("steps", title="Records: a checklist, step by step"),
        found("ruling", title="Records: a court ruling on section 4"),
        found("short", title="Records: an overview and summary"),
        found("paper", title="Records: a brochure"),
    )
    assert order(ranked(request(*candidates)))[0] == "plain"
    assert order(ranked(request(*candidates, context={"output_target": target})))[0] == first


# --- the corpus


class Points:
    """A corpus with so many points, which remembers what it was asked."""

    def __init__(self, count: int) -> None:
        self.points = tuple(KeyPoint(text=f"The policy number {at}.", source="s") for at in range(count))
        self.scopes: list[str | None] = []

    async def key_points(self, question: str, *, most: int, scope: str | None = None) -> tuple[KeyPoint, ...]:
        self.scopes.append(scope)
        return self.points[:most]


class Away:
    async def key_points(self, question: str, *, most: int, scope: str | None = None) -> tuple[KeyPoint, ...]:
        raise SourceError("The folder is gone.")


def test_no_corpus_is_said_only_where_there_is_none() -> None:
    asked = request(found("a", snippet="An audit."), context={"question": "Which audit?"})
    said = {
        "there was no corpus to compare with": ranked(asked),
        "the corpus says too little about it to compare with": ranked(asked, corpus=Points(2)),
        "the corpus could not be read, so nothing was compared": ranked(asked, corpus=Away()),
        "that the corpus lacks": ranked(asked, corpus=Points(5)),
    }
    for words, result in said.items():
        assert [other for other in said if other in result.coverage_delta] == [words]
    missing = ranked({**asked, "corpus": "not opened"})
    assert "the corpus could not be read" in missing.coverage_delta


def test_collection_scope_filters_the_corpus(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    pages = {
        "hr/compliance/rules.md": "# Rules\n\nEvery audit is kept as a log for ten years.\n",
        "hr/other.md": "# Other\n\nEvery audit ends with a lunch for the auditors.\n",
        "it/declared.md": "---\ncollection: [Compliance, it]\n---\n# Declared\n\nEvery audit reads the log of the gateway.\n",
    }
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    corpus = open_corpus(folder, settings=Settings(home=tmp_path / "home"))
    corpus.index()

    def known(scope: str | None) -> set[str]:
        context = {"question": "Which audit is kept in which log?", **({"collection_scope": scope} if scope else {})}
        points = ranked(request(found("a"), context=context), corpus=corpus).flags.debug["rag"]["key_points"]
        return {point["source"].partition("#")[0] for point in points}

    assert known(None) == set(pages)
    assert known("compliance") == known("Compliance") == {"hr/compliance/rules.md", "it/declared.md"}
    assert known("hr/compliance") == {"hr/compliance/rules.md"}
    assert known("HR") == {"hr/compliance/rules.md", "hr/other.md"}
    assert known("elsewhere") == set()
    nothing = ranked(request(found("a"), context={"collection_scope": "elsewhere"}), corpus=corpus)
    assert "the corpus (collection elsewhere) says too little" in nothing.coverage_delta
    assert {hit.path for hit in corpus.search("audit", scope="compliance")} == {
        "hr/compliance/rules.md",
        "it/declared.md",
    }
    corpus.close()


# --- facets of one's own

COUNCIL = {"codetermination": ["works council", "Betriebsrat"]}


def test_facet_of_the_request_is_a_gap_that_a_source_fills() -> None:
    asked = request(
        found("a"),
        found("b", snippet="The works council agrees; the Betriebsrat signs."),
        context={"custom_facets": COUNCIL},
    )
    result = ranked(asked)
    assert item_of(result, "b").custom_facets == {"CUSTOM_CODETERMINATION": 0.667}
    assert item_of(result, "b").gap_tags == ("CUSTOM_CODETERMINATION",)
    assert result.coverage_delta.startswith("Covers CUSTOM_CODETERMINATION")
    assert [one.candidate_id for one in result.recommended_ingest] == ["b"]


def test_facets_of_the_tenant_are_measured_in_every_request() -> None:
    asked = request(found("b", snippet="The works council agrees."))
    result = ranked(asked, facets={"CUSTOM_CODETERMINATION": ("works council",)})
    assert result.ranked[0].custom_facets == {"CUSTOM_CODETERMINATION": 0.333}
    assert result.flags.debug["coverage"]["top_k"] == {"CUSTOM_CODETERMINATION": 0.333}


class Judge:
    """A model's scorer with one item, which keeps what it was given."""

    def __init__(self, **item: Any) -> None:
        self.item = LLMScoredItem(candidate_id="b", score=50, **item)
        self.asked: list[tuple[ScoringContext, int]] = []

    async def score(self, context: ScoringContext, *_given: Any, max_tokens: int) -> ScoredBatch:
        self.asked.append((context, max_tokens))
        return ScoredBatch(items=(self.item,))


def test_facets_of_a_model_stand_beside_those_by_keyword() -> None:
    judge = Judge(custom_facets={"CUSTOM_OTHER": 0.5})
    asked = request(found("b", snippet="The works council agrees."), context={"custom_facets": COUNCIL})
    result = ranked(asked, scorer=judge, facets={"CUSTOM_TENANT": ("agrees",)})
    assert result.ranked[0].custom_facets == {
        "CUSTOM_TENANT": 0.333,
        "CUSTOM_CODETERMINATION": 0.333,
        "CUSTOM_OTHER": 0.5,
    }
    assert set(judge.asked[0][0].custom_facets) == {"CUSTOM_TENANT", "CUSTOM_CODETERMINATION"}


def test_control_reaches_the_model() -> None:
    judge = Judge()
    ranked(request(found("b"), control={"max_tokens": 7}), scorer=judge)
    ranked(request(found("b"), control={"llm": "off"}), scorer=judge)
    assert [most for _, most in judge.asked] == [7]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("CUSTOM_A: law", "line 1: CUSTOM_A: "),
        ("CUSTOM_A: []", "at least 1"),
        ("- a", "line 1: "),
        ("a: [", "not valid YAML"),
        ("'!!!': [x]", "needs a name"),
    ],
)
def test_file_of_facets_that_cannot_be_read_says_where(tmp_path: Path, written: str, said: str) -> None:
    path = tmp_path / "facets.yaml"
    path.write_text(written, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        read_facets(path)
    assert said in str(refused.value)


def test_file_of_facets_is_read_and_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "facets.yaml"
    assert read_facets(path) == {}
    path.write_text("codetermination: [works council]\n", encoding="utf-8")
    assert read_facets(path) == {"CUSTOM_CODETERMINATION": ("works council",)}


# --- laws


def test_undated_statute_is_not_stale() -> None:
    statute = found("law", detected_date=None, normative=True)
    by_host = found("host", detected_date=None, url="https://www.gesetze-im-internet.de/bdsg/")
    blog = found("blog", detected_date=None)
    for mode in ("standard", "law_evergreen"):
        result = ranked(request(statute, by_host, blog, context={"freshness_mode": mode}))
        flags = {item.candidate_id: item.risk_flags for item in result.ranked}
        assert flags == {"law": (), "host": (), "blog": ("no_date",)}


def test_what_a_candidate_says_of_itself_beats_the_list_of_hosts() -> None:
    said = found("host", detected_date=None, normative=False, url="https://www.gesetze-im-internet.de/impressum")
    assert ranked(request(said)).ranked[0].risk_flags == ("no_date",)
