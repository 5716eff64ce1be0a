"""Parts, places, names and times as a note writes them."""

from collections.abc import Iterable
from datetime import datetime

from apps.diagnosis.model import Device

MOST_NAMES = 6
KINDS = {"mount": "path", "nvswitch": "NVSwitch"}  # what is not called by its kind


def device(one: Device) -> str:
    """Name a part as people do."""
    where = f" of {one.host}" if one.host and one.kind != "node" else ""
    name = one.host if one.kind == "node" else (_number(one) or one.name or one.pci)
    pci = f" ({one.pci})" if one.pci and name != one.pci else ""
    # A process with a number is a rank, as the page calls it.
    is_rank = one.kind == "process" and one.rank is not None and not one.name
    kind = "rank" if is_rank else KINDS.get(one.kind, one.kind)
    if not name and one.kind in {"rank", "process"}:
        return f"a {kind}{where}"
    return f"{kind} {name or ''}{pci}{where}".replace("  ", " ").strip()


def _number(one: Device) -> str:
    if one.index is not None:
        return str(one.index)
    return str(one.rank) if one.rank is not None and not one.name else ""


def place_text(source: str | None, line: int | None) -> str:
    """Return file and line."""
    if not source:
        return ""
    return f"{source}:{line}" if line else source


def some(names: Iterable[str]) -> str:
    """Join names, the first few of many."""
    known = list(names)
    more = f" and {len(known) - MOST_NAMES} more" if len(known) > MOST_NAMES else ""
    return ", ".join(known[:MOST_NAMES]) + more


def listed(names: Iterable[str]) -> str:
    """Join names, each once, the first few of many."""
    return some(tuple(dict.fromkeys(names)))


def dated(at: datetime) -> str:
    """Return a time with its day."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
