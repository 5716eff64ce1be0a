"""Alertmanager's webhook, version 4 → one line an alert and state, under its host.

A line is the same whenever the same alert is told again: annotations hold values of the moment and
are left out. Its time is when the alert began to fire, or when it was over.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import orjson

from apps.diagnosis.input_values import instant
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.compression.limits import check_json
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.timed_entries import Entries, piece_of

VERSION: Final = "4"
# Many hundred stand in the largest group of a cluster; each of these may be another stream.
ALERTS_LIMIT: Final = 10_000
WORD_LENGTH: Final = 200
LINE_LENGTH: Final = 8_000
STATES: Final = frozenset({"firing", "resolved"})
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# What names the part: word of the line → labels of exporters, the first that is there.
PARTS: Final = {
    "gpu": ("gpu", "gpu_index", "minor_number"),
    "uuid": ("uuid", "gpu_uuid"),
    "pci": ("pci_bus_id", "pci", "bus_id"),
    "device": ("device", "hca", "interface", "mlx_device"),
}
SAID: Final = frozenset({"alertname", "severity"})


class BadAlert(Exception):
    """An entry that is no alert; the text says what is wrong, and quotes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertNotification:
    """What a notification says: pieces, and how many alerts it left out by its own limit."""

    pieces: list[LinePiece]
    truncated_count: int


def read(*, body: bytes, complaints: Complaints) -> AlertNotification:
    """Return the alerts of a notification; raise NothingUsable, TooBig."""
    said = _document(body)
    alerts = said["alerts"]
    if len(alerts) > ALERTS_LIMIT:
        raise TooBig(
            f"the notification has {len(alerts)} alerts, more than {ALERTS_LIMIT}; none was kept. "
            "Group them by host in Alertmanager (`group_by`), or set `max_alerts` of this webhook"
        )
    voices: dict[tuple[tuple[str, str], ...], list[tuple[int, str]]] = defaultdict(list)
    for number, alert in enumerate(alerts, start=1):
        try:
            labels, stamp, line = _told(alert)
        except BadAlert as error:
            complaints.add(line=number, code="bad_alert", detail=str(error))
        else:
            voices[labels].append((stamp, line))
    truncated = said.get("truncatedAlerts")
    return AlertNotification(
        pieces=list(_pieces(voices, complaints)),
        truncated_count=truncated if type(truncated) is int else 0,
    )


def _document(body: bytes) -> Mapping[str, Any]:
    check_json(body=body)
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NothingUsable("the body is no JSON") from error
    if not isinstance(said, dict) or not isinstance(said.get("alerts"), list):
        raise NothingUsable("the body is no notification of Alertmanager: it has no list `alerts`")
    if str(said.get("version", VERSION)) != VERSION:
        raise NothingUsable(f"only version {VERSION} of the webhook is taken")
    return said


def _pieces(
    voices: Mapping[tuple[tuple[str, str], ...], list[tuple[int, str]]], complaints: Complaints
) -> Iterable[LinePiece]:
    for labels, told in voices.items():
        lines = [line for _, line in told]
        stamps = np.array([stamp for stamp, _ in told], np.int64)
        entries = Entries(stamps=stamps, lines=lines, text="\n".join(lines))
        piece = piece_of(labels=dict(labels), entries=entries, complaints=complaints)
        if piece is not None:
            yield piece


def _told(alert: Any) -> tuple[tuple[tuple[str, str], ...], int, str]:
    """Return the labels of an alert's voice, its time in nanoseconds, and its line."""
    if not isinstance(alert, dict) or not isinstance(alert.get("labels"), dict):
        raise BadAlert("an alert needs `labels`")
    state = alert.get("status")
    if not isinstance(state, str) or state not in STATES:
        raise BadAlert("`status` is neither firing nor resolved")
    labels = {str(k).lower(): _value(v) for k, v in alert["labels"].items()}
    if not labels.get("alertname"):
        raise BadAlert("the label `alertname` is missing")
    began = _instant(alert.get("startsAt"), "startsAt")
    at = began if state == "firing" else _instant(alert.get("endsAt"), "endsAt")
    return _voice(labels), _nanoseconds(at), _line(state, labels, began, alert)


def _voice(labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    try:
        named = naming.canonical(labels=labels)
    except naming.BadLabels as error:
        raise BadAlert(str(error)) from error
    kept = {name: named[name] for name in ("cluster", "host") if named.get(name)}
    return tuple(sorted({**kept, "stream": "alerts"}.items()))


def _line(state: str, labels: Mapping[str, str], began: datetime, alert: Mapping[str, Any]) -> str:
    words = [f"severity={labels.get('severity') or 'none'}"]
    for part, names in PARTS.items():
        value = next((labels[name] for name in names if labels.get(name)), "")
        words += [f"{part}={value}"] if value else []
    words += [f"since={began:%Y-%m-%dT%H:%M:%SZ}", f"id={_value(alert.get('fingerprint', ''))}"]
    rest = {name: value for name, value in sorted(labels.items()) if name not in SAID}
    told = orjson.dumps(rest).decode()
    name = labels["alertname"]
    head = f"alert told by the webhook of Alertmanager: {state} {name} {' '.join(words)}"
    return f"{head} {told}"[:LINE_LENGTH]


def _word(text: str) -> str:
    """Return a text as one word: it can't end its field, and reads like no line of a log."""
    return "_".join(text[: 2 * WORD_LENGTH].split())[:WORD_LENGTH]


def _value(value: Any) -> str:
    return _word(str(value).replace("\0", "").encode(errors="replace").decode())


def _instant(value: Any, name: str) -> datetime:
    at = instant(value)
    if at is None:
        raise BadAlert(f"`{name}` must be a time as RFC 3339 has it, with a zone, from 1970 on")
    return at


def _nanoseconds(at: datetime) -> int:
    return (at - EPOCH) // timedelta(microseconds=1) * 1000
