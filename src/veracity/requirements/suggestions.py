"""Suggestions for a requirement: one thing to do after the other. Their texts stand in `rewriting.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from veracity.contracts import clip
from veracity.requirements.contracts import Judged, Lang, RuleSettings, Suggestion
from veracity.requirements.evaluate import DEFAULT_SETTINGS, judge_text
from veracity.requirements.grounded import ROLE
from veracity.requirements.skeleton import metric_of, rewriting_texts


def suggest_improvements(
    text: str, *, settings: RuleSettings | None = None, lang: Lang | None = None
) -> tuple[Suggestion, ...]:
    """One thing to do after the other, the most important first; nothing where nothing was found."""
    judged, spoken = judge_text(text, settings or DEFAULT_SETTINGS, lang)
    found = [made for advise in ADVICE for made in advise(judged, spoken)]
    rank = {"high": 0, "medium": 1, "low": 2}
    return tuple(sorted(dict.fromkeys(found), key=lambda one: rank[one.priority]))


def _suggestion(name: str, lang: Lang, **words: str) -> Suggestion:
    known = rewriting_texts("suggestions")[name]
    return Suggestion(type=known["type"], suggestion=known[lang].format(**words), priority=known["priority"])


def _words_of(judged: Judged, *rules: str) -> Iterator[str]:
    """What these rules found, each once."""
    found = (one.text.strip() for one in judged.findings if one.rule in rules and one.severity != "info")
    yield from dict.fromkeys(clip(word, 60) for word in found if word)


def _for_each_word(name: str, judged: Judged, lang: Lang, *rules: str) -> Iterator[Suggestion]:
    """One suggestion for each word that these rules found."""
    return (_suggestion(name, lang, word=word) for word in _words_of(judged, *rules))


def _has(judged: Judged, *rules: str) -> bool:
    return any(finding.rule in rules for finding in judged.findings)


def resolve_placeholder(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """A placeholder such as TBD."""
    return _for_each_word("placeholder", judged, lang, "TBD")


def add_actor(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """A quality, a title or a passive that nobody wants or does."""
    if ROLE.search(judged.requirement.text):
        return
    if _has(judged, "QUALPRED", "FRAGMENT"):
        yield _suggestion("story", lang)
    elif _has(judged, "PASSIVE"):
        yield _suggestion("actor", lang)


def add_metric(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """A quality without a figure."""
    if _has(judged, "NOMETRIC"):
        for word in list(_words_of(judged, "VAGUE", "COMP", "SUP"))[:3]:
            yield _suggestion("metric", lang, word=word, example=metric_of(word, lang).example)


def complete_sentence(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """A title instead of a sentence."""
    if _has(judged, "FRAGMENT"):
        yield _suggestion("sentence", lang)


def remove_escape(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """A loophole."""
    return _for_each_word("escape", judged, lang, "ESCAPE")


def add_criteria(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """Nothing says when it is fulfilled; a loophole or an open list is mended otherwise."""
    failed = any(one.criterion == "testability" and not one.passed for one in judged.evaluation.evaluation)
    if _has(judged, "NOAC") or (failed and _has(judged, "QUALPRED", "NOMETRIC", "VAGUE", "TBD")):
        yield _suggestion("criteria", lang)


def close_list(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """A list without an end."""
    return _for_each_word("open_list", judged, lang, "OPEN")


def clarify_term(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """A vague word where a figure is not what is missing."""
    if not _has(judged, "NOMETRIC"):
        yield from _for_each_word("term", judged, lang, "VAGUE", "SUP")
        yield from _for_each_word("benefit", judged, lang, "BENEFITVAGUE")


def add_reference(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """A comparison that does not say with what."""
    return _for_each_word("reference", judged, lang, "COMP")


def split(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """Several requirements in one, or too many words for one."""
    if _has(judged, "MULTI", "LONG"):
        yield _suggestion("several", lang)


def use_modal(judged: Judged, lang: Lang) -> Iterator[Suggestion]:
    """No modal verb, or none that binds."""
    if _has(judged, "WEAKMODAL", "NOMODAL") and not _has(judged, "FRAGMENT"):
        yield _suggestion("modal", lang)


ADVICE: tuple[Callable[[Judged, Lang], Iterator[Suggestion]], ...] = (
    resolve_placeholder,
    add_actor,
    add_metric,
    complete_sentence,
    remove_escape,
    add_criteria,
    close_list,
    clarify_term,
    add_reference,
    split,
    use_modal,
)
