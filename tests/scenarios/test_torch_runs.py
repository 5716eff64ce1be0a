"""Outputs of real runs of PyTorch over gloo, each broken in one way, as they were printed.

Made by `tests/live/test_torch.py`; paths and hosts are plain ones, frames of libraries are fewer.
"""

from pathlib import Path

import pytest

from apps.diagnosis.model import Diagnosis
from apps.wording import in_english
from tests.scenarios.torch_expected import EXPECTED, misses, said, slug
from tests.scenarios.verdicts import diagnosed

RUNS = Path(__file__).with_name("torch_runs")


def _diagnosed(name: str) -> Diagnosis:
    folder = RUNS / slug(name)
    paths = sorted(path for path in folder.rglob("*.log"))
    texts = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}
    return diagnosed(texts=texts)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_real_run_is_read_as_an_expert_reads_it(name: str) -> None:
    found = _diagnosed(name)
    assert misses(EXPECTED[name], found) == [], f"expected {EXPECTED[name]}, said {said(found)}"


def test_every_run_that_is_kept_is_judged() -> None:
    assert {path.name for path in RUNS.iterdir()} == {slug(name) for name in EXPECTED}


def test_what_many_ranks_raised_alike_is_no_ranks_own() -> None:
    found = _diagnosed("bad configuration")
    texts = [in_english(piece.statement) for piece in found.hypotheses[0].supporting]
    assert found.verdict.culprits == ()
    assert not any(text.startswith("one rank") for text in texts)


def test_a_rank_that_is_named_is_the_culprit() -> None:
    for name in ("rank killed", "abort", "exit 3 without words", "exception on one rank"):
        ranks = {device.rank for device in _diagnosed(name).verdict.culprits}
        assert ranks == {2}, name
