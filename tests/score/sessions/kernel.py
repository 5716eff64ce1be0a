# ruff: noqa: E501  the vendors' lines are long
"""What kernels print: NVRM, NVSwitch, mlx5, NFS, Lustre, memory, PCIe; and ordinary chatter."""

from tests.score.sessions.cluster import GPUS
from tests.score.sessions.scene import Scene


def xid(pci: str, code: int, text: str, *, pid: int | None = None, name: str = "python3") -> str:
    """Return an Xid line."""
    who = f"pid={pid}, name={name}, " if pid is not None else ""
    return f"NVRM: Xid (PCI:{pci}): {code}, {who}{text}"


def off_bus(pci: str, *, is_unknown: bool = True) -> str:
    """Return Xid 79."""
    who = "pid='<unknown>', name=<unknown>, " if is_unknown else ""
    return f"NVRM: Xid (PCI:{pci}): 79, {who}GPU has fallen off the bus."


def off_bus_probe(pci: str) -> tuple[str, ...]:
    """Return the lines of a probe that finds the GPU gone; they carry no Xid."""
    return (
        f"NVRM: The NVIDIA GPU {pci}.0",
        "NVRM: (PCI ID: 10de:2330) installed in this system has",
        "NVRM: fallen off the bus and is not responding to commands.",
    )


def aer(port: str, device: str, *, kind: str, layer: str, bit: str) -> tuple[str, ...]:
    """Return an AER record: `kind` is Corrected, Uncorrected (Fatal) or (Non-Fatal)."""
    driver, chip = ("pcieport", "8086:352a") if port == device else ("nvidia", "10de:2330")
    status = 1 << int(bit[1:3])
    return (
        f"pcieport {port}: AER: {kind} error received: {device}",
        f"{driver} {device}: PCIe Bus Error: severity={kind}, type={layer}, (Receiver ID)",
        f"{driver} {device}:   device [{chip}] error status/mask={status:08x}/0000e000",
        f"{driver} {device}:    {bit}",
    )


def root_port(pci: str) -> str:
    """Return the address of the root port above a device of ours."""
    bus = int(pci.split(":")[1], 16)
    return f"0000:{bus - 1:02x}:01.0"


def oom_kill(
    pid: int, task: str, *, memcg: str | None = None, rss: int = 1800000000
) -> tuple[str, ...]:
    """Return what the OOM killer prints: of the host, or of a cgroup."""
    if memcg is None:
        where = "constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom"
        head = "Out of memory"
    else:
        where = f"constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg={memcg}"
        head = "Memory cgroup out of memory"
    return (
        f"{task} invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
        f"CPU: 41 PID: {pid} Comm: {task} Tainted: P           OE     5.15.0-117-generic #127-Ubuntu",
        "Call Trace:",
        " <TASK>",
        " dump_stack_lvl+0x4a/0x63",
        " oom_kill_process.cold+0xb/0x10",
        " out_of_memory+0x106/0x2e0",
        " </TASK>",
        "Mem-Info:",
        "active_anon:1204 inactive_anon:261234567 isolated_anon:0",
        "Tasks state (memory values in pages):",
        "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
        f"[{pid:>7}]     0 {pid} 481234567 {rss // 4} 3871234567        0             0 {task}",
        f"oom-kill:{where},task_memcg={memcg or '/system.slice/job.scope'},task={task},pid={pid},uid=0",
        f"{head}: Killed process {pid} ({task}) total-vm:2012345678kB, anon-rss:{rss}kB, file-rss:7424kB, shmem-rss:120kB, UID:0 pgtables:3871234kB oom_score_adj:0",
        f"oom_reaper: reaped process {pid} ({task}), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
    )


def hung(pid: int, task: str, stack: tuple[str, ...], *, seconds: int = 120) -> tuple[str, ...]:
    """Return a report of a task that is stuck in the kernel."""
    return (
        f"INFO: task {task}:{pid} blocked for more than {seconds} seconds.",
        "      Tainted: P           OE     5.15.0-117-generic #127-Ubuntu",
        '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
        f"task:{task:<15} state:D stack:    0 pid:{pid} ppid:     1 flags:0x00004002",
        "Call Trace:",
        " <TASK>",
        " __schedule+0x24e/0x590",
        " schedule+0x69/0x110",
        *(f" {frame}" for frame in stack),
        " </TASK>",
    )


NFS_STACK = (
    "io_schedule+0x46/0x80",
    "folio_wait_bit_common+0x10c/0x3a0",
    "nfs_wb_all+0x2c/0x190 [nfs]",
    "nfs4_file_flush+0x7c/0xc0 [nfsv4]",
    "filp_close+0x37/0x70",
)
RPC_STACK = (
    "rpc_wait_bit_killable+0x25/0xb0 [sunrpc]",
    "__rpc_execute+0x11e/0x3d0 [sunrpc]",
    "nfs4_proc_getattr+0x6e/0x100 [nfsv4]",
    "__nfs_revalidate_inode+0xca/0x300 [nfs]",
)


def boot(scene: Scene, place: int, at: float) -> None:
    """Print the first lines of a boot."""
    scene.kernel(
        place,
        at,
        "Linux version 5.15.0-117-generic (buildd@lcy02-amd64-037) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0, GNU ld 2.38) #127-Ubuntu SMP Fri Jul 5 20:13:28 UTC 2024",
        "Command line: BOOT_IMAGE=/boot/vmlinuz-5.15.0-117-generic root=UUID=1f2e ro iommu=pt console=ttyS0",
        "BIOS-provided physical RAM map:",
        "DMI: Supermicro SYS-821GE-TNHR/X13DEG-OAD, BIOS 2.1 12/28/2023",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.144.03  Mon Dec 30 17:44:08 UTC 2024",
    )


CHATTER = (
    'audit: type=1400 audit(1730000000.123:88): apparmor="STATUS" operation="profile_load" profile="unconfined" name="docker-default" pid={n} comm="apparmor_parser"',
    "docker0: port 1(veth{x}) entered blocking state",
    "docker0: port 1(veth{x}) entered forwarding state",
    "IPv6: ADDRCONF(NETDEV_CHANGE): cali{x}: link becomes ready",
    "device veth{x} entered promiscuous mode",
    "perf: interrupt took too long (3148 > 3137), lowering kernel.perf_event_max_sample_rate to 63250",
    "systemd-journald[812]: Time jumped backwards, rotating.",
    "TCP: request_sock_TCP: Possible SYN flooding on port 9400. Sending cookies.  Check SNMP counters.",
    "NVRM: GPU at PCI:0000:{b}:00: GPU-{u}",
    "nvidia-nvswitch0: open (major=510)",
    "workqueue: nv_drm_handle_hotplug_event hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND",
    "hrtimer: interrupt took 41230 ns",
    "mce: CPU{c}: Core temperature/speed normal",
    "ext4 filesystem being mounted at /var/lib/docker/overlay2 supports timestamps until 2038 (0x7fffffff)",
)


def chatter(scene: Scene, place: int, begin: float, end: float, *, count: int) -> None:
    """Print ordinary lines over a span."""
    rng, host = scene.rng, scene.world.hosts[place]
    for number in range(count):
        local = rng.randrange(GPUS)
        text = rng.choice(CHATTER).format(
            n=rng.randrange(1000, 90000),
            x=f"{rng.getrandbits(28):07x}",
            b=host.buses[local],
            u=host.uuids[local].removeprefix("GPU-"),
            c=rng.randrange(96),
        )
        # The last one is of the container that is taken down: it shows how old the others are.
        at = rng.uniform(begin, end) if number else end - rng.uniform(0, 4)
        off, on = scene.quiet_kernels.get(place, (0.0, 0.0))
        if not off < at < on:
            scene.kernel(place, at, text)
