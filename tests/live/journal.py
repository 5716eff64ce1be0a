"""A journal of systemd with a kernel's lines, written by systemd's own program."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

WRITER = next(
    (
        found
        for name in ("systemd-journal-remote", "/usr/lib/systemd/systemd-journal-remote")
        if (found := shutil.which(name))
    ),
    "",
)


def write_journal(*, folder: Path, host: str, lines: Sequence[bytes], at: float) -> None:
    """Write a line a second from a Unix time on, and then one that is not the kernel's."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = [(b"kernel", line) for line in lines] + [(b"stdout", b"a service says this")]
    exported = b"".join(
        _entry(number, host.encode(), transport, line, round((at + number) * 1e6))
        for number, (transport, line) in enumerate(entries)
    )
    command = [WRITER, f"--output={folder / 'system.journal'}", "--split-mode=none", "-"]
    subprocess.run(command, input=exported, check=True, capture_output=True)  # noqa: S603  systemd's


def _entry(number: int, host: bytes, transport: bytes, line: bytes, at: int) -> bytes:
    fields = (
        (b"__REALTIME_TIMESTAMP", b"%d" % at),
        (b"__MONOTONIC_TIMESTAMP", b"%d" % (1_000_000 * (number + 1))),
        (b"_BOOT_ID", b"0123456789abcdef0123456789abcdef"),
        (b"_MACHINE_ID", b"fedcba9876543210fedcba9876543210"),
        (b"_TRANSPORT", transport),
        (b"_HOSTNAME", host),
        (b"SYSLOG_IDENTIFIER", b"kernel"),
        (b"PRIORITY", b"3"),
    )
    # The message as the format writes bytes: its length in eight of them, least first.
    said = b"MESSAGE\n" + len(line).to_bytes(8, "little") + line + b"\n"
    return b"".join(name + b"=" + value + b"\n" for name, value in fields) + said + b"\n"
