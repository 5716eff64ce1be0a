"""An installation whose tables stand, made once in a run; who needs a portal starts on a copy.

Bringing an empty database up to date takes longer than all else of a start.
"""

import fcntl
import signal
import subprocess
from pathlib import Path

from django.conf import settings

from tests.running import portal, read_until


def prepare(var: Path) -> Path:
    """Put a database with all tables and nobody in it into a directory; return the directory."""
    var.mkdir(mode=0o711, parents=True)
    for data in _kept().glob("pg*"):
        # PostgreSQL wants its files owned by who it runs as, which is not always us.
        subprocess.run(["/bin/cp", "-a", str(data), str(var / data.name)], check=True)  # noqa: S603  paths of ours
    return var


def _kept() -> Path:
    """Return the directory of the one that is copied; the first who asks makes it."""
    kept = Path(settings.PORTAL_VAR) / "prepared"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the run's other processes wait here
        if not (kept / "made").exists():
            with portal(kept) as running:
                assert "Faultline is up" in read_until(running, "Faultline is up")
                running.send_signal(signal.SIGINT)
                assert running.wait(60) == 0
            (kept / "made").touch()
    return kept
