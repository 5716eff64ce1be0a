"""What one organization is told of an incident: the kinds of news since it was told last."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.states import IncidentStatus
from apps.notifications.models import IncidentCursor, Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.payload import Summary, body_of, kept, restored, summary_of

# What is older is no news: an organization that begins to use notices is not told its past.
NEWS_WITHIN = timedelta(hours=24)


def notices_of(*, row: IncidentCursor, header: IncidentHeader, now: datetime) -> list[Notification]:
    """Return what is to be told of one incident, and move its watermark on."""
    summary, former = summary_of(header=header), restored(row.told) if row.told else None
    if former is None and not _concerns(header, summary):
        return []
    is_old = header.incident.detected_at < now - NEWS_WITHIN
    if former is None and is_old and not summary.turns:
        return []
    kinds = _kinds(summary, former)
    if not kinds:
        return []
    row.step += 1
    row.told = kept(summary)
    incident = header.incident
    body: dict[str, Any] = {"incident": body_of(header=header, summary=summary)}
    if former is None and row.repeats:
        body["stops"] = row.repeats
    if former:
        body["former"] = _former(former)
    return [
        Notification(
            organization_id=row.organization_id,
            public_id=f"NTC-{secrets.token_hex(6).upper()}",
            kind=kind,
            subject=f"incident:{incident.id}",
            step=row.step,
            incident_id=incident.id,
            cluster_id=incident.cluster_id,
            is_simulated=incident.is_simulated,
            body=body,
            created_at=now,
        )
        for kind in kinds
    ]


def _concerns(header: IncidentHeader, summary: Summary) -> bool:
    """Say whether an incident is news to its reader: to a vendor once its layer is blamed or it has
    something to do. How often others' sessions stop of what else is none of its business.
    """
    return header.rights.sees_session or bool(summary.is_ours or summary.turns)


def _kinds(summary: Summary, former: Summary | None) -> list[NotificationKind]:
    """Return what kind of news this is: none, or one or two."""
    if summary.status == IncidentStatus.MERGED:
        return []
    if former is None:
        # One that ended before it was told is no news.
        kinds = [NotificationKind.OPENED] if summary.status == IncidentStatus.OPEN else []
    else:
        kinds = [NotificationKind.CHANGED] if _is_news(summary, former) else []
    is_followed = former is not None or bool(kinds)
    is_newly_ours = summary.is_ours and (former is None or former.is_ours != summary.is_ours)
    if is_followed and is_newly_ours:
        kinds.append(NotificationKind.ASSIGNED)
    has_turn = set(summary.turns) - set(former.turns if former else ())
    return [*kinds, NotificationKind.REQUESTED] if is_followed and has_turn else kinds


def _is_news(summary: Summary, former: Summary) -> bool:
    # That people resolved or opened it again is on its timeline; a withdrawal nobody would see.
    ended = IncidentStatus.WITHDRAWN
    is_ended = (summary.status == ended) != (former.status == ended)
    told = (summary.verdict_status, summary.layer, summary.cause, summary.blamed)
    before = (former.verdict_status, former.layer, former.cause, former.blamed)
    # Who acts by a hand-over is no news of the verdict: the two sides are told so by themselves.
    is_handed = bool(summary.handed_to or former.handed_to)
    has_other_asked = summary.acts != former.acts and not is_handed
    has_rival = former.rival is not None and summary.rival != former.rival
    return is_ended or has_rival or has_other_asked or told != before


def _former(former: Summary) -> dict[str, Any]:
    return {
        "status": former.status,
        "verdict_status": former.verdict_status,
        "layer": former.layer,
        "cause": former.cause,
        "blamed": former.blamed,
        "rival": former.rival or None,
    }
