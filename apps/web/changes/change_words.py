"""Changes in words: what, where, by whom."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from apps.fleet.changes.change_values import ChangeView
from apps.fleet.models import ChangedThing

KINDS: Final[Mapping[ChangedThing, Promise]] = {
    ChangedThing.DEPLOY: pgettext_lazy("kind of change", "deploy"),
    ChangedThing.CONFIGURATION: pgettext_lazy("kind of change", "configuration"),
    ChangedThing.DRIVER: pgettext_lazy("kind of change", "driver"),
    ChangedThing.FIRMWARE: pgettext_lazy("kind of change", "firmware"),
    ChangedThing.KERNEL: pgettext_lazy("kind of change", "kernel"),
    ChangedThing.MAINTENANCE: pgettext_lazy("kind of change", "maintenance"),
    ChangedThing.OTHER: gettext_lazy("another change"),
}
HOSTS_NAMED: Final = 3  # more are counted


def kind_word(kind: ChangedThing) -> str:
    """Return what a kind of change is called."""
    return str(KINDS[kind])


def versions_text(each: ChangeView) -> str:
    """Return from which version to which; empty where none was told."""
    if each.before and each.after:
        return f"{each.before} → {each.after}"
    return each.after or each.before


def what_text(each: ChangeView) -> str:
    """Return what was changed: driver 550 → 560, deploy of another party as a signal."""
    return " ".join(filter(None, (kind_word(each.kind), versions_text(each))))


def where_text(each: ChangeView, *, of: Collection[str] | None = None) -> str:
    """Return where it was changed; with `of`, on how many of these hosts."""
    if each.hosts is None:
        return _("nodes hidden by policy")
    if each.is_everywhere:
        return _("on the whole cluster")
    hosts = [host for host in each.hosts if of is None or host in of]
    if len(hosts) <= HOSTS_NAMED:
        return _("on %(hosts)s") % {"hosts": ", ".join(hosts)}
    return ngettext("on %(n)s node", "on %(n)s nodes", len(hosts)) % {"n": len(hosts)}


def unknown_hosts_text(hosts: Sequence[str]) -> str:
    """Return that some names, at least one, match no node that is known now."""
    named = ", ".join(hosts[:HOSTS_NAMED])
    more = len(hosts) - HOSTS_NAMED
    if more > 0:
        form = ngettext(
            "No node known to you is named %(hosts)s, nor %(n)s more of these",
            "No node known to you is named %(hosts)s, nor %(n)s more of these",
            more,
        )
        return form % {"hosts": named, "n": more}
    return _("No node known to you is named %(hosts)s") % {"hosts": named}
