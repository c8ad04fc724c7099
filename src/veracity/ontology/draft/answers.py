"""What a person answered, put into what was found."""

from __future__ import annotations

from collections.abc import Mapping

from veracity.ontology.draft.findings import (
    ColumnClass,
    ColumnDraft,
    ColumnVerdict,
    Found,
    FoundMeasure,
    FoundPointer,
    FoundRelation,
    TableDraft,
)
from veracity.ontology.draft.questions import is_money_without_currency
from veracity.ontology.draft.scales import unit_place

_ALL_AMOUNTS = {"all": "add", "none": "neither"}
_BY_PERSON = "a person said so"


def with_answers(found: Found, answers: Mapping[str, str], words: frozenset[str]) -> Found:
    """What was found, with every answer in its place."""
    tables = tuple(_table(table, answers, words) for table in found.tables)
    relations = tuple(r for one in found.relations if (r := _relation(one, answers)) is not None)
    relations = (*relations, *(r for one in found.pointers if (r := _pointed(one, answers)) is not None))
    extremes = tuple(
        one.model_copy(update={"sure": answers.get(f"extremes:{one.id}") == "yes"})
        for one in found.extremes
        if answers.get(f"extremes:{one.id}") != "no"
    )
    measures = tuple(m for one in found.measures if (m := _measure(one, found.table(one.table), answers)) is not None)
    counted = tuple(m for table in found.tables for column in table.columns if (m := _counted(table, column, answers)))
    said = {name.removeprefix("short:"): word for name, word in answers.items() if name.startswith("short:")}
    spelled = {short: word for short, word in said.items() if word != "none"}
    told: dict[str, object] = {
        "tables": tables,
        "relations": relations,
        "measures": (*measures, *counted),
        "extremes": extremes,
    }
    told |= {"spelled": spelled}
    return found.model_copy(update=told)


def _pointed(one: FoundPointer, answers: Mapping[str, str]) -> FoundRelation | None:
    """The relation that a person named the other table of."""
    said = answers.get(f"pointer:{one.id}", "none")
    key = dict(one.candidates).get(said)
    if key is None:
        return None
    return FoundRelation(
        table=one.table,
        columns=(one.column,),
        other=said,
        referred=(key,),
        proof="proven",
        evidence=f"{one.evidence}; {_BY_PERSON}",
        sure=True,
        role=None if one.role.replace(" ", "") == said.casefold() else one.role or None,
    )


def _table(table: TableDraft, answers: Mapping[str, str], words: frozenset[str]) -> TableDraft:
    update: dict[str, object] = {"columns": tuple(_column(table, column, answers, words) for column in table.columns)}
    if (day := answers.get(f"date:{table.name}")) is not None:
        update |= {"date": None if day == "none" else day, "date_sure": True, "date_reason": _BY_PERSON}
    if (size := answers.get(f"size:{table.name}")) is not None:
        update |= {"big": size if size != "none" else None, "sizes": ()}
    if (large := answers.get(f"large:{table.name}")) is not None:
        update |= {"large": large if large != "none" else "", "bounds": {}}
    if (shown := answers.get(f"display:{table.name}")) is not None:
        update |= {"display": table.display if shown == "yes" else (), "display_sure": True}
    return table.model_copy(update=update)


def _column(table: TableDraft, column: ColumnDraft, answers: Mapping[str, str], words: frozenset[str]) -> ColumnDraft:
    place, verdict = f"{table.name}.{column.profile.name}", column.verdict
    unit = answers.get(f"unit:{unit_place(table.name, column.profile.name, words)}") if verdict.units else None
    if unit is not None:
        verdict = verdict.model_copy(update={"unit": None if unit == "none" else unit, "units": ()})
    code = answers.get("currency")
    if code not in (None, "none") and is_money_without_currency(column, words):
        verdict = verdict.model_copy(update={"unit": code})
    while verdict.ask:  # an answer may open the next question: what is added up, and then which rows count
        said = answers.get(f"{verdict.ask}:{place}")
        if verdict.ask == "rows":
            said = _rows_said(table, column, verdict, answers)
        if verdict.ask == "amount" and said is None:
            said = _ALL_AMOUNTS.get(answers.get("amounts", ""))
        if said is None:
            break
        verdict = _answered(table, verdict, said)
    return column.model_copy(update={"verdict": verdict})


def _rows_said(
    table: TableDraft, column: ColumnDraft, verdict: ColumnVerdict, answers: Mapping[str, str]
) -> str | None:
    """Which rows of a figure count: as was said of it, or of another figure of the table that the same keeps apart."""
    same = (one.profile.name for one in table.columns if one.verdict.over == verdict.over)
    said = (answers.get(f"rows:{table.name}.{name}") for name in (column.profile.name, *same))
    return next((one for one in said if one is not None), None)


def _answered(table: TableDraft, verdict: ColumnVerdict, said: str) -> ColumnVerdict:
    """What a column is after the answer to its question."""
    told = {"sure": True, "ask": "", "reason": f"{verdict.reason}; {_BY_PERSON}"}
    times = tuple(name for name in verdict.over if _tells_time(table, name))
    kinds = tuple(name for name in verdict.over if name not in times)
    match verdict.ask, said:
        case "rows", "all":
            return verdict.model_copy(update={**told, "over": times})
        case "rows", _:
            return verdict.model_copy(update=told)
        case "away", "all":
            return verdict.model_copy(update={**told, "counted_by": None, "ask": "rows" if kinds else ""})
        case ("amount", "add") | ("price", "yes"):
            ask = "rows" if kinds else ""
            return verdict.model_copy(update={**told, "kind": ColumnClass.ADDITIVE, "ask": ask})
        case ("amount", "average") | ("price", "no"):
            return verdict.model_copy(update={**told, "kind": ColumnClass.AVERAGE, "over": ()})
        case "flow", "yes":
            return verdict.model_copy(update={**told, "over": kinds, "ask": "rows" if kinds else ""})
        case "flow", "no":
            return verdict.model_copy(update={**told, "kind": ColumnClass.LEVEL})
    stays = verdict.kind in (ColumnClass.TEXT, ColumnClass.CATEGORY)
    return verdict.model_copy(update={**told, "kind": verdict.kind if stays else ColumnClass.NUMBER, "over": ()})


def _tells_time(table: TableDraft, name: str) -> bool:
    return table.column(name).verdict.kind in (ColumnClass.DATE, ColumnClass.YEAR, ColumnClass.MONTH)


def _relation(one: FoundRelation, answers: Mapping[str, str]) -> FoundRelation | None:
    if (beside := answers.get(f"beside:{one.id}")) is not None:
        return one.model_copy(update={"beside": "yes" if beside == "yes" else ""})
    said = None if one.sure else answers.get(f"relation:{one.id}")
    if said == "no":
        return None
    return one.model_copy(update={"sure": True, "evidence": f"{one.evidence}; {_BY_PERSON}"}) if said == "yes" else one


def _measure(one: FoundMeasure, table: TableDraft, answers: Mapping[str, str]) -> FoundMeasure | None:
    said = answers.get(f"measure:{one.table}.{one.name}")
    if said == "no":
        return None
    parts = (table.column(name) for name in one.factors)
    counted = next((only for part in parts if (only := _counted(table, part, answers)) is not None), None)
    if counted is not None:
        one = one.model_copy(update={"where": counted.where})
    return one.model_copy(update={"sure": True, "reason": f"{one.reason}; {_BY_PERSON}"}) if said == "yes" else one


def _counted(table: TableDraft, column: ColumnDraft, answers: Mapping[str, str]) -> FoundMeasure | None:
    """The figure over the rows that count: only those with one value of the status."""
    name = column.profile.name
    place, verdict = f"{table.name}.{name}", column.verdict
    added = verdict.ask == "rows" or "add" in (
        answers.get(f"amount:{place}"),
        _ALL_AMOUNTS.get(answers.get("amounts", "")),
    )
    said = _rows_said(table, column, verdict, answers) if added and verdict.over else answers.get(f"rows:{place}")
    if said is None or not said.startswith("= "):
        return None
    over = [one for one in column.verdict.over if not _tells_time(table, one)]
    if not over:
        return None
    return FoundMeasure(
        name=f"{name} of {table.name}",
        table=table.name,
        expression=name,
        where=(over[0], said.removeprefix("= ")),
        reason=f"only rows with {over[0]} = {said.removeprefix('= ')} count; {_BY_PERSON}",
        sure=True,
    )
