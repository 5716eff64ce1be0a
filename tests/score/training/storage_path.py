"""S1 to S6: saves and loads of a generated season, queues, slots, and where slow saves begin."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from apps.training.storage_path.ledger import CheckpointEntry, ledger_of
from apps.training.storage_path.phases import CheckpointPhase, PhaseKind, phases_of
from apps.training.storage_path.rated import (
    DenominatorKind,
    RatedEntry,
    StorageLink,
    rated_shares,
)
from apps.training.storage_path.rpc_queue import RpcCounters, queue_alerts, queue_shares
from apps.training.storage_path.scale import ScaledValue, emergence
from apps.training.storage_path.slots import SlotReading, SlotScene, slot_bound, slot_reading
from tests.cast.checkpoint_rates import SCRAPE_SECONDS, RealPhase, season
from tests.score.measures import Measure

RATED = {PhaseKind.LOAD: 700e9, PhaseKind.SAVE: 250e9}
NOTES = {PhaseKind.LOAD: " (of 1,500 in v1 of the study, dropped later)", PhaseKind.SAVE: ""}
STUDY = {PhaseKind.LOAD: 0.215, PhaseKind.SAVE: 0.160}
COUNTS, SEEDS = (2, 4, 8, 16, 32, 60), range(20)
DROPPED = "(128 slots: in v1 of the study, dropped later)"
Part = tuple[list[Measure], list[str]]


def part() -> Part:
    """Return the rows."""
    played = season(seed=523)
    found = phases_of(played.rows)
    rows = [*_phases(played.phases, found), *_rated(found), *_queue(), *_slots()]
    return [*rows, *_scale(), *_ledger(found)], []


def _is_met(real: RealPhase, found: CheckpointPhase) -> bool:
    return (
        found.kind is real.kind
        and found.begins_seconds < real.ends_seconds
        and found.ends_seconds > real.begins_seconds
    )


def _phases(real: Sequence[RealPhase], found: Sequence[CheckpointPhase]) -> list[Measure]:
    pairs = [(each, one) for each in real for one in found if _is_met(each, one)]
    recalled = len({each.begins_seconds for each, _ in pairs})
    right = len({(one.kind, one.begins_seconds) for _, one in pairs})
    edges = [
        off <= SCRAPE_SECONDS
        for each, one in pairs
        for off in (
            abs(one.begins_seconds - each.begins_seconds),
            abs(one.ends_seconds - each.ends_seconds),
        )
    ]
    return [
        Measure(name="S1 saves and loads found", hits=recalled, n=len(real), at_least=0.98),
        Measure(name="S1 of those found, real", hits=right, n=len(found), at_least=0.98),
        Measure(
            name="S1 begins and ends within one scrape",
            hits=sum(edges),
            n=len(edges),
            at_least=0.98,
        ),
    ]


def _rated(found: Sequence[CheckpointPhase]) -> list[Measure]:
    history = [
        RatedEntry(
            kind=kind,
            bytes_per_second=rate,
            valid_from_seconds=0,
            entered_seconds=1,
            entered_by="b",
        )
        for kind, rate in RATED.items()
    ]
    first = replace(history[0], bytes_per_second=1500e9, entered_seconds=0)
    rows, denominators = [], 0
    for kind, wanted in STUDY.items():
        mine = [each for each in found if each.kind is kind]
        rate = _mean_rate(mine)
        shares = rated_shares(
            kind=kind,
            bytes_per_second=rate,
            at_seconds=1,
            history=[*history, first],
            link=StorageLink(node_count=60, slot_bytes_per_second=slot_bound(served_seconds=0.126)),
        )
        by_name = {each.denominator: each.share for each in shares}
        denominators += by_name.keys() == set(DenominatorKind)
        share = by_name[DenominatorKind.RATED]
        rows.append(
            Measure(
                name=f"S2 {kind}s, share of rated {RATED[kind] / 1e9:.0f} GB/s{NOTES[kind]}",
                n=len(mine),
                value=share,
                value_interval=_rate_spread(mine, RATED[kind]),
                at_least=wanted - 0.001,
                at_most=wanted + 0.001,
            )
        )
    rows.append(
        Measure(
            name="S2 rated storage, adapters and slots all told",
            hits=denominators,
            n=2,
            at_least=1.0,
        )
    )
    return rows


def _mean_rate(phases: Sequence[CheckpointPhase]) -> float:
    return sum(each.moved_bytes for each in phases) / sum(each.duration_seconds for each in phases)


def _rate_spread(phases: Sequence[CheckpointPhase], rated: float) -> tuple[float, float]:
    random = np.random.default_rng(3)
    moved = np.array([each.moved_bytes for each in phases])
    lasted = np.array([each.duration_seconds for each in phases])
    drawn = random.integers(0, len(phases), (2000, len(phases)))
    rates = moved[drawn].sum(axis=1) / lasted[drawn].sum(axis=1) / rated
    low, high = np.percentile(rates, (2.5, 97.5))
    return float(low), float(high)


def _counters(node: int, *, share: float, rate: float, minutes: int) -> list[RpcCounters]:
    random = np.random.default_rng(node)
    requests = 60 * rate * np.arange(minutes + 1)
    seconds = requests * random.uniform(1.2, 2.0)
    return [
        RpcCounters(
            node=f"n{node}",
            operation="WRITE",
            at_seconds=60.0 * at,
            requests=float(requests[at]),
            queue_seconds=float(seconds[at] * share),
            response_seconds=float(seconds[at] * (1 - share)),
            request_seconds=float(seconds[at]),
        )
        for at in range(minutes + 1)
    ]


def _queue() -> list[Measure]:
    shares = np.clip(np.random.default_rng(4).normal(0.931, 0.004, 60), 0, 1)
    shares += 0.931 - shares.mean()
    found = [
        one
        for node, share in enumerate(shares)
        for one in queue_shares(_counters(node, share=float(share), rate=40, minutes=20))
    ]
    means = np.array([each.share or 0.0 for each in found])
    error = 1.96 * float(means.std(ddof=1)) / len(means) ** 0.5
    mean = float(means.mean())
    # share, requests a second, minutes, whether it is an alert
    cases = [
        (0.95, 40.0, 20, True),
        (0.95, 40.0, 15, True),
        (0.95, 40.0, 14, False),
        (0.95, 9.0, 20, False),
        (0.90, 40.0, 20, False),
        (0.50, 40.0, 60, False),
    ]
    right = sum(
        bool(queue_alerts(_counters(1, share=share, rate=rate, minutes=minutes))) is is_alert
        for share, rate, minutes, is_alert in cases
    )
    return [
        Measure(
            name="S3 queue share of WRITE, generated as 0.931",
            n=len(found),
            value=mean,
            value_interval=(mean - error, mean + error),
            at_least=0.930,
            at_most=0.932,
        ),
        Measure(
            name="S3 alerts above 0.9 and 10 req/s for 15 min, and only there",
            hits=right,
            n=len(cases),
            at_least=1.0,
        ),
    ]


def _slots() -> list[Measure]:
    bound = slot_bound(slots=128, request_bytes=2**20, served_seconds=0.126) / 1e9
    scene = SlotScene(
        observed_bytes_per_second=0.67e9,
        request_seconds=1.621,
        queue_seconds=1.621 * 0.922,
        backlog_requests=40,
        response_seconds=0.1,
        quiet_response_seconds=0.1,
    )
    limit, queueing, neither = SlotReading.SLOT_LIMIT, SlotReading.QUEUEING, SlotReading.NEITHER
    cases = [
        (scene, limit),
        (replace(scene, observed_bytes_per_second=0.54e9), limit),
        (replace(scene, observed_bytes_per_second=0.50e9), queueing),
        (replace(scene, observed_bytes_per_second=2.10e9), limit),
        (replace(scene, observed_bytes_per_second=2.20e9), queueing),
        (replace(scene, response_seconds=0.2), queueing),
        (replace(scene, backlog_requests=0), neither),
    ]
    right = sum(slot_reading(each).reading is wanted for each, wanted in cases)
    return [
        Measure(
            name=f"S4 bound of a mount in GB/s {DROPPED}",
            n=1,
            value=bound,
            value_interval=(bound, bound),
            at_least=1.06 * 0.99,
            at_most=1.06 * 1.01,
        ),
        Measure(
            name=f"S4 slot limit or queueing, both readings {DROPPED}",
            hits=right,
            n=len(cases),
            at_least=1.0,
        ),
    ]


def _sizes(seed: int, *, is_shared: bool) -> list[ScaledValue]:
    random = np.random.default_rng(seed)
    carried = random.uniform(20, 50) if is_shared else 1e9
    return [
        ScaledValue(
            metric="write",
            run=f"{count}-{run}",
            node=f"n{node}",
            node_count=count,
            value_per_node=min(2.0, carried / count) * random.lognormal(0, 0.1),
            is_more_better=True,
        )
        for count in COUNTS
        for run in range(2)
        for node in range(count)
    ]


def _scale() -> list[Measure]:
    rows = []
    for name, is_shared in (("a shared path is flagged", True), ("what scales is not", False)):
        hits = sum(
            emergence(_sizes(seed, is_shared=is_shared))[0].is_flagged is is_shared
            for seed in SEEDS
        )
        rows.append(Measure(name=f"S5 {name}", hits=hits, n=len(SEEDS), at_least=1.0))
    return rows


def _ledger(found: Sequence[CheckpointPhase]) -> list[Measure]:
    ledger = ledger_of(
        (
            CheckpointEntry(
                session="s",
                kind=each.kind,
                begins_seconds=each.begins_seconds,
                ends_seconds=each.ends_seconds,
                gpu_count=480,
                moved_bytes=each.moved_bytes,
            )
            for each in found
        ),
        price_per_gpu_hour=1.0,
    )
    (load,) = [each for each in ledger.sums if each.kind is PhaseKind.LOAD]
    lasted = np.array([each.duration_seconds / 60 for each in found if each.kind is PhaseKind.LOAD])
    error = 1.96 * float(lasted.std(ddof=1)) / len(lasted) ** 0.5
    mean = (load.mean_seconds or 0.0) / 60
    is_costed = load.cost == load.idled_gpu_hours > 0
    return [
        Measure(
            name="S6 mean load in minutes, generated as 33 (in v1 of the study, dropped later)",
            n=load.count,
            value=mean,
            value_interval=(mean - error, mean + error),
            at_least=32.5,
            at_most=33.5,
        ),
        Measure(
            name="S6 ledger holds every save and load, with its cost",
            hits=len(ledger.entries) * is_costed,
            n=len(found),
            at_least=1.0,
        ),
    ]
