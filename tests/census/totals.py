"""What busy counters have counted when a tile begins: computed from rates without noise."""

from dataclasses import dataclass

import numpy as np

from tests.census.compiled import Floats, Numbers, Ready, Wide, apply, table
from tests.census.drivers import Drivers
from tests.census.effects import Reset
from tests.census.life import DAYS, NODES, START

TILE_SECONDS = 6 * 3600.0
TILE_STEPS = 360
STEP = 60.0
TILES = DAYS * 4
LEVELS = {
    "boot": frozenset({"boot", "driver", "exporter"}),
    "driver": frozenset({"driver"}),
    "exporter": frozenset({"exporter"}),
    "gpu": frozenset[str](),
}


def tile_times(tile: int) -> Wide:
    """Return the instants of a tile's samples."""
    return START + tile * TILE_SECONDS + STEP * np.arange(TILE_STEPS, dtype=np.float64)


def active(effects: list[Ready], times: Wide) -> list[Ready]:
    """Return the effects that touch these instants."""
    return [e for e in effects if e.effect.starts_at <= times[-1] and e.effect.ends_at > times[0]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mark:
    """What the counters of a node count between a reset and the end of its tile."""

    reset: Reset
    tile: int
    rows: Numbers  # of the counters, from 0
    counted: Wide


class Totals:
    """Sums of the rates up to each tile, and at each reset."""

    def __init__(
        self,
        *,
        drivers: Drivers,
        effects: list[Ready],
        resets: list[Reset],
        gains: Floats,
        seed: int,
    ) -> None:
        """Add up all tiles once."""
        part = table().parts["counter"]
        self._part = part
        self._effects = [e for e in effects if _touches(e, part)]
        self._drivers = drivers
        self._weights = table().weights[part]
        self._gains = gains
        self._scopes = np.array([table().names[i].scope for i in range(part.start, part.stop)])
        self._resets = sorted(resets, key=lambda r: r.at)
        self.marks: list[Mark] = []
        self.sums = np.zeros((TILES + 1, part.stop - part.start, NODES))
        for tile in range(TILES):
            self._add(tile)
        uptime = np.random.default_rng([seed, 92]).uniform(3, 90, NODES) * 86400.0
        self._before = self.sums[-1] / (DAYS * 86400.0) * uptime

    def base(self, tile: int) -> Wide:
        """Return the counters (counters, nodes) when the tile begins."""
        begins = START + tile * TILE_SECONDS
        found = self.sums[tile] + self._before
        for mark in self.marks:
            if mark.reset.at >= begins:
                break
            rows, host = mark.rows, mark.reset.host
            since = self.sums[tile, rows, host] - self.sums[mark.tile + 1, rows, host]
            found[rows, host] = mark.counted[rows] + since
        return np.asarray(found)

    def grown(self, tile: int) -> Wide:
        """Return by how much the counters grow over the tile, resets aside."""
        return np.asarray(self.sums[tile + 1] - self.sums[tile])

    def resets_in(self, tile: int) -> list[tuple[Reset, Numbers, int]]:
        """Return the resets within a tile, the counters they set back, and their first sample."""
        times = tile_times(tile)
        return [
            (reset, self.reset_rows(reset), _first_sample(reset, times))
            for reset in self._resets
            if times[0] <= reset.at < times[0] + TILE_SECONDS
        ]

    def reset_rows(self, reset: Reset) -> Numbers:
        """Return the counters that a reset sets back."""
        return np.flatnonzero(np.isin(self._scopes, list(LEVELS[reset.what])))

    def _add(self, tile: int) -> None:
        times = tile_times(tile)
        field = self._drivers.at(start=float(times[0]), step=STEP, count=TILE_STEPS)
        rates = np.einsum("nk,kh->nh", self._weights, field.sum(axis=2, dtype=np.float64))
        sums = rates * self._gains * STEP
        self._correct(sums, field, times)
        self.sums[tile + 1] = self.sums[tile] + sums
        for reset, rows, first in self.resets_in(tile):
            counted = self._after(field, times, reset.host, first)
            self.marks.append(Mark(reset=reset, tile=tile, rows=rows, counted=counted))

    def _correct(self, sums: Wide, field: Floats, times: Wide) -> None:
        """Take account of the effects: their names and nodes are computed in full."""
        effects = active(self._effects, times)
        if not effects:
            return
        rows = np.unique(np.concatenate([e.rows for e in effects]))
        rows = rows[(rows >= self._part.start) & (rows < self._part.stop)]
        hosts = np.unique(np.concatenate([e.hosts for e in effects]))
        values = self._values(rows, hosts, field, effects, times)
        sums[np.ix_(rows - self._part.start, hosts)] = values.sum(axis=2, dtype=np.float64) * STEP

    def _values(
        self, rows: Numbers, hosts: Numbers, field: Floats, effects: list[Ready], times: Wide
    ) -> Floats:
        local = rows - self._part.start
        values = np.einsum("nk,kht->nht", self._weights[local], field[:, hosts], optimize=True)
        values *= self._gains[np.ix_(local, hosts)][:, :, None]
        for effect in effects:
            apply_within(what=effect, values=values, rows=rows, hosts=hosts, times=times)
        return np.asarray(values)

    def _after(self, field: Floats, times: Wide, host: int, first: int) -> Wide:
        """Return what a node counts in a tile from one of its samples on."""
        rows = np.arange(self._part.start, self._part.stop)
        hosts = np.array([host])
        effects = [e for e in active(self._effects, times) if host in e.hosts]
        values = self._values(rows, hosts, field, effects, times)
        counted = values[:, 0, first:].sum(axis=1, dtype=np.float64) * STEP
        return np.asarray(counted)


def _touches(effect: Ready, part: slice) -> bool:
    return bool(((effect.rows >= part.start) & (effect.rows < part.stop)).any())


def _first_sample(reset: Reset, times: Wide) -> int:
    return int(np.searchsorted(times, reset.at))


def apply_within(
    *, what: Ready, values: Floats, rows: Numbers, hosts: Numbers, times: Wide
) -> None:
    """Apply an effect to a part of all names and nodes, both given in ascending order."""
    mine = np.isin(what.rows, rows)
    near = np.isin(what.hosts, hosts)
    if not mine.any() or not near.any():
        return
    part = Ready(
        effect=what.effect,
        rows=what.rows[mine],
        hosts=what.hosts[near],
        amounts=what.amounts[mine],
        rests=what.rests[mine],
    )
    apply(
        what=part,
        values=values,
        rows=np.searchsorted(rows, part.rows),
        columns=np.searchsorted(hosts, part.hosts),
        times=times,
    )
