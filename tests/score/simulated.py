"""The simulator's scenarios as files, over several seeds, against its ledger of the truth."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, VerdictStatus
from apps.simulator.offline import offline_world, write_scenario
from apps.telemetry.files.text_sources import open_paths
from tests.score.measures import Measure
from tests.score.readings import read_all

SEEDS = range(101, 118)
# Only metrics can show it, and files of a scenario hold logs.
NEEDS_METRICS = frozenset({"thermal-straggler"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One scenario of one seed with what was said about it."""

    name: str
    truth: dict[str, Any]
    diagnosis: Diagnosis

    @property
    def is_layer_right(self) -> bool:
        """Say whether the verdict names the layer."""
        return bool(self.diagnosis.verdict.layer.value == self.truth["layer"])

    @property
    def is_cause_right(self) -> bool:
        """Say whether the verdict names the cause."""
        return bool(self.diagnosis.verdict.cause == self.truth["cause"])

    @property
    def is_host_right(self) -> bool:
        """Say whether a host that broke is blamed, and none when none broke."""
        said = {one.host for one in self.diagnosis.verdict.culprits if one.host}
        true = {one["host"] for one in self.truth["culprits"] if one["host"]}
        return bool(said & true) or not true

    @property
    def is_likely_wrong(self) -> bool:
        """Say whether the verdict sounds sure and names another layer."""
        return self.diagnosis.verdict.status is VerdictStatus.LIKELY and not self.is_layer_right


def runs() -> list[Run]:
    """Return the diagnosis of every scenario of every seed."""
    return [run for seed in SEEDS for run in _of_seed(seed)]


def _of_seed(seed: int) -> Iterator[Run]:
    world = offline_world(seed=seed)
    for name in sorted(set(world.outcomes) - NEEDS_METRICS):
        with tempfile.TemporaryDirectory() as folder:
            for path in write_scenario(world=world, name=name, directory=Path(folder) / name):
                truth = json.loads((path / "truth.json").read_text("utf-8"))
                (path / "truth.json").unlink()
                yield Run(name=f"{path.name} of seed {seed}", truth=truth, diagnosis=_said(path))


def _said(path: Path) -> Diagnosis:
    now = datetime(2027, 1, 31, tzinfo=UTC)
    return diagnose(readings=list(read_all(sources=open_paths(paths=[str(path)], now=now))))


def measures(*, found: Sequence[Run]) -> list[Measure]:
    """Return layer, cause, host and false certainty over the runs."""
    n = len(found)
    return [
        Measure(
            name="simulator: layer", hits=sum(r.is_layer_right for r in found), n=n, at_least=0.99
        ),
        Measure(name="simulator: cause", hits=sum(r.is_cause_right for r in found), n=n),
        Measure(
            name="simulator: host", hits=sum(r.is_host_right for r in found), n=n, at_least=0.99
        ),
        Measure(
            name="simulator: likely and wrong",
            hits=sum(r.is_likely_wrong for r in found),
            n=n,
            at_most=0.0,
        ),
    ]


def failures(*, found: Sequence[Run]) -> list[str]:
    """Return a line per miss."""
    return [
        f"{one.name}: expected {one.truth['layer']}/{one.truth['cause']}, said "
        f"{one.diagnosis.verdict.status.value} {one.diagnosis.verdict.layer.value}/"
        f"{one.diagnosis.verdict.cause}"
        for one in found
        if not (one.is_layer_right and one.is_cause_right and one.is_host_right)
    ]
