"""An OpenAI-compatible server that answers each question as it was told to, run after run."""

from __future__ import annotations

import json
import select
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from veracity.ask.other_words import TOOL as OTHER_WORDS

Call = tuple[str, dict[str, Any]]
"""A tool and its arguments."""
SLOW = "slow"
BROKEN = "broken"
HELD = "held"
"""No answer until `released` is set; then one that no result backs."""
PLAIN = ""
"""In place of a tool: a reply in plain words, `{"text": ...}`."""
Turn = Call | str
Behaviour = Sequence[Turn]
"""What the model does in one run of a question, turn by turn."""


class ModelServer:
    """Question -> behaviour of its first run, of its second, ...; the last one again and again."""

    def __init__(self) -> None:
        self.script: Mapping[str, Sequence[Behaviour]] = {}
        self.runs: Counter[str] = Counter()
        self.asked: list[tuple[str, float]] = []
        """Which question a request was for, and when it came."""
        self.hung_up: list[float] = []
        """How long clients waited for a slow answer before they closed the connection."""
        self.over, self.released = Event(), Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                turn = (OTHER_WORDS, {}) if _asks_for_words(request) else server.next_turn(request["messages"])
                if turn == SLOW:
                    server.wait(self)
                elif turn == HELD:
                    server.released.wait(30)
                    self.reply(200, _completion("answer", {"text": "It is 7."}))
                elif isinstance(turn, str):
                    self.reply(400, {"error": {"message": "out of order", "type": "t", "code": None}})
                else:
                    self.reply(200, _completion(*turn))

            def reply(self, status: int, content: dict[str, Any]) -> None:
                body = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: Any) -> None:
                """Nothing on the terminal of whoever runs the tests."""

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_args: Any) -> None:
                """A client that hung up is expected here."""

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self.model = f"http://127.0.0.1:{self._http.server_address[1]}/v1#tiny"
        self._thread = Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def says(self, script: Mapping[str, Sequence[Behaviour]]) -> None:
        """What it says from now on."""
        self.script, self.runs = script, Counter()
        self.released.clear()
        self.asked.clear()
        self.hung_up.clear()

    def next_turn(self, messages: list[dict[str, Any]]) -> Turn:
        told = json.dumps([each["content"] for each in messages if each["role"] == "user"], ensure_ascii=False)
        question = next(each for each in self.script if each in told)
        self.asked.append((question, time.monotonic()))
        turn = len([each for each in messages if each["role"] == "tool"])
        self.runs[question] += turn == 0
        behaviours = self.script[question]
        behaviour: Behaviour = behaviours[min(self.runs[question], len(behaviours)) - 1]
        return behaviour[min(turn, len(behaviour) - 1)]

    def wait(self, handler: BaseHTTPRequestHandler) -> None:
        """An answer that would take 20 seconds, as long as somebody is there to hear it."""
        started = time.monotonic()
        while time.monotonic() - started < 20 and not self.over.is_set():
            readable, _, _ = select.select([handler.connection], [], [], 0.01)
            if readable and not handler.connection.recv(1):
                self.hung_up.append(time.monotonic() - started)
                break
        handler.close_connection = True

    def close(self) -> None:
        self.over.set()
        self.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def _asks_for_words(request: dict[str, Any]) -> bool:
    """Whether it is asked for words that mean the same as those that nobody here knows, which it never has."""
    form = request.get("response_format", {}).get("json_schema", {})
    return OTHER_WORDS in {form.get("name"), *(one["function"]["name"] for one in request.get("tools") or ())}


def _completion(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 30, "completion_tokens": 2, "total_tokens": 32}
    made = {"id": "c", "object": "chat.completion", "created": 1, "model": "tiny", "usage": usage}
    if tool == PLAIN:
        said = {"role": "assistant", "content": arguments["text"]}
        return {**made, "choices": [{"index": 0, "finish_reason": "stop", "message": said}]}
    call = {"id": f"c-{tool}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {**made, "choices": [choice]}


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A server for as long as it is needed."""
    server = ModelServer()
    try:
        yield server
    finally:
        server.close()
