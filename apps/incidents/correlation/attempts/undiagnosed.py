"""Attempts whose diagnosis fails: the session says so, and a stop that was told stays visible."""

from datetime import datetime

from apps.diagnosis.model import (
    Diagnosis,
    EndState,
    Layer,
    Phase,
    Restart,
    Verdict,
    VerdictStatus,
)
from apps.fleet.models import Attempt
from apps.incidents.correlation.conclusion import conclusion_of
from apps.incidents.correlation.evidence_holders import Holders
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import (
    IncidentIdentity,
    new_public_id,
    open_incident,
    rewrite,
)
from apps.incidents.models import IncidentSession
from apps.incidents.states import IncidentKind
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope


def note(*, owner_id: int, attempt_id: int, now: datetime) -> None:
    """Say of an attempt that its diagnosis failed. Opens the scope of its parties.

    What was concluded of it before stays. Where nothing was, and somebody told that it failed, its
    incident is opened with an unknown cause: nobody has to guess that there was one.
    """
    with organization_scope(owner_id):
        attempt = Attempt.objects.select_related("session").filter(pk=attempt_id).first()
        if attempt is None:
            return
        Attempt.objects.filter(pk=attempt_id, undiagnosed_at=None).update(undiagnosed_at=now)
    cluster_id = attempt.session.cluster_id
    parties = parties_of(cluster_id=cluster_id) if cluster_id is not None else []
    with organization_scope(owner_id, *parties):
        is_known = IncidentSession.objects.filter(attempt=attempt).exists()
        if attempt.state == EndState.FAILED and not is_known:
            _open(attempt=attempt, now=now)


def clear(*, owner_id: int, attempt_id: int) -> None:
    """Say no more that the diagnosis of an attempt fails. Opens the scope."""
    with organization_scope(owner_id):
        failed = Attempt.objects.filter(pk=attempt_id, undiagnosed_at__isnull=False)
        failed.update(undiagnosed_at=None)


def _open(*, attempt: Attempt, now: datetime) -> None:
    nobody = Holders(
        owner_id=attempt.organization_id, of_source={}, label={}, reference=lambda _: ""
    )
    conclusion = conclusion_of(
        diagnosis=_unknown(attempt, now), holders=nobody, attempt_id=attempt.pk
    )
    place = IncidentIdentity(
        owner_id=attempt.organization_id,
        kind=IncidentKind.STOP,
        cluster_id=attempt.session.cluster_id,
        attempt_id=attempt.pk,
    )
    incident = open_incident(
        place=place,
        conclusion=conclusion,
        public_id=new_public_id(),
        is_simulated=attempt.session.is_simulated,
        now=now,
    )
    attach(incident=incident, attempt=attempt, conclusion=conclusion)
    rewrite(
        incident=incident,
        attempt=attempt,
        conclusion=conclusion,
        newest_evidence_at=None,
        now=now,
    )


def _unknown(attempt: Attempt, now: datetime) -> Diagnosis:
    """Return what can be said without looking at any evidence: that it failed, and when."""
    return Diagnosis(
        verdict=Verdict(
            status=VerdictStatus.UNKNOWN,
            layer=Layer.UNKNOWN,
            cause="unknown",
            probability=0.0,
            cause_probability=0.0,
        ),
        end_state=EndState.FAILED,
        phase=Phase.UNKNOWN,
        restart=Restart(advice="unknown"),
        hypotheses=(),
        failed_at=attempt.ended_at or now,
    )
