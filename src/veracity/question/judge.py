"""What a phrase means in a question, and whether that is sure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from unicodedata import normalize

from veracity.question.codes import CodeWord
from veracity.question.folding import is_unspaced
from veracity.question.inflection import is_close
from veracity.question.language import is_also_verb, is_ordinary
from veracity.question.lexicon import Hits, Lexicon, Word
from veracity.question.reading import Home, Meaning, MentionKind

_LONG_WORD = 6
"""A word of another language is sure from so many letters on."""
_SHORT_VALUE = 3
_SHORT_CODE = 4
_NEVER_SURE = frozenset({MentionKind.ENTITY, MentionKind.FIELD, MentionKind.NUMBER})


@dataclass(frozen=True, slots=True)
class Judgement:
    """The meanings of a phrase and whether they are one beyond doubt."""

    meanings: tuple[Meaning, ...]
    sure: bool


def judge(
    hits: Hits,
    *,
    words: tuple[str, ...],
    written: str,
    lang: str,
    fields: Collection[Home],
    lexicon: Lexicon,
    code: CodeWord | None = None,
) -> Judgement:
    """What the hits mean where they are written so, in a question of this language, after the names of these fields."""
    known = _plausible(hits.words, lang)
    stored = [meaning for text in hits.stored for meaning in lexicon.meanings_of(text)]
    if code is not None and any(meaning.kind is MentionKind.CODE for meaning in stored):
        stored, known = [_meant(meaning, code) for meaning in stored if meaning.kind is MentionKind.CODE], ()
    meanings = _merged([*(word.meaning for word in known), *stored])
    if not fields:
        meanings = _without_labels(meanings, lexicon)
    if len(meanings) != 1 or meanings[0].kind in _NEVER_SURE:
        return Judgement(meanings, sure=False)
    meaning = meanings[0]
    sure = any(_is_sure_word(word, hits, words=words, written=written, lang=lang) for word in known)
    if stored and not hits.leading and not sure:
        if meaning.kind is MentionKind.CODE:
            sure = (code is not None and code.strong) or sum(map(len, words)) >= _SHORT_CODE
        else:
            named = any(home in fields for home in meaning.fields)
            sure = _is_sure_value(meaning.value or "", words=words, written=written, lang=lang, named=named)
    return Judgement(meanings, sure)


def _without_labels(meanings: tuple[Meaning, ...], lexicon: Lexicon) -> tuple[Meaning, ...]:
    """A group that one of its own members is called by (Kasse, Löhne) is the group."""
    groups = [meaning for meaning in meanings if meaning.kind is MentionKind.GROUP]
    if len(groups) != 1:
        return meanings
    members = {entity for entity, _field in groups[0].fields}
    return tuple(
        meaning
        for meaning in meanings
        if meaning.kind is not MentionKind.VALUE
        or not all(home in lexicon.labels and home[0] in members for home in meaning.fields)
    )


def _plausible(words: Iterable[Word], lang: str) -> tuple[Word, ...]:
    """The words of the question's own language, if there are any."""
    everything = tuple(words)
    own = tuple(word for word in everything if _is_own(word, lang))
    return own or everything


def _is_own(word: Word, lang: str) -> bool:
    # Chinese characters are Chinese whatever language the rest is in.
    return not word.langs or lang in word.langs or is_unspaced(word.words[0])


def _meant(meaning: Meaning, code: CodeWord) -> Meaning:
    """The code in the fields that the word before it names, in whichever entity, if it is in any of them."""
    names = {name for _, name in code.homes}
    meant = tuple(home for home in meaning.fields if home[1] in names)
    return Meaning(meaning.kind, fields=meant or meaning.fields, value=meaning.value, stored=meaning.stored)


def _merged(meanings: Iterable[Meaning]) -> tuple[Meaning, ...]:
    """The meanings, those of the same thing as one."""
    same: dict[tuple[MentionKind, str | None, str | None], Meaning] = {}
    for meaning in meanings:
        key = (meaning.kind, meaning.entity, meaning.value)
        if (other := same.get(key)) is not None:
            fields = tuple(dict.fromkeys((*other.fields, *meaning.fields)))
            meaning = Meaning(  # noqa: PLW2901
                meaning.kind,
                entity=meaning.entity,
                fields=fields,
                value=meaning.value,
                stored=meaning.stored or other.stored,
            )
        same[key] = meaning
    return tuple(same.values())


def _is_sure_word(word: Word, hits: Hits, *, words: tuple[str, ...], written: str, lang: str) -> bool:
    if not _is_own(word, lang) and sum(map(len, words)) < _LONG_WORD:
        return False
    if hits.inflected and not is_close(words, word.words):
        return False
    return not is_also_verb(written, lang)


def _is_sure_value(value: str, *, words: tuple[str, ...], written: str, lang: str, named: bool) -> bool:
    """Whether a stored value is meant; `named` says that its field stands before it."""
    letters = sum(map(len, words))
    exact = normalize("NFC", written) == normalize("NFC", value)
    if written.isdigit():
        return named
    if letters < _SHORT_VALUE:
        return exact and named
    if letters == _SHORT_VALUE:
        return exact and written.isupper()
    if len(words) == 1 and is_ordinary(words[0], lang):
        return exact and named
    return True
