"""`veracity rerank` and `veracity search`: search results ranked and explained; passages of a folder."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import Json, building
from veracity.errors import SourceError, UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.retrieval.cache import SqliteCache
    from veracity.retrieval.contracts import (
        HybridResult,
        RankedItem,
        RerankRequest,
        RerankSettings,
        Scorer,
        SearchCandidate,
    )
    from veracity.retrieval.search import Hit, IndexReport, Mode, SearchCorpus
    from veracity.retrieval.search.rankings import FusionMethod
    from veracity.telemetry import Telemetry


_LARGEST = 64_000_000
_FUSIONS = ("seed", "bounded")
_SHOWN_DROPS = 10
_INDENT = " " * 17


def rerank(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A request as JSON; - reads standard input.")],
    as_json: Json = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            envvar="VERACITY_MODEL",
            help="A language model that scores. Without it, or offline: the heuristic.",
        ),
    ] = None,
    corpus: Annotated[
        str | None, typer.Option("--corpus", help="What is known already: a folder, or the URL of a Qdrant collection.")
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=1_000, help="How many are the best.")] = None,
    fusion: Annotated[
        str | None, typer.Option("--fusion", help="bounded: bonuses nudge the ranking. seed: they may overrule it.")
    ] = None,
    submit: Annotated[bool, typer.Option("--submit", help="Hand the best to a person: veracity review.")] = False,
    database: Annotated[
        str | None, typer.Option("--database", help="Where --submit puts it: a file or postgresql://...")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Judge ages as of this date, such as 2026-11-15. Default: now.")
    ] = None,
) -> None:
    """Rank search results: filtered, scored against what is known, fused, diverse, explained."""
    from veracity.retrieval.contracts import RerankSettings
    from veracity.telemetry import Telemetry

    request = _with_command_line(read_file(source), corpus=corpus, top_k=top_k, fusion=fusion)
    moment, settings, telemetry = _read_as_of(as_of), RerankSettings.from_env(), Telemetry.from_env()
    try:
        result = _rank_request(request, settings, telemetry, model=model, moment=moment)
        identifier = _submit_review(result, request, database) if submit else None
    finally:
        telemetry.shutdown()
    if as_json:
        typer.echo(result.model_dump_json())
        if identifier:
            typer.echo(f"review {identifier}", err=True)
    else:
        _show_ranking(result, request, identifier, database)


# --- in


def read_file(source: str) -> RerankRequest:
    """The request of a file or of standard input; raises `UsageError` with the path to what is wrong."""
    from veracity.retrieval.contracts import read_request
    from veracity.yaml_file import read_bytes

    if source == "-":
        raw = sys.stdin.buffer.read(_LARGEST + 1)
        if len(raw) > _LARGEST:
            raise UsageError(f"The request has more than {_LARGEST // 1_000_000} MB; send fewer candidates.")
    else:
        raw = read_bytes(Path(source), UsageError, most=_LARGEST, too_long="send fewer candidates")
    return read_request(_parse_json(raw))


def _parse_json(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UsageError(f"The request is not valid JSON: {error.msg.lower()} ({where}).") from None
    except UnicodeDecodeError:
        raise UsageError("The request is not encoded in UTF-8.") from None
    except RecursionError:
        raise UsageError("The request is nested too deeply.") from None
    except ValueError:
        raise UsageError("The request is not valid JSON: a number in it is too long.") from None


def _with_command_line(
    request: RerankRequest, *, corpus: str | None, top_k: int | None, fusion: str | None
) -> RerankRequest:
    """The request with what the command line says in place of what it says itself."""
    if fusion is not None and fusion not in _FUSIONS:
        raise UsageError(f"--fusion is {' or '.join(_FUSIONS)}, not {fusion[:40]!r}.")
    control = {name: value for name, value in {"top_k": top_k, "fusion": fusion}.items() if value is not None}
    named = corpus or request.corpus
    if named is not None and "://" not in named:
        with suppress(OSError, ValueError, RuntimeError):
            # What is cached belongs to this folder, not to the same name elsewhere.
            named = str(Path(named).resolve())
    return request.model_copy(update={"corpus": named, "control": request.control.model_copy(update=control)})


def _read_as_of(as_of: str | None) -> datetime:
    if as_of is None:
        return datetime.now(UTC)
    try:
        found = datetime.fromisoformat(as_of.strip())
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise UsageError(f"--as-of is a date such as 2026-11-15, not {as_of[:40]!r}.") from None


# --- work


def _rank_request(
    request: RerankRequest, settings: RerankSettings, telemetry: Telemetry, *, model: str | None, moment: datetime
) -> HybridResult:
    from veracity.language.embed import UniversalEmbedder
    from veracity.retrieval.cache import SqliteCache
    from veracity.retrieval.custom_facets import FILE, read_facets
    from veracity.retrieval.rerank import rerank as run
    from veracity.settings import Settings

    cache, home = SqliteCache.default(), Settings.from_env().home
    embedder, facets = UniversalEmbedder(home / "embeddings.sqlite"), read_facets(home / FILE)
    scorer = _scorer(model, settings, cache, telemetry) if request.control.llm == "on" else None
    with _corpus_if_there(request.corpus, settings) as found:
        return asyncio.run(
            run(
                request,
                settings=settings,
                corpus=found,
                scorer=scorer,
                cache=cache,
                embedder=embedder,
                facets=facets,
                clock=lambda: moment,
                telemetry=telemetry,
            )
        )


def _scorer(spec: str | None, settings: RerankSettings, cache: SqliteCache, telemetry: Telemetry) -> Scorer | None:
    if spec is None or spec.strip() in ("", "offline"):
        return None
    from veracity.llm.model_specs import chosen_model
    from veracity.llm.provider import ProviderConfig
    from veracity.retrieval.llm_scoring import ModelScorer

    config = ProviderConfig(temperature=settings.temperature, timeout=settings.llm_seconds)
    return ModelScorer(chosen_model(spec, config), settings, cache, telemetry=telemetry)


@contextmanager
def _corpus_if_there(place: str | None, settings: RerankSettings) -> Iterator[SearchCorpus | None]:
    """The corpus; where it is gone, this is told, and the ranking is made without it."""
    found = None
    try:
        found = _opened_corpus(place, settings) if place is not None else None
    except SourceError as error:
        typer.echo(f"note: ranked without a corpus: {printable(str(error))}", err=True)
    try:
        yield found
    finally:
        if found is not None:
            found.close()


def _opened_corpus(place: str, settings: RerankSettings) -> SearchCorpus:
    """The corpus of a place, brought up to date if it is a folder."""
    from veracity.retrieval.search import open_corpus

    found = open_corpus(place, rerank=settings)
    if found.folder is not None:
        with building("indexing", "") as progress:
            found.index(progress)
    return found


def _submit_review(result: HybridResult, request: RerankRequest, database: str | None) -> str:
    from veracity.retrieval.review import ReviewDesk

    with ReviewDesk.open(database) as desk:
        return desk.submit(result, request)


# --- out


def _show_ranking(result: HybridResult, request: RerankRequest, identifier: str | None, database: str | None) -> None:
    """A ranking for people: the best, the rest, what they add, what was dropped, what went wrong."""
    known = {one.id: one for one in reversed(request.candidates)}
    best = {item.candidate_id for item in result.top_k}
    places = {item.candidate_id: place for place, item in enumerate(result.ranked, start=1)}
    if result.ranked:
        typer.echo("rank  fused  score  title  [host]")
    for title, items in (
        ("best", result.top_k),
        ("also ranked", [item for item in result.ranked if item.candidate_id not in best]),
    ):
        if items:
            typer.echo(f"{title}:")
        for item in items:
            for line in _candidate_lines(item, places[item.candidate_id], known[item.candidate_id], result):
                typer.echo(line)
    typer.echo(f"coverage: {printable(result.coverage_delta)}")
    for one in result.recommended_ingest:
        typer.echo(f"take up: {printable(one.candidate_id)}: {printable(one.reason)}")
    for line in (*_dropped_lines(result), *_note_lines(result)):
        typer.echo(line)
    if identifier:
        # An address may hold a password, which is not printed.
        named = "..." if database and "://" in database else database
        where = f" --database {shlex.quote(named)}" if named else ""
        typer.echo(f"review: {identifier}; decide with: veracity review approve {identifier}{where}")


def _candidate_lines(item: RankedItem, place: int, candidate: SearchCandidate, result: HybridResult) -> Iterator[str]:
    from veracity.retrieval.addresses import host_of

    title = printable(candidate.title or candidate.url or "(no title)")
    host = host_of(candidate.url)
    yield f"{place:>3}  {item.fused_score:.5f}  {item.score:>3.0f}  {title}{f'  [{printable(host)}]' if host else ''}"
    yield f"{_INDENT}{printable(item.candidate_id)}: {printable(item.reason)}"
    gaps = set(result.flags.debug["coverage"]["gaps"])
    facets = [*item.facet_coverage.items(), *item.custom_facets.items()]
    if facets:
        marked = (f"{name} {share:.2f}{' (gap)' if name in gaps else ''}" for name, share in facets)
        yield f"{_INDENT}facets: {', '.join(marked)}"
    if item.risk_flags:
        yield f"{_INDENT}risks: {', '.join(printable(flag) for flag in item.risk_flags)}"


def _dropped_lines(result: HybridResult) -> Iterator[str]:
    """What was dropped, by reason; --json has all of it."""
    by_reason: dict[str, list[str]] = {}
    for drop in result.flags.debug["pre_filter"]["dropped"]:
        more = {"stale": "{age_days:.0f} days old", "duplicate": "of {of}", "disallowed": "{source}"}
        why = more.get(drop["reason"], "").format(**drop)
        by_reason.setdefault(drop["reason"], []).append(printable(f"{drop['id']}{f' ({why})' if why else ''}"))
    for reason, named in by_reason.items():
        rest = len(named) - _SHOWN_DROPS
        typed = ", ".join(named[:_SHOWN_DROPS])
        yield f"dropped, {reason}: {typed}{f' and {rest} more' if rest > 0 else ''}"


def _note_lines(result: HybridResult) -> Iterator[str]:
    flags, debug = result.flags, result.flags.debug
    if flags.rag_unavailable:
        problem = debug["rag"]["problem"]
        yield f"note: the corpus is unavailable{f': {printable(problem)}' if problem else '.'}"
    if flags.llm_timeout:
        yield "note: the model took too long; what it had not scored was scored by the heuristic."
    elif debug["llm"]["fallback"] not in (None, "no_model", "off"):
        yield f"note: the heuristic stood in for the model: {printable(str(debug['llm']['fallback']))}"
    if flags.diversity_unmet and result.ranked:
        kinds = debug["fusion"]["diversity_buckets"]
        yield f"note: fewer kinds of sources than wanted: {printable(', '.join(kinds))}"


# --- `veracity search`: the passages of a folder, or of a Qdrant collection, that fit a query best


_MODES: tuple[Mode, ...] = ("hybrid", "bm25", "vector")
_SEARCH_FUSIONS: tuple[FusionMethod, ...] = ("zscore", "minmax", "rrf")
_SHOWN = 5


def search(
    query: Annotated[str | None, typer.Argument(help="What to look for, in your own words.")] = None,
    corpus: Annotated[
        str, typer.Option("--corpus", help="A folder, or a Qdrant collection: http://localhost:6333/NAME.")
    ] = ".",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000, help="How many hits at most.")] = 10,
    mode: Annotated[str, typer.Option("--mode", help="hybrid, bm25 (words only) or vector (meaning only).")] = "hybrid",
    fusion: Annotated[
        str | None, typer.Option("--fusion", help="How words and meaning are joined: zscore (default), minmax or rrf.")
    ] = None,
    scope: Annotated[
        str | None, typer.Option("--scope", help="Only this collection: a folder of the corpus, or what documents say.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            help="What makes the vectors of a new index: built-in (default), https://HOST/v1#MODEL, or a folder.",
        ),
    ] = None,
    reindex: Annotated[bool, typer.Option("--reindex", help="Make all vectors anew, with --encoder.")] = False,
    folder: Annotated[
        str | None, typer.Option("--folder", help="With a Qdrant URL: the folder to index into it first.")
    ] = None,
    index_only: Annotated[bool, typer.Option("--index-only", help="Bring the index up to date and stop.")] = False,
    as_json: Json = False,
) -> None:
    """Search a folder of Markdown, text, HTML and PDF files; it is indexed first, and only what has changed is read."""
    from veracity.retrieval.contracts import RerankSettings
    from veracity.retrieval.search import open_corpus

    chosen, joined = _read_mode(mode), _read_fusion(fusion)
    if query is None and not index_only:
        raise UsageError("Write what to look for, or --index-only to index without searching.")
    opened = open_corpus(corpus, folder=folder, encoder=encoder, rerank=RerankSettings.from_env())
    try:
        report = None
        if opened.folder is not None or index_only:
            with building("indexing", "") as progress:
                report = opened.index(progress, vectors=chosen != "bm25", anew=reindex)
        hits = (
            opened.search(query or "", limit=limit, mode=chosen, fusion=joined, scope=scope) if not index_only else None
        )
    finally:
        opened.close()
    if as_json:
        _print_search_json(report, hits)
        return
    if report is not None:
        _show_index_report(report, whole=index_only)
    if hits is not None:
        _show_hits(hits, empty=report is not None and not report.passages)


def _read_mode(said: str) -> Mode:
    for mode in _MODES:
        if said == mode:
            return mode
    raise UsageError(f"--mode is {', '.join(_MODES[:-1])} or {_MODES[-1]}, not {said[:40]!r}.")


def _read_fusion(said: str | None) -> FusionMethod:
    from veracity.retrieval.search.corpus import DEFAULT_FUSION

    if said is None:
        return DEFAULT_FUSION
    for fusion in _SEARCH_FUSIONS:
        if said == fusion:
            return fusion
    raise UsageError(f"--fusion is {', '.join(_SEARCH_FUSIONS[:-1])} or {_SEARCH_FUSIONS[-1]}, not {said[:40]!r}.")


def _print_search_json(report: IndexReport | None, hits: Sequence[Hit] | None) -> None:
    """One object: `index` unless nothing was indexed, `hits` unless nothing was searched."""
    parts = [f'"index":{report.model_dump_json()}'] if report is not None else []
    if hits is not None:
        parts.append(f'"hits":[{",".join(hit.model_dump_json() for hit in hits)}]')
    sys.stdout.buffer.write(f"{{{','.join(parts)}}}\n".encode())


def _show_index_report(report: IndexReport, *, whole: bool) -> None:
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


def _show_hits(hits: Sequence[Hit], *, empty: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    if not hits:
        why = " The folder has no Markdown, text, HTML or PDF that can be read." if empty else ""
        console.print(f"Nothing was found.{why}", soft_wrap=True)
    for number, hit in enumerate(hits, 1):
        where = " > ".join(part for part in (hit.title, hit.place) if part)
        console.print(Text.assemble(f"{number:>2}. ", (printable(where), "bold")), soft_wrap=True)
        console.print(
            Text(f"    {printable(hit.id)}  {hit.score:.3f}{_hit_score_parts(hit)}", style="dim"), soft_wrap=True
        )
        console.print(Text(f"    {printable(hit.snippet)}"), soft_wrap=True)


def _hit_score_parts(hit: Hit) -> str:
    """Where the score comes from: the part and the rank by each list."""
    parts = [
        f"{name} {hit.components[f'{name}_part']:.3f} (rank {hit.components[f'{name}_rank']:.0f})"
        for name in ("bm25", "vector")
        if f"{name}_part" in hit.components
    ]
    return f" = {' + '.join(parts)}" if parts else ""
