"""Who holds what of a simulated fault: logs as files, metrics as the party's server has them."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from apps.diagnosis.detection.metrics.frames import Samples, grid_between
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Frame, Reading
from apps.offline.backtest_report.blocks import frames_of
from apps.offline.series.series_server import AFTERWARDS, BEFORE
from apps.simulator.metrics_server.store import SCRAPE_SECONDS, Selection, SeriesStore
from apps.simulator.offline import offline_world, write_scenario
from apps.simulator.world.world import World
from apps.telemetry.files.text_sources import open_paths
from tests.score.readings import read_all

# One party holds the symptom and another the cause. Left out: where a single party's own log names
# the cause (ecc94, nvlink149, python-exception), and where nothing failed or nobody could know.
FAULTS: Final = ("nfs-queue", "xid79-pcie", "gsp119", "host-oom", "port-flap")
# Who sends what to the portal of the demo, by docs/simulator.md.
STREAM_HOLDERS: Final = {
    "session": "tenant",
    "kernel": "operator",
    "scheduler": "platform",
    "storage": "storage vendor",
    "fabric": "network vendor",
}
METRICS_HOLDERS: Final = {"aurora": "operator", "strata": "storage vendor"}
PARTIES: Final = tuple(STREAM_HOLDERS.values())
READ_AT: Final = datetime(2027, 1, 31, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedFault:
    """One fault of one seed, with what each party holds of it."""

    name: str
    seed: int
    truth: Mapping[str, Any]
    readings: Mapping[str, tuple[Reading, ...]]  # by party
    frames: Mapping[str, tuple[Frame, ...]]


def mixed_faults(*, seed: int, names: Sequence[str] = FAULTS) -> Iterator[MixedFault]:
    """Yield the faults of a seed; logs are read as the command reads folders."""
    world = offline_world(seed=seed)
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            write_scenario(world=world, name=name, directory=path, all_kernels=True)
            truth = json.loads((path / "truth.json").read_text("utf-8"))
            (path / "truth.json").unlink()
            yield MixedFault(
                name=name,
                seed=seed,
                truth=truth,
                readings={
                    party: _readings(path, stream) for stream, party in STREAM_HOLDERS.items()
                },
                frames={
                    party: _frames(world, exporter, name)
                    for exporter, party in METRICS_HOLDERS.items()
                },
            )


def _readings(path: Path, stream: str) -> tuple[Reading, ...]:
    manifest = path / "faultline.json"
    whole = manifest.read_text("utf-8")
    mine = [each for each in json.loads(whole) if each["stream"] == stream]
    if not mine:
        return ()
    with tempfile.TemporaryDirectory() as alone:
        for each in mine:
            target = Path(alone) / each["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((path / each["path"]).read_bytes())
        (Path(alone) / manifest.name).write_text(json.dumps(mine), encoding="utf-8")
        return tuple(read_all(sources=open_paths(paths=[alone], now=READ_AT)))


def _frames(world: World, exporter: str, name: str) -> tuple[Frame, ...]:
    """Return what the command asks a party's server for: the watched signals around the stop."""
    stopped_at = world.outcomes[name].truth.newest_evidence_at
    grid = grid_between(
        start=stopped_at - BEFORE.total_seconds(),
        end=stopped_at + AFTERWARDS.total_seconds(),
        step=SCRAPE_SECONDS,
    )
    at = grid.start + grid.step * np.arange(grid.count, dtype=np.float64)
    store = SeriesStore(world=world, party=exporter)
    series = [
        each
        for family_name in sorted(_watched() & set(store.families))
        for each in _series(store, family_name, at)
    ]
    return tuple(frames_of(series, grid))


def _series(store: SeriesStore, name: str, at: Any) -> Iterator[Samples]:
    family = store.families[name]
    measured = store.entities_of(family)
    rows = np.arange(len(measured.labels), dtype=np.int64)
    chosen = Selection(family=family, entities=measured, rows=rows)
    for labels, values in zip(chosen.labels(), store.values(chosen, at), strict=True):
        is_there = ~np.isnan(values)
        yield Samples(labels=labels, at=at[is_there], values=values[is_there])


@cache
def _watched() -> frozenset[str]:
    signals = catalog().signals.values()
    return frozenset(one.metric for each in signals if each.watch for one in each.queries)
