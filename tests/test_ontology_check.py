"""Each check of `ontology check` finds what it is for, and leaves alone what only looks like it: one case file per check."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from case_files import read_yaml
from conftest import ENGINES, load
from each_case import each
from veracity.cli.ontology import app
from veracity.errors import OntologyError, VeracityError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.load import load_ontology
from veracity.query.findings import OntologyFinding
from veracity.semantic.ontology_check import CHECKS, check_ontology
from veracity.sources.open import open_source

CASES = Path(__file__).parent / "cases" / "ontology_check"
SCHEMA = Path(__file__).parent / "data" / "sarif-schema-2.1.0.json"
TABLES = """
    CREATE TABLE orders (id INTEGER, customer_id INTEGER, agent_id INTEGER, code VARCHAR, status VARCHAR, currency VARCHAR,
        total DECIMAL(18,2), pieces INTEGER, note VARCHAR, ordered_on DATE);
    INSERT INTO orders VALUES
        (1, 1, NULL, 'a', 'paid', 'CHF', 120.50, 3, '12', '2025-01-15'),
        (2, 2, NULL, 'b', 'paid', 'EUR', 80.00, 2, '7', '2025-02-03'),
        (3, 1, NULL, NULL, 'open', 'CHF', 99.90, 1, 'Geheimnis', '2025-02-20'),
        (4, 9, NULL, '', 'paid', 'CHF', 5.00, 0, '1', '2025-03-01');
    CREATE TABLE customers (id INTEGER, name VARCHAR, city VARCHAR);
    INSERT INTO customers VALUES (1, 'Alpina AG', 'Chur'), (2, 'Cima AG', 'Chur'), (3, 'Dolder AG', 'Bern');
    CREATE TABLE empty (id INTEGER);
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ontology_check") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES)
    return path


def found(source: Path | str, ontology: dict[str, Any]) -> list[OntologyFinding]:
    opened = open_source(source)
    try:
        return asyncio.run(
            check_ontology(OntologyDescriptor.model_validate({"featureCode": "shop", **ontology}), opened)
        )
    finally:
        opened.close()


def cases() -> list[Any]:
    return [
        pytest.param(path.stem.replace("_", "-"), case, id=f"{path.stem}: {case['case']}")
        for path in sorted(CASES.glob("*.yaml"))
        for case in read_yaml(path)
    ]


@each(("check", "case"), cases())
def test_a_check_finds_what_it_is_for(shop: Path, check: str, case: dict[str, Any]) -> None:
    told = [one for one in found(shop, case["ontology"]) if one.check == check]
    assert [(one.where, one.count) for one in told] == [
        (one["where"].replace("NAME", shop.name), one.get("count")) for one in case["finds"]
    ]
    for one, expected in zip(told, case["finds"], strict=True):
        assert expected["words"] in one.message
        assert not any(value in one.message for value in ("Geheimnis", "Alpina", "Chur", "120.5"))


def test_each_check_has_cases_that_are_found_and_cases_that_are_fine() -> None:
    for check in CHECKS:
        several = read_yaml(CASES / f"{check.__name__}.yaml")
        assert {bool(case["finds"]) for case in several} == {True, False}, check.__name__
    assert len(list(CASES.glob("*.yaml"))) == len(CHECKS)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_broken_view_says_what_each_engine_said_without_data(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    spec = request.getfixturevalue("postgres") if engine == "postgres" else str(tmp_path / f"view.{engine}")
    ddl = "CREATE TABLE checked_views (id INTEGER, note VARCHAR(40))"
    load(engine, spec, ddl, "checked_views", ((1, "12"), (2, "Geheimnis")))
    wrong = "SELECT id, missing_column FROM checked_views"
    (broken,) = (
        one for one in found(spec, {"entities": [{"name": "V", "view": wrong, "grain": "id"}]}) if one.where == "V"
    )
    assert "missing_column" in broken.message
    cast = "SELECT id, CAST(note AS INTEGER) AS n FROM checked_views"
    told = found(spec, {"entities": [{"name": "V", "view": cast, "grain": "id"}]})
    # SQLite makes 0 of any text.
    assert [one.where for one in told] == ([] if engine == "sqlite" else ["V.n"])
    assert not any("Geheimnis" in one.message for one in told)


@settings(max_examples=10, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), min_size=6, max_size=40))
def test_no_stored_text_ever_stands_in_a_message(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("leak") / "leak.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, x VARCHAR)")
        connection.execute("INSERT INTO t VALUES (1, ?)", [f"§{text}§"])
    views = ("CAST(x AS INTEGER)", "CAST(x AS DATE)", "strptime(x, '%Y')", "error(x)", "regexp_matches('a', x)")
    entities = [
        {"name": f"V{n}", "view": f"SELECT id, {one} AS y FROM t", "grain": "id"} for n, one in enumerate(views)
    ]
    for one in found(path, {"entities": entities}):
        assert "§" not in one.message


# --- the command


SHOP = """\
featureCode: shop
entities:
  - name: Order
    label: order
    synonyms: {en: [orders]}
    table: orders
    grain: id
    defaultDate: ordered_on
    fields:
      - {name: total, label: order total, semanticType: AMOUNT, additivity: ADDITIVE, unitField: currency}
      - {name: currency, semanticType: CURRENCY}
    measures:
      - name: revenue
        label: revenue
        aggregate: SUM
        expression: total
        questions:
          en:
            - {question: "revenue in January 2025", answer: [120.50, CHF]}
questions:
  en:
    - {question: "How many orders are there?", answer: 4}
    - How many orders were there in February 2025?
"""


def run(tmp_path: Path, shop: Path, text: str, *more: str) -> Result:
    own = tmp_path / "own.yaml"
    own.write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, ["check", "--ontology", str(own), "--against", str(shop), *more])


def test_questions_with_the_right_answer_pass(tmp_path: Path, shop: Path) -> None:
    done = run(tmp_path, shop, SHOP)
    assert (done.exit_code, done.stdout) == (0, "shop: everything it declares fits the source. 3 questions asked.\n")


@pytest.mark.parametrize(
    ("change", "line", "told"),
    [
        (("answer: 4", "answer: 5"), 22, "Its answer is another one than 5."),
        (("[120.50, CHF]", "[120.50, EUR]"), 19, "Its answer is another one than 120.5, EUR."),
        (("revenue in January", "profit in January"), 19, "It is not answered."),
        (("in February 2025?", "in Februrary 2025?"), 23, "It is not answered."),
    ],
)
def test_a_question_that_is_answered_otherwise_is_found_at_its_line(
    tmp_path: Path, shop: Path, change: tuple[str, str], line: int, told: str
) -> None:
    done = run(tmp_path, shop, SHOP.replace(*change))
    assert done.exit_code == 1
    assert f"own.yaml, line {line}: " in done.stdout
    assert told in done.stdout
    assert "120.50" not in done.stdout.replace("another one than 120.5", "")
    assert "4" not in done.stdout.partition(told)[2].partition("\n")[0]


def test_gold_questions_are_asked_and_found_in_their_own_file(tmp_path: Path, shop: Path) -> None:
    gold = tmp_path / "gold.yaml"
    gold.write_text(
        '- {id: g1, question: "How many orders are there?", expectedAnswerNumeric: {orders: 4}}\n'
        '- {id: g2, question: "How many orders are there?", expectedAnswerNumeric: {orders: 3}}\n'
        '- {id: g3, question: "How many unicorns are there?", expectedOutcome: abstained}\n',
        encoding="utf-8",
    )
    done = run(tmp_path, shop, SHOP, "--questions", str(gold))
    assert done.exit_code == 1
    assert done.stdout.splitlines()[:-1] == [
        f"{gold}, line 2: gold question g2: Its answer is another one than the file says."
    ]


@pytest.mark.parametrize(
    ("text", "more", "told"),
    [
        ("featureCode: [", (), "not valid YAML"),
        ("just words", (), "is not an ontology"),
        (SHOP, ("--source", "nowhere.duckdb"), "There is no file or folder"),
        (SHOP, ("--format", "xml"), "--format is text, json or sarif"),
        (SHOP, ("--questions", "nowhere.yaml"), "nowhere.yaml cannot be read"),
        (SHOP, ("--scope", "tenant=1"), "has the scope column 'tenant'"),
    ],
)
def test_what_cannot_be_checked_is_one_sentence(
    tmp_path: Path, shop: Path, text: str, more: tuple[str, ...], told: str
) -> None:
    done = run(tmp_path, shop, text, *more)
    assert isinstance(done.exception, VeracityError)
    assert told in str(done.exception)
    assert "\n" not in str(done.exception)


def test_no_ask_leaves_the_questions_out(tmp_path: Path, shop: Path) -> None:
    assert run(tmp_path, shop, SHOP.replace("answer: 4", "answer: 5"), "--no-ask").exit_code == 0


def test_rows_and_answers_are_only_shown_where_they_are_asked_for(tmp_path: Path, shop: Path) -> None:
    text = SHOP.replace("grain: id", "grain: customer_id")
    quiet = json.loads(run(tmp_path, shop, text, "--format", "json", "--no-ask").stdout)
    assert [(one["check"], one["line"], one["example"]) for one in quiet] == [("keys-are-unique", 7, None)]
    shown = json.loads(run(tmp_path, shop, text, "--json", "--no-ask", "--examples").stdout)
    assert shown[0]["example"] == {"customer_id": 1, "rows": 2}


def test_sarif_is_valid_and_holds_file_line_and_no_data(
    tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = SHOP.replace("grain: id", "grain: customer_id").replace("answer: 4", "answer: 5")
    done = run(tmp_path, shop, text, "--format", "sarif", "--examples")
    assert done.exit_code == 1
    log = json.loads(done.stdout)
    jsonschema.validate(log, json.loads(SCHEMA.read_text(encoding="utf-8")))
    results = log["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["keys-are-unique", "questions-are-answered"]
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "own.yaml"
    assert place["region"]["startLine"] == 7
    assert "Alpina" not in done.stdout
    clean = json.loads(run(tmp_path, shop, SHOP, "--format", "sarif").stdout)
    jsonschema.validate(clean, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert clean["runs"][0]["results"] == []


def test_an_unknown_key_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    for right, wrong, line in (
        ("additivity", "aditivity", 10),
        ("expression", "expresion", 16),
        ("entities", "entites", 2),
    ):
        path.write_text(SHOP.replace(f"{right}:", f"{wrong}:"), encoding="utf-8")
        with pytest.raises(OntologyError) as caught:
            load_ontology(path)
        if right != "entities":
            assert f"line {line}: " in str(caught.value)
            assert str(caught.value).endswith(f"{wrong}: there is no such key; did you mean {right}.")


@pytest.mark.parametrize("answer", ["true", "[no]", "{a: 1}", "2025-01-31"])
def test_an_answer_that_is_no_figure_and_no_text_is_refused(tmp_path: Path, answer: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(SHOP.replace("answer: 4", f"answer: {answer}"), encoding="utf-8")
    with pytest.raises(OntologyError, match=r"line 22: questions\.en\.0\.answer: an answer is a figure or a text"):
        load_ontology(path)


def test_a_question_with_its_answer_survives_being_written_as_json(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(SHOP, encoding="utf-8")
    ontology = load_ontology(path)
    assert OntologyDescriptor.model_validate_json(ontology.model_dump_json()) == ontology
    assert (
        json.loads(ontology.model_dump_json())["questions"]["en"][1] == "How many orders were there in February 2025?"
    )
