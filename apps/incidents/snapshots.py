"""Incidents as they stood when their reader left the cluster: copies read back as rows."""

import copy
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from apps.fleet.models import Attempt, Session
from apps.incidents.models import (
    EvidenceItem,
    Hypothesis,
    Incident,
    IncidentSession,
    IncidentSnapshot,
)
from apps.tenancy.database.row_copies import fields_of, row_of

Row = TypeVar("Row", bound=Model)


def snapshots_of(
    *, organization_id: int, incidents: Collection[Incident]
) -> Mapping[int, IncidentSnapshot]:
    """Return incident id → what an organization keeps of it, of those it left. Needs its scope."""
    own = IncidentSnapshot.objects.for_organization(organization_id)
    return {row.incident_id: row for row in own.filter(incident__in=incidents)}


def as_it_stood(*, incident: Incident, snapshot: IncidentSnapshot | None) -> Incident:
    """Return the incident of a snapshot; without one the incident as it is."""
    if snapshot is None:
        return incident
    stood = copy.copy(incident)
    for name, value in fields_of(model=Incident, copy=snapshot.header).items():
        setattr(stood, name, value)
    stood.snapshot = snapshot
    return stood


def hypotheses_then(*, snapshot: IncidentSnapshot) -> list[Hypothesis]:
    """Return the hypotheses of then, best first."""
    return [row_of(model=Hypothesis, copy=each) for each in snapshot.hypotheses]


def evidence_then(*, snapshot: IncidentSnapshot) -> list[EvidenceItem]:
    """Return the evidence that the reader held then."""
    return [row_of(model=EvidenceItem, copy=each) for each in snapshot.evidence]


def sessions_then(*, snapshot: IncidentSnapshot) -> tuple[IncidentSession, ...]:
    """Return the attempts that the incident had hit by then and that the reader saw."""
    return tuple(_session(each) for each in snapshot.sessions)


def _session(stored: Mapping[str, Any]) -> IncidentSession:
    row = row_of(model=IncidentSession, copy=stored)
    row.attempt = row_of(model=Attempt, copy=stored["attempt"])
    row.attempt.session = row_of(model=Session, copy=stored["session"])
    return row


def until_left(*, rows: QuerySet[Row], incident: Incident) -> QuerySet[Row]:
    """Return those of an incident's appended rows that were there when its reader left."""
    if incident.snapshot is None:
        return rows
    return rows.filter(created_at__lte=incident.snapshot.taken_at)
