"""The notes of file readers in German: every sentence that a reader can say has one, wherever it is true."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from each_case import each
from veracity.ontology.draft import drafting
from veracity.server import sources_prepare
from veracity.server.web.note_texts import known_notes, note_in
from veracity.sources import encoding, layout
from veracity.sources import open as opening

READERS = sorted(Path(opening.__file__).parent.glob("*.py"))


def written(node: ast.expr) -> str | None:
    """A sentence of the program, its gaps filled with something."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    return "".join(_filled(part) for part in node.values)


def _filled(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue)
    chosen = part.value.orelse if isinstance(part.value, ast.IfExp) else None
    return str(chosen.value) if isinstance(chosen, ast.Constant) else "this: or that"


def _is_called(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets)


def said(tree: ast.AST) -> Iterator[ast.expr]:
    """Everything that a reader says of a file."""
    for node in ast.walk(tree):
        named = isinstance(node, ast.keyword) and node.arg == "what"
        if isinstance(node, ast.keyword | ast.Assign) and (named or _is_called(node, "what")):
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "_say":
            yield node.args[1]


def sentences() -> list[str]:
    found = [written(one) for file in READERS for one in said(ast.parse(file.read_text(encoding="utf-8")))]
    draft = ast.parse(Path(drafting.__file__).read_text(encoding="utf-8"))
    notes = next(one for one in ast.walk(draft) if isinstance(one, ast.FunctionDef) and one.name == "_notes")
    found += [written(one.value) for one in ast.walk(notes) if isinstance(one, ast.Yield) and one.value is not None]
    prepared = ast.parse(Path(sources_prepare.__file__).read_text(encoding="utf-8"))
    found += [
        written(one.value) for one in ast.walk(prepared) if isinstance(one, ast.Assign) and _is_called(one, "said")
    ]
    return [one for one in found if one is not None]


def test_every_sentence_of_a_reader_has_a_german_one() -> None:
    asked = sentences()
    assert len(asked) > 25
    assert [one for one in asked if note_in(one, "de") == one] == []
    assert [note_in(one, "en") for one in asked] == asked


@each(
    "note",
    [
        layout.left_out("Total"),
        layout.suspected(1, "Total"),
        layout.suspected(3, "Total"),
        encoding._note("cp1252", "Zürich", ["mac-roman"]),
        encoding._note("cp1252", "Zürich", []),
        encoding._note("cp1252", "", ["mac-roman"]),
        encoding._note("cp1252", "", []),
        sources_prepare._NO_MACROS,
        "Holds units and is not read as data: amount in CHF",
        "Fields are taken to be apart by commas; tabs would fit as well.",
        "Quotes in the file do not close; they are read as characters.",
    ],
)
def test_so_has_what_is_put_together(note: str) -> None:
    told = note_in(note, "de")
    assert told != note
    assert "ß" not in told


def test_the_place_stays_before_the_sentence() -> None:
    note = "sales, amount, row 7: 'Total: all' is the sum of the rows above; it is left out, so that nothing is counted twice."
    assert note_in(note, "de").startswith("sales, amount, Zeile 7: 'Total: all' ist die Summe der Zeilen darüber")
    assert note_in("sales, a: b: Numbers such as 1'200.50 are read as 1200.50.", "de") == (
        "sales, a: b: Zahlen wie 1'200.50 werden als 1200.50 gelesen."
    )
    signs = "Fields are taken to be apart by commas; tabs would fit as well."
    assert note_in(signs, "de") == "Als Trennzeichen gelten Kommas; Tabulatoren würden auch passen."


def test_what_nobody_has_translated_stays_and_braces_are_text() -> None:
    assert note_in("Something new.", "de") == "Something new."
    assert note_in("The sheet '{a} {0}' is hidden and is not read.", "de") == (
        "Das Blatt '{a} {0}' ist ausgeblendet und wird nicht gelesen."
    )
    assert len(known_notes()) > 35
