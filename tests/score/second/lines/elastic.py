"""torchrun: what torch/distributed/elastic prints of workers that fail or are stopped."""

from tests.score.second.draft import SessionDraft
from tests.score.second.stamps import glog, local


def agent(draft: SessionDraft, at: float, place: int, level: str, where: str, text: str) -> str:
    """Return a line of the agent on a host."""
    stamp = glog(draft.clock(at, place), draft.rig.program_zone)
    pid = draft.rig.hosts[place].pids[0] - 7
    return f"{level}{stamp} {pid} torch/distributed/elastic/{where}] {text}"


def agent_failed(
    draft: SessionDraft, at: float, place: int, rank: int, code: int, script: str
) -> list[str]:
    """Return an agent's account of its first worker that failed."""
    rig = draft.rig
    pid, local_rank = rig.pid_of(rank), rank % rig.per_host
    seen = local(draft.clock(at, place), rig.program_zone)
    host = rig.hosts[place]
    names = {6: "SIGABRT", 9: "SIGKILL", 7: "SIGBUS", 11: "SIGSEGV", 15: "SIGTERM"}
    why = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    if code < 0:
        why = f"Signal {-code} ({names[-code]}) received by PID {pid}"
    api = "multiprocessing/api.py"
    stops = [
        agent(
            draft,
            at,
            place,
            "W",
            f"{api}:897",
            f"Sending process {rig.pid_of(one)} closing signal SIGTERM",
        )
        for one in rig.ranks_on(place)
        if one != rank
    ]
    failed = (
        f"failed (exitcode: {code}) local_rank: {local_rank} (pid: {pid}) of binary: "
        "/usr/bin/python3"
    )
    return [
        *stops,
        agent(draft, at, place, "E", f"{api}:869", failed),
        "Traceback (most recent call last):",
        '  File "/usr/local/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{script} FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {seen:%Y-%m-%d_%H:%M:%S}",
        f"  host      : {host.name}{host.domain}",
        f"  rank      : {rank} (local_rank: {local_rank})",
        f"  exitcode  : {code} (pid: {pid})",
        "  error_file: <N/A>",
        f"  traceback : {why}",
        "=" * 60,
    ]


def agent_told_to_stop(draft: SessionDraft, at: float, place: int) -> list[str]:
    """Return an agent that got SIGTERM."""
    rig = draft.rig
    stops = [
        agent(
            draft,
            at,
            place,
            "W",
            "multiprocessing/api.py:897",
            f"Sending process {rig.pid_of(one)} closing signal SIGTERM",
        )
        for one in rig.ranks_on(place)
    ]
    pid = rig.hosts[place].pids[0] - 7
    return [
        agent(
            draft,
            at,
            place,
            "W",
            "agent/server/api.py:719",
            "Received Signals.SIGTERM death signal, shutting down workers",
        ),
        *stops,
        (
            "torch.distributed.elastic.multiprocessing.api.SignalException: "
            f"Process {pid} got signal: 15"
        ),
    ]
