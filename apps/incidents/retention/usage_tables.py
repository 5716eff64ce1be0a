"""What incidents themselves take of what an organization keeps: added to what telemetry counts."""

from collections.abc import Sequence
from typing import Final

from apps.incidents.models import (
    Annotation,
    AnnotationRead,
    EvidenceItem,
    Feedback,
    Hypothesis,
    Incident,
    IncidentParty,
    IncidentSession,
    IncidentSnapshot,
    IncidentStep,
    TimelineEntry,
)
from apps.telemetry.retention.classes import RetentionClass
from apps.telemetry.retention.deletions import ColumnSize
from apps.telemetry.retention.usage import Table

OWN: Final = RetentionClass.INCIDENTS
# A merge or a withdrawal takes rows of any of these away: each is counted anew.
TABLES: Final[Sequence[Table]] = (
    Table(
        kind=OWN,
        model=Incident,
        size=ColumnSize("coverage"),
        row_bytes=1700,
        since="detected_at",
        is_rewritten=True,
    ),
    Table(kind=OWN, model=IncidentParty, size=None, row_bytes=300, is_rewritten=True),
    Table(
        kind=OWN,
        model=IncidentSession,
        size=ColumnSize("conclusion"),
        row_bytes=300,
        is_rewritten=True,
    ),
    Table(kind=OWN, model=Hypothesis, size=ColumnSize("held"), row_bytes=700, is_rewritten=True),
    Table(kind=OWN, model=EvidenceItem, size=ColumnSize("text"), row_bytes=500, is_rewritten=True),
    Table(
        kind=OWN,
        model=TimelineEntry,
        size=ColumnSize("detail"),
        row_bytes=600,
        since="created_at",
        is_rewritten=True,
    ),
    Table(kind=OWN, model=IncidentStep, size=None, row_bytes=400, since="created_at"),
    Table(
        kind=OWN,
        model=Annotation,
        size=ColumnSize("text"),
        row_bytes=400,
        since="created_at",
        is_rewritten=True,
    ),
    Table(
        kind=OWN,
        model=AnnotationRead,
        size=None,
        row_bytes=150,
        since="read_at",
        is_rewritten=True,
    ),
    Table(
        kind=OWN,
        model=IncidentSnapshot,
        size=ColumnSize("evidence"),
        row_bytes=8000,
        since="taken_at",
        is_rewritten=True,
    ),
    Table(
        kind=OWN,
        model=Feedback,
        size=None,
        row_bytes=500,
        since="created_at",
        is_rewritten=True,
    ),
)
