"""What one look at an attempt has to say, each in the incident that it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from apps.diagnosis.diagnose.lost_part import LostPart
from apps.diagnosis.model import (
    Diagnosis,
    Disturbance,
    EndState,
    Phase,
    VerdictStatus,
    statement,
)
from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts.attempt_facts import Gathered
from apps.incidents.correlation.conclusion import Conclusion, conclusion_of
from apps.incidents.correlation.incident_identity import own_place_of, place_of
from apps.incidents.correlation.incident_rows.incident_writer import IncidentIdentity
from apps.incidents.projection.shareable_culprits import shareable
from apps.incidents.states import IncidentKind
from apps.incidents.timeline import TimelineDraft, milliseconds
from apps.telemetry.attempts.readings import MOST_EVENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisShare:
    """One incident's share of a diagnosis."""

    place: IncidentIdentity
    # Where it belongs if nothing but its tenant's word makes it a shared one.
    own_place: IncidentIdentity
    conclusion: Conclusion


def is_shared(part: DiagnosisShare) -> bool:
    """Say whether other tenants may read it."""
    return part.place.kind == IncidentKind.SHARED


def borne(
    *, parts: Sequence[DiagnosisShare], sure: Sequence[DiagnosisShare]
) -> list[DiagnosisShare]:
    """Return the parts, those of incidents that others read without what is only claimed.

    What is none of a shared part's without the claims stays its tenant's, with them.
    """
    told = [each for each in sure if is_shared(each)]
    found = []
    for part in parts:
        same = [each for each in told if each.place.entity == part.place.entity]
        if not is_shared(part):
            found.append(part)
        elif same:
            found.append(min(same, key=lambda each: each.place.episode != part.place.episode))
        else:
            found.append(replace(part, place=part.own_place))
    return found


def parts_of(
    *,
    attempt: Attempt,
    gathered: Gathered,
    diagnosis: Diagnosis,
    is_stop: bool = True,
    lost: Sequence[tuple[LostPart, Diagnosis]] = (),
) -> list[DiagnosisShare]:
    """Return the stop, if the attempt stopped, and each disturbance that it ran through.

    `lost` is what its job lost and lived through, each episode with its diagnosis.
    """
    parts = [
        _of_loss(attempt=attempt, gathered=gathered, lost=part, diagnosis=story)
        for part, story in lost
    ]
    parts += [
        _part(
            attempt=attempt,
            gathered=gathered,
            diagnosis=_story(diagnosis, each),
            kind=IncidentKind.SLOW,
        )
        for each in diagnosis.disturbances
    ]
    if is_stop and _is_disturbance(diagnosis):
        stop = _part(
            attempt=attempt, gathered=gathered, diagnosis=diagnosis, kind=IncidentKind.STOP
        )
        # A shared part that slowed the attempt and ended it is one incident.
        parts = [stop, *(each for each in parts if each.place.entity != stop.place.entity)]
    return parts


def _story(diagnosis: Diagnosis, disturbance: Disturbance) -> Diagnosis:
    """Return a disturbance in the form of a diagnosis of its own."""
    return replace(
        diagnosis,
        verdict=disturbance.verdict,
        phase=Phase.ITERATE,
        restart=disturbance.restart,
        hypotheses=disturbance.hypotheses,
        first_stopper=None,
        symptoms=(),
        timeline=disturbance.timeline,
        actions=disturbance.actions,
        failed_at=disturbance.starts_at,
        disturbances=(disturbance,),
    )


def _part(
    *, attempt: Attempt, gathered: Gathered, diagnosis: Diagnosis, kind: IncidentKind
) -> DiagnosisShare:
    if attempt.session.cluster_id is not None:
        diagnosis = shareable(diagnosis=diagnosis, topology=gathered.topology)
    conclusion = conclusion_of(diagnosis=diagnosis, holders=gathered.holders, attempt_id=attempt.pk)
    place = place_of(attempt=attempt, gathered=gathered, diagnosis=diagnosis, kind=kind)
    if gathered.is_cut:
        said = _cut_telling(attempt=attempt, place=place, at=conclusion.started_at)
        conclusion = replace(conclusion, tellings=(*conclusion.tellings, said))
    return DiagnosisShare(
        place=place,
        own_place=own_place_of(attempt=attempt, diagnosis=diagnosis, kind=kind),
        conclusion=conclusion,
    )


def _of_loss(
    *, attempt: Attempt, gathered: Gathered, lost: LostPart, diagnosis: Diagnosis
) -> DiagnosisShare:
    """Return an episode of losses, told beside its cause: how many GPUs, and that it went on."""
    part = _part(
        attempt=attempt, gathered=gathered, diagnosis=diagnosis, kind=IncidentKind.DEGRADED
    )
    said = TimelineDraft(
        organization_id=attempt.organization_id,
        identity=("gpus-lost",),
        lane="portal",
        kind="gpus-lost",
        statement=statement("gpus-lost", count=lost.gpu_count),
        at=lost.starts_at,
        ends_at=lost.ends_at if lost.ends_at > lost.starts_at else None,
        order_key=milliseconds(lost.starts_at),
        for_all_parties=not is_shared(part),
        audience=(part.place.owner_id,) if is_shared(part) else (),
        attempt_id=attempt.pk,
    )
    conclusion = replace(part.conclusion, tellings=(said, *part.conclusion.tellings))
    return replace(part, conclusion=conclusion)


def _is_disturbance(diagnosis: Diagnosis) -> bool:
    """Say whether anything went wrong at all: not knowing a cause needs something to be caused."""
    if diagnosis.verdict.status is VerdictStatus.UNKNOWN:
        return diagnosis.failed_at is not None or diagnosis.end_state is EndState.FAILED
    return diagnosis.verdict.status is not VerdictStatus.NO_FAILURE


def _cut_telling(
    *, attempt: Attempt, place: IncidentIdentity, at: datetime | None
) -> TimelineDraft:
    """Return that not all of an attempt's logs was looked at; of a shared part's incident other
    tenants don't read it.
    """
    is_shared = place.kind == IncidentKind.SHARED
    told = statement("not-all-findings", count=MOST_EVENTS)
    return TimelineDraft(
        organization_id=attempt.organization_id,
        identity=("cut",),
        lane="portal",
        kind="cut",
        statement=told,
        at=at,
        order_key=milliseconds(at) if at else 0,
        for_all_parties=not is_shared,
        audience=(place.owner_id,) if is_shared else (),
        attempt_id=attempt.pk,
    )
