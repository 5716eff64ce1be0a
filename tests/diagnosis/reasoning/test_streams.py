"""A source in which only sessions speak is a session's; beside another kind of log it is not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import CoverageState, Origin, Reading, Stream
from apps.diagnosis.reasoning.scope.streams import of_kernels, of_sessions
from apps.diagnosis.signatures.read import read_source

NCCL = "n1:101:101 [0] NCCL INFO Bootstrap : Using eno1:10.0.0.1<0>"
WATCHDOG = (
    "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, "
    "Timeout(ms)=1800000) ran for 1800123 milliseconds before timing out."
)
EXIT = (
    "  time      : 2026-03-10_07:47:23\n  host      : n1\n  rank      : 3 (local_rank: 3)\n"
    "  exitcode  : -6 (pid: 101)"
)
STEP = (
    " [2026-03-10 07:40:00] iteration 12/ 100 | consumed samples: 768 | "
    "elapsed time per iteration (ms): 1002.1 | lm loss: 3.2 |"
)
CLOSED = "{'train_runtime': 910.2, 'train_samples_per_second': 1.1}"
OTHER = "nvidia-fabricmanager: some switch said something"
KERNEL = (
    "2026-03-10T07:40:00+00:00 n1 kernel: [ 9.1] NVRM: Xid (PCI:0000:1b:00): 79, "
    "GPU has fallen off the bus."
)


def _read(*lines: str, source: str = "slurm-1.out") -> Reading:
    return read_source(origin=Origin(source=source), text="\n".join(lines))


def _streams(*readings: Reading) -> list[Stream | None]:
    return [one.origin.stream for one in of_sessions(readings=readings)]


def test_lines_beside_those_of_the_library_are_of_the_session() -> None:
    (found,) = of_sessions(readings=[_read(NCCL, WATCHDOG, EXIT)])
    assert found.origin.stream is Stream.SESSION
    assert {one.line.origin.stream for one in found.events} == {Stream.SESSION}


def test_a_source_in_which_a_kernel_speaks_too_is_left_as_it_is() -> None:
    assert _streams(_read(NCCL, KERNEL, EXIT)) == [None]


def test_it_does_not_matter_how_a_source_is_cut() -> None:
    assert _streams(_read(NCCL), _read(EXIT)) == [Stream.SESSION] * 2
    assert _streams(_read(NCCL), _read(KERNEL), _read(EXIT)) == [None] * 3
    assert _streams(_read(NCCL), _read(OTHER, source="other")) == [Stream.SESSION, None]


@pytest.mark.parametrize("line", [STEP, EXIT, CLOSED])
def test_a_source_in_which_only_a_program_speaks_is_of_a_session(line: str) -> None:
    assert _streams(_read(line)) == [Stream.SESSION]
    assert _streams(_read(line), _read(KERNEL)) == [None] * 2
    assert _streams(_read(OTHER)) == [None]


def test_what_a_person_called_a_source_stays() -> None:
    called = Origin(source="slurm-1.out", stream=Stream.STORAGE)
    reading = replace(_read(NCCL, EXIT), origin=called)
    assert _streams(reading) == [Stream.STORAGE]


def test_a_wait_without_a_time_is_counted_back_from_the_end_of_its_processes() -> None:
    found = diagnose(readings=[_read(NCCL, WATCHDOG, EXIT)])
    assert found.failed_at is not None
    assert f"{found.failed_at + timedelta(milliseconds=1_800_123):%H:%M:%S}" == "07:47:23"


def _kernels(*readings: Reading) -> list[Stream | None]:
    return [one.origin.stream for one in of_kernels(readings=readings)]


LOST = "NVRM: Xid (PCI:0000:1b:00): 79, pid=71, GPU has fallen off the bus."


def test_a_kernels_words_without_any_prefix_are_a_kernels() -> None:
    assert _kernels(_read(LOST)) == [Stream.KERNEL]
    assert _kernels(_read("kernel: " + LOST, "a driver says something")) == [Stream.KERNEL]
    assert _kernels(_read(LOST), _read(LOST)) == [Stream.KERNEL] * 2


def test_a_kernels_words_beside_a_programs_make_no_kernels_log() -> None:
    assert _kernels(_read(LOST, STEP)) == [None]
    assert _kernels(_read(LOST), _read(EXIT)) == [None] * 2
    assert _kernels(_read(OTHER)) == [None]
    named = replace(_read(LOST), origin=Origin(source="slurm-1.out", stream=Stream.SESSION))
    assert _kernels(_read(LOST, NCCL)) == [None]
    assert [one.origin.stream for one in of_sessions(readings=[named])] == [Stream.SESSION]


def test_a_lone_line_of_a_kernel_is_read_as_its_log() -> None:
    said = diagnose(readings=[_read(LOST)])
    assert {one.source for one in said.coverage if one.state is CoverageState.PRESENT} == {
        "kernel-log"
    }
