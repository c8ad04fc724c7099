"""A refusal on its way to the model, with the change that would make the SQL right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from veracity.contracts import QueryValidationError, ValidationErrorCode

if TYPE_CHECKING:
    from sqlglot import exp

Correction = Callable[["exp.Query"], None]
"""Changes a copy of the SQL as it was written; the result is only shown when it passes every check."""

_AT = "at"


class SqlRefused(Exception):
    """Carries a result for the model past the steps that follow; caught where the SQL is checked."""

    def __init__(
        self, problem: QueryValidationError, correction: Correction | None = None, *, foreign: bool = False
    ) -> None:
        super().__init__(problem.hint)
        self.problem, self.correction = problem, correction
        self.foreign = foreign
        """The source itself could not run it either, so that it may be another engine's SQL."""


def problem(
    code: ValidationErrorCode, name: str | None, hint: str, suggestion: str | None = None
) -> QueryValidationError:
    """What the model is told."""
    return QueryValidationError(code=code, field=name, suggestion=suggestion, hint=hint)


def unsafe(
    hint: str,
    *,
    name: str | None = None,
    suggestion: str | None = None,
    correction: Correction | None = None,
    foreign: bool = False,
) -> SqlRefused:
    """The SQL holds something that is not allow-listed."""
    found = problem(ValidationErrorCode.UNSAFE_SQL, name, hint, suggestion)
    return SqlRefused(found, correction, foreign=foreign)


def number_nodes(tree: exp.Query) -> None:
    """Give every node a number that its copies keep, so that a correction finds its place in the SQL as it was written."""
    for number, node in enumerate(tree.walk()):
        node.meta[_AT] = number


def place(node: exp.Expr) -> int:
    """The number of a node; -1 for one that was not written."""
    return int(node.meta.get(_AT, -1))


def find(tree: exp.Query, at: int) -> exp.Expr | None:
    """The node with a number."""
    return next((node for node in tree.walk() if place(node) == at), None)
