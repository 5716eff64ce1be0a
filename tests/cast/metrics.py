"""A source of an operator, eight hosts with GPUs, and somebody else who must see nothing."""

from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from apps.fleet.models import Attempt, Cluster, ParticipationRole, Session, SessionParty
from apps.telemetry.models import Anomaly, Source
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import Sample, World
from tests.cast import make

NOW = make.AT
HOSTS = tuple(f"gpu{number:03}" for number in range(1, 9))


@dataclass(frozen=True)
class Cast:
    """Who is in the tests of metrics."""

    operator: Organization
    outsider: Organization
    cluster: Cluster


def cast() -> Cast:
    """Make the operator of a cluster and an organization beside it."""
    operator, outsider, cluster = make.organization(), make.organization(), make.cluster()
    make.participation(organization=operator, cluster=cluster, part=ParticipationRole.OPERATOR)
    return Cast(operator=operator, outsider=outsider, cluster=cluster)


def source(people: Cast, url: str, *, name: str = "metrics", **fields: object) -> Source:
    """Make a source of the operator."""
    with organization_scope(people.operator.id):
        return Source.objects.create(
            **{
                "organization": people.operator,
                "public_id": f"SRC-{name}",
                "cluster": people.cluster,
                "kind": "prometheus",
                "name": name,
                "url": url,
                "allowed_networks": ["127.0.0.1/32"],
                "is_simulated": True,
                "created_at": NOW,
                **fields,
            }
        )


def attempt(people: Cast) -> Attempt:
    """Make a session of the outsider on all hosts, known to the operator."""
    with organization_scope(people.outsider.id, people.operator.id):
        session = Session.objects.create(
            organization=people.outsider,
            public_id="SES-1",
            cluster=people.cluster,
            name="solar-1",
            created_at=NOW,
        )
        for party in (people.outsider, people.operator):
            SessionParty.objects.create(organization=party, session=session)
        return Attempt.objects.create(
            organization=people.outsider,
            session=session,
            hosts=list(HOSTS),
            hosts_asserted=True,
            started_at=NOW - timedelta(hours=5),
        )


def healthy(world: World) -> None:
    """Serve eight hosts with four GPUs each that work alike."""
    for number, host in enumerate(HOSTS):
        world.add("node_boot_time_seconds", 1.7e9, instance=f"{host}:9100")
        for index in range(4):
            labels = {"Hostname": host, "gpu": str(index), "UUID": f"GPU-{number}{index}"}
            world.add("DCGM_FI_DEV_SM_CLOCK", 1900.0 + index, **labels)
            world.add("DCGM_FI_DEV_GPU_TEMP", 60.0 + index, **labels)
            world.add("DCGM_FI_DEV_GPU_UTIL", 99.0, **labels)


def since(seconds_ago: float, value: float, *, before: float = 0.0) -> Sample:
    """Return a sample function that steps to a value some seconds before NOW."""
    edge = NOW.timestamp() - seconds_ago
    return lambda at: np.where(at >= edge, value, before)


def reloaded(made: Source) -> Source:
    """Return the row as it is now."""
    with organization_scope(made.organization_id):
        return Source.objects.get(id=made.pk)


def anomalies(people: Cast) -> list[Anomaly]:
    """Return what the operator's sources found."""
    with organization_scope(people.operator.id):
        return list(Anomaly.objects.order_by("starts_at", "id"))
