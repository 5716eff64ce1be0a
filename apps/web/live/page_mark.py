"""What an open page of an incident has seen: asked with that, it is told of nothing it shows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.utils.crypto import salted_hmac

from apps.incidents.facade.live import newest_moment
from apps.incidents.projection.header_values import IncidentHeader
from apps.sharing.facade.bundles import BundleView, list_bundles
from apps.tenancy.access import Actor

MARK_LENGTH: Final = 16


def seen_mark(
    *, actor: Actor, header: IncidentHeader, shown: Sequence[str], captures: str, now: datetime
) -> str:
    """Return what a page that shows everything there is has seen; the header was read just now."""
    incident = header.incident
    return mark_of(
        header=header,
        shown=shown,
        bundles=list_bundles(actor=actor, now=now, incident=incident.public_id),
        captures=captures,
        now=now,
    )


def mark_of(
    *,
    header: IncidentHeader,
    shown: Sequence[str],
    bundles: Sequence[BundleView],
    captures: str,
    now: datetime,
) -> str:
    """Return what changes when anything does that the reader sees of an incident, but its notes.

    What people do is a moment of the timeline, but for what only time brings and for evidence
    bundles. Under the portal's key: how much others wrote can't be guessed from it.
    """
    incident, work = header.incident, header.coordination
    parts = (
        *(incident.public_id, incident.status, incident.revision, incident.settled_at),
        *(work.step_count, work.verdict.state(now=now), captures, tuple(shown)),
        work.due_at is not None and work.due_at <= now,
        newest_moment(incident=incident),
        [(each.public_id, str(each.state)) for each in bundles],
    )
    return salted_hmac("incident-page", repr(parts), algorithm="sha256").hexdigest()[:MARK_LENGTH]
