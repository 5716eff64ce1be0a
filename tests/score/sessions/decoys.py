# ruff: noqa: E501  the vendors' lines are long
"""Things that look like a cause and are none: old, elsewhere, recovered, or noise."""

from collections.abc import Callable

from tests.score.sessions import c10d, kernel, launchers, life, nccl
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
            before = len(scene.said)
            DECOYS[name](scene, rng.choice(clear))
            scene.decoys += [name] if len(scene.said) > before else []


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


def _flap(scene: Scene, place: int) -> None:
    """A link that went down and came back well before, as kernel and NCCL told it."""
    host, rng = scene.world.hosts[place], scene.rng
    local = rng.randrange(8)
    first, last = scene.world.started_at + 120, scene.stopped_at - 900
    if first > last or scene.world.fabric not in {"ib", "roce"}:
        return
    at = rng.uniform(first, last)
    if scene.world.fabric == "roce":
        nic = f"mlx5_core {host.nic(local)} ens{local}f0np0"
        scene.kernel(place, at, f"{nic}: Link down")
        scene.kernel(place, at + 6, f"{nic}: Link up")
    for rank in scene.world.ranks_of(place):
        nccl.async_event(scene, rank, at + rng.uniform(0, 0.2), "port error", device=local)
        nccl.async_event(scene, rank, at + 6 + rng.uniform(0, 0.2), "port active", device=local)


def _corrected(scene: Scene, place: int) -> None:
    """Corrected PCIe errors on a port that has nothing to do with it."""
    rng, span = scene.rng, (scene.world.started_at, scene.ends_at)
    port = f"0000:{rng.choice(('64', '80', 'e0'))}:02.0"
    for _ in range(rng.randrange(2, 12)):
        scene.kernel(
            place,
            rng.uniform(*span),
            *kernel.aer(port, port, kind="Corrected", layer="Data Link Layer", bit="[12] Timeout"),
        )


def _nonfatal_switch(scene: Scene, place: int) -> None:
    """NVSwitch reports that harm nobody."""
    at = scene.rng.uniform(scene.world.started_at, scene.ends_at)
    number, link = scene.rng.randrange(4), scene.rng.randrange(36)
    head = f"nvidia-nvswitch{number}: SXid (PCI:0000:0{5 + number}:00.0): {scene.rng.choice((12028, 20009, 11012))}"
    scene.kernel(
        place,
        at,
        f"{head}, Non-fatal, Link {link:02d} egress non-posted PRIV error (First)",
        f"{head}, Severity 0 Engine instance {link:02d} Sub-engine instance 00",
    )


def _nonfatal_link(scene: Scene, place: int) -> None:
    """Events of newer NVLinks that say Nonfatal."""
    host, rng = scene.world.hosts[place], scene.rng
    at = rng.uniform(scene.world.started_at, scene.ends_at)
    scene.kernel(
        place,
        at,
        xid(
            host.gpu(rng.randrange(8)),
            145,
            f"RLW_SRC_TRACK Nonfatal XC1 i0 Link {rng.randrange(18):02d} (0x040868e2 0x00000008 0x00000000 0x00000000 0x00000000 0x00000000)",
        ),
    )


def _server_paused(scene: Scene, _: int) -> None:
    """A file server that paused hours before and came back, on a few hosts."""
    at = scene.world.started_at - scene.rng.uniform(1.5, 9) * HOUR
    for host in scene.rng.sample(scene.world.hosts, 2):
        if at > host.booted_at:
            scene.kernel(host.place, at, "nfs: server 10.100.0.77 not responding, still trying")
            scene.kernel(host.place, at + scene.rng.uniform(5, 40), "nfs: server 10.100.0.77 OK")


def _other_oom(scene: Scene, place: int) -> None:
    """A container of somebody else that hit its own memory limit, long before."""
    at = scene.world.started_at - scene.rng.uniform(2, 30) * HOUR
    if at > scene.world.hosts[place].booted_at:
        group = "/kubepods.slice/kubepods-burstable.slice/cri-containerd-77ab1f.scope"
        scene.kernel(place, at, *kernel.oom_kill(48123, "vector", memcg=group, rss=512000))


def _corrected_memory(scene: Scene, place: int) -> None:
    """Corrected memory errors of a host."""
    at = scene.rng.uniform(scene.world.started_at - 5 * HOUR, scene.ends_at)
    scene.kernel(
        place,
        at,
        "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0x12345 offset:0x0 grain:32 syndrome:0x0)",
    )


def _teardown_channels(scene: Scene, place: int) -> None:
    """Channels torn down when the job is killed: an Xid 45 for each process of a host."""
    host, at = scene.world.hosts[place], scene.ends_at - 20
    for rank in scene.world.ranks_of(place):
        scene.kernel(
            place, at, xid(host.gpu(rank % 8), 45, "Ch 00000008", pid=scene.host_pid(rank))
        )


EARLIER = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 2 has a total capacity of 79.10 GiB of which 1.02 GiB is free. Including non-PyTorch memory, this process has 78.01 GiB memory in use.",
    "FileNotFoundError: [Errno 2] No such file or directory: '/workspace/configs/llm_70b.yaml'",
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "AssertionError: Rank 3: found NaN in local grad norm for bucket #1 in backward pass before data-parallel communication collective. Device: 3, node: -",
)


def earlier_attempt(scene: Scene, at: float) -> float:
    """Tell an attempt that failed otherwise, in the same files; return when the next is set up."""
    rng = scene.rng
    one = life.iterate(scene, at, first=1, count=rng.randrange(8, 60), saves=False)
    rank = rng.randrange(scene.world.size)
    moment = one.stopped_at + 1
    frame = (
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 412, in <module>',
    )
    c10d.traceback(scene, rank, moment, [*frame, rng.choice(EARLIER)])
    near = [other for other in range(scene.world.size) if other // 8 != rank // 8][:5]
    for other in near:
        nccl.closed_by(scene, other, moment + rng.uniform(0.2, 1.5), rank // 8)
    again = launchers.restarted(scene, [rank // 8], moment + rng.uniform(3, 9))
    scene.decoys.append("earlier-attempt")
    return life.set_up(scene, again + rng.uniform(30, 600))


DECOYS: dict[str, Callable[[Scene, int], None]] = {
    "old-xid": _old_xid,
    "other-job": _other_job,
    "access-reg": _access_reg,
    "flap": _flap,
    "corrected-pcie": _corrected,
    "nonfatal-switch": _nonfatal_switch,
    "nonfatal-link": _nonfatal_link,
    "server-paused": _server_paused,
    "other-oom": _other_oom,
    "corrected-memory": _corrected_memory,
    "teardown-channels": _teardown_channels,
}
