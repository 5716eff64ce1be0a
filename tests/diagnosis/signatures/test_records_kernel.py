"""Reports of several kernel lines become one event each."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.model import Event, Layer, Mark, Origin, Role
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.read import StreamReader, read_source


def said(text: str) -> list[Event]:
    return list(read_source(origin=Origin(source="kernel"), text=text).events)


def hung(*frames: str, mark: str = "") -> str:
    stack = "".join(f"[70331.9]  {mark}{frame}+0x2c/0x190\n" for frame in frames)
    return (
        "[70331.9] INFO: task pt_main_thread:4388 blocked for more than 120 seconds.\n"
        "[70331.9]       Tainted: G           OE     5.15.0-1067-nvidia #68-Ubuntu\n"
        '[70331.9] "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.\n'
        "[70331.9] task:pt_main_thread  state:D stack:    0 pid: 4388 ppid:  4301 flags:0x00004002\n"
        "[70331.9] Call Trace:\n[70331.9]  <TASK>\n" + stack + "[70331.9]  </TASK>\n"
    )


@pytest.mark.parametrize(
    ("frames", "layer", "cause"),
    [
        (("schedule", "rpc_wait_bit_killable", "nfs4_run_open_task", "vfs_open"), Layer.STORAGE, "nfs-unavailable"),
        (("schedule", "ptlrpc_set_wait", "ll_file_open"), Layer.STORAGE, "nfs-unavailable"),
        (("schedule", "request_wait_answer", "fuse_simple_request"), Layer.STORAGE, "nfs-unavailable"),
        (("schedule", "uvm_va_space_destroy", "uvm_release"), Layer.GPU, "gpu-other"),
        (("schedule", "mlx5_cmd_exec", "ib_destroy_qp_user"), Layer.NETWORK, "link-down"),
        (("schedule", "io_schedule", "folio_wait_bit_common", "ext4_sync_file"), Layer.STORAGE, "nfs-unavailable"),
    ],
)  # fmt: skip
def test_the_stack_of_a_hung_task_names_the_layer(
    frames: tuple[str, ...], layer: Layer, cause: str
) -> None:
    (event,) = said(hung(*frames))
    assert (event.layer, event.causes) == (layer, (cause,))


def test_a_task_that_waits_for_another_stays_with_its_host() -> None:
    (event,) = said(hung("schedule", "futex_wait_queue", "do_futex"))
    assert event.layer is Layer.HOST


def test_a_deep_stack_is_read_to_its_end() -> None:
    frames = [f"some_rather_long_symbol_of_a_file_system_{number}" for number in range(20)]
    (event,) = said(hung("schedule", *frames, "nfs_wb_all"))
    assert (event.layer, event.fields["waits_in"]) == (Layer.STORAGE, "nfs_wb_all")


def test_stacks_of_old_kernels_carry_addresses() -> None:
    (event,) = said(hung("schedule", "nfs_wait_bit_killable", mark="[<ffffffffc0a1b2c3>] ? "))
    assert event.layer is Layer.STORAGE


BUS = """[  88.1] pcieport 0000:16:01.0: AER: Uncorrected (Fatal) error received: 0000:18:00.0
[  88.1] nvidia 0000:18:00.0: AER: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)
[  88.1] nvidia 0000:18:00.0: AER:   Error of this Agent is reported first
[  88.1] nvidia 0000:18:00.0: AER:   device [10de:2330] error status/mask=00004000/00000000
[  88.1] nvidia 0000:18:00.0: AER:    [14] CmpltTO                (First)
[  88.1] nvidia 0000:18:00.0: AER:   TLP Header: 40000001 0000000f fc000000 00000000
[  88.1] nvidia 0000:18:00.0: AER: can't recover (no error_detected callback)
[  88.2] pcieport 0000:16:01.0: AER: device recovery failed
"""


def test_a_bus_error_is_one_event_with_its_device_and_first_bit() -> None:
    events = said(BUS)
    assert [one.signature for one in events if one.signature.startswith("pcie-aer")] == [
        "pcie-aer-received",
        "pcie-aer",
    ]
    error = next(one for one in events if one.signature == "pcie-aer")
    assert (error.fields["device"], error.fields["err"], error.fields["status"]) == (
        "2330",
        "CmpltTO",
        "00004000",
    )


def test_what_could_not_be_recovered_is_told() -> None:
    assert "pcie-recovery-failed" in [one.signature for one in said(BUS)]


CPER = """[  88.1] {{1}}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4
[  88.1] {{1}}[Hardware Error]: event severity: {severity}
[  88.1] {{1}}[Hardware Error]:  Error 0, type: {severity}
[  88.1] {{1}}[Hardware Error]:  fru_text: B1
[  88.1] {{1}}[Hardware Error]:   section_type: {section}
[  88.1] {{1}}[Hardware Error]:   physical_address: 0x000000b50c68ce80
[  88.1] {{1}}[Hardware Error]:   device_id: 0000:16:01.0
[  88.1] {{1}}[Hardware Error]:   DIMM location: CPU 2 DIMM 30
[  88.2] EDAC MC: Ver: 3.0.0
"""


@pytest.mark.parametrize(
    ("severity", "section", "role", "causes"),
    [
        ("corrected", "memory error", Role.CONTEXT, ()),
        ("recoverable", "memory error", Role.INITIATING, ("node-unreachable",)),
        ("fatal", "PCIe error", Role.INITIATING, ("pcie-error",)),
    ],
)
def test_a_report_of_the_firmware_is_one_event(
    severity: str, section: str, role: Role, causes: tuple[str, ...]
) -> None:
    text = CPER.format(severity=severity, section=section)
    (event,) = (one for one in said(text) if one.signature not in marked(Mark.UNKNOWN_FAILURE))
    assert (event.role, event.causes) == (role, causes)
    assert (event.fields["section"], event.fields["dimm"], event.fields["pci"]) == (
        section,
        "CPU 2 DIMM 30",
        "0000:16:01.0",
    )


HEALTH = """[  88.1] mlx5_core 0000:9a:00.0: print_health_info:423:(pid 0): Health issue observed, firmware internal error, severity(3) ERROR:
[  88.1] mlx5_core 0000:9a:00.0: print_health_info:427:(pid 0): assert_var[0] 0x000000ab
[  88.1] mlx5_core 0000:9a:00.0: print_health_info:430:(pid 0): assert_exit_ptr 0x20a5f8d4
[  88.1] mlx5_core 0000:9a:00.0: print_health_info:438:(pid 0): fw_ver 28.39.1002
[  88.1] mlx5_core 0000:9a:00.0: print_health_info:447:(pid 0): synd 0x7: irisc not responding
[  88.1] mlx5_core 0000:9a:00.0: print_health_info:448:(pid 0): ext_synd 0x8a0f
"""


def test_the_health_report_of_an_adapter_is_one_event_with_its_syndrome() -> None:
    (event,) = said(HEALTH)
    assert event.signature == "mlx5-health-issue"
    assert (event.fields["synd"], event.fields["kind"]) == ("7", "irisc not responding")
    assert (event.fields["ext_synd"], event.fields["fw_ver"]) == ("0x8a0f", "28.39.1002")


def test_a_syndrome_of_another_adapter_stays_its_own() -> None:
    events = said(
        HEALTH.splitlines()[0]
        + "\n[  88.1] mlx5_core 0000:41:00.0: print_health_info:447:(pid 0): synd 0x1: firmware internal error\n"
    )
    assert sorted(one.signature for one in events) == ["mlx5-health-issue", "mlx5-health-synd"]


@pytest.mark.parametrize("text", [BUS, HEALTH, CPER.format(severity="fatal", section="PCIe error"), hung("schedule", "nfs_wb_all")])  # fmt: skip
@pytest.mark.parametrize("cut", [1, 2, 4])
def test_a_report_may_be_cut_between_batches(text: str, cut: int) -> None:
    origin = Origin(source="kernel")
    lines = text.splitlines()
    first = StreamReader(origin=origin)
    head = first.feed(text="\n".join(lines[:cut]), first_number=1)
    second = StreamReader(origin=origin, state=first.state)
    tail = second.feed(text="\n".join(lines[cut:]), first_number=cut + 1)
    pushed = [*head.events, *tail.events, *second.close().events]
    assert {_told(one) for one in pushed} == {_told(one) for one in said(text)}


def _told(event: Event) -> tuple[str, int, tuple[tuple[str, str], ...]]:
    return (event.signature, event.line.number, tuple(sorted(event.fields.items())))
