"""What operators and teachers see and do in the pages: questions that run on, stop, traces with prompts, quality, teaching, the API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import chromium, visiting
from model_server import HELD, ModelServer, model_server
from served import bearer, client_of, http, running
from teaching_shop import make_shop
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.server.web import quality
from veracity.settings import ModelPrice, Settings

LIE = ("answer", {"text": "The earnings were 7 CHF."})
PRICED = {"tiny": ModelPrice(input=1_000, output=10_000)}


@dataclass
class Served:
    """A server with a model that says what a test wants, and the address of it."""

    address: str
    model: ModelServer
    app: Any


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("operations")
    source, ontology = make_shop(folder)
    with model_server() as model:
        settings = ServerSettings(
            source=str(source), ontology=str(ontology), scope={"tenant": "t-1"}, model=model.model, tools="table"
        )
        app = create_app(settings, home=Settings(home=folder / "home", prices=PRICED))
        with running(app) as address:
            yield Served(address, model, app)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    with visiting(browser, served.address) as page:
        yield page


def ask(page: Page, question: str) -> None:
    page.goto("/")
    page.get_by_label("Ihre Frage").fill(question)
    page.keyboard.press("Enter")


# --- questions that run on


def test_a_question_runs_on_when_the_page_is_left_and_its_answer_is_in_the_conversation(
    page: Page, served: Served
) -> None:
    served.model.says({"zorbs": [[HELD]]})
    ask(page, "How many zorbs are left?")
    expect(page.locator(".working .now")).to_contain_text("Modell")
    page.wait_for_url("**/conversations/*")
    talk = page.url
    page.goto("/traces")
    page.goto(talk)
    working = page.locator(".working")
    expect(working).to_contain_text("How many zorbs are left?")
    expect(working).to_contain_text(re.compile(r"\d+ s"))
    served.model.released.set()
    expect(page.locator("article.answer")).to_be_visible()
    expect(working).to_have_count(0)
    page.reload()
    expect(page.locator("article.answer")).to_contain_text("How many zorbs are left?")


def test_stop_keeps_a_trace_that_the_conversation_lists_and_the_next_question_goes_on(
    page: Page, served: Served
) -> None:
    served.model.says({"zorbs": [[HELD]]})
    ask(page, "revenue in 2024")
    expect(page.locator("article.answered")).to_contain_text("1,220.00")
    page.get_by_label("Ihre Frage").fill("How many zorbs are left?")
    page.keyboard.press("Enter")
    expect(page.locator(".working .now")).to_contain_text("Modell")
    page.get_by_role("button", name="Anhalten").click()
    cut = page.locator("article.unfinished")
    expect(cut).to_contain_text("Angehalten")
    page.reload()
    expect(cut).to_contain_text("How many zorbs are left?")
    page.get_by_label("Ihre Frage").fill("and in 2023?")
    page.keyboard.press("Enter")
    expect(page.locator("article.answered").last).to_contain_text("5.00")
    cut.get_by_role("link", name="Verlauf").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How many zorbs are left?")
    with http(served.address) as client:
        kept = [one["outcome"] for one in client.get("/v1/traces", params={"search": "zorbs left"}).json()]
    assert "unfinished" in kept


def test_without_scripts_a_question_that_takes_long_is_stopped_by_a_form(served: Served) -> None:
    served.model.says({"zorbs": [[HELD]]})
    with http(served.address, headers={"Accept": "text/html", "Accept-Language": "en"}) as client:
        token = re.search(r'name="csrf" value="(\w+)"', client.get("/").text)
        assert token is not None
        form = {"csrf": token[1], "question": "How many zorbs without scripts?"}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("veracity.server.web.ask._PATIENCE", 0.1)
            answered = client.post("/ask", data=form)
        talk = answered.headers["Location"]
        shown = client.get(talk).text
        assert 'class="working"' in shown
        client.post(f"{talk}/stop", data=form)
        assert "Stopped. Nothing runs any more." in client.get(talk).text
        assert served.app.state.parts.running.of("local", talk.rpartition("/")[2]) is None


# --- traces and quality


def test_refused_drafts_prompts_cost_and_time_are_told(page: Page, served: Served) -> None:
    served.model.says({"earnings": [[LIE]]})
    ask(page, "earnings of the zorbs in 2024?")
    expect(page.locator("article.blocked")).to_be_visible()
    page.locator("article.blocked").get_by_role("link", name="Verlauf").click()
    expect(page.locator("main")).to_contain_text("The earnings were 7 CHF.")
    fold = page.locator("details.fold", has_text="Was das Modell erhielt").first
    fold.locator("summary").click()
    expect(fold).to_contain_text("earnings of the zorbs in 2024?")
    expect(fold).to_contain_text('answer {"text": "The earnings were 7 CHF."}')
    # 90 tokens in and 6 out, at 1,000 and 10,000 for a million.
    expect(page.locator(".facts")).to_contain_text("0.1500 USD")
    page.goto("/quality?outcome=blocked")
    trend = page.locator("section", has_text="Was aus den Fragen wurde")
    expect(trend.locator(".list")).to_contain_text("The earnings were 7 CHF.")
    expect(trend.locator(".facts")).to_contain_text("zurückgehalten")
    page.goto("/traces?outcome=blocked&search=EARNINGS of the ZORBS")
    expect(page.locator(".rows li")).to_have_count(1)
    page.goto("/traces?search=nothing-of-that-kind")
    expect(page.locator(".empty")).to_contain_text("Kein Verlauf passt dazu.")


def test_metrics_tell_tokens_model_time_outcomes_refusals_and_queues(served: Served) -> None:
    served.model.says({"earnings": [[LIE]]})
    with http(served.address) as client:
        before = client.get("/metrics").text
        client.post("/v1/ask", json={"question": "earnings of the blorbs in 2024?"})
        after = client.get("/metrics").text

    def of(text: str, name: str) -> float:
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    changes = {
        'veracity_tokens_total{kind="input",model="tiny"}': 90,
        'veracity_tokens_total{kind="output",model="tiny"}': 6,
        'veracity_cost_total{currency="USD",model="tiny"}': 0.15,
        'veracity_model_seconds_count{model="tiny"}': 3,
        'veracity_answers_total{outcome="blocked"}': 1,
        'veracity_guard_blocks_total{rule="QUESTION_NOT_COVERED"}': 3,
    }
    assert {name: round(of(after, name) - of(before, name), 6) for name in changes} == changes
    assert of(after, "veracity_questions_running") == 0
    assert 'veracity_queue_depth{queue="jobs",state="queued"} 0.0' in after


def test_prompts_are_for_reviewers(served: Served, tmp_path: Path) -> None:
    source, ontology = make_shop(tmp_path)
    served.model.says({"earnings": [[LIE]]})
    settings = ServerSettings(
        source=str(source), ontology=str(ontology), scope={"tenant": "t-1"}, model=served.model.model, tools="table",
        keys="required",
    )  # fmt: skip
    app = create_app(settings, home=Settings(home=tmp_path / "home"))
    keys = {role: app.state.database.keys.create("t-1", role)[0] for role in ("analyst", "reviewer")}
    with client_of(app) as client:
        asked = client.post("/v1/ask", json={"question": "earnings?"}, headers=bearer(keys["analyst"])).json()
        turns = {
            role: client.get(f"/v1/traces/{asked['traceId']}", headers=bearer(key)).json()["body"]["modelTurns"]
            for role, key in keys.items()
        }
    assert [one["sent"] for one in turns["analyst"]] == [[], [], []]
    assert [one["inputTokens"] for one in turns["analyst"]] == [30, 30, 30]
    assert turns["reviewer"][0]["replied"][0]["text"].startswith("answer {")
    assert "earnings?" in str(turns["reviewer"][0]["sent"])


# --- teaching


def test_a_word_is_taught_on_its_page_used_in_an_answer_and_undone(page: Page) -> None:
    page.goto("/taught")
    page.get_by_label("Das Wort").fill("turnover")
    page.get_by_label("bedeutet").fill("revenue")
    page.get_by_role("button", name="Merken").click()
    expect(page.locator(".rows")).to_contain_text("«turnover» bedeutet revenue")
    ask(page, "turnover in 2024")
    expect(page.locator("article.answered")).to_contain_text("«turnover» bedeutet revenue, erklärt von local.")
    page.goto("/taught")
    page.get_by_role("button", name="Zurücknehmen: turnover").click()
    expect(page.locator(".empty")).to_contain_text("Es wurde noch kein Wort erklärt.")
    expect(page.locator("section", has_text="Zurückgenommen").first).to_contain_text("turnover")


def test_an_answer_is_called_wrong_with_a_reason_and_that_is_taken_back(page: Page, served: Served) -> None:
    ask(page, "revenue in 2024")
    answer = page.locator("article.answered")
    answer.get_by_text("Falsch", exact=True).click()
    answer.get_by_label("Was ist falsch?").fill("Bob left us")
    answer.get_by_role("button", name="Senden").click()
    expect(answer.locator(".verdict")).to_contain_text("Bob left us")
    page.reload()
    expect(answer.locator(".verdict")).to_contain_text("Bob left us")
    with http(served.address) as client:
        assert client.get("/v1/verdicts").json()[0]["why"] == "Bob left us"
    page.goto("/taught")
    page.get_by_role("button", name="Zurücknehmen: revenue in 2024").click()
    expect(page.locator("main")).to_contain_text("Es wurde noch keine Antwort geprüft.")


def test_what_cannot_be_taught_stays_in_the_form_with_the_reason(served: Served) -> None:
    with http(served.address, headers={"Accept": "text/html", "Accept-Language": "en"}) as client:
        token = re.search(r'name="csrf" value="(\w+)"', client.get("/taught").text)
        assert token is not None
        for word, means, why in (("turnover", "quux", "quux"), ("", "revenue", "Write the word and what it means.")):
            told = client.post("/taught", data={"csrf": token[1], "word": word, "means": means})
            assert told.status_code == 400
            assert f'value="{means}"' in told.text
            assert why in told.text.partition('role="alert"')[2].partition("</div>")[0]
        assert client.post("/taught/none/undo", data={"csrf": token[1]}).status_code == 404
        assert client.post("/taught", data={"word": "a", "means": "revenue"}).status_code == 403


# --- the API as a page


def test_every_operation_is_on_the_page_with_its_fields_and_a_command(page: Page, served: Served) -> None:
    page.goto("/docs")
    with http(served.address) as client:
        document = client.get("/openapi.json").json()
    count = sum(len(methods) for methods in document["paths"].values())
    expect(page.locator("details.operation")).to_have_count(count)
    first = page.locator("details.operation", has_text="/v1/ask").first
    first.locator("summary").click()
    expect(first).to_contain_text("In German, English or Chinese")
    expect(first.locator("pre")).to_contain_text("curl -s")
    expect(first.locator("pre")).to_contain_text("Wie hoch war der Gewinn 2025?")


# --- for everybody: what a screen reader and a keyboard need

FAULTS = """() => {
  const found = [];
  const name = (one) => one.outerHTML.slice(0, 120);
  const visible = (one) => one.getClientRects().length > 0;
  if (!document.documentElement.lang) found.push("no language");
  if (!document.title.trim()) found.push("no title");
  for (const [what, count] of [["main", 1], ["h1", 1], ["header", null]]) {
    const here = document.querySelectorAll(what === "header" ? "body > header" : what).length;
    if (count ? here !== count : !here) found.push(`${here} x ${what}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  ids.filter((id, at) => ids.indexOf(id) !== at).forEach((id) => found.push(`id ${id} twice`));
  let last = 0;
  for (const one of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    if (!visible(one)) continue;
    const level = Number(one.tagName[1]);
    if (level > last + 1) found.push(`heading skips a level: ${name(one)}`);
    last = level;
  }
  for (const one of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (!one.labels.length && !one.ariaLabel) found.push(`no label: ${name(one)}`);
  }
  for (const one of document.querySelectorAll("a[href], button, summary")) {
    if (visible(one) && !(one.textContent.trim() || one.ariaLabel || one.querySelector("img[alt]:not([alt=''])"))) found.push(`no name: ${name(one)}`);
  }
  for (const one of document.querySelectorAll("img:not([alt]), svg:not([aria-hidden], [aria-label], svg svg)")) found.push(`no text: ${name(one)}`);
  for (const one of document.querySelectorAll("dl > *")) if (!["DIV", "DT", "DD"].includes(one.tagName)) found.push(`in a dl: ${name(one)}`);
  for (const one of document.querySelectorAll("dl > div > *")) if (!["DT", "DD"].includes(one.tagName)) found.push(`in a dl: ${name(one)}`);
  for (const one of document.querySelectorAll("[role=img] a, [role=img] button")) found.push(`hidden from readers: ${name(one)}`);
  return found;
}"""
FOCUS = """() => {
  const one = document.activeElement, style = getComputedStyle(one);
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return [one.tagName + " " + one.textContent.trim().slice(0, 20), ring || style.boxShadow !== "none"];
}"""


def test_pages_have_what_screen_readers_need_and_focus_is_seen(page: Page, served: Served) -> None:
    served.model.says({"earnings": [[LIE]]})
    ask(page, "revenue per country")
    expect(page.locator("article.answered")).to_be_visible()
    talk = page.url
    with http(served.address) as client:
        trace = client.post("/v1/ask", json={"question": "earnings?"}).json()["traceId"]
    desk = served.app.state.database.validations("local")
    pages = ["/", talk, "/conversations", "/traces", f"/traces/{trace}", "/ontology", "/reviews", "/requirements"]
    pages += [f"/requirements/{desk.submit(['Die App muss schnell sein.'], lang='de')}", "/quality", "/quality/trend"]
    pages += ["/taught", "/docs", "/login"]
    faults = {}
    for address in pages:
        page.goto(address)
        if address.startswith("/quality"):
            expect(page.locator(".facts")).to_be_visible()
        faults[address] = page.evaluate(FAULTS)
    assert {address: found for address, found in faults.items() if found} == {}
    page.goto("/taught")
    for _ in range(16):
        page.keyboard.press("Tab")
        name, seen = page.evaluate(FOCUS)
        assert seen, name


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_colour_of_a_text_stands_out_from_what_is_behind_it() -> None:
    style = (Path(quality.__file__).parent / "static" / "veracity.css").read_text(encoding="utf-8")
    pairs = [(ink, paper) for ink in ("ink", "soft", "accent", "bad", "warn") for paper in ("paper", "card")]
    pairs += [("accent", "accent-wash"), ("bad", "bad-wash"), ("warn", "warn-wash"), ("accent-ink", "accent")]
    themes = re.findall(r"^\s*:root[^{]*\{([^}]*--paper[^}]*)\}", style, re.MULTILINE)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", theme))
        for ink, paper in pairs:
            lighter, darker = sorted((luminance(colours[ink]), luminance(colours[paper])), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (ink, paper)
