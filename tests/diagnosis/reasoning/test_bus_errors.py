"""A PCIe port reports errors all its life; they explain a stop only where they can be its cause."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    Diagnosis,
    Origin,
    Placement,
    Reading,
    Stream,
    Topology,
    VerdictStatus,
)
from apps.diagnosis.signatures.read import read_source

HOSTS = ("n01", "n02", "n03", "n04")
TOPOLOGY = Topology(
    hosts=HOSTS,
    placements=tuple(
        Placement(rank=rank, host=host, gpu=0, pci="0000:3b:00.0")
        for rank, host in enumerate(HOSTS)
    ),
)
STORM = [
    "pcieport 0000:3a:01.0: AER: Multiple Corrected error received: {part}",
    "mlx5_core {part}: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)",
] * 3


def _session(rank: int, host: str) -> Reading:
    text = (
        f"[2026-03-05 08:50:00] [rank{rank}]:[E305 08:50:00.100000000 ProcessGroupNCCL.cpp:616] "
        f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, "
        "OpType=ALLREDUCE, NumelIn=1024, NumelOut=1024, Timeout(ms)=600000) ran for 600010 "
        "milliseconds before timing out.\n"
    )
    origin = Origin(source=f"session/{host}", stream=Stream.SESSION, host=host, rank=rank)
    return read_source(origin=origin, text=text)


def _said(*, host: str, minute: int, part: str) -> Diagnosis:
    lines = [
        f"2026-03-05T08:{minute:02}:{second:02}.000000+00:00 {host} kernel: {line}"
        for second, line in enumerate(STORM)
    ]
    origin = Origin(source=f"kernel/{host}", stream=Stream.KERNEL, host=host)
    kernel = read_source(origin=origin, text="\n".join(lines).format(part=part) + "\n")
    # Rank 3 on n04 stopped first: every other rank waited for it.
    session = [_session(rank, host) for rank, host in enumerate(HOSTS[:3])]
    return diagnose(readings=[kernel, *session], topology=TOPOLOGY)


@pytest.mark.parametrize(
    ("host", "minute", "part"),
    [("n04", 39, "0000:80:00.0"), ("n01", 39, "0000:3b:00.0"), ("n04", 53, "0000:3b:00.0")],
    ids=["another part", "a host that waited", "after the stop"],
)
def test_errors_that_cannot_be_the_cause_blame_nobody(host: str, minute: int, part: str) -> None:
    verdict = _said(host=host, minute=minute, part=part).verdict
    assert (verdict.status, verdict.culprits) == (VerdictStatus.UNKNOWN, ())


def test_errors_of_a_gpu_on_the_host_that_stopped_first_count() -> None:
    said = _said(host="n04", minute=39, part="0000:3b:00.0")
    assert said.hypotheses[0].cause == "pcie-error"
    assert said.hypotheses[0].culprits[0].host == "n04"
