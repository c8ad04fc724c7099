"""Rows that something was done to, within a time: cancelled, 2024. The time is that of another day, which must be said."""

from __future__ import annotations

import re

from veracity.language.folding import folded_text
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, SemanticQuery, parts_of
from veracity.sources.source import ColumnType

_DONE = re.compile(r"\w{2,}ed|\w*iert|\w*ge\w{2,}(?:t|en)|已\w+")
"""Cancelled, storniert, abgeschlossen."""


def is_done(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether a query asks for rows by what was done to them, as a stored word of theirs says."""
    for part in parts_of(query.where):
        if isinstance(part, Comparison) and part.op == "=" and isinstance(part.value, str):
            entity, _, field = part.field.rpartition(".")
            facts = model.things[entity].fields.get(field) if entity in model.things and entity == query.of else None
            if facts is not None and facts.column.type is ColumnType.TEXT and _DONE.fullmatch(folded_text(part.value)):
                return True
    return False
