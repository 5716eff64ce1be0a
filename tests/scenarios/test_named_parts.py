"""What an error is called: by its number and its part; an NVSwitch is no GPU, a kernel no program."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.model import Diagnosis, Origin, Stream
from apps.diagnosis.signatures.read import read_source
from apps.incidents.words.blamed import culprits
from apps.offline.report import as_text
from apps.wording import headline_in_english, in_english
from apps.wording.published import device_json, to_json
from tests.scenarios.verdicts import diagnosed

AT = "2026-11-20T03:00:{:02d}+00:00 node12 kernel: "
SWITCH = "nvidia-nvswitch2: SXid (PCI:0000:87:00.0): "
FATAL = f"{SWITCH}20034, Fatal, Link 11 LTSSM Fault Up"
DETAIL = f"{SWITCH}20034, Severity 1 Engine instance 11 Sub-engine instance 00"
MINOR = f"{SWITCH}12028, Non-fatal, Link 11 egress non-posted PRIV error (First)"
OTHER = f"{SWITCH}24007, Fatal, Link 12 sourcetrack timeout error (First)"
GPU = "NVRM: Xid (PCI:0000:62:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 3(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"
MANAGER = "[Nov 20 2026 03:00:02] [ERROR] [tid 842] detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:87:00.0 physical id 2 port 11"


def _read(*lines: str) -> Diagnosis:
    told = "".join(f"{AT.format(second)}{line}\n" for second, line in enumerate(lines))
    return diagnosed(texts={"kernel/node12.log": told})


def test_the_address_of_an_nvswitch_is_no_gpus() -> None:
    found = _read(FATAL, DETAIL, GPU)
    named = {(one.kind, one.name, one.pci) for one in found.verdict.culprits}
    assert named == {
        ("nvswitch", "nvidia-nvswitch2", "0000:87:00.0"),
        ("gpu", None, "0000:62:00.0"),
    }
    text = " ".join(as_text(diagnosis=found).split())
    assert "NVSwitch 2 (0000:87:00.0) on node12" in text
    assert "gpu 0000:87:00.0" not in text


def test_an_nvswitch_is_one_part_whoever_tells_of_it() -> None:
    found = diagnosed(
        texts={"kernel/node12.log": AT.format(1) + FATAL, "node12-fabricmanager.log": MANAGER}
    )
    switches = [one for one in found.verdict.culprits if one.kind == "nvswitch"]
    assert {one.pci for one in switches} == {"0000:87:00.0"}


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ({"kind": "nvswitch", "name": "nvidia-nvswitch2", "host": "n1"}, "NVSwitch 2 on n1"),
        (
            {"kind": "nvswitch", "name": None, "host": "n1", "gpu": {"pci": "0000:87:00.0"}},
            "the NVSwitch at 0000:87:00.0 on n1",
        ),
    ],
)
def test_a_title_calls_it_an_nvswitch(device: dict[str, object], name: str) -> None:
    assert culprits([device]) == name


def test_the_number_and_how_grave_it_is_are_told() -> None:
    found = _read(FATAL, DETAIL, MINOR)
    told = [headline_in_english(one.statement) for one in found.hypotheses[0].supporting]
    assert told == ["An NVSwitch reported a fatal error (SXid 20034)"]
    assert [headline_in_english(one.statement) for one in found.timeline if one.host] == [
        "An NVSwitch reports a fatal error (SXid 20034), nvidia-nvswitch2",
        "An NVSwitch corrected an error; it counts when it repeats (SXid 12028), nvidia-nvswitch2",
    ]
    assert "SXid 20034" in str(to_json(diagnosis=found))
    assert all(device_json(one)["kind"] == "nvswitch" for one in found.verdict.culprits)


def test_two_numbers_are_two_facts() -> None:
    texts = [headline_in_english(one.statement) for one in _read(FATAL, OTHER).timeline]
    assert sum("SXid 20034" in text for text in texts) == 1
    assert sum("SXid 24007" in text for text in texts) == 1


@pytest.mark.parametrize("number", ["62", "74", "79", "119", "48", "109"])
def test_the_story_names_number_and_gpu(number: str) -> None:
    line = f"NVRM: Xid (PCI:0000:62:00): {number}, pid='<unknown>', name=<unknown>, text"
    (moment,) = [one for one in _read(line).timeline if one.host]
    assert f"(Xid {number}), 0000:62:00.0" in headline_in_english(moment.statement)


def test_an_error_that_is_known_by_its_number_alone_is_evidence_with_number_and_gpu() -> None:
    found = _read("NVRM: Xid (PCI:0000:62:00): 999, pid='<unknown>', name=<unknown>, text")
    told = {in_english(e.statement) for one in found.hypotheses for e in one.supporting}
    assert told == {"The driver reports an error of a GPU (Xid 999), 0000:62:00.0"}


def test_what_two_parts_tell_alike_names_neither() -> None:
    line = "NVRM: Xid (PCI:0000:{}:00): 45, pid=71, name=python, Ch 00000013"
    (moment,) = [one for one in _read(line.format("62"), line.format("63")).timeline if one.host]
    assert "0000:6" not in headline_in_english(moment.statement)


KERNELS = [
    "LustreError: 4127:0:(osc_request.c:1982:osc_brw_redo_request()) @@@ redo for recoverable error -5",
    "LustreError: 166-1: MGC10.7.0.1@o2ib: no word from the server",
    "LNetError: 2431:0:(peer.c:3724:lnet_peer_ni_add_to_recoveryq_locked()) lpni 10.7.0.2@o2ib added to recovery queue",
    "IPMI: TimeoutError: no answer",
    "iwl: Microcode SW error detected. Timeout: 5",
    "CIFS VFS: Error connecting to socket. Aborting operation. Connection refused",
    "nfs4: Connection timed out",
]


@pytest.mark.parametrize("line", KERNELS)
@pytest.mark.parametrize("stream", [None, Stream.KERNEL])
def test_a_kernels_line_is_no_programs(line: str, stream: Stream | None) -> None:
    origin = Origin(source="log", stream=stream)
    for prefix in (AT.format(7), "[Fri Nov 20 03:00:07 2026] ", "[70331.948201] "):
        told = {e.signature for e in read_source(origin=origin, text=prefix + line).events}
        assert told <= {"lustre-error", "yet-unknown-failure"}


def test_lustre_without_any_prefix_is_no_programs_either() -> None:
    (event,) = read_source(origin=Origin(source="log"), text=KERNELS[0]).events
    assert event.signature == "lustre-error"


def test_a_program_in_the_journal_beside_the_kernel_is_still_heard() -> None:
    text = "2026-11-20T03:00:07+00:00 node12 train[4115]: ValueError: bad shard"
    (event,) = read_source(origin=Origin(source="log", stream=Stream.KERNEL), text=text).events
    assert event.signature == "py-exception-final"
