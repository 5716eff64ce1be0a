"""The kernel: mm/oom_kill.c, drivers of mlx5, nvme, AER, EDAC and MCE, hung_task.c, sunrpc, Lustre."""  # noqa: E501

from tests.score.second.draft import SessionDraft

RELEASE = "5.15.0-1062-nvidia #63-Ubuntu"


def oom_kill(draft: SessionDraft, pid: int, name: str, *, group: str = "") -> list[str]:
    """Return the killer's account; group: the control group whose limit was met."""
    rng = draft.rng
    kilobytes = rng.randrange(400, 1900) * 1_000_000
    kind = (
        f"CONSTRAINT_MEMCG,nodemask=(null),cpuset={group or '/'}"
        if group
        else ("CONSTRAINT_NONE,nodemask=(null),cpuset=/")
    )
    groups = f",oom_memcg={group},task_memcg={group}" if group else ",global_oom,task_memcg=/"
    head = "Memory cgroup out of memory" if group else "Out of memory"
    return [
        f"{name} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        f"CPU: {rng.randrange(192)} PID: {pid} Comm: {name} Tainted: P           OE     {RELEASE}",
        "Call Trace:",
        " <TASK>",
        " dump_stack_lvl+0x4a/0x63",
        " dump_header+0x53/0x224",
        " oom_kill_process.cold+0xb/0x10",
        " </TASK>",
        f"oom-kill:constraint={kind},mems_allowed=0-1{groups},task={name},pid={pid},uid=0",
        (
            f"{head}: Killed process {pid} ({name}) total-vm:{kilobytes * 2}kB, "
            f"anon-rss:{kilobytes}kB, file-rss:{rng.randrange(9_000)}kB, shmem-rss:0kB, UID:0 "
            f"pgtables:{kilobytes // 500}kB oom_score_adj:0"
        ),
        f"oom_reaper: reaped process {pid} ({name}), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
    ]


def hung(draft: SessionDraft, pid: int, name: str, stack: tuple[str, ...]) -> list[str]:
    """Return a task that sleeps for too long, with the top of its stack."""
    return [
        f"INFO: task {name}:{pid} blocked for more than {draft.rng.choice((120, 241))} seconds.",
        f"      Tainted: P           OE     {RELEASE}",
        '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
        f"task:{name:<15} state:D stack:    0 pid:{pid:>5} ppid:     1 flags:0x00000004",
        "Call Trace:",
        " <TASK>",
        *(f" {one}" for one in stack),
        " </TASK>",
    ]


IN_NFS = (
    "__schedule+0x2cd/0x890",
    "schedule+0x69/0x110",
    "io_schedule+0x46/0x80",
    "wait_on_page_bit_common+0x110/0x3f0",
    "nfs_writepage_locked+0x1c1/0x3e0 [nfs]",
    "nfs_wb_all+0x2e/0x130 [nfs]",
    "nfs4_file_flush+0x7f/0xa0 [nfsv4]",
)
IN_LUSTRE = (
    "__schedule+0x2cd/0x890",
    "schedule+0x69/0x110",
    "cl_sync_io_wait+0x1e3/0x3e0 [obdclass]",
    "ll_file_io_generic+0x4f3/0xe80 [lustre]",
    "ll_file_write_iter+0x1ab/0x2f0 [lustre]",
)
IN_NVME = (
    "__schedule+0x2cd/0x890",
    "schedule+0x69/0x110",
    "io_schedule+0x46/0x80",
    "blk_mq_get_tag+0x11a/0x2b0",
    "xfs_file_dio_write_aligned+0xa1/0x160 [xfs]",
)


def port(draft: SessionDraft, rank: int, *, up: bool) -> list[str]:
    """Return a port of an adapter that goes down or comes back (mlx5 events.c, en_main.c)."""
    number = rank % draft.rig.per_host
    slot = f"0000:{0x18 + 0x10 * number:02x}:00.0"
    if draft.rig.fabric == "ib":
        state = "plugged" if up else "unplugged"
        lines = [f"mlx5_core {slot}: Port module event: module 0, Cable {state}"]
        name = f"ib{number}"
        change = f"IPv6: ADDRCONF(NETDEV_CHANGE): {name}: link becomes ready"
        return [*lines, change] if up else lines
    name = f"ens{10 + number}f0np0"
    return [f"mlx5_core {slot} {name}: Link {'up' if up else 'down'}"]


def adapter_dead(draft: SessionDraft, rank: int) -> list[str]:
    """Return an adapter whose firmware stopped (mlx5 health.c)."""
    slot = f"0000:{0x18 + 0x10 * (rank % draft.rig.per_host):02x}:00.0"
    rng = draft.rng
    core = f"mlx5_core {slot}: "
    buffer = f"{core}print_health_info:{rng.choice((425, 433))}:(pid 0): "
    return [
        (
            f"{core}poll_health:{rng.choice((825, 833))}:(pid 0): device's health compromised - "
            "reached miss count"
        ),
        f"{buffer}assert_var[0] 0x{rng.getrandbits(32):08x}",
        f"{buffer}fw_ver 28.39.{rng.randrange(1000, 3600)}",
        f"{buffer}synd 0x1: firmware internal error",
        f"{buffer}ext_synd 0x{rng.getrandbits(16):04x}",
        (
            f"{core}wait_func:{rng.randrange(1150, 1190)}:(pid {rng.randrange(900, 90_000)}): "
            "ACCESS_REG(0x805) timeout. Will cause a leak of a command resource"
        ),
    ]


def aer(slot: str, *, fatal: bool, ident: str = "10de:2330") -> list[str]:
    """Return an error of PCI Express as the root port's driver prints it (aer.c)."""
    if not fatal:
        return [
            f"pcieport {slot[:7]}01.1: AER: Corrected error received: {slot}",
            (
                f"nvidia {slot}: PCIe Bus Error: severity=Corrected, type=Physical Layer, "
                "(Receiver ID)"
            ),
            f"nvidia {slot}:   device [{ident}] error status/mask=00000001/0000a000",
            f"nvidia {slot}:    [ 0] RxErr                  (First)",
        ]
    return [
        f"pcieport {slot[:7]}01.1: AER: Uncorrected (Fatal) error received: {slot}",
        (
            f"nvidia {slot}: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data Link Layer, "
            "(Receiver ID)"
        ),
        f"nvidia {slot}:   device [{ident}] error status/mask=00000020/00400000",
        f"nvidia {slot}:    [ 5] SDES                   (First)",
        f"nvidia {slot}: AER: can't recover (no error_detected callback)",
        f"pcieport {slot[:7]}01.1: AER: device recovery failed",
    ]


def nvme_gone(draft: SessionDraft) -> list[str]:
    """Return a local drive that stops answering (nvme/host/pci.c) and the file system over it."""
    rng = draft.rng
    number, sector = rng.randrange(8), rng.randrange(10**8, 10**9)
    return [
        (
            f"nvme nvme{number}: I/O {rng.randrange(1023)} (I/O Cmd) QID {rng.randrange(1, 64)} "
            "timeout, aborting"
        ),
        f"nvme nvme{number}: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10",
        f"nvme nvme{number}: Removing after probe failure status: -19",
        (
            f"blk_update_request: I/O error, dev nvme{number}n1, sector {sector} op 0x1:(WRITE) "
            "flags 0x104000 phys_seg 16 prio class 0"
        ),
        f"XFS (nvme{number}n1): log I/O error -5",
        (
            f"XFS (nvme{number}n1): Log I/O Error (0x2) detected at xlog_ioend_work+0x7c/0x80 "
            "[xfs] (fs/xfs/xfs_log.c:1378).  Shutting down filesystem."
        ),
    ]


def machine_check(draft: SessionDraft) -> list[str]:
    """Return an uncorrected machine check that stops the machine (mce/core.c)."""
    rng = draft.rng
    cpu, bank = rng.randrange(224), rng.choice((0, 1, 6, 7, 13))
    lead = "mce: [Hardware Error]: "
    return [
        f"{lead}CPU {cpu}: Machine Check Exception: 5 Bank {bank}: b{rng.getrandbits(60):015x}",
        f"{lead}RIP !INEXACT! 10:<ffffffff{rng.getrandbits(32):08x}> {{native_safe_halt+0xb/0x10}}",
        f"{lead}TSC {rng.getrandbits(56):x} ADDR {rng.getrandbits(40):x} MISC 86",
        (
            f"{lead}PROCESSOR 0:c06f2 TIME {int(draft.stops)} SOCKET {cpu // 112} APIC {cpu:x} "
            "microcode 21000230"
        ),
        f"{lead}Run the above through 'mcelog --ascii'",
        f"{lead}Machine check: Processor context corrupt",
        "Kernel panic - not syncing: Fatal machine check",
    ]


def corrected_memory(draft: SessionDraft) -> str:
    """Return a corrected error of host memory (edac_mc.c)."""
    rng = draft.rng
    dimm = f"CPU_SrcID#{rng.randrange(2)}_MC#{rng.randrange(4)}_Chan#{rng.randrange(2)}_DIMM#0"
    return (
        f"EDAC MC{rng.randrange(8)}: 1 CE memory read error on {dimm} (channel:0 slot:0 "
        f"page:0x{rng.getrandbits(24):x} offset:0x{rng.getrandbits(8):x}00 grain:32 "
        f"syndrome:0x0 -  err_code:0x0101:0x0090)"
    )


def lustre_lost(draft: SessionDraft, *, server: str, target: str) -> str:
    """Return a connection to a Lustre target that broke (import.c)."""
    return (
        f"Lustre: {target}-osc-ffff{draft.hexed(12)}: Connection to {target} (at {server}@o2ib) "
        "was lost; in progress operations using this service will wait for recovery to complete"
    )


def lustre_evicted(draft: SessionDraft, *, target: str) -> str:
    """Return a client that its server threw out (import.c)."""
    return (
        f"LustreError: 167-0: {target}-osc-ffff{draft.hexed(12)}: This client was evicted by "
        f"{target}; in progress operations using this service will fail."
    )


def lustre_restored(draft: SessionDraft, *, server: str, target: str) -> str:
    """Return a connection to a Lustre target that came back."""
    return (
        f"Lustre: {target}-osc-ffff{draft.hexed(12)}: Connection restored to {target} "
        f"(at {server}@o2ib)"
    )


def booted(draft: SessionDraft) -> list[str]:
    """Return the first lines of a kernel."""
    return [
        f"Linux version {RELEASE.split(' ', maxsplit=1)[0]} (buildd@lcy02-amd64-086) (gcc (Ubuntu 11.4.0) 11.4.0)",  # noqa: E501
        (
            "Command line: BOOT_IMAGE=/vmlinuz-5.15.0-1062-nvidia root=/dev/md0 ro console=tty0 "
            "iommu=pt"
        ),
        "BIOS-provided physical RAM map:",
        "nvidia: loading out-of-tree module taints kernel.",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 01:58:59 UTC 2025",
    ]
