"""The same session told in another order, cut, twice, compressed or by wrong clocks: same verdict.

Every run composes one story and changes it in several ways at once; the seed names the run.
"""

import gzip
import random
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis
from apps.telemetry.files.text_sources import open_paths
from tests.scenarios.stories import HOSTS, STORIES, TRUE_CLOCKS, Story
from tests.score.measures import Measure
from tests.score.readings import read_all

RUNS = range(100)
READ_AT = datetime(2026, 11, 14, tzinfo=UTC)
ZONES = (timedelta(0), timedelta(hours=9), timedelta(hours=-9))
MOST_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One story under one set of changes."""

    seed: int
    story: str
    changes: str
    expected: tuple[str, ...]
    said: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Say whether the verdict stayed."""
        return self.expected == self.said


def runs(*, seeds: Iterable[int] = RUNS) -> list[Run]:
    """Return one run per seed."""
    return [_run(seed) for seed in seeds]


def _run(seed: int) -> Run:
    chance = random.Random(seed)  # noqa: S311  no secret
    story = STORIES[seed % len(STORIES)]
    skew = {host: timedelta(seconds=chance.uniform(-1, 1) * MOST_SECONDS) for host in HOSTS}
    zone = chance.choice(ZONES)
    stream = chance.choice(("kernel", *HOSTS))
    skew[stream] = skew.get(stream, timedelta(0)) + zone
    with tempfile.TemporaryDirectory() as folder:
        paths = _written(story, skew, Path(folder), chance)
        said = _verdict(_diagnosed(paths))
    changes = f"{zone} on {stream}, shuffled, cut, doubled, compressed"
    return Run(seed=seed, story=story.name, changes=changes, expected=_expected(story), said=said)


def _expected(story: Story) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in story.tell(TRUE_CLOCKS).texts().items():
            _write(Path(folder) / name, text, is_packed=False)
        return _verdict(_diagnosed([folder]))


def _written(
    story: Story, skew: dict[str, timedelta], folder: Path, chance: random.Random
) -> list[str]:
    """Write each file whole, in two parts or twice, some compressed; return folders shuffled."""
    for name, text in story.tell(skew).texts().items():
        lines = text.splitlines(keepends=True)
        cut = chance.randrange(len(lines) + 1)
        way = chance.choice(("whole", "whole", "cut", "twice"))
        parts = {
            "whole": {"a": text},
            "cut": {"a": "".join(lines[:cut]), "b": "".join(lines[cut:])},
            "twice": {"a": text, "b": text},
        }[way]
        for side, part in parts.items():
            _write(folder / side / name, part, is_packed=chance.random() < 0.3)
    paths = [str(one) for one in sorted(folder.iterdir())]
    chance.shuffle(paths)
    return paths


def _write(path: Path, text: str, *, is_packed: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_packed:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def _diagnosed(paths: Sequence[str]) -> Diagnosis:
    return diagnose(readings=list(read_all(sources=open_paths(paths=list(paths), now=READ_AT))))


def _verdict(diagnosis: Diagnosis) -> tuple[str, ...]:
    said = diagnosis.verdict
    hosts = sorted({one.host for one in said.culprits if one.host})
    return (said.layer.value, said.cause, *hosts)


def measures(*, found: Sequence[Run]) -> list[Measure]:
    """Return how often the verdict stayed the same."""
    same = sum(one.is_same for one in found)
    name = "shuffled, cut, doubled, ±9 h on a stream and ±120 s per host: same verdict"
    return [Measure(name=name, hits=same, n=len(found), at_least=1.0)]


def failures(*, found: Sequence[Run]) -> list[str]:
    """Return a line per verdict that changed."""
    return [
        f"perturbed {one.story} (run {one.seed}: {one.changes}): expected {one.expected}, "
        f"said {one.said}"
        for one in found
        if not one.is_same
    ]


if __name__ == "__main__":
    done = runs()
    print("\n".join(failures(found=done)))  # noqa: T201  a command
    print(f"{sum(one.is_same for one in done)} of {len(done)} the same")  # noqa: T201  a command
