"""Whose crash the kernel tells of: a program's, in whatever library, or a service's of the host."""

import pytest

from tests.scenarios.verdicts import blamed_hosts, diagnosed

STEP = "2026-11-20 03:20:01,120 INFO train: step 100 loss 2.3\n"
SEGFAULT = "2026-11-20T03:20:02.900000+00:00 gpu001 kernel: {comm}[4245]: segfault at 0 ip 00007f7c7ac69996 sp 00007f7c12fd7c30 error 4 in {lib}[7f7c7ac00000+1c0000]\n"  # noqa: E501  a line of a log
TRAP = "2026-11-20T03:20:02.900000+00:00 gpu001 kernel: traps: {comm}[4245] general protection fault ip:7f2a1 sp:7ffc2 error:0 in {lib}[7f29+100]\n"  # noqa: E501  a line of a log


@pytest.mark.parametrize("line", [SEGFAULT, TRAP])
@pytest.mark.parametrize(
    ("comm", "lib", "cause"),
    [
        ("pt_main_thread", "libtorch_cuda.so", "kernel-bug"),
        ("pt_main_thread", "libdbus-1.so.3", "kernel-bug"),
        ("pt_main_thread", "libdcgm.so.3", "kernel-bug"),
        ("nv-hostengine", "libdcgm.so.3", "unknown"),
        ("dcgm-exporter", "libc.so.6", "unknown"),
        ("systemd-journal", "libsystemd-shared-249.so", "unknown"),
    ],
)
def test_a_crash_is_of_who_crashed_and_not_of_the_library_it_was_in(
    line: str, comm: str, lib: str, cause: str
) -> None:
    texts = {
        "session/gpu001/rank0.log": STEP,
        "kernel/gpu001.log": line.format(comm=comm, lib=lib),
    }
    assert diagnosed(texts=texts).verdict.cause == cause


LOST = "[rank{rank}]: RuntimeError: [/build/gloo/transport/tcp/pair.cc:545] Read error [10.77.0.{peer}]:5324: Connection reset by peer\n"  # noqa: E501  a line of a log
TABLE = """Root Cause (first observed failure):
[0]:
  time      : 2026-11-20_03:20:05
  host      : {host}
  rank      : {rank} (local_rank: 0)
  exitcode  : {code} (pid: 80{rank}) 
"""  # noqa: W291  as it is printed


def _tables(*codes: int) -> dict[str, str]:
    """Return the logs of nodes, one rank on each: rank 1 says nothing, the others lost it."""
    return {
        f"session/n{rank}.log": STEP
        + (LOST.format(rank=rank, peer=2) if rank != 1 else "")
        + TABLE.format(host=f"n{rank}", rank=rank, code=code)
        for rank, code in enumerate(codes)
    }


@pytest.mark.parametrize("code", [-6, -11, 23])
def test_who_crashed_in_silence_is_first_and_who_lost_it_is_no_exit_of_its_own(code: int) -> None:
    found = diagnosed(texts=_tables(1, code))
    assert found.verdict.cause in {"rank-exception", "kernel-bug"}
    assert blamed_hosts(found) == {"n1"}
    assert found.first_stopper is not None
    assert found.first_stopper.ranks == (1,)


def test_a_launcher_that_tells_of_one_process_alone_is_enough_where_others_lost_it() -> None:
    node = "[2026-11-20 03:20:01,120] [INFO] [launch.py:158:main] nnodes=1, num_local_procs=2, node_rank=0\n"  # noqa: E501  a line of a log
    left = "[2026-11-20 03:20:05,120] [ERROR] [launch.py:259:sigkill_handler] ['/usr/bin/python3', '-u', 'train.py', '--local_rank=1'] exits with return code = 23\n"  # noqa: E501  a line of a log
    found = diagnosed(texts={"train.log": node + STEP + LOST.format(rank=0, peer=2) + left})
    assert found.verdict.cause == "rank-exception"
    assert found.first_stopper is not None
    assert found.first_stopper.ranks == (1,)
