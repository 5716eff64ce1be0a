"""Arrays of a file as rows and columns of numbers, or why they are none."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from apps.offline.series import wide_tables
from apps.offline.series.wide_columns import WideTable
from apps.offline.series.wide_tables import read_wide
from apps.telemetry.files.unusable_input import UnusableInput

ROWS = np.arange(40.0).reshape(20, 2)


def _read(tmp_path: Path, **arrays: Any) -> WideTable:
    np.savez(tmp_path / "m.npz", **arrays)
    return read_wide(tmp_path / "m.npz")


def test_an_array_of_one_dimension_is_one_column(tmp_path: Path) -> None:
    found = _read(tmp_path, test=ROWS[:, 0])
    assert found.test.tolist() == ROWS[:, :1].tolist()
    assert (found.train, found.names, found.step, found.times) == (None, None, None, None)


@pytest.mark.parametrize("kind", ["float64", "float32", "int16", "uint8"])
def test_numbers_of_any_kind_are_numbers(tmp_path: Path, kind: str) -> None:
    found = _read(tmp_path, test=ROWS.astype(kind), train=ROWS.astype(kind))
    assert found.test.dtype == (np.float32 if kind == "float32" else np.float64)
    assert found.train is not None
    assert found.train.tolist() == found.test.tolist() == ROWS.tolist()


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"train": ROWS}, "no array `test`"),
        ({"test": ROWS[None]}, "must be rows x columns"),
        ({"test": ROWS[:0]}, "must be rows x columns"),
        ({"test": np.array([["a"]])}, "not numbers"),
        ({"test": ROWS, "train": ROWS[:, :1]}, "`train` has 1 columns"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, arrays: Any, reason: str) -> None:
    with pytest.raises(UnusableInput, match=reason):
        _read(tmp_path, **arrays)


def test_arrays_as_large_as_the_limit_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wide_tables, "MOST_BYTES", ROWS.nbytes + 1000)
    assert _read(tmp_path, test=ROWS).test.shape == ROWS.shape
    monkeypatch.setattr(wide_tables, "MOST_BYTES", ROWS.nbytes - 1)
    with pytest.raises(UnusableInput):
        _read(tmp_path, test=ROWS)
