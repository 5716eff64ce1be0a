"""GPUs: memory that fails, a GPU that is gone, links, the system processor, faults, heat."""

from collections.abc import Callable, Mapping

from tests.score.second import aftermath, progress
from tests.score.second.draft import WARNING, SessionDraft
from tests.score.second.lines import driver, errors, linux, nccl
from tests.score.second.outcome import Outcome, either, named


def uncorrectable_memory(draft: SessionDraft) -> Outcome:
    """A double bit error in a rank's memory is contained, and the rank ends by it."""
    host, rank = draft.victim()
    at = draft.stops
    draft.kernel(at, host.place, *driver.double_bit(draft, rank))
    aftermath.crash(draft, at + draft.soon(0.1, 2), rank, errors.cuda(draft, rank, "ecc"), 1)
    return Outcome(
        answers=named("gpu", "gpu-ecc-uncorrectable"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="double bit error, row marked",
    )


def remap_failure(draft: SessionDraft) -> Outcome:
    """Memory has no spare rows left: an uncontained error takes the GPU's programs with it."""
    host, rank = draft.victim()
    at = draft.stops
    draft.kernel(at, host.place, *driver.remap_failed(draft, rank))
    aftermath.crash(draft, at + draft.soon(0.1, 2), rank, errors.cuda(draft, rank, "launch"), 1)
    return Outcome(
        answers=named("gpu", "gpu-ecc-uncorrectable"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="Xid 95 and 64",
    )


def ecc_by_program_only(draft: SessionDraft) -> Outcome:
    """The rank's own error names the memory; no system log is at hand."""
    host, rank = draft.victim()
    aftermath.crash(draft, draft.stops, rank, errors.cuda(draft, rank, "ecc"), 1)
    return Outcome(
        answers=named("gpu", "gpu-ecc-uncorrectable"),
        places=(host.place,),
        hides=True,
        telling="CUDA's error alone",
    )


def off_the_bus(draft: SessionDraft) -> Outcome:
    """A GPU stops answering over PCI Express; its rank hangs or fails."""
    host, rank = draft.victim()
    at = draft.stops
    if draft.rng.random() < 0.5:
        draft.kernel(at - 0.01, host.place, *linux.aer(f"{draft.rig.bus_of(rank)}.0", fatal=True))
    draft.kernel(at, host.place, *driver.off_bus(draft, rank))
    if draft.rng.random() < 0.5:
        aftermath.hang(draft, at, [rank])
        telling = "its rank hangs"
    else:
        aftermath.crash(draft, at + 1.5, rank, errors.cuda(draft, rank, "unknown"), 1)
        telling = "its rank fails"
    return Outcome(
        answers=either(named("gpu", "gpu-off-bus"), named("host", "pcie-error")),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling=telling,
    )


def link_error(draft: SessionDraft) -> Outcome:
    """An NVLink fails: Xid 74, or 145 of newer GPUs."""
    host, rank = draft.victim()
    at = draft.stops
    is_new = draft.rng.random() < 0.4
    told = driver.rlw_error(draft, rank) if is_new else driver.link_fatal(draft, rank)
    draft.kernel(at, host.place, *told)
    aftermath.crash(draft, at + draft.soon(0.1, 1), rank, errors.cuda(draft, rank, "nvlink"), 1)
    return Outcome(
        answers=named("gpu", "gpu-nvlink"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="Xid 145" if is_new else "Xid 74",
    )


def switch_error(draft: SessionDraft) -> Outcome:
    """An NVSwitch reports a fatal error of a link: collectives inside the host stand still."""
    host, rank = draft.victim()
    at = draft.stops
    draft.kernel(at, host.place, driver.switch_fatal(draft))
    draft.kernel(at + 0.2, host.place, *driver.link_fatal(draft, rank)[:1])
    aftermath.hang(draft, at, draft.rig.ranks_on(host.place)[:0])
    return Outcome(
        answers=named("gpu", "gpu-nvlink"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="SXid, all ranks wait",
    )


def system_processor(draft: SessionDraft) -> Outcome:
    """A GPU's system processor answers no calls any more; the rank waits for ever."""
    host, rank = draft.victim()
    at = draft.stops
    for turn in range(draft.rng.randrange(2, 5)):
        draft.kernel(at + 45 * turn, host.place, *driver.gsp_timeout(draft, rank))
    draft.kernel(
        at + 150, host.place, driver.recovery(draft.rig.bus_of(rank), "GPU Reset Required", 1)
    )
    aftermath.hang(draft, at, [rank])
    return Outcome(
        answers=named("gpu", "gpu-gsp-timeout"), places=(host.place,), tells_kernel=(host.place,)
    )


def fault_of_program(draft: SessionDraft) -> Outcome:
    """A kernel of the program reads what is not mapped: on several hosts, in the same step."""
    at, rng = draft.stops, draft.rng
    ranks = rng.sample(range(draft.rig.size), min(draft.rig.size, rng.randrange(3, 6)))
    for rank in ranks:
        seen = at + draft.soon(0, 0.05)
        place = draft.rig.host_of(rank).place
        address = f"0x7f{rng.getrandbits(8):02x}_{rng.getrandbits(20):05x}000"
        draft.kernel(seen, place, driver.memory_fault(draft, rank, writes=False, address=address))
        draft.say(seen + 0.1, rank, *errors.cuda(draft, rank, "address"))
    aftermath.crash(draft, at + 0.2, ranks[0], [], 1, peers=False)
    return Outcome(
        answers=named("software", "kernel-bug", "rank-exception", "nccl-bug"),
        kind="program",
        tells_kernel=tuple({draft.rig.host_of(one).place for one in ranks}),
        telling="Xid 31 on several hosts at once",
    )


def fault_of_hardware(draft: SessionDraft) -> Outcome:
    """An access fault of one GPU follows its contained memory error."""
    host, rank = draft.victim()
    at = draft.stops
    bus = draft.rig.bus_of(rank)
    draft.kernel(
        at,
        host.place,
        driver.xid(
            bus,
            94,
            "Contained: FB DED (0x3, 0x1). RST: No, D-RST: Yes",
            owner=driver.owner(draft, rank),
        ),
        driver.memory_fault(
            draft, rank, writes=True, address=f"0x{draft.hexed(4)}_{draft.hexed(5)}000"
        ),
    )
    aftermath.crash(draft, at + 0.4, rank, errors.cuda(draft, rank, "address"), 1)
    return Outcome(
        answers=named("gpu", "gpu-ecc-uncorrectable", "gpu-memory-fault"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="Xid 94 before 31",
    )


def too_hot(draft: SessionDraft) -> Outcome:
    """One GPU slows down by heat; every step takes longer until somebody's limit ends it."""
    host, rank = draft.victim()
    began = draft.rig.began + (draft.stops - draft.rig.began) * 0.4
    local = rank % draft.rig.per_host
    for turn in range(6):
        draft.daemon(
            began + 60 * turn,
            host.place,
            "nv-hostengine[2211]",
            f"Detected clock throttling due to thermal violation in GPU {local}.",
            level=WARNING,
        )
    progress.steps(draft, slower_from=began, slower=3.1)
    aftermath.hang(draft, draft.stops, [rank], behind=True)
    return Outcome(
        answers=either(
            named("gpu", "gpu-throttling"),
            named("straggler", "slow-member"),
        ),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="steps three times as long",
    )


def wait_by_nccl(draft: SessionDraft) -> Outcome:
    """NCCL's own thread meets the CUDA error of a failed link before the program does."""
    host, rank = draft.victim()
    at = draft.stops
    draft.kernel(at, host.place, *driver.link_fatal(draft, rank))
    text = "Cuda failure 'uncorrectable NVLink error detected during the execution'"
    warned = nccl.warning(draft, at + 0.2, rank, "cuda", text)
    aftermath.crash(draft, at + 0.2, rank, [*warned, *errors.cuda(draft, rank, "nvlink")], 1)
    return Outcome(
        answers=named("gpu", "gpu-nvlink"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="by NCCL first",
    )


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "gpu-double-bit": uncorrectable_memory,
    "gpu-remap-failed": remap_failure,
    "gpu-ecc-no-kernel-log": ecc_by_program_only,
    "gpu-off-the-bus": off_the_bus,
    "gpu-link-error": link_error,
    "gpu-link-error-by-nccl": wait_by_nccl,
    "gpu-nvswitch-error": switch_error,
    "gpu-gsp-silent": system_processor,
    "gpu-fault-of-program": fault_of_program,
    "gpu-fault-of-memory": fault_of_hardware,
    "gpu-too-hot": too_hot,
}
