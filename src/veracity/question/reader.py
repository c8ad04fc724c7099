"""The reader: finds what a question names, and keeps of what overlaps the longest."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from unicodedata import normalize

from veracity.language.companies import LEGAL_FORM
from veracity.language.detect import is_also_verb, is_ordinary, language_by_letters, language_by_words
from veracity.language.folding import Folded, Token, fold, is_unspaced, tokens_of
from veracity.language.locale import DEFAULT_LANGUAGE, language
from veracity.language.numbers import Figure, find_figures, locale_of, written
from veracity.language.periods import FoundPeriod, periods_of
from veracity.language.stem import is_close
from veracity.question.codes import CodeWord, code_words, unstored_codes
from veracity.question.lexicon import Hits, Lexicon, Word
from veracity.question.mentions import Home, Meaning, Mention, MentionKind, QuestionReading
from veracity.question.spans import KnownTokens, SpanCandidate, select

MOST_CHARACTERS = 2_000
"""Of a longer question only the beginning is read."""
_LONGEST_WORD = 64
_SHORTEST_COMPOUND = 8
_SHORT_NUMBER = 4
"""A shorter number is as likely a count as a code."""
_GAP = re.compile(r"[ \-./,&'()+]{0,3}")
_AMOUNT_AFTER = re.compile(
    r" ?(?:€|\$|£|¥|(?:chf|eur|usd|gbp|franken|fr\.|euros?|dollars?|francs?)(?![a-z])|元|万|欧元|美元|瑞)"
)
_AMOUNT_BEFORE = re.compile(
    r"(?:[€$£¥] ?|(?:ueber|mehr als|weniger als|unter|mindestens|hoechstens|groesser als|kleiner als|over|above|below|"
    r"under|more than|less than|at least|at most|exceeding|greater than) (?:chf |eur |usd |fr\. )?|"
    r"超过|大于|小于|低于|高于|至少|多于)$"
)
_COUNTED = re.compile(r" ?[笔条个名家次张]")


def read(question: str, lexicon: Lexicon, *, today: date, lang: str | None = None) -> QuestionReading:
    """What a question names: periods, codes, groups, values, entities, fields and numbers."""
    folded = fold(_beginning(question))
    tokens = [token for token in tokens_of(folded.text) if len(token.text) <= _LONGEST_WORD]
    spoken = language(lang) if lang else _language(question, tokens, lexicon)
    periods = periods_of(folded.text, today)
    figures = _numbers(folded.text, periods, spoken)
    phrases = _phrases(folded.text, tokens, lexicon)
    candidates = [
        *_period_candidates(folded.text, periods),
        *_term_candidates(question, folded, tokens, phrases, lexicon=lexicon, lang=spoken),
        *(_as_number(figure) for figure in figures if _has_marks(figure)),
    ]
    chosen = select(candidates, len(folded.text))
    chosen += _leftovers(folded.text, tokens, chosen, figures=figures, lexicon=lexicon, lang=spoken)
    mentions = _mentions(question, folded, chosen)
    return QuestionReading(question, spoken, _with_unknown_companies(question, mentions, lexicon))


_COMPANY = re.compile(rf"(?<!\w)(?:[A-ZÄÖÜ][\w&.'-]{{1,40}}[ ]){{1,4}}{LEGAL_FORM}(?!\w)")


def _with_unknown_companies(question: str, mentions: tuple[Mention, ...], lexicon: Lexicon) -> tuple[Mention, ...]:
    """A company that is named with its legal form and is not stored is named all the same: nothing can meet it."""
    if not lexicon.labels:
        return mentions
    found = list(mentions)
    for match in _COMPANY.finditer(question[:MOST_CHARACTERS]):
        overlapping = [m for m in found if m.start < match.end() and match.start() < m.end]
        if any(m.sure or m.end == match.end() for m in overlapping):
            continue
        meaning = Meaning(MentionKind.VALUE, fields=tuple(sorted(lexicon.labels)), value=match.group())
        found = [m for m in found if m not in overlapping]
        found.append(Mention(*match.span(), match.group(), (meaning,), sure=True))
    return tuple(sorted(found, key=lambda mention: mention.start))


def _language(question: str, tokens: list[Token], lexicon: Lexicon) -> str:
    """The language of the question; the words that the data is described with tell more than mere letters."""
    return (
        language_by_words(question)
        or lexicon.language_of([token.text for token in tokens])
        or language_by_letters(question)
        or DEFAULT_LANGUAGE
    )


def _beginning(question: str) -> str:
    if len(question) <= MOST_CHARACTERS:
        return question
    # Not in the middle of a word or number, which would be another one.
    cut = question[:MOST_CHARACTERS]
    return cut[: max(cut.rfind(" "), MOST_CHARACTERS - _LONGEST_WORD)]


def _mentions(question: str, folded: Folded, chosen: Iterable[SpanCandidate]) -> tuple[Mention, ...]:
    mentions: list[Mention] = []
    for candidate in sorted(chosen, key=lambda c: c.start):
        start, end = folded.origin(candidate.start, candidate.end)
        # One written character may fold to several (㎏, …); two mentions never share it.
        if candidate.meanings and (not mentions or start >= mentions[-1].end):
            mentions.append(Mention(start, end, question[start:end], candidate.meanings, candidate.sure))
    return tuple(mentions)


# --- phrases


def _phrases(text: str, tokens: list[Token], lexicon: Lexicon) -> list[KnownTokens]:
    """Everything that the lexicon knows in a text, short and long."""
    words = [token.text for token in tokens]
    found: list[KnownTokens] = []
    for first, token in enumerate(tokens):
        reach = _reach(text, tokens, first, lexicon.longest(token.text))
        for size in range(reach, 0, -1):
            hits = lexicon.find(words[first : first + size])
            if hits is not None:
                found.append(KnownTokens(first, first + size, hits))
        hyphenated = _hyphenated(text, tokens, first)
        if hyphenated > 1 and (joined := lexicon.find(["".join(words[first : first + hyphenated])])):
            found.append(KnownTokens(first, first + hyphenated, joined))
    return found


def _reach(text: str, tokens: list[Token], first: int, most: int) -> int:
    """How many words from here on belong together: no more than the longest phrase, nor over the end of a sentence."""
    size = 1
    while size < most and first + size < len(tokens):
        if not _GAP.fullmatch(text, tokens[first + size - 1].end, tokens[first + size].start):
            break
        size += 1
    return size


def _hyphenated(text: str, tokens: list[Token], first: int) -> int:
    size = 1
    while first + size < len(tokens) and text[tokens[first + size - 1].end : tokens[first + size].start] == "-":
        size += 1
    return size


# --- candidates


def _period_candidates(text: str, periods: Sequence[FoundPeriod]) -> list[SpanCandidate]:
    found: list[SpanCandidate] = []
    for period in periods:
        meanings = tuple(Meaning(MentionKind.PERIOD, period=days) for days in period.meanings)
        amount = _amount(text, period.start, period.end) if period.bare else None
        if amount is None:
            found.append(SpanCandidate(period.start, period.end, meanings, period.sure, bare=period.bare))
        else:
            found.append(SpanCandidate(period.start, period.end, (*meanings, amount), sure=False, bare=True))
    return found


def _amount(text: str, start: int, end: int) -> Meaning | None:
    """The number that a bare year or code may be, by the words around it: über 2000 Franken, 1100笔."""
    written = text[start:end]
    if not written.isdigit():
        return None
    after = _AMOUNT_AFTER.match(text, end) or _COUNTED.match(text, end)
    if len(written) < _SHORT_NUMBER or after or _AMOUNT_BEFORE.search(text[max(0, start - _LONGEST_WORD) : start]):
        return Meaning(MentionKind.NUMBER, value=written)
    return None


def _term_candidates(
    question: str, folded: Folded, tokens: list[Token], phrases: list[KnownTokens], *, lexicon: Lexicon, lang: str
) -> list[SpanCandidate]:
    said = code_words(folded.text, tokens, phrases, lexicon)
    fields = _fields_before(folded.text, tokens, phrases)
    edges = {edge for phrase in phrases for edge in (tokens[phrase.first].start, tokens[phrase.end - 1].end)}
    found: list[SpanCandidate] = []
    for phrase in phrases:
        start, end = tokens[phrase.first].start, tokens[phrase.end - 1].end
        first, last = folded.origin(start, end)
        judgement = judge(
            phrase.hits,
            words=tuple(token.text for token in tokens[phrase.first : phrase.end]),
            written=question[first:last],
            lang=lang,
            fields=fields.get(phrase.first, frozenset()),
            code=said.get(phrase.first),
            lexicon=lexicon,
        )
        joined = _is_joined(folded.text, start, end, edges)
        worded = phrase.first in said and said[phrase.first].strong
        found += _candidate(folded.text, (start, end), judgement, worded=worded, joined=joined)
    known = {(c.start, c.end) for c in found if any(m.kind is MentionKind.CODE for m in c.meanings)}
    for code in unstored_codes(folded.text, tokens, said, lexicon):
        if (code.start, code.end) not in known:
            first, last = folded.origin(code.start, code.end)
            meaning = Meaning(MentionKind.CODE, fields=code.homes, value=question[first:last])
            found.append(SpanCandidate(code.start, code.end, (meaning,), code.sure, worded=code.worded))
    return found


def _candidate(
    text: str, place: tuple[int, int], judgement: Judgement, *, worded: bool, joined: bool
) -> list[SpanCandidate]:
    coded = any(meaning.kind is MentionKind.CODE for meaning in judgement.meanings)
    if joined and coded:
        # A part of a longer code: 0001 of RE-2019-0001.
        return []
    amount = _amount(text, *place) if coded and not worded else None
    meanings = judgement.meanings if amount is None else (*judgement.meanings, amount)
    sure = judgement.sure and not joined and amount is None
    digits = text[place[0] : place[1]].isdigit()
    return [SpanCandidate(*place, meanings, sure, worded=worded and coded, digits=digits)]


def _is_joined(text: str, start: int, end: int, edges: set[int]) -> bool:
    """Whether a hyphen ties it to an unknown word: the bank of a bank-holiday need not be one."""
    before = start > 1 and text[start - 1] == "-" and text[start - 2].isalnum() and start - 1 not in edges
    after = end + 1 < len(text) and text[end] == "-" and text[end + 1].isalnum() and end + 1 not in edges
    return before or after


def _fields_before(text: str, tokens: list[Token], phrases: list[KnownTokens]) -> dict[int, frozenset[Home]]:
    """For each place after the name of a field, that field: Kostenstelle Beratung."""
    named: dict[int, frozenset[Home]] = {}
    for phrase in phrases:
        homes = [
            home for word in phrase.hits.words if word.meaning.kind is MentionKind.FIELD for home in word.meaning.fields
        ]
        if homes and phrase.end < len(tokens):
            gap = text[tokens[phrase.end - 1].end : tokens[phrase.end].start]
            if len(gap) <= 3 and not set(gap) & set(".?!;"):
                named[phrase.end] = named.get(phrase.end, frozenset()) | frozenset(homes)
    return named


def _numbers(text: str, periods: Sequence[FoundPeriod], lang: str) -> list[Figure]:
    """The numbers of a question, in digits or words, that are no part of a period."""
    return [
        figure
        for figure in find_figures(text, locale_of(lang))
        if figure.readings and not any(period.start < figure.end and figure.start < period.end for period in periods)
    ]


def _has_marks(figure: Figure) -> bool:
    """Whether a number has separators or a scale, so that it must not be read in pieces: 1'000.50, 1.5 Mio."""
    return figure.kind == "number" and not figure.text.isdecimal()


def _as_number(figure: Figure) -> SpanCandidate:
    value = figure.readings[0]
    digits = written(value if figure.scale == 1 else value.normalize())
    return SpanCandidate(figure.start, figure.end, (Meaning(MentionKind.NUMBER, value=digits),), sure=False)


def _leftovers(
    text: str,
    tokens: list[Token],
    chosen: list[SpanCandidate],
    *,
    figures: Iterable[Figure],
    lexicon: Lexicon,
    lang: str,
) -> list[SpanCandidate]:
    """Plain numbers and German compounds where nothing else was read."""
    taken = bytearray(len(text))
    for candidate in chosen:
        taken[candidate.start : candidate.end] = b"\1" * (candidate.end - candidate.start)
    found = [
        _as_number(figure) for figure in figures if not _has_marks(figure) and not any(taken[figure.start : figure.end])
    ]
    for token in tokens if lang == "de" else ():
        if len(token.text) < _SHORTEST_COMPOUND or is_unspaced(token.text) or any(taken[token.start : token.end]):
            continue
        if words := lexicon.compound(token.text):
            judgement = judge(
                Hits(words=words),
                words=(token.text,),
                written=token.text,
                lang=lang,
                fields=frozenset(),
                lexicon=lexicon,
            )
            found.append(SpanCandidate(token.start, token.end, judgement.meanings, sure=False))
    return found


# --- what a phrase means in a question, and whether that is sure


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
        other = same.setdefault(key, meaning)
        if other is not meaning:
            fields = tuple(dict.fromkeys((*other.fields, *meaning.fields)))
            same[key] = Meaning(
                meaning.kind,
                entity=meaning.entity,
                fields=fields,
                value=meaning.value,
                stored=meaning.stored or other.stored,
            )
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
