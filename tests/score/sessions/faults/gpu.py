# ruff: noqa: E501  the vendors' lines are long
"""GPU faults: lost on the bus, memory, NVLink, GSP, one bad GPU, throttling."""

from tests.score.sessions import c10d, cascade, kernel, launchers, life
from tests.score.sessions.kernel import xid
from tests.score.sessions.life import Life
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer

OFF_BUS = Answer(layer="gpu", causes=("gpu-off-bus",))
ECC = Answer(layer="gpu", causes=("gpu-ecc-uncorrectable",))
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
        cascade.hang(scene, one, [rank], stuck=scene.rng.choice((None, 1)))
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
    host, rng = scene.world.hosts[place], scene.rng
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
            f"Unable to determine the device handle for GPU{rng.choice((f'{rank % 8}: ', ''))}{pci.upper()}.0: Unknown Error",
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
    hides = () if needs else (place,)
    return Told(
        answers=answers,
        hosts=(place,),
        kind="gpu",
        needs_kernel=needs,
        hides=hides,
        telling=telling,
    )


def ecc(scene: Scene) -> Told:
    """Memory of a GPU fails beyond correction: contained or not, remapped or not."""
    one, place, rank, pci, at = _victim(scene)
    rng, pid = scene.rng, scene.host_pid(rank)
    telling = rng.choice(("double-bit", "contained", "uncontained", "remap-failed", "user-space"))
    unknown = "pid='<unknown>', name=<unknown>, "
    lines = {
        "double-bit": (
            xid(pci, 48, "DBE (double-bit error) detected on LTC 3, slice 1, SRAM L2", pid=pid),
            xid(pci, 45, "Ch 00000008", pid=pid),
        ),
        "contained": (
            xid(
                pci,
                63,
                f"{unknown}Row Remapper: New row (0x{rng.getrandbits(28):016x}) marked for remapping, reset gpu to activate.",
            ),
            xid(pci, 94, "Contained: SM (0x1). RST: No, D-RST: No", pid=pid),
        ),
        "uncontained": (
            xid(pci, 95, "Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No", pid=pid),
            xid(
                pci,
                63,
                f"{unknown}Row Remapper: New row (0x{rng.getrandbits(28):016x}) marked for remapping, reset gpu to activate.",
            ),
            xid(
                pci, 154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"
            ),
        ),
        "remap-failed": (
            xid(pci, 48, "DBE (double-bit error) detected on HBM site 3", pid=pid),
            xid(pci, 64, f"{unknown}Row Remapper: All reserved rows for bank are remapped"),
            xid(pci, 45, "Ch 00000009", pid=pid),
        ),
        "user-space": (),
    }[telling]
    scene.kernel(place, at, *lines)
    what = "uncorrectable ECC error encountered"
    if lines and rng.random() < 0.3:
        what = "unspecified launch failure"
    moment = at + rng.uniform(0.2, 2)
    cascade.cuda_watchdog(scene, rank, moment, what)
    cascade.crash(scene, one, rank, moment + 0.3, cascade.cuda_error(scene, what), code=-6)
    needs, hides = ((place,), ()) if lines else ((), (place,))
    return Told(
        answers=(ECC,), hosts=(place,), kind="gpu", needs_kernel=needs, hides=hides, telling=telling
    )


def gsp(scene: Scene) -> Told:
    """The system processor of a GPU stops answering; whoever asks next is named."""
    one, place, rank, pci, at = _victim(scene)
    rng, local = scene.rng, rank % 8
    telling = rng.choice(("timeouts", "heartbeat-first", "exception"))
    if telling == "heartbeat-first":
        scene.kernel(
            place, at - rng.uniform(5, 50), "NVRM: _kgspRpcRecvPoll: GSP RM heartbeat timed out"
        )
    if telling == "exception":
        scene.kernel(
            place,
            at,
            xid(
                pci,
                120,
                "pid='<unknown>', name=<unknown>, GSP task exception: invalid opcode (cause:0x2) @ pc:0x1b2c34, partition:4#0, task:2",
            ),
        )
    for count in range(rng.randrange(2, 9)):
        who = rng.choice(("python3", "nvidia-smi", "dcgm-exporter"))
        scene.kernel(
            place,
            at + 6 + count * 45,
            xid(
                pci,
                119,
                f"Timeout after 6s of waiting for RPC response from GPU{local} GSP! Expected function 76 (GSP_RM_CONTROL) (0x20803032 0x58c).",
                pid=scene.host_pid(rank),
                name=who,
            ),
            f"NVRM: GPU{local} GSP RPC buffer contains function 76 (GSP_RM_CONTROL) and data 0x0000000020803032 0x000000000000058c.",
            f"NVRM: GPU{local} RPC history (CPU -> GSP):",
            "NVRM:     entry function                   data0              data1              ts_start           ts_end             duration actively_polling",
            "NVRM:      0    76   GSP_RM_CONTROL        0x0000000020803032 0x000000000000058c 0x00062ed1a6bd61fa 0x0000000000000000          y",
        )
    scene.kernel(
        place,
        at + 400,
        f"NVRM: Rate limiting GSP RPC error prints for GPU at PCI:{pci} (printing 1 of every 30).  The GPU likely needs to be reset.",
    )
    cascade.hang(scene, one, [rank])
    return Told(answers=(GSP,), hosts=(place,), kind="gpu", needs_kernel=(place,), telling=telling)


def bad_gpu(scene: Scene) -> Told:
    """One GPU faults in every attempt, at other addresses, whatever process runs on it."""
    rng = scene.rng
    telling = rng.choice(("mmu", "graphics"))
    at = life.set_up(scene, life.launch(scene, scene.world.started_at))
    place, local = scene.pick_host(), rng.randrange(8)
    rank, pci = place * 8 + local, scene.world.hosts[place].gpu(local)
    one, tries = life.iterate(scene, at, first=1, count=30, saves=False), rng.choice((3, 4))
    for attempt in range(tries):
        at, pid = one.stopped_at + rng.uniform(0.3, 2), scene.host_pid(rank)
        if telling == "mmu":
            text = f"Ch 00000008, intr 00000000. MMU Fault: ENGINE CE{attempt} HUBCLIENT_CE1 faulted @ 0x7f{rng.getrandbits(8):02x}_{rng.getrandbits(16) << 16:08x}. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE"
            scene.kernel(place, at, xid(pci, 31, text, pid=pid))
        else:
            scene.kernel(
                place,
                at,
                xid(
                    pci,
                    13,
                    f"Graphics SM Warp Exception on (GPC 2, TPC 4, SM {attempt % 2}): Illegal Instruction Parameter",
                    pid=pid,
                ),
                xid(
                    pci,
                    13,
                    f"Graphics Exception: ESR 0x5{rng.getrandbits(16):04x}=0x117000e",
                    pid=pid,
                ),
            )
        scene.kernel(place, at + 0.1, xid(pci, 43, "Ch 00000008", pid=pid))
        if attempt == tries - 1:
            break
        c10d.traceback(
            scene,
            rank,
            at + 1,
            cascade.cuda_error(scene, "an illegal memory access was encountered"),
        )
        again = launchers.restarted(scene, [place], at + 3, left=tries - attempt - 2)
        ready = life.set_up(scene, again)
        one = life.iterate(scene, ready, first=1, count=rng.randrange(5, 40), saves=False)
    cascade.crash(
        scene,
        one,
        rank,
        at + 1,
        cascade.cuda_error(scene, "an illegal memory access was encountered"),
        manner="killed",
    )
    answers = (Answer(layer="gpu", causes=("gpu-memory-fault", "gpu-other")),)
    return Told(answers=answers, hosts=(place,), kind="gpu", needs_kernel=(place,), telling=telling)


FAULTS = {"gpu-off-bus": off_bus, "gpu-ecc": ecc, "gpu-gsp": gsp, "gpu-bad": bad_gpu}
