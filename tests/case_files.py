"""Case files: YAML, read by the parser in C. Thousands of cases are read before the first test starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


Case = TypeVar("Case")


def held(cases: Sequence[Case], config: pytest.Config, *, one_in: int, first: int = 0) -> Sequence[Case]:
    """Of labelled sets that measure more than they test: one in so many in every run, all of them with --whole-sets (`make sets`)."""
    return cases if config.getoption("whole_sets") else cases[first % one_in :: one_in]


def read_yaml(path: Path) -> Any:
    """What a YAML file holds."""
    return yaml.load(path.read_text(encoding="utf-8"), LOADER)
