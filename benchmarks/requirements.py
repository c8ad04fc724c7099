"""How well the rules and the search for duplicates agree with people, and how fast both are.

    python benchmarks/requirements.py [rules] [duplicates] [speed]

`rules`: precision and recall per requirement against hand-made labels (ARTA DS1, 985 requirements), next to the base rate, that is the
precision of flagging everything, and next to the two tools whose output comes with the data. `duplicates`: all pairs of 743 feature
requests of Redmine, ranked, against the 173 duplicate links of its tracker. `speed`: requirements per second of `check` on one core,
and the seconds for the duplicates among 10,000 once embedded. The data is read from `../shared/data/requirements/` or the folder in
VERACITY_DATA. `VERACITY_ENCODER` names another encoder for the duplicates. Both sets were looked at while the rules and the vetoes were written: these are development figures.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veracity.language.embed import identity_of
from veracity.requirements.contracts import DuplicatePair, Judged, Place, Requirement
from veracity.requirements.duplicates import LOOK, default_embedder, detect_duplicates
from veracity.requirements.evaluate import judge

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("VERACITY_DATA") or ROOT.parent / "shared" / "data") / "requirements"
VAGUE = ("subjective", "ambiguous_adv_adj", "nonverifiable", "loophole")
COMPARED: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("vague", ("VAGUE", "BENEFITVAGUE", "ESCAPE", "OPEN", "QUALPRED"), VAGUE),
    ("weak modal", ("WEAKMODAL",), ("uncertain_verb",)),
    ("comparative", ("COMP",), ("comparative",)),
    ("superlative", ("SUP",), ("superlative",)),
    ("negation (hint)", ("NEG",), ("negative",)),
    ("pronoun (hint)", ("PRON",), ("vague_pronoun",)),
)
"""What is compared: rules of ours, and the labels that mean the same."""
TOOLS = {"tool_arta": "ARTA", "tool_smella": "Smella"}
GOAL_PER_SECOND, GOAL_SECONDS, MANY = 1_000, 60, 10_000


def lines_of(name: str) -> list[dict[str, Any]]:
    """The lines of a data file; the run ends with a sentence when it is missing."""
    path = FOLDER / name
    if not path.exists():
        sys.exit(f"{path} is missing: set VERACITY_DATA to the folder that holds requirements/{name}.")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How flags agree with labels."""

    precision: float
    recall: float
    flagged: int

    @classmethod
    def of(cls, flags: Sequence[bool], labels: Sequence[bool]) -> Agreement:
        """Counted over requirements."""
        both = sum(flag and label for flag, label in zip(flags, labels, strict=True))
        return cls(both / max(1, sum(flags)), both / max(1, sum(labels)), sum(flags))

    def __str__(self) -> str:
        return f"{self.precision:.2f} | {self.recall:.2f} | {self.flagged}"


# --- rules


def rules() -> None:
    """A row per kind of finding and tool, then the verdict against having any label at all."""
    rows = lines_of("arta_ds1.jsonl")
    judged = [judge(_requirement(row)) for row in rows]
    print("| what | by | precision | recall | flagged | base rate |\n|---|---|---|---|---|---|")
    for name, own, labels in COMPARED:
        truth = [any(row["labels"][label] for label in labels) for row in rows]
        flags = [any(finding.rule in own for finding in one.findings) for one in judged]
        _row(name, "Veracity", flags, truth)
        for key, tool in TOOLS.items():
            _row(name, tool, [any(row[key][label] for label in labels) for row in rows], truth)
    any_label = [any(row["labels"].values()) for row in rows]
    _row("any label", "score below 0.7", [one.evaluation.verdict == "fail" for one in judged], any_label)
    _row("any label", "any finding", [bool(one.findings) for one in judged], any_label)
    _located(rows, judged)
    clean = [one for one, label in zip(judged, any_label, strict=True) if not label]
    warned = [sum(finding.severity != "info" for finding in one.findings) for one in clean]
    print(f"{len(clean)} requirements without a label: {sum(warned)} warnings in {sum(map(bool, warned))} of them")


def _row(name: str, by: str, flags: Sequence[bool], truth: Sequence[bool]) -> None:
    print(f"| {name} | {by} | {Agreement.of(flags, truth)} | {sum(truth) / len(truth):.2f} |")


def _located(rows: Sequence[dict[str, Any]], judged: Sequence[Judged]) -> None:
    """Of the places of vague words: how many hold a labelled word, and how many labelled words lie in one."""
    _, own, _ = COMPARED[0]
    right = told = found = marked = 0
    for row, one in zip(rows, judged, strict=True):
        words = {word.casefold() for label in VAGUE for word in row["labels"][label]}
        places = [finding.text.casefold() for finding in one.findings if finding.rule in own]
        told, marked = told + len(places), marked + len(words)
        right += sum(any(word in place or place in word for word in words) for place in places)
        found += sum(any(word in place or place in word for place in places) for word in words)
    print(f"the very words of `vague`: precision {right / max(1, told):.2f}, recall {found / max(1, marked):.2f}")


def _requirement(row: dict[str, Any]) -> Requirement:
    return Requirement(id=row["id"], text=row["text"], place=Place(path=row["source"]), lang=row["lang"])


# --- duplicates


def duplicates() -> None:
    """Average precision and F1 of the ranking, with every pair that is near enough and as it is shown; then the bands."""
    features = lines_of("redmine_features.jsonl")
    places = {feature["id"]: at for at, feature in enumerate(features)}
    linked = {_linked(row["id"], places) for row in lines_of("redmine_duplicate_pairs.jsonl")}
    texts = [feature["text"] for feature in features]
    embedder = default_embedder()
    print(f"encoder: {identity_of(embedder)}")
    count = len(texts) * (len(texts) - 1) // 2
    print(f"{len(linked)} links among {count:,} pairs: base rate {len(linked) / count:.5f}")
    print("| ranked by | average precision | best F1 | precision there | recall there |\n|---|---|---|---|---|")
    everything = detect_duplicates(texts, embedder=embedder, look=0.0)
    _ranking("cosine of the embeddings alone", _by_cosine(embedder.embed(texts)), linked)
    _ranking("similarity, without vetoes", [_pair(one) for one in sorted(everything, key=_likest)], linked)
    _ranking("similarity, vetoed pairs last", [_pair(one) for one in everything], linked)
    shown = detect_duplicates(texts, embedder=embedder)
    _ranking(f"what is shown (from {LOOK})", [_pair(one) for one in shown], linked)
    _bands(shown, linked)


def _bands(shown: Sequence[DuplicatePair], linked: set[tuple[int, int]]) -> None:
    groups: dict[str, Callable[[DuplicatePair], bool]] = {
        "same": lambda one: one.band == "same",
        "look, no veto": lambda one: one.band == "look" and not one.vetoes,
        "vetoed": lambda one: bool(one.vetoes),
    }
    for name, belongs in groups.items():
        pairs = [_pair(one) for one in shown if belongs(one)]
        print(f"{name}: {len(pairs)} pairs, {sum(pair in linked for pair in pairs)} of them linked in the tracker")


def _linked(written: str, places: dict[int, int]) -> tuple[int, int]:
    one, other = sorted(places[int(number)] for number in written.split("-"))
    return one, other


def _pair(found: DuplicatePair) -> tuple[int, int]:
    return found.req1_idx, found.req2_idx


def _likest(found: DuplicatePair) -> tuple[float, tuple[int, int]]:
    return -found.similarity, _pair(found)


def _by_cosine(vectors: NDArray[np.float32]) -> list[tuple[int, int]]:
    rows, columns = np.triu_indices(len(vectors), 1)
    order = np.argsort(-(vectors @ vectors.T)[rows, columns], kind="stable")
    return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))


def _ranking(name: str, ranked: Sequence[tuple[int, int]], linked: set[tuple[int, int]]) -> None:
    hits, total, best = 0, 0.0, (0.0, 0.0, 0.0)
    for place, pair in enumerate(ranked, 1):
        if pair in linked:
            hits += 1
            precision, recall = hits / place, hits / len(linked)
            total += precision
            best = max(best, (2 * precision * recall / (precision + recall), precision, recall))
    print(f"| {name} | {total / len(linked):.3f} | {best[0]:.2f} | {best[1]:.2f} | {best[2]:.2f} |")


# --- speed


class _Kept:
    """Vectors that are there at once, as from a cache; made-up ones take as long to compare. The second half is near the first."""

    def __init__(self, count: int) -> None:
        made = np.random.default_rng(8).standard_normal((count, 512), dtype=np.float32)
        made[count // 2 :] = 0.3 * made[count // 2 :] + made[: count - count // 2]
        self._vectors: NDArray[np.float32] = np.divide(made, np.linalg.norm(made, axis=1, keepdims=True))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors[: len(texts)]


def speed() -> None:
    """Seconds of CPU for `check`, seconds on the clock for duplicates."""
    requirements = [_requirement(row) for row in lines_of("arta_ds1.jsonl")]
    judge(requirements[0])
    fastest = min(_seconds(lambda: [judge(one) for one in requirements]) for _ in range(3))
    print(f"check: {len(requirements) / fastest:,.0f} requirements per second and core (goal {GOAL_PER_SECOND:,})")
    texts, vectors = _many([one.text for one in requirements]), _Kept(MANY)
    started = perf_counter()
    found = detect_duplicates(texts, embedder=vectors)
    taken = perf_counter() - started
    print(f"duplicates among {MANY:,}, embedded: {taken:.1f} s (goal {GOAL_SECONDS}), {len(found):,} pairs")


def _many(texts: Sequence[str]) -> list[str]:
    """So many requirements from the words of these; in the second half, those of the first with one word less."""
    random, words = Random(8), " ".join(texts).split()
    first = [random.sample(words, random.randint(8, 25)) for _ in range(MANY // 2)]
    return [" ".join(one) for one in (*first, *(one[:-1] for one in first))]


def _seconds(work: Callable[[], object]) -> float:
    started = process_time()
    work()
    return process_time() - started


if __name__ == "__main__":
    parts = {"rules": rules, "duplicates": duplicates, "speed": speed}
    for part in sys.argv[1:] or parts:
        print(f"# {part}")
        parts[part]()
