"""What each party reads of one incident."""

from datetime import timedelta

import pytest

from apps.diagnosis.model import statement_of
from apps.incidents.lifecycle.acknowledge import acknowledge
from apps.incidents.models import EvidenceItem, Incident, TimelineEntry
from apps.incidents.projection.access import access_incident, access_incidents
from apps.incidents.projection.incident_view import read_incident, read_timeline
from apps.incidents.timeline import append, milliseconds
from apps.tenancy.access import NotFound
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.wording import headline_in_english, in_english
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of, telling


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of the tenant's session, blamed on a GPU."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


def test_tenant_and_operator_read_the_same_header_with_their_own_evidence(
    cast: Cast, incident: Incident
) -> None:
    words = {}
    for who in (cast.tenant, cast.operator):
        with organization_scope(who.pk):
            view = read_incident(actor=actor(who), incident=incident)
        assert view.header.culprits
        words[who.pk] = [
            in_english(statement_of(item.statement)) for item in view.hypotheses[0].supporting
        ]
    assert words == {cast.tenant.pk: ["TENANT-WORDS"], cast.operator.pk: ["OPERATOR-WORDS"]}


def test_a_reader_learns_layer_and_weight_of_what_others_hold(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.tenant.pk):
        view = read_incident(actor=actor(cast.tenant), incident=incident)
    (held,) = view.hypotheses[0].held
    assert (held.organization.id, held.layer, held.count, held.weight) == (
        cast.operator.pk,
        "gpu",
        1,
        3,
    )


def test_a_line_that_is_cited_twice_is_shown_by_what_it_weighs_most(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.tenant.pk):
        item = EvidenceItem.objects.get(organization=cast.tenant, side="for")
        weight = item.weight
        item.pk, item.weight, item.position = None, 0.0, item.position + 1
        item.save(force_insert=True)
        view = read_incident(actor=actor(cast.tenant), incident=incident)
    assert [each.weight for each in view.hypotheses[0].supporting] == [weight]


def test_the_vendor_of_the_blamed_layer_sees_the_culprit_but_no_session(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.vendor.pk):
        view = read_incident(actor=actor(cast.vendor), incident=incident)
    assert view.header.culprits
    assert view.header.attempts == ()
    assert view.header.coverage[0]["missing_hosts"] is None
    assert [entry.kind for entry in view.timeline] == ["verdict"]


def test_the_vendor_of_another_layer_sees_no_culprit(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant), layer="network", cause="link-down")
    with organization_scope(cast.vendor.pk):
        header = read_incident(actor=actor(cast.vendor), incident=incident).header
    assert header.culprits is None
    assert header.restart["exclude_hosts"] is None


@pytest.mark.parametrize("name", ["other_tenant", "stranger"])
def test_who_takes_no_part_finds_nothing(cast: Cast, incident: Incident, name: str) -> None:
    outsider: Organization = getattr(cast, name)
    someone = actor(outsider)
    with organization_scope(outsider.pk):
        assert list(access_incidents(actor=someone)) == []
        assert not EvidenceItem.objects.exists()
        assert not TimelineEntry.objects.exists()
        with pytest.raises(NotFound):
            access_incident(actor=someone, public_id=incident.public_id)


def test_without_a_scope_there_are_no_rows(cast: Cast, incident: Incident) -> None:
    assert not Incident.objects.filter(pk=incident.pk).exists()


def test_what_people_did_stands_in_its_place_by_time(cast: Cast, incident: Incident) -> None:
    later = make.AT + timedelta(minutes=5)
    key = {"order_key": milliseconds(make.AT)}
    told = [
        telling(cast.tenant, "it broke", **key),
        telling(cast.tenant, "printed right after", at=None, **key),
        telling(cast.tenant, "long after", at=later, order_key=milliseconds(later)),
    ]
    with organization_scope(cast.tenant.pk):
        append(incident=incident, tellings=told, now=make.AT)
        acknowledge(actor=actor(cast.tenant), incident=incident, now=later - timedelta(minutes=1))
        entries = read_timeline(incident=incident)
    timed = [entry.at for entry in entries if entry.at]
    titles = [headline_in_english(statement_of(entry.statement)) for entry in entries]

    assert timed == sorted(timed)
    assert titles[titles.index("it broke") + 1] == "printed right after"
    assert "acknowledged" in titles[-2]
