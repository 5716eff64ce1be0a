"""The lock on the folder of an installation: who ends is waited for, who lives is named."""

import fcntl
import os
from pathlib import Path
from threading import Event

import pytest

from apps.operations.servers.supervisor import AlreadyRunning, _lock

NOBODY = "4194999"  # above the highest number that Linux gives a process


class _Pause(Event):
    """The time between two looks: the holder lets go meanwhile."""

    def __init__(self, held: int) -> None:
        super().__init__()
        self._held = held

    def wait(self, timeout: float | None = None) -> bool:
        """Let go of the lock."""
        fcntl.flock(self._held, fcntl.LOCK_UN)
        return super().wait(timeout)


def _held(path: Path, holder: str) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    os.pwrite(descriptor, f"{holder}\n".encode(), 0)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


@pytest.mark.parametrize("holder", [NOBODY, "", "one"])
def test_what_a_holder_that_is_gone_left_is_waited_for(tmp_path: Path, holder: str) -> None:
    path = tmp_path / "lock"
    taken = _lock(path, _Pause(_held(path, holder)))
    assert int(path.read_text()) == os.getpid()
    os.close(taken)


def test_a_holder_that_lives_is_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(AlreadyRunning, match=rf"process {os.getpid()}\)"):
        _lock(path, _Pause(_held(path, str(os.getpid()))))
