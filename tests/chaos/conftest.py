"""A running portal on servers that the test may kill, and a sender that never gives up."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from threading import Event
from time import monotonic
from typing import Any

import psycopg
import pytest
import requests
import zstandard

from apps.operations.servers import embedded, embedded_valkey, private_sockets
from apps.operations.servers.processes import Child
from tests.running import environment, manage, portal, processes_of, read_until

BATCHES = 40
LINES_EACH = 50


@dataclass(slots=True)
class Stack:
    """One installation: its servers, its variables, and what was acknowledged."""

    var: Path
    variables: Mapping[str, str]
    postgres: Child
    valkey: Child
    token: str = field(default="", repr=False)
    acknowledged: set[int] = field(default_factory=set)
    refusals: list[int] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator["Popen[str]"]:
        """Run the portal's own processes on the servers until the block ends."""
        with portal(self.var, self.variables) as process:
            said = read_until(process, "Faultline is up")
            assert "Faultline is up" in said, said
            yield process

    def push_all(self, *, meanwhile: Callable[[int], object]) -> None:
        """Push every batch until it is acknowledged, calling back after each."""
        for number in range(BATCHES):
            self.push(number)
            meanwhile(number)

    def push(self, number: int) -> None:
        """Push one batch until it is acknowledged; only 503 and a closed port are excused."""
        limit = monotonic() + 60
        while not self._is_acknowledged(number):
            assert monotonic() < limit, f"the portal did not recover: {self.refusals[-5:]}"
            Event().wait(0.5)
        self.acknowledged.add(number)

    def ask(self, statement: str) -> list[Any]:
        """Return a column that the server's owner sees: no policy hides rows from it."""
        where = str(private_sockets.socket_directory(var=self.var))
        with psycopg.connect(host=where, user="postgres", dbname="portal") as server:
            return [value for (value,) in server.execute(statement.encode())]

    def stored_lines(self) -> list[int]:
        """Return the number of each line that is kept, as often as it is kept."""
        bodies = self.ask("SELECT body FROM telemetry_logchunk")
        text = b"".join(zstandard.decompress(body) for body in bodies)
        return sorted(int(number) for number in re.findall(rb"pid=(\d+)", text))

    def wait_until_read(self, *, seconds: float) -> None:
        """Return once no accepted batch waits."""
        waiting = "SELECT count(*) FROM telemetry_batch WHERE state = 'accepted'"
        limit = monotonic() + seconds
        while self.ask(waiting) != [0] and monotonic() < limit:
            Event().wait(0.5)
        assert self.ask(waiting) == [0]

    def empty_broker(self) -> None:
        """Make the queue forget everything: kill it, and start it again on nothing."""
        self.valkey.process.kill()
        self.valkey.process.wait()
        shutil.rmtree(self.var / "valkey")
        self.valkey = Child(embedded_valkey.valkey(var=self.var))
        self.valkey.wait_ready(seconds=30, pause=Event())

    def restart_postgres(self) -> None:
        """Kill the database without a word and start it again after two seconds."""
        self.postgres.process.kill()
        self.postgres.process.wait()
        Event().wait(2)
        self.postgres = Child(embedded.postgres(var=self.var))

    def process(self, words: str, *, is_child_of: str = "") -> int:
        """Return the number of the process with these words in its command line."""
        found = processes_of(self.var)
        parents = {pid for pid, line in found.items() if is_child_of and is_child_of in line}
        return next(
            pid
            for pid, line in found.items()
            if words in line and (not is_child_of or _parent(pid) in parents)
        )

    def _is_acknowledged(self, number: int) -> bool:
        try:
            answer = requests.post(
                f"{self.variables['PORTAL_BASE_URL']}/api/v1/logs",
                params={"stream": "kernel", "host": f"gpu{number % 4 + 1:03d}"},
                headers={"Authorization": f"Bearer {self.token}"},
                data=body_of(number),
                timeout=15,
            )
        except requests.RequestException:
            self.refusals.append(0)
            return False
        if answer.status_code != 200:
            self.refusals.append(answer.status_code)
            assert answer.status_code == 503, answer.text
            assert int(answer.headers["Retry-After"]) > 0
        return answer.status_code == 200


def body_of(number: int) -> str:
    """Return lines that occur nowhere else, each of them an event."""
    return "".join(
        f"2026-11-21T02:{number:02d}:{line:02d}+00:00 gpu{number % 4 + 1:03d} kernel: NVRM: Xid "
        f"(PCI:0000:1b:00): 79, pid={number * LINES_EACH + line}, GPU has fallen off the bus.\n"
        for line in range(LINES_EACH)
    )


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """Return servers with the roles, a schema, one operator and its token."""
    postgres, valkey = (
        Child(embedded.postgres(var=tmp_path)),
        Child(embedded_valkey.valkey(var=tmp_path)),
    )
    made = Stack(
        var=tmp_path,
        variables=environment(
            tmp_path,
            {
                "PORTAL_DATABASE_URL": private_sockets.database_url(
                    var=tmp_path, role="portal_app"
                ),
                "PORTAL_OWNER_DATABASE_URL": private_sockets.database_url(
                    var=tmp_path, role="portal_owner"
                ),
                "PORTAL_REDIS_URL": private_sockets.redis_url(var=tmp_path),
                "PORTAL_SECRET_KEYS": "k" * 50,
            },
        ),
        postgres=postgres,
        valkey=valkey,
    )
    for server in (postgres, valkey):
        server.wait_ready(seconds=30, pause=Event())
    embedded.provision(var=tmp_path)
    manage("migrate", "--database", "owner", variables=made.variables)
    said = manage(
        *("setup", "--cluster", "meridian", "--organization", "aurora"),
        *("--part", "operator", "--token", "chaos"),
        variables=made.variables,
    )
    made.token = said.rpartition("token chaos: ")[2].strip()
    yield made
    for server in (made.valkey, made.postgres):
        server.stop()


def _parent(pid: int) -> int:
    status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return int(status.rpartition(")")[2].split()[1])
