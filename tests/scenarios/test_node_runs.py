"""Real runs over nodes, each broken in one way, as they were printed.

Made by `tests/live/nodes`; `tests/score/real_runs` says what was done to each, and holds a part of
them back: of that part no single run is looked at here.
"""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.score.gauge.labels import HELD, LEARN
from tests.score.real_runs.card import RUNS, answer, answers, failures, measures
from tests.score.real_runs.labels import FOURTH, THIRD, RunLabel, read_labels

MOST_BYTES: Final = 40_000
# In what the answer differs from what whoever broke the run knows: a mended rule takes it out.
KNOWN_MISSES: Final[dict[str, tuple[str, ...]]] = {
    "torch-node-with-store-off": ("layer", "cause"),
    "torch-rank-runs-out-of-batches": ("host", "rank"),
    "deepspeed-rank-sleeps": ("end",),
    "mpi-told-to-end": ("end",),
    "torch-server-killed-at-save": ("layer", "cause"),
    "accelerate-node-off": ("host",),
    "deepspeed-told-to-end": ("end", "status"),
    "lightning-node-off": ("host",),
    "mpi-aborts": ("rank",),
    "jax-connections-reset": ("layer", "cause"),
    "mpi-module-missing": ("host",),
}
MINE: Final = re.compile(r"/(?:root|home|work)/|/tmp/w|pyenv|venv|\bbr-\d|faultline-\d")
TO_LEARN_FROM: Final = [label for label in read_labels() if label.part != HELD]


def _kept() -> list[Path]:
    return sorted(path for path in RUNS.rglob("*") if path.is_file())


def test_every_run_that_is_kept_is_labelled() -> None:
    assert {path.name for path in RUNS.iterdir()} == {label.name for label in read_labels()}


def test_each_part_has_runs_of_every_framework_and_layer() -> None:
    names = (LEARN, HELD, THIRD, FOURTH)
    parts = {name: [one for one in read_labels() if one.part == name] for name in names}
    assert min(map(len, parts.values())) >= 22
    for some in parts.values():
        assert {"network", "storage", "host", "software"} <= {one.layer for one in some}
        assert len({one.framework for one in some}) >= 5


def test_kept_logs_are_small_and_name_nothing_of_the_machine_they_were_made_on() -> None:
    for path in _kept():
        text = path.read_text("utf-8")
        assert len(text.encode()) <= MOST_BYTES, path
        assert not MINE.search(text), (path, MINE.search(text))


@pytest.mark.parametrize("label", TO_LEARN_FROM, ids=lambda label: label.name)
def test_a_run_to_learn_from_is_read_as_it_was_broken(label: RunLabel) -> None:
    found = answer(label=label)
    assert {*found.misses} <= {*KNOWN_MISSES.get(label.name, ())}, found.as_text


def test_what_is_known_to_be_missed_still_is() -> None:
    found = {label.name: answer(label=label).misses for label in TO_LEARN_FROM}
    assert {name: misses for name, misses in found.items() if misses} == KNOWN_MISSES


def test_shares_are_of_all_runs_and_lines_of_those_to_learn_from() -> None:
    found = answers()
    ends = [row for row in measures(found=found) if row.name.endswith(": end")]
    assert sum(row.n for row in ends) == len(found) == len(read_labels())
    told = {line.removeprefix("run over nodes ").split(":")[0] for line in failures(found=found)}
    assert told == set(KNOWN_MISSES)
