"""A hint is no statement: words that stand for many things never make a likely verdict."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

SHADER = "[{up}] NVRM: Xid (PCI:0000:{bus}:00): 13, pid={pid}, Graphics SM Warp Exception on (GPC 3, TPC 1, SM 0): Out Of Range Address"


def verdict(*lines: str, stream: Stream = Stream.SESSION) -> Verdict:
    """Return what is said of lines that nothing else stands beside."""
    origin = Origin(source="log", stream=stream)
    return diagnose(readings=[read_source(origin=origin, text="\n".join(lines))]).verdict


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeError: the pipeline broke at stage 4",
        "Exception: something went wrong",
        "SystemError: returned a result with an exception set",
        "OSError: could not finish",
        "ValueError: no worker of the placement is left",
        "ssh: connect to host n05 port 22: No route to host",
        "ssh: connect to host n05 port 22: Connection timed out",
        "10:01:02 up 31 days,  2:07,  1 user,  load average: 812.40, 790.11, 650.02",
        "cpu cfs throttled 31 times",
        "OMP_NUM_THREADS is set to 1 to avoid overloading",
        "perf: interrupt took too long (3134 > 3130), lowering kernel.perf_event_max_sample_rate",
        "NET/IB : collective mismatch error local size 1024 remote 4096 addr 7f rkey 2 seq 1/2",
        "Mismatched ALLREDUCE CPU/GPU device selection: One rank specified device GPU, but another rank specified device CPU.",
        "A worker died. There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer. (2) ray stop",
        "A worker died. Some common causes include: (1) the process was killed by the OOM killer due to high memory usage, (2) ray stop",
    ],
)
def test_words_that_stand_for_many_things_are_not_enough(line: str) -> None:
    assert verdict(line).status is not VerdictStatus.LIKELY


@pytest.mark.parametrize(
    "line",
    [
        "KeyError: 'lm_head.weight'",
        "TypeError: forward() got an unexpected keyword argument 'mask'",
        "ZeroDivisionError: division by zero",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x80 in position 12: invalid start byte",
        "omegaconf.errors.ConfigAttributeError: Key 'optim' is not in struct",
    ],
)
def test_a_class_that_only_programs_raise_is_enough(line: str) -> None:
    said = verdict(
        "Traceback (most recent call last):", '  File "train.py", line 3, in <module>', line
    )
    assert (said.status, said.cause) == (VerdictStatus.LIKELY, "rank-exception")


@pytest.mark.parametrize(
    "line", ["RuntimeError: failed to place 4 bundles on the nodes", "OSError: the driver is lost"]
)
def test_a_message_about_the_surroundings_speaks_for_no_program(line: str) -> None:
    assert verdict(line).status is VerdictStatus.UNKNOWN


def test_faults_of_two_gpus_hours_apart_are_no_crowd() -> None:
    lines = (
        SHADER.format(up="35906372.123362", bus="62", pid=41),
        SHADER.format(up="35923232.975865", bus="63", pid=77),
    )
    assert verdict(*lines, stream=Stream.KERNEL).status is VerdictStatus.UNKNOWN


def test_faults_of_two_gpus_within_seconds_are_a_crowd() -> None:
    lines = (
        SHADER.format(up="35906372.123362", bus="62", pid=41),
        SHADER.format(up="35906373.975865", bus="63", pid=77),
    )
    assert verdict(*lines, stream=Stream.KERNEL).cause == "kernel-bug"
