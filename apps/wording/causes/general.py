"""How causes that belong to no layer of their own are spoken of."""

from collections.abc import Mapping

from apps.wording.phrase import CausePhrase
from apps.wording.translatable import gettext_noop

GENERAL: Mapping[str, CausePhrase] = {
    "slow-member": CausePhrase(
        name=gettext_noop("Slow member"),
        clause=gettext_noop("{culprit} is slower than its peers"),
        plain=gettext_noop("one member is slower than its peers"),
        comfort=gettext_noop("Why it is slow is not established."),
    ),
    "benign": CausePhrase(
        name=gettext_noop("Nothing wrong"),
        clause=gettext_noop("it looks like an error, but nothing is wrong"),
        plain=gettext_noop("it looks like an error, but nothing is wrong"),
        comfort=gettext_noop("No action is needed."),
    ),
    "unknown": CausePhrase(
        name=gettext_noop("Not established"),
        clause=gettext_noop("the cause is not established"),
        plain=gettext_noop("the cause is not established"),
        comfort=gettext_noop(
            "The portal does not guess: what would settle it is listed under Missing."
        ),
    ),
}
