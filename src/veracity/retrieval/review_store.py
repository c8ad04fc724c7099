"""The table of reviews, in a database of `durable/database.py`.

A review and its workflow, or a decision and the message that wakes the workflow up, are written in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veracity.durable.database import LOCAL, Durable
from veracity.settings import Settings

if TYPE_CHECKING:
    import sqlalchemy as sa

QUEUE, WORKFLOW, TOPIC = "veracity-reviews", "veracity_review", "decision"
_COLUMNS = "submitted_at deadline question state who decided_at why chosen outcomes finished_at body".split()  # noqa: SIM905
_REQUIRED = {"submitted_at", "deadline", "question", "state", "body"}


class ReviewStore:
    """The reviews of all tenants; a look-up with a tenant finds nothing of the others."""

    def __init__(self, durable: Durable) -> None:
        self.durable = durable

    @classmethod
    def of(cls, database: str | None, settings: Settings | None = None) -> ReviewStore:
        """The store of `postgresql://...`, of a file, or, without either, of this user's data folder."""
        return cls(Durable.of(database, file="reviews.sqlite", holds="reviews", settings=settings))

    @property
    def shown(self) -> str:
        """The database as it may be shown: without user and password."""
        return self.durable.shown

    def prepare(self) -> None:
        """Make the table where there is none."""
        self.durable.prepare_workflows(self.review)

    def add(self, row: Mapping[str, Any]) -> bool:
        """Keep a review and start its workflow; False where one of this id is there already."""
        self.prepare()
        with self.durable.session() as connection:
            new = self.durable.insert(self.review).values(**row).on_conflict_do_nothing()
            is_new = connection.execute(new.returning(self.review.c.review_id)).first() is not None
            if is_new:
                self.durable.start(connection, WORKFLOW, QUEUE, row["review_id"])
        return is_new

    def find(self, start: str, tenant: str, most: int = 3) -> list[dict[str, Any]]:
        """The reviews of a tenant whose id starts like this."""
        table = self.review.c
        wanted = self.review.select().where(
            table.tenant == tenant, table.review_id >= start, table.review_id < start + "\x7f"
        )
        return self.durable.rows(wanted.order_by(table.review_id).limit(most), self.review)

    def row(self, review_id: str) -> dict[str, Any]:
        """The review of an id, whoever has it: for the worker."""
        wanted = self.review.select().where(self.review.c.review_id == review_id)
        (found,) = self.durable.rows(wanted, self.review)
        return found

    def latest(self, count: int, tenant: str, state: str | None = None) -> list[dict[str, Any]]:
        """The newest reviews of a tenant, the newest first."""
        table = self.review.c
        wanted = self.review.select().where(table.tenant == tenant).order_by(table.review_id.desc()).limit(count)
        return self.durable.rows(wanted if state is None else wanted.where(table.state == state), self.review)

    def due(self, now: str) -> int:
        """How many reviews are decided, or past their deadline, and not done yet."""
        import sqlalchemy as sa

        table = self.review.c
        over = sa.or_(table.state != "waiting", table.deadline <= now)
        wanted = sa.select(sa.func.count().label("due")).where(table.finished_at.is_(None), over)
        return int(self.durable.rows(wanted, self.review)[0]["due"])

    def decide(self, review_id: str, values: Mapping[str, Any], *, before: str | None = None) -> bool:
        """Write a decision unless there is one, or the deadline has passed; whoever comes first has decided.

        `before` is the moment that must lie before the deadline. Only such a decision wakes the workflow up: the clock's
        own comes from the workflow.
        """
        change = self.review.update().where(self.review.c.review_id == review_id, self.review.c.state == "waiting")
        if before is not None:
            change = change.where(self.review.c.deadline > before)
        with self.durable.session() as connection:
            changed = connection.execute(change.values(**values)).rowcount == 1
            if changed and before is not None:
                self.durable.wake(connection, review_id, values["state"], TOPIC)
        return changed

    def note(self, review_id: str, values: Mapping[str, Any]) -> None:
        """Write what became of a review."""
        with self.durable.session() as connection:
            connection.execute(self.review.update().where(self.review.c.review_id == review_id).values(**values))

    @cached_property
    def review(self) -> sa.Table:
        """The table of reviews."""
        import sqlalchemy as sa

        columns = [sa.Column(name, sa.Text, nullable=name not in _REQUIRED) for name in _COLUMNS]
        tenant = sa.Column("tenant", sa.Text, nullable=False, server_default=LOCAL)
        return self.durable.table(
            "veracity_review", sa.Column("review_id", sa.Text, primary_key=True), tenant, *columns
        )
