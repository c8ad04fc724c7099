"""`veracity skill list | show | check`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from command_line import veracity
from veracity.cli import app
from veracity.errors import SkillError, UsageError

MINE = "name: mine\ndescription: {en: Mine., de: Meins., zh: 我的。}\nstrategy: direct\nprompt: Do.\nquality: {skill_match: false}\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The skills of a project, in the folder that the command runs in."""
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".veracity" / "skills"
    folder.mkdir(parents=True)
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["skill", *arguments])


# --- list


def test_list_has_every_skill_with_prefixes_strategy_origin_and_a_sentence() -> None:
    lines = run("list").stdout.splitlines()
    assert len(lines) == 17
    [line] = [line for line in lines if line.startswith(" summariser")]
    assert line.split()[1:5] == ["/sum", "/tldr", "direct", "shipped"]
    assert "Sums up a text in a few sentences" in line


@pytest.mark.parametrize(("lang", "says"), [("de", "Meins."), ("zh_CN", "我的。"), ("en", "Mine.")])
def test_list_speaks_three_languages_and_names_the_origin(lang: str, says: str, project: Path) -> None:
    (project / "mine.yaml").write_text(MINE, encoding="utf-8")
    [line] = [line for line in run("list", "--lang", lang).stdout.splitlines() if line.startswith(" mine")]
    assert says in line
    assert "project" in line


def test_a_language_that_there_is_not_is_told() -> None:
    assert isinstance(run("list", "--lang", "fr").exception, UsageError)


def test_list_as_json() -> None:
    rows = json.loads(run("list", "--json").stdout)
    [row] = [row for row in rows if row["name"] == "sql_analyst"]
    assert list(row) == ["name", "prefixes", "strategy", "description", "origin", "path", "overrides"]
    assert row["prefixes"] == ["/sql_analyst", "/sql"]


def test_a_broken_file_stops_the_list_with_file_and_line(project: Path) -> None:
    (project / "mine.yaml").write_text(MINE.replace("direct", "dierct"), encoding="utf-8")
    done = veracity("skill", "list")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"veracity: {project / 'mine.yaml'}, line 3: strategy: there is no strategy 'dierct'; did you mean direct.\n"
    )


# --- show


def test_show_tells_what_a_skill_is_and_where_it_comes_from(project: Path) -> None:
    own = project / "own.yaml"
    own.write_text(MINE.replace("name: mine", "name: summariser") + "prefixes: [sum]\n", encoding="utf-8")
    said = run("show", "summariser").stdout
    assert said.startswith("summariser: Mine.\n")
    for part in (
        "strategy  direct",
        "called by  /summariser, /sum",
        "skill_match false",
        "rounds 8",
        f"from  project, {own}",
    ):
        assert part in said
    assert "in place of  " in said
    assert "library/summariser.yaml" in said
    assert said.endswith("prompt\n  Do.\n")


def test_show_has_tools_keywords_rules_and_the_schema() -> None:
    said = run("show", "code_reviewer", "--lang", "zh").stdout
    for part in (
        "代码审查",
        "confusable with  reflexion_agent",
        "required_fields",
        "figures  free",
        "verdict:",
        "Review the code",
    ):
        assert part in said
    assert "tools  browseTable, queryTable, aggregateTable" in run("show", "react_agent").stdout


@pytest.mark.parametrize("written", ["sql_analyst", "/sql", "SQL", "/Sql_Analyst"])
def test_show_takes_a_name_or_a_prefix(written: str) -> None:
    assert run("show", written).stdout.startswith("sql_analyst: ")


def test_show_as_json_is_the_whole_skill() -> None:
    said = json.loads(run("show", "geo_optimizer", "--json").stdout)
    assert said["output_schema"]["required"] == ["title", "description", "keywords", "suggestions"]
    assert (said["origin"], said["overrides"]) == ("shipped", [])
    assert said["intent"]["disambiguation_keywords"]["zh"] == ["SEO 优化", "GEO 优化", "搜索排名"]


def test_an_unknown_skill_is_told_with_the_nearest() -> None:
    done = veracity("skill", "show", "code_reviever\x1b[31m")
    assert done.returncode == 2
    assert "did you mean code_reviewer" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_skill_unlike_any_is_told() -> None:
    assert isinstance(told := run("show", "☃").exception, SkillError)
    assert "veracity skill list" in str(told)


# --- check


def test_nothing_is_wrong_with_what_is_shipped() -> None:
    done = run("check")
    assert done.stdout == "16 files checked: no problems, no warnings.\n"
    assert done.exit_code == 0


def test_check_tells_all_problems_and_warnings(project: Path) -> None:
    (project / "a.yaml").write_text("name: A\nstrategy: xyz\n", encoding="utf-8")
    (project / "b.yaml").write_text(MINE.replace("quality: {skill_match: false}\n", ""), encoding="utf-8")
    done = run("check")
    lines = done.stdout.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith(f"{project / 'a.yaml'}, line 1: name: ")
    assert lines[4].startswith(f"warning: {project / 'b.yaml'}, line 1: intent.keywords: ")
    assert lines[5] == "18 files checked: 4 problems, 1 warning."
    assert done.exit_code == 1


def test_warnings_alone_are_no_failure(project: Path) -> None:
    path = project / "b.yaml"
    path.write_text(MINE.replace("quality: {skill_match: false}\n", ""), encoding="utf-8")
    done = run("check", str(path))
    assert done.stdout.endswith("1 file checked: no problems, 1 warning.\n")
    assert done.exit_code == 0


def test_check_as_json(tmp_path: Path) -> None:
    done = run("check", str(tmp_path / "none.yaml"), "--json")
    said = json.loads(done.stdout)
    assert list(said) == ["problems", "warnings", "checked"]
    assert "cannot be read" in said["problems"][0]
    assert done.exit_code == 1


def test_looking_at_skills_loads_no_model_and_no_engine() -> None:
    code = (
        "import sys\nfrom veracity.cli import app\nsys.argv = ['veracity', 'skill', 'list']\n"
        "try: app()\nexcept SystemExit: pass\n"
        "print('MODULES', *sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rsplit("MODULES", 1)[1].split())
    assert not loaded & {"pydantic_ai", "openai", "duckdb", "sqlglot", "numpy"}
