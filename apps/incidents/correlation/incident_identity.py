"""Where a diagnosis belongs: the stop of an attempt, a slow part, or a part that several share."""

from datetime import datetime

from django.db.models import F

from apps.diagnosis.model import Device, Diagnosis
from apps.fleet.models import Attempt, Participation, ParticipationRole
from apps.incidents.correlation.attempts.attempt_facts import Gathered
from apps.incidents.correlation.conclusion import Conclusion
from apps.incidents.correlation.episodes import ONE_EPISODE
from apps.incidents.correlation.incident_rows.incident_writer import IncidentIdentity, new_public_id
from apps.incidents.models import Incident
from apps.incidents.states import IncidentKind

# What is taken for a stop turns out to be one of these: of a part that others use, or survived.
ABSORBING = frozenset({IncidentKind.SHARED, IncidentKind.DEGRADED})


def place_of(
    *, attempt: Attempt, gathered: Gathered, diagnosis: Diagnosis, kind: IncidentKind
) -> IncidentIdentity:
    """Return whose incident a diagnosis is, and of what."""
    cluster_id = attempt.session.cluster_id
    entity = _shared_entity(diagnosis.verdict.culprits, gathered)
    entity = entity if _is_told_by_others(diagnosis, gathered) else ""
    operator = _operator(cluster_id) if entity and cluster_id is not None else None
    if operator is not None:
        return IncidentIdentity(
            owner_id=operator,
            kind=IncidentKind.SHARED,
            cluster_id=cluster_id,
            entity=entity,
            episode=_episode(diagnosis.failed_at),
        )
    return own_place_of(attempt=attempt, diagnosis=diagnosis, kind=kind)


def own_place_of(*, attempt: Attempt, diagnosis: Diagnosis, kind: IncidentKind) -> IncidentIdentity:
    """Return where a diagnosis belongs that concerns its tenant alone."""
    cluster_id = attempt.session.cluster_id
    if kind != IncidentKind.STOP:
        # What a job loses is its own; a slow part may slow several jobs.
        of_job = f"attempt:{attempt.pk}"
        is_slow = kind == IncidentKind.SLOW
        return IncidentIdentity(
            owner_id=attempt.organization_id,
            kind=kind,
            cluster_id=cluster_id,
            entity=_entity_name(diagnosis.disturbances[0].entity) if is_slow else of_job,
            episode=_episode(diagnosis.failed_at),
        )
    return IncidentIdentity(
        owner_id=attempt.organization_id,
        kind=IncidentKind.STOP,
        cluster_id=cluster_id,
        attempt_id=attempt.pk,
    )


def _entity_name(device: Device) -> str:
    which = device.index if device.index is not None else device.name or device.pci or device.uuid
    parts = [device.host, None if which is None else str(which)]
    return f"{device.kind}:{'/'.join(part for part in parts if part)}"


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


def _is_told_by_others(diagnosis: Diagnosis, gathered: Gathered) -> bool:
    """Say whether anybody else's evidence bears the verdict: else it stays its tenant's own.

    A shared part's incident is read by all that it hit: one tenant's word makes none of it.
    """
    best = diagnosis.hypotheses[0].supporting if diagnosis.hypotheses else ()
    return any(gathered.holders.is_others(each) for each in best)


def _operator(cluster_id: int) -> int | None:
    rows = Participation.objects.filter(cluster=cluster_id, part=ParticipationRole.OPERATOR)
    # Who joins later takes no incident over.
    first = rows.order_by(F("since").asc(nulls_first=True), "organization_id")
    return first.values_list("organization_id", flat=True).first()


def _episode(at: datetime | None) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else "untimed"


def find(*, place: IncidentIdentity, attempt: Attempt, conclusion: Conclusion) -> Incident | None:
    """Return the incident that is there already, within one episode of a part."""
    if place.kind == IncidentKind.STOP:
        return Incident.objects.filter(
            organization=place.owner_id, attempt=attempt, kind=IncidentKind.STOP
        ).first()
    same = Incident.objects.filter(
        cluster=place.cluster_id, kind=place.kind, entity=place.entity
    ).order_by("detected_at", "id")
    if place.kind != IncidentKind.SHARED:
        # A shared part's incident stays who ran the cluster when it began: one, whoever does now.
        same = same.filter(organization=place.owner_id)
    at = conclusion.started_at
    if at is None:
        return same.filter(episode=place.episode).first()
    return same.filter(started_at__range=(at - ONE_EPISODE, at + ONE_EPISODE)).first()


def public_id_of(*, place: IncidentIdentity, former: list[Incident]) -> str:
    """Return the id for a new incident."""
    # A merge keeps the older id: the shared incident answers to that of the stop it absorbs.
    stops = [each for each in former if each.kind == IncidentKind.STOP]
    if place.kind == IncidentKind.SHARED and stops:
        return min(stops, key=lambda each: (each.detected_at, each.pk)).public_id
    return new_public_id()
