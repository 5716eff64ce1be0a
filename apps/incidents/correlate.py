"""From everything known about an attempt to its incident, recomputed as a whole."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Device, Diagnosis, EndState, Layer, VerdictStatus
from apps.fleet.models import Attempt, Part, Participation
from apps.incidents.conclude import Conclusion, conclusion_of
from apps.incidents.gather import Gathered, gather
from apps.incidents.models import Incident, IncidentKind, IncidentSession, IncidentStatus
from apps.incidents.record import (
    Place,
    attach,
    detach,
    end,
    merge,
    new_public_id,
    open_incident,
    revive,
    rewrite,
)
from apps.incidents.shareable import shareable
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope

SHARED_KINDS = ("server", "mount", "switch")
# Slow is a disturbance that leaves the session running; the same causes may also stop one.
SLOW_LAYERS = frozenset({Layer.STRAGGLER, Layer.GPU, Layer.NETWORK, Layer.STORAGE, Layer.HOST})
NOT_STOPPED = frozenset({EndState.RUNNING, EndState.FINISHED})
ONE_EPISODE = timedelta(minutes=45)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlated:
    """What became of one look at an attempt."""

    incident: Incident | None
    is_settled: bool
    has_changed: bool = False


def correlate_attempt(*, owner_id: int, attempt_id: int, now: datetime) -> Correlated:
    """Diagnose an attempt from stored facts and bring its incident up to date. Idempotent."""
    with organization_scope(owner_id):
        attempt = Attempt.objects.select_related("session__cluster").filter(pk=attempt_id).first()
    if attempt is None:
        return Correlated(incident=None, is_settled=True)
    cluster_id = attempt.session.cluster_id
    parties = parties_of(cluster_id=cluster_id) if cluster_id is not None else []
    with organization_scope(owner_id, *parties):
        gathered = gather(attempt=attempt)
        diagnosis = diagnose(
            readings=gathered.readings,
            anomalies=gathered.anomalies,
            topology=gathered.topology,
            facts=gathered.facts,
            expected=gathered.expected,
        )
        if cluster_id is not None:
            diagnosis = shareable(diagnosis=diagnosis, topology=gathered.topology)
        conclusion = conclusion_of(
            diagnosis=diagnosis, holders=gathered.holders, attempt_id=attempt.pk
        )
        _lock(cluster_id=cluster_id, attempt_id=attempt.pk)
        return _record(
            attempt=attempt, gathered=gathered, diagnosis=diagnosis, conclusion=conclusion, now=now
        )


def _record(
    *,
    attempt: Attempt,
    gathered: Gathered,
    diagnosis: Diagnosis,
    conclusion: Conclusion,
    now: datetime,
) -> Correlated:
    former = _incidents_of(attempt)
    if not _is_disturbance(diagnosis):
        for each in former:
            _leave(incident=each, attempt=attempt, reason="no failure was found", now=now)
        return Correlated(incident=None, is_settled=True)
    place = _place(attempt=attempt, gathered=gathered, diagnosis=diagnosis)
    incident = _find(place=place, attempt=attempt, conclusion=conclusion)
    if incident is None:
        incident = open_incident(
            place=place,
            conclusion=conclusion,
            public_id=_public_id(place=place, former=former),
            is_simulated=attempt.session.is_simulated,
            now=now,
        )
    revive(incident=incident)
    attach(incident=incident, attempt=attempt, conclusion=conclusion)
    changed = rewrite(
        incident=incident,
        attempt=attempt,
        conclusion=conclusion,
        newest_evidence_at=gathered.newest_received_at,
        now=now,
    )
    _leave_others(former=former, incident=incident, attempt=attempt, now=now)
    return Correlated(
        incident=incident, is_settled=incident.settled_at is not None, has_changed=changed
    )


def _is_disturbance(diagnosis: Diagnosis) -> bool:
    """Say whether anything went wrong at all: not knowing a cause needs something to be caused."""
    if diagnosis.verdict.status is VerdictStatus.UNKNOWN:
        return diagnosis.failed_at is not None or diagnosis.end_state is EndState.FAILED
    return diagnosis.verdict.status is not VerdictStatus.NO_FAILURE


def _place(*, attempt: Attempt, gathered: Gathered, diagnosis: Diagnosis) -> Place:
    cluster_id = attempt.session.cluster_id
    entity = _shared_entity(diagnosis.verdict.culprits, gathered)
    operator = _operator(cluster_id) if entity and cluster_id is not None else None
    if operator is not None:
        return Place(
            owner_id=operator,
            kind=IncidentKind.SHARED,
            cluster_id=cluster_id,
            entity=entity,
            episode=_episode(diagnosis.failed_at),
        )
    if diagnosis.end_state in NOT_STOPPED and diagnosis.verdict.layer in SLOW_LAYERS:
        return Place(
            owner_id=attempt.organization_id,
            kind=IncidentKind.SLOW,
            cluster_id=cluster_id,
            entity=f"attempt:{attempt.pk}",
            episode=diagnosis.verdict.cause,
        )
    return Place(
        owner_id=attempt.organization_id,
        kind=IncidentKind.STOP,
        cluster_id=cluster_id,
        attempt_id=attempt.pk,
    )


def _shared_entity(culprits: tuple[Device, ...], gathered: Gathered) -> str:
    servers = {
        gathered.topology.mounts.get(device.name or "") or device.name
        for device in culprits
        if device.kind in {"mount", "server"}
    }
    switches = {device.name for device in culprits if device.kind == "switch"}
    named = sorted(name for name in servers or switches if name)
    if not named:
        return ""
    return f"{'server' if servers else 'switch'}:{named[0]}"


def _operator(cluster_id: int) -> int | None:
    rows = Participation.objects.filter(cluster=cluster_id, part=Part.OPERATOR)
    return rows.order_by("organization_id").values_list("organization_id", flat=True).first()


def _episode(at: datetime | None) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else "untimed"


def _find(*, place: Place, attempt: Attempt, conclusion: Conclusion) -> Incident | None:
    if place.kind == IncidentKind.STOP:
        return Incident.objects.filter(
            organization=place.owner_id, attempt=attempt, kind=IncidentKind.STOP
        ).first()
    same = Incident.objects.filter(
        organization=place.owner_id, cluster=place.cluster_id, kind=place.kind, entity=place.entity
    ).order_by("detected_at", "id")
    if place.kind == IncidentKind.SLOW:
        return same.filter(episode=place.episode).first()
    at = conclusion.started_at
    if at is None:
        return same.filter(episode=place.episode).first()
    return same.filter(started_at__range=(at - ONE_EPISODE, at + ONE_EPISODE)).first()


def _public_id(*, place: Place, former: list[Incident]) -> str:
    # A merge keeps the older id: the shared incident answers to that of the stop it absorbs.
    stops = [each for each in former if each.kind == IncidentKind.STOP]
    if place.kind == IncidentKind.SHARED and stops:
        return min(stops, key=lambda each: (each.detected_at, each.pk)).public_id
    return new_public_id()


def _incidents_of(attempt: Attempt) -> list[Incident]:
    rows = IncidentSession.objects.filter(attempt=attempt).select_related("incident")
    return [row.incident for row in rows.order_by("incident_id")]


def _leave_others(
    *, former: list[Incident], incident: Incident, attempt: Attempt, now: datetime
) -> None:
    for other in former:
        if other.pk == incident.pk or other.kind == IncidentKind.SLOW:
            continue
        if other.kind == IncidentKind.STOP:
            merge(loser=other, into=incident)
        else:
            _leave(incident=other, attempt=attempt, reason="it has another cause", now=now)


def _leave(*, incident: Incident, attempt: Attempt, reason: str, now: datetime) -> None:
    detach(incident=incident, attempt=attempt)
    is_hit_by_others = IncidentSession.objects.filter(incident=incident).exists()
    if not is_hit_by_others and incident.status != IncidentStatus.MERGED:
        end(incident=incident, reason=reason, now=now)


def _lock(*, cluster_id: int | None, attempt_id: int) -> None:
    # Two attempts of one cluster may meet in a shared incident: one writes at a time.
    key = cluster_id if cluster_id is not None else -attempt_id
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])
