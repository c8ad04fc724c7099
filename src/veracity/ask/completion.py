"""A follow-up in words that is completed from the question before it, where no query of that is known to be changed."""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Sequence

from veracity.language.currencies import CURRENCY_WORDS
from veracity.question import Mention, MentionKind, Period, QuestionReading

# What may stand in a follow-up beside the thing that changes.
_FILLERS = frozenset(
    """
    und aber oder sowie auch noch dann jetzt bitte wie was war waren ist sind wird es das dasselbe gleiche sieht aus
    im in am per für fuer vom von bei mit zu zum zur nach auf der die den dem des ein eine einem einen einer
    and but or also then now please how what about was is were are it that the same for at on of from with to by as a an
    year years jahr jahre jahres month monat end ende konto konten account accounts
    """.split()  # noqa: SIM905  shorter than 90 strings
)
_FILLER_SIGNS = re.compile(r"那么|那|呢|和|与|在|的|是|多少|怎么样|如何|年|月|科目|请|再|对|从|来自|吗|也|又")
_QUESTION_WORDS = frozenset({"wie", "was", "how", "what", "war", "waren", "ist", "sind", "wird", "is", "were", "are"})
_QUESTION_SIGNS = re.compile(r"多少|是|如何")
_POINTING = frozenset({"es", "das", "dasselbe", "gleiche", "it", "that", "same", "about", "aus"})
_BEFORE_ADDITIONS = frozenset(
    "im in am per für fuer vom von bei mit zu zum zur nach auf aus for at on of from with to by as".split()  # noqa: SIM905  as above
)
_ADDED_SIGNS = re.compile(r"[在对从以按]|来自")
_LETTERS = re.compile(r"[^\W\d_]+")
_LEADING = re.compile(
    r"\s*(?:(?:und|and|aber|but|oder|or)\b|(?:what|how) about\b|wie sieht es aus\b|那么|那|还有)[\s,，]*", re.IGNORECASE
)
_TRAILING = re.compile(r"呢[\s?？。.]*$")
_YEAR_BEFORE = re.compile(
    r"vorjahr|jahr (?:davor|zuvor)|previous year|prior year|year before|preceding year|上一年|前一年|上年",
    re.IGNORECASE,
)


def standalone(reading: QuestionReading, before: QuestionReading | None) -> str:
    """The question with what it leaves out: "and 2024?" after a question about 2025 is that question about 2024.

    In doubt the question stays as it is: the model has the earlier turns before it.
    """
    if before is None or not (changes := _changes(reading)) or not _is_follow_up(reading, changes, before):
        return reading.question
    replaced: list[tuple[int, int, str]] = []
    added: list[str] = []
    places = list(dict.fromkeys(_place(mention, before) for mention in changes))
    for place in places:
        new = [mention for mention in changes if _place(mention, before) == place]
        old = [mention for mention in _changes(before) if _place(mention, before) == place]
        if not old:
            pieces = [_addition(mention, reading) for mention in new]
            if None in pieces:
                return reading.question
            added += [piece for piece in pieces if piece]
        elif len(old) == len(new):
            replaced += [_replacement(one, other, reading, before) for one, other in zip(old, new, strict=True)]
        elif len(old) == 1:
            replaced.append((old[0].start, old[0].end, reading.question[new[0].start : new[-1].end]))
        else:
            return reading.question  # which of them is meant is not said
    text = before.question
    for start, end, said in sorted(replaced, reverse=True):
        text = text[:start] + said + text[end:]
    return " ".join([text.rstrip("?？。. "), *added]) + "?" if added else text


def _changes(reading: QuestionReading) -> list[Mention]:
    """The mentions that say which: when, which accounts, whom."""
    kinds = (MentionKind.PERIOD, MentionKind.CODE, MentionKind.GROUP, MentionKind.VALUE)
    return [mention for mention in reading.mentions if any(meaning.kind in kinds for meaning in mention.meanings)]


def goes_on(question: str) -> bool:
    """Whether it begins as what goes on from the question before: "and before that?"."""
    return _LEADING.match(question) is not None


def names_a_change(reading: QuestionReading) -> bool:
    """Whether it says when, which accounts or whom."""
    return bool(_changes(reading))


def _is_follow_up(reading: QuestionReading, changes: Sequence[Mention], before: QuestionReading) -> bool:
    """Whether a question is no whole one: nothing but what changes, and words that tie it to the question before."""
    rest, end = [], 0
    for mention in changes:
        rest.append(reading.question[end : mention.start])
        end = mention.end
    left = " ".join([*rest, reading.question[end:]]).casefold()
    words = _LETTERS.findall(_FILLER_SIGNS.sub(" ", left))
    if not all(word in _FILLERS for word in words):
        return False
    asks = bool(_QUESTION_WORDS & set(words) or _QUESTION_SIGNS.search(left))
    if not asks or _POINTING & set(words) or _TRAILING.search(reading.question):
        return True
    # "What was the rent in 2025?" is a question of its own; "and what was it in 2025?" is not.
    named = {_place(mention, before) for mention in changes}
    return _LEADING.match(reading.question) is not None and not {_place(m, before) for m in _changes(before)} <= named


def _place(mention: Mention, before: QuestionReading) -> str:
    """What a mention says: when, which accounts (by number, group or class), or the value of a field."""
    meaning = mention.meanings[0]
    if meaning.kind is MentionKind.PERIOD:
        return "when"
    if meaning.kind in (MentionKind.CODE, MentionKind.GROUP):
        return f"which {meaning.fields[0][0] if meaning.fields else ''}"
    table, name = meaning.fields[0] if meaning.fields else ("", "")
    groups = [m.meanings[0] for m in before.mentions if m.meanings[0].kind is MentionKind.GROUP]
    is_class = not meaning.stored and meaning.value not in CURRENCY_WORDS
    if is_class and any(group.fields and group.fields[0][0] == table for group in groups):
        return f"which {table}"
    return f"{table}.{name}"


def _addition(mention: Mention, reading: QuestionReading) -> str | None:
    """What is said besides, with the small word before it; None where it cannot be told what it belongs to."""
    lead = _LEADING.match(reading.question)
    begin = max([other.end for other in reading.mentions if other.end <= mention.start] + [lead.end() if lead else 0])
    if begin > mention.start:
        return mention.text
    gap = reading.question[begin : mention.start]
    tied = bool(_BEFORE_ADDITIONS & set(_LETTERS.findall(gap.casefold())) or _ADDED_SIGNS.search(gap))
    if lead and not tied and mention.meanings[0].kind is not MentionKind.PERIOD:
        return None
    return f"{gap.strip()} {mention.text}".strip() if tied else mention.text


def _replacement(old: Mention, new: Mention, reading: QuestionReading, before: QuestionReading) -> tuple[int, int, str]:
    if (when := old.meanings[0].period) is not None and (then := new.meanings[0].period) is not None:
        return old.start, old.end, _period_said(old, new, when, then)
    kinds = old.meanings[0].kind, new.meanings[0].kind
    if kinds == (MentionKind.GROUP, MentionKind.CODE):
        return old.start, old.end, reading.question[_with_entity(new, reading) : new.end]
    if kinds[0] is MentionKind.CODE and kinds[1] is not MentionKind.CODE:
        return _with_entity(old, before), old.end, new.text
    return old.start, old.end, new.text


def _period_said(old: Mention, new: Mention, when: Period, then: Period) -> str:
    """The new period, with the year or the month that it leaves out: "and in March?", "and 2024?" after "end of 2025"."""
    year, said = when.last.year, str(then.first.year)
    before = _YEAR_BEFORE.search(new.text) is not None
    bare = then.part == "year" and not then.moment
    if bare and when.first.year == year and str(year) in old.text and (before or when.part != "year" or when.moment):
        other = year - 1 if before else then.first.year
        leap_day = (when.last.month, when.last.day) == (2, 29) and when.part == "day" and not isleap(other)
        return new.text if leap_day else old.text.replace(str(year), str(other))
    if not new.sure and then.part in ("month", "quarter", "day") and said not in new.text:
        return f"{year}年{new.text}" if _is_chinese(new.text) else f"{new.text} {year}"
    return new.text


def _is_chinese(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", text) is not None


def _with_entity(mention: Mention, reading: QuestionReading) -> int:
    """Where a mention begins, together with the word for its kind of thing: account 1021."""
    for other in reading.mentions:
        entity = any(meaning.kind is MentionKind.ENTITY for meaning in other.meanings)
        if entity and other.end <= mention.start and not reading.question[other.end : mention.start].strip():
            return other.start
    return mention.start
