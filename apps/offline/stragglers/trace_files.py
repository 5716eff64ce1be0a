"""Files of step traces on this machine → jobs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from apps.telemetry.files.decompression import decompressed
from apps.telemetry.files.path_suggestions import path_meant
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.step_traces.trace_jobs import TracedJob, jobs_of

MOST_BYTES: Final = 2**30


def traced_jobs(*, paths: Sequence[str]) -> tuple[TracedJob, ...]:
    """Return the jobs of these files; raises UnusableInput, naming the file and what it lacks."""
    return jobs_of((path, _bytes(Path(path))) for path in dict.fromkeys(paths))


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as raw, decompressed(raw, path.stat().st_size) as plain:
            found = plain.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnusableInput(f"{path}: {error.strerror or error}{path_meant(path=path)}") from error
    if not found:
        raise UnusableInput(f"{path}: it is empty")
    if len(found) > MOST_BYTES:
        raise UnusableInput(f"{path}: more than 1 GiB; trace fewer steps")
    return found
