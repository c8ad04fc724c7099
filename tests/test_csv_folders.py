"""Everyday questions about folders of CSV files that nobody described, asked through their drafts; gold is SQL."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import date
from itertools import permutations
from pathlib import Path
from typing import Any

import duckdb
import pytest

from case_files import read_yaml
from csv_folders import FOLDERS, write_folder
from each_case import each
from test_reading import plain, values
from veracity.language.locale import LANGUAGES
from veracity.ontology.draft import draft
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.words import WordBook
from veracity.semantic.result import SemanticResult
from veracity.sources.open import open_source
from veracity.tools.semantic import SemanticTools
from veracity.tools.tables import TableTools

CASES = read_yaml(Path(__file__).parent / "cases" / "reading" / "folders.yaml")
QUESTIONS = [
    (name, lang, case) for name, cases in CASES.items() for case in cases for lang in LANGUAGES if case.get(lang)
]
TODAY = date(2026, 11, 16)
BETTER = ("wrong", "nothing", "asked", "right")
"""What may become of a question, the worst first."""


class Folder:
    """One of the folders with its draft's readers."""

    def __init__(self, place: Path, name: str) -> None:
        folder = write_folder(place, name)
        self.source = open_source(str(folder))
        tools = TableTools(self.source, ontology=draft(self.source).descriptor())
        self.tools = SemanticTools(tools)
        stored = asyncio.run(self.tools.tables.stored_values())
        self.readers = {lang: QuestionReader(WordBook(self.tools.model, stored, lang)) for lang in LANGUAGES}
        self.connection = duckdb.connect()
        for file in folder.glob("*.csv"):
            self.connection.execute(f"CREATE TABLE \"{file.stem}\" AS SELECT * FROM read_csv('{file}')")

    def close(self) -> None:
        self.source.close()
        self.connection.close()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Folder]]:
    place = tmp_path_factory.mktemp("folders")
    made = {name: Folder(place, name) for name in FOLDERS}
    yield made
    for folder in made.values():
        folder.close()


def outcome(folder: Folder, lang: str, case: dict[str, Any]) -> str:
    """`right`, `wrong`, `asked` or `nothing`."""
    read = folder.readers[lang].read(case[lang], today=TODAY, locale=lang)
    ran = [asyncio.run(folder.tools.run(query)) for query in read.queries]
    results = [result for result in ran if isinstance(result, SemanticResult)]
    if not results:
        return "nothing"
    if read.open or len({tuple(sorted(values(result))) for result in results}) > 1:
        return "asked"
    gold = folder.connection.execute(case["gold"]).fetchall() if "gold" in case else []
    rows, wanted = values(results[0]), {tuple(plain(value) for value in row) for row in gold}
    width, across = len(results[0].columns), len(gold[0]) if gold else 0
    found = any(
        {tuple(row[place] for place in chosen) for row in rows} == wanted
        for chosen in permutations(range(width), across)
    )
    return "right" if gold and found else "wrong"


@pytest.mark.long
@each(("name", "lang", "case"), QUESTIONS)
def test_question_about_an_undescribed_folder_is_right_asked_back_or_not_answered(
    name: str, lang: str, case: dict[str, Any], folders: dict[str, Folder]
) -> None:
    expected = case.get("but", {}).get(lang) or ("right" if "gold" in case else "asked")
    assert BETTER.index(outcome(folders[name], lang, case)) >= BETTER.index(expected)
