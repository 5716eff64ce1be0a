"""A vendor is told of what concerns its layer, and of no other stop of others' sessions."""

from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Participation, ParticipationRole
from apps.incidents.models import Incident
from apps.notifications.occasions.incident_changes import look
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.correlation.stopped_attempts import NFS, attempts
from tests.apps.notifications.revised_incidents import NOW, UNKNOWN, revise
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of

LATER = timedelta(minutes=1)
OTHER_LAYER: dict[str, Any] = {"layer": "network", "cause": "link-down", "verdict_status": "likely"}


def told(who: Organization, after: timedelta = timedelta()) -> list[str]:
    """Look, and return the kinds of what is told."""
    return [each.kind for each in look(organization_id=who.pk, now=NOW + after)]


@pytest.mark.parametrize("verdict", [UNKNOWN, NFS, OTHER_LAYER], ids=["open", "storage", "network"])
def test_of_what_is_not_its_layer_a_vendor_hears_nothing(
    cast: Cast, verdict: dict[str, Any]
) -> None:
    for attempt in attempts(cast, cast.tenant, 3):
        stop_of(cast, attempt, **verdict)
        assert told(cast.vendor) == []
    assert "incident.opened" in told(cast.operator)
    assert "incident.opened" in told(cast.tenant)
    assert told(cast.vendor, timedelta(hours=2)) == []


@pytest.mark.parametrize("verdict_status", ["possible", "likely"])
def test_it_hears_at_once_of_what_is(cast: Cast, verdict_status: str) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant), verdict_status=verdict_status)
    assert told(cast.vendor) == ["incident.opened", "incident.assigned"]
    assert told(cast.vendor, LATER) == []


def test_it_hears_when_an_open_question_turns_out_to_be_its_own(cast: Cast) -> None:
    incident: Incident = stop_of(cast, attempt_of(cast, cast.tenant), **UNKNOWN)
    assert told(cast.vendor) == []
    revise(cast, incident)
    assert told(cast.vendor, LATER) == ["incident.opened", "incident.assigned"]


def test_who_was_told_hears_that_it_was_something_else(cast: Cast) -> None:
    incident: Incident = stop_of(cast, attempt_of(cast, cast.tenant))
    told(cast.vendor)
    revise(cast, incident, **OTHER_LAYER)
    assert told(cast.vendor) == []
    assert told(cast.vendor, timedelta(minutes=2)) == ["incident.verdict_changed"]


@pytest.mark.parametrize("part", [ParticipationRole.PLATFORM, ParticipationRole.OPERATOR])
def test_who_serves_the_sessions_as_well_hears_of_all(cast: Cast, part: ParticipationRole) -> None:
    make.participation(organization=cast.vendor, cluster=cast.cluster, part=part)
    stop_of(cast, attempt_of(cast, cast.tenant), **UNKNOWN)
    assert told(cast.vendor) == ["incident.opened"]


def test_the_layers_that_it_named_are_its_own(cast: Cast) -> None:
    with organization_scope(cast.vendor.pk):
        own = Participation.objects.filter(organization=cast.vendor, cluster=cast.cluster)
        own.update(layers=["network"])
    stop_of(cast, attempt_of(cast, cast.tenant))
    assert told(cast.vendor) == []
    stop_of(cast, attempt_of(cast, cast.tenant), **OTHER_LAYER)
    assert told(cast.vendor) == ["incident.opened", "incident.assigned"]
