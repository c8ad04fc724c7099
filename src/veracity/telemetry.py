"""OpenTelemetry: spans of a run as the GenAI conventions name them, and counters; off unless the environment asks for it.

    invoke_agent veracity
    ├── chat gpt-5-mini
    └── execute_tool queryTable

    rerank
    └── chat gpt-5-mini

The counter `veracity.guard.interceptions` says how often the guard stepped in, by rule and outcome; `hybrid.reranks`,
`hybrid.rag_cache_hit`, `hybrid.llm_cache_hit`, `hybrid.rrf_k_used` and `hybrid.diversity_count` count re-rankings. Questions,
arguments and results are recorded only with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from veracity.contracts import RepairCounters, clip
from veracity.errors import UsageError, VeracityError

if TYPE_CHECKING:
    from opentelemetry.metrics import Counter, MeterProvider
    from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
    from opentelemetry.sdk.metrics.export import MetricExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import TracerProvider

AGENT = "veracity"
INTERCEPTIONS = "veracity.guard.interceptions"
_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_FLUSH_SECONDS, _RETRY_SECONDS = 5.0, 0.5
_EXPORTERS = ("otlp", "console", "none")
_NAMES = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "response_model": "gen_ai.response.model",
    "max_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature",
    "rag_cache_hit": "hybrid.rag_cache_hit",
    "llm_cache_hit": "hybrid.llm_cache_hit",
    "rrf_k_used": "hybrid.rrf_k_used",
    "diversity_count": "hybrid.diversity_count",
}
_COUNTERS = {
    INTERCEPTIONS: "What the guard stepped in for, by rule and outcome.",
    "hybrid.reranks": "Re-rankings.",
    "hybrid.rag_cache_hit": "Re-rankings whose key points were known.",
    "hybrid.llm_cache_hit": "Re-rankings whose scores were known.",
    "hybrid.rrf_k_used": "Re-rankings by the k of their fusion.",
    "hybrid.diversity_count": "Kinds of sources among the best, added up.",
}
_CONTENTS = {
    "question": "gen_ai.input.messages",
    "answer": "gen_ai.output.messages",
    "arguments": "gen_ai.tool.call.arguments",
    "result": "gen_ai.tool.call.result",
}
_ROLES = {"question": "user", "answer": "assistant"}


class Span:
    """One part of a run, as it is observed. This one observes nothing: it is used while telemetry is off."""

    def set(self, **attributes: Any) -> None:
        """Record facts: `input_tokens`, `output_tokens`, `rows` and others by their name, None being nothing.

        `code`, why a call was refused, marks the span as failed. `question`, `answer`, `arguments`, `result` and
        whatever is not a plain value are contents, recorded only where contents are.
        """

    def fail(self, message: str) -> None:
        """Mark the span as failed."""

    def repairs(self, counters: RepairCounters) -> None:
        """Record how refused calls were dealt with."""


class _RecordedSpan(Span):
    def __init__(self, span: OtelSpan, *, contents: bool) -> None:
        self._span = span
        self._contents = contents

    def set(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            if value is None:
                continue
            if name in _CONTENTS or not isinstance(value, str | bool | int | float):
                if self._contents:
                    self._span.set_attribute(_CONTENTS.get(name, f"veracity.{name}"), _as_json(name, value))
                continue
            plain = _sendable(str(value)) if isinstance(value, str) else value
            self._span.set_attribute(_NAMES.get(name, f"veracity.{name}"), plain)
            if name == "code":
                self._span.set_attribute("error.type", plain)
                self.fail(str(plain))

    def fail(self, message: str) -> None:
        from opentelemetry.trace import StatusCode

        self._span.set_status(StatusCode.ERROR, _sendable(message))

    def repairs(self, counters: RepairCounters) -> None:
        self.set(**{name: getattr(counters, name) for name in RepairCounters.model_fields})

    def raised(self, error: BaseException) -> None:
        """An exception left the span; only our own messages are known to hold no data."""
        kind = type(error).__name__
        self._span.set_attribute("error.type", kind)
        self.fail(str(error) if isinstance(error, VeracityError) or self._contents else kind)


_SILENT: AbstractContextManager[Span] = nullcontext(Span())


class Telemetry:
    """Where the spans of runs and the counters go: to providers, or nowhere."""

    def __init__(
        self,
        tracer_provider: TracerProvider | None,
        *,
        contents: bool = False,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        self._tracer = None if tracer_provider is None else tracer_provider.get_tracer("veracity")
        self._contents = contents
        self._meters = meter_provider
        self._counters: dict[str, Counter] = {}
        self._own = _Own()

    @classmethod
    def off(cls) -> Telemetry:
        """Nothing is recorded, and nothing is loaded."""
        return cls(None)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Telemetry:
        """As OpenTelemetry's own variables say; off when none of them asks for traces."""
        names, counted = _exporter_names(environ, "TRACES"), _exporter_names(environ, "METRICS")
        own = _Own(environ=environ)
        try:
            own.span_exporters = [_exporter(name, environ) for name in names]
            own.metric_exporters = [_metric_exporter(name, environ) for name in counted]
            provider = own.spans = _provider(own.span_exporters, environ) if names else None
        except ImportError:
            raise UsageError("OpenTelemetry needs extra packages; run: pip install 'veracity[otel]'") from None
        made = cls(provider, contents=_is_true(environ, _CAPTURE))
        made._own = own
        return made

    @property
    def is_on(self) -> bool:
        """Whether spans are recorded."""
        return self._tracer is not None

    def intercepted(self, rule: str, outcome: str) -> None:
        """Count one thing that the guard stepped in for."""
        said = {"veracity.rule": _sendable(rule), "veracity.outcome": _sendable(outcome)}
        self._count(INTERCEPTIONS, 1, **said)

    def reranked(self, *, rag_cache_hit: bool, llm_cache_hit: bool, rrf_k_used: int, diversity_count: int) -> None:
        """Count one re-ranking."""
        self._count("hybrid.reranks", 1)
        self._count("hybrid.rag_cache_hit", int(rag_cache_hit))
        self._count("hybrid.llm_cache_hit", int(llm_cache_hit))
        self._count("hybrid.rrf_k_used", 1, **{"hybrid.rrf_k": rrf_k_used})
        self._count("hybrid.diversity_count", diversity_count)

    def _count(self, name: str, amount: int, **attributes: str | int) -> None:
        if self._meters is None and self._own.metric_exporters:
            # Only now: a reader of metrics is a thread, and most runs have nothing to count.
            self._meters = self._own.counts = _meter_provider(self._own.metric_exporters, self._own.environ)
        if self._meters is None:
            return
        if name not in self._counters:
            meter = self._meters.get_meter("veracity")
            self._counters[name] = meter.create_counter(name, unit="1", description=_COUNTERS[name])
        self._counters[name].add(amount, attributes)

    def run(
        self, trace_id: str, *, model: str, question: str | None = None, **attributes: Any
    ) -> AbstractContextManager[Span]:
        """The span of a whole run; `set(answer=...)` and `repairs(...)` complete it."""
        if self._tracer is None:
            return _SILENT
        known = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": AGENT,
            "gen_ai.request.model": model,
            "veracity.trace_id": trace_id,
        }
        return self._span(f"invoke_agent {AGENT}", known, {"question": question, **attributes})

    def model_call(self, model: str, provider: str, **attributes: Any) -> AbstractContextManager[Span]:
        """The span of one request to a model; `set(input_tokens=..., output_tokens=...)` completes it."""
        if self._tracer is None:
            return _SILENT
        known = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model,
            "gen_ai.provider.name": provider,
            # The name before 2025, which many back ends still look for.
            "gen_ai.system": provider,
        }
        return self._span(f"chat {model}", known, attributes, remote=True)

    def tool_call(self, name: str, call_id: str, **attributes: Any) -> AbstractContextManager[Span]:
        """The span of one tool call; `set(rows=...)` or `set(code=...)` completes it."""
        if self._tracer is None:
            return _SILENT
        known = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.type": "function",
        }
        return self._span(f"execute_tool {name}", known, attributes)

    def reranking(self, *, question: str | None = None, **attributes: Any) -> AbstractContextManager[Span]:
        """The span of one re-ranking; `set(rag_cache_hit=..., llm_cache_hit=..., rrf_k_used=..., diversity_count=...)`
        completes it."""
        if self._tracer is None:
            return _SILENT
        # Langfuse lists it with the retrievals; other back ends show a plain attribute.
        known = {"gen_ai.operation.name": "rerank", "langfuse.observation.type": "retriever"}
        return self._span("rerank", known, {"question": question, **attributes})

    def shutdown(self) -> None:
        """Send what is left, within five seconds; never raises. A provider that was passed in stays as it is."""
        own, self._own = self._own, _Own()
        ends = [own.spans.shutdown] if own.spans else []
        ends += [own.counts.shutdown] if own.counts else []
        # The library's own shutdown may take half a minute.
        sending = [Thread(target=_quietly, args=(end,), daemon=True) for end in ends]
        for thread in sending:
            thread.start()
        _join(sending, _RETRY_SECONDS)
        if any(thread.is_alive() for thread in sending):
            # What is on its way may arrive; what has failed is not tried again: the collector is down.
            for spans in own.span_exporters:
                _quietly(spans.shutdown)
            for counts in own.metric_exporters:
                _quietly(counts.shutdown)
            _join(sending, _FLUSH_SECONDS - _RETRY_SECONDS)

    @contextmanager
    def _span(
        self, title: str, known: dict[str, str], attributes: dict[str, Any], *, remote: bool = False
    ) -> Iterator[Span]:
        from opentelemetry.trace import SpanKind

        assert self._tracer is not None
        with self._tracer.start_as_current_span(
            _sendable(title),
            kind=SpanKind.CLIENT if remote else SpanKind.INTERNAL,
            attributes={name: _sendable(value) for name, value in known.items()},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            recorded = _RecordedSpan(span, contents=self._contents)
            recorded.set(**attributes)
            try:
                yield recorded
            except BaseException as error:
                recorded.raised(error)
                raise


@dataclass(slots=True)
class _Own:
    """The providers that were made here, and so are ended here."""

    spans: SdkTracerProvider | None = None
    counts: SdkMeterProvider | None = None
    span_exporters: list[SpanExporter] = field(default_factory=list)
    metric_exporters: list[MetricExporter] = field(default_factory=list)
    environ: Mapping[str, str] = field(default_factory=dict)


def _join(threads: list[Thread], seconds: float) -> None:
    """Wait for all of them, so long at most."""
    until = monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, until - monotonic()))


def _quietly(action: Any) -> None:
    try:
        action()
    except Exception:  # noqa: BLE001  an exporter that fails when it is closed must not cost anybody an answer
        return


def _is_true(environ: Mapping[str, str], variable: str) -> bool:
    return environ.get(variable, "").strip().lower() == "true"


def _exporter_names(environ: Mapping[str, str], signal: str) -> list[str]:
    """Which exporters the environment asks for; `signal` is TRACES or METRICS."""
    if _is_true(environ, "OTEL_SDK_DISABLED"):
        return []
    variable = f"OTEL_{signal}_EXPORTER"
    wanted = environ.get(variable, "").strip().lower()
    if not wanted:
        wanted = "otlp" if environ.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT") or environ.get(_ENDPOINT) else "none"
    names = list(dict.fromkeys(name.strip() for name in wanted.split(",")))
    unknown = next((name for name in names if name not in _EXPORTERS), None)
    if unknown is not None:
        raise UsageError(f"{variable} cannot be {clip(unknown, 40)!r}; use {', '.join(_EXPORTERS)}.")
    return [name for name in names if name != "none"]


def _exporter(name: str, environ: Mapping[str, str]) -> SpanExporter:
    if name == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        # Standard output belongs to the answer.
        return ConsoleSpanExporter(out=sys.stderr)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=_endpoint("TRACES", environ))


def _metric_exporter(name: str, environ: Mapping[str, str]) -> MetricExporter:
    if name == "console":
        from opentelemetry.sdk.metrics.export import ConsoleMetricExporter

        return ConsoleMetricExporter(out=sys.stderr)
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    return OTLPMetricExporter(endpoint=_endpoint("METRICS", environ))


def _endpoint(signal: str, environ: Mapping[str, str]) -> str:
    for variable in (f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if environ.get(variable, "http/protobuf") != "http/protobuf":
            raise UsageError(f"{variable} cannot be {clip(environ[variable], 40)!r}; use http/protobuf.")
    base = environ.get(_ENDPOINT) or "http://localhost:4318"
    own = environ.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
    return own or f"{base.removesuffix('/')}/v1/{signal.lower()}"


def _provider(exporters: list[SpanExporter], environ: Mapping[str, str]) -> SdkTracerProvider:
    from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    # Ending the process is not held up: `shutdown` is called, and it is bounded.
    provider = SdkTracerProvider(resource=_resource(environ), shutdown_on_exit=False)
    for exporter in exporters:
        provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _meter_provider(exporters: list[MetricExporter], environ: Mapping[str, str]) -> SdkMeterProvider:
    from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    readers = [PeriodicExportingMetricReader(exporter) for exporter in exporters]
    return SdkMeterProvider(metric_readers=readers, resource=_resource(environ), shutdown_on_exit=False)


def _resource(environ: Mapping[str, str]) -> Resource:
    import logging

    from opentelemetry.sdk.resources import Resource

    # A collector that is down is no news for the person who asked; programs that log see it.
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
    service = environ.get("OTEL_SERVICE_NAME")
    named = "service.name=" in environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return Resource.create({} if named and not service else {"service.name": service or AGENT})


def _sendable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _as_json(name: str, value: Any) -> str:
    """Contents as the conventions have them: messages for what was asked and answered, JSON for the rest."""
    if name in _ROLES:
        value = [{"role": _ROLES[name], "parts": [{"type": "text", "content": str(value)}]}]
    elif isinstance(value, str):
        return _sendable(value)
    try:
        return _sendable(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError):
        # Keys that are no text, or data that contains itself: observing a call must not break it.
        return _sendable(repr(value))
