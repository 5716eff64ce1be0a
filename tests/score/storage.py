"""Saves of 60 nodes to one file server, simulated: one episode on what they share, or none."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from apps.diagnosis.detection.backtest.alarms import part_name
from apps.diagnosis.detection.backtest.evaluation import fused
from apps.diagnosis.detection.backtest.replay import replayed
from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.diagnosis.model import EarlyWarning, PeerGroup, Scene
from apps.offline.backtest_report.blocks import cut, frames_of
from apps.wording import in_english
from tests.census import storage as simulated
from tests.score.measures import Measure

SEEDS = (201, 202, 203, 204, 205)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One scene and the pages on it."""

    scene: simulated.Storage
    pages: tuple[EarlyWarning, ...]

    @property
    def is_right(self) -> bool:
        """Say whether there is one page, of the right layer and culprit, where something broke."""
        answer = self.scene.answer
        if not answer.is_fault:
            return not self.pages
        if len(self.pages) != 1 or self.pages[0].layer != answer.layer:
            return False
        kind, name = answer.culprit or ("", "")
        entity = self.pages[0].entity
        if kind == "node":
            return entity.host == name
        server = str(self.scene.lines[0].labels[0]["export"]).partition(":")[0]
        return entity.host is None and entity.name in {name, server}

    @property
    def is_careful(self) -> bool:
        """Say whether what is inferred is called so."""
        return all("consistent with" in _told(page) for page in self.pages)


def play(*, kind: str, seed: int) -> Played:
    """Return one scene with what is told of it."""
    scene = simulated.scene(kind=kind, seed=seed)
    count = scene.lines[0].values.shape[1]
    grid = Grid(start=scene.start, step=scene.step, count=count)
    at = scene.start + scene.step * np.arange(count, dtype=np.float64)
    series = [
        Samples(labels={**labels, "__name__": line.metric}, at=at, values=row)
        for line in scene.lines
        for labels, row in zip(line.labels, line.values, strict=True)
    ]
    session = PeerGroup(
        name="attempt 1",
        hosts=scene.hosts,
        starts_at=datetime.fromtimestamp(scene.start, UTC) - timedelta(hours=2),
    )
    past = replayed(blocks=cut(list(frames_of(series, grid))), scene=Scene(groups=(session,)))
    return Played(scene=scene, pages=tuple(each for each in fused(past=past) if each.is_page))


def measures(found: Sequence[Played]) -> list[Measure]:
    """Return how often a kind of scene is told rightly."""
    rows = []
    for kind in simulated.KINDS:
        mine = [each for each in found if each.scene.kind == kind]
        hits = sum(each.is_right for each in mine)
        least = 1.0 if kind == "slots" else None
        rows.append(
            Measure(name=f"storage: {kind}, told rightly", hits=hits, n=len(mine), at_least=least)
        )
    careful = sum(each.is_careful for each in found)
    rows.append(
        Measure(name="storage: inferred causes called so", hits=careful, n=len(found), at_least=1.0)
    )
    return rows


def failures(found: Sequence[Played]) -> list[str]:
    """Return one line per scene that was told otherwise."""
    return [
        f"storage scene {each.scene.kind} of seed {each.scene.seed}: expected "
        f"{_expected(each.scene.answer)}, said {_said(each.pages)}"
        for each in found
        if not each.is_right
    ]


def _expected(answer: simulated.Answer) -> str:
    if not answer.is_fault:
        return "nothing"
    return f"{answer.layer} at {' '.join(answer.culprit or ())}"


def _told(page: EarlyWarning) -> str:
    return in_english(page.statement) if page.statement else ""


def _said(pages: Sequence[EarlyWarning]) -> str:
    told = [f"{page.layer.value} at {part_name(page.entity)}" for page in pages]
    return "; ".join(told) or "nothing"


def runs() -> list[Played]:
    """Return every scene of the seeds."""
    return [play(kind=kind, seed=seed) for seed in SEEDS for kind in simulated.KINDS]


def main() -> None:
    """Print what is told of each scene."""
    found = runs()
    for each in found:
        told = [f"{page.raised_at:%H:%M} {_told(page)}" for page in each.pages]
        print(each.scene.kind, each.scene.seed, each.is_right, told)  # noqa: T201  a command
    for row in measures(found):
        print(f"{row.name:<50} {row.hits}/{row.n}")  # noqa: T201  a command


if __name__ == "__main__":
    main()
