"""NCCL prints no rank: it is learned from the set-up lines, and only when it is certain."""
# ruff: noqa: E501  lines of logs keep their length

from apps.diagnosis.model import Event, Origin
from apps.diagnosis.signatures.read import StreamReader, read_source


def init(*, pid: int, rank: int, world: int, host: str = "n7", bus: str = "c4000") -> str:
    return (
        f"{host}:{pid}:9 [0] NCCL INFO ncclCommInitRankConfig comm 0x55 rank {rank} nranks {world} "
        f"cudaDev 0 nvmlDev 0 busId {bus} commId 0xabc - Init START"
    )


def closed(*, pid: int, host: str = "n7") -> str:
    return f"{host}:{pid}:9 [0] misc/socket.cc:5 NCCL WARN socketProgress: Connection closed by remote peer n9<5>"


def warned(text: str) -> list[Event]:
    events = read_source(origin=Origin(source="log"), text=text).events
    return [event for event in events if event.signature == "nccl-socket-closed"]


TWO = "\n".join(
    [init(pid=4, rank=12, world=64, bus="1b000"), init(pid=5, rank=13, world=64, bus="43000")]
)


def test_a_warning_gets_the_rank_of_its_process() -> None:
    text = "\n".join([TWO, closed(pid=5), closed(pid=4)])
    assert [event.line.rank for event in warned(text)] == [13, 12]


def test_the_widest_communicator_counts() -> None:
    text = "\n".join([TWO, init(pid=4, rank=1, world=8), closed(pid=4)])
    assert [event.line.rank for event in warned(text)] == [12]


def test_ranks_inside_groups_are_not_global() -> None:
    groups = [init(pid=4, rank=0, world=8, bus="1b000"), init(pid=5, rank=0, world=8, bus="43000")]
    assert [event.line.rank for event in warned("\n".join([*groups, closed(pid=5)]))] == [None]


def test_one_process_in_two_communicators_of_one_width_is_in_groups() -> None:
    text = "\n".join([init(pid=4, rank=0, world=8), init(pid=4, rank=3, world=8), closed(pid=4)])
    assert [event.line.rank for event in warned(text)] == [None]


def test_the_only_process_of_a_source_may_not_have_joined_the_widest_communicator() -> None:
    text = "\n".join([init(pid=4, rank=5, world=63), init(pid=4, rank=3, world=8), closed(pid=4)])
    assert [event.line.rank for event in warned(text)] == [None]


def test_a_restart_on_the_same_gpus_keeps_the_ranks() -> None:
    again = TWO.replace("n7:4:", "n7:84:").replace("n7:5:", "n7:85:")
    assert [event.line.rank for event in warned("\n".join([TWO, again, closed(pid=85)]))] == [13]


def test_old_set_up_lines_without_an_id_count_too() -> None:
    old = TWO.replace(" nvmlDev 0", "").replace(" commId 0xabc", "").replace("START", "COMPLETE")
    assert [event.line.rank for event in warned("\n".join([old, closed(pid=4)]))] == [12]


def test_the_same_pid_on_another_host_is_another_process() -> None:
    text = "\n".join([init(pid=4, rank=12, world=64), closed(pid=4, host="n8")])
    assert [event.line.rank for event in warned(text)] == [None]


def test_the_rank_of_the_source_wins() -> None:
    text = "\n".join([init(pid=4, rank=1, world=8), closed(pid=4)])
    events = read_source(origin=Origin(source="log", rank=33), text=text).events
    assert {event.line.rank for event in events} == {33}


def test_who_is_who_survives_the_end_of_a_batch() -> None:
    first = StreamReader(origin=Origin(source="log"))
    first.feed(text=init(pid=4, rank=12, world=64), first_number=1)
    second = StreamReader(origin=Origin(source="log"), state=first.state)
    (event,) = second.feed(text=closed(pid=4), first_number=2).events
    assert event.line.rank == 12


def test_the_rank_inside_a_process_group_stays_a_field() -> None:
    text = "[rank21]:[E914 17:04:10.8 ProcessGroupNCCL.cpp:65] [PG ID 2 PG GUID 5(tp) Rank 3] First PG on this rank to signal dumping."
    (event,) = read_source(origin=Origin(source="log"), text=text).events
    assert (event.line.rank, event.fields["pg_rank"], event.fields["pg"]) == (21, "3", "5(tp)")


LISTED = """(TrainController pid=91, ip=10.2.0.5) Started training worker group of size 3:
(TrainController pid=91, ip=10.2.0.5) - (node_id=470dfc784d, ip=10.2.0.5, pid=701) world_rank=0, local_rank=0, node_rank=0
(TrainController pid=91, ip=10.2.0.5) - (ip=10.2.0.5, pid=702) world_rank=1, local_rank=1, node_rank=0
(TrainController pid=91, ip=10.2.0.5) - (ip=10.2.0.6, pid=702) world_rank=2, local_rank=0, node_rank=1
"""


def raised(line: str) -> tuple[str | None, int | None]:
    (event,) = (
        one
        for one in read_source(origin=Origin(source="log"), text=LISTED + line).events
        if one.signature == "py-exception-final"
    )
    return event.line.host, event.line.rank


def test_a_worker_of_ray_has_the_rank_of_the_list_with_which_it_started() -> None:
    assert raised("(RayTrainWorker pid=702, ip=10.2.0.6) ValueError: bad") == ("10.2.0.6", 2)
    assert raised("(RayTrainWorker pid=702, ip=10.2.0.5) ValueError: bad") == ("10.2.0.5", 1)
    assert raised("(RayTrainWorker pid=799, ip=10.2.0.5) ValueError: bad") == ("10.2.0.5", None)


def test_a_worker_beside_its_driver_has_the_host_of_the_list_where_only_one_can_be_meant() -> None:
    assert raised("(RayTrainWorker pid=701) ValueError: bad") == ("10.2.0.5", 0)
    assert raised("(RayTrainWorker pid=702) ValueError: bad") == (None, None)


def test_who_is_a_worker_of_ray_survives_the_end_of_a_batch() -> None:
    first = StreamReader(origin=Origin(source="log"))
    first.feed(text=LISTED.rstrip(), first_number=1)
    then = StreamReader(origin=Origin(source="log"), state=first.state)
    told = then.feed(text="(RayTrainWorker pid=701) ValueError: bad", first_number=5)
    events = (*told.events, *then.close().events)
    assert [(one.line.host, one.line.rank) for one in events] == [("10.2.0.5", 0)]
