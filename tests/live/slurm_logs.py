"""Slurm's own log and what jobs print, pushed into a running portal, and what it says then."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from apps.diagnosis.diagnose import diagnose
from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts.attempt_facts import gather
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast
from tests.live.kept_lines import count_of, kept, waited_for
from tests.live.relay import BINARY, HAS_HTTP, Relay

Send = Callable[[Path, Cast, str], None]


def by_curl(log: Path, people: Cast, base: str) -> None:
    """Send the controller's log as a file, as who runs the cluster, and interpret it."""
    _post(log, people.operator, people, base, stream="scheduler", host="controller")
    assert count_of(kept(people.operator), "scheduler") >= _lines(log)


def by_syslog_ng(log: Path, people: Cast, base: str) -> None:
    """Have syslog-ng, with the pasted text, follow the controller's log, and interpret it."""
    folder = log.parent / "syslog-ng"
    folder.mkdir()
    relay = Relay(folder, people, base, scheduler=log)
    with relay.running():
        wanted = _lines(log)
        waited_for(
            people.operator, lambda found: count_of(found, "scheduler") >= wanted, why=relay.told
        )


FOLLOWED: Final[Send] = by_syslog_ng if BINARY and HAS_HTTP else by_curl


def send_output(output: Path, people: Cast, base: str, *, session: str) -> None:
    """Send what a job printed as its tenant, under a name of it, and interpret it."""
    _post(output, people.tenant, people, base, stream="session", session=session)
    kept(people.tenant)


def end_state(attempt: Attempt, people: Cast) -> str:
    """Return how a diagnosis of everything that is known says that an attempt ended."""
    with organization_scope(people.tenant.pk, people.operator.pk, people.platform.pk):
        gathered = gather(attempt=attempt)
        return diagnose(
            readings=gathered.readings, topology=gathered.topology, facts=gathered.facts
        ).end_state


def _lines(log: Path) -> int:
    return sum(bool(line.strip()) for line in log.read_bytes().splitlines())


def _post(path: Path, by: Organization, people: Cast, base: str, **labels: str) -> None:
    query = urlencode({"cluster": people.cluster.slug, **labels})
    done = subprocess.run(  # noqa: S603  the tests' own
        [
            *(shutil.which("curl") or "curl", "--fail", "--silent", "--show-error"),
            *("-H", f"Authorization: Bearer {people.token(by)}"),
            *("--data-binary", f"@{path}", f"{base}/api/v1/logs?{query}"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
