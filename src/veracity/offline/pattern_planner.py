"""Question -> canonical pattern. What a pattern cannot take up excludes it; among the rest the likest wording wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, product

from veracity.answer.coverage import Stored
from veracity.language.cues import FUNCTION_WORDS, HARMLESS, HARMLESS_CHINESE, cues_of, without_cues
from veracity.language.embed import Embedder
from veracity.offline.patterns import Filled, fill
from veracity.ontology.descriptor import (
    CanonicalQueryPattern,
    Entity,
    EntityField,
    FieldRole,
    OntologyDescriptor,
    Slot,
    SlotKind,
)
from veracity.query.catalog import Catalog
from veracity.query.model import read_call
from veracity.question import Lexicon, Meaning, Mention, MentionKind, QuestionReading, read

_LIKE_ENOUGH = 0.35
"""Below this likeness to every example nothing is answered, however few words are strange."""
_NEAREST = 3
_DOUBTS = 2
_TOGETHER = re.compile(r"合计|总计|总和|加起来|zusammen|insgesamt|summe|together|combined|in total|sum of|add up")
_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_ENDINGS = ("ern", "end", "en", "er", "es", "em", "ed", "ing", "et", "e", "s", "n", "t")
_LISTING = frozenset({"list", "count"})
_HINTS = frozenset({"entity"})
_FREE_CUES = frozenset({"list"})
"""Cues that a question may leave out."""
_VARYING = (MentionKind.PERIOD, MentionKind.CODE, MentionKind.GROUP, MentionKind.VALUE)
_MASKS: dict[str, dict[MentionKind, str]] = {
    "de": dict(zip(_VARYING, ("2025", "1020", "Position", "Muster AG"), strict=True)),
    "en": dict(zip(_VARYING, ("2025", "1020", "item", "Sample Ltd"), strict=True)),
    "zh": dict(zip(_VARYING, ("2025年", "1020", "项目", "某公司"), strict=True)),
}


@dataclass(frozen=True, slots=True)
class Frame:
    """A question without the things that vary: what is left is how it is asked, and which kinds of things it names."""

    text: str
    stems: frozenset[str]
    cues: frozenset[str]
    names: frozenset[tuple[str, ...]]
    """Kinds of things that are named: a code, a group, a named value, a kind of thing such as customers."""
    roots: frozenset[str]
    """The topmost classes of the groups that are named."""
    moments: frozenset[str]
    content: frozenset[str]
    """Stems of the words that say what it is about."""
    rare: frozenset[str]
    """Those of them that are not heard in any question."""


@dataclass(frozen=True, slots=True)
class PatternCandidate:
    """A pattern met with a question, and how well the wording fits."""

    filled: Filled
    likeness: float
    score: float
    strange: tuple[str, ...]
    """Words that neither the pattern knows nor are harmless."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the planner came to: a pattern, perhaps with open slots, or none and why."""

    chosen: Filled | None
    nearest: tuple[CanonicalQueryPattern, ...] = ()
    unread: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    """What can be asked about, where no pattern says so."""
    open_question: tuple[str, tuple[str, ...]] | None = None
    """What has to be asked back, and what may be answered."""
    candidates: tuple[PatternCandidate, ...] = field(default=(), repr=False)


class Planner:
    """Finds the pattern that answers a question, or says that none does."""

    def __init__(self, ontology: OntologyDescriptor, catalog: Catalog, embedder: Embedder | None = None) -> None:
        self.ontology, self._catalog, self._embedder = ontology, catalog, embedder
        self.locale = ontology.locale
        """How figures are written for readers of German."""
        self._frames: tuple[Lexicon, dict[str, tuple[Frame, ...]]] | None = None
        self._last: tuple[QuestionReading, list[PatternCandidate]] | None = None
        self._vocabulary: tuple[object, frozenset[str], frozenset[str], re.Pattern[str]] | None = None

    def plan(self, reading: QuestionReading, lexicon: Lexicon, stored: Stored, today: date) -> Plan:
        """The pattern to use, with its slots filled as far as the question goes."""
        frames = self._frames_of(lexicon, today)
        question = self._frame(reading)
        candidates = [
            found for one in _ways_to_read(reading, lexicon) for found in self._candidates(one, frames, stored)
        ]
        # A pattern that knows every word of the question goes before one that does not.
        ranked = tuple(sorted(candidates, key=lambda one: (bool(one.strange), -one.score)))
        near = self._nearest(question, frames)
        if not ranked:
            return Plan(None, near, candidates=ranked)
        best = ranked[0]
        if best.strange or best.likeness < _LIKE_ENOUGH:
            return Plan(None, near, best.strange, candidates=ranked)
        return Plan(best.filled, near, candidates=ranked)

    def surely(self, reading: QuestionReading, lexicon: Lexicon, stored: Stored, today: date) -> list[Filled]:
        """The patterns that take up everything and know every word of the question; none where they are too many."""
        known = [one.filled for one in self._sure_candidates(reading, lexicon, stored, today) if one.filled.complete]
        different = [one for n, one in enumerate(known) if all(one.calls != other.calls for other in known[:n])]
        return different if len(different) <= _NEAREST else []

    def left_open(self, reading: QuestionReading, lexicon: Lexicon, stored: Stored, today: date) -> tuple[Slot, ...]:
        """What a question that patterns know every word of leaves out: the year, the account. Nothing where one is complete."""
        known = self._sure_candidates(reading, lexicon, stored, today)
        if not known or any(one.filled.complete for one in known):
            return ()
        return max(known, key=lambda one: one.score).filled.missing

    def _sure_candidates(
        self, reading: QuestionReading, lexicon: Lexicon, stored: Stored, today: date
    ) -> list[PatternCandidate]:
        """The patterns that can be meant and know every word; kept for the question, which is looked at several times."""
        if self._last is None or self._last[0] is not reading:
            frames = self._frames_of(lexicon, today)
            found = [one for way in _ways_to_read(reading, lexicon) for one in self._candidates(way, frames, stored)]
            self._last = (reading, [one for one in found if not one.strange])
        return self._last[1]

    def unknown(self, reading: QuestionReading, lexicon: Lexicon, today: date) -> tuple[str, ...]:
        """The words of a question that no pattern, entity, field or stored value knows."""
        frames = self._frames_of(lexicon, today)
        if self._vocabulary is None or self._vocabulary[0] is not frames:
            self._vocabulary = (frames, *self._known_words(frames))
        _, known, parts, names = self._vocabulary
        text = names.sub(" ", _replaced(reading, lambda _mention: " ", also=tuple(MentionKind)).casefold())
        strange = dict.fromkeys(strange_words(text, known, parts))
        # One Chinese character is what is left of a word that was read in part.
        return tuple(word for word in strange if not word[0].isdigit() and len(word) > 1)

    def _known_words(
        self, frames: Mapping[str, tuple[Frame, ...]]
    ) -> tuple[frozenset[str], frozenset[str], re.Pattern[str]]:
        """The stems and Chinese parts of every example, and what entities and fields are called."""
        examples = [frame for found in frames.values() for frame in found]
        entities = self.ontology.entities
        things: list[Entity | EntityField] = [*entities, *(field for entity in entities for field in entity.fields)]
        called = {name for thing in things for name in (*thing.label.values(), *chain(*thing.synonyms.values()))}
        ordered = sorted((re.escape(name.casefold()) for name in called if name), key=len, reverse=True)
        apart = "|".join(name for name in ordered if not _HAN.search(name))
        within = "|".join(name for name in ordered if _HAN.search(name))
        return (
            frozenset(stem for frame in examples for stem in frame.stems),
            frozenset(part for frame in examples for part in _HAN.findall(frame.text)),
            re.compile(rf"(?<![^\W\d_])(?:{apart or '(?!)'})\w{{0,2}}(?![^\W\d_])|{within or '(?!)'}"),
        )

    def _candidates(
        self, reading: QuestionReading, frames: Mapping[str, tuple[Frame, ...]], stored: Stored
    ) -> Iterator[PatternCandidate]:
        question = self._frame(reading)
        for pattern in self.ontology.canonical_patterns:
            filled = fill(pattern, reading, self._catalog, stored)
            found = self._weigh(question, reading, filled, frames[pattern.intent])
            if found is not None:
                yield found

    def _weigh(
        self, question: Frame, reading: QuestionReading, filled: Filled, frames: Sequence[Frame]
    ) -> PatternCandidate | None:
        """How well a pattern fits; None if it cannot be meant at all."""
        if filled.misfit or filled.uncovered or not self._can_be_meant(question, frames):
            return None
        anchors = [frame for frame in frames if self._is_anchored(question, frame, filled)]
        if not anchors:
            return None
        likeness = self._likeness(question, anchors)
        known = frozenset(stem for frame in frames for stem in frame.stems)
        strange = tuple(_strange(reading, known, frames, self._own_words(filled)))
        moments = {moment for frame in frames for moment in frame.moments}
        score = likeness + 0.1 * max(_overlap(question.stems, frame.stems) for frame in anchors)
        score += 0.15 * (not filled.missing) + 0.1 * (question.moments <= moments)
        score += 0.1 * (
            ("group",) in question.names and all(slot.kind is not SlotKind.GROUP for slot in filled.pattern.slots)
        )
        score += 0.02 * len(question.names & {name for frame in anchors for name in frame.names})
        return PatternCandidate(filled, likeness, score - 0.05 * len(strange), strange)

    def _likeness(self, question: Frame, anchors: Sequence[Frame]) -> float:
        """How like the likest example the wording is; 0 where nothing is embedded."""
        if self._embedder is None:
            return 0.0
        vectors = self._embedder.embed([question.text, *(frame.text for frame in anchors)])
        return float((vectors[1:] @ vectors[0]).max())

    def _can_be_meant(self, question: Frame, frames: Sequence[Frame]) -> bool:
        """Whether everything that the question names and stresses is something that the pattern's examples do, too."""
        cues = {cue for frame in frames for cue in frame.cues} | _FREE_CUES
        names = {name for frame in frames for name in frame.names}
        roots = {root for frame in frames for root in frame.roots}
        moments = {moment for frame in frames for moment in frame.moments}
        return (
            question.cues <= cues
            and (self._lists(question) or not all(frame.cues & _LISTING for frame in frames))
            and {name for name in question.names if name[0] not in _HINTS and not self._is_currency(name)} <= names
            and (not question.roots or not roots or bool(question.roots & roots))
            and ("start" not in question.moments or "start" in moments)
        )

    def _lists(self, question: Frame) -> bool:
        return bool(question.cues & _LISTING) or any(name[0] in _HINTS for name in question.names)

    def _is_anchored(self, question: Frame, example: Frame, filled: Filled) -> bool:
        """Whether the question names what this example names: customers, a group, a profit. What is missing is asked for."""
        missing = {(slot.field or "").rpartition(".")[2] for slot in filled.missing}
        lacking_group = any(slot.kind is SlotKind.GROUP for slot in filled.missing)
        needed = {n for n in example.names if not (n[-1] in missing or (n == ("group",) and lacking_group))}
        if any(name[0] not in _HINTS for name in needed):
            needed = {name for name in needed if name[0] not in _HINTS}  # account 1020 is an account
        if not needed <= question.names or not example.cues - _FREE_CUES <= question.cues:
            return False
        # An example that names nothing is recognised by its own words: the rare ones, or, without a cue, any.
        if needed:
            return True
        if example.cues - _FREE_CUES - _LISTING:
            return not example.rare or bool(example.rare & question.stems)
        return bool((example.content or example.stems - _FUNCTION_STEMS - _COMMON) & question.stems)

    def _own_words(self, filled: Filled) -> frozenset[str]:
        """What the entities and fields of a pattern's calls are called."""
        called: set[str] = set()
        for call in (read_call(call.tool, call.args) for call in filled.calls):
            entity = self._catalog.entities[call.table]
            fields = [entity.fields[name].declared for name in call.named_fields if name in entity.fields]
            for thing in (entity.declared, *fields, *self._related(call.table)):
                if thing is not None:
                    texts = (*thing.label.values(), *(s for group in thing.synonyms.values() for s in group))
                    called.update(text.casefold() for text in texts)
        return frozenset(called)

    def _related(self, table: str) -> Iterator[Entity | None]:
        for relation in self.ontology.relations:
            if relation.from_entity == table:
                yield self.ontology.entity(relation.to_entity)

    def _nearest(self, question: Frame, frames: dict[str, tuple[Frame, ...]]) -> tuple[CanonicalQueryPattern, ...]:
        shared = {
            intent: max(
                (_overlap(question.stems, frame.stems) + (question.names == frame.names) for frame in examples),
                default=0.0,
            )
            for intent, examples in frames.items()
        }
        ranked = sorted(self.ontology.canonical_patterns, key=lambda pattern: -shared[pattern.intent])
        return tuple(ranked[:_NEAREST])

    def _frames_of(self, lexicon: Lexicon, today: date) -> dict[str, tuple[Frame, ...]]:
        if self._frames is None or self._frames[0] is not lexicon:
            made = {
                pattern.intent: tuple(
                    self._frame(one)
                    for lang, examples in pattern.questions.items()
                    for example in examples
                    for one in _ways_to_read(read(example, lexicon, today=today, lang=lang), lexicon)
                )
                for pattern in self.ontology.canonical_patterns
            }
            self._frames = (lexicon, made)
        return self._frames[1]

    def _frame(self, reading: QuestionReading) -> Frame:
        masks = _MASKS.get(reading.lang, _MASKS["en"])
        meanings = [mention.meanings[0] for mention in reading.mentions if _varies(mention)]
        groups = [meaning for meaning in meanings if meaning.kind is MentionKind.GROUP]
        entities = {
            m.entity or "" for mention in reading.mentions for m in mention.meanings if m.kind is MentionKind.ENTITY
        }
        plain = _replaced(reading, lambda _mention: " ")
        content = frozenset(_stems(without_cues(plain.casefold())))
        cues = cues_of(_replaced(reading, lambda mention: mention.text if self._is_kind(mention.meanings[0]) else " "))
        if sum(meaning.kind is MentionKind.PERIOD for meaning in meanings) == 2 and not _TOGETHER.search(
            plain.casefold()
        ):
            cues |= {"compare"}  # two periods are there to be compared, whether that is said or not
        return Frame(
            text=_replaced(reading, lambda mention: masks[mention.meanings[0].kind]),
            stems=frozenset(_stems(plain)),
            cues=cues,
            names=frozenset(
                self._name(mention.meanings[0])
                for mention in reading.mentions
                if _varies(mention)
                and mention.meanings[0].kind is not MentionKind.PERIOD
                # "Costs" and "revenue" are told by their cue, whichever word says them.
                and not (self._is_kind(mention.meanings[0]) and cues_of(mention.text))
            )
            | {("entity", name) for name in entities},
            roots=frozenset(self._root(meaning.entity or "") for meaning in groups),
            moments=frozenset(m.period.moment for m in meanings if m.period is not None),
            content=content - _FUNCTION_STEMS,
            rare=content - _HARMLESS_STEMS,
        )

    def _name(self, meaning: Meaning) -> tuple[str, ...]:
        if meaning.kind is MentionKind.GROUP:
            return ("group",)
        name = meaning.fields[0][1]
        fixed = self._is_kind(meaning) and not self._is_slot(name)
        return (meaning.kind, name, meaning.value or "") if fixed else (meaning.kind, name)

    def _is_kind(self, meaning: Meaning) -> bool:
        """Whether it is a kind of things, such as customers or costs, not a single one."""
        homes = (self._catalog.entities[entity].fields[name].declared for entity, name in meaning.fields)
        found = any(declared is not None and meaning.value in declared.values for declared in homes)
        return meaning.kind is MentionKind.VALUE and found

    def _is_currency(self, name: tuple[str, ...]) -> bool:
        # The unit of an answer is checked on its rows; no pattern needs to expect that it is said.
        fields = (field for entity in self.ontology.entities for field in entity.fields)
        return any(field.name == name[-1] and field.role is FieldRole.CURRENCY for field in fields)

    def _is_slot(self, name: str) -> bool:
        slots = (slot for pattern in self.ontology.canonical_patterns for slot in pattern.slots)
        return any(slot.kind is SlotKind.VALUE and (slot.field or "").endswith(f".{name}") for slot in slots)

    def _root(self, name: str) -> str:
        entity = self.ontology.entity(name)
        while entity is not None and entity.parent_entity:
            entity = self.ontology.entity(entity.parent_entity)
        return entity.name if entity is not None else name


def _ways_to_read(reading: QuestionReading, lexicon: Lexicon) -> Iterator[QuestionReading]:
    """A word that is a group and also a value is read both ways, each as if it were sure."""
    doubtful = [
        number
        for number, mention in enumerate(reading.mentions)
        if len(mention.meanings) > 1
        and all(m.kind in (MentionKind.GROUP, MentionKind.VALUE) for m in mention.meanings)
        and lexicon.knows(mention.text)  # a compound of which only a part is known stays in doubt
    ][:_DOUBTS]
    for choice in product(*(reading.mentions[number].meanings for number in doubtful)):
        mentions = list(reading.mentions)
        for number, meaning in zip(doubtful, choice, strict=True):
            mentions[number] = replace(mentions[number], meanings=(meaning,), sure=True)
        yield replace(reading, mentions=tuple(mentions))


def _varies(mention: Mention) -> bool:
    return mention.sure and mention.meanings[0].kind in _VARYING


def _replaced(reading: QuestionReading, by: Callable[[Mention], str], *, also: Sequence[MentionKind] = ()) -> str:
    """The question with every mention that varies replaced, and those of some kinds even if the reader is not sure."""
    text, end = [], 0
    for mention in reading.mentions:
        if _varies(mention) or mention.meanings[0].kind in also:
            text += [reading.question[end : mention.start], by(mention)]
            end = mention.end
    return "".join([*text, reading.question[end:]])


def _stems(text: str) -> Iterator[str]:
    folded = text.casefold()
    for run in _HAN.findall(folded):
        yield from (run[at : at + 2] for at in range(len(run) - 1))
    yield from (stem(word) for word in _WORD.findall(_HAN.sub(" ", folded)))


def stem(word: str) -> str:
    """A word without its ending, roughly."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _strange(
    reading: QuestionReading, known: frozenset[str], frames: Sequence[Frame], own: frozenset[str]
) -> Iterator[str]:
    """The words of a question that could change its meaning and that a pattern does not know."""
    text = _replaced(reading, lambda _mention: " ", also=(MentionKind.PERIOD, MentionKind.NUMBER)).casefold()
    for name in sorted(own, key=len, reverse=True):
        edges = (r"(?<![^\W\d_])", r"\w{0,2}(?![^\W\d_])") if not _HAN.search(name) else ("", "")
        text = re.sub(f"{edges[0]}{re.escape(name)}{edges[1]}", " ", text)
    yield from strange_words(text, known, {part for frame in frames for part in _HAN.findall(frame.text)})


def strange_words(text: str, known: Collection[str] = (), parts: Collection[str] = ()) -> Iterator[str]:
    """The words of a case-folded text that are neither harmless nor cues nor known, as stems or as Chinese parts."""
    # A number that was not read (an impossible date, a code nobody knows) is not left out.
    yield from re.findall(r"\d[\d.,:/'-]*", text)
    text = without_cues(text)
    for word in _WORD.findall(_HAN.sub(" ", text)):
        if word not in HARMLESS and stem(word) not in known and stem(word) not in _HARMLESS_STEMS:
            yield word
    for run in _HAN.findall(text):
        yield from HARMLESS_CHINESE.sub(" ", _without(run, parts)).split()


_HARMLESS_STEMS = frozenset(stem(word) for word in HARMLESS)
_COMMON = frozenset(stem(word) for word in ("zeige", "zeig", "show", "list", "liste", "welche", "which"))
_FUNCTION_STEMS = frozenset(stem(word) for word in FUNCTION_WORDS)


def _without(run: str, parts: Collection[str]) -> str:
    """Chinese text without every piece of two or more characters that stands in one of the parts."""
    left, at = [], 0
    while at < len(run):
        size = next((n for n in range(min(8, len(run) - at), 1, -1) if any(run[at : at + n] in p for p in parts)), 0)
        left.append(" " if size else run[at])
        at += size or 1
    return "".join(left)
