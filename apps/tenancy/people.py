"""People and the organizations they belong to."""

from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import Organization, User


def organizations_of(*, user: User) -> list[Organization]:
    """Return the organizations a person belongs to, by name."""
    ids = memberships_of(user_id=user.pk)
    return list(Organization.objects.filter(id__in=ids).order_by("name", "id"))
