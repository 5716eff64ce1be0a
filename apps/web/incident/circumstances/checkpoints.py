"""Saves and loads around an incident as bands of its timeline."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.incidents.facade.shared import shared_checkpoints
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.shared_values import SharedCheckpoint
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.terms import Level
from apps.telemetry.facade.logged_checkpoints import LoggedCheckpoint, logged_checkpoints
from apps.telemetry.facade.storage import StoragePhaseView, list_phases
from apps.tenancy.access import Actor
from apps.web import words
from apps.web.lanes.elements import Entry
from apps.web.lanes.scale import Span

MOST: Final = 400  # the nearest to the end of the span


def checkpoint_bands(
    *, actor: Actor, header: IncidentHeader, span: Span, channel: LedgerChannel | None
) -> list[Entry]:
    """Return the saves and loads that the organization's own logs and metrics tell, then those
    that others show; without a channel none of theirs. Raises LedgerUnavailable.

    Metrics tell of a whole cluster: beside what logs of the session say they are left out.
    """
    sessions = [each.session.id for each in header.attempts]
    told = {"since": span.starts_at, "until": span.ends_at}
    logged = logged_checkpoints(actor=actor, session_ids=sessions, **told) if sessions else ()
    cluster_id = header.incident.cluster_id
    measured: Sequence[StoragePhaseView] = ()
    if cluster_id is not None:
        measured = list_phases(actor=actor, cluster_id=cluster_id, with_hosts=False, **told)
    own = [*_logged(logged[-MOST:], header), *_measured(measured[-MOST:], logged, header)]
    if cluster_id is None or channel is None or header.left_at is not None:
        return own
    shown = shared_checkpoints(
        actor=actor,
        incident=header.incident,
        span=(span.starts_at, span.ends_at),
        channel=channel,
    )
    return [*own, *_shared(shown[-MOST:], header)]


def _shared(shown: Sequence[SharedCheckpoint], header: IncidentHeader) -> Iterator[Entry]:
    for number, each in enumerate(shown):
        is_signal = each.shared.level is Level.SIGNAL
        exact = _length(each.starts_at, each.ends_at) if each.is_complete else _("length not told")
        holder = each.shared.holder
        yield replace(
            _band(
                key=f"shared-{number}",
                kind=each.kind,
                at=(each.starts_at, each.ends_at),
                detail=_("told by %(who)s: in these minutes, no more is shown")
                % {"who": holder.name}
                if is_signal
                else _("%(length)s, told by the logs of %(who)s")
                % {"length": exact, "who": holder.name},
                header=header,
            ),
            owner=holder.name,
            initial=holder.mark,
        )


def _logged(logged: Sequence[LoggedCheckpoint], header: IncidentHeader) -> Iterator[Entry]:
    for each in logged:
        step = _("step %(n)s") % {"n": f"{each.step:,}"} if each.step is not None else ""
        length = _length(each.starts_at, each.ends_at) if each.is_complete else _("length not told")
        beside = _("in the background") if each.is_background else ""
        yield _band(
            key=f"log-{each.session_id}-{each.kind}-{each.starts_at.isoformat()}",
            kind=each.kind,
            at=(each.starts_at, each.ends_at),
            detail=", ".join(filter(None, (step, length, beside, _("told by its logs")))),
            header=header,
        )


def _measured(
    measured: Sequence[StoragePhaseView],
    logged: Sequence[LoggedCheckpoint],
    header: IncidentHeader,
) -> Iterator[Entry]:
    for each in measured:
        if any(_is_same(each, one) for one in logged):
            continue
        length = _length(each.starts_at, each.ends_at)
        yield _band(
            key=f"metrics-{each.id}",
            kind=each.kind,
            at=(each.starts_at, each.ends_at),
            detail=", ".join(
                filter(None, (each.mount, length, _("as metrics of the cluster show it")))
            ),
            header=header,
        )


def _is_same(phase: StoragePhaseView, told: LoggedCheckpoint) -> bool:
    meets = phase.starts_at <= told.ends_at and told.starts_at <= phase.ends_at
    return meets and phase.kind == told.kind


def _length(starts_at: datetime, ends_at: datetime) -> str:
    return words.duration((ends_at - starts_at).total_seconds())


def _band(
    *, key: str, kind: str, at: tuple[datetime, datetime], detail: str, header: IncidentHeader
) -> Entry:
    name = pgettext("checkpoint", "save") if kind == "save" else pgettext("checkpoint", "load")
    return Entry(
        key=key,
        lane="storage",
        layer="storage",
        role="progress",
        title=name,
        detail=detail,
        owner=header.reader.name,
        initial=header.reader.mark,
        at=at[0],
        ends_at=at[1],
        is_band=True,
    )
