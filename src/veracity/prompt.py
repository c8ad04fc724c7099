"""The prompt: role and rules, then the tables, then the question. What changes per question stands last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from veracity.locale import pick
from veracity.ontology.compiler import compile_prompt, schema_prompt
from veracity.ontology.schema import Schema
from veracity.patterns import Filled, template
from veracity.query.catalog import Catalog, field_types

_LANGUAGE_NAMES = {"de": "German", "en": "English", "zh": "Chinese"}

_ROLE = """\
You answer questions about data. You never make anything up: every figure comes from a tool result.
1. Get rows with queryTable or aggregateTable. Take up everything the question names: period, account, group, customer.
   A result has an id: r1, r2, ... If a call fails, read errorDetails and send a corrected call.
2. Then call answer with one short sentence. NEVER type a figure: write an expression, the runtime computes it.
   {{ r1[0].closingBalance }} one cell, {{ r1[accountNumber='1020'].closingBalance }} the cell of that row,
   {{ sum(r1.closingBalance) }} also count(r1) min max avg, + - * /, percent(a, b), round(x, 2), date(r1[0].bookingDate),
   {{ rows(r1.accountNumber, r1.closingBalance) }} all rows. Only columns that the result has.
   Years and dates from the question may be repeated.
3. If the question leaves something open, call clarify. If the data does not hold it, call abstain."""

_TEXT_RULE = """\
2. Then call answer with one short sentence. Copy figures exactly as they stand in the result, and name the row and the
   column they come from. Do not calculate."""

ANSWER_TOOLS: tuple[Schema, ...] = (
    {
        "name": "clarify",
        "description": "Ask the user one question back, with suggested answers, when something needed is not said.",
        "parameters": {
            "type": "object",
            "properties": {
                "question": {"type": "string"},
                "options": {"type": "string", "description": "Up to four suggested answers, separated by |"},
            },
            "required": ["question", "options"],
            "additionalProperties": False,
        },
    },
    {
        "name": "abstain",
        "description": "Say that the data does not hold the answer, and what is missing.",
        "parameters": {
            "type": "object",
            "properties": {"reason": {"type": "string"}},
            "required": ["reason"],
            "additionalProperties": False,
        },
    },
    {
        "name": "answer",
        "description": "The answer, once the results are there. Figures only as {{ expressions }} over results.",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        },
    },
)
"""The tools that end a run; `answer` last, so that leaving it out keeps the cached prefix before it."""


def instructions(catalog: Catalog, lang: str, *, hints: str = "", answers: str = "bound") -> str:
    """The prefix that is the same for every question in a language, so that endpoints can cache it."""
    role = _ROLE if answers == "bound" else _role_for_text()
    types = field_types(catalog)
    if catalog.ontology is None:
        block = schema_prompt(types, hints, lang)
    else:
        block = compile_prompt(catalog.ontology, lang, types=types)
    return f"{role}\n\n{block}"


def _role_for_text() -> str:
    first, rest = _ROLE.split("2. Then", 1)
    return f"{first}{_TEXT_RULE}\n3.{rest.split('3.', 1)[1]}"


def question_context(lang: str, locale: str, today: date, patterns: Sequence[Filled] = ()) -> str:
    """What a model should know for this question: the day, the language, and calls that answer questions like it."""
    lines = [f"Today is {today.isoformat()}. Answer in {_LANGUAGE_NAMES.get(lang, 'English')}."]
    for filled in patterns:
        fits = "This fits" if filled.complete else "Similar, with other values"
        # Without a word about it, small models fill in a limit of 1.
        calls = " and ".join(
            f"{call.tool} {_compact({**call.args, 'limit': call.args.get('limit')})}" for call in filled.calls
        )
        lines.append(f"{fits} ({pick(filled.pattern.description, lang) or filled.pattern.intent}). First call {calls}")
        if filled.pattern.answer:
            names = [f"r{number}" for number in range(1, len(filled.calls) + 1)]
            lines.append(f"When {' and '.join(names)} came back, answer: {template(filled, lang, locale, names)}")
    return "\n".join(lines)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
