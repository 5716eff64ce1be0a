"""Whole composed sessions, diagnosed as the command does, against what was composed.

`python -m tests.score.composed --seeds 0:200` prints measures, a table by scenario and each miss.
"""

import argparse
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, EndState, VerdictStatus
from apps.telemetry.files.text_sources import open_paths
from tests.score.measures import Measure
from tests.score.readings import read_all
from tests.score.sessions.compose import compose
from tests.score.sessions.truth import Truth

SEEDS = range(1000, 1120)
READ_AT = datetime(2027, 1, 31, tzinfo=UTC)
# A person, a preemption or the time limit ended it: said as an end state or as a cause.
ENDED = frozenset({"walltime", "cancelled", "preempted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One session with what was said about it."""

    truth: Truth
    diagnosis: Diagnosis
    seconds: float
    crash: str = ""  # what the engine raised instead of an answer

    @property
    def layer(self) -> str:
        """Return the layer the verdict names."""
        return self.diagnosis.verdict.layer.value

    @property
    def is_end_right(self) -> bool:
        """Say whether the end state is the true one."""
        return self.diagnosis.end_state.value == self.truth.end

    @property
    def is_quiet_end(self) -> bool:
        """Say whether it was rightly called no failure, with its end named."""
        is_quiet = self.diagnosis.verdict.status is VerdictStatus.NO_FAILURE
        return is_quiet and self.is_end_right

    @property
    def is_layer_right(self) -> bool:
        """Say whether the verdict names an accepted layer, or rightly an end that was ordered."""
        is_ordered = "process-killed" in self.truth.causes and self.is_quiet_end
        return self.layer in self.truth.layers or is_ordered

    @property
    def is_cause_right(self) -> bool:
        """Say whether the cause is an accepted one; where any of the layer is, the layer counts."""
        is_named = self.diagnosis.verdict.cause in self.truth.causes
        return self.is_layer_right and (is_named or not self.truth.causes or self.is_quiet_end)

    @property
    def is_host_right(self) -> bool:
        """Say whether a host to blame is among the culprits or left out of the restart."""
        culprits = {one.host for one in self.diagnosis.verdict.culprits if one.host}
        said = culprits | set(self.diagnosis.restart.exclude_hosts)
        return any(self.truth.is_accepted_host(one) for one in said)

    @property
    def is_abstention(self) -> bool:
        """Say whether the question was left open: unknown, or possible with the hidden layer."""
        status = self.diagnosis.verdict.status
        is_open = status in {VerdictStatus.UNKNOWN, VerdictStatus.NO_FAILURE}
        return is_open or (status is VerdictStatus.POSSIBLE and self.layer in self.truth.layers)

    @property
    def is_likely_wrong(self) -> bool:
        """Say whether the verdict sounds sure where it is wrong, or where nobody could be."""
        is_sure = self.diagnosis.verdict.status is VerdictStatus.LIKELY
        if self.truth.status == "unknown":
            return is_sure
        if self.truth.status == "no-failure":
            is_ordered = (
                self.truth.end in ENDED and self.diagnosis.verdict.cause == "process-killed"
            )
            return is_sure and not is_ordered
        return is_sure and not self.is_layer_right

    @property
    def is_harmless(self) -> bool:
        """Say whether a session without a failure was told so, with its end."""
        is_ordered = self.truth.end in ENDED and self.diagnosis.verdict.cause == "process-killed"
        return self.is_quiet_end or (is_ordered and self.is_end_right)

    @property
    def is_all_listed(self) -> bool:
        """Say whether every one of several causes stands among the hypotheses."""
        listed = {one.cause for one in self.diagnosis.hypotheses}
        return all(listed & set(one.causes) for one in self.truth.answers if one.causes)

    @property
    def faults(self) -> list[str]:
        """Return what is wrong about the answer, in short words."""
        if self.crash:
            return [f"CRASHED: {self.crash}"]
        if self.truth.status == "no-failure":
            found = [] if self.is_harmless else ["not called harmless"]
        elif self.truth.status == "unknown":
            found = [] if self.is_abstention else ["did not abstain"]
        else:
            found = [] if self.is_layer_right else ["layer"]
            found += [] if self.is_cause_right or not self.is_layer_right else ["cause"]
            found += ["host"] if self.truth.hosts and not self.is_host_right else []
        return found + (["LIKELY AND WRONG"] if self.is_likely_wrong else [])


def run(*, seed: int, scenario: str | None = None) -> Run:
    """Compose the session of a seed, read it as the command does, and diagnose it."""
    with tempfile.TemporaryDirectory() as folder:
        truth, path = compose(seed=seed, folder=Path(folder), scenario=scenario)
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


def runs(*, seeds: Iterable[int] = SEEDS, scenario: str | None = None) -> Iterator[Run]:
    """Yield the run of every seed."""
    for seed in seeds:
        yield run(seed=seed, scenario=scenario)


def measures(*, found: Sequence[Run]) -> list[Measure]:
    """Return layer, cause, host, abstention, end states and false certainty."""
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
        name=f"composed sessions: {name}",
        hits=sum(hits),
        n=len(hits),
        at_least=at_least,
        at_most=at_most,
    )


def failures(*, found: Sequence[Run]) -> list[str]:
    """Return a line per miss, with what repeats it."""
    return [_miss(one) for one in found if one.faults]


def _miss(one: Run) -> str:
    truth, verdict = one.truth, one.diagnosis.verdict
    expected = " or ".join(f"{a.layer}/{'|'.join(a.causes) or 'any'}" for a in truth.answers)
    said = sorted({c.host for c in verdict.culprits if c.host})[:4]
    true = min(truth.hosts, key=len, default="-")
    return (
        f"composed session {truth.scenario} ({truth.telling}) of seed {truth.seed}: "
        f"{', '.join(one.faults)}; expected {truth.status} {expected or '-'} on {true}, end "
        f"{truth.end}; said {verdict.status.value} {verdict.layer.value}/{verdict.cause} "
        f"{verdict.probability:.2f} on {said or '-'}, end {one.diagnosis.end_state.value}; "
        f"{' '.join(truth.styles[:5])}; decoys {', '.join(truth.decoys) or 'none'}"
    )


def by_scenario(*, found: Sequence[Run]) -> list[str]:
    """Return a row per scenario: right answers, n."""
    rows = []
    for name in sorted({one.truth.scenario for one in found}):
        mine = [one for one in found if one.truth.scenario == name]
        good = sum(not one.faults for one in mine)
        rows.append(f"{name:<28} {good:>3} of {len(mine):>3}")
    return rows


def main() -> None:
    """Print the measures over a range of seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:200", help="first:last, half open")
    parser.add_argument("--scenario", default=None)
    options = parser.parse_args()
    first, last = (int(part) for part in options.seeds.split(":"))
    found = list(runs(seeds=range(first, last), scenario=options.scenario))
    print("\n".join(by_scenario(found=found)))  # noqa: T201  a command
    print("\n".join(failures(found=found)))  # noqa: T201  a command
    for one in measures(found=found):
        low, high = one.interval
        met = "" if one.is_met else "  MISSED"
        print(f"{one.name:<45} {one.rate:.3f} of {one.n:>4}  {low:.2f} to {high:.2f}{met}")  # noqa: T201
    print(f"diagnosed in {sum(one.seconds for one in found):.0f} s")  # noqa: T201


if __name__ == "__main__":
    main()
