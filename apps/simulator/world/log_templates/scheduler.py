"""Backend.AI's manager and agents, and Slurm: what the platform prints about a session."""

from apps.simulator.world.machines.cluster import ZONE, SimulatedNode
from apps.simulator.world.noise import digest
from apps.simulator.world.story import SimulatedAttempt

CONTROLLER = "keel-ctl1"


def job_number(attempt: SimulatedAttempt) -> int:
    """Return the number a Slurm-like scheduler knows the attempt by."""
    return 40_000 + digest(seed=attempt.seed, name=f"job/{attempt.key}") % 9_000


def identity(attempt: SimulatedAttempt) -> str:
    """Return the UUID that Backend.AI knows the attempt by."""
    h = f"{digest(seed=attempt.seed, name=f'bai/{attempt.key}'):016x}" * 2
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-8{h[17:20]}-{h[20:32]}"


def say(
    *, node: SimulatedNode, attempt: SimulatedAttempt, at: float, text: str, level: str = "INFO"
) -> str:
    """Return a line of the controller's log."""
    local = node.local(at, ZONE)
    millis = local.microsecond // 1000
    if attempt.style.scheduler == "slurm":
        return f"[{local:%Y-%m-%dT%H:%M:%S}.{millis:03d}] {text}"
    return (
        f"{local:%Y-%m-%d %H:%M:%S}.{millis:03d} {level} ai.backend.manager.registry [2217] {text}"
    )


def started(*, attempt: SimulatedAttempt) -> str:
    """Return that the attempt was placed and started."""
    if attempt.style.scheduler == "slurm":
        return (
            f"sched: Allocate JobId={job_number(attempt)} "
            f"NodeList={attempt.hosts[0]}-{attempt.hosts[-1]} "
            f"#CPUs={len(attempt.hosts) * 224} Partition=train"
        )
    return f"handle_session_started: ev:session_started s:{identity(attempt)} r:new-session"


def ended(*, attempt: SimulatedAttempt, state: str) -> list[str]:
    """Return how the platform saw the end."""
    if attempt.style.scheduler == "slurm":
        number = job_number(attempt)
        if state == "walltime":
            return [
                f"Time limit exhausted for JobId={number}",
                f"_job_complete: JobId={number} done",
            ]
        status = {"finished": "WEXITSTATUS 0", "cancelled": "WTERMSIG 15"}.get(
            state, "WEXITSTATUS 1"
        )
        return [f"_job_complete: JobId={number} {status}", f"_job_complete: JobId={number} done"]
    reason = {
        "walltime": "idle-session-lifetime",
        "cancelled": "user-requested",
        "finished": "task-finished",
    }
    word = reason.get(state, "self-terminated")
    return [
        f"kernel_terminated: s:{identity(attempt)} reason={word}",
        (
            f"session_terminated: s:{identity(attempt)} reason={word} "
            f"status=TERMINATED result={'SUCCESS' if state == 'finished' else 'FAILURE'}"
        ),
    ]


def cancelled_in_job(*, attempt: SimulatedAttempt, node: SimulatedNode, at: float, why: str) -> str:
    """Return the step daemon's line in the job's own output."""
    local = node.local(at, ZONE)
    return (
        f"slurmstepd: error: *** STEP {job_number(attempt)}.0 ON {node.name} CANCELLED AT "
        f"{local:%Y-%m-%dT%H:%M:%S}{why} ***"
    )
