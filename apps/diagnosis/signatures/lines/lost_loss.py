"""Steps whose line says that the loss is lost: it is no number, or 0 beside a gradient norm that is
none.
"""

from collections.abc import Mapping

from apps.diagnosis.model import Event, Mark
from apps.diagnosis.signatures.event_builder import plain_event
from apps.diagnosis.signatures.marks import sole

NO_NUMBERS = frozenset({"nan", "inf", "-inf", "-nan"})
# A step whose scaled gradient overflows is skipped; with a loss of 0 the weights are lost.
NOTHING = frozenset({"0", "0.0"})


def value_of(*, said: Mapping[str, str | None]) -> str:
    """Return which value of a step is no number, as it is printed; nothing where all are."""
    loss, norm = (str(said.get(name) or "").lower() for name in ("loss", "grad_norm"))
    if loss in NO_NUMBERS:
        return loss
    return norm if norm in NO_NUMBERS and loss in NOTHING else ""


def lost(*, event: Event) -> Event | None:
    """Return the fact beside a step that its loss is lost, None where it is not."""
    value = value_of(said=event.fields)
    if not value:
        return None
    is_norm = str(event.fields.get("loss", "")).lower() != value
    fields = {"value": value.lstrip("-"), **({"of": "grad_norm"} if is_norm else {})}
    return plain_event(line=event.line, signature=sole(Mark.LOST_LOSS), fields=fields)
