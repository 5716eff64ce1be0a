"""The units for systemd: it takes them, they are closed, and they name settings that there are."""

import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest
from django.conf import settings

from portal.celery import app

ROOT = Path(settings.BASE_DIR)
UNITS = ROOT / "docker" / "systemd"
SERVICES = sorted(each.name for each in UNITS.glob("*.service"))
ANALYZE = shutil.which("systemd-analyze")
NO_SYSTEMD = "no systemd-analyze here: the units were only read; install the package `systemd`"
# 10 is a service that may do anything.
HIGHEST_EXPOSURE = 2.0


class Unit(RawConfigParser):
    """A unit as far as these tests read it: of a repeated name, all values in one."""

    def __init__(self, name: str) -> None:
        super().__init__(strict=False, delimiters=("=",))
        self.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
        self.text = (UNITS / name).read_text(encoding="utf-8")
        self.read_string(self.text)


def systemd(*arguments: str | Path) -> str:
    """Return all that systemd's own tool says."""
    done = subprocess.run(  # noqa: S603  our own arguments
        [str(ANALYZE), *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.skipif(ANALYZE is None, reason=NO_SYSTEMD)
def test_systemd_takes_every_unit(tmp_path: Path) -> None:
    # The code is elsewhere here; /bin/true is not.
    for unit in UNITS.iterdir():
        text = unit.read_text(encoding="utf-8")
        (tmp_path / unit.name).write_text(
            re.sub(r"/opt/faultline/\.venv/bin/python", "/bin/true", text)
        )

    said = systemd("verify", "--man=no", *sorted(tmp_path.glob("faultline*")))

    assert [line for line in said.splitlines() if "faultline" in line] == []


@pytest.mark.skipif(ANALYZE is None, reason=NO_SYSTEMD)
@pytest.mark.parametrize("name", SERVICES)
def test_a_service_may_do_little_beside_its_work(name: str) -> None:
    said = systemd("security", "--offline=true", UNITS / name)

    exposure = re.search(r"Overall exposure level for \S+: ([0-9.]+)", said)
    assert exposure, said
    assert float(exposure[1]) <= HIGHEST_EXPOSURE


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_set_by_settings_that_there_are(name: str) -> None:
    manual = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")

    for setting in re.findall(r"\b(PORTAL_[A-Z_]+)=", Unit(name).text):
        assert f"### `{setting.removesuffix('_FILE')}`" in manual


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_runs_as_nobody_of_importance_and_hands_secrets_over_as_files(name: str) -> None:
    unit = Unit(name)

    assert unit["Service"]["User"] == "faultline"
    assert unit["Service"]["NoNewPrivileges"] == "yes"
    assert unit["Service"]["ProtectSystem"] == "strict"
    assert "PORTAL_SECRET_KEYS=" not in unit.text
    assert "PORTAL_DATABASE_URL=" not in unit.text


def test_every_queue_has_a_worker_and_only_one_unit_changes_tables() -> None:
    queues = ",".join(queue.name for queue in app.conf.task_queues)

    assert f"--queues {queues}" in Unit("faultline-worker.service").text
    owners = [name for name in SERVICES if "OWNER_DATABASE_URL" in Unit(name).text]
    may_read = [name for name in SERVICES if "faultline-owner" in Unit(name).text]
    assert owners == may_read == ["faultline-migrate.service"]


@pytest.mark.parametrize("process", ["web", "worker", "beat"])
def test_a_process_waits_for_the_tables(process: str) -> None:
    unit = Unit(f"faultline-{process}.service")["Unit"]

    assert unit["Requires"] == "faultline-migrate.service"
    assert "faultline-migrate.service" in unit["After"]
