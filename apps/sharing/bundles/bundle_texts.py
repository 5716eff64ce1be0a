"""How a bundle writes what it holds: series as tables, devices, sessions, statements, times."""

import csv
import io
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from apps.diagnosis.model import Device, statement_of
from apps.telemetry.evidence.captured_series import CapturedSeries
from apps.wording import in_english

QUANTILES: Final = ("p5", "p25", "p50", "p75", "p95")
Json = dict[str, Any]


def series_table(
    series: CapturedSeries, starts_at: datetime, ends_at: datetime
) -> tuple[bytes, int]:
    """Return a series as CSV with the band of its peers; a gap is empty, never zero."""
    names = [name for name in QUANTILES if name in series.peers]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["at", "value", *names])
    count = 0
    first, last = starts_at.timestamp(), ends_at.timestamp()
    for position, at in enumerate(series.at):
        if first <= at <= last:
            columns = (series.values, *(series.peers[name] for name in names))
            stamp = datetime.fromtimestamp(float(at), UTC)
            rows.writerow([time_text(stamp), *(_number(column[position]) for column in columns)])
            count += 1
    return text.getvalue().encode(), count


def _number(value: Any) -> str:
    return "" if math.isnan(value) else f"{float(value):.6g}"


def device_parts(device: Device) -> Json:
    """Return what is known of a device, by its fields."""
    told = {
        "kind": device.kind,
        "host": device.host,
        "index": device.index,
        "uuid": device.uuid,
        "pci": device.pci,
        "name": device.name,
    }
    return {name: value for name, value in told.items() if value is not None}


def device_name(device: Device) -> str:
    """Return how a device is called: its host, and its name, place or id."""
    index = None if device.index is None else f"{device.kind} {device.index}"
    return " ".join(filter(None, (device.host, device.name or index or device.uuid)))


def session_text(told: Mapping[str, Any]) -> str:
    """Return a session by its name and hosts."""
    return f"{told['name']} · {', '.join(told['hosts'])}"


def statement_text(statement: Mapping[str, Any]) -> str:
    """Return a stored statement in English."""
    return in_english(statement_of(statement))


def time_text(at: datetime | None) -> str | None:
    """Return an instant in UTC as ISO 8601, nothing for none."""
    return at.astimezone(UTC).isoformat() if at else None
