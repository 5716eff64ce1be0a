"""An Xid that ends a process names it: where a launcher prints whose it was, the rank is known."""

import pytest

from apps.diagnosis.model import Diagnosis
from apps.offline.report import as_text
from tests.scenarios.told_in_order import EXITED, INIT
from tests.scenarios.verdicts import diagnosed

XID = (
    "2026-11-22T13:02:{second}+00:00 {host} kernel: NVRM: Xid (PCI:0000:61:00): 95, pid={pid}, "
    "name=python, Uncontained ECC error\n"
)
ECC = "[rank{rank}]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n"


def _read(*, pid: int = 6305, host: str = "gpu-n01", second: str = "11", **more: str) -> Diagnosis:
    files = {
        "session/gpu-n01/torchrun.log": EXITED,
        "kernel/gpu-n01.log": XID.format(pid=pid, host=host, second=second),
        **{f"session/gpu-n01/rank{rank}.log": ECC.format(rank=rank) for rank in range(4, 8)},
    }
    return diagnosed(texts=files | more)


def test_the_rank_of_the_process_that_an_xid_names_stopped_first() -> None:
    found = _read()
    assert found.first_stopper is not None
    assert (found.first_stopper.ranks, found.first_stopper.by) == ((5,), "process")
    said = " ".join(as_text(diagnosis=found).split())
    assert "Stopped first: rank 5 of gpu-n01 (the kernel log names its process)" in said


def test_a_rank_that_nccl_names_by_its_process_counts_too() -> None:
    found = _read(pid=7102, **{"session/gpu-n01/nccl.log": INIT.format(pid=7102)})
    assert found.first_stopper is not None
    assert (found.first_stopper.ranks, found.first_stopper.by) == ((2,), "process")


@pytest.mark.parametrize(
    ("pid", "host", "second"),
    [(6306, "gpu-n01", "11"), (6305, "gpu-n02", "11"), (6305, "gpu-n01", "59")],
    ids=["pid", "host", "later"],
)
def test_another_process_host_or_a_later_fault_names_no_rank(
    pid: int, host: str, second: str
) -> None:
    first = _read(pid=pid, host=host, second=second).first_stopper
    assert first is None or first.by != "process"
