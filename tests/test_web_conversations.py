"""The pages of conversations without a browser: forms that go on, rename, search and delete; nothing of another's."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from served import client_of, server_app, two_tenants
from veracity.server.web.texts import say

HERE = {"Origin": "http://127.0.0.1:8600", "Accept-Language": "en"}
REVENUE = "Wie hoch war der Umsatz 2025?"


@pytest.fixture(scope="module")
def local(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("talk-pages")
    with client_of(server_app(two_tenants(ledger, folder), folder)) as client:
        yield client


def post(client: TestClient, path: str, **fields: str) -> Any:
    found = re.search(r'name="csrf" value="(\w+)"', client.get("/").text)
    assert found is not None
    return client.post(path, data={"csrf": found[1], **fields}, headers=HERE, follow_redirects=False)


def ask(client: TestClient, question: str, **fields: str) -> str:
    """Ask on the page; the address of the conversation."""
    asked = post(client, "/ask", question=question, **fields)
    assert asked.status_code == 303, asked.text
    return str(asked.headers["location"]).partition("#")[0]


def questions(page: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(r'<h2 class="asked">([^<]*)', page)]


def test_a_conversation_shows_all_its_answers_and_goes_on_behind_the_last(local: TestClient) -> None:
    address = ask(local, REVENUE)
    name = address.rpartition("/")[2]
    assert ask(local, "und 2024?", conversation=name) == address
    page = local.get(address, headers=HERE).text
    assert questions(page) == [REVENUE, "und 2024?"]
    assert "1&#39;271&#39;665.18" in page
    last = re.findall(r'data-trace="([\w-]+)"', page)[-1]
    assert f'name="follows" value="{last}"' in page
    assert f'name="conversation" value="{name}"' in page
    # Only the last answer has its rows queried at once; the others when they are opened.
    assert page.count('hx-trigger="load"') < page.count("hx-get=")
    assert address in local.get("/", headers=HERE).text


def test_a_question_back_inside_a_conversation_is_answered_inside_it(local: TestClient) -> None:
    address = ask(local, "Wie hoch war der Umsatz?")
    page = local.get(address).text
    option = page[page.index('class="options"') :]
    fields = dict(re.findall(r'type="hidden" name="(follows|conversation)" value="([\w-]+)"', option)[:2])
    assert ask(local, "2024", **fields) == address
    assert questions(local.get(address).text) == ["Wie hoch war der Umsatz?", "2024"]


def test_of_two_tabs_that_rename_the_second_sees_the_first_title_and_keeps_its_own_in_the_form(local: TestClient) -> None:  # fmt: skip
    address = ask(local, REVENUE)
    assert post(local, f"{address}/title", title="Erster Tab", was=REVENUE).status_code == 303
    late = post(local, f"{address}/title", title="Zweiter Tab", was=REVENUE)
    assert late.status_code == 409
    assert html.escape(say("en", "talk.renamed", title="Erster Tab"), quote=False) in late.text
    assert 'value="Zweiter Tab"' in late.text
    assert 'name="was" value="Erster Tab"' in late.text
    assert post(local, f"{address}/title", title="Zweiter Tab", was="Erster Tab").status_code == 303
    assert '<h1 class="talk-title">Zweiter Tab</h1>' in local.get(address).text


@pytest.mark.parametrize("title", ["", "   ", "\u200b", "x" * 121])
def test_a_title_that_cannot_be_one_changes_nothing(local: TestClient, title: str) -> None:
    address = ask(local, REVENUE)
    refused = post(local, f"{address}/title", title=title, was=REVENUE)
    assert refused.status_code == 400
    assert say("en", "talk.title_length", most=120) in refused.text
    assert f'<h1 class="talk-title">{REVENUE}</h1>' in local.get(address).text


def test_a_title_that_is_a_script_is_shown_and_not_run(local: TestClient) -> None:
    address = ask(local, REVENUE)
    post(local, f"{address}/title", title='"><script>alert(1)</script>', was=REVENUE)
    for page in (local.get(address).text, local.get("/conversations?search=alert(1)").text, local.get("/").text):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page


def test_conversations_are_searched_and_a_deleted_one_is_told_before_anything_is_asked(local: TestClient) -> None:
    address = ask(local, "Was ist der Banksaldo per 31.12.2025?")
    name = address.rpartition("/")[2]
    assert address in local.get("/conversations?search=banksaldo").text
    assert address not in local.get("/conversations?search=banksaldo+nirgends").text
    assert post(local, f"{address}/delete").headers["location"] == "/conversations"
    assert address not in local.get("/conversations").text
    for path, fields in (
        (f"{address}/delete", {}),
        (f"{address}/title", {"title": "a", "was": "b"}),
        ("/ask", {"question": REVENUE, "conversation": name}),
    ):
        gone = post(local, path, **fields)
        assert gone.status_code == 404
        assert say("en", "talk.gone") in gone.text
    assert post(local, "/ask", question=REVENUE, follows="x").status_code == 400


def test_a_long_conversation_is_shown_by_its_last_answers_and_leads_to_the_earlier_ones(local: TestClient) -> None:
    address = ask(local, "Hallo 0")
    for number in range(1, 22):
        ask(local, f"Hallo {number}", conversation=address.rpartition("/")[2])
    page = local.get(address, headers=HERE).text
    assert questions(page) == [f"Hallo {number}" for number in range(2, 22)]
    found = re.search(r'href="([^"]+)">Earlier questions<', page)
    assert found is not None
    earlier = local.get(found[1], headers=HERE).text
    assert questions(earlier) == ["Hallo 0", "Hallo 1"]
    assert 'name="follows" value=""' in earlier
