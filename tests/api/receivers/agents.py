"""Bodies as log agents send them, made after their documented formats, with generated messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cramjam
import orjson
from django.test import Client

from apps.telemetry.formats.protobuf.messages import built
from tests.cast.pushes import NOW, Answer

SECOND = 1_000_000_000
AT = int(NOW.timestamp()) * SECOND
XID = "NVRM: Xid (PCI:0000:18:00): 79, pid=1234, name=python, GPU has fallen off the bus."
KERNEL = ("nvidia 0000:18:00.0: AER: aer_status: 0x00004000", XID)
# The whole of push.proto, with what the portal doesn't read.
LOKI = built(
    package="tests.loki",
    messages={
        "PushRequest": ("streams 1 []Stream", "format 2 string"),
        "Stream": ("labels 1 string", "entries 2 []Entry", "hash 3 fixed64"),
        "Entry": (
            "timestamp 1 Timestamp",
            "line 2 string",
            "structured_metadata 3 []Pair",
            "parsed 4 []Pair",
        ),
        "Timestamp": ("seconds 1 int64", "nanos 2 int32"),
        "Pair": ("name 1 string", "value 2 string"),
    },
)


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A request of an agent."""

    path: str
    body: bytes
    content_type: str
    headers: Mapping[str, str]


def send(sent: Sent, *, token: str, basic: str = "") -> Answer:
    """Send it with a token, as Bearer, or as the password that Basic carries."""
    credential = f"Basic {basic}" if basic else f"Bearer {token}"
    return Client(raise_request_exception=False).post(
        sent.path,
        sent.body,
        content_type=sent.content_type,
        headers={"Authorization": credential, **sent.headers},
    )


def loki_protobuf(labels: str, lines: Sequence[str], *, agent: str, ago: int = 10) -> Sent:
    """Return what Alloy, Promtail and Vector's loki sink send by default: protobuf in snappy."""
    request = LOKI["PushRequest"]()
    stream = request.streams.add(labels=labels, hash=7)
    for place, line in enumerate(lines):
        at = AT - (ago - place) * SECOND
        entry = stream.entries.add(line=line)
        entry.timestamp.seconds, entry.timestamp.nanos = at // SECOND, 123_456_789
        entry.structured_metadata.add(name="detected_level", value="error")
    return Sent(
        path="/loki/api/v1/push",
        body=bytes(cramjam.snappy.compress_raw(request.SerializeToString())),
        content_type="application/x-protobuf",
        headers={"User-Agent": agent},
    )


def loki_json(labels: Mapping[str, str], lines: Sequence[str], *, agent: str) -> Sent:
    """Return what Fluent Bit's loki output sends, and Vector's without compression."""
    values: list[list[Any]] = [
        [str(AT - (10 - place) * SECOND), line] for place, line in enumerate(lines)
    ]
    values[0].append({"detected_level": "error"})  # structured metadata
    document = {"streams": [{"stream": dict(labels), "values": values}]}
    return Sent(
        path="/loki/api/v1/push",
        body=orjson.dumps(document),
        content_type="application/json",
        headers={"User-Agent": agent},
    )


def fluent_bit_http(lines: Sequence[str], *, form: str, query: str) -> Sent:
    """Return what Fluent Bit's http output sends of a journal: `json` or `json_lines`."""
    records = [
        {
            "date": AT / SECOND - (10 - place) + 0.25,
            "MESSAGE": line,
            "_TRANSPORT": "kernel",
            "_HOSTNAME": "gpu017",
            "PRIORITY": "3",
            "SYSLOG_IDENTIFIER": "kernel",
        }
        for place, line in enumerate(lines)
    ]
    packed = map(orjson.dumps, records)
    body = orjson.dumps(records) if form == "json" else b"\n".join(packed) + b"\n"
    kind = "application/json" if form == "json" else "application/x-ndjson"
    return Sent(path=f"/api/v1/logs?{query}", body=body, content_type=kind, headers={})


def vector_http(lines: Sequence[str], *, form: str, query: str) -> Sent:
    """Return what Vector's http sink sends of files: an array by default, or lines."""
    records = [
        {
            "file": "/var/log/sessions/run-7.log",
            "host": "gpu017",
            "message": line,
            "source_type": "file",
            "timestamp": f"2026-11-21T01:59:{50 + place:02}.250Z",
        }
        for place, line in enumerate(lines)
    ]
    body = orjson.dumps(records) if form == "json" else b"\n".join(map(orjson.dumps, records))
    kind = "application/json" if form == "json" else "application/x-ndjson"
    return Sent(path=f"/api/v1/logs?{query}", body=body, content_type=kind, headers={})
