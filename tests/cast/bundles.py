"""Evidence bundles that organizations of a cast make and send."""

import io
from datetime import datetime
from typing import Any

from django.utils import timezone

from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.facade.bundles import make_bundle
from apps.incidents.models import Incident
from apps.sharing.bundles.bundle_contents import BundleChoice
from apps.sharing.bundles.bundle_file import BundleFile, read_bundle
from apps.sharing.facade import bundles
from apps.sharing.models import BundleContent
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import actor


def told_by(
    organization: Organization,
    role: MemberRole = MemberRole.ADMIN,
    *,
    now: datetime | None = None,
) -> ActContext:
    """Return a member who acts now: pages look at the clock, too."""
    at = now or timezone.now()  # noqa: TID251  what is sent lasts for days
    return ActContext(actor=actor(organization, role), now=at)


def made(by: Organization, *to: Organization, now: datetime | None = None, **choice: Any) -> str:
    """Let an organization make a bundle of the only incident; return its id."""
    told = told_by(by, now=now)
    wish = BundleChoice(recipients=tuple(each.slug for each in to), **choice)
    with organization_scope(by.pk):
        incident = Incident.objects.get().public_id
        return make_bundle(actor=told.actor, incident=incident, choice=wish, context=told)


def sent(by: Organization, *to: Organization, now: datetime | None = None, **choice: Any) -> str:
    """The same, and send it."""
    public_id = made(by, *to, now=now, **choice)
    told = told_by(by, now=now)
    with organization_scope(by.pk):
        bundles.send(actor=told.actor, public_id=public_id, context=told)
    return public_id


def taken(reader: Organization, public_id: str, *, now: datetime | None = None) -> bytes:
    """Let an admin of an organization download a bundle."""
    told = told_by(reader, now=now)
    with organization_scope(reader.pk):
        return bundles.download(actor=told.actor, public_id=public_id, context=told)


def kept_file(holder: Organization, public_id: str) -> BundleFile:
    """Return what a bundle holds, whether it was sent or not."""
    with organization_scope(holder.pk):
        body = BundleContent.objects.get(bundle__public_id=public_id).body
    return read_bundle(io.BytesIO(bytes(body)))
