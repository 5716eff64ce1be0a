"""Hosts: machine checks, a panic, a reboot, busy processors, PCI Express, versions."""

from collections.abc import Callable, Mapping

from tests.score.second import aftermath, progress
from tests.score.second.draft import ERR, INFO, WARNING, SessionDraft
from tests.score.second.lines import linux, nccl
from tests.score.second.lines import pods as kube
from tests.score.second.lines.errors import traceback
from tests.score.second.outcome import Outcome, either, named


def machine_check(draft: SessionDraft) -> Outcome:
    """A machine check that the processor cannot leave: the kernel panics, the host restarts."""
    host, _ = draft.victim()
    at = draft.stops
    draft.kernel(at, host.place, *linux.machine_check(draft))
    draft.kernel(at + 240, host.place, *linux.booted(draft), level=INFO)
    draft.rebooted[host.place] = at + 240
    aftermath.lose_host(draft, at + 0.1, host.place)
    _node_gone(draft, at, host.place, is_back=True)
    return Outcome(answers=named("host"), places=(host.place,), tells_kernel=(host.place,))


def panic(draft: SessionDraft) -> Outcome:
    """The kernel of a host meets a bad pointer and stops."""
    host, _ = draft.victim()
    at = draft.stops
    cpu, pid = draft.rng.randrange(200), draft.rng.randrange(1000, 90_000)
    draft.kernel(
        at,
        host.place,
        f"BUG: unable to handle page fault for address: ffff{draft.hexed(12)}",
        "#PF: supervisor read access in kernel mode",
        "#PF: error_code(0x0000) - not-present page",
        "Oops: 0000 [#1] SMP NOPTI",
        f"CPU: {cpu} PID: {pid} Comm: kworker/{cpu}:1 Tainted: P           OE     {linux.RELEASE}",
        "RIP: 0010:__list_del_entry_valid+0x25/0x90",
        "Kernel panic - not syncing: Fatal exception in interrupt",
        "Kernel Offset: 0x1c600000 from 0xffffffff81000000 (relocation range: "
        "0xffffffff80000000-0xffffffffbfffffff)",
    )
    aftermath.lose_host(draft, at + 0.1, host.place)
    _node_gone(draft, at, host.place, is_back=False)
    return Outcome(answers=named("host"), places=(host.place,), tells_kernel=(host.place,))


def restarted(draft: SessionDraft) -> Outcome:
    """A host restarts without a word of why; its log begins anew within the session."""
    host, _ = draft.victim()
    at = draft.stops
    draft.kernel(at + 260, host.place, *linux.booted(draft), level=INFO)
    draft.rebooted[host.place] = at + 260
    aftermath.lose_host(draft, at, host.place)
    _node_gone(draft, at, host.place, is_back=True)
    return Outcome(
        answers=named("host"),
        places=(host.place,),
        tells_kernel=(host.place,),
        tells_scheduler=True,
        is_dated=True,
        telling="a boot within the session",
    )


def gone(draft: SessionDraft) -> Outcome:
    """A host is not reached any more, by the scheduler's word."""
    host, _ = draft.victim()
    at = draft.stops
    aftermath.lose_host(draft, at, host.place)
    _node_gone(draft, at, host.place, is_back=False)
    return Outcome(
        answers=either(named("host", "node-unreachable")),
        places=(host.place,),
        tells_scheduler=True,
    )


def _node_gone(draft: SessionDraft, at: float, place: int, *, is_back: bool) -> None:
    rig, host = draft.rig, draft.rig.hosts[place]
    if rig.is_in_pods:
        kube.node_lost(draft, at, place)
        draft.fates.setdefault(place, ("Unknown", 137))
        return
    draft.control.append((at + 200, f"error: Nodes {host.name} not responding"))
    draft.control.append((at + 320, f"error: Nodes {host.name} not responding, setting DOWN"))
    if draft.ends > at + 320:  # slurmctld kills no job that is over
        draft.control.append((at + 320.1, f"Killing JobId={rig.job} on failed node {host.name}"))
    if is_back:
        draft.control.append(
            (
                at + 400,
                (
                    f"Node {host.name} unexpectedly rebooted boot_time={int(at + 240)} last "
                    f"response={int(at - 12)}"
                ),
            )
        )


def processors_busy(draft: SessionDraft) -> Outcome:
    """A host's processors are stuck in the kernel: its ranks come late to every collective."""
    host, _rank = draft.victim()
    at = draft.stops
    began = draft.rig.began + (at - draft.rig.began) * 0.5
    for turn in range(5):
        cpu = draft.rng.randrange(200)
        draft.kernel(
            began + 40 * turn,
            host.place,
            f"watchdog: BUG: soft lockup - CPU#{cpu} stuck for {22 + 4 * turn}s! [kswapd0:412]",
            level=ERR,
        )
        draft.kernel(
            began + 40 * turn + 9,
            host.place,
            "rcu: INFO: rcu_sched self-detected stall on CPU",
            f"rcu: \t{cpu}-....: (5249 ticks this GP) idle=a92/1/0x4000000000000000 "
            "softirq=90211/90211 fqs=2450",
        )
    progress.steps(draft, slower_from=began, slower=4.0)
    aftermath.hang(draft, at, draft.rig.ranks_on(host.place))
    return Outcome(
        answers=named("host"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="soft lockups",
    )


def pci_express(draft: SessionDraft) -> Outcome:
    """A root port reports a fatal error that cannot be recovered; its GPU's rank fails."""
    host, rank = draft.victim()
    at = draft.stops
    slot = f"{draft.rig.bus_of(rank)}.0"
    for turn in range(6):
        draft.kernel(at - 90 + 12 * turn, host.place, *linux.aer(slot, fatal=False), level=WARNING)
    draft.kernel(at, host.place, *linux.aer(slot, fatal=True))
    aftermath.hang(draft, at + 0.5, [rank])
    return Outcome(
        answers=either(named("host", "pcie-error"), named("gpu", "gpu-off-bus")),
        places=(host.place,),
        tells_kernel=(host.place,),
    )


def versions(draft: SessionDraft) -> Outcome:
    """One host has another release of NCCL, or a driver too old for its CUDA."""
    draft.stops = draft.rig.began
    host = draft.rig.hosts[-1]
    at, rank = draft.rig.began + 12, draft.rig.ranks_on(host.place)[0]
    if draft.rng.random() < 0.5:
        text = f"Mismatched NCCL version detected : rank 0 version 22105 rank {rank} version 22304"
        warned = nccl.warning(draft, at, 0, "version", text)
        error = nccl.last_error("usage", text, draft.rig.nccl)
        ended = traceback(draft, 0, [f"torch.distributed.DistBackendError: {error[0]}", *error[1:]])
        aftermath.crash(draft, at, 0, [*warned, *ended], 1, peers=False)
        return Outcome(
            answers=either(named("host", "version-mismatch"), named("software")),
            kind="program",
            telling="two releases of NCCL",
        )
    ended = traceback(
        draft,
        rank,
        [
            (
                "RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please "  # noqa: E501
                "update your GPU driver by downloading and installing a new version from the URL: "
                "http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to "  # noqa: E501
                "install a PyTorch version that has been compiled with your version of the CUDA driver."  # noqa: E501
            )
        ],
    )
    aftermath.crash(draft, at, rank, ended, 1, peers=False)
    return Outcome(
        answers=named("host", "version-mismatch"), places=(host.place,), telling="driver too old"
    )


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "host-machine-check": machine_check,
    "host-panic": panic,
    "host-reboot": restarted,
    "host-gone": gone,
    "host-soft-lockups": processors_busy,
    "host-pci-express": pci_express,
    "host-versions": versions,
}
