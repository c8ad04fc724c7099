"""Random small databases with their ontologies."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from veracity.ontology.descriptor import OntologyDescriptor
from veracity.sources.source import Scope

LABELS = ("a", "b", "c", "ab")
FIRST_DAY = date(2023, 11, 20)


@dataclass
class World:
    """A schema with its rows."""

    tables: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Table -> its columns and their types."""
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    entities: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    constraints: list[dict[str, Any]] = field(default_factory=list)
    scope: Scope = field(default_factory=Scope)
    foreign: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Rows of another tenant, which no answer may show."""

    def ontology(self) -> OntologyDescriptor:
        parts = {"entities": self.entities, "relations": self.relations, "constraints": self.constraints}
        return OntologyDescriptor.model_validate({"featureCode": "world", **parts})

    def entity(self, name: str) -> dict[str, Any]:
        """What is declared of an entity."""
        return next(one for one in self.entities if one["name"] == name)


# --- a world


def make_world(rnd: random.Random) -> World:
    """A world with all that an ontology can say."""
    world = plain_world(rnd)
    _turn_relations(world, rnd)
    for name in [name for name in world.tables if name != "L"]:
        _store_dates(world, rnd, name)
        if rnd.random() < 0.3:
            _date_parts(world, rnd, name)
        if rnd.random() < 0.4:
            _snapshots(world, rnd, name)
        if rnd.random() < 0.3:
            _currencies(world, rnd, name)
        _more_measures(world, rnd, name)
    if rnd.random() < 0.3:
        _view(world, rnd)
    if rnd.random() < 0.3:
        _tenants(world, rnd)
    return world


def plain_world(rnd: random.Random) -> World:
    """Tables with keys, numbers, labels and days, and relations between them."""
    world = World()
    keys: dict[str, list[str]] = {}
    for number in range(rnd.randint(2, 4)):
        _add_entity(world, rnd, f"E{number}", keys)
    names = list(keys)
    if len(names) < 5 and rnd.random() < 0.5:
        _add_link(world, rnd, rnd.choice(names), rnd.choice(names), keys)
    return world


def _add_entity(world: World, rnd: random.Random, name: str, keys: dict[str, list[str]]) -> None:
    composite = rnd.random() < 0.2
    key = ["ka", "kb"] if composite else ["id"]
    columns = [(one, "INTEGER") for one in key]
    columns += [("num", "INTEGER"), ("amount", "DECIMAL(10,2)"), ("label", "VARCHAR(10)"), ("day", "DATE")]
    targets = []
    for number in range(rnd.choice((0, 1, 1, 2)) if keys else 0):
        target = rnd.choice(list(keys))
        targets.append((f"r{number}", target, keys[target]))
    if rnd.random() < 0.25:
        targets.append(("self", name, key))
    for role, _, other in targets:
        columns += [(f"{role}_{one}", "INTEGER") for one in other]
    rows = [dict.fromkeys((column for column, _ in columns)) for _ in range(rnd.choice((0, 1, 3, 4, 5, 6, 7)))]
    for number, row in enumerate(rows):
        row.update({"ka": number // 3, "kb": number % 3} if composite else {"id": number + 1})
        row.update(_values(rnd))
    keys[name] = key
    world.tables[name], world.rows[name] = columns, rows
    for role, target, other in targets:
        for row in rows:
            _point(rnd, row, role, other, world.rows[target])
    world.entities.append(_declared(rnd, name, key))
    for role, target, other in targets:
        # Two relations of one name would make a way that cannot be spelt.
        world.relations.append(
            {
                "name": f"{name}_{role}",
                "fromEntity": name,
                "toEntity": target,
                "cardinality": "MANY_TO_ONE",
                "keys": {f"{role}_{one}": one for one in other},
            }
        )


def _values(rnd: random.Random) -> dict[str, Any]:
    def some(value: Any) -> Any:
        return None if rnd.random() < 0.2 else value

    return {
        "num": some(rnd.randint(-2, 4)),
        "amount": some(Decimal(rnd.choice((-10, 0, 10, 20, 30, 110, 1999))) / 100),
        "label": some(rnd.choice(LABELS)),
        "day": some(FIRST_DAY + timedelta(days=rnd.choice((0, 1, 10, 41, 42, 100, 400)))),
    }


def _point(rnd: random.Random, row: dict[str, Any], role: str, key: list[str], targets: list[dict[str, Any]]) -> None:
    if targets and rnd.random() < 0.8:
        target = rnd.choice(targets)
        row.update({f"{role}_{one}": target[one] for one in key})
    elif rnd.random() < 0.3:
        row.update({f"{role}_{one}": 99 for one in key})


def _declared(rnd: random.Random, name: str, key: list[str]) -> dict[str, Any]:
    entity: dict[str, Any] = {
        "name": name,
        "table": name,
        "grain": key,
        "fields": [
            {"name": "num", "additivity": "ADDITIVE"},
            {"name": "amount", "additivity": "ADDITIVE"},
            {"name": "label", "semanticType": "NAME"},
        ],
        "measures": [
            {"name": f"{name}_total", "aggregate": "SUM", "expression": rnd.choice(("amount", "num", "amount * num"))},
            {"name": f"{name}_some", "aggregate": "COUNT", "where": rnd.choice(("num > 1", "label = 'a' OR num < 0"))},
            {"name": f"{name}_mean", "aggregate": "AVG", "expression": rnd.choice(("amount - num", "num"))},
            {"name": f"{name}_ratio", "ratio": [f"{name}_total", f"{name}_some"]},
        ],
        "segments": [{"name": f"{name}_good", "where": rnd.choice(("label IN ('a', 'b')", "NOT num = 1"))}],
    }
    if rnd.random() < 0.7:
        entity["defaultDate"] = "day"
    return entity


def _add_link(world: World, rnd: random.Random, one: str, other: str, keys: dict[str, list[str]]) -> None:
    columns = [(f"x_{key}", "INTEGER") for key in keys[one]] + [(f"y_{key}", "INTEGER") for key in keys[other]]
    rows = [dict.fromkeys((column for column, _ in columns)) for _ in range(rnd.randint(0, 8))]
    for row in rows:
        _point(rnd, row, "x", keys[one], world.rows[one])
        _point(rnd, row, "y", keys[other], world.rows[other])
    world.tables["L"], world.rows["L"] = columns, rows
    world.entities.append({"name": "L", "table": "L"})
    world.relations.append(
        {
            "name": "link",
            "fromEntity": one,
            "toEntity": other,
            "cardinality": "MANY_TO_MANY",
            "through": {
                "entity": "L",
                "fromKeys": {f"x_{key}": key for key in keys[one]},
                "toKeys": {f"y_{key}": key for key in keys[other]},
            },
        }
    )


# --- what more an ontology can say


def _turn_relations(world: World, rnd: random.Random) -> None:
    """Some relations are declared from their other side, by their field alone, or without a name."""
    pairs = [frozenset((one["fromEntity"], one["toEntity"])) for one in world.relations]
    for relation, pair in zip(world.relations, pairs, strict=True):
        roll = rnd.random()
        if "keys" not in relation:
            relation["symmetric"] = len(pair) == 1
            continue
        if roll < 0.2:
            relation["fromEntity"], relation["toEntity"] = relation["toEntity"], relation["fromEntity"]
            relation["keys"] = {other: own for own, other in relation["keys"].items()}
            relation["cardinality"] = "ONE_TO_MANY"
        elif roll < 0.5 and list(relation["keys"].values()) == ["id"]:
            relation["via"] = next(iter(relation.pop("keys")))
        elif roll < 0.7 and len(pair) == 2 and pairs.count(pair) == 1:
            relation.pop("name")
        elif roll < 0.85:
            _make_one_to_one(world, relation)


def _make_one_to_one(world: World, relation: dict[str, Any]) -> None:
    """The second row that points to the same one points nowhere."""
    relation["cardinality"] = "ONE_TO_ONE"
    seen = set()
    for row in world.rows[relation["fromEntity"]]:
        target = tuple(row[own] for own in relation["keys"])
        if target in seen:
            row.update(dict.fromkeys(relation["keys"]))
        seen.add(target)


def _store_dates(world: World, rnd: random.Random, name: str) -> None:
    """Days as dates, as moments, as texts, or as seconds."""
    kind = rnd.choice(("DATE", "DATE", "DATE", "TIMESTAMP", "VARCHAR(10)", "BIGINT"))
    world.tables[name] = [(column, kind if column == "day" else own) for column, own in world.tables[name]]
    for row in world.rows[name]:
        if row["day"] is not None:
            moment = datetime.combine(row["day"], time(rnd.choice((0, 0, 9, 23)), 0))
            stored: dict[str, Any] = {
                "TIMESTAMP": moment,
                "VARCHAR(10)": row["day"].isoformat(),
                "BIGINT": int(moment.replace(tzinfo=UTC).timestamp()),
            }
            row["day"] = stored.get(kind, row["day"])
    if kind == "VARCHAR(10)":
        world.entity(name)["fields"].append({"name": "day", "semanticType": "DATE"})
    if kind == "BIGINT":
        world.constraints.append(
            {
                "appliesTo": f"{name}.day",
                "rule": "TYPE_MISMATCH_GUARD",
                "expects": "UNIX_SECONDS",
                "message": {"en": "Seconds."},
            }
        )


MONTH_NAMES = ("January", "Februar", "March", "apr", "Mai", "June", "july", "August", "sept", "Okt", "November", "Dez")


def _date_parts(world: World, rnd: random.Random, name: str) -> None:
    """Years and months in columns of their own; some rows may be about the whole year."""
    months = rnd.choice(("INTEGER", "INTEGER", "VARCHAR(10)", None))
    whole = rnd.choice((None, 0, 0)) if months else None
    year_type = rnd.choice(("INTEGER", "VARCHAR(4)"))
    world.tables[name] += [("year", year_type), *([("month", months)] if months else [])]
    for row in world.rows[name]:
        year = None if rnd.random() < 0.1 else rnd.choice((2023, 2024))
        row["year"] = str(year) if year_type != "INTEGER" and year else year
        if months:
            numbers = (1, 2, 11, 12) if whole is None else (whole, whole, 1, 2, 12)
            month = None if rnd.random() < 0.1 else rnd.choice(numbers)
            row["month"] = month if months == "INTEGER" or month is None else MONTH_NAMES[month - 1] if month else "0"
    entity = world.entity(name)
    parts = {
        "year": "year",
        **({"month": "month"} if months else {}),
        **({"whole": whole} if whole is not None else {}),
    }
    entity["dateParts"] = parts
    entity.pop("defaultDate", None)


def _snapshots(world: World, rnd: random.Random, name: str) -> None:
    """A level that adds up within one day, or within one year and month, only."""
    entity = world.entity(name)
    parts = entity.get("dateParts")
    over = [parts["year"], *([parts["month"]] if "month" in parts else [])] if parts else ["day"]
    world.tables[name].append(("stock", rnd.choice(("INTEGER", "DECIMAL(10,2)"))))
    for row in world.rows[name]:
        row["stock"] = None if rnd.random() < 0.15 else rnd.choice((0, 1, 5, 5, 12))
    entity["fields"].append({"name": "stock", "additivity": "SEMI_ADDITIVE", "over": over})
    aggregate = rnd.choice(("SUM", "SUM", "AVG", "MEDIAN"))
    entity["measures"].append({"name": f"{name}_level", "aggregate": aggregate, "expression": "stock"})


def _currencies(world: World, rnd: random.Random, name: str) -> None:
    """Amounts whose currency stands in each row."""
    world.tables[name].append(("cur", "VARCHAR(3)"))
    for row in world.rows[name]:
        row["cur"] = None if rnd.random() < 0.1 else rnd.choice(("CHF", "CHF", "EUR"))
    amount = next(one for one in world.entity(name)["fields"] if one["name"] == "amount")
    amount["unitField"] = "cur"


def _more_measures(world: World, rnd: random.Random, name: str) -> None:
    """Figures of other aggregates, with dates of their own, and ratios over two entities."""
    entity = world.entity(name)
    number = next(one for one in entity["fields"] if one["name"] == "num")
    if rnd.random() < 0.4:
        number["unit"] = "kg"
    aggregate = rnd.choice(("MIN", "MAX", "MEDIAN", "COUNT_DISTINCT", "COUNT"))
    more: dict[str, Any] = {"name": f"{name}_more", "aggregate": aggregate, "expression": "num"}
    if rnd.random() < 0.5:
        more["where"] = rnd.choice(("num > 0", "label LIKE 'a%' AND NOT num = 2", "day IS NOT NULL"))
    entity["measures"].append(more)
    others = [one for one in world.tables if one not in (name, "L")]
    if others and rnd.random() < 0.5:
        other = rnd.choice(others)
        entity["measures"].append({"name": f"{name}_per", "ratio": [f"{name}_some", f"{other}_some"]})
        if rnd.random() < 0.5:
            entity["measures"].append(
                {"name": f"{name}_then", "aggregate": "SUM", "expression": "num", "date": f"{other}.day"}
            )


def _view(world: World, rnd: random.Random) -> None:
    """A view over some rows of a table that is hidden itself."""
    base = rnd.choice([name for name in world.tables if name != "L"])
    hidden = dict(world.entity(base))
    world.tables["H"] = list(world.tables[base])
    world.rows["H"] = [dict(row) for row in world.rows[base]]
    world.entities.append({"name": "H", "table": "H", "hidden": True})
    names = [column for column, _ in world.tables["H"]]
    sql = f"SELECT {', '.join(names)} FROM H WHERE num > 0 OR label = 'a'"
    renamed = [
        {**one, "name": one["name"].replace(base, "V", 1)}
        for one in hidden["measures"]
        if "ratio" not in one and "." not in one.get("date", "")
    ]
    segments = [{**one, "name": one["name"].replace(base, "V", 1)} for one in hidden["segments"]]
    world.entities.append({**hidden, "name": "V", "view": sql, "measures": renamed, "segments": segments})
    world.entities[-1].pop("table")
    world.rows["V"] = [
        row for row in world.rows["H"] if (row["num"] is not None and row["num"] > 0) or row["label"] == "a"
    ]
    if any(one["appliesTo"] == f"{base}.day" for one in world.constraints):
        told = next(one for one in world.constraints if one["appliesTo"] == f"{base}.day")
        world.constraints.append({**told, "appliesTo": "V.day"})
    for relation in list(world.relations):
        if relation["fromEntity"] == base and relation["cardinality"] == "MANY_TO_ONE" and "through" not in relation:
            named = {"name": f"V_{relation['name']}"} if "name" in relation else {}
            target = "V" if relation["toEntity"] == base else relation["toEntity"]
            world.relations.append({**relation, **named, "fromEntity": "V", "toEntity": target})


def _tenants(world: World, rnd: random.Random) -> None:
    """Every table holds rows of two tenants, whose keys are the same; only those of one may be seen."""
    world.scope = Scope({"tenant": "t1"})
    for name in world.tables:
        world.tables[name] = [*world.tables[name], ("tenant", "VARCHAR(5)")]
        others = [{**row, "tenant": "t2"} for row in world.rows[name]]
        for row in others:
            if "num" in row and rnd.random() < 0.5:
                row.update({"num": 4, "label": "a", "amount": Decimal("5.50")})
        world.foreign[name] = others
        for row in world.rows[name]:
            row["tenant"] = "t1"
