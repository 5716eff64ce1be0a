"""What the metrics of a source or cluster can tell, and by name what they cannot."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from apps.diagnosis.detection.metrics.coverage import CoverageLevel, SubjectCoverage
from apps.diagnosis.detection.metrics.coverage.uneven import Uneven
from apps.telemetry.facade.sources import coverage_of
from apps.telemetry.metrics.coverage import SourceCoverage
from apps.telemetry.values import SourceView
from apps.tenancy.access import Actor
from apps.web import words
from apps.web.sources.page import MetricsTold, SubjectRow

STATES = {
    CoverageLevel.MEASURED: ("measured", gettext_noop("measured")),
    CoverageLevel.PARTLY: ("partly", gettext_noop("partly measured")),
    CoverageLevel.ABSENT: ("absent", gettext_noop("not in what your organization sees")),
    CoverageLevel.UNSUPPORTED: ("unsupported", gettext_noop("no known exporter gives it")),
}
FEW_HOSTS = 5


def of_source(*, actor: Actor, source: SourceView, now: datetime) -> MetricsTold | None:
    """Return what one source can tell; None: it was never read. Needs the scope."""
    told = coverage_of(actor=actor, sources=[source])
    return _shown(told, of="", now=now) if told else None


def of_clusters(
    *, actor: Actor, sources: Sequence[SourceView], now: datetime
) -> tuple[MetricsTold, ...]:
    """Return what the sources of each cluster can tell together. Needs the scope."""
    names = {source.cluster_id: source.cluster.name for source in sources}
    shown = []
    for cluster_id, name in sorted(names.items(), key=lambda pair: pair[1]):
        there = [each for each in sources if each.cluster_id == cluster_id]
        told = coverage_of(actor=actor, sources=there)
        shown += [_shown(told, of=name, now=now)] if told else []
    return tuple(shown)


def _shown(told: SourceCoverage, *, of: str, now: datetime) -> MetricsTold:
    return MetricsTold(
        of=of,
        age=words.duration(max((now - told.at).total_seconds(), 0)),
        name_count=f"{told.name_count:,}",
        subjects=tuple(_row(covered) for covered in told.covered),
        lacking=tuple(_lack(each) for each in told.lacking),
    )


def _row(covered: SubjectCoverage) -> SubjectRow:
    state, text = STATES[covered.state]
    return SubjectRow(
        name=_(covered.subject.name),
        state=state,
        state_text=_(text),
        without=_(covered.subject.without),
        gaps=tuple((_(part.name), part.unsupported or part.given_by) for part in covered.missing),
    )


def _lack(lack: Uneven) -> str:
    """Return one sentence: what is missing on which hosts, of how many."""
    named = ", ".join(lack.missing[:FEW_HOSTS])
    rest = len(lack.missing) - FEW_HOSTS
    hosts = words.more(named, count=rest) if rest > 0 else named
    count = _("%(n)s of %(all)s hosts") % {"n": len(lack.missing), "all": lack.host_count}
    told = {"exporter": lack.exporter, "family": lack.family, "count": count, "hosts": hosts}
    if lack.family:
        return _("Metrics of %(exporter)s, %(family)s, are missing on %(count)s: %(hosts)s") % told
    return _("Metrics of %(exporter)s are missing on %(count)s: %(hosts)s") % told
