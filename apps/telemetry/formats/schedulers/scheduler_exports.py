"""What schedulers export in forms of their own → session events as `scheduler_json` reads them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.schedulers import (
    backend_ai_sessions,
    kubernetes_objects,
    sacct_table,
)
from apps.telemetry.formats.schedulers.json_values import BadReport
from apps.telemetry.formats.schedulers.session_event import SessionEvent, without_empty

Read = Callable[[bytes, str], Iterator[SessionEvent | BadReport]]
FORMATS: Final[Mapping[str, Read]] = {
    "sacct": sacct_table.read,
    "kubernetes": kubernetes_objects.read,
    "backend.ai": backend_ai_sessions.read,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What a form does not say itself. Empty: not said."""

    cluster: str = ""
    project: str = ""  # counts where the form names none
    zone: str = ""  # of printed times that name none


def events_of(
    *, body: bytes, form: str, options: ExportOptions, complaints: Complaints
) -> dict[str, Any]:
    """Return `{"events": […]}`; raise NothingUsable for a body that is not of this form.

    What of it is no event is named and left out.
    """
    events = []
    try:
        for number, found in enumerate(FORMATS[form](body, options.zone), start=1):
            if isinstance(found, BadReport):
                complaints.add(line=number, code="bad_entry", detail=str(found))
            else:
                events.append(_completed(found, options))
    except BadReport as error:
        raise NothingUsable(str(error)) from error
    return {"events": events}


def _completed(event: SessionEvent, options: ExportOptions) -> dict[str, Any]:
    known = {"cluster": options.cluster, "project": options.project}
    return {**{name: word for name, word in known.items() if word}, **without_empty(event)}
