"""The scheduler's own logs, and those of switches, file servers and BMCs."""

from tests.score.sessions.cluster import wall
from tests.score.sessions.render.files import LogFile
from tests.score.sessions.scene import Scene

NAMES = {"slurm": "slurmctld.log", "k8s": "events.txt", "backend.ai": "manager.log"}
STATES = {
    "failed": ("FAILED", "1:0"),
    "finished": ("COMPLETED", "0:0"),
    "walltime": ("TIMEOUT", "0:15"),
    "cancelled": ("CANCELLED by 1000", "0:15"),
    "preempted": ("PREEMPTED", "0:15"),
}


def accounting(*, scene: Scene, end: str) -> list[LogFile]:
    """Return what sacct says of the job, sometimes, where Slurm ran it."""
    is_told = scene.world.scheduler == "slurm" and end in STATES and scene.rng.random() < 0.3
    if not is_told:
        return []
    state, code = STATES[end]
    job, zone = scene.world.job, scene.world.kernel_zone
    begun = f"{wall(at=scene.world.started_at, zone=zone):%Y-%m-%dT%H:%M:%S}"
    ended = f"{wall(at=scene.ends_at - 10, zone=zone):%Y-%m-%dT%H:%M:%S}"
    nodes = ",".join(host.name for host in scene.world.hosts)
    step = "FAILED" if state in {"TIMEOUT", "PREEMPTED"} else state.split()[0]
    rows = (
        "JobID|JobName|State|ExitCode|Start|End|NodeList",
        f"{job}|llm-train|{state}|{code}|{begun}|{ended}|{nodes}",
        f"{job}.batch|batch|{step}|{code}|{begun}|{ended}|{scene.world.hosts[0].name}",
        f"{job}.0|bash|{step}|{code}|{begun}|{ended}|{nodes}",
    )
    body = "".join(f"{row}\n" for row in rows).encode()
    return [LogFile(stream="scheduler", body=body, name="sacct.txt", changed_at=scene.ends_at)]


def render(*, scene: Scene, is_hidden: bool) -> list[LogFile]:
    """Return one file of the scheduler and one of each further voice that spoke."""
    found = []
    name = NAMES.get(scene.world.scheduler)
    if name and not is_hidden:
        found += _file(scene, "scheduler", name)
    for stream, name in (("fabric", "switch.log"), ("storage", "server.log")):
        found += _file(scene, stream, name)
    for host in scene.world.hosts:
        found += _file(scene, "bmc", "sel.log", place=host.place)
    return found


def _file(scene: Scene, kind: str, name: str, *, place: int = -1) -> list[LogFile]:
    said = [one for one in scene.said if one.kind == kind and (place < 0 or one.place == place)]
    if not said:
        return []
    said.sort(key=lambda one: (one.written, one.order))
    return [
        LogFile(
            stream=kind,
            body="".join(f"{one.text}\n" for one in said).encode(),
            place=place,
            zone=scene.world.kernel_zone,
            name=name,
            changed_at=scene.ends_at,
            names_host=kind != "bmc",
        )
    ]
