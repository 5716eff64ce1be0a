"""Nodes: what sits in them, and what sat there before, from when to when."""

from datetime import timedelta

import pytest

from apps.fleet.inventory import DeviceReport, NodeReport, record_devices
from apps.fleet.models import ParticipationRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import assemble, attempt_of
from tests.cast.make import AT

HOUR = timedelta(hours=1)


@pytest.mark.django_db
def test_a_replaced_board_stays_readable_with_its_span() -> None:
    operator, stranger, cluster = make.organization(), make.organization(), make.cluster()
    for each in (operator, stranger):
        make.participation(organization=each, cluster=cluster, part=ParticipationRole.OPERATOR)
    for hours, uuid in ((0, "GPU-old"), (5, "GPU-new")):
        board = DeviceReport(kind="gpu", index=3, uuid=uuid, pci="0000:1b:00.0", serial=uuid[4:])
        with organization_scope(operator.pk):
            record_devices(
                cluster=cluster,
                organization_id=operator.pk,
                nodes=[NodeReport(name="gpu017", devices=(board,))],
                now=AT + hours * HOUR,
            )
    answer = member(operator).get(f"nodes/{cluster.slug}:gpu017/").json()
    (now,), (before,) = answer["devices"], answer["former_devices"]
    assert (now["uuid"], now["serial"], now["replaced_at"]) == ("new", "new", None)
    assert (before["uuid"], before["first_seen_at"], before["replaced_at"]) == (
        "old",
        "2026-11-21T02:00:00Z",
        "2026-11-21T07:00:00Z",
    )
    then = member(operator).get(f"nodes/{cluster.slug}:gpu017/", at="2026-11-21T05:00:00Z").json()
    assert [each["uuid"] for each in then["devices"]] == ["old"]
    assert member(operator).get(f"nodes/{cluster.slug}:gpu017/", at="noon").status_code == 400
    assert member(stranger).get(f"nodes/{cluster.slug}:gpu017/").status_code == 404


@pytest.mark.django_db
def test_who_ran_on_a_node_at_a_time_is_told_to_who_may_know() -> None:
    people = assemble()
    attempt_of(people, people.tenant, ended_at=AT + HOUR)
    for who in (people.operator, people.vendor):
        with organization_scope(who.pk):
            record_devices(
                cluster=people.cluster,
                organization_id=who.pk,
                nodes=[NodeReport(name="gpu001")],
                now=AT,
            )
    path, during = f"nodes/{people.cluster.slug}:gpu001/", "2026-11-21T02:30:00Z"
    assert len(member(people.operator).get(path, at=during).json()["sessions"]) == 1
    assert member(people.operator).get(path).json()["sessions"] == []
    assert member(people.vendor).get(path, at=during).json()["sessions"] == []
