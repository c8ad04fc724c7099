"""Requirements that may say the same: ranked pairs, each with a reason and with what speaks against it.

Similarity alone never decides. From 0.9 on, two requirements are taken for the same, unless a veto holds: other figures, a negation
on one side, opposites, swapped roles, other names, another actor (`vetoes.py`). Such a pair is shown all the same, at the end of the
list: two requirements that differ in nothing but a figure often contradict each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from veracity.locale import pick
from veracity.requirements.comparing import Content, Token
from veracity.requirements.contracts import DuplicatePair
from veracity.requirements.likeness import Pair, near_known, near_pairs
from veracity.requirements.vetoes import lone_figures, vetoes_against

if TYPE_CHECKING:
    from veracity.embed import Embedder

SAME = 0.9
"""The similarity from which two requirements are surely the same, if nothing speaks against it."""
LOOK = 0.6
"""The similarity from which a person should look at a pair."""
MOST_PAIRS = 10_000
"""Pairs that are returned; of more the most similar."""
_SHARED_WORDS = 4
_SHORTEST_PART = 5
"""Letters from which a word is looked for inside compounds."""
_REASONS: dict[str, dict[str, str]] = {
    "equal": {"de": "Beide haben denselben Wortlaut.", "en": "Both are worded the same."},
    "shared": {"de": "Beide beschreiben: {words}.", "en": "Both describe: {words}."},
    "meaning": {
        "de": "Beide bedeuten Ähnliches, mit anderen Wörtern.",
        "en": "Both mean something similar, in other words.",
    },
    "across": {
        "de": "Beide bedeuten Ähnliches, in zwei Sprachen.",
        "en": "Both mean something similar, in two languages.",
    },
    "numbers": {"de": "Aber die Zahlen sind andere: {what}.", "en": "But the figures differ: {what}."},
    "negation": {"de": "Aber eine verneint, was die andere fordert.", "en": "But one negates what the other demands."},
    "opposites": {"de": "Aber sie fordern Gegenteiliges: {what}.", "en": "But they demand opposites: {what}."},
    "swapped_roles": {"de": "Aber die Rollen sind vertauscht: {what}.", "en": "But the roles are swapped: {what}."},
    "names": {"de": "Aber sie nennen anderes: {what}.", "en": "But they name different things: {what}."},
    "actors": {"de": "Aber es handelt jemand anderes: {what}.", "en": "But somebody else acts: {what}."},
    "more": {"de": "Nur eine nennt: {what}.", "en": "Only one of them states: {what}."},
}


def detect_duplicates(
    requirements: Sequence[str], *, embedder: Embedder | None = None, look: float = LOOK, same: float = SAME
) -> list[DuplicatePair]:
    """The pairs of a list that may say the same: those without a veto first, the most similar first."""
    contents = {at: Content(text) for at, text in enumerate(requirements) if _says_something(text)}
    if len(contents) < 2:
        return []
    places = list(contents)
    found = near_pairs(list(contents.values()), embedder or default_embedder(), least=look)[:MOST_PAIRS]
    pairs = [Pair(places[pair.left], places[pair.right], pair.similarity) for pair in found]
    return _ranked(pairs, contents, contents, same)


def duplicates_of(
    new: Sequence[str],
    known: Sequence[str],
    *,
    embedder: Embedder | None = None,
    look: float = LOOK,
    same: float = SAME,
) -> list[DuplicatePair]:
    """The pairs of a new requirement (`req1_idx`, in `new`) and a known one (`req2_idx`, in `known`) that may say the same."""
    left = {at: Content(text) for at, text in enumerate(new) if _says_something(text)}
    right = {at: Content(text) for at, text in enumerate(known) if _says_something(text)}
    if not left or not right:
        return []
    model = embedder or default_embedder()
    found = near_known(list(left.values()), list(right.values()), model, least=look)[:MOST_PAIRS]
    news, knowns = list(left), list(right)
    pairs = [Pair(news[pair.left], knowns[pair.right], pair.similarity) for pair in found]
    return _ranked(pairs, left, right, same)


def default_embedder() -> Embedder:
    """The embedded model, with the vectors it has already computed for this user."""
    from veracity.embed import UniversalEmbedder
    from veracity.settings import Settings

    return UniversalEmbedder(Settings.from_env().home / "embeddings.sqlite")


def _says_something(text: str) -> bool:
    return any(letter.isalnum() for letter in text[:2_000])


def _ranked(
    pairs: Sequence[Pair], left: Mapping[int, Content], right: Mapping[int, Content], same: float
) -> list[DuplicatePair]:
    made = [_judged(pair, left[pair.left], right[pair.right], same) for pair in pairs]
    return sorted(made, key=lambda pair: (bool(pair.vetoes), -pair.similarity, pair.req1_idx, pair.req2_idx))


def _judged(pair: Pair, one: Content, other: Content, same: float) -> DuplicatePair:
    vetoes = vetoes_against(one, other)
    # A figure that only one of them states makes it the more precise one, which is no veto and not the same either.
    figure = None if any(name == "numbers" for name, _ in vetoes) else _lone_figure(one, other)
    sure = pair.similarity >= same and not vetoes and figure is None
    return DuplicatePair(
        req1_idx=pair.left,
        req2_idx=pair.right,
        similarity=pair.similarity,
        reason=_reason(one, other, vetoes, figure),
        band="same" if sure else "look",
        vetoes=tuple(name for name, _ in vetoes),
    )


def _lone_figure(one: Content, other: Content) -> str | None:
    found = lone_figures(one, other) or lone_figures(other, one)
    return found[0].text if found else None


def _reason(one: Content, other: Content, vetoes: Sequence[tuple[str, str]], figure: str | None) -> str:
    """Why the pair is shown and what speaks against it, in the language of the first."""
    said = [pick(_REASONS[_likeness(one, other)], one.lang).format(words=", ".join(_shared(one, other)))]
    said += [pick(_REASONS[name], one.lang).format(what=what) for name, what in vetoes]
    if figure is not None:
        said.append(pick(_REASONS["more"], one.lang).format(what=figure))
    return " ".join(said)


def _likeness(one: Content, other: Content) -> str:
    if one.text.split() == other.text.split():
        return "equal"
    if one.lang != other.lang:
        return "across"
    return "shared" if _shared(one, other) else "meaning"


def _shared(one: Content, other: Content) -> list[str]:
    """The telling words of the first that the second has, too, as they are written; the longest, in their order."""
    found: dict[str, str] = {}
    for token in one.words:
        if token.tells and token.word.isalpha() and len(token.word) > 1 and _is_in(token, other):
            found.setdefault(token.stem, one.text[token.start : token.end])
    longest = sorted(found.values(), key=len, reverse=True)[:_SHARED_WORDS]
    return [word for word in found.values() if word in longest]


def _is_in(token: Token, other: Content) -> bool:
    """Whether a text has a word, or a compound that starts or ends with it."""
    if token.stem in other.stems:
        return True
    return len(token.stem) >= _SHORTEST_PART and any(
        word.word.startswith(token.stem) or word.word.endswith(token.word) for word in other.words
    )
