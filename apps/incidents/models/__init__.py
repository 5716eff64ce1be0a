"""Incidents, who takes part, what may explain them, and the append-only story."""

from apps.incidents.models.feedback import Feedback, Judgement
from apps.incidents.models.hypotheses import EvidenceItem, Hypothesis
from apps.incidents.models.incidents import (
    Incident,
    IncidentKind,
    IncidentParty,
    IncidentSession,
    IncidentSnapshot,
    IncidentStatus,
)
from apps.incidents.models.orders import Correlation
from apps.incidents.models.story import Annotation, TimelineEntry

__all__ = [
    "Annotation",
    "Correlation",
    "EvidenceItem",
    "Feedback",
    "Hypothesis",
    "Incident",
    "IncidentKind",
    "IncidentParty",
    "IncidentSession",
    "IncidentSnapshot",
    "IncidentStatus",
    "Judgement",
    "TimelineEntry",
]
