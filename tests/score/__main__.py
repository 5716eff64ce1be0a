"""`make score`: print the measures over the real cases and logs, and write docs/scorecard.md.

`python -m tests.score --feedback FILE` prints how right people found the verdicts of a portal.
"""

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.score import (
    calibration,
    cases,
    composed,
    feedback,
    flight_recorder,
    healthy,
    kernel,
    perturbed,
    servers,
    simulated,
    storage,
    tables,
)
from tests.score.drill import card as drill
from tests.score.gauge import card as gauge
from tests.score.generators import FIRST, SECOND, SessionGenerator, drawn_seeds
from tests.score.measures import Measure
from tests.score.real_runs import card as real_runs
from tests.score.rows import table_row
from tests.score.sections import with_sections
from tests.score.training import in_job, storage_path, stragglers

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
CARD = ROOT / "docs" / "scorecard.md"
Part = tuple[list[Measure], list[str]]
UNSEEN = 120  # seeds of each generator
# Bounds from four fifths of fewer say nothing of the last fifth.
LEAST_JUDGED = 50


def main() -> int:
    """Print the table; leave with 1 when a requirement is missed, 2 for a file that is none."""
    parser = ArgumentParser(prog="tests.score", description=__doc__)
    parser.add_argument(
        "--feedback", type=Path, metavar="FILE", help="of manage.py feedback export"
    )
    path = parser.parse_args().feedback
    return _judged(path) if path else _scored()


def _judged(path: Path) -> int:
    try:
        print(feedback.table(cases=feedback.read(path=path)))  # noqa: T201  a command
    except (feedback.BadFeedback, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201  a command
        return 2
    return 0


def _scored() -> int:
    rows: list[Measure] = []
    misses: list[str] = []
    with ProcessPoolExecutor() as pool:
        parts = [(title, pool.submit(part)) for title, part in PARTS.items()]
        for title, started in parts:
            found = started.result()
            if found is None:
                print(f"{title}: not here, skipped (files are expected in ../shared beside us)")  # noqa: T201  a command
                continue
            rows.extend(found[0])
            misses.extend(found[1])
    card = render(rows=rows, misses=misses)
    print(card)  # noqa: T201  a command
    if rows:
        CARD.parent.mkdir(exist_ok=True)
        former = CARD.read_text(encoding="utf-8") if CARD.is_file() else ""
        CARD.write_text(with_sections(card, former), encoding="utf-8")
    return 0 if all(row.is_met for row in rows) else 1


def _cases() -> Part | None:
    path = SHARED / "cases" / "cases.jsonl"
    if not path.is_file():
        return None
    found = cases.answers(path=path)
    every = calibration.of_answers(found=[*found, *calibration.extra_answers()])
    stated = calibration.measures(forecasts=every, name="recorded cases")
    return [*cases.measures(found=found), *stated], cases.failures(found=found)


def _healthy() -> Part | None:
    folder = SHARED / "data" / "training_logs"
    if not folder.is_dir():
        return None
    found = healthy.read(folder=folder)
    return healthy.measures(found=found), healthy.failures(found=found)


def _kernel() -> Part | None:
    return kernel.part(folder=SHARED / "data")


def _tables() -> Part | None:
    return tables.part(folder=SHARED / "data")


def _servers() -> Part:
    return servers.part(), []


def _flight_recorder() -> Part | None:
    folder = SHARED / "data" / "flight_recorder"
    if not folder.is_dir():
        return None
    found = flight_recorder.read(folder=folder)
    return flight_recorder.measures(found=found), flight_recorder.failures(found=found)


def _simulated() -> Part:
    found = simulated.runs()
    return simulated.measures(found=found), simulated.failures(found=found)


def _storage() -> Part:
    found = storage.runs()
    return storage.measures(found), storage.failures(found)


def _composed() -> Part:
    found = list(composed.runs())
    every = calibration.of_runs(found=found)
    stated = calibration.measures(forecasts=every, name=FIRST.title)
    return [*composed.measures(found=found), *stated], composed.failures(found=found)


def _second() -> Part:
    found = list(composed.runs(generator=SECOND))
    rows = composed.measures(found=found, generator=SECOND)
    return rows, composed.failures(found=found, generator=SECOND)


def _unseen(generator: SessionGenerator) -> Part | None:
    """Score seeds out of the engine's last commit, without a word of which were missed."""
    try:
        seeds = drawn_seeds(count=UNSEEN)
    except (subprocess.CalledProcessError, OSError):
        return None
    found = list(composed.runs(seeds=seeds, generator=generator))
    return composed.drawn_measures(found=found, generator=generator), []


def _perturbed() -> Part:
    found = perturbed.runs()
    return perturbed.measures(found=found), perturbed.failures(found=found)


def _stragglers() -> Part:
    return stragglers.part(folder=SHARED / "data" / "straggler_traces")


def _feedback() -> Part | None:
    found = feedback.named_by_environment()
    if len(found) < LEAST_JUDGED:
        return None
    return calibration.measures(forecasts=found, name="judged by people"), []


# The longest first: each is a process of its own.
PARTS: dict[str, Callable[[], Part | None]] = {
    "simulator": _simulated,
    "composed sessions": _composed,
    "composed sessions of a second generator": _second,
    "unseen composed sessions (needs the history)": partial(_unseen, FIRST),
    "the same of the second generator": partial(_unseen, SECOND),
    "drill": drill.part,
    "perturbed sessions": _perturbed,
    "cases": _cases,
    f"gauge of fresh cases ({gauge.FOLDER})": gauge.part,
    "runs over nodes": real_runs.part,
    "recorded kernel lines": _kernel,
    "stragglers": _stragglers,
    "storage path": storage_path.part,
    "recovery inside a job": in_job.part,
    "tables of metrics": _tables,
    "generated servers": _servers,
    "storage scenes": _storage,
    "flight recorder": _flight_recorder,
    "training logs": _healthy,
    f"{LEAST_JUDGED} verdicts judged by people (FAULTLINE_FEEDBACK)": _feedback,
}


def render(*, rows: Sequence[Measure], misses: Sequence[str]) -> str:
    """Return the scorecard as Markdown."""
    lines = [
        "# Scorecard",
        "",
        "Written by `make score`. Shares with n and 95 % Wilson intervals, on the recorded cases and healthy logs that lie beside the",  # noqa: E501  one sentence
        "repository; the texts stay there. The weights were set by hand while looking at these cases, so held-out ones will score lower.",  # noqa: E501  one sentence
        "Rows called *unseen* are of composed sessions whose seeds follow from the last commit of the engine.",  # noqa: E501  one sentence
        "",
        "What the tests notice of small faults in the code stands in [mutants.md](mutants.md).",
        "",
        "| measure | share | n | 95 % interval | required | |",
        "|---|---|---|---|---|---|",
        *map(table_row, rows),
        "",
        "## Misses",
        "",
        *(f"- {miss}" for miss in misses),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
