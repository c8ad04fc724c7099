"""Names in prose that nothing returned: in the place of a value that the data holds they are wrong, elsewhere nobody knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.grounding.binding.cue_words import FUNCTION
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.language.folding import folded_text, listed, words_in
from veracity.language.number_words import CARDINALS
from veracity.language.numbers import MONTHS
from veracity.language.units import units

_PROPER = re.compile(
    r"(?<![\w'’.-])[A-ZÄÖÜ][\w'’-]*[a-zäöüß][\w'’-]*(?:\s(?:(?:de|von|van|del|di|la|le|the|of|und|and|&)\s)?[A-ZÄÖÜ][\w'’-]*)*"
)
_BEHIND = re.compile(r" (?P<name>[A-ZÄÖÜ][\w-]{1,30})(?=[\s.,;!?)]|$)")
_TITLE = re.compile(r"(?:Dr|Prof|Mr|Mrs|Ms|Herr|Frau)\.?\s")
_HOST = re.compile(r"(?<![\w@./-])[a-z0-9-]+(?:\.[a-z0-9-]+){1,4}\.[a-z]{2,10}(?![\w/])")
_COPULA_ZH = re.compile(r"(?:是|为|：|:)\s*(?P<name>[\u3400-\u9fff]{2,4})(?=[，。；、,.;\s]|$)")
_MOST_NAMES = 50
_LONGEST_NAME = 60
_QUOTES = frozenset("\"'«»“”„‘’「『")
_DAYS = listed(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag "
    "co2 i ii iii january english sie ihr ihnen"
)


def names_are_known(scene: Scene) -> Iterator[CheckedStatement]:
    """A name that is no row, value or word of the question."""
    for start, end in list(_names(scene))[:_MOST_NAMES]:
        placed = _in_place_of(scene) or _almost(scene, scene.page.text[start:end])
        if placed is not None:
            yield CheckedStatement("contradicted", (start, end), "name", says=placed)
        elif scene.names:
            yield CheckedStatement("not_checkable", (start, end), "name")


def _names(scene: Scene) -> Iterator[tuple[int, int]]:
    text, base = scene.text, scene.line.start
    for found in _PROPER.finditer(text):
        start, end = base + found.start(), base + found.end()
        start = _without_column(scene, _without_first_word(scene, start, end), end)
        if start < end and not _is_known(scene, start, end) and _looks_like_name(scene, start, end):
            yield start, end
    for found in _HOST.finditer(text):
        start, end = base + found.start(), base + found.end()
        if not _is_known(scene, start, end):
            yield start, end
    for mention in scene.columns:
        value = _BEHIND.match(scene.page.text, mention.end)
        if value is not None and _holds_categories(scene, mention):
            start, end = value.span("name")
            if end <= scene.line.end and not _is_known(scene, start, end) and not _is_no_name(value["name"]):
                yield start, end
    for found in _COPULA_ZH.finditer(text):
        start, end = base + found.start("name"), base + found.end("name")
        counted = any(one.figure.start == start for one in scene.every_figure)  # 期限为两年
        if not counted and not _is_known(scene, start, end) and _text_columns(scene):
            yield start, end


def _without_column(scene: Scene, start: int, end: int) -> int:
    """What stands behind the word for a column that a name begins with: dem Produkt [Hausrat Basis]."""
    column = next((one for one in scene.columns if one.start == start and one.end < end), None)
    return column.end + 1 if column is not None else start


def _holds_categories(scene: Scene, mention: NameMention) -> bool:
    """Whether a word for a column stands right before its values, each of which is one word written large: Depot Nord."""
    for ref in mention.columns:
        table = scene.page.tables[ref.table]
        if ref.column in table.texts and ref.column not in table.naming:
            cells = {row[ref.column] for row in table.rows[:_MOST_NAMES]}
            return all(isinstance(cell, str) and cell[:1].isupper() and " " not in cell for cell in cells)
    return False


def _without_first_word(scene: Scene, start: int, end: int) -> int:
    """The first word of a sentence is written large, whatever it is: dropped where more follows or where it may be any word."""
    if scene.page.text[scene.line.start : start].strip(" *_#>-•\n0123456789.)") or _TITLE.match(
        scene.page.text[start:end]
    ):
        return start
    first = re.match(r"\S+\s*", scene.page.text[start:end])
    words = scene.page.text[start:end].split()
    if len(words) == 2 and scene.lang == "en" and words[0].lower() not in FUNCTION:
        return start
    return start + first.end() if first is not None else end


def _looks_like_name(scene: Scene, start: int, end: int) -> bool:
    """Two words written large; in English also one within a sentence."""
    words = scene.page.text[start:end].split()
    if scene.page.text[start - 1 : start] in _QUOTES or any(_is_no_name(word) for word in words):
        return False
    if len(words) >= 2:
        return True
    return scene.lang == "en" and len(words) == 1 and len(words[0]) >= 3


def _is_no_name(word: str) -> bool:
    """Whether a word that is written large is a month, a day, a unit, a number or a small word."""
    small = folded_text(word)
    return small in MONTHS or small in units() or small in FUNCTION or small in _DAYS or small in CARDINALS


def _is_known(scene: Scene, start: int, end: int) -> bool:
    mentions = (*scene.names, *scene.columns)
    if any(one.start < end and start < one.end for one in mentions):
        return True
    name = scene.page.text[start:end]
    titled = _TITLE.match(name)
    return scene.is_known(name) or (titled is not None and scene.is_known(name[titled.end() :]))


_TITLE = re.compile(r"(?:Frau|Herr|Herrn|Mr|Mrs|Ms|Miss|Dr|Prof|Madame|Monsieur)\.?\s+")
"""Before the last name of someone whose whole name a cell holds."""


def _almost(scene: Scene, name: str) -> str | None:
    """The value of the row that is spoken of which only one word of a name makes another: Garden Court, of Harbour Court."""
    words = set(words_in(name))
    for table in scene.page.tables if len(words) > 1 else ():
        rows = {row for _mention, row in scene.subjects(table)} or ({0} if len(table.rows) == 1 else set())
        for column in table.texts if len(rows) == 1 else ():
            cell = table.rows[next(iter(rows))][column]
            own = set(words_in(cell)) if isinstance(cell, str) and len(cell) <= _LONGEST_NAME else set()
            if (
                len(own) == len(words)
                and len(own & words) == len(own) - 1
                and str(cell).casefold() not in scene.text.casefold()
            ):
                return str(cell)
    return None


def _text_columns(scene: Scene) -> list[tuple[Table, str]]:
    """The columns of texts that words of the sentence say, and their tables."""
    return [
        (table, ref.column)
        for mention in scene.columns
        for ref in mention.columns
        if ref.column in (table := scene.page.tables[ref.table]).texts and ref.column not in table.result.key
    ]


def _in_place_of(scene: Scene) -> str | None:
    """The value that the row and the column of the sentence hold, where this name stands in its place."""
    for table, column in _text_columns(scene):
        rows = {row for _mention, row in scene.subjects(table)} or ({0} if len(table.rows) == 1 else set())
        if len(rows) != 1:
            continue
        cell = table.rows[next(iter(rows))][column]
        if isinstance(cell, str) and cell and cell.casefold() not in scene.text.casefold():
            return cell
    return None


def reasons_are_known(scene: Scene) -> Iterator[CheckedStatement]:
    """A cause or a forecast: no row tells why something is so, or what will be, unless its words stand in the results or the question."""
    for kind in ("cause", "forecast"):
        found = scene.says(kind)
        if found is None or not (scene.names or scene.columns or scene.figures):
            continue
        said = scene.original(found.start(), found.end())
        part = next((one for one in scene.clauses if one.line.start <= said[0] < one.line.end), scene)
        reason = scene.page.text[said[1] : part.line.end].strip(" .,;!。，；")
        if kind == "forecast" or not reason or not scene.is_known(reason):
            yield CheckedStatement("not_checkable", (said[0], part.span[1]), "name")
