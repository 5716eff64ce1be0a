"""How causes of storage are spoken of."""

from collections.abc import Mapping

from apps.wording.phrase import PROGRAM_IS_FINE, CausePhrase
from apps.wording.translatable import gettext_noop

STORAGE: Mapping[str, CausePhrase] = {
    "nfs-unavailable": CausePhrase(
        name=gettext_noop("File server not responding"),
        clause=gettext_noop("{culprit} stopped answering file requests"),
        plain=gettext_noop("a file server stopped answering"),
        comfort=PROGRAM_IS_FINE,
    ),
    "checkpoint-slow": CausePhrase(
        name=gettext_noop("Slow checkpoint"),
        clause=gettext_noop("a checkpoint on {culprit} outlasted the collective timeout"),
        plain=gettext_noop("a checkpoint outlasted the collective timeout"),
        comfort=gettext_noop("No GPU is at fault."),
    ),
    "dataloader-stall": CausePhrase(
        name=gettext_noop("Input starved by storage"),
        clause=gettext_noop("reading training data from {culprit} stalled"),
        plain=gettext_noop("reading training data stalled"),
        comfort=gettext_noop("No GPU is at fault."),
    ),
    "disk-full": CausePhrase(
        name=gettext_noop("File system full"),
        clause=gettext_noop("the file system of {culprit} is full"),
        plain=gettext_noop("a file system is full"),
        comfort=gettext_noop("It comes back until space is freed."),
    ),
}
