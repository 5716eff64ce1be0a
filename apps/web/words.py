"""What the portal's slugs are called in plain words: sentences that a manager can read."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from apps.incidents import words as naming
from apps.wording import names

LAYERS, SOURCES, PARTS = names.LAYERS, names.SOURCES, names.ROLES
inside, sentence_case = names.inside, names.sentence_case
NOBODY = gettext_noop("nobody here")
STREAMS = {
    "session": gettext_noop("Session log"),
    "kernel": gettext_noop("Kernel log"),
    "scheduler": gettext_noop("Scheduler log"),
    "storage": gettext_noop("Storage server log"),
    "fabric": gettext_noop("Fabric log"),
    "bmc": gettext_noop("BMC log"),
    "alerts": gettext_noop("Alert"),
}
INTAKES = {
    "session": gettext_noop("Session logs"),
    "kernel": gettext_noop("Kernel logs"),
    "scheduler": gettext_noop("Scheduler logs"),
    "storage": gettext_noop("Storage server logs"),
    "fabric": gettext_noop("Fabric logs"),
    "bmc": gettext_noop("BMC logs"),
    "alerts": gettext_noop("Alerts"),
}
COVERAGE = {
    "present": gettext_noop("present"),
    "stale": gettext_noop("stale"),
    "hidden": gettext_noop("hidden by policy"),
    "absent": gettext_noop("absent"),
}
CERTAINTY = {
    "likely": gettext_noop("likely"),
    "possible": gettext_noop("possible"),
    "unknown": gettext_noop("not settled"),
    "no-failure": gettext_noop("no failure"),
}
STATES = {
    "running": gettext_noop("running"),
    "failed": gettext_noop("failed"),
    "finished": gettext_noop("finished"),
    "walltime": gettext_noop("reached its time limit"),
    "cancelled": gettext_noop("cancelled"),
    "preempted": gettext_noop("preempted"),
    "unknown": gettext_noop("no scheduler reported its state"),
}
STATUSES = {
    "open": gettext_noop("open"),
    "resolved": gettext_noop("resolved"),
    "withdrawn": gettext_noop("withdrawn"),
    "merged": gettext_noop("merged"),
}
FIRST_STOP = {
    "flight-recorder": gettext_noop("by its flight recorder"),
    "sequence": gettext_noop("by collective sequence numbers"),
    "silence": gettext_noop("by its silence"),
    "named-peer": gettext_noop("named by its peers"),
    "exit-code": gettext_noop("by its exit code"),
    "process": gettext_noop("by its process in the kernel log"),
}


def said(table: Mapping[str, str], slug: str, default: str = "") -> str:
    """Return a slug's words in the reader's language; `default` stands for what is not there."""
    return _(table.get(slug, default))


def layer(slug: str) -> str:
    """Return the name of a layer."""
    return said(LAYERS, slug, LAYERS["unknown"])


def parts(slugs: Sequence[str]) -> str:
    """Return the parts of a party in a row: GPU vendor, network vendor."""
    return ", ".join(said(PARTS, slug, slug.replace("_", " ")) for slug in slugs)


def source(slug: str) -> str:
    """Return the name of a kind of source."""
    return said(SOURCES, slug, slug.replace("-", " ").replace("_", " ").capitalize())


def hosts_text(hosts: Sequence[str]) -> str:
    """Return host names in a row, counted where they are many."""
    return naming.hosts_text(hosts)


def more(names: str, *, count: int) -> str:
    """Return names that stand for more of their kind: gpu001, gpu002 and 3 more."""
    return naming.more(names, count=count)


def joined(names: Sequence[str]) -> str:
    """Return names that all hold, in a row."""
    return _(" and ").join(names)


def either(names: Sequence[str]) -> str:
    """Return names of which one is enough, in a row."""
    return _(" or ").join(names)


def items(count: int) -> str:
    """Return a number of items: 1 item, 2 items."""
    return ngettext("%(n)s item", "%(n)s items", count) % {"n": count}


def weight(value: float) -> str:
    """Return a weight with its sign, as a minus of its own where it is negative."""
    return f"+{value:.1f}" if value >= 0 else f"−{abs(value):.1f}"  # noqa: RUF001  a true minus sign


def one_stop(text: str) -> str:
    """Return a sentence with one stop at its end where a name brought its own: Example Co."""
    return f"{text.rstrip('.')}." if text.endswith("..") else text


def duration(seconds: float) -> str:
    """Return a length of time in the two largest units."""
    whole = round(seconds)
    if whole < 60:
        return _("%(s)s s") % {"s": whole}
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        with_rest = _("%(min)s min %(s)02d s") if rest else _("%(min)s min")
        return with_rest % {"min": minutes, "s": rest}
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return _("%(h)s h %(min)02d min") % {"h": hours, "min": minutes}
    return _("%(d)s d %(h)s h") % {"d": hours // 24, "h": hours % 24}
