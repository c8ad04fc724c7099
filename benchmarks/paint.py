"""How soon a browser shows something: the first contentful paint of every page, as it is measured in Chromium.

    python benchmarks/paint.py [--times 5] [--json]

`cold` has nothing of the server yet: scripts and styles come with the page. `warm` has them. Each figure is the median of several
visits in milliseconds; the load of the machine is told. It needs Chromium (Debian: chromium).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pages import PAGES
from playwright.sync_api import Browser, sync_playwright
from screenshots import CHROMIUM
from server import started

_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def painted(browser: Browser, address: str, path: str, *, times: int, cold: bool) -> float:
    """Milliseconds until something is to be seen."""
    found: list[float] = []
    context = browser.new_context(base_url=address, bypass_csp=True)
    for visit in range(times + 1):
        if cold:
            context.close()
            context = browser.new_context(base_url=address, bypass_csp=True)
        page = context.new_page()
        page.goto(path, wait_until="load")
        page.wait_for_function(f"({_PAINT}) !== null")
        if visit:  # the first one warms up
            found.append(float(page.evaluate(_PAINT)))
        page.close()
    context.close()
    return round(statistics.median(found))


def main(write: Callable[[str], object] = print) -> int:
    """Measure and report."""
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("--times", type=int, default=5, help="visits of each page")
    reading.add_argument("--json", action="store_true", help="JSON in place of a table")
    options = reading.parse_args()
    if CHROMIUM is None:
        raise SystemExit("There is no Chromium; on Debian: apt-get install chromium.")
    serve = [str(Path(sys.executable).parent / "veracity"), "serve", "--port", "0", "--log", "warning"]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "VERACITY_HOME": home}
        with started([*serve, "--feature", "trustee"], environment) as (_pid, address), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            found = {
                path: {
                    "cold": painted(browser, address, path, times=options.times, cold=True),
                    "warm": painted(browser, address, path, times=options.times, cold=False),
                }
                for path in PAGES
            }
            browser.close()
    load = os.getloadavg()[0]
    lines = [f"{'':<20}{'cold ms':>10}{'warm ms':>10}"]
    lines += [f"{path:<20}{one['cold']:>10.0f}{one['warm']:>10.0f}" for path, one in found.items()]
    lines.append(f"load of the machine, 1 minute: {load:.1f}, {os.cpu_count()} cores")
    write(json.dumps({**found, "load": load}, indent=2) if options.json else "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
