"""Two things at once: either may be named."""

from collections.abc import Callable
from dataclasses import replace

from tests.score.sessions import kernel
from tests.score.sessions.faults import fabric, gpu, host, network, storage
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer


def _server(scene: Scene, _: int, at: float) -> Answer:
    for one in scene.world.hosts:
        text = "nfs: server 10.100.0.60 not responding, still trying"
        scene.kernel(one.place, at + scene.rng.uniform(-20, 20), text)
    return storage.NFS


def _lost_gpu(scene: Scene, place: int, at: float) -> Answer:
    scene.kernel(place, at, kernel.off_bus(scene.world.hosts[place].gpu(scene.rng.randrange(8))))
    return gpu.OFF_BUS


def _port(scene: Scene, place: int, at: float) -> Answer:
    local = scene.rng.randrange(8)
    nic = scene.world.hosts[place].nic(local)
    scene.kernel(place, at, f"mlx5_core {nic} ens{local}f0np0: Link down")
    return network.LINK


FIRST = (gpu.gsp, fabric.nvlink, fabric.nvswitch, host.lockup, host.pcie)
SECOND: tuple[Callable[[Scene, int, float], Answer], ...] = (_server, _lost_gpu, _port)


def at_once(scene: Scene) -> Told:
    """Play one fault, and another on a further host in the same minute."""
    told = scene.rng.choice(FIRST)(scene)
    at = min(one.at for one in scene.said if one.kind == "kernel")
    place = scene.pick_host(but=told.hosts[0])
    answer = scene.rng.choice(SECOND)(scene, place, at + scene.rng.uniform(-15, 15))
    return replace(
        told,
        answers=(*told.answers, answer),
        hosts=told.hosts if answer is storage.NFS else (*told.hosts, place),
        needs_kernel=tuple(one.place for one in scene.world.hosts),
        telling=f"{told.answers[0].causes[0]} and {answer.causes[0]}",
    )


FAULTS = {"two-at-once": at_once}
