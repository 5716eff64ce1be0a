"""The truth table of proxy counters, the two rules beside it, and the dumps that print states."""

import pytest

from apps.diagnosis.dumps.nccl.proxy import (
    Side,
    Transfer,
    TransferWait,
    blamed_peers,
    side,
    state,
    transfers,
)


@pytest.mark.parametrize(
    ("ready", "sent", "done", "expected"),
    [
        (0, 0, 0, TransferWait.NOT_STARTED),
        (8, 4, 4, TransferWait.LOCAL_OR_RECEIVER),
        (8, 0, 0, TransferWait.LOCAL_OR_RECEIVER),
        (8, 8, 4, TransferWait.NETWORK_OR_RECEIVER),
        (8, 8, 0, TransferWait.NETWORK_OR_RECEIVER),
        (8, 8, 8, TransferWait.GPU),
        (9, 8, 4, TransferWait.LOCAL_OR_RECEIVER),
    ],
)
def test_three_counters_say_what_a_sender_waits_for(
    ready: int, sent: int, done: int, expected: TransferWait
) -> None:
    assert state(ready=ready, sent=sent, done=done) is expected


@pytest.mark.parametrize(
    ("launched", "requests", "completions", "expected"),
    [
        (41, 9, 9, Side.COMPUTE),
        (41, 9, 4, Side.COMPUTE),
        (42, 9, 4, Side.COMMUNICATION),
        (42, 9, 9, Side.NEITHER),
    ],
)
def test_launches_and_work_requests_say_which_half_is_behind(
    launched: int, requests: int, completions: int, expected: Side
) -> None:
    found = side(launched=launched, group_launched=42, requests=requests, completions=completions)
    assert found is expected


def test_a_dump_of_nccl_names_peer_and_state_of_each_part() -> None:
    found = transfers(text="[0-3|5127| Send 5S/0 6G/1 7D/2]", rank=4)
    assert [(one.peer, one.waiting) for one in found] == [
        (5, TransferWait.NETWORK_OR_RECEIVER),
        (6, TransferWait.GPU),
        (7, TransferWait.NOTHING),
    ]
    assert {one.rank for one in found} == {4}
    (one,) = transfers(text="[1-14|5127| Recv 3R/0]")
    assert one == Transfer(is_send=False, peer=3, waiting=TransferWait.SENDER)


TRACE = (
    "createT:1, lastT:2, cntNm:5, commHash:7, AllReduce, 3->5({way}), chan:0, status:{status}, "
    "ns:64, nb:524288, po:16, ke:{ke}, tail/h:16, recvT:0, connSz/h:0, trans:{trans}, flushed:0, "
    "recvd:{recvd}, done:{done}"
)


@pytest.mark.parametrize(
    ("way", "ke", "trans", "recvd", "done", "expected"),
    [
        ("S", 16, 16, 0, 8, TransferWait.NETWORK_OR_RECEIVER),
        ("S", 16, 8, 0, 8, TransferWait.LOCAL_OR_RECEIVER),
        ("S", 16, 16, 0, 16, TransferWait.GPU),
        ("S", 64, 64, 0, 64, TransferWait.NOTHING),
        ("R", 0, 0, 8, 8, TransferWait.SENDER),
        ("R", 0, 0, 16, 8, TransferWait.GPU),
    ],
)
def test_a_trace_is_read_by_its_counters(
    way: str, ke: int, trans: int, recvd: int, done: int, expected: TransferWait
) -> None:
    line = TRACE.format(way=way, status="X", ke=ke, trans=trans, recvd=recvd, done=done)
    assert transfers(text=line) == [Transfer(is_send=way == "S", peer=5, waiting=expected, rank=3)]


def test_who_is_waited_for_is_counted_once_a_rank() -> None:
    found = [
        *transfers(text="[0-3|5| Recv 9R/0 9R/1]", rank=1),
        *transfers(text="[0-4|5| Recv 9R/0 2G/0]", rank=2),
        *transfers(text="[0-5|5| Send 4S/0]", rank=9),
    ]
    assert blamed_peers(found=found) == {9: 2, 4: 1}


def test_other_lines_tell_of_no_transfer() -> None:
    assert transfers(text="[rank0]: step 4") == []
