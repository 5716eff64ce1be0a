"""Who lost whom: what hosts are called, and which log is read first, decides nothing."""
# ruff: noqa: E501  lines of logs keep their length

from itertools import permutations

import pytest

from apps.diagnosis.model import Diagnosis
from apps.offline.report import as_text
from tests.scenarios.verdicts import diagnosed

NAMES = [("n3", "n4", "n5"), ("n4", "n3", "n5"), ("z1", "b2", "a9"), ("a1", "z2", "m3")]
HELLO = "{host}:500:500 [0] NCCL INFO Bootstrap : Using eth0:10.3.0.{own}<0>\n"
STEP = "2026-11-22 04:08:20 INFO step 100 loss 2.1\n"
RETRIES = "{host}:500:900 [0] misc/ibv.cc:88 NCCL WARN NET/IB: Got completion from peer 10.3.0.{peer}<52113> with status=12 opcode=0 len=0 vendor err 129 (Recv)\n"
TIMED_OUT = "{host}:500:900 [0] misc/socket.cc:484 NCCL WARN socketProgressOpt: Call to recv from 10.3.0.{peer}<52113> failed : Connection timed out\n"
END = "[rank{rank}]:[E1122 04:08:{second}.446 ProcessGroupNCCL.cpp:1897] [PG ID 0 PG GUID 0 Rank {rank}] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error\n"


def _log(hosts: tuple[str, ...], rank: int, peer: int | None, second: int, lost: str) -> str:
    text = HELLO.format(host=hosts[rank], own=rank) + STEP
    if peer is None:
        return text
    said = lost.format(host=hosts[rank], peer=peer)
    return text + said + END.format(rank=rank, second=second)


def _found(
    hosts: tuple[str, ...],
    lost: tuple[int | None, ...],
    seconds: tuple[int, ...] = (31, 31, 31),
    words: str = RETRIES,
) -> Diagnosis:
    return diagnosed(
        texts={
            f"session/{hosts[rank]}/rank{rank}.log": _log(hosts, rank, peer, seconds[rank], words)
            for rank, peer in enumerate(lost)
        }
    )


@pytest.mark.parametrize("hosts", NAMES)
@pytest.mark.parametrize("seconds", [(31, 31, 31), (25, 31, 31), (39, 31, 31)])
@pytest.mark.parametrize("lost", [(1, 0), (1, 0, None), (1, 2, 0)])
def test_hosts_that_lost_each_other_are_a_tie(
    hosts: tuple[str, ...], seconds: tuple[int, ...], lost: tuple[int | None, ...]
) -> None:
    found = _found(hosts, lost, seconds)
    tied = tuple(sorted(hosts[rank] for rank, peer in enumerate(lost) if peer is not None))
    assert (found.first_stopper, found.verdict.culprits) == (None, ())
    assert (found.verdict.cause, found.actions[0].hosts) == ("rdma-retry-exceeded", tied)
    assert "it is one of them, or what is between them" in as_text(diagnosis=found)


@pytest.mark.parametrize("hosts", NAMES)
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_host_that_all_others_lost_is_named(
    hosts: tuple[str, ...], order: tuple[int, int, int]
) -> None:
    lost: list[int | None] = [order[0]] * 3
    lost[order[0]] = None
    found = _found(hosts, tuple(lost))
    assert [one.host for one in found.verdict.culprits] == [hosts[order[0]]]


@pytest.mark.parametrize("hosts", NAMES)
@pytest.mark.parametrize("words", [RETRIES, TIMED_OUT])
def test_other_names_give_the_same_answer_by_those_names(
    hosts: tuple[str, ...], words: str
) -> None:
    def told(called: tuple[str, ...]) -> tuple[object, ...]:
        found = _found(called, (1, 0, 1), words=words)
        seats = [called.index(one.host) for one in found.verdict.culprits if one.host]
        return (found.verdict.cause, found.verdict.probability, seats)

    assert told(hosts) == told(NAMES[0])
