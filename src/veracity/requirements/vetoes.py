"""What speaks against two requirements being the same, however near their words are. One veto is one function.

A negation and a pair of opposites cancel each other out: "shall not show" is "shall hide". So these two are judged together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from veracity.language.folding import listed
from veracity.requirements.comparing import ComparedToken, Content, Quantity

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


def lone_figures(one: Content, other: Content) -> list[Quantity]:
    """The figures of one that the other does not state."""
    some, others = one.quantities, other.quantities
    return [figure for figure in some if not any(figure.agrees(known) for known in others)]


def negation(one: Content, other: Content) -> str | None:
    """One says the contrary of the other."""
    if not _turned(one, other) or _opposed(one, other):
        return None
    return ""


def _turned(one: Content, other: Content) -> bool:
    return one.negates(other) != other.negates(one)


def opposites(one: Content, other: Content) -> str | None:
    """One says enable where the other says disable."""
    return None if _turned(one, other) else _opposed(one, other)


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

_PEOPLE = (
    "user nutz benutz anwend endanwend endnutz person peopl besuch visitor",
    "custom client kund kauf buyer",
    "admin administr administrator systemadministrator",
    "employe mitarbeit staff angestellt",
    "doctor physician arzt",
    "student pupil schul",
    "teacher lehr",
    "nurs pfleg",
    "guest gast",
)
"""Stems of words for the same people; the first stands for all."""
_GROUPS = {stem: words.split()[0] for words in _PEOPLE for stem in words.split()}
_AGENT = re.compile(r"\w{2,}(?:er|or|ist|ant|ee|ian|eur)")
_THINGS = listed("system server computer number order parameter folder filter ordner fenster browser")


def _actors(content: Content) -> dict[str, str]:
    """Who acts, as far as a word shows that it is a person, by a list or by its ending: what stands for them -> the stem."""
    stems = content.roles.get("actor", frozenset())
    acting = [token for token in content.tokens if token.stem in stems]
    return {_GROUPS.get(token.stem, token.stem): token.stem for token in acting if _is_person(token)}


def _is_person(token: ComparedToken) -> bool:
    word = token.word.removesuffix("s")
    return token.stem in _GROUPS or (word not in _THINGS and _AGENT.fullmatch(word) is not None)


def _spoken_of(content: Content) -> set[str]:
    return {_GROUPS.get(stem, stem) for stem in content.stems}


# --- opposites

_OPPOSITES = tuple(
    (re.compile(left), re.compile(right))
    for left, right in (
        (r"enabl\w+|activat\w+|aktivier\w+|(?:ein|an)(?:zu|ge)?schalt\w+", r"disabl\w+|deactivat\w+|deaktivier\w+|(?:aus|ab)(?:zu|ge)?schalt\w+"),
        (r"import(?:s|ed|ing|e|iere?[nt]?|ierte\w*|funktion)?", r"export(?:s|ed|ing|e|iere?[nt]?|ierte\w*|funktion)?"),
        (r"upload\w*|hoch(?:zu|ge)?lad\w+", r"download\w*|(?:he)?runter(?:zu|ge)?lad\w+"),
        (r"lock(?:s|ed|ing)?|sperr\w+|gesperrt\w*", r"unlock\w*|entsperr\w+|frei(?:zu|ge)?schalt\w+"),
        (r"encrypt\w*|verschlüssel\w+", r"decrypt\w*|entschlüssel\w+|unencrypted|unverschlüsselt\w*"),
        (r"creat(?:e|es|ed|ing|ion)|add(?:s|ed|ing)?|an(?:zu|ge)?leg\w+|erstell\w+|(?:hinzu|ein)(?:zu|ge)?füg\w+", r"delet\w+|remov\w+|eras\w+|gelöscht\w*|lösch\w+|entfern\w+"),
        (r"ascending|aufsteigend\w*", r"descending|absteigend\w*"),
        (r"internal\w*|intern(?:e[nmrs]?)?", r"external\w*|extern(?:e[nmrs]?)?"),
        (r"shows?|shown|showing|display\w*|an(?:zu|ge)?zeig\w+|ein(?:zu|ge)?blend\w+", r"hides?|hiding|hidden|aus(?:zu|ge)?blend\w+|verberg\w+|verborgen\w*|versteck\w+"),
        (r"open(?:s|ed|ing)?|öffn\w+|geöffnet\w*", r"clos(?:e|es|ed|ing)|schliess\w+|geschlossen\w*"),
        (r"start(?:s|ed|ing|en|et)?|gestartet\w*", r"stop(?:s|ped|ping|pen|pt)?|gestoppt\w*|beend\w+"),
        (r"increas\w+|erhöh\w+|vergrösser\w+", r"decreas\w+|reduc\w+|verringer\w+|verkleiner\w+|reduzier\w+"),
        (r"minimum|minimal\w*|mindest\w*", r"maximum|maximal\w*|höchst(?:ens|zahl|wert|dauer|grenze)"),
        (r"first|erste[nmrs]?", r"last|letzte[nmrs]?"),
        (r"accept(?:s|ed|ing)?|akzeptier\w+|an(?:zu|ge)?nomm\w+|annehm\w+", r"reject\w*|refus\w+|ab(?:zu|ge)?lehn\w+|zurück(?:zu|ge)?w[ie]+s\w*"),
        (r"public|öffentlich\w*", r"private?|privat(?:e[nmrs]?)?"),
        (r"online", r"offline"),
        (r"manual\w*|manuell\w*|händisch\w*", r"automat\w+"),
        (r"synchron\w*", r"asynchron\w*"),
        (r"login|logon|an(?:zu|ge)?meld\w+|einlogg\w+", r"logout|logoff|ab(?:zu|ge)?meld\w+|auslogg\w+"),
        (r"incoming|inbound|eingehend\w*", r"outgoing|outbound|ausgehend\w*"),
        (r"successful\w*|succeed\w*|erfolgreich\w*", r"failed|fails?|failure\w*|fehlgeschlagen\w*|erfolglos\w*"),
        (r"horizontal\w*|waagrecht\w*|waagerecht\w*", r"vertical\w*|vertikal\w*|senkrecht\w*"),
    )
)  # fmt: skip


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
        for number, pair in enumerate(_OPPOSITES)
        for side, pattern in zip((False, True), pair, strict=True)
        if pattern.fullmatch(word)
    )
