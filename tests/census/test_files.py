"""Labels, sessions and slices as files."""

import csv
from io import StringIO
from pathlib import Path

import pytest

from tests import census
from tests.census import listing, slices
from tests.census.__main__ import main

pytestmark = pytest.mark.sweep

COMMITTED = Path(__file__).parents[2] / "docs" / "census-labels.csv"


def test_the_committed_list_is_what_the_physics_does() -> None:
    seeds = (1, 2, 3, 101, 102, 103, 104, 105)
    rows = [r for s in seeds for r in listing.rows(seed=s, labels=census.plan(s).labels)]
    assert listing.as_csv(rows) == COMMITTED.read_text()


def test_the_command_prints_the_labels(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--seed", "3"])
    rows = list(csv.DictReader(StringIO(capsys.readouterr().out)))
    assert len(rows) == 18
    assert {row["simulated"] for row in rows} == {"true"}
    assert {"at", "host", "gpu", "xid", "kind"} <= set(rows[0])


def test_a_slice_is_written_as_tables(tmp_path: Path) -> None:
    main(
        [
            *("--seed", "3", "--write", str(tmp_path), "--hours", "1", "--from-hour", "30"),
            *("--hosts", "gpu00[12]", "--names", "up.*|node_intr_total"),
        ]
    )
    assert sorted(p.name for p in (tmp_path / "series").iterdir()) == ["gpu001.csv", "gpu002.csv"]
    table = (tmp_path / "series" / "gpu001.csv").read_text()
    rows = list(csv.DictReader(StringIO(table)))
    assert len(rows) == 60
    series = 'node_intr_total{job="node_exporter",instance="gpu001",simulated="true"}'
    assert float(rows[-1][series]) > float(rows[0][series])
    assert (tmp_path / "labels.csv").exists()
    assert (tmp_path / "sessions.csv").exists()


def test_a_slice_for_import_says_that_it_is_simulated(tmp_path: Path) -> None:
    part = slices.Slice(from_hour=5, hours=1, hosts="gpu007", names="DCGM_FI_DEV_(XID|GPU_T).*")
    (path,) = slices.write(census=census.plan(3), part=part, form="openmetrics", directory=tmp_path)
    lines = path.read_text().splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert lines[-1] == "# EOF"
    assert samples
    assert all('simulated="true"' in line for line in samples)


def test_a_slice_too_large_is_refused_before_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--seed", "3", "--write", str(tmp_path), "--hours", "200"])
    assert "choose fewer hours" in capsys.readouterr().err
    assert not (tmp_path / "series").exists()


def test_a_slice_outside_the_census_is_refused(tmp_path: Path) -> None:
    part = slices.Slice(from_hour=1319, hours=2)
    with pytest.raises(ValueError, match="the census has 1320"):
        slices.write(census=census.plan(3), part=part, form="csv", directory=tmp_path)
