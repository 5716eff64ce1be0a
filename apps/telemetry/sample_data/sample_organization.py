"""A made-up organization for one person: it runs a made-up cluster, in which one session stopped.

Nothing of it meets real data: it is an organization of its own behind row-level security, marked
as simulated, and who looks at it there may only read, so that nothing real is ever sent to it.
"""

import io
import re
import secrets
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.utils.translation import gettext as _

from apps.fleet.models import Cluster, Participation, ParticipationRole
from apps.telemetry.formats.file_sets import ChosenFile, read_files
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.logs.accept import UPLOAD, accept
from apps.telemetry.sample_data.story import sample_tar
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import AuditEntry, MemberRole, Membership, Organization, User
from apps.tenancy.people.memberships import organizations_of
from apps.tenancy.scope import organization_scope

PREFIX: Final = "sample-"
SLUG: Final = re.compile(PREFIX + r"[0-9a-f]{12}")  # as it is made below: nobody's own name
LAYERS: Final = ["gpu", "network", "storage", "host", "straggler"]
SESSION: Final = "sample-run"
MADE: Final = "sample.made"  # the act, in the record
MOST_A_DAY: Final = 5


class SampleThere(Exception):
    """The person has a sample already."""


class TooManySamples(Exception):
    """As many as may be were made in an organization within a day: what is removed stays stored."""


def sample_of(*, user: User | None) -> Organization | None:
    """Return the sample organization that a person looks at; None: there is none."""
    own = organizations_of(user=user) if user is not None else []
    return next((each for each in own if is_sample(each)), None)


def is_sample(organization: Organization) -> bool:
    """Say whether an organization was made up to look around."""
    return organization.is_simulated and SLUG.fullmatch(organization.slug) is not None


def begin_sample(*, actor: Actor, now: datetime) -> tuple[Organization, str]:
    """Make a sample for the actor's person; return it and the id of its batch of logs.

    Its logs are durable with the transaction, and read by a worker. Raises NotFound, SampleThere,
    TooManySamples.
    """
    actor.require(Right.ACT)
    if actor.user is None:
        raise NotFound(owner_id=actor.organization.pk)
    # Of two clicks one waits for the other.
    user = User.objects.select_for_update().get(pk=actor.user.pk)
    if sample_of(user=user) is not None:
        raise SampleThere
    record = AuditEntry.objects.for_organization(actor.organization)
    if record.filter(action=MADE, at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise TooManySamples
    slug = f"{PREFIX}{secrets.token_hex(6)}"
    made = Organization.objects.create(
        slug=slug, name=_("Sample data"), is_simulated=True, created_at=now
    )
    cluster = Cluster.objects.create(
        slug=slug, name=_("Sample cluster"), is_simulated=True, created_at=now
    )
    with organization_scope(made.pk):
        Membership.objects.create(organization=made, user=user, role=MemberRole.VIEWER)
        for part in (ParticipationRole.OPERATOR, ParticipationRole.TENANT):
            Participation.objects.create(
                organization=made, cluster=cluster, part=part, layers=LAYERS, hosts_agreed_at=now
            )
        return made, _send(made, cluster, now=now)


def remove_sample(*, user: User | None) -> bool:
    """Take a person's sample away; say whether there was one.

    Nobody belongs to it and it takes part in nothing from then on, so nobody reads any of it.
    """
    found = sample_of(user=user)
    if found is None:
        return False
    with organization_scope(found.pk):
        Participation.objects.for_organization(found).delete()
        Membership.objects.for_organization(found).delete()
    return True


def _send(organization: Organization, cluster: Cluster, *, now: datetime) -> str:
    complaints = Complaints()
    tar = ChosenFile(
        name="sample.tar",
        body=io.BytesIO(sample_tar(ended_at=now)),
        most_bytes=settings.PORTAL_MAX_BODY_BYTES,
        most_decoded=settings.PORTAL_MAX_DECODED_BYTES,
    )
    receipt = accept(
        organization_id=organization.pk,
        cluster_id=cluster.pk,
        protocol=UPLOAD,
        pieces=read_files(
            files=[tar], said={"session": SESSION, "tz": "UTC"}, complaints=complaints
        ),
        complaints=complaints,
        now=now,
    )
    if receipt is None:
        raise ValueError("of the sample no line was taken")
    return receipt.batch
