"""Why an explanation was left out, and what speaks against one."""

from collections.abc import Mapping

from apps.wording import forms, quantities
from apps.wording.speaker import Wording, text
from apps.wording.translatable import gettext_noop

REASONS: Mapping[str, Wording] = {
    "explained-better": text(
        gettext_noop("“%(cause)s” explains it better: %(by)s"), cause=forms.cause
    ),
    "explained-better-by-cause": text(
        gettext_noop("“%(cause)s” explains it better"), cause=forms.cause
    ),
    "evidence-against": text(gettext_noop("evidence speaks against it")),
    "ended-in-order": text(gettext_noop("the session ended in order")),
    "host-of-others": text(gettext_noop("%(host)s was not part of this session")),
    "ended-before": text(
        gettext_noop("it ended %(span)s before the failure"), span=quantities.span
    ),
    "came-after-stop": text(
        gettext_noop("it came %(span)s after the session had stopped"), span=quantities.span
    ),
    "over-before": text(
        gettext_noop("it was over %(span)s before the failure"), span=quantities.span
    ),
    "over-after": text(
        gettext_noop("it was over again after %(span)s, sooner than anybody gives up waiting"),
        span=quantities.span,
    ),
    "over-again": text(gettext_noop("it was over again; nobody says when")),
    "session-went-on": text(gettext_noop("the session made further steps after it")),
    "came-before-last-fault": text(
        gettext_noop("it came %(span)s before the last fault of its log"), span=quantities.span
    ),
    "later-than-another-worker": text(
        gettext_noop("another worker had failed before, by the table of its launcher")
    ),
    "ended-as-slow": text(gettext_noop("somebody ended a session that had become slow")),
    "session-untimed": text(gettext_noop("the session's log does not say when it ran")),
    "session-untimed-and-unplaced": text(
        gettext_noop("the session's log says neither when it ran nor on which hosts")
    ),
    "kernel-counts-on": text(
        gettext_noop("the kernel's log prints no time, and goes on for %(span)s after it"),
        span=quantities.long_span,
    ),
    "later-attempts-never-began": text(
        gettext_noop(
            "later attempts failed before their first step: they tell of the failure before"
        )
    ),
    "later-attempts-quiet": text(gettext_noop("nothing tells that a later attempt failed")),
}
