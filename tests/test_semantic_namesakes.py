"""Where several rows have the same name, an answer that picks one of them says which."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from veracity.ask.data_agent import DataAgent
from veracity.open import open_agent

TABLES = """
    CREATE TABLE course (id INTEGER PRIMARY KEY, title TEXT);
    INSERT INTO course VALUES (1, 'Yoga'), (2, 'Yoga'), (3, 'Boxing'), (4, 'Judo');
    CREATE TABLE booking (id INTEGER PRIMARY KEY, course_id INTEGER REFERENCES course (id), booked_on DATE);
    INSERT INTO booking VALUES
        (1, 2, '2024-01-05'), (2, 2, '2024-02-05'), (3, 2, '2023-02-05'), (4, 3, '2024-02-06'), (5, 3, '2023-02-06'), (6, 1, '2024-03-01');
"""


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    path = tmp_path_factory.mktemp("gym") / "gym.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(TABLES)
    opened = open_agent(str(path))
    yield opened
    opened.close()


def test_the_winner_of_two_of_the_same_name_is_told_by_its_key(agent: DataAgent) -> None:
    text = agent.ask_sync("Which course has the most bookings?").text
    assert text == "The course with the highest number of bookings: Yoga, id 2 (3)."


def test_a_name_that_is_the_only_one_needs_no_key(agent: DataAgent) -> None:
    text = agent.ask_sync("Which course has the fewest bookings?").text
    assert text == "The course with the lowest number of bookings: Judo (0)."


def test_in_a_list_only_the_names_that_repeat_have_keys(agent: DataAgent) -> None:
    text = agent.ask_sync("top 2 courses by number of bookings").text
    assert text.splitlines()[1:] == ["- Yoga, id 2: 3", "- Boxing: 2"]
