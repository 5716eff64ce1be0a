"""What a record of JSON or of a journal says: its text, its time, and who sent it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from apps.diagnosis.input_values import MOST_CALLS, instant, instant_of, whole_number
from apps.diagnosis.logs import exceptions
from apps.diagnosis.logs.timestamps import ISO, Stamp, iso

TEXT_KEYS = ("log", "MESSAGE", "message", "msg", "line", "text", "body")
TIME_KEYS = ("time", "timestamp", "@timestamp", "ts", "asctime", "date")
LEVEL_KEYS = ("level", "levelname", "severity", "severity_text", "loglevel", "log.level", "lvl")
LEVELS, TIMED = frozenset(LEVEL_KEYS), frozenset({*TIME_KEYS, "MESSAGE"})
HOST_KEYS = ("_HOSTNAME", "hostname", "host", "node", "node_name")
PID_KEYS = ("_PID", "pid", "process")
# Where collectors put what they know of the sender.
ABOUT_KEYS = ("kubernetes", "labels", "stream", "docker")
PRINTED = re.compile(ISO + r"(?: ?(UTC))?$", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappingFacts:
    """What the wrapping said about a line."""

    at: datetime | None = None
    stamp: Stamp | None = None  # as printed, where the entry names no zone
    host: str | None = None
    pid: int | None = None
    is_kernel: bool = False


def text(*, entry: object) -> str | None:
    """Return the text inside a record, None where the record itself is the message."""
    if not isinstance(entry, dict):
        return None
    is_logged = not LEVELS.isdisjoint(entry)
    if not is_logged and TIMED.isdisjoint(entry):
        return _beside_exception(entry)
    found = _text(entry)
    if found is None and (is_logged or exceptions.printed(fields=entry)):
        found = entry.get("event")  # structlog's; of others it names what happened
        found = found if isinstance(found, str) else _beside_exception(entry)
    return found


def told(*, record: str) -> WrappingFacts:
    """Return what a record says of its sender; of records in records, the collector's wins."""
    if not record.startswith("{"):
        return of_fields(fields=dict(line.split("=", 1) for line in record.split("\n")))
    found = [of_fields(fields=orjson.loads(each)) for each in record.split("\n")]
    return found[0] if len(found) == 1 else _merged(found)


def of_fields(*, fields: Mapping[str, Any]) -> WrappingFacts:
    """Return what the fields of a record say of its sender."""
    host = next((one for about in _abouts(fields) if (one := _named(about))), None)
    pid = next((str(one) for key in PID_KEYS if (one := fields.get(key))), "")
    at = _at(fields)
    return WrappingFacts(
        at=at,
        stamp=_stamp(fields) if at is None else None,
        host=host or None,
        pid=whole_number(pid),
        is_kernel="kernel" in (fields.get("_TRANSPORT"), fields.get("SYSLOG_IDENTIFIER")),
    )


def _merged(found: list[WrappingFacts]) -> WrappingFacts:
    """Return the first host, and the time and process that the program itself told."""
    return WrappingFacts(
        at=next((one.at for one in reversed(found) if one.at), None),
        stamp=next((one.stamp for one in reversed(found) if one.stamp), None),
        host=next((one.host for one in found if one.host), None),
        pid=next((one.pid for one in reversed(found) if one.pid is not None), None),
        is_kernel=any(one.is_kernel for one in found),
    )


def _text(entry: Mapping[str, Any]) -> str | None:
    for key in TEXT_KEYS:
        value = entry.get(key)
        if isinstance(value, str):
            return value
        if key == "MESSAGE" and isinstance(value, list):  # journald: bytes, where there are escapes
            return bytes(one & 0xFF for one in value if isinstance(one, int)).decode(
                "utf-8", "replace"
            )
    return None


def _beside_exception(entry: Mapping[str, Any]) -> str | None:
    """Return what stands beside an exception, None where the record carries none."""
    if not any(exceptions.may_tell(name=name) for name in entry):
        return None
    return (_text(entry) or "") if exceptions.has_stack(fields=entry) else None


def _abouts(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return an entry and what it holds about its sender."""
    return [entry, *(about for key in ABOUT_KEYS if isinstance(about := entry.get(key), dict))]


def _named(entry: Mapping[str, Any]) -> str | None:
    return next((one for key in HOST_KEYS if isinstance(one := entry.get(key), str) and one), None)


def _stamp(entry: Mapping[str, Any]) -> Stamp | None:
    """Return a time as printed that names no zone."""
    value = next((entry[key] for key in TIME_KEYS if key in entry), None)
    match = PRINTED.match(value) if isinstance(value, str) else None
    return iso(match, zone="Z" if match.group(9) else None) if match else None


def _at(entry: Mapping[str, Any]) -> datetime | None:
    """Return the time of an entry if it names its zone, or counts from the epoch."""
    realtime = str(entry.get("__REALTIME_TIMESTAMP", ""))
    try:
        counted = whole_number(realtime, most=MOST_CALLS)
        if counted is not None:
            return instant_of(counted / 1e6)
        value = next((entry[key] for key in TIME_KEYS if key in entry), None)
        if isinstance(value, int | float):
            return instant_of(value / (1000 if value > 1e11 else 1))
    except OverflowError:
        return None
    return instant(value)
