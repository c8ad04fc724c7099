"""The prompt: role and rules, then the tables, then the question. What changes per question stands last."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from veracity.agent.loop import Run
from veracity.answer.expression import quoted
from veracity.ask.conversation import Conversation
from veracity.ask.understood import SHOWN_UNKNOWN, UnderstoodQuestion
from veracity.language.locale import pick
from veracity.language.texts import say
from veracity.ontology.compiler import compile_prompt, schema_prompt
from veracity.ontology.fields import FieldRole
from veracity.ontology.questions import CanonicalQueryPattern, ToolCall
from veracity.ontology.schema import Schema
from veracity.query.catalog import Catalog, field_types
from veracity.sources.source import NUMERIC, ColumnType

_LANGUAGE_NAMES = {"de": "German", "en": "English", "zh": "Chinese"}

_FIRM = {
    "de": """\
Strikte Regeln; eine Antwort, die sie verletzt, wird abgefangen:
- Keine Daten ohne Werkzeugaufruf: zuerst abfragen, dann antworten.
- Keine Beispieldaten und nichts Erfundenes (Kunde 1, Max Mustermann, Alice, Bob): nur was ein Ergebnis enthält.
- Schlägt ein Werkzeug fehl, sage das; nie aus einer Fehlermeldung Daten ableiten.""",
    "en": """\
Strict rules; an answer that breaks one is stopped:
- No data without a tool call: query first, answer later.
- No sample data and nothing made up (User 1, John Doe, Alice, Bob): only what a result holds.
- If a tool fails, say so; never derive data from an error.""",
    "zh": """\
严格规则，违反的回答会被系统拦截：
- 没有调用工具就不能给出任何数据：先查询，后回答。
- 禁止示例数据和编造的数据（用户1、张三、Alice、Bob）：只能使用结果中的内容。
- 工具失败时要明确说明，不得根据错误信息推测数据。""",
}
"""The rules that must not be broken, in the asker's language."""

_ROLE = """\
You answer questions about data. You never make anything up: every figure comes from a tool result.
1. {get} Take up everything the question names: period, account, group, customer.
   A result has an id: r1, r2, ... If a call fails, read errorDetails and send a corrected call.
{say}
3. If the question leaves something open, call clarify. If the data does not hold it, call abstain."""

_GET = {
    "table": "Get rows with queryTable or aggregateTable.",
    "sql": "Get rows with execute_sql_safe: one SELECT, {dialect} SQL, only the tables and columns below, names in double quotes.",
    "file": "First call inspect_file, then get rows with analyze_dataframe (operation browse, query or aggregate).",
}
_SAY = {
    "bound": """\
2. Then call answer with one short sentence. NEVER type a figure: write an expression, the runtime computes it.
   {{ r1[0].AMOUNT }} one cell, {{ r1[NAME='1020'].AMOUNT }} the cell of that row,
   {{ sum(r1.AMOUNT) }} also count(r1) min max avg, + - * /, percent(a, b), round(x, 2), date(r1[0].DAY),
   {{ rows(r1.NAME, r1.AMOUNT) }} all rows. Only columns that the result has.
   Years and dates from the question may be repeated.""",
    "text": """\
2. Then call answer with one short sentence. Copy figures exactly as they stand in the result, and name the row and the
   column they come from. Do not calculate.""",
}

_FOUR_OPTIONS = r'^[^|"\\\n]{0,40}(\|[^|"\\\n]{0,40}){0,3}$'
"""Small models that are held to a grammar go on listing until their last token."""

ANSWER_TOOLS: tuple[Schema, ...] = (
    {
        "name": "clarify",
        "description": "Ask the user one question back, with suggested answers, when something needed is not said.",
        "parameters": {
            "type": "object",
            "properties": {
                "question": {"type": "string"},
                "options": {
                    "type": "string",
                    "pattern": _FOUR_OPTIONS,
                    "description": "Up to four suggested answers, separated by |",
                },
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


def instructions(
    catalog: Catalog, lang: str, *, hints: str = "", answers: str = "bound", kind: str = "table", dialect: str = ""
) -> str:
    """The prefix that is the same for every question in a language, so that endpoints can cache it."""
    role = _ROLE.replace("{get}", _GET[kind].format(dialect=dialect)).replace(
        "{say}", _with_names(_SAY[answers], catalog)
    )
    types = field_types(catalog)
    if catalog.ontology is None:
        block = schema_prompt(types, hints, lang)
    else:
        block = compile_prompt(catalog.ontology, lang, types=types, semantic=False)
    example = _example(catalog, kind) if answers == "bound" else ""
    return f"{pick(_FIRM, lang)}\n\n{role}{example}\n\n{block}"


def _with_names(text: str, catalog: Catalog) -> str:
    """The rule with columns that there are: a small model asks about whatever an example names."""
    found = {"AMOUNT": "amount", "NAME": "name", "DAY": "day"}
    for entity in reversed(list(catalog.entities.values())):
        fields = [
            (name, facts, facts.declared.role if facts.declared else None) for name, facts in entity.fields.items()
        ]
        numbers = [name for name, facts, _role in fields if facts.column.type in NUMERIC and not facts.identifier]
        ends = [name for name, facts, _role in fields if facts.declared and facts.declared.moment == "end"]
        codes = [name for name, _facts, role in fields if role in (FieldRole.CODE, FieldRole.NAME)]
        texts = [name for name, facts, _role in fields if facts.column.type is ColumnType.TEXT]
        days = [name for name, facts, role in fields if role is FieldRole.DATE or facts.column.type is ColumnType.DATE]
        if numbers and texts:
            found |= {"AMOUNT": (ends or numbers)[0], "NAME": (codes or texts)[0]}
        found["DAY"] = days[0] if days else found["DAY"]
    return re.sub("AMOUNT|NAME|DAY", lambda match: quoted(found[match.group()]), text)


def _example(catalog: Catalog, kind: str) -> str:
    """One question, worked; about a table that there is, because small models copy names."""
    free = (entity.name for entity in catalog.entities.values() if not entity.required_filters)
    table = next(free, None)
    if table is None:
        return ""
    counted = {"tableName": table, "aggregate": "COUNT"}
    counting = 'SELECT COUNT(*) AS "count" FROM "' + table.replace('"', '""') + '"'
    calls = {
        "table": f"aggregateTable {_compact(counted)}",
        "sql": f"execute_sql_safe {_compact({'sql': counting})}",
        "file": f"inspect_file {{}}, then analyze_dataframe {_compact({'operation': 'aggregate', **counted})}",
    }
    return (
        f"\nExample: how many rows has {table}? {calls[kind]} -> r1; then answer: There are {{{{ r1[0].count }}}} rows."
    )


def prompted_run(
    question: UnderstoodQuestion,
    conversation: Conversation,
    *,
    told: str,
    patterns: Sequence[CanonicalQueryPattern] = (),
    unknown: Sequence[str] = (),
    speak: Callable[[ToolCall], ToolCall],
) -> Run:
    """A run that begins with what a model is sent: the earlier turns, what it is told, the context and the question itself."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    context = question_context(question.lang, question.today, patterns, speak, unknown=unknown[:SHOWN_UNKNOWN])
    if earlier := conversation.earlier_results():
        context = f"{context}\n{earlier}"
    parts = [UserPromptPart(context), UserPromptPart(question.full)]
    return Run(
        [*conversation.messages(), ModelRequest(parts=parts, instructions=told)],
        dict(conversation.results),
        way_out=_way_out(unknown, question.lang),
    )


def _way_out(unknown: Sequence[str], lang: str) -> str | None:
    """How to end where the question is about something that the data does not have: the call that declines."""
    if not unknown:
        return None
    reason = say("not_in_data", lang, words=", ".join(unknown[:SHOWN_UNKNOWN]))
    return f"abstain {json.dumps({'reason': reason}, ensure_ascii=False)}"


def question_context(
    lang: str,
    today: date,
    patterns: Sequence[CanonicalQueryPattern] = (),
    speak: Callable[[ToolCall], ToolCall] = lambda call: call,
    *,
    unknown: Sequence[str] = (),
) -> str:
    """What a model should know for this question: the day, the language, and calls that answer questions like it."""
    lines = [f"Today is {today.isoformat()}. Answer in {_LANGUAGE_NAMES.get(lang, 'English')}."]
    for pattern in patterns:
        calls = " and ".join(_call_as_text(speak(call)) for call in pattern.fill({}))
        described = pick(pattern.description, lang) or pattern.intent
        lines.append(f"Similar, with other values ({described}). First call {calls}")
    if unknown:
        called = ", ".join(unknown)
        lines.append(
            f"Nothing in the data is called {called}. If no table or field means that, call abstain and say so."
        )
    return "\n".join(lines)


def _call_as_text(call: ToolCall) -> str:
    # Without a word about it, small models fill in a limit of 1.
    limited = {"limit": call.args.get("limit")} if "tableName" in call.args else {}
    return f"{call.tool} {_compact({**call.args, **limited})}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
