"""`python -m tests.score.reliability [D5 R1 …]`: print the rows, and write them into the scorecard.

A module of this folder that has `rows` is measured. Where numbers are named, the rows of others
stay as they were. Leaves with 1 where a requirement is missed.
"""

import pkgutil
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from importlib import import_module

from tests.score import reliability, sections
from tests.score.reliability.row import Row

HEAD = [
    "## Reliability of training",
    "",
    "Written by `python -m tests.score.reliability`, a part of `make score`: each number of",
    "published work that the arithmetic of `apps/training` is held to, over fixtures made of fixed",
    "seeds. Shares have 95 % Wilson intervals, means bootstrap intervals; *exact* stands where",
    "nothing is drawn by chance.",
    "",
    "| | measure | value | n | 95 % interval | required | |",
    "|---|---|---|---|---|---|---|",
]
BEGIN = "<!-- reliability -->"
NUMBERED = re.compile(r"\| [A-Z]\d+ \|")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rows that are asked for; leave with 1 where one is missed."""
    parser = ArgumentParser(prog="tests.score.reliability", description=__doc__)
    parser.add_argument(
        "numbers", nargs="*", metavar="NUMBER", help="of rows, all if none is named"
    )
    numbers = parser.parse_args(arguments).numbers
    rows = sorted(measured(numbers), key=_order)
    lines = [row.line for row in rows]
    print("\n".join([*HEAD, *lines]))  # noqa: T201  a command
    if rows:
        kept = [line for line in _written() if numbers and _number_of(line) not in numbers]
        told = sorted([*kept, *lines], key=lambda line: _place_of(_number_of(line)))
        sections.put("reliability", "\n".join([*HEAD, *told]))
    return 0 if rows and all(row.is_met for row in rows) else 1


def _written() -> list[str]:
    """Return the rows that the scorecard holds."""
    text = sections.CARD.read_text(encoding="utf-8") if sections.CARD.is_file() else ""
    whole = next((one for one in sections.sections_of(text) if one.startswith(BEGIN)), "")
    return [line for line in whole.splitlines() if NUMBERED.match(line)]


def _number_of(line: str) -> str:
    return line.split("|")[1].strip()


def measured(numbers: Sequence[str] = ()) -> Iterator[Row]:
    """Yield the rows of all modules here, or of those that make the named numbers."""
    for found in pkgutil.iter_modules(reliability.__path__):
        if found.name.startswith("_"):
            continue
        module = import_module(f"{reliability.__name__}.{found.name}")
        made = getattr(module, "NUMBERS", ())
        if set(made) & set(numbers or made):
            yield from (row for row in module.rows() if row.number in (numbers or made))


def _order(row: Row) -> tuple[str, int]:
    return _place_of(row.number)


def _place_of(number: str) -> tuple[str, int]:
    return number[0], int(number[1:])


if __name__ == "__main__":
    sys.exit(main())
