"""The host that a kernel's log is called by: the same file, the same answer, however it is named."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.model import Diagnosis
from tests.scenarios.verdicts import diagnosed

KERNEL = (
    "[Sun Nov 22 21:12:03 2026] nvidia-uvm: Loaded the UVM driver, major device number 510.\n"
    "[Sun Nov 22 22:30:15 2026] NVRM: Xid (PCI:0000:2a:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
)
STEPS = "".join(
    f"2026-11-22 22:{minute:02d}:00 INFO step {minute} loss 2.1\n" for minute in range(30)
)
RAISED = "RuntimeError: CUDA error: unspecified launch failure\n"
EXIT = "srun: error: {host}: task 1: Exited with exit code 1\n"
NAMES = [
    "dgx07.kern.log", "dgx07.dmesg.log", "dgx07.dmesg", "dmesg-dgx07.txt", "dmesg.dgx07", "dgx07_dmesg.txt.gz",
    "journal-dgx07.txt", "journalctl-dgx07.log", "dgx07.log", "dgx07.cluster.example.kern.log",
    "dgx07/kern.log", "dgx07/dmesg", "dgx07/messages.1", "kernel/dgx07.log",
]  # fmt: skip


def _found(name: str, *, end: str = EXIT.format(host="dgx07")) -> Diagnosis:
    return diagnosed(texts={name: KERNEL, "slurm-51004.out": STEPS + end})


def _blamed(found: Diagnosis) -> list[str | None]:
    return [one.host for one in found.verdict.culprits]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("end", [EXIT.format(host="dgx07"), EXIT.format(host="dgx04")])
def test_a_kernels_log_is_of_the_host_that_it_is_called_by(name: str, end: str) -> None:
    assert _blamed(_found(name, end=end)) == ["dgx07"]


@pytest.mark.parametrize(
    "name", ["train.log", "node.dmesg", "dmesg", "kern.log", "job51004.log", "51004.dmesg", "2026-11-22.log", "logs/dmesg.txt", "rank0.log", "log-01", "dra-982/dmesg", "login.log"]
)  # fmt: skip
def test_a_word_that_is_no_host_names_none(name: str) -> None:
    assert _blamed(_found(name, end=RAISED)) == [None]


def test_a_name_built_unlike_the_hosts_that_are_known_names_none() -> None:
    end = EXIT.format(host="dgx07") + EXIT.format(host="dgx08")
    assert _blamed(_found("xid79.log", end=end)) == [None]


def test_a_name_without_a_number_counts_where_a_line_knows_it() -> None:
    assert _blamed(_found("athena.dmesg", end=EXIT.format(host="athena"))) == ["athena"]


@pytest.mark.parametrize("name", ["dmesg", "train.dmesg"])
def test_a_log_without_a_name_is_of_the_only_host_that_the_launcher_names(name: str) -> None:
    assert _blamed(_found(name)) == ["dgx07"]


def test_of_several_hosts_that_the_launcher_names_it_is_nobodys() -> None:
    assert _blamed(_found("dmesg", end=EXIT.format(host="dgx07") + EXIT.format(host="dgx08"))) == [None]  # fmt: skip


def test_what_slurm_tells_of_a_task_is_told_of_its_host() -> None:
    end = "srun: error: n7: task 3: Out Of Memory\n"
    found = diagnosed(texts={"slurm-9.out": STEPS + end})
    assert (found.verdict.cause, _blamed(found)) == ("host-oom", ["n7"])
