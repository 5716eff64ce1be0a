"""What watching a source remembers between pulls: stored now and then, kept at hand by the process.

The stored memory may be some minutes older than the cursor of its source. A process that has the
newer one at hand goes on from there; any other reads those minutes again, which finds the same.
"""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.detection import watch_memory
from apps.telemetry.models import SeriesState, Source
from apps.tenancy.models import OwnedQuerySet

NAME: Final = "#watch"
# A big memory takes a second to pack and is tens of megabytes: not with every pull.
SAVED_EVERY: Final = timedelta(minutes=5)
SMALL_ROWS: Final = 20_000
# Sources whose memory one process keeps at hand.
MOST_AT_HAND: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorMemory:
    """What detectors know up to an instant; nothing, of no time, at first contact."""

    memory: watch_memory.WatchMemory
    until: datetime | None = None
    saved_until: datetime | None = None


_at_hand: OrderedDict[int, DetectorMemory] = OrderedDict()


def recall(*, source: Source) -> DetectorMemory:
    """Return the newest memory of a source that fits its cursor. Needs the scope."""
    near = _at_hand.get(source.pk)
    if near is not None and near.until is not None and near.until == source.read_until:
        return near
    row = _rows(source).filter(signal=NAME).first()
    if row is None or source.read_until is None:
        return DetectorMemory(memory=watch_memory.WatchMemory())
    memory = watch_memory.memory_from_bytes(bytes(row.body))
    if not memory.rosters:
        return DetectorMemory(memory=memory)
    return DetectorMemory(memory=memory, until=row.until, saved_until=row.until)


def is_due(*, remembered: DetectorMemory, until: datetime) -> bool:
    """Say whether a memory that reaches to an instant should be stored now."""
    rows = sum(len(roster.entities) for roster in remembered.memory.rosters.values())
    saved = remembered.saved_until
    return rows <= SMALL_ROWS or saved is None or until - saved >= SAVED_EVERY


def save(*, source: Source, body: bytes, until: datetime) -> None:
    """Store a packed memory. Needs the scope, and the transaction that moves the cursor."""
    _rows(source).update_or_create(
        organization_id=source.organization_id,
        source=source,
        signal=NAME,
        defaults={"until": until, "body": body},
    )


def keep_at_hand(*, source: Source, remembered: DetectorMemory) -> None:
    """Keep a memory in this process, after the cursor it belongs to was written."""
    _at_hand[source.pk] = remembered
    _at_hand.move_to_end(source.pk)
    while len(_at_hand) > MOST_AT_HAND:
        _at_hand.popitem(last=False)


def _rows(source: Source) -> "OwnedQuerySet[SeriesState]":
    return SeriesState.objects.for_organization(source.organization_id).filter(source=source)
