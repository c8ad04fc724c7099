"""A browser for tests, and a visitor whose page must neither complain nor ask another host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from shutil import which
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from installed import lacking

CHROMIUM = which("chromium-headless-shell") or which("chromium")
"""Debian's Chromium; the one without windows takes a third less time."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser."""
    if CHROMIUM is None:
        lacking("Chromium", "chromium-headless-shell")
    # A busy machine may take its time; what does not come at all fails all the same.
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@contextmanager
def visiting(browser: Browser, address: str) -> Iterator[Page]:
    """A German visitor; afterwards, nothing was complained about and nobody else was asked for anything."""
    context = browser.new_context(locale="de-CH", base_url=address, viewport={"width": 1200, "height": 850})
    page = context.new_page()
    complaints: list[str] = []
    hosts: set[str] = set()

    def complain(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    page.on("console", complain)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    yield page
    context.close()
    assert complaints == []
    assert hosts <= {urlsplit(address).netloc}
