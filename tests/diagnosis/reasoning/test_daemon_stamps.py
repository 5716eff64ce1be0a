"""Words of Slurm's daemons in the output of a job are in another zone than the job's programs."""

from datetime import UTC, datetime

import pytest

from apps.diagnosis.model import Origin, Stream
from apps.diagnosis.reasoning.timing.clocks.daemon_stamps import restamped
from apps.diagnosis.signatures.read import read_source

FAILED = "E1109 {} 4021 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 1 (pid: 4101) of binary: /usr/bin/python3"  # noqa: E501  one line of a log
TOLD = "W1109 {} 4022 torch/distributed/elastic/agent/server/api.py:730] Received Signals.SIGTERM death signal, shutting down workers"  # noqa: E501  one line of a log
ENDED = "slurmstepd: error: *** STEP 77.0 ON n1 CANCELLED AT 2026-11-09T{} DUE TO {} ***"


def _ended_at(*lines: str) -> datetime | None:
    read_at = datetime(2026, 11, 10, tzinfo=UTC)
    origin = Origin(source="slurm-77.out", stream=Stream.SESSION, received_at=read_at)
    (reading,) = restamped(readings=[read_source(origin=origin, text="\n".join(lines))])
    told = [one.line for one in reading.events if "CANCELLED" in one.line.text]
    return told[0].local_at


@pytest.mark.parametrize(
    ("lines", "hour"),
    [
        # Lines on both sides say that no time passed, or the reason does.
        ((FAILED.format("03:10:00.5"), ENDED.format("12:10:02", "TASK FAILURE")), 3),
        (
            (
                FAILED.format("03:10:00.5"),
                ENDED.format("01:40:02", "TIME LIMIT"),
                TOLD.format("03:10:03.5"),
            ),
            3,
        ),
        # A launcher hears of the daemon's signal at once, whatever stands above.
        ((ENDED.format("12:10:02", "TASK FAILURE"), TOLD.format("03:10:03.5")), 3),
        (
            (
                FAILED.format("01:40:00.5"),
                ENDED.format("12:10:02", "to SIGNAL Terminated"),
                TOLD.format("03:10:03.5"),
            ),
            3,
        ),
        # Else a job may well have been ended hours later.
        ((FAILED.format("03:10:00.5"), ENDED.format("12:10:02", "TIME LIMIT")), 12),
        ((FAILED.format("03:10:00.5"), ENDED.format("12:24:02", "TASK FAILURE")), 12),
        ((ENDED.format("12:10:02", "TASK FAILURE"), TOLD.format("03:14:03.5")), 12),
    ],
)
def test_a_daemons_word_stands_where_the_lines_around_it_do(
    lines: tuple[str, ...], hour: int
) -> None:
    at = _ended_at(*lines)
    assert at is not None
    assert at.hour == hour
