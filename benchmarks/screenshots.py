"""Every page as a picture, to look at them all after a change: German and English, light and dark, wide and on a phone.

    python benchmarks/screenshots.py [--out screenshots] [--page board] [--lang de] [--theme dark] [--phone]

It starts a server of its own over the shipped ledger, in a data folder that is gone afterwards; asks a few questions, makes a board,
hands over sources to review and requirements to check, and connects a file, so that no page is empty; and writes
`board-de-dark.png` and so on, whole pages. It needs Chromium (Debian: chromium).

The pictures of README and docs:

    python benchmarks/screenshots.py --out docs/images --page board --page source --page validation --lang en
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import which
from time import monotonic, sleep
from typing import Any, Literal

from playwright.sync_api import Browser, ViewportSize, sync_playwright
from server import started

CHROMIUM = which("chromium-headless-shell") or which("chromium")
Theme = Literal["light", "dark"]
LANGS = ("de", "en")
THEMES: tuple[Theme, ...] = ("light", "dark")
WIDE: ViewportSize = {"width": 1200, "height": 850}
PHONE: ViewportSize = {"width": 390, "height": 844}
COST = {"show": ["cost"], "by": [{"field": "TrusteeLedgerLine.bookingDate", "grain": "month"}], "period": 2025}
QUESTIONS = {
    "de": (
        "Was ist der Banksaldo per 31.12.2025?",
        "Aufwand nach Kostenstellen 2025?",
        "Wie viele Einhörner haben wir?",
    ),
    "en": (
        "What is the bank balance at the end of 2025?",
        "Cost per cost center 2025?",
        "How many unicorns do we have?",
    ),
}
SOURCES = {
    "de": (
        "Welche Aufbewahrungsfristen gelten für Rechnungen?",
        (
            "Rechnungen sind zehn Jahre aufzubewahren.",
            "Belege der Mehrwertsteuer: zehn, bei Grundstücken zwanzig Jahre.",
        ),
    ),
    "en": (
        "Which retention periods hold for invoices?",
        ("Invoices are kept for ten years.", "Records of VAT are kept for ten years, for real estate twenty."),
    ),
}
REQUIREMENTS = {
    "de": ("Das System muss schnell sein.", "Die Anwendung soll Suchergebnisse innert 2 Sekunden anzeigen."),
    "en": ("The system must be fast.", "The application shall show search results within 2 seconds."),
}
SALES = "sale_id,sold_on,city,amount\n" + "\n".join(
    f"{n},2024-{1 + n % 12:02}-15,{('Bern', 'Basel', 'Chur')[n % 3]},{10 + n % 7}.50" for n in range(1, 61)
)


def candidates(lang: str) -> dict[str, object]:
    """Search results that somebody is to approve."""
    question, snippets = SOURCES[lang]
    found = [
        {"id": f"doc-{number}", "title": text.split(".")[0], "snippet": text, "url": f"https://example.org/{number}"}
        for number, text in enumerate(snippets, 1)
    ]
    return {"scoring_context": {"question": question}, "candidates": found}


class Filled:
    """A server with something on every page."""

    def __init__(self, address: str) -> None:
        self._address = address

    def send(self, method: str, path: str, body: object = None) -> Any:
        """Call the API."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._address}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def connect(self) -> str:
        """A file, until it is ready; where it is."""
        body = f'--b\r\nContent-Disposition: form-data; name="file"; filename="sales.csv"\r\n\r\n{SALES}\r\n--b--\r\n'
        headers = {"Content-Type": "multipart/form-data; boundary=b"}
        request = urllib.request.Request(f"{self._address}/v1/sources", body.encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            made = json.load(response)["sourceId"]
        self._await(f"/v1/sources/{made}", lambda found: found["state"] != "preparing" and not found["doing"])
        return f"/connect/{made}"

    def _await(self, path: str, done: Callable[[dict[str, Any]], bool]) -> None:
        until = monotonic() + 60
        while monotonic() < until and not done(self.send("GET", path)):
            sleep(0.3)

    def pages(self, lang: str) -> dict[str, str]:
        """What each page is called, and where it is."""
        talk = self.send("POST", "/v1/conversations", {})["conversationId"]
        traces = [
            self.send("POST", "/v1/ask", {"question": question, "lang": lang, "conversation": talk})["traceId"]
            for question in QUESTIONS[lang]
        ]
        board = self.send("POST", "/v1/boards", {"name": {"de": "Kosten", "en": "Costs"}[lang]})["boardId"]
        for trace in traces[:2]:
            self.send("POST", f"/v1/boards/{board}/pins", {"traceId": trace})
        self.send("POST", f"/v1/boards/{board}/pins", {"query": COST, "lang": lang})
        self.send("POST", "/v1/rerank?submit=true", candidates(lang))
        review = self.send("GET", "/v1/reviews?limit=1")[0]["review_id"]
        checked = self.send("POST", "/v1/validations", {"items": REQUIREMENTS[lang]})["run_id"]
        self._await(f"/v1/validations/{checked}", lambda found: found["state"] != "working")
        return {
            "ask": "/",
            "conversation": f"/conversations/{talk}",
            "conversations": "/conversations",
            "board": f"/boards/{board}",
            "boards": "/boards",
            "pin": f"/boards/pin?trace={traces[0]}",
            "trace": f"/traces/{traces[1]}",
            "traces": "/traces",
            "ontology": "/ontology",
            "sources": "/connect",
            "reviews": "/reviews",
            "review": f"/reviews/{review}",
            "requirements": "/requirements",
            "validation": f"/requirements/{checked}",
            "quality": "/quality",
            "taught": "/taught",
            "api": "/docs",
            "not-there": "/nowhere",
        }


def taken(browser: Browser, address: str, out: Path, options: argparse.Namespace) -> Iterator[Path]:
    """Each page in each language and theme."""
    server = Filled(address)
    source = server.connect()
    width = PHONE if options.phone else WIDE
    for lang in options.lang or LANGS:
        pages = {**server.pages(lang), "source": source}
        themes: Sequence[Theme] = options.theme or THEMES
        for theme in themes:
            context = browser.new_context(base_url=address, locale=lang, color_scheme=theme, viewport=width)
            page = context.new_page()
            for name, path in pages.items():
                if options.page and name not in options.page:
                    continue
                page.goto(path, wait_until="load")
                page.wait_for_timeout(300)  # parts that come after the page
                place = out / f"{name}-{lang}-{theme}{'-phone' if options.phone else ''}.png"
                page.screenshot(path=place, full_page=True)
                yield place
            context.close()


def main(write: Callable[[str], object] = print) -> int:
    """Take them."""
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("--out", type=Path, default=Path("screenshots"), help="the folder that they go to")
    reading.add_argument("--page", action="append", help="only this page; may be said several times")
    reading.add_argument("--lang", action="append", choices=LANGS, help="only this language")
    reading.add_argument("--theme", action="append", choices=THEMES, help="only light, or only dark")
    reading.add_argument("--phone", action="store_true", help="as wide as a phone")
    options = reading.parse_args()
    if CHROMIUM is None:
        raise SystemExit("There is no Chromium; on Debian: apt-get install chromium.")
    options.out.mkdir(parents=True, exist_ok=True)
    serve = [str(Path(sys.executable).parent / "veracity"), "serve", "--port", "0", "--log", "warning"]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "VERACITY_HOME": home}
        with started([*serve, "--feature", "trustee"], environment) as (_pid, address), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            count = sum(1 for _ in taken(browser, address, options.out, options))
            browser.close()
    if not count:
        raise SystemExit("There is no such page; without --page all are taken.")
    write(f"{count} pictures in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
