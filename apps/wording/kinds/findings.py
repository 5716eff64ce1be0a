"""What several lines, dumps or step times tell together."""

from collections.abc import Mapping

from apps.wording import forms, quantities
from apps.wording.names import in_words
from apps.wording.speaker import Speaker, Values, Wording, made, text
from apps.wording.translatable import gettext_noop

NAMES = {
    "aer-afterwards": gettext_noop("PCIe errors after the failure"),
    "aer-elsewhere": gettext_noop("PCIe errors of another part"),
    "aer-fatal": gettext_noop("Fatal PCIe errors"),
    "aer-single": gettext_noop("A single PCIe error"),
    "aer-storm": gettext_noop("A storm of PCIe errors"),
    "busy-while-others-waited": gettext_noop("One rank did other work while the others waited"),
    "collectives-differ": gettext_noop("Ranks called different collectives"),
    "faults-at-one-address": gettext_noop("Faults at one address"),
    "faults-in-many-units": gettext_noop("Faults all over one GPU at once"),
    "faults-on-many-gpus": gettext_noop("The same fault on many GPUs"),
    "faults-on-one-gpu": gettext_noop("Faults on one GPU alone"),
    "first-collective-single-host": gettext_noop("The first collective failed inside one host"),
    "host-slower-than-peers": gettext_noop("A host slower than its peers"),
    "kill-of-another": gettext_noop("The kernel killed a program of others"),
    "killed-first": gettext_noop("A rank was killed before the others"),
    "last-words": gettext_noop("A failure in words that nothing knows"),
    "link-down": gettext_noop("A link went down"),
    "link-flap-recovered": gettext_noop("A link went down and came back"),
    "load-outlasted-timeout": gettext_noop("Loading outlasted the timeout"),
    "log-breaks-off": gettext_noop("The log of one host breaks off"),
    "lone-abort": gettext_noop("One rank aborted by itself"),
    "lone-exception": gettext_noop("One rank alone raised an exception"),
    "lone-exit": gettext_noop("One rank left with an error code of its own"),
    "lost-each-other": gettext_noop("Hosts of which each calls the other silent"),
    "missed-since-stuck": gettext_noop("A processor was stuck on the host that others waited for"),
    "missed-since-throttled": gettext_noop(
        "A GPU was throttled on the host that others waited for"
    ),
    "nvlink5-fatal": gettext_noop("A fatal NVLink error"),
    "nvlink5-nonfatal": gettext_noop("An NVLink error that was survived"),
    "opaque-exception": gettext_noop("An exception that may be the program's"),
    "own-exit-code": gettext_noop("One rank left with a code of its program"),
    "port-error-whole-host": gettext_noop("Port errors on a whole host"),
    "rank0-alone-busy": gettext_noop("Rank 0 alone was busy"),
    "ranks-left-early": gettext_noop("Some ranks left early"),
    "recovery-asked": gettext_noop("The GPU's driver asks for a recovery"),
    "rebooted-during": gettext_noop("The host rebooted meanwhile"),
    "retry-at-start": gettext_noop("Transfers failed from the start"),
    "retry-pairs": gettext_noop("Transfers failed between named hosts"),
    "save-outlasted-timeout": gettext_noop("A checkpoint save outlasted the timeout"),
    "shared-exception": gettext_noop("Many ranks raised the same exception"),
    "slow-until-failed": gettext_noop("Steps were slow until it failed"),
    "slower-since-stuck": gettext_noop("Steps became slower, and a processor was stuck"),
    "slower-since-throttled": gettext_noop("Steps became slower, and a GPU was throttled"),
    "step-time-rose": gettext_noop("Steps became slower"),
    "storage-recovered": gettext_noop("Storage came back"),
    "xid-named-by-cleanup": gettext_noop("A GPU error that only its clean-up names"),
}
RANK, RANKS = gettext_noop("Rank %(ranks)s"), gettext_noop("Ranks %(ranks)s")
AND_MORE = gettext_noop("%(shown)s and %(n)s more")
A_CALL = gettext_noop("a collective")
CALL = gettext_noop("%(name)s #%(seq)s")
CALL_OF_GROUP = gettext_noop("%(name)s #%(seq)s of process group %(group)s")


def _ranks(values: Values, speaker: Speaker) -> str:
    """Return ranks by number: the first few of many."""
    first, count = values["first"], values["count"]
    known = first if isinstance(first, tuple) else (first,)
    told = speaker.translate(RANK if count == 1 else RANKS)
    told %= {"ranks": ", ".join(map(speaker.value, known))}
    rest = count - len(known) if isinstance(count, int) else 0
    return speaker.translate(AND_MORE) % {"shown": told, "n": rest} if rest > 0 else told


def _finding(values: Values, speaker: Speaker) -> str:
    name = str(values["name"])
    return speaker.translate(NAMES.get(name, in_words(name)))


def _call(values: Values, speaker: Speaker) -> str:
    """Return a collective by its name, where everybody knows that, its number and its group."""
    words = CALL_OF_GROUP if "group" in values else CALL
    return speaker.translate(words) % {**values, "name": _name(values, speaker)}


def _called_by(values: Values, speaker: Speaker) -> str:
    return f"{speaker.value(values['ranks'])} {_name(values, speaker)}"


def _name(values: Values, speaker: Speaker) -> str:
    return str(values["name"]) if "name" in values else speaker.translate(A_CALL)


FINDINGS: Mapping[str, Wording] = {
    "finding": made(_finding, "name"),
    "ranks": made(_ranks, "first", "count"),
    "call": made(_call, "seq", may_take=("name", "group")),
    "called-by": made(_called_by, "ranks", may_take=("name",)),
    "calls-differ": text(
        gettext_noop("Calls under number %(seq)s of one group don't fit together: %(variants)s"),
        variants=quantities.listed,
    ),
    "ranks-missing": text(
        gettext_noop("%(ranks)s never called %(call)s, for which %(waiting)s rank waits"),
        gettext_noop("%(ranks)s never called %(call)s, for which %(waiting)s ranks wait"),
        counted="waiting",
    ),
    "ranks-silent": text(gettext_noop("%(ranks)s wrote no dump; others wait at %(call)s")),
    "collectives-crossed": text(gettext_noop("%(ranks)s wait for each other in different groups")),
    "collective-unfinished": text(
        gettext_noop("%(ranks)s all called %(call)s, and it did not end")
    ),
    "rank-comes-last": text(
        gettext_noop(
            "%(count)s of %(of)s collectives were shortest here by half: the others waited"
        )
    ),
    "transfers-wait-for-peer": text(
        gettext_noop("%(count)s ranks wait in the network for one peer")
    ),
    "transfers-wait-for-gpu": text(
        gettext_noop("%(ranks)s: all that the GPU had made ready was sent; it makes no more")
    ),
    "steps-take-longer": text(
        gettext_noop("Steps take %(times)s times as long since some moment, without any error"),
        times=quantities.times,
    ),
    "slower-than-hosts": text(
        gettext_noop("Steps take longer than on the other host"),
        gettext_noop("Steps take longer than on %(count)s other hosts"),
        counted="count",
    ),
    "failed-before-here": text(
        gettext_noop("%(host)s was to blame for a failure before (%(cause)s): a prior only"),
        gettext_noop(
            "%(host)s was to blame for %(count)s failures before (%(cause)s): a prior only"
        ),
        counted="count",
        cause=forms.cause_inside,
    ),
}
