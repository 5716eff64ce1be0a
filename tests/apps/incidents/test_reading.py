"""What each party reads of one incident."""

import pytest

from apps.incidents.access import access_incident, access_incidents
from apps.incidents.models import EvidenceItem, Incident, TimelineEntry
from apps.incidents.reading import read_incident
from apps.tenancy.access import NotFound
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.cast import Cast, actor, attempt_of, stop_of


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
        words[who.pk] = [item.text for item in view.hypotheses[0].supporting]
    assert words == {cast.tenant.pk: ["TENANT-WORDS"], cast.operator.pk: ["OPERATOR-WORDS"]}


def test_a_reader_learns_layer_and_weight_of_what_others_hold(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.tenant.pk):
        view = read_incident(actor=actor(cast.tenant), incident=incident)
    (held,) = view.hypotheses[0].held
    assert (held.organization, held.layer, held.count, held.weight) == (cast.operator, "gpu", 1, 3)


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
