"""How the traces of one failure are written down."""

import numpy as np

from tests.census.cases import Case
from tests.census.effects import Effect, Gap, Happenings

Chance = np.random.Generator


class Pen:
    """Writes the effects of one case."""

    def __init__(self, *, case: Case, into: Happenings, rng: Chance) -> None:
        """Remember where and into what to write."""
        self.case = case
        self.into = into
        self.rng = rng
        # How bad: 0.25 to 1.5, most moderate. Of degradations only.
        self.severity = float(np.exp(rng.uniform(np.log(0.25), np.log(1.5))))

    def effect(
        self,
        names: tuple[str, ...] | str,
        operation: str,
        amount: float,
        *,
        shape: str = "step",
        span: tuple[float, float] | None = None,
        whole: bool = False,
    ) -> None:
        """Write one effect, over the whole case when no span is given."""
        start, end = span or (self.case.at, self.case.ends_at)
        self.into.effects.append(
            Effect(
                names=(names,) if isinstance(names, str) else names,
                hosts=(self.case.host,),
                starts_at=start,
                ends_at=end,
                operation=operation,
                amount=float(amount),
                shape=shape,
                gpu=None if whole else self.case.gpu,
                key=self.case.number,
            )
        )

    def burst(self, name: str, number: float, *, seconds: float = 40.0) -> None:
        """Let an event counter jump by about a number in the first moments."""
        at = self.case.at + self.rng.uniform(0, seconds)
        gpu = -1 if self.case.gpu is None else self.case.gpu
        self.into.count(name, self.case.host, gpu, float(at), 1 + int(self.rng.poisson(number)))

    def gap(self, what: str, start: float, end: float) -> None:
        """Let an exporter, a GPU or the node be gone for a while."""
        gpu = self.case.gpu if what == "gpu" else None
        self.into.gaps.append(
            Gap(host=self.case.host, what=what, starts_at=start, ends_at=end, gpu=gpu)
        )

    def trickle(self, names: tuple[str, ...], number: float) -> None:
        """Let event counters grow about `number` times in all, evenly over the case."""
        case = self.case
        gpu = -1 if case.gpu is None else case.gpu
        for name in names:
            for share in self.rng.random(int(self.rng.poisson(number))):
                at = case.at + float(share) * (case.ends_at - case.at)
                self.into.count(name, case.host, gpu, at, int(self.rng.geometric(0.4)))
