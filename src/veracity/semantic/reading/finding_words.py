"""What the words of a question may stand for, kind by kind: quotes, numbers, times, names of the model, stored values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

from veracity.language.folding import Folded, Token, is_unspaced, words_in
from veracity.language.number_words import find_ordinals
from veracity.language.periods import Period, periods_of
from veracity.language.stem import noun_root, stem_of
from veracity.language.units import quantities, unit_called, units
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.comparison_phrases import Comparative
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import CameAbout, Verb
from veracity.semantic.reading.known_phrases import KnownPhrases
from veracity.semantic.reading.paired_forms import paired_forms
from veracity.semantic.reading.phrase_book import without_article
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowsPhrase, Stored, WhoseRows
from veracity.semantic.reading.row_pairs import done_dates
from veracity.semantic.reading.said_phrases import DaysOfWeek, Phrase, Quoted, SaidNumber, SaidPeriod, UnitWish
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.semantic.reading.word_senses import WordSense

SHORTEST_PART = 3
"""Letters of the shortest word that is looked for within another one."""
_MOST_PARTS = 3
_QUOTED = re.compile(r"""["“”„«»‟]([^"“”„«»‟]{1,200})["“”„«»‟]|(?<!\w)'([^']{1,200})'(?!\w)|「([^」]{1,200})」""")


class WordFinder(KnownPhrases):
    """Finds in the words of a question what each of them may stand for."""

    def _quoted(self, question: str, folded: Folded, tokens: Sequence[Token]) -> Iterator[WordSense]:
        for match in _QUOTED.finditer(folded.text):
            place = next(number for number, group in enumerate(match.groups(), 1) if group)
            start, end = folded.origin(*match.span(place))
            inner = question[start:end]
            span = _span(tokens, match.start(), match.end())
            if span is None:
                continue
            homes = self._stored.get(without_article(tuple(words_in(inner))))
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
            if bare is not None and not self._is_stored_label(tokens[bare[1] - 1]):
                yield WordSense(*bare, SaidNumber(value))
        for place, token in enumerate(tokens):
            if (number := (self.operators.get("ordinals") or {}).get(token.text)) is not None:
                yield WordSense(place, place + 1, JoiningWord("ordinal", str(number)))
            if token.text in self._own.one and self._counts(tokens, place):
                yield WordSense(place, place + 1, SaidNumber(Decimal(1)))
            behind = tokens[place + 1].text if place + 1 < len(tokens) else ""
            if (
                token.text in self._own.one | self._own.a
                and self._counts(tokens, place)
                and (measure := unit_called(behind)) is not None
            ):
                one = SaidNumber(Decimal(1), behind, measure.dimension, measure.factor)
                start = (
                    place if token.text in self._own.one else place + 1
                )  # longer than an hour, länger als eine Stunde
                yield WordSense(start, place + 2, one)
        for start, end, value in find_ordinals(text, self.lang):
            span = _span(tokens, start, end)
            if span is not None and 1 <= value <= 1000:
                yield WordSense(*span, JoiningWord("ordinal", str(int(value))))

    def _is_stored_label(self, token: Token) -> bool:
        """Whether a number with a letter is stored so: the class 2a is no two amperes."""
        return (token.text,) in self._stored and any(map(str.isalpha, token.text))

    def _counts(self, tokens: Sequence[Token], place: int) -> bool:
        """Whether `one` stands behind a comparison, so that it is a number: more than one."""
        last = place - 1 if place and tokens[place - 1].text in self._skipped else place  # longer than
        before = [[token.text for token in tokens[max(0, end - 3) : end]] for end in {place, last}]
        spans = (tuple(some[start:]) for some in before for start in range(len(some)))
        senses = (sense for span in spans for sense in self._operator_words.get(span, ()))
        return any(isinstance(s, Comparative) or (isinstance(s, JoiningWord) and s.kind == "only") for s in senses)

    def _periods(self, text: str, tokens: Sequence[Token], today: date) -> Iterator[WordSense]:
        for found in periods_of(text, today):
            span = _span(tokens, found.start, found.end)
            several = len(found.meanings) > 1
            if span is None or (several and found.meanings[0].part == "day"):
                continue
            for period in found.meanings:
                year = period.first.year if found.bare or (period.part == "year" and span[1] - span[0] == 1) else None
                ends = (_whole(found.ends[0]), _whole(found.ends[1])) if found.ends else None
                sure = found.sure or found.bare or found.open_at or ends or several
                said = SaidPeriod(
                    _whole(period, found.open_at),
                    found.bare,
                    year,
                    ends,
                    year_guessed=not sure and str(period.first.year) not in text,
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
                if days := self._own.weekdays.get(plain):
                    yield WordSense(start, end, DaysOfWeek(days))
                plural = texts[end - 1] not in self._singular
                for phrase in self._phrases.get(rooted, ()):
                    yield WordSense(start, end, _in_plural(phrase) if plural else phrase)
                counts = len(plain[0]) > 1 and end - start <= 2 and plain not in self._skipped.get(plain[0], ())
                unit = units().get(" ".join(plain)) if counts else None
                if unit is not None and not unit.is_currency:
                    yield WordSense(start, end, UnitWish(" ".join(plain), unit.dimension))
                verbs = () if plain in self._unsettled else self._verbs.get(stemmed, ())  # open tickets
                if steps := (*verbs, *self._done.get(plain, ())):
                    yield WordSense(start, end, Verb(steps, transitive=self._transitive.get(stemmed, ())))
                if came := self._came.get(plain):
                    yield WordSense(start, end, CameAbout(came))
                told_by_verb = bool(steps or came or plain in self._unsettled)
                homes, noun = self._homes(plain, rooted, told_by_verb=told_by_verb)
                if homes:
                    before = texts[start - 1] if start else ""
                    article = before in self._own.articles
                    beside = {*roots[start - 1 : start], *roots[end : end + 1]}
                    named = JoiningWord("named", before) in self._operator_words.get((before,), ())
                    told = homes if named else self._as_named(homes, article=article, beside=beside)
                    aims = tuple(home for home in told if self._is_aim(*home[:2]))
                    if aims and before in self._said("aimed"):  # to Ulm: what is called the destination
                        yield WordSense(start - 1, end, Stored(aims, noun))
                    yield from self._sent_to(told, texts, roots, (start, end))
                    if before in self._said("come_from") and len(aims) < len(told):
                        told = tuple(home for home in told if home not in aims)
                    yield WordSense(start, end, Stored(tuple(told), noun))

    def _homes(
        self, plain: tuple[str, ...], rooted: tuple[str, ...], *, told_by_verb: bool
    ) -> tuple[Sequence[tuple[str, str, str | int]] | None, bool]:
        """Where words are stored, and whether they stand in the plural for such rows."""
        homes = self._stored.get(plain)
        if homes is not None or self._phrases.get(rooted) or self._operator_words.get(plain):
            return homes, False
        # Emergencies are those of the kind emergency; francs are no people of France.
        kinds = None if units().get(plain[-1]) else self._stored_roots.get(rooted)
        if kinds is not None or told_by_verb:
            return kinds, kinds is not None
        return self._forms_of_kinds.get(plain), False  # shares bought, where buy is stored

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

    def _is_aim(self, entity: str, field: str) -> bool:
        """Whether a field says where something goes to."""
        return self._is_called(entity, field, "aim_fields")

    def _is_called(self, entity: str, field: str, which: str) -> bool:
        """Whether one of the names of a field has a word of a list."""
        known = in_all_languages(which)
        names = names_for(field, self.model.things[entity].fields[field].declared)
        return any((word,) in known for name in names for word in key_of(name))

    def _sent_to(
        self,
        homes: Sequence[tuple[str, str, str | int]],
        texts: Sequence[str],
        roots: Sequence[str],
        span: tuple[int, int],
    ) -> Iterator[WordSense]:
        """Shipped to Germany: the place that something was sent to; the verb says no more where no date is called so."""
        start, end = span
        sent = tuple(home for home in homes if self._is_called(*home[:2], "sent_fields"))
        if not sent or not start or texts[start - 1] not in self._said("aimed"):
            return
        yield WordSense(start - 1, end, Stored(sent))
        # Where a date tells when it was sent, what was sent is what has that date.
        sent = tuple(home for home in sent if self.lang == "zh" or not done_dates(self.model, home[0]))
        for verb, first, last in ((start - 2, start - 2, end), (end, start - 1, end + 1)):
            said = 0 <= verb < len(texts) and texts[verb] in self._said("sent_words")
            if sent and said and not any(isinstance(one, Attribute) for one in self._phrases.get((roots[verb],), ())):
                yield WordSense(first, last, Stored(sent))

    def _not_settled(self, tokens: Sequence[Token], today: date) -> Iterator[WordSense]:
        """Open, unpaid, overdue: of rows that tell whether they are settled."""
        texts = [token.text for token in tokens]
        for start in range(len(tokens)):
            for end in range(start + 1, min(len(tokens), start + 3) + 1):
                kind = self._unsettled.get(tuple(texts[start:end]))
                for one in self._settlings if kind else ():
                    yield from (WordSense(start, end, said) for said in one.filters(kind or "", today))

    def _paired(self, text: str, tokens: Sequence[Token]) -> Iterator[WordSense]:
        """Schülerinnen und Schüler: the noun for all of them."""
        for start, end, root in paired_forms(text, tokens) if self._compounds else ():
            yield from (WordSense(start, end, _in_plural(phrase)) for phrase in self._phrases.get((root,), ()))

    def _whose_rows(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> list[WordSense]:
        """Nouns with `whose` before them."""
        return [
            replace(mention, phrase=WhoseRows(mention.phrase.entity))
            for mention in found
            if isinstance(mention.phrase, RowsPhrase) and mention.phrase.bare
            if mention.start > 0 and tokens[mention.start - 1].text in self._own.whose
        ]

    def _grains_of_figures(
        self, tokens: Sequence[Token], found: Sequence[WordSense], dated: Collection[int]
    ) -> list[WordSense]:
        """月 before 收入 says per month, where it is no part of a date or of a number of months."""
        grains = self.operators.get("before_figure") or {}
        begins = {m.start for m in found if isinstance(m.phrase, FigurePhrase)} if grains else set()
        known = {place for m in found if m.end - m.start > 1 for place in range(m.start, m.end)}
        return [
            WordSense(place, place + 1, JoiningWord(str(grains[token.text]), token.text))
            for place, token in enumerate(tokens)
            if token.text in grains and place + 1 in begins and place not in dated and place not in known
        ]

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
                whose = any(token.text in self._own.whose for token in tokens[place:end])
                if end - place > size and not whose:
                    for phrase in self._phrases.get(tuple(roots[number : number + size]), ()):
                        mentions.append(WordSense(place, end, phrase))
        return mentions

    def _spelt_otherwise(self, text: str, tokens: Sequence[Token], found: Sequence[WordSense]) -> Iterator[WordSense]:
        """check-ins, check ins of a table checkin; policyholders of policy holders: names cut otherwise than they are stored."""
        known = {place for m in found for place in range(m.start, m.end)} | self._skippable(tokens, found)
        for start in range(len(tokens)):
            for end in range(start + 1, min(len(tokens), start + _MOST_PARTS) + 1):
                parts = tokens[start:end]
                hyphen = any(text[one.end : two.start] == "-" for one, two in pairwise(parts))
                near = all(text[one.end : two.start] in ("-", " ") for one, two in pairwise(parts))
                if not near or not (hyphen or any(place not in known for place in range(start, end))):
                    continue
                own = tuple(noun_root(part.text) for part in parts)
                for key in self._spelt_together.get(noun_root("".join(part.text for part in parts)), ()):
                    plural = parts[-1].text.endswith("s")
                    for phrase in self._phrases[key] if key != own else ():
                        yield WordSense(start, end, _in_plural(phrase) if plural else phrase)

    def _shared_heads(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> list[WordSense]:
        """First and last names, Vor- und Nachname: the first of two fields whose noun is said once, behind the second."""
        joins = {m.start for m in found if isinstance(m.phrase, JoiningWord) and m.phrase.kind in ("and", "or")}
        mentions: list[WordSense] = []
        for second in found:
            field = second.phrase
            if not isinstance(field, Attribute) or second.start - 1 not in joins or second.start < 2:
                continue
            place, last = second.start - 2, tokens[second.end - 1].text
            word = tokens[place].text
            heads: list[tuple[str, ...]] = [(noun_root(word), noun_root(last))] if second.end - second.start > 1 else []
            heads += [(noun_root(word + last[cut:]),) for cut in range(SHORTEST_PART - 1, len(last) - 2)]
            for key in heads:
                mentions += [
                    WordSense(place, place + 1, one)
                    for one in self._phrases.get(key, ())
                    if isinstance(one, Attribute) and field.entity == one.entity
                ]
        return mentions

    def _skippable(self, tokens: Sequence[Token], found: Sequence[WordSense]) -> frozenset[int]:
        texts = tuple(token.text for token in tokens)
        begins = {mention.start for mention in found}
        wider: dict[int, int] = {}
        for mention in found:
            wider[mention.start] = max(mention.end, wider.get(mention.start, 0))
        values = {mention.start for mention in found if isinstance(mention.phrase, Stored)}
        skipped = {place for place in self._behind_numbers(texts, found) if place not in begins}
        every = set(self._means_every(texts, found))
        for place, text in enumerate(texts):
            for key in self._skipped.get(text, ()) if place not in every else ():
                span = range(place, place + len(key))
                read = begins & set(span) if len(key) == 1 else wider.get(place, 0) >= place + len(key)
                if is_unspaced(text) or len(key) > 1:  # the second may begin a longer one: in | total expenses
                    read = read or any(wider.get(inner, 0) > span.stop for inner in span[1:])
                if text in self._own.articles and values & set(
                    span[1:]
                ):  # the business says nothing; a plan called Business
                    read = True
                if texts[place : place + len(key)] == key and not read:
                    skipped.update(span)
        return frozenset(skipped)

    def _means_every(self, texts: Sequence[str], found: Sequence[WordSense]) -> Iterator[int]:
        """Where all is more than a word: who has paid all fees has not just paid one. In all of them, of all of them says nothing more."""
        said = set(self._said("all_of_them"))
        places = [place for place, text in enumerate(texts) if text in said]
        if not places or not any(_is_doing(one.phrase) for one in found):
            return
        first = min((one.end for one in found if isinstance(one.phrase, RowsPhrase)), default=len(texts))
        for place in places:
            before = texts[place - 1] if place else ""
            if place >= first and before not in self._own.prepositions and before not in self._said("and"):
                yield place

    def _behind_numbers(self, texts: Sequence[str], found: Sequence[WordSense]) -> Iterator[int]:
        """The words that some languages put between a number and what is counted."""
        measures = set(self._said("measure_words"))
        for mention in found if measures else ():
            if isinstance(mention.phrase, SaidNumber) and mention.end < len(texts) and texts[mention.end] in measures:
                yield mention.end


def _is_doing(phrase: Phrase) -> bool:
    """Whether a phrase says what somebody does or has."""
    return isinstance(phrase, Verb | CameAbout) or (isinstance(phrase, JoiningWord) and phrase.owns)


def _whole(period: Period, open_at: str = "") -> QueryPeriod:
    """The period; an end that nobody said is none."""
    ends = {"from": None if open_at == "start" else period.first, "to": None if open_at == "end" else period.last}
    return QueryPeriod.model_validate(ends)


def _in_plural(phrase: Phrase) -> Phrase:
    return replace(phrase, plural=True) if isinstance(phrase, RowsPhrase) else phrase


def _span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int] | None:
    """The words that a place in the text covers, if it covers whole words."""
    inside = [number for number, token in enumerate(tokens) if token.start >= start and token.end <= end]
    return (inside[0], inside[-1] + 1) if inside else None
