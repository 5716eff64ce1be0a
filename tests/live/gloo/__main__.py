"""Break real runs in all ways, print what is said of each, and write that into the scorecard.

`FAULTLINE_TORCH_PYTHON=/path/to/python python -m tests.live.gloo [--keep FOLDER] [NAME …]`
`python -m tests.live.gloo --kept FOLDER` judges what was kept once more.
"""

import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

from tests.live.gloo.judge import VARIABLE, Judged, judged, judged_again, python_with_torch
from tests.live.gloo.ways import WAYS, Way
from tests.score.sections import put

SECTION = "torch"
HEAD = """## Real runs of PyTorch

Four ranks of PyTorch over gloo under torchrun, in {count} ways, made and judged by
`python -m tests.live.gloo`: {right} of {count} as an expert says it (status, layer, cause, who
stopped first, whom to leave out, end, the deciding line quoted). The verdicts were mended while
looking at these runs, and their outputs are cases of the ordinary tests: other programs will score
lower.

| run | an expert | said | differs in |
|---|---|---|---|
"""


def main() -> int:
    """Leave with 1 where a verdict is not an expert's, 2 where there is no PyTorch."""
    parser = ArgumentParser(prog="tests.live.gloo", description=__doc__)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the outputs there")
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="run nothing, read these")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.kept is None and not python_with_torch():
        print(f"no PyTorch here: name a Python that has it in {VARIABLE}")  # noqa: T201  a command
        return 2
    found: list[Judged] = []
    for way in [one for one in WAYS if not options.names or one.name in options.names]:
        found.append(_judged(way, keep=options.keep, kept=options.kept))
        print(found[-1].as_row(), flush=True)  # noqa: T201  a command
    if not options.names:
        put(SECTION, _section(found))
    return 1 if any(one.misses for one in found) else 0


def _judged(way: Way, *, keep: Path | None, kept: Path | None) -> Judged:
    if kept is not None:
        return judged_again(way=way, folder=kept)
    with tempfile.TemporaryDirectory() as folder:
        return judged(way=way, folder=Path(folder), keep=keep)


def _section(found: list[Judged]) -> str:
    right = sum(not one.misses for one in found)
    rows = "\n".join(one.as_row() for one in found)
    return HEAD.format(count=len(found), right=right) + rows


if __name__ == "__main__":
    sys.exit(main())
