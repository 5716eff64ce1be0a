"""Lines of a job's log, by what their signatures mark them as → facts of recovery in place."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from apps.diagnosis.input_values import rank_number, whole_number
from apps.diagnosis.model import Mark
from apps.diagnosis.signatures.marks import marked
from apps.training.in_job.adapters.nvrx import GONE, launcher_restarts
from apps.training.in_job.adapters.torchelastic import elastic_line
from apps.training.in_job.events import BadEvent, ReplicaLost, StepCommitted
from apps.training.in_job.logged_run import LoggedRun
from apps.training.in_job.restarts import ProcessRestart

QUORUMS: Final = marked(Mark.QUORUM)
INTERRUPTED: Final = marked(Mark.RANK_INTERRUPTED)
LAUNCHER_EVENTS: Final = marked(Mark.LAUNCHER_EVENT)
RESTARTS: Final = marked(Mark.WORKERS_RESTART)
SIGNS: Final = QUORUMS | INTERRUPTED | LAUNCHER_EVENTS | RESTARTS


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldLine:
    """One line that bears one of these marks."""

    sign: str  # its signature
    at_seconds: float
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)


def run_of_lines(lines: Iterable[ToldLine], commits: Iterable[StepCommitted] = ()) -> LoggedRun:
    """Return what lines say, in any order; `commits` are the steps that lines of progress tell."""
    told = sorted(lines, key=lambda each: (each.at_seconds, each.sign, each.text))
    return LoggedRun(
        events=(*(lost for each in told if (lost := _lost(each))), *commits),
        restarts=tuple(_restarts(told)),
        records=tuple(record for each in told if (record := _quorum(each))),
    )


def _lost(line: ToldLine) -> ReplicaLost | None:
    rank = rank_number(line.fields.get("rank"))
    what = line.fields.get("what", "")
    if line.sign not in INTERRUPTED or rank is None or what not in GONE:
        return None
    return ReplicaLost(
        at_seconds=line.at_seconds,
        replica=f"rank {rank}",
        step=None,
        phase=what.lower(),
        gpu_count=1,
    )


def _quorum(line: ToldLine) -> Mapping[str, Any] | None:
    numbers = {
        name: whole_number(line.fields.get(told))
        for name, told in (("rank", "rank"), ("quorum", "quorum"), ("step", "iteration"))
    }
    if line.sign not in QUORUMS or None in numbers.values():
        return None
    return {
        "event": "quorum",
        "at": line.at_seconds,
        "replica": line.fields.get("replica", ""),
        **numbers,
    }


def _restarts(lines: Iterable[ToldLine]) -> Iterable[ProcessRestart]:
    told = list(lines)
    for each in told:
        if each.sign in RESTARTS:
            found = elastic_line(text=each.text, at_seconds=each.at_seconds)
            if found is not None:
                yield found
    texts = [each.text for each in told if each.sign in LAUNCHER_EVENTS]
    yield from launcher_restarts(filter(_is_timed, texts))


def _is_timed(text: str) -> bool:
    """Say whether a line prints a time that there is."""
    try:
        launcher_restarts([text])
    except BadEvent:
        return False
    return True
