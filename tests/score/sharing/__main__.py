"""`python -m tests.score.sharing [row …]`: run what shows a promise, write the scorecard's table.

Rows that are not named keep what was measured of them before. `WORKERS=4` runs tests beside each
other. All of it takes about an hour on two free cores, most of it `equality`.
"""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tests.score import sections
from tests.score.sharing.measured import Measured, of_bench, of_tests
from tests.score.sharing.rows import PROMISES, Promise

SECTION: Final = "sharing"
HEAD: Final = """\
## Sharing (simulated parties)

Written by `python -m tests.score.sharing`, a row each by its name: the tests of a promise are run,
and n is what they counted. The interval is that of the share that fails, 95 %, Wilson. What all
parties together find out stands under *The drill*.

| asked for | measured | n | 95 % interval | required | | by |
|---|---|---|---|---|---|---|
"""
ROW: Final = re.compile(r"^\|.*\| `(?P<name>[\w-]+)`: .*$", re.MULTILINE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rows that are asked for; leave with 1 where one is missed."""
    names = [each.name for each in PROMISES]
    parser = ArgumentParser(prog="tests.score.sharing", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="row", help=", ".join(names))
    wanted = parser.parse_args(arguments).rows or names
    if unknown := sorted({*wanted} - {*names}):
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(names)}")
    is_met, table = True, ""
    for promise, found in measured([each for each in PROMISES if each.name in wanted]):
        table = _table(known() | {promise.name: promise.line(found)})
        sections.put(SECTION, table)  # at once: what comes after it may take long
        is_met = is_met and promise.is_met(found)
    print(table)  # noqa: T201  a command
    return 0 if is_met else 1


def measured(promises: Sequence[Promise]) -> Iterator[tuple[Promise, Measured]]:
    """Yield what came of each promise; a part of the bench runs once for all of its figures."""
    figures: dict[str, Mapping[str, Measured]] = {}
    for each in promises:
        if not each.bench:
            yield each, of_tests(paths=each.tests)
            continue
        if each.bench not in figures:
            figures[each.bench] = of_bench(each.bench)
        yield each, figures[each.bench][each.figure]


def _table(lines: Mapping[str, str]) -> str:
    rows = [lines[each.name] for each in PROMISES if each.name in lines]
    absent = ", ".join(f"`{each.name}`" for each in PROMISES if each.name not in lines)
    return HEAD + "\n".join([*rows, *(["", f"Not measured yet: {absent}."] if absent else [])])


def known() -> dict[str, str]:
    """Return the rows that the scorecard has, by name."""
    text = sections.CARD.read_text(encoding="utf-8") if sections.CARD.is_file() else ""
    own = [one for one in sections.sections_of(text) if one.startswith(f"<!-- {SECTION} -->")]
    return {row["name"]: row[0] for one in own for row in ROW.finditer(one)}


if __name__ == "__main__":
    sys.exit(main())
