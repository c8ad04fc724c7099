"""Every strategy runs on the one loop: same tools, same checks, same limits; only the order of the work differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart

from scripted import Script, Turn, answer, call, where
from veracity.answer.answer import Answer, Outcome
from veracity.ask.data_agent import DataAgent
from veracity.llm.provider import RemoteModel
from veracity.open import open_agent
from veracity.quality import QualityRules
from veracity.skills.config import Skill, SkillLimits, StrategyName
from veracity.skills.load import Loaded, SkillLibrary

NOW = datetime(2026, 11, 15, tzinfo=UTC)
QUESTION = "Was ist der Banksaldo per 31.12.2025?"
BANK = {
    "tableName": "TrusteeDataAccountBalance",
    "fields": ["accountNumber", "periodYear", "periodMonth", "closingBalance", "currency"],
    "filters": [where("periodYear", "=", 2025), where("periodMonth", "=", 0), where("accountNumber", "LIKE", "102%")],
}
CONTACTS = {"tableName": "TrusteeDataContact", "aggregate": "COUNT"}
GOOD = "Banksaldo: {{ sum(r1.closingBalance) }} CHF.\n{{ rows(r1.accountNumber, r1.closingBalance) }}"
SHORT = "Banksaldo per 31.12.2025: {{ sum(r1.closingBalance) }} CHF.\n{{ rows(r1.accountNumber, r1.closingBalance) }}"
TABLES = ("browseTable", "queryTable", "aggregateTable")

Work = Callable[..., tuple[Answer, Script]]


def skill_of(strategy: StrategyName, *, tools: tuple[str, ...] = TABLES, **more: Any) -> Skill:
    rules = QualityRules(skill_match=False)
    return Skill(
        name="worker",
        description="Works.",
        strategy=strategy,
        tools=tools,
        prompt="Do it.",
        **{"quality": rules, **more},
    )


@pytest.fixture(scope="module")
def agent(ledger: Path) -> Iterator[DataAgent]:
    opened = open_agent(ledger, feature="trustee", model=Script("").model, clock=lambda: NOW, keep_traces=False)
    yield opened
    opened.close()


@pytest.fixture
def work(agent: DataAgent) -> Work:
    """Runs one skill with a scripted model on the shipped ledger."""

    def run(skill: Skill, *turns: Turn, question: str = QUESTION) -> tuple[Answer, Script]:
        script = Script(*turns)
        agent.model = RemoteModel.of(script.model)
        assert agent.dispatch is not None
        library = SkillLibrary([Loaded(skill, Path("worker.yaml"), "project")])
        agent.dispatch = replace(agent.dispatch, skills=lambda: library)
        return agent.ask_sync(question, skill=skill.name), script

    return run


def test_react_calls_tools_until_it_answers(work: Work) -> None:
    given, _script = work(skill_of("react"), [call("queryTable", **BANK)], [answer(GOOD)])
    assert (given.outcome, given.skill, given.trace.rounds) == (Outcome.ANSWERED, "worker", 2)
    assert "180'500.00" in given.text


# --- reflexion


def test_reflexion_revises_a_draft_that_was_criticised(work: Work) -> None:
    given, script = work(
        skill_of("reflexion"),
        [call("queryTable", **BANK)],
        [answer(GOOD)],
        [call("critique", problems="The date is missing")],
        [answer(SHORT)],
    )
    assert given.text.startswith("Banksaldo per 31.12.2025: 180'500.00 CHF.")
    assert given.trace.rounds == 4
    assert "The date is missing" in str(script.messages)


@pytest.mark.parametrize("nothing", ["", "none", "keine"])
def test_reflexion_keeps_a_draft_without_problems(work: Work, nothing: str) -> None:
    given, _script = work(
        skill_of("reflexion"), [call("queryTable", **BANK)], [answer(GOOD)], [call("critique", problems=nothing)]
    )
    assert (given.outcome, given.trace.rounds) == (Outcome.ANSWERED, 3)


def test_a_revision_that_cannot_be_proven_leaves_the_draft_before_it(work: Work) -> None:
    given, _script = work(
        skill_of("reflexion"),
        [call("queryTable", **BANK)],
        [answer(GOOD)],
        [call("critique", problems="Too modest")],
        [answer("Banksaldo: 999'999.00 CHF.")],
    )
    assert given.outcome is Outcome.ANSWERED
    assert given.text.startswith("Banksaldo: 180'500.00 CHF.")


def test_reflexion_is_bounded(work: Work) -> None:
    never = call("critique", problems="Not good enough")
    turns: list[Turn] = [[call("queryTable", **BANK)], [answer(GOOD)], *[[never], [answer(SHORT)]] * 5]
    given, script = work(skill_of("reflexion", limits=SkillLimits(revisions=2)), *turns)
    assert (given.outcome, script.said) == (Outcome.ANSWERED, 6)


def test_a_draft_stays_when_the_rounds_run_out_during_the_critique(work: Work) -> None:
    given, _script = work(
        skill_of("reflexion", limits=SkillLimits(rounds=2)), [call("queryTable", **BANK)], [answer(GOOD)]
    )
    assert (given.outcome, given.trace.rounds) == (Outcome.ANSWERED, 2)


# --- rewoo


def plan(*calls: tuple[str, dict[str, Any]]) -> ToolCallPart:
    return call("plan", calls=[{"tool": tool, "arguments": arguments} for tool, arguments in calls])


def test_rewoo_makes_all_planned_calls_in_one_round(work: Work) -> None:
    both = plan(("queryTable", BANK), ("aggregateTable", CONTACTS))
    given, script = work(skill_of("rewoo"), [both], [answer(GOOD)])
    assert [(log.tool, log.round) for log in given.trace.calls] == [("queryTable", 1), ("aggregateTable", 1)]
    assert (given.outcome, given.trace.rounds) == (Outcome.ANSWERED, 2)
    assert script.info is not None
    assert {tool.name for tool in script.info.function_tools} == {"answer", "clarify", "abstain"}


def test_the_plan_knows_the_arguments_of_every_tool(work: Work) -> None:
    _given, script = work(skill_of("rewoo", limits=SkillLimits(rounds=1)), [plan()])
    assert script.info is not None
    (form,) = script.info.function_tools
    schema = form.parameters_json_schema
    Draft202012Validator.check_schema(schema)
    good: dict[str, Any] = {"calls": [{"tool": "aggregateTable", "arguments": {**CONTACTS, **_ALL_NULL}}]}
    Draft202012Validator(schema).validate(good)
    good["calls"][0]["arguments"]["groupBy"] = ["nosuchfield"]
    assert not Draft202012Validator(schema).is_valid(good)


_ALL_NULL = {"field": None, "groupBy": None, "filters": None, "limit": None}


def test_what_a_plan_gets_wrong_is_told_like_any_refused_call(work: Work) -> None:
    wrong = {**BANK, "tableName": "Bankkonten"}
    given, script = work(skill_of("rewoo"), [plan(("queryTable", wrong))], [call("queryTable", **BANK)], [answer(GOOD)])
    assert given.outcome is Outcome.ANSWERED
    assert script.told[0]["errorDetails"]["code"] == "TABLE_NOT_FOUND"
    assert given.trace.counters.validation_failures == 1


@pytest.mark.parametrize("nonsense", [{}, {"calls": "all"}, {"calls": [1, {"tool": "rm"}, {"tool": "queryTable"}]}])
def test_a_plan_that_is_none_falls_back_to_the_loop(work: Work, nonsense: dict[str, Any]) -> None:
    given, _script = work(skill_of("rewoo"), [call("plan", **nonsense)], [call("queryTable", **BANK)], [answer(GOOD)])
    assert given.outcome is Outcome.ANSWERED


# --- goal_driven


def test_goal_driven_works_the_parts_off_and_checks_the_goal(work: Work) -> None:
    given, script = work(
        skill_of("goal_driven", limits=SkillLimits(rounds=12)),
        [call("goals", goals="Banksaldo per 31.12.2025|Anzahl Kontakte")],
        [call("queryTable", **BANK)],
        [call("done", part="Banksaldo")],
        [call("aggregateTable", **CONTACTS)],
        [call("done", part="Kontakte")],
        [call("check", missing="")],
        [answer(GOOD)],
    )
    assert (given.outcome, given.trace.rounds) == (Outcome.ANSWERED, 7)
    assert [log.tool for log in given.trace.calls] == ["queryTable", "aggregateTable"]
    told = str(script.messages)
    assert "Now only this part: Banksaldo per 31.12.2025" in told
    assert "Now answer the whole request." in told


def test_what_is_missing_at_the_check_is_worked_off_once_more(work: Work) -> None:
    given, _script = work(
        skill_of("goal_driven", limits=SkillLimits(rounds=12)),
        [call("goals", goals="Anzahl Kontakte")],
        [call("aggregateTable", **CONTACTS)],
        [call("done", part="x")],
        [call("check", missing="Banksaldo")],
        [call("queryTable", **BANK)],
        [call("done", part="x")],
        [answer(GOOD.replace("r1", "r2"))],
    )
    assert given.outcome is Outcome.ANSWERED
    assert "180'500.00" in given.text


def test_a_model_that_names_no_goals_is_simply_asked(work: Work) -> None:
    given, _script = work(skill_of("goal_driven"), "I do not know.", [call("queryTable", **BANK)], [answer(GOOD)])
    assert given.outcome is Outcome.ANSWERED


def test_the_rounds_bound_every_strategy(work: Work) -> None:
    for strategy in ("react", "reflexion", "rewoo", "goal_driven"):
        skill = skill_of(strategy, limits=SkillLimits(rounds=3))
        given, script = work(skill, [call("aggregateTable", **CONTACTS), call("browseTable", tableName="Nichts")])
        assert (strategy, given.outcome, script.said) == (strategy, Outcome.ABSTAINED, 3)


# --- what only one of them answers, with a model that behaves alike


def test_in_two_rounds_only_rewoo_looks_two_things_up(work: Work) -> None:
    limits, both = SkillLimits(rounds=2), plan(("aggregateTable", CONTACTS), ("queryTable", BANK))
    planned, _script = work(skill_of("rewoo", limits=limits), [both], [answer(GOOD.replace("r1", "r2"))])
    one_by_one = [call("aggregateTable", **CONTACTS)], [call("queryTable", **BANK)], [answer(GOOD.replace("r1", "r2"))]
    reacted, _script = work(skill_of("react", limits=limits), *one_by_one)
    assert (planned.outcome, reacted.outcome) == (Outcome.ANSWERED, Outcome.ABSTAINED)


def test_a_hasty_model_only_answers_where_its_goals_are_checked(work: Work) -> None:
    hasty = [call("aggregateTable", **CONTACTS)]
    reacted, _script = work(skill_of("react", limits=SkillLimits(rounds=4)), hasty, *[[answer(GOOD)]] * 3)
    checked, _script = work(
        skill_of("goal_driven", limits=SkillLimits(rounds=12)),
        [call("goals", goals="Anzahl Kontakte")],
        hasty,
        [call("done", part="x")],
        [call("check", missing="Banksaldo")],
        [call("queryTable", **BANK)],
        [call("done", part="x")],
        [answer(GOOD.replace("r1", "r2"))],
    )
    assert reacted.outcome is not Outcome.ANSWERED
    assert (checked.outcome, "180'500.00" in checked.text) == (Outcome.ANSWERED, True)


def test_what_a_draft_leaves_out_is_only_there_after_a_critique(work: Work) -> None:
    draft = [call("queryTable", **BANK)], [answer(GOOD)]
    reacted, _script = work(skill_of("react"), *draft)
    reflected, _script = work(
        skill_of("reflexion"), *draft, [call("critique", problems="The date is missing")], [answer(SHORT)]
    )
    assert ("31.12.2025" in reacted.text.splitlines()[0], "31.12.2025" in reflected.text.splitlines()[0]) == (
        False,
        True,
    )


# --- what endpoints demand


@pytest.mark.parametrize("strategy", ["react", "reflexion", "rewoo", "goal_driven"])
def test_every_call_in_the_conversation_has_its_reply(work: Work, strategy: StrategyName) -> None:
    turns: dict[str, list[Turn]] = {
        "react": [[call("queryTable", **BANK)], [answer(GOOD)]],
        "reflexion": [
            [call("queryTable", **BANK)],
            [answer(GOOD)],
            [call("critique", problems="Datum")],
            [answer(SHORT)],
        ],
        "rewoo": [[plan(("queryTable", BANK))], [answer(GOOD)]],
        "goal_driven": [
            [call("goals", goals="Bank")],
            [call("queryTable", **BANK), call("done", part="Bank")],
            [call("done", part="Bank")],
            [call("check", missing="")],
            [answer(GOOD)],
        ],
    }
    _given, script = work(skill_of(strategy), *turns[strategy])
    open_calls: list[str] = []
    for message in script.messages:
        if isinstance(message, ModelResponse):
            assert open_calls == []
            open_calls = [part.tool_call_id for part in message.tool_calls]
        elif isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, ToolReturnPart):
                    open_calls.remove(part.tool_call_id)
