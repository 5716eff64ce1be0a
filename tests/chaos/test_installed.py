"""What people install: the wheel, in an environment of its own and far from the checkout, works."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
import requests
from django.conf import settings

from tests.running import environment, processes_of, read_until

ROOT = Path(settings.BASE_DIR)
SOURCES = ("apps", "portal", "templates", "static")
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
LOG = """\
2026-11-21T02:00:00Z rank0: Traceback (most recent call last):
2026-11-21T02:00:00Z rank0: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
"""
SERVED = (
    "/static/css/portal.css",
    "/static/js/portal.js",
    "/static/plotly/4.1.1/plotly-basic.min.js",
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the command of a new environment that has the wheel and what it depends on."""
    directory = tmp_path_factory.mktemp("installed")
    wheel = _built(directory)
    venv.create(directory / "venv", with_pip=True)
    python = directory / "venv" / "bin" / "python"
    # What it depends on is taken from here: a registry is not what is tried.
    (there,) = (directory / "venv").glob("lib/python*/site-packages")
    (there / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    _run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
    return directory / "venv" / "bin" / "faultline"


def _built(directory: Path) -> Path:
    """Return the wheel of the sources alone, without what an earlier build left beside them."""
    sources = directory / "sources"
    for name in SOURCES:
        hidden = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, sources / name, ignore=hidden)
    for name in FILES:
        shutil.copy(ROOT / name, sources / name)
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", directory, sources)
    (wheel,) = directory.glob("*.whl")
    return wheel


def _run(*command: str | Path, variables: dict[str, str] | None = None) -> str:
    done = subprocess.run(  # noqa: S603  our own command
        command,
        cwd="/",
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_file_is_diagnosed(installed: Path, tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(LOG)

    assert "cause cuda-oom" in _run(installed, "diagnose", path)
    assert _run(installed, "--version").startswith("faultline ")


def test_a_portal_starts_and_answers_with_pages_and_their_files(
    installed: Path, tmp_path: Path
) -> None:
    variables = environment(tmp_path / "var")
    url = variables["PORTAL_BASE_URL"]
    running = subprocess.Popen(  # noqa: S603  our own command
        [installed, "up"],
        cwd="/",
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        told = read_until(running, "Ctrl-C stops it")
        assert "`faultline setup --file parties.yaml`" in told, told
        page = requests.get(f"{url}/sign-in/", headers={"Accept-Language": "ko"}, timeout=60)
        assert (page.status_code, 'lang="ko"' in page.text) == (200, True)
        assert "비밀번호" in page.text
        found = {path: requests.get(url + path, timeout=60).status_code for path in SERVED}
        assert found == dict.fromkeys(SERVED, 200)
        described = requests.get(f"{url}/api/v1/openapi.yaml", timeout=60)
        assert described.content == (ROOT / "docs" / "openapi.yaml").read_bytes()
        _run(installed, "setup", "--organization", "aurora", "--admin", "ada", variables=variables)
    finally:
        running.terminate()
        running.communicate()
    assert processes_of(tmp_path / "var") == {}


def test_its_data_is_kept_with_the_user_and_not_beside_its_code(
    installed: Path, tmp_path: Path
) -> None:
    variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    code = "from django.conf import settings; print(settings.PORTAL_VAR)"
    told = _run(installed, "shell", "--no-imports", "-c", code, variables=variables)

    assert told.split()[-1] == str(tmp_path / ".local" / "share" / "faultline")
