"""Whole composed sessions, diagnosed as the command does, against what was composed.

`python -m tests.score.composed --seeds 0:200` prints measures, a table by scenario and each miss;
`--generator second` by another author, `--drawn 200` on seeds out of the engine's last commit.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, EndState
from apps.telemetry.files.text_sources import open_paths
from tests.score.generators import FIRST, GENERATORS, SessionGenerator, drawn_seeds
from tests.score.measures import Measure
from tests.score.readings import read_all
from tests.score.session_run import Run

READ_AT = datetime(2027, 1, 31, tzinfo=UTC)


def run(*, seed: int, scenario: str | None = None, generator: SessionGenerator = FIRST) -> Run:
    """Compose the session of a seed, read it as the command does, and diagnose it."""
    with tempfile.TemporaryDirectory() as folder:
        truth, path = generator.compose(seed=seed, folder=Path(folder), scenario=scenario)
        begun, crash = time.perf_counter(), ""
        try:
            diagnosis = _said(path)
        except Exception as error:  # noqa: BLE001  a crash is a result to count here
            diagnosis, crash = diagnose(readings=[]), f"{type(error).__name__}: {error}"
        spent = time.perf_counter() - begun
        return Run(truth=truth, diagnosis=diagnosis, seconds=spent, crash=crash)


def _said(path: Path) -> Diagnosis:
    sources = open_paths(paths=[str(path)], now=READ_AT)
    return diagnose(readings=list(read_all(sources=sources)))


def runs(
    *,
    seeds: Iterable[int] | None = None,
    scenario: str | None = None,
    generator: SessionGenerator = FIRST,
) -> Iterator[Run]:
    """Yield the run of every seed; without seeds, of the scorecard's."""
    for seed in generator.seeds if seeds is None else seeds:
        yield run(seed=seed, scenario=scenario, generator=generator)


def measures(*, found: Sequence[Run], generator: SessionGenerator = FIRST) -> list[Measure]:
    """Return layer, cause, host, abstention, end states and false certainty."""
    rows = _measures(found)
    if not generator.is_required:
        kept, rest = rows[:1], rows[1:]  # a crash is a fault wherever it is met
        rows = kept + [replace(one, at_least=None, at_most=None) for one in rest]
    return [replace(one, name=f"{generator.title}: {one.name}") for one in rows if one.n]


def drawn_measures(*, found: Sequence[Run], generator: SessionGenerator) -> list[Measure]:
    """Return what has to hold on seeds that nobody saw while the engine was worked on."""
    named = [one for one in found if one.truth.status == "named"]
    gpu = [one for one in named if {answer.layer for answer in one.truth.answers} == {"gpu"}]
    open_ = [one for one in found if one.truth.status == "unknown"]
    rows = [
        _measure("layer", [one.is_layer_right for one in named], at_least=0.95),
        _measure("layer of the GPU's", [one.is_layer_right for one in gpu], at_least=0.95),
        _measure("cause", [one.is_cause_right for one in named]),
        _measure("host", [one.is_host_right for one in named if one.truth.hosts], at_least=0.93),
        _measure("likely and wrong", [one.is_likely_wrong for one in found], at_most=0.01),
        _measure("abstains", [one.is_abstention for one in open_], at_least=0.90),
    ]
    return [replace(one, name=f"{generator.title}, unseen: {one.name}") for one in rows if one.n]


def _measures(found: Sequence[Run]) -> list[Measure]:
    named = [one for one in found if one.truth.status == "named"]
    blamed = [one for one in named if one.truth.hosts]
    open_ = [one for one in found if one.truth.status == "unknown"]
    quiet = [one for one in found if one.truth.status == "no-failure"]
    return [
        _measure("crashes", [bool(one.crash) for one in found], at_most=0.0),
        _measure("layer", [one.is_layer_right for one in named], at_least=0.92),
        _measure("cause", [one.is_cause_right for one in named]),
        _measure("host", [one.is_host_right for one in blamed], at_least=0.90),
        _measure("likely and wrong", [one.is_likely_wrong for one in found], at_most=0.02),
        _measure("abstains", [one.is_abstention for one in open_], at_least=0.90),
        _measure("no failure, with its end", [one.is_harmless for one in quiet], at_least=0.90),
        _measure(
            "two at once, both listed",
            [one.is_all_listed for one in found if one.truth.scenario == "two-at-once"],
        ),
        _measure("end state", [_is_end_told(one) for one in found]),
    ]


def _is_end_told(one: Run) -> bool:
    # Of a log that is cut short it is as right to say that it ends while steps are made.
    is_open = one.diagnosis.end_state is EndState.UNKNOWN or one.diagnosis.last_step is not None
    return one.is_end_right or (one.truth.status == "unknown" and is_open)


def _measure(
    name: str, hits: Sequence[bool], *, at_least: float | None = None, at_most: float | None = None
) -> Measure:
    return Measure(
        name=name,
        hits=sum(hits),
        n=len(hits),
        at_least=at_least,
        at_most=at_most,
    )


def failures(*, found: Sequence[Run], generator: SessionGenerator = FIRST) -> list[str]:
    """Return a line per miss, with what repeats it."""
    return [f"{generator.title}: {_miss(one)}" for one in found if one.faults]


def _miss(one: Run) -> str:
    truth, verdict = one.truth, one.diagnosis.verdict
    expected = " or ".join(f"{a.layer}/{'|'.join(a.causes) or 'any'}" for a in truth.answers)
    said = sorted({c.host for c in verdict.culprits if c.host})[:4]
    true = min(truth.hosts, key=lambda one: (len(one), one), default="-")
    return (
        f"{truth.scenario} ({truth.telling}) of seed {truth.seed}: "
        f"{', '.join(one.faults)}; expected {truth.status} {expected or '-'} on {true}, end "
        f"{truth.end}; said {verdict.status.value} {verdict.layer.value}/{verdict.cause} "
        f"{verdict.probability:.2f} on {said or '-'}, end {one.diagnosis.end_state.value}; "
        f"{' '.join(truth.styles[:5])}; decoys {', '.join(truth.decoys) or 'none'}"
    )


def by_scenario(*, found: Sequence[Run]) -> list[str]:
    """Return a row per scenario: right answers, n."""
    return _rows(found, lambda one: one.truth.scenario)


def by_layer(*, found: Sequence[Run]) -> list[str]:
    """Return a row per layer that is right, or per kind of session where none is."""
    return _rows(found, lambda one: _layers(one) if one.truth.status == "named" else _kind(one))


def _layers(one: Run) -> str:
    return " or ".join(dict.fromkeys(answer.layer for answer in one.truth.answers))


def _kind(one: Run) -> str:
    return f"({one.truth.status})"


def _rows(found: Sequence[Run], name_of: Callable[[Run], str]) -> list[str]:
    by_name: dict[str, list[Run]] = {}
    for one in found:
        by_name.setdefault(name_of(one), []).append(one)
    return [
        f"{name:<28} {sum(not one.faults for one in mine):>3} of {len(mine):>3}"
        for name, mine in sorted(by_name.items())
    ]


def main() -> None:
    """Print the measures over a range of seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generator", choices=sorted(GENERATORS), default=FIRST.name)
    parser.add_argument("--seeds", default="0:200", help="first:last, half open")
    parser.add_argument("--drawn", type=int, metavar="COUNT", help="instead of --seeds")
    parser.add_argument("--scenario", default=None)
    options = parser.parse_args()
    author = GENERATORS[options.generator]
    first, last = (int(part) for part in options.seeds.split(":"))
    seeds = drawn_seeds(count=options.drawn) if options.drawn else range(first, last)
    found = list(runs(seeds=seeds, scenario=options.scenario, generator=author))
    print("\n".join([*by_layer(found=found), "", *by_scenario(found=found)]))  # noqa: T201  a command
    print("\n".join(failures(found=found, generator=author)))  # noqa: T201  a command
    for one in measures(found=found, generator=author):
        low, high = one.interval
        met = "" if one.is_met else "  MISSED"
        print(f"{one.name:<45} {one.rate:.3f} of {one.n:>4}  {low:.2f} to {high:.2f}{met}")  # noqa: T201
    print(f"diagnosed in {sum(one.seconds for one in found):.0f} s")  # noqa: T201


if __name__ == "__main__":
    main()
