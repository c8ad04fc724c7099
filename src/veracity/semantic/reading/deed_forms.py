"""Ways of asking what was done that are put together of plainer questions: in both 2024 and 2025, what did she buy, in which month were the most tents sold.

Each way names the plain questions; these are read, and what they mean is joined. What none of them means is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any

from veracity.language.folding import folded_text
from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.language.verb_forms import past_forms, verb_forms
from veracity.semantic.graph import SemanticModel, Thing, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    FigureComparison,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
    parts_of,
)
from veracity.semantic.reading.asked_forms import Read, called, is_called_one_of, without_end_sign
from veracity.semantic.reading.coming_about import named_deeds, verbs_of
from veracity.semantic.reading.earned_from import earned_from
from veracity.semantic.reading.money import pays
from veracity.semantic.reading.word_lists import in_all_languages, is_person, key_of, names_for, rows_called
from veracity.sources.source import NUMERIC
from veracity.yaml_file import packaged

_MOST_THINGS = 40
_MOST_TRIED = 8
_FEW_ENDS = 2
"""What names no more than who and what is of just that."""


def deeds_said(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """What a question may mean that asks in one of these ways; nothing where it does not."""
    if len(model.things) > _MOST_THINGS:
        return ()
    reader = _DeedReader(model, lang, read)
    plain = without_end_sign(question)
    ways = (
        reader.in_both,
        reader.of_both,
        reader.bought,
        reader.most_sold,
        reader.sold_by,
        reader.earned,
        reader.nothing_done,
        reader.something_done,
        reader.share,
        reader.several,
    )
    return next((found for way in ways if (found := tuple(dict.fromkeys(way(plain))))), ())


def says_both(question: str, lang: str) -> bool:
    """Whether two times or things are said of which both are meant."""
    ways = (*_ways(lang, "both"), *_ways(lang, "of_both"))
    return any(pattern.search(question) for pattern, _ in ways)


@dataclass(frozen=True, slots=True)
class _Sale:
    """What somebody bought: the rows that tell who and when, the lines in them, and what these are of."""

    rows: Thing
    lines: Thing
    goods: Thing


@dataclass(frozen=True, slots=True)
class _DeedReader:
    """Reads such questions in one language."""

    model: SemanticModel
    lang: str
    read: Read

    def in_both(self, question: str) -> Iterator[SemanticQuery]:
        """Customers who ordered in both 2024 and 2025: those of the one time who are also those of the other."""
        for pattern, template in _ways(self.lang, "both"):
            place = pattern.search(question)
            if place is None:
                continue
            told = [
                f"{question[: place.start()]}{template.format(one)}{question[place.end() :]}" for one in place.groups()
            ]
            first, second = (self.read(text) for text in told)
            for one, other in zip(first, second, strict=False):
                if (joined := _of_both(one, other)) is not None:
                    yield joined

    def of_both(self, question: str) -> Iterator[SemanticQuery]:
        """Students who have both a cat and a dog: those of the one who are also those of the other.

        As many words belong to the second as to the first; whatever follows is about both. Where that is not read, any number of them may.
        """
        said = next(filter(None, (pattern.search(question) for pattern, _ in _ways(self.lang, "of_both"))), None)
        if said is None or len(words := said["rest"].split()) > _MOST_TRIED:
            return
        alike = len(said["one"].split())
        if found := self._with_second(question, said, alike) if alike <= len(words) else []:
            yield from found
            return
        for count in range(1, len(words) + 1):
            yield from self._with_second(question, said, count)

    def _with_second(self, question: str, said: re.Match[str], count: int) -> list[SemanticQuery]:
        """What is meant where the second of both has so many words."""
        words = said["rest"].split()
        if words[count : count + 1] and words[count] in _lists()[self.lang]["says_more"]:
            return []  # both a dog and a cat that is black: nobody says whether the dog is
        behind = " ".join(("", *words[count:]))
        told = (f"{question[: said.start()]}{one}{behind}" for one in (said["one"], " ".join(words[:count])))
        pairs = product(*(tuple(islice(self.read(text), _FEW_ENDS)) for text in told))
        return [both for pair in pairs if (both := _of_both(*pair)) is not None]

    def bought(self, question: str) -> Iterator[SemanticQuery]:
        """What did she buy: the goods of her orders."""
        for sale, text in self._filled(question, "bought"):
            for query in self.read(text):
                if query.lists and query.of == sale.rows.name and not (query.order or query.limit):
                    own = query.model_copy(update={"show": ()})
                    yield SemanticQuery(of=sale.goods.name, where=Related(related=own)).normalized()

    def most_sold(self, question: str) -> Iterator[SemanticQuery]:
        """In which month did we sell the most tents: by how many were sold, or by the lines that say so."""
        yield from self._first_read(question, "most_sold")

    def sold_by(self, question: str) -> Iterator[SemanticQuery]:
        """Which stores sold tents in 2024: those with orders of 2024 that are of tents; whoever buys is no seller."""
        said = next(filter(None, (pattern.match(question) for pattern, _ in _ways(self.lang, "sold_by"))), None)
        if said is None:
            return
        words = {name: (text or "").strip() for name, text in said.groupdict().items()}
        if re.search(_lists()[self.lang]["several_or_none"], words["what"], re.IGNORECASE):
            return  # all of them, one but not the other: no single sale says so
        for who in self.read(words["who"]):
            for rows in self._sales_by(who):
                for sale, time in product(self._rows_of(rows, words["what"]), self._rows_then(rows, words["when"])):
                    where = all_of((*parts_of(sale.where), *parts_of(time.where)))
                    done = SemanticQuery(of=rows.name, where=where, period=time.period)
                    tied = Related(related=done, via=names_of(self.model.ways(who.of or "", rows.name)[0]))
                    yield who.model_copy(update={"where": all_of((*parts_of(who.where), tied))}).normalized()

    def earned(self, question: str) -> Iterator[SemanticQuery]:
        """With how many customers did we earn revenue in 2024: those with rows of it."""
        said = next(filter(None, (pattern.match(question) for pattern, _ in _ways(self.lang, "earned"))), None)
        if said is not None and not re.search(_lists()[self.lang]["several_or_none"], said["what"], re.IGNORECASE):
            yield from earned_from(said, _lists()[self.lang]["earned_asks"], self.model, self.read)

    def nothing_done(self, question: str) -> Iterator[SemanticQuery]:
        """On which accounts was nothing booked in 2025: those without bookings of 2025."""
        yield from self._with_rows_done(question, "nothing")

    def something_done(self, question: str) -> Iterator[SemanticQuery]:
        """How many customers returned something in 2025 because it was too small: those with such returns."""
        yield from self._with_rows_done(question, "something")

    def _with_rows_done(self, question: str, way: str) -> Iterator[SemanticQuery]:
        said = next(filter(None, (pattern.match(question) for pattern, _ in _ways(self.lang, way))), None)
        if said is None:
            return
        words = {name: (text or "").strip() for name, text in said.groupdict().items()}
        for plain, pattern in _lists()[self.lang]["asked_as"].items():
            words["who"] = re.sub(rf"^(?:{pattern})\b", plain, words["who"], flags=re.IGNORECASE)
        template = _templates(self.lang, f"{way}_asks")[1 if words.get("why") else 0]
        for rows in self._rows_done(words["verb"]):
            text = template.format(rows=self._plural(rows), **words)
            yield from self.read(re.sub(r"\s+", " ", text))

    def _rows_done(self, verb: str) -> list[Thing]:
        """The rows that are there because something was done, by a verb for it or by what they are called."""
        done = {thing.name for thing, verbs in named_deeds(self.model, self.lang) if self._is_form(verb, verbs)}
        sold = self._is_form(verb, _lists()[self.lang]["sells"])
        called = folded_text(verb)
        return [
            thing
            for name, thing in self.model.things.items()
            if name in done
            or self._is_form(verb, verbs_of(thing, self.lang))
            or any(folded_text(one) == called for one in names_for(name, thing.declared))
            or (sold and is_called_one_of(thing, _lists()["sale_rows"]))
        ]

    def _is_form(self, said: str, verbs: Sequence[str]) -> bool:
        forms = (form for verb in verbs for form in (*verb_forms(verb, self.lang), *past_forms(verb, self.lang)))
        return folded_text(said) in forms

    def _sales_by(self, who: SemanticQuery) -> Iterator[Thing]:
        """The rows of sales, each of which belongs to one of those who are asked for: a store, an employee."""
        seller = self.model.things.get(who.of or "")
        plain = (who.lists and not who.show) or who.counts_rows
        if seller is None or not plain or who.order or who.by or who.limit or pays(self.model, seller.name):
            return
        for rows in self.model.things.values() if is_person(seller) or not _has_price(seller) else ():
            ways = self.model.ways(rows.name, seller.name)
            if (
                len(ways) == 1
                and len(ways[0]) == 1
                and is_to_one(ways[0])
                and is_called_one_of(rows, _lists()["sale_rows"])
            ):
                yield rows

    def _rows_of(self, rows: Thing, goods: str) -> tuple[SemanticQuery, ...]:
        """The rows of sales that are of something, by themselves or by their lines."""
        steps = [step for step in self.model.steps[rows.name] if not step.to_one]
        lines = [step for step in steps if not is_person(self.model.things[step.end]) and not step.has_role]
        for template in _templates(self.lang, "sold_rows"):
            for line in lines if "{lines}" in template else (None,):
                own = self.model.things[line.end] if line else rows
                text = template.format(rows=self._plural(rows), lines=self._plural(own), what=goods)
                found = [one for one in self.read(text) if one.of == own.name and _is_part(one)]
                if line:
                    found = [SemanticQuery(of=rows.name, where=Related(related=one, via=(line.name,))) for one in found]
                if found:
                    return tuple(found)
        return ()

    def _rows_then(self, rows: Thing, when: str) -> tuple[SemanticQuery, ...]:
        """The rows of sales of some time; all of them where none is said."""
        if not when:
            return (SemanticQuery(of=rows.name),)
        text = _templates(self.lang, "sold_when")[0].format(rows=self._plural(rows), when=when)
        return tuple(one for one in self.read(text) if one.of == rows.name and one.lists and not one.order)

    def several(self, question: str) -> Iterator[SemanticQuery]:
        """Customers who bought more than one rock track: by how many pieces, and by how many lines."""
        for sale, text in self._filled(question, "several"):
            for query in self.read(text):
                yield from (self._in_pieces(query, sale.lines, field) for field in self._piece_fields(sale.lines))
                yield query

    def _in_pieces(self, query: SemanticQuery, lines: Thing, field: str) -> SemanticQuery:
        """The query with the pieces of the lines added up, where it counts the lines."""
        parts = list(parts_of(query.where))
        for place, part in enumerate(parts):
            if isinstance(part, Related) and part.count is not None and part.related.of == lines.name:
                pieces = Shown(
                    aggregate=Aggregate.SUM, field=f"{lines.name}.{field}", via=part.via, where=part.related.where
                )
                if part.related.period is None:
                    parts[place] = FigureComparison(show=pieces, op=part.count.op, value=part.count.value)
        return query.model_copy(update={"where": all_of(parts)}).normalized()

    def share(self, question: str) -> Iterator[SemanticQuery]:
        """Which share of the tracks was never sold: of all tracks those that were never sold."""
        for _, text in self._filled(question, "share"):
            found = [query for query in self.read(text) if _is_part(query)]
            for query in found:
                part = Shown(aggregate=Aggregate.COUNT, of=query.of, where=query.where, transform=Transform.SHARE)
                yield SemanticQuery(of=query.of, show=(part,)).normalized()
            if found:
                return

    def _first_read(self, question: str, way: str) -> Iterator[SemanticQuery]:
        for _, text in self._filled(question, way):
            if found := tuple(self.read(text)):
                yield from found

    def _filled(self, question: str, way: str) -> Iterator[tuple[_Sale, str]]:
        """The plain questions of the first way that fits, with what the data calls orders, lines and units."""
        for pattern, templates in _ways(self.lang, way):
            said = pattern.match(question)
            if said is None:
                continue
            parts = [part or "" for part in said.groups()]
            texts = ((sale, one) for one in _listed(templates) for sale in self._sales())
            for sale, template in islice(texts, _MOST_TRIED):
                named = {"rows": self._plural(sale.rows), "lines": self._plural(sale.lines)}
                for units in self._units(sale.lines) if "{units}" in template else ("",):
                    yield sale, template.format(*parts, **named, units=units)
            return

    def _plural(self, thing: Thing) -> str:
        return rows_called(thing, self.lang)

    def _sales(self) -> Iterator[_Sale]:
        """Who buys has orders, and these are of goods: by themselves or by their lines."""
        for lines in self.model.things.values():
            ends = [step.end for step in self.model.steps[lines.name] if is_to_one((step,))]
            others = [self.model.things[end] for end in ends if not self._tells_deeds(self.model.things[end])]
            goods = [one for one in others if not is_person(one) and (_has_price(one) or len(ends) <= _FEW_ENDS)]
            for rows in (lines, *(self.model.things[end] for end in ends)):
                if self._tells_deeds(rows) and self._is_of_people(rows):
                    yield from (_Sale(rows, lines, one) for one in goods)

    def _tells_deeds(self, thing: Thing) -> bool:
        return thing.default_date is not None

    def _is_of_people(self, thing: Thing) -> bool:
        steps = (step for step in self.model.steps[thing.name] if is_to_one((step,)))
        return any(is_person(self.model.things[step.end]) for step in steps)

    def _piece_fields(self, lines: Thing) -> list[str]:
        words = in_all_languages("piece_fields")
        numbers = ((name, facts) for name, facts in lines.fields.items() if facts.column.type in NUMERIC)
        return [name for name, facts in numbers if any(key_of(one) in words for one in names_for(name, facts.declared))]

    def _units(self, lines: Thing) -> Iterator[str]:
        """What the number of pieces is called: quantity, units."""
        words = in_all_languages("piece_fields")
        for measure in lines.measures.values():
            if any(key_of(one) in words for one in names_for(measure.name, measure)):
                yield called(measure.label, measure.name, self.lang)
                return
        for name in self._piece_fields(lines):
            declared = lines.fields[name].declared
            yield pick(declared.label, self.lang) if declared else words_of(name)


def _has_price(thing: Thing) -> bool:
    """Whether something is sold at a price, as goods are and stores are not."""
    words = in_all_languages("prices")
    called = (names_for(name, facts.declared) for name, facts in thing.fields.items() if facts.column.type in NUMERIC)
    return any((key_of(one)[-1],) in words for names in called for one in names)


def _of_both(one: SemanticQuery, other: SemanticQuery) -> SemanticQuery | None:
    """The rows of two queries that differ only in the time of what happened to them."""
    mine, theirs = (list(parts_of(query.where)) for query in (one, other))
    differing = [part for part in (*mine, *theirs) if part not in mine or part not in theirs]
    same = one.model_copy(update={"where": None}) == other.model_copy(update={"where": None})
    deeds = all(isinstance(part, Related | Negation) for part in differing)
    if not same or not differing or not deeds or not (one.lists or one.show[0].of == one.of) or one.limit:
        return None
    where = all_of((*mine, *(part for part in theirs if part not in mine)))
    return one.model_copy(update={"where": where}).normalized()


def _is_part(query: SemanticQuery) -> bool:
    """Whether a query lists rows that are so and so, and says nothing else of them."""
    plain = not (query.show or query.order or query.limit or query.period or query.by or query.having)
    return query.lists and query.where is not None and plain


def _listed(templates: str | Sequence[str]) -> Sequence[str]:
    return (templates,) if isinstance(templates, str) else templates


@cache
def _lists() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_name("deed_forms.yaml"))
    return found


def _templates(lang: str, way: str) -> Sequence[str]:
    return tuple(_lists()[lang][way])


@cache
def _ways(lang: str, way: str) -> tuple[tuple[re.Pattern[str], Any], ...]:
    lists: Mapping[str, Any] = _lists().get(lang) or {}
    months = str(lists.get("months", ""))
    time = rf"\d{{4}}年(?:{months})?" if lang == "zh" else rf"(?:{months} )?\d{{4}}"
    written = {"time": time, **{name: str(lists[name]) for name in ("when", "much", "months") if name in lists}}
    patterns = ((one, None) if isinstance(one, str) else one for one in lists.get(way) or ())
    made = ((_written_out(str(pattern), written), told) for pattern, told in patterns)
    return tuple((re.compile(pattern, re.IGNORECASE), told) for pattern, told in made)


def _written_out(pattern: str, lists: Mapping[str, str]) -> str:
    """A pattern in which the lists of the language stand; what is no list is the name of a group."""
    return re.sub(r"(?<!\?P)<(\w+)>", lambda place: _written_out(lists[place[1]], lists), pattern)
