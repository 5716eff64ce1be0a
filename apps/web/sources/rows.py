"""Sources and how fresh they are. Fresh, stale and still waiting are three different things."""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from apps.telemetry.status.intake import Intake
from apps.telemetry.values import BatchView, SourceView
from apps.web import words
from apps.web.sources.page import SourceRow, UnreadBody
from apps.web.sources.source_page import SourceFields, SourceState

STALE_AFTER = timedelta(minutes=15)
UNKNOWN_KIND = gettext_noop("Log of an unknown kind")


def push_row(*, intake: Intake, now: datetime) -> SourceRow:
    """Return one kind of pushed log."""
    name = words.said(words.INTAKES, intake.kind, UNKNOWN_KIND)
    last = intake.last_received_at
    is_stale = last is not None and now - last > STALE_AFTER
    state = "waiting" if last is None else "stale" if is_stale else "fresh"
    return SourceRow(
        name=_("%(logs)s of %(cluster)s") % {"logs": name, "cluster": intake.cluster_name}
        if intake.cluster
        else _("%(logs)s, ad hoc") % {"logs": name},
        kind=ngettext("pushed, %(n)s stream", "pushed, %(n)s streams", intake.stream_count)
        % {"n": f"{intake.stream_count:,}"},
        state=state,
        state_text=age_text(state=state, last=last, now=now),
        amount=ngettext("%(n)s line", "%(n)s lines", intake.line_count)
        % {"n": f"{intake.line_count:,}"},
        cluster=intake.cluster,
    )


def unread_body(batch: BatchView) -> UnreadBody:
    """Return a body that was set aside, and why."""
    lines = ngettext("%(n)s line", "%(n)s lines", batch.line_count)
    return UnreadBody(
        public_id=batch.public_id,
        amount=lines % {"n": f"{batch.line_count:,}"},
        reason=batch.error,
    )


def pull_row(*, source: SourceView, now: datetime) -> SourceRow:
    """Return one source that the portal reads itself."""
    told = pull_state(source=source, now=now)
    amount = (
        _("%(count)s series") % {"count": f"{source.series_count:,}"}
        if source.series_count is not None
        else _("not read yet")
    )
    return SourceRow(
        name=source.name,
        kind=_("Prometheus, read every 30 s, %(cluster)s") % {"cluster": source.cluster.name},
        state=told.state,
        state_text=told.text,
        amount=amount,
        note=told.detail,
        public_id=source.public_id,
    )


def pull_state(*, source: SourceView, now: datetime) -> SourceState:
    """Return whether a source answers: never yet, fresh, stale and switched off are four things."""
    last = source.last_success_at
    if not source.is_enabled:
        return SourceState(state="off", text=_("switched off"))
    if source.state == "stale":
        return SourceState(
            state="stale",
            text=age_text(state="stale", last=last, now=now),
            detail=words.sentence_case(source.last_error),
        )
    if last is None:
        return SourceState(state="waiting", text=_("waiting for the first answer"))
    return SourceState(state="fresh", text=age_text(state="fresh", last=last, now=now))


def source_fields(source: SourceView) -> SourceFields:
    """Return a source as its form shows it, without its secret."""
    return SourceFields(
        name=source.name,
        url=source.url,
        auth=source.auth,
        cluster=source.cluster.slug,
        verify_tls=source.verify_tls,
        ca_pem=source.ca_pem,
        allowed_networks="\n".join(source.allowed_networks),
        label_map="\n".join(f"{label}={means}" for label, means in source.label_map.items()),
        zone=source.zone,
        is_enabled=source.is_enabled,
    )


def age_text(*, state: str, last: datetime | None, now: datetime) -> str:
    """Return how long ago something came in."""
    if last is None:
        return _("waiting for the first line") if state != "stale" else _("stale, never read")
    age = words.duration(max((now - last).total_seconds(), 0))
    return (_("stale, %(age)s") if state == "stale" else _("%(age)s ago")) % {"age": age}
