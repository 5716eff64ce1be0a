"""Titles of moments and texts of evidence, where they carry names that only machines read."""

import re

from apps.diagnosis.metrics.load import catalog
from apps.incidents import words as naming
from apps.web import words

FINDINGS = {
    "aer-fatal": "Fatal PCIe errors",
    "aer-single": "A single PCIe error",
    "aer-storm": "A storm of PCIe errors",
    "collectives-differ": "Ranks called different collectives",
    "faults-at-one-address": "Faults at one address",
    "faults-in-many-units": "Faults all over one GPU at once",
    "faults-on-many-gpus": "The same fault on many GPUs",
    "faults-on-one-gpu": "Faults on one GPU alone",
    "first-collective-single-host": "The first collective failed inside one host",
    "host-slower-than-peers": "A host slower than its peers",
    "killed-first": "A rank was killed before the others",
    "last-words": "A failure in words that nothing knows",
    "link-down": "A link went down",
    "link-flap-recovered": "A link went down and came back",
    "load-outlasted-timeout": "Loading outlasted the timeout",
    "lone-exception": "One rank alone raised an exception",
    "lone-exit": "One rank left with an error code of its own",
    "nvlink5-fatal": "A fatal NVLink error",
    "nvlink5-nonfatal": "An NVLink error that was survived",
    "opaque-exception": "An exception that may be the program's",
    "port-error-whole-host": "Port errors on a whole host",
    "rank0-alone-busy": "Rank 0 alone was busy",
    "ranks-left-early": "Some ranks left early",
    "rebooted-during": "The host rebooted meanwhile",
    "retry-at-start": "Transfers failed from the start",
    "retry-pairs": "Transfers failed between named hosts",
    "save-outlasted-timeout": "A checkpoint save outlasted the timeout",
    "shared-exception": "Many ranks raised the same exception",
    "step-time-rose": "Steps became slower",
    "storage-recovered": "Storage came back",
}
MEASURED = {
    "counter-increase": "rose",
    "silence": "ended: no data",
    "saturation": "was saturated",
    "throttling": "was throttled",
    "peer-deviation": "left its peers",
    "change-point": "changed",
    "shared-deviation": "moved on many hosts at once",
    "drift": "crept away from its own past",
    "collapse": "fell to nearly nothing",
    "flood": "rose to many times the usual",
    "remap-growth": "keeps growing",
    "trickle": "grows a little hour after hour",
    "shortfall": "is less than it long was",
    "stuck": "stays up on one host alone",
    "spinning": "busy without drawing power",
    "step-slowdown": "became slower",
}
PLAIN = {
    "counter-increase": "A counter of errors rose",
    "silence": "A series ended: no data, not zero",
    "saturation": "A resource was saturated",
    "throttling": "A GPU was throttled",
    "peer-deviation": "A value left its peers",
    "change-point": "A value changed",
    "shared-deviation": "A value moved on many hosts at once",
    "drift": "A value crept away from its own past",
    "collapse": "A value fell to nearly nothing",
    "flood": "A value rose to many times the usual",
    "remap-growth": "Memory rows are remapped again and again",
    "trickle": "A counter grows a little hour after hour",
    "shortfall": "There are fewer of something than there long were",
    "stuck": "Tasks stay blocked on one host alone",
    "spinning": "A GPU is busy without drawing power",
    "step-slowdown": "Steps became slower",
}
WANTED = re.compile(rf"(\bthe )({'|'.join(words.SOURCES)})\b")
VERDICT = re.compile(r"Verdict (\d+): ([a-z]+), ([a-z0-9-]+) \(([\d.]+)\)")
# Evidence names a measurement as "counter increase of gpu.pcie.replays".
OF_SIGNAL = re.compile(r"([a-z]+(?: [a-z]+)?) of ([a-z]+(?:\.[a-z_]+)+)")


def title(text: str) -> str:
    """Return a moment's title in words."""
    kind, _, name = text.partition(":")
    if kind == "finding":
        return FINDINGS.get(name, words.sentence_case(name.replace("-", " ")))
    if kind == "metric":
        return PLAIN.get(name, words.sentence_case(name.replace("-", " ")))
    told = VERDICT.fullmatch(text)
    if told:
        cause = words.inside(naming.cause(told[3]).name)
        return f"Answer {told[1]}: {words.layer(told[2])}, {cause} ({told[4]})"
    return evidence(text)


def action(text: str) -> str:
    """Return what to do, with kinds of sources by their names: the kernel-log is kernel logs."""
    return WANTED.sub(lambda found: f"{found[1]}{words.inside(words.source(found[2]))}", text)


def evidence(text: str) -> str:
    """Return the text of a piece of evidence in words."""
    found = OF_SIGNAL.fullmatch(text[:1].lower() + text[1:])
    if found is None:
        return words.sentence_case(text)
    signal = catalog().signals.get(found[2])
    # What its numbers stand for is for the catalog, not for a sentence.
    what = signal.meaning.partition(" (")[0] if signal else found[2]
    return f"{what}: {MEASURED.get(found[1].replace(' ', '-'), found[1])}"
