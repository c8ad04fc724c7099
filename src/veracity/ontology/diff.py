"""What changed between two versions of an ontology, in words, and whether answers may change because of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal

from veracity.ontology.descriptor import OntologyDescriptor
from veracity.wire import Wire

_LONGEST = 60


class Effect(StrEnum):
    """What a change may change; the first one is the heaviest."""

    FIGURES = "figures"
    """What is computed: the same question may get another figure."""
    WORDS = "words"
    """What is understood: a question may be read otherwise, or be answered where it was not."""
    MODEL = "model"
    """Only what a language model is told."""
    NOTHING = "nothing"
    """No answer."""


class OntologyChange(Wire):
    """One thing that is not as it was."""

    kind: Literal["added", "removed", "changed"]
    where: str
    """`entity Order`, `measure revenue of Order`."""
    key: str | None = None
    """What of it changed, as the YAML calls it."""
    before: Any = None
    after: Any = None
    effect: Effect


class OntologyDiff(Wire):
    """All changes from one version to the other."""

    feature_code: str
    changes: tuple[OntologyChange, ...]
    answers_may_change: bool
    """Whether any change is about what is computed or understood."""


_WORD_KEYS = frozenset(
    {"label", "synonyms", "verbs", "inverseVerbs", "adjectives", "values", "article", "place", "spoken", "display"}
)
_MODEL_KEYS = frozenset({"tell", "message", "intent", "slots", "pattern"})
_SILENT_KEYS = frozenset({"description", "questions", "invariants"})
_PARTS: Mapping[str, str] = {"fields": "field", "measures": "measure", "segments": "segment", "invariants": "invariant"}
"""Lists of an entity whose members are told apart by name."""
_EFFECT_OF_PART: Mapping[str, Effect] = {
    "pattern": Effect.MODEL,
    "question": Effect.NOTHING,
    "invariant": Effect.NOTHING,
}


def compared(before: OntologyDescriptor, after: OntologyDescriptor) -> OntologyDiff:
    """What was added, removed and changed, in the order of the ontology."""
    one, other = (side.model_dump(mode="json", by_alias=True, exclude_defaults=True) for side in (before, after))
    changes = [*_keys("the ontology", one, other, skip=frozenset({"featureCode", "questions", *_LISTS}))]
    changes += _named("entity", "", one.get("entities", ()), other.get("entities", ()))
    for name, kind in _LISTS.items():
        if name != "entities":
            changes += _named(kind, "", one.get(name, ()), other.get(name, ()))
    changes += _questions("", one.get("questions", {}), other.get("questions", {}))
    heavy = any(change.effect in (Effect.FIGURES, Effect.WORDS) for change in changes)
    return OntologyDiff(feature_code=after.feature_code, changes=tuple(changes), answers_may_change=heavy)


_LISTS: Mapping[str, str] = {
    "entities": "entity", "relations": "relation", "constraints": "rule", "canonicalPatterns": "pattern",
}  # fmt: skip


def _name(kind: str, part: Mapping[str, Any]) -> str:
    """What tells a member of a list from the others."""
    match kind:
        case "relation":
            named = f" ({part['name']})" if part.get("name") else ""
            return f"{part['fromEntity']} -> {part['toEntity']}{named}"
        case "rule":
            return f"{part['rule']} on {', '.join(part['appliesTo'])}"
        case "pattern":
            return str(part["intent"])
    return str(part["name"])


def _by_name(kind: str, parts: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The members by name; of several with one name, the later ones have a number."""
    seen, named = Counter[str](), dict[str, Mapping[str, Any]]()
    for part in parts:
        name = _name(kind, part)
        seen[name] += 1
        named[name if seen[name] == 1 else f"{name} #{seen[name]}"] = part
    return named


def _named(
    kind: str, home: str, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> Iterator[OntologyChange]:
    one, other = _by_name(kind, before), _by_name(kind, after)
    whole = _EFFECT_OF_PART.get(kind, Effect.FIGURES)
    for name in dict.fromkeys((*one, *other)):
        where = f"{kind} {name}{home}"
        if name not in other:
            yield OntologyChange(kind="removed", where=where, effect=whole)
        elif name not in one:
            # What is new is first of all a new word that a question may mean.
            effect = whole if kind in _EFFECT_OF_PART or kind == "rule" else Effect.WORDS
            yield OntologyChange(kind="added", where=where, effect=effect)
        else:
            yield from _keys(where, one[name], other[name], most=whole)
            inner = f" of {name}" if kind == "entity" else ""
            for key, part in _PARTS.items() if inner else ():
                yield from _named(part, inner, one[name].get(key, ()), other[name].get(key, ()))
            if kind in ("measure", "pattern"):
                yield from _questions(f" of {where}", one[name].get("questions", {}), other[name].get("questions", {}))


def _keys(
    where: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    skip: frozenset[str] = frozenset(),
    most: Effect = Effect.FIGURES,
) -> Iterator[OntologyChange]:
    """The keys of one part that differ."""
    told = skip | frozenset(_PARTS) | {"questions"} if where.startswith("entity ") else skip | {"questions"}
    for key in dict.fromkeys((*before, *after)):
        one, other = before.get(key), after.get(key)
        if key in told or one == other:
            continue
        yield OntologyChange(
            kind="changed", where=where, key=key, before=one, after=other, effect=_effect(key, most, where)
        )


def _effect(key: str, most: Effect, where: str) -> Effect:
    if most is not Effect.FIGURES:
        return most
    if key in _SILENT_KEYS:
        return Effect.MODEL if key == "description" else Effect.NOTHING
    if key in _MODEL_KEYS and where.startswith(("rule", "pattern", "invariant")):
        return Effect.MODEL
    return Effect.WORDS if key in _WORD_KEYS else Effect.FIGURES


def _questions(
    home: str, before: Mapping[str, Sequence[Any]], after: Mapping[str, Sequence[Any]]
) -> Iterator[OntologyChange]:
    def listed(side: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        asked = [(f"{lang}: {_text(one)}", one) for lang, several in side.items() for one in several]
        return dict(asked)

    one, other = listed(before), listed(after)
    for name in dict.fromkeys((*one, *other)):
        where = f'question "{name}"{home}'
        if name in one and name in other:
            expected = [side[name].get("answer") if isinstance(side[name], dict) else None for side in (one, other)]
            if expected[0] != expected[1]:
                yield OntologyChange(
                    kind="changed",
                    where=where,
                    key="answer",
                    before=expected[0],
                    after=expected[1],
                    effect=Effect.NOTHING,
                )
        else:
            yield OntologyChange(kind="added" if name in other else "removed", where=where, effect=Effect.NOTHING)


def _text(question: Any) -> str:
    return str(question["question"] if isinstance(question, dict) else question)


# --- in words


_TOLD: Mapping[Effect, str] = {
    Effect.FIGURES: "figures may change",
    Effect.WORDS: "questions may be understood otherwise",
    Effect.MODEL: "only what a language model is told",
    Effect.NOTHING: "no answer changes",
}


def in_words(diff: OntologyDiff) -> str:
    """A line for each change, and whether answers may change."""
    if not diff.changes:
        return f"{diff.feature_code}: nothing changed."
    counted = Counter(change.kind for change in diff.changes)
    told = ", ".join(f"{counted[kind]} {kind}" for kind in ("added", "removed", "changed") if counted[kind])
    end = "answers may change" if diff.answers_may_change else "no answer without a language model changes"
    return "\n".join([*map(_line, diff.changes), f"{diff.feature_code}: {told}; {end}."])


def _line(change: OntologyChange) -> str:
    what = ""
    if change.kind == "changed":
        what = f": {change.key} was {_short(change.before)}, is {_short(change.after)}"
    return f"{change.kind} {change.where}{what} ({_TOLD[change.effect]})"


def _short(value: Any) -> str:
    if value is None:
        return "not said"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
