"""Why what is sent is refused now, in words for who has no shell on the portal's machine."""

from django.utils.translation import gettext as _

from apps.telemetry.limits.storage_limits import OverQuota, StorageFull, require_disk, require_quota
from apps.tenancy.access import Actor


def refusal_of(*, actor: Actor) -> str:
    """Return why what the organization sends is refused now, or nothing. Needs the scope."""
    try:
        require_disk()
        require_quota(organization_id=actor.organization.pk)
    except StorageFull:
        return _(
            "More is kept than this organization may keep, and nothing goes before its time. For "
            "more room ask who runs the portal."
        )
    except OverQuota:
        return _(
            "A disk of the portal is nearly full. Nothing that was taken is lost; ask who runs the "
            "portal."
        )
    return ""
