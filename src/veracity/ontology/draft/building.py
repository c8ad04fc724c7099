"""What was found -> an ontology: entities, fields, measures; guesses marked as such with their question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from veracity.language.currencies import CURRENCIES
from veracity.language.folding import folded_text
from veracity.ontology.descriptor import Constraint, ConstraintRule, OntologyDescriptor
from veracity.ontology.draft.account_movements import is_of_movements
from veracity.ontology.draft.coming_about import coming_about
from veracity.ontology.draft.findings import (
    ColumnClass,
    ColumnDraft,
    Found,
    FoundExtremes,
    FoundRelation,
    FoundSpan,
    TableDraft,
)
from veracity.ontology.draft.flow_names import cost_words, days_off_words, flow_words, passing_words
from veracity.ontology.draft.head_nouns import plain_nouns
from veracity.ontology.draft.labels import NameLabels, more_words
from veracity.ontology.draft.names import in_list, says, singular, split, without_unit
from veracity.ontology.draft.proposals import said
from veracity.ontology.draft.questions import DraftQuestion
from veracity.ontology.draft.related_names import related_names
from veracity.ontology.draft.relating import RelationBuilder, extremes_name, link_name
from veracity.ontology.draft.stored_texts import read_as
from veracity.ontology.draft.subtypes import only_amount, subtypes_of
from veracity.ontology.entities import DateParts, Entity, Measure, MeasureAggregate, Segment, SemanticType
from veracity.ontology.fields import Additivity, Adjectives, Encoding, EntityField, FieldRole
from veracity.sources.source import ColumnType, identifier, literal

_ROLES = {
    ColumnClass.CODE: FieldRole.CODE,
    ColumnClass.NAME: FieldRole.NAME,
    ColumnClass.CATEGORY: FieldRole.CATEGORY,
    ColumnClass.YEAR: FieldRole.PERIOD,
    ColumnClass.MONTH: FieldRole.PERIOD,
    ColumnClass.DATE: FieldRole.DATE,
    ColumnClass.AVERAGE: FieldRole.RATE,
    ColumnClass.CURRENCY: FieldRole.CURRENCY,
    ColumnClass.UNIT: FieldRole.CATEGORY,
    ColumnClass.FLAG: FieldRole.FLAG,
}
_HEADED = (FieldRole.AMOUNT, FieldRole.QUANTITY, FieldRole.RATE, FieldRole.CATEGORY)
"""Fields that people may call by the last word of their name."""
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_DISCOUNT = re.compile(r"(?<=\(1 - ).+?(?= / 100\.0\)$|\)$)")


class Builder:
    """Builds the ontology of what was found."""

    def __init__(
        self, found: Found, languages: Sequence[str], words: frozenset[str], questions: Sequence[DraftQuestion]
    ) -> None:
        self._found, self._words = found, words
        names = self._names = [name for table in found.tables for name in (table.name, *table.profile.names)]
        self._labels = NameLabels(
            languages, words, names, found.spelled, plain_nouns(found.tables, words, found.relations)
        )
        self._asked = {question.id: self._labels.pick(question.text) or question.text for question in questions}
        self._list = next((self._labels.pick(q.text) for q in questions if q.kind == "amounts"), {})
        self._tables = {table.name: table for table in found.tables}
        self._splits = {one.table: one for one in found.splits}
        self._links = {one.table: one for one in found.links}
        self._pointing = {(r.table, name) for r in found.relations if r.sure and not r.part for name in r.columns}
        self._extremes = {one.table: one for one in found.extremes if one.sure}
        self._kinds = subtypes_of(found)
        self._related = related_names(found, self._labels)
        self._relating = RelationBuilder(found, self._labels, words, self._asked)

    def descriptor(self) -> OntologyDescriptor:
        """The ontology."""
        tables = [table for table in self._found.tables if not table.profile.problem and table.profile.columns]
        entities = named_first([entity for table in tables for entity in self._entities(table)])
        return OntologyDescriptor(
            feature_code=code_of(self._found.source),
            locale="de-CH" if _is_swiss(self._found) else None,
            entities=tuple(entities),
            relations=tuple(self._relating.relations()),
            constraints=tuple(constraint for table in tables for constraint in self._encoded(table)),
        )

    # --- entities

    def _entities(self, table: TableDraft) -> Iterator[Entity]:
        split_ = self._splits.get(table.name)
        if table.name in self._kinds:
            yield self._kind_of_rows(table, self._kinds[table.name])
            return
        if split_ is None:
            read = table.span is not None or any(column.is_rewritten for column in table.columns)
            read = read or bool(table.profile.select)
            home = {"view": _select(table, table.profile.names)} if read else {"table": table.name}
            yield self._entity(table, home=home, key=table.key.columns if table.key else ())
            if table.name in self._extremes:
                yield self._of_extremes(table, self._extremes[table.name])
            return
        columns = (split_.name, *split_.attributes)
        view = _select(table, columns, distinct=True)
        yield self._entity(table, home={"view": view}, key=(split_.name,), only=columns)
        linking = (split_.name, split_.reference)
        yield Entity(name=link_name(split_), view=_select(table, linking, distinct=True), grain=linking)

    def _entity(
        self, table: TableDraft, *, home: Mapping[str, str], key: tuple[str, ...], only: Sequence[str] | None = None
    ) -> Entity:
        label, synonyms = self._labels.table(table)
        synonyms = more_words(synonyms, self._related.get(table.name, {}))
        if is_of_movements(table, self._words):
            told = said()["movements"]["rows"]
            label, synonyms = self._labels.pick(told["label"]), self._labels.pick(told["synonyms"])
        if any(one.titled and one.table == table.name for one in self._found.measures):
            titles = _in_all_languages(label, synonyms)
            label, synonyms = {lang: said()["entry"][lang].format(name=name) for lang, name in titles.items()}, {}
        link = table.name in self._links
        shown = [column for column in table.columns if only is None or column.profile.name in only]
        fields = [self._field(table, column) for column in shown if self._is_described(table, column)]
        if table.span is not None:
            fields.append(self._lasting(table.span))
        spoken = self._spoken(table, key, fields)
        unconfirmed = {}
        if table.display and not table.display_sure:
            unconfirmed["display"] = self._asked.get(f"display:{table.name}", {})
        if table.date and not table.date_sure:
            unconfirmed["defaultDate"] = self._asked.get(f"date:{table.name}", {})
        verbs = {} if link else coming_about(table, self._words, self._tables)
        return Entity(
            name=table.name,
            label={} if link else label,
            synonyms={} if link else synonyms,
            semantic_type=SemanticType.TRANSACTION if table.date and "." not in table.date else SemanticType.REFERENCE,
            grain=key,
            display=table.display or self._numbered(table, key),
            default_date=table.date,
            verbs=self._labels.pick(verbs),
            date_parts=_came_in_year(table) if verbs or self._is_just_its_year(table, key) else None,
            article=says(split(table.name.rpartition(".")[2], self._words)[-1:], "articles"),
            unconfirmed=unconfirmed,
            fields=tuple(fields),
            measures=tuple(self._measures(table)),
            segments=tuple(self._segments(table)),
            spoken=spoken or (),
            tools_only=spoken is not None and not spoken,
            **home,
        )

    def _kind_of_rows(self, table: TableDraft, one: FoundRelation) -> Entity:
        """Some rows of another table, called by the name of the table that lists them; their figure is called so, too."""
        parent = self._found.table(one.other)
        key, listed = (_spelt(names[0]) for names in (one.referred, one.columns))
        home = _home(table)
        view = f"{_select(parent, parent.profile.names)} WHERE {key} IN (SELECT {listed} FROM {home})"
        entity = self._entity(parent, home={"view": view}, key=one.referred)
        label, synonyms = self._labels.table(table)
        amount = only_amount(parent)
        return entity.model_copy(
            update={
                "name": table.name,
                "label": label,
                "synonyms": synonyms,
                "segments": (),
                "spoken": one.referred,
                "tools_only": False,
                "measures": (self._total(table, amount, self._unit(parent, (amount,))),) if amount else (),
            }
        )

    def _total(self, table: TableDraft, amount: str, unit: str | None) -> Measure:
        """What the rows of a kind come to; people call it by the name of the kind, the answer says that it is a total."""
        label, synonyms = self._labels.table(table)
        called: dict[str, tuple[str, ...]] = {lang: (name,) for lang, name in label.items()}
        if "en" in label:  # loss payments are loss payment amounts, where the column is called an amount
            called["en"] = (label["en"], f"{label['en']} {self._labels.words_of(amount)[-1]}")
        return Measure(
            name=f"total of {table.name}",
            label={lang: said()["total"][lang].format(name=name) for lang, name in label.items()},
            synonyms=more_words(called, synonyms),
            aggregate=MeasureAggregate.SUM,
            expression=_spelt(amount),
            unit=unit,
        )

    def _spoken(self, table: TableDraft, key: tuple[str, ...], fields: Sequence[EntityField]) -> tuple[str, ...] | None:
        """The fields that questions may mean, where that is not all: a table that only adds to another one is not known by its names."""
        adds = len(key) == 1 and (table.name, key[0]) in self._pointing and key[0] not in table.display
        pair = self._extremes.get(table.name)
        if not adds and pair is None:
            return None
        told = (*pair.most, *pair.least) if pair else ()
        return tuple(field.name for field in fields if field.name not in told and not (adds and field.name in key))

    def _lasting(self, span: FoundSpan) -> EntityField:
        """How long a row lasts; averaged, never added up."""
        told = next(entry for entry in said()["spans"] if entry["kind"] == span.kind)
        label, synonyms = self._labels.noun("duration")
        more = {lang: tuple(words) for lang, words in told["synonyms"].items()}
        adjectives = self._labels.pick(said()["adjectives"]["duration"])
        return EntityField(
            name=span.name,
            label=label,
            synonyms=more_words(synonyms, self._labels.pick(more)),
            unit=span.unit,
            adjectives={lang: Adjectives(**sides) for lang, sides in adjectives.items()},
            additivity=Additivity.NON_ADDITIVE,
            averages=True,
        )

    def _segments(self, table: TableDraft) -> Iterator[Segment]:
        """The big ones, where a person said what is big."""
        if table.big and table.large:
            told = said()["large"]
            yield Segment(
                name=f"major {table.name}",
                label=self._labels.pick(told["label"]),
                synonyms=self._labels.pick({lang: tuple(words) for lang, words in told["synonyms"].items()}),
                where=f"{_spelt(table.big)} > {table.large}",
            )

    def _of_extremes(self, table: TableDraft, pair: FoundExtremes) -> Entity:
        """The largest and the smallest of all rows, as things of their own."""
        noun, figure = (part.replace(" ", "_") for part in (pair.noun, pair.figure))
        home = _home(table)
        key = ", ".join(map(_spelt, pair.key))
        view = " UNION ".join(
            f"SELECT {_shown(table.column(one), noun)}, {_shown(table.column(two), figure)}, {key} FROM {home}"
            for one, two in (pair.most, pair.least)
        )
        label, synonyms = self._labels.noun(pair.noun)
        measured, more = self._labels.noun(pair.figure)
        column = table.column(pair.most[1])
        return Entity(
            name=extremes_name(pair),
            label=label,
            synonyms=synonyms,
            view=view,
            grain=(noun, figure, *pair.key),
            display=(noun,),
            edges=True,
            fields=(
                EntityField(name=noun, label=self._labels.name, role=FieldRole.NAME),
                EntityField(
                    name=figure,
                    label=measured,
                    synonyms=more,
                    unit=column.verdict.unit,
                    adjectives={
                        lang: Adjectives(**sides) for lang, sides in self._labels.pick(pair.adjectives).items()
                    },
                    additivity=Additivity.NON_ADDITIVE,
                ),
            ),
        )

    def _is_just_its_year(self, table: TableDraft, key: tuple[str, ...]) -> bool:
        """Whether rows have one year, called just so: concerts in 2014. When something was built or founded is said so."""
        own, years = self._labels.words_of(table.name.rpartition(".")[2]), table.of_kind(ColumnClass.YEAR)
        alone = len(key) < 2
        named = [tuple(map(singular, self._labels.words_of(name))) for name in years if not (alone and name in key)]
        plain = (words[-1:] for words in named if words[:-1] in ((), tuple(map(singular, own))))
        return len(years) == 1 and any(words[0] in ("year", "yr", "jahr") for words in plain)

    def _numbered(self, table: TableDraft, key: tuple[str, ...]) -> tuple[str, ...]:
        """What has no name is known by its key, where that is one field of its own."""
        return key if len(key) == 1 and (table.name, key[0]) not in self._pointing else ()

    def _is_described(self, table: TableDraft, column: ColumnDraft) -> bool:
        """Columns that only point elsewhere have nothing to say of their own."""
        name = column.profile.name
        if (table.name, name) in self._pointing:
            return name in table.display
        return column.verdict.kind is not ColumnClass.OTHER

    def _field(self, table: TableDraft, column: ColumnDraft) -> EntityField:
        verdict, name = column.verdict, column.profile.name
        label, synonyms = self._labels.column(table, column)
        for further in (
            cost_words(table, column, self._words),
            days_off_words(table, column, self._labels.table(table)[0], self._words),
            passing_words(table, column, self._words),
        ):
            synonyms = more_words(synonyms, self._labels.pick(further))
        for one in self._found.relations:
            if one.part and one.sure and (one.table, one.columns[0]) == (table.name, name):
                synonyms = more_words(synonyms, self._relating.role_synonyms(one))
        told: dict[str, Any] = {
            "name": name,
            "label": label,
            "synonyms": synonyms,
            "role": self._role(table, column),
            "adjectives": self._labels.adjectives(table, column, label),
            "values": self._labels.values(table, column, label),
            **self._adding(column),
        }
        if verdict.kind is ColumnClass.CATEGORY and column.profile.type is ColumnType.TEXT:
            told["categorical"] = True
        if not verdict.sure:
            told |= {"confirmed": False, "question": self._question(table, column)}
        elif verdict.ask:
            told["question"] = self._question(table, column)
        if column.profile.type is ColumnType.TEXT and verdict.kind is ColumnClass.AVERAGE and not column.is_rewritten:
            told |= {"averages": False, "role": FieldRole.CODE, "adjectives": {}}
        return EntityField(**told)

    def _role(self, table: TableDraft, column: ColumnDraft) -> FieldRole | None:
        kind, name = column.verdict.kind, column.profile.name
        if kind is ColumnClass.DATE and not column.verdict.sure:
            return FieldRole.CODE  # days that cannot be compared are no dates, whatever they are called
        if name in table.display:
            return FieldRole.NAME
        if kind is ColumnClass.KEY:
            return FieldRole.IDENTIFIER
        if kind is ColumnClass.CATEGORY and column.profile.type is not ColumnType.TEXT:
            return FieldRole.CODE
        if kind in (ColumnClass.ADDITIVE, ColumnClass.LEVEL):
            money = says(split(name, self._words), "money") or (column.verdict.unit or "").casefold() in CURRENCIES
            return FieldRole.AMOUNT if money else FieldRole.QUANTITY
        if kind is ColumnClass.TEXT and says(split(name, self._words), "free_texts"):
            return FieldRole.FREE_TEXT
        return _ROLES.get(kind)

    def _adding(self, column: ColumnDraft) -> dict[str, Any]:
        verdict = column.verdict
        told: dict[str, Any] = {"unit": verdict.unit} if verdict.unit and verdict.kind is not ColumnClass.DATE else {}
        told |= {"unit_field": verdict.unit_field} if verdict.unit_field else {}
        match verdict.kind:
            case ColumnClass.ADDITIVE if verdict.over:
                return {**told, "additivity": Additivity.SEMI_ADDITIVE, "over": verdict.over}
            case ColumnClass.ADDITIVE:
                return {**told, "additivity": Additivity.ADDITIVE}
            case ColumnClass.LEVEL if verdict.over:
                return {**told, "additivity": Additivity.SEMI_ADDITIVE, "over": verdict.over}
            case ColumnClass.AVERAGE:
                return {**told, "additivity": Additivity.NON_ADDITIVE, "averages": True}
            case ColumnClass.NUMBER | ColumnClass.LEVEL:
                return {**told, "additivity": Additivity.NON_ADDITIVE}
        return told

    def _question(self, table: TableDraft, column: ColumnDraft) -> dict[str, str]:
        ask, name = column.verdict.ask, column.profile.name
        # Which rows count is asked once for all figures that the same keeps apart.
        same = [one.profile.name for one in table.columns if ask == "rows" and one.verdict.over == column.verdict.over]
        found = (self._asked.get(f"{ask}:{table.name}.{one}") for one in (name, *same))
        return next((one for one in found if one), self._list if ask == "amount" else {})

    def _measures(self, table: TableDraft) -> Iterator[Measure]:
        for one in self._found.measures:
            if one.table != table.name:
                continue
            question = self._asked.get(f"measure:{one.table}.{one.name}", {})
            label, synonyms = self._labels.pick(one.label), self._labels.pick(one.synonyms)
            where = None
            if one.titled:
                label, synonyms = self._labels.table(table)
                label = _in_all_languages(label, synonyms)
                if in_list(split(table.name.rpartition(".")[2], self._words)[-1], "spending_tables"):
                    synonyms = more_words(synonyms, self._labels.pick(said()["spent"]))
                flowing = flow_words(table.name, [name for name in self._names if name != table.name], self._words)
                synonyms = more_words(synonyms, self._labels.pick(flowing))
            if one.where is not None and not label:
                label, synonyms = self._labels.column(table, table.column(one.expression))
            if one.where is not None:
                where = f"{_spelt(one.where[0])} = {self._value(table, *one.where)}"
            if one.sign:
                where = f"{_spelt(one.factors[0])} {one.sign} 0"
            yield Measure(
                name=one.name,
                label=label,
                synonyms=synonyms,
                aggregate=MeasureAggregate.SUM,
                expression=_spelt_product(one.expression),
                where=where,
                unit=self._unit(table, one.factors),
                confirmed=one.sure,
                question={} if one.sure else question,
            )

    def _value(self, table: TableDraft, column: str, value: str) -> str:
        return value if table.profile.column(column).type is ColumnType.INTEGER else literal(value)

    def _unit(self, table: TableDraft, factors: Sequence[str]) -> str | None:
        units = {table.column(name).verdict.unit or _only_currency(table, name) for name in factors} - {None}
        return next(iter(units)) if len(units) == 1 else None

    def _encoded(self, table: TableDraft) -> Iterator[Constraint]:
        """Dates that are stored as numbers."""
        for column in table.columns:
            unit = column.verdict.unit
            if column.verdict.kind is ColumnClass.DATE and column.verdict.sure and unit in ("seconds", "milliseconds"):
                expects = Encoding.UNIX_SECONDS if unit == "seconds" else Encoding.UNIX_MILLISECONDS
                message = {
                    "en": f"It holds {unit} since 1970; write a date.",
                    "de": f"Es hält {'Sekunden' if unit == 'seconds' else 'Millisekunden'} seit 1970; ein Datum schreiben.",
                }
                yield Constraint(
                    applies_to=(f"{table.name}.{column.profile.name}",),
                    rule=ConstraintRule.TYPE_MISMATCH_GUARD,
                    expects=expects,
                    message=self._labels.pick(message) or message,
                )


def code_of(source: str) -> str:
    """What the draft of a source is called, and what was taught to it belongs to."""
    return re.sub(r"\W+", "_", source.rsplit("/", 1)[-1].split(".", maxsplit=1)[0]).strip("_") or "draft"


def named_first(entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """The entities; a synonym of ours that is the name of another entity's field means that one."""
    named = {
        (lang, word.casefold()): entity.name
        for entity in entities
        if not entity.tools_only
        for field in entity.fields
        for lang, word in field.label.items()
    }
    return tuple(
        one.model_copy(update={"fields": tuple(_called(field, one, named) for field in one.fields)}) for one in entities
    )


def _called(field: EntityField, entity: Entity, named: Mapping[tuple[str, str], str]) -> EntityField:
    """A field with the synonyms that are its own.

    The last word of its name is: products have a `list_price` and customers a `home_city`, also where lines of orders have
    a `price` and a `city`; whose is meant, the question says. So is any word of a date: tickets have an `opened_at`, also
    where stores have an `opened`.
    """

    def is_elsewhere(lang: str, word: str) -> bool:
        return named.get((lang, word.casefold()), entity.name) != entity.name

    def is_own(word: str) -> bool:
        if field.role is FieldRole.DATE:
            return word.casefold() in split(field.name)
        return field.role in _HEADED and folded_text(field.name).endswith(folded_text(word))

    synonyms = {
        lang: tuple(word for word in words if is_own(word) or not is_elsewhere(lang, word))
        for lang, words in field.synonyms.items()
    }
    *first, head = without_unit(split(field.name)) or ("",)
    others = [one for one in entity.fields if one.name != field.name]
    alone = not any(head in split(one.name) or head in one.label.values() for one in others)
    if first and alone and field.role in _HEADED and is_elsewhere("en", head):
        synonyms["en"] = tuple(dict.fromkeys((*synonyms.get("en", ()), head)))
    return field.model_copy(update={"synonyms": {lang: words for lang, words in synonyms.items() if words}})


def _in_all_languages(label: Mapping[str, str], synonyms: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A label, and in other languages the first word for the same: electricity consumption of Stromverbrauch."""
    return {**{lang: words[0] for lang, words in synonyms.items() if words}, **label}


def _is_year_of_floats(column: ColumnDraft) -> bool:
    """Whether years are stored as 2003.0."""
    return column.verdict.kind is ColumnClass.YEAR and column.profile.type in (ColumnType.FLOAT, ColumnType.DECIMAL)


def _came_in_year(table: TableDraft) -> DateParts | None:
    """The one year of rows that have no date, and its month: when they came about."""
    years, months = table.of_kind(ColumnClass.YEAR), table.of_kind(ColumnClass.MONTH)
    alone = len(years) == 1 and len(months) < 2 and not table.of_kind(ColumnClass.DATE) and table.date is None
    return DateParts(year=years[0], month=next(iter(months), None)) if alone else None


def _select(table: TableDraft, columns: Sequence[str], *, distinct: bool = False) -> str:
    """A SELECT of columns, with texts read as the numbers or days that they are."""
    home = _home(table)
    shown = [_shown(table.column(name)) for name in columns]
    if table.span is not None and not distinct:
        shown.append(_lasting(table.span))
    return f"SELECT {'DISTINCT ' if distinct else ''}{', '.join(shown)} FROM {home}"


def _home(table: TableDraft) -> str:
    """A table as SQL takes it."""
    if table.profile.select:
        return f"({table.profile.select}) AS rows_of"
    return ".".join(_spelt(part) for part in table.name.split("."))


def _shown(column: ColumnDraft, name: str = "") -> str:
    own, writing = _spelt(column.profile.name), column.profile.writing
    if _is_year_of_floats(column):
        return f"CAST({own} AS BIGINT) AS {name or own}"
    if column.verdict.hundredths:
        return f"CAST({own} AS DECIMAL(22, 2)) * 0.01 AS {name or own}"
    if writing is None or not column.is_rewritten:
        return f"{own} AS {name}" if name else own
    text = column.profile.type is ColumnType.TEXT
    return f"{read_as(own, writing, column.profile.scale or 0, text=text)} AS {name or own}"


def _lasting(span: FoundSpan) -> str:
    """How long a row lasts, in DuckDB's SQL."""
    start, end = _spelt(span.start), _spelt(span.end)
    if span.unit == "d":
        return f"DATE_DIFF('day', {start}, {end}) AS {span.name}"
    return f"DATE_DIFF('second', {start}, {end}) / 60.0 AS {span.name}"


def _spelt_product(expression: str) -> str:
    """A product of columns as SQL takes it, with what a discount leaves of it."""
    parts = expression.split(" * ")
    return " * ".join(
        _DISCOUNT.sub(lambda part: _spelt(part[0]), one) if one[:1] == "(" else _spelt(one) for one in parts
    )


def _spelt(name: str) -> str:
    """A name as SQL takes it."""
    return name if _PLAIN.fullmatch(name) else identifier(name)


def _only_currency(table: TableDraft, amount: str) -> str | None:
    """The currency of an amount that a column beside it says, where that is the same in all rows."""
    beside = table.column(amount).verdict.unit_field
    profile = table.profile.column(beside) if beside and beside in table.profile.names else None
    same = profile is not None and profile.filled == table.profile.rows and len(profile.values) == 1
    return profile.values[0] if profile is not None and same else None


def _is_swiss(found: Found) -> bool:
    """Whether amounts are in francs, so that German answers are written as in Switzerland: 12'500."""
    return any(
        "CHF" in (column.verdict.unit, _only_currency(table, column.profile.name))
        for table in found.tables
        for column in table.columns
    )
