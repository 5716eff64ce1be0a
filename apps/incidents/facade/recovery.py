"""What jobs tell of recovering in place, as the actor's organization may read it."""

from collections.abc import Sequence
from datetime import datetime

from apps.fleet.values import AttemptView, SessionView
from apps.incidents.facade.incident_row import row_of
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.shared import shared_recovery
from apps.incidents.projection.shared.shared_recovery import RecoveryView
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor


def recovery_of(
    *,
    actor: Actor,
    session: SessionView,
    attempt: AttemptView,
    headers: Sequence[IncidentHeader],
    now: datetime,
    channel: LedgerChannel = LedgerChannel.PAGE,
) -> RecoveryView | None:
    """Return what is told of an attempt, None where nothing is; `headers` are of its session.

    Needs the actor's scope. Raises LedgerUnavailable.
    """
    hit = [each for each in headers if attempt.id in {one.id for one in each.attempts}]
    return shared_recovery.recovery_of(
        actor=actor,
        session=session,
        attempt=attempt,
        incidents=[row_of(each.incident) for each in hit],
        channel=channel,
        now=now,
    )


__all__ = ["RecoveryView", "recovery_of"]
