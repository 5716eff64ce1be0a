"""Xid and SXid codes: number, address, unit and action, from our own lines and from recorded ones."""
# ruff: noqa: E501  lines of logs keep their length

import csv
import json
from typing import Any

import pytest

from apps.diagnosis.logs.pci import normalised
from apps.diagnosis.model import Event, Layer, Origin, Role, Severity
from apps.diagnosis.signatures.read import read_source
from apps.diagnosis.signatures.xid import action_of
from apps.diagnosis.signatures.xid_tables import nvlink5_rules, sxid_codes, xid_codes
from tests.shared_files import SHARED, needs_shared

# How the recorded vectors name an action → the actions of ours that mean it.
SAME_ACTION = {
    "COMPONENT_RESET": {"reset-gpu", "drain-peers"},
    "NONE": {"ignore", "reset-later", "restart-app", "follow-previous", "follow-154"},
    "CONTACT_SUPPORT": {"contact-support", "check-power", "update-software", "check-uvm"},
    "RESTART_BM": {"reboot-node"},
    "RESTART_VM": {"restart-vm"},
}
XID_PARTS = {"nvrm-fallen-off", "nvrm-fallen-off-probe"}


def vectors() -> list[dict[str, Any]]:
    path = SHARED / "data/xid_vectors/vectors.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def said(text: str) -> tuple[Event, ...]:
    return read_source(origin=Origin(source="kernel"), text=text).events


def the_only(text: str) -> Event:
    (event,) = said(text)
    return event


@needs_shared
@pytest.mark.parametrize("vector", [one for one in vectors() if one["kind"] == "xid"])
def test_a_recorded_xid_is_read_exactly(vector: dict[str, Any]) -> None:
    event = the_only(vector["line"])
    assert event.fields["xid"] == str(vector["xid"])
    assert event.fields["pci"] == normalised(address=vector["pci"])
    assert event.fields.get("subcode") == vector.get("subcode")
    assert event.fields["action"] in SAME_ACTION[vector["action"]]


@needs_shared
@pytest.mark.parametrize("vector", [one for one in vectors() if "sxid" in one["kind"]])
def test_a_recorded_sxid_is_read_exactly(vector: dict[str, Any]) -> None:
    event = the_only(vector["line"])
    assert event.fields["sxid"] == str(vector["sxid"])
    assert event.fields.get("link") == (str(vector["link"]) if vector["link"] else None)


@needs_shared
@pytest.mark.parametrize("vector", [one for one in vectors() if "fallen" in one["kind"]])
def test_a_recorded_loss_is_one_event(vector: dict[str, Any]) -> None:
    keys = [event.signature for event in said(vector["line"])]
    assert len(keys) == 1
    assert (keys[0] in XID_PARTS) == vector["event"]


@needs_shared
@pytest.mark.parametrize("vector", [one for one in vectors() if one["kind"] == "none"])
def test_a_recorded_harmless_line_is_no_xid(vector: dict[str, Any]) -> None:
    assert not [event for event in said(vector["line"]) if "xid" in event.fields]


@needs_shared
def test_the_codes_of_recorded_kernel_lines_are_read() -> None:
    path = SHARED / "data/kernel_log_lines/lines.jsonl"
    recorded = [json.loads(line) for line in path.read_text().splitlines()]
    right = sum(_codes(one["line"]) == (one["xid"], one["sxid"]) for one in recorded)
    assert right / len(recorded) >= 0.98


def _codes(line: str) -> tuple[int | None, int | None]:
    fields = [event.fields for event in said(line)]
    found = {name: int(one[name]) for one in fields for name in ("xid", "sxid") if name in one}
    return found.get("xid"), found.get("sxid")


@pytest.mark.parametrize(
    ("line", "pci"),
    [
        ("NVRM: Xid (PCI:0000:B7:00): 79, GPU has fallen off the bus.", "0000:b7:00.0"),
        ("NVRM: Xid (PCI:00000001:B7:00): 79, GPU has fallen off the bus.", "0001:b7:00.0"),
        ("NVRM: Xid (0000:b7:00): 79, GPU has fallen off the bus.", "0000:b7:00.0"),
        ("NVRM: Xid (PCI:0000:b7:00 GPU-I:05): 94, pid=7, Contained: CE", "0000:b7:00.0"),
    ],
)
def test_addresses_come_in_one_spelling(line: str, pci: str) -> None:
    assert the_only(line).fields["pci"] == pci


def test_the_process_may_be_quoted_unknown_or_missing() -> None:
    named = the_only("NVRM: Xid (PCI:0000:b7:00): 31, pid=41, name=llm, Ch 7, MMU Fault: ENGINE")
    unknown = the_only("NVRM: Xid (PCI:0000:b7:00): 13, pid='<unknown>', name=<unknown>, Graphics")
    missing = the_only("NVRM: Xid (PCI:0000:b7:00): 13, Graphics SM Warp Exception")
    assert (named.fields["pid"], named.fields["name"]) == ("41", "llm")
    assert unknown.fields["pid"] == "<unknown>"
    assert "pid" not in missing.fields


def test_a_line_cut_behind_the_code_still_has_its_code() -> None:
    event = the_only("[ 8.1] NVRM: Xid (PCI:0000:b7:00): 79")
    assert (event.signature, event.fields["xid"]) == ("nvrm-xid-79", "79")


def test_a_line_cut_inside_the_address_is_nothing() -> None:
    assert said("[ 8.1] NVRM: Xid (PCI:0000:b7") == ()


def test_an_unknown_code_keeps_its_number_and_stays_a_gpu_fault() -> None:
    event = the_only("NVRM: Xid (PCI:0000:b7:00): 871, something new")
    assert (event.fields["xid"], event.layer, event.role) == ("871", Layer.GPU, Role.INITIATING)
    assert event.causes == ("gpu-other",)


@pytest.mark.parametrize(
    ("code", "role", "cause"),
    [
        (79, Role.INITIATING, "gpu-off-bus"),
        (48, Role.INITIATING, "gpu-ecc-uncorrectable"),
        (94, Role.INITIATING, "gpu-ecc-uncorrectable"),
        (119, Role.INITIATING, "gpu-gsp-timeout"),
        (74, Role.INITIATING, "gpu-nvlink"),
        (13, Role.INITIATING, "kernel-bug"),
        (63, Role.CONTEXT, "gpu-ecc-uncorrectable"),
        (62, Role.INITIATING, "gpu-gsp-timeout"),
        (109, Role.INITIATING, "gpu-other"),
        (167, Role.INITIATING, "gpu-off-bus"),
    ],
)
def test_a_code_speaks_for_its_cause(code: int, role: Role, cause: str) -> None:
    event = the_only(f"NVRM: Xid (PCI:0000:b7:00): {code}, pid=4, name=a, text")
    assert (event.role, event.causes[0]) == (role, cause)


@pytest.mark.parametrize(
    ("code", "role"), [(43, Role.CASCADE), (45, Role.TEARDOWN), (154, Role.CASCADE)]
)
def test_consequences_are_never_causes(code: int, role: Role) -> None:
    event = the_only(f"NVRM: Xid (PCI:0000:b7:00): {code}, pid=4, name=a, Ch 00000008")
    assert (event.role, event.causes) == (role, ())


@pytest.mark.parametrize(
    ("asked", "action"),
    [
        ("0x0 (None)", "ignore"),
        ("0x1 (GPU Reset Required)", "reset-gpu"),
        ("0x2 (Node Reboot Required)", "reboot-node"),
        ("0x3 (Drain P2P)", "drain-peers"),
        ("0x4 (Drain and Reset)", "reset-gpu"),
        ("0x5 (Recover IMEX Domain)", "recover-fabric"),
        ("0xb (Something New)", "contact-support"),
    ],
)
def test_xid_154_names_its_own_action(asked: str, action: str) -> None:
    text = f"GPU recovery action changed from 0x0 (None) to {asked}"
    assert action_of(xid=154, text=text) == action


def test_a_nonfatal_link_event_is_context_and_a_fatal_one_is_a_cause() -> None:
    line = "NVRM: Xid (PCI:0009:01:00): 149, {} XC0 i0 Link 04 ({} 0x00000000 0x00000000)"
    worse = the_only(line.format("NETIR_LINK_EVT Fatal", "0x004505c6"))
    noise = the_only(line.format("NETIR_BER_EVENT Nonfatal", "0x00000013"))
    assert (worse.role, worse.severity, worse.fields["link"]) == (
        Role.INITIATING,
        Severity.FATAL,
        "04",
    )
    assert (noise.role, noise.fields["action"]) == (Role.CONTEXT, "ignore")


def test_the_driver_decides_how_the_unit_is_read() -> None:
    text = "RLW_REMAP Nonfatal XC1 i0 Link 10 (0x00000004 0x00000040 0x00000000)"
    assert action_of(xid=145, text=text, driver="580.65.06") == "reset-gpu"
    assert action_of(xid=145, text=text, driver="570.124.06") == "ignore"


def test_the_driver_named_in_the_log_decides_how_a_unit_is_read() -> None:
    loading = (
        "[ 9.1] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {}  Mon Dec 30 17:44:08 UTC 2024"
    )
    line = "[ 88.2] NVRM: Xid (PCI:0000:b7:00): 145, RLW_REMAP Nonfatal XC1 i0 Link 10 (0x00000004 0x00000040 0x00000000)"
    old = said(f"{loading.format('570.148.08')}\n{line}")[-1]
    new = said(f"{loading.format('580.105.08')}\n{line}")[-1]
    assert (old.fields["action"], old.fields["driver"]) == ("ignore", "570.148.08")
    assert (new.fields["action"], new.fields["driver"]) == ("reset-gpu", "580.105.08")


def test_what_the_driver_calls_nonfatal_is_no_cause_even_where_a_reset_is_asked_for() -> None:
    line = "NVRM: Xid (PCI:0000:b7:00): 145, RLW_REMAP Nonfatal XC1 i0 Link 10 (0x00000004 0x00000040 0x0)"
    event = the_only(line)
    assert (event.role, event.fields["action"]) == (Role.CONTEXT, "reset-gpu")


@pytest.mark.parametrize(
    ("word", "reason", "investigate", "part"),
    [
        ("0x004505c6", "4", "look-at-link", "hardware"),
        ("0x00f001c6", "15", "ask-who-reset", "software"),
        ("0x020001c6", "32", "look-at-peer", "either"),
    ],
)
def test_a_link_that_went_down_says_why(
    word: str, reason: str, investigate: str, part: str
) -> None:
    event = the_only(
        f"NVRM: Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 ({word} 0x00000000 0x0)"
    )
    said_of = event.fields
    assert (said_of["link"], said_of["reason"], said_of["info"]) == ("08", reason, word)
    assert (said_of["investigate"], said_of["part"]) == (investigate, part)


def test_a_cleanup_names_the_xid_it_follows() -> None:
    event = the_only(
        "NVRM: Xid (PCI:0000:b7:00): 45, pid=41, name=llm, Ch 00000010 caused by previous Xid 94"
    )
    assert (event.fields["previous_xid"], event.fields["action"]) == ("94", "follow-previous")


@pytest.mark.parametrize(
    ("line", "signature", "role"),
    [
        ("nvidia-nvswitch2: SXid (PCI:0000:06:00.0): 12028, Non-fatal, Link 41 egress non-posted PRIV error (First)", "nvsw-sxid-minor", Role.CONTEXT),
        ("nvidia-nvswitch2: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 41 LTSSM Fault Up", "nvsw-sxid", Role.INITIATING),
        ("nvidia-nvswitch2: SXid (PCI:0000:06:00.0): 20034, Non-fatal, Link 41 LTSSM Fault Up", "nvsw-sxid-minor", Role.CONTEXT),
        ("nvidia-nvswitch2: SXid (PCI:0000:06:00.0): 29999, SOE something new", "nvsw-sxid-minor", Role.CONTEXT),
        ("nvidia-nvswitch2: SXid (PCI:0000:06:00.0): 29999, Fatal, Link 3 something new", "nvsw-sxid", Role.INITIATING),
        ("[Aug 05 2025 07:53:55] [ERROR] [tid 842] detected NVSwitch non-fatal error 12028 on fid 0 on NVSwitch pci bus id 00000000:86:00.0 physical id 3 port 33", "fm-minor", Role.CONTEXT),
    ],
)  # fmt: skip
def test_what_a_switch_corrected_is_told_under_another_name(
    line: str, signature: str, role: Role
) -> None:
    event = the_only(line)
    assert (event.signature, event.role) == (signature, role)


def test_the_tables_hold_what_the_vendor_lists() -> None:
    assert set(xid_codes()) == set(range(1, 177))
    assert len(sxid_codes()) == 93
    assert sum(len(rules) for rules in nvlink5_rules().values()) >= 94


def test_every_code_says_what_it_means_and_what_to_do() -> None:
    assert [code for code, each in xid_codes().items() if not (each.means and each.action)] == []


REFERENCE = SHARED / "reference/signatures"


def reference(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((REFERENCE / name).read_text("utf-8").splitlines()))


SAME_BUCKET = {
    "contact_support": "contact-support",
    "restart_app": "restart-app",
    "ignore": "ignore",
    "gpu_reset": "reset-gpu",
    "node_reboot": "reboot-node",
    "update_sw": "update-software",
    "check_mechanicals": "check-power",
    "restart_vm": "restart-vm",
    "check_uvm": "check-uvm",
    "follow_named_action": "as-told",
}


@needs_shared
def test_every_code_of_the_reference_has_its_action() -> None:
    rows = reference("xid.csv")
    wrong = {
        row["code"]: xid_codes()[int(row["code"])].action
        for row in rows
        if SAME_BUCKET.get(row["immediate_action_bucket"], "")
        not in {"", xid_codes()[int(row["code"])].action}
    }
    # Nothing at once for 63, says its bucket; its note says that it takes effect at the next reset.
    assert (len(rows), wrong) == (176, {"63": "reset-later"})


@needs_shared
def test_every_switch_code_of_the_reference_has_its_class() -> None:
    rows = reference("sxid.csv")
    wrong = [
        row["sxid"]
        for row in rows
        if (row["class"] == "non_fatal") != (sxid_codes()[int(row["sxid"])].role is Role.CONTEXT)
    ]
    assert (len(rows), wrong) == (93, [])


@needs_shared
@pytest.mark.parametrize("driver", ["570.86.15", "580.65.06"])
def test_every_rule_of_the_link_units_is_found_again(driver: str) -> None:
    rows = reference("xid_nvlink5.csv")
    wrong = [row for row in rows if _action_by_table(row, driver) != _action_wanted(row)]
    assert (len(rows), wrong) == (94, [])


def _action_by_table(row: dict[str, str], driver: str) -> str:
    pattern = row["intrinfo_pattern_v1" if driver < "575" else "intrinfo_pattern_v2"]
    word = int(pattern.replace("-", "0"), 2)
    text = f"{row['unit']} Nonfatal XC0 i0 Link 01 (0x{word:08x} {row['error_status']} 0x0)"
    return action_of(xid=int(row["xid"]), text=text, driver=driver)


def _action_wanted(row: dict[str, str]) -> str:
    return {"RESET_GPU": "reset-gpu", "IGNORE": "ignore", "XID_154_EVAL": "follow-154"}[
        row["immediate"]
    ]


@pytest.mark.parametrize(
    "words",
    ["Contained ECC error", "Uncontained ECC error", "Double Bit ECC Error", "NVLINK Error", ""],
)
def test_no_words_behind_an_xid_take_its_number_away(words: str) -> None:
    lines = [f"NVRM: Xid (PCI:0000:05:00): {code}, {words}" for code in xid_codes()]
    told = read_source(origin=Origin(source="kernel"), text="\n".join(lines)).events
    assert {event.fields.get("xid") for event in told} == {str(code) for code in xid_codes()}
