"""Chrome traces → step traces: NDTimeline's with named operations, PyTorch's one a rank."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.stragglers.importers.rank_steps import RankStep, trace_of_rank_steps
from apps.training.stragglers.operations import KNOWN
from apps.training.stragglers.step_trace import COLUMNS, BadTrace, StepTrace, step_trace

STEP: Final = re.compile(r"ProfilerStep#(\d{1,18})")
ON_DEVICE: Final = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
COLLECTIVE: Final = "nccl"  # begins the names of NCCL's and RCCL's kernels, in any case
MICROSECOND: Final = 1e-6
Spans = list[tuple[float, float]]


def trace_of_chrome(documents: Mapping[str, Any]) -> StepTrace:
    """Return the trace of one or several Chrome traces, name → parsed JSON.

    Raises BadTrace that names the document, and what it lacks.
    """
    events = {name: _events(name, each) for name, each in documents.items()}
    named = [each for told in events.values() for each in told if each.get("name") in KNOWN]
    if named:
        return step_trace(_columns(named))
    rows = [
        row
        for name, told in events.items()
        for row in _rank_steps(name, _rank(name, documents[name]), told)
    ]
    return trace_of_rank_steps(_first_of_each(rows))


def _events(name: str, document: Any) -> list[Mapping[str, Any]]:
    events = document.get("traceEvents") if isinstance(document, Mapping) else document
    if not isinstance(events, list):
        raise BadTrace(f"{name}: no traceEvents; a Chrome trace has a list of them")
    return [
        each
        for each in events
        if isinstance(each, Mapping) and each.get("ph") == "X" and _is_timed(each)
    ]


def _is_timed(event: Mapping[str, Any]) -> bool:
    return all(
        isinstance(event.get(each), int | float) and not isinstance(event[each], bool)
        for each in ("ts", "dur")
    )


def _columns(events: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for event in events:
        told = event.get("args")
        told = told if isinstance(told, Mapping) else {}
        cells = {
            "mc": -1,
            "gmc": -1,
            "mb_id": -1,
            "seq_id": 0,
            **told,
            "optype": event["name"],
            "start_ts": event["ts"] * MICROSECOND,
            "duration": event["dur"] * MICROSECOND,
        }
        lacking = [each for each in COLUMNS if each not in cells]
        if lacking:
            raise BadTrace(f"operation {event['name']}: its args lack {', '.join(lacking)}")
        for name in COLUMNS:
            columns[name].append(cells[name])
    return columns


def _rank(name: str, document: Any) -> int:
    told = document.get("distributedInfo") if isinstance(document, Mapping) else None
    rank = told.get("rank") if isinstance(told, Mapping) else None
    if not isinstance(rank, int) or isinstance(rank, bool) or rank < 0:
        raise BadTrace(f"{name}: no distributedInfo.rank: whose trace is it?")
    return rank


def _rank_steps(name: str, rank: int, events: Sequence[Mapping[str, Any]]) -> Iterator[RankStep]:
    windows = dict(sorted(_windows(events)))
    if not windows:
        raise BadTrace(f"{name}: no ProfilerStep#…: profile with a schedule and call step()")
    begins = np.array([begin for begin, _ in windows.values()])
    computing: list[Spans] = [[] for _ in windows]
    waiting: list[Spans] = [[] for _ in windows]
    for event in events:
        if event.get("cat") not in ON_DEVICE:
            continue
        at = int(np.searchsorted(begins, event["ts"], side="right")) - 1
        if at >= 0:
            is_collective = str(event.get("name", "")).lower().startswith(COLLECTIVE)
            spans = waiting if is_collective else computing
            spans[at].append((event["ts"], event["ts"] + event["dur"]))
    if not any(computing):
        raise BadTrace(
            f"{name}: no kernels of a GPU: what a rank computes is not told by its processor's "
            "activity alone; profile with ProfilerActivity.CUDA"
        )
    for at, (step, (begin, end)) in enumerate(windows.items()):
        busy = _covered(computing[at], begin, end)
        yield RankStep(
            rank=rank,
            step=step,
            step_seconds=(end - begin) * MICROSECOND,
            computing_seconds=busy * MICROSECOND,
            collective_seconds=(_covered([*computing[at], *waiting[at]], begin, end) - busy)
            * MICROSECOND,
        )


def _windows(events: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, tuple[float, float]]]:
    """Return step → begin and end, as the device saw it where it is told, else as the host did."""
    for category in ("user_annotation", "gpu_user_annotation"):
        for event in events:
            found = STEP.fullmatch(str(event.get("name", "")))
            if found and event.get("cat") == category:
                yield int(found[1]), (event["ts"], event["ts"] + event["dur"])


def _covered(spans: Spans, begin: float, end: float) -> float:
    """Return how much of a window these spans cover together."""
    if not spans:
        return 0.0
    edges: Floats = np.clip(np.array(sorted(spans), dtype=np.float64), begin, end)
    reached = np.maximum.accumulate(edges[:, 1])
    former = np.concatenate([[begin], reached[:-1]])
    return float(np.maximum(edges[:, 1] - np.maximum(edges[:, 0], former), 0.0).sum())


def _first_of_each(rows: Iterable[RankStep]) -> Iterator[RankStep]:
    told: dict[tuple[int, int], RankStep] = {}
    for row in rows:
        former = told.setdefault((row.rank, row.step), row)
        if former != row:
            raise BadTrace(f"rank {row.rank}, step {row.step}: told twice, and differently")
    return iter(told.values())
