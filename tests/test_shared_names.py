"""Two people of one name: a figure that is narrowed to a name says how many rows have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from veracity import open_agent

DRIVERS = "driver_id,full_name\n1,Anna Meier\n2,Luca Rossi\n3,Anna Meier\n4,Eva Klein\n"
TRIPS = "trip_id,driver_id,km\n" + "".join(f"{n},{1 + n % 4},{10 * n}\n" for n in range(1, 21))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("drivers")
    (made / "driver.csv").write_text(DRIVERS)
    (made / "trip.csv").write_text(TRIPS)
    return made


def test_a_name_of_two_people_is_told_with_the_figure(folder: Path) -> None:
    agent = open_agent(folder, keep_traces=False)
    try:
        both = agent.ask_sync("How many trips did Anna Meier drive?").text
        one = agent.ask_sync("How many trips did Luca Rossi drive?").text
    finally:
        agent.close()
    assert both.endswith(": 10. 2 drivers are called Anna Meier; all of them are meant here.")
    assert one.endswith(": 5.")
