"""How causes of a GPU are spoken of."""

from collections.abc import Mapping

from apps.wording.phrase import PROGRAM_IS_FINE, CausePhrase
from apps.wording.translatable import gettext_noop

GPU: Mapping[str, CausePhrase] = {
    "gpu-off-bus": CausePhrase(
        name=gettext_noop("GPU lost on PCIe"),
        clause=gettext_noop("{culprit} fell off the bus"),
        plain=gettext_noop("a GPU fell off the bus"),
        comfort=PROGRAM_IS_FINE,
    ),
    "gpu-ecc-uncorrectable": CausePhrase(
        name=gettext_noop("Uncorrectable memory error"),
        clause=gettext_noop("{culprit} had an uncorrectable memory error"),
        plain=gettext_noop("a GPU had an uncorrectable memory error"),
        comfort=PROGRAM_IS_FINE,
    ),
    "gpu-ecc-correctable-storm": CausePhrase(
        name=gettext_noop("Storm of memory corrections"),
        clause=gettext_noop("{culprit} corrects memory errors at a high rate"),
        plain=gettext_noop("a GPU corrects memory errors at a high rate"),
        comfort=gettext_noop("It still works, but it foretells a loss."),
    ),
    "gpu-memory-fault": CausePhrase(
        name=gettext_noop("GPU memory fault"),
        clause=gettext_noop("{culprit} made an illegal memory access that its peers did not"),
        plain=gettext_noop("one GPU made an illegal memory access that its peers did not"),
        comfort=gettext_noop("The same program runs cleanly on the other GPUs."),
    ),
    "gpu-gsp-timeout": CausePhrase(
        name=gettext_noop("GPU system processor hung"),
        clause=gettext_noop("the system processor of {culprit} stopped answering"),
        plain=gettext_noop("the system processor of a GPU stopped answering"),
        comfort=PROGRAM_IS_FINE,
    ),
    "gpu-nvlink": CausePhrase(
        name=gettext_noop("NVLink fault"),
        clause=gettext_noop("an NVLink of {culprit} failed"),
        plain=gettext_noop("an NVLink failed"),
        comfort=PROGRAM_IS_FINE,
    ),
    "gpu-throttling": CausePhrase(
        name=gettext_noop("GPU throttled"),
        clause=gettext_noop("{culprit} was slowed down by heat or power limits"),
        plain=gettext_noop("a GPU was slowed down by heat or power limits"),
        comfort=gettext_noop("The session is correct, but as slow as its slowest GPU."),
    ),
    "gpu-other": CausePhrase(
        name=gettext_noop("Another GPU fault"),
        clause=gettext_noop("{culprit} had a hardware fault"),
        plain=gettext_noop("a GPU had a hardware fault"),
        comfort=PROGRAM_IS_FINE,
    ),
}
