"""Agreements that wait for an organization's answer, and those that end within a week.

Each version is told once of each, so whatever wakes it tells the same.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.notifications import fan_out
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.payload import moment, news_body, page
from apps.sharing.facade.agreement_news import (
    AgreementNews,
    agreement_news,
    ending_said,
    waiting_said,
)
from apps.tenancy.models import Organization

# What is older is no news: a portal that begins to send does not begin with its past.
NEWS_WITHIN: Final = timedelta(hours=24)


def has_agreements(*, organization: Organization, now: datetime) -> bool:
    """Say whether there is an agreement that nobody was told of. Needs the scope."""
    return bool(_untold(organization, now))


def tell_agreements(*, organization: Organization, now: datetime) -> list[Notification]:
    """Tell of them. Needs the scope, and the lock on what is told."""
    made: list[Notification] = []
    for news in _untold(organization, now):
        notice = _notice(organization, news, now)
        made += fan_out.hand_on(organization=organization, notices=[notice], now=now)
    return made


def _untold(organization: Organization, now: datetime) -> Sequence[AgreementNews]:
    found = agreement_news(organization=organization, since=now - NEWS_WITHIN, now=now)
    if not found:
        return ()
    rows = Notification.objects.for_organization(organization).filter(
        kind__in=(NotificationKind.PROPOSED, NotificationKind.ENDING),
        subject__in={_subject(each) for each in found},
    )
    told = set(rows.values_list("kind", "subject", "step"))
    return [each for each in found if (_kind(each), _subject(each), each.number) not in told]


def _kind(news: AgreementNews) -> NotificationKind:
    return NotificationKind.ENDING if news.ends_at else NotificationKind.PROPOSED


def _subject(news: AgreementNews) -> str:
    return f"agreement:{news.public_id}"


def _notice(organization: Organization, news: AgreementNews, now: datetime) -> Notification:
    if news.ends_at is None:
        told = waiting_said(other=news.other, cluster=news.cluster)
    else:
        told = ending_said(other=news.other, cluster=news.cluster, ends_at=news.ends_at)
    return Notification(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=_kind(news),
        subject=_subject(news),
        step=news.number,
        cluster_id=news.cluster.id,
        is_simulated=news.is_simulated,
        body=news_body(told=told, url=page("web:agreement", organization.slug, news.public_id))
        | {
            "agreement": {
                "id": news.public_id,
                "version": news.number,
                "organization": news.other.slug,
                "cluster": news.cluster.slug,
                "ends_at": moment(news.ends_at),
            }
        },
        created_at=now,
    )
