"""Series of the simulated cluster: their labels, and their values at any instant."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.selectors import Matcher, MetricSelector
from apps.simulator.catalog import FAMILIES
from apps.simulator.metric_family import Family
from apps.simulator.world.activity import Activity
from apps.simulator.world.machines.entities import Entities, entities
from apps.simulator.world.noise import Floats, digest, uniform
from apps.simulator.world.story import Effect
from apps.simulator.world.world import World

SCRAPE_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Some rows of one family."""

    family: Family
    entities: Entities
    rows: NDArray[np.int64]

    def labels(self) -> list[dict[str, str]]:
        """Return full label sets, the name included."""
        name = {"__name__": self.family.name}
        return [name | self.entities.labels[row] for row in self.rows]


@dataclass(frozen=True, kw_only=True)
class SeriesStore:
    """All series that one party's exporter serves."""

    world: World
    party: str

    @cached_property
    def families(self) -> dict[str, Family]:
        """Return the families of the party by name."""
        return {family.name: family for family in FAMILIES if family.party == self.party}

    @cached_property
    def activity(self) -> Activity:
        """Return the phases of the nodes."""
        return Activity(world=self.world)

    @cached_property
    def _entities(self) -> dict[str, Entities]:
        wanted = {family.entity for family in self.families.values()}
        return {
            name: entities(kind=name, nodes=self.world.plan.cluster.nodes)
            for name in sorted(wanted)
        }

    @cached_property
    def series_count(self) -> int:
        """Return how many series there are."""
        return sum(len(self._entities[f.entity].labels) for f in self.families.values())

    def entities_of(self, family: Family) -> Entities:
        """Return what a family is measured on."""
        return self._entities[family.entity]

    def select(self, matchers: tuple[Matcher, ...]) -> list[Selection]:
        """Return the rows that satisfy all matchers, family by family."""
        selector = MetricSelector(matchers=matchers)
        exact = selector.metric
        chosen: list[Selection] = []
        rows_by_entity: dict[str, NDArray[np.int64]] = {}
        for name in selector.wanted([exact] if exact in self.families else self.families):
            family = self.families[name]
            entities = self._entities[family.entity]
            if family.entity not in rows_by_entity:
                rows_by_entity[family.entity] = _rows(entities, selector)
            rows = rows_by_entity[family.entity]
            if len(rows):
                chosen.append(Selection(family=family, entities=entities, rows=rows))
        return chosen

    def values(self, selection: Selection, at: Floats) -> Floats:
        """Return the values of the rows at sample instants; NaN where there is no sample."""
        family, entities, rows = selection.family, selection.entities, selection.rows
        keys = np.array(
            [
                digest(
                    seed=self.world.plan.cluster.seed,
                    name=f"{family.name}/{entities.hosts[row]}/{row}",
                )
                for row in rows
            ],
            dtype=np.uint64,
        )
        start = uniform(key=keys, tick=np.zeros(1, dtype=np.uint64))
        values = self._base(family, entities.nodes[rows], at)
        if family.level == "save":
            values = values * entities.shares[rows][:, None]
        if family.kind == "counter":
            values = values + start * family.spread
            values = np.asarray(np.round(values, 3) if family.busy else np.floor(values))
        else:
            values = values + (start - 0.5) * 2.0 * family.spread
            if family.noise:
                ticks = (at // SCRAPE_SECONDS).astype(np.uint64) + np.uint64(1)
                values += (uniform(key=keys, tick=ticks) - 0.5) * 2.0 * family.noise
            values = np.asarray(np.round(np.maximum(values, 0.0), family.decimals))
        self._apply_effects(selection, at, values)
        return values

    def _base(self, family: Family, nodes: NDArray[np.int64], at: Floats) -> Floats:
        special = {"clock", "now", "boot"}
        unique, inverse = np.unique(nodes, return_inverse=True)
        if family.level in special:
            curves = np.stack([self._clock(family.level, int(n), at) for n in unique])
        elif family.idle == family.busy:
            area = at - 1_780_000_000.0 if family.kind == "counter" else np.ones_like(at)
            curves = np.tile(area * family.idle, (len(unique), 1))
        else:
            curves = np.stack([self._curve(family, int(n), at) for n in unique])
        return curves[inverse].astype(np.float64)

    def _clock(self, what: str, node: int, at: Floats) -> Floats:
        machine = self.world.plan.cluster.nodes[node]
        if what == "boot":
            return np.full_like(at, machine.boot_at)
        if what == "now":
            return at + machine.clock_offset_seconds
        return np.full_like(at, machine.clock_offset_seconds)

    def _curve(self, family: Family, node: int, at: Floats) -> Floats:
        segments = self.activity.by_node if node >= 0 else self.activity.by_node[:16]
        chosen = [segments[node]] if node >= 0 else list(segments)
        if family.kind == "counter":
            level = np.mean([s.integral(family.level, at) for s in chosen], axis=0)
            begun = at - 1_780_000_000.0
            return np.asarray(family.idle * begun + (family.busy - family.idle) * level)
        level = np.mean([s.level(family.level, at) for s in chosen], axis=0)
        return np.asarray(family.idle + (family.busy - family.idle) * level)

    @cached_property
    def _effects(self) -> tuple[Effect, ...]:
        return tuple(sorted(self.world.effects, key=lambda e: (e.how == "gone", e.starts_at)))

    def _apply_effects(self, selection: Selection, at: Floats, values: Floats) -> None:
        for effect in self._effects:
            if not _is_about(effect.metric, selection.family.name):
                continue
            for position, row in enumerate(selection.rows):
                if selection.entities.hosts[row] != effect.host:
                    continue
                labels = selection.entities.labels[row]
                if all(labels.get(name) == value for name, value in effect.match.items()):
                    _apply(effect, at, values[position])


def _is_about(pattern: str, name: str) -> bool:
    return name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))


def _apply(effect: Effect, at: Floats, row: Floats) -> None:
    inside = (at >= effect.starts_at) & (at < effect.ends_at)
    if effect.how == "step":
        row += np.where(at >= effect.starts_at, effect.amount, 0.0)
    elif effect.how in {"ramp", "sink"}:
        share = np.clip((at - effect.starts_at) / (effect.ends_at - effect.starts_at), 0.0, 1.0)
        grown = np.floor(share * effect.amount)
        row += np.where(inside, grown, 0.0) if effect.how == "sink" else grown
    elif effect.how == "set":
        row[inside] = effect.amount
    elif effect.how == "add":
        row[inside] = np.maximum(np.round(row[inside] + effect.amount, 3), 0.0)
    else:
        row[inside] = np.nan


def _rows(entities: Entities, selector: MetricSelector) -> NDArray[np.int64]:
    return np.array(selector.chosen(dict(enumerate(entities.labels))), dtype=np.int64)
