"""The scoring of recorded tables, on a made-up one."""

from pathlib import Path

import numpy as np
import pytest

from tests.diagnosis.detection.baseline.machine import table, with_burst
from tests.score import tables


def test_without_recorded_tables_nothing_is_scored(tmp_path: Path) -> None:
    assert tables.part(folder=tmp_path) is None


def test_a_machine_is_scored_beside_its_peers_and_absent_ones_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_peer", lambda name: None)
    test = with_burst(table(days=1, seed=2), start=1000, end=1020, columns=(2, 5, 7))
    label = np.zeros(len(test), dtype=np.uint8)
    label[1000:1020] = 1
    (tmp_path / "smd").mkdir()
    np.savez(
        tmp_path / "smd" / "made-up.npz",
        train=table(days=3, seed=1),
        test=test,
        label=label,
        interpretation=np.array(["1000-1020:3,6,8"]),
    )

    found = tables.part(folder=tmp_path)

    assert found is not None
    by_name = {row.name: row for row in found[0]}
    ours = by_name["smd: incidents found at 1 false pages a machine-day (best threshold)"]
    assert (ours.hits, ours.n) == (1, 1)
    assert ours.at_least is not None
    assert by_name["smd: responsible columns, HitRate@100 %"].rate >= 2 / 3
    assert sum("is missing" in line or "are missing" in line for line in found[1]) == 2
