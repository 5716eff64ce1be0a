"""The scheduler's own logs, and those of switches, file servers and BMCs."""

from tests.score.sessions.render.files import LogFile
from tests.score.sessions.scene import Scene

NAMES = {"slurm": "slurmctld.log", "k8s": "events.txt", "backend.ai": "manager.log"}


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
