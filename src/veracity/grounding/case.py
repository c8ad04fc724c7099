"""One answer before the guard: what was asked, what was said, what the tools returned."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from veracity.answer.render import Echo, FigureProvenance
from veracity.answer.results import Result
from veracity.grounding.binding.text import Bound, Index, bind
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import DeclaredClaim, TraceStep
from veracity.grounding.known import Known
from veracity.grounding.lists import Listing, listings_of
from veracity.grounding.tallies import tallied
from veracity.language.numbers import Figure, find_figures


@dataclass(frozen=True)
class GuardCase:
    """What every check sees. What several of them need is worked out once, when the first one asks."""

    question: str
    text: str
    """The answer as a person would read it."""
    lang: str
    locale: str
    results: Mapping[str, Result]
    trace: tuple[TraceStep, ...] | None
    config: GuardConfig
    echo: Echo
    claims: tuple[DeclaredClaim, ...] = ()
    proven: tuple[FigureProvenance, ...] | None = None
    """The figures, where the runtime computed them itself: they are not bound a second time."""
    used: frozenset[str] | None = field(default=None)
    """The results that the answer rests on, where that is known."""
    index: Index | None = None
    """The results as `bind` reads them, where several answers are held against the same."""
    names: Known | None = None
    """What may be named, likewise."""

    @cached_property
    def bound(self) -> tuple[Bound, ...]:
        """Every figure of the answer with what it was bound to; none where the runtime has proven them."""
        if self.proven is not None:
            return ()
        found = bind(
            self.text,
            self.index if self.index is not None else self.results,
            locale=self.locale,
            echo=self.echo,
            constants=self.config.constants,
            claims=self.claims,
        )
        numbers = {at for listing in self.listings for at in listing.numbers}
        kept = [one for one in found if one.figure.start not in numbers or one.figure.dates]
        return tuple(tallied(one, self.text, self.results) for one in kept)

    @cached_property
    def provenance(self) -> tuple[FigureProvenance, ...]:
        """Where every figure of the answer comes from, in its order."""
        return self.proven if self.proven is not None else tuple(one.provenance for one in self.bound)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that must be borne out, in their order."""
        return tuple(one.figure for one in self.bound) if self.proven is None else self.every_figure

    @cached_property
    def every_figure(self) -> tuple[Figure, ...]:
        """Whatever is written as a figure, also in words."""
        return tuple(find_figures(self.text, self.locale))

    @cached_property
    def rests_on(self) -> frozenset[str]:
        """The results that the answer's figures come from."""
        if self.used is not None:
            return self.used
        return frozenset(arg.result for one in self.provenance if one.status == "bound" for arg in one.args)

    @cached_property
    def known(self) -> Known:
        """What the answer may name."""
        return self.names if self.names is not None else Known(self.results, self.question, self.config)

    @cached_property
    def listings(self) -> tuple[Listing, ...]:
        """The lists of the answer."""
        return listings_of(self.text)

    def source_of(self, start: int, end: int) -> FigureProvenance | None:
        """Where the first figure between two places comes from."""
        starts = [one.span[0] for one in self.provenance]
        at = bisect_left(starts, start)
        return self.provenance[at] if at < len(starts) and starts[at] < end else None

    def is_cell(self, start: int, end: int) -> bool:
        """Whether the figure between two places is one that stands in a cell."""
        found = self.source_of(start, end)
        return found is not None and found.status == "bound" and found.kind in ("cell", "derived")
