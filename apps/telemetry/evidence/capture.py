"""Evidence windows: keep the metrics around an incident, so that proof outlives its source.

Incidents order a capture as a row; this module carries it out. The suspects in
full resolution, their peers as a band. A failed capture stays a row that is tried again.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from django.db.models.functions import Length

from apps.diagnosis.detection.metrics.frames import grid_between
from apps.diagnosis.detection.metrics.identity import NamedDevice, host_name
from apps.fleet.devices.placement_queries import roster_of
from apps.fleet.hosts.host_names import alias_table
from apps.fleet.models import Link
from apps.telemetry.evidence.blocks import Block
from apps.telemetry.evidence.capture_limits import MAX_BYTES, SECONDS, CaptureOrder
from apps.telemetry.evidence.evidence_query import MAX_SUSPECTS, EvidenceReading, read_window
from apps.telemetry.metrics.pulls import signal_reading, source_remarks
from apps.telemetry.models import EvidenceBlock, EvidenceCapture, Source
from apps.telemetry.samples.window.window_reading import client_of
from apps.telemetry.sources.errors import QueryFailed, SourceUnreachable
from apps.telemetry.sources.instants import instant
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.leases import Lease, pause_after

logger = logging.getLogger(__name__)

STEP_SECONDS: Final = 15.0
LEASE: Final = Lease(
    lasts=timedelta(seconds=120), until="due_at", due="due_at", attempts="attempt_count"
)
FIRST_RETRY: Final = timedelta(minutes=1)
LONGEST_RETRY: Final = timedelta(hours=1)
MAX_ATTEMPTS: Final = 12
# Fewer than this make no band; then the suspects belong to it.
LEAST_PEERS: Final = 3
UNREAD: Final = "its samples could not be read: an error of the portal, which its operator sees"


def due_capture_ids(*, organization_id: int, now: datetime) -> list[int]:
    """Return the captures that it is time to try. Needs the scope of the source's owner."""
    rows = EvidenceCapture.objects.for_organization(organization_id).filter(
        LEASE.ready(now=now),
        state__in=("due", "failed"),
        attempt_count__lt=MAX_ATTEMPTS,
        source__isnull=False,
    )
    return list(rows.order_by("due_at", "id").values_list("id", flat=True))


def capture(*, organization_id: int, capture_id: int, now: datetime) -> str:
    """Carry out one order; return `captured`, `failed` or `skipped`. Safe to repeat."""
    with organization_scope(organization_id):
        order = _claim(organization_id=organization_id, capture_id=capture_id, now=now)
    if order is None:
        return "skipped"
    try:
        # The network, or a window that opens scopes of its own: none is open here.
        with client_of(source=order.source) as client:
            kept = read_window(client=client, order=order)
    except (SourceUnreachable, QueryFailed) as error:
        with organization_scope(organization_id):
            _note_failure(order=order, error=str(error), now=now)
        logger.warning("evidence.failed", extra={"capture": capture_id})
        return "failed"
    with organization_scope(organization_id):
        if not kept.blocks:
            _note_failure(order=order, error="the source has no samples of that time", now=now)
            return "failed"
        _write(order=order, kept=kept)
    logger.info(
        "evidence.captured",
        extra={"capture": capture_id, "blocks": len(kept.blocks), "seconds": kept.seconds},
    )
    return "captured"


def put_off(*, organization_id: int, capture_id: int, until: datetime) -> None:
    """Let a capture that could not be carried out wait. Opens the scope."""
    with organization_scope(organization_id):
        EvidenceCapture.objects.for_organization(organization_id).filter(
            id=capture_id, state__in=("due", "failed")
        ).update(state="failed", error=source_remarks.kept(UNREAD), due_at=until)


def look_again(*, organization_id: int, now: datetime) -> None:
    """Let the captures that were put off be due. Opens the scope."""
    with organization_scope(organization_id):
        rows = EvidenceCapture.objects.for_organization(organization_id)
        rows.filter(state="failed", due_at__gt=now).update(due_at=now)


def _claim(*, organization_id: int, capture_id: int, now: datetime) -> CaptureOrder | None:
    rows = EvidenceCapture.objects.for_organization(organization_id).filter(
        id=capture_id, state__in=("due", "failed"), source__isnull=False
    )
    if not LEASE.take(rows, now=now):
        return None
    row = EvidenceCapture.objects.select_related("source").get(id=capture_id)
    assert row.source is not None  # noqa: S101  asked for above
    wanted = row.request
    starts_at = datetime.fromisoformat(wanted["starts_at"]).timestamp()
    ends_at = min(datetime.fromisoformat(wanted["ends_at"]).timestamp(), now.timestamp())
    aliases = alias_table(cluster_id=row.source.cluster_id, reader_id=row.organization_id)
    suspects = _hosts(wanted["suspects"][:MAX_SUSPECTS], aliases)
    hosts = _hosts(wanted["attempt_hosts"], aliases)
    if row.organization_id != row.incident_owner:
        # A log may name any host: of what is not its owner's only where it ran is looked at.
        suspects &= hosts
    return CaptureOrder(
        capture=row,
        source=row.source,
        names=signal_reading.Names(label_map=row.source.label_map, aliases=aliases),
        grid=grid_between(start=starts_at, end=ends_at, step=STEP_SECONDS),
        suspects=suspects,
        peers=hosts - suspects if len(hosts - suspects) >= LEAST_PEERS else hosts,
        shared=tuple(name for name in wanted.get("mounts", ()) if name),
        linked=_linked(source=row.source, switches=wanted.get("switches", ())),
        parts=_parts(source=row.source, hosts=hosts | suspects, at=instant(ends_at)),
        seconds=SECONDS.get(row.capture_pass, min(SECONDS.values())),
        room=MAX_BYTES // max(1, int(wanted.get("sources", 1))),
    )


def _hosts(names: Iterable[str], aliases: Mapping[str, str]) -> frozenset[str]:
    spelt = (host_name(name) for name in names)
    return frozenset(aliases.get(host, host) for host in spelt if host)


def _linked(*, source: Source, switches: Sequence[str]) -> frozenset[str]:
    """Return the hosts that hang on suspected switches."""
    if not switches:
        return frozenset()
    rows = Link.objects.filter(cluster=source.cluster_id, switch__in=switches)
    return frozenset(rows.values_list("host", flat=True))


def _parts(*, source: Source, hosts: Collection[str], at: datetime) -> tuple[NamedDevice, ...]:
    """Return what sat in the hosts then, whatever was replaced since."""
    roster = roster_of(cluster_id=source.cluster_id, reader_id=source.organization_id, hosts=hosts)
    found = roster.parts(at=at, hosts=hosts)
    return tuple(
        NamedDevice(
            device=replace(each.device, name=None) if each.device.kind == "gpu" else each.device
        )
        for each in found
    )


def _write(*, order: CaptureOrder, kept: EvidenceReading) -> None:
    row = order.capture
    blocks = kept.blocks
    EvidenceBlock.objects.bulk_create(
        [
            EvidenceBlock(
                organization_id=row.organization_id,
                incident_owner=row.incident_owner,
                incident_public_id=row.incident_public_id,
                source=order.source,
                source_name=order.source.name,
                capture_pass=row.capture_pass,
                entity=block.entity_json,
                entity_key=block.entity_key,
                family=block.family,
                signals=list(block.signals),
                units=list(block.units),
                starts_at=instant(block.start),
                step_seconds=block.step,
                shape=list(block.shape),
                body=block.body,
            )
            for block in blocks
        ],
        update_conflicts=True,
        unique_fields=[
            "organization",
            "incident_public_id",
            "source",
            "capture_pass",
            "entity_key",
            "family",
        ],
        update_fields=["entity", "signals", "units", "starts_at", "step_seconds", "shape", "body"],
    )
    _drop_replaced(order=order, blocks=blocks)
    EvidenceCapture.objects.for_organization(row.organization_id).filter(id=row.pk).update(
        state="captured",
        error=source_remarks.kept(kept.remark),
        byte_count=sum(len(block.body) for block in blocks),
        seconds=round(kept.seconds, 3),
    )


def _drop_replaced(*, order: CaptureOrder, blocks: Sequence[Block]) -> None:
    """Drop what an earlier pass kept of the same things; and all of it where it has no room."""
    row = order.capture
    earlier = EvidenceBlock.objects.for_organization(row.organization_id).filter(
        incident_public_id=row.incident_public_id,
        source=order.source,
        capture_pass__lt=row.capture_pass,
    )
    # What a later pass had no time to read stays as the earlier one kept it.
    again = {(block.entity_key, block.family): {*block.signals} for block in blocks}
    room = order.room - sum(len(block.body) for block in blocks)
    gone = []
    sizes = earlier.annotate(size=Length("body")).order_by("-capture_pass", "id")
    for pk, key, family, signals, size in sizes.values_list(
        "pk", "entity_key", "family", "signals", "size"
    ):
        is_replaced = again.get((key, family), set()) >= {*signals}
        room -= 0 if is_replaced else size
        if is_replaced or room < 0:
            gone.append(pk)
    earlier.filter(pk__in=gone).delete()


def _note_failure(*, order: CaptureOrder, error: str, now: datetime) -> None:
    row = order.capture
    pause = pause_after(failures=row.attempt_count, first=FIRST_RETRY, longest=LONGEST_RETRY)
    EvidenceCapture.objects.for_organization(row.organization_id).filter(id=row.pk).update(
        state="failed", error=source_remarks.kept(error), due_at=now + pause
    )
