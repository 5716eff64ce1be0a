"""Whose crash the kernel tells of: a program's, in whatever library, or a service's of the host."""

import pytest

from tests.scenarios.verdicts import diagnosed

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
