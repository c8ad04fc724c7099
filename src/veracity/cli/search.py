"""`veracity search`: the passages of a folder, or of a Qdrant collection, that fit a query best."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json, building
from veracity.errors import UsageError
from veracity.locale import printable

if TYPE_CHECKING:
    from veracity.retrieval.search import Hit, IndexReport, Mode
    from veracity.retrieval.search.fuse import FusionMethod

_MODES = ("hybrid", "bm25", "vector")
_FUSIONS = ("zscore", "minmax", "rrf")
_SHOWN = 5


def search(
    query: Annotated[str | None, typer.Argument(help="What to look for, in your own words.")] = None,
    corpus: Annotated[
        str, typer.Option("--corpus", help="A folder, or a Qdrant collection: http://localhost:6333/NAME.")
    ] = ".",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000, help="How many hits at most.")] = 10,
    mode: Annotated[str, typer.Option("--mode", help="hybrid, bm25 (words only) or vector (meaning only).")] = "hybrid",
    fusion: Annotated[
        str, typer.Option("--fusion", help="How words and meaning are joined: minmax or rrf.")
    ] = "minmax",
    folder: Annotated[
        str | None, typer.Option("--folder", help="With a Qdrant URL: the folder to index into it first.")
    ] = None,
    index_only: Annotated[bool, typer.Option("--index-only", help="Bring the index up to date and stop.")] = False,
    as_json: Json = False,
) -> None:
    """Search a folder of Markdown, text, HTML and PDF files; it is indexed first, and only what has changed is read."""
    from veracity.retrieval.contracts import RerankSettings
    from veracity.retrieval.search import open_corpus

    chosen, joined = _mode(mode), _fusion(fusion)
    if query is None and not index_only:
        raise UsageError("Write what to look for, or --index-only to index without searching.")
    opened = open_corpus(corpus, folder=folder, rerank=RerankSettings.from_env())
    try:
        report = None
        if opened.folder is not None or index_only:
            with building("indexing", "") as progress:
                report = opened.index(progress, vectors=chosen != "bm25")
        hits = opened.search(query or "", limit=limit, mode=chosen, fusion=joined) if not index_only else None
    finally:
        opened.close()
    if as_json:
        _print_json(report, hits)
        return
    if report is not None:
        _tell(report, whole=index_only)
    if hits is not None:
        _show(hits, empty=report is not None and not report.passages)


def _mode(said: str) -> Mode:
    for mode in _MODES:
        if said == mode:
            return mode  # type: ignore[return-value]
    raise UsageError(f"--mode is {', '.join(_MODES[:-1])} or {_MODES[-1]}, not {said[:40]!r}.")


def _fusion(said: str) -> FusionMethod:
    for fusion in _FUSIONS:
        if said == fusion:
            return fusion  # type: ignore[return-value]
    raise UsageError(f"--fusion is {', '.join(_FUSIONS[:-1])} or {_FUSIONS[-1]}, not {said[:40]!r}.")


def _print_json(report: IndexReport | None, hits: Sequence[Hit] | None) -> None:
    """One object: `index` unless nothing was indexed, `hits` unless nothing was searched."""
    parts = [f'"index":{report.model_dump_json()}'] if report is not None else []
    if hits is not None:
        parts.append(f'"hits":[{",".join(hit.model_dump_json() for hit in hits)}]')
    sys.stdout.buffer.write(f"{{{','.join(parts)}}}\n".encode())


def _tell(report: IndexReport, *, whole: bool) -> None:
    """What indexing did; beside a search only what matters, on standard error."""
    if whole:
        typer.echo(
            f"{_counted(report.files, 'file')}, {_counted(report.passages, 'passage')}: {report.read} read, "
            f"{report.unchanged} unchanged, {report.removed} removed, {report.embedded} embedded"
        )
    shown = report.problems if whole else report.problems[:_SHOWN]
    for problem in shown:
        typer.echo(f"not read: {printable(problem.path)}: {printable(problem.what)}", err=True)
    if len(shown) < len(report.problems):
        more = len(report.problems) - len(shown)
        typer.echo(f"not read: {more} more; --index-only lists them all.", err=True)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _show(hits: Sequence[Hit], *, empty: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    if not hits:
        why = " The folder has no Markdown, text, HTML or PDF that can be read." if empty else ""
        console.print(f"Nothing was found.{why}", soft_wrap=True)
    for number, hit in enumerate(hits, 1):
        where = " > ".join(part for part in (hit.title, hit.place) if part)
        console.print(Text.assemble(f"{number:>2}. ", (printable(where), "bold")), soft_wrap=True)
        console.print(Text(f"    {printable(hit.id)}  {hit.score:.3f}{_parts(hit)}", style="dim"), soft_wrap=True)
        console.print(Text(f"    {printable(hit.snippet)}"), soft_wrap=True)


def _parts(hit: Hit) -> str:
    """Where the score comes from: the part and the rank by each list."""
    parts = [
        f"{name} {hit.components[f'{name}_part']:.3f} (rank {hit.components[f'{name}_rank']:.0f})"
        for name in ("bm25", "vector")
        if f"{name}_part" in hit.components
    ]
    return f" = {' + '.join(parts)}" if parts else ""
