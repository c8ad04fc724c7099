"""A requirement, written anew: what it does not say is asked, never invented.

rewrite_requirement
  -> judge      evaluate.py      what is wrong with it
  -> word       model_tasks.py   a language model writes it anew; without one, skeleton.py leaves slots open
  -> settle     the user's answers go into the slots, confirm what the rewrite added, or replace it
  -> doubt      grounded.py      what is said now and was never stated is listed, each with its question
  -> evaluate   the new text, by the same rules
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypedDict, Unpack

from veracity.agent.loop import Limits, Model
from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.requirements.contracts import Assumption, Criterion, Lang, Rewrite, RuleSettings
from veracity.requirements.evaluate import DEFAULT_SETTINGS, evaluate, judge_text
from veracity.requirements.grounded import LONGEST, SLOT, Doubt, doubts, is_no, is_yes, stated_in
from veracity.requirements.model_tasks import RewriteTask
from veracity.requirements.skeleton import OpenSlot, Wording, rewriting_texts, skeleton_of, slot_at, slot_of

_LONGEST_ANSWER = 400
MOST_QUESTIONS = 20
"""Questions about one requirement; a text that needs more is written anew rather than completed."""
_PASSES = 6
"""How often answers are put in: an answer may open a slot, whose answer is put in after it."""


class RewriteOptions(TypedDict, total=False):
    """What a rewrite may be told beside its texts."""

    settings: RuleSettings | None
    lang: Lang | None
    """The language of the requirement; found out when it is not given."""
    name: int | str
    """The id of the rewrite."""
    asked_in: Lang | None
    """The language of the user, when it is another."""


async def rewrite_requirement(
    text: str,
    *,
    model: Model | None = None,
    answers: Mapping[str, str] | None = None,
    wording: Wording | None = None,
    limits: Limits | None = None,
    **options: Unpack[RewriteOptions],
) -> Rewrite:
    """The requirement, written anew, with every assumption that it rests on.

    `answers` are those to the questions of its assumptions. `wording` is an earlier draft: answers then go into that one, and
    the model is not asked again. Raises `ModelError` when the model cannot be reached.
    """
    settings, lang = _with_text(text, options)
    wording = wording or await first_wording(
        text, model=model, answers=answers, settings=settings, lang=lang, limits=limits
    )
    return rewrite_with_answers(text, wording, answers or {}, **options)


async def improve_requirement(
    text: str,
    ask: Callable[[Assumption], Awaitable[str | None]],
    *,
    model: Model | None = None,
    answers: Mapping[str, str] | None = None,
    wording: Wording | None = None,
    **options: Unpack[RewriteOptions],
) -> Rewrite:
    """A rewrite with everything asked that it needs, one question after the other, until nobody answers any more.

    `answers` are known before anything is asked, and `wording` is a draft that is there already.
    """
    known, asked_for = dict(answers or {}), 0
    settings, lang = _with_text(text, options)
    wording = wording or await first_wording(text, model=model, answers=known, settings=settings, lang=lang)
    while True:
        made = rewrite_with_answers(text, wording, known, **options)
        asked = next(iter(made.assumptions), None)
        answer = await ask(asked) if asked is not None and asked_for < MOST_QUESTIONS else None
        if asked is None or answer is None or not answer.strip():
            return made
        # The same question twice: what was said filled nothing in, and would not do so now.
        if known.get(asked.question) == answer:
            return made
        known[asked.question] = answer
        asked_for += 1


def _with_text(text: str, options: RewriteOptions) -> tuple[RuleSettings | None, Lang | None]:
    """The rules and the language of a rewrite; raises where there is nothing to rewrite."""
    if not text.strip():
        raise UsageError("There is no text to rewrite; give the requirement.")
    return options.get("settings"), options.get("lang")


async def first_wording(
    text: str,
    *,
    model: Model | None = None,
    answers: Mapping[str, str] | None = None,
    settings: RuleSettings | None = None,
    lang: Lang | None = None,
    limits: Limits | None = None,
) -> Wording:
    """A new wording: the model's, or, without a model or a draft of it that leads anywhere, a skeleton with open slots."""
    rules = settings or DEFAULT_SETTINGS
    judged, spoken = judge_text(text, rules, lang)
    skeleton = skeleton_of(judged, spoken)
    if model is None or len(text) > LONGEST:
        return skeleton
    drafted = await RewriteTask(judged, spoken, skeleton, answers or {}, rules.glossary).wording(model, limits)
    return skeleton if drafted is None or _is_dead_end(drafted, rules, spoken) else drafted


def _is_dead_end(wording: Wording, rules: RuleSettings, lang: Lang) -> bool:
    """Whether a wording still fails and leaves no slot open: no answer could mend it, while the skeleton asks for what is missing."""
    return not SLOT.search(wording.text) and evaluate(wording.text, settings=rules, lang=lang).verdict == "fail"


def rewrite_with_answers(
    text: str,
    wording: Wording,
    answers: Mapping[str, str],
    *,
    settings: RuleSettings | None = None,
    lang: Lang | None = None,
    name: int | str = 1,
    criteria: Sequence[Criterion] | None = None,
    asked_in: Lang | None = None,
) -> Rewrite:
    """A wording with the user's answers in it, its score, and what is still to be confirmed.

    `lang` is the language of the requirement, `asked_in` that of the user.
    """
    rules = settings or DEFAULT_SETTINGS
    given = _GivenAnswers.of(text, answers, rules, lang, asked_in)
    wording = given.put_into(wording)
    assumptions = given.assumptions(wording)
    judged = evaluate(wording.text, criteria, settings=rules, lang=given.lang)
    passed = judged.verdict == "pass" and not given.is_refused(wording)
    return Rewrite(
        id=name,
        original_text=given.original,
        corrected_text=wording.text,
        status="needs_confirmation" if assumptions else "accepted" if passed else "rejected",
        score=judged.score,
        verdict=judged.verdict,
        evaluation=judged.evaluation,
        assumptions=assumptions,
        acceptance_criteria=wording.criteria,
    )


def rewrite_with_open_slots(
    text: str, wording: Wording, answers: Mapping[str, str], **options: Unpack[RewriteOptions]
) -> Rewrite | None:
    """A rewrite with an open slot for all that nobody stated or confirmed; None where that cannot be told by slots.

    Unlike the slot after a refusal, it does not repeat what a model made up: this text is for a document.
    """
    rules, lang, asked_in = options.get("settings") or DEFAULT_SETTINGS, options.get("lang"), options.get("asked_in")
    given = _GivenAnswers.of(text, answers, rules, lang, asked_in)
    wording = given.with_blanks(given.put_into(wording))
    return None if given.is_doubtful(wording) else rewrite_with_answers(text, wording, answers, **options)


_DROPPED = frozenset({"weglassen", "keiner", "keinen", "nichts", "-", "leave it out", "none", "nothing"})
_ALWAYS = {True: ("immer", "always"), False: ()}
"""A condition that always holds is none."""
_LOST = ("dropped", "negation")
_SIGN = r"(?:[<>≤≥]=?\s{0,2})?"


@dataclass(frozen=True, slots=True)
class _GivenAnswers:
    """What the user has said to the questions of a rewrite, and how it goes into the text."""

    original: str
    lang: Lang
    asked_in: Lang
    glossary: tuple[str, ...]
    answers: Mapping[str, str]

    @classmethod
    def of(
        cls, text: str, answers: Mapping[str, str], rules: RuleSettings, lang: Lang | None, asked_in: Lang | None
    ) -> _GivenAnswers:
        """What was said about a requirement; `lang` is its language, `asked_in` that of the user."""
        spoken = judge_text(text, rules, lang)[1]
        known = {asked: said.strip() for asked, said in answers.items() if said.strip()}
        return cls(text.strip(), spoken, asked_in or spoken, rules.glossary, known)

    def put_into(self, wording: Wording) -> Wording:
        """The wording with every answer in it."""
        for _ in range(_PASSES):
            before, wording = wording, self._put_in(wording)
            if wording == before:
                break
        return wording

    def assumptions(self, wording: Wording) -> tuple[Assumption, ...]:
        """What is still to be asked: the open slots of the text, then what nobody stated."""
        slots = [self._slot(found) for found in dict.fromkeys(SLOT.findall(wording.text))]
        return (
            *(Assumption(what=one.written, question=one.question, suggested_answers=one.suggested) for one in slots),
            *(
                Assumption(
                    what=doubt.what, question=asked, suggested_answers=tuple(rewriting_texts("yes_no")[self.asked_in])
                )
                for doubt in self._doubts(wording)
                if (asked := self._question(doubt)) not in self.answers
            ),
        )

    def is_refused(self, wording: Wording) -> bool:
        """Whether the text still says, or lacks, what the user has said no to."""
        return any(self._question(doubt) in self.answers for doubt in self._doubts(wording))

    def is_doubtful(self, wording: Wording) -> bool:
        """Whether anything in it was neither stated nor confirmed."""
        return bool(self._doubts(wording))

    def with_blanks(self, wording: Wording) -> Wording:
        """The wording with a blank for each thing that nobody stated, and without a benefit that nobody named."""
        blanks = rewriting_texts("blanks")
        for slot in _slots_of(wording):
            # A model may hide a figure in the name of a slot, and a refused one is still named there.
            kind = next((one.kind for one in self._compared(slot[1:-2]) if one.kind in blanks), None)
            if kind is not None:
                wording = _in_text_and_criteria(wording, partial(_swapped, old=slot, new=blanks[kind][self.lang]))
        for _ in range(_PASSES):
            before = wording
            for doubt in self._doubts(wording):
                if doubt.kind == "benefit":
                    wording = _in_text_and_criteria(
                        wording, partial(_with_benefit, clause=doubt.what, said=None, lang=self.lang)
                    )
                elif doubt.kind in blanks:
                    wording = _with_words_replaced(wording, doubt.what, blanks[doubt.kind][self.lang])
            if wording == before:
                break
        return wording

    def _question(self, doubt: Doubt) -> str:
        asked: str = rewriting_texts("doubts")[doubt.kind][self.asked_in]
        return asked.format(what=clip(doubt.what, 120))

    def _slot(self, written: str) -> OpenSlot:
        return slot_at(written, self.lang, asked_in=self.asked_in)

    def _doubts(self, wording: Wording) -> tuple[Doubt, ...]:
        """What nobody stated or confirmed. What is lost is looked for in the text alone: only the text is ever written."""
        whole = self._compared(_whole_text(wording))
        text = self._compared(wording.text)
        found = dict.fromkeys(
            (*(one for one in whole if one.kind not in _LOST), *(one for one in text if one.kind in _LOST))
        )
        return tuple(one for one in found if not is_yes(self.answers.get(self._question(one), "")))

    def _compared(self, text: str) -> tuple[Doubt, ...]:
        return doubts(self.original, text, lang=self.lang, glossary=self.glossary, answers=stated_in(self.answers))

    def _put_in(self, wording: Wording) -> Wording:
        """The wording with every answer that replaces something."""
        for doubt in self._doubts(wording):
            answer = self.answers.get(self._question(doubt))
            if answer is not None:
                wording = self._replaced(wording, doubt, answer)
        for found in _slots_of(wording):
            slot = self._slot(found)
            answer = self.answers.get(slot.question)
            # Yes and no fill nothing in: it is asked again.
            if answer is not None and not is_yes(answer) and not is_no(answer):
                drop = slot.droppable and answer.casefold() in (*_DROPPED, *_ALWAYS[slot.kind == "condition"])
                filled = partial(
                    _with_slot_filled, slot=found, answer=None if drop else answer, kind=slot.kind, lang=self.lang
                )
                wording = _in_text_and_criteria(wording, filled)
        return wording

    def _replaced(self, wording: Wording, doubt: Doubt, answer: str) -> Wording:
        """What was added goes out, or what the user said comes in its place."""
        if doubt.kind not in ("figure", "rate", "role", "name", "benefit"):
            return wording
        said = _as_one_line(answer)
        if doubt.kind == "benefit":
            clause = None if is_no(answer) or said.casefold() in _DROPPED else said
            return _in_text_and_criteria(
                wording, partial(_with_benefit, clause=doubt.what, said=clause, lang=self.lang)
            )
        put = slot_of(doubt.kind, self.lang, doubt.what).written if is_no(answer) else said
        # Where the user states the limit with its side, the sign before the old one goes with it.
        sign = _SIGN if not is_no(answer) and not put[:1].isdigit() else ""
        return _with_words_replaced(wording, doubt.what, put, before=sign)


def _whole_text(wording: Wording) -> str:
    return "\n".join((wording.text, *wording.criteria))


def _slots_of(wording: Wording) -> dict[str, None]:
    """The open slots of a text and its criteria, each once."""
    return dict.fromkeys(SLOT.findall(_whole_text(wording)))


def _with_words_replaced(wording: Wording, what: str, put: str, *, before: str = "") -> Wording:
    """The wording with other words for some; `before` is a pattern of what goes with them."""
    pattern = re.compile(rf"(?<![^\W_]){before}{re.escape(what)}(?![^\W_])")
    return _in_text_and_criteria(wording, partial(pattern.sub, lambda _: put))


def _swapped(text: str, old: str, new: str) -> str:
    return text.replace(old, new)


def _in_text_and_criteria(wording: Wording, change: Callable[[str], str]) -> Wording:
    return Wording(change(wording.text), tuple(change(one) for one in wording.criteria))


def _as_one_line(answer: str) -> str:
    """An answer as it can stand in a sentence."""
    return clip(" ".join(answer.split()), _LONGEST_ANSWER).strip(" .")


def _with_slot_filled(text: str, slot: str, answer: str | None, kind: str, lang: Lang) -> str:
    """A text with an answer in the place of a slot; None takes out the slot and the clause that only it stands in."""
    if answer is None:
        return _without_slot(text, slot, kind, lang)
    # What is said there already is not said twice: "damit [Nutzen?]" and "damit ich ...".
    said = _as_one_line(answer)
    before = text[: max(0, text.find(slot))].rstrip().rsplit(" ", 1)[-1].casefold()
    first, _, rest = said.partition(" ")
    said = rest if rest and first.casefold() == before and before in ("damit", "that", "als", "a", "an") else said
    said = said.removeprefix("so that ") if before == "that" else said
    if kind == "list":
        return _with_list_ended(text, slot, said, lang)
    if kind == "system" and not text.startswith(slot):
        said = said[:1].lower() + said[1:] if first in ("The", "Das", "Der", "Die") else said
    filled = text.replace(slot, said)
    return _ARTICLE.sub(r"\1n", filled) if before == "a" and said[:1].casefold() in "aeiou" else filled


_ARTICLE = re.compile(r"(?<=\b)([Aa])(?= [aeiouAEIOU])")


def _with_list_ended(text: str, slot: str, said: str, lang: Lang) -> str:
    """A list with its last items: "A, B [list?]" and "C" are "A, B and C"."""
    joins = said.casefold().startswith(("und ", "and ", "oder ", "or ", "sowie "))
    joined = said if joins else f"{'und' if lang == 'de' else 'and'} {said}"
    return re.sub(rf",?\s{{0,2}}{re.escape(slot)}", lambda _: f" {joined}", text)


def _without_slot(text: str, slot: str, kind: str, lang: Lang) -> str:
    """A text without a slot; a list without its end gets its last "and", a condition takes both of its commas along."""
    if kind == "condition":
        return re.sub(rf",?\s{{0,2}}{re.escape(slot)},?", "", text)
    clause = re.compile(rf",?\s{{0,2}}(?:damit|so that|und|and|,)?\s{{0,2}}{re.escape(slot)}", re.IGNORECASE)
    if kind != "list":
        return clause.sub("", text)
    last = re.compile(rf", ((?:[\w-]+ ){{0,2}}[\w-]+),?\s{{0,2}}{re.escape(slot)}")
    joined = "und" if lang == "de" else "and"
    return clause.sub("", last.sub(lambda found: f" {joined} {found[1]}", text))


def _with_benefit(text: str, clause: str, said: str | None, lang: Lang) -> str:
    """A text with another benefit, or with none."""
    at = text.find(clause)
    if at < 0:
        return text
    if said is None:
        return text[:at].rstrip(" ,") + text[at + len(clause) :]
    opening = "damit" if lang == "de" else "so that"
    own = said if said.casefold().startswith(opening) else f"{opening} {said}"
    return text[:at] + own + text[at + len(clause) :]
