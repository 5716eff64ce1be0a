"""States as a scheduler reports them of one session, from queue to end."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.tenancy.models import Organization
from tests.cast.pushes import Cast, push_json

START = datetime(2026, 11, 21, 1, tzinfo=UTC)


def event(word: str, minutes: int, **more: Any) -> dict[str, Any]:
    """Return an event of a scheduler."""
    at = (START + timedelta(minutes=minutes)).isoformat()
    return {
        "scheduler": "backend.ai",
        "session": "solar-218",
        "project": "solar",
        "scheduler_state": word,
        "at": at,
        **more,
    }


STORY = (
    event("PENDING", 0, result="NEED_RETRY"),
    event("PENDING", 1, result="SUCCESS"),
    event("PULLING", 2),
    event("RUNNING", 3),
    event("HIBERNATING", 9),
    event("TERMINATED", 12, reason="user-requested"),
)


def tell(people: Cast, events: Sequence[dict[str, Any]], *, by: Organization | None = None) -> None:
    """Let a party, the platform where none is named, tell of events."""
    answer = push_json(
        "/api/v1/session-events", people.token(by or people.platform), {"events": list(events)}
    )
    assert answer.status_code == 200, answer.content
    assert answer.json()["rejected"] == []
