"""What a language model is asked about one requirement: to word it anew, and to read what the rules found a second time.

A draft is checked against the requirement by `grounded.py` wherever it is shown. What a second reading adds quotes the
requirement, or it is left out, and lowers the score; a figure that the model makes up is never shown, and nothing raises a score.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veracity.agent.draft import Draft, malformed
from veracity.agent.loop import Agent, Limits, Model, Review, Run, Stop
from veracity.contracts import QueryValidationError, clip
from veracity.llm.provider import tool_definitions
from veracity.requirements.contracts import Judged, Lang, RequirementFinding, RuleSettings
from veracity.requirements.evaluate import DEFAULT_SETTINGS, judge_text, lowered_by
from veracity.requirements.grounded import LONGEST, SLOT, doubts
from veracity.requirements.rules.rule import OF_A_MODEL
from veracity.requirements.skeleton import Wording
from veracity.skills.text_agent import NoTools
from veracity.telemetry import Telemetry
from veracity.yaml_file import packaged

_PROMPTS = Path(__file__).with_name("prompts.yaml")
_LANGUAGE: dict[Lang, str] = {"de": "German", "en": "English"}


def prompts(name: str) -> Any:
    """What a model is told for a task, and the form of its answer."""
    return packaged(_PROMPTS)[name]


async def _model_answer(
    model: Model, task: str, material: str, review: Review, *, limits: Limits | None, **gaps: str
) -> dict[str, Any] | None:
    """The fields of a model's answer; None where it sent nothing that can be used."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters

    told = prompts(task)
    run = Run([ModelRequest([UserPromptPart(material)], instructions=told["instructions"].format(**gaps))])
    form = ModelRequestParameters(
        function_tools=tool_definitions([told["answer"]], strict=True), allow_text_output=False
    )
    limits = limits or Limits(rounds=3, repairs=1)
    await Agent(model, NoTools(), form, limits, Telemetry.off(), structured=True).run(run, review)
    draft = run.draft if run.stop is Stop.DONE else None
    return dict(draft.fields) if draft is not None and draft.fields is not None else None


def _as_json(known: Mapping[str, Any]) -> str:
    """Material for a model as JSON, which keeps it apart from the instructions; what is empty is left out."""
    return json.dumps({name: value for name, value in known.items() if value}, ensure_ascii=False)


def parts_of(value: Any) -> tuple[str, ...]:
    """The texts that a model wrote as a list, or in one line separated by |."""
    parts = value.split("|") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    return tuple(part.strip() for part in parts if isinstance(part, str) and part.strip())


# --- a new wording

_MOST_CRITERIA = 6


@dataclass(frozen=True, slots=True)
class RewriteTask:
    """What a model is asked to rewrite."""

    judged: Judged
    lang: Lang
    skeleton: Wording
    answers: Mapping[str, str]
    glossary: tuple[str, ...]

    async def wording(self, model: Model, limits: Limits | None) -> Wording | None:
        """A model's wording; None where it sent none that can be used."""
        form = prompts("rewrite")["forms"][self.lang]
        fields = await _model_answer(model, "rewrite", self._material(), self._review, limits=limits, **form)
        if fields is None:
            return None
        return Wording(_visible_line(fields["corrected_text"]), _criteria(fields.get("acceptance_criteria")))

    def _material(self) -> str:
        """All that it may draw on."""
        return _as_json(
            {
                "requirement": self.judged.requirement.text,
                "problems": [clip(one.message, 200) for one in self.judged.findings if one.severity != "info"][:8],
                "slots": list(dict.fromkeys(SLOT.findall(self.skeleton.text)))[:8],
                "glossary": list(self.glossary[:50]),
                "answers": [{"question": asked, "answer": said} for asked, said in self.answers.items()][:20],
            }
        )

    async def _review(self, draft: Draft, run: Run) -> QueryValidationError | None:
        """A draft has a text, in the language of the requirement."""
        _ = run
        said = (draft.fields or {}).get("corrected_text")
        if not isinstance(said, str) or not said.strip():
            return malformed("corrected_text", "Write the rewritten requirement into corrected_text.")
        if len(said) > LONGEST:
            return malformed("corrected_text", "Write one sentence.")
        spoken = judge_text(SLOT.sub(" ", said), DEFAULT_SETTINGS, None)[1]
        if spoken != self.lang and len(said.split()) >= 4:
            return malformed("corrected_text", f"Write it in {_LANGUAGE[self.lang]}.")
        return None


def _visible_line(text: str) -> str:
    """A text on one line, without characters that nobody sees: they could keep a word from being known again."""
    return " ".join("".join(ch for ch in text if unicodedata.category(ch) != "Cf").split())


def _criteria(value: object) -> tuple[str, ...]:
    """The criteria that a model wrote."""
    texts = (clip(_visible_line(part), 600) for part in parts_of(value))
    return tuple(text for text in texts if text)[:_MOST_CRITERIA]


# --- a second reading

_MOST_ASKED = 12
"""Findings of the rules that a model is asked about; more would be more than a small one can keep apart."""
_MOST_ADDED = 3
_LONGEST_QUOTE, _LONGEST_MESSAGE = 120, 200
_NUMBER = re.compile(r"[0-9]{1,2}")
_QUOTES = "\"'„“”‚‘’«» "
_WITHOUT_FIGURE: dict[Lang, str] = {
    "de": "Unklar; der Grund des Modells nennt einen Wert, den die Anforderung nicht nennt, und wird nicht gezeigt",
    "en": "Unclear; the model's reason states a value that the requirement does not state, and is not shown",
}


async def second_reading(
    judged: Judged, model: Model, *, settings: RuleSettings, limits: Limits | None = None
) -> Judged:
    """The findings with what a model says to them; as they were, and marked so, where it says nothing that can be read.

    Raises `ModelError` when the model cannot be reached.
    """
    text = judged.requirement.text
    if not text.strip():
        return judged
    if len(text) > LONGEST:
        return judged.model_copy(update={"model": "not_read"})
    reading = _SecondReading(judged, settings.lang or judged.requirement.lang or "en", settings.glossary)
    language = _LANGUAGE[reading.lang]
    fields = await _model_answer(
        model, "second_reading", reading.material(), _review_reading, limits=limits, language=language
    )
    if fields is None:
        return judged.model_copy(update={"model": "unreadable"})
    findings = reading.merged(fields)
    added = [one for one in findings if one.source == "model"]
    evaluation = lowered_by(judged.evaluation, added, settings.fail_under)
    return judged.model_copy(update={"findings": findings, "evaluation": evaluation, "model": "read"})


async def _review_reading(draft: Draft, run: Run) -> QueryValidationError | None:
    """A reading has at least one of the three fields, each a text or a list."""
    _ = run
    known = [name for name in ("confirmed", "disputed", "added") if name in (draft.fields or {})]
    if not known:
        return malformed("answer", "Call answer with confirmed, disputed and added.")
    wrong = [name for name in known if not isinstance((draft.fields or {})[name], str | list | int)]
    return malformed(wrong[0], f"{wrong[0]} is one text, separated by |.") if wrong else None


@dataclass(frozen=True, slots=True)
class _SecondReading:
    """What a model is asked to judge, and what becomes of what it says."""

    judged: Judged
    lang: Lang
    glossary: tuple[str, ...]

    @property
    def asked(self) -> tuple[RequirementFinding, ...]:
        """The findings that the model sees, in their order; the first is number 1."""
        return self.judged.findings[:_MOST_ASKED]

    def material(self) -> str:
        """The requirement and its findings."""
        found = [
            {"number": number, "words": clip(one.text, _LONGEST_QUOTE), "problem": clip(one.message, _LONGEST_MESSAGE)}
            for number, one in enumerate(self.asked, 1)
        ]
        text, glossary = self.judged.requirement.text, list(self.glossary[:50])
        return _as_json({"requirement": text, "findings": found, "glossary": glossary})

    def merged(self, fields: dict[str, Any]) -> tuple[RequirementFinding, ...]:
        """The findings of the rules with the model's mark on them, and its own; all in the order of the text."""
        confirmed, disputed = _finding_numbers(fields.get("confirmed")), _finding_numbers(fields.get("disputed"))
        marked = [
            one.model_copy(
                update={"confirmed": number in confirmed - disputed, "disputed": number in disputed - confirmed}
            )
            for number, one in enumerate(self.judged.findings, 1)
        ]
        # What repeats a finding of the rules adds nothing.
        known = {one.span for one in marked if not one.disputed}
        added = {one.span: one for one in self._added(fields.get("added")) if one.span not in known}
        return tuple(sorted((*marked, *added.values()), key=lambda finding: finding.span))

    def _added(self, value: Any) -> Iterator[RequirementFinding]:
        for words, problem in list(_words_with_problems(value))[:_MOST_ADDED]:
            span = _place_of_words(words, self.judged.requirement.text)
            if span is not None and problem:
                yield RequirementFinding(
                    rule=OF_A_MODEL,
                    severity="info",
                    span=span,
                    text=self.judged.requirement.text[slice(*span)],
                    message=self._reason(problem),
                    source="model",
                )

    def _reason(self, problem: str) -> str:
        """The model's reason, unless it states a figure that nobody else does."""
        found = doubts(self.judged.requirement.text, problem, lang=self.lang, glossary=self.glossary)
        made_up = any(one.kind in ("figure", "rate") for one in found)
        return _WITHOUT_FIGURE[self.lang] if made_up else clip(problem, _LONGEST_MESSAGE)


def _finding_numbers(value: Any) -> set[int]:
    """The numbers of findings, in one line or as a list."""
    return {int(number) for number in _NUMBER.findall(str(value))} if isinstance(value, str | int | list) else set()


def _words_with_problems(value: Any) -> Iterator[tuple[str, str]]:
    """Words and what is wrong with them: from one line, from a list of such lines, or from a list of objects."""
    for entry in value.split("|") if isinstance(value, str) else value if isinstance(value, list) else ():
        if isinstance(entry, str):
            words, _, problem = entry.partition("=>")
        elif isinstance(entry, dict):
            words, problem = str(entry.get("words", "")), str(entry.get("problem", ""))
        else:
            continue
        yield words.strip(_QUOTES), " ".join(problem.split())


def _place_of_words(words: str, text: str) -> tuple[int, int] | None:
    """Where the words stand in the text, whole and in this order; None where they do not."""
    parts = words[:_LONGEST_QUOTE].split()
    if not parts or len(words) > _LONGEST_QUOTE:
        return None
    pattern = r"\s+".join(re.escape(part) for part in parts)
    found = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
    return found.span() if found else None
