"""How well figures in free text are bound to cells, and what it costs.

    python benchmarks/grounding.py [tatqa] [rotowire] [speed]

Data: `../shared/data/grounding/` beside the project, or the folder in VERACITY_DATA with `grounding/` inside. TAT-QA dev gives
718 arithmetic questions with their derivations: each becomes a declared claim over the table, and over the numbers of the
paragraphs. RotoWire gives 60 texts over box scores in which people marked the wrong numbers.
"""

from __future__ import annotations

import json
import os
import random
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

from veracity.answer.render import Echo
from veracity.answer.results import Result
from veracity.answer.values import number_of
from veracity.grounding.binding.answer_page import AnswerPage
from veracity.grounding.binding.bind import Bound, bind, bind_page
from veracity.grounding.binding.foreign_results import foreign_results
from veracity.grounding.binding.results_index import Index
from veracity.grounding.contracts import DeclaredClaim, GroundedColumn, GroundedResult, GroundRequest
from veracity.grounding.statements.read import statements_of
from veracity.grounding.statements.whole_sentences import TextRead, proven_contradictions
from veracity.language.numbers import find_figures

FOLDER = Path(os.environ.get("VERACITY_DATA") or Path(__file__).parents[2] / "shared" / "data") / "grounding"
SEED = 7


def lines_of(name: str) -> list[Any]:
    path = FOLDER / name
    if not path.exists():
        sys.exit(f"{path} is missing: set VERACITY_DATA to the folder that holds grounding/{name}.")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# --- TAT-QA: declared derivations

TOKEN = re.compile(
    r"\s+|(?P<number>\$?\s?[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+)\s?(?P<percent>%?)|(?P<sign>[-+*/()\[\]×÷–−])"
)
AMOUNT = re.compile(r"(?!(?:19|20)[0-9][0-9]$)[\s$€£(-]*[0-9][0-9.,]*[)%\s]*")
"""A cell with a number that is no year: below the headings."""
SIGNS = str.maketrans({"[": "(", "]": ")", "×": "*", "÷": "/", "–": "-", "−": "-"})
SCALES = {"thousand": " thousand", "million": " million", "billion": " billion", "percent": "%", "": ""}


@dataclass(frozen=True)
class Derived:
    """A question of TAT-QA: its answer, and the claim that it is this expression over these results."""

    results: dict[str, Result]
    expression: str
    answer: Decimal
    scale: str

    def accepts(self, answer: Decimal, scale: str | None = None) -> bool:
        """Whether this answer passes with the same declared derivation."""
        said = f"{answer:,f}{SCALES[self.scale if scale is None else scale]}"
        claim = DeclaredClaim(text=said, expression=self.expression)
        bound = bind(f"It is {said}.", self.results, locale="en", echo=Echo(), constants={}, claims=[claim])
        return bool(bound) and all(one.provenance.status == "bound" for one in bound)


def derived_of(question: Mapping[str, Any]) -> Derived:
    scale = question["scale"] if question["scale"] in ("thousand", "million", "billion") else None
    width = max(len(row) for row in question["table"])
    lines = [[*row, *[""] * (width - len(row))] for row in question["table"]]
    head = next((at for at, row in enumerate(lines) if any(AMOUNT.fullmatch(cell) for cell in row[1:])), 0)
    columns = tuple(
        GroundedColumn(
            name=f"c{at}", label=" ".join(row[at] for row in lines[:head]) or None, scale=scale if at else None
        )
        for at in range(width)
    )
    rows = tuple(lines[head:])
    table = GroundedResult(id="t", columns=columns, rows=rows)
    results = foreign_results([table, *said_in(question["paragraphs"], scale)])
    answer = Decimal(str(question["answer"] if not isinstance(question["answer"], list) else question["answer"][0]))
    return Derived(results, expression_of(question["derivation"], results), answer, question["scale"])


def said_in(paragraphs: Sequence[str], scale: Any) -> Iterator[GroundedResult]:
    """The numbers of the paragraphs, those in thousands, millions and billions apart; the others are as in the table."""
    found: dict[str, list[list[Any]]] = {}
    for paragraph in paragraphs:
        for figure in find_figures(paragraph, "en"):
            if figure.readings:
                word = {10**3: "thousand", 10**6: "million", 10**9: "billion"}.get(int(figure.scale), "")
                around = paragraph[max(0, figure.start - 40) : figure.end + 20]
                found.setdefault(word, []).append([figure.readings[0] / (figure.scale if word else 1), around])
    for word, rows in found.items():
        columns = (GroundedColumn(name="value", scale=word or scale), GroundedColumn(name="text"))
        yield GroundedResult(id=f"p{word}", columns=columns, rows=tuple(rows))


def expression_of(derivation: str, results: Mapping[str, Result]) -> str:
    """The derivation with a cell in place of every operand that is one, as a careful agent would declare it."""
    cells = cells_of(results)
    parts: list[str] = []
    for match in TOKEN.finditer(derivation):
        if match["sign"]:
            parts.append(match["sign"].translate(SIGNS))
        elif match["number"]:
            value = Decimal(match["number"].replace(",", "").replace("$", "").strip())
            unary = parts[-1:] == ["-"] and (len(parts) == 1 or parts[-2] in "+-*/(")
            divisor = parts[-1:] == ["/"] and value == int(value) and 1 < value <= 12 and not match["percent"]
            # The 100 of a percentage is no cell, even where some cell holds 100.
            divisor = divisor or (value == 100 and parts[-1:] == ["*"])
            if unary and -value in cells:
                parts[-1] = next_cell(cells, -value)
            elif not divisor and value in cells:
                parts.append(next_cell(cells, value))
            elif not divisor and -value in cells:
                parts.append(f"(-{next_cell(cells, -value)})")
            else:
                parts.append(format(value, "f"))
    return " ".join(parts)


def next_cell(cells: dict[Decimal, list[str]], value: Decimal) -> str:
    """A cell with this value, another one each time as long as there are more."""
    cells[value] = [*cells[value][1:], cells[value][0]]
    return cells[value][-1]


def cells_of(results: Mapping[str, Result]) -> dict[Decimal, list[str]]:
    found: dict[Decimal, list[str]] = {}
    for name, result in results.items():
        for at, row in enumerate(result.data.rows):
            for column, cell in row.items():
                value = number_of(cell)
                if value is not None:
                    found.setdefault(value, []).append(f"{name}[{at}].{column}")
    return found


def perturbed(
    question: Derived, others: Sequence[Derived], chance: random.Random
) -> Iterator[tuple[str, Decimal, str | None]]:
    """The answer made wrong in several ways: (way, answer, scale if that was changed)."""
    answer = question.answer
    digits = format(answer, "f")
    places = [at for at, sign in enumerate(digits) if sign.isdigit()]
    at = chance.choice(places)
    other = chance.choice([digit for digit in "0123456789" if digit != digits[at]])
    last = Decimal(1).scaleb(int(answer.as_tuple().exponent))
    yield "a digit", Decimal(digits[:at] + other + digits[at + 1 :]), None
    yield "sign", -answer, None
    yield "factor 10", answer * 10, None
    yield "factor 1000", answer * 1000, None
    yield "last digit", answer + chance.choice((-1, 1)) * last, None
    yield "another answer", chance.choice(others).answer, None
    cells = list(cells_of({"t": question.results["t"]}))
    if cells:
        yield "another cell", chance.choice(cells), None
    if question.scale in ("thousand", "million"):
        yield "scale", answer, "million" if question.scale == "thousand" else "thousand"


def tatqa() -> None:
    asked = [line for line in lines_of("tatqa_dev.jsonl") if line["answer_type"] == "arithmetic"]
    questions = [derived_of(line) for line in asked]
    chance = random.Random(SEED)
    right = sum(question.accepts(question.answer) for question in questions)
    accepted: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for question in questions:
        for way, answer, scale in perturbed(question, questions, chance):
            if answer == question.answer and scale is None:
                continue
            tried[way] += 1
            accepted[way] += question.accepts(answer, scale)
    wrong, all_tried = accepted.total(), tried.total()
    print(f"TAT-QA dev, {len(questions)} arithmetic questions, derivations declared")
    print(f"  gold accepted       {right / len(questions):7.1%}   (target 97 %)")
    print(f"  perturbed accepted  {wrong / all_tried:7.2%}   of {all_tried} (target 0.3 %)")
    for way, count in tried.items():
        print(f"    {way:<16}  {accepted[way]:4d} of {count}")


# --- RotoWire: wrong numbers in free text

FIELD = ("FG", "shooting", "from the field", "from the floor")
THREE = (
    "3Pt", "3 pt", "three-point range", "from the three-point line", "from long range", "from deep", "from beyond the arc",
    "from behind the arc", "from downtown", "from three-point land", "three-point shooting",
)  # fmt: skip
FREE = ("FT", "from the free-throw line", "from the line", "from the charity stripe")
PLAYER: Mapping[str, Sequence[str]] = {
    "PLAYER_NAME": ("player",), "FIRST_NAME": (), "SECOND_NAME": (), "TEAM_CITY": (), "MIN": ("minutes",), "PTS": ("points",),
    "REB": ("rebounds", "boards"), "AST": ("assists",), "STL": ("steals",), "BLK": ("blocks", "blocked shots"), "TO": ("turnovers",),
    "PF": ("fouls",), "OREB": ("offensive rebounds", "offensive boards"), "DREB": ("defensive rebounds", "defensive boards"),
    "FGM": ("field goals", *FIELD), "FGA": ("field-goal attempts", *FIELD), "FG3M": ("three-pointers", "threes", *THREE),
    "FG3A": ("three-point attempts", *THREE), "FTM": ("free throws", *FREE), "FTA": ("free-throw attempts", *FREE),
    "FG_PCT": FIELD, "FG3_PCT": THREE, "FT_PCT": FREE,
}  # fmt: skip
TEAM: Mapping[str, Sequence[str]] = {
    "TEAM-CITY": (), "TEAM-NAME": ("team",), "TEAM-WINS": ("wins",), "TEAM-LOSSES": ("losses",), "TEAM-PTS": ("points",),
    "TEAM-REB": ("rebounds", "boards", "rebounding"), "TEAM-AST": ("assists",), "TEAM-TOV": ("turnovers",),
    "TEAM-PTS_QTR1": ("first quarter", "opening quarter", "after one quarter"), "TEAM-PTS_QTR2": ("second quarter",),
    "TEAM-PTS_QTR3": ("third quarter",), "TEAM-PTS_QTR4": ("fourth quarter", "final quarter", "final 12 minutes"),
    "FIRST_HALF": ("first half",), "SECOND_HALF": ("second half",), "TEAM-FG_PCT": (*FIELD, "shot"), "TEAM-FG3_PCT": THREE,
    "TEAM-FT_PCT": FREE,
}  # fmt: skip
"""What people call the columns of a box score, as someone who sends such results would declare it."""


def box_score(source: Mapping[str, Any]) -> dict[str, Result]:
    box = source["box_score"]
    players = [[box[name].get(row) for name in PLAYER] for row in sorted(box["PTS"], key=int)]
    teams = []
    for side in ("home", "vis"):
        line = dict(source[f"{side}_line"])
        quarters = [int(line[f"TEAM-PTS_QTR{number}"]) for number in range(1, 5)]
        line |= {"FIRST_HALF": sum(quarters[:2]), "SECOND_HALF": sum(quarters[2:])}
        teams.append([line[name] for name in TEAM])
    return foreign_results(
        [
            GroundedResult(id="players", columns=_columns(PLAYER), rows=tuple(players), key=("PLAYER_NAME",)),
            GroundedResult(id="teams", columns=_columns(TEAM), rows=tuple(teams), key=("TEAM-NAME",)),
        ]
    )


def _columns(words: Mapping[str, Sequence[str]]) -> tuple[GroundedColumn, ...]:
    return tuple(
        GroundedColumn(name=name, synonyms=tuple(said), unit="percent" if name.endswith("PCT") else None)
        for name, said in words.items()
    )


def raw_box_score(source: Mapping[str, Any]) -> dict[str, Result]:
    """The same as a tool returns it: columns as the source names and orders them, nothing described."""
    box = source["box_score"]
    players = [{name: box[name].get(row) for name in box} for row in sorted(box["PTS"], key=int)]
    given = GroundRequest.model_validate(
        {"answer": "", "results": [players, [source["home_line"], source["vis_line"]]]}
    )
    return foreign_results(given.results)


def is_wrong(one: Bound) -> bool:
    """Whether the data holds another value in the cell that the words name."""
    return one.provenance.status == "unbound" and one.nearest is not None and one.why != "no such value"


FLAGS: Mapping[str, Callable[[Bound], bool]] = {
    "the cell says otherwise": is_wrong,
    "unbound": lambda one: one.provenance.status == "unbound",
    "not bound (strict)": lambda one: one.provenance.status != "bound",
}


def rotowire() -> None:
    texts = lines_of("rotowire_accuracy_train.jsonl")
    bound = [bind(t["response"], box_score(t["source"]), locale="en", echo=Echo(), constants={}) for t in texts]
    print("\nRotoWire accuracy train: numbers marked wrong by people, against numbers flagged (to beat: .757 / .464)")
    print(f"  {'':26}{'':24}{'flagged':>8}{'right':>7}{'marked':>8}{'found':>7}{'precision':>11}{'recall':>8}")
    for name, half in (("30 texts looked at", 0), ("30 texts only measured", 1), ("all 60", None)):
        chosen = [at for at in range(len(texts)) if half is None or at % 2 == half]
        for way, flags in FLAGS.items():
            print(f"  {name:<26}{way:<24}{_scored([(texts[at], bound[at]) for at in chosen], flags)}")
    raw = [bind(t["response"], raw_box_score(t["source"]), locale="en", echo=Echo(), constants={}) for t in texts]
    for way, flags in FLAGS.items():
        print(f"  {'all 60, raw column names':<26}{way:<24}{_scored(list(zip(texts, raw, strict=True)), flags)}")
    for name, scores in (("all 60, with ranks", box_score), ("all 60, raw, with ranks", raw_box_score)):
        found = [(t, _with_statements(t, scores(t["source"]))) for t in texts]
        print(f"  {name:<26}{'says otherwise':<24}{_scored(found, lambda _: True)}")
    naive = [(t, _naive(t)) for t in texts]
    print(f"  {'all 60':<26}{'number is nowhere':<24}{_scored(naive, lambda _: True)}")


def _with_statements(text: Mapping[str, Any], results: Mapping[str, Result]) -> list[Any]:
    """The figures that the cell says otherwise, and the ordinals and counts that a statement has wrong."""
    index = Index(results)
    read = _read(text["response"], index)
    bound, statements = read.bound, proven_contradictions(read, lambda said: _read(said, index))
    wrong = [said for said in statements if said.truth == "contradicted" and said.key in ("rank", "count")]
    # What is reckoned is not flagged, as in the guard: it is supported, or marked.
    lifted = {start for said in statements if said.truth != "contradicted" for start in said.settles}
    kept = (one for one in bound if is_wrong(one) and one.figure.start not in lifted)
    return [*kept, *(_Span(*said.span) for said in wrong)]


def _read(text: str, index: Index) -> TextRead:
    page = AnswerPage(text, "en", index)
    bound = bind_page(page, echo=Echo(), constants={})
    return TextRead(page, bound, statements_of(page, bound))


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    kind: str = "ordinal"


def _naive(text: Mapping[str, Any]) -> list[Any]:
    """The figures whose value stands nowhere in the data."""
    there = set(cells_of(box_score(text["source"])))
    return [
        one for one in find_figures(text["response"], "en") if one.readings and not there.intersection(one.readings)
    ]


def _scored(texts: Iterable[tuple[Mapping[str, Any], Sequence[Any]]], flags: Callable[[Any], bool]) -> str:
    flagged = right = marked = found = 0
    for text, ones in texts:
        gold = [(label["start"], label["end"]) for label in text["labels"] if label["label_type"] == "NUMBER"]
        figures = [getattr(one, "figure", one) for one in ones if flags(one)]
        spans = [(one.start, one.end) for one in figures if one.kind != "label"]
        flagged, marked = flagged + len(spans), marked + len(gold)
        right += sum(any(start < to and from_ < end for from_, to in gold) for start, end in spans)
        found += sum(any(start < to and from_ < end for start, end in spans) for from_, to in gold)
    return f"{flagged:8d}{right:7d}{marked:8d}{found:7d}{right / max(1, flagged):11.3f}{found / max(1, marked):8.3f}"


# --- speed


def made(characters: int, cells: int) -> tuple[str, list[GroundedResult]]:
    """A text of about so many characters over a result of so many cells, most of its figures right."""
    chance = random.Random(SEED)
    names = [f"{chance.choice(('Nord', 'Süd', 'Ost', 'West'))}stadt {at}" for at in range(max(1, cells // 10))]
    columns = ("Filiale", "Umsatz", "Kosten", "Gewinn", "Kunden", "Aufträge", "Retouren", "Fläche", "Personal", "Miete")
    rows = tuple([name, *(chance.randrange(10**5) / 10 for _ in columns[1:])] for name in names)
    parts: list[str] = []
    while sum(map(len, parts)) < characters:
        row = chance.choice(rows)
        at, other = chance.randrange(1, 10), chance.randrange(1, 10)
        parts.append(
            f"Die Filiale {row[0]} meldet für das letzte Jahr {columns[at]} von {row[at]:.1f}, was gegenüber der Planung gut aussieht, "
            f"und {columns[other]} von {row[other]:.1f}. "
        )
    return "".join(parts)[:characters], [
        GroundedResult(id="r1", columns=tuple(GroundedColumn(name=c) for c in columns), rows=rows)
    ]


def speed() -> None:
    print("\nSpeed, ms of CPU (p50 of 40): the index, then the text; against `is the number anywhere`")
    print(f"  {'characters':>10}{'cells':>9}{'figures':>9}{'index':>12}{'text':>8}{'both':>8}{'naive':>8}")
    for characters, cells in ((1000, 1000), (2000, 1000), (4000, 1000), (1000, 2000), (1000, 4000), (10_000, 10_000)):
        text, given = made(characters, cells)
        read = foreign_results(given)
        known = Index(read)
        figures = len(bind(text, known, locale="de-CH", echo=Echo(), constants={}))
        built = _median(partial(Index, read))
        bound = _median(partial(bind, text, known, locale="de-CH", echo=Echo(), constants={}))
        naive = _median(partial(_anywhere, text, read))
        print(f"  {characters:10d}{cells:9d}{figures:9d}{built:12.2f}{bound:8.2f}{built + bound:8.2f}{naive:8.2f}")


def _anywhere(text: str, results: Mapping[str, Result]) -> int:
    there = {
        value
        for result in results.values()
        for row in result.data.rows
        for cell in row.values()
        if (value := number_of(cell)) is not None
    }
    return sum(not there.isdisjoint(figure.readings) for figure in find_figures(text, "de-CH"))


def _median(run: Callable[[], Any]) -> float:
    taken = []
    for _ in range(40):
        before = process_time()
        run()
        taken.append((process_time() - before) * 1000)
    return statistics.median(taken)


def main() -> None:
    parts = {"tatqa": tatqa, "rotowire": rotowire, "speed": speed}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
