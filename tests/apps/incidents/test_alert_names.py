"""An alert is told by its name, in a moment that its holder alone reads."""

from datetime import timedelta

from apps.diagnosis.model import (
    Diagnosis,
    EndState,
    Event,
    Layer,
    LogLine,
    Observation,
    Origin,
    Phase,
    Restart,
    Role,
    Severity,
    Stream,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.reasoning.explanation.story.timeline import timeline
from apps.incidents.correlation.conclusion import conclusion_of
from apps.incidents.correlation.evidence_holders import Holders
from tests.cast import make

TENANT, OPERATOR = 1, 2
UNKNOWN = Verdict(
    status=VerdictStatus.UNKNOWN, layer=Layer.UNKNOWN, cause="unknown", probability=0,
    cause_probability=0, culprits=(),
)  # fmt: skip


def fired(number: int, name: str) -> Observation:
    """Return what an alert of no known kind says."""
    origin = Origin(source="stream:7", stream=Stream.ALERTS, host="gpu001")
    at = make.AT + timedelta(seconds=number)
    event = Event(
        signature="alert-firing",
        role=Role.CONTEXT,
        layer=Layer.UNKNOWN,
        severity=Severity.WARN,
        line=LogLine(origin=origin, number=number, text=f"firing {name}", at=at, host="gpu001"),
        fields={"alert": name},
    )
    return Observation(
        sign=event.signature, role=event.role, layer=event.layer, fields=event.fields, at=at,
        host="gpu001", hosts=("gpu001",), events=(event,),
        statement=statement("text", text="An alert fired"),
    )  # fmt: skip


def test_alerts_are_told_by_their_names_to_who_holds_them() -> None:
    told = [fired(1, "KubeJobFailed"), fired(2, "Watchdog"), fired(3, "Watchdog")]
    diagnosis = Diagnosis(
        verdict=UNKNOWN,
        end_state=EndState.FAILED,
        phase=Phase.UNKNOWN,
        restart=Restart(advice="unknown"),
        hypotheses=(),
        timeline=timeline(observations=told, first=None, failed_at=None, doubts={}),
    )
    holders = Holders(
        owner_id=TENANT, of_source={"stream:7": OPERATOR}, label={}, reference=lambda _: ""
    )

    found = conclusion_of(diagnosis=diagnosis, holders=holders, attempt_id=1)

    assert [(each.title, each.detail["count"]) for each in found.tellings] == [
        ("An alert fired: KubeJobFailed", 1),
        ("An alert fired: Watchdog", 2),
    ]
    assert {each.organization_id for each in found.tellings} == {OPERATOR}
    assert not any(each.for_all_parties or each.audience for each in found.tellings)
    assert "Watchdog" not in repr((found.header, found.hypotheses))
