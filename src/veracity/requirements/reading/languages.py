"""The language of texts that do not show theirs, such as "TBD": that of most of their document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from veracity.requirements.contracts import Lang, Requirement
from veracity.requirements.rules.language import told_language
from veracity.requirements.rules.phrases import words_in

_SHORT = 60
"""Characters; a longer text shows its language."""
_ENOUGH = 200
"""Requirements that are looked at to find out what a document is written in."""


def with_languages(requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """The requirements; those whose language cannot be told have that of most others, if these have one."""
    unclear = {number for number, one in enumerate(requirements) if len(one.text) <= _SHORT and _language(one) is None}
    main = _main_language(requirements) if unclear else None
    if main is None:
        return tuple(requirements)
    return tuple(
        one.model_copy(update={"lang": main}) if number in unclear else one for number, one in enumerate(requirements)
    )


def _main_language(requirements: Sequence[Requirement]) -> Lang | None:
    votes = Counter(found for one in requirements[:_ENOUGH] if (found := _language(one)) is not None)
    return "de" if votes["de"] > votes["en"] else "en" if votes["en"] > votes["de"] else None


def _language(requirement: Requirement) -> Lang | None:
    return requirement.lang or told_language(requirement.text, words_in(requirement.text))
