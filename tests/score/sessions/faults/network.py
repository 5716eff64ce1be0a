"""Network faults: ports, adapters, paths, and set-ups that never worked."""

from tests.score.sessions import cascade, life, nccl
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Answer, Told

LINK = Answer(layer="network", causes=("link-down",))


def port_down(scene: Scene) -> Told:
    """A port goes down: in the kernel and NCCL, or in NCCL alone."""
    one = life.run(scene)
    place = scene.pick_host()
    at = one.stopped_at + scene.rng.uniform(0.3, 3)
    telling = scene.rng.choice(("kernel", "nccl"))
    host = scene.world.hosts[place]
    local = scene.rng.randrange(8)
    if telling == "kernel":
        scene.kernel(place, at, f"mlx5_core {host.nic(local)} {scene.world.netdev}np0: Link down")
    for rank in scene.world.ranks_of(place):
        nccl.async_event(scene, rank, at + scene.rng.uniform(0, 0.3), "port error")
    begun = at + scene.rng.uniform(28, 34)
    for other in cascade.others(scene, [place])[:3]:
        nccl.completion_error(scene, other * 8 + local, begun + scene.rng.uniform(0, 1), place)
    cascade.job_killed(scene, [], begun + 5)
    needs = (place,) if telling == "kernel" else ()
    return Told(
        answers=(LINK,),
        hosts=(place,),
        kind="nic",
        needs_kernel=needs,
        hides=() if needs else (place,),
        telling=telling,
    )


FAULTS = {"port-down": port_down}
