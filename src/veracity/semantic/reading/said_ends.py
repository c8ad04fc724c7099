"""Questions that say which of two ends is meant: flights from Aberdeen to Ashley, home matches, who sent the most messages.

What stands at an end is cut out and read as a condition of the rows; words that only name an end are left out. The rest is read as any
other question, and gets both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Literal

from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.language.way_roles import EndRole, denying, whole_words
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, AllOf, AnyOf, Condition, Related, SemanticQuery, Shown
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import Verb
from veracity.semantic.reading.phrases import Attribute, RowsPhrase, Stored
from veracity.semantic.reading.related_rows import negated
from veracity.semantic.reading.row_ends import (
    RowEnds,
    ends_of,
    in_either_order,
    is_twice_there,
    met_in,
    narrowed,
    set_to,
)
from veracity.semantic.reading.word_lists import key_of, names_for
from veracity.semantic.reading.word_senses import Tagged

CueKind = Literal["tie", "preposition", "against", "loose", "light"]
_MOST_TEXTS = 12
_HAVE = {"en": ("", "have", "has"), "de": ("", "hat", "haben"), "zh": ("有", "")}
_BEFORE = {
    "en": r"(?:(?:and|that|which|who|with|have|has|having|had|whose|are|is|were|was) )*(?:(?:a|an|the) )*",
    "de": r"(?:(?:und|die|mit|hat|haben|hatte|hatten|deren|dessen|sind|waren) )*(?:(?:dem|der|den|die|das|einem|einer|einen) )*",
    "zh": "",
}
_AS = {"en": r"as (?:an? |the )?", "de": r"als ", "zh": "作为"}
_IS = {"en": r"(?:'s)?(?: (?:is|are|was|were|being|of))?", "de": r"(?: (?:ist|war|sind|waren))?", "zh": "[为是]?"}
_ASKED = {"en": "How many {rows} with {said}?", "de": "Wie viele {rows} mit {said}?", "zh": "{said} 的{rows}有多少"}
_BETWEEN = {"en": "between", "de": "zwischen", "zh": "在(?=.+之间)"}
_BEHIND = {"en": "", "de": "", "zh": "(?:之间)?的?"}
_AND = r"\s*(?:\band\b|\bund\b|和|与)\s*"
_HAVE_ROWS = {"en": "have", "de": "haben", "zh": "有"}
_HAVE_NO = {"en": "have no", "de": "haben kein", "zh": "没有"}
_DONE = re.compile(r"\b(?:was|were|been|being|is|are|be|wurden?|werden|wird|worden)\b", re.IGNORECASE)
_DENIED = re.compile(r"\bnot\b|n['’]t\b|\bnicht\b|不", re.IGNORECASE)
_TAILS = {"zh": r"(?:\s*(?:出发|起飞|始发|启程))?(?:\s*的)?"}


@dataclass(frozen=True)
class EndCue:
    """Words that name an end, where they stand, and what may be read instead of them where nothing follows that stands there."""

    start: int
    stop: int
    role: EndRole | None
    kind: CueKind
    instead: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Placed:
    """A stretch of the question that says what stands at an end, and the conditions that it may mean."""

    start: int
    stop: int
    role: EndRole
    meant: tuple[Condition, ...]
    instead: str = ""
    """What is read in its place."""
    near: bool = False
    """Whether it only narrows the noun before it: flights from Bern, not flights that depart from Bern."""
    elsewhere: bool = False
    """Whether it is denied."""


@dataclass(frozen=True)
class ReadAgain:
    """How a question is read, and what its words may stand for."""

    read: Callable[[str], Sequence[SemanticQuery]]
    as_it_stands: Callable[[str], Sequence[SemanticQuery]]
    """Without a look at the ends."""
    tag: Callable[[str], Tagged]


class EndReader:
    """Reads what questions say of the ends of rows."""

    def __init__(self, model: SemanticModel, lang: str, again: ReadAgain) -> None:
        self._model, self._lang, self._again = model, lang, again
        self._ends = ends_of(model)

    def meanings(self, question: str) -> tuple[tuple[SemanticQuery, ...], ...]:
        """What a question means that names an end, by whose ends these are; nothing where it names none, or is not understood otherwise."""
        found = (self._of_ends(question, ends) for ends in self._ends)
        return tuple(one for one in found if one)

    def _of_ends(self, question: str, ends: RowEnds) -> tuple[SemanticQuery, ...]:
        if found := self._between(question, ends):
            return found
        cues = list(self._cues(question, ends))
        if any(cue.role for cue in cues) and (found := self._read(question, ends, cues)):
            return found
        against = any(cue.kind == "against" for cue in cues)
        return self._against(question, ends, cues) if against else ()

    def without_bare(self, queries: Sequence[SemanticQuery]) -> tuple[SemanticQuery, ...]:
        """The queries but those that take the word for an end as saying that there is one, which every row has; or that have two at one."""
        return tuple(query for query in queries if not any(self._is_odd(query, ends) for ends in self._ends))

    def _is_odd(self, query: SemanticQuery, ends: RowEnds) -> bool:
        met = met_in(query, self._model, ends)
        return (len(met.met) > 1 and met.bare > 0) or is_twice_there(query, ends)

    # --- words for the ends

    def _cues(self, question: str, ends: RowEnds) -> Iterator[EndCue]:
        """The words for ends, without those inside of others, of stored names, or of names of fields: home goals."""
        every = list(self._every_cue(question, ends))
        names = list(_names(self._again.tag(question))) if every else []
        outside = (cue for cue in every if not any(start <= cue.stop - 1 < stop for start, stop in names))
        found = sorted(outside, key=lambda cue: cue.start - cue.stop)
        kept: list[EndCue] = []
        for cue in found:
            if all(cue.stop <= one.start or one.stop <= cue.start for one in kept):
                kept.append(cue)
        yield from sorted(kept, key=lambda cue: cue.start)

    def _every_cue(self, question: str, ends: RowEnds) -> Iterator[EndCue]:
        lang, rows = self._lang, self._called(ends.rows)
        for role in ends.steps:
            nouns = role.pattern("nouns", lang)
            yield from self._found(role.pattern("rows", lang), question, role, "loose", (rows,))
            yield from self._found(nouns and f"{_AS[lang]}(?:{nouns})", question, role, "loose")
            before = f"{_BEFORE[lang]}{denying(lang)}"
            yield from self._found(role.pattern("ties", lang), question, role, "tie", before=before)
            yield from self._found(role.direction(lang), question, role, "preposition")
            yield from self._nouns(question, role, ends)
            yield from self._compounds(question, role, ends)
            yield from self._found(role.pattern("loose", lang), question, role, "loose", (*_HAVE[lang], rows))
        first = next(iter(ends.steps))
        yield from self._found(first.against(lang), question, None, "against")
        yield from self._found(first.light(lang), question, None, "light", (*_HAVE[lang], rows))

    def _found(
        self,
        pattern: str,
        question: str,
        role: EndRole | None,
        kind: CueKind,
        instead: tuple[str, ...] = ("",),
        *,
        before: str = "",
    ) -> Iterator[EndCue]:
        for said in whole_words(f"{before}(?:{pattern})").finditer(question) if pattern else ():
            yield EndCue(*said.span(), role, kind, instead)

    def _nouns(self, question: str, role: EndRole, ends: RowEnds) -> Iterator[EndCue]:
        """Destination, before what is stored or before the noun of the other table; or instead of it."""
        lang, other = self._lang, self._called(ends.other)
        if not (nouns := role.pattern("nouns", lang)):
            return
        plural = "s?" if lang == "en" else ""
        for said in whole_words(f"(?P<before>{_BEFORE[lang]})(?:{nouns}){plural}{_IS[lang]}").finditer(question):
            before = said["before"]
            yield EndCue(*said.span(), role, "tie", (before, f"{before}{other}"))

    def _compounds(self, question: str, role: EndRole, ends: RowEnds) -> Iterator[EndCue]:
        """Heimspiele, of home and matches; Startstation."""
        if not (pattern := role.pattern("compounds", self._lang)):
            return
        for said in re.finditer(rf"\b(?:als )?(?:{pattern})-?(?P<noun>\w{{3,}})", question, re.IGNORECASE):
            noun = said["noun"].capitalize()
            known = [name for name in (ends.rows, ends.other) if self._is_called(name, noun)]
            if known and known[0] == ends.rows:
                yield EndCue(*said.span(), role, "loose", (noun,))
            elif known:
                yield EndCue(*said.span(), role, "tie", (noun, ""))

    def _is_called(self, name: str, noun: str) -> bool:
        thing = self._model.things[name]
        return any(key_of(noun) == key_of(one)[-1:] for one in names_for(name, thing.declared))

    def _called(self, name: str) -> str:
        declared = self._model.things[name].declared
        return (pick(declared.label, self._lang) if declared else "") or words_of(name)

    # --- what stands at an end, and the rest

    def _read(self, question: str, ends: RowEnds, cues: Sequence[EndCue]) -> tuple[SemanticQuery, ...]:
        roles = {cue.role for cue in cues if cue.role and cue.kind == "loose"}
        if len(roles) == 1:  # home matches against Bern: Bern plays away
            cues = [replace(cue, role=next(iter(roles)).other) if cue.kind == "against" else cue for cue in cues]
        tagged = self._again.tag(question)
        cues = [cue for cue in cues if cue.kind != "preposition" or self._may_place(tagged, cue, ends, cues)]
        placed = [one for place in range(len(cues)) if (one := self._placed(question, ends, cues, place)) is not None]
        left = [cue for cue in cues if not any(one.start <= cue.start < one.stop for one in placed)]
        loose = [cue for cue in left if cue.kind not in ("preposition", "against")]
        roles = {cue.role for cue in loose if cue.role}
        if (not placed and not roles) or len(roles) > 1 or len({one.role for one in placed}) < len(placed):
            return ()
        if len(placed) > 1 and any(one.elsewhere for one in placed):
            return ()  # not from one to the other: one of the two, or both
        idle = all(self._is_idle(question, cue, placed, ends) for cue in loose if cue.role)
        rests = []
        for texts in islice(product(*(cue.instead for cue in loose)), _MOST_TEXTS):
            pieces = [(cue.start, cue.stop, text) for cue, text in zip(loose, texts, strict=True)]
            rest = _replaced(question, [*pieces, *((one.start, one.stop, one.instead) for one in placed)])
            rests.append(self._again.read(rest))
            if found := self._set(rests[-1], ends, placed, roles):
                return found
        if placed and roles and idle:
            return next(filter(None, (self._set(rest, ends, placed, set()) for rest in rests)), ())
        return self._set(self._again.as_it_stands(question), ends, (), roles) if roles and not placed else ()

    def _against(self, question: str, ends: RowEnds, cues: Sequence[EndCue]) -> tuple[SemanticQuery, ...]:
        """Matches of one against another, whoever is at which end."""
        if any(cue.role and cue.kind == "loose" for cue in cues):
            return ()
        orders = []
        for role in ends.steps:
            said = [replace(cue, role=role.other) if cue.kind == "against" else cue for cue in cues]
            placed = [one for place in range(len(said)) if (one := self._placed(question, ends, said, place))]
            if len(placed) != 1:
                return ()
            rest = _replaced(question, [(placed[0].start, placed[0].stop, "")])
            orders.append(self._set(self._again.read(rest), ends, placed, {role}))
        pairs = zip(*orders, strict=False) if len({len(one) for one in orders}) == 1 else ()
        found = [both for one, two in pairs if (both := in_either_order(one, two)) is not None]
        return tuple(found) if len(found) == len(orders[0]) else ()

    def _between(self, question: str, ends: RowEnds) -> tuple[SemanticQuery, ...]:
        """Flights between two places, in either direction."""
        said = whole_words(_BETWEEN[self._lang]).search(question)
        if said is None or not self._is_of_rows(
            self._again.tag(question), EndCue(*said.span(), None, "light"), ends, ()
        ):
            return ()
        stops = sorted(_stops(self._again.tag(question), said.end(), len(question)))
        for first, last in ((one, two) for one in stops for two in reversed(stops) if one < two):
            joined = re.match(_AND, question[first:])
            names = (question[said.end() : first], question[first + joined.end() : last]) if joined else ()
            meant = [
                [self._conditions(name.strip(" \"'"), ends, role, noun=False) for role in ends.steps] for name in names
            ]
            if meant and all(len(one) == 1 for both in meant for one in both):
                (a, b), (c, d) = ([one[0] for one in both] for both in meant)
                both_ways = AnyOf(conditions=(AllOf(conditions=(a, d)), AllOf(conditions=(b, c))))
                tail = re.match(_BEHIND[self._lang], question[last:])
                rest = _replaced(question, [(said.start(), last + (tail.end() if tail else 0), "")])
                plain = [one for one in self._again.read(rest) if not met_in(one, self._model, ends).met]
                told = [narrowed(one, ends.rows, (both_ways,)) for one in plain]
                return tuple(dict.fromkeys(one for one in told if one is not None)) if None not in told else ()
        return ()

    def _is_idle(self, question: str, cue: EndCue, placed: Sequence[Placed], ends: RowEnds) -> bool:
        """Whether words for an end say no more than the noun of the rows does: were sent to Anna, incoming flights from Bern."""
        if _DONE.search(question[: cue.start]) or any(0 <= one.start - cue.stop <= 1 for one in placed):
            return True
        following = re.match(r"\s*(\w+)", question[cue.stop :])
        return following is not None and self._is_called(ends.rows, following[1])

    def _set(
        self, queries: Sequence[SemanticQuery], ends: RowEnds, placed: Sequence[Placed], roles: set[EndRole]
    ) -> tuple[SemanticQuery, ...]:
        """The readings of the rest, with what stands at each end."""
        said = {one.role for one in placed}
        role = next(iter(roles), None) or (next(iter(said)).other if len(said) == 1 else None)
        found = dict[SemanticQuery, None]()
        for query in queries:
            met = met_in(query, self._model, ends)
            if met.met and (role is None or role in said):
                return ()  # both ends are taken by what was said of them
            told = set_to(query, self._model, ends, role) if met.met and role else query
            if met.bare or (roles and not met.met) or is_twice_there(told, ends):
                continue
            if any(one.ratio or one.transform for one in query.show) and not (placed and all(p.near for p in placed)):
                continue  # a share of home matches: of all matches, or of theirs
            for meant in product(*(one.meant for one in placed)):
                whole = narrowed(told, ends.rows, meant) if meant else told
                if whole is None:
                    return ()
                found[whole] = None
        return tuple(found)

    def _placed(self, question: str, ends: RowEnds, cues: Sequence[EndCue], place: int) -> Placed | None:
        """What stands at the end that a word names, where something stored follows it."""
        cue = cues[place]
        if cue.role is None or cue.kind not in ("tie", "preposition", "against"):
            return None
        tagged = self._again.tag(question)
        instead, denied = "", _DENIED.search(question[cue.start : cue.stop]) is not None
        if cue.kind == "preposition" and not self._is_of_rows(tagged, cue, ends, cues):
            verb = self._does_rows(tagged, cue, ends)
            have = (_HAVE_NO if denied else _HAVE_ROWS)[self._lang]
            instead = f"{have} {self._called(ends.rows)}" if verb else ""
        following = min((one.start for one in cues[place + 1 :] if one.kind != "light"), default=len(question))
        for stop in sorted(_stops(tagged, cue.stop, following), reverse=True):
            said = question[cue.stop : stop].strip(" \"'“”«»")
            if meant := self._conditions(said, ends, cue.role, noun=cue.kind == "tie"):
                tail = re.match(_TAILS.get(self._lang, ""), question[stop:])
                end = stop + (tail.end() if tail else 0)
                if denied and not instead:
                    meant = tuple(map(_elsewhere, meant))
                near = cue.kind == "preposition" and " " not in question[cue.start : cue.stop]
                return Placed(cue.start, end, cue.role, meant, instead, near, denied and not instead)
        return None

    def _may_place(self, tagged: Tagged, cue: EndCue, ends: RowEnds, cues: Sequence[EndCue]) -> bool:
        """Whether a preposition may say an end of the rows: behind their noun, or behind a verb for having them."""
        if self._lang == "zh" or self._is_of_rows(tagged, cue, ends, cues):
            return True
        before = [one for one in cues if one.start <= cue.start and one.kind == "preposition"]
        return any(self._does_rows(tagged, one, ends) for one in before[-2:])

    def _is_of_rows(self, tagged: Tagged, cue: EndCue, ends: RowEnds, cues: Sequence[EndCue]) -> bool:
        """Whether a preposition follows the noun of the rows, and no other noun: not airlines from a country with flights."""
        nouns = [
            (place, one.phrase.entity)
            for one in tagged.mentions
            if isinstance(one.phrase, RowsPhrase) and (place := _span(tagged, one.start, one.end)[1]) <= cue.start
        ]
        rows = [
            (one.stop, ends.rows) for one in cues if self._called(ends.rows) in one.instead and one.stop <= cue.start
        ]
        last = max((place for place, _ in (*nouns, *rows)), default=-1)
        return last < 0 or any(place == last and entity == ends.rows for place, entity in (*nouns, *rows))

    def _does_rows(self, tagged: Tagged, cue: EndCue, ends: RowEnds) -> bool:
        """Whether the words hold a verb for having such rows: airlines that fly from Zurich have flights from there."""
        return any(
            step.name == name and step.end == ends.rows
            for one in tagged.mentions
            if isinstance(one.phrase, Verb) and cue.start <= _span(tagged, one.start, one.end)[0] < cue.stop
            for start, name, _ in one.phrase.steps
            for step in self._model.steps[start]
        )

    def _conditions(self, said: str, ends: RowEnds, role: EndRole, *, noun: bool = True) -> tuple[Condition, ...]:
        """What words say of an end, where they say that and nothing else; with the noun of what stands there, too, where its end names it."""
        rows, other = self._called(ends.rows), self._called(ends.other)
        for text in (said, f"{other} {said}") if noun else (said,):
            read = self._again.read(_ASKED[self._lang].format(rows=rows, said=text))
            own = [one for one in read if not any(met_in(one, self._model, e).met for e in self._ends if e != ends)]
            told = (self._condition(set_to(query, self._model, ends, role), ends, role) for query in own)
            found = {repr(one): one for one in told}.values()
            if found and None not in found:
                return tuple(one for one in found if one is not None)
        return ()

    def _condition(self, query: SemanticQuery, ends: RowEnds, role: EndRole) -> Condition | None:
        counted = SemanticQuery(
            show=(Shown(aggregate=Aggregate.COUNT, of=ends.rows),), of=ends.rows, where=query.where
        ).normalized()
        where = query.where
        leads = isinstance(where, Related) and where.via[:1] == (ends.steps[role].name,)
        return where if leads and query == counted else None


def _elsewhere(condition: Condition) -> Condition:
    """The same of any other: not from Zurich."""
    if not isinstance(condition, Related):
        return condition
    where = condition.related.where
    assert where is not None
    return condition.model_copy(update={"related": SemanticQuery(of=condition.related.of, where=negated((where,)))})


def _span(tagged: Tagged, start: int, end: int) -> tuple[int, int]:
    return tagged.folded.origin(tagged.tokens[start].start, tagged.tokens[end - 1].end)


def _names(tagged: Tagged) -> Iterator[tuple[int, int]]:
    """Where stored values stand, and names of fields and figures of more than one word."""
    for one in tagged.mentions:
        named = isinstance(one.phrase, Attribute | FigurePhrase) and one.end - one.start > 1
        if isinstance(one.phrase, Stored) or named:
            yield _span(tagged, one.start, one.end)


def _stops(tagged: Tagged, start: int, stop: int) -> Iterator[int]:
    """Where something stored ends, with the noun behind it where there is one: Aberdeen city."""
    ends = {
        one.end
        for one in tagged.mentions
        if isinstance(one.phrase, Stored) and start <= _span(tagged, one.start, one.end)[0]
    }
    nouns = {one.start: one.end for one in tagged.mentions if isinstance(one.phrase, RowsPhrase | Attribute)}
    for end in ends | {nouns[end] for end in ends if end in nouns}:
        place = _span(tagged, end - 1, end)[1]
        quoted = tagged.question[place : place + 1]
        place += quoted in ("'", '"', "”", "»") and bool(quoted)
        if place <= stop:
            yield place


def _replaced(question: str, pieces: Sequence[tuple[int, int, str]]) -> str:
    """The question with some stretches replaced, and without gaps."""
    text = question
    for start, stop, instead in sorted(pieces, reverse=True):
        text = f"{text[:start]} {instead} {text[stop:]}"
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" (?=[?.,!？。])", "", text).strip()
