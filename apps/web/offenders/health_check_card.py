"""How often checks fail on nodes of sessions that finished, as a card."""

from django.utils.translation import gettext as _

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.intervals import HitShare
from apps.reliability.offenders.health_checks import CheckCalibration
from apps.training.offenders.check_table import MOST_OF_SUCCESSFUL, CheckRow
from apps.web import words
from apps.web.display.figures import NO_NUMBER, whole_percent
from apps.web.nodes.node_words import cause_word
from apps.web.offenders.page import HealthCheckCard, HealthCheckRow


def health_check_card(found: CheckCalibration) -> HealthCheckCard:
    """Return the card; what nobody measured is no check that held."""
    whole = found.table.any_high
    if found.measured_since is None:
        empty = _("Your organization has no metrics of this cluster: nothing checks its nodes.")
        return HealthCheckCard(empty=empty, summary="", rows=())
    if not whole.n:
        empty = _("No session of these days finished while your metrics of its nodes were read.")
        return HealthCheckCard(empty=empty, summary="", rows=())
    summary = _(
        "A warning stood on a node of %(share)s sessions that finished (95 %%: %(interval)s). "
        "Published for checks of high severity: fewer than 1 %%. %(verdict)s"
    ) % {
        "share": _count(whole),
        "interval": _interval(whole),
        "verdict": _verdict(is_within=found.table.is_within),
    }
    return HealthCheckCard(
        empty="", summary=summary, rows=tuple(_row(each) for each in found.table.rows)
    )


def _row(row: CheckRow) -> HealthCheckRow:
    return HealthCheckRow(
        name=cause_word(row.check) if row.check in load_causes() else words.layer(row.check),
        severity=_("warning") if row.is_high else _("signal"),
        finished=_count(row.in_successful),
        interval=_interval(row.in_successful),
        failed=_count(row.in_failed),
        verdict=_verdict(is_within=row.is_within),
        is_beyond=row.is_within is False,
    )


def _verdict(*, is_within: bool | None) -> str:
    """Return whether the interval lies below the published share, above it, or on both sides."""
    if is_within is None:
        return _("Too few sessions to say.")
    limit = {"limit": whole_percent(MOST_OF_SUCCESSFUL)}
    if is_within:
        return _("Below %(limit)s.") % limit
    return _("Above %(limit)s: it takes out good nodes.") % limit


def _count(share: HitShare) -> str:
    return _("%(hits)d of %(n)d") % {"hits": share.hits, "n": share.n} if share.n else NO_NUMBER


def _interval(share: HitShare) -> str:
    if not share.n:
        return NO_NUMBER
    low, high = share.interval
    return _("%(low).1f to %(high).1f %%") % {"low": low * 100, "high": high * 100}
