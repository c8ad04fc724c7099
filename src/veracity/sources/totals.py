"""Rows that add up the rows above them: SUM would count everything twice."""

from __future__ import annotations

import math
import re
from typing import Any

_CLOSE = 1e-12
_LABELS = (
    r"(?:grand |sub-?|over-?all |zwischen-?|gesamt-?|end-?|jahres-?|monats-?)?"
    r"(?:total|totals|totale|sum|summe|somme|suma|subtotal|gesamt|gesamtbetrag|insgesamt|überhaupt)"
)
_CHINESE = r"(?:合计|总计|小计|总和|总额|合計|総計|小計|共计)"
LABEL = rf"(?i)(?:{_LABELS}(?:[ :.(/-].{{0,30}})?|{_CHINESE}.{{0,10}})"
"""A cell that names a row of totals; read alike by Python and by the engine."""
_LABEL = re.compile(LABEL)


def is_label(text: str) -> bool:
    """Whether a cell calls its row a total."""
    return _LABEL.fullmatch(text.strip()) is not None


def adds_up(value: Any, added: Any) -> bool:
    """Whether a figure is the sum of others: exactly, or as exactly as floats can be."""
    if value is None or not added:
        return False
    if isinstance(value, float) or isinstance(added, float):
        return math.isclose(value, added, rel_tol=_CLOSE)
    return bool(value == added)


def left_out(label: str) -> str:
    """What is said of a row that certainly is a total."""
    return f"{label!r} is the sum of the rows above; it is left out, so that nothing is counted twice."


def suspected(count: int, label: str) -> str:
    """What is said of rows that may be totals."""
    rows = "A row looks" if count == 1 else f"{count} rows look"
    return f"{rows} like a total, such as {label!r}; a sum over all rows counts it twice: filter it out."
