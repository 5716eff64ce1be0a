"""NVIDIA's driver: krcReportXid in kernel_rc.c for the frame, nverror.h for the numbers.

The open modules print 79, 94, 95, 119, 140 and 154; what firmware prints (13, 31, 43, 45, 48, 63,
64, 74) has the words that reports of it quote.
"""

from tests.score.second.draft import SessionDraft

NOBODY = "pid='<unknown>', name=<unknown>, "


def xid(bus: str, number: int, text: str, *, owner: str = "") -> str:
    """Return an Xid of a GPU; owner is the process it is attributed to."""
    return f"NVRM: Xid (PCI:{bus}): {number}, {owner}{text}"


def owner(draft: SessionDraft, rank: int) -> str:
    """Return a rank's process as the driver attributes to it."""
    return f"pid={draft.rig.pid_of(rank)}, name=python3, "


def recovery(bus: str, now: str, number: int) -> str:
    """Return Xid 154: what the GPU needs from now on."""
    text = f"GPU recovery action changed from 0x0 (None) to 0x{number:x} ({now})"
    return xid(bus, 154, text)


def off_bus(draft: SessionDraft, rank: int) -> list[str]:
    """Return a GPU that no longer answers (osinit.c)."""
    bus = draft.rig.bus_of(rank)
    return [
        xid(bus, 79, "GPU has fallen off the bus.", owner=owner(draft, rank)),
        f"NVRM: GPU {bus}.0: GPU has fallen off the bus.",
        f"NVRM: GPU {bus}.0: GPU serial number is {draft.rng.randrange(16 * 10**11, 17 * 10**11)}.",
        recovery(bus, "Node Reboot Required", 2),
    ]


def double_bit(draft: SessionDraft, rank: int) -> list[str]:
    """Return an uncorrectable error of memory, its row marked and contained."""
    bus, rng = draft.rig.bus_of(rank), draft.rng
    address = f"0x{rng.getrandbits(34):x}"
    place = f"partition {rng.randrange(20)}, subpartition {rng.randrange(4)}"
    return [
        xid(
            bus,
            48,
            "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer "
            f"at physAddr {address} {place}.",
            owner=NOBODY,
        ),
        xid(
            bus,
            63,
            f"Row Remapper: New row ({address}) marked for remapping, reset gpu to activate.",
            owner=NOBODY,
        ),
        xid(bus, 94, "Contained: SM (0x1). RST: No, D-RST: No", owner=owner(draft, rank)),
        recovery(bus, "Drain and Reset", 4),
    ]


def remap_failed(draft: SessionDraft, rank: int) -> list[str]:
    """Return a row that cannot be replaced any more, and an error that was not contained."""
    bus, rng = draft.rig.bus_of(rank), draft.rng
    return [
        xid(
            bus,
            95,
            f"Uncontained: LTC TAG (0x{rng.randrange(16):x}, 0x{rng.randrange(4):x}). "
            "RST: Yes, D-RST: No",
            owner=owner(draft, rank),
        ),
        xid(
            bus,
            64,
            "Row Remapper: Row remapping failed, unable to remap row "
            f"(0x{rng.getrandbits(34):016x}).",
            owner=NOBODY,
        ),
        recovery(bus, "GPU Reset Required", 1),
    ]


def gsp_timeout(draft: SessionDraft, rank: int) -> list[str]:
    """Return a system processor that does not answer (kernel_gsp.c)."""
    bus, rng = draft.rig.bus_of(rank), draft.rng
    stars = "*" * 33
    index = rank % draft.rig.per_host
    call = rng.choice(("76 (GSP_RM_CONTROL)", "103 (GSP_RM_ALLOC)", "10 (FREE)"))
    return [
        f"NVRM: _kgspLogRpcTimeoutError: {stars} GSP Timeout {stars[:-7]}********",
        "NVRM: _kgspLogRpcTimeoutError: Note: Please also check logs above.",
        xid(
            bus,
            119,
            f"Timeout after {rng.choice((6, 45))}s of waiting for RPC response from GPU{index} "
            f"GSP! Expected function {call} sequence {rng.randrange(10**4, 10**6)} "
            f"(0x{rng.getrandbits(32):x} 0x{rng.randrange(0x400):x}).",
            owner=owner(draft, rank),
        ),
    ]


def link_fatal(draft: SessionDraft, rank: int) -> list[str]:
    """Return an NVLink that failed: Xid 74 with its registers, then peers' channels."""
    bus, rng = draft.rig.bus_of(rank), draft.rng
    link = rng.randrange(18)
    registers = ", ".join(f"0x{rng.choice((0, 0, 1 << rng.randrange(20))):x}" for _ in range(7))
    return [
        xid(
            bus,
            74,
            f"NVLink: fatal error detected on link {link}({registers})",
            owner=owner(draft, rank),
        ),
        xid(bus, 45, "Ch 00000008", owner=owner(draft, rank)),
    ]


def rlw_error(draft: SessionDraft, rank: int) -> list[str]:
    """Return the same of newer GPUs: Xid 145 with link and status."""
    bus, rng = draft.rig.bus_of(rank), draft.rng
    status = " ".join(f"0x{rng.getrandbits(32):08x}" for _ in range(6))
    return [
        xid(
            bus,
            145,
            f"RLW_RXPIPE Fatal XC0 i0 Link {rng.randrange(18)} ({status})",
            owner=owner(draft, rank),
        ),
        xid(bus, 45, "Ch 00000003 caused by previous Xid 145", owner=owner(draft, rank)),
    ]


def switch_fatal(draft: SessionDraft) -> str:
    """Return an NVSwitch's fatal error (common_nvswitch.h, intr_ls10.c)."""
    number = draft.rng.randrange(4)
    link = draft.rng.randrange(64)
    return (
        f"nvidia-nvswitch{number}: SXid (PCI:0000:0{5 + number}:00.0): 20034, Fatal, "
        f"Link {link:02d} LTSSM Fault Up"
    )


def memory_fault(draft: SessionDraft, rank: int, *, writes: bool, address: str) -> str:
    """Return an access to memory that is not mapped."""
    bus, rng = draft.rig.bus_of(rank), draft.rng
    access = "ACCESS_TYPE_VIRT_WRITE" if writes else "ACCESS_TYPE_VIRT_READ"
    return xid(
        bus,
        31,
        f"Ch {rng.randrange(1, 16):08x}, intr 00000000. MMU Fault: ENGINE GRAPHICS "
        f"GPC{rng.randrange(8)} GPCCLIENT_T1_{rng.randrange(16)} faulted @ {address}. "
        f"Fault is of type FAULT_PDE {access}",
        owner=owner(draft, rank),
    )


def warp_exception(draft: SessionDraft, rank: int) -> list[str]:
    """Return a kernel that read out of range."""
    bus, rng = draft.rig.bus_of(rank), draft.rng
    gpc, tpc, sm = rng.randrange(8), rng.randrange(9), rng.randrange(2)
    where = f"(GPC {gpc}, TPC {tpc}, SM {sm})"
    esr = f"0x{0x504730 + gpc * 0x8000:x}"
    return [
        xid(
            bus,
            13,
            f"Graphics SM Warp Exception on {where}: Out Of Range Address",
            owner=NOBODY,
        ),
        xid(
            bus,
            13,
            f"Graphics Exception: ESR {esr}=0x{rng.getrandbits(24):x} 0x{0x504734:x}=0x24",
            owner=NOBODY,
        ),
        xid(bus, 43, "Ch 00000008", owner=owner(draft, rank)),
    ]


def benign(draft: SessionDraft) -> str:
    """Return what peer memory says whenever a process with registrations ends."""
    return (
        "nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, "
        "skipping further processing"
    )
