"""A part in a cluster waits for an answer: the admins of who is asked are written to."""

import secrets
from datetime import datetime, timedelta

from django.conf import settings

from apps.fleet.models import PartProposal, ProposalKind
from apps.notifications import fan_out
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import Channel, NotificationKind
from apps.notifications.payload import page
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

# Whoever offers again and again fills nobody's mailbox: the page has what came meanwhile.
PAUSE = timedelta(hours=1)


def tell(*, proposal: PartProposal, now: datetime) -> None:
    """Write to every admin of the recipient who can be written to. Opens its scope."""
    if proposal.recipient is None:
        return
    with organization_scope(proposal.recipient.pk):
        fan_out.hold(organization_id=proposal.recipient.pk)
        _tell(proposal, proposal.recipient, now=now)


def _tell(proposal: PartProposal, organization: Organization, *, now: datetime) -> None:
    subject = f"offer:{proposal.organization.slug}/{proposal.cluster.slug}"
    told = Notification.objects.for_organization(organization).filter(
        kind=NotificationKind.OFFERED, subject=subject
    )
    people = fan_out.admins_of(organization=organization) if settings.PORTAL_SMTP else []
    if not people or told.filter(created_at__gt=now - PAUSE).exists():
        return
    notice = Notification.objects.create(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=NotificationKind.OFFERED,
        subject=subject,
        step=int(now.timestamp()),
        is_simulated=proposal.cluster.is_simulated,
        body={
            "title": "A part in a cluster waits for an answer",
            "offer": {
                "name": proposal.organization.name,
                "cluster": proposal.cluster.name,
                "is_offer": proposal.kind == ProposalKind.OFFER,
            },
            "url": page("web:clusters", organization.slug),
        },
        created_at=now,
    )
    fan_out.send_soon(
        organization=organization,
        deliveries=[
            fan_out.delivery(notice=notice, channel=Channel.EMAIL, due=now, now=now, user=person)
            for person in people
        ],
    )
