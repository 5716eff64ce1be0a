"""D9: in how many healthy sessions a check of high severity fails, generated and recorded.

A check is a line that the catalog calls an error or worse and the start of a failure of a GPU, the
network, the storage or a host, in the session's own time and on its own hosts: what the diagnosis
counts as its symptoms. The healthy sessions are generated with lines of other jobs, of earlier
failures and of corrected errors among their own.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Layer, Reading, Role, Severity
from apps.telemetry.files.text_sources import open_paths
from apps.training.health_checks.calibration import CheckedSession, CheckTable, check_table
from tests.score import healthy
from tests.score.composed import READ_AT
from tests.score.readings import read_all
from tests.score.reliability.row import Row
from tests.score.sessions.compose import compose
from tests.score.sessions.faults.healthy import FAULTS

NUMBERS = ("D9",)
SEEDS: Final = range(90_000, 90_150)
RECORDED: Final = Path(__file__).parents[4] / "shared" / "data" / "training_logs"
LAYERS: Final = frozenset({Layer.GPU, Layer.NETWORK, Layer.STORAGE, Layer.HOST})
HIGH: Final = frozenset({Severity.ERROR, Severity.FATAL})
# The scheduler's own word that the time is over is no check of a part.
ORDERED: Final = frozenset({"slurm-time-limit", "slurm-cancelled"})


def rows() -> Iterator[Row]:
    """Yield the generated sessions, and the recorded logs where they are here."""
    yield _row("generated healthy sessions", check_table(generated()))
    if RECORDED.is_dir():
        yield _row("recorded healthy logs", check_table(recorded()))


def _row(name: str, table: CheckTable) -> Row:
    named = ", ".join(row.check for row in table.rows if row.is_high and row.in_successful.hits)
    return Row(
        number="D9",
        name=f"health checks: {name} in which one of high severity failed",
        value=table.any_high.rate or 0.0,
        n=table.any_high.n,
        interval=table.any_high.interval,
        at_most=0.01,
        caution=named,
    )


def generated(seeds: Sequence[int] = SEEDS) -> Iterator[CheckedSession]:
    """Yield generated sessions in which nothing broke, with what failed in them."""
    kinds = list(FAULTS)
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            _, path = compose(seed=seed, folder=Path(folder), scenario=kinds[seed % len(kinds)])
            readings = list(read_all(sources=open_paths(paths=[str(path)], now=READ_AT)))
        yield _checked(f"generated {seed}", readings)


def recorded() -> Iterator[CheckedSession]:
    """Yield the recorded logs, each a session."""
    for path in healthy.paths(folder=RECORDED):
        readings = list(read_all(sources=open_paths(paths=[str(path)], now=READ_AT)))
        yield _checked(path.name, readings)


def _checked(name: str, readings: Sequence[Reading]) -> CheckedSession:
    severity = {event.signature: event.severity for each in readings for event in each.events}
    failed = {
        symptom.signature
        for symptom in diagnose(readings=readings).symptoms
        if symptom.role is Role.INITIATING
        and symptom.layer in LAYERS
        and symptom.signature not in ORDERED
    }
    high = {signature for signature in failed if severity.get(signature) in HIGH}
    return CheckedSession(
        session=name,
        is_successful=True,
        failed=frozenset(failed),
        failed_high=frozenset(high),
    )
