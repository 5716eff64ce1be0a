"""The forms in which tools print what a kernel said."""

from datetime import UTC, datetime
from typing import Any

import pytest

from apps.diagnosis.logs.parse import parse
from apps.diagnosis.model import LogLine, Origin, Stream

SAID = "NVRM: Xid (PCI:0000:b7:00): 79, GPU has fallen off the bus."
EIGHTEEN = datetime(2026, 11, 8, 18, 12, 44, tzinfo=UTC)
LOCAL = datetime(2026, 11, 9, 3, 12, 44)  # noqa: DTZ001  as printed


def read(prefix: str) -> LogLine:
    return parse(text=prefix + SAID, origin=Origin(source="kernel"), number=1)


@pytest.mark.parametrize(
    ("prefix", "dialect", "facts"),
    [
        ("[  +0.000844] ", "dmesg_delta", {"at": None, "uptime_seconds": None}),
        ("[Nov 9 03:12] ", "dmesg_delta", {"at": None, "local_at": None}),
        ("[Nov  9 03:12] ", "dmesg_delta", {"local_at": None}),
        ("kern  :warn  : [ 1843.308145] ", "dmesg_uptime", {"uptime_seconds": 1843.308145}),
        ("kern  :err   : [Mon Nov  9 03:12:44 2026] ", "dmesg_time", {"local_at": LOCAL}),
        ("2026-11-09T03:12:44,000000+09:00 ", "dmesg_iso_bare", {"at": EIGHTEEN}),
        ("[ 1843.308145] n12 kernel: ", "journald_monotonic", {"host": "n12"}),
        ("[Mon Nov  9 03:12:44 2026] n12 kernel: ", "dmesg_time", {"host": "n12"}),
        ("Mon 2026-11-09 03:12:44 KST n12 kernel: ", "journald_short_full", {"at": EIGHTEEN}),
        ("Sun 2026-11-08 18:12:44 UTC n12 kernel: ", "journald_short_full", {"at": EIGHTEEN}),
        ("Mon 2026-11-09 03:12:44 +09 n12 kernel: ", "journald_short_full", {"at": EIGHTEEN}),
        ("Mon 2026-11-09 03:12:44 CST n12 kernel: ", "journald_short_full", {"local_at": LOCAL}),
        ("1794161564.000000 n12 kernel: ", "journald_short_full", {"at": EIGHTEEN, "host": "n12"}),
    ],
)
def test_a_form_of_kernel_log_gives_its_facts(
    prefix: str, dialect: str, facts: dict[str, Any]
) -> None:
    line = read(prefix)
    assert (line.text, line.dialect, line.stream) == (SAID, dialect, Stream.KERNEL)
    assert {name: getattr(line, name) for name in facts} == facts


def test_a_service_in_the_journal_keeps_its_name() -> None:
    text = "Mon 2026-11-09 03:12:44 UTC n12 systemd-logind[801]: System is rebooting."
    line = parse(text=text, origin=Origin(source="journal"), number=1)
    assert (line.text, line.pid) == ("systemd-logind[801]: System is rebooting.", 801)
    assert line.stream is None


def test_a_driver_is_no_host() -> None:
    text = "[ 1843.308145] mlx5_core 0000:98:00.0: mlx5_pcie_event:299:(pid 9): power"
    line = parse(text=text, origin=Origin(source="kernel"), number=1)
    assert (line.host, line.dialect) == (None, "dmesg_uptime")
