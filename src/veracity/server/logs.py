"""The log of a server: one JSON object per line on standard error."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from veracity.server.problems import LOG


class JsonLines(logging.Formatter):
    """A record as one line of JSON: when, how grave, what, and the fields that belong to it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; of an exception that other code logs only the kind is told, because its text may hold data."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {
            "at": at,
            "level": record.levelname.lower(),
            "what": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False, default=str)


def log_to_standard_error(level: int = logging.INFO) -> None:
    """Send the server's log to standard error; done by the command that runs it, never by an import."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    LOG.handlers, LOG.propagate = [handler], False
    LOG.setLevel(level)
