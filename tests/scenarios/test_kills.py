"""A bare SIGKILL: who killed is the kernel's to tell, where its log was read all the while."""

from collections.abc import Mapping

import pytest

from tests.scenarios.verdicts import diagnosed

KILLED = """2026-11-20 03:20:01,120 INFO train: step 100 loss 2.3
E1120 03:20:03.120000 4242 torch/distributed/elastic/multiprocessing/api.py:984] failed (exitcode: -9) local_rank: 2 (pid: 4245) of binary: /usr/bin/python3
"""  # noqa: E501  a line of a log
QUIET = (
    '2026-11-20T{at}.100000+00:00 gpu001 kernel: audit: type=1400 audit(1.2:3): apparmor="STATUS"\n'
)
OOM = "2026-11-20T03:20:02.900000+00:00 gpu001 kernel: Out of memory: Killed process 4245 (python3) total-vm:9kB\n"  # noqa: E501  a line of a log
WHOLE = QUIET.format(at="02:20:01") + QUIET.format(at="03:40:01")
BEFORE = QUIET.format(at="02:20:01") + QUIET.format(at="03:10:01")


def _cause(kernel: str) -> str:
    texts: Mapping[str, str] = {"session/gpu001/rank0.log": KILLED}
    return diagnosed(
        texts={**texts, "kernel/gpu001.log": kernel} if kernel else texts
    ).verdict.cause


@pytest.mark.parametrize(
    ("kernel", "cause"),
    [(WHOLE, "process-killed"), (WHOLE + OOM, "host-oom"), (BEFORE, "host-oom"), ("", "host-oom")],
    ids=["silent", "told", "ends before", "absent"],
)
def test_a_kernel_that_tells_of_no_kill_did_not_kill(kernel: str, cause: str) -> None:
    assert _cause(kernel) == cause


def test_the_launchers_word_on_a_missing_error_file_is_no_failure_of_a_rank() -> None:
    line = (
        "E1120 03:20:02.120000 4242 torch/distributed/elastic/multiprocessing/errors/"
        "error_handler.py:141] no error file defined for parent, to copy child error file\n"
    )
    found = diagnosed(texts={"session/gpu001/rank0.log": line})
    assert found.verdict.status.value == "unknown"
