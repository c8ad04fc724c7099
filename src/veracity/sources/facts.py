"""What was learnt of a file when it was opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from veracity.trace import FileProblem, FileSheet


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file of a source."""

    path: Path
    format: str
    tables: Mapping[str, int | None]
    """The tables it became, with the number of their rows where that is known already."""
    encoding: str | None = None
    delimiter: str | None = None
    sheets: tuple[FileSheet, ...] = ()
    problems: tuple[FileProblem, ...] = ()
    reads: tuple[Path, ...] = field(default=())
    """The files that the engine reads for it: the file itself, or a copy that it can read."""

    @property
    def name(self) -> str:
        """How people call it."""
        return self.path.name


def of_table(problem: FileProblem, table: str) -> FileProblem:
    """The same problem, of this table."""
    return problem.model_copy(update={"table": table})
