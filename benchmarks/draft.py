"""How good a draft is: relations and column classes against tables labelled by hand, and questions asked through it.

    python benchmarks/draft.py [SET ...] --data ../shared/data/questions [--postgres URL] [--show wrong] [--time]

Relations are found with all declared keys hidden. Questions are those of `benchmarks/questions.py`, asked through the draft as it is
(only what needs no person), and again with every guess answered as the hand-written labels say. `--time` drafts 50 tables of a
million rows and one of 100 million (DuckDB), and tells CPU seconds and memory.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import questions
import yaml

from veracity.ontology.draft import OntologyDraft, draft
from veracity.sources.open import open_source
from veracity.sources.source import Source

HERE = Path(__file__).parent
FIGURES = {"additive", "average", "level", "number"}


def stripped(source: Source) -> Source:
    """The source as if its database declared no keys."""
    tables = {name: replace(table, primary_key=(), foreign_keys=(), unique=()) for name, table in source.tables.items()}
    hidden = SimpleNamespace(
        name=source.name, dialect=source.dialect, tables=tables, begin=source.begin, describe=source.describe
    )
    return cast("Source", hidden)


def relations(found: OntologyDraft, labels: Mapping[str, Any]) -> tuple[Counter[str], list[str]]:
    """Right, wrong and missed relations; those that are only asked about are counted apart."""
    gold = {(a, tuple(b), c, tuple(d)) for a, b, c, d in labels["relations"]}
    counts, told = Counter[str](), list[str]()
    for one in found.found.relations:
        place = (one.table, one.columns, one.other, one.referred)
        outcome = (
            ("right" if one.sure else "asked, right") if place in gold else ("wrong" if one.sure else "asked, wrong")
        )
        counts[outcome] += 1
        if "right" not in outcome or not one.sure:
            told.append(f"{outcome}: {one.id} ({one.evidence})")
        gold.discard(place)
    for pointer in found.found.pointers:
        # A person picks the table from a list; that the right one is in it is what counts.
        right = [
            one for one in gold if one[:2] == (pointer.table, (pointer.column,)) and one[2] in dict(pointer.candidates)
        ]
        counts["asked, right" if right else "asked, wrong"] += 1
        told.append(f"asked: {pointer.id} -> {', '.join(dict(pointer.candidates))}")
        gold -= set(right)
    counts["missed"] = len(gold)
    return counts, told + [f"missed: {one}" for one in sorted(gold)]


def classes(found: OntologyDraft, labels: Mapping[str, Any]) -> tuple[Counter[str], list[str]]:
    """Columns whose class is right, asked about, wrong; and those called additive that are not."""
    counts, told = Counter[str](), list[str]()
    for table in found.found.tables:
        columns = labels["tables"][table.name]["columns"]
        for column in table.columns:
            named = columns[column.profile.name]
            allowed = [named] if isinstance(named, str) else named
            verdict = column.verdict
            outcome = "right" if verdict.kind.value in allowed else "wrong"
            if not verdict.sure:
                outcome = f"asked, {outcome}"
            counts[outcome] += 1
            if verdict.kind == "additive" and verdict.sure and "additive" not in allowed:
                counts["called additive though not"] += 1
            if outcome != "right":
                told.append(
                    f"{outcome}: {table.name}.{column.profile.name}: {verdict.kind.value} ({verdict.reason}), is {allowed[0]}"
                )
        key = list(table.key.columns) if table.key else []
        keys = [[name] for name, kinds in columns.items() if "key" in ([kinds] if isinstance(kinds, str) else kinds)]
        good = key == labels["tables"][table.name]["key"] or key in keys
        counts["key right" if good else "key wrong"] += 1
        if not good:
            told.append(f"key wrong: {table.name}: {key}")
    return counts, told


def confirmed(found: OntologyDraft, labels: Mapping[str, Any], currency: str) -> OntologyDraft:
    """The draft with every question answered as the labels say."""
    gold = {(a, tuple(b), c, tuple(d)) for a, b, c, d in labels["relations"]}
    known = {
        f"relation:{one.id}": (one.table, one.columns, one.other, one.referred) in gold for one in found.found.relations
    }
    while found.questions:
        asked = found.questions[0]
        table, _, column = asked.about.rpartition(".")
        named = labels["tables"].get(table, {}).get("columns", {}).get(column, "")
        is_additive = "additive" in ([named] if isinstance(named, str) else named)
        options = [option.id for option in asked.options]
        match asked.kind:
            case "relation":
                answer = "yes" if known[asked.id] else "no"
            case "currency":
                answer = currency
            case "amounts":
                answer = "each"
            case "amount":
                answer = "add" if is_additive else "average"
            case "price" | "flow":
                answer = "yes" if is_additive else "no"
            case "rows":
                answer = "all"
            case "pointer":
                answer = next(
                    (other for own, columns, other, _ in gold if (own, columns) == (table, (column,))), "none"
                )
            case "extremes" | "beside":
                answer = "yes" if asked.about in labels.get(asked.kind, ()) else "no"
            case "unit" | "large":
                answer = str(labels.get(asked.kind, {}).get(asked.about, "none"))
            case _:
                answer = asked.guess or options[0]
        # What the draft does not offer, nobody can choose.
        found = found.answered(asked.id, answer if answer in options else "none")
    return found


def ask_all(url: str, found: OntologyDraft, asked: Sequence[questions.Asked]) -> questions.Report:
    """What becomes of the questions when they are asked through a draft."""
    desk, report = questions.Desk(url, found.descriptor()), questions.Report()
    for one in asked:
        questions.judge(desk, one, report)
    return report


def print_outcomes(title: str, report: questions.Report, shown: Sequence[str]) -> None:
    """The outcomes of a set in one line, and the questions asked for."""
    for outcome, question, why in report.told:
        if outcome in shown or "all" in shown:
            print(f"    {outcome}: {question}\n        {why}")
    total = sum(report.outcomes.values())
    print(
        f"  {title}: "
        + ", ".join(f"{count} {outcome}" for outcome, count in report.outcomes.most_common())
        + f" of {total}"
    )


def measure_speed() -> None:
    """50 tables of a million rows; then one of 100 million."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.duckdb"
        with duckdb.connect(str(path)) as connection:
            for number in range(50):
                connection.execute(
                    f"CREATE TABLE t{number:02} AS SELECT i AS id, i % 50000 AS t00_id, DATE '2020-01-01' + (i % 1500)::INT AS order_date,"
                    " (i % 9973) / 100.0 AS amount, 'name ' || i AS name, ['open', 'paid', 'void'][1 + i % 3] AS status, i % 7 AS quantity,"
                    " 'city ' || (i % 300) AS city FROM range(1000000) AS r(i)"
                )
        before = time.process_time()
        found = draft(open_source(path))
        spent, peak = time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"50 tables of 1,000,000 rows: {spent:.1f} s CPU, {peak:,.0f} MB at most, {len(found.found.relations)} relations"
        )
        path.unlink()
        with duckdb.connect(str(path)) as connection:
            connection.execute(
                "CREATE TABLE huge AS SELECT i AS id, i % 1000 AS kind, DATE '2020-01-01' + (i % 1500)::INT AS day, (i % 997)::DOUBLE AS amount FROM range(100000000) AS r(i)"
            )
        before = time.process_time()
        found = draft(open_source(path))
        print(f"one table of 100,000,000 rows: {time.process_time() - before:.1f} s CPU; {found.found.notes[0]}")


def main() -> int:
    """Run the sets and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=list(questions.SETS))
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data" / "questions")
    parser.add_argument("--postgres", default="postgresql://tester@127.0.0.1:5599", help="a server for defog's schemas")
    parser.add_argument("--show", default="wrong", help="which outcomes of questions to list, by commas, or all")
    parser.add_argument("--no-questions", action="store_true")
    parser.add_argument("--time", action="store_true")
    chosen = parser.parse_args()
    labels = yaml.safe_load((HERE / "draft" / "classes.yaml").read_text())
    totals, kinds, wrong = Counter[str](), Counter[str](), 0
    for name in chosen.sets:
        url, asked = questions.SETS[name](chosen.data, chosen.postgres)
        source = open_source(url)
        print(name)
        counted, told = relations(draft(stripped(source)), labels[name])
        totals += counted
        print("  relations:", dict(counted), *told, sep="\n    ")
        found = draft(source)
        counted, told = classes(found, labels[name])
        kinds += counted
        print("  columns:", dict(counted), *told, sep="\n    ")
        if not chosen.no_questions:
            shown = chosen.show.split(",")
            report = ask_all(url, found, asked)
            wrong += report.outcomes["wrong"]
            print_outcomes("as drafted", report, shown)
            report = ask_all(url, confirmed(found, labels[name], "USD"), asked)
            wrong += report.outcomes["wrong"]
            print_outcomes("confirmed", report, shown)
    print_totals(totals, kinds)
    if chosen.time:
        measure_speed()
    return 1 if wrong or kinds["called additive though not"] else 0


def print_totals(totals: Counter[str], kinds: Counter[str]) -> None:
    """Precision and recall of relations, and the share of classes that are right."""
    used, gold = totals["right"] + totals["wrong"], totals["right"] + totals["asked, right"] + totals["missed"]
    print(
        f"relations: precision {totals['right'] / max(1, used):.3f}, recall {totals['right'] / max(1, gold):.3f} ({dict(totals)})"
    )
    columns = sum(kinds[one] for one in ("right", "wrong", "asked, right", "asked, wrong"))
    right = kinds["right"] + kinds["asked, right"]
    print(
        f"columns: {right / max(1, columns):.1%} right of {columns}, called additive though not: {kinds['called additive though not']} ({dict(kinds)})"
    )


if __name__ == "__main__":
    sys.exit(main())
