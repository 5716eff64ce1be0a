"""One image for every process: without root, without what it does not need, and it starts."""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from apps.operations.management.commands.up import free_port
from apps.operations.servers.programs import answers
from tests.image.building import IMAGE, ROOT, build, buildah, has_base, inside, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())
SECONDS = 120


@pytest.fixture(scope="session")
def container() -> Iterator[str]:
    """Return a container of the image, built of the code as it stands."""
    with tempfile.TemporaryDirectory() as folder:
        if not has_base(Path(folder)):
            pytest.skip(
                "no registry can be reached: install the package `debootstrap`, which replaces it"
            )
    build()
    made = buildah("from", IMAGE)
    yield made
    buildah("rm", made)


def said(container: str, *command: str, **variables: str) -> str:
    """Run a command in the image and return what it printed."""
    done = subprocess.run(  # noqa: S603  our own arguments
        inside(container, *command, variables=variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_runs_as_a_user_without_rights_and_can_not_change_its_code(container: str) -> None:
    config = json.loads(buildah("inspect", "--type", "image", IMAGE))["OCIv1"]["config"]

    assert config["User"] == "10001:10001"
    assert said(container, "id", "-u").strip() == "10001"
    code = ("/portal", "/usr", "/opt")
    writable = said(container, "find", *code, "-writable", "-not", "-type", "l")
    assert writable == ""


def test_it_holds_the_code_and_nothing_beside_it(container: str) -> None:
    found = set(said(container, "ls", "-A", "/portal").split())

    assert found == {".venv", "apps", "manage.py", "portal", "static", "templates", "__pycache__"}
    assert "plotly-basic.min.js" in said(container, "find", "/portal/static/plotly")
    assert "pytest" not in said(container, "ls", "/portal/.venv/bin")


def test_the_deploy_check_is_clean_in_it(container: str) -> None:
    said(
        container,
        *("python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"),
        PORTAL_BASE_URL="https://portal.example",
        PORTAL_SECRET_KEYS=secrets.token_urlsafe(50),
    )


def test_the_whole_portal_starts_in_it_and_stops_when_asked(container: str, tmp_path: Path) -> None:
    port = free_port()
    number = "/var/lib/portal/number"
    with (tmp_path / "said").open("w+") as output:
        running = subprocess.Popen(  # noqa: S603  our own arguments
            inside(
                container,
                *("sh", "-c", f"echo $$ >{number}; exec python manage.py up"),
                variables={"PORTAL_BASE_URL": f"http://127.0.0.1:{port}"},
            ),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            assert _comes_up(running, port), (tmp_path / "said").read_text()
            os.kill(int(said(container, "cat", number)), signal.SIGTERM)
            assert running.wait(30) == 0
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
                running.wait()


def test_the_services_of_the_compose_file_work_together(container: str, tmp_path: Path) -> None:
    # In a network of its own, where the names and ports of the compose file are free.
    tmp_path.chmod(0o755)
    done = subprocess.run(  # noqa: S603  our own command
        [
            *("unshare", "--net", "--mount", sys.executable, "-m", "tests.image.composed"),
            *(container, str(tmp_path)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * SECONDS,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "work is done"


def _comes_up(running: subprocess.Popen[bytes], port: int) -> bool:
    limit = monotonic() + SECONDS
    while running.poll() is None and monotonic() < limit:
        if answers("127.0.0.1", port, "/readyz"):
            return True
        Event().wait(0.5)
    return False
