"""The contract of events, as JSON."""

import json
from typing import Any

import pytest

from apps.training.in_job.events import (
    BadEvent,
    BucketRollback,
    CommunicatorRepaired,
    QuotaReassigned,
    ReplicaLost,
    StepCommitted,
    event_of_json,
)

LOST = {"event": "replica_lost", "at": 5, "replica": "r1", "step": 7, "phase": "sync", "gpus": 8}
COMMITTED = {"event": "step_committed", "at": 5.5, "step": 7, "microbatches": 64, "survivors": 3}


@pytest.mark.parametrize(
    ("told", "event"),
    [
        (LOST, ReplicaLost(at_seconds=5, replica="r1", step=7, phase="sync", gpu_count=8)),
        (
            {"event": "communicator_repaired", "at": 1, "epoch": 2, "members_before": 4,
             "members_after": 3, "ms": 80},
            CommunicatorRepaired(
                at_seconds=1, epoch=2, members_before=4, members_after=3, milliseconds=80
            ),
        ),
        (
            {"event": "bucket_rollback", "at": 1, "step": 7, "bucket": 3},
            BucketRollback(at_seconds=1, step=7, bucket=3, milliseconds=None),
        ),
        (
            {"event": "quota_reassigned", "at": 1, "step": 7, "microbatches": {"b": 2, "a": 1},
             "spare": "c"},
            QuotaReassigned(
                at_seconds=1, step=7, quotas=(("a", 1), ("b", 2)), spare="c", minor=None
            ),
        ),
        (
            COMMITTED,
            StepCommitted(at_seconds=5.5, step=7, microbatches=64, survivors=3, tokens=None),
        ),
    ],
)  # fmt: skip
def test_each_kind_is_read(told: dict[str, Any], event: object) -> None:
    assert event_of_json(json.loads(json.dumps(told))) == event


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ([], "an event is a JSON object"),
        ({"event": "rank_lost"}, "event: one of replica_lost"),
        ({"event": []}, "event: one of replica_lost"),
        ({**LOST, "at": "now"}, "at: a number is needed"),
        ({**LOST, "at": float("nan")}, "at: a number is needed"),
        ({**LOST, "gpus": -1}, "gpus: a whole number from 0 is needed"),
        ({**LOST, "gpus": True}, "gpus: a whole number from 0 is needed"),
        ({**LOST, "replica": None}, "replica: a name is needed"),
        ({**COMMITTED, "step": None}, "step: a whole number from 0 is needed"),
        (
            {"event": "quota_reassigned", "at": 1, "step": 1, "microbatches": []},
            "microbatches: an object",
        ),
    ],
)
def test_what_is_none_is_refused_by_its_field(told: object, reason: str) -> None:
    with pytest.raises(BadEvent, match=reason):
        event_of_json(told)
