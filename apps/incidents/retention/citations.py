"""What incidents cite of stored facts: it outlives its class, as long as the incident does."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max

from apps.fleet.models import Attempt
from apps.incidents.models import EvidenceItem, Incident, TimelineEntry
from apps.incidents.states import IncidentKind
from apps.telemetry.retention.classes import RetentionClass, old_before
from apps.telemetry.retention.references import Citation

# Lines on each side: enough to see what a piece of evidence stood in, or a moment.
OF_EVIDENCE: Final = 20
OF_MOMENTS: Final = 2
EVIDENCE: Final = "evidence"
MOMENTS: Final = "moments"
# What is told of an attempt reaches so far back before it broke (`gather.CHANGED_BEFORE`).
REACHES_BACK: Final = timedelta(days=3)


def citations(*, organization_id: int, after: Mapping[str, int]) -> Iterator[Citation]:
    """Yield what incidents cite of an organization's facts. Needs its scope.

    `after` holds the largest id of each table that was seen before; newer rows alone are read.
    """
    items = EvidenceItem.objects.for_organization(organization_id).exclude(reference="")
    evidence = items.filter(id__gt=after.get(EVIDENCE, 0)).order_by().values_list("reference")
    for reference, newest in evidence.annotate(newest=Max("id")).iterator():
        yield Citation(reference=reference, margin=OF_EVIDENCE, table=EVIDENCE, id=newest)
    entries = TimelineEntry.objects.for_organization(organization_id)
    told = entries.filter(id__gt=after.get(MOMENTS, 0), detail__has_key="reference")
    moments = told.exclude(detail__reference="").order_by().values_list("detail__reference")
    for reference, newest in moments.annotate(newest=Max("id")).iterator():
        yield Citation(reference=str(reference), margin=OF_MOMENTS, table=MOMENTS, id=newest)


def has_ended(*, attempt: Attempt, incidents: Sequence[Incident], now: datetime) -> bool:
    """Say whether everything about an attempt was concluded from facts that have begun to go."""
    closed = [each for each in incidents if is_closed(incident=each, now=now)]
    is_over = attempt.ended_at is not None and attempt.ended_at < _begins(now)
    return bool(closed) and (is_over or any(each.kind == IncidentKind.STOP for each in closed))


def is_closed(*, incident: Incident, now: datetime) -> bool:
    """Say whether the facts behind a settled incident have begun to go: its verdict stands.

    Looking again at what is left would find less than was known.
    """
    return incident.settled_at is not None and incident.detected_at < _begins(now)


def _begins(now: datetime) -> datetime:
    return old_before(kind=RetentionClass.EVENTS, now=now) + REACHES_BACK
