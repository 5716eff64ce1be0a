"""What is known of repeat offenders, as their page shows it."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.reliability.offenders.values import ClusterOffenders
from apps.training.offenders.hazard import Hazard
from apps.training.offenders.lemons import LEMON, LemonScore
from apps.web.display.choices import SegmentLink
from apps.web.nodes.node_words import SIGNALS
from apps.web.offenders.concentration_card import concentration_card
from apps.web.offenders.health_check_card import health_check_card
from apps.web.offenders.page import HazardRow, LemonRow, OffenderRow, OffendersPage

LEMONS_SHOWN = 20
HOSTS_SHOWN = 60
SIGNALS_SHOWN = 3


def offenders_page(
    *, found: ClusterOffenders, days: str, spans: tuple[SegmentLink, ...]
) -> OffendersPage:
    """Return what the page shows."""
    return OffendersPage(
        cluster=found.cluster.slug,
        cluster_name=found.cluster.name,
        days=days,
        spans=spans,
        notes=tuple(_notes(found)),
        node_count=found.node_count,
        cards=(
            concentration_card(
                name="exclusions",
                title=_("Exclusions"),
                empty=_(
                    "Nobody told of a node that was left out in these days. Schedulers tell it by "
                    "POST /api/v1/exclusions, operators on the page of a node."
                ),
                found=found.exclusions,
            ),
            concentration_card(
                name="incidents",
                title=_("Incidents that blame nodes"),
                empty=_("No incident of these days that you may see blames a node."),
                found=found.incidents,
            ),
        ),
        lemons=tuple(_lemon(each) for each in found.lemons[:LEMONS_SHOWN]),
        lemon_caption=_("28 days; from %(limit)s on a node is called a lemon")
        % {"limit": f"{LEMON:.0f}"},
        hazards=tuple(_hazard(each, is_last=each is found.hazards[-1]) for each in found.hazards),
        checks=health_check_card(found.health_checks),
        hosts=tuple(
            OffenderRow(
                host=each.host,
                incidents=each.incidents,
                taken_out=each.taken_out,
                left_out_by_jobs=each.left_out_by_jobs,
                is_out=each.is_out,
            )
            for each in found.hosts[:HOSTS_SHOWN]
        ),
        left_out_count=max(0, len(found.hosts) - HOSTS_SHOWN),
    )


def _notes(found: ClusterOffenders) -> Iterator[str]:
    if not found.reads_all:
        yield _(
            "Your organization does not run this cluster: counted is what it may see, and of the "
            "nodes those that it knows of. Who runs the cluster may count more."
        )
    if found.hidden_count:
        text = ngettext(
            "Of %(n)s incident it is hidden by policy whom it blames: it is not counted.",
            "Of %(n)s incidents it is hidden by policy whom they blame: they are not counted.",
            found.hidden_count,
        )
        yield text % {"n": found.hidden_count}
    if found.is_cut:
        yield _("There are more incidents than were counted: the newest ones are.")
    if not found.has_xids:
        yield _("No Xid was read in kernel logs of yours: that signal of lemons is not known.")
    if not found.has_sizes:
        yield _(
            "On how many nodes jobs ran is not yours to read: failures of jobs on one node or on "
            "several are not known, and scores lack them."
        )


def _lemon(score: LemonScore) -> LemonRow:
    loud = [each for each in score.signals if each.score > 0][:SIGNALS_SHOWN]
    return LemonRow(
        host=score.node,
        score=f"{score.score:.1f}",
        signals=" · ".join(f"{SIGNALS[each.signal]}: {each.value or 0:.2g}" for each in loud),
        is_lemon=score.is_lemon,
    )


def _hazard(each: Hazard, *, is_last: bool) -> HazardRow:
    low, high = each.mean_days_interval
    upper = f"{high:.1f}" if high is not None else "∞"
    mean = each.mean_days
    return HazardRow(
        after=_after(each.index, is_last=is_last and each.index > 1),
        nodes=each.nodes,
        count=each.next_incidents.count,
        mean=_("%(days)s days") % {"days": f"{mean:.1f}"} if mean is not None else _("none came"),
        interval=f"{low:.1f} – {upper}",  # noqa: RUF001  a span
    )


def _after(index: int, *, is_last: bool) -> str:
    if index == 0:
        return _("before any incident")
    if is_last:
        return _("after incident %(n)s and all later ones") % {"n": index}
    return _("after incident %(n)s") % {"n": index}
