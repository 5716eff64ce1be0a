"""Sessions that something struck, and a look of the correlation at them."""

from datetime import timedelta

from apps.diagnosis.model import (
    Device,
    Diagnosis,
    EndState,
    Evidence,
    Hypothesis,
    Layer,
    Phase,
    Restart,
    SessionFacts,
    Topology,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts.attempt_facts import Gathered
from apps.incidents.correlation.correlate import Correlated, _record
from apps.incidents.correlation.diagnosis_parts import parts_of
from apps.incidents.correlation.evidence_holders import Holders
from apps.incidents.models import Incident
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast

NOW = make.AT + timedelta(minutes=2)
SERVER = Device(kind="server", name="nas1")
GPU = Device(kind="gpu", host="gpu001", index=3)


def _diagnosis(
    *, layer: Layer, cause: str, culprit: Device | None, status: str = "likely"
) -> Diagnosis:
    culprits = (culprit,) if culprit else ()
    probability = 0.9 if status == "likely" else 0.0
    return Diagnosis(
        verdict=Verdict(
            status=VerdictStatus(status),
            layer=layer,
            cause=cause,
            probability=probability,
            cause_probability=probability,
            culprits=culprits,
        ),
        end_state=EndState.FAILED,
        phase=Phase.ITERATE,
        restart=Restart(advice="restart"),
        hypotheses=(
            Hypothesis(
                layer=layer,
                cause=cause,
                probability=0.9,
                cause_probability=0.9,
                supporting=(
                    Evidence(
                        statement=statement("text", text="it was slow"),
                        weight=3.0,
                        source="metrics:1",
                    ),
                ),
            ),
        ),
        failed_at=make.AT,
    )


GPU_LOST = _diagnosis(layer=Layer.GPU, cause="gpu-off-bus", culprit=GPU)
STORAGE = _diagnosis(layer=Layer.STORAGE, cause="checkpoint-slow", culprit=SERVER)
UNKNOWN = _diagnosis(layer=Layer.UNKNOWN, cause="unknown", culprit=None, status="unknown")


def _look(
    cast: Cast,
    attempt: Attempt,
    diagnosis: Diagnosis,
    after: timedelta,
    *,
    is_cut: bool = False,
) -> Correlated:
    holders = Holders(
        owner_id=attempt.organization_id,
        of_source={"metrics:1": cast.operator.pk},
        label={},
        reference=lambda _: "",
    )
    gathered = Gathered(
        readings=(), anomalies=(), topology=Topology(), facts=SessionFacts(), expected=(),
        holders=holders, newest_received_at=None, is_cut=is_cut,
    )  # fmt: skip
    with organization_scope(*cast.ids):
        parts = parts_of(attempt=attempt, gathered=gathered, diagnosis=diagnosis)
        return _record(attempt=attempt, gathered=gathered, parts=parts, now=NOW + after)


SOON, LATER = timedelta(seconds=10), timedelta(seconds=20)


def listed(cast: Cast) -> list[tuple[str, str, str]]:
    """Return each incident by its kind, status and cause, the oldest first."""
    with organization_scope(*cast.ids):
        rows = Incident.objects.order_by("id")
        return [(row.kind, row.status, row.cause) for row in rows]
