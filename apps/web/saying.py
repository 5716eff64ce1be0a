"""Titles of moments and texts of evidence, where they carry names that only machines read."""

import re

from django.utils.translation import gettext_noop

from apps.diagnosis.detection.metrics.load import catalog
from apps.web import words

FINDINGS = {
    "aer-fatal": gettext_noop("Fatal PCIe errors"),
    "aer-single": gettext_noop("A single PCIe error"),
    "aer-storm": gettext_noop("A storm of PCIe errors"),
    "collectives-differ": gettext_noop("Ranks called different collectives"),
    "faults-at-one-address": gettext_noop("Faults at one address"),
    "faults-in-many-units": gettext_noop("Faults all over one GPU at once"),
    "faults-on-many-gpus": gettext_noop("The same fault on many GPUs"),
    "faults-on-one-gpu": gettext_noop("Faults on one GPU alone"),
    "first-collective-single-host": gettext_noop("The first collective failed inside one host"),
    "host-slower-than-peers": gettext_noop("A host slower than its peers"),
    "killed-first": gettext_noop("A rank was killed before the others"),
    "last-words": gettext_noop("A failure in words that nothing knows"),
    "link-down": gettext_noop("A link went down"),
    "link-flap-recovered": gettext_noop("A link went down and came back"),
    "load-outlasted-timeout": gettext_noop("Loading outlasted the timeout"),
    "log-breaks-off": gettext_noop("The log of one host breaks off"),
    "lone-abort": gettext_noop("One rank aborted by itself"),
    "lone-exception": gettext_noop("One rank alone raised an exception"),
    "lone-exit": gettext_noop("One rank left with an error code of its own"),
    "nvlink5-fatal": gettext_noop("A fatal NVLink error"),
    "nvlink5-nonfatal": gettext_noop("An NVLink error that was survived"),
    "opaque-exception": gettext_noop("An exception that may be the program's"),
    "own-exit-code": gettext_noop("One rank left with a code of its program"),
    "port-error-whole-host": gettext_noop("Port errors on a whole host"),
    "rank0-alone-busy": gettext_noop("Rank 0 alone was busy"),
    "ranks-left-early": gettext_noop("Some ranks left early"),
    "rebooted-during": gettext_noop("The host rebooted meanwhile"),
    "retry-at-start": gettext_noop("Transfers failed from the start"),
    "retry-pairs": gettext_noop("Transfers failed between named hosts"),
    "save-outlasted-timeout": gettext_noop("A checkpoint save outlasted the timeout"),
    "shared-exception": gettext_noop("Many ranks raised the same exception"),
    "step-time-rose": gettext_noop("Steps became slower"),
    "storage-recovered": gettext_noop("Storage came back"),
}
MEASURED = {
    "counter-increase": gettext_noop("rose"),
    "silence": gettext_noop("series stopped"),
    "saturation": gettext_noop("was saturated"),
    "throttling": gettext_noop("was throttled"),
    "peer-deviation": gettext_noop("left its peers"),
    "change-point": gettext_noop("changed"),
    "shared-deviation": gettext_noop("moved on many hosts at once"),
    "drift": gettext_noop("crept away from its own past"),
    "collapse": gettext_noop("fell to nearly nothing"),
    "flood": gettext_noop("rose to many times the usual"),
    "remap-growth": gettext_noop("keeps growing"),
    "trickle": gettext_noop("grows a little hour after hour"),
    "shortfall": gettext_noop("is less than it long was"),
    "stuck": gettext_noop("stays up on one host alone"),
    "spinning": gettext_noop("busy without drawing power"),
    "step-slowdown": gettext_noop("became slower"),
}
PLAIN = {
    "counter-increase": gettext_noop("A counter of errors rose"),
    "silence": gettext_noop("A series stopped: no data, not zero"),
    "saturation": gettext_noop("A resource was saturated"),
    "throttling": gettext_noop("A GPU was throttled"),
    "peer-deviation": gettext_noop("A value left its peers"),
    "change-point": gettext_noop("A value changed"),
    "shared-deviation": gettext_noop("A value moved on many hosts at once"),
    "drift": gettext_noop("A value crept away from its own past"),
    "collapse": gettext_noop("A value fell to nearly nothing"),
    "flood": gettext_noop("A value rose to many times the usual"),
    "remap-growth": gettext_noop("Memory rows are remapped again and again"),
    "trickle": gettext_noop("A counter grows a little hour after hour"),
    "shortfall": gettext_noop("There are fewer of something than there long were"),
    "stuck": gettext_noop("Tasks stay blocked on one host alone"),
    "spinning": gettext_noop("A GPU is busy without drawing power"),
    "step-slowdown": gettext_noop("Steps became slower"),
}
# Evidence names a measurement as "counter increase of gpu.pcie.replays".
OF_SIGNAL = re.compile(r"([a-z]+(?: [a-z]+)?) of ([a-z]+(?:\.[a-z_]+)+)")


def title(text: str) -> str:
    """Return a moment's title in words."""
    kind, _colon, name = text.partition(":")
    if kind == "finding":
        return words.said(FINDINGS, name, words.sentence_case(name.replace("-", " ")))
    if kind == "metric":
        return words.said(PLAIN, name, words.sentence_case(name.replace("-", " ")))
    return evidence(text)


def evidence(text: str) -> str:
    """Return the text of a piece of evidence in words."""
    found = OF_SIGNAL.fullmatch(text[:1].lower() + text[1:])
    if found is None:
        return words.sentence_case(text)
    signal = catalog().signals.get(found[2])
    # What its numbers stand for is for the catalog, not for a sentence.
    what = signal.meaning.partition(" (")[0] if signal else found[2]
    return f"{what}: {measured(found[1].replace(' ', '-'))}"


def measured(kind: str) -> str:
    """Return what a measurement did, by the kind of its finding."""
    return words.said(MEASURED, kind, kind.replace("-", " "))
