"""What re-ranking is given and what it says: the JSON of `veracity rerank`, its settings, and the seams of the pipeline."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Protocol

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.retrieval.addresses import DomainType, policy_host
from veracity.settings import (
    SettingsFile,
    SettingsRank,
    fitted,
    in_environment,
    refuse_unknown,
    refuse_unknown_variables,
)

REASON_LENGTH = 280
MOST_CANDIDATES = 100_000
_SHOWN = 120

FreshnessMode = Literal["standard", "software_docs_strict", "law_evergreen"]
Trust = Literal["high", "medium", "low"]
Fusion = Literal["seed", "bounded"]

# --- values

_DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}", re.ASCII)
_NAIVE = "detected_date ohne Zeitzone"
_FEW_BUCKETS = "min_diversity_buckets must be at least 1"
_NO_DIMENSION = "invalid coverage dimension"
_NOT_NUMERIC = "custom facet scores must be numeric"
_MENDS = {
    _NAIVE: "Offset oder Z ergänzen, z. B. 2024-06-01T09:00:00+02:00",
    _FEW_BUCKETS: "write 1 or more, or leave the field out",
    _NO_DIMENSION: "use one of {dimensions}, and put your own facets into custom_facets",
    _NOT_NUMERIC: "write a number from 0.0 to 1.0",
}
"""The messages that callers know, to the letter, and what to do about each."""
_PLAIN = {
    "extra_forbidden": "there is no such field here; check its spelling, or leave it out",
    "missing": "this field is missing; add it",
    "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be {le} or less",
    "less_than": "must be less than {lt}",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "too_long": "must have at most {max_length} entries",
}
"""Kinds of mistakes in plain words, by the names that pydantic gives them."""


class CoverageDimension(StrEnum):
    """What a source can be about."""

    LEGAL = "LEGAL"
    TECHNICAL = "TECHNICAL"
    PROCEDURAL = "PROCEDURAL"
    DATA_CATEGORIES = "DATA_CATEGORIES"
    MONITORING_SURVEILLANCE = "MONITORING_SURVEILLANCE"
    LOGGING_AUDIT = "LOGGING_AUDIT"
    ANALYTICS_REPORTING = "ANALYTICS_REPORTING"
    ACCESS_PRIVACY_SECURITY = "ACCESS_PRIVACY_SECURITY"
    API_INTEGRATION = "API_INTEGRATION"


_DIMENSIONS = frozenset(str(one) for one in CoverageDimension)


def _without_half_characters(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _written_date(value: Any) -> Any:
    """Only dates as people write them: a bare number would silently be seconds since 1970, a text with one, too."""
    if isinstance(value, datetime) or value is None:
        return value
    if not isinstance(value, str) or not _DATE.match(value):
        raise PydanticCustomError("date_form", "a date is a text such as 2024-06-01T09:00:00+02:00")
    return value.strip()


def _in_utc(moment: datetime) -> datetime:
    if moment.utcoffset() is None:
        raise PydanticCustomError("naive_date", _NAIVE)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise PydanticCustomError("date_range", "a date must lie between the years 1 and 9999 in UTC") from None


def _check_buckets(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value < 1:
        raise PydanticCustomError("few_buckets", _FEW_BUCKETS)
    return value


def _check_dimension(value: Any) -> Any:
    if not isinstance(value, str) or value not in _DIMENSIONS:
        raise PydanticCustomError("no_dimension", _NO_DIMENSION)
    return value


def _check_custom_score(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise PydanticCustomError("not_numeric", _NOT_NUMERIC)
    return value


def _custom_name(name: str) -> str:
    """`reporting` and `CUSTOM_REPORTING` are the same facet, written as the latter."""
    bare = re.sub(r"\W+", "_", name).strip("_").upper().removeprefix("CUSTOM_")
    if not bare:
        raise PydanticCustomError("custom_name", "a custom facet needs a name, such as CUSTOM_REPORTING")
    return f"CUSTOM_{bare}"


_Clean = BeforeValidator(_without_half_characters)
"""Without halves of characters, which no JSON could hold."""
Said = Annotated[str, StringConstraints(strip_whitespace=True), _Clean]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), _Clean]
Short = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), _Clean]
Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000), _Clean]
Filled = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000), _Clean]
Passage = Annotated[str, StringConstraints(strip_whitespace=True, max_length=50_000), _Clean]
Tags = Annotated[tuple[Name, ...], Field(max_length=100)]
Sources = Annotated[tuple[Filled, ...], Field(max_length=10_000)]
Reason = Annotated[Said, AfterValidator(lambda text: clip(text, REASON_LENGTH))]
Score = Annotated[float, Strict(), Field(ge=0, le=100, allow_inf_nan=False)]
Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
Priority = Annotated[float, Strict(), Field(ge=0, le=100, allow_inf_nan=False)]
Dimension = Annotated[CoverageDimension, BeforeValidator(_check_dimension)]
CustomName = Annotated[Name, AfterValidator(_custom_name)]
CustomShare = Annotated[float, BeforeValidator(_check_custom_score)]
CustomFacets = Annotated[dict[CustomName, CustomShare], Field(max_length=100)]
FacetWords = Annotated[
    dict[CustomName, Annotated[tuple[Name, ...], Field(min_length=1, max_length=50)]], Field(max_length=50)
]
"""Facets of one's own with the keywords that they are found by."""
Detected = Annotated[datetime, BeforeValidator(_written_date), AfterValidator(_in_utc)]
Host = Annotated[Name, AfterValidator(policy_host)]


class _Contract(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


# --- in


class ScoringContext(_Contract):
    """What the sources are wanted for."""

    question: Filled
    purpose: Note = ""
    jurisdiction: Short | None = None
    """Whose law counts: a code or a name. What is about another one only loses points, and has a risk."""
    output_target: Short | None = None
    """What is made of the sources, such as a briefing; what serves it gains points."""
    preferred_sources: Sources = ()
    """Hosts, or beginnings of addresses; what comes from there counts as highly trusted."""
    disallowed_sources: Sources = ()
    """Hosts, or beginnings of addresses; what comes from there is dropped."""
    collection_scope: Short | None = None
    """The part of the corpus to compare with: a folder in it, or what documents say in their `collection`."""
    version_target: Short | None = None
    freshness_mode: FreshnessMode = "standard"
    min_diversity_buckets: Annotated[int, BeforeValidator(_check_buckets), Strict(), Field(le=1_000)] | None = None
    custom_facets: FacetWords = {}
    """Facets of one's own that are wanted, each with its keywords."""


class SearchCandidate(_Contract):
    """One search result."""

    id: Name
    title: Note
    snippet: Passage = ""
    url: Note
    """Of any scheme; empty where it is not known."""
    detected_date: Detected | None = None
    """With an offset; kept in UTC and written with Z."""
    domain_type: DomainType | None = None
    """Without it, read off the host."""
    trust: Trust = "medium"
    policy_priority: Priority = 0
    base_score: Score | None = None
    """How well the search that found it liked it."""
    normative: bool = False
    """A law or another binding text; those of hosts that publish the law are, unless something else is said."""
    version_hint: Short | None = None
    facet_coverage: dict[Dimension, Share] = {}
    """How much it covers of a dimension, where that is known; the others are found by their keywords."""
    custom_facets: CustomFacets = {}


class Policy(_Contract):
    """What is known of a host; it overrules what a candidate says of itself."""

    trust: Trust | None = None
    policy_priority: Priority | None = None
    domain_type: DomainType | None = None
    normative: bool | None = None


class Control(_Contract):
    """How a request is worked on."""

    max_tokens: int = Field(default=2_000, ge=1, le=1_000_000)
    """The longest answer that a language model may give."""
    top_k: int = Field(default=5, ge=1, le=1_000)
    llm: Literal["on", "off"] = "on"
    """off: the heuristic scores, even where a model is set."""
    fusion: Fusion = "bounded"
    """How much bonuses count: `bounded` by the ranking, or as the `seed` has them."""


class RerankRequest(_Contract):
    """Search results, and what they are wanted for."""

    scoring_context: ScoringContext
    candidates: Annotated[tuple[SearchCandidate, ...], Field(max_length=MOST_CANDIDATES)]
    corpus: Filled | None = None
    """A folder, or the address of a server: what is known already."""
    control: Control = Control()
    policies: Annotated[dict[Host, Policy], Field(max_length=10_000)] = {}


# --- out


class LLMScoredItem(_Contract):
    """How good one candidate is, and why; by a language model or by the heuristic."""

    candidate_id: Name
    score: Score
    reason: Reason = ""
    """At most 280 characters; longer ones are cut."""
    gap_tags: Tags = ()
    """The gaps that it fills: dimensions that are wanted and not known yet."""
    risk_flags: Tags = ()
    facet_coverage: dict[Dimension, Share] = {}
    custom_facets: CustomFacets = {}
    """Facets of one's own, written as CUSTOM_*."""


class RankedItem(LLMScoredItem):
    """A scored candidate with the figure that the ranking is sorted by."""

    fused_score: float


class RecommendedIngest(_Contract):
    """A source that would fill a gap."""

    candidate_id: Name
    reason: Reason


class Flags(_Contract):
    """What went other than planned, and how everything came about."""

    rag_unavailable: bool = False
    llm_timeout: bool = False
    rag_cache_hit: bool = False
    llm_cache_hit: bool = False
    diversity_unmet: bool = False
    """There are fewer kinds of sources than wanted."""
    debug: dict[str, Any] = {}


class HybridResult(_Contract):
    """The ranking, its beginning, what it adds to what is known, and what to take up."""

    ranked: tuple[RankedItem, ...] = ()
    top_k: tuple[RankedItem, ...] = ()
    coverage_delta: str = ""
    recommended_ingest: tuple[RecommendedIngest, ...] = ()
    flags: Flags = Flags()


# --- seams


class KeyPoint(_Contract):
    """One thing that is known already."""

    text: str
    source: str
    score: float = 0.0


class ScoredBatch(_Contract):
    """What a scorer made of the candidates; `fallback` says why some or all have no score."""

    items: tuple[LLMScoredItem, ...] = ()
    fallback: str | None = None
    timed_out: bool = False
    cache_hit: bool = False
    """Nothing had to be asked."""


class Corpus(Protocol):
    """What is known already."""

    async def key_points(self, question: str, *, most: int, scope: str | None = None) -> tuple[KeyPoint, ...]:
        """What it says about a question, in one of its collections or in all; raises `SourceError` when it is gone."""


class Scorer(Protocol):
    """Whatever scores candidates; it never raises for what a model does."""

    async def score(
        self,
        context: ScoringContext,
        key_points: Sequence[KeyPoint],
        candidates: Sequence[SearchCandidate],
        *,
        max_tokens: int,
    ) -> ScoredBatch:
        """A score for each candidate that it can judge."""


class Cache(Protocol):
    """Values that JSON can hold, for a while; one that cannot be read or written is empty, and never raises."""

    def get(self, key: str) -> Any | None:
        """The value, unless its time is up."""

    def put(self, key: str, value: Any, *, seconds: float) -> None:
        """Keep a value for so long."""


# --- settings


class RerankSettings(BaseModel):
    """Every constant of the pipeline; `from_env` reads `VERACITY_RERANK_RRF_K` into `rrf_k`, and so on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rag_cache_ttl_s: float = Field(default=300, ge=0, le=31_536_000)
    """Seconds for which the key points of a question are kept."""
    llm_cache_ttl_s: float = Field(default=3_600, ge=0, le=31_536_000)
    """Seconds for which a model's scores are kept."""
    mmr_lambda: float = Field(default=0.7, ge=0, le=1)
    """1: relevance only. 0: variety only."""
    mmr_limit: int = Field(default=20, ge=1, le=1_000)
    """How many candidates are scored."""
    rrf_k: int = Field(default=90, ge=1, le=100_000)
    """The higher, the less a rank matters."""
    min_diversity_buckets: int = Field(default=3, ge=1, le=1_000)
    """How many kinds of sources the best should have, where a request says nothing."""
    max_key_points: int = Field(default=5, ge=1, le=100)
    min_key_points: int = Field(default=3, ge=0, le=100)
    """With fewer, too little is known to tell what is missing."""
    default_freshness_days: float = Field(default=365, gt=0, le=1_000_000)
    software_freshness_days: float = Field(default=1_095, gt=0, le=1_000_000)
    max_reason_length: int = Field(default=REASON_LENGTH, ge=20, le=REASON_LENGTH)
    freshness_penalty_per_month: float = Field(default=2.0, ge=0, le=100)
    """Points a month under the default limit; under a longer one, as much less."""
    domain_redundancy_penalty: float = Field(default=0.85, ge=0, le=1)
    """What each further source of a host is multiplied with."""
    policy_priority_scale: float = Field(default=0.1, ge=0, le=1)
    """What a point of policy priority is worth: at 0.1, 100 points are worth a first rank."""
    jurisdiction_points: float = Field(default=10.0, ge=0, le=100)
    """Points that the heuristic gives to what is about the wanted jurisdiction, and takes from what is about others only."""
    output_points: float = Field(default=5.0, ge=0, le=100)
    """Points that the heuristic gives at most to what serves the output."""
    purpose_points: float = Field(default=5.0, ge=0, le=100)
    """Points that the heuristic gives at most to what has the words of the purpose."""
    bounded_bonus_share: float = Field(default=0.1, ge=0, le=1)
    """How much of the span of the ranks all bonuses together may move, where they are bounded."""
    temperature: float = Field(default=0.3, ge=0, le=2)
    llm_seconds: float = Field(default=60, gt=0, le=86_400)
    """Seconds a model may take for one request."""
    review_hours: float = Field(default=24.0, gt=0, le=87_600)
    """Hours after which the clock decides a review."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> RerankSettings:
        """The settings of this environment and of `[rerank]` in `veracity.toml`; what does not fit is a `UsageError`."""
        prefix, names = "VERACITY_RERANK_", list(cls.model_fields)
        refuse_unknown_variables(prefix, names, environ)
        file = SettingsFile.read(environ)
        own = file.sections.get("rerank", {})
        refuse_unknown(own, names, f"[rerank] in {file.name}")
        return fitted(
            cls, [in_environment(environ, prefix, names), SettingsRank(f"rerank.{{name}} in {file.name}", own)]
        )


# --- reading


def read_request(data: Any) -> RerankRequest:
    """A request in any of its forms; raises `UsageError` with the path to the first thing that is wrong.

    The plain form, `{"scoring_context", "candidates", ...}`; the context as tools carry it, `{"meta":
    {"scoring_context": ...}}`; and the older `{"query", "results": [...], "k"}`, whose results may lack title and address.
    """
    if not isinstance(data, dict):
        raise UsageError('The request is not an object such as {"scoring_context": {...}, "candidates": [...]}.')
    moved: dict[str, str] = {}
    try:
        return RerankRequest.model_validate(_plain_form(data, moved))
    except ValidationError as error:
        raise UsageError(wrong_field(error, moved)) from None
    except RecursionError:
        raise UsageError("The request is nested too deeply.") from None


def wrong_field(error: ValidationError, moved: Mapping[str, str] | None = None) -> str:
    """`path: message` for what pydantic found first; `moved` says where a field really stood."""
    first = error.errors(include_url=False)[0]
    path = ".".join(str(part) for part in first["loc"] if part != "[key]")
    for here, there in (moved or {}).items():
        if f"{path}.".startswith(f"{here}."):
            path = there + path[len(here) :]
    if plain := _PLAIN.get(first["type"]):
        return f"{clip(path, _SHOWN)}: {plain.format(**first.get('ctx', {}))}."
    mend = _MENDS.get(first["msg"], "").format(dimensions=", ".join(CoverageDimension))
    message = first["msg"].removeprefix("Value error, ").replace("a valid tuple", "a list").rstrip(".")
    return f"{clip(path, _SHOWN)}: {message}{f'; {mend}' if mend else ''}."


def _plain_form(data: dict[str, Any], moved: dict[str, str]) -> dict[str, Any]:
    given = dict(data)
    meta = given.pop("meta", None)
    if isinstance(meta, dict) and "scoring_context" in meta and "scoring_context" not in given:
        given["scoring_context"] = meta["scoring_context"]
        moved["scoring_context"] = "meta.scoring_context"
    if "results" not in given or "candidates" in given:
        return given
    moved["candidates"] = "results"
    results = given.pop("results")
    given["candidates"] = [_older_result(one) for one in results] if isinstance(results, list) else results
    query, count = given.pop("query", None), given.pop("k", None)
    given.pop("criteria", None)
    if query is not None and "scoring_context" not in given:
        given["scoring_context"] = {"question": query}
        moved["scoring_context.question"] = "query"
    if count is not None and "control" not in given:
        given["control"] = {"top_k": count}
        moved["control.top_k"] = "k"
    return given


def _older_result(result: Any) -> Any:
    """A result that may lack title and address; nothing is made up for them."""
    if not isinstance(result, dict):
        return result
    missing = {name: "" for name in ("title", "snippet", "url") if result.get(name) is None}
    return {**result, **missing}
