"""Drafts kept in the data folder, one for each source, so that no answer is lost and none is asked for twice."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import ValidationError

from veracity.ontology.draft.draft import OntologyDraft


def place_of(home: Path, source: str, *, automatic: bool = False) -> Path:
    """Where the draft of a source is kept; a password in its address is not in the name.

    One that was made because somebody asked a question lies apart from one that somebody asked for.
    """
    whole = source if "://" in source else str(Path(source).expanduser().absolute())
    name = re.sub(r"\W+", "-", Path(whole.partition("?")[0].rpartition("/")[2].rpartition("@")[2]).stem)[:40].strip("-")
    folder = "automatic-drafts" if automatic else "drafts"
    return home / folder / f"{name or 'source'}-{sha256(whole.encode()).hexdigest()[:12]}.json"


def kept_draft(place: Path) -> OntologyDraft | None:
    """The draft that is kept there; nothing where there is none, or one that this version cannot read."""
    try:
        return OntologyDraft.model_validate_json(place.read_bytes())
    except (OSError, ValidationError):
        return None


def keep_draft(draft: OntologyDraft, place: Path) -> None:
    """Keep a draft; a program that stops half-way leaves the one before."""
    write_whole(place, draft.model_dump_json())


def write_whole(place: Path, text: str) -> None:
    """Write a file in one step."""
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = place.stat().st_mode & 0o777 if place.exists() else 0o600
    with NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, prefix=".draft-", delete=False) as stream:
        stream.write(text)
    made = Path(stream.name)
    made.chmod(mode)
    made.replace(place)


def with_kept_answers(draft: OntologyDraft, kept: OntologyDraft | None) -> OntologyDraft:
    """A new draft with the answers that were given before, where their questions are still asked."""
    from veracity.errors import UsageError

    for question, option in (kept.answers if kept else {}).items():
        try:
            draft = draft.answered(question, option)
        except UsageError:
            continue  # the column is gone, or the value that was chosen
    return draft
