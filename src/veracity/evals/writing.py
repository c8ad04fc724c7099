"""How texts, figures and tables are written in reports and on terminals, and how a file is written whole.

What a model said cannot become a link, a picture, HTML or a heading.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.contracts import clip
from veracity.evals.records import Summary

if TYPE_CHECKING:
    from pydantic import ValidationError
    from rich.table import Table

# Entities, not backslashes: readers disagree on a backslash before a pipe, and none lets an entity structure anything.
_MARKS = re.compile(r"[\\`*\[\]{}<>&#|~$^@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?<=[Ww]{3})\.")
_FENCE = re.compile(r"`{3,}")


def short(text: str, length: int) -> str:
    """The text on one line, cut to a length; what cannot be printed is shown as a mark."""
    # Cut before it is looked at: a model may say megabytes.
    start = text[: 4 * length]
    line = clip(" ".join(start.split()), length)
    return line if len(start) == len(text) or line.endswith("…") else f"{line} …"


def escaped(text: str, length: int = 300) -> str:
    """The text for a table cell, a heading or a sentence of a report, where it can only be read."""
    return _MARKS.sub(_entity, short(text, length))


def _entity(mark: re.Match[str]) -> str:
    entity = f"&#{ord(mark[0])};"
    # GitHub looks for addresses and names after it has read entities, but not across tags.
    return f"<span>{entity}</span>" if mark[0] == "@" else entity


def percent(share: float | None) -> str:
    """A share as people read it; a dash where there is none."""
    return "-" if share is None else f"{share * 100:.1f} %"


def seconds(value: float) -> str:
    """Seconds with the digits that matter."""
    digits = next((digits for least, digits in ((100, 0), (1, 1), (0.1, 2)) if value >= least), 3)
    return f"{value:.{digits}f}"


def first_of(names: Sequence[str], most: int = 10, write: Callable[[str], str] = lambda name: short(name, 80)) -> str:
    """The first names of many, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(write, names[:most])) + more


def first_problem(error: ValidationError) -> str:
    """Where a file is not as it should be, and why."""
    first = error.errors(include_url=False)[0]
    where = short(".".join(map(str, first["loc"])), 80)
    what = short(first["msg"].removeprefix("Value error, "), 120)
    return f"{where}: {what}" if where else what


# --- the figures of a mode


def summary_cells(summary: Summary, *, several: bool) -> dict[str, str]:
    """Every figure of a mode as it is written, by its heading; a dash where there is none. `several` runs deviate."""
    repaired, triggered = summary.repair_succeeded_count, summary.repair_triggered_count
    rate = percent(summary.repair_conversion_rate)
    sent_back = f"{summary.answers_sent_back} ({summary.answers_mended} mended)"
    p50, p95 = seconds(summary.p50_seconds), seconds(summary.p95_seconds)
    return {
        "mode": summary.mode,
        "right": str(summary.right),
        "abstained": str(summary.abstained),
        "wrong": str(summary.wrong),
        "timeout": str(summary.timeouts),
        "error": str(summary.errors),
        "not judged": str(summary.unjudged),
        "of": str(summary.trials),
        "accuracy": percent(summary.accuracy) + (f" ± {summary.accuracy_deviation * 100:.1f}" if several else ""),
        "consistency": percent(summary.consistency) if several else "-",
        "false refusals": str(summary.false_refusals),
        "pattern": percent(summary.pattern_compliance),
        "refused calls": f"{summary.avg_validation_failures_per_run * summary.trials:.0f}",
        "repair": f"{rate} ({repaired} of {triggered})" if triggered else "-",
        "repaired": f"{repaired} of {triggered}" if triggered else "-",
        "repair rate": rate if triggered else "-",
        "answers sent back": sent_back if summary.answers_sent_back else "-",
        "rounds": str(summary.rounds),
        "tokens in / out": f"{summary.tokens.input:,} / {summary.tokens.output:,}",
        "cost": "-" if summary.cost is None else f"{summary.cost:.4f}",
        "p50 s": p50,
        "p95 s": p95,
        "p50 / p95 s": f"{p50} / {p95}",
        "p50/p95 s": f"{p50}/{p95}",
    }


def without_empty(headings: Iterable[str], rows: Sequence[Mapping[str, str]], optional: Collection[str]) -> list[str]:
    """The headings without those of the optional columns in which nothing but zeros and dashes stands."""
    return [name for name in headings if name not in optional or any(row[name] not in ("0", "-") for row in rows)]


# --- pages


def heading(text: str, level: int = 2) -> list[str]:
    """The lines of a heading."""
    return [f"{'#' * level} {text}", ""]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> list[str]:
    """The lines of a table, with an empty one behind it; cells are Markdown already, `right` are columns of figures."""
    figures = set(right)
    rule = ["---:" if number in figures else "---" for number in range(len(headings))]
    return [f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows)] + [""]


def block(text: str) -> list[str]:
    """The lines of a block to copy, such as a command."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", short(text, 10_000), fence, ""]


def how_to_run_again(command: str) -> list[str]:
    """The lines that say how a report came about."""
    return ["Run it again:", "", *block(command)]


def write_whole(path: Path, text: str) -> None:
    """Write a file beside, then put it in place: a crash leaves the old one as it was."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


# --- terminals


def terminal_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, red: Collection[str] = ()) -> Table:
    """A table for a terminal, whose first column names the rows; `red` are columns of counts that should be 0."""
    from rich.table import Table
    from rich.text import Text

    view = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for number, name in enumerate(headings):
        view.add_column(name, justify="right" if number else "left")
    for cells in rows:
        styles = [
            "bold red" if name in red and cell.split()[-1:] != ["0"] else ""
            for name, cell in zip(headings, cells, strict=True)
        ]
        view.add_row(*map(Text, cells, styles))
    return view
