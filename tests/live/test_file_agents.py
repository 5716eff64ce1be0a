"""Real Fluent Bit and Promtail, with the texts that are pasted: a journal, files of ranks, and a
bad network."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any

import pytest
import yaml
from pytest_django.live_server_helper import LiveServer

from apps.telemetry.models import Event
from apps.telemetry.snippets.agents import SESSIONS, SnippetRequest, filled
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.snippets.agent_by_key import agent_of
from tests.cast.pushes import Cast, cast
from tests.live.gate import LOST, Gate
from tests.live.journal import WRITER, write_journal
from tests.live.kept_lines import Kept, count_of, running, waited_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sweep]
needs_journal = pytest.mark.skipif(
    not WRITER,
    reason="no program to write a journal with, so that the kernel's log was not tried; install "
    "the package `systemd-journal-remote` to do so",
)
HOST = "gpu017"
XID = b"NVRM: Xid (PCI:0000:18:00): 79, pid=1234, name=python, GPU has fallen off the bus."
ODD = b'caf\xe9 \x1b[31mred\x1b[0m "quoted" \\ back\ttab\n\n  indented like a traceback\n'
Said = dict[str, Any]


def fluent_bit(said: Said, folder: Path) -> None:
    """Let Fluent Bit's text read this folder's journal, and wait no longer than a test does."""
    said["pipeline"]["inputs"][0]["path"] = str(folder / "journal")
    said["service"]["scheduler.cap"] = 2


def promtail(said: Said, folder: Path) -> None:
    """Let Promtail's text read this folder's journal, look often for files, and listen nowhere."""
    said["server"] = {"disable": True}
    said["clients"][0] |= {"backoff_config": {"min_period": "200ms", "max_period": "1s"}}
    said["positions"]["sync_period"] = "500ms"
    said["target_config"] = {"sync_period": "500ms"}
    said["scrape_configs"][0]["journal"]["path"] = str(folder / "journal")


@dataclass(frozen=True, kw_only=True)
class Program:
    """An agent that reads files and the journal."""

    key: str
    arguments: Callable[[Path], Sequence[str]]
    adapt: Callable[[Said, Path], None]
    bad_byte: str  # what it makes of a byte that is no UTF-8


FLUENT_BIT = Program(
    key="fluent-bit",
    arguments=lambda config: [f"--config={config}"],
    adapt=fluent_bit,
    bad_byte="\ue0e9",  # a letter of its own: U+E000 and the byte
)
PROMTAIL = Program(
    key="promtail",
    arguments=lambda config: [f"-config.file={config}", "-config.expand-env=true"],
    adapt=promtail,
    bad_byte="\ufffd",
)


def _param(program: Program) -> object:
    reason = (
        f"no {program.key} on the PATH: its text was read as YAML alone; install it to try the "
        "program itself"
    )
    is_lacking = not shutil.which(program.key)
    return pytest.param(
        program, id=program.key, marks=pytest.mark.skipif(is_lacking, reason=reason)
    )


class Agent:
    """A program with its pasted text in a folder, and what is there to read."""

    def __init__(self, program: Program, folder: Path, people: Cast, base: str) -> None:
        token = people.token(people.operator)
        wanted = SnippetRequest(base=base, cluster=people.cluster.slug, token=token)
        pasted = filled(agent=agent_of(key=program.key), wanted=wanted)
        for place, here in ((SESSIONS, "/sessions"), (f"/var/lib/{program.key}", "")):
            pasted = pasted.replace(place, f"{folder}{here}")
        self.said = yaml.safe_load(pasted)
        self.program, self.folder, self.log = program, folder, folder / "log"
        program.adapt(self.said, folder)
        (folder / "journal").mkdir()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run it until the block ends."""
        config = self.folder / "config.yaml"
        config.write_text(yaml.safe_dump(self.said))
        command = [shutil.which(self.program.key) or "", *self.program.arguments(config)]
        with running(command, log=self.log, HOSTNAME=HOST):
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


@pytest.fixture(params=[_param(FLUENT_BIT), _param(PROMTAIL)])
def agent(request: pytest.FixtureRequest, tmp_path: Path, people: Cast, gate: Gate) -> Agent:
    """An agent that sends to the door."""
    return Agent(request.param, tmp_path, people, gate.url)


@needs_journal
def test_lines_come_under_their_host_and_session(agent: Agent, people: Cast, gate: Gate) -> None:
    began = int(time()) - 60
    lines = [XID, b"caf\xe9 in the kernel", b"two\nlines"]
    write_journal(folder=agent.folder / "journal", host=HOST, lines=lines, at=began)
    agent.write("run-7/rank3.log", b"step 1\n" * 3 + ODD)
    agent.write("run-7/notes.txt", b"not a rank's\n")

    with gate.opened(), agent.running():
        found = waited_for(people.operator, lambda each: count_of(each) >= 10, why=agent.told)

    bad = agent.program.bad_byte
    voices = [(each.kind, each.host, each.session, each.rank) for each in found]
    assert voices == [("kernel", HOST, "", None), ("session", HOST, "run-7", 3)]
    kernel, session = found
    assert kernel.texts == [XID.decode(), f"caf{bad} in the kernel", "two", "lines"]
    assert kernel.lines[0].at is not None
    assert kernel.lines[0].at.timestamp() == began
    odd = ODD.decode("latin-1").replace("\xe9", bad)
    assert session.texts == ["step 1"] * 3 + odd.split("\n")[:-1]
    with organization_scope(people.operator.pk):
        (event,) = Event.objects.filter(role="initiating")
    assert (event.host, event.body["fields"]["xid"]) == (HOST, "79")


def test_the_portal_may_restart_refuse_and_lose_an_answer_and_the_agent_restart(
    agent: Agent, people: Cast, gate: Gate
) -> None:
    count = 0

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
