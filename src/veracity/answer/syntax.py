"""Expressions as text -> a small tree. Never `eval`: a tokenizer and a recursive descent, both bounded.

expression := term (('+' | '-') term)*
term       := factor (('*' | '/') factor)*
factor     := '-' factor | number | '(' expression ')' | name '(' expression (',' expression)* ')' | cells
cells      := result [ '[' index | condition ((',' | 'and') condition)* ']' ] [ '.' column ]
condition  := field '=' ('text' | "text" | number | true | false)

A result, column or field whose name is no single word stands in double quotes or backticks: r1[0]."2019".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NoReturn

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest

MAX_LENGTH = 500
MAX_NESTING = 20
MAX_DIGITS = 30
MAX_OPERATORS = 50
_MAX_INDEX = 9

FUNCTIONS = ("sum", "avg", "min", "max", "count", "percent", "round", "date", "rows")

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<number>[0-9]+(?:\.[0-9]+)?)
    | (?P<name>[^\W\d]\w*)
    | (?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`)
    | (?P<sign>==|[-+*/()\[\],.=])""",
    re.VERBOSE,
)
_SAME_SIGN = str.maketrans({"−": "-", "×": "*", "÷": "/"})


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of a result: all of them, the one at an index, or those that meet every condition."""

    result: str
    conditions: tuple[tuple[str, str | Decimal | bool], ...] = ()
    index: int | None = None

    @property
    def is_all(self) -> bool:
        """Whether it takes every row."""
        return self.index is None and not self.conditions


@dataclass(frozen=True, slots=True)
class Number:
    """A typed number."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class Cells:
    """A column of the selected rows; without a column the rows themselves."""

    selection: Selection
    column: str | None


@dataclass(frozen=True, slots=True)
class Negative:
    """Unary minus."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and one of `+ - * /`."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Function:
    """One of `FUNCTIONS` with its arguments."""

    name: str
    args: tuple[Node, ...]


Node = Number | Cells | Negative | Binary | Function


class ExpressionRefused(Exception):
    """Carries a result for the model out of the parser or evaluator; never leaves `parse` and `evaluate`."""

    def __init__(self, code: ValidationErrorCode, name: str | None, hint: str, suggestion: str | None = None) -> None:
        self.problem = QueryValidationError(code=code, field=name, suggestion=suggestion, hint=hint)


@lru_cache(maxsize=1024)
def parse(text: str) -> Node | QueryValidationError:
    """The tree of an expression, or what is wrong with it; never raises. Kept, as rendering, fitting and the guard all parse it."""
    try:
        if len(text) > MAX_LENGTH:
            _wrong(clip(text, 30), f"An expression has at most {MAX_LENGTH} characters; use several.")
        return _Parser(text).whole()
    except ExpressionRefused as refused:
        return refused.problem


def walk(node: Node) -> Iterator[Node]:
    """A node and everything under it."""
    yield node
    match node:
        case Negative(operand):
            yield from walk(operand)
        case Binary(_, left, right):
            yield from walk(left)
            yield from walk(right)
        case Function(_, args):
            for arg in args:
                yield from walk(arg)
        case _:
            pass


def selections(node: Node) -> tuple[Selection, ...]:
    """Every selection of rows in an expression, in reading order."""
    return tuple(part.selection for part in walk(node) if isinstance(part, Cells))


def results_used(node: Node) -> frozenset[str]:
    """The ids of the results that an expression reads."""
    return frozenset(part.selection.result for part in walk(node) if isinstance(part, Cells))


def _wrong(name: str | None, hint: str, suggestion: str | None = None) -> NoReturn:
    raise ExpressionRefused(ValidationErrorCode.TYPE_MISMATCH, name, hint, suggestion)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


def _tokens(text: str) -> list[_Token]:
    plain, found, place = text.translate(_SAME_SIGN), list[_Token](), 0
    while place < len(plain):
        match = _TOKEN.match(plain, place)
        if match is None:
            _wrong(clip(text, 30), f"Unexpected {clip(plain[place], 5)!r} in the expression.")
        if match.lastgroup == "number" and sum(ch.isdigit() for ch in match.group()) > MAX_DIGITS:
            _wrong(clip(match.group(), 30), f"A number has at most {MAX_DIGITS} digits.")
        if match.lastgroup != "space":
            # Texts are taken from the original: only signs of arithmetic are made the same.
            found.append(_Token(match.lastgroup or "", text[place : match.end()] if match["text"] else match.group()))
        place = match.end()
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self._text, self._tokens = text, _tokens(text)
        self._place = self._depth = self._operators = 0

    def whole(self) -> Node:
        if not self._tokens:
            _wrong("{{ }}", "The expression is empty; write one such as {{ r1[0].x }}.")
        node = self._expression()
        if self._place < len(self._tokens):
            self._unexpected()
        return node

    # --- tokens

    def _peek(self) -> str:
        token = self._tokens[self._place] if self._place < len(self._tokens) else None
        return token.text if token is not None and token.kind in ("sign", "name") else ""

    def _kind(self) -> str:
        return self._tokens[self._place].kind if self._place < len(self._tokens) else "end"

    def _next(self, kind: str) -> str:
        if self._kind() != kind:
            self._unexpected()
        token = self._tokens[self._place]
        self._place += 1
        return token.text

    def _take(self, sign: str) -> bool:
        if self._kind() == "sign" and self._peek() == sign:
            self._place += 1
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            self._unexpected(f" {sign!r} is missing.")

    def _unexpected(self, more: str = "") -> NoReturn:
        where = self._tokens[self._place].text if self._place < len(self._tokens) else "the end"
        _wrong(clip(self._text, 60), f"Unexpected {clip(where, 20)} in the expression.{more}")

    # --- grammar

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_NESTING:
            _wrong(clip(self._text, 30), f"An expression is nested at most {MAX_NESTING} deep.")

    def _operator(self, signs: str) -> str | None:
        sign = self._peek() if self._kind() == "sign" else ""
        if not sign or sign not in signs:
            return None
        self._place += 1
        self._operators += 1
        if self._operators > MAX_OPERATORS:
            _wrong(clip(self._text, 30), f"An expression has at most {MAX_OPERATORS} operators; use sum().")
        return sign

    def _expression(self) -> Node:
        node = self._term()
        while op := self._operator("+-"):
            node = Binary(op, node, self._term())
        return node

    def _term(self) -> Node:
        node = self._factor()
        while op := self._operator("*/"):
            node = Binary(op, node, self._factor())
        return node

    def _factor(self) -> Node:
        self._deeper()
        if self._take("-"):
            node: Node = Negative(self._factor())
        elif self._take("("):
            node = self._expression()
            self._expect(")")
        elif self._kind() == "number":
            node = Number(Decimal(self._next("number")))
        else:
            node = self._cells_or_function()
        self._depth -= 1
        return node

    def _cells_or_function(self) -> Node:
        if self._kind() == "text" and self._tokens[self._place].text[0] in '"`':
            name = _unquoted(self._next("text"))
        else:
            name = self._next("name")
            if self._take("("):
                return self._function(name)
        if self._kind() != "sign" or self._peek() not in ("[", "."):
            return Cells(Selection(name), None)
        selection = self._selection(name) if self._take("[") else Selection(name)
        return Cells(selection, self._name() if self._take(".") else None)

    def _function(self, written: str) -> Node:
        name = written.lower()
        if name not in FUNCTIONS:
            hint = f"There is no function {clip(written, 20)}; {', '.join(FUNCTIONS)}."
            _wrong(written, hint, nearest(name, FUNCTIONS))
        args = [self._expression()]
        while self._take(","):
            args.append(self._expression())
        self._expect(")")
        return Function(name, tuple(args))

    def _name(self) -> str:
        """A column or field, in quotes where its name is more than one word."""
        return _unquoted(self._next("text")) if self._kind() == "text" else self._next("name")

    def _selection(self, result: str) -> Selection:
        if self._kind() == "number" or self._peek() == "-":
            sign = -1 if self._take("-") else 1
            digits = self._next("number")
            if "." in digits or len(digits) > _MAX_INDEX:
                _wrong(digits, "A row index is a whole number: r1[0] is the first row, r1[-1] the last.")
            self._expect("]")
            return Selection(result, index=sign * int(digits))
        conditions = [self._condition()]
        while self._take(",") or self._and():
            conditions.append(self._condition())
        self._expect("]")
        return Selection(result, tuple(conditions))

    def _and(self) -> bool:
        if self._kind() == "name" and self._peek().lower() == "and":
            self._place += 1
            return True
        return False

    def _condition(self) -> tuple[str, str | Decimal | bool]:
        name = self._name()
        if not self._take("=="):
            self._expect("=")
        return name, self._value(name)

    def _value(self, name: str) -> str | Decimal | bool:
        if self._kind() == "text":
            return _unquoted(self._next("text"))
        if self._kind() == "name" and self._peek().lower() in ("true", "false"):
            return self._next("name").lower() == "true"
        if self._kind() == "name":
            value = self._peek()
            _wrong(name, "Write a text in quotes.", f"{name}='{clip(value, 40)}'")
        negative = self._take("-")
        digits = self._next("number")
        number = -Decimal(digits) if negative else Decimal(digits)
        # 007 is a code, whatever it looks like.
        return digits if str(Decimal(digits)) != digits and not negative else number


def _unquoted(text: str) -> str:
    quote, inner = text[0], text[1:-1]
    return inner if quote == "`" else inner.replace(quote * 2, quote)
