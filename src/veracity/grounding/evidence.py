"""What tools really return, as tables: nested JSON, lists of objects, CSV, Markdown tables, key-value texts.

A text is tried as JSON, as a table and as lines of `key: value`, in this order; what is none of these is one text. An object is a
row; lists of objects inside it become tables of their own, and an object of alike objects is a table whose first column holds
their names. The work is bounded: whoever sends more is told how much is read.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import takewhile
from typing import Any, NamedTuple

from veracity.contracts import clip
from veracity.errors import UsageError

MAX_CELLS = 200_000
"""Cells of all results together that are read."""
DEEPEST = 60
"""Objects inside objects."""
_MOST_TABLES = 200
_DELIMITERS = ("\t", ";", ",", "|")
_MOST_LINES = 100_000
_LONGEST_KEY = 60
_SAMPLE = 50
_CAPTION = 3
"""Lines above and below a table that may say what it is in."""
_UNITS = frozenset({"unit", "units", "einheit", "currency", "waehrung", "währung", "scale", "单位", "币种"})
"""What an object says of all the rows inside it."""
_ROWS = ("rows", "data", "results", "records", "items")
_KEY_VALUE = re.compile(r"\s*(?:[-*•]\s+)?(?P<key>[^:：=|]{1,60}?)\*{0,2}\s*(?::(?!//)|：|=)\*{0,2}\s*(?P<value>\S.*)?")
_RULE = re.compile(r"\s*\|?[\s:|-]*-{2,}[\s:|-]*\|?\s*")
_NUMBER = re.compile(r"[-+−]?[0-9][0-9.,'’ ]*%?")


class TableRead(NamedTuple):
    """One table: its name, its columns and its rows as lists in their order."""

    name: str
    columns: list[str]
    rows: list[list[Any]]
    caption: str = ""
    """What stands above and below it: revenue in EUR million."""


def given_results(value: Any) -> Any:
    """The results of a request with everything that is no table yet read as one; what is a table stays as it is."""
    if value is None or isinstance(value, str | Mapping):
        value = () if value is None else (value,)
    if not isinstance(value, Iterable):
        return value
    value = list(value)
    if _are_alike(value) and not any(_is_declared(one) or "content" in one for one in value):
        return _as_results(value, "r1", truncated=False)  # the rows of one result, as most tools return them
    found: list[Any] = []
    for number, one in enumerate(value, 1):
        if not isinstance(one, str | Mapping | list | tuple) or (isinstance(one, Mapping) and _is_declared(one)):
            found.append(one)
        elif isinstance(one, Mapping) and "content" in one and {"id", "content", "truncated"}.issuperset(one):
            found += _as_results(one["content"], str(one.get("id") or f"r{number}"), bool(one.get("truncated")))
        else:
            found += _as_results(one, f"r{number}", truncated=False)
    return found


def _is_declared(one: Mapping[Any, Any]) -> bool:
    """Whether an object is meant as a table of this contract, right or wrong."""
    return "id" in one and (
        {"columns", "rows"}.issubset(one) or {"id", "columns", "rows", "key", "truncated", "caption"}.issuperset(one)
    )


def _as_results(content: Any, name: str, truncated: bool) -> list[dict[str, Any]]:
    tables = tables_of(content, name)
    return [
        {"id": one.name, "columns": one.columns, "rows": one.rows, "truncated": truncated, "caption": one.caption}
        for one in tables
    ]


def tables_of(content: Any, name: str = "r1") -> list[TableRead]:
    """Every table in what a tool returned; the first one has the given name, the others add where they stood."""
    try:
        value = _read_text(content) if isinstance(content, str) else content
        tables = [one for one in _TableFinder(name).tables(value) if one.columns]
    except RecursionError:
        raise _too_deep() from None
    return _named_apart(tables)


def _named_apart(tables: Sequence[TableRead]) -> list[TableRead]:
    seen: dict[str, int] = {}
    found: list[TableRead] = []
    for one in tables:
        seen[one.name] = seen.get(one.name, 0) + 1
        found.append(one if seen[one.name] == 1 else one._replace(name=f"{one.name} ({seen[one.name]})"))
    return found


# --- values of JSON


class _TableFinder:
    """One walk through a value; counts the cells that it hands out."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._cells = 0
        self._tables = 0

    def tables(self, value: Any) -> Iterator[TableRead]:
        """The tables of a value, the outermost first."""
        if isinstance(value, TableRead):
            yield self._made(self._name, value.columns, value.rows)._replace(caption=value.caption)
        elif isinstance(value, list) and value and all(isinstance(one, TableRead) for one in value):
            for number, one in enumerate(value):
                name = self._name if not number else f"{self._name}.{number + 1}"
                yield self._made(name, one.columns, one.rows)._replace(caption=one.caption)
        else:
            yield from self._walk(value, self._name, "value", 0)

    def _walk(self, value: Any, path: str, called: str, depth: int) -> Iterator[TableRead]:
        if depth > DEEPEST:
            raise _too_deep()
        if isinstance(value, Mapping):
            yield from self._object(value, path, called, depth)
        elif isinstance(value, list | tuple):
            yield from self._list(list(value), path, called, depth)
        elif value is not None and value != "":
            yield self._made(path, [called], [[value]])

    def _object(self, value: Mapping[Any, Any], path: str, called: str, depth: int) -> Iterator[TableRead]:
        columns = value.get("columns")
        rows = next((value[key] for key in _ROWS if isinstance(value.get(key), list | tuple)), None)
        if (
            isinstance(columns, list | tuple)
            and rows is not None
            and all(isinstance(row, list | tuple) for row in rows)
        ):
            names = [str(one.get("name")) if isinstance(one, Mapping) else str(one) for one in columns]
            yield self._made(path, names, [list(row) for row in rows])
            return
        if _are_alike(value.values()):
            table = [{called: key, **inner} for key, inner in value.items()]
            yield from self._list(table, path, called, depth + 1)
            return
        flat: dict[str, Any] = {}
        inner: list[tuple[str, Any]] = []
        _lay_out(value, "", flat, inner, depth)
        if flat:
            yield self._made(path, list(flat), [list(flat.values())])
        told = "; ".join(f"in {cell}" for key, cell in flat.items() if key.rpartition(".")[2].casefold() in _UNITS)
        for key, part in inner:
            short = key.rpartition(".")[2]
            for found in self._walk(part, f"{path}.{key}" if flat or len(inner) > 1 else path, short, depth + 1):
                yield found._replace(caption=found.caption or told)

    def _list(self, items: list[Any], path: str, called: str, depth: int) -> Iterator[TableRead]:
        if not items:
            return
        if all(isinstance(item, Mapping) for item in items):
            rows: list[dict[str, Any]] = []
            inner: list[tuple[str, Any]] = []
            sizes: list[dict[str, int]] = []
            for item in items:
                flat: dict[str, Any] = {}
                parts: list[tuple[str, Any]] = []
                _lay_out(item, "", flat, parts, depth)
                rows.append(flat)
                inner += [(key, _with_owner(part, flat)) for key, part in parts]
                sizes.append({key: len(part) for key, part in parts if isinstance(part, list | tuple)})
                self._count(len(flat))
            _count_entries(rows, sizes)
            columns = _columns_of(rows)
            yield TableRead(path, columns, [[row.get(name) for name in columns] for row in rows])
            for key, together in _joined(inner).items():
                yield from self._walk(together, f"{path}.{key}", key.rpartition(".")[2], depth + 1)
        elif all(isinstance(item, list | tuple) for item in items):
            yield self._of_lists([list(item) for item in items], path)
        else:
            yield self._made(path, [called], [[_plain(item)] for item in items])

    def _of_lists(self, rows: list[list[Any]], path: str) -> TableRead:
        width = max(len(row) for row in rows)
        rows = [[*row, *[None] * (width - len(row))] for row in rows]
        headed = (
            len(rows) > 1 and all(isinstance(cell, str) and cell for cell in rows[0]) and len(set(rows[0])) == width
        )
        if headed and any(not isinstance(cell, str) or _NUMBER.fullmatch(cell) for row in rows[1:] for cell in row):
            return self._made(path, rows[0], rows[1:])
        return self._made(path, [f"column{number}" for number in range(1, width + 1)], rows)

    def _made(self, path: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> TableRead:
        self._count(len(columns) * len(rows))
        names: dict[str, None] = {}
        for number, column in enumerate(columns, 1):
            name = str(column).strip() or f"column{number}"
            names[name if name not in names else f"{name} {number}"] = None
        width = len(names)
        return TableRead(
            path, list(names), [[_plain(cell) for cell in (*row, *[None] * width)][:width] for row in rows]
        )

    def _count(self, cells: int) -> None:
        self._cells += cells
        self._tables += 1
        if self._cells > MAX_CELLS:
            raise too_many_cells()


def _columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of some rows; an object that is missing in a row is no column beside its parts."""
    named = dict.fromkeys(name for row in rows for name in row)
    parts = {name[:at] for name in named for at, sign in enumerate(name) if sign == "."}
    return [name for name in named if name not in parts or any(row.get(name) is not None for row in rows)]


def _count_entries(rows: Sequence[dict[str, Any]], sizes: Sequence[Mapping[str, int]]) -> None:
    """Where a list is empty in some objects, how many entries it has in each: none is 0, and not unknown."""
    listed = {key for size in sizes for key in size}
    for key in sorted(key for key in listed if any(key in row for row in rows)):
        for row, size in zip(rows, sizes, strict=True):
            row[key] = size.get(key, 0)


def _too_deep() -> UsageError:
    return UsageError(f"The results are nested deeper than {DEEPEST} levels; send the part that the answer is about.")


def too_many_cells() -> UsageError:
    """What is said of results that are too large."""
    return UsageError(f"The results hold more than {MAX_CELLS:,} cells; send only the rows that the answer speaks of.")


def _lay_out(
    value: Mapping[Any, Any], before: str, flat: dict[str, Any], inner: list[tuple[str, Any]], depth: int
) -> None:
    """The plain cells of an object under their paths; its lists of objects, and its objects of alike objects, apart."""
    if depth > DEEPEST:
        raise _too_deep()
    for key, cell in value.items():
        name = f"{before}{key}"
        if isinstance(cell, Mapping):
            if _are_alike(cell.values()):
                inner.append((name, cell))
            else:
                _lay_out(cell, f"{name}.", flat, inner, depth + 1)
        elif isinstance(cell, list | tuple) and any(isinstance(item, Mapping | list | tuple) for item in cell):
            inner.append((name, cell))
        else:
            flat[name] = _plain(cell)


def _are_alike(values: Iterable[Any]) -> bool:
    """Whether several objects have mostly the same keys, so that they are rows."""
    given = list(values)
    if len(given) < 2 or not all(isinstance(one, Mapping) and one for one in given):
        return False
    first = set(given[0])
    return all(2 * len(first & set(one)) > max(len(first), len(one)) for one in given[1:])


def _with_owner(part: Any, row: Mapping[str, Any]) -> Any:
    """The objects of a list inside a row, each with the name of the row that it belongs to."""
    owner = next(((key, cell) for key, cell in row.items() if isinstance(cell, str)), None)
    if owner is None or not isinstance(part, list | tuple):
        return part
    return [{**{owner[0]: owner[1]}, **item} if isinstance(item, Mapping) else item for item in part]


def _joined(parts: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Parts with the same name as one list."""
    found: dict[str, Any] = {}
    for key, part in parts:
        if key in found and isinstance(found[key], list) and isinstance(part, list | tuple):
            found[key] = [*found[key], *part] if len(found[key]) < MAX_CELLS else found[key]
        elif key not in found:
            found[key] = list(part) if isinstance(part, tuple) else part
    return found


def _plain(cell: Any) -> Any:
    """A cell; a list of plain values is one text, and so is what is left of an object."""
    if isinstance(cell, list | tuple):
        return ", ".join(str(item) for item in cell) if cell else None
    if isinstance(cell, Mapping):
        return clip(json.dumps(cell, ensure_ascii=False, default=str), 4_000) if cell else None
    return cell


# --- texts


def _read_text(text: str) -> Any:
    """A text as JSON, as tables, as lines of keys and values, or as it is."""
    stripped = text.lstrip("\ufeff").strip()
    for read in _READERS:
        found = read(stripped)
        if found is not None:
            return found
    return stripped


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        raise too_many_cells()
    return lines


def _json(text: str) -> Any:
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=lambda _: None)
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        return _json_lines(text)


def _json_lines(text: str) -> Any:
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        found = [json.loads(line, parse_float=Decimal, parse_constant=lambda _: None) for line in lines]
    except (ValueError, RecursionError):
        return None
    return found if len(found) > 1 else None


def _markdown(text: str) -> list[TableRead] | None:
    """The tables of a text with bars: a line of headings, a rule, and rows."""
    if "|" not in text or "--" not in text:
        return None
    lines = _lines(text)
    found: list[TableRead] = []
    at = end = 0
    while at + 1 < len(lines):
        if "|" in lines[at] and "|" in lines[at + 1] and _RULE.fullmatch(lines[at + 1]):
            above = lines[max(end, at - _CAPTION) : at]
            end = at + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            cells = [_bars(line) for line in lines[at + 2 : end]]
            below = takewhile(lambda line: "|" not in line, lines[end : end + _CAPTION])
            found.append(TableRead("", _bars(lines[at]), list(cells), "\n".join((*above, *below))))
            at = end
        else:
            at += 1
    return found or None


def _bars(line: str) -> list[Any]:
    return [cell.strip().strip("*").strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _separated(text: str) -> TableRead | None:
    """CSV with any of the usual signs, where every line has as many cells as the headings."""
    lines = [line for line in _lines(text) if line.strip()]
    if len(lines) < 2:
        return None
    for sign in _DELIMITERS:
        if sign not in lines[0] or sum(sign in line for line in lines[:_SAMPLE]) < min(len(lines), _SAMPLE):
            continue
        try:
            rows = list(csv.reader(lines, delimiter=sign, skipinitialspace=True))
        except csv.Error:
            continue
        width = len(rows[0])
        heads = [cell.strip() for cell in rows[0]]
        if width > 1 and all(len(row) == width for row in rows) and _are_headings(heads):
            return TableRead("", heads, [[cell.strip() for cell in row] for row in rows[1:]])
    return None


def _are_headings(heads: Sequence[str]) -> bool:
    """Whether these are names of columns rather than a sentence cut at its commas."""
    named = [head for head in heads if head]
    short = all(len(head) <= _LONGEST_KEY and len(head.split()) <= 6 for head in named)
    return bool(named) and short and len(set(named)) == len(named) and not named[-1].endswith((".", "!", "?", "。"))


_SHORTENED = re.compile(r"(?:.*\s)?\w{1,4}\.")


def _is_sentence(key: str) -> bool:
    """Whether a key ends as a sentence does; `Application no.` does not."""
    return " " in key and key[-1:] in ".!?" and _SHORTENED.fullmatch(key) is None


def _key_values(text: str) -> Any:
    """Lines of `key: value` as one row; several blocks of the same keys as several, what stands above them as a row of its own."""
    blocks: list[dict[str, str]] = [{}]
    others, apart = 0, False
    above: dict[str, str] = {}
    for line in _lines(text):
        if not line.strip():
            apart = True
            continue
        found = _KEY_VALUE.fullmatch(line)
        if found is None or len(found["key"].split()) > 6:
            others += 1
            continue
        key = found["key"].strip().strip("*")
        if key in blocks[-1]:
            blocks.append({})
        elif apart and len(blocks) == 1 and not above:
            above, blocks = blocks[0], [{}]
        blocks[-1][key] = (found["value"] or "").strip()
        apart = False
    if len(blocks) == 1 or not above.keys().isdisjoint(blocks[0]):
        blocks[0], above = {**above, **blocks[0]}, {}
    told = len(above) + sum(map(len, blocks))
    if told < 2 or others > told // 2 or any(map(_is_sentence, above or blocks[0])):
        return None
    if above:
        return {**above, "rows": blocks}
    return blocks if len(blocks) > 1 else blocks[0]


_READERS: tuple[Callable[[str], Any], ...] = (_json, _markdown, _separated, _key_values)
