"""`veracity requirements duplicates`: pairs that may say the same, in these files or beside what is known already."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from veracity.cli.options import Json, with_options
from veracity.cli.requirements.options import DocumentOptions, opened_documents
from veracity.errors import UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.language.embed import Embedder
    from veracity.requirements.contracts import DuplicatePair, Requirement
    from veracity.requirements.requirement_index import KnownDuplicate

_FOUND_WANTING = 1
_LONGEST_TEXT = 160
_TITLES: dict[str, str] = {
    "same": "the same:",
    "look": "look at these:",
    "veto": "alike, but something speaks against it (do they contradict each other?):",
}


@dataclass(frozen=True, slots=True)
class _ListedPair:
    """A pair for people, wherever its second requirement comes from."""

    one: Requirement
    other: Requirement
    similarity: float
    reason: str
    group: Literal["same", "look", "veto"]
    known: bool = False


@with_options(order="files as_json index keep encoder column as_")
def duplicates(
    options: DocumentOptions,
    as_json: Json = False,
    index: Annotated[
        str | None,
        typer.Option(
            "--index", help="Also compare with the requirements kept here: a file, or a Qdrant collection's URL."
        ),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep these requirements in the index afterwards.")] = False,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            help="What compares meanings: built-in, https://HOST/v1#MODEL, or a folder. Default: VERACITY_ENCODER, else built-in.",
        ),
    ] = None,
) -> None:
    """Rank pairs that may say the same. Each has a reason; exit code 1 when two surely say the same."""
    from veracity.requirements.duplicates import default_embedder, detect_duplicates
    from veracity.settings import Settings

    if keep and index is None:
        raise UsageError("--keep needs --index: where to keep them.")
    settings = Settings.from_env()
    embedder = default_embedder(settings.model_copy(update={"encoder": encoder}) if encoder else settings)
    documents = opened_documents(options, stdin=not keep)
    requirements = [one for document in documents for one in document.requirements]
    known = _known_duplicates(index, requirements, embedder, keep=keep) if index is not None else []
    pairs = detect_duplicates([one.text for one in requirements], embedder=embedder)
    if as_json:
        _print_pairs_json(requirements, pairs, known)
    else:
        _show_pairs(
            sorted(
                [*_pairs_in_files(requirements, pairs), *_pairs_with_known(known)], key=lambda pair: -pair.similarity
            )
        )
    same = any(pair.band == "same" for pair in pairs) or any(pair.band == "same" for pair in known)
    raise typer.Exit(_FOUND_WANTING if same else 0)


def _known_duplicates(
    index: str, requirements: Sequence[Requirement], embedder: Embedder, *, keep: bool
) -> list[KnownDuplicate]:
    """What the index knows already; the documents themselves are no news in it."""
    from veracity.requirements.requirement_index import open_requirement_index

    opened = open_requirement_index(index, embedder=embedder)
    try:
        own = {one.place.path for one in requirements}
        found = [pair for pair in opened.duplicates(requirements) if pair.known.place.path not in own]
        if keep:
            opened.put(requirements)
            _note_count(opened.count(), index)
        return found
    finally:
        opened.close()


def _note_count(count: int, index: str) -> None:
    kept = "requirement is" if count == 1 else "requirements are"
    typer.echo(f"{count:,} {kept} kept in {printable(index)}", err=True)


def _pairs_in_files(requirements: Sequence[Requirement], pairs: Sequence[DuplicatePair]) -> Iterator[_ListedPair]:
    for pair in pairs:
        one, other = requirements[pair.req1_idx], requirements[pair.req2_idx]
        yield _ListedPair(one, other, pair.similarity, pair.reason, "veto" if pair.vetoes else pair.band)


def _pairs_with_known(known: Sequence[KnownDuplicate]) -> Iterator[_ListedPair]:
    for pair in known:
        group = "veto" if pair.vetoes else pair.band
        yield _ListedPair(pair.requirement, pair.known, pair.similarity, pair.reason, group, known=True)


def _print_pairs_json(
    requirements: Sequence[Requirement], pairs: Sequence[DuplicatePair], known: Sequence[KnownDuplicate]
) -> None:
    """`pairs` names requirements by their places in `requirements`; `known` holds both in full."""
    made = {
        "requirements": [one.model_dump(mode="json") for one in requirements],
        "pairs": [pair.model_dump(mode="json") for pair in pairs],
        "known": [pair.model_dump(mode="json") for pair in known],
    }
    sys.stdout.buffer.write(f"{json.dumps(made, ensure_ascii=False)}\n".encode())


def _show_pairs(pairs: Sequence[_ListedPair]) -> None:
    from veracity.requirements.reports.text import counted

    for group, title in _TITLES.items():
        told = [pair for pair in pairs if pair.group == group]
        if told:
            typer.echo(title)
        for pair in told:
            for line in _pair_lines(pair):
                typer.echo(line)
    same, vetoed = (sum(pair.group == group for pair in pairs) for group in ("same", "veto"))
    typer.echo(
        f"{counted(len(pairs), 'pair')}: {same:,} the same, {len(pairs) - same - vetoed:,} to look at, {vetoed:,} with a veto"
    )


def _pair_lines(pair: _ListedPair) -> Iterator[str]:
    from veracity.contracts import clip
    from veracity.requirements.reports.text import hundredths, where

    yield f"  {hundredths(pair.similarity)}  {printable(pair.reason)}"
    for one, mark in ((pair.one, ""), (pair.other, " (known)" if pair.known else "")):
        text = clip(" ".join(one.text.split()), _LONGEST_TEXT)
        yield f"        {where(one.place)}: {printable(one.id)}{mark}: {printable(text)}"
