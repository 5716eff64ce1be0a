"""The kernel's messages as three collectors keep them: journald, syslog 3164, dmesg -T."""

from apps.simulator.world.machines.cluster import (
    NIC_BUSES,
    ROOT_BUSES,
    SimulatedNode,
    gpu_pci,
    netdev,
    nic_pci,
)
from apps.simulator.world.noise import Dice

_RECOVERY = {"0x1": "GPU Reset Required", "0x2": "Node Reboot Required", "0x4": "Drain and Reset"}


def say(*, node: SimulatedNode, at: float, text: str) -> str:
    """Return one kernel message as this host's collector writes it, in the host's own time."""
    local = node.local(at)
    if node.kernel_format == "journald":
        return f"{local:%Y-%m-%dT%H:%M:%S%z} {node.name} kernel: {text}"
    if node.kernel_format == "syslog":
        uptime = at - node.boot_at
        return (
            f"{local:%b} {local.day:2d} {local:%H:%M:%S} {node.name} kernel: [{uptime:.6f}] {text}"
        )
    return f"[{local:%a %b} {local.day:2d} {local:%H:%M:%S %Y}] {text}"


def xid(*, gpu: int, code: int, text: str, pid: int | None = None, name: str = "python3") -> str:
    """Return an Xid message; without a process the driver prints placeholders."""
    who = f"pid={pid}, name={name}, " if pid else ""
    return f"NVRM: Xid (PCI:{gpu_pci(gpu)[:-2]}): {code}, {who}{text}"


def identity(*, node: SimulatedNode, gpu: int) -> list[str]:
    """Return the two lines that name a GPU before its first Xid."""
    pci = gpu_pci(gpu)[:-2]
    return [
        f"NVRM: GPU at PCI:{pci}: {node.gpu_uuid(gpu)}",
        f"NVRM: GPU Board Serial Number: {node.gpu_serial(gpu)}",
    ]


def aer(*, gpu: int, is_fatal: bool, wording: str, kind: str = "Physical Layer") -> list[str]:
    """Return an AER record of a GPU's link; old kernels say Correctable, new ones Corrected."""
    pci, port = gpu_pci(gpu), f"0000:{ROOT_BUSES[gpu]}:01.0"
    mild = {"old": "Correctable", "new": "Corrected"}[wording]
    severity = "Uncorrectable (Fatal)" if is_fatal and wording == "old" else "Uncorrected (Fatal)"
    severity = severity if is_fatal else mild
    received = "error message received from" if wording == "new" else "error received:"
    bits = ("00000020", "00000000") if is_fatal else ("00000001", "0000a000")
    named = (
        "[ 5] SDES                   (First)" if is_fatal else "[ 0] RxErr                  (First)"
    )
    return [
        f"pcieport {port}: AER: {severity} {received} {pci}",
        (
            f"nvidia {pci}: PCIe Bus Error: severity={severity}, type={kind}, "
            f"({'Receiver' if kind == 'Physical Layer' else 'Transmitter'} ID)"
        ),
        f"nvidia {pci}:   device [10de:2901] error status/mask={bits[0]}/{bits[1]}",
        f"nvidia {pci}:    {named}",
    ]


def fallen_off(*, gpu: int) -> list[str]:
    """Return what the driver prints when a GPU no longer answers on PCIe."""
    return [
        xid(gpu=gpu, code=79, text="GPU has fallen off the bus.", name="<unknown>"),
        f"NVRM: GPU {gpu_pci(gpu)}: GPU has fallen off the bus.",
        "NVRM: A GPU crash dump has been created. If possible, please run",
        "NVRM: nvidia-bug-report.sh as root to collect this data before",
        "NVRM: the NVIDIA kernel module is unloaded.",
        recovery(gpu=gpu, action="0x2"),
    ]


def recovery(*, gpu: int, action: str) -> str:
    """Return Xid 154: what the driver says must be done."""
    return xid(
        gpu=gpu,
        code=154,
        text=f"GPU recovery action changed from 0x0 (None) to {action} ({_RECOVERY[action]})",
    )


def nvlink_down(*, gpu: int, link: int, reason: int, middle: int) -> str:
    """Return a fatal Xid 149; bits 20-25 of its first word are the reason, bits 0-9 the unit."""
    word = (reason << 20) | ((middle & 0x3FF) << 10) | 0x1C6
    zeros = " ".join(["0x00000000"] * 5)
    return xid(
        gpu=gpu,
        code=149,
        text=f"NETIR_LINK_EVT Fatal XC0 i0 Link {link:02d} (0x{word:08x} {zeros})",
    )


def gsp_silent(*, gpu: int, pid: int, name: str, seconds: int) -> str:
    """Return Xid 119: whoever happened to ask is named."""
    return xid(
        gpu=gpu,
        code=119,
        pid=pid,
        name=name,
        text=(
            f"Timeout after {seconds}s of waiting for RPC response from GPU{gpu} GSP! "
            "Expected function 76 (GSP_RM_CONTROL) (0x2080a097 0x4d8)."
        ),
    )


def link(*, rail: int, is_up: bool) -> str:
    """Return that an Ethernet port changed state."""
    return f"mlx5_core {nic_pci(rail)} {netdev(rail)}: Link {'up' if is_up else 'down'}"


def register_refused(*, rail: int, pid: int) -> str:
    """Return the complaint that monitoring agents provoke: noise."""
    return (
        f"mlx5_core {nic_pci(rail)}: mlx5_cmd_out_err:835:(pid {pid}): ACCESS_REG(0x805) "
        "op_mod(0x1) "
        "failed, status bad parameter(0x3), syndrome (0x15c356), err(-22)"
    )


def out_of_memory(*, comm: str, pid: int, rss_gib: float, scope: str) -> list[str]:
    """Return the killer's record: who asked, which limit, who died, what was reaped."""
    rss = int(rss_gib * 1024 * 1024)
    group = f"/system.slice/docker-{scope}.scope"
    return [
        f"{comm} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        f"memory: usage {rss * 8}kB, limit {rss * 8}kB, failcnt 184467",
        (
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-{scope}.scope,"
            f"mems_allowed=0-1,oom_memcg={group},task_memcg={group},task={comm},pid={pid},uid=1100"
        ),
        (
            f"Memory cgroup out of memory: Killed process {pid} ({comm}) total-vm:{rss * 3}kB, "
            f"anon-rss:{rss}kB, file-rss:184320kB, shmem-rss:1048576kB, UID:1100 "
            f"pgtables:{rss // 480}kB "
            "oom_score_adj:0"
        ),
        (
            f"oom_reaper: reaped process {pid} ({comm}), now anon-rss:0kB, file-rss:184320kB, "
            "shmem-rss:1048576kB"
        ),
    ]


def hung_in_nfs(*, comm: str, pid: int, seconds: int) -> list[str]:
    """Return a hung task whose stack waits for a reply of the file server."""
    frames = (
        "__schedule+0x2cc/0x760",
        "schedule+0x63/0x110",
        "rpc_wait_bit_killable+0x11/0x80 [sunrpc]",
        "__wait_on_bit+0x42/0x110",
        "nfs_wait_on_request+0x36/0x60 [nfs]",
        "nfs_lock_and_join_requests+0x11c/0x2a0 [nfs]",
        "nfs_updatepage+0x1a4/0x3d0 [nfs]",
        "nfs_write_end+0x5c/0x2f0 [nfs]",
        "vfs_write+0x2b8/0x410",
    )
    return [
        f"INFO: task {comm}:{pid} blocked for more than {seconds} seconds.",
        "      Tainted: P           OE      6.8.0-71-generic #71-Ubuntu",
        '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
        f"task:{comm:<15} state:D stack:0     pid:{pid}  ppid:{pid - 90}   flags:0x00000002",
        "Call Trace:",
        " <TASK>",
        *(f" {frame}" for frame in frames),
        " </TASK>",
    ]


def small_talk(*, dice: Dice, index: int) -> str:
    """Return one of the messages that mean nothing."""
    number = dice.integer(f"talk/{index}", 1000, 99999)
    veth = f"veth{number:x}"
    texts = (
        f"docker0: port {number % 9 + 1}({veth}) entered blocking state",
        f"docker0: port {number % 9 + 1}({veth}) entered forwarding state",
        f"IPv6: ADDRCONF(NETDEV_CHANGE): cali{number:x}: link becomes ready",
        (
            f'audit: type=1400 audit({1_790_000_000 + number}.118:{number}): apparmor="STATUS" '
            'operation="profile_load" profile="unconfined" name="docker-default" '
            f'pid={number} comm="apparmor_parser"'
        ),
        (
            f"perf: interrupt took too long ({2500 + number % 900} > 2500), lowering "
            "kernel.perf_event_max_sample_rate to 79750"
        ),
        (
            f"systemd-journald[{number}]: Data hash table of /run/log/journal/system.journal "
            "has a fill level at 75.0"
        ),
        f"overlayfs: fs on '/var/lib/docker/overlay2/l/{number:X}' does not support file handles",
        f"eth0: renamed from {veth}",
        f"device {veth} entered promiscuous mode",
        f"nvidia-nvlink: Nvlink Core is being initialized, major device number {200 + number % 40}",
        (
            f"EXT4-fs (nvme{number % 4}n1p2): mounted filesystem 1f0c{number:05x} r/w with "
            "ordered data mode"
        ),
    )
    return texts[index % len(texts)]


def channel_removed(*, gpu: int, pid: int, channel: int) -> str:
    """Return Xid 45: a channel torn down when its process was killed."""
    return xid(gpu=gpu, code=45, pid=pid, text=f"Ch {channel:08x}")


def other_port_aer(*, bus: int, wording: str) -> list[str]:
    """Return a harmless AER record of a network card's port."""
    pci = f"0000:{NIC_BUSES[bus]}:00.0"
    mild = {"old": "Correctable", "new": "Corrected"}[wording]
    return [
        f"pcieport 0000:{ROOT_BUSES[bus]}:03.0: AER: Multiple {mild} error received: {pci}",
        f"mlx5_core {pci}: PCIe Bus Error: severity={mild}, type=Data Link Layer, (Transmitter ID)",
        f"mlx5_core {pci}:   device [15b3:1021] error status/mask=00001000/0000e000",
        f"mlx5_core {pci}:    [12] Timeout",
    ]
