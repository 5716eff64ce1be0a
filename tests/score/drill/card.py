"""The measures of the drill, and its table in docs/scorecard.md."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from apps.diagnosis.intervals import wilson
from tests.score import sections
from tests.score.drill.answers import TOGETHER, DrillAnswer, answers
from tests.score.drill.holdings import PARTIES, mixed_faults
from tests.score.measures import Measure

SEEDS: Final = range(301, 307)
MOST_ALONE, LEAST_TOGETHER = 0.49, 0.9  # alone: less than half
INTRODUCTION: Final = """\
## The drill (simulated)

Five mixed faults of {seeds} seeds each: one party holds the symptom, another the cause. Each party
answers alone with its own logs and metrics, as `manage.py diagnose` does, then all together
(`python -m tests.score.drill`). Right: layer and cause, and a host that broke where one did. The
operator holds the kernel logs and metrics of all 63 nodes, the storage vendor its server's log and
metrics, the network vendor the switches' log, platform and tenant what the scheduler and the
session print. In a cell: how many were right, and what was said most often. The seeds were chosen
before they were run, and nothing of the diagnosis was changed for it.
"""


def runs() -> list[DrillAnswer]:
    """Return every answer to every fault of the seeds."""
    return [
        answer
        for seed in SEEDS
        for fault in mixed_faults(seed=seed)
        for answer in answers(fault=fault)
    ]


def measures(found: Sequence[DrillAnswer]) -> list[Measure]:
    """Return the share that each party has right alone, and all together."""
    rows = []
    for party in (*PARTIES, TOGETHER):
        mine = [each for each in found if each.party == party]
        hits = sum(each.is_right for each in mine)
        name = f"drill: {party}" if party == TOGETHER else f"drill: {party} alone"
        least = LEAST_TOGETHER if party == TOGETHER else None
        most = None if party == TOGETHER else MOST_ALONE
        rows.append(Measure(name=name, hits=hits, n=len(mine), at_least=least, at_most=most))
    return rows


def failures(found: Sequence[DrillAnswer]) -> list[str]:
    """Return a line for each fault that all together did not have right."""
    return [
        f"drill {each.fault_name} of seed {each.seed}: all together said {each.said}, "
        f"expected {each.truth['cause']}"
        for each in found
        if each.party == TOGETHER and not each.is_right
    ]


def section(found: Sequence[DrillAnswer]) -> str:
    """Return the table: faults down, parties across, right of all, and what was mostly said."""
    parties = (*PARTIES, TOGETHER)
    heads = [f"{each} alone" for each in PARTIES] + [TOGETHER]
    lines = [
        *INTRODUCTION.format(seeds=len(SEEDS)).splitlines(),
        "",
        f"| fault, its cause | {' | '.join(heads)} |",
        "|---|" + "---|" * len(heads),
    ]
    for name in dict.fromkeys(each.fault_name for each in found):
        mine = [each for each in found if each.fault_name == name]
        cause = mine[0].truth["cause"]
        cells = [_cell([each for each in mine if each.party == party]) for party in parties]
        lines.append(f"| {name}, {cause} | {' | '.join(cells)} |")
    shares = [_share([each for each in found if each.party == party]) for party in parties]
    return "\n".join([*lines, f"| **right** | {' | '.join(shares)} |"])


def _cell(mine: Sequence[DrillAnswer]) -> str:
    [(said, _)] = Counter(each.said for each in mine).most_common(1)
    return f"{sum(each.is_right for each in mine)}/{len(mine)} {said}"


def _share(mine: Sequence[DrillAnswer]) -> str:
    hits = sum(each.is_right for each in mine)
    low, high = wilson(hits, len(mine))
    return f"**{hits / len(mine):.2f}** ({low:.2f} to {high:.2f})"


def part() -> tuple[list[Measure], list[str]]:
    """Run the drill and write its section of the card."""
    found = runs()
    sections.put("drill", section(found))
    return measures(found), failures(found)
