"""Which of an incident's parts and times face a reader: its own, where several tenants were hit."""

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from apps.diagnosis.input_values import cut
from apps.incidents.models import Incident, IncidentParty, IncidentSession
from apps.incidents.states import IncidentKind

# Fields of a header that may name hosts and ranks of a session.
NAMING = ("culprits", "restart", "coverage", "actions", "first_stopper")
NOBODY: Mapping[str, Any] = {
    "culprits": [], "restart": {"advice": "unknown", "exclude_hosts": []}, "coverage": [],
    "actions": [], "first_stopper": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptImpact:
    """When an attempt was found to be part of an incident, and what it tells of times."""

    detected_at: datetime
    revisions: int | None = None  # the incident had before the one that was in force then
    started_at: datetime | None = None
    settled_at: datetime | None = None
    newest_evidence_at: datetime | None = None

    def settles_at(self, *, after: timedelta) -> datetime | None:
        """Return when no more evidence is waited for; None where none is."""
        return None if self.settled_at else self.detected_at + after


def hit_of(*, conclusion: Mapping[str, Any], detected_at: datetime) -> AttemptImpact:
    """Return what a stored conclusion tells of times; older ones tell no detection."""
    return AttemptImpact(
        detected_at=_time(conclusion.get("detected_at")) or detected_at,
        revisions=conclusion.get("revisions", 0),
        started_at=_time(conclusion["started_at"]),
        settled_at=_time(conclusion.get("settled_at")),
        newest_evidence_at=_time(conclusion.get("newest_evidence_at")),
    )


def is_one_of_several_tenants(*, incident: Incident, mine: IncidentParty) -> bool:
    """Say whether the reader is a tenant of an incident that may have hit other tenants, too."""
    return is_of_several_tenants(kind=incident.kind, parts=mine.parts)


def is_of_several_tenants(*, kind: str, parts: Collection[str]) -> bool:
    """Say the same of a kind of incident and the parts of a reader."""
    held = {*parts}
    return kind == IncidentKind.SHARED and "tenant" in held and not held & {"operator", "platform"}


def one_of_several_tenants() -> Q:
    """Return what asks for the same among the rows of parties."""
    as_tenant = Q(incident__kind=IncidentKind.SHARED, parts__contains=["tenant"])
    return as_tenant & ~Q(parts__overlap=["operator", "platform"])


def as_faced(
    *, incident: Incident, mine: IncidentParty, rows: Sequence[IncidentSession]
) -> Incident:
    """Return the incident with the times that the reader's own sessions tell.

    When it first hit anybody tells one of several tenants of another.
    """
    if not is_one_of_several_tenants(incident=incident, mine=mine) or incident.faced_since:
        return incident
    own = [row.conclusion for row in rows if row.organization_id == mine.organization_id]
    late = mine.moment or incident.detected_at
    hits = [hit_of(conclusion=each, detected_at=late) for each in own] or [
        AttemptImpact(detected_at=late)
    ]
    first = min(hits, key=lambda hit: hit.detected_at)
    shown = copy.copy(incident)
    shown.faced_since, shown.unfaced_revisions = first.detected_at, first.revisions or 0
    shown.revision = incident.revision - shown.unfaced_revisions
    shown.detected_at = first.detected_at
    shown.started_at = min(filter(None, (hit.started_at for hit in hits)), default=None)
    shown.newest_evidence_at = max(
        filter(None, (hit.newest_evidence_at for hit in hits)), default=None
    )
    settled = [hit.settled_at for hit in hits]
    shown.settled_at = max(filter(None, settled)) if all(settled) else None
    return shown


def own_conclusion(
    *, rows: Iterable[IncidentSession], organization_id: int
) -> Mapping[str, Any] | None:
    """Return what was concluded for the reader's own session, the strongest of several."""
    own = [row.conclusion for row in rows if row.organization_id == organization_id]
    return max(own, key=lambda told: told["header"]["probability"], default=None)


def header_of(*, incident: Incident, is_tenant: bool, own: Mapping[str, Any] | None) -> Any:
    """Return the naming fields: of a shared incident a tenant reads those of its own session."""
    if is_tenant:
        return own["header"] if own else NOBODY
    return {name: getattr(incident, name) for name in NAMING}


def hypothesis_of(
    *, culprits: list[Any], missing: list[Any], key: tuple[str, str], own: Mapping[str, Any] | None
) -> tuple[list[Any], list[Any]]:
    """Return culprits and missing sources of a shared hypothesis as one of several tenants reads
    them: its own session's, else only parts that belong to no host.
    """
    for told in own["hypotheses"] if own else []:
        if (told["layer"], told["cause"]) == key:
            return told["culprits"], told["missing"]
    return (
        [each for each in culprits if not each.get("host") and each.get("rank") is None],
        [each | {"hosts": []} for each in missing],
    )


def held_of(*, key: tuple[str, str], own: Mapping[str, Any] | None) -> list[Any]:
    """Return what others hold of a shared hypothesis as one of several tenants reads it: of its own
    session's evidence alone.

    A number that this session does not explain would tell of another.
    """
    hypotheses = own["hypotheses"] if own else []
    told = (each for each in hypotheses if (each["layer"], each["cause"]) == key)
    return next((each.get("held", []) for each in told), [])


def _time(text: str | None) -> datetime | None:
    return cut(datetime.fromisoformat(text)) if text else None
