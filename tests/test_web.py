"""The pages without a browser: sessions, forms, tenants, and the parts that pages are made of."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from string import Formatter

import pytest
from fastapi.testclient import TestClient

from model_server import model_server
from served import CANDIDATES, bearer, client_of, server_app, state_of, two_tenants
from veracity.answer.answer import Answer
from veracity.evals.compare import load_results
from veracity.features.trustee import trustee_ontology
from veracity.ontology.descriptor import Cardinality, Relation
from veracity.server.database import ServerDatabase
from veracity.server.keys import Caller
from veracity.server.web import quality
from veracity.server.web.figures import blocks_of, proofs_of
from veracity.server.web.graph import BOX_HEIGHT, BOX_WIDTH, draw
from veracity.server.web.login import Sessions
from veracity.server.web.ontology import graph_of
from veracity.server.web.texts import preferred, say, texts
from veracity.server.web.visit import SESSION, own_address

HERE, DEMO, OTHER = {"Origin": "http://127.0.0.1:8600"}, "m-demo", "m-other"
BALANCE = "Was ist der Banksaldo per 31.12.2025?"
REPORTS = Path(__file__).parent.parent / "eval-results"


@pytest.fixture(scope="module")
def source(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_tenants(ledger, tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def local(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server without keys, on this machine, that shows the shipped evaluations."""
    with client_of(server_app(source, tmp_path_factory.mktemp("local"), reports=REPORTS)) as client:
        yield client


@pytest.fixture(scope="module")
def keyed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server that wants keys."""
    with client_of(server_app(source, tmp_path_factory.mktemp("keyed"), keys="required")) as client:
        yield client


@pytest.fixture(autouse=True)
def _without_cookies(local: TestClient, keyed: TestClient) -> None:
    local.cookies.clear()
    keyed.cookies.clear()


def token(client: TestClient, path: str = "/login") -> str:
    """The token of the forms on a page."""
    found = re.search(r'name="csrf" value="(\w+)"', client.get(path).text)
    assert found is not None
    return found[1]


def key(client: TestClient, tenant: str, role: str = "reviewer") -> str:
    plain, _ = state_of(client).database.keys.create(tenant, role, name=f"{role} of {tenant}")
    return str(plain)


def sign_in(client: TestClient, plain: str) -> None:
    form = {"csrf": token(client), "key": plain, "next": "/traces"}
    response = client.post("/login", data=form, headers=HERE, follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/traces")


def ask(client: TestClient, question: str = BALANCE) -> str:
    """Ask on the page; returns the trace id of the answer."""
    response = client.post("/ask", data={"csrf": token(client, "/"), "question": question}, headers=HERE)
    assert response.status_code == 200, response.text
    found = re.search(r'data-trace="([\w-]+)"', response.text)
    assert found is not None
    return found[1]


# --- sessions and forms


def test_without_a_key_every_page_leads_to_the_login(keyed: TestClient) -> None:
    for path in ("/", "/conversations", "/traces", "/ontology", "/reviews", "/requirements", "/quality"):
        response = keyed.get(path, follow_redirects=False)
        assert response.status_code == 303
        assert response.headers["location"].startswith("/login?next=")


def test_a_key_becomes_a_cookie_that_no_script_reads_and_no_other_site_sends(keyed: TestClient) -> None:
    plain = key(keyed, DEMO)
    form = {"csrf": token(keyed), "key": plain}
    response = keyed.post("/login", data=form, headers=HERE, follow_redirects=False)
    cookie = next(one for one in response.headers.get_list("set-cookie") if one.startswith(SESSION))
    assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
    assert plain not in cookie
    assert "reviewer of m-demo" in keyed.get("/traces").text


def test_a_wrong_key_is_told_and_opens_nothing(keyed: TestClient) -> None:
    response = keyed.post("/login", data={"csrf": token(keyed), "key": "vk_no"}, headers=HERE)
    assert response.status_code == 401
    assert say("en", "login.wrong") in response.text
    assert SESSION not in keyed.cookies


def test_a_revoked_key_signs_out_whoever_came_in_with_it(keyed: TestClient) -> None:
    plain = key(keyed, DEMO)
    sign_in(keyed, plain)
    assert keyed.get("/traces", follow_redirects=False).status_code == 200
    state_of(keyed).database.keys.revoke(plain.split("_")[1])
    assert keyed.get("/traces", follow_redirects=False).status_code == 303


def test_signing_out_ends_the_session_on_the_server(keyed: TestClient) -> None:
    sign_in(keyed, key(keyed, DEMO))
    held = keyed.cookies[SESSION]
    keyed.post("/logout", data={"csrf": token(keyed, "/traces")}, headers=HERE)
    sessions: Sessions = state_of(keyed).sessions
    assert sessions.find(held) is None


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_session_is_known_in_every_process_until_it_ends(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = request.getfixturevalue("postgres") if engine == "postgres" else str(tmp_path / "serve.sqlite")
    with ServerDatabase.open(place) as one, ServerDatabase.open(place) as other:
        caller = one.keys.find(one.keys.create(DEMO, "analyst")[0])
        assert caller is not None
        held = Sessions(one).start(caller)
        assert Sessions(other).find(held) == caller
        assert Sessions(other).find(f"{held}x") is None
        Sessions(one).end(held)
        assert Sessions(other).find(held) is None


@pytest.mark.parametrize(
    "path",
    [
        "/ask",
        "/conversations/20260101/title",
        "/conversations/20260101/delete",
        "/requirements",
        "/logout",
        "/preferences",
        "/login",
        "/reviews/20260101/decision",
    ],
)
def test_no_form_is_taken_without_its_token(local: TestClient, path: str) -> None:
    response = local.post(path, data={"csrf": "0" * 64, "question": BALANCE, "text": "x"}, headers=HERE)
    assert response.status_code == 403
    assert say("en", "error.form") in response.text


def test_a_form_of_another_site_is_refused(local: TestClient) -> None:
    form = {"csrf": token(local, "/"), "question": BALANCE}
    assert local.post("/ask", data=form, headers={"Origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("address", ["//evil.example", "https://evil.example", "/\\evil.example", "/a\nb", ""])
def test_nobody_is_sent_to_another_site(address: str) -> None:
    assert own_address(address) == "/"


def test_an_analyst_sees_a_review_and_does_not_decide_it(keyed: TestClient) -> None:
    plain = key(keyed, DEMO, "analyst")
    keyed.post("/v1/rerank?submit=true", json=CANDIDATES, headers=bearer(plain))
    sign_in(keyed, plain)
    found = re.search(r'href="(/reviews/[\w-]+)"', keyed.get("/reviews").text)
    assert found is not None
    page = keyed.get(found[1]).text
    assert say("en", "review.not_yours") in page
    form = {"csrf": token(keyed, "/reviews"), "decision": "approve", "only": "doc-1"}
    assert keyed.post(f"{found[1]}/decision", data=form, headers=HERE).status_code == 403


# --- tenants


def test_nothing_of_another_tenant_is_on_any_page(keyed: TestClient) -> None:
    mine, theirs = key(keyed, DEMO), key(keyed, OTHER)
    sign_in(keyed, mine)
    trace = ask(keyed)
    form = {"csrf": token(keyed, "/requirements"), "text": "Only demo may read this requirement."}
    run = keyed.post("/requirements", data=form, headers=HERE, follow_redirects=False).headers["location"]
    review = keyed.post("/v1/rerank?submit=true", json=CANDIDATES, headers=bearer(mine))
    assert review.status_code == 200
    reviews = re.findall(r'href="(/reviews/[\w-]+)"', keyed.get("/reviews").text)
    keyed.cookies.clear()
    sign_in(keyed, theirs)
    for path in (
        "/",
        "/conversations?everyone=false",
        "/traces",
        "/reviews",
        "/requirements",
        "/quality",
        "/quality/trend",
    ):
        page = keyed.get(path)
        assert page.status_code == 200
        assert trace not in page.text
        assert "Only demo may read" not in page.text
    hidden = [
        f"/traces/{trace}",
        f"/traces/{trace}/results/r1",
        f"/traces/{trace}/results/r1.csv",
        f"/traces/{trace}/answer.xlsx",
        f"/traces/{trace}/answer.md",
        f"/?answer={trace}",
    ]
    for path in (*hidden, run, *reviews):
        gone = keyed.get(path)
        assert gone.status_code == 404
        assert not re.search("180.{1,5}500|152.{0,5}400|Retention of invoices", gone.text)


def test_rows_and_file_are_those_of_the_visitors_own_scope(keyed: TestClient) -> None:
    amounts = []
    for tenant in (DEMO, OTHER):
        keyed.cookies.clear()
        sign_in(keyed, key(keyed, tenant))
        amounts.append(keyed.get(f"/traces/{ask(keyed)}/results/r1.csv").text)
    assert "180500.00" in amounts[0]
    assert "180500.00" not in amounts[1]


# --- pages


def test_the_policy_forbids_inline_scripts_and_styles_and_no_page_has_any(local: TestClient) -> None:
    trace = ask(local)
    for path in (
        "/",
        f"/?answer={trace}",
        "/conversations",
        re.findall(r'"(/conversations/[\w-]+)"', local.get("/conversations").text)[0],
        "/traces",
        f"/traces/{trace}",
        "/ontology",
        "/reviews",
        "/requirements",
        "/quality",
    ):
        page = local.get(path)
        assert "default-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        assert not re.search(r"<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=|javascript:", page.text)
        assert not re.search(r'(?:src|href|action)="(?:https?:)?//', page.text)


def test_what_is_not_there_is_a_page_and_not_a_problem_for_programs(local: TestClient) -> None:
    for path in (
        "/conversations/20990101-nope",
        "/traces/20990101-nope",
        "/reviews/20990101-nope",
        "/requirements/20990101-nope",
    ):
        page = local.get(path, headers={"Accept-Language": "de"})
        assert page.status_code == 404
        assert page.headers["content-type"].startswith("text/html")
        assert say("de", "error.404") in page.text


def test_a_greeting_is_answered_and_nowhere_called_proven(local: TestClient) -> None:
    trace = ask(local, "Hello!")
    (line,) = re.findall(rf'href="/traces/{trace}".*?</a>', local.get("/traces").text, re.DOTALL)
    for shown in (local.get(f"/?answer={trace}").text, line):
        assert f">{say('en', 'outcome.told')}<" in shown
        assert f">{say('en', 'outcome.answered')}<" not in shown


def test_an_answer_has_an_address_that_another_language_keeps(local: TestClient) -> None:
    form = {"csrf": token(local, "/"), "question": "Was ist der Banksaldo?"}
    asked = local.post("/ask", data=form, headers=HERE, follow_redirects=False)
    assert asked.status_code == 303
    address, _, place = asked.headers["location"].partition("#")
    assert f'id="{place}"' in local.get(address).text
    assert f'name="next" value="{address}"' in local.get(address).text
    form = {"csrf": token(local, address), "next": address, "lang": "de"}
    page = local.post("/preferences", data=form, headers=HERE)
    assert 'lang="de"' in page.text
    assert "Was ist der Banksaldo?" in page.text


def test_an_answer_to_a_question_back_says_what_it_answers(local: TestClient) -> None:
    form = {"csrf": token(local, "/"), "question": "2024", "follows": ask(local, "Was ist der Banksaldo?")}
    page = local.post("/ask", data=form, headers=HERE).text
    (heading,) = re.findall(r'<h2 class="asked">(.*?)</h2>', page)
    assert heading.startswith("2024")
    assert "Was ist der Banksaldo" in heading


def test_rows_are_written_as_the_answer_writes_them(local: TestClient) -> None:
    page = local.get(f"/traces/{ask(local)}/results/r2", headers={"Accept-Language": "en"}).text
    assert "152&#39;400.00" in page
    assert "1020 Bank Kontokorrent" in page
    assert "Bank nach Konto, Ende Dezember 2025 (CHF)" in page


# --- numbers


def fact(page: str, name: str) -> int:
    """A number at the head of a page."""
    found = re.search(rf"<dt>{re.escape(name)}</dt><dd>(\d+)</dd>", page)
    assert found is not None, name
    return int(found[1])


def test_the_numbers_of_the_ontology_count_what_the_page_shows(local: TestClient) -> None:
    page = local.get("/ontology").text
    tree = page[page.index('<div class="tree">') :]
    shown = {
        "ontology.entities": page.count('<details class="fold entity"'),
        "ontology.relations": page.count('<path class="edge"'),
        "ontology.concepts": tree.count("<p><strong>") + tree.count("<li>"),
        "ontology.measures": len(re.findall(r"<code>(?:SUM|COUNT)\(", page)),
    }
    assert {key: fact(page, say("en", key)) for key in shown} == shown
    assert shown["ontology.entities"] == page.count('<g class="node') == 9
    assert shown["ontology.concepts"] == 30
    for question in trustee_ontology().questions["en"]:
        assert f">{question.question}</a>" in page


def test_several_relations_of_two_entities_and_one_of_an_entity_with_itself_are_all_told(local: TestClient) -> None:
    catalog = state_of(local).agents.of(Caller("local", "admin")).tools.catalog
    line, entry = "TrusteeDataJournalLine", "TrusteeDataJournalEntry"
    more = [
        Relation(from_entity=line, to_entity=entry, cardinality=Cardinality.MANY_TO_ONE, via="reversedBy"),
        Relation(from_entity=entry, to_entity=entry, cardinality=Cardinality.ONE_TO_ONE, via="corrects"),
    ]
    ontology = catalog.ontology.model_copy(update={"relations": (*catalog.ontology.relations, *more)})
    graph = graph_of(dataclasses.replace(catalog, ontology=ontology), "en")
    assert graph.relation_count == 15
    assert [one.via for one in graph.between(line, entry)] == ["journalEntryId", "reversedBy"]
    assert ("corrects", entry) in {(one.via, one.to) for one in graph.relations[entry]}


def test_an_evaluation_without_refused_calls_has_no_rate_of_repairs(local: TestClient) -> None:
    page = local.get("/quality").text
    shown = re.findall(
        r"<tr><td>([\w-]+)</td>.*?<td class=\"number\">([^<]*)</td><td class=\"number\">[\d.]+ s</td></tr>",
        page,
        re.DOTALL,
    )
    for results in map(load_results, sorted(REPORTS.glob("*/results.json"))):
        for one in results.summaries:
            told = f"{one.repair_succeeded_count} / {one.repair_triggered_count}" if one.repair_triggered_count else "–"
            assert (one.mode.value, told) in shown
    assert "–" in dict(shown).values()


def test_only_so_many_questions_are_counted_and_that_is_told(
    local: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(local)
    ask(local)
    told = say("en", "quality.counted", most=1)
    assert told not in local.get("/quality/trend").text
    monkeypatch.setattr(quality, "_MOST_TRACES", 1)
    page = local.get("/quality/trend").text
    assert told in page
    assert '<td class="number">1</td>' in page


# --- reviews


def test_candidates_with_a_risk_are_not_ticked_and_nothing_known_is_not_zero(local: TestClient) -> None:
    risky = {**CANDIDATES["candidates"][0], "id": "risky", "url": "https://example.org/r", "trust": "low"}  # type: ignore[index]
    safe = {
        "id": "safe",
        "title": "Legal audit rules",
        "snippet": "The law on audit logs.",
        "url": "https://law.example",
    }
    dated = {**safe, "detected_date": datetime.now(UTC).isoformat(), "trust": "high"}
    body = {"scoring_context": {"question": "Which legal audit rules hold?"}, "candidates": [risky, dated]}
    assert local.post("/v1/rerank?submit=true", json=body).status_code == 200
    found = re.search(r'href="(/reviews/[\w-]+)"', local.get("/reviews").text)
    assert found is not None
    page = local.get(found[1]).text
    assert re.findall(r'name="only" value="(\w+)" id="c-\d"( checked)?>', page) in (
        [("safe", " checked"), ("risky", "")],
        [("risky", ""), ("safe", " checked")],
    )
    assert say("en", "review.covered") in page
    assert "0 →" not in page


# --- models


def test_refused_repaired_and_blocked_are_told_as_they_were(source: Path, tmp_path: Path) -> None:
    """A model adds up balances and is told better; then it types a figure again and again."""
    table = "TrusteeDataAccountBalance"
    wanted = (("periodYear", "=", 2025), ("periodMonth", "=", 0), ("accountNumber", "LIKE", "102%"))
    filters = [{"field": field, "op": op, "value": value} for field, op, value in wanted]
    refused = ("aggregateTable", {"tableName": table, "aggregate": "SUM", "field": "closingBalance"})
    read = ("queryTable", {"tableName": table, "filters": filters})
    right = (
        "answer",
        {"text": "Bank: {{ sum(r1.closingBalance) }} CHF. {{ rows(r1.accountNumber, r1.closingBalance) }}"},
    )
    typed = ("answer", {"text": "The bank holds 999,999.00 CHF."})
    with model_server() as server:
        server.says({"Bank in sum total 2025": [[refused, read, right]], "Bank money somehow 2025": [[read, typed]]})
        with client_of(server_app(source, tmp_path, model=server.model, tools="table")) as client:
            repaired = client.get(f"/traces/{ask(client, 'Bank in sum total 2025?')}").text
            held_back = client.get(f"/traces/{ask(client, 'Bank money somehow 2025?')}").text
            days = client.get("/quality/trend").text
    assert repaired.count(f">{say('en', 'trace.is_repair')}<") == 1
    assert f"<dt>{say('en', 'trace.repairs')}</dt><dd>1 / 1</dd>" in repaired
    assert re.search(r"180.{1,5}500\.00", repaired)
    assert f">{say('en', 'outcome.blocked')}<" in held_back
    assert f"<dt>{say('en', 'trace.rounds')}</dt><dd>4</dd>" in held_back
    assert held_back.count(f"<h3>{say('en', 'trace.round')} ") == 4
    assert ">tiny<" in repaired
    assert "/v1#" not in repaired
    assert re.findall(r'<td class="number">(\d+)</td>', days)[:6] == ["2", "1", "1", "3", "1", "1"]


def test_what_a_question_says_never_becomes_markup(local: TestClient) -> None:
    page = local.post(
        "/ask",
        data={"csrf": token(local, "/"), "question": "<script>alert(1)</script> & <b>Banksaldo</b>"},
        headers=HERE,
    )
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)" in page.text


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.md", b"  ", "requirements.nothing"),
        ("picture.png", b"\x89PNG", "requirements.format"),
        ("broken.xlsx", b"not a workbook", None),
        ("columns.csv", b"a,b\n1,2\n", "requirements.column"),
    ],
)
def test_a_file_that_holds_no_requirements_is_told_in_one_sentence(
    local: TestClient, name: str, content: bytes, told: str | None
) -> None:
    form = {"csrf": token(local, "/requirements")}
    page = local.post("/requirements", data=form, files={"file": (name, content)}, headers=HERE)
    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert "/tmp" not in page.text
    if told is not None:
        assert say("en", told, name=name) in page.text


def test_pasted_text_without_a_requirement_is_told_without_a_file_name(local: TestClient) -> None:
    form = {"csrf": token(local, "/requirements"), "text": "# only a title"}
    page = local.post("/requirements", data=form, headers=HERE).text
    assert say("en", "requirements.nothing") in page
    assert "pasted.md" not in page


def test_a_doorstop_file_keeps_its_id(local: TestClient) -> None:
    form = {"csrf": token(local, "/requirements")}
    content = b"active: true\nlevel: 1.0\ntext: |\n  The app shall answer within 2 s.\n"
    page = local.post("/requirements", data=form, files={"file": ("SRD001.yml", content)}, headers=HERE)
    assert "<h2>SRD001</h2>" in page.text


def test_the_stream_of_a_question_ends_with_its_answer(local: TestClient) -> None:
    form = {"csrf": token(local, "/"), "question": BALANCE}
    response = local.post("/ask", data=form, headers={**HERE, "Accept": "text/event-stream"})
    events = re.findall(r"^event: (\w+)\ndata: (.*)$", response.text, re.MULTILINE)
    assert [name for name, _ in events if name != "now"] == ["begun", "step", "step", "answer"]
    assert "Reading the question" in events[1][1] or "Die Frage wird gelesen" in events[1][1]
    assert "180&#39;500.00" in json.loads(events[-1][1])["html"]


# --- parts


def test_both_languages_have_the_same_texts_with_the_same_gaps() -> None:
    german, english = texts("de"), texts("en")
    assert german.keys() == english.keys()
    for name in german:
        gaps = [{field for _, field, _, _ in Formatter().parse(table[name]) if field} for table in (german, english)]
        assert gaps[0] == gaps[1], name


@pytest.mark.parametrize(
    ("header", "lang"),
    [("", "en"), ("de-CH,de;q=0.9,en;q=0.8", "de"), ("fr,en;q=0.4,de;q=0.6", "de"), ("zh;q=x", "en")],
)
def test_the_browser_s_wish_decides_the_language(header: str, lang: str) -> None:
    assert preferred(header) == lang


def test_figures_of_an_answer_are_pieces_with_proofs_and_the_text_stays_whole(local: TestClient) -> None:
    record = state_of(local).database.traces("local").get(ask(local))
    answer = Answer.model_validate({k: v for k, v in record.body.items() if k not in ("understoodAs", "rows")})
    blocks = blocks_of(answer)
    written = [
        ("- " if block.kind == "list" else "") + "".join(p.before + p.text + p.after for p in line)
        for block in blocks
        for line in block.lines
    ]
    assert "\n".join(written) == answer.text
    marked = [piece.figure for block in blocks for line in block.lines for piece in line if piece.figure is not None]
    assert marked == list(range(len(answer.provenance)))
    total = next(proof for proof in proofs_of(answer, "duckdb") if proof.text == "180'500.00")
    assert sum(Decimal(cell.raw) for cell in total.cells) == Decimal(total.value or "0")


def test_a_graph_has_no_boxes_on_each_other_and_its_arrows_lead_to_the_right() -> None:
    names = [f"n{number}" for number in range(14)]
    edges = [
        (f"n{a}", f"n{b}") for a, b in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 4), (5, 4), (4, 0), (6, 6), (7, 3)]
    ]
    drawing = draw(names, [*edges, ("n1", "elsewhere")])
    boxes = {box.name: box for box in drawing.boxes}
    assert set(boxes) == set(names)
    for one in boxes.values():
        assert 0 <= one.x <= drawing.width - BOX_WIDTH
        assert 0 <= one.y <= drawing.height - BOX_HEIGHT
        for other in boxes.values():
            apart = abs(one.x - other.x) >= BOX_WIDTH or abs(one.y - other.y) >= BOX_HEIGHT
            assert one is other or apart, (one, other)
    for arrow in drawing.arrows:
        left, right = (arrow.end, arrow.start) if arrow.turned else (arrow.start, arrow.end)
        assert boxes[left].x < boxes[right].x


def test_an_unknown_address_is_a_page_for_people_and_a_problem_for_programs(local: TestClient) -> None:
    page = local.get("/nowhere", headers={"Accept": "text/html,*/*"})
    assert page.status_code == 404
    assert say("en", "error.404") in page.text
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert local.get("/nowhere").headers["content-type"] == "application/problem+json"
    assert (
        local.get("/v1/nowhere", headers={"Accept": "text/html"}).headers["content-type"] == "application/problem+json"
    )


def test_a_file_that_is_too_large_is_told_on_a_page(local: TestClient) -> None:
    form = {"csrf": token(local, "/requirements")}
    headers = {**HERE, "Accept": "text/html"}
    page = local.post("/requirements", data=form, files={"file": ("a.md", b"x" * 9_000_000)}, headers=headers)
    assert page.status_code == 413
    assert page.text.startswith("<!doctype html>")


def test_the_chart_shows_the_figure_that_the_answer_cites(local: TestClient) -> None:
    trace = ask(local, "Wie entwickelte sich der Saldo von Konto 1020 über die Monate 2025?")
    page = local.get(f"/traces/{trace}/results/r1", headers={"Accept-Language": "de"}).text
    chart = page[page.index("<figure") : page.index("</figure>")]
    assert "Saldo" in chart
    assert chart.count("<circle") == 12
