"""An answer's own words, taken apart: its figures with the rows they are of, what is named around them, and each word's claim.

`Statement.of` reads an answer once; the checks of `wording.py` and `claim_words.py` look at its pieces. A piece is a sentence or a
line. What is neither a figure, nor the name of something in the data, nor a word of `wording.yaml` or of the question, is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

from veracity.answer.coverage import cover, uses_of
from veracity.answer.fitting import Claim
from veracity.answer.pieces import (
    ClaimWord,
    NamedThing,
    TextPiece,
    ToldFigure,
    blanked,
    pieces_of,
    set_headings,
    vocabulary,
)
from veracity.answer.render import FigureProvenance
from veracity.answer.results import Result, comparable
from veracity.answer.syntax import Function, parse
from veracity.answer.unknown_things import is_head_of
from veracity.answer.values import VERBATIM
from veracity.contracts import QueryValidationError
from veracity.language.currencies import CURRENCIES
from veracity.language.folding import is_unspaced, words_in
from veracity.language.locale import language
from veracity.language.number_words import find_ordinals
from veracity.language.numbers import find_figures, locale_of
from veracity.language.stem import stem_of
from veracity.ontology.fields import FieldRole
from veracity.question import Lexicon, Mention, MentionKind, Period, QuestionReading, read
from veracity.question.mentions import Home, Meaning

_MEASURED = frozenset({FieldRole.AMOUNT, FieldRole.QUANTITY, FieldRole.RATE})
_COUNTS = frozenset({"COUNT", "COUNT_DISTINCT"})
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CJK = re.compile(r"[\u3400-\u9fff]")
_PREFIX = re.compile(r"(?i)(gesamt|total|jahres)(?=[a-zäöü]{4})")
_TO = re.compile(r"\s*(?:to|bis|auf|until|through|–|-|年?到|年?至)\s*", re.IGNORECASE)
SCALE_BEHIND = re.compile(
    r"\s?(?:mio|mia|mrd|tsd|millionen?|milliarden?|tausend|million|billion|thousand|[千万亿])(?!\w)\.?", re.IGNORECASE
)
"""How many; that the figure was divided by as much is checked where it is computed."""


@dataclass
class AnswerStatement:
    """An answer taken apart."""

    claim: Claim
    lang: str
    pieces: list[TextPiece]

    @classmethod
    def of(cls, claim: Claim, lexicon: Lexicon, today: Any, lang: str) -> AnswerStatement:
        """Read an answer."""
        made = cls(claim, language(lang), [])
        told = [made._told(figure) for figure in claim.rendered.figures if figure.args]
        if not claim.rendered.expressions:
            # Where figures are typed, a year or a code that was found in a row is still read as what it says.
            told = [one for one in told if one.value is not None]
        made.pieces = list(pieces_of(blanked(claim.rendered.text, told)))
        for piece in made.pieces:
            piece.figures = [one for one in told if piece.start <= one.start and one.end <= piece.end]
            made._read(piece, lexicon, today)
        set_headings(made.pieces)
        return made

    # --- figures

    def _told(self, figure: FigureProvenance) -> ToldFigure:
        node = parse(figure.expression) if figure.expression else None
        node = None if isinstance(node, QueryValidationError) else node
        cells = frozenset(
            (arg.result, _row_of(self.claim.results[arg.result], arg.row_key), arg.column) for arg in figure.args
        )
        columns = {(name, column): self.claim.results[name].columns.get(column) for name, _row, column in cells}
        counts = any(
            column == "*" or (facts is not None and facts.aggregate in _COUNTS)
            for (_, column), facts in columns.items()
        )
        try:
            value = Decimal(figure.value or "x")
        except InvalidOperation:
            value = None
        named = all(
            column != "*" and (facts is None or facts.role in VERBATIM or not facts.numeric)
            for (_name, column), facts in columns.items()
        )
        listed = isinstance(node, Function) and node.name == "rows"
        return ToldFigure(
            figure.span[0],
            figure.span[1],
            figure,
            None if named and not counts else value,
            None if listed else node,
            cells,
            frozenset(name for key in columns for name in self.fields_of(*key)),
            counts,
            frozenset(facts.aggregate if facts else None for facts in columns.values()),
            listed,
        )  # fmt: skip

    def fields_of(self, name: str, column: str) -> Iterator[str]:
        """The fields that a column of a result is made of."""
        result = self.claim.results[name]
        if column in result.origins:
            yield result.origins[column][1]
        elif result.given is None and result.call.aggregate is None:
            yield column
        facts = result.columns.get(column)
        if facts is not None and facts.aggregate not in (None, *_COUNTS):
            yield from (call.target for call in result.calls if call.target)
        if facts is not None and facts.aggregate is None and column not in result.origins:
            yield column

    def around(self, name: str) -> set[str]:
        """The fields that a result is grouped, told apart or filtered by."""
        result = self.claim.results[name]
        found = {condition.field for call in result.calls for condition in call.filters}
        found |= {one for call in result.calls for one in (*call.group_by, *call.fields, call.target) if one}
        return found | {one for column in result.columns for one in self.fields_of(name, column)}

    # --- words

    def _read(self, piece: TextPiece, lexicon: Lexicon, today: Any) -> None:
        """What a piece names and claims, and what of it is unknown."""
        text = piece.text
        covered = [False] * len(text)
        self._cover_typed(piece, covered)
        said = read(text, lexicon, today=today, lang=self.lang)
        taken = _joined([name for mention in said.mentions if (name := self._name(mention, piece)) is not None], piece)
        taken += self._compounds(piece, lexicon, today)
        taken += [name for name in self._bent_labels(piece) if not _overlaps(name, taken)]
        taken += [name for name in self._short_labels(piece) if not _overlaps(name, taken)]
        taken += [name for name in self._cells_said(piece) if not _overlaps(name, taken)]
        words = [*vocabulary(self.lang).words_in(text, piece.start), *_totals(taken, piece)]
        # Where a claim and a name overlap, the longer one is meant; a claim that a name holds is part of it.
        words = [word for word in words if not any(_inside(word, name) for name in taken)]
        for first, last in _numbers_said(text, self.lang):
            covered[first:last] = [True] * (last - first)
        for first, last in [(name.start, name.end) for name in taken] + [(word.start, word.end) for word in words]:
            covered[first - piece.start : last - piece.start] = [True] * (last - first)
        piece.names = sorted(taken + self._cited(piece), key=lambda name: name.start)
        piece.words = [word for word in words if word.role != "plain"]
        piece.unknown = list(self._unknown(text, covered))

    def _cover_typed(self, piece: TextPiece, covered: list[bool]) -> None:
        for figure in self.claim.rendered.figures:
            first, last = max(figure.span[0], piece.start), min(figure.span[1], piece.end)
            if first < last:
                covered[first - piece.start : last - piece.start] = [True] * (last - first)
        for one in piece.own:
            after = piece.text[one.end - piece.start :]
            if scale := SCALE_BEHIND.match(after):
                first = one.end - piece.start
                covered[first : first + scale.end()] = [True] * scale.end()
        for code in re.finditer(r"(?<![^\W\d_])[A-Z]{3}(?![^\W\d_])", piece.text):
            if code[0].casefold() in CURRENCIES:
                covered[code.start() : code.end()] = [True] * 3

    def _name(self, mention: Mention, piece: TextPiece) -> NamedThing | None:
        kinds = {meaning.kind for meaning in mention.meanings}
        place = (piece.start + mention.start, piece.start + mention.end, mention.text)
        if not mention.meanings or kinds == {MentionKind.NUMBER}:
            return None
        if MentionKind.PERIOD in kinds:
            return NamedThing(*place, "period", self._without_until(mention))
        if mention.text in self._bounds:
            return None
        if kinds & {MentionKind.CODE, MentionKind.VALUE, MentionKind.GROUP} and not kinds & {MentionKind.FIELD, MentionKind.ENTITY}:  # fmt: skip
            return NamedThing(*place, "which", mention.meanings)
        measured = any(self._is_measure(*home) for meaning in mention.meanings for home in meaning.fields if meaning.kind is MentionKind.FIELD)  # fmt: skip
        return NamedThing(*place, "column" if measured else "thing", mention.meanings)

    def _without_until(self, mention: Mention) -> tuple[Meaning, ...]:
        """Rose to 2023: the year itself, not all the time until then."""
        until = re.fullmatch(r"[到至](\d{4})年?", mention.text)
        if until is None:
            return mention.meanings
        year = int(until[1])
        return (Meaning(MentionKind.PERIOD, period=Period(date(year, 1, 1), date(year, 12, 31), "year")),)

    @cached_property
    def _bounds(self) -> frozenset[str]:
        """The numbers that filters compare with, which may look like codes."""
        used = (c for name in self.claim.rendered.results for _table, c in self.claim.conditions(name))
        return frozenset(comparable(c.value) for c in used if c.op in ("<", ">", "<=", ">="))

    def _compounds(self, piece: TextPiece, lexicon: Lexicon, today: Any) -> Iterator[NamedThing]:
        """Gesamtumsatz: what is called Umsatz, as a total."""
        for match in _PREFIX.finditer(piece.text):
            word = re.match(r"\w+", piece.text[match.end() :])
            if word is None:
                continue
            for mention in read(word[0].capitalize(), lexicon, today=today, lang=self.lang).mentions:
                if mention.end == len(word[0]) and (name := self._name(mention, piece)) is not None:
                    first, last = piece.start + match.start(), piece.start + match.end() + len(word[0])
                    yield NamedThing(first, last, match[0] + word[0], name.kind, name.meanings)

    def _bent_labels(self, piece: TextPiece) -> Iterator[NamedThing]:
        """Labels in another number or case: Schlusssalden of Schlusssaldo."""
        for match in re.finditer(r"[^\W\d_]{7,}", piece.text):
            word = match[0].casefold()
            for home, label in self._labels:
                alike = _alike(word, label)
                if alike >= max(6, len(word) - 3, len(label) - 3):
                    place = (piece.start + match.start(), piece.start + match.end())
                    measured = "column" if self._is_measure(*home) else "thing"
                    yield NamedThing(*place, match[0], measured, (Meaning(MentionKind.FIELD, fields=(home,)),))
                    break

    def _short_labels(self, piece: TextPiece) -> Iterator[NamedThing]:
        """The last part of a compound that divides rows: der Art van, where the field is called Fahrzeugart."""
        for match in re.finditer(r"(?<![^\W\d_])[A-ZÄÖÜ][a-zäöü]{2,}(?![^\W\d_])", piece.text):
            for home, label in self._labels:
                if not self._is_measure(*home) and is_head_of(match[0], label, self.claim.table_names):
                    place = (piece.start + match.start(), piece.start + match.end())
                    yield NamedThing(*place, match[0], "thing", (Meaning(MentionKind.FIELD, fields=(home,)),))
                    break

    @cached_property
    def _labels(self) -> list[tuple[Home, str]]:
        """What the fields of the tables that were read are called."""
        tables = {call.table for name in self.claim.rendered.results for call in self.claim.results[name].calls}
        return [
            ((table, name), label.casefold())
            for table in sorted(tables)
            for name, facts in self.claim.catalog.entities[table].fields.items()
            if facts.declared is not None
            for label in facts.declared.label.values()
            if not _CJK.search(label)
        ]

    def _is_measure(self, entity: str, name: str) -> bool:
        facts = self.claim.catalog.entities[entity].fields[name]
        if facts.role is not None:
            return facts.role in _MEASURED
        return facts.column.type.name in ("INTEGER", "DECIMAL", "FLOAT", "NUMBER", "DOUBLE") and not facts.tells_time

    def _cells_said(self, piece: TextPiece) -> Iterator[NamedThing]:
        """Texts of cells that the answer types."""
        for name in sorted(self.claim.rendered.results):
            for text, column in _texts_of(self.claim.results[name]).items():
                for match in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", piece.text):
                    place = (piece.start + match.start(), piece.start + match.end())
                    yield NamedThing(*place, text, "which", found=(column, text))

    def _cited(self, piece: TextPiece) -> list[NamedThing]:
        """Names that the answer takes from a row."""
        cited = [one for one in piece.figures if one.value is None and not one.listed and len(one.cells) == 1]
        found = []
        for one in cited:
            name, row, column = next(iter(one.cells))
            facts = self.claim.results[name].columns.get(column)
            if facts is not None and facts.role in (FieldRole.CURRENCY, FieldRole.PERIOD):
                # A currency or a year is of many rows: it is held against the value, not against the row.
                value = (column, self._cell(name, row, column) or "")
                found.append(NamedThing(one.start, one.end, one.figure.text, "which", found=value))
            else:
                found.append(NamedThing(one.start, one.end, one.figure.text, "row", row=(name, row)))
        return found

    def _unknown(self, text: str, covered: list[bool]) -> Iterator[str]:
        said, stems = self._question_words()
        for match in _TOKEN.finditer(text):
            if all(covered[match.start() : match.end()]):
                continue
            if _CJK.search(match[0]):
                yield from self._unknown_signs(text, covered, match.start(), match.end())
            elif match[0].casefold() not in said and stem_of(match[0].casefold(), self.lang) not in stems:
                yield match[0]

    def _unknown_signs(self, text: str, covered: list[bool], first: int, last: int) -> Iterator[str]:
        """Chinese has no spaces: what is left between known words is known where the question says it."""
        question = self.claim.reading.question
        for run in re.finditer(r"0+", "".join("1" if covered[at] else "0" for at in range(first, last))):
            left = text[first + run.start() : first + run.end()]
            if left not in question:
                yield left

    def _question_words(self) -> tuple[set[str], set[str]]:
        """The question's own words, but the things that nothing in the data is called."""
        unknown = {word for thing in self.claim.unknown for word in words_in(thing)}
        tokens = [token.casefold() for token in _TOKEN.findall(self.claim.reading.question) if not _CJK.search(token)]
        said = {token for token in tokens if token not in unknown}
        return said, {stem_of(token, self.lang) for token in said if len(token) > 3 and not is_unspaced(token)}

    # --- whether a name is true of a figure

    def fits(self, name: NamedThing, told: ToldFigure) -> bool:
        """Whether the figure is of what the name says, in every row behind it."""
        if name.row is not None:
            return told.rows == {name.row} or name.row[0] not in told.results
        if name.found is not None:
            column, value = name.found
            return all(self._cell(one, row, column) in (value, None) for one, row in told.rows)
        return any(self._means(meaning, name, told) for meaning in name.meanings)

    def _cell(self, name: str, row: int, column: str) -> str | None:
        result = self.claim.results[name]
        return comparable(result.data.rows[row][column]) if column in result.columns and row >= 0 else None

    def _means(self, meaning: Meaning, name: NamedThing, told: ToldFigure) -> bool:
        if meaning.kind is MentionKind.FIELD:
            return any(self._is_field(home[1], name, told) for home in meaning.fields)
        if meaning.kind is MentionKind.ENTITY:
            return any(self._is_thing(str(meaning.entity), one) for one in told.results)
        if meaning.period is not None and meaning.period.part == "range" and self.time_of(told) is not None:
            return False  # one row is not of a whole stretch of time
        return self._met(meaning, told)

    def _is_field(self, wanted: str, name: NamedThing, told: ToldFigure) -> bool:
        if name.kind == "column" and not told.counts:
            return told.fields == {wanted} or any(
                condition.field == wanted for one in told.results for _table, condition in self.claim.conditions(one)
            )
        if name.kind == "column":
            return any(c.field == wanted for one in told.results for _table, c in self.claim.conditions(one))
        return any(wanted in self.around(one) for one in told.results)

    def _is_thing(self, entity: str, name: str) -> bool:
        tables = {call.table for call in self.claim.results[name].calls}
        known = self.claim.catalog.entities.get(entity)
        return entity in tables or (known is not None and bool(set(known.grain) & self.around(name)))

    def _met(self, meaning: Meaning, told: ToldFigure) -> bool:
        """Whether the rows behind the figure are of a period, code, group or value."""
        mention = Mention(0, 1, "x", (meaning,), sure=True)
        alone = QuestionReading("x", self.lang, (mention,))
        for name in told.results:
            result = self.claim.results[name]
            rows = sorted(row for one, row in told.rows if one == name)
            every = not rows or rows[0] < 0 or len(rows) == len(result.data.rows) == 1 or meaning.kind is MentionKind.GROUP  # fmt: skip
            keys: list[Any] = [None] if every else [({"row": row},) for row in rows]
            for key in keys:
                used = uses_of(name, result, key, 1, counted=told.counts)
                lines = cover(alone, used, self.claim.catalog, self.claim.stored)
                if not lines or any(line.status != "met" for line in lines):
                    return False
        return True

    def time_of(self, told: ToldFigure) -> tuple[str, ...] | None:
        """When a figure is of, so that figures can be put in order; None where its rows do not tell."""
        if len(told.cells) != 1 or min(row for _name, row in told.rows) < 0:
            return None
        name, row = next(iter(told.rows))
        result = self.claim.results[name]
        found = []
        for column in result.columns:
            table, one = result.origins.get(column, (result.call.table, column))
            facts = self.claim.catalog.entities[table].fields.get(one)
            if facts is not None and (facts.tells_time or result.columns[column].role is FieldRole.PERIOD):
                found.append(comparable(result.data.rows[row][column]).zfill(12))
        return tuple(found) or None


# --- names and numbers in a text


def _row_of(result: Result, key: Mapping[str, Any]) -> int:
    if "row" in key:
        return int(key["row"])
    for at, row in enumerate(result.data.rows):
        if key and all((None if row[n] is None else comparable(row[n])) == value for n, value in key.items()):
            return at
    return -1


def _texts_of(result: Result) -> dict[str, str]:
    """The texts in a result's cells, each with its column; of many rows the first."""
    found: dict[str, str] = {}
    for row in result.data.rows[:200]:
        for column, cell in row.items():
            if isinstance(cell, str) and 1 < len(cell) < 80:
                found.setdefault(cell, column)
    return found


def _numbers_said(text: str, lang: str) -> Iterator[tuple[int, int]]:
    """Numbers in words and ranks: what they say is checked on its own."""
    yield from ((figure.start, figure.end) for figure in find_figures(text, locale_of(lang)) if figure.kind == "word")
    yield from ((first, last) for first, last, _value in find_ordinals(text.casefold(), lang))


def _totals(names: list[NamedThing], piece: TextPiece) -> Iterator[ClaimWord]:
    """The total in Gesamtumsatz, which stands inside of a name."""
    for name in names:
        if (
            (prefix := _PREFIX.match(name.text))
            and prefix[1].casefold() != "jahres"
            and name.text[prefix.end() :].islower()
        ):
            # One sign longer than what it is part of, so that it is kept beside the name.
            yield ClaimWord(name.start, name.end + (name.end < piece.end), name.text, "total")


def _joined(names: list[NamedThing], piece: TextPiece) -> list[NamedThing]:
    """2022 to 2024 is one stretch of time."""
    found: list[NamedThing] = []
    for name in names:
        before = found[-1] if found else None
        between = piece.text[before.end - piece.start : name.start - piece.start] if before else ""
        if before is None or {before.kind, name.kind} != {"period"} or not _TO.fullmatch(between):
            found.append(name)
            continue
        first, last = before.meanings[0].period, name.meanings[0].period
        if first is None or last is None or first.first >= last.last:
            found.append(name)
            continue
        meaning = Meaning(MentionKind.PERIOD, period=Period(first.first, last.last, "range"))
        found[-1] = NamedThing(before.start, name.end, f"{before.text}-{name.text}", "period", (meaning,))
    return found


def _alike(one: str, two: str) -> int:
    """How many letters two words have in common from their beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def _overlaps(name: NamedThing, others: list[NamedThing]) -> bool:
    return any(name.start < other.end and other.start < name.end for other in others)


def _inside(word: ClaimWord, name: NamedThing) -> bool:
    return name.start <= word.start and word.end <= name.end and name.end - name.start > word.end - word.start - 1
