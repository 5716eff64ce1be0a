"""Organizations by the name that an operator types: for commands, never for requests."""

from apps.diagnosis.spelling import meant, shown
from apps.tenancy.models import Organization


class UnknownOrganization(ValueError):
    """No organization has this name; the text names the one that was probably meant."""


def organization_named(*, slug: str) -> Organization:
    """Return one organization; raise UnknownOrganization."""
    found = Organization.objects.filter(slug=slug).first()
    if found is None:
        known = Organization.objects.values_list("slug", flat=True)
        hint = meant(word=slug, known=known)
        raise UnknownOrganization(f"there is no organization `{shown(word=slug)}`{hint}")
    return found


def organizations_named(*, slug: str | None) -> list[Organization]:
    """Return the organization of a name, all in order without one; raise UnknownOrganization."""
    return [organization_named(slug=slug)] if slug else list(Organization.objects.order_by("slug"))
