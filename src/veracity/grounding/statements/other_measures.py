"""Figures under the name of another measure: a profit, where the table has revenues only; a rate, an average, a year or a unit that the cell is none of."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

from veracity.grounding.binding.name_forms import is_average
from veracity.grounding.statements.scene import Scene
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.language.folding import folded_text, is_unspaced, words_in
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.yaml_file import packaged


def says_other_measure(scene: Scene) -> bool:
    """Whether a cell is called what no column is called: a profit, where the table has revenues only; or a rate of two columns."""
    named = {at for one in (*scene.names, *scene.columns) for at in range(one.first, one.last + 1)}
    return any(
        _calls_it_otherwise(part, named) or _says_rate(part)
        for part in scene.clauses
        if any(scene.is_bound(one) and scene.bound[one.figure.start].provenance.kind == "cell" for one in part.figures)
    )


def _calls_it_otherwise(part: Scene, named: Collection[int]) -> bool:
    page, line = part.page, part.line
    said = {page.tokens.roots[at] for at in range(line.first, line.last) if at not in named}
    known, plain = page.index.words_of_columns, part.folded.isascii()
    return any(
        (not words.isdisjoint(said) or (not plain and any(one in part.folded for one in signs)))
        and words.isdisjoint(known)
        and not any(one in word for one in signs for word in known)
        for words, signs in _other_measures()
    )


_PER = frozenset({"per", "pro", "je"})


def _says_rate(part: Scene) -> bool:
    """Whether a cell is said per something that another column counts: revenue per employee."""
    page = part.page
    over = {
        (ref.table, ref.column)
        for one in part.columns
        if one.first and page.words[one.first - 1] in _PER
        for ref in one.columns
    }
    told = (part.bound[one.figure.start].provenance for one in part.figures if part.is_bound(one))
    cells = {arg.column for one in told if one.kind == "cell" for arg in one.args}
    counted = {column for table, column in over if column in page.tables[table].figures}
    return bool(counted) and cells.isdisjoint(counted) and not any(_PER & set(words_in(words_of(one))) for one in cells)


@cache
def _other_measures() -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """The words of each measure without their endings, and its Chinese words."""
    lines = packaged(Path(__file__).with_name("other_measures.yaml"))
    return tuple(
        (
            frozenset(noun_root(folded_text(word)) for word in line if not is_unspaced(word)),
            tuple(word for word in line if is_unspaced(word)),
        )
        for line in lines
    )


def is_year_of_other_column(scene: Scene) -> bool:
    """Whether a year was held against a day of the row, where the column that the sentence names has another one: a queen of 2025."""
    table = scene.table
    for part in scene.clauses if table is not None else ():
        assert table is not None
        named = {ref.column for one in part.columns for ref in one.columns if ref.table == table.number}
        for one in part.figures:
            told = part.bound[one.figure.start].provenance if part.is_bound(one) else None
            year = str(one.figure.readings[0]) if one.figure.readings else ""
            if told is None or told.kind != "cell" or not _YEAR.fullmatch(year) or not named:
                continue
            columns = {arg.column for arg in told.args}
            rows = {row for _one, row in part.subjects(table) or scene.subjects(table)}
            years = [
                str(table.rows[row][column]) for row in rows for column in named - columns if column in table.figures
            ]
            if columns <= set(table.days) and any(_YEAR.fullmatch(other) and other != year for other in years):
                return True
    return False


_PER_UNIT = re.compile(r"\s*(?P<of>[a-zA-Zµ]{1,3})/(?P<per>[a-zA-Z]{1,3}[23]?)(?![a-zA-Z])")
_PER_COLUMN = re.compile(r"[_ (/](?P<of>[a-zA-Zµ]{1,3})[_/](?P<per>[a-zA-Z]{1,3}[23]?)\)?$")


def is_per_other_unit(scene: Scene) -> bool:
    """Whether a figure is said in another unit than its column's, where one is measured by another: 30.9 g/l, of nitrate_mg_l."""
    for one in scene.figures:
        # Units that convert into each other are told apart where the figure is bound.
        said = _PER_UNIT.match(scene.page.text, one.figure.end) if one.meaning.unit is None else None
        args = scene.bound[one.figure.start].provenance.args if said is not None and scene.is_bound(one) else ()
        own = [found for arg in args[:1] if (found := _PER_COLUMN.search(arg.column)) is not None]
        if said is not None and any(said["per"] == unit["per"] and said["of"] != unit["of"] for unit in own):
            return True
    return False


_PER_NOUN = re.compile(r"\s*(?:[^\W\d_]{1,9}\s+)?(?:per|pro|je)\s+(?=[^\W\d_]{3})", re.IGNORECASE)


def is_per_unread(scene: Scene, words: UnderstoodWords) -> bool:
    """Whether an amount of a cell is said for one of something that no word of the data says: 468 francs per performance."""
    for one in scene.figures:
        unit, found = one.meaning.unit, _PER_NOUN.match(scene.page.text, one.figure.end)
        if found is None or unit is None or not unit.is_currency or not scene.is_bound(one):
            continue
        told = scene.bound[one.figure.start].provenance
        if told.kind == "cell" and scene.page.tokens.at(found.end()) in words.strange_words:
            return True
    return False


_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")


def is_other_average(scene: Scene) -> bool:
    """Whether a bound is said of an average, and was held against a cell that is none: more than five each on average."""
    for part in scene.clauses:
        for one in part.figures if part.says_apart("average") else ():
            told = scene.bound[one.figure.start].provenance if scene.is_bound(one) else None
            if told is not None and one.meaning.compares and told.kind == "cell":
                return not any(is_average(arg.column) for arg in told.args)
    return False
