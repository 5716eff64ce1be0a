"""Runs over network namespaces, broken now, are read as whoever broke them knows them.

Most of an hour: they run as root, where a Python that has PyTorch and the others is named.
"""

import os
from pathlib import Path

import pytest

from tests.live.gloo.judge import VARIABLE
from tests.live.nodes.recording import recorded, skipped
from tests.live.nodes.ways.every import WAYS
from tests.live.nodes.ways.way import Way
from tests.score.gauge.labels import HELD
from tests.score.real_runs.card import answer
from tests.score.real_runs.labels import RunLabel, read_labels

pytestmark = pytest.mark.sweep
needs_programs = pytest.mark.skipif(
    not os.environ.get(VARIABLE),
    reason=f"{VARIABLE} names no Python with PyTorch, JAX, Ray and mpi4py: runs over nodes were "
    "tried from kept logs alone; set it to one, as root, to make them",
)
LABELS = {label.name: label for label in read_labels()}


def test_every_way_is_labelled_and_every_label_is_of_a_way() -> None:
    assert sorted(way.name for way in WAYS) == sorted(LABELS)


@needs_programs
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_run_that_broke_now_is_read_no_worse_than_the_kept_one(way: Way, tmp_path: Path) -> None:
    _skip_what_is_not_here(way)
    recorded(way, into=tmp_path / way.name)
    label = LABELS[way.name]
    found, kept = answer(label=label, runs=tmp_path), answer(label=label)
    new = sorted({*found.misses} - {*kept.misses})
    assert not new, _told(label, new, found.as_text)


def _skip_what_is_not_here(way: Way) -> None:
    if reason := skipped(way):
        pytest.skip(f"{way.name} was not made: {reason}")


def _told(label: RunLabel, misses: list[str], text: str) -> str:
    """Say which run was read worse; of the part that is held back, no more than that."""
    return text if label.part != HELD else f"{label.name}: {len(misses)} more"
