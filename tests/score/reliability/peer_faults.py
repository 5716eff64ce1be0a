"""D4: hosts that leave their peers, told by the shipped detector over 150 labelled faults."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from unittest.mock import patch

import numpy as np

from apps.diagnosis.detection.detector_state.persistence import Continuity
from apps.diagnosis.detection.detectors import peers
from apps.diagnosis.detection.detectors.peers import PEER_DEVIATION, PEERS
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.detection.watch import advance
from apps.diagnosis.detection.watch_memory import WatchMemory
from apps.diagnosis.intervals import bootstrap
from apps.diagnosis.model import Anomaly, Device, Frame, PeerGroup, Scene
from tests.score.peer_world import COLUMNS, GPUS, HOSTS, OF_GPUS, STEP, World, world
from tests.score.reliability.row import Row, share

NUMBERS = ("D4",)
# Seeds 1 to 3 were looked at while this was written; these were drawn afterwards.
SEEDS: Final = tuple(range(601, 631))
FEW: Final = 6  # sessions are enough to show what continuity is good for
START: Final = 1_790_000_010.0
WINDOW: Final = 30  # columns: fifteen minutes, as often as Minder looks back
NAMES: Final = tuple(f"gpu{number:03}" for number in range(1, HOSTS + 1))
# What a host strays by again within this time is one call.
GAP: Final = timedelta(minutes=10)
# A call that begins this long after the fault was over is none of it.
SLACK: Final = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A host that was told to have left its peers, over all metrics."""

    host: str
    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was called in one session: of the calls which were right, of the faults which found."""

    right: tuple[bool, ...]
    found: tuple[bool, ...]
    seconds: tuple[float, ...]  # processor time of one look


def rows() -> Iterator[Row]:
    """Yield how right the calls are, what one look costs, and what continuity is good for."""
    worlds = [world(seed) for seed in SEEDS]
    some = [outcome(each) for each in worlds]
    yield from _rates(some)
    yield Row(
        number="D4",
        name="peers: longest look at 63 nodes over 15 min, seconds of one core",
        value=max(seconds for each in some for seconds in each.seconds),
        n=sum(len(each.seconds) for each in some),
        at_most=3.6,
    )
    yield Row(
        number="D4",
        name="peers: continuity that is asked for, minutes",
        value=peers.CONTINUITY_SECONDS / 60,
        n=1,
        equals=4.0,
    )
    with patch.object(peers, "_rule", _one_sample):
        without = [outcome(each) for each in worlds[:FEW]]
    lost = _precision(some[:FEW]) - _precision(without)
    yield Row(
        number="D4",
        name="peers: precision lost where one sample is enough",
        value=lost,
        n=sum(len(each.right) for each in without),
        at_least=0.01,
    )


def _one_sample(_frame: Frame) -> Continuity:
    return Continuity(window=1, at_least=1, bridge=1)


def _rates(some: Sequence[Outcome]) -> Iterator[Row]:
    right = [each for one in some for each in one.right]
    found = [each for one in some for each in one.found]
    name = "peers: hosts called that were at fault"
    yield share("D4", name, sum(right), len(right), at_least=0.904)
    yield share("D4", "peers: faults found", sum(found), len(found), at_least=0.883)
    low, high = bootstrap(lambda pick: _harmonic([some[at] for at in pick]), len(some))
    yield Row(
        number="D4",
        name="peers: harmonic mean of both, sessions drawn anew",
        value=_harmonic(some),
        n=len(found),
        interval=(float(low), float(high)),
        at_least=0.893,
    )


def _precision(some: Sequence[Outcome]) -> float:
    return float(np.mean([each for one in some for each in one.right]))


def _harmonic(some: Sequence[Outcome]) -> float:
    recall = float(np.mean([each for one in some for each in one.found]))
    precision = _precision(some)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def outcome(of: World) -> Outcome:
    """Return what was called in a session, window after window, and what of it was right."""
    told, seconds = watched(of)
    called = calls(told)
    spans = [(NAMES[each.host], _at(each.start), _at(each.end)) for each in of.faults]
    hits = [[_fits(call, span) for span in spans] for call in called]
    return Outcome(
        right=tuple(any(row) for row in hits),
        found=tuple(any(row[at] for row in hits) for at in range(len(spans))),
        seconds=seconds,
    )


def _fits(call: Call, fault: tuple[str, datetime, datetime]) -> bool:
    host, began, ended = fault
    return call.host == host and call.starts_at < ended + SLACK and call.ends_at > began


def watched(of: World) -> tuple[list[Anomaly], tuple[float, ...]]:
    """Return what the detector tells of a session, and the processor time of each look."""
    memory, told, seconds = WatchMemory(), {}, []
    scene = _scene()
    for first in range(0, COLUMNS, WINDOW):
        began = time.process_time()
        found, memory = advance(memory=memory, frames=list(_frames(of, first)), scene=scene)
        seconds.append(time.process_time() - began)
        for one in found:
            if one.kind == PEER_DEVIATION.name:
                told[one.signal, one.entity, one.starts_at] = one
    return list(told.values()), tuple(seconds)


def _frames(of: World, first: int) -> Iterator[Frame]:
    for signal, values in of.values.items():
        known = catalog().signals[signal]
        assert PEERS.name in known.watch, signal
        yield Frame(
            signal=known,
            entities=_parts(known.entity, per_host=GPUS if signal in OF_GPUS else 1),
            start=START + first * STEP,
            step=STEP,
            values=values[:, first : first + WINDOW],
        )


def _parts(kind: str, *, per_host: int) -> tuple[Device, ...]:
    if kind == "node":
        return tuple(Device(kind=kind, host=host) for host in NAMES)
    if kind == "gpu":
        return tuple(
            Device(kind=kind, host=host, index=index) for host in NAMES for index in range(per_host)
        )
    return tuple(
        Device(kind=kind, host=host, name=f"mlx5_{index}")
        for host in NAMES
        for index in range(per_host)
    )


def _scene() -> Scene:
    began = datetime.fromtimestamp(START - 7200, UTC)
    return Scene(groups=(PeerGroup(name="session", hosts=NAMES, starts_at=began),))


def _at(column: int) -> datetime:
    return datetime.fromtimestamp(START + column * STEP, UTC)


def calls(told: Sequence[Anomaly]) -> list[Call]:
    """Return what was told as calls of hosts: all metrics together, over short gaps."""
    by_host: dict[str, list[tuple[datetime, datetime]]] = defaultdict(list)
    for one in told:
        by_host[one.entity.host or ""].append((one.starts_at, one.ends_at or one.starts_at))
    found = []
    for host, spans in sorted(by_host.items()):
        began, ended = None, None
        for starts_at, ends_at in sorted(spans):
            if began is None or ended is None or starts_at > ended + GAP:
                if began is not None and ended is not None:
                    found.append(Call(host=host, starts_at=began, ends_at=ended))
                began, ended = starts_at, ends_at
            ended = max(ended, ends_at)
        if began is not None and ended is not None:
            found.append(Call(host=host, starts_at=began, ends_at=ended))
    return found
