"""That something changed, said to the open pages of those who read it, in its own transaction.

A row without content: who reads it looks again, through the door.
"""

from collections.abc import Iterable

from apps.tenancy.changes import subscribers
from apps.tenancy.models import PageChange, Topic
from apps.tenancy.scope import organization_scope


def announce(*, topic: Topic, subject: int | None, readers: Iterable[int]) -> None:
    """Let open pages of these organizations look again once the change is durable.

    `subject` is the number of the row, None where it may be any of that kind. Opens the scopes.
    """
    reached = sorted({*readers})
    if not reached:
        return
    rows = [PageChange(organization_id=each, topic=topic, subject=subject) for each in reached]
    with organization_scope(*reached):
        PageChange.objects.bulk_create(rows)
        subscribers.on_commit()


def announce_sharing(organization_ids: Iterable[int]) -> None:
    """Let all open pages of these organizations look again: what they may read changed."""
    announce(topic=Topic.SHARING, subject=None, readers=organization_ids)
