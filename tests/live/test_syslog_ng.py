"""A real syslog-ng, with the text that is pasted: a relay of kernel lines, and files of ranks."""

import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from apps.telemetry.models import Event
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast
from tests.live.gate import LOST, Gate
from tests.live.kept_lines import Kept, count_of, waited_for
from tests.live.kernel_lines import XID
from tests.live.relay import BINARY, HAS_HTTP, Relay

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(
        not BINARY or not HAS_HTTP,
        reason="no syslog-ng with its module http on this machine: its text was not tried; "
        "install the package `syslog-ng-mod-http` to do so",
    ),
    pytest.mark.django_db(transaction=True),
]
ODD = b'caf\xe9 \x1b[31mred\x1b[0m "quoted" \\ back\ttab\n\n  indented like a traceback\n'


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


@pytest.fixture
def gate(live_server: LiveServer) -> Gate:
    """A door before the portal, still shut."""
    return Gate(behind=live_server.url)


@pytest.mark.parametrize("base", ["https://portal.example/faultline", "http://127.0.0.1:8000"])
def test_it_takes_the_text(tmp_path: Path, people: Cast, base: str) -> None:
    Relay(tmp_path, people, base)
    command = [str(BINARY), "--syntax-only", f"--cfgfile={tmp_path / 'syslog-ng.conf'}"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603

    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr


def test_lines_come_under_their_host_and_session(tmp_path: Path, people: Cast, gate: Gate) -> None:
    relay = Relay(tmp_path, people, gate.url)
    relay.write("run-7/rank3.log", b"step 1\n" * 3 + ODD)

    with gate.opened(), relay.running():
        relay.say("gpu017", "pcieport 0000:00:01.0: AER: corrected", XID)
        relay.say("gpu018", XID)
        found = waited_for(people.operator, lambda all_: count_of(all_) == 8, why=relay.told)

    voices = [(each.kind, each.host, each.session, each.rank, len(each.lines)) for each in found]
    assert voices == [
        ("kernel", "gpu017", "", None, 2),
        ("kernel", "gpu018", "", None, 1),
        ("session", found[2].host, "run-7", 3, 5),
    ]
    assert [each.split('"message":"')[1].split('","host"')[0] for each in found[2].texts] == [
        *["step 1"] * 3,
        r"caf\\xe9 \u001b[31mred\u001b[0m \"quoted\" \\ back\ttab",
        "  indented like a traceback",
    ]
    with organization_scope(people.operator.pk):
        events = Event.objects.filter(role="initiating").order_by("host")
        told = [(each.host, each.body["fields"]["xid"], each.at) for each in events]
    assert [(host, xid, at and at.isoformat()) for host, xid, at in told] == [
        (host, "79", "2026-11-22T01:00:00.123456+00:00") for host in ("gpu017", "gpu018")
    ]


def test_the_portal_may_restart_refuse_and_lose_an_answer_and_the_relay_restart(
    tmp_path: Path, people: Cast, gate: Gate
) -> None:
    relay, numbers = Relay(tmp_path, people, gate.url), iter(range(1_000))

    def write(count: int) -> None:
        for _ in range(count):
            relay.write("run-7/rank0.log", b"the same line\n")
            relay.say("gpu017", f"line {next(numbers)} of the kernel")

    def all_of(count: int) -> list[Kept]:
        return waited_for(
            people.operator,
            lambda each: min(count_of(each, "session"), count_of(each, "kernel")) >= count,
            why=relay.told,
        )

    with ExitStack() as first:
        first.enter_context(gate.opened())
        with relay.running():
            write(20)
            all_of(20)
            gate.answers.extend((503, 429, LOST, 500))
            write(20)
            all_of(40)
            first.close()
            write(20)
            relay.wait_until_read()
        with relay.running(), gate.opened():
            found = all_of(60)

    assert [status for status, _ in gate.told if status >= 400] == [503, 429, 500]
    assert count_of(found, "session") == count_of(found, "kernel") == 60
    assert len(set(found[0].texts)) == 60
