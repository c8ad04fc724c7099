"""Gold questions: what is asked, and what a right run and a right answer look like."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, field_validator, model_validator

from veracity.answer.answer import Outcome
from veracity.documents import Document, read_document
from veracity.errors import UsageError
from veracity.query.model import NULL_OPERATORS, OPERATORS
from veracity.wire import Wire

_FILTER = re.compile(
    r"\s*(?P<field>[^\s=!<>]+)\s*(?P<op><=|>=|!=|=|<|>|(?:LIKE|IN|BETWEEN|IS_NULL|IS_NOT_NULL)\b)\s*(?P<value>.*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
_MOST_CASES = 10_000


class Difficulty(StrEnum):
    """How hard a question is; decides how long a benchmark waits for it."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class RequiredFilter(Wire):
    """A condition that the call behind a right answer has: `periodYear=2025`, `accountNumber LIKE 102%`."""

    field: str
    op: str
    value: str = ""

    @classmethod
    def read(cls, text: Any) -> Any:
        """From the one-line form of a question file."""
        if not isinstance(text, str):
            return text
        match = _FILTER.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a filter; write field=value, field LIKE 102% or field IS_NULL")
        op, value = match["op"].upper(), match["value"]
        if (op in NULL_OPERATORS) == bool(value):
            raise ValueError(f"{text!r} {'has a value too many' if value else 'lacks its value'}")
        return {"field": match["field"], "op": op, "value": value}

    @field_validator("op")
    @classmethod
    def _known(cls, op: str) -> str:
        if op not in OPERATORS:
            raise ValueError(f"{op!r} is not an operator; they are {' '.join(OPERATORS)}")
        return op

    def __str__(self) -> str:
        return " ".join(part for part in (self.field, self.op, self.value) if part)


class ToolPattern(Wire):
    """The call that a right run makes."""

    tool: str
    table_name: str | None = None
    required_filters: tuple[Annotated[RequiredFilter, BeforeValidator(RequiredFilter.read)], ...] = ()


class ExpectedFigure(Wire):
    """A figure of the right answer, with its unit where it has one."""

    value: Decimal
    unit: str | None = None

    @classmethod
    def read(cls, written: Any) -> Any:
        """A bare number is a figure without a unit. Floats come from YAML as they were typed."""
        if isinstance(written, bool) or not isinstance(written, int | float | str | Decimal):
            return written
        return {"value": str(written)}

    @field_validator("value")
    @classmethod
    def _finite(cls, value: Decimal) -> Decimal:
        if not value.is_finite():
            raise ValueError("a figure is a finite number")
        return value


Figure = Annotated[ExpectedFigure, BeforeValidator(ExpectedFigure.read)]
Value = str | bool | int | Decimal | None


def _row(written: Any) -> Any:
    """A row as its values: names of columns do not count."""
    values = list(written.values()) if isinstance(written, dict) else written
    if not isinstance(values, list | tuple):
        return (values,)
    return tuple(Decimal(str(value)) if isinstance(value, float) else value for value in values)


class Case(Wire):
    """One question of a gold set. Every expectation that is given has to be met."""

    id: str = Field(min_length=1, max_length=80)
    question: str = Field(min_length=1, max_length=2_000)
    intent: str | None = None
    lang: str | None = None
    """de, en or zh; without it, the language of the question."""
    difficulty: Difficulty | None = None
    timeout: float | None = Field(default=None, gt=0, le=86_400)
    """Seconds; instead of the time that its difficulty gives it."""
    expected_outcome: Outcome = Outcome.ANSWERED
    expected_tool_pattern: ToolPattern | None = None
    forbidden_tools: tuple[str, ...] = ()
    expected_answer_contains: tuple[str, ...] = ()
    expected_answer_numeric: dict[str, Figure] = {}
    """Figures by what they are, such as `1020.closingBalance`; compared by value and unit."""
    expected_rows: tuple[Annotated[tuple[Value, ...], BeforeValidator(_row)], ...] | None = None
    """Rows that the results behind the answer hold; by value, in any order, under any column name."""
    gold_sql: str | None = None
    """SQL whose rows are the expected rows; run on the source once, read-only."""

    @field_validator("expected_outcome")
    @classmethod
    def _wanted(cls, outcome: Outcome) -> Outcome:
        if outcome is Outcome.BLOCKED:
            raise ValueError("expectedOutcome is answered, clarify or abstained; nobody wants to be blocked")
        return outcome

    @model_validator(mode="after")
    def _can_fail(self) -> Case:
        """An answer that is expected to say nothing in particular could never be wrong."""
        says = (self.expected_answer_numeric, self.expected_answer_contains, self.expected_rows, self.gold_sql)
        if self.expected_outcome is Outcome.ANSWERED and not any(says):
            raise ValueError(
                "it says nothing of the right answer; give expectedAnswerNumeric, expectedAnswerContains, expectedRows or gold_sql"
            )
        if self.expected_outcome is not Outcome.ANSWERED and any(says):
            raise ValueError(f"a question that should end {self.expected_outcome} has no right figures; leave them out")
        return self


_CASES: TypeAdapter[tuple[Case, ...]] = TypeAdapter(tuple[Case, ...])


def load_cases(path: str | Path) -> tuple[Case, ...]:
    """The questions of a YAML or JSON file; raises `UsageError` with file, line and reason."""
    document = read_document(path, UsageError, "a question file")
    data = document.data
    if not isinstance(data, list) or not data:
        raise UsageError(f"{path} is not a question file: it needs a list of questions, each with id and question.")
    if len(data) > _MOST_CASES:
        raise UsageError(f"{path} holds {len(data)} questions; an evaluation takes at most {_MOST_CASES}.")
    try:
        cases = _CASES.validate_python(data)
    except ValidationError as error:
        raise document.invalid(error) from None
    _check_ids(cases, document)
    return cases


def _check_ids(cases: tuple[Case, ...], document: Document) -> None:
    seen: set[str] = set()
    for number, case in enumerate(cases):
        if case.id in seen:
            raise document.wrong((number, "id"), f"there are two questions {case.id!r}; ids are unique")
        seen.add(case.id)


def shipped_cases(name: str) -> Path:
    """A question file that comes with the package: `trustee`, `trustee_paraphrases`, `benchmark`."""
    return Path(__file__).parent / "questions" / f"{name}.yaml"
