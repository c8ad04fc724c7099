"""What can be known of `deploy/` without Docker: files, commands, options and ports are those of the package."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from case_files import read_yaml
from installed import lacking
from veracity.cli import app
from veracity.server.config import ServerSettings
from veracity.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(read_yaml(DEPLOY / "compose.yaml"))


@pytest.fixture(scope="module")
def instructions() -> list[tuple[str, str]]:
    """The Dockerfile, instruction by instruction, with its continued lines joined."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(line.split(None, 1)[0], " ".join(line.split(None, 1)[1].split())) for line in lines if line.strip()]


def settings_of(name: str) -> dict[str, str]:
    """`KEY=VALUE` lines of a unit's section."""
    text = (DEPLOY / "veracity.service").read_text(encoding="utf-8")
    section = text.split(f"[{name}]\n", 1)[1].split("\n[", 1)[0]
    lines = (line.partition("=") for line in section.splitlines() if "=" in line and not line.startswith("#"))
    return {key: value for key, _, value in lines}


def check_command(arguments: list[str]) -> None:
    """A command line that `veracity` takes: the command and each of its options are there, and their values can be read."""
    command = get_command(app)
    name, *rest = arguments
    found = command.get_command(None, name)  # type: ignore[attr-defined]
    assert found is not None, f"veracity {name} is no command"
    found.make_context(name, list(rest), resilient_parsing=False).close()


def variables(environment: dict[str, str]) -> Iterator[str]:
    for name in environment:
        if name.startswith("VERACITY_SERVE_"):
            yield name.removeprefix("VERACITY_SERVE_").lower()


# --- Dockerfile


def test_every_file_that_is_copied_into_the_image_is_there(instructions: list[tuple[str, str]]) -> None:
    copied = [words.split() for name, words in instructions if name == "COPY" and not words.startswith("--from")]
    assert copied
    missing = [source for *sources, _target in copied for source in sources if not (ROOT / source).exists()]
    assert missing == []


def test_what_is_copied_is_not_ignored(instructions: list[tuple[str, str]]) -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert ignored[0] == "*"
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    copied = {
        source.removeprefix("./")
        for name, words in instructions
        if name == "COPY" and not words.startswith("--from")
        for source in words.split()[:-1]
    }
    assert copied == let_in


def test_the_extras_that_are_installed_are_those_of_the_package(instructions: list[tuple[str, str]]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = next(re.findall(r"'\.\[([^\]]+)\]'", words)[0] for name, words in instructions if "'.[" in words)
    assert set(installed.split(",")) == set(project["optional-dependencies"])


def test_both_stages_start_from_one_image_that_is_named_by_its_digest(instructions: list[tuple[str, str]]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    least = project["requires-python"].removeprefix(">=")
    assert {words.split()[0] for name, words in instructions if name == "FROM"} == {"${PYTHON}"}
    assert re.fullmatch(rf"PYTHON=python:{least}-slim-bookworm@sha256:[0-9a-f]{{64}}", dict(instructions)["ARG"])


def test_the_image_runs_a_command_that_there_is_as_somebody_without_rights(
    instructions: list[tuple[str, str]],
) -> None:
    told = dict(instructions)
    assert json.loads(told["ENTRYPOINT"]) == ["veracity"]
    check_command(json.loads(told["CMD"]))
    assert told["USER"] == "veracity"
    assert int(told["EXPOSE"]) == ServerSettings().port
    home = re.findall(r"VERACITY_HOME=(\S+)", told["ENV"])[0]
    assert told["VOLUME"] == home
    assert f"127.0.0.1:{ServerSettings().port}/healthz" in told["HEALTHCHECK"]
    order = [name for name, _words in instructions]
    assert order.index("USER") < order.index("ENTRYPOINT")


# --- compose


def test_compose_has_server_worker_postgres_and_qdrant(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"server", "worker", "postgres", "qdrant"}
    used = {volume.split(":")[0] for one in compose["services"].values() for volume in one.get("volumes", ())}
    assert used == set(compose["volumes"])


@pytest.mark.parametrize("name", ["server", "worker"])
def test_the_commands_and_settings_of_compose_are_known(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    check_command(service["command"])
    assert set(variables(service["environment"])) <= set(ServerSettings.model_fields)
    assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    assert set(service["depends_on"]) <= set(compose["services"])
    database = service["environment"]["VERACITY_DATABASE"]
    parts = re.fullmatch(r"postgresql://(\w+):\$\{POSTGRES_PASSWORD:\?[^}]+\}@(\w+):5432/(\w+)", database)
    assert parts is not None
    postgres = compose["services"][parts[2]]["environment"]
    assert (postgres["POSTGRES_USER"], postgres["POSTGRES_DB"]) == (parts[1], parts[3])


def test_exactly_one_kind_of_service_works_the_queues_and_no_port_is_open_to_others(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert "--no-worker" in services["server"]["command"]
    assert services["worker"]["command"] == ["serve", "--workers-only"]
    opened = {name: one["ports"] for name, one in services.items() if "ports" in one}
    port = ServerSettings().port
    assert opened == {"server": [f"127.0.0.1:{port}:{port}"]}


def test_whoever_is_stopped_may_finish_what_runs(compose: dict[str, Any]) -> None:
    longest = ServerSettings().request_seconds
    assert float(compose["services"]["server"]["stop_grace_period"].rstrip("s")) > longest
    assert float(settings_of("Service")["TimeoutStopSec"]) > longest


def test_no_password_is_written_down() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in DEPLOY.iterdir() if path.is_file())
    asked_for = re.sub(r"\$\{\w+:\?[^}]*\}", "...", text)
    written = re.findall(r"(?i)(?:password|secret|api_key)\s*[:=]\s*(\S+)", asked_for)
    assert written
    assert set(written) == {"..."}
    assert re.search(r"vk_[0-9a-f]{12}_", text) is None


# --- systemd


def test_the_unit_starts_a_command_that_there_is_and_keeps_its_data_where_it_may_write() -> None:
    service = settings_of("Service")
    program, *arguments = shlex.split(service["ExecStart"])
    assert program.endswith("/bin/veracity")
    check_command(arguments)
    name, home = service["Environment"].split("=", 1)
    assert name == "VERACITY_HOME"
    assert home == f"/var/lib/{service['StateDirectory']}"
    assert "home" in Settings.model_fields


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        lacking("systemd", "systemd")
    unit = tmp_path / "veracity.service"
    text = (DEPLOY / "veracity.service").read_text(encoding="utf-8")
    # It also checks that the program is there.
    unit.write_text(text.replace("/opt/veracity/bin/veracity", sys.executable), encoding="utf-8")
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
