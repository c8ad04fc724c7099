"""Fields that hold a figure in thousands, millions or billions, by their name."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from veracity.language.locale import LANGUAGES
from veracity.language.nearest import words_of
from veracity.language.numbers import number_in
from veracity.language.stem import noun_root
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, Condition, FigureComparison, Related, SemanticQuery, conditions_in
from veracity.semantic.reading.word_senses import Tagged

_THOUSAND = 1000


@lru_cache(maxsize=4096)
def scale_of(name: str) -> int:
    """What one of a field's figures stands for, by its name: 1,000,000,000 of `Budget_in_Billions`, else 1."""
    word = words_of(name).rpartition(" ")[2]
    if len(word) < len("mio") or not word.isalpha():
        return 1
    read = (number_in(f"1 {form}", lang) for form in (word, noun_root(word)) for lang in LANGUAGES)
    return min((int(number) for number in read if number is not None and number >= _THOUSAND), default=1)


def compares_at_another_scale(query: SemanticQuery, _tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether a field in billions is compared with a figure in full: over 10 billion is not over 10,000,000,000 of them."""
    return any(
        abs(number) >= max(_THOUSAND, scale // _THOUSAND)
        for where in (query.where, query.having)
        for path, value in _compared(where)
        if (scale := scale_of(path.rpartition(".")[2])) > 1
        for number in _numbers(value)
    )


def _numbers(value: object) -> Iterator[Decimal]:
    values = value if isinstance(value, tuple) else (value,)
    yield from (Decimal(one) for one in values if isinstance(one, int | Decimal))


def _compared(where: Condition | None) -> Iterator[tuple[str, object]]:
    """The fields that are compared, each with what."""
    for one in conditions_in(where):
        match one:
            case Related():
                yield from _compared(one.related.where)
            case Comparison():
                yield one.field, one.value
            case FigureComparison() if one.show.field:
                yield one.show.field, one.value
