"""What the audit trail holds of people's acts."""

from apps.tenancy.models import AuditEntry, Organization
from apps.tenancy.scope import organization_scope


def deeds_of(organization: Organization) -> list[str]:
    """Return what is on the organization's record."""
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization).order_by("sequence")
        return list(own.values_list("action", flat=True))
