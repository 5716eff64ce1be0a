"""What was told long ago goes; the incidents it was about stay."""

from datetime import datetime, timedelta

from apps.notifications.models import IncidentCursor, Notification
from apps.tenancy.scope import organization_scope

KEPT_FOR = timedelta(days=90)
AT_ONCE = 1000


def retire(*, organization_id: int, now: datetime) -> int:
    """Drop one organization's old notices, with their deliveries and tries; return how many.

    Also what still waits, for a webhook that was paused all the while: nobody wants it at once.
    """
    with organization_scope(organization_id):
        own = Notification.objects.for_organization(organization_id)
        old = own.filter(created_at__lt=now - KEPT_FOR)
        ids = list(old.order_by("id").values_list("id", flat=True)[:AT_ONCE])
        Notification.objects.filter(pk__in=ids).delete()
        # Its incident is no longer followed: nobody asks what was told of it.
        watermarks = IncidentCursor.objects.for_organization(organization_id)
        watermarks.filter(incident__detected_at__lt=now - KEPT_FOR).delete()
        return len(ids)
