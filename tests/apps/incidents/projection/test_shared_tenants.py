"""What one of several tenants of a shared incident reads of others: nothing of another tenant."""

from dataclasses import replace

import pytest

from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.hypothesis_rows import write_hypotheses
from apps.incidents.models import EvidenceItem, Incident, IncidentSession
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, moment, of, shared, view, words
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, assemble, attempt_of, conclusion, piece, stop_of


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


def test_another_tenant_s_evidence_is_nobody_s_business(cast: Cast) -> None:
    """Of a shared part's incident a tenant reads what befell its own sessions, alone."""
    mine, theirs = (
        attempt_of(cast, cast.tenant),
        attempt_of(cast, cast.other_tenant, hosts=["gpu009"]),
    )
    incident = stop_of(cast, mine)
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(kind="shared")
        EvidenceItem.objects.for_organization(cast.operator).update(attempt=theirs)
        moment(incident, cast.operator, "THEIRS", attempt=theirs)
    agreed(
        cast.operator,
        cast.tenant,
        cast.cluster,
        terms=of(SharingRule(data="events:*", level=Level.FULL), cast.operator),
    )

    read = view(incident, cast.tenant)

    assert shared(read) == []
    assert "THEIRS" not in words(read)


def test_what_is_held_counts_own_sessions_alone(cast: Cast) -> None:
    """A number that is larger than what one's own session explains tells of another tenant."""
    mine = attempt_of(cast, cast.tenant)
    theirs = attempt_of(cast, cast.other_tenant, hosts=["gpu009"])
    incident = stop_of(cast, mine)
    told = conclusion(cast)
    more = piece(cast.operator, "ABOUT-THEIRS", 2.0)
    hypothesis = told.hypotheses[0]
    held = [{**each, "count": each["count"] + 4} for each in hypothesis["held"]]
    told = replace(told, hypotheses=[hypothesis | {"held": held}], pieces=(*told.pieces, more))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(kind="shared")
        incident.refresh_from_db()
        attach(incident=incident, attempt=theirs, conclusion=told)
        sessions = list(IncidentSession.objects.filter(incident=incident))
        write_hypotheses(
            incident=incident, sessions=sessions, strongest={"hypotheses": told.hypotheses}
        )

    before = view(incident, cast.tenant).hypotheses[0].held
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    after = view(incident, cast.tenant).hypotheses[0].held

    assert [each.count for each in before] == [1]
    assert after == ()
    assert [each.count for each in view(incident, cast.vendor).hypotheses[0].held] == [5, 5]
