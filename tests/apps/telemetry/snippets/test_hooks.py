"""The schedulers' hooks, run for real beside stand-ins of their schedulers."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import requests
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import Attempt, Node
from apps.telemetry.models import LogStream
from apps.telemetry.snippets.agents import Wanted, agent_of, filled
from apps.tenancy.scope import organization_scope
from tests.api.receivers.pushing import Cast, cast, drain_all, push_json
from tests.live.serving import free_port

JOB = {
    "SLURM_JOB_ID": "4711",
    "SLURM_JOB_ACCOUNT": "solar",
    "SLURM_JOB_NAME": 'a "named" \\ job\twith a tab',
    "SLURM_JOB_NODELIST": "gpu[001-002]",
    "SLURM_RESTART_COUNT": "1",
}
SCONTROL = """#!/bin/sh
case "$*" in
  *hostnames*) echo gpu001; echo gpu002 ;;
  *) echo "JobId=4711 JobName=x JobState=$STAND_IN_STATE Reason=None" ;;
esac
"""
CURL = """#!/bin/sh
echo "$*" > "$STAND_IN_FILE.words"
cat /dev/fd/3 > "$STAND_IN_FILE.header"
cat > "$STAND_IN_FILE.part" && mv "$STAND_IN_FILE.part" "$STAND_IN_FILE"
printf '%s' "${STAND_IN_ANSWER-{\\}\n200}"
"""
LOGGER = '#!/bin/sh\necho "$@" > "$STAND_IN_FILE.l" && mv "$STAND_IN_FILE.l" "$STAND_IN_FILE.log"\n'
REFUSAL = '{"detail": "project `moon` is mapped to nobody"}\n400'


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def told(people: Cast, folder: Path, name: str, state: str, job: Mapping[str, str] = JOB) -> Any:
    """Run Slurm's hook under a name beside stand-ins; return what it sends."""
    wanted = Wanted(
        base="https://portal.example",
        cluster=people.cluster.slug,
        token="flt_x",  # noqa: S106  opens nothing
    )
    for program, text in (
        (name, filled(agent=agent_of(key="slurm"), wanted=wanted)),
        ("scontrol", SCONTROL),
        ("curl", CURL),
        ("logger", LOGGER),
    ):
        (folder / program).write_text(text)
        (folder / program).chmod(0o755)
    sent = folder / "sent.json"
    environment = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "STAND_IN_FILE": str(sent),
        "STAND_IN_STATE": state,
        **job,
    }
    done = subprocess.run([folder / name], env=environment, check=False, timeout=10)  # noqa: S603
    assert done.returncode == 0
    pause = Event()
    for _ in range(100):
        if sent.exists():
            break
        pause.wait(0.05)
    return json.loads(sent.read_text())


def attempt_of(people: Cast) -> Attempt:
    """Return the tenant's only attempt."""
    with organization_scope(people.tenant.pk):
        return Attempt.objects.select_related("session").get()


@pytest.mark.django_db
def test_slurm_tells_of_a_start_and_an_end(people: Cast, tmp_path: Path) -> None:
    for name, state in (("faultline-prolog", "RUNNING"), ("faultline-epilog", "TIMEOUT")):
        folder = tmp_path / name
        folder.mkdir()
        report = told(people, folder, name, state)
        answer = push_json("/api/v1/session-events", people.token(people.platform), report)
        assert answer.json() == {"accepted": 1, "rejected": []}

    attempt = attempt_of(people)
    assert (attempt.number, attempt.state) == (2, "walltime")
    assert attempt.hosts == ["gpu001", "gpu002"]
    assert attempt.started_at
    assert attempt.ended_at
    session = attempt.session
    assert (session.scheduler, session.name, session.project) == ("slurm", "4711", "solar")
    assert session.job == 'a "named" \\ jobwith a tab'


@pytest.mark.django_db
def test_a_list_of_processes_does_not_show_the_token(people: Cast, tmp_path: Path) -> None:
    told(people, tmp_path, "faultline-epilog", "COMPLETED")

    words = (tmp_path / "sent.json.words").read_text()
    assert "session-events" in words
    assert "flt_x" not in words
    assert (tmp_path / "sent.json.header").read_text() == "Authorization: Bearer flt_x\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "ended"),
    [
        ("COMPLETED", "finished"),
        ("FAILED", "failed"),
        ("NODE_FAIL", "failed"),
        ("OUT_OF_MEMORY", "failed"),
        ("CANCELLED", "cancelled"),
        ("PREEMPTED", "preempted"),
    ],
)
def test_slurms_states_have_words_here(
    people: Cast, tmp_path: Path, state: str, ended: str
) -> None:
    assert told(people, tmp_path, "faultline-epilog", state)["state"] == ended


@pytest.mark.django_db
def test_without_a_word_of_slurm_the_exit_code_decides(people: Cast, tmp_path: Path) -> None:
    job = {**JOB, "SLURM_JOB_EXIT_CODE": "256"}

    assert told(people, tmp_path, "faultline-epilog", "", job)["state"] == "failed"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answer", "why"),
    [(REFUSAL, "(status 400, 000: not reached): {"), ("\n000", "(status 000,"), ("{}\n200", "")],
)
def test_what_is_refused_stands_in_the_systems_log(
    people: Cast, tmp_path: Path, answer: str, why: str
) -> None:
    told(people, tmp_path, "faultline-prolog", "RUNNING", {**JOB, "STAND_IN_ANSWER": answer})
    log, pause = tmp_path / "sent.json.log", Event()
    for _ in range(40 if why else 10):
        if log.exists():
            break
        pause.wait(0.05)

    assert log.exists() == bool(why)
    if why:
        line = log.read_text()
        assert line.startswith("-t faultline ")
        assert why in line
        assert ("mapped to nobody" in line) == (answer is REFUSAL)
        assert "flt_x" not in line


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
    wanted = Wanted(
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


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl on this machine: install it")
@pytest.mark.django_db(transaction=True)
def test_what_is_sent_by_hand_arrives(tmp_path: Path, live_server: LiveServer) -> None:
    people = cast()
    (tmp_path / "journalctl").write_text(JOURNAL)
    (tmp_path / "journalctl").chmod(0o755)
    (tmp_path / "rank0.log").write_text("step 1\n")
    wanted = Wanted(
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
