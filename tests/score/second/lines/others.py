"""JAX's coordination service, Horovod and Open MPI, Ray: what they print of a failure."""

from collections.abc import Iterable

from tests.score.second.draft import SessionDraft
from tests.score.second.stamps import glog, local

RULE = "-" * 74


def absl(draft: SessionDraft, at: float, rank: int, level: str, where: str, text: str) -> str:
    """Return a line of absl's log."""
    stamp = glog(draft.own_clock(at, rank), draft.rig.program_zone)
    return f"{level}{stamp} {draft.rig.pid_of(rank) + 40:>7} {where}] {text}"


def jax_task_lost(draft: SessionDraft, at: float, rank: int, lost: int) -> list[str]:
    """Return a process that ends since another stopped its heartbeats (client.h)."""
    name = f"/job:jax_worker/replica:0/task:{lost}"
    return [
        absl(
            draft,
            at,
            rank,
            "E",
            "coordination_service_agent.cc:332",
            "Polled an error from coordination service (this can be an error from this or "
            "another task).",
        ),
        absl(
            draft,
            at + 0.0002,
            rank,
            "F",
            "client.h:77",
            "Terminating process because the JAX distributed service detected fatal errors. This "
            "most likely indicates that another task died; see the other task logs for more "
            "details. Disable Python buffering, i.e. `python -u`, to be sure to see all the "
            "previous output. absl::Status: UNAVAILABLE: The following tasks are unhealthy "
            "(stopped sending heartbeats):",
        ),
        name,
        (
            "The tasks have crashed. Check the task logs for an earlier error, or scheduler events "
            "(e.g. preemption, eviction) to debug further."
        ),
        "",
        "RPC: /tensorflow.CoordinationService/PollForError",
    ]


def jax_stuck(draft: SessionDraft, at: float, rank: int) -> list[str]:
    """Return XLA's word of a collective that other devices did not join (rendezvous.cc)."""
    return [
        absl(
            draft,
            at,
            rank,
            "E",
            "rendezvous.cc:73",
            "This thread has been waiting for `NCCL clique initialization` for 40 seconds and "
            "may be stuck: Expected 8 threads to join the rendezvous, but only 7 of them arrived "
            "on time.",
        ),
    ]


def horovod_stalled(draft: SessionDraft, at: float, missing: Iterable[int]) -> list[str]:
    """Return the coordinator's warning of ranks that do not submit (stall_inspector.cc)."""
    seen = local(draft.clock(at, 0), draft.rig.program_zone)
    head = f"[{seen:%Y-%m-%d %H:%M:%S.%f}: W /tmp/pip-install-fx3/horovod/horovod/common/stall_inspector.cc:107] "  # noqa: E501
    names = "[DistributedOptimizer_Allreduce/cond/HorovodAllreduce_grads_0, DistributedOptimizer_Allreduce/cond_1/HorovodAllreduce_grads_1_0 ...]"  # noqa: E501
    return [
        (
            f"{head}One or more tensors were submitted to be reduced, gathered or broadcasted by "
            "subset of ranks and are waiting for remainder of ranks for more than 60 seconds. This "
            "may indicate that different ranks are trying to submit different tensors or that only "
            "subset of ranks is submitting tensors, which will cause deadlock. "
        ),
        "Missing ranks:",
        *(f"{rank}: {names}" for rank in missing),
    ]


def mpi_signalled(draft: SessionDraft, rank: int, code: int) -> list[str]:
    """Return mpirun's word of the first process that ended badly."""
    host = draft.rig.host_of(rank)
    signals = {6: "Aborted", 7: "Bus error", 9: "Killed", 11: "Segmentation fault"}
    if code < 0:
        return [
            RULE,
            (
                f"mpirun noticed that process rank {rank} with PID {draft.rig.pid_of(rank)} on node "  # noqa: E501
                f"{host.name} exited on signal {-code} ({signals[-code]})."
            ),
            RULE,
        ]
    return [
        RULE,
        "Primary job  terminated normally, but 1 process returned",
        "a non-zero exit code. Per user-direction, the job has been aborted.",
        RULE,
        RULE,
        "mpirun detected that one or more processes exited with non-zero status, thus causing",
        "the job to be terminated. The first process to do so was:",
        "",
        f"  Process name: [[{draft.rig.job % 65536},1],{rank}]",
        f"  Exit code:    {code}",
        RULE,
    ]


def mpi_host_lost(draft: SessionDraft, place: int) -> list[str]:
    """Return mpirun's word of a host whose daemon it cannot reach any more."""
    return [
        RULE,
        "ORTE has lost communication with a remote daemon.",
        "",
        f"  HNP daemon   : [[{draft.rig.job % 65536},0],0] on node {draft.rig.hosts[0].name}",
        f"  Remote daemon: [[{draft.rig.job % 65536},0],{place}] on node {draft.rig.hosts[place].name}",  # noqa: E501
        "",
        "This is usually due to either a failure of the TCP network",
        "connection to the node, or possibly an internal failure of",
        "the daemon itself. We cannot recover from this failure, and",
        "therefore will terminate the job.",
        RULE,
    ]


def ray_actor_died(draft: SessionDraft, rank: int, cause: str) -> list[str]:
    """Return the driver's traceback of a worker that is gone."""
    host = draft.rig.host_of(rank)
    return [
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
        "\tclass_name: RayTrainWorker",
        f"\tactor_id: {draft.hexed(32)}",
        f"\tpid: {draft.rig.pid_of(rank)}",
        f"\tnamespace: {draft.hexed(8)}-{draft.hexed(4)}-4{draft.hexed(3)}-{draft.hexed(12)}",
        f"\tip: {host.address}",
        f"The actor is dead because {cause}",
    ]
