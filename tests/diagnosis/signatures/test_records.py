"""Records of several lines become the events that their lines together say."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.model import Event, Layer, Origin, Role
from apps.diagnosis.signatures.read import StreamReader, read_source
from tests.diagnosis.signatures.record_texts import CHAIN, TABLE, TRIPLE


def said(text: str) -> list[Event]:
    return list(read_source(origin=Origin(source="log"), text=text).events)


def of(events: list[Event], key: str) -> Event:
    (event,) = [one for one in events if one.signature == key]
    return event


def keys(events: list[Event]) -> list[str]:
    return [event.signature for event in events]


def test_the_first_traceback_of_a_chain_is_the_cause() -> None:
    first, second = [one for one in said(CHAIN) if one.signature == "py-exception-final"]
    assert (first.fields["exc"], first.role, first.line.rank) == (
        "io.CorruptShard",
        Role.INITIATING,
        3,
    )
    assert (second.fields["exc"], second.role) == ("ValueError", Role.CASCADE)


def test_a_traceback_names_its_frames() -> None:
    first = next(one for one in said(CHAIN) if one.signature == "py-exception-final")
    assert first.fields["frames"] == "train.py:main > io.py:read_shard"


def test_two_tracebacks_without_a_link_are_two_causes() -> None:
    one = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 4\n'
    events = [event for event in said(one + one) if event.signature == "py-exception-final"]
    assert [event.role for event in events] == [Role.INITIATING, Role.INITIATING]


def test_interleaved_ranks_keep_their_own_tracebacks() -> None:
    text = "\n".join(
        f"[rank{rank}]: {line}"
        for line in (
            "Traceback (most recent call last):",
            '  File "a.py", line 1, in f{0}',
            "OddOne: r{0}",
        )
        for rank in (1, 2)
    ).replace("{0}", "")
    events = [event for event in said(text) if event.signature == "py-exception-final"]
    assert [event.line.rank for event in events] == [1, 2]


def test_an_exception_with_a_signature_of_its_own_keeps_it() -> None:
    text = (
        'Traceback (most recent call last):\n  File "a.py", line 1, in forward\n'
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of "
        "79.15 GiB of which 1.02 GiB is free."
    )
    event = of(said(text), "cuda-oom")
    assert (event.fields["gpu"], event.fields["frames"]) == ("3", "a.py:forward")


def test_the_root_cause_of_torchrun_is_one_event_with_host_rank_and_code() -> None:
    root = of(said(TABLE), "torchrun-root-cause")
    assert (root.line.host, root.line.rank, root.line.number) == ("n12.hpc", 96, 13)
    assert (root.fields["exitcode"], root.fields["signal"]) == ("-9", "SIGKILL")
    assert str(root.line.local_at) == "2026-09-14 17:05:19"


def test_each_failed_worker_has_its_own_code() -> None:
    exits = [one for one in said(TABLE) if one.signature == "torchrun-fail-exitcode"]
    assert [(one.line.rank, one.fields["exitcode"]) for one in exits] == [(97, "-15"), (96, "-9")]


def test_the_time_of_a_failed_worker_is_an_instant_once_the_zone_is_known() -> None:
    origin = Origin(source="log", zone="Asia/Seoul")
    root = of(list(read_source(origin=origin, text=TABLE).events), "torchrun-root-cause")
    assert str(root.line.at) == "2026-09-14 08:05:19+00:00"


def test_the_last_error_of_nccl_keeps_the_peer() -> None:
    text = (
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"
        "Last error:\nNET/IB: Got completion from peer 10.9.0.7<41200> with status=12 opcode=0 len=0 vendor err 129 (Recv)"
    )
    events = said(text)
    assert "10.9.0.7" in of(events, "pg-last-error").fields["err"]
    quoted = of(events, "nccl-ib-wc-error-v220")
    assert (quoted.fields["peer"], quoted.fields["quoted"]) == ("10.9.0.7", "last-error")


def test_a_gpu_lost_in_three_lines_is_one_event() -> None:
    event = of(said(TRIPLE), "nvrm-fallen-off-probe")
    assert (event.fields["pci"], event.causes, event.line.number) == (
        "0000:c4:00.0",
        ("gpu-off-bus",),
        1,
    )


@pytest.mark.parametrize(
    "echo",
    [
        "NVRM: Xid (PCI:0000:c4:00): 79, pid=1, GPU has fallen off the bus.",
        "NVRM: GPU 0000:c4:00.0: GPU has fallen off the bus.",
    ],
)
def test_a_loss_said_twice_is_one_event(echo: str) -> None:
    assert len(said(f"{TRIPLE}\n{echo}")) == 1
    assert len(said(f"NVRM: Xid (PCI:0000:c4:00): 79, GPU has fallen off the bus.\n{echo}")) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2026-11-09T12:50:05+00:00 n1 kernel:", "2026-11-12T13:07:02+00:00 n1 kernel:"),
        ("[Mon Nov  9 12:50:05 2026]", "[Thu Nov 12 13:07:02 2026]"),
        ("[ 9100.250000]", "[268410.750000]"),
        ("[268410.750000]", "[ 9100.250000]"),
    ],
)
def test_a_gpu_lost_again_in_a_quiet_log_is_lost_twice(first: str, second: str) -> None:
    lost = "NVRM: Xid (PCI:0000:c4:00): 79, pid='<unknown>', GPU has fallen off the bus."
    events = said(f"{first} {lost}\n{second} {lost}\n")
    assert [(one.signature, one.line.number) for one in events] == [
        ("nvrm-xid-79", 1),
        ("nvrm-xid-79", 2),
    ]


def test_two_lost_gpus_are_two_events() -> None:
    other = "NVRM: Xid (PCI:0000:d1:00): 79, pid=1, GPU has fallen off the bus."
    assert sorted(event.fields["pci"] for event in said(f"{TRIPLE}\n{other}")) == [
        "0000:c4:00.0",
        "0000:d1:00.0",
    ]


def test_an_unsupported_gpu_is_not_lost() -> None:
    text = "NVRM: The NVIDIA GPU 0000:c4:00.0 (PCI ID: 10de:0fc6)\nNVRM: installed in this system is not supported by open"
    assert said(text) == []


def test_a_bus_error_carries_the_bits_of_its_following_lines() -> None:
    text = """[ 5.1] nvme 0000:c1:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer, (Requester ID)
[ 5.1] nvme 0000:c1:00.0:   device [144d:a80a] error status/mask=00004000/00400000
[ 5.1] nvme 0000:c1:00.0:    [14] CmpltTO                (First)"""
    event = of(said(text), "pcie-aer")
    assert (event.fields["status"], event.fields["err"], event.fields["device"]) == (
        "00004000",
        "CmpltTO",
        "a80a",
    )
    assert len(said(text)) == 1


def test_the_memory_killer_says_which_memory_ran_out() -> None:
    text = """[ 7.1] llm invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
[ 7.1] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,mems_allowed=0,oom_memcg=/pods/x,task_memcg=/pods/x/y,task=llm,pid=77,uid=0
[ 7.1] Memory cgroup out of memory: Killed process 77 (llm) total-vm:9kB, anon-rss:8kB, file-rss:0kB"""
    killed = of(said(text), "oom-killed")
    assert (killed.fields["constraint"], killed.fields["oom_memcg"]) == (
        "CONSTRAINT_MEMCG",
        "/pods/x",
    )


@pytest.mark.parametrize(
    ("symbol", "layer"),
    [
        ("rpc_wait_bit_killable", Layer.STORAGE),
        ("ldlm_lock_match", Layer.STORAGE),
        ("uvm_va_space_destroy", Layer.GPU),
        ("mlx5_cmd_exec", Layer.NETWORK),
        ("futex_wait_queue", Layer.HOST),
    ],
)
def test_the_stack_of_a_hung_task_names_the_layer(symbol: str, layer: Layer) -> None:
    text = f"""[ 9.1] INFO: task llm:77 blocked for more than 120 seconds.
[ 9.1]       Not tainted 6.8.0 #1
[ 9.1] task:llm state:D stack:0 pid:77
[ 9.1] Call Trace:
[ 9.1]  <TASK>
[ 9.1]  __schedule+0x2d0/0x880
[ 9.1]  {symbol}+0x1a/0x90
[ 9.1]  </TASK>"""
    event = of(said(text), "hung-task")
    assert event.layer == layer
    assert symbol in event.fields["stack"]


def test_a_record_open_at_the_end_is_told_on_close() -> None:
    reader = StreamReader(origin=Origin(source="log"))
    first = reader.feed(text=TRIPLE, first_number=1)
    assert (keys(list(first.events)), keys(list(reader.close().events))) == (
        [],
        ["nvrm-fallen-off-probe"],
    )
