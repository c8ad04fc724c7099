"""axe-core on every page, in light and dark, on a wide screen and on a phone: it finds nothing that keeps anybody out."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from browsing import chromium
from installed import lacking
from served import CANDIDATES, http, running, server_app

pytestmark = pytest.mark.long
QUESTIONS = (
    "Was ist der Banksaldo per 31.12.2025?",
    "Aufwand nach Kostenstellen 2025?",
    "Umsatz pro Monat 2025?",
    "Wie hoch war der Umsatz?",
    "Wie viele Einhörner haben wir?",
)
SALES = "sale_id,sold_on,city,amount\n" + "\n".join(
    f"{n},2024-{1 + n % 12:02}-15,{('Bern', 'Basel', 'Chur')[n % 3]},{10 + n % 7}.50" for n in range(1, 61)
)
WAIT = 60.0
DESK: ViewportSize = {"width": 1200, "height": 850}
PHONE: ViewportSize = {"width": 390, "height": 850}
FADED_IN = """Promise.allSettled(document.getAnimations()
    .filter(one => one.effect.getComputedTiming().endTime < 5000).map(one => one.finished)).then(() => true)"""
"""What fades in is pale until it is there."""
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core that look at colours."""


@pytest.fixture(scope="module")
def axe() -> str:
    """The script that looks at a page."""
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        lacking("axe-core", "python: axe-playwright-python, of the group dev")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def address(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    reports = Path(__file__).parent.parent / "eval-results"
    with running(server_app(ledger, tmp_path_factory.mktemp("axe"), reports=reports)) as address:
        yield address


@pytest.fixture(scope="module")
def pages(address: str, browser: Browser) -> tuple[str, ...]:
    """Every page, with something on it."""
    with http(address) as client:
        talk = client.post("/v1/conversations", json={}).json()["conversationId"]
        asked = [
            client.post("/v1/ask", json={"question": one, "lang": "de", "conversation": talk}).json()["traceId"]
            for one in QUESTIONS
        ]
        board = client.post("/v1/boards", json={"name": "Kosten"}).json()["boardId"]
        for trace in asked[:3]:
            client.post(f"/v1/boards/{board}/pins", json={"traceId": trace})
        client.post("/v1/rerank?submit=true", json=CANDIDATES)
        review = client.get("/v1/reviews").json()[0]["review_id"]
        source = _connected(client)
        run = _validated(browser, address)
    return (
        *(
            "/",
            f"/conversations/{talk}",
            "/conversations",
            f"/boards/{board}",
            "/boards",
            f"/boards/pin?trace={asked[0]}",
        ),
        *(
            "/traces",
            *(f"/traces/{one}" for one in asked[:2]),
            f"/traces/{asked[1]}/results/r1",
            f"/traces/{asked[1]}/edit",
        ),
        *("/ontology", "/ontology/findings", "/connect", f"/connect/{source}", f"/connect/{source}/tables"),
        *("/reviews", f"/reviews/{review}", "/requirements", run, "/quality", "/quality/trend", "/taught", "/docs"),
        *("/nowhere", f"/traces/{asked[4]}"),
    )


def _connected(client: Any) -> str:
    made = str(client.post("/v1/sources", files={"file": ("sales.csv", SALES.encode())}).json()["sourceId"])
    until = monotonic() + WAIT
    while monotonic() < until:
        found = client.get(f"/v1/sources/{made}").json()
        if found["state"] != "preparing" and not found["doing"]:
            break
        sleep(0.3)
    return made


def _validated(browser: Browser, address: str) -> str:
    """The page of requirements that were sent in."""
    context = browser.new_context(locale="de-CH", base_url=address)
    page = context.new_page()
    page.goto("/requirements")
    page.locator("textarea[name=text]").fill("Die App muss schnell sein.")
    page.locator("main form button").first.click()
    page.wait_for_url("**/requirements/*")
    found = page.url.removeprefix(address)
    context.close()
    return found


def violations(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe-core, which the page has, says about it: the rule, and where; by some rules only, or by all."""
    page.evaluate(FADED_IN)
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    found = page.evaluate("options => axe.run(document, options)", {"resultTypes": ["violations"], **only})
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node.get('failureSummary', '')}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def _context(browser: Browser, address: str) -> BrowserContext:
    return browser.new_context(base_url=address, locale="de-CH", viewport=DESK, color_scheme="light")


def test_axe_finds_nothing_on_any_page_in_the_light_the_dark_or_on_a_phone(
    browser: Browser, address: str, pages: tuple[str, ...], axe: str
) -> None:
    """No page fails, either."""
    context, found = _context(browser, address), dict[str, list[str]]()
    page = context.new_page()
    for path in pages:
        page.set_viewport_size(DESK)
        came = page.goto(path, wait_until="load")
        assert came is not None
        assert came.status == (404 if path == "/nowhere" else 200), path
        page.wait_for_timeout(300)  # parts that come after the page
        page.evaluate(axe)
        told = violations(page)
        page.emulate_media(color_scheme="dark")
        told += violations(page, OF_COLOURS)  # a page in the dark is the same but for its colours
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(PHONE)
        told += violations(page)
        if told:
            found[path] = told
    context.close()
    assert found == {}


def test_axe_finds_nothing_while_somebody_works(
    browser: Browser, address: str, pages: tuple[str, ...], axe: str
) -> None:
    context = _context(browser, address)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Ihre Frage").fill(QUESTIONS[1])
    page.keyboard.press("Enter")
    answer = page.locator("article.answered")
    expect(answer.locator(".bar rect").first).to_be_visible()
    page.evaluate(axe)
    found = {"answer": violations(page)}
    answer.get_by_role("link", name="Handel").click()
    expect(answer.get_by_role("button", name="aufteilen nach Monat")).to_be_visible()
    found["picked"] = violations(page)
    answer.locator("button[popovertarget]").first.click()
    expect(page.locator("aside.proof:popover-open")).to_be_visible()
    found["proof"] = violations(page)
    context.close()
    assert not any(found.values()), found


def test_axe_finds_nothing_where_somebody_signs_in(browser: Browser, ledger: Path, tmp_path: Path, axe: str) -> None:
    with running(server_app(ledger, tmp_path, keys="required")) as address:
        context = _context(browser, address)
        page = context.new_page()
        page.goto("/")
        expect(page.locator("input[name=key]")).to_be_visible()
        page.evaluate(axe)
        found = violations(page)
        context.close()
    assert found == []
