"""What was heard of storage or fabric that nobody knows to serve the session: asked about."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from apps.diagnosis.model import (
    Diagnosis,
    Event,
    Layer,
    Missing,
    Reading,
    Role,
    VerdictStatus,
    statement,
)
from apps.diagnosis.reasoning.verdict.join import AFTER, BEFORE

ASKED: Final = {
    Layer.STORAGE: statement("says-if-storage-used"),
    Layer.NETWORK: statement("says-if-network-used"),
}
TELLING: Final = frozenset({Role.INITIATING, Role.CONFIRMATION})


def with_unplaced(*, diagnosis: Diagnosis, readings: Sequence[Reading]) -> Diagnosis:
    """Return an open question with what would tell whether these lines are about the session.

    An answer stays as it is: what may be about others weighs nothing.
    """
    if diagnosis.verdict.status is not VerdictStatus.UNKNOWN or not diagnosis.hypotheses:
        return diagnosis
    heard = {
        event.layer
        for reading in readings
        for event in reading.events
        if event.role in TELLING and _is_near(event, diagnosis.failed_at)
    }
    asked = tuple(
        Missing(source="inventory", hosts=(), held_by="operator", would=would)
        for layer, would in ASKED.items()
        if layer in heard
    )
    *others, question = diagnosis.hypotheses
    question = replace(question, missing=(*question.missing, *asked))
    return replace(diagnosis, hypotheses=(*others, question))


def _is_near(event: Event, failed_at: datetime | None) -> bool:
    at = event.line.at
    return bool(at and failed_at and failed_at - BEFORE <= at <= failed_at + AFTER)
