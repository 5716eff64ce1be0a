# ruff: noqa: E501  the vendors' lines are long
"""NVLink, NVSwitch and the fabric manager."""

from tests.score.sessions import c10d, cascade, frameworks, launchers, life, nccl
from tests.score.sessions.kernel import xid
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer

NVLINK = Answer(layer="gpu", causes=("gpu-nvlink",))
# (unit, text of the sub-code) of Xid 144 to 150 that are fatal, as NVRM prints them
FATAL = (
    (
        149,
        "NETIR_LINK_EVT  Fatal   XC0 i0 Link {link:02d} (0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)",
    ),
    (
        145,
        "RLW_SRC_TRACK Fatal XC0 i0 Link {link:02d} (0x00000007 0x00000001 0x00000000 0x00000000)",
    ),
    (
        146,
        "TLW_RX/TLW_RX_PIPE0 Fatal XC0 i0 Link {link:02d} (0x0000000a 0x00000004 0x00000000 0x00000000)",
    ),
    (144, "SAW_MVB Fatal XC0 i0 Link {link:02d} (0x00000001 0x00000002 0x00000000 0x00000000)"),
)
SXIDS = (
    (20034, "LTSSM Fault Up"),
    (22013, "Minion Link DLREQ interrupt"),
    (24007, "sourcetrack timeout error (First)"),
    (12020, "egress sequence ID error"),
)


def nvlink(scene: Scene) -> Told:
    """A link between GPUs fails: Xid 74, or the fatal events of newer links, then 45 and 154."""
    one, rng = life.run(scene), scene.rng
    place, local = scene.pick_host(), rng.randrange(8)
    host, at = scene.world.hosts[place], one.stopped_at + rng.uniform(0.3, 2)
    telling = rng.choice(("xid74", "xid74", "nvlink5"))
    pair = (local, (local + rng.randrange(1, 8)) % 8)
    link = rng.randrange(18)
    if telling == "xid74":
        for side in pair:
            scene.kernel(
                place,
                at + rng.uniform(0, 0.1),
                xid(
                    host.gpu(side),
                    74,
                    f"pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link {link}(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
                ),
            )
    else:
        code, text = rng.choice(FATAL)
        scene.kernel(place, at, xid(host.gpu(local), code, text.format(link=link)))
        scene.kernel(
            place,
            at + 0.3,
            xid(
                host.gpu(local),
                154,
                "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
            ),
        )
    for side in pair:
        scene.kernel(
            place,
            at + 0.4,
            xid(host.gpu(side), 45, "Ch 00000008", pid=scene.host_pid(place * 8 + side)),
        )
    _ranks_end(scene, one, place, at)
    return Told(
        answers=(NVLINK,), hosts=(place,), kind="gpu", needs_kernel=(place,), telling=telling
    )


def _ranks_end(scene: Scene, one: life.Life, place: int, at: float) -> None:
    """End the session over a host whose GPUs lost each other."""
    rng = scene.rng
    what = rng.choice(
        ("uncorrectable NVLink error detected during the execution", "unspecified launch failure")
    )
    ranks = rng.sample(list(scene.world.ranks_of(place)), rng.randrange(2, 9))
    for rank in ranks:
        cascade.cuda_watchdog(scene, rank, at + rng.uniform(0.5, 3), what)
    launchers.workers_failed(
        scene, place, at + 5, {ranks[0]: -6}, others=dict.fromkeys(ranks[1:], -6)
    )
    cascade.aftermath(scene, one, [place], at + 5, rng.choice(("killed", "closed", "watchdog")))


def nvswitch(scene: Scene) -> Told:
    """A switch chip reports a fatal error: SXid on it, Xid 74 on the GPUs behind it, 154 after."""
    one, rng = life.run(scene), scene.rng
    place = scene.pick_host()
    host, at = scene.world.hosts[place], one.stopped_at + rng.uniform(0.3, 2)
    number, (code, text) = rng.randrange(4), rng.choice(SXIDS)
    chip, link = f"PCI:0000:0{5 + number}:00.0", rng.randrange(36)
    head = f"nvidia-nvswitch{number}: SXid ({chip}): {code}"
    scene.kernel(
        place,
        at,
        f"{head}, Fatal, Link {link:02d} {text}",
        f"{head}, Severity 1 Engine instance {link:02d} Sub-engine instance 00",
        f"{head}, Data {{0x50610002, 0x10100030, 0x00000000, 0x10100030, 0x00000000, 0x00000000, 0x00000000, 0x00000000}}",
    )
    for local in sorted(rng.sample(range(8), rng.choice((1, 2, 8)))):
        scene.kernel(
            place,
            at + 0.2,
            xid(
                host.gpu(local),
                74,
                f"NVLink: fatal error detected on link {local + 3}(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
                pid=scene.host_pid(place * 8 + local),
            ),
        )
        scene.kernel(
            place,
            at + 0.3,
            xid(host.gpu(local), 45, "Ch 00000008", pid=scene.host_pid(place * 8 + local)),
        )
        scene.kernel(
            place,
            at + 0.8,
            xid(
                host.gpu(local),
                154,
                "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
            ),
        )
    if rng.random() < 0.4:
        scene.kernel(
            place,
            at + 90,
            xid(
                host.gpu(0),
                119,
                "Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20803032 0x58c).",
                pid=2210,
                name="nvidia-smi",
            ),
        )
    _ranks_end(scene, one, place, at)
    return Told(
        answers=(NVLINK,),
        hosts=(place,),
        kind="switch",
        needs_kernel=(place,),
        telling=f"sxid {code}",
    )


def manager(scene: Scene) -> Told:
    """The fabric manager of one host is not up: CUDA 802 there, or NVLS can't bind."""
    rng = scene.rng
    at = life.launch(scene, scene.world.started_at) + 4
    frameworks.header(scene, at)
    place = rng.choice(cascade.others(scene, [0]))
    ranks = list(scene.world.ranks_of(place))
    telling = rng.choice(("not-initialized", "multicast"))
    if telling == "not-initialized":
        lines = [
            "Traceback (most recent call last):",
            '  File "/workspace/train.py", line 31, in <module>',
            "    torch.cuda.set_device(local_rank)",
            "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized",
        ]
        for rank in ranks:
            c10d.traceback(scene, rank, at + rng.uniform(0, 1), lines)
        launchers.workers_failed(
            scene, place, at + 3, {ranks[0]: 1}, others=dict.fromkeys(ranks[1:], 1)
        )
        cascade.job_killed(scene, [place], at + 6)
    else:
        nccl.init(scene, at)
        text = "Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'the operation cannot be performed in the present state'."
        for rank in ranks:
            nccl.warn(scene, rank, at + 12, ("transport/nvls.cc:376", "nvlsAllocateMem"), text)
        cascade.victims(scene, [], ranks, at + 13, text, number=1)
    return Told(answers=(NVLINK,), hosts=(place,), kind="node", telling=telling)


FAULTS = {"nvlink": nvlink, "nvswitch": nvswitch, "fabric-manager": manager}
