"""The rules of requirements: one rule is one function and one case file; `RULES` is the order in which findings are told."""

from __future__ import annotations

from veracity.requirements.rules import part_rules, sentence_rules, word_rules
from veracity.requirements.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule("EMPTY", sentence_rules.empty),
    Rule("NOACTION", part_rules.no_action),
    Rule("NOOBJECT", part_rules.no_object),
    Rule("NOACTOR", part_rules.no_actor),
    Rule("VAGUE", word_rules.vague),
    Rule("BENEFITVAGUE", word_rules.benefit_vague),
    Rule("ESCAPE", word_rules.escape),
    Rule("OPEN", word_rules.open_list),
    Rule("TBD", word_rules.placeholder),
    Rule("QUALPRED", word_rules.quality_predicate),
    Rule("NOMETRIC", word_rules.no_metric),
    Rule("WEAKMODAL", sentence_rules.weak_modal),
    Rule("NOMODAL", sentence_rules.no_modal),
    Rule("MULTI", sentence_rules.several),
    Rule("PASSIVE", sentence_rules.passive),
    Rule("COMP", word_rules.comparative),
    Rule("SUP", word_rules.superlative),
    Rule("NOAC", sentence_rules.no_criteria),
    Rule("FRAGMENT", part_rules.fragment),
    Rule("LONG", sentence_rules.too_long),
    Rule("NEG", sentence_rules.negation),
    Rule("ABS", word_rules.absolute),
    Rule("PRON", word_rules.pronoun),
    Rule("WEAKVERB", word_rules.weak_verb),
)
