"""Bus errors and the GPUs behind them, errors that only their clean-up names, ports of bonds."""
# ruff: noqa: E501  lines of logs keep their length

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from apps.diagnosis.model import Event, Observation, Origin, Role, Stream
from apps.diagnosis.reasoning.findings import kernel_findings, port_findings
from apps.diagnosis.reasoning.observations import fold
from apps.diagnosis.signatures.read import read_source
from tests.diagnosis.events import NOON

LOST = "NVRM: Xid (PCI:0000:b7:00): 79, pid=41, name=llm, GPU has fallen off the bus."
OWN = "pcieport 0000:b5:01.0"
OTHER = "pcieport 0000:16:01.0"
FATAL = "PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)"
BRIDGE = "pci 0000:b5:01.0: PCI bridge to [bus b6-b8]"
OTHER_BRIDGE = "pci 0000:16:01.0: PCI bridge to [bus 17-19]"


def told(lines: Sequence[tuple[float, str]], host: str = "n1") -> list[Event]:
    text = "\n".join(
        f"{NOON + timedelta(seconds=at):%FT%T.%f}+00:00 {host} kernel: {line}" for at, line in lines
    )
    origin = Origin(source=f"kernel/{host}", stream=Stream.KERNEL, host=host)
    return list(read_source(origin=origin, text=text).events)


def found(*lines: tuple[float, str], failed_after: float = 5) -> list[Observation]:
    events = told(lines)

    def instant(event: Event) -> tuple[datetime | None, timedelta]:
        return event.line.at, timedelta(0)

    def host_of(event: Event) -> str | None:
        return event.line.host

    observations = fold.fold_events(events=events, instant=instant, host_of=host_of)
    failed_at = NOON + timedelta(seconds=failed_after)
    return [
        *kernel_findings.derive(
            events=events,
            observations=observations,
            instant=instant,
            host_of=host_of,
            failed_at=failed_at,
            place=kernel_findings.SuspectedParts(),
        ),
        *port_findings.derive(observations=observations, failed_at=failed_at),
    ]


def names(*lines: tuple[float, str]) -> list[str]:
    return sorted(one.sign.removeprefix("finding:") for one in found(*lines))


def test_a_fatal_error_of_the_port_above_the_lost_gpu_counts() -> None:
    assert names((-900, BRIDGE), (1, f"{OWN}: {FATAL}"), (1.1, LOST)) == ["aer-fatal"]


def test_an_error_of_a_port_that_leads_elsewhere_does_not() -> None:
    lines = ((-900, BRIDGE), (-900, OTHER_BRIDGE), (1, f"{OTHER}: {FATAL}"), (1.1, LOST))
    assert names(*lines) == ["aer-elsewhere"]


def test_an_error_half_an_hour_after_the_loss_is_an_aftermath() -> None:
    assert names((1, LOST), (2041, f"{OTHER}: {FATAL}")) == ["aer-afterwards"]


def test_a_port_nobody_knows_is_tied_to_the_loss_by_the_moment_only() -> None:
    assert names((1, f"{OWN}: {FATAL}"), (1.1, LOST)) == ["aer-fatal"]


def test_a_message_from_the_gpu_makes_its_port_known() -> None:
    lines = (
        (-40, f"{OWN}: AER: Corrected error received: 0000:b7:00.0"),
        (1, f"{OWN}: {FATAL}"),
        (1.1, LOST),
    )
    assert names(*lines) == ["aer-fatal", "aer-single"]


def test_a_device_of_another_bus_is_not_the_gpu() -> None:
    nvme = (
        "nvme 0000:17:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)"
    )
    assert names((1, nvme), (1.1, LOST)) == ["aer-elsewhere"]


def test_a_cleanup_speaks_for_the_error_it_names_where_that_is_missing() -> None:
    line = "NVRM: Xid (PCI:0000:b7:00): 45, pid=41, name=llm, Ch 00000010 caused by previous Xid 94"
    (one,) = found((1, line), (1, line))
    assert (one.sign, one.fields["xid"]) == ("finding:xid-named-by-cleanup", "94")
    assert (one.role, one.causes) == (Role.INITIATING, ("gpu-ecc-uncorrectable",))


def test_a_cleanup_adds_nothing_to_an_error_that_is_told() -> None:
    line = "NVRM: Xid (PCI:0000:b7:00): 45, pid=41, name=llm, Ch 00000010 caused by previous Xid 94"
    error = "NVRM: Xid (PCI:0000:b7:00): 94, pid=41, name=llm, Contained: CE User Channel (0x9)."
    assert names((1, error), (1, line)) == []


ASKS = "NVRM: Xid (PCI:0000:b7:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)"


def test_what_the_driver_asks_for_belongs_to_the_error_before_it() -> None:
    (one,) = [each for each in found((1, LOST), (2, ASKS)) if each.sign == "finding:recovery-asked"]
    assert (one.role, one.fields["follows"], one.fields["action"]) == (
        Role.CONTEXT,
        "79",
        "reboot-node",
    )


def test_what_the_driver_asks_for_stands_alone_where_no_error_is_told() -> None:
    (one,) = found((2, ASKS))
    assert (one.role, one.causes) == (Role.CONFIRMATION, ("gpu-other",))


def test_a_request_taken_back_is_nothing() -> None:
    assert (
        names(
            (
                2,
                ASKS.replace(
                    "0x0 (None) to 0x2 (Node Reboot Required)",
                    "0x2 (Node Reboot Required) to 0x0 (None)",
                ),
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("back_at", "name"),
    [
        (-120, "link-flap-recovered"),
        (3, "link-flapped"),
        (8, "link-down"),
        (None, "link-down"),
    ],
)
def test_a_leg_of_a_bond_is_judged_as_any_port(back_at: float | None, name: str) -> None:
    lines = [(-130.0, "bond0: (slave eth2): link status definitely down, disabling slave")]
    lines += [
        (at, "bond0: (slave eth2): link status definitely up, 200000 Mbps full duplex")
        for at in (back_at,)
        if at is not None
    ]
    assert names(*lines) == [name]


SHADER = "NVRM: Xid (PCI:0000:b7:00): 13, pid={pid}, name=llm, Graphics SM Warp Exception on (GPC {gpc}, TPC 4, SM 1): Illegal Instruction Parameter"
PAGE = "NVRM: Xid (PCI:0000:b7:00): 31, pid={pid}, name=llm, Ch 00000008, intr 00000000. MMU Fault: ENGINE CE3 HUBCLIENT_CE1 faulted @ 0x7f4a_{at}. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([SHADER.format(pid=41, gpc=2), SHADER.format(pid=77, gpc=2)], ["faults-on-one-gpu"]),
        ([SHADER.format(pid=41, gpc=2), SHADER.format(pid=41, gpc=5)], []),
        ([SHADER.format(pid=41, gpc=2), SHADER.format(pid=77, gpc=5)], []),
        ([PAGE.format(pid=41, at="20000000"), PAGE.format(pid=77, at="9a000000")], ["faults-on-one-gpu"]),
        ([PAGE.format(pid=41, at="20000000"), PAGE.format(pid=77, at="20000000")], ["faults-at-one-address"]),
        ([PAGE.format(pid=41, at="20000000"), PAGE.format(pid=77, at="20000000").replace("b7", "b8")], ["faults-on-many-gpus"]),
    ],
)  # fmt: skip
def test_faults_of_one_gpu_in_several_processes_tell_a_bad_gpu(
    lines: list[str], expected: list[str]
) -> None:
    assert names(*((number * 20.0 - 100, line) for number, line in enumerate(lines))) == expected


@pytest.mark.parametrize(("apart", "expected"), [(90.0, ["faults-on-many-gpus"]), (90.1, [])])
def test_faults_of_several_gpus_are_one_programs_within_a_minute_and_a_half(
    apart: float, expected: list[str]
) -> None:
    page = PAGE.format(pid=41, at="20000000")
    assert names((-95, page), (-95 + apart, page.replace("b7", "b8"))) == expected


@pytest.mark.parametrize(("seconds", "sign"), [(1, "aer-storm"), (180, "aer-single")])
def test_corrected_bus_errors_are_a_storm_by_their_rate(seconds: float, sign: str) -> None:
    line = f"{OTHER}: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)"
    lines = [(count * seconds, line) for count in range(-6, 0)]
    assert f"finding:{sign}" in {one.sign for one in found(*lines)}


@pytest.mark.parametrize(
    ("words", "sign"),
    [(("port error", "port active"), "link-flap-recovered"),
     (("port active", "port error"), "port-error-whole-host"),
     (("port error", "port active", "port error"), "port-error-whole-host")],
)  # fmt: skip
def test_without_times_the_last_word_of_a_port_counts(words: tuple[str, ...], sign: str) -> None:
    lines = "\n".join(
        f"n1:41:99 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : {word}" for word in words
    )
    origin = Origin(source="session/n1", stream=Stream.SESSION, host="n1")
    observations = fold.fold_events(
        events=read_source(origin=origin, text=lines).events,
        instant=lambda one: (one.line.at, timedelta(0)),
        host_of=lambda one: one.line.host,
    )
    told = port_findings.derive(observations=observations, failed_at=NOON)
    assert {one.sign for one in told} == {f"finding:{sign}"}
