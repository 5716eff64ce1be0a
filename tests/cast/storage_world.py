"""A cluster whose eight nodes save together: two tenants, an operator who measures it, a vendor."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from apps.fleet.models import Attempt, Cluster, ParticipationRole, Session, SessionParty
from apps.telemetry.metrics.pulls import storage_reading
from apps.telemetry.models import LoggedCheckpoints, Source
from apps.telemetry.storage_path.slot_samples import HOST, TOTALS, SlotSamples
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make

EXPORT: Final = "nas1:/ckpt"
OURS, THEIRS = (
    tuple(f"gpu{number:03}" for number in some) for some in ((1, 2, 3, 4), (5, 6, 7, 8))
)
SAVE_SECONDS: Final = 300
NODE_RATE: Final = 5e9
ADAPTER_SHARE: Final = 1.06  # bytes on the wire of an adapter for each that the mount wrote
REQUEST_SECONDS, QUEUE_SHARE, QUIET_SECONDS = 1.621, 0.931, 0.112


@dataclass(frozen=True, kw_only=True)
class StorageWorld:
    """Who is there. `tenant` has a session on `OURS`, `other` one on `THEIRS`."""

    operator: Organization
    tenant: Organization
    other: Organization
    vendor: Organization
    outsider: Organization
    cluster: Cluster
    source: Source
    session: Session
    saved_at: datetime


def build(*, now: datetime) -> StorageWorld:
    """Make the parties, their sessions, and a save of all nodes two hours ago."""
    cluster = make.cluster()
    parts = {
        "operator": ParticipationRole.OPERATOR,
        "tenant": ParticipationRole.TENANT,
        "other": ParticipationRole.TENANT,
        "vendor": ParticipationRole.STORAGE_VENDOR,
    }
    parties = {name: make.organization() for name in parts}
    for name, part in parts.items():
        make.participation(organization=parties[name], cluster=cluster, part=part)
    operator = parties["operator"]
    with organization_scope(operator.pk):
        source = Source.objects.create(
            organization=operator,
            public_id="SRC-STORAGE",
            cluster=cluster,
            kind="prometheus",
            name="metrics",
            url="http://127.0.0.1:9",
            created_at=now,
        )
    began = now - timedelta(hours=6)
    session = _session(operator, parties["tenant"], cluster, OURS, began)
    _session(operator, parties["other"], cluster, THEIRS, began)
    saved_at = (now - timedelta(hours=2)).replace(minute=0, second=0, microsecond=0)
    with organization_scope(operator.pk):
        storage_reading.write_storage(source=source, samples=samples(saved_at, (*OURS, *THEIRS)))
    _log(parties["tenant"], session, saved_at)
    return StorageWorld(
        **parties,
        outsider=make.organization(),
        cluster=cluster,
        source=source,
        session=session,
        saved_at=saved_at,
    )


def samples(saved_at: datetime, hosts: tuple[str, ...]) -> tuple[SlotSamples, ...]:
    """Return an hour around a save of these hosts, interval by interval."""
    first = int(saved_at.timestamp()) - 1800
    return tuple(
        _interval(at, hosts, is_saving=0 <= at - 30 - saved_at.timestamp() < SAVE_SECONDS)
        for at in range(first + 30, first + 3601, 30)
    )


def _interval(at: int, hosts: tuple[str, ...], *, is_saving: bool) -> SlotSamples:
    moved = 30 * (NODE_RATE if is_saving else 1e6)
    requests = moved / 2**20
    time = REQUEST_SECONDS if is_saving else QUIET_SECONDS
    queue = REQUEST_SECONDS * QUEUE_SHARE if is_saving else 0.0
    told = {
        "seconds": 30.0, "slots": 128.0, "write_bytes": moved, "write_requests": requests,
        "write_queue": queue * requests, "write_request": time * requests,
        "write_response": (time - queue) * requests,
        "backlog": 40.0 * requests if is_saving else 0.0, "sends": requests,
    }  # fmt: skip
    row = [told.get(name, 0.0) for name in HOST]
    whole = {**{name: told.get(name, 0.0) * len(hosts) for name in HOST}, "at": float(at)}
    whole |= {"seconds": 30.0, "host_count": float(len(hosts)), "utilization": 0.7}
    carried = moved * ADAPTER_SHARE
    whole |= {
        "adapter_hosts": float(len(hosts)),
        "adapter_sent": carried * len(hosts),
        "adapter_received": 0.0,
        "adapter_most_sent": carried,
        "adapter_most_received": 0.0,
    }
    return SlotSamples(
        mount=EXPORT,
        starts_at=(at - 30) // 300 * 300,
        totals=np.array([[whole[name] for name in TOTALS]]),
        hosts=hosts,
        by_host=np.array([[row for _ in hosts]]),
    )


def _session(
    operator: Organization,
    tenant: Organization,
    cluster: Cluster,
    hosts: tuple[str, ...],
    began: datetime,
) -> Session:
    with organization_scope(operator.pk, tenant.pk):
        session = Session.objects.create(
            organization=tenant,
            public_id=f"SES-{tenant.pk}",
            cluster=cluster,
            name=f"solar-{tenant.slug}",
            created_at=began,
        )
        for party in (operator, tenant):
            SessionParty.objects.create(organization=party, session=session)
        Attempt.objects.create(
            organization=tenant,
            session=session,
            hosts=list(hosts),
            hosts_asserted=True,
            started_at=began,
            state="running",
            world_size=8 * len(hosts),
        )
    return session


def _log(tenant: Organization, session: Session, saved_at: datetime) -> None:
    ended = saved_at + timedelta(seconds=SAVE_SECONDS)
    with organization_scope(tenant.pk):
        LoggedCheckpoints.objects.create(
            organization=tenant,
            session=session,
            starts_at=saved_at,
            ends_at=ended,
            body=[[1, "save", saved_at.isoformat(), ended.isoformat(), 1200, False, True]],
        )
