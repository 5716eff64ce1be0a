"""Tables that people paste: what their numbers say together."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

MATRIX = """Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1      2
     0 810.20  21.15  21.20
     1  20.99 811.20  22.20
     2  21.00  21.98 812.78
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\\D     0      1      2
     0 810.49  {pair}  {pair}
     1  {pair} 811.33  {pair}
     2  {pair}  {pair} 812.78
P2P=Disabled Latency Matrix (us)
"""
FAULT = "[{up}] NVRM: Xid (PCI:0000:b7:00): 13, Graphics SM Warp Exception on (GPC {gpc}, TPC 1, SM 1): MMU Fault"  # noqa: E501  a line of a log


def verdict(text: str, stream: Stream = Stream.SESSION) -> Verdict:
    """Return what is said of a text that nothing else stands beside."""
    return diagnose(
        readings=[read_source(origin=Origin(source="log", stream=stream), text=text)]
    ).verdict


def test_direct_access_that_is_slower_than_none_is_diverted() -> None:
    assert verdict(MATRIX.format(pair=" 2.60")).cause == "p2p-topology"


@pytest.mark.parametrize("pair", ["21.00", "56.12", "241.40"])
def test_direct_access_that_is_no_slower_says_nothing(pair: str) -> None:
    said = verdict(MATRIX.format(pair=pair)).status
    assert said in {VerdictStatus.UNKNOWN, VerdictStatus.NO_FAILURE}


def test_faults_all_over_a_gpu_at_once_speak_for_the_program() -> None:
    text = "\n".join(FAULT.format(up=f"70331.{gpc}", gpc=gpc) for gpc in (1, 2, 6))
    assert verdict(text, Stream.KERNEL).cause == "kernel-bug"


def test_a_fault_in_one_unit_speaks_for_nobody() -> None:
    text = "\n".join(FAULT.format(up=f"70331.{place}", gpc=4) for place in (1, 2, 6))
    assert verdict(text, Stream.KERNEL).status is VerdictStatus.UNKNOWN
