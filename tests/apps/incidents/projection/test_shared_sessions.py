"""Sessions that their tenant shows a vendor, who reads of none otherwise: how much, and where."""

import json
from datetime import timedelta

import pytest

from apps.incidents.facade.shared import shared_sessions
from apps.incidents.facade.view_as import incident_as
from apps.incidents.models import Incident
from apps.incidents.projection.shared_values import SharedSession
from apps.sharing.agreement_acts import revoke
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import of, view
from tests.cast import make
from tests.cast.agreements import admin_of, agreed, proposed
from tests.cast.clients import member, token
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of

ENDED = make.AT + timedelta(minutes=7, seconds=42)


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    # Its culprit is gpu001, which the vendor of the blamed layer reads by name.
    told = {"hosts": ["gpu001", "gpu777"], "world_size": 16, "state": "failed", "ended_at": ENDED}
    return stop_of(cast, attempt_of(cast, cast.tenant, **told))


def rule(level: Level, where: Place = Place.INCIDENTS, keep_days: int | None = None) -> SharingRule:
    return SharingRule(data="sessions", level=level, where=where, keep_days=keep_days)


def show(cast: Cast, *rules: SharingRule) -> None:
    agreed(cast.tenant, cast.vendor, cast.cluster, terms={cast.tenant.slug: list(rules)})


def read(incident: Incident, reader: Organization) -> tuple[SharedSession, ...]:
    found = view(incident, reader).sessions
    with organization_scope(reader.pk):
        told = shared_sessions(actor=actor(reader), public_id=incident.public_id)
    assert tuple(told) == found
    return found


def test_nobody_is_shown_a_session_without_a_rule(cast: Cast, incident: Incident) -> None:
    assert read(incident, cast.vendor) == ()
    show(cast, SharingRule(data="events:*", level=Level.FULL))
    assert read(incident, cast.vendor) == ()


def test_as_a_signal_it_is_times_and_sizes(cast: Cast, incident: Incident) -> None:
    show(cast, rule(Level.SIGNAL))

    (shown,) = read(incident, cast.vendor)

    assert (shown.host_count, shown.rank_count) == (2, 16)
    assert shown.ended_at == ENDED.replace(second=0)
    assert (shown.name, shown.state, shown.hosts, shown.attempt) == ("", "", (), None)


def test_redacted_it_has_hosts_and_a_name_that_are_not_its_own(
    cast: Cast, incident: Incident
) -> None:
    show(cast, rule(Level.REDACTED))

    (shown,) = read(incident, cast.vendor)

    assert shown.state == "failed"
    assert shown.ended_at == ENDED
    assert shown.hosts[0] == "gpu001"  # its header names it
    assert shown.hosts[1].startswith("host-")
    assert "gpu777" not in str(shown)
    with organization_scope(cast.tenant.pk):
        own = view(incident, cast.tenant).header.attempts[0].session
    assert own.name
    assert own.name not in str(shown)


def test_the_order_of_pseudonyms_tells_no_name(cast: Cast) -> None:
    hosts = [f"gpu{n:03}" for n in range(1, 33)]
    hit = stop_of(cast, attempt_of(cast, cast.tenant, hosts=hosts))
    show(cast, rule(Level.REDACTED))

    (shown,) = read(hit, cast.vendor)

    assert len(shown.hosts) == 32
    assert shown.hosts == tuple(sorted(shown.hosts))


def test_in_full_it_is_as_its_tenant_reads_it(cast: Cast, incident: Incident) -> None:
    show(cast, rule(Level.FULL))

    (shown,) = read(incident, cast.vendor)

    own = view(incident, cast.tenant).header.attempts[0]
    assert shown.hosts == ("gpu001", "gpu777")
    assert (shown.name, shown.attempt, shown.state) == (own.session.name, own.number, own.state)


def test_around_incidents_that_blame_ones_layer_it_is_not_shown_of_others(cast: Cast) -> None:
    show(cast, rule(Level.SIGNAL, Place.BLAMED))
    blamed = stop_of(cast, attempt_of(cast, cast.tenant))
    other = stop_of(cast, attempt_of(cast, cast.tenant), layer="storage", cause="checkpoint-slow")

    assert len(read(blamed, cast.vendor)) == 1
    assert read(other, cast.vendor) == ()


def test_who_reads_sessions_by_its_part_has_them_in_the_header_alone(
    cast: Cast, incident: Incident
) -> None:
    agreed(cast.tenant, cast.operator, cast.cluster, terms=of(rule(Level.SIGNAL), cast.tenant))

    assert read(incident, cast.operator) == ()
    assert len(view(incident, cast.operator).header.attempts) == 1


def test_it_ends_with_its_days_and_with_the_agreement(cast: Cast, incident: Incident) -> None:
    made = agreed(cast.tenant, cast.vendor, cast.cluster, terms=of(rule(Level.FULL), cast.tenant))
    assert len(read(incident, cast.vendor)) == 1

    told = admin_of(cast.tenant, now=make.AT + timedelta(hours=1))
    with organization_scope(cast.tenant.pk):
        revoke(actor=told.actor, agreement=made, number=1, reason="over", context=told)
    assert read(incident, cast.vendor) == ()

    show(cast, rule(Level.FULL, keep_days=1))  # the incident is older
    assert read(incident, cast.vendor) == ()


def test_each_look_is_in_the_ledger_of_the_tenant(cast: Cast, incident: Incident) -> None:
    show(cast, rule(Level.REDACTED))

    view(incident, cast.vendor)

    with organization_scope(cast.tenant.pk):
        (entry,) = LedgerEntry.objects.for_organization(cast.tenant)
    assert entry.reader_id == cast.vendor.pk
    assert entry.shown == [{"data": "sessions", "level": "redacted", "count": 1}]


def test_its_tenant_sees_the_same_when_it_looks_as_the_vendor(
    cast: Cast, incident: Incident
) -> None:
    show(cast, rule(Level.REDACTED))
    told = admin_of(cast.tenant)

    def looked(*, proposed: bool) -> tuple[SharedSession, ...]:
        with organization_scope(cast.tenant.pk):
            found = incident_as(
                actor=told.actor,
                public_id=incident.public_id,
                slug=cast.vendor.slug,
                now=told.now,
                proposed=proposed,
            )
        return found.view.sessions

    assert looked(proposed=False) == read(incident, cast.vendor)
    proposed(cast.tenant, cast.vendor, cast.cluster, terms=of(rule(Level.SIGNAL), cast.tenant))
    (signal,) = looked(proposed=True)
    assert (signal.shared.level, signal.hosts) == (Level.SIGNAL, ())


def test_page_rest_and_files_tell_the_same(cast: Cast, incident: Incident) -> None:
    show(cast, rule(Level.REDACTED))
    (shown,) = read(incident, cast.vendor)
    machine = token(cast.vendor)
    path = f"incidents/{incident.public_id}/"

    (told,) = machine.get(f"{path}shared-sessions/").json()["results"]
    assert (told["hosts"], told["name"]) == ([*shown.hosts], shown.name)
    written = json.loads(b"".join(machine.get(f"{path}export.json").streaming_content))
    assert written["shared_sessions"] == [told]
    table = b"".join(machine.get(f"{path}export.csv").streaming_content).decode()
    person = member(cast.vendor).client
    page = person.get(f"/o/{cast.vendor.slug}/{path}").content.decode()
    assert all(each in text for each in (*shown.hosts, shown.name) for text in (table, page))
    assert "gpu777" not in table + page

    others = token(cast.operator).get(f"{path}shared-sessions/").json()["results"]
    assert others == []
