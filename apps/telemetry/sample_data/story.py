"""A made-up stop as logs: a GPU falls off the bus, and the ranks of four nodes wait for it."""

import io
import tarfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

HOSTS: Final = ("sample001", "sample002", "sample003", "sample004")
BROKEN: Final = "sample003"
RANKS_A_HOST: Final = 8
BEFORE: Final = timedelta(minutes=25)  # of training before it broke
TIMEOUT: Final = timedelta(minutes=10)  # of a collective
STEP: Final = timedelta(seconds=30)


def sample_tar(*, ended_at: datetime) -> bytes:
    """Return the logs of a session that stopped then, as one tar; the same for the same instant."""
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w") as tar:
        for name, lines in _files(broke_at=ended_at - TIMEOUT):
            data = "".join(f"{line}\n" for line in lines).encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return body.getvalue()


def _files(*, broke_at: datetime) -> Iterator[tuple[str, Iterator[str]]]:
    for index, host in enumerate(HOSTS):
        yield f"kernel/{host}.log", _kernel(host, broke_at)
        rank = index * RANKS_A_HOST
        yield f"session/{host}/rank{rank}.log", _session(host, rank, broke_at)


def _kernel(host: str, broke_at: datetime) -> Iterator[str]:
    def line(seconds: float, text: str) -> str:
        at = broke_at + timedelta(seconds=seconds)
        return f"{at:%Y-%m-%dT%H:%M:%S.%f}+00:00 {host} kernel: {text}"

    yield line(-1400, "nvidia-uvm: Loaded the UVM driver, major device number 509.")
    yield line(-900, "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0")
    if host == BROKEN:
        for seconds in (-95, -41, -12):
            yield line(
                seconds, "pcieport 0000:4a:01.0: AER: Corrected error received: 0000:4b:00.0"
            )
        yield line(
            -2, "NVRM: Xid (PCI:0000:4b:00): 79, pid=4242, name=python, GPU has fallen off the bus."
        )
        yield line(-2, "NVRM: GPU 0000:4b:00.0: GPU has fallen off the bus.")
    yield line(300, "systemd-journald: Data hash table of system.journal has a fill level at 75.0")


def _session(host: str, rank: int, broke_at: datetime) -> Iterator[str]:
    begin = broke_at - BEFORE
    yield f"[{begin:%Y-%m-%d %H:%M:%S}] {host} rank {rank} of 32: world is up, NCCL 2.21.5"
    for step in range(int(BEFORE / STEP)):
        at = begin + STEP * (step + 1)
        if at < broke_at:
            number, loss = 1200 + step, 2.4 - step * 0.004
            yield f"[{at:%Y-%m-%d %H:%M:%S}] step {number} loss {loss:.3f} step time 29.8 s"
    if host == BROKEN:
        yield from _lost(rank, broke_at)
    yield from _timeout(rank, broke_at + TIMEOUT)


def _lost(rank: int, at: datetime) -> Iterator[str]:
    yield f"[rank{rank}]: Traceback (most recent call last):"
    yield (
        f"[{at:%Y-%m-%d %H:%M:%S}] [rank{rank}]: torch.AcceleratorError: CUDA error: unspecified "
        "launch failure"
    )


def _timeout(rank: int, at: datetime) -> Iterator[str]:
    stamp = f"{at:%m%d %H:%M:%S.%f}"
    yield (
        f"[rank{rank}]:[E{stamp} 4242 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught "
        "collective operation timeout: WorkNCCL(SeqNum=9917, OpType=ALLREDUCE, NumelIn=26214400, "
        "NumelOut=26214400, Timeout(ms)=600000) ran for 600044 milliseconds before timing out."
    )
    yield (
        f"[rank{rank}]:[E{stamp} 4242 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0 Rank {rank}] "
        "Exception (either an error or timeout) detected by watchdog at work: 9917, last enqueued "
        "NCCL work: 9917, last completed NCCL work: 9916."
    )
