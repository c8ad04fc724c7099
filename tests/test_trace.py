"""Tool results on the wire, and the repair counters: the seed's eight cases and the deflection."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from veracity.contracts import (
    AgentTrace,
    QueryValidationError,
    RepairCounters,
    ToolCallLog,
    ToolResult,
    ValidationErrorCode,
    repair_counters,
)


def ok(round_: int, tool: str = "queryTable", **arguments: object) -> ToolCallLog:
    return ToolCallLog(round=round_, tool=tool, arguments=dict(arguments))


def bad(round_: int, tool: str = "queryTable", **arguments: object) -> ToolCallLog:
    return ToolCallLog(
        round=round_,
        tool=tool,
        arguments=dict(arguments),
        success=False,
        validation_failure_code=ValidationErrorCode.FIELD_NOT_FOUND,
    )


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        pytest.param([], (0, 0, 0, 0, 0), id="empty trace"),
        pytest.param([ok(1), ok(2)], (0, 0, 0, 0, 0), id="clean run"),
        pytest.param([bad(1)], (1, 0, 0, 0, 0), id="single failure, no repair"),
        pytest.param([bad(1, field="a"), ok(2, field="b")], (1, 1, 1, 0, 1), id="repair succeeds"),
        pytest.param([bad(1, field="a"), bad(2, field="b")], (2, 1, 0, 0, 0), id="repair fails again"),
        pytest.param([bad(1, field="a"), ok(1, field="b")], (1, 0, 0, 0, 0), id="siblings of one round repair nothing"),
        pytest.param([bad(1), ok(2, "browseTable")], (1, 0, 0, 1, 1), id="another tool is not a repair"),
        pytest.param(
            [
                bad(1, "aggregateTable"),
                bad(1),
                ok(2, field="x"),
                bad(2, "aggregateTable", n=1),
                ok(3, "aggregateTable", n=2),
            ],
            (3, 3, 2, 1, 3),
            id="several tools mixed",
        ),
        pytest.param(
            [bad(1, "aggregateTable"), bad(2, "aggregateTable", n=2), ok(3)],
            (2, 1, 0, 1, 1),
            id="deflection: refused twice, then another tool",
        ),
    ],
)
def test_repair_counters(calls: list[ToolCallLog], expected: tuple[int, ...]) -> None:
    found = repair_counters(calls)
    assert (
        found.validation_failures,
        found.repair_attempts,
        found.success_after_repair,
        found.deflections,
        found.conversions,
    ) == expected


def test_the_same_call_again_is_no_conversion() -> None:
    # A call that was refused once and passed later unchanged was not repaired by the model.
    assert repair_counters([bad(1, field="a"), ok(2, field="a")]).conversions == 0


def test_a_repair_may_come_rounds_later_but_a_conversion_may_not() -> None:
    found = repair_counters([bad(1, "aggregateTable"), bad(2), ok(3, "aggregateTable", n=1)])
    assert (found.repair_attempts, found.success_after_repair) == (1, 1)
    assert found.conversions == 1  # the failure of round 2, by the call of round 3


def test_conversion_rate_counts_repairs_and_deflections_over_all_failures() -> None:
    assert repair_counters(
        [bad(1), ok(2, "browseTable"), bad(3, field="a"), bad(4, field="a")]
    ).repair_conversion_rate == pytest.approx(1 / 3)
    assert RepairCounters().repair_conversion_rate == 0


def test_trace_sums_its_own_calls_and_speaks_camel_case() -> None:
    trace = AgentTrace.of("t1", [bad(1, field="a"), ok(2, field="b")])
    wire = json.loads(trace.model_dump_json())
    assert wire["validationFailures"] == wire["repairAttempts"] == wire["successAfterRepair"] == 1
    assert wire["toolCalls"][0]["validationFailureCode"] == "FIELD_NOT_FOUND"
    assert wire["repairConversionRate"] == 1


def test_error_details_hold_four_keys_and_a_short_hint() -> None:
    problem = QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field="x" * 500, hint="long " * 50)
    wire = json.loads(ToolResult.refused(problem).model_dump_json())
    assert list(wire) == ["success", "data", "error", "errorDetails"]
    assert list(wire["errorDetails"]) == ["code", "field", "suggestion", "hint"]
    assert len(wire["errorDetails"]["hint"]) <= 80
    assert len(wire["errorDetails"]["field"]) <= 80
    assert wire["error"].startswith("TYPE_MISMATCH: ")


def test_contracts_refuse_keys_they_do_not_know() -> None:
    with pytest.raises(ValidationError):
        ToolResult.model_validate({"success": True, "surprise": 1})
