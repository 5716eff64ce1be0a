"""A trace of some steps of a session that one hot GPU holds up, as NCCL Inspector dumps it."""

import json
from collections.abc import Iterator

from apps.simulator.world.noise import Dice
from apps.simulator.world.story import SimulatedAttempt
from apps.simulator.world.world import World

STEPS = 12
_AFTER_SECONDS = 300.0  # from when it is slow to when somebody looks
_COMPUTES = 0.82  # of a step; the rest is the collective itself
_MESSAGE_BYTES = 268_435_456


def traced_at(*, world: World, attempt: SimulatedAttempt) -> float | None:
    """Return when somebody traces an attempt; None where nobody has a reason to."""
    outcome = world.outcome_of(attempt)
    if outcome is None or not outcome.slow_ranks:
        return None
    return outcome.slow_from[attempt.key][0] + _AFTER_SECONDS


def step_trace(*, world: World, attempt: SimulatedAttempt) -> bytes:
    """Return the lines of all ranks: who computes longer comes last, and waits for nobody."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in _lines(world, attempt))


def _lines(world: World, attempt: SimulatedAttempt) -> Iterator[dict[str, object]]:
    outcome = world.outcome_of(attempt)
    at = traced_at(world=world, attempt=attempt)
    if outcome is None or at is None:
        return
    factor = outcome.slow_from[attempt.key][1]
    dice = Dice(seed=attempt.seed).at(f"trace/{attempt.key}")
    usual = attempt.step_seconds * _COMPUTES
    for number in range(STEPS):
        arrivals = [
            at
            + usual
            * dice.between(f"{number}/{rank}", 0.985, 1.015)
            * (factor if rank in outcome.slow_ranks else 1.0)
            for rank in range(attempt.world_size)
        ]
        ends_at = max(arrivals) + attempt.step_seconds * (1 - _COMPUTES)
        for rank, arrives in enumerate(arrivals):
            yield _line(attempt, rank, number, arrives, ends_at)
        at = ends_at


def _line(
    attempt: SimulatedAttempt, rank: int, number: int, arrives: float, ends_at: float
) -> dict[str, object]:
    begun, ended = round(arrives * 1e6), round(ends_at * 1e6)
    span = {"channel_id": 0, "kernel_start_ts": begun, "kernel_stop_ts": ended}
    return {
        "header": {"id": "0x7e1", "rank": rank, "n_ranks": attempt.world_size},
        "metadata": {"hostname": attempt.host(rank), "dump_timestamp_us": ended},
        "coll_perf": {
            "coll": "AllReduce",
            "coll_sn": number,
            "coll_msg_size_bytes": _MESSAGE_BYTES,
            "coll_exec_time_us": ended - begun,
            "event_trace_ts": {"kernel_events": [span]},
        },
    }
