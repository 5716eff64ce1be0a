"""System logs of hosts: dmesg, journalctl and rsyslog, each by the host's own clock."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.score.second.draft import HostLine, SessionDraft
from tests.score.second.rig import RigHost
from tests.score.second.stamps import local, offset

LEVELS = {3: "err", 4: "warn", 6: "info"}
Writer = Callable[[SessionDraft, RigHost, HostLine], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStyle:
    """A way to write a host's system log."""

    write: Writer
    is_dated: bool
    names_host: bool
    is_kernel_only: bool  # a daemon's lines are not in it
    outlives_boot: bool


def _seen(draft: SessionDraft, host: RigHost, line: HostLine) -> float:
    return line.at + host.ahead


def _uptime(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    since = draft.rebooted.get(host.place, host.booted)
    begun = since if line.at >= since else host.booted
    return f"{line.at - begun:12.6f}"


def _dmesg(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    return f"[{_uptime(draft, host, line)}] {line.text}"


def _dmesg_decoded(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    return f"kern  :{LEVELS[line.level]:<5} : [{_uptime(draft, host, line)}] {line.text}"


def _dmesg_human(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    seen = local(_seen(draft, host, line), draft.rig.host_zone)
    return f"[{seen:%a %b} {seen.day:2d} {seen:%H:%M:%S %Y}] {line.text}"


def _dmesg_iso(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    seen = local(_seen(draft, host, line), draft.rig.host_zone)
    return f"{seen:%Y-%m-%dT%H:%M:%S},{seen:%f}{offset(draft.rig.host_zone)} {line.text}"


def _tagged(line: HostLine) -> str:
    return f"{line.tag}: {line.text}"


def _journal_short(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    seen = local(_seen(draft, host, line), draft.rig.host_zone)
    return f"{seen:%b %d %H:%M:%S} {host.name} {_tagged(line)}"


def _journal_iso(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    seen = local(_seen(draft, host, line), draft.rig.host_zone)
    zone = offset(draft.rig.host_zone, colon="")
    return f"{seen:%Y-%m-%dT%H:%M:%S}{zone} {host.name} {_tagged(line)}"


def _journal_precise(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    seen = local(_seen(draft, host, line), draft.rig.host_zone)
    return f"{seen:%b %d %H:%M:%S.%f} {host.name} {_tagged(line)}"


def _journal_json(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    is_kernel = line.tag == "kernel"
    return json.dumps(
        {
            "__REALTIME_TIMESTAMP": str(int(_seen(draft, host, line) * 1e6)),
            "_HOSTNAME": host.name,
            "_TRANSPORT": "kernel" if is_kernel else "syslog",
            "PRIORITY": str(line.level),
            "SYSLOG_IDENTIFIER": line.tag.split("[")[0],
            "MESSAGE": line.text,
        }
    )


def _rsyslog_new(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    seen = local(_seen(draft, host, line), draft.rig.host_zone)
    head = f"{seen:%Y-%m-%dT%H:%M:%S.%f}{offset(draft.rig.host_zone)} {host.name}"
    if line.tag != "kernel":
        return f"{head} {_tagged(line)}"
    return f"{head} kernel: [{_uptime(draft, host, line)}] {line.text}"


def _rsyslog_old(draft: SessionDraft, host: RigHost, line: HostLine) -> str:
    seen = local(_seen(draft, host, line), draft.rig.host_zone)
    head = f"{seen:%b} {seen.day:2d} {seen:%H:%M:%S} {host.name}"
    if line.tag != "kernel":
        return f"{head} {_tagged(line)}"
    return f"{head} kernel: [{_uptime(draft, host, line)}] {line.text}"


def _style(write: Writer, *, plain: bool = False, dated: bool = True) -> SystemStyle:
    return SystemStyle(
        write=write,
        is_dated=dated,
        names_host=not plain,
        is_kernel_only=plain,
        outlives_boot=not plain,
    )


STYLES: Mapping[str, SystemStyle] = {
    "dmesg": _style(_dmesg, plain=True, dated=False),
    "dmesg -x": _style(_dmesg_decoded, plain=True, dated=False),
    "dmesg -T": _style(_dmesg_human, plain=True),
    "dmesg --time-format iso": _style(_dmesg_iso, plain=True),
    "journalctl": _style(_journal_short),
    "journalctl -o short-iso": _style(_journal_iso),
    "journalctl -o short-precise": _style(_journal_precise),
    "journalctl -o json": _style(_journal_json),
    "rsyslog": _style(_rsyslog_new),
    "rsyslog traditional": _style(_rsyslog_old),
}


def render(
    draft: SessionDraft, style: str, places: Sequence[int], *, is_relayed: bool
) -> dict[str, list[str]]:
    """Return file name → lines of the hosts' system logs: a file each, or one of a relay."""
    how = STYLES[style]
    if is_relayed and how.names_host:
        return _relayed(draft, how, places)
    found: dict[str, list[str]] = {}
    for place in places:
        host = draft.rig.hosts[place]
        lines = [one for one in draft.system if one.place == place and _is_kept(draft, how, one)]
        lines.sort(key=lambda one: one.at)
        name = "dmesg" if how.is_kernel_only else "messages"
        found[f"{host.name}/{name}.log"] = [how.write(draft, host, one) for one in lines]
    return {name: lines for name, lines in found.items() if lines}


def _relayed(draft: SessionDraft, how: SystemStyle, places: Sequence[int]) -> dict[str, list[str]]:
    """Return one file in the order in which lines came to a relay, some hosts' late."""
    late = {place: draft.rng.choice((0, 0, 0.5, 15, 90)) for place in places}
    lines = [one for one in draft.system if one.place in late and _is_kept(draft, how, one)]
    lines.sort(key=lambda one: one.at + late[one.place])
    written = [how.write(draft, draft.rig.hosts[one.place], one) for one in lines]
    return {"relay/messages.log": written} if written else {}


def _is_kept(draft: SessionDraft, how: SystemStyle, line: HostLine) -> bool:
    if how.is_kernel_only and line.tag != "kernel":
        return False
    back = draft.rebooted.get(line.place)
    if not how.outlives_boot and back is not None and line.at < back:
        return False
    gone = draft.silent_after.get(line.place, float("inf"))
    return line.at <= gone or (back is not None and line.at >= back)
