"""From everything known about an attempt to its incident, recomputed as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from apps.diagnosis.model import Statement, statement
from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts import caught_exceptions
from apps.incidents.correlation.attempts.attempt_diagnosis import (
    AttemptDiagnosis,
    look_at,
    looked_without_claims,
)
from apps.incidents.correlation.attempts.attempt_facts import Gathered, gather
from apps.incidents.correlation.attempts.claims import without_claims
from apps.incidents.correlation.attempts.host_history import past_failures
from apps.incidents.correlation.attempts.lived_losses import lived_losses
from apps.incidents.correlation.diagnosis_parts import DiagnosisShare, borne, is_shared, parts_of
from apps.incidents.correlation.incident_identity import ABSORBING, find, public_id_of
from apps.incidents.correlation.incident_rows.hit_attempts import SETTLES_AFTER, attach, detach
from apps.incidents.correlation.incident_rows.incident_writer import (
    end,
    merge,
    open_incident,
    revive,
    rewrite,
)
from apps.incidents.correlation.lived_stops import turn_over
from apps.incidents.models import Incident, IncidentSession
from apps.incidents.retention.citations import has_ended, is_closed
from apps.incidents.states import IncidentKind, IncidentStatus
from apps.telemetry.retention.references import hold_off
from apps.telemetry.scheduler.allocated_hosts import with_confirmed_hosts
from apps.telemetry.scheduler.disputed_hosts import settle_hosts
from apps.tenancy.database.advisory_locks import Lock, hold
from apps.tenancy.lookups import parties_ever_of
from apps.tenancy.scope import organization_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlated:
    """What became of one look at an attempt."""

    incidents: tuple[Incident, ...] = ()  # the stop first, then what slowed the attempt
    has_changed: bool = False
    doubted_until: datetime | None = None  # when an exception counts as a stop
    attempt_settles_at: datetime | None = None  # later than the incident, which hit others before

    @property
    def incident(self) -> Incident | None:
        """The stop, else the first disturbance, if there is any."""
        return self.incidents[0] if self.incidents else None

    @property
    def is_settled(self) -> bool:
        """Whether no more evidence is waited for."""
        return self.settles_at is None

    @property
    def settles_at(self) -> datetime | None:
        """When the first that has not settled is due."""
        waiting = [each.detected_at for each in self.incidents if each.settled_at is None]
        due = [at + SETTLES_AFTER for at in waiting]
        due += [at for at in (self.doubted_until, self.attempt_settles_at) if at]
        return min(due, default=None)


def correlate_attempt(*, owner_id: int, attempt_id: int, now: datetime) -> Correlated:
    """Diagnose an attempt from stored facts and bring its incident up to date. Idempotent."""
    with organization_scope(owner_id):
        attempt = Attempt.objects.select_related("session__cluster").filter(pk=attempt_id).first()
    if attempt is None:
        return Correlated()
    attempt = with_confirmed_hosts(attempt=attempt, now=now)
    settle_hosts(cluster=attempt.session.cluster, attempts=[attempt], now=now)
    cluster_id = attempt.session.cluster_id
    # What those said who left since was said while they took part.
    parties = parties_ever_of(cluster_id=cluster_id) if cluster_id is not None else []
    with organization_scope(owner_id, *parties):
        hold_off(organization_ids=(owner_id, *parties))
        # An older look must not end after a newer one of the same attempt.
        hold(Lock.ATTEMPT, attempt.pk)
        if has_ended(attempt=attempt, incidents=_incidents_of(attempt), now=now):
            return Correlated()
        lived = lived_losses(attempt=attempt)
        gathered = gather(attempt=attempt)
        history = past_failures(
            organization_id=owner_id,
            cluster_id=cluster_id,
            started_at=gathered.facts.started_at,
        )
        looked = look_at(attempt=attempt, gathered=gathered, history=history, lived=lived, now=now)
        caught_exceptions.note(attempt=attempt, doubt=looked.doubt)
        parts = _parts(attempt, looked)
        if (
            any(map(is_shared, parts))
            and (sure := without_claims(gathered=gathered)) is not gathered
        ):
            told = looked_without_claims(
                looked=looked, attempt=attempt, sure=sure, history=history, lived=lived
            )
            parts = borne(parts=parts, sure=_parts(attempt, told))
        if cluster_id is not None:
            # Two of its attempts may meet in a shared incident: one writes at a time.
            hold(Lock.CLUSTER_INCIDENTS, cluster_id)
        found = _record(attempt=attempt, gathered=gathered, parts=parts, now=now)
        return replace(found, doubted_until=looked.doubt.until if looked.doubt else None)


def _parts(attempt: Attempt, looked: AttemptDiagnosis) -> list[DiagnosisShare]:
    return parts_of(
        attempt=attempt,
        gathered=looked.gathered,
        diagnosis=looked.diagnosis,
        is_stop=looked.is_stop,
        lost=looked.losses,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """One incident that was brought up to date."""

    incident: Incident
    has_changed: bool = False
    settles_at: datetime | None = None  # of this attempt; None: it has


def _record(
    *, attempt: Attempt, gathered: Gathered, parts: Sequence[DiagnosisShare], now: datetime
) -> Correlated:
    former = [each for each in _incidents_of(attempt) if not is_closed(incident=each, now=now)]
    turn_over(former=former, attempt=attempt, parts=parts)
    done = [
        _write(attempt=attempt, gathered=gathered, part=part, former=former, now=now)
        for part in parts
    ]
    written = [each.incident for each in done]
    _leave_others(former=former, written=written, attempt=attempt, now=now)
    return Correlated(
        incidents=tuple(written),
        has_changed=any(each.has_changed for each in done),
        attempt_settles_at=min((e.settles_at for e in done if e.settles_at), default=None),
    )


def _write(
    *,
    attempt: Attempt,
    gathered: Gathered,
    part: DiagnosisShare,
    former: list[Incident],
    now: datetime,
) -> _Written:
    incident = find(place=part.place, attempt=attempt, conclusion=part.conclusion)
    if incident is None:
        incident = open_incident(
            place=part.place,
            conclusion=part.conclusion,
            public_id=public_id_of(place=part.place, former=former),
            is_simulated=attempt.session.is_simulated,
            now=now,
        )
    elif is_closed(incident=incident, now=now):
        return _Written(incident=incident)
    revive(incident=incident)
    hit = attach(
        incident=incident,
        attempt=attempt,
        conclusion=part.conclusion,
        newest_evidence_at=gathered.newest_received_at,
        now=now,
    )
    changed = rewrite(
        incident=incident,
        attempt=attempt,
        conclusion=part.conclusion,
        newest_evidence_at=gathered.newest_received_at,
        now=now,
    )
    return _Written(
        incident=incident, has_changed=changed, settles_at=hit.settles_at(after=SETTLES_AFTER)
    )


def _incidents_of(attempt: Attempt) -> list[Incident]:
    rows = IncidentSession.objects.filter(attempt=attempt).select_related("incident")
    return [row.incident for row in rows.order_by("incident_id")]


def _leave_others(
    *, former: list[Incident], written: list[Incident], attempt: Attempt, now: datetime
) -> None:
    """End or merge what this attempt was part of and no longer is."""
    kept = {each.pk for each in written}
    absorbing = [each for each in written if each.kind in ABSORBING]
    heir = min(
        absorbing, key=lambda each: (each.kind != IncidentKind.SHARED, each.pk), default=None
    )
    for other in former:
        if other.pk in kept:
            continue
        if other.kind == IncidentKind.STOP and heir is not None:
            merge(loser=other, into=heir)
            continue
        reason = statement("has-another-cause") if written else statement("no-failure-found")
        _leave(incident=other, attempt=attempt, reason=reason, now=now)


def _leave(*, incident: Incident, attempt: Attempt, reason: Statement, now: datetime) -> None:
    detach(incident=incident, attempt=attempt)
    is_hit_by_others = IncidentSession.objects.filter(incident=incident).exists()
    if not is_hit_by_others and incident.status != IncidentStatus.MERGED:
        end(incident=incident, reason=reason, now=now)
