"""A file that cannot be imported is one sentence with its place, exit code 2, and nothing is written."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command_line import veracity
from veracity.errors import OntologyError
from veracity.ontology.exchange.importing import import_model

CASES = Path(__file__).parent / "cases"
HEAD = """\
version: 0.2.0.dev0
name: m
datasets:
- {name: a, source: a, primary_key: [id], fields: [{name: id, expression: id}, {name: x, expression: x}]}
- {name: b, source: b, primary_key: [id], fields: [{name: id, expression: id}, {name: y, expression: y}]}
"""
LETTERS = "abcdefgh"


def repeated(first: str, form: str) -> str:
    """A file in which every line repeats the one before nine times, and so on: a bomb."""
    lines = [first]
    lines += [
        f"{new}: &{new} {form % ', '.join([f'*{old}'] * 9)}"
        for old, new in zip(LETTERS, LETTERS[1:] + "i", strict=True)
    ]
    return "\n".join([*lines, "datasets: *i\n"])


def manifest(**changes: Any) -> str:
    return json.dumps({"semantic_models": [{"name": "o", "node_relation": {"alias": "o"}}], **changes})


def metric(name: str, kind: str, **params: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "type_params": params}


BAD: dict[str, tuple[str | bytes, str]] = {
    "circle": (
        HEAD + "relationships:\n- {name: ab, from: a, to: b, from_columns: [x], to_columns: [id]}\n"
        "- {name: ba, from: b, to: a, from_columns: [y], to_columns: [id]}\n",
        "line 8: the relationship ba closes a circle (b -> a -> b)",
    ),
    "circle-of-metrics": (HEAD + "metrics:\n- {name: k, expression: l / SUM(a.x)}\n- {name: l, expression: k}\n", "line 7: the metric k is over nothing: it goes round"),
    "unknown-dialect": (HEAD + "metrics:\n- name: k\n  expression: {dialects: [{dialect: KLINGON, expression: SUM(a.x)}]}\n", "line 8: the dialect KLINGON is not known"),
    "metric-without-sql": (HEAD + "metrics:\n- {name: k, expression: ''}\n", "line 7: the metric k is over nothing: its expression is empty"),
    "metric-over-a-number": (HEAD + "metrics:\n- {name: k, expression: SUM(1)}\n", "line 7: the metric k is over nothing: it names no field"),
    "metric-over-no-dataset": (HEAD + "metrics:\n- {name: k, expression: SUM(aa.x)}\n", "line 7: the metric k is over nothing: there is no dataset aa"),
    "metric-over-no-field": (HEAD + "metrics:\n- {name: k, expression: SUM(zzz)}\n", "line 7: the metric k is over nothing: no dataset has the field zzz"),
    "two-datasets-of-one-name": ("name: m\ndatasets:\n- {name: a, source: a}\n- {name: A, source: b}\n", "line 4: the dataset A is there twice"),
    "two-fields-of-one-name": ("name: m\ndatasets:\n- name: a\n  source: a\n  fields: [{name: x, expression: x}, {name: X, expression: y}]\n", "line 5: the field of a X is there twice"),
    "relationship-to-nowhere": (HEAD + "relationships:\n- {name: ab, from: a, to: c, from_columns: [x], to_columns: [id]}\n", "line 7: the relationship ab names the dataset c"),
    "columns-without-partner": (HEAD + "relationships:\n- {name: ab, from: a, to: b, from_columns: [x, id], to_columns: [id]}\n", "2 from_columns and 1 to_columns"),
    "no-table": ("name: m\ndatasets:\n- {name: a, source: '...'}\n", "line 3: the source of a names no table"),
    "no-query": ("name: m\ndatasets:\n- {name: a, source: 'select from where'}\n", "line 3: the source of a is no table"),
    "bomb-of-lists": (repeated("a: &a [x, x, x, x, x, x, x, x, x]", "[%s]"), "repeats its parts through aliases"),
    "bomb-of-maps": (repeated("a: &a {k: v}", "{<<: [%s]}"), "repeats its parts through aliases"),
    "holds-itself": ("&a\nname: m\ndatasets: [*a]\n", "datasets.0.source: it is missing"),
    "empty": ("", "is empty"),
    "only-a-comment": ("# nothing\n", "is empty"),
    "list-at-the-top": ("- a\n", "line 1: a list stands where a map belongs"),
    "map-for-a-list": ("name: m\ndatasets: {a: b}\n", "line 2: datasets: a list belongs here"),
    "list-for-a-map": ("name: m\ndatasets:\n- [a, b]\n", "line 3: datasets.0: a map belongs here"),
    "no-datasets": ("name: m\ndatasets: []\n", "line 2: datasets: it is empty"),
    "no-models": ("semantic_model: []\n", "line 1: the file has no semantic model"),
    "something-else": ("featureCode: x\nentities: []\n", "is neither an Ossie model"),
    "unknown-version": ("version: 9.1\nname: m\ndatasets: []\n", "line 1: version 9.1 of Ossie is not known"),
    "50-mb": ("# " + "x" * 50_000_000, "more than 10 MB"),
    "deep-json": ('{"a":' * 100_000, "nested too deeply"),
    "binary": (bytes(range(256)), "UTF-8"),
    "dbt-of-tomorrow": (
        manifest(project_configuration={"dsi_package_version": {"major_version": "1", "minor_version": "0"}}),
        "dbt-semantic-interfaces 1.0, which is not known",
    ),
    "dbt-without-table": ('{"semantic_models": [{"name": "o"}]}', "semantic_models.0.node_relation: it is missing"),
    "dbt-map-for-a-list": ('{"semantic_models": {"o": 1}}', "semantic_models: a list belongs here"),
    "dbt-without-models": ('{"semantic_models": []}', "semantic_models: it is empty"),
    "dbt-metric-over-nothing": (manifest(metrics=[metric("k", "simple", measure="zzz")]), "metrics.0: the metric k is over nothing: there is no measure zzz"),
    "dbt-circle": (
        manifest(metrics=[metric("k", "derived", expr="l", metrics=["l"]), metric("l", "derived", expr="k", metrics=["k"])]),
        "metrics.0: the metric k is over nothing: it goes round in a circle (k -> l -> k)",
    ),
    "dbt-twice": (manifest(metrics=[metric("k", "simple"), metric("k", "simple")]), "metrics.1.name: the metric k is there twice"),
}  # fmt: skip


def bad_file(folder: Path, data: str | bytes) -> Path:
    path = folder / "model.yaml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_imported_is_one_sentence_with_its_place(tmp_path: Path, name: str) -> None:
    data, says = BAD[name]
    with pytest.raises(OntologyError) as told:
        import_model(bad_file(tmp_path, data))
    assert says in str(told.value)
    assert str(told.value).endswith(".")
    assert "\n" not in str(told.value)


def test_a_refused_import_ends_with_2_and_writes_nothing(tmp_path: Path) -> None:
    path = bad_file(tmp_path, BAD["circle"][0])
    done = veracity("ontology", "import", str(path), "--out", "my.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("veracity: ")
    assert done.stderr.count("\n") == 1
    assert [one.name for one in tmp_path.iterdir()] == ["model.yaml"]
    assert veracity("ontology", "import", str(path), "--out", "my.yaml", "--allow-cycles", cwd=tmp_path).returncode == 0
    assert (tmp_path / "my.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["import", "gone.yaml"], "gone.yaml cannot be read"),
        (["import", "model.yaml", "--out", "model.yaml"], "is the file that is read"),
        (["import", "model.yaml", "--out", "taken.yaml"], "is there already"),
        (["import", "model.yaml", "--out", "no/such/folder.yaml"], "cannot be written"),
        (["import", "model.yaml", "--model", "zzz"], "has no model zzz; it has m"),
        (["export", "--format", "cube"], "--format is ossie or veracity, not 'cube'"),
        (["export", "--feature", "realestate"], "has no ontology to export"),
        (["export", "--ontology", "gone.yaml"], "gone.yaml cannot be read"),
    ],
)
def test_a_wrong_command_is_one_sentence(tmp_path: Path, arguments: list[str], says: str) -> None:
    bad_file(tmp_path, HEAD)
    (tmp_path / "taken.yaml").write_text("mine")
    done = veracity("ontology", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert says in done.stderr
    assert (tmp_path / "taken.yaml").read_text() == "mine"


def test_the_json_of_an_import_has_the_ontology_and_every_part(tmp_path: Path) -> None:
    done = veracity("ontology", "import", str(CASES / "ossie/tpcds_semantic_model.yaml"), "--json", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert told["ontology"]["featureCode"] == "tpcds_retail_model"
    assert {"kind", "name", "place", "line", "why"} <= set(told["left"][0])
    assert {part["became"] for part in told["taken"] if part["kind"] == "metric"} >= {
        "the measure total_sales of store_sales"
    }


def test_without_out_the_ontology_is_on_standard_output_and_the_report_beside_it(tmp_path: Path) -> None:
    done = veracity("ontology", "import", str(bad_file(tmp_path, HEAD)), cwd=tmp_path)
    assert yaml.safe_load(done.stdout)["featureCode"] == "m"
    assert "2 entities, 4 fields came over." in done.stderr
    back = veracity("ontology", "export", "--format", "veracity", cwd=tmp_path)
    assert yaml.safe_load(back.stdout)["featureCode"] == "trustee"


leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.text(max_size=6),
    st.sampled_from(["a", "id", "SUM(a.id)", "SELECT", "a.id WHERE x == 1"]),
)
keys = st.sampled_from(
    ["name", "source", "datasets", "fields", "expression", "dialects", "dialect", "metrics", "relationships", "from", "to", "from_columns", "to_columns",
     "ai_context", "synonyms", "custom_extensions", "vendor_name", "data", "primary_key", "unique_keys", "semantic_model", "semantic_models", "version",
     "ontology", "ontology_mappings", "concept_mappings", "concept", "object_mappings", "referent_mappings", "relationship", "node_relation", "alias",
     "entities", "type", "measures", "dimensions", "type_params", "measure", "filter", "agg", "expr", "label", "description", "datatype"]
)  # fmt: skip
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=20,
)


@cache
def good(name: str) -> str:
    return json.dumps(yaml.load((CASES / name).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A good file with one part replaced by something else."""
    name = draw(
        st.sampled_from(["ossie/tpcds_semantic_model.yaml", "ossie/flights.yaml", "dbt/semantic_manifest.json"])
    )
    node = data = json.loads(good(name))
    for _ in range(draw(st.integers(0, 7))):
        steps = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else []
        if not steps:
            break
        step = draw(st.sampled_from(steps))
        if not isinstance(node[step], dict | list) or draw(st.integers(0, 5)) == 0:
            node[step] = draw(trees)
            break
        node = node[step]
    return data


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.one_of(trees, damaged()))
def test_whatever_a_file_holds_it_is_imported_or_refused_in_a_sentence(tmp_path: Path, data: Any) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    said = ""
    try:
        import_model(path)
    except OntologyError as error:
        said = str(error)
    assert "\n" not in said
