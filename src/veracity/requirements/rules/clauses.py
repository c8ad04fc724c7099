"""The parts of a requirement: its sentences, their conditions, and the benefit that a clause with "damit" or "so that" names.

What stands in a condition is no demand of the system, and a benefit is a reason, so most rules leave both alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from veracity.question.folding import listed
from veracity.requirements.contracts import Lang
from veracity.requirements.rules.phrases import Word

Span = tuple[int, int]

_BREAK = re.compile(
    r"[.!?]+(?=\s|$)|\n[ \t]*\n|"
    r"\n(?=[ \t]*(?:[-*•+][ \t]|\d{1,3}[.)][ \t]|(?:Given|When|Then|And|But|Gegeben|Angenommen|Wenn|Dann|Und|Aber)\b))"
)
"""A line that is only wrapped ends no sentence; an item of a list and a step of a scenario do."""
_SHORTENED = re.compile(
    r"(?:^|[\s(/.])(?:\w{1,2}|\d+|ggf|ggfs|bzw|usw|etc|evtl|inkl|exkl|max|min|vgl|sog|bspw|dgl|approx|incl|resp|vs|abs|art|tbd|fig)$",
    re.IGNORECASE,
)
_CONDITION: dict[Lang, frozenset[str]] = {
    "de": listed("wenn falls sobald sofern solange waehrend nachdem bevor"),
    "en": listed("if when whenever while where unless"),
}
_AT_START: dict[Lang, frozenset[str]] = {
    "de": frozenset(),
    "en": listed("once after before upon until"),
}
"""These begin a condition only at the start of a sentence: "at least once" does not."""
_THEN = frozenset(("dann", "then"))
_PAUSE = re.compile(r"[,;:)–—](?!\d)")
_STORY = re.compile(r"(?:[^\n:]{1,40}:)?[^\w\n]{0,10}(?:als|as)\b", re.IGNORECASE)
_WANTS = listed("moechte will wuensche brauche kann muss")
_WANTS_EN = listed("want need would can could wish must should will expect am")
_CRITERIA = re.compile(
    r"\b(?:akzeptanzkriteri|abnahmekriteri|acceptance criteri)|^[ \t]*(?:AC\d*:|[-*•+][ \t]|\d{1,3}[.)][ \t])|"
    r"(?:^|[.;,:\n])[ \t]*(?:given|gegeben|angenommen)\b(?! name)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class MainVerbs:
    """Where the modal verbs of a text begin, those that bind and the others."""

    binding: tuple[int, ...] = ()
    weak: tuple[int, ...] = ()


def sentences_of(shadow: str) -> tuple[Span, ...]:
    """The sentences of a text; the dot of "z. B." ends none."""
    found: list[Span] = []
    start = 0
    for stop in _BREAK.finditer(shadow):
        if shadow[stop.start()] == "." and _SHORTENED.search(shadow, max(start, stop.start() - 12), stop.start()):
            continue
        if shadow[start : stop.end()].strip():
            found.append((start, stop.end()))
        start = stop.end()
    if shadow[start:].strip():
        found.append((start, len(shadow)))
    return tuple(found)


def conditions_in(
    shadow: str,
    words: Sequence[Word],
    lang: Lang,
    *,
    sentences: Sequence[Span],
    verbs: MainVerbs,
    escapes: Sequence[int],
) -> tuple[Span, ...]:
    """The conditions of a text; `escapes` is where phrases such as "if possible" begin, which are none."""
    starts = {_first_letter(shadow, span) for span in sentences}
    found: list[Span] = []
    for word in words:
        opens = word.start in starts
        if word.text not in _CONDITION[lang] and not (opens and word.text in _AT_START[lang]):
            continue
        if word.start in escapes or (found and word.start < found[-1][1]):
            continue
        _, end = next((span for span in sentences if span[0] <= word.start < span[1]), (0, len(shadow)))
        found.append((word.start, _end_of(shadow, word, end, words, verbs if opens else MainVerbs())))
    return tuple(found)


def _first_letter(shadow: str, span: Span) -> int:
    start, end = span
    return start + len(shadow[start:end]) - len(shadow[start:end].lstrip(" \t\r\n-*•>"))


def _end_of(shadow: str, opening: Word, end: int, words: Sequence[Word], verbs: MainVerbs) -> int:
    """Where a condition ends: before "then", at the pause before the main verb, or at the first pause there is."""
    for word in words:
        if opening.end < word.start < end and word.text in _THEN:
            return word.start
    pauses = [pause.start() for pause in _PAUSE.finditer(shadow, opening.end, end)]
    binding, weak = (tuple(at for at in places if opening.end < at < end) for places in (verbs.binding, verbs.weak))
    # "Wenn A, B oder C eintritt, muss ...": in German the main verb follows at once.
    for pause in pauses:
        if any(pause < at and not shadow[pause + 1 : at].strip() for at in (*binding, *weak)):
            return pause
    for at in (*binding, *weak):
        before = [pause for pause in pauses if pause < at]
        if before:
            return before[-1]
    if pauses:
        return pauses[0]
    return min((*binding, *weak), default=end)


def benefits_in(
    shadow: str, words: Sequence[Word], lang: Lang, sentences: Sequence[Span], *, story: bool
) -> tuple[Span, ...]:
    """The clauses that say what a requirement is good for, each to the end of its sentence."""
    found: list[Span] = []
    for at, word in enumerate(words):
        if found and word.start < found[-1][1]:
            continue
        after = words[at + 1].text if at + 1 < len(words) else ""
        opens = _opens_benefit_de(shadow, word, story) if lang == "de" else _opens_benefit_en(word.text, after, story)
        if opens:
            end = next((span[1] for span in sentences if span[0] <= word.start < span[1]), len(shadow))
            found.append((word.start, end))
    return tuple(found)


def _opens_benefit_de(shadow: str, word: Word, story: bool) -> bool:
    """Whether "damit" or "um" begins a clause: after a pause; a story may leave the comma out."""
    if word.text not in ("damit", "um"):
        return False
    pause = shadow[max(0, word.start - 4) : word.start].rstrip()[-1:] in (",", "-", "–", "—", ";")
    return pause or (story and word.text == "damit")


def _opens_benefit_en(word: str, after: str, story: bool) -> bool:
    if word == "so":
        return after == "that" or (story and after in ("i", "we", "they"))
    return word == "in" and after == "order"


def is_story(shadow: str, words: Sequence[Word], lang: Lang) -> bool:
    """Whether a text is a user story: "Als ... möchte ich", "As a ..., I want"."""
    if not _STORY.match(shadow):
        return False
    head = [word.text for word in words[:40]]
    pairs = pairwise(head)
    if lang == "de":
        return any((one in _WANTS and other == "ich") or (one == "ich" and other in _WANTS) for one, other in pairs)
    return "i'd" in head or any(one == "i" and other in _WANTS_EN for one, other in pairs)


def criteria_at(shadow: str) -> int:
    """Where the acceptance criteria of a text begin; its end when it has none."""
    first = shadow.find("\n")
    for found in _CRITERIA.finditer(shadow):
        listed = shadow[found.start() : found.end()].strip(" \t\n")[:1] in "-*•+0123456789"
        if not listed or 0 <= first < found.end():
            return found.start()
    return len(shadow)
