"""What a host's programs may have: memory, limits, shared memory, and who kills at them."""

from collections.abc import Callable, Mapping

from tests.score.second import aftermath
from tests.score.second.draft import WARNING, SessionDraft
from tests.score.second.launchers import over
from tests.score.second.lines import linux, nccl, slurm
from tests.score.second.lines.errors import traceback
from tests.score.second.outcome import Outcome, named

KILLED = -9


def memory_used_up(draft: SessionDraft) -> Outcome:
    """A host has no memory left, and the kernel kills a rank."""
    host, rank = draft.victim()
    at = draft.stops
    draft.kernel(at, host.place, *linux.oom_kill(draft, draft.rig.pid_of(rank), "python3"))
    aftermath.crash(draft, at + 0.5, rank, [], KILLED)
    return Outcome(
        answers=named("host", "host-oom", "container-limits"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="whole host",
    )


def memory_limit(draft: SessionDraft) -> Outcome:
    """A job's control group meets its limit, by the kernel's and the scheduler's words."""
    host, rank = draft.victim()
    at, rig = draft.stops, draft.rig
    if rig.is_in_pods:
        unit = f"pod{draft.hexed(8)}_{draft.hexed(4)}"
        group = f"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-{unit}.slice"
    else:
        group = f"/system.slice/slurmstepd.scope/job_{rig.job}/step_0"
    draft.kernel(at, host.place, *linux.oom_kill(draft, rig.pid_of(rank), "python3", group=group))
    if rig.is_in_pods:
        draft.fates[host.place] = ("OOMKilled", 137)
        draft.event(
            at + 1,
            "Warning",
            "OOMKilling",
            f"node/{host.name}",
            f"Memory cgroup out of memory: Killed process {rig.pid_of(rank)} (python3)",
        )
    if rig.is_under_slurm:
        draft.launch(at + 0.4, host.place, slurm.oom_noticed(draft))
        draft.launch(
            at + 0.6,
            -1,
            slurm.out_of_memory(host.name, rank if rig.launcher == "srun" else host.place),
        )
    aftermath.crash(draft, at + 0.5, rank, [], KILLED)
    return Outcome(
        answers=named("host", "container-limits", "host-oom"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="limit of a control group",
    )


def killed_by_somebody(draft: SessionDraft) -> Outcome:
    """A rank gets SIGKILL, and no log says from whom."""
    host, rank = draft.victim()
    aftermath.crash(draft, draft.stops, rank, [], KILLED)
    return Outcome(
        answers=named("host", "process-killed", "host-oom", "container-limits"),
        places=(host.place,),
        kind="program",
        hides=True,
        telling="signal 9 alone",
    )


def shared_memory(draft: SessionDraft) -> Outcome:
    """The file system of shared memory is full: NCCL or the loader's workers fail by it."""
    host, rank = draft.victim()
    at, rng = draft.stops, draft.rng
    if rng.random() < 0.5:
        draft.stops = draft.rig.began
        at = draft.rig.began + 15
        name = f"/dev/shm/nccl-{draft.hexed(6)}"  # noqa: S108  a name in a message
        text = (
            f"Error: failed to extend {name} to 33030532 bytes, error: No space left on device (28)"
        )
        warned = nccl.warning(draft, at, rank, "shm", text)
        error = nccl.last_error("system", text, draft.rig.nccl)
        ended = traceback(
            draft, rank, [f"torch.distributed.DistBackendError: {error[0]}", *error[1:]]
        )
        aftermath.crash(draft, at, rank, [*warned, *ended], 1, peers=False)
        telling = "NCCL at its beginning"
    else:
        pid = draft.rig.pid_of(rank) + 71
        lines = [
            (
                "ERROR: Unexpected bus error encountered in worker. This might be caused by "
                "insufficient shared memory (shm)."
            ),
            *traceback(
                draft,
                rank,
                [
                    (
                        f"RuntimeError: DataLoader worker (pid {pid}) is killed by signal: Bus error. It "  # noqa: E501
                        "is possible that dataloader's workers are out of shared memory. Please try to "  # noqa: E501
                        "raise your shared memory limit."
                    )
                ],
            ),
        ]
        aftermath.crash(draft, at, rank, lines, 1)
        telling = "a loader's worker"
    return Outcome(answers=named("host", "shm-exhausted"), places=(host.place,), telling=telling)


def daemon_stopped(draft: SessionDraft) -> Outcome:
    """systemd-oomd ends the step's scope before the kernel has to."""
    host, rank = draft.victim()
    at = draft.stops
    scope = "user.slice/user-1001.slice/session-31.scope"
    draft.daemon(
        at,
        host.place,
        "systemd-oomd[1103]",
        f"Killed /{scope} due to memory used (2147012345) / total (2163732480) and swap used "
        "(96.02%) / total being more than 90.00%",
        level=WARNING,
    )
    draft.daemon(
        at + 0.1,
        host.place,
        "systemd[1]",
        f"session-31.scope: systemd-oomd killed {draft.rig.per_host} process(es) in this unit.",
    )
    for one in draft.rig.ranks_on(host.place)[1:]:
        draft.silent_after.setdefault(-1 - one, at)
    over(draft, at + 2, rank, KILLED)
    return Outcome(
        answers=named("host", "host-oom", "container-limits", "process-killed"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="by systemd-oomd",
    )


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "host-memory": memory_used_up,
    "host-memory-limit": memory_limit,
    "host-sigkill": killed_by_somebody,
    "host-systemd-oomd": daemon_stopped,
    "host-shared-memory": shared_memory,
}
