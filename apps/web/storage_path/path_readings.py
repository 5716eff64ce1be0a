"""What a save or load is consistent with: readings with their conditions, none of them a cause."""

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.reliability.storage_path.values import PhaseDetail
from apps.training.storage_path.adapters import AdapterFinding
from apps.training.storage_path.slots import SlotFinding, SlotReading
from apps.web.display.figures import percent
from apps.web.storage_path.figures import rate_text
from apps.web.storage_path.page import PathReading, ReadingCondition

STATES: Final = {
    "holds": gettext_lazy("holds"),
    "fails": gettext_lazy("does not hold"),
    "unknown": gettext_lazy("not known"),
}


def readings(detail: PhaseDetail) -> Iterator[PathReading]:
    """Yield the readings with their conditions; none of them is called the cause."""
    if detail.slots is not None:
        yield from _slot_readings(detail, detail.slots)
    if detail.adapter is not None:
        yield _adapter_reading(detail.adapter)


def _slot_readings(detail: PhaseDetail, found: SlotFinding) -> Iterator[PathReading]:
    """Yield both readings of the study."""
    flat = "unknown" if not detail.is_flat_known else _state(is_met=found.is_server_flat)
    ratio = _("observed is %(share)s of the bound of %(bound)s a node: within a factor of two") % {
        "share": percent(found.observed_share),
        "bound": rate_text(found.bound_bytes_per_second),
    }
    yield PathReading(
        name=_("Slot limit"),
        verdict=_verdict(found, SlotReading.SLOT_LIMIT),
        is_met=found.reading is SlotReading.SLOT_LIMIT,
        conditions=(
            _condition(ratio, _state(is_met=found.is_near_bound)),
            _condition(_("requests wait for a slot"), _backlog_state(detail, found)),
            _condition(_("the server answers as fast as at rest"), flat),
        ),
    )
    yield PathReading(
        name=_("Queueing and transport backlog"),
        verdict=_verdict(found, SlotReading.QUEUEING),
        is_met=found.reading is SlotReading.QUEUEING,
        conditions=(
            _condition(
                _("most of the time of requests is queueing"), _state(is_met=found.is_queueing)
            ),
            _condition(_("requests wait for a slot"), _backlog_state(detail, found)),
        ),
    )


def _adapter_reading(found: AdapterFinding) -> PathReading:
    if found.rated_share is None or found.is_near_rated is None:
        near = _("nobody entered what the adapters of a node carry (Ratings)")
        state = "unknown"
    else:
        near = _("the busiest adapter carries %(share)s of the %(rated)s it is rated at") % {
            "share": percent(found.rated_share),
            "rated": rate_text(found.rated_bytes_per_second),
        }
        state = _state(is_met=found.is_near_rated)
    return PathReading(
        name=_("Adapter of the node"),
        verdict=_adapter_verdict(found),
        is_met=found.is_bound,
        conditions=(
            _condition(near, state),
            _condition(
                _("the save or load is most of what it carries"),
                _state(is_met=found.is_most_of_it),
            ),
        ),
    )


def _adapter_verdict(found: AdapterFinding) -> str:
    if found.is_near_rated is None and found.is_most_of_it:
        return _("Not judged: what the adapters carry at most is not known.")
    if found.is_bound:
        return _("The save is consistent with it; that it is the cause is not shown.")
    return _("It does not fit.")


def _verdict(found: SlotFinding, reading: SlotReading) -> str:
    if found.reading is reading:
        return _("The save is consistent with it; that it is the cause is not shown.")
    if found.reading is SlotReading.SLOT_LIMIT:
        return _("The narrower reading fits, too.") if found.is_queueing else _("It does not fit.")
    return _("It does not fit.")


def _backlog_state(detail: PhaseDetail, found: SlotFinding) -> str:
    is_known = detail.shown.phase.backlog is not None
    return _state(is_met=found.has_backlog) if is_known else "unknown"


def _state(*, is_met: bool) -> str:
    return "holds" if is_met else "fails"


def _condition(text: str, state: str) -> ReadingCondition:
    return ReadingCondition(text=text, state=state, state_word=str(STATES[state]))
