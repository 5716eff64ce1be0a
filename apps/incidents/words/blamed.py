"""What blamed parts are called in a sentence."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from apps.wording import READERS
from apps.wording.devices import device_of, is_exact, located


def culprit(device: Mapping[str, object]) -> str:
    """Return what a blamed part is called in a sentence: GPU 5 on gpu071."""
    return located(device_of(device), READERS)


def is_vague(device: Mapping[str, object], *, among: Sequence[Mapping[str, object]]) -> bool:
    """Say whether another blamed part of the same kind and host is named more exactly."""
    same = [
        other
        for other in among
        if other is not device
        and (other.get("kind"), other.get("host")) == (device.get("kind"), device.get("host"))
    ]
    return not is_exact(device_of(device)) and any(is_exact(device_of(other)) for other in same)


def culprits(devices: Sequence[Mapping[str, object]], *, limit: int = 2) -> str:
    """Return the blamed parts of a sentence, counted where they are many."""
    exact = [device for device in devices if not is_vague(device, among=devices)]
    names = list(dict.fromkeys(culprit(device) for device in exact))
    if len(names) <= limit:
        return _(" and ").join(names)
    return _("%(name)s and %(n)s others") % {"name": names[0], "n": len(names) - 1}
