"""An Ossie model -> an ontology, and a report of every part of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from veracity.errors import VeracityError
from veracity.language.nearest import did_you_mean
from veracity.ontology.exchange.building import EntityColumns, MeasureSet, MetricDraft, texts
from veracity.ontology.exchange.extension import VENDOR
from veracity.ontology.exchange.formulas import FormulaReader, OverNothing, ResolvedField, Unsayable, parsed_sql
from veracity.ontology.exchange.ossie_models import (
    DEFAULT_DIALECT,
    OssieDataset,
    OssieExpression,
    OssieField,
    OssieMetric,
    OssieModel,
    OssieNamed,
    OssiePart,
)
from veracity.ontology.exchange.ossie_names import check_names
from veracity.ontology.exchange.ossie_restore import OssieParts, OwnExtensions, restored_ontology
from veracity.ontology.exchange.report import ImportFindings, Place

if TYPE_CHECKING:
    from sqlglot import exp

DIALECTS: Mapping[str, str | None] = {
    DEFAULT_DIALECT: "", "OSSIE_SQL_2026": "", "SNOWFLAKE": "snowflake", "DATABRICKS": "databricks",
    "BIGQUERY": "bigquery", "MDX": None, "TABLEAU": None, "MAQL": None, "SIGMA": None, "THOUGHTSPOT": None, "DAX": None,
}  # fmt: skip
"""Ossie's dialects, the ones to prefer first; None for those that are no SQL."""
_MOMENTS = ("Date", "DateTime", "DateTimeTz")
_QUERY = re.compile(r"\s*[(\s]*(select|with)\b", re.IGNORECASE)
_PATH = re.compile(r'"((?:[^"]|"")*)"|`([^`]*)`|\[([^\]]*)\]|([^."`\[]+)')


class OssieReader:
    """Reads one model of a file. `raw` is the same model as plain data, `place` where it stands."""

    def __init__(
        self,
        model: OssieModel,
        raw: Mapping[str, Any],
        *,
        place: Place,
        findings: ImportFindings,
        lang: str,
        allow_cycles: bool,
    ) -> None:
        self._model, self._place, self._findings = model, place, findings
        self._extensions = OwnExtensions(model, raw)
        self._own = self._extensions.model
        self._lang = self._own.lang if self._own and self._own.lang else lang
        self._allow_cycles = allow_cycles or self._own is not None
        self._columns: dict[str, EntityColumns] = {}
        self._by_name = {dataset.name.casefold(): dataset for dataset in model.datasets}
        self._labels = {one.name: Counter(field.label for field in one.fields) for one in model.datasets}
        self._said_of: dict[tuple[str, str], dict[str, Any]] = {}
        """Dataset and column -> what is said of it."""
        self._undeclared: list[str] = []
        self._paths = {one.name: _path(one.source) for one in model.datasets}
        self._keyed: dict[str, Counter[str]] = {}
        """Dataset -> the columns that its keys to other datasets are made of."""
        self._led_to: dict[str, set[str]] = {}
        """Dataset -> the columns that the keys of others lead to."""
        for one in model.relationships:
            self._keyed.setdefault(one.from_.casefold(), Counter()).update(map(str.casefold, one.from_columns))
            self._led_to.setdefault(one.to.casefold(), set()).update(map(str.casefold, one.to_columns))
        self.parts = OssieParts()

    def read(self) -> dict[str, Any]:
        """The ontology as data; raises the document's error for what cannot be."""
        check_names(self._model, self._place, self._findings.document, allow_cycles=self._allow_cycles)
        self.parts.top = {"featureCode": self._model.name, **texts(self._lang, description=self._model.description)}
        self._context(self._model, "model", self._place)
        for number, dataset in enumerate(self._model.datasets):
            self._dataset(dataset, (*self._place, "datasets", number))
        self._relations()
        self._metrics()
        for dataset in self._model.datasets:
            self.parts.entities[dataset.name] |= self._columns[dataset.name].home()
        return restored_ontology(self._model, self.parts, self._extensions)

    def _wrong(self, place: Place, message: str) -> VeracityError:
        return self._findings.document.wrong(place, message, "")

    # --- datasets

    def _dataset(self, dataset: OssieDataset, place: Place) -> None:
        columns = self._columns[dataset.name] = self._source(dataset, place)
        keyed = self._key_columns(dataset)
        dates = []
        for number, one in enumerate(dataset.fields):
            self._column(one, dataset, columns, keyed, (*place, "fields", number))
        wrong = columns.settle()
        for number, one in enumerate(dataset.fields):
            name = columns.find(one.name)
            if one.name in wrong:
                self._findings.leave("field", f"{dataset.name}.{one.name}", (*place, "fields", number), wrong[one.name])
            elif name is not None:
                self._field(one, name, dataset, (*place, "fields", number))
                dates += [name] if one.datatype in _MOMENTS and _is_time(one) else []
        keys = [[columns.key(name) for name in key] for key in (dataset.primary_key, *dataset.unique_keys) if key]
        grain = keys[0] if keys else []
        for number, key in enumerate(dataset.unique_keys):
            if [columns.key(name) for name in key] != grain:
                name = f"{dataset.name} ({', '.join(key)})"
                self._findings.leave("unique key", name, (*place, "unique_keys", number), "an entity has one key")
        self.parts.entities[dataset.name] = {
            "name": dataset.name,
            **texts(self._lang, description=dataset.description),
            **self._synonyms(dataset, "dataset", place),
            "grain": grain,
            "defaultDate": dates[0] if len(dates) == 1 else None,
        }
        self._findings.took("dataset", dataset.name, place, f"the entity {dataset.name}")

    def _source(self, dataset: OssieDataset, place: Place) -> EntityColumns:
        if _QUERY.match(dataset.source):
            from sqlglot import exp

            try:
                if not isinstance(parsed_sql(dataset.source, "duckdb"), exp.Query):
                    raise Unsayable("it is not one SELECT")
            except Unsayable as error:
                raise self._wrong((*place, "source"), f"the source of {dataset.name} is no table and {error}") from None
            return EntityColumns("", dataset.source)
        path = self._paths[dataset.name]
        alike = len({one for one in self._paths.values() if one[-1:] == path[-1:]}) > 1
        shown = path[-2:] if alike else path[-1:]
        if not shown:
            raise self._wrong((*place, "source"), f"the source of {dataset.name} names no table")
        if len(shown) < len(path):
            why = "the database is what --source names; of tables, their own name is kept"
            self._findings.leave("source", dataset.source, (*place, "source"), why)
        return EntityColumns(".".join(shown))

    def _key_columns(self, dataset: OssieDataset) -> set[str]:
        """The columns that keys are made of: they keep their names, so that a key is not called like what it leads to."""
        name = dataset.name.casefold()
        keys = [column.casefold() for key in (dataset.primary_key, *dataset.unique_keys) for column in key]
        return {*keys, *self._keyed.get(name, ()), *self._led_to.get(name, ())}

    def _column(
        self, one: OssieField, dataset: OssieDataset, columns: EntityColumns, keyed: set[str], place: Place
    ) -> None:
        """Add the column of a field, where the field can be said."""
        from sqlglot import exp

        try:
            tree = _row_value(self._tree(one.expression, (*place, "expression")), dataset.name)
            if isinstance(tree, exp.Column) and tree.name.casefold() in keyed - {one.name.casefold()}:
                columns.call(one.name, tree.name)
            else:
                columns.add(one.name, tree)
        except Unsayable as error:
            self._findings.leave("field", f"{dataset.name}.{one.name}", place, str(error))

    def _field(self, one: OssieField, own: str, dataset: OssieDataset, place: Place) -> None:
        name = f"{dataset.name}.{own}"
        if (dataset.name, own) in self._said_of:
            self._findings.leave("field", f"{dataset.name}.{one.name}", place, f"it is the same column as {name}")
            return
        said: dict[str, Any] = {"name": own}
        self._said_of[dataset.name, own] = said
        if one.label and self._labels[dataset.name][one.label] > 1:
            why = "several fields share it, so it is a category and no name"
            self._findings.leave("label", f"{one.label} of {name}", (*place, "label"), why)
        else:
            said |= texts(self._lang, label=one.label)
        said |= {**texts(self._lang, description=one.description), **self._synonyms(one, "field", place, name)}
        if one.datatype in _MOMENTS and _is_time(one):
            said["semanticType"] = "DATE"
        elif one.datatype in ("Integer", "String") and _is_time(one):
            said["semanticType"] = "PERIOD"
        elif one.datatype is not None:
            why = "the types of the source count"
            self._findings.leave("datatype", f"{one.datatype} of {name}", (*place, "datatype"), why)
        elif (
            one.dimension is not None
            and one.dimension.is_time
            and not self._extensions.of_field(dataset.name, one.name)
        ):
            why = "without a datatype it may be a date or a part of one; the source tells"
            self._findings.leave("is_time", f"of {name}", (*place, "dimension"), why)
        self.parts.fields[dataset.name, one.name] = said
        self._findings.took("field", f"{dataset.name}.{one.name}", place, f"the field {name}")

    def _tree(self, expression: OssieExpression, place: Place) -> exp.Expr:
        sql, dialect = self._chosen(expression, place)
        return parsed_sql(sql, dialect)

    def _chosen(self, expression: OssieExpression, place: Place) -> tuple[str, str]:
        """The expression in the dialect that is read best."""
        found: dict[str, str] = {}
        for number, one in enumerate(expression.dialects):
            name = one.dialect.upper()
            if name not in DIALECTS:
                known = ", ".join(DIALECTS)
                message = f"the dialect {one.dialect} is not known; it is one of {known}"
                raise self._wrong((*place, "dialects", number, "dialect"), message)
            found.setdefault(name, one.expression)
        for name, read in DIALECTS.items():
            if name in found and read is not None:
                return found[name], read
        raise Unsayable(f"it is written in {' and '.join(found)}, which is no SQL")

    # --- words

    def _synonyms(self, part: OssieNamed, kind: str, place: Place, name: str | None = None) -> dict[str, Any]:
        self._context(part, kind, place, name)
        context = part.ai_context
        said = tuple(context.synonyms) if context is not None and not isinstance(context, str) else ()
        words = list(dict.fromkeys(word.strip() for word in said if word.strip()))
        return {"synonyms": {self._lang: words}} if words else {}

    def _context(self, part: OssieNamed, kind: str, place: Place, name: str | None = None) -> None:
        """Everything beside the words: it is told, since no ontology has a place for it."""
        name, context = name or part.name, part.ai_context
        if isinstance(context, str):
            why = "it does not say whether it holds instructions or other names"
            self._findings.leave("ai_context", f"of {kind} {name}", (*place, "ai_context"), why)
        elif context is not None:
            reasons = {
                "instructions": "answers are composed from the words of the ontology, not from instructions",
                "examples": "a question of an ontology surely has an answer; try them, then add them under questions",
            }
            for key, why in reasons.items():
                if getattr(context, key) and not (self._own and not self._own.changed and kind == "model"):
                    self._findings.leave(key, f"of {kind} {name}", (*place, "ai_context", key), why)
            self._unknown(context, f"ai_context of {name}", (*place, "ai_context"))
        for number, extension in enumerate(part.custom_extensions):
            if extension.vendor_name != VENDOR:
                why = f"only {extension.vendor_name} knows what it means"
                self._findings.leave("extension", f"of {kind} {name}", (*place, "custom_extensions", number), why)
        self._unknown(part, f"{kind} {name}", place)

    def _unknown(self, part: OssiePart, name: str, place: Place) -> None:
        for key in part.model_extra or {}:
            self._findings.leave("key", f"{key} of {name}", (*place, key), "Ossie's core model does not have it")

    # --- relationships

    def _relations(self) -> None:
        pairs = [(one.from_.casefold(), one.to.casefold()) for one in self._model.relationships]
        for number, one in enumerate(self._model.relationships):
            place = (*self._place, "relationships", number)
            start, end = self._by_name[one.from_.casefold()], self._by_name[one.to.casefold()]
            own = [self._columns[start.name].key(name) for name in one.from_columns]
            other = [self._columns[end.name].key(name) for name in one.to_columns]
            keyed = len(own) == 1 and other == self.parts.entities[end.name]["grain"]
            self.parts.relations[one.name] = {
                **({"name": one.name} if pairs.count(pairs[number]) > 1 or start.name == end.name else {}),
                "fromEntity": start.name,
                "toEntity": end.name,
                "cardinality": "MANY_TO_ONE",
                **({"via": own[0]} if keyed else {"keys": dict(zip(own, other, strict=True))}),
                **self._synonyms(one, "relationship", place),
            }
            if len(own) == 1 and self._keyed[start.name.casefold()][one.from_columns[0].casefold()] == 1:
                self._move_words(start, own[0], self.parts.relations[one.name])
            if one.description:
                why = "a relation has words, but no description"
                self._findings.leave("description", f"of relationship {one.name}", (*place, "description"), why)
            self._findings.took("relationship", one.name, place, f"the relation {start.name} -> {end.name}")

        self._dates_of_calendars()

    def _dates_of_calendars(self) -> None:
        """A dataset without a date of its own has that of its calendar, where one relationship leads to one."""
        calendars = {name: one["defaultDate"] for name, one in self.parts.entities.items() if self._is_calendar(name)}
        dated: dict[str, list[str]] = {}
        for relation in self.parts.relations.values():
            if relation["toEntity"] in calendars:
                dated.setdefault(relation["fromEntity"], []).append(relation["toEntity"])
        for name, ends in dated.items():
            if not self.parts.entities[name]["defaultDate"] and len(ends) == 1:
                self.parts.entities[name]["defaultDate"] = f"{ends[0]}.{calendars[ends[0]]}"

    def _is_calendar(self, name: str) -> bool:
        """Whether all that a dataset says, besides its key, is time."""
        entity, dataset = self.parts.entities[name], self._by_name[name.casefold()]
        times = [_is_time(one) for one in dataset.fields if self._columns[name].find(one.name) not in entity["grain"]]
        return bool(entity["defaultDate"]) and all(times)

    def _move_words(self, dataset: OssieDataset, column: str, relation: dict[str, Any]) -> None:
        """What people call a key is what they call the row that it leads to."""
        said = self._said_of.get((dataset.name, column), {})
        if self.parts.entities[dataset.name]["grain"] != [column] and "synonyms" in said:
            words = [*relation.get("synonyms", {}).get(self._lang, ()), *said.pop("synonyms")[self._lang]]
            relation["synonyms"] = {self._lang: list(dict.fromkeys(words))}

    # --- metrics

    def _metrics(self) -> None:
        metrics = {one.name.casefold(): one.name for one in self._model.metrics}
        found, notes = MeasureSet(), dict[str, str]()
        places = {one.name: (*self._place, "metrics", number) for number, one in enumerate(self._model.metrics)}
        for one in self._model.metrics:
            said = {**texts(self._lang, description=one.description), **self._synonyms(one, "metric", places[one.name])}
            if one.datatype is not None:
                where = (*places[one.name], "datatype")
                self._findings.leave(
                    "datatype", f"{one.datatype} of {one.name}", where, "the types of the source count"
                )
            self._undeclared.clear()
            try:
                found.add(self._metric(one, said, metrics, places[one.name]))
                if self._undeclared:
                    notes[one.name] = f"{self._undeclared[0]} is no field of the file, so it is taken for a column"
            except Unsayable as error:
                self._not_said(one, places[one.name], str(error))
        for name in found.drafts:
            try:
                found.plain(name)
            except OverNothing as error:
                raise self._wrong(places[name], f"the metric {name} is over nothing: {error}") from None
        for name, home, measure in found.measures():
            if isinstance(measure, Unsayable):
                self._not_said(next(one for one in self._model.metrics if one.name == name), places[name], str(measure))
                continue
            self.parts.measures[name] = (home, measure)
            if name in places:
                self._findings.took(
                    "metric", name, places[name], f"the measure {name} of {home}", notes.get(name) or found.note(name)
                )

    def _metric(self, one: OssieMetric, said: dict[str, Any], metrics: Mapping[str, str], place: Place) -> MetricDraft:
        sql, dialect = self._chosen(one.expression, (*place, "expression"))
        others = {key: name for key, name in metrics.items() if name != one.name}
        only = self._model.datasets[0].name if len(self._model.datasets) == 1 else None
        reader = FormulaReader(self._found, metrics=others, home=only, dialect=dialect)
        try:
            return MetricDraft(one.name, reader.formula(sql), said)
        except OverNothing as error:
            raise self._wrong((*place, "expression"), f"the metric {one.name} is over nothing: {error}") from None

    def _not_said(self, one: OssieMetric, place: Place, why: str) -> None:
        own = self._extensions.of("metrics", one.name)
        if own is None or own.changed:
            self._findings.leave("metric", one.name, place, why)

    def _found(self, table: str | None, name: str) -> ResolvedField:
        """The field that a metric names."""
        if table is not None:
            dataset = self._by_name.get(table.casefold())
            if dataset is None:
                near = did_you_mean(table, [one.name for one in self._model.datasets])
                raise OverNothing(f"there is no dataset {table}{near}")
        else:
            homes = [one for one in self._model.datasets if self._columns[one.name].find(name) is not None]
            if not homes:
                raise OverNothing(f"no dataset has the field {name}")
            if len(homes) > 1:
                raise Unsayable(f"several datasets have the field {name}; write it with its dataset")
            dataset = homes[0]
        if any(one.name.casefold() == name.casefold() for one in dataset.fields):
            own = self._columns[dataset.name].find(name)
            if own is None:
                raise Unsayable(f"the field {name} did not come over")
        else:
            self._undeclared.append(f"{dataset.name}.{name}")
        field_name = self._columns[dataset.name].column(name)
        declared = next((one for one in dataset.fields if one.name.casefold() == name.casefold()), None)
        return ResolvedField(dataset.name, field_name, declared is not None and declared.datatype == "Date")


def _is_time(one: OssieField) -> bool:
    said = one.dimension.is_time if one.dimension else None
    return said if said is not None else one.datatype in (*_MOMENTS, "Time")


def _path(source: str) -> tuple[str, ...]:
    """The parts of a table's name: database, schema, table."""
    return tuple(
        next(part for part in parts if part).strip() for parts in _PATH.findall(source) if any(map(str.strip, parts))
    )


def _row_value(tree: exp.Expr, dataset: str) -> exp.Expr:
    """A field's expression over columns of its own row; raises `Unsayable` for anything else."""
    from sqlglot import exp

    if tree.find(exp.AggFunc, exp.Query, exp.Window):
        raise Unsayable("a field is computed from its own row, without aggregates and queries")
    for column in tree.find_all(exp.Column):
        table = column.args.get("table")
        if table is not None and table.name.casefold() != dataset.casefold():
            raise Unsayable(f"it names {table.name}.{column.name}; a field is computed from its own row")
        column.set("table", None)
    return tree
