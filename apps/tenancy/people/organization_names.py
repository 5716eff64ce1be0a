"""What organizations are called, of which a page knows the slugs already."""

from collections.abc import Collection, Mapping

from apps.tenancy.models import Organization


def organization_names(*, slugs: Collection[str]) -> Mapping[str, str]:
    """Return names by slug, for slugs that the reader is shown anyway."""
    if not slugs:
        return {}
    return dict(Organization.objects.filter(slug__in=slugs).values_list("slug", "name"))
