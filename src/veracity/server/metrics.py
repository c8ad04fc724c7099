"""Metrics for Prometheus: of one process, or of all server processes together. No tenant, no key and no question in a label."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
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
        self._limited = Counter("veracity_rate_limited", "Requests refused for the rate.", registry=self._registry)
        self._streams = Gauge(
            "veracity_streams", "Open event streams.", registry=self._registry, multiprocess_mode="livesum"
        )

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        known = method if method in ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def answer(self, outcome: str) -> None:
        """Count an answer."""
        self._answers.labels(outcome).inc()

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
