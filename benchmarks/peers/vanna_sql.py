# mypy: disable-error-code="import-not-found,misc,no-any-return"
"""Vanna 2: its agent with the SQL tool; tables and hints stand in the system prompt.

As Vanna's migration guide has it: what used to be training is now the system prompt. Its memory tools are left out: they
need an embedding model, and every question here is a first one.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from peer_lines import Ask, Lines, Setup, serve, table_text, tables
from vanna import Agent, AgentConfig
from vanna.core.middleware import LlmMiddleware
from vanna.core.registry import ToolRegistry
from vanna.core.system_prompt import DefaultSystemPromptBuilder
from vanna.core.user import RequestContext, User, UserResolver
from vanna.integrations.local import LocalFileSystem
from vanna.integrations.local.agent_memory import DemoAgentMemory
from vanna.integrations.openai import OpenAILlmService
from vanna.integrations.sqlite import SqliteRunner
from vanna.tools import RunSqlTool


class Model(OpenAILlmService):
    """Vanna's client. It drops the configured temperature; here it is sent. And it keeps what went wrong."""

    problem: Exception | None = None

    def _build_payload(self, request: Any) -> dict[str, Any]:
        return {**super()._build_payload(request), "temperature": request.temperature}

    async def send_request(self, request: Any) -> Any:
        """Ask the model. The agent swallows what is raised here, and only says that something was."""
        try:
            return await super().send_request(request)
        except Exception as error:
            self.problem = error
            raise


class Prompt(DefaultSystemPromptBuilder):
    """Vanna's own prompt, then the tables and the hints."""

    def __init__(self, knowledge: str) -> None:
        super().__init__()
        self.knowledge = knowledge
        self.language = "English"

    async def build_system_prompt(self, user: Any, tools: Any) -> str:
        """The prompt of the running question."""
        return f"{await super().build_system_prompt(user, tools)}\n\n{self.knowledge}\n\nAnswer in {self.language}."


class Count(LlmMiddleware):
    """Tells what the model was asked."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines

    async def after_llm_response(self, request: Any, response: Any) -> Any:
        """The model answered."""
        _ = request
        usage = response.usage or {}
        self.lines.model_call(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0))
        return response


class Runner(SqliteRunner):
    """Tells what the database was asked."""

    def __init__(self, path: str, lines: Lines) -> None:
        super().__init__(path)
        self.lines = lines

    async def run_sql(self, args: Any, context: Any) -> Any:
        """Run it as Vanna does."""
        try:
            found = await super().run_sql(args, context)
        except Exception as error:
            self.lines.statement(args.sql, str(error))
            raise
        self.lines.statement(args.sql)
        return found


class OneUser(UserResolver):
    """Nobody else is here."""

    async def resolve_user(self, request_context: Any) -> User:
        """The user, whoever asks."""
        _ = request_context
        return User(id="benchmark", email="benchmark@example.com", group_memberships=["user"])


def build(setup: Setup, lines: Lines) -> Ask:
    """The agent over the source."""
    folder = tempfile.mkdtemp(prefix="vanna-")
    working = str(Path(folder) / "working.sqlite")
    tools = ToolRegistry()
    sql_tool = RunSqlTool(sql_runner=Runner(working, lines), file_system=LocalFileSystem(folder))
    tools.register_local_tool(sql_tool, access_groups=["user"])
    made = "\n".join(tables(setup.database).values())
    prompt = Prompt(f"The database is SQLite. Its tables:\n{made}\n\n{setup.guidance}")
    model = Model(model=setup.model, api_key=setup.key, base_url=setup.endpoint, max_retries=0, timeout=setup.timeout)
    agent = Agent(
        llm_service=model,
        tool_registry=tools,
        user_resolver=OneUser(),
        agent_memory=DemoAgentMemory(),
        system_prompt_builder=prompt,
        llm_middlewares=[Count(lines)],
        config=AgentConfig(temperature=0.0, stream_responses=False),
    )

    async def converse(question: str) -> str:
        model.problem = None
        shown = [part async for part in agent.send_message(RequestContext(), question)]
        return read([part.rich_component for part in shown], model.problem)

    def ask(question: str, language: str) -> str:
        # Vanna opens the file for writing: every question gets a fresh one.
        shutil.copy(setup.database, working)
        prompt.language = language
        return asyncio.run(converse(question))

    return ask


def read(shown: list[Any], problem: Exception | None) -> str:
    """What a user sees: the last table of results, and the text below it. Nothing, if it stopped for too many rounds."""
    status = {part.status for part in shown if type(part).__name__ == "StatusBarUpdateComponent"}
    if "error" in status:
        raise problem or RuntimeError("Vanna says that an unexpected error occurred.")
    if "warning" in status:
        return ""
    rows: list[Any] = [part.rows for part in shown if type(part).__name__ == "DataFrameComponent"]
    texts = [part.content for part in shown if type(part).__name__ == "RichTextComponent"]
    return "\n".join([table_text(rows[-1]) if rows else "", *texts]).strip()


if __name__ == "__main__":
    serve(build, ["vanna", "openai", "pandas"])
