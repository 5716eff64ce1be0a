"""Six hours of all names on all nodes: rates and levels, effects, noise, counting, gaps."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from tests.census import gaps
from tests.census.compiled import (
    Counts,
    Floats,
    Numbers,
    Ready,
    Wide,
    apply,
    counts,
    ready,
    table,
)
from tests.census.drivers import INDEX
from tests.census.life import NODES, START
from tests.census.sticky import Sticky
from tests.census.totals import STEP, TILE_STEPS, Totals, active, tile_times
from tests.census.world import World, world

_KNOTS = 12  # of slow noise in a tile: one each half hour
_DRIFT = 0.6  # share of what wanders over six hours
_UP, _DOWN = 1 + 1e-7, 1 - 2e-6
Parts = dict[int, Floats]
_SAFE = np.float32(1 - 2e-6)  # keeps a rounded sum below the exact one, so that counters never fall


@dataclass(frozen=True, kw_only=True, eq=False)
class Tile:
    """Values (names, nodes, 360) relative to `base` (names, nodes), which is 0 of most names."""

    values: Floats
    base: Wide


class Values:
    """Computes any tile of a seed."""

    def __init__(self, seed: int) -> None:
        """Lay out the seed and add up its counters."""
        self.world: World = world(seed)
        self.seed = seed
        names = table().names
        self.effects: list[Ready] = [ready(e) for e in self.world.happenings.effects]
        chance = np.random.default_rng([seed, 93])
        spread = table().column("node")[:, None] * chance.standard_normal((len(names), NODES))
        self.gains = np.exp(np.clip(spread, -1.5, 1.5)).astype(np.float32)
        self.absent = chance.random((len(names), NODES)) < table().column("missing")[:, None]
        self.counts: Counts = counts(happenings=self.world.happenings, seed=seed)
        self.sticky = Sticky(happenings=self.world.happenings)
        self.gaps = gaps.Gaps(happenings=self.world.happenings, seed=seed)
        self.totals = Totals(
            drivers=self.world.drivers,
            effects=self.effects,
            resets=self.world.happenings.resets,
            gains=self.gains[table().parts["counter"]],
            seed=seed,
        )

    def tile(self, number: int) -> Tile:
        """Return one tile; it depends on the seed and the number alone."""
        times = tile_times(number)
        field = self.world.drivers.at(start=float(times[0]), step=STEP, count=TILE_STEPS)
        values = self._levels(field)
        columns = np.arange(NODES)
        for effect in active(self.effects, times):
            apply(what=effect, values=values, rows=effect.rows, columns=effect.hosts, times=times)
        base = np.zeros((len(values), columns.size))
        noise = self._noise(number)
        states = values[table().parts["state"]]
        np.maximum(states, 0, out=states)
        _gauges(values, noise)
        self._counters(values, base, noise, number)
        del noise
        self._events(values, number, times)
        self.sticky.write(values, base, number, times)
        working = field[INDEX["net"]] > 0.05
        self.gaps.cut(values, number=number, times=times, absent=self.absent, working=working)
        return Tile(values=values, base=base)

    def _levels(self, field: Floats) -> Floats:
        """Return what the drivers make of each name, without noise."""
        linear = table().parts["event"].start
        values = np.empty((len(table().names), NODES, TILE_STEPS), dtype=np.float32)
        flat = field.reshape(len(INDEX), -1)
        np.matmul(table().weights[:linear], flat, out=values[:linear].reshape(linear, -1))
        values[linear:] = 0.0
        part = slice(table().parts["gauge"].start, table().parts["counter"].stop)
        values[part] *= self.gains[part, :, None]
        return values

    def _noise(self, number: int) -> Floats:
        """Return noise of unit spread: part of it new each minute, part of it wandering."""
        part = slice(table().parts["gauge"].start, table().parts["counter"].stop)
        count = part.stop - part.start
        slow = table().column("slow")[part].astype(np.float32)
        knots = np.concatenate(
            [
                self._borders(number, count)[:, :, None],
                _normals((self.seed, 94, number), (count, NODES, _KNOTS - 1)),
                self._borders(number + 1, count)[:, :, None],
            ],
            axis=2,
        )
        knots *= slow[:, None, None]
        noise = _normals((self.seed, 95, number), (count, NODES, TILE_STEPS))
        noise *= np.sqrt(1 - slow**2)[:, None, None]
        wander = np.matmul(knots.reshape(-1, _KNOTS + 1), _BLEND)
        noise += wander.reshape(noise.shape)
        tail = table().column("tail")[part].astype(np.float32)
        rows = np.flatnonzero(tail)
        heavy = noise[rows]
        noise[rows] = heavy * (0.8 + tail[rows][:, None, None] * heavy * heavy)
        return noise

    def _borders(self, number: int, count: int) -> Floats:
        return _normals((self.seed, 96, number), (count, NODES))

    def _counters(self, values: Floats, base: Wide, noise: Floats, number: int) -> None:
        """Make counts of rates: noisy in between, exact where tiles and resets meet."""
        part = table().parts["counter"]
        rates = values[part]
        sd = table().column("sd")[part].astype(np.float32)[:, None, None]
        factor = noise[part.start - table().parts["gauge"].start :]
        factor *= sd
        factor += 1
        np.maximum(factor, 0.02, out=factor)
        pieces = self.totals.resets_in(number)
        exact = rates.sum(axis=2) * STEP
        exact_of = {r.host: rates[:, r.host].copy() for r, _, _ in pieces}
        rates *= factor
        noisy = rates.sum(axis=2)
        np.divide(exact, noisy, out=noisy, where=noisy > 0)
        rates_of = {host: rates[:, host].copy() for host in exact_of}
        rates *= noisy[:, :, None]
        np.cumsum(rates, axis=2, out=rates)
        np.minimum(rates, (exact * _SAFE)[:, :, None], out=rates)
        whole = np.array([n.is_integer for n in table().names[part]])
        base[part] = self.totals.base(number)
        self._set_back(rates, base[part], number, exact_of, rates_of)
        rates[whole] = np.floor(rates[whole])
        base[part][whole] = np.floor(base[part][whole])

    def _set_back(
        self, rates: Floats, base: Wide, number: int, exact_of: dict[int, Floats], rates_of: Parts
    ) -> None:
        """Count anew after resets: what was set back is absolute in this tile."""
        resets = self.totals.resets_in(number)
        for host, exact in exact_of.items():
            edges = [(rows, at) for reset, rows, at in resets if reset.host == host]
            touched = np.unique(np.concatenate([rows for rows, _ in edges]))
            if not touched.size:
                continue
            counted = _count_anew(base[:, host], exact, rates_of[host], edges)[touched]
            rates[touched, host] = counted
            base[touched, host] = 0.0

    def _events(self, values: Floats, number: int, times: Wide) -> None:
        """Count what happened, each since its own last reset."""
        part = table().parts["event"]
        c = self.counts
        steps = np.searchsorted(times, c.at)  # first sample that shows it
        late = c.at > times[-1]
        since = self.sticky.last_reset(number)[c.rows - part.start, c.hosts]
        index = (c.rows - part.start) * NODES + c.hosts
        size = (part.stop - part.start) * NODES
        old = (c.at < times[0]) & (c.at >= since) & ~late
        begin = np.bincount(index[old], weights=c.number[old], minlength=size)
        fresh = (steps < TILE_STEPS) & (c.at >= times[0]) & ~late
        grown = values[part].reshape(size, TILE_STEPS)
        np.add.at(grown, (index[fresh], steps[fresh]), c.number[fresh].astype(np.float32))
        np.cumsum(grown, axis=1, out=grown)
        grown += begin.astype(np.float32)[:, None]
        shaped = values[part]
        for reset, rows, at in self.sticky.event_resets(number, times):
            if at == 0:
                continue
            shaped[rows, reset.host, at:] -= shaped[rows, reset.host, at - 1 : at]


def _count_anew(
    begin: Wide, exact: Floats, noisy: Floats, edges: list[tuple[Numbers, int]]
) -> Floats:
    """Return absolute counts of one node, exact where its counters are set back.

    What float32 must round is rounded up before a reset and down after it, so that no count falls
    where the tile meets its neighbours.
    """
    total = begin.copy()
    rounding = np.full(total.size, _UP)
    counted = np.zeros(exact.shape)
    cuts = sorted({0, *(at for _, at in edges), exact.shape[1]})
    for a, b in pairwise(cuts):
        for rows, at in edges:
            if at == a:
                total[rows] = 0.0
                rounding[rows] = _DOWN
        piece = noisy[:, a:b].astype(np.float64)
        wanted = exact[:, a:b].sum(axis=1, dtype=np.float64) * STEP
        seen = piece.sum(axis=1)
        scale = np.divide(wanted, seen, out=np.zeros_like(wanted), where=seen > 0)
        grown = np.minimum(np.cumsum(piece * scale[:, None], axis=1), wanted[:, None])
        counted[:, a:b] = (total[:, None] + grown) * rounding[:, None]
        total = total + wanted
    return counted.astype(np.float32)


def _gauges(values: Floats, noise: Floats) -> None:
    part = table().parts["gauge"]
    gauges = values[part]
    sd = table().column("sd")[part].astype(np.float32)[:, None, None]
    absolute = table().column("absolute")[part].astype(np.float32)[:, None, None]
    size = gauges * sd
    size += absolute
    size *= noise[: part.stop - part.start]
    gauges += size
    quantum = table().column("quantum")[part].astype(np.float32)
    rows = np.flatnonzero(quantum)
    steps = quantum[rows][:, None, None]
    gauges[rows] = np.rint(gauges[rows] / steps) * steps
    low = np.where(absolute[:, 0, 0] > 0, -np.inf, np.maximum(table().column("low")[part], 0))
    high = table().column("high")[part]
    np.maximum(gauges, low.astype(np.float32)[:, None, None], out=gauges)
    rows = np.flatnonzero(np.isfinite(high))
    gauges[rows] = np.minimum(gauges[rows], high[rows].astype(np.float32)[:, None, None])


def _normals(key: tuple[int, ...], shape: tuple[int, ...]) -> Floats:
    chance = np.random.Generator(np.random.SFC64(np.random.SeedSequence(key)))
    return chance.standard_normal(shape, dtype=np.float32)


def _blend() -> Floats:
    """Return how knots make a tile's slow noise: hats each half hour, and one line through all."""
    at = np.arange(TILE_STEPS) / (TILE_STEPS / _KNOTS)
    hats = np.maximum(0, 1 - np.abs(at[None, :] - np.arange(_KNOTS + 1)[:, None]))
    hats *= 1.2 * np.sqrt(1 - _DRIFT**2)
    hats[0] += _DRIFT * (1 - at / _KNOTS)
    hats[-1] += _DRIFT * at / _KNOTS
    return np.asarray(hats, dtype=np.float32)


_BLEND = _blend()


@lru_cache(maxsize=2)
def values_of(seed: int) -> Values:
    """Return what computes the tiles of a seed."""
    return Values(seed)


def first_instant() -> float:
    """Return when the census begins."""
    return START
