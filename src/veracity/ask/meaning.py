"""The meaning of a question: read from its words, run, and answered in words that the program writes. No model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from time import perf_counter
from typing import Any

from veracity.answer.answer import Clarification, Outcome, ReadingOption
from veracity.answer.coverage import Stored
from veracity.answer.render import FigureProvenance
from veracity.answer.results import ColumnFacts, Result
from veracity.answer.values import Arg
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import Cell, QueryValidationError, ResultColumn, TableData, ToolCallLog, clip
from veracity.language.locale import pick
from veracity.language.nearest import nearest
from veracity.language.numbers import written
from veracity.language.texts import say
from veracity.query.model import Call
from veracity.semantic.query import SemanticQuery, inner_bests, to_json, with_inner
from veracity.semantic.reading.read import QuestionReader, Readings
from veracity.semantic.reading.words import WordBook
from veracity.semantic.result import ColumnPart, SemanticResult
from veracity.semantic.wording.answer_text import WordedAnswer, answer_text
from veracity.semantic.wording.read_back import read_back, sentence
from veracity.sources.source import NUMERIC
from veracity.tools.semantic import SEMANTIC_TOOL, SemanticTools

MOST_OPTIONS = 5
"""So many readings are run, and offered where they differ."""
_SHOWN_UNKNOWN = 3
_SHORTEST_NAME = 3
_LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class SettledMeaning:
    """What a question came to."""

    outcome: Outcome
    text: str
    clarification: Clarification | None = None
    read_back: str | None = None
    query: SemanticQuery | None = None
    readings: tuple[ReadingOption, ...] = ()
    provenance: tuple[FigureProvenance, ...] = ()
    result: Result | None = None
    log: ToolCallLog | None = None
    offers: Mapping[str, SemanticQuery] = field(default_factory=dict)
    """What each option of a question back stands for."""


@dataclass(frozen=True, slots=True)
class _Ran:
    """A reading with its rows."""

    query: SemanticQuery
    result: SemanticResult
    milliseconds: float


class MeaningReader:
    """Reads questions about one source, and answers those whose meaning is clear."""

    def __init__(self, tools: SemanticTools, *, alone: bool) -> None:
        self.tools = tools
        self.alone = alone
        """Whether nobody else is there to answer what it does not understand."""
        self._books: tuple[int, dict[str, QuestionReader]] = (0, {})

    async def settle(
        self, question: UnderstoodQuestion, offers: Mapping[str, SemanticQuery], result_id: str
    ) -> SettledMeaning | None:
        """What a question comes to; nothing where it is not understood and somebody else may understand it."""
        if question.question.strip() in offers:
            found = Readings((offers[question.question.strip()],))
        else:
            reader = self._reader(question.lang, question.stored)
            found = reader.read(question.full, today=question.today, locale=question.locale)
        if not found.queries:
            return self._not_understood(question, found) if self.alone else None
        ran, problems = await self._run(found.queries[:MOST_OPTIONS])
        if not ran:
            return _refused(problems, question.lang) if self.alone else None
        more = len(found.queries) > MOST_OPTIONS
        if len(ran) > 1 and (more or any(_differ(ran[0].result, other.result) for other in ran[1:])):
            return self._ask_back(ran, question.lang)
        return await self._ask_about_ties(ran[0], question) or self._answered(ran[0], question, result_id)

    def _reader(self, lang: str, stored: Stored) -> QuestionReader:
        """The reader of a language; built anew only when stored values changed."""
        mark = hash(frozenset((key, frozenset(values)) for key, values in stored.items()))
        if self._books[0] != mark:
            self._books = (mark, {})
        readers = self._books[1]
        if lang not in readers:
            readers[lang] = QuestionReader(WordBook(self.tools.model, stored, lang))
        return readers[lang]

    async def _run(self, queries: Sequence[SemanticQuery]) -> tuple[list[_Ran], list[QueryValidationError]]:
        ran, problems = list[_Ran](), list[QueryValidationError]()
        for query in queries:
            started = perf_counter()
            found = await self.tools.run(query)
            if isinstance(found, QueryValidationError):
                problems.append(found)
            else:
                ran.append(_Ran(found.query, found, (perf_counter() - started) * 1000))
        return ran, problems

    # --- answers, questions back, refusals

    def _answered(self, ran: _Ran, question: UnderstoodQuestion, result_id: str) -> SettledMeaning:
        model, lang = self.tools.model, question.lang
        worded = answer_text(ran.result, model, lang, question.locale)
        result = as_result(ran.result, result_id)
        log = ToolCallLog(
            round=0,
            tool=SEMANTIC_TOOL,
            arguments=to_json(ran.query),
            result_id=result_id,
            row_count=len(ran.result.rows),
            milliseconds=round(ran.milliseconds, 3),
        )
        return SettledMeaning(
            Outcome.ANSWERED,
            worded.text,
            read_back=sentence(read_back(ran.query, model, lang)),
            query=ran.query,
            provenance=tuple(_provenance(worded, result)),
            result=result,
            log=log,
        )

    def _ask_back(self, ran: Sequence[_Ran], lang: str) -> SettledMeaning:
        offers: dict[str, SemanticQuery] = {}
        for one in ran:
            offers.setdefault(sentence(read_back(one.query, self.tools.model, lang)), one.query)
        text = say("which_reading", lang)
        options = tuple(offers)
        readings = tuple(ReadingOption(text=said, query=to_json(query)) for said, query in offers.items())
        asked = Clarification(question=text, options=options)
        return SettledMeaning(Outcome.CLARIFY, text, asked, readings=readings, offers=offers)

    async def _ask_about_ties(self, ran: _Ran, question: UnderstoodQuestion) -> SettledMeaning | None:
        """Where the one that a question takes for granted (the largest state) is not the only one: which is meant."""
        for best in inner_bests(ran.query):
            ran_best, _ = await self._run([best])
            if not ran_best or not ran_best[0].result.tied:
                continue
            tied = ran_best[0]
            offers = {name: with_inner(ran.query, best, only) for name, only in _each_of(tied.result)}
            if 1 < len(offers) <= MOST_OPTIONS:
                text = say("which_of_tied", question.lang)
                asked = Clarification(question=text, options=tuple(offers))
                readings = tuple(ReadingOption(text=name, query=to_json(query)) for name, query in offers.items())
                return SettledMeaning(Outcome.CLARIFY, text, asked, readings=readings, offers=offers)
            return SettledMeaning(Outcome.ABSTAINED, say("many_tie", question.lang, count=len(tied.result.rows)))
        return None

    def _not_understood(self, question: UnderstoodQuestion, found: Readings) -> SettledMeaning:
        lang = question.lang
        if not found.unknown:
            return SettledMeaning(Outcome.ABSTAINED, f"{say('not_understood', lang)} {say('set_model', lang)}")
        shown = found.unknown[:_SHOWN_UNKNOWN]
        parts = [say("not_in_data", lang, words=", ".join(clip(word, _LONGEST_WORD) for word in shown))]
        names = [name for name in self._names(lang) if len(name) >= _SHORTEST_NAME]
        near = list(dict.fromkeys(name for word in shown if (name := nearest(word, names))))
        if near:
            parts.append(say("did_you_mean", lang, names=", ".join(near[:MOST_OPTIONS])))
        else:
            known = [pick(t.declared.label, lang) if t.declared else "" for t in self.tools.model.things.values()]
            tables = [label or name for label, name in zip(known, self.tools.model.things, strict=True)]
            parts.append(say("tables", lang, tables=", ".join(tables[:12])))
        return SettledMeaning(Outcome.ABSTAINED, " ".join([*parts, say("set_model", lang)]))

    def _names(self, lang: str) -> list[str]:
        """What things, fields, measures and segments are called."""
        names = list[str]()
        for thing in self.tools.model.things.values():
            fields = [facts.declared for facts in thing.fields.values() if facts.declared]
            for one in (thing.declared, *fields, *thing.measures.values(), *thing.segments.values()):
                if one is not None:
                    names += [pick(one.label, lang), *one.synonyms.get(lang, ())]
            names += [thing.name, *thing.fields]
        return [name for name in dict.fromkeys(names) if name]


def _each_of(result: SemanticResult) -> Iterator[tuple[str, SemanticQuery]]:
    """The rows of a result one by one: what each is called, and the query that finds it alone."""
    entity = result.query.of or ""
    keys = [c for c in result.columns if c.part is ColumnPart.KEY and c.field]
    for row in result.rows:
        where = [{"field": f"{entity}.{c.field}", "value": row[c.column.name]} for c in keys]
        if where and all(part["value"] is not None for part in where):
            alone = SemanticQuery.model_validate({"of": entity, "where": where})
            names = [c for c in result.columns if c.part is ColumnPart.NAME] or keys
            yield " ".join(_plain(row[c.column.name]) for c in names), alone


def _refused(problems: Sequence[QueryValidationError], lang: str) -> SettledMeaning:
    """Every reading breaks a rule of the ontology: the first one's reason."""
    return SettledMeaning(Outcome.ABSTAINED, say("breaks_a_rule", lang, reason=problems[0].hint))


def _differ(one: SemanticResult, other: SemanticResult) -> bool:
    """Whether two readings come to different rows."""
    return _comparable(one) != _comparable(other)


def _comparable(result: SemanticResult) -> list[tuple[str, ...]]:
    names = [column.column.name for column in result.columns]
    return sorted(tuple(str(row[name]) for name in names) for row in result.rows)


# --- the proof


def as_result(found: SemanticResult, result_id: str) -> Result:
    """The rows as every other result of a run, so that traces, pages and receipts can show them."""
    data = TableData(
        result_id=result_id,
        table_name=found.query.of or "",
        columns=tuple(ResultColumn(name=c.column.name, type=c.column.type) for c in found.columns),
        rows=tuple(dict(row) for row in found.rows),
        row_count=len(found.rows),
        truncated=found.truncated,
    )
    facts = {
        c.column.name: ColumnFacts(unit=c.unit, scale=c.column.scale, numeric=c.column.type in NUMERIC)
        for c in found.columns
    }
    keyed = (ColumnPart.KEY, ColumnPart.PERIOD) if not found.query.lists else (ColumnPart.KEY,)
    key = tuple(c.column.name for c in found.columns if c.part in keyed or c.dimension is not None)
    call = Call(tool=SEMANTIC_TOOL, table=found.query.of or "")
    return Result(data, call, key, facts, {}, given=to_json(found.query))


def _provenance(worded: WordedAnswer, result: Result) -> Iterator[FigureProvenance]:
    for place in worded.cells:
        row = result.data.rows[place.row]
        raw = row[place.column]
        key: dict[str, Any] = {name: _plain(row[name]) for name in result.key if name in row} or {"row": place.row}
        arg = Arg(result=result.data.result_id, row_key=key, column=place.column, raw=_raw(raw))
        yield FigureProvenance(
            span=(place.start, place.end),
            text=worded.text[place.start : place.end],
            value=None if raw is None else _plain(raw),
            kind="cell",
            args=(arg,),
        )


def _plain(cell: Cell) -> str:
    if isinstance(cell, Decimal):
        return written(cell)
    return cell.isoformat() if isinstance(cell, date | datetime) else str(cell)


def _raw(cell: Cell) -> Any:
    return cell if isinstance(cell, str | int | float | bool | None) else _plain(cell)
