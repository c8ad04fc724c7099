"""The pages in a real browser: what people see, click and type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import chromium, visiting
from served import http, running, server_app


@pytest.fixture(scope="module")
def address(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server over the shipped ledger, on a real socket."""
    reports = Path(__file__).parent.parent / "eval-results"
    with running(server_app(ledger, tmp_path_factory.mktemp("pages"), reports=reports)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with visiting(browser, address) as page:
        yield page


def ask(page: Page, question: str) -> None:
    page.goto("/")
    page.get_by_label("Ihre Frage").fill(question)
    page.keyboard.press("Enter")


def test_every_figure_of_an_answer_opens_its_query_rows_and_derivation(page: Page) -> None:
    ask(page, "Was ist der Banksaldo per 31.12.2025?")
    answer = page.locator("article.answered")
    expect(answer).to_contain_text("180'500.00 CHF")
    figure = answer.get_by_role("button", name="180'500.00")
    figure.click()
    proof = page.locator("aside.proof:popover-open")
    expect(proof).to_contain_text("GroupBank")
    expect(proof).to_contain_text("180500.00")
    expect(proof).to_contain_text("2025-12-31")
    page.keyboard.press("Escape")
    expect(proof).to_have_count(0)
    figure.focus()
    page.keyboard.press("Enter")
    expect(page.locator("aside.proof:popover-open")).to_contain_text("180500.00")
    page.keyboard.press("Escape")
    answer.get_by_role("button", name="28'100.00").click()
    expect(page.locator("aside.proof:popover-open")).to_contain_text("28100.00")


def test_the_rows_behind_an_answer_come_as_a_table_a_chart_and_a_file(page: Page) -> None:
    ask(page, "Aufwand nach Kostenstellen 2025?")
    behind = page.locator("article.answered .lazy")
    expect(behind.locator(".bar rect")).to_have_count(4)
    behind.get_by_role("link", name="Tabelle").click()
    expect(behind.get_by_role("cell", name="504'039.86")).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Kopieren").click()
    expect(page.get_by_role("button", name="Kopiert")).to_be_visible()
    assert "- Beratung: 504'039.86 CHF" in page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Kostenstelle,Währung,Aufwand"
    assert "Beratung,CHF,504039.86" in lines
    assert "Frage,Aufwand nach Kostenstellen 2025?" in lines


def test_an_answer_is_changed_with_chips_drawn_as_a_picture_and_pinned(page: Page) -> None:
    ask(page, "Aufwand nach Kostenstellen 2025?")
    answers = page.locator("article.answered")
    answers.get_by_role("link", name="Handel").click()
    answers.get_by_role("button", name="aufteilen nach Monat").click()
    expect(answers).to_have_count(2)
    drilled = answers.last
    expect(drilled).to_contain_text("Aufwand nach Monat, Kostenstelle Handel, 2025")
    expect(drilled.locator(".drawing .curve circle")).to_have_count(12)
    with page.expect_download() as download:
        drilled.get_by_role("link", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    drilled.get_by_role("link", name="An eine Tafel heften").click()
    page.get_by_label("Name der neuen Tafel").fill("Handel")
    page.get_by_role("button", name="An eine neue Tafel heften").click()
    expect(page.locator("article.pinned")).to_contain_text("Neu bewiesen")
    expect(page.locator("article.pinned .curve circle")).to_have_count(12)


def test_what_is_offered_instead_of_an_abstention_is_answered(page: Page) -> None:
    ask(page, "Wie hoch war der Aufwand für Miete in Bern 2024?")
    page.locator("article.abstained").get_by_role("button", name="Miete, 2024").click()
    expect(page.locator("article.answered")).to_contain_text("73'531.80 CHF")


def test_a_question_back_is_answered_with_a_button(page: Page) -> None:
    ask(page, "Wie hoch war der Umsatz?")
    page.locator("article.clarify").get_by_role("button", name="2024").click()
    answer = page.locator("article.answered")
    expect(answer).to_contain_text("2024: 1'271'665.18 CHF")


def test_a_conversation_goes_on_after_a_reload_and_on_another_device(
    browser: Browser, address: str, page: Page
) -> None:
    ask(page, "Wie hoch war der Umsatz 2025?")
    expect(page.locator("article.answered")).to_have_count(1)
    page.wait_for_url("**/conversations/*")
    page.reload()
    page.get_by_label("Ihre Frage").fill("und 2024?")
    page.keyboard.press("Enter")
    expect(page.locator("article.answered")).to_have_count(2)
    expect(page.locator("article.answered").last).to_contain_text("1'271'665.18 CHF")
    with visiting(browser, address) as other:
        other.goto("/conversations")
        other.get_by_label("In Titeln, Fragen und Antworten suchen").press_sequentially("UMSATZ 2025?")
        expect(other.locator("#talks li")).to_have_count(1)
        other.get_by_role("link", name="Wie hoch war der Umsatz 2025?").click()
        expect(other.locator("article.answered")).to_have_count(2)
        # The rows of an earlier answer come when they are opened.
        rows = other.locator("article.answered").first.locator("details", has_text="Zeilen dahinter").first
        rows.locator("summary").click()
        expect(rows.locator("table")).to_be_visible()


def test_without_javascript_a_conversation_is_gone_on_with_renamed_and_deleted(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, java_script_enabled=False, locale="de-CH")
    page = context.new_page()
    page.goto("/")
    for question in ("Wie hoch war der Aufwand 2025?", "und 2024?"):
        page.get_by_label("Ihre Frage").fill(question)
        page.get_by_role("button", name="Fragen", exact=True).click()
    expect(page.locator("article.answered")).to_have_count(2)
    page.get_by_text("Umbenennen oder löschen").click()
    page.get_by_label("Titel des Gesprächs").fill("Aufwand der Jahre")
    page.get_by_role("button", name="Umbenennen").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Aufwand der Jahre")
    page.get_by_role("link", name="Gespräche").first.click()
    talk = page.locator("#talks li", has_text="Aufwand der Jahre")
    talk.locator("summary").click()
    talk.get_by_role("button", name="Löschen").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Gespräche")
    expect(talk).to_have_count(0)
    context.close()


def test_what_the_data_does_not_hold_is_refused_without_a_figure(page: Page) -> None:
    ask(page, "Wie viele Mitarbeiter haben ein Dienstfahrrad?")
    answer = page.locator("article.abstained")
    expect(answer).to_contain_text("Es wurde nichts geraten")
    assert answer.locator("button.figure").count() == 0


def test_a_question_can_be_stopped_and_a_lost_connection_is_told(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, locale="de-CH")
    page = context.new_page()
    page.route("**/ask", lambda _: None)
    ask(page, "Was ist der Banksaldo per 31.12.2025?")
    expect(page.locator(".working")).to_contain_text("Die Frage wird gelesen")
    page.get_by_role("button", name="Anhalten").click()
    expect(page.locator("#thread")).to_contain_text("Angehalten")
    # The question is there again, to be changed or sent once more.
    expect(page.get_by_label("Ihre Frage")).to_have_value("Was ist der Banksaldo per 31.12.2025?")
    page.unroute("**/ask")
    page.route("**/ask", lambda route: route.abort())
    page.get_by_label("Ihre Frage").fill("Was ist der Banksaldo per 31.12.2025?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Die Verbindung ist abgebrochen")
    context.close()


def test_a_trace_tells_what_was_called(page: Page) -> None:
    ask(page, "Was ist der Banksaldo per 31.12.2025?")
    page.locator("article.answered").get_by_role("link", name="Verlauf").click()
    expect(page.locator(".timeline")).to_contain_text("Aus den Wörtern gelesen")
    expect(page.locator(".timeline")).to_contain_text("TrusteeBalanceByAccount")
    expect(page.get_by_role("heading", level=1)).to_have_text("Was ist der Banksaldo per 31.12.2025?")


def test_the_ontology_is_a_graph_and_its_check_comes_by_itself(page: Page) -> None:
    page.goto("/ontology")
    expect(page.locator(".graph .node")).to_have_count(9)
    expect(page.locator(".notice.good")).to_contain_text("passt zu den Daten", timeout=15_000)
    page.locator(".graph a", has_text="Kontosaldo").click()
    expect(page.locator("#e-TrusteeDataAccountBalance")).to_have_attribute("open", "")


def test_quality_shows_evaluations_and_repairs(page: Page) -> None:
    page.goto("/quality")
    expect(page.get_by_role("cell", name="bound").first).to_be_visible()
    expect(page.get_by_role("heading", name="Was aus den Fragen wurde")).to_be_visible()
    expect(page.locator("section", has_text="Was aus den Fragen wurde").locator("table").last).to_be_visible()


def titles(page: Page) -> list[str]:
    return page.locator(".pinned h2").all_text_contents()


def board_of_three(address: str) -> str:
    """A board with the answers A, B and C."""
    with http(address) as client:
        board = client.post("/v1/boards", json={"name": "Ordnung"}).json()["boardId"]
        query = {"show": ["cost"], "by": ["TrusteeLedgerLine.costCenter"], "period": 2025}
        for title in "ABC":
            pin = {"query": query, "lang": "de", "title": title}
            assert client.post(f"/v1/boards/{board}/pins", json=pin).status_code == 201
    return f"/boards/{board}"


def test_answers_of_a_board_are_moved_by_keyboard_and_by_pointer(page: Page, address: str) -> None:
    board = board_of_three(address)
    page.goto(board)
    later = page.get_by_role("button", name="Weiter nach hinten: A")
    later.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("A: Platz 2 von 3")
    expect(later).to_be_focused()
    page.get_by_role("button", name="verschieben: C").focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("status")).to_have_text("C: Platz 2 von 3")
    assert titles(page) == ["B", "C", "A"]
    page.get_by_role("button", name="verschieben: A").hover()
    page.mouse.down()
    first = page.locator(".pinned", has=page.get_by_role("heading", name="B", exact=True)).bounding_box()
    assert first is not None
    page.mouse.move(first["x"] + 40, first["y"] + 20, steps=8)
    page.mouse.up()
    expect(page.get_by_role("status")).to_have_text("A: Platz 1 von 3")
    expect(page.get_by_role("button", name="Weiter nach vorn: A")).to_be_disabled()
    page.get_by_role("button", name="verschieben: C").hover()
    page.mouse.down()
    page.mouse.move(first["x"] + 40, first["y"] + 20, steps=8)
    page.keyboard.press("Escape")
    page.mouse.up()
    assert titles(page) == ["A", "B", "C"]
    page.reload()
    assert titles(page) == ["A", "B", "C"]


def test_a_move_on_a_board_that_somebody_else_changed_is_told_and_works_without_javascript(
    browser: Browser, address: str
) -> None:
    board = board_of_three(address)
    context = browser.new_context(base_url=address, java_script_enabled=False, locale="de-CH")
    plain, scripted = context.new_page(), browser.new_context(base_url=address, locale="de-CH").new_page()
    scripted.goto(board)
    plain.goto(board)
    plain.get_by_role("button", name="Weiter nach vorn: C").click()
    expect(plain.locator(".pinned h2").nth(1)).to_have_text("C")
    assert titles(plain) == ["A", "C", "B"]
    scripted.get_by_role("button", name="Weiter nach hinten: A").click()
    expect(scripted.get_by_role("alert")).to_contain_text("Jemand hat diese Tafel inzwischen geändert")
    assert titles(scripted) == ["A", "C", "B"]
    for one in (plain, scripted):
        one.context.close()


def test_language_and_theme_are_switched_and_kept(page: Page) -> None:
    page.goto("/traces")
    page.get_by_role("button", name="EN", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Traces")
    page.get_by_role("button", name="Light or dark").click()
    page.goto("/quality")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 26)"
    expect(page.get_by_role("heading", level=1)).to_have_text("Quality")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/conversations",
        "/boards",
        "/traces",
        "/ontology",
        "/connect",
        "/reviews",
        "/requirements",
        "/quality",
        "/taught",
        "/docs",
    ],
)
def test_no_page_is_wider_than_a_phone(browser: Browser, address: str, path: str) -> None:
    context = browser.new_context(base_url=address, viewport={"width": 360, "height": 740}, is_mobile=True)
    phone = context.new_page()
    phone.goto(path)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_on_a_phone_the_rows_scroll_to_their_last_column(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, locale="de-CH", viewport={"width": 390, "height": 844})
    phone = context.new_page()
    ask(phone, "Aufwand nach Konto 2025 verglichen mit 2024")
    rows = phone.get_by_role("region", name="Zeilen dahinter r1")
    last = rows.locator("td", has_text="+26.3 %")
    expect(last).to_be_attached()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    expect(last).not_to_be_in_viewport()
    rows.evaluate("region => region.scrollTo(region.scrollWidth, 0)")
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=1)
    context.close()


def test_without_javascript_a_question_is_answered_all_the_same(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, java_script_enabled=False, locale="de-CH")
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Ihre Frage").fill("Was ist der Banksaldo per 31.12.2025?")
    page.get_by_role("button", name="Fragen", exact=True).click()
    expect(page.locator("article.answered")).to_contain_text("180'500.00 CHF")
    page.get_by_role("button", name="180'500.00").click()
    expect(page.locator("aside.proof:popover-open")).to_contain_text("180500.00")
    context.close()
