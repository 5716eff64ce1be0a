"""A GPU that faults attempt after attempt: in one of its units, or anywhere."""

from dataclasses import replace

import pytest

from apps.diagnosis.model import Event
from apps.diagnosis.reasoning.verdict.repeat import SAME_GPU, SAME_UNIT, same_gpu
from tests.diagnosis.events import after, xid

FAULT = (
    "NVRM: Xid (PCI:0000:b7:00): 13, pid={pid}, name=llm, Graphics SM Warp Exception on "
    "(GPC {unit}, TPC 4, SM 1): Illegal Instruction Parameter"
)


def _fault(attempt: int, unit: int) -> Event:
    pid = f"{attempt}811"
    one = xid(13, at=after(2000.0 * attempt), host="n2", pid=pid)
    return replace(one, line=replace(one.line, text=FAULT.format(pid=pid, unit=unit)))


@pytest.mark.parametrize(
    ("units", "sign"),
    [((2, 2, 2), SAME_UNIT), ((2, 5, 1), SAME_GPU), ((2, 2), SAME_GPU)],
)
def test_one_unit_that_faults_under_three_processes_is_told_as_such(
    units: tuple[int, ...], sign: str
) -> None:
    *earlier, last = (_fault(attempt, unit) for attempt, unit in enumerate(units))
    (found,) = same_gpu(events=[last], earlier=earlier, host_of=lambda one: one.line.origin.host)
    assert (found.sign, found.count) == (sign, len(earlier))
