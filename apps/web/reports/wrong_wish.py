"""What is wrong with the days and the cluster that somebody wants a report of, field by field."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from apps.diagnosis.input_values import day
from apps.diagnosis.spelling import shown
from apps.reliability.facade.periods import MOST_DAYS
from apps.reliability.period.scopes import Audience
from apps.web.shell.address_filters import link


def wrong_in(sent: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each field that is wrong."""
    first, last = (day(sent.get(each, "")) for each in ("first_day", "last_day"))
    if first is None:
        yield _not_a_day(_("First day (UTC)"), sent.get("first_day", ""))
    if last is None:
        yield _not_a_day(_("Last day (UTC), included"), sent.get("last_day", ""))
    if first and last and last < first:
        yield _("Not issued: the last day is before the first one.")
    if first and last and (last - first).days >= MOST_DAYS:
        yield _("Not issued: a report has %(most)s days at most.") % {"most": MOST_DAYS}
    if sent.get("audience") in {Audience.CLUSTER, Audience.JOINT} and not sent.get("cluster"):
        yield _("Not issued: choose the cluster of which all is to be counted.")


def typed_query(sent: Mapping[str, str]) -> str:
    """Return the query by which the form comes back as it was filled in, without wrong days."""
    first, last = (day(sent.get(each, "")) for each in ("first_day", "last_day"))
    typed = {"view": sent.get("audience", ""), "cluster": sent.get("cluster", "")}
    if first and last and 0 <= (last - first).days < MOST_DAYS:
        typed |= {"from": first.isoformat(), "until": last.isoformat()}
    return link(**{name: value for name, value in typed.items() if value})


def _not_a_day(field: str, typed: str) -> str:
    if not typed:
        return _("Not issued: “%(field)s” is empty.") % {"field": field}
    told = {"field": field, "value": shown(word=typed)}
    return _("Not issued: “%(field)s”, %(value)s, is no day such as 2026-03-01.") % told
