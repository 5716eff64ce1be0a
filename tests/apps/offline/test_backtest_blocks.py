"""A past range as blocks of frames: which tables, which grid, and what is refused."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from apps.offline.backtest_report import blocks
from apps.offline.backtest_report.blocks import RequestedSpan, cut, files_of, grids_of, of_files
from apps.telemetry.files.unusable_input import UnusableInput

AT = datetime(2026, 3, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def _span(seconds: float, step: float | None = None) -> RequestedSpan:
    return RequestedSpan(starts_at=AT, ends_at=AT + seconds * SECOND, step=step)


def test_a_server_is_asked_for_a_range_in_blocks() -> None:
    step = 60.0
    width = int(blocks.BLOCK_SECONDS / step)
    grids = grids_of(span=_span(step * (width + 3), step))
    assert [each.count for each in grids] == [width, 4]  # with its last instant
    assert [each.start for each in grids] == [AT.timestamp(), AT.timestamp() + width * step]
    assert {each.step for each in grids_of(span=_span(3600))} == {blocks.USUAL_STEP}


@pytest.mark.parametrize(
    ("span", "reason"),
    [
        (RequestedSpan(starts_at=AT), "needs --from and --to"),
        (RequestedSpan(ends_at=AT), "needs --from and --to"),
        (_span(0), "the range is empty"),
        (_span(-1), "the range is empty"),
        (_span(0.5, 60.0), "shorter than one step of 60 s"),
    ],
)
def test_a_range_that_holds_nothing_is_refused(span: RequestedSpan, reason: str) -> None:
    with pytest.raises(UnusableInput, match=reason):
        grids_of(span=RequestedSpan(
            starts_at=span.starts_at and span.starts_at + SECOND / 4,
            ends_at=span.ends_at and span.ends_at + SECOND / 4,
            step=span.step,
        ))  # fmt: skip


def test_the_tables_of_a_folder_are_read_but_the_list_of_failures(tmp_path: Path) -> None:
    for name in ("b.csv", "a.CSV", "failures.csv", "notes.txt"):
        (tmp_path / name).write_text("x")
    found = files_of(tmp_path, but=tmp_path / "." / "failures.csv")
    assert [each.name for each in found] == ["a.CSV", "b.csv"]
    assert len(files_of(tmp_path)) == 3
    assert files_of(tmp_path / "notes.txt") == [tmp_path / "notes.txt"]
    with pytest.raises(UnusableInput, match="no such file or folder"):
        files_of(tmp_path / "gone")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnusableInput, match="no table in it"):
        files_of(tmp_path / "empty")


def _table(path: Path, times: Iterable[float], metric: str = "DCGM_FI_DEV_SM_CLOCK") -> Path:
    rows = [f"{AT.timestamp() + at:.0f},{metric},n1,0,{1900 + at % 7}" for at in times]
    path.write_text("\n".join(["time,metric,Hostname,gpu,value", *rows]) + "\n")
    return path


def test_the_step_of_a_table_is_its_own_within_bounds_unless_another_is_asked_for(
    tmp_path: Path,
) -> None:
    def step(apart: float, asked: float | None = None) -> float:
        path = _table(tmp_path / "t.csv", [apart * n for n in range(9)])
        (frames, *_) = of_files(paths=[path], span=RequestedSpan(step=asked), zone=None)
        return frames[0].step

    assert step(30.0) == 30.0
    assert step(1.0) == blocks.LEAST_STEP
    assert step(blocks.MOST_STEP * 2) == blocks.MOST_STEP
    assert step(30.0, asked=90.0) == 90.0


def test_a_table_is_read_from_its_first_sample_to_its_last_or_as_asked(tmp_path: Path) -> None:
    path = _table(tmp_path / "t.csv", [30.0 * n for n in range(9)])
    (whole,) = of_files(paths=[path], span=RequestedSpan(), zone=None)
    assert (whole[0].start, whole[0].values.shape[1]) == (AT.timestamp(), 9 + 1)
    asked = RequestedSpan(starts_at=AT + 60 * SECOND, ends_at=AT + 120 * SECOND)
    (part,) = of_files(paths=[path], span=asked, zone=None)
    assert (part[0].start, part[0].values.shape[1]) == (AT.timestamp() + 60, 3)
    for starts, ends, reason in (
        (AT + 3600 * SECOND, None, "the range is empty"),
        (AT + 3600 * SECOND, AT + 7200 * SECOND, "no sample lies between"),
        (AT + SECOND, AT + SECOND, "the range is empty"),
    ):
        with pytest.raises(UnusableInput, match=reason):
            list(
                of_files(
                    paths=[path], span=RequestedSpan(starts_at=starts, ends_at=ends), zone=None
                )
            )


def test_what_no_detector_looks_at_is_no_frame(tmp_path: Path) -> None:
    path = _table(tmp_path / "t.csv", [30.0 * n for n in range(9)], metric="node_uname_info")
    with pytest.raises(UnusableInput, match="no sample lies between the first sample and"):
        list(of_files(paths=[path], span=RequestedSpan(), zone=None))


def test_a_table_that_is_too_large_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _table(tmp_path / "t.csv", [30.0 * n for n in range(9)])
    size = path.stat().st_size
    monkeypatch.setattr(blocks, "MOST_BYTES", size)
    assert list(of_files(paths=[path], span=RequestedSpan(), zone=None))
    monkeypatch.setattr(blocks, "MOST_BYTES", size - 1)
    with pytest.raises(UnusableInput, match="more than 512 MB"):
        list(of_files(paths=[path], span=RequestedSpan(), zone=None))


def test_blocks_follow_each_other_without_a_gap(tmp_path: Path) -> None:
    count = int(blocks.BLOCK_SECONDS / 60) + 5
    path = _table(tmp_path / "t.csv", [60.0 * n for n in range(count)])
    (first,), (second,) = of_files(paths=[path], span=RequestedSpan(), zone=None)
    assert second.start == first.start + first.values.shape[1] * 60.0
    assert first.values.shape[1] + second.values.shape[1] == count + 1
    assert len(list(cut([first]))) == 1
    assert not np.isnan(second.values[:, :-1]).any()
