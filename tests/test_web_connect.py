"""Connecting in a real browser: a file dropped on the page, a bar, what was found, and a proven question clicked."""

from __future__ import annotations

import re
import shutil
import socket
import sqlite3
import time
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


def test_without_javascript_five_gigabytes_are_refused_early_in_one_sentence(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    place = tmp_path / "huge.csv"
    with place.open("wb") as stream:
        stream.truncate(5_100_000_000)  # a hole: it takes no room on the disk
    context = browser.new_context(locale="de-CH", base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/connect")
    before = page.locator(".source-row").count()
    page.set_input_files("#file", str(place))
    began = time.monotonic()
    page.get_by_role("button", name=say("de", "connect.file.go")).click()
    expect(page.get_by_text(say("de", "connect.too_big", most="3"))).to_be_visible()
    assert time.monotonic() - began < 20
    page.goto("/connect")
    assert page.locator(".source-row").count() == before
    context.close()


def test_a_sender_that_goes_on_is_answered_and_hung_up_on(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    head = (
        f"POST /connect/file HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/html\r\nAccept-Language: de\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5100000000\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=20) as sender:
        sender.sendall(head.encode() + b"a" * 1_000_000)
        # Nothing more is sent, and nothing is closed: the server does not wait for the rest.
        came = b""
        while more := sender.recv(65_536):
            came += more
    assert came.startswith(b"HTTP/1.1 413 ")
    assert say("de", "connect.too_big", most="3").encode() in came
    assert b"connection: close" in came.lower()


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


def large(place: Path) -> None:
    """A database with more tables than are looked at; two of them have rows."""
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("BEGIN")
        for number in range(520):
            connection.execute(f"CREATE TABLE log_{number:03} (a INTEGER)")
        connection.execute("CREATE TABLE shop_customer (customer_id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute(
            "CREATE TABLE shop_order (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES shop_customer, amount NUMERIC)"
        )
        connection.executemany("INSERT INTO shop_customer VALUES (?, ?)", [(1, "Anna"), (2, "Ben")])
        connection.executemany("INSERT INTO shop_order VALUES (?, ?, 10)", [(n, 1 + n % 2) for n in range(1, 31)])


@pytest.mark.parametrize("scripted", [True, False])
def test_of_more_than_five_hundred_tables_a_person_chooses_which_are_looked_at(
    browser: Browser, address: str, tmp_path: Path, scripted: bool
) -> None:
    place = tmp_path / "large.sqlite"
    large(place)
    context = browser.new_context(locale="de-CH", base_url=address, java_script_enabled=scripted)
    page = context.new_page()
    page.goto("/connect")
    page.set_input_files("#file", str(place))
    if not scripted:
        page.get_by_role("button", name=say("de", "connect.file.go")).click()
    expect(page.get_by_text("Diese Quelle hat 522 Tabellen")).to_be_visible(timeout=60_000)
    page.get_by_role("link", name="Tabellen wählen").click()
    expect(page.get_by_text("322 weitere")).to_be_visible()
    # All at once is more than the limit: it is not offered; of what is found, it is.
    expect(page.get_by_role("button", name="Alle diese wählen")).to_have_count(0)
    page.get_by_role("button", name="Diese Tabellen untersuchen").click()
    expect(page.get_by_role("alert")).to_have_text("Wählen Sie 1 bis 500 Tabellen; das sind 0.")
    page.get_by_label("log_007").check()
    page.get_by_label("Teil eines Namens").fill("SHOP")
    page.keyboard.press("Enter")
    expect(page.get_by_role("checkbox")).to_have_count(3)
    expect(page.get_by_label("log_007")).to_be_checked()
    page.get_by_label("log_007").uncheck()
    page.get_by_role("button", name="Alle diese wählen").click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    page.get_by_role("button", name="Diese Tabellen untersuchen").click()
    expect(page.get_by_text("2 von 522 Tabellen werden untersucht.")).to_be_visible(timeout=60_000)
    expect(page.locator(".graph .node")).to_have_count(2)
    page.goto("/")
    page.get_by_label("Ihre Frage").fill("How many orders does Anna have?")
    page.get_by_role("button", name="Fragen", exact=True).click()
    expect(page.locator("article.answered")).to_contain_text("15")
    context.close()
