"""The reference of the YAML's keys is what the models say, and every key has a sentence."""

from __future__ import annotations

from pathlib import Path

from veracity.ontology.reference import reference

PAGE = Path(__file__).parents[1] / "docs" / "ontology-reference.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "run: python -m veracity.ontology.reference > docs/ontology-reference.md"  # fmt: skip


def test_every_key_has_a_type_and_a_sentence() -> None:
    rows = [line for line in reference().splitlines() if line.startswith("| `")]
    assert len(rows) > 90
    for row in rows:
        _key, kind, _default, meaning = (cell.strip() for cell in row.strip("|").split(" | ", 3))
        assert kind, row
        assert meaning.endswith("."), row
