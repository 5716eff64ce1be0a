"""A part as somebody described it, over a span."""

from dataclasses import dataclass
from datetime import datetime

from apps.diagnosis.detection.metrics.united_parts import NAMES, Value


def names_of(thing: object) -> dict[str, Value]:
    """Return the names that were said."""
    said = {name: getattr(thing, name) for name in NAMES}
    return {name: value for name, value in said.items() if value not in {"", None}}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceObservation:
    """A part as somebody described it, and over which span. Empty and None: not said."""

    host: str
    kind: str
    starts_at: datetime
    ends_at: datetime
    index: int | None = None
    uuid: str = ""
    serial: str = ""
    pci: str = ""
    name: str = ""  # of a NIC or a disk: mlx5_0; never the model of a GPU
    netdev: str = ""
    model: str = ""  # no name: many parts share it

    @property
    def names(self) -> dict[str, Value]:
        """What it is called, without what nobody said."""
        return names_of(self)

    @property
    def description(self) -> tuple[str, ...]:
        """Everything but the span."""
        return tuple(str(getattr(self, word)) for word in ("host", "kind", *NAMES, "model"))
