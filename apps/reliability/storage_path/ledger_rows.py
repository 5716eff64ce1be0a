"""Saves and loads of logs and of metrics → one ledger, each once.

A save of a log and one of metrics are the same where they overlap; of a save of all nodes a session
has the share that its hosts moved.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from apps.fleet.facade.placements import AttemptPlace
from apps.reliability.storage_path.running_places import RunningPlaces
from apps.reliability.storage_path.values import CheckpointLedgerRow, ShownPhase
from apps.telemetry.facade.logged_checkpoints import LoggedCheckpoint
from apps.training.storage_path.ledger import CheckpointEntry, LedgerSum, ledger_of
from apps.training.storage_path.phases import PhaseKind

BESIDE: Final = timedelta(seconds=60)  # two scrapes: metrics are no more exact
HOUR: Final = 3600.0
MOST_OF_IT: Final = 0.8  # of the bytes, for a save to be one session's


def ledger_rows(
    *,
    logged: Sequence[LoggedCheckpoint],
    phases: Sequence[ShownPhase],
    places: Sequence[AttemptPlace],
    price: float | None,
) -> tuple[CheckpointLedgerRow, ...]:
    """Return the ledger by time; from values in any order."""
    by_start = {(each.session_id, each.number): each for each in places}
    whole = [each for each in phases if each.phase.ends_at > each.phase.starts_at]
    matched = _matches(logged, whole)
    counts: dict[int, int] = {}
    for phase in matched.values():
        counts[phase.phase.id] = counts.get(phase.phase.id, 0) + 1
    rows = [
        _logged_row(
            each,
            place=by_start.get((each.session_id, each.attempt)),
            phase=matched.get(number),
            is_alone=counts.get(matched[number].phase.id, 0) == 1 if number in matched else False,
            price=price,
        )
        for number, each in enumerate(logged)
    ]
    running = RunningPlaces(places)
    rows += [_measured_row(each, running, price) for each in whole if each.phase.id not in counts]
    return tuple(sorted(rows, key=lambda each: (each.starts_at, each.session, each.kind)))


def ledger_sums(
    rows: Sequence[CheckpointLedgerRow], *, price: float | None
) -> tuple[LedgerSum, ...]:
    """Return what all saves and all loads come to."""
    entries = (
        CheckpointEntry(
            session=f"{each.session or each.phase_id}#{each.attempt}",
            kind=PhaseKind(each.kind),
            begins_seconds=each.starts_at.timestamp(),
            ends_seconds=each.ends_at.timestamp(),
            gpu_count=each.gpu_count or 0,
            moved_bytes=each.moved_bytes,
            is_whole=each.is_whole,
            idled_share=_share(each),
        )
        for each in rows
    )
    return ledger_of(entries, price_per_gpu_hour=price).sums


def _share(row: CheckpointLedgerRow) -> float:
    whole = (row.seconds or 0.0) * (row.gpu_count or 0) / HOUR
    return row.idled_gpu_hours / whole if row.idled_gpu_hours and whole else 0.0


def _matches(
    logged: Sequence[LoggedCheckpoint], phases: Sequence[ShownPhase]
) -> Mapping[int, ShownPhase]:
    """Return number of a log's save → the save of metrics that it overlaps the longest."""
    found: dict[int, ShownPhase] = {}
    for kind in PhaseKind:
        mine = sorted(
            (each for each in phases if each.phase.kind == kind),
            key=lambda each: each.phase.starts_at,
        )
        starts = [each.phase.starts_at for each in mine]
        longest = max((each.phase.ends_at - each.phase.starts_at for each in mine), default=BESIDE)
        for number, each in enumerate(logged):
            if each.kind == kind:
                first = bisect_left(starts, each.starts_at - longest - BESIDE)
                last = bisect_left(starts, each.ends_at + BESIDE)
                near = [one for one in mine[first:last] if _overlap(each, one) > -BESIDE]
                if near:
                    found[number] = max(near, key=partial(_overlap, each))
    return found


def _overlap(log: LoggedCheckpoint, shown: ShownPhase) -> timedelta:
    phase = shown.phase
    return min(log.ends_at, phase.ends_at) - max(log.starts_at, phase.starts_at)


def _logged_row(
    log: LoggedCheckpoint,
    *,
    place: AttemptPlace | None,
    phase: ShownPhase | None,
    is_alone: bool,
    price: float | None,
) -> CheckpointLedgerRow:
    gpus = place.world_size if place else None
    hours = None
    if log.is_background:
        hours = 0.0
    elif gpus is not None and log.is_complete:
        hours = (log.ends_at - log.starts_at).total_seconds() * gpus / HOUR
    return CheckpointLedgerRow(
        kind=log.kind,
        starts_at=log.starts_at.astimezone(UTC),
        ends_at=log.ends_at.astimezone(UTC),
        session=place.session if place else "",
        session_name=place.session_name if place else "",
        attempt=log.attempt,
        step=log.step,
        is_logged=True,
        is_measured=phase is not None,
        phase_id=phase.phase.id if phase else None,
        moved_bytes=_moved(place, phase, is_alone=is_alone),
        gpu_count=gpus,
        idled_gpu_hours=hours,
        cost=None if hours is None or price is None else hours * price,
        is_whole=log.is_complete,
    )


def _moved(place: AttemptPlace | None, shown: ShownPhase | None, *, is_alone: bool) -> float | None:
    """Return the bytes of a session's save: what its hosts had of it."""
    if shown is None or shown.phase.moved_bytes is None:
        return None
    table = shown.phase.hosts
    everybody = table.sums().moved_bytes
    mine = table.moved_by(_joined_hosts(place)) if place else 0.0
    if mine and everybody:
        return shown.phase.moved_bytes * mine / everybody
    return shown.phase.moved_bytes if is_alone else None


def _joined_hosts(place: AttemptPlace) -> frozenset[str]:
    """Return the hosts by which metrics join: what others only claim joins nothing."""
    return place.hosts if place.hosts_asserted else frozenset()


def _measured_row(
    shown: ShownPhase, running: RunningPlaces, price: float | None
) -> CheckpointLedgerRow:
    """Return a save that no log tells of. Whether GPUs waited for it only a load's metrics tell."""
    phase = shown.phase
    place = _whose(shown, running)
    gpus = place.world_size if place else None
    hours = None
    if phase.kind == PhaseKind.LOAD and gpus is not None and phase.utilization is not None:
        hours = phase.seconds * (1 - phase.utilization) * gpus / HOUR
    return CheckpointLedgerRow(
        kind=phase.kind,
        starts_at=phase.starts_at,
        ends_at=phase.ends_at,
        session=place.session if place else "",
        session_name=place.session_name if place else "",
        attempt=place.number if place else None,
        step=None,
        is_logged=False,
        is_measured=True,
        phase_id=phase.id,
        moved_bytes=phase.moved_bytes,
        gpu_count=gpus,
        idled_gpu_hours=hours,
        cost=None if hours is None or price is None else hours * price,
    )


def _whose(shown: ShownPhase, running: RunningPlaces) -> AttemptPlace | None:
    """Return the attempt whose hosts moved most of it, where one did."""
    table = shown.phase.hosts
    everybody = table.moved_bytes
    if not everybody:
        return None
    near = running.at(_middle(shown.phase.starts_at, shown.phase.ends_at))
    moved = ((each, table.moved_by(each.hosts)) for each in near)
    best = max(moved, key=lambda found: (found[1], found[0].id), default=None)
    return best[0] if best and best[1] >= MOST_OF_IT * everybody else None


def _middle(starts_at: datetime, ends_at: datetime) -> datetime:
    return starts_at + (ends_at - starts_at) / 2
