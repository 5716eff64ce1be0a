"""What errors of a PCIe bus became: a lost part, a storm, nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.diagnosis.model import Mark, Observation, Role
from apps.diagnosis.observed import renamed
from apps.diagnosis.reasoning.findings.kernel_findings.ports import Ports, bus_of
from apps.diagnosis.signatures.marks import marked

# A fatal bus error takes its GPU with it within a moment.
AT_ONCE = timedelta(seconds=10)
# Fewer corrected bus errors a minute than this are nothing.
STORM = 3
# Clocks and print times blur before and after by so much.
AFTERMATH = timedelta(seconds=60)
LOSSES = marked(Mark.DEVICE_LOST) | {"xid:79", "xid:167"}
BUS_ERRORS = marked(Mark.BUS_ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectedParts:
    """Where the failure is to be looked for, as far as known."""

    suspects: frozenset[str] = frozenset()  # hosts that stopped first or that peers name
    gpus: Mapping[str, frozenset[str]] = field(default_factory=dict)  # host → PCI addresses

    def may_be_to_blame(self, one: Observation) -> bool:
        """Say whether a part is a GPU of the session on a host that may have stopped first."""
        if self.suspects and one.host is not None and one.host not in self.suspects:
            return False
        known = self.gpus.get(one.host or "")
        if not known:
            return True
        parts = {one.fields.get("source"), one.fields.get("pci")}
        return bool(parts & known)


def graded(
    observations: Sequence[Observation],
    failed_at: datetime | None,
    place: SuspectedParts,
    ports: Ports,
) -> Iterator[Observation]:
    """Grade PCIe errors: uncorrected, a storm of corrected ones, a single one, another part's.

    A port reports errors all its life. They belong to a failure only where they came before it,
    and the part was lost after them, or is a GPU of a host that stopped first.
    """
    lost = [one for one in observations if signs_of(one) & LOSSES]
    for one in observations:
        if one.sign not in BUS_ERRORS:
            continue
        text = " ".join(e.line.text for e in one.events[:20]).lower()
        is_fatal = "uncorrect" in text and "non-fatal" not in text and "nonfatal" not in text
        is_followed = any(_is_loss_of(one, loss, ports, is_fatal=is_fatal) for loss in lost)
        if not is_followed and _is_after(one, failed_at):
            yield renamed(one, "aer-afterwards", Role.CONTEXT)
        elif not is_followed and any(_is_of_another(one, loss, ports) for loss in lost):
            yield renamed(one, "aer-elsewhere", Role.CONTEXT)
        elif is_fatal:
            yield renamed(one, "aer-fatal")
        elif not is_followed and not place.may_be_to_blame(one):
            yield renamed(one, "aer-elsewhere", Role.CONTEXT)
        elif _is_storm(one) or "multiple" in text:
            yield renamed(one, "aer-storm")
        else:
            yield renamed(one, "aer-single")


def _is_storm(one: Observation) -> bool:
    span = one.last_at - one.at if one.at and one.last_at else timedelta(0)
    return one.count >= STORM * max(span / timedelta(minutes=1), 1)


def signs_of(one: Observation) -> set[str]:
    """Return the names of an observation that tell of a lost part."""
    return {one.sign, f"xid:{one.fields.get('xid', '')}"}


def _is_loss_of(one: Observation, loss: Observation, ports: Ports, *, is_fatal: bool) -> bool:
    """Say whether a part was lost after a bus error of its own, or of the port it hangs on."""
    if one.host != loss.host or _is_before(loss, one):
        return False
    lost = loss.fields.get("pci", "")
    if not lost:
        return True
    is_own = _leads_to(one, bus_of(lost), ports)
    if is_own is None:  # nobody said what hangs on the port: then only the moment ties them
        is_close = one.last_at is None or loss.at is None or loss.at - one.last_at <= AT_ONCE
        return is_fatal and is_close
    return is_own


def _is_before(one: Observation, other: Observation) -> bool:
    return bool(other.at and one.last_at and one.last_at < other.at - other.error)


def _is_of_another(one: Observation, loss: Observation, ports: Ports) -> bool:
    """Say whether a bus error is known to be of another part than the one lost on its host."""
    lost = loss.fields.get("pci", "")
    is_known = one.host == loss.host and bool(lost)
    return is_known and _leads_to(one, bus_of(lost), ports) is False


def _leads_to(one: Observation, bus: int, ports: Ports) -> bool | None:
    """Say whether a bus error was on the way to a bus; None: nobody said what hangs on the port."""
    parts = {part for name in ("pci", "source") if (part := one.fields.get(name))}
    if bus in {bus_of(part) for part in parts}:
        return True
    said = [ports.lead_to(one.host or "", part, bus) for part in parts]
    if any(said):
        return True
    if False in said:
        return False
    is_device = any(e.fields.get("drv", "pcieport") != "pcieport" for e in one.events)
    return False if is_device else None


def _is_after(one: Observation, failed_at: datetime | None) -> bool:
    if one.at is None or failed_at is None:
        return False
    return one.at - one.error - AFTERMATH > failed_at
