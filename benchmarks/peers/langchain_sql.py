# mypy: disable-error-code="import-not-found,misc"
"""LangChain's SQL agent: `create_agent` with the SQL toolkit, its own prompt, the schema and the hints.

LangChain's tutorial "Build a SQL agent" has had two forms: the toolkit's tools, or the tables with sample rows in the prompt. Here
it gets both.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from langchain.agents import create_agent
from langchain_community.agent_toolkits.sql.prompt import SQL_FUNCTIONS_SUFFIX, SQL_PREFIX
from langchain_community.agent_toolkits.sql.toolkit import SQLDatabaseToolkit
from langchain_community.utilities import SQLDatabase
from langchain_core.callbacks import BaseCallbackHandler
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphRecursionError
from peer_lines import Ask, Lines, Setup, serve

_MOST_ROWS = 20
_MOST_STEPS = 50
"""LangGraph's steps, two per round: far more rounds than a question needs."""


class Watch(BaseCallbackHandler):
    """Tells what the agent does, its query checker included."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self._running: dict[Any, str] = {}

    def on_llm_end(self, response: Any, **_: Any) -> None:
        """The model answered."""
        usage = getattr(response.generations[0][0].message, "usage_metadata", None) or {}
        self.lines.model_call(usage.get("input_tokens", 0), usage.get("output_tokens", 0))

    def on_tool_start(self, serialized: Any, input_str: str, **about: Any) -> None:
        """A tool is called; only the one that asks the database counts."""
        if serialized.get("name") == "sql_db_query":
            self._running[about["run_id"]] = str((about.get("inputs") or {}).get("query", input_str))

    def on_tool_end(self, output: Any, **about: Any) -> None:
        """The database answered; the toolkit hands its errors on as text."""
        sql, said = self._running.pop(about["run_id"], None), str(getattr(output, "content", output))
        if sql is not None:
            self.lines.statement(sql, said if said.startswith("Error:") else None)


def build(setup: Setup, lines: Lines) -> Ask:
    """The agent over the ledger."""
    database = SQLDatabase.from_uri(f"sqlite:///file:{setup.database}?mode=ro&uri=true")
    model = ChatOpenAI(
        model=setup.model,
        base_url=setup.endpoint,
        api_key=setup.key,
        temperature=0,
        max_retries=0,
        timeout=setup.timeout,
    )
    rules = SQL_PREFIX.format(dialect=database.dialect, top_k=_MOST_ROWS)
    prompt = f"{rules}\n{SQL_FUNCTIONS_SUFFIX}\n\nThe tables:\n{database.get_table_info()}\n\n{setup.guidance}"
    tools = SQLDatabaseToolkit(db=database, llm=model).get_tools()

    def ask(question: str, language: str) -> str:
        agent = create_agent(model, tools, system_prompt=f"{prompt}\n\nToday is {date.today()}. Answer in {language}.")
        asked = {"messages": [{"role": "user", "content": question}]}
        try:
            done = agent.invoke(asked, config={"callbacks": [Watch(lines)], "recursion_limit": _MOST_STEPS})
        except GraphRecursionError:
            return ""  # as with our own modes: too many rounds are no answer, and no error
        return str(done["messages"][-1].text)

    return ask


if __name__ == "__main__":
    serve(build, ["langchain", "langchain-community", "langchain-openai", "langgraph", "SQLAlchemy"])
