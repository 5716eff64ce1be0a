"""Who ran where: by spans and hosts, never by the label of a series."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.diagnosis.model import Device
from apps.fleet.models import Attempt, Cluster, ParticipationRole, Session
from apps.fleet.placement.running_attempts import running_at
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.make import AT

HOUR = timedelta(hours=1)


@pytest.fixture
def tenant() -> Organization:
    return make.organization()


@pytest.fixture
def cluster(tenant: Organization) -> Cluster:
    made = make.cluster()
    make.participation(organization=tenant, cluster=made, part=ParticipationRole.TENANT)
    return made


def attempt(
    tenant: Organization, cluster: Cluster, name: str, start: float, end: float | None, **more: Any
) -> Attempt:
    with organization_scope(tenant.pk):
        session = Session.objects.create(
            organization=tenant, public_id=f"SES-{name}", cluster=cluster, name=name, created_at=AT
        )
        return Attempt.objects.create(
            organization=tenant,
            session=session,
            started_at=AT + start * HOUR,
            ended_at=None if end is None else AT + end * HOUR,
            **{"hosts": ["gpu001", "gpu002"], **more},
        )


def names(tenant: Organization, cluster: Cluster, hours: float, **asked: Any) -> list[str]:
    """Return the sessions that ran on gpu001, or where else was asked for."""
    at: datetime = AT + hours * HOUR
    with organization_scope(tenant.pk):
        found = running_at(
            cluster_id=cluster.pk, reader_id=tenant.pk, at=at, **{"host": "gpu001", **asked}
        )
        return [run.attempt.session.name for run in found]


@pytest.mark.django_db
def test_an_instant_belongs_to_the_attempt_whose_span_holds_it(
    tenant: Organization, cluster: Cluster
) -> None:
    attempt(tenant, cluster, "first", 0, 5)
    attempt(tenant, cluster, "second", 6, None)
    attempt(tenant, cluster, "third", 9, None)
    asked = {hours: names(tenant, cluster, hours) for hours in (-1, 3, 5.5, 7, 10)}
    assert asked == {-1: [], 3: ["first"], 5.5: [], 7: ["second"], 10: ["third"]}
    assert names(tenant, cluster, 3, host="gpu002.dc.example") == ["first"]
    assert names(tenant, cluster, 3, host="gpu003") == []


@pytest.mark.django_db
def test_of_two_on_one_host_a_gpu_tells_which(tenant: Organization, cluster: Cluster) -> None:
    for name, gpu in (("left", 0), ("right", 1)):
        ranks = {"0": {"host": "gpu001", "gpu": gpu, "pci": "", "uuid": f"u{gpu}"}}
        attempt(tenant, cluster, name, 0, 5, ranks=ranks)
    assert names(tenant, cluster, 1) == ["left", "right"]
    by_index = Device(kind="gpu", host="gpu001", index=1)
    assert names(tenant, cluster, 1, gpu=by_index) == ["right"]
    renumbered = Device(kind="gpu", host="gpu001", index=1, uuid="u0")
    assert names(tenant, cluster, 1, gpu=renumbered) == ["left"]
