"""A job that is started again and again without getting anywhere: told once, to its tenant.

Steps and saves tell whether it got anywhere, so whoever measures sessions finds the loops.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import statement
from apps.notifications import fan_out
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.payload import moment, news_body, page
from apps.tenancy.models import Organization

# What is older is no news: a portal that begins to send does not begin with its past.
NEWS_WITHIN: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashLoopNews:
    """A loop as it is told; `attempt` is the one whose end made it a loop."""

    session: str  # public id
    name: str
    attempt: int
    retries: int
    gpu_hours: float
    ended_at: datetime
    cluster_id: int | None
    is_simulated: bool


def tell_crash_loop(
    *, organization: Organization, news: CrashLoopNews, now: datetime
) -> list[Notification]:
    """Tell of a loop, unless that was done or it is old. Needs the organization's scope."""
    if news.ended_at < now - NEWS_WITHIN:
        return []
    fan_out.hold(organization_id=organization.pk)
    subject = f"crash-loop:{news.session}#{news.attempt}"
    told = Notification.objects.for_organization(organization)
    if told.filter(kind=NotificationKind.CRASH_LOOP, subject=subject).exists():
        return []
    notice = _notice(organization, news, subject, now)
    return fan_out.hand_on(organization=organization, notices=[notice], now=now)


def _notice(
    organization: Organization, news: CrashLoopNews, subject: str, now: datetime
) -> Notification:
    told = statement("crash-loop", session=news.name, count=news.retries)
    return Notification(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=NotificationKind.CRASH_LOOP,
        subject=subject,
        step=1,
        cluster_id=news.cluster_id,
        is_simulated=news.is_simulated,
        body=news_body(told=told, url=page("web:session", organization.slug, news.session))
        | {
            "loop": {
                "session": news.session,
                "attempt": news.attempt,
                "retries": news.retries,
                "gpu_hours": round(news.gpu_hours, 1),
                "ended_at": moment(news.ended_at),
            }
        },
        created_at=now,
    )
