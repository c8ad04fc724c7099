"""Columns that say yes or no: what they say it of, and what people call a no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from veracity.language.opposites import opposites_of
from veracity.ontology.draft.findings import ColumnDraft, TableDraft
from veracity.ontology.draft.names import lists
from veracity.ontology.draft.proposals import said

_BEFORE = ("is", "was", "ist", "war")
FLAG_ENDINGS = ("flag", "yn")
"""Behind what a flag is about: abandoned_yn."""


def said_by_flag(words: Sequence[str]) -> tuple[str, ...]:
    """What a flag is about: of `is active` and `active flag` it is active."""
    rest = words[1:] if len(words) > 1 and words[0] in _BEFORE else words
    return tuple(rest[:-1] if len(rest) > 1 and rest[-1] in FLAG_ENDINGS else rest)


def called_no(
    table: TableDraft, column: ColumnDraft, words: Sequence[str], languages: Sequence[str]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Stored no -> what people call it: inactive, where a column says active. Nothing where rows without a value may be a no, too."""
    about = " ".join(said_by_flag(words))
    if column.profile.filled < table.profile.rows:
        return {}
    here: Mapping[str, Sequence[str]] = said()["flags"].get(about, {})
    called = {
        lang: tuple(dict.fromkeys(no for yes in (about, *here.get(lang, ())) for no in opposites_of(yes, lang)))
        for lang in languages
    }
    known = {lang: names for lang, names in called.items() if names}
    return {one: known for one in column.profile.values if known and one.casefold() in _denials()}


@cache
def _denials() -> frozenset[str]:
    """What is stored for no."""
    return frozenset(
        str(word) for pair in lists()["truths"] for word in pair if word in ("0", "n", "no", "f", "false", "nein", "否")
    )
