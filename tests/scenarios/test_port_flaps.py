"""A port that came back: what is said of it fits the timeline, and how long it can be a cause."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.model import Diagnosis
from apps.offline.report import as_text
from tests.scenarios.verdicts import diagnosed

STEPS = "".join(
    f"[2026-11-20 03:{second // 60:02d}:{second % 60:02d}] iteration {second:8d}/   9000 | consumed samples: 640 | "
    "elapsed time per iteration (ms): 1002.1 | global batch size:    64 | lm loss: 3.2E+00 |\n"
    for second in range(1, 300)
)
RETRIES = (
    "n41:300:900 [0] misc/ibv.cc:88 NCCL WARN NET/IB: Got completion from peer 10.7.0.9<40113> "
    "with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_2\n"
    "[rank0]:[E1120 03:0{minute}:{second:02d}.446 ProcessGroupNCCL.cpp:1897] [PG ID 0 PG GUID 0 Rank 0] Process group "
    "watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error\n"
)
NETDEV = "mlx5_core 0000:98:00.0 eth2np0: Link "
ADAPTER = "mlx5_core 0000:98:00.0 mlx5_2: Port: 1 Link "
ROCE = "mlx5_core 0000:98:00.0 rocep152s0: Port: 1 Link "
STAYED = "was not back when the session began to fail"
RETURNED = "came back shortly before the session stopped"


def _found(*kernel: tuple[str, str], failed: int) -> Diagnosis:
    """Diagnose a session that fails so many seconds after 03:05:00."""
    lines = "".join(f"2026-11-20T03:{at}+00:00 n41 kernel: {text}\n" for at, text in kernel)
    end = RETRIES.format(minute=5 + failed // 60, second=failed % 60)
    steps = STEPS.replace("] iteration", "+00:00] iteration")
    return diagnosed(texts={"kernel/n41.log": lines, "session/n41/rank0.log": steps + end})


@pytest.mark.parametrize(
    ("down", "up"),
    [
        (NETDEV + "down", NETDEV + "up"),
        (ADAPTER + "DOWN", ADAPTER + "ACTIVE"),
        (ROCE + "DOWN", ROCE + "ACTIVE"),
        # Each line by the name that its part of the kernel uses; the address is the same.
        (NETDEV + "down", ADAPTER + "ACTIVE"),
        ("infiniband mlx5_2: Port: 1 Link DOWN", ADAPTER + "ACTIVE"),
    ],
)
def test_a_port_that_came_back_before_the_stop_is_told_so(down: str, up: str) -> None:
    found = _found(("05:00", down), ("05:07", up), failed=21)
    text = as_text(diagnosis=found)
    assert (found.verdict.cause, STAYED in text, RETURNED in text) == ("link-down", False, True)
    assert (found.restart.advice, found.restart.exclude_hosts) == ("restart", ())
    assert "n41 can take part" in text


@pytest.mark.parametrize("line", [NETDEV + "down", ADAPTER + "DOWN", ROCE + "DOWN"])
def test_a_port_that_stayed_down_is_left_out(line: str) -> None:
    found = _found(("05:00", line), failed=21)
    assert (found.verdict.cause, found.restart.exclude_hosts) == ("link-down", ("n41",))
    assert STAYED in as_text(diagnosis=found)


def test_a_port_that_trains_is_not_back() -> None:
    found = _found(("05:00", ADAPTER + "DOWN"), ("05:07", ADAPTER + "INIT"), failed=21)
    assert found.restart.exclude_hosts == ("n41",)


def test_the_other_port_of_an_adapter_says_nothing_of_this_one() -> None:
    lines = [("05:00", "mlx4_core 0000:98:00.0 mlx4_0: Port: 1 Link DOWN")]
    lines += [("05:07", "mlx4_core 0000:98:00.0 mlx4_0: Port: 2 Link ACTIVE")]
    assert _found(*lines, failed=21).restart.exclude_hosts == ("n41",)


@pytest.mark.parametrize(("failed", "cause"), [(38, "link-down"), (60, "rdma-retry-exceeded")])
def test_a_flap_is_a_cause_for_as_long_as_the_transport_tries_again(
    failed: int, cause: str
) -> None:
    found = _found(("05:00", NETDEV + "down"), ("05:07", NETDEV + "up"), failed=failed)
    assert found.verdict.cause == cause
