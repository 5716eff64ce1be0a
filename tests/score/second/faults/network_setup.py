"""Connections that were set up wrong: interfaces, addresses, the store, locked memory."""

from collections.abc import Callable, Mapping

from tests.score.second import aftermath
from tests.score.second.draft import SessionDraft
from tests.score.second.launchers import over
from tests.score.second.lines import nccl, torch
from tests.score.second.lines.errors import traceback
from tests.score.second.outcome import Outcome, named


def wrong_interface(draft: SessionDraft) -> Outcome:
    """NCCL_SOCKET_IFNAME names an interface that no host has."""
    draft.stops = draft.rig.began
    at = draft.rig.began + 12
    name = draft.rng.choice(("bond0", "ib0", "ens3f0"))
    for rank in draft.rig.ranks_on(0):
        text = "Bootstrap : no socket interface found"
        draft.say(
            at, rank, nccl.info(draft, at, rank, f"NCCL_SOCKET_IFNAME set by environment to {name}")
        )
        draft.say(at + 0.1, rank, *nccl.warning(draft, at + 0.1, rank, "bootstrap", text))
    error = nccl.last_error("usage", "Bootstrap : no socket interface found", draft.rig.nccl)
    ended = traceback(draft, 0, [f"torch.distributed.DistBackendError: {error[0]}", *error[1:]])
    aftermath.crash(draft, at + 1, 0, ended, 1, peers=False)
    return Outcome(answers=named("network", "wrong-interface"), kind="program")


def unreachable_address(draft: SessionDraft) -> Outcome:
    """Hosts exchange addresses of a network that does not reach between them."""
    draft.stops = draft.rig.began
    at = draft.rig.began + 12
    is_new = draft.rig.nccl >= "2.27"
    name = "ncclOsSocketStartConnect" if is_new else "socketPollConnect"
    for rank in draft.others(0)[:6]:
        peer = f"172.17.0.1<{draft.rng.randrange(32768, 60999)}>"
        text = (
            f"{name}: connect to {peer} returned No route to host, exceeded error retry count "
            "after 35 attempts"
        )
        draft.say(at + 60, rank, *nccl.warning(draft, at + 60, rank, "connect", text))
        error = nccl.last_error("remote", text, draft.rig.nccl)
        draft.say(
            at + 61,
            rank,
            *traceback(
                draft, rank, [f"torch.distributed.DistBackendError: {error[0]}", *error[1:]]
            ),
        )
    over(draft, at + 63, draft.others(0)[0], 1)
    return Outcome(
        answers=named("network", "wrong-interface", "socket-failure", "rendezvous-unreachable"),
        kind="program",
    )


def no_rendezvous(draft: SessionDraft) -> Outcome:
    """Workers cannot reach the store of rank 0 at all."""
    draft.stops = draft.rig.began
    at = draft.rig.began + 10
    host = draft.rig.hosts[0]
    for rank in draft.others(0)[:8]:
        text = (
            f"The client socket has failed to connect to [{host.name}{host.domain}]:29500 "
            f"(errno: 113 - No route to host)."
        )
        draft.say(at, rank, torch.logged(draft, at, rank, "W", "socket.cpp:697", f"[c10d] {text}"))
    late = at + 300
    rank = draft.others(0)[0]
    ended = traceback(
        draft,
        rank,
        [
            (
                "torch.distributed.DistNetworkError: The client socket has timed out after 300000ms while "  # noqa: E501
                f"trying to connect to ({host.name}{host.domain}, 29500)."
            )
        ],
    )
    draft.say(late, rank, *ended)
    over(draft, late + 1, rank, 1)
    return Outcome(answers=named("network", "rendezvous-unreachable"), kind="program")


def registration(draft: SessionDraft) -> Outcome:
    """The limit of locked memory forbids an adapter to register buffers."""
    draft.stops = draft.rig.began
    host, rank = draft.victim()
    at = draft.rig.began + 14
    text = "Call to ibv_reg_mr failed with error Cannot allocate memory"
    if draft.rig.nccl >= "2.27":
        text = "Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory"
    error = nccl.last_error("system", text, draft.rig.nccl)
    warned = nccl.warning(draft, at, rank, "ib", text)
    ended = traceback(draft, rank, [f"torch.distributed.DistBackendError: {error[0]}", *error[1:]])
    aftermath.crash(draft, at, rank, [*warned, *ended], 1, peers=False)
    return Outcome(answers=named("network", "rdma-registration"), places=(host.place,))


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "net-wrong-interface": wrong_interface,
    "net-address-unreachable": unreachable_address,
    "net-no-rendezvous": no_rendezvous,
    "net-registration": registration,
}
