"""Slots as rows: what is new of them is added, then their saves and loads are worked out anew."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from apps.telemetry.models import Source, StorageSlot
from apps.telemetry.storage_path import slot_bodies
from apps.telemetry.storage_path.slot_bodies import SlotSums
from apps.telemetry.storage_path.slot_samples import SLOT_SECONDS, TOTALS, SlotSamples
from apps.tenancy.database.bulk_rows import insert_or_update_rows
from apps.training.storage_path.phases import (
    IDLE_UTILIZATION,
    LOAD_BYTES_PER_SECOND,
    SAVE_BYTES_PER_SECOND,
)

SLOT: Final = timedelta(seconds=SLOT_SECONDS)
Key = tuple[str, datetime]  # mount, begin of the slot


def write_slots(*, source: Source, samples: Iterable[SlotSamples]) -> list[Key]:
    """Add what is new to the slots of a source; return those that grew. Needs the owner's scope.

    Repeatable: an interval that is in a slot already adds nothing.
    """
    fresh = [((each.mount, datetime.fromtimestamp(each.starts_at, UTC)), each) for each in samples]
    known = dict(_stored(source, [key for key, _ in fresh]))
    grown: dict[Key, SlotSums] = {}
    for key, told in fresh:
        sums = slot_bodies.grown_by(known.get(key, slot_bodies.EMPTY), told)
        if sums is not None:
            grown[key] = known[key] = sums
    insert_or_update_rows(
        rows=[_row(source, key, sums) for key, sums in sorted(grown.items())],
        key=["organization", "source", "mount", "starts_at"],
        fields=["is_busy", "is_active", "totals", "hosts"],
    )
    return sorted(grown)


def sums_of(row: StorageSlot) -> SlotSums:
    """Return what a row keeps."""
    hosts, by_host = slot_bodies.hosts_of(row.hosts)
    return SlotSums(totals=slot_bodies.totals_of(row.totals), hosts=hosts, by_host=by_host)


def _stored(source: Source, keys: list[Key]) -> Mapping[Key, SlotSums]:
    if not keys:
        return {}
    rows = StorageSlot.objects.for_organization(source.organization_id).filter(
        source=source, starts_at__in={at for _, at in keys}
    )
    # Whoever else reads the same source waits here: what it adds is not lost.
    locked = rows.order_by("id").select_for_update()
    return {(row.mount, row.starts_at): sums_of(row) for row in locked}


def _row(source: Source, key: Key, sums: SlotSums) -> StorageSlot:
    return StorageSlot(
        organization_id=source.organization_id,
        source_id=source.pk,
        cluster_id=source.cluster_id,
        mount=key[0],
        starts_at=key[1],
        is_busy=_is_busy(sums),
        is_active=slot_bodies.is_active(sums),
        totals=slot_bodies.packed_totals(sums.totals),
        hosts=slot_bodies.packed_hosts(sums.hosts, sums.by_host),
    )


def _is_busy(sums: SlotSums) -> bool:
    """Say whether any interval looks like a part of a save or a load."""
    seconds, written, read, busy = (
        sums.totals[:, TOTALS.index(name)]
        for name in ("seconds", "write_bytes", "read_bytes", "utilization")
    )
    is_load = (read / seconds > LOAD_BYTES_PER_SECOND) & (busy < IDLE_UTILIZATION)
    return bool(np.any((written / seconds > SAVE_BYTES_PER_SECOND) | is_load))
