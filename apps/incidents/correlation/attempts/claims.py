"""What is known of an attempt without what others only claim of it."""

import operator
from collections.abc import Callable
from dataclasses import replace

from apps.diagnosis.model import (
    Anomaly,
    Event,
    Layer,
    Reading,
    Stream,
)
from apps.incidents.correlation.attempts.attempt_facts import Gathered

# Of such a part a session's log may tell anything.
OUTSIDE = frozenset({Layer.GPU, Layer.HOST, Layer.NETWORK, Layer.STORAGE})
FAILED = "session-failed"  # no signature: it speaks for no cause


def without_claims(*, gathered: Gathered) -> Gathered:
    """Return what is known without what its tenant only claims; the same where that is nothing.

    A session's log tells that it stopped, and when; what its program prints of parts that others
    use as well is its tenant's word, whoever brings the log.
    """
    is_claim = gathered.holders.is_claim
    readings = [_sure(each, is_claim) for each in gathered.readings]
    anomalies = [each for each in gathered.anomalies if not is_claim(each)]
    is_same = all(map(operator.is_, readings, gathered.readings))
    if is_same and len(anomalies) == len(gathered.anomalies):
        return gathered
    return replace(gathered, readings=readings, anomalies=anomalies)


def _sure(reading: Reading, is_claim: Callable[[Event | Anomaly], bool]) -> Reading:
    kept = tuple(_without_word(each) for each in reading.events if not is_claim(each))
    is_same = len(kept) == len(reading.events) and all(map(operator.is_, kept, reading.events))
    return reading if is_same else replace(reading, events=kept)


def _without_word(event: Event) -> Event:
    """Return what a session printed of a part outside of it as no more than that it failed."""
    is_log = event.line.origin.stream in {None, Stream.SESSION}
    if not is_log or event.layer not in OUTSIDE:
        return event
    return replace(event, signature=FAILED, layer=None, causes=(), fields={})
