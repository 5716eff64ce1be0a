"""Moments of an incident's story: what began, what people did, what the portal answered."""

from collections.abc import Mapping

from apps.wording import forms
from apps.wording.speaker import Wording, text
from apps.wording.translatable import gettext_noop

MOMENTS: Mapping[str, Wording] = {
    # Of what another party shows no more than that it is there.
    "shown-as-signal": text(
        gettext_noop("Something in %(layer)s; its details are not shown"), layer=forms.layer
    ),
    "began-to-fail": text(gettext_noop("The session began to fail")),
    "of-part": text("%(what)s, %(part)s"),
    "on-hosts": text(gettext_noop("%(what)s on %(count)s hosts")),
    "alert-named": text("%(what)s: %(name)s"),
    "organization": text("%(name)s"),
    "person": text("%(organization)s (%(name)s)"),
    "acknowledged": text(gettext_noop("%(who)s acknowledged the incident")),
    "resolved": text(gettext_noop("%(who)s resolved the incident")),
    "reopened": text(gettext_noop("%(who)s reopened the incident")),
    "verdict": text(
        gettext_noop("Answer %(number)s: %(layer)s (%(layer_odds)s), %(cause)s (%(odds)s)"),
        layer=forms.layer,
        layer_odds=forms.odds,
        cause=forms.cause_inside,
        odds=forms.odds,
    ),
    # Older ones have one number, which is the layer's.
    "verdict-of-layer": text(
        gettext_noop("Answer %(number)s: %(layer)s, %(cause)s (%(odds)s)"),
        layer=forms.layer,
        cause=forms.cause_inside,
        odds=forms.odds,
    ),
    "verdict-open": text(gettext_noop("Answer %(number)s: cause not established")),
    "judged": text(gettext_noop("%(who)s judged answer %(number)s %(opinion)s")),
    "judgement-taken-back": text(
        gettext_noop("%(who)s took back the judgement of answer %(number)s")
    ),
    "right": text(gettext_noop("right")),
    "wrong": text(gettext_noop("wrong; what it really was is not known")),
    "wrong-layer": text(gettext_noop("wrong: it was %(layer)s"), layer=forms.layer),
    "wrong-cause": text(
        gettext_noop("wrong: it was %(layer)s, %(cause)s"),
        layer=forms.layer,
        cause=forms.cause_inside,
    ),
    "withdrawn": text(gettext_noop("Withdrawn: %(because)s")),
    "has-another-cause": text(gettext_noop("it has another cause")),
    "no-failure-found": text(gettext_noop("no failure was found")),
    "gpus-lost": text(
        gettext_noop("The job lost GPUs (%(count)s) and went on without them"),
        count=forms.thousands,
    ),
    "not-all-findings": text(
        gettext_noop(
            "There are more than %(count)s findings in the logs of one organization: "
            "of each kind in each log the first and the last were looked at"
        ),
        count=forms.thousands,
    ),
}
