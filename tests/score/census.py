"""The published failure census, simulated, judged on seeds that nobody looked at.

`python -m tests.score.census` prints it; `SEEDS=101,102` for fewer, `SEEDS=1,2,3` are for tuning.
"""

import os
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.backtest import Label
from apps.diagnosis.detection.backtest.evaluation import judged
from apps.diagnosis.detection.backtest.replay import ReplayResult, replayed
from apps.diagnosis.detection.backtest.report import FailureOutcome
from apps.diagnosis.detection.metrics.describe import DescribedName, described
from apps.diagnosis.model import Band, BandKind, Device, Frame, PeerGroup, Scene, Semantics
from tests import census as simulated
from tests.score.census_card import Case, Seed, measures, section
from tests.score.sections import put

SEEDS = (101, 102, 103, 104, 105)
OPERATIONS = ("operation", "mode", "state", "protocol", "method", "job")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The names of the census that the engine watches, by signal."""

    of: dict[str, list[tuple[int, DescribedName]]]


@cache
def signals(names: tuple[str, ...]) -> Signals:
    """Return which names make the frame of each signal, as the catalog describes them."""
    found: dict[str, list[tuple[int, DescribedName]]] = defaultdict(list)
    for place, name in enumerate(names):
        each = described(name)
        if each.signal.watch or each.signal.name in {"nfs.sent_bytes", "nfs.received_bytes"}:
            found[each.signal.name].append((place, each))
    return Signals(of=dict(found))


def frames_of(block: simulated.Block) -> list[Frame]:
    """Return a block as frames: one row a host and name."""
    frames = []
    for members in signals(block.names).of.values():
        first = members[0][1].signal
        values = [_values(block, place, each) for place, each in members]
        details = [
            "/".join(each.labels[label] for label in OPERATIONS if label in each.labels)
            for _, each in members
            for _ in block.hosts
        ]
        frames.append(
            Frame(
                signal=first,
                entities=_nodes(block.hosts) * len(members),
                start=block.start,
                step=block.step,
                values=np.concatenate(values) if len(values) > 1 else values[0],
                details=tuple(details),
            )
        )
    return frames


@cache
def _nodes(hosts: tuple[str, ...]) -> tuple[Device, ...]:
    return tuple(Device(kind="node", host=host) for host in hosts)


def _values(block: simulated.Block, place: int, each: DescribedName) -> NDArray[np.float64]:
    values: NDArray[np.float64] = block.values[place].astype(np.float64)
    if each.signal.semantics is Semantics.COUNTER:
        values = values + block.base[place][:, None]
    if each.scale != 1.0:
        values = values * each.scale
    return values


def scene_of(census: simulated.Census) -> Scene:
    """Return what a scheduler and the operators tell: sessions, and nodes taken out."""
    groups = tuple(
        PeerGroup(
            name=each.name,
            hosts=tuple(census.hosts[place] for place in each.hosts),
            starts_at=_instant(each.starts_at),
            ends_at=_instant(each.ends_at),
        )
        for each in census.sessions
    )
    bands = tuple(
        Band(
            kind=BandKind.MAINTENANCE,
            starts_at=_instant(each.starts_at),
            ends_at=_instant(each.ends_at),
            hosts=each.hosts,
        )
        for each in census.bands
        if each.kind == "maintenance"
    )
    return Scene(groups=groups, bands=bands)


def label_of(label: simulated.Label) -> Label:
    """Return a failure as an operator would write it down."""
    return Label(
        at=_instant(label.at),
        host=label.node,
        gpu=label.gpu,
        xid=label.xid,
        kind=f"{label.group} {label.kind}",
        since=_instant(label.precursor.starts_at) if label.precursor else None,
        until=_instant(label.ends_at),
    )


def watch(seed: int) -> tuple[simulated.Census, ReplayResult]:
    """Return everything noticed in one seed."""
    census = simulated.plan(seed)
    blocks = (frames_of(each) for each in simulated.blocks(census))
    return census, replayed(blocks=blocks, scene=scene_of(census))


def _instant(second: float) -> datetime:
    return datetime.fromtimestamp(second, UTC)


def run(seed: int) -> Seed:
    """Return one seed, judged."""
    began = time.process_time()
    census, past = watch(seed)
    return judged_seed(census, past, seconds=time.process_time() - began)


def judged_seed(census: simulated.Census, past: ReplayResult, *, seconds: float) -> Seed:
    """Return what was noticed in a seed beside what happened in it."""
    report = judged(past=past, labels=[label_of(each) for each in census.labels])
    told = {(each.label.host, each.label.at): each for each in report.outcomes}
    cases = tuple(
        _case(census.seed, each, told[each.node, _instant(each.at)]) for each in census.labels
    )
    return Seed(
        seed=census.seed,
        cases=cases,
        false_alarms=report.false_alarms,
        days=report.watched.days,
        node_days=report.watched.node_days,
        anomaly_count=len(past.anomalies),
        signal_count=report.signal_count,
        baselines=report.baselines,
        curve=report.curve,
        seconds=seconds,
    )


def _case(seed: int, label: simulated.Label, outcome: FailureOutcome) -> Case:
    precursor = label.precursor
    return Case(
        seed=seed,
        number=label.number,
        group=label.group,
        kind=label.kind,
        xid=label.xid,
        node=label.node,
        since=timedelta(seconds=label.at - precursor.starts_at) if precursor else None,
        lead=outcome.lead,
        families=outcome.alarm.families if outcome.alarm else (),
        strength=precursor.strength if precursor else "",
    )


def main() -> int:
    """Run the seeds in processes, print the section and put it into the scorecard."""
    named = [int(each) for each in os.environ.get("SEEDS", "").split(",") if each.strip()]
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(run, named or SEEDS))
    text = section(found)
    print(text)  # noqa: T201  a command
    if not named or set(named) <= set(SEEDS):
        put("census", text)
    return 0 if all(each.is_met for each in measures(found)) else 1


if __name__ == "__main__":
    sys.exit(main())
