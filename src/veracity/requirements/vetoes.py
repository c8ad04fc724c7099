"""What speaks against two requirements being the same, however near their words are. One veto is one function.

A negation and a pair of opposites cancel each other out: "shall not show" is "shall hide". So these two are judged together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from veracity.language.folding import listed
from veracity.requirements.comparing import ComparedToken, Content
from veracity.requirements.quantities import BoundedQuantity
from veracity.yaml_file import packaged

KNOWLEDGE = Path(__file__).with_name("comparing.yaml")
Veto = Callable[[Content, Content], str | None]
"""What differs, such as `2 s / 20 s`, as short as a reason needs it; None when nothing does."""

_ARTICLES = listed("der die das den dem des ein eine einen einem einer eines the a an")
_JOINING = listed("and or und oder sowie")
_ROLES = ("actor", "from", "to", "for", "before", "after")
_TELLING_ROLES = ("actor", "before", "after")
"""What plays one of these in one text and not in the other does something else there; `to` and `for` are said of anything."""


def numbers(one: Content, other: Content) -> str | None:
    """Each has a figure that the other has not, or the bounds of one figure contradict each other."""
    if not one.quantities or not other.quantities:
        return None
    lost, gained = lone_figures(one, other), lone_figures(other, one)
    return f"{lost[0].text} / {gained[0].text}" if lost and gained else None


def lone_figures(one: Content, other: Content) -> list[BoundedQuantity]:
    """The figures of one that the other does not state."""
    some, others = one.quantities, other.quantities
    return [figure for figure in some if not any(figure.agrees(known) for known in others)]


def negation(one: Content, other: Content) -> str | None:
    """One says the contrary of the other."""
    if not _is_negated_in_one(one, other) or _opposed(one, other):
        return None
    return ""


def _is_negated_in_one(one: Content, other: Content) -> bool:
    return one.negates(other) != other.negates(one)


def opposites(one: Content, other: Content) -> str | None:
    """One says enable where the other says disable."""
    return None if _is_negated_in_one(one, other) else _opposed(one, other)


def swapped_roles(one: Content, other: Content) -> str | None:
    """Both speak of the same two, and what one does in the first the other does in the second."""
    if one.lang != other.lang:
        return None
    for role in _ROLES:
        here, there = one.roles.get(role, frozenset()), other.roles.get(role, frozenset())
        left, right = sorted((here - there) & other.stems), sorted((there - here) & one.stems)
        if left and right and (role in _TELLING_ROLES or _has_part(other, left) or _has_part(one, right)):
            return f"{one.written(left[0])} ↔ {one.written(right[0])}"
    # German puts any part first: where it is clear that the same one acts, the order of the others tells nothing.
    same_actor = one.roles.get("actor", frozenset()) & other.roles.get("actor", frozenset())
    return None if same_actor else _transposed(one, other)


def _has_part(content: Content, wanted: Iterable[str]) -> bool:
    return any(stem in stems for stems in content.roles.values() for stem in wanted)


def _transposed(one: Content, other: Content) -> str | None:
    """Whether two texts are equal but for two words that have changed places, with something other than a list between."""
    first = [token for token in one.tokens if token.word not in _ARTICLES]
    second = [token for token in other.tokens if token.word not in _ARTICLES]
    if len(first) != len(second):
        return None
    places = [at for at, (left, right) in enumerate(zip(first, second, strict=True)) if left.stem != right.stem]
    if len(places) != 2 or places[1] - places[0] < 2:
        return None
    left, right = places
    moved = first[left].stem == second[right].stem and first[right].stem == second[left].stem
    in_a_list = any(token.word in _JOINING for token in first[left:right])
    if not moved or in_a_list or not (first[left].tells and first[right].tells):
        return None
    return f"{one.written(first[left].stem)} ↔ {one.written(first[right].stem)}"


def names(one: Content, other: Content) -> str | None:
    """Each names something that the other does not: PDF, CSV; quoted texts count within one language."""
    lost, gained = _unshared(one, other), _unshared(other, one)
    if lost and gained:
        return f"{lost[0]} / {gained[0]}"
    if one.lang != other.lang:
        return None
    if not one.quoted or not other.quoted or one.quoted & other.quoted:
        return None
    return f"“{min(one.quoted)}” / “{min(other.quoted)}”"


def _unshared(one: Content, other: Content) -> list[str]:
    """The names that the other does not hold in any writing."""
    words = {token.word for token in other.words}
    return sorted(name for name in one.names - other.names if name not in words)


def actors(one: Content, other: Content) -> str | None:
    """The same is asked of somebody else."""
    here, there = _actors(one), _actors(other)
    if one.lang != other.lang or not here or not there:
        return None
    # Whoever is spoken of in the other text, too, may act there in another way.
    if here.keys() & _spoken_of(other) or there.keys() & _spoken_of(one):
        return None
    return f"{one.written(min(here.values()))} / {other.written(min(there.values()))}"


VETOES: tuple[Veto, ...] = (numbers, negation, opposites, swapped_roles, names, actors)
"""In the order in which they are told; a veto is called by the name of its function."""


def vetoes_against(one: Content, other: Content) -> tuple[tuple[str, str], ...]:
    """Every veto that holds, with what differs."""
    found = ((veto.__name__, veto(one, other)) for veto in VETOES)
    return tuple((name, what) for name, what in found if what is not None)


# --- who acts

_AGENT = re.compile(r"\w{2,}(?:er|or|ist|ant|ee|ian|eur)")
_THINGS = listed("system server computer number order parameter folder filter ordner fenster browser")


@cache
def _groups() -> Mapping[str, str]:
    """The stem of a word for people -> the one that stands for all words for the same people."""
    people: list[str] = packaged(KNOWLEDGE)["people"]
    return {stem: words.split()[0] for words in people for stem in words.split()}


def _actors(content: Content) -> dict[str, str]:
    """Who acts, as far as a word shows that it is a person, by a list or by its ending: what stands for them -> the stem."""
    stems = content.roles.get("actor", frozenset())
    acting = [token for token in content.tokens if token.stem in stems]
    return {_groups().get(token.stem, token.stem): token.stem for token in acting if _is_person(token)}


def _is_person(token: ComparedToken) -> bool:
    word = token.word.removesuffix("s")
    return token.stem in _groups() or (word not in _THINGS and _AGENT.fullmatch(word) is not None)


def _spoken_of(content: Content) -> set[str]:
    return {_groups().get(stem, stem) for stem in content.stems}


# --- opposites


@cache
def _opposites() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((re.compile(left), re.compile(right)) for left, right in packaged(KNOWLEDGE)["opposites"])


def _opposed(one: Content, other: Content) -> str | None:
    """Two words that are opposites, one on either side and on that side only."""
    here, there = _sides(one), _sides(other)
    for pair, side in sorted(here):
        against = (pair, not side)
        if against in there and (pair, side) not in there and against not in here:
            return f"{here[pair, side]} / {there[against]}"
    return None


def _sides(content: Content) -> dict[tuple[int, bool], str]:
    # "Add ..." at the start of a wish only says that something is missing.
    tokens = content.tokens[1:] if content.tokens and content.tokens[0].word == "add" else content.tokens
    return {side: token.word for token in tokens for side in _sides_of(token.word)}


@lru_cache(maxsize=20_000)
def _sides_of(word: str) -> tuple[tuple[int, bool], ...]:
    """The pairs of opposites that a word belongs to, and on which side."""
    return tuple(
        (number, side)
        for number, pair in enumerate(_opposites())
        for side, pattern in zip((False, True), pair, strict=True)
        if pattern.fullmatch(word)
    )
