"""Incidents that blame nodes: few columns say the same as whole headers, for every reader."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest

from apps.incidents.facade.nodes import blamed_incidents, incidents_blaming
from apps.incidents.models import Incident, IncidentParty
from apps.incidents.projection.headers import read_headers
from apps.incidents.recurrence import blamed_incidents as blamed
from apps.incidents.recurrence.blamed_incidents import BlamedIncidents, HostInFull
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.failing_nodes import LEMON, OTHERS, broken
from tests.cast.incidents import Cast, actor

pytestmark = pytest.mark.django_db
LATER = make.AT + timedelta(days=5)


def _read(cast: Cast, who: Organization) -> BlamedIncidents:
    with organization_scope(who.pk):
        return blamed_incidents(
            actor=actor(who),
            cluster_id=cast.cluster.pk,
            since=make.AT - timedelta(days=5),
            until=LATER,
        )


@pytest.fixture
def told(cast: Cast) -> Cast:
    """Stops of both tenants, one withdrawn, one of too many hosts, one of another layer."""
    for hours, tenant in ((1, cast.tenant), (2, cast.other_tenant), (3, cast.tenant)):
        broken(cast, LEMON, make.AT + timedelta(hours=hours), tenant=tenant)
    gone = broken(cast, OTHERS[0], make.AT + timedelta(hours=4))
    many = broken(cast, OTHERS[1], make.AT + timedelta(hours=5))
    link = broken(cast, OTHERS[2], make.AT + timedelta(hours=6))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=gone.pk).update(status="withdrawn")
        culprits = [{"kind": "node", "host": host} for host in OTHERS]
        Incident.objects.filter(pk=many.pk).update(culprits=culprits)
        Incident.objects.filter(pk=link.pk).update(layer="network", cause="link-down")
        parties = IncidentParty.objects.filter(incident=link, organization=cast.vendor)
        parties.update(sees_culprit=False)
    return cast


def test_each_reader_counts_what_its_headers_show(
    told: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = (told.operator, told.tenant, told.other_tenant, told.vendor)
    quick = [_read(told, who) for who in readers]
    monkeypatch.setattr(blamed, "_is_plain", lambda _row, _mine: False)
    assert quick == [_read(told, who) for who in readers]
    assert [len(each.incidents) for each in quick] == [4, 3, 1, 3]
    assert [each.hidden_count for each in quick] == [0, 0, 0, 1]


def test_of_several_hosts_at_once_none_is_to_blame_and_withdrawn_ones_count_not(
    told: Cast,
) -> None:
    hosts = {host for each in _read(told, told.operator).incidents for host in each.hosts}
    assert hosts == {LEMON, OTHERS[2]}


def test_a_vendor_knows_no_attempt_and_a_stranger_nothing(told: Cast) -> None:
    assert all(not each.attempts for each in _read(told, told.vendor).incidents)
    assert _read(told, told.stranger).incidents == ()


def test_of_too_many_the_newest_are_counted_and_that_is_said(
    told: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blamed, "MOST", 2)
    found = _read(told, told.operator)
    assert found.is_cut
    assert [each.hosts for each in found.incidents] == [(OTHERS[2],)]


def test_those_of_one_host_come_whole_with_what_is_counted_in_one_reading(
    told: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    since = make.AT + timedelta(hours=1, minutes=30)
    read = Mock(side_effect=read_headers)
    monkeypatch.setattr(blamed, "read_headers", read)
    for who in (told.operator, told.tenant, told.other_tenant, told.vendor):
        with organization_scope(who.pk):
            asked: dict[str, Any] = {"cluster_id": told.cluster.pk, "until": LATER}
            asked["actor"] = actor(who)
            expected = incidents_blaming(host=LEMON, since=since, limit=20, **asked)
            read.reset_mock()
            found = blamed_incidents(
                since=make.AT - timedelta(days=5),
                whole=HostInFull(host=LEMON, since=since, limit=20),
                **asked,
            )
            newest = blamed_incidents(
                since=make.AT - timedelta(days=5),
                whole=HostInFull(host=LEMON, since=since, limit=1),
                **asked,
            )
        assert read.call_count == 2  # once each
        assert [each.id for each in found.in_full] == [each.id for each in expected]
        assert [each.id for each in newest.in_full] == [each.id for each in expected[:1]]
        assert replace(found, in_full=()) == _read(told, who)
