"""Counters of NCCL's proxies → which side of a transfer is waited for.

G steps were made ready by the GPU, T handed to the network, D done. The table is that of Mycroft
(SOSP 2025), the rules for launches and work requests those of Aegis (NSDI 2025).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

# `[0-3|512| Send 5G/0 5S/1]` of NCCL's own dump: peer, state and channel of each part.
PART = re.compile(r" (\d{1,7})([IRFGSD])/\d{1,4}", re.ASCII)
# … and of RCCL's trace: `3->5(S), chan:0, status:SENDING, … po:8, ke:8, … trans:6, … done:4`.
TRACED = re.compile(
    r"(?P<rank>\d{1,7})->(?P<peer>\d{1,7})\((?P<way>[SR])\), chan:\d+, status:[\w ]{1,20}, "
    r"ns:(?P<steps>\d+), nb:\d+, po:(?P<posted>\d+), ke:(?P<ready>\d+), .{0,120}?"
    r"trans:(?P<sent>\d+), .{0,60}?recvd:(?P<received>\d+), done:(?P<done>\d+)",
    re.ASCII,
)


class TransferWait(StrEnum):
    """What a transfer waits for."""

    NOT_STARTED = "not-started"
    LOCAL_OR_RECEIVER = "local-or-receiver"  # the adapter here, or the receiver is not ready
    NETWORK_OR_RECEIVER = "network-or-receiver"  # sent and never acknowledged
    GPU = "gpu"  # all that was ready has gone through
    SENDER = "sender"  # a receiver to whom nothing comes
    NOTHING = "nothing"


class Side(StrEnum):
    """Which half of a rank's work is behind, by launches and work requests."""

    COMPUTE = "compute"  # it launched fewer collectives than its group
    COMMUNICATION = "communication"  # work requests without completions
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """A part of an operation between a rank and a peer."""

    is_send: bool
    peer: int
    waiting: TransferWait
    rank: int | None = None


def state(*, ready: int, sent: int, done: int) -> TransferWait:
    """Return what a sender waits for, by its three counters."""
    if ready == sent == done == 0:
        return TransferWait.NOT_STARTED
    if ready > sent:
        return TransferWait.LOCAL_OR_RECEIVER
    return TransferWait.NETWORK_OR_RECEIVER if sent > done else TransferWait.GPU


def side(*, launched: int, group_launched: int, requests: int, completions: int) -> Side:
    """Return which half of a rank is behind; launches are asked first."""
    if launched < group_launched:
        return Side.COMPUTE
    return Side.COMMUNICATION if requests != completions else Side.NEITHER


def transfers(*, text: str, rank: int | None = None) -> list[Transfer]:
    """Return the transfers that a line of a proxy's dump tells of."""
    if traced := TRACED.search(text):
        return [_traced(traced)]
    is_send = " Send" in text[:60]
    return [
        Transfer(
            is_send=is_send,
            peer=int(peer),
            waiting=(SENDING if is_send else RECEIVING)[letter],
            rank=rank,
        )
        for peer, letter in PART.findall(text[:4000])
    ]


def blamed_peers(*, found: Iterable[Transfer]) -> Mapping[int, int]:
    """Count for each rank how many others wait for what it should send or take."""
    pairs = {(one.rank, one.peer) for one in found if one.waiting in TO_BLAME}
    return Counter(peer for rank, peer in pairs if rank != peer)


def _traced(match: re.Match[str]) -> Transfer:
    numbers = {name: int(match[name][:18]) for name in ("ready", "sent", "done", "received")}
    is_send = match["way"] == "S"
    if int(match["steps"][:18]) == numbers["done"]:
        waiting = TransferWait.NOTHING
    elif is_send:
        waiting = state(ready=numbers["ready"], sent=numbers["sent"], done=numbers["done"])
    else:
        waiting = TransferWait.GPU if numbers["received"] > numbers["done"] else TransferWait.SENDER
    return Transfer(
        is_send=is_send, peer=int(match["peer"]), waiting=waiting, rank=int(match["rank"])
    )


SENDING = {
    "I": TransferWait.LOCAL_OR_RECEIVER,
    "G": TransferWait.GPU,
    "S": TransferWait.NETWORK_OR_RECEIVER,
    "D": TransferWait.NOTHING,
    "R": TransferWait.SENDER,
    "F": TransferWait.NOTHING,
}
RECEIVING = {
    "I": TransferWait.LOCAL_OR_RECEIVER,
    "R": TransferWait.SENDER,
    "F": TransferWait.LOCAL_OR_RECEIVER,
    "G": TransferWait.GPU,
    "D": TransferWait.NOTHING,
    "S": TransferWait.NETWORK_OR_RECEIVER,
}
TO_BLAME = frozenset({TransferWait.SENDER, TransferWait.NETWORK_OR_RECEIVER})
