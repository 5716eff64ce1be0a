"""Hooks and commands that are pasted, run for real. Slurm's has a file of its own."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
import requests
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import Attempt, Node
from apps.telemetry.models import LogStream
from apps.telemetry.snippets.agents import SnippetRequest, filled
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.snippets.agent_by_key import agent_of
from tests.cast.pushes import Cast, cast, drain_all
from tests.live.serving import free_port


def attempt_of(people: Cast) -> Attempt:
    """Return the tenant's only attempt."""
    with organization_scope(people.tenant.pk):
        return Attempt.objects.select_related("session").get()


@contextmanager
def relaying(*, text: str, folder: Path) -> Iterator[str]:
    """Run Backend.AI's hook; yield its address."""
    port = free_port()
    script = folder / "relay.py"
    script.write_text(text)
    environment = {"PATH": os.environ["PATH"], "FAULTLINE_CALLBACK_PORT": str(port)}
    process = subprocess.Popen([sys.executable, str(script)], env=environment)  # noqa: S603
    pause = Event()
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)):
                    break
            pause.wait(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.mark.django_db(transaction=True)
def test_callbacks_of_backend_ai_become_a_session(tmp_path: Path, live_server: LiveServer) -> None:
    people = cast()
    wanted = SnippetRequest(
        base=live_server.url, cluster=people.cluster.slug, token=people.token(people.platform)
    )
    text = filled(agent=agent_of(key="backend-ai"), wanted=wanted)
    said = {"type": "session_lifecycle", "session_id": "5b8efff7-9803-4103-a269-b633813fc60c"}

    with relaying(text=text, folder=tmp_path) as url:
        for event, minute in (("enqueued", 0), ("started", 1), ("failure", 9), ("terminated", 9)):
            when = f"2026-11-21T01:{minute:02}:00.250000+00:00"
            body = {**said, "event": event, "when": when}
            answer = requests.post(f"{url}/?project=solar", json=body, timeout=30)
            assert answer.status_code == 202
        pause = Event()
        for _ in range(600):
            with organization_scope(people.tenant.pk):
                told = Attempt.objects.filter(state="failed", started_at__isnull=False)
                if told.exists():
                    break
            pause.wait(0.1)

    attempt = attempt_of(people)
    assert (attempt.state, attempt.session.scheduler) == ("failed", "backend.ai")
    assert attempt.ended_at is not None


JOURNAL = "#!/bin/sh\necho '2026-11-21T01:00:00.000000+0000 x kernel: usb 1-1: new device'\n"


@pytest.mark.skipif(
    not shutil.which("curl"), reason="no curl on this machine: install the package `curl`"
)
@pytest.mark.django_db(transaction=True)
def test_what_is_sent_by_hand_arrives(tmp_path: Path, live_server: LiveServer) -> None:
    people = cast()
    (tmp_path / "journalctl").write_text(JOURNAL)
    (tmp_path / "journalctl").chmod(0o755)
    (tmp_path / "rank0.log").write_text("step 1\n")
    wanted = SnippetRequest(
        base=live_server.url, cluster=people.cluster.slug, token=people.token(people.operator)
    )

    for key in ("inventory", "curl"):
        text = filled(agent=agent_of(key=key), wanted=wanted)
        done = subprocess.run(
            ["/bin/sh", "-e"],
            input=text,
            text=True,
            cwd=tmp_path,
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr

    assert drain_all(people.operator) == 2
    with organization_scope(people.operator.pk):
        assert set(Node.objects.values_list("name", flat=True)) >= {"gpu001", "gpu002"}
        kinds = LogStream.objects.values_list("kind", flat=True)
        assert sorted(kinds) == ["kernel", "session"]
