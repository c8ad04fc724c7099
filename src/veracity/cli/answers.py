"""Answers for people: the sentence first, then every figure with the cells it comes from."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation

from rich.console import Console
from rich.text import Text

from veracity.answer.answer import Answer, Outcome
from veracity.answer.render import FigureProvenance
from veracity.answer.values import Arg

_STYLES = {Outcome.ANSWERED: "bold", Outcome.CLARIFY: "cyan", Outcome.ABSTAINED: "yellow", Outcome.BLOCKED: "red"}
_SHOWN_CELLS = 5


def show_answer(answer: Answer, *, proof: bool = True) -> None:
    """The answer; with `proof`, its figures and receipt below; then what it took."""
    console = Console()
    console.print(Text(answer.text, style=_STYLES[answer.outcome]), soft_wrap=True)
    if answer.clarification and answer.clarification.options:
        console.print(Text("  " + " | ".join(answer.clarification.options)), soft_wrap=True)
    if proof and answer.outcome is Outcome.ANSWERED:
        show_proof(answer)
    console.print(Text(_cost(answer), style="dim"), soft_wrap=True)


def show_proof(answer: Answer) -> None:
    """Every figure with its cells, the queries that made the results, and what the question named."""
    console = Console()

    def line(text: str, style: str = "dim") -> None:
        console.print(Text(text, style=style), soft_wrap=True)

    for figure in answer.provenance:
        if figure.kind == "derived" or (figure.kind == "cell" and _is_number(figure.value)):
            line(f"  {figure.text} = {figure.expression or 'cell'}", "")
            for arg in _cells(figure):
                line(f"      {arg}")
    for source in answer.sources:
        rows = f"{source.row_count} row{'' if source.row_count == 1 else 's'}{', cut' if source.truncated else ''}"
        arguments = json.dumps(source.arguments, ensure_ascii=False, default=str)
        line(f"  {source.result}: {source.tool} {arguments} -> {rows}, sha256 {source.digest[:12]}")
    for met in answer.receipt:
        line(f"  {met.mention!r} means {met.meaning}: {met.met_by or met.status}")
    if not (answer.provenance or answer.receipt):
        line("  There are no figures to prove.")


def _is_number(value: str | None) -> bool:
    try:
        return value is not None and Decimal(value).is_finite() and "." in value
    except InvalidOperation:
        return False


def _cells(figure: FigureProvenance) -> list[str]:
    shown = [_cell(arg) for arg in figure.args[:_SHOWN_CELLS]]
    more = len(figure.args) - _SHOWN_CELLS
    return [*shown, f"and {more} more cells"] if more > 0 else shown


def _cell(arg: Arg) -> str:
    if arg.column == "*":
        return f"{arg.result}: {arg.raw} rows"
    key = ", ".join(f"{name}={value}" for name, value in arg.row_key.items())
    return f"{arg.result}[{key}].{arg.column} = {arg.raw}"


def _cost(answer: Answer) -> str:
    trace = answer.trace
    tokens = trace.tokens.input + trace.tokens.output
    rounds = f"{trace.rounds} round{'' if trace.rounds == 1 else 's'}"
    refused = f", {trace.counters.validation_failures} refused" if trace.counters.validation_failures else ""
    sent_back = f", {len(trace.refusals)} drafts sent back" if trace.refusals else ""
    return (
        f"[{answer.outcome}] {trace.model}, {rounds}, {len(trace.calls)} calls{refused}{sent_back}, "
        f"{tokens} tokens, {trace.seconds:.2f} s, trace {answer.trace_id}"
    )
