"""Warnings that other parties show. Needs the scope of the actor's organization."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apps.incidents.facade.incident_row import row_of
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.shared import shared_warnings
from apps.incidents.projection.shared.recorded_access import recorded_access, recorded_warnings
from apps.incidents.projection.shared.shared_warnings import WarningFilter
from apps.incidents.projection.shared_values import SharedWarning
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor


def list_shared_warnings(
    *,
    actor: Actor,
    wanted: WarningFilter,
    limit: int,
    now: datetime,
    channel: LedgerChannel = LedgerChannel.PAGE,
) -> Sequence[SharedWarning]:
    """Return what others show of their warnings, the newest first. Raises LedgerUnavailable."""
    return recorded_warnings(actor=actor, wanted=wanted, limit=limit, channel=channel, now=now)


def shared_warnings_before(
    *,
    actor: Actor,
    incident: IncidentFacts,
    parts: Sequence[Mapping[str, Any]],
    failed_at: datetime,
) -> list[SharedWarning]:
    """Return what others show of their warnings on the blamed parts before they failed.

    Raises LedgerUnavailable.
    """
    with recorded_access(
        actor=actor, incident=row_of(incident), channel=LedgerChannel.PAGE
    ) as access:
        if access is None:
            return []
        return shared_warnings.shared_warnings_before(
            access=access, parts=parts, failed_at=failed_at
        )


__all__ = ["WarningFilter", "list_shared_warnings", "shared_warnings_before"]
