"""All rules that join the phrases of a question or of a follow-up, gathered from the files of rules."""

from __future__ import annotations

from functools import cache

from veracity.semantic.reading import (
    asked_figures_rules,
    asked_first_rules,
    best_by_figure_rules,
    best_change_rules,
    best_groups_rules,
    best_of_each_rules,
    bounds_rules,
    coming_about_rules,
    comparing_rules,
    denied_rules,
    faring_rules,
    figures_rules,
    flag_rules,
    follow_up_order_rules,
    follow_up_rules,
    happening_rules,
    joining_words_rules,
    kept_groups_rules,
    kind_noun_rules,
    layout_rules,
    light_verb_rules,
    means_rules,
    missing_rules,
    money_rules,
    noun_last_rules,
    numbered_rules,
    only_named_rules,
    over_time_rules,
    own_field_rules,
    persons_rules,
    quantity_rules,
    ranking_rules,
    ratio_rules,
    row_pairs_rules,
    rows_rules,
    series_rules,
    share_rules,
    side_by_side_rules,
    span_rules,
    than_average_rules,
    than_their_own_rules,
    these_rows_rules,
    told_apart_rules,
    used_rules,
    verb_rules,
    weekday_rules,
    whether_rules,
)
from veracity.semantic.reading.compose import Rules

_BOOKS = (
    joining_words_rules,
    kind_noun_rules,
    asked_figures_rules,
    asked_first_rules,
    rows_rules,
    verb_rules,
    coming_about_rules,
    ranking_rules,
    best_by_figure_rules,
    bounds_rules,
    best_of_each_rules,
    best_change_rules,
    kept_groups_rules,
    figures_rules,
    over_time_rules,
    comparing_rules,
    than_average_rules,
    than_their_own_rules,
    quantity_rules,
    ratio_rules,
    share_rules,
    whether_rules,
    flag_rules,
    light_verb_rules,
    means_rules,
    missing_rules,
    money_rules,
    persons_rules,
    happening_rules,
    only_named_rules,
    noun_last_rules,
    numbered_rules,
    own_field_rules,
    layout_rules,
    span_rules,
    told_apart_rules,
    row_pairs_rules,
    side_by_side_rules,
    weekday_rules,
    best_groups_rules,
    series_rules,
    denied_rules,
    faring_rules,
    used_rules,
)
"""In the order in which rules for the same kinds of phrases are tried."""


@cache
def all_rules() -> Rules:
    """The rules that join the phrases of a question."""
    rules: Rules = {}
    for book in _BOOKS:
        for kinds, functions in book.RULES.items():
            rules.setdefault(kinds, []).extend(functions)
    return rules


@cache
def rules_with_follow_ups() -> Rules:
    """The same, and those that join the phrases of a follow-up."""
    rules = {kinds: list(functions) for kinds, functions in all_rules().items()}
    for book in (follow_up_rules, follow_up_order_rules, these_rows_rules):
        for kinds, functions in book.RULES.items():
            rules.setdefault(kinds, []).extend(functions)
    return rules
