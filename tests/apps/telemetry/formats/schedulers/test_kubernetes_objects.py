"""Pods, jobs and events of Kubernetes become states of the job's members."""

from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from apps.telemetry.formats.lines.complaints import NothingUsable
from apps.telemetry.formats.schedulers import kubernetes_objects
from apps.telemetry.formats.schedulers.json_values import BadReport
from apps.telemetry.formats.schedulers.session_event import SessionEvent
from apps.training.lifecycle.state_table import meaning_of
from tests.cast.kubernetes_objects import event, pod


def events(*objects: Any) -> Sequence[SessionEvent]:
    """Return the events of objects in which nothing is wrong."""
    body = orjson.dumps({"kind": "List", "items": list(objects)})
    found = list(kubernetes_objects.read(body, ""))
    told = [each for each in found if isinstance(each, SessionEvent)]
    assert told == found
    return told


def test_a_pod_tells_its_way_from_the_queue_to_the_run() -> None:
    told = events(pod("solar-0-abcde", "gpu001"))
    assert [(each.scheduler_state, each.at) for each in told] == [
        ("Pending", "2026-11-21T01:00:00Z"),
        ("Scheduled", "2026-11-21T01:00:05Z"),
        ("Started", "2026-11-21T01:01:00Z"),
    ]
    assert {(each.session, each.member, each.project) for each in told} == {
        ("solar", "solar-0-abcde", "llm")
    }
    assert told[-1].hosts == ()  # whether one pod is all of the job nobody knows


def test_all_pods_of_a_job_tell_its_hosts() -> None:
    told = events(
        pod("solar-1-b", "gpu002"), pod("solar-0-a", "gpu001"), pod("x", "g", job="other")
    )
    hosts = {each.session: each.hosts for each in told if each.scheduler_state == "Started"}
    assert hosts == {"solar": ("gpu001", "gpu002"), "other": ("g",)}


@pytest.mark.parametrize(
    ("status", "states"),
    [
        (
            {
                "containerStatuses": [
                    {
                        "state": {
                            "terminated": {
                                "reason": "OOMKilled",
                                "exitCode": 137,
                                "startedAt": "2026-11-21T01:01:00Z",
                                "finishedAt": "2026-11-21T02:00:00Z",
                            }
                        }
                    }
                ]
            },
            [("Started", ""), ("OOMKilled", "exit-137")],
        ),
        (
            {
                "containerStatuses": [
                    {
                        "lastState": {
                            "terminated": {"exitCode": 1, "finishedAt": "2026-11-21T02:00:00Z"}
                        },
                        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                    }
                ]
            },
            [("Error", "exit-1"), ("CrashLoopBackOff", "")],
        ),
        ({"phase": "Failed", "reason": "Evicted", "containerStatuses": []}, [("Evicted", "")]),
        ({"phase": "Unknown", "containerStatuses": []}, [("Unknown", "")]),
    ],
)
def test_ends_and_restarts_of_a_pod_are_told(
    status: dict[str, Any], states: list[tuple[str, str]]
) -> None:
    told = events(pod("solar-0-abcde", "gpu001", **status))
    assert [(each.scheduler_state, each.reason) for each in told[2:]] == states


@pytest.mark.parametrize(
    "reason",
    ["Scheduled", "Pulling", "Pulled", "Created", "Started", "Killing", "Evicted", "BackOff"],
)
def test_events_of_pods_are_states_that_the_table_knows(reason: str) -> None:
    (told,) = events(event(reason, "solar-worker-3"))
    assert (told.session, told.member, told.at) == (
        *("solar", "solar-worker-3"),
        "2026-11-21T01:00:20Z",
    )
    assert meaning_of(scheduler="kubernetes", word=told.scheduler_state).is_known


def test_an_event_of_failure_is_no_end_of_the_job() -> None:
    (told,) = events(event("Failed", "solar-0-abcde"))
    assert not meaning_of(scheduler="kubernetes", word=told.scheduler_state).is_over


def test_a_pod_beside_its_events_says_which_job_they_are_of() -> None:
    told = events(event("Killing", "strange.name"), pod("strange.name", "gpu001"))
    assert {each.session for each in told} == {"solar"}


def test_a_job_tells_its_conditions() -> None:
    job = {
        "kind": "PyTorchJob",
        "metadata": {"name": "solar", "creationTimestamp": "2026-11-21T01:00:00Z"},
        "status": {
            "conditions": [
                {
                    "type": "Failed",
                    "status": "True",
                    "reason": "BackoffLimitExceeded",
                    "lastTransitionTime": "2026-11-21T03:00:00Z",
                },
                {"type": "Suspended", "status": "False"},
            ]
        },
    }
    told = events(job)
    assert [(each.scheduler_state, each.reason, each.member) for each in told] == [
        ("SuccessfulCreate", "", ""),
        ("Failed", "BackoffLimitExceeded", ""),
    ]


def test_the_restarts_of_a_jobset_are_attempts() -> None:
    made = pod("s-0", "gpu001")
    made["metadata"]["labels"] |= {
        "jobset.sigs.k8s.io/jobset-name": "set",
        "jobset.sigs.k8s.io/restart-attempt": "2",
    }
    assert {(each.session, each.attempt) for each in events(made)} == {("set", 3)}


def test_what_is_of_no_job_is_passed_over_or_named() -> None:
    assert events(event("NodeNotReady", "gpu001", kind="Node"), {"kind": "Service"}) == []
    assert events({**pod("dns", "gpu001"), "metadata": {"name": "dns"}}) == []
    (wrong,) = kubernetes_objects.read(orjson.dumps(event("Killing", "db")), "")
    assert isinstance(wrong, BadReport)
    assert "send the pods along" in str(wrong)


def test_a_watch_is_one_object_a_line() -> None:
    lines = [{"type": "ADDED", "object": event("Pulling", f"solar-worker-{n}")} for n in range(2)]
    body = b"\n".join(map(orjson.dumps, lines))
    assert len(list(kubernetes_objects.read(body, ""))) == 2


@pytest.mark.parametrize("body", [b"", b"kind: Pod", b"7", b'{"a": 1}\nno'])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(NothingUsable):
        list(kubernetes_objects.read(body, ""))
