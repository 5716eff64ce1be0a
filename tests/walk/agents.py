"""What three log agents put on the wire for the same lines, by their documented formats."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import cramjam

from apps.telemetry.formats.loki.loki_protobuf import PUSH_REQUEST
from apps.telemetry.formats.otlp.otlp_log_messages import REQUEST

Line = tuple[datetime, str]  # UTC without a zone, as the stories of the tests write them


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request of an agent."""

    path: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def alloy(lines: Sequence[Line], labels: Mapping[str, str]) -> Sent:
    """Return a batch of Grafana Alloy's loki.write (and Promtail's): protobuf in snappy."""
    request = PUSH_REQUEST()
    pairs = ", ".join(f'{name}="{value}"' for name, value in labels.items())
    stream = request.streams.add(labels="{" + pairs + "}")
    for at, text in lines:
        entry = stream.entries.add(line=text.encode())
        entry.timestamp.seconds, entry.timestamp.nanos = divmod(_nanoseconds(at), 10**9)
    return Sent(
        path="/loki/api/v1/push",
        body=bytes(cramjam.snappy.compress_raw(request.SerializeToString())),
        headers={"Content-Type": "application/x-protobuf"},
    )


def fluent_bit(lines: Sequence[Line], labels: Mapping[str, str]) -> Sent:
    """Return a chunk of Fluent Bit's loki output: JSON."""
    values = [[str(_nanoseconds(at)), text] for at, text in lines]
    return Sent(
        path="/loki/api/v1/push",
        body=json.dumps({"streams": [{"stream": dict(labels), "values": values}]}).encode(),
        headers={"Content-Type": "application/json"},
    )


def collector(lines: Sequence[Line], labels: Mapping[str, str]) -> Sent:
    """Return an export of the OpenTelemetry Collector's otlphttp: protobuf."""
    request = REQUEST()
    resource = request.resource_logs.add()
    for name, value in labels.items():
        key = "host.name" if name == "host" else name
        resource.resource.attributes.add(key=key).value.string_value = value.encode()
    scope = resource.scope_logs.add()
    for at, text in lines:
        record = scope.log_records.add(time_unix_nano=_nanoseconds(at))
        record.body.string_value = text.encode()
    return Sent(
        path="/v1/logs",
        body=request.SerializeToString(),
        headers={"Content-Type": "application/x-protobuf"},
    )


def _nanoseconds(at: datetime) -> int:
    return int(at.replace(tzinfo=UTC).timestamp() * 1_000_000) * 1000
