"""`veracity review list | show | approve | reject | work`: which sources may enter the corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import Json, user_name
from veracity.errors import ReviewClosed

if TYPE_CHECKING:
    from rich.console import Console

    from veracity.retrieval.ingest import Ingest
    from veracity.retrieval.review import Review, ReviewDesk, ReviewSummary

_NARROWEST = 60
_REFUSED = 1

Database = Annotated[
    str | None,
    typer.Option(
        "--database", help="A file, or postgresql://... Default: the store of this user, which the server shows, too."
    ),
]
ReviewId = Annotated[str, typer.Argument(help="The id of a review, or its beginning.")]
Who = Annotated[str | None, typer.Option("--who", help="Who decides. Default: your user name.")]

app = typer.Typer(
    help="Decide which sources may enter the corpus; what nobody decides in time, the clock does.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_(
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=10_000, help="How many, newest first.")] = 20,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only those that wait for a decision.")] = False,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """List the reviews: what was asked, where it stands, until when it can be decided."""
    with _opened_desk(database) as desk:
        found = desk.list(count, state="waiting" if waiting else None)
    if as_json:
        typer.echo(f"[{','.join(one.model_dump_json() for one in found)}]")
    elif not found:
        typer.echo("There is no review.")
    else:
        _show_list(found)


@app.command("show")
def show(review_id: ReviewId, database: Database = None, as_json: Json = False) -> None:
    """Show one review: the ranking, the decision, and what became of the approved sources."""
    with _opened_desk(database) as desk:
        review = desk.show(review_id)
    if as_json:
        typer.echo(review.model_dump_json())
    else:
        _show_review(review)


@app.command("approve")
def approve(
    review_id: ReviewId,
    only: Annotated[
        str | None, typer.Option("--only", help="Only these candidates: doc-417,doc-812. Default: the top ones.")
    ] = None,
    who: Who = None,
    database: Database = None,
) -> None:
    """Approve sources; a worker takes them up."""
    with _opened_desk(database) as desk:
        names = None if only is None else only.split(",")
        review = _decide_or_exit(lambda: desk.approve(review_id, names, who or user_name()))
    listed = ", ".join(review.hitl.candidate_ids) or "nothing"
    typer.echo(f"{review.review_id} is approved: {listed}. A worker takes it up: veracity review work")


@app.command("reject")
def reject(
    review_id: ReviewId,
    why: Annotated[str, typer.Option("--why", help="Why none of the sources may enter.")],
    who: Who = None,
    database: Database = None,
) -> None:
    """Reject a review as a whole."""
    with _opened_desk(database) as desk:
        review = _decide_or_exit(lambda: desk.reject(review_id, why, who or user_name()))
    typer.echo(f"{review.review_id} is rejected.")


@app.command("work")
def work(
    database: Database = None,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", help="The folder for approved sources. Default: corpus in the data folder."),
    ] = None,
    drain: Annotated[bool, typer.Option("--drain", help="End when all that is decided or due is done.")] = False,
) -> None:
    """Look after reviews until stopped: wait for decisions and deadlines, take up what was approved."""
    from veracity.durable.worker import Worker, stopped_by_signals
    from veracity.server.config import ServerSettings
    from veracity.server.tenant_folders import TenantFolders
    from veracity.settings import Settings

    home = Settings.from_env()
    folder = Path(corpus) if corpus else home.home / "corpus"
    stop = stopped_by_signals()
    # The store holds the reviews of other tenants, too: what they approve goes to their own folders.
    with _opened_desk(database, TenantFolders(ServerSettings(corpus=str(folder)), home)) as desk:
        where = f"Looking after the reviews in {desk.durable.shown}; approved sources go to {folder}."
        typer.echo(f"{where} Stop with Ctrl-C: nothing is lost.", err=True)
        Worker([desk], drain=drain).run(stop)


def _opened_desk(database: str | None, ingest: Ingest | None = None) -> ReviewDesk:
    from veracity.retrieval.review import ReviewDesk

    return ReviewDesk.open(database, ingest=ingest)


def _decide_or_exit(decide: Any) -> Review:
    try:
        review: Review = decide()
    except ReviewClosed as refusal:
        typer.echo(f"veracity: {refusal}", err=True)
        raise typer.Exit(_REFUSED) from None
    return review


def _show_list(found: tuple[ReviewSummary, ...]) -> None:
    from rich.console import Console
    from rich.text import Text

    from veracity.cli.show import safe

    console = Console()
    for one in found:
        until = f"  until {one.deadline:%Y-%m-%d %H:%M} UTC" if one.hitl.state == "waiting" else ""
        line = Text(f"{one.review_id}  {one.line}{until}  {safe(one.question)}")
        # --json has every question in full.
        line.truncate(max(console.width, _NARROWEST), overflow="ellipsis")
        console.print(line, soft_wrap=True)


def _show_review(review: Review) -> None:
    from rich.console import Console

    from veracity.cli.show import say

    console, titles = Console(), {one.id: one.title for one in review.request.candidates}
    say(console, f"{review.review_id}  {review.line}", indent="")
    say(console, f"? {review.question}", indent="", style="bold")
    say(console, review.result.coverage_delta)
    for place, item in enumerate(review.result.top_k, 1):
        flags = f"  risk: {', '.join(item.risk_flags)}" if item.risk_flags else ""
        say(console, f"{place}. {item.candidate_id}  {item.score:g}  {titles.get(item.candidate_id, '')}{flags}")
        if item.reason:
            say(console, item.reason, indent="       ", style="dim")
    for wanted in review.result.recommended_ingest:
        say(console, f"+ {wanted.candidate_id}  {wanted.reason}")
    _show_decision(console, review)


def _show_decision(console: Console, review: Review) -> None:
    from veracity.cli.show import say

    hitl, counts = review.hitl, review.summary
    if hitl.state == "waiting":
        say(console, f"waits for a decision until {review.deadline:%Y-%m-%d %H:%M:%S} UTC", indent="")
        return
    when = f" at {hitl.at:%Y-%m-%d %H:%M:%S} UTC" if hitl.at else ""
    why = f": {hitl.why}" if hitl.why else ""
    say(console, f"{hitl.state.replace('_', '-')} by {hitl.who}{when}{why}", indent="")
    for one in review.outcomes:
        say(console, f"{one.state}  {one.candidate_id}  {one.place or one.why or ''}".rstrip())
    if review.outcomes:
        say(
            console,
            f"{counts.ingested_count} ingested, {counts.failed_count} failed, {counts.pending_count} pending "
            f"({counts.success_ratio:.0%})",
            indent="",
        )
