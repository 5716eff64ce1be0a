"""How long raw lines and what was read of them are kept."""

from datetime import datetime, timedelta

from django.conf import settings

from apps.telemetry.models import Batch, BatchState, Event, LogChunk, TouchedWindow

ROWS_AT_ONCE = 2000


def drop_old(*, organization_id: int, now: datetime) -> int:
    """Drop what came in before the retention time; return how many chunks went.

    Needs the organization's scope. Streams stay, so that a sender that comes back is known.
    """
    before = now - timedelta(days=settings.PORTAL_KEEP_EVENTS_DAYS)
    old = Batch.objects.for_organization(organization_id).filter(received_at__lt=before)
    chunks = LogChunk.objects.for_organization(organization_id).filter(batch__in=old)
    dropped = 0
    while found := list(chunks.order_by("id").values_list("id", flat=True)[:ROWS_AT_ONCE]):
        dropped += LogChunk.objects.filter(pk__in=found).delete()[0]
    old.exclude(state=BatchState.ACCEPTED).delete()
    Event.objects.for_organization(organization_id).filter(received_at__lt=before).delete()
    TouchedWindow.objects.for_organization(organization_id).filter(created_at__lt=before).delete()
    return dropped
