"""What launchers and coordinators say of who failed, and how a session ended."""

import pytest

from apps.diagnosis.model import EndState, VerdictStatus
from tests.scenarios.verdicts import diagnosed

SILENT = """E1129 08:12:33.504113   20113 coordination_service.cc:1549] [1361275554454403857] Use error polling to propagate the following error to all tasks: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):
{task}
The tasks have crashed. Check the task logs for an earlier error, or scheduler events (e.g. preemption, eviction) to debug further.
"""  # noqa: E501  a line of a log
FATAL = """F1129 08:12:33.504113   22037 client.h:80] Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details. absl::Status: DEADLINE_EXCEEDED: Deadline Exceeded

RPC: /xla.coordination.CoordinationService/{call}
"""  # noqa: E501  a line of a log
STEPS = "".join(
    f"2026-11-20 03:2{at}:01,120 INFO step {at}/9 loss 2.3 0.2 s/step\n" for at in range(1, 10)
)
PORT = "2026-11-20T03:20:01+0000 sw1 kernel: br0: port 3({port}) entered {state} state\n"


@pytest.mark.parametrize("task", ["2", "/job:jax_worker/replica:0/task:2"])
def test_jax_names_the_task_that_it_no_longer_hears_and_not_why(task: str) -> None:
    found = diagnosed(texts={"session/n05/rank0.log": SILENT.format(task=task)})
    assert found.first_stopper is not None
    assert found.first_stopper.ranks == (2,)
    assert found.verdict.status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize(("count", "is_told"), [(16, True), (17, False), (40, False)])
def test_of_very_many_tasks_that_jax_no_longer_hears_none_went_first(
    count: int, *, is_told: bool
) -> None:
    tasks = range(1, count + 1)
    text = SILENT.format(task="\n".join(map(str, tasks)))
    first = diagnosed(texts={"session/n05/rank0.log": text}).first_stopper
    assert (first.ranks if first else ()) == (tuple(tasks) if is_told else ())


def test_who_cannot_register_with_the_coordinator_has_no_rendezvous() -> None:
    texts = {f"session/n0{at}/rank{at}.log": FATAL.format(call="RegisterTask") for at in (1, 2)}
    assert diagnosed(texts=texts).verdict.cause == "rendezvous-unreachable"


def test_a_coordinator_that_answers_no_heartbeat_is_process_0() -> None:
    texts = {f"session/n0{at}/rank{at}.log": FATAL.format(call="Heartbeat") for at in (1, 2)}
    found = diagnosed(texts=texts)
    assert found.first_stopper is not None
    assert found.first_stopper.ranks == (0,)


def test_the_time_limit_of_mpirun_is_no_failure() -> None:
    limit = (
        "The user-provided time limit for job execution has been reached:\n\n  Timeout: 20 seconds"
    )
    text = f"step 10/40 loss 0.02\n{limit}\n"
    found = diagnosed(texts={"train.log": text})
    assert (found.verdict.status, found.end_state) == (VerdictStatus.NO_FAILURE, EndState.WALLTIME)


@pytest.mark.parametrize(
    ("steps", "end"),
    [
        (STEPS, EndState.FINISHED),
        (STEPS.replace("INFO step", "INFO epoch 1 step"), EndState.UNKNOWN),  # another may follow
        (STEPS.replace("/9", "/10"), EndState.RUNNING),
    ],
)
def test_the_last_of_all_steps_ends_a_session_that_then_is_silent(
    steps: str, end: EndState
) -> None:
    assert diagnosed(texts={"session/n05.log": steps}).end_state is end


def test_what_training_went_on_after_for_long_broke_nothing() -> None:
    warned = "2026-11-20 03:20:01,120 WARNING the client could not find its peer: DNS error 3\n"
    alone = diagnosed(texts={"session/n05.log": warned})
    lived = diagnosed(texts={"session/n05.log": warned + STEPS})
    assert alone.verdict.status is not VerdictStatus.NO_FAILURE
    assert lived.verdict.status is VerdictStatus.NO_FAILURE


def test_ray_names_the_rank_that_failed_and_its_host() -> None:
    text = """- (ip=10.4.0.2, pid=4300) world_rank=3, local_rank=0, node_rank=1
ray.train.WorkerGroupError: Training failed due to worker errors:
[Rank 3 Error Snippet]:
A worker health check failed.
Worker info: Worker(
  metadata=ActorMetadata(
    hostname='n06',
    node_id='4d8fd68d1e9c',
    node_ip='10.4.0.2',
    pid=4300,
  ),
"""
    found = diagnosed(texts={"train.log": text})
    assert found.first_stopper is not None
    assert (found.first_stopper.ranks, found.first_stopper.hosts) == ((3,), ("n06",))


@pytest.mark.parametrize(
    ("port", "cause"), [("n06", "link-down"), ("swp3", "link-down"), ("veth3f2a1c", "unknown")]
)
def test_a_port_of_a_bridge_that_goes_down_is_a_link_unless_it_is_a_containers(
    port: str, cause: str
) -> None:
    found = diagnosed(texts={"fabric/sw1.log": PORT.format(port=port, state="disabled")})
    assert found.verdict.cause == cause
    assert "n06" in {one.host for one in found.verdict.culprits} or port != "n06"


def test_a_pod_evicted_for_the_disk_of_its_node_failed_though_its_container_was_stopped() -> None:
    text = (
        "  Normal   Killing  18m  kubelet, n05  Stopping container app\n"
        "  Warning  Evicted  18m  kubelet, n05  "
        "The node was low on resource: ephemeral-storage.\n"
    )
    found = diagnosed(texts={"pod.txt": text})
    assert (found.verdict.cause, found.end_state) == ("disk-full", EndState.FAILED)


@pytest.mark.parametrize("disk", ["rbd0", "nbd3"])
def test_a_file_systems_thread_that_hangs_on_a_remote_disk_waits_for_storage(disk: str) -> None:
    hung = "INFO: task xfsaild/{}:1363 blocked for more than 120 seconds."
    line = f"2026-11-20T03:20:01+0000 n05 kernel: {hung}\n"
    assert diagnosed(texts={"kernel/n05.log": line.format(disk)}).verdict.layer.value == "storage"
    local = diagnosed(texts={"kernel/n05.log": line.format("sda1")})
    assert local.verdict.layer.value == "unknown"


RAISED = """Traceback (most recent call last):
  File "/app/train.py", line 38, in loop
    loss = model(batch)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x12 and 16x16)
"""


def test_what_steps_to_the_last_one_followed_was_lived_through() -> None:
    after = "".join(f"step {at}/30\n" for at in (5, 10, 15, 20, 25, 30))
    found = diagnosed(texts={"train.log": f"step 5/30\nstep 10/30\n{RAISED}{after}"})
    assert (found.verdict.status, found.end_state) == (VerdictStatus.NO_FAILURE, EndState.FINISHED)
    behind = diagnosed(texts={"train.log": f"{after}{RAISED}"})
    assert behind.end_state is EndState.FAILED
    cut = diagnosed(texts={"train.log": f"step 5/30\n{RAISED}step 5/30\nstep 10/30\n"})
    assert cut.end_state is not EndState.FINISHED
