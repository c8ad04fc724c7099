"""What a model knows of itself is marked where it holds figures: on the command line, over HTTP, on a page and in its file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browsing import chromium, visiting
from command_line import veracity
from model_server import PLAIN, ModelServer, model_server
from served import http, running, server_app

GERMAN, ENGLISH, PLAIN_WORDS = "Was ist maschinelles Lernen?", "What is machine learning?", "What is photosynthesis?"
FACT = "The term was coined in 1959 by Arthur Samuel."
FAKT = "Der Begriff stammt von 1959, von Arthur Samuel."
MARK = "(General knowledge of the model, not proven from data.)"
MARKE = "(Allgemeinwissen des Modells, nicht aus Daten belegt.)"
SUGAR = "It turns light into sugar."


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with model_server() as server:
        said = {ENGLISH: FACT, GERMAN: FAKT, PLAIN_WORDS: SUGAR}
        server.says({question: [[(PLAIN, {"text": text})]] for question, text in said.items()})
        yield server


@pytest.fixture(scope="module")
def address(ledger: Path, model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(server_app(ledger, tmp_path_factory.mktemp("general"), model=model.model)) as served:
        yield served


def test_on_the_command_line(model: ModelServer, ledger: Path) -> None:
    shared = ["--source", str(ledger), "--feature", "trustee", "--model", model.model]
    shown = veracity("ask", ENGLISH, *shared)
    assert FACT in shown.stdout
    assert MARK in shown.stdout
    sent = json.loads(veracity("ask", GERMAN, "--json", *shared).stdout)
    assert (sent["text"], sent["provenance"]) == (f"{FAKT}\n{MARKE}", [])
    unmarked = veracity("ask", PLAIN_WORDS, *shared).stdout
    assert SUGAR in unmarked
    assert MARK not in unmarked


def test_over_http_and_in_the_trace(address: str) -> None:
    with http(address) as client:
        sent = client.post("/v1/ask", json={"question": ENGLISH}).json()
        assert (sent["outcome"], sent["text"]) == ("answered", f"{FACT}\n{MARK}")
        assert sent["provenance"] == []
        kept = client.get(f"/v1/traces/{sent['traceId']}").json()
        assert MARK in json.dumps(kept, ensure_ascii=False)
        plain = client.post("/v1/ask", json={"question": PLAIN_WORDS}).json()
        assert plain["text"] == SUGAR


def test_on_a_page_no_figure_looks_proven(address: str) -> None:
    with chromium() as browser, visiting(browser, address) as page:
        page.goto("/")
        page.get_by_label("Ihre Frage").fill(GERMAN)
        page.keyboard.press("Enter")
        answer = page.locator("article.answered")
        expect(answer).to_contain_text(FAKT)
        expect(answer).to_contain_text(MARKE)
        # A figure that is proven is a button; this one only stands there.
        expect(answer.get_by_role("button", name="1959")).to_have_count(0)
        page.reload()
        expect(page.locator("article.answered")).to_contain_text(MARKE)
