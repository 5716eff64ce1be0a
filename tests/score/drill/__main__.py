"""`python -m tests.score.drill`: run the drill, print its table, write it into the scorecard."""

import sys

from tests.score import sections
from tests.score.drill import card


def main() -> int:
    """Print the table; leave with 1 where a requirement is missed."""
    found = card.runs()
    table = card.section(found)
    sections.put("drill", table)
    print("\n".join([table, "", *card.failures(found)]))  # noqa: T201  a command
    return 0 if all(each.is_met for each in card.measures(found)) else 1


if __name__ == "__main__":
    sys.exit(main())
