"""The parts of an ontology while a model of others is read: entities with their columns, and measures with their ratios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from veracity.ontology.exchange.formulas import (
    AggregateFormula,
    Formula,
    MetricName,
    OverNothing,
    RatioFormula,
    Unsayable,
    quoted_name,
)

if TYPE_CHECKING:
    from sqlglot import exp


_DEEPEST = 20


@dataclass(slots=True)
class EntityColumns:
    """Where the rows of an entity come from: a table as it is, or a SELECT where fields are computed or renamed."""

    table: str
    query: str | None = None
    """The source, where it is a query and no table."""
    _names: dict[str, str] = field(default_factory=dict)
    _sql: dict[str, exp.Expr | None] = field(default_factory=dict)

    def add(self, name: str, tree: exp.Expr | None = None) -> None:
        """A field; without a tree it is the column of that name."""
        from sqlglot import exp

        plain = isinstance(tree, exp.Column) and tree.name.casefold() == name.casefold()
        self._names.setdefault(name.casefold(), name)
        self._sql[name] = None if tree is None or (plain and tree.name == name) else tree

    def call(self, name: str, column: str) -> None:
        """Another name for a column, which keeps its own."""
        if self.find(column) is None:
            self.add(column)
        self._names[name.casefold()] = self.find(column) or column

    def find(self, name: str) -> str | None:
        """The field of that name, or the one that is that column."""
        from sqlglot import exp

        known = self._names.get(name.casefold())
        if known is not None:
            return known
        plain = ((own, tree) for own, tree in self._sql.items() if isinstance(tree, exp.Column))
        return next((own for own, tree in plain if tree.name.casefold() == name.casefold()), None)

    def column(self, name: str) -> str:
        """The field for a column; one that nobody declared is added as it is."""
        found = self.find(name)
        if found is None:
            self.add(name)
            found = name
        return found

    def key(self, name: str) -> str:
        """The field for a column of a key; where a field of that name is computed from it, the column itself counts."""
        tree = self._sql.get(self.find(name) or "")
        return self.stored(name) if tree is not None and _names(tree, name) else self.column(name)

    def stored(self, name: str) -> str:
        """The field that is a column of the table as it is stored, whatever fields are called like it."""
        from sqlglot import exp

        for own, tree in self._sql.items():
            column = own if tree is None else tree.name if isinstance(tree, exp.Column) else ""
            if column.casefold() == name.casefold():
                return own
        own = name
        while own.casefold() in self._names:
            own = f"{own}_stored"
        self.add(own, exp.column(name) if own != name else None)
        return own

    def settle(self) -> dict[str, str]:
        """Put computed fields into those that name them; fields that cannot be told, and why, are taken out."""
        from sqlglot import exp

        found: dict[str, exp.Expr] = {}
        wrong: dict[str, str] = {}
        for name, tree in self._sql.items():
            try:
                if tree is not None:
                    inlined = self._inlined(tree.copy(), name, 0)
                    found[name] = inlined.unnest() if isinstance(tree, exp.Column) else inlined
            except Unsayable as error:
                wrong[name] = str(error)
        self._sql |= found
        for name in wrong:
            del self._sql[name]
            self._names = {key: own for key, own in self._names.items() if own != name}
        return wrong

    def _inlined(self, tree: exp.Expr, own: str, depth: int) -> exp.Expr:
        """A tree in which every field that is named stands for what it is computed from."""
        from sqlglot import exp

        if depth > _DEEPEST:
            raise Unsayable("its expression goes round in a circle")

        def put(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column) or node.name.casefold() == own.casefold():
                return node
            name = self._names.get(node.name.casefold())
            other = self._sql.get(name) if name is not None else None
            if name is None or other is None:
                return node
            if _names(other, name):
                raise Unsayable(f"it names {node.name}, which is a column, and a field that is computed from it")
            return exp.Paren(this=self._inlined(other.copy(), name, depth + 1))

        return tree.transform(put)

    def home(self) -> dict[str, str]:
        """The table or view of the entity."""
        from sqlglot import exp

        if not any(self._sql.values()):
            return {"table": self.table} if self.query is None else {"view": self.query}
        columns = ", ".join(
            (tree.sql("duckdb") if tree is not None else quoted_name(name))
            + ("" if tree is None else f" AS {exp.to_identifier(name, quoted=True).sql('duckdb')}")
            for name, tree in self._sql.items()
        )
        rows = f"({self.query}) AS source" if self.query else ".".join(map(quoted_name, self.table.split(".")))
        return {"view": f"SELECT {columns} FROM {rows}"}


def _names(tree: exp.Expr, name: str) -> bool:
    """Whether an expression names a column."""
    from sqlglot import exp

    return any(column.name.casefold() == name.casefold() for column in tree.find_all(exp.Column))


@dataclass(slots=True)
class MetricDraft:
    """A metric that was read: what it is computed by, and the words about it."""

    name: str
    formula: Formula
    said: dict[str, Any]


@dataclass(slots=True)
class MeasureSet:
    """The measures of a model; ratios name their two parts, which are made where no metric says the same."""

    drafts: dict[str, MetricDraft] = field(default_factory=dict)

    def add(self, draft: MetricDraft) -> None:
        """One more metric."""
        self.drafts[draft.name] = draft

    def measures(self) -> Iterator[tuple[str, str, dict[str, Any] | Unsayable]]:
        """Metric, entity and measure; what cannot be said is why. Parts of ratios come before their ratio."""
        plain = {name: self.plain(name) for name in self.drafts}
        named: dict[AggregateFormula, str] = {}
        for name, formula in plain.items():
            if formula is not None:
                named.setdefault(formula, name)
        for name, draft in self.drafts.items():
            formula = plain[name]
            if formula is not None:
                yield name, formula.home, {"name": name, **draft.said, **measure_of(formula)}
                continue
            ratio = self._ratio(name)
            if ratio is None:
                yield name, "", Unsayable("it is built on metrics that are ratios themselves or did not come over")
                continue
            parts = []
            for end, part in zip(("numerator", "denominator"), ratio, strict=True):
                if part not in named:
                    named[part] = self._free(f"{name}_{end}")
                    yield named[part], part.home, {"name": named[part], **measure_of(part)}
                parts.append(named[part])
            yield name, ratio[0].home, {"name": name, **draft.said, "ratio": parts}

    def note(self, name: str) -> str | None:
        """What to know of a ratio whose parts are about two entities."""
        ratio = self._ratio(name) if self.plain(name) is None else None
        if ratio is None or ratio[0].home == ratio[1].home:
            return None
        first, second = (part.home for part in ratio)
        return f"each part is computed over all rows of its own dataset, {first} and {second}, not over their join"

    def _free(self, name: str) -> str:
        return name if name not in self.drafts else self._free(f"{name}_")

    def plain(self, name: str, trail: tuple[str, ...] = ()) -> AggregateFormula | None:
        """The aggregate that a metric is, by itself or by the metric that it names; raises `OverNothing` where they go round."""
        if name in trail:
            raise OverNothing(f"it goes round in a circle ({' -> '.join((*trail, name))})")
        draft = self.drafts.get(name)
        match draft.formula if draft else None:
            case AggregateFormula() as found:
                return found
            case MetricName() as other:
                return self.plain(other.name, (*trail, name))
            case RatioFormula() as ratio:
                for part in (ratio.first, ratio.second):
                    if isinstance(part, MetricName):
                        self.plain(part.name, (*trail, name))
        return None

    def _ratio(self, name: str) -> tuple[AggregateFormula, AggregateFormula] | None:
        draft = self.drafts.get(name)
        match draft.formula if draft else None:
            case MetricName() as other:
                return self._ratio(other.name)
            case RatioFormula() as ratio:
                parts = [one if isinstance(one, AggregateFormula) else self.plain(one.name) for one in (ratio.first, ratio.second)]  # fmt: skip
                first, second = parts
                return (first, second) if first is not None and second is not None else None
        return None


def measure_of(formula: AggregateFormula) -> dict[str, Any]:
    """An aggregate in the keys of a measure."""
    said = {"aggregate": formula.aggregate.value, "expression": formula.expression, "where": formula.where}
    return {key: value for key, value in said.items() if value is not None}


def texts(lang: str, **said: str | None) -> dict[str, Any]:
    """Texts under their language; empty ones are left out."""
    return {key: {lang: value} for key, value in said.items() if value and value.strip()}


def assembled(
    top: Mapping[str, Any], entities: Mapping[str, dict[str, Any]], relations: list[dict[str, Any]]
) -> dict[str, Any]:
    """The ontology as data, without empty lists."""
    parts = [
        {key: value for key, value in entity.items() if value not in ([], {}, None)} for entity in entities.values()
    ]
    return {**top, "entities": parts, **({"relations": relations} if relations else {})}
