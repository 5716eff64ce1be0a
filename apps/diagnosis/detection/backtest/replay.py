"""Blocks of frames in order of time → everything that watching them would have noticed."""

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.backtest.report import WatchedSpan
from apps.diagnosis.detection.fusion.episodes import note
from apps.diagnosis.detection.fusion.phase_bands import Tail, advance_bands, merged
from apps.diagnosis.detection.metrics.identity import ADDRESS
from apps.diagnosis.detection.watch import advance
from apps.diagnosis.detection.watch_memory import WatchMemory
from apps.diagnosis.model import Anomaly, Band, Frame, PeerGroup, Scene

Mask = NDArray[np.bool_]

SCRAPES = "scrapes"  # the catalog's file of what a server writes about its targets
# What happened this long before a block no longer moves what is in it.
SETTLED = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """What was noticed, in which scene, and how much was heard."""

    anomalies: tuple[Anomaly, ...]
    scene: Scene
    watched: WatchedSpan


@dataclass(kw_only=True)
class Replay:
    """A watcher of the past. Feed it blocks in order of time; it never looks ahead."""

    scene: Scene = field(default_factory=Scene)
    memory: WatchMemory = field(default_factory=WatchMemory)
    tail: Tail = field(default_factory=Tail)
    bands: list[Band] = field(default_factory=list)
    found: dict[Hashable, Anomaly] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    observed_seconds: float = 0.0
    node_seconds: float = 0.0
    starts_at: float = np.inf
    ends_at: float = -np.inf

    def take(self, frames: Sequence[Frame]) -> None:
        """Notice what the next block shows."""
        frames = [frame for frame in frames if frame.values.shape[1]]
        if not frames:
            return
        bands, self.tail = advance_bands(tail=self.tail, frames=frames)
        self.bands = list(merged([*self.bands, *bands]))
        self._hear(frames)
        start = min(frame.start for frame in frames)
        end = max(frame.start + frame.step * frame.values.shape[1] for frame in frames)
        scene = _between(self._scene(), _instant(start), _instant(end))
        found, self.memory = advance(memory=self.memory, frames=frames, scene=scene)
        for each in found:
            note(self.found, each)

    def done(self) -> ReplayResult:
        """Return everything noticed."""
        watched = WatchedSpan(
            starts_at=_instant(self.starts_at),
            ends_at=_instant(self.ends_at),
            hosts=tuple(sorted(self.hosts)),
            observed_seconds=self.observed_seconds,
            node_seconds=self.node_seconds,
        )
        return ReplayResult(
            anomalies=tuple(self.found.values()), scene=self._scene(), watched=watched
        )

    def _scene(self) -> Scene:
        groups = self.scene.groups
        if not groups and self.hosts:
            # Without a scheduler's word all hosts are peers while they work.
            everyone = tuple(sorted(self.hosts))
            groups = (PeerGroup(name="", hosts=everyone, starts_at=_instant(self.starts_at)),)
        bands = tuple(merged([*self.scene.bands, *self.bands]))
        return replace(self.scene, groups=groups, bands=bands)

    def _hear(self, frames: Sequence[Frame]) -> None:
        start, step = min(each.start for each in frames), min(each.step for each in frames)
        end = max(each.start + each.step * each.values.shape[1] for each in frames)
        count = max(1, round((end - start) / step))
        heard: dict[str, Mask] = {}
        targets = _targets(frames, self.hosts)
        for frame, known in _alike(frames):
            _mark(heard, frame, known, grid=(start, step, count))
        heard = {host: mask for host, mask in heard.items() if host not in targets}
        self.hosts |= heard.keys()
        if heard:
            everyone = np.stack(list(heard.values()))
            self.node_seconds += step * float(np.count_nonzero(everyone))
            self.observed_seconds += step * float(np.count_nonzero(everyone.any(axis=0)))
        self.starts_at, self.ends_at = min(self.starts_at, start), max(self.ends_at, end)


def replayed(*, blocks: Iterable[Sequence[Frame]], scene: Scene) -> ReplayResult:
    """Return what watching all blocks would have noticed."""
    replay = Replay(scene=scene)
    for block in blocks:
        replay.take(block)
    return replay.done()


def _between(scene: Scene, starts_at: datetime, ends_at: datetime) -> Scene:
    """Return what is known at the end of a block of what concerns it; nobody knows a later end."""
    groups = (
        replace(each, ends_at=None) if each.ends_at and each.ends_at > ends_at else each
        for each in scene.groups
        if each.starts_at < ends_at
    )
    return Scene(
        groups=tuple(each for each in groups if each.ends_at is None or each.ends_at > starts_at),
        bands=tuple(
            each
            for each in scene.bands
            if each.starts_at < ends_at and each.ends_at > starts_at - SETTLED
        ),
    )


def _alike(frames: Sequence[Frame]) -> Iterator[tuple[Frame, Mask]]:
    """Yield one frame of those with the same rows and columns, and where any of them is known."""
    found: dict[Hashable, tuple[Frame, Mask]] = {}
    for frame in frames:
        key = (frame.entities, frame.start, frame.step, frame.values.shape[1])
        known = ~np.isnan(frame.values)
        former = found.get(key)
        found[key] = (frame, known if former is None else former[1] | known)
    yield from found.values()


def _targets(frames: Sequence[Frame], known: Set[str]) -> frozenset[str]:
    """Return addresses that only the scrapes of an exporter name, where hosts go by names.

    One exporter may answer for many hosts: where it listens is none of them.
    """
    scraped = {frame.signal.exporter == SCRAPES: set[str]() for frame in frames}
    for frame in frames:
        hosts = {entity.host for entity in frame.entities if entity.host}
        scraped[frame.signal.exporter == SCRAPES] |= hosts
    others = scraped.get(False, set()) | known
    if all(map(ADDRESS.fullmatch, others)):
        return frozenset()
    return frozenset(filter(ADDRESS.fullmatch, scraped.get(True, set()) - others))


def _mark(
    heard: dict[str, Mask], frame: Frame, known: Mask, *, grid: tuple[float, float, int]
) -> None:
    """Note at which instants each host of a frame was heard."""
    start, step, count = grid
    columns = np.rint((frame.at - start) / step).astype(np.intp).clip(0, count - 1)
    width = max(1, round(frame.step / step))
    for row, entity in enumerate(frame.entities):
        if entity.host:
            mine = heard.setdefault(entity.host, np.zeros(count, dtype=np.bool_))
            for offset in range(width):
                mine[(columns[known[row]] + offset).clip(0, count - 1)] = True


def _instant(second: float) -> datetime:
    return datetime.fromtimestamp(second if np.isfinite(second) else 0.0, UTC)
