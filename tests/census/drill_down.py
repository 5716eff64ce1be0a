"""Forty signals of each GPU at 30 s: four hours around each failure, and 200 quiet windows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.census.cases import DEGRADATIONS, Label, host_name
from tests.census.compiled import Floats, Numbers, Wide, counts, table
from tests.census.drivers import INDEX
from tests.census.effects import Effect, strength
from tests.census.life import END, GPUS, HOUR, NODES, START
from tests.census.names import Name
from tests.census.sticky import gpu_codes
from tests.census.totals import LEVELS
from tests.census.world import World, world

STEP = 30.0
HALF_SECONDS = 2 * HOUR
STEPS = int(2 * HALF_SECONDS / STEP)
QUIET_WINDOWS = 200
_DEV = "DCGM_FI_DEV_"
SIGNALS = (
    *(_DEV + n for n in ("SM_CLOCK", "MEM_CLOCK", "GPU_TEMP", "MEMORY_TEMP", "POWER_USAGE")),
    *(_DEV + n for n in ("GPU_UTIL", "MEM_COPY_UTIL", "FB_USED", "FB_FREE", "GPU_TEMP_LIMIT")),
    *(_DEV + n for n in ("PCIE_TX_THROUGHPUT", "PCIE_RX_THROUGHPUT", "NVLINK_BANDWIDTH_TOTAL")),
    *(_DEV + n for n in ("PCIE_LINK_GEN", "PCIE_LINK_WIDTH", "CLOCKS_EVENT_REASONS", "PSTATE")),
    *(_DEV + n for n in ("ENFORCED_POWER_LIMIT", "ROW_REMAP_FAILURE", "ROW_REMAP_PENDING")),
    *(_DEV + n for n in ("GPU_RECOVERY_ACTION", "NVLINK_LINK_STATUS", "XID_ERRORS")),
    *("DCGM_FI_PROF_" + n for n in ("SM_ACTIVE", "SM_OCCUPANCY", "PIPE_TENSOR_ACTIVE")),
    *("DCGM_FI_PROF_" + n for n in ("DRAM_ACTIVE", "NVLINK_TX_BYTES", "PCIE_RX_BYTES")),
    _DEV + "NVLINK_COUNT_SYMBOL_BER_FLOAT",
    *(_DEV + n for n in ("ECC_SBE_VOL_TOTAL", "ECC_DBE_VOL_TOTAL", "ECC_SBE_AGG_TOTAL")),
    *(_DEV + n for n in ("CORRECTABLE_REMAPPED_ROWS", "UNCORRECTABLE_REMAPPED_ROWS")),
    _DEV + "PCIE_REPLAY_COUNTER",
    *(_DEV + "NVLINK_" + n for n in ("CRC_FLIT_ERROR_COUNT_TOTAL", "REPLAY_ERROR_COUNT_TOTAL")),
    *(_DEV + "NVLINK_" + n for n in ("RECOVERY_ERROR_COUNT_TOTAL", "COUNT_LINK_RECOVERY_EVENTS")),
)
_SPREAD = 0.6  # of what GPUs of one node differ, beside what nodes do


@dataclass(frozen=True, kw_only=True, eq=False)
class CloseUp:
    """Four hours of every GPU. Levels are those of the blocks, the noise is drawn for itself."""

    start: float
    step: float
    label: Label | None  # None: nothing is labelled anywhere in this window
    gpus: tuple[tuple[str, int], ...]  # host and index of each row
    names: tuple[str, ...]
    values: Floats  # (names, gpus, steps); NaN: absent
    simulated: bool = True


def windows(seed: int) -> tuple[tuple[float, Label | None], ...]:
    """Return start and failure of each close-up, in the order of time."""
    labels = world(seed).labels
    found: list[tuple[float, Label | None]] = [
        (float(np.floor((label.at - HALF_SECONDS) / STEP) * STEP), label) for label in labels
    ]
    rng = np.random.default_rng([seed, 98])
    while len(found) < QUIET_WINDOWS + len(labels):
        start = float(np.floor(rng.uniform(START, END - 2 * HALF_SECONDS) / STEP) * STEP)
        if not any(_disturbs(label, start) for label in labels):
            found.append((start, None))
    return tuple(sorted(found, key=lambda each: each[0]))


def _disturbs(label: Label, start: float) -> bool:
    ends = label.ends_at + HOUR if label.kind in DEGRADATIONS else label.at + HOUR
    begins = label.at - HOUR
    if label.precursor is not None and label.group != "remap":
        begins = min(begins, label.precursor.starts_at)
    return start < ends and start + 2 * HALF_SECONDS > begins


def close_ups(seed: int) -> Iterator[CloseUp]:
    """Yield all close-ups of a seed."""
    magnifier = Magnifier(seed)
    return (magnifier.look(start, label) for start, label in windows(seed))


class Magnifier:
    """Computes any window of single GPUs."""

    def __init__(self, seed: int) -> None:
        """Keep what differs between GPUs and never changes."""
        self._seed = seed
        self._world: World = world(seed)
        self._rows = np.array([table().rows[name] for name in SIGNALS])
        self._names = [table().names[row] for row in self._rows]
        chance = np.random.default_rng([seed, 99])
        spread = np.array([n.node for n in self._names])[:, None]
        by_node = chance.standard_normal((len(SIGNALS), NODES)).repeat(GPUS, axis=1)
        by_gpu = chance.standard_normal((len(SIGNALS), NODES * GPUS))
        gains = np.exp(np.clip(spread * (by_node + _SPREAD * by_gpu), -1.5, 1.5))
        share = np.array([1.0 / GPUS if n.reduction == "sum" else 1.0 for n in self._names])
        self._gains = (gains * share[:, None]).astype(np.float32)
        self._counts = counts(happenings=self._world.happenings, seed=seed)

    def look(self, start: float, label: Label | None = None) -> CloseUp:
        """Return four hours from an instant on."""
        times = start + STEP * np.arange(STEPS, dtype=np.float64)
        values = self._levels(times)
        for effect in self._world.happenings.effects:
            if effect.starts_at <= times[-1] and effect.ends_at > times[0]:
                self._apply(values, effect, times)
        self._roughen(values, start)
        self._count(values, times)
        self._cut(values, times)
        gpus = tuple((host_name(h), g) for h in range(NODES) for g in range(GPUS))
        return CloseUp(start=start, step=STEP, label=label, gpus=gpus, names=SIGNALS, values=values)

    def _levels(self, times: Wide) -> Floats:
        field = self._world.drivers.at(start=float(times[0]), step=STEP, count=times.size)
        flat = field.reshape(len(INDEX), -1)
        levels = np.matmul(table().weights[self._rows], flat).reshape(-1, NODES, times.size)
        values = levels.repeat(GPUS, axis=1)
        values *= self._gains[:, :, None]
        return np.asarray(values)

    def _apply(self, values: Floats, effect: Effect, times: Wide) -> None:
        rows = [i for i, name in enumerate(SIGNALS) if name in effect.names]
        if not rows:
            return
        share = strength(effect, times).astype(np.float32)
        gpus = range(GPUS) if effect.gpu is None else (effect.gpu,)
        columns = np.array([host * GPUS + gpu for host in effect.hosts for gpu in gpus])
        where = np.ix_(np.array(rows), columns, np.arange(times.size))
        former = values[where]
        values[where] = np.maximum(_changed(effect, former, share), 0)

    def _roughen(self, values: Floats, start: float) -> None:
        key = np.random.SeedSequence((self._seed, 100, int(start)))
        noise = np.random.Generator(np.random.SFC64(key)).standard_normal(
            values.shape, dtype=np.float32
        )
        noise *= np.array([n.sd for n in self._names], dtype=np.float32)[:, None, None]
        gauges = np.array([n.kind == "gauge" for n in self._names])
        noise[~gauges] = 0.0
        noise += 1
        values *= noise
        quantum = np.array([_quantum(n) for n in self._names], dtype=np.float32)
        rows = np.flatnonzero(quantum)
        steps = quantum[rows][:, None, None]
        values[rows] = np.rint(values[rows] / steps) * steps
        full = [i for i, n in enumerate(self._names) if np.isfinite(n.high)]
        limits = np.array([self._names[i].high for i in full], dtype=np.float32)
        values[full] = np.minimum(values[full], limits[:, None, None])

    def _count(self, values: Floats, times: Wide) -> None:
        """Write codes and rare counts of each GPU."""
        events = {int(r): i for i, r in enumerate(self._rows) if self._names[i].kind == "event"}
        c = self._counts
        mine = np.isin(c.rows, list(events)) & (c.gpus >= 0) & (c.at <= times[-1])
        since = self._last_resets(times[0])
        for row, host, gpu, at, number in zip(
            c.rows[mine], c.hosts[mine], c.gpus[mine], c.at[mine], c.number[mine], strict=True
        ):
            line = events[int(row)]
            column = int(host) * GPUS + int(gpu)
            if at >= since[line, column]:
                values[line, column, np.searchsorted(times, at) :] += number
        self._reset_within(values, times, list(events.values()))
        xid = SIGNALS.index("DCGM_FI_DEV_XID_ERRORS")
        for (host, gpu), (at, codes) in gpu_codes(self._world.happenings).items():
            now = np.searchsorted(at, times, side="right") - 1
            values[xid, host * GPUS + gpu] = codes[now]

    def _last_resets(self, begins: float) -> Wide:
        found = np.full((len(SIGNALS), NODES * GPUS), -np.inf)
        for reset in sorted(self._world.happenings.resets, key=lambda r: r.at):
            if reset.at >= begins:
                break
            for line, columns in self._hit(reset.what, reset.host, reset.gpu):
                found[line, columns] = reset.at
        return found

    def _hit(self, what: str, host: int, gpu: int | None) -> Iterator[tuple[int, Numbers]]:
        """Yield the lines and columns that a reset sets back; a new GPU starts from nothing."""
        node = np.arange(host * GPUS, (host + 1) * GPUS)
        for line, name in enumerate(self._names):
            if what == "gpu" and gpu is not None:
                yield line, node[gpu : gpu + 1]
            elif name.scope in LEVELS[what]:
                yield line, node

    def _reset_within(self, values: Floats, times: Wide, events: list[int]) -> None:
        for reset in self._world.happenings.resets:
            first = int(np.searchsorted(times, reset.at))
            if not 0 < first < times.size:
                continue
            for line, columns in self._hit(reset.what, reset.host, reset.gpu):
                if line in events:
                    values[line, columns, first:] -= values[line, columns, first - 1 : first]

    def _cut(self, values: Floats, times: Wide) -> None:
        for gap in self._world.happenings.gaps:
            a, b = np.searchsorted(times, [gap.starts_at, gap.ends_at])
            if a >= b or gap.what in {"node_exporter", "all-smi"}:
                continue
            if gap.host is None:
                values[:, :, a:b] = np.nan
            elif gap.gpu is not None:
                values[:, gap.host * GPUS + gap.gpu, a:b] = np.nan
            else:
                values[:, gap.host * GPUS : (gap.host + 1) * GPUS, a:b] = np.nan


def _quantum(name: Name) -> float:
    """Return the resolution of one device, which a mean over eight refines."""
    return name.quantum * (name.devices if name.reduction == "mean" else 1)


def _changed(effect: Effect, former: Floats, share: Floats) -> Floats:
    amount = np.float32(effect.amount)
    if effect.operation == "scale":
        return np.asarray(former * (1 + amount * share))
    if effect.operation == "add":
        return np.asarray(former + amount * share)
    if effect.operation == "cap":
        return np.where(share > 0, np.minimum(former, amount), former)
    return np.asarray(former + (amount - former) * share)
