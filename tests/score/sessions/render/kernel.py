# ruff: noqa: E501  the vendors' lines are long
"""Kernel logs in the forms of dmesg, journalctl, syslog and kmsg."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from tests.score.sessions.cluster import ZONES, Host, wall
from tests.score.sessions.render.files import LogFile
from tests.score.sessions.scene import Scene


@dataclass(frozen=True, slots=True)
class Record:
    """One kernel line with the boot it belongs to."""

    at: float
    booted_at: float
    number: int
    host: Host
    zone: str
    text: str

    @property
    def uptime(self) -> float:
        """Return seconds since that boot."""
        return max(0.0, self.at - self.booted_at)


def _uptime(one: Record) -> str:
    return f"[{one.uptime:12.6f}] {one.text}"


def _human(one: Record) -> str:
    shown = wall(at=one.at + one.host.drift, zone=one.zone, offset=one.host.offset)
    return f"[{shown:%a %b} {shown.day:2d} {shown:%H:%M:%S %Y}] {one.text}"


def _iso(one: Record) -> str:
    shown = _aware(one, one.host.drift)
    level = "warn  " if "NVRM" in one.text else "info  "
    return f"kern  :{level}: {shown:%Y-%m-%dT%H:%M:%S},{shown.microsecond:06d}{_suffix(one.zone)} {one.text}"


def _short(one: Record) -> str:
    shown = wall(at=one.at, zone=one.zone, offset=one.host.offset)
    return f"{shown:%b} {shown.day:02d} {shown:%H:%M:%S} {one.host.name} kernel: {one.text}"


def _short_iso(one: Record) -> str:
    shown = _aware(one)
    suffix = _suffix(one.zone).replace(":", "")
    return f"{shown:%Y-%m-%dT%H:%M:%S}{suffix} {one.host.name} kernel: {one.text}"


def _syslog_3164(one: Record) -> str:
    shown = wall(at=one.at, zone=one.zone, offset=one.host.offset)
    return f"{shown:%b} {shown.day:2d} {shown:%H:%M:%S} {one.host.name} kernel: [{one.uptime:12.6f}] {one.text}"


def _syslog_5424(one: Record) -> str:
    shown = _aware(one)
    stamp = f"{shown:%Y-%m-%dT%H:%M:%S}.{shown.microsecond:06d}{_suffix(one.zone)}"
    return f"<4>1 {stamp} {one.host.fqdn} kernel - - - [{one.uptime:12.6f}] {one.text}"


def _kmsg(one: Record) -> str:
    return f"4,{one.number},{int(one.uptime * 1e6)},-;{one.text}"


def _pstore(one: Record) -> str:
    return f"<4>[{one.uptime:12.6f}] {one.text}"


def _fields(one: Record) -> dict[str, str]:
    realtime = int((one.at + one.host.offset) * 1e6)
    boot = f"{int(one.booted_at):032x}"
    return {
        "__REALTIME_TIMESTAMP": str(realtime),
        "__MONOTONIC_TIMESTAMP": str(int(one.uptime * 1e6)),
        "_BOOT_ID": boot,
        "_TRANSPORT": "kernel",
        "PRIORITY": "4",
        "SYSLOG_IDENTIFIER": "kernel",
        "_HOSTNAME": one.host.name,
        "_SOURCE_MONOTONIC_TIMESTAMP": str(int(one.uptime * 1e6)),
        "MESSAGE": one.text,
    }


def _json(one: Record) -> str:
    fields: dict[str, str | list[int]] = dict(_fields(one))
    if "\x1b" in one.text or "\t" in one.text:
        fields["MESSAGE"] = list(one.text.encode())
    return json.dumps(fields)


def _export(one: Record) -> str:
    return "".join(f"{name}={value}\n" for name, value in _fields(one).items())


def _aware(one: Record, drift: float = 0.0) -> datetime:
    zone = timezone(timedelta(minutes=ZONES[one.zone]))
    return datetime.fromtimestamp(one.at + one.host.offset + drift, UTC).astimezone(zone)


def _suffix(zone: str) -> str:
    minutes = ZONES[zone]
    sign = "+" if minutes >= 0 else "-"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """A way to keep kernel lines: does a line name its host, does the log outlive a boot?"""

    form: Callable[[Record], str]
    names_host: bool
    outlives_boot: bool
    is_dated: bool = True


STYLES: dict[str, Style] = {
    "dmesg": Style(form=_uptime, names_host=False, outlives_boot=False, is_dated=False),
    "dmesg-T": Style(form=_human, names_host=False, outlives_boot=False),
    "dmesg-iso": Style(form=_iso, names_host=False, outlives_boot=False),
    "short": Style(form=_short, names_host=True, outlives_boot=True),
    "short-iso": Style(form=_short_iso, names_host=True, outlives_boot=True),
    "json": Style(form=_json, names_host=True, outlives_boot=True),
    "export": Style(form=_export, names_host=True, outlives_boot=True),
    "syslog": Style(form=_syslog_3164, names_host=True, outlives_boot=True),
    "syslog5424": Style(form=_syslog_5424, names_host=True, outlives_boot=True),
    "kmsg": Style(form=_kmsg, names_host=False, outlives_boot=False, is_dated=False),
    "pstore": Style(form=_pstore, names_host=False, outlives_boot=False, is_dated=False),
}


def records(*, scene: Scene, place: int) -> list[Record]:
    """Return the kernel lines of a host in order, each with its boot."""
    host, found, number = scene.world.hosts[place], [], 400
    booted = host.booted_at
    mine = [one for one in scene.said if one.kind == "kernel" and one.place == place]
    for one in sorted(mine, key=lambda one: (one.at, one.order)):
        if one.text.startswith("Linux version"):
            booted = one.at
        number += 1
        found.append(Record(one.at, booted, number, host, scene.world.kernel_zone, one.text))
    return found


def render(*, scene: Scene, style: str, places: list[int], is_relayed: bool) -> list[LogFile]:
    """Return the kernel logs of those hosts; relayed: all in one file."""
    kind = STYLES[style]
    if is_relayed and kind.names_host:
        every = sorted(
            (one for place in places for one in records(scene=scene, place=place)),
            key=lambda one: (one.at, one.host.place, one.number),
        )
        return [_file(scene, style, every, -1)]
    found = []
    for place in places:
        mine = records(scene=scene, place=place)
        if not kind.outlives_boot and mine:
            mine = [one for one in mine if one.booted_at == mine[-1].booted_at]
        found += _rotated(scene, style, mine, place)
    return found


def _rotated(scene: Scene, style: str, mine: list[Record], place: int) -> list[LogFile]:
    is_rotated = style in {"syslog", "short"} and len(mine) > 8 and scene.rng.random() < 0.3
    if not is_rotated:
        return [_file(scene, style, mine, place)]
    half = len(mine) // 2
    old, new = _file(scene, style, mine[:half], place), _file(scene, style, mine[half:], place)
    packed = LogFile(
        stream="kernel",
        body=gzip.compress(old.body, mtime=0),
        place=place,
        zone=old.zone,
        name="kern.log.1.gz",
        changed_at=mine[half].at,
        names_host=old.names_host,
    )
    return [packed, new]


def _file(scene: Scene, style: str, mine: list[Record], place: int) -> LogFile:
    kind = STYLES[style]
    text = "".join(f"{kind.form(one)}\n" for one in mine)
    return LogFile(
        stream="kernel",
        body=text.encode(),
        place=place,
        zone=scene.world.kernel_zone,
        name="kern.log",
        changed_at=scene.ends_at,
        names_host=kind.names_host,
    )
