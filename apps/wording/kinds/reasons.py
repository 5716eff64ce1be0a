"""Why an explanation was left out."""

from collections.abc import Mapping

from apps.wording import forms
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
}
