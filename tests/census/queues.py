"""Requests of many NFS clients to one server: slots, service, backlog, second by second."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Wide = NDArray[np.float64]
WRITE_BYTES = 1 << 20  # of one request
SLOTS = 128


@dataclass(frozen=True, kw_only=True, eq=False)
class Demand:
    """What the clients want to write, and what an answer takes: (clients, seconds)."""

    offered: Wide  # bytes a second that the program would write
    goal: Wide  # (clients,) bytes of each save, written to the end whatever it takes
    larger: float  # than these is the last save
    saves: Wide  # (seconds,) 1 while a save is wanted, numbered from its first second
    service: Wide  # seconds from send to answer
    slots: Wide  # (clients,) requests under way at most
    limit: float  # requests that a client lets wait before it holds its writers back
    lost: Wide  # share of requests that must be sent twice


@dataclass(frozen=True, kw_only=True, eq=False)
class Flow:
    """What came of it, per second: (clients, seconds)."""

    done: Wide  # requests answered
    sent: Wide  # transmissions, repeated ones included
    waited: Wide  # seconds of waiting for a slot, of the requests answered
    served: Wide  # seconds from send to answer, of the requests answered
    backlog: Wide  # requests that wait
    busy: Wide  # requests under way
    writing: Wide  # 1 while a client still has something of its save to write


def play(demand: Demand) -> Flow:
    """Let requests queue for slots: Little's law bounds what a client gets through."""
    clients, seconds = demand.offered.shape
    flow = {name: np.zeros((clients, seconds)) for name in Flow.__dataclass_fields__}
    queued, left = np.zeros(clients), np.zeros(clients)
    for t in range(seconds):
        begins = demand.saves[t] > 0 and (t == 0 or demand.saves[t] != demand.saves[t - 1])
        if begins:
            left = demand.goal * (demand.larger if demand.saves[t] == demand.saves.max() else 1.0)
        service = demand.service[:, t] * (1 + demand.lost[:, t] * 2)
        rate = demand.slots / service
        room = np.maximum(demand.limit - queued, 0.0) + rate
        wanted = np.where(left > 0, demand.offered[:, t], 0.0) / WRITE_BYTES
        arriving = np.minimum(np.minimum(wanted, room), left / WRITE_BYTES)
        left -= arriving * WRITE_BYTES
        arriving = arriving + 0.4
        done = np.minimum(queued + arriving, rate)
        wait = np.where(rate > 0, (queued + 0.5 * arriving) / rate, 0.0)
        is_queued = queued + arriving > rate
        queued = queued + arriving - done
        flow["done"][:, t] = done
        flow["sent"][:, t] = done * (1 + demand.lost[:, t])
        flow["waited"][:, t] = done * np.where(is_queued, wait, 0.0002)
        flow["served"][:, t] = done * service
        flow["backlog"][:, t] = queued
        flow["busy"][:, t] = np.minimum(done * service, demand.slots)
        flow["writing"][:, t] = (left > 0) | (queued > 1)
    return Flow(**flow)
