"""One rank that left is one, in however many rows; a port that came up was not down."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.model import Diagnosis, Role
from apps.offline.report import as_text
from apps.wording import headline_in_english
from tests.scenarios.child_failed import child_failed
from tests.scenarios.verdicts import diagnosed

FAILED = "[2026-11-20 03:00:20,412] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: {code}) local_rank: 3 (pid: 7203) of binary: /opt/conda/bin/python\n"


def _table(code: int, said: str) -> str:
    host, at = "node12.lab.example", "2026-11-20_03:00:20"
    told = child_failed(at=at, host=host, rank=3, local_rank=3, code=code, pid=7203, said=said)
    return FAILED.format(code=code) + told


KILLED = _table(-9, "Signal 9 (SIGKILL) received by PID 7203")
LEFT = _table(1, "To enable traceback see: https://pytorch.org")


@pytest.mark.parametrize(
    ("table", "words"),
    [(KILLED, "One rank was killed (-9)"), (LEFT, "One rank left with an error code of its own")],
)
@pytest.mark.parametrize("name", ["slurm-77.out", "session/node12/torchrun.log"])
def test_one_rank_in_many_rows_is_told_once(table: str, words: str, name: str) -> None:
    found = diagnosed(texts={name: table})
    (moment,) = [
        one for one in found.timeline if headline_in_english(one.statement).startswith(words)
    ]
    assert moment.count == 1


STEPS = "".join(
    f"[2026-11-20 03:{second // 60:02d}:{second % 60:02d}] iteration {second:8d}/   1200 | consumed samples: 640 | "
    "elapsed time per iteration (ms): 1002.1 | global batch size:    64 | lm loss: 3.2E+00 |\n"
    for second in range(1, 600)
)
FINISHED = "[after training is done] datetime: 2026-11-20 03:10:00\n"
ERROR = "[2026-11-20 03:10:00] RuntimeError: NCCL error: unhandled system error\n"


def _kernel(*lines: tuple[str, str]) -> str:
    return "".join(f"2026-11-{at}+00:00 node12 kernel: {line}\n" for at, line in lines)


def _read(*lines: tuple[str, str], end: str = FINISHED) -> Diagnosis:
    return diagnosed(
        texts={
            "kernel/node12.log": _kernel(*lines),
            "session/node12/rank0.log": STEPS.replace("] iteration", "+00:00] iteration") + end,
        }
    )


READY = "IPv6: ADDRCONF(NETDEV_CHANGE): ib2: link becomes ready"
UPS = [
    READY,
    "mlx5_core 0000:4b:00.0 ib2: Link up",
    "mlx5_core 0000:4b:00.0: Port module event: module 0, Cable plugged",
    "bnxt_en 0000:65:00.0 ens5f0np0: NIC Link is Up, 400000 Mbps full duplex, Flow control: none",
    "infiniband mlx5_3: port 1 link up",
]


@pytest.mark.parametrize("line", UPS)
@pytest.mark.parametrize("at", ["18T22:00:00", "20T03:09:00", "20T03:10:30"])
def test_a_port_that_came_up_is_no_cause_that_was_ruled_out(line: str, at: str) -> None:
    found = _read((at, line), end=ERROR)
    assert "link-down" not in {one.cause for one in found.hypotheses}
    assert not any(
        one.role is Role.INITIATING and "came up" in headline_in_english(one.statement)
        for one in found.timeline
    )


@pytest.mark.parametrize(
    ("down", "up"),
    [
        ("mlx5_core 0000:4b:00.0 ib2: Link down", "mlx5_core 0000:4b:00.0 ib2: Link up"),
        (
            "mlx5_core 0000:4b:00.0: Port module event: module 0, Cable unplugged",
            "mlx5_core 0000:4b:00.0: Port module event: module 0, Cable plugged",
        ),
        (
            "bnxt_en 0000:65:00.0 ens5f0np0: NIC Link is Down",
            "bnxt_en 0000:65:00.0 ens5f0np0: NIC Link is Up, 400000 Mbps full duplex, Flow control: none",
        ),
        ("infiniband mlx5_3: port 1 link down", "infiniband mlx5_3: port 1 link up"),
        ("nfs: server nas02 not responding, still trying", "nfs: server nas02 OK"),
    ],
)
def test_a_flap_that_was_over_again_is_told_whole(down: str, up: str) -> None:
    found = _read(("20T03:03:40", down), ("20T03:03:46", up))
    story = as_text(diagnosis=found).partition("In order of time")[2].partition("\n\n")[0]
    assert ("03:03:40" in story, "03:03:46" in story) == (True, True)


def test_what_came_up_without_having_gone_down_is_no_part_of_the_story() -> None:
    story = as_text(diagnosis=_read(("20T03:03:46", READY)))
    assert "came up" not in story


def test_a_port_that_stayed_down_is_still_the_cause() -> None:
    found = _read(("20T03:09:50", "mlx5_core 0000:4b:00.0 ib2: Link down"), end=ERROR)
    assert found.verdict.cause == "link-down"


@pytest.mark.parametrize("name", ["ib2", "eth2np0"])
def test_no_port_is_called_ethernet_that_may_be_infiniband(name: str) -> None:
    found = _read(("20T03:09:50", f"mlx5_core 0000:4b:00.0 {name}: Link down"), end=ERROR)
    texts = [headline_in_english(one.statement) for one in found.timeline]
    assert f"A port of a NIC went down, {name}" in texts
    assert "Ethernet port" not in " ".join(texts)
