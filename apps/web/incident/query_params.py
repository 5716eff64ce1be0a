"""What the address asks of an incident's page, who asks, and what else may be asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from apps.web.display.choices import SegmentLink

GROUPS = (
    ("layer", gettext_noop("By layer")),
    ("party", gettext_noop("By party")),
    ("list", gettext_noop("List")),
)
SPAN_NAMES = (
    ("2m", gettext_noop("2 min")),
    ("", gettext_noop("The stop")),
    ("30m", gettext_noop("30 min")),
    ("2h", gettext_noop("2 h")),
    ("all", gettext_noop("All")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """What the address asks for."""

    group: str = "layer"
    span: str = ""
    shows_all: bool = False
    why: str = ""  # the cause of which is asked why it is not the one


def as_asked(request: HttpRequest, address: str) -> str:
    """Return another address with what was asked for behind it."""
    asked = request.GET.urlencode()
    return f"{address}?{asked}" if asked else address


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReader:
    """What the reader may do, and the clock on the wall."""

    can_write: bool
    may_resolve: bool
    now: datetime
    zone: ZoneInfo | None
    has_own_metrics: bool = False  # in the cluster; asked for where no chart is shown


def choices_of(
    names: Sequence[tuple[str, str]], *, name: str, chosen: str, other: tuple[str, str]
) -> tuple[SegmentLink, ...]:
    """Return the links of one control; the other wish stays as it is."""
    return tuple(
        SegmentLink(
            text=_(text), query=f"?{name}={value}&{other[0]}={other[1]}", is_on=value == chosen
        )
        for value, text in names
    )
