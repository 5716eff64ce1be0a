"""Leaving a cluster closes what comes later; coming back opens what comes from then on."""

from datetime import datetime

import pytest
from django.db import connection

from apps.diagnosis.model import statement_of
from apps.fleet.models import ParticipationRole
from apps.incidents.annotations import withdraw
from apps.incidents.correlation.incident_rows.incident_parties import set_parties
from apps.incidents.entries import Audience, StepEntry
from apps.incidents.judgement.feedback import opinions_of
from apps.incidents.lifecycle.acknowledge import acknowledge
from apps.incidents.lifecycle.resolution import resolve
from apps.incidents.models import (
    Annotation,
    Incident,
    IncidentParty,
    IncidentSnapshot,
    TimelineEntry,
)
from apps.incidents.projection.access import access_incident, access_incidents
from apps.incidents.projection.annotations import annotations_of, history_of, party_ids
from apps.incidents.projection.headers import read_headers
from apps.incidents.projection.incident_view import read_incident
from apps.incidents.projection.values import IncidentView
from apps.incidents.states import IncidentStatus
from apps.notifications.occasions.incident_changes import has_news, look
from apps.tenancy.access import NotFound
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.wording import headline_in_english, in_english
from tests.apps.incidents.leaving import (
    AFTER,
    BACK_AT,
    LATER,
    LEFT_AT,
    act_on,
    change,
    come_back,
    find_otherwise,
    leave,
    write_to_all,
)
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of

NOBODY = Audience()


def view_of(organization: Organization, incident: Incident) -> IncidentView:
    """Return everything that an organization reads of an incident."""
    with organization_scope(organization.pk):
        reader = actor(organization)
        found = access_incident(actor=reader, public_id=incident.public_id)
        return read_incident(actor=reader, incident=found)


def titles(view: IncidentView) -> set[str]:
    """Return what the timeline tells."""
    return {headline_in_english(statement_of(entry.statement)) for entry in view.timeline}


def texts(view: IncidentView) -> set[str]:
    """Return what the notes say."""
    return {note.text for note in view.annotations}


def test_who_left_reads_the_header_and_the_story_of_then(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    find_otherwise(cast, attempt, incident, LATER)
    act_on(cast.operator, incident, LATER)
    then, now = view_of(cast.vendor, incident), view_of(cast.operator, incident)

    assert (then.header.incident.layer, now.header.incident.layer) == ("gpu", "network")
    assert [each.cause for each in then.hypotheses] == ["gpu-off-bus"]
    assert then.header.incident.status == IncidentStatus.OPEN
    assert (then.header.left_at, now.header.left_at) == (LEFT_AT, None)
    assert not titles(then) & (titles(now) - titles(then))
    assert then.header.incident.revision < now.header.incident.revision


def test_the_tenant_of_the_session_reads_its_own_evidence_of_then(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    leave(cast.tenant, cast, ParticipationRole.TENANT)
    find_otherwise(cast, attempt, incident, LATER)
    view = view_of(cast.tenant, incident)

    assert [
        in_english(statement_of(item.statement))
        for each in view.hypotheses
        for item in each.supporting
    ] == ["TENANT-WORDS"]
    assert "TENANT-MOMENT" in titles(view)
    assert not [title for title in titles(view) if "NEW-" in title]


def test_lists_find_an_incident_that_was_left_by_its_state_of_then(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    act_on(cast.operator, incident, LATER)
    for organization, status in ((cast.vendor, "open"), (cast.operator, "resolved")):
        with organization_scope(organization.pk):
            reader = actor(organization)
            found = list(access_incidents(actor=reader, status=status))
            (header,) = read_headers(actor=reader, incidents=found)
            assert header.incident.status == status
            other = {"open": "resolved", "resolved": "open"}[status]
            assert not access_incidents(actor=reader, status=other).exists()


def test_one_that_is_withdrawn_later_stays_as_it_stood(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    with organization_scope(cast.tenant.pk):
        Incident.objects.filter(pk=incident.pk).update(status="withdrawn", public_id="INC-OTHER1")

    assert view_of(cast.vendor, incident).header.incident.status == IncidentStatus.OPEN


def test_a_note_to_all_parties_is_not_written_for_who_left(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    note = write_to_all(cast.operator, incident, "after", LATER)

    assert note.audience == sorted([cast.operator.pk, cast.tenant.pk])
    with organization_scope(cast.operator.pk):
        assert cast.vendor.slug not in party_ids(actor=actor(cast.operator), incident=incident)
    assert texts(view_of(cast.vendor, incident)) == set()
    assert texts(view_of(cast.tenant, incident)) == {"after"}


def test_who_left_keeps_the_version_it_read_unless_others_lose_it_too(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    kept = write_to_all(cast.operator, incident, "kept", make.AT)
    narrowed = write_to_all(cast.operator, incident, "narrowed", make.AT)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    change(kept, "newer", LATER)
    change(narrowed, "own", LATER, audience=NOBODY)

    assert texts(view_of(cast.vendor, incident)) == {"kept"}
    assert texts(view_of(cast.tenant, incident)) == {"newer"}


@pytest.mark.parametrize("is_gone", [True, False])
def test_nobody_but_its_author_reads_any_version_of_a_withdrawn_note(
    cast: Cast, *, is_gone: bool
) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    first = write_to_all(cast.operator, incident, "first", make.AT)
    change(first, "second", make.AT)
    for _ in range(is_gone):
        leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    with organization_scope(cast.operator.pk):
        last = Annotation.objects.get(version=2)
        withdraw(actor=actor(cast.operator), former=last, now=LATER)
    for reader in (cast.vendor, cast.tenant):
        with organization_scope(reader.pk):
            # Who was there reads that it was withdrawn, and none of its words.
            assert {row.text for row in Annotation.objects.all()} <= {""}
            if reader == cast.vendor and is_gone:
                with pytest.raises(NotFound):
                    history_of(actor=actor(reader), incident=incident, public_id=first.public_id)
    with organization_scope(cast.operator.pk):
        told = history_of(actor=actor(cast.operator), incident=incident, public_id=first.public_id)
        assert [row.text for row in told] == ["first", "second", ""]
        assert [row.text for row in annotations_of(incident=incident)] == [""]


def test_the_database_itself_closes_what_came_later(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    leave(cast.operator, _with_another_operator(cast), ParticipationRole.OPERATOR)
    find_otherwise(cast, attempt, incident, LATER)
    with organization_scope(cast.tenant.pk):
        told = TimelineEntry.objects.filter(incident=incident, for_all_parties=True)
        assert told.filter(created_at=LATER).exists()
    with organization_scope(cast.operator.pk), connection.cursor() as cursor:
        for table in ("fleet_attempt", "incidents_hypothesis", "incidents_incidentsession"):
            cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608  our own names
            assert cursor.fetchone() == (0,), table
        cursor.execute(
            "SELECT count(*) FROM incidents_timelineentry WHERE created_at = %s", [LATER]
        )
        assert cursor.fetchone() == (0,)


def test_who_comes_back_reads_on_and_nothing_from_between(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    find_otherwise(cast, attempt, incident, LATER)
    write_to_all(cast.operator, incident, "between", LATER)
    come_back(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    write_to_all(cast.operator, incident, "from then on", AFTER)
    view = view_of(cast.vendor, incident)

    assert (view.header.incident.layer, view.header.left_at) == ("network", None)
    assert texts(view) == {"from then on"}
    assert LATER not in {entry.created_at for entry in view.timeline}
    with organization_scope(cast.vendor.pk):
        party = IncidentParty.objects.get(incident=incident)
        assert [(each.lower, each.upper) for each in party.absences] == [(LEFT_AT, BACK_AT)]
        acknowledge(actor=actor(cast.vendor), incident=incident, now=AFTER)
        assert not IncidentSnapshot.objects.exists()


def test_every_absence_stays_closed(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    find_otherwise(cast, attempt, incident, LATER)
    come_back(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR, at=AFTER)
    come_back(cast.vendor, cast, ParticipationRole.GPU_VENDOR, at=make.AT.replace(hour=5))

    assert LATER not in {entry.created_at for entry in view_of(cast.vendor, incident).timeline}


@pytest.mark.parametrize(("since", "reads"), [(None, True), (BACK_AT, False)])
def test_whose_part_counts_since_ever_reads_what_was_told_meanwhile(
    cast: Cast, since: datetime | None, *, reads: bool
) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    find_otherwise(cast, attempt, incident, LATER)
    come_back(cast.vendor, cast, ParticipationRole.GPU_VENDOR, since=since)

    told = {entry.created_at for entry in view_of(cast.vendor, incident).timeline}
    assert (LATER in told) is reads


def test_who_comes_back_in_another_part_reads_without_the_former_ones_rights(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    leave(cast.operator, _with_another_operator(cast), ParticipationRole.OPERATOR)
    come_back(cast.operator, cast, ParticipationRole.NETWORK_VENDOR)
    view = view_of(cast.operator, incident)

    assert not view.header.rights.sees_session
    assert view.header.culprits is None
    fixed = StepEntry(reason="fixed")
    with organization_scope(cast.operator.pk), pytest.raises(NotFound):
        resolve(actor=actor(cast.operator), incident=incident, entry=fixed, now=AFTER)


def test_who_left_is_written_to_no_more(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    for organization in (cast.vendor, cast.operator):
        assert look(organization_id=organization.pk, now=LEFT_AT)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    find_otherwise(cast, attempt, incident, LATER)
    act_on(cast.operator, incident, LATER)

    assert has_news(organization_id=cast.operator.pk, now=LATER)
    assert not has_news(organization_id=cast.vendor.pk, now=LATER)
    assert look(organization_id=cast.vendor.pk, now=make.AT.replace(hour=9)) == []


def test_an_opinion_of_later_is_unknown_to_who_left(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    act_on(cast.operator, incident, LATER)
    with organization_scope(cast.vendor.pk):
        reader = actor(cast.vendor)
        found = access_incident(actor=reader, public_id=incident.public_id)
        assert opinions_of(actor=reader, incident=found) == []


def test_an_incident_without_a_cluster_is_its_owners_to_act_on(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(cast.tenant.pk):
        Incident.objects.filter(pk=incident.pk).update(cluster=None)
        incident.refresh_from_db()
        acknowledge(actor=actor(cast.tenant), incident=incident, now=LATER)
    with organization_scope(cast.operator.pk), pytest.raises(NotFound):
        acknowledge(actor=actor(cast.operator), incident=incident, now=LATER)


def test_another_tenant_that_left_does_not_stop_the_look_at_a_shared_incident(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    leave(cast.other_tenant, cast, ParticipationRole.TENANT)
    with organization_scope(*{*cast.ids} - {cast.other_tenant.pk}):
        set_parties(incident=incident, tenant_ids=[cast.tenant.pk, cast.other_tenant.pk])

    assert cast.other_tenant.pk not in {each["organization"] for each in incident.parties}


def _with_another_operator(cast: Cast) -> Cast:
    make.participation(
        organization=cast.stranger, cluster=cast.cluster, part=ParticipationRole.OPERATOR
    )
    return cast
