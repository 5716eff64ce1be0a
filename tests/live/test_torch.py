"""Real runs of PyTorch over gloo, broken in many ways, are read as an expert reads them.

Minutes long: they run where a Python that has PyTorch is named.
"""

import os
from pathlib import Path

import pytest

from tests.live.gloo.judge import VARIABLE, judged, python_with_torch
from tests.live.gloo.ways import WAYS, Way
from tests.scenarios.torch_expected import EXPECTED

pytestmark = pytest.mark.sweep
needs_torch = pytest.mark.skipif(
    not os.environ.get(VARIABLE) or not python_with_torch(),
    reason=f"{VARIABLE} names no Python with PyTorch: its runs were tried from kept "
    "outputs alone; set it to one to try them",
)


def test_every_way_has_its_experts_answer() -> None:
    assert {way.name for way in WAYS} == set(EXPECTED)


@needs_torch
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_run_that_broke_now_is_read_as_an_expert_reads_it(way: Way, tmp_path: Path) -> None:
    found = judged(way=way, folder=tmp_path)
    assert found.misses == (), found.as_row()
