"""Evidence bundles that were sent to an organization. Each is told once, whatever wakes it."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.notifications import fan_out
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.payload import moment, news_body, page
from apps.sharing.facade.bundle_news import BundleNews, bundle_news, sent_said
from apps.tenancy.models import Organization

# What is older is no news: a portal that begins to send does not begin with its past.
NEWS_WITHIN: Final = timedelta(hours=24)


def has_bundles(*, organization: Organization, now: datetime) -> bool:
    """Say whether there is a bundle that nobody was told of. Needs the scope."""
    return bool(_untold(organization, now))


def tell_bundles(*, organization: Organization, now: datetime) -> list[Notification]:
    """Tell of them. Needs the scope, and the lock on what is told."""
    made: list[Notification] = []
    for news in _untold(organization, now):
        notice = _notice(organization, news, now)
        made += fan_out.hand_on(organization=organization, notices=[notice], now=now)
    return made


def _untold(organization: Organization, now: datetime) -> Sequence[BundleNews]:
    found = bundle_news(organization=organization, since=now - NEWS_WITHIN, now=now)
    if not found:
        return ()
    rows = Notification.objects.for_organization(organization).filter(
        kind=NotificationKind.BUNDLE, subject__in={_subject(each) for each in found}
    )
    told = set(rows.values_list("subject", flat=True))
    return [each for each in found if _subject(each) not in told]


def _subject(news: BundleNews) -> str:
    return f"bundle:{news.public_id}"


def _notice(organization: Organization, news: BundleNews, now: datetime) -> Notification:
    told = sent_said(holder=news.holder, incident=news.incident)
    return Notification(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=NotificationKind.BUNDLE,
        subject=_subject(news),
        step=1,
        cluster_id=news.cluster.id,
        is_simulated=news.is_simulated,
        body=news_body(told=told, url=page("web:bundle", organization.slug, news.public_id))
        | {
            "bundle": {
                "id": news.public_id,
                "incident": news.incident,
                "organization": news.holder.slug,
                "cluster": news.cluster.slug,
                "expires_at": moment(news.expires_at),
            }
        },
        created_at=now,
    )
