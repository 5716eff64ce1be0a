"""Observations of devices as their senders make them."""

from datetime import timedelta

from apps.fleet.devices.observation import DeviceObservation
from tests.cast.make import AT

HOUR = timedelta(hours=1)


def seen(start: float, end: float | None = None, **names: object) -> DeviceObservation:
    """Return a sighting, in hours; of a GPU of gpu017 unless told otherwise."""
    return DeviceObservation(
        **{
            "host": "gpu017",
            "kind": "gpu",
            "starts_at": AT + start * HOUR,
            "ends_at": AT + (start if end is None else end) * HOUR,
            **names,
        }  # type: ignore[arg-type]
    )
