"""What a run printed, without the paths and hosts of the machine it ran on."""

import re
import sys
import sysconfig
from pathlib import Path

MOST = 500  # characters of a line
MOST_FRAMES = 2  # of C++ in a row
FRAME = re.compile(r"(?:\[rank\d\]:)?\s*frame #")
CARETS = re.compile(r"(?:\[rank\d\]: )?\s+[\^~]+$")
HERE = re.compile(r"(host\s+: )\S+")


def plain(text: str, *, folder: Path, program: Path, python: str, host: str | None) -> str:
    """Return a log as it would have been printed on `host`, shortened; None leaves hosts be."""
    prefix = Path(python).parent.parent
    for path, name in (
        (str(program), "/app/train.py"),
        (str(folder), "/runs/7"),
        (python, "/usr/bin/python3"),
        (str(prefix), "/usr"),
        (sysconfig.get_path("stdlib"), "/usr/lib/python3.11"),
        (sys.base_prefix, "/usr"),
        ("/__w/pytorch/pytorch/", "/build/pytorch/"),
    ):
        text = text.replace(path, name)
    if host is not None:
        text = HERE.sub(rf"\g<1>{host}", text)
    return "\n".join(_shortened(text.split("\n")))


def _shortened(lines: list[str]) -> list[str]:
    kept: list[str] = []
    frames = 0
    for line in lines:
        frames = frames + 1 if FRAME.match(line) else 0
        if frames <= MOST_FRAMES and not CARETS.match(line):
            kept.append(line[:MOST])
    return kept
