"""Tables of `nvidia-smi --query-gpu=… --format=csv`: a GPU whose clocks were held back."""

import re
from dataclasses import replace

from apps.diagnosis.logs.pci import normalised
from apps.diagnosis.logs.timestamps import Stamp, instant, microseconds
from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import plain_event
from apps.diagnosis.signatures.marks import sole
from apps.diagnosis.signatures.multi_line_record import (
    OVER,
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

# A cap of power by software and idle clocks are everyday.
REASON = re.compile(
    r"clocks_(?:event|throttle)_reasons\.(hw_slowdown|[hs]w_thermal_slowdown|hw_power_brake_slowdown)"
)
PLAIN = {"pci.bus_id": "pci", "gpu_bus_id": "pci", "index": "index", "uuid": "uuid"}
PRINTED = re.compile(r"(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?", re.ASCII)


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is None and ", " in line.text and REASON.search(line.text) is not None


def _begin(record: OpenRecord) -> None:
    """Keep where the columns stand."""
    names = [name.partition(" [")[0].strip() for name in record.line.text.split(",")]
    reasons = [
        (place, found[1]) for place, name in enumerate(names) if (found := REASON.match(name))
    ]
    record.note("width", str(len(names)))
    record.note("reasons", " ".join(f"{place}={reason}" for place, reason in reasons))
    record.note("plain", " ".join(f"{p}={PLAIN[n]}" for p, n in enumerate(names) if n in PLAIN))


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    values = [value.strip() for value in line.text.split(",")]
    if len(values) != int(record.notes["width"]) or REASON.search(line.text):
        return OVER
    active = [name for name, value in _columns(record, "reasons", values) if value == "Active"]
    if not active:
        return SWALLOWED
    fields = {"reason_said": " ".join(active), **dict(_columns(record, "plain", values))}
    if "pci" in fields:
        fields["pci"] = normalised(address=fields["pci"])
    signature = sole(RecordPart.SMI_TABLE_RESULT)
    told = plain_event(line=_placed(line), signature=signature, fields=fields)
    return LineOutcome(verdict=LineVerdict.PART, events=(told,))


def _columns(record: OpenRecord, kind: str, values: list[str]) -> list[tuple[str, str]]:
    places = [one.partition("=") for one in record.notes[kind].split()]
    return [(name, values[int(place)]) for place, _, name in places]


def _placed(line: LogLine) -> LogLine:
    """Return `line` with the time that its row prints, where nothing better is known."""
    match = PRINTED.match(line.text)
    if match is None or line.at is not None or line.local_at is not None:
        return line
    year, month, day, hour, minute, second, fraction = match.groups()
    stamp = Stamp(
        year=int(year),
        month=int(month),
        day=int(day),
        hour=int(hour),
        minute=int(minute),
        second=int(second),
        microsecond=microseconds(fraction),
    )
    at, local_at = instant(stamp=stamp, origin=line.origin)
    return replace(line, at=at, local_at=local_at)


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    return ()


SMI_TABLE = RecordKind(
    name="smi_table",
    opens=_opens,
    begin=_begin,
    take=_take,
    finish=_finish,
    literals=("clocks_event_reasons.", "clocks_throttle_reasons."),
    is_kernel=True,  # one voice per host, whatever the prefix
    line_limit=10_000,
    reach=10_000,
)
