"""What tells of a failure is read as what it is: a launcher's word is no rank's, a pause of a shared
server is one event, a port's failure comes before its adapter's, a boot after the loss of its host.
"""
# ruff: noqa: E501  lines of logs keep their length

from tests.scenarios.child_failed import child_failed
from tests.scenarios.verdicts import blamed_hosts, diagnosed

CLOSED = (
    "[2026-05-13 16:53:07] n1:4443:4743 [7] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer n2<52048>\n"
    "[rank7]:[E513 16:53:07.409632512 ProcessGroupNCCL.cpp:559] [Rank 7] Collective WorkNCCL(SeqNum=1470, OpType=ALLREDUCE, NumelIn=262144, NumelOut=262144, Timeout(ms)=600000) raised the following async exception: NCCL error: remote process exited or there was a network error, NCCL version 2.28.9\n"
    "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"
)
KILLED = child_failed(
    at="2026-05-13_16:53:07",
    host="n2",
    rank=15,
    local_rank=7,
    code=-9,
    pid=2569,
    said="Signal 9 (SIGKILL) received by PID 2569",
)
STEPD = "slurmstepd: error: *** STEP 213.0 ON n2 CANCELLED AT 2026-05-13T16:53:09 DUE TO TASK FAILURE ***\n"


def test_what_slurm_says_in_the_log_of_a_rank_is_no_word_of_that_rank() -> None:
    found = diagnosed(texts={"session/n1/rank7.log": CLOSED, "session/n2.log": KILLED + STEPD})
    assert found.verdict.layer == "host"
    assert found.first_stopper is not None
    assert found.first_stopper.ranks == (15,)
    assert blamed_hosts(found) == {"n2"}


def _step(minute: int, second: int) -> str:
    return f"2026-04-21 08:{minute:02}:{second:02} INFO [rank 0] step {60 * minute + second} loss 2.1\n"


def _server(hour: int) -> dict[str, str]:
    """Return logs of a session that ends without a word, and of a file server that paused."""
    steps = "".join(_step(minute, second) for minute in range(3, 33) for second in (4, 34))
    gone = "RuntimeError: [/b/gloo/transport/tcp/pair.cc:545] Connection closed by peer [10.4.0.2]:40576\n"
    pause = "".join(
        f"Apr 21 {hour:02}:{minute:02}:{second} {{host}} kernel: nfs: server 10.100.0.77 {words}\n"
        for minute, second, words in ((48, 25, "not responding, still trying"), (49, "01", "OK"))
    )
    later = (
        "Apr 21 {hour:02}:58:40 {{host}} kernel: docker0: port 1(veth4c1d) entered blocking state\n"
    )
    kernels = {
        f"kernel/{host}.log": (pause + later.format(hour=hour)).format(host=host)
        for host in ("n1", "n2", "n3")
    }
    return {
        "session/n1/rank0.log": steps + f"2026-04-21 08:33:25 ERROR [rank 0] {gone}",
        "session/n2/rank1.log": f"2026-04-21 08:33:24 ERROR [rank 1] {gone}",
        **kernels,
    }


def test_a_pause_of_a_shared_server_makes_no_zone_that_nobody_has() -> None:
    # 3.75 hours east or west of UTC lies nowhere.
    found = diagnosed(texts=_server(4))
    assert found.verdict.cause != "nfs-unavailable"


STEPS = "".join(
    f"2026-09-11 22:{minute:02}:56 INFO [rank 0] step {minute} loss 2.1\n"
    for minute in range(5, 35)
)
ADAPTER = "[2026-09-11 22:35:56] n2:311:377 [2] misc/ibvwrap.cc:116 NCCL WARN NET/IB : mlx5_2:1 async fatal event: local catastrophic error\n"
AER = (
    "[1070506.755507] pcieport 0000:72:01.0: AER: Uncorrected (Fatal) error received: 0000:72:01.0\n"
    "[1070506.755527] pcieport 0000:72:01.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)\n"
    "[1070506.855507] mlx5_core 0000:73:00.0: mlx5_pci_err_detected Device state = 1 health sensors: 1 pci_status: 1. Enter, pci channel state = 2\n"
)


def test_an_adapter_below_a_port_that_failed_is_not_what_failed() -> None:
    # The kernel's log tells seconds since its boot alone.
    session = {"session/n1/rank0.log": STEPS, "session/n2/rank8.log": ADAPTER}
    alone = diagnosed(texts=session)
    with_port = diagnosed(texts={**session, "kernel/n2.log": AER})
    assert (alone.verdict.cause, with_port.verdict.cause) == ("link-down", "pcie-error")


LOST = "[2026-05-17 07:31:5{second}] n1:311:377 [{gpu}] transport/net_ib.cc:1298 NCCL WARN NET/IB : Got completion from peer 10.153.38.2<58555> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:10.153.38.1 remoteGids::ffff:10.153.38.2 hca mlx5_{gpu}\n"


def _kernel(minute: int) -> str:
    return (
        "2026-05-17T07:20:04+00:00 n2 kernel: nvidia-nvswitch0: open (major=510)\n"
        f"2026-05-17T07:{minute}:18+00:00 n2 kernel: Linux version 5.15.0-117-generic (buildd@lcy02-amd64-037) (gcc 11.4.0)\n"
    )


def test_a_host_that_boots_minutes_later_was_lost_at_the_failure() -> None:
    steps = "".join(
        f"2026-05-17 07:{minute}:30 INFO [rank 0] step {minute} loss 2.1\n"
        for minute in range(10, 32)
    )
    session = {
        "session/n1/rank0.log": steps + LOST.format(second=7, gpu=0) + LOST.format(second=8, gpu=3),
        "session/n2/rank8.log": "n2:390:391 [0] NCCL INFO Bootstrap : Using eth0:10.153.38.2<0>\n",
    }
    found = diagnosed(texts={**session, "kernel/n2.log": _kernel(36)})
    assert (found.verdict.cause, blamed_hosts(found)) == ("node-unreachable", {"n2"})
    # Hours later somebody restarted it.
    later = diagnosed(texts={**session, "kernel/n2.log": _kernel(36).replace("07:36", "09:36")})
    assert later.verdict.cause == "rdma-retry-exceeded"
