"""Canonical patterns as prompts: a kind of question with gaps, and the calls that answer it once a person has filled them."""

from __future__ import annotations

import json
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.language.locale import LANGUAGES, pick
from veracity.language.numbers import locale_of
from veracity.mcp.toolbox import renamed_tools
from veracity.offline.patterns import PERIOD_SLOTS, Filled, encoded_day, period_in_words, template
from veracity.ontology.descriptor import CanonicalQueryPattern, Entity, Slot, SlotKind
from veracity.query.catalog import Catalog
from veracity.question import Period

_NUMBERS = (SlotKind.YEAR, SlotKind.MONTH, SlotKind.NUMBER)
_SLOT_WORDS = {
    SlotKind.YEAR: "A year",
    SlotKind.MONTH: "A month, 1 to 12",
    SlotKind.DATE: "A day, as YYYY-MM-DD",
    SlotKind.CODE: "A code",
    SlotKind.GROUP: "A group of codes by its name, or as a LIKE",
    SlotKind.VALUE: "A stored value",
    SlotKind.NUMBER: "A number",
}
_LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class Gap:
    """What a person fills in."""

    name: str
    description: str
    required: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A canonical pattern as a prompt."""

    name: str
    title: str
    description: str
    gaps: tuple[Gap, ...]
    source: CanonicalQueryPattern


def patterns(catalog: Catalog) -> dict[str, Pattern]:
    """The patterns of the ontology by the names of their prompts; none without an ontology."""
    found = catalog.ontology.canonical_patterns if catalog.ontology else ()
    made = [_prompt_of(one) for one in found if _reads_known_tables(one, catalog)]
    return {one.name: one for one in made}


def text_of(pattern: Pattern, arguments: Mapping[str, str], catalog: Catalog) -> str:
    """What an agent is told: the calls, the answer over their results, and to have it checked."""
    lang = _read_language(arguments)
    unknown = next((name for name in arguments if name != "lang" and name not in _slots(pattern.source)), None)
    if unknown is not None:
        names = ", ".join(gap.name for gap in pattern.gaps)
        raise UsageError(f"{pattern.name} has no argument {clip(unknown, 40)!r}; it takes {names}.")
    filled = _filled(pattern.source, arguments, catalog)
    calls = [
        f"{number}. {renamed_tools(call.tool)} {json.dumps(call.args, ensure_ascii=False)}"
        for number, call in enumerate(filled.calls, 1)
    ]
    results = [f"r{number}" for number in range(1, len(calls) + 1)]
    locale = locale_of(lang, (catalog.ontology.locale if catalog.ontology else None) or "de-DE")
    answer = template(filled, lang, locale, results)
    lines = [f"{pattern.title}. Make these calls as they are:", *calls]
    if answer:
        given = json.dumps({"question": _question(pattern, filled, locale), "locale": locale}, ensure_ascii=False)
        lines += [
            "",
            f"Give ground_answer this answer, with {given} and with the ids that the calls returned, "
            f"in their order, in place of {', '.join(results)}:",
            answer,
        ]
    lines += ["", "Tell the person the text that passed, and nothing that no result holds."]
    return "\n".join(lines)


def _question(pattern: Pattern, filled: Filled, locale: str) -> str:
    """What was asked, with everything that was filled in: an answer may say that again."""
    period = [period_in_words(filled.period, locale)] if filled.period else []
    told = () if filled.period is None else PERIOD_SLOTS
    values = [
        str(filled.values[slot.name])
        for slot in pattern.source.slots
        if slot.name in filled.values and slot.kind not in told
    ]
    return f"{pattern.title}: {', '.join([*values, *period])}" if values or period else pattern.title


def _prompt_of(pattern: CanonicalQueryPattern) -> Pattern:
    title = pick(pattern.description, "en") or pattern.intent.replace("_", " ").capitalize()
    example = next(iter(pattern.questions.get("en") or next(iter(pattern.questions.values()), ())), "")
    gaps = [_gap(slot) for slot in pattern.slots if not _is_derived(slot)]
    lang = Gap("lang", f"Language of the answer: {', '.join(LANGUAGES)}. Default: en", required=False)
    described = f"{title}, such as: {example}" if example else title
    return Pattern(pattern.intent.lower(), title, described, (*gaps, lang), pattern)


def _gap(slot: Slot) -> Gap:
    told = f"{_SLOT_WORDS[slot.kind]}, such as {_example(slot)}"
    if slot.default is not None:
        told += f". Default: {slot.default}"
    return Gap(slot.name, told, required=slot.default is None)


def _example(slot: Slot) -> str:
    """As a person writes it; a day may be stored in another way."""
    return "2025-01-31" if slot.kind is SlotKind.DATE else str(slot.example)


def _is_derived(slot: Slot) -> bool:
    """Whether a slot is only said in the answer, and follows from the others."""
    return slot.kind is SlotKind.DATE and slot.field is None


def _reads_known_tables(pattern: CanonicalQueryPattern, catalog: Catalog) -> bool:
    return all(call.args.get("tableName") in catalog.entities for call in pattern.pattern)


def _slots(pattern: CanonicalQueryPattern) -> dict[str, Slot]:
    return {slot.name: slot for slot in pattern.slots if not _is_derived(slot)}


def _read_language(arguments: Mapping[str, str]) -> str:
    lang = arguments.get("lang") or "en"
    if lang not in LANGUAGES:
        raise UsageError(f"lang is one of {', '.join(LANGUAGES)}, not {clip(lang, 20)!r}.")
    return lang


def _filled(pattern: CanonicalQueryPattern, arguments: Mapping[str, str], catalog: Catalog) -> Filled:
    values: dict[str, Any] = {}
    groups: dict[str, Entity] = {}
    for name, slot in _slots(pattern).items():
        written = (arguments.get(name) or "").strip()
        if not written and slot.default is None:
            raise UsageError(f"{name} is missing: {_SLOT_WORDS[slot.kind].lower()}, such as {_example(slot)}.")
        if slot.kind is SlotKind.GROUP and written:
            values[name] = _group(slot, written, catalog, groups)
        else:
            values[name] = _value(slot, written, catalog) if written else slot.default
    period = _period(pattern, values) or _range(pattern, arguments)
    days = {slot.name: period.last for slot in pattern.slots if _is_derived(slot) and period}
    return Filled(pattern, values, days, pattern.fill(values), groups=groups, period=period)


def _value(slot: Slot, written: str, catalog: Catalog) -> Any:
    if len(written) > _LONGEST_VALUE:
        raise UsageError(f"{slot.name} has more than {_LONGEST_VALUE} characters.")
    if slot.kind in _NUMBERS:
        if not (written.isascii() and written.isdigit()) or len(written) > 9:
            raise UsageError(f"{slot.name} is a number, such as {slot.example}, not {clip(written, 40)!r}.")
        number = int(written)
        if slot.kind is SlotKind.MONTH and number > 12:
            raise UsageError(f"{slot.name} is a month from 1 to 12, not {number}.")
        if slot.kind is SlotKind.YEAR and not 1 <= number <= 9999:
            raise UsageError(f"{slot.name} is a year, such as {slot.example}, not {number}.")
        return number
    if slot.kind is SlotKind.DATE:
        return encoded_day(slot, _day(slot, written), catalog)
    return written


def _day(slot: Slot, written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise UsageError(f"{slot.name} is a day as YYYY-MM-DD, not {clip(written, 40)!r}.") from None


def _group(slot: Slot, written: str, catalog: Catalog, groups: dict[str, Entity]) -> str:
    """The LIKE of a group; `groups` gets the group itself, to be named in the answer."""
    concepts = [one for one in (catalog.ontology.entities if catalog.ontology else ()) if one.number_range]
    named = catalog.synonyms.get(written.casefold(), written)
    for one in concepts:
        likes = one.number_range.like if one.number_range else ()
        if len(likes) == 1 and (one.name == named or likes[0] == written):
            groups[slot.name] = one
            return likes[0]
    if "%" not in written:
        raise UsageError(f"There is no group {clip(written, 40)!r}; write a LIKE such as {slot.example}.")
    return written


def _period(pattern: CanonicalQueryPattern, values: Mapping[str, Any]) -> Period | None:
    """The year or month that the pattern is about, where it is about one."""
    years = [values[slot.name] for slot in pattern.slots if slot.kind is SlotKind.YEAR]
    if len(years) != 1:
        return None
    year = years[0]
    month = next((values[slot.name] for slot in pattern.slots if slot.kind is SlotKind.MONTH), 0)
    if not month:
        return Period(date(year, 1, 1), date(year, 12, 31), "year")
    return Period(date(year, month, 1), date(year, month, monthrange(year, month)[1]), "month")


def _range(pattern: CanonicalQueryPattern, arguments: Mapping[str, str]) -> Period | None:
    """The days from one to another, where the pattern is about those."""
    slots = [slot for slot in pattern.slots if slot.kind is SlotKind.DATE and not _is_derived(slot)]
    days = [_day(slot, arguments[slot.name].strip()) for slot in slots if arguments.get(slot.name)]
    return Period(days[0], days[-1], "range") if days else None
