"""What the program says itself where a model's sentence is not proven: the rows that it cited, under what they are called."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.answer.expression import quoted
from veracity.answer.fitting import Claim
from veracity.answer.results import Result
from veracity.answer.syntax import Function, parse
from veracity.answer.values import VERBATIM
from veracity.language.locale import pick
from veracity.language.texts import say
from veracity.ontology.fields import FieldRole

_MOST_COLUMNS = 8


def own_words(claim: Claim, lang: str) -> Iterator[str]:
    """Templates for the same figures in the program's words: under a heading, and without one."""
    parts = [(_heading(claim, name, lang), _rows(claim, name)) for name in sorted(claim.rendered.results)]
    parts = [(heading, rows) for heading, rows in parts if rows]
    if parts:
        yield "\n".join(
            [f"{heading}:\n{rows}" if heading else rows for heading, rows in parts] + list(_sums(claim, lang))
        )
        yield "\n".join(f"{heading}:\n{rows}" if heading else rows for heading, rows in parts)
        yield "\n".join(rows for _heading, rows in parts)


def _sums(claim: Claim, lang: str) -> Iterator[str]:
    """The totals that were cited, called so."""
    for node, figure in ((parse(f.expression), f) for f in claim.rendered.figures if f.expression):
        if isinstance(node, Function) and node.name == "sum":
            yield say("total_of_rows", lang, figure=f"{{{{ {figure.expression} }}}}")


def _rows(claim: Claim, name: str) -> str:
    """All rows of a result, with the columns that were cited and those that tell the rows apart."""
    result = claim.results[name]
    shown = ", ".join(f"{name}.{quoted(column)}" for column in _columns(claim, name, result))
    return f"{{{{ rows({shown}) }}}}" if shown else ""


def _columns(claim: Claim, name: str, result: Result) -> list[str]:
    cited = {arg.column for figure in claim.rendered.figures for arg in figure.args if arg.result == name}
    units = {facts.unit_field for column, facts in result.columns.items() if column in cited}
    wanted = cited | set(result.key) | {unit for unit in units if unit}
    several = len(result.data.rows) > 1
    same = {column for column in result.pinned if several and column not in cited}
    kept = [
        column
        for column, facts in result.columns.items()
        if facts.role is not FieldRole.IDENTIFIER
        and column not in same
        and (
            column in wanted
            or facts.role is FieldRole.CURRENCY
            or (several and (facts.role in VERBATIM or not facts.numeric))
        )
    ]
    # The currency stands behind the figure that it belongs to.
    kept.sort(key=lambda column: result.columns[column].role is FieldRole.CURRENCY)
    return kept[:_MOST_COLUMNS]


def _heading(claim: Claim, name: str, lang: str) -> str:
    """What the figures are called, and of which time and values they are."""
    result = claim.results[name]
    labels = [label for column in _columns(claim, name, result) if (label := _label(claim, result, column, lang))]
    values = [
        str(condition.value)
        for table, condition in claim.conditions(name)
        if condition.op == "=" and condition.value not in (0, "0") and not _is_code(claim, table, condition.field)
    ]
    joined = "、" if lang == "zh" else ", "
    return joined.join(dict.fromkeys([*labels, *values]))


def _label(claim: Claim, result: Result, column: str, lang: str) -> str:
    """A measured column's own label; of columns that nobody described the name."""
    facts = result.columns[column]
    if not facts.numeric or facts.role in VERBATIM or facts.aggregate in ("COUNT", "COUNT_DISTINCT"):
        return ""
    table, name = result.origins.get(column, (result.call.table, result.call.target or column))
    known = claim.catalog.entities[table].fields.get(name)
    if known is None:
        return ""
    return pick(known.declared.label, lang) if known.declared and known.declared.label else name


def _is_code(claim: Claim, table: str, field: str) -> bool:
    """Whether a filter's value says nothing to a reader by itself: asset, expense."""
    facts = claim.catalog.entities[table].fields[field]
    return facts.role is FieldRole.CATEGORY
