"""Eight nodes with four GPUs each whose minutes are kept: one GPU is hot, one node is silent."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.fleet.models import Attempt, Cluster, Node, ParticipationRole, Session, SessionParty
from apps.fleet.models import Device as DeviceRow
from apps.telemetry.fleet_metrics.minute_rows import write_minutes
from apps.telemetry.fleet_metrics.minute_samples import minute_samples
from apps.telemetry.models import Event, LogStream, Source
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make

OURS, THEIRS = (
    tuple(f"gpu{number:03}" for number in some) for some in ((1, 2, 3, 4), (5, 6, 7, 8))
)
HOT, SILENT = ("gpu003", 2), "gpu007"
TEMPERATURE, POWER, REPLAYS = "gpu.temperature", "gpu.power", "gpu.pcie.replays"
GPUS: Final = 4
MINUTES: Final = 30


@dataclass(frozen=True, kw_only=True)
class FleetWorld:
    """Who is there. `tenant` has a session on `OURS`, `other` one on `THEIRS`."""

    operator: Organization
    tenant: Organization
    other: Organization
    vendor: Organization
    outsider: Organization
    cluster: Cluster
    source: Source
    session: Session
    at: datetime  # the end of the newest minute


def build(*, now: datetime) -> FleetWorld:
    """Make the parties, their sessions, and half an hour of minutes."""
    cluster = make.cluster()
    parts = {
        "operator": ParticipationRole.OPERATOR,
        "tenant": ParticipationRole.TENANT,
        "other": ParticipationRole.TENANT,
        "vendor": ParticipationRole.GPU_VENDOR,
    }
    parties = {name: make.organization() for name in parts}
    for name, part in parts.items():
        make.participation(organization=parties[name], cluster=cluster, part=part)
    operator = parties["operator"]
    with organization_scope(operator.pk):
        source = Source.objects.create(
            organization=operator,
            public_id="SRC-FLEET",
            cluster=cluster,
            kind="prometheus",
            name="metrics",
            url="http://127.0.0.1:9",
            created_at=now,
        )
    began = now - timedelta(hours=6)
    session = _session(operator, parties["tenant"], cluster, OURS, began)
    _session(operator, parties["other"], cluster, THEIRS, began)
    at = now.replace(second=0, microsecond=0)
    keep(source, frames(at, (*OURS, *THEIRS)))
    return FleetWorld(
        **parties,
        outsider=make.organization(),
        cluster=cluster,
        source=source,
        session=session,
        at=at,
    )


def keep(source: Source, told: list[Frame]) -> None:
    """Keep frames as a pull does."""
    with organization_scope(source.organization_id):
        samples = list(minute_samples(frames=told))
        since = min(each.at for each in samples) - timedelta(minutes=1)
        write_minutes(source=source, samples=samples, since=since)


def frames(at: datetime, hosts: tuple[str, ...], *, gpus: int = GPUS) -> list[Frame]:
    """Return half an hour of temperature, power and replays of GPUs until a time."""
    devices = tuple(
        Device(kind="gpu", host=host, index=index) for host in hosts for index in range(gpus)
    )
    steps = np.arange(2 * MINUTES)
    base = np.array([60.0 + index for _ in hosts for index in range(gpus)])[:, None]
    heat = np.repeat(base, len(steps), axis=1)
    heat[[device.host == SILENT for device in devices]] = np.nan
    heat[[(device.host, device.index) == HOT for device in devices], -20:] = 93.0
    grown = np.cumsum(np.full(heat.shape, 30.0), axis=1)  # one a second
    told = {TEMPERATURE: heat, POWER: heat * 10, REPLAYS: grown}
    return [
        Frame(
            signal=catalog().signals[name],
            entities=devices,
            start=at.timestamp() - 30.0 * (len(steps) - 1),
            step=30.0,
            values=values,
        )
        for name, values in told.items()
    ]


def xid(world: FleetWorld, *, host: str, pci: str, code: int, at: datetime) -> None:
    """Let the operator's kernel log print an Xid, and its inventory know the GPU."""
    with organization_scope(world.operator.pk):
        node = Node.objects.create(
            organization=world.operator,
            cluster=world.cluster,
            name=host,
            first_seen_at=at,
            last_seen_at=at,
        )
        DeviceRow.objects.create(
            organization=world.operator,
            node=node,
            kind="gpu",
            index=1,
            uuid="board-one",
            pci=pci,
            first_seen_at=at,
            last_seen_at=at,
        )
        stream = LogStream.objects.create(
            organization=world.operator,
            cluster=world.cluster,
            kind="kernel",
            host=host,
            label_digest=b"x" * 32,
            labels={},
            last_received_at=at,
        )
        Event.objects.create(
            organization=world.operator,
            stream=stream,
            cluster=world.cluster,
            fingerprint=b"x" * 16,
            signature="nvrm-xid-79",
            role="initiating",
            layer="gpu",
            severity="error",
            at=at,
            received_at=at,
            order_key=1,
            host=host,
            body={"fields": {"xid": str(code), "pci": pci}},
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
            world_size=GPUS * len(hosts),
        )
    return session
