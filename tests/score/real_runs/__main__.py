"""`python -m tests.score.real_runs`: print the shares, and each run of the parts to learn from."""

import sys

from tests.score.gauge.labels import HELD
from tests.score.measures import Measure
from tests.score.real_runs import card


def main() -> int:
    """Print what is said of the runs that are kept."""
    found = card.answers()
    learnt = [one.as_text for one in found if one.label.part != HELD]
    print("\n".join([*map(_row, card.measures(found=found)), "", *learnt]))  # noqa: T201  a command
    return 0


def _row(one: Measure) -> str:
    low, high = one.interval
    return f"{one.rate:.3f} of {one.n:>3}  ({low:.2f} to {high:.2f})  {one.name}"


if __name__ == "__main__":
    sys.exit(main())
