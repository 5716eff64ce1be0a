"""A part that several sessions share is one incident, of which each party reads its own."""

from dataclasses import replace

from apps.diagnosis.model import (
    Action,
    Coverage,
    CoverageState,
    Device,
    Diagnosis,
    FirstStopBy,
    FirstStopper,
    Missing,
    statement,
)
from apps.fleet.models import Participation, ParticipationRole
from apps.fleet.parties.leave_cluster import give_up
from apps.incidents.annotations import annotate
from apps.incidents.entries import Note
from apps.incidents.projection.access import access_incident, access_incidents
from apps.incidents.projection.annotations import annotations_of
from apps.incidents.projection.headers import read_header
from apps.incidents.projection.incident_view import read_incident
from apps.incidents.states import IncidentKind
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.correlation.struck_sessions import (
    LATER,
    NOW,
    SERVER,
    SOON,
    STORAGE,
    UNKNOWN,
    _look,
    listed,
)
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of

LOOK = statement("text", text="Look at the host")
WOULD = statement("shows-host-error")


def test_a_shared_part_is_one_incident_and_each_tenant_sees_its_own_session(cast: Cast) -> None:
    one, other = attempt_of(cast, cast.tenant), attempt_of(cast, cast.other_tenant)
    _look(cast, one, STORAGE, SOON)
    outcome = _look(cast, other, STORAGE, LATER)
    assert listed(cast) == [("shared", "open", "checkpoint-slow")]
    assert outcome.incident is not None
    for tenant, attempt in ((cast.tenant, one), (cast.other_tenant, other)):
        with organization_scope(tenant.pk):
            reader = actor(tenant)
            header = read_header(actor=reader, incident=outcome.incident)
            assert [each.id for each in header.attempts] == [attempt.pk]
            known = {party.organization.id for party in header.parties}
            assert known == {tenant.pk, cast.operator.pk, cast.vendor.pk}


def _naming(rank: int, host: str) -> Diagnosis:
    return replace(
        STORAGE,
        first_stopper=FirstStopper(ranks=(rank,), by=FirstStopBy.SILENCE),
        actions=(
            Action(
                statement=statement("text", text="Look at the host"),
                owner="operator",
                hosts=(host,),
            ),
        ),
        coverage=(
            Coverage(source="kernel-log", state=CoverageState.ABSENT, missing_hosts=(host,)),
        ),
        hypotheses=(
            replace(
                STORAGE.hypotheses[0],
                culprits=(SERVER, Device(kind="rank", host=host, rank=rank)),
                missing=(
                    Missing(
                        source="kernel-log",
                        hosts=(host,),
                        held_by="operator",
                        would=statement("shows-host-error"),
                    ),
                ),
            ),
        ),
    )


def test_one_tenant_of_a_shared_incident_reads_no_host_or_rank_of_the_other(cast: Cast) -> None:
    one, other = attempt_of(cast, cast.tenant), attempt_of(cast, cast.other_tenant)
    _look(cast, one, _naming(11, "gpu-of-one"), SOON)
    outcome = _look(cast, other, _naming(22, "gpu-of-other"), LATER)
    assert outcome.incident is not None
    for tenant, own, foreign in (
        (cast.tenant, "gpu-of-one", "gpu-of-other"),
        (cast.other_tenant, "gpu-of-other", "gpu-of-one"),
    ):
        with organization_scope(tenant.pk):
            view = read_incident(actor=actor(tenant), incident=outcome.incident)
        header = view.header
        told = repr(
            [header.coverage, header.actions, header.culprits, header.restart]
            + [(each.culprits, each.missing) for each in view.hypotheses]
        )
        assert own in told
        assert foreign not in told
        assert header.first_stopper is not None
        assert header.first_stopper["ranks"] == [11 if own == "gpu-of-one" else 22]


def test_notes_move_along_when_a_stop_turns_out_shared(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    stop = _look(cast, attempt, UNKNOWN, SOON).incident
    assert stop is not None
    with organization_scope(cast.tenant.pk):
        annotate(actor=actor(cast.tenant), incident=stop, note=Note(text="seen"), now=NOW)
    shared = _look(cast, attempt, STORAGE, LATER).incident
    assert shared is not None
    with organization_scope(cast.tenant.pk):
        assert [note.text for note in annotations_of(incident=shared)] == ["seen"]


def test_the_operator_sees_all_sessions_of_a_shared_incident(cast: Cast) -> None:
    one, other = attempt_of(cast, cast.tenant), attempt_of(cast, cast.other_tenant)
    _look(cast, one, STORAGE, SOON)
    outcome = _look(cast, other, STORAGE, SOON)
    assert outcome.incident is not None
    with organization_scope(cast.operator.pk):
        header = read_header(actor=actor(cast.operator), incident=outcome.incident)
    assert {each.id for each in header.attempts} == {one.pk, other.pk}


def test_a_second_operator_takes_no_shared_incident_over(cast: Cast) -> None:
    one, other = attempt_of(cast, cast.tenant), attempt_of(cast, cast.other_tenant)
    with organization_scope(*cast.ids):
        rows = Participation.objects.filter(cluster=cast.cluster, part=ParticipationRole.OPERATOR)
        rows.delete()
        rows.create(organization=cast.vendor, cluster=cast.cluster, part=ParticipationRole.OPERATOR)
    first = _look(cast, one, STORAGE, SOON).incident
    with organization_scope(cast.operator.pk):
        rows.create(
            organization=cast.operator,
            cluster=cast.cluster,
            part=ParticipationRole.OPERATOR,
            since=NOW,
        )
    assert _look(cast, other, STORAGE, LATER).incident == first
    assert first is not None
    assert first.organization == cast.vendor


def test_a_shared_incident_stays_one_when_another_runs_the_cluster(cast: Cast) -> None:
    one, other = attempt_of(cast, cast.tenant), attempt_of(cast, cast.other_tenant)
    first = _look(cast, one, STORAGE, SOON).incident
    make.participation(
        organization=cast.vendor, cluster=cast.cluster, part=ParticipationRole.OPERATOR
    )
    with organization_scope(cast.operator.pk):
        give_up(
            organization=cast.operator,
            cluster=cast.cluster,
            part=ParticipationRole.OPERATOR,
            now=NOW,
        )
    second = _look(cast, other, STORAGE, LATER).incident
    again = _look(cast, one, STORAGE, LATER).incident
    assert first == second == again
    assert listed(cast) == [("shared", "open", "checkpoint-slow")]
    assert second is not None
    assert cast.vendor.pk in {party["organization"] for party in second.parties}


def test_who_supplies_the_cluster_and_trains_on_it_reads_its_own_part_alone(cast: Cast) -> None:
    make.participation(
        organization=cast.tenant, cluster=cast.cluster, part=ParticipationRole.STORAGE_VENDOR
    )
    one, other = attempt_of(cast, cast.tenant), attempt_of(cast, cast.other_tenant)
    _look(cast, one, _naming(11, "gpu-of-one"), SOON)
    incident = _look(cast, other, _naming(22, "gpu-of-other"), LATER).incident
    assert incident is not None
    with organization_scope(cast.tenant.pk):
        view = read_incident(actor=actor(cast.tenant), incident=incident)
        (mine,) = [each for each in view.header.parties if each.is_reader]
    header = view.header
    assert set(mine.parts) == {ParticipationRole.TENANT, ParticipationRole.STORAGE_VENDOR}
    told = repr(
        [header.coverage, header.actions, header.culprits, header.restart]
        + [(each.culprits, each.missing) for each in view.hypotheses]
    )
    assert "gpu-of-one" in told
    assert "gpu-of-other" not in told
    assert header.first_stopper is not None
    assert header.first_stopper["ranks"] == [11]
    assert [each.id for each in header.attempts] == [one.pk]


def test_a_stop_that_turns_out_shared_keeps_its_id(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    first = _look(cast, attempt, UNKNOWN, SOON)
    _look(cast, attempt, STORAGE, LATER)
    assert first.incident is not None
    with organization_scope(cast.tenant.pk):
        reader = actor(cast.tenant)
        now = access_incident(actor=reader, public_id=first.incident.public_id)
        assert now.kind == IncidentKind.SHARED
        assert [each.pk for each in access_incidents(actor=reader)] == [now.pk]


def test_the_second_stop_leads_on_to_the_shared_incident(cast: Cast) -> None:
    one, other = attempt_of(cast, cast.tenant), attempt_of(cast, cast.other_tenant)
    _look(cast, one, STORAGE, SOON)
    stop = _look(cast, other, UNKNOWN, SOON)
    _look(cast, other, STORAGE, LATER)
    assert stop.incident is not None
    with organization_scope(cast.other_tenant.pk):
        found = access_incident(actor=actor(cast.other_tenant), public_id=stop.incident.public_id)
    assert found.kind == IncidentKind.SHARED
