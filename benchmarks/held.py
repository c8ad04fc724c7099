"""How well a query can be held against the words of a question: what is stopped though right, what passes though it is another's.

    python benchmarks/held.py chinook|geoquery [--others 40] [--show]

For every question that the reader understands: its own query must pass, and neither must queries of other questions nor its own
with one thing changed: another field, value, number, period, direction, comparison; a condition or division more or less. A model
may offer any of them. Exit code 1 where more than 1 in 100 of its own is stopped, or more than 1 in 1,000 of the others passes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from questions import TODAY, Desk, arguments_of, opened

from veracity.language.detect import language_of
from veracity.semantic.checking.check import check
from veracity.semantic.query import SemanticQuery, to_json
from veracity.semantic.reading.held import HeldQuery, held_against


def held(desk: Desk, question: str, query: SemanticQuery) -> HeldQuery:
    """A query held against a question."""
    lang = language_of(question)
    reader = desk.readers.get(lang, desk.readers["en"])
    return held_against(query, reader.words.tag(question, today=TODAY, locale=lang), reader)


def understood(desk: Desk, texts: Sequence[str]) -> list[tuple[str, SemanticQuery]]:
    """The questions with one reading, and that."""
    found = []
    for text in dict.fromkeys(texts):
        queries, _ = desk.read(text)
        query = check(queries[0], desk.model) if len(queries) == 1 else None
        if isinstance(query, SemanticQuery):
            found.append((text, query))
    return found


def changed(query: SemanticQuery, desk: Desk) -> Iterator[tuple[str, SemanticQuery]]:
    """The query with one thing changed, in every way that is still a query."""
    told = to_json(query)
    seen = {query.canonical_json()}
    for what, other in _changes(told, desk):
        try:
            found = check(SemanticQuery.model_validate(other), desk.model)
        except ValidationError:
            continue
        if isinstance(found, SemanticQuery) and found.canonical_json() not in seen:
            seen.add(found.canonical_json())
            yield what, found


def _changes(told: dict[str, Any], desk: Desk) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, value in _leaves(told):
        if "via" in path or (
            path[0] == "show" and "aggregate" not in str(told["show"]) and "measure" not in str(told["show"])
        ):
            continue  # which of its fields stand beside a row does not change the row
        for new in _instead(str(path[-1]), value, desk):
            yield f"{'.'.join(map(str, path))}: {value} -> {new}", _with(told, path, new)
    for key in ("where", "by", "period", "having", "order", "limit", "per", "compare", "skip"):
        if key in told:
            yield f"without {key}", {name: one for name, one in told.items() if name != key}
    for number, _ in enumerate(told.get("where", {}).get("and", ())):
        kept = [one for place, one in enumerate(told["where"]["and"]) if place != number]
        yield "without a condition", {**told, "where": kept}
    if "where" in told:
        yield "not", {**told, "where": {"not": told["where"]}}
        if "not" in told["where"]:
            yield "no longer not", {**told, "where": told["where"]["not"]}
    entity = told.get("of", "")
    for name, values in list(desk.values.items())[:200]:
        if name[0] == entity and values:
            more = {"field": ".".join(name), "op": "=", "value": min(values)}
            yield "a condition more", {**told, "where": [*([told["where"]] if "where" in told else []), more]}
            yield "divided by it", {**told, "by": [*told.get("by", []), {"field": ".".join(name)}]}
            break
    yield "another time", {**told, "period": "1999"}


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        if isinstance(one, dict | list):
            yield from _leaves(one, (*path, key))
        else:
            yield (*path, key), one


def _with(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    if not path:
        return new
    changed_at = _with(value[path[0]], path[1:], new)
    if isinstance(value, list):
        return [changed_at if place == path[0] else one for place, one in enumerate(value)]
    return {**value, path[0]: changed_at}


def _instead(key: str, value: Any, desk: Desk) -> Iterator[Any]:
    """What could stand in the place of a part of a query."""
    model = desk.model
    if key == "field" and isinstance(value, str):
        entity, _, name = value.partition(".")
        yield from (f"{entity}.{other}" for other in list(model.things[entity].fields)[:6] if other != name)
    elif key == "measure":
        yield from (other for other in model.measures if other != value)
    elif key in ("of", "entity"):
        yield from (other for other in list(model.things)[:6] if other != value)
    elif key == "op":
        yield from (other for other in ("=", "!=", "<", "<=", ">", ">=") if other != value)
    elif key == "aggregate":
        yield from (other for other in ("sum", "avg", "min", "max", "median", "count") if other != value)
    elif key == "grain":
        yield from (other for other in ("month", "quarter", "year") if other != value)
    elif key == "descending":
        yield not value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from (value + 1, value * 2)
    elif key in ("from", "to"):
        yield f"1999{str(value)[4:]}"
    elif key == "value" and isinstance(value, str):
        homes = [held for held in desk.values.values() if value in held]
        yield from (other for held in homes[:1] for other in sorted(held)[:4] if other != value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Hold every query against its own question and against others."""
    parser = arguments_of(__doc__)
    parser.add_argument("--others", type=int, default=40, help="queries of other questions for each question")
    parser.add_argument("--show", action="store_true", help="list what goes wrong")
    chosen = parser.parse_args(arguments)
    desk, questions = opened(chosen)
    pairs = understood(desk, [asked.text for asked in questions])
    stopped = [text for text, query in pairs if not held(desk, text, query).is_said]
    picked, tried, passed = random.Random(1), 0, list[tuple[str, str]]()
    for text, own in pairs:
        for other, query in picked.sample(pairs, min(chosen.others, len(pairs))):
            if query.canonical_json() != own.canonical_json():
                tried += 1
                passed += [(text, other)] if held(desk, text, query).is_said else []
    changes = [(text, what, query) for text, own in pairs for what, query in changed(own, desk)]
    kept = [(text, what) for text, what, query in changes if held(desk, text, query).is_said]
    print(f"{len(pairs)} questions, {len(stopped)} stopped though right; {tried} queries of others, {len(passed)} pass")
    print(f"{len(changes)} with one thing changed, {len(kept)} pass")
    for line in [*stopped, *(f"{text}  <-  {other}" for text, other in (*passed, *kept))] if chosen.show else ():
        print(f"  {line}")
    return 1 if len(stopped) > len(pairs) / 100 or len(passed) + len(kept) > (tried + len(changes)) / 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
