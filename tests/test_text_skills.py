"""Skills without data: what they write stands in their input, passes the gate, or does not get out unmarked."""

from __future__ import annotations

import asyncio
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from each_case import each
from scripted import Script, Turn, call
from veracity.agent.trace_store import TraceStore
from veracity.answer.answer import Answer, Outcome
from veracity.errors import ModelTimedOut, UsageError
from veracity.llm.provider import ProviderConfig, RemoteModel
from veracity.open import open_text_agent
from veracity.quality import QualityRules, SkillContext, ValidatorRule
from veracity.routing import Router
from veracity.settings import Settings
from veracity.skills.config import Skill, SkillLimits, StrategyName
from veracity.skills.load import SkillLibrary, load_library
from veracity.skills.text_agent import TextAgent

MEETING = "The meeting of 12 May decided to move 3 servers and to spend 4,500 francs. Anna Keller writes the plan."


def skill_of(strategy: StrategyName = "direct", **more: Any) -> Skill:
    made = {"name": "worker", "description": "Works.", "strategy": strategy, "prompt": "Summarise."}
    return Skill(**{**made, "quality": QualityRules(skill_match=False), **more})


def run(skill: Skill, *turns: Turn, text: str = MEETING, **context: Any) -> tuple[Answer, Script]:
    script = Script(*turns)
    agent = TextAgent(model=RemoteModel.of(script.model), model_name="scripted")
    given = asyncio.run(agent.run(skill, text, SkillContext(skill=skill.name, input=text, **context)))
    return given, script


# --- nothing is made up


def test_a_text_whose_figures_stand_in_the_input_is_given_out() -> None:
    given, script = run(skill_of(), "Three servers move for 4500 francs.")
    assert (given.outcome, given.text, given.skill) == (
        Outcome.ANSWERED,
        "Three servers move for 4500 francs.",
        "worker",
    )
    assert (script.said, given.trace.calls, given.quality and given.quality.passed) == (1, (), True)


def test_a_figure_that_the_input_does_not_say_goes_back() -> None:
    given, script = run(skill_of(), "Five servers move.", "3 servers move.")
    assert (given.outcome, given.text) == (Outcome.ANSWERED, "3 servers move.")
    assert "The input does not say this figure" in str(script.messages)


def test_a_figure_that_stays_made_up_is_held_back() -> None:
    given, _script = run(skill_of(), "7 servers move.")
    assert given.outcome is Outcome.BLOCKED
    assert "7" not in given.text


def test_a_year_that_the_input_does_not_say_is_made_up_too() -> None:
    assert run(skill_of(), "Decided in 1998.")[0].outcome is Outcome.BLOCKED


def test_sample_people_are_made_up() -> None:
    assert run(skill_of(), "John Doe writes the plan.")[0].outcome is Outcome.BLOCKED
    assert run(skill_of(), "Anna Keller writes the plan.")[0].outcome is Outcome.ANSWERED


def test_a_translation_may_write_the_same_figure_in_another_way() -> None:
    assert run(skill_of(), "3 Server ziehen um, für 4'500 Franken, am 12. Mai.")[0].outcome is Outcome.ANSWERED


def test_a_figure_that_reads_otherwise_in_the_language_of_the_output_goes_back() -> None:
    given, _script = run(skill_of(), "Das kostet uns am Ende 4,500 Franken.")
    assert given.outcome is Outcome.BLOCKED
    handed = "Übersetze ins Deutsche: The move of the servers cost us 4,500 francs."
    assert run(skill_of(), "Der Umzug der Server kostete 4.500 Franken.", text=handed)[0].outcome is Outcome.ANSWERED
    assert run(skill_of(), "Der Umzug der Server kostete 4,500 Franken.", text=handed)[0].outcome is Outcome.BLOCKED


def test_a_skill_may_declare_its_figures_free() -> None:
    assert run(skill_of(figures="free"), "Line 7 is wrong.")[0].outcome is Outcome.ANSWERED


def test_an_empty_reply_is_no_answer() -> None:
    assert run(skill_of(), "")[0].outcome is Outcome.BLOCKED


# --- outputs with a schema

REVIEW = {
    "type": "object",
    "properties": {"summary": {"type": "string"}, "verdict": {"type": "string", "enum": ["good", "bad"]}},
    "required": ["summary", "verdict"],
    "additionalProperties": False,
}


def test_the_fields_of_a_schema_come_back_as_fields() -> None:
    fields = {"summary": "Three servers move.", "verdict": "good"}
    given, script = run(skill_of(output_schema=REVIEW), [call("answer", **fields)])
    assert (given.outcome, given.fields, json.loads(given.text)) == (Outcome.ANSWERED, fields, fields)
    assert script.info is not None
    assert script.info.function_tools[0].parameters_json_schema == REVIEW


def test_a_number_in_a_field_has_to_stand_in_the_input_too() -> None:
    schema = {"type": "object", "properties": {"servers": {"type": "integer"}}, "required": ["servers"]}
    assert run(skill_of(output_schema=schema), [call("answer", servers=3)])[0].fields == {"servers": 3}
    given, _script = run(skill_of(output_schema=schema), [call("answer", servers=8)])
    assert (given.outcome, given.fields) == (Outcome.BLOCKED, None)


def test_fields_written_as_text_are_read_all_the_same() -> None:
    given, _script = run(skill_of(output_schema=REVIEW), '```json\n{"summary": "All said.", "verdict": "good"}\n```')
    assert given.fields == {"summary": "All said.", "verdict": "good"}


def test_fields_that_do_not_fit_are_repaired_once() -> None:
    wrong, right = {"summary": "Said.", "verdict": "splendid"}, {"summary": "Said.", "verdict": "good"}
    given, script = run(
        skill_of(output_schema=REVIEW), [call("answer", **wrong)], [call("answer", **right)], output_schema=REVIEW
    )
    assert (given.fields, given.quality and (given.quality.passed, given.quality.repaired)) == (right, (True, True))
    assert "splendid" in str(script.messages)


# --- the gate stands behind every strategy


@pytest.mark.parametrize("strategy", ["direct", "react", "reflexion", "rewoo", "goal_driven"])
def test_the_gate_is_called_whatever_the_strategy(strategy: StrategyName) -> None:
    rules = QualityRules(skill_match=False, forbidden=("francs",))

    def turn(_told: Any) -> Any:
        return "They spend 4500 francs."

    given, script = run(skill_of(strategy, quality=rules), turn)
    assert given.quality is not None
    assert (given.outcome, given.quality.passed, given.quality.repaired) == (Outcome.BLOCKED, False, True)
    assert [finding.check for finding in given.quality.findings] == ["forbidden"]
    assert "The output does not pass" in str(script.messages)


def test_a_failing_output_is_repaired_once_with_the_findings() -> None:
    rules = QualityRules(skill_match=False, forbidden=("francs",))
    given, script = run(skill_of(quality=rules), "They spend 4500 francs.", "They spend 4500.")
    assert (given.text, script.said) == ("They spend 4500.", 2)
    assert given.quality is not None
    assert (given.quality.passed, given.quality.repaired) == (True, True)


def test_what_fails_does_not_get_out_unless_a_skill_says_lenient_and_why() -> None:
    rules = QualityRules(skill_match=False, forbidden=("francs",))
    given, _script = run(skill_of(quality=rules), "They spend 4500 francs.")
    assert (given.outcome, given.quality and given.quality.passed) == (Outcome.BLOCKED, False)
    assert "4500" not in given.text
    lenient = rules.model_copy(update={"mode": "lenient", "because": "Drafts are wanted as they are."})
    given, _script = run(skill_of(quality=lenient), "They spend 4500 francs.")
    assert (given.outcome, given.quality and given.quality.passed) == (Outcome.ANSWERED, False)
    with pytest.raises(ValueError, match="say why under because"):
        QualityRules(mode="lenient")


@each("strategy", ["direct", "react", "reflexion", "rewoo", "goal_driven"])
@each("reply", ["hm", "Sorry, I can't do that.", "好的。", "..."])
def test_a_reply_that_says_nothing_is_never_an_answer(strategy: StrategyName, reply: str) -> None:
    given, _script = run(skill_of(strategy), reply)
    assert given.outcome is Outcome.BLOCKED


def test_a_repair_that_makes_things_up_leaves_the_failed_output_marked() -> None:
    rules = QualityRules(skill_match=False, forbidden=("francs",), mode="lenient", because="Drafts are wanted.")
    given, _script = run(skill_of(quality=rules), "They spend 4500 francs.", "They spend 9900 dollars.")
    assert given.text == "They spend 4500 francs."
    assert given.quality is not None
    assert not given.quality.passed


@pytest.mark.parametrize(("mode", "passed"), [("strict", False), ("lenient", True)])
def test_a_validator_that_cannot_be_imported_never_passes_in_silence(mode: Any, passed: bool) -> None:
    rules = QualityRules(skill_match=False, validators=(ValidatorRule(path="nowhere.at_all:check", mode=mode),))
    given, _script = run(skill_of(quality=rules), "Three servers move.")
    assert given.quality is not None
    assert given.quality.passed is passed
    assert given.quality.findings


# --- skill_match, live in a trace

PAIRS = {
    "reflexion_agent": "I did a code review and found a bug in the code.",
    "code_reviewer": "After self-verification and reflection I improved the plan in iterations.",
    "react_agent": "目标分解：先做多步规划，再做方案对比。",
    "rewoo_agent": "竞品分析：与市场对手的竞争对比如下。",
    "content_generator": "SEO 优化和 GEO 优化可以提高搜索排名。",
}


@pytest.mark.parametrize(("name", "text"), PAIRS.items())
def test_an_output_that_reads_like_the_other_of_a_pair_warns_in_the_trace(name: str, text: str, tmp_path: Path) -> None:
    library = load_library(Settings(home=tmp_path), project=tmp_path)
    # The same gate, without the data or the schema that some of them take.
    skill = library[name].model_copy(update={"tools": (), "strategy": "direct", "output_schema": None})
    store = TraceStore(tmp_path / "traces.sqlite")
    agent = TextAgent(model=RemoteModel.of(Script(text).model), model_name="scripted", traces=store)
    given = asyncio.run(agent.run(skill, text, library.context(skill, text)))
    kept = store.get(given.trace_id).body["quality"]
    assert [one for one in kept["findings"] if one["check"] == "skill_match"]
    assert kept["warnings"]


def test_a_language_that_is_asked_for_beats_that_of_the_input() -> None:
    skill = skill_of(quality=QualityRules(skill_match=False, language="input"))
    said = "Es wurde beschlossen, drei Server umzuziehen, und Anna Keller schreibt den Plan dazu."
    script = Script(said)
    agent = TextAgent(model=RemoteModel.of(script.model), model_name="scripted")
    context = SkillContext(skill="worker", input=MEETING)
    given = asyncio.run(agent.run(skill, MEETING, context, lang="de"))
    assert (given.text, given.quality and given.quality.passed, script.said) == (said, True, 1)
    assert run(skill, said)[1].said == 2


# --- bad input


def test_an_empty_input_is_said_to_be_empty() -> None:
    with pytest.raises(UsageError, match="no input"):
        run(skill_of(), "x", text="  \n ")


def test_a_megabyte_is_refused_with_its_size() -> None:
    with pytest.raises(UsageError, match=r"at most 200,000 characters, this input has 1,000,000"):
        run(skill_of(), "x", text="a" * 1_000_000)


def test_without_a_model_a_skill_says_so() -> None:
    skill = skill_of()
    given = asyncio.run(TextAgent().run(skill, "Fasse das bitte zusammen.", SkillContext(skill=skill.name)))
    assert given.outcome is Outcome.ABSTAINED
    assert "worker" in given.text
    assert "--model" in given.text


# --- timeouts reach the HTTP client


class Slow(BaseHTTPRequestHandler):
    """Answers a chat request after a moment."""

    seconds = 0.0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.seconds)
        message = {"role": "assistant", "content": "Three servers move."}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
        body = json.dumps(reply).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            """The client has gone: that is what is tested."""

    def log_message(self, *_args: Any) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def slow_model() -> Any:
    servers: list[ThreadingHTTPServer] = []

    def start(seconds: float) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Slow,), {"seconds": seconds}))
        servers.append(server)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/v1#m"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(("provider", "skill", "answers"), [
    (0.5, 10.0, True),  # the skill's own limit is longer than the provider's
    (10.0, 0.5, False),  # and shorter
    (10.0, None, True),
    (0.5, None, False),
])  # fmt: skip
def test_the_timeout_of_a_skill_reaches_the_http_client(
    slow_model: Any, provider: float, skill: float | None, answers: bool
) -> None:
    agent = open_text_agent(slow_model(2.0), provider=ProviderConfig(timeout=provider, retries=0), keep_traces=False)
    worker = skill_of(limits=SkillLimits(timeout=skill))
    job = agent.run(worker, MEETING, SkillContext(skill="worker", input=MEETING))
    if answers:
        assert asyncio.run(job).outcome is Outcome.ANSWERED
    else:
        with pytest.raises(ModelTimedOut, match=r"timed out after [01]\.\d seconds"):
            asyncio.run(job)


# --- skills with an engine


def shipped(name: str) -> tuple[Skill, SkillLibrary]:
    library = load_library(project=Path("nowhere"))
    return library[name], library


@pytest.mark.parametrize("model", [None, "hm"])
def test_rules_review_requirements_without_a_model_and_where_it_fails(model: str | None) -> None:
    skill, library = shipped("requirements_reviewer")
    text = "Prüfe diese Anforderung: Das System soll Rechnungen schnell verarbeiten."
    agent = TextAgent() if model is None else TextAgent(model=RemoteModel.of(Script(model).model))
    given = asyncio.run(agent.run(skill, text, library.context(skill, text)))
    assert given.outcome is Outcome.ANSWERED
    assert given.fields is not None
    assert given.fields["approved"] is False
    assert {issue["quote"] for issue in given.fields["issues"]} == {"schnell"}
    fine = "The export shall contain the orders of the chosen month as CSV within 10 seconds."
    given = asyncio.run(TextAgent().run(skill, fine, library.context(skill, fine)))
    assert given.fields == {"approved": True, "issues": [], "questions": []}


def test_a_model_that_starts_from_an_engine_is_told_what_it_found() -> None:
    skill, library = shipped("requirements_reviewer")
    text = "The system should be fast."
    script = Script([call("answer", approved=True, issues=[], questions=[])])
    given = asyncio.run(TextAgent(model=RemoteModel.of(script.model)).run(skill, text, library.context(skill, text)))
    assert "Rules read the input already" in str(script.messages)
    assert "It is approved although" in str(script.messages)
    assert given.fields is not None
    assert given.fields["approved"] is False


def test_sources_are_ranked_without_a_model() -> None:
    skill, library = shipped("source_scout")
    text = (
        "Question: VAT rates. Results: 1. My blog on cats (2011) 2. VAT rates (estv.admin.ch) 3. VAT software, buy now"
    )
    given = asyncio.run(TextAgent().run(skill, text, library.context(skill, text)))
    assert given.fields is not None
    ranking = {one["source"]: one["use"] for one in given.fields["ranking"]}
    assert next(iter(ranking.items())) == ("VAT rates (estv.admin.ch)", "read_first")
    assert ranking["My blog on cats (2011)"] == "skip"
    assert len(ranking) == 3
    bare = asyncio.run(TextAgent().run(skill, "Which is best?", library.context(skill, "Which is best?")))
    assert bare.outcome is Outcome.ABSTAINED
    assert "Without one it takes inputs such as this: Which of these results should I read first?" in bare.text


def test_sources_of_the_country_that_a_question_names_come_first() -> None:
    skill, library = shipped("source_scout")
    text = (
        "Question: How long must payroll records be kept in Switzerland?\nResults:\n"
        "1. Record keeping - https://www.irs.gov/businesses - Keep payroll records for at least four years.\n"
        "2. OR 958f - https://www.fedlex.admin.ch/eli/cc/27/317 - Payroll records are kept for ten years."
    )
    given = asyncio.run(TextAgent().run(skill, text, library.context(skill, text)))
    assert given.fields is not None
    ranking = {one["source"]: one["use"] for one in given.fields["ranking"]}
    assert list(ranking) == ["OR 958f", "Record keeping"]
    assert ranking["OR 958f"] == "read_first"
    assert ranking["Record keeping"] != "read_first"


# --- what a model answers directly


def chatted(asked: str, *turns: Turn) -> Answer:
    agent = TextAgent(model=RemoteModel.of(Script(*turns).model), model_name="scripted")
    return asyncio.run(agent.chat(Router().decide(asked)))


def test_a_general_fact_may_hold_digits_and_is_marked_as_general_knowledge() -> None:
    given = chatted("What is machine learning?", "The term was coined in 1959 by Arthur Samuel.")
    assert given.outcome is Outcome.ANSWERED
    assert given.text == (
        "The term was coined in 1959 by Arthur Samuel.\n(General knowledge of the model, not proven from data.)"
    )
    plain = chatted("What is machine learning?", "Programs that learn from examples.")
    assert plain.text == "Programs that learn from examples."


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("What is machine learning?", "It is what our 37 customers use."),
        ("Was bedeutet Inflation?", "In Ihren Daten sind es 3,2 Prozent."),
        ("Hello", "Hello! There are 4 new invoices."),
        ("Hello", "hm"),
    ],
)
def test_figures_of_data_and_nothing_at_all_are_no_direct_answer(asked: str, said: str) -> None:
    assert chatted(asked, said).outcome is Outcome.BLOCKED


def test_a_courtesy_is_an_answer_to_a_greeting() -> None:
    assert chatted("Hello", "Hello! How can I help you?").outcome is Outcome.ANSWERED


def test_numbers_of_steps_are_no_figures() -> None:
    text = "Step 1: move 3 servers.\nStep 2: Anna Keller writes the plan.\nThe 1st comes first."
    assert run(skill_of(), text)[0].outcome is Outcome.ANSWERED
    assert run(skill_of(), "Step 7: move the servers.")[0].outcome is Outcome.BLOCKED


def test_the_reason_of_a_refusal_is_the_true_one() -> None:
    assert "no readable answer" in run(skill_of(), "")[0].text
    assert "that the input does not say" in run(skill_of(), "7 servers move.")[0].text
