"""Everything of an incident that one organization may read, put together."""

from collections.abc import Iterable

from apps.incidents.models import Incident
from apps.incidents.projection.access import present_parties
from apps.incidents.projection.annotations import read_annotations
from apps.incidents.projection.header_values import HitAttempt
from apps.incidents.projection.headers import read_header
from apps.incidents.projection.hypotheses import read_hypotheses
from apps.incidents.projection.shared.recorded_access import recorded_access
from apps.incidents.projection.shared.shared_access import SharedAccess, shown_by
from apps.incidents.projection.shared.shared_moments import in_order, shared_moments
from apps.incidents.projection.shared.shared_sessions import shared_sessions
from apps.incidents.projection.values import FailingDiagnosis, IncidentView, TimelineMoment
from apps.incidents.stored_moments import StoredMoment
from apps.incidents.timeline import current_entries, told_alike
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor
from apps.tenancy.models import FailedWork

DIAGNOSIS = "diagnosis"  # of failed work, by the attempt's id


def read_incident(
    *, actor: Actor, incident: Incident, channel: LedgerChannel | None = LedgerChannel.PAGE
) -> IncidentView:
    """Return everything that the actor's organization may read. Needs its scope.

    Without a channel nothing that others show. Raises LedgerUnavailable.
    """
    with recorded_access(actor=actor, incident=incident, channel=channel) as access:
        return _view(actor=actor, incident=incident, access=access)


def _view(*, actor: Actor, incident: Incident, access: SharedAccess | None) -> IncidentView:
    header = read_header(actor=actor, incident=incident)
    return IncidentView(
        header=header,
        hypotheses=read_hypotheses(actor=actor, incident=incident, access=access, header=header),
        timeline=read_timeline(incident=incident, access=access),
        annotations=read_annotations(incident=incident),
        present=frozenset(
            present_parties(incident=incident, organization_id=actor.organization.pk)
        ),
        failing=failing_of(actor=actor, attempts=header.attempts),
        is_shared_with=access is not None,
        shown_by=shown_by(access),
        sessions=shared_sessions(access) if access else (),
    )


def read_timeline(
    *, incident: Incident, access: SharedAccess | None = None
) -> tuple[TimelineMoment, ...]:
    """Return the entries that the scope may see, and what others show of theirs, in order."""
    # Two sessions of one shared fault tell the same moment: it is shown once.
    distinct: dict[object, StoredMoment] = {}
    for entry in current_entries(incident=incident):
        distinct.setdefault(told_alike(entry), entry)
    own = [_own(entry) for entry in distinct.values()]
    return in_order(own, shared_moments(access)) if access else tuple(own)


def _own(entry: StoredMoment) -> TimelineMoment:
    # By name, one after the other: a story has thousands, and `value_of` takes thrice as long.
    return TimelineMoment(
        id=entry.id,
        organization_id=entry.organization_id,
        lane=entry.lane,
        kind=entry.kind,
        role=entry.role,
        at=entry.at,
        ends_at=entry.ends_at,
        clock_error_seconds=entry.clock_error_seconds,
        statement=entry.statement,
        detail=entry.detail,
        for_all_parties=entry.for_all_parties,
        revision=entry.revision,
        created_at=entry.created_at,
    )


def failing_of(*, actor: Actor, attempts: Iterable[HitAttempt]) -> FailingDiagnosis | None:
    """Return what fails of these attempts, the one that fails longest. Needs the actor's scope."""
    failing = [(each.undiagnosed_at, each.id) for each in attempts if each.undiagnosed_at]
    since, attempt_id = min(failing, default=(None, 0))
    if since is None:
        return None
    own = FailedWork.objects.for_organization(actor.organization)
    row = own.filter(kind=DIAGNOSIS, subject=str(attempt_id)).first()
    return FailingDiagnosis(since=since, try_count=row.attempt_count if row else None)
