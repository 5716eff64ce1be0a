"""OpenTelemetry's logs over HTTP, protobuf and JSON → pieces.

A record's text is its body and, below it, the exception that its attributes carry; a body of fields
stays one line of JSON, which the readers of lines understand. Labels are what the resource says of
the sender, and of a record's own attributes those that name a place. Ids of traces make no labels:
each would be a stream of its own.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import numpy as np
import orjson

from apps.diagnosis.logs.exceptions import may_tell, with_exception
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.compression.coding import STEP_BYTES
from apps.telemetry.formats.lines.complaints import Complaints, TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece, blocks
from apps.telemetry.formats.otlp import otlp_request
from apps.telemetry.formats.otlp.otlp_log_messages import JSON_REQUEST, REQUEST, RESPONSE
from apps.telemetry.formats.otlp.otlp_names import label_name
from apps.telemetry.formats.otlp.otlp_recovery import EVENT_NAME, RecoveryRecord, event_of
from apps.telemetry.formats.protobuf.json_messages import table_of
from apps.telemetry.formats.protobuf.nesting import shape_of
from apps.telemetry.formats.recovery_json import MOST_EVENTS
from apps.telemetry.formats.timed_entries import Entries, piece_of

RECORDS_LIMIT: Final = 200_000
KIND: Final = otlp_request.OtlpRequestKind(
    name="ExportLogsServiceRequest",
    request=REQUEST,
    json_request=JSON_REQUEST,
    response=RESPONSE,
    rejected="rejected_log_records",
    shape=shape_of(message=REQUEST),
    table=table_of(message=JSON_REQUEST),
    messages_limit=700_000,  # twice those of 8 MiB of lines with three attributes each
    values_limit=600_000,
    has_text=True,
)
STREAMS_LIMIT: Final = 5000
FAR_STAMP: Final = 2**63
# What a resource says of the sender. `process.` and `os.` would split one voice at each restart.
OF_SENDER: Final = ("host.name", "k8s.", "container.name", "service.", "slurm.")
Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True, kw_only=True)
class OtlpLogs:
    """The pieces of a body, and how many records could not be kept, with the first reason."""

    pieces: list[LinePiece] = field(default_factory=list)
    recovery: list[RecoveryRecord] = field(default_factory=list)
    record_count: int = 0
    refused_count: int = 0
    refusal: str = ""

    def refuse(self, *, count: int, why: str) -> None:
        """Note records that can't be kept."""
        self.refused_count += count
        self.refusal = self.refusal or why


def read_protobuf(*, body: bytes, complaints: Complaints) -> OtlpLogs:
    """Return the records of an ExportLogsServiceRequest; raise NothingUsable, TooBig."""
    return _read(otlp_request.from_protobuf(kind=KIND, body=body), complaints)


def read_json(*, body: bytes, complaints: Complaints) -> OtlpLogs:
    """Return the records of the same request as JSON; raise NothingUsable, TooBig."""
    return _read(otlp_request.from_json(kind=KIND, body=body), complaints)


def _read(request: Any, complaints: Complaints) -> OtlpLogs:
    read = OtlpLogs()
    for (labels, is_timed), records in _voices(read, request).items():
        try:
            piece = _piece(dict(labels), records, complaints, is_timed=is_timed)
        except naming.BadLabels as error:
            read.refuse(count=len(records), why=str(error))
        else:
            read.pieces.append(piece)
    return read


def _voices(read: OtlpLogs, request: Any) -> dict[tuple[Labels, bool], list[tuple[int, str]]]:
    """Return the lines of each voice; events of recovery go aside."""
    voices: dict[tuple[Labels, bool], list[tuple[int, str]]] = {}
    for labels, scope, record in _records(request):
        read.record_count += 1
        if read.record_count > RECORDS_LIMIT:
            raise TooBig(f"the body has more than {RECORDS_LIMIT} records; send it in parts")
        at = record.time_unix_nano or record.observed_time_unix_nano
        text = _with_exception(_line(record.body), record.attributes)
        if _is_recovery(read, labels, scope, record, at=at) and not text:
            continue
        if (why := _refusal(text, at)) or text is None:
            read.refuse(count=1, why=why)
            continue
        voices.setdefault((labels, bool(at)), []).append((at, text))
        if len(voices) > STREAMS_LIMIT:
            raise TooBig(f"the body has more than {STREAMS_LIMIT} streams; send it in parts")
    return voices


def _refusal(text: str | None, at: int) -> str:
    """Return why a record can't be kept, empty where it can."""
    if text is None:
        return "a record has no body"
    return "a time is out of range" if at >= FAR_STAMP else ""


def _is_recovery(read: OtlpLogs, labels: Labels, scope: str, record: Any, *, at: int) -> bool:
    """Say whether a record tells of recovery inside a job, and keep what it tells."""
    name = _text(record.event_name)
    if not name and not scope and not any(each.key == EVENT_NAME for each in record.attributes):
        return False
    told = {each.key: _plain(each.value) for each in record.attributes}
    event = event_of(event_name=name, scope=scope, attributes=told, nanoseconds=at)
    if event is None:
        return False
    if len(read.recovery) >= MOST_EVENTS:
        raise TooBig(f"the body has more than {MOST_EVENTS} events; send it in parts")
    read.recovery.append(RecoveryRecord(labels=dict(labels), event=event))
    return True


def _records(request: Any) -> Iterator[tuple[Labels, str, Any]]:
    """Yield each record with the labels of its voice, worked out once for equal attributes, and
    the scope that it is of.
    """
    for resource_logs in request.resource_logs:
        sender = _sender(resource_logs.resource.attributes)
        known: dict[Labels, Labels] = {}
        for scope_logs in resource_logs.scope_logs:
            scope = _text(scope_logs.scope.name)
            for record in scope_logs.log_records:
                own = tuple(_places(record.attributes))
                labels = known.get(own)
                if labels is None:
                    labels = known[own] = tuple(sorted({**sender, **dict(own)}.items()))
                yield labels, scope, record


def _sender(attributes: Iterable[Any]) -> dict[str, str]:
    said = {each.key: _word(each.value) for each in attributes}
    labels = {label_name(name): value for name, value in said.items() if name.startswith(OF_SENDER)}
    named = {name: value for name, value in {**labels, **dict(_known(said))}.items() if value}
    # One too many is refused with its records; thousands would be copied for each voice before.
    return dict(islice(named.items(), naming.NAMES_LIMIT + 1))


def _places(attributes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield what a record's own attributes say about where it belongs."""
    return _known({each.key: _word(each.value) for each in attributes})


def _known(said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in said.items():
        label = label_name(name)
        if value and naming.is_known(name=label):
            yield label, value


def _piece(
    labels: Mapping[str, str],
    records: list[tuple[int, str]],
    complaints: Complaints,
    *,
    is_timed: bool,
) -> LinePiece:
    """Return the lines of one voice; records without any time stay in the order they came in."""
    lines = [line for _, line in records]
    if is_timed:
        stamps = np.array([at for at, _ in records], np.int64)
        entries = Entries(stamps=stamps, lines=lines, text="\n".join(lines))
        named = naming.canonical(labels=labels)  # says itself what is wrong with labels
        piece = piece_of(labels=named, entries=entries, complaints=complaints)
        assert piece is not None  # noqa: S101  there is a line, and its labels are good
        return piece
    raw = "\n".join(line.removesuffix("\n") for line in lines).encode(errors="replace")
    parts = (raw[start : start + STEP_BYTES] for start in range(0, len(raw) or 1, STEP_BYTES))
    cleaned = list(blocks(source=parts, complaints=complaints)) or [(b"", 1)]
    return LinePiece(
        labels=naming.canonical(labels=labels),
        text=b"\n".join(text for text, _ in cleaned),
        line_count=sum(count for _, count in cleaned),
    )


def _word(value: Any) -> str:
    found = _plain(value)
    if isinstance(found, bool):
        return "true" if found else "false"
    return str(found) if isinstance(found, str | int | float) else ""


def _line(value: Any) -> str | None:
    """Return a body as text; None where there is none."""
    found = _plain(value)
    if found is None or isinstance(found, str):
        return found
    return orjson.dumps(found, option=orjson.OPT_NON_STR_KEYS).decode()


def _with_exception(line: str | None, attributes: Iterable[Any]) -> str | None:
    """Return a line and the exception that a record's attributes carry: where there is one of the
    two, there is something to keep."""
    told = {each.key: _plain(each.value) for each in attributes if may_tell(name=each.key)}
    found = with_exception(line=line or "", fields=told) if told else ""
    return found or line


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    found = getattr(value, kind)
    if kind == "kvlist_value":
        return {each.key: _plain(each.value) for each in found.values}
    if kind == "array_value":
        return [_plain(each) for each in found.values]
    return _text(found) if isinstance(found, bytes | str) else found


def _text(found: bytes | str) -> str:
    if isinstance(found, bytes):
        return found.decode(errors="replace")
    return found.encode(errors="replace").decode()
