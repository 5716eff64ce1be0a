"""Things that look like causes and are none. Every scenario gets at least two."""

from collections.abc import Callable

from apps.simulator.world.cascade import kernel_lines
from apps.simulator.world.log_templates import kernel
from apps.simulator.world.story import Effect, FaultScene, PrintedLine, Weight

Trail = tuple[list[PrintedLine], list[Effect]]


def add(*, scene: FaultScene, names: tuple[str, ...]) -> Trail:
    """Return the lines and effects of the named herrings."""
    lines: list[PrintedLine] = []
    effects: list[Effect] = []
    for name in names:
        more, further = _KINDS[name](scene)
        lines += more
        effects += further
    return (lines, effects)


def _other_host(scene: FaultScene, name: str) -> str:
    pool = [h for h in (*scene.bystanders, *scene.attempt.hosts) if h != scene.silent_host]
    return scene.dice.choice(f"herring/{name}", pool)


def _old_xid(scene: FaultScene) -> Trail:
    """An Xid of one to two hours ago, of a finished program, on another node."""
    host = scene.dice.choice("herring/old", scene.bystanders or scene.attempt.hosts)
    gpu = scene.dice.integer("herring/old gpu", 0, 7)
    code = scene.dice.choice("herring/old code", (31, 43, 13))
    at = scene.at - scene.dice.between("herring/old at", 3600.0, 7200.0)
    pid = scene.dice.integer("herring/old pid", 90_000, 190_000)
    text = {
        31: "Ch 00000011, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_3 faulted @ "
        "0x7ef2_c1a00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
        43: "Ch 0000000a",
        13: (
            "Graphics Exception: ESR 0x504f30=0x2000e 0x504f34=0x24 0x504f28=0xf81eb60 "
            "0x504f2c=0x1174"
        ),
    }[code]
    message = kernel.xid(gpu=gpu, code=code, pid=pid, text=text)
    effect = Effect(
        metric="DCGM_FI_DEV_XID_ERRORS",
        host=host,
        how="set",
        starts_at=at,
        amount=code,
        match={"gpu": str(gpu)},
    )
    return (kernel_lines(host=host, at=at, texts=[message], weight=Weight.HERRING), [effect])


def _late_aer(scene: FaultScene) -> Trail:
    """Corrected bus errors of a network card, after the fact."""
    host = _other_host(scene, "aer")
    at = scene.at + scene.dice.between("herring/aer at", 70.0, 240.0)
    wording = scene.dice.choice("herring/aer wording", ("old", "new"))
    texts = kernel.other_port_aer(bus=scene.dice.integer("herring/aer bus", 0, 7), wording=wording)
    return (kernel_lines(host=host, at=at, texts=texts, weight=Weight.HERRING), [])


def _mlx5_noise(scene: FaultScene) -> Trail:
    """A monitoring agent asks a register that the firmware does not know, again and again."""
    lines: list[PrintedLine] = []
    for host in scene.dice.sample("herring/mlx5", scene.attempt.hosts, 3):
        if host == scene.silent_host:
            continue
        for i in range(5):
            at = (
                scene.at - 900.0 + 300.0 * i + scene.dice.between(f"herring/mlx5 {host}/{i}", 0, 60)
            )
            text = kernel.register_refused(rail=i, pid=scene.dice.integer("agent", 2000, 9000))
            lines += kernel_lines(host=host, at=at, texts=[text], weight=Weight.HERRING)
    return (lines, [])


def _mass_45(scene: FaultScene) -> Trail:
    """Channels torn down on all GPUs of some nodes when the session's processes are killed."""
    lines: list[PrintedLine] = []
    hosts = [h for h in scene.attempt.hosts if h != scene.silent_host]
    for host in scene.dice.sample("herring/45", hosts, 4):
        at = scene.at + scene.dice.between(f"herring/45 {host}", 25.0, 45.0)
        texts = [
            kernel.channel_removed(
                gpu=scene.attempt.gpu(rank), pid=scene.attempt.host_pid(rank), channel=8 + rank % 6
            )
            for rank in scene.attempt.ranks_on(host)
        ]
        lines += kernel_lines(host=host, at=at, texts=texts, weight=Weight.HERRING)
    return (lines, [])


def _correctable_memory(scene: FaultScene) -> Trail:
    """A few corrected bit errors of another GPU: within what the vendor calls normal."""
    host = _other_host(scene, "sbe")
    gpu = scene.dice.integer("herring/sbe gpu", 0, 7)
    at = scene.at - scene.dice.between("herring/sbe at", 1200.0, 5000.0)
    effect = Effect(
        metric="DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
        host=host,
        how="step",
        starts_at=at,
        amount=2,
        match={"gpu": str(gpu)},
    )
    return ([], [effect])


def _nfs_hiccup(scene: FaultScene) -> Trail:
    """A file server that pauses for some seconds, an hour before."""
    host = _other_host(scene, "nfs")
    at = scene.at - scene.dice.between("herring/nfs at", 2700.0, 5400.0)
    lines = kernel_lines(
        host=host,
        at=at,
        texts=["nfs: server strata-nas1 not responding, still trying"],
        weight=Weight.HERRING,
    )
    lines += kernel_lines(
        host=host, at=at + 6.0, texts=["nfs: server strata-nas1 OK"], weight=Weight.HERRING
    )
    return (lines, [])


_KINDS: dict[str, Callable[[FaultScene], Trail]] = {
    "old-xid": _old_xid,
    "late-aer": _late_aer,
    "mlx5-noise": _mlx5_noise,
    "mass-45": _mass_45,
    "corrected-bits": _correctable_memory,
    "nfs-hiccup": _nfs_hiccup,
}
