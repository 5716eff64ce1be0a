"""How causes of a host are spoken of."""

from collections.abc import Mapping

from apps.wording.phrase import PROGRAM_IS_FINE, CausePhrase
from apps.wording.translatable import gettext_noop

HOST: Mapping[str, CausePhrase] = {
    "host-oom": CausePhrase(
        name=gettext_noop("Host memory exhausted"),
        clause=gettext_noop("{culprit} ran out of host memory"),
        plain=gettext_noop("a host ran out of memory and a rank was killed"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "shm-exhausted": CausePhrase(
        name=gettext_noop("Shared memory exhausted"),
        clause=gettext_noop("{culprit} ran out of shared memory"),
        plain=gettext_noop("a host ran out of shared memory"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "container-limits": CausePhrase(
        name=gettext_noop("Container limit reached"),
        clause=gettext_noop("a limit of the container on {culprit} was reached"),
        plain=gettext_noop("a limit of the container was reached"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "process-killed": CausePhrase(
        name=gettext_noop("Killed from outside"),
        clause=gettext_noop("a process on {culprit} was killed from outside"),
        plain=gettext_noop("the session was killed from outside"),
        comfort=gettext_noop("Nothing is broken."),
    ),
    "version-mismatch": CausePhrase(
        name=gettext_noop("Versions don't fit"),
        clause=gettext_noop("driver or library versions on {culprit} don't fit the others"),
        plain=gettext_noop("driver or library versions don't fit each other"),
        comfort=gettext_noop("It comes back until the versions are aligned."),
    ),
    "pcie-error": CausePhrase(
        name=gettext_noop("PCIe errors"),
        clause=gettext_noop("{culprit} has errors on its PCIe path"),
        plain=gettext_noop("a PCIe path has errors"),
        comfort=PROGRAM_IS_FINE,
    ),
    "cpu-starvation": CausePhrase(
        name=gettext_noop("CPU starved"),
        clause=gettext_noop("the CPUs of {culprit} were starved"),
        plain=gettext_noop("the CPUs of a host were starved"),
        comfort=gettext_noop("No GPU is at fault."),
    ),
    "node-unreachable": CausePhrase(
        name=gettext_noop("Node vanished"),
        clause=gettext_noop("{culprit} vanished"),
        plain=gettext_noop("a node vanished"),
        comfort=gettext_noop("Its console and its management controller may tell why."),
    ),
}
