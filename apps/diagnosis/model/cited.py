"""What a cited line or measurement says in typed values, for whoever reads it by program."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.diagnosis.model.words import empty


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedDevice:
    """The part that a line or a measurement is about, by the names that it gives."""

    kind: str | None  # as of a Device; None where the line leaves open what the part is
    host: str | None = None
    pci: str | None = None
    uuid: str | None = None
    index: int | None = None
    port: str | None = None  # of a network card, a switch or an NVLink
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedFact:
    """What stands behind a moment of the story or a piece of evidence."""

    signature: str | None  # None: a metric shows it
    codes: Mapping[str, int | str]  # xid sxid subcode wc_status exit_code signal … → as printed
    device: CitedDevice | None
    host: str | None
    ranks: tuple[int, ...]
    fields: Mapping[str, float | str] = field(default_factory=empty)  # of the line, by group
