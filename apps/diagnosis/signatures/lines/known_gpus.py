"""GPUs and drivers as earlier lines of a source named them, for the errors that follow."""

from apps.diagnosis.model import Event, Mark
from apps.diagnosis.signatures import xid
from apps.diagnosis.signatures.event_builder import with_fields
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.marks import marked

UUIDS, DRIVERS = marked(Mark.GPU_UUID), marked(Mark.DRIVER_VERSION)
GPU_LIMIT = 256  # of all hosts of a relay


class KnownGpus:
    """What was named so far is added to `told`: PCI address → UUID, driver of a host → version."""

    def __init__(self, *, told: dict[str, str]) -> None:
        self._told = told

    def identified(self, event: Event) -> Event:
        """Return an Xid by its driver and with the UUID of its GPU, if they were named before."""
        pci, told = event.fields.get("pci", ""), self._told
        driver = f"driver of {event.line.host}"
        if event.signature in UUIDS and len(told) < GPU_LIMIT:
            told[pci] = event.fields["uuid"]
        if event.signature in DRIVERS and len(told) < GPU_LIMIT:
            told[driver] = event.fields["driver"]
        if driver in told and load_catalog()[event.signature].decoder == "xid":
            event = xid.refined(event=event, decoder="xid", driver=told[driver])
        if "xid" in event.fields and "uuid" not in event.fields and pci in told:
            return with_fields(event=event, more={"uuid": told[pci]})
        return event
