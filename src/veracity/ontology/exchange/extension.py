"""What Ossie has no words for travels in its `custom_extensions`, and comes back from there.

An extension holds the difference between a part of an ontology and what Ossie's own words give back, with a fingerprint
of these words. Where someone changed the words since, they count, and the extension only adds what they do not say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veracity.ontology.exchange.ossie_models import OssieExtension, OssieNamed

VENDOR = "VERACITY"
_INSIDE = ("custom_extensions", "datasets", "fields", "metrics", "relationships")
Loose = list[tuple[int, dict[str, Any]]]
"""Parts that Ossie has no place for at all, each with its place among the others."""


@dataclass(frozen=True, slots=True)
class OwnExtension:
    """What an extension of ours says of the part that it stands at."""

    difference: Mapping[str, Any]
    loose: Mapping[str, Loose]
    implied: bool
    """Whether the part is only there for readers of Ossie, and no part of the ontology."""
    changed: bool
    """Whether the part was changed since we wrote it."""
    lang: str | None
    """At a model: the language of its texts."""


def fingerprint(native: Mapping[str, Any]) -> str:
    """A part in Ossie's own words, in a few characters; the parts inside it have their own."""
    said = {key: value for key, value in native.items() if key not in _INSIDE and value not in (None, [], {})}
    text = json.dumps(said, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def difference(ours: Mapping[str, Any], native: Mapping[str, Any]) -> dict[str, Any]:
    """What makes ours of the native one: other values by their keys, None for a key that ours does not have."""
    found: dict[str, Any] = {}
    for key in {**ours, **native}:
        own, other = ours.get(key), native.get(key)
        if own == other:
            continue
        found[key] = difference(own, other) if isinstance(own, dict) and isinstance(other, dict) else own
    return found


def restored(native: Mapping[str, Any], extension: OwnExtension | None) -> dict[str, Any]:
    """The native part with what an extension says of it."""
    return _with(native, extension.difference, changed=extension.changed) if extension else dict(native)


def _with(native: Mapping[str, Any], other: Mapping[str, Any], *, changed: bool) -> dict[str, Any]:
    found = dict(native)
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(found.get(key), dict):
            found[key] = _with(found[key], value, changed=changed)
        elif changed and key in found:
            continue
        elif value is None:
            found.pop(key, None)
        else:
            found[key] = value
    return found


def written(native: Mapping[str, Any], *, implied: bool = False, **said: Any) -> dict[str, Any]:
    """The native part with an extension of ours behind its words; without one where there is nothing to say."""
    data = {key: value for key, value in said.items() if value}
    if implied:
        data["implied"] = True
    if not data:
        return dict(native)
    data["of"] = fingerprint(native)
    extension = {"vendor_name": VENDOR, "data": json.dumps(data, ensure_ascii=False)}
    return {**native, "custom_extensions": [extension]}


def own_extension(part: OssieNamed, raw: Mapping[str, Any]) -> OwnExtension | None:
    """The extension of ours at a part; one that cannot be read is none."""
    found = next((one for one in part.custom_extensions if one.vendor_name == VENDOR), None)
    data = _data(found)
    if data is None:
        return None
    known = ("entities", "relations", "measures")
    loose = {key: [(int(at), dict(one)) for at, one in data["loose"][key]] for key in known if key in data["loose"]}
    changed = data.get("of") != fingerprint(raw)
    return OwnExtension(data["difference"], loose, bool(data.get("implied")), changed, data.get("lang"))


def _data(extension: OssieExtension | None) -> dict[str, Any] | None:
    """The JSON of an extension in the form that we write it in."""
    try:
        data = json.loads(extension.data) if extension else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    data = {"difference": {}, "loose": {}, **data}
    if not isinstance(data["difference"], dict) or not isinstance(data["loose"], dict):
        return None
    for parts in data["loose"].values():
        whole = isinstance(parts, list) and all(
            isinstance(one, list) and len(one) == 2 and isinstance(one[0], int) and isinstance(one[1], dict)
            for one in parts
        )
        if not whole:
            return None
    return data


def put_back(parts: Iterable[dict[str, Any]], loose: Sequence[tuple[int, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The parts with the loose ones at their places."""
    found = list(parts)
    for at, one in sorted(loose, key=lambda pair: pair[0]):
        found.insert(at, one)
    return found
