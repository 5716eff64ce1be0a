"""Invitations followed without their link: the organization's provider names their address."""

from datetime import datetime

from apps.tenancy.models import Invitation, Organization
from apps.tenancy.people.invitations import is_good


def claim_for_address(
    *, organization: Organization, email: str, now: datetime
) -> Invitation | None:
    """Use up the newest invitation of a vouched address and return it. Needs the scope.

    Links that set somebody's password are none: they are that person's.
    """
    own = Invitation.objects.for_organization(organization).filter(is_good(now), user=None)
    meant = own.filter(email__iexact=email) if email else own.none()
    found = meant.order_by("-created_at", "-id").first()
    # Of two who come at once one finds it gone: its holder, or who signs in.
    if found is None or not own.filter(pk=found.pk).update(used_at=now):
        return None
    return found
