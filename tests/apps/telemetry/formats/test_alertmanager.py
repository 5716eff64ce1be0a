"""An alert as a line: its place, its time, its part, and what is left of odd ones."""

import json
from typing import Any

import numpy as np
import pytest

from apps.telemetry.formats import alertmanager
from apps.telemetry.formats.alertmanager import LINE_LENGTH, WORD_LENGTH
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig

ALERT = {
    "status": "firing",
    "labels": {"alertname": "GpuXid", "instance": "gpu017:9400", "severity": "critical"},
    "startsAt": "2026-11-21T02:00:00Z",
    "endsAt": "2026-11-21T02:05:00Z",
    "fingerprint": "8a1b",
}
BEGAN = 1_795_226_400 * 10**9


def read(*alerts: Any, **said: Any) -> tuple[alertmanager.AlertNotification, Complaints]:
    """Return what a notification says, and what was wrong with it."""
    complaints = Complaints()
    body = json.dumps({"version": "4", "alerts": alerts} | said).encode()
    return alertmanager.read(body=body, complaints=complaints), complaints


def lines(*alerts: Any) -> list[str]:
    """Return the lines of alerts that are all good."""
    told, complaints = read(*alerts)
    assert complaints.kept == []
    return [line for piece in told.pieces for line in piece.text.decode().split("\n")]


def stamps(alert: Any) -> list[int]:
    """Return the time of an alert's line."""
    (piece,) = read(alert)[0].pieces
    return list(np.frombuffer(piece.stamps or b"", "<i8"))


def with_labels(**labels: str) -> dict[str, Any]:
    """Return the alert with more labels."""
    return ALERT | {"labels": {**ALERT["labels"], **labels}}  # type: ignore[dict-item]


def test_a_line_says_state_name_severity_and_id_and_the_other_labels_behind() -> None:
    (line,) = lines(ALERT)
    assert line == (
        "alert told by the webhook of Alertmanager: firing GpuXid severity=critical "
        'since=2026-11-21T02:00:00Z id=8a1b {"instance":"gpu017:9400"}'
    )


def test_without_a_severity_it_says_none() -> None:
    alert = ALERT | {"labels": {"alertname": "Down"}}
    assert " Down severity=none since=" in lines(alert)[0]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"gpu": "3"}, " gpu=3 since="),
        ({"gpu_index": "3"}, " gpu=3 since="),
        ({"gpu": "", "minor_number": "4"}, " gpu=4 since="),
        ({"gpu": "3", "minor_number": "4"}, " gpu=3 since="),
        ({"UUID": "GPU-ab"}, " uuid=GPU-ab since="),
        ({"hca": "mlx5_0", "pci": "0000:1b:00.0"}, " pci=0000:1b:00.0 device=mlx5_0 since="),
    ],
)
def test_the_part_is_the_first_label_that_names_it(labels: dict[str, str], words: str) -> None:
    assert words in lines(with_labels(**labels))[0]


def test_a_firing_alert_has_the_time_it_began_and_a_resolved_one_when_it_was_over() -> None:
    assert stamps(ALERT) == [BEGAN]
    assert stamps(ALERT | {"status": "resolved"}) == [BEGAN + 300 * 10**9]


def test_an_alert_that_fires_needs_no_end() -> None:
    alert = {name: value for name, value in ALERT.items() if name != "endsAt"}
    assert stamps(alert) == [BEGAN]
    _, complaints = read(alert | {"status": "resolved"})
    assert "`endsAt` must be a time" in complaints.kept[0].detail


def test_alerts_of_one_host_are_one_piece_and_those_of_none_another() -> None:
    told, _ = read(ALERT, with_labels(gpu="1"), ALERT | {"labels": {"alertname": "Down"}})
    assert [(dict(each.labels), each.line_count) for each in told.pieces] == [
        ({"host": "gpu017", "stream": "alerts"}, 2),
        ({"stream": "alerts"}, 1),
    ]


@pytest.mark.parametrize(
    ("alert", "words"),
    [
        (7, "needs `labels`"),
        (ALERT | {"labels": None}, "needs `labels`"),
        (ALERT | {"status": "pending"}, "neither firing nor resolved"),
        (ALERT | {"status": ["firing"]}, "neither firing nor resolved"),
        (with_labels(alertname=""), "`alertname` is missing"),
        (ALERT | {"startsAt": "2026-11-21T02:00:00"}, "`startsAt` must be a time"),
    ],
)
def test_an_odd_alert_is_told_by_its_number_and_the_others_kept(alert: Any, words: str) -> None:
    told, complaints = read(ALERT, alert)
    assert [(each.line, each.code) for each in complaints.kept] == [(2, "bad_alert")]
    assert words in complaints.kept[0].detail
    assert sum(each.line_count for each in told.pieces) == 1


@pytest.mark.parametrize(("left_out", "count"), [(3, 3), ("3", 0), (True, 0), (None, 0)])
def test_it_says_how_many_the_sender_left_out(left_out: Any, count: int) -> None:
    assert read(ALERT, truncatedAlerts=left_out)[0].truncated_count == count


@pytest.mark.parametrize("version", ["4", 4])
def test_version_4_is_taken_however_it_is_written(version: Any) -> None:
    assert read(ALERT, version=version)[0].pieces


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"alerts": {}}', b'{"version": "3", "alerts": []}']
)
def test_what_is_no_notification_is_refused(body: bytes) -> None:
    with pytest.raises(NothingUsable):
        alertmanager.read(body=body, complaints=Complaints())


def test_as_many_alerts_as_the_limit_are_taken_and_one_more_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alertmanager, "ALERTS_LIMIT", 2)
    assert read(ALERT, ALERT)[0].pieces
    with pytest.raises(TooBig):
        read(ALERT, ALERT, ALERT)


def test_words_are_one_word_of_bounded_length_and_lines_are_bounded() -> None:
    (line,) = lines(with_labels(gpu="a b\n" + "x" * 999, note="y" * 20_000))
    assert f" gpu=a_b_{'x' * (WORD_LENGTH - 4)} since=" in line
    assert len(line) <= LINE_LENGTH
    many = {f"label{number}": "z" * 199 for number in range(60)}
    assert len(lines(with_labels(**many))[0]) == LINE_LENGTH
