"""Who is mentioned in an annotation is told: people of one's own, and organizations that read it.

Each version of an annotation is looked at once, so whatever wakes it tells the same; who was told
of a former version is not told again.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import statement
from apps.incidents.facade.mentions import Mention, mentions_since
from apps.notifications import fan_out
from apps.notifications.models import Delivery, Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.payload import news_body, page
from apps.tenancy.models import Organization

# What is older is no news: a portal that begins to send does not begin with its past.
NEWS_WITHIN: Final = timedelta(hours=24)


def has_mentions(*, organization: Organization, now: datetime) -> bool:
    """Say whether there is a mention that nobody was told of. Needs the scope."""
    return bool(_untold(organization, now))


def tell_mentions(*, organization: Organization, now: datetime) -> list[Notification]:
    """Tell who is mentioned. Needs the scope, and the lock on what is told."""
    made: list[Notification] = []
    for mention in _untold(organization, now):
        former = _former(organization, mention)
        notice = _notice(organization, mention, now)
        is_new_to_all = mention.is_party and not any(each.body["party"] for each in former)
        told = Delivery.objects.for_organization(organization).filter(notice__in=former)
        people = None if is_new_to_all else frozenset(mention.people)
        made += fan_out.hand_on(
            organization=organization,
            notices=[notice],
            people=people,
            without={mention.author_id, *told.values_list("user_id", flat=True)},
            now=now,
        )
    return made


def _untold(organization: Organization, now: datetime) -> Sequence[Mention]:
    found = mentions_since(organization=organization, since=now - NEWS_WITHIN)
    if not found:
        return ()
    subjects = {_subject(each) for each in found}
    rows = Notification.objects.for_organization(organization).filter(
        kind=NotificationKind.MENTIONED, subject__in=subjects
    )
    told = set(rows.values_list("subject", "step"))
    return [each for each in found if (_subject(each), each.version) not in told]


def _former(organization: Organization, mention: Mention) -> list[Notification]:
    rows = Notification.objects.for_organization(organization)
    return list(rows.filter(kind=NotificationKind.MENTIONED, subject=_subject(mention)))


def _subject(mention: Mention) -> str:
    return f"annotation:{mention.author.slug}/{mention.annotation}"


def _notice(organization: Organization, mention: Mention, now: datetime) -> Notification:
    who = statement("organization", name=mention.author.name)
    if mention.author_name:
        who = statement("person", organization=mention.author.name, name=mention.author_name)
    address = page("web:incident", organization.slug, mention.incident)
    told = statement("mentioned", who=who, incident=mention.incident)
    return Notification(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=NotificationKind.MENTIONED,
        subject=_subject(mention),
        step=mention.version,
        cluster_id=mention.cluster_id,
        is_simulated=mention.is_simulated,
        body=news_body(told=told, url=f"{address}#{mention.annotation}")
        | {"party": mention.is_party, "annotation": mention.annotation},
        created_at=now,
    )
