"""What the words of a question may stand for: built once from a semantic model and the stored values, per language."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from veracity.language.currencies import CURRENCY_WORDS
from veracity.language.degrees import degrees
from veracity.language.folding import Folded, Token, fold, folded_text, tokens_of, words_in
from veracity.language.nearest import words_of
from veracity.language.number_words import find_ordinals
from veracity.language.periods import Period, periods_of
from veracity.language.stem import noun_root, stem_of
from veracity.language.units import quantities, units
from veracity.language.verb_forms import verb_forms
from veracity.ontology.descriptor import FieldRole, Relation, Segment
from veracity.semantic.graph import SemanticModel, Step, Thing, names_of
from veracity.semantic.query import Condition, InSegment, QueryPeriod, Shown
from veracity.semantic.reading.phrases import (
    Attribute,
    AverageBound,
    Comparative,
    FigurePhrase,
    HowAdjective,
    JoiningWord,
    Phrase,
    Quoted,
    Role,
    RowsPhrase,
    SaidNumber,
    SaidPeriod,
    SegmentWord,
    Stored,
    Superlative,
    UnitWish,
    Verb,
)
from veracity.sources.source import ColumnType
from veracity.yaml_file import packaged

Key = tuple[str, ...]
Values = Mapping[tuple[str, str], Collection[str]]
_LONGEST = 12
"""Longer names are not looked for."""
_SHORTEST_PART = 3
_COMPUTING = frozenset({"sum", "avg", "median", "counted", "listed", "change", "month", "year", "quarter"})
_LINKS = ("", "s", "n", "en", "es")
"""What stands between the parts of a compound."""
_QUOTED = re.compile(r"""["“”„«»‟]([^"“”„«»‟]{1,200})["“”„«»‟]|(?<!\w)'([^']{1,200})'(?!\w)|「([^」]{1,200})」""")
_NOT_JOINING = (
    "order",
    "skipped",
    "skipped_if_unknown",
    "high",
    "low",
    "prepositions",
    "articles",
    "newest",
    "oldest",
    "ordinals",
    "one",
)
"""Lists of words that stand for something else than joining others."""
_COMPARISONS = {"greater": ">", "at_least": ">=", "less": "<", "at_most": "<=", "exactly": "="}


@cache
def operators(lang: str) -> Mapping[str, Any]:
    """The words about how a question is asked, of one language."""
    table: Mapping[str, Mapping[str, Any]] = packaged(Path(__file__).with_name("operators.yaml"))
    return table.get(lang) or table["en"]


def _key(text: str) -> Key:
    return tuple(noun_root(word) for word in words_in(text))


@dataclass(frozen=True, slots=True)
class WordSense:
    """Words of a question and what they may stand for."""

    start: int
    end: int
    phrase: Phrase
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A question cut into words, with everything that they may stand for."""

    question: str
    folded: Folded
    tokens: tuple[Token, ...]
    mentions: tuple[WordSense, ...]
    skipped: frozenset[int]
    """The words that hold the sentence together and change nothing."""

    def said(self, start: int, end: int) -> str:
        """Some words as they were written."""
        first, last = self.folded.origin(self.tokens[start].start, self.tokens[end - 1].end)
        return self.question[first:last]


class WordBook:
    """Words -> phrases, for questions in one language."""

    def __init__(self, model: SemanticModel, values: Values, lang: str) -> None:
        self.model, self.lang = model, lang
        self.operators = operators(lang)
        self._phrases: dict[Key, list[Phrase]] = {}
        self._verbs: dict[Key, list[tuple[str, str, str]]] = {}
        self._stored: dict[Key, list[tuple[str, str, str | int]]] = {}
        self._stored_roots: dict[Key, list[tuple[str, str, str | int]]] = {}
        self._skipped: dict[str, list[Key]] = {}
        self._singular: set[str] = set()
        self._operator_words: dict[Key, list[Phrase]] = {}
        self._compounds = bool((self.operators.get("order") or {}).get("compounds"))
        self._articles = set(map(folded_text, self._said("articles")))
        self._one = set(map(folded_text, self._said("one")))
        ontology = model.catalog.ontology
        links = {r.through.entity for r in ontology.relations if r.through} if ontology else set()
        things = ((name, model.things.get(name)) for name in links)
        self._links = {name for name, thing in things if not (thing and thing.declared and thing.declared.label)}
        self._prepositions = {word for kind in ("of", "in", "per") for word in map(folded_text, self._said(kind))}
        self._prepositions |= set(map(folded_text, self._said("prepositions")))
        self._add_operators()
        self._add_things()
        self._add_relations()
        self._add_adjectives()
        self._add_values(values)
        for word in self._said("skipped_if_unknown"):
            plain = tuple(words_in(word))
            if not (plain in self._stored or _key(word) in self._phrases or plain in self._operator_words):
                self._skipped.setdefault(plain[0], []).append(plain)
        for key, phrases in self._phrases.items():
            self._phrases[key] = list(_with_namesakes(_measures_together(phrases)))
        keys: Iterable[Key] = (*self._phrases, *self._stored, *self._stored_roots, *self._operator_words, *self._verbs)
        self._longest: dict[str, int] = {}
        for key in keys:
            if key:
                self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))

    def _said(self, kind: str) -> list[str]:
        return [str(word) for word in self.operators.get(kind) or ()]

    # --- filling it

    def _add(self, text: str, phrase: Phrase) -> None:
        for form in _declined(text) if self._compounds else (text,):
            self._enter(form, phrase)

    def _enter(self, text: str, phrase: Phrase) -> None:
        key = _without_article(_key(text))
        if len(key) == 1 and key in self._skipped.get(key[0], ()):
            return  # a column named `a` is no article
        if key and len(key) <= _LONGEST and phrase not in self._phrases.setdefault(key, []):
            self._phrases[key].append(phrase)

    def _add_operators(self) -> None:
        for word in self._said("skipped"):
            key = tuple(words_in(word))
            if key:
                self._skipped.setdefault(key[0], []).append(key)
        for kind, words in self.operators.items():
            if kind in _NOT_JOINING:
                continue
            for word in words:
                key = tuple(words_in(str(word))) or (str(word),)
                while len(key) > 1 and (key[:1]) in self._skipped.get(key[0], ()):
                    key = key[1:]
                self._operator_words.setdefault(key, []).append(_operator(kind, str(word)))

    def _add_things(self) -> None:
        linking = set(self._linking_fields())
        for thing in self.model.things.values():
            for name in _names("" if thing.name in self._links else thing.name, thing.declared):
                self._add(name, RowsPhrase(thing.name))
                self._singular.update(words_in(name)[-1:])
            for field in thing.fields:
                if (thing.name, field) not in linking and not _is_for_tools(thing, field):
                    self._add_field(thing, field)
            if len(thing.key) == 1:
                self._add("id", Attribute(thing.name, thing.key[0]))
            for measure in thing.measures.values():
                figure = FigurePhrase((Shown(measure=measure.name),), thing.name)
                for name in _names(measure.name, measure):
                    self._add(name, figure)
            for segment in thing.segments.values():
                for name in _names(segment.name, segment):
                    self._add(name, SegmentWord(thing.name, segment.name))
                    self._add(name, RowsPhrase(thing.name, where=(InSegment(segment=segment.name),)))
                    for figure in self._default_figures(thing, segment):
                        self._add(name, figure)

    def _default_figures(self, thing: Thing, segment: Segment) -> Iterator[FigurePhrase]:
        """What the name of a segment stands for where a figure is asked."""
        if segment.default_measure is not None:
            home = self.model.measures[segment.default_measure][0]
            for way in self.model.ways(home, thing.name):
                inside = InSegment(segment=segment.name, via=names_of(way))
                yield FigurePhrase((Shown(measure=segment.default_measure),), home, where=(inside,))

    def _add_field(self, thing: Thing, field: str) -> None:
        declared = thing.fields[field].declared
        attribute = Attribute(thing.name, field)
        for name in _names(field, declared):
            # A field called total asks for a sum where there are several rows.
            totals = any(_is_sum(phrase) for phrase in self._operator_words.get(tuple(words_in(name))[-1:], ()))
            self._add(name, replace(attribute, asked=totals))
        if declared is not None:
            segments = {_key(name) for segment in thing.segments.values() for name in _names("", segment)}
            for value, by_lang in declared.values.items():
                for word in (word for words in by_lang.values() for word in words):
                    if _key(word) not in segments:
                        self._store(word, thing.name, field, value)

    def _add_relations(self) -> None:
        for steps in self.model.steps.values():
            for step in steps:
                relation = step.relation
                if relation is None:
                    continue
                verbs = relation.inverse_verbs if step.inverse else relation.verbs
                for phrase in verbs.get(self.lang, ()):
                    self._add_verb(phrase, step.start, step.name)
                self._add_passive(verbs.get(self.lang, ()), step)
                if not step.inverse:
                    self._add_roles(relation, step.start, step.name, step.end)

    def _add_verb(self, phrase: str, start: str, step: str) -> None:
        words = words_in(phrase)
        preposition = words.pop() if len(words) > 1 and words[-1] in self._prepositions else ""
        forms = [(form, preposition) for form in verb_forms(words[0], self.lang)]
        if self._compounds and preposition and len(words) == 1:  # durchfliessen: fliessen durch
            forms += [(form, "") for form in verb_forms(f"{preposition}{words[0]}", self.lang)]
        for form, wanted in forms:
            key = tuple(stem_of(word, self.lang) for word in (form, *words[1:]))
            homes = self._verbs.setdefault(key, [])
            if (start, step, wanted) not in homes:
                homes.append((start, step, wanted))

    def _add_passive(self, verbs: Sequence[str], step: Step) -> None:
        """`traversed by the Mississippi`: the verb of a relation, seen from the other side."""
        others = self.model.steps[step.end]
        back = next((s.name for s in others if s.relation is step.relation and s.inverse is not step.inverse), None)
        for phrase in verbs:
            if back is not None and len(words_in(phrase)) == 1:
                for word in self._said("passive"):
                    self._add_verb(f"{phrase} {word}", step.end, back)

    def _add_roles(self, relation: Relation, start: str, step: str, end: str) -> None:
        if relation.label or relation.synonyms:
            for name in _names("", relation):
                self._add(name, Role(start, step, end))

    def _add_adjectives(self) -> None:
        fields: dict[tuple[str, int], list[tuple[str, str]]] = {}
        for thing in self.model.things.values():
            for name, facts in thing.fields.items():
                said = facts.declared.adjectives.get(self.lang) if facts.declared else None
                for words, direction in ((said.more, 1), (said.less, -1)) if said else ():
                    for word in words:
                        fields.setdefault((folded_text(word), direction), []).append((thing.name, name))
        for kind, direction in (("high", 1), ("low", -1)):
            for word in self._said(kind):
                fields.setdefault((folded_text(word), direction), [])
        general = {folded_text(word) for kind in ("high", "low") for word in self._said(kind)}
        for (word, direction), homes in fields.items():
            self._add_degrees(word, 1 if direction > 0 else -1, tuple(homes), general=word in general)
        self._add_dated()

    def _add_dated(self) -> None:
        """newest, oldest: of a field that has the adjective, else of the date of the rows."""
        for kind, direction in (("newest", 1), ("oldest", -1)):
            for word in self._said(kind):
                senses = self._operator_words.setdefault(tuple(words_in(word)), [])
                known = [sense for sense in senses if isinstance(sense, Superlative)]
                for sense in known:
                    senses[senses.index(sense)] = replace(sense, dated=True)
                if not known:
                    senses.append(Superlative(1 if direction > 0 else -1, adjective=word, dated=True))

    def _add_degrees(self, word: str, direction: Any, fields: tuple[tuple[str, str], ...], *, general: bool) -> None:
        forms = degrees(word, self.lang)
        for form in forms.superlative:
            self._operator_words.setdefault(tuple(words_in(form)), []).append(
                Superlative(direction, adjective=word, fields=fields, general=general)
            )
        for form in forms.comparative:
            key = tuple(words_in(form))
            self._operator_words.setdefault(key, []).append(Comparative(">" if direction > 0 else "<", fields))
        for form in forms.plain if fields else ():
            self._operator_words.setdefault(tuple(words_in(form)), []).append(HowAdjective(fields, direction=direction))

    def _add_values(self, values: Values) -> None:
        linking = set(self._linking_fields())
        for (entity, field), stored in values.items():
            thing = self.model.things.get(entity)
            if (
                thing is None
                or entity in self._links
                or (entity, field) in linking
                or _is_for_tools(thing, field)
                or thing.fields[field].column.type is not ColumnType.TEXT
            ):
                continue
            currency = thing.fields[field].role is FieldRole.CURRENCY
            for value in stored:
                self._store(value, entity, field, value)
                for word in CURRENCY_WORDS.get(value, {}).get(self.lang, ()) if currency else ():
                    self._store(word, entity, field, value)

    def _linking_fields(self) -> Iterator[tuple[str, str]]:
        """Fields that only say to which other row a row belongs: their values are names over there."""
        for step in (step for steps in self.model.steps.values() for step in steps):
            here = step.start
            for hop in step.hops:
                if step.to_one or len(step.hops) > 1:
                    for own, other in hop.keys:
                        yield from self._undescribed(here, own)
                        yield from self._undescribed(hop.entity, other)
                here = hop.entity

    def _undescribed(self, entity: str, field: str) -> Iterator[tuple[str, str]]:
        thing = self.model.things[entity]
        named = field in thing.display and entity not in self._links
        if not named and thing.fields[field].declared is None:
            yield entity, field

    def _store(self, said: str, entity: str, field: str, value: str | int) -> None:
        key = _without_article(tuple(words_in(said)))
        if all((word,) in self._skipped.get(word, ()) or (word,) in self._operator_words for word in key):
            return  # a word of the question is never read as a stored value: average, most, who
        if key and len(key) <= _LONGEST:
            homes = self._stored.setdefault(key, [])
            if (entity, field, value) not in homes:
                homes.append((entity, field, value))
            thing = self.model.things[entity]
            declared = thing.fields[field].declared
            if declared is not None and declared.categorical and field not in thing.display:
                kinds = self._stored_roots.setdefault(tuple(map(noun_root, key)), [])
                if (entity, field, value) not in kinds:
                    kinds.append((entity, field, value))

    # --- reading with it

    def tag(self, question: str, *, today: date, locale: str) -> Tagged:
        """The words of a question with everything that they may stand for."""
        folded = fold(question)
        text = folded.text
        tokens = tuple(part for token in _tokens(text) for part in self._parts(token))
        found = [
            *self._quoted(question, folded, tokens),
            *self._numbers(text, tokens, locale),
            *self._periods(text, tokens, today),
        ]
        taken = {place for m in found if isinstance(m.phrase, Quoted | Stored) for place in range(m.start, m.end)}
        found += [mention for mention in self._words(tokens) if not taken & set(range(mention.start, mention.end))]
        found += self._words_apart(tokens, found)
        found = _longest_names(found)
        skipped = self._skippable(tokens, found)
        first = next((place for place in range(len(tokens)) if place not in skipped), 0)
        last = next((place for place in reversed(range(len(tokens))) if place not in skipped), 0) + 1
        placed = tuple(_placed(mention, first, last) for mention in found)
        return Tagged(question, folded, tokens, placed, skipped)

    def own_conditions(self, shown: Shown, where: Collection[Condition]) -> tuple[Condition, ...]:
        """Of conditions those that some word for the figure brings with it."""
        figures = (one for phrases in self._phrases.values() for one in phrases if isinstance(one, FigurePhrase))
        found = [one.where for one in figures if one.shown == (shown,) and all(part in where for part in one.where)]
        return max(found, key=len, default=())

    def guesses_time(self, question: str, today: date) -> bool:
        """Whether a year that nobody said was guessed, or a period is not read as closely as it was said."""
        return any(
            len(one.meanings) == 1 and not (one.sure or one.open_at) for one in periods_of(fold(question).text, today)
        )

    def _parts(self, token: Token) -> tuple[Token, ...]:
        """A compound that is not known itself, as the two words that it is made of: Kunden|anzahl, Rechnung(s)|betrag."""
        if not self._compounds or len(token.text) < 2 * _SHORTEST_PART or self._knows(token.text):
            return (token,)
        for ordinal in self.operators.get("ordinals") or ():  # zweit|grösste
            prefix = folded_text(ordinal)
            rest = token.text.removeprefix(prefix)
            if rest != token.text and any(isinstance(p, Superlative) for p in self._operator_words.get((rest,), ())):
                place = token.start + len(prefix)
                return (Token(prefix, token.start, place), Token(rest, place, token.end))
        for place in range(_SHORTEST_PART, len(token.text) - _SHORTEST_PART + 1):
            left, right = token.text[:place], token.text[place:]
            if not self._makes_compounds(right):
                continue
            for link in _LINKS:
                first = left.removesuffix(link)
                if left.endswith(link) and len(first) >= _SHORTEST_PART and self._makes_compounds(first):
                    return (
                        Token(first, token.start, token.start + place),
                        Token(right, token.start + place, token.end),
                    )
        return (token,)

    def _knows(self, word: str) -> bool:
        """Whether a word stands for something by itself."""
        known = (word,) in self._operator_words or (word,) in self._skipped.get(word, ())
        return known or (noun_root(word),) in self._phrases

    def _makes_compounds(self, word: str) -> bool:
        """Whether a word is one of the data, or one that computes: not `aus` of Ausland."""
        computing = any(
            isinstance(phrase, JoiningWord) and phrase.kind in _COMPUTING
            for phrase in self._operator_words.get((word,), ())
        )
        return computing or (noun_root(word),) in self._phrases

    def _quoted(self, question: str, folded: Folded, tokens: Sequence[Token]) -> Iterator[WordSense]:
        for match in _QUOTED.finditer(folded.text):
            place = next(number for number, group in enumerate(match.groups(), 1) if group)
            start, end = folded.origin(*match.span(place))
            inner = question[start:end]
            span = _span(tokens, match.start(), match.end())
            if span is None:
                continue
            homes = self._stored.get(_without_article(tuple(words_in(inner))))
            yield WordSense(*span, Stored(tuple(homes)) if homes else Quoted(inner))

    def _numbers(self, text: str, tokens: Sequence[Token], locale: str) -> Iterator[WordSense]:
        for found in quantities(text, locale):
            span = _span(tokens, found.start, found.end)
            if span is None or not found.figure.readings or found.figure.kind in ("date", "time", "label"):
                continue
            bare = _span(tokens, found.figure.start, found.figure.end)
            value = found.figure.readings[0]
            if found.unit is not None and span != bare:
                unit = text[found.figure.end : found.end].strip(" -")
                yield WordSense(*span, SaidNumber(value, unit, found.unit.dimension, found.unit.factor))
            if bare is not None:
                yield WordSense(*bare, SaidNumber(value))
        for place, token in enumerate(tokens):
            if (number := (self.operators.get("ordinals") or {}).get(token.text)) is not None:
                yield WordSense(place, place + 1, JoiningWord("ordinal", str(number)))
            if token.text in self._one and self._counts(tokens, place):
                yield WordSense(place, place + 1, SaidNumber(Decimal(1)))
        for start, end, value in find_ordinals(text, self.lang):
            span = _span(tokens, start, end)
            if span is not None and 1 <= value <= 1000:
                yield WordSense(*span, JoiningWord("ordinal", str(int(value))))

    def _counts(self, tokens: Sequence[Token], place: int) -> bool:
        """Whether `one` stands behind a comparison, so that it is a number: more than one."""
        before = [token.text for token in tokens[max(0, place - 3) : place]]
        senses = (s for start in range(len(before)) for s in self._operator_words.get(tuple(before[start:]), ()))
        return any(isinstance(s, Comparative) or (isinstance(s, JoiningWord) and s.kind == "only") for s in senses)

    def _periods(self, text: str, tokens: Sequence[Token], today: date) -> Iterator[WordSense]:
        for found in periods_of(text, today):
            span = _span(tokens, found.start, found.end)
            if span is None or len(found.meanings) != 1:
                continue
            period = found.meanings[0]
            year = period.first.year if found.bare or (period.part == "year" and span[1] - span[0] == 1) else None
            ends = (_whole(found.ends[0]), _whole(found.ends[1])) if found.ends else None
            guessed = not (found.sure or found.bare or found.open_at or ends) and str(period.first.year) not in text
            said = SaidPeriod(
                _whole(period, found.open_at),
                found.bare,
                year,
                ends,
                year_guessed=guessed,
                moment=period.moment,
            )
            yield WordSense(*span, said)

    def _words(self, tokens: Sequence[Token]) -> Iterator[WordSense]:
        texts = [token.text for token in tokens]
        roots = [noun_root(text) for text in texts]
        stems = [stem_of(text, self.lang) for text in texts]
        for start in range(len(tokens)):
            longest = max(1, *(self._longest.get(form[start], 0) for form in (texts, roots, stems)))
            for end in range(start + 1, min(len(tokens), start + longest) + 1):
                plain, rooted, stemmed = tuple(texts[start:end]), tuple(roots[start:end]), tuple(stems[start:end])
                for phrase in self._operator_words.get(plain, ()):
                    yield WordSense(start, end, phrase)
                plural = texts[end - 1] not in self._singular
                for phrase in self._phrases.get(rooted, ()):
                    yield WordSense(start, end, _in_plural(phrase) if plural else phrase)
                counts = len(plain[0]) > 1 and end - start <= 2 and plain not in self._skipped.get(plain[0], ())
                unit = units().get(" ".join(plain)) if counts else None
                if unit is not None and not unit.is_currency:
                    yield WordSense(start, end, UnitWish(" ".join(plain), unit.dimension))
                if steps := self._verbs.get(stemmed):
                    yield WordSense(start, end, Verb(tuple(steps)))
                homes, noun = self._stored.get(plain), False
                if homes is None and not self._phrases.get(rooted) and not self._operator_words.get(plain):
                    homes = self._stored_roots.get(rooted)  # emergencies are those of the kind emergency
                    noun = homes is not None
                if homes:
                    before = texts[start - 1] if start else ""
                    article = before in self._articles
                    beside = {*roots[start - 1 : start], *roots[end : end + 1]}
                    named = JoiningWord("named", before) in self._operator_words.get((before,), ())
                    told = homes if named else self._as_named(homes, article=article, beside=beside)
                    yield WordSense(start, end, Stored(tuple(told), noun))

    def _as_named(
        self, homes: Sequence[tuple[str, str, str | int]], *, article: bool, beside: set[str]
    ) -> tuple[tuple[str, str, str | int], ...]:
        """The Mississippi is a river, Mississippi a state: where an article tells names apart, it is heeded."""
        with_article = [home for home in homes if self._takes_article(*home[:2])]
        if not with_article or len(with_article) == len(homes):
            return tuple(homes)
        if article:
            return tuple(with_article)
        noun = {
            phrase.entity
            for word in beside
            for phrase in self._phrases.get((word,), ())
            if isinstance(phrase, RowsPhrase)
        }
        return tuple(home for home in homes if home not in with_article or home[0] in noun)

    def _takes_article(self, entity: str, field: str) -> bool:
        thing = self.model.things[entity]
        return thing.declared is not None and thing.declared.article and field in thing.display

    def _words_apart(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> list[WordSense]:
        """Phrases of the ontology with auxiliaries between their words: units that were sold."""
        skipped = self._skippable(tokens, found)
        kept = [place for place in range(len(tokens)) if place not in skipped]
        roots = [noun_root(tokens[place].text) for place in kept]
        mentions: list[WordSense] = []
        for number, place in enumerate(kept):
            longest = min(self._longest.get(roots[number], 0), len(kept) - number)
            for size in range(2, longest + 1):
                end = kept[number + size - 1] + 1
                if end - place > size:
                    for phrase in self._phrases.get(tuple(roots[number : number + size]), ()):
                        mentions.append(WordSense(place, end, phrase))
        return mentions

    def _skippable(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> frozenset[int]:
        texts = tuple(token.text for token in tokens)
        begins = {mention.start for mention in found}
        wider: dict[int, int] = {}
        for mention in found:
            wider[mention.start] = max(mention.end, wider.get(mention.start, 0))
        skipped: set[int] = set()
        for place, text in enumerate(texts):
            for key in self._skipped.get(text, ()):
                span = range(place, place + len(key))
                read = begins & set(span) if len(key) == 1 else wider.get(place, 0) >= place + len(key)
                if texts[place : place + len(key)] == key and not read:
                    skipped.update(span)
        return frozenset(skipped)


def _placed(mention: WordSense, first: int, last: int) -> WordSense:
    """A joining word that knows whether it begins or ends the question."""
    if not isinstance(mention.phrase, JoiningWord):
        return mention
    placed = replace(mention.phrase, first=mention.start == first, last=mention.end == last)
    return replace(mention, phrase=placed)


def _declined(text: str) -> tuple[str, ...]:
    """A name of several words in its cases: überweisender Arzt, überweisendem Arzt."""
    first, _, rest = text.partition(" ")
    if not rest or not first.endswith("er") or not first[:1].islower():
        return (text,)
    return (text, f"{first[:-2]} {rest}", f"{first[:-2]}em {rest}")


_ARTICLES = frozenset({"the", "der", "die", "das"})


def _without_article(key: Key) -> Key:
    while len(key) > 1 and key[0] in _ARTICLES:
        key = key[1:]
    return key


def _is_for_tools(thing: Thing, field: str) -> bool:
    """Whether questions never mean a field."""
    spoken = thing.declared.spoken if thing.declared else ()
    return bool(spoken) and field not in spoken


def _is_sum(phrase: Phrase) -> bool:
    return isinstance(phrase, JoiningWord) and phrase.kind == "sum"


def _names(name: str, declared: Any) -> Iterator[str]:
    """What people call something: its labels and synonyms in all languages, and its own name cut into words."""
    if declared is not None:
        yield from declared.label.values()
        for words in declared.synonyms.values():
            yield from words
    if name:
        yield words_of(name)
        yield name


def _whole(period: Period, open_at: str = "") -> QueryPeriod:
    """The period; an end that nobody said is none."""
    ends = {"from": None if open_at == "start" else period.first, "to": None if open_at == "end" else period.last}
    return QueryPeriod.model_validate(ends)


def _measures_together(phrases: Sequence[Phrase]) -> list[Phrase]:
    """A word that stands for several measures of one entity asks for all of them: movements are debits and credits."""
    plain = [p for p in phrases if isinstance(p, FigurePhrase) and not p.where and p.shown[0].measure]
    if len(plain) < 2 or len({figures.home for figures in plain}) > 1:
        return list(phrases)
    together = replace(plain[0], shown=tuple(shown for figures in plain for shown in figures.shown))
    return [together, *(phrase for phrase in phrases if phrase not in plain)]


def _with_namesakes(phrases: Sequence[Phrase]) -> Iterator[Phrase]:
    """Fields of the same name know of each other."""
    owners = tuple(phrase.entity for phrase in phrases if isinstance(phrase, Attribute))
    for phrase in phrases:
        yield replace(phrase, may_be=owners) if isinstance(phrase, Attribute) and len(owners) > 1 else phrase


def _in_plural(phrase: Phrase) -> Phrase:
    return replace(phrase, plural=True) if isinstance(phrase, RowsPhrase) else phrase


def _operator(kind: str, word: str) -> Phrase:
    if kind in _COMPARISONS:
        return Comparative(_COMPARISONS[kind])
    if kind in ("most", "fewest"):
        return Superlative(1 if kind == "most" else -1, counts=True)
    if kind in ("above_average", "below_average"):
        return AverageBound(">" if kind == "above_average" else "<")
    if kind in ("top", "bottom"):
        return Superlative(1 if kind == "top" else -1)
    return JoiningWord(kind, folded_text(word))


_MARKS = re.compile(r"[,;]")


def _tokens(text: str) -> list[Token]:
    """Words and commas."""
    marks = [Token(",", match.start(), match.end()) for match in _MARKS.finditer(text)]
    return sorted([*tokens_of(text), *marks], key=lambda token: token.start)


def _span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int] | None:
    """The words that a place in the text covers, if it covers whole words."""
    inside = [number for number, token in enumerate(tokens) if token.start >= start and token.end <= end]
    return (inside[0], inside[-1] + 1) if inside else None


def _longest_names(found: list[WordSense]) -> list[WordSense]:
    """Names of things are read whole: what lies within a longer name or word of the data is not read by itself."""
    wide = [
        m
        for m in found
        if m.end - m.start > 1 and isinstance(m.phrase, Stored | RowsPhrase | Attribute | FigurePhrase | Role)
    ]
    composed = set(_names_with_nouns(found))
    return [
        mention
        for mention in found
        if not any(
            one.start <= mention.start
            and mention.end <= one.end
            and one.end - one.start > mention.end - mention.start
            and not (isinstance(one.phrase, Stored) and (one.start, one.end, mention.start, mention.end) in composed)
            for one in wide
        )
    ]


def _names_with_nouns(found: Sequence[WordSense]) -> Iterator[tuple[int, int, int, int]]:
    """Where a name and the noun of its entity stand side by side: the river Colorado may be a place `Colorado River`, too."""
    nouns = [m for m in found if isinstance(m.phrase, RowsPhrase)]
    for name in (m for m in found if isinstance(m.phrase, Stored)):
        homes = {home[0] for home in name.phrase.homes} if isinstance(name.phrase, Stored) else set()
        for noun in nouns:
            entity = noun.phrase.entity if isinstance(noun.phrase, RowsPhrase) else ""
            if entity in homes and (name.end == noun.start or noun.end == name.start):
                start, end = min(name.start, noun.start), max(name.end, noun.end)
                yield start, end, name.start, name.end
                yield start, end, noun.start, noun.end
