# ruff: noqa: E501  the vendors' lines are long
"""GPU faults: lost on the bus, memory, NVLink, GSP, one bad GPU, throttling."""

from tests.score.sessions import cascade, kernel, life
from tests.score.sessions.kernel import xid
from tests.score.sessions.life import Life
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Answer, Told

OFF_BUS = Answer(layer="gpu", causes=("gpu-off-bus",))
ECC = Answer(layer="gpu", causes=("gpu-ecc-uncorrectable",))
NVLINK = Answer(layer="gpu", causes=("gpu-nvlink",))
GSP = Answer(layer="gpu", causes=("gpu-gsp-timeout",))


def _victim(scene: Scene) -> tuple[Life, int, int, str, float]:
    """Return (life, place, rank, PCI address, moment) of a GPU that is about to break."""
    one = life.run(scene)
    place, local = scene.pick_host(), scene.rng.randrange(8)
    at = one.stopped_at + scene.rng.uniform(0.3, scene.world.step_seconds)
    return one, place, place * 8 + local, scene.world.hosts[place].gpu(local), at


def _end(scene: Scene, one: Life, rank: int, at: float, what: str) -> None:
    """End a session over a GPU that is gone: its rank hangs, or dies with a CUDA error."""
    if scene.rng.random() < 0.4:
        scene.silence([rank], at)
        cascade.hang(scene, one, [rank])
        return
    moment = at + scene.rng.uniform(0.5, 3)
    if scene.rng.random() < 0.5:
        cascade.cuda_watchdog(scene, rank, moment, what)
        cascade.crash(scene, one, rank, moment + 0.5, (), code=-6)
    else:
        cascade.crash(scene, one, rank, moment, cascade.cuda_error(scene, what))


def off_bus(scene: Scene) -> Told:
    """A GPU falls off the bus: Xid 79 bare, after AER, as a probe without Xid, or in user space."""
    one, place, rank, pci, at = _victim(scene)
    telling = scene.rng.choice(("xid79", "xid79", "aer-first", "probe", "user-space"))
    answers: tuple[Answer, ...] = (OFF_BUS,)
    host = scene.world.hosts[place]
    if telling == "aer-first":
        port = kernel.root_port(pci)
        for step in range(scene.rng.randrange(2, 12)):
            scene.kernel(
                place,
                at - 40 + step * 3,
                *kernel.aer(
                    port,
                    f"{pci}.0",
                    kind="Corrected",
                    layer="Physical Layer",
                    bit="[ 0] RxErr                  (First)",
                ),
            )
        scene.kernel(
            place,
            at - 0.09,
            *kernel.aer(
                port,
                port,
                kind="Uncorrected (Fatal)",
                layer="Transaction Layer",
                bit="[ 5] SDES                   (First)",
            ),
        )
        answers = (OFF_BUS, Answer(layer="host", causes=("pcie-error",)))
    if telling in {"xid79", "aer-first"}:
        scene.kernel(
            place,
            at,
            kernel.off_bus(pci, is_unknown=scene.rng.random() < 0.6),
            f"NVRM: GPU {pci}.0: GPU has fallen off the bus.",
        )
        if scene.rng.random() < 0.5:
            scene.kernel(
                place,
                at + 0.2,
                xid(
                    pci,
                    154,
                    "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
                ),
            )
        _end(scene, one, rank, at, "unknown error")
    elif telling == "probe":
        scene.kernel(
            place, at, *kernel.off_bus_probe(pci), f"nvidia: probe of {pci}.0 failed with error -1"
        )
        _end(scene, one, rank, at, "unspecified launch failure")
    else:
        moment = at + 2
        scene.rank(
            rank,
            moment,
            f"Unable to determine the device handle for GPU{rank % 8}: {pci.upper()}.0: Unknown Error",
        )
        cascade.crash(
            scene,
            one,
            rank,
            moment + 1,
            [
                "Traceback (most recent call last):",
                '  File "/workspace/monitor.py", line 51, in poll',
                "    handle = pynvml.nvmlDeviceGetHandleByIndex(index)",
                "pynvml.NVMLError_GpuIsLost: GPU is lost",
            ],
        )
    needs = () if telling == "user-space" else (host.place,)
    return Told(answers=answers, hosts=(place,), kind="gpu", needs_kernel=needs, telling=telling)


FAULTS = {"gpu-off-bus": off_bus}
