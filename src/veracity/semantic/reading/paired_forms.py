"""Women and men named both: Schülerinnen und Schüler, Kunden und Kundinnen, Schüler:innen are all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veracity.language.folding import Token
from veracity.language.stem import noun_root

_WOMEN = "innen"
_BETWEEN = ("/", ":", "*", "_", "/-", "/ ")
_JOINING = ("und", "oder", "bzw")


def paired_forms(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Where both are named: the first word and the one behind the last, and the root of the noun for all of them."""
    for place, token in enumerate(tokens):
        behind = tokens[place + 1 : place + 3]
        if behind and behind[0].text == _WOMEN and text[token.end : behind[0].start] in _BETWEEN:
            yield place, place + 2, noun_root(token.text)
        if len(behind) == 2 and behind[0].text in _JOINING:
            for women, men in ((token.text, behind[1].text), (behind[1].text, token.text)):
                named = women.endswith(_WOMEN) and not men.endswith(_WOMEN)
                if named and noun_root(women.removesuffix(_WOMEN)) == noun_root(men):
                    yield place, place + 3, noun_root(men)
