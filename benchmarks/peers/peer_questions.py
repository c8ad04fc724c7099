"""The questions that the peers are asked, by source, each source with its data as a SQLite file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from peer_data import copy_tables

from veracity.errors import UsageError
from veracity.evals.cases import EvalCase, NamedSource, QuestionSet, load_questions
from veracity.evals.modes import Setup, hints_of
from veracity.evals.run import with_gold_rows
from veracity.settings import Settings
from veracity.tools.open import DEFAULT_FEATURE, chosen_feature, open_tables

LEDGER = "ledger"
"""What a question without a source is about: the shipped ledger."""


@dataclass(frozen=True)
class PeerSource:
    """A source as every peer gets it, and the questions about it."""

    name: str
    database: Path
    cases: tuple[EvalCase, ...]
    hints: str = ""
    """What an expert wrote about the data; empty where nobody did."""
    examples: tuple[dict[str, str], ...] = ()
    """Questions with their SQL: the canonical queries of the hints, as a peer that writes SQL needs them."""

    @cached_property
    def digest(self) -> str:
        """Of the data."""
        return hashlib.sha256(self.database.read_bytes()).hexdigest()

    def setup(self) -> dict[str, Any]:
        """What a peer is told about the source, but for its file."""
        return {"hints": self.hints, "examples": list(self.examples)}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which questions of a file are asked."""

    sources: tuple[str, ...] = ()
    """Without any: all."""
    only: tuple[str, ...] = ()
    """Ids of questions; without any: all."""
    every: int = 1
    """Every so many-th question of each source, in the order of the file, from the first on."""

    def of(self, questions: QuestionSet, file: str) -> dict[str, tuple[EvalCase, ...]]:
        """The selected questions by source; raises `UsageError` where a name is wrong or nothing is left."""
        taken = {case.id for case in questions.every(self.every).cases}
        by_source = {
            name: tuple(case for case in questions.cases if (case.source or LEDGER) == name)
            for name in questions.sources or (LEDGER,)
        }
        if unknown := [name for name in self.sources if name not in by_source]:
            raise UsageError(f"{file} has no source {', '.join(unknown)}; it has {', '.join(by_source)}.")
        chosen = {name: cases for name, cases in by_source.items() if not self.sources or name in self.sources}
        known = {case.id for cases in chosen.values() for case in cases}
        if lacking := [name for name in self.only if name not in known]:
            raise UsageError(f"{file} has no question {', '.join(lacking)} about {', '.join(chosen)}.")
        found = {
            name: tuple(case for case in cases if case.id in taken and (not self.only or case.id in self.only))
            for name, cases in chosen.items()
        }
        if not any(found.values()):
            raise UsageError(f"{file} has no question about {', '.join(chosen)}.")
        return {name: cases for name, cases in found.items() if cases}


async def prepared(file: Path, selection: Selection, folder: Path, settings: Settings) -> tuple[PeerSource, ...]:
    """The selected questions of a file with their expected rows, and the data that they are about as files in a folder."""
    questions = load_questions(file)
    data = questions.sources or {LEDGER: NamedSource(feature=DEFAULT_FEATURE)}
    chosen = selection.of(questions, file.name)
    return tuple(
        [
            await copied(name, data[name], cases, folder / f"source{number}.sqlite", settings)
            for number, (name, cases) in enumerate(chosen.items(), 1)
        ]
    )


async def copied(
    name: str, data: NamedSource, cases: tuple[EvalCase, ...], target: Path, settings: Settings
) -> PeerSource:
    """One source, copied as it is without an ontology."""
    with closing(
        open_tables(
            data.source,
            feature=data.feature,
            ontology=data.ontology,
            scope=data.scope or None,
            use_ontology=False,
            settings=settings,
        )
    ) as tables:
        await copy_tables(tables, target)
        gold = tuple([await with_gold_rows(case, tables) for case in cases])
    feature = chosen_feature(data.source, data.feature, data.ontology)
    hints = hints_of(Setup(source=data.source, feature=data.feature, ontology=data.ontology))
    return PeerSource(name, target, gold, hints, tuple(sql_examples().get(feature.code if feature else "", ())))


def sql_examples() -> Mapping[str, list[dict[str, str]]]:
    """By feature: the canonical queries of its hints as SQL, with values of their own."""
    file = Path(__file__).parent / "sql_examples.json"
    found: dict[str, list[dict[str, str]]] = json.loads(file.read_text(encoding="utf-8"))
    return found
