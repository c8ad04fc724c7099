"""Texts that fields contain, begin or end with: shops that start with M, whose email ends with gmail.com."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from veracity.language.folding import Folded, Token, folded_text
from veracity.ontology.fields import FieldRole
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, Condition, Negation
from veracity.semantic.reading.phrases import RowFilter
from veracity.semantic.reading.said_phrases import TextMatch
from veracity.semantic.reading.word_lists import operators
from veracity.sources.source import ColumnType
from veracity.yaml_file import packaged

_LONGEST = 3
_TEXT = r"""(?:["“„«](?P<double>[^"“”„«»]{1,80})["”“»]|'(?P<single>[^']{1,80})'|(?P<bare>[^\s,;?!'"“„«]*[^\s,;?!.:'"“„«]))"""
_LISTED = re.compile(r"""\s*(?:,\s*)?(?:(?:or|and|nor|oder|und|noch)\s+|[或和]\s*)["“„«'「]""")
_SHAPES = {"contains": "%{}%", "begins": "{}%", "ends": "%{}"}


def initials_said(texts: Sequence[str], lang: str) -> Iterator[tuple[int, int, str]]:
    """Where a question says letters that names begin with: the words for that, and the letters behind them."""
    ways = [tuple(str(way).split()) for way in operators(lang).get("begins_with") or ()]
    for place in range(len(texts)):
        for way in sorted(ways, key=len, reverse=True):
            end = place + len(way)
            if tuple(texts[place:end]) == way and len(texts) > end and len(texts[end]) <= _LONGEST:
                yield place, end + 1, texts[end]
                break


def beginning_with(letters: str, model: SemanticModel) -> Iterator[RowFilter]:
    """The rows of each entity whose name begins with these letters, where one text is their name."""
    for thing in model.things.values():
        names = [name for name in thing.display if name in thing.fields]
        named = len(names) == 1 and thing.fields[names[0]].role is FieldRole.NAME
        if named and letters.isalpha() and thing.fields[names[0]].column.type is ColumnType.TEXT:
            like = Comparison(field=f"{thing.name}.{names[0]}", op="like", value=f"{letters}%")
            yield RowFilter(thing.name, (like,))


def matches_said(
    question: str, folded: Folded, tokens: Sequence[Token], lang: str
) -> Iterator[tuple[int, int, TextMatch]]:
    """Where a question says what a text contains, begins or ends with: the words for that with the text, which is taken as it was written."""
    for pattern, shape in _ways(lang):
        for found in pattern.finditer(folded.text):
            kind = next(name for name in ("double", "single", "bare") if found[name])
            begin, end = folded.origin(*found.span(kind))
            text = question[begin:end].strip()
            inside = [n for n, one in enumerate(tokens) if one.start >= found.start() and one.end <= found.end()]
            # A sign that stands for any letters would find more than was said; an article begins something else.
            articles = _words(lang).get("none") or ()
            if _LISTED.match(folded.text, found.end()):
                continue  # contains 'a' or 'b': of which one is denied, or whether both are parts, is not read
            if not inside or not text or "%" in text or "_" in text or (kind == "bare" and found[kind] in articles):
                continue
            yield inside[0], inside[-1] + 1, TextMatch(_SHAPES[shape].format(text), denied=bool(found["denied"]))


@cache
def _words(lang: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_name("text_matches.yaml")).get(lang) or {}
    return found


def is_name_word(word: str, lang: str) -> bool:
    """Whether a word stands for whatever rows are called by."""
    return word in (_words(lang).get("names") or ())


@cache
def _ways(lang: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The patterns of a language: words before the text and, where it has such, behind it."""
    told = _words(lang)
    denied = "|".join(re.escape(folded_text(str(one))) for one in told.get("denied") or ()) or "(?!)"
    patterns = []
    for shape in _SHAPES:
        for way in told.get(shape) or ():
            before, behind = map(folded_text, str(way).partition("…")[::2])
            first = rf"(?P<denied>(?:{denied})\s+)?{_spaced(before)}"
            spaced = r"\s*" if lang == "zh" else r"\s+"
            ending = rf"\s*{_spaced(behind)}" if behind.strip() else ""
            edge = r"(?<!\w)" if lang != "zh" else ""
            patterns.append((re.compile(f"{edge}{first}{spaced if before.strip() else ''}{_TEXT}{ending}"), shape))
    return tuple(patterns)


def _spaced(words: str) -> str:
    return r"\s+".join(map(re.escape, words.split()))


def matching(path: str, said: TextMatch) -> Condition:
    """That a field holds such a text, or does not."""
    like = Comparison(field=path, op="like", value=said.pattern)
    return Negation(condition=like) if said.denied else like


def named_so(said: TextMatch, model: SemanticModel) -> Iterator[RowFilter]:
    """The rows of each entity that has one text for a name, where that is such a text."""
    for thing in model.things.values():
        names = [name for name in thing.display if name in thing.fields]
        called = len(names) == 1 and names[0] not in thing.key
        if called and thing.fields[names[0]].column.type is ColumnType.TEXT:
            yield RowFilter(thing.name, (matching(f"{thing.name}.{names[0]}", said),))
