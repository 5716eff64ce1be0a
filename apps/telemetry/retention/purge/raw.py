"""Raw text goes: chunks, with what is cited kept aside, and bodies that nobody could read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from apps.telemetry.models import Batch, BatchState, KeptLines, LogChunk
from apps.telemetry.retention import usage
from apps.telemetry.retention.classes import RetentionClass, old_before
from apps.telemetry.retention.deletions import ROWS_AT_ONCE, OctetLength, PurgeCount, drop_oldest
from apps.telemetry.retention.purge import days
from apps.telemetry.retention.purge.excerpts import Group, excerpts
from apps.telemetry.retention.references import Citing


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    id: int
    stream_id: int
    first_number: int
    line_count: int
    size: int
    received_at: datetime

    @property
    def group(self) -> Group:
        """What it shares with chunks that overlap it."""
        return self.stream_id, self.first_number


def drop_chunks(*, organization_id: int, citing: Citing, now: datetime) -> PurgeCount:
    """Drop the oldest chunks that are past their time; their cited lines are kept. Needs the scope.

    In order of arrival: what was interpreted late goes late, never early.
    """
    chunks = _old(organization_id, old_before(kind=RetentionClass.RAW, now=now))
    groups = [chunk.group for chunk in chunks]
    kept = list(excerpts(organization_id=organization_id, groups=groups, citing=citing, now=now))
    KeptLines.objects.bulk_create(kept, ignore_conflicts=True)
    own = LogChunk.objects.for_organization(organization_id)
    own.filter(pk__in=[chunk.id for chunk in chunks]).delete()
    _number_the_rest(organization_id, chunks)
    return PurgeCount(
        row_count=len(chunks),
        byte_count=sum(chunk.size + usage.row_bytes(LogChunk) for chunk in chunks),
        oldest_at=min((chunk.received_at for chunk in chunks), default=None),
        cited_count=sum(each.line_count for each in kept),
        # A younger one among them (its batch waited for its turn) ends nothing.
        is_more=len(chunks) > 0,
    )


def drop_unread(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop bodies that could not be interpreted and are past their time. Needs the scope."""
    own = Batch.objects.for_organization(organization_id).filter(
        state=BatchState.DEAD, received_at__lt=old_before(kind=RetentionClass.RAW, now=now)
    )
    return drop_oldest(own, row_bytes=usage.row_bytes(Batch))


def _old(organization_id: int, before: datetime) -> list[_Chunk]:
    """Return the oldest chunks; a look at the front tells that none is old, however many are new.

    Ids grow as batches do, so the first that is not old ends the search.
    """
    rows = (
        LogChunk.objects.for_organization(organization_id)
        # Days with a part of their own go whole.
        .filter(arrived_on__lt=before.date())
        .exclude(arrived_on__in=days.parts() - {days.BEFORE_DAYS})
        .order_by("id")
        .annotate(size=OctetLength("body"), received_at=F("batch__received_at"))
        .values("id", "stream_id", "first_number", "line_count", "size", "received_at")
    )
    chunks = [_Chunk(**row) for row in rows[:ROWS_AT_ONCE]]
    return [chunk for chunk in chunks if chunk.received_at < before]


def _number_the_rest(organization_id: int, chunks: Sequence[_Chunk]) -> None:
    """Let chunks that overlapped what went count on from behind it, as their later lines do."""
    gone: Counter[Group] = Counter()
    for chunk in chunks:
        gone[chunk.group] += chunk.line_count
    own = LogChunk.objects.for_organization(organization_id)
    streams, numbers = {each[0] for each in gone}, {each[1] for each in gone}
    left = own.filter(stream__in=streams, first_number__in=numbers)
    for row in left.values_list("id", "stream_id", "first_number"):
        if row[1:] in gone:
            own.filter(pk=row[0]).update(first_number=F("first_number") + gone[row[1:]])
