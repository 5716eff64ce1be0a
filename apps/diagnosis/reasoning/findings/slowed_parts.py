"""Beside the steps: a part that was slowed down long before its session failed."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import Observation
from apps.diagnosis.observed import finding

RISEN = "finding:slow-until-failed"
# What slows a part for long, by the cause that a line of it names first.
SLOWED = {"gpu-throttling": "throttled", "cpu-starvation": "stuck"}
# A part that was slowed down so long before others waited for its host may be slow yet.
LASTS = timedelta(hours=1)


def derive(
    *,
    observations: Sequence[Observation],
    started_at: datetime | None,
    failed_at: datetime | None,
    suspects: frozenset[str],
) -> list[Observation]:
    """Return that a part was told to be slowed down while the session ran, whose steps took far
    longer until it failed, or for whose host the others waited: what slows a part lasts, and is
    told when it begins.
    """
    risen = [one for one in observations if _has_risen_far(one)]
    found: list[Observation] = []
    for one in observations:
        how = SLOWED.get(one.causes[0]) if one.causes else None
        if how is None or one.standing != "old" or not one.events or one.host is None:
            continue
        is_shortly = _came_after(one, failed_at and failed_at - LASTS)
        if risen and (is_shortly or _came_after(one, started_at)):
            lines, name = [*one.events[:1], *risen[0].events[:1]], f"slower-since-{how}"
        elif is_shortly and one.host in suspects:
            lines, name = list(one.events[:1]), f"missed-since-{how}"
        else:
            continue
        found.append(finding(name, lines, host=one.host, layer=one.layer))
    return found


def _has_risen_far(one: Observation) -> bool:
    is_large = one.fields.get("rise") == "large"
    return one.sign == RISEN and one.standing == "joined" and is_large


def _came_after(one: Observation, since: datetime | None) -> bool:
    return since is not None and one.at is not None and one.at + one.error >= since
