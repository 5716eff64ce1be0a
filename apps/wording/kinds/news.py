"""What the portal tells of besides incidents: sources that fall silent, a webhook in trouble."""

from collections.abc import Mapping

from apps.wording import quantities
from apps.wording.speaker import Wording, text
from apps.wording.translatable import gettext_noop

NEWS: Mapping[str, Wording] = {
    "source-silent": text(
        gettext_noop("%(source)s of %(cluster)s not heard for %(span)s"), span=quantities.span
    ),
    "source-heard-again": text(
        gettext_noop("%(source)s of %(cluster)s, after %(span)s of silence"), span=quantities.span
    ),
    "webhook-failing": text(
        gettext_noop(
            "The webhook has not been reached for an hour; it is tried on. Last answer: %(answer)s"
        )
    ),
    "webhook-paused": text(
        gettext_noop("The webhook is paused; what is told meanwhile waits. Last answer: %(answer)s")
    ),
    "webhook-gone": text(gettext_noop("It answered 410: nobody is there any more.")),
    "webhook-failed-long": text(gettext_noop("It failed for five days: %(answer)s.")),
    "mentioned": text(gettext_noop("%(who)s mentions you or your organization on %(incident)s")),
    "agreement-proposed": text(gettext_noop("%(name)s proposes an agreement in %(cluster)s")),
    "evidence-requested": text(gettext_noop("%(name)s asks you for evidence in %(incident)s")),
    "evidence-answered": text(gettext_noop("%(name)s answered your request in %(incident)s")),
    "agreement-ending": text(
        gettext_noop("The agreement with %(name)s in %(cluster)s ends on %(day)s")
    ),
    "bundle-sent": text(gettext_noop("%(name)s shared evidence of %(incident)s with you")),
    "crash-loop": text(
        gettext_noop("%(session)s: %(count)s retry ended without a newer checkpoint"),
        gettext_noop("%(session)s: %(count)s retries ended without a newer checkpoint"),
        counted="count",
    ),
    "test-of-news": text(gettext_noop("this is how it looks when the portal tells you something")),
}
