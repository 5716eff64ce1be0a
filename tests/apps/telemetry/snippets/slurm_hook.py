"""Slurm's hook as it is pasted, beside stand-ins of Slurm's programs and of the portal."""

import json
import os
import subprocess
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from apps.telemetry.snippets.agents import SnippetRequest, filled
from tests.apps.telemetry.snippets.agent_by_key import agent_of
from tests.live.serving import free_port

TOKEN = "flt_x"  # noqa: S105  opens nothing
SECONDS = 60  # nothing takes that long: met only by what never comes
SCONTROL = """#!/bin/sh
case "$*" in
  "show config") echo "SlurmUser               = $(id -un)(0)" ;;
  *) cat "${0%/*}/scontrol.out" ;;
esac
"""
SACCT = '#!/bin/sh\ncat "${0%/*}/sacct.out"\n'
LOGGER = '#!/bin/sh\nfor last; do :; done; echo "$last" >> "${0%/*}/logged"\n'


@dataclass(slots=True)
class Portal:
    """Takes what is sent; `answers` are the next statuses, and 200 without any."""

    port: int = field(default_factory=free_port)
    answers: deque[int] = field(default_factory=deque)
    sent: Queue[tuple[str, str, Any]] = field(default_factory=Queue)

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Listen until the block ends."""
        server = _Server(self)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def events(self, count: int) -> list[dict[str, Any]]:
        """Return so many events that came, waiting for them."""
        found: list[dict[str, Any]] = []
        while len(found) < count:
            found += self.sent.get(timeout=SECONDS)[2]["events"]
        return found


class _Handler(BaseHTTPRequestHandler):
    """One request of the sender."""

    server: "_Server"

    def do_POST(self) -> None:
        portal = self.server.portal
        body = self.rfile.read(int(self.headers["Content-Length"]))
        portal.sent.put((self.path, self.headers["Authorization"], json.loads(body)))
        self.send_response(portal.answers.popleft() if portal.answers else 200)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(b'{"detail": "project `moon` is mapped to nobody"}')

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  named by the library
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, portal: Portal) -> None:
        super().__init__(("127.0.0.1", portal.port), _Handler)
        self.portal = portal


@dataclass(frozen=True, slots=True)
class Hook:
    """The hook in a folder of its own."""

    folder: Path

    @property
    def spool(self) -> Path:
        """Return where it keeps what waits."""
        return self.folder / "spool"

    def run(self, facts: Mapping[str, str | bytes]) -> None:
        """Run it as Slurm does: with nothing but its facts, and success is all that counts."""
        told = {os.fsencode(name): os.fsencode(value) for name, value in facts.items()}
        done = subprocess.run(  # noqa: S603  the tests' own
            [self.folder / "faultline-hook"], env=told, check=False, timeout=SECONDS
        )
        assert done.returncode == 0

    def waiting(self) -> list[str]:
        """Return what is kept and was neither taken nor refused."""
        kept = [*(self.spool / "new").iterdir(), *(self.spool / "out").iterdir()]
        return sorted(path.name for path in kept)

    def says(self, program: str, text: str) -> None:
        """Let a program of Slurm answer this."""
        (self.folder / f"{program}.out").write_text(text)

    def logged(self) -> list[str]:
        """Return what went to the system's log."""
        log = self.folder / "logged"
        return log.read_text().splitlines() if log.exists() else []

    def module(self) -> Any:
        """Return the sending program, to be called in this process."""
        loader = SourceFileLoader("faultline_sender", str(self.folder / "faultline-sender"))
        spec = spec_from_loader("faultline_sender", loader)
        assert spec is not None
        module = module_from_spec(spec)
        loader.exec_module(module)
        return module


def installed(folder: Path, base: str, cluster: str = "meridian", token: str = TOKEN) -> Hook:
    """Paste the text into a shell whose folders are below this one."""
    for name, text in (("scontrol", SCONTROL), ("sacct", SACCT), ("logger", LOGGER)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    hook = Hook(folder)
    hook.says("sacct", "")
    hook.says("scontrol", "")
    text = filled(
        agent=agent_of(key="slurm"), wanted=SnippetRequest(base=base, cluster=cluster, token=token)
    )
    for there, here in (("/etc/slurm", folder), ("/var/spool/faultline", folder / "spool")):
        text = text.replace(there, str(here))
    text = text.replace("SETTLES = 2 ", "SETTLES = 0 ").replace("PAUSE = 1 ", "PAUSE = 0.1 ")
    done = subprocess.run(
        ["/bin/sh"],
        input=text,
        text=True,
        env={"PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        check=False,
        timeout=SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"PrologSlurmctld={folder}/faultline-hook" in done.stdout
    return hook
