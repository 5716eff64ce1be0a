"""The measures of the census over its seeds, and its section of the scorecard."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from apps.diagnosis.detection.backtest.report import FalseAlarms, Point
from apps.diagnosis.intervals import count_interval, share_interval
from apps.offline.backtest_report.text import span_words
from tests.score.measures import Measure

REMAP_EARLY = timedelta(days=7)
MOST_OF_ONE_FAMILY = 0.6
ABOUT = (
    "Written by `make score-census`: the published failure census on 63 simulated nodes for 55",
    "days. The thresholds were set on seeds 1 to 3; the physics was written without knowledge of",
    "the detectors. Shares have 95 % Wilson intervals, the rate of false alarms an exact Poisson",
    "interval. An alarm is false when no failure of that node follows within 24 h, none began",
    "within the hour before it and none is being repaired.",
    "Seeds 101 to 104 were judged once before: which kinds were missed there was known when the",
    "detectors of slow growth, missing parts and blocked tasks were added. Seed 105 was new.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One failure of one seed and what was told of it."""

    seed: int
    number: int
    group: str  # xid non-xid remap
    kind: str
    xid: int | None
    node: str
    since: timedelta | None  # how long before it something showed; None: nothing did
    lead: timedelta | None  # positive: told before it; None: never told
    families: tuple[str, ...] = ()
    strength: str = ""

    @property
    def is_found(self) -> bool:
        """Say whether an alarm spoke of it."""
        return self.lead is not None

    @property
    def is_possible(self) -> bool:
        """Say whether anything went before it."""
        return self.since is not None

    @property
    def is_claimed(self) -> bool:
        """Say whether the alarm claims to have been before it."""
        return self.lead is not None and self.lead > timedelta(seconds=60)

    @property
    def is_before(self) -> bool:
        """Say whether it was told of before, from what really went before it."""
        return (
            self.is_claimed and self.since is not None and (self.lead or self.since) <= self.since
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One seed, judged."""

    seed: int
    cases: tuple[Case, ...]
    false_alarms: tuple[FalseAlarms, ...]
    days: float
    node_days: float
    anomaly_count: int
    signal_count: int
    baselines: tuple[Point, ...]
    curve: tuple[Point, ...]
    seconds: float


def measures(found: Sequence[Seed]) -> list[Measure]:
    """Return the required measures over all seeds."""
    xid, other, remap = (_group(found, name) for name in ("xid", "non-xid", "remap"))
    possible = [each for each in xid if each.is_possible]
    impossible = [each for each in xid if not each.is_possible]
    false = sum(len(seed.false_alarms[0].alarms) for seed in found)
    days = sum(seed.days for seed in found)
    low, high = count_interval(false)
    detected = [each for seed in found for each in seed.cases if each.is_found]
    alone = sum(1 for each in detected if len(each.families) < 2)
    votes = _votes(detected)
    most = max(votes.values(), default=0)
    early = [each.lead is not None and each.lead >= REMAP_EARLY for each in remap]
    return [
        _share("Xid cases found", [each.is_found for each in xid], at_least=1.0),
        _share("told of before, of those possible", [each.is_before for each in possible], 0.5),
        _share("claimed before, of the impossible", [each.is_claimed for each in impossible]),
        _share("non-Xid cases found", [each.is_found for each in other], at_least=6 / 7),
        _share("remapping GPU told of a week before it vanishes", early),
        Measure(
            name="census: false alarm episodes a day, cluster-wide",
            n=false,
            value=false / days if days else 0.0,
            value_interval=(low / days, high / days) if days else (0.0, 0.0),
            at_most=0.5,
        ),
        Measure(
            name="census: detections by one family alone", hits=alone, n=len(detected), at_most=0.0
        ),
        Measure(
            name="census: largest share of one family in the votes of all detections",
            n=votes.total(),
            value=most / max(1, votes.total()),
            value_interval=share_interval(most, votes.total()),
            at_most=MOST_OF_ONE_FAMILY,
        ),
    ]


def section(found: Sequence[Seed]) -> str:
    """Return the section of the scorecard."""
    rows = measures(found)
    lines = [
        "## Census (simulated)",
        "",
        *ABOUT,
        f"Seeds {', '.join(str(each.seed) for each in found)}.",
        "",
        "| measure | value | n | 95 % interval | required | |",
        "|---|---|---|---|---|---|",
        *(_row(each) for each in rows),
        "",
        "| seed | Xid found | before / possible | claimed / impossible | non-Xid found | false at 24 h | 6 h | 1 h | a node-day | minutes |",  # noqa: E501  one row
        "|---|---|---|---|---|---|---|---|---|---|",
        *(_seed(each) for each in found),
        "",
        *_families(found),
        *_rules(found),
        "| seed | case | node | Xid | something showed | told | families, the heaviest first |",
        "|---|---|---|---|---|---|---|",
        *(_case(each) for seed in found for each in seed.cases),
        "",
    ]
    return "\n".join(lines)


def _group(found: Iterable[Seed], name: str) -> list[Case]:
    return [each for seed in found for each in seed.cases if each.group == name]


def _votes(detected: Iterable[Case]) -> "Counter[str]":
    return Counter(family for each in detected for family in dict.fromkeys(each.families))


def _share(name: str, hits: Sequence[bool], at_least: float | None = None) -> Measure:
    return Measure(name=f"census: {name}", hits=sum(hits), n=len(hits), at_least=at_least)


def _row(one: Measure) -> str:
    low, high = one.interval
    required = f"≥ {one.at_least:.2f}" if one.at_least is not None else ""
    required = f"≤ {one.at_most:.2f}" if one.at_most is not None else required
    met = ("met" if one.is_met else "missed") if required else ""
    return (
        f"| {one.name} | {one.rate:.3f} | {one.n} | {low:.2f} to {high:.2f} | {required} | {met} |"
    )


def _seed(seed: Seed) -> str:
    xid, other = _group([seed], "xid"), _group([seed], "non-xid")
    possible = [each for each in xid if each.is_possible]
    impossible = [each for each in xid if not each.is_possible]
    false = [len(each.alarms) for each in seed.false_alarms]
    rate = false[0] / seed.node_days if seed.node_days else 0.0
    cells = [
        str(seed.seed),
        f"{sum(each.is_found for each in xid)}/{len(xid)}",
        f"{sum(each.is_before for each in possible)}/{len(possible)}",
        f"{sum(each.is_claimed for each in impossible)}/{len(impossible)}",
        f"{sum(each.is_found for each in other)}/{len(other)}",
        *(str(each) for each in false),
        f"{rate:.4f}",
        f"{seed.seconds / 60:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


def _families(found: Sequence[Seed]) -> list[str]:
    detected = [each for seed in found for each in seed.cases if each.is_found]
    votes = _votes(detected)
    led = Counter(each.families[0] for each in detected if each.families)
    told = ", ".join(
        f"{family} {count} ({count / votes.total():.0%} of the votes, heaviest in {led[family]})"
        for family, count in votes.most_common(12)
    )
    return [f"Families in the {len(detected)} detections: {told}.", ""]


def _rules(found: Sequence[Seed]) -> list[str]:
    """Say beside it what trivial rules and other thresholds would have told."""
    lines = ["| rule | found | before | false a day |", "|---|---|---|---|"]
    days = sum(seed.days for seed in found)
    for kind in ("curve", "baselines"):
        names = [point.name for point in getattr(found[0], kind)] if found else []
        for place, name in enumerate(names):
            points = [getattr(seed, kind)[place] for seed in found]
            hits = sum(each.detected.hits for each in points)
            before = sum(each.before.hits for each in points)
            n = sum(each.detected.n for each in points)
            false = sum(each.a_day.count for each in points)
            rule = f"evidence ≥ {name}" if kind == "curve" else name
            lines.append(f"| {rule} | {hits}/{n} | {before} | {false / days:.2f} |")
    return [*lines, ""]


def _case(one: Case) -> str:
    since = f"{span_words(one.since)} before, {one.strength}" if one.since else "no"
    told = "missed"
    if one.lead is not None:
        told = f"{span_words(abs(one.lead))} {'before' if one.lead > timedelta(0) else 'after'}"
    families = ", ".join(one.families[:6])
    cells = (str(one.seed), one.kind, one.node, str(one.xid or ""), since, told, families)
    return f"| {' | '.join(cells)} |"
