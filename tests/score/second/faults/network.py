"""The fabric: ports, cables, retries, an adapter, congestion, a switch, the subnet manager."""

from collections.abc import Callable, Mapping

from tests.score.second import aftermath, progress
from tests.score.second.draft import SessionDraft
from tests.score.second.lines import fabrics, linux, nccl
from tests.score.second.outcome import Outcome, either, named


def port_down(draft: SessionDraft) -> Outcome:
    """A host's port loses its link and does not come back: transfers with it fail."""
    host, rank = draft.victim()
    at = draft.stops
    draft.kernel(at, host.place, *linux.port(draft, rank, up=False))
    device = draft.rng.choice(fabrics.SWITCHES)
    fabrics.port_changed(draft, at + 0.3, device, 5 + host.place, up=False)
    if draft.rig.fabric == "ib":
        fabrics.port_removed(draft, at + 6, host.place, f"HCA-{rank % 8 + 1}")
    if draft.rng.random() < 0.5:
        draft.say(at + 0.5, rank, *nccl.port_event(draft, at + 0.5, rank, "port error", 10))
    aftermath.lose_network(draft, at, rank)
    return Outcome(
        answers=named("network", "link-down"), places=(host.place,), tells_kernel=(host.place,)
    )


def port_down_on_switch(draft: SessionDraft) -> Outcome:
    """The same with the switch's log alone: hosts' system logs are not at hand."""
    host, rank = draft.victim()
    at = draft.stops
    device = draft.rng.choice(fabrics.SWITCHES)
    fabrics.port_changed(draft, at, device, 5 + host.place, up=False)
    if draft.rig.fabric == "ib":
        fabrics.port_removed(draft, at + 6, host.place, f"HCA-{rank % 8 + 1}")
    aftermath.lose_network(draft, at, rank)
    return Outcome(
        answers=named("network", "link-down", "rdma-retry-exceeded"), tells_fabric=True, kind="link"
    )


def bad_cable(draft: SessionDraft) -> Outcome:
    """A link flaps for minutes by symbol errors until a transfer's retries are used up."""
    host, rank = draft.victim()
    at, device = draft.stops, draft.rng.choice(fabrics.SWITCHES)
    for turn in range(draft.rng.randrange(4, 9)):
        seen = at - 240 + turn * 28
        draft.kernel(seen, host.place, *linux.port(draft, rank, up=False))
        draft.kernel(seen + 4, host.place, *linux.port(draft, rank, up=True))
        fabrics.port_changed(draft, seen, device, 5 + host.place, up=False)
        fabrics.port_changed(draft, seen + 4, device, 5 + host.place, up=True)
    draft.kernel(at, host.place, *linux.port(draft, rank, up=False))
    aftermath.lose_network(draft, at, rank)
    return Outcome(
        answers=named("network", "link-down", "rdma-retry-exceeded"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="link flaps, then stays down",
    )


def retries(draft: SessionDraft) -> Outcome:
    """Transfers with one host run out of retries, and no link is seen to change."""
    host, rank = draft.victim()
    aftermath.lose_network(draft, draft.stops, rank)
    return Outcome(
        answers=named("network", "rdma-retry-exceeded", "link-down"),
        places=(host.place,),
        kind="link",
        hides=True,
        telling="retry exceeded by NCCL alone",
    )


def adapter(draft: SessionDraft) -> Outcome:
    """An adapter's firmware stops: its transfers end with it."""
    host, rank = draft.victim()
    at = draft.stops
    draft.kernel(at, host.place, *linux.adapter_dead(draft, rank))
    aftermath.lose_network(draft, at + 3, rank)
    return Outcome(answers=named("network"), places=(host.place,), tells_kernel=(host.place,))


def congestion(draft: SessionDraft) -> Outcome:
    """Pause frames storm over a switch; steps slow down and then a collective times out."""
    at, device = draft.stops, draft.rng.choice(fabrics.SWITCHES)
    began = draft.rig.began + (at - draft.rig.began) * 0.5
    for turn in range(draft.rng.randrange(5, 12)):
        port = 4 * draft.rng.randrange(32)
        seen = began + turn * 40
        fabrics.sonic(
            draft,
            seen,
            device,
            "NOTICE",
            f"swss#orchagent: :- report_pfc_storm: PFC Watchdog detected PFC storm on port "
            f"Ethernet{port}, queue index 3, queue id 0x15{draft.hexed(12)} and port id "
            f"0x1{draft.hexed(12)}.",
        )
    progress.steps(draft, slower_from=began, slower=2.4)
    aftermath.hang(draft, at, [])
    return Outcome(
        answers=either(named("network", "fabric-congestion", "rdma-retry-exceeded")),
        kind="link",
        tells_fabric=True,
    )


def switch_rebooted(draft: SessionDraft) -> Outcome:
    """A leaf switch restarts: every host behind it loses its ports in one moment."""
    at, rng = draft.stops, draft.rng
    device = rng.choice(fabrics.SWITCHES)
    half = range(max(1, len(draft.rig.hosts) // 2))
    for place in half:
        for rank in draft.rig.ranks_on(place):
            seen = at + draft.soon(0, 0.4)
            draft.kernel(seen, place, *linux.port(draft, rank, up=False))
            draft.kernel(seen + 190, place, *linux.port(draft, rank, up=True))
    if draft.rig.fabric == "roce":
        fabrics.nxos(
            draft,
            at - 1,
            device,
            "%PLATFORM-2-PFM_SYSTEM_RESET: Manual system restart from Command Line Interface",
        )
    else:
        for place in half:
            fabrics.port_removed(draft, at + 5, place, "HCA-1")
    aftermath.lose_network(draft, at, draft.rig.ranks_on(0)[0])
    return Outcome(
        answers=named("network"), kind="switch", tells_kernel=tuple(half), tells_fabric=True
    )


def subnet_manager(draft: SessionDraft) -> Outcome:
    """The subnet manager hands over and takes hosts' addresses out of service."""
    at = draft.stops
    fabrics.opensm(draft, at - 2, "0x80", "SM port is down")
    fabrics.opensm(draft, at - 1.5, "0x80", "Entering DISCOVERING state")
    fabrics.opensm(
        draft,
        at - 1,
        "0x01",
        "sm_mad_ctrl_send_err_cb: ERR 3113: MAD completed in error (IB_TIMEOUT): "
        "SubnGet(NodeInfo), attr_mod 0x0, TID 0x1a4f",
    )
    for place in range(len(draft.rig.hosts)):
        fabrics.port_removed(draft, at + place * 0.1, place, "HCA-1")
    aftermath.lose_network(draft, at, draft.rng.randrange(draft.rig.size))
    return Outcome(answers=named("network"), kind="switch", tells_fabric=True)


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "net-port-down": port_down,
    "net-port-down-on-switch": port_down_on_switch,
    "net-bad-cable": bad_cable,
    "net-retry-exceeded": retries,
    "net-adapter-firmware": adapter,
    "net-pause-storm": congestion,
    "net-switch-reboot": switch_rebooted,
    "net-subnet-manager": subnet_manager,
}
