"""Plots of an evaluation as SVG: plain text, no dependency, readable on light and dark pages and without colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape

from veracity.evals.records import EvalResults, Summary
from veracity.evals.writing import percent, seconds, short

_WIDTH = 760
_LEFT, _RIGHT = 104, 730
"""Where the scale begins and ends; names of modes stand to the left of it."""
_TOP, _ROW, _BAR = 84, 44, 28
_LETTER, _BOLD = 6.6, 7.6
"""About the width of a letter."""

# Okabe and Ito's colours: told apart by colour-blind people, each light enough for black letters on it.
_VERDICTS: tuple[tuple[str, str, Callable[[Summary], int]], ...] = (
    ("right", "#009e73", lambda each: each.right),
    ("abstained", "#56b4e9", lambda each: each.abstained),
    ("wrong", "#d55e00", lambda each: each.wrong),
    ("timeout", "#e69f00", lambda each: each.timeouts),
    ("error", "#cc79a7", lambda each: each.errors),
    ("not judged", "#bbbbbb", lambda each: each.unjudged),
)

# A card of its own: a page may be dark while the system is light, and nothing in a picture can know.
_STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: #1f2328; }
.card { fill: #ffffff; stroke: #d1d9e0; }
.title { font-size: 15px; font-weight: 600; }
.quiet { fill: #59636e; }
.line { stroke: #d1d9e0; }
.whisker { stroke: #1f2328; stroke-width: 1.5; }
.edge { stroke: #ffffff; stroke-width: 1; }
.on { fill: #000000; font-weight: 600; }
.on.wrong { paint-order: stroke; stroke: #d55e00; stroke-width: 4px; }
.end { text-anchor: end; }
.mid { text-anchor: middle; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .card { fill: #0d1117; stroke: #3d444d; }
  .quiet { fill: #9198a1; }
  .line { stroke: #3d444d; }
  .whisker { stroke: #f0f6fc; }
  .edge { stroke: #0d1117; }
  .on { fill: #000000; }
}
"""


def plots(results: EvalResults) -> dict[str, str]:
    """The plots by the names of their files."""
    return {
        "verdicts.svg": verdicts(results),
        "rates.svg": rates(results),
        "latency.svg": latency(results),
    }


def verdicts(results: EvalResults) -> str:
    """How the questions ended: one bar per mode, of what there is to tell apart."""
    kinds = [kind for kind in _VERDICTS if kind[0] != "not judged" or any(map(kind[2], results.summaries))]
    parts = list(_legend([(name, _swatch(colour)) for name, colour, _count in kinds]))
    for top, summary in _rows(results.summaries):
        parts += _mode(top, summary)
        parts += _stack(top, summary)
    runs = f", {results.runs} runs each" if results.runs > 1 else ""
    beside = f"{short(results.model, 60)}, {len(results.cases)} questions{runs}"
    return _picture("How the questions ended", beside, parts, results.summaries, below=4)


def _stack(top: float, summary: Summary) -> Iterator[str]:
    counts = [(name, colour, max(0, count(summary))) for name, colour, count in _VERDICTS]
    total = sum(count for _name, _colour, count in counts)
    left = float(_LEFT)
    for name, colour, count in counts:
        if not count:
            continue
        width = (_RIGHT - _LEFT) * count / total
        tip = _tip(f"{summary.mode}: {count} of {total} {name}")
        fill = "url(#wrong)" if name == "wrong" else colour
        yield f'<rect class="edge" x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_BAR}" fill="{fill}">{tip}</rect>'
        label = f"{count} {name}" if width > _BOLD * len(f"{count} {name}") + 8 else str(count)
        if width > _BOLD * len(label) + 2:
            yield _text(left + width / 2, top + 18, label, f"on mid {name}")
        left += width


def rates(results: EvalResults) -> str:
    """Accuracy with its deviation, pattern compliance and repair conversion: a mark of its own for each."""
    marks = (("accuracy", _circle), ("pattern compliance", _square), ("repair conversion", _diamond))
    parts = list(_legend([(name, mark(0, 0)) for name, mark in marks]))
    rows = list(_rows(results.summaries))
    parts += _axis(rows, [(step / 4, f"{step * 25} %") for step in range(5)], 1.0)
    for top, summary in rows:
        parts += _mode(top, summary)
        middle = top + _BAR / 2
        repaired = summary.repair_conversion_rate if summary.repair_triggered_count else None
        shares = (summary.accuracy, summary.pattern_compliance, repaired)
        if summary.accuracy_deviation > 0:
            parts.append(_whisker(middle, summary.accuracy, summary.accuracy_deviation))
        for (name, mark), share in reversed(list(zip(marks, shares, strict=True))):
            if share is not None:
                note = f" ± {summary.accuracy_deviation * 100:.1f}" if name == "accuracy" and results.runs > 1 else ""
                at = mark(_place(share, 1.0), middle)
                parts.append(f"<g>{_tip(f'{summary.mode}: {name} {percent(share)}{note}')}{at}</g>")
        parts.append(_text(_place(summary.accuracy, 1.0), top - 3, percent(summary.accuracy), "mid"))
    return _picture("Accuracy, pattern compliance, repair", short(results.model, 60), parts, results.summaries)


def _whisker(y: float, share: float, deviation: float) -> str:
    low, high = _place(share - deviation, 1.0), _place(share + deviation, 1.0)
    ends = "".join(f'<line class="whisker" x1="{x:.1f}" y1="{y - 9}" x2="{x:.1f}" y2="{y + 9}"/>' for x in (low, high))
    return f'<line class="whisker" x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}"/>{ends}'


def latency(results: EvalResults) -> str:
    """How long a question takes: half of them at most p50, 95 of 100 at most p95."""
    slow = max((summary.p95_seconds for summary in results.summaries), default=0.0)
    ticks = _ticks(slow)
    most = ticks[-1]
    kinds = (("p50", "#56b4e9", 0.0), ("p95", "#e69f00", _BAR / 2))
    parts = list(_legend([(name, _swatch(colour)) for name, colour, _shift in kinds]))
    rows = list(_rows(results.summaries))
    parts += _axis(rows, [(tick, f"{tick:g} s") for tick in ticks], most)
    for top, summary in rows:
        parts += _mode(top, summary)
        for (name, colour, shift), value in zip(kinds, (summary.p50_seconds, summary.p95_seconds), strict=True):
            end, label = _place(value, most), f"{seconds(value)} s"
            tip = _tip(f"{summary.mode}: {name} {label}")
            width = max(1.5, end - _LEFT)
            parts.append(
                f'<rect x="{_LEFT}" y="{top + shift}" width="{width:.1f}" height="{_BAR / 2 - 1}" fill="{colour}">{tip}</rect>'
            )
            inside = end + _LETTER * len(label) + 8 > _WIDTH
            at, kind = (end - 5, "on end") if inside else (end + 5, "label")
            parts.append(_text(at, top + shift + 11, label, kind))
    return _picture("Seconds per question", short(results.model, 60), parts, results.summaries)


def _ticks(most: float) -> list[float]:
    """Round values from 0 to at least `most`, at most seven of them."""
    if not (math.isfinite(most) and 0 < most < 1e12):
        most = 1.0
    step = 10.0 ** math.floor(math.log10(most))
    step = next(step * factor for factor in (0.2, 0.5, 1, 2) if most / (step * factor) <= 6)
    return [step * number for number in range(math.ceil(most / step - 1e-9) + 1)]


def _place(value: float, most: float) -> float:
    """Where a value stands on the scale; what lies beyond it stands at its end."""
    return _LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, value / most))


def _rows(summaries: Sequence[Summary]) -> Iterator[tuple[int, Summary]]:
    return ((_TOP + _ROW * number, summary) for number, summary in enumerate(summaries))


def _mode(top: float, summary: Summary) -> Iterator[str]:
    yield _text(_LEFT - 10, top + 18, summary.mode, "end")


def _axis(rows: Sequence[object], ticks: Sequence[tuple[float, str]], most: float) -> Iterator[str]:
    """Lines from top to bottom, each with its value below."""
    if not rows:
        return
    bottom = _TOP + _ROW * len(rows) - 8
    for value, label in ticks:
        x = _place(value, most)
        yield f'<line class="line" x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{bottom}"/>'
        yield _text(x, bottom + 15, label, "quiet mid")


def _legend(entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    left = float(_LEFT)
    for name, mark in entries:
        yield f'<g transform="translate({left + 8:.1f} 54)">{mark}</g>'
        yield _text(left + 23, 58, name)
        left += 23 + _LETTER * len(name) + 18


def _swatch(colour: str) -> str:
    fill = "url(#wrong)" if colour == "#d55e00" else colour
    return f'<rect x="-6" y="-6" width="12" height="12" rx="2" fill="{fill}"/>'


# Smaller in front of larger: three marks on the same spot can still be told.
def _circle(x: float, y: float) -> str:
    return f'<circle class="edge" cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#009e73"/>'


def _square(x: float, y: float) -> str:
    return f'<rect class="edge" x="{x - 6.5:.1f}" y="{y - 6.5:.1f}" width="13" height="13" fill="#e69f00"/>'


def _diamond(x: float, y: float) -> str:
    return f'<path class="edge" d="M{x:.1f} {y - 11:.1f}l11 11l-11 11l-11 -11z" fill="#cc79a7"/>'


def _tip(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def _text(x: float, y: float, text: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _picture(title: str, beside: str, parts: Sequence[str], summaries: Sequence[Summary], *, below: int = 20) -> str:
    """The whole file. Parts were escaped where they were made; `below` is room for the values of a scale."""
    height = _TOP + _ROW * max(1, len(summaries)) + below
    nothing = "" if summaries else _text(_LEFT, _TOP + 17, "Nothing is finished yet.", "quiet")
    hatch = (
        '<pattern id="wrong" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="6" height="6" fill="#d55e00"/><rect width="1.5" height="6" fill="#f4a582"/></pattern>'
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img" aria-labelledby="title"><title id="title">{escape(f"{title}: {beside}")}</title>'
    )
    card = f'<rect class="card" x="0.5" y="0.5" width="{_WIDTH - 1}" height="{height - 1}" rx="8"/>'
    heading = (
        f'<text x="18" y="29"><tspan class="title">{escape(title)}</tspan>'
        f'<tspan class="quiet" dx="10">{escape(beside)}</tspan></text>'
    )
    body = "\n".join((card, heading, *parts, nothing))
    return f"{head}\n<style>{_STYLE}</style>\n<defs>{hatch}</defs>\n{body}\n</svg>\n"
