"""What the guard says, read from messages.yaml: to the person who asked, to whoever repairs an answer, and to the model beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from veracity.contracts import clip
from veracity.grounding.contracts import Finding, Severity
from veracity.language.locale import language, pick
from veracity.yaml_file import packaged

SourceKind = Literal["sql", "file", "table"]

_TEXTS = Path(__file__).with_suffix(".yaml")
_LONGEST_TEXT = 200
_LONGEST_QUOTE = 60


def _texts() -> Any:
    return packaged(_TEXTS)


def held_back(rule: str, lang: str) -> str:
    """What the person who asked reads in place of an answer."""
    return pick(_texts()["held_back"][rule], lang)


def written_finding(
    rule: str,
    lang: str,
    span: tuple[int, int] | None,
    *,
    key: str,
    text: str = "",
    severity: Severity = Severity.BLOCK,
    **values: object,
) -> Finding:
    """A finding with the message and the suggestion of this key, in this language."""
    texts = _texts()["findings"][key]
    filled = {"text": clip(" ".join(text.split()), _LONGEST_QUOTE), **values}
    message, suggestion = (said.format(**filled) for said in texts.get(lang, texts["en"]))
    return Finding(
        rule=rule,
        span=span,
        text=text[:_LONGEST_TEXT],
        message=message,
        suggestion=suggestion.strip() or None,
        severity=severity,
    )


def prompt_rules(lang: str, source_kind: SourceKind = "table") -> str:
    """The guard's rules for the head of a model's prompt, with one worked example for the tools of a kind of source."""
    texts, asked = _texts(), language(lang)
    return pick(texts["prompt_rules"], asked).format(
        tools=pick(texts["tools"][source_kind], asked), call=texts["calls"][source_kind]
    )
