"""One save or load on its way: rank, client, slots, adapters, server; and what that fits."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from apps.reliability.storage_path.values import PhaseDetail
from apps.telemetry.facade.storage import HostTraffic, StoragePhaseView
from apps.training.storage_path.phases import PhaseKind
from apps.training.storage_path.rpc_queue import (
    ALERT_REQUESTS_PER_SECOND,
    ALERT_SECONDS,
    ALERT_SHARE,
)
from apps.web import words
from apps.web.display.figures import NO_NUMBER, gpu_hours, percent
from apps.web.display.instants import dated
from apps.web.display.levels import shared_mark
from apps.web.storage_path.figures import (
    KINDS,
    length_text,
    rate_text,
    seconds_text,
    share_rows,
    size_text,
)
from apps.web.storage_path.page import (
    PathPanel,
    PathStation,
    StorageHostRow,
)
from apps.web.storage_path.path_readings import readings


def path_panel(detail: PhaseDetail, *, is_adapter_assumed: bool) -> PathPanel:
    """Return a save or load from the rank to the server."""
    phase, row = detail.shown.phase, detail.row
    kind, at = KINDS[PhaseKind(phase.kind)], dated(phase.starts_at, seconds=True)
    return PathPanel(
        title=_("%(kind)s, %(at)s") % {"kind": kind, "at": at},
        caption=_caption(phase),
        session=row.session if row else "",
        session_name=row.session_name if row else "",
        stations=tuple(_stations(detail)),
        readings=tuple(readings(detail)),
        shares=share_rows(
            detail.shares,
            is_adapter_assumed=is_adapter_assumed,
            slots_by=_slots_by(detail),
        ),
        hosts=tuple(map(_host_row, detail.hosts)),
        note=_note(detail),
    )


def _caption(phase: StoragePhaseView) -> str:
    parts = [words.duration(phase.seconds), size_text(phase.moved_bytes)]
    if phase.host_count:
        parts.append(_("%(n)s nodes") % {"n": phase.host_count})
    if phase.mount:
        parts.append(phase.mount)
    return ", ".join(part for part in parts if part != NO_NUMBER)


def _stations(detail: PhaseDetail) -> Iterator[PathStation]:
    phase, by = detail.shown.phase, _measured_by(detail)
    yield _ranks(detail)
    yield PathStation(
        name=_("Queue of the NFS client"),
        figures=(
            (_("Share of the time of requests"), percent(phase.queue_share)),
            (_("Wait of one request"), _of_one(phase.queue_seconds, phase)),
        ),
        measured_by=by if phase.queue_seconds is not None else "",
    )
    yield PathStation(
        name=_("RPC slots"),
        figures=(
            (_("Slots of a mount"), f"{detail.slot_count:,.0f}"),
            (_("Waiting for one, mean"), _backlog(phase)),
        ),
        measured_by=by if phase.backlog is not None else "",
        note=""
        if detail.is_slot_count_entered
        else _("the most that were in use at once, no limit that was told"),
    )
    yield PathStation(
        name=_("Adapters of the nodes"),
        figures=(
            (_("Of one node"), rate_text(_node_rate(phase))),
            (_("All nodes, mean"), rate_text(phase.bytes_per_second)),
            (_("All nodes, peak"), rate_text(phase.peak_bytes_per_second)),
            (_("All that an adapter carried, mean"), rate_text(phase.adapter_bytes_per_second)),
            (_("The same, busiest node"), rate_text(phase.adapter_most_bytes_per_second)),
        ),
        measured_by=by if phase.moved_bytes is not None else "",
        note=_("The first three are the mount's bytes alone; the others are the busiest adapter."),
    )
    yield PathStation(
        name=_("Network and file server"),
        figures=(
            (_("Answer to one request"), _of_one(phase.response_seconds, phase)),
            (_("The same at rest"), seconds_text(phase.quiet_response_seconds)),
        ),
        measured_by=by if phase.response_seconds is not None else "",
        note=_("As the clients see it: network and server are told as one."),
    )


def _ranks(detail: PhaseDetail) -> PathStation:
    row = detail.row
    is_logged = row is not None and row.is_logged
    took = length_text(row.seconds if row is not None and is_logged else None)
    step = f"{row.step:,}" if row is not None and row.step is not None else NO_NUMBER
    return PathStation(
        name=_("Ranks"),
        figures=(
            (_("Step"), step),
            (_("Took, as logs tell"), took),
            (_("GPU-hours that waited"), gpu_hours(row.idled_gpu_hours if row else None)),
        ),
        measured_by=_("your logs") if is_logged else "",
        note="" if is_logged else _("No log of yours tells of it."),
    )


def _measured_by(detail: PhaseDetail) -> str:
    shared = detail.shown.shared
    return shared_mark(shared) if shared else _("your sources")


def _of_one(seconds: float | None, phase: StoragePhaseView) -> str:
    """Return a sum of seconds as that of one request."""
    is_known = seconds is not None and phase.requests
    return seconds_text(seconds / phase.requests if is_known else None)  # type: ignore[operator]


def _backlog(phase: StoragePhaseView) -> str:
    if phase.backlog is None or not phase.sends:
        return NO_NUMBER
    return f"{phase.backlog / phase.sends:,.1f}"


def _node_rate(phase: StoragePhaseView) -> float | None:
    rate = phase.bytes_per_second
    return rate / phase.host_count if rate and phase.host_count else None


def _slots_by(detail: PhaseDetail) -> str:
    how = (
        _("%(n)s slots, entered under Ratings")
        if detail.is_slot_count_entered
        else _("%(n)s slots, the most that were in use at once")
    )
    return how % {"n": f"{detail.slot_count:,.0f}"}


def _host_row(each: HostTraffic) -> StorageHostRow:
    share = each.queue_seconds / each.request_seconds if each.request_seconds > 0 else None
    rate = each.requests / each.seconds if each.seconds > 0 else 0.0
    is_long = each.seconds >= ALERT_SECONDS and rate > ALERT_REQUESTS_PER_SECOND
    return StorageHostRow(
        host=each.host,
        moved=size_text(each.moved_bytes),
        rate=rate_text(each.moved_bytes / each.seconds if each.seconds > 0 else None),
        queue_share=percent(share),
        response=seconds_text(each.response_seconds / each.requests if each.requests else None),
        is_queueing=is_long and share is not None and share > ALERT_SHARE,
    )


def _note(detail: PhaseDetail) -> str:
    if detail.shown.phase.moved_bytes is None:
        return _("Its holder shows that it was and when; no values.")
    if detail.slots is None:
        return _("Too little is known of its requests to say where they waited.")
    return ""
