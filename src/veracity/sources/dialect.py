"""How a text file is divided: its delimiter, quotes and line ends, found by reading its beginning in every likely way."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veracity.language.number_format import looks_like_number

if TYPE_CHECKING:
    from _csv import Reader

HEAD = 131_072
"""Characters of a file that are looked at; no cell in them can be longer than Python's reader allows."""
_DELIMITERS = ("\t", ";", "|", ",")
_MOST_LEADING = 50
_QUOTED_SPAN = re.compile(r'"(?:[^"]|"")*"')
_LINE_END = re.compile(r"\r\n|\n|\r")
_WRAPPED = re.compile(r"'(?:[^']|'')*'", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quoting:
    """How a field that holds a delimiter or a line end is written."""

    quote: str
    backslash: bool = False
    spaced: bool = False
    """Spaces may stand between a delimiter and a quote."""

    def occurs_in(self, text: str) -> bool:
        """Whether a text gives a reason to read it so."""
        if self.backslash or self.spaced:
            return ("\\" if self.backslash else ' "') in text
        return self.quote == '"' or (self.quote or '"') in text


_QUOTINGS = (
    Quoting('"'),
    Quoting('"', spaced=True),
    Quoting('"', backslash=True),
    Quoting("'"),
    Quoting(""),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to read a file, and the records that its beginning gives."""

    delimiter: str
    quoting: Quoting
    rows: tuple[tuple[str, ...], ...]
    """The first records; a blank line is an empty one."""
    width: int
    """The fields of every record after the leading ones."""
    lead: int
    """Records above the first one of that width."""
    line_end: str | None = None
    """None where line ends are mixed."""
    doubt: str | None = None
    """Another delimiter that fits as well."""

    @property
    def is_native(self) -> bool:
        """Whether the engine reads it as it is; everything else is rewritten for it."""
        return self.line_end is not None and not self.quoting.backslash


def likely_dialects(text: str, *, complete: bool) -> list[Dialect]:
    """The likely ways to read a text that begins like this, best first: as a table, and as one column.

    Nothing when its lines do not fit together in any way.
    """
    quotings = [quoting for quoting in _QUOTINGS if quoting.occurs_in(text)]
    found = [
        dialect
        for delimiter in _DELIMITERS
        for quoting in quotings
        if (dialect := _read(text, delimiter, quoting, complete=complete)) is not None
    ]
    single = _one_column(text, found)
    wide = sorted((dialect for dialect in found if dialect.width > 1), key=_rank)
    if not wide:
        return [single] if single and misfit(text) is None else []
    best = _preferred(text, wide, complete=complete)
    others = (d for d in wide if d.delimiter != best.delimiter and _rank(d)[:3] == _rank(best)[:3])
    doubt = next((other.delimiter for other in others), None)
    table = _finished(text, best, doubt)
    return [table, single] if single and not _has_figures(table) else [table]


def _has_figures(dialect: Dialect) -> bool:
    """Whether records hold numbers: then they are a table, and no texts with commas in them."""
    body = [row for row in dialect.rows[dialect.lead :] if row]
    return any(looks_like_number(cell) for row in body for cell in row)


def _finished(text: str, dialect: Dialect, doubt: str | None) -> Dialect:
    return replace(dialect, line_end=_line_end(text, dialect), doubt=doubt)


def _one_column(text: str, found: Sequence[Dialect]) -> Dialect | None:
    """A file without delimiters: every line is one field. A comma is what such files are most often written with."""
    order = sorted(found, key=lambda d: (d.lead, _QUOTINGS.index(d.quoting), d.delimiter != ","))
    narrow = [dialect for dialect in order if dialect.width == 1 and not dialect.lead]
    return _finished(text, narrow[0], None) if narrow else None


def misfit(text: str) -> tuple[int, int, int] | None:
    """The first line that spoils a table: its number, its fields, and those of most others. None when there is no table."""
    found: list[tuple[int, tuple[int, int, int]]] = []
    for delimiter in _DELIMITERS:
        plain = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        widths = [(plain.line_num, len(row)) for row in plain if row]
        usual, count = Counter(width for _, width in widths).most_common(1)[0] if widths else (0, 0)
        # What stands above a table may differ; what stands in it may not.
        first = next((i for i, (_, width) in enumerate(widths) if width == usual), 0)
        other = next(((n, width, usual) for n, width in (*widths[first:], *widths) if width != usual), None)
        if usual > 1 and 2 * count >= len(widths) and other is not None:
            found.append((count, other))
    return max(found)[1] if found else None


def _read(text: str, delimiter: str, quoting: Quoting, *, complete: bool) -> Dialect | None:
    rows = _records(text, delimiter, quoting, complete=complete)
    widths = [len(row) for row in rows]
    if not any(widths):
        return None
    width = next(n for n in reversed(widths) if n)
    fitting = next((i for i in range(len(widths) - 1, -1, -1) if widths[i] not in (0, width)), -1) + 1
    lead = next(i for i in range(fitting, len(widths)) if widths[i])
    leading = sum(n > 0 for n in widths[:lead])
    if lead > _MOST_LEADING or (leading and sum(n > 0 for n in widths[lead:]) < 2):
        return None
    return Dialect(delimiter, quoting, tuple(rows), width, lead)


def reader(lines: Iterable[str], delimiter: str, quoting: Quoting) -> Reader:
    """Python's own reader, strict, for a way to read."""
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quoting.quote or None,
        quoting=csv.QUOTE_MINIMAL if quoting.quote else csv.QUOTE_NONE,
        doublequote=not quoting.backslash,
        escapechar="\\" if quoting.backslash else None,
        skipinitialspace=quoting.spaced,
        strict=True,
    )


def _records(text: str, delimiter: str, quoting: Quoting, *, complete: bool) -> list[tuple[str, ...]]:
    """The records of a text read in one way; none when it cannot be read so."""
    rows: list[tuple[str, ...]] = []
    try:
        rows.extend(tuple(row) for row in reader(io.StringIO(text, newline=""), delimiter, quoting))
    except csv.Error as error:
        if complete or "end of data" not in str(error):
            return []
    # The last record of a beginning may be cut.
    return rows if complete else rows[:-1]


def _rank(dialect: Dialect) -> tuple[int, int, float, int, int]:
    """Fewest lines that do not belong, the usual quotes, fewest fields that hold another delimiter, most columns."""
    leading = sum(bool(row) for row in dialect.rows[: dialect.lead])
    return (
        leading,
        _QUOTINGS.index(dialect.quoting),
        _oddness(dialect),
        -dialect.width,
        _DELIMITERS.index(dialect.delimiter),
    )


def _oddness(dialect: Dialect) -> float:
    """How many fields per record hold another delimiter and are no number, in tenths."""
    others = [delimiter for delimiter in _DELIMITERS if delimiter != dialect.delimiter]
    body = [row for row in dialect.rows[dialect.lead + 1 :] if row][:200]
    odd = sum(any(mark in cell for mark in others) and not looks_like_number(cell) for row in body for cell in row)
    return round(10 * odd / max(1, len(body)))


def _preferred(text: str, wide: Sequence[Dialect], *, complete: bool) -> Dialect:
    """The best one, unless the text shows quotes or escapes that only another one understands."""
    best = wide[0]
    same = [d for d in wide if (d.delimiter, d.lead, d.width) == (best.delimiter, best.lead, best.width)]
    if best.quoting.quote != '"' or best.quoting.backslash:
        return best
    if '\\"' in text and not re.search(r'[^,;|\t\r\n]""', text):
        return next((d for d in same if d.quoting.backslash), best)
    apostrophes = next((d for d in same if d.quoting.quote == "'"), best)
    # Without any other quote, apostrophes that hold lines together are no chance.
    quoted = re.search(rf'(?:^|[{re.escape(best.delimiter)}\r\n])"', text)
    joining = complete and not quoted and len(apostrophes.rows) < len(best.rows)
    return apostrophes if joining or _is_wrapped(best) else best


def _is_wrapped(dialect: Dialect) -> bool:
    """Whether apostrophes are the quotes: they wrap all names, or a field with doubled ones inside."""
    cells = [cell for row in dialect.rows for cell in row if cell.startswith("'")]
    if not cells or not all(_WRAPPED.fullmatch(cell) for cell in cells):
        return False
    header = dialect.rows[dialect.lead]
    return all(cell.startswith("'") for cell in header) or any("''" in cell[1:-1] for cell in cells)


def _line_end(text: str, dialect: Dialect) -> str | None:
    """The line end outside quotes; None when there are several kinds."""
    if dialect.quoting.quote:
        span = _QUOTED_SPAN if dialect.quoting.quote == '"' else _WRAPPED
        text = span.sub("", text)
    kinds = set(_LINE_END.findall(text))
    return "\n" if not kinds else kinds.pop() if len(kinds) == 1 else None
