"""The numbers of fusion. Three were tuned on simulated shadow data; the rest are conventions."""

from dataclasses import dataclass
from datetime import timedelta

# From this share of the hosts (and three of them) on, the cause is shared.
SHARED_SHARE = 0.2
SHARED_HOSTS = 3
# Hosts that begin this soon after each other began together: clocks, scrapes and continuity differ.
TOGETHER = timedelta(minutes=5)
# From this share of the hosts on, silence is the source's or the exporters', not the machines'.
OUTAGE_SHARE = 0.5
# What is no hard fact waits this long before it pages: to hear whether the others have it too.
HOLD = timedelta(minutes=2)
# A page of the same entity is not repeated within this time after its last finding.
REFRACTORY = timedelta(minutes=30)
# What has lasted for longer is the state of that machine, not news.
NEWS = timedelta(hours=6)
# After a band, members come back one after the other, and continuity has to pass once more.
SETTLING = timedelta(minutes=5)
# A page is left where its evidence falls below this part of what it took to enter.
LEAVE_SHARE = 0.5
# What this share of the other hosts showed within a day is worth half.
COMMON_SHARE = 0.05
# Families of one layer often measure one thing: beyond the strongest they count half.
SAME_LAYER = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What may be tuned. No more than these three: failures are few, so more would be fitted."""

    enter: float = 0.5  # evidence for one cause that pages
    support: float = 0.25  # evidence from which a family counts as one that agrees
    window: timedelta = timedelta(minutes=30)  # families this far apart still tell one story
