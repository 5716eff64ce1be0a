"""What ways of leaving a node out, and signals of lemons, are called."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.fleet.models import ExclusionKind
from apps.training.offenders.lemons import LemonSignal
from apps.wording.causes import spoken

KINDS: Final[Mapping[str, Promise]] = {
    ExclusionKind.DRAIN: gettext_lazy("drained"),
    ExclusionKind.DOWN: gettext_lazy("down"),
    ExclusionKind.CORDON: gettext_lazy("cordoned"),
    ExclusionKind.TAINT: gettext_lazy("tainted"),
    ExclusionKind.UNSCHEDULABLE: gettext_lazy("agent not schedulable"),
    ExclusionKind.JOB: gettext_lazy("left out of one job"),
    ExclusionKind.MANUAL: gettext_lazy("left out by hand"),
}
SIGNALS: Final[Mapping[LemonSignal, Promise]] = {
    LemonSignal.EXCLUDED_BY_JOBS: gettext_lazy("Jobs that left it out"),
    LemonSignal.XIDS: gettext_lazy("Xids in its kernel log"),
    LemonSignal.TICKETS: gettext_lazy("Tickets of hand-overs"),
    LemonSignal.TAKEN_OUT: gettext_lazy("Times it was taken out"),
    LemonSignal.MULTI_NODE_FAILURES: gettext_lazy("Failures of jobs on several nodes"),
    LemonSignal.SINGLE_NODE_FAILURES: gettext_lazy("Failures of jobs on it alone"),
    LemonSignal.SINGLE_NODE_FAILURE_RATE: gettext_lazy("Share of its own jobs that failed"),
}
DEVICES: Final[Mapping[str, Promise]] = {
    "gpu": gettext_lazy("GPU"),
    "nic": gettext_lazy("Network adapter"),
    "nvswitch": gettext_lazy("NVSwitch"),
    "disk": gettext_lazy("Disk"),
}


def kind_word(kind: str) -> str:
    """Return how a node is left out, in words."""
    return str(KINDS.get(kind, kind))


def times_text(count: int) -> str:
    """Return how often: once, 3 times."""
    return ngettext("once", "%(n)s times", count) % {"n": count}


def cause_word(cause: str) -> str:
    """Return the name of a cause; of none, that it was not told."""
    return spoken(cause).name if cause else _("cause not told")
