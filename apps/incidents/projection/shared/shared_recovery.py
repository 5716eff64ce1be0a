"""What a job tells of recovering in place, as one organization reads it.

Its tenant reads all of it, and so does who told it. Who runs the cluster reads of another's job
that it runs on fewer GPUs, since when and how it was repaired: that is its state. Steps,
microbatches and what running on was worth are of the class `sessions` of an agreement. Training
losses and the names of replicas, which tell of models, are nobody else's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from apps.fleet.models import Attempt, SessionParty
from apps.fleet.values import AttemptView, SessionView
from apps.incidents.models import Incident
from apps.incidents.projection.shared.recorded_access import recorded_access
from apps.sharing.grant_values import SharedThing
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.terms import SESSIONS, Level
from apps.telemetry.recovery.run_state import StoredRun, stored_run
from apps.tenancy.access import Actor, Right
from apps.tenancy.scope import organization_scope
from apps.training.in_job.events import (
    CommunicatorRepaired,
    InJobEvent,
    QuotaReassigned,
    ReplicaLost,
    StepCommitted,
)
from apps.training.in_job.job_report import InJobReport, job_report
from apps.training.in_job.job_run import InJobRun
from apps.training.in_job.job_terms import JobTerms

# How a job stands that told nothing for so long is not known.
SILENT_AFTER: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryView:
    """What an organization reads of one attempt that recovers in place."""

    report: InJobReport
    is_whole: bool  # False: names and training losses are its tenant's
    has_steps: bool  # False: steps and what they came to are hidden by policy
    left_out_count: int  # facts of earlier steps that were not looked at
    silent_since: datetime | None = None  # of one that is not over: nothing was told since


def recovery_of(
    *,
    actor: Actor,
    session: SessionView,
    attempt: AttemptView,
    incidents: Sequence[Incident],
    channel: LedgerChannel,
    now: datetime,
) -> RecoveryView | None:
    """Return what the actor may read of an attempt of a session that came through a door.

    None where nothing is told of recovering in place. Needs its scope; raises LedgerUnavailable.
    """
    actor.require(Right.READ)
    if attempt.lost_gpu_count is None or not _is_party(actor, session):
        return None
    with organization_scope(session.organization.id):
        row = Attempt.objects.select_related("session").filter(pk=attempt.id).first()
        stored = stored_run(attempt=row) if row else None
    if stored is None:
        return None
    is_whole = _is_own(actor, session, stored)
    has_steps = is_whole or _is_shown(actor, session, attempt, incidents, channel)
    run = stored.run if is_whole else projected(stored.run, has_steps=has_steps)
    last = _last_told(stored)
    is_silent = attempt.ended_at is None and last is not None and now - last > SILENT_AFTER
    until = attempt.ended_at or (last if is_silent and last else now)
    return RecoveryView(
        report=job_report(
            run,
            world_size=attempt.world_size,
            begins_seconds=attempt.started_at.timestamp() if attempt.started_at else None,
            ends_seconds=until.timestamp(),
        ),
        is_whole=is_whole,
        has_steps=has_steps,
        left_out_count=stored.left_out_count if has_steps else 0,
        silent_since=last if is_silent else None,
    )


def _last_told(stored: StoredRun) -> datetime | None:
    """Return when the job last told of anything, also of what the reader doesn't read."""
    last = stored.run.events[-1].at_seconds if stored.run.events else None
    return None if last is None else datetime.fromtimestamp(last, UTC)


def _is_party(actor: Actor, session: SessionView) -> bool:
    """Say whether the actor's organization still reads the session as it is."""
    if session.organization.id == actor.organization.pk:
        return True
    own = SessionParty.objects.for_organization(actor.organization)
    return own.filter(session=session.id, left_at=None).exists()


def _is_own(actor: Actor, session: SessionView, stored: StoredRun) -> bool:
    own = actor.organization.pk
    return session.organization.id == own or stored.senders == {own}


def _is_shown(
    actor: Actor,
    session: SessionView,
    attempt: AttemptView,
    incidents: Sequence[Incident],
    channel: LedgerChannel,
) -> bool:
    """Say whether the tenant shows the session on any of its incidents, and write that down."""
    thing = SharedThing(data=SESSIONS, attempt_id=attempt.id)
    for incident in incidents:
        with recorded_access(actor=actor, incident=incident, channel=channel) as access:
            for grant in access.grants if access else ():
                shown = access.shown(grant, thing) if access else None
                is_tenants = grant.holder.id == session.organization.id
                if access and shown and is_tenants and shown.level.rank >= Level.REDACTED.rank:
                    access.handed_out.add(shown, SESSIONS, session.public_id, attempt.number)
                    return True
    return False


def projected(run: InJobRun, *, has_steps: bool) -> InJobRun:
    """Return a run as others than its tenant read it, with the steps or without."""
    names = _Names()
    events = [_projected(each, names) for each in run.events if has_steps or _is_state(each)]
    return InJobRun(
        terms=run.terms
        if has_steps
        else JobTerms(
            gpus=run.terms.gpus, replicas=run.terms.replicas, may_rejoin=run.terms.may_rejoin
        ),
        events=tuple(events),
        restarts=run.restarts,
        failed_commits=tuple(
            replace(each, replica=names.of(each.replica)) for each in run.failed_commits
        )
        if has_steps
        else (),
        healed=tuple(replace(each, replica=names.of(each.replica)) for each in run.healed),
        stale=tuple(
            replace(
                each, heartbeat=replace(each.heartbeat, replica=names.of(each.heartbeat.replica))
            )
            for each in run.stale
        ),
        error_count=run.error_count if has_steps else 0,
    )


def _is_state(event: InJobEvent) -> bool:
    return isinstance(event, ReplicaLost | CommunicatorRepaired)


def _projected(event: InJobEvent, names: "_Names") -> InJobEvent:
    match event:
        case ReplicaLost():
            return replace(event, replica=names.of(event.replica), step=None, phase="")
        case StepCommitted():
            return replace(event, loss=None)
        case QuotaReassigned():
            quotas = ((names.of(replica), count) for replica, count in event.quotas)
            return replace(event, quotas=tuple(sorted(quotas)), spare=None, minor=None)
        case _:
            return event


class _Names:
    """Numbers in the place of names, in the order in which they come up."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return what a replica is called."""
        return self._known.setdefault(name, f"replica {len(self._known) + 1}")
