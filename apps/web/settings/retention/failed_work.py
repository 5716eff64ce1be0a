"""What the portal could not do for an organization, in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_noop

from apps.tenancy.models import FailedWork
from apps.web import words
from apps.web.display.instants import Instant, instant

NAMES = {
    "diagnosis": gettext_noop("Diagnosis of an attempt"),
    "window": gettext_noop("Looking at what came in"),
    "capture": gettext_noop("Keeping the metrics around an incident"),
    "source": gettext_noop("Reading a source of metrics"),
    "warnings": gettext_noop("Warnings from a source of metrics"),
    "forwarding": gettext_noop("Forwarding of pushed metrics"),
    "pushed-body": gettext_noop("Reading a body of pushed metrics"),
    "window-of-metrics": gettext_noop("Room for pushed metrics"),
    "notice": gettext_noop("Message about an incident"),
    "news": gettext_noop("Messages"),
    "silence": gettext_noop("Notice of silent senders"),
    "old-news": gettext_noop("Deletion of old messages"),
    "measure": gettext_noop("Measuring of a session"),
    "checkpoints": gettext_noop("Saves and loads of a session"),
    "reports": gettext_noop("Reports on a schedule"),
    "retention": gettext_noop("Deletion of what is past its time"),
    "usage": gettext_noop("Measuring of what is kept"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRow:
    """A unit of work that was set aside."""

    name: str
    subject: str
    error: str
    attempt_count: int
    at: Instant


def failed_rows(
    *, rows: Iterable[FailedWork], zone: ZoneInfo | None, now: datetime
) -> list[FailedRow]:
    """Return them as a page shows them."""
    return [
        FailedRow(
            name=words.said(NAMES, row.kind, row.kind),
            subject=row.subject,
            error=row.error,
            attempt_count=row.attempt_count,
            at=instant(row.tried_at, zone=zone, now=now),
        )
        for row in rows
    ]
