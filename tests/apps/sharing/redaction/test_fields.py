"""Facts and labels hide what a line hides, by the same names."""
# ruff: noqa: E501  lines of logs keep their length

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.model.statements import statement
from apps.sharing.redaction import fields
from apps.sharing.redaction.draft import RedactedText
from apps.sharing.redaction.fields import FactRedactor, redact_fact, redact_labels, redact_statement
from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.text import redact_text
from tests.apps.sharing.redaction.owner import KNOWN, OPERATIONS, PSEUDONYMS, SUPPORT, read

HOW: Any = {"pseudonyms": PSEUDONYMS, "known": KNOWN, "profile": OPERATIONS}
UUID = "GPU-1f3c7b20-94de-4a61-8b0a-6c2e5d7f9a13"
HOST = PSEUDONYMS.name(Kind.HOST, "gpu1")
FACT = {
    "signature": "nvrm-xid",
    "code": {"xid": 79, "exit_code": "x"},
    "device": {
        "kind": "gpu",
        "host": "gpu1",
        "pci": "0000:18:00.0",
        "uuid": UUID,
        "index": 3,
        "port": None,
    },
    "host": "gpu1",
    "ranks": [3, 4],
    "fields": {
        "peer": "10.1.2.3<50000>",
        "path": "/vol/lunar-7b/x.pt",
        "msg": "failed on gpu10, loss=2.3",
        "loss": "2.31",
        "grad_norm": 1.2,
        "comm_id": "0x1234567890abcdef",
        "iteration": "1200",
    },
}


def test_a_fact_keeps_its_form_and_numbers() -> None:
    told = redact_fact(FACT, **HOW)
    assert told == {
        "signature": "nvrm-xid",
        "code": {"xid": 79, "exit_code": "x"},
        "device": {"kind": "gpu", "host": HOST, "pci": "0000:18:00.0", "uuid": PSEUDONYMS.uuid(UUID), "index": 3, "port": None},
        "host": HOST,
        "ranks": [3, 4],
        "fields": {
            "peer": f"{PSEUDONYMS.address('10.1.2.3')}<50000>",
            "path": read("/vol/lunar-7b/x.pt"),
            "msg": read("failed on gpu10, loss=2.3"),
            "loss": "▒",
            "grad_norm": "▒",
            "comm_id": f"0x{PSEUDONYMS.communicator('1234567890abcdef')}",
            "iteration": "1200",
        },
    }  # fmt: skip
    assert redact_fact(told, **HOW) == told


def test_a_measurement_of_a_loss_is_cut_and_any_other_stays() -> None:
    loss = {"signal": "training.loss", "value": 2.3, "baseline": 2.1, "kind": "up"}
    assert redact_fact(loss, **HOW) == {
        "signal": "training.loss",
        "value": "▒",
        "baseline": "▒",
        "kind": "up",
    }
    other = {"signal": "gpu.temperature", "value": 92.0, "baseline": 60.0}
    assert redact_fact(other, **HOW) == other
    lost = {"signal": "training.loss", "value": float("inf")}
    assert redact_fact(lost, **HOW) == lost


def test_names_in_a_list_stand_in_the_order_of_their_pseudonyms() -> None:
    hosts = ["gpu1", "gpu10"]
    names = sorted(PSEUDONYMS.name(Kind.HOST, each) for each in hosts)
    for order in (hosts, hosts[::-1]):
        assert redact_fact({"hosts": order}, **HOW)["hosts"] == names
        told = redact_statement(statement("on-hosts", hosts=tuple(order)), **HOW)
        assert dict(told.values)["hosts"] == tuple(names)
    assert redact_fact({"ranks": [4, 3], "codes": ["b", "a"]}, **HOW) == {
        "ranks": [4, 3],
        "codes": ["b", "a"],
    }


def test_labels_of_metrics_are_called_as_in_logs() -> None:
    labels = {
        "instance": "gpu1:9100",
        "Hostname": "gpu1.aurora.example",
        "UUID": UUID,
        "pci_bus_id": "00000000:18:00.0",
        "gpu": "3",
        "device": "mlx5_0",
        "modelName": "NVIDIA H200",
        "mountpoint": "/mnt/moonlight",
        "export": "filer-a:/export/moonlight",
        "pod": "lunar-worker-0",
        "job": "dcgm",
        "err_msg": "seen on gpu10",
        "server": "10.1.2.3",
    }
    folder = PSEUDONYMS.name(Kind.PATH, "moonlight")
    assert redact_labels(labels, **HOW) == {
        **labels,
        "instance": f"{HOST}:9100",
        "Hostname": HOST,
        "UUID": PSEUDONYMS.uuid(UUID),
        "mountpoint": f"/{PSEUDONYMS.name(Kind.PATH, 'mnt')}/{folder}",
        "export": f"{PSEUDONYMS.name(Kind.HOST, 'filer-a')}:/{PSEUDONYMS.name(Kind.PATH, 'export')}/{folder}",
        "pod": PSEUDONYMS.name(Kind.JOB, "lunar-worker-0"),
        "err_msg": f"seen on {PSEUDONYMS.name(Kind.HOST, 'gpu10')}",
        "server": PSEUDONYMS.address("10.1.2.3"),
    }


def test_statements_hide_in_their_depth() -> None:
    told = statement(
        "on-hosts",
        host="gpu1",
        count=3,
        ranks=(1, 2),
        because=statement("text", text="of gpu10"),
        loss=2.5,
    )
    assert redact_statement(told, **HOW) == statement(
        "on-hosts",
        host=HOST,
        count=3,
        ranks=(1, 2),
        because=statement("text", text=f"of {PSEUDONYMS.name(Kind.HOST, 'gpu10')}"),
        loss="▒",
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("host", "unknown"), ("host", "17"), ("peer", "17"), ("user", "root"), ("export", ""), ("path", "7"), ("uuid", "N/A"),
        ("session", "tonight-7f3a"), ("instance", "127.0.0.1"), ("gpu", "0"), ("interface", "bond0"),
    ],
)  # fmt: skip
def test_what_names_nobody_stays(name: str, value: str) -> None:
    assert redact_labels({name: value}, **HOW) == {name: value}


def test_support_reads_uuids_and_no_sessions() -> None:
    how = {**HOW, "profile": SUPPORT}
    told = redact_labels(
        {"uuid": UUID, "session": "4711", "user": "minji", "instance": "10.1.2.3:9100"}, **how
    )
    assert told == {
        "uuid": UUID,
        "session": PSEUDONYMS.name(Kind.SESSION, "4711"),
        "user": "▒",
        "instance": f"{PSEUDONYMS.address('10.1.2.3')}:9100",
    }


@settings(derandomize=True)
@given(
    st.dictionaries(
        st.sampled_from(
            ["host", "instance", "path", "uuid", "msg", "comm_id", "export", "gid", "serial"]
        ),
        st.text(),
    )
)
def test_labels_that_are_redacted_stay_as_they_are(labels: dict[str, str]) -> None:
    told = redact_labels(labels, **HOW)
    assert redact_labels(told, **HOW) == told


def test_a_value_that_many_facts_tell_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(text: str, **how: Any) -> RedactedText:
        read.append(text)
        return redact_text(text, **how)

    monkeypatch.setattr(fields, "redact_text", counted)
    redactor = FactRedactor(**HOW, opened=str.upper)
    told = [redactor.fact({"text": "hung at gpu10", "rank": rank}) for rank in range(3)]
    assert len(read) == 1
    assert told[2] == {"text": f"hung at {PSEUDONYMS.name(Kind.HOST, 'gpu10')}".upper(), "rank": 2}
