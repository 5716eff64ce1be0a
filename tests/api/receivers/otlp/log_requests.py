"""Exports of logs as OpenTelemetry's collectors send them, and what became of them."""

from collections.abc import Mapping
from typing import Any

import orjson
from django.test import Client
from google.protobuf import json_format

from apps.telemetry.formats.otlp.otlp_log_messages import JSON_REQUEST
from apps.telemetry.logs.raw_lines import lines_of
from apps.telemetry.models import LogChunk, LogStream
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import NOW, Answer, Cast, drain_all

JSON, PROTOBUF = "application/json", "application/x-protobuf"
AT = int(NOW.timestamp()) * 1_000_000_000
NODE = {"host.name": "gpu017.example.com", "stream": "kernel"}
XID = "NVRM: Xid (PCI:0000:18:00): 79, pid=1234, GPU has fallen off the bus."
Document = dict[str, Any]


def value(said: object) -> Document:
    """Return a value as the protocol's JSON has it."""
    if isinstance(said, Mapping):
        return {"kvlistValue": {"values": attributes(said)}}
    if isinstance(said, list):
        return {"arrayValue": {"values": [value(each) for each in said]}}
    kinds = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}
    return {kinds[type(said)]: said}


def attributes(said: Mapping[str, object]) -> list[Document]:
    """Return attributes."""
    return [{"key": key, "value": value(each)} for key, each in said.items()]


def record(body: object, *, ago: int = 10, observed: int | None = None, **said: Any) -> Document:
    """Return a record some seconds old; without an age it carries no time."""
    made: Document = {"attributes": attributes(said), "severityText": "INFO", "flags": 1}
    if body is not None:
        made["body"] = value(body)
    if ago:
        made["timeUnixNano"] = str(AT - ago * 1_000_000_000)
    if observed is not None:
        made["observedTimeUnixNano"] = str(AT - observed * 1_000_000_000)
    return made


def document(*records: Document, resource: Mapping[str, object] = NODE) -> Document:
    """Return a request of one resource."""
    scope = {"scope": {"name": "filelog"}, "logRecords": list(records)}
    return {
        "resourceLogs": [{"resource": {"attributes": attributes(resource)}, "scopeLogs": [scope]}]
    }


def packed(said: Document) -> bytes:
    """Return a request as protobuf."""
    made = json_format.ParseDict(said, JSON_REQUEST(), ignore_unknown_fields=True)
    serialized: bytes = made.SerializeToString()
    return serialized


def send(credential: str, body: bytes, content_type: str, query: str = "", **more: str) -> Answer:
    """Export a body."""
    headers = {"Authorization": f"Bearer {credential}", **more}
    client = Client(raise_request_exception=False)
    return client.post(f"/v1/logs{query}", body, content_type=content_type, headers=headers)


def push(people: Cast, said: Document, query: str = "") -> Answer:
    """Export as the operator's collector, as JSON."""
    return send(people.token(people.operator), orjson.dumps(said), JSON, query)


def streams(people: Cast) -> list[tuple[LogStream, list[str]]]:
    """Interpret everything of the operator; return its streams with their lines."""
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        found = []
        for stream in LogStream.objects.order_by("id"):
            chunks = LogChunk.objects.filter(stream=stream).order_by("first_number")
            lines = [line.text for c in chunks for line in lines_of(chunk=c, stream=stream)]
            found.append((stream, lines))
        return found
