"""Nodes of a cluster over weeks: gpu071 fails and is left out, others hardly ever."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.fleet.exclusions import exclusion_rows
from apps.fleet.exclusions.exclusion_report import ExclusionBatch, ExclusionReport, ReturnReport
from apps.fleet.models import Device, ExclusionKind, Node
from apps.incidents.models import Incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast, attempt_of, stop_of

LEMON = "gpu071"
OTHERS = tuple(f"gpu{number:03}" for number in range(1, 21))


def broken(
    cast: Cast,
    host: str,
    at: datetime,
    *,
    tenant: Organization | None = None,
    hosts: tuple[str, ...] = (),
) -> Incident:
    """Record a stop of a session of 16 GPUs that broke then and is blamed on a node."""
    attempt = attempt_of(
        cast,
        tenant or cast.tenant,
        hosts=[host, *(hosts or OTHERS[:1])],
        world_size=16,
        started_at=at - timedelta(hours=5),
        ended_at=at + timedelta(hours=2),
        state="failed",
    )
    found = stop_of(cast, attempt, culprits=[{"kind": "gpu", "host": host, "index": 5}])
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=found.pk).update(started_at=at)
    return found


def left_out(
    cast: Cast, host: str, at: datetime, *, hours: float | None = 4, reason: str = "NVLink again"
) -> None:
    """Let the operator drain a node for so long; without a length it is left out still."""
    drain = ExclusionKind.DRAIN
    begun = ExclusionReport(host=host, kind=drain, at=at, by="root", reason=reason)
    ended = [
        ReturnReport(host=host, kind=drain, at=at + timedelta(hours=each))
        for each in (hours,)
        if each is not None
    ]
    batch = ExclusionBatch(exclusions=(begun,), returns=tuple(ended))
    with organization_scope(cast.operator.pk):
        exclusion_rows.record(cluster=cast.cluster, reporter=cast.operator, batch=batch, now=at)


def inventory(cast: Cast, *, at: datetime, others: Sequence[str] = OTHERS) -> None:
    """Let the operator know of all nodes; a board of the one that fails was replaced then."""
    with organization_scope(cast.operator.pk):
        nodes = Node.objects.bulk_create(
            Node(
                organization=cast.operator,
                cluster=cast.cluster,
                name=name,
                first_seen_at=at - timedelta(days=100),
                last_seen_at=at,
            )
            for name in (LEMON, *others)
        )
        for uuid, since, until in (
            ("old-board", at - timedelta(days=100), at),
            ("new-board", at, None),
        ):
            Device.objects.create(
                organization=cast.operator,
                node=nodes[0],
                kind="gpu",
                index=5,
                uuid=uuid,
                serial=f"serial-of-{uuid}",
                pci="0000:c1:00.0",
                first_seen_at=since,
                last_seen_at=until or at,
                replaced_at=until,
            )


def weeks(cast: Cast, *, now: datetime) -> Incident:
    """Let gpu071 break three times and be drained twice within 28 days; return the last stop."""
    inventory(cast, at=now - timedelta(days=9))
    for days in (20, 10):
        broken(cast, LEMON, now - timedelta(days=days))
        left_out(cast, LEMON, now - timedelta(days=days - 0.2))
    broken(cast, OTHERS[3], now - timedelta(days=15), tenant=cast.other_tenant)
    left_out(cast, OTHERS[3], now - timedelta(days=14), reason="fan")
    return broken(cast, LEMON, now - timedelta(days=1))
