"""What else people call a column by its name: without what stands in brackets, with the noun last, by what it counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from veracity.language.dictionary import dictionary
from veracity.language.people import means_people
from veracity.language.verb_forms import is_past_form
from veracity.ontology.draft.names import (
    in_list,
    is_chinese,
    lists,
    same_noun,
    singular,
    split,
    without_unit,
    words_for,
)
from veracity.ontology.draft.translated_names import english_nouns

_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*")
_GERMAN_DONE = re.compile("(?:\\w+)?(?:ge|ver|be|zer|ent|er)\\w{3,}(?:ete|te|ene)n?")
_AVERAGES = ("avg", "average", "mean")


def plainer(name: str, words: Sequence[str], others: Collection[str]) -> Iterator[str]:
    """Further names of a column that say no less than its own: the enrollment of `Enrollment (K-12)`, where there is no other."""
    bare = _BRACKETS.sub(" ", name).strip()
    if bare and bare != name and all(_BRACKETS.sub(" ", other).strip() != bare for other in others):
        yield bare.casefold()
    yield from _noun_last(words)
    # The budget of `budget in billions`, the memory of `memory in g`; never the sales of `sales in uk`.
    if len(words) > 2 and words[-2] == "in" and (words[-1] in words_for("scales") or len(words[-1]) == 1):
        noun = tuple(words[:-2])
        if not any(split(other)[: len(noun)] == noun for other in others):
            yield " ".join(noun)
    if len(words) == 2 and words[1] == "by" and (doer := lists()["doers"].get(words[0])):
        yield str(doer)
    counted = tuple(words[1:])
    if words[0] in words_for("counted_by") and len(counted) > 1 and all(word.isalpha() for word in counted):
        yield " ".join(counted)  # num test takers


def _noun_last(words: Sequence[str]) -> Iterator[str]:
    """`avg score math` is the average math score."""
    average, rest = words[0] in _AVERAGES, tuple(words[1:] if words[0] in _AVERAGES else words)
    if len(rest) == 2 and in_list(rest[0], "averages") and not in_list(rest[1], "averages") and rest[1].isalpha():
        kinds = (rest[1], *lists()["gerunds"].get(rest[1], ()))
        yield from (" ".join((*(("average",) if average else ()), kind, rest[0])) for kind in kinds)


def from_own_noun(words: Sequence[str], own: Sequence[str], others: Collection[Sequence[str]]) -> str:
    """The claim number of `company claim number` in a table of claims, where no other column is called so; else nothing."""
    noun = [*own[:-1], singular(own[-1])]
    for at in range(1, len(words) - len(noun)):
        rest = tuple(words[at:])
        plain = all(word.isalpha() for word in rest) and list(rest[: len(noun)]) == noun
        if plain and not any(
            tuple(other[-len(rest) :]) == rest or tuple(other) == rest[len(noun) :] for other in others
        ):
            return " ".join(rest)
    return ""


def turned_round(words: Sequence[str]) -> Iterator[str]:
    """The birth date of `date of birth`."""
    if len(words) == 3 and words[1] == "of" and words[0] in dictionary() and words[0] not in words_for("counted_by"):
        yield f"{words[2]} {words[0]}"


def of_own_noun(words: Sequence[str], own: Sequence[str]) -> str:
    """The cost of `cost of treatment`, in a table of treatments; else nothing."""
    plain = len(words) > 2 and words[1] == "of" and same_noun(words[2:], own) and words[0] in dictionary()
    return words[0] if plain and words[0] not in words_for("counted_by") else ""


def of_listed_rows(words: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    """The 出库数量 of the 数量 in a table of 出库单: what the slips are about, and the column."""
    table, name = "".join(own), "".join(words)
    about = next((table.removesuffix(end) for end in words_for("slips") if table.endswith(end)), "")
    return (
        (f"{about}{name}", f"{about}总{name}")
        if len(about) > 1 and is_chinese(table + name) and about not in name
        else ()
    )


def own_figure(words: Sequence[str], tables: Collection[str]) -> tuple[str, ...]:
    """The capacity of `student capacity`: what stands before it is what it is for, not which of several it is."""
    plain = (
        len(words) == 2
        and words[0] in tables
        and not any(in_list(words[1], one) for one in ("codes", "may_add", "names"))
    )
    return tuple(words[1:]) if plain and words[1] not in words_for("counted_by") else ()


def is_birthplace(words: Sequence[str]) -> bool:
    """Whether a column says where somebody was born: `born state`, `birthplace`, `city of birth`."""
    born = any(word in words_for("of_birth") for word in words)
    return "".join(words) in words_for("birthplaces") or (born and any(in_list(word, "places") for word in words))


def is_done_by_measure(words: Sequence[str]) -> bool:
    """Whether a name says how much was done, and has no noun but its unit: `gefahrene km`, `driven miles`."""
    (word, *_), bare = words, without_unit(words)
    german = _GERMAN_DONE.fullmatch(word) is not None and word not in english_nouns()
    done = german or (word not in dictionary() and is_past_form(word))
    return len(bare) == 1 != len(words) and done


def counted_people(words: Sequence[str]) -> str:
    """Whose number a German name tells: Mitglieder of mitgliederzahl; nothing where it tells no number of people."""
    stem = words[0].removesuffix("zahl") if len(words) == 1 else ""
    return stem.capitalize() if stem and stem != words[0] and means_people(stem, "de") else ""
