"""What detectors found in metrics."""

from collections.abc import Mapping

from apps.diagnosis.detection.metrics.load import catalog
from apps.wording.names import in_words
from apps.wording.speaker import Speaker, Values, Wording, made, text
from apps.wording.translatable import gettext_noop

# What a signal did, behind its name.
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
# The same of a signal that nobody names.
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
SHARED = {
    "server": gettext_noop("file server %(name)s"),
    "mount": gettext_noop("mount %(name)s"),
    "switch": gettext_noop("switch %(name)s"),
    "link": gettext_noop("link %(name)s"),
    "program": gettext_noop("program %(name)s"),
}


def happened(detector: str, speaker: Speaker) -> str:
    """Return what a signal did, by the detector that found it."""
    return speaker.translate(MEASURED.get(detector, detector.replace("-", " ")))


def _measured(values: Values, speaker: Speaker) -> str:
    """Return a measurement in words: PCIe replays of a GPU: rose."""
    detector, signal = str(values["detector"]), str(values.get("signal", ""))
    if not signal:
        return speaker.translate(PLAIN.get(detector, in_words(detector)))
    known = catalog().signals.get(signal)
    name = speaker.translate(known.title) if known else signal
    return f"{name}: {happened(detector, speaker)}"


def _shared(values: Values, speaker: Speaker) -> str:
    """Return a part that many hosts share."""
    kind, name = str(values["kind"]), str(values["name"])
    return (speaker.translate(SHARED.get(kind, kind)) % {"name": name}).strip()


MEASUREMENTS: Mapping[str, Wording] = {
    "measured": made(_measured, "detector", may_take=("signal",)),
    "shared-part": made(_shared, "kind", "name"),
    "seen-of-part": text(
        gettext_noop("%(what)s on %(count)s hosts, consistent with a fault at %(part)s")
    ),
}
