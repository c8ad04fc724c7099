"""What people see in a terminal: tables, and answers with their proof."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from veracity.answer.answer import Answer, Outcome, SourceQuery
from veracity.answer.coverage import ReceiptLine
from veracity.answer.render import FigureProvenance
from veracity.answer.values import Arg
from veracity.contracts import Cell, QueryValidationError, TableData, ToolCallLog, ToolResult
from veracity.language.locale import pick, printable
from veracity.language.numbers import written
from veracity.query.catalog import CatalogEntity
from veracity.tools.semantic import SEMANTIC_TOOL

_WIDEST = 10_000
_FIGURES = ("integer", "decimal", "float")


def show_result(result: ToolResult) -> None:
    """Rows to standard output; a refusal or failure to standard error."""
    if result.table is not None:
        show_rows(result.table)
    elif result.error_details is not None:
        show_refusal(result.error_details)
    elif not result.success:
        Console(stderr=True).print(Text(f"The call failed: {result.error}", style="red"), soft_wrap=True)
    else:
        Console().print("valid")


def show_rows(data: TableData) -> None:
    """The rows as a table, or one below the other where a table would break figures; then how many there are."""
    console = Console()
    table = Table(header_style="bold")
    for column in data.columns:
        table.add_column(escape(column.name), justify="right" if column.type in _FIGURES else "left", no_wrap=True)
    for row in data.rows:
        table.add_row(*(_cell(row[column.name]) for column in data.columns))
    width = console.measure(table, options=console.options.update(max_width=_WIDEST)).maximum
    if width <= console.width:
        console.print(table)
    elif console.is_terminal:
        _show_records(console, data)
    else:
        # Nobody looks at the width of a file or a pipe.
        Console(width=width).print(table)
    more = "; more rows matched than are shown" if data.truncated else ""
    count = f"{data.row_count} row{'' if data.row_count == 1 else 's'}"
    console.print(Text(f"{data.result_id}: {count} of {data.table_name}{more}", style="dim"), soft_wrap=True)


def _show_records(console: Console, data: TableData) -> None:
    longest = max(len(column.name) for column in data.columns)
    for number, row in enumerate(data.rows, 1):
        console.print(Text(f"row {number}", style="dim"))
        for column in data.columns:
            console.print(Text(f"  {column.name:<{longest}}  ").append_text(_cell(row[column.name])), soft_wrap=True)


def _cell(value: Cell) -> Text:
    if value is None:
        return Text("NULL", style="dim italic")
    if isinstance(value, Decimal):
        return Text(written(value))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    # A cell is data: what would move the cursor or colour the terminal is shown as a mark.
    return Text(printable(text))


def show_refusal(problem: QueryValidationError) -> None:
    """Why a call was refused, and what to write instead."""
    console = Console(stderr=True)
    console.print(Text.assemble(("refused  ", "bold red"), (problem.code, "bold"), f"  {problem.hint}"), soft_wrap=True)
    for name, value in (("field", problem.field), ("try", problem.suggestion)):
        if value:
            console.print(Text(f"{name:>7}  {value}"), soft_wrap=True)


def show_entity(entity: CatalogEntity, lang: str) -> None:
    """The fields of one table with types and labels."""
    console = Console()
    label = pick(entity.declared.label, lang) if entity.declared else ""
    kind = " (view)" if entity.view is not None else ""
    console.print(Text.assemble((entity.name, "bold"), kind, f"  {label}" if label else ""))
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
    for heading in ("field", "type", "label"):
        table.add_column(heading)
    for facts in entity.fields.values():
        labels = facts.declared.label if facts.declared else {}
        table.add_row(Text(facts.column.name), facts.column.type, Text(pick(labels, lang)))
    console.print(table)


# --- answers for people: the sentence first, then every figure with the cells it comes from, then what it took


_STYLES = {Outcome.ANSWERED: "bold", Outcome.CLARIFY: "cyan", Outcome.ABSTAINED: "yellow", Outcome.BLOCKED: "red"}
_SHOWN_CELLS = 5
_SHOWN_FIGURES = 8
_WIDEST_CELL = 100
_NARROWEST = 40


def show_answer(answer: Answer, *, proof: bool = True, full: bool = False) -> None:
    """The answer; with `proof`, its figures, queries and receipt below; then what it took."""
    console = Console()
    for line in answer.text.splitlines() or [""]:
        # A reader at a terminal gets whole words; a file gets the line as it is.
        console.print(Text(safe(line), style=_STYLES[answer.outcome]), soft_wrap=not console.is_terminal)
    teaching = [one for one in answer.readings if one.teaches is not None]
    for number, one in enumerate(teaching, 1):
        say(console, f"{number}  {one.text}", style="")
    if answer.clarification and answer.clarification.options and not teaching:
        say(console, " | ".join(answer.clarification.options), style="")
    if proof and answer.outcome is Outcome.ANSWERED and (answer.sources or answer.provenance):
        console.print()
        show_proof(answer, full=full)
    for note in answer.taught:
        say(console, f"{note.word!r} means {note.means}: taught by {note.who}, {note.taught_at:%Y-%m-%d}")
    for line in _route_and_quality(answer):
        say(console, line)
    cost, trace = _cost_line(answer), f"trace {answer.trace_id}" if answer.trace_id else "not kept"
    # An id is copied: it is never broken.
    for line in [f"{cost}, {trace}"] if len(cost) + len(trace) + 2 <= console.width else [cost, trace]:
        say(console, line, indent="")


def show_proof(answer: Answer, *, full: bool = False) -> None:
    """Every figure with its cells, the queries that made the results, and what the question named."""
    console = Console()
    figures = list(_figures_to_show(answer, full=full))
    for figure, args in figures if full else figures[:_SHOWN_FIGURES]:
        _show_figure(console, figure, args, answer, full=full)
    if not full and len(figures) > _SHOWN_FIGURES:
        more = len(figures) - _SHOWN_FIGURES
        where = f"; all of them: veracity trace show {answer.trace_id}" if answer.trace_id else ""
        say(console, f"and {more} more{where}")
    for source in answer.sources:
        say(console, _query_line(source, full=full))
    for line in answer.receipt:
        say(console, _receipt_line(line, full=full))
    if not (figures or answer.sources or answer.receipt):
        say(console, "There are no figures to prove.")


def call_line(call: ToolCallLog) -> str:
    """One call with its round, arguments and outcome."""
    if call.success:
        came = f"{call.result_id}, {_counted(call.row_count or 0, 'row')}"
    else:
        came = f"{call.error}" + (f" (try {call.suggestion})" if call.suggestion else "")
    return f"round {call.round}: {call.tool} {_json(call.arguments)} -> {came}, {call.milliseconds or 0:.0f} ms"


def say(console: Console, text: str, *, style: str = "dim", indent: str = "  ", hang: str = "    ") -> None:
    """One entry, folded between words; what follows its first line hangs below it."""
    width, entry = max(min(console.width, _WIDEST_CELL), _NARROWEST), Text(safe(text))
    fits = len(indent) + entry.cell_len <= width
    lines = [entry] if fits else entry.wrap(console, width - len(indent + hang))
    for number, line in enumerate(lines):
        line.rstrip()
        console.print(Text(indent + (hang if number else "")).append_text(line), style=style, soft_wrap=True)


def safe(text: str) -> str:
    """On one line, and nothing in it that would steer a terminal: models and data write texts, too."""
    return printable(" ".join(text.split())) if not text.isprintable() else text


def _route_and_quality(answer: Answer) -> Iterator[str]:
    """How the request was sorted, where that was not simply a question, and what the quality gate says."""
    if answer.route is not None and answer.route.route != "REACT":
        words = f" ({', '.join(answer.route.words)})" if answer.route.words else ""
        yield f"{answer.route.route}, rule {answer.route.rule}{words}" + (f": {answer.skill}" if answer.skill else "")
    if answer.quality is None:
        return
    yield f"quality: {'passed' if answer.quality.passed else 'FAILED'}" + (
        ", after a repair" if answer.quality.repaired else ""
    )
    for finding in answer.quality.findings:
        yield f"{finding.severity}, {finding.check}: {finding.message}"


# --- figures


def _figures_to_show(answer: Answer, *, full: bool) -> Iterator[tuple[FigureProvenance, Sequence[Arg]]]:
    """The figures worth a line, each with its cells; unless all is asked for, no cell is listed twice."""
    computed = [figure for figure in answer.provenance if figure.kind == "derived"]
    cells = [figure for figure in answer.provenance if figure.kind == "cell" and _is_amount(figure)]
    listed: set[tuple[str, str, str]] = set()
    # Computed figures come first: a cell below one of them needs no line of its own.
    for figure in sorted([*computed, *cells], key=lambda one: one.span) if full else [*computed, *cells]:
        args = [arg for arg in figure.args if full or _cell_place(arg) not in listed]
        listed.update(map(_cell_place, args))
        if args or figure.kind == "derived":
            yield figure, args


def _cell_place(arg: Arg) -> tuple[str, str, str]:
    return arg.result, _json(arg.row_key), arg.column


def _is_amount(figure: FigureProvenance) -> bool:
    """Whether it is an amount or a number of things; names, dates and account numbers speak for themselves."""
    raw = figure.args[0].raw if figure.args else None
    try:
        number = Decimal(figure.value or "-")
    except InvalidOperation:
        return False
    return number.is_finite() and (isinstance(raw, int | float) or "." in str(raw))


def _show_figure(
    console: Console, figure: FigureProvenance, args: Sequence[Arg], answer: Answer, *, full: bool
) -> None:
    pinned = {} if full else {source.result: _pinned_fields(source) for source in answer.sources}
    if figure.kind == "cell" and len(args) == 1 and not full:
        say(console, f"{figure.text} = {_cell_address(args[0], pinned)}", style="")
        return
    say(console, f"{figure.text} = {figure.expression or 'cell'}", style="")
    shown = args if full else args[:_SHOWN_CELLS]
    for arg in shown:
        say(console, f"{_cell_address(arg, pinned)} = {_cell_text(arg.raw)}", indent="      ")
    if len(args) > len(shown):
        say(console, f"and {len(args) - len(shown)} more", indent="      ")


def _cell_address(arg: Arg, pinned: Mapping[str, set[str]]) -> str:
    """The cell by its result, row and column, without what is the same in all rows anyway."""
    if arg.column == "*":
        return f"count({arg.result})"
    if set(arg.row_key) == {"row"}:
        return f"{arg.result}[{arg.row_key['row']}].{arg.column}"
    same = pinned.get(arg.result, set())
    key = {name: value for name, value in arg.row_key.items() if name not in same} or arg.row_key
    return f"{arg.result}[{', '.join(f'{name}={_cell_text(value)}' for name, value in key.items())}].{arg.column}"


def _cell_text(value: Any) -> str:
    return "NULL" if value is None else str(value)


# --- queries and receipt


def _filters(source: SourceQuery) -> list[dict[str, Any]]:
    return [one for one in source.arguments.get("filters") or () if isinstance(one, dict)]


def _pinned_fields(source: SourceQuery) -> set[str]:
    return {str(one.get("field")) for one in _filters(source) if one.get("op") == "="}


def _query_line(source: SourceQuery, *, full: bool) -> str:
    """The query in words; with `full`, as it was called, and the digest of what it returned."""
    rows = _counted(source.row_count, "row") + (" (more matched)" if source.truncated else "")
    if full:
        return f"{source.result}: {source.tool} {_json(source.arguments)} -> {rows}, sha256 {source.digest}"
    if source.tool == SEMANTIC_TOOL:
        return f"{source.result}: {rows} of {_semantic_words(source.arguments, source.table_name)}"
    where = " and ".join(_condition(one) for one in _filters(source))
    return f"{source.result}: {rows} of {_what_was_read(source)}" + (f" where {where}" if where else "")


def _semantic_words(query: Mapping[str, Any], table: str) -> str:
    """A semantic query in short: what it shows, of what, where and when; the trace has it whole."""
    shown = ", ".join(
        str(one.get("measure") or one.get("field") or one.get("count") or "") for one in query.get("show", ())
    )
    text = f"{shown} in {table}" if shown.strip(", ") else table
    if where := query.get("where"):
        text += f" where {_semantic_condition(where)}"
    compared = (query.get("compare") or {}).get("period")
    spans = [_span(query.get("period")), f"compared with {_span(compared)}" if compared else ""]
    return ", ".join(part for part in (text, *spans) if part)


def _span(period: Mapping[str, Any] | None) -> str:
    return " ".join(f"{word} {period[word]}" for word in ("from", "to") if word in period) if period else ""


def _semantic_condition(where: Mapping[str, Any]) -> str:
    """A condition of a semantic query; what is not one plain comparison is shown as it was asked."""
    plain = {name: value for name, value in where.items() if name != "via"}
    if set(plain) == {"segment"}:
        return f"segment {plain['segment']}"
    if {"field", "value"} <= set(plain) <= {"field", "op", "value"}:
        return _condition({"op": "=", **plain})
    for word in ("and", "or"):
        if set(plain) == {word}:
            return f" {word} ".join(_semantic_condition(one) for one in plain[word])
    return _json(where)


def _what_was_read(source: SourceQuery) -> str:
    aggregate = source.arguments.get("aggregate")
    if not aggregate:
        return source.table_name
    groups = source.arguments.get("groupBy") or ()
    by = f" by {', '.join(map(str, groups))}" if groups else ""
    return f"{aggregate}({source.arguments.get('field') or '*'}){by} in {source.table_name}"


def _condition(one: Mapping[str, Any]) -> str:
    value = one.get("value")
    said = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return f"{one.get('field')} {one.get('op')} {said}".rstrip()


def _receipt_line(line: ReceiptLine, *, full: bool) -> str:
    if line.status == "met" and not full:
        return f"{line.mention!r} -> {line.met_by}"
    verb = "may mean" if line.status == "unsure" else "means"
    return f"{line.mention!r} {verb} {line.meaning} -> {line.met_by or 'not taken up'}"


# --- what it took


def _cost_line(answer: Answer) -> str:
    trace = answer.trace
    parts = [_counted(len(trace.calls), "call")]
    if trace.counters.validation_failures:
        parts.append(f"{trace.counters.validation_failures} refused")
    if trace.refusals:
        parts.append(f"{_counted(len(trace.refusals), 'draft')} sent back")
    parts += [_counted(trace.tokens.input + trace.tokens.output, "token"), f"{trace.seconds:.2f} s"]
    return f"{answer.outcome}, {trace.model}: {', '.join(parts)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
