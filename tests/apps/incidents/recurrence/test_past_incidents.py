"""Earlier incidents: what makes two alike, how often a host was blamed, and who reads of it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import (
    IncidentIdentity,
    new_public_id,
    open_incident,
    rewrite,
)
from apps.incidents.facade.reads import incident_header, past_incidents
from apps.incidents.models import Incident
from apps.incidents.recurrence import past_incidents as recurrence
from apps.incidents.recurrence.past_incidents import Likeness, PastIncidents
from apps.incidents.states import IncidentKind
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, conclusion, stop_of
from tests.web.incident.incident_pages import page

pytestmark = pytest.mark.django_db
GPU_5: Mapping[str, Any] = {"kind": "gpu", "host": "gpu001", "index": 5, "pci": "0000:c1:00.0"}
LINK: Mapping[str, Any] = {"layer": "network", "cause": "link-down"}


def _before(cast: Cast, days: float, tenant: Organization | None = None, **header: Any) -> Incident:
    """Record a stop that broke so many days before those of the cast."""
    owner = tenant or cast.tenant
    found = stop_of(cast, attempt_of(cast, owner), **header)
    with organization_scope(*cast.ids):
        broke_at = make.AT - timedelta(days=days)
        Incident.objects.filter(pk=found.pk).update(started_at=broke_at)
    return found


def _past(cast: Cast, incident: Incident, reader: Organization) -> PastIncidents:
    with organization_scope(reader.pk):
        header = incident_header(actor=actor(reader), public_id=incident.public_id)
        return past_incidents(actor=actor(reader), header=header)


def _told(past: PastIncidents) -> Mapping[str, tuple[Likeness, bool]]:
    return {
        each.header.incident.public_id: (each.likeness, each.has_same_cause)
        for each in past.incidents
    }


def test_the_same_device_comes_before_its_host_and_that_before_the_cause(cast: Cast) -> None:
    elsewhere = [{"kind": "gpu", "host": "gpu044", "index": 1}]
    cause = _before(cast, 1, culprits=elsewhere)
    host = _before(cast, 2, culprits=[{**GPU_5, "index": 6, "pci": "0000:d1:00.0"}], **LINK)
    device = _before(cast, 3, culprits=[{**GPU_5}], **LINK)
    both = _before(cast, 4, culprits=[{**GPU_5}])
    _before(cast, 5, culprits=elsewhere, **LINK)
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{**GPU_5}])
    told = _told(_past(cast, incident, cast.operator))
    assert list(told.items()) == [
        (both.public_id, (Likeness.DEVICE, True)),
        (device.public_id, (Likeness.DEVICE, False)),
        (host.public_id, (Likeness.HOST, False)),
        (cause.public_id, (Likeness.CAUSE, True)),
    ]


def test_a_host_is_counted_over_four_weeks_before(cast: Cast) -> None:
    for days in (1, 27, 29, 80, 95):
        _before(cast, days, culprits=[{**GPU_5}], **LINK)
    later = _before(cast, -1, culprits=[{**GPU_5}], **LINK)
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{**GPU_5}])
    past = _past(cast, incident, cast.operator)
    assert past.blamed_before == {"gpu001": 2}
    assert len(past.incidents) == 4
    assert later.public_id not in _told(past)


def test_where_not_all_are_counted_the_page_says_at_least(
    client: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recurrence, "MOST_OF_PARTS", 2)
    for days in (1, 2, 3):
        _before(cast, days, culprits=[{**GPU_5}], **LINK)
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{**GPU_5}])
    assert _past(cast, incident, cast.operator).is_at_least
    client.force_login(make.user(organization=cast.operator))
    said = "gpu001 was blamed at least 2 times in the 28 days before"
    assert said in page(client, cast.operator, incident)


def test_incidents_whose_culprit_is_hidden_are_neither_counted_nor_in_the_way(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recurrence, "MOST_OF_PARTS", 2)
    for days in (1, 2):
        _before(cast, days, culprits=[{**GPU_5}], **LINK)
    shown = _before(cast, 3, culprits=[{**GPU_5}])
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{**GPU_5}])
    past = _past(cast, incident, cast.vendor)
    assert past.blamed_before == {"gpu001": 1}
    assert not past.is_at_least
    assert set(_told(past)) == {shown.public_id}


def test_a_tenant_reads_of_its_own_alone_and_of_no_part_that_is_hidden(cast: Cast) -> None:
    of_other = _before(cast, 1, cast.other_tenant, culprits=[{**GPU_5}])
    own = _before(cast, 2, culprits=[{**GPU_5}])
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{**GPU_5}])
    assert set(_told(_past(cast, incident, cast.tenant))) == {own.public_id}
    assert _past(cast, incident, cast.tenant).blamed_before == {"gpu001": 1}
    everything = {own.public_id, of_other.public_id}
    assert set(_told(_past(cast, incident, cast.operator))) == everything
    with organization_scope(cast.operator.pk):
        header = incident_header(actor=actor(cast.operator), public_id=incident.public_id)
        hidden = past_incidents(actor=actor(cast.operator), header=replace(header, culprits=None))
    assert {likeness for likeness, _ in _told(hidden).values()} == {Likeness.CAUSE}
    assert hidden.blamed_before == {}


def test_of_many_hosts_none_is_counted_and_an_unknown_cause_resembles_nothing(cast: Cast) -> None:
    many = [{"kind": "node", "host": f"gpu{n:03}"} for n in range(20)]
    unknown: Mapping[str, Any] = {
        "layer": "unknown",
        "cause": "unknown",
        "verdict_status": "unknown",
    }
    _before(cast, 1, culprits=many, **unknown)
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=many, **unknown)
    assert _past(cast, incident, cast.operator) == PastIncidents(blamed_before={})


def test_the_page_says_it_and_leads_there(client: Client, cast: Cast) -> None:
    before = _before(cast, 2, culprits=[{**GPU_5}])
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{**GPU_5}])
    client.force_login(make.user(organization=cast.operator))
    shown = page(client, cast.operator, incident)
    assert "gpu001 was blamed once in the 28 days before" in shown
    assert f'href="/o/{cast.operator.slug}/incidents/{before.public_id}/"' in shown
    assert "same part, same cause" in shown
    assert "was blamed" not in page(client, cast.operator, before)


def _shared(cast: Cast, days: float, *, mine: list[Mapping[str, Any]]) -> Incident:
    """Record what hit both tenants so many days before: it blames the other one's host, and of the
    tenant's own session some parts.
    """
    broke_at = make.AT - timedelta(days=days)
    told = conclusion(cast, culprits=[{**GPU_5}])
    place = IncidentIdentity(
        owner_id=cast.operator.pk,
        kind=IncidentKind.SHARED,
        cluster_id=cast.cluster.pk,
        attempt_id=None,
        entity=f"mount:/ckpt{days}",
    )
    hit = {cast.tenant: mine, cast.other_tenant: [{**GPU_5}]}
    attempts = {each: attempt_of(cast, each) for each in hit}
    with organization_scope(*cast.ids):
        incident = open_incident(
            place=place,
            conclusion=told,
            public_id=new_public_id(),
            is_simulated=False,
            now=broke_at,
        )
        for tenant, culprits in hit.items():
            own = replace(conclusion(cast, culprits=culprits), started_at=broke_at)
            attach(incident=incident, attempt=attempts[tenant], conclusion=own)
            rewrite(
                incident=incident,
                attempt=attempts[tenant],
                conclusion=own,
                newest_evidence_at=None,
                now=broke_at,
            )
        Incident.objects.filter(pk=incident.pk).update(started_at=broke_at, culprits=[{**GPU_5}])
    return incident


def test_whom_another_tenant_reads_of_is_not_counted_to_say_at_least(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recurrence, "MOST_OF_PARTS", 2)
    for days in (1, 2):
        _shared(cast, days, mine=[])
    own = _before(cast, 3, culprits=[{**GPU_5}])
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{**GPU_5}])
    past = _past(cast, incident, cast.tenant)
    assert past.blamed_before == {"gpu001": 1}
    assert not past.is_at_least
    assert _told(past)[own.public_id][0] is Likeness.DEVICE
    assert _past(cast, incident, cast.operator).is_at_least


def test_what_hit_several_tenants_counts_for_one_whose_own_session_blames_the_host(
    cast: Cast,
) -> None:
    for days in (1, 2):
        _shared(cast, days, mine=[{**GPU_5}])
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{**GPU_5}])
    assert _past(cast, incident, cast.tenant).blamed_before == {"gpu001": 2}
