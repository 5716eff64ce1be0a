"""A host that booted with no word before; what hung tasks wait for."""
# ruff: noqa: E501  lines of logs keep their length

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Layer, Observation, Origin, Reading, Role, Stream
from apps.diagnosis.reasoning.findings import host_findings
from apps.diagnosis.signatures.read import read_source
from tests.diagnosis.events import NOON, after, event, watchdog

BOOT = "Linux version 5.15.0-1067-nvidia (buildd@b1) #68-Ubuntu SMP"
STARTED = watchdog(0, at=after(-600), host="n2")


def kernel(*lines: tuple[float, str], host: str = "n1") -> Reading:
    text = "\n".join(f"{after(at):%FT%T.%f}+00:00 {host} {line}" for at, line in lines)
    origin = Origin(source=f"kernel/{host}", stream=Stream.KERNEL, host=host)
    return read_source(origin=origin, text=text)


def found(*lines: tuple[float, str], others: Sequence[Event] = (STARTED,)) -> list[Observation]:
    def instant(event: Event) -> tuple[datetime | None, timedelta]:
        return event.line.at, timedelta(0)

    return host_findings.derive(
        events=[*kernel(*lines).events, *others],
        instant=instant,
        host_of=lambda event: event.line.host,
        failed_at=NOON,
    )


def test_a_boot_with_no_word_before_tells_of_a_lost_host() -> None:
    (one,) = found((-300, "kernel: nfs: server s9 OK"), (240, f"kernel: {BOOT}"))
    assert (one.sign, one.host, one.causes) == (
        "finding:rebooted-during",
        "n1",
        ("node-unreachable",),
    )
    assert one.at is not None
    assert one.at <= NOON


def test_an_ordered_restart_is_told_as_such() -> None:
    (one,) = found(
        (-20, "systemd-logind[801]: System is rebooting."),
        (240, f"kernel: {BOOT}"),
    )
    assert (one.sign, one.causes) == ("finding:host-shut-down", ("process-killed",))


@pytest.mark.parametrize(
    "lines",
    [
        ((-7200, f"kernel: {BOOT}"),),
        ((3600, f"kernel: {BOOT}"),),
        ((400, "systemd-logind[801]: System is rebooting."), (640, f"kernel: {BOOT}")),
        ((-5, "kernel: NVRM: Xid (PCI:0000:b7:00): 79, GPU has fallen off the bus."), (640, f"kernel: {BOOT}")),
        ((-5, "kernel: Kernel panic - not syncing: Fatal exception"), (240, f"kernel: {BOOT}")),
        ((500, "kernel: nfs: server s9 OK"), (640, f"kernel: {BOOT}")),
    ],
)  # fmt: skip
def test_other_boots_tell_nothing_new(lines: tuple[tuple[float, str], ...]) -> None:
    assert found(*lines) == []


def test_a_boot_before_the_session_began_is_none_of_its_business() -> None:
    late = watchdog(0, at=after(-60), host="n2")
    assert found((-120, f"kernel: {BOOT}"), others=[late]) == []
    assert found((-60, f"kernel: {BOOT}"), others=[late]) == []
    assert len(found((-59, f"kernel: {BOOT}"), others=[late])) == 1


HUNG = "kernel: INFO: task pt_main_thread:4388 blocked for more than 120 seconds."


def test_hung_tasks_speak_for_what_they_wait_for() -> None:
    (one,) = found((130, HUNG), (130, "kernel:  rpc_wait_bit_killable+0x2c/0x90 [sunrpc]"))
    assert (one.sign, one.layer, one.role) == (
        "finding:hung-in-storage",
        Layer.STORAGE,
        Role.CONFIRMATION,
    )
    assert one.at == after(10)


def test_a_hung_task_without_a_stack_names_no_layer() -> None:
    assert found((130, HUNG)) == []


def test_the_silent_host_is_named_in_the_verdict() -> None:
    waits = [
        read_source(
            origin=Origin(
                source=f"session/n{rank}", stream=Stream.SESSION, host=f"n{rank}", rank=rank
            ),
            text=f"[2026-05-04 12:10:00] [rank{rank}]:[E504 12:10:00.100000000 ProcessGroupNCCL.cpp:616] "
            f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, "
            "OpType=ALLREDUCE, NumelIn=1024, NumelOut=1024, Timeout(ms)=600000) ran for 600010 "
            "milliseconds before timing out.\n",
        )
        for rank in range(2, 5)
    ]
    silent = read_source(
        origin=Origin(source="session/n1", stream=Stream.SESSION, host="n1", rank=1),
        text="[2026-05-04 11:50:00] iteration 12/ 500 | lm loss: 2.1\n",
    )
    boot = kernel((-300, "kernel: nfs: server s9 OK"), (240, f"kernel: {BOOT}"))
    early = kernel((-900, "kernel: nfs: server s9 OK"), host="n2")
    verdict = diagnose(readings=[*waits, silent, boot, early]).verdict
    assert (verdict.layer, verdict.cause) == (Layer.HOST, "node-unreachable")
    assert [one.host for one in verdict.culprits] == ["n1"]


OOM = (
    "kernel: Memory cgroup out of memory: Killed process 999 ({comm}) total-vm:8kB, anon-rss:6kB, "
    "file-rss:1kB, shmem-rss:1kB, UID:9 pgtables:1kB oom_score_adj:0"
)
OWN = event("py-exception", at=NOON, role=Role.INITIATING, causes=("rank-exception",))


@pytest.mark.parametrize(
    ("comm", "others", "is_told"),
    [
        ("blender", (OWN,), True),
        ("pt_main_thread", (OWN,), False),
        ("ray::Trainer", (OWN,), False),
        ("blender", (STARTED,), False),
    ],
)
def test_a_kill_of_others_is_told_beside_a_failure_of_the_session_itself(
    comm: str, others: tuple[Event, ...], *, is_told: bool
) -> None:
    signs = [one.sign for one in found((-20, OOM.format(comm=comm)), others=others)]
    assert signs == (["finding:kill-of-another"] if is_told else [])
