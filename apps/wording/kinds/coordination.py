"""What parties do to work on an incident together, and why."""

from collections.abc import Mapping

from apps.wording.speaker import Wording, text
from apps.wording.translatable import gettext_noop

COORDINATION: Mapping[str, Wording] = {
    "hand-over-proposed": text(
        gettext_noop("%(who)s proposed to hand the incident over to %(to)s: %(reason)s")
    ),
    "hand-over-information-needed": text(
        gettext_noop("%(who)s asked %(to)s for information before taking the incident over")
    ),
    "hand-over-information-given": text(
        gettext_noop("%(who)s gave %(to)s the information it had asked for")
    ),
    "hand-over-accepted": text(gettext_noop("%(who)s took the incident over from %(to)s")),
    "hand-over-declined": text(
        gettext_noop("%(who)s declined to take the incident over from %(to)s: %(reason)s")
    ),
    "hand-over-withdrawn": text(
        gettext_noop("%(who)s took back the proposal to hand the incident over to %(to)s")
    ),
    "hand-over-returned": text(
        gettext_noop("%(who)s gave the incident back to %(to)s: %(reason)s")
    ),
    "resolution-proposed": text(
        gettext_noop("%(who)s proposed to resolve the incident: %(reason)s")
    ),
    "resolution-declined": text(gettext_noop("%(who)s declined to resolve the incident")),
    "resolution-withdrawn": text(
        gettext_noop("%(who)s took back the proposal to resolve the incident")
    ),
    "resolution-resolved": text(gettext_noop("%(who)s resolved the incident: %(reason)s")),
    "resolution-reopened": text(gettext_noop("%(who)s reopened the incident: %(reason)s")),
    "action-taken": text(gettext_noop("%(who)s took an action on: %(what)s")),
    "action-done": text(gettext_noop("%(who)s did what was asked: %(what)s")),
    "action-refused": text(gettext_noop("%(who)s refused an action (%(reason)s): %(what)s")),
    "action-open": text(gettext_noop("%(who)s left an action open again: %(what)s")),
    "some-action-taken": text(gettext_noop("%(who)s took an action on")),
    "some-action-done": text(gettext_noop("%(who)s did an action")),
    "some-action-refused": text(gettext_noop("%(who)s refused an action: %(reason)s")),
    "some-action-open": text(gettext_noop("%(who)s left an action open again")),
    "reason-your-layer": text(gettext_noop("the verdict names its layer")),
    "reason-your-equipment": text(gettext_noop("it is about equipment that it runs")),
    "reason-needs-your-access": text(gettext_noop("it takes access that it has")),
    "reason-needs-your-data": text(gettext_noop("it takes data that it has")),
    "reason-not-ours": text(gettext_noop("it is none of its own")),
    "reason-evidence-missing": text(gettext_noop("evidence is missing")),
    "reason-work-done": text(gettext_noop("its own work on it is done")),
    "reason-no-access": text(gettext_noop("it has no access")),
    "reason-fixed": text(gettext_noop("fixed")),
    "reason-replaced": text(gettext_noop("a part was replaced")),
    "reason-mitigated": text(gettext_noop("worked around, not fixed")),
    "reason-went-away": text(gettext_noop("it went away by itself")),
    "reason-false-alarm": text(gettext_noop("a false alarm")),
    "reason-duplicate": text(gettext_noop("a duplicate of another incident")),
    "reason-came-back": text(gettext_noop("it came back")),
    "reason-not-fixed": text(gettext_noop("it was not fixed")),
    "reason-new-evidence": text(gettext_noop("there is new evidence")),
    "reason-not-possible": text(gettext_noop("it is not possible")),
    "reason-not-needed": text(gettext_noop("it is not needed")),
    "reason-other": text(gettext_noop("another reason")),
}
