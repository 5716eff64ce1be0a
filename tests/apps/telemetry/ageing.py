"""Logs that came in on a day of one's choice, read at once, and the retention on a later one."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings

from apps.fleet.models import Cluster
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.logs import accept
from apps.telemetry.logs.interpretation import drain
from apps.telemetry.retention import run
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

RAW = timedelta(days=settings.PORTAL_KEEP_RAW_DAYS + 1)
EVENTS = timedelta(days=settings.PORTAL_KEEP_EVENTS_DAYS + 1)


def xid(number: int, at: datetime, host: str = "gpu001") -> str:
    """Return a kernel line that is an event, different for each number."""
    return (
        f"{at + timedelta(seconds=number):%Y-%m-%dT%H:%M:%S}+00:00 {host} kernel: NVRM: Xid "
        f"(PCI:0000:{number % 200 + 16:02x}:00): 79, pid={number}, GPU has fallen off the bus."
    )


def come_in(
    organization: Organization,
    cluster: Cluster | None,
    lines: Sequence[str],
    *,
    at: datetime,
    **labels: str,
) -> None:
    """Take a file of lines at an instant and interpret it."""
    _take(organization, cluster, "\n".join(lines), None, len(lines), at=at, labels=labels)


def come_in_stamped(
    organization: Organization,
    cluster: Cluster,
    lines: Sequence[tuple[int, str]],
    *,
    at: datetime,
    **labels: str,
) -> None:
    """Take lines with stamps in nanoseconds at an instant and interpret them."""
    stamps = b"".join(stamp.to_bytes(8, "little") for stamp, _ in lines)
    text = "\n".join(line for _, line in lines)
    _take(organization, cluster, text, stamps, len(lines), at=at, labels=labels)


def retire(organization: Organization, *, now: datetime) -> bool:
    """Let a run of the retention go to its end."""
    return run.retire(organization_id=organization.pk, now=now, clock=lambda: 0.0)


def _take(
    organization: Organization,
    cluster: Cluster | None,
    text: str,
    stamps: bytes | None,
    count: int,
    *,
    at: datetime,
    labels: dict[str, str],
) -> None:
    with organization_scope(organization.pk):
        accept.accept(
            organization_id=organization.pk,
            cluster_id=cluster.pk if cluster else None,
            protocol=accept.UPLOAD if stamps is None else accept.LOKI,
            pieces=[LinePiece(labels=labels, text=text.encode(), line_count=count, stamps=stamps)],
            complaints=Complaints(),
            now=at,
        )
    drain.take_turn(organization_id=organization.pk, clock=lambda: 0.0, now=lambda: at)
