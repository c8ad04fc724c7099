"""Questions as people ask them, and the patterns: kinds of question with the calls that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, SerializerFunctionWrapHandler, model_serializer

from veracity.language.locale import Text
from veracity.ontology.fields import Upper
from veracity.wire import Wire


def _answer_parts(value: Any) -> Any:
    """One part or several; a number as it was typed."""
    parts = value if isinstance(value, list | tuple) else () if value is None else (value,)
    if any(isinstance(part, bool) or not isinstance(part, int | float | Decimal | str) for part in parts):
        raise ValueError("an answer is a figure or a text; put dates and words such as yes in quotes")
    return [Decimal(str(part)) if isinstance(part, float) else part for part in parts]


def _json_part(part: Any) -> Any:
    exact = isinstance(part, Decimal) and Decimal(repr(float(part))) == part
    return float(part) if exact else str(part) if isinstance(part, Decimal) else part


AnswerPart = Annotated[int | Decimal | str, PlainSerializer(_json_part, when_used="json")]
"""A figure or a text that an answer says."""


def _question_text(value: Any) -> Any:
    return {"question": value} if isinstance(value, str) else value


class ExampleQuestion(Wire):
    """A question as people ask it. With `answer` it is a test: `ontology check` asks it and holds the answer against it."""

    question: str = Field(min_length=1, max_length=2_000)
    """The question in the words of its language."""
    answer: Annotated[tuple[AnswerPart, ...], BeforeValidator(_answer_parts)] = ()
    """What a right answer says: a figure, a text, or a list of them (`[220.40, CHF]`). Without a word: that there is one."""

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> Any:
        """A question that says nothing else is its text again."""
        return handler(self) if self.answer else self.question

    def __str__(self) -> str:
        return self.question


Questions = dict[str, tuple[Annotated[ExampleQuestion, BeforeValidator(_question_text)], ...]]
"""Questions per language, each a text, or `{question: ..., answer: ...}`."""


class SlotKind(Upper):
    """What fills a slot of a pattern."""

    YEAR = "YEAR"
    MONTH = "MONTH"
    DATE = "DATE"
    CODE = "CODE"
    GROUP = "GROUP"
    VALUE = "VALUE"
    NUMBER = "NUMBER"


class Slot(Wire):
    """A gap in a pattern, filled from the question."""

    name: str
    """What the calls call it, in braces."""
    kind: SlotKind
    """What fills it."""
    field: str | None = None
    """`Entity.field` whose stored values or codes fill the slot."""
    example: str | int
    """A value that makes the pattern a valid call."""
    default: str | int | None = None
    """A value that goes without saying."""


class ToolCall(Wire):
    """A tool call with `{slot}` placeholders."""

    tool: str
    """The tool: browseTable, queryTable or aggregateTable."""
    args: dict[str, Any]
    """Its arguments; `{slot}` stands for the value of a slot."""


def _one_or_many(value: Any) -> Any:
    return [value] if isinstance(value, Mapping | ToolCall) else value


class CanonicalQueryPattern(Wire):
    """A kind of question and the calls that answer it."""

    intent: str
    """What it is called; no other pattern has the name."""
    description: Text = {}
    """The kind of question."""
    questions: Questions = {}
    """Example questions per language."""
    slots: tuple[Slot, ...] = ()
    """The values of the calls that change from question to question."""
    pattern: Annotated[tuple[ToolCall, ...], BeforeValidator(_one_or_many)] = Field(min_length=1)
    """The call that answers it, or several."""
    answer: Text = {}
    """The answer per language: slots in single, expressions over results in double braces."""

    def fill(self, values: Mapping[str, Any]) -> tuple[ToolCall, ...]:
        """The calls with every slot filled: from `values`, else its default, else its example."""
        known = {slot.name: slot.default if slot.default is not None else slot.example for slot in self.slots} | dict(
            values
        )
        return tuple(ToolCall(tool=call.tool, args=_fill(call.args, known)) for call in self.pattern)


def _fill(value: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _fill(item, known) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_fill(item, known) for item in value]
    if not isinstance(value, str):
        return value
    if value.startswith("{") and value.endswith("}") and value[1:-1] in known:
        return known[value[1:-1]]
    for name, filler in known.items():
        value = value.replace(f"{{{name}}}", str(filler))
    return value
