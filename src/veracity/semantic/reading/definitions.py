"""What a question defines for itself: ATV = total amount / number of orders; consider orders over 500 as large. It holds for that question alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from veracity.language.folding import folded_text
from veracity.semantic.graph import SemanticModel, is_to_one
from veracity.semantic.query import Comparison, Condition, Related, SemanticQuery, Shown, all_of, parts_of
from veracity.semantic.reading.asked_forms import Read
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase
from veracity.yaml_file import packaged

_ENDS = " \t,;.?!"
_QUOTIENT = re.compile(r"\s*[/÷]\s*")
_HUNDRED = re.compile(r"\s*[*×x]\s*100\s*%?$|^100\s*%?\s*[*×x]\s*", re.IGNORECASE)
_MOST_WORDS = 4
_MOST_MEANINGS = 5

Meaning = tuple[str, Phrase]
"""Words, and what they mean."""


@dataclass(frozen=True, slots=True)
class SaidDefinition:
    """A word or two, and what they mean here."""

    term: str
    text: str
    said: str
    """All of it, as it was written."""
    kind: Literal["rows", "figure"]
    adjective: bool = False
    """Whether the term stands before or behind a noun, not for one."""


@cache
def _words(lang: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_name("definitions.yaml")).get(lang) or {}
    return found


def definitions_in(sentences: Sequence[str], lang: str) -> tuple[str, tuple[tuple[SaidDefinition, ...], ...]] | None:
    """The question without what it defines, and what each definition may be; nothing where it defines nothing."""
    own = _words(lang)
    if not own:
        return None
    left: list[str] = []
    found: list[tuple[SaidDefinition, ...]] = []
    for said in sentences:
        sentence, meant = said, tuple(_of_sentence(said, own)) if len(sentences) > 1 else ()
        if meant:
            found.append(meant)
            continue
        for pattern in own["clauses"]:
            if (clause := re.search(pattern, sentence)) is not None:
                kept = clause.groupdict().get("kept")
                term = kept or clause["term"]
                found.append((SaidDefinition(term, clause["text"].strip(_ENDS), clause[0].strip(_ENDS), "figure"),))
                sentence = f"{sentence[: clause.start()]}{kept or ''}{sentence[clause.end() :]}"
        left.append(sentence)
    return (" ".join(one.strip() for one in left), tuple(found)) if found and left else None


def _of_sentence(sentence: str, own: Mapping[str, Any]) -> Iterator[SaidDefinition]:
    """What a sentence may define: rows that are called so, or a figure."""
    said = sentence.strip(_ENDS)
    if sentence.rstrip().endswith(("?", "？")) or re.match(own["asks"], folded_text(said)):
        return
    for kind in ("rows", "figure"):
        for pattern in own["rows" if kind == "rows" else "figures"]:
            match = re.match(pattern, said, re.IGNORECASE)
            if match is None:
                continue
            parts = match.groupdict()
            term = parts.get("adjective") or parts.get("term") or ""
            if not 0 < len(term.split()) <= _MOST_WORDS:
                continue
            text = _without_those(match["text"], term, own)
            yield SaidDefinition(term, text, said, "rows" if kind == "rows" else "figure", bool(parts.get("adjective")))


def _without_those(text: str, term: str, own: Mapping[str, Any]) -> str:
    """Those with a cost over 500: the noun of what is defined."""
    noun = term.rsplit(maxsplit=1)[-1]
    for word in own["those"]:
        text = re.sub(rf"^{word}\b", noun, text, flags=re.IGNORECASE)
    return text.strip(_ENDS)


def restated(question: str, lang: str) -> tuple[str, str] | None:
    """A question that says something once more in plainer words: with these alone, and what was said first."""
    for pattern in _words(lang).get("restated") or ():
        if (match := re.match(pattern, question, re.IGNORECASE)) is not None:
            return f"{match['kept']} {match['text']}", match["first"]
    return None


class DefinitionReader:
    """Reads what definitions mean, with the words of one language."""

    def __init__(self, composer: Composer, lang: str, read: Read) -> None:
        self._composer, self._read = composer, read
        self._own = _words(lang)

    def meanings(self, definition: SaidDefinition) -> tuple[Meaning, ...]:
        """The words that are defined, with each meaning that they may have; nothing where it cannot be read."""
        if definition.kind == "rows":
            found = self._read(definition.text)
            told = [
                meaning for query in found[:_MOST_MEANINGS] if (meaning := self._rows(definition, query)) is not None
            ]
            return tuple(told) if len(told) == len(found) else ()
        figure = self._figure(definition.text)
        return ((definition.term, figure),) if figure is not None else ()

    # --- rows

    def _rows(self, definition: SaidDefinition, query: SemanticQuery) -> Meaning | None:
        if not query.lists or query.of is None or query.order or query.limit or query.per:
            return None
        entity, period = query.of, query.period
        during = self._composer.during(entity, period) if period is not None and period.field is None else None
        where = (*parts_of(query.where), *((during,) if during is not None else ()))
        if not where or (period is not None and during is None):
            return None
        *before, noun = definition.term.split()
        if definition.adjective:
            return definition.term, RowFilter(entity, where, before=True)
        if before and self._is_noun_of(noun, entity):
            return " ".join(before), RowFilter(entity, where, before=True)
        return definition.term, RowsPhrase(entity, where=where, plural=True)

    def _is_noun_of(self, word: str, entity: str) -> bool:
        query = self._one_query(word)
        return query is not None and query.lists and query.of == entity and query.where is None

    # --- figures

    def _figure(self, text: str) -> FigurePhrase | None:
        """A figure, or one over another; in percent where that is said."""
        plain = text.strip(_ENDS)
        for kind, sign in (("divided", "/"), ("times", "*")):
            for word in self._own[kind]:
                plain = re.sub(rf"\s+{word}\s+", f" {sign} ", plain, flags=re.IGNORECASE)
        plain, hundred = _HUNDRED.subn("", plain)
        parts = [_unwrapped(part) for part in _QUOTIENT.split(_unwrapped(plain))]
        figures = [one for one in map(self._plain_figure, parts) if one is not None]
        if len(parts) > 2 or len(figures) < len(parts):
            return None
        if len(parts) == 1:
            shown = figures[0].shown[0]
            return figures[0] if not hundred or shown.unit == "%" or shown.transform is not None else None
        ratio = Shown(ratio=(_with_own(figures[0]), _with_own(figures[1])), unit="%" if hundred else None)
        return FigurePhrase((ratio,), figures[0].home)

    def _plain_figure(self, text: str) -> FigurePhrase | None:
        """The one figure that words stand for, of all rows or of some."""
        query = self._one_query(text)
        if query is None or query.lists or len(query.show) != 1 or query.of is None:
            return None
        shown = query.show[0]
        said = (query.by, query.order, query.limit, query.having, query.compare, query.period, query.per)
        if any(said) or shown.rows is not None or shown.is_field:
            return None
        return FigurePhrase((shown,), query.of, parts_of(query.where))

    def _one_query(self, text: str) -> SemanticQuery | None:
        found = self._read(text)
        return found[0] if len(found) == 1 else None


def divides_alike(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether what a query says of groups and rows holds for both figures of a ratio: premiums have no cause of a claim, and no month of one."""
    pairs = [one.ratio for one in query.show if one.ratio is not None]
    homes = [{_home(part, model) for part in pair} for pair in pairs]
    apart = {home for found in homes if len(found) > 1 for home in found}
    if not apart:
        return True
    ends = [one.entity or (one.field or "").rpartition(".")[0] for one in query.by]
    said = [_about(one) for one in parts_of(query.where)]
    known = all(_belongs(home, end, model) for home in apart for end in (*ends, *said))
    if not known or any(one.via for one in query.by):
        return False
    timed = query.period is not None or any(one.is_dated for one in query.by)
    dates = {_date_of(part, model) for pair in pairs for part in pair}
    named = {one.field for one in query.by if one.is_dated} | {query.period.field if query.period else None}
    return not timed or (len(dates) == 1 and named <= {None, *dates} - {""})


def _about(condition: Condition) -> str:
    """The entity that a condition is about."""
    if isinstance(condition, Related) and condition.count is None:
        return condition.related.of or ""
    return condition.field.rpartition(".")[0] if isinstance(condition, Comparison) and not condition.via else ""


def _belongs(home: str, end: str, model: SemanticModel) -> bool:
    """Whether each row of one entity belongs to at most one of another."""
    ways = model.ways(home, end) if end in model.things else ()
    return len(ways) == 1 and is_to_one(ways[0])


def _date_of(shown: Shown, model: SemanticModel) -> str:
    """The date that a time of a figure is about: the lines of an order have that of the order."""
    home = _home(shown, model)
    said = (model.measures[shown.measure][1].date if shown.measure else None) or model.things[home].default_date
    return "" if said is None else said if "." in said else f"{home}.{said}"


def _home(shown: Shown, model: SemanticModel) -> str:
    if shown.measure is not None:
        return model.measures[shown.measure][0]
    return shown.of or (shown.field or "").rpartition(".")[0]


def _unwrapped(text: str) -> str:
    """The same without brackets around all of it."""
    text = text.strip()
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") and "(" not in text[1:] else text


def _with_own(figure: FigurePhrase) -> Shown:
    """A figure with the conditions of its rows as its own."""
    shown = figure.shown[0]
    return shown.model_copy(update={"where": all_of((shown.where, *figure.where))})
