"""`python -m tests.score.gauge`: print the totals; with --cases the learn part by layer, too.

With --keep and the day the totals of each batch that is here as a whole go into measured.csv: where
its texts aren't, they are printed with their day. --card writes the rows into docs/scorecard.md.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from datetime import date

from tests.score.gauge import card, kept
from tests.score.gauge.labels import read_labels
from tests.score.measures import Measure
from tests.score.rows import with_rows
from tests.score.sections import CARD


def main() -> int:
    """Print the gauge; leave with 2 where its texts aren't."""
    parser = ArgumentParser(
        prog="tests.score.gauge",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cases", action="store_true", help="with the misses of the learn part")
    parser.add_argument(
        "--keep", type=date.fromisoformat, metavar="DAY", help="keep the totals of whole batches"
    )
    parser.add_argument("--card", action="store_true", help="write the rows of the scorecard")
    told = parser.parse_args()
    folder = card.texts_folder()
    found = card.gauged(folder=folder, labels=read_labels())
    if not found.read:
        absent = f"absent: {found.labelled} texts of the gauge in {folder}"
        print(f"{absent} ({card.FOLDER} names another)", file=sys.stderr)  # noqa: T201  a command
        return 2
    if told.keep:
        _keep(found, told.keep)
    rows = [*card.totals(found=found), *card.beside(found=found)]
    if told.card:
        _write(rows)
    print("\n".join([*map(_row, rows), *(_listed(found) if told.cases else [])]))  # noqa: T201  a command
    return 0


def _keep(found: card.Gauged, day: date) -> None:
    measured = card.measured(found=found, day=day.isoformat())
    kept.write_kept(kept=kept.with_measured(kept=kept.read_kept(), measured=measured))


def _write(rows: list[Measure]) -> None:
    text = CARD.read_text(encoding="utf-8")
    CARD.write_text(with_rows(card=text, begin="gauge", rows=rows), encoding="utf-8")


def _listed(found: card.Gauged) -> list[str]:
    return [*map(_row, card.by_layer(found=found)), *card.misses(found=found)]


def _row(one: Measure) -> str:
    low, high = one.interval
    return f"{one.rate:.3f} of {one.n:>3}  ({low:.2f} to {high:.2f})  {one.name}"


if __name__ == "__main__":
    sys.exit(main())
