"""`python -m tests.score.gauge`: print the totals; with --cases the learn part by layer, too."""

import sys
from argparse import ArgumentParser

from tests.score.gauge import card
from tests.score.gauge.labels import read_labels
from tests.score.measures import Measure


def main() -> int:
    """Print the gauge; leave with 2 where its texts aren't."""
    parser = ArgumentParser(prog="tests.score.gauge", description=__doc__)
    parser.add_argument("--cases", action="store_true", help="with the misses of the learn part")
    listed = parser.parse_args().cases
    folder = card.texts_folder()
    found = card.gauged(folder=folder, labels=read_labels())
    if not found.read:
        absent = f"absent: {found.labelled} texts of the gauge in {folder}"
        print(f"{absent} ({card.FOLDER} names another)", file=sys.stderr)  # noqa: T201  a command
        return 2
    lines = [*map(_row, card.totals(found=found)), *(_listed(found) if listed else [])]
    print("\n".join(lines))  # noqa: T201  a command
    return 0


def _listed(found: card.Gauged) -> list[str]:
    return [*map(_row, card.by_layer(found=found)), *card.misses(found=found)]


def _row(one: Measure) -> str:
    low, high = one.interval
    return f"{one.rate:.3f} of {one.n:>3}  ({low:.2f} to {high:.2f})  {one.name}"


if __name__ == "__main__":
    sys.exit(main())
