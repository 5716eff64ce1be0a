"""What the kernel said during a run, as `journalctl -o short-iso` prints it on a node."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

RECORD = re.compile(r"\d+,(?P<number>\d+),(?P<micros>\d+),[^;]*;(?P<text>[^\n]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLine:
    """One line, at seconds since the epoch."""

    at: float
    text: str

    def on(self, host: str) -> str:
        """Return it as the journal of a host has it."""
        stamp = datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%dT%H:%M:%S+0000")
        return f"{stamp} {host} kernel: {self.text}"


def newest() -> int:
    """Return the number of the newest record."""
    return max((number for number, _, _ in _records()), default=-1)


def lines_after(number: int) -> list[KernelLine]:
    """Return what was said after a record."""
    booted = _booted_at()
    return [
        KernelLine(at=booted + micros / 1e6, text=text)
        for each, micros, text in _records()
        if each > number
    ]


def _booted_at() -> float:
    now = datetime.now(UTC).timestamp()  # noqa: TID251  beside the kernel's own clock
    return now - float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])


def _records() -> Iterator[tuple[int, int, str]]:
    opened = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with suppress(BlockingIOError):
            while True:
                yield from _record(opened)
    finally:
        os.close(opened)


def _record(opened: int) -> Iterator[tuple[int, int, str]]:
    # A record that was overwritten while it was read is a broken pipe; the next one is there.
    with suppress(BrokenPipeError):
        found = RECORD.match(os.read(opened, 8192).decode(errors="replace"))
        if found:
            yield int(found["number"]), int(found["micros"]), found["text"]
