"""Review: which sources may enter the corpus: what was ranked and why, what it would add, and the decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import Response

from veracity.errors import UsageError
from veracity.retrieval.contracts import RankedItem, SearchCandidate
from veracity.retrieval.review import Review, ReviewDesk
from veracity.server.request_body import clean_text
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to, is_fragment, not_there

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_COUNT = 50
_ORDER = ("base", "freshness_penalty", "adjusted", "words", "meaning")
_FUSED = ("rrf_term", "rag_bonus", "domain_bonus", "policy_bonus", "redundancy")


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a score."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class ShownCandidate:
    """A candidate as a page shows it."""

    candidate: SearchCandidate
    item: RankedItem
    best: bool
    ticked: bool
    """Offered for approval: what the clock would approve, the best without any risk."""
    components: tuple[Component, ...]
    fused: tuple[Component, ...]


@dataclass(frozen=True, slots=True)
class Facet:
    """How well a dimension is covered, in percent: by what is known, and with what would come in."""

    name: str
    before: float | None
    """None: there was nothing to compare with."""
    after: float
    wanted: bool


@router.get("/reviews")
def list_(visit: Visitor) -> Response:
    """What waits for a decision, and what was decided."""
    return visit.page("reviews.html", reviews=visit.reviews().list(_COUNT))


@router.get("/reviews/{review_id}")
def show(visit: Visitor, review_id: str) -> Response:
    """One review; its state comes again as long as a worker is at it."""
    review = _review_or_404(visit.reviews(), review_id)
    if is_fragment(visit.request):
        return visit.page("_review_state.html", review=review)
    return _review_page(visit, review)


@router.post("/reviews/{review_id}/decision")
def decide(
    visit: FilledIn,
    review_id: str,
    decision: Annotated[str, Form()] = "",
    only: Annotated[list[str] | None, Form()] = None,
    why: Annotated[str, Form()] = "",
) -> Response:
    """Approve the chosen candidates, or reject the review."""
    visit.needs("reviewer")
    desk = visit.reviews()
    review = _review_or_404(desk, review_id)
    try:
        if decision == "reject":
            if not why.strip():
                raise UsageError(visit.say("review.why_missing"))
            desk.reject(review.review_id, clean_text(why), visit.who)
        else:
            if not only:
                raise UsageError(visit.say("review.none_chosen"))
            desk.approve(review.review_id, only, visit.who)
    except UsageError as error:
        return _review_page(visit, _review_or_404(desk, review_id), problem=str(error))
    return go_to(f"/reviews/{review.review_id}")


def _review_page(visit: Visit, review: Review, *, problem: str = "") -> Response:
    return visit.page(
        "review.html",
        status=409 if problem else 200,
        review=review,
        candidates=candidates_of(review),
        facets=facets_of(review),
        dropped=_debug_part(review, "pre_filter").get("dropped") or (),
        problem=problem,
    )


def _review_or_404(desk: ReviewDesk, review_id: str) -> Review:
    try:
        return desk.show(review_id)
    except UsageError as error:
        raise not_there(error) from None


def _debug_part(review: Review, name: str) -> Mapping[str, Any]:
    """How a ranking came about; nothing where another program made it."""
    found = review.result.flags.debug.get(name)
    return found if isinstance(found, Mapping) else {}


def candidates_of(review: Review) -> tuple[ShownCandidate, ...]:
    """The ranked candidates with the parts of their scores."""
    known = {one.id: one for one in review.request.candidates}
    best = {one.candidate_id for one in review.result.top_k}
    scores, fusion = _debug_part(review, "scores"), _debug_part(review, "fusion").get("rrf_components") or {}
    return tuple(
        ShownCandidate(
            known[item.candidate_id],
            item,
            item.candidate_id in best,
            item.candidate_id in best and not item.risk_flags,
            _components(scores.get(item.candidate_id), _ORDER),
            _components(fusion.get(item.candidate_id), _FUSED),
        )
        for item in review.result.ranked
        if item.candidate_id in known
    )


def _components(told: Any, order: tuple[str, ...]) -> tuple[Component, ...]:
    if not isinstance(told, Mapping):
        return ()
    values = [(name, told.get(name)) for name in order]
    return tuple(Component(name, _short_number(value)) for name, value in values if isinstance(value, int | float))


def _short_number(value: float) -> str:
    """A number without an exponent and without empty decimals."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def facets_of(review: Review) -> tuple[Facet, ...]:
    """What is covered before, and after, of each dimension that matters here."""
    told = _debug_part(review, "coverage")
    known, added = told.get("known") or {}, told.get("top_k") or {}
    compared = bool(told.get("compared", known))
    wanted = set(told.get("wanted") or ())
    names = [
        name
        for name in dict.fromkeys([*wanted, *known, *added])
        if name in wanted or known.get(name) or added.get(name)
    ]
    return tuple(_facet(name, known.get(name), added.get(name), compared, name in wanted) for name in sorted(names))


def _facet(name: str, known: Any, added: Any, compared: bool, wanted: bool) -> Facet:
    before = _percent(known)
    return Facet(name, before if compared else None, max(before, _percent(added)), wanted)


def _percent(share: Any) -> float:
    return round(min(1.0, max(0.0, float(share))) * 100, 1) if isinstance(share, int | float) else 0.0
