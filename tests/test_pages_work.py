"""The pages over `veracity serve` with its worker: a review that is approved, requirements that a team asks about."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import chromium, visiting
from command_line import program
from served import CANDIDATES, http

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def address(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`veracity serve`, as people start it, over the shipped ledger."""
    folder = tmp_path_factory.mktemp("pages")
    command = [str(program()), "serve", "--port", "0", "--log", "warning"]
    command += ["--source", str(ledger), "--feature", "trustee", "--database", str(folder / "serve.sqlite")]
    command += ["--corpus", str(folder / "corpus")]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert server.stdout is not None
    said = server.stdout.readline()
    try:
        yield next(word for word in said.split() if word.startswith("http://"))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=20)
        server.stdout.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with visiting(browser, address) as page:
        yield page


def test_a_reviewer_approves_what_is_ticked_and_a_worker_takes_it_up(page: Page, address: str) -> None:
    with http(address) as client:
        assert client.post("/v1/rerank?submit=true", json=CANDIDATES).status_code == 200
    page.goto("/reviews")
    page.get_by_role("link", name="Which retention periods").first.click()
    expect(page.locator("time")).to_contain_text("23 h")
    # Without a date there is a risk, so nothing is ticked before somebody has looked at it.
    for part in (1, 3):
        page.get_by_label(f"Retention of invoices, part {part}").check()
    page.get_by_role("button", name="Angekreuzte annehmen").click()
    expect(page.locator("#state")).to_contain_text("angenommen")
    expect(page.locator("#state .badge.ingested")).to_have_count(2, timeout=15_000)
    assert page.get_by_role("button", name="Angekreuzte annehmen").count() == 0


def test_uploaded_requirements_are_validated_and_the_team_gets_its_answers(
    page: Page, address: str, tmp_path: Path
) -> None:
    document = tmp_path / "wunsch.md"
    document.write_text(
        "- R-1: Die App muss schnell, benutzerfreundlich und intuitiv starten.\n- R-2: Das System muss in 2 s antworten.\n"
    )
    page.goto("/requirements")
    page.get_by_label("Oder eine Datei").set_input_files(document)
    page.get_by_role("button", name="Prüfen lassen").click()
    question = page.locator("article.question")
    expect(question).to_contain_text("schnell", timeout=20_000)
    first = page.locator("article.case").first
    first.get_by_text("Gespräch").click()
    question.get_by_label("Eigene Antwort").fill("höchstens 2 Sekunden")
    question.get_by_role("button", name="Antworten").click()
    expect(first.locator("blockquote").last).to_contain_text("höchstens 2 Sekunden", timeout=15_000)
    expect(question).to_contain_text("benutzerfreundlich", timeout=15_000)
    # Somebody else answers the next one; the page hears of it.
    first.get_by_text("Gespräch").click()
    with http(address) as client:
        (asked,) = client.get("/v1/clarifications").json()
        assert "Open questions · 1" in client.get("/requirements").text
        reply = {"text": "mit einem Klick"}
        assert client.post(f"/v1/clarifications/{asked['question_id']}/answer", json=reply).status_code == 200
    expect(first.locator("blockquote").last).to_contain_text("mit einem Klick", timeout=15_000)
    expect(first.locator(".turn.user").last).to_contain_text("mit einem Klick")
