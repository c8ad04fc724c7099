"""Metrics for Prometheus: of one process, or of all server processes together. No tenant, no key and no question in a label."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import mkdtemp

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

TOGETHER = "PROMETHEUS_MULTIPROC_DIR"
"""The folder in which several processes keep their counts."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


@contextmanager
def counted_together(processes: int) -> Iterator[None]:
    """Several server processes keep their counts in one folder, so that each of them can tell those of all."""
    if processes == 1 or TOGETHER in os.environ:
        yield
        return
    folder = mkdtemp(prefix="veracity-metrics-")
    os.environ[TOGETHER] = folder
    try:
        yield
    finally:
        del os.environ[TOGETHER]
        shutil.rmtree(folder, ignore_errors=True)


def forget_process(pid: int | None) -> None:
    """Take the open streams of a dead process out of the counts."""
    if pid is not None and TOGETHER in os.environ:
        mark_process_dead(pid)  # type: ignore[no-untyped-call]


class Metrics:
    """What is counted, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        names = ("method", "route", "status")
        self._requests = Counter("veracity_http_requests", "Requests answered.", names, registry=self._registry)
        self._seconds = Histogram(
            "veracity_http_seconds", "Seconds per request.", ("route",), buckets=_SECONDS, registry=self._registry
        )
        self._answers = Counter("veracity_answers", "Questions by outcome.", ("outcome",), registry=self._registry)
        self._calls = Counter(
            "veracity_tool_calls",
            "Tool calls by tool and whether they passed.",
            ("tool", "code"),
            registry=self._registry,
        )
        self._tokens = Counter(
            "veracity_tokens", "Tokens that models read and wrote.", ("model", "kind"), registry=self._registry
        )
        self._cost = Counter(
            "veracity_cost", "What models cost, where prices are set.", ("model", "currency"), registry=self._registry
        )
        self._model_seconds = Histogram(
            "veracity_model_seconds",
            "Seconds until a model replied.",
            ("model",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._question_seconds = Histogram(
            "veracity_question_seconds",
            "Seconds per question.",
            ("outcome",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._guard = Counter(
            "veracity_guard_blocks",
            "Drafts and answers that were stopped, by rule.",
            ("rule",),
            registry=self._registry,
        )
        self._repairs = Counter("veracity_repairs", "Refused calls that were mended.", registry=self._registry)
        self._running = Gauge(
            "veracity_questions_running",
            "Questions being answered.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._queues = Gauge(
            "veracity_queue_depth",
            "Durable work that is not over, by what it waits for.",
            ("queue", "state"),
            registry=self._registry,
            multiprocess_mode="mostrecent",
        )
        self._limited = Counter("veracity_rate_limited", "Requests refused for the rate.", registry=self._registry)
        self._streams = Gauge(
            "veracity_streams", "Open event streams.", registry=self._registry, multiprocess_mode="livesum"
        )

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        known = method if method in ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    @contextmanager
    def question(self) -> Iterator[None]:
        """Count a question as long as it is being answered."""
        self._running.inc()
        try:
            yield
        finally:
            self._running.dec()

    def answer(self, outcome: str, seconds: float) -> None:
        """Count a question by what became of it."""
        self._answers.labels(outcome).inc()
        self._question_seconds.labels(outcome).observe(seconds)

    def model_turn(self, model: str, seconds: float) -> None:
        """Count a reply of a model."""
        self._model_seconds.labels(model).observe(seconds)

    def tokens(self, model: str, read: int, written: int) -> None:
        """Count what a model read and wrote for a question."""
        self._tokens.labels(model, "input").inc(read)
        self._tokens.labels(model, "output").inc(written)

    def cost(self, model: str, currency: str, amount: float) -> None:
        """Count what a question cost."""
        self._cost.labels(model, currency).inc(amount)

    def stopped(self, rule: str) -> None:
        """Count a draft or an answer that did not go out."""
        self._guard.labels(rule).inc()

    def repaired(self, count: int) -> None:
        """Count refused calls that were mended."""
        self._repairs.inc(count)

    def queues(self, depths: Mapping[tuple[str, str], int]) -> None:
        """Say how much durable work waits; what is empty now is told as 0."""
        for (queue, state), depth in depths.items():
            self._queues.labels(queue, state).set(depth)

    def call(self, tool: str, code: str) -> None:
        """Count a tool call; `code` is ok, failed or the code of the refusal."""
        self._calls.labels(tool, code).inc()

    def limited(self) -> None:
        """Count a request that came too soon."""
        self._limited.inc()

    def stream(self, change: int) -> None:
        """Count a stream that was opened (1) or closed (-1)."""
        self._streams.inc(change)

    def text(self) -> bytes:
        """All of it as Prometheus reads it."""
        if os.environ.get(TOGETHER):
            together = CollectorRegistry()
            MultiProcessCollector(together)  # type: ignore[no-untyped-call]
            return generate_latest(together)
        return generate_latest(self._registry)
