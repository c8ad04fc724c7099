"""`ontology teach`, `ontology taught`, `answer right|wrong`, `ask --choose` and `chat`, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from teaching_shop import make_shop
from veracity.cli import app
from veracity.errors import UsageError

CONSUMERS = "How many consumers are in Germany?"
Run = Callable[..., Result]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    database, ontology = make_shop(tmp_path_factory.mktemp("cli-teach"))
    return ["--source", str(database), "--ontology", str(ontology), "--scope", "tenant=t-1"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A command with a data folder of its own."""
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, typed: str = "") -> Result:
        return CliRunner().invoke(app, list(arguments), input=typed)

    return command


def refusal(result: Result) -> str:
    assert isinstance(result.exception, UsageError), result.output
    return str(result.exception)


def test_a_choice_is_answered_and_remembered_where_that_is_said(run: Run, shop: list[str]) -> None:
    assert run("ask", CONSUMERS, *shop).exit_code == 3
    once = run("ask", CONSUMERS, *shop, "--choose", "1")
    assert (once.exit_code, "country Germany: 2." in once.output) == (0, True)
    assert run("ask", CONSUMERS, *shop).exit_code == 3
    kept = run("ask", CONSUMERS, *shop, "--choose", "1", "--remember", "--json")
    assert kept.exit_code == 0
    assert json.loads(kept.stdout)["taught"][0]["word"] == "consumers"
    assert run("ask", CONSUMERS, *shop).exit_code == 0
    (taught,) = json.loads(run("ontology", "taught", "list", "--json").stdout)
    assert (taught["ontology"], taught["taught"]["question"]) == ("shop", CONSUMERS)
    assert run("ontology", "taught", "undo", taught["taught"]["taughtId"]).exit_code == 0
    assert run("ask", CONSUMERS, *shop).exit_code == 3


def test_a_choice_that_is_not_there_is_told(run: Run, shop: list[str]) -> None:
    assert "no option 9" in refusal(run("ask", CONSUMERS, *shop, "--choose", "9"))
    assert "goes with --choose" in refusal(run("ask", CONSUMERS, *shop, "--remember"))
    assert run("ask", "revenue in 2024", *shop, "--choose", "1").exit_code == 0


def test_a_conversation_takes_a_number_and_remembers_on_request(run: Run, shop: list[str]) -> None:
    said = run(
        "chat", *shop, typed=f"{CONSUMERS}\n1\nand in France?\n{CONSUMERS}\n7\n1 remember\nconsumers in France\n/quit\n"
    )
    assert said.exit_code == 0
    assert said.output.count("country Germany: 2.") == 2
    assert "There is no option 7" in said.output
    assert "'consumers' means customer from now on" in said.output
    assert "Customers, country France: Bob." in said.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["folks"], "Say what the word means"),
        (["folks", "--means", "revenue", "--segment", "Customer"], "Say what the word means"),
        (["folks", "--means", "revenue", "--where", "x = 1"], "--where is for --segment and --measure"),
        (["folks", "--segment", "Customer"], "A segment needs --where"),
        (["folks", "--measure", "Invoice"], "needs either an `aggregate` or a `ratio`"),
        (["folks", "--means", "galaxy"], "Nothing here is called 'galaxy'"),
    ],
)
def test_what_cannot_be_taught_is_one_sentence(run: Run, shop: list[str], arguments: list[str], says: str) -> None:
    assert says in refusal(run("ontology", "teach", *arguments, *shop))
    assert "Nothing was taught yet" in run("ontology", "taught", "list").output


def test_what_was_not_taught_cannot_be_undone_and_a_folder_not_written(
    run: Run, shop: list[str], tmp_path: Path
) -> None:
    assert "was not taught" in refusal(run("ontology", "taught", "undo", "folks"))
    assert run("ontology", "taught", "export").stdout == "# Nothing was taught yet.\n"
    assert "cannot be written" in refusal(
        run("ontology", "taught", "export", "--ontology", shop[3], "--out", str(tmp_path))
    )


def test_a_word_that_two_ontologies_have_is_undone_by_its_id(run: Run, shop: list[str], tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(Path(shop[3]).read_text(encoding="utf-8").replace("featureCode: shop", "featureCode: other"))
    for ontology in (shop[3], str(other)):
        done = run("ontology", "teach", "proceeds", "--means", "revenue", *shop[:2], "--ontology", ontology)
        assert done.exit_code == 0
    assert "several ontologies" in refusal(run("ontology", "taught", "undo", "proceeds"))
    exported = run("ontology", "taught", "export").stdout
    assert exported.count("featureCode") == 2


def test_right_answers_are_asked_again_and_a_changed_figure_is_found(run: Run, tmp_path: Path) -> None:
    database, ontology = make_shop(tmp_path)
    shop = ["--source", str(database), "--ontology", str(ontology), "--scope", "tenant=t-1"]
    assert "called right yet" in refusal(run("eval", "--questions", "taught", *shop))
    trace = json.loads(run("ask", "revenue per country in 2024", *shop, "--json").stdout)["traceId"]
    assert run("answer", "right", trace).exit_code == 0
    assert scores(run("eval", "--questions", "taught", *shop, "--json")) == (1, 0)
    ontology.write_text(ontology.read_text(encoding="utf-8").replace("expression: amount", "expression: amount * 2"))
    assert scores(run("eval", "--questions", "taught", *shop, "--json")) == (0, 1)
    assert run("answer", "wrong", trace, "--why", "as if").exit_code == 0
    assert "as if" in run("answer", "list").output
    assert "There is no trace" in refusal(run("answer", "right", "20200101-000000"))


def scores(result: Result) -> tuple[int, int]:
    """How many are right and wrong."""
    (mode,) = json.loads(result.stdout)["summaries"]
    return mode["right"], mode["wrong"]
