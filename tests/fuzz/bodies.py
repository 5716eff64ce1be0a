"""What senders push, one of each kind, and how it is spoiled: JSON, protobuf, text."""
# ruff: noqa: RUF001  chance without secrets; characters that look like others

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from random import Random
from typing import Any, Final
from urllib.parse import urlencode

import cramjam
from google.protobuf import json_format

from apps.diagnosis.signatures.load import load_catalog
from apps.telemetry.formats.loki import loki_protobuf
from apps.telemetry.formats.otlp.otlp_log_messages import REQUEST as OTLP_LOGS
from apps.telemetry.formats.otlp.otlp_messages import REQUEST as OTLP_METRICS
from tests.api.receivers import writing
from tests.fuzz import values

JSON: Final = "application/json"
PROTOBUF: Final = "application/x-protobuf"
NUMBER: Final = re.compile(r"\d+")
EXTREMES: Final = {
    "int": (0, -1, 2**31 - 1, -(2**31)),
    "long": (0, -1, 2**63 - 1, -(2**63), -62135596800, 253402300800),
    "unsigned": (0, 2**32 - 1),
    "unsigned long": (0, 2**63, 2**64 - 1),
    "real": (float("nan"), float("inf"), float("-inf"), -0.0, 1e308, 5e-324, -1.0),
}
STAMPS: Final = (
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "1995-13-41 25:61:61",
    "٢٠٢٦-١١-٢١",
)


@dataclass(frozen=True, kw_only=True)
class Pushed:
    """A request to a receiver."""

    path: str
    body: bytes
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Return path and query as a client sends them."""
        asked = urlencode(self.query, doseq=True, errors="replace")
        return f"{self.path}?{asked}" if asked else self.path


def documents(*, now: datetime) -> dict[str, Any]:
    """Return path → a body of that receiver that is taken."""
    stamp, at = str(int(now.timestamp()) * 10**9), now.isoformat()
    return {
        "/loki/api/v1/push": {
            "streams": [
                {
                    "stream": {"session": "fuzz", "host": "gpu009", "rank": "3", "attempt": "1"},
                    "values": [[stamp, "step 7 loss 2.1"], [stamp, "NCCL WARN x", {"level": "x"}]],
                }
            ]
        },
        "/api/v1/session-events": {
            "events": [
                {
                    "session": "fuzz",
                    "attempt": 1,
                    "scheduler": "slurm",
                    "job": "77",
                    "project": "solar",
                    "state": "failed",
                    "at": at,
                    "hosts": ["gpu009", "gpu010"],
                    "ranks": {"0": {"host": "gpu009", "gpu": 0, "pci": "3b:00.0", "uuid": "GPU-1"}},
                    "exit_codes": {"0": 1, "1": 137},
                    "world_size": 2,
                }
            ]
        },
        "/api/v1/inventory": {
            "nodes": [
                {
                    "name": "gpu009",
                    "aliases": ["10.0.0.9"],
                    "zone": "Asia/Seoul",
                    "devices": [
                        {
                            "kind": "gpu",
                            "index": 0,
                            "uuid": "GPU-1",
                            "pci": "3b:00.0",
                            "serial": "s",
                            "name": "H100",
                            "netdev": "",
                            "seen_from": at,
                            "seen_until": at,
                        }
                    ],
                }
            ],
            "links": [
                {"a": {"host": "gpu009", "device": "mlx5_0"}, "b": {"switch": "sw", "port": "7"}}
            ],
            "mounts": [{"path": "/data", "server": "nas", "hosts": ["gpu009"]}],
            "projects": {"mars": "nobody"},
            "at": at,
        },
        "/api/v1/alertmanager": {
            "version": "4",
            "status": "firing",
            "truncatedAlerts": 0,
            "alerts": [
                {
                    "status": "firing",
                    "labels": {"alertname": "GpuXid", "instance": "gpu009:9400", "gpu": "3"},
                    "annotations": {"summary": "x"},
                    "startsAt": at,
                    "endsAt": "0001-01-01T00:00:00Z",
                    "fingerprint": "7e6a2f0c11b3d4a5",
                }
            ],
        },
        "/v1/logs": {
            "resourceLogs": [
                {
                    "resource": {
                        "attributes": [
                            {"key": "host.name", "value": {"stringValue": "gpu009"}},
                            {"key": "rank", "value": {"intValue": "3"}},
                        ]
                    },
                    "scopeLogs": [
                        {
                            "scope": {"name": "filelog"},
                            "logRecords": [
                                {
                                    "timeUnixNano": stamp,
                                    "observedTimeUnixNano": stamp,
                                    "severityText": "INFO",
                                    "severityNumber": 9,
                                    "flags": 1,
                                    "body": {"stringValue": "step 8 loss 2.2"},
                                    "attributes": [{"key": "x", "value": {"doubleValue": 1.5}}],
                                },
                                {
                                    "timeUnixNano": stamp,
                                    "body": {
                                        "kvlistValue": {
                                            "values": [{"key": "a", "value": {"arrayValue": {
                                                "values": [{"boolValue": True}]}}}]
                                        }
                                    },
                                },
                            ],
                        }
                    ],
                }
            ]
        },
        "/v1/metrics": {
            "resourceMetrics": [
                {
                    "resource": {
                        "attributes": [{"key": "host.name", "value": {"stringValue": "gpu009"}}]
                    },
                    "scopeMetrics": [
                        {
                            "scope": {"name": "x"},
                            "metrics": [_gauge(stamp), _sum(stamp), _histogram(stamp)],
                        }
                    ],
                }
            ]
        },
    }  # fmt: skip


def _gauge(stamp: str) -> dict[str, Any]:
    point = {"asDouble": 71.5, "timeUnixNano": stamp, "attributes": [_attribute("gpu", "0")]}
    return {"name": "DCGM_FI_DEV_GPU_TEMP", "unit": "Cel", "gauge": {"dataPoints": [point]}}


def _sum(stamp: str) -> dict[str, Any]:
    point = {"asInt": "7", "timeUnixNano": stamp, "startTimeUnixNano": stamp, "flags": 0}
    total = {"aggregationTemporality": 1, "isMonotonic": True, "dataPoints": [point]}
    return {"name": "DCGM_FI_DEV_XID_ERRORS", "sum": total}


def _histogram(stamp: str) -> dict[str, Any]:
    point = {
        "timeUnixNano": stamp, "count": "3", "sum": 2.5,
        "explicitBounds": [1.0, 2.0], "bucketCounts": ["1", "1", "1"],
    }  # fmt: skip
    histogram = {"aggregationTemporality": 2, "dataPoints": [point]}
    return {"name": "step_seconds", "histogram": histogram}


def _attribute(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def as_json(*, path: str, now: datetime, random: Random) -> Pushed:
    """Return a JSON push with something wrong in it."""
    document = documents(now=now)[path]
    if path == "/api/v1/session-events" and random.random() < 0.5:
        document = document["events"][0]
    body = values.poisoned(document, random)
    if random.random() < 0.03:
        body = values.doubled(values.as_json(document))
    return Pushed(path=path, body=body, **_around(random, path))


def as_protobuf(*, path: str, now: datetime, random: Random) -> Pushed:
    """Return a protobuf push with something wrong in it."""
    message = _message(path, now)
    for _ in range(random.choice((1, 1, 3))):
        spoil(message, random)
    body = message.SerializeToString()
    if random.random() < 0.1:
        body = values.torn(body, random)
    if path in {"/loki/api/v1/push", "/api/v1/write"}:
        packed = bytes(cramjam.snappy.compress_raw(body))
        kind = writing.V2 if type(message).__name__ == "Request2" else PROTOBUF
        return Pushed(
            path=path, body=packed, content_type=kind, headers={"Content-Encoding": "snappy"}
        )
    return Pushed(path=path, body=body, content_type=PROTOBUF, **_around(random, path))


def _message(path: str, now: datetime) -> Any:
    at, host = int(now.timestamp()), {"__name__": "DCGM_FI_DEV_GPU_TEMP", "instance": "gpu009:9400"}
    if path == "/loki/api/v1/push":
        request = loki_protobuf.PUSH_REQUEST()
        stream = request.streams.add(labels='{host="gpu009", rank="1", session="fuzz"}')
        stream.entries.add(line=b"step 9 loss 2").timestamp.seconds = at
        return request
    if path == "/api/v1/write":
        series = [writing.Series(labels=host, samples=[(at * 1000, 71.0)], kind="gauge", unit="s")]
        is_second = at % 2
        made = writing.CLASSES["Request2" if is_second else "WriteRequest"]()
        made.ParseFromString(writing.v2(series) if is_second else writing.v1(series))
        return made
    kind = OTLP_LOGS if path == "/v1/logs" else OTLP_METRICS
    return json_format.ParseDict(documents(now=now)[path], kind(), ignore_unknown_fields=True)


def spoil(message: Any, random: Random) -> None:
    """Put an extreme value somewhere into a message."""
    there = list(_messages(message))
    chosen = random.choice(there)
    one = random.choice(chosen.DESCRIPTOR.fields)
    repeated = one.is_repeated if hasattr(one, "is_repeated") else one.label == one.LABEL_REPEATED
    if one.message_type is not None:
        if repeated:
            getattr(chosen, one.name).add()
        else:
            getattr(chosen, one.name).SetInParent()
        return
    value = random.choice(_extremes(one))
    if repeated:
        getattr(chosen, one.name).extend([value] * random.choice((1, 1, 50)))
    else:
        setattr(chosen, one.name, value)


def _messages(message: Any) -> list[Any]:
    found = [message]
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        inner = list(value) if hasattr(value, "add") else [value]
        found += [each for one in inner for each in _messages(one)]
    return found


def _extremes(one: Any) -> tuple[Any, ...]:
    texts = tuple(text.encode(errors="replace").decode() for text in values.TEXTS)
    return {
        one.TYPE_STRING: texts,
        one.TYPE_BYTES: (*(text.encode() for text in texts), b"\xff\xfe", b"\xed\xa0\x80"),
        one.TYPE_DOUBLE: EXTREMES["real"],
        one.TYPE_FLOAT: EXTREMES["real"],
        one.TYPE_INT32: EXTREMES["int"],
        one.TYPE_SINT32: EXTREMES["int"],
        one.TYPE_SFIXED32: EXTREMES["int"],
        one.TYPE_ENUM: (0, 1, 77, 2**31 - 1),
        one.TYPE_INT64: EXTREMES["long"],
        one.TYPE_SINT64: EXTREMES["long"],
        one.TYPE_SFIXED64: EXTREMES["long"],
        one.TYPE_UINT32: EXTREMES["unsigned"],
        one.TYPE_FIXED32: EXTREMES["unsigned"],
        one.TYPE_UINT64: EXTREMES["unsigned long"],
        one.TYPE_FIXED64: EXTREMES["unsigned long"],
        one.TYPE_BOOL: (True, False),
    }[one.type]


def as_text(*, random: Random) -> Pushed:
    """Return a file of lines in which numbers, times and words are no such things."""
    lines = [_line(random) for _ in range(random.randrange(1, 12))]
    body = "\n".join(lines).encode(errors="surrogatepass")
    if random.random() < 0.1:
        body = values.torn(body, random)
    around = _around(random, "/api/v1/logs")
    around["query"] |= {name: _label(random) for name in random.sample(LABELS, 2)}
    return Pushed(path="/api/v1/logs", body=body, content_type="text/plain", **around)


LABELS: Final = ("session", "attempt", "host", "rank", "stream", "tz", "x")


def _label(random: Random) -> str:
    usual = ("fuzz", "1", "gpu009", "kernel", "session", "scheduler", "Asia/Seoul")
    return random.choice((*usual, random.choice(values.TEXTS)[:300]))


def _line(random: Random) -> str:
    line = random.choice(examples())
    if random.random() < 0.4:
        line = random.choice(heads()) + line
    numbers = list(NUMBER.finditer(line))
    if numbers and random.random() < 0.9:
        for found in random.sample(numbers, min(len(numbers), random.choice((1, 1, 2)))):
            bad = random.choice((*values.DIGITS, *values.NUMBERS, "0001", "9999", "0", "٣٣"))
            line = line.replace(found[0], bad[:900], 1)
    return line


@cache
def examples() -> tuple[str, ...]:
    """Return lines that signatures know, and JSON as agents and programs print it."""
    known = [example for one in load_catalog().values() for example in one.examples]
    return (
        *known,
        '{"log":"x\\n","stream":"stderr","time":"2026-11-09T03:12:45.1Z"}',
        (
            '{"MESSAGE":"NVRM: Xid","_HOSTNAME":"n1","_PID":"7",'
            '"__REALTIME_TIMESTAMP":"1763690400000000"}'
        ),
        '{"ts": 1763690400.5, "rank": 3, "host": "gpu009", "msg": "step 3", "level": "error"}',
        "4711|train|FAILED|1:0|2026-11-21T01:00:00|2026-11-21T02:00:00|gpu009",
        "sched: JobId=4711 Action=complete ExitCode=9",
    )


@cache
def heads() -> tuple[str, ...]:
    """Return what stands in front of lines: times, hosts, ranks, numbers of processes."""
    return (
        "2026-11-09T03:12:44.5Z ", "Nov  9 03:12:44 n1 kernel: ", "[ 1234.567890] ", "12: ",
        "[rank7]:[E1109 03:12:44.1 ProcessGroupNCCL.cpp:683] ", "6,1,1250,-;",
        "2026-11-09T03:12:44.5Z stderr F ", "[2026-11-09 03:12:44,123] [INFO] ", "n7:91:95 [2] ",
        "E0810 12:34:56.789012 12345 ", "<6>[ 12.5][T9] ", "11/09/2026 03:12:44 AM ", "[default7]:",
        "(Actor[rank=9] pid=1234, ip=10.0.0.5) ", "<34>1 2026-11-09T03:12:44.003Z n1 su 9 ID47 - ",
        *(f"{stamp} " for stamp in STAMPS),
    )  # fmt: skip


def _around(random: Random, path: str) -> dict[str, Any]:
    """Return headers and a query, odd ones now and then."""
    more: dict[str, Any] = {"headers": {}, "query": {}}
    if random.random() < 0.08:
        name = random.choice(("cluster", "source", "session", "rank", "attempt", "tz", "__proto__"))
        more["query"] = {name: random.choice(values.TEXTS)[:2000]}
    if random.random() < 0.05:
        name = random.choice(("Content-Encoding", "X-Scope-OrgID", "Content-Length", "Expect"))
        said = random.choice((*values.DIGITS, "gzip", "snappy", "-1", "deflate, gzip", "9" * 30))
        more["headers"] = {name: said[:50]}
    return more
