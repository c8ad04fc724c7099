"""SQL text for the few statements of our own that cannot take bind parameters: opening files, looking at columns."""

from __future__ import annotations


def identifier(name: str) -> str:
    """A name, quoted."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | int) -> str:
    """A text, number or truth value, quoted."""
    return str(value).lower() if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def free_name(name: str, taken: set[str]) -> str:
    """The name, with a number behind it if it is already taken; DuckDB does not tell case."""
    candidate, number = name, 2
    while candidate.casefold() in taken:
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate.casefold())
    return candidate
