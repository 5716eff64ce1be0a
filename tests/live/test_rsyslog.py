"""A real rsyslog hands lines to the relay with the pasted text, and that to the portal."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Pause

import pytest
from pytest_django.live_server_helper import LiveServer

from apps.diagnosis.model import Origin, Stream
from apps.diagnosis.signatures.read import read_source
from apps.telemetry.models import Event
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast
from tests.live.gate import Gate
from tests.live.kept_lines import count_of, running, waited_for
from tests.live.kernel_lines import XID
from tests.live.relay import BINARY, HAS_HTTP, Relay
from tests.live.serving import free_port

pytestmark = pytest.mark.sweep
RSYSLOG = shutil.which("rsyslogd") or shutil.which("/usr/sbin/rsyslogd") or ""
needs_rsyslog = pytest.mark.skipif(
    not RSYSLOG, reason="no rsyslog on this machine: install the package `rsyslog` to try it"
)
needs_relay = pytest.mark.skipif(
    not BINARY or not HAS_HTTP,
    reason="no syslog-ng with its module http: install `syslog-ng-mod-http` to try the relay",
)
CONFIG = """
global(workDirectory="{folder}")
module(load="imudp")
input(type="imudp" address="127.0.0.1" port="{port}")
"""
FORWARD = (
    'action(type="omfwd" target="127.0.0.1" port="{port}" protocol="udp" template="{template}")'
)
TEMPLATE = "RSYSLOG_SyslogProtocol23Format"
WHY = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
TRACE = f'Traceback (most recent call last):\n  File "/app/train.py", line 5, in step\n{WHY}'


class Rsyslog:
    """A daemon that takes lines as a kernel's or a program's, and does what it is told to."""

    def __init__(self, folder: Path, action: str) -> None:
        self.port, self.log, self.config = free_port(), folder / "log", folder / "rsyslog.conf"
        self.config.write_text(CONFIG.format(folder=folder, port=self.port) + action + "\n")
        self.pid = folder / "pid"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run it until the block ends."""
        with running([RSYSLOG, "-n", "-f", str(self.config), "-i", str(self.pid)], log=self.log):
            pause, entry = Pause(), f"0100007F:{self.port:04X}"
            for _ in range(400):
                if entry in Path("/proc/net/udp").read_text():
                    break
                pause.wait(0.05)
            yield

    def say(self, text: str) -> None:
        """Send one message in the old form, as programs on its host do."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(text.encode(), ("127.0.0.1", self.port))

    def told(self) -> str:
        """Return what it said of itself."""
        return self.log.read_text(errors="replace")[-2000:]


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


@needs_rsyslog
@needs_relay
@pytest.mark.django_db(transaction=True)
def test_an_xid_of_its_kernel_arrives_through_the_relay(
    tmp_path: Path, people: Cast, live_server: LiveServer
) -> None:
    (tmp_path / "relay").mkdir()
    gate = Gate(behind=live_server.url)
    relay = Relay(tmp_path / "relay", people, gate.url)
    daemon = Rsyslog(tmp_path, FORWARD.format(port=relay.port, template=TEMPLATE))

    with gate.opened(), relay.running(), daemon.running():
        daemon.say(f"<3>Nov 22 10:00:00 gpu017 kernel: {XID}")
        waited_for(
            people.operator,
            lambda found: count_of(found, "kernel") == 1,
            why=lambda: daemon.told() + relay.told(),
        )

    with organization_scope(people.operator.pk):
        (event,) = Event.objects.filter(role="initiating")
    assert (event.host, event.body["fields"]["xid"]) == ("gpu017", "79")


@needs_rsyslog
def test_a_traceback_in_one_message_is_read_from_its_file(tmp_path: Path) -> None:
    kept = tmp_path / "train.log"
    daemon = Rsyslog(tmp_path, f'action(type="omfile" file="{kept}")')
    with daemon.running():
        daemon.say(f"<11>Nov 22 10:00:00 gpu017 train[7]: training failed\n{TRACE}")
        pause = Pause()
        for _ in range(400):
            if kept.exists() and kept.read_text().endswith("\n"):
                break
            pause.wait(0.05)
    text = kept.read_text()
    assert "#012" in text

    origin = Origin(source="log", stream=Stream.SESSION)
    told, printed = (
        [
            each
            for each in read_source(origin=origin, text=one).events
            if each.signature == "cuda-ecc"
        ]
        for one in (text, TRACE)
    )
    assert [each.fields for each in told] == [each.fields for each in printed]
    assert [(each.line.host, each.line.pid, each.line.text) for each in told] == [
        ("gpu017", 7, WHY)
    ]
