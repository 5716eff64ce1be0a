"""What detectors found in metrics."""

from collections.abc import Mapping

from apps.diagnosis.detection.known_detectors import kind_named
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.detection.shared_kinds import COUNTER_INCREASE
from apps.wording.names import in_words
from apps.wording.speaker import Speaker, Values, Wording, made, text
from apps.wording.translatable import gettext_noop

CODE = "code"  # of a signal's unit: a number that names something, and so doesn't rise
OF_CODE = gettext_noop("changed")


def happened(detector: str, signal: str, speaker: Speaker) -> str:
    """Return what a signal did, by the detector that found it."""
    known = catalog().signals.get(signal)
    if known and known.unit == CODE and detector == COUNTER_INCREASE.name:
        return speaker.translate(OF_CODE)
    return speaker.translate(kind_named(detector).did or detector.replace("-", " "))


def _measured(values: Values, speaker: Speaker) -> str:
    """Return a measurement in words: PCIe replays of a GPU: rose."""
    detector, signal = str(values["detector"]), str(values.get("signal", ""))
    if not signal:
        return speaker.translate(kind_named(detector).sentence or in_words(detector))
    known = catalog().signals.get(signal)
    name = speaker.translate(known.title) if known else signal
    return f"{name}: {happened(detector, signal, speaker)}"


MEASUREMENTS: Mapping[str, Wording] = {
    "measured": made(_measured, "detector", may_take=("signal",)),
    "seen-of-part": text(
        gettext_noop("%(what)s on %(count)s hosts, consistent with a fault at %(part)s")
    ),
}
