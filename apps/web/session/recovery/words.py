"""What is said of recovery in place."""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.training.in_job.events import CommunicatorRepaired, ReplicaLost
from apps.training.in_job.invariant import ViolationKind
from apps.training.in_job.restarts import ProcessRestart
from apps.web import words

VIOLATIONS: Final = {
    ViolationKind.MICROBATCHES: gettext_lazy("other number of microbatches than due"),
    ViolationKind.QUOTA: gettext_lazy("reassigned microbatches don't sum up"),
    ViolationKind.COMMITTED_TWICE: gettext_lazy("committed more than once"),
    ViolationKind.SKIPPED: gettext_lazy("steps before it are missing"),
    ViolationKind.SURVIVORS: gettext_lazy("more replicas than before, though nobody joined"),
}
PROGRAMS: Final = {"nvrx": "NVRx", "torchelastic": "TorchElastic"}


def gpus_text(count: int) -> str:
    """Return a number of GPUs: 1 GPU, 8 GPUs."""
    return ngettext("%(n)s GPU", "%(n)s GPUs", count) % {"n": f"{count:,}"}


def lost_text(each: ReplicaLost) -> str:
    """Return a loss in words."""
    told = {"replica": each.replica, "gpus": gpus_text(each.gpu_count)}
    return _("%(replica)s is gone, %(gpus)s") % told


def lost_detail(each: ReplicaLost) -> str:
    """Return where in the run it was lost, as far as that is told."""
    step = "" if each.step is None else _("in step %(n)s") % {"n": f"{each.step:,}"}
    return ", ".join(part for part in (step, each.phase) if part)


def repaired_text(each: CommunicatorRepaired) -> str:
    """Return a repair in words: who was left, or who joined."""
    told = {"before": each.members_before, "after": each.members_after}
    if each.members_after > each.members_before:
        return _("Members joined: %(before)s to %(after)s") % told
    return _("Communicator repaired: %(before)s to %(after)s members") % told


def took_text(milliseconds: float | None) -> str:
    """Return how long a repair took."""
    if milliseconds is None:
        return _("its length is not told")
    if milliseconds < 1000:
        return _("%(n)s ms") % {"n": f"{milliseconds:.0f}"}
    return words.duration(milliseconds / 1000)


def restart_text(each: ProcessRestart) -> str:
    """Return a restart of all processes in words."""
    told = {"program": PROGRAMS.get(each.told_by, each.told_by), "n": each.number}
    return _("%(program)s started all processes again, restart %(n)s") % told
