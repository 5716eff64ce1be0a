"""Points of a run survive being packed, and of too many the same stay in whatever pieces."""

from datetime import UTC, datetime, timedelta

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.model import PointKind, ProgressPoint
from apps.telemetry.logs import progress_blocks

AT = datetime(2026, 11, 9, 12, tzinfo=UTC)
WHOLE = st.none() | st.integers(0, 2**31 - 1)
DECIMAL = st.none() | st.floats(allow_nan=False, allow_infinity=False)
POINTS = st.builds(
    ProgressPoint,
    kind=st.sampled_from(PointKind),
    number=st.integers(1, 2**53),
    at=st.none() | st.datetimes(datetime(1970, 1, 1), datetime(2199, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  bounds
    is_local=st.booleans(),
    rank=WHOLE,
    step=st.none() | st.integers(0, 2**53),
    seconds=DECIMAL,
    loss=DECIMAL,
    tokens_per_second=DECIMAL,
    tflops=DECIMAL,
    mfu=DECIMAL,
    batch=WHOLE,
)


def step(number: int) -> ProgressPoint:
    """Return a point of one step a line."""
    at = AT + timedelta(seconds=number)
    return ProgressPoint(kind=PointKind.STEP, number=number, step=number, at=at, seconds=1.0)


@given(st.lists(POINTS, max_size=20))
def test_what_is_packed_comes_back_as_it_was(points: list[ProgressPoint]) -> None:
    assert progress_blocks.unpacked(progress_blocks.packed(points)) == points


def test_bytes_that_are_no_block_are_refused() -> None:
    with pytest.raises(ValueError, match="no whole points"):
        progress_blocks.unpacked(zstandard.compress(b"abc"))


@pytest.mark.parametrize("piece", [1000, 4096, 9999, 20_000])
def test_of_too_many_steps_the_same_stay_in_whatever_pieces_they_come(piece: int) -> None:
    points = [step(number) for number in range(20_000)]
    save = ProgressPoint(kind=PointKind.SAVE_ENDS, number=777)
    kept, stride = [save], 1
    for start in range(0, len(points), piece):
        kept, stride = progress_blocks.thinned(
            [*kept, *points[start : start + piece]], stride=stride
        )
    assert stride == 8
    assert kept == [save, *points[::8]]


def test_a_thousand_steps_take_few_bytes() -> None:
    body = progress_blocks.packed([step(number) for number in range(1000)])
    assert len(body) < 10_000
