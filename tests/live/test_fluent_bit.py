"""A real Fluent Bit, with the text that is pasted: a journal, files of ranks, and a bad network."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import time

import pytest
import yaml
from pytest_django.live_server_helper import LiveServer

from apps.telemetry.models import Event
from apps.telemetry.snippets.agents import SESSIONS, Wanted, agent_of, filled
from apps.tenancy.scope import organization_scope
from tests.api.receivers.pushing import Cast, cast
from tests.live.gate import LOST, Gate
from tests.live.journal import WRITER, write_journal
from tests.live.kept_lines import Kept, count_of, running, waited_for

BINARY = shutil.which("fluent-bit")
needs_journal = pytest.mark.skipif(
    not WRITER,
    reason="no systemd-journal-remote to write a journal with: install the package to do so",
)
pytestmark = [
    pytest.mark.skipif(
        not BINARY,
        reason="no fluent-bit on the PATH: its text was read as YAML alone; install Fluent Bit "
        "3.2 or newer to try the program itself",
    ),
    pytest.mark.django_db(transaction=True),
]
XID = b"NVRM: Xid (PCI:0000:18:00): 79, pid=1234, name=python, GPU has fallen off the bus."
ODD = b'caf\xe9 \x1b[31mred\x1b[0m "quoted" \\ back\ttab\n\n  indented like a traceback\n'


class Agent:
    """The pasted text in a folder of its own, with a journal and sessions to read."""

    def __init__(self, folder: Path, people: Cast, base: str) -> None:
        token = people.token(people.operator)
        wanted = Wanted(base=base, cluster=people.cluster.slug, token=token)
        self.folder, self.log = folder, folder / "log"
        pasted = filled(agent=agent_of(key="fluent-bit"), wanted=wanted)
        pasted = pasted.replace(SESSIONS, str(folder / "sessions"))
        self.said = yaml.safe_load(pasted.replace("/var/lib/fluent-bit", str(folder)))
        self.said["pipeline"]["inputs"][0]["path"] = str(folder / "journal")
        self.said["service"]["scheduler.cap"] = 2  # the test's patience
        (folder / "journal").mkdir()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run it until the block ends."""
        config = self.folder / "fluent-bit.yaml"
        config.write_text(yaml.safe_dump(self.said))
        with running([str(BINARY), f"--config={config}"], log=self.log, HOSTNAME="gpu017"):
            yield

    def write(self, name: str, text: bytes) -> None:
        """Append to a file of a session."""
        path = self.folder / "sessions" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        with path.open("ab") as file:
            file.write(text)

    def told(self) -> str:
        """Return what it said of itself."""
        return self.log.read_text(errors="replace")[-3000:]


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


@pytest.fixture
def gate(live_server: LiveServer) -> Gate:
    """A door before the portal, still shut."""
    return Gate(behind=live_server.url)


@needs_journal
def test_lines_come_under_their_host_and_session(tmp_path: Path, people: Cast, gate: Gate) -> None:
    agent, began = Agent(tmp_path, people, gate.url), int(time()) - 60
    lines = [XID, b"caf\xe9 in the kernel", b"two\nlines"]
    write_journal(folder=tmp_path / "journal", host="gpu017", lines=lines, at=began)
    agent.write("run-7/rank3.log", b"step 1\n" * 3 + ODD)
    agent.write("run-7/notes.txt", b"not a rank's\n")

    with gate.opened(), agent.running():
        found = waited_for(people.operator, lambda all_: count_of(all_) >= 9, why=agent.told)

    voices = [(each.kind, each.host, each.session, each.rank) for each in found]
    assert voices == [("kernel", "gpu017", "", None), ("session", "gpu017", "run-7", 3)]
    kernel, session = found
    # It writes a byte that is no UTF-8 as a letter of its own: U+E000 and the byte.
    assert kernel.texts == [XID.decode(), "caf\ue0e9 in the kernel", "two", "lines"]
    assert kernel.lines[0].at is not None
    assert kernel.lines[0].at.timestamp() == began
    odd = ODD.decode("latin-1").replace("\xe9", "\ue0e9")
    assert session.texts == ["step 1"] * 3 + odd.split("\n")[:-1]
    with organization_scope(people.operator.pk):
        (event,) = Event.objects.filter(role="initiating")
    assert (event.host, event.body["fields"]["xid"]) == ("gpu017", "79")


def test_the_portal_may_restart_refuse_and_lose_an_answer_and_the_agent_restart(
    tmp_path: Path, people: Cast, gate: Gate
) -> None:
    agent, count = Agent(tmp_path, people, gate.url), 0

    def write(more: int) -> None:
        nonlocal count
        agent.write("run-7/rank0.log", b"the same line\n" * more)
        count += more

    def all_of_them() -> list[Kept]:
        return waited_for(people.operator, lambda each: count_of(each) >= count, why=agent.told)

    with ExitStack() as first:
        first.enter_context(gate.opened())
        with agent.running():
            write(20)
            all_of_them()
            gate.answers.extend((503, 429, LOST, 500))
            write(20)
            all_of_them()
            first.close()
            write(20)
        with agent.running(), gate.opened():
            write(20)
            found = all_of_them()

    assert [status for status, _ in gate.told if status >= 400] == [503, 429, 500]
    assert [len(each.lines) for each in found] == [80]
