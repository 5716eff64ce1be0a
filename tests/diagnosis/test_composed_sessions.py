"""Composed sessions: the same seed gives the same files, and small ones are read without harm."""

from collections import Counter
from pathlib import Path

import pytest

from tests.score.composed import drawn_measures, run
from tests.score.generators import FIRST
from tests.score.sessions.compose import compose, scenarios

# One plain telling for each layer, for an honest unknown and for healthy ends.
PLAIN = ("gpu-ecc", "switch-port", "lustre-eviction", "host-oom", "cuda-oom", "ordered-end")


def _bytes(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("seed", [3, 14, 159])
def test_a_seed_gives_the_same_files_and_the_same_truth_again(seed: int, tmp_path: Path) -> None:
    first, _ = compose(seed=seed, folder=tmp_path / "one")
    again, _ = compose(seed=seed, folder=tmp_path / "two")
    assert first == again
    assert _bytes(tmp_path / "one") == _bytes(tmp_path / "two")


@pytest.mark.parametrize("scenario", scenarios())
def test_every_scenario_can_be_told_and_says_what_is_right(scenario: str, tmp_path: Path) -> None:
    truth, path = compose(seed=7, folder=tmp_path, scenario=scenario)
    assert path.exists()
    assert truth.status in {"named", "unknown", "no-failure"}
    assert truth.answers or truth.status != "named"


def test_the_three_kinds_of_sessions_are_drawn_in_their_shares(tmp_path: Path) -> None:
    drawn = Counter(
        compose(seed=seed, folder=tmp_path / str(seed))[0].status for seed in range(300, 360)
    )
    assert drawn["named"] > drawn["unknown"] > 0
    assert drawn["no-failure"] > 0


@pytest.mark.parametrize("scenario", PLAIN)
def test_a_plain_telling_is_read_without_a_crash_and_never_blamed_surely_on_another_layer(
    scenario: str,
) -> None:
    found = run(seed=7, scenario=scenario)
    assert not found.crash
    assert not found.is_likely_wrong


def test_unseen_sessions_are_counted_by_what_is_required_of_them() -> None:
    found = [run(seed=7, scenario=scenario) for scenario in ("gpu-ecc", "host-oom", "ordered-end")]
    rows = {one.name: one for one in drawn_measures(found=found, generator=FIRST)}
    assert rows["composed sessions, unseen: layer"].n == 3
    assert rows["composed sessions, unseen: layer of the GPU's"].n == 1
    assert rows["composed sessions, unseen: likely and wrong"].n == 3
    assert not any("abstains" in name for name in rows)  # nobody had to
