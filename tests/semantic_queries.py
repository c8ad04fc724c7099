"""Random semantic queries over the worlds of `semantic_worlds`, most of them valid."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from semantic_worlds import FIRST_DAY, LABELS, MONTH_NAMES
from veracity.semantic.graph import SemanticModel


class QueryMaker:
    """Makes queries over a world, most of them valid."""

    def __init__(self, rnd: random.Random, model: SemanticModel) -> None:
        self.rnd, self.model = rnd, model
        self.names = [name for name, thing in model.things.items() if thing.key]

    def some_of(self, entity: str, names: Sequence[str]) -> str:
        """One of these fields, or of those that only some entities have."""
        more = [one for one in ("stock", "cur", "year", "month") if one in self.model.things[entity].fields]
        return self.rnd.choice((*names, *more))

    def query(self) -> dict[str, Any]:
        of = self.rnd.choice(self.names)
        roll = self.rnd.random()
        if roll < 0.12:
            return self.series_query(of)
        return self.list_query(of, 0) if roll < 0.42 else self.grouped_query(of, 0)

    def series_query(self, of: str) -> dict[str, Any]:
        """Figures along time: totals, levels, changes, each also apart for another dimension."""
        place, end = self.place(of)
        kinds: list[dict[str, Any]] = [
            {"aggregate": "count", "of": end, **place},
            {"aggregate": "sum", "field": f"{end}.num", **place},
            {"aggregate": "sum", "field": f"{end}.amount", **place},
        ]
        if "stock" in self.model.things[end].fields:
            kinds += [{"measure": f"{end}_level", **place}, {"aggregate": "avg", "field": f"{end}.stock", **place}] * 2
        shown = self.rnd.choice(kinds)
        chosen = self.rnd.choice(("day", "day", "year", "month", "entity"))
        along: dict[str, Any] = {"field": f"{end}.{chosen}", **place}
        if chosen == "day" or chosen not in self.model.things[end].fields:
            along = {"field": f"{end}.day", "grain": self.rnd.choice(("day", "month", "quarter", "year")), **place}
        by = [along, *([self.dimension(of, to_one=True)] if self.rnd.random() < 0.3 else [])]
        query: dict[str, Any] = {"of": of, "by": by, "show": [shown]}
        if self.rnd.random() < 0.4:
            query["period"] = self.rnd.choice(("2023", "2024", "2023-12", {"from": "2023-11-01"}))
        if self.rnd.random() < 0.3:
            query["where"] = self.condition(of, 2)
        roll = self.rnd.random()
        if roll < 0.5:
            shown["transform"] = self.rnd.choice(("runningTotal", "change", "changePercent", "share", "rank"))
        elif roll < 0.6 and "period" in query:
            query["compare"] = {"period": self.rnd.choice(("2023", "2024"))}
        if self.rnd.random() < 0.2:
            query["show"].append(self.figure(of, 2))
        self.allow(query)
        return query

    def walk(self, start: str, most: int = 2, *, to_one: bool = False) -> tuple[list[str], str]:
        via: list[str] = []
        here = start
        for _ in range(self.rnd.choice((0, 0, 1, 1, 2)[: most + 3])):
            steps = [s for s in self.model.steps[here] if s.end in self.names and (s.to_one or not to_one)]
            if not steps:
                break
            step = self.rnd.choice(steps)
            via.append(step.name)
            here = step.end
        return via, here

    def place(self, start: str, *, to_one: bool = False) -> tuple[dict[str, Any], str]:
        via, end = self.walk(start, to_one=to_one)
        return ({"via": via} if via else {}), end

    def field(self, start: str, *, to_one: bool = False, names: Sequence[str] = ()) -> dict[str, Any]:
        place, end = self.place(start, to_one=to_one)
        name = self.rnd.choice(names) if names else self.some_of(end, ("num", "amount", "label", "day"))
        return {"field": f"{end}.{name}", **place}

    def literal(self, name: str, entity: str) -> Any:
        if name == "cur":
            return self.rnd.choice(("CHF", "CHF", "EUR", "USD"))
        if name in ("year", "month"):
            number = self.rnd.choice((2023, 2024) if name == "year" else (0, 1, 2, 12))
            if self.model.things[entity].fields[name].column.type != "text":
                return number
            return str(number) if name == "year" or not number else MONTH_NAMES[number - 1]
        if name in ("num", "stock"):
            return self.rnd.randint(-2, 4)
        if name == "amount":
            return self.rnd.choice((0, 0.1, 0.2, 0.3, 1.1, -0.1))
        if name == "label":
            return self.rnd.choice((*LABELS, "zz"))
        return (FIRST_DAY + timedelta(days=self.rnd.choice((0, 1, 42, 60)))).isoformat()

    def comparison(self, of: str, depth: int) -> dict[str, Any]:
        chosen = self.field(of)
        entity, _, name = chosen["field"].rpartition(".")
        ops = ["=", "!=", "<", "<=", ">", ">=", "in", "between", "missing", "notMissing"]
        op = self.rnd.choice([*ops, "like"] if name == "label" else ops)
        op = "=" if name in ("cur", "year", "month") and self.rnd.random() < 0.5 else op
        chosen["op"] = op
        if op in ("missing", "notMissing"):
            return chosen
        if op == "in":
            return {**chosen, "value": [self.literal(name, entity) for _ in range(self.rnd.randint(1, 3))]}
        if op == "between":
            return {**chosen, "value": sorted(self.literal(name, entity) for _ in range(2))}
        if op == "like":
            return {**chosen, "value": self.rnd.choice(("a%", "%b", "_", "%"))}
        if name == "day" and op in ("=", "!=") and self.rnd.random() < 0.3:
            return {**chosen, "grain": "weekday", "value": self.rnd.randint(1, 7)}
        if name == "day" and (since := self.since(entity)) is not None and self.rnd.random() < 0.3:
            return {**chosen, "since": since, "value": self.rnd.choice((-41, 0, 1, 9, 42))}
        if name == "day" and self.rnd.random() < 0.25:
            chosen["grain"] = self.rnd.choice(("day", "month", "year"))
        if name in ("num", "amount", "stock") and self.rnd.random() < 0.25 and depth < 2:
            return {**chosen, "value": self.one_value(of, depth)}
        return {**chosen, "value": self.literal(name, entity)}

    def since(self, entity: str) -> dict[str, Any] | None:
        """A date of a row that each row belongs to; two moments are not compared in whole days."""
        via, end = self.walk(entity, to_one=True)
        fields = [self.model.things[name].fields.get("day") for name in (entity, end)]
        kinds = [one.column.type for one in fields if one is not None and one.is_date]
        whole = via and len(kinds) == 2 and any(kind != "timestamp" for kind in kinds)
        return {"field": f"{end}.day", "via": via} if whole else None

    def one_value(self, of: str, depth: int) -> dict[str, Any]:
        if self.rnd.random() < 0.3:
            return {"show": [self.field(of, to_one=True, names=("num", "amount"))], "of": of}
        other = self.rnd.choice(self.names)
        query: dict[str, Any] = {"of": other, "show": [self.figure(other, depth + 1)]}
        if self.rnd.random() < 0.4:
            query["where"] = self.condition(other, depth + 1)
        return query

    def condition(self, of: str, depth: int) -> dict[str, Any]:
        roll = self.rnd.random()
        if depth >= 3 or roll < 0.4:
            return self.comparison(of, depth)
        if roll < 0.58:
            parts = [self.condition(of, depth + 1) for _ in range(self.rnd.randint(2, 3))]
            return {self.rnd.choice(("and", "or")): parts}
        if roll < 0.66:
            return {"not": self.condition(of, depth + 1)}
        if roll < 0.73:
            place, end = self.place(of)
            return {"segment": f"{end}_good", **place}
        if roll < 0.87:
            return self.related(of, depth)
        value: Any = self.one_figure(depth) if self.rnd.random() < 0.3 else self.rnd.choice((0, 1, 2, 0.3, -1))
        compared = {
            "show": self.figure(of, depth + 1),
            "op": self.rnd.choice(("=", "!=", "<", ">=", ">")),
            "value": value,
        }
        return self.beside(compared, of, depth + 1)

    def beside(self, compared: dict[str, Any], of: str, depth: int) -> dict[str, Any]:
        """At times another figure of the same row in the place of the number, or a multiple of it."""
        if self.rnd.random() < 0.25:
            compared = {key: compared[key] for key in ("show", "op")} | {"than": self.figure(of, depth)}
        if ("than" in compared or isinstance(compared["value"], dict)) and self.rnd.random() < 0.4:
            compared["times"] = self.rnd.choice((2, 3))
        return compared

    def one_figure(self, depth: int) -> dict[str, Any]:
        other = self.rnd.choice(self.names)
        return {"of": other, "show": [self.figure(other, depth + 1)]}

    def related(self, of: str, depth: int) -> dict[str, Any]:
        place, end = self.place(of)
        found = {"related": self.list_query(end, depth + 1), **place}
        if self.rnd.random() < 0.15 and depth < 2:
            best: dict[str, Any] = {"of": end, "by": [{"entity": end}], "show": [self.figure(end, 2)], "limit": 2}
            found["related"] = {**best, "order": [{"by": best["show"][0], "descending": True}]}
        if self.rnd.random() < 0.4:
            op = self.rnd.choice(("=", "!=", "<", "<=", ">", ">="))
            found["count"] = {"op": op, "value": self.rnd.randint(0, 3)}
        return found

    def figure(self, of: str, depth: int) -> dict[str, Any]:
        roll = self.rnd.random()
        place, end = self.place(of)
        found: dict[str, Any]
        if roll < 0.25:
            found = {"aggregate": "count", "of": end, **place}
        elif roll < 0.55:
            measures = [one for one, (home, _) in self.model.measures.items() if home == end]
            found = {"measure": self.rnd.choice(measures), **place}
        elif roll < 0.9 or depth > 1:
            aggregate = self.rnd.choice(("sum", "avg", "min", "max", "median", "count", "countDistinct"))
            names = ("num", "amount") if aggregate in ("sum", "avg", "median") else ("num", "amount", "label", "day")
            if depth > 0 and aggregate in ("min", "max"):
                names = ("num", "amount")
            if "stock" in self.model.things[end].fields:
                names = (*names, "stock")
            found = {"aggregate": aggregate, "field": f"{end}.{self.rnd.choice(names)}", **place}
            computed = aggregate in ("sum", "avg", "min", "max", "median")
            if computed and self.rnd.random() < 0.2 and (since := self.since(end)) is not None:
                found |= {"field": f"{end}.day", "since": since}
            if found["field"].endswith(".num") and depth == 0 and self.rnd.random() < 0.4:
                found["unit"] = self.rnd.choice(("g", "kg", "t"))
        else:
            return {"ratio": [self.figure(of, 2), self.figure(of, 2)]}
        if self.rnd.random() < 0.2 and depth < 2:
            found["where"] = self.condition(end, depth + 2)
        return found

    def limit(self, query: dict[str, Any]) -> None:
        if query.get("order") and self.rnd.random() < 0.6:
            query["limit"] = self.rnd.randint(1, 3)
            if self.rnd.random() < 0.3:
                query["skip"] = self.rnd.randint(1, 2)

    def period(self, of: str) -> Any:
        chosen = self.rnd.choice(("2023", "2024", "2024-01", "2023-Q4", "2023-11-20", {"from": "2023-11-21"}))
        if isinstance(chosen, dict) or self.rnd.random() < 0.3:
            return {"from": "2023-11-21", **self.field(of, names=("day",))} if self.rnd.random() < 0.6 else chosen
        return chosen

    def list_query(self, of: str, depth: int) -> dict[str, Any]:
        query: dict[str, Any] = {"of": of}
        if depth == 0:
            query["show"] = [self.field(of, to_one=True) for _ in range(self.rnd.randint(0, 2))]
        if self.rnd.random() < 0.7 and depth < 3:
            query["where"] = self.condition(of, depth + 1)
        if self.rnd.random() < 0.4 and depth < 2:
            shown = self.field(of, to_one=True) if self.rnd.random() < 0.6 else self.figure(of, 1)
            query["order"] = [{"by": shown, "descending": self.rnd.random() < 0.5}]
            self.limit(query)
            if "limit" in query and self.rnd.random() < 0.3:
                query["per"] = [self.dimension(of, to_one=True)]
        if self.rnd.random() < 0.15:
            query["period"] = self.period(of)
        return query

    def dimension(self, of: str, *, to_one: bool = False) -> dict[str, Any]:
        place, end = self.place(of, to_one=to_one)
        if self.rnd.random() < 0.3:
            return {"entity": end, **place}
        name = self.some_of(end, ("num", "label", "day"))
        found = {"field": f"{end}.{name}", **place}
        if name == "day" and self.rnd.random() < 0.7:
            found["grain"] = self.rnd.choice(("day", "week", "month", "quarter", "year", "weekday"))
        return found

    def grouped_query(self, of: str, depth: int) -> dict[str, Any]:
        by = [self.dimension(of) for _ in range(self.rnd.choice((0, 1, 1, 2)))]
        show = [self.figure(of, 0) for _ in range(self.rnd.choice((0, 1, 1, 2) if by else (1, 1, 2)))]
        query: dict[str, Any] = {"of": of, "by": by, "show": show}
        if len(by) == 1 and "entity" in by[0] and show and self.rnd.random() < 0.4:
            by[0]["complete"] = True
            if self.rnd.random() < 0.4:  # with a field of the same rows beside it
                place = {key: value for key, value in by[0].items() if key == "via"}
                by.append({"field": f"{by[0]['entity']}.{self.some_of(by[0]['entity'], ('num', 'label'))}", **place})
        if self.rnd.random() < 0.6:
            query["where"] = self.condition(of, depth + 1)
        if self.rnd.random() < 0.2:
            query["period"] = self.period(of)
        if by and self.rnd.random() < 0.3:
            self.having(query, of)
        if by and self.rnd.random() < 0.4:
            query["order"] = [{"by": self.figure(of, 2), "descending": self.rnd.random() < 0.5}]
            if self.rnd.random() < 0.2:
                query["order"][0]["by"]["transform"] = "share"
            fields = [one for one in by if "field" in one]
            if fields and self.rnd.random() < 0.3:
                query["order"].insert(self.rnd.randint(0, 1), {"by": fields[0], "descending": self.rnd.random() < 0.5})
            self.limit(query)
            if "limit" in query and len(by) > 1 and self.rnd.random() < 0.4:
                query["per"] = [by[0]]
        self.extras(query, of)
        if self.rnd.random() < 0.6:
            self.allow(query)
        return query

    def allow(self, query: dict[str, Any]) -> None:
        """Say what a figure of one currency or of one snapshot needs to be said."""
        for figure in query["show"]:
            via = figure.get("via", [])
            name = figure.get("field") or figure.get("measure", "")
            entity = name.partition(".")[0] if figure.get("field") else self.model.measures.get(name, ("",))[0]
            fields = self.model.things[entity].fields if entity in self.model.things else {}
            place = {"via": via} if via else {}
            if "cur" in fields and self.rnd.random() < 0.7:
                said = {"field": f"{entity}.cur", "op": "=", "value": "CHF", **place}
                if self.rnd.random() < 0.5:
                    query["by"].append({"field": f"{entity}.cur", **place})
                elif self.rnd.random() < 0.5 and "unit" not in figure and not figure.get("rows"):
                    figure["where"] = said | {"via": []}
                else:
                    query["where"] = {"and": [query["where"], said]} if "where" in query else said
            if "stock" in fields and "period" not in query and self.rnd.random() < 0.5:
                query["period"] = self.rnd.choice(("2023", "2024", "2023-12", {"from": "2023-11-01"}))

    def having(self, query: dict[str, Any], of: str) -> None:
        compared: dict[str, Any] = {
            "show": self.figure(of, 2),
            "op": self.rnd.choice(("<", ">=", "=", "!=")),
            "value": self.rnd.choice((0, 1, 2, 0.3)),
        }
        compared = self.beside(compared, of, 2)
        if self.rnd.random() < 0.2:
            compared = {self.rnd.choice(("and", "or")): [compared, {**compared, "show": self.figure(of, 2)}]}
        query["having"] = {"not": compared} if self.rnd.random() < 0.2 else compared

    def extras(self, query: dict[str, Any], of: str) -> None:
        """A comparison, a transformation, or an aggregate over the figures of another query."""
        roll, show = self.rnd.random(), query["show"]
        if not show:
            return
        if roll < 0.08 and "period" in query:
            query["compare"] = {"period": self.rnd.choice(("2023", "2024"))}
            if query.get("order") and "transform" not in str(query) and self.rnd.random() < 0.5:
                query["order"][-1]["by"] = show[0] | {"transform": self.rnd.choice(("change", "changePercent"))}
        elif roll < 0.12 and "limit" not in query:
            query["compare"] = {"field": f"{of}.label", "members": ["a", "b"]}
        elif roll < 0.26 and "complete" not in str(query):
            show[0]["transform"] = self.rnd.choice(("share", "rank", "runningTotal", "change", "changePercent"))
        elif roll < 0.34 and not {"where", "period", "having", "order"} & set(query):
            inner = {"of": of, "by": [self.dimension(of)], "show": [self.figure(of, 1)]}
            aggregate = self.rnd.choice(("avg", "sum", "min", "max", "count", "median"))
            query["show"] = [{"aggregate": aggregate, "rows": inner}]
