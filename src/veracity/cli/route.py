"""`veracity route`: where a request goes, by which rule, and which words decided."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import FeatureName, Json, OntologyFile, ScopeValues, Source, opened
from veracity.errors import UsageError
from veracity.locale import printable

if TYPE_CHECKING:
    from veracity.routing import Decision

_MOST_BYTES = 64_000_000
_SHOWN = 60


def route(
    request: Annotated[str, typer.Argument(help="What somebody says; - reads it from standard input.")],
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    as_json: Json = False,
) -> None:
    """Show where a request goes: DIRECT_CHAT, REACT (with the data and its tools) or the SKILL of its prefix."""
    from veracity.routing import Router
    from veracity.skills.load import load_library

    library = load_library()
    words = _data_words(source, feature, ontology, scope)
    decision = Router(data_words=words, prefixes=library.prefixes()).decide(_read(request))
    if decision.rule == "unknown_prefix":
        library.named(decision.words[0])
    if as_json:
        sys.stdout.buffer.write(decision.model_dump_json().encode() + b"\n")
    else:
        typer.echo(_line(decision))


def _read(request: str) -> str:
    raw = sys.stdin.buffer.read(_MOST_BYTES + 1) if request == "-" else request.encode("utf-8", "surrogateescape")
    if len(raw) > _MOST_BYTES:
        raise UsageError(f"The request has more than {_MOST_BYTES // 1_000_000} MB; shorten it.")
    return raw.decode("utf-8", "replace")


def _data_words(
    source: str | None, feature: str | None, ontology: str | None, scope: list[str] | None
) -> frozenset[str]:
    """What the data is called. Without a source an ontology tells it, and no data has to be opened or made."""
    from veracity.routing import data_words, ontology_words
    from veracity.tools.open import chosen_feature, chosen_ontology

    meaning = chosen_ontology(chosen_feature(source, feature, ontology), ontology)
    if source is None and meaning is not None:
        return ontology_words(meaning)
    with opened(source, feature, ontology, scope) as tools:
        return data_words(tools.catalog)


def _line(decision: Decision) -> str:
    skill = f"  {decision.skill}" if decision.skill else ""
    words = f"  ({', '.join(printable(word)[:_SHOWN] for word in decision.words)})" if decision.words else ""
    sum_ = f"  = {_outcome(decision.expression)}" if decision.expression else ""
    return f"{decision.route}{skill}  rule {decision.rule}{words}{sum_}"


def _outcome(expression: str) -> str:
    from veracity.routing import compute
    from veracity.trace import written

    found = compute(expression)
    if isinstance(found, str):
        return found
    return written(found.value) + ("" if found.exact else f"  (rounded to {found.places} places)")
