"""A language model words a finished answer, where somebody asks for prose.

Its text goes out only where it says what the query says, with the figures and names of the answer, each beside its own. Otherwise
the text that the program wrote stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.agent.draft import Draft, DraftKind, RefusedDraft
from veracity.agent.loop import Agent, Limits, Model, Run, Tools, Watch
from veracity.agent.progress import Doing
from veracity.answer.render import FigureProvenance
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.folding import folded_text, is_unspaced, words_in
from veracity.language.function_words import function_words
from veracity.language.numbers import Figure, find_figures, locale_of
from veracity.language.sentences import sentence_ends
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.held import held_against
from veracity.semantic.reading.pieces import pieces_in, said_by
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.readings import unknown_words
from veracity.telemetry import Telemetry
from veracity.yaml_file import packaged

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

_REPAIRS = 1
_LONGEST = 1_200
_MOST_FIGURES = 8
"""An answer with more figures than these is a table; prose may tell some of them, and the table stays below it."""
_MARKUP = re.compile(r"https?://|www\.|[<>\[\]{}`|]|\b[\w-]+\.(?:com|org|net|io|ch|de|cn)\b", re.IGNORECASE)
_LETTER = r"[^\W\d\u2e80-\u9fff]"
"""A letter of a script that puts spaces between words."""
_UNSAID = frozenset(
    {"by", "field", "grain", "sorted", "sorting", "asked", "claim", "direction", "limit", "compute", "figure"}
)
"""Pieces of a query that prose says by its figures and names alone."""
_LANGUAGES = {"de": "German (Swiss spelling)", "en": "English", "zh": "Chinese"}
_RULES = """\
You word a finished answer. Write one to three plain sentences in {language}.
Use the figures and names of the answer exactly as they are written there, each figure beside its own name.
Say what was asked and what the answer is. Add nothing: no reason, no advice, no other figure, no formatting."""


@dataclass(frozen=True)
class FinishedAnswer:
    """An answer as the program words it, with what it rests on."""

    text: str
    figures: tuple[FigureProvenance, ...]
    query: SemanticQuery
    question: UnderstoodQuestion
    reader: QuestionReader


@dataclass(frozen=True)
class Prose:
    """A text that goes out instead of the program's."""

    text: str
    figures: tuple[FigureProvenance, ...]


@dataclass(frozen=True)
class ProseWriter:
    """Asks a model to word answers."""

    model: Model
    model_name: str
    tools: Tools
    limits: Limits
    telemetry: Telemetry

    async def word(self, answer: FinishedAnswer, run: Run, watches: Sequence[Watch] = ()) -> Prose | None:
        """The answer in a model's words, held against what it says; nothing where it says something else.

        Whatever is wrong with a wording, only a wording is asked for again.
        """
        from pydantic_ai.messages import ModelRequest, UserPromptPart
        from pydantic_ai.models import ModelRequestParameters

        parameters = ModelRequestParameters(allow_text_output=True)
        agent = Agent(self.model, self.tools, parameters, self.limits, self.telemetry, self.model_name)
        run.messages = _prompt(answer)
        run.tell(Doing.WORDING)
        for _ in range(1 + _REPAIRS):
            response = await agent.turn(run)
            if response is None:
                return None
            wording = ModelWording((response.text or "").strip(), answer)
            problem = next((found for check in CHECKS if (found := check(wording)) is not None), None)
            for watch in watches:
                watch.round_done(run)
            if problem is None:
                return wording.released
            run.refusals.append(problem)
            run.refused.append(RefusedDraft.of(Draft(DraftKind.ANSWER, wording.text), problem, response, run.rounds))
            run.messages.append(ModelRequest(parts=[UserPromptPart(f"{problem.hint} Write the sentences again.")]))
        return None


def _prompt(answer: FinishedAnswer) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    told = f"Question: {answer.question.full}\nAnswer:\n{answer.text}"
    rules = _RULES.format(language=_LANGUAGES[answer.question.lang])
    return [ModelRequest(parts=[UserPromptPart(told)], instructions=rules)]


# --- a wording, with the figures and names of the answer found in it


@dataclass(frozen=True)
class ToldFact:
    """A figure or name of the answer where it stands in a wording; one text may be of several rows."""

    start: int
    end: int
    facts: tuple[FigureProvenance, ...]


@dataclass(frozen=True)
class _Tag:
    """A figure or a name in a sentence, and what it is of."""

    start: int
    end: int
    of: frozenset[Any]


@dataclass(frozen=True)
class ModelWording:
    """What a model wrote, beside the answer that it words."""

    text: str
    answer: FinishedAnswer

    @property
    def is_table(self) -> bool:
        """Whether the answer has more figures than sentences can hold."""
        return len(self.answer.figures) > _MOST_FIGURES

    @cached_property
    def figures(self) -> list[Figure]:
        """The figures in it."""
        return find_figures(self.text, locale_of(self.answer.question.locale))

    @cached_property
    def told(self) -> tuple[ToldFact, ...]:
        """The figures and names of the answer that it tells."""
        found: list[ToldFact] = []
        by_text: dict[str, list[FigureProvenance]] = {}
        for fact in self.answer.figures:
            by_text.setdefault(fact.text, []).append(fact)
        for text in sorted(by_text, key=len, reverse=True):
            for start, end in self._places(text, _is_measured(by_text[text][0])):
                if all(end <= one.start or start >= one.end for one in found):
                    found.append(ToldFact(start, end, tuple(by_text[text])))
        return tuple(sorted(found, key=lambda one: one.start))

    def _places(self, text: str, measured: bool) -> Iterator[tuple[int, int]]:
        """Where a text of the answer stands; a figure of a change may have lost its sign."""
        loose = text.lstrip("+-−") if measured and text[:1] in "+-−" else text
        edge = (
            rf"(?<!{_LETTER})(?<![\d.,'’]){{}}(?!{_LETTER}|\d|[.,'’]\d)"
            if measured
            else rf"(?<!{_LETTER}){{}}(?!{_LETTER})"
        )
        spaced = re.escape(loose).replace(r"\ ", r"\s?")
        pattern = spaced if is_unspaced(loose) else edge.format(spaced)
        yield from (match.span() for match in re.finditer(pattern, self.text))

    @cached_property
    def masked(self) -> str:
        """The text without the figures and names of the answer."""
        text = self.text
        for one in reversed(self.told):
            if not any(_is_period(fact) for fact in one.facts):
                text = f"{text[: one.start]} {text[one.end :]}"
        return text

    @property
    def sentences(self) -> Iterator[tuple[int, int]]:
        """Where its sentences stand."""
        start = 0
        for end in (*sentence_ends(self.text), len(self.text)):
            if self.text[start:end].strip():
                yield start, end
            start = end

    def labels(self, start: int, end: int) -> Iterator[_Tag]:
        """Where the words stand that tell the figures of one row from each other."""
        known = {label for fact in self.answer.figures if (label := _label(self.answer.text, fact))}
        for label in known:
            last = label.split()[-1]
            stem = re.escape(last if any(ch.isdigit() for ch in last) else last[: max(4, len(last) - 2)])
            for match in re.finditer(stem, self.text[start:end], re.IGNORECASE):
                yield _Tag(start + match.start(), start + match.end(), frozenset({label}))

    def _fact_of(self, one: ToldFact) -> FigureProvenance:
        """The cell that is told there: of several with the same text that of the name beside it."""
        names = [name for name in self.told if name is not one and not _is_measured(name.facts[0])]
        nearest = sorted(names, key=lambda name: max(name.start - one.end, one.start - name.end))
        rows = [{_row(fact) for fact in name.facts} for name in nearest]
        beside = (fact for own in rows for fact in one.facts if _row(fact) in own)
        return next(beside, one.facts[0])

    @property
    def released(self) -> Prose:
        """What goes out: with a table, the table below."""
        own = [
            self._fact_of(one).model_copy(update={"span": (one.start, one.end), "text": self.text[one.start : one.end]})
            for one in self.told
        ]
        if not self.is_table:
            return Prose(self.text, tuple(own))
        shift = len(self.text) + 2
        moved = [
            fact.model_copy(update={"span": (fact.span[0] + shift, fact.span[1] + shift)})
            for fact in self.answer.figures
        ]
        return Prose(f"{self.text}\n\n{self.answer.text}", (*own, *moved))


WordingCheck = Callable[[ModelWording], QueryValidationError | None]
"""None lets a wording pass."""


def it_is_plain_text(wording: ModelWording) -> QueryValidationError | None:
    """Some sentences, without links, markup and lists of figures."""
    if not wording.text or len(wording.text) > _LONGEST:
        return _problem("answer", f"Write one to three sentences, at most {_LONGEST} characters.")
    marked = _MARKUP.search(wording.text)
    return _problem(marked.group(), "Write plain text, without links, markup or addresses.") if marked else None


def figures_are_of_the_answer(wording: ModelWording) -> QueryValidationError | None:
    """Every figure is one of the answer, or stands in the question or in what was understood."""
    inside = [(one.start, one.end) for one in wording.told]
    known = _figure_values(wording.answer.question.full, wording) | _figure_values(wording.answer.text, wording)
    for figure in wording.figures:
        if any(start <= figure.start and figure.end <= end for start, end in inside):
            continue
        if not _is_known(figure, known):
            return _problem(figure.text, f"{clip(figure.text, 40)} is no figure of the answer.")
    return None


def nothing_is_left_out(wording: ModelWording) -> QueryValidationError | None:
    """A short answer is told whole."""
    said = {fact.text for one in wording.told for fact in one.facts}
    missing = [fact.text for fact in wording.answer.figures if fact.text not in said]
    if wording.is_table or not missing:
        return None
    return _problem(missing[0], f"The wording leaves out {clip(missing[0], 40)}.")


def figures_stand_beside_their_names(wording: ModelWording) -> QueryValidationError | None:
    """A figure of one row is not told of another one, nor one of 2023 of 2024."""
    for start, end in wording.sentences:
        told = [one for one in wording.told if start <= one.start < end]
        figures = [one for one in told if _is_measured(one.facts[0])]
        for kind in _kinds_of_names(wording.answer.figures):
            of_kind = [one for one in told if not _is_measured(one.facts[0]) and _column(one.facts[0]) == kind]
            names = [_Tag(one.start, one.end, frozenset(map(_row, one.facts))) for one in of_kind]
            tags = [_Tag(one.start, one.end, frozenset(map(_row, one.facts))) for one in figures]
            if not _go_together(tags, names):
                return _problem(kind, "Each figure must stand beside the name that it belongs to.")
        labelled = [
            _Tag(one.start, one.end, frozenset(filter(None, (_label(wording.answer.text, fact) for fact in one.facts))))
            for one in figures
        ]
        if not _go_together(
            [tag for tag in labelled if tag.of], sorted(wording.labels(start, end), key=lambda tag: tag.start)
        ):
            return _problem("answer", "Each figure must stand beside the time or the word that it has in the answer.")
    return None


def it_says_what_was_asked(wording: ModelWording) -> QueryValidationError | None:
    """The words say the query: what was counted or summed, of which rows and when; and they say nothing else."""
    answer = wording.answer
    allowed = _allowed_words(wording)
    text = " ".join(part for part in re.split(r"[:;]", wording.masked))
    tagged = answer.reader.words.tag(text, today=answer.question.today, locale=answer.question.locale)
    unknown = unknown_words(tagged)
    strange = [word for word in (unknown[1] if unknown else ()) if not _is_allowed(word, allowed)]
    if strange:
        return _problem(strange[0], f"“{clip(strange[0], 40)}” is said neither by the question nor by the answer.")
    model = answer.reader.words.model
    held = held_against(answer.query, tagged, answer.reader)
    said = set(words_in(folded_text(f"{answer.question.full} {answer.text}")))
    unmet = [word for word in held.unmet if not set(words_in(folded_text(word))) <= (said | allowed)]
    if unmet:
        return _problem(unmet[0], f"The answer does not say “{clip(unmet[0], 40)}”.")
    homes = {model.measures[one.measure][0] for one in answer.query.show if one.measure in model.measures}
    grouped = homes | {
        (one.entity or one.field or "").partition(".")[0] for one in (*answer.query.by, *answer.query.per)
    }
    there = pieces_in(answer.query, model)
    words = {piece for sense in tagged.mentions for way in said_by(sense.phrase, there) for piece in way}
    missing = (piece for piece in held.unsaid if piece.kind not in _UNSAID and piece.name not in grouped)
    unsaid = [piece for piece in missing if piece not in words]
    if unsaid:
        return _problem(
            "answer", f"The wording does not say all that was asked: {clip(unsaid[0].name or unsaid[0].kind, 40)}."
        )
    return None


def the_highest_comes_first(wording: ModelWording) -> QueryValidationError | None:
    """Highest, lowest and the like are said of the first row of the answer alone."""
    answer, rows = wording.answer, [_row(fact) for fact in wording.answer.figures]
    for start, end in wording.sentences if len(set(rows)) > 1 else ():
        text = wording.text[start:end]
        tagged = answer.reader.words.tag(text, today=answer.question.today, locale=answer.question.locale)
        names = [one for one in wording.told if start <= one.start < end and not _is_measured(one.facts[0])]
        superlative = any(isinstance(sense.phrase, Superlative) for sense in tagged.mentions)
        if superlative and (not answer.query.order or not names or _row(names[0].facts[0]) != rows[0]):
            return _problem(text.strip(), "Say highest or lowest only of the first row of the answer.")
    return None


CHECKS: tuple[WordingCheck, ...] = (
    it_is_plain_text,
    figures_are_of_the_answer,
    nothing_is_left_out,
    figures_stand_beside_their_names,
    it_says_what_was_asked,
    the_highest_comes_first,
)


# --- what the checks need


def _problem(field: str, hint: str) -> QueryValidationError:
    return QueryValidationError(code=ValidationErrorCode.QUESTION_NOT_COVERED, field=clip(field, 80), hint=hint)


def _row(fact: FigureProvenance) -> frozenset[tuple[str, str]]:
    return frozenset((key, str(value)) for arg in fact.args[:1] for key, value in arg.row_key.items())


def _column(fact: FigureProvenance) -> str:
    return fact.args[0].column if fact.args else ""


def _is_measured(fact: FigureProvenance) -> bool:
    """Whether it is a number that was computed, not a name, a date or a number that a row is called by."""
    named = bool(fact.args) and fact.args[0].column in fact.args[0].row_key
    return not named and fact.value is not None and re.fullmatch(r"-?\d+(\.\d+)?", fact.value) is not None


def _is_period(fact: FigureProvenance) -> bool:
    return fact.value is not None and re.fullmatch(r"\d{4}-\d\d-\d\d", fact.value) is not None


def _kinds_of_names(facts: Sequence[FigureProvenance]) -> list[str]:
    """The columns whose names tell rows apart."""
    names: dict[str, set[str]] = {}
    for fact in facts:
        if fact.args and not _is_measured(fact):
            names.setdefault(_column(fact), set()).add(fact.text)
    return [column for column, texts in names.items() if len(texts) > 1]


def _label(text: str, fact: FigureProvenance) -> str:
    """The word that tells a figure from the others of its row: the time behind it, or what it is called before it."""
    start, end = fact.span
    behind = re.match(r"[^\d(;,\n]{0,12}\(([^()]+)\)", text[end:])
    if behind:
        return behind.group(1).strip().casefold()
    before = re.search(r"(?:[:;]\s)([^:;\n]+?)\s$", text[:start])
    label = before.group(1).strip().casefold() if before and _is_measured(fact) else ""
    return "" if any(ch.isdigit() for ch in label) else label


def _go_together(figures: Sequence[_Tag], names: Sequence[_Tag]) -> bool:
    """Whether each figure of a sentence stands beside its own name.

    As many names as figures are paired one by one, or in the order in which they are listed; where there are fewer names, each goes
    on until the next. Names that open the sentence and have no figure are left alone.
    """
    if not figures:
        return True
    if len({name.of for name in names}) == 1:
        return all(figure.of & names[0].of for figure in figures)
    called = list(names)
    while len(called) > len(figures) and called[0].start < figures[0].start:
        called = called[1:]
    row = sorted([*called, *figures], key=lambda tag: tag.start)
    if len(called) == len(figures):
        listed = called[-1].start < figures[0].start
        pairs = list(zip(called, figures, strict=True)) if listed else list(zip(row[::2], row[1::2], strict=True))
        return all((one in called) != (other in called) and bool(one.of & other.of) for one, other in pairs)
    if len(called) > len(figures) or row[-1] in called:
        return False
    before = ([name for name in called if name.start < figure.start][-1:] for figure in figures)
    return all(bool(name) and bool(name[0].of & figure.of) for name, figure in zip(before, figures, strict=True))


def _figure_values(text: str, wording: ModelWording) -> set[Decimal]:
    figures = find_figures(text, locale_of(wording.answer.question.locale))
    return {value for figure in figures for value in figure.readings}


def _is_known(figure: Figure, known: set[Decimal]) -> bool:
    return any(value in known for value in figure.readings) or (bool(figure.dates) and not figure.readings)


@cache
def _words(lang: str) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    """Words that prose may always use, and groups of words that say the same."""
    table = packaged(Path(__file__).with_name("prose.yaml"))[lang]
    same = tuple(frozenset(map(folded_text, line.split())) for line in table["same"])
    return frozenset(map(folded_text, table["plain"].split())), same


def _allowed_words(wording: ModelWording) -> frozenset[str]:
    """What prose may say: the words of question and answer, those that say the same, and those that say nothing."""
    plain, same = _words(wording.answer.question.lang)
    said = frozenset(words_in(folded_text(f"{wording.answer.question.full} {wording.answer.text}")))
    small = function_words(wording.answer.question.lang, kinds=("articles", "auxiliaries"))
    return plain | small | said | frozenset().union(*(group for group in same if group & said))


def _is_allowed(word: str, allowed: frozenset[str]) -> bool:
    folded = folded_text(word)
    return folded in allowed or (is_unspaced(folded) and all(any(sign in one for one in allowed) for sign in folded))
