"""Incidents, who takes part, what may explain them, and the append-only story."""

from apps.incidents.models.evidence_requests import EvidenceRequest, EvidenceRequestAct
from apps.incidents.models.feedback import Feedback
from apps.incidents.models.hypotheses import EvidenceItem, Hypothesis
from apps.incidents.models.incidents import (
    Incident,
    IncidentParty,
    IncidentSession,
    IncidentSnapshot,
)
from apps.incidents.models.orders import Correlation
from apps.incidents.models.steps import IncidentStep
from apps.incidents.models.story import Annotation, AnnotationRead, TimelineEntry

__all__ = [
    "Annotation",
    "AnnotationRead",
    "Correlation",
    "EvidenceItem",
    "EvidenceRequest",
    "EvidenceRequestAct",
    "Feedback",
    "Hypothesis",
    "Incident",
    "IncidentParty",
    "IncidentSession",
    "IncidentSnapshot",
    "IncidentStep",
    "TimelineEntry",
]
