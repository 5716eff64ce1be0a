"""One session: read what is known of it, measure its attempts, keep that."""

from dataclasses import dataclass
from datetime import datetime

from apps.fleet.models import Session
from apps.fleet.sessions.attempt_lists import attempts_of
from apps.fleet.values import session_view
from apps.reliability.measures.attempts import measures_of
from apps.reliability.measures.orders import AGAIN
from apps.reliability.measures.rows import write_measures
from apps.reliability.sessions.told_attempts import told_attempt
from apps.telemetry.facade.progress import progress_of
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """That a session was measured: how many rows changed, and when it is to be measured again."""

    changed_count: int = 0
    again_at: datetime | None = None  # nothing of it runs


def measure_session(*, organization_id: int, session_id: int, now: datetime) -> Measured:
    """Measure the attempts of an organization's session.

    Whatever came twice or late, the rows are the same afterwards. Opens the scope.
    """
    organization = Organization.objects.get(pk=organization_id)
    actor = Actor(organization=organization, rights=frozenset({Right.READ}))
    with organization_scope(organization_id):
        own = Session.objects.for_organization(organization).filter(pk=session_id)
        row = own.select_related("cluster", "organization").first()
        if row is None:
            return Measured()
        attempts = attempts_of(actor=actor, sessions=[session_view(row)])[session_id]
        logs = progress_of(actor=actor, session_id=session_id)
        stories = {
            each.id: told_attempt(logs[each.number]).story
            for each in attempts
            if each.number in logs
        }
        measures = measures_of(attempts=attempts, stories=stories, now=now)
        changed_count = write_measures(
            organization_id=organization_id, session_id=session_id, measures=measures, now=now
        )
        runs = any(each.fields["is_running"] for each in measures)
    return Measured(changed_count=changed_count, again_at=now + AGAIN if runs else None)
