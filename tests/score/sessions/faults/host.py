# ruff: noqa: E501  the vendors' lines are long
"""Host faults: memory, limits, versions, PCIe, processors."""

from tests.score.sessions import c10d, cascade, kernel, launchers, life, nccl, slurm
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer

OOM = Answer(layer="host", causes=("host-oom",))
SHM = Answer(layer="host", causes=("shm-exhausted",))
LIMITS = Answer(layer="host", causes=("container-limits",))
VERSIONS = Answer(layer="host", causes=("version-mismatch",))
PCIE = Answer(layer="host", causes=("pcie-error",))


def oom(scene: Scene) -> Told:
    """The kernel kills a rank or its loader for memory: of the host, or of its cgroup."""
    one, rng = life.run(scene), scene.rng
    place = scene.pick_host()
    rank = place * 8 + rng.randrange(8)
    at = one.stopped_at + rng.uniform(0.5, 3)
    telling = rng.choice(("host", "cgroup", "scheduler-says", "loader"))
    memcg = (
        None
        if telling == "host"
        else f"/kubepods.slice/kubepods-pod{rng.getrandbits(32):08x}.slice/cri-containerd-3fc2{rng.getrandbits(24):06x}.scope"
    )
    if scene.world.scheduler == "slurm" and memcg:
        memcg = f"/system.slice/slurmstepd.scope/job_{scene.world.job}/step_0/user/task_{rank % 8}"
    task = "pt_data_worker" if telling == "loader" else "python3"
    pid = scene.host_pid(rank) + (11 if telling == "loader" else 0)
    scene.kernel(place, at, *kernel.oom_kill(pid, task, memcg=memcg))
    if telling == "loader":
        lines = [
            "Traceback (most recent call last):",
            '  File "/workspace/train.py", line 301, in train',
            "    batch = next(data_iterator)",
            f"RuntimeError: DataLoader worker (pid {scene.pid(rank) + 11}) is killed by signal: Killed. ",
        ]
        cascade.crash(scene, one, rank, at + 1, lines)
    else:
        cascade.crash(scene, one, rank, at + 0.5, (), code=-9)
    if telling == "scheduler-says" and scene.world.scheduler in {"slurm", "k8s"}:
        name = scene.world.hosts[place].name
        if scene.world.scheduler == "slurm":
            scene.job(
                at + 3,
                f"slurmstepd: error: Detected 1 oom_kill event in StepId={scene.world.job}.0. Some of the step tasks have been OOM Killed.",
                place=place,
            )
            scene.job(
                at + 4,
                f"srun: error: {name}: task {rank if scene.world.launcher == 'srun' else place}: Out Of Memory",
            )
        slurm.event(
            scene,
            at + 2,
            "Warning",
            "OOMKilling",
            f"node/{name}",
            f"Memory cgroup out of memory: Killed process {pid} (python3) total-vm:2012345678kB, anon-rss:1800000000kB",
        )
    return Told(answers=(OOM,), hosts=(place,), kind="node", needs_kernel=(place,), telling=telling)


def shared_memory(scene: Scene) -> Told:
    """Shared memory is too small: NCCL at set-up, or a data loader later."""
    rng = scene.rng
    telling = rng.choice(("nccl", "loader"))
    place = scene.pick_host()
    if telling == "loader":
        one = life.run(scene)
        rank = place * 8 + rng.randrange(8)
        at = one.stopped_at + 1
        lines = [
            "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
            "Traceback (most recent call last):",
            '  File "/usr/local/lib/python3.10/dist-packages/torch/utils/data/dataloader.py", line 1243, in _try_get_data',
            f"RuntimeError: DataLoader worker (pid {scene.pid(rank) + 9}) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.",
        ]
        cascade.crash(scene, one, rank, at, lines)
        return Told(answers=(SHM,), hosts=(place,), kind="node", telling=telling)
    at = life.launch(scene, scene.world.started_at)
    nccl.init(scene, at)
    file = f"/dev/shm/nccl-{rng.getrandbits(24):06x}"  # noqa: S108  as NCCL names it
    text = f"Error: failed to extend {file} to 33030528 bytes, error: No space left on device (28)"
    for rank in scene.world.ranks_of(place):
        nccl.warn(scene, rank, at + 12, ("misc/shmutils.cc:72", "shmOpen"), text)
        nccl.warn(
            scene,
            rank,
            at + 12.1,
            ("misc/shmutils.cc:113", "shmOpen"),
            f"Error while creating shared memory segment {file} (size 33030400), error: No space left on device (28)",
        )
    cascade.victims(scene, [], list(scene.world.ranks_of(place)), at + 13, text, number=2)
    return Told(answers=(SHM,), hosts=(place,), kind="node", telling=telling)


def limits(scene: Scene) -> Told:
    """A limit on files, threads or processes is hit on one host."""
    rng = scene.rng
    telling = rng.choice(("files", "threads"))
    one = life.run(scene)
    place = scene.pick_host()
    rank = place * 8 + rng.randrange(8)
    at = one.stopped_at + 1
    head = [
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 301, in train',
    ]
    if telling == "files":
        nccl.warn(
            scene,
            rank,
            at,
            ("misc/socket.cc:204", "ncclSocketTryAccept"),
            "ncclSocketTryAccept: Accept failed: Too many open files",
        )
        cascade.crash(
            scene,
            one,
            rank,
            at + 0.5,
            [*head, "OSError: [Errno 24] Too many open files: '/data/shards/train-00412.idx'"],
        )
    else:
        scene.kernel(
            place,
            at - 0.1,
            f"cgroup: fork rejected by pids controller in /kubepods.slice/kubepods-pod{rng.getrandbits(32):08x}.slice",
        )
        scene.rank(rank, at, "libgomp: Thread creation failed: Resource temporarily unavailable")
        cascade.crash(scene, one, rank, at + 0.5, [*head, "RuntimeError: can't start new thread"])
    return Told(answers=(LIMITS,), hosts=(place,), kind="node", telling=telling)


def versions(scene: Scene) -> Told:
    """Driver, library or NCCL of one host don't fit the others."""
    rng = scene.rng
    telling = rng.choice(("driver", "nvml", "nccl"))
    place = rng.choice(cascade.others(scene, [0]))
    at = life.launch(scene, scene.world.started_at) + 5
    ranks = list(scene.world.ranks_of(place))
    if telling == "nccl":
        nccl.init(scene, at)
        text = f"Mismatched NCCL version detected : rank 0 version 22703 rank {place * 8} version 22606"
        for rank in range(scene.world.size):
            nccl.warn(
                scene,
                rank,
                at + 12 + rng.uniform(0, 0.5),
                ("init.cc:1043", "initTransportsRank"),
                text,
            )
        cascade.victims(scene, [], list(range(scene.world.size)), at + 13, text, number=5)
        return Told(answers=(VERSIONS,), hosts=(place,), kind="node", telling=telling)
    scene.kernel(
        place,
        at,
        "NVRM: API mismatch: the client has the version 550.144.03, but",
        "NVRM: this kernel module has the version 535.183.06.  Please",
        "NVRM: make sure that this kernel module and all NVIDIA driver",
        "NVRM: components have the same version.",
    )
    said = {
        "driver": [
            "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx"
        ],
        "nvml": ["pynvml.NVMLError_LibRmVersionMismatch: Driver/library version mismatch"],
    }[telling]
    from_ = [
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 31, in <module>',
        "    torch.cuda.set_device(local_rank)",
    ]
    for rank in ranks:
        c10d.traceback(scene, rank, at + rng.uniform(0, 1), [*from_, *said])
    launchers.workers_failed(
        scene, place, at + 3, {ranks[0]: 1}, others=dict.fromkeys(ranks[1:], 1)
    )
    cascade.job_killed(scene, [place], at + 6)
    return Told(answers=(VERSIONS,), hosts=(place,), kind="node", telling=telling)


def pcie(scene: Scene) -> Told:
    """A PCIe switch or slot fails that is not a GPU's own port: the adapter behind it goes."""
    scene.use_fabric("roce")
    one, rng = life.run(scene), scene.rng
    place, local = scene.pick_host(), rng.randrange(8)
    host, at = scene.world.hosts[place], one.stopped_at + 1
    nic = host.nic(local)
    port = kernel.root_port(nic.removesuffix(".0"))
    telling = rng.choice(("dpc", "fatal"))
    record = kernel.aer(
        port,
        port,
        kind="Uncorrected (Fatal)",
        layer="Transaction Layer",
        bit="[14] CmpltTO                (First)",
    )
    scene.kernel(place, at, *record)
    if telling == "dpc":
        scene.kernel(
            place,
            at + 0.01,
            f"pcieport {port}: DPC: containment event, status:0x1f01 source:0x0000",
            f"pcieport {port}: pciehp: Slot({local}): Link Down",
            f"pcieport {port}: pciehp: Slot({local}): Card not present",
        )
    scene.kernel(
        place,
        at + 0.1,
        f"mlx5_core {nic}: mlx5_pci_err_detected Device state = 1 health sensors: 1 pci_status: 1. Enter, pci channel state = 2",
    )
    for rank in scene.world.ranks_of(place):
        nccl.async_event(
            scene, rank, at + 0.5 + rng.uniform(0, 0.2), "local catastrophic error", device=local
        )
    near = [other * 8 + local for other in cascade.others(scene, [place])[:3]]
    begun = at + rng.uniform(28, 33)
    for rank in near:
        nccl.completion_error(scene, rank, begun + rng.uniform(0, 1), place)
    cascade.victims(
        scene,
        [place],
        near,
        begun + 2,
        f"NET/IB: Got completion from peer {nccl.peer(scene, place)} with status=12 opcode=0 len=0 vendor err 129 (Send)",
    )
    return Told(
        answers=(PCIE,), hosts=(place,), kind="node", needs_kernel=(place,), telling=telling
    )


def machine_check(scene: Scene) -> Told:
    """A processor or memory module fails: a page is lost under a rank, or the kernel panics."""
    one, rng = life.run(scene), scene.rng
    place = scene.pick_host()
    rank = place * 8 + rng.randrange(8)
    at = one.stopped_at + 1
    telling = rng.choice(("poison", "panic"))
    scene.kernel(
        place,
        at,
        f"mce: [Hardware Error]: CPU {rng.randrange(96)}: Machine Check{' Exception' if telling == 'panic' else ''}: {5 if telling == 'panic' else 0} Bank 7: {'be' if telling == 'panic' else 'bd'}80000000100134",
        f"mce: [Hardware Error]: TSC 0 ADDR {rng.getrandbits(36):x} MISC 86",
        f"EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0x{rng.getrandbits(24):x} offset:0x0 grain:32)",
    )
    if telling == "poison":
        scene.kernel(
            place,
            at + 0.1,
            f"Memory failure: 0x{rng.getrandbits(28):x}: Killing python3:{scene.host_pid(rank)} due to hardware memory corruption",
        )
        cascade.crash(scene, one, rank, at + 0.5, (), code=-7)
    else:
        scene.kernel(
            place,
            at + 0.1,
            "mce: [Hardware Error]: Machine check: Processor context corrupt",
            "Kernel panic - not syncing: Fatal machine check",
        )
        scene.cuts[place] = at
        kernel.boot(scene, place, at + rng.uniform(200, 400))
        cascade.aftermath(scene, one, [place], at, "watchdog")
        slurm.say(
            scene,
            at + 300,
            f"error: Nodes {scene.world.hosts[place].name} not responding, setting DOWN",
        )
    return Told(
        answers=(Answer(layer="host"),),
        hosts=(place,),
        kind="node",
        needs_kernel=(place,),
        is_rebooted=telling == "panic",
        telling=telling,
    )


def lockup(scene: Scene) -> Told:
    """Processors of one host are stuck in the kernel; its ranks stand still, the others wait."""
    one, rng = life.run(scene), scene.rng
    place = scene.pick_host()
    at = one.stopped_at + 1
    telling = rng.choice(("soft-lockup", "rcu-stall"))
    rank = place * 8 + rng.randrange(8)
    for count in range(rng.randrange(4, 16)):
        cpu, moment = rng.randrange(96), at + 20 + count * 28
        if telling == "soft-lockup":
            scene.kernel(
                place,
                moment,
                f"watchdog: BUG: soft lockup - CPU#{cpu} stuck for {22 + count * 26}s! [python3:{scene.host_pid(rank)}]",
                "Modules linked in: nvidia_uvm(POE) nvidia_drm(POE) nvidia_modeset(POE) nvidia(POE) mlx5_ib mlx5_core",
                f"CPU: {cpu} PID: {scene.host_pid(rank)} Comm: python3 Tainted: P           OEL    5.15.0-117-generic #127-Ubuntu",
                "RIP: 0010:native_queued_spin_lock_slowpath+0x6e/0x1c0",
            )
        else:
            scene.kernel(
                place,
                moment,
                "rcu: INFO: rcu_sched self-detected stall on CPU",
                f"rcu: \t{cpu}-....: ({15000 + count * 45000} ticks this GP) idle=8d3/1/0x4000000000000000 softirq=1234567/1234567 fqs=7221",
                f"\t(t={15000 + count * 45000} jiffies g=91234561 q=8123411)",
            )
    cascade.hang(scene, one, scene.world.ranks_of(place))
    answers = (Answer(layer="host", causes=("cpu-starvation",)),)
    return Told(
        answers=answers, hosts=(place,), kind="node", needs_kernel=(place,), telling=telling
    )


FAULTS = {
    "host-oom": oom,
    "shared-memory": shared_memory,
    "limits": limits,
    "versions": versions,
    "pcie-slot": pcie,
    "machine-check": machine_check,
    "lockup": lockup,
}
