"""D8: how long after it shows a lost part is told, and how long a session stands until it is."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

import numpy as np

from apps.diagnosis.detection.detectors.progress import STANDSTILL
from apps.diagnosis.detection.detectors.spinning import BUSY_IDLING
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.detection.watch import advance
from apps.diagnosis.detection.watch_memory import WatchMemory
from apps.diagnosis.model import Anomaly, Device, Frame, Origin, PeerGroup, Role, Scene
from apps.diagnosis.signatures.read import read_source
from apps.diagnosis.stats import Floats
from tests.score.reliability.row import Row

NUMBERS = ("D8",)
SEED: Final = 82_026
CASES: Final = 40
HOSTS: Final = tuple(f"gpu{number:03}" for number in range(1, 17))
START, STEP = 1_790_000_010.0, 30.0
NIC_SECONDS, GPU_SECONDS, STAND_SECONDS = 30.0, 10.0, 600.0
LINK_LINES: Final = (
    "mlx5_core 0000:{bus}:00.0: Port module event: module 0, Cable unplugged",
    "mlx5_core 0000:{bus}:00.0 ens{slot}np0: Link down",
)
GPU_LINES: Final = (
    "NVRM: Xid (PCI:0000:{bus}:00): 79, GPU has fallen off the bus.",
    "NVRM: GPU 0000:{bus}:00.0: GPU has fallen off the bus.",
)
Values = dict[str, Floats]


def rows() -> Iterator[Row]:
    """Yield what is explicit by the scrape and by the line, then what only stands still."""
    random = np.random.default_rng(SEED)
    for name, signal, before, after, bound in (
        ("port that goes down", "nic.physical_state", 5.0, 2.0, NIC_SECONDS),
        ("link that fails to recover", "nic.link_downed", 3.0, 4.0, NIC_SECONDS),
        ("GPU lost, its Xid", "gpu.xid", 0.0, 79.0, GPU_SECONDS),
    ):
        delays = [_by_scrape(random, signal, before, after) for _ in range(CASES)]
        yield _longest(f"{name}: seconds from the scrape that shows it", delays, bound)
    delays = [_by_scrape(random, "gpu.count", 8.0, 7.0, known=90) for _ in range(CASES)]
    yield _longest("GPU lost without a code, one less is counted: seconds", delays, None)
    for name, lines, bound in (
        ("link down", LINK_LINES, NIC_SECONDS),
        ("GPU lost", GPU_LINES, GPU_SECONDS),
    ):
        delays = [_by_line(random, lines) for _ in range(CASES)]
        yield _longest(f"{name}: seconds from its line in the log", delays, bound)
    for name, stands in STANDS.items():
        delays = [stands(random) for _ in range(CASES)]
        yield _longest(f"{name}: seconds until it is told", delays, STAND_SECONDS)
    steps = [float(random.uniform(30, 110)) for _ in range(CASES)]
    within = [_steps_stop(random, each) / (5 * each + 2 * STEP + each) for each in steps]
    yield _longest(
        "no step: time until it is told, in five usual steps, the one that was being made and "
        "two scrapes (saves no longer than those)",
        within,
        1.0,
    )


def _longest(name: str, delays: Sequence[float], bound: float | None) -> Row:
    return Row(
        number="D8", name=f"{name}, at most", value=max(delays), n=len(delays), at_most=bound
    )


def _by_scrape(
    random: np.random.Generator, signal: str, before: float, after: float, known: int = 5
) -> float:
    """Return the seconds from the sample that shows a loss until the watch has told it."""
    columns = known + int(random.integers(20))
    values = np.full((len(HOSTS), columns + 20), before)
    lost = int(random.integers(len(HOSTS)))
    values[lost, columns:] = after
    return _watched({signal: values}, columns, until=lambda one: one.entity.host == HOSTS[lost])


def _watched(values: Values, begins: int, *, until: Callable[[Anomaly], bool]) -> float:
    """Return how long after a column the watch, scrape by scrape, first tells what is waited for.

    That is until the scrape with which it does, and what working on it takes. What was before comes
    in one block.
    """
    memory = WatchMemory()
    began = datetime.fromtimestamp(START - 7200, UTC)
    scene = Scene(groups=(PeerGroup(name="session", hosts=HOSTS, starts_at=began),))
    count = min(each.shape[1] for each in values.values())
    edges = [0, *range(begins - 1, count + 1)]
    for first, end in pairwise(edges):
        frames = [_frame(signal, each, first, end) for signal, each in values.items()]
        began_at = time.process_time()
        found, memory = advance(memory=memory, frames=frames, scene=scene)
        if any(until(one) for one in found):
            return float((end - 1 - begins) * STEP + time.process_time() - began_at)
    return float("inf")


def _frame(signal: str, values: Floats, first: int, end: int) -> Frame:
    known = catalog().signals[signal]
    parts = tuple(
        Device(
            kind=known.entity,
            host=host,
            index=0 if known.entity == "gpu" else None,
            name="mlx5_0" if known.entity == "nic" else None,
        )
        for host in HOSTS
    )
    return Frame(
        signal=known,
        entities=parts,
        start=START + first * STEP,
        step=STEP,
        values=values[:, first:end],
    )


def _by_line(random: np.random.Generator, lines: Sequence[str]) -> float:
    """Return the processor seconds from a line among a thousand others to what it tells."""
    line = lines[int(random.integers(len(lines)))].format(
        bus=f"{int(random.integers(16, 200)):02x}", slot=int(random.integers(1, 9))
    )
    host = HOSTS[int(random.integers(len(HOSTS)))]
    others = [
        f"Nov 28 12:00:{at % 60:02} {host} systemd[1]: Started job {at}." for at in range(999)
    ]
    text = "\n".join([*others, f"Nov 28 12:01:00 {host} kernel: {line}"]) + "\n"
    began = time.process_time()
    reading = read_source(origin=Origin(source="kern.log"), text=text)
    taken = time.process_time() - began
    is_told = any(event.role in {Role.INITIATING, Role.CONFIRMATION} for event in reading.events)
    return taken if is_told else float("inf")


def _kernels_spin(random: np.random.Generator) -> float:
    """Collectives wait for ever: all GPUs busy at a quarter of their power."""
    begins = 70 + int(random.integers(30))
    noise = 1 + 0.02 * random.standard_normal((len(HOSTS), begins + 40))
    power, busy = 620 * noise, np.clip(0.97 * noise, 0, 1)
    power[:, begins:] *= random.uniform(0.15, 0.22)
    busy[:, begins:] = 1.0
    values = {"gpu.power": power, "gpu.utilisation": busy}
    return _watched(values, begins, until=lambda one: one.kind == BUSY_IDLING.name)


def _traffic_stops(random: np.random.Generator) -> float:
    """Nothing is sent between hosts any more but what keeps connections open."""
    begins = 90 + int(random.integers(30))
    rate = 2e10 * (1 + 0.1 * random.standard_normal((len(HOSTS), begins + 40)))
    for save in range(30, begins - 10, 40):
        rate[:, save : save + int(random.integers(2, 8))] = 1e3
    rate[:, begins:] = 1e3
    return _watched(
        {"nic.transmitted": np.cumsum(rate * STEP, axis=1)},
        begins,
        until=lambda one: _is_standstill(one, begins),
    )


def _steps_stop(random: np.random.Generator, seconds: float | None = None) -> float:
    """No step is made any more; before, steps of some length with saves in between."""
    usual = float(random.uniform(5, 300)) if seconds is None else seconds
    begins = 240 + int(random.integers(40))
    moves = np.ones(begins + 60)
    for save in range(40, begins - 30, 80):
        moves[save : save + int(random.integers(1, 5))] = 0.0
    moves[begins:] = 0.0
    done = np.floor(
        np.cumsum(moves * STEP * (1 + 0.03 * random.standard_normal(len(moves)))) / usual
    )
    return _watched(
        {"training.step": np.tile(np.maximum.accumulate(done), (len(HOSTS), 1))},
        begins,
        until=lambda one: _is_standstill(one, begins),
    )


def _is_standstill(one: Anomaly, begins: int) -> bool:
    """Say whether it is told of the hang, not of a save before it."""
    goes_on = one.ends_at is not None and one.ends_at.timestamp() > START + begins * STEP
    return one.kind == STANDSTILL.name and goes_on


STANDS: Final[dict[str, Callable[[np.random.Generator], float]]] = {
    "hang, GPUs busy without power": _kernels_spin,
    "hang, nothing is sent": _traffic_stops,
    "hang, no step is made": _steps_stop,
}
