"""Small logs of one host, each printed in a zone and a dialect of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

HOST = "gpu07"
STOP = datetime(2026, 11, 12, 13, 7, 5)  # noqa: DTZ001  in UTC; machines print local time
XID = timedelta(seconds=-3)
LOST = (
    "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
)
QUIET = 'audit: type=1400 audit(1.2:3): apparmor="STATUS"'
BOOT = STOP - timedelta(days=4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What a kernel said, so long after the session's stop."""

    after: timedelta
    text: str = LOST


def _offset(zone: timedelta) -> str:
    minutes = round(zone.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def kernel(*, style: str, zone: timedelta, lines: Sequence[Line], stop: datetime = STOP) -> str:
    """Return a kernel log whose clock shows so much more than UTC."""
    return "".join(_kernel_line(style, zone, stop, one) + "\n" for one in lines)


def _kernel_line(style: str, zone: timedelta, stop: datetime, one: Line) -> str:
    at = stop + one.after
    shown = at + zone
    uptime = (at - BOOT).total_seconds()
    styles = {
        "short-iso": f"{shown:%Y-%m-%dT%H:%M:%S}{_offset(zone)} {HOST} kernel: {one.text}",
        "short-iso-basic": f"{shown:%Y-%m-%dT%H:%M:%S}{_offset(zone).replace(':', '')} {HOST} kernel: {one.text}",  # noqa: E501  a line of a log
        "syslog": f"{shown:%b} {shown.day:2d} {shown:%H:%M:%S} {HOST} kernel: {one.text}",
        "dmesg-T": f"[{shown:%a %b} {shown.day:2d} {shown:%H:%M:%S %Y}] {one.text}",
        "uptime": f"[{uptime:12.6f}] {one.text}",
    }
    return styles[style]


def session(*, style: str, zone: timedelta, stop: datetime = STOP) -> str:
    """Return a session's log whose clock shows so much more than UTC, and states no zone."""
    shown = stop + zone
    begun, stepped = shown - timedelta(minutes=17), shown - timedelta(seconds=35)
    torn = shown + timedelta(seconds=4)
    styles = {
        "nccl": (
            f"[{begun:%Y-%m-%d %H:%M:%S}] {HOST}:2100:2300 [0] NCCL INFO Bootstrap: Using ens3:10.4.0.10<0>\n"  # noqa: E501  a line of a log
            f" [{stepped:%Y-%m-%d %H:%M:%S}] iteration      900/    1000 | elapsed time per iteration (ms): 11940.1 | lm loss: 2.31E+00 |\n"  # noqa: E501  a line of a log
            f"[{shown:%Y-%m-%d %H:%M:%S}] {HOST}:2103:2303 [3] misc/socket.cc:57 NCCL WARN socketProgress: Connection closed by remote peer {HOST}<40161>\n"  # noqa: E501  a line of a log
        ),
        "c10d": (
            f" [{stepped:%Y-%m-%d %H:%M:%S}] iteration      900/    1000 | elapsed time per iteration (ms): 11940.1 | lm loss: 2.31E+00 |\n"  # noqa: E501  a line of a log
            f"[rank3]:[E{shown.month}{shown.day:02} {shown:%H:%M:%S}.113113113 ProcessGroupNCCL.cpp:2068] [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: CUDA error: unspecified launch failure\n"  # noqa: E501  a line of a log
        ),
        "torchrun": (
            f"[{begun:%Y-%m-%d %H:%M:%S}] {HOST}:2100:2300 [0] NCCL INFO Bootstrap: Using ens3:10.4.0.10<0>\n"  # noqa: E501  a line of a log
            f"[rank3]:[E{shown.month}{shown.day:02} {shown:%H:%M:%S}.113113113 ProcessGroupNCCL.cpp:2068] [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: CUDA error: unspecified launch failure\n"  # noqa: E501  a line of a log
            f"W{torn.month}{torn.day:02} {torn:%H:%M:%S}.000000 2000 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 2100 closing signal SIGTERM\n"  # noqa: E501  a line of a log
            f"E{torn.month}{torn.day:02} {torn:%H:%M:%S}.900000 2000 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 3 (pid: 2103) of binary: /usr/bin/python3\n"  # noqa: E501  a line of a log
        ),
    }
    return styles[style]
