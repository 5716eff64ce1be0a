"""Notices → a letter, plain and HTML: the header alone, in words."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from email.headerregistry import Address
from email.utils import format_datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from apps.notifications.email.news_items import NewsItem, news_item, plain
from apps.notifications.models import Delivery, Notification
from apps.notifications.payload import page
from apps.tenancy.models import User

SUBJECT_LENGTH = 180


def letter_of(
    *, deliveries: Sequence[Delivery], user: User, zone: ZoneInfo, now: datetime
) -> EmailMultiAlternatives:
    """Return one letter about everything in a parcel; several pieces of news make a digest."""
    with override(user.language or settings.LANGUAGE_CODE):
        return _written(deliveries, user=user, zone=zone, now=now)


def _written(
    deliveries: Sequence[Delivery], *, user: User, zone: ZoneInfo, now: datetime
) -> EmailMultiAlternatives:
    items = [news_item(each.notice, zone) for each in _latest(deliveries)]
    first = deliveries[0]
    values = {
        "items": items,
        "organization": first.organization.name,
        "settings_url": page("web:notifications", first.organization.slug),
        "is_simulated": _is_all_simulated(items),
    }
    letter = envelope(
        subject=_subject(items, first.organization.name),
        to=Address(display_name=plain(user.get_full_name()), addr_spec=user.email),
        name=_name(deliveries),
        now=now,
    )
    letter.extra_headers["List-Unsubscribe"] = f"<{values['settings_url']}>"
    if len(items) == 1:
        # Mail readers show all news of one incident as one conversation.
        letter.extra_headers["References"] = f"<{_thread(first.notice)}@{_host()}>"
    letter.body = render_to_string("notifications/incident_email.txt", values)
    letter.attach_alternative(
        render_to_string("notifications/incident_email.html", values), "text/html"
    )
    return letter


def envelope(*, subject: str, to: Address, name: str, now: datetime) -> EmailMultiAlternatives:
    """Return a letter of the portal without its words; `name` is what its Message-ID begins with.

    Raises ValueError for an address that is none.
    """
    return EmailMultiAlternatives(
        subject=plain(subject)[:SUBJECT_LENGTH],
        from_email=settings.PORTAL_MAIL_FROM,
        to=[str(to)],
        headers={
            "Date": format_datetime(now),
            "Message-ID": f"<{name}@{_host()}>",
            "Auto-Submitted": "auto-generated",
        },
    )


def _latest(deliveries: Sequence[Delivery]) -> list[Delivery]:
    """Return one delivery for each thing the news is about: what came last holds."""
    latest = {each.notice.subject: each for each in deliveries}
    return sorted(latest.values(), key=lambda each: (each.created_at, each.pk))


def _subject(items: Sequence[NewsItem], organization: str) -> str:
    if len(items) == 1:
        text = f"{items[0].headline}: {items[0].title}"
    else:
        count = len(items)
        text = ngettext("%(n)d piece of news", "%(n)d pieces of news", count) % {"n": count}
        text = f"{text}, {organization}"
    mark = _("[Simulated] ") if _is_all_simulated(items) else ""
    return f"{mark}{text}"


def _is_all_simulated(items: Sequence[NewsItem]) -> bool:
    return all(item.is_simulated for item in items)


def _name(deliveries: Sequence[Delivery]) -> str:
    first = deliveries[0]
    return first.parcel or hashlib.sha256(first.public_id.encode()).hexdigest()[:20]


def _thread(notice: Notification) -> str:
    told = notice.body.get("incident")
    name = told["id"] if told else notice.subject.replace(":", ".").replace("/", ".")
    return f"{name}.{notice.organization_id}"


def _host() -> str:
    return urlsplit(settings.PORTAL_BASE_URL).hostname or "localhost"
