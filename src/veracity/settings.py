"""Settings: what the environment may set, each under the name `VERACITY_...`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from veracity.errors import UsageError

_FALSE = {"", "0", "false", "no", "off"}


def _default_home() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "veracity"


def _memory(text: str) -> str:
    size = re.fullmatch(r"(\d{1,6})\s*([MGT])i?B", text, re.ASCII)
    if not size or not 32 <= int(size[1]) * {"M": 1, "G": 1_000, "T": 1_000_000}[size[2]] <= 64_000_000:
        raise ValueError("write it from 32MB to 64TB, such as 2GB")
    return text


class Settings(BaseModel):
    """Limits and places; `Settings.from_env()` reads `VERACITY_ROW_LIMIT` into `row_limit`, and so on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path = Field(default_factory=_default_home)
    """The data folder: the store, and the shipped data sets once built."""
    database: str | None = Field(default=None, max_length=2_000)
    """Where traces, events, taught words, reviews and validations are kept: `postgresql://...` or a file; without it, `veracity.sqlite` in `home`."""
    row_limit: int = Field(default=200, ge=1, le=100_000)
    """How many rows one call returns at most."""
    statement_timeout: float = Field(default=30.0, gt=0, le=86_400)
    """Seconds after which a running statement is cancelled."""
    memory_limit: Annotated[str, AfterValidator(_memory)] = "2GB"
    """How much memory an embedded engine may use, from 32MB to 64TB."""
    max_text_file: int = Field(default=4_000_000_000, ge=1)
    """Bytes above which a CSV or JSON file is not opened."""
    disable_ontology: Annotated[
        bool, BeforeValidator(lambda v: v.lower() not in _FALSE if isinstance(v, str) else v)
    ] = False
    """Switches every ontology off; for evaluations only."""

    encoder: str | None = Field(default=None, max_length=2_000)
    """What makes the vectors of new search indexes: built-in, https://HOST/v1#MODEL, or the folder of an encoder."""
    trace_rows: Annotated[bool, BeforeValidator(lambda v: v.lower() not in _FALSE if isinstance(v, str) else v)] = False
    """Keeps all rows of a question's results in its trace, not only the cells that the answer cites."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """The settings of this environment; a value that does not fit is a `UsageError` that names its variable."""
        values = {name: environ[key] for name in cls.model_fields if (key := f"VERACITY_{name.upper()}") in environ}
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            name = f"VERACITY_{str(first['loc'][0]).upper()}"
            raise UsageError(
                f"{name} cannot be {first['input']!r}: {first['msg'].removeprefix('Value error, ').lower()}."
            ) from None
