"""What detectors found in metrics."""

from collections.abc import Mapping

from apps.diagnosis.detection.known_detectors import kind_named
from apps.diagnosis.detection.metrics.load import catalog
from apps.wording.names import in_words
from apps.wording.speaker import Speaker, Values, Wording, made, text
from apps.wording.translatable import gettext_noop


def happened(detector: str, speaker: Speaker) -> str:
    """Return what a signal did, by the detector that found it."""
    return speaker.translate(kind_named(detector).did or detector.replace("-", " "))


def _measured(values: Values, speaker: Speaker) -> str:
    """Return a measurement in words: PCIe replays of a GPU: rose."""
    detector, signal = str(values["detector"]), str(values.get("signal", ""))
    if not signal:
        return speaker.translate(kind_named(detector).sentence or in_words(detector))
    known = catalog().signals.get(signal)
    name = speaker.translate(known.title) if known else signal
    return f"{name}: {happened(detector, speaker)}"


MEASUREMENTS: Mapping[str, Wording] = {
    "measured": made(_measured, "detector", may_take=("signal",)),
    "seen-of-part": text(
        gettext_noop("%(what)s on %(count)s hosts, consistent with a fault at %(part)s")
    ),
}
