"""Gold questions: what is asked, of which data, and what a right run and a right answer look like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from veracity.answer.answer import Outcome
from veracity.errors import UsageError, VeracityError
from veracity.language.locale import LANGUAGES
from veracity.language.units import unit_called
from veracity.query.model import NULL_OPERATORS, OPERATORS, TOOLS
from veracity.tools.files import FILE_TOOLS
from veracity.tools.sql import SQL_TOOLS
from veracity.wire import Wire
from veracity.yaml_file import YamlFile, read_document

_FILTER = re.compile(
    r"\s*(?P<field>[^\s=!<>]+)\s*(?P<op><=|>=|!=|=|<|>|(?:LIKE|IN|BETWEEN|IS_NULL|IS_NOT_NULL)\b)\s*(?P<value>.*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
_MOST_CASES = 10_000
_LONGEST_INTEGER = 1_000
"""Bits."""
_TOOLS = (*TOOLS, *SQL_TOOLS, *FILE_TOOLS)
_UNION_PARTS = frozenset({"str", "int", "bool", "decimal", "date", "datetime", "value"})
"""How pydantic calls the alternatives of a value; nobody wrote them."""


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
    def _is_operator(cls, op: str) -> str:
        if op not in OPERATORS:
            raise ValueError(f"{op!r} is not an operator; they are {' '.join(OPERATORS)}")
        return op

    def __str__(self) -> str:
        return " ".join(part for part in (self.field, self.op, self.value) if part)


def _as_list(written: Any) -> Any:
    """One text is a list of one."""
    return [written] if isinstance(written, str) else written


def _known_tools(names: str) -> str:
    """Tools that there are; several are separated by |."""
    from veracity.language.nearest import did_you_mean

    for name in (name.strip() for name in names.split("|")):
        if name not in _TOOLS:
            raise ValueError(f"there is no tool {name!r}{did_you_mean(name, _TOOLS)}")
    return names


Tools = Annotated[str, AfterValidator(_known_tools)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class ToolPattern(Wire):
    """The call that a right run makes."""

    tool: Tools
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

    @property
    def values(self) -> tuple[Decimal, ...]:
        """The value as it is written, and in the base unit: 5 GB are 5,000,000,000 bytes."""
        unit = unit_called(self.unit) if self.unit else None
        return (self.value,) if unit is None or unit.factor == 1 else (self.value, self.value * unit.factor)


Figure = Annotated[ExpectedFigure, BeforeValidator(ExpectedFigure.read)]
Value = bool | int | Decimal | date | datetime | str | None


def _row_values(written: Any) -> Any:
    """A row as its values: names of columns do not count."""
    values = list(written.values()) if isinstance(written, dict) else written
    if not isinstance(values, list | tuple):
        values = (values,)
    return tuple(map(_exact, values))


def _exact(value: Any) -> Any:
    """A float as it was typed; a huge integer as a decimal, because Python writes no integer of more than 4,300 digits."""
    if isinstance(value, float):
        return Decimal(str(value))
    return Decimal(value) if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER else value


_KINDS = {Outcome.ANSWERED: "answerable", Outcome.ABSTAINED: "unanswerable", Outcome.CLARIFY: "ambiguous"}


class EvalCase(Wire):
    """One question of a gold set. Every expectation that is given has to be met."""

    id: str = Field(min_length=1, max_length=80)
    question: str = Field(min_length=1, max_length=2_000)
    source: str | None = None
    """The data that it is about, as the file names it; without it, what the evaluation is given."""
    intent: str | None = None
    unknown_words: bool = False
    """It uses words that no label or column has."""
    lang: str | None = None
    """de, en or zh; without it, the language of the question."""
    difficulty: Difficulty | None = None
    timeout: float | None = Field(default=None, gt=0, le=86_400)
    """Seconds; instead of the time that its difficulty gives it."""
    expected_outcome: Outcome = Outcome.ANSWERED
    expected_tool_pattern: ToolPattern | None = None
    forbidden_tools: Annotated[tuple[Tools, ...], BeforeValidator(_as_list)] = ()
    expected_answer_contains: Texts = ()
    expected_answer_numeric: dict[str, Figure] = {}
    """Figures by what they are, such as `1020.closingBalance`; compared by value and unit."""
    expected_rows: tuple[Annotated[tuple[Value, ...], BeforeValidator(_row_values)], ...] | None = None
    """Rows that the results behind the answer hold; by value, in any order, under any column name."""
    gold_sql: str | None = None
    """SQL whose rows are the expected rows; run on the source once, read-only."""

    @property
    def kind(self) -> str:
        """Whether the data hold an answer, hold none, or the question is open."""
        return _KINDS[self.expected_outcome]

    @field_validator("expected_outcome", mode="before")
    @classmethod
    def _is_possible_outcome(cls, outcome: Any) -> Any:
        if outcome not in (Outcome.ANSWERED, Outcome.CLARIFY, Outcome.ABSTAINED):
            raise ValueError("it is answered, clarify or abstained")
        return outcome

    @field_validator("lang")
    @classmethod
    def _is_known_language(cls, lang: str | None) -> str | None:
        if lang is not None and lang.replace("_", "-").partition("-")[0].lower() not in LANGUAGES:
            raise ValueError(f"it is {', '.join(LANGUAGES)}")
        return lang

    @model_validator(mode="after")
    def _can_fail(self) -> EvalCase:
        """An answer that is expected to say nothing in particular could never be wrong."""
        says = (
            self.expected_answer_numeric,
            self.expected_answer_contains,
            self.expected_rows is not None,
            self.gold_sql is not None,
        )
        if self.expected_outcome is Outcome.ANSWERED and not any(says):
            raise ValueError(
                "it says nothing of the right answer; give expectedAnswerNumeric, expectedAnswerContains, expectedRows or gold_sql"
            )
        if self.expected_outcome is not Outcome.ANSWERED and any(says):
            raise ValueError(f"a question that should end {self.expected_outcome} has no right figures; leave them out")
        return self


class NamedSource(Wire):
    """Data that a question file gives a name to; what `--source`, `--feature`, `--ontology` and `--scope` say otherwise."""

    source: str | None = None
    """A path is seen from the question file."""
    feature: str | None = None
    ontology: str | None = None
    scope: dict[str, str] = {}

    def seen_from(self, folder: Path) -> NamedSource:
        """The same with paths that hold from anywhere."""
        paths = {
            name: value for name in ("source", "ontology") if (value := getattr(self, name)) and "://" not in value
        }
        return self.model_copy(update={name: str((folder / value).resolve()) for name, value in paths.items()})


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a file, and the data that they name."""

    cases: tuple[EvalCase, ...]
    sources: Mapping[str, NamedSource] = field(default_factory=dict)

    def every(self, so_many: int) -> QuestionSet:
        """Every so many-th question of each source, in the order of the file, from the first on."""
        found = set[str]()
        for source in {case.source for case in self.cases}:
            found |= {case.id for case in [case for case in self.cases if case.source == source][::so_many]}
        return QuestionSet(tuple(case for case in self.cases if case.id in found), self.sources)


_CASES: TypeAdapter[tuple[EvalCase, ...]] = TypeAdapter(tuple[EvalCase, ...])
_SOURCES: TypeAdapter[dict[str, NamedSource]] = TypeAdapter(dict[str, NamedSource])


def load_cases(path: str | Path) -> tuple[EvalCase, ...]:
    """The questions of a YAML or JSON file; raises `UsageError` with file, line and reason."""
    return load_questions(path).cases


def load_questions(path: str | Path) -> QuestionSet:
    """A question file: a list of questions, or `sources` and `questions`; raises `UsageError` with file, line and reason."""
    document = read_document(path, UsageError, "a question file")
    data = document.data
    sources = _sources(document) if isinstance(data, dict) and {*data} == {"sources", "questions"} else None
    listed = data if sources is None else data["questions"]
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"{path} is not a question file: it needs a list of questions, each with id and question.")
    if len(listed) > _MOST_CASES:
        raise UsageError(f"{path} holds {len(listed)} questions; an evaluation takes at most {_MOST_CASES}.")
    at = () if sources is None else ("questions",)
    try:
        cases = _CASES.validate_python(listed)
    except ValidationError as error:
        raise _problem(error, document, listed, at) from None
    _check_ids(cases, document, at)
    _check_sources(cases, sources or {}, document, at)
    return QuestionSet(cases, sources or {})


def _sources(document: YamlFile) -> dict[str, NamedSource]:
    try:
        found = _SOURCES.validate_python(document.data["sources"])
    except ValidationError as error:
        first = error.errors()[0]
        raise document.wrong(("sources", *first["loc"]), first["msg"]) from None
    return {name: each.seen_from(document.path.parent) for name, each in found.items()}


def _check_sources(
    cases: tuple[EvalCase, ...], sources: Mapping[str, NamedSource], document: YamlFile, at: tuple[str, ...]
) -> None:
    """Every question names one of the sources where there are any, and none where there are none."""
    for number, case in enumerate(cases):
        if case.source not in (sources or (None,)):
            known = (
                f"it is {', '.join(sources)}" if sources else "the file has no sources: write sources: and questions:"
            )
            raise document.wrong(
                (*at, number, "source"), f"{case.source or 'nothing'!r} is no source here; {known}", case.id
            )


def _problem(error: ValidationError, document: YamlFile, listed: list[Any], at: tuple[str, ...]) -> VeracityError:
    """What is wrong with which question, in words of the file and not of the program."""
    from veracity.language.nearest import did_you_mean

    first = error.errors()[0]
    loc, message = first["loc"], first["msg"]
    entry = listed[loc[0]] if loc and isinstance(loc[0], int) else None
    name = entry.get("id") if isinstance(entry, dict) else None
    names = [name if isinstance(name, str) else f"question {loc[0]}"]
    names += [str(part) for part in loc[1:] if part not in _UNION_PARTS]
    if first["type"] == "extra_forbidden":
        keys = [field.alias or name for name, field in EvalCase.model_fields.items()]
        message = f"there is no such key{did_you_mean(str(loc[-1]), keys)}"
    return document.wrong((*at, *loc), _IN_PLAIN_WORDS.get(first["type"], message), ": ".join(names))


_IN_PLAIN_WORDS = {
    "model_type": "it needs names and values, such as id: and question:",
    "tuple_type": "it is a list",
    "decimal_parsing": "it is a number",
    "decimal_type": "it is a number",
}
"""What pydantic finds, in plain words."""


def _check_ids(cases: tuple[EvalCase, ...], document: YamlFile, at: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for number, case in enumerate(cases):
        if case.id in seen:
            raise document.wrong((*at, number, "id"), f"there are two questions {case.id!r}; ids are unique")
        seen.add(case.id)


SHIPPED = ("trustee", "paraphrases", "benchmark", "three-sources")
"""The question files that come with the package."""


def shipped_cases(name: str) -> Path:
    """Where a shipped question file is."""
    return Path(__file__).parent / "questions" / f"{name}.yaml"
