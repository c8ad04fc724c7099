"""The rules for a model whose answers the guard will check: short, firm, in the asker's language, with one worked example."""

from __future__ import annotations

from typing import Literal

from veracity.language.locale import language, pick

SourceKind = Literal["sql", "file", "table"]

_RULES = {
    "de": """\
Regeln; wer sie verletzt, dessen Antwort wird nicht gezeigt:
1. Rufe zuerst {tools} auf. Ohne erfolgreichen Aufruf nenne keine Zahl, kein Datum und keinen Namen.
2. Nenne nur, was in den Ergebnissen steht, so geschrieben wie dort. Keine Beispiele, keine Platzhalter wie «Benutzer 1» oder «Max Mustermann».
3. Schlägt ein Aufruf fehl, versuche ihn berichtigt noch einmal, oder sage, dass die Abfrage fehlgeschlagen ist. Rate nicht.
4. Keine Zeilen, kein Wert (NULL) und 0 sind drei verschiedene Antworten. Ist ein Ergebnis abgeschnitten, sage es.
Beispiel. Frage: Liste alle Benutzer. Aufruf: {call}. Ergebnis: Keller, Rossi.
Richtig: «Es gibt 2 Benutzer: Keller, Rossi.» Falsch: «Benutzer 1, Benutzer 2, Benutzer 3».""",
    "en": """\
Rules; an answer that breaks them is not shown:
1. Call {tools} first. Without a successful call state no figure, no date and no name.
2. State only what the results hold, spelt as it stands there. No samples, no placeholders such as "User 1" or "John Doe".
3. If a call fails, correct it and call again, or say that the query failed. Do not guess.
4. No rows, no value (NULL) and 0 are three different answers. If a result was cut off, say so.
Example. Question: List all users. Call: {call}. Result: Keller, Rossi.
Right: "There are 2 users: Keller, Rossi." Wrong: "User 1, User 2, User 3".""",
    "zh": """\
规则（违反的回答不会显示）：
1. 先调用 {tools}。没有成功的调用，就不要写任何数字、日期或名称。
2. 只写结果中有的内容，写法与结果一致。不要举例，不要用“用户1”“张三”之类的占位内容。
3. 调用失败时，改正后再调用，或者说明查询失败。不要猜测。
4. 没有记录、没有值（NULL）和 0 是三种不同的回答。结果被截断时要说明。
示例。问题：列出所有用户。调用：{call}。结果：Keller、Rossi。
正确：“共有2个用户：Keller、Rossi。” 错误：“用户1、用户2、用户3”。""",
}
_TOOLS: dict[str, dict[str, str]] = {
    "sql": {"de": "query oder execute_sql_safe", "en": "query or execute_sql_safe", "zh": "query 或 execute_sql_safe"},
    "file": {
        "de": "inspect_file und dann analyze_dataframe",
        "en": "inspect_file and then analyze_dataframe",
        "zh": "inspect_file，然后 analyze_dataframe",
    },
    "table": {
        "de": "queryTable oder aggregateTable",
        "en": "queryTable or aggregateTable",
        "zh": "queryTable 或 aggregateTable",
    },
}
_CALLS = {
    "sql": "query SELECT name FROM users ORDER BY name",
    "file": 'inspect_file users.csv, analyze_dataframe queryTable {"tableName": "users", "fields": ["name"]}',
    "table": 'queryTable {"tableName": "users", "fields": ["name"]}',
}


def prompt_rules(lang: str, source_kind: SourceKind = "table") -> str:
    """What to put at the head of a prompt, for the tools of a kind of source."""
    spoken = language(lang)
    return pick(_RULES, spoken).format(tools=pick(_TOOLS[source_kind], spoken), call=_CALLS[source_kind])
