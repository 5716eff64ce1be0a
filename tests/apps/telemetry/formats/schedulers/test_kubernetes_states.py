"""Conditions of a pod: which of them are states, and from when."""

import pytest

from apps.telemetry.formats.schedulers.kubernetes_states import pod_states

AT = "2026-11-21T01:00:05Z"


@pytest.mark.parametrize(
    ("word", "status", "reason", "states"),
    [
        ("PodScheduled", "True", "", [("Scheduled", AT, "")]),
        ("PodScheduled", "False", "Unschedulable", [("Unschedulable", AT, "")]),
        ("PodScheduled", "False", "", []),
        ("Ready", "True", "", []),
        ("DisruptionTarget", "True", "Preempted", [("DisruptionTarget", AT, "Preempted")]),
        ("DisruptionTarget", "False", "Preempted", []),
    ],
)
def test_a_condition_is_a_state_by_its_kind_and_whether_it_holds(
    word: str, status: str, reason: str, states: list[tuple[str, str, str]]
) -> None:
    condition = {"type": word, "status": status, "reason": reason, "lastTransitionTime": AT}
    assert [*pod_states({"status": {"conditions": [condition]}})] == states
