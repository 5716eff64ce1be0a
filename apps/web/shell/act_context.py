"""Who acts on a page, when and from where."""

from django.utils import timezone

from apps.fleet.parties.cross_party_acts import ActContext
from apps.tenancy.audit.audit_log import remote_address_of
from apps.tenancy.middleware import OrganizationRequest


def act_context(request: OrganizationRequest) -> ActContext:
    """Return what the records of all whom an act concerns hold of its circumstances."""
    now = timezone.now()  # noqa: TID251  a door
    return ActContext(
        actor=request.actor, now=now, remote_address=remote_address_of(request=request)
    )
