"""Spans follow the GenAI conventions, hold no contents unless asked, and never hold up an answer."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from veracity.contracts import AgentTrace, ToolCallLog, ValidationErrorCode
from veracity.errors import ModelError, UsageError
from veracity.telemetry import Telemetry


class Recorder:
    """Telemetry into memory."""

    def __init__(self, *, contents: bool = False) -> None:
        self._memory = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._memory))
        self.telemetry = Telemetry(provider, contents=contents)

    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self._memory.get_finished_spans()}

    def attributes(self, name: str) -> dict[str, Any]:
        return dict(self.spans()[name].attributes or {})


def a_run(telemetry: Telemetry) -> None:
    refused = ToolCallLog(round=1, tool="queryTable", validation_failure_code=ValidationErrorCode.FIELD_NOT_FOUND)
    trace = AgentTrace.of("t-1", [refused, ToolCallLog(round=2, tool="queryTable", arguments={"tableName": "A"})])
    with telemetry.run("t-1", model="openai:gpt-5-mini", question="Wie viel?", lang="de") as run:
        with telemetry.model_call("gpt-5-mini", "openai", max_tokens=1024) as call:
            call.set(input_tokens=12, output_tokens=7, response_model=None)
        with telemetry.tool_call("queryTable", "call-1", arguments={"table": "Umsätze"}) as tool:
            tool.set(code=ValidationErrorCode.FIELD_NOT_FOUND)
        with telemetry.tool_call("browseTable", "call-2") as tool:
            tool.set(rows=3, result=[{"amount": "secret"}])
        run.set(answer="42", outcome="answered")
        run.repairs(trace)


# --- conventions


def test_names_attributes_and_order_of_spans() -> None:
    recorder = Recorder()
    a_run(recorder.telemetry)
    assert recorder.attributes("invoke_agent veracity") == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "veracity",
        "gen_ai.request.model": "openai:gpt-5-mini",
        "veracity.trace_id": "t-1",
        "veracity.lang": "de",
        "veracity.outcome": "answered",
        "veracity.validation_failures": 1,
        "veracity.repair_attempts": 1,
        "veracity.success_after_repair": 1,
        "veracity.deflections": 0,
        "veracity.conversions": 1,
        "veracity.repair_conversion_rate": 1.0,
    }
    assert recorder.attributes("chat gpt-5-mini") == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5-mini",
        "gen_ai.provider.name": "openai",
        "gen_ai.system": "openai",
        "gen_ai.request.max_tokens": 1024,
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 7,
    }
    assert recorder.attributes("execute_tool browseTable") == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "browseTable",
        "gen_ai.tool.call.id": "call-2",
        "gen_ai.tool.type": "function",
        "veracity.rows": 3,
    }
    spans = recorder.spans()
    top = spans.pop("invoke_agent veracity")
    assert top.parent is None
    assert top.context is not None
    assert {span.parent.span_id for span in spans.values() if span.parent} == {top.context.span_id}
    assert spans["chat gpt-5-mini"].kind is SpanKind.CLIENT
    assert spans["execute_tool queryTable"].kind is SpanKind.INTERNAL


def test_refused_call_is_a_failed_span() -> None:
    recorder = Recorder()
    a_run(recorder.telemetry)
    span = recorder.spans()["execute_tool queryTable"]
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "FIELD_NOT_FOUND"
    attributes = recorder.attributes("execute_tool queryTable")
    assert attributes["veracity.code"] == attributes["error.type"] == "FIELD_NOT_FOUND"
    assert recorder.spans()["execute_tool browseTable"].status.status_code is StatusCode.UNSET


def test_failed_call_says_why() -> None:
    recorder = Recorder()
    with recorder.telemetry.tool_call("queryTable", "c") as tool:
        tool.fail("the statement took too long")
    assert recorder.spans()["execute_tool queryTable"].status.description == "the statement took too long"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModelError("tiny timed out after 5 seconds."), "tiny timed out after 5 seconds."),
        (ValueError("row: private"), "ValueError"),
        (asyncio.CancelledError(), "CancelledError"),
    ],
)
def test_exception_passes_and_is_recorded(error: BaseException, said: str) -> None:
    recorder = Recorder()
    with pytest.raises(type(error)), recorder.telemetry.model_call("tiny", "local"):
        raise error
    span = recorder.spans()["chat tiny"]
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, said)
    assert recorder.attributes("chat tiny")["error.type"] == type(error).__name__
    assert not span.events


def test_contents_only_when_asked() -> None:
    recorder = Recorder()
    a_run(recorder.telemetry)
    shown = " ".join(span.to_json() for span in recorder.spans().values())
    assert not [private for private in ("Wie viel", "Umsätze", "Ums", "secret", "42") if f'"{private}' in shown]

    asked = Recorder(contents=True)
    a_run(asked.telemetry)
    top = asked.attributes("invoke_agent veracity")
    assert json.loads(top["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Wie viel?"}]}
    ]
    assert json.loads(top["gen_ai.output.messages"])[0]["role"] == "assistant"
    assert json.loads(asked.attributes("execute_tool queryTable")["gen_ai.tool.call.arguments"]) == {"table": "Umsätze"}
    assert "secret" in asked.attributes("execute_tool browseTable")["gen_ai.tool.call.result"]


def test_whatever_is_set_never_breaks_a_call() -> None:
    loop: dict[Any, Any] = {}
    loop["self"] = loop
    for contents in (False, True):
        recorder = Recorder(contents=contents)
        with recorder.telemetry.tool_call("t\ud800", "c\ud800") as tool:
            tool.set(odd="\ud800", arguments=loop, result={(1, 2): object()}, data=[1], nothing=None)
            tool.fail("\ud800")
        attributes = recorder.attributes("execute_tool t?")
        assert attributes["veracity.odd"] == "?"
        assert ("veracity.data" in attributes) is contents
        assert "veracity.nothing" not in attributes


def test_spans_follow_tasks() -> None:
    recorder = Recorder()

    async def call(number: int) -> None:
        with recorder.telemetry.tool_call(f"tool{number}", str(number)):
            await asyncio.sleep(0.01)

    async def main() -> None:
        with recorder.telemetry.run("t", model="m"):
            await asyncio.gather(call(1), call(2))

    asyncio.run(main())
    spans = recorder.spans()
    top = spans["invoke_agent veracity"].context
    assert top is not None
    for name in ("execute_tool tool1", "execute_tool tool2"):
        parent = spans[name].parent
        assert parent is not None
        assert parent.span_id == top.span_id


# --- off


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OTEL_SERVICE_NAME": "x"},
        {"OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
        {"OTEL_SDK_DISABLED": "True", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
    ],
)
def test_off_unless_asked_for(environ: dict[str, str]) -> None:
    telemetry = Telemetry.from_env(environ)
    assert not telemetry.is_on
    a_run(telemetry)
    telemetry.shutdown()


def test_off_loads_nothing() -> None:
    code = """
import sys
from veracity.telemetry import Telemetry
telemetry = Telemetry.from_env({})
with telemetry.tool_call("t", "c") as span:
    span.set(rows=1)
telemetry.shutdown()
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={})
    assert done.stdout == "[]\n"


def test_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(UsageError, match=r"pip install 'veracity\[otel\]'"):
        Telemetry.from_env({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"})


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER cannot be 'zipkin'; use otlp, console, none."),
        (
            {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL cannot be 'grpc'; use http/protobuf.",
        ),
    ],
)
def test_variable_that_cannot_work(environ: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Telemetry.from_env(environ)
    assert str(caught.value) == said


# --- on


class Collector:
    """An OTLP receiver; `status` and `pause` make it a bad one."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.names: list[str] = []
        self.service = ""
        self.status, self.pause = 200, 0.0
        self.over = threading.Event()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.over.wait(collector.pause)
                collector.paths.append(self.path)
                for group in ExportTraceServiceRequest.FromString(body).resource_spans:
                    attributes = {item.key: item.value.string_value for item in group.resource.attributes}
                    collector.service = attributes["service.name"]
                    collector.names += [span.name for scope in group.scope_spans for span in scope.spans]
                self.send_response(collector.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_args: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_args: Any) -> None:
                """A client that hung up is expected here."""

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@pytest.fixture
def collector() -> Iterator[Collector]:
    running = Collector()
    yield running
    running.close()


@pytest.mark.parametrize("variable", ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"])
def test_collector_gets_the_spans(collector: Collector, variable: str) -> None:
    path = "/v1/traces" if "TRACES" in variable else "/"
    telemetry = Telemetry.from_env({variable: collector.url + path})
    assert telemetry.is_on
    a_run(telemetry)
    telemetry.shutdown()
    assert set(collector.paths) == {"/v1/traces"}
    assert sorted(collector.names) == [
        "chat gpt-5-mini",
        "execute_tool browseTable",
        "execute_tool queryTable",
        "invoke_agent veracity",
    ]
    assert collector.service == "veracity"
    telemetry.shutdown()


def test_console_writes_to_standard_error() -> None:
    code = """
from veracity.telemetry import Telemetry
telemetry = Telemetry.from_env()
with telemetry.run("t-1", model="m", question="privat"): pass
telemetry.shutdown()
print("answer")
"""
    environ = {"OTEL_TRACES_EXPORTER": "console", "OTEL_SERVICE_NAME": "mine"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    assert done.stdout == "answer\n"
    assert "invoke_agent veracity" in done.stderr
    assert '"service.name": "mine"' in done.stderr
    assert "privat" not in done.stderr


def test_contents_are_asked_for_by_the_standard_variable() -> None:
    environ = {"OTEL_TRACES_EXPORTER": "console", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}
    code = """
from veracity.telemetry import Telemetry
telemetry = Telemetry.from_env()
with telemetry.run("t-1", model="m", question="privat"): pass
telemetry.shutdown()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    assert "privat" in done.stderr


DOWN = """
import sys, time
from veracity.telemetry import Telemetry
telemetry = Telemetry.from_env({"OTEL_EXPORTER_OTLP_ENDPOINT": sys.argv[1]})
started = time.monotonic()
with telemetry.run("t-1", model="m"): pass
print(time.monotonic() - started)
started = time.monotonic()
telemetry.shutdown()
print(time.monotonic() - started)
"""


def down(url: str) -> tuple[float, float, float]:
    """Seconds for a run, for the shutdown and for the whole process, none of which says anything."""
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", DOWN, url], capture_output=True, text=True, check=True, env={})
    assert done.stderr == ""
    run, shutdown = map(float, done.stdout.split())
    return run, shutdown, time.monotonic() - started


def test_collector_that_is_down_delays_nothing() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        run, shutdown, whole = down(f"http://127.0.0.1:{reserved.getsockname()[1]}")
    assert run < 2
    assert shutdown < 4
    assert whole < 20


def test_collector_that_hangs_is_given_five_seconds(collector: Collector) -> None:
    collector.pause = 30
    run, shutdown, whole = down(collector.url)
    assert run < 2
    assert 4 < shutdown < 15
    assert whole < 29


def test_collector_that_is_slow_or_refuses(collector: Collector) -> None:
    collector.pause = 1.2
    assert down(collector.url)[1] < 4.5
    assert collector.names == ["invoke_agent veracity"]
    collector.pause, collector.status = 0, 503
    assert down(collector.url)[1] < 4


def test_provider_that_was_passed_in_stays_open() -> None:
    recorder = Recorder()
    recorder.telemetry.shutdown()
    with recorder.telemetry.run("t", model="m"):
        pass
    assert "invoke_agent veracity" in recorder.spans()


# --- re-ranking


def test_a_reranking_is_a_retrieval_with_its_cache_hits() -> None:
    recorder = Recorder()
    with recorder.telemetry.reranking(question="Wo?", candidates=20) as span:
        with recorder.telemetry.model_call("gpt-5-mini", "openai"):
            pass
        span.set(rag_cache_hit=True, llm_cache_hit=False, rrf_k_used=90, diversity_count=3)
    known = recorder.attributes("rerank")
    assert {name: value for name, value in known.items() if name.startswith("hybrid.")} == {
        "hybrid.rag_cache_hit": True,
        "hybrid.llm_cache_hit": False,
        "hybrid.rrf_k_used": 90,
        "hybrid.diversity_count": 3,
    }
    assert (known["langfuse.observation.type"], known["veracity.candidates"]) == ("retriever", 20)
    assert "gen_ai.input.messages" not in known
    parent = recorder.spans()["chat gpt-5-mini"].parent
    assert parent is not None
    assert parent.span_id == recorder.spans()["rerank"].context.span_id


def test_rerankings_are_counted() -> None:
    reader = InMemoryMetricReader()
    telemetry = Telemetry(None, meter_provider=MeterProvider(metric_readers=[reader], shutdown_on_exit=False))
    telemetry.reranked(rag_cache_hit=True, llm_cache_hit=False, rrf_k_used=90, diversity_count=3)
    telemetry.reranked(rag_cache_hit=True, llm_cache_hit=True, rrf_k_used=60, diversity_count=2)
    collected = reader.get_metrics_data()
    assert collected is not None
    metrics = json.loads(collected.to_json())["resource_metrics"][0]["scope_metrics"][0]["metrics"]
    counted = {one["name"]: [point["value"] for point in one["data"]["data_points"]] for one in metrics}
    assert counted == {
        "hybrid.reranks": [2],
        "hybrid.rag_cache_hit": [2],
        "hybrid.llm_cache_hit": [1],
        "hybrid.rrf_k_used": [1, 1],
        "hybrid.diversity_count": [5],
    }
    Telemetry.off().reranked(rag_cache_hit=True, llm_cache_hit=True, rrf_k_used=90, diversity_count=1)
