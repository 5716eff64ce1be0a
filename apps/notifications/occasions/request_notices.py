"""Requests for evidence that wait for an organization, and answers to its own, each told once."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import statement
from apps.incidents.facade.request_news import RequestNews, request_news
from apps.notifications import fan_out
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.payload import news_body, page
from apps.tenancy.models import Organization

# What is older is no news: a portal that begins to send does not begin with its past.
NEWS_WITHIN: Final = timedelta(hours=24)
KINDS: Final = (NotificationKind.EVIDENCE_REQUESTED, NotificationKind.EVIDENCE_ANSWERED)


def has_requests(*, organization: Organization, now: datetime) -> bool:
    """Say whether there is one that nobody was told of. Needs the scope."""
    return bool(_untold(organization, now))


def tell_requests(*, organization: Organization, now: datetime) -> list[Notification]:
    """Tell of them. Needs the scope, and the lock on what is told."""
    made: list[Notification] = []
    for news in _untold(organization, now):
        notice = _notice(organization, news, now)
        made += fan_out.hand_on(organization=organization, notices=[notice], now=now)
    return made


def _untold(organization: Organization, now: datetime) -> Sequence[RequestNews]:
    found = request_news(organization=organization, since=now - NEWS_WITHIN, now=now)
    if not found:
        return ()
    rows = Notification.objects.for_organization(organization).filter(
        kind__in=KINDS, subject__in={_subject(each) for each in found}
    )
    told = set(rows.values_list("kind", "subject"))
    return [each for each in found if (_kind(each), _subject(each)) not in told]


def _kind(news: RequestNews) -> NotificationKind:
    is_answer = news.view.is_asker
    return NotificationKind.EVIDENCE_ANSWERED if is_answer else NotificationKind.EVIDENCE_REQUESTED


def _subject(news: RequestNews) -> str:
    return f"request:{news.view.public_id}"


def _notice(organization: Organization, news: RequestNews, now: datetime) -> Notification:
    view, kind = news.view, _kind(news)
    told = (
        statement("evidence-answered", name=view.other.name, incident=view.incident)
        if view.is_asker
        else statement("evidence-requested", name=view.other.name, incident=view.incident)
    )
    address = page("web:incident", organization.slug, view.incident)
    return Notification(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=kind,
        subject=_subject(news),
        step=1,
        cluster_id=news.cluster_id,
        is_simulated=news.is_simulated,
        body=news_body(told=told, url=f"{address}#{view.public_id}")
        | {
            "request": {
                "id": view.public_id,
                "incident": view.incident,
                "organization": view.other.slug,
                "data": view.data,
                "state": str(view.state),
            }
        },
        created_at=now,
    )
