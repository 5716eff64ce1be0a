"""Rows of the scorecard's table, and how one part of them is written anew."""

from collections.abc import Sequence

from tests.score.measures import Measure


def table_row(one: Measure) -> str:
    """Return a row of the table as Markdown."""
    low, high = one.interval
    required = f"≥ {one.at_least:.2f}" if one.at_least is not None else ""
    required = f"≤ {one.at_most:.2f}" if one.at_most is not None else required
    met = "met" if one.is_met else "missed"
    return f"| {one.name} | {one.rate:.3f} | {one.n} | {low:.2f} to {high:.2f} | {required} | {met if required else ''} |"  # noqa: E501  one sentence


def with_rows(*, card: str, begin: str, rows: Sequence[Measure]) -> str:
    """Return the card with these in place of the rows whose names begin so; where it has none, as
    it was.
    """
    lines = card.split("\n")
    old = [number for number, line in enumerate(lines) if line.startswith(f"| {begin}")]
    if not old:
        return card
    stays = [line for number, line in enumerate(lines) if number not in old]
    at = old[0]
    return "\n".join([*stays[:at], *map(table_row, rows), *stays[at:]])
