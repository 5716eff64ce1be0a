"""Parts of hosts, and parts that are others since."""

from collections.abc import Mapping

from apps.wording import quantities
from apps.wording.speaker import Speaker, Values, Wording, made, text
from apps.wording.translatable import gettext_noop

CALLED = {"gpu": "GPU", "nic": "NIC"}


def _device(values: Values, _speaker: Speaker) -> str:
    kind = str(values["kind"])
    return f"{CALLED.get(kind, kind)} {values['which']}"


DEVICES: Mapping[str, Wording] = {
    "device": made(_device, "kind", "which"),
    "part-of-host": text(gettext_noop("%(part)s of %(host)s")),
    "part-replaced": text(
        gettext_noop("%(part)s was replaced: %(board)s was seen there last at %(last)s"),
        last=quantities.instant,
    ),
    "part-moved": text(
        gettext_noop("%(part)s came from another place: it was %(former)s until %(last)s"),
        last=quantities.instant,
    ),
    "part-renumbered": text(
        gettext_noop("%(part)s has another number: it was %(former)s until %(last)s"),
        last=quantities.instant,
    ),
}
