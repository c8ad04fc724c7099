"""What a sentence claims and no check has read: it is marked, neither borne out nor contradicted.

A sentence is supported only if its claims were verified. `Only`, a superlative, a comparison, a part of a whole or a number word
that no statement accounts for is such a claim, and so is a sentence about the data of which nothing was checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from veracity.grounding.statements.cues import fractions
from veracity.grounding.statements.orders import TIMES
from veracity.grounding.statements.scene import CheckedStatement, Scene

_ONLY = re.compile(
    r"(?<![a-z])(?:the only|the sole|einzig\w*|als einzige\w*|nobody else|no other)(?![a-z])|只有|唯一|仅有"
)
_NO_SUPERLATIVE = re.compile(r"(?:at (?:the )?|am wenigsten )$")
_LEAST = frozenset({"least", "most", "meisten", "best", "besten"})
_HALF_SO = re.compile(r"(?<![a-z])(?:halb so|half as|half the|half of|haelfte)(?![a-z])|一半")
_KEYS = {
    "only": frozenset({"only", "count", "all", "superlative"}),
    "superlative": frozenset({"superlative", "rank", "range"}),
    "part": frozenset({"comparison", "share", "change", "trend", "difference"}),
}
_FEWEST_WORDS = 3


def unread_claims(scene: Scene, done: Sequence[CheckedStatement]) -> Iterator[CheckedStatement]:
    """The claims of a sentence that none of these statements is about."""
    keys = {one.key for one in done}
    found = [start for start, kind in _claims(scene) if not keys & _KEYS[kind]]
    if found:
        yield CheckedStatement("not_checkable", scene.span, "unread")
        return
    settled = {start for one in done for start in one.settles}
    spans = [one.span for one in done if one.span != scene.span]
    for one in scene.every_figure:
        figure, bound = one.figure, scene.bound.get(one.figure.start)
        covered = any(start <= figure.start < end for start, end in spans)
        if (
            figure.kind != "word"
            or bound is not None
            or covered
            or figure.start in settled
            or _is_named(scene, figure.start)
        ):
            continue
        if figure.readings and figure.readings[0] > 1 and not _is_number_of_rows(scene, int(figure.readings[0]), keys):
            yield CheckedStatement("not_checkable", (figure.start, figure.end), "unread")
    if not done and _is_about_data(scene):
        yield CheckedStatement("not_checkable", scene.span, "unread")


def _claims(scene: Scene) -> Iterator[tuple[int, str]]:
    """Where a claim begins, and of which kind it is."""
    part = _HALF_SO.search(scene.folded) or TIMES.search(scene.folded)
    part = part or next((found for pattern, _size in fractions() if (found := pattern.search(scene.folded))), None)
    if part is not None:
        yield part.start(), "part"
    if scene.table is None or len(scene.table.rows) < 2:
        return
    if (only := _ONLY.search(scene.folded)) is not None:
        yield only.start(), "only"
    for one in scene.degrees("superlative"):
        word = scene.folded[one.start : one.stop]
        led = _NO_SUPERLATIVE.search(scene.folded, 0, one.start) is not None
        if not led and not (
            word in _LEAST and scene.folded[one.stop : one.stop + 4].lstrip().startswith(("of", "der"))
        ):
            yield one.start, "superlative"


def _is_number_of_rows(scene: Scene, number: int, keys: set[str]) -> bool:
    """Whether a number word says how many rows there are, or how many are named; or belongs to a statement that was read."""
    table = scene.table
    named = {row for one in scene.names if table is not None for row in scene.rows(one, table)}
    related = bool(keys & (_KEYS["superlative"] | {"comparison"}))
    return related or any(number == len(one.rows) for one in scene.page.tables) or number == len(named)


def _is_named(scene: Scene, start: int) -> bool:
    return any(one.start <= start < one.end for one in (*scene.names, *scene.columns))


def _is_about_data(scene: Scene) -> bool:
    """Whether a sentence states something of rows or columns, and has no figure by which it was checked."""
    text = scene.text.strip()
    if text.startswith("|") or text.endswith((":", "：", "?", "？")) or scene.line.listed:
        return False
    line = scene.line
    figures = any(line.start <= start < line.end and one.provenance.args for start, one in scene.bound.items())
    # What the only row of a result says needs no other word.
    told = any(len(scene.page.tables[ref.table].rows) == 1 for one in scene.names for ref in one.names)
    words = line.last - line.first
    return words >= _FEWEST_WORDS and bool(scene.names or scene.columns) and not (figures or told)
