"""The words of one language about how a question is asked, whatever it is about, with what each may stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from veracity.language.degrees import degrees
from veracity.language.folding import folded_text, words_in
from veracity.semantic.reading.comparison_phrases import AverageBound, Comparative, Superlative
from veracity.semantic.reading.phrases import JoiningWord
from veracity.semantic.reading.said_phrases import Phrase, SaidTimes
from veracity.semantic.reading.word_lists import Key, operators

MONEY_VERBS = ("verb_spend", "verb_pay", "verb_earn", "verb_bring", "verb_sell", "money_noun")
_NOT_JOINING = (
    "parts_of_amounts",
    "order",
    "skipped",
    "skipped_if_unknown",
    "now",
    "high",
    "low",
    "prepositions",
    "articles",
    "newest",
    "oldest",
    "ordinals",
    "one",
    "a_unit",
    "before_figure",
    "how_often",
    "whose",
    "times",
    "owns",
    "never",
    "aged",
    "truths",
    "flag_words",
    "each_apart",
    "extras",
    "totals",
    "goods",
    "not_best",
    "piece_fields",
    "prices",
    "people",
    "ratings",
    "reviews",
    "works_now",
    "light",
    "activities",
    "light_amounts",
    "consuming",
    "producing",
    "consumed_names",
    "produced_names",
    "asks_for",
    "who",
    "older",
    "younger",
    "aged_over",
    "aged_under",
    "birth",
    "measure_words",
    "aimed",
    "come_from",
    "aim_fields",
    "sent_fields",
    "sent_words",
    "begin_fields",
    "holds_from",
    "took_place",
    "called_off",
    "use_verbs",
    "number_fields",
    "own_events",
    "came_words",
    "late_dates",
    "weekdays",
    "said_times",
    "unsettled",
    "unpaid",
    "overdue",
    "active",
    "goes_on",
    "former",
    "end_fields",
    "settled_fields",
    "paid_fields",
    "returned_fields",
    "due_fields",
    "status_fields",
    "voided_fields",
    "date_words",
    "sum_of_amounts",
    "amount_fields",
    "all_of_them",
    *MONEY_VERBS,
    "payers",
    "income_names",
    "no_income",
    "money_fields",
    "quantity_fields",
    "pay_names",
    "cost_names",
    "given_away",
    "owes",
    "funds",
    "whole_amounts",
    "side_amounts",
    "money_dates",
    "takes_time",
    "praise",
    "blame",
    "undone",
    "planned",
    "took_longer",
    "late",
    "on_time",
    "floor_fields",
    "stock_fields",
    "plan_fields",
    "actual_fields",
    "time_fields",
    "due_dates",
    "done_dates",
    "turning",
    "whose_own",
    "in_total",
    "together",
    "amount_nouns",
    "amount_tables",
    "age_fields",
    "signs",
    *("possessed", "possessives", "ratio_words", "inhabitants", "how_many_of_each", "done_to_people", "accrues"),
    *("accrues_with", "recent_or_latest", "which_several", "begins_with", "acting_roles", "waiting_fields"),
)
"""Lists of words that stand for something else than joining others."""
_COMPARISONS = {"greater": ">", "at_least": ">=", "less": "<", "at_most": "<=", "exactly": "="}


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """What the word lists of a language come to, read once for all models."""

    phrases: Mapping[Key, Collection[Phrase]]
    """What joins others: more than, without, per, twice."""
    skipped: Mapping[str, Collection[Key]]
    """What says nothing, by its first word."""
    weekdays: Mapping[Key, tuple[int, ...]]
    superlatives: frozenset[str]
    """Highest, lowest, largest: words that ask for one row of several."""
    articles: frozenset[str]
    one: frozenset[str]
    a: frozenset[str]
    whose: frozenset[str]
    who: frozenset[str]
    owns: frozenset[str]
    prepositions: frozenset[str]


@cache
def language_words(lang: str) -> LanguageWords:
    """The words of a language."""
    said = operators(lang)
    skipped: dict[str, list[Key]] = {}
    for key in filter(None, (tuple(words_in(str(word))) for word in said.get("skipped") or ())):
        skipped.setdefault(key[0], []).append(key)
    phrases: dict[Key, list[Phrase]] = {}
    for key, phrase in _joining(said, skipped):
        phrases.setdefault(key, []).append(phrase)
    return LanguageWords(
        phrases,
        skipped,
        {tuple(words_in(word)): tuple(days) for word, days in (said.get("weekdays") or {}).items()},
        _superlatives(said, lang),
        articles=_folded(said, "articles"),
        one=_folded(said, "one"),
        a=_folded(said, "a_unit"),
        whose=_folded(said, "whose"),
        who=_folded(said, "who"),
        owns=_folded(said, "owns"),
        prepositions=_folded(said, "of", "in", "per", "prepositions"),
    )


def _folded(said: Mapping[str, Any], *kinds: str) -> frozenset[str]:
    return frozenset(folded_text(str(word)) for kind in kinds for word in said.get(kind) or ())


def _superlatives(said: Mapping[str, Any], lang: str) -> frozenset[str]:
    words = (str(word) for kind in ("high", "low") for word in said.get(kind) or ())
    forms = [form for word in words for form in degrees(folded_text(word), lang).superlative]
    return frozenset(part for form in (*forms, *(said.get("first_of_all") or ())) for part in words_in(str(form)))


def _joining(said: Mapping[str, Any], skipped: Mapping[str, Collection[Key]]) -> Iterator[tuple[Key, Phrase]]:
    """The words that join others, each with what it stands for."""
    for word, number in (said.get("said_times") or {}).items():
        yield tuple(words_in(word)), SaidTimes("" if number == 1 else "=", number)  # once may be any time
    owns, never = _folded(said, "owns"), {tuple(words_in(str(word))) for word in said.get("never") or ()}
    for kind, words in said.items():
        for word in () if kind in _NOT_JOINING else words:
            whole = tuple(words_in(str(word)))
            key = whole or (str(word),)
            while len(key) > 1 and key[:1] in skipped.get(key[0], ()):
                key = key[1:]
            phrase = _operator(kind, str(word))
            if isinstance(phrase, JoiningWord):
                phrase = replace(phrase, owns=kind == "with" and key[-1] in owns, never=whole in never)
            yield key, phrase
    for word, times in (said.get("times") or {}).items():
        yield tuple(words_in(word)), JoiningWord("times", str(times))


def _operator(kind: str, word: str) -> Phrase:
    if kind in _COMPARISONS:
        return Comparative(_COMPARISONS[kind])
    if kind in ("most", "fewest"):
        return Superlative(1 if kind == "most" else -1, counts=True)
    if kind in ("above_average", "below_average"):
        return AverageBound(">" if kind == "above_average" else "<")
    if kind in ("top", "bottom"):
        return Superlative(1 if kind == "top" else -1)
    return JoiningWord(kind, folded_text(word))
