"""The desks of a tenant over the server's one database; whoever follows the tenant's events hears what happens at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veracity.requirements.ask_user import ValidationDesk
from veracity.requirements.question_store import QuestionStore
from veracity.retrieval.contracts import RerankSettings
from veracity.retrieval.review import ReviewDesk
from veracity.retrieval.review_store import ReviewStore
from veracity.server.jobs import JobDesk

if TYPE_CHECKING:
    from veracity.server.database import ServerDatabase


def jobs_of(database: ServerDatabase, tenant: str) -> JobDesk:
    """Where a tenant's long work is."""
    return JobDesk(database.durable, tenant, live=database.live)


def reviews_of(database: ServerDatabase, tenant: str) -> ReviewDesk:
    """Where a tenant's reviews are submitted and decided; a worker takes up what was approved."""
    store = ReviewStore(database.durable)
    return ReviewDesk(store, tenant=tenant, settings=RerankSettings.from_env(), tell=database.live.publish)


def validations_of(database: ServerDatabase, tenant: str) -> ValidationDesk:
    """Where a tenant's validations are submitted, and their questions answered; a worker does the work."""
    return ValidationDesk(QuestionStore(database.durable), tenant=tenant, tell=database.live.publish)
