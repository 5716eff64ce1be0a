"""One organization floods each receiver in turn: what another one's people and senders feel of it.

`python -m tests.bench.bench_fairness [--only logs …] [--rate 200] [--rounds 3]`. A portal of its
own. The other organization pushes, lets sessions die and reads its list of incidents, in quiet and
beside the flood by turns, so that what else the machine does meets both; each figure is a p95 and
how many times the quiet one of the same turns it is. A flood that seems to be felt is measured
again, and all of its turns count. "nobody" floods nothing: it says how far chance alone goes. The
flood is a client on the same machine: its bodies are prepared, it is nice, its cost is printed.
"""

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Final

import requests

from tests.bench.bench_latency import Portal
from tests.bench.bench_latency import portal as portal_of_parties
from tests.bench.felt import PUSHES_A_SECOND, READER, SUBJECTS, Felt, Other
from tests.bench.floods import FLOODS
from tests.bench.report import load, quantile

ROOT: Final = Path(__file__).resolve().parents[2]
SESSIONS: Final = 4  # a phase
ROUNDS: Final = 3
AGAIN: Final = 2  # times as many rounds for what seems to be felt
BOUND: Final = 2.0
NOBODY: Final = "nobody"
PAUSE_SECONDS: Final = 4.0  # after a flood, at least: shares come back
WORKED_OFF_SECONDS: Final = 120.0
DRAWS: Final = 400
WRONG: Final = frozenset({"400", "401", "403", "404", "405", "413", "415"})  # nobody floods so


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was felt beside one flood and in the quiet before it, turn by turn."""

    name: str
    quiet: list[Felt] = field(default_factory=list)
    flooded: list[Felt] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    cpu_seconds: list[float] = field(default_factory=list)

    def ratio(self, what: str) -> float:
        """Return how many times the quiet p95 the flooded one is."""
        return Felt.of(self.flooded).p95(what) / Felt.of(self.quiet).p95(what)

    def interval(self, what: str) -> tuple[float, float]:
        """Return between what nine of ten redrawn ratios lie."""
        draw = random.Random(7)  # noqa: S311  no secret
        quiet = getattr(Felt.of(self.quiet), what)
        flooded = getattr(Felt.of(self.flooded), what)
        drawn = [
            _p95(draw.choices(flooded, k=len(flooded))) / _p95(draw.choices(quiet, k=len(quiet)))
            for _ in range(DRAWS)
        ]
        return quantile(drawn, 0.05), quantile(drawn, 0.95)

    def is_felt(self) -> bool:
        """Whether any figure is over the bound."""
        return any(self.ratio(what) > BOUND for what in SUBJECTS)

    def row(self) -> str:
        """Return a line of the table."""
        flooded = Felt.of(self.flooded)
        figures = [self._figure(what) for what in SUBJECTS]
        told = ", ".join(f"{count} x {what}" for what, count in sorted(self.answers.items()))
        counts = f"{len(flooded.pushes)} / {len(flooded.verdicts)}"
        failures = str(len(flooded.failures))
        return f"| {' | '.join([self.name, *figures, counts, failures, told or '-'])} |"

    def _figure(self, what: str) -> str:
        low, high = self.interval(what)
        p95 = Felt.of(self.flooded).p95(what)
        return f"{self.ratio(what):.2f} ({low:.2f}-{high:.2f}), {p95 * 1000:.0f} ms"


def _p95(values: Sequence[float]) -> float:
    return quantile(values, 0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A portal, who floods it, and who feels it."""

    portal: Portal
    other: Other
    rate: float
    sessions: int

    def turn(self, measured: Measured) -> None:
        """Feel the quiet, then the flood, and wait until what it left is worked off."""
        self.wait_until_worked_off()
        measured.quiet.append(self.other.feel(sessions=self.sessions))
        with self._flood(measured.name) as said:
            Event().wait(2)
            measured.flooded.append(self.other.feel(sessions=self.sessions))
        for each in said:
            if other := set(each["answers"]) & WRONG:
                raise SystemExit(f"fairness: the flood of {measured.name} was answered {other}")
            measured.answers.update(each["answers"])
            measured.cpu_seconds.append(each["seconds"])

    def wait_until_worked_off(self) -> None:
        """Wait until nothing waits: a backlog would make the next quiet look busy."""
        Event().wait(PAUSE_SECONDS)
        ends_at = monotonic() + WORKED_OFF_SECONDS
        while self._waiting() and monotonic() < ends_at:
            Event().wait(1)

    def _waiting(self) -> float:
        lines = requests.get(f"{self.portal.base_url}/metrics", timeout=60).text.splitlines()
        found = [each for each in lines if each.startswith("portal_batches_waiting{")]
        return sum(float(each.rpartition(" ")[2]) for each in found)

    @contextmanager
    def _flood(self, name: str) -> Iterator[list[Any]]:
        if name == NOBODY:
            yield []
            return
        token = self.portal.tokens["flooder"]
        with flood(receiver=name, portal=self.portal, token=token, rate=self.rate) as said:
            yield said


@contextmanager
def flood(*, receiver: str, portal: Portal, token: str, rate: float) -> Iterator[list[Any]]:
    """Flood until the block ends; what the flood says of itself is in the list afterwards."""
    said: list[Any] = []
    command = [sys.executable, "-m", "tests.bench.floods", receiver, "--url", portal.base_url]
    with subprocess.Popen(  # noqa: S603  our own module
        [*command, "--rate", str(rate), "--seconds", "600"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        print(token, file=running.stdin, flush=True)
        running.stdout.readline()
        try:
            yield said
        finally:
            running.terminate()
            said.append(json.loads(running.stdout.readlines()[-1]))


def table(found: Sequence[Measured], *, rate: float) -> Iterator[str]:
    """Yield the table, as it can stand in docs/scorecard.md."""
    yield (
        f"p95 beside a flood of {rate:.0f} requests a second ({rate / PUSHES_A_SECOND:.0f} times "
        "the other's) as a multiple of the quiet one in the same turns, with the interval in which "
        f"nine of ten redrawn ratios lie, and what it was; {load()}"
    )
    yield ""
    subjects = [words.capitalize() for words in SUBJECTS.values()]
    counts = "n (pushes, pages / verdicts)"
    heads = ["Flood of", *subjects, counts, "refused or lost", "what the flood was answered"]
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    yield from (each.row() for each in found)
    yield ""


def worst(found: Sequence[Measured]) -> Iterator[str]:
    """Yield the worst ratio of each kind, and what of the other's acts failed."""
    for what, words in SUBJECTS.items():
        one = max(found, key=lambda each: each.ratio(what))
        ratio = one.ratio(what)
        yield f"fairness: {words}, p95, at most {ratio:.2f} x quiet, beside a flood of {one.name}"
    failures = sorted(each for one in found for felt in one.flooded for each in felt.failures)
    yield f"fairness: {len(failures)} of the other's acts failed {failures[:5]}"


def progress(measured: Measured) -> str:
    """Return how a flood stands after a turn."""
    ratios = ", ".join(f"{what} {measured.ratio(what):.2f}" for what in SUBJECTS)
    quiet = Felt.of(measured.quiet)
    now = ", ".join(f"{what} {quiet.p95(what) * 1000:.0f} ms" for what in SUBJECTS)
    rounds = len(measured.flooded)
    return f"fairness, {measured.name}, {rounds} turns: {ratios} x quiet ({now}), {load()}"


def main() -> None:
    """Start a portal, measure by turns in quiet and beside each flood, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=[NOBODY, *FLOODS], default=[NOBODY, *FLOODS])
    parser.add_argument("--rate", type=float, default=50 * PUSHES_A_SECOND)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    wanted = parser.parse_args()
    found = [Measured(name=name) for name in wanted.only]
    with portal_of_parties(also=("flooder",)) as running:
        other = Other(portal=running, cookies=running.inside(READER))
        bench = Bench(portal=running, other=other, rate=wanted.rate, sessions=wanted.sessions)
        other.feel(sessions=2)  # warm
        for number in range(wanted.rounds * (1 + AGAIN)):
            for each in found:
                if number < wanted.rounds or each.is_felt():
                    bench.turn(each)
                    print(progress(each), flush=True)  # noqa: T201
    floods = [each for each in found if each.name != NOBODY]
    print("\n".join([*table(found, rate=wanted.rate), *worst(floods or found)]))  # noqa: T201


if __name__ == "__main__":
    main()
