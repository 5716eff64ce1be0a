"""`python -m tests.census`: the labels of a seed, or they and a slice of its values as files."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests import census
from tests.census import listing, slices


def main(words: Sequence[str] | None = None) -> None:
    """Print the labels of a seed, or write them and a slice. Ends with 2 where that can't be."""
    parser = _parser()
    asked = parser.parse_args(words)
    laid_out = census.plan(asked.seed)
    text = listing.as_csv(listing.rows(seed=laid_out.seed, labels=laid_out.labels))
    if asked.write is None:
        sys.stdout.write(text)
        return
    directory: Path = asked.write
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "labels.csv").write_text(text, encoding="utf-8")
    sessions = listing.sessions_as_csv(laid_out)
    (directory / "sessions.csv").write_text(sessions, encoding="utf-8")
    _tell(directory / "labels.csv", directory / "sessions.csv")
    if asked.hours:
        part = slices.Slice(
            from_hour=asked.from_hour, hours=asked.hours, hosts=asked.hosts, names=asked.names
        )
        try:
            series = directory / "series"
            _tell(*slices.write(census=laid_out, part=part, form=asked.form, directory=series))
        except (slices.SliceTooLarge, ValueError) as unfit:
            parser.error(str(unfit))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.census", description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", type=Path, help="write below this directory")
    parser.add_argument("--hours", type=int, default=0, help="length of the slice; 0: none")
    parser.add_argument("--from-hour", type=int, default=0, help="of the 1,320 hours")
    parser.add_argument("--hosts", default=".*", help="pattern of nodes")
    parser.add_argument("--names", default=".*", help="pattern of metric names")
    parser.add_argument("--as", choices=slices.FORMATS, default="csv", dest="form")
    return parser


def _tell(*paths: Path) -> None:
    sys.stdout.writelines(f"simulated: {path}\n" for path in paths)


if __name__ == "__main__":
    main()
