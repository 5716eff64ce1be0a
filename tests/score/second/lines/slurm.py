"""Slurm: srun/launch.c, slurmstepd/req.c, step_launch.c and slurmctld's node_mgr.c, job_mgr.c."""

from collections.abc import Iterable

from tests.score.second.draft import SessionDraft
from tests.score.second.stamps import iso

SIGNALS = {
    6: "Aborted (core dumped)",
    7: "Bus error (core dumped)",
    9: "Killed",
    11: "Segmentation fault (core dumped)",
    15: "Terminated",
}


def tasks_ended(host: str, tasks: Iterable[int], code: int) -> str:
    """Return srun's word of tasks that failed; a negative code is a signal."""
    told = sorted(tasks)
    names = f"task {told[0]}" if len(told) == 1 else f"tasks {_listed(told)}"
    how = SIGNALS[-code] if code < 0 else f"Exited with exit code {code}"
    return f"srun: error: {host}: {names}: {how}"


def _listed(numbers: list[int]) -> str:
    """Return numbers as bit_fmt writes them: 8-12,14-15."""
    runs: list[list[int]] = []
    for one in numbers:
        if runs and one == runs[-1][-1] + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def out_of_memory(host: str, task: int) -> str:
    """Return srun's word of a task whose step met the limit of its memory."""
    return f"srun: error: {host}: task {task}: Out Of Memory"


def step_ended(draft: SessionDraft, at: float, place: int, why: str) -> str:
    """Return slurmstepd's word as a step is ended: why is TIME LIMIT, PREEMPTION and so on."""
    host = draft.rig.hosts[place]
    stamp = iso(draft.clock(at, place), draft.rig.host_zone)
    return (
        f"slurmstepd: error: *** STEP {draft.rig.job}.0 ON {host.name} CANCELLED AT {stamp} "
        f"{why} ***"
    )


def ending(draft: SessionDraft) -> list[str]:
    """Return srun's last words."""
    return [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"srun: Terminating StepId={draft.rig.job}.0",
    ]


def oom_noticed(draft: SessionDraft) -> str:
    """Return what the step says of control groups' kills (task_cgroup_memory.c)."""
    return (
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={draft.rig.job}.0. Some of the "
        "step tasks have been OOM Killed."
    )


def node_failed(host: str) -> str:
    """Return srun's word of a node that is lost."""
    return f"srun: error: Node failure on {host}"


def controller(draft: SessionDraft) -> list[tuple[float, str]]:
    """Return the controller's lines every job has at its beginning."""
    rig = draft.rig
    names = compressed([one.name for one in rig.hosts])
    job = f"JobId={rig.job}"
    return [
        (rig.began - 40, f"_slurm_rpc_submit_batch_job: {job} InitPrio=4294 usec=612"),
        (
            rig.began - 12,
            (f"sched: Allocate {job} NodeList={names} #CPUs={96 * len(rig.hosts)} Partition=gpu"),
        ),
    ]


def compressed(names: list[str]) -> str:
    """Return host names as a host list: gpu[003-006]."""
    digits = 0
    while digits < len(names[0]) and names[0][-1 - digits].isdigit():
        digits += 1
    if len(names) == 1 or not digits:
        return ",".join(names)
    return f"{names[0][:-digits]}[{names[0][-digits:]}-{names[-1][-digits:]}]"


def accounting(draft: SessionDraft, state: str, code: str) -> list[str]:
    """Return sacct --parsable2 of the job."""
    rig = draft.rig
    begun = iso(rig.began - 12, rig.host_zone)
    over = iso(draft.ends, rig.host_zone)
    names = compressed([one.name for one in rig.hosts])
    step = state.split(" by ", maxsplit=1)[0]
    return [
        "JobID|JobName|Partition|State|ExitCode|Start|End|NodeList",
        f"{rig.job}|{rig.run}|gpu|{state}|{code}|{begun}|{over}|{names}",
        f"{rig.job}.batch|batch||{step}|{code}|{begun}|{over}|{rig.hosts[0].name}",
        f"{rig.job}.0|python3||{step}|{code}|{begun}|{over}|{names}",
    ]
