"""A job that loses a part and runs on, by its logs alone."""
# ruff: noqa: E501  lines of logs keep their length

import random

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, EndState, VerdictStatus
from apps.wording.published import to_json
from tests.cast.survivors import steps, survivor
from tests.scenarios.verdicts import diagnosed, readings_of

UNCAUGHT = [
    "[rank5]: Traceback (most recent call last):",
    '[rank5]:   File "/opt/train/rollout.py", line 188, in learner_step',
    "[rank5]:     loss.backward()",
    "[rank5]: torch.AcceleratorError: CUDA error: unspecified launch failure",
]
XID = "2026-11-14T04:{minute:02d}:{second:02d}+00:00 {host} kernel: NVRM: Xid (PCI:0000:52:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
NVRX = "2026-11-14 04:05:05,000 [WARNING] [gpu-n01] [workload:0(0) infra:0(0)] wrap.py:1 state=State(rank=0) InterruptionRecord(rank=5, interruption=<Interruption.{what}>)"


def _job(**changed: list[str] | None) -> dict[str, str]:
    """Return the logs of three replicas, the last of which was lost at step 60, at 04:05."""
    logs: dict[str, list[str] | None] = {
        "session/gpu-n01/rank0.log": survivor(0),
        "session/gpu-n02/rank2.log": survivor(1),
        "session/gpu-n03/rank5.log": [*steps(1, 59), *UNCAUGHT],
        **{name.replace("__", "/") + ".log": told for name, told in changed.items()},
    }
    return {path: "\n".join(told) + "\n" for path, told in logs.items() if told is not None}


def _with_kernel(texts: dict[str, str], *, host: str = "gpu-n03", minute: int = 5) -> Diagnosis:
    return diagnosed(
        texts={**texts, f"kernel/{host}.log": XID.format(minute=minute, second=0, host=host)}
    )


def test_what_was_lost_is_told_with_its_cause_and_that_the_job_went_on() -> None:
    found = _with_kernel(_job())
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.LIKELY, "gpu-off-bus")
    assert {one.host for one in found.verdict.culprits} == {"gpu-n03"}
    assert found.end_state is EndState.UNKNOWN
    assert found.lived_loss is not None
    assert (found.lived_loss.ranks, found.lived_loss.survivors) == ((5,), 2)
    assert found.lived_loss.at is not None
    assert (found.lived_loss.at.minute, found.lived_loss.at.second) == (5, 0)


def test_nothing_has_to_be_started_again_and_the_node_is_left_out_next_time() -> None:
    told = to_json(diagnosis=_with_kernel(_job()))
    assert told["restart"]["needed"] is False
    assert told["restart"]["text"].endswith("At the next start, leave out gpu-n03.")
    assert told["lived_loss"]["told"]["source"] == "session/gpu-n01/rank0.log"


def test_without_a_log_of_the_node_who_went_is_known_and_no_cause_is_made_up() -> None:
    found = diagnosed(texts=_job())
    assert found.lived_loss is not None
    assert found.lived_loss.ranks == (5,)
    assert found.verdict.status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize("minute", [30, 58])
def test_what_befalls_a_survivor_much_later_is_not_the_cause(minute: int) -> None:
    found = _with_kernel(_job(), host="gpu-n01", minute=minute)
    assert found.verdict.cause != "gpu-off-bus"


def test_a_job_that_ran_for_an_hour_after_it_is_told_the_same() -> None:
    found = _with_kernel(_job(**{"session__gpu-n01__rank0": survivor(0, until=700)}))
    assert (found.verdict.cause, found.lived_loss is not None) == ("gpu-off-bus", True)


@pytest.mark.parametrize(
    "below", [[], [UNCAUGHT[0].replace("5", "0"), "[rank0]: RuntimeError: boom"]]
)
def test_a_job_of_which_nobody_went_on_stopped(below: list[str]) -> None:
    """It agreed anew and made no step."""
    one, other = survivor(0)[:62] + below, survivor(1)[:62]
    found = _with_kernel(_job(**{"session__gpu-n01__rank0": one, "session__gpu-n02__rank2": other}))
    assert found.lived_loss is None
    assert found.verdict.cause == "gpu-off-bus"


def test_a_job_that_broke_later_is_told_of_that() -> None:
    broke = [
        "[rank0]: Traceback (most recent call last):",
        "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.10 GiB of which 1.10 GiB is free.",
    ]
    found = _with_kernel(_job(**{"session__gpu-n01__rank0": [*survivor(0), *broke]}))
    assert found.lived_loss is None


def test_a_replica_that_only_joins_is_no_loss() -> None:
    calm = [line for line in survivor(0) if "got exception" not in line]
    found = diagnosed(texts={"session/gpu-n01/rank0.log": "\n".join(calm)})
    assert found.lived_loss is None


def test_the_order_and_the_doubles_of_readings_change_nothing() -> None:
    texts = {**_job(), "kernel/gpu-n03.log": XID.format(minute=5, second=0, host="gpu-n03")}
    readings = readings_of(texts=texts)
    expected = to_json(diagnosis=diagnose(readings=readings))
    for seed in range(3):
        shuffled = [*readings, *readings[:2]]
        random.Random(seed).shuffle(shuffled)  # noqa: S311  reproducible, not secret
        assert to_json(diagnosis=diagnose(readings=shuffled)) == expected


@pytest.mark.parametrize(
    ("what", "is_gone"),
    [
        ("TERMINATED: 5", True),
        ("UNRESPONSIVE: 6", True),
        ("HARD_TIMEOUT: 4", True),
        ("EXCEPTION: 1", False),
    ],
)
def test_a_rank_that_nvrx_gave_up_is_lost_and_one_that_starts_again_is_not(
    what: str, *, is_gone: bool
) -> None:
    told = [*steps(1, 60), NVRX.format(what=what), *steps(62, 150)]
    found = diagnosed(texts={"session/gpu-n01/rank0.log": "\n".join(told)})
    ranks = found.lived_loss.ranks if found.lived_loss else None
    assert ranks == ((5,) if is_gone else None)


ELASTIC = "I1114 04:05:{second:02d}.000000 4021 torch/distributed/elastic/agent/server/api.py:877] [default] {text}"
AGAIN = [
    "Worker group FAILED. 2/3 attempts left; will restart worker group",
    "Stopping worker group",
    "Rendezvous'ing worker group",
]
SMALLER = ["Detected 1 new nodes from group_rank=0; will restart worker group", *AGAIN[1:]]


@pytest.mark.parametrize("texts", [AGAIN, SMALLER], ids=["failed", "membership"])
def test_workers_that_torchelastic_starts_again_need_no_other_start(texts: list[str]) -> None:
    agent = [ELASTIC.format(second=second, text=text) for second, text in enumerate(texts, start=4)]
    found = _with_kernel(
        {
            "session/gpu-n01.log": "\n".join([*steps(1, 60), *agent, *steps(80, 150)]),
            "session/gpu-n03.log": "\n".join(steps(1, 59)),
        }
    )
    assert found.verdict.cause == "gpu-off-bus"
    told = to_json(diagnosis=found)["restart"]
    assert (told["needed"], "leave out gpu-n03" in told["text"]) == (False, True)
