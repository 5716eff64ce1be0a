"""Run ways and keep their logs: FAULTLINE_TORCH_PYTHON=… python -m tests.live.nodes [NAME …]."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from tests.live.nodes.recording import recorded, skipped
from tests.live.nodes.stage import NeverSaid
from tests.live.nodes.ways.every import WAYS

KEPT = Path(__file__).parents[2] / "scenarios" / "node_runs"


def main() -> int:
    """Keep the runs that are named, or all; leave with 1 where one could not be made."""
    parser = ArgumentParser(prog="tests.live.nodes", description=__doc__)
    parser.add_argument("--into", type=Path, default=KEPT, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help="or the beginning of one")
    asked = parser.parse_args()
    failed = 0
    for way in WAYS:
        if asked.names and not way.name.startswith(tuple(asked.names)):
            continue
        reason = skipped(way)
        try:
            if not reason:
                recorded(way, into=asked.into / way.name)
        except NeverSaid as error:
            reason = str(error)
        failed += bool(reason)
        print(f"{way.name}: {reason or 'kept'}", flush=True)  # noqa: T201  a command
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
