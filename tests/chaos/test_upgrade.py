"""An upgrade while it runs: old processes on the tables of the new version, then a mixture."""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
import requests
from django.conf import settings

from apps.operations.management.commands.up import free_port
from apps.operations.servers import embedded, embedded_valkey, private_sockets
from apps.operations.servers.processes import Child, Program
from apps.operations.servers.programs import answers
from tests.running import environment, inside, manage

NEW = Path(settings.BASE_DIR)
# The version before invitations, notices, retention by class and feedback had tables. It moves on
# with each release: one version back is what is promised.
BEFORE = "f30c42c"
SECONDS = 60
PREPARE = """
import json
from apps.tenancy.models import MemberRole
from tests.cast import make
aurora = make.organization("aurora")
make.user(organization=aurora, role=MemberRole.ADMIN, name="ada")
print(json.dumps(make.token(organization=aurora)))
"""
STATES = """
import json
from apps.telemetry.models import Batch
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
with organization_scope(*Organization.objects.values_list("id", flat=True)):
    print(json.dumps(sorted(Batch.objects.values_list("state", flat=True))))
"""
STOP = (
    "[rank{rank}]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
    "[rank{rank}]: CUDA kernel errors might be asynchronously reported at some other API call\n"
)
PAGES = ("", "incidents/", "sessions/", "sources/", "upload/")


def archived() -> bytes:
    """Return the version before as a tar, or nothing where its history is not here."""
    git = shutil.which("git")
    if git is None or not (NEW / ".git").exists():
        return b""
    done = subprocess.run(  # noqa: S603  our own arguments
        [git, "-C", NEW, "archive", BEFORE], capture_output=True, check=False
    )
    return done.stdout if done.returncode == 0 else b""


@dataclass(slots=True)
class Site:
    """An installation on servers of its own, with two versions of the code."""

    var: Path
    old: Path
    variables: Mapping[str, str]
    token: str = ""
    pushed: int = 0

    @contextmanager
    def running(self, code: Path, process: str) -> Iterator[str]:
        """Run one process of a version; yield the address of the web."""
        port = free_port()
        program = Program(
            name=process,
            argv=[sys.executable, "-m", *ARGUMENTS[process].format(port=port).split()],
            is_ready=lambda: process != "web" or answers("127.0.0.1", port, "/healthz"),
            log=self.var / f"{process}-{'old' if code == self.old else 'new'}.log",
            environment={**self.variables, "PORTAL_PROCESS": process},
            directory=code,
            stop_seconds=20,
        )
        child = Child(program)
        try:
            child.wait_ready(seconds=SECONDS, pause=Event())
            yield f"http://127.0.0.1:{port}"
        finally:
            child.stop()

    def try_out(self, web: str) -> None:
        """Send a log that stops a session, wait for the incident, open every page as a member."""
        self.pushed += 1
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = requests.post(
            f"{web}/api/v1/logs?session=run-{self.pushed}",
            data=STOP.format(rank=self.pushed),
            headers=headers,
            timeout=30,
        )
        assert answer.status_code == 200, answer.text
        limit = monotonic() + SECONDS
        while len(self.incidents(web, headers)) < self.pushed:
            assert monotonic() < limit, self.logs()
            Event().wait(0.5)
        self.open_pages(web)

    def incidents(self, web: str, headers: Mapping[str, str]) -> list[object]:
        """Return what the interface lists."""
        answer = requests.get(
            f"{web}/api/v1/o/aurora/incidents/", headers=dict(headers), timeout=30
        )
        assert answer.status_code == 200, answer.text
        found: list[object] = answer.json()["results"]
        return found

    def open_pages(self, web: str) -> None:
        """Open the pages of the organization after signing in."""
        with requests.Session() as browser:
            browser.get(f"{web}/sign-in/", timeout=30)
            form = {
                "username": "ada",
                "password": "a password of the tests",
                "csrfmiddlewaretoken": browser.cookies["csrftoken"],
            }
            browser.post(f"{web}/sign-in/", data=form, timeout=30)
            for page in PAGES:
                assert browser.get(f"{web}/o/aurora/{page}", timeout=30).status_code == 200, page

    def logs(self) -> str:
        """Return what the processes wrote."""
        return "\n".join(each.read_text() for each in sorted(self.var.glob("*.log")))


ARGUMENTS = {
    "web": "uvicorn portal.asgi:application --port {port} --lifespan off --no-access-log",
    "worker": "celery --app portal worker --loglevel INFO --concurrency 1 "
    "--queues correlate,ingest,default",
    "beat": "celery --app portal beat --loglevel WARNING --scheduler celery.beat.Scheduler",
}


def queue_socket(var: Path) -> Path:
    """Return where the queue of an installation is."""
    return private_sockets.socket_directory(var=var) / "valkey.sock"


def queue_without_rules(var: Path) -> Program:
    """Return a Valkey for both versions: the old one knows no password of it."""
    made = embedded_valkey.valkey(var=var)
    at = list(made.argv).index("--aclfile")
    argv = [*made.argv[:at], *made.argv[at + 2 :]]
    return replace(made, argv=argv, is_ready=queue_socket(var).exists)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return an installation of the old version, its tables already those of the new."""
    tar = archived()
    if not tar:
        pytest.skip(
            f"the history of this code is not here, so version {BEFORE} can't be run:"
            " run it in a clone with its tags (git fetch --unshallow --tags)"
        )
    old = tmp_path / "old"
    with tarfile.open(fileobj=BytesIO(tar)) as archive:
        archive.extractall(old, filter="data")
    shutil.copytree(NEW / "static" / "vendor", old / "static" / "vendor")
    var = tmp_path / "var"
    var.mkdir()
    urls = {
        "PORTAL_DATABASE_URL": private_sockets.database_url(var=var, role="portal_app"),
        "PORTAL_OWNER_DATABASE_URL": private_sockets.database_url(var=var, role="portal_owner"),
        "PORTAL_REDIS_URL": f"unix://{queue_socket(var)}?db=0",
    }
    variables = environment(var, urls | {"PORTAL_SECRET_KEYS": os.urandom(32).hex()})
    servers = [Child(queue_without_rules(var)), Child(embedded.postgres(var=var, is_durable=False))]
    try:
        for server in servers:
            server.wait_ready(seconds=30, pause=Event())
        embedded.provision(var=var)
        made = Site(var=var, old=old, variables=variables)
        manage("migrate", "--database", "owner", variables=variables, directory=old)
        made.token = inside(PREPARE, variables=variables, directory=old)
        yield made
    finally:
        for server in reversed(servers):
            server.stop()


def test_old_and_new_processes_work_side_by_side_over_the_change_of_tables(site: Site) -> None:
    with ExitStack() as old_web_stack:
        old_web = old_web_stack.enter_context(site.running(site.old, "web"))
        with site.running(site.old, "worker"), site.running(site.old, "beat"):
            site.try_out(old_web)
            # The tables change under processes that run.
            manage("migrate", "--database", "owner", variables=site.variables)
            site.try_out(old_web)
        with site.running(site.old, "worker"), site.running(NEW, "beat"):
            with site.running(NEW, "web") as new_web:
                site.try_out(new_web)
                assert answers_ready(new_web)
            site.try_out(old_web)
        with site.running(NEW, "worker"), site.running(site.old, "beat"):
            site.try_out(old_web)
            assert answers_ready(old_web)

    assert set(inside(STATES, variables=site.variables)) == {"interpreted"}
    assert "Internal Server Error" not in site.logs()
    assert "request.failed" not in site.logs()
    assert '"outcome": "failure"' not in site.logs()


def answers_ready(web: str) -> bool:
    """Whether a web process says that it can do its work."""
    return requests.get(f"{web}/readyz", timeout=30).status_code == 200
