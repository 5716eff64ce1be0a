"""Saves and loads, worked out of the slots around what is new and written in place of what stood.

The slots that are looked at end at quiet ones on both sides, so that no save or load is cut: what
comes out depends on what is stored alone, not on when it came.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np

from apps.telemetry.models import Source, StoragePhase, StorageSlot
from apps.telemetry.storage_path import slot_bodies
from apps.telemetry.storage_path.slot_rows import SLOT, Key, sums_of
from apps.telemetry.storage_path.slot_samples import COUNTED, HOST, TOTALS, Floats
from apps.training.storage_path.phases import CheckpointPhase, ClusterRate, PhaseKind, phases_of

MOST_SLOTS: Final = 288  # a day: what lasts longer is cut
QUIET_BEFORE: Final = timedelta(minutes=30)
QUIET_SLOTS: Final = QUIET_BEFORE // SLOT
AT, SECONDS = TOTALS.index("at"), TOTALS.index("seconds")
SIDES: Final = {PhaseKind.SAVE: "write", PhaseKind.LOAD: "read"}


def write_phases(*, source: Source, grown: Sequence[Key]) -> None:
    """Work out anew what lies around slots that grew. Needs the owner's scope."""
    for mount in sorted({key[0] for key in grown}):
        times = [at for each, at in grown if each == mount]
        # What comes late may be the quiet time before a save or load behind it.
        rows = _slots(source, mount, min(times) - SLOT, max(times) + (1 + QUIET_SLOTS) * SLOT)
        if any(row.is_busy for row in rows):
            rows = _until_quiet(source, mount, rows)
        _replace(source, mount, rows)


def _slots(source: Source, mount: str, first: datetime, last: datetime) -> list[StorageSlot]:
    own = StorageSlot.objects.for_organization(source.organization_id)
    found = own.filter(source=source, mount=mount, starts_at__range=(first, last))
    return list(found.order_by("starts_at"))


def _until_quiet(source: Source, mount: str, rows: list[StorageSlot]) -> list[StorageSlot]:
    """Return the slots with those before and behind them, up to a quiet one or a hole."""
    while rows[0].is_busy and len(rows) < MOST_SLOTS:
        before = _slots(source, mount, rows[0].starts_at - SLOT, rows[0].starts_at - SLOT)
        if not before:
            break
        rows = [*before, *rows]
    while rows[-1].is_busy and len(rows) < MOST_SLOTS:
        behind = _slots(source, mount, rows[-1].starts_at + SLOT, rows[-1].starts_at + SLOT)
        if not behind:
            break
        rows = [*rows, *behind]
    return rows


def _replace(source: Source, mount: str, rows: Sequence[StorageSlot]) -> None:
    if not rows:
        return
    whole = np.concatenate([slot_bodies.totals_of(row.totals) for row in rows])
    quiet = _slots(source, mount, rows[0].starts_at - QUIET_SLOTS * SLOT, rows[0].starts_at - SLOT)
    earlier = [slot_bodies.totals_of(row.totals) for row in quiet]
    around = np.concatenate([*earlier, whole])
    found = [_row(source, mount, each, around, rows) for each in _phases(whole)]
    window = (rows[0].starts_at, rows[-1].starts_at + SLOT)
    own = StoragePhase.objects.for_organization(source.organization_id)
    own.filter(source=source, mount=mount, starts_at__lt=window[1], ends_at__gt=window[0]).delete()
    StoragePhase.objects.bulk_create(found)


def _phases(totals: Floats) -> tuple[CheckpointPhase, ...]:
    return phases_of(_rate(row) for row in totals)


def _rate(row: Floats) -> ClusterRate:
    told = dict(zip(TOTALS, row.tolist(), strict=True))
    busy = told["utilization"]
    return ClusterRate(
        at_seconds=told["at"],
        write_bytes_per_second=told["write_bytes"] / told["seconds"],
        read_bytes_per_second=told["read_bytes"] / told["seconds"],
        utilization=None if np.isnan(busy) else busy,
    )


def _row(
    source: Source,
    mount: str,
    phase: CheckpointPhase,
    totals: Floats,
    slots: Sequence[StorageSlot],
) -> StoragePhase:
    starts_at, ends_at = (
        datetime.fromtimestamp(at, UTC) for at in (phase.begins_seconds, phase.ends_seconds)
    )
    inside = [row for row in slots if row.starts_at < ends_at and row.starts_at + SLOT > starts_at]
    hosts, by_host = _hosts(inside)
    return StoragePhase(
        organization_id=source.organization_id,
        source=source,
        cluster_id=source.cluster_id,
        mount=mount,
        kind=phase.kind,
        starts_at=starts_at,
        ends_at=ends_at,
        moved_bytes=phase.moved_bytes,
        peak_bytes_per_second=phase.peak_bytes_per_second,
        figures=_figures(phase, totals, by_host),
        hosts=slot_bodies.packed_hosts(hosts, by_host),
    )


def _hosts(slots: Sequence[StorageSlot]) -> tuple[tuple[str, ...], Floats]:
    """Return the sums by host over these slots."""
    kept = [sums_of(row) for row in slots]
    names = tuple(sorted({host for each in kept for host in each.hosts}))
    places = {name: place for place, name in enumerate(names)}
    sums = np.zeros((len(names), len(HOST)))
    for each in kept:
        at = [places[host] for host in each.hosts]
        slots_used = np.maximum(sums[at, 1], each.by_host[:, 1])
        sums[at] += each.by_host
        sums[at, 1] = slots_used
    return names, sums


def _figures(phase: CheckpointPhase, totals: Floats, by_host: Floats) -> dict[str, Any]:
    """Return sums over the phase, and how long an answer took while little was asked before it."""
    ends, begins = totals[:, AT], totals[:, AT] - totals[:, SECONDS]
    inside = (ends > phase.begins_seconds) & (begins < phase.ends_seconds)
    first = TOTALS.index(COUNTED[0])
    sums = totals[inside, first : first + len(COUNTED)].sum(axis=0)
    side = SIDES[phase.kind]
    told = dict(zip(COUNTED, sums.tolist(), strict=True))
    busy = totals[inside, TOTALS.index("utilization")]
    moved = by_host[:, HOST.index(f"{side}_bytes")] if len(by_host) else np.zeros(0)
    return {
        **{name: told[f"{side}_{name}"] for name in ("requests", "queue", "response", "request")},
        "backlog": told["backlog"],
        "sends": told["sends"],
        "slots": float(by_host[:, HOST.index("slots")].max()) if len(by_host) else 0.0,
        "host_count": int((moved > 0).sum()),
        "utilization": None if np.isnan(busy).all() else float(np.nanmean(busy)),
        "quiet_response": _quiet_response(phase, totals, side),
        "seconds": float(totals[inside, SECONDS].sum()),
        **_adapters(phase, totals[inside]),
    }


def _adapters(phase: CheckpointPhase, totals: Floats) -> dict[str, float]:
    """Return bytes a second of a node's busiest adapter, mean and most; empty: nobody tells."""
    way = "sent" if phase.kind is PhaseKind.SAVE else "received"
    hosts, carried, most = (
        totals[:, TOTALS.index(name)]
        for name in ("adapter_hosts", f"adapter_{way}", f"adapter_most_{way}")
    )
    told = hosts > 0
    if not told.any():
        return {}
    seconds = totals[told, SECONDS]
    return {
        "adapter": float(carried[told].sum() / (hosts[told] * seconds).sum()),
        "adapter_most": float((most[told] / seconds).max()),
    }


def _quiet_response(phase: CheckpointPhase, totals: Floats, side: str) -> float | None:
    """Return seconds an answer took in quiet intervals of the half hour before; None: none."""
    ends = totals[:, AT]
    before = (ends <= phase.begins_seconds) & (
        ends > phase.begins_seconds - QUIET_BEFORE.total_seconds()
    )
    seconds = totals[:, SECONDS]
    moved = totals[:, TOTALS.index(f"{side}_bytes")] / seconds
    quiet = before & (moved < 0.1 * phase.mean_bytes_per_second)
    requests = totals[quiet, TOTALS.index(f"{side}_requests")].sum()
    response = totals[quiet, TOTALS.index(f"{side}_response")].sum()
    return float(response / requests) if requests > 0 else None
