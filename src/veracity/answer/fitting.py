"""Whether an answer's figures are of the kind that was asked for. Each check is one function; the first problem is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import groupby, product

from veracity.answer.coverage import ReceiptLine, Stored, Used, cover, uses_of
from veracity.answer.expression import quoted
from veracity.answer.figure_context import clause_at
from veracity.answer.render import FigureProvenance, Rendered
from veracity.answer.results import Result
from veracity.answer.syntax import Binary, Cells, Function, Negative, Node, Number, parse, walk
from veracity.answer.time_conditions import day_after
from veracity.answer.unknown_things import counted, is_head_of, speaks_of
from veracity.answer.values import VERBATIM, Arg
from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.cues import cues_of
from veracity.language.currencies import CURRENCY_WORDS
from veracity.language.nearest import words_of
from veracity.ontology.descriptor import Cardinality
from veracity.ontology.fields import FieldRole
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.query.model import Filter
from veracity.question import Meaning, Mention, MentionKind, Period, QuestionReading

_CHOOSING = frozenset({FieldRole.NAME, FieldRole.CODE, FieldRole.CATEGORY, FieldRole.FREE_TEXT, FieldRole.FLAG})
_EXCLUDING = frozenset({"except", "compare", "threshold"})
_EITHER = re.compile(r"\b(?:or|oder|either|entweder)\b|或|还是")
_ROUNDED = re.compile(r"round|rund|absolut|betragsm|whole|ganze|四舍五入|取整|绝对")
_RATIOS = frozenset({"1", "1.0", "100", "100.0"})
_MEASURES = frozenset({FieldRole.AMOUNT, FieldRole.QUANTITY, FieldRole.RATE})
_AMOUNTS = (MentionKind.GROUP, MentionKind.CODE)


_DIVIDING = (FieldRole.CATEGORY, FieldRole.NAME, FieldRole.CODE)
"""What tells kinds of rows apart."""


@dataclass(frozen=True)
class Claim:
    """The figures of an answer with everything that they are held against."""

    reading: QuestionReading
    cues: frozenset[str]
    """What the question stresses: an average, the largest, how many."""
    rendered: Rendered
    results: Mapping[str, Result]
    catalog: Catalog
    stored: Stored
    own_text: str
    """The answer's own words: what was computed is blanked out (`masked`)."""
    said: QuestionReading
    """What those words name."""
    unknown: tuple[str, ...] = ()
    """Things in the question that nothing in the data is called."""
    _whole: dict[str, list[Used]] = field(default_factory=dict, compare=False)
    _met: dict[object, tuple[ReceiptLine, ...]] = field(default_factory=dict, compare=False)

    def entity(self, name: str) -> CatalogEntity:
        """The entity that a result was read from."""
        return self.catalog.entities[self.results[name].call.table]

    def conditions(self, name: str) -> Iterator[tuple[str, Filter]]:
        """What a result was filtered by, with the table it is a field of."""
        yield from ((call.table, condition) for call in self.results[name].calls for condition in call.filters)

    @cached_property
    def table_names(self) -> tuple[str, ...]:
        """What the tables that were read are called."""
        entities = [self.entity(name) for name in self.rendered.results]
        labels = (label for one in entities if one.declared for label in one.declared.label.values())
        return (*(one.name for one in entities), *labels)

    def is_short_name(self, word: str) -> bool:
        """Whether a word is the last part of what a field is called that divides the rows: Art, of Fahrzeugart."""
        return any(
            is_head_of(word, label, self.table_names)
            for name in self.rendered.results
            for facts in self.entity(name).fields.values()
            if facts.role in _DIVIDING
            for label in _labels(facts)
        )

    @cached_property
    def measures(self) -> list[list[FigureProvenance]]:
        """The figures that measure something, those of one expression together; counts and names are none."""
        figures = [figure for figure in self.rendered.figures if figure.args and self._measures(figure)]
        return [list(group) for _key, group in groupby(figures, key=lambda figure: figure.expression or id(figure))]

    def _measures(self, figure: FigureProvenance) -> bool:
        try:
            Decimal(figure.value or "x")
        except InvalidOperation:
            return False
        cells = [arg for arg in figure.args if arg.column != "*" and not self.counts(arg)]
        columns = [self.results[arg.result].columns.get(arg.column) for arg in cells]
        return any(facts is not None and facts.numeric and facts.role not in VERBATIM for facts in columns)

    def counts(self, arg: Arg) -> bool:
        """Whether a cell is a number of rows."""
        facts = self.results[arg.result].columns.get(arg.column)
        return facts is not None and facts.aggregate in ("COUNT", "COUNT_DISTINCT")

    def is_course(self, result: str) -> bool:
        """Whether its rows are sorted by time."""
        entity = self.entity(result)
        return any(entity.fields[order.field].tells_time for order in self.results[result].call.order_by)

    def whole(self, name: str) -> list[Used]:
        """All rows of a result."""
        if name not in self._whole:
            result = self.results[name]
            self._whole[name] = uses_of(name, result, None, len(result.data.rows))
        return self._whole[name]

    def met(self, mentions: Sequence[Mention], used: Sequence[Used]) -> tuple[ReceiptLine, ...]:
        """What meets these mentions in some calls."""
        key = (tuple(map(id, mentions)), tuple((one.result, str(one.rows)) for one in used))
        if key not in self._met:
            alone = QuestionReading(self.reading.question, self.reading.lang, tuple(mentions))
            self._met[key] = cover(alone, used, self.catalog, self.stored)
        return self._met[key]

    @cached_property
    def periods(self) -> list[Period]:
        """The periods the question is sure to name."""
        found = (m.meanings[0].period for m in self.reading.mentions if m.sure)
        return [period for period in found if period is not None]


def _refused(name: str | None, hint: str, suggestion: str | None = None) -> QueryValidationError:
    code = ValidationErrorCode.QUESTION_NOT_COVERED
    return QueryValidationError(code=code, field=name, suggestion=suggestion, hint=hint)


# --- every figure is about what was asked


def every_figure_is_about_the_question(claim: Claim) -> QueryValidationError | None:
    """A figure is of a period, of accounts and of values that the question names, wherever it names some."""
    for figures in claim.measures:
        for used, mentions in product(_parts_used(figures, claim), _classes(claim.reading)):
            lines = claim.met(mentions, used)
            if lines and all(line.status == "missing" for line in lines) and not _on_the_way(mentions, used, claim):
                hint = f"{clip(figures[0].text, 16)} is not about {clip(lines[0].mention, 24)!r} ({lines[0].meaning})."
                return _refused(lines[0].mention, hint, lines[0].meaning)
    return None


def _on_the_way(mentions: Sequence[Mention], used: Sequence[Used], claim: Claim) -> bool:
    """Whether figures are of a time between two that a question about a course names."""
    periods = [m.meanings[0].period for m in mentions]
    known = [period for period in periods if period is not None]
    if "trend" not in claim.cues or len(known) < 2 or len(known) < len(periods):
        return False
    between = Period(min(one.first for one in known), max(one.last for one in known), "range")
    mention = Mention(0, 1, mentions[0].text, (Meaning(MentionKind.PERIOD, period=between),), sure=True)
    alone = QuestionReading(claim.reading.question, claim.reading.lang, (mention,))
    return all(line.status != "missing" for line in cover(alone, used, claim.catalog, claim.stored))


def everything_is_told_of_by_a_figure(claim: Claim) -> QueryValidationError | None:
    """Where something is measured, each thing that the question names is in a measured figure, not just in a count."""
    used = [one for figures in claim.measures for figure in figures for one in _used_by([figure], claim)]
    for mention in (m for m in claim.reading.mentions if m.sure and used):
        lines = claim.met([mention], used)
        if lines and lines[0].status == "missing":
            return _refused(
                mention.text, f"No figure of the answer is about {clip(mention.text, 30)!r}.", lines[0].meaning
            )
    return None


def a_count_is_told_to_who_asks_for_one(claim: Claim) -> QueryValidationError | None:
    """How many rows there are is no amount, and what is counted is what was asked for."""
    figures = claim.rendered.figures
    counts = [f for f in figures if any(arg.column == "*" or claim.counts(arg) for arg in f.args)]
    if not counts or claim.measures:
        return None
    amounts = any(m.sure and m.meanings[0].kind in _AMOUNTS for m in claim.reading.mentions)
    if amounts and not claim.cues & {"count", "list"}:
        return _refused("count", "The question does not ask how many there are; answer it or abstain.")
    things = {
        m.meanings[0].entity for m in claim.reading.mentions if [x.kind for x in m.meanings] == [MentionKind.ENTITY]
    }
    tables = {claim.entity(arg.result).name for figure in counts for arg in figure.args}
    if things and not any(_same_thing(table, str(thing), claim) for table in tables for thing in things):
        return _refused(
            "tableName", f"Count {sorted(map(str, things))[0]}, not another table.", sorted(map(str, things))[0]
        )
    return None


def _same_thing(table: str, thing: str, claim: Claim) -> bool:
    relations = claim.catalog.ontology.relations if claim.catalog.ontology else ()
    one = {(r.from_entity, r.to_entity) for r in relations if r.cardinality is Cardinality.ONE_TO_ONE}
    return table == thing or (table, thing) in one or (thing, table) in one


def masked(rendered: Rendered) -> str:
    """The answer's own words: what was computed is blanked out, at the same places."""
    text = list(rendered.text)
    for figure in rendered.figures:
        if figure.args:
            text[figure.span[0] : figure.span[1]] = "\x00" * (figure.span[1] - figure.span[0])
    return "".join(text)


def _classes(reading: QuestionReading) -> Iterator[list[Mention]]:
    """The sure mentions that stand for each other: periods, accounts, values of one field."""
    classes: dict[str, list[Mention]] = {}
    for mention in reading.mentions:
        meaning = mention.meanings[0]
        if not mention.sure:
            continue
        if meaning.kind is MentionKind.PERIOD:
            classes.setdefault("period", []).append(mention)
        elif meaning.kind in (MentionKind.GROUP, MentionKind.CODE):
            classes.setdefault("which", []).append(mention)
        elif meaning.kind is MentionKind.VALUE and meaning.fields:
            classes.setdefault(meaning.fields[0][1], []).append(mention)
    yield from classes.values()


def _parts_used(figures: Sequence[FigureProvenance], claim: Claim) -> list[list[Used]]:
    """What a figure rests on; where results are added up, each of them has to be about the question."""
    used = list(_used_by(figures, claim))
    node = parse(figures[0].expression or "")
    added = not isinstance(node, QueryValidationError) and any(
        isinstance(part, Binary) and part.op == "+" for part in walk(node)
    )
    return (
        [[one for one in used if one.result == name] for name in dict.fromkeys(o.result for o in used)]
        if added
        else [used]
    )


def _used_by(figures: Sequence[FigureProvenance], claim: Claim) -> Iterator[Used]:
    for name in dict.fromkeys(arg.result for figure in figures for arg in figure.args):
        result = claim.results[name]
        keys = tuple(arg.row_key for figure in figures for arg in figure.args if arg.result == name)
        rows = None if len(keys) >= len(result.data.rows) else keys
        if rows is not None:
            yield from uses_of(name, result, rows, len(keys))
        # A single account of a group is still about the group; that the group is whole is checked for the answer.
        yield from claim.whole(name)


# --- nothing is left out or put in on the quiet


def how_many_is_answered_by_a_number_of_things(claim: Claim) -> QueryValidationError | None:
    """Who asks how many there are is not told an amount of money, nor half a thing."""
    if "count" not in claim.cues or claim.cues & {"average", "share"} or _names_money(claim):
        return None
    if any(arg.column == "*" or claim.counts(arg) for figure in claim.rendered.figures for arg in figure.args):
        return None  # the number is told, and amounts beside it
    for figure in (figure for figures in claim.measures for figure in figures):
        facts = [claim.results[arg.result].columns.get(arg.column) for arg in figure.args if arg.column != "*"]
        money = any(one is not None and (one.unit or one.unit_field) for one in facts)
        if money or Decimal(figure.value or "0") % 1:
            return _refused("count", "The question asks how many: count rows, or abstain if they are not there.")
    return None


def _names_money(claim: Claim) -> bool:
    """Whether the question asks for an amount as well: how many customers, and which revenue; how many francs."""
    sure = [m.meanings[0] for m in claim.reading.mentions if m.sure]
    return any(m.kind in _AMOUNTS or m.value in CURRENCY_WORDS for m in sure)


def no_figure_is_told_of_what_nothing_is_called(claim: Claim) -> QueryValidationError | None:
    """Employees that no table knows are not counted, and no figure is said to be theirs."""
    text = claim.own_text
    figures = [figure for figure in claim.rendered.figures if figure.args]
    for thing in (thing for thing in claim.unknown if not claim.is_short_name(thing)):
        clauses = (text[slice(*clause_at(text, *figure.span))] for figure in figures)
        if figures and (thing == counted(claim.reading.question) or any(speaks_of(one, thing) for one in clauses)):
            return _refused(
                thing, f"Nothing in the data is called {clip(thing, 24)}: say what the rows are, or abstain."
            )
    return None


def what_is_planned_is_told_from_a_plan(claim: Claim) -> QueryValidationError | None:
    """What was booked is no budget and no forecast, unless its table or column is called so."""
    if "plan" not in claim.cues or not claim.measures:
        return None
    entities = [claim.entity(name) for name in claim.rendered.results]
    names = [entity.name for entity in entities]
    names += [
        name for entity in entities for field, facts in entity.fields.items() for name in (field, *_labels(facts))
    ]
    names += [label for entity in entities if entity.declared for label in entity.declared.label.values()]
    if "plan" in cues_of(" ".join(words_of(name) for name in names)):
        return None
    return _refused("plan", "The question asks for a plan or forecast; these rows are none: abstain.")


def _labels(facts: FieldFacts) -> tuple[str, ...]:
    return tuple(facts.declared.label.values()) if facts.declared else ()


def no_filter_is_made_up(claim: Claim) -> QueryValidationError | None:
    """A name, code, category or threshold that the question does not name is in the answer for people to see."""
    named = (str(m.value) for mention in claim.reading.mentions for m in mention.meanings if m.value)
    said = "\n".join([claim.rendered.text, claim.reading.question, *named]).casefold()
    for figures in claim.measures or [list(claim.rendered.figures)]:
        for name in dict.fromkeys(arg.result for figure in figures for arg in figure.args):
            for table, condition in claim.conditions(name):
                if not _narrows(condition, claim.catalog.entities[table], claim.catalog) or _is_a_group(
                    condition, claim
                ):
                    continue
                values = list(condition.value) if isinstance(condition.value, list | tuple) else [condition.value]
                texts = [str(value).casefold().strip("%") for value in values]
                if not all(_stands_in(text, said) for text in texts):
                    extra = f"{condition.field} {condition.op} {clip(', '.join(map(str, values)), 30)}"
                    return _refused(condition.field, "The question does not name this; drop the filter.", extra)
    return None


def conditions_point_the_way_they_were_asked(claim: Claim) -> QueryValidationError | None:
    """Nothing is left out, and nothing is let in beside what was asked for, unless the question says so."""
    for name in sorted(claim.rendered.results):
        result = claim.results[name]
        negated = [(t, condition) for t, condition in claim.conditions(name) if condition.op == "!="]
        others = [
            c.field for t, c in negated if claim.catalog.entities[t].fields[c.field].role is not FieldRole.CURRENCY
        ]
        # Where a plain condition says what is left out, it is known what it is.
        if (others or ("not" in result.turns and not negated)) and not claim.cues & _EXCLUDING:
            return _refused(next(iter(others), "NOT"), "The question leaves nothing out: drop the negation.")
        if "altered" in result.turns and not _ROUNDED.search(claim.reading.question.casefold()):
            return _refused("ROUND", "A function makes another figure of it: show the figure itself.")
        if "either" in result.turns and not _EITHER.search(claim.reading.question.casefold()):
            return _refused("OR", "The question does not say 'or': join conditions by AND, or use IN.")
    return None


def raw_sql_brings_in_nothing(claim: Claim) -> QueryValidationError | None:
    """A number or value that SQL computes or compares with is one that the question, or the answer, says, too."""
    named = (str(m.value) for mention in claim.reading.mentions for m in mention.meanings if m.value)
    said = "\n".join([claim.rendered.text, claim.reading.question, *named]).casefold()
    days = {day.isoformat() for period in claim.periods for day in (period.first, period.last, day_after(period.last))}
    for name in sorted(claim.rendered.results):
        for literal in claim.results[name].brings:
            if literal in _RATIOS and claim.cues & {"share", "trend", "compare"}:
                continue  # a share of a hundred, a change against one
            if literal[:10] not in days and not _stands_in(literal.casefold().strip("%"), said):
                hint = f"The question does not say {clip(literal, 24)}: leave it out of the SQL."
                return _refused(literal, hint)
    return None


def _stands_in(text: str, said: str) -> bool:
    """Whether a value is said, as a word of its own."""
    return re.search(rf"(?<![a-z0-9]){re.escape(text)}(?![a-z0-9])", said) is not None


def _narrows(condition: Filter, entity: CatalogEntity, catalog: Catalog) -> bool:
    facts = entity.fields[condition.field]
    role = facts.role
    if condition.op in ("IS_NULL", "IS_NOT_NULL") or (condition.op == "!=" and role is FieldRole.CURRENCY):
        return False
    if role in _MEASURES:
        return True
    if facts.declared is None:
        # Of a field that nobody described, every choice is one that the question has to name.
        return not facts.tells_time
    # Fields that figures must agree on to be added up (an account's class) are part of how, not of what is asked.
    needed = {name for other in catalog.entities.values() for found in other.fields.values() for name in found.over}
    return role in _CHOOSING and condition.field not in needed


def _is_a_group(condition: Filter, claim: Claim) -> bool:
    """Whether a condition is how a group that the question names, or may name, is written."""
    ontology = claim.catalog.ontology
    if ontology is None:
        return False
    named = {m.entity for mention in claim.reading.mentions for m in mention.meanings if m.kind is MentionKind.GROUP}
    spans = (entity.number_range for entity in ontology.entities if entity.number_range and entity.name in named)
    if any(span.field == condition.field for span in spans):
        return True  # the coverage check has seen to it that it is exactly that group
    # Without a group in the question (profit, all costs) whole groups may be chosen, never single codes.
    likes = {like for entity in ontology.entities if entity.number_range for like in entity.number_range.like}
    return not named and condition.op == "LIKE" and condition.value in likes


def the_period_is_said(claim: Claim) -> QueryValidationError | None:
    """A period that the question does not name is told in the answer."""
    if any(m.kind is MentionKind.PERIOD for mention in claim.reading.mentions for m in mention.meanings):
        return None
    for name in sorted(claim.rendered.results):
        for table, condition in claim.conditions(name):
            facts = claim.catalog.entities[table].fields[condition.field]
            if not facts.tells_time or facts.part == "month":
                continue
            if facts.part != "year" or str(condition.value) not in claim.rendered.text:
                hint = f"The question names no period: cite {condition.field} in the answer, or clarify."
                return _refused(condition.field, clip(hint, 80), f"{{{{ {name}[0].{condition.field} }}}}")
    return None


# --- the kind of figure


def no_other_reckoning(claim: Claim) -> QueryValidationError | None:
    """The smallest, the largest, an average, a multiple or the opposite of a figure is told only to who asks for it."""
    for node in claim.rendered.expressions:
        for part in walk(node):
            name, needs = _needs(part, claim)
            shown = name == "a difference" and _sides_are_told(part, claim)
            if name and not needs & claim.cues and not shown and not (name in ("min", "max") and _is_a_course(part, claim)):  # fmt: skip
                return _refused(name, f"The question does not ask for {name}; cite the figure itself.")
    for figures in claim.measures:
        for arg in (arg for figure in figures for arg in figure.args):
            facts = claim.results[arg.result].columns.get(arg.column)
            needs = _AGGREGATES.get((facts.aggregate if facts else None) or "", claim.cues)
            if claim.cues.isdisjoint(needs) and needs is not claim.cues:
                hint = "The question does not ask for this aggregate; use SUM, or the rows themselves."
                return _refused(facts.aggregate if facts else None, hint)
    return None


def _sides_are_told(part: Node, claim: Claim) -> bool:
    """Whether both figures of a difference stand in the answer, too: then everybody sees what it is of."""
    told = [node for node in claim.rendered.expressions if isinstance(node, Cells)]
    return isinstance(part, Binary) and part.left in told and part.right in told


def _is_a_course(part: Node, claim: Claim) -> bool:
    """Whether it is read from rows in the order of time, where lowest and highest belong to the picture."""
    return any(claim.is_course(cells.selection.result) for cells in walk(part) if isinstance(cells, Cells))


_EXTREMES = frozenset({"most", "least", "trend", "per", "compare", "newest"})


_AGGREGATES = {"MIN": _EXTREMES, "MAX": _EXTREMES, "AVG": frozenset({"average"})}
_CHANGES = frozenset({"compare", "trend", "profit", "except"})


def _needs(part: Node, claim: Claim) -> tuple[str, frozenset[str]]:
    if isinstance(part, Function) and part.name in ("min", "max"):
        return part.name, _EXTREMES
    if isinstance(part, Function) and part.name == "avg":
        return "avg", frozenset({"average"})
    if isinstance(part, Function) and part.name == "percent":
        return "percent", frozenset({"share", "trend", "compare"})
    if isinstance(part, Negative):
        return "the opposite", frozenset({"profit", "trend", "compare"})
    if not isinstance(part, Binary):
        return "", frozenset()
    literals = [side.value for side in (part.left, part.right) if isinstance(side, Number)]
    counted = any(isinstance(p, Function) and p.name == "count" for p in walk(part))
    if part.op in "*/" and counted:
        return "a multiple or a part", frozenset({"average", "per", "share"})
    if part.op in "*/" and literals and not (part.op == "/" and literals[0] in _SCALES):
        return "a multiple or a part", frozenset({"average", "per", "share"})
    left, right = _columns(part.left), _columns(part.right)
    if part.op == "+" and left and right and left != right:
        return "the sum of different columns", frozenset()
    results = {c.selection.result for c in walk(part) if isinstance(c, Cells)}
    if part.op == "-" and left & right and (len(results) > 1 or _picks_rows(part)) and len(claim.periods) < 2:
        return "a difference", _CHANGES
    return "", frozenset()


def _columns(node: Node) -> frozenset[str]:
    return frozenset(part.column for part in walk(node) if isinstance(part, Cells) and part.column)


def _picks_rows(node: Node) -> bool:
    return any(isinstance(part, Cells) and not part.selection.is_all for part in walk(node))


_SCALES = frozenset({Decimal(1000), Decimal(1_000_000)})


def the_reckoning_that_was_asked_for(claim: Claim) -> QueryValidationError | None:
    """Who asks for an average or for the largest gets one."""
    parts = [part for node in claim.rendered.expressions for part in walk(node)]
    functions = {part.name for part in parts if isinstance(part, Function)}
    calls = [claim.results[name].call for name in claim.rendered.results]
    divides = any(isinstance(part, Binary) and part.op == "/" for part in parts)
    if "average" in claim.cues and not ("avg" in functions or divides or any(c.aggregate == "AVG" for c in calls)):
        return _refused("average", "The question asks for an average; use avg or AVG.", "avg")
    ranked = functions & {"min", "max"} or any(c.order_by or c.aggregate in ("MIN", "MAX") or c.limit for c in calls)
    if claim.cues & {"most", "least"} and not ranked:
        return _refused("orderBy", "The question asks for the largest or smallest: sort with orderBy.", "orderBy")
    if "share" in claim.cues and not ("percent" in functions or divides):
        return _refused("percent", "The question asks for a share; use percent(a, b).", "percent(a, b)")
    return None


def a_row_is_chosen_by_name_or_order(claim: Claim) -> QueryValidationError | None:
    """The first row of several is told only if the call says in which order they come."""
    for cells in (part for node in claim.rendered.expressions for part in walk(node) if isinstance(part, Cells)):
        result = claim.results[cells.selection.result]
        if cells.selection.index is None or cells.column is None or result.call.order_by:
            continue
        if len({str(row.get(cells.column)) for row in result.data.rows}) > 1:
            hint = "Which row comes first is chance: sort with orderBy, or name the row by its key."
            code, every = ValidationErrorCode.AMBIGUOUS_GRAIN, f"{cells.selection.result}.{quoted(cells.column)}"
            counts = result.columns[cells.column].aggregate == "COUNT"
            every = f"{{{{ {'sum' if counts else 'rows'}({every}) }}}}"
            suggestion = every if counts or "list" in claim.cues else "orderBy"
            return QueryValidationError(code=code, field=cells.column, suggestion=suggestion, hint=hint)
    return None


# --- when a value stands


def values_stand_when_asked(claim: Claim) -> QueryValidationError | None:
    """An opening value is not told for the end of a period, nor a running total for one month."""
    periods = claim.periods
    for figures in claim.measures:
        for arg in (arg for figure in figures for arg in figure.args if arg.column != "*"):
            facts = claim.entity(arg.result).fields.get(arg.column)
            moment = facts.declared.moment if facts and facts.declared else None
            if "turnover" not in claim.cues and _is_one_side(arg, figures, claim):
                return _refused(arg.column, f"{clip(arg.column, 24)} alone is one side of the movements, no balance.")
            opening = "opening" in claim.cues or any(p.moment == "start" for p in periods)
            if moment == "start" and not opening and not claim.is_course(arg.result):
                return _refused(arg.column, f"{clip(arg.column, 24)} is the start of the period; nobody asks for it.")
            if moment == "start" and any(p.moment == "end" or p.part == "day" for p in periods):
                return _refused(arg.column, f"{clip(arg.column, 24)} is the start of the period, not its end.")
            if moment == "end" and periods and all(p.moment == "start" for p in periods) and _same_period(arg, claim):
                return _refused(arg.column, f"{clip(arg.column, 24)} is the end of the period, not its start.")
            if moment == "end" and any(p.part == "month" and not p.moment for p in periods) and _is_running(claim):
                return _refused(arg.column, f"{clip(arg.column, 20)} counts from January: a month is its turnover.")
    return None


def _is_one_side(arg: Arg, figures: Sequence[FigureProvenance], claim: Claim) -> bool:
    """Whether a cell is a movement of a period, told without the movements on the other side."""
    entity = claim.entity(arg.result)
    if arg.column not in entity.fields or all(
        f.declared is None or not f.declared.moment for f in entity.fields.values()
    ):
        return False
    facts = entity.fields[arg.column]
    moves = facts.declared is not None and facts.declared.role in _MEASURES and not facts.declared.moment
    return moves and len({a.column for figure in figures for a in figure.args}) == 1


def _same_period(arg: Arg, claim: Claim) -> bool:
    """Whether the cell is of the period that the question names, not of the one before."""
    years = {str(period.first.year) for period in claim.periods}
    return any(str(value) in years for value in arg.row_key.values())


def _is_running(claim: Claim) -> bool:
    ontology = claim.catalog.ontology
    names = {m.meanings[0].entity for m in claim.reading.mentions if m.meanings[0].kind is MentionKind.GROUP}
    for entity in ontology.entities if ontology else ():
        if entity.name in names:
            root = entity
            while root.parent_entity and ontology is not None:
                root = ontology.entity(root.parent_entity) or root
            if root.accumulates:
                return True
    return False


CHECKS: tuple[Callable[[Claim], QueryValidationError | None], ...] = (
    every_figure_is_about_the_question,
    everything_is_told_of_by_a_figure,
    a_count_is_told_to_who_asks_for_one,
    how_many_is_answered_by_a_number_of_things,
    no_figure_is_told_of_what_nothing_is_called,
    what_is_planned_is_told_from_a_plan,
    no_filter_is_made_up,
    conditions_point_the_way_they_were_asked,
    raw_sql_brings_in_nothing,
    the_period_is_said,
    values_stand_when_asked,
    no_other_reckoning,
    the_reckoning_that_was_asked_for,
    a_row_is_chosen_by_name_or_order,
)


def first_misfit(claim: Claim) -> QueryValidationError | None:
    """The first thing that makes the figures other than what was asked for."""
    return next((problem for check in CHECKS if (problem := check(claim)) is not None), None)
