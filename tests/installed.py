"""What a test needs from the system: without it, a test is skipped, but never in CI."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def lacking(what: str, package: str) -> NoReturn:
    """Skip this test, or fail it in CI, where everything is installed."""
    message = f"{what} is not installed (Debian: apt-get install {package})"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)
