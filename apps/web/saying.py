"""Titles of moments and texts of evidence, where they carry names that only machines read."""

import re
from collections.abc import Mapping
from functools import cache

from django.utils.translation import gettext_noop

from apps.diagnosis.detection.known_detectors import anomaly_kinds
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
# Evidence names a measurement as "counter increase of gpu.pcie.replays".
OF_SIGNAL = re.compile(r"([a-z]+(?: [a-z]+)?) of ([a-z]+(?:\.[a-z_]+)+)")


def title(text: str) -> str:
    """Return a moment's title in words."""
    kind, _colon, name = text.partition(":")
    if kind == "finding":
        return words.said(FINDINGS, name, words.sentence_case(name.replace("-", " ")))
    if kind == "metric":
        return words.said(_sentences(), name, words.sentence_case(name.replace("-", " ")))
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
    return words.said(_deeds(), kind, kind.replace("-", " "))


@cache
def _deeds() -> Mapping[str, str]:
    return {name: kind.did for name, kind in anomaly_kinds().items()}


@cache
def _sentences() -> Mapping[str, str]:
    return {name: kind.sentence for name, kind in anomaly_kinds().items()}
