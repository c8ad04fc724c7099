"""Features: shipped data is made once, scope is whole or refused, and a feature without an ontology works."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from veracity.errors import SourceError, UsageError
from veracity.features import FEATURES, get_feature
from veracity.features.feature import Feature, ShippedData, shipped_file
from veracity.features.records import Progress
from veracity.settings import Settings
from veracity.tools.open import open_tables
from veracity.tools.tables import TableTools


def counting(version: int, built: list[int]) -> Feature:
    def build(path: Path, progress: Progress | None) -> None:
        built.append(version)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(version))

    return Feature("demo", ("t",), shipped=ShippedData(version, build))


def test_shipped_data_is_made_once_and_anew_when_its_version_changes(tmp_path: Path) -> None:
    built: list[int] = []
    settings = Settings(home=tmp_path / "home")
    first = shipped_file(counting(1, built), settings)
    assert shipped_file(counting(1, built), settings) == first
    assert built == [1]
    second = shipped_file(counting(2, built), settings)
    assert built == [1, 2]
    assert (first.exists(), second.read_text()) == (False, "2")


def test_the_ledger_is_built_with_progress_on_first_use(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    settings = Settings(home=tmp_path)
    open_tables(settings=settings, progress=lambda done, total: steps.append((done, total))).close()
    assert steps[-1][0] == steps[-1][1] > 20_000
    open_tables(settings=settings, progress=lambda *_: pytest.fail("built twice")).close()


def test_a_home_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match="set VERACITY_HOME to another folder"):
        open_tables(settings=Settings(home=tmp_path / "file"))


@pytest.mark.parametrize("code", list(FEATURES))
def test_every_feature_opens_on_its_own_data(code: str) -> None:
    tools = open_tables(feature=code)
    for name in tools.catalog.entities:
        result = tools.call_sync("browseTable", {"tableName": name, "limit": 1})
        assert result.table is not None
        assert result.table.row_count == 1
    tools.close()


def test_realestate_has_hints_and_no_ontology_and_runs_on_conventions() -> None:
    feature = get_feature("realestate")
    assert feature.ontology is None
    assert set(feature.hints) == {"de", "en", "zh"}
    tools = open_tables(feature="realestate")
    rent = tools.call_sync(
        "aggregateTable", {"tableName": "RealEstateLease", "aggregate": "SUM", "field": "monthlyRent"}
    )
    balance = tools.call_sync(
        "aggregateTable", {"tableName": "RealEstateLease", "aggregate": "SUM", "field": "outstandingBalance"}
    )
    assert rent.success
    assert balance.error_details is not None
    assert balance.error_details.code == "INVALID_AGGREGATE_TARGET"
    tools.close()


def test_unknown_feature_is_said_with_the_ones_there_are() -> None:
    with pytest.raises(UsageError, match="no feature 'trusty'; there are trustee, realestate, shop"):
        get_feature("trusty")


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ({"mandateId": "m-2"}, "needs featureInstanceId, too"),
        ({"mandateId": "m-2", "tenant": "x"}, "no scope column 'tenant'"),
    ],
)
def test_half_a_scope_is_refused(scope: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        get_feature("trustee").scope(scope)


def test_views_show_only_rows_of_the_scope(ledger: Path) -> None:
    for mandate, instance, theirs in (("m-demo", "fi-demo", False), ("m-other", "fi-other", True)):
        tools = open_tables(ledger, feature="trustee", scope={"mandateId": mandate, "featureInstanceId": instance})
        for view, field in (("TrusteeLedgerLine", "contactName"), ("TrusteeEntryWithContact", "contactName")):
            counted = tools.call_sync(
                "aggregateTable",
                {
                    "tableName": view,
                    "aggregate": "COUNT_DISTINCT",
                    "field": field,
                    "filters": [{"field": field, "op": "LIKE", "value": "Fremd%"}],
                },
            )
            assert counted.table is not None
            assert (next(iter(counted.table.rows[0].values())) != 0) is theirs
        tools.close()


def test_no_row_of_another_mandate_is_reachable_by_any_table(trustee: TableTools) -> None:
    for name in trustee.catalog.entities:
        text = trustee.call_sync("browseTable", {"tableName": name}).model_dump_json()
        assert "Fremd" not in text
        assert "m-other" not in text
        assert "mandateId" not in json.loads(text)["data"]["rows"][0]


def test_an_unknown_scope_value_shows_nothing(ledger: Path) -> None:
    tools = open_tables(
        ledger, feature="trustee", scope={"mandateId": "m-demo' OR '1'='1", "featureInstanceId": "fi-demo"}
    )
    result = tools.call_sync("browseTable", {"tableName": "TrusteeDataContact"})
    assert result.table is not None
    assert result.table.row_count == 0
    tools.close()


def test_feature_and_ontology_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not both"):
        open_tables(feature="trustee", ontology=tmp_path / "x.yaml")


def test_a_feature_without_shipped_data_asks_for_a_source() -> None:
    bare = replace(get_feature("realestate"), shipped=None)
    with pytest.raises(UsageError, match="name a source with --source"):
        shipped_file(bare, Settings())
