"""How causes of the program and what it stands on are spoken of."""

from collections.abc import Mapping

from apps.wording.phrase import CausePhrase
from apps.wording.translatable import gettext_noop

SOFTWARE: Mapping[str, CausePhrase] = {
    "cuda-oom": CausePhrase(
        name=gettext_noop("Out of GPU memory"),
        clause=gettext_noop("{culprit} ran out of GPU memory"),
        plain=gettext_noop("one rank ran out of GPU memory"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "kernel-bug": CausePhrase(
        name=gettext_noop("Illegal access by the program"),
        clause=gettext_noop("the program made an illegal memory access on {culprit}"),
        plain=gettext_noop("the program made an illegal memory access"),
        comfort=gettext_noop("No hardware is at fault: another node would fail the same way."),
    ),
    "nccl-bug": CausePhrase(
        name=gettext_noop("Defect of NCCL"),
        clause=gettext_noop("a known defect of NCCL hit {culprit}"),
        plain=gettext_noop("a known defect of NCCL was hit"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "collective-mismatch": CausePhrase(
        name=gettext_noop("Ranks disagree on the collective"),
        clause=gettext_noop("{culprit} called another collective than the others"),
        plain=gettext_noop("ranks called different collectives"),
        comfort=gettext_noop(
            "No hardware is at fault: it comes back until the program is repaired."
        ),
    ),
    "uneven-data": CausePhrase(
        name=gettext_noop("Uneven data"),
        clause=gettext_noop("{culprit} ran out of batches before the others"),
        plain=gettext_noop("some ranks ran out of batches before the others"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "rank-exception": CausePhrase(
        name=gettext_noop("Exception in one rank"),
        clause=gettext_noop("{culprit} raised an exception"),
        plain=gettext_noop("the program raised an exception or crashed"),
        comfort=gettext_noop("No hardware is at fault: another node would fail the same way."),
    ),
    "timeout-too-small": CausePhrase(
        name=gettext_noop("Timeout too small"),
        clause=gettext_noop("a legitimate long operation outlasted the collective timeout"),
        plain=gettext_noop("a legitimate long operation outlasted the collective timeout"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "wrong-world-size": CausePhrase(
        name=gettext_noop("Wrong launch configuration"),
        clause=gettext_noop("the launch configuration does not fit the ranks"),
        plain=gettext_noop("the launch configuration does not fit the ranks"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
}
