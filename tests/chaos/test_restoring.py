"""A restore that is killed wherever it is worst: begun again it comes to its end, and once."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.conf import settings

from tests.running import environment, inside, manage

# The step is done, and nothing after it.
KILLED = """
import os, signal
from django.core.management import call_command
from apps.operations.backup import load
step = load.{step}
def dies(*given, **named):
    step(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
load.{step} = dies
call_command("restore", {path!r})
"""
PARTIES = """
cluster: {slug: meridian, name: Meridian}
organizations:
  - {slug: aurora, name: Aurora, parts: [operator], admin: ada, token: shipper}
"""
PREPARE = """
from django.core.management import call_command
from apps.operations.backup.server import database
with database(say=print):
    call_command("migrate", database="owner", verbosity=0)
    call_command("setup", "--file", {path!r})
print("null")
"""
LOOK = """
import json
from apps.notifications import hold
from apps.tenancy.models import Organization, User
from apps.operations.backup.server import database
with database(say=str):
    print(json.dumps([Organization.objects.count(), User.objects.count(), bool(hold.said())]))
"""


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup with its keys, of a portal with one organization and one file."""
    folder = Path(os.path.realpath(tmp_path_factory.mktemp("original")))
    variables = environment(folder / "var")
    (folder / "parties.yaml").write_text(PARTIES)
    (folder / "var" / "storage").mkdir(parents=True)
    (folder / "var" / "storage" / "one").write_bytes(b"kept " * 1000)
    inside(PREPARE.format(path=str(folder / "parties.yaml")), variables=variables)
    manage("backup", str(folder / "backup.tar"), "--with-keys", variables=variables)
    return folder / "backup.tar"


def killed_after(step: str, *, backup: Path, variables: Mapping[str, str]) -> int:
    """Restore until a step is done; return how the process ended."""
    code = KILLED.format(step=step, path=str(backup))
    return subprocess.run(  # noqa: S603  our own command
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", code],
        cwd=settings.BASE_DIR,
        env=dict(variables),
        capture_output=True,
        check=False,
    ).returncode


@pytest.mark.parametrize("step", ["_migrate_to", "_load_tables"])
def test_killed_before_its_end_it_is_begun_again(backup: Path, tmp_path: Path, step: str) -> None:
    var = Path(os.path.realpath(tmp_path)) / "var"
    variables = environment(var)

    assert killed_after(step, backup=backup, variables=variables) == -signal.SIGKILL
    manage("restore", str(backup), variables=variables)

    assert inside(LOOK, variables=variables) == [1, 1, True]
    assert (var / "storage" / "one").read_bytes() == b"kept " * 1000


def test_killed_after_its_end_everything_is_there_and_nothing_is_sent(
    backup: Path, tmp_path: Path
) -> None:
    var = Path(os.path.realpath(tmp_path)) / "var"
    variables = environment(var)
    assert killed_after("_finish", backup=backup, variables=variables) == -signal.SIGKILL

    assert inside(LOOK, variables=variables) == [1, 1, True]
    assert (var / "storage" / "one").read_bytes() == b"kept " * 1000
    with pytest.raises(AssertionError, match="the target is in use"):
        manage("restore", str(backup), variables=variables)
