"""What is cited is told in typed values: codes, the part, the host, the ranks, the fields."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils.translation import override

from apps.diagnosis.cited_facts import evidence_fact, fact_json, moment_fact
from apps.diagnosis.model import (
    PART_CHANGED,
    Anomaly,
    Device,
    Event,
    Evidence,
    Layer,
    LogLine,
    Moment,
    Origin,
    Role,
    Stream,
    statement,
)
from apps.diagnosis.signatures.read import read_source
from apps.wording.published import to_json
from tests.diagnosis.events import event
from tests.scenarios.stories import STORIES, TRUE_CLOCKS
from tests.scenarios.verdicts import diagnosed

AT = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
SOMETHING = statement("began-to-fail")
NOTHING = dict.fromkeys(("signature", "code", "device", "host", "ranks", "fields"))
BY_NUMBER = "NVRM: Xid (PCI:0000:ab:00): 62, pid=90866, name=train_main, 0e2f(2a10) 00000000"
NVLINK = (
    "NVRM: Xid (PCI:0000:18:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 10 "
    "(0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"
)


def told(found: Event, **more: Any) -> dict[str, Any]:
    """Return what is published of a piece of evidence that rests on an event."""
    piece = Evidence(statement=SOMETHING, weight=1.0, event=found, host="gpu001", **more)
    return fact_json(fact=evidence_fact(evidence=piece))


def kernel(text: str) -> Event:
    """Return the one event of a kernel's line."""
    origin = Origin(source="kernel/gpu001.log", stream=Stream.KERNEL, host="gpu001")
    (found,) = read_source(
        text=f"2026-05-04T12:00:00+00:00 gpu001 kernel: {text}\n", origin=origin
    ).events
    return found


def test_a_line_known_by_its_number_alone_tells_the_number_and_the_gpu() -> None:
    fact = told(kernel(BY_NUMBER))

    assert fact["signature"] == "nvrm-xid"
    assert fact["code"] == {"xid": 62}
    device = fact["device"]
    assert (device["kind"], device["host"], device["pci"]) == ("gpu", "gpu001", "0000:ab:00.0")
    assert fact["host"] == "gpu001"
    assert fact["fields"]["pid"] == "90866"


def test_the_unit_of_an_nvlink_error_is_a_code_beside_its_xid() -> None:
    fact = told(kernel(NVLINK))

    assert fact["code"] == {"xid": 149, "subcode": "NETIR_LINK_EVT"}
    assert (fact["device"]["kind"], fact["device"]["port"]) == ("gpu", "10")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"wc_status": "12", "vendor_err": "129"}, {"wc_status": 12, "vendor_error": 129}),
        ({"exitcode": "-9"}, {"exit_code": -9}),
        ({"signal": "SIGKILL", "signum": "9"}, {"signal": 9}),
        ({"signal": "SIGTERM"}, {"signal": "SIGTERM"}),
        ({"sxid": "20034", "xid": ""}, {"sxid": 20034}),
        ({"exitcode": "²"}, {"exit_code": "²"}),
        ({"exit": "0:9"}, {"exit_code": 0, "signal": 9}),
        ({"exit": "1:0"}, {"exit_code": 1}),
        ({"exit": "unknown"}, None),
        ({"other": "1"}, None),
    ],
)
def test_codes_are_typed_and_named_by_their_kinds(
    fields: dict[str, str], code: dict[str, int | str] | None
) -> None:
    assert told(event("any", fields=fields))["code"] == code


def test_a_number_called_code_is_what_its_layer_makes_of_it() -> None:
    assert told(event("slurm", layer=Layer.HOST, code="1"))["code"] == {"exit_code": 1}
    assert told(event("cuda", layer=Layer.GPU, code="700"))["code"] == {"cuda_error": 700}
    assert told(event("other", layer=Layer.STORAGE, code="5"))["code"] is None


def test_a_port_of_the_far_end_is_no_port_of_the_card() -> None:
    card = {"dev": "mlx5_3", "port": "1"}
    here = told(event("a", layer=Layer.NETWORK, fields=card))["device"]
    there = told(event("a", layer=Layer.NETWORK, fields=card | {"peer": "10.0.0.7"}))["device"]

    assert (here["kind"], here["name"], here["port"]) == ("nic", "mlx5_3", "1")
    assert (there["name"], there["port"]) == ("mlx5_3", None)


def test_parts_are_called_by_what_their_line_names() -> None:
    switch = told(event("a", layer=Layer.GPU, sxid="20034", sw="nvswitch2"))["device"]
    server = told(event("a", layer=Layer.STORAGE, server="nas1"))["device"]
    gpu = told(event("a", fields={"pci": "1b000", "nvml_dev": "3"}))["device"]
    slot = told(event("a", layer=Layer.HOST, pci="0000:3b:00.0"))["device"]

    assert (switch["kind"], switch["name"]) == ("nvswitch", "nvswitch2")
    assert (server["kind"], server["name"]) == ("server", "nas1")
    assert (gpu["kind"], gpu["index"], gpu["pci"]) == ("gpu", 3, "0000:1b:00.0")
    assert (slot["kind"], slot["pci"]) == (None, "0000:3b:00.0")
    assert told(event("a", layer=Layer.HOST))["device"] is None


def test_ranks_are_those_of_the_moment_else_the_one_that_the_line_is_about() -> None:
    spoken = event("a", rank=3)
    named = event("a", fields={"rank": "17"}, rank=0)
    moment = Moment(statement=SOMETHING, layer=None, role=Role.CASCADE, event=spoken, ranks=(3, 4))

    assert fact_json(fact=moment_fact(moment=moment))["ranks"] == [3, 4]
    assert told(spoken)["ranks"] == [3]
    assert told(named)["ranks"] == [17]
    assert told(event("a", fields={"rank": "9" * 30}))["ranks"] == []


def test_what_looks_like_a_credential_is_hidden() -> None:
    secret = "hf_" + "a1B2" * 8
    fact = told(event("a", layer=Layer.NETWORK, msg=f"token {secret}", dev=secret, signal=secret))

    assert secret not in json.dumps(fact)
    assert fact["fields"]["msg"] == "token [secret]"


def test_a_measurement_tells_its_signal_and_its_numbers() -> None:
    found = Anomaly(
        kind="counter-increase",
        signal="gpu.xid",
        family="xid",
        layer=Layer.GPU,
        entity=Device(kind="gpu", host="n1", index=3, rank=11, uuid="ab", pci="0000:1b:00.0"),
        starts_at=AT,
        value=79.0,
        baseline=math.nan,
        detail="79",
        unit="1",
    )
    fact = fact_json(
        fact=evidence_fact(evidence=Evidence(statement=SOMETHING, weight=1.0, anomaly=found))
    )

    assert (fact["signature"], fact["code"]) == (None, {"xid": 79})
    assert (fact["host"], fact["ranks"]) == ("n1", [11])
    assert (fact["device"]["index"], fact["device"]["uuid"]) == (3, "ab")
    assert fact["fields"] == {
        "signal": "gpu.xid", "kind": "counter-increase", "unit": "1", "detail": "79", "value": 79.0,
    }  # fmt: skip


def test_what_a_changed_part_tells_is_no_value_of_a_measurement() -> None:
    found = Anomaly(
        kind=PART_CHANGED, signal="part", family="", layer=Layer.GPU, starts_at=AT,
        entity=Device(kind="gpu", host="n1"), statement=SOMETHING,
    )  # fmt: skip
    piece = Evidence(statement=SOMETHING, weight=1.0, anomaly=found)

    told = fact_json(fact=evidence_fact(evidence=piece))["fields"]
    assert told == {"signal": "part", "kind": PART_CHANGED}


def test_what_rests_on_no_line_has_the_same_keys_with_nothing_in_them() -> None:
    moment = Moment(statement=SOMETHING, layer=None, role=Role.CONTEXT)
    stopped = replace(moment, ranks=(3,))

    assert fact_json(fact=moment_fact(moment=moment)) == NOTHING
    assert fact_json(fact=moment_fact(moment=stopped)) == NOTHING | {"ranks": [3]}


def test_the_order_in_which_fields_were_stored_changes_nothing() -> None:
    found = event("a", fields={"b": "2", "a": "1"})
    stored = replace(found, fields={"a": "1", "b": "2"})
    assert json.dumps(told(found)) == json.dumps(told(stored))


def test_every_entry_and_piece_of_a_diagnosis_has_them() -> None:
    published = to_json(diagnosis=diagnosed(texts=STORIES[0].tell(TRUE_CLOCKS).texts()))
    pieces = [
        each for one in published["hypotheses"] for side in ("for", "against") for each in one[side]
    ]
    told_of = [*published["timeline"], *pieces]

    assert all(set(each) >= set(NOTHING) for each in told_of)
    lost = [each for each in pieces if each["signature"] and each["code"] == {"xid": 79}]
    assert lost[0]["device"]["kind"] == "gpu"
    assert lost[0]["device"]["pci"]


def test_a_reader_of_another_language_gets_the_same_file() -> None:
    found = diagnosed(texts=STORIES[0].tell(TRUE_CLOCKS).texts())
    english = to_json(diagnosis=found)
    with override("ko"):
        assert to_json(diagnosis=found) == english


def test_a_line_without_a_host_says_none() -> None:
    line = LogLine(origin=Origin(source="train.log"), number=1, text="")
    found = replace(event("a", layer=Layer.GPU, uuid="ab"), line=line)
    assert told(found)["device"]["host"] is None
