"""Connecting in a real browser: a file dropped on the page, a bar, what was found, and a proven question clicked."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browsing import chromium, visiting
from served import running
from veracity.features import get_feature
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.server.web.texts import say
from veracity.settings import Settings


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def address(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("connect-web")
    feature = get_feature("trustee")
    assert feature.shipped is not None
    shutil.copy(ledger, folder / f"trustee-v{feature.shipped.version}.duckdb")
    settings = ServerSettings(database=str(folder / "serve.sqlite"), source_limit=3_000_000)
    with running(create_app(settings, home=Settings.from_env().model_copy(update={"home": folder}))) as served:
        yield served


def sales(rows: int) -> bytes:
    lines = ["sale_id,sold_on,city,amount"]
    lines += [f"{i},2024-{1 + i % 12:02}-15,{('Bern', 'Basel', 'Chur')[i % 3]},10.00" for i in range(1, rows + 1)]
    return "\n".join(lines).encode()


DROP = """([text, name]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: "text/csv" }));
    document.querySelector("form[data-upload]").dispatchEvent(
        new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
}"""


def test_a_dropped_file_is_prepared_confirmed_and_asked(browser: Browser, address: str) -> None:
    with visiting(browser, address) as page:
        page.goto("/")
        expect(page).to_have_url(re.compile("/connect$"))
        page.evaluate(DROP, [sales(20_000).decode(), "<img src=x onerror=alert(1)>.csv"])
        expect(page).to_have_url(re.compile(r"/connect/\d"))
        expect(page.get_by_text(say("de", "connect.now"))).to_be_visible()
        expect(page.locator(".in-use")).to_contain_text("<img src=x")
        expect(page.locator("dl.facts")).to_contain_text("20'000")
        expect(page.locator(".sure .example")).to_have_count(10)
        page.locator(".sure .example").first.click()
        expect(page.locator(".badge.answered")).to_be_visible()
        page.goto("/ontology")
        expect(page.locator(".in-use")).to_contain_text("<img src=x")


def test_what_is_too_big_or_no_data_is_told_without_leaving_the_page(browser: Browser, address: str) -> None:
    with visiting(browser, address) as page:
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.method))
        page.goto("/connect")
        page.set_input_files("#file", {"name": "big.csv", "mimeType": "text/csv", "buffer": b"a\n" * 1_600_000})
        expect(page.locator("#told")).to_contain_text(say("de", "connect.too_big", most="3"))
        assert "POST" not in sent
        page.set_input_files("#file", {"name": "page.csv", "mimeType": "text/csv", "buffer": b"<!doctype html><html>"})
        expect(page.get_by_role("alert")).to_contain_text("enthält eine HTML-Seite")


def test_forty_tables_are_drawn_to_be_read_and_a_source_is_forgotten(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    place = tmp_path / "forty.sqlite"
    with sqlite3.connect(place) as connection:
        connection.execute("BEGIN")
        for number in range(40):
            points = f", t{(number - 1) // 3}_id INTEGER REFERENCES t{(number - 1) // 3}" if number else ""
            connection.execute(f"CREATE TABLE t{number} (t{number}_id INTEGER PRIMARY KEY, name TEXT{points})")
    with visiting(browser, address) as page:
        page.goto("/connect")
        page.set_input_files("#file", str(place))
        expect(page.locator(".graph .node")).to_have_count(40)
        smallest = page.locator(".graph .label").evaluate_all(
            "all => Math.min(...all.map((one) => one.getBoundingClientRect().height))"
        )
        assert smallest >= 10
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.goto("/connect")
        row = page.locator(".source-row", has_text="forty.sqlite")
        row.locator("summary").click()
        row.get_by_role("button", name=say("de", "connect.forget.go")).click()
        expect(page.locator(".source-row", has_text="forty.sqlite")).to_have_count(0)
        expect(page.locator(".in-use")).to_contain_text(say("de", "connect.ledger"))
