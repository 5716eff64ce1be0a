"""Rules of metrics: whether series that the holder kept stayed within a limit. Needs its scope."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.checks.load import Check
from apps.diagnosis.model import statement
from apps.incidents.evidence_requests.answers.covered_part import Span, common, covered_part
from apps.incidents.evidence_requests.answers.values import CheckSubject, CoveredPart, Gap
from apps.telemetry.evidence.captured_series import CapturedSeries, charts

MISSED: Final = 3  # steps without a sample are no gap yet

Times = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSeries:
    """Series that broke the limit within the window, and where samples are missing."""

    count: int
    first_at: datetime | None
    gaps: tuple[Gap, ...]
    series: int
    part: CoveredPart | None = None  # of the window, where not all of it is covered


def found_series(*, check: Check, subject: CheckSubject) -> FoundSeries:
    """Return what the series that the holder kept of the incident tell of a rule."""
    kept = _series(check, subject)
    first = [at for rows in kept.values() for each in rows if (at := _broken_at(check, each))]
    shown = {subject.named(each): each for each in subject.hosts}
    told = [_gap(shown[host], kept.get(host, ()), subject) for host in sorted(shown)]
    gaps = tuple(each for each in told if each)
    spans = {shown[host]: _covered(kept.get(host, ()), subject) for host in shown}
    return FoundSeries(
        count=len(first),
        first_at=datetime.fromtimestamp(min(first), tz=UTC) if first else None,
        gaps=gaps or (() if shown else (Gap(host="", why=statement("gap-no-host")),)),
        series=sum(map(len, kept.values())),
        part=covered_part(spans=spans, gaps=gaps, subject=subject),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Samples:
    """The samples of one series within the window."""

    step: float
    at: Times
    values: Times


def _series(check: Check, subject: CheckSubject) -> Mapping[str, Sequence[_Samples]]:
    """Return host → its series of the signal."""
    hosts = frozenset(map(subject.named, subject.hosts))
    found: defaultdict[str, list[_Samples]] = defaultdict(list)
    for each in charts(
        organization_id=subject.holder_id,
        incident_owner=subject.incident.organization_id,
        incident_public_id=subject.incident.public_id,
    ):
        host = subject.named(each.entity.host or "")
        if each.signal.partition("[")[0] == check.signal and host in hosts:
            found[host].append(_within(each, subject))
    return found


def _within(series: CapturedSeries, subject: CheckSubject) -> _Samples:
    start, end = subject.starts_at.timestamp(), subject.ends_at.timestamp()
    inside = (series.at >= start) & (series.at < end) & np.isfinite(series.values)
    step = float(series.at[1] - series.at[0]) if series.at.size > 1 else 60.0
    return _Samples(step=step, at=series.at[inside], values=series.values[inside].astype(float))


def _broken_at(check: Check, samples: _Samples) -> float | None:
    """Return when a series broke the limit first, in Unix seconds."""
    at, values = samples.at, samples.values
    if check.at_most is not None:
        broken = values > check.at_most
    elif check.at_least is not None:
        broken = values < check.at_least
    elif check.within is not None:
        broken = np.abs(values) > check.within
    else:
        # A counter that fell began anew: what it counted since then is counted.
        risen = np.diff(values)
        broken = np.concatenate([[False], (risen > 0) | ((risen < 0) & (values[1:] > 0))])
        broken = broken[: values.size]
    return float(at[np.argmax(broken)]) if broken.any() else None


def _gap(host: str, rows: Sequence[_Samples], subject: CheckSubject) -> Gap | None:
    """Return where samples of a host are missing; None: nowhere."""
    if not rows:
        return Gap(host=host, why=statement("gap-no-series"))
    missing = [span for each in rows for span in _missing(each, subject)]
    if not missing:
        return None
    start, end = min(missing)
    return Gap(host=host, why=statement("gap-in-series", start=start, end=end))


def _covered(rows: Sequence[_Samples], subject: CheckSubject) -> Sequence[Span]:
    """Return the spans of the window in which no series of a host lacks samples."""
    left = [(subject.starts_at, subject.ends_at)] if rows else []
    for each in rows:
        left = common(left, _between(_missing(each, subject), subject))
    return left


def _between(missing: Sequence[Span], subject: CheckSubject) -> Sequence[Span]:
    starts = [subject.starts_at, *(end for _, end in missing)]
    ends = [*(start for start, _ in missing), subject.ends_at]
    return list(zip(starts, ends, strict=True))


def _missing(samples: _Samples, subject: CheckSubject) -> Sequence[Span]:
    """Return the spans without samples that are longer than a few steps, in order."""
    edges = (subject.starts_at.timestamp(), subject.ends_at.timestamp())
    at = np.concatenate([[edges[0]], samples.at, [edges[1]]])
    (gaps,) = np.nonzero(np.diff(at) > MISSED * samples.step)
    return [(_instant(at[each]), _instant(at[each + 1])) for each in gaps]


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(float(seconds), tz=UTC)
