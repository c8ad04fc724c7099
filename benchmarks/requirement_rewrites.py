"""A real model rewrites requirements: how often it makes something up, and whether each of these was caught.

    python benchmarks/requirement_rewrites.py --model SPEC [--data FILE] [--limit 10] [--out eval-results/rewrites.jsonl]

The data is a file of requirements, of which those below the pass mark are taken, evenly spread; or a .jsonl file with `id`, `text` and
`lang`, such as `../shared/data/requirements/arta_ds1.jsonl`. Default: the ten of `requirement_rewrites.md` beside this script.

What was made up is found here by other means than in the product, and more coarsely: every digit, number word and abbreviation of the
raw draft that the requirement does not have. Caught is what is listed as an assumption, or is not in the rewrite any more. Nobody
answers any question. A line per requirement is kept in --out; a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import TYPE_CHECKING, Any

from veracity.agent.loop import Model
from veracity.errors import VeracityError
from veracity.llm.model_specs import chosen_model
from veracity.requirements.contracts import Place, Requirement, Rewrite
from veracity.requirements.evaluate import judge
from veracity.requirements.improve import first_wording, rewrite_with_answers
from veracity.requirements.reading import read_requirements

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters

HERE = Path(__file__).parent
SLOT = re.compile(r"\[[^\[\]\n]*\?\]")
DIGITS = re.compile(r"\d+")
ABBREVIATION = re.compile(r"\b[A-ZÄÖÜ]{2,}\b")
WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|dozen|half|daily|weekly|monthly|hourly|"
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|hundert|tausend|dutzend|täglich|wöchentlich|monatlich|stündlich)\b",
    re.IGNORECASE,
)
NO_NAMES = frozenset(
    ("GIVEN", "WHEN", "THEN", "AND", "SHALL", "MUST", "NOT", "UND", "DANN", "WENN", "ANGENOMMEN", "MUSS")
)


@dataclass(slots=True)
class Recorder:
    """A model that keeps what it sent."""

    model: Model
    sent: list[dict[str, Any]] = field(default_factory=list)

    async def __call__(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> ModelResponse:
        """One turn."""
        response = await self.model(messages, parameters)
        for part in response.tool_calls:
            found = part.args if isinstance(part.args, dict) else _object(part.args or "")
            self.sent.append(found)
        return response


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {"corrected_text": text}
    return found if isinstance(found, dict) else {"corrected_text": text}


def made_up(original: str, raw: str) -> list[str]:
    """Digits, number words and abbreviations of a draft that the requirement does not have; open slots say nothing."""
    said = SLOT.sub(" ", raw)
    digits = set(DIGITS.findall(original))
    found = [one for one in DIGITS.findall(said) if one not in digits]
    found += [one for one in WORDS.findall(said) if one.casefold() not in original.casefold()]
    found += [one for one in ABBREVIATION.findall(said) if one not in NO_NAMES and one not in original]
    return list(dict.fromkeys(found))


def slipped(invented: Sequence[str], made: Rewrite) -> list[str]:
    """What was made up, stands in the rewrite, and is neither listed nor asked about."""
    text = SLOT.sub(" ", "\n".join((made.corrected_text, *made.acceptance_criteria)))
    listed = " ".join(one.what for one in made.assumptions)
    return [one for one in invented if re.search(rf"\b{re.escape(one)}", text) and one not in listed]


async def rewritten(requirement: Requirement, model: Model) -> dict[str, Any]:
    """What the model made of one requirement, and what became of that."""
    recorder, began = Recorder(model), perf_counter()
    judged = judge(requirement)
    lang = judged.requirement.lang
    wording = await first_wording(requirement.text, model=recorder, lang=lang)
    seconds = perf_counter() - began
    made = rewrite_with_answers(requirement.text, wording, {}, lang=lang, name=requirement.id)
    last = recorder.sent[-1] if recorder.sent else {}
    raw = "\n".join(str(last.get(name) or "") for name in ("corrected_text", "acceptance_criteria")).strip()
    own = " ".join(str(last.get("corrected_text", "")).split()) == wording.text
    invented = made_up(requirement.text, raw)
    return {
        "id": requirement.id,
        "text": requirement.text,
        "raw": raw,
        "used": own,
        "status": made.status,
        "before": judged.evaluation.score,
        "after": made.score,
        "rewrite": made.corrected_text,
        "assumptions": [one.what for one in made.assumptions],
        "made_up": invented,
        "slipped": slipped(invented, made),
        "accepted_with_something_made_up": made.status == "accepted" and bool(invented) and own,
        "seconds": round(seconds, 1),
    }


def chosen(path: Path, limit: int) -> list[Requirement]:
    """Requirements below the pass mark, evenly spread over the file."""
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found = [
            Requirement(id=str(row["id"]), text=row["text"], place=Place(path=str(path)), lang=row.get("lang"))
            for row in rows
        ]
    else:
        found = list(read_requirements(path))
    failing = [one for one in found if judge(one).evaluation.verdict == "fail"]
    step = max(1, len(failing) // limit)
    return failing[::step][:limit]


def kept(out: Path, model: str) -> dict[str, dict[str, Any]]:
    """What an earlier run with this model has done already, by the text of the requirement."""
    if not out.exists():
        return {}
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {row["text"]: row for row in rows if row["model"] == model}


async def run(requirements: Sequence[Requirement], model: Model, name: str, out: Path) -> list[dict[str, Any]]:
    """One after the other: a small model on a small machine has no use for more."""
    done, rows = kept(out, name), list[dict[str, Any]]()
    out.parent.mkdir(parents=True, exist_ok=True)
    for requirement in requirements:
        row = done.get(requirement.text)
        if row is None:
            row = {"model": name, **await rewritten(requirement, model)}
            with out.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        rows.append(row)
        print(
            f"{row['id']}  {row['before']:.2f} -> {row['after']:.2f}  {row['status']}  made up: {row['made_up'] or '-'}"
        )
    return rows


def report(rows: Sequence[dict[str, Any]]) -> None:
    """The figures, and every case in which something slipped through."""
    own = [row for row in rows if row["used"]]
    invented = [row for row in rows if row["made_up"]]
    missed = [row for row in rows if row["slipped"] or row["accepted_with_something_made_up"]]
    asked = sum(row["used"] for row in invented if row not in missed)
    statuses = ", ".join(
        f"{sum(row['status'] == status for row in rows)} {status}"
        for status in ("accepted", "needs_confirmation", "rejected")
    )
    print(f"\n{len(rows)} requirements; {len(own)} rewritten by the model, {len(rows) - len(own)} as skeletons instead")
    print(
        f"drafts with something made up: {len(invented)}; asked about: {asked}; given up with the whole draft: "
        f"{len(invented) - asked - len(missed)}; missed: {len(missed)}"
    )
    print(f"status without an answer: {statuses}")
    # A text with open slots scores low until they are filled in: only the others can be compared.
    whole = [row for row in own if not SLOT.search(row["rewrite"])]
    if whole:
        before, after = mean(row["before"] for row in whole), mean(row["after"] for row in whole)
        print(f"mean score of the {len(whole)} drafts without open slots: {before:.2f} -> {after:.2f}")
    print(f"mean seconds: {mean(row['seconds'] for row in rows):.1f}")
    for row in missed:
        print(f"missed in {row['id']}: {row['slipped'] or row['made_up']} in {row['rewrite']!r}")


def main() -> None:
    """Run, or go on, and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--model", required=True, help="http://HOST/v1[#NAME], openai:NAME, anthropic:NAME")
    parser.add_argument("--data", type=Path, default=HERE / "requirement_rewrites.md")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("eval-results/rewrites.jsonl"))
    given = parser.parse_args()
    if given.limit < 1:
        parser.error("--limit is at least 1")
    try:
        requirements = chosen(given.data, given.limit)
        model = chosen_model(given.model)
        rows = asyncio.run(run(requirements, model, model.name, given.out))
    except (VeracityError, OSError, ValueError, KeyError) as problem:
        sys.exit(f"requirement_rewrites: {problem}")
    if not rows:
        sys.exit(f"requirement_rewrites: {given.data} has no requirement below the pass mark.")
    report(rows)


if __name__ == "__main__":
    main()
