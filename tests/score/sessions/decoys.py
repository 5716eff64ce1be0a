# ruff: noqa: E501  the vendors' lines are long
"""Things that look like a cause and are none: old, elsewhere, recovered, or noise."""

from collections.abc import Callable

from tests.score.sessions import kernel
from tests.score.sessions.kernel import xid
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told

HOUR, DAY = 3600.0, 86400.0


def add(scene: Scene, told: Told) -> None:
    """Add some decoys on hosts that are not to blame."""
    rng = scene.rng
    clear = [one.place for one in scene.world.hosts if one.place not in told.hosts]
    for name in sorted(rng.sample(sorted(DECOYS), rng.choice((0, 1, 2, 2, 3)))):
        if clear:
            place = rng.choice(clear)
            DECOYS[name](scene, place)
            scene.decoys.append(name)


def _old_xid(scene: Scene, place: int) -> None:
    """A lost GPU, or an ECC error, days before the session on another host."""
    host, rng = scene.world.hosts[place], scene.rng
    at = scene.world.started_at - rng.uniform(1.2, 5) * DAY
    pci = host.gpu(rng.randrange(8))
    if at > host.booted_at:
        scene.kernel(
            place,
            at,
            rng.choice(
                (
                    kernel.off_bus(pci),
                    xid(pci, 48, "DBE (double-bit error) at HBM", pid=8123),
                    xid(
                        pci,
                        119,
                        "Timeout after 6s of waiting for RPC response from GPU3 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080014b 0x5).",
                        pid=2210,
                        name="nvidia-smi",
                    ),
                )
            ),
        )


def _other_job(scene: Scene, place: int) -> None:
    """Program faults of another job on the same machine, well before."""
    host, rng = scene.world.hosts[place], scene.rng
    at = max(host.booted_at + 100, scene.world.started_at - rng.uniform(2, 20) * HOUR)
    if at > scene.world.started_at - HOUR:
        return
    pci, pid = host.gpu(rng.randrange(8)), rng.randrange(100000, 4000000)
    scene.kernel(
        place,
        at,
        xid(
            pci,
            31,
            "Ch 00000013, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f0a_12340000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
            pid=pid,
            name="python",
        ),
        xid(pci, 43, "Ch 00000013", pid=pid, name="python"),
        xid(pci, 45, "Ch 00000014", pid=pid, name="python"),
    )


def _access_reg(scene: Scene, place: int) -> None:
    """Register reads of a monitoring agent that fail all day."""
    host, rng = scene.world.hosts[place], scene.rng
    at = max(host.booted_at + 100, scene.world.started_at - 5 * HOUR)
    while at < scene.ends_at:
        scene.kernel(
            place,
            at,
            f"mlx5_core {host.nic(rng.randrange(8))}: mlx5_cmd_out_err:838:(pid {rng.randrange(9000, 99000)}): ACCESS_REG(0x805) op_mod(0x1) failed, status bad resource(0x5), syndrome (0x305684), err(-22)",
        )
        at += rng.uniform(600, 4000)


DECOYS: dict[str, Callable[[Scene, int], None]] = {
    "old-xid": _old_xid,
    "other-job": _other_job,
    "access-reg": _access_reg,
}
