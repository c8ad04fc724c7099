"""Charts drawn as SVG by the server: lines, bars, and bars side by side or on top of each other.

Colours stand in the file, so that it looks the same elsewhere; on a page, the stylesheet has its own for light and dark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Literal

from veracity.language.numbers import format_number

ChartKind = Literal["line", "bars", "stacked", "grouped"]
COLOURS = ("#0e7367", "#c2742c", "#4c6fb1", "#a6402c", "#7a5ea8", "#5d8a3a", "#b08a1e", "#62696d")
_INK, _SOFT, _LINE, _PAPER = "#1d2326", "#62696d", "#d9d5cb", "#ffffff"
_FONT = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif"
_WIDTH, _LETTER = 720.0, 6.3
_TICKS = 4


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """One line, or the bars of one colour."""

    name: str
    values: tuple[Decimal | None, ...]
    texts: tuple[str, ...]
    """The values as an answer writes them."""


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """What is drawn."""

    kind: ChartKind
    title: str
    unit: str
    categories: tuple[str, ...]
    series: tuple[ChartSeries, ...]
    locale: str = "en"

    @property
    def caption(self) -> str:
        """What the figures are, with their unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


def svg_of(chart: DrawnChart, *, background: bool = False) -> str:
    """The chart as an SVG document; with a background, as a file of its own."""
    body, height = _ranking(chart) if chart.kind == "bars" and len(chart.series) == 1 else _upright(chart)
    title = _text(12, 20, chart.caption, size=14, colour=_INK, kind="title") if background else ""
    top = 32.0 if background else 0.0
    paper = f'<rect width="{_WIDTH:g}" height="{height + top:g}" fill="{_PAPER}"/>' if background else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" viewBox="0 0 {_WIDTH:g} {height + top:g}"'
        f' width="{_WIDTH:g}" height="{height + top:g}" role="img" font-family="{_FONT}">'
        f"<title>{escape(chart.caption)}</title>{paper}{title}"
        f'<g transform="translate(0 {top:g})">{body}</g></svg>'
    )


# --- upright: lines and columns


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to heights."""

    low: Decimal
    high: Decimal
    top: float
    bottom: float

    def y(self, value: Decimal) -> float:
        return self.bottom - float((value - self.low) / (self.high - self.low)) * (self.bottom - self.top)


def _upright(chart: DrawnChart) -> tuple[str, float]:
    ticks = _ticks(chart)
    labels = [format_number(tick, chart.locale, decimals=None) for tick in ticks]
    left = 16 + _LETTER * max(len(label) for label in labels)
    legend, below = _legend(chart, left)
    scale = _Scale(ticks[0], ticks[-1], 12.0, 232.0)
    parts = []
    for tick, label in zip(ticks, labels, strict=True):
        y = scale.y(tick)
        strong = ' stroke-width="1.5"' if tick == 0 else ""
        parts.append(f'<path class="grid" d="M{left:.1f} {y:.1f}H{_WIDTH - 8:g}" stroke="{_LINE}"{strong}/>')
        parts.append(_text(left - 8, y + 4, label, anchor="end"))
    step = (_WIDTH - 16 - left) / len(chart.categories)
    parts += _category_labels(chart.categories, left, step)
    parts += _lines(chart, scale, left, step) if chart.kind == "line" else _columns(chart, scale, left, step)
    return "".join(parts) + legend, 262.0 + below


def _ticks(chart: DrawnChart) -> list[Decimal]:
    """Round numbers from below the lowest to above the highest value, and 0."""
    values = [value for one in chart.series for value in one.values if value is not None]
    if chart.kind == "stacked":
        stacks = zip(*(one.values for one in chart.series), strict=True)
        values = [sum((value for value in stack if value is not None), Decimal(0)) for stack in stacks]
    low, high = min([Decimal(0), *values]), max([Decimal(0), *values])
    rough = (high - low) / _TICKS or Decimal(1)
    power = Decimal(1).scaleb(rough.adjusted())
    size = next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= rough)
    first = (low / size).to_integral_value(rounding="ROUND_FLOOR")
    last = (high / size).to_integral_value(rounding="ROUND_CEILING")
    return [size * n for n in range(int(first), int(last) + 1)]


def _category_labels(names: Sequence[str], left: float, step: float) -> Iterator[str]:
    """So many labels as there is room for, without the year or word that all of them end with."""
    ends = {name.rpartition(" ")[2] for name in names}
    plain = [name.rpartition(" ")[0] or name for name in names] if len(ends) == 1 and len(names) > 1 else list(names)
    longest = min(16, max(len(name) for name in plain))
    every = max(1, -int(-(longest + 1) * _LETTER // step))
    for place, name in enumerate(plain):
        if place % every == 0:
            short = name if len(name) <= 16 else name[:15] + "…"
            yield _text(left + step * (place + 0.5), 250, short, anchor="middle")


def _lines(chart: DrawnChart, scale: _Scale, left: float, step: float) -> Iterator[str]:
    for number, one in enumerate(chart.series):
        colour, path = COLOURS[number % len(COLOURS)], ""
        marks, pen = [], "M"
        for place, (value, text) in enumerate(zip(one.values, one.texts, strict=True)):
            if value is None:
                pen = "M"  # nothing is drawn over a gap
                continue
            x, y = left + step * (place + 0.5), scale.y(value)
            path += f"{pen}{x:.1f} {y:.1f}"
            pen = "L"
            told = _told(chart, one, place, text)
            marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}">{told}</circle>')
        drawn = f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>'
        yield f'<g class="series s{number % len(COLOURS)} curve">{drawn}{"".join(marks)}</g>'


def _columns(chart: DrawnChart, scale: _Scale, left: float, step: float) -> Iterator[str]:
    stacked = chart.kind == "stacked"
    beside = 1 if stacked else len(chart.series)
    width = min(56.0, step * 0.72) / beside
    heights = [Decimal(0)] * len(chart.categories)
    for number, one in enumerate(chart.series):
        bars = []
        for place, (value, text) in enumerate(zip(one.values, one.texts, strict=True)):
            if value is None:
                continue
            start = heights[place] if stacked else Decimal(0)
            heights[place] += value if stacked else 0
            y, end = scale.y(max(start, start + value)), scale.y(min(start, start + value))
            x = left + step * (place + 0.5) - width * beside / 2 + (0 if stacked else width * number)
            size = f'x="{x:.1f}" y="{y:.1f}" width="{max(1.0, width - 1):.1f}" height="{end - y:.1f}"'
            bars.append(f"<rect {size}>{_told(chart, one, place, text)}</rect>")
        yield f'<g class="series s{number % len(COLOURS)}" fill="{COLOURS[number % len(COLOURS)]}">{"".join(bars)}</g>'


def _legend(chart: DrawnChart, left: float) -> tuple[str, float]:
    """The names of the series under the chart, and how high that is."""
    if len(chart.series) < 2:
        return "", 0.0
    parts, x, y = [], left, 278.0
    for number, one in enumerate(chart.series):
        name = one.name if len(one.name) <= 30 else one.name[:29] + "…"
        width = 24 + _LETTER * 1.1 * len(name)
        if x + width > _WIDTH and x > left:
            x, y = left, y + 20
        colour, mark = COLOURS[number % len(COLOURS)], number % len(COLOURS)
        square = f'<rect class="series s{mark}" x="{x:.1f}" y="{y - 9:.1f}" width="10" height="10" fill="{colour}"/>'
        parts.append(square + _text(x + 15, y, name))
        x += width
    return "".join(parts), y - 262 + 12


# --- lying: a ranking


def _ranking(chart: DrawnChart) -> tuple[str, float]:
    one = chart.series[0]
    known = [value for value in one.values if value is not None]
    low, high = min([Decimal(0), *known]), max([Decimal(0), *known])
    span = high - low or Decimal(1)
    left, right = 16 + _LETTER * min(32, max(map(len, chart.categories))), 24 + _LETTER * max(map(len, one.texts))
    room, parts = _WIDTH - left - right, []
    for place, (name, value, text) in enumerate(zip(chart.categories, one.values, one.texts, strict=True)):
        y = 6 + 24.0 * place
        short = name if len(name) <= 32 else name[:31] + "…"
        amount = value or Decimal(0)
        start = left + float((min(amount, Decimal(0)) - low) / span) * room
        colour, sign = ("#a6402c", " negative") if amount < 0 else (COLOURS[0], "")
        parts.append(_text(left - 8, y + 13, short, anchor="end", colour=_INK, kind="name"))
        size = f'x="{start:.1f}" y="{y + 2:.1f}" width="{float(abs(amount) / span) * room:.1f}" height="14"'
        parts.append(f'<rect class="series s0{sign}" {size} rx="2" fill="{colour}"/>')
        parts.append(_text(_WIDTH - 12, y + 13, text, anchor="end", colour=_INK, kind="name"))
    return "".join(parts), 12 + 24.0 * len(chart.categories)


def _told(chart: DrawnChart, one: ChartSeries, place: int, text: str) -> str:
    """What a mark says when it is pointed at."""
    unit = f" {chart.unit}" if chart.unit else ""
    name = f"{chart.categories[place]}, {one.name}" if len(chart.series) > 1 else chart.categories[place]
    return f"<title>{escape(f'{name}: {text}{unit}')}</title>"


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 11, colour: str = _SOFT, kind: str = "axis"
) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">'
        f"{escape(text)}</text>"
    )
