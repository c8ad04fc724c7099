"""A graph that one can read: boxes in columns, every arrow from left to right, as few crossings as a few sweeps find.

edges
  -> ranks       the longest way to the right decides the column; an arrow that would close a circle is turned round
  -> bends       an arrow over several columns gets a bend in each of them, so that it runs between the boxes
  -> order       in each column by the middle of the neighbours, to the right and back, a few times
  -> heights     each box as near to its neighbours as the boxes above and below let it
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

_SWEEPS = 8
BOX_WIDTH, BOX_HEIGHT = 212, 64
_GAP_X, _GAP_Y, _BEND, _MARGIN, _PORT = 76, 24, 22, 12, 13

_LABEL = 0.3


@dataclass(frozen=True, slots=True)
class Box:
    """A node at its place."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge as the path of a curve, and where its label stands."""

    start: str
    end: str
    path: str
    x: float
    y: float
    turned: bool
    """It is drawn from its end to its start."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph, laid out."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


Edge = tuple[str, str]


@dataclass(slots=True)
class _Layout:
    """Nodes and bends in their columns."""

    columns: list[list[str]]
    chains: dict[Edge, list[str]]
    """Each edge as the nodes and bends that it runs through."""
    bends: set[str]
    heights: dict[str, float] = field(default_factory=dict)

    def neighbours(self, side: int) -> dict[str, list[str]]:
        """Who stands next on the left (-1) or on the right (1)."""
        found: dict[str, list[str]] = defaultdict(list)
        for chain in self.chains.values():
            for left, right in itertools.pairwise(chain):
                found[right if side < 0 else left].append(left if side < 0 else right)
        return found

    def size(self, name: str) -> float:
        """How much room it takes."""
        return _BEND if name in self.bends else BOX_HEIGHT + _GAP_Y


def draw(names: Sequence[str], edges: Iterable[Edge]) -> Drawing:
    """Lay a graph out; edges to nodes that are not named, and from a node to itself, are left out."""
    known = set(names)
    wanted = list(dict.fromkeys(one for one in edges if one[0] != one[1] and known >= set(one)))
    forward = _without_circles(names, wanted)
    layout = _with_bends(names, forward)
    _order(layout)
    _settle(layout)
    return _drawn(layout, dict(zip(forward, wanted, strict=True)))


def _without_circles(names: Sequence[str], edges: Sequence[Edge]) -> list[Edge]:
    """The edges, each that leads back turned round."""
    following: dict[str, list[str]] = defaultdict(list)
    for start, end in edges:
        following[start].append(end)
    state: dict[str, int] = {}
    back: set[Edge] = set()
    for root in names:
        stack = [(root, iter(following[root]))] if root not in state else []
        state.setdefault(root, 1)
        while stack:
            node, left = stack[-1]
            child = next(left, None)
            if child is None:
                state[node] = 2
                stack.pop()
            elif state.get(child) == 1:
                back.add((node, child))
            elif child not in state:
                state[child] = 1
                stack.append((child, iter(following[child])))
    return [(end, start) if (start, end) in back else (start, end) for start, end in edges]


def _column_ranks(names: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """How many columns stand to the right of each node, at least."""
    ranks = dict.fromkeys(names, 0)
    for _ in names:
        changed = False
        for start, end in edges:
            if ranks[start] <= ranks[end]:
                ranks[start], changed = ranks[end] + 1, True
        if not changed:
            break
    return ranks


def _with_bends(names: Sequence[str], edges: Sequence[Edge]) -> _Layout:
    ranks = _column_ranks(names, edges)
    last = max(ranks.values(), default=0)
    columns: list[list[str]] = [[] for _ in range(last + 1)]
    for name in names:
        columns[last - ranks[name]].append(name)
    chains: dict[Edge, list[str]] = {}
    bends: set[str] = set()
    for start, end in edges:
        between = []
        for rank in range(ranks[start] - 1, ranks[end], -1):
            bend = f"{start}\n{end}\n{rank}"
            columns[last - rank].append(bend)
            between.append(bend)
        bends.update(between)
        chains[start, end] = [start, *between, end]
    return _Layout(columns, chains, bends)


def _order(layout: _Layout) -> None:
    for sweep in range(_SWEEPS):
        side = -1 if sweep % 2 == 0 else 1
        near = layout.neighbours(side)
        columns = layout.columns if side < 0 else layout.columns[::-1]
        for before, column in itertools.pairwise(columns):
            place = {name: at for at, name in enumerate(before)}
            middle = {
                name: _mean([place[one] for one in near[name] if one in place], at) for at, name in enumerate(column)
            }
            column.sort(key=middle.__getitem__)


def _settle(layout: _Layout) -> None:
    for column in layout.columns:
        top = 0.0
        for name in column:
            layout.heights[name] = top + layout.size(name) / 2
            top += layout.size(name)
    for sweep in range(_SWEEPS):
        near = layout.neighbours(-1 if sweep % 2 == 0 else 1)
        for column in layout.columns:
            wanted = {name: _mean([layout.heights[one] for one in near[name]], layout.heights[name]) for name in column}
            _place_column(column, wanted, layout)
    low = min((layout.heights[name] - layout.size(name) / 2 for name in layout.heights), default=0.0)
    layout.heights = {name: height - low for name, height in layout.heights.items()}


def _place_column(column: Sequence[str], wanted: Mapping[str, float], layout: _Layout) -> None:
    """As near to what is wanted as the order allows: those that would overlap stand together, around their middle."""
    groups: list[tuple[float, list[str]]] = []
    for name in column:
        group = [name]
        middle = wanted[name]
        while groups and _bottom(groups[-1], layout) > middle - _height(group, layout) / 2:
            other = groups.pop()[1]
            group = other + group
            middle = _mean([wanted[one] - _offset(one, group, layout) for one in group], 0.0)
        groups.append((middle, group))
    for middle, group in groups:
        for name in group:
            layout.heights[name] = middle + _offset(name, group, layout)


def _height(group: Sequence[str], layout: _Layout) -> float:
    return sum(layout.size(name) for name in group)


def _bottom(group: tuple[float, list[str]], layout: _Layout) -> float:
    return group[0] + _height(group[1], layout) / 2


def _offset(name: str, group: Sequence[str], layout: _Layout) -> float:
    """How far a member stands below the middle of its group."""
    before = _height(group[: group.index(name)], layout)
    return before + layout.size(name) / 2 - _height(group, layout) / 2


def _drawn(layout: _Layout, originals: Mapping[Edge, Edge]) -> Drawing:
    lefts = {name: _MARGIN + at * (BOX_WIDTH + _GAP_X) for at, column in enumerate(layout.columns) for name in column}
    tops = {name: _MARGIN + height for name, height in layout.heights.items()}
    boxes = tuple(
        Box(name, lefts[name], round(tops[name] - BOX_HEIGHT / 2, 1)) for name in lefts if name not in layout.bends
    )
    leaving, arriving = _ports(layout, tops, 0), _ports(layout, tops, -1)
    arrows = []
    for edge, chain in layout.chains.items():
        places = [(lefts[name], tops[name]) for name in chain]
        places[0] = (places[0][0], places[0][1] + leaving[edge])
        places[-1] = (places[-1][0], places[-1][1] + arriving[edge])
        arrows.append(_arrow(originals[edge], places, turned=originals[edge] != edge))
    width = 2 * _MARGIN + len(layout.columns) * (BOX_WIDTH + _GAP_X) - _GAP_X
    height = 2 * _MARGIN + max((tops[name] + layout.size(name) / 2 for name in tops), default=0.0) - _MARGIN
    return Drawing(width, round(height, 1), boxes, tuple(arrows))


def _ports(layout: _Layout, tops: Mapping[str, float], side: int) -> dict[Edge, float]:
    """How far above or below the middle of its box each edge begins (0) or ends (-1), so that none covers another."""
    at: dict[str, list[tuple[float, Edge]]] = defaultdict(list)
    for edge, chain in layout.chains.items():
        at[chain[side]].append((tops[chain[1 if side == 0 else -2]], edge))
    ports: dict[Edge, float] = {}
    for met in at.values():
        room = min(_PORT, (BOX_HEIGHT - 2 * _MARGIN) / max(1, len(met) - 1))
        for number, (_, edge) in enumerate(sorted(met)):
            ports[edge] = (number - (len(met) - 1) / 2) * room
    return ports


def _arrow(edge: Edge, places: Sequence[tuple[float, float]], *, turned: bool) -> Arrow:
    """A smooth line from the right side of the first box to the left side of the last, over its bends."""
    (left, top), rest = places[0], places[1:]
    at = (left + BOX_WIDTH, top)
    steps = [f"M{at[0]:.1f} {at[1]:.1f}"]
    for number, (x, y) in enumerate(rest):
        middle = (at[0] + x) / 2
        steps.append(f"C{middle:.1f} {at[1]:.1f} {middle:.1f} {y:.1f} {x:.1f} {y:.1f}")
        at = (x, y)
        if number < len(rest) - 1:
            at = (x + BOX_WIDTH, y)
            steps.append(f"L{at[0]:.1f} {y:.1f}")
    # The label stands where the curve has hardly begun, so that those of one box stand below each other.
    x, y = left + BOX_WIDTH + _GAP_X * _LABEL, top + (rest[0][1] - top) * _LABEL**2
    return Arrow(*edge, " ".join(steps), round(x, 1), round(y, 1), turned)


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
