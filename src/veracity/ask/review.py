"""From a draft to a proven answer, or to the reason why it goes back to the model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from veracity.agent.draft import Draft, DraftKind
from veracity.agent.loop import Run
from veracity.answer.coverage import ReceiptLine, Used, cover, first_missing, uses_of
from veracity.answer.expression import quoted
from veracity.answer.figure_free import unproven_figure
from veracity.answer.fitting import Claim, first_misfit, masked
from veracity.answer.render import NO_VALUE, Rendered, render
from veracity.answer.results import Result
from veracity.answer.syntax import Cells, Function, walk
from veracity.answer.values import MAX_ARGS
from veracity.ask.understood import Asked
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.grounding.binding.bind import bind_text
from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Finding, Severity, TraceStep, Verdict
from veracity.grounding.guard import judge
from veracity.grounding.placeholders import placeholders_absent
from veracity.offline.patterns import Filled
from veracity.offline.second_opinion import Opinion, SecondOpinion
from veracity.ontology.descriptor import ToolCall
from veracity.query.catalog import Catalog
from veracity.question import read

_MOST_FIGURES = 6
_EXPRESSIONS = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_RESULT_ID = re.compile(r"\br[1-9][0-9]?\b")


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer that stood every check."""

    rendered: Rendered
    receipt: tuple[ReceiptLine, ...]


@dataclass(slots=True)
class Reviewer:
    """Reviews drafts of one question: render -> cover -> fit -> second opinion -> guard. Keeps what it made of the last one."""

    asked: Asked
    catalog: Catalog
    nearest: Callable[[Asked], list[Filled]]
    """The patterns that fit a question."""
    answers: str = "bound"
    constants: Mapping[str, Decimal] = field(default_factory=dict)
    second_opinion: SecondOpinion | None = None
    speak: Callable[[ToolCall], ToolCall] = lambda call: call
    """A structured call in the words of the tools."""
    guard: GuardConfig = field(default_factory=GuardConfig)
    source: tuple[str, str] = ("", "table")
    """The source's name and kind, as the guard's trace has them."""
    unknown: tuple[str, ...] = ()
    """Things in the question that nothing in the data is called."""
    verdict: Verdict | None = None
    """What the guard said of the last draft, where it came so far."""
    stopped: list[Verdict] = field(default_factory=list)
    """What was made up in drafts that went back."""
    rendered: Rendered | None = None
    receipt: tuple[ReceiptLine, ...] = ()
    accepted: Accepted | None = None
    """An answer that may go out as it is, though a fuller one was asked for."""
    _offered: str | None = None
    """The whole text that was suggested for the last draft."""
    _opinion: Opinion | None = None
    _asked_for_opinion: bool = False

    @property
    def output(self) -> str | None:
        """The text that goes out, where there is one."""
        released = self.rendered or (self.accepted.rendered if self.accepted else None)
        return released.text if released else None

    async def __call__(self, draft: Draft, run: Run) -> QueryValidationError | None:
        """None releases the draft."""
        self.rendered, self.receipt, self.verdict = None, (), None
        problem = await self._review(draft, run)
        if self.verdict is not None and self.verdict.verdict == "block":
            self.stopped.append(self.verdict)
        return problem

    async def _review(self, draft: Draft, run: Run) -> QueryValidationError | None:
        if draft.kind is DraftKind.CLARIFY and _bare(draft.text) in (
            _bare(self.asked.question),
            _bare(self.asked.full),
        ):
            hint = "That is the question itself: ask for what it leaves open, or answer it."
            return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field="question", hint=hint)
        if draft.kind is DraftKind.ABSTAIN and _RESULT_ID.search(draft.text):
            hint = "The person does not know your results: say what the data lacks, or call answer."
            return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field="reason", hint=hint)
        if draft.kind is not DraftKind.ANSWER:
            texts = (draft.text, *draft.options)
            problem = unproven_figure(texts, self.asked.echo, self.asked.stored, self.asked.locale)
            return problem or self._made_up("\n".join(texts), run)
        if not run.results:
            # Expressions over results that are not there are no made-up data; they just have nothing to stand on.
            if bare := _EXPRESSIONS.sub("", draft.text).strip():
                self.verdict = judge(self._case(bare, run))
            return self._nothing_called()
        rendered = self._render(draft.text, run.results)
        if isinstance(rendered, QueryValidationError):
            self.stopped.append(_unproven(rendered, draft.text))
            problem = self._with_whole_text(rendered, draft.text, run.results)
            if problem.suggestion and problem.suggestion == self._offered:
                # It types what it was told to compute, word for word: the text with the expressions is judged instead.
                return await self._review(replace(draft, text=problem.suggestion), run)
            self._offered = problem.suggestion if problem.suggestion != rendered.suggestion else None
            return problem
        if not rendered.results:
            hint = "An answer rests on results: call a tool, then cite its rows in expressions."
            return QueryValidationError(code=ValidationErrorCode.QUESTION_NOT_COVERED, field="answer", hint=hint)
        self.rendered = rendered
        used = _used(rendered, run.results)
        catalog, stored = self.catalog, self.asked.stored
        self.receipt = cover(self.asked.reading, used, catalog, stored)
        said = read(masked(rendered), self.asked.words, today=self.asked.today, lang=self.asked.lang)
        claim = Claim(
            self.asked.reading, self.asked.cues, rendered, run.results, catalog, stored, said, unknown=self.unknown
        )
        problem = first_missing(self.receipt) or first_misfit(claim) or await self._disputed(rendered)
        return problem or self._guarded(rendered, run) or self._incomplete(draft.text, rendered, run.results)

    def _incomplete(self, text: str, rendered: Rendered, results: Mapping[str, Result]) -> QueryValidationError | None:
        """Rows that are left out are asked for once; without them the answer is right, too, and so it is kept."""
        if self.accepted is not None or self._opinion is None:
            return None
        problem, whole = self._opinion.lacks_rows(rendered), _with_rows(text, rendered, results)
        if problem is None or whole is None:
            return None
        self.accepted = Accepted(rendered, self.receipt)
        return problem.model_copy(update={"suggestion": whole})

    def _guarded(self, rendered: Rendered, run: Run) -> QueryValidationError | None:
        """What the guard stops: the figures are the runtime's own; names, lists and counts are left to it."""
        self.verdict = judge(self._case(rendered.text, run, rendered))
        blocking = (finding for finding in self.verdict.findings if finding.severity is Severity.BLOCK)
        return next(map(_told, blocking), None)

    def _made_up(self, text: str, run: Run) -> QueryValidationError | None:
        """A question back or a refusal names no made-up things either."""
        found = next(iter(placeholders_absent(self._case(text, run))), None)
        return _told(found) if found else None

    def _named(self, run: Run) -> Iterator[str]:
        """What the question names, as it is stored: `Arlberg` is Arlberg Seilbahnen GmbH."""
        meanings = (meaning for mention in self.asked.reading.mentions for meaning in mention.meanings)
        yield from (meaning.value for meaning in meanings if meaning.value is not None)
        conditions = (c for result in run.results.values() for call in result.calls for c in call.filters)
        values = {item for c in conditions for item in (c.value if isinstance(c.value, list | tuple) else [c.value])}
        # What a model filters by counts only if it is stored.
        texts = {value for value in values if isinstance(value, str)}
        yield from (value for value in texts if any(value in known for known in self.asked.stored.values()))

    def _case(self, text: str, run: Run, rendered: Rendered | None = None) -> CheckedAnswer:
        asked, (source, kind) = self.asked, self.source
        return CheckedAnswer(
            question="\n".join([asked.full, *self._named(run), *NO_VALUE.values()]),
            text=text,
            lang=asked.lang,
            locale=asked.locale,
            results=run.results,
            trace=tuple(
                TraceStep(
                    tool=log.tool,
                    source_id=source,
                    source_kind=kind,
                    status="ok" if log.success else "error",
                    result=log.result_id,
                )
                for log in run.calls
            ),
            config=self.guard,
            echo=asked.echo,
            proven=rendered.figures if rendered else (),
            used=rendered.results if rendered else None,
        )

    def _with_whole_text(
        self, problem: QueryValidationError, text: str, results: Mapping[str, Result]
    ) -> QueryValidationError:
        """Where typed figures can be expressions, the whole text with them: small models copy, they do not edit."""
        found: Rendered | QueryValidationError = problem
        for _figure in range(_MOST_FIGURES):
            if isinstance(found, Rendered):
                return problem.model_copy(update={"suggestion": text})
            if not (found.suggestion or "").startswith("{{") or found.field is None or found.field not in text:
                break
            text = text.replace(found.field, found.suggestion or "", 1)
            found = self._render(text, results)
        return problem

    def _nothing_called(self) -> QueryValidationError:
        fitting = self.nearest(self.asked)
        first = self.speak(fitting[0].calls[0]) if fitting else None
        return QueryValidationError(
            code=ValidationErrorCode.QUESTION_NOT_COVERED,
            field="answer",
            suggestion=f"{first.tool} {json.dumps(first.args, ensure_ascii=False)}" if first else None,
            hint=f"There is no result yet: call {_FIRST[self.source[1]]} now, answer later.",
        )

    async def _disputed(self, rendered: Rendered) -> QueryValidationError | None:
        """What a second opinion has against the figures; it is asked for once per question."""
        if self.second_opinion is None:
            return None
        if not self._asked_for_opinion:
            asked, self._asked_for_opinion = self.asked, True
            self._opinion = await self.second_opinion.on(
                asked.reading, asked.words, asked.stored, today=asked.today, locale=asked.locale, echo=asked.echo
            )
        return self._opinion.disputes(rendered) if self._opinion else None

    def _render(self, text: str, results: Mapping[str, Result]) -> Rendered | QueryValidationError:
        locale, echo, constants = self.asked.locale, self.asked.echo, self.constants
        if self.answers == "text":
            return bind_text(text, results, locale=locale, echo=echo, constants=constants)
        return render(text, results, locale=locale, echo=echo, constants=constants)


def _unproven(problem: QueryValidationError, text: str) -> Verdict:
    """A draft that could not be computed, in the guard's words."""
    said = problem.field or ""
    at = text.find(said) if said else -1
    span = (at, at + len(said)) if at >= 0 else None
    rule = "unbound_figure" if any(ch.isdigit() for ch in said) else "expression"
    found = Finding(rule=rule, span=span, text=said, message=problem.hint, suggestion=problem.suggestion)
    return Verdict(verdict="block", findings=(found,))


_FIRST = {"table": "queryTable or aggregateTable", "sql": "execute_sql_safe", "file": "inspect_file"}
_CODES = {"required_tools": ValidationErrorCode.QUESTION_NOT_COVERED}


def _told(finding: Finding) -> QueryValidationError:
    """A finding of the guard as the model is told of it."""
    return QueryValidationError(
        code=_CODES.get(finding.rule, ValidationErrorCode.VALUE_NOT_FOUND),
        field=finding.text or "answer",
        suggestion=finding.suggestion,
        hint=finding.message,
    )


def _with_rows(text: str, rendered: Rendered, results: Mapping[str, Result]) -> str | None:
    """The answer with the rows that its first total adds up."""
    parts = (part for node in rendered.expressions for part in walk(node))
    sums = (part.args[0] for part in parts if isinstance(part, Function) and part.name == "sum")
    for cells in (cells for cells in sums if isinstance(cells, Cells) and cells.column):
        name, result = cells.selection.result, results[cells.selection.result]
        told_apart = [key for key in result.key if key in result.columns and key not in result.pinned]
        columns = ", ".join(f"{name}.{quoted(column)}" for column in (*told_apart, cells.column or ""))
        return f"{text.rstrip()}\n{{{{ rows({columns}) }}}}"
    return None


def _bare(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def _used(rendered: Rendered, results: Mapping[str, Result]) -> list[Used]:
    """The calls behind an answer's figures, with the rows each figure was taken from."""
    used: list[Used] = []
    for name in sorted(rendered.results):
        result = results[name]
        figures = [[arg for arg in figure.args if arg.result == name] for figure in rendered.figures]
        counted = any(arg.column == "*" for args in figures for arg in args)
        cited = max((len(args) for args in figures), default=0)
        keys = tuple(arg.row_key for args in figures for arg in args if arg.column != "*")
        every = counted or cited >= min(len(result.data.rows), MAX_ARGS) or not keys
        used += uses_of(name, result, None if every else keys, cited, counted=counted)
    return used
