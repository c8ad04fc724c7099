"""What a question says besides what it asks: the columns and the order of its answer, decimals, tables to use. Here it is cut off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from veracity.language.folding import fold, folded_text
from veracity.yaml_file import packaged

ClauseKind = Literal[
    "order", "columns", "besides", "rounded", "share", "tables", "basis", "only", "except", "format", "caseless"
]
_QUOTED = re.compile(r"""["“”„«»][^"“”„«»]*["“”„«»]|(?<!\w)'[^']*'(?!\w)""")
_ENDS = " \t,;.?!"
_MOST_CLAUSES = 5
_SENTENCES: dict[ClauseKind, str] = {
    "rounded": "rounded", "order": "order", "only": "only", "except": "except", "format": "format", "tables": "tables", "columns": "columns",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerClause:
    """A part of a question that is about its answer."""

    kind: ClauseKind
    text: str
    """What is said behind the words that open it."""
    said: str
    """All of it, as it was written."""


@dataclass(frozen=True, slots=True)
class CutQuestion:
    """A question without what it says of its answer, and that."""

    core: str
    clauses: tuple[AnswerClause, ...] = ()


@cache
def clause_words(lang: str) -> Mapping[str, Any]:
    """The words of a language that are about the answer."""
    words: Mapping[str, Any] = packaged(Path(__file__).with_name("clauses.yaml")).get(lang) or {}
    return words


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of some words, the longest first."""
    folded = sorted({folded_text(word) for word in words}, key=len, reverse=True)
    return "|".join(r"\s+".join(map(re.escape, word.split())) for word in folded) or r"(?!)"


def _behind_its_order(turned: Mapping[str, Any] | None, directions: Iterable[str]) -> re.Pattern[str] | None:
    """What finds (absteigend) nach Betrag sortiert: which way, by, what, and the word for ordering."""
    if turned is None:
        return None
    by, behind = any_of(turned["before"]), any_of(turned["behind"])
    return re.compile(
        rf"\b(?:({any_of(directions)})\s+)?({by})\s+((?:(?!\b(?:{by})\b)[^,;?!.])+?)\s+({behind})\b(?!\s+(?:{by})\b)",
        re.IGNORECASE,
    )


class ClauseCutter:
    """Cuts questions of one language."""

    def __init__(self, lang: str) -> None:
        self._words = clause_words(lang)
        said = self._words.get
        self._turned = _behind_its_order(said("turned"), (*said("descending", ()), *said("ascending", ())))
        self._openers: tuple[tuple[ClauseKind, re.Pattern[str], bool], ...] = (
            ("besides", self._opener(said("besides", ())), True),
            ("columns", self._opener(said("showing", ())), False),
            ("columns", self._opener(said("and_figures", ()), any_of(said("and", ())[:1])), True),
            ("rounded", self._opener(said("rounded", ())), False),
            ("share", self._opener(said("share", ())), False),
            ("caseless", self._opener(said("caseless", ())), False),
            ("only", self._opener(said("only", ())), False),
            ("except", self._opener(said("except", ())), False),
            ("tables", self._opener(said("tables", ())), True),
            ("order", self._opener(said("order", ())), True),
        )
        self._sentence: dict[ClauseKind, re.Pattern[str]] = {
            kind: re.compile(rf"(?:{any_of(self._words.get(name, ()))})\b[\s:]*") for kind, name in _SENTENCES.items()
        }
        self._bracketed = re.compile(rf"\s*\((?:{any_of(said('basis', ()))})\s+(?P<text>[^()]*)\)", re.IGNORECASE)
        self._dangling = re.compile(rf"(?:^|[\s,])(?:{any_of(self._words.get('dangling', ()))})$")
        each, verb = any_of(said("for_each", ())), any_of(said("columns", ()))
        self._each = re.compile(rf"(?:{each})\b")
        self._verb_behind = re.compile(rf"(?:{each})\b[^,]*,\s*(?P<verb>(?:{verb})\s+)")
        self._tail = re.compile(rf"\s+(?:{any_of(said('tails', ()))})$", re.IGNORECASE)
        self._items = re.compile(
            rf"\s*,\s*(?:(?:{any_of(said('and', ())[:1])})\s+)?|\s+(?:{any_of(said('and', ())[:1])})\s+"
        )
        self._computed = re.compile(rf"(?:(?:{any_of(said('computed', ()))})\b)")
        each_of = any_of(said("of_each", ()))
        self._listed = re.compile(
            rf"(?:{verb}|{any_of(said('asks_for', ()))})\s+(?P<items>.+?)\s+(?P<each>(?:{each_of})\s+[^,]+)(?P<rest>.*)$",
            re.IGNORECASE,
        )
        self._back = re.compile(rf"[\s,]+(?:{any_of(said('back', ()))})$")
        self._anew = re.compile(rf"(?:{any_of(said('asks_anew', ()))})\b")

    @staticmethod
    def _opener(words: Iterable[str], joined: str = "") -> re.Pattern[str]:
        """These words behind a comma or `and`, or just behind others; `joined`: only behind that."""
        before = rf"(?:,\s*|\s+)(?:{joined})\s+" if joined else r"(?:,\s*|\s+)(?:and\s+|und\s+)?"
        return re.compile(rf"{before}(?P<opener>{any_of(words)})(?!\w)")

    def of_sentence(self, sentence: str) -> tuple[AnswerClause, ...]:
        """What a further sentence says of the answer: return ..., sort by, round to; what opens with none of these are columns."""
        folded = fold(sentence)
        for kind, opener in self._sentence.items():
            if (match := opener.match(folded.text)) is not None:
                begin = (
                    folded.origin(match.end(), match.end() + 1)[0] if match.end() < len(folded.text) else len(sentence)
                )
                places = [
                    place for place in self._places(sentence) if place[1] >= begin and kind not in ("order", place[0])
                ]
                told = self._tail.sub("", sentence.rstrip(_ENDS)) if kind == "columns" else sentence
                return tuple(_between(told, [(kind, 0, begin), *places]))
        return (AnswerClause("columns", sentence.strip(_ENDS), sentence.strip(_ENDS)),)

    def first_of_two(self, sentence: str) -> str | None:
        """The first of two questions that a sentence asks: how many there are, and what the average is."""
        for cut in self.cuts(sentence):
            if cut.clauses and cut.clauses[0].kind == "besides":
                anew = self._anew.match(folded_text(cut.clauses[0].text))
                comma = sentence.startswith(cut.core) and sentence[len(cut.core) :].lstrip().startswith(",")
                return cut.core if anew or comma else None
        return None

    def turned(self, question: str) -> str:
        """The question with the word for its order before what it is ordered by, where a language puts it behind."""
        return self._turned.sub(r"\4 \2 \3 \1", question) if self._turned else question

    def cuts(self, sentence: str) -> Iterator[CutQuestion]:
        """The question with ever more cut off its end; what stands before it (by joining these tables, ...) first."""
        before, rest = self._leading(sentence)
        if (basis := self._bracketed.search(rest)) is not None:
            before = (*before, AnswerClause("basis", basis["text"].strip(), basis[0].strip()))
            rest = f"{rest[: basis.start()]} {rest[basis.end() :].lstrip()}".replace(" ,", ",")
        if before:
            yield CutQuestion(rest, before)
        for plainer in (self._without_verb, self._without_back):
            if (plain := plainer(rest)) is not None:
                yield CutQuestion(plain, before)
                rest = plain
        places = self._places(rest)
        for number in range(1, len(places) + 1):
            chosen = places[-number:]
            core = rest[: chosen[0][1]].strip(_ENDS)
            if core and not self._dangling.search(folded_text(core)):
                yield CutQuestion(core, (*before, *_between(rest, chosen)))
        yield from self._columns_first(rest, before)

    def _columns_first(self, sentence: str, before: tuple[AnswerClause, ...]) -> Iterator[CutQuestion]:
        """Return the name, the city and the number of orders for each customer: one of these is asked, the others stand beside it."""
        listed = self._listed.match(sentence.rstrip(_ENDS)) if self._listed else None
        items = [item for item in self._items.split(listed["items"]) if item.strip()] if listed else []
        if listed is None or len(items) < 2:
            return
        computed = [item for item in items if self._computed.match(folded_text(item.strip()))]
        for item in computed[:1]:
            others = ", ".join(other.strip() for other in items if other is not item)
            columns = AnswerClause("columns", others, others)
            rest = listed["rest"]
            for cut in (
                CutQuestion(f"{item.strip()} {listed['each']}{rest}"),
                *self.cuts(f"{item.strip()} {listed['each']}{rest}"),
            ):
                yield CutQuestion(cut.core, (*before, columns, *cut.clauses))

    def _without_verb(self, sentence: str) -> str | None:
        """For each region, give the number of depots: the figure follows the comma."""
        folded = fold(sentence)
        found = self._verb_behind.match(folded.text)
        if found is None:
            return None
        start, end = folded.origin(*found.span("verb"))
        return sentence[:start] + sentence[end:]

    def _without_back(self, sentence: str) -> str | None:
        """For each owner, how many pets do they have: the end says again of whom."""
        folded = fold(sentence.rstrip(_ENDS))
        begins, back = self._each.match(folded.text), self._back.search(folded.text)
        if begins is None or back is None:
            return None
        return sentence[: folded.origin(back.start(), back.start() + 1)[0]]

    def leading(self, sentence: str) -> tuple[str, str]:
        """What stands before a question (using these tables, ...), and the question."""
        _, rest = self._leading(sentence)
        return sentence[: len(sentence) - len(rest)], rest

    def _leading(self, sentence: str) -> tuple[tuple[AnswerClause, ...], str]:
        opener = self._sentence["tables"].match(folded_text(sentence))
        head, comma, rest = sentence.partition(",")
        while opener and comma and not _about_tables(head, self._words) and rest:
            more, comma, rest = rest.partition(",")
            head = f"{head},{more}"
        if opener is None or not comma or not _about_tables(head, self._words):
            return (), sentence
        return (AnswerClause("tables", head.strip(_ENDS), head.strip(_ENDS)),), rest.lstrip()

    def _places(self, sentence: str) -> list[tuple[ClauseKind, int, int]]:
        """Where clauses open: their kind, where the part before ends, and where their own words begin; not within quotes."""
        folded = fold(sentence)
        quoted = [match.span() for match in _QUOTED.finditer(folded.text)]
        found: list[tuple[ClauseKind, int, int, int]] = []
        for kind, opener, kept_whole in self._openers:
            for match in opener.finditer(folded.text):
                if any(start <= match.start("opener") < end for start, end in quoted):
                    continue
                first = match.start("opener") if kept_whole else match.end("opener")
                found.append((kind, match.start(), first, match.end()))
        kept: list[tuple[ClauseKind, int, int]] = []
        reached = -1
        for kind, start, first, end in sorted(found, key=lambda one: (one[1], -one[3])):
            if start < reached:
                continue
            reached = end
            begin = folded.origin(start, start + 1)[0]
            own = folded.origin(first, first + 1)[0] if first < len(folded.text) else len(sentence)
            if not kept or kept[-1][0] != "order" or kind != "order":  # ordered by the city in descending order
                kept.append((kind, begin, own))
        return kept[-_MOST_CLAUSES:]


@cache
def clause_cutter(lang: str) -> ClauseCutter:
    """The one of a language; many readers share it."""
    return ClauseCutter(lang)


def _between(sentence: str, places: Sequence[tuple[ClauseKind, int, int]]) -> Iterator[AnswerClause]:
    for number, (kind, begin, own) in enumerate(places):
        end = places[number + 1][1] if number + 1 < len(places) else len(sentence)
        yield AnswerClause(kind, sentence[own:end].strip(_ENDS), sentence[begin:end].strip(_ENDS))


def _about_tables(text: str, words: Mapping[str, Any]) -> bool:
    return bool(re.search(rf"\b(?:{any_of(words.get('table_words', ())[:2])})$", folded_text(text.strip(_ENDS))))
