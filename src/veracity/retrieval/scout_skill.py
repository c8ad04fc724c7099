"""Re-ranking as the engine of the skill `source_scout`: search results that stand in a text, ranked for its question."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Literal

from veracity.language.detect import language_of
from veracity.language.locale import pick
from veracity.retrieval.addresses import domain_type_of
from veracity.retrieval.contracts import RankedItem, RerankRequest, ScoringContext, SearchCandidate
from veracity.retrieval.jurisdictions import jurisdictions_of
from veracity.retrieval.rerank import rerank

_QUESTION = re.compile(r"(?:question|query|frage|suchfrage|问题)\s*[:：]\s*", re.IGNORECASE)
_RESULTS = re.compile(
    r"(?:search results|results|sources|treffer|ergebnisse|suchergebnisse|quellen|搜索结果|结果|来源)\s*[:：]\s*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:\A|(?<=\s))\d{1,2}[.)]\s+")
_MARKED = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
_ADDRESS = re.compile(r"https?://\S+|(?<![\w@.-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/\S*)?(?![\w@])", re.IGNORECASE)
_DAY = re.compile(r"(?<!\d)(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR = re.compile(r"(?<!\d)(19\d\d|20\d\d)(?!\d)")
_OLD_YEARS = 5
"""A year in a title is no date of a page; so old, it speaks against it all the same."""
_MOST = 50
_AROUND = " \t-–—|:,;()[]<>"
"""What stands between a title, an address and a snippet."""
_FIRST, _LEAST = 0.6, 0.25
"""Shares of the best score from which a source is read first, and below which it is skipped."""

_REASONS = {
    "official": {
        "de": "Amtliche oder akademische Quelle.",
        "en": "An official or academic source.",
        "zh": "官方或学术来源。",
    },
    "stale": {
        "de": "Älter, als Treffer zu dieser Frage sein dürfen.",
        "en": "Older than results for this question may be.",
        "zh": "比该问题允许的结果更旧。",
    },
    "duplicate": {"de": "Steht schon da.", "en": "It is there already.", "zh": "与前面的结果重复。"},
    "mmr": {
        "de": "Sagt dasselbe wie ein besserer Treffer.",
        "en": "Says what a better result says.",
        "zh": "与更好的结果内容相同。",
    },
    "disallowed": {"de": "Diese Quelle ist ausgeschlossen.", "en": "This source is ruled out.", "zh": "该来源被排除。"},
}

Use = Literal["read_first", "maybe", "skip"]


async def scout(text: str, lang: str) -> dict[str, Any] | None:
    """The ranking of the results in a text; None where it does not show its question and at least two results."""
    found = question_and_results(text)
    if found is None:
        return None
    question, results = found
    candidates = tuple(_candidate(number, one) for number, one in enumerate(results))
    named = jurisdictions_of(question, "")
    wanted = ScoringContext(question=question, jurisdiction=named[0] if len(named) == 1 else None)
    request = RerankRequest(scoring_context=wanted, candidates=candidates)
    answered = await rerank(request)
    spoken = lang or language_of(question)
    best = max((item.score for item in answered.ranked), default=0.0)
    ranking = [_entry(candidates[int(item.candidate_id)], item, best, question, spoken) for item in answered.ranked]
    why = {one["id"]: one["reason"] for one in answered.flags.debug["pre_filter"]["dropped"]}
    for left in {
        one.id: one for one in candidates if one.id not in {item.candidate_id for item in answered.ranked}
    }.values():
        reason = pick(_REASONS[why.get(left.id, "mmr")], spoken)
        ranking.append({"source": left.title, "reason": reason, "use": "skip"})
    return {"ranking": ranking, "missing": ""}


def question_and_results(text: str) -> tuple[str, list[str]] | None:
    """The question of a text and its search results, each as it is written."""
    marked = _RESULTS.search(text)
    if marked is None:
        return None
    before, behind = text[: marked.start()], text[marked.end() :].strip()
    asked = _QUESTION.split(before)[-1].strip(" .。\n")
    lines = [line for line in behind.splitlines() if line.strip()]
    if len(lines) < 2:
        numbered = [one for one in _NUMBERED.split(behind) if one.strip()]
        lines = numbered if len(numbered) > 1 else re.split(r"[;；]", behind)
    results = [shown for line in lines if (shown := _MARKED.sub("", line).strip(" .。\n"))]
    return (asked, results[:_MOST]) if asked and len(results) > 1 else None


def _candidate(number: int, result: str) -> SearchCandidate:
    address, day = _ADDRESS.search(result), _DAY.search(result)
    url = address.group().rstrip(").,;") if address else ""
    before = result[: address.start()].strip(_AROUND) if address and result[address.end() :].strip(_AROUND) else ""
    return SearchCandidate(
        id=str(number),
        title=before or result,
        snippet=result[address.end() :].strip(_AROUND) if address and before else "",
        url=url if "://" in url or not url else f"https://{url}",
        detected_date=_moment(day.group()) if day else None,
    )


def _moment(day: str) -> datetime | None:
    """A day as a moment; None for the 30th of February."""
    try:
        return datetime.fromisoformat(day).replace(tzinfo=UTC)
    except ValueError:
        return None


def _is_old(candidate: SearchCandidate, question: str) -> bool:
    said = f"{candidate.title} {candidate.snippet}"
    years = [int(year) for year in _YEAR.findall(said) if year not in question]
    return bool(years) and max(years) <= datetime.now(UTC).year - _OLD_YEARS


def _entry(candidate: SearchCandidate, item: RankedItem, best: float, question: str, lang: str) -> dict[str, str]:
    share = item.score / best if best else _LEAST
    use: Use = "read_first" if share >= _FIRST else "skip" if share < _LEAST else "maybe"
    reason = item.reason
    if "other_jurisdiction" in item.risk_flags:
        use = "maybe" if use == "read_first" else use
    elif domain_type_of(candidate.url) in ("government", "academic"):
        use, reason = "read_first", f"{pick(_REASONS['official'], lang)} {reason}"
    elif _is_old(candidate, question):
        use, reason = "skip", pick(_REASONS["stale"], lang)
    return {"source": candidate.title, "reason": reason.strip() or candidate.title, "use": use}
