"""The elastic launcher: one agent per node, its signals and its failure report."""

from apps.simulator.world.machines.cluster import SimulatedNode
from apps.simulator.world.story import SimulatedAttempt

_API = "torch/distributed/elastic/multiprocessing/api.py"
_RULE = "=" * 60
_SIGNALS = {-6: "SIGABRT", -7: "SIGBUS", -9: "SIGKILL", -11: "SIGSEGV", -15: "SIGTERM"}


def say(
    *,
    attempt: SimulatedAttempt,
    node: SimulatedNode,
    at: float,
    place: str,
    text: str,
    level: str = "E",
) -> str:
    """Return a line of the agent's logger; older versions print logger names, no glog heads."""
    local = node.local(at, attempt.zone(node))
    agent = attempt.pid(attempt.ranks_on(node.name)[0]) - 60
    if attempt.style.torch < (2, 3):
        names = {"E": "ERROR", "W": "WARNING", "I": "INFO"}
        module = place.rpartition(":")[0].removesuffix(".py").replace("/", ".")
        return (
            f"[{local:%Y-%m-%d %H:%M:%S},{local.microsecond // 1000:03d}] {module}: "
            f"[{names[level]}] {text}"
        )
    return f"{level}{local:%m%d %H:%M:%S}.{local.microsecond:06d} {agent} {place}] {text}"


def started(*, attempt: SimulatedAttempt, node: SimulatedNode, at: float) -> str:
    """Return that the agent's workers were started."""
    return say(
        attempt=attempt,
        node=node,
        at=at,
        level="I",
        place="torch/distributed/elastic/agent/server/api.py:525",
        text=(
            f"[default] worker group started, {attempt.hosts.index(node.name)}/{len(attempt.hosts)}"
        ),
    )


def closing(
    *, attempt: SimulatedAttempt, node: SimulatedNode, at: float, ranks: tuple[int, ...]
) -> list[str]:
    """Return one SIGTERM line per surviving worker."""
    return [
        say(
            attempt=attempt,
            node=node,
            at=at + 0.0004 * i,
            level="W",
            place=f"{_API}:900",
            text=f"Sending process {attempt.pid(rank)} closing signal SIGTERM",
        )
        for i, rank in enumerate(ranks)
    ]


def failed(
    *, attempt: SimulatedAttempt, node: SimulatedNode, at: float, rank: int, code: int
) -> str:
    """Return the whole report of one node about its first failed worker."""
    local = node.local(at, attempt.zone(node))
    signal = _SIGNALS.get(code)
    why = (
        f"Signal {-code} ({signal}) received by PID {attempt.pid(rank)}"
        if signal
        else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    )
    first = say(
        attempt=attempt,
        node=node,
        at=at,
        place=f"{_API}:882",
        text=(
            f"failed (exitcode: {code}) local_rank: {attempt.gpu(rank)} (pid: {attempt.pid(rank)}) "
            "of binary: /opt/venv/bin/python"
        ),
    )
    block = (
        f"{_RULE}\npretrain.py FAILED\n{'-' * 60}\nFailures:\n  <NO_OTHER_FAILURES>\n{'-' * 60}\n"
        "Root Cause (first observed failure):\n[0]:\n"
        f"  time      : {local:%Y-%m-%d_%H:%M:%S}\n  host      : {node.name}\n"
        f"  rank      : {rank} (local_rank: {attempt.gpu(rank)})\n"
        f"  exitcode  : {code} (pid: {attempt.pid(rank)})\n  error_file: <N/A>\n  "
        f"traceback : {why}\n{_RULE}"
    )
    return f"{first}\n{block}"


def death_signal(*, attempt: SimulatedAttempt, node: SimulatedNode, at: float) -> str:
    """Return that the scheduler told the agent to end."""
    return say(
        attempt=attempt,
        node=node,
        at=at,
        level="W",
        place="torch/distributed/elastic/agent/server/api.py:719",
        text="Received Signals.SIGTERM death signal, shutting down workers",
    )
