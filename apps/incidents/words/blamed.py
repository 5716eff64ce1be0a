"""What blamed parts are called in a sentence."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from apps.wording import READERS
from apps.wording.parts import part

# Of these a host or a session has one; of those the rank says which it is.
ALONE, RANKED = frozenset({"node", "program"}), frozenset({"rank", "process"})


def culprit(device: Mapping[str, object]) -> str:
    """Return what a blamed part is called in a sentence: GPU 5 on gpu071."""
    return part(device, speaker=READERS)


def is_vague(device: Mapping[str, object], *, among: Sequence[Mapping[str, object]]) -> bool:
    """Say whether another blamed part of the same kind and host is named more exactly."""
    same = [
        other
        for other in among
        if other is not device
        and (other.get("kind"), other.get("host")) == (device.get("kind"), device.get("host"))
    ]
    return not _is_exact(device) and any(_is_exact(other) for other in same)


def _is_exact(device: Mapping[str, object]) -> bool:
    """Say whether it is known which part of its kind it is."""
    kind, is_named = device.get("kind"), bool(device.get("name"))
    gpu = device.get("gpu")
    told = gpu if isinstance(gpu, Mapping) else device
    if kind in ALONE:
        return True
    if kind == "gpu":
        return told.get("index") is not None or bool(told.get("pci"))
    if kind == "nvswitch":
        return is_named or bool(told.get("pci"))
    return is_named or (kind in RANKED and device.get("rank") is not None)


def culprits(devices: Sequence[Mapping[str, object]], *, limit: int = 2) -> str:
    """Return the blamed parts of a sentence, counted where they are many."""
    exact = [device for device in devices if not is_vague(device, among=devices)]
    names = list(dict.fromkeys(culprit(device) for device in exact))
    if len(names) <= limit:
        return _(" and ").join(names)
    return _("%(name)s and %(n)s others") % {"name": names[0], "n": len(names) - 1}
