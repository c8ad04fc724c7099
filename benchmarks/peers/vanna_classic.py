# mypy: disable-error-code="import-not-found,import-untyped,method-assign,misc,no-any-return"
"""Vanna as it was before 2.0, and still ships: trained with tables, documentation and examples, then asked for SQL.

The steps are those of its own web app: generate the SQL, check it, run it, show the rows, sum them up in words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openai import OpenAI
from pandas.errors import DatabaseError
from peer_lines import Ask, Lines, Setup, serve, table_text, tables, unique_names
from vanna.legacy.openai.openai_chat import OpenAI_Chat


class Trained(OpenAI_Chat):
    """Everything it was trained with goes into the prompt.

    A vector store would hand out the ten nearest tables, texts and examples; a source has nine, one and four at most. So
    it would hand out all of them, and no embedding model is needed.
    """

    def __init__(self, client: Any, config: dict[str, Any]) -> None:
        super().__init__(client=client, config=config)
        self.known: dict[str, list[Any]] = {"ddl": [], "documentation": [], "examples": []}

    def log(self, message: str, title: str = "Info") -> None:
        """Nothing: it prints whole prompts."""

    def add_ddl(self, ddl: str, **_: Any) -> str:
        return self._add("ddl", ddl)

    def add_documentation(self, documentation: str, **_: Any) -> str:
        return self._add("documentation", documentation)

    def add_question_sql(self, question: str, sql: str, **_: Any) -> str:
        return self._add("examples", {"question": question, "sql": sql})

    def _add(self, kind: str, what: Any) -> str:
        self.known[kind].append(what)
        return f"{kind}-{len(self.known[kind])}"

    def get_related_ddl(self, question: str, **_: Any) -> list[Any]:
        _ignored = question
        return list(self.known["ddl"])

    def get_related_documentation(self, question: str, **_: Any) -> list[Any]:
        _ignored = question
        return list(self.known["documentation"])

    def get_similar_question_sql(self, question: str, **_: Any) -> list[Any]:
        _ignored = question
        return list(self.known["examples"])

    def get_training_data(self, **_: Any) -> Any:
        return self.known

    def remove_training_data(self, id: str, **_: Any) -> bool:  # noqa: A002, ARG002  Vanna's name for it
        return False

    def generate_embedding(self, data: str, **_: Any) -> list[float]:  # noqa: ARG002  there is no vector store
        return []


def build(setup: Setup, lines: Lines) -> Ask:
    """Trained on the source."""
    client = OpenAI(base_url=setup.endpoint, api_key=setup.key, max_retries=0, timeout=setup.timeout)
    peer = Trained(counted(client, lines), {"model": setup.model, "temperature": 0.0, "dialect": "SQLite"})
    for table in tables(setup.database).values():
        peer.train(ddl=table)
    if setup.hints:
        peer.train(documentation=setup.hints)
    for example in setup.examples:
        peer.train(question=example["question"], sql=example["sql"])
    peer.connect_to_sqlite(setup.database)
    peer.run_sql = told(peer.run_sql, lines)

    def ask(question: str, language: str) -> str:
        peer.language = language
        sql = peer.generate_sql(question, allow_llm_to_see_data=True)
        if not peer.is_sql_valid(sql):
            return str(sql)  # it says why it cannot
        try:
            found = peer.run_sql(sql)
        except DatabaseError:
            return ""  # its app shows the error in place of the rows
        names = unique_names([str(name) for name in found.columns])
        rows = [dict(zip(names, row, strict=True)) for row in found.itertuples(index=False, name=None)]
        return f"{table_text(rows)}\n{peer.generate_summary(question, found)}".strip() if rows else ""

    return ask


def told(run_sql: Callable[[str], Any], lines: Lines) -> Callable[[str], Any]:
    """The same; every statement is told."""

    def run(sql: str) -> Any:
        try:
            found = run_sql(sql)
        except DatabaseError as error:
            lines.statement(sql, str(error))
            raise
        lines.statement(sql)
        return found

    return run


def counted(client: OpenAI, lines: Lines) -> OpenAI:
    """The client; every call of the model is told."""
    create = client.chat.completions.create

    def counting(**options: Any) -> Any:
        response = create(**options)
        usage = response.usage
        lines.model_call(usage.prompt_tokens if usage else 0, usage.completion_tokens if usage else 0)
        return response

    client.chat.completions.create = counting
    return client


if __name__ == "__main__":
    serve(build, ["vanna", "openai", "pandas"])
