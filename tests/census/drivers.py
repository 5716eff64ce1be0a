"""From phases to what drives the values: activity, heat, memory, requests to the file server."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from apps.simulator.world.noise import digest, uniform
from tests.census.life import DAY, HOUR, MINUTE, NODES, START, Phase, Session
from tests.census.names import DRIVERS

Floats = NDArray[np.float32]
Grid = NDArray[np.float64]
INDEX = {name: number for number, name in enumerate(DRIVERS)}
_LOOK_BACK = 2  # steps that heat remembers
# What the processes do in each phase; gpu, net and data are of a session of full intensity.
_ACTIVITY: dict[str, dict[str, float]] = {
    "start": {"run": 0.7, "start": 1.0, "cpu": 0.35, "act": 0.3},
    "load": {"run": 1, "act": 1, "busy": 0.03, "gpu": 0.02, "load": 1, "cpu": 0.3, "net": 0.02},
    "train": {"run": 1, "act": 1, "busy": 0.988, "gpu": 1, "net": 1, "data": 1, "cpu": 0.28},
    "evaluate": {"run": 1, "act": 1, "busy": 0.93, "gpu": 0.6, "net": 0.5, "data": 1, "cpu": 0.3},
    "save": {"run": 1, "act": 1, "busy": 0.24, "gpu": 0.14, "net": 0.1, "save": 1, "cpu": 0.42},
    "stall": {"run": 1, "act": 1, "busy": 1.0, "spin": 1, "cpu": 0.1},
    "stop": {"run": 0.3, "stop": 1, "cpu": 0.1},
}
_INTENSE = ("gpu", "net", "data")  # scale with the session's own intensity


@dataclass(frozen=True, slots=True, kw_only=True)
class Drag:
    """A slow member: all of its session wait for it."""

    host: int
    starts_at: float
    ends_at: float
    share: float  # of the session's speed


def smooth(*, seed: int, name: str, rows: int, times: Grid, spacing: float) -> Grid:
    """Return noise of mean 0 and about unit spread that wanders over `spacing` seconds."""
    keys = np.array([digest(seed=seed, name=f"{name}/{r}") for r in range(rows)], dtype=np.uint64)
    position = times / spacing
    first = np.floor(position[0])
    ticks = np.arange(first, np.floor(position[-1]) + 2).astype(np.uint64)
    knots = (uniform(key=keys, tick=ticks) + uniform(key=keys, tick=ticks + np.uint64(1 << 40))) - 1
    left = (np.floor(position) - first).astype(np.int64)
    share = position - np.floor(position)
    share = share * share * (3 - 2 * share)
    return np.asarray(2.8 * (knots[:, left] * (1 - share) + knots[:, left + 1] * share))


def _roles(chance: np.random.Generator, size: int) -> dict[str, Grid]:
    """Return by how much the members of a session differ: stages of a pipeline, and rank 0."""
    stages = int(chance.choice([1, 2, 4, 5])) if size > 8 else 1
    stage = np.arange(size) * stages // size
    found = {}
    for name, spread in (("gpu", 0.012), ("net", 0.05), ("mem", 0.04), ("save", 0.1)):
        by_stage = 1 + spread * chance.standard_normal(stages)[stage]
        found[name] = np.clip(by_stage * (1 + 0.2 * spread * chance.standard_normal(size)), 0.3, 2)
    first = np.zeros(size)
    first[0] = 1.0
    found["cpu"] = 1 + 0.35 * first + 0.03 * chance.standard_normal(size)
    found["data"] = 1 + 0.15 * first + 0.05 * chance.standard_normal(size)
    return {name: value[:, None] for name, value in found.items()}


class Drivers:
    """The drivers of one seed at any times."""

    def __init__(
        self, *, seed: int, sessions: tuple[Session, ...], drags: tuple[Drag, ...] = ()
    ) -> None:
        """Keep the phases in the order they begin."""
        self.seed = seed
        self.sessions = sessions
        self._drags = drags
        self._phases = sorted((p for s in sessions for p in s.phases), key=lambda p: p.starts_at)
        self._starts = np.array([p.starts_at for p in self._phases])
        self._longest = max(p.ends_at - p.starts_at for p in self._phases)
        chance = np.random.default_rng([seed, 11])
        self._rack = 0.5 * (np.arange(NODES) % 8) - 1.5 + chance.normal(0, 0.9, NODES)
        self._cron = chance.uniform(0, 25 * MINUTE, NODES)
        self._roles = [_roles(chance, len(s.hosts)) for s in sessions]
        self._late = chance.uniform(0, 14.0, NODES)  # seconds by which a node follows the others

    def at(self, *, start: float, step: float, count: int) -> Floats:
        """Return (drivers, nodes, times); a value is the mean over the step that ends there."""
        times = start + step * np.arange(-_LOOK_BACK, count, dtype=np.float64)
        field = np.zeros((len(DRIVERS), NODES, times.size))
        field[INDEX["one"]] = 1.0
        for phase in self._active(times[0] - step, times[-1]):
            self._play(field, phase, times, step)
        self._wander(field, times)
        self._surround(field, times, step)
        self._serve(field, times)
        field = field[:, :, _LOOK_BACK:]
        return field.astype(np.float32)

    def _active(self, start: float, end: float) -> Iterator[Phase]:
        first = np.searchsorted(self._starts, start - self._longest)
        last = np.searchsorted(self._starts, end)
        return (p for p in self._phases[first:last] if p.ends_at + MINUTE > start)

    def _play(self, field: Grid, phase: Phase, times: Grid, step: float) -> None:
        session = self.sessions[phase.session]
        a = max(int(np.searchsorted(times, phase.starts_at)) - 1, 0)
        b = min(int(np.searchsorted(times, phase.ends_at + step + MINUTE)) + 1, times.size)
        hosts = np.array(session.hosts)
        late = self._late[hosts][:, None]
        left = np.maximum(times[a:b] - step, phase.starts_at + late)
        right = np.minimum(times[a:b], phase.ends_at + late)
        share = np.broadcast_to(np.clip((right - left) / step, 0, 1), (hosts.size, b - a))
        speed = self._speed(session, times[a:b])
        for name, value in _ACTIVITY[phase.kind].items():
            scaled = value * phase.level if name in _INTENSE or name == phase.kind else value
            factor = speed if name in _INTENSE else 1.0
            part = self._roles[phase.session].get(name, 1.0)
            field[INDEX[name], hosts, a:b] += share * (scaled * factor) * part
        age = np.clip((times[a:b] - session.starts_at) / HOUR, 0, 200)
        used = np.minimum(0.35 + 0.5 * age, 0.62) + 0.0012 * age
        used = used * self._roles[phase.session]["mem"]
        field[INDEX["mem"], hosts, a:b] += share * used * _ACTIVITY[phase.kind].get("run", 0)
        field[INDEX["cache"], hosts, a:b] += share * (1 - np.exp(-age / 3.0)) * 0.8

    def _speed(self, session: Session, times: Grid) -> Grid:
        """Return the share of its speed that slow members leave a session."""
        speed = np.ones(times.size)
        for drag in self._drags:
            if drag.host in session.hosts:
                speed -= drag.share * ((times >= drag.starts_at) & (times < drag.ends_at))
        return speed

    def _wander(self, field: Grid, times: Grid) -> None:
        """Let the work of a session vary with its data: all its members vary together."""
        common = smooth(seed=self.seed, name="work", rows=1, times=times, spacing=700.0)
        quick = smooth(seed=self.seed, name="step", rows=1, times=times, spacing=61.0)
        own = smooth(seed=self.seed, name="own", rows=NODES, times=times, spacing=1800.0)
        shared = 1 + 0.010 * common + 0.006 * quick
        for name, share in (("gpu", 1.0), ("net", 1.4), ("data", 6.0)):
            field[INDEX[name]] *= np.clip(1 + share * (shared - 1) + 0.004 * own, 0.05, None)
        field[INDEX["cpu"]] *= np.clip(1 + 0.05 * own, 0.2, None)
        saves = smooth(seed=self.seed, name="save", rows=1, times=times, spacing=75.0)
        field[INDEX["save"]] *= np.clip(1 + 0.12 * saves, 0.2, None)
        field[INDEX["load"]] *= np.clip(1 + 0.15 * saves, 0.2, None)

    def _surround(self, field: Grid, times: Grid, step: float) -> None:
        """Add the room, the heat of the work and the daily chores."""
        day = np.sin(2 * np.pi * (times / DAY + 9 / 24 - 0.37))
        weather = smooth(seed=self.seed, name="weather", rows=1, times=times, spacing=2.2 * DAY)
        draught = smooth(seed=self.seed, name="draught", rows=NODES, times=times, spacing=2400.0)
        field[INDEX["amb"]] = 1.6 * day + 1.5 * weather + 0.35 * draught + self._rack[:, None]
        warm = field[INDEX["gpu"]] + 0.28 * field[INDEX["spin"]]
        field[INDEX["heat"]] = warm
        field[INDEX["heat"]][:, 2:] = 0.55 * warm[:, 2:] + 0.3 * warm[:, 1:-1] + 0.15 * warm[:, :-2]
        local = (times[None, :] + 9 * HOUR - 6.4 * HOUR - self._cron[:, None]) % DAY
        field[INDEX["cron"]] = (
            np.clip(np.minimum(local, step), 0, step) / step * (local < 5 * MINUTE)
        )
        weekly = ((times - START) // DAY) % 7 == 0
        field[INDEX["cron"]] *= np.where(weekly, 1.6, 1.0)

    def _serve(self, field: Grid, times: Grid) -> None:
        """Turn saving, loading and reading into requests to the file server and their times."""
        save, load, data = (field[INDEX[n]] for n in ("save", "load", "data"))
        crowd = np.clip(save.sum(0) / 60.0, 0, 1.2)  # how much of the cluster saves at once
        latency = np.exp(
            0.18 * smooth(seed=self.seed, name="nas", rows=1, times=times, spacing=900.0)
        )
        wreq = 0.4 + 700.0 * save
        field[INDEX["wreq"]] = wreq
        field[INDEX["wresp"]] = wreq * latency * (0.02 + 0.106 * crowd)
        field[INDEX["wqueue"]] = wreq * latency * (0.0004 + 1.5 * crowd**1.5)
        rreq = 0.3 + 2400.0 * load + 55.0 * data
        field[INDEX["rreq"]] = rreq
        busy = np.clip(load.sum(0) / 60.0, 0, 1.2)
        field[INDEX["rresp"]] = rreq * latency * (0.003 + 0.014 * busy)
        field[INDEX["rqueue"]] = rreq * latency * (0.0002 + 0.012 * busy)
        mreq = 4 + 22 * data + 30 * load + 150 * field[INDEX["start"]] + 12 * save
        field[INDEX["mreq"]] = mreq
        field[INDEX["mresp"]] = mreq * 0.0085 * latency * (1 + 0.8 * crowd + 0.3 * busy)
