"""What other parties show. All of it needs the scope of the actor's organization."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apps.fleet.access import access_cluster
from apps.incidents.facade.incident_row import row_of
from apps.incidents.projection import access
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.shared import shared_warnings
from apps.incidents.projection.shared.recorded_access import (
    recorded_access,
    recorded_storage,
    recorded_warnings,
)
from apps.incidents.projection.shared.shared_charts import SharedChart
from apps.incidents.projection.shared.shared_charts import shared_charts as charts_shown
from apps.incidents.projection.shared.shared_checkpoints import (
    shared_checkpoints as checkpoints_shown,
)
from apps.incidents.projection.shared.shared_context import shared_context
from apps.incidents.projection.shared.shared_sessions import shared_sessions as sessions_shown
from apps.incidents.projection.shared.shared_warnings import WarningFilter
from apps.incidents.projection.shared_values import (
    SharedCheckpoint,
    SharedContext,
    SharedSession,
    SharedStoragePhase,
    SharedWarning,
)
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.one_reading import one_reading


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


def list_shared_storage(
    *,
    actor: Actor,
    cluster: str,
    span: tuple[datetime, datetime],
    now: datetime,
    channel: LedgerChannel = LedgerChannel.PAGE,
) -> Sequence[SharedStoragePhase]:
    """Return what others show of a cluster's saves and loads in a span, by time.

    Raises NotFound, LedgerUnavailable.
    """
    found = access_cluster(actor=actor, slug=cluster)
    return recorded_storage(actor=actor, cluster=found, span=span, channel=channel, now=now)


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
    row = row_of(incident)
    with recorded_access(actor=actor, incident=row, channel=LedgerChannel.PAGE) as shown:
        if shown is None:
            return []
        return shared_warnings.shared_warnings_before(
            access=shown, parts=parts, failed_at=failed_at
        )


def shared_checkpoints(
    *,
    actor: Actor,
    incident: IncidentFacts,
    span: tuple[datetime, datetime],
    channel: LedgerChannel,
) -> Sequence[SharedCheckpoint]:
    """Return saves and loads that others' logs tell of sessions it hit, as they show them.

    Raises LedgerUnavailable.
    """
    row = row_of(incident)
    with recorded_access(actor=actor, incident=row, channel=channel) as shown:
        return checkpoints_shown(shown, span=span) if shown else ()


def shared_charts(
    *, actor: Actor, public_id: str, channel: LedgerChannel = LedgerChannel.PAGE
) -> Sequence[SharedChart]:
    """Return what other parties keep of its metrics and show the actor's organization.

    Raises LedgerUnavailable.
    """
    row = access.access_incident(actor=actor, public_id=public_id)
    with recorded_access(actor=actor, incident=row, channel=channel) as shown:
        return charts_shown(shown) if shown else ()


def shared_line_context(
    *,
    actor: Actor,
    public_id: str,
    holder: str,
    place: str,
    channel: LedgerChannel = LedgerChannel.PAGE,
) -> SharedContext:
    """Return a cited line that another party shows, with the neighbours that it shows, too.

    Raises NotFound for any other line, LedgerUnavailable.
    """
    row = access.access_incident(actor=actor, public_id=public_id)
    with recorded_access(actor=actor, incident=row, channel=channel) as shown:
        if shown is None:
            raise NotFound
        return shared_context(access=shown, holder=holder, place=place)


def shared_sessions(
    *, actor: Actor, public_id: str, channel: LedgerChannel = LedgerChannel.PAGE
) -> Sequence[SharedSession]:
    """Return what other parties show of their sessions that it hit, to who reads of none.

    Raises LedgerUnavailable.
    """
    row = access.access_incident(actor=actor, public_id=public_id)
    with recorded_access(actor=actor, incident=row, channel=channel) as shown:
        return sessions_shown(shown) if shown else ()


__all__ = [
    "WarningFilter",
    "list_shared_storage",
    "list_shared_warnings",
    "one_reading",
    "shared_charts",
    "shared_checkpoints",
    "shared_line_context",
    "shared_sessions",
    "shared_warnings_before",
]
