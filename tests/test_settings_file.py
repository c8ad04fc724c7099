"""`veracity.toml`: a flag beats the environment, which beats the file; what is not known is refused, and every key is documented."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from teaching_shop import make_shop
from veracity.cli import app
from veracity.cli.options import AgentOptions
from veracity.errors import UsageError
from veracity.retrieval.contracts import RerankSettings
from veracity.server.config import ServerSettings
from veracity.settings import ASKING, Settings, SettingsFile, asked_with, unknown_variables

PAGE = (Path(__file__).parents[1] / "docs" / "configuration.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))
    return tmp_path


def written(text: str, name: str = "veracity.toml") -> None:
    Path(name).write_text(text, encoding="utf-8")


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["ask", "how many customers", *arguments])


# --- ranks


def test_a_flag_beats_the_environment_which_beats_the_file_for_questions(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_shop(folder)
    written('source = "shop.sqlite"\nontology = "shop.yaml"\nscope = {tenant = "t-1"}\n')
    assert "Number of customers: 3." in ask().output
    monkeypatch.setenv("VERACITY_SCOPE", "tenant=t-2")
    assert "Number of customers: 1." in ask().output
    assert "Number of customers: 3." in ask("--scope", "tenant=t-1").output
    # Another source is not read with the scope and the ontology of this one.
    (folder / "other.csv").write_text("name,city\nAnna,Bern\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["tables", "--source", "other.csv"])
    assert (done.exit_code, "city" in done.output) == (0, True)


def test_the_server_reads_the_same_file_and_its_own_section_first() -> None:
    written(
        'model = "openai:a"\ndatabase = "mine.sqlite"\nsource = "a.csv"\nontology = "a.yaml"\n[serve]\nport = 1234\n'
    )
    made = ServerSettings.read({}, {})
    assert (made.model, made.port, made.database, made.ontology) == ("openai:a", 1234, "mine.sqlite", "a.yaml")
    assert ServerSettings.read({}, {"VERACITY_MODEL": "openai:b"}).model == "openai:b"
    both = {"VERACITY_MODEL": "openai:b", "VERACITY_SERVE_MODEL": "openai:c", "VERACITY_SERVE_PORT": "99"}
    assert (ServerSettings.read({}, both).model, ServerSettings.read({}, both).port) == ("openai:c", 99)
    assert ServerSettings.read({"model": "openai:d", "port": 7}, both).port == 7
    another = ServerSettings.read({"source": "b.csv"}, {})
    assert (another.source, another.ontology) == ("b.csv", None)
    assert Settings.from_env({}).database == "mine.sqlite"


def test_limits_and_prices_come_from_the_file_and_paths_from_its_folder(folder: Path) -> None:
    (folder / "etc").mkdir()
    written(
        'home = "data"\nsource = "a.csv"\nrow_limit = 7\ndatabase = "postgresql://u@h/d"\n'
        '[rerank]\nrrf_k = 3\n[prices."openai:tiny"]\ninput = 0.5\noutput = 2\n',
        "etc/other.toml",
    )
    environ = {"VERACITY_CONFIG": str(folder / "etc" / "other.toml")}
    made = Settings.from_env(environ)
    assert (made.home, made.row_limit, made.database) == (folder / "etc" / "data", 7, "postgresql://u@h/d")
    assert made.prices["openai:tiny"].output == 2
    assert asked_with(environ) == {"source": str(folder / "etc" / "a.csv")}
    assert RerankSettings.from_env(environ).rrf_k == 3
    assert Settings.from_env({**environ, "VERACITY_ROW_LIMIT": "8"}).row_limit == 8


# --- what cannot be


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('modle = "x"', "veracity.toml has a key 'modle' that is not known; did you mean model?"),
        ("row_limit = 0", "row_limit in veracity.toml cannot be '0': input should be greater than or equal to 1."),
        ("source = 3", "source in veracity.toml is a text, not '3'."),
        ("rounds = true", "rounds in veracity.toml is a number, not 'True'."),
        ('scope = "a=b"', "scope in veracity.toml is {key = \"value\"}, not 'a=b'."),
        ("serve = 3", "serve in veracity.toml is a section: write [serve] above its keys."),
        ("a = [", "veracity.toml is not TOML: "),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_sentence(text: str, said: str) -> None:
    written(text)
    with pytest.raises(UsageError) as caught:
        Settings.from_env({})
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)
    done = ask()
    assert isinstance(done.exception, UsageError)


def test_sections_and_variables_refuse_what_they_do_not_know() -> None:
    written("[serve]\nprot = 1\n[rerank]\nrfk = 1\n")
    with pytest.raises(UsageError, match=r"\[serve\] in veracity.toml has a key 'prot' .* did you mean port\?"):
        ServerSettings.read({}, {})
    with pytest.raises(UsageError, match=r"\[rerank\] in veracity.toml has a key 'rfk'"):
        RerankSettings.from_env({})
    written("[serve]\nport = 99999\n")
    with pytest.raises(UsageError, match=r"serve.port in veracity.toml cannot be '99999'"):
        ServerSettings.read({}, {})
    with pytest.raises(UsageError, match="VERACITY_SERVE_PROT is not known; did you mean VERACITY_SERVE_PORT"):
        ServerSettings.read({}, {"VERACITY_SERVE_PROT": "1"})
    with pytest.raises(UsageError, match=r"There is no file 'gone\.toml'"):
        SettingsFile.read({"VERACITY_CONFIG": "gone.toml"})
    assert unknown_variables({"VERACITY_HOEM": "x", "VERACITY_API_KEY": "k", "VERACITY_SERVE_X": "", "HOME": "/"}) == [
        "VERACITY_HOEM is not known; did you mean VERACITY_HOME?"
    ]


# --- the page


def documented(heading: str) -> dict[str, str]:
    """The keys of a table, with their defaults."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE))


def shown(value: Any) -> str:
    if value in (None, {}, ()):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


@pytest.mark.parametrize(
    ("heading", "kind"),
    [("Limits and places", Settings), ("The server", ServerSettings), ("Re-ranking", RerankSettings)],
)
def test_the_page_has_every_key_with_its_default(heading: str, kind: Any) -> None:
    defaults = {
        name: "`~/.local/share/veracity`" if name == "home" else shown(one.default)
        for name, one in kind.model_fields.items()
    }
    assert documented(heading) == defaults


def test_what_questions_are_asked_with_is_what_the_commands_offer() -> None:
    own = {one.name: shown(one.default) for one in fields(AgentOptions) if one.name not in ("as_json", "no_ontology")}
    assert set(own) == set(ASKING)
    assert documented("Questions") == own
