"""How the receivers of pushes stand in docs/openapi.yaml: bodies, answers and limits."""

from collections.abc import Mapping
from typing import Any

from apps.api.problems import CODE
from apps.api.receivers.otlp.requests import LIMIT_BYTES as OTLP_LIMIT_BYTES
from apps.api.receivers.requests.bodies import LIMIT_BYTES
from apps.telemetry.formats.alertmanager import ALERTS_LIMIT
from apps.telemetry.formats.loki import ENTRY_LIMIT_BYTES, JSON_LIMIT_BYTES, STREAMS_LIMIT
from apps.telemetry.formats.otlp.otlp_logs import RECORDS_LIMIT
from apps.telemetry.formats.otlp.otlp_metrics import POINTS_LIMIT
from apps.telemetry.formats.records import MOST_RECORDS
from apps.telemetry.formats.remote_write import SAMPLES_LIMIT
from apps.telemetry.submissions.pieces import ENTRIES_AT_ONCE, EVENTS_AT_ONCE, MOST_ENTRIES

NANOSECONDS = "1763690400000000000"
BINARY = {"schema": {"type": "string", "format": "binary"}}
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string"}
REJECTED = {
    "type": "array",
    "description": "What was left out: the number of the line or entry (0: the whole), and why.",
    "items": {
        "type": "object",
        "properties": {
            "line": {"type": ["integer", "null"]},
            "code": TEXT | {"pattern": CODE},
            "detail": TEXT,
        },
    },
}
PROPERTIES = {
    "accepted": COUNT,
    "duplicates": COUNT,
    "left_out_by_sender": COUNT,
    "rejected": REJECTED,
    "batch": TEXT,
    "url": TEXT | {"format": "uri"},
}
STATUS = {"application/json": {"schema": {"type": "object"}}, "application/x-protobuf": BINARY}
REFUSALS = {
    "400": "Nothing in the body can be used, or the cluster has to be named. Never send it again.",
    "401": "No token, or one that is unknown, expired or revoked.",
    "403": "The token lacks the scope `ingest`, its organization's part in the cluster may not say "
    "this, or the source is not taken.",
    "404": "There is no such cluster for this token.",
    "413": "Too big; send it in parts.",
    "415": "Another coding or version, please.",
    "429": "Over quota, or more at once than this organization's share. Again after Retry-After.",
    "503": "Nothing was stored: the database or the disk has no room. Again after Retry-After.",
}
RETRIED = {"429", "503"}
CLUSTER = ("cluster", "The cluster; else the label `cluster`, else the only one of the token.")
SOURCE = ("source", "A name for this sender, where several send metrics of one cluster.")
UNKNOWN = "A parameter that is not named here is refused; labels of any name are kept."
SLIPS = "A parameter or key that is not known is refused, with the one that was probably meant."
MEBIBYTE = 2**20

LABELS = {
    "session": "The scheduler's id of the session, or a name of yours.",
    "attempt": "Which try of the session, counted from 1.",
    "host": "The node that the lines are of.",
    "rank": "The rank that printed them.",
    "stream": "session, kernel, scheduler, storage, fabric or bmc.",
    "tz": "The time zone of stamps that print none, like Asia/Seoul.",
}

Json = dict[str, Any]


def paths() -> Json:
    """Return path → its description."""
    return {
        "/loki/api/v1/push": _post(
            "push_loki",
            f"Lines as Grafana's Loki takes them; snappy protobuf of at most "
            f"{LIMIT_BYTES // MEBIBYTE} MiB unpacked, or JSON of "
            f"{JSON_LIMIT_BYTES // MEBIBYTE} MiB; at most {STREAMS_LIMIT} streams, and "
            f"{ENTRY_LIMIT_BYTES // MEBIBYTE} MiB of an entry. {UNKNOWN}",
            body={"application/json": _example(LOKI), "application/x-protobuf": BINARY},
            answer=("204", None),
        ),
        "/v1/logs": _post(
            "push_otlp_logs",
            f"OpenTelemetry's logs; at most {OTLP_LIMIT_BYTES // MEBIBYTE} MiB unpacked and "
            f"{RECORDS_LIMIT} records. A 200 may be a partial success. {UNKNOWN}",
            body={"application/json": _example(OTLP_LOGS), "application/x-protobuf": BINARY},
            answer=("200", STATUS),
            query=[CLUSTER],
            refusal=STATUS,
        ),
        "/v1/metrics": _post(
            "push_otlp_metrics",
            f"OpenTelemetry's metrics; at most {OTLP_LIMIT_BYTES // MEBIBYTE} MiB unpacked and "
            f"{POINTS_LIMIT} values. A 200 may be a partial success. {UNKNOWN}",
            body={"application/json": _example(OTLP_METRICS), "application/x-protobuf": BINARY},
            answer=("200", STATUS),
            query=[CLUSTER, SOURCE],
            refusal=STATUS,
        ),
        "/api/v1/write": _post(
            "push_remote_write",
            f"Prometheus remote_write 1.0 and 2.0, snappy blocks; at most "
            f"{LIMIT_BYTES // MEBIBYTE} MiB unpacked and {SAMPLES_LIMIT} samples. A 400 "
            f"`partly_refused` has stored the rest. {UNKNOWN}",
            body={"application/x-protobuf": BINARY},
            answer=("204", None),
            query=[CLUSTER, SOURCE],
        ),
        "/api/v1/logs": _post(
            "push_logs",
            "Text, JSON records or a form of files, plain, gzip or zstd; sizes as "
            "PORTAL_MAX_BODY_BYTES and PORTAL_MAX_DECODED_BYTES say, JSON of at most "
            f"{MOST_RECORDS} records. A parameter is a label of the "
            "lines, by these names or those that agents use for them; one of your own is written "
            "`label.<name>`, and any other is refused.",
            body={
                "text/plain": {"schema": {"type": "string"}, "example": LINES},
                "application/octet-stream": BINARY,
                "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
                "multipart/form-data": {"schema": {"type": "object"}},
            },
            answer=("200", _object("batch", "accepted", "duplicates", "rejected", "url")),
            query=[CLUSTER, *LABELS.items()],
        ),
        "/api/v1/session-events": _or_later(
            "push_session_events",
            f"How a scheduler tells of starts and ends; one event or several, at most "
            f"{LIMIT_BYTES // MEBIBYTE} MiB. More than {EVENTS_AT_ONCE} are carried out after the "
            f"answer, which is 202 then. {SLIPS}",
            body={"application/json": _example(SESSION_EVENT)},
            answer=("200", _object("accepted", "rejected")),
        ),
        "/api/v1/inventory": _or_later(
            "push_inventory",
            f"Nodes, devices, links, mounts and projects; at most {LIMIT_BYTES // MEBIBYTE} MiB "
            f"and {MOST_ENTRIES} entries. More than {ENTRIES_AT_ONCE} are carried out after the "
            f"answer, which is 202 then; projects are mapped before it. {SLIPS}",
            body={"application/json": _example(INVENTORY)},
            answer=("200", _object("accepted", "rejected")),
        ),
        "/api/v1/alertmanager": _post(
            "push_alertmanager",
            f"Alertmanager's webhook, version 4; at most {ALERTS_LIMIT} alerts. Over quota is 503 "
            f"here: Alertmanager tries again on 5xx alone. {UNKNOWN}",
            body={"application/json": _example(ALERTS)},
            answer=("200", _object("accepted", "duplicates", "left_out_by_sender", "rejected")),
            query=[CLUSTER],
        ),
    }


def _post(
    operation: str,
    text: str,
    *,
    body: Json,
    answer: tuple[str, Json | None],
    query: list[tuple[str, str]] | None = None,
    refusal: Json | None = None,
) -> Json:
    status, content = answer
    taken = {"description": "Durable."} | ({"content": content} if content else {})
    refused = {code: _refused(code, refusal or PROBLEM) for code in REFUSALS}
    return {
        "post": {
            "operationId": operation,
            "description": text,
            "tags": ["push"],
            "security": [{"token": []}],
            "parameters": [_parameter(*each) for each in query or ()],
            "requestBody": {"required": True, "content": body},
            "responses": {status: taken} | refused,
        }
    }


def _or_later(operation: str, text: str, *, body: Json, answer: tuple[str, Json | None]) -> Json:
    described = _post(operation, text, body=body, answer=answer)
    described["post"]["responses"] |= LATER
    return described


def _refused(code: str, content: Json) -> Json:
    wait = {"headers": {"Retry-After": {"schema": {"type": "integer"}}}}
    return {"description": REFUSALS[code], "content": content} | (wait if code in RETRIED else {})


def _parameter(name: str, text: str) -> Json:
    return {"in": "query", "name": name, "schema": {"type": "string"}, "description": text}


def _example(value: Mapping[str, Any]) -> Json:
    return {"schema": {"type": "object"}, "example": dict(value)}


def _object(*names: str) -> Json:
    properties = {name: PROPERTIES[name] for name in names}
    schema = {"type": "object", "required": list(names), "properties": properties}
    return {"application/json": {"schema": schema}}


LINES = "2025-11-21T02:00:00Z gpu017 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen"
LOKI = {
    "streams": [
        {
            "stream": {"session": "job-1", "host": "gpu017", "stream": "session"},
            "values": [[NANOSECONDS, "step 100 loss 2.31"]],
        }
    ]
}
OTLP_LOGS = {
    "resourceLogs": [
        {
            "resource": {"attributes": [{"key": "host.name", "value": {"stringValue": "gpu017"}}]},
            "scopeLogs": [
                {
                    "logRecords": [
                        {"timeUnixNano": NANOSECONDS, "body": {"stringValue": "step 100 loss 2.31"}}
                    ]
                }
            ],
        }
    ]
}
OTLP_METRICS = {
    "resourceMetrics": [
        {
            "resource": {"attributes": [{"key": "host.name", "value": {"stringValue": "gpu017"}}]},
            "scopeMetrics": [
                {
                    "metrics": [
                        {
                            "name": "node_load1",
                            "gauge": {
                                "dataPoints": [{"timeUnixNano": NANOSECONDS, "asDouble": 1.5}]
                            },
                        }
                    ]
                }
            ],
        }
    ]
}
SESSION_EVENT = {
    "session": "job-1",
    "scheduler": "slurm",
    "state": "running",
    "at": "2025-11-21T02:00:00Z",
    "hosts": ["gpu017"],
}
INVENTORY = {"nodes": [{"name": "gpu017", "aliases": ["gpu017.aurora.example"]}]}
ALERTS = {
    "version": "4",
    "status": "firing",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "GpuXid", "instance": "gpu017:9400", "severity": "critical"},
            "annotations": {"summary": "Xid 79"},
            "startsAt": "2025-11-21T02:00:00Z",
            "fingerprint": "8a1b2c3d4e5f6071",
        }
    ],
}
LATER = {
    "202": {
        "description": "Durable, and carried out in a while: GET `url` says what became of it.",
        "content": _object("accepted", "rejected", "url"),
    }
}
