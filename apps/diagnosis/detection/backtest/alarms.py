"""Pages → alarms: what is told of one entity within half an hour is told once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from apps.diagnosis.detection.backtest.report import Alarm
from apps.diagnosis.model import Anomaly, Device, EarlyWarning

REFRACTORY = timedelta(minutes=30)


def alarms_of(episodes: Iterable[EarlyWarning]) -> tuple[Alarm, ...]:
    """Return the pages, merged by entity, in order of time."""
    return merged([_alarm(each) for each in episodes if each.is_page])


def merged(alarms: Sequence[Alarm]) -> tuple[Alarm, ...]:
    """Return alarms of one entity that follow each other within the refractory time as one."""
    open_: dict[str, int] = {}
    found: list[Alarm] = []
    for each in sorted(alarms, key=lambda one: (one.raised_at, one.part)):
        key = each.host or each.part
        place = open_.get(key)
        if place is not None and each.raised_at <= _reach(found[place]):
            found[place] = _joined(found[place], each)
        else:
            open_[key] = len(found)
            found.append(each)
    return tuple(found)


def trivial(anomalies: Sequence[Anomaly]) -> Mapping[str, tuple[Alarm, ...]]:
    """Return what single rules would have told: the yardstick that fusion has to beat."""
    return {
        "Xid only": merged([_single(one) for one in anomalies if one.family == "xid"]),
        "host silent only": merged(
            [_single(one) for one in anomalies if one.kind == "silence" and one.detail == "node"]
        ),
        "any counter": merged(
            [_single(one) for one in anomalies if one.kind == "counter-increase"]
        ),
    }


def _alarm(episode: EarlyWarning) -> Alarm:
    return Alarm(
        host=episode.entity.host,
        part=part_name(episode.entity),
        raised_at=episode.raised_at,
        ends_at=episode.ends_at,
        score=episode.score,
        families=episode.families,
        layer=episode.layer.value,
        hosts=episode.hosts,
        causes=episode.causes,
        statement=episode.statement,
    )


def _single(anomaly: Anomaly) -> Alarm:
    at = anomaly.noticed_at or anomaly.starts_at
    return Alarm(
        host=anomaly.entity.host,
        part=part_name(anomaly.entity),
        raised_at=at,
        ends_at=anomaly.ends_at,
        score=abs(anomaly.score),
        families=(anomaly.family,),
        layer=anomaly.layer.value,
    )


def part_name(entity: Device) -> str:
    """Return a part in a few words."""
    number = f" {entity.index}" if entity.index is not None else f" {entity.name or ''}".rstrip()
    if entity.kind == "node":
        return entity.host or "node"
    return f"{entity.host} {entity.kind}{number}" if entity.host else f"{entity.kind}{number}"


def _reach(alarm: Alarm) -> datetime:
    return max(alarm.ends_at or alarm.raised_at, alarm.raised_at) + REFRACTORY


def _joined(one: Alarm, other: Alarm) -> Alarm:
    more = tuple(each for each in other.families if each not in one.families)
    ends = [each for each in (one.ends_at, other.ends_at) if each is not None]
    return replace(one, ends_at=max(ends, default=None), families=(*one.families, *more))
