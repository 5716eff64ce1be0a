"""D5: slow-downs of runs whose steps jitter, and none where nothing became slower."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.steps.level_changes import level_changes
from apps.training.steps.step_times import StepTime
from tests.score.reliability.row import Row, share

NUMBERS = ("D5",)
SEED = 52_026
STEPS = 400
HEALTHY = 1000
SLOWED = 499  # as many as were judged in the published work
USUAL_SECONDS = 10.0
JITTER = 0.07
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
Jitter = Callable[[np.random.Generator], Floats]


def normal(random: np.random.Generator) -> Floats:
    """Return factors of a run: a normal jitter whose three standard deviations are 7 %."""
    return 1 + np.clip(random.normal(0.0, JITTER / 3, STEPS), -JITTER, JITTER)


def uniform(random: np.random.Generator) -> Floats:
    """Return factors of a run: anything within 7 % as often."""
    return 1 + random.uniform(-JITTER, JITTER, STEPS)


def rows() -> Iterator[Row]:
    """Yield false alarms, what is found in time, and both where lengths of sequences vary."""
    yield from _of_jitter("normal", normal)
    yield from _of_jitter("uniform", uniform)
    yield from _of_varying_lengths()


def _of_jitter(name: str, jitter: Jitter) -> Iterator[Row]:
    """Yield the rows of one kind of jitter. As many slowed runs are judged as healthy ones."""
    random = np.random.default_rng([SEED, len(name)])
    told = [len(level_changes(run(jitter(random)))) for _ in range(HEALTHY)]
    found = sum(_is_found(random, jitter(random), random.uniform(0.1, 0.6)) for _ in _cases())
    least = sum(_is_found(random, jitter(random), 0.1) for _ in _cases())
    kind = f"{name} jitter of ±7 %"
    yield Row(
        number="D5",
        name=f"step times: changes told in healthy runs, {kind}",
        value=float(sum(told)),
        n=HEALTHY,
        at_most=0.0,
    )
    right = found + sum(not count for count in told[:SLOWED])
    yield share(
        "D5",
        f"step times: judged rightly, healthy or slowed by 10 to 60 %, {kind}",
        right,
        2 * SLOWED,
        at_least=0.99,
    )
    yield share("D5", f"step times: slow-downs found within 3 steps, {kind}", found, SLOWED)
    yield share("D5", f"step times: those of just 10 %, {kind}", least, SLOWED)


def run(factors: Floats, work: Floats | None = None) -> list[StepTime]:
    """Return the steps of a run; `work`, one row per step, is what each had to do."""
    seconds = USUAL_SECONDS * factors
    ends = np.cumsum(seconds).tolist()
    amounts = [()] * len(ends) if work is None else [tuple(row) for row in work.tolist()]
    return [
        StepTime(
            attempt=1,
            step=step,
            ends_at=BEGIN + timedelta(seconds=end),
            seconds=took,
            workload=amount,
        )
        for step, (end, took, amount) in enumerate(
            zip(ends, seconds.tolist(), amounts, strict=True), 1
        )
    ]


def _cases() -> range:
    return range(SLOWED)


def _is_found(
    random: np.random.Generator, factors: Floats, slower: float, work: Floats | None = None
) -> bool:
    """Say whether the first slow-down that is told is the true one, within its first 3 steps."""
    begins = int(random.integers(60, STEPS - 20))
    slowed = factors * np.where(np.arange(STEPS) >= begins, 1 + slower, 1.0)
    told = [each for each in level_changes(run(slowed, work)) if each.is_slower]
    # Steps are counted from one: the first slow one is begins + 1.
    return bool(told) and begins + 1 <= told[0].found_step <= begins + 3


def _of_varying_lengths() -> Iterator[Row]:
    random = np.random.default_rng([SEED, 3])
    runs = [_varying(random) for _ in range(HEALTHY // 2)]
    told = {True: 0, False: 0}
    for factors, work in runs:
        for normalized in told:
            told[normalized] += len(level_changes(run(factors, work if normalized else None)))
    for normalized, at_most in ((True, 0.3), (False, None)):
        yield Row(
            number="D5",
            name="step times: changes told a healthy run of varying sequence lengths, "
            + ("by what steps had to do" if normalized else "by time alone"),
            value=told[normalized] / len(runs),
            n=len(runs),
            at_most=at_most,
        )
    found = sum(_is_found(random, *_slowed(random)) for _ in _cases())
    yield share(
        "D5",
        "step times: slow-downs of 10 to 60 % found within 3 steps, varying lengths",
        found,
        SLOWED,
    )


def _slowed(random: np.random.Generator) -> tuple[Floats, float, Floats]:
    factors, work = _varying(random)
    return factors, float(random.uniform(0.1, 0.6)), work


def _varying(random: np.random.Generator) -> tuple[Floats, Floats]:
    """Return factors and work of a run whose share of long documents drifts and jumps.

    A step takes as long as its tokens and the sum of its squared lengths say, and a jitter.
    """
    mix = np.clip(0.3 + np.cumsum(random.normal(0, 0.05, STEPS)), 0.0, 1.0)
    tokens = random.uniform(0.9, 1.1, STEPS)
    squares = (1 + 4 * mix) * random.uniform(0.8, 1.2, STEPS)
    return normal(random) * (0.6 * tokens + 0.2 * squares), np.column_stack([tokens, squares])
