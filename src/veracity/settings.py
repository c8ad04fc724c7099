"""Settings: what flags, the environment and `veracity.toml` may set; a flag beats the environment, which beats the file."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from veracity.errors import UsageError

PREFIX = "VERACITY_"
FILE = "veracity.toml"
NAMED_BY = "VERACITY_CONFIG"
"""The variable that names another file."""
ASKING: Mapping[str, type] = {
    "source": str,
    "feature": str,
    "ontology": str,
    "scope": dict,
    "model": str,
    "lang": str,
    "tools": str,
    "assume": bool,
    "prose": bool,
    "guard": str,
    "schema": str,
    "answers": str,
    "rounds": int,
    "seconds": float,
    "timeout": float,
}
"""What questions are asked with, at the command line and on a server, and what each of it is."""
DATA = ("source", "feature", "ontology", "scope")
"""They belong together: whoever names a source or a feature leaves those of the lower ranks out."""
SECTIONS = ("serve", "rerank")
ALONE = ("API_KEY", "ENCODER_KEY", "QDRANT_API_KEY", "CONFIG", "DATA")
"""Variables that no file can set: keys, the file itself, and the data of the benchmarks."""
Made = TypeVar("Made", bound=BaseModel)
_PATHS = ("source", "ontology", "guard", "home", "database", "reports", "corpus")
_FALSE = {"", "0", "false", "no", "off"}


def _default_home() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "veracity"


def _memory(text: str) -> str:
    size = re.fullmatch(r"(\d{1,6})\s*([MGT])i?B", text, re.ASCII)
    if not size or not 32 <= int(size[1]) * {"M": 1, "G": 1_000, "T": 1_000_000}[size[2]] <= 64_000_000:
        raise ValueError("write it from 32MB to 64TB, such as 2GB")
    return text


# --- the file


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What `veracity.toml` says; without one, nothing."""

    name: str = FILE
    values: Mapping[str, Any] = field(default_factory=dict)
    """What stands at its top."""
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ) -> SettingsFile:
        """The file that `VERACITY_CONFIG` names, or `veracity.toml` in the current folder; a name that is not known is refused."""
        named = environ.get(NAMED_BY)
        path = Path(named or FILE).expanduser()
        try:
            found = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            if named:
                raise UsageError(f"There is no file {named[:200]!r}, which {NAMED_BY} names.") from None
            return cls()
        except (OSError, ValueError) as error:
            why = "cannot be read" if isinstance(error, OSError) else f"is not TOML: {_first_line(error)}"
            raise UsageError(f"{path} {why}.") from None
        sections = {name: found.pop(name) for name in SECTIONS if name in found}
        made = cls(str(path), _at_home(found, path), {name: _at_home(held, path) for name, held in sections.items()})
        made._check()
        return made

    def _check(self) -> None:
        for name, held in self.sections.items():
            if not isinstance(held, Mapping):
                raise UsageError(f"{name} in {self.name} is a section: write [{name}] above its keys.")
        refuse_unknown(self.values, [*Settings.model_fields, *ASKING, *SECTIONS], self.name)
        for name, kind in ASKING.items():
            value = self.values.get(name)
            fits = isinstance(value, (int, float) if kind is float else kind) and isinstance(value, bool) == (
                kind is bool
            )
            if value is not None and not fits:
                what = {str: "a text", int: "a number", float: "a number", bool: "true or false"}.get(
                    kind, '{key = "value"}'
                )
                raise UsageError(f"{name} in {self.name} is {what}, not {str(value)[:60]!r}.")


def refuse_unknown(names: Iterable[str], known: Sequence[str], where: str) -> None:
    """Raise for the first name that nothing reads, with the nearest that something does."""
    for name in names:
        if name not in known:
            raise UsageError(f"{where} has a key {name[:60]!r} that is not known{_meant(name, known)}")


def _meant(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else "; docs/configuration.md lists all."


def _at_home(values: Any, path: Path) -> Any:
    """Paths in a file are seen from its folder."""
    folder = path.parent
    if not isinstance(values, Mapping) or folder == Path():
        return values
    return {
        name: str(folder / Path(value).expanduser())
        if name in _PATHS and isinstance(value, str) and "://" not in value
        else value
        for name, value in values.items()
    }


def _first_line(error: ValueError) -> str:
    return str(error).splitlines()[0].rstrip(".")[:200]


# --- ranks: what was said first counts


@dataclass(frozen=True, slots=True)
class SettingsRank:
    """What one place says, and what a key is called there."""

    called: str
    """With {name} or {NAME} for the key."""
    values: Mapping[str, Any]

    def name_of(self, key: str) -> str:
        """What the key is called there."""
        return self.called.format(name=key.replace("_", "-") if self.called.startswith("--") else key, NAME=key.upper())


def in_environment(environ: Mapping[str, str], prefix: str, names: Iterable[str]) -> SettingsRank:
    """What the environment says of some keys."""
    held = {name: environ[key] for name in names if (key := f"{prefix}{name.upper()}") in environ}
    return SettingsRank(f"{prefix}{{NAME}}", held)


def joined(ranks: Sequence[SettingsRank]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of all ranks, the first of which counts, and what each key was called where it was said."""
    values: dict[str, Any] = {}
    called: dict[str, str] = {}
    closed = False
    for rank in ranks:
        for name, value in rank.values.items():
            if name not in values and not (closed and name in DATA):
                values[name], called[name] = value, rank.name_of(name)
        closed = closed or "source" in rank.values or "feature" in rank.values
    return values, called


def fitted(kind: type[Made], ranks: Sequence[SettingsRank]) -> Made:
    """The settings that the ranks make; a value that does not fit is a `UsageError` that says where it stands."""
    values, called = joined(ranks)
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = called.get(str(first["loc"][0]), str(first["loc"][0]))
        why = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{name} cannot be {str(first['input'])[:60]!r}: {why[:1].lower()}{why[1:]}.") from None


def read_scope_text(text: str) -> dict[str, str]:
    """`mandateId=m-1,featureInstanceId=f-1`, as an environment variable says a scope."""
    entries = [entry.partition("=") for entry in text.split(",") if entry.strip()]
    if any(not name.strip() or not found for name, found, _ in entries):
        raise ValueError("write it as key=value,key=value")
    return {name.strip(): held for name, _, held in entries}


def asked_with(environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """What environment and file say of how questions are asked, for commands whose flags do not."""
    file = SettingsFile.read(environ)
    top = {name: value for name, value in file.values.items() if name in ASKING}
    values, _ = joined([in_environment(environ, PREFIX, ASKING), SettingsRank(f"{{name}} in {file.name}", top)])
    if isinstance(scope := values.get("scope"), str):
        try:
            values["scope"] = read_scope_text(scope)
        except ValueError as error:
            raise UsageError(f"{PREFIX}SCOPE cannot be {scope[:60]!r}: {error}.") from None
    return values


def unknown_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """A sentence for each variable that looks like one of ours and is none; sections look after their own."""
    known = [f"{PREFIX}{name.upper()}" for name in (*Settings.model_fields, *ASKING, *ALONE)]
    others = tuple(f"{PREFIX}{name.upper()}_" for name in SECTIONS)
    return [
        f"{name} is not known{_meant(name, known)}"
        for name in sorted(environ)
        if name.startswith(PREFIX) and name not in known and not name.startswith(others)
    ]


def refuse_unknown_variables(prefix: str, known: Iterable[str], environ: Mapping[str, str] = os.environ) -> None:
    """Raise for the first variable of a section that nothing reads."""
    names = [f"{prefix}{name.upper()}" for name in known]
    for name in sorted(environ):
        if name.startswith(prefix) and name not in names:
            raise UsageError(f"{name} is not known{_meant(name, names)}")


# --- limits and places


def _switch(value: Any) -> Any:
    return value.lower() not in _FALSE if isinstance(value, str) else value


class ModelPrice(BaseModel):
    """What a model costs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, le=1_000_000)
    """For a million tokens that it reads."""
    output: float = Field(ge=0, le=1_000_000)
    """For a million tokens that it writes."""


class Settings(BaseModel):
    """Limits and places; `Settings.from_env()` reads `VERACITY_ROW_LIMIT`, or `row_limit` of `veracity.toml`, into `row_limit`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path = Field(default_factory=_default_home)
    """The data folder: the store, and the shipped data sets once built."""
    database: str | None = Field(default=None, max_length=2_000)
    """The store of traces, events, taught words, reviews and validations: `postgresql://...` or a file."""
    row_limit: int = Field(default=200, ge=1, le=100_000)
    """How many rows one call returns at most."""
    statement_timeout: float = Field(default=30.0, gt=0, le=86_400)
    """Seconds after which a running statement is cancelled."""
    memory_limit: Annotated[str, AfterValidator(_memory)] = "2GB"
    """How much memory an embedded engine may use, from 32MB to 64TB."""
    max_text_file: int = Field(default=4_000_000_000, ge=1)
    """Bytes above which a CSV or JSON file is not opened."""
    disable_ontology: Annotated[bool, BeforeValidator(_switch)] = False
    """Switches every ontology off; for evaluations only."""
    encoder: str | None = Field(default=None, max_length=2_000)
    """What makes the vectors of new search indexes: built-in, https://HOST/v1#MODEL, or the folder of an encoder."""
    trace_rows: Annotated[bool, BeforeValidator(_switch)] = False
    """Keeps all rows of a question's results in its trace, not only the cells that the answer cites."""
    trace_prompts: Annotated[bool, BeforeValidator(_switch)] = True
    """Keeps what a model was sent and what it replied in the trace of a question, without rows of results."""
    prices: dict[str, ModelPrice] = {}
    """What each model costs, by its name; in the file only."""
    currency: str = Field(default="USD", min_length=1, max_length=10)
    """The currency of the prices."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """The settings of this environment and of `veracity.toml`; a value that does not fit is a `UsageError` that says where it stands."""
        file = SettingsFile.read(environ)
        own = {name: value for name, value in file.values.items() if name in cls.model_fields}
        names = [name for name in cls.model_fields if name != "prices"]
        return fitted(cls, [in_environment(environ, PREFIX, names), SettingsRank(f"{{name}} in {file.name}", own)])
