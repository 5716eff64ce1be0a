"""What a real log agent is given to read, and what of it stands in the portal afterwards."""

import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event as Pause
from time import time

from apps.telemetry.logs.interpretation import drain
from apps.telemetry.logs.raw_lines import RawLine, lines_of
from apps.telemetry.models import LogChunk, LogStream
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One voice as the portal has it."""

    kind: str
    host: str
    session: str
    rank: int | None
    lines: tuple[RawLine, ...]

    @property
    def texts(self) -> list[str]:
        """Return its lines."""
        return [line.text for line in self.lines]


def count_of(found: Iterable[Kept], kind: str = "") -> int:
    """Return how many lines there are, of one kind or of all."""
    return sum(len(each.lines) for each in found if kind in {"", each.kind})


def kept(organization: Organization) -> list[Kept]:
    """Interpret what has come and return every voice with its lines in their order."""
    drain.take_turn(
        organization_id=organization.pk,
        clock=lambda: 0.0,
        now=lambda: datetime.fromtimestamp(time(), UTC),
    )
    with organization_scope(organization.pk):
        streams = LogStream.objects.order_by("kind", "host", "rank", "id")
        return [_kept(stream) for stream in streams]


def waited_for(
    organization: Organization, is_enough: Callable[[list[Kept]], bool], *, why: Callable[[], str]
) -> list[Kept]:
    """Interpret what arrives until it is enough; fail with what `why` tells after a minute."""
    pause, found = Pause(), list[Kept]()
    for _ in range(SECONDS * 4):
        found = kept(organization)
        if is_enough(found):
            return found
        pause.wait(0.25)
    raise AssertionError(f"after {SECONDS} s: {found}; {why()}")


@contextmanager
def running(command: Sequence[str], *, log: Path, **environment: str) -> Iterator[None]:
    """Run an agent until the block ends, and ask it to end then as an init system does."""
    with log.open("ab") as heard:
        process = subprocess.Popen(  # noqa: S603  the tests' own
            command, stdout=heard, stderr=heard, env={"PATH": "/usr/bin:/bin", **environment}
        )
        try:
            yield
            assert process.poll() is None, log.read_text(errors="replace")[-3000:]
        finally:
            process.terminate()
            process.wait(timeout=30)


def _kept(stream: LogStream) -> Kept:
    chunks = LogChunk.objects.filter(stream=stream).order_by("first_key", "id")
    return Kept(
        kind=stream.kind,
        host=stream.host,
        session=stream.labels.get("session", ""),
        rank=stream.rank,
        lines=tuple(line for chunk in chunks for line in lines_of(chunk=chunk, stream=stream)),
    )
