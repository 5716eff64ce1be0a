"""A generated session of 63 hosts with labelled faults, for detectors that compare peers.

One synchronous job, half a minute a sample. All members share the pace of the session: its steps,
its saves (everybody computes less and writes), slow minutes of all. Members differ for good: chips
draw and warm differently, the first and the last of eight pipeline stages work differently, the
first host does the bookkeeping. Healthy members stray: pauses of one to three minutes of single
hosts (garbage collection, a slow input file), single samples far off, gaps of the scrapes of up to
four minutes, warm air for a whole rack. Faults last 8 to 25 minutes, and their sizes reach from
hardly visible to plain:

- `clock`: a GPU is held at 65 to 88 % of its clock, draws less and warms.
- `stopped`: a GPU computes nothing, while the others spin and wait for it.
- `pcie`: the link between adapter and GPU is slow: bytes fall, the port waits to send; half of
  them show as lanes that are gone.
- `port`: a port carries nothing; the other ports of the host take its share.
- `nvlink`: NVLink of a GPU carries 35 to 75 %.
- `cpu`: foreign work on a host: load, runnable tasks, less for the GPUs.
- `memory`: a host's memory is eaten up.

Simulated; sizes and rates are ours, the kinds are those of the published work on such faults.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.stats import Floats

STEP: Final = 30.0
HOSTS, GPUS = 63, 4
STAGES: Final = 8
LEAD_COLUMNS: Final = 720  # six hours without a fault
APART_COLUMNS: Final = 110  # from one fault to the next
FAULTS: Final = 5  # each of another kind
COUNTERS: Final = frozenset(
    {"nic.transmitted", "nic.received", "nic.transmit_wait", "node.interrupts"}
)
COLUMNS: Final = LEAD_COLUMNS + FAULTS * APART_COLUMNS
OF_GPUS: Final = {
    # signal: level at work, share of it at rest, spread of parts, noise of samples; all relative
    "gpu.utilisation": (0.97, 0.15, 0.004, 0.008),
    "gpu.power": (620.0, 0.25, 0.02, 0.02),
    "gpu.clock": (1830.0, 1.0, 0.006, 0.004),
    "gpu.temperature": (66.0, 0.75, 0.05, 0.01),
    "gpu.nvlink.sent": (9.0e10, 0.02, 0.02, 0.05),
    "gpu.nvlink.received": (9.0e10, 0.02, 0.02, 0.05),
    "gpu.pcie.width": (16.0, 1.0, 0.0, 0.0),
    "nic.transmitted": (2.2e10, 0.05, 0.02, 0.05),
    "nic.received": (2.2e10, 0.05, 0.02, 0.05),
    "nic.transmit_wait": (2.0e7, 0.1, 0.2, 0.3),
}
OF_HOSTS: Final = {
    "node.load": (30.0, 0.6, 0.05, 0.08),
    "node.running": (18.0, 0.5, 0.05, 0.15),
    "node.memory.available": (1.2e12, 1.0, 0.02, 0.004),
    "node.interrupts": (2.4e5, 0.4, 0.04, 0.04),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One labelled fault: on which host, and the columns from its first to before its last."""

    kind: str
    host: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Samples by signal, shape (parts, columns); parts of hosts in order. NaN: not scraped."""

    values: dict[str, Floats]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blow:
    """What a fault changes: the levels in place, where, and how strongly (0 hardly, 1 plainly)."""

    random: np.random.Generator
    values: dict[str, Floats]
    host: int
    gpu: int  # row of a GPU of the host
    when: slice
    strength: float

    def scale(self, signal: str, by: float) -> None:
        """Scale the level of the struck part."""
        self.values[signal][self._row(signal), self.when] *= by

    def add(self, signal: str, amount: float) -> None:
        """Add to the level of the struck part."""
        self.values[signal][self._row(signal), self.when] += amount

    def _row(self, signal: str) -> int:
        return self.host if signal in OF_HOSTS else self.gpu


def world(seed: int) -> World:
    """Generate a session with its faults."""
    random = np.random.default_rng([seed, 4])
    pace = _pace(random)
    values = {}
    for signals, parts in ((OF_GPUS, HOSTS * GPUS), (OF_HOSTS, HOSTS)):
        hosts = np.arange(parts) // (parts // HOSTS)
        for signal, (level, rest, spread, _) in signals.items():
            own = level * (1 + spread * random.standard_normal((parts, 1)))
            own *= _of_stage(signal, hosts)[:, None]
            values[signal] = own * (rest + (1 - rest) * pace)
    _first_host(values)
    faults = tuple(_faults(random, values, first=seed * FAULTS))
    _pauses(random, values)
    _warm_rack(random, values)
    for signal, (_, _, _, noise) in (OF_GPUS | OF_HOSTS).items():
        _measure(random, values[signal], noise)
        if signal == "gpu.utilisation":
            np.clip(values[signal], 0.0, 1.0, out=values[signal])
        if signal in COUNTERS:
            values[signal] = np.cumsum(values[signal] * STEP, axis=1)
    _gaps(random, values)
    return World(values=values, faults=faults)


def _pace(random: np.random.Generator) -> Floats:
    """Return how hard the session works at each column: 1 is as usual."""
    pace = 1 + 0.01 * random.standard_normal(COLUMNS)
    for start in range(200, COLUMNS, 240):  # a save every two hours
        pace[start + int(random.integers(20)) :][: int(random.integers(2, 6))] *= 0.2
    for _ in range(COLUMNS // 300):  # slow minutes of all
        start = int(random.integers(COLUMNS))
        pace[start : start + int(random.integers(2, 30))] *= random.uniform(0.6, 0.95)
    return pace


def _of_stage(signal: str, hosts: NDArray[np.intp]) -> Floats:
    """Return how much more or less the first and the last stage do of some things."""
    stage = hosts * STAGES // HOSTS
    factor = np.ones(len(hosts))
    if signal == "gpu.power":
        factor[stage == 0], factor[stage == STAGES - 1] = 0.88, 1.06
    if signal.startswith("nic."):
        factor[(stage == 0) | (stage == STAGES - 1)] = 0.7
    return factor


def _first_host(values: dict[str, Floats]) -> None:
    values["node.load"][0] += 8
    values["node.running"][0] += 4
    values["node.memory.available"][0] -= 8e10


def _faults(
    random: np.random.Generator, values: dict[str, Floats], *, first: int
) -> Iterator[Fault]:
    kinds = list(BLOWS)
    for number in range(FAULTS):
        kind = kinds[(first + number) % len(kinds)]
        host = int(random.integers(HOSTS))
        begin = LEAD_COLUMNS + number * APART_COLUMNS + int(random.integers(40))
        end = begin + int(random.integers(16, 50))
        blow = Blow(
            random=random,
            values=values,
            host=host,
            gpu=host * GPUS + int(random.integers(GPUS)),
            when=slice(begin, end),
            strength=float(random.uniform()),
        )
        BLOWS[kind](blow)
        yield Fault(kind=kind, host=host, start=begin, end=end)


def _pauses(random: np.random.Generator, values: dict[str, Floats]) -> None:
    """Let single hosts pause for one to three minutes, eight times an hour somewhere."""
    for _ in range(COLUMNS // 15):
        host, start = int(random.integers(HOSTS)), int(random.integers(COLUMNS))
        when, share = slice(start, start + int(random.integers(2, 7))), random.uniform(0.2, 0.8)
        for signal in ("gpu.utilisation", "gpu.power", "gpu.nvlink.sent", "gpu.nvlink.received"):
            values[signal][host * GPUS : (host + 1) * GPUS, when] *= share
        values["node.running"][host, when] += 30 * random.uniform(0, 1)


def _warm_rack(random: np.random.Generator, values: dict[str, Floats]) -> None:
    for _ in range(3):
        first, start = int(random.integers(HOSTS - 8)), int(random.integers(COLUMNS))
        rows = slice(first * GPUS, (first + 8) * GPUS)
        values["gpu.temperature"][rows, start : start + 120] += random.uniform(1, 4)


def _measure(random: np.random.Generator, levels: Floats, noise: float) -> None:
    """Add what samples stray by; one in five hundred is far off."""
    if not noise:
        return
    levels *= 1 + noise * random.standard_normal(levels.shape)
    wild = random.random(levels.shape) < 0.002
    levels[wild] *= random.uniform(0.3, 1.7, int(wild.sum()))


def _gaps(random: np.random.Generator, values: dict[str, Floats]) -> None:
    """Leave out samples: single ones, and up to four minutes of an exporter of a host."""
    for signal, levels in values.items():
        levels[random.random(levels.shape) < 0.005] = np.nan
        of_host = len(levels) // HOSTS
        for _ in range(60 if signal in OF_GPUS else 30):
            host, start = int(random.integers(HOSTS)), int(random.integers(COLUMNS))
            rows = slice(host * of_host, (host + 1) * of_host)
            levels[rows, start : start + int(random.integers(2, 9))] = np.nan


def _clock(blow: Blow) -> None:
    share = 0.88 - 0.23 * blow.strength
    blow.scale("gpu.clock", share)
    blow.scale("gpu.power", 0.5 + 0.5 * share)
    blow.add("gpu.temperature", 3 + 10 * blow.strength)


def _stopped(blow: Blow) -> None:
    waiting = {"gpu.power": 0.45, "gpu.nvlink.sent": 0.02, "gpu.nvlink.received": 0.02}
    waiting |= {"nic.transmitted": 0.05, "nic.received": 0.05}
    for signal, share in waiting.items():  # all that wait for it
        blow.values[signal][:, blow.when] *= share
    blow.scale("gpu.utilisation", 0.0)
    blow.scale("gpu.power", 0.3)


def _pcie(blow: Blow) -> None:
    for signal in ("nic.transmitted", "nic.received"):
        blow.scale(signal, 0.85 - 0.5 * blow.strength)
    blow.scale("nic.transmit_wait", 4 + 20 * blow.strength)
    if blow.random.random() < 0.5:
        blow.scale("gpu.pcie.width", 0.5)


def _port(blow: Blow) -> None:
    first = blow.host * GPUS
    for signal in ("nic.transmitted", "nic.received"):
        levels = blow.values[signal]
        levels[first : first + GPUS, blow.when] *= GPUS / (GPUS - 1)
        blow.scale(signal, 0.0)


def _nvlink(blow: Blow) -> None:
    for signal in ("gpu.nvlink.sent", "gpu.nvlink.received"):
        blow.scale(signal, 0.75 - 0.4 * blow.strength)


def _cpu(blow: Blow) -> None:
    blow.add("node.load", 40 + 120 * blow.strength)
    blow.add("node.running", 30 + 120 * blow.strength)
    first = blow.host * GPUS
    levels = blow.values["gpu.utilisation"]
    levels[first : first + GPUS, blow.when] *= 0.95 - 0.35 * blow.strength


def _memory(blow: Blow) -> None:
    width = blow.when.stop - blow.when.start
    eaten = np.linspace(0, 0.3 + 0.6 * blow.strength, width)
    blow.values["node.memory.available"][blow.host, blow.when] *= 1 - eaten


BLOWS: dict[str, Callable[[Blow], None]] = {
    "clock": _clock,
    "stopped": _stopped,
    "pcie": _pcie,
    "port": _port,
    "nvlink": _nvlink,
    "cpu": _cpu,
    "memory": _memory,
}
