"""A real syslog-ng with the pasted text: a relay of hosts, and what follows files."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Pause

from apps.telemetry.snippets.agents import SCHEDULER, SESSIONS, SnippetRequest, filled
from tests.apps.telemetry.snippets.agent_by_key import agent_of
from tests.cast.pushes import Cast
from tests.live.kept_lines import running
from tests.live.serving import free_port

BINARY = shutil.which("syslog-ng")
HAS_HTTP = any(Path("/usr/lib/syslog-ng").glob("*/libhttp.so"))
AT = "2026-11-22T10:00:00.123456+09:00"


class Relay:
    """A relay with the pasted text, which hosts send to by UDP, and a folder of sessions."""

    def __init__(
        self, folder: Path, people: Cast, base: str, *, scheduler: Path | None = None
    ) -> None:
        token = people.token(people.operator)
        wanted = SnippetRequest(base=base, cluster=people.cluster.slug, token=token)
        self.folder, self.port, self.log = folder, free_port(), folder / "log"
        pasted = filled(agent=agent_of(key="syslog-ng"), wanted=wanted)
        pasted = pasted.replace(SESSIONS, str(folder / "sessions"))
        pasted = pasted.replace(SCHEDULER, str(scheduler or folder / "slurmctld.log"))
        pasted = pasted.replace("disk-buffer(", f'disk-buffer(dir("{folder}") ')
        source = f'syslog(ip("127.0.0.1") port({self.port}) transport("udp") keep-hostname(yes))'
        (folder / "pasted").write_text(pasted)
        (folder / "syslog-ng.conf").write_text(
            f'@version: 3.35\nsource s_src {{ {source}; }};\n@include "{folder / "pasted"}"\n'
        )

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run it until the block ends."""
        where = {name: self.folder / name for name in ("persist-file", "control", "pidfile")}
        command = [
            str(BINARY),
            "--foreground",
            f"--cfgfile={self.folder / 'syslog-ng.conf'}",
            *(f"--{name}={path}" for name, path in where.items()),
        ]
        with running(command, log=self.log):
            self._wait_until_bound()
            yield

    def say(self, host: str, *lines: str) -> None:
        """Send kernel lines of a host."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for line in lines:
                said = f"<3>1 {AT} {host} kernel - - - {line}"
                sender.sendto(said.encode(), ("127.0.0.1", self.port))

    def write(self, name: str, text: bytes) -> None:
        """Append to a file of a session."""
        path = self.folder / "sessions" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        with path.open("ab") as file:
            file.write(text)

    def told(self) -> str:
        """Return what it said of itself."""
        return self.log.read_text(errors="replace")[-2000:]

    def wait_until_read(self) -> None:
        """Return once nothing that hosts sent waits in the socket."""
        pause = Pause()
        for _ in range(200):
            if self._waiting() == 0:
                return
            pause.wait(0.05)

    def _waiting(self) -> int:
        rows = [row.split() for row in Path("/proc/net/udp").read_text().splitlines()[1:]]
        return sum(int(row[4][9:], 16) for row in rows if row[1] == f"0100007F:{self.port:04X}")

    def _wait_until_bound(self) -> None:
        pause, entry = Pause(), f"0100007F:{self.port:04X}"
        for _ in range(400):
            if entry in Path("/proc/net/udp").read_text():
                return
            pause.wait(0.05)
        raise AssertionError(self.told())
